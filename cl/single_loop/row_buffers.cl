// Rows in local memory, lifted step by step: what lies at a border of the picture, under any boundary rule.
//
// Along x the samples that the boundary rule maps to are put beside the row before each step; along y a step reads the
// row that the rule maps to.
//
// A row: MARGIN places, the approximations, MARGIN places; the same for the details.

#include "core/boundary.cl"
#include "core/picture.cl"
#include "cpu/pairs.cl"
#include "cpu/pipeline_y.cl"

#ifndef X_FIRST
#error "X_FIRST: 1 where this launch, in its direction, lifts along x before y"
#endif
#if !defined(MARGIN) || !defined(CHANNEL)
#error "MARGIN, CHANNEL: places beside a channel of a row, and all places of a channel with its margins"
#endif

#define PLACE_s MARGIN
#define PLACE_d (CHANNEL + MARGIN)
// The first places of the vectors of a row from place `from` to place `to`.
#define EACH_PLACE(i, from, to)                            \
  for (int channel = 0; channel < ROW; channel += CHANNEL) \
    for (int i = channel + MARGIN + (from); i < channel + MARGIN + (to); i += VECTOR)

// Columns [left, right), as pairs, of a picture `width` samples wide, or of one whose rows are ENDLESS.
#define ENDLESS (INT_MAX - 1)
typedef struct {
  int left, right, width;
} Columns;

// How many places these have.
INLINE int s_count_of(const Columns columns) { return (columns.right - columns.left) * COLOURS; }
INLINE int d_count_of(const Columns columns) {
  return (min(columns.right, D_COUNT(columns.width)) - columns.left) * COLOURS;
}

// Where pair of rows `number` of a picture stands, from pair of columns `first` on. After the last
// the first follows again.
INLINE void find_rows(Rows *rows, const Picture *picture, const int number, const int first) {
  const int p = number % S_COUNT(picture->height);
  UNROLL for (int n = 0; n < 4; ++n) {
    rows->signal[n >> 1] = signal_at(picture, 2 * p + (n >> 1), 2 * first * COLOURS);
    rows->stride[n] = picture->band_stride[n];
    rows->band[n] = band_at(picture, n, p, first);
  }
}

// Loads row cy of pair of rows p.
INLINE void load_buffer(const Picture *picture, const int p, const int cy, const Columns columns, local A *row) {
  Rows rows;
  find_rows(&rows, picture, p, columns.left);
  for (int at = 0; at < s_count_of(columns); at += VECTOR_PLACES) {
    AV s, d;
    load_pairs(&rows, cy, at, s_count_of(columns), d_count_of(columns), &s, &d);
    STORE_V(SCALED_IN(s, FACTOR_2D(IN, 0, cy), PRE_SHIFT), row + PLACE_s + at);
    STORE_V(SCALED_IN(d, FACTOR_2D(IN, 1, cy), PRE_SHIFT), row + PLACE_d + at);
  }
}

// Stores row cy of pair of rows p; the columns start at place `skipped` of it.
INLINE void store_buffer(const Picture *picture, const int p, const int cy, const Columns columns,
                         local const A *row, const int skipped) {
  const int s_count = s_count_of(columns), d_count = d_count_of(columns);
  Rows rows;
  find_rows(&rows, picture, p, columns.left);
  for (int at = 0; at < s_count; at += VECTOR_PLACES) {
    const STORED_V s = SAMPLE_V(SCALED_OUT(LOAD_V(row + PLACE_s + skipped + at), FACTOR_2D(OUT, 0, cy), PRE_SHIFT));
    const STORED_V d = SAMPLE_V(SCALED_OUT(LOAD_V(row + PLACE_d + skipped + at), FACTOR_2D(OUT, 1, cy), PRE_SHIFT));
    store_pairs(&rows, cy, at, s_count, d_count, s, d, true);
  }
}

// --- along x -----------------------------------------------------------------------------------------

// Puts at pixel q of a channel, which is beside the picture, what the boundary rule maps to it.
INLINE void extend_to(local A *channel, const int parity, const Columns columns, const int boundary, const int q) {
  const int from = map_index(boundary, parity, q, columns.width);
  const int inside = clamp(from, columns.left, columns.right - 1);
  for (int c = 0; c < COLOURS; ++c)
    channel[(q - columns.left) * COLOURS + c] = from < 0 ? (A)0 : channel[(inside - columns.left) * COLOURS + c];
}

