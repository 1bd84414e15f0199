// whole_boxes: all levels of small boxes, along one to three axes, in one pass over memory.
//
// A box is a set of samples that depend only on one another: a patch of 8 x 8, a volume of 16^3, a column of 3. A
// work-group brings neighbouring boxes into local memory, lifts them there and stores them; no sample is read
// twice. A level is lifted along one axis after the other. Each time a work-item takes a run of a few pairs and the
// halo around it into its registers (core/run.cl), lifts it, and puts it back when all others have theirs:
// approximations first, then details, as the sub-bands stand in memory. So the next level finds its samples in one
// piece, and boxes need no second place.
//
// Each run is lifted as Blazewicz et al. 2012 lift four pairs. Cost per sample: 1 global read and 1 write for all
// levels; per level and axis two barriers, with 9/7 16 reads and 8 writes of local memory for 8 samples. Limited by
// instructions: on an NVIDIA H100, where a copy takes 13 us, 9/7 in f32 takes 28 us for three levels of 65536 boxes of
// 8 x 8 (inverse 33) and 32 for 8192 of 8 x 8 x 8 (39), by a pass per level and axis 72 and 250; 5/3 in i16 24 and 30.

#include "core/pass.cl"
#include "core/run.cl"
#include "core/small_sub_groups.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group, at least as many as its boxes have runs along any axis"
#endif
#ifndef PLACES
#error "PLACES: samples that local memory holds, with what is unused"
#endif
#ifndef AXES
#error "AXES: how many are lifted, 1 to 3: x, along the lines, and the first ones across them"
#endif
#ifndef X_FIRST
#error "X_FIRST: 1 where this launch lifts along x first and along the outermost axis last, 0 the other way round"
#endif
#ifndef SIDE_BY_SIDE
#error "SIDE_BY_SIDE: 1 where neighbouring boxes are closer in memory than neighbouring samples of a box"
#endif
#ifndef PRE_SHIFT
#error "PRE_SHIFT: bits of each level's pre-shift, 0 for none"
#endif
#ifndef KNOWN
#error "KNOWN: 1 where LEVELS, LENGTH_X, LENGTH_Y, LENGTH_Z and BOXES are set, which are then as in WholeBoxes"
#endif

// The arguments besides the geometry.
typedef struct {
  int levels;
  int length_x, length_y, length_z;  // samples of a box along each axis, 1 where it is not lifted
  int boxes;                         // of a work-group: neighbours along the first axis that is not lifted
  int periodic;                      // whether lines go on by repetition, not mirrored
} WholeBoxes;

// A number for each axis of a work-group's boxes, and from box to box.
typedef struct {
  int x, y, z, box;
} OfAxes;

// How many samples the boxes have before a level.
static inline OfAxes lengths_of_level(const WholeBoxes *own, const int level) {
  const OfAxes lengths = {HALVED(own->length_x, level), HALVED(own->length_y, level), HALVED(own->length_z, level), own->boxes};
  return lengths;
}

// How far neighbours are apart in local memory. Rows begin an odd number of samples apart, so that columns meet all
// banks where boxes do not stand side by side.
static inline OfAxes apart_in_boxes(const WholeBoxes *own) {
  const int x = SIDE_BY_SIDE ? own->boxes : 1, y = (own->length_x | 1) * x, z = own->length_y * y;
  const OfAxes apart = {x, y, z, SIDE_BY_SIDE ? 1 : own->length_z * z};
  return apart;
}
INLINE int place_in_boxes(const OfAxes at, const OfAxes apart) {
  return at.x * apart.x + at.y * apart.y + at.z * apart.z + at.box * apart.box;
}

// The sample of a number, counted as samples follow one another in memory.
static inline OfAxes sample_of_boxes(int number, const OfAxes lengths) {
  OfAxes at;
#if SIDE_BY_SIDE
  at.box = number % lengths.box, number /= lengths.box;
#endif
  at.x = number % lengths.x, number /= lengths.x;
  at.y = number % lengths.y, number /= lengths.y;
#if SIDE_BY_SIDE
  at.z = number;
#else
  at.z = number % lengths.z, at.box = number / lengths.z;
#endif
  return at;
}

