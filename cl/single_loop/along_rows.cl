// Pairs of rows through the pipeline along x, one after the other: what a pair goes on with and what comes before the
// next one are vectors between them, and the last results of the one leave while the first vectors of the other come
// in. So the pipeline neither fills nor empties at the ends of rows. By that pictures of 128 x 128 take 0.78 of the
// time in f32 by 9/7 (inverse 0.77), of 256 x 256 0.81 (0.84), of 4096 x 4096 0.95 (0.88), i16 by 5/3 0.88 (0.89) and
// 0.9 (0.91) for the latter two. Rows that end within a vector take as long, and narrow ones whose borders are lifted
// apart, inverse, 1.1 times (PoCL 3.1, one core of Zen 4).

#include "single_loop/pair_of_rows.cl"

// Stores the results at place `at`, if these are any.
INLINE void store_vectors(Sweep *sweep, const Strip *strip, Delays s, Delays d, const int at, const bool inner,
                          const bool stores, const bool gathers, const bool known) {
  VectorsOfRows results;
  if (!results_of(sweep, strip, s, d, at, inner, results) || !stores) return;
  UNROLL for (int cy = 0; cy < 2; ++cy) put_pairs(&sweep->results, cy, at, results[cy], gathers, known);
  if (gathers) put_gathered(&sweep->results, at + VECTOR_PLACES);
}

// Goes on by a vector of both rows, and stores the results at place `at`, which that gives.
INLINE void advance_and_store(Sweep *sweep, const Strip *strip, Delays s, Delays d, const int at, const bool inner,
                              const bool stores, const bool gathers, const bool known) {
  take_in(sweep, strip, s, d, at + X_LAST_LAG * VECTOR_PLACES, inner);
  store_vectors(sweep, strip, s, d, at, inner, stores, gathers, known);
}

// The same by two inner vectors, forward.
INLINE void advance_by_two(Sweep *sweep, const Strip *strip, Delays s, Delays d, const int at) {
  VectorsOfRows one, two;
  take_in(sweep, strip, s, d, at + X_LAST_LAG * VECTOR, true);
  results_of(sweep, strip, s, d, at, true, one);
  take_in(sweep, strip, s, d, at + (X_LAST_LAG + 1) * VECTOR, true);
  results_of(sweep, strip, s, d, at + VECTOR, true, two);
  UNROLL for (int cy = 0; cy < 2; ++cy) put_two(&sweep->results, cy, at, one[cy], two[cy]);
}

// Goes along inner vectors of rows that are dense, from place `at` on and no further than `to`, and gives the
// place that it has come to.
INLINE int sweep_inner(Sweep *sweep, const Strip *strip, Delays s, Delays d, int at, const int to) {
  if (sweep->results.gathers) {
    for (; at <= to; at += VECTOR_PLACES) advance_and_store(sweep, strip, s, d, at, true, true, true, false);
    return at;
  }
  if (FORWARD && NON_TEMPORAL && SHORT && FILLED && sweep->results.by_twos) {
    if ((at - sweep->results.first) / VECTOR % 2 && at <= to) {
      advance_and_store(sweep, strip, s, d, at, true, true, false, true);
      at += VECTOR;
    }
    for (; at + VECTOR <= to; at += 2 * VECTOR) advance_by_two(sweep, strip, s, d, at);
    return at;
  }
  // By this, 1024 x 1024 takes 0.85 of the CPU time in f32 by 9/7 (inverse as long), 0.9 by 5/3, 0.85 in i32 by 5/3,
  // 0.8 in f64, i16 by 5/3 0.94, pixels of u8 0.89 (PoCL 3.1; on Intel's runtime f32 0.9); f32 past the caches as long,
  // f64 back from there 1.1.
  const bool is_slower = DOUBLE && NON_TEMPORAL && !FORWARD;
  if (FILLED && !is_slower && sweep->results.known) {
    for (; at <= to; at += VECTOR) advance_and_store(sweep, strip, s, d, at, true, true, false, true);
    return at;
  }
  for (; at <= to; at += VECTOR_PLACES) advance_and_store(sweep, strip, s, d, at, true, true, false, false);
  return at;
}

