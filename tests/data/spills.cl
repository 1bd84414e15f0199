// Holds more at once than a work-item has registers, so that every compiler must put some of it in memory:
// scripts/vendors makes sure that it sees that.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void spills(global float *values, const int count) {
  float held[600];
  for (int i = 0; i < 600; ++i) {
    held[i] = values[get_global_id(0) * 600 + i];
  }
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 600; ++k) {
      held[k] += held[(k + 1) % 600] * 0.5f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < 600; ++i) {
    values[get_global_id(0) * 600 + i] = held[i];
  }
}