// --- between global and local memory -------------------------------------------------------------------

// A work-group's boxes in an array.
typedef struct {
  long start;
  long x, y, z, box;  // how far neighbours are apart
} BoxesInArray;

// On the signal side both channels are interleaved, on the other one all approximations come first.
static inline BoxesInArray boxes_in(const Side *side, const Pass *pass, const int3 at, const bool is_signal) {
  const Axis y = side->across[0], z = side->across[1];
  const BoxesInArray boxes = {line_start(side, pass, at), is_signal ? side->line.detail : side->line.stride,
                              is_signal ? y.detail : y.stride, is_signal ? z.detail : z.stride, side->across[AXES - 1].stride};
  return boxes;
}
INLINE long place_in_array(const BoxesInArray *boxes, const OfAxes at) {
  return boxes->start + at.x * boxes->x + at.y * boxes->y + (AXES > 2 ? at.z * boxes->z : 0) + at.box * boxes->box;
}

// All samples of all boxes: each work-item has as many as a run at most.
#define EACH_SAMPLE(number, all) \
  UNROLL for (int k = 0, number = get_local_id(0); k < 2 * RUN; ++k, number += GROUP) if (number < (all))

// --- lifting -------------------------------------------------------------------------------------------

// Where a pair's sample of a channel stands in a line whose approximations come first.
#define IN_CHANNELS(pair, channel, samples) ((channel) ? S_COUNT(samples) + (pair) : (pair))

// Loads a run with its halo, and lifts it.
INLINE void take_run(const WholeBoxes *own, local const L *line, const int apart, const int samples, const int run,
                     const int boundary, const int shift, A *v) {
  const int begin = run * RUN - REACH_LO;
  UNROLL for (int j = 0; j < 2 * RUN_LOADED; ++j) {
    // Nothing depends on what is further on.
    const int place = min(2 * begin + j, 2 * (S_COUNT(samples) + REACH_HI) - 1);
    const int inside = place_in_signal(place, samples, own->periodic);
    const L sample = line[(FORWARD ? inside : IN_CHANNELS(inside / 2, inside % 2, samples)) * apart];
    v[j] = SCALED_IN((A)sample, j % 2 ? IN_d : IN_s, shift);
  }
  lift_run(boundary, samples, begin, v);
}

INLINE void put_run(local L *line, const int apart, const int samples, const int first, const int shift, const A *v) {
  UNROLL for (int j = 0; j < 2 * RUN; ++j) {
    const int pair = first + j / 2, place = 2 * pair + j % 2;
    const A sample = SCALED_OUT(v[2 * REACH_LO + j], j % 2 ? OUT_d : OUT_s, shift);
    if (place < samples) line[(FORWARD ? IN_CHANNELS(pair, j % 2, samples) : place) * apart] = (L)sample;
  }
}

// The level's pre-shift is with its first axis forward, with its last one inverse.
#define OUTERMOST (AXES - 1)
#define SHIFTED_AXIS (FORWARD == X_FIRST ? 0 : OUTERMOST)

