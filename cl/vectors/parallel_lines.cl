// Lines that are neighbours along the first axis across, one in each element of a vector.

#include "core/pass.cl"
#include "cpu/vectors.cl"

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

// Lines [first, first + count) of a strip, all low-pass or all not across it: those before `low_across` stand apart.
typedef struct {
  int first, count;
} StripOfLines;

// Strip `number` of a row of lines, of at most `most` each.
static inline StripOfLines strip_of(const Pass *pass, const int number, const int most) {
  const int low = pass->low_across[0], low_strips = (low + most - 1) / most;
  const bool is_low = number < low_strips;
  StripOfLines strip;
  strip.first = is_low ? number * most : low + (number - low_strips) * most;
  strip.count = min(most, (is_low ? low : pass->across[0]) - strip.first);
  return strip;
}
