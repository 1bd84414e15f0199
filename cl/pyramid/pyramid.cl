// pyramid: several levels of a picture in one pass over memory.
//
// Each work-group stores a tile of every level, and computes by itself all that it needs of them (pyramid/extent.cl):
// no work-group waits for another. A level is lifted along one axis and then along the other. Each time a work-item
// takes runs of a few pairs and the halo around them into its registers (core/run.cl), so nothing is exchanged but
// through local memory: between the two axes, and the low band between two levels.
//
// Beyond its border a picture goes on as in register_block: mirrored or repeated; where a rule needs more, what is
// beyond the border is set anew before every step.
//
// Each run is lifted as Blazewicz et al. 2012 lift four pairs.
// Cost per sample: 1 global read and 1 write, and more for the halo; two barriers per level, local memory for the
// results of the first axis and a low band. With 9/7 a run of 4 pairs loads 16 samples for 8 that it stores.
//
// On an NVIDIA H200, five levels of 256 x 256 by 9/7 in f32 take 16.3 us (inverse 11.5), by a launch of register_block
// per level 19.5 (21.2), of which an empty launch is 3; where the queue runs empty 24.9 (12.9) and 42.7 (44.0). A level
// that is small takes 1.5 us: limited by the instructions of each sub-group, of which few are at work, and by barriers.
// Work-groups of 512 and 1024 gain nothing, nor do runs of 2 pairs.

#include "core/picture.cl"
#include "core/small_sub_groups.cl"
#include "pyramid/extent.cl"

#ifndef SAMPLES
#error "SAMPLES: along an axis of a level, of which local memory holds where each is read"
#endif
#ifndef PLACES
#error "PLACES: samples that local memory holds, of the low band and after the first axis"
#endif
#ifndef X_FIRST
#error "X_FIRST: 1 where this launch, in its direction, lifts along x before y"
#endif
// Runs go on beyond what is needed, and nothing reads what comes of that.
#ifndef ZEROED
#error "ZEROED: 1 where they find zeros there, so that a simulator sees no read of what was never written"
#endif

// Work-items that are neighbours take neighbouring lines, along y all of them, along x so many: rows in local memory
// are an odd number of places long, so 8 rows of 4 runs of 8 samples each meet no bank of it twice.
#define ROWS_TOGETHER 8

// How a level is worked on along an axis: which lines, and runs on them. An item is a run on a line.
typedef struct {
  int lines_from, lines, runs, items;
  float inverse;  // of the runs of a line along x, of all lines along y
  int unused;  // two are a multiple of 16 bytes
} Work;

static inline Work work_on(const Extent *along, const int lines_from, const int lines_to, const bool along_x) {
  Work work;
  work.lines_from = lines_from;
  work.lines = lines_to - lines_from;
  work.runs = (along->hi - along->first + RUN - 1) / RUN;
  work.items = along_x ? ((work.lines + ROWS_TOGETHER - 1) & ~(ROWS_TOGETHER - 1)) * work.runs : work.lines * work.runs;
  work.inverse = 1.0f / (along_x ? work.runs : work.lines);
  work.unused = 0;
  return work;
}

// `number` over the divisor of which this is the inverse: exact below 2^20, where floats lose less than half an item.
INLINE int quotient(const int number, const float inverse) { return (int)((number + 0.5f) * inverse); }

// Which line and run an item is.
INLINE int2 line_and_run(const Work *work, const int item, const bool along_x) {
  if (along_x) {
    const int rows = (uint)item / ROWS_TOGETHER, block = quotient(rows, work->inverse);
    return (int2)(block * ROWS_TOGETHER + item % ROWS_TOGETHER, rows - block * work->runs);
  }
  const int run = quotient(item, work->inverse);
  return (int2)(item - run * work->lines, run);
}

#ifndef MOST_LEVELS
#error "MOST_LEVELS: levels of a launch, at most"
#endif

// What a work-group has of a level, and how it lifts it along the first axis and the second: read from local memory 16
// bytes at a time.
typedef struct __attribute__((aligned(16))) {
  Extent x, y;
  Work first, second;
} Level;

