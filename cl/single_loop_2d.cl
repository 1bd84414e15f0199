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
// Cost per sample: 1 global read and 1 write, and the reach again for each strip and band.

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

// Takes in pair of rows p, which no border is near to, and stores the results of pair p - Y_LAST_LAG.
#if X_FIRST
INLINE void lift_end(const Plane *plane, const int p, const Span span, const int boundary, local A *end) {
  for (int cy = 0; cy < 2; ++cy) load_row(plane, p, cy, span, end + cy * ROW);
  lift_along(end, 2, span, boundary);
}

INLINE void sweep(const Plane *plane, const int boundary, const int p, const Strip *strip, local A *memory,
                  local A *ends, local A *gathered, const bool stores) {
  if (strip->at_left) lift_end(plane, p, left_span(strip), boundary, ends);
  if (strip->at_right) lift_end(plane, p, right_span(strip), boundary, ends + RIGHT);
  const Rows in = rows_at(plane, p, strip->all.left), next = rows_at(plane, p + 1, strip->all.left);
  Out out = out_at(plane, p - Y_LAST_LAG, strip->own, gathered, 0);
  const Ring ring = ring_at(memory, p);
  const int whole = HIGH_OF(strip->all) / VECTOR * VECTOR;
  const int skipped = strip->own.left - strip->all.left, end = strip->own.right - strip->all.left;
  AV s[2][X_KEPT], d[2][X_KEPT];
  UNROLL for (int age = 0; age < X_KEPT; ++age) s[0][age] = d[0][age] = s[1][age] = d[1][age] = 0;

  for (int at = -X_LAST_LAG * VECTOR; at < end; at += VECTOR) {
    const int newest = at + X_LAST_LAG * VECTOR;
    UNROLL for (int cy = 0; cy < 2; ++cy) {
      grow_older(s[cy], d[cy]);
      if (newest < whole) {
        load_pairs(&in, cy, newest, whole, whole, &s[cy][0], &d[cy][0]);
        fetch_pairs(&next, cy, newest);
        s[cy][0] = IN_V(s[cy][0], SCALE(IN, 0, cy));
        d[cy][0] = IN_V(d[cy][0], SCALE(IN, 1, cy));
      }
      sweep_x(s[cy], d[cy]);
    }
    if (at < skipped) continue;
    AV ss = s[0][X_LAST_LAG], ds = d[0][X_LAST_LAG], sd = s[1][X_LAST_LAG], dd = d[1][X_LAST_LAG];
    if (is_result_of_end(strip, at)) {
      local const A *const row = ends + place_at_end(strip, at);
      ss = LOAD_V(row + X_s), ds = LOAD_V(row + X_d);
      sd = LOAD_V(row + ROW + X_s), dd = LOAD_V(row + ROW + X_d);
    }
    sweep_y(&ring, X_s + at, &ss, &sd);
    sweep_y(&ring, X_d + at, &ds, &dd);
    if (stores) {
      put_pairs(&out, 0, at - skipped, ss, ds);
      put_pairs(&out, 1, at - skipped, sd, dd);
      put_gathered(&out, at - skipped + VECTOR);
    }
  }
  if (stores) put_rest(&out, end - skipped);
}

#else
INLINE void put_end(const Out *out, const Span span, local A *row, const Strip *strip, const int boundary,
                    const int from, const int to) {
  lift_along(row, 2, span, boundary);
  for (int cy = 0; cy < 2; ++cy) {
    for (int at = from; at < to; at += VECTOR) {
      local const A *const result = row + cy * ROW + at - (span.left - strip->all.left);
      put_pairs(out, cy, at - (strip->own.left - strip->all.left), LOAD_V(result + X_s), LOAD_V(result + X_d));
    }
  }
}

