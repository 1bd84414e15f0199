// The ends of a line, under any boundary rule, so that the inner loops of the passes need none.
//
// The first and the last BORDER pairs of a line, joined, make a short line with the same two borders. It
// is lifted as a whole; where head and tail meet its results are wrong, but only as far as the wavelet
// reaches, and those are not stored. Lines of at most 2 * BORDER pairs are done here alone.
//
// One work-item a line, the short line in private memory; REACH_LO pairs are stored at the head and
// REACH_HI + 1 at the tail (the last pair of an odd line has no detail).
// Cost: 4 * BORDER reads a line, no barrier, no local memory. Limited by scattered access when lines
// are rows; there are few samples. Work-groups of a pass that do borders run beside its others.

// Always from a place that is there: Intel's CPU runtime reads before it asks.
INLINE A read(const A *channel, const int index) {
  const A v = channel[max(index, 0)];
  return index < 0 ? (A)0 : v;
}

INLINE void lift_border(const Line in, const Line out, const Pass pass) {
  const int pairs = S_COUNT(pass.samples), details = D_COUNT(pass.samples);
  const int gap = max(pairs - 2 * BORDER, 0);
  const int samples = pass.samples - 2 * gap;
  const int s_count = pairs - gap, d_count = details - gap;
#define BORDER_PAIR(j) ((j) < BORDER ? (j) : (j) + gap)

  A s[2 * BORDER], d[2 * BORDER];
  for (int j = 0; j < s_count; ++j) s[j] = LOAD(s, in.s[BORDER_PAIR(j) * in.s_pair]);
  for (int j = 0; j < d_count; ++j) d[j] = LOAD(d, in.d[BORDER_PAIR(j) * in.d_pair]);

#define BORDER_AT_s(offset) read(s, map_index(pass.boundary, 0, n + (offset), samples))
#define BORDER_AT_d(offset) read(d, map_index(pass.boundary, 1, n + (offset), samples))
#define BORDER_STEP(k, target, source, first, last, before, after)  \
  for (int n = 0; n < target##_count; ++n) target[n] = LIFT_##k(target[n], BORDER_AT_##source);
  LIFT_STEPS(BORDER_STEP)

  for (int j = 0; j < s_count; ++j) {
    const int p = BORDER_PAIR(j);
    if (gap > 0 && p >= REACH_LO && p < pairs - REACH_HI - 1) continue;
    out.s[p * out.s_pair] = STORE(s, s[j]);
    if (j < d_count) out.d[p * out.d_pair] = STORE(d, d[j]);
  }
}
