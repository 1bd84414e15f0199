// register_planes: one level of two axes in one pass over memory, for planes that stand side by side in memory.
//
// Planes are the pictures of each band of a spectrum, where the bands of a pixel stand together, or the slices of a
// volume along its innermost axis: neighbours in memory are in neighbouring planes. A work-item has a run of one plane,
// RUN pairs of columns and the halo beside them (core/run.cl), and sweeps along a segment of it, a pair of rows at a
// time. Along x it lifts the run of each row by itself; along y all columns of the run go through a pipeline in
// registers (core/ring.cl), as in register_columns. The border is lifted like the inside, of a plane that goes on
// beyond it.
//
// Work-items of a work-group have neighbouring planes, and then neighbouring runs of them, so that what they load and
// store stands together, and a cache has the halo that two of them read.
//
// After the single loop of Barina and Zemcik 2015, for each plane by itself.
// Cost per sample: 1 global read and 1 write, and (REACH_LO + REACH_HI) / RUN reads more that a cache has mostly;
// REACH_LO + REACH_HI pairs of rows more are read per segment. No barrier; local memory for the places of columns.
// Limited by memory where planes are large: on an NVIDIA H100, one level of 2048 x 2048 x 32 by 9/7 in f32 takes 388 us
// (inverse 385), of 2048 x 2048 x 16 in f64 387 (381), where copies take 357 and 351; by register_columns, a pass per
// axis, 781. Where planes are small, by instructions, most of them for the halo: 256 x 128 x 128 takes 17 us (19), a
// copy 11.
//
// Where a column is, a work-item asks local memory for each row. With a way of its own for runs that need not ask,
// because all of their columns exist, its loads stand under a condition, and 2048 x 2048 x 32 takes 411 us (441). Rows
// that are loaded a pair ahead make that way as fast as the way for all (376 and 382), and the one for all slower (477
// and 401).

#include "core/picture.cl"
#include "core/ring.cl"
#include "core/run.cl"
#include "core/small_sub_groups.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
#ifndef COLUMN_STRIDE
#error "COLUMN_STRIDE: how far neighbours in a row are apart, of the signal and of a sub-band alike; 0 where that is not the same"
#endif
#ifndef X_FIRST
#error "X_FIRST: 1 where this launch, in its direction, lifts along x before y"
#endif

// The arguments besides the geometry.
typedef struct {
  int together;  // neighbouring planes whose runs a work-group has side by side
  int blocks;    // of so many planes
  int runs, segments;
  int pairs_per_segment;
  int periodic;  // whether planes go on from their other end
} RegisterPlanes;

// Samples of a row that are loaded, and columns in the pipeline, of which the first is one of these.
#define RUN_COLUMNS (2 * RUN_LOADED)
#define FIRST_PIPED (X_FIRST ? 2 * REACH_LO : 0)
#define PIPED_COLUMNS (X_FIRST ? 2 * RUN : RUN_COLUMNS)

// Which run of which plane a work-item has.
typedef struct {
  Picture plane;
  Distance signal_stride;    // how far neighbours in a row of it are apart
  int boundary, periodic;
  int begin;                 // the pair of columns with which its halo begins
  local int (*x_at)[GROUP];  // which column is loaded for each of them
} PlaneRun;

// --- rows --------------------------------------------------------------------------------------------

// How far neighbours in a row are apart: `stride`, unless the compiler knows it. Where it does not, 2048 x 2048 x 32 in
// f32 by 9/7 took 1.19 times as long (inverse 1.1) on an NVIDIA H100.
#define STRIDE_OR(stride) (COLUMN_STRIDE ? COLUMN_STRIDE : (stride))

// The columns of a row of channel cy from `first` on, of which a row of the signal has every one and a row of a
// sub-band every other one.
#define EVERY (FORWARD ? 1 : 2)
INLINE void load_columns_of_run(const PlaneRun *run, global const LOADED *row, const Distance stride, const int first,
                                const int cy, A *v) {
  UNROLL for (int i = first; i < RUN_COLUMNS; i += EVERY)
    v[i] = LOAD_2D(i & 1, cy, row[run->x_at[i][get_local_id(0)] / EVERY * stride]);
}

// Row `place`, which may be beyond the border, of channel cy.
INLINE void load_row_of_run(const PlaneRun *run, const int place, const int cy, A *v) {
  const Picture *const plane = &run->plane;
  const int y = place_to_load(place, plane->height, run->periodic);
#if FORWARD
  load_columns_of_run(run, plane->signal + y * plane->signal_pitch, run->signal_stride, 0, cy, v);
#else
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    const int n = 2 * cy + cx;
    load_columns_of_run(run, band_row_at(plane, n, y >> 1), STRIDE_OR(plane->band_stride[n]), cx, cy, v);
  }
