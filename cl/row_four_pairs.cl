// Row pass, four pairs a work-item: Blazewicz et al. 2012, the fastest row pass in Kucis et al. 2014.
//
// A work-group takes ROWS_Y rows at once and walks along them, ROWS_X * 4 pairs of each at a time, a tile. Samples
// travel between global and local memory in their order in memory; each work-item lifts its four pairs in registers.
// Rows are cut into segments of `windows` tiles, so that a large device is full.
// Cost per sample: 1 global read (and 2 * reach more a tile) and 1 write; four barriers a tile; about 2.5
// samples of local memory a work-item and pair. Limited by local memory traffic: each sample goes in,
// is read 1 + reach / 4 times, goes in again and out. Compiled for an NVIDIA H200, 9/7 in f32 takes more instructions
// to find a work-item's row than to lift its pairs, hence the walk: it brought 8192 x 8192 from 220 to 183 us (copy:
// 130), twice as many work-items along a row to some 160.

#define TILE (PAIRS * ROWS_X)
#define SPAN (REACH_LO + TILE + REACH_HI)
// One unused place after every four keeps neighbouring work-items, four apart, in different banks.
#define PLACE(p) ((p) + (p) / 4)

// Which sample of which channel a work-item moves in turn k: those of a line in their order, so that neighbours go
// together; those of bands one band after the other.
#define NEAR_CHANNEL(k) ((x + (k) * ROWS_X) & 1)
#define NEAR_PAIR(k) ((x + (k) * ROWS_X) >> 1)
#define FAR_CHANNEL(k) ((k) & 1)
#define FAR_PAIR(k) (x + ((k) >> 1) * ROWS_X)
#define LOADS (2 * ((SPAN + ROWS_X - 1) / ROWS_X))
#ifdef FORWARD
#define IN_CHANNEL NEAR_CHANNEL
#define IN_PAIR NEAR_PAIR
#define OUT_CHANNEL FAR_CHANNEL
#define OUT_PAIR FAR_PAIR
#else
#define IN_CHANNEL FAR_CHANNEL
#define IN_PAIR FAR_PAIR
#define OUT_CHANNEL NEAR_CHANNEL
#define OUT_PAIR NEAR_PAIR
#endif

// Samples wait in registers while the tile before is lifted.
#define LOAD_TILE(start)                                                                       \
  UNROLL for (int k = 0; k < LOADS; ++k) {                                                     \
    const int channel = IN_CHANNEL(k), j = IN_PAIR(k), p = (start) + j;                        \
    const bool exists = j < SPAN && p <= (channel ? last_d : last_s);                          \
    waiting[k] = exists ? *(channel ? in.d + p * in_d : in.s + p * in_s) : 0;                  \
  }

kernel __attribute__((reqd_work_group_size(ROWS_X, ROWS_Y, 1)))
void row_four_pairs(global T *from, global T *to, global T *corner, const Pass pass) {
  local T tile[ROWS_Y][2][PLACE(SPAN)];
  const int x = get_local_id(0), y = get_local_id(1);
  // The first work-groups pass the barriers of a tile that is stored nowhere, and then do borders.
  const int group = (int)get_group_id(0) - pass.step;
  const int index = max(group, 0) / pass.groups * ROWS_Y + y;
  const int last_s = S_COUNT(pass.samples) - 1, last_d = D_COUNT(pass.samples) - 1;
  const Line in = INPUT_LINE(min(index, pass.lines - 1)), out = OUTPUT_LINE(min(index, pass.lines - 1));
  // Within a row, places fit 32 bits (separable.rs).
  const int in_s = (int)in.s_pair, in_d = (int)in.d_pair, out_s = (int)out.s_pair, out_d = (int)out.d_pair;
  const bool stores = index < pass.lines && group >= 0;
  const int end = END_OF_INNER(pass.samples) - FIRST_INNER;

  int start = max(group, 0) % pass.groups * pass.windows * TILE;  // results start FIRST_INNER later
  const int stop = group < 0 ? start + TILE : min(start + pass.windows * TILE, end);
  T waiting[LOADS];
  LOAD_TILE(start)
  // PoCL 3.1 goes wrong with barriers in a loop that may be skipped.
  do {
    UNROLL for (int k = 0; k < LOADS; ++k) {
      const int channel = IN_CHANNEL(k), j = IN_PAIR(k);
      const T v = waiting[k];
      if (j < SPAN) tile[y][channel][PLACE(j)] = (T)(channel ? LOAD(d, v) : LOAD(s, v));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (start + TILE < stop) LOAD_TILE(start + TILE)

    A s[HELD], d[HELD];
    UNROLL for (int j = 0; j < HELD; ++j) {
      s[j] = tile[y][0][PLACE(PAIRS * x + j)];
      d[j] = tile[y][1][PLACE(PAIRS * x + j)];
    }
    LIFT_STEPS(STEP)
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (int j = 0; j < PAIRS; ++j) {
      tile[y][0][PLACE(PAIRS * x + j)] = STORE(s, s[REACH_LO + j]);
      tile[y][1][PLACE(PAIRS * x + j)] = STORE(d, d[REACH_LO + j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int count = stores ? end - start : 0;
    UNROLL for (int k = 0; k < 2 * PAIRS; ++k) {
      const int channel = OUT_CHANNEL(k), j = OUT_PAIR(k), p = start + FIRST_INNER + j;
      if (j < count) *(channel ? out.d + p * out_d : out.s + p * out_s) = tile[y][channel][PLACE(j)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    start += TILE;
  } while (start < stop);
  lift_borders(from, to, corner, pass, group);
}
