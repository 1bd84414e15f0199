// transpose: makes lines that are neighbours in memory lines in one piece, or back. So columns become rows for a row
// pass (Blazewicz et al. 2012), at the price of two passes more over memory.
//
// A work-group moves a tile of SIDE lines and SIDE places of each through local memory, so that neighbouring work-items
// read neighbours and write neighbours. Lines in one piece have their samples in the signal's order, or planar.
//
// Cost per sample: 1 global read and 1 write, 1 local write and 1 read; two barriers; SIDE * (SIDE + 1) samples and 2 *
// SIDE lines of local memory. Limited by global memory: lines are found once per tile. When each sample found its own,
// a level of 8192 x 8192 with such columns took 1765 us instead of 947 (NVIDIA H200, 9/7 in f32).

#include "core/pass.cl"

#if !defined(SIDE) || !defined(WORK_Y)
#error "SIDE, WORK_Y: lines and places of a tile, and the rows of its work-items, each SIDE long"
#endif

// The arguments besides the geometry.
typedef struct {
  int tiles_across;  // side by side over the lines
  int from_columns;  // 1 where lines are read that are neighbours in memory, 0 where they are written
  int planar;        // 1 where lines in one piece have their approximations first
} Transposition;

// Place `m` of a line, counted as in the line that is in one piece.
INLINE global T *place_in_line(const Line line, const int m, const int samples, const int planar) {
  const int s_count = S_COUNT(samples), channel = planar ? m >= s_count : m & 1;
  const int p = planar ? m - channel * s_count : m >> 1;
  return channel ? line.d + p * line.d_stride : line.s + p * line.s_stride;
}

kernel __attribute__((reqd_work_group_size(SIDE, WORK_Y, 1)))
void transpose(global T *signal, global T *bands, global T *low, const Pass pass, const Transposition own) {
  // One unused place per row keeps the places of a column in different banks.
  local T tile[SIDE][SIDE + 1];
  local Line in[SIDE], out[SIDE];
  const int x = get_local_id(0), y = get_local_id(1), group = get_group_id(0);
  const int first_line = group % own.tiles_across * SIDE, first_place = group / own.tiles_across * SIDE;
  const int lines = min(SIDE, pass.lines - first_line), places = min(SIDE, pass.samples - first_place);
  if (y == 0 && x < lines) {
    in[x] = input_line(signal, bands, low, &pass, first_line + x);
    out[x] = output_line(signal, bands, low, &pass, first_line + x);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = y; k < SIDE; k += WORK_Y) {
    const int line = own.from_columns ? x : k, place = own.from_columns ? k : x;
    if (line < lines && place < places)
      tile[k][x] = *place_in_line(in[line], first_place + place, pass.samples, own.planar);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = y; k < SIDE; k += WORK_Y) {
    const int line = own.from_columns ? k : x, place = own.from_columns ? x : k;
    if (line < lines && place < places)
      *place_in_line(out[line], first_place + place, pass.samples, own.planar) = tile[x][k];
  }
}
