// probe: a device shows that its work-items exchange values as core/exchange.cl says.
//
// Several sub-groups per work-group. Each goes through a loop as long as no other's, in which its work-items hand
// values on through local memory, behind the fence alone, and by exchange; then they get their neighbours' bits as each
// type that the steps compute in, and those in rings. The host compares (src/runtime/probe). Whatever the device does,
// nothing outside the arrays is touched. Cost: nothing against that of building it.

#include "core/exchange.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group, several sub-groups"
#endif

#define TOLD 13

// A place in local memory, also where sub-groups are not what the host takes them for.
INLINE int place_of(const int sub_group, const int lane) { return min(sub_group * LANES + lane % LANES, GROUP - 1); }

// Runs first and is waited for: the time that the probe has is not the driver's for compiling.
kernel void ready(global int *told) { told[0] = 0; }

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void probe(global const int *bits, global int *told, const int rounds) {
  local int shown[GROUP];
  const int item = get_global_id(0), sub_group = SUB_GROUP, lane = LANE;
  const int2 own = vload2(item, bits);
  uint sum = own.x;
  for (int i = 0; i < rounds * (sub_group + 1); ++i) {
    shown[place_of(sub_group, lane)] = sum;
    SUB_GROUP_FENCE;
    const uint handed = shown[place_of(sub_group, lane + 1 + i)];
    SUB_GROUP_FENCE;
    const uint right = from_right_int(sum);
    sum = 3 * handed + (lane + 1 < LANES ? right : (uint)own.y);
  }
  // In rings of every size.
  uint left_in_rings = 0, right_in_rings = 0;
  UNROLL for (int n = 1; n <= LANES; n *= 2) {
    left_in_rings = 3 * left_in_rings + (uint)from_ring_int(-1, own.x, n);
    right_in_rings = 3 * right_in_rings + as_uint(from_ring_float(1, as_float(own.y), n));
  }
  const int told_here[TOLD - 4] = {sub_group,
                                   lane,
                                   (int)sum,
                                   from_left_int(own.x),
                                   from_right_int(own.x),
                                   as_int(from_left_float(as_float(own.y))),
                                   as_int(from_right_float(as_float(own.y))),
                                   (int)left_in_rings,
                                   (int)right_in_rings};
#if DOUBLE
  const int2 left = as_int2(from_left_double(as_double(own))), right = as_int2(from_right_double(as_double(own)));
#else
  const int2 left = (int2)(from_left_int(own.x), from_left_int(own.y));
  const int2 right = (int2)(from_right_int(own.x), from_right_int(own.y));
#endif
  global int *const to = told + item * TOLD;
  UNROLL for (int i = 0; i < TOLD - 4; ++i) to[i] = told_here[i];
  vstore4((int4)(left, right), 0, to + TOLD - 4);
}
