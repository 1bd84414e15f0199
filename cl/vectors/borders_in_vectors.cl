// The borders of lines that are neighbours (vectors/parallel_lines.cl).

#include "core/ends.cl"
#include "cpu/lines_in_cache.cl"
#include "vectors/parallel_lines.cl"

#ifndef BORDER_VECTORS
#error "BORDER_VECTORS: how many vectors of lines have their borders lifted at once"
#endif

// Lifts and stores the borders of `count` lines: what core/border.cl does for one, or all of those that are no longer
// than borders. In vectors it takes a tenth of the time of a volume of 256 x 256 x 256 on two cores of Zen 5 (PoCL
// 3.1), number by number it took half. `places` has room for BORDER_VECTORS vectors of lines, 4 * BORDER samples each.
INLINE void lift_borders_of(const LoadedLines in, const StoredLines out, const int count, const Pass pass,
                            local AV *places) {
  const Ends ends = ends_of(pass.samples);
  const bool non_temporal = !is_ragged(count);
  for (int from = 0; from < count; from += BORDER_VECTORS * VECTOR) {
    const int vectors = min(BORDER_VECTORS, (count - from + VECTOR - 1) / VECTOR);
    // Channel by channel: by turns, rows of i16 took 1.1 times as long.
    UNROLL for (int is_d = 0; is_d < 2; ++is_d) {
      const long next = is_d ? in.d_next : in.s_next;
      for (int j = is_d; j < ends.samples; j += 2) {
        const long p = pair_of_line(ends, j / 2);
        global const LOADED *const row = is_d ? in.first.d + p * in.first.d_stride : in.first.s + p * in.first.s_stride;
        for (int i = 0; i < vectors; ++i) {
          const int line = first_line(count, from + i * VECTOR);
          const AV v = NUMBER_V(load_some(row + line * next, next, count - line));
          places[j * vectors + i] = is_d ? SCALED_IN(v, IN_d, pass.shift) : SCALED_IN(v, IN_s, pass.shift);
        }
      }
    }
    const CachedLines joined = {ends.samples, vectors, vectors, 1, false};
    lift_lines(places, joined, pass.boundary);
    for (int j = 0; j < ends.samples; ++j) {
      if (!is_result(ends, j / 2)) continue;
      const long p = pair_of_line(ends, j / 2);
      const bool is_d = j % 2;
      global STORED *const row = is_d ? out.first.d + p * out.first.d_stride : out.first.s + p * out.first.s_stride;
      const long next = is_d ? out.d_next : out.s_next;
      for (int i = 0; i < vectors; ++i) {
        const int line = first_line(count, from + i * VECTOR);
        const AV v = places[j * vectors + i];
        store_some(SAMPLE_V(is_d ? SCALED_OUT(v, OUT_d, pass.shift) : SCALED_OUT(v, OUT_s, pass.shift)),
                   row + line * next, next, count - line, non_temporal);
      }
    }
  }
}
