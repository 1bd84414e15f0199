// short_rows: several levels of rows of a few samples that follow one another in memory, one row per work-item, under
// any boundary rule.
//
// A work-item has its row in registers, and lifts it alone. The compiler knows how long rows are and by which rule they
// go on, so that what a step reads beyond an end is known as well (core/short_line.cl). A work-group moves its rows as
// one piece, by way of local memory: row by row each store would write a part of a sector.
//
// Ours.
// Cost per sample: 1 global read and 1 write, for all levels; 2 accesses to local memory each way and two barriers.
// Limited by memory: on an NVIDIA H100, 9/7 in f32 takes 13 us (inverse 12) for three levels of 599186 x 7 along its
// last axis, row by row 25 (27), where a copy takes 12. Rows of 8, whose work-items meet in the same banks of local
// memory, take 18 (18), row by row 33 (35).

#include "core/short_line.cl"
#include "core/row.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group, a row each"
#endif

typedef struct {
  int levels;  // which the program knows
} ShortRows;

// Sample i of a work-item's row, approximation j of the last level and detail j of a level, in local memory.
#if FORWARD
#define SIGNAL_AT(i) loaded[i]
#define BANDS_AT(i) stored[i]
#else
#define SIGNAL_AT(i) stored[i]
#define BANDS_AT(i) loaded[i]
#endif
#define LOW_AT(j) BANDS_AT(INTERLEAVED ? (j) << LEVELS : (j))
#define DETAIL_AT(level, j) \
  BANDS_AT(INTERLEAVED ? (2 * (j) + 1) << ((level) - 1) : S_COUNT(SAMPLES_OF_LEVEL(level)) + (j))
#define LOAD_SHORT_DETAILS(level) EACH_DETAIL(level, details[j] = NUMBER(DETAIL_AT(level, j));)
#define STORE_SHORT_DETAILS(level) EACH_DETAIL(level, DETAIL_AT(level, j) = SAMPLE(details[j]);)

// Moves `count` neighbours between global memory and the rows of a work-group.
INLINE void fetch_rows(global const LOADED *from, const int count, local LOADED *to) {
  const int item = get_local_id(0);
  UNROLL for (int k = 0; k < LINE_SAMPLES; ++k)
    if (k * GROUP + item < count) to[k * GROUP + item] = from[k * GROUP + item];
  barrier(CLK_LOCAL_MEM_FENCE);
}
INLINE void put_rows(local const STORED *from, const int count, global STORED *to) {
  barrier(CLK_LOCAL_MEM_FENCE);
  const int item = get_local_id(0);
  UNROLL for (int k = 0; k < LINE_SAMPLES; ++k)
    if (k * GROUP + item < count) to[k * GROUP + item] = from[k * GROUP + item];
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void short_rows(global S *signal, global T *bands, global T *low, const Pass pass, const ShortRows own) {
  local LOADED all_loaded[GROUP * LINE_SAMPLES];
  local STORED all_stored[GROUP * LINE_SAMPLES];
  const int first = get_group_id(0) * GROUP, rows = min(GROUP, pass.lines - first), count = rows * LINE_SAMPLES;
  // Work-items beyond the last row do as the one before them.
  const int row = min((int)get_local_id(0), rows - 1);
  global S *const samples = signal_of_row(signal, &pass, first);
  global T *const coefficients = bands_of_row(bands, low, &pass, first).s;
  local const LOADED *const loaded = all_loaded + row * LINE_SAMPLES;
  local STORED *const stored = all_stored + row * LINE_SAMPLES;
  A line[LINE_SAMPLES];
  // All loads come before all stores.
#if FORWARD
  fetch_rows(samples, count, all_loaded);
  UNROLL for (int i = 0; i < LINE_SAMPLES; ++i) line[i] = NUMBER(SIGNAL_AT(i));
  EACH_SHORT_LEVEL(LIFT_SHORT_LEVEL)
  UNROLL for (int j = 0; j < LOWS_OF_LINE; ++j) LOW_AT(j) = SAMPLE(line[j]);
  EACH_SHORT_LEVEL_BACK(STORE_SHORT_DETAILS)
  put_rows(all_stored, count, coefficients);
#else
  fetch_rows(coefficients, count, all_loaded);
  UNROLL for (int j = 0; j < LOWS_OF_LINE; ++j) line[j] = NUMBER(LOW_AT(j));
  EACH_SHORT_LEVEL_BACK(LOAD_SHORT_DETAILS)
  EACH_SHORT_LEVEL_BACK(LIFT_SHORT_LEVEL)
  UNROLL for (int i = 0; i < LINE_SAMPLES; ++i) SIGNAL_AT(i) = SAMPLE(line[i]);
  put_rows(all_stored, count, samples);
#endif
}
