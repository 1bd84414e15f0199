// Two levels in one sweep, inverse: each pair of rows of the coarser level gives two rows of the low band, each with
// its details a pair of rows of the finer level.

#include "streamed/coarser_level.cl"
#include "streamed/lift_y.cl"
#include "streamed/rows.cl"

#if !FORWARD

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
INLINE void load_coarse(const Picture *fine, const OwnColumns *columns, const Picture *coarse,
                        const OwnColumns *coarser, const int down, const int p, WORD *to) {
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

// Pairs of rows of the coarser level until the first row of the low band is done.
#define COARSE_PAIRS_FIRST (REACH_LO + LAST_LAG)

// The newest pair of rows of the coarser level from what was loaded; interleaved, the delay line takes what the finer
// level has there.
INLINE void unpack_coarse(const WORD *words, local T *delayed, const int newest, A *s, A *d) {
#if INTERLEAVED
  T details[2][PAIRS];
  UNROLL for (int n = 0; n < PAIRS; ++n) {
    const int cx = n % 2, to = cx * COARSE_PAIRS + n / 2;
    s[to] = LOAD_2D(cx, 0, LOW_APART && !cx ? SAMPLE_OF(words + 2 * DETAIL_WORDS, n / 2) : SAMPLE_OF(words, 2 * n));
    d[to] = LOAD_2D(cx, 1, SAMPLE_OF(words + DETAIL_WORDS, 2 * n));
    UNROLL for (int cy = 0; cy < 2; ++cy) details[cy][n] = SAMPLE_OF(words + cy * DETAIL_WORDS, 2 * n + 1);
  }
  UNROLL for (int cy = 0; cy < 2; ++cy) delay_row(details[cy], delayed_at(delayed, 2 * newest + cy));
#else
  UNROLL for (int i = 0; i < PAIRS; ++i) {
    s[i] = LOAD_2D(i / COARSE_PAIRS, 0, SAMPLE_OF(words, i));
    d[i] = LOAD_2D(i / COARSE_PAIRS, 1, SAMPLE_OF(words, PAIRS + i));
  }
#endif
}

// The details of the newest pair of rows of the finer level, of which the HL band may be that of pair p.
INLINE void unpack_details(const WORD *words, local T *delayed, const int p, A *new_s, A *new_d) {
#if INTERLEAVED
  T details[PAIRS];
  take_delayed(delayed_at(delayed, p), details);
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

// A pair of rows of the coarser level: `coarse_low` and `coarse_high` become two rows of the low band.
#define LIFT_COARSE_PAIR(slot, newest)                                                                              \
  { unpack_coarse(coarse_prefetched, delayed, newest, coarse_s + (slot) * PAIRS, coarse_d + (slot) * PAIRS);        \
    if ((newest) < coarse_last) load_coarse(fine, columns, coarse, coarser, down, (newest) + 1, coarse_prefetched); \
    lift_pair_of_rows(coarser, coarse_segment, coarse_s, coarse_d, PAIRS, slot, newest, coarse_low, coarse_high); }

INLINE void sweep_inverse(const Picture *fine, const Picture *coarse, const OwnColumns *columns,
                          const OwnColumns *coarser, const Segment *segment, const Segment *coarse_segment,
                          local T *delayed) {
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

  UNROLL for (int i = 0; i < COARSE_PAIRS_FIRST; ++i)
    LIFT_COARSE_PAIR(i % RING, begin + i)

  for (int p = begin + COARSE_PAIRS_FIRST; p < end; p += PHASES / 2) {
    UNROLL for (int phase = 0; phase < PHASES; ++phase) {
      const int cy = phase & 1, coarse_newest = p + phase / 2, slot = phase % RING;
      if (!cy) LIFT_COARSE_PAIR((COARSE_PAIRS_FIRST + phase / 2) % RING, coarse_newest)
      const int newest = 2 * (coarse_newest - LAST_LAG) + cy;
      A *const new_s = s + slot * COLUMNS_LOADED, *const new_d = d + slot * COLUMNS_LOADED;
      UNROLL for (int n = 0; n < PAIRS; ++n) {
        const L value = KEEP_2D(n & 1, cy, (cy ? coarse_high : coarse_low)[n % 2 * COARSE_PAIRS + n / 2]);
        const L late = newest >= late_from ? before[n] : value;
        new_s[n] = TAKE_2D(0, 0, late);
        before[n] = value;
      }
      unpack_details(prefetched[phase % PREFETCHED], delayed, newest >= late_from ? newest - 1 : newest, new_s, new_d);
      if (newest + PREFETCHED <= last)
        load_details(fine, columns, down, newest + PREFETCHED, prefetched[phase % PREFETCHED]);
      A low[COLUMNS_LOADED], high[COLUMNS_LOADED];
      lift_pair_of_rows(columns, segment, s, d, COLUMNS_LOADED, slot, newest, low, high);
      store_pair_of_rows(fine, columns, segment, 0, newest - LAST_LAG, true, low, high);
    }
    if (PHASES == RING) move_ring(coarse_s, PAIRS);
    if (PHASES == RING) move_ring(coarse_d, PAIRS);
  }
}

#endif
