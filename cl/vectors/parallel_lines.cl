// Lines that are neighbours along the first axis across, one in each element of a vector; and their borders.

#include "core/ends.cl"
#include "core/pass.cl"
#include "cpu/lines_in_cache.cl"

#ifndef BORDER_VECTORS
#error "BORDER_VECTORS: how many vectors of lines have their borders lifted at once"
#endif

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

// Line `index` and its neighbours, of which it is the first, on the side that is loaded and on the one that is stored.
static inline LoadedLines input_lines(global S *signal, global T *bands, global T *low, const Pass *pass,
                                      const int index) {
  LoadedLines lines;
  lines.first = input_line(signal, bands, low, pass, index);
  lines.s_next = FORWARD ? pass->signal.across[0].stride : next_in_bands(pass, index);
  lines.d_next = (FORWARD ? pass->signal : pass->bands).across[0].stride;
  return lines;
}
static inline StoredLines output_lines(global S *signal, global T *bands, global T *low, const Pass *pass,
                                       const int index) {
  StoredLines lines;
  lines.first = output_line(signal, bands, low, pass, index);
  lines.s_next = FORWARD ? next_in_bands(pass, index) : pass->signal.across[0].stride;
  lines.d_next = (FORWARD ? pass->bands : pass->signal).across[0].stride;
  return lines;
}

// The lines from number `n` on.
static inline LoadedLines loaded_from(LoadedLines lines, const int n) {
  lines.first.s += n * lines.s_next, lines.first.d += n * lines.d_next;
  return lines;
}
static inline StoredLines stored_from(StoredLines lines, const int n) {
  lines.first.s += n * lines.s_next, lines.first.d += n * lines.d_next;
  return lines;
}

// Whether so many lines are some vectors and a part of one. Then rows share vectors of memory with their neighbours,
// and stores past the caches would wait for these: in arrays of more than 16 MiB, 40 lines side by side took ten times
// as long, 129 to 300 twice (PoCL 3.1, one core of Zen 5).
INLINE bool is_ragged(const int lines) { return lines < 32 * VECTOR && lines % VECTOR > 0; }

// The line that the vector of place `j` starts with. The last one of ragged lines ends with the last of them; lines
// that the vector before has, too, are lifted twice, in places of their own.
INLINE int first_line(const int lines, const int j) { return is_ragged(lines) ? max(min(j, lines - VECTOR), 0) : j; }

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
