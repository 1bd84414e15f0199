// border: the ends of every line, under any boundary rule, so that the main kernels need none.
//
// The first and the last BORDER pairs of a line, joined, make a short line with the same two borders. It
// is lifted as a whole; where head and tail meet its results are wrong, but only as far as the wavelet
// reaches, and those are not stored. Lines of at most 2 * BORDER pairs are done here alone.
//
// One work-item a line, the short line in private memory; REACH_LO pairs are stored at the head and
// REACH_HI + 1 at the tail (the last pair of an odd line has no detail).
// Cost: 4 * BORDER reads a line, no barrier, no local memory. Limited by scattered access when lines
// are rows; there are few samples.

INLINE A read(const A *channel, const int index) { return index < 0 ? (A)0 : channel[index]; }

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void border(global T *from, global T *to, global T *corner, const Pass pass) {
  const int index = get_global_id(0);
  if (index >= pass.lines) return;
  const Line in = INPUT_LINE(index), out = OUTPUT_LINE(index);

  const int pairs = S_COUNT(pass.samples), details = D_COUNT(pass.samples);
  const int gap = max(pairs - 2 * BORDER, 0);
  const int samples = pass.samples - 2 * gap;
  const int s_count = pairs - gap, d_count = details - gap;
#define PAIR(j) ((j) < BORDER ? (j) : (j) + gap)

  A s[2 * BORDER], d[2 * BORDER];
  for (int j = 0; j < s_count; ++j) s[j] = LOAD(s, in.s[PAIR(j) * in.s_pair]);
  for (int j = 0; j < d_count; ++j) d[j] = LOAD(d, in.d[PAIR(j) * in.d_pair]);

#define AT_s(offset) read(s, map_index(pass.boundary, 0, n + (offset), samples))
#define AT_d(offset) read(d, map_index(pass.boundary, 1, n + (offset), samples))
#define STEP(k, target, source, first, last, before, after)  \
  for (int n = 0; n < target##_count; ++n) target[n] = LIFT_##k(target[n], AT_##source);
  LIFT_STEPS(STEP)

  for (int j = 0; j < s_count; ++j) {
    const int p = PAIR(j);
    if (gap > 0 && p >= REACH_LO && p < pairs - REACH_HI - 1) continue;
    out.s[p * out.s_pair] = STORE(s, s[j]);
    if (j < d_count) out.d[p * out.d_pair] = STORE(d, d[j]);
  }
}
