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

// --- beside the picture ------------------------------------------------------------------------------
// Where the boundary rule says the same as going on with mirrored (repeated) samples, samples beside the picture are
// read where they come from, and there is no other border. Else the border is for frame_2d.cl.

#define EXTENSION_NONE 0
#define EXTENSION_MIRRORED 1
#define EXTENSION_REPEATED 2

#if EXTENSION
#define FROM_X 0
#define TO_X(width) S_COUNT(width)
#define FROM_Y 0
#define TO_Y(height) S_COUNT(height)
#endif
// Columns are mirrored between the lanes where the picture ends between two of them.
#define MIRRORED_LANES (EXTENSION == EXTENSION_MIRRORED && WIDE && EXCHANGE != EXCHANGE_NONE)
// Repeated columns are whole work-items there too; else samples are read one by one.
#define ONE_BY_ONE (EXTENSION && !(WIDE && EXCHANGE != EXCHANGE_NONE))

// Steps that are the same backwards can as well march up: pair p of rows is then that of the picture turned upside
// down about its first row. Segments march away from every other seam, and towards those between: what two of
// them read, they read at about the same time, and it is still in a cache.
#define WAY(segment) (EXTENSION == EXTENSION_MIRRORED && (segment) % 2 == 0 ? -1 : 1)

// Where the sample `place` of an axis stands, beside the picture by no more than its length.
INLINE int extended(const int place, const int samples) {
#if EXTENSION == EXTENSION_MIRRORED
  const int last = samples - 1;
  return last - (int)abs(last - (int)abs(place));
#elif EXTENSION == EXTENSION_REPEATED
  return place < 0 ? place + samples : place >= samples ? place - samples : place;
#else
  return place;
#endif
}

// The same for columns, of which some are far from the picture and may stand anywhere.
INLINE int column_inside(const int place, const int width) {
  return clamp(extended(place, width), 0, width - 1);
}

// The columns of a work-item.
typedef struct {
  int first;         // its first pair
  int loaded;        // the first pair that it loads
  bool one_by_one;   // whether it loads samples beside the picture
  bool left, right;  // whether the picture begins, ends with it
} Item;

static inline Item item_at(const int first, const int width) {
  const int pairs = D_COUNT(width);
  Item item = {first, first, ONE_BY_ONE && (first < BEFORE || first + PAIRS + AFTER > pairs),
               first == 0, first + PAIRS == pairs};
#if EXTENSION == EXTENSION_REPEATED
  if (!ONE_BY_ONE) item.loaded = first < 0 ? first + pairs : first >= pairs ? first - pairs : first;
#endif
  // What else is beside the picture is never stored: any place inside will do.
  const int least = (BEFORE + PAIRS - 1) / PAIRS * PAIRS, most = (pairs - AFTER) / PAIRS * PAIRS - PAIRS;
  if (!ONE_BY_ONE) item.loaded = clamp(item.loaded, least, most);
  return item;
}

// --- along x -----------------------------------------------------------------------------------------
// A row is HELD approximations, then HELD details.

#define X_s 0
#define X_d HELD

