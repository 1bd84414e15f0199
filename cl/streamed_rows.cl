// How the sub-groups of streamed_2d and two_levels_2d read and write rows.
//
// Samples wait as they are in memory: pairs [first - BEFORE, first + PAIRS + AFTER) of one row, woven on the near
// side, approximations before details on the far side. Two 16-bit samples in a word (PACKED) are taken apart only
// when they are needed: that would wait for them.

#if PACKED
#define WORD uint
#define IN_WORD 2
#define WAITING(words, i) ((short)((words)[(i) / 2] >> (i) % 2 * 16))
#define AS_WORD(samples, i) as_uint((short2)((samples)[2 * (i)], (samples)[2 * (i) + 1]))
#else
#define WORD T
#define IN_WORD 1
#define WAITING(words, i) (words)[i]
#define AS_WORD(samples, i) (samples)[i]
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

// Stores `count` samples by vectors of `size` words: NVIDIA's compiler would make two stores of a vector of 8 shorts.
#define STORE_RUN(to, samples, count, size)                                          \
  {                                                                                  \
    WORD words[(count) / IN_WORD];                                                   \
    UNROLL for (int i = 0; i < (count) / IN_WORD; ++i) words[i] = AS_WORD(samples, i); \
    UNROLL for (int i = 0; i < (count) / IN_WORD; i += size)                         \
      ((global JOIN(WORD, size) *)(to))[i / size] = JOIN(vload, size)(0, words + i); \
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
    // The low band between two levels stays in registers.
    if (band == 0 && LEVELS == 2) continue;
    T out[PAIRS];
    UNROLL for (int n = 0; n < PAIRS; ++n) out[n] = STORE_2D(cx, cy, row[cx * HELD + BEFORE + n]);
    from_own(stage, item->lane, out);
    const int pair = STAGED ? item->start + item->lane : item->own, step = STAGED ? LANES : 1;
    global T *const to = far_at(plane, band, y >> 1, pair);
    if (WIDE) {
      if (pair < item->from || pair >= item->to) continue;
      STORE_RUN(to, out, PAIRS, FAR_WORDS)
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
      global const T *const from = far_at(plane, band, y >> 1, item->loaded - BEFORE);
      LOAD_RUN(part, from, HELD / IN_WORD, BEFORE, PAIRS / IN_WORD, FAR_WORDS)
    } else if (ELSEWHERE && item->beside) {
      UNROLL for (int n = 0; n < HELD; ++n)
        part[n] = *far_at(plane, band, y >> 1, column_inside(2 * (pair + n * step) + cx, width) / 2);
    } else {
      global const T *const row = far_at(plane, band, y >> 1, pair);
      const uint pairs = (width + 1 - cx) / 2;
      UNROLL for (int n = 0; n < HELD; ++n)
        part[n] = ELSEWHERE || (uint)(pair + n * step) < pairs ? row[n * step * FAR_STEP(band)] : 0;
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
    STORE_RUN(to, out, COLUMNS, NEAR_WORDS)
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

// Both rows of pair p, where they are of the segment.
INLINE void store_pair(const Plane *plane, const Item *item, const Span *span, local T *stage, const int p,
                       const A *low, const A *high) {
  if (2 * p + 1 < span->from || 2 * p >= span->to) return;
  if (2 * p >= span->from) store_row(plane, item, stage, span->way * 2 * p, 0, low);
  if (2 * p + 1 < span->to) store_row(plane, item, stage, span->way * (2 * p + 1), 1, high);
}

// --- shares ------------------------------------------------------------------------------------------

// The share of a sub-group of work-group `group`: a segment of a strip of one picture. False if there is none left.
INLINE bool find_share(global T *from, global T *to, global T *corner, const Pass *arguments, const int group,
                       Plane *plane, Item *item, Span *span) {
  const Pass pass = *arguments;
  // A work-group stays in one picture, so that all of it has the same pointers.
  const int sub_groups = GROUP / LANES, groups = (pass.groups * pass.segments + sub_groups - 1) / sub_groups;
  const int picture = SINGLE ? 0 : group / groups;
  const int number = (group - picture * groups) * sub_groups + SUB_GROUP;
  const int segment = (uint)number / (uint)pass.groups, strip = number - segment * pass.groups;
  if (segment >= pass.segments) return false;
  *plane = PLANE(picture);
  *item = item_at(strip, plane->width);
  const int top = 2 * (FROM_Y + segment * pass.windows);
  const int end = EXTENSION ? plane->height : 2 * TO_Y(plane->height);
  *span = span_of(WAY(segment), top, min(top + 2 * pass.windows, end), plane->height);
  return span->from < span->to;
}
