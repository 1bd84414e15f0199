// save_seams: the small launch before an axis is lifted in place in several segments. It saves what work-groups read of
// the array and others overwrite (segments.cl).
//
// One work-item per saved pair, those of neighbouring lines side by side.
// Cost: 1 read and 1 write per saved sample; no barrier, no local memory. Limited by the launch itself.

#include "in_place/segments.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void save_seams(global T *array, global T *same, global T *saved, const Pass pass, const Segments own) {
  const uint item = get_global_id(0), lines = pass.lines;
  const int index = item % lines, pair = item / lines;
  const int of_seams = pair - 2 * BORDER, number = 1 + of_seams / max(SEAM_PAIRS, 1);
  if (of_seams >= (own.segments - 1) * SEAM_PAIRS) return;
  const Ends ends = ends_of(pass.samples);
  const int p = of_seams < 0 ? pair_of_line(ends, pair)
                             : number * own.pairs_per_segment + of_seams - (number - 1) * SEAM_PAIRS;
  const Line line = signal_line(array, &pass, index);
  saved[place_of_saved(&pass, index, pair, 0)] = line.s[p * line.s_stride];
  if (of_seams >= 0 || pair < ends.d_count) saved[place_of_saved(&pass, index, pair, 1)] = line.d[p * line.d_stride];
}
