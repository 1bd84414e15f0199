// frame_2d: the border of a picture, under any boundary rule, for kernels that do only its inside.
//
// On each axis the pairs that depend on a border are those of a short line made of the two joined ends
// (see border.cl), or of the whole line where that is short. A work-group lifts one tile in local memory
// (tile_2d.cl): the joined ends on one axis, and on the other the same (the corners) or a window of
// FRAME_PAIRS pairs and their reach.
//
// Cost: a barrier for each step and axis; a frame is as wide as the reach, along x rounded up to PAIRS. Limited by
// latency; its work-groups come first, so that they run beside those of the inside.

// The pairs of each axis that depend on no border, along x in whole work-items of PAIRS; the frame is
// the others.
#define FROM_X ((REACH_LO + PAIRS - 1) / PAIRS * PAIRS)
#if WIDE
#define TO_X(width) ((S_COUNT(width) - REACH_HI - 1) / PAIRS * PAIRS)
#else
// Where the picture ends within a work-item, that one and those in its reach are left to the border.
#define TO_X(width) ((D_COUNT(width) - (REACH_HI + PAIRS - 1) / PAIRS * PAIRS) / PAIRS * PAIRS)
#endif
#define FROM_Y REACH_LO
#define TO_Y(height) (S_COUNT(height) - REACH_HI - 1)

// The pairs of one axis that a tile holds, and which of its results are stored.
typedef struct {
  int start;     // the first pair
  int head;      // how many pairs come before the gap
  int gap;       // pairs left out
  int samples;   // samples held
  int from, to;  // pairs in [from, to) are stored; of joined ends, all others
  bool joined;
} Ends;

// The pairs [from, to) of an axis are the inside.
static inline Ends joined_ends(const int samples, const int border, const int from, const int to) {
  const int gap = max(S_COUNT(samples) - 2 * border, 0);
  const Ends ends = {0, border, gap, samples - 2 * gap, from, gap > 0 ? to : from, true};
  return ends;
}

static inline Ends window_of(const int samples, const int number, const int from, const int to) {
  const int first = from + number * FRAME_PAIRS, start = first - REACH_LO;
  const int held = REACH_LO + FRAME_PAIRS + REACH_HI;
  const Ends ends = {start, held, 0, min(2 * held, samples - 2 * start), first,
                     min(first + FRAME_PAIRS, to), false};
  return ends;
}

INLINE int pair_at(const Ends *ends, const int j) {
  return ends->start + j + (j < ends->head ? 0 : ends->gap);
}

INLINE bool is_stored(const Ends *ends, const int pair) {
  return (pair >= ends->from && pair < ends->to) != ends->joined;
}

// Tile `number` of a picture: the corners, then those of the left and right edges, then top and bottom;
// nothing for -1.
INLINE void frame(const Plane *plane, const Pass *arguments, local T *tile, const int number) {
  const Pass pass = *arguments;
  const int along_y = pass.frame_y;
  const Ends x = number <= along_y
                     ? joined_ends(plane->width, BORDER_X, FROM_X, TO_X(plane->width))
                     : window_of(plane->width, number - along_y - 1, FROM_X, TO_X(plane->width));
  const Ends y = number == 0 || number > along_y
                     ? joined_ends(plane->height, BORDER_Y, FROM_Y, TO_Y(plane->height))
                     : window_of(plane->height, number - 1, FROM_Y, TO_Y(plane->height));

  const int width = number < 0 ? 0 : x.samples, height = number < 0 ? 0 : y.samples;
  const int row = TILE_ROW(width);

  for (int i = get_local_id(0); i < width * height; i += GROUP) {
    const int ix = i % width, iy = i / width, cx = ix & 1, cy = iy & 1;
    const int px = pair_at(&x, ix / 2), py = pair_at(&y, iy / 2);
#ifdef FORWARD
    const T v = *near_at(plane, 2 * py + cy, 2 * px + cx);
#else
    const T v = *far_at(plane, 2 * cy + cx, py, px);
#endif
    tile[iy * row + ix] = (T)TILE_LOAD(cx, cy, plane->width, plane->height, v);
  }
  lift_both(tile, pass.boundary, width, height, 1, row);

  for (int i = get_local_id(0); i < width * height; i += GROUP) {
    const int ix = i % width, iy = i / width, cx = ix & 1, cy = iy & 1;
    const int px = pair_at(&x, ix / 2), py = pair_at(&y, iy / 2);
    if (!is_stored(&x, px) || !is_stored(&y, py)) continue;
    const T v = TILE_STORE(cx, cy, plane->width, plane->height, (A)tile[iy * row + ix]);
#ifdef FORWARD
    *far_at(plane, 2 * cy + cx, py, px) = v;
#else
    *near_at(plane, 2 * py + cy, 2 * px + cx) = v;
#endif
  }
}
