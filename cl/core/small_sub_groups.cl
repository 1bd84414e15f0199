// SMALL_SUB_GROUPS: the attribute that makes a kernel's sub-groups the smallest that the device has, where that
// can be asked for: these have most registers each. For kernels that keep much there and exchange nothing; others
// say how large theirs are.

#ifndef SMALLEST
#error "SMALLEST: work-items in the smallest sub-groups; 0 where their size is the compiler's choice"
#endif

#if SMALLEST && defined(cl_intel_required_subgroup_size)
#define SMALL_SUB_GROUPS __attribute__((intel_reqd_sub_group_size(SMALLEST)))
#else
#define SMALL_SUB_GROUPS
#endif
