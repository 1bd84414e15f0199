// single_loop_2d: one level in one loop over the picture, for CPU devices.
//
// A work-group is one work-item. It owns a strip of columns and a band of rows and goes down it, a pair of
// rows at a time: the pair is split into channels as it is loaded, lifted along x in a row buffer, and
// along y as a pipeline over the last KEPT pairs, all of it hot in the nearest cache; results leave LAST_LAG
// pairs behind. Everything runs in vectors of VECTOR samples. A row of the strip is one page, so that rows
// a power of two apart do not fight for the same cache lines.
//
// The boundary rule touches no inner loop: along x a border's mapped samples are put beside the row before
// each step, along y a step reads the row that the rule maps to. The lags are those of the rule's
// effective offsets (Y_LAG_k).
//
// After the single-loop core of Barina and Zemcik 2015 and the advice on cache aliasing of Shahbahrami et
// al. 2008.
// Cost per sample: 1 global read and 1 write, and the reach again for each strip and band.

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define AV JOIN(A, VECTOR)
#define TV JOIN(T, VECTOR)
#define LOAD_V(p) JOIN(vload, VECTOR)(0, p)
#define STORE_V(v, p) JOIN(vstore, VECTOR)(v, 0, p)
#define TO_A(v) JOIN(convert_, AV)(v)
#define TO_T(v) JOIN(convert_, TV)(v)

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
#define IN_V(v, factor) REDUCE(UNSIGNED(v) << pass.shift_in)
#define OUT_V(v, factor) (SIGNED(UNSIGNED(v) + ((1u << pass.shift_out) >> 1)) >> pass.shift_out)
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

// Calls ACTION(j, n) for runs of n pairs, from pair j of `count` on: vectors, and what is left over.
#define RUNS(count, ACTION)                                            \
  for (int j = 0; j < (count); j += VECTOR) {                          \
    const int n = min(VECTOR, (count) - j);                            \
    ACTION                                                             \
  }

// A vector of which `n` samples `step` apart are in memory.
INLINE TV load_some(global const T *from, const long step, const int n) {
  if (n == VECTOR && step == 1) return LOAD_V(from);
  T some[VECTOR];
  for (int i = 0; i < VECTOR; ++i) some[i] = from[min(i, n - 1) * step];
  return LOAD_V(some);
}

INLINE void store_some(const TV v, global T *to, const long step, const int n) {
  if (n == VECTOR && step == 1) {
    STORE_V(v, to);
  } else {
    T some[VECTOR];
    STORE_V(v, some);
    for (int i = 0; i < n; ++i) to[i * step] = some[i];
  }
}

// The factors of a row's two channels; an axis of one sample is not scaled.
#define SCALE_OF(side, channel, length) ((length) == 1 ? (A)1 : side##_##channel)
#ifdef INTEGER
#define SCALES(side, cy) const A scale[2] = {1, 1};
#else
#define SCALES(side, cy)                                                                      \
  const A of_y = (cy) ? SCALE_OF(side, d, plane->height) : SCALE_OF(side, s, plane->height);  \
  const A scale[2] = {of_y * SCALE_OF(side, s, plane->width),                                 \
                      of_y * SCALE_OF(side, d, plane->width)};
#endif

INLINE void load_far(const Plane *plane, const Pass pass, const Strip strip, const int p, const int cy,
                     local A *row) {
  SCALES(IN, cy)
  for (int cx = 0; cx < 2; ++cx) {
    const int band = 2 * cy + cx, right = min(strip.right, cx ? D_COUNT(strip.width) : S_COUNT(strip.width));
    global const T *const from =
        plane->far[band] + p * plane->far_row[band] + strip.left * plane->far_step[band];
    local A *const to = row + (cx ? X_d : X_s);
    RUNS(right - strip.left, {
      const AV v = TO_A(load_some(from + j * plane->far_step[band], plane->far_step[band], n));
      STORE_V(IN_V(v, scale[cx]), to + j);
    })
  }
}

INLINE void store_far(const Plane *plane, const Pass pass, const Strip strip, const int p, const int cy,
                      local const A *row) {
  SCALES(OUT, cy)
  for (int cx = 0; cx < 2; ++cx) {
    const int band = 2 * cy + cx, to_pair = min(strip.to, cx ? D_COUNT(strip.width) : S_COUNT(strip.width));
    global T *const to = plane->far[band] + p * plane->far_row[band] + strip.from * plane->far_step[band];
    local const A *const from = row + (cx ? X_d : X_s) + (strip.from - strip.left);
    RUNS(to_pair - strip.from, {
      const TV v = TO_T(OUT_V(LOAD_V(from + j), scale[cx]));
      store_some(v, to + j * plane->far_step[band], plane->far_step[band], n);
    })
  }
}

