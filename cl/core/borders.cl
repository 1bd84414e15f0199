// The borders of lines, by some work-groups of the launch that lifts the inside.
//
// Cost: see core/border.cl.

#include "core/border.cl"
#include "core/pass.cl"

// The borders of one line per work-item, by work-groups that count back from -1: they come before those of the inside.
INLINE void lift_borders(global S *signal, global T *bands, global T *low, const Pass pass, const int group) {
  const int size = get_local_size(0) * get_local_size(1);
  const int index = (-1 - group) * size + get_local_id(1) * get_local_size(0) + get_local_id(0);
  if (group < 0 && index < pass.lines)
    lift_border(input_line(signal, bands, low, &pass, index), output_line(signal, bands, low, &pass, index), pass);
}
