// single_loop_2d: one level in one loop over the picture, for CPU devices.
//
// A work-group is one work-item. It owns a strip of columns and a band of rows and goes down it, a pair of
// rows at a time. Within a pair of rows it goes along x a vector at a time, and everything happens to that
// vector while it is in registers: it is loaded, split into channels, lifted along x as a pipeline over
// vectors, lifted along y as a pipeline over the last Y_KEPT pairs of rows (which lie in a ring in the
// nearest caches), and stored. Results leave X_LAST_LAG vectors and Y_LAST_LAG pairs of rows behind.
//
// The boundary rule touches no inner loop. The ENDS pairs of columns beside a border are lifted along x in a
// row buffer of their own, and put in when the loop comes to them; the pairs of rows beside a border go
// through row_buffers.cl. The lags are those of the rule's effective offsets (Y_LAG_k).
//
// After the single-loop core of Barina and Zemcik 2015 and the advice on cache aliasing of Shahbahrami et
// al. 2008.
// Cost per sample: 1 global read and 1 write, and the reach again for each strip and band. For 9/7 in f32, a vector
// of both channels of two rows (4 * VECTOR samples) takes 4 loads, 4 stores and 4 requests ahead, 4 shuffles to
// split the channels, 16 multiply-adds and 8 shifts along x, 16 multiply-adds along y with 10 reads and 10 writes
// of the ring, and 2 scalings: 78 vector operations.
// Limited by memory on the two cores of Zen 5 measured (PoCL 3.1, 4096 x 4096): one core takes 0.21 ns a sample,
// two run at the rate of the copy. Without the requests ahead one takes 2.0 times as long forward, 1.4 inverse. Where
// one took 3.9 ms and two 2.9, plain C that reads and stores the same way without any arithmetic took 3.8 and 2.9.

// The strip of a work-item: it stores the columns of `own` and holds those of `all`.
typedef struct {
  Span own, all;
  bool at_left, at_right;
  int right_end;  // from this place on, results are those of the right end
} Strip;

// --- the ends of a row -------------------------------------------------------------------------------
// Both lie in one row buffer, the right one RIGHT places on.

#define RIGHT (2 * ENDS + VECTOR + 2 * MARGIN)

static inline Span left_span(const Strip *strip) {
  const Span span = {strip->all.left, strip->all.left + 2 * ENDS, strip->all.width};
  return span;
}

static inline Span right_span(const Strip *strip) {
  const Span span = {strip->all.left + strip->right_end - ENDS, strip->all.right, strip->all.width};
  return span;
}

// The place in a row buffer of the strip's pair `at`, which is at one of the ends.
INLINE int place_at_end(const Strip *strip, const int at) {
  return at < ENDS ? at : RIGHT + at - (strip->right_end - ENDS);
}

INLINE bool is_result_of_end(const Strip *strip, const int at) {
  return (strip->at_left && at < ENDS) || (strip->at_right && at >= strip->right_end);
}

// --- one pair of rows --------------------------------------------------------------------------------

// What it takes to go along a pair of rows: those taken in, the pair after them, and the results.
typedef struct {
  const Strip *strip;
  Rows in, next;
  Ring ring;
  Out out;
  local A *ends;
  int skipped;  // place of the strip's own columns
} Sweep;

// The vectors of both rows, by age.
typedef AV Aged[2][X_KEPT];

static inline Sweep sweep_at(const Plane *plane, const int p, const Strip *strip, local A *ring, local A *ends,
                             local A *gathered, const int first) {
  Sweep sweep;
  sweep.strip = strip;
  sweep.in = rows_at(plane, p, strip->all.left);
  sweep.next = rows_at(plane, p + 1, strip->all.left);
  sweep.ring = ring_at(ring, p);
  sweep.out = out_at(plane, p - Y_LAST_LAG, strip->own, gathered, first);
  sweep.ends = ends;
  sweep.skipped = strip->own.left - strip->all.left;
  return sweep;
}

