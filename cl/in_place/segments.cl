// How lines are cut into segments that are lifted in place, and where each finds the samples that others overwrite.
//
// A segment gives the results of its pairs start + REACH_LO .. stop + REACH_LO - 1 and stores them over these pairs. It
// reads the pairs start .. stop + SEAM_PAIRS - 1, those at both ends from a seam, which a launch before (save_seams.cl)
// copied out of the array: they belong to neighbours and to the border. So does the border's joined line. In the array a
// work-group then reads only what it alone overwrites. The only segment of a line is its own neighbour, and whoever sweeps
// along it does its border: nothing is copied.

#include "core/border.cl"
#include "core/pass.cl"

// Pairs that are read on both sides of a seam.
#define SEAM_PAIRS (REACH_LO + REACH_HI)

// The arguments besides the geometry.
typedef struct {
  int segments;           // of each line
  int pairs_per_segment;  // but for the last one
  int pairs;              // of a line, in all its segments: those that depend on no border
  int border_groups;      // the first work-groups of a sweep, which do borders; 0 where segments are whole lines
} Segments;

typedef struct {
  Line line;
  int start, stop;
  Line before;  // pair start + j, for j < SEAM_PAIRS
  Line after;   // pair stop + j
} LineSegment;

// What is saved of a line: the 2 * BORDER pairs of its joined ends, then the seams between its segments. Neighbouring lines
// are neighbours.
static inline Line saved_line(global T *saved, const Pass *pass, const int index) {
  const long lines = pass->lines;
  const Line line = {saved + index, saved + lines + index, 2 * lines, 2 * lines};
  return line;
}

static inline Line pairs_from(const Line line, const int pair) {
  const Line rest = {line.s + pair * line.s_stride, line.d + pair * line.d_stride, line.s_stride, line.d_stride};
  return rest;
}

// Where in a saved line the seam before segment `number` is; the first and the last are in the joined ends.
INLINE int place_of_seam(const Segments *own, const int number) {
  if (number == 0) return 0;
  return 2 * BORDER + (number == own->segments ? -SEAM_PAIRS - 1 : (number - 1) * SEAM_PAIRS);
}

static inline LineSegment segment_of_line(global T *array, global T *saved, const Pass *pass, const Segments *own,
                                          const int index, const int number) {
  LineSegment segment;
  segment.line = signal_line(array, pass, index);
  segment.start = number * own->pairs_per_segment;
  segment.stop = min(segment.start + own->pairs_per_segment, own->pairs);
  const bool is_whole = own->segments == 1;
  const Line from = is_whole ? segment.line : saved_line(saved, pass, index);
  segment.before = pairs_from(from, is_whole ? 0 : place_of_seam(own, number));
  segment.after = pairs_from(from, is_whole ? segment.stop : place_of_seam(own, number + 1));
  return segment;
}

// A sample of a pair beyond `before`; beyond `after` there is nothing that a result depends on.
INLINE T sample_of(const LineSegment *segment, const int pair, const int channel) {
  const int beyond = pair - segment->stop, index = beyond < 0 ? pair : beyond;
  const Line *const from = beyond < 0 ? &segment->line : &segment->after;
  if (beyond >= SEAM_PAIRS) return 0;
  return channel ? from->d[index * from->d_stride] : from->s[index * from->s_stride];
}

// Lifts the joined ends of a line, which store_joined then stores.
INLINE void lift_ends(global T *array, global T *saved, const Pass pass, const Segments own, const int index, A *s,
                      A *d) {
  const Ends ends = ends_of(pass.samples);
  const bool is_whole = own.segments == 1;
  const Line from = is_whole ? signal_line(array, &pass, index) : saved_line(saved, &pass, index);
  for (int j = 0; j < ends.s_count; ++j) s[j] = from.s[(is_whole ? pair_of_line(ends, j) : j) * from.s_stride];
  for (int j = 0; j < ends.d_count; ++j) d[j] = from.d[(is_whole ? pair_of_line(ends, j) : j) * from.d_stride];
  lift_joined(s, d, ends, pass);
}