#endif
}

// Stores the results of a run in row y.
INLINE void store_row_of_run(const PlaneRun *run, const int y, const int cy, const A *v) {
  const Picture *const plane = &run->plane;
  const int own = run->begin + REACH_LO;
#if FORWARD
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    const int n = 2 * cy + cx, count = COUNT_OF(cx, plane->width);
    const Distance stride = STRIDE_OR(plane->band_stride[n]);
    global T *const row = band_row_at(plane, n, y >> 1) + own * stride;
    UNROLL for (int i = 0; i < RUN; ++i)
      if (own + i < count) row[i * stride] = STORE_2D(cx, cy, v[2 * i + cx]);
  }
#else
  global S *const row = plane->signal + y * plane->signal_pitch + 2 * own * run->signal_stride;
  UNROLL for (int i = 0; i < 2 * RUN; ++i)
    if (2 * own + i < plane->width) row[i * run->signal_stride] = STORE_2D(i & 1, cy, v[i]);
#endif
}

// --- sweep -------------------------------------------------------------------------------------------

// Lifts the pairs of rows from `from` to `to`.
INLINE void sweep_run(const PlaneRun *run, const int from, const int to) {
  A s[RING][PIPED_COLUMNS], d[RING][PIPED_COLUMNS];
  const int begin = from - REACH_LO, end = to + LAST_LAG, last = to + REACH_HI - 1;
  const Inside inside = inside_of(run->plane.height, false);
  UNROLL for (int i = 0; i < RING; ++i) UNROLL for (int c = 0; c < PIPED_COLUMNS; ++c) s[i][c] = d[i][c] = 0;

  for (int p = begin; p < end; p += ROUND) {
    UNROLL for (int phase = 0; phase < ROUND; ++phase) {
      const int newest = p + phase, done = newest - LAST_LAG;
      if (newest >= end) return;
      A rows[2][RUN_COLUMNS];
      UNROLL for (int cy = 0; cy < 2; ++cy) load_row_of_run(run, 2 * min(newest, last) + cy, cy, rows[cy]);
      if (X_FIRST)
        UNROLL for (int cy = 0; cy < 2; ++cy) lift_run(run->boundary, run->plane.width, run->begin, rows[cy]);
      UNROLL for (int c = 0; c < PIPED_COLUMNS; ++c) {
        s[phase][c] = rows[0][FIRST_PIPED + c];
        d[phase][c] = rows[1][FIRST_PIPED + c];
      }
      lift_in_ring(s[0], d[0], PIPED_COLUMNS, phase, newest, &inside, run->boundary);
      if (done < from) continue;
      UNROLL for (int c = 0; c < PIPED_COLUMNS; ++c) {
        rows[0][FIRST_PIPED + c] = s[RING_AT(LAST_LAG)][c];
        rows[1][FIRST_PIPED + c] = d[RING_AT(LAST_LAG)][c];
      }
      UNROLL for (int cy = 0; cy < 2; ++cy) {
        if (!X_FIRST) lift_run(run->boundary, run->plane.width, run->begin, rows[cy]);
        if (2 * done + cy < run->plane.height) store_row_of_run(run, 2 * done + cy, cy, rows[cy] + 2 * REACH_LO);
      }
    }
  }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SMALL_SUB_GROUPS
void register_planes(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterPlanes own) {
  local int x_at[RUN_COLUMNS][GROUP];
  int rest = get_group_id(0) * GROUP + get_local_id(0);
  const int beside = rest % own.together;
  rest /= own.together;
  const int number = rest % own.runs;
  rest /= own.runs;
  const int block = rest % own.blocks;
  rest /= own.blocks;
  const int segment = rest % own.segments, outer = rest / own.segments, side = block * own.together + beside;
  if (outer >= pass.across[2] || side >= pass.across[1]) return;

  PlaneRun run;
  run.plane = picture_at(signal, bands, low, &pass, outer * pass.across[1] + side);
  run.signal_stride = STRIDE_OR(pass.signal.line.detail);
  run.boundary = pass.boundary;
  run.periodic = own.periodic;
  run.begin = number * RUN - REACH_LO;
  run.x_at = x_at;
  for (int i = 0; i < RUN_COLUMNS; ++i)
    x_at[i][get_local_id(0)] = place_to_load(2 * run.begin + i, run.plane.width, own.periodic);
  const int from = segment * own.pairs_per_segment, count = S_COUNT(run.plane.height);
  sweep_run(&run, from, min(from + own.pairs_per_segment, count));
}
