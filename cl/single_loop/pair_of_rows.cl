// What it takes to go along a pair of rows, a vector at a time: the newest rows, the pair after them, and the results.

#include "cpu/pipeline_x.cl"
#include "single_loop/results.cl"
#include "single_loop/strip.cl"

// A pair of rows on its way through the pipelines.
typedef struct {
  Rows in, next;
  Ring ring;
  Results results;
  bool stores;  // whether its results are the row block's
  local A *borders;
} Sweep;

// The vectors of both rows, by age.
typedef AV Delays[2][X_KEPT];

// Sets out for pair of rows p, of a row block that begins at pair `begin`.
INLINE void set_out(Sweep *sweep, const Picture *picture, const int p, const int begin, const Strip *strip, local A *ring,
                    local A *borders, local A *gathered) {
  const bool apart = !X_FIRST && strip->extension == EXTENSION_NONE && strip->at_left;
  find_rows(&sweep->in, picture, p, strip->all.left);
  find_rows(&sweep->next, picture, p + 1, strip->all.left);
  find_ring(&sweep->ring, ring, p, ROW);
  const Columns to_end = {strip->all.left, strip->own.right, strip->own.width};
  const int first = apart ? max(BORDER_PLACES, strip->skipped) : strip->skipped;
  begin_results(&sweep->results, picture, p - Y_LAST_LAG, to_end, gathered, first);
#if !X_FIRST
  // A vector that pixels do not fill ends there, as the border is stored before it.
  if (strip->extension == EXTENSION_NONE && strip->at_right) {
    sweep->results.s_count = min(sweep->results.s_count, strip->right_border);
    sweep->results.d_count = min(sweep->results.d_count, strip->right_border);
  }
#endif
  sweep->stores = p - Y_LAST_LAG >= begin;
  sweep->borders = borders;
}

// Loads the vectors of both rows from place `at` on.
INLINE void load_newest(const Sweep *sweep, const Strip *strip, Delays s, Delays d, const int at, const bool whole) {
  UNROLL for (int cy = 0; cy < 2; ++cy) {
    if (whole)
      load_whole_pairs(&sweep->in, cy, at, &s[cy][0], &d[cy][0]);
    else if (is_beyond(strip, at))
      take_beyond(strip, sweep->borders + cy * ROW, at, &s[cy][0], &d[cy][0]);
    else
      load_pairs(&sweep->in, cy, at, s_count_of(strip->all), d_count_of(strip->all), &s[cy][0], &d[cy][0]);
    prefetch_pairs(&sweep->next, cy, at);
    s[cy][0] = SCALED_IN(s[cy][0], FACTOR_2D(IN, 0, cy), PRE_SHIFT);
    d[cy][0] = SCALED_IN(d[cy][0], FACTOR_2D(IN, 1, cy), PRE_SHIFT);
  }
}

#if !X_FIRST
// Stores a vector and nothing beyond its places: of a narrow picture the tail of a row is there
// before all of its head is.
INLINE void store_places(const AV v, local A *to) {
  if (FILLED) {
    STORE_V(v, to);
  } else {
    A some[VECTOR];
    JOIN(vstore, VECTOR)(v, 0, some);
    for (int i = 0; i < VECTOR_PLACES; ++i) to[i] = some[i];
  }
}

// What is at the borders of rows goes to a buffer when it is lifted along y. It is lifted along x and put in
// once the loop is through.
INLINE void keep_border(const Sweep *sweep, const Strip *strip, Delays s, Delays d, const int at) {
  const bool in_left = strip->at_left && at < 2 * BORDER_PLACES;
  const bool in_right = strip->at_right && at >= strip->right_border - BORDER_PLACES;
  const int place = at - strip->right_border + 3 * BORDER_PLACES;
  UNROLL for (int cy = 0; cy < 2; ++cy) {
    local A *const row = sweep->borders + cy * ROW;
    if (in_left) {
      store_places(s[cy][0], row + PLACE_s + at);
      store_places(d[cy][0], row + PLACE_d + at);
    }
    if (in_right) {
      store_places(s[cy][0], row + PLACE_s + place);
      store_places(d[cy][0], row + PLACE_d + place);
    }
  }
}
#endif

// Takes in the vectors from place `at` on, and lifts along x what has come to its turn. `inner` ones
// are whole and at no border.
INLINE void take_in(const Sweep *sweep, const Strip *strip, Delays s, Delays d, const int at, const bool inner) {
  UNROLL for (int cy = 0; cy < 2; ++cy) shift_delay_line(s[cy], d[cy]);
  if (inner || has_vector(strip, at)) {
    load_newest(sweep, strip, s, d, at, inner);
#if !X_FIRST
    lift_along_y(&sweep->ring, PLACE_s + RING_PLACE(at), &s[0][0], &s[1][0]);
    lift_along_y(&sweep->ring, PLACE_d + RING_PLACE(at), &d[0][0], &d[1][0]);
    if (!inner && strip->extension == EXTENSION_NONE) keep_border(sweep, strip, s, d, at);
#endif
  }
  UNROLL for (int cy = 0; cy < 2; ++cy) lift_along_x(s[cy], d[cy]);
}

