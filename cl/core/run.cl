// A run: neighbouring pairs of a line and the halo around them, in the registers of one work-item, which lifts them
// alone.
//
// After the four pairs of Blazewicz et al. 2012. v[2 * n + c] is the sample of channel c in pair `begin` + n, of which
// the first REACH_LO are halo.

#include "core/boundary.cl"

// Pairs that a work-item lifts at a time along a line.
#define RUN 4

// Found out at run time, this would be half of all instructions (9/7 in f32, compiled for an NVIDIA H200).
#ifndef RESTORED
#error "RESTORED: 1 where samples beyond the border follow the rule anew at every step; else mirrored or periodic"
#endif
#define RUN_LOADED (REACH_LO + RUN + REACH_HI)

// Whether a run is past either end of its line. Most are not. Where each sample was compared without this,
// `register_planes` took 3.3 times as long for zeros (9/7 in f32, NVIDIA H100).
INLINE bool is_past_an_end(const int begin, const int samples) {
  return begin < 0 || 2 * (begin + RUN_LOADED) > samples;
}

#define IN_RUN_s(offset) v[2 * (n + (offset))]
#define IN_RUN_d(offset) v[2 * (n + (offset)) + 1]
#define RUN_STEP(k, target, source, first, last, before, after)                                         \
  if (RESTORED && is_past_an_end(begin, samples))                                                       \
    set_beyond(v + PARITY_##source, 2, REACH_LO, RUN_LOADED, begin, COUNT_##source(samples), boundary); \
  UNROLL for (int n = REACH_LO - (before); n < REACH_LO + RUN + (after); ++n)                           \
    v[2 * n + PARITY_##target] = LIFT_##k(v[2 * n + PARITY_##target], IN_RUN_##source);

INLINE void lift_run(const int boundary, const int samples, const int begin, A *v) { LIFT_STEPS(RUN_STEP) }
