// tail_2d: the last levels of a picture in one launch, a work-group a picture, in registers.
//
// Each work-item holds a patch of the picture (patch_2d.cl). What a level leaves for the next goes through local
// memory, to a quarter of the work-items. So a low band that the patches of one work-group cover does not
// wait for one launch after another, each with less to do.
//
// Cost per sample: 1 global read and 1 write; 3 barriers a level, and those of patch_2d.cl. One compute unit
// does a whole picture: limited by its latency, so it is for few samples. On an NVIDIA H200, 5 levels of 1024 x 1024 in
// f32 by 9/7 took 31.6 us (inverse 32.8) with the last two, of 128 x 128, done here, and 27.3 us (27.4) by a launch
// each, which is what its driver's limit of 256 work-items leads to.

// One level of a picture.
typedef struct {
  int width, height;
  bool is_coarsest;  // of the tail
  Axis x, y;         // where its coefficients stand
  bool in_pairs;     // whether two neighbours of a sub-band can be accessed at once
} Level;

static inline Level level_at(const Plane *plane, const Side *far_side, const int number, const int levels) {
  Level level;
  level.width = samples_at(plane->width, number);
  level.height = samples_at(plane->height, number);
  level.is_coarsest = number + 1 == levels;
  level.x = axis_at(far_side->line, number, level.width);
  level.y = axis_at(far_side->across[0], number, level.height);
  level.in_pairs = level.x.pair == 1 && (level.x.high | level.y.pair | level.y.high) % 2 == 0 &&
                   (size_t)plane->far[0] % sizeof(JOIN(T, 2)) == 0;
  return level;
}

// The low band between two levels.
#define TILE_X (PATCHES_X > 1 ? 2 * PATCHES_X : PATCH)
#define TILE_Y (PATCHES_Y > 1 ? 2 * PATCHES_Y : PATCH)
// A work-item's rows start at a vector, those of the work-items beside it in other banks of local memory.
#define TILE_STRIDE (TILE_X + 8)

// Runs of `size` neighbours, all at once where `whole` says so, else those of which `exists(i)` says so.
#define LOAD_RUN(space, size, to, from, apart, whole, exists)                             \
  if (whole) JOIN(vstore, size)(*(space const JOIN(T, size) *)(from), 0, to);             \
  else UNROLL for (int i = 0; i < size; ++i) if (exists(i)) (to)[i] = (from)[i * (apart)];
#define STORE_RUN(space, size, run, to, apart, whole, exists)                             \
  if (whole) *(space JOIN(T, size) *)(to) = JOIN(vload, size)(0, run);                    \
  else UNROLL for (int i = 0; i < size; ++i) if (exists(i)) (to)[i * (apart)] = (run)[i];

// Where the patch is, in the registers and in a level of `width` by `height` samples.
typedef struct {
  int left, top, width, height;
} Place;

INLINE bool is_inside(const Place *at) { return at->left < at->width && at->top < at->height; }
INLINE bool is_whole(const Place *at) {
  return at->left + PATCH <= at->width && at->top + PATCH <= at->height;
}
// Which samples of a row of the patch there are, and which of channel cx of that row.
#define ROW_EXISTS(i) (at->top + row < at->height && at->left + (i) < at->width)
#define CHANNEL_EXISTS(i) ROW_EXISTS(2 * (i) + cx)

INLINE global T *near_row(const Plane *plane, const Place *at, const int row) {
  return near_at(plane, at->top + row, at->left);
}
INLINE global T *far_row(const Plane *plane, const Level *level, const Place *at, const int cx, const int row) {
  return plane->far[0] + (cx * level->x.high + at->left / 2 * level->x.pair) +
         (row % 2 * level->y.high + (at->top + row) / 2 * level->y.pair);
}
// The row of the patch in what goes from level to level; the place there of its low-pass samples alone.
INLINE local T *tile_row(local T *tile, const Place *at, const int row) {
  return tile + (at->top + row) * TILE_STRIDE + at->left;
}
INLINE local T *low_row(local T *tile, const Place *at, const int row) {
  return tile + (at->top + row) / 2 * TILE_STRIDE + at->left / 2;
}