// Takes in the vectors of both rows from place `at` on.
INLINE void take_in(const Sweep *sweep, Aged s, Aged d, const int at, const bool whole) {
  UNROLL for (int cy = 0; cy < 2; ++cy) {
    if (whole)
      load_whole_pairs(&sweep->in, cy, at, &s[cy][0], &d[cy][0]);
    else
      load_pairs(&sweep->in, cy, at, LOW_OF(sweep->strip->all), HIGH_OF(sweep->strip->all), &s[cy][0], &d[cy][0]);
    fetch_pairs(&sweep->next, cy, at);
    s[cy][0] = IN_V(s[cy][0], SCALE(IN, 0, cy));
    d[cy][0] = IN_V(d[cy][0], SCALE(IN, 1, cy));
  }
}

#if X_FIRST
// Takes in the vectors X_LAST_LAG after place `at`, and stores the results at that. Inner ones are whole
// vectors, and no results of ends.
INLINE void go_on(Sweep *sweep, Aged s, Aged d, const int at, const bool inner, const bool stores,
                  const bool gathers) {
  const Strip *const strip = sweep->strip;
  const int newest = at + X_LAST_LAG * VECTOR;
  UNROLL for (int cy = 0; cy < 2; ++cy) grow_older(s[cy], d[cy]);
  // The last vector is all results of the end.
  if (inner || newest + VECTOR <= HIGH_OF(strip->all)) take_in(sweep, s, d, newest, inner);
  UNROLL for (int cy = 0; cy < 2; ++cy) sweep_x(s[cy], d[cy]);
  if (!inner && at < sweep->skipped) return;
  AV ss = s[0][X_LAST_LAG], ds = d[0][X_LAST_LAG];
  AV sd = s[1][X_LAST_LAG], dd = d[1][X_LAST_LAG];
  if (!inner && is_result_of_end(strip, at)) {
    local const A *const row = sweep->ends + place_at_end(strip, at);
    ss = LOAD_V(row + X_s), ds = LOAD_V(row + X_d);
    sd = LOAD_V(row + ROW + X_s), dd = LOAD_V(row + ROW + X_d);
  }
  sweep_y(&sweep->ring, X_s + at, &ss, &sd);
  sweep_y(&sweep->ring, X_d + at, &ds, &dd);
  if (!stores) return;
  put_pairs(&sweep->out, 0, at - sweep->skipped, ss, ds, gathers);
  put_pairs(&sweep->out, 1, at - sweep->skipped, sd, dd, gathers);
  if (gathers) put_gathered(&sweep->out, at - sweep->skipped + VECTOR);
}

INLINE void lift_end(const Plane *plane, const int p, const Span span, const int boundary, local A *end) {
  for (int cy = 0; cy < 2; ++cy) load_row(plane, p, cy, span, end + cy * ROW);
  lift_along(end, 2, span, boundary);
}

