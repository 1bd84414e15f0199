// The border of lines under any boundary rule, so that the inner loops of a pass need none.
//
// The first and the last BORDER pairs of a line, joined, make a short line with the same two borders. It is lifted as a
// whole; where head and tail meet its results are wrong, but only as far as the wavelet reaches, and those are not
// stored. Lines of at most 2 * BORDER pairs are done here alone.
//
// One work-item per line; the short lines in private memory, or in registers where JOINED_SAMPLES and RULE are known.
// REACH_LO pairs are stored at the head and REACH_HI + 1 at the tail (the last pair of an odd line has no detail).
// Cost: 4 * BORDER reads per line, no barrier, no local memory. Limited by scattered access where lines are rows; there
// are few samples. CPUs mostly lift vectors of such lines in their caches (vectors/parallel_lines.cl).

#include "core/boundary.cl"
#include "core/ends.cl"
#include "core/pass.cl"

// Number `index` of a channel; 0 for -1, which has no place. It reads an existing place in either case, as Intel's
// runtime for CPUs reads before it compares.
INLINE NUMBERS read_or_zero(const NUMBERS *channel, const int index) {
  const NUMBERS v = channel[max(index, 0)];
  return index < 0 ? (NUMBERS)0 : v;
}

#if JOINED_SAMPLES > 0
#define UNROLL_JOINED UNROLL
#else
#define UNROLL_JOINED
#endif
#define JOINED_s(offset) read_or_zero(s, map_index(boundary, 0, n + (offset), ends.samples))
#define JOINED_d(offset) read_or_zero(d, map_index(boundary, 1, n + (offset), ends.samples))
#define JOINED_STEP(k, target, source, first, last, before, after) \
  UNROLL_JOINED for (int n = 0; n < ends.target##_count; ++n) target[n] = LIFT_##k(target[n], JOINED_##source);

// Lifts a joined line from what was loaded to what is to be stored.
INLINE void lift_joined(NUMBERS *s, NUMBERS *d, const Ends ends, const Pass pass) {
#ifdef RULE
  const int boundary = RULE;  // The compiler knows it.
#else
  const int boundary = pass.boundary;
#endif
  UNROLL_JOINED for (int j = 0; j < ends.s_count; ++j) s[j] = SCALED_IN(s[j], IN_s, pass.shift);
  UNROLL_JOINED for (int j = 0; j < ends.d_count; ++j) d[j] = SCALED_IN(d[j], IN_d, pass.shift);
  LIFT_STEPS(JOINED_STEP)
  UNROLL_JOINED for (int j = 0; j < ends.s_count; ++j) s[j] = SCALED_OUT(s[j], OUT_s, pass.shift);
  UNROLL_JOINED for (int j = 0; j < ends.d_count; ++j) d[j] = SCALED_OUT(d[j], OUT_d, pass.shift);
}

// Stores those results of a joined line that are the whole line's.
INLINE void store_joined(const A *s, const A *d, const Ends ends, const StoredLine out) {
  UNROLL_JOINED for (int j = 0; j < ends.s_count; ++j) {
    if (!is_result(ends, j)) continue;
    const int p = pair_of_line(ends, j);
    out.s[p * out.s_stride] = SAMPLE(s[j]);
    if (j < ends.d_count) out.d[p * out.d_stride] = SAMPLE(d[j]);
  }
}

INLINE void lift_border(const LoadedLine in, const StoredLine out, const Pass pass) {
  const Ends ends = ends_of(pass.samples);
  A s[2 * BORDER], d[2 * BORDER];
  UNROLL_JOINED for (int j = 0; j < ends.s_count; ++j) s[j] = NUMBER(in.s[pair_of_line(ends, j) * in.s_stride]);
  UNROLL_JOINED for (int j = 0; j < ends.d_count; ++j) d[j] = NUMBER(in.d[pair_of_line(ends, j) * in.d_stride]);
  lift_joined(s, d, ends, pass);
  store_joined(s, d, ends, out);
}
