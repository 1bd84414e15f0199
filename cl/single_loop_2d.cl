// single_loop_2d: one level in one loop over the picture, for CPU devices.
//
// A work-group is one work-item. It owns a strip of columns and a band of rows and goes down it, a pair of
// rows at a time: the pair is split into channels as it is loaded, lifted along x in a row buffer, and
// along y as a pipeline over the last KEPT pairs, all of it hot in the nearest cache; results leave LAST_LAG
// pairs behind. Everything runs in vectors of VECTOR samples. Strips are as wide as the second-level cache
// holds all kept rows, so that memory is read and written in long runs (strips of one page took 1.3 times as
// long on the machine measured).
//
// The boundary rule touches no inner loop: along x a border's mapped samples are put beside the row before
// each step, along y a step reads the row that the rule maps to. The lags are those of the rule's
// effective offsets (Y_LAG_k).
//
// After the single-loop core of Barina and Zemcik 2015 and the advice on cache aliasing of Shahbahrami et
// al. 2008.
// Cost per sample: 1 global read and 1 write, and the reach again for each strip and band. For 9/7 in f32,
// counted in the source for 2 * VECTOR samples: 6 vector operations to split the channels, 16 along x, 24
// along y. Limited by these on the machine measured (two threads are 1.95 times as fast as one), not by memory.

#define AV JOIN(A, VECTOR)
#define TV JOIN(T, VECTOR)
#define LOAD_V(p) JOIN(vload, VECTOR)(0, p)
#define STORE_V(v, p) JOIN(vstore, VECTOR)(v, 0, p)
#define TO_A(v) JOIN(convert_, AV)(v)
#define TO_T(v) JOIN(convert_, TV)(v)

// The VECTOR numbers from place `o` on of two vectors side by side.
#if BUILTINS && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#if VECTOR == 8
#define SHIFTED(lo, hi, o) \
  __builtin_shufflevector(lo, hi, (o), (o) + 1, (o) + 2, (o) + 3, (o) + 4, (o) + 5, (o) + 6, (o) + 7)
#elif VECTOR == 16
#define SHIFTED(lo, hi, o)                                                                          \
  __builtin_shufflevector(lo, hi, (o), (o) + 1, (o) + 2, (o) + 3, (o) + 4, (o) + 5, (o) + 6, (o) + 7, \
                          (o) + 8, (o) + 9, (o) + 10, (o) + 11, (o) + 12, (o) + 13, (o) + 14, (o) + 15)
#endif
#endif
#endif
#ifndef SHIFTED
INLINE AV SHIFTED(const AV lo, const AV hi, const int o) {
  A both[2 * VECTOR];
  STORE_V(lo, both);
  STORE_V(hi, both + VECTOR);
  return LOAD_V(both + o);
}
#endif

// The steps on vectors.
#ifdef INTEGER
#undef UNSIGNED
#undef SIGNED
#define UNSIGNED(v) JOIN(as_uint, VECTOR)(v)
#define SIGNED(v) JOIN(as_int, VECTOR)(v)
#ifdef SHORT
#undef REDUCE
#define REDUCE(v) (SIGNED((v) << 16) >> 16)
#else
#undef REDUCE
#define REDUCE(v) SIGNED(v)
#endif
#define IN_V(v, factor) (LEVEL_SHIFT_IN ? REDUCE(UNSIGNED(v) << LEVEL_SHIFT_IN) : (v))
#define OUT_V(v, factor) (SIGNED(UNSIGNED(v) + ((1u << LEVEL_SHIFT_OUT) >> 1)) >> LEVEL_SHIFT_OUT)
#else
#define IN_V(v, factor) ((v) * (factor))
#define OUT_V(v, factor) ((v) * (factor))
#endif

// A row: MARGIN places, the held approximations, MARGIN places; the same for the details.
#define ROW (2 * CHANNEL)
#define X_s MARGIN
#define X_d (CHANNEL + MARGIN)

// The columns that a work-item holds, as pairs: it stores [from, to) and loads [left, right).
typedef struct {
  int from, to, left, right, width;
} Strip;

// --- loading and storing -----------------------------------------------------------------------------

// The factors of the four bands; an axis of one sample is not scaled.
#ifdef INTEGER
#define SCALES(side) const A scale[4] = {1, 1, 1, 1};
#else
#define SCALE_OF(side, channel, length) ((length) == 1 ? (A)1 : side##_##channel)
#define SCALES(side)                                                                        \
  const A x_s = SCALE_OF(side, s, plane->width), x_d = SCALE_OF(side, d, plane->width);     \
  const A y_s = SCALE_OF(side, s, plane->height), y_d = SCALE_OF(side, d, plane->height);   \
  const A scale[4] = {y_s * x_s, y_s * x_d, y_d * x_s, y_d * x_d};
