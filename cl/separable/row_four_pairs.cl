// Row pass, four pairs per work-item: Blazewicz et al. 2012, the fastest row pass in Kucis et al. 2014.
//
// A work-group takes ROWS_Y rows at once and sweeps along them, a tile of ROWS_X * 4 pairs of each at a time. Samples
// travel between global and local memory in their order in memory; each work-item lifts its four pairs in registers.
// Rows are cut into segments of several tiles, so that a large device is full.
//
// Cost per sample: 1 global read (and 2 * reach more per tile) and 1 write; four barriers per tile; about 2.5 samples of
// local memory per work-item and pair. Limited by local memory traffic: each sample goes in, is read 1 + reach / 4 times,
// goes in again and out. On an NVIDIA H200, 9/7 in f32 takes more instructions to find a work-item's row than to lift its
// pairs, hence the sweep: it brought 8192 x 8192 from 220 to 183 us (copy: 130), twice as many work-items along a row to
// some 160.

#include "separable/four_pairs.cl"

#if !defined(ROWS_X) || !defined(ROWS_Y)
#error "ROWS_X, ROWS_Y: work-items of a work-group along a row, and its rows"
#endif
#ifndef TILE_PAIRS
#error "TILE_PAIRS: pairs of a row that a tile holds, those around it included"
#endif

// The arguments besides the geometry.
typedef struct {
  int border_groups;      // the first work-groups, which do borders
  int segments;           // segments of a row
  int tiles_per_segment;
  int inner_end;          // pairs [REACH_LO, inner_end) depend on no border
} RowTiles;

#define TILE (PAIRS_LIFTED * ROWS_X)
// One unused place after every four keeps neighbouring work-items, four apart, in different banks.
#define PLACE(p) ((p) + (p) / 4)

// Which sample of which channel a work-item moves in turn k: those of the signal in their order, so that neighbours go
// together; those of sub-bands one band after the other.
#define SIGNAL_CHANNEL(k) ((x + (k) * ROWS_X) & 1)
#define SIGNAL_PAIR(k) ((x + (k) * ROWS_X) >> 1)
#define BAND_CHANNEL(k) ((k) & 1)
#define BAND_PAIR(k) (x + ((k) >> 1) * ROWS_X)
#define LOADS (2 * ((TILE_PAIRS + ROWS_X - 1) / ROWS_X))
#if FORWARD
#define IN_CHANNEL SIGNAL_CHANNEL
#define IN_PAIR SIGNAL_PAIR
#define OUT_CHANNEL BAND_CHANNEL
#define OUT_PAIR BAND_PAIR
#else
#define IN_CHANNEL BAND_CHANNEL
#define IN_PAIR BAND_PAIR
#define OUT_CHANNEL SIGNAL_CHANNEL
#define OUT_PAIR SIGNAL_PAIR
#endif

// Samples wait in registers while the tile before is lifted. Within a row, places fit 32 bits (separable.rs).
INLINE void load_tile(const Line *in, const int samples, const int x, const int start, T *loaded) {
  const int last_s = S_COUNT(samples) - 1, last_d = D_COUNT(samples) - 1;
  const int s_stride = (int)in->s_stride, d_stride = (int)in->d_stride;
  UNROLL for (int k = 0; k < LOADS; ++k) {
    const int channel = IN_CHANNEL(k), j = IN_PAIR(k), p = start + j;
    const bool exists = j < TILE_PAIRS && p <= (channel ? last_d : last_s);
    loaded[k] = exists ? *(channel ? in->d + p * d_stride : in->s + p * s_stride) : 0;
  }
}

kernel __attribute__((reqd_work_group_size(ROWS_X, ROWS_Y, 1)))
void row_four_pairs(global T *signal, global T *bands, global T *low, const Pass pass, const RowTiles own) {
  local T tile[ROWS_Y][2][PLACE(TILE_PAIRS)];
  const int x = get_local_id(0), y = get_local_id(1);
  // The first work-groups pass the barriers of a tile that is stored nowhere, and then do borders.
  const int group = (int)get_group_id(0) - own.border_groups;
  const int index = max(group, 0) / own.segments * ROWS_Y + y;
  const Line in = INPUT_LINE(min(index, pass.lines - 1)), out = OUTPUT_LINE(min(index, pass.lines - 1));
  const int out_s = (int)out.s_stride, out_d = (int)out.d_stride;
  const bool stores = index < pass.lines && group >= 0;
  const int end = own.inner_end - REACH_LO;

  int start = max(group, 0) % own.segments * own.tiles_per_segment * TILE;  // results start REACH_LO later
  const int stop = group < 0 ? start + TILE : min(start + own.tiles_per_segment * TILE, end);
  T loaded[LOADS];
  load_tile(&in, pass.samples, x, start, loaded);
  // PoCL 3.1 goes wrong with barriers in a loop that may be skipped.
  do {
    UNROLL for (int k = 0; k < LOADS; ++k) {
      const int channel = IN_CHANNEL(k), j = IN_PAIR(k);
      const A v = loaded[k];
      if (j < TILE_PAIRS)
        tile[y][channel][PLACE(j)] = (T)(channel ? SCALED_IN(v, IN_d, pass.shift) : SCALED_IN(v, IN_s, pass.shift));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (start + TILE < stop) load_tile(&in, pass.samples, x, start + TILE, loaded);

    A s[PAIRS_LOADED], d[PAIRS_LOADED];
    UNROLL for (int j = 0; j < PAIRS_LOADED; ++j) {
      s[j] = tile[y][0][PLACE(PAIRS_LIFTED * x + j)];
      d[j] = tile[y][1][PLACE(PAIRS_LIFTED * x + j)];
    }
    lift_four_pairs(s, d);
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (int j = 0; j < PAIRS_LIFTED; ++j) {
      tile[y][0][PLACE(PAIRS_LIFTED * x + j)] = (T)SCALED_OUT(s[REACH_LO + j], OUT_s, pass.shift);
      tile[y][1][PLACE(PAIRS_LIFTED * x + j)] = (T)SCALED_OUT(d[REACH_LO + j], OUT_d, pass.shift);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int count = stores ? end - start : 0;
    UNROLL for (int k = 0; k < 2 * PAIRS_LIFTED; ++k) {
      const int channel = OUT_CHANNEL(k), j = OUT_PAIR(k), p = start + REACH_LO + j;
      if (j < count) *(channel ? out.d + p * out_d : out.s + p * out_s) = tile[y][channel][PLACE(j)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    start += TILE;
  } while (start < stop);
  lift_borders(signal, bands, low, pass, group);
}
