// streamed_two_levels: two levels in one pass over memory.
//
// As streamed_one_level, but the low band between the two levels never leaves the registers: what one level has done with
// a pair of rows is one row for the other. A work-item has PAIRS pairs of columns of the finer level, half as many of the
// coarser one.
//
// Both levels go on mirrored. Of a picture of even height, the M rows of the low band go on as s(M - 1 + k) = s(M - k),
// but mirrored itself the band should go on as s(M - 1 - k). So beyond row M - 1 the coarser level takes the row one
// further than its own (inverse: the finer one takes the row one nearer). The last segment sweeps bottom-up (inverse:
// top-down), and there this is the row that came just before. No other segment gets there: the last one has at least the
// 2 * REACH rows that the one before reads of it.
//
// Where sub-bands are INTERLEAVED, every other row has samples of both levels. What the finer one has for it (the HL band)
// waits in local memory, where each work-item reads what it wrote itself. So a row is read and written once and whole. Coarser
// levels write every fourth sample and fewer of each such row, which is memory read and written in whole sectors.
//
// Cost per sample: 1 global read and 1 write for both levels, where two launches take 1.25 of each; the overlaps are three
// times as long as those of one level. Compiled for an NVIDIA H200, 9/7 in f32 takes 298 instructions for 16 samples of the
// finer level (inverse 286) and 160 registers, so that 12 sub-groups of a compute unit are at work where one level has 16.
// There, two levels of 8192 x 8192 take 162 us (inverse 155) and five 190 (186), INTERLEAVED 157 (173) and 257 (237); by two
// launches the two took 192 (195), a copy 130. That is with 12 sub-groups for each compute unit in all: with 8 five levels
// took as long, with 16, which do not run at once, 203 (203), with 24 194 (184). Limited by waiting for memory, as few
// sub-groups are at work, and by the overlaps. Pictures of 2048 x 2048 gain nothing.

#include "streamed/lift_x.cl"
#include "streamed/lift_y.cl"
#include "streamed/rows.cl"

#ifndef COARSE_VECTOR
#error "COARSE_VECTOR: samples in a vector of a sub-band of the coarser level"
#endif
#if INTERLEAVED && !defined(WAITING)
#error "WAITING: rows of which samples wait in local memory, a power of two"
#endif

#define COARSE_PAIRS (PAIRS / 2)
#if FORWARD
#define IN_COARSE_WORD IN_STORED_WORD
#else
#define IN_COARSE_WORD IN_WORD
#endif
#define COARSE_WORDS (COARSE_PAIRS / IN_COARSE_WORD)

// The coarser level has half the turns. Where its ring is of even length, a round is one of the finer ring, and the coarser
// ring is moved between rounds. Rounds of twice the length would move nothing, but be twice the code: an NVIDIA H200 then
// takes 1.02 times as long for 9/7, and its compiler 1.6 times for five levels.
#define PHASES (RING % 2 == 0 ? RING : 2 * RING)

// The coarser level of a picture: its sub-bands lie where the finer one's low band would.
static inline Picture coarse_picture(const Picture *fine) {
  Picture picture = *fine;
  picture.width = S_COUNT(fine->width);
  picture.height = S_COUNT(fine->height);
  for (int n = 1; n < 4; ++n)
    picture.band_start[n] = (n & 1) * S_COUNT(picture.width) + (n >> 1) * picture.band_row[n] * S_COUNT(picture.height);
  return picture;
}

static inline OwnColumns coarse_columns(const OwnColumns *fine, const int width) {
  OwnColumns columns = *fine;
  columns.own = fine->own / 2;
  columns.loaded = fine->loaded / 2;
  columns.from = fine->from / 2;
  columns.to = fine->to / 2;
  columns.s_count = S_COUNT(width);
  columns.d_count = D_COUNT(width);
  return columns;
}

// Segments begin at even pairs of rows. Those that sweep bottom-up have the rows of the turned picture.
static inline Segment coarse_segment_of(const Segment *fine, const int height) {
  const bool up = fine->down < 0;
  const int from = up ? 1 - fine->to : fine->from, to = up ? 1 - fine->from : fine->to;
  return segment_of(fine->down, from / 2, (to + 1) / 2, height);
}

// A vector's worth of words of the coarser level.
#define COARSE_SIZE (COARSE_VECTOR / IN_COARSE_WORD)