#if EXCHANGE == EXCHANGE_NONE
#define X_AT_s(offset) row[X_s + n + (offset)]
#define X_AT_d(offset) row[X_d + n + (offset)]
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
#define X_STEP(k, target, source, first, last, before, after)                           \
  {                                                                                     \
    A left[PAIRS], right[PAIRS];                                                        \
    UNROLL for (int i = 0; i < -(first); ++i) {                                         \
      left[i] = from_left(row[X_##source + PAIRS - 1 - i]);                             \
      if (MIRRORED_LANES && item->left) left[i] = row[X_##source + LEFT_OF_##source(i)];     \
    }                                                                                   \
    UNROLL for (int i = 0; i < (last); ++i) {                                           \
      right[i] = from_right(row[X_##source + i]);                                       \
      if (MIRRORED_LANES && item->right) right[i] = row[X_##source + RIGHT_OF_##source(i)];  \
    }                                                                                   \
    UNROLL for (int n = 0; n < PAIRS; ++n)                                              \
      row[X_##target + n] = LIFT_##k(row[X_##target + n], X_AT_##source);               \
  }
#endif

// The mirror images of the i-th neighbour beyond a row of even length.
#define LEFT_OF_s(i) (1 + (i))
#define LEFT_OF_d(i) (i)
#define RIGHT_OF_s(i) (PAIRS - 1 - (i))
#define RIGHT_OF_d(i) (PAIRS - 2 - (i))

INLINE void lift_x(const Item *item, A *row) { LIFT_STEPS(X_STEP) }

// --- along y -----------------------------------------------------------------------------------------
// Pairs of rows by age, the newest 0, in a ring: the loop is written out once for each of its RING phases, so
// that the ring stays in registers and nothing is moved.

#define AGED(age) ((phase + RING - (age)) % RING)
#define Y_AT_s(offset) s[AGED(lag - (offset))][i]
#define Y_AT_d(offset) d[AGED(lag - (offset))][i]
#define Y_STEP(k, target, source, first, last, before, after)                   \
  {                                                                             \
    const int lag = LAG_##k;                                                    \
    UNROLL for (int i = 0; i < 2 * HELD; ++i)                                   \
      target[AGED(lag)][i] = LIFT_##k(target[AGED(lag)][i], Y_AT_##source);     \
  }

// --- memory ------------------------------------------------------------------------------------------
// Samples wait as they are in memory: pairs [loaded - BEFORE, loaded + PAIRS + AFTER) of one row, woven on the
// near side, approximations before details on the far side. Where rows are aligned, and the picture ends
// between work-items, they go by vectors (WIDE) and wait in words, else one by one. Two 16-bit samples in a
// word (PACKED) are taken apart only when they are needed: that would wait for them.

#if PACKED
#define WORD uint
#define IN_WORD 2
#define WAITING(words, i) ((short)((words)[(i) / 2] >> (i) % 2 * 16))
#else
#define WORD T
#define IN_WORD 1
#define WAITING(words, i) (words)[i]
#endif
#define WORDS (2 * HELD / IN_WORD)

// Loads `count` words, of which those in [middle, middle + length) start at a multiple of `size`.
#define LOAD_RUN(to, from, count, middle, length, size)                                        \
  {                                                                                            \
    global const WORD *const words = (global const WORD *)(from);                              \
    UNROLL for (int i = 0; i < (middle); ++i) (to)[i] = words[i];                              \
    UNROLL for (int i = (middle); i < (middle) + (length); i += size)                          \
      JOIN(vstore, size)(*(global const JOIN(WORD, size) *)(words + i), 0, (to) + i);          \
    UNROLL for (int i = (middle) + (length); i < (count); ++i) (to)[i] = words[i];             \
  }

// Where the work-item's part of a row of the picture, of a band starts.
INLINE global T *near_at(const Plane *plane, const int y, const int column) {
  return plane->near + (y * plane->near_row + 2 * column);
}
INLINE global T *far_at(const Plane *plane, const int band, const int y, const int column) {
  return plane->far[band] + ((y >> 1) * plane->far_row[band] + column * plane->far_step[band]);
}

// The rows that a sub-group marches along, those of the turned picture where it marches up.
typedef struct {
  int way;       // 1: down, -1: up
  int from, to;  // the rows that it stores
} Span;

static inline Span span_of(const int way, const int from, const int to) {
  const Span span = {way, way > 0 ? from : 1 - to, way > 0 ? to : 1 - from};
  return span;
}

#ifdef FORWARD
#define RAW(words, cx, n) WAITING(words, 2 * (n) + (cx))

INLINE void load_row(const Plane *plane, const Item *item, const int y, const int cy, WORD *to) {
  global const T *const row = near_at(plane, y, item->loaded);
  if (ONE_BY_ONE && item->one_by_one) {
    UNROLL for (int i = 0; i < 2 * HELD; ++i)
      to[i] = plane->near[y * plane->near_row + column_inside(2 * (item->first - BEFORE) + i, plane->width)];
  } else if (WIDE) {
    LOAD_RUN(to, row - 2 * BEFORE, WORDS, 2 * BEFORE, COLUMNS / IN_WORD, NEAR_WORDS)
  } else {
    UNROLL for (int i = 0; i < 2 * HELD; ++i) to[i] = row[i - 2 * BEFORE];
  }
}

INLINE void store_row(const Plane *plane, const Item *item, const int y, const int cy, const A *row) {
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    global T *const band = far_at(plane, 2 * cy + cx, y, item->first);
    T out[PAIRS];
    UNROLL for (int n = 0; n < PAIRS; ++n) out[n] = STORE_2D(cx, cy, row[cx * HELD + BEFORE + n]);
    if (WIDE) {
      UNROLL for (int n = 0; n < PAIRS; n += FAR_SIZE)
        *(global JOIN(T, FAR_SIZE) *)(band + n) = JOIN(vload, FAR_SIZE)(0, out + n);
    } else {
      UNROLL for (int n = 0; n < PAIRS; ++n)
        if (!EXTENSION || 2 * (item->first + n) + cx < plane->width)
          band[n * plane->far_step[2 * cy + cx]] = out[n];
    }
  }
}

#else
#define RAW(words, cx, n) WAITING(words, (cx) * HELD + (n))

INLINE void load_row(const Plane *plane, const Item *item, const int y, const int cy, WORD *to) {
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    global const T *const band = far_at(plane, 2 * cy + cx, y, item->loaded);
    const long step = plane->far_step[2 * cy + cx];
    WORD *const part = to + cx * HELD / IN_WORD;
    if (ONE_BY_ONE && item->one_by_one) {
      UNROLL for (int n = 0; n < HELD; ++n) {
        const int column = column_inside(2 * (item->first - BEFORE + n) + cx, plane->width) / 2;
        part[n] = *far_at(plane, 2 * cy + cx, y, column);
      }
    } else if (WIDE) {
      LOAD_RUN(part, band - BEFORE, HELD / IN_WORD, BEFORE, PAIRS / IN_WORD, FAR_WORDS)
    } else {
      UNROLL for (int n = 0; n < HELD; ++n) part[n] = band[(n - BEFORE) * step];
    }
  }
}

INLINE void store_row(const Plane *plane, const Item *item, const int y, const int cy, const A *row) {
  global T *const near = near_at(plane, y, item->first);
  T out[COLUMNS];
  UNROLL for (int i = 0; i < COLUMNS; ++i)
    out[i] = STORE_2D(i & 1, cy, row[(i & 1) * HELD + BEFORE + i / 2]);
  if (WIDE) {
    UNROLL for (int i = 0; i < COLUMNS; i += NEAR_SIZE)
      *(global JOIN(T, NEAR_SIZE) *)(near + i) = JOIN(vload, NEAR_SIZE)(0, out + i);
  } else {
    UNROLL for (int i = 0; i < COLUMNS; ++i)
      if (!EXTENSION || 2 * item->first + i < plane->width) near[i] = out[i];
  }
}
#endif

#define UNPACK(row, words, cy)                                  \
  UNROLL for (int n = 0; n < HELD; ++n) {                       \
    row[n] = LOAD_2D(0, cy, RAW(words, 0, n));                  \
    row[HELD + n] = LOAD_2D(1, cy, RAW(words, 1, n));           \
  }

// Both rows of pair p.
INLINE void load_pair(const Plane *plane, const Item *item, const int way, const int p, WORD to[2][WORDS]) {
  UNROLL for (int cy = 0; cy < 2; ++cy)
    load_row(plane, item, extended(way * (2 * p + cy), plane->height), cy, to[cy]);
}

// --- the march ---------------------------------------------------------------------------------------

#define STRIP ((LANES - OVERLAP_LO - OVERLAP_HI) * PAIRS)

INLINE void march(const Plane *plane, const Item *item, const Span *span, const bool stores) {
  WORD waiting[AHEAD][2][WORDS];
  A s[RING][2 * HELD], d[RING][2 * HELD];
  // Rounded down and up to whole pairs.
  const int top = span->from >> 1, bottom = (span->to + 1) >> 1;
  const int begin = top - REACH_LO, end = bottom + LAST_LAG, way = span->way;

  UNROLL for (int a = 0; a < AHEAD; ++a) load_pair(plane, item, way, begin + a, waiting[a]);
  UNROLL for (int age = 0; age < RING; ++age)
    UNROLL for (int i = 0; i < 2 * HELD; ++i) s[age][i] = d[age][i] = 0;

  for (int p = begin; p < end; p += RING) {
    UNROLL for (int phase = 0; phase < RING; ++phase) {
      const int now = p + phase, done = now - LAST_LAG;
      UNPACK(s[phase], waiting[phase % AHEAD][0], 0)
      UNPACK(d[phase], waiting[phase % AHEAD][1], 1)
      if (now + AHEAD < bottom + REACH_HI)
        load_pair(plane, item, way, now + AHEAD, waiting[phase % AHEAD]);
#if X_FIRST
      lift_x(item, s[phase]);
      lift_x(item, d[phase]);
#endif
      LIFT_STEPS(Y_STEP)

      A low[2 * HELD], high[2 * HELD];
      UNROLL for (int i = 0; i < 2 * HELD; ++i) {
        low[i] = s[AGED(LAST_LAG)][i];
        high[i] = d[AGED(LAST_LAG)][i];
      }
#if !X_FIRST
      lift_x(item, low);
      lift_x(item, high);
#endif
      if (!stores || done < top || done >= bottom) continue;
      if (2 * done >= span->from) store_row(plane, item, way * 2 * done, 0, low);
      if (2 * done + 1 < span->to) store_row(plane, item, way * (2 * done + 1), 1, high);
    }
  }
}

INLINE void stream(const Plane *plane, const int windows, const int strip, const int segment) {
  const int lane = LANE;
  const Item item = item_at(strip * STRIP + (lane - OVERLAP_LO) * PAIRS, plane->width);
  const int top = 2 * (FROM_Y + segment * windows), all = EXTENSION ? plane->height : 2 * TO_Y(plane->height);
  const Span span = span_of(WAY(segment), top, min(top + 2 * windows, all));
  const bool stores = lane >= OVERLAP_LO && lane < LANES - OVERLAP_HI && item.first >= FROM_X &&
                      item.first < TO_X(plane->width);
  if (span.from < span.to) march(plane, &item, &span, stores);
}

// The work-item's share of the pictures, by sub-groups.
INLINE void stream_all(global T *from, global T *to, global T *corner, const Pass *arguments,
                       const int group) {
  const Pass pass = *arguments;
  const int number = group * (GROUP / LANES) + SUB_GROUP;
  const int strip = number % pass.groups, rest = number / pass.groups;
  const int segment = rest % pass.segments, picture = rest / pass.segments;
  if (picture < pass.across[1] * pass.across[2]) {
    const Plane plane = PLANE(picture);
    stream(&plane, pass.windows, strip, segment);
  }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void streamed_2d(global T *from, global T *to, global T *corner, const Pass pass) {
  const int group = get_group_id(0);
#if EXTENSION
  stream_all(from, to, corner, &pass, group);
#else
  local T tile[TILE];
  const int tiles = 1 + pass.frame_x + pass.frame_y, frames = tiles * pass.across[1] * pass.across[2];
  if (group >= frames) stream_all(from, to, corner, &pass, group - frames);
  // No barrier may stand under a condition: PoCL 3.1 goes wrong there. So all pass those of the frame.
  const Plane plane = PLANE(group < frames ? group / tiles : 0);
  frame(&plane, &pass, tile, group < frames ? group % tiles : -1);
#endif
}
