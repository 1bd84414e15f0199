// Lines that are neighbours along the first axis across, one in each element of a vector; and their borders.

#include "core/border.cl"
#include "core/pass.cl"
#include "cpu/vectors.cl"

// How far a line's approximations and its details are from those of the next line.
typedef struct {
  LoadedLine first;
  long s_next, d_next;
} LoadedLines;
typedef struct {
  StoredLine first;
  long s_next, d_next;
} StoredLines;

// How many neighbours there are from line `index` on: those before `low_across` stand apart from the others.
INLINE int neighbours(const Pass *pass, const int index) {
  const int x = index % pass->across[0], low = pass->low_across[0];
  return (x < low ? low : pass->across[0]) - x;
}

INLINE long next_in_bands(const Pass *pass, const int index) {
  return (stands_in_low(pass, place_of_line(pass, index)) ? pass->low : pass->bands).across[0].stride;
}

// The neighbours of line `index`, itself the first.
#define NEXT_IN_SIGNAL pass.signal.across[0].stride, pass.signal.across[0].stride
#define NEXT_IN_BANDS(index) next_in_bands(&pass, index), pass.bands.across[0].stride
#if FORWARD
#define INPUT_LINES(index) {INPUT_LINE(index), NEXT_IN_SIGNAL}
#define OUTPUT_LINES(index) {OUTPUT_LINE(index), NEXT_IN_BANDS(index)}
#else
#define INPUT_LINES(index) {INPUT_LINE(index), NEXT_IN_BANDS(index)}
#define OUTPUT_LINES(index) {OUTPUT_LINE(index), NEXT_IN_SIGNAL}
#endif

// The lines from number `n` on.
static inline LoadedLines loaded_from(LoadedLines lines, const int n) {
  lines.first.s += n * lines.s_next, lines.first.d += n * lines.d_next;
  return lines;
}
static inline StoredLines stored_from(StoredLines lines, const int n) {
  lines.first.s += n * lines.s_next, lines.first.d += n * lines.d_next;
  return lines;
}

// Lifts and stores the borders of `n` lines, past the caches if `non_temporal` and where that can be; see core/border.cl.
INLINE void lift_borders_of(const LoadedLines in, const StoredLines out, const int n, const Pass pass,
                            const bool non_temporal) {
  const LoadedLine from = in.first;
  const StoredLine to = out.first;
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