#if INTERLEAVED
// Where the HL samples of pair p of rows wait that this work-item has.
INLINE local T *waiting_at(local T *waiting, const int p) {
  return waiting + ((p & (WAITING - 1)) * GROUP + get_local_id(0)) * PAIRS;
}
#if PAIRS == 4
#define WAITING_VECTOR JOIN(T, 4)
INLINE void let_wait(const T *from, local T *to) { *(local WAITING_VECTOR *)to = vload4(0, from); }
INLINE void take_waiting(local const T *from, T *to) { vstore4(*(local const WAITING_VECTOR *)from, 0, to); }
#else
INLINE void let_wait(const T *from, local T *to) { UNROLL for (int n = 0; n < PAIRS; ++n) to[n] = from[n]; }
INLINE void take_waiting(local const T *from, T *to) { UNROLL for (int n = 0; n < PAIRS; ++n) to[n] = from[n]; }
#endif
#endif

#if FORWARD
INLINE void store_coarse_band(const Picture *picture, const OwnColumns *columns, const int y, const int cx, const int cy,
                              const A *row) {
  if (columns->own < columns->from || columns->own >= columns->to) return;
  T run[COARSE_PAIRS];
  UNROLL for (int n = 0; n < COARSE_PAIRS; ++n) run[n] = STORE_2D(cx, cy, row[cx * COARSE_PAIRS + n]);
  STORED_WORD words[COARSE_WORDS];
  UNROLL for (int i = 0; i < COARSE_WORDS; ++i) words[i] = STORED_WORD_OF(run, i);
  global STORED_WORD *const to = (global STORED_WORD *)band_at(picture, 2 * cy + cx, y >> 1, columns->own);
  store_words(words, COARSE_WORDS, COARSE_SIZE, to);
}

#if INTERLEAVED
// Stores row y of the coarser level with what waits for it of the finer one.
INLINE void store_both(const Picture *picture, const OwnColumns *columns, local const T *waiting, const int y, const int cy,
                       const A *row) {
  T run[COLUMNS_OWN], details[PAIRS];
  take_waiting(waiting, details);
  UNROLL for (int n = 0; n < PAIRS; ++n) {
    run[2 * n] = STORE_2D(n & 1, cy, row[n % 2 * COARSE_PAIRS + n / 2]);
    run[2 * n + 1] = details[n];
  }
  store_run(columns, run, interleaved_at(picture, 2 * y, columns->own), 2, 0, 1, picture->width);
}
#endif

