// patch_2d: lifts a tile whose samples are in the registers of a work-group, under any boundary rule.
//
// Each work-item holds a patch of 4 by 4 samples. Before a step it writes to local memory those samples that
// its neighbours need, and at a border those that the boundary rule takes from it; the step then runs in
// registers.
//
// Cost: a barrier for each step and axis, two where a step needs both pairs of a patch. For a step of two taps a
// work-item writes 4 numbers to local memory and reads 4; there are 8 places for them, half of what it holds, and
// some beside the tile. Compiled for an NVIDIA H200, a step of 9/7 in f32 takes about 30 instructions away from
// the border, 16 of them arithmetic. Limited by these and by the latency of barriers. Not measured on a GPU.

#define PATCH 4  // samples of a patch along each axis: two pairs
#define GROUP (PATCHES_X * PATCHES_Y)

// Work-items are in blocks of 8 by 4 patches: those that run together take whole runs of memory, and few of
// them are at a border.
#define BLOCK_X (PATCHES_X < 8 ? PATCHES_X : 8)
#define BLOCK_Y (PATCHES_Y < 4 ? PATCHES_Y : 4)
#define BLOCK (BLOCK_X * BLOCK_Y)
#define BLOCKS_X (PATCHES_X / BLOCK_X)

INLINE uint patch_x(const uint item) { return item / BLOCK % BLOCKS_X * BLOCK_X + item % BLOCK_X; }
INLINE uint patch_y(const uint item) {
  return item / BLOCK / BLOCKS_X * BLOCK_Y + item / BLOCK_X % BLOCK_Y;
}

// --- places in local memory --------------------------------------------------------------------------
// Of the channel that a step reads, a plane has a place for each patch and line of it, and for patches beside the
// tile: beyond the ends of a line stand the GHOSTS, those samples there that steps read. There are two planes, for
// the first and the second pair of a patch. If every step needs just one of them, steps take the planes in
// turn instead: what one step reads, the next does not overwrite.

// Patches beside the tile; along x as many as it takes for the rows of a block to start in different banks.
#define BESIDE_X 4
#define BESIDE_Y ((GHOSTS + 1) / 2)
#define ROW_STRIDE (PATCHES_X + 2 * BESIDE_X)
#define LONGEST (PATCHES_X > PATCHES_Y ? PATCHES_X : PATCHES_Y)
#define LINE_STRIDE (ROW_STRIDE * (PATCHES_Y + 2 * BESIDE_Y) + 2 * LONGEST)
#define PLANE_STRIDE (PATCH * LINE_STRIDE)

// Whether a neighbour needs the first, the second pair of a patch.
#define NEEDS_FIRST(first, last) ((last) > 0 || (first) < -1)
#define NEEDS_SECOND(first, last) ((first) < 0 || (last) > 1)
#define NEEDS_BOTH(k, target, source, first, last, before, after) \
  || (NEEDS_FIRST(first, last) && NEEDS_SECOND(first, last))
#define ONE_MORE(k, target, source, first, last, before, after) +1
#define STEPS (0 LIFT_STEPS(ONE_MORE))
#if 0 LIFT_STEPS(NEEDS_BOTH)
#define PLANE_OF(pair, turn) ((pair) * PLANE_STRIDE)
#define READ_BEFORE_WRITTEN barrier(CLK_LOCAL_MEM_FENCE);
#else
#define PLANE_OF(pair, turn) ((turn) % 2 * PLANE_STRIDE)
#define READ_BEFORE_WRITTEN
#endif

// How many ghosts a step reads beyond each end: channel s can be one longer than d.
#define PARITY_s 0
#define PARITY_d 1
#define GHOSTS_LO(first) ((first) < 0 ? -(first) : 0)
#define GHOSTS_HI(last, target) ((last) + 1 > PARITY_##target ? (last) + 1 - PARITY_##target : 0)

// Which pairs the ghosts of both axes' channels are, beyond the low end and beyond the high end; -1 for zero.
typedef int Ghosts[2][2][2][GHOSTS];

