// A level of a row where what a step reads beyond the border follows from samples further inside, as at the other end
// of odd rows that repeat, or at the same one where steps are not symmetric: the boundary rule tells which (map_index
// in core/boundary.cl).
//
// A run holds only its own pairs. Before each step work-items put what the step reads of their runs into local memory,
// fill the margins anew, and fetch the neighbours of their runs. Of two consecutive steps that read the same channel,
// the second writes it while others may still read it, but the same values. Pairs past the end of the row belong to the
// margin and are not written.

#include "register_rows/margins.cl"
#include "register_rows/places.cl"

#define BEFORE_RUN(first) ((first) < 0 ? -(first) : 0)
#define AFTER_RUN(last) ((last) > 0 ? (last) : 0)
#define HELD_BY_STEP(offset) held[before_run + n + (offset)]
#define STEP_ACROSS_RUNS(k, target, source, first, last, before, after)                            \
  {                                                                                                \
    const int before_run = BEFORE_RUN(first);                                                      \
    UNROLL for (int n = 0; n < pairs; ++n)                                                         \
      if (item * pairs + n < COUNT_##source(samples)) UNLIFTED(PARITY_##source, n) = (L)source[n]; \
    ROW_FENCE;                                                                                     \
    fill_margins(line, details, item, PARITY_##source, 1, samples, 0, true);                       \
    ROW_FENCE;                                                                                     \
    A held[BEFORE_RUN(first) + RUN_PAIRS + AFTER_RUN(last)];                                       \
    UNROLL for (int n = -before_run; n < pairs + AFTER_RUN(last); ++n)                             \
      held[before_run + n] = (A)UNLIFTED(PARITY_##source, n);                                      \
    UNROLL for (int n = 0; n < pairs; ++n) target[n] = LIFT_##k(target[n], HELD_BY_STEP);          \
  }

INLINE void lift_runs_by_steps(local L *line, local L *details, const int item, const int pairs, const int samples,
                               const int shift) {
  A s[RUN_PAIRS], d[RUN_PAIRS];
  UNROLL for (int n = 0; n < pairs; ++n) {
    s[n] = SCALED_IN((A)UNLIFTED(0, n), IN_s, shift);
    d[n] = SCALED_IN((A)UNLIFTED(1, n), IN_d, shift);
  }
  LIFT_STEPS(STEP_ACROSS_RUNS)
  ROW_FENCE;
  put_lifted(line, details, item, pairs, samples, shift, s, d);
}
