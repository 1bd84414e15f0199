// A level of a row whose runs stay in the registers of neighbouring work-items.
//
// Both channels of a run are interleaved. A step reads two neighbours of what it changes, one on each side: of
// approximation n details n - 1 and n (`first` is -1), of detail n approximations n and n + 1 (`first` is 0). So a run
// lacks one of them at one of its ends. Before the step a work-item gets it from the work-item beside it. Beyond an end
// of the row there is none: what stands for it follows from the boundary rule. The row may end within a run.

#include "core/boundary.cl"
#include "core/exchange.cl"
#include "core/row.cl"
#include "register_rows/runs.cl"

#ifndef RULE
#error "RULE: the boundary rule"
#endif

#define LEVEL_SAMPLES(level) HALVED(pass.samples, (level) - 1)
// Approximations that are left of a run after the wide levels.
#define LOWS (2 * RUN_PAIRS >> WIDE_LEVELS)

// A work-item's part of a level.
typedef struct {
  int run;              // its number in the row; for a work-item that has none that of the last one, within the row
  bool is_own;          // whether it has one
  bool is_first;        // of the row
  int left_s, left_d;   // approximations and details from the run's first on to the end of the row
} RunPart;

static inline RunPart run_part_of(const int item, const bool has_row, const int pairs, const int samples) {
  const int run = min(item, (S_COUNT(samples) - 1) / pairs), first = run * pairs;
  const RunPart part = {run, has_row && run == item, run == 0, S_COUNT(samples) - first, D_COUNT(samples) - first};
  return part;
}

// Pair n of a channel of a run, or what stands for the one before or after it.
INLINE A pair_or_beside(const A *channel, const int pairs, const int n, const A before, const A after) {
  return n < 0 ? before : n < pairs ? channel[2 * n] : after;
}

// What a channel goes on with beyond its outermost number `inner`.
#if RULE == PERIODIC
#define BEYOND_ROW(inner, other_end) (other_end)
#elif RULE == ZERO
#define BEYOND_ROW(inner, other_end) ((A)0)
#else
#define BEYOND_ROW(inner, other_end) (inner)
#endif

// The first and the last number of a channel, by way of two places of local memory, where rows repeat.
INLINE void share_ends(const A *channel, const RunPart *part, const int pairs, const int left, local L *ends, A *first,
                       A *last) {
#if RULE == PERIODIC
  if (part->is_own && part->is_first) ends[0] = (L)channel[0];
  UNROLL for (int n = 0; n < pairs; ++n)
    if (part->is_own && n + 1 == left) ends[1] = (L)channel[2 * n];
  SUB_GROUP_FENCE;
  *first = (A)ends[0], *last = (A)ends[1];
  SUB_GROUP_FENCE;
#endif
}

// Gets what a step reads beside a run: the number before it, or the one behind, and sets what of the run is beyond the
// end of its row, from number `left` on. All of that is set: of the first place there alone, by `n == left`, NVIDIA's
// compiler would make one with a run-time index, and keep the run in memory (runs of 8 pairs took 51 us instead of 17
// for three levels of 32513 x 129).
INLINE void gather_beside_run(const RunPart *part, const int pairs, const int left, const int first, local L *ends,
                              A *channel, A *before_run, A *after_run) {
  A first_of_row = 0, last_of_row = 0;
  share_ends(channel, part, pairs, left, ends, &first_of_row, &last_of_row);
  const A beside = first < 0 ? from_left(channel[2 * pairs - 2]) : from_right(channel[0]);
  *before_run = first < 0 && part->is_first ? BEYOND_ROW(channel[0], last_of_row) : beside;
  *after_run = first == 0 && left <= pairs ? BEYOND_ROW(channel[2 * pairs - 2], first_of_row) : beside;
  UNROLL for (int n = 0; n < pairs; ++n)
    if (n >= left) channel[2 * n] = BEYOND_ROW(n > 0 ? channel[2 * n - 2] : *before_run, first_of_row);
}

#define BESIDE_RUN(offset) pair_or_beside(samples + parity, pairs, n + (offset), before_run, after_run)
#define RUN_STEP_ACROSS(k, target, source, first, last, before, after)                            \
  { const int parity = PARITY_##source, left = part->left_##source;                               \
    A before_run, after_run;                                                                      \
    gather_beside_run(part, pairs, left, first, ends, samples + parity, &before_run, &after_run); \
    UNROLL for (int n = 0; n < pairs; ++n)                                                        \
      samples[2 * n + PARITY_##target] = LIFT_##k(samples[2 * n + PARITY_##target], BESIDE_RUN); }

INLINE void lift_run_across(const RunPart *part, const int pairs, A *samples, const int shift, local L *ends) {
  UNROLL for (int n = 0; n < pairs; ++n) {
    samples[2 * n] = SCALED_IN(samples[2 * n], IN_s, shift);
    samples[2 * n + 1] = SCALED_IN(samples[2 * n + 1], IN_d, shift);
  }
  LIFT_STEPS(RUN_STEP_ACROSS)
  UNROLL for (int n = 0; n < pairs; ++n) {
    samples[2 * n] = (A)(L)SCALED_OUT(samples[2 * n], OUT_s, shift);
    samples[2 * n + 1] = (A)(L)SCALED_OUT(samples[2 * n + 1], OUT_d, shift);
  }
}
