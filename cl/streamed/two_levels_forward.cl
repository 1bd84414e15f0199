// Two levels in one sweep, forward: each pair of rows of the finer level gives a row of the low band, which is one for
// the coarser level.

#include "streamed/coarser_level.cl"
#include "streamed/lift_y.cl"
#include "streamed/rows.cl"

#if FORWARD

INLINE void store_coarse_band(const Picture *picture, const OwnColumns *columns, const int y, const int cx,
                              const int cy, const A *row) {
  if (columns->own < columns->from || columns->own >= columns->to) return;
  T run[COARSE_PAIRS];
  UNROLL for (int n = 0; n < COARSE_PAIRS; ++n) run[n] = STORE_2D(cx, cy, row[cx * COARSE_PAIRS + n]);
  STORED_WORD words[COARSE_WORDS];
  UNROLL for (int i = 0; i < COARSE_WORDS; ++i) words[i] = STORED_WORD_OF(run, i);
  global STORED_WORD *const to = (global STORED_WORD *)band_at(picture, 2 * cy + cx, y >> 1, columns->own);
  store_words(words, COARSE_WORDS, COARSE_SIZE, to);
}

#if INTERLEAVED
// Stores row y of the coarser level with what the finer one has for it in the delay line.
INLINE void store_both(const Picture *picture, const OwnColumns *columns, local const T *delayed, const int y,
                       const int cy, const A *row) {
  T run[COLUMNS_OWN], details[PAIRS];
  take_delayed(delayed, details);
  UNROLL for (int n = 0; n < PAIRS; ++n) {
    run[2 * n] = STORE_2D(n & 1, cy, row[n % 2 * COARSE_PAIRS + n / 2]);
    run[2 * n + 1] = details[n];
  }
  store_run(columns, run, interleaved_at(picture, 2 * y, columns->own), 2, 0, 1, picture->width);
}
#endif

INLINE void sweep_forward(const Picture *fine, const Picture *coarse, const OwnColumns *columns,
                          const OwnColumns *coarser, const Segment *segment, const Segment *coarse_segment,
                          local T *delayed) {
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
      delay_row(details, delayed_at(delayed, done));
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
      lift_pair_of_rows(coarser, coarse_segment, coarse_s, coarse_d, PAIRS, coarse_slot, coarse_newest, coarse_low,
                        coarse_high);
      if (coarse_done < coarse_top || coarse_done >= coarse_bottom) continue;
      const int y = 2 * coarse_done;
      UNROLL for (int c = 0; c < 2; ++c) {
        if (y + c < coarse_segment->from || y + c >= coarse_segment->to) continue;
        const A *const row = c ? coarse_high : coarse_low;
#if INTERLEAVED
        store_both(fine, columns, delayed_at(delayed, y + c), down * (y + c), c, row);
#endif
        UNROLL for (int cx = 0; cx < 2; ++cx)
          if (!INTERLEAVED || (LOW_APART && c + cx == 0))
            store_coarse_band(coarse, coarser, down * (y + c), cx, c, row);
      }
    }
    if (PHASES == RING) move_ring(coarse_s, PAIRS);
    if (PHASES == RING) move_ring(coarse_d, PAIRS);
  }
}

#endif
