// Lifting along a row as a pipeline of vectors: step k runs X_LAG_k vectors behind the newest, so that all steps are
// done in one go. X_LAST_LAG vectors behind the newest results are done; X_KEPT vectors are kept, the newest included.
// Rust computes all of these.

#include "cpu/vectors.cl"

#if !defined(X_KEPT) || !defined(X_LAST_LAG)
#error "X_KEPT, X_LAST_LAG, X_LAG_0 ..: the schedule of vectors along a row"
#endif

// How many whole vectors further the pixel `offset` is that stands first in a vector, rounded down,
// and at which place there.
#define X_VECTORS(offset) \
  ((offset) < 0 ? -((VECTOR_PIXELS - 1 - (offset)) / VECTOR_PIXELS) : (offset) / VECTOR_PIXELS)
#define X_PLACE(offset) (((offset)-X_VECTORS(offset) * VECTOR_PIXELS) * COLOURS)
// The vector that begins `offset` pairs after the one of age `lag`; most of it can be in a neighbouring vector.
#define X_NEIGHBOURS(channel, offset)                                                                   \
  (X_PLACE(offset) == 0 ? channel[lag - X_VECTORS(offset)]                                              \
                        : SHIFTED(channel[lag - X_VECTORS(offset)],                                     \
                                  channel[lag - X_VECTORS(offset) - (X_PLACE(offset) > 0)], X_PLACE(offset)))
#define X_NEIGHBOURS_s(offset) X_NEIGHBOURS(s, offset)
#define X_NEIGHBOURS_d(offset) X_NEIGHBOURS(d, offset)
#define X_STEP(k, target, source, first, last, before, after) \
  { const int lag = X_LAG_##k;                                \
    target[lag] = LIFT_##k(target[lag], X_NEIGHBOURS_##source); }

// One turn of the pipeline: vectors by age, the newest first.
INLINE void lift_along_x(AV *s, AV *d) { LIFT_STEPS(X_STEP) }

INLINE void shift_delay_line(AV *s, AV *d) {
  UNROLL for (int age = X_KEPT - 1; age > 0; --age) s[age] = s[age - 1], d[age] = d[age - 1];
}
