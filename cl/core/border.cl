// The border of lines under any boundary rule, so that the inner loops of a pass need none.
//
// The first and the last BORDER pairs of a line, joined, make a short line with the same two borders. It is lifted as a
// whole; where head and tail meet its results are wrong, but only as far as the wavelet reaches, and those are not
// stored. Lines of at most 2 * BORDER pairs are done here alone.
//
// One work-item per line, or one line per element of a vector (VECTOR, on CPUs); the short lines in private memory.
// REACH_LO pairs are stored at the head and REACH_HI + 1 at the tail (the last pair of an odd line has no detail).
// Cost: 4 * BORDER reads per line, no barrier, no local memory. Limited by scattered access where lines are rows; there
// are few samples. In vectors it takes a tenth of the time of a volume of 256 x 256 x 256 on two cores of Zen 5
// (PoCL 3.1), number by number it took half.

#include "core/boundary.cl"
#include "core/pass.cl"

#ifndef BORDER
#error "BORDER: how many pairs at each end of a line are lifted here"
#endif

#ifdef VECTOR
typedef JOIN(A, VECTOR) Joined;
#else
typedef A Joined;
#endif

// What the joined line is made of: the pairs left out between its ends, its samples, and those of each channel.
typedef struct {
  int gap, samples, s_count, d_count;
} Ends;

static inline Ends ends_of(const int samples) {
  const int gap = max(S_COUNT(samples) - 2 * BORDER, 0);
  const Ends ends = {gap, samples - 2 * gap, S_COUNT(samples) - gap, D_COUNT(samples) - gap};
  return ends;
}

// Which pair of the whole line pair j of the joined one is, and whether its results are that one's.
INLINE int pair_of_line(const Ends ends, const int j) { return j < BORDER ? j : j + ends.gap; }
INLINE bool is_result(const Ends ends, const int j) {
  return ends.gap == 0 || j < REACH_LO || j >= ends.s_count - REACH_HI - 1;
}

// Reads from an existing place always: Intel's CPU runtime reads before it asks.
INLINE Joined read_or_zero(const Joined *channel, const int index) {
  const Joined v = channel[max(index, 0)];
  return index < 0 ? (Joined)0 : v;
}

#define JOINED_s(offset) read_or_zero(s, map_index(boundary, 0, n + (offset), ends.samples))
#define JOINED_d(offset) read_or_zero(d, map_index(boundary, 1, n + (offset), ends.samples))
#define JOINED_STEP(k, target, source, first, last, before, after)  \
  for (int n = 0; n < ends.target##_count; ++n) target[n] = LIFT_##k(target[n], JOINED_##source);

// Lifts a joined line from what was loaded to what is to be stored.
INLINE void lift_joined(Joined *s, Joined *d, const Ends ends, const Pass pass) {
  const int boundary = pass.boundary;
  for (int j = 0; j < ends.s_count; ++j) s[j] = SCALED_IN(s[j], IN_s, pass.shift);
  for (int j = 0; j < ends.d_count; ++j) d[j] = SCALED_IN(d[j], IN_d, pass.shift);
  LIFT_STEPS(JOINED_STEP)
  for (int j = 0; j < ends.s_count; ++j) s[j] = SCALED_OUT(s[j], OUT_s, pass.shift);
  for (int j = 0; j < ends.d_count; ++j) d[j] = SCALED_OUT(d[j], OUT_d, pass.shift);
}

#ifndef VECTOR
// Stores those results of a joined line that are the whole line's.
INLINE void store_joined(const A *s, const A *d, const Ends ends, const Line out) {
  for (int j = 0; j < ends.s_count; ++j) {
    if (!is_result(ends, j)) continue;
    const int p = pair_of_line(ends, j);
    out.s[p * out.s_stride] = SAMPLE(s[j]);
    if (j < ends.d_count) out.d[p * out.d_stride] = SAMPLE(d[j]);
  }
}

INLINE void lift_border(const Line in, const Line out, const Pass pass) {
  const Ends ends = ends_of(pass.samples);
  A s[2 * BORDER], d[2 * BORDER];
  for (int j = 0; j < ends.s_count; ++j) s[j] = NUMBER(in.s[pair_of_line(ends, j) * in.s_stride]);
  for (int j = 0; j < ends.d_count; ++j) d[j] = NUMBER(in.d[pair_of_line(ends, j) * in.d_stride]);
  lift_joined(s, d, ends, pass);
  store_joined(s, d, ends, out);
}
#endif
