// two_levels_2d: two levels in one pass over memory.
//
// As streamed_2d, but the low band between the two levels never leaves the registers: what one level has done with a
// pair of rows is one row for the other. A work-item holds PAIRS pairs of columns of the finer level, half as many of
// the coarser one.
//
// Both levels go on mirrored. Of a picture of even height, the M rows of the low band go on as s(M - 1 + k) = s(M - k),
// but mirrored itself the band should go on as s(M - 1 - k). So beyond row M - 1 the coarser level takes the row one
// further than its own (inverse: the finer one takes the row one nearer). The last segment marches up (inverse: down),
// and there this is the row that came just before. No other segment gets there: the last one has at least the
// 2 * REACH rows that the one before reads of it.
//
// Cost per sample: 1 global read and 1 write for both levels, where two launches take 1.25 of each; the overlaps are
// three times as long as those of one level. Compiled for an NVIDIA H200, 9/7 in f32 takes 298 instructions for 16
// samples of the finer level (inverse 286) and 160 registers, so that 12 sub-groups of a compute unit are at work where
// streamed_2d has 16. There, two levels of 8192 x 8192 took 164 us (inverse 160), by two launches 192 (195), a copy
// 130. With 12 sub-groups for each compute unit in all, 5 levels take 189 us (inverse 184), with 8 190 (188), with 16,
// which do not run at once, 203 (203), with 24 194 (184): limited by waiting for memory, as few sub-groups are at work,
// and by the overlaps. Pictures of 2048 x 2048 gain nothing.

#define COARSE_PAIRS (PAIRS / 2)
#define COARSE_WORDS (COARSE_PAIRS / IN_WORD)
#define PHASES (2 * RING)

// The coarser level of a picture: its low band is where the far side of `fine` has one.
static inline Plane coarse_of(const Plane *fine, const Side *far_side) {
  Plane plane = *fine;
  plane.width = samples_at(fine->width, 1);
  plane.height = samples_at(fine->height, 1);
  const Axis x = axis_at(far_side->line, 1, plane.width), y = axis_at(far_side->across[0], 1, plane.height);
  for (int band = 1; band < 4; ++band) plane.far_start[band] = (band & 1) * x.high + (band >> 1) * y.high;
  return plane;
}

static inline Item coarse_item_of(const Item *fine, const int width) {
  Item item = *fine;
  item.own = fine->own / 2;
  item.loaded = fine->loaded / 2;
  item.from = fine->from / 2;
  item.to = fine->to / 2;
  item.s_count = S_COUNT(width);
  item.d_count = D_COUNT(width);
  return item;
}

// Segments begin at even pairs of rows. Those that march up have the rows of the turned picture.
static inline Span coarse_span_of(const Span *fine, const int height) {
  const bool up = fine->way < 0;
  const int from = up ? 1 - fine->to : fine->from, to = up ? 1 - fine->from : fine->to;
  return span_of(fine->way, from / 2, (to + 1) / 2, height);
}

#ifdef FORWARD
#define FAR_SIDE pass.to

INLINE void store_coarse(const Plane *plane, const Item *item, const int y, const int cy, const A *row) {
  if (item->own < item->from || item->own >= item->to) return;
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    T out[COARSE_PAIRS];
    UNROLL for (int n = 0; n < COARSE_PAIRS; ++n) out[n] = STORE_2D(cx, cy, row[cx * COARSE_PAIRS + n]);
    global T *const to = far_at(plane, 2 * cy + cx, y >> 1, item->own);
    UNROLL for (int n = 0; n < COARSE_PAIRS; n += COARSE_SIZE)
      *(global JOIN(T, COARSE_SIZE) *)(to + n) = JOIN(vload, COARSE_SIZE)(0, out + n);
  }
}

