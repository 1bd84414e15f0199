// row_pairs: a row pass, some pairs per work-item. By lifting they are the four or the one of Blazewicz et al. 2012, by
// convolution the one of Galiano et al. 2011. Four are the fastest row pass in Kucis et al. 2014.
//
// A work-group sweeps along its rows, tile after tile (row_tiles.cl); each work-item computes its pairs in registers
// (pairs.cl).
//
// Cost per sample: 1 global read (and 2 * reach more per tile) and 1 write; four barriers per tile; about 2.5 samples
// of local memory per work-item and pair. Limited by local memory traffic: each sample goes in, is read 1 + reach /
// PAIRS_LIFTED times, goes in again and out.
//
// To find a work-item's row takes more instructions than to lift its four pairs: so a work-group sweeps. On an NVIDIA
// H200 8192 x 8192 by 9/7 in f32 takes 183 us, a tile per work-group took 220 (a copy 130), and twice as many
// work-items along a row took some 160.

#include "separable/pairs.cl"
#include "separable/row_tiles.cl"

kernel __attribute__((reqd_work_group_size(ROWS_X, ROWS_Y, 1))) SMALL_SUB_GROUPS
void row_pairs(global T *signal, global T *bands, global T *low, const Pass pass, const RowTiles own) {
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
    put_tile(loaded, tile, x, FACTOR(IN_s), FACTOR(IN_d), pass.shift);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (start + TILE < share.stop) load_tile(&in, pass.samples, x, start + TILE, loaded);

    A s[PAIRS_LOADED], d[PAIRS_LOADED];
    UNROLL for (int j = 0; j < PAIRS_LOADED; ++j) {
      s[j] = tile[0][PLACE(PAIRS_LIFTED * x + j)];
      d[j] = tile[1][PLACE(PAIRS_LIFTED * x + j)];
    }
    compute_pairs(s, d);
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (int j = REACH_LO; j < REACH_LO + PAIRS_LIFTED; ++j) {
      tile[0][PLACE(PAIRS_LIFTED * x + j)] = (L)s[j];
      tile[1][PLACE(PAIRS_LIFTED * x + j)] = (L)d[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    store_tile(tile, &out, x, start, share.end, FACTOR(OUT_s), FACTOR(OUT_d), pass.shift);
    barrier(CLK_LOCAL_MEM_FENCE);
    start += TILE;
  } while (start < share.stop);
  lift_borders(signal, bands, low, pass, share.group);
}
