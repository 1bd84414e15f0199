// rows_in_registers: several levels of short rows that follow one another in memory, in one pass over it.
//
// A sub-group has some neighbouring rows, and moves them between global and local memory as one piece, whatever their
// length. Some of its work-items have a row together: each takes a run of it into its registers, where it stays from
// level to level, each of which leaves half of it (register_rows/runs_across.cl). Coefficients go to the places in
// local memory that they have in global memory. Where a level has left one sample of each run, these places make pairs
// of them, for half as many work-items.
//
// Runs in registers with an exchange beside them are after Enfedaque et al. 2015; that rows stay there for all levels
// is ours. Cost per sample: 1 global read and 1 write, for all levels; 2 accesses to local memory each way; an exchange
// per step and level; no barriers but those of a sub-group. Limited by memory in 32 bits: on an NVIDIA H100, 9/7 in f32
// takes 182 us for three levels of 262144 x 256, as a copy does. Of 2^22 samples, of which a copy takes 12 us, three
// levels take 13 in rows of 256, 16 in rows of 129 (in local memory 23), 18 in rows of 33 (38), interleaved 13 in rows
// of 32 (32). In 16 bits limited by instructions: five levels of 262144 x 256 by 5/3 take 107 us (inverse 99), where a
// copy takes 94.

#include "core/moves.cl"
#include "register_rows/runs_across.cl"

#ifndef MOVED_TOGETHER
#error "MOVED_TOGETHER: samples that move as a vector, to which rows are aligned"
#endif

// Rust takes rows alone that follow one another on both sides, without an array of their own for approximations.
#if !EVEN_ROWS
#error "rows follow one another"
#endif

#define ROWS_OF_SUB_GROUP (LANES / ROW_ITEMS)
#define SUB_GROUP_PLACES PLACE_IN(2 * RUN_PAIRS * LANES)

// Where detail j of a level stands in a row, and approximation j of those that some levels leave.
#define DETAIL_IN(level, j) (INTERLEAVED ? (2 * (j) + 1) << ((level) - 1) : S_COUNT(LEVEL_SAMPLES(level)) + (j))
#define LOW_IN(levels, j) (INTERLEAVED ? (j) << (levels) : (j))
// Place i of the work-item's row.
#define AT(i) places[PLACE_IN(start + (i))]

// Where the vector stands, of all samples of a sub-group, with which a work-item moves its samples from number k on.
#define PLACE_MOVED(k) ((k) * LANES + (int)LANE * MOVED_TOGETHER)
#define EACH_MOVED UNROLL for (int k = 0; k < 2 * RUN_PAIRS; k += MOVED_TOGETHER)

INLINE void fetch_rows_of_sub_group(global const LOADED *from, const int count, local L *places) {
  LOADED loaded[2 * RUN_PAIRS];
  // Under conditions loads would wait for one another: what is too much loads the last ones again.
  EACH_MOVED LOAD_VECTOR(global, LOADED, MOVED_TOGETHER, from + min(PLACE_MOVED(k), count - MOVED_TOGETHER), loaded + k)
  EACH_MOVED
    UNROLL for (int n = 0; n < MOVED_TOGETHER; ++n) places[PLACE_IN(PLACE_MOVED(k)) + n] = (L)NUMBER(loaded[k + n]);
  SUB_GROUP_FENCE;
}

INLINE void store_rows_of_sub_group(local const L *places, const int count, global STORED *to) {
  STORED stored[2 * RUN_PAIRS];
  SUB_GROUP_FENCE;
  EACH_MOVED
    UNROLL for (int n = 0; n < MOVED_TOGETHER; ++n) stored[k + n] = SAMPLE((A)places[PLACE_IN(PLACE_MOVED(k)) + n]);
  EACH_MOVED if (PLACE_MOVED(k) < count) STORE_VECTOR(global, STORED, MOVED_TOGETHER, stored + k, to + PLACE_MOVED(k))
}

// --- levels ------------------------------------------------------------------------------------------

#define PART_OF(level, pairs) run_part_of(item, has_row, pairs, LEVEL_SAMPLES(level))

#if FORWARD
// A wide level leaves the approximations of a run.
#define LIFT_WIDE(level, pairs)                                                                                 \
  {                                                                                                             \
    const RunPart part = PART_OF(level, pairs);                                                                 \
    lift_run_across(&part, pairs, samples, pass.shift, ends);                                                   \
    UNROLL for (int n = 0; n < (pairs); ++n)                                                                    \
      if (part.is_own && n < part.left_d) AT(DETAIL_IN(level, part.run * (pairs) + n)) = (L)samples[2 * n + 1]; \
    UNROLL for (int n = 1; n < (pairs); ++n) samples[n] = samples[2 * n];                                       \
  }