// --- the first axis ----------------------------------------------------------------------------------

// Both loads are of the line at `place`, which is (x) that in the picture and (y) that in the low band in local memory,
// at the places from `at` on. On the sub-band side a line is of pair `pair_across`, in its channel `parity`.
#if FORWARD
// Loads from the signal, or from the low band that the finer level has left.
INLINE void load_places(const Picture *picture, const int level, const bool is_coarsest, const Extent *along,
                        const Extent *across, const int2 place, local const int2 *at, local const A *kept, A *v) {
  if (level == 0) {
    global const S *const from = picture->signal + place.x * across->in_signal;
    UNROLL for (int j = 0; j < 2 * RUN_LOADED; ++j) v[j] = LOAD_2D(0, 0, from[at[j].x * along->in_signal]);
  } else {
    local const A *const from = kept + place.y * across->in_kept;
    UNROLL for (int j = 0; j < 2 * RUN_LOADED; ++j) v[j] = TAKE_2D(0, 0, from[at[j].y * along->in_kept]);
  }
}
#else
// Loads from the sub-bands, and from the low band that the coarser level has left.
INLINE void load_places(const Picture *picture, const int level, const bool is_coarsest, const Extent *along,
                        const Extent *across, const int2 place, local const int2 *at, local const A *kept, A *v) {
  const int pair_across = place.x >> 1, parity = place.x & 1;
  global const T *const details = picture->band[1] + pair_across * across->in_bands + parity * across->to_details;
  if (parity || is_coarsest) {
    global const T *const from = parity ? details : picture->band[0] + pair_across * across->in_low;
    const Distance stride = parity ? along->in_bands : along->in_low;
    UNROLL for (int j = 0; j < 2 * RUN_LOADED; j += 2) v[j] = NUMBER(from[(at[j].x >> 1) * stride]);
  } else {
    local const A *const from = kept + place.y * across->in_kept;
    UNROLL for (int j = 0; j < 2 * RUN_LOADED; j += 2) v[j] = from[at[j].y * along->in_kept];
  }
  UNROLL for (int j = 1; j < 2 * RUN_LOADED; j += 2)
    v[j] = NUMBER(details[(at[j].x >> 1) * along->in_bands + along->to_details]);
  UNROLL for (int j = 0; j < 2 * RUN_LOADED; j += 2) {
    v[j] = parity ? TAKE_2D(1, 0, v[j]) : TAKE_2D(0, 0, v[j]);
    v[j + 1] = parity ? TAKE_2D(1, 1, v[j + 1]) : TAKE_2D(0, 1, v[j + 1]);
  }
}
#endif

// Lines beyond the border are lifted as well: then what the second axis reads there is in place.
INLINE void lift_first_axis(const Picture *picture, const Pass *pass, const int level, const bool is_coarsest,
                            const Extent *along, const Extent *across, const Work work, local const int2 *along_at,
                            local const int2 *across_at, local const A *kept, local A *lifted) {
  for (int item = get_local_id(0); item < work.items; item += GROUP) {
    const int2 share = line_and_run(&work, item, X_FIRST);
    const int line = share.x, pair = share.y * RUN;
    if (line >= work.lines) continue;
    A v[2 * RUN_LOADED];
    const int2 place = across_at[line + 2 * (across->lo - across->first)];
    load_places(picture, level, is_coarsest, along, across, place, along_at + 2 * pair, kept, v);
    lift_run(pass->boundary, along->samples, along->first + pair - REACH_LO, v);
    local A *const to = lifted + line * across->in_lifted + 2 * pair * along->in_lifted;
    UNROLL for (int j = 0; j < 2 * RUN; ++j) to[j * along->in_lifted] = v[2 * REACH_LO + j];
  }
}

// --- the second axis ---------------------------------------------------------------------------------

typedef JOIN(STORED, 4) RunVector;

// Whether runs of rows are aligned that begin at multiples of RUN in an array of such rows.
INLINE bool are_aligned(global const STORED *array, const Distance in_rows, const Distance from_row_to_row) {
  return !X_FIRST && in_rows == 1 && from_row_to_row % RUN == 0 && (ulong)array % sizeof(RunVector) == 0;
}

