// short_rows: several levels of short rows, one row per work-item, under any boundary rule.
//
// A work-item has its row in registers, and lifts it alone. The compiler knows how long rows are and by which rule they
// go on, so that what a step reads beyond an end is known as well (core/short_line.cl).
//
// Lines that stand side by side, as the frames of a video along its time do, are such rows, too, as long as registers
// hold them: then neighbouring work-items load neighbours.
//
// Rows of a few samples that follow one another in memory a work-group moves as one piece, by way of local memory,
// where else each store would write a part of a sector.
//
// Ours.
// Cost per sample: 1 global read and 1 write, for all levels; where rows follow one another 2 accesses to local memory
// each way and two barriers, else none. Limited by memory: on an NVIDIA H100, 9/7 in f32 takes 13 us (inverse 12) for
// three levels of 599186 x 7 along its last axis, row by row 25 (27), and 15 (14) for 7 x 599186 along its first one,
// where a copy takes 12. Rows of 8, whose work-items meet in the same banks of local memory, take 18 (18), row by row
// 33 (35). On an NVIDIA H200 five levels along the first axis of 128 x 524288 take 144 us (148), a copy 130.

#include "core/small_sub_groups.cl"
#include "register_rows/short_row_moves.cl"

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SMALL_SUB_GROUPS
void short_rows(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterRows own) {
  const RowTile tile = row_tile(&pass, &own, get_local_id(0));
  A line[LINE_SAMPLES];
#if DENSE_ROWS
  local LOADED all_loaded[GROUP * LINE_SAMPLES];
  local STORED all_stored[GROUP * LINE_SAMPLES];
  // Work-items beyond the last row do as the one before them.
  const int begin = get_group_id(0) * GROUP, count = min(GROUP, pass.lines - begin), item = tile.row - begin;
  global S *const samples = signal_of_row(signal, &pass, begin);
  global T *const coefficients = bands_of_row(bands, low, &pass, begin).s;
  local const LOADED *const loaded = all_loaded + item * LINE_SAMPLES;
  local STORED *const stored = all_stored + item * LINE_SAMPLES;
  fetch_rows(FORWARD ? (global const LOADED *)samples : (global const LOADED *)coefficients, count * LINE_SAMPLES,
             all_loaded);
#else
  if (tile.to == 0) return;
  const int stride = (int)pass.signal.line.detail;
  global S *const samples = signal_of_row(signal, &pass, tile.row);
  const Line bands_row = bands_of_row(bands, low, &pass, tile.row);
  const RowBand lows = low_of_row(bands_row, &pass, &own, &tile);
#endif
  // All loads come before all stores.
#if FORWARD
  UNROLL for (int i = 0; i < LINE_SAMPLES; ++i) line[i] = NUMBER(SIGNAL_AT(i));
  EACH_SHORT_LEVEL(LIFT_SHORT_LEVEL)
  UNROLL for (int j = 0; j < LOWS_OF_LINE; ++j) LOW_AT(j) = SAMPLE(line[j]);
  EACH_SHORT_LEVEL_BACK(STORE_SHORT_DETAILS)
#else
  UNROLL for (int j = 0; j < LOWS_OF_LINE; ++j) line[j] = NUMBER(LOW_AT(j));
  EACH_SHORT_LEVEL_BACK(LOAD_SHORT_DETAILS)
  EACH_SHORT_LEVEL_BACK(LIFT_SHORT_LEVEL)
  UNROLL for (int i = 0; i < LINE_SAMPLES; ++i) SIGNAL_AT(i) = SAMPLE(line[i]);
#endif
#if DENSE_ROWS
  put_rows(all_stored, count * LINE_SAMPLES, FORWARD ? (global STORED *)coefficients : (global STORED *)samples);
#endif
}
