// volume_loop: one level of volumes in one loop, for CPU devices.
//
// A work-group is one work-item. It owns a block of rows and of planes, and sweeps through the planes, down the rows of each as
// single_loop does; but the results of these stay in local memory until they are lifted along z (third_axis.cl). It starts
// HALO_TOP pairs of planes before its own, and beyond the first and the last plane goes on with those that mirror them, or
// with the last and the first: so it serves only where that is as good as following the boundary rule at every step.
//
// Cost per sample: 1 global read and 1 write, and the reach again for each block; along z as along y in single_loop, with the
// ring in a cache of the second level. 256 x 256 x 256 by 9/7 in f32 take 0.87 of the CPU time of a pass along z and one over
// pictures, inverse 0.81 (PoCL 3.1, one thread on Zen 5). Lifted along z as the second plane's results come, without a loop
// of its own, they took 1.1 times as long as those two passes forward.

#include "single_loop/sweep.cl"

#if !OF_VOLUMES || !X_FIRST || INTEGER
#error "steps along z come last in both directions, which only those on reals may"
#endif
#ifndef PLANES
#error "PLANES: numbers of local memory for all planes of the ring"
#endif

// The arguments besides the geometry.
typedef struct {
  int row_blocks, plane_blocks;  // of a volume
  int row_block, plane_block;    // pairs of rows, and of planes, in a block
  int row_extension;             // how rows go on beyond their ends
  int plane_extension;           // the same of planes
} VolumeLoop;

// The plane that stands for plane z of so many, which may lie beyond them.
INLINE int plane_inside(const int z, const int depth, const int extension) {
  return z >= 0 && z < depth ? z : place_inside(z, depth, extension == ROWS_REPEAT);
}

// Plane `z` of volume `number`, as a picture: the same on both sides.
static inline Picture plane_at(global S *signal, global T *bands, global T *low, const Pass *pass, const int number,
                               const int z) {
  const int depth = pass->across[1];
  return picture_at(signal, bands, low, pass, number * depth + (z & 1 ? S_COUNT(depth) : 0) + z / 2);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void volume_loop(global S *signal, global T *bands, global T *low, const Pass pass, const VolumeLoop own) {
  // All rows lie in one array, as Intel's CPU runtime needs it; of vectors, so that they start at whole ones.
  local AV memory[(ROWS * ROW + PLANES) / VECTOR];
  local A *const ring = (local A *)memory + ROWS * ROW;
  const Strip strip = strip_at(0, S_COUNT(pass.samples), pass.samples, own.row_extension);
  Buffers buffers = buffers_at((local A *)memory, &strip);

  const int number = get_group_id(0), rest = number / own.row_blocks, volume = rest / own.plane_blocks;
  const int depth = pass.across[1], height = pass.across[0], first = number % own.row_blocks * own.row_block;
  const int count = min(own.row_block, S_COUNT(height) - first), columns = S_COUNT(pass.samples);
  const int begin = rest % own.plane_blocks * own.plane_block, end = min(begin + own.plane_block, S_COUNT(depth));
  const int channel = (columns + VECTOR - 1) / VECTOR * VECTOR;

  for (int p = begin - HALO_TOP; p < end + Y_LAST_LAG; ++p) {
    const Ring planes = ring_at(ring, p + HALO_TOP, 4 * channel * own.row_block);
    for (int cz = 0; cz < 2; ++cz) {
      const Plane plane = {cz ? planes.d[0] : planes.s[0], first, channel};
      buffers.plane = plane;
      const int z = plane_inside(2 * p + cz, depth, own.plane_extension);
      const Picture picture = plane_at(signal, bands, low, &pass, volume, z);
      sweep_block(&picture, pass.boundary, first, count, &strip, &buffers);
    }
    const int done = max(p - Y_LAST_LAG, begin);
    const Picture low_plane = plane_at(signal, bands, low, &pass, volume, 2 * done);
    const Picture high_plane = plane_at(signal, bands, low, &pass, volume, min(2 * done + 1, depth - 1));
    const int stored = p - Y_LAST_LAG < begin ? 0 : min(2, depth - 2 * done);
    for (int row = 2 * first; row < min(2 * (first + count), height); ++row) {
      const PlaneRows to = {{rows_at(&low_plane, row / 2, 0), rows_at(&high_plane, row / 2, 0)},
                            columns, D_COUNT(pass.samples), stored};
      lift_along_z(&planes, 2 * channel * (row - 2 * first), channel, row % 2, &to);
    }
  }
}
