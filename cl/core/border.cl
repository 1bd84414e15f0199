// The border of lines under any boundary rule, so that the inner loops of a pass need none.
//
// The first and the last BORDER pairs of a line, joined, make a short line with the same two borders. It is lifted as a
// whole; where head and tail meet its results are wrong, but only as far as the wavelet reaches, and those are not
// stored. Lines of at most 2 * BORDER pairs are done here alone.
//
// One work-item per line; the short lines in private memory, or in registers where JOINED_SAMPLES and RULE are known.
// REACH_LO pairs are stored at the head and REACH_HI + 1 at the tail (the last pair of an odd line has no detail).
// Cost: 4 * BORDER reads per line, no barrier, no local memory. Limited by scattered access where lines are rows; there
// are few samples. CPUs mostly lift vectors of such lines in their caches (vectors/borders_in_vectors.cl).

#include "core/joined_line.cl"

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
