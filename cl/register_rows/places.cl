// Where the samples of a row stand in local memory, before and after a level and in its margins.

#include "core/boundary.cl"
#include "core/exchange.cl"
#include "register_rows/row_tile.cl"

#define ROW_TILE (2 * RUN_PAIRS * ROW_ITEMS)

// What one work-item of a row has put into local memory is seen by the others. Where sub-groups hold whole rows, they
// do not wait for one another.
#if EXCHANGE == EXCHANGE_NONE || ROW_ITEMS > LANES || SIDE_BY_SIDE
#define ROW_FENCE barrier(CLK_LOCAL_MEM_FENCE)
#else
#define ROW_FENCE SUB_GROUP_FENCE
#endif

// Places before sample 0, and between channels: two for each pair of the reach, and two more. Local memory decides how
// many short rows a compute unit lifts at once: on an NVIDIA H200, 2^22 samples in rows of 16 take 19 us, with 32
// places always 25.
#define FITS_IN(margin) (2 * REACH_LO + 2 <= (margin) && 2 * REACH_HI + 2 <= (margin))
#define ROW_MARGIN (FITS_IN(8) ? 8 : FITS_IN(16) ? 16 : 32)
// A row of R = ROW_TILE samples, with M = ROW_MARGIN places between channels, here for two levels:
//   before level 1  | R samples                                               |
//   after level 1   | R/2 low                      | 2 M | R/2 details of 1   |
//   after level 2   | R/4 low | M | R/4 details of 2 | M | R/2 details of 1   |
// Details of a level, counted from 1, begin here. A level overwrites the samples that it has read, never the details of
// a finer one; the inverse goes from the bottom line to the top one.
#define DETAILS_IN(level, levels) ((ROW_TILE >> (level)) + ROW_MARGIN * ((levels) - (level) + 1))

// Sample i, counted from the start of the run number `run` of `size` samples, a power of two; also of runs beside it.
#define AT_RUN(channel, run, size, i) \
  (channel)[PLACE_IN((run) * (size) + ((i) & ~((size) - 1))) + PLACE_IN((i) & ((size) - 1))]

// Sample n of a channel (0: s, 1: d), counted from a work-item's run, while both channels are interleaved and while
// they are apart; and what is at a place of the whole row before its level is lifted.
#define RUN_INTERLEAVED(channel, n) AT_RUN(line, item, 2 * pairs, 2 * (n) + (channel))
#define RUN_APART(channel, n) AT_RUN((channel) ? details : line, item, pairs, n)
#if FORWARD
#define UNLIFTED RUN_INTERLEAVED
#define LIFTED RUN_APART
#define UNLIFTED_OF_ROW(place) line[PLACE_IN(place)]
#else
#define UNLIFTED RUN_APART
#define LIFTED RUN_INTERLEAVED
#define UNLIFTED_OF_ROW(place) ((place) & 1 ? details : line)[PLACE_IN((place) >> 1)]
#endif

// Puts a work-item's run, lifted, into local memory.
INLINE void put_lifted(local L *line, local L *details, const int item, const int pairs, const int samples,
                       const int shift, const A *s, const A *d) {
  if (item * pairs >= S_COUNT(samples)) return;
  UNROLL for (int n = 0; n < pairs; ++n) {
    LIFTED(0, n) = (L)SCALED_OUT(s[n], OUT_s, shift);
    LIFTED(1, n) = (L)SCALED_OUT(d[n], OUT_d, shift);
  }
}
