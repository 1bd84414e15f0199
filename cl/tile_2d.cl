// tile_2d: lifts a tile in local memory under any boundary rule, for kernels whose work-groups hold one
// (frame_2d.cl).
//
// Cost: a barrier for each step and axis; for each sample of a step its taps and two accesses more to local
// memory. Limited by the latency of both. Not measured on a GPU.

// Places from row to row of a tile: an odd number, so that a column does not stay in one bank of local memory.
#define TILE_ROW(width) ((width) | 1)

INLINE A tile_at(local const T *tile, const int index, const int at) {
  return index < 0 ? (A)0 : (A)tile[at];
}

// Step k on every line of the tile along one axis, of `length` samples, neighbours `apart` places apart;
// the `lines` lines are `next` places apart. Neighbouring work-items take neighbouring lines, so they are at the
// border together; from each sample to a work-item's next it is `down` samples of the channel and `over` lines.
#define TILE_READ(parity, offset)                                                            \
  tile_at(tile, map_index(boundary, parity, n + (offset), length),                           \
          line * next +                                                                      \
              (2 * map_index(boundary, parity, n + (offset), length) + parity) * apart)
#define TILE_AT_s(offset) TILE_READ(0, offset)
#define TILE_AT_d(offset) TILE_READ(1, offset)
#define TILE_COUNT_s S_COUNT(length)
#define TILE_COUNT_d D_COUNT(length)
#define TILE_PARITY_s 0
#define TILE_PARITY_d 1
#define TILE_STEP(k, target, source, first, last, before, after)                             \
  barrier(CLK_LOCAL_MEM_FENCE);                                                              \
  for (int n = first_n, line = first_line; n < TILE_COUNT_##target;) {                       \
    local T *const at = tile + line * next + (2 * n + TILE_PARITY_##target) * apart;         \
    *at = (T)LIFT_##k((A)*at, TILE_AT_##source);                                             \
    n += down;                                                                               \
    line += over;                                                                            \
    if (line >= lines) {                                                                     \
      line -= lines;                                                                         \
      ++n;                                                                                   \
    }                                                                                        \
  }

// A tile of one sample along the axis is left as it is, but passes the same barriers: PoCL 3.1 goes wrong
// where a barrier is under a condition.
INLINE void lift_tile(local T *tile, const int boundary, const int samples, const int apart,
                      const int all_lines, const int next) {
  const int length = samples > 1 ? samples : 0, lines = max(all_lines, 1);
  const int item = get_local_id(0), first_n = item / lines, first_line = item % lines;
  const int down = GROUP / lines, over = GROUP % lines;
  LIFT_STEPS(TILE_STEP)
}

// Both axes of a tile of `width` by `height` samples, `apart` places apart in a row, rows `row` places; waits
// until all of it is done.
INLINE void lift_both(local T *tile, const int boundary, const int width, const int height,
                      const int apart, const int row) {
#if X_FIRST
  lift_tile(tile, boundary, width, apart, height, row);
  lift_tile(tile, boundary, height, row, width, apart);
#else
  lift_tile(tile, boundary, height, row, width, apart);
  lift_tile(tile, boundary, width, apart, height, row);
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
}