INLINE void find_ghosts(local Ghosts *ghosts, const int boundary, const int width, const int height) {
  for (int i = get_local_id(0); i < 8 * GHOSTS; i += GROUP) {
    const int place = i / 8, high = i / 4 % 2, parity = i / 2 % 2, axis = i % 2;
    const int samples = axis ? height : width, count = parity ? D_COUNT(samples) : S_COUNT(samples);
    // A line of one sample is not lifted.
    if (samples > 1)
      (*ghosts)[axis][parity][high][place] =
          map_index(boundary, parity, high ? count + place : -1 - place, samples);
  }
}

// --- steps -------------------------------------------------------------------------------------------

// The lines of a patch along one axis.
typedef struct {
  int samples;
  int number, across;  // which patch of the axis this is, and of the other axis
  bool lifts;          // whether it is in the picture, and there is something to lift
} Lines;

#define COUNT(parity) ((parity) ? D_COUNT(lines->samples) : S_COUNT(lines->samples))

// Sample `i` of line `line` of the patch v.
#define SAMPLE(i, line) v[along_y ? (i) : (line)][along_y ? (line) : (i)]

// The place of patch `number` of the axis.
INLINE int place_of(const Lines *lines, const bool along_y, const int number) {
  const int x = along_y ? lines->across : number, y = along_y ? number : lines->across;
  return (y + BESIDE_Y) * ROW_STRIDE + x + BESIDE_X;
}

// The place of a pair beyond the end of the line in the patch with which the line ends.
INLINE int place_at_end(const Lines *lines, const int pair) {
  return LINE_STRIDE - 2 * LONGEST + pair * LONGEST + lines->across;
}

// Writes pair `index`, which is beyond an end of the line, where those look for it that read it.
INLINE void publish_ghost(A v[PATCH][PATCH], local T *edges, const Lines *lines, const bool along_y,
                          const int turn, const int parity, const bool first_is_needed,
                          const bool second_is_needed, const int index, const int from) {
  if (max(from, 0) >> 1 != lines->number) return;
  const int number = index >> 1, pair = index & 1;
  const bool is_needed = pair ? second_is_needed : first_is_needed;
  const bool is_at_end = number == (lines->samples - 1) / PATCH;
  local T *const place = edges + PLANE_OF(pair, turn) + place_of(lines, along_y, number);
  local T *const at_end = edges + PLANE_OF(0, turn) + place_at_end(lines, pair);
  UNROLL for (int line = 0; line < PATCH; ++line) {
    const A sample = from & 1 ? SAMPLE(2 + parity, line) : SAMPLE(parity, line);
    const T ghost = (T)(from < 0 ? 0 : sample);
    if (is_needed) place[line * LINE_STRIDE] = ghost;
    if (is_at_end) at_end[line * LINE_STRIDE] = ghost;
  }
}

