// The window of a level that a work-group of `pyramid_windows` has, and a work-item's part of it.
//
// The finest window is a tile. Going coarser, it is halved, and then the reach is added: so the halo stays short. A window has as
// many pairs in every work-group, known when the program is built, which saves most of what index arithmetic takes in `pyramid`.
// Where it hangs over the border, places are mirrored, and nothing reads what is computed beyond it.

#include "core/picture.cl"
#include "register_block/block.cl"

#if FORWARD
#error "forward, windows grow from level to level"
#endif
#ifndef LEVELS
#error "LEVELS: how many are taken; the finest is number 0"
#endif
// Of each level k: ROWS_k, COLUMNS_k  pairs of its window, along x with the halo, in whole work-items
//                  LANES_k            work-items side by side in it, a power of two
//                  KEPT_k             where its low band begins in local memory
#if !defined(ROWS_0) || !defined(COLUMNS_0) || !defined(LANES_0) || !defined(KEPT_0)
#error "ROWS_k, COLUMNS_k, LANES_k, KEPT_k: the window of each level"
#endif
// Mirroring once is half the instructions of the general way.
#ifndef MIRRORED_OFTEN
#error "MIRRORED_OFTEN: 1 where a level is so small that steps reach beyond the mirrored picture"
#endif

// Mirrored, what is read beyond one end of a window stands as far on the other side.
#define MOST_REACH (REACH_LO > REACH_HI ? REACH_LO : REACH_HI)

// The arguments besides the geometry.
typedef struct {
  int levels;            // as LEVELS
  int tile_x, tile_y;    // pairs of a tile
  int tiles_x, tiles_y;  // tiles of a picture
  int aligned;           // whether the samples of a work-item in a row of the picture are an aligned vector
} Windows;

// Constants, once it is inlined.
typedef struct {
  int level, rows, columns, lanes, kept;
} Window;

typedef struct {
  Window of;
  int height, width;   // samples of the level
  int row, column;     // the first pairs whose results this work-item has
  int lane, below;     // its place in the row of work-items, the pairs of rows above it in the window
  bool has_rows;       // whether its sub-group has any
} PartOfWindow;
// Without exchange all work-items meet at the barriers of every step.
#define IS_BUSY(part) (EXCHANGE == EXCHANGE_NONE || (part)->has_rows)

// Neighbouring samples of a work-item: in a row of the picture, and of a low band.
#if PAIRS == 2
typedef JOIN(STORED, 4) RowOfSamples;
typedef JOIN(A, 4) RowOfNumbers;
#define JOIN_ROW(type, of) ((type)(of(0), of(1), of(2), of(3)))
#elif PAIRS == 1
typedef JOIN(STORED, 2) RowOfSamples;
typedef JOIN(A, 2) RowOfNumbers;
#define JOIN_ROW(type, of) ((type)(of(0), of(1)))
#else
#error "PAIRS: 1 or 2"
#endif

// The first pair of a level's window: of those whose results are wanted, for a tile that begins at pair `begin`.
INLINE int window_begin(const int level, const int begin) {
  return max((begin - ((1 << level) - 1) * MOST_REACH) >> level, 0);
}

INLINE PartOfWindow part_of(const Picture *picture, const Window *of, const int begin_y, const int begin_x) {
  const int item = (int)SUB_GROUP * LANES + (int)LANE;
  PartOfWindow part;
  part.of = *of;
  part.height = (picture->height + (1 << of->level) - 1) >> of->level;
  part.width = (picture->width + (1 << of->level) - 1) >> of->level;
  part.lane = item % of->lanes;
  part.below = item / of->lanes * BLOCK_HEIGHT;
  part.row = window_begin(of->level, begin_y) + part.below;
  part.column = window_begin(of->level, begin_x) + (part.lane - LANES_LO) * PAIRS;
  part.has_rows = (int)SUB_GROUP * LANES / of->lanes * BLOCK_HEIGHT < of->rows;
  return part;
}

// The pair of a mirrored line that stands for one of channel `parity` beyond its border. What no result depends on is any pair.
INLINE int mirrored_pair(const int pair, const int parity, const int samples) {
  const int last = samples - 1, place = 2 * clamp(pair, -REACH_LO, (last >> 1) + REACH_HI) + parity;
#if MIRRORED_OFTEN
  return (place >= 0 && place <= last ? place : place_inside(place, samples, 0)) >> 1;
#else
  return (last - (int)abs(last - (int)abs(place))) >> 1;
#endif
}