INLINE void load_near(const Plane *plane, const Pass pass, const Strip strip, const int p, const int cy,
                      local A *row) {
  SCALES(IN, cy)
  global const T *const from = plane->near + (2 * p + cy) * plane->near_row + 2 * strip.left;
  const int samples = min(2 * strip.right, strip.width) - 2 * strip.left;
  int j = 0;
  for (; 2 * (j + VECTOR) <= samples; j += VECTOR) {
    const TV a = LOAD_V(from + 2 * j), b = LOAD_V(from + 2 * j + VECTOR);
    const AV s = TO_A((TV)(a.even, b.even)), d = TO_A((TV)(a.odd, b.odd));
    STORE_V(IN_V(s, scale[0]), row + X_s + j);
    STORE_V(IN_V(d, scale[1]), row + X_d + j);
  }
  if (2 * j < samples) {
    const int n = samples - 2 * j;
    const AV s = TO_A(load_some(from + 2 * j, 2, (n + 1) / 2));
    STORE_V(IN_V(s, scale[0]), row + X_s + j);
    if (n > 1) {
      const AV d = TO_A(load_some(from + 2 * j + 1, 2, n / 2));
      STORE_V(IN_V(d, scale[1]), row + X_d + j);
    }
  }
}

INLINE void store_near(const Plane *plane, const Pass pass, const Strip strip, const int p, const int cy,
                       local const A *row) {
  SCALES(OUT, cy)
  global T *const to = plane->near + (2 * p + cy) * plane->near_row + 2 * strip.from;
  const int samples = min(2 * strip.to, strip.width) - 2 * strip.from, skipped = strip.from - strip.left;
  for (int j = 0; 2 * j < samples; j += VECTOR) {
    const TV s = TO_T(OUT_V(LOAD_V(row + X_s + skipped + j), scale[0]));
    const TV d = TO_T(OUT_V(LOAD_V(row + X_d + skipped + j), scale[1]));
    TV a, b;
    a.even = s.lo, a.odd = d.lo, b.even = s.hi, b.odd = d.hi;
    store_some(a, to + 2 * j, 1, min(VECTOR, samples - 2 * j));
    if (2 * j + VECTOR < samples)
      store_some(b, to + 2 * j + VECTOR, 1, min(VECTOR, samples - 2 * j - VECTOR));
  }
}

#ifdef FORWARD
#define LOAD_ROW load_near
#define STORE_ROW store_far
#else
#define LOAD_ROW load_far
#define STORE_ROW store_near
#endif

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

INLINE void lift_x(local A *row, const Strip strip, const int boundary) {
  if (strip.width > 1) {
    LIFT_STEPS(X_STEP)
  }
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

// --- the loop ----------------------------------------------------------------------------------------

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void single_loop_2d(global T *from, global T *to, global T *corner, const Pass pass) {
  local A ring[2 * Y_KEPT * ROW], zeros[ROW];
  for (int i = 0; i < 2 * Y_KEPT * ROW; ++i) ring[i] = 0;
  for (int i = 0; i < ROW; ++i) zeros[i] = 0;
#if !X_FIRST
  local A results[ROW];
#endif

  const int number = get_group_id(0), rest = number / pass.groups;
  const Plane plane = PLANE(rest / pass.segments);
  const int columns = S_COUNT(plane.width), rows = S_COUNT(plane.height);
  const int left = number % pass.groups * pass.step, right = min(left + pass.step, columns);
  const Strip strip = {left, right, max(left - HALO_LO, 0), min(right + HALO_HI, columns), plane.width};
  const int held = strip.right - strip.left;
  const int begin = rest % pass.segments * pass.windows, end = min(begin + pass.windows, rows);
  const int top = max(begin - HALO_LO, 0);

  for (int p = top; p < end + Y_LAST_LAG; ++p) {
    for (int cy = 0; cy < 2; ++cy) {
      if (2 * p + cy >= plane.height) break;
      LOAD_ROW(&plane, pass, strip, p, cy, RING_ROW(p, cy));
#if X_FIRST
      lift_x(RING_ROW(p, cy), strip, pass.boundary);
#endif
    }
    if (plane.height > 1) {
      LIFT_STEPS(Y_STEP)
    }
    const int done = p - Y_LAST_LAG;
    if (done < begin) continue;
    for (int cy = 0; cy < 2; ++cy) {
      if (2 * done + cy >= plane.height) break;
#if X_FIRST
      STORE_ROW(&plane, pass, strip, done, cy, RING_ROW(done, cy));
#else
      for (int i = 0; i < ROW; i += VECTOR) STORE_V(LOAD_V(RING_ROW(done, cy) + i), results + i);
      lift_x(results, strip, pass.boundary);
      STORE_ROW(&plane, pass, strip, done, cy, results);
#endif
    }
  }
}
