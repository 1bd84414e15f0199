// What a work-group of `pyramid_windows` reads and writes of a level, inverse.
//
// The finest window is a tile. Going coarser, it is halved, and then the reach is added: so the halo stays short. Where a window
// hangs over the border, places are mirrored, and nothing reads what is computed beyond it. Whole lines have no halo along x.

#include "pyramid/window.cl"

#if !FORWARD

// Mirrored, what is read beyond one end of a window stands as far on the other side.
#define MOST_REACH (REACH_LO > REACH_HI ? REACH_LO : REACH_HI)

typedef struct {
  int height, width;  // samples of the level
  int row, column;    // the first pairs whose results this work-item has
} PartOfWindow;

// The first pair of a level's window: of those whose results are wanted, for a tile that begins at pair `begin`.
INLINE int window_begin(const int level, const int begin) {
  return max((begin - ((1 << level) - 1) * MOST_REACH) >> level, 0);
}

// Work-items that have the halo to the left.
INLINE int lanes_of_halo(constant const Window *of) { return MIRRORED_ENDS ? 0 : (REACH_LO + of->pairs - 1) / of->pairs; }

INLINE PartOfWindow part_of(const Picture *picture, constant const Window *of, const int begin_y, const int begin_x) {
  PartOfWindow part;
  part.height = HALVED(picture->height, of->level);
  part.width = HALVED(picture->width, of->level);
  part.row = window_begin(of->level, begin_y) + rows_above(of);
  part.column = window_begin(of->level, begin_x) + (lane_in(of) - lanes_of_halo(of)) * of->pairs;
  return part;
}

// Loads the three sub-bands of details of a window.
INLINE void load_window_details(const Picture *picture, constant const Window *of, const PartOfWindow *part, A (*v)[COLUMNS_HELD]) {
  const Distance row = picture->band_row[1], to_details = S_COUNT(part->height) * row;
  int s[MOST_PAIRS], d[MOST_PAIRS];
  EACH_PAIR(p) {
    s[p] = mirrored_pair(part->column + p, 0, part->width);
    d[p] = mirrored_pair(part->column + p, 1, part->width) + S_COUNT(part->width);
  }
  UP_TO(n, REACH_LO + of->height + REACH_HI, ROWS_HELD / 2) {
    const int y = part->row - REACH_LO + n;
    global const T *const lows = picture->band[1] + mirrored_pair(y, 0, part->height) * row;
    global const T *const highs = picture->band[1] + (to_details + mirrored_pair(y, 1, part->height) * row);
    EACH_PAIR(p) {
      v[2 * n][2 * p + 1] = NUMBER(lows[d[p] * COLUMN_STRIDE]);
      v[2 * n + 1][2 * p] = NUMBER(highs[s[p] * COLUMN_STRIDE]);
      v[2 * n + 1][2 * p + 1] = NUMBER(highs[d[p] * COLUMN_STRIDE]);
    }
  }
}

// Loads the low band: of the coarsest level from global memory, of others from `kept`, where the coarser window has `left` it.
INLINE void load_left(const Picture *picture, constant const Window *of, const PartOfWindow *part,
                      constant const Window *left, const int begin_y, const int begin_x, local const A *kept,
                      A (*v)[COLUMNS_HELD]) {
  const int first_x = 2 * (window_begin(of->level + 1, begin_x) - lanes_of_halo(left) * left->pairs);
  const int first_y = 2 * window_begin(of->level + 1, begin_y);
  int s[MOST_PAIRS];
  EACH_PAIR(p) {
    s[p] = mirrored_pair(part->column + p, 0, part->width);
    if (!of->is_coarsest) s[p] = clamp(s[p] - first_x, 0, 2 * left->columns - 1);
  }
  UP_TO(n, REACH_LO + of->height + REACH_HI, ROWS_HELD / 2) {
    const int y = mirrored_pair(part->row - REACH_LO + n, 0, part->height);
    if (of->is_coarsest) {
      EACH_PAIR(p) v[2 * n][2 * p] = NUMBER(picture->band[0][y * picture->band_row[0] + s[p] * COLUMN_STRIDE]);
    } else {
      local const A *const from = kept + (left->kept + clamp(y - first_y, 0, 2 * left->rows - 1) * 2 * left->columns);
      EACH_PAIR(p) v[2 * n][2 * p] = from[s[p]];
    }
  }
  EACH_ROW(r)
    EACH_COLUMN(c) v[r][c] = TAKE_2D(c % 2, r % 2, v[r][c]);
}

// Leaves results for the next level.
INLINE void keep_window(constant const Window *of, local A *kept, A (*v)[COLUMNS_HELD]) {
  const int above = rows_above(of), column = lane_in(of) * of->pairs;
  if (column >= of->columns) return;
  UP_TO(r, 2 * of->height, 2 * MOST_HEIGHT) {
    local A *const to = kept + (of->kept + (2 * above + r) * 2 * of->columns + 2 * column);
    const A *const row = v[2 * REACH_LO + r];
    if (above + r / 2 >= of->rows) continue;
    if (of->pairs == 2) {
      *(local FourNumbers *)to =
          (FourNumbers)(KEEP_2D(0, 0, row[0]), KEEP_2D(0, 0, row[1]), KEEP_2D(0, 0, row[2]), KEEP_2D(0, 0, row[3]));
    } else {
      *(local TwoNumbers *)to = (TwoNumbers)(KEEP_2D(0, 0, row[0]), KEEP_2D(0, 0, row[1]));
    }
  }
}

// Stores the tile.
INLINE void store_window_tile(const Picture *picture, const Windows *own, constant const Window *of, const PartOfWindow *part,
                              A (*v)[COLUMNS_HELD]) {
  const int column = (lane_in(of) - lanes_of_halo(of)) * of->pairs, x = 2 * part->column, y = 2 * part->row;
  if (column < 0 || column >= own->tile_x) return;
  const bool is_vector = own->aligned && x + 2 * of->pairs <= part->width;
  UP_TO(r, 2 * of->height, 2 * MOST_HEIGHT) {
    global S *const to = picture->signal + ((y + r) * picture->signal_row + x * COLUMN_STRIDE);
    if (rows_above(of) + r / 2 >= own->tile_y || y + r >= part->height) continue;
    S row[COLUMNS_HELD];
    EACH_COLUMN(c) row[c] = STORE_2D(0, 0, v[2 * REACH_LO + r][c]);
    if (is_vector && of->pairs == 2) {
      *(global FourSamples *)to = (FourSamples)(row[0], row[1], row[2], row[3]);
    } else if (is_vector) {
      *(global TwoSamples *)to = (TwoSamples)(row[0], row[1]);
    } else {
      EACH_COLUMN(c)
        if (x + c < part->width) to[c * COLUMN_STRIDE] = row[c];
    }
  }
}

#endif
