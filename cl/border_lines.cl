// border_lines: lines so short that they are all border. One work-item a line.

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void border_lines(global T *from, global T *to, global T *corner, const Pass pass) {
  const int index = get_global_id(0);
  if (index < pass.lines) lift_border(INPUT_LINE(index), OUTPUT_LINE(index), pass);
}