#else
// Places of its runs beyond the end of a row are another one's, or behind all rows, and hold anything, which comes to
// nothing.
#define LIFT_WIDE(level, pairs)                                             \
  {                                                                         \
    const RunPart part = PART_OF(level, pairs);                             \
    UNROLL for (int n = (pairs) - 1; n >= 0; --n) {                         \
      samples[2 * n] = samples[n];                                          \
      samples[2 * n + 1] = (A)AT(DETAIL_IN(level, part.run * (pairs) + n)); \
    }                                                                       \
    lift_run_across(&part, pairs, samples, pass.shift, ends);               \
  }
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void rows_in_registers(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterRows own) {
  local L all_places[GROUP / LANES][SUB_GROUP_PLACES];
  local L all_ends[GROUP / LANES][ROWS_OF_SUB_GROUP][2];
  local L *const places = all_places[SUB_GROUP];
  // Work-items that are left over have no run of the last row.
  const int row = min((int)LANE / ROW_ITEMS, ROWS_OF_SUB_GROUP - 1), item = (int)LANE - row * ROW_ITEMS;
  local L *const ends = all_ends[SUB_GROUP][row];
  const int first = ((int)get_group_id(0) * (GROUP / LANES) + (int)SUB_GROUP) * ROWS_OF_SUB_GROUP;
  const int rows = min(pass.lines - first, ROWS_OF_SUB_GROUP), count = rows * pass.samples;
  if (rows <= 0) return;
  const bool has_row = row < rows;
  const int start = row * pass.samples, lows = HALVED(pass.samples, own.levels);
  global S *const signal_rows = signal_of_row(signal, &pass, first);
  global T *const bands_rows = bands_of_row(bands, low, &pass, first).s;
  A samples[2 * RUN_PAIRS];

#if FORWARD
  fetch_rows_of_sub_group(signal_rows, count, places);
  const int run = PART_OF(1, RUN_PAIRS).run;
  UNROLL for (int n = 0; n < 2 * RUN_PAIRS; ++n) samples[n] = (A)AT(run * 2 * RUN_PAIRS + n);
  SUB_GROUP_FENCE;
  EACH_WIDE_LEVEL(LIFT_WIDE)
#if NARROW
  for (int level = WIDE_LEVELS + 1; level <= own.levels; ++level) {
    // Approximations of the level before, two of which are a pair.
    const RunPart part = PART_OF(level, 1);
    const int last = LEVEL_SAMPLES(level) - 1;
    if (has_row && item <= last) AT(LOW_IN(level - 1, item)) = (L)samples[0];
    SUB_GROUP_FENCE;
    samples[0] = (A)AT(LOW_IN(level - 1, 2 * part.run));
    samples[1] = (A)AT(LOW_IN(level - 1, min(2 * part.run + 1, last)));
    SUB_GROUP_FENCE;
    lift_run_across(&part, 1, samples, pass.shift, ends);
    if (part.is_own && part.left_d > 0) AT(DETAIL_IN(level, item)) = (L)samples[1];
  }
#endif
  UNROLL for (int n = 0; n < LOWS; ++n)
    if (has_row && item * LOWS + n < lows) AT(LOW_IN(own.levels, item * LOWS + n)) = (L)samples[n];
  store_rows_of_sub_group(places, count, bands_rows);

#else
  fetch_rows_of_sub_group(bands_rows, count, places);
  UNROLL for (int n = 0; n < LOWS; ++n) samples[n] = (A)AT(LOW_IN(own.levels, min(item * LOWS + n, lows - 1)));
#if NARROW
  for (int level = own.levels; level > WIDE_LEVELS; --level) {
    const RunPart part = PART_OF(level, 1);
    const int last = LEVEL_SAMPLES(level) - 1;
    samples[1] = (A)AT(DETAIL_IN(level, min(part.run, D_COUNT(last + 1) - 1)));
    SUB_GROUP_FENCE;
    lift_run_across(&part, 1, samples, pass.shift, ends);
    if (part.is_own) AT(LOW_IN(level - 1, 2 * item)) = (L)samples[0];
    if (part.is_own && part.left_d > 0) AT(LOW_IN(level - 1, 2 * item + 1)) = (L)samples[1];
    SUB_GROUP_FENCE;
    samples[0] = (A)AT(LOW_IN(level - 1, min(item, last)));
  }
#endif
  EACH_WIDE_LEVEL_BACK(LIFT_WIDE)
  SUB_GROUP_FENCE;
  const RunPart part = PART_OF(1, RUN_PAIRS);
  const int left = part.left_s + part.left_d;
  UNROLL for (int n = 0; n < 2 * RUN_PAIRS; ++n)
    if (part.is_own && n < left) AT(part.run * 2 * RUN_PAIRS + n) = (L)samples[n];
  store_rows_of_sub_group(places, count, signal_rows);
#endif
}
