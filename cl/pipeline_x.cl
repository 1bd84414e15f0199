// Lifting along a row as a pipeline of vectors: step k runs X_LAG_k vectors behind the newest, so that all steps
// are done in one go. X_LAST_LAG vectors behind results are done; X_KEPT vectors are kept, the newest included.

// Vectors by age. A neighbour in the next or the last vector is shifted in.
#define X_SHIFTED(channel, offset)                                                                 \
  ((offset) == 0 ? channel[lag]                                                                    \
   : (offset) > 0                                                                                  \
       ? SHIFTED(channel[lag], channel[(offset) > 0 ? lag - 1 : 0], (offset) > 0 ? (offset) : 0)   \
       : SHIFTED(channel[(offset) < 0 ? lag + 1 : 0], channel[lag],                                \
                 (offset) < 0 ? VECTOR + (offset) : 0))
#define X_SHIFTED_s(offset) X_SHIFTED(s, offset)
#define X_SHIFTED_d(offset) X_SHIFTED(d, offset)
#define X_SWEEP_STEP(k, target, source, first, last, before, after) \
  {                                                                 \
    const int lag = X_LAG_##k;                                      \
    target[lag] = LIFT_##k(target[lag], X_SHIFTED_##source);        \
  }

INLINE void sweep_x(AV *s, AV *d) { LIFT_STEPS(X_SWEEP_STEP) }

INLINE void grow_older(AV *s, AV *d) {
  UNROLL for (int age = X_KEPT - 1; age > 0; --age) s[age] = s[age - 1], d[age] = d[age - 1];
}
