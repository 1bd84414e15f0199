// short_rows: several levels of rows of a few samples, one row per work-item, under any boundary rule.
//
// A work-item has its row in registers, and nothing to do with others. The compiler knows how long rows are and by which rule they go on,
// so that what a step reads beyond an end is known as well (core/border.cl lifts such a line as a whole).
//
// Lines that stand side by side are such rows, too: then neighbouring work-items load neighbours.
//
// Cost per sample: 1 global read and 1 write, for all levels; no barrier, no local memory. Limited by memory, and rows of 7 by stores,
// each of which writes a part of a sector: on an NVIDIA H100, 9/7 in f32 takes 15 us for both levels of 3 x 1398101 along its first axis
// and 13 of 1398101 x 3 along its last one, 21 for three levels of 599186 x 7; a copy of as many samples 11.

#include "core/border.cl"
#include "register_rows/row.cl"

#if !JOINED_SAMPLES || !defined(LEVELS) || LEVELS > 4
#error "JOINED_SAMPLES, LEVELS: samples of a row, and its levels, 4 at most"
#endif

// What is left of a row when a level begins.
#define SAMPLES_OF_LEVEL(level) HALVED(JOINED_SAMPLES, (level) - 1)
#define LOWS_OF_ROW HALVED(JOINED_SAMPLES, LEVELS)

static inline Ends whole_row(const int samples) {
  const Ends ends = {0, samples, S_COUNT(samples), D_COUNT(samples)};
  return ends;
}

// Lifts a level between `row` and its details in memory. The compiler knows how long the level is, and so keeps all of it in registers.
INLINE void lift_short_level(const Ends ends, const RowBand details, A *row, const Pass pass) {
  A s[2 * BORDER], d[2 * BORDER];
#if FORWARD
  UNROLL for (int j = 0; j < ends.s_count; ++j) s[j] = row[2 * j];
  UNROLL for (int j = 0; j < ends.d_count; ++j) d[j] = row[2 * j + 1];
  lift_joined(s, d, ends, pass);
  UNROLL for (int j = 0; j < ends.d_count; ++j) details.first[j * details.stride] = SAMPLE(d[j]);
  UNROLL for (int j = 0; j < ends.s_count; ++j) row[j] = (A)(L)s[j];
#else
  UNROLL for (int j = 0; j < ends.s_count; ++j) s[j] = row[j];
  UNROLL for (int j = 0; j < ends.d_count; ++j) d[j] = NUMBER(details.first[j * details.stride]);
  lift_joined(s, d, ends, pass);
  UNROLL for (int j = 0; j < ends.s_count; ++j) row[2 * j] = (A)(L)s[j];
  UNROLL for (int j = 0; j < ends.d_count; ++j) row[2 * j + 1] = (A)(L)d[j];
#endif
}

#define SHORT_LEVEL(level) \
  if (level <= LEVELS)     \
    lift_short_level(whole_row(SAMPLES_OF_LEVEL(level)), details_of_row(bands_row, &pass, &own, &tile, level), row, pass);

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void short_rows(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterRows own) {
  const RowTile tile = row_tile(&pass, &own, get_local_id(0));
  if (tile.to == 0) return;
  const int stride = (int)pass.signal.line.detail;
  global S *const samples = signal_of_row(signal, &pass, tile.row);
  const Line bands_row = bands_of_row(bands, low, &pass, tile.row);
  const RowBand lows = low_of_row(bands_row, &pass, &own, &tile);
  A row[JOINED_SAMPLES];

#if FORWARD
  UNROLL for (int i = 0; i < JOINED_SAMPLES; ++i) row[i] = NUMBER(samples[i * stride]);
  SHORT_LEVEL(1)
  SHORT_LEVEL(2)
  SHORT_LEVEL(3)
  SHORT_LEVEL(4)
  UNROLL for (int j = 0; j < LOWS_OF_ROW; ++j) lows.first[j * lows.stride] = SAMPLE(row[j]);
#else
  UNROLL for (int j = 0; j < LOWS_OF_ROW; ++j) row[j] = NUMBER(lows.first[j * lows.stride]);
  SHORT_LEVEL(4)
  SHORT_LEVEL(3)
  SHORT_LEVEL(2)
  SHORT_LEVEL(1)
  UNROLL for (int i = 0; i < JOINED_SAMPLES; ++i) samples[i * stride] = SAMPLE(row[i]);
#endif
}
