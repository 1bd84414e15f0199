// Which part of a level a work-group of `pyramid` has along one axis.
//
// A work-group stores a tile: of the coarsest level (forward), whose finer levels are then twice as large each, or of
// the picture (inverse). Around it, it lifts what the levels that follow read. Forward, the pairs of a level are wanted
// as samples of the coarser one, with the reach around them: going finer, the halo doubles. Inverse, the samples of a
// level are wanted as approximations of the finer one: going coarser, the halo is halved before the reach is added, and
// stays short.

#include "core/picture.cl"
#include "core/run.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif

// The arguments besides the geometry.
typedef struct {
  int levels;                  // taken, the finest is number 0
  int tile_x, tile_y;          // pairs of a tile
  int tiles_x, tiles_y;        // tiles of a picture
  int periodic_x, periodic_y;  // whether the picture goes on by repetition, not mirrored
  int interleaved;             // whether coefficients stay where their samples were
  int kept_row, lifted_row;    // places from one row to the next in local memory
  int lifted;                  // where the results of the first axis begin there
} Pyramid;

typedef struct {
  int samples;             // of the level
  int lo, hi;              // the pairs that are lifted, those beyond the border not
  int first;               // the first of them, along x rounded down to where a run begins
  int from, to;            // the samples on which they depend
  int own_lo, own_hi;      // the pairs that are stored
  int kept_from;           // the first sample of the low band that the level before has left in local memory
  int periodic;
  Distance in_signal;      // from one sample of the signal to the next
  Distance in_bands;       // from one pair to the next in a sub-band
  Distance to_details;     // from the approximations to the details
  Distance in_low;         // from one approximation of the coarsest level to the next
  int in_kept, in_lifted;  // from one sample to the next in local memory: of the low band, after the first axis
} Extent;

// Runs along x begin at multiples of their length, so that their results are aligned vectors.
INLINE int first_of_runs(const int lo, const bool along_x) { return along_x ? lo & ~(RUN - 1) : lo; }

// What the work-group of tile `number` has of a level, for an axis on which the finest level has `length` samples.
static inline Extent extent_of(const int length, const int level, const int levels, const int tile, const int number,
                               const bool periodic, const bool along_x) {
  Extent e;
  e.samples = HALVED(length, level);
  const int count = S_COUNT(e.samples), begin = number * tile;
#if FORWARD
  const int finer = levels - 1 - level, around = (2 << finer) - 2;
  const int end = min(begin + tile, HALVED(length, levels));
  e.own_lo = begin << finer;
  e.own_hi = min(end << finer, count);
  e.lo = e.own_lo - around * REACH_LO;
  e.hi = (end << finer) + around * REACH_HI;
#else
  const int around = (1 << level) - 1, end = min(begin + tile, S_COUNT(length));
  e.own_lo = begin;
  e.own_hi = end;
  e.lo = (begin - around * REACH_LO) >> level;
  e.hi = (end + around * (REACH_HI + 1)) >> level;
#endif
  e.periodic = periodic;
  if (!periodic) e.lo = max(e.lo, 0), e.hi = min(e.hi, count);
  e.first = first_of_runs(e.lo, along_x);
  e.from = 2 * (e.lo - REACH_LO);
  e.to = 2 * (e.hi + REACH_HI);
  const int kept = periodic ? e.from : max(e.from, 0);
  e.kept_from = FORWARD ? first_of_runs(kept, along_x) : 2 * first_of_runs(kept >> 2, along_x);
  return e;
}

// Sets where the samples along an axis stand in memory; `line` is the axis on the sub-band side of the finest level.
INLINE void set_strides(Extent *e, const Axis line, const int level, const Pyramid *own) {
  const Distance stride = line.stride;
  e->in_bands = own->interleaved ? stride << level : stride;
  e->to_details = own->interleaved ? e->in_bands / 2 : S_COUNT(e->samples) * stride;
}

// One past the last result along an axis.
INLINE int results_end(const Extent *e) { return e->periodic ? 2 * e->hi : min(2 * e->hi, e->samples); }

// Where a sample that may lie beyond the border is read: in the picture (x), and in the low band that the level before
// has left in local memory (y). Of a picture that repeats itself there is more in local memory than in the picture.
// What no result depends on is read anywhere.
static inline int2 place_of_sample(const Extent *e, const int place) {
  const int in_picture = place_in_signal(place, e->samples, e->periodic);
  const int lo = e->periodic ? e->from : max(e->from, 0), hi = e->periodic ? e->to : min(e->to, e->samples);
  const int wanted = clamp(e->periodic ? place : in_picture, lo, hi - 1);
  return (int2)(in_picture, (FORWARD ? wanted : wanted >> 1) - e->kept_from);
}

// How many samples along an axis the first axis reads, with those that runs read beyond.
INLINE int samples_read(const Extent *e) { return 2 * (e->hi - e->first + REACH_LO + REACH_HI + RUN); }

// Sets the places of all of them, along both axes at a time: they take many instructions each, and many work-items read
// the same ones.
INLINE void set_places(const Extent *x, const Extent *y, local int2 *x_at, local int2 *y_at) {
  const int columns = samples_read(x), all = columns + samples_read(y);
  for (int i = get_local_id(0); i < all; i += GROUP) {
    if (i < columns)
      x_at[i] = place_of_sample(x, 2 * (x->first - REACH_LO) + i);
    else
      y_at[i - columns] = place_of_sample(y, 2 * (y->first - REACH_LO) + i - columns);
  }
}
