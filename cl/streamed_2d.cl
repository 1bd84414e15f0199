// streamed_2d: one level in one pass over memory.
//
// Each sub-group marches along a strip of columns, a pair of rows at a time. A work-item holds PAIRS pairs of
// columns; along x it lifts them with what its neighbours hold (exchange.cl), along y as a pipeline in registers:
// step k runs LAG_k pairs of rows behind the newest. The pairs of rows AHEAD are loaded before they are needed.
// The four sub-bands are written as they come out.
//
// After the register blocks of Enfedaque et al. 2015 and the single loop of Barina and Zemcik 2015.
// Cost per sample: 1 global read and 1 write, and more for the overlaps: OVERLAP_LO and OVERLAP_HI work-items
// at the ends of a sub-group compute what a neighbour stores, and a segment loads REACH_LO + REACH_HI pairs of
// rows more than it stores. Compiled for an NVIDIA H200, 9/7 in f32 takes 250 instructions for 16 samples, 128 of
// them lifting.
//
// There, 8192 x 8192 in f32 by 9/7 takes 147 us, a copy 130. Without lifting it takes 147 us as well: memory limits
// it. The two slowest things left: how reads and writes are spread (some 10 us: it stays 142 us without the
// overlap along x, and does not fall without that along y, which the march from common seams has hidden), and the
// overlap along x (5 us). 16-bit integers are limited by instructions where steps multiply: VC-2's 9/7 takes 405 for
// 16 samples, and 96 us where the copy takes 67.

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
#define STRIP ((LANES - OVERLAP_LO - OVERLAP_HI) * PAIRS)

// --- beside the picture ------------------------------------------------------------------------------
// Where the boundary rule says the same as going on with mirrored (repeated) samples, samples beside the picture are
// read where they come from, and that is all. Where the outermost of each channel is held, it is held anew after
// every step. Any other border is for frame_2d.cl.

#define EXTENSION_NONE 0
#define EXTENSION_MIRRORED 1
#define EXTENSION_REPEATED 2
#define EXTENSION_HELD 3
#define IS_HELD (EXTENSION == EXTENSION_HELD)

#if EXTENSION
#define FROM_X 0
#define TO_X(width) S_COUNT(width)
#define FROM_Y 0
#define TO_Y(height) S_COUNT(height)
#endif
// How rows are read and written. By vectors where they are aligned and the picture ends between work-items (WIDE).
// Else sample by sample, neighbours by neighbouring lanes, which then exchange them through local memory (STAGED);
// without sub-groups each work-item its own.
#define STAGED (!WIDE && EXCHANGE != EXCHANGE_NONE)
#define ALONE (EXCHANGE == EXCHANGE_NONE)
// Samples beside the picture are read where they come from. A sub-group has mirrored and held ones anyway: it takes
// them from local memory, or by vectors each work-item its own; repeated ones go by whole work-items then.
#define ELSEWHERE (ALONE || EXTENSION == EXTENSION_REPEATED)
#define TAKES_OWN (!ALONE && (IS_HELD || (WIDE && EXTENSION == EXTENSION_MIRRORED)))

// Steps that are the same backwards can as well march up: pair p of rows is then that of the picture turned upside
// down about its first row. Segments march away from every other seam, and towards those between: what two of
// them read, they read at about the same time, and it is still in a cache.
#define WAY(segment) (TURNS && pass.step && (segment) % 2 == 0 ? -1 : 1)

// Where the sample `place` of an axis stands, beside the picture by no more than its length.
INLINE int extended(const int place, const int samples) {
#if EXTENSION == EXTENSION_MIRRORED
  const int last = samples - 1;
  return last - (int)abs(last - (int)abs(place));
#elif EXTENSION == EXTENSION_REPEATED
  return place < 0 ? place + samples : place >= samples ? place - samples : place;
#elif IS_HELD
  // Odd places are details.
  return place < 0 ? place & 1 : place < samples ? place : samples - 1 - ((place + 1 - samples) & 1);
#else
  return place;
#endif
}