INLINE void march(const Plane *fine, const Plane *coarse, const Item *item, const Item *coarse_item, const Span *span,
                  const Span *coarse_span) {
  WORD waiting[AHEAD][2][WORDS];
  A s[RING * COLUMNS], d[RING * COLUMNS], coarse_s[RING * PAIRS], coarse_d[RING * PAIRS];
  T before[PAIRS];
  const int way = span->way;
  const int late_until = way < 0 && fine->height % 2 == 0 ? -coarse->height : INT_MIN;
  const int coarse_top = coarse_span->from >> 1, coarse_bottom = (coarse_span->to + 1) >> 1;
  // The results of even phases are even rows of the low band. Where rows go on late, one before the first is needed,
  // which is two, to keep them even.
  const int more = ((REACH_LO + LAST_LAG) & 1) + (late_until > INT_MIN ? 2 : 0);
  const int begin = 2 * (coarse_top - REACH_LO) - REACH_LO - more;
  const int last = 2 * (coarse_bottom + REACH_HI) - 1 + REACH_HI, end = 2 * (coarse_bottom + LAST_LAG) + LAST_LAG;

  UNROLL for (int a = 0; a < AHEAD; ++a)
    load_pair(fine, item, way, min(begin + a, last), waiting[a]);
  UNROLL for (int i = 0; i < RING * COLUMNS; ++i) s[i] = d[i] = 0;
  UNROLL for (int i = 0; i < RING * PAIRS; ++i) coarse_s[i] = coarse_d[i] = 0;
  UNROLL for (int i = 0; i < PAIRS; ++i) before[i] = 0;

  for (int p = begin; p < end; p += PHASES) {
    EACH_PHASE for (int phase = 0; phase < PHASES; ++phase) {
      const int now = p + phase, done = now - LAST_LAG, slot = phase % RING;
      A *const new_s = s + slot * COLUMNS, *const new_d = d + slot * COLUMNS;
      unpack(fine, item, 0, waiting[phase % AHEAD][0], 0, new_s);
      unpack(fine, item, 0, waiting[phase % AHEAD][1], 1, new_d);
      if (now + AHEAD <= last)
        load_pair(fine, item, way, now + AHEAD, waiting[phase % AHEAD]);
      A low[COLUMNS], high[COLUMNS];
      turn(item, span, s, d, COLUMNS, slot, now, low, high);
      store_pair(fine, item, span, 0, done, low, high);

      const int cy = phase & 1, coarse_slot = phase / 2;
      A *const row = (cy ? coarse_d : coarse_s) + coarse_slot * PAIRS;
      UNROLL for (int n = 0; n < PAIRS; ++n) {
        const T newest = STORE_2D(0, 0, low[n]), v = done <= late_until ? before[n] : newest;
        row[n % 2 * COARSE_PAIRS + n / 2] = LOAD_2D(n & 1, cy, v);
        before[n] = newest;
      }
      if (!cy) continue;
      const int coarse_now = done >> 1, coarse_done = coarse_now - LAST_LAG;
      A coarse_low[PAIRS], coarse_high[PAIRS];
      turn(coarse_item, coarse_span, coarse_s, coarse_d, PAIRS, coarse_slot, coarse_now, coarse_low, coarse_high);
      if (coarse_done < coarse_top || coarse_done >= coarse_bottom) continue;
      const int y = 2 * coarse_done;
      if (y >= coarse_span->from) store_coarse(coarse, coarse_item, way * y, 0, coarse_low);
      if (y + 1 < coarse_span->to) store_coarse(coarse, coarse_item, way * (y + 1), 1, coarse_high);
    }
  }
}
#else
#define FAR_SIDE pass.from

// The details of pair p of rows: HL, LH, HH.
INLINE void load_details(const Plane *plane, const Item *item, const int way, const int p, WORD *to) {
  UNROLL for (int band = 1; band < 4; ++band) {
    const int y = extended(way * (2 * p + (band >> 1)), plane->height);
    global const T *const from = far_at(plane, band, y >> 1, item->loaded);
    LOAD_RUN(to + (band - 1) * PAIRS / IN_WORD, from, PAIRS / IN_WORD, 0, PAIRS / IN_WORD, FAR_WORDS)
  }
}

// All bands of pair p of rows of the coarser level.
INLINE void load_coarse(const Plane *plane, const Item *item, const int way, const int p, WORD *to) {
  UNROLL for (int band = 0; band < 4; ++band) {
    const int y = extended(way * (2 * p + (band >> 1)), plane->height);
    global const T *const from = far_at(plane, band, y >> 1, item->loaded);
#if COARSE_RUN == 1
    LOAD_RUN(to + band * COARSE_WORDS, from, COARSE_WORDS, COARSE_WORDS, 0, 2)
#else
    LOAD_RUN(to + band * COARSE_WORDS, from, COARSE_WORDS, 0, COARSE_WORDS, COARSE_RUN)
#endif
  }
}

// Turns of the coarser level until the first row of the low band is done.
#define AHEAD_OF_FINE (REACH_LO + LAST_LAG)

// One turn of the coarser level: `low` and `high` become two rows of the low band.
INLINE void turn_coarse(const Plane *plane, const Item *item, const Span *span, WORD *waiting, const int last, A *s,
                        A *d, const int slot, const int now, A *low, A *high) {
  UNROLL for (int i = 0; i < PAIRS; ++i) {
    const int cx = i / COARSE_PAIRS;
    s[slot * PAIRS + i] = LOAD_2D(cx, 0, WAITING(waiting, i));
    d[slot * PAIRS + i] = LOAD_2D(cx, 1, WAITING(waiting, PAIRS + i));
  }
  if (now < last) load_coarse(plane, item, span->way, now + 1, waiting);
  turn(item, span, s, d, PAIRS, slot, now, low, high);
}

