// tail_2d: the last levels of a picture in one launch, a work-group a picture, in local memory.
//
// The work-group lifts a tile (tile_2d.cl) level by level in place: a level's low band is every other sample of
// every other row of what the level before worked on. What the first level takes, and the details of each, go
// between global memory and the tile when their level is done. So a low band that fits local memory does
// not wait for one launch after another, each with less to do.
//
// Cost per sample: 1 global read and 1 write; local memory for the samples of one picture, 2 barriers a level
// and those of tile_2d.cl. One compute unit does a whole picture: limited by its latency, so it is for few
// samples. Not measured on a GPU.

// Where the coefficients of one axis stand at level `level` of the tail, `samples` samples long there, if they
// stand as `first` at its level 0: interleaved always twice as far apart, else closer together.
static inline Axis axis_at(const Axis first, const int level, const int samples) {
  const bool woven = first.high < first.pair;
  const Axis axis = {woven ? first.pair << level : first.pair,
                     woven ? first.high << level : first.pair * S_COUNT(samples)};
  return axis;
}

// What is left of `samples` samples after `level` levels: rounded up each time.
INLINE int samples_at(const int samples, const int level) { return ((samples - 1) >> level) + 1; }

// One level of the tile, whose rows are `row` places apart.
INLINE void tail_level(const Plane *plane, const Side *far_side, local T *tile, const int row,
                       const int boundary, const int level, const bool is_last) {
  const int width = samples_at(plane->width, level), height = samples_at(plane->height, level);
  const Axis x = axis_at(far_side->line, level, width);
  const Axis y = axis_at(far_side->across[0], level, height);

  // The level before is done.
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < width * height; i += GROUP) {
    const int ix = i % width, iy = i / width, cx = ix & 1, cy = iy & 1;
    local T *const at = tile + ((iy * row + ix) << level);
#ifdef FORWARD
    const T v = level == 0 ? plane->near[iy * plane->near_row + ix] : *at;
#else
    global const T *const far =
        plane->far[0] + cx * x.high + ix / 2 * x.pair + cy * y.high + iy / 2 * y.pair;
    const T v = cx || cy || is_last ? *far : *at;
#endif
    *at = (T)TILE_LOAD(cx, cy, width, height, v);
  }
  lift_both(tile, boundary, width, height, 1 << level, row << level);

  for (int i = get_local_id(0); i < width * height; i += GROUP) {
    const int ix = i % width, iy = i / width, cx = ix & 1, cy = iy & 1;
    local T *const at = tile + ((iy * row + ix) << level);
    const T v = TILE_STORE(cx, cy, width, height, (A)*at);
#ifdef FORWARD
    global T *const far =
        plane->far[0] + cx * x.high + ix / 2 * x.pair + cy * y.high + iy / 2 * y.pair;
    if (cx || cy || is_last) *far = v;
    else *at = v;
#else
    if (level == 0) plane->near[iy * plane->near_row + ix] = v;
    else *at = v;
#endif
  }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void tail_2d(global T *from, global T *to, global T *corner, const Pass pass) {
  local T tile[TAIL];
  const Plane plane = PLANE(get_group_id(0));
  const int row = TILE_ROW(plane.width), levels = pass.step;
  // There is at least one: a loop that may be skipped would put its barriers under a condition, where PoCL 3.1 goes
  // wrong.
#ifdef FORWARD
  int level = 0;
  do tail_level(&plane, &pass.to, tile, row, pass.boundary, level, level + 1 == levels);
  while (++level < levels);
#else
  int level = levels - 1;
  do tail_level(&plane, &pass.from, tile, row, pass.boundary, level, level + 1 == levels);
  while (--level >= 0);
#endif
}
