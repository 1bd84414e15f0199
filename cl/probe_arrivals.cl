// probe_arrivals: a device shows that of its work-groups one is the last to arrive, and sees what all others have
// stored, as core/arrivals.cl says.
//
// Each work-item stores a number; those of the last work-group of each picture add up what all of it have stored.
// The host launches this a few times over the same arrays, and compares (src/runtime/probe). Cost: nothing
// against that of building it.

#include "core/arrivals.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
#ifndef GROUPS
#error "GROUPS: work-groups of a picture"
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void probe_arrivals(global Counter *arrivals, global int *stored, global int *told, const int before) {
  local int is_last;
  const int item = get_local_id(0), number = (int)get_group_id(0) / GROUPS;
  global const int *const all = stored + number * GROUPS * GROUP;
  stored[get_global_id(0)] = before + (int)get_global_id(0);
  if (is_last_to_arrive(arrivals + number, before, GROUPS, &is_last)) {
    uint sum = 0;
    for (int i = 0; i < GROUPS * GROUP; ++i) sum += (uint)(i + item) * (uint)all[i];
    told[number * GROUP + item] += (int)sum;
  }
}