// Lifts all lines of a level along an axis: 0 is x. Where they have two runs at most, each has a branch of its
// own, in which the compiler knows what is beyond the border: on an NVIDIA H100 three levels of 65536 boxes of
// 8 x 8 take 28 us instead of 64, of 16384 of 16 x 16 38 instead of 51 (9/7 in f32), but 4096 of 32 x 32, of
// four runs, 72 instead of 46.
INLINE void lift_along(const WholeBoxes *own, const int level, const int axis, const int boundary, local L *places) {
  const OfAxes apart = apart_in_boxes(own), lengths = lengths_of_level(own, level);
  const int samples = axis == 0 ? lengths.x : axis == 1 ? lengths.y : lengths.z;
  const int apart_along = axis == 0 ? apart.x : axis == 1 ? apart.y : apart.z;
  const OfAxes of_lines = {axis == 0 ? 1 : lengths.x, axis == 1 ? 1 : lengths.y, axis == 2 ? 1 : lengths.z, lengths.box};
  const int lines = of_lines.x * of_lines.y * of_lines.z * of_lines.box, runs = (S_COUNT(samples) + RUN - 1) / RUN;
  const int number = get_local_id(0), run = runs > 1 ? number / lines : 0, shift = axis == SHIFTED_AXIS ? PRE_SHIFT : 0;
  const bool is_busy = number < lines * runs;
  local L *const line = places + place_in_boxes(sample_of_boxes(number - run * lines, of_lines), apart);
  A v[2 * RUN_LOADED];
  const bool is_first = is_busy && run == 0, is_second = is_busy && run == 1;
  if (KNOWN && runs <= 2) {
    if (is_first) take_run(own, line, apart_along, samples, 0, boundary, shift, v);
    if (is_second && runs > 1) take_run(own, line, apart_along, samples, 1, boundary, shift, v);
  } else if (is_busy) {
    take_run(own, line, apart_along, samples, run, boundary, shift, v);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_busy) put_run(line, apart_along, samples, run * RUN, shift, v);
  barrier(CLK_LOCAL_MEM_FENCE);
}

// The k-th level in this launch's order.
INLINE void lift_level_of_boxes(const WholeBoxes *own, const int k, const int boundary, local L *places) {
  const int level = FORWARD ? k : own->levels - 1 - k;
  lift_along(own, level, X_FIRST ? 0 : OUTERMOST, boundary, places);
  if (AXES > 2) lift_along(own, level, 1, boundary, places);
  if (AXES > 1) lift_along(own, level, X_FIRST ? OUTERMOST : 0, boundary, places);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SMALL_SUB_GROUPS
void whole_boxes(global S *signal, global T *bands, global T *low, const Pass pass, const WholeBoxes own) {
  local L places[PLACES];
#if KNOWN
  const WholeBoxes known = {LEVELS, LENGTH_X, LENGTH_Y, LENGTH_Z, BOXES, own.periodic};
#else
  const WholeBoxes known = own;
#endif
  const int neighbours = pass.across[AXES - 1], groups = (neighbours + known.boxes - 1) / known.boxes;
  const int rest = (int)get_group_id(0) / groups, first = ((int)get_group_id(0) - rest * groups) * known.boxes;
#if AXES == 1
  const int3 at = (int3)(first, rest % pass.across[1], rest / pass.across[1]);
#else
  const int3 at = AXES == 2 ? (int3)(0, first, rest) : (int3)(0, 0, first);
#endif
  const BoxesInArray in_signal = boxes_in(&pass.signal, &pass, at, true), in_bands = boxes_in(&pass.bands, &pass, at, false);
  const OfAxes lengths = lengths_of_level(&known, 0), apart = apart_in_boxes(&known);
  const int all = lengths.x * lengths.y * lengths.z * lengths.box, last = neighbours - first - 1;
  EACH_SAMPLE(n, all) {
    OfAxes sample = sample_of_boxes(n, lengths);
    const int place = place_in_boxes(sample, apart);
    // The last work-group has its last box in place of those that are not there.
    sample.box = min(sample.box, last);
#if FORWARD
    places[place] = (L)NUMBER(signal[place_in_array(&in_signal, sample)]);
#else
    places[place] = (L)NUMBER(bands[place_in_array(&in_bands, sample)]);
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#if KNOWN
  UNROLL for (int k = 0; k < LEVELS; ++k) lift_level_of_boxes(&known, k, pass.boundary, places);
#else
  // PoCL's optimiser takes a loop that might not run, with barriers inside, for another one.
  int k = 0;
  do {
    lift_level_of_boxes(&known, k, pass.boundary, places);
  } while (++k < own.levels);
#endif
  EACH_SAMPLE(n, all) {
    const OfAxes sample = sample_of_boxes(n, lengths);
    const A number = (A)places[place_in_boxes(sample, apart)];
    if (sample.box > last) continue;
#if FORWARD
    bands[place_in_array(&in_bands, sample)] = SAMPLE(number);
#else
    signal[place_in_array(&in_signal, sample)] = SAMPLE(number);
#endif
  }
}