// A patch of the picture, of what the level before left.
#ifdef FORWARD
#define LOAD_ROWS(space, row_of)                                                    \
  UNROLL for (int row = 0; row < PATCH; ++row) {                                    \
    T run[PATCH] = {0, 0, 0, 0};                                                    \
    space const T *const from = row_of;                                             \
    LOAD_RUN(space, PATCH, run, from, 1, whole, ROW_EXISTS)                         \
    UNROLL for (int i = 0; i < PATCH; ++i)                                          \
      v[row][i] = TILE_LOAD(i & 1, row & 1, at->width, at->height, run[i]);         \
  }
INLINE void load_near(A v[PATCH][PATCH], const Plane *plane, const Place *at, const bool whole) {
  LOAD_ROWS(global, near_row(plane, at, row))
}
INLINE void load_tile(A v[PATCH][PATCH], local T *tile, const Place *at, const bool whole) {
  LOAD_ROWS(local, tile_row(tile, at, row))
}

INLINE void store_far(A v[PATCH][PATCH], const Plane *plane, local T *tile, const Level *level,
                      const Place *at, const bool whole) {
  UNROLL for (int row = 0; row < PATCH; ++row)
    UNROLL for (int cx = 0; cx < 2; ++cx) {
      T run[2];
      UNROLL for (int i = 0; i < 2; ++i)
        run[i] = TILE_STORE(cx, row & 1, at->width, at->height, v[row][2 * i + cx]);
      if (cx || row % 2 || level->is_coarsest) {
        global T *const to = far_row(plane, level, at, cx, row);
        STORE_RUN(global, 2, run, to, level->x.pair, whole, CHANNEL_EXISTS)
      } else {
        *(local JOIN(T, 2) *)low_row(tile, at, row) = vload2(0, run);
      }
    }
}
#else
// The details of a level, and its low band where no level of the tail comes before it.
INLINE void load_far(T waiting[PATCH][PATCH], const Plane *plane, const Level *level, const Place *at,
                     const bool whole) {
  UNROLL for (int row = 0; row < PATCH; ++row)
    UNROLL for (int cx = 0; cx < 2; ++cx) {
      if (cx == 0 && row % 2 == 0 && !level->is_coarsest) continue;
      T run[2] = {0, 0};
      global const T *const from = far_row(plane, level, at, cx, row);
      LOAD_RUN(global, 2, run, from, level->x.pair, whole, CHANNEL_EXISTS)
      UNROLL for (int i = 0; i < 2; ++i) waiting[row][2 * i + cx] = run[i];
    }
}
INLINE void load_low(T waiting[PATCH][PATCH], local T *tile, const Place *at, const bool whole) {
  const int cx = 0;
  UNROLL for (int row = 0; row < PATCH; row += 2) {
    T run[2] = {0, 0};
    local const T *const from = low_row(tile, at, row);
    LOAD_RUN(local, 2, run, from, 1, whole, CHANNEL_EXISTS)
    UNROLL for (int i = 0; i < 2; ++i) waiting[row][2 * i] = run[i];
  }
}

#define ROW_OF(run)                                                                 \
  T run[PATCH];                                                                     \
  UNROLL for (int i = 0; i < PATCH; ++i)                                            \
    run[i] = TILE_STORE(i & 1, row & 1, at->width, at->height, v[row][i]);
INLINE void store_tile(A v[PATCH][PATCH], local T *tile, const Place *at) {
  UNROLL for (int row = 0; row < PATCH; ++row) {
    ROW_OF(run)
    *(local JOIN(T, PATCH) *)tile_row(tile, at, row) = JOIN(vload, PATCH)(0, run);
  }
}
INLINE void store_near(A v[PATCH][PATCH], const Plane *plane, const Place *at, const bool whole) {
  UNROLL for (int row = 0; row < PATCH; ++row) {
    ROW_OF(run)
    global T *const to = near_row(plane, at, row);
    STORE_RUN(global, PATCH, run, to, 1, whole, ROW_EXISTS)
  }
}
#endif

