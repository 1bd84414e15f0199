// One level of a tile of a row that is in local memory: where its samples stand there, its margins, the steps.
//
// Each work-item of the row takes a run of neighbouring pairs into its registers, and the REACH_LO pairs before and REACH_HI
// after it that their results depend on, lifts them alone, and puts the results back. So work-items exchange nothing but
// what they read in local memory, and a border is nothing but what stands in the margins of the tile. A run has half as
// many pairs at every level, so that a level's approximations are the samples of the next where they are.
//
// Where what lies beyond the border follows from its neighbours (RESTORED), a work-item that holds both sets it anew before each
// step. Where it follows from the other end of the row (odd rows that repeat), rows go BY_STEPS: before each step work-items put
// what it reads of their runs into local memory, and the margins are filled anew.

#include "core/boundary.cl"
#include "core/exchange.cl"
#include "register_rows/row.cl"

#if BY_STEPS && !defined(ROW_RULE)
#error "ROW_RULE: the boundary rule of rows that go step by step"
#endif
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
// That their rows move as one run of memory gains nothing (rows of 16 21 us).
#define FITS_IN(margin) (2 * REACH_LO + 2 <= (margin) && 2 * REACH_HI + 2 <= (margin))
#define ROW_MARGIN (FITS_IN(8) ? 8 : FITS_IN(16) ? 16 : 32)
// A row of R = ROW_TILE samples, with M = ROW_MARGIN places between channels, here for two levels:
//   before level 1  | R samples                                               |
//   after level 1   | R/2 low                      | 2 M | R/2 details of 1   |
//   after level 2   | R/4 low | M | R/4 details of 2 | M | R/2 details of 1   |
// Details of a level, counted from 1, begin here. A level overwrites the samples that it has read, never the details of a finer
// one; the inverse goes from the bottom line to the top one.
#define DETAILS_IN(level, levels) ((ROW_TILE >> (level)) + ROW_MARGIN * ((levels) - (level) + 1))

// Sample i, counted from the start of the run number `run` of `size` samples, a power of two; also of runs beside it.
#define AT_RUN(channel, run, size, i) \
  (channel)[PLACE_IN((run) * (size) + ((i) & ~((size) - 1))) + PLACE_IN((i) & ((size) - 1))]

// Sample n of a channel (0: s, 1: d), counted from a work-item's run, while both channels stand in turns and while they are apart;
// and what is at a place of the whole row before its level is lifted.
#define RUN_IN_TURNS(channel, n) AT_RUN(line, item, 2 * pairs, 2 * (n) + (channel))
#define RUN_APART(channel, n) AT_RUN((channel) ? details : line, item, pairs, n)
#if FORWARD
#define UNLIFTED RUN_IN_TURNS
#define LIFTED RUN_APART
#define UNLIFTED_OF_ROW(place) line[PLACE_IN(place)]
#else
#define UNLIFTED RUN_APART
#define LIFTED RUN_IN_TURNS
#define UNLIFTED_OF_ROW(place) ((place) & 1 ? details : line)[PLACE_IN((place) >> 1)]
#endif

// How a row goes on beyond its border.
typedef struct {
  int periodic;  // from the other end on; else mirrored
  int boundary;  // the rule, where it holds for one step
} Beyond;

// Puts into the margins of `channels` channels from `first` on what goes on beyond the border of a row, for one step or for all.
#define IN_MARGINS (REACH_LO + REACH_HI + 1)
INLINE void fill_margins(local L *line, local L *details, const int item, const int first, const int channels,
                         const int samples, const Beyond beyond) {
  UNROLL for (int next = 0; next < channels * IN_MARGINS; next += ROW_ITEMS) {
    if (next + item >= channels * IN_MARGINS) continue;
    const int channel = first + (next + item) / IN_MARGINS, k = (next + item) % IN_MARGINS;
    const int i = k < REACH_LO ? k - REACH_LO : COUNT_OF(channel, samples) + k - REACH_LO;
    const int place = 2 * i + channel;
#if BY_STEPS
    UNLIFTED_OF_ROW(place) = UNLIFTED_OF_ROW(2 * map_index(ROW_RULE, channel, i, samples) + channel);
#else
    UNLIFTED_OF_ROW(place) = UNLIFTED_OF_ROW(place_inside(place, samples, beyond.periodic));
#endif
  }
}

