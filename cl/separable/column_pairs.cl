// column_pairs: a column pass, four pairs per work-item, in the widened sliding window of Kucis et al. 2014; or one
// pair by convolution (Galiano et al. 2011), in the same window.
//
// A work-group sweeps down a strip of COLUMNS lines that are neighbours in memory. Its window holds the pairs that one
// position computes, PAIRS_LIFTED * ITEMS_Y, and the reach around them: for 9/7, four pairs and ITEMS_Y = 8, 64 + 8
// rows as whole pairs (71 in the paper). Each work-item computes its pairs of one column in registers (pairs.cl) and no
// intermediate result is passed on; the window's rows lie in a ring, so the rows that two positions share stay where
// they are and are read from global memory once. A strip is cut into segments of several positions, so that a large
// device is full; a segment re-reads the reach.
//
// Cost per sample: 1 global read and 1 write, 1 + reach / PAIRS_LIFTED local reads, two barriers per position,
// 2 * WINDOW_PAIRS * COLUMNS samples of local memory. Limited by the latency between a window's loads and its stores.

#include "separable/pairs.cl"

#if !defined(COLUMNS) || !defined(ITEMS_Y)
#error "COLUMNS, ITEMS_Y: the columns of a work-group, and its work-items down each of them"
#endif
#ifndef WINDOW_PAIRS
#error "WINDOW_PAIRS: pairs of rows in the window, those of the reach included"
#endif

// The arguments besides the geometry.
typedef struct {
  int border_groups;          // the first work-groups, which do borders
  int strips;                 // work-groups side by side over the columns
  int positions_per_segment;  // of the window
  int inner_end;              // pairs [REACH_LO, inner_end) depend on no border
} ColumnWindows;

// Pairs from one position of the window to the next.
#define ADVANCE (PAIRS_LIFTED * ITEMS_Y)

// Loads the pairs [start, end) of a segment whose first pair is `top` into the ring, each work-item of column x those
// that are its own by y. Beyond the line the last pair is loaded again: no stored result depends on it.
INLINE void load_window(const Line *in, const Pass *pass, const int top, const int start, const int end,
                        local L (*s_ring)[COLUMNS], local L (*d_ring)[COLUMNS]) {
  const int x = get_local_id(0), y = get_local_id(1);
  const int last_s = S_COUNT(pass->samples) - 1, last_d = D_COUNT(pass->samples) - 1;
  for (int j = start + y; j < end; j += ITEMS_Y) {
    const int p = top + j, row = j % WINDOW_PAIRS;
    s_ring[row][x] = (L)SCALED_IN(NUMBER(in->s[min(p, last_s) * in->s_stride]), FACTOR(IN_s), pass->shift);
    d_ring[row][x] = (L)SCALED_IN(NUMBER(in->d[min(p, last_d) * in->d_stride]), FACTOR(IN_d), pass->shift);
  }
}

kernel __attribute__((reqd_work_group_size(COLUMNS, ITEMS_Y, 1))) SMALL_SUB_GROUPS
void column_pairs(global T *signal, global T *bands, global T *low, const Pass pass, const ColumnWindows own) {
  local L s_ring[WINDOW_PAIRS][COLUMNS], d_ring[WINDOW_PAIRS][COLUMNS];
  const int x = get_local_id(0), y = get_local_id(1);
  // Work-groups below 0 lift the borders (lift_borders), and nothing of a strip.
  const int group = (int)get_group_id(0) - own.border_groups;
  const int index = max(group, 0) % own.strips * COLUMNS + x;
  const int top = max(group, 0) / own.strips * own.positions_per_segment * ADVANCE;
  const Line in = input_line(signal, bands, low, &pass, min(index, pass.lines - 1));
  const Line out = output_line(signal, bands, low, &pass, min(index, pass.lines - 1));

  load_window(&in, &pass, top, 0, REACH_LO + REACH_HI, s_ring, d_ring);
  for (int position = 0; position < own.positions_per_segment; ++position) {
    const int start = position * ADVANCE;
    if (top + start + REACH_LO >= own.inner_end || group < 0) break;
    load_window(&in, &pass, top, start + REACH_LO + REACH_HI, start + WINDOW_PAIRS, s_ring, d_ring);
    barrier(CLK_LOCAL_MEM_FENCE);

    A s[PAIRS_LOADED], d[PAIRS_LOADED];
    UNROLL for (int j = 0; j < PAIRS_LOADED; ++j) {
      const int row = (start + PAIRS_LIFTED * y + j) % WINDOW_PAIRS;
      s[j] = s_ring[row][x];
      d[j] = d_ring[row][x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    compute_pairs(s, d);
    UNROLL for (int j = 0; j < PAIRS_LIFTED; ++j) {
      const int p = top + start + PAIRS_LIFTED * y + REACH_LO + j;
      if (p < own.inner_end && index < pass.lines) {
        out.s[p * out.s_stride] = SAMPLE(SCALED_OUT(s[REACH_LO + j], FACTOR(OUT_s), pass.shift));
        out.d[p * out.d_stride] = SAMPLE(SCALED_OUT(d[REACH_LO + j], FACTOR(OUT_d), pass.shift));
      }
    }
  }
  lift_borders(signal, bands, low, pass, group);
}
