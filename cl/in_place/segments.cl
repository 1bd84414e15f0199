// How lines are cut into segments that are lifted in place, and where each finds the samples that others overwrite.
//
// A segment gives the results of its pairs start + REACH_LO .. stop + REACH_LO - 1 and stores them over these pairs. It
// reads the pairs start .. stop + SEAM_PAIRS - 1, those at both ends from a seam, which a launch before (save_seams.cl)
// copied out of the array: they belong to neighbours and to the border, whose joined line is read from there, too. In
// the array a work-group then reads only what it alone overwrites. The only segment of a line is its own neighbour, and
// whoever sweeps along it does its border: nothing is copied.
//
// Both sides of a pass in place are one array: the kernels' argument `same` is `array` again.

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

// A segment of line `index`: its pairs start .. stop - 1.
typedef struct {
  Line line;
  int index, number;
  int start, stop;
} LineSegment;

// What is saved of a line: the 2 * BORDER pairs of its joined ends, then the seams between its segments.
// Neighbouring lines are neighbours.
INLINE long place_of_saved(const Pass *pass, const int index, const int pair, const int channel) {
  return (long)(2 * pair + channel) * pass->lines + index;
}

// Where in a saved line the seam before segment `number` is; the first and the last are in the joined ends.
INLINE int place_of_seam(const Segments *own, const int number) {
  if (number == 0) return 0;
  return 2 * BORDER + (number == own->segments ? -SEAM_PAIRS - 1 : (number - 1) * SEAM_PAIRS);
}

static inline LineSegment segment_of_line(global T *array, const Pass *pass, const Segments *own, const int index,
                                          const int number) {
  LineSegment segment;
  segment.line = signal_line(array, pass, index);
  segment.index = index;
  segment.number = number;
  segment.start = number * own->pairs_per_segment;
  segment.stop = min(segment.start + own->pairs_per_segment, own->pairs);
  return segment;
}

INLINE T sample_of_line(const LineSegment *segment, const int pair, const int channel) {
  const Line *const line = &segment->line;
  return channel ? line->d[pair * line->d_stride] : line->s[pair * line->s_stride];
}

// A sample of pair start + j, j < SEAM_PAIRS. Whole lines are read as they stand.
INLINE T sample_before(const LineSegment *segment, global const T *saved, const Pass *pass, const Segments *own,
                       const int j, const int channel) {
  if (own->segments == 1) return sample_of_line(segment, segment->start + j, channel);
  return saved[place_of_saved(pass, segment->index, place_of_seam(own, segment->number) + j, channel)];
}

// A sample of any pair after these; no result depends on those from stop + SEAM_PAIRS on.
INLINE T sample_after(const LineSegment *segment, global const T *saved, const Pass *pass, const Segments *own,
                      const int pair, const int channel) {
  const int beyond = pair - segment->stop;
  if (beyond >= SEAM_PAIRS) return 0;
  if (beyond < 0 || own->segments == 1) return sample_of_line(segment, pair, channel);
  return saved[place_of_saved(pass, segment->index, place_of_seam(own, segment->number + 1) + beyond, channel)];
}

// Lifts the joined ends of a line, which store_joined then stores.
INLINE void lift_ends(global T *array, global T *saved, const Pass pass, const Segments own, const int index, A *s,
                      A *d) {
  const Ends ends = ends_of(pass.samples);
  const Line line = signal_line(array, &pass, index);
  const bool is_whole = own.segments == 1;
  for (int j = 0; j < ends.s_count; ++j)
    s[j] = NUMBER(is_whole ? line.s[pair_of_line(ends, j) * line.s_stride] : saved[place_of_saved(&pass, index, j, 0)]);
  for (int j = 0; j < ends.d_count; ++j)
    d[j] = NUMBER(is_whole ? line.d[pair_of_line(ends, j) * line.d_stride] : saved[place_of_saved(&pass, index, j, 1)]);
  lift_joined(s, d, ends, pass);
}
