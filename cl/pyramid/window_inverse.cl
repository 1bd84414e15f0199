// What a work-group of `pyramid_windows` reads and writes of a level, inverse.
//
// The finest window is a tile. Going coarser, it is halved, and then the reach is added: so the halo stays short. Where
// a window hangs over the border, places are mirrored or at the other end, and nothing reads what is computed beyond
// it, but in windows that wrap. Whole lines have no halo along x.

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
  const int first = (begin - ((1 << level) - 1) * MOST_REACH) >> level;
  return ENDS == ENDS_WRAPPED ? first : max(first, 0);
}

// Work-items that have the halo to the left.
INLINE int items_of_halo(constant const Window *window) {
  const bool has_halo = ENDS == ENDS_OPEN || ENDS == ENDS_WRAPPED;
  return has_halo ? (REACH_LO + window->own_pairs_x - 1) / window->own_pairs_x : 0;
}

INLINE PartOfWindow part_of(const Picture *picture, constant const Window *window, const int begin_y,
                            const int begin_x) {
  PartOfWindow part;
  part.height = HALVED(picture->height, window->level);
  part.width = HALVED(picture->width, window->level);
  part.row = window_begin(window->level, begin_y) + pairs_above(window);
  part.column = window_begin(window->level, begin_x) + (item_x(window) - items_of_halo(window)) * window->own_pairs_x;
  return part;
}

// Loads the three sub-bands of details of a window. As vectors of two pairs they took 1.1 to 1.5 times as long in i16
// by 5/3, and in f32 by 9/7 as long (4096 pictures of 128 x 128 on an NVIDIA H200).
INLINE void load_window_details(const Picture *picture, constant const Window *window, const PartOfWindow *part,
                                A (*v)[MOST_COLUMNS]) {
  const Distance row = picture->band_pitch[1], to_details = S_COUNT(part->height) * row;
  int s[MOST_OWN_PAIRS_X], d[MOST_OWN_PAIRS_X];
  EACH_PAIR(p) {
    s[p] = pair_inside(part->column + p, 0, part->width);
    d[p] = pair_inside(part->column + p, 1, part->width) + S_COUNT(part->width);
  }
  UP_TO(n, REACH_LO + window->own_pairs_y + REACH_HI, MOST_ROWS / 2) {
    const int y = part->row - REACH_LO + n;
    global const T *const lows = picture->band[1] + pair_inside(y, 0, part->height) * row;
    global const T *const highs = picture->band[1] + (to_details + pair_inside(y, 1, part->height) * row);
    EACH_PAIR(p) {
      v[2 * n][2 * p + 1] = NUMBER(lows[d[p] * COLUMN_STRIDE]);
      v[2 * n + 1][2 * p] = NUMBER(highs[s[p] * COLUMN_STRIDE]);
      v[2 * n + 1][2 * p + 1] = NUMBER(highs[d[p] * COLUMN_STRIDE]);
    }
  }
}

// Loads the low band: of the coarsest level from global memory, of others from `kept`, where the `coarser` window has
// left it.
INLINE void load_low_of_window(const Picture *picture, constant const Window *window, const PartOfWindow *part,
                               constant const Window *coarser, const int begin_y, const int begin_x,
                               local const A *kept, A (*v)[MOST_COLUMNS]) {
  const int first_x = 2 * (window_begin(window->level + 1, begin_x) - items_of_halo(coarser) * coarser->own_pairs_x);
  const int first_y = 2 * window_begin(window->level + 1, begin_y);
  int s[MOST_OWN_PAIRS_X];
  EACH_PAIR(p) {
    s[p] = part->column + p;
    if (ENDS != ENDS_WRAPPED || window->is_coarsest) s[p] = pair_inside(s[p], 0, part->width);
    if (!window->is_coarsest) s[p] = clamp(s[p] - first_x, 0, 2 * coarser->pairs_x - 1);
  }
  UP_TO(n, REACH_LO + window->own_pairs_y + REACH_HI, MOST_ROWS / 2) {
    int y = part->row - REACH_LO + n;
    if (ENDS != ENDS_WRAPPED || window->is_coarsest) y = pair_inside(y, 0, part->height);
    if (window->is_coarsest) {
      EACH_PAIR(p) v[2 * n][2 * p] = NUMBER(picture->band[0][y * picture->band_pitch[0] + s[p] * COLUMN_STRIDE]);
    } else {
      local const A *const from =
          kept + (coarser->kept + clamp(y - first_y, 0, 2 * coarser->pairs_y - 1) * 2 * coarser->pairs_x);
      EACH_PAIR(p) v[2 * n][2 * p] = from[s[p]];
    }
  }
  EACH_ROW(r)
    EACH_COLUMN(c) v[r][c] = TAKE_2D(c % 2, r % 2, v[r][c]);
}

// Leaves results for the next level.
INLINE void keep_window(constant const Window *window, local A *kept, A (*v)[MOST_COLUMNS]) {
  const int above = pairs_above(window), column = item_x(window) * window->own_pairs_x;
  if (column >= window->pairs_x) return;
  UP_TO(r, 2 * window->own_pairs_y, 2 * MOST_OWN_PAIRS_Y) {
    local A *const to = kept + (window->kept + (2 * above + r) * 2 * window->pairs_x + 2 * column);
    const A *const row = v[2 * REACH_LO + r];
    if (above + r / 2 >= window->pairs_y) continue;
    if (window->own_pairs_x == 2) {
      *(local FourNumbers *)to =
          (FourNumbers)(KEEP_2D(0, 0, row[0]), KEEP_2D(0, 0, row[1]), KEEP_2D(0, 0, row[2]), KEEP_2D(0, 0, row[3]));
    } else {
      *(local TwoNumbers *)to = (TwoNumbers)(KEEP_2D(0, 0, row[0]), KEEP_2D(0, 0, row[1]));
    }
  }
}

// Stores the tile.
INLINE void store_window_tile(const Picture *picture, const Windows *own, constant const Window *window,
                              const PartOfWindow *part, A (*v)[MOST_COLUMNS]) {
  const int column = (item_x(window) - items_of_halo(window)) * window->own_pairs_x;
  const int x = 2 * part->column, y = 2 * part->row;
  if (column < 0 || column >= own->tile_x) return;
  const bool is_vector = own->aligned && x + 2 * window->own_pairs_x <= part->width;
  UP_TO(r, 2 * window->own_pairs_y, 2 * MOST_OWN_PAIRS_Y) {
    global S *const to = picture->signal + ((y + r) * picture->signal_pitch + x * COLUMN_STRIDE);
    if (pairs_above(window) + r / 2 >= own->tile_y || y + r >= part->height) continue;
    S row[MOST_COLUMNS];
    EACH_COLUMN(c) row[c] = STORE_2D(0, 0, v[2 * REACH_LO + r][c]);
    if (is_vector && window->own_pairs_x == 2) {
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