// Extends one channel of a row by the neighbours from `first` to `last` of the picture's first and last pairs.
INLINE void extend(local A *channel, const int parity, const Columns columns, const int boundary, const int first,
                   const int last) {
  const int pairs = S_COUNT(columns.width), count = parity ? D_COUNT(columns.width) : pairs;
  if (columns.left == 0)
    for (int q = first; q < 0; ++q) extend_to(channel, parity, columns, boundary, q);
  if (columns.right == pairs)
    for (int q = count; q < pairs + last; ++q) extend_to(channel, parity, columns, boundary, q);
}

INLINE void extend_rows(local A *rows, const int count, const int place, const int parity, const Columns columns,
                        const int boundary, const int first, const int last) {
  for (local A *row = rows; row < rows + count * ROW; row += ROW)
    extend(row + place, parity, columns, boundary, first, last);
}

#define BUFFER_X_s(offset) LOAD_V(row + PLACE_s + i + (offset) * COLOURS)
#define BUFFER_X_d(offset) LOAD_V(row + PLACE_d + i + (offset) * COLOURS)
#define BUFFER_X_STEP(k, target, source, first, last, before, after)                                         \
  extend_rows(rows, count, PLACE_##source, PARITY_##source, columns, boundary, first, last);                 \
  for (int i = 0; i < s_count_of(columns); i += VECTOR) for (local A *row = rows; row < rows + count * ROW; row += ROW) \
    STORE_V(LIFT_##k(LOAD_V(row + PLACE_##target + i), BUFFER_X_##source), row + PLACE_##target + i);

// Lifts `count` rows at once: a step waits for the one before, but not for another row.
INLINE void lift_buffers_x(local A *rows, const int count, const Columns columns, const int boundary) {
  LIFT_STEPS(BUFFER_X_STEP)
}

// --- along y -----------------------------------------------------------------------------------------

// A column as its rows stream by: after `samples` of them it goes on by the boundary rule. A periodic one is ENDLESS;
// where it has an odd number of samples, every pair of rows number n * gap_period - 1 lacks its detail, and details
// before it are neighbours of those after it. Else `gap_period` is 0.
typedef struct {
  int boundary, samples, gap_period;
} Column;

// Whether pair of rows p has a row of channel cy.
INLINE bool has_row(const Column *column, const int p, const int cy) {
  const bool is_gap = cy && column->gap_period && (p + 1) % column->gap_period == 0;
  return p < COUNT_OF(cy, column->samples) && !is_gap;
}

// The pair of rows of which channel cy is read for neighbour `offset` of pair p; -1 where that is zero.
INLINE int neighbouring_pair(const Column *column, const int cy, const int p, const int offset) {
  if (!cy || !column->gap_period) return map_index(column->boundary, cy, p + offset, column->samples);
  const int detail = p - p / column->gap_period + offset;
  return detail + detail / (column->gap_period - 1);
}

// The row of that pair; above an inner seam any row will do.
INLINE local const A *neighbouring_row(local const A *ring, local const A *zeros, const Column *column, const int cy,
                                       const int p, const int offset, const int least) {
  const int at = neighbouring_pair(column, cy, p, offset);
  return at < 0 ? zeros : RING_ROW(max(at, least), cy, ROW);
}

#define BUFFER_Y(offset) LOAD_V(near[(offset) - lowest] + i)
#define BUFFER_Y_STEP(k, target, source, first, last, before, after)                                            \
  if (p - Y_LAG_##k >= top && has_row(column, p - Y_LAG_##k, PARITY_##target)) {                                \
    NEAR_ROWS(p - Y_LAG_##k, PARITY_##source, first, last)                                                      \
    local A *const row = RING_ROW(p - Y_LAG_##k, PARITY_##target, ROW);                                         \
    EACH_PLACE(i, from, to) STORE_V(LIFT_##k(LOAD_V(row + i), BUFFER_Y), row + i); }
// The rows that a step on row t reads.
#define NEAR_ROWS(t, cy, first, last)                  \
  const int lowest = first;                            \
  local const A *near[(last) - (first) + 1];           \
  UNROLL for (int o = first; o <= (last); ++o)         \
    near[o - lowest] = neighbouring_row(ring, zeros, column, cy, t, o, top);

// Every step on the pair of rows that it has come to now that pair p is the newest, from place
// `from` to place `to` of these.
INLINE void lift_buffers_y(local A *ring, local const A *zeros, const int p, const int top, const int from, const int to,
                           const Column *column) {
  LIFT_STEPS(BUFFER_Y_STEP)
}
