// Channels of a row between global and local memory: work-item i moves every ROW_ITEMSth sample, `each` of them at
// most.

#include "register_rows/places.cl"
#include "register_rows/row_tile.cl"

// Without this, the inverse of rows of 1001 samples takes 1.05 times as long, of 16 bits 1.12
// (NVIDIA H200, five levels).
#ifndef SIGNAL_ROWS
#error "SIGNAL_ROWS: 1 where neighbours in a row of the signal are neighbours in memory, 0 where that is not known"
#endif

#if PIXEL_BITS
typedef struct {
  global S *first;
  int stride;
  int start, count;
  int head, gap;
} RowSignal;
#else
typedef RowBand RowSignal;
#endif
#if FORWARD
typedef RowSignal LoadedBand;
typedef RowBand StoredBand;
#else
typedef RowBand LoadedBand;
typedef RowSignal StoredBand;
#endif

static inline RowSignal samples_of_row(global S *first, const Pass *pass, const RowTile *tile) {
  const int stride = SIGNAL_ROWS ? 1 : (int)pass->signal.line.detail;
  const RowSignal samples = {first, stride, tile->start, pass->samples, tile->head, tile->gap};
  return samples;
}

// Where sample i of a tile stands in its row. Where rows repeat, places beyond their ends are at the other one; where
// both ends are joined, the first of them are nearer to the start.
INLINE int place_in_row(const LoadedBand band, const int i) {
  const int place = band.start + i;
  if (ENDS_JOINED) return i < band.head ? place - band.gap : place;
  return place < 0 ? place + band.count : place >= band.count ? place - band.count : place;
}

// Its sample k, from its first one in local and in global memory.
#define SHARE_IN(first, k) (first)[PLACE_IN((k) * ROW_ITEMS)]
#define SHARE_OF(first, k) (first)[(k) * ROW_ITEMS * band.stride]

// Loads the `count` samples of a channel into registers, and puts them into local memory.
INLINE void fetch_channel(const LoadedBand band, const int count, const int item, const int each, LOADED *loaded) {
  const bool is_inside = band.start >= 0 && band.start + count <= band.count && !(ENDS_JOINED && band.head > 0);
  if (count == each * ROW_ITEMS && is_inside) {
    global const LOADED *const from = band.first + (band.start + item) * band.stride;
    UNROLL for (int k = 0; k < each; ++k) loaded[k] = SHARE_OF(from, k);
  } else {
    // Under conditions loads would wait for one another: what is too much loads the last sample again.
    UNROLL for (int k = 0; k < each; ++k) {
      const int i = min(item + k * ROW_ITEMS, count - 1);
      loaded[k] = band.first[(TILED ? place_in_row(band, i) : i) * band.stride];
    }
  }
}

INLINE void put_channel(const LOADED *loaded, const int count, local L *channel, const int item, const int each) {
  local L *const to = channel + PLACE_IN(item);
  // The last levels have fewer places than there are work-items.
  UNROLL for (int k = 0; k < each; ++k)
    if (each > 1 || item < count) SHARE_IN(to, k) = (L)NUMBER(loaded[k]);
}

// Stores samples `from` to `to` of a channel, and those of the other end that the tile may have.
INLINE void store_channel(local const L *channel, const StoredBand band, const int from, const int to, const int item,
                          const int each) {
  global STORED *const first = band.first + (band.start + item) * band.stride;
  local const L *const own = channel + PLACE_IN(item);
  const int before = from - item, end = to - item;
  if (!TILED && from == 0 && to == each * ROW_ITEMS) {
    UNROLL for (int k = 0; k < each; ++k) SHARE_OF(first, k) = SAMPLE((A)SHARE_IN(own, k));
  } else {
    UNROLL for (int k = 0; k < each; ++k)
      if ((!TILED || k * ROW_ITEMS >= before) && k * ROW_ITEMS < end) SHARE_OF(first, k) = SAMPLE((A)SHARE_IN(own, k));
  }
  if (ENDS_JOINED && band.head > 0) UNROLL for (int k = 0; k < each; ++k)
    if (item + k * ROW_ITEMS < band.head / 2) SHARE_OF(first - band.gap * band.stride, k) = SAMPLE((A)SHARE_IN(own, k));
}

// Interleaved coefficients go out in one piece where neighbouring work-items of a row store 32 bytes of it. Channel by
// channel, every other sample of memory, five levels of 65536 x 1024 take 424 us in f32 by 9/7 on an NVIDIA H100,
// instead of 192. Rows of 7 take 46 us in one piece, channel by channel 19, and rows of 32 27 and 21.
#define IN_ONE_PIECE (FORWARD && INTERLEAVED && ROW_ITEMS * STORED_BITS >= 256)

#if IN_ONE_PIECE
// Stores samples `from` to `to` of a tile: where each stands in local memory depends on how many levels made it an
// approximation.
INLINE void store_in_places(local const L *row, const Line line, const RowTile *tile, const int levels,
                            const int item) {
  const int stride = (int)line.d_stride >> 1;
  global STORED *const first = line.d - stride + tile->start * stride;
  UNROLL for (int k = 0; k < 2 * RUN_PAIRS; ++k) {
    const int i = item + k * ROW_ITEMS, halved = min((int)popcount(~i & (i - 1)), levels);
    local const L *const channel = halved < levels ? row + PLACE_IN(DETAILS_IN(halved + 1, levels)) : row;
    const bool is_at_head = ENDS_JOINED && i < tile->head / 2;
    const bool is_result = (!TILED || i >= tile->from) && i < tile->to;
    if (is_result || is_at_head)
      first[(i - (is_at_head ? tile->gap : 0)) * stride] = SAMPLE((A)channel[PLACE_IN(i >> min(halved + 1, levels))]);
  }
}
#endif
