// What a work-group of `pyramid_windows` reads and writes of a level, forward.
//
// A window lies inside the picture and is lifted as if the picture ended with it: right at the picture's border, and
// elsewhere absorbed by the halo, which is not stored. So a level reads whole rows of vectors, and its low band is the
// next one's window. Steps that read nothing beyond their pair need no halo. Where windows wrap, they may
// begin before the picture and end behind it, and only the finest one has to find the picture's other end.

#include "pyramid/window.cl"

#if FORWARD

#ifndef HALO
#error "HALO: pairs of the finest level before those of a window that are stored"
#endif

// What a work-group has of a level along an axis, in pairs.
typedef struct {
  int begin;           // where its window begins; negative where it wraps before the picture
  int samples;         // how many it has
  bool full;           // whether every window has all its pairs, the last one too
  int own, own_end;    // what is stored
  int s_count, d_count;  // approximations and details of the level
} Span;

// What the work-group of tile `number` has of a level, for an axis on which the finest level has `length` samples and
// windows so many pairs.
INLINE Span span_of(const int length, const int level, const int pairs, const bool is_wrapped, const int tile,
                    const int tiles, const int number) {
  // Windows begin at whole pairs of all levels, and of vectors of two pairs.
  const int whole = max(1 << REST, 4) - 1, beyond = length - 2 * (pairs << level);
  const int last = (max(beyond, 0) + whole) & ~whole;
  const int start = number * tile - (is_wrapped ? HALO : 0), samples = HALVED(length, level);
  const int begin = is_wrapped ? 2 * start : min(2 * start, last);
  Span span;
  span.begin = begin >> (level + 1);
  span.samples = is_wrapped ? 2 * pairs : min(2 * pairs, samples - 2 * span.begin);
  span.full = is_wrapped || beyond == last;
  span.s_count = S_COUNT(samples);
  span.d_count = D_COUNT(samples);
  span.own = number == 0 ? 0 : (start + HALO) >> level;
  span.own_end = number + 1 == tiles ? span.s_count : (start + tile + HALO) >> level;
  return span;
}

// Which row of its window a work-item's row r is, or stands for. Where every work-item has a full block of rows of it,
// only the halo can be beyond it: five levels of 2048 x 2048 take 23.5 us, where every row was mirrored 24.7 (9/7 in
// f32, NVIDIA H200).
INLINE int row_in_window(constant const Window *window, const Span *y, const int r) {
  const int top = pairs_above(window) - REACH_LO, row = 2 * top + r, last = 2 * window->pairs_y - 1;
  const bool is_full = y->full && GROUP / window->items_x * window->own_pairs_y == window->pairs_y;
  if (EXTENDED_OFTEN || !is_full) return 2 * pair_inside(top + r / 2, r % 2, y->samples) + r % 2;
#if PICTURE_REPEATS
  if (r < 2 * REACH_LO) return row < 0 ? row + last + 1 : row;
  return r < 2 * (REACH_LO + window->own_pairs_y) || row <= last ? row : row - last - 1;
#else
  if (r < 2 * REACH_LO) return (int)abs(row);
  return r < 2 * (REACH_LO + window->own_pairs_y) ? row : last - (int)abs(last - row);
#endif
}

// A row of the picture, from the window's first column on; where windows wrap, from the picture's.
INLINE global const S *row_of_signal(const Picture *picture, constant const Window *window, const Span *y,
                                     const Span *x, const int r) {
  const int row = 2 * y->begin + row_in_window(window, y, r);
  if (IS_WRAPPED(window)) return picture->signal + place_in_signal(row, picture->height, 1) * picture->signal_pitch;
  return picture->signal + (row * picture->signal_pitch + 2 * x->begin * COLUMN_STRIDE);
}

// Where in such a row a column of the window is.
INLINE int column_of_signal(const Picture *picture, constant const Window *window, const Span *x, const int column) {
  return IS_WRAPPED(window) ? place_in_signal(2 * x->begin + column, picture->width, 1) : column;
}

// Loads the picture, for the finest level.
INLINE void load_signal(const Picture *picture, const Windows *own, constant const Window *window, const Span *y,
                        const Span *x, A (*v)[MOST_COLUMNS]) {
  const int in_window = 2 * window->own_pairs_x * min(item_x(window), window->pairs_x / window->own_pairs_x - 1);
  const int column = column_of_signal(picture, window, x, in_window);
  const int end = IS_WRAPPED(window) ? picture->width : x->samples;
  const bool is_vector = own->aligned && column + 2 * window->own_pairs_x <= end;
  if (is_vector && window->own_pairs_x == 2) {
    EACH_ROW(r) {
      const FourSamples all = *(global const FourSamples *)(row_of_signal(picture, window, y, x, r) + column);
      v[r][0] = LOAD_2D(0, 0, all.s0), v[r][1] = LOAD_2D(0, 0, all.s1);
      v[r][2] = LOAD_2D(0, 0, all.s2), v[r][3] = LOAD_2D(0, 0, all.s3);
    }
  } else if (is_vector) {
    EACH_ROW(r) {
      const TwoSamples all = *(global const TwoSamples *)(row_of_signal(picture, window, y, x, r) + column);
      v[r][0] = LOAD_2D(0, 0, all.s0), v[r][1] = LOAD_2D(0, 0, all.s1);
    }
  } else {
    EACH_ROW(r) {
      global const S *const from = row_of_signal(picture, window, y, x, r);
      EACH_COLUMN(c) {
        const int one = column_of_signal(picture, window, x, in_window + c);
        v[r][c] = LOAD_2D(0, 0, from[min(one, end - 1) * COLUMN_STRIDE]);
      }
    }
  }
}

