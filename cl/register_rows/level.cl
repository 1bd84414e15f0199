// One level of a row, or of a tile of it, that is in local memory.
//
// Each work-item of the row takes a run of neighbouring pairs into its registers, and the REACH_LO pairs before and
// REACH_HI after it that their results depend on, lifts them alone, and puts the results back. So work-items exchange
// nothing but what they read in local memory, and a border is nothing but what stands in the margins of the row. A run
// has half as many pairs at every level, so that a level's approximations are the samples of the next where they are.
//
// Where what lies beyond the border follows from its neighbours (RESTORED), a work-item that holds both sets it anew
// before each step. Where it follows from samples further inside, or from the other end of the row, the row goes step
// by step (by_steps.cl).

#include "core/boundary.cl"
#include "register_rows/by_steps.cl"
#include "register_rows/margins.cl"
#include "register_rows/places.cl"

#ifndef RESTORED
#error "RESTORED: 1 where samples beyond the border follow the rule anew at every step; else mirrored or periodic"
#endif

// How a row goes on beyond its border.
typedef struct {
  int periodic;   // from the other end on; else mirrored
  int boundary;   // the rule, where it holds for one step
  bool by_steps;  // whether the row goes step by step
} Beyond;

#define RUN_s(offset) s[n + (offset)]
#define RUN_d(offset) d[n + (offset)]
#define STEP_OF_RUN(k, target, source, first, last, before, after)                        \
  if (RESTORED)                                                                           \
    set_beyond(source, 1, REACH_LO, REACH_LO + pairs + REACH_HI, item * pairs - REACH_LO, \
               COUNT_##source(samples), beyond.boundary);                                 \
  UNROLL for (int n = REACH_LO - (before); n < REACH_LO + pairs + (after); ++n)           \
    target[n] = LIFT_##k(target[n], RUN_##source);

// Each run with what its results depend on.
INLINE void lift_runs_alone(local L *line, local L *details, const int item, const int pairs, const int samples,
                            const Beyond beyond, const int shift) {
  A s[REACH_LO + RUN_PAIRS + REACH_HI], d[REACH_LO + RUN_PAIRS + REACH_HI];
  fill_margins(line, details, item, 0, 2, samples, beyond.periodic, false);
  ROW_FENCE;
  UNROLL for (int n = 0; n < REACH_LO + pairs + REACH_HI; ++n) {
    s[n] = SCALED_IN((A)UNLIFTED(0, n - REACH_LO), IN_s, shift);
    d[n] = SCALED_IN((A)UNLIFTED(1, n - REACH_LO), IN_d, shift);
  }
  LIFT_STEPS(STEP_OF_RUN)
  ROW_FENCE;
  put_lifted(line, details, item, pairs, samples, shift, s + REACH_LO, d + REACH_LO);
}

// A level of a signal of `samples` samples, by runs of `pairs`: in `line` the signal, and in its place afterwards the
// approximations (the inverse: the other way round), in `details` the others.
INLINE void lift_row_level(local L *line, local L *details, const int item, const int pairs, const int samples,
                           const Beyond beyond, const int shift) {
#if !BY_STEPS
  lift_runs_alone(line, details, item, pairs, samples, beyond, shift);
#elif !TILED || EXCHANGE == EXCHANGE_NONE
  // No barrier may stand under a condition, with which PoCL 3.1 goes wrong. Where speed does not matter, tiles go by
  // steps as well.
  lift_runs_by_steps(line, details, item, pairs, samples, shift);
#else
  if (beyond.by_steps)
    lift_runs_by_steps(line, details, item, pairs, samples, shift);
  else
    lift_runs_alone(line, details, item, pairs, samples, beyond, shift);
#endif
  ROW_FENCE;
}
