// streamed_2d: one level in one pass over memory.
//
// Each sub-group marches down a strip of columns, a pair of rows at a time. A work-item holds PAIRS pairs
// of columns; along x it lifts them with what its neighbours hold (exchange.cl), along y as a pipeline in
// registers: step k runs LAG_k pairs of rows behind the newest. The pairs of rows AHEAD are loaded before
// they are needed. The four sub-bands are written as they come out; nothing goes through local memory.
// The border is done by other work-groups of the same launch (frame_2d.cl).
//
// After the register blocks of Enfedaque et al. 2015 and the single loop of Barina and Zemcik 2015.
// Cost per sample: 1 global read and 1 write, and more for the overlaps: OVERLAP_LO and OVERLAP_HI work-items
// at the ends of a sub-group compute what a neighbour stores, and a segment starts REACH_LO + LAST_LAG pairs of
// rows early. Compiled for an NVIDIA H200, 9/7 in f32 takes 270 instructions for 16 samples, 128 of them
// multiply-adds and about 50 moves of rows from age to age. With 490 it ran at 0.66 of the copy rate, limited
// by instructions and their latency; the present form has not been measured.

#define COLUMNS (2 * PAIRS)

#if EXCHANGE == EXCHANGE_NONE
// Every work-item loads its own surroundings.
#define BEFORE REACH_LO
#define AFTER REACH_HI
#define OVERLAP_LO 0
#define OVERLAP_HI 0
#else
#define BEFORE 0
#define AFTER 0
// Work-items whose pairs are in reach of the end of the sub-group.
#define OVERLAP_LO ((REACH_LO + PAIRS - 1) / PAIRS)
#define OVERLAP_HI ((REACH_HI + PAIRS - 1) / PAIRS)
#endif
#define HELD (BEFORE + PAIRS + AFTER)

// --- along x -----------------------------------------------------------------------------------------
// A row is HELD approximations, then HELD details.

