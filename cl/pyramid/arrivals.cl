// Which work-group of a picture is the last to arrive: it can go on alone with what all others have stored.
//
// Nobody waits. Each work-group counts itself once what it stored is there for all to see. That takes a fence that orders memory
// between work-groups, which OpenCL C 1.2 does not have; NVIDIA's devices have it in PTX. On CPUs, where tests run this, the
// counting is such a fence itself.

#include "core/exchange.cl"

#ifndef ARRIVALS
#error "ARRIVALS: how many pictures there are places for to count work-groups of; 0 where none goes on"
#endif

#if EXCHANGE == EXCHANGE_PTX
#define DEVICE_FENCE asm volatile("fence.acq_rel.gpu;" : : : "memory")
#else
#define DEVICE_FENCE mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

// Counts this work-group among `groups`; `arrivals` is 0 before the first and after the last of them.
INLINE bool is_last_to_arrive(global int *arrivals, const int groups, local int *is_last) {
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    DEVICE_FENCE;
    *is_last = atomic_inc(arrivals) == groups - 1;
    DEVICE_FENCE;
    if (*is_last) *arrivals = 0;
  }
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  return *is_last;
}