INLINE void sweep(const Plane *plane, const int boundary, const int p, const Strip *strip, local A *memory,
                  local A *ends, local A *gathered, const bool stores) {
  const Rows in = rows_at(plane, p, strip->all.left), next = rows_at(plane, p + 1, strip->all.left);
  Out out = out_at(plane, p - Y_LAST_LAG, strip->own, gathered, strip->at_left ? ENDS : 0);
  const Ring ring = ring_at(memory, p);
  const int low = LOW_OF(strip->all), high = HIGH_OF(strip->all);
  const int skipped = strip->own.left - strip->all.left, end = strip->own.right - strip->all.left;
  AV s[2][X_KEPT], d[2][X_KEPT];
  UNROLL for (int age = 0; age < X_KEPT; ++age) s[0][age] = d[0][age] = s[1][age] = d[1][age] = 0;

  for (int at = -X_LAST_LAG * VECTOR; at < end; at += VECTOR) {
    const int newest = at + X_LAST_LAG * VECTOR;
    grow_older(s[0], d[0]);
    grow_older(s[1], d[1]);
    if (newest < low) {
      UNROLL for (int cy = 0; cy < 2; ++cy) {
        load_pairs(&in, cy, newest, low, high, &s[cy][0], &d[cy][0]);
        fetch_pairs(&next, cy, newest);
        s[cy][0] = IN_V(s[cy][0], SCALE(IN, 0, cy));
        d[cy][0] = IN_V(d[cy][0], SCALE(IN, 1, cy));
      }
      sweep_y(&ring, X_s + newest, &s[0][0], &s[1][0]);
      sweep_y(&ring, X_d + newest, &d[0][0], &d[1][0]);
      const bool in_left = strip->at_left && newest < 2 * ENDS;
      const bool in_right = strip->at_right && newest >= strip->right_end - ENDS;
      UNROLL for (int cy = 0; cy < 2; ++cy) {
        local A *const row = ends + cy * ROW;
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
    sweep_x(s[0], d[0]);
    sweep_x(s[1], d[1]);
    if (!stores || at < skipped || is_result_of_end(strip, at)) continue;
    put_pairs(&out, 0, at - skipped, s[0][X_LAST_LAG], d[0][X_LAST_LAG]);
    put_pairs(&out, 1, at - skipped, s[1][X_LAST_LAG], d[1][X_LAST_LAG]);
    put_gathered(&out, at - skipped + VECTOR);
  }
  if (!stores) return;
  put_rest(&out, (strip->at_right ? strip->right_end : end) - skipped);
  out.gathers = false;
  if (strip->at_left) put_end(&out, left_span(strip), ends, strip, boundary, 0, ENDS);
  if (strip->at_right)
    put_end(&out, right_span(strip), ends + RIGHT, strip, boundary, strip->right_end, end);
}
#endif

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
      for (int i = 0; i < ROW; i += VECTOR) STORE_V(LOAD_V(row + i), result + i);
      lift_along(result, 1, strip->all, boundary);
      row = result;
    }
    store_row(plane, done, cy, strip->own, row, strip->own.left - strip->all.left);
  }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void single_loop_2d(global T *from, global T *to, global T *corner, const Pass pass) {
  // All rows lie in one array, as Intel's CPU runtime needs it.
  local A memory[ROWS * ROW];
  for (int i = 0; i < (2 * Y_KEPT + 1) * ROW; i += VECTOR) STORE_V((AV)(0), memory + i);
  local A *const ring = memory, *const zeros = ring + 2 * Y_KEPT * ROW, *const ends = zeros + ROW;
  local A *const gathered = ends + 2 * ROW, *const result = gathered + GATHERED_ROWS * ROW;

  const int number = get_group_id(0), rest = number / pass.groups;
  const Plane plane = PLANE(rest / pass.segments);
  const Strip strip = strip_at(&pass, number % pass.groups, plane.width);
  const int rows = S_COUNT(plane.height);
  const int begin = rest % pass.segments * pass.windows, end = min(begin + pass.windows, rows);
  const int top = max(begin - HALO_TOP, 0);
  const bool wide = HIGH_OF(strip.all) >= 2 * ENDS;

  for (int p = top; p < end + Y_LAST_LAG; ++p) {
    // The rows before an inner seam are never stored.
    const bool inside = 2 * p + 1 < plane.height && (top > 0 || p + 1 >= Y_KEPT);
    if (wide && inside)
      sweep(&plane, pass.boundary, p, &strip, ring, ends, gathered, p - Y_LAST_LAG >= begin);
    else
      step_by_step(&plane, pass.boundary, p, top, begin, &strip, ring, zeros, result);
  }
}
