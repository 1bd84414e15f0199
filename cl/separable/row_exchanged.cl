// row_exchanged: a row pass with intermediate results exchanged through local memory, after van der Laan et al. 2011.
//
// A work-group sweeps along its rows, tile after tile (row_tiles.cl), and lifts each tile where it is in local memory.
// A step runs on the tile's pairs and on those around it that later steps still need, dealt out to the work-items of a
// row one by one; a barrier ends it. Van der Laan's work-group has a whole row, which local memory must hold; tiles
// take rows of any length, and steps run on a few pairs twice where two tiles meet, for 9/7 on six of them.
//
// Cost per sample: 1 global read (and 2 * reach more per tile) and 1 write; a barrier per step and two more per tile;
// for each sample of a step its taps and two accesses more to local memory. Limited by these and by the barriers.

#include "core/borders.cl"
#include "separable/row_tiles.cl"

#define SHARED_s(offset) ((A)tile[0][PLACE(n + (offset))])
#define SHARED_d(offset) ((A)tile[1][PLACE(n + (offset))])
#define SHARED_STEP(k, target, source, first, last, before, after)                            \
  for (int n = REACH_LO - (before) + x; n < REACH_LO + TILE + (after); n += ROWS_X)           \
    tile[PARITY_##target][PLACE(n)] = (L)LIFT_##k(SHARED_##target(0), SHARED_##source);       \
  barrier(CLK_LOCAL_MEM_FENCE);

kernel __attribute__((reqd_work_group_size(ROWS_X, ROWS_Y, 1)))
void row_exchanged(global T *signal, global T *bands, global T *low, const Pass pass, const RowTiles own) {
  local L tiles[ROWS_Y][2][TILE_PLACES];
  const int x = get_local_id(0);
  local L (*const tile)[TILE_PLACES] = tiles[get_local_id(1)];
  const RowShare share = share_of_row(&pass, &own);
  const Line in = input_line(signal, bands, low, &pass, share.row);
  const Line out = output_line(signal, bands, low, &pass, share.row);

  int start = share.start;
  T loaded[LOADS];
  load_tile(&in, pass.samples, x, start, loaded);
  // PoCL 3.1 goes wrong with barriers in a loop that may be skipped.
  do {
    put_tile(loaded, tile, x, IN_s, IN_d, pass.shift);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (start + TILE < share.stop) load_tile(&in, pass.samples, x, start + TILE, loaded);
    LIFT_STEPS(SHARED_STEP)
    store_tile(tile, &out, x, start, share.end, OUT_s, OUT_d, pass.shift);
    barrier(CLK_LOCAL_MEM_FENCE);
    start += TILE;
  } while (start < share.stop);
  lift_borders(signal, bands, low, pass, share.group);
}
