// What it takes to go along a pair of rows, a vector at a time: the newest rows, the pair after them, and the results.

#include "cpu/pipeline_x.cl"
#include "single_loop/results.cl"
#include "single_loop/strip.cl"

typedef struct {
  const Strip *strip;
  Rows in, next;
  Ring ring;
  Results results;
  local A *borders;
} Sweep;

// The vectors of both rows, by age.
typedef AV Aged[2][X_KEPT];

static inline Sweep sweep_at(const Picture *picture, const int p, const Strip *strip, local A *ring, local A *borders,
                             local A *gathered, const int first) {
  Sweep sweep;
  sweep.strip = strip;
  sweep.in = rows_at(picture, p, strip->all.left);
  sweep.next = rows_at(picture, p + 1, strip->all.left);
  sweep.ring = ring_at(ring, p, ROW);
  sweep.results = results_at(picture, p - Y_LAST_LAG, strip->own, gathered, first);
  sweep.borders = borders;
  return sweep;
}

// Loads the vectors of both rows from place `at` on.
INLINE void load_newest(const Sweep *sweep, Aged s, Aged d, const int at, const bool whole) {
  UNROLL for (int cy = 0; cy < 2; ++cy) {
    if (whole)
      load_whole_pairs(&sweep->in, cy, at, &s[cy][0], &d[cy][0]);
    else if (is_beyond(sweep->strip, at))
      take_beyond(sweep->strip, sweep->borders + cy * ROW, at, &s[cy][0], &d[cy][0]);
    else
      load_pairs(&sweep->in, cy, at, s_count_of(sweep->strip->all), d_count_of(sweep->strip->all), &s[cy][0], &d[cy][0]);
    prefetch_pairs(&sweep->next, cy, at);
    s[cy][0] = SCALED_IN(s[cy][0], FACTOR_2D(IN, 0, cy), PRE_SHIFT);
    d[cy][0] = SCALED_IN(d[cy][0], FACTOR_2D(IN, 1, cy), PRE_SHIFT);
  }
}

#if X_FIRST
// The borders of rows are lifted along x before the loop comes to them, which lifts their results along y.

// Loads the vectors X_LAST_LAG after place `at`, and gives the results at that, if there are any to store. Inner ones are whole
// vectors, and no results of borders.
INLINE bool advance(const Sweep *sweep, Aged s, Aged d, const int at, const bool inner, Turn results) {
  const Strip *const strip = sweep->strip;
  const int newest = at + X_LAST_LAG * VECTOR_PLACES;
  UNROLL for (int cy = 0; cy < 2; ++cy) grow_older(s[cy], d[cy]);
  // Where the row ends, the last vector is all results of the border.
  const int end = strip->extension == EXTENSION_NONE ? d_count_of(strip->all) - VECTOR_PLACES + 1 : end_of(strip);
  if (inner || newest < end) load_newest(sweep, s, d, newest, inner);
  UNROLL for (int cy = 0; cy < 2; ++cy) lift_along_x(s[cy], d[cy]);
  if (!inner && at < strip->skipped) return false;
  AV ss = s[0][X_LAST_LAG], ds = d[0][X_LAST_LAG];
  AV sd = s[1][X_LAST_LAG], dd = d[1][X_LAST_LAG];
  if (!inner && is_border_result(strip, at)) {
    local const A *const row = sweep->borders + place_in_border(strip, at);
    ss = LOAD_V(row + PLACE_s), ds = LOAD_V(row + PLACE_d);
    sd = LOAD_V(row + ROW + PLACE_s), dd = LOAD_V(row + ROW + PLACE_d);
  }
  lift_along_y(&sweep->ring, PLACE_s + RING_PLACE(at), &ss, &sd);
  lift_along_y(&sweep->ring, PLACE_d + RING_PLACE(at), &ds, &dd);
  results[0][0] = ss, results[0][1] = ds, results[1][0] = sd, results[1][1] = dd;
  return true;
}

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
// What is at the borders of rows goes to a buffer when it is lifted along y. It is lifted along x and put in once the loop is through.

// Stores a vector and nothing beyond its places: of a narrow picture the tail of a row is there before all of its head is.
INLINE void store_places(const AV v, local A *to) {
  if (FILLED) {
    STORE_V(v, to);
  } else {
    A some[VECTOR];
    JOIN(vstore, VECTOR)(v, 0, some);
    for (int i = 0; i < VECTOR_PLACES; ++i) to[i] = some[i];
  }
}

// As where x is first.
INLINE bool advance(const Sweep *sweep, Aged s, Aged d, const int at, const bool inner, Turn results) {
  const Strip *const strip = sweep->strip;
  const int newest = at + X_LAST_LAG * VECTOR_PLACES;
  UNROLL for (int cy = 0; cy < 2; ++cy) grow_older(s[cy], d[cy]);
  if (inner || newest < end_of(strip)) {
    load_newest(sweep, s, d, newest, inner);
    lift_along_y(&sweep->ring, PLACE_s + RING_PLACE(newest), &s[0][0], &s[1][0]);
    lift_along_y(&sweep->ring, PLACE_d + RING_PLACE(newest), &d[0][0], &d[1][0]);
  }
  if (!inner && strip->extension == EXTENSION_NONE && newest < s_count_of(strip->all)) {
    const bool in_left = strip->at_left && newest < 2 * BORDER_PLACES;
    const bool in_right = strip->at_right && newest >= strip->right_border - BORDER_PLACES;
    UNROLL for (int cy = 0; cy < 2; ++cy) {
      local A *const row = sweep->borders + cy * ROW;
      if (in_left) {
        store_places(s[cy][0], row + PLACE_s + newest);
        store_places(d[cy][0], row + PLACE_d + newest);
      }
      if (in_right) {
        const int place = newest - strip->right_border + 3 * BORDER_PLACES;
        store_places(s[cy][0], row + PLACE_s + place);
        store_places(d[cy][0], row + PLACE_d + place);
      }
    }
  }
  UNROLL for (int cy = 0; cy < 2; ++cy) lift_along_x(s[cy], d[cy]);
  if (!inner && (at < strip->skipped || is_border_result(strip, at))) return false;
  UNROLL for (int cy = 0; cy < 2; ++cy) results[cy][0] = s[cy][X_LAST_LAG], results[cy][1] = d[cy][X_LAST_LAG];
  return true;
}

// Puts the results of a border from place `from` to place `to` of the strip, and nothing after them, which is there already.
INLINE void put_border(const Sweep *sweep, const int from, const int to) {
  Results results = sweep->results;
  results.s_count = min(results.s_count, to - sweep->strip->skipped);
  results.d_count = min(results.d_count, to - sweep->strip->skipped);
  for (int cy = 0; cy < 2; ++cy) {
    for (int at = from; at < to; at += VECTOR_PLACES) {
      local const A *const row = sweep->borders + cy * ROW + place_in_border(sweep->strip, at);
      const AV channels[2] = {LOAD_V(row + PLACE_s), LOAD_V(row + PLACE_d)};
      put_pairs(&results, cy, at - sweep->strip->skipped, channels, false, false);
    }
  }
}
#endif