// The same for columns, of which some are far from the picture and may stand anywhere.
INLINE int column_inside(const int place, const int width) {
  return clamp(extended(place, width), 0, width - 1);
}

// The columns of a work-item, in pairs.
typedef struct {
  int lane;
  int start;             // the first of its sub-group
  int own;               // its own first
  int loaded;            // the first that it loads, by vectors
  int from, to;          // those that its sub-group stores
  bool beside;           // whether some that it loads are beside the picture
  int s_count, d_count;  // those of the picture
} Item;

static inline Item item_at(const int strip, const int width) {
  const int pairs = D_COUNT(width), lane = LANE;
  Item item;
  item.lane = lane;
  item.start = strip * STRIP - OVERLAP_LO * PAIRS;
  item.own = item.start + lane * PAIRS;
  item.from = max(strip * STRIP, FROM_X);
  item.to = min((strip + 1) * STRIP, TO_X(width));
  item.s_count = S_COUNT(width);
  item.d_count = D_COUNT(width);
  item.loaded = item.own;
  if (ALONE) {
    item.beside = item.own < BEFORE || item.own + PAIRS + AFTER > pairs;
  } else if (STAGED) {
    item.beside = item.start < 0 || item.start + LANES * PAIRS > pairs;
  } else {
    item.beside = false;
    if (EXTENSION == EXTENSION_REPEATED && item.own < 0) item.loaded += pairs;
    if (EXTENSION == EXTENSION_REPEATED && item.own >= pairs) item.loaded -= pairs;
    // What else is beside the picture is never stored: any place inside will do.
    item.loaded = clamp(item.loaded, 0, pairs - PAIRS);
  }
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
    row[X_##target + n] = LIFT_##k(row[X_##target + n], X_AT_##source);                \
  if (IS_HELD && item->beside) hold_x(item->own - BEFORE, item->target##_count, row + X_##target);
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
      if (TAKES_OWN && item->own == 0) left[i] = row[X_##source + LEFT_OF_##source(i)];    \
    }                                                                                   \
    UNROLL for (int i = 0; i < (last); ++i) {                                           \
      right[i] = from_right(row[X_##source + i]);                                       \
      if (TAKES_OWN && item->own + PAIRS >= item->source##_count)                     \
        right[i] = row[X_##source + RIGHT_OF_##source(i)];                              \
    }                                                                                   \
    UNROLL for (int n = 0; n < PAIRS; ++n)                                              \
      row[X_##target + n] = LIFT_##k(row[X_##target + n], X_AT_##source);               \
    if (IS_HELD && !WIDE) {                                                             \
      const A before_own = from_left(row[X_##target + PAIRS - 1]);                      \
      if (item->own >= item->target##_count) row[X_##target] = before_own;              \
      hold_x(item->own, item->target##_count, row + X_##target);                        \
    }                                                                                   \
  }
#endif

// The i-th neighbours beyond a row, mirrored (its length is even then) or held.
#define LEFT_OF_s(i) (IS_HELD ? 0 : 1 + (i))
#define LEFT_OF_d(i) (IS_HELD ? 0 : (i))
#define RIGHT_OF_s(i) (IS_HELD ? PAIRS - 1 : PAIRS - 1 - (i))
#define RIGHT_OF_d(i) (IS_HELD ? PAIRS - 1 : PAIRS - 2 - (i))

// Holds the outermost of the `count` pairs of a channel, of which a work-item has those from `first` on.
INLINE void hold_x(const int first, const int count, A *channel) {
  UNROLL for (int n = HELD - 2; n >= 0; --n)
    if (ALONE && first + n < 0) channel[n] = channel[n + 1];
  UNROLL for (int n = 1; n < HELD; ++n)
    if (first + n >= count) channel[n] = channel[n - 1];
}

INLINE void lift_x(const Item *item, A *row) { LIFT_STEPS(X_STEP) }

// --- along y -----------------------------------------------------------------------------------------
// Pairs of rows by age, the newest 0, in a ring: the loop is written out once for each of its RING phases, so
// that the ring stays in registers and nothing is moved. A CPU has its private memory in the caches anyway, and its
// compiler takes long enough.

#ifdef WRITTEN_OUT
#define EACH_PHASE UNROLL
#else
#define EACH_PHASE
#endif

#define AGED(age) ((phase + RING - (age)) % RING)
#define Y_AT_s(offset) s[AGED(lag - (offset))][i]
#define Y_AT_d(offset) d[AGED(lag - (offset))][i]
#define Y_STEP(k, target, source, first, last, before, after)                   \
  {                                                                             \
    const int lag = LAG_##k;                                                    \
    UNROLL for (int i = 0; i < 2 * HELD; ++i)                                   \
      target[AGED(lag)][i] = LIFT_##k(target[AGED(lag)][i], Y_AT_##source);     \
    if (IS_HELD && outermost) HOLD_Y(target)                                    \
  }

// Before the first row of a channel as many like it as are kept, after the last one each like the one before.
#define HOLD_Y(channel)                                                         \
  {                                                                             \
    const int n = now - lag;                                                    \
    if (n == span->channel##_first)                                             \
      UNROLL for (int age = lag + 1; age < KEPT; ++age)                         \
        UNROLL for (int i = 0; i < 2 * HELD; ++i)                               \
          channel[AGED(age)][i] = channel[AGED(lag)][i];                        \
    if (n >= span->channel##_end)                                               \
      UNROLL for (int i = 0; i < 2 * HELD; ++i)                                 \
        channel[AGED(lag)][i] = channel[AGED(lag + 1)][i];                      \
  }

// --- memory ------------------------------------------------------------------------------------------
// Samples wait as they are in memory: pairs [first - BEFORE, first + PAIRS + AFTER) of one row, woven on the near
// side, approximations before details on the far side. Two 16-bit samples in a word (PACKED) are taken apart only
// when they are needed: that would wait for them.

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

// A run of samples that a sub-group loads, and one that it stores.
#ifdef FORWARD
#define IN_RUN COLUMNS
#define IN_VECTOR JOIN(T, NEAR_SIZE)
#define IN_SIZE NEAR_SIZE
#define IN_PLACE_OF(pair) (2 * (pair))
#define IN_PLACE(pair, cx, j, width) column_inside(2 * (pair) + (j), width)
#define OUT_RUN PAIRS
#define OUT_VECTOR JOIN(T, FAR_SIZE)
#define OUT_SIZE FAR_SIZE
#else
#define IN_RUN PAIRS
#define IN_VECTOR JOIN(T, FAR_SIZE)
#define IN_SIZE FAR_SIZE
#define IN_PLACE_OF(pair) (pair)
#define IN_PLACE(pair, cx, j, width) (column_inside(2 * ((pair) + (j)) + (cx), width) / 2)
#define OUT_RUN COLUMNS
#define OUT_VECTOR JOIN(T, NEAR_SIZE)
#define OUT_SIZE NEAR_SIZE
#endif

#if STAGED
// Sample lane + LANES * j of a run becomes sample lane * IN_RUN + j, of the sub-group's or, extended, of the row's.
INLINE void to_own(local T *stage, const Plane *plane, const Item *item, const int cx, T *run) {
  SUB_GROUP_FENCE;
  UNROLL for (int j = 0; j < IN_RUN; ++j) stage[item->lane + LANES * j] = run[j];
  SUB_GROUP_FENCE;
  if (EXTENSION && !ELSEWHERE && item->beside) {
    UNROLL for (int j = 0; j < IN_RUN; ++j)
      run[j] = stage[clamp(IN_PLACE(item->own, cx, j, plane->width) - IN_PLACE_OF(item->start), 0, LANES * IN_RUN - 1)];
  } else {
    UNROLL for (int j = 0; j < IN_RUN; j += IN_SIZE)
      JOIN(vstore, IN_SIZE)(*(local const IN_VECTOR *)(stage + item->lane * IN_RUN + j), 0, run + j);
  }
}

// Sample lane * OUT_RUN + j becomes sample lane + LANES * j.
INLINE void from_own(local T *stage, const int lane, T *run) {
  SUB_GROUP_FENCE;
  UNROLL for (int j = 0; j < OUT_RUN; j += OUT_SIZE)
    *(local OUT_VECTOR *)(stage + lane * OUT_RUN + j) = JOIN(vload, OUT_SIZE)(0, run + j);
  SUB_GROUP_FENCE;
  UNROLL for (int j = 0; j < OUT_RUN; ++j) run[j] = stage[lane + LANES * j];
}
#else
#define to_own(stage, plane, item, cx, run)
#define from_own(stage, lane, run)
#endif

// Neighbours of one row of a band are one place apart in planes (PLANAR).
#define FAR_STEP(band) (PLANAR ? 1 : plane->far_step[band])

// Places in row y of the picture, and in that row's of a band.
INLINE global T *near_at(const Plane *plane, const int y, const int column) {
  return plane->near + (y * plane->near_row + column);
}
INLINE global T *far_at(const Plane *plane, const int band, const int y, const int pair) {
  return plane->far[band] + ((y >> 1) * plane->far_row[band] + pair * FAR_STEP(band));
}

// The rows that a sub-group marches along, those of the turned picture where it marches up.
typedef struct {
  int way;       // 1: down, -1: up
  int from, to;  // the rows that it stores
  int s_first, s_end, d_first, d_end;  // the pairs of the picture
} Span;

static inline Span span_of(const int way, const int from, const int to, const int height) {
  const Span down = {1, from, to, 0, S_COUNT(height), 0, D_COUNT(height)};
  const Span up = {-1, 1 - to, 1 - from, 1 - S_COUNT(height), 1, -D_COUNT(height), 0};
  return way > 0 ? down : up;
}

#ifdef FORWARD
#define RAW(words, cx, n) WAITING(words, 2 * (n) + (cx))

INLINE void load_row(const Plane *plane, const Item *item, const int y, const int cy, WORD *to) {
  const int width = plane->width, step = STAGED ? LANES : 1;
  const int column = STAGED ? 2 * item->start + item->lane : 2 * (item->own - BEFORE);
  if (WIDE && !(ALONE && item->beside)) {
    LOAD_RUN(to, near_at(plane, y, 2 * (item->loaded - BEFORE)), WORDS, 2 * BEFORE, COLUMNS / IN_WORD, NEAR_WORDS)
  } else if (ELSEWHERE && item->beside) {
    UNROLL for (int i = 0; i < 2 * HELD; ++i) to[i] = *near_at(plane, y, column_inside(column + i * step, width));
  } else {
    global const T *const row = near_at(plane, y, column);
    UNROLL for (int i = 0; i < 2 * HELD; ++i)
      to[i] = ELSEWHERE || (uint)(column + i * step) < (uint)width ? row[i * step] : 0;
  }
}

INLINE void unpack(const Plane *plane, const Item *item, local T *stage, WORD *words, const int cy, A *row) {
  to_own(stage, plane, item, 0, words);
  UNROLL for (int n = 0; n < HELD; ++n) {
    row[n] = LOAD_2D(0, cy, RAW(words, 0, n));
    row[HELD + n] = LOAD_2D(1, cy, RAW(words, 1, n));
  }
}

INLINE void store_row(const Plane *plane, const Item *item, local T *stage, const int y, const int cy,
                      const A *row) {
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    const int band = 2 * cy + cx;
    T out[PAIRS];
    UNROLL for (int n = 0; n < PAIRS; ++n) out[n] = STORE_2D(cx, cy, row[cx * HELD + BEFORE + n]);
    from_own(stage, item->lane, out);
    const int pair = STAGED ? item->start + item->lane : item->own, step = STAGED ? LANES : 1;
    global T *const to = far_at(plane, band, y, pair);
    if (WIDE) {
      if (pair < item->from || pair >= item->to) continue;
      UNROLL for (int n = 0; n < PAIRS; n += FAR_SIZE)
        *(global JOIN(T, FAR_SIZE) *)(to + n) = JOIN(vload, FAR_SIZE)(0, out + n);
    } else {
      const int end = min(item->to, (plane->width + 1 - cx) / 2);
      UNROLL for (int n = 0; n < PAIRS; ++n)
        if (pair + n * step >= item->from && pair + n * step < end)
          to[n * step * FAR_STEP(band)] = out[n];
    }
  }
}

#else
#define RAW(words, cx, n) WAITING(words, (cx) * HELD + (n))

INLINE void load_row(const Plane *plane, const Item *item, const int y, const int cy, WORD *to) {
  const int width = plane->width, step = STAGED ? LANES : 1;
  const int pair = STAGED ? item->start + item->lane : item->own - BEFORE;
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    const int band = 2 * cy + cx;
    WORD *const part = to + cx * HELD / IN_WORD;
    if (WIDE && !(ALONE && item->beside)) {
      LOAD_RUN(part, far_at(plane, band, y, item->loaded - BEFORE), HELD / IN_WORD, BEFORE, PAIRS / IN_WORD, FAR_WORDS)
    } else if (ELSEWHERE && item->beside) {
      UNROLL for (int n = 0; n < HELD; ++n)
        part[n] = *far_at(plane, band, y, column_inside(2 * (pair + n * step) + cx, width) / 2);
    } else {
      global const T *const row = far_at(plane, band, y, pair);
      UNROLL for (int n = 0; n < HELD; ++n)
        part[n] = ELSEWHERE || (uint)(pair + n * step) < (uint)(width + 1 - cx) / 2 ? row[n * step * FAR_STEP(band)] : 0;
    }
  }
}

INLINE void unpack(const Plane *plane, const Item *item, local T *stage, WORD *words, const int cy, A *row) {
  to_own(stage, plane, item, 0, words);
  to_own(stage, plane, item, 1, words + HELD);
  UNROLL for (int n = 0; n < HELD; ++n) {
    row[n] = LOAD_2D(0, cy, RAW(words, 0, n));
    row[HELD + n] = LOAD_2D(1, cy, RAW(words, 1, n));
  }
}

INLINE void store_row(const Plane *plane, const Item *item, local T *stage, const int y, const int cy,
                      const A *row) {
  T out[COLUMNS];
  UNROLL for (int i = 0; i < COLUMNS; ++i)
    out[i] = STORE_2D(i & 1, cy, row[(i & 1) * HELD + BEFORE + i / 2]);
  from_own(stage, item->lane, out);
  const int column = STAGED ? 2 * item->start + item->lane : 2 * item->own, step = STAGED ? LANES : 1;
  global T *const to = near_at(plane, y, column);
  if (WIDE) {
    if (item->own < item->from || item->own >= item->to) return;
    UNROLL for (int i = 0; i < COLUMNS; i += NEAR_SIZE)
      *(global JOIN(T, NEAR_SIZE) *)(to + i) = JOIN(vload, NEAR_SIZE)(0, out + i);
  } else {
    const int end = min(2 * item->to, plane->width);
    UNROLL for (int i = 0; i < COLUMNS; ++i)
      if (column + i * step >= 2 * item->from && column + i * step < end) to[i * step] = out[i];
  }
}
#endif

// Both rows of pair p.
INLINE void load_pair(const Plane *plane, const Item *item, const int way, const int p, WORD to[2][WORDS]) {
  UNROLL for (int cy = 0; cy < 2; ++cy)
    load_row(plane, item, extended(way * (2 * p + cy), plane->height), cy, to[cy]);
}

// --- the march ---------------------------------------------------------------------------------------

// One segment of a strip.
INLINE void march(const Plane *plane, const Item *item, const Span *span, local T *stage) {
  WORD waiting[AHEAD][2][WORDS];
  A s[RING][2 * HELD], d[RING][2 * HELD];
  // Rounded down and up to whole pairs.
  const int top = span->from >> 1, bottom = (span->to + 1) >> 1;
  const int begin = top - REACH_LO, end = bottom + LAST_LAG, last = bottom + REACH_HI - 1, way = span->way;

  UNROLL for (int a = 0; a < AHEAD; ++a)
    load_pair(plane, item, way, min(begin + a, last), waiting[a]);
  UNROLL for (int age = 0; age < RING; ++age)
    UNROLL for (int i = 0; i < 2 * HELD; ++i) s[age][i] = d[age][i] = 0;

  for (int p = begin; p < end; p += RING) {
    EACH_PHASE for (int phase = 0; phase < RING; ++phase) {
      const int now = p + phase, done = now - LAST_LAG;
      const bool outermost = now <= span->s_first + LAST_LAG || now >= span->d_end;
      unpack(plane, item, stage, waiting[phase % AHEAD][0], 0, s[phase]);
      unpack(plane, item, stage, waiting[phase % AHEAD][1], 1, d[phase]);
      if (now + AHEAD <= last)
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
      if (done < top || done >= bottom) continue;
      if (2 * done >= span->from) store_row(plane, item, stage, way * 2 * done, 0, low);
      if (2 * done + 1 < span->to) store_row(plane, item, stage, way * (2 * done + 1), 1, high);
    }
  }
}

// The work-item's share of the pictures, by sub-groups.
INLINE void stream(global T *from, global T *to, global T *corner, const Pass *arguments, const int group,
                   local T *stage) {
  const Pass pass = *arguments;
  // A work-group stays in one picture, so that all of it has the same pointers.
  const int sub_groups = GROUP / LANES, groups = (pass.groups * pass.segments + sub_groups - 1) / sub_groups;
  const int picture = pass.across[1] * pass.across[2] > 1 ? group / groups : 0;
  const int number = (group - picture * groups) * sub_groups + SUB_GROUP;
  const int segment = number / pass.groups, strip = number - segment * pass.groups;
  if (segment >= pass.segments) return;
  const Plane plane = PLANE(picture);
  const Item item = item_at(strip, plane.width);
  const int top = 2 * (FROM_Y + segment * pass.windows);
  const int end = EXTENSION ? plane.height : 2 * TO_Y(plane.height);
  const Span span = span_of(WAY(segment), top, min(top + 2 * pass.windows, end), plane.height);
  if (span.from < span.to) march(&plane, &item, &span, stage + SUB_GROUP * LANES * COLUMNS);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void streamed_2d(global T *from, global T *to, global T *corner, const Pass pass) {
  const int group = get_group_id(0);
  local T stage[STAGED ? GROUP * COLUMNS : 1] __attribute__((aligned(16)));
#if EXTENSION
  stream(from, to, corner, &pass, group, stage);
#else
  local T tile[TILE];
  const int tiles = 1 + pass.frame_x + pass.frame_y, frames = tiles * pass.across[1] * pass.across[2];
  if (group >= frames) stream(from, to, corner, &pass, group - frames, stage);
  // No barrier may stand under a condition: PoCL 3.1 goes wrong there. So all pass those of the frame.
  const Plane plane = PLANE(group < frames ? group / tiles : 0);
  frame(&plane, &pass, tile, group < frames ? group % tiles : -1);
#endif
}
