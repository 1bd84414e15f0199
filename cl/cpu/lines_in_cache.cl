// Lines in the nearest caches, a vector for each sample, which are lifted step by step. What a step reads beyond the
// border is one more vector: all elements map it to the same place.
//
// For 9/7 in f32, for each pair of vectors: 8 multiply-adds, 12 reads and 4 writes of the caches.

#include "core/boundary.cl"
#include "cpu/vectors.cl"

// How many samples and lines, and how far neighbours are apart; along x the samples of a line are
// nearest, else the lines.
typedef struct {
  int samples, lines;
  long apart, across;
  bool is_x;
} CachedLines;

// All pairs from `from` to `to` of all lines, what is nearest in memory innermost.
#define EACH_INNER(from, to)                                                                           \
  for (int i = 0; i < (lines.is_x ? lines.lines : (to) - (from)); ++i)                                 \
    for (long j = 0, place = (from) * pair + i * (lines.is_x ? lines.across : pair);                   \
         j < (lines.is_x ? (to) - (from) : lines.lines); ++j, place += lines.is_x ? pair : lines.across)
#define EACH_BORDER(head, tail, count) \
  for (int n = (head) > 0 ? 0 : (tail); n < (count); n = n + 1 == (head) ? (tail) : n + 1)

#define INNER_s(offset) s[place + (offset) * pair]
#define INNER_d(offset) d[place + (offset) * pair]
#define MAPPED_s(offset) (mapped[(offset)-lowest] < 0 ? (AV)(0) : s[max(mapped[(offset)-lowest], 0) * pair + place])
#define MAPPED_d(offset) (mapped[(offset)-lowest] < 0 ? (AV)(0) : d[max(mapped[(offset)-lowest], 0) * pair + place])
#define CACHED_STEP(k, target, source, first, last, before, after)                                      \
  { const int count = target##_count, head = clamp(-(first), 0, count), tail = clamp(source##_count - (last), head, count); \
    EACH_INNER(head, tail) target[place] = LIFT_##k(target[place], INNER_##source);                     \
    EACH_BORDER(head, tail, count) {                                                                    \
      enum { lowest = (first) };                                                                        \
      int mapped[(last) - (first) + 1];                                                                 \
      for (int o = (first); o <= (last); ++o)                                                           \
        mapped[o - lowest] = map_index(boundary, PARITY_##source, n + o, lines.samples);                \
      for (long j = 0, place = 0; j < lines.lines; ++j, place += lines.across)                          \
        target[place + n * pair] = LIFT_##k(target[place + n * pair], MAPPED_##source);                 \
    } }

INLINE void lift_lines(local AV *places, const CachedLines lines, const int boundary) {
  const int s_count = S_COUNT(lines.samples), d_count = D_COUNT(lines.samples);
  const long pair = 2 * lines.apart;
  local AV *const s = places, *const d = places + lines.apart;
  LIFT_STEPS(CACHED_STEP)
}
