// The small launch before an axis is lifted in place in several segments: it saves what they read beyond their ends, and
// lifts the borders.
//
// One work-item per seam and line, those of neighbouring lines side by side. That of a line's start does its end too, and
// then the border, over the very samples that it saved. No seam in between reaches so far (in_place.rs).
// Cost: 2 * SEAM_PAIRS reads and writes per seam, 4 * BORDER reads per line, no barrier, no local memory.

#include "in_place/segments.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif

INLINE void save_seam(const Line line, const int start, const Line seam) {
  for (int j = 0; j < SEAM_PAIRS; ++j) {
    seam.s[j * seam.s_stride] = line.s[(start + j) * line.s_stride];
    seam.d[j * seam.d_stride] = line.d[(start + j) * line.d_stride];
  }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void save_seams(global T *array, global T *same, global T *saved, const Pass pass, const Segments own) {
  const uint item = get_global_id(0), lines = pass.lines;
  const int index = item % lines, number = item / lines;
  if (number >= own.segments) return;
  const Line line = signal_line(array, &pass, index);
  save_seam(line, number * own.pairs_per_segment, seam_of(saved, &pass, index, number));
  if (number > 0) return;
  save_seam(line, own.pairs, seam_of(saved, &pass, index, own.segments));
  lift_border(line, line, pass);
}
