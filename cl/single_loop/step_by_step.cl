// A pair of rows step by step, near a border or where the strip is too narrow for borders of its own.

#include "single_loop/strip.cl"

#if X_FIRST
INLINE void copy_places(local const A *from, local A *to, const int count) {
  for (int i = 0; i < count; ++i) to[PLACE_s + i] = from[PLACE_s + i], to[PLACE_d + i] = from[PLACE_d + i];
}

// Puts the results of a row's borders into the strip's row.
INLINE void copy_border(const Strip *strip, local const A *border, local A *row) {
  if (strip->at_left) copy_places(border, row, BORDER_PLACES);
  if (strip->at_right)
    copy_places(border + 3 * BORDER_PLACES, row + strip->right_border, s_count_of(strip->all) - strip->right_border);
}
#endif

// Copies a row of `count` places, whose vectors are `from_next` places apart, to one where they are `to_next` apart.
INLINE void copy_row(local const A *from, const int from_next, local A *to, const int to_next, const int count) {
  for (int place = 0, i = 0; place < count; place += VECTOR_PLACES, ++i) {
    STORE_V(LOAD_V(from + PLACE_s + i * from_next), to + PLACE_s + i * to_next);
    STORE_V(LOAD_V(from + PLACE_d + i * from_next), to + PLACE_d + i * to_next);
  }
}

// Puts row pair p into the ring, lifts what has come to its turn, and stores the results of pair p - Y_LAST_LAG. Where
// pixels do not fill a vector, rows of the ring are no row buffers.
INLINE void step_by_step(const Picture *picture, const Column *column, const int p, const int top, const int begin,
                         const Strip *strip, local A *ring, local A *zeros, local A *borders, local A *result) {
  const int from = first_in_ring(strip), to = end_in_ring(strip);
  for (int cy = 0; cy < 2; ++cy) {
    if (!has_row(column, p, cy)) break;
    local A *const in = RING_ROW(p, cy, ROW), *const row = FILLED ? in : result;
    load_buffer(picture, p, cy, strip->all, row);
#if X_FIRST
    lift_buffers_x(row, 1, strip->all, column->boundary);
    if (is_cut(strip, column->boundary)) copy_border(strip, borders + cy * ROW, row);
#endif
    if (!FILLED) copy_row(row, VECTOR_PLACES, in, VECTOR, s_count_of(strip->all));
#if !X_FIRST
    if (goes_on(strip)) load_beyond(picture, p, cy, strip->extension, borders + cy * ROW);
    for (int at = from; at < to; at += VECTOR_PLACES) {
      if (!is_beyond(strip, at)) continue;
      AV s, d;
      take_beyond(strip, borders + cy * ROW, at, &s, &d);
      STORE_V(SCALED_IN(s, FACTOR_2D(IN, 0, cy), PRE_SHIFT), in + PLACE_s + RING_PLACE(at));
      STORE_V(SCALED_IN(d, FACTOR_2D(IN, 1, cy), PRE_SHIFT), in + PLACE_d + RING_PLACE(at));
    }
#endif
  }
  lift_buffers_y(ring, zeros, p, top, RING_PLACE(from), RING_PLACES(to), column);
  const int done = p - Y_LAST_LAG;
  if (done < begin) return;
  for (int cy = 0; cy < 2; ++cy) {
    if (!has_row(column, done, cy)) break;
    local const A *row = RING_ROW(done, cy, ROW);
    if (!X_FIRST || !FILLED) {
      copy_row(row + RING_PLACE(from), VECTOR, result + from, VECTOR_PLACES, to - from);
      row = result;
    }
    if (!X_FIRST) lift_buffers_x(result + from, 1, all_of(strip), column->boundary);
    store_buffer(picture, done, cy, strip->own, row, strip->skipped);
  }
}
