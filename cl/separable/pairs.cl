// The results of some pairs, by one work-item in its registers and without any exchange.
//
// The work-item has s[] and d[] of its PAIRS_LIFTED pairs and of the REACH_LO before and the REACH_HI after them that
// their results depend on. It lifts them (Blazewicz et al. 2012), step k on as many as later steps still need: for 9/7,
// four pairs are 15 samples needed (16 loaded) for 8 results, one pair is 9 for 2. Or it computes the one pair by the
// taps of both filters (Galiano et al. 2011), for 9/7 in 16 multiplications where lifting one pair on its own takes 12.

#include "core/small_sub_groups.cl"
#include "core/borders.cl"

#ifndef PAIRS_LIFTED
#error "PAIRS_LIFTED: pairs that one work-item lifts together"
#endif

#ifndef CONVOLUTION
#error "CONVOLUTION: 1 where a pair is computed by the taps of the filters, 0 where pairs are lifted"
#endif
#if CONVOLUTION && (INTEGER || PAIRS_LIFTED != 1)
#error "CONVOLUTION: only for reals, which no step rounds, and for PAIRS_LIFTED of 1"
#endif

#define PAIRS_LOADED (REACH_LO + PAIRS_LIFTED + REACH_HI)

#if CONVOLUTION
#define TAP(channel, offset, factor) + (factor) * channel[REACH_LO + (offset)]
INLINE void compute_pairs(A *s, A *d) {
  const A s_result = FILTER_s(TAP), d_result = FILTER_d(TAP);
  s[REACH_LO] = s_result;
  d[REACH_LO] = d_result;
}
// The taps include the scaling.
#define FACTOR(of_channel) ((A)1)
#else
#define REGISTER_s(offset) s[n + (offset)]
#define REGISTER_d(offset) d[n + (offset)]
#define REGISTER_STEP(k, target, source, first, last, before, after)                    \
  UNROLL for (int n = REACH_LO - (before); n < REACH_LO + PAIRS_LIFTED + (after); ++n)  \
    target[n] = LIFT_##k(target[n], REGISTER_##source);

INLINE void compute_pairs(A *s, A *d) { LIFT_STEPS(REGISTER_STEP) }
#define FACTOR(of_channel) (of_channel)
#endif
