// The border of a picture under any boundary rule, for streamed kernels that do only its inside: other work-groups of
// the same launch do this frame.
//
// On each axis the pairs that depend on a border are those of a short line made of the two joined ends (see
// core/border.cl), or of the whole line where that is short. A work-group lifts one tile in local memory
// (core/tile.cl): the joined ends on one axis, and on the other the same (the corners) or a window of
// FRAME_PAIRS pairs and their reach.
//
// Cost: a barrier per step and axis; a frame is as wide as the reach, along x rounded up to PAIRS. Limited by latency;
// its work-groups come first, so that they run beside those of the inside.

#include "core/tile.cl"
#include "streamed/parameters.cl"

// Only launches that have a frame need these.
#if EXTENSION == EXTENSION_NONE
#if !defined(BORDER_X) || !defined(BORDER_Y) || !defined(FRAME_PAIRS)
#error "BORDER_X, BORDER_Y, FRAME_PAIRS: pairs at each end that make a joined line; pairs that a window is long"
#endif
#ifndef FRAME_TILE
#error "FRAME_TILE: samples of local memory that the largest tile needs"
#endif

// The pairs of one axis that a tile has, and which of its results are stored.
typedef struct {
  int start;     // the first pair
  int head;      // how many pairs come before the gap
  int gap;       // pairs left out
  int samples;   // samples of the tile
  int from, to;  // pairs in [from, to) are stored; of joined ends, all others
  bool joined;
} TileAxis;

// The pairs [from, to) of an axis are the inside.
static inline TileAxis joined_ends(const int samples, const int border, const int from, const int to) {
  const int gap = max(S_COUNT(samples) - 2 * border, 0);
  const TileAxis axis = {0, border, gap, samples - 2 * gap, from, gap > 0 ? to : from, true};
  return axis;
}

static inline TileAxis window_of(const int samples, const int number, const int from, const int to) {
  const int first = from + number * FRAME_PAIRS, start = first - REACH_LO;
  const int pairs = REACH_LO + FRAME_PAIRS + REACH_HI;
  const TileAxis axis = {start, pairs, 0, min(2 * pairs, samples - 2 * start), first, min(first + FRAME_PAIRS, to), false};
  return axis;
}

INLINE int pair_at(const TileAxis *axis, const int j) { return axis->start + j + (j < axis->head ? 0 : axis->gap); }
INLINE bool is_stored(const TileAxis *axis, const int pair) {
  return (pair >= axis->from && pair < axis->to) != axis->joined;
}

// Where the sample of pair (px, py) stands that is in channel cx along x and cy along y, on either side.
#define IN_SIGNAL(picture, cx, cy, px, py) signal_at(picture, 2 * (py) + (cy), 2 * (px) + (cx))
#define IN_BANDS(picture, cx, cy, px, py) any_band_at(picture, 2 * (cy) + (cx), py, px)
#if FORWARD
#define FRAME_LOADED IN_SIGNAL
#define FRAME_STORED IN_BANDS
#else
#define FRAME_LOADED IN_BANDS
#define FRAME_STORED IN_SIGNAL
#endif

// Tile `number` of a picture: the corners, then those of the left and right edges, then top and bottom; nothing for -1.
INLINE void lift_frame(const Picture *picture, const int boundary, const Streamed *own, local L *tile,
                       const int number) {
  const TileAxis x = number <= own->frame_y
                         ? joined_ends(picture->width, BORDER_X, own->left, own->right)
                         : window_of(picture->width, number - own->frame_y - 1, own->left, own->right);
  const TileAxis y = number == 0 || number > own->frame_y
                         ? joined_ends(picture->height, BORDER_Y, own->top, own->bottom)
                         : window_of(picture->height, number - 1, own->top, own->bottom);
  const int width = number < 0 ? 0 : x.samples, height = number < 0 ? 0 : y.samples;
  const int row = width | 1;  // odd, so that a column does not stay in one bank of local memory
  const TileLines columns = {height, row, max(width, 1), 1};

  // Neighbouring work-items take neighbours in a row, without a division for each.
  for (Target t = first_target(&columns); t.n < height; t = next_target(t, &columns)) {
    const int ix = t.line, iy = t.n, cx = ix & 1, cy = iy & 1;
    const int px = pair_at(&x, ix / 2), py = pair_at(&y, iy / 2);
    tile[iy * row + ix] = (L)LOAD_2D(cx, cy, *FRAME_LOADED(picture, cx, cy, px, py));
  }
  lift_tile(tile, boundary, width, height, row);

  for (Target t = first_target(&columns); t.n < height; t = next_target(t, &columns)) {
    const int ix = t.line, iy = t.n, cx = ix & 1, cy = iy & 1;
    const int px = pair_at(&x, ix / 2), py = pair_at(&y, iy / 2);
    if (!is_stored(&x, px) || !is_stored(&y, py)) continue;
    const A v = tile[iy * row + ix];
    *FRAME_STORED(picture, cx, cy, px, py) = STORE_2D(cx, cy, v);
  }
}
#endif