// Numbers that a window has left in local memory: 4 of two pairs, 2 of one.
INLINE void load_kept(local const A *from, const int pairs, A *v) {
  if (pairs == 2) {
    const FourNumbers all = *(local const FourNumbers *)from;
    v[0] = all.s0, v[1] = all.s1, v[2] = all.s2, v[3] = all.s3;
  } else {
    const TwoNumbers all = *(local const TwoNumbers *)from;
    v[0] = all.s0, v[1] = all.s1;
  }
}

// Loads the low band that the finer level has left.
INLINE void load_low(constant const Window *window, const Span *y, local const A *kept, A (*v)[MOST_COLUMNS]) {
  const int column = 2 * window->own_pairs_x * min(item_x(window), window->pairs_x / window->own_pairs_x - 1);
  EACH_ROW(r) {
    load_kept(kept + (window->kept + row_in_window(window, y, r) * 2 * window->pairs_x + column), window->own_pairs_x,
              v[r]);
    EACH_COLUMN(c) v[r][c] = TAKE_2D(0, 0, v[r][c]);
  }
}

// Stores what a work-item has of a row of a sub-band, as far as it is within `from` .. `to` from its first place on.
// A vector is within them whole, or not at all.
INLINE void store_in_row(global T *row, const int pairs, const bool is_vector, const int from, const int to,
                         const T first, const T second) {
  if (pairs == 2 && is_vector) {
    if (from <= 0 && to > 0) *(global JOIN(T, 2) *)row = (JOIN(T, 2))(first, second);
  } else {
    if (from <= 0 && to >= 1) row[0] = first;
    if (pairs == 2 && from <= 1 && to >= 2) row[COLUMN_STRIDE] = second;
  }
}

#define STORED_ROW(cx, cy) STORE_2D(cx, cy, v[r + (cy)][cx]), STORE_2D(cx, cy, v[r + (cy)][2 + (cx)])

// Details go to their sub-bands, approximations to the next level's window at `kept`; those of the coarsest level to
// theirs.
INLINE void store_bands(const Picture *picture, constant const Window *window, const Span *y, const Span *x,
                        local A *kept, A (*v)[MOST_COLUMNS]) {
  const int item = item_x(window), above = pairs_above(window), column = x->begin + item * window->own_pairs_x;
  const Distance row = picture->band_pitch[1], to_highs = y->s_count * row;
  // Where all of these are even, no vector is stored in part. Asking that of each vector takes 1.02 to 1.05 times as
  // long (512 x 512 to 2048 x 2048 on an NVIDIA H200).
  const Distance all = row | picture->band_pitch[0] | x->s_count | x->own | x->own_end | column;
  const bool even = (all & 1) == 0 && x->d_count == x->s_count;
  const bool is_vector =
      COLUMN_STRIDE == 1 && even && (((ulong)picture->band[1] | (ulong)picture->band[0]) & (2 * sizeof(T) - 1)) == 0;
  const int from = x->own - column;
  const int s_end = min(x->own_end, x->s_count) - column, d_end = min(x->own_end, x->d_count) - column;
  const bool has_columns = item * window->own_pairs_x < window->pairs_x;
  UP_TO(n, window->own_pairs_y, MOST_OWN_PAIRS_Y) {
    const int line = y->begin + above + n, r = 2 * (REACH_LO + n);
    if (above + n >= window->pairs_y || !has_columns) continue;
    if (!window->is_coarsest) {
      local A *const to = kept + ((above + n) * window->pairs_x + item * window->own_pairs_x);
      if (window->own_pairs_x == 2) {
        *(local TwoNumbers *)to = (TwoNumbers)(KEEP_2D(0, 0, v[r][0]), KEEP_2D(0, 0, v[r][2]));
      } else {
        to[0] = KEEP_2D(0, 0, v[r][0]);
      }
    }
    if (line < y->own || line >= y->own_end) continue;
    global T *const lows = picture->band[1] + (line * row + column * COLUMN_STRIDE);
    const int to_details = x->s_count * COLUMN_STRIDE;
    if (window->is_coarsest)
      store_in_row(picture->band[0] + (line * picture->band_pitch[0] + column * COLUMN_STRIDE), window->own_pairs_x,
                   is_vector, from, s_end, STORED_ROW(0, 0));
    store_in_row(lows + to_details, window->own_pairs_x, is_vector, from, d_end, STORED_ROW(1, 0));
    if (line >= y->d_count) continue;
    store_in_row(lows + to_highs, window->own_pairs_x, is_vector, from, s_end, STORED_ROW(0, 1));
    store_in_row(lows + (to_highs + to_details), window->own_pairs_x, is_vector, from, d_end, STORED_ROW(1, 1));
  }
}

#endif
