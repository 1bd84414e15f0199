// Which work-group of some is the last to arrive: it can go on alone with what all others have stored.
//
// Nobody waits. Each work-group counts itself once what it stored is there for all to see. That takes a fence that
// orders memory between work-groups, which OpenCL C 1.2 does not have. FENCE says which one there is: the numbers are
// the places in Fence::ALL. NVIDIA's devices have it in PTX, others in OpenCL C 2.0 or 3.0, as which the host then
// builds the program.
//
// By OpenCL's memory model: the first barrier orders what work-items stored before the fence of one of them, which
// releases it. The counters change by relaxed read-modify-writes alone, each of which goes on with the release
// sequences of those before it; so the last work-group to count reads from all others, and the fence behind that
// acquires what they released. The second barrier hands it to all work-items. `atomic_inc` of OpenCL C 1.2 names no
// scope, and is for PTX alone, where it is that of the device.
//
// What a device says of its fence is not trusted: probe_arrivals.cl lets it prove that. The fence of PTX is relied on
// without proof, as it was tested on hardware.

#include "core/wavelet.cl"

#ifndef FENCE
#error "FENCE: by which of the fences below work-groups see what others have stored; FENCE_NONE where none goes on"
#endif

#define FENCE_NONE 0
#define FENCE_PTX 1
#define FENCE_CL20 2
#define FENCE_CL30 3

#if FENCE == FENCE_PTX
typedef int Counter;
#define DEVICE_FENCE asm volatile("fence.acq_rel.gpu;" : : : "memory")
#define RAISE(counter, least) atomic_max(counter, least)
#define COUNT(counter) atomic_inc(counter)
#elif FENCE == FENCE_CL20 || FENCE == FENCE_CL30
typedef atomic_int Counter;
#define DEVICE_FENCE atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
#define RAISE(counter, least) atomic_fetch_max_explicit(counter, least, memory_order_relaxed, memory_scope_device)
#define COUNT(counter) atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_device)
#endif

#if FENCE != FENCE_NONE
// Counts this work-group among `groups` of a launch. In launches before it at most `before` were counted, fewer where
// one was cut off: whoever counts first makes up for that, so that no launch depends on how another ended.
INLINE bool is_last_to_arrive(global Counter *arrivals, const int before, const int groups, local int *is_last) {
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    DEVICE_FENCE;
    RAISE(arrivals, before);
    *is_last = COUNT(arrivals) == before + groups - 1;
    DEVICE_FENCE;
  }
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  return *is_last;
}
#endif
