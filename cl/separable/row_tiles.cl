// How a row pass goes along rows: tile after tile, from global memory to local memory and back.
//
// A work-group takes ROWS_Y rows at once and sweeps along them, a tile of TILE pairs of each at a time, with the reach
// around it. Samples travel in their order in memory; what happens to them in between is up to the pass. Rows are cut
// into segments of several tiles, so that a large device is full.

#include "core/pass.cl"

#if !defined(ROWS_X) || !defined(ROWS_Y)
#error "ROWS_X, ROWS_Y: work-items of a work-group along a row, and its rows"
#endif
#ifndef PAIRS_LIFTED
#error "PAIRS_LIFTED: pairs of a tile that each work-item lifts"
#endif
#ifndef TILE_PAIRS
#error "TILE_PAIRS: pairs of a row that a tile holds, those around it included"
#endif
#ifndef PAD_EVERY
#error "PAD_EVERY: after so many pairs in local memory one place is unused, 0 for never"
#endif

// The arguments besides the geometry.
typedef struct {
  int border_groups;      // the first work-groups, which do borders
  int segments;           // segments of a row
  int tiles_per_segment;
  int inner_end;          // pairs [REACH_LO, inner_end) depend on no border
} RowTiles;

#define TILE (PAIRS_LIFTED * ROWS_X)
// Unused places keep neighbouring work-items, PAD_EVERY pairs apart, in different banks.
#if PAD_EVERY
#define PLACE(p) ((p) + (p) / PAD_EVERY)
#else
#define PLACE(p) (p)
#endif
#define TILE_PLACES PLACE(TILE_PAIRS)

// What a work-item has to do with its row, in pairs counted from REACH_LO before the inside.
typedef struct {
  int group;        // below 0: passes the barriers of a tile that is stored nowhere, and then does borders
  int row;
  int start, stop;  // of its tiles
  int end;          // of what is stored
} RowShare;

static inline RowShare share_of_row(const Pass *pass, const RowTiles *own) {
  const int group = (int)get_group_id(0) - own->border_groups, inner = max(group, 0);
  const int row = inner / own->segments * ROWS_Y + (int)get_local_id(1);
  const int start = inner % own->segments * own->tiles_per_segment * TILE, end = own->inner_end - REACH_LO;
  const int stop = group < 0 ? start + TILE : min(start + own->tiles_per_segment * TILE, end);
  const RowShare share = {group, min(row, pass->lines - 1), start, stop, row < pass->lines && group >= 0 ? end : 0};
  return share;
}

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

// Samples wait in registers while the tile before is lifted. Within a row, places fit 32 bits
// (strategy/shared/lines.rs).
INLINE void load_tile(const Line *in, const int samples, const int x, const int start, T *loaded) {
  const int last_s = S_COUNT(samples) - 1, last_d = D_COUNT(samples) - 1;
  const int s_stride = (int)in->s_stride, d_stride = (int)in->d_stride;
  UNROLL for (int k = 0; k < LOADS; ++k) {
    const int channel = IN_CHANNEL(k), j = IN_PAIR(k), p = start + j;
    const bool exists = j < TILE_PAIRS && p <= (channel ? last_d : last_s);
    loaded[k] = exists ? *(channel ? in->d + p * d_stride : in->s + p * s_stride) : 0;
  }
}

// Puts them into local memory, multiplied by a factor for each channel.
INLINE void put_tile(const T *loaded, local L (*tile)[TILE_PLACES], const int x, const A of_s, const A of_d,
                     const int shift) {
  UNROLL for (int k = 0; k < LOADS; ++k) {
    const int channel = IN_CHANNEL(k), j = IN_PAIR(k);
    const A v = NUMBER(loaded[k]);
    if (j < TILE_PAIRS) tile[channel][PLACE(j)] = (L)(channel ? SCALED_IN(v, of_d, shift) : SCALED_IN(v, of_s, shift));
  }
}

// Stores the results, which stand where their samples did, in front of pair `end` of the inside.
INLINE void store_tile(local L (*tile)[TILE_PLACES], const Line *out, const int x, const int start, const int end,
                       const A of_s, const A of_d, const int shift) {
  const int s_stride = (int)out->s_stride, d_stride = (int)out->d_stride;
  UNROLL for (int k = 0; k < 2 * PAIRS_LIFTED; ++k) {
    const int channel = OUT_CHANNEL(k), j = REACH_LO + OUT_PAIR(k), p = start + j;
    const A v = tile[channel][PLACE(j)];
    if (p - REACH_LO < end)
      *(channel ? out->d + p * d_stride : out->s + p * s_stride) =
          SAMPLE(channel ? SCALED_OUT(v, of_d, shift) : SCALED_OUT(v, of_s, shift));
  }
}
