// Lines that are neighbours along the first axis across, one in each element of a vector; and their borders.

#include "core/border.cl"
#include "core/pass.cl"
#include "cpu/vectors.cl"

typedef struct {
  Line first;
  long s_next, d_next;  // from one line to the next
} ParallelLines;

// How many neighbours there are from line `index` on: those before `low_across` stand apart from the others.
INLINE int neighbours(const Pass *pass, const int index) {
  const int x = index % pass->across[0], low = pass->low_across[0];
  return (x < low ? low : pass->across[0]) - x;
}

static inline ParallelLines lines_beside(const Line first, const Side *side, const Pass *pass) {
  const long next = side->across[0].stride;
  const bool is_low = pass->has_low && first.s + side->line.detail != first.d;
  const ParallelLines lines = {first, is_low ? pass->low.across[0].stride : next, next};
  return lines;
}
#if FORWARD
#define INPUT_LINES(index) lines_beside(INPUT_LINE(index), &pass.signal, &pass)
#define OUTPUT_LINES(index) lines_beside(OUTPUT_LINE(index), &pass.bands, &pass)
#else
#define INPUT_LINES(index) lines_beside(INPUT_LINE(index), &pass.bands, &pass)
#define OUTPUT_LINES(index) lines_beside(OUTPUT_LINE(index), &pass.signal, &pass)
#endif

// The lines from number `n` on.
static inline ParallelLines lines_from(const ParallelLines *lines, const int n) {
  ParallelLines rest = *lines;
  rest.first.s += n * lines->s_next;
  rest.first.d += n * lines->d_next;
  return rest;
}

// Lifts and stores the borders of `n` lines, past the caches if `non_temporal` and where that can be; see core/border.cl.
INLINE void lift_borders_of(const ParallelLines in, const ParallelLines out, const int n, const Pass pass,
                            const bool non_temporal) {
  const Line from = in.first, to = out.first;
  const Ends ends = ends_of(pass.samples);
  AV s[2 * BORDER], d[2 * BORDER];
  for (int j = 0; j < ends.s_count; ++j)
    s[j] = TO_A(load_some(from.s + pair_of_line(ends, j) * from.s_stride, in.s_next, n));
  for (int j = 0; j < ends.d_count; ++j)
    d[j] = TO_A(load_some(from.d + pair_of_line(ends, j) * from.d_stride, in.d_next, n));
  lift_joined(s, d, ends, pass);
  for (int j = 0; j < ends.s_count; ++j) {
    if (!is_result(ends, j)) continue;
    const int p = pair_of_line(ends, j);
    store_some(TO_T(s[j]), to.s + p * to.s_stride, out.s_next, n, non_temporal);
    if (j < ends.d_count) store_some(TO_T(d[j]), to.d + p * to.d_stride, out.d_next, n, non_temporal);
  }
}
