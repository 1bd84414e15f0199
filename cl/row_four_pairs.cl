// Row pass, four pairs a work-item: Blazewicz et al. 2012, the fastest row pass in Kucis et al. 2014.
//
// A work-group takes ROWS_Y rows at once and ROWS_X * 4 pairs of each. Samples travel between global and
// local memory in their order in memory; each work-item lifts its four pairs in registers.
// Cost per sample: 1 global read (and 2 * reach more a tile) and 1 write; two barriers a tile; about 2.5
// samples of local memory a work-item and pair. Limited by local memory traffic: each sample goes in,
// is read 1 + reach / 4 times, goes in again and out.

#define TILE (PAIRS * ROWS_X)
#define SPAN (REACH_LO + TILE + REACH_HI)
// One unused place after every four keeps neighbouring work-items, four apart, in different banks.
#define PLACE(p) ((p) + (p) / 4)

kernel __attribute__((reqd_work_group_size(ROWS_X, ROWS_Y, 1)))
void row_four_pairs(global T *from, global T *to, global T *corner, const Pass pass) {
  local T tile[ROWS_Y][2][PLACE(SPAN)];
  const int x = get_local_id(0), y = get_local_id(1);
  // The first work-groups pass the barriers of a tile that is stored nowhere, and then do borders.
  const int group = (int)get_group_id(0) - pass.step;
  const int index = max(group, 0) / pass.groups * ROWS_Y + y;
  const int tile_start = max(group, 0) % pass.groups * TILE;  // its results start REACH_LO later
  const int last_s = S_COUNT(pass.samples) - 1, last_d = D_COUNT(pass.samples) - 1;
  const Line in = INPUT_LINE(min(index, pass.lines - 1));

#ifdef FORWARD
  for (int i = x; i < 2 * SPAN; i += ROWS_X) {
    const int j = i >> 1, p = tile_start + j;
    // One load from either channel, so that neighbours go together.
    const T v = *((i & 1) ? in.d + min(p, last_d) * in.d_pair : in.s + min(p, last_s) * in.s_pair);
    tile[y][i & 1][PLACE(j)] = (T)((i & 1) ? LOAD(d, v) : LOAD(s, v));
  }
#else
  for (int j = x; j < SPAN; j += ROWS_X) {
    const int p = tile_start + j;
    tile[y][0][PLACE(j)] = (T)LOAD(s, in.s[min(p, last_s) * in.s_pair]);
    tile[y][1][PLACE(j)] = (T)LOAD(d, in.d[min(p, last_d) * in.d_pair]);
  }
#endif
  barrier(CLK_LOCAL_MEM_FENCE);

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

  lift_borders(from, to, corner, pass, group);
  if (index >= pass.lines || group < 0) return;
  const Line out = OUTPUT_LINE(index);
  const int first = tile_start + FIRST_INNER;
  const int count = min(TILE, END_OF_INNER(pass.samples) - first);
#ifdef FORWARD
  for (int j = x; j < count; j += ROWS_X) {
    out.s[(first + j) * out.s_pair] = tile[y][0][PLACE(j)];
    out.d[(first + j) * out.d_pair] = tile[y][1][PLACE(j)];
  }
#else
  for (int i = x; i < 2 * count; i += ROWS_X) {
    const int j = i >> 1, p = first + j;
    *((i & 1) ? out.d + p * out.d_pair : out.s + p * out.s_pair) = tile[y][i & 1][PLACE(j)];
  }
#endif
}