#endif

// Where pair of rows p of a picture stands, from pair of columns `first` on.
typedef struct {
  global T *near[2], *far[4];
  long step[4];
} Rows;

static inline Rows rows_at(const Plane *plane, const int p, const int first) {
  Rows rows;
  UNROLL for (int band = 0; band < 4; ++band) {
    rows.near[band >> 1] = plane->near + (2 * p + (band >> 1)) * plane->near_row + 2 * first;
    rows.step[band] = plane->far_step[band];
    rows.far[band] = plane->far[band] + p * plane->far_row[band] + first * rows.step[band];
  }
  return rows;
}

// A vector of which `n` samples, `step` apart, are in memory.
INLINE TV load_some(global const T *from, const long step, const int n) {
  if (n >= VECTOR && step == 1) return LOAD_V(from);
  T some[VECTOR];
  for (int i = 0; i < VECTOR; ++i) some[i] = from[min(i, n - 1) * step];
  return LOAD_V(some);
}

// Stores past the caches where that is to be had: what is written is not read again soon.
#define STORE_PAST(v, p) STORE_V(v, p)
#if STREAM && BUILTINS && defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#undef STORE_PAST
#define STORE_PAST(v, p)                                                           \
  if ((ulong)(p) % sizeof(TV) == 0) __builtin_nontemporal_store(v, (global TV *)(p)); \
  else STORE_V(v, p)
#endif
#endif

INLINE void store_some(const TV v, global T *to, const long step, const int n, const bool past) {
  if (n >= VECTOR && step == 1) {
    if (past) {
      STORE_PAST(v, to);
    } else {
      STORE_V(v, to);
    }
  } else {
    T some[VECTOR];
    STORE_V(v, some);
    for (int i = 0; i < min(n, VECTOR); ++i) to[i * step] = some[i];
  }
}

#ifdef FORWARD
// Loads row cy of a pair, `low` approximations and `high` details of it.
INLINE void load_row(const Plane *plane, const Pass pass, const Rows *rows, const int cy, const int low,
                     const int high, local A *row) {
  SCALES(IN)
  global const T *const from = rows->near[cy];
  for (int j = 0; j < low; j += VECTOR) {
    AV s, d;
    if (j + VECTOR <= high) {
      const TV a = LOAD_V(from + 2 * j), b = LOAD_V(from + 2 * j + VECTOR);
      s = TO_A((TV)(a.even, b.even)), d = TO_A((TV)(a.odd, b.odd));
    } else {
      s = TO_A(load_some(from + 2 * j, 2, low - j));
      d = j < high ? TO_A(load_some(from + 2 * j + 1, 2, high - j)) : s;
    }
    STORE_V(IN_V(s, scale[2 * cy]), row + X_s + j);
    STORE_V(IN_V(d, scale[2 * cy + 1]), row + X_d + j);
  }
}

// Stores a vector of both channels of row cy, pairs [at, at + VECTOR) of `low` and `high`.
INLINE void store_pairs(const Rows *rows, const int cy, const int at, const int low, const int high,
                        const TV s, const TV d, const bool ll_past) {
  const int ls = 2 * cy, hs = 2 * cy + 1;
  store_some(s, rows->far[ls] + at * rows->step[ls], rows->step[ls], low - at, cy == 1 || ll_past);
  store_some(d, rows->far[hs] + at * rows->step[hs], rows->step[hs], high - at, true);
}

#else
INLINE void load_row(const Plane *plane, const Pass pass, const Rows *rows, const int cy, const int low,
                     const int high, local A *row) {
  SCALES(IN)
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    const int band = 2 * cy + cx, count = cx ? high : low;
    global const T *const from = rows->far[band];
    for (int j = 0; j < count; j += VECTOR) {
      const AV v = TO_A(load_some(from + j * rows->step[band], rows->step[band], count - j));
      STORE_V(IN_V(v, scale[band]), row + (cx ? X_d : X_s) + j);
    }
  }
}

INLINE void store_pairs(const Rows *rows, const int cy, const int at, const int low, const int high,
                        const TV s, const TV d, const bool ll_past) {
  TV a, b;
  a.even = s.lo, a.odd = d.lo, b.even = s.hi, b.odd = d.hi;
  const int n = low + high - 2 * at;
  store_some(a, rows->near[cy] + 2 * at, 1, n, true);
  store_some(b, rows->near[cy] + 2 * at + VECTOR, 1, n - VECTOR, true);
}
#endif

