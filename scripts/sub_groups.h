// What the kernels use of sub-groups, for scripts/kernels only: clang has these functions in OpenCL C 2.0 and later, or
// in a header of 17,000 lines, which takes ten times as long to read as a kernel.

#define cl_intel_required_subgroup_size 1

uint get_sub_group_id(void);
uint get_sub_group_local_id(void);
void sub_group_barrier(cl_mem_fence_flags flags);

// cl_khr_subgroup_shuffle_relative
int sub_group_shuffle_up(int value, uint delta);
int sub_group_shuffle_down(int value, uint delta);

// cl_intel_subgroups
int intel_sub_group_shuffle(int value, uint lane);
int intel_sub_group_shuffle_up(int previous, int current, uint delta);
int intel_sub_group_shuffle_down(int current, int next, uint delta);
