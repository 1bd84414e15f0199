// Lifts a short line as a whole, step by step, under any boundary rule: both ends of a longer one (core/border.cl), or
// all of a line (core/short_line.cl). Its numbers, or vectors of those of several lines, are in registers where the
// compiler knows how many there are and by which rule they go on.

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
