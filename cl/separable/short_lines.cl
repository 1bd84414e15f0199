// Lines so short that they are all border: one work-item per line.
//
// Cost: see core/border.cl.

#include "core/border.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif

// It needs no arguments besides the geometry.
typedef struct {
  int unused;
} ShortLines;

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void short_lines(global T *signal, global T *bands, global T *low, const Pass pass, const ShortLines own) {
  const int index = get_global_id(0);
  if (index < pass.lines) lift_border(INPUT_LINE(index), OUTPUT_LINE(index), pass);
}
