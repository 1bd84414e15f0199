// copy: the yardstick. It reads every byte once and writes it once, 16 bytes per work-item,
// from and to multiples of 16.

kernel void copy(global const uchar *restrict all_from, global uchar *restrict all_to, const ulong bytes,
                 const ulong from_start, const ulong to_start) {
  global const uchar *const from = all_from + from_start;
  global uchar *const to = all_to + to_start;
  const size_t i = get_global_id(0);
  if (i < bytes / 16) ((global uint4 *)to)[i] = ((global const uint4 *)from)[i];
  if (i == bytes / 16)
    for (ulong at = 16 * i; at < bytes; ++at) to[at] = from[at];
}
