// short_rows: several levels of rows of a few samples, one row per work-item, under any boundary rule.
//
// A work-item has its row in registers, and nothing to do with others. The compiler knows how long rows are and by which rule they go on,
// so that what a step reads beyond an end is known as well (core/border.cl lifts such a line as a whole).
//
// Lines that stand side by side are such rows, too: then neighbouring work-items load neighbours.
//
// Cost per sample: 1 global read and 1 write, for all levels; no barrier, no local memory. Limited by memory: on an NVIDIA H100, 9/7 in
// f32 takes 15 us for three levels of 7 x 599186 along its first axis, 14 for both levels of 1398101 x 3 along its last one, a copy of as
// many samples 13. Rows of 7 take 26 (inverse 27), as each of their stores writes a part of a sector.

#include "core/border.cl"
#include "register_rows/row.cl"

#if !JOINED_SAMPLES || !defined(LEVELS) || LEVELS > 4
#error "JOINED_SAMPLES, LEVELS: samples of a row, and its levels, 4 at most"
#endif

// What is left of a row when a level begins; the levels from the finest to the coarsest and back.
#define SAMPLES_OF_LEVEL(level) HALVED(JOINED_SAMPLES, (level) - 1)
#define LOWS_OF_ROW HALVED(JOINED_SAMPLES, LEVELS)
#define EACH_SHORT_LEVEL(DO) DO(1) DO(2) DO(3) DO(4)
#define EACH_SHORT_LEVEL_BACK(DO) DO(4) DO(3) DO(2) DO(1)

// Lifts the first `samples` samples of a row, and leaves its details behind its approximations; the inverse the other way round. The
// compiler knows how many there are, and so keeps them in registers.
INLINE void lift_short_level(A *row, const int samples, const Pass pass) {
  const Ends ends = {0, samples, S_COUNT(samples), D_COUNT(samples)};
  A s[2 * BORDER], d[2 * BORDER];
  UNROLL for (int j = 0; j < ends.s_count; ++j) s[j] = row[FORWARD ? 2 * j : j];
  UNROLL for (int j = 0; j < ends.d_count; ++j) d[j] = row[FORWARD ? 2 * j + 1 : ends.s_count + j];
  lift_joined(s, d, ends, pass);
  UNROLL for (int j = 0; j < ends.s_count; ++j) row[FORWARD ? j : 2 * j] = (A)(L)s[j];
  UNROLL for (int j = 0; j < ends.d_count; ++j) row[FORWARD ? ends.s_count + j : 2 * j + 1] = (A)(L)d[j];
}

#define LIFT_SHORT_LEVEL(level) \
  if (level <= LEVELS) lift_short_level(row, SAMPLES_OF_LEVEL(level), pass);
// Moves the details of a level between a row and memory.
#define EACH_DETAIL(level, MOVE)                                                               \
  if (level <= LEVELS) {                                                                       \
    const RowBand band = details_of_row(bands_row, &pass, &own, &tile, level);                 \
    A *const details = row + S_COUNT(SAMPLES_OF_LEVEL(level));                                 \
    UNROLL for (int j = 0; j < D_COUNT(SAMPLES_OF_LEVEL(level)); ++j) MOVE                     \
  }
#define LOAD_SHORT_DETAILS(level) EACH_DETAIL(level, details[j] = NUMBER(band.first[j * band.stride]);)
#define STORE_SHORT_DETAILS(level) EACH_DETAIL(level, band.first[j * band.stride] = SAMPLE(details[j]);)

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void short_rows(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterRows own) {
  const RowTile tile = row_tile(&pass, &own, get_local_id(0));
  if (tile.to == 0) return;
  const int stride = (int)pass.signal.line.detail;
  global S *const samples = signal_of_row(signal, &pass, tile.row);
  const Line bands_row = bands_of_row(bands, low, &pass, tile.row);
  const RowBand lows = low_of_row(bands_row, &pass, &own, &tile);
  A row[JOINED_SAMPLES];
  // All loads come before all stores.
#if FORWARD
  UNROLL for (int i = 0; i < JOINED_SAMPLES; ++i) row[i] = NUMBER(samples[i * stride]);
  EACH_SHORT_LEVEL(LIFT_SHORT_LEVEL)
  UNROLL for (int j = 0; j < LOWS_OF_ROW; ++j) lows.first[j * lows.stride] = SAMPLE(row[j]);
  EACH_SHORT_LEVEL_BACK(STORE_SHORT_DETAILS)
#else
  UNROLL for (int j = 0; j < LOWS_OF_ROW; ++j) row[j] = NUMBER(lows.first[j * lows.stride]);
  EACH_SHORT_LEVEL_BACK(LOAD_SHORT_DETAILS)
  EACH_SHORT_LEVEL_BACK(LIFT_SHORT_LEVEL)
  UNROLL for (int i = 0; i < JOINED_SAMPLES; ++i) samples[i * stride] = SAMPLE(row[i]);
#endif
}
