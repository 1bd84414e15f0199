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

// Puts a run's own pairs of a channel into local memory, and fetches it with `before` pairs more in front of it and
// `after` behind.
INLINE void fetch_with_neighbours(local L *line, local L *details, const int item, const int pairs, const int samples,
                                  const int parity, const A *own, const int before, const int after, A *inputs) {
  UNROLL for (int n = 0; n < pairs; ++n)
    if (item * pairs + n < COUNT_OF(parity, samples)) UNLIFTED(parity, n) = (L)own[n];
  ROW_FENCE;
  fill_margins(line, details, item, parity, 1, samples, 0, true);
  ROW_FENCE;
  UNROLL for (int n = -before; n < pairs + after; ++n) inputs[before + n] = (A)UNLIFTED(parity, n);
}

#define BEFORE_RUN(first) ((first) < 0 ? -(first) : 0)
#define AFTER_RUN(last) ((last) > 0 ? (last) : 0)
#define STEP_INPUT(offset) inputs[before_run + n + (offset)]
#define STEP_ACROSS_RUNS(k, target, source, first, last, before, after)                                             \
  { const int before_run = BEFORE_RUN(first), after_run = AFTER_RUN(last);                                          \
    A inputs[BEFORE_RUN(first) + RUN_PAIRS + AFTER_RUN(last)];                                                      \
    fetch_with_neighbours(line, details, item, pairs, samples, PARITY_##source, source, before_run, after_run,      \
                          inputs);                                                                                  \
    UNROLL for (int n = 0; n < pairs; ++n) target[n] = LIFT_##k(target[n], STEP_INPUT); }

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