INLINE void sweep_both(const Picture *fine, const Picture *coarse, const OwnColumns *columns,
                       const OwnColumns *coarser, const Segment *segment, const Segment *coarse_segment, local T *waiting) {
  WORD prefetched[PREFETCHED][2][WORDS_LOADED];
  A s[RING * COLUMNS_LOADED], d[RING * COLUMNS_LOADED], coarse_s[RING * PAIRS], coarse_d[RING * PAIRS];
  L before[PAIRS];
  const int down = segment->down;
  const int late_until = down < 0 && fine->height % 2 == 0 ? -coarse->height : INT_MIN;
  const int coarse_top = coarse_segment->from >> 1, coarse_bottom = (coarse_segment->to + 1) >> 1;
  // The results of even phases are even rows of the low band. Where rows go on late, one before the first is needed,
  // which is two, to keep them even.
  const int more = ((REACH_LO + LAST_LAG) & 1) + (late_until > INT_MIN ? 2 : 0);
  const int begin = 2 * (coarse_top - REACH_LO) - REACH_LO - more;
  const int last = 2 * (coarse_bottom + REACH_HI) - 1 + REACH_HI, end = 2 * (coarse_bottom + LAST_LAG) + LAST_LAG;

  UNROLL for (int a = 0; a < PREFETCHED; ++a)
    load_pair_of_rows(fine, columns, down, min(begin + a, last), begin, last, prefetched[a]);
  UNROLL for (int i = 0; i < RING * COLUMNS_LOADED; ++i) s[i] = d[i] = 0;
  UNROLL for (int i = 0; i < RING * PAIRS; ++i) coarse_s[i] = coarse_d[i] = 0;
  UNROLL for (int i = 0; i < PAIRS; ++i) before[i] = 0;

  for (int p = begin; p < end; p += PHASES) {
    UNROLL for (int phase = 0; phase < PHASES; ++phase) {
      const int newest = p + phase, done = newest - LAST_LAG, slot = phase % RING;
      A *const new_s = s + slot * COLUMNS_LOADED, *const new_d = d + slot * COLUMNS_LOADED;
      unpack_row(fine, columns, 0, prefetched[phase % PREFETCHED][0], 0, new_s);
      unpack_row(fine, columns, 0, prefetched[phase % PREFETCHED][1], 1, new_d);
      if (newest + PREFETCHED <= last)
        load_pair_of_rows(fine, columns, down, newest + PREFETCHED, begin, last, prefetched[phase % PREFETCHED]);
      A low[COLUMNS_LOADED], high[COLUMNS_LOADED];
      lift_pair_of_rows(columns, segment, s, d, COLUMNS_LOADED, slot, newest, low, high);
      store_pair_of_rows(fine, columns, segment, 0, done, false, low, high);
#if INTERLEAVED
      T details[PAIRS];
      UNROLL for (int n = 0; n < PAIRS; ++n) details[n] = STORE_2D(1, 0, low[PAIRS + n]);
      let_wait(details, waiting_at(waiting, done));
#endif

      const int cy = phase & 1, coarse_slot = phase / 2;
      A *const row = (cy ? coarse_d : coarse_s) + coarse_slot * PAIRS;
      UNROLL for (int n = 0; n < PAIRS; ++n) {
        const L value = KEEP_2D(0, 0, low[n]), late = done <= late_until ? before[n] : value;
        row[n % 2 * COARSE_PAIRS + n / 2] = TAKE_2D(n & 1, cy, late);
        before[n] = value;
      }
      if (!cy) continue;
      const int coarse_newest = done >> 1, coarse_done = coarse_newest - LAST_LAG;
      A coarse_low[PAIRS], coarse_high[PAIRS];
      lift_pair_of_rows(coarser, coarse_segment, coarse_s, coarse_d, PAIRS, coarse_slot, coarse_newest, coarse_low, coarse_high);
      if (coarse_done < coarse_top || coarse_done >= coarse_bottom) continue;
      const int y = 2 * coarse_done;
      UNROLL for (int c = 0; c < 2; ++c) {
        if (y + c < coarse_segment->from || y + c >= coarse_segment->to) continue;
        const A *const row = c ? coarse_high : coarse_low;
#if INTERLEAVED
        store_both(fine, columns, waiting_at(waiting, y + c), down * (y + c), c, row);
#endif
        UNROLL for (int cx = 0; cx < 2; ++cx)
          if (!INTERLEAVED || (LOW_APART && c + cx == 0)) store_coarse_band(coarse, coarser, down * (y + c), cx, c, row);
      }
    }
    if (PHASES == RING) move_ring(coarse_s, PAIRS);
    if (PHASES == RING) move_ring(coarse_d, PAIRS);
  }
}
#else
#if INTERLEAVED
#define DETAIL_WORDS (2 * PAIRS / IN_WORD)
#define COARSE_LOADED (2 * DETAIL_WORDS + (LOW_APART ? COARSE_WORDS : 0))
#else
#define DETAIL_WORDS (3 * PAIRS / IN_WORD)
#define COARSE_LOADED (4 * COARSE_WORDS)
#endif

// The details of pair p of rows: HL, LH, HH; interleaved, HL comes with the coarser level.
INLINE void load_details(const Picture *picture, const OwnColumns *columns, const int down, const int p, WORD *to) {
#if INTERLEAVED
  const int y = extended(down * (2 * p + 1), picture->height);
  load_run(columns, interleaved_at(picture, y, columns->loaded), 2 * columns->loaded, 2, 0, 1, picture->width, to);
#else
  UNROLL for (int band = 1; band < 4; ++band) {
    const int y = extended(down * (2 * p + (band >> 1)), picture->height);
    load_run(columns, band_at(picture, band, y >> 1, columns->loaded), columns->loaded, 1, band & 1, 1, picture->width,
             to + (band - 1) * PAIRS / IN_WORD);
  }
#endif
}

INLINE void load_coarse_band(const Picture *picture, const OwnColumns *columns, const int band, const int y, WORD *to) {
  global const WORD *const from = (global const WORD *)band_at(picture, band, y >> 1, columns->loaded);
  load_words(from, COARSE_WORDS, COARSE_SIZE, to);
}