#if EXCHANGE == EXCHANGE_NONE
#define X_AT_s(offset) row[n + (offset)]
#define X_AT_d(offset) row[HELD + n + (offset)]
#define X_STEP(k, target, source, first, last, before, after)                          \
  UNROLL for (int n = BEFORE - (before); n < BEFORE + PAIRS + (after); ++n)            \
    row[X_##target + n] = LIFT_##k(row[X_##target + n], X_AT_##source);
#else
#define X_AT(channel, offset)                                              \
  (n + (offset) < 0 ? left[n + (offset) < 0 ? -(n + (offset)) - 1 : 0]     \
   : n + (offset) >= PAIRS                                                 \
       ? right[n + (offset) >= PAIRS ? n + (offset) - PAIRS : 0]           \
       : row[channel + (n + (offset) >= 0 && n + (offset) < PAIRS ? n + (offset) : 0)])
#define X_AT_s(offset) X_AT(X_s, offset)
#define X_AT_d(offset) X_AT(X_d, offset)
#define X_STEP(k, target, source, first, last, before, after)                          \
  {                                                                                    \
    A left[PAIRS], right[PAIRS];                                                       \
    UNROLL for (int i = 0; i < -(first); ++i)                                          \
      left[i] = from_left(row[X_##source + PAIRS - 1 - i]);                            \
    UNROLL for (int i = 0; i < (last); ++i) right[i] = from_right(row[X_##source + i]);\
    UNROLL for (int n = 0; n < PAIRS; ++n)                                             \
      row[X_##target + n] = LIFT_##k(row[X_##target + n], X_AT_##source);              \
  }
#endif
#define X_s 0
#define X_d HELD

INLINE void lift_x(A *row) { LIFT_STEPS(X_STEP) }

// --- along y -----------------------------------------------------------------------------------------
// Pairs of rows by age, the newest first.

#define Y_AT_s(offset) s[lag - (offset)][i]
#define Y_AT_d(offset) d[lag - (offset)][i]
#define Y_STEP(k, target, source, first, last, before, after)          \
  {                                                                    \
    const int lag = LAG_##k;                                           \
    UNROLL for (int i = 0; i < 2 * HELD; ++i)                          \
      target[lag][i] = LIFT_##k(target[lag][i], Y_AT_##source);        \
  }

// --- memory ------------------------------------------------------------------------------------------
// Samples wait as they are in memory: pairs [first - BEFORE, first + PAIRS + AFTER) of one row, woven on the
// near side, approximations before details on the far side. Where rows are aligned, and the picture ends
// between work-items, all go by vectors (WIDE), else one by one. Work-items beside the picture read something
// inside, and what becomes of it is never stored.

#define NEAR_VECTOR JOIN(T, NEAR_SIZE)
#define FAR_VECTOR JOIN(T, FAR_SIZE)

// Loads `count` neighbours, of which those in [middle, middle + length) start at a multiple of `size`.
#define LOAD_RUN(to, from, count, middle, length, size)                                     \
  UNROLL for (int i = 0; i < (middle); ++i) (to)[i] = (from)[i];                            \
  UNROLL for (int i = (middle); i < (middle) + (length); i += size)                         \
    JOIN(vstore, size)(*(global const JOIN(T, size) *)((from) + i), 0, (to) + i);           \
  UNROLL for (int i = (middle) + (length); i < (count); ++i) (to)[i] = (from)[i];

// The samples of one side that a work-item walks along: the next row of each channel.
typedef struct {
  global T *near[2];
  global T *far[4];
} Rows;

static inline Rows rows_at(const Plane *plane, const int p, const int first) {
  Rows rows;
  UNROLL for (int cy = 0; cy < 2; ++cy) {
    rows.near[cy] = plane->near + (2 * p + cy) * plane->near_row + 2 * first;
    UNROLL for (int cx = 0; cx < 2; ++cx) {
      const int band = 2 * cy + cx;
      rows.far[band] = plane->far[band] + p * plane->far_row[band] + first * plane->far_step[band];
    }
  }
  return rows;
}

INLINE void next_rows(Rows *rows, const Plane *plane) {
  UNROLL for (int cy = 0; cy < 2; ++cy) rows->near[cy] += 2 * plane->near_row;
  UNROLL for (int band = 0; band < 4; ++band) rows->far[band] += plane->far_row[band];
}

#ifdef FORWARD
#define WAITING(raw, cx, n) raw[2 * (n) + (cx)]

INLINE void load_row(const Rows *rows, const Plane *plane, const int cy, T *to) {
  global const T *const row = rows->near[cy] - 2 * BEFORE;
  if (WIDE) {
    LOAD_RUN(to, row, 2 * HELD, 2 * BEFORE, COLUMNS, NEAR_SIZE)
  } else {
    UNROLL for (int i = 0; i < 2 * HELD; ++i) to[i] = row[i];
  }
}

INLINE void store_row(const Rows *rows, const Plane *plane, const int cy, const A *row) {
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    global T *const band = rows->far[2 * cy + cx];
    T out[PAIRS];
    UNROLL for (int n = 0; n < PAIRS; ++n) out[n] = STORE_2D(cx, cy, row[cx * HELD + BEFORE + n]);
    if (WIDE) {
      UNROLL for (int n = 0; n < PAIRS; n += FAR_SIZE)
        *(global FAR_VECTOR *)(band + n) = JOIN(vload, FAR_SIZE)(0, out + n);
    } else {
      UNROLL for (int n = 0; n < PAIRS; ++n) band[n * plane->far_step[2 * cy + cx]] = out[n];
    }
  }
}

#else
#define WAITING(raw, cx, n) raw[(cx) * HELD + (n)]

INLINE void load_row(const Rows *rows, const Plane *plane, const int cy, T *to) {
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    global const T *const band = rows->far[2 * cy + cx];
    if (WIDE) {
      LOAD_RUN(to + cx * HELD, band - BEFORE, HELD, BEFORE, PAIRS, FAR_SIZE)
    } else {
      UNROLL for (int n = 0; n < HELD; ++n)
        to[cx * HELD + n] = band[(n - BEFORE) * plane->far_step[2 * cy + cx]];
    }
  }
}

INLINE void store_row(const Rows *rows, const Plane *plane, const int cy, const A *row) {
  global T *const near = rows->near[cy];
  T out[COLUMNS];
  UNROLL for (int i = 0; i < COLUMNS; ++i)
    out[i] = STORE_2D(i & 1, cy, row[(i & 1) * HELD + BEFORE + i / 2]);
  if (WIDE) {
    UNROLL for (int i = 0; i < COLUMNS; i += NEAR_SIZE)
      *(global NEAR_VECTOR *)(near + i) = JOIN(vload, NEAR_SIZE)(0, out + i);
  } else {
    UNROLL for (int i = 0; i < COLUMNS; ++i) near[i] = out[i];
  }
}
#endif

#define UNPACK(row, raw, cy)                                        \
  UNROLL for (int n = 0; n < HELD; ++n) {                           \
    row[n] = LOAD_2D(0, cy, WAITING(raw, 0, n));                    \
    row[HELD + n] = LOAD_2D(1, cy, WAITING(raw, 1, n));             \
  }

// --- the march ---------------------------------------------------------------------------------------

#define STRIP ((LANES - OVERLAP_LO - OVERLAP_HI) * PAIRS)

// Marches down the pairs of rows [top, bottom) of PAIRS pairs of columns from `first` on.
INLINE void march(const Plane *plane, const int first, const int top, const int bottom,
                         const bool stores) {
  T raw[AHEAD][2][2 * HELD];
  A s[KEPT][2 * HELD], d[KEPT][2 * HELD];
  // Beside the picture any place inside will do.
  const int least = (BEFORE + PAIRS - 1) / PAIRS * PAIRS;
  const int most = (D_COUNT(plane->width) - AFTER) / PAIRS * PAIRS - PAIRS;
  const int inside = clamp(first, least, most);
  Rows in = rows_at(plane, top - REACH_LO, inside), out = rows_at(plane, top, first);

  UNROLL for (int a = 0; a < AHEAD; ++a) {
    load_row(&in, plane, 0, raw[a][0]);
    load_row(&in, plane, 1, raw[a][1]);
    next_rows(&in, plane);
  }
  UNROLL for (int age = 0; age < KEPT; ++age)
    UNROLL for (int i = 0; i < 2 * HELD; ++i) s[age][i] = d[age][i] = 0;

  for (int p = top - REACH_LO; p < bottom + LAST_LAG; ++p) {
    UNROLL for (int age = KEPT - 1; age > 0; --age)
      UNROLL for (int i = 0; i < 2 * HELD; ++i) {
        s[age][i] = s[age - 1][i];
        d[age][i] = d[age - 1][i];
      }
    UNPACK(s[0], raw[0][0], 0)
    UNPACK(d[0], raw[0][1], 1)
    UNROLL for (int a = 1; a < AHEAD; ++a)
      UNROLL for (int i = 0; i < 2 * HELD; ++i) {
        raw[a - 1][0][i] = raw[a][0][i];
        raw[a - 1][1][i] = raw[a][1][i];
      }
    if (p + AHEAD < bottom + REACH_HI) {
      load_row(&in, plane, 0, raw[AHEAD - 1][0]);
      load_row(&in, plane, 1, raw[AHEAD - 1][1]);
      next_rows(&in, plane);
    }
#if X_FIRST
    lift_x(s[0]);
    lift_x(d[0]);
#endif
    LIFT_STEPS(Y_STEP)

    if (p < top + LAST_LAG) continue;
    A low[2 * HELD], high[2 * HELD];
    UNROLL for (int i = 0; i < 2 * HELD; ++i) {
      low[i] = s[LAST_LAG][i];
      high[i] = d[LAST_LAG][i];
    }
#if !X_FIRST
    lift_x(low);
    lift_x(high);
#endif
    if (stores) {
      store_row(&out, plane, 0, low);
      store_row(&out, plane, 1, high);
    }
    next_rows(&out, plane);
  }
}

INLINE void stream(const Plane *plane, const int windows, const int strip,
                          const int segment) {
  const int lane = LANE, first = strip * STRIP + (lane - OVERLAP_LO) * PAIRS;
  const int top = FROM_Y + segment * windows, bottom = min(top + windows, TO_Y(plane->height));
  const bool stores = lane >= OVERLAP_LO && lane < LANES - OVERLAP_HI && first >= FROM_X &&
                      first < TO_X(plane->width);
  if (top < bottom) march(plane, first, top, bottom, stores);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void streamed_2d(global T *from, global T *to, global T *corner, const Pass pass) {
  local T tile[TILE];
  const int group = get_group_id(0), pictures = pass.across[1] * pass.across[2];
  const int tiles = 1 + pass.frame_x + pass.frame_y, frames = tiles * pictures;
  if (group >= frames) {
    const int number = (group - frames) * (GROUP / LANES) + SUB_GROUP;
    const int strip = number % pass.groups, rest = number / pass.groups;
    const int segment = rest % pass.segments, picture = rest / pass.segments;
    if (picture < pictures) {
      const Plane plane = PLANE(picture);
      stream(&plane, pass.windows, strip, segment);
    }
  }
  // No barrier may stand under a condition: PoCL 3.1 goes wrong there. So all pass those of the frame.
  const Plane plane = PLANE(group < frames ? group / tiles : 0);
  frame(&plane, &pass, tile, group < frames ? group % tiles : -1);
}
