// line_ends: the ends of lines by themselves, one work-item per line, after a launch that lifted all else.
//
// Under any boundary rule: so a kernel that only knows lines that go on beyond their border in one way takes others as well. It
// stores something at their ends, which this launch overwrites. Lines that are all ends are done by this launch alone.
//
// Cost: see core/border.cl. Where the joined line has a known length, it is in registers: limited by the latency of memory.

#include "core/border.cl"
#include "core/pass.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif

// It needs no arguments besides the geometry.
typedef struct {
  int unused;
} LineEnds;

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void line_ends(global S *signal, global T *bands, global T *low, const Pass pass, const LineEnds own) {
  const int index = get_global_id(0);
  if (index < pass.lines) lift_border(INPUT_LINE(index), OUTPUT_LINE(index), pass);
}
