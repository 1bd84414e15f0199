// The small launch before an axis is lifted in place in several segments: it saves what work-groups read of the array and
// others overwrite (segments.cl).
//
// One work-item per segment of a line saves the seam before it, those of neighbouring lines side by side; that of the first
// segment saves the ends of the line.
// Cost: 2 * SEAM_PAIRS reads and writes per segment and 4 * BORDER per line; no barrier, no local memory.

#include "in_place/segments.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void save_seams(global T *array, global T *same, global T *saved, const Pass pass, const Segments own) {
  const uint item = get_global_id(0), lines = pass.lines;
  const int index = item % lines, number = item / lines;
  if (number >= own.segments) return;
  const Line from = signal_line(array, &pass, index);
  const Line to = pairs_from(saved_line(saved, &pass, index), place_of_seam(&own, number));
  const Ends ends = ends_of(pass.samples);
  const int count = number > 0 ? SEAM_PAIRS : 2 * BORDER, d_count = number > 0 ? SEAM_PAIRS : ends.d_count;
  for (int j = 0; j < count; ++j) {
    const int p = number > 0 ? number * own.pairs_per_segment + j : pair_of_line(ends, j);
    to.s[j * to.s_stride] = from.s[p * from.s_stride];
    if (j < d_count) to.d[j * to.d_stride] = from.d[p * from.d_stride];
  }
}
