// Rows in local memory, lifted step by step: what lies at a border of the picture, under any boundary rule.
//
// Along x a border's mapped samples are put beside the row before each step; along y a step reads the row
// that the rule maps to.
//
// A row: MARGIN places, the held approximations, MARGIN places; the same for the details.

#define X_s MARGIN
#define X_d (CHANNEL + MARGIN)
// The places of a row at which vectors of the `held` pairs stand.
#define HELD_PLACES(i, held)                       \
  for (int channel = 0; channel < ROW; channel += CHANNEL) \
    for (int i = channel + MARGIN; i < channel + MARGIN + (held); i += VECTOR)
#define PARITY_s 0
#define PARITY_d 1
#define COUNT_s(length) S_COUNT(length)
#define COUNT_d(length) D_COUNT(length)

// Columns [left, right), as pairs, of a picture `width` samples wide.
typedef struct {
  int left, right, width;
} Span;

#define LOW_OF(span) ((span).right - (span).left)
#define HIGH_OF(span) (min((span).right, D_COUNT((span).width)) - (span).left)

// Where pair of rows p of a picture stands, from pair of columns `first` on.
static inline Rows rows_at(const Plane *plane, const int p, const int first) {
  Rows rows;
  UNROLL for (int band = 0; band < 4; ++band) {
    rows.near[band >> 1] = near_at(plane, 2 * p + (band >> 1), 2 * first);
    rows.step[band] = plane->far_step[band];
    rows.far[band] = far_at(plane, band, p, first);
  }
  return rows;
}

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

// Loads row cy of pair of rows p.
INLINE void load_row(const Plane *plane, const int p, const int cy, const Span span, local A *row) {
  SCALES(IN)
  const Rows rows = rows_at(plane, p, span.left);
  for (int at = 0; at < LOW_OF(span); at += VECTOR) {
    AV s, d;
    load_pairs(&rows, cy, at, LOW_OF(span), HIGH_OF(span), &s, &d);
    STORE_V(IN_V(s, scale[2 * cy]), row + X_s + at);
    STORE_V(IN_V(d, scale[2 * cy + 1]), row + X_d + at);
  }
}

// Stores row cy of pair of rows p; the span's columns start at place `skipped` of it.
INLINE void store_row(const Plane *plane, const int p, const int cy, const Span span, local const A *row,
                      const int skipped) {
  SCALES(OUT)
  const Rows rows = rows_at(plane, p, span.left);
  for (int at = 0; at < LOW_OF(span); at += VECTOR) {
    const TV s = TO_T(OUT_V(LOAD_V(row + X_s + skipped + at), scale[2 * cy]));
    const TV d = TO_T(OUT_V(LOAD_V(row + X_d + skipped + at), scale[2 * cy + 1]));
    store_pairs(&rows, cy, at, LOW_OF(span), HIGH_OF(span), s, d, true);
  }
}

// --- along x -----------------------------------------------------------------------------------------

// Puts beside one channel of a row what the boundary rule maps to the neighbours from `first` to `last` of
// the picture's first and last pairs.
INLINE void extend(local A *channel, const int parity, const Span span, const int boundary, const int first,
                   const int last) {
  const int count = parity ? D_COUNT(span.width) : S_COUNT(span.width);
  const int pairs = S_COUNT(span.width);
#define EXTEND_TO(q)                                                                    \
  {                                                                                     \
    const int from = map_index(boundary, parity, q, span.width);                        \
    channel[(q) - span.left] =                                                          \
        from < 0 ? (A)0 : channel[clamp(from, span.left, span.right - 1) - span.left];  \
  }
  if (span.left == 0)
    for (int q = first; q < 0; ++q) EXTEND_TO(q)
  if (span.right == pairs)
    for (int q = count; q < pairs + last; ++q) EXTEND_TO(q)
}

#define X_AT_s(offset) LOAD_V(row + X_s + i + (offset))
#define X_AT_d(offset) LOAD_V(row + X_d + i + (offset))
#define X_STEP(k, target, source, first, last, before, after)                               \
  for (local A *row = rows; row < rows + count * ROW; row += ROW)                           \
    extend(row + X_##source, PARITY_##source, span, boundary, first, last);                 \
  for (int i = 0; i < LOW_OF(span); i += VECTOR)                                            \
    for (local A *row = rows; row < rows + count * ROW; row += ROW)                         \
      STORE_V(LIFT_##k(LOAD_V(row + X_##target + i), X_AT_##source), row + X_##target + i);

// Lifts `count` rows at once: a step waits for the one before, but not for another row.
INLINE void lift_along(local A *rows, const int count, const Span span, const int boundary) {
  if (span.width == 1) return;
  LIFT_STEPS(X_STEP)
}

// --- along y -----------------------------------------------------------------------------------------

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
    if (t >= top && t < COUNT_##target(height)) {                                               \
      local A *const row = RING_ROW(t, PARITY_##target);                                        \
      local const A *near[2 * MAX_REACH + 1];                                                   \
      UNROLL for (int o = first; o <= (last); ++o)                                              \
        near[o + MAX_REACH] = row_of(ring, zeros, PARITY_##source, t + o, boundary, height, top); \
      HELD_PLACES(i, held) STORE_V(LIFT_##k(LOAD_V(row + i), Y_AT), row + i);                   \
    }                                                                                           \
  }

// Every step on the pair of rows that it has come to now that pair p is the newest.
INLINE void lift_across(local A *ring, local const A *zeros, const int p, const int top, const int held,
                      const int height, const int boundary) {
  if (height == 1) return;
  LIFT_STEPS(Y_STEP)
}
