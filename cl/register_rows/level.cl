// One level of a tile of a row that is in local memory: where its samples stand there, its margins, the steps.
//
// Each work-item of the row takes a run of neighbouring pairs into its registers, and the REACH_LO pairs before and REACH_HI
// after it that their results depend on, lifts them alone, and puts the results back. So work-items exchange nothing but
// what they read in local memory, and a border is nothing but what stands in the margins of the tile. A run has half as
// many pairs at every level, so that a level's approximations are the samples of the next where they are.

#include "core/boundary.cl"
#include "core/exchange.cl"
#include "register_rows/row.cl"

#ifndef RESTORED
#error "RESTORED: 1 where samples beyond the border follow the rule anew at every step; else mirrored or periodic"
#endif
#define ROW_TILE (2 * RUN_PAIRS * ROW_ITEMS)

// What one work-item of a row has put into local memory is seen by the others. Where sub-groups hold whole rows, they do not
// wait for one another.
#if EXCHANGE == EXCHANGE_NONE || ROW_ITEMS > LANES || SIDE_BY_SIDE
#define ROW_FENCE barrier(CLK_LOCAL_MEM_FENCE)
#else
#define ROW_FENCE SUB_GROUP_FENCE
#endif

// --- places in local memory --------------------------------------------------------------------------

// One place in 32 is unused, so that work-items that read runs of any power of two are in different banks. Where `at` is a
// multiple of a power of two `m`, PLACE_IN(at + i) is PLACE_IN(at) + PLACE_IN(i) for i in 0 .. m - 1.
#define PLACE_IN(i) ((i) + ((i) >> 5))

// Places before sample 0, and between channels: two for each pair of the reach, and two more. Local memory decides how many
// short rows a compute unit lifts at once: on an NVIDIA H200, 2^22 samples in rows of 16 take 19 us, with 32 places always 25.
// That short rows move as one run of memory gains nothing (rows of 16 21 us, of 7 21 instead of 17).
#define HELD_IN(margin) (2 * REACH_LO + 2 <= (margin) && 2 * REACH_HI + 2 <= (margin))
#define MARGIN (HELD_IN(8) ? 8 : HELD_IN(16) ? 16 : 32)
// A row of R = ROW_TILE samples, with M = MARGIN places between channels, here for two levels:
//   before level 1  | R samples                                               |
//   after level 1   | R/2 low                      | 2 M | R/2 details of 1   |
//   after level 2   | R/4 low | M | R/4 details of 2 | M | R/2 details of 1   |
// Details of a level, counted from 1, begin here. A level overwrites the samples that it has read, never the details of a finer
// one; the inverse goes from the bottom line to the top one.
#define DETAILS_IN(level, levels) ((ROW_TILE >> (level)) + MARGIN * ((levels) - (level) + 1))

// Sample i, counted from the start of the run number `run` of `size` samples, a power of two; also of runs beside it.
#define AT_RUN(channel, run, size, i) \
  (channel)[PLACE_IN((run) * (size) + ((i) & ~((size) - 1))) + PLACE_IN((i) & ((size) - 1))]

// How a row goes on beyond its border.
typedef struct {
  int periodic;  // from the other end on; else mirrored
  int boundary;  // the rule, where samples beyond the border are restored
} Beyond;

// Puts into the margins what goes on beyond the border of a signal; the inverse: of its channels.
#if FORWARD
#define MARGIN_LO (2 * REACH_LO)
#define MARGIN_HI (2 * REACH_HI + 1)
#define IN_MARGINS (MARGIN_LO + MARGIN_HI)
INLINE void fill_margins(local L *line, local L *details, const int item, const int samples, const int periodic) {
  UNROLL for (int first = 0; first < IN_MARGINS; first += ROW_ITEMS) {
    const int k = first + item;
    if (k >= IN_MARGINS) continue;
    const int i = k < MARGIN_LO ? k - MARGIN_LO : samples + k - MARGIN_LO;
    line[PLACE_IN(i)] = line[PLACE_IN(place_inside(i, samples, periodic))];
  }
}
#else
#define MARGIN_LO REACH_LO
#define MARGIN_HI (REACH_HI + 1)
#define IN_MARGINS (MARGIN_LO + MARGIN_HI)
INLINE void fill_margins(local L *line, local L *details, const int item, const int samples, const int periodic) {
  UNROLL for (int first = 0; first < 2 * IN_MARGINS; first += ROW_ITEMS) {
    const int parity = first + item >= IN_MARGINS, k = first + item - parity * IN_MARGINS;
    if (k >= IN_MARGINS) continue;
    local L *const channel = parity ? details : line;
    const int i = k < MARGIN_LO ? k - MARGIN_LO : (parity ? D_COUNT(samples) : S_COUNT(samples)) + k - MARGIN_LO;
    channel[PLACE_IN(i)] = channel[PLACE_IN(place_inside(2 * i + parity, samples, periodic) >> 1)];
  }
}
#endif