// Goes from pair of rows p - 1, which is `last`, to pair p, which is `next`: takes in what `last` goes on with, what
// comes before `next`, and the first X_LAST_LAG vectors of that. The last results of `last` leave on the way.
INLINE void join_rows(Sweep *last, const Sweep *next, const Strip *strip, Delays s, Delays d) {
  const int end = end_of_own(strip), left = end - X_LAST_LAG * VECTOR_PLACES, before = VECTORS_AFTER + VECTORS_BEFORE;
  UNROLL for (int i = 0; i < before + X_LAST_LAG; ++i) {
    if (i < VECTORS_AFTER)
      take_in_beyond(last, strip, s, d, end + i * VECTOR_PLACES, true);
    else if (i < before)
      take_in_beyond(next, strip, s, d, strip->skipped + (i - before) * VECTOR_PLACES, false);
    else
      take_in(next, strip, s, d, strip->skipped + (i - before) * VECTOR_PLACES, true);
    if (i < X_LAST_LAG) store_vectors(last, strip, s, d, left + i * VECTOR_PLACES, true, true, false, true);
  }
}

// The same where rows end within a vector, or do not go on; and where one of the two is not there.
INLINE void join_any_rows(const Picture *picture, const int p, Sweep *last, const bool has_last, const Sweep *next,
                          const bool has_next, const Strip *strip, const int boundary, Delays s, Delays d) {
  const bool gathers = last->results.gathers, stores = has_last && last->stores, ends = strip->extension == EXTENSION_NONE;
  const int before = ends && strip->own.left == 0 ? 0 : VECTORS_BEFORE;
  const int after = ends && strip->own.right == S_COUNT(strip->own.width) ? 0 : VECTORS_AFTER;
  const int end = end_of_own(strip), left = end - X_LAST_LAG * VECTOR_PLACES;
  if (has_last && strip->is_whole)
    for (int cy = 0; cy < 2; ++cy) load_beyond(picture, p - 1, cy, strip->extension, last->borders + cy * ROW);
  for (int i = 0; i < after && has_last; ++i) {
    take_in(last, strip, s, d, end + i * VECTOR_PLACES, false);
    if (i < X_LAST_LAG) store_vectors(last, strip, s, d, left + i * VECTOR_PLACES, false, stores, gathers, false);
  }
#if !X_FIRST
  // A narrow strip has some of its border in what follows it.
  if (ends && stores) put_borders(last, strip, boundary);
#endif
  for (int cy = 0; cy < 2 && has_next && goes_on(strip); ++cy)
    load_beyond(picture, p, cy, strip->extension, next->borders + cy * ROW);
  for (int i = after; i < (has_next ? after + before + X_LAST_LAG : X_LAST_LAG); ++i) {
    const int at = strip->skipped + (i - after - before) * VECTOR_PLACES;
    if (!has_next)
      take_in_nothing(s, d);
    else if (!ends && i >= after + before && at + VECTOR <= d_count_of(strip->all) && is_dense(&next->in))
      take_in(next, strip, s, d, at, true);
    else
      take_in(next, strip, s, d, at, false);
    if (has_last && i < X_LAST_LAG)
      store_vectors(last, strip, s, d, left + i * VECTOR_PLACES, false, stores, gathers, false);
  }
  if (!stores || !gathers) return;
  prefetch_seams(picture, p - Y_LAST_LAG, strip->own);
  const bool apart = !X_FIRST && ends && strip->at_right;
  put_rest(&last->results, apart ? min(strip->right_border, end) : end);
}

// Goes along a pair of rows, which is in no border's reach, from where `join_rows` has come to, to its last vector.
INLINE void sweep_rows(Sweep *sweep, const Strip *strip, Delays s, Delays d) {
  const bool ends = strip->extension == EXTENSION_NONE, gathers = sweep->results.gathers;
  const int end = end_of_own(strip) - X_LAST_LAG * VECTOR_PLACES;
  // What of the way is inner: neither results of a border, nor, where y is first, what these are lifted from.
  const int kept = X_FIRST ? 0 : 2 * BORDER_PLACES - X_LAST_LAG * VECTOR_PLACES;
  const int from = ends && strip->at_left ? max(BORDER_PLACES, kept) : strip->skipped;
  const int border = strip->right_border + (X_FIRST ? X_LAST_LAG * VECTOR_PLACES : -BORDER_PLACES);
  const int last = ends && strip->at_right ? min(border, d_count_of(strip->all)) : d_count_of(strip->all);
  const int to = min(last - X_LAST_LAG * VECTOR_PLACES, end) - VECTOR;

  const bool has_inner = sweep->stores && is_dense(&sweep->in);
  for (int at = strip->skipped; at < end; at += VECTOR_PLACES) {
    if (has_inner && at >= from) at = sweep_inner(sweep, strip, s, d, at, to);
    if (at < end) advance_and_store(sweep, strip, s, d, at, false, sweep->stores, gathers, false);
  }
}
