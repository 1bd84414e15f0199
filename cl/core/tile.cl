// Lifts a tile in local memory along both axes under any boundary rule, for kernels whose work-groups have one there.
//
// Cost: a barrier per step and axis; for each sample of a step its taps and two accesses more to local memory.
// Limited by the latency of both.

#include "core/boundary.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
#ifndef X_FIRST
#error "X_FIRST: 1 where this launch, in its direction, lifts along x before y"
#endif

// The lines of a tile along one axis.
typedef struct {
  int samples;    // of a line
  int apart;      // places from one sample to the next
  int lines;
  int next_line;  // places from one line to the next
} TileLines;

INLINE A tile_sample(local const L *line, const int boundary, const int parity, const int index,
                     const TileLines *lines) {
  const int mapped = map_index(boundary, parity, index, lines->samples);
  return mapped < 0 ? (A)0 : (A)line[(2 * mapped + parity) * lines->apart];
}

// A target of a step: sample n of its channel in line `line`. Neighbouring work-items take neighbouring lines, so they
// are at the border together; the next target of a work-item is GROUP further.
typedef struct {
  int n, line;
} Target;

static inline Target first_target(const TileLines *lines) {
  const Target target = {get_local_id(0) / lines->lines, get_local_id(0) % lines->lines};
  return target;
}

static inline Target next_target(const Target from, const TileLines *lines) {
  Target target = {from.n + GROUP / lines->lines, from.line + GROUP % lines->lines};
  if (target.line >= lines->lines) ++target.n, target.line -= lines->lines;
  return target;
}

INLINE local L *place_of_target(local L *tile, const Target at, const int parity, const TileLines *lines) {
  return tile + at.line * lines->next_line + (2 * at.n + parity) * lines->apart;
}

#define TILE_s(offset) tile_sample(tile + t.line * lines.next_line, boundary, 0, t.n + (offset), &lines)
#define TILE_d(offset) tile_sample(tile + t.line * lines.next_line, boundary, 1, t.n + (offset), &lines)
#define TILE_STEP(k, target, source, first, last, before, after)                                              \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                               \
  for (Target t = first_target(&lines); t.n < COUNT_##target(lines.samples); t = next_target(t, &lines)) {  \
    local L *const place = place_of_target(tile, t, PARITY_##target, &lines);                                 \
    *place = (L)LIFT_##k((A)*place, TILE_##source); }

// Work-groups without a tile pass sizes of 0: they must reach every barrier, as PoCL 3.1 goes wrong where a
// barrier is under a condition.
INLINE void lift_tile_lines(local L *tile, const int boundary, TileLines lines) {
  lines.lines = max(lines.lines, 1);  // no division by 0
  LIFT_STEPS(TILE_STEP)
}

// Lifts both axes of a tile, `row` places from one row to the next, and waits until it is done.
INLINE void lift_tile(local L *tile, const int boundary, const int width, const int height, const int row) {
  const TileLines along_x = {width, 1, height, row}, along_y = {height, row, width, 1};
  lift_tile_lines(tile, boundary, X_FIRST ? along_x : along_y);
  lift_tile_lines(tile, boundary, X_FIRST ? along_y : along_x);
  barrier(CLK_LOCAL_MEM_FENCE);
}