// All bands of pair p of rows of the coarser level; interleaved, rows as they stand, and then LL where it is apart.
INLINE void load_coarse(const Picture *fine, const OwnColumns *columns, const Picture *coarse, const OwnColumns *coarser,
                        const int down, const int p, WORD *to) {
  UNROLL for (int cy = 0; cy < 2; ++cy) {
    const int y = extended(down * (2 * p + cy), coarse->height);
#if INTERLEAVED
    load_run(columns, interleaved_at(fine, 2 * y, columns->loaded), 2 * columns->loaded, 2, 0, 1, fine->width,
             to + cy * DETAIL_WORDS);
    if (LOW_APART && cy == 0) load_coarse_band(coarse, coarser, 0, y, to + 2 * DETAIL_WORDS);
#else
    UNROLL for (int band = 2 * cy; band < 2 * cy + 2; ++band)
      load_coarse_band(coarse, coarser, band, y, to + band * COARSE_WORDS);
#endif
  }
}

// Turns of the coarser level until the first row of the low band is done.
#define TURNS_BEFORE_FINE (REACH_LO + LAST_LAG)

// The newest pair of rows of the coarser level from what was loaded; interleaved, what the finer one has there waits.
INLINE void unpack_coarse(const WORD *words, local T *waiting, const int newest, A *s, A *d) {
#if INTERLEAVED
  T details[2][PAIRS];
  UNROLL for (int n = 0; n < PAIRS; ++n) {
    const int cx = n % 2, to = cx * COARSE_PAIRS + n / 2;
    s[to] = LOAD_2D(cx, 0, LOW_APART && !cx ? SAMPLE_OF(words + 2 * DETAIL_WORDS, n / 2) : SAMPLE_OF(words, 2 * n));
    d[to] = LOAD_2D(cx, 1, SAMPLE_OF(words + DETAIL_WORDS, 2 * n));
    UNROLL for (int cy = 0; cy < 2; ++cy) details[cy][n] = SAMPLE_OF(words + cy * DETAIL_WORDS, 2 * n + 1);
  }
  UNROLL for (int cy = 0; cy < 2; ++cy) let_wait(details[cy], waiting_at(waiting, 2 * newest + cy));
#else
  UNROLL for (int i = 0; i < PAIRS; ++i) {
    s[i] = LOAD_2D(i / COARSE_PAIRS, 0, SAMPLE_OF(words, i));
    d[i] = LOAD_2D(i / COARSE_PAIRS, 1, SAMPLE_OF(words, PAIRS + i));
  }
#endif
}

// The details of the newest pair of rows of the finer level, of which the HL band may be that of pair p.
INLINE void unpack_details(const WORD *words, local T *waiting, const int p, A *new_s, A *new_d) {
#if INTERLEAVED
  T details[PAIRS];
  take_waiting(waiting_at(waiting, p), details);
  UNROLL for (int n = 0; n < PAIRS; ++n) {
    new_s[PAIRS + n] = LOAD_2D(1, 0, details[n]);
    new_d[n] = LOAD_2D(0, 1, SAMPLE_OF(words, 2 * n));
    new_d[PAIRS + n] = LOAD_2D(1, 1, SAMPLE_OF(words, 2 * n + 1));
  }
#else
  UNROLL for (int n = 0; n < PAIRS; ++n) {
    new_s[PAIRS + n] = LOAD_2D(1, 0, SAMPLE_OF(words, n));
    new_d[n] = LOAD_2D(0, 1, SAMPLE_OF(words, PAIRS + n));
    new_d[PAIRS + n] = LOAD_2D(1, 1, SAMPLE_OF(words, 2 * PAIRS + n));
  }
#endif
}

// One turn of the coarser level: `coarse_low` and `coarse_high` become two rows of the low band.
#define COARSE_TURN(slot, newest)                                                                                        \
  { unpack_coarse(coarse_prefetched, waiting, newest, coarse_s + (slot) * PAIRS, coarse_d + (slot) * PAIRS);             \
    if ((newest) < coarse_last) load_coarse(fine, columns, coarse, coarser, down, (newest) + 1, coarse_prefetched);       \
    lift_pair_of_rows(coarser, coarse_segment, coarse_s, coarse_d, PAIRS, slot, newest, coarse_low, coarse_high); }

