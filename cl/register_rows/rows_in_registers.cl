// rows_in_registers: several levels of short rows in one pass over memory, where rows are mirrored and end with a run.
//
// As in `register_rows` some work-items of a sub-group have a row together. Their runs go to and from global memory as vectors,
// and stay in registers from level to level, each of which leaves half of a run. Before a step a work-item gets the neighbour that
// its run lacks from the work-item beside it. Beyond an end of the row the other neighbour stands for it: steps read two, and the
// row is mirrored. Where a level has left one sample of each run, local memory makes pairs of them, for half as many work-items.
//
// Cost per sample: 1 global read and 1 write, for all levels. Each level of runs takes an exchange per step, and no local memory;
// the others two accesses for each of their samples, and two fences of a sub-group. Limited by memory: on an NVIDIA H200, 9/7 in
// f32 takes 130 us for three levels of 262144 x 256, as a copy does, by `register_rows` 160; of 2^24 samples in rows of 256 five
// levels take 37 us instead of 51, in i16 by 5/3 26 instead of 42.

#include "core/boundary.cl"
#include "core/exchange.cl"
#include "core/moves.cl"
#include "register_rows/row.cl"

// A work-item's part of a level.
typedef struct {
  int run;                 // its number in the row; another one's for work-items that have none
  bool is_own;             // whether it has one
  bool is_first, is_last;  // of the row
  bool is_alone;           // whether it is an approximation without a detail
} RunPart;

static inline RunPart run_part_of(const RowTile *tile, const int item, const int runs, const int samples) {
  const RunPart part = {min(item, runs - 1), item < runs && tile->to > 0, item == 0, item == runs - 1,
                     item == runs - 1 && samples % 2 == 1};
  return part;
}

// --- between global memory and registers: `count` neighbouring samples, by vectors to which arrays are aligned ----

#define SAMPLES_OF_VECTOR(count, type) min(count, 16 / (int)sizeof(type))

INLINE void load_run_vectors(global const LOADED *from, const int count, LOADED *to) {
  const int size = SAMPLES_OF_VECTOR(count, LOADED);
  UNROLL for (int n = 0; n < count; n += size) LOAD_VECTOR(global, LOADED, size, from + n, to + n)
}

// Every `step`th number of a run.
INLINE void store_run_vectors(const A *from, const int step, const int count, global STORED *to) {
  STORED run[2 * RUN_PAIRS];
  UNROLL for (int n = 0; n < count; ++n) run[n] = SAMPLE(from[n * step]);
  const int size = SAMPLES_OF_VECTOR(count, STORED);
  UNROLL for (int n = 0; n < count; n += size) STORE_VECTOR(global, STORED, size, run + n, to + n)
}

// --- steps: the channels of a run are interleaved -------------------------------------------------------

// Pair n of a channel of a run, or what stands for the one before or after it.
INLINE A pair_or_beside(const A *channel, const int pairs, const int n, const A before, const A after) {
  return n < 0 ? before : n < pairs ? channel[2 * n] : after;
}