// Writes what step k needs of the patch.
#define PUBLISH(k, target, source, first, last)                                                           \
  UNROLL for (int pair = 0; pair < 2; ++pair) {                                                           \
    local T *const place = edges + PLANE_OF(pair, turns + k) + place_of(lines, along_y, lines->number);   \
    const bool is_needed = pair ? NEEDS_SECOND(first, last) : NEEDS_FIRST(first, last);                   \
    if (is_needed && 2 * lines->number + pair < COUNT(PARITY_##source))                                   \
      UNROLL for (int line = 0; line < PATCH; ++line)                                                     \
        place[line * LINE_STRIDE] = (T)SAMPLE(2 * pair + PARITY_##source, line);                          \
  }                                                                                                       \
  if (is_near_end) {                                                                                      \
    for (int i = 0; i < GHOSTS_LO(first); ++i)                                                            \
      publish_ghost(v, edges, lines, along_y, turns + k, PARITY_##source, NEEDS_FIRST(first, last),       \
                    NEEDS_SECOND(first, last), -1 - i, (*ghosts)[along_y][PARITY_##source][0][i]);        \
    for (int i = 0; i < GHOSTS_HI(last, target); ++i)                                                     \
      publish_ghost(v, edges, lines, along_y, turns + k, PARITY_##source, NEEDS_FIRST(first, last),       \
                    NEEDS_SECOND(first, last), COUNT(PARITY_##source) + i,                                \
                    (*ghosts)[along_y][PARITY_##source][1][i]);                                           \
  }

// Pairs of the patch that are beyond the end of the line become the ghosts there.
#define COMPLETE(k, target, source, last)                                                                 \
  if (GHOSTS_HI(last, target) > 0 && 2 * lines->number + 2 > COUNT(PARITY_##source)) {                    \
    UNROLL for (int pair = 0; pair < 2; ++pair) {                                                         \
      local const T *const at_end = edges + PLANE_OF(0, turns + k) + place_at_end(lines, pair);           \
      const int beyond = 2 * lines->number + pair - COUNT(PARITY_##source);                               \
      if (beyond >= 0 && beyond < GHOSTS_HI(last, target))                                                \
        UNROLL for (int line = 0; line < PATCH; ++line)                                                   \
          SAMPLE(2 * pair + PARITY_##source, line) = at_end[line * LINE_STRIDE];                          \
    }                                                                                                     \
  }

#define NEAR(offset) near[pair + (offset) - reach]
#define PATCH_STEP(k, target, source, first, last, before, after)                                         \
  READ_BEFORE_WRITTEN                                                                                     \
  if (lines->lifts) {                                                                                     \
    PUBLISH(k, target, source, first, last)                                                               \
  }                                                                                                       \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                           \
  if (lines->lifts) {                                                                                     \
    COMPLETE(k, target, source, last)                                                                     \
    const int reach = first;                                                                              \
    UNROLL for (int line = 0; line < PATCH; ++line) {                                                     \
      A near[2 + (last) - (first)];                                                                       \
      UNROLL for (int i = first; i < 2 + (last); ++i)                                                     \
        near[i - reach] = i >= 0 && i < 2                                                                 \
                              ? SAMPLE(2 * (i & 1) + PARITY_##source, line)                               \
                              : (A)edges[PLANE_OF(i & 1, turns + k) + line * LINE_STRIDE +                \
                                         place_of(lines, along_y, lines->number + (i >> 1))];             \
      UNROLL for (int pair = 0; pair < 2; ++pair)                                                         \
        SAMPLE(2 * pair + PARITY_##target, line) =                                                        \
            LIFT_##k(SAMPLE(2 * pair + PARITY_##target, line), NEAR);                                     \
    }                                                                                                     \
  }

// After as many steps as `turns` says.
INLINE void lift_lines(A v[PATCH][PATCH], local T *edges, local const Ghosts *ghosts, const Lines *lines,
                       const bool along_y, const int turns) {
  // A boundary rule reads at most one place further in than a step reaches out.
  const int pair = 2 * lines->number;
  const bool is_near_end = pair < GHOSTS + 1 || pair + 2 >= D_COUNT(lines->samples) - GHOSTS;
  LIFT_STEPS(PATCH_STEP)
}

// Both axes of a tile of `width` by `height` samples: the work-item's patch v is number (x, y) of its patches.
// The ghosts must be found, and local memory free, when this is called.
INLINE void lift_patches(A v[PATCH][PATCH], local T *edges, local const Ghosts *ghosts, const int width,
                         const int height, const int x, const int y) {
  const bool inside = PATCH * x < width && PATCH * y < height;
  const Lines along_x = {width, x, y, inside && width > 1};
  const Lines along_y = {height, y, x, inside && height > 1};
#if X_FIRST
  lift_lines(v, edges, ghosts, &along_x, false, 0);
  lift_lines(v, edges, ghosts, &along_y, true, STEPS);
#else
  lift_lines(v, edges, ghosts, &along_y, true, 0);
  lift_lines(v, edges, ghosts, &along_x, false, STEPS);
#endif
}