// Stores a run of which place `first` is the first, as far as it is within begin .. end: as a vector if it is aligned.
INLINE void store_part(global STORED *line, const Distance stride, const int first, const int begin, const int end,
                       const bool is_aligned, const STORED *done) {
  global STORED *const to = line + first * stride;
  if (is_aligned && first >= begin && first + RUN <= end) {
    *(global RunVector *)to = (RunVector)(done[0], done[1], done[2], done[3]);
  } else {
    UNROLL for (int i = 0; i < RUN; ++i)
      if (first + i >= begin && first + i < end) to[i * stride] = done[i];
  }
}

#if FORWARD
// The line at `place` of the results: details go to their sub-bands, approximations stay for the next level.
INLINE void store_results(const Picture *picture, const int level, const bool is_coarsest, const Extent *along,
                          const Extent *across, const int place, const int pair, local A *kept, const A *v) {
  const int pair_across = place >> 1, parity = place & 1;
  T s[RUN], d[RUN];
  UNROLL for (int i = 0; i < RUN; ++i) {
    s[i] = parity ? STORE_2D(1, 0, v[2 * i]) : STORE_2D(0, 0, v[2 * i]);
    d[i] = parity ? STORE_2D(1, 1, v[2 * i + 1]) : STORE_2D(0, 1, v[2 * i + 1]);
  }
  if (!parity && !is_coarsest) {
    local A *const to = kept + (pair_across - across->first) * across->in_kept + (pair - along->first) * along->in_kept;
    UNROLL for (int i = 0; i < RUN; ++i) to[i * along->in_kept] = KEEP_2D(0, 0, v[2 * i]);
  }
  if (pair_across < across->own_lo || pair_across >= across->own_hi) return;
  global T *const bands = picture->band[1];
  global T *const line = bands + pair_across * across->in_bands + parity * across->to_details;
  const bool is_aligned =
      are_aligned(bands, along->in_bands, across->in_bands | across->to_details | along->to_details);
  const int d_end = min(along->own_hi, D_COUNT(along->samples));
  store_part(line + along->to_details, along->in_bands, pair, along->own_lo, d_end, is_aligned, d);
  if (parity || is_coarsest) {
    global T *const low = parity ? line : picture->band[0] + pair_across * across->in_low;
    store_part(low, parity ? along->in_bands : along->in_low, pair, along->own_lo, along->own_hi, is_aligned && parity,
               s);
  }
}
#else
// The line at `place` of the results: a line of the picture, or of the low band that the next level reads.
INLINE void store_results(const Picture *picture, const int level, const bool is_coarsest, const Extent *along,
                          const Extent *across, const int place, const int pair, local A *kept, const A *v) {
  if (level == 0) {
    STORED done[2 * RUN];
    UNROLL for (int j = 0; j < 2 * RUN; ++j) done[j] = STORE_2D(0, 0, v[j]);
    global S *const line = picture->signal + place * across->in_signal;
    const int begin = 2 * along->own_lo, end = min(2 * along->own_hi, along->samples);
    const bool is_aligned = are_aligned(picture->signal, along->in_signal, across->in_signal);
    store_part(line, along->in_signal, 2 * pair, begin, end, is_aligned, done);
    store_part(line, along->in_signal, 2 * pair + RUN, begin, end, is_aligned, done + RUN);
  } else {
    local A *const to =
        kept + (place - 2 * across->first) * across->in_kept + 2 * (pair - along->first) * along->in_kept;
    UNROLL for (int j = 0; j < 2 * RUN; ++j) to[j * along->in_kept] = KEEP_2D(0, 0, v[j]);
  }
}
#endif

