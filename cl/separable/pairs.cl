// Pairs lifted by one work-item in its registers, without any exchange (Blazewicz et al. 2012).
//
// The work-item has s[] and d[] of its PAIRS_LIFTED pairs and of the REACH_LO before and the REACH_HI after them that their
// results depend on; step k runs on as many of them as later steps still need. For 9/7, four pairs are 15 samples loaded for
// 8 results, one pair is 9 for 2.

#include "separable/borders.cl"

#ifndef PAIRS_LIFTED
#error "PAIRS_LIFTED: pairs that one work-item lifts together"
#endif

#define PAIRS_LOADED (REACH_LO + PAIRS_LIFTED + REACH_HI)

#define REGISTER_s(offset) s[n + (offset)]
#define REGISTER_d(offset) d[n + (offset)]
#define REGISTER_STEP(k, target, source, first, last, before, after)                    \
  UNROLL for (int n = REACH_LO - (before); n < REACH_LO + PAIRS_LIFTED + (after); ++n)  \
    target[n] = LIFT_##k(target[n], REGISTER_##source);

INLINE void lift_pairs(A *s, A *d) { LIFT_STEPS(REGISTER_STEP) }