INLINE void sweep_both(const Picture *fine, const Picture *coarse, const OwnColumns *columns,
                       const OwnColumns *coarser, const Segment *segment, const Segment *coarse_segment, local T *waiting) {
  WORD prefetched[PREFETCHED][DETAIL_WORDS], coarse_prefetched[COARSE_LOADED];
  A s[RING * COLUMNS_LOADED], d[RING * COLUMNS_LOADED], coarse_s[RING * PAIRS], coarse_d[RING * PAIRS];
  A coarse_low[PAIRS], coarse_high[PAIRS];
  L before[PAIRS];
  const int top = segment->from >> 1, bottom = (segment->to + 1) >> 1, down = segment->down;
  const int late_from = down > 0 && fine->height % 2 == 0 ? coarse->height : INT_MAX;
  // Each pair of rows of the coarser level gives two rows of the low band.
  const int first = (top - REACH_LO) >> 1, last = bottom + REACH_HI - 1;
  const int begin = first - REACH_LO, coarse_last = (last >> 1) + REACH_HI;
  const int end = ((bottom + LAST_LAG - 1) >> 1) + LAST_LAG + 1;

  load_coarse(fine, columns, coarse, coarser, down, begin, coarse_prefetched);
  UNROLL for (int a = 0; a < PREFETCHED; ++a)
    load_details(fine, columns, down, min(2 * first + a, last), prefetched[a]);
  UNROLL for (int i = 0; i < RING * COLUMNS_LOADED; ++i) s[i] = d[i] = 0;
  UNROLL for (int i = 0; i < RING * PAIRS; ++i) coarse_s[i] = coarse_d[i] = 0;
  UNROLL for (int i = 0; i < PAIRS; ++i) before[i] = 0;

  UNROLL for (int i = 0; i < TURNS_BEFORE_FINE; ++i)
    COARSE_TURN(i % RING, begin + i)

  for (int p = begin + TURNS_BEFORE_FINE; p < end; p += PHASES / 2) {
    UNROLL for (int phase = 0; phase < PHASES; ++phase) {
      const int cy = phase & 1, coarse_newest = p + phase / 2, slot = phase % RING;
      if (!cy) COARSE_TURN((TURNS_BEFORE_FINE + phase / 2) % RING, coarse_newest)
      const int newest = 2 * (coarse_newest - LAST_LAG) + cy;
      A *const new_s = s + slot * COLUMNS_LOADED, *const new_d = d + slot * COLUMNS_LOADED;
      UNROLL for (int n = 0; n < PAIRS; ++n) {
        const L value = KEEP_2D(n & 1, cy, (cy ? coarse_high : coarse_low)[n % 2 * COARSE_PAIRS + n / 2]);
        const L late = newest >= late_from ? before[n] : value;
        new_s[n] = TAKE_2D(0, 0, late);
        before[n] = value;
      }
      unpack_details(prefetched[phase % PREFETCHED], waiting, newest >= late_from ? newest - 1 : newest, new_s, new_d);
      if (newest + PREFETCHED <= last) load_details(fine, columns, down, newest + PREFETCHED, prefetched[phase % PREFETCHED]);
      A low[COLUMNS_LOADED], high[COLUMNS_LOADED];
      lift_pair_of_rows(columns, segment, s, d, COLUMNS_LOADED, slot, newest, low, high);
      store_pair_of_rows(fine, columns, segment, 0, newest - LAST_LAG, true, low, high);
    }
    if (PHASES == RING) move_ring(coarse_s, PAIRS);
    if (PHASES == RING) move_ring(coarse_d, PAIRS);
  }
}
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void streamed_two_levels(global S *signal, global T *bands, global T *low, const Pass pass, const Streamed own) {
  local T waiting[INTERLEAVED ? WAITING * GROUP * PAIRS : 1] __attribute__((aligned(32)));
  Picture fine;
  OwnColumns columns;
  Segment segment;
  if (!find_share(signal, bands, low, &pass, &own, get_group_id(0), &fine, &columns, &segment)) return;
  const Picture coarse = coarse_picture(&fine);
  const OwnColumns coarser = coarse_columns(&columns, coarse.width);
  const Segment coarse_segment = coarse_segment_of(&segment, coarse.height);
  sweep_both(&fine, &coarse, &columns, &coarser, &segment, &coarse_segment, waiting);
}
