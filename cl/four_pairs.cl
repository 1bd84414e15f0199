// Four pairs lifted by one work-item in its registers, without any exchange (Blazewicz et al. 2012).
//
// The work-item holds s[] and d[] for its four pairs and for the REACH_LO before and REACH_HI after them
// that their results depend on; step k runs on as many of them as later steps still need. For 9/7 that
// is 15 samples held for 8 results.

#define PAIRS 4
#define HELD (REACH_LO + PAIRS + REACH_HI)

#define AT_s(offset) s[n + (offset)]
#define AT_d(offset) d[n + (offset)]
#define STEP(k, target, source, first, last, before, after)                        \
  UNROLL for (int n = REACH_LO - (before); n < REACH_LO + PAIRS + (after); ++n)    \
    target[n] = LIFT_##k(target[n], AT_##source);

// The borders of a line for each work-item, where `group` counts back from -1.
INLINE void lift_borders(global T *from, global T *to, global T *corner, const Pass pass, const int group) {
  const int size = get_local_size(0) * get_local_size(1);
  const int index = (-1 - group) * size + get_local_id(1) * get_local_size(0) + get_local_id(0);
  if (group < 0 && index < pass.lines) lift_border(INPUT_LINE(index), OUTPUT_LINE(index), pass);
}

// The pairs of a line that have no border in reach; border.cl does the others.
#define FIRST_INNER REACH_LO
#define END_OF_INNER(samples) (S_COUNT(samples) - REACH_HI - 1)
