// The ends of lines, under any boundary rule, so that the inner loops of the passes need none.
//
// The first and the last BORDER pairs of a line, joined, make a short line with the same two borders. It
// is lifted as a whole; where head and tail meet its results are wrong, but only as far as the wavelet
// reaches, and those are not stored. Lines of at most 2 * BORDER pairs are done here alone.
//
// One work-item a line, or a line in each lane of a vector after vectors.cl; the short lines in private memory.
// REACH_LO pairs are stored at the head and REACH_HI + 1 at the tail (the last pair of an odd line has no
// detail).
// Cost: 4 * BORDER reads a line, no barrier, no local memory. Limited by scattered access when lines are rows;
// there are few samples. Ends number by number were half of the time of a volume of 256 x 256 x 256 on two cores
// of Zen 5 (PoCL 3.1), in lanes they are a tenth.

#ifdef AV
typedef AV End;
#define END_IN(channel, v) SCALED_IN(channel, v)
#define END_OUT(channel, v) SCALED_OUT(channel, v)
#else
typedef A End;
#define END_IN(channel, v) LOAD(channel, v)
#define END_OUT(channel, v) STORE(channel, v)
#endif

// Of a line: the pairs between its ends, and what the joined line is made of.
typedef struct {
  int gap, samples, s_count, d_count;
} Ends;

static inline Ends ends_of(const int samples) {
  const int gap = max(S_COUNT(samples) - 2 * BORDER, 0);
  const Ends ends = {gap, samples - 2 * gap, S_COUNT(samples) - gap, D_COUNT(samples) - gap};
  return ends;
}

// Pair j of the joined line: which of the whole line it is, and whether its results are that one's.
#define BORDER_PAIR(j) ((j) < BORDER ? (j) : (j) + ends.gap)
#define IS_RESULT(j) (ends.gap == 0 || (j) < REACH_LO || (j) >= ends.s_count - REACH_HI - 1)

// Always from a place that is there: Intel's CPU runtime reads before it asks.
INLINE End read(const End *channel, const int index) {
  const End v = channel[max(index, 0)];
  return index < 0 ? (End)0 : v;
}

#define BORDER_AT_s(offset) read(s, map_index(boundary, 0, n + (offset), ends.samples))
#define BORDER_AT_d(offset) read(d, map_index(boundary, 1, n + (offset), ends.samples))
#define BORDER_STEP(k, target, source, first, last, before, after)  \
  for (int n = 0; n < ends.target##_count; ++n) target[n] = LIFT_##k(target[n], BORDER_AT_##source);

// Lifts joined lines as they were loaded, to what is to be stored.
INLINE void lift_joined(End *s, End *d, const Ends ends, const Pass pass) {
  const int boundary = pass.boundary;
  for (int j = 0; j < ends.s_count; ++j) s[j] = END_IN(s, s[j]);
  for (int j = 0; j < ends.d_count; ++j) d[j] = END_IN(d, d[j]);
  LIFT_STEPS(BORDER_STEP)
  for (int j = 0; j < ends.s_count; ++j) s[j] = END_OUT(s, s[j]);
  for (int j = 0; j < ends.d_count; ++j) d[j] = END_OUT(d, d[j]);
}

#ifndef AV
INLINE void lift_border(const Line in, const Line out, const Pass pass) {
  const Ends ends = ends_of(pass.samples);
  A s[2 * BORDER], d[2 * BORDER];
  for (int j = 0; j < ends.s_count; ++j) s[j] = in.s[BORDER_PAIR(j) * in.s_pair];
  for (int j = 0; j < ends.d_count; ++j) d[j] = in.d[BORDER_PAIR(j) * in.d_pair];
  lift_joined(s, d, ends, pass);
  for (int j = 0; j < ends.s_count; ++j) {
    if (!IS_RESULT(j)) continue;
    const int p = BORDER_PAIR(j);
    out.s[p * out.s_pair] = s[j];
    if (j < ends.d_count) out.d[p * out.d_pair] = d[j];
  }
}
#endif