// Stores row cy, of which `low` approximations and `high` details start at place `skipped`.
INLINE void store_row(const Plane *plane, const Pass pass, const Rows *rows, const int cy, const int low,
                      const int high, local const A *row, const int skipped) {
  SCALES(OUT)
  for (int at = 0; at < low; at += VECTOR) {
    const TV s = TO_T(OUT_V(LOAD_V(row + X_s + skipped + at), scale[2 * cy]));
    const TV d = TO_T(OUT_V(LOAD_V(row + X_d + skipped + at), scale[2 * cy + 1]));
    store_pairs(rows, cy, at, low, high, s, d, !pass.has_corner);
  }
}

// --- along x -----------------------------------------------------------------------------------------

// Puts beside one channel of a row what the boundary rule maps to the neighbours from `first` to `last` of
// the picture's first and last pairs.
INLINE void extend(local A *channel, const int parity, const Strip strip, const int boundary,
                   const int first, const int last) {
  const int count = parity ? D_COUNT(strip.width) : S_COUNT(strip.width);
  const int pairs = S_COUNT(strip.width);
#define EXTEND_TO(q)                                                                    \
  {                                                                                     \
    const int from = map_index(boundary, parity, q, strip.width);                       \
    channel[(q) - strip.left] =                                                         \
        from < 0 ? (A)0 : channel[clamp(from, strip.left, strip.right - 1) - strip.left]; \
  }
  if (strip.left == 0)
    for (int q = first; q < 0; ++q) EXTEND_TO(q)
  if (strip.right == pairs)
    for (int q = count; q < pairs + last; ++q) EXTEND_TO(q)
}