INLINE void lift_second_axis(const Picture *picture, const Pass *pass, const int level, const bool is_coarsest,
                             const Extent *along, const Extent *across, const Work work, local A *kept,
                             local const A *lifted) {
  for (int item = get_local_id(0); item < work.items; item += GROUP) {
    const int2 share = line_and_run(&work, item, !X_FIRST);
    const int place = work.lines_from + share.x, pair = along->first + share.y * RUN, begin = pair - REACH_LO;
    if (share.x >= work.lines) continue;
    A v[2 * RUN_LOADED];
    local const A *const from = lifted + (place - 2 * across->first) * across->in_lifted +
                                (2 * begin - along->from) * along->in_lifted;
    UNROLL for (int j = 0; j < 2 * RUN_LOADED; ++j) v[j] = from[j * along->in_lifted];
    lift_run(pass->boundary, along->samples, begin, v);
    store_results(picture, level, is_coarsest, along, across, place, pair, kept, v + 2 * REACH_LO);
  }
}

// What a work-group has of a level along both axes.
static inline Extent extent_along(const bool along_x, const Picture *picture, const Pass *pass, const Pyramid *own,
                                  const int level, const int number) {
  Extent e = along_x ? extent_of(picture->width, level, own->levels, own->tile_x, number, own->periodic_x, true)
                     : extent_of(picture->height, level, own->levels, own->tile_y, number, own->periodic_y, false);
  set_strides(&e, along_x ? pass->bands.line : pass->bands.across[0], level, own);
  e.in_signal = along_x ? 1 : picture->signal_pitch;
  e.in_low = !pass->has_low ? e.in_bands : along_x ? picture->band_stride[0] : picture->band_pitch[0];
  e.in_kept = along_x ? 1 : own->kept_row;
  e.in_lifted = along_x ? 1 : own->lifted_row;
  return e;
}

static inline Level level_of(const Picture *picture, const Pass *pass, const Pyramid *own, const int level,
                             const int tile_y, const int tile_x) {
  Level all;
  all.x = extent_along(true, picture, pass, own, level, tile_x);
  all.y = extent_along(false, picture, pass, own, level, tile_y);
  const Extent *const first = X_FIRST ? &all.x : &all.y, *const second = X_FIRST ? &all.y : &all.x;
  all.first = work_on(first, second->from, second->to, X_FIRST);
  all.second = work_on(second, 2 * first->lo, results_end(first), !X_FIRST);
  return all;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SMALL_SUB_GROUPS
void pyramid(global S *signal, global T *bands, global T *low, const Pass pass, const Pyramid own) {
  local A places[PLACES];
  local int2 x_at[SAMPLES], y_at[SAMPLES];
  local Level levels[MOST_LEVELS];
  local A *const lifted = places + own.lifted;
  const int tiles = own.tiles_x * own.tiles_y, number = SINGLE ? 0 : (int)get_group_id(0) / tiles;
  const int tile = (int)get_group_id(0) - number * tiles;
  const int tile_y = tile / own.tiles_x, tile_x = tile - tile_y * own.tiles_x;
  const Picture picture = picture_at(signal, bands, low, &pass, number);

  for (int i = get_local_id(0); ZEROED && i < PLACES; i += GROUP) places[i] = 0;
  // A work-item for each level: what each of them would compute for itself takes longer than to lift a small level.
  for (int i = get_local_id(0); i < own.levels; i += GROUP)
    levels[i] = level_of(&picture, &pass, &own, i, tile_y, tile_x);
  barrier(CLK_LOCAL_MEM_FENCE);
  int level = FORWARD ? 0 : own.levels - 1;
  do {
    Level at = levels[level];
    at.x.in_signal = at.x.in_kept = at.x.in_lifted = 1;
    const bool is_coarsest = level == own.levels - 1;
    set_places(&at.x, &at.y, x_at, y_at);
    barrier(CLK_LOCAL_MEM_FENCE);
    lift_first_axis(&picture, &pass, level, is_coarsest, X_FIRST ? &at.x : &at.y, X_FIRST ? &at.y : &at.x, at.first,
                    X_FIRST ? x_at : y_at, X_FIRST ? y_at : x_at, places, lifted);
    barrier(CLK_LOCAL_MEM_FENCE);
    lift_second_axis(&picture, &pass, level, is_coarsest, X_FIRST ? &at.y : &at.x, X_FIRST ? &at.x : &at.y, at.second,
                     places, lifted);
    level += FORWARD ? 1 : -1;
  } while (level >= 0 && level < own.levels);
}
