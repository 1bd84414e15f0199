// The samples and coefficients of short rows (short_rows.cl) in memory.
//
// Where rows follow one another on both sides, a work-group moves its rows as one piece, by way of local memory; else
// each work-item moves its own sample by sample.

#include "core/short_line.cl"
#include "register_rows/row_tile.cl"

#ifndef DENSE_ROWS
#error "DENSE_ROWS: 1 where rows follow one another in memory on both sides: then neighbouring work-items move neighbours"
#endif

// Sample i of the signal, approximation j of the last level and detail j of a level: of the row of local memory that a
// work-item has, or of one that stands in `samples`, `lows` and `band`.
#if DENSE_ROWS
#define BAND_OF(level)
#if FORWARD
#define SIGNAL_AT(i) loaded[(i)]
#define BANDS_AT(i) stored[(i)]
#else
#define SIGNAL_AT(i) stored[(i)]
#define BANDS_AT(i) loaded[(i)]
#endif
#define LOW_AT(j) BANDS_AT(INTERLEAVED ? (j) << LEVELS : (j))
#define DETAIL_AT(level, j) \
  BANDS_AT(INTERLEAVED ? (2 * (j) + 1) << ((level) - 1) : S_COUNT(SAMPLES_OF_LEVEL(level)) + (j))

// Moves `count` neighbours between global memory and the rows of a work-group.
INLINE void fetch_rows(global const LOADED *from, const int count, local LOADED *to) {
  const int item = get_local_id(0);
  UNROLL for (int k = 0; k < LINE_SAMPLES; ++k)
    if (k * GROUP + item < count) to[k * GROUP + item] = from[k * GROUP + item];
  barrier(CLK_LOCAL_MEM_FENCE);
}
INLINE void put_rows(local const STORED *from, const int count, global STORED *to) {
  barrier(CLK_LOCAL_MEM_FENCE);
  const int item = get_local_id(0);
  UNROLL for (int k = 0; k < LINE_SAMPLES; ++k)
    if (k * GROUP + item < count) to[k * GROUP + item] = from[k * GROUP + item];
}
#else
#define SIGNAL_AT(i) samples[(i) * stride]
#define LOW_AT(j) lows.first[(j) * lows.stride]
#define DETAIL_AT(level, j) band.first[(j) * band.stride]
#define BAND_OF(level) const RowBand band = details_of_row(bands_row, &pass, &tile, level);
#endif

// Between memory and the details of a level.
#define LOAD_SHORT_DETAILS(level) EACH_DETAIL(level, BAND_OF(level) details[j] = NUMBER(DETAIL_AT(level, j));)
#define STORE_SHORT_DETAILS(level) EACH_DETAIL(level, BAND_OF(level) DETAIL_AT(level, j) = SAMPLE(details[j]);)