// Takes in the vector from place `at` on that rows of whole vectors go on with, or have before them: `after`
// their end or before them.
INLINE void take_in_beyond(const Sweep *sweep, const Strip *strip, Delays s, Delays d, const int at, const bool after) {
  UNROLL for (int cy = 0; cy < 2; ++cy) {
    shift_delay_line(s[cy], d[cy]);
    load_beyond_whole(&sweep->in, strip, cy, at, after, &s[cy][0], &d[cy][0]);
    s[cy][0] = SCALED_IN(s[cy][0], FACTOR_2D(IN, 0, cy), PRE_SHIFT);
    d[cy][0] = SCALED_IN(d[cy][0], FACTOR_2D(IN, 1, cy), PRE_SHIFT);
  }
#if !X_FIRST
  lift_along_y(&sweep->ring, PLACE_s + RING_PLACE(at), &s[0][0], &s[1][0]);
  lift_along_y(&sweep->ring, PLACE_d + RING_PLACE(at), &d[0][0], &d[1][0]);
#endif
  UNROLL for (int cy = 0; cy < 2; ++cy) lift_along_x(s[cy], d[cy]);
}

// The same of nothing, to let the last results out.
INLINE void take_in_nothing(Delays s, Delays d) {
  UNROLL for (int cy = 0; cy < 2; ++cy) {
    shift_delay_line(s[cy], d[cy]);
    lift_along_x(s[cy], d[cy]);
  }
}

// The results at place `at`, whose vectors are X_LAST_LAG turns old. Those of a border come from its buffer: where x is
// first before they are lifted along y, else later.
INLINE bool results_of(const Sweep *sweep, const Strip *strip, Delays s, Delays d, const int at, const bool inner,
                       VectorsOfRows results) {
  const bool at_border = !inner && is_border_result(strip, at);
  UNROLL for (int cy = 0; cy < 2; ++cy) results[cy][0] = s[cy][X_LAST_LAG], results[cy][1] = d[cy][X_LAST_LAG];
#if X_FIRST
  if (at_border) {
    local const A *const row = sweep->borders + place_in_border(strip, at);
    UNROLL for (int cy = 0; cy < 2; ++cy)
      results[cy][0] = LOAD_V(row + cy * ROW + PLACE_s), results[cy][1] = LOAD_V(row + cy * ROW + PLACE_d);
  }
  lift_along_y(&sweep->ring, PLACE_s + RING_PLACE(at), &results[0][0], &results[1][0]);
  lift_along_y(&sweep->ring, PLACE_d + RING_PLACE(at), &results[0][1], &results[1][1]);
  return true;
#else
  return !at_border;
#endif
}

#if X_FIRST
// The borders of the first `rows` rows of pair p.
INLINE void lift_border_columns(const Picture *picture, const int p, const int rows, const Strip *strip, const int boundary,
                                local A *borders) {
  for (int cy = 0; cy < rows; ++cy) {
    load_buffer(picture, p, cy, strip->head, borders + cy * ROW);
    load_buffer(picture, p, cy, strip->tail, borders + cy * ROW + 2 * BORDER_PLACES);
  }
  lift_buffers_x(borders, rows, strip->joined, boundary);
}
#else
// Puts the results of a border from place `from` to place `to` of the strip, and nothing after them.
INLINE void put_border(const Sweep *sweep, const Strip *strip, const int from, const int to) {
  Results results = sweep->results;
  results.s_count = min(strip->skipped + s_count_of(strip->own), to);
  results.d_count = min(strip->skipped + d_count_of(strip->own), to);
  for (int cy = 0; cy < 2; ++cy) {
    for (int at = from; at < to; at += VECTOR_PLACES) {
      local const A *const row = sweep->borders + cy * ROW + place_in_border(strip, at);
      const AV channels[2] = {LOAD_V(row + PLACE_s), LOAD_V(row + PLACE_d)};
      if (results.gathers)
        put_through_caches(&results, cy, at, channels);
      else
        put_pairs(&results, cy, at, channels, false, false);
    }
  }
}

// Lifts what is at the borders along x, once the whole pair of rows is taken in, and stores it.
INLINE void put_borders(const Sweep *sweep, const Strip *strip, const int boundary) {
  const int end = strip->skipped + s_count_of(strip->own);
  if (strip->at_left || strip->at_right) lift_buffers_x(sweep->borders, 2, strip->joined, boundary);
  if (strip->at_left) put_border(sweep, strip, strip->skipped, min(BORDER_PLACES, end));
  if (strip->at_right) put_border(sweep, strip, strip->right_border, end);
}
#endif
