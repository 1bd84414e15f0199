// Lifting along a row as a pipeline of vectors: step k runs X_LAG_k vectors behind the newest, so that all steps are done
// in one go. X_LAST_LAG vectors behind the newest results are done; X_KEPT vectors are kept, the newest included. Rust
// computes all of these.

#include "cpu/vectors.cl"

#if !defined(X_KEPT) || !defined(X_LAST_LAG)
#error "X_KEPT, X_LAST_LAG, X_LAG_0 ..: the schedule of vectors along a row"
#endif

// The VECTOR numbers from pair `offset` on of the vector of age `lag`, most of which can be in a neighbouring vector.
#define X_NEIGHBOURS(channel, offset)                                                               \
  ((offset) == 0 ? channel[lag]                                                                     \
   : (offset) > 0 ? SHIFTED(channel[lag], channel[(offset) > 0 ? lag - 1 : 0], (offset) > 0 ? (offset) : 0) \
   : SHIFTED(channel[(offset) < 0 ? lag + 1 : 0], channel[lag], (offset) < 0 ? VECTOR + (offset) : 0))
#define X_NEIGHBOURS_s(offset) X_NEIGHBOURS(s, offset)
#define X_NEIGHBOURS_d(offset) X_NEIGHBOURS(d, offset)
#define X_STEP(k, target, source, first, last, before, after) \
  { const int lag = X_LAG_##k;                                \
    target[lag] = LIFT_##k(target[lag], X_NEIGHBOURS_##source); }

// One turn of the pipeline: vectors by age, the newest first.
INLINE void lift_along_x(AV *s, AV *d) { LIFT_STEPS(X_STEP) }

INLINE void grow_older(AV *s, AV *d) {
  UNROLL for (int age = X_KEPT - 1; age > 0; --age) s[age] = s[age - 1], d[age] = d[age - 1];
}