// --- steps -------------------------------------------------------------------------------------------

#define HELD_PAIRS(pairs) (REACH_LO + (pairs) + REACH_HI)

// Sets what a step reads of a channel of `count` samples beyond the border; the first one here is number `first`.
INLINE void restore_beyond(A *v, const int held, const int first, const int count, const int boundary) {
  UNROLL for (int n = held - 2; n >= 0; --n)
    if (first + n < 0) v[n] = boundary == ZERO ? (A)0 : v[n + 1];
  UNROLL for (int n = 0; n < held; ++n)
    if (first + n >= count) v[n] = boundary == ZERO ? (A)0 : v[max(n - 1, 0)];
}

#define ROW_COUNT_s S_COUNT(samples)
#define ROW_COUNT_d D_COUNT(samples)
#define HELD_s(offset) s[n + (offset)]
#define HELD_d(offset) d[n + (offset)]
#define RUN_STEP(k, target, source, first, last, before, after)                                                    \
  if (RESTORED) restore_beyond(source, HELD_PAIRS(pairs), first_pair, ROW_COUNT_##source, beyond.boundary);  \
  UNROLL for (int n = REACH_LO - (before); n < REACH_LO + pairs + (after); ++n)                                    \
    target[n] = LIFT_##k(target[n], HELD_##source);

// Lifts a run of `pairs` of a signal of `samples` samples and those around it, of which the first is number `first_pair`.
INLINE void lift_run(A *s, A *d, const int pairs, const int first_pair, const int samples, const Beyond beyond) {
  LIFT_STEPS(RUN_STEP)
}

// One level of a signal of `samples` samples, by runs of `pairs`: in `line` the signal, and in its place afterwards the
// approximations (the inverse: the other way round), in `details` the others.
#if FORWARD
INLINE void lift_row_level(local L *line, local L *details, const int item, const int pairs, const int samples,
                           const Beyond beyond, const int shift) {
  fill_margins(line, details, item, samples, beyond.periodic);
  ROW_FENCE;
  A s[HELD_PAIRS(RUN_PAIRS)], d[HELD_PAIRS(RUN_PAIRS)];
  UNROLL for (int n = 0; n < HELD_PAIRS(pairs); ++n) {
    s[n] = SCALED_IN((A)AT_RUN(line, item, 2 * pairs, 2 * (n - REACH_LO)), IN_s, shift);
    d[n] = SCALED_IN((A)AT_RUN(line, item, 2 * pairs, 2 * (n - REACH_LO) + 1), IN_d, shift);
  }
  lift_run(s, d, pairs, item * pairs - REACH_LO, samples, beyond);
  ROW_FENCE;
  if (item * pairs < S_COUNT(samples)) UNROLL for (int n = 0; n < pairs; ++n) {
    AT_RUN(line, item, pairs, n) = (L)SCALED_OUT(s[REACH_LO + n], OUT_s, shift);
    AT_RUN(details, item, pairs, n) = (L)SCALED_OUT(d[REACH_LO + n], OUT_d, shift);
  }
  ROW_FENCE;
}
#else
INLINE void lift_row_level(local L *line, local L *details, const int item, const int pairs, const int samples,
                           const Beyond beyond, const int shift) {
  fill_margins(line, details, item, samples, beyond.periodic);
  ROW_FENCE;
  A s[HELD_PAIRS(RUN_PAIRS)], d[HELD_PAIRS(RUN_PAIRS)];
  UNROLL for (int n = 0; n < HELD_PAIRS(pairs); ++n) {
    s[n] = SCALED_IN((A)AT_RUN(line, item, pairs, n - REACH_LO), IN_s, shift);
    d[n] = SCALED_IN((A)AT_RUN(details, item, pairs, n - REACH_LO), IN_d, shift);
  }
  lift_run(s, d, pairs, item * pairs - REACH_LO, samples, beyond);
  ROW_FENCE;
  if (item * pairs < S_COUNT(samples)) UNROLL for (int n = 0; n < pairs; ++n) {
    AT_RUN(line, item, 2 * pairs, 2 * n) = (L)SCALED_OUT(s[REACH_LO + n], OUT_s, shift);
    AT_RUN(line, item, 2 * pairs, 2 * n + 1) = (L)SCALED_OUT(d[REACH_LO + n], OUT_d, shift);
  }
  ROW_FENCE;
}
#endif
