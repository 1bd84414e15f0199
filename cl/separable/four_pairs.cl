// Four pairs lifted by one work-item in its registers, without any exchange (Blazewicz et al. 2012).
//
// The work-item has s[] and d[] of its four pairs and of the REACH_LO before and the REACH_HI after them that their
// results depend on; step k runs on as many of them as later steps still need. For 9/7 that is 15 samples loaded for 8
// results.

#include "core/border.cl"
#include "core/pass.cl"

#define PAIRS_LIFTED 4
#define PAIRS_LOADED (REACH_LO + PAIRS_LIFTED + REACH_HI)

#define REGISTER_s(offset) s[n + (offset)]
#define REGISTER_d(offset) d[n + (offset)]
#define REGISTER_STEP(k, target, source, first, last, before, after)                    \
  UNROLL for (int n = REACH_LO - (before); n < REACH_LO + PAIRS_LIFTED + (after); ++n)  \
    target[n] = LIFT_##k(target[n], REGISTER_##source);

INLINE void lift_four_pairs(A *s, A *d) { LIFT_STEPS(REGISTER_STEP) }

// The borders of one line per work-item, by work-groups that count back from -1: they come before those of the inside.
INLINE void lift_borders(global T *signal, global T *bands, global T *low, const Pass pass, const int group) {
  const int size = get_local_size(0) * get_local_size(1);
  const int index = (-1 - group) * size + get_local_id(1) * get_local_size(0) + get_local_id(0);
  if (group < 0 && index < pass.lines) lift_border(INPUT_LINE(index), OUTPUT_LINE(index), pass);
}