#else
INLINE void go_on(Sweep *sweep, Aged s, Aged d, const int at, const bool inner, const bool stores,
                  const bool gathers) {
  const Strip *const strip = sweep->strip;
  const int newest = at + X_LAST_LAG * VECTOR;
  UNROLL for (int cy = 0; cy < 2; ++cy) grow_older(s[cy], d[cy]);
  if (inner || newest < LOW_OF(strip->all)) {
    take_in(sweep, s, d, newest, inner);
    sweep_y(&sweep->ring, X_s + newest, &s[0][0], &s[1][0]);
    sweep_y(&sweep->ring, X_d + newest, &d[0][0], &d[1][0]);
  }
  if (!inner && newest < LOW_OF(strip->all)) {
    const bool in_left = strip->at_left && newest < 2 * ENDS;
    const bool in_right = strip->at_right && newest >= strip->right_end - ENDS;
    UNROLL for (int cy = 0; cy < 2; ++cy) {
      local A *const row = sweep->ends + cy * ROW;
      if (in_left) {
        STORE_V(s[cy][0], row + X_s + newest);
        STORE_V(d[cy][0], row + X_d + newest);
      }
      if (in_right) {
        STORE_V(s[cy][0], row + RIGHT + X_s + newest - (strip->right_end - ENDS));
        STORE_V(d[cy][0], row + RIGHT + X_d + newest - (strip->right_end - ENDS));
      }
    }
  }
  UNROLL for (int cy = 0; cy < 2; ++cy) sweep_x(s[cy], d[cy]);
  if (!stores || (!inner && (at < sweep->skipped || is_result_of_end(strip, at)))) return;
  UNROLL for (int cy = 0; cy < 2; ++cy)
    put_pairs(&sweep->out, cy, at - sweep->skipped, s[cy][X_LAST_LAG], d[cy][X_LAST_LAG], gathers);
  if (gathers) put_gathered(&sweep->out, at - sweep->skipped + VECTOR);
}

INLINE void put_end(const Out *out, const Span span, local A *end, const Strip *strip, const int boundary,
                    const int from, const int to) {
  lift_along(end, 2, span, boundary);
  for (int cy = 0; cy < 2; ++cy) {
    for (int at = from; at < to; at += VECTOR) {
      local const A *const row = end + cy * ROW + at - (span.left - strip->all.left);
      const AV s = LOAD_V(row + X_s), d = LOAD_V(row + X_d);
      put_pairs(out, cy, at - (strip->own.left - strip->all.left), s, d, false);
    }
  }
}
#endif

// Takes in pair of rows p, which no border is near to, and stores the results of pair p - Y_LAST_LAG.
INLINE void sweep_rows(const Plane *plane, const int boundary, const int p, const Strip *strip, local A *ring,
                       local A *ends, local A *gathered, const bool stores) {
#if X_FIRST
  if (strip->at_left) lift_end(plane, p, left_span(strip), boundary, ends);
  if (strip->at_right) lift_end(plane, p, right_span(strip), boundary, ends + RIGHT);
#endif
  const int skipped = strip->own.left - strip->all.left;
  Sweep sweep = sweep_at(plane, p, strip, ring, ends, gathered,
                         !X_FIRST && strip->at_left ? max(ENDS - skipped, 0) : 0);
  const int end = strip->own.right - strip->all.left;
  // What of the way is inner: for ends, 2 * ENDS are taken in at either side.
  const int from = strip->at_left ? 2 * ENDS : skipped;
  const int to = (strip->at_right ? strip->right_end - ENDS : HIGH_OF(strip->all)) - (X_LAST_LAG + 1) * VECTOR;
  const bool gathers = sweep.out.gathers, is_plain = stores && is_dense(&sweep.in);

  Aged s, d;
  UNROLL for (int age = 0; age < X_KEPT; ++age) s[0][age] = s[1][age] = d[0][age] = d[1][age] = 0;
  int at = -X_LAST_LAG * VECTOR;
  for (; at < min(from, end); at += VECTOR) go_on(&sweep, s, d, at, false, stores, gathers);
  if (is_plain && gathers)
    for (; at <= to; at += VECTOR) go_on(&sweep, s, d, at, true, true, true);
  else if (is_plain)
    for (; at <= to; at += VECTOR) go_on(&sweep, s, d, at, true, true, false);
  for (; at < end; at += VECTOR) go_on(&sweep, s, d, at, false, stores, gathers);
  if (!stores) return;
  if (gathers) fetch_seams(plane, p - Y_LAST_LAG + 1, strip->own);

#if X_FIRST
  if (gathers) put_rest(&sweep.out, end - skipped);
#else
  if (gathers)
    put_rest(&sweep.out, min(strip->at_right ? strip->right_end : end, end) - skipped);
  if (strip->at_left)
    put_end(&sweep.out, left_span(strip), ends, strip, boundary, skipped, min(ENDS, end));
  if (strip->at_right)
    put_end(&sweep.out, right_span(strip), ends + RIGHT, strip, boundary, strip->right_end, end);
#endif
}

