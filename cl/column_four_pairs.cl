// Column pass, four pairs a work-item: the widened sliding window of Kucis et al. 2014.
//
// A work-group walks down a strip of COLUMNS lines that are neighbours in memory. Its window holds the
// WINDOW pairs that one position lifts and the reach around them: 64 + 7 rows for 9/7 and WINDOW_Y = 8.
// Each work-item lifts four pairs of one column in registers and no intermediate result is passed on; the
// window's rows lie in a ring, so the rows that two positions share stay where they are and are read
// from global memory once. A strip is cut into segments of `windows` positions, so that a large device
// is full; a segment re-reads the reach.
// Cost per sample: 1 global read and 1 write, 1 + reach / 4 local reads, two barriers a window, SPAN * 2 *
// COLUMNS samples of local memory. Limited by the latency between a window's loads and its stores.

#define WINDOW (PAIRS * WINDOW_Y)
#define SPAN (REACH_LO + WINDOW + REACH_HI)

// Loads the pairs [start, end) of the segment, numbered from the segment's first, into the ring.
#define LOAD_PAIRS(start, end)                                                   \
  for (int j = (start) + y; j < (end); j += WINDOW_Y) {                          \
    const int p = top + j, row = j % SPAN;                                       \
    s_ring[row][x] = (T)LOAD(s, in.s[min(p, last_s) * in.s_pair]);               \
    d_ring[row][x] = (T)LOAD(d, in.d[min(p, last_d) * in.d_pair]);               \
  }

kernel __attribute__((reqd_work_group_size(COLUMNS, WINDOW_Y, 1)))
void column_four_pairs(global T *from, global T *to, global T *corner, const Pass pass) {
  local T s_ring[SPAN][COLUMNS], d_ring[SPAN][COLUMNS];
  const int x = get_local_id(0), y = get_local_id(1);
  // The first work-groups do borders, and nothing of a strip.
  const int group = (int)get_group_id(0) - pass.step;
  const int index = max(group, 0) % pass.groups * COLUMNS + x;
  const int top = max(group, 0) / pass.groups * pass.windows * WINDOW;
  const int last_s = S_COUNT(pass.samples) - 1, last_d = D_COUNT(pass.samples) - 1;
  const int end = END_OF_INNER(pass.samples);
  const Line in = INPUT_LINE(min(index, pass.lines - 1));
  const Line out = OUTPUT_LINE(min(index, pass.lines - 1));

  LOAD_PAIRS(0, REACH_LO + REACH_HI)
  for (int w = 0; w < pass.windows; ++w) {
    const int start = w * WINDOW;
    if (top + start + FIRST_INNER >= end || group < 0) break;
    LOAD_PAIRS(start + REACH_LO + REACH_HI, start + SPAN)
    barrier(CLK_LOCAL_MEM_FENCE);

    A s[HELD], d[HELD];
    UNROLL for (int j = 0; j < HELD; ++j) {
      const int row = (start + PAIRS * y + j) % SPAN;
      s[j] = s_ring[row][x];
      d[j] = d_ring[row][x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    LIFT_STEPS(STEP)
    UNROLL for (int j = 0; j < PAIRS; ++j) {
      const int p = top + start + PAIRS * y + FIRST_INNER + j;
      if (p < end && index < pass.lines) {
        out.s[p * out.s_pair] = STORE(s, s[REACH_LO + j]);
        out.d[p * out.d_pair] = STORE(d, d[REACH_LO + j]);
      }
    }
  }
  lift_borders(from, to, corner, pass, group);
}
