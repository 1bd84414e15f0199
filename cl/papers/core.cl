// core: the single loop of Barina and Zemcik 2015, one level of CDF 9/7 in f32, interleaved: both axes of CORE_X x
// CORE_Y samples at a time, with what lines and columns keep in memory. For the comparison alone; single_loop is what
// plans use.
//
// One work-item, a thread, has a block of rows, above which it lifts some rows again without storing them.
// Cost per sample: 1 global read and 1 write, and what is kept: with the vertical vectorisation 4 numbers for each line
// that a core ends in, read and written, with the diagonal one 12. What the next core takes on stays in registers: in
// memory, a core of 2 x 2 waits for what the last one stored, 6.6 ns per pixel.

#include "papers/lines.cl"

#if !defined(CORE_X) || !defined(CORE_Y)
#error "CORE_X, CORE_Y: columns and rows of a core: 2, 4 or 8, and with the diagonal vectorisation any even number"
#endif
#ifndef BY_COLUMNS
#error "BY_COLUMNS: 1 where cores go down columns first, 0 for raster order"
#endif
#ifndef MIRRORED_BORDER
#error "MIRRORED_BORDER: 1 for mirrored borders, 0 for zeros, which then stand in a frame around the picture"
#endif

// Along the inner loop, lines stay in registers.
#if BY_COLUMNS
#define KEPT_X_SPACE global
#define KEPT_Y_SPACE private
#else
#define KEPT_X_SPACE private
#define KEPT_Y_SPACE global
#endif

INLINE int mirrored(const int i, const int n) {
  const int inner = i < 0 ? -i : i;
  return inner < n ? inner : 2 * n - 2 - inner;
}

// The samples that a core takes, from (x, y) on; all in the picture or its frame if `inside`.
INLINE void load_core(global const float *restrict from, const PaperPicture own, const int x, const int y,
                      const bool inside, float (*v)[CORE_X]) {
#pragma unroll
  for (int r = 0; r < CORE_Y; ++r) {
    const int row = MIRRORED_BORDER ? mirrored(y + r, own.height) : y + r;
    global const float *const line = from + (long)row * own.pitch;
    if (inside) {
#pragma unroll
      for (int c = 0; c < CORE_X; ++c) v[r][c] = line[x + c];
    } else {
#pragma unroll
      for (int c = 0; c < CORE_X; ++c) v[r][c] = line[mirrored(x + c, own.width)];
    }
  }
}

INLINE void store_core(global float *restrict to, const PaperPicture own, const int x, const int y,
                       const bool inside, float (*v)[CORE_X]) {
  const float factors[3] = {SCALE_LOW * SCALE_LOW, 1.0f, 1.0f / (SCALE_LOW * SCALE_LOW)};
#pragma unroll
  for (int r = 0; r < CORE_Y; ++r) {
    global float *const line = to + (long)(y + r) * own.pitch + x;
    if (inside) {
#pragma unroll
      for (int c = 0; c < CORE_X; ++c) line[c] = v[r][c] * factors[(r & 1) + (c & 1)];
    } else {
#pragma unroll
      for (int c = 0; c < CORE_X; ++c)
        if (x + c < own.width && y + r < own.height) line[c] = v[r][c] * factors[(r & 1) + (c & 1)];
    }
  }
}

#if DIAGONAL
INLINE void lift_core(KEPT_X_SPACE float *kept_x, KEPT_Y_SPACE float *kept_y, float (*v)[CORE_X]) {
#pragma unroll
  for (int r = 0; r < CORE_Y; ++r) {
    float4 kept[3] = {vload4(3 * r, kept_x), vload4(3 * r + 1, kept_x), vload4(3 * r + 2, kept_x)};
#pragma unroll
    for (int c = 0; c < CORE_X; c += 2) lift_diagonal(kept, v[r][c], v[r][c + 1], &v[r][c], &v[r][c + 1]);
#pragma unroll
    for (int i = 0; i < 3; ++i) vstore4(kept[i], 3 * r + i, kept_x);
  }
#pragma unroll
  for (int c = 0; c < CORE_X; ++c) {
    float4 kept[3] = {vload4(3 * c, kept_y), vload4(3 * c + 1, kept_y), vload4(3 * c + 2, kept_y)};
#pragma unroll
    for (int r = 0; r < CORE_Y; r += 2) lift_diagonal(kept, v[r][c], v[r + 1][c], &v[r][c], &v[r + 1][c]);
#pragma unroll
    for (int i = 0; i < 3; ++i) vstore4(kept[i], 3 * c + i, kept_y);
  }
}

#else
// Vectors of a core's rows, for lines along x, and of its columns.
#define ROWS_V JOIN(float, CORE_Y)
#define COLUMNS_V JOIN(float, CORE_X)