// --- the loop ----------------------------------------------------------------------------------------

static inline Strip strip_at(const Pass *pass, const int number, const int width) {
  const int columns = S_COUNT(width), first = number * pass->step;
  Strip strip;
  strip.own.left = first;
  strip.own.right = min(first + pass->step, columns);
  strip.all.left = max(strip.own.left - HALO_LO, 0);
  strip.all.right = min(strip.own.right + HALO_HI, columns);
  strip.own.width = strip.all.width = width;
  strip.at_left = strip.all.left == 0;
  strip.at_right = strip.all.right == columns;
  // The last vector whose results depend on whole vectors only, and on no border.
  strip.right_end = HIGH_OF(strip.all) / VECTOR * VECTOR - ENDS;
  return strip;
}

// The same by rows, where a border is near or the strip is too narrow for ends of its own.
INLINE void step_by_step(const Plane *plane, const int boundary, const int p, const int top, const int begin,
                         const Strip *strip, local A *ring, local A *zeros, local A *result) {
  for (int cy = 0; cy < 2; ++cy) {
    if (2 * p + cy >= plane->height) break;
    load_row(plane, p, cy, strip->all, RING_ROW(p, cy));
    if (X_FIRST) lift_along(RING_ROW(p, cy), 1, strip->all, boundary);
  }
  lift_across(ring, zeros, p, top, LOW_OF(strip->all), plane->height, boundary);
  const int done = p - Y_LAST_LAG;
  if (done < begin) return;
  for (int cy = 0; cy < 2; ++cy) {
    if (2 * done + cy >= plane->height) break;
    local const A *row = RING_ROW(done, cy);
    if (!X_FIRST) {
      HELD_PLACES(i, LOW_OF(strip->all)) STORE_V(LOAD_V(row + i), result + i);
      lift_along(result, 1, strip->all, boundary);
      row = result;
    }
    store_row(plane, done, cy, strip->own, row, strip->own.left - strip->all.left);
  }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void single_loop_2d(global T *from, global T *to, global T *corner, const Pass pass) {
  // All rows lie in one array, as Intel's CPU runtime needs it; of vectors, so that they start at whole ones.
  local AV memory[ROWS * ROW / VECTOR];
  local A *const ring = (local A *)memory, *const zeros = ring + 2 * Y_KEPT * ROW, *const ends = zeros + ROW;
  local A *const gathered = ends + 2 * ROW, *const result = gathered + GATHERED_ROWS * ROW;

  const int number = get_group_id(0), rest = number / pass.groups;
  const Plane plane = PLANE(rest / pass.segments);
  const Strip strip = strip_at(&pass, number % pass.groups, plane.width);
  for (int row = 0; row < (2 * Y_KEPT + 1) * ROW; row += ROW)
    HELD_PLACES(i, LOW_OF(strip.all)) STORE_V((AV)(0), ring + row + i);

  const int rows = S_COUNT(plane.height);
  const int begin = rest % pass.segments * pass.windows, end = min(begin + pass.windows, rows);
  const int top = max(begin - HALO_TOP, 0);
  const bool wide = HIGH_OF(strip.all) >= 2 * ENDS;

  for (int p = top; p < end + Y_LAST_LAG; ++p) {
    // The rows before an inner seam are never stored.
    const bool inside = 2 * p + 1 < plane.height && (top > 0 || p + 1 >= Y_KEPT);
    if (wide && inside)
      sweep_rows(&plane, pass.boundary, p, &strip, ring, ends, gathered, p - Y_LAST_LAG >= begin);
    else
      step_by_step(&plane, pass.boundary, p, top, begin, &strip, ring, zeros, result);
  }
}