// --- steps -------------------------------------------------------------------------------------------

#if !BY_STEPS
// Sets what a step reads of a channel of `count` samples beyond the border; the first one here is number `first`.
INLINE void restore_beyond(A *v, const int held, const int first, const int count, const int boundary) {
  UNROLL for (int n = held - 2; n >= 0; --n)
    if (first + n < 0) v[n] = beyond_border(boundary, v[n + 1]);
  UNROLL for (int n = 0; n < held; ++n)
    if (first + n >= count) v[n] = beyond_border(boundary, v[max(n - 1, 0)]);
}

#define RUN_LO REACH_LO
#define RUN_HI REACH_HI
#define RUN_s(offset) s[n + (offset)]
#define RUN_d(offset) d[n + (offset)]
#define ROW_RUN_STEP(k, target, source, first, last, before, after)                                                   \
  if (RESTORED)                                                                                                       \
    restore_beyond(source, RUN_LO + pairs + RUN_HI, item * pairs - RUN_LO, COUNT_##source(samples), beyond.boundary); \
  UNROLL for (int n = RUN_LO - (before); n < RUN_LO + pairs + (after); ++n)                                           \
    target[n] = LIFT_##k(target[n], RUN_##source);
#else
// A run holds only its own pairs; before each step it also fetches the neighbours that the step reads. Two consecutive steps that
// read the same channel write the same values. Pairs past the end of the row belong to the margin and are not written.
#define RUN_LO 0
#define RUN_HI 0
#define BEFORE_RUN(first) ((first) < 0 ? -(first) : 0)
#define AFTER_RUN(last) ((last) > 0 ? (last) : 0)
#define HELD_BY_STEP(offset) held[before_run + n + (offset)]
#define ROW_RUN_STEP(k, target, source, first, last, before, after)                                \
  {                                                                                                \
    const int before_run = BEFORE_RUN(first);                                                      \
    UNROLL for (int n = 0; n < pairs; ++n)                                                         \
      if (item * pairs + n < COUNT_##source(samples)) UNLIFTED(PARITY_##source, n) = (L)source[n]; \
    ROW_FENCE;                                                                                     \
    fill_margins(line, details, item, PARITY_##source, 1, samples, beyond);                        \
    ROW_FENCE;                                                                                     \
    A held[BEFORE_RUN(first) + RUN_PAIRS + AFTER_RUN(last)];                                       \
    UNROLL for (int n = -before_run; n < pairs + AFTER_RUN(last); ++n)                             \
      held[before_run + n] = (A)UNLIFTED(PARITY_##source, n);                                      \
    UNROLL for (int n = 0; n < pairs; ++n) target[n] = LIFT_##k(target[n], HELD_BY_STEP);          \
  }
#endif

// One level of a signal of `samples` samples, by runs of `pairs`: in `line` the signal, and in its place afterwards the
// approximations (the inverse: the other way round), in `details` the others.
INLINE void lift_row_level(local L *line, local L *details, const int item, const int pairs, const int samples,
                           const Beyond beyond, const int shift) {
  const bool is_own = item * pairs < S_COUNT(samples);
  A s[RUN_LO + RUN_PAIRS + RUN_HI], d[RUN_LO + RUN_PAIRS + RUN_HI];
  if (!BY_STEPS) {
    fill_margins(line, details, item, 0, 2, samples, beyond);
    ROW_FENCE;
  }
  UNROLL for (int n = 0; n < RUN_LO + pairs + RUN_HI; ++n) {
    s[n] = SCALED_IN((A)UNLIFTED(0, n - RUN_LO), IN_s, shift);
    d[n] = SCALED_IN((A)UNLIFTED(1, n - RUN_LO), IN_d, shift);
  }
  LIFT_STEPS(ROW_RUN_STEP)
  ROW_FENCE;
  if (is_own) UNROLL for (int n = 0; n < pairs; ++n) {
    LIFTED(0, n) = (L)SCALED_OUT(s[RUN_LO + n], OUT_s, shift);
    LIFTED(1, n) = (L)SCALED_OUT(d[RUN_LO + n], OUT_d, shift);
  }
  ROW_FENCE;
}