#define X_AT_s(offset) LOAD_V(row + X_s + i + (offset))
#define X_AT_d(offset) LOAD_V(row + X_d + i + (offset))
#define PARITY_s 0
#define PARITY_d 1
#define X_STEP(k, target, source, first, last, before, after)                             \
  extend(row + X_##source, PARITY_##source, strip, boundary, first, last);                \
  for (int i = 0; i < strip.right - strip.left; i += VECTOR)                              \
    STORE_V(LIFT_##k(LOAD_V(row + X_##target + i), X_AT_##source), row + X_##target + i);

INLINE void lift_by_steps(local A *row, const Strip strip, const int boundary) {
  LIFT_STEPS(X_STEP)
}

// All steps in one sweep: a pipeline of vectors, step k runs X_LAG_k vectors behind the newest. A neighbour
// in the next or the last vector is shifted in.
#define X_SHIFTED(channel, offset)                                                                 \
  ((offset) == 0 ? channel[lag]                                                                    \
   : (offset) > 0                                                                                  \
       ? SHIFTED(channel[lag], channel[(offset) > 0 ? lag - 1 : 0], (offset) > 0 ? (offset) : 0)   \
       : SHIFTED(channel[(offset) < 0 ? lag + 1 : 0], channel[lag],                                \
                 (offset) < 0 ? VECTOR + (offset) : 0))
#define X_SHIFTED_s(offset) X_SHIFTED(s, offset)
#define X_SHIFTED_d(offset) X_SHIFTED(d, offset)
#define X_SWEEP_STEP(k, target, source, first, last, before, after) \
  {                                                                 \
    const int lag = X_LAG_##k;                                      \
    target[lag] = LIFT_##k(target[lag], X_SHIFTED_##source);        \
  }

INLINE void sweep_x(local A *row, const int held) {
  AV s[X_KEPT], d[X_KEPT];
  UNROLL for (int age = 0; age < X_KEPT; ++age) s[age] = d[age] = 0;
  for (int i = 0; i < held + X_LAST_LAG * VECTOR; i += VECTOR) {
    UNROLL for (int age = X_KEPT - 1; age > 0; --age) s[age] = s[age - 1], d[age] = d[age - 1];
    s[0] = LOAD_V(row + X_s + i);
    d[0] = LOAD_V(row + X_d + i);
    LIFT_STEPS(X_SWEEP_STEP)
    if (i >= X_LAST_LAG * VECTOR) {
      STORE_V(s[X_LAST_LAG], row + X_s + i - X_LAST_LAG * VECTOR);
      STORE_V(d[X_LAST_LAG], row + X_d + i - X_LAST_LAG * VECTOR);
    }
  }
}

// The ENDS pairs beside a border are lifted apart, with as many more as they depend on.
INLINE void take_end(local const A *row, const Strip strip, local A *end, const int first) {
  for (int i = 0; i < 2 * ENDS; ++i) {
    end[X_s + i] = row[X_s + first - strip.left + i];
    end[X_d + i] = row[X_d + first - strip.left + i];
  }
}

INLINE void put_end(local A *row, const Strip strip, local const A *end, const int first, const int skipped) {
  for (int i = skipped; i < skipped + ENDS; ++i) {
    row[X_s + first - strip.left + i] = end[X_s + i];
    row[X_d + first - strip.left + i] = end[X_d + i];
  }
}

INLINE void lift_x(local A *row, const Strip strip, const int boundary, local A *ends) {
  const int held = strip.right - strip.left, columns = S_COUNT(strip.width);
  if (strip.width == 1) return;
  if (held < 2 * ENDS) {
    lift_by_steps(row, strip, boundary);
    return;
  }
  const bool at_left = strip.left == 0, at_right = strip.right == columns;
  const Strip left = {0, 0, 0, 2 * ENDS, strip.width};
  const Strip right = {0, 0, columns - 2 * ENDS, columns, strip.width};
  if (at_left) {
    take_end(row, strip, ends, 0);
    lift_by_steps(ends, left, boundary);
  }
  if (at_right) {
    take_end(row, strip, ends + ROW, right.left);
    lift_by_steps(ends + ROW, right, boundary);
  }
  sweep_x(row, held);
  if (at_left) put_end(row, strip, ends, 0, 0);
  if (at_right) put_end(row, strip, ends + ROW, right.left, ENDS);
}

// --- along y -----------------------------------------------------------------------------------------

#define RING_ROW(pair, cy) (ring + ((pair) % Y_KEPT * 2 + (cy)) * ROW)

// The row that neighbour `index` of channel cy is read from; above an inner seam anything will do.
INLINE local const A *row_of(local const A *ring, local const A *zeros, const int cy, const int index,
                             const int boundary, const int height, const int least) {
  const int at = map_index(boundary, cy, index, height);
  return at < 0 ? zeros : RING_ROW(max(at, least), cy);
}

// No step reaches further than MAX_REACH.
#define MAX_REACH 16
#define Y_AT(offset) LOAD_V(near[(offset) + MAX_REACH] + i)
#define Y_STEP(k, target, source, first, last, before, after)                                   \
  {                                                                                             \
    const int t = p - Y_LAG_##k;                                                                \
    if (t >= top && t < COUNT_##target(plane.height)) {                                         \
      local A *const row = RING_ROW(t, PARITY_##target);                                        \
      local const A *near[2 * MAX_REACH + 1];                                                   \
      UNROLL for (int o = first; o <= (last); ++o)                                              \
        near[o + MAX_REACH] =                                                                   \
            row_of(ring, zeros, PARITY_##source, t + o, pass.boundary, plane.height, top);      \
      for (int i = MARGIN; i < CHANNEL + MARGIN + held; i += VECTOR)                            \
        STORE_V(LIFT_##k(LOAD_V(row + i), Y_AT), row + i);                                      \
    }                                                                                           \
  }
#define COUNT_s(length) S_COUNT(length)
#define COUNT_d(length) D_COUNT(length)

// All steps and the result of one pair of rows in one sweep over the columns, where no step meets a border:
// rows by age, the newest first.
#define Y_AGED_s(offset) s[lag - (offset)]
#define Y_AGED_d(offset) d[lag - (offset)]
#define Y_SWEEP_STEP(k, target, source, first, last, before, after)    \
  {                                                                    \
    const int lag = Y_LAG_##k;                                         \
    target[lag] = LIFT_##k(target[lag], Y_AGED_##source);              \
  }
// What a later pair of rows may still need goes back to its row.
#define Y_KEEP_STEP(k, target, source, first, last, before, after) \
  STORE_V(target[Y_LAG_##k], target##_rows[Y_LAG_##k] + i);

#define Y_SWEEP(channel)                                                                  \
  {                                                                                       \
    const int i = channel + j;                                                            \
    UNROLL for (int age = 0; age < Y_KEPT; ++age) {                                       \
      s[age] = LOAD_V(s_rows[age] + i);                                                   \
      d[age] = LOAD_V(d_rows[age] + i);                                                   \
    }                                                                                     \
    LIFT_STEPS(Y_SWEEP_STEP)                                                              \
    LIFT_STEPS(Y_KEEP_STEP)                                                               \
  }

INLINE void sweep_y(const Plane *plane, const Pass pass, const Strip strip, local A *ring, local A *results,
                    const int p) {
  local A *s_rows[Y_KEPT], *d_rows[Y_KEPT];
  UNROLL for (int age = 0; age < Y_KEPT; ++age) {
    s_rows[age] = RING_ROW(p - age, 0);
    d_rows[age] = RING_ROW(p - age, 1);
  }
  AV s[Y_KEPT], d[Y_KEPT];
#if X_FIRST
  const int done = p - Y_LAST_LAG, skipped = strip.from - strip.left;
  const int low = min(strip.to, S_COUNT(strip.width)) - strip.from;
  const int high = min(strip.to, D_COUNT(strip.width)) - strip.from;
  const Rows to = rows_at(plane, done, strip.from);
  SCALES(OUT)
  for (int at = 0; at < low; at += VECTOR) {
    const int j = skipped + at;
    Y_SWEEP(X_s)
    const TV ss = TO_T(OUT_V(s[Y_LAST_LAG], scale[0])), sd = TO_T(OUT_V(d[Y_LAST_LAG], scale[2]));
    Y_SWEEP(X_d)
    const TV ds = TO_T(OUT_V(s[Y_LAST_LAG], scale[1])), dd = TO_T(OUT_V(d[Y_LAST_LAG], scale[3]));
    store_pairs(&to, 0, at, low, high, ss, ds, !pass.has_corner);
    store_pairs(&to, 1, at, low, high, sd, dd, true);
  }
#else
  const int held = strip.right - strip.left;
  for (int j = 0; j < held; j += VECTOR) {
    Y_SWEEP(X_s)
    STORE_V(s[Y_LAST_LAG], results + X_s + j);
    STORE_V(d[Y_LAST_LAG], results + ROW + X_s + j);
    Y_SWEEP(X_d)
    STORE_V(s[Y_LAST_LAG], results + X_d + j);
    STORE_V(d[Y_LAST_LAG], results + ROW + X_d + j);
  }
#endif
}

// --- the loop ----------------------------------------------------------------------------------------

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void single_loop_2d(global T *from, global T *to, global T *corner, const Pass pass) {
  // The ring, the ends of a row, a row of zeros, and where x comes last, the results of y.
  local A memory[(2 * Y_KEPT + 3 + (X_FIRST ? 0 : 2)) * ROW];
  for (int i = 0; i < sizeof(memory) / sizeof(A); i += VECTOR) STORE_V((AV)(0), memory + i);
  local A *const ring = memory, *const ends = ring + 2 * Y_KEPT * ROW, *const zeros = ends + 2 * ROW;
  local A *const results = zeros + ROW;

  const int number = get_group_id(0), rest = number / pass.groups;
  const Plane plane = PLANE(rest / pass.segments);
  const int columns = S_COUNT(plane.width), rows = S_COUNT(plane.height);
  const int first = number % pass.groups * pass.step, last = min(first + pass.step, columns);
  const Strip strip = {first, last, max(first - HALO_LO, 0), min(last + HALO_HI, columns), plane.width};
  const int held = strip.right - strip.left, skipped = strip.from - strip.left;
  const int begin = rest % pass.segments * pass.windows, end = min(begin + pass.windows, rows);
  const int top = max(begin - HALO_TOP, 0);
  const int low_held = held, high_held = min(strip.right, D_COUNT(plane.width)) - strip.left;
  const int low = strip.to - strip.from, high = min(strip.to, D_COUNT(plane.width)) - strip.from;

  for (int p = top; p < end + Y_LAST_LAG; ++p) {
    const Rows in = rows_at(&plane, p, strip.left);
    for (int cy = 0; cy < 2; ++cy) {
      if (2 * p + cy >= plane.height) break;
      load_row(&plane, pass, &in, cy, low_held, high_held, RING_ROW(p, cy));
#if X_FIRST
      lift_x(RING_ROW(p, cy), strip, pass.boundary, ends);
#endif
    }
    const int done = p - Y_LAST_LAG;
    const bool sweeps = done >= begin && p - Y_KEPT + 1 >= top && 2 * p + 1 < plane.height;
    if (sweeps) {
      sweep_y(&plane, pass, strip, ring, results, p);
      if (X_FIRST) continue;
    } else if (plane.height > 1) {
      LIFT_STEPS(Y_STEP)
    }
    if (done < begin) continue;
    const Rows out = rows_at(&plane, done, strip.from);
    for (int cy = 0; cy < 2; ++cy) {
      if (2 * done + cy >= plane.height) break;
#if X_FIRST
      store_row(&plane, pass, &out, cy, low, high, RING_ROW(done, cy), skipped);
#else
      local A *const result = results + cy * ROW;
      if (!sweeps)
        for (int i = 0; i < ROW; i += VECTOR) STORE_V(LOAD_V(RING_ROW(done, cy) + i), result + i);
      lift_x(result, strip, pass.boundary, ends);
      store_row(&plane, pass, &out, cy, low, high, result, skipped);
#endif
    }
  }
}
