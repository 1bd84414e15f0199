// How the sub-groups of streamed_2d and two_levels_2d lift along both axes: along x across their work-items, which hold
// PAIRS pairs of columns each, along y as a pipeline in registers.

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
// Pairs of the finest level that LEVELS levels reach: those of the second are two of the first apart.
#define LEVELS_REACH(reach) (LEVELS == 2 ? 3 * (reach) : (reach))
// Work-items whose pairs are in reach of the end of the sub-group.
#define OVERLAP_LO ((LEVELS_REACH(REACH_LO) + PAIRS - 1) / PAIRS)
#define OVERLAP_HI ((LEVELS_REACH(REACH_HI) + PAIRS - 1) / PAIRS)
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
// A row is `held` approximations, then `held` details.

#define X_s 0
#define X_d held

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
   : n + (offset) >= held                                                  \
       ? right[n + (offset) >= held ? n + (offset) - held : 0]             \
       : row[channel + (n + (offset) >= 0 && n + (offset) < held ? n + (offset) : 0)])
#define X_AT_s(offset) X_AT(X_s, offset)
#define X_AT_d(offset) X_AT(X_d, offset)
#define X_STEP(k, target, source, first, last, before, after)                           \
  {                                                                                     \
    A left[PAIRS], right[PAIRS];                                                        \
    UNROLL for (int i = 0; i < -(first); ++i) {                                         \
      left[i] = from_left(row[X_##source + held - 1 - i]);                              \
      if (TAKES_OWN && item->own == 0) left[i] = row[X_##source + LEFT_OF_##source(i)];  \
    }                                                                                   \
    UNROLL for (int i = 0; i < (last); ++i) {                                           \
      right[i] = from_right(row[X_##source + i]);                                       \
      if (TAKES_OWN && item->own + held >= item->source##_count)                         \
        right[i] = row[X_##source + RIGHT_OF_##source(i)];                              \
    }                                                                                   \
    UNROLL for (int n = 0; n < held; ++n)                                               \
      row[X_##target + n] = LIFT_##k(row[X_##target + n], X_AT_##source);               \
    if (IS_HELD && !WIDE) {                                                             \
      const A before_own = from_left(row[X_##target + held - 1]);                       \
      if (item->own >= item->target##_count) row[X_##target] = before_own;              \
      hold_x(item->own, item->target##_count, row + X_##target);                        \
    }                                                                                   \
  }
#endif

// The i-th neighbours beyond a row, mirrored (its length is even then) or held.
#define LEFT_OF_s(i) (IS_HELD ? 0 : 1 + (i))
#define LEFT_OF_d(i) (IS_HELD ? 0 : (i))
#define RIGHT_OF_s(i) (IS_HELD ? held - 1 : held - 1 - (i))
#define RIGHT_OF_d(i) (IS_HELD ? held - 1 : held - 2 - (i))

// Holds the outermost of the `count` pairs of a channel, of which a work-item has those from `first` on.
INLINE void hold_x(const int first, const int count, A *channel) {
  UNROLL for (int n = HELD - 2; n >= 0; --n)
    if (ALONE && first + n < 0) channel[n] = channel[n + 1];
  UNROLL for (int n = 1; n < HELD; ++n)
    if (first + n >= count) channel[n] = channel[n - 1];
}

INLINE void lift_x(const Item *item, A *row, const int held) { LIFT_STEPS(X_STEP) }

// --- along y -----------------------------------------------------------------------------------------
// Pairs of rows by age, the newest 0, in a ring of RING rows of `count` samples for each channel: the loop is written
// out once for each phase, so that the ring stays in registers and nothing is moved. A CPU has its private memory in
// the caches anyway, and its compiler takes long enough.

#ifdef WRITTEN_OUT
#define EACH_PHASE UNROLL
#else
#define EACH_PHASE
#endif

// Steps that are the same backwards can as well march up: pair p of rows is then that of the picture turned upside
// down about its first row. Segments march away from every other seam, and towards those between: what two of
// them read, they read at about the same time, and it is still in a cache.
#define WAY(segment) (TURNS && pass.step && ((segment) + (pass.step >> 1)) % 2 == 0 ? -1 : 1)

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

#define AGED(age) ((phase + RING - (age)) % RING * count)
#define Y_AT_s(offset) s[AGED(lag - (offset)) + i]
#define Y_AT_d(offset) d[AGED(lag - (offset)) + i]
#define Y_STEP(k, target, source, first, last, before, after)                       \
  {                                                                                 \
    const int lag = LAG_##k;                                                        \
    UNROLL for (int i = 0; i < count; ++i)                                          \
      target[AGED(lag) + i] = LIFT_##k(target[AGED(lag) + i], Y_AT_##source);       \
    if (IS_HELD && outermost) HOLD_Y(target)                                        \
  }

// Before the first row of a channel as many like it as are kept, after the last one each like the one before. Unless
// there are SHORT_SEGMENTS, only the outermost segment reads rows before the first one, and it begins REACH_LO pairs
// before it: one phase, or two, can see the first row of a channel.
#define SEES_FIRST(lag) (SHORT_SEGMENTS || ((phase - REACH_LO - (lag)) % RING + RING) % RING < 2)
#define HOLD_Y(channel)                                                             \
  {                                                                                 \
    const int n = now - lag;                                                        \
    if (SEES_FIRST(lag) && n == span->channel##_first)                              \
      UNROLL for (int age = lag + 1; age < KEPT; ++age)                             \
        UNROLL for (int i = 0; i < count; ++i)                                      \
          channel[AGED(age) + i] = channel[AGED(lag) + i];                          \
    if (n >= span->channel##_end)                                                   \
      UNROLL for (int i = 0; i < count; ++i)                                        \
        channel[AGED(lag) + i] = channel[AGED(lag + 1) + i];                        \
  }

// One turn of the pipeline, `now` the newest pair of rows.
INLINE void lift_y(A *s, A *d, const int count, const int phase, const int now, const Span *span) {
  const bool outermost = now <= span->s_first + LAST_LAG || now >= span->d_end;
  LIFT_STEPS(Y_STEP)
}

// One turn along both axes: the newest pair of rows, of `count` samples each, is in its places; `low` and `high`
// become the pair that is done.
INLINE void turn(const Item *item, const Span *span, A *s, A *d, const int count, const int phase, const int now,
                 A *low, A *high) {
  if (X_FIRST) {
    lift_x(item, s + phase * count, count / 2);
    lift_x(item, d + phase * count, count / 2);
  }
  lift_y(s, d, count, phase, now, span);
  UNROLL for (int i = 0; i < count; ++i) {
    low[i] = s[AGED(LAST_LAG) + i];
    high[i] = d[AGED(LAST_LAG) + i];
  }
  if (!X_FIRST) {
    lift_x(item, low, count / 2);
    lift_x(item, high, count / 2);
  }
}