INLINE void march(const Plane *fine, const Plane *coarse, const Item *item, const Item *coarse_item, const Span *span,
                  const Span *coarse_span) {
  WORD waiting[AHEAD][3 * PAIRS / IN_WORD], coarse_waiting[4 * COARSE_WORDS];
  A s[RING * COLUMNS], d[RING * COLUMNS], coarse_s[RING * PAIRS], coarse_d[RING * PAIRS];
  A coarse_low[PAIRS], coarse_high[PAIRS];
  T before[PAIRS];
  const int top = span->from >> 1, bottom = (span->to + 1) >> 1, way = span->way;
  const int late_from = way > 0 && fine->height % 2 == 0 ? coarse->height : INT_MAX;
  // Each pair of rows of the coarser level gives two rows of the low band.
  const int first = (top - REACH_LO) >> 1, last = bottom + REACH_HI - 1;
  const int begin = first - REACH_LO, coarse_last = (last >> 1) + REACH_HI;
  const int end = ((bottom + LAST_LAG - 1) >> 1) + LAST_LAG + 1;

  load_coarse(coarse, coarse_item, way, begin, coarse_waiting);
  UNROLL for (int a = 0; a < AHEAD; ++a)
    load_details(fine, item, way, min(2 * first + a, last), waiting[a]);
  UNROLL for (int i = 0; i < RING * COLUMNS; ++i) s[i] = d[i] = 0;
  UNROLL for (int i = 0; i < RING * PAIRS; ++i) coarse_s[i] = coarse_d[i] = 0;
  UNROLL for (int i = 0; i < PAIRS; ++i) before[i] = 0;

  EACH_PHASE for (int i = 0; i < AHEAD_OF_FINE; ++i)
    turn_coarse(coarse, coarse_item, coarse_span, coarse_waiting, coarse_last, coarse_s, coarse_d, i % RING, begin + i,
                coarse_low, coarse_high);

  for (int p = begin + AHEAD_OF_FINE; p < end; p += RING) {
    EACH_PHASE for (int phase = 0; phase < PHASES; ++phase) {
      const int cy = phase & 1, coarse_now = p + phase / 2, slot = phase % RING;
      if (!cy)
        turn_coarse(coarse, coarse_item, coarse_span, coarse_waiting, coarse_last, coarse_s, coarse_d,
                    (AHEAD_OF_FINE + phase / 2) % RING, coarse_now, coarse_low, coarse_high);
      const int now = 2 * (coarse_now - LAST_LAG) + cy;
      A *const new_s = s + slot * COLUMNS, *const new_d = d + slot * COLUMNS;
      UNROLL for (int n = 0; n < PAIRS; ++n) {
        const T newest = STORE_2D(n & 1, cy, (cy ? coarse_high : coarse_low)[n % 2 * COARSE_PAIRS + n / 2]);
        const T v = now >= late_from ? before[n] : newest;
        new_s[n] = LOAD_2D(0, 0, v);
        before[n] = newest;
        new_s[PAIRS + n] = LOAD_2D(1, 0, WAITING(waiting[phase % AHEAD], n));
        new_d[n] = LOAD_2D(0, 1, WAITING(waiting[phase % AHEAD], PAIRS + n));
        new_d[PAIRS + n] = LOAD_2D(1, 1, WAITING(waiting[phase % AHEAD], 2 * PAIRS + n));
      }
      if (now + AHEAD <= last) load_details(fine, item, way, now + AHEAD, waiting[phase % AHEAD]);
      A low[COLUMNS], high[COLUMNS];
      turn(item, span, s, d, COLUMNS, slot, now, low, high);
      store_pair(fine, item, span, 0, now - LAST_LAG, low, high);
    }
  }
}
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void two_levels_2d(global T *from, global T *to, global T *corner, const Pass pass) {
  Plane fine;
  Item item;
  Span span;
  if (!find_share(from, to, corner, &pass, get_group_id(0), &fine, &item, &span)) return;
  const Plane coarse = coarse_of(&fine, &FAR_SIDE);
  const Item coarse_item = coarse_item_of(&item, coarse.width);
  const Span coarse_span = coarse_span_of(&span, coarse.height);
  march(&fine, &coarse, &item, &coarse_item, &span, &coarse_span);
}
