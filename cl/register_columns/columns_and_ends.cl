// columns_and_ends: as register_columns, for lines whose border depends on both of their ends at every step, such as
// periodic ones of odd lengths. The first work-groups lift the ends of lines (core/borders.cl), the others sweep along
// what is between them.
//
// Ours, as far as it differs from register_columns.
// Cost per sample: as of register_columns, and that of core/border.cl. A line of a work-item at a time, since those of
// border.cl are no vectors.
//
// One level along the first axis, periodic, in us, on an NVIDIA H100:
//
//                                  here             ends in a launch of their own, behind vectors of lines
//   1023 x 1023, 9/7 in f32        8.8              16.8
//   511 x 512 x 512, 9/7 in f32    396              400
//   511 x 512 x 512, 5/3 in i16    228 (inv. 236)   235 (inv. 234)

#include "core/borders.cl"
#include "core/small_sub_groups.cl"
#include "register_columns/sweep.cl"

// The arguments besides the geometry.
typedef struct {
  int segments;  // of what is between the ends of a line
  int pairs_per_segment;
  int border_groups;  // the first work-groups, which do ends
} ColumnsAndEnds;

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SMALL_SUB_GROUPS
void columns_and_ends(global S *signal, global T *bands, global T *low, const Pass pass, const ColumnsAndEnds own) {
  const int group = (int)get_group_id(0) - own.border_groups;
  lift_borders(signal, bands, low, pass, group);
  const int item = group * GROUP + get_local_id(0), number = item / pass.lines;
  if (group < 0 || number >= own.segments) return;
  const int index = item - number * pass.lines;
  const LoadedLine in = input_line(signal, bands, low, &pass, index);
  const StoredLine out = output_line(signal, bands, low, &pass, index);
  const int from = REACH_LO + number * own.pairs_per_segment, end = S_COUNT(pass.samples) - REACH_HI - 1;
  sweep_columns(&in, &out, &pass, false, from, min(from + own.pairs_per_segment, end));
}