INLINE ROWS_V column_of(float (*v)[CORE_X], const int c) {
  float column[CORE_Y];
#pragma unroll
  for (int r = 0; r < CORE_Y; ++r) column[r] = v[r][c];
  return JOIN(vload, CORE_Y)(0, column);
}

INLINE void set_column(float (*v)[CORE_X], const int c, const ROWS_V values) {
  float column[CORE_Y];
  JOIN(vstore, CORE_Y)(values, 0, column);
#pragma unroll
  for (int r = 0; r < CORE_Y; ++r) v[r][c] = column[r];
}

INLINE void lift_core(KEPT_X_SPACE float *kept_x, KEPT_Y_SPACE float *kept_y, float (*v)[CORE_X]) {
  ROWS_V rows[4], low, high;
#pragma unroll
  for (int i = 0; i < 4; ++i) rows[i] = JOIN(vload, CORE_Y)(i, kept_x);
#pragma unroll
  for (int c = 0; c < CORE_X; c += 2) {
    LIFT_VERTICAL(ROWS_V, rows, column_of(v, c), column_of(v, c + 1), low, high)
    set_column(v, c, low), set_column(v, c + 1, high);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) JOIN(vstore, CORE_Y)(rows[i], i, kept_x);

  COLUMNS_V columns[4], upper, lower;
#pragma unroll
  for (int i = 0; i < 4; ++i) columns[i] = JOIN(vload, CORE_X)(i, kept_y);
#pragma unroll
  for (int r = 0; r < CORE_Y; r += 2) {
    LIFT_VERTICAL(COLUMNS_V, columns, JOIN(vload, CORE_X)(0, v[r]), JOIN(vload, CORE_X)(0, v[r + 1]), upper, lower)
    JOIN(vstore, CORE_X)(upper, 0, v[r]);
    JOIN(vstore, CORE_X)(lower, 0, v[r + 1]);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) JOIN(vstore, CORE_X)(columns[i], i, kept_y);
}
#endif

// The coefficients of a core, from (x, y) on. With a constant for `inside`, a core in the middle has no condition.
INLINE void compute_core(global const float *restrict from, global float *restrict to, const PaperPicture own,
                         const int x, const int y, const int top, const bool inside, KEPT_X_SPACE float *kept_x,
                         KEPT_Y_SPACE float *kept_y) {
  float v[CORE_Y][CORE_X];
  load_core(from, own, x + SAMPLES_AHEAD, y + SAMPLES_AHEAD, inside, v);
  lift_core(kept_x, kept_y, v);
  if (x >= 0 && y >= top) store_core(to, own, x, y, inside, v);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void core(global const float *restrict framed, global float *restrict results, global float *restrict states,
          const PaperPicture own) {
  global const float *restrict from = framed + own.start;
  global float *restrict to = results + own.start;
  const int block = get_group_id(0), top = block * own.block, bottom = min(top + own.block, own.height);
  global float *const kept = states + (long)block * own.state;
  for (int i = 0; i < own.state; ++i) kept[i] = 0;
  const int left = -LEAD(CORE_X), begin = top - LEAD(CORE_Y);
  const int across = (own.width - left + CORE_X - 1) / CORE_X, down = (bottom - begin + CORE_Y - 1) / CORE_Y;
  for (int outer = 0; outer < (BY_COLUMNS ? across : down); ++outer) {
    float carried[LINE_STATE * (BY_COLUMNS ? CORE_X : CORE_Y)];
#pragma unroll
    for (int i = 0; i < LINE_STATE * (BY_COLUMNS ? CORE_X : CORE_Y); ++i) carried[i] = 0;
    for (int inner = 0; inner < (BY_COLUMNS ? down : across); ++inner) {
      const int column = (BY_COLUMNS ? outer : inner) * CORE_X, row = (BY_COLUMNS ? inner : outer) * CORE_Y;
      const int x = left + column, y = begin + row;
      const bool inside = !MIRRORED_BORDER || (x + SAMPLES_AHEAD >= 0 && x + SAMPLES_AHEAD + CORE_X <= own.width &&
                                         y + CORE_Y <= own.height);
#if BY_COLUMNS
      KEPT_X_SPACE float *const kept_x = kept + LINE_STATE * row;
      KEPT_Y_SPACE float *const kept_y = carried;
#else
      KEPT_X_SPACE float *const kept_x = carried;
      KEPT_Y_SPACE float *const kept_y = kept + LINE_STATE * column;
#endif
      if (inside)
        compute_core(from, to, own, x, y, top, true, kept_x, kept_y);
      else
        compute_core(from, to, own, x, y, top, false, kept_x, kept_y);
    }
  }
}
