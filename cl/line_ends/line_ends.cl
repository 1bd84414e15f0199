// line_ends: the ends of lines, one work-item per line: all of short lines, and of long ones what another launch
// leaves.
//
// Under any boundary rule: so a kernel of tiles that knows no such border takes long lines as well. It stores something
// at their ends, which this launch overwrites.
//
// Cost: see core/border.cl. Where the compiler knows the rule and the samples of the joined line, this is in registers,
// and limited by the latency of memory: on an NVIDIA H100 one level of 1398101 columns of 3 samples by 9/7 takes 17 us,
// where it knows neither 30.

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
  if (index < pass.lines)
    lift_border(input_line(signal, bands, low, &pass, index), output_line(signal, bands, low, &pass, index), pass);
}
