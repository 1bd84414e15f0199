// Lifting across rows as a pipeline: step k runs Y_LAG_k pairs of rows behind the newest, so that all steps are done in
// one go. Y_LAST_LAG pairs behind the newest results are done. Rust computes all of these.
//
// The rows of the last Y_KEPT pairs lie in a ring, at most ROW numbers apart: the kernel chooses how far. What a later
// pair of rows still needs of a step's result goes back to its row, and Y_OLDEST_s and Y_OLDEST_d say for how long it
// does.

#include "cpu/vectors.cl"

#if !defined(Y_KEPT) || !defined(Y_LAST_LAG) || !defined(Y_OLDEST_s) || !defined(Y_OLDEST_d)
#error "Y_KEPT, Y_LAST_LAG, Y_OLDEST_s, Y_OLDEST_d, Y_LAG_0 ..: the schedule of pairs of rows"
#endif
#ifndef ROW
#error "ROW: numbers in a row of the ring, at most"
#endif

#define Y_NEIGHBOURS_s(offset) s[lag - (offset)]
#define Y_NEIGHBOURS_d(offset) d[lag - (offset)]
#define Y_STEP(k, target, source, first, last, before, after) \
  { const int lag = Y_LAG_##k;                                \
    target[lag] = LIFT_##k(target[lag], Y_NEIGHBOURS_##source); }
#define Y_KEEP_STEP(k, target, source, first, last, before, after) \
  if (Y_LAG_##k > 0 && Y_LAG_##k < Y_OLDEST_##target) STORE_V(target[Y_LAG_##k], ring->target[Y_LAG_##k] + i);

#define RING_ROW(pair, cy, row) (ring + ((pair) % Y_KEPT * 2 + (cy)) * (row))

// The rows of the ring, by age.
typedef struct {
  local A *s[Y_KEPT], *d[Y_KEPT];
} Ring;

INLINE void find_ring(Ring *rows, local A *ring, const int p, const int row) {
  UNROLL for (int age = 0; age < Y_KEPT; ++age) {
    rows->s[age] = RING_ROW(p - age + Y_KEPT, 0, row);
    rows->d[age] = RING_ROW(p - age + Y_KEPT, 1, row);
  }
}

// One turn of the pipeline: takes in a vector of the newest pair of rows, gives one of the results.
INLINE void lift_along_y(const Ring *ring, const int i, AV *low, AV *high) {
  AV s[Y_KEPT], d[Y_KEPT];
  s[0] = *low, d[0] = *high;
  UNROLL for (int age = 1; age < Y_KEPT; ++age) s[age] = LOAD_V(ring->s[age] + i);
  UNROLL for (int age = 1; age < Y_KEPT; ++age) d[age] = LOAD_V(ring->d[age] + i);
  LIFT_STEPS(Y_STEP)
  if (Y_OLDEST_s > 0) STORE_V(s[0], ring->s[0] + i);
  if (Y_OLDEST_d > 0) STORE_V(d[0], ring->d[0] + i);
  LIFT_STEPS(Y_KEEP_STEP)
  *low = s[Y_LAST_LAG], *high = d[Y_LAST_LAG];
}