#define BESIDE_RUN(offset) pair_or_beside(channel, pairs, n + (offset), before_run, after_run)
#define RUN_STEP_ACROSS(k, target, source, first, last, before, after)                           \
  {                                                                                              \
    A *const channel = samples + PARITY_##source;                                                \
    A before_run = channel[0], after_run = channel[2 * pairs - 2];                               \
    const A beside = (first) < 0 ? from_left(after_run) : from_right(before_run);                \
    if ((first) < 0 && !part->is_first) before_run = beside;                                     \
    if ((first) == 0 && !part->is_last) after_run = beside;                                      \
    if ((first) < 0 && part->is_alone) channel[0] = before_run;                                  \
    UNROLL for (int n = 0; n < pairs; ++n)                                                       \
      samples[2 * n + PARITY_##target] = LIFT_##k(samples[2 * n + PARITY_##target], BESIDE_RUN); \
  }

INLINE void lift_run_across(const RunPart *part, const int pairs, A *samples, const int shift) {
  UNROLL for (int n = 0; n < pairs; ++n) {
    samples[2 * n] = SCALED_IN(samples[2 * n], IN_s, shift);
    samples[2 * n + 1] = SCALED_IN(samples[2 * n + 1], IN_d, shift);
  }
  LIFT_STEPS(RUN_STEP_ACROSS)
  UNROLL for (int n = 0; n < pairs; ++n) {
    samples[2 * n] = (A)(L)SCALED_OUT(samples[2 * n], OUT_s, shift);
    samples[2 * n + 1] = (A)(L)SCALED_OUT(samples[2 * n + 1], OUT_d, shift);
  }
}

// --- levels ------------------------------------------------------------------------------------------

#define LEVEL_SAMPLES(level) HALVED(pass.samples, (level) - 1)
#define DETAILS_OF(level) details_of_row(bands_row, &pass, &tile, level).first
// Approximations that are left of a run after the wide levels.
#define LOWS (2 * RUN_PAIRS >> WIDE_LEVELS)
#define NARROW_LEVELS_UP(DO) \
  UNROLL for (int k = 0; NARROW && k < MOST_NARROW; ++k) if (WIDE_LEVELS + 1 + k <= own.levels) DO(WIDE_LEVELS + 1 + k)
#define NARROW_LEVELS_DOWN(DO) \
  UNROLL for (int k = MOST_NARROW - 1; NARROW && k >= 0; --k) if (WIDE_LEVELS + 1 + k <= own.levels) DO(WIDE_LEVELS + 1 + k)
#define NARROW_PART(level) run_part_of(&tile, item, S_COUNT(LEVEL_SAMPLES(level)), LEVEL_SAMPLES(level))

#if FORWARD
// A wide level leaves the approximations of a run.
#define LIFT_WIDE(level, pairs)                                                                      \
  lift_run_across(&part, pairs, samples, pass.shift);                                                \
  if (part.is_own) store_run_vectors(samples + 1, 2, pairs, DETAILS_OF(level) + part.run * (pairs)); \
  UNROLL for (int n = 1; n < pairs; ++n) samples[n] = samples[2 * n];
#define NARROW_LEVEL(level)                                                               \
  {                                                                                       \
    const RunPart narrow = NARROW_PART(level);                                            \
    const int last = LEVEL_SAMPLES(level) - 1;                                            \
    place[item] = (L)samples[0];                                                          \
    SUB_GROUP_FENCE;                                                                      \
    samples[0] = place[min(2 * item, last)], samples[1] = place[min(2 * item + 1, last)]; \
    SUB_GROUP_FENCE;                                                                      \
    lift_run_across(&narrow, 1, samples, pass.shift);                                     \
    if (narrow.is_own && !narrow.is_alone) DETAILS_OF(level)[item] = SAMPLE(samples[1]);  \
  }
#else
// What is loaded of a level stands behind all that is of coarser ones.
#define LOAD_WIDE(level, pairs) load_run_vectors(DETAILS_OF(level) + part.run * (pairs), pairs, loaded + (pairs));
#define LIFT_WIDE(level, pairs)                       \
  UNROLL for (int n = (pairs) - 1; n >= 0; --n) {     \
    samples[2 * n] = samples[n];                      \
    samples[2 * n + 1] = NUMBER(loaded[(pairs) + n]); \
  }                                                   \
  lift_run_across(&part, pairs, samples, pass.shift);
#define LOAD_NARROW(level) \
  details[k] = DETAILS_OF(level)[min(item, D_COUNT(LEVEL_SAMPLES(level)) - 1)];
#define NARROW_LEVEL(level)                                                        \
  {                                                                                \
    const RunPart narrow = NARROW_PART(level);                                     \
    samples[1] = NUMBER(details[k]);                                               \
    lift_run_across(&narrow, 1, samples, pass.shift);                              \
    if (item < S_COUNT(LEVEL_SAMPLES(level))) place[2 * item] = (L)samples[0];     \
    if (item < D_COUNT(LEVEL_SAMPLES(level))) place[2 * item + 1] = (L)samples[1]; \
    SUB_GROUP_FENCE;                                                               \
    samples[0] = place[min(item, LEVEL_SAMPLES(level) - 1)];                       \
    SUB_GROUP_FENCE;                                                               \
  }
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void rows_in_registers(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterRows own) {
  local L places[GROUP];
  const int item = ITEM % ROW_ITEMS;
  local L *const place = places + (ITEM - item);
  const RowTile tile = row_tile(&pass, &own, ITEM / ROW_ITEMS);
  const RunPart part = run_part_of(&tile, item, pass.samples / (2 * RUN_PAIRS), pass.samples);
  const Line bands_row = bands_of_row(bands, low, &pass, tile.row);
  global S *const signal_run = signal_of_row(signal, &pass, tile.row) + part.run * 2 * RUN_PAIRS;
  LOADED loaded[2 * RUN_PAIRS];
  A samples[2 * RUN_PAIRS];

#if FORWARD
  load_run_vectors(signal_run, 2 * RUN_PAIRS, loaded);
  UNROLL for (int n = 0; n < 2 * RUN_PAIRS; ++n) samples[n] = NUMBER(loaded[n]);
  EACH_WIDE_LEVEL(LIFT_WIDE)
  NARROW_LEVELS_UP(NARROW_LEVEL)
  if (!NARROW && part.is_own) store_run_vectors(samples, 1, LOWS, bands_row.s + part.run * LOWS);
  if (NARROW && tile.to > 0 && item < HALVED(pass.samples, own.levels)) bands_row.s[item] = SAMPLE(samples[0]);

#else
  LOADED details[MOST_NARROW];
  EACH_WIDE_LEVEL(LOAD_WIDE)
  NARROW_LEVELS_UP(LOAD_NARROW)
  if (NARROW) {
    samples[0] = NUMBER(bands_row.s[min(item, HALVED(pass.samples, own.levels) - 1)]);
  } else {
    load_run_vectors(bands_row.s + part.run * LOWS, LOWS, loaded);
    UNROLL for (int n = 0; n < LOWS; ++n) samples[n] = NUMBER(loaded[n]);
  }
  NARROW_LEVELS_DOWN(NARROW_LEVEL)
  EACH_WIDE_LEVEL_BACK(LIFT_WIDE)
  if (part.is_own) store_run_vectors(samples, 1, 2 * RUN_PAIRS, signal_run);
#endif
}
