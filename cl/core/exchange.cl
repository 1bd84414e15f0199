// Exchange of values between neighbouring work-items of a sub-group of LANES, per vendor.
//
//   SUB_GROUP      which sub-group of its work-group this work-item is in
//   LANE           its place there
//   from_left(v)   the value that the work-item one place before holds
//   from_right(v)  the value that the work-item one place after holds
//   SUB_GROUP_SIZE the attribute that makes a kernel's sub-groups LANES large, where it can be asked for
// The first (last) work-item gets something of no meaning from its left (right). All work-items of a
// sub-group must call together. SUB_GROUP_FENCE makes what they stored in local memory seen among them.
//
// EXCHANGE says which way: the numbers are the places in Exchange::ALL. Without any way, EXCHANGE_NONE, there are no such
// functions: each work-item loads what it would have got, or gets it through local memory, by barriers of its work-group.

#include "core/wavelet.cl"

#ifndef EXCHANGE
#error "EXCHANGE: by which of the ways below work-items exchange values"
#endif
#ifndef LANES
#error "LANES: work-items in a sub-group; without exchange as many as a kernel takes for one, or 1"
#endif

#define EXCHANGE_NONE 0
#define EXCHANGE_PTX 1
#define EXCHANGE_KHR 2
#define EXCHANGE_INTEL 3
#define EXCHANGE_AMD 4

#if EXCHANGE == EXCHANGE_KHR || EXCHANGE == EXCHANGE_INTEL
#define SUB_GROUP_SIZE __attribute__((intel_reqd_sub_group_size(LANES)))
#else
#define SUB_GROUP_SIZE
#endif

#if EXCHANGE == EXCHANGE_NONE
#define SUB_GROUP (get_local_id(0) / LANES)
#define LANE (get_local_id(0) % LANES)

#elif EXCHANGE == EXCHANGE_PTX
// NVIDIA has no sub-groups in OpenCL, but 32 consecutive work-items are a warp, and inline PTX works.
#define SUB_GROUP (get_local_id(0) / 32)
#define LANE (get_local_id(0) % 32)
#define SUB_GROUP_FENCE asm volatile("bar.warp.sync 0xffffffff;" : : : "memory")
INLINE int from_left_32(const int v) {
  int r;
  asm volatile("shfl.sync.up.b32 %0, %1, 1, 0, 0xffffffff;" : "=r"(r) : "r"(v));
  return r;
}
INLINE int from_right_32(const int v) {
  int r;
  asm volatile("shfl.sync.down.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(r) : "r"(v));
  return r;
}

#elif EXCHANGE == EXCHANGE_KHR
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
#define SUB_GROUP get_sub_group_id()
#define LANE get_sub_group_local_id()
#define SUB_GROUP_FENCE sub_group_barrier(CLK_LOCAL_MEM_FENCE)
INLINE int from_left_32(const int v) { return sub_group_shuffle_up(v, 1u); }
INLINE int from_right_32(const int v) { return sub_group_shuffle_down(v, 1u); }

#elif EXCHANGE == EXCHANGE_INTEL
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#define SUB_GROUP get_sub_group_id()
#define LANE get_sub_group_local_id()
#define SUB_GROUP_FENCE sub_group_barrier(CLK_LOCAL_MEM_FENCE)
INLINE int from_left_32(const int v) { return intel_sub_group_shuffle_up(v, v, 1u); }
INLINE int from_right_32(const int v) { return intel_sub_group_shuffle_down(v, v, 1u); }

#elif EXCHANGE == EXCHANGE_AMD
// A wavefront reads another lane's register by its byte address in a table of 4-byte entries.
#define SUB_GROUP (get_local_id(0) / LANES)
#define LANE (get_local_id(0) % LANES)
#define SUB_GROUP_FENCE mem_fence(CLK_LOCAL_MEM_FENCE)
INLINE int from_left_32(const int v) {
  return __builtin_amdgcn_ds_bpermute(((int)LANE - 1) << 2, v);
}
INLINE int from_right_32(const int v) {
  return __builtin_amdgcn_ds_bpermute(((int)LANE + 1) << 2, v);
}
#endif

#if EXCHANGE != EXCHANGE_NONE
#define BOTH_HALVES(move, v) as_double((int2)(move(as_int2(v).x), move(as_int2(v).y)))
#if DOUBLE
INLINE A from_left(const A v) { return BOTH_HALVES(from_left_32, v); }
INLINE A from_right(const A v) { return BOTH_HALVES(from_right_32, v); }
#elif INTEGER
#define from_left(v) from_left_32(v)
#define from_right(v) from_right_32(v)
#else
INLINE A from_left(const A v) { return as_float(from_left_32(as_int(v))); }
INLINE A from_right(const A v) { return as_float(from_right_32(as_int(v))); }
#endif
#endif