INLINE void lift_level(A v[PATCH][PATCH], local T *memory, local Ghosts *ghosts, const int boundary,
                       const Place *at) {
  find_ghosts(ghosts, boundary, at->width, at->height);
  barrier(CLK_LOCAL_MEM_FENCE);
  lift_patches(v, memory, ghosts, at->width, at->height, at->left / PATCH, at->top / PATCH);
  barrier(CLK_LOCAL_MEM_FENCE);
}

// The planes of a step and the low band between two levels are never there at the same time.
#define MEMORY (2 * PLANE_STRIDE > TILE_STRIDE * TILE_Y ? 2 * PLANE_STRIDE : TILE_STRIDE * TILE_Y)

// Samples of a patch beyond the end of a line are lifted with it, from anything but what was never written.
INLINE void clear(local T *memory) {
  for (int i = get_local_id(0); i < MEMORY; i += GROUP) memory[i] = 0;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void tail_2d(global T *from, global T *to, global T *corner, const Pass pass) {
  local T memory[MEMORY] __attribute__((aligned(sizeof(JOIN(T, PATCH)))));
  local Ghosts ghosts;
  const Plane plane = PLANE(get_group_id(0));
  const bool in_vectors =
      plane.near_row % PATCH == 0 && (size_t)plane.near % sizeof(JOIN(T, PATCH)) == 0;
  const int levels = pass.step;
  Place at = {PATCH * patch_x(get_local_id(0)), PATCH * patch_y(get_local_id(0)), plane.width, plane.height};
  A v[PATCH][PATCH];
  // There is at least one level: a loop that may be skipped would put its barriers under a condition, where PoCL 3.1
  // goes wrong.
#ifdef FORWARD
  int number = 0;
  if (is_inside(&at)) load_near(v, &plane, &at, is_whole(&at) && in_vectors);
  clear(memory);
  do {
    const Level level = level_at(&plane, &pass.to, number, levels);
    lift_level(v, memory, &ghosts, pass.boundary, &at);
    if (is_inside(&at)) store_far(v, &plane, memory, &level, &at, is_whole(&at) && level.in_pairs);
    barrier(CLK_LOCAL_MEM_FENCE);
    at.width = S_COUNT(at.width);
    at.height = S_COUNT(at.height);
    if (is_inside(&at) && !level.is_coarsest) load_tile(v, memory, &at, is_whole(&at));
  } while (++number < levels);
#else
  // Samples as they are in memory: the details of a level are on their way while the one before is lifted.
  T waiting[PATCH][PATCH];
  int number = levels - 1;
  Level level = level_at(&plane, &pass.from, number, levels);
  at.width = level.width;
  at.height = level.height;
  if (is_inside(&at)) load_far(waiting, &plane, &level, &at, is_whole(&at) && level.in_pairs);
  clear(memory);
  do {
    if (is_inside(&at))
      UNROLL for (int row = 0; row < PATCH; ++row)
        UNROLL for (int i = 0; i < PATCH; ++i)
          v[row][i] = TILE_LOAD(i & 1, row & 1, at.width, at.height, waiting[row][i]);
    level = level_at(&plane, &pass.from, max(number - 1, 0), levels);
    const Place next = {at.left, at.top, level.width, level.height};
    if (is_inside(&next) && number > 0)
      load_far(waiting, &plane, &level, &next, is_whole(&next) && level.in_pairs);
    lift_level(v, memory, &ghosts, pass.boundary, &at);
    if (is_inside(&at) && number > 0) store_tile(v, memory, &at);
    barrier(CLK_LOCAL_MEM_FENCE);
    at = next;
    if (is_inside(&at) && number > 0) load_low(waiting, memory, &at, is_whole(&at));
  } while (--number >= 0);
  if (is_inside(&at)) store_near(v, &plane, &at, is_whole(&at) && in_vectors);
#endif
}
