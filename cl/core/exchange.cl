// Exchange of values between neighbouring work-items of a sub-group of LANES, per vendor.
//
//   SUB_GROUP      which sub-group of its work-group this work-item is in
//   LANE           its place there
//   ITEM           its number, by which those of a sub-group are neighbours
//   from_left(v)   the value that the work-item one place before holds
//   from_right(v)  the value that the work-item one place after holds
//   from_left_in_ring(v, n), from_right_in_ring(v, n)  the same in rings of n work-items, a power of two: each begins
//                  at a multiple of n, and the left of its first one is its last one
//   SUB_GROUP_SIZE the attribute that makes a kernel's sub-groups LANES large, where it can be asked for
// The first (last) work-item gets something of no meaning from its left (right). All work-items of a
// sub-group must call together. SUB_GROUP_FENCE makes what they stored in local memory seen among them.
//
// EXCHANGE says which way: the numbers are the places in Exchange::ALL. Without any way, EXCHANGE_NONE, there
// are no such functions: each work-item loads what it would have got, or gets it through local memory, by
// barriers of its work-group.
//
// What a device says of itself is not trusted: probe.cl asks it to show each of these, before
// any other kernel uses them.

#include "core/wavelet.cl"

#ifndef EXCHANGE
#error "EXCHANGE: by which of the ways below work-items exchange values"
#endif
#ifndef LANES
#error "LANES: work-items in a sub-group; without exchange, as many as a kernel treats as one"
#endif

#define EXCHANGE_NONE 0
#define EXCHANGE_PTX 1
#define EXCHANGE_KHR 2
#define EXCHANGE_INTEL 3
#define EXCHANGE_AMD 4

// Where it cannot be asked for, the host looks at the size that the compiler chose.
#if (EXCHANGE == EXCHANGE_KHR || EXCHANGE == EXCHANGE_INTEL) && defined(cl_intel_required_subgroup_size)
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
// By the number of a lane, of which each segment of n lanes takes the lower bits.
INLINE int from_ring_32(const int by, const int v, const int n) {
  const int lane = LANE + by, segments = (32 - n) << 8 | 31;
  int r;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, 0xffffffff;" : "=r"(r) : "r"(v), "r"(lane), "r"(segments));
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
INLINE int from_ring_32(const int by, const int v, const int n) {
  // From the other end of the ring the way is n - 1 places the other way round.
  const uint around = n - 1, place = LANE & around;
  const int from_before = sub_group_shuffle_up(v, by < 0 ? 1u : around);
  const int from_behind = sub_group_shuffle_down(v, by < 0 ? around : 1u);
  return by < 0 ? (place == 0 ? from_behind : from_before) : (place == around ? from_before : from_behind);
}

#elif EXCHANGE == EXCHANGE_INTEL
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#define SUB_GROUP get_sub_group_id()
#define LANE get_sub_group_local_id()
#define SUB_GROUP_FENCE sub_group_barrier(CLK_LOCAL_MEM_FENCE)
INLINE int from_left_32(const int v) { return intel_sub_group_shuffle_up(v, v, 1u); }
INLINE int from_right_32(const int v) { return intel_sub_group_shuffle_down(v, v, 1u); }
INLINE int from_ring_32(const int by, const int v, const int n) {
  return intel_sub_group_shuffle(v, (LANE & ~(n - 1u)) | ((LANE + by) & (n - 1u)));
}

#elif EXCHANGE == EXCHANGE_AMD
// Sub-groups are 32 consecutive work-items, whether wavefronts have 32 or 64 lanes: with 64, one is the upper half
// of a wavefront, and its work-items are the hardware's lanes 32 to 63. A wavefront reads another lane's register
// by its byte address in a table of 4-byte entries; here from the same half always, since the other may be
// elsewhere in the program.
#if LANES != 32
#error "LANES: AMD's sub-groups are 32 work-items"
#endif
#define HARDWARE_LANE ((int)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)))
#define SUB_GROUP (get_local_id(0) / 32)
#define LANE (get_local_id(0) % 32)
// What a wavefront stores is in local memory in the order of its stores: it is the compiler
// that must not move anything.
#define SUB_GROUP_FENCE \
  { mem_fence(CLK_LOCAL_MEM_FENCE); __builtin_amdgcn_wave_barrier(); mem_fence(CLK_LOCAL_MEM_FENCE); }
INLINE int from_ring_32(const int by, const int v, const int n) {
  const int lane = HARDWARE_LANE;
  return __builtin_amdgcn_ds_bpermute(((lane & ~(n - 1)) | ((lane + by) & (n - 1))) << 2, v);
}
INLINE int from_left_32(const int v) { return from_ring_32(-1, v, 32); }
INLINE int from_right_32(const int v) { return from_ring_32(1, v, 32); }
#endif

#define ITEM ((int)SUB_GROUP * LANES + (int)LANE)

#if EXCHANGE != EXCHANGE_NONE
// Values of each type that the steps compute in, by way of their bits.
INLINE int from_left_int(const int v) { return from_left_32(v); }
INLINE int from_right_int(const int v) { return from_right_32(v); }
INLINE int from_ring_int(const int by, const int v, const int n) { return from_ring_32(by, v, n); }
INLINE float from_ring_float(const int by, const float v, const int n) {
  return as_float(from_ring_32(by, as_int(v), n));
}
INLINE float from_left_float(const float v) { return as_float(from_left_32(as_int(v))); }
INLINE float from_right_float(const float v) { return as_float(from_right_32(as_int(v))); }
#if DOUBLE
#define BOTH_HALVES(move, v) as_double((int2)(move(as_int2(v).x), move(as_int2(v).y)))
INLINE double from_left_double(const double v) { return BOTH_HALVES(from_left_32, v); }
INLINE double from_right_double(const double v) { return BOTH_HALVES(from_right_32, v); }
INLINE double from_ring_double(const int by, const double v, const int n) {
  return as_double((int2)(from_ring_32(by, as_int2(v).x, n), from_ring_32(by, as_int2(v).y, n)));
}
#endif
#define from_left(v) JOIN(from_left_, A)(v)
#define from_right(v) JOIN(from_right_, A)(v)
#define from_left_in_ring(v, n) JOIN(from_ring_, A)(-1, v, n)
#define from_right_in_ring(v, n) JOIN(from_ring_, A)(1, v, n)
#endif
