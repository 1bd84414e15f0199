// How lines are cut into segments that are lifted in place, each by itself, and where each finds the samples of its
// neighbours, which overwrite them.
//
// A segment gives the results of its pairs start + REACH_LO .. stop + REACH_LO - 1 and stores them over these pairs. It
// reads the pairs start .. stop + SEAM_PAIRS - 1. Those at both of its ends belong to its neighbours and to the border:
// they are in the seams, which a launch before (save_seams.cl) copied out of the array. The only segment of a line has
// nobody beside it, and needs no copy.

#include "core/border.cl"
#include "core/pass.cl"

// Pairs that are read on both sides of a seam.
#define SEAM_PAIRS (REACH_LO + REACH_HI)

// The arguments besides the geometry.
typedef struct {
  int segments;           // of each line
  int pairs_per_segment;  // but for the last one
  int pairs;              // of a line that segments lift: those that depend on no border
} Segments;

typedef struct {
  Line line;
  int start, stop;
  Line before;  // pair start + j, for j < SEAM_PAIRS
  Line after;   // pair stop + j
} LineSegment;

// Seam `number` of a line, as a line of SEAM_PAIRS pairs. Neighbouring lines are neighbours.
static inline Line seam_of(global T *saved, const Pass *pass, const int index, const int number) {
  const long lines = pass->lines;
  global T *const first = saved + number * (2 * SEAM_PAIRS * lines) + index;
  const Line seam = {first, first + lines, 2 * lines, 2 * lines};
  return seam;
}

static inline Line pairs_from(const Line line, const int pair) {
  const Line rest = {line.s + pair * line.s_stride, line.d + pair * line.d_stride, line.s_stride, line.d_stride};
  return rest;
}

static inline LineSegment segment_of_line(global T *array, global T *saved, const Pass *pass, const Segments *own,
                                 const int index, const int number) {
  LineSegment segment;
  segment.line = signal_line(array, pass, index);
  segment.start = number * own->pairs_per_segment;
  segment.stop = min(segment.start + own->pairs_per_segment, own->pairs);
  segment.before = own->segments > 1 ? seam_of(saved, pass, index, number) : segment.line;
  segment.after = own->segments > 1 ? seam_of(saved, pass, index, number + 1) : pairs_from(segment.line, segment.stop);
  return segment;
}

// A sample of a pair beyond `before`; beyond `after` there is nothing that a result depends on.
INLINE T sample_of(const LineSegment *segment, const int pair, const int channel) {
  const int beyond = pair - segment->stop, index = beyond < 0 ? pair : beyond;
  const Line *const from = beyond < 0 ? &segment->line : &segment->after;
  if (beyond >= SEAM_PAIRS) return 0;
  return channel ? from->d[index * from->d_stride] : from->s[index * from->s_stride];
}
