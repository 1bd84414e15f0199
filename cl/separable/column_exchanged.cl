// column_exchanged: a column pass with intermediate results exchanged through local memory, the sliding window of van
// der Laan et al. 2009 and 2011.
//
// A work-group sweeps down a strip of COLUMNS lines that are neighbours in memory. At every position of its window each
// work-item loads one new pair of rows of its column; then step after step runs on as many pairs as are new, each LAG_k
// pairs behind the newest, with a barrier after it. So every step finds what it reads done, and what is not finished
// yet waits in the window for the next position. Nothing is computed twice. The rows of a channel lie in a ring and
// stay where they are, from the position at which a step first touches them to that at which they are stored.
//
// For 9/7 and ITEMS_Y = 8 the window has the 20 rows of the paper, 16 new ones and 4 that are carried along. The
// paper's work-groups go down whole columns. Here a strip is cut into segments, so that a large device is full; a
// segment re-reads the reach.
//
// Cost per sample: 1 global read and 1 write; a barrier per step and two more per position; for each sample of a step
// its taps and two accesses more to local memory, (WINDOW_s + WINDOW_d) * COLUMNS samples of it. Limited by these and
// by the barriers.

#include "core/borders.cl"

#if !defined(COLUMNS) || !defined(ITEMS_Y)
#error "COLUMNS, ITEMS_Y: the columns of a work-group, and its work-items down each of them"
#endif
#if !defined(WINDOW_s) || !defined(WINDOW_d)
#error "WINDOW_s, WINDOW_d: rows of each channel in the window, those that it carries along included"
#endif
#if !defined(NEWEST_s) || !defined(NEWEST_d)
#error "NEWEST_s, NEWEST_d: how many pairs behind the newest each channel is loaded"
#endif

// The arguments besides the geometry.
typedef struct {
  int border_groups;          // the first work-groups, which do borders
  int strips;                 // work-groups side by side over the columns
  int positions_per_segment;  // of the window
  int pairs_per_segment;      // of results
  int inner_end;              // pairs [REACH_LO, inner_end) depend on no border
} ColumnStream;

// Where pair n of a channel stands. Pairs count from KEPT above the segment, so that no step reads a negative one.
#define WINDOW_ROW_s(n) s_ring[(n) % WINDOW_s][x]
#define WINDOW_ROW_d(n) d_ring[(n) % WINDOW_d][x]
#define RING_s(offset) ((A)WINDOW_ROW_s(n + (offset)))
#define RING_d(offset) ((A)WINDOW_ROW_d(n + (offset)))
#define RING_STEP(k, target, source, first, last, before, after)         \
  n = newest - LAG_##k;                                                  \
  WINDOW_ROW_##target(n) = (L)LIFT_##k(RING_##target(0), RING_##source); \
  barrier(CLK_LOCAL_MEM_FENCE);

kernel __attribute__((reqd_work_group_size(COLUMNS, ITEMS_Y, 1)))
void column_exchanged(global T *signal, global T *bands, global T *low, const Pass pass, const ColumnStream own) {
  local L s_ring[WINDOW_s][COLUMNS], d_ring[WINDOW_d][COLUMNS];
  const int x = get_local_id(0), y = get_local_id(1);
  // Work-groups below 0 lift the borders (lift_borders), and nothing of a strip.
  const int group = (int)get_group_id(0) - own.border_groups;
  const int index = max(group, 0) % own.strips * COLUMNS + x;
  const int top = max(group, 0) / own.strips * own.pairs_per_segment;
  const int end = min(top + REACH_LO + own.pairs_per_segment, own.inner_end);
  const int last_s = S_COUNT(pass.samples) - 1, last_d = D_COUNT(pass.samples) - 1;
  const Line in = input_line(signal, bands, low, &pass, min(index, pass.lines - 1));
  const Line out = output_line(signal, bands, low, &pass, min(index, pass.lines - 1));

  // What steps read above a segment is 0: no stored result depends on it.
  for (int j = y; j < WINDOW_s; j += ITEMS_Y) WINDOW_ROW_s(j) = 0;
  for (int j = y; j < WINDOW_d; j += ITEMS_Y) WINDOW_ROW_d(j) = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int position = 0; position < own.positions_per_segment; ++position) {
    if (top + position * ITEMS_Y - LAST_LAG >= end || group < 0) break;
    const int above = top - KEPT, newest = KEPT + position * ITEMS_Y + y;
    // Beyond the line its last or first pair is loaded again: no stored result depends on it either.
    int n = newest - NEWEST_s;
    WINDOW_ROW_s(n) = (L)SCALED_IN(NUMBER(in.s[clamp(above + n, 0, last_s) * in.s_stride]), IN_s, pass.shift);
    n = newest - NEWEST_d;
    WINDOW_ROW_d(n) = (L)SCALED_IN(NUMBER(in.d[clamp(above + n, 0, last_d) * in.d_stride]), IN_d, pass.shift);
    barrier(CLK_LOCAL_MEM_FENCE);
    LIFT_STEPS(RING_STEP)

    n = newest - LAST_LAG;
    const int done = above + n;
    if (done >= top + REACH_LO && done < end && index < pass.lines) {
      out.s[done * out.s_stride] = SAMPLE(SCALED_OUT(RING_s(0), OUT_s, pass.shift));
      out.d[done * out.d_stride] = SAMPLE(SCALED_OUT(RING_d(0), OUT_d, pass.shift));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  lift_borders(signal, bands, low, pass, group);
}
