// How the sub-groups of the streamed kernels read and write rows.
//
// A run is what a work-item has of a row in memory: on the signal side its pairs, both channels interleaved (a unit of
// 2 samples per pair), on the sub-band side its part of one sub-band (a unit of 1). Runs go by vectors where rows are
// WIDE; else sample by sample, and in a sub-group neighbours by neighbouring work-items, which then exchange them
// through local memory (STAGED). Samples are prefetched as they are in memory.
//
// Where sub-bands are INTERLEAVED, two of them make a row like those of the signal. If the LL band has an array
// of its own (LOW_APART), it is written to its places in the rows as well: coarser levels write there again. It
// is never read from them.

#include "core/words.cl"
#include "streamed/shares.cl"

// Words of a row that is loaded: where the LL band is apart, its own come behind the others.
#define WORDS_OF_ROW (COLUMNS_LOADED / IN_WORD)
#define WORDS_LOADED (WORDS_OF_ROW + (!FORWARD && LOW_APART ? PAIRS_LOADED_X / IN_WORD : 0))

// Samples in a vector of a run.
#if FORWARD
#define LOADED_VECTOR(unit) min(SIGNAL_VECTOR, (unit) * PAIRS)
#define STORED_VECTOR(unit) min(BAND_VECTOR, (unit) * PAIRS)
#else
#define LOADED_VECTOR(unit) min(BAND_VECTOR, (unit) * PAIRS)
#define STORED_VECTOR(unit) min(SIGNAL_VECTOR, (unit) * PAIRS)
#endif

// Of a row's samples of channel cx (of both for a unit of 2): how many there are, and where the one at `place`, which
// may be beyond the border, is read.
INLINE int length_of(const int unit, const int cx, const int width) { return unit == 2 ? width : COUNT_OF(cx, width); }
INLINE int source_of(const int unit, const int cx, const int place, const int width) {
  return unit == 2 ? extended_column(place, width) : extended_column(2 * place + cx, width) / 2;
}

// Whether samples beyond the border are loaded from the place that they repeat. Otherwise a sub-group already holds
// them: staged rows take them from local memory, rows by vectors from the work-item's own pairs. Periodic rows by
// vectors are loaded by whole work-items.
#define READ_ELSEWHERE (ALONE || EXTENSION == EXTENSION_PERIODIC)

// --- runs --------------------------------------------------------------------------------------------

// Sample lane + LANES * j of a sub-group's run becomes sample lane * count + j, extended beyond the border.
INLINE void exchange_loaded(local T *stage_of_all, const OwnColumns *columns, const int unit, const int cx,
                            const int width, LOADED *run) {
#if STAGED
  local LOADED *const stage = (local LOADED *)stage_of_all;
  const int count = unit * PAIRS;
  SUB_GROUP_FENCE;
  UNROLL for (int j = 0; j < count; ++j) stage[columns->lane + LANES * j] = run[j];
  SUB_GROUP_FENCE;
  if (EXTENSION != EXTENSION_NONE && !READ_ELSEWHERE && columns->beyond) {
    UNROLL for (int j = 0; j < count; ++j) {
      const int place = source_of(unit, cx, unit * columns->own + j, width) - unit * columns->start;
      run[j] = stage[clamp(place, 0, LANES * count - 1)];
    }
  } else {
    UNROLL for (int j = 0; j < count; j += LOADED_VECTOR(unit))
      LOAD_VECTOR(local, LOADED, LOADED_VECTOR(unit), stage + columns->lane * count + j, run + j)
  }
#endif
}

// Sample lane * count + j becomes sample lane + LANES * j.
INLINE void exchange_done(local T *stage_of_all, const int lane, const int unit, STORED *run) {
#if STAGED
  local STORED *const stage = (local STORED *)stage_of_all;
  const int count = unit * PAIRS;
  SUB_GROUP_FENCE;
  UNROLL for (int j = 0; j < count; j += STORED_VECTOR(unit))
    STORE_VECTOR(local, STORED, STORED_VECTOR(unit), run + j, stage + lane * count + j)
  SUB_GROUP_FENCE;
  UNROLL for (int j = 0; j < count; ++j) run[j] = stage[lane + LANES * j];
#endif
}

// The place in its row of the first sample that a work-item loads, and stores.
INLINE int first_loaded(const OwnColumns *columns, const int unit) {
  return STAGED ? unit * columns->start + columns->lane : unit * (columns->loaded - HALO_LO);
}
INLINE int first_stored(const OwnColumns *columns, const int unit) {
  return STAGED ? unit * columns->start + columns->lane : unit * columns->own;
}

// Loads a run sample by sample; `from` is where the sample at `first` stands, neighbours are `stride` places apart.
INLINE void load_samples(const OwnColumns *columns, global const LOADED *from, const int first, const int unit,
                         const int cx, const Distance stride, const int width, WORD *to) {
  const int step = STAGED ? LANES : 1, count = unit * PAIRS_LOADED_X, length = length_of(unit, cx, width);
  if (READ_ELSEWHERE && columns->beyond) {
    UNROLL for (int j = 0; j < count; ++j)
      to[j] = from[(source_of(unit, cx, first + j * step, width) - first) * stride];
  } else {
    UNROLL for (int j = 0; j < count; ++j)
      to[j] = READ_ELSEWHERE || (uint)(first + j * step) < (uint)length ? from[j * step * stride] : 0;
  }
}

// Loads a run, by vectors where rows are wide; without exchange also what is beside the work-item's own.
INLINE void load_run(const OwnColumns *columns, global const LOADED *from, const int first, const int unit, const int cx,
                     const Distance stride, const int width, WORD *to) {
  if (!WIDE || (ALONE && columns->beyond)) {
    load_samples(columns, from, first, unit, cx, stride, width, to);
    return;
  }
  const int before = unit * HALO_LO, own = unit * PAIRS / IN_WORD, all = unit * PAIRS_LOADED_X / IN_WORD;
  const int size = LOADED_VECTOR(unit) / IN_WORD;
  global const WORD *const words = (global const WORD *)from;
  UNROLL for (int i = 0; i < before; ++i) to[i] = words[i];
  load_words(words + before, own, size, to + before);
  UNROLL for (int i = before + own; i < all; ++i) to[i] = words[i];
}

// Stores a run of results.
INLINE void store_run(const OwnColumns *columns, STORED *run, global STORED *to, const int unit, const int cx,
                      const Distance stride, const int width) {
  const int count = unit * PAIRS, size = STORED_VECTOR(unit) / IN_STORED_WORD;
  if (WIDE) {
    if (columns->own < columns->from || columns->own >= columns->to) return;
    STORED_WORD words[COLUMNS_OWN / IN_STORED_WORD];
    UNROLL for (int i = 0; i < count / IN_STORED_WORD; ++i) words[i] = STORED_WORD_OF(run, i);
    store_words(words, count / IN_STORED_WORD, size, (global STORED_WORD *)to);
    return;
  }
  const int first = first_stored(columns, unit), step = STAGED ? LANES : 1;
  const int begin = unit * columns->from, end = min(unit * columns->to, length_of(unit, cx, width));
  UNROLL for (int j = 0; j < count; ++j)
    if (first + j * step >= begin && first + j * step < end) to[j * step * stride] = run[j];
}

// --- rows --------------------------------------------------------------------------------------------

#if INTERLEAVED
// The place of row y of the coefficients at pair x of columns.
INLINE global T *interleaved_at(const Picture *picture, const int y, const int x) {
  return band_at(picture, 2 * (y & 1) + 1, y >> 1, x) - 1;
}
#endif

// A row of approximations, then details, as it is stored with both interleaved.
INLINE void interleave(const A *row, const int cy, STORED *run) {
  UNROLL for (int i = 0; i < COLUMNS_OWN; ++i)
    run[i] = STORE_2D(i & 1, cy, row[(i & 1) * PAIRS_LOADED_X + HALO_LO + i / 2]);
}

#if FORWARD
INLINE void load_row(const Picture *picture, const OwnColumns *columns, const int y, const int cy, WORD *to) {
  const int first = first_loaded(columns, 2);
  load_run(columns, signal_at(picture, y, first), first, 2, 0, 1, picture->width, to);
}

// From what was loaded to approximations, then details.
INLINE void unpack_row(const Picture *picture, const OwnColumns *columns, local T *stage, WORD *words, const int cy,
                       A *row) {
  exchange_loaded(stage, columns, 2, 0, picture->width, (LOADED *)words);
  UNROLL for (int n = 0; n < PAIRS_LOADED_X; ++n) {
    row[n] = LOAD_2D(0, cy, SAMPLE_OF(words, 2 * n));
    row[PAIRS_LOADED_X + n] = LOAD_2D(1, cy, SAMPLE_OF(words, 2 * n + 1));
  }
}

// Stores a row of two sub-bands, the LL band only if it is wanted, and nothing beside it in interleaved rows.
INLINE void store_row(const Picture *picture, const OwnColumns *columns, local T *stage, const int y, const int cy,
                      const bool with_low, const A *row) {
#if INTERLEAVED
  if (cy == 0 && !with_low) return;
  STORED run[COLUMNS_OWN], low[PAIRS];
  interleave(row, cy, run);
  store_run(columns, run, interleaved_at(picture, y, columns->own), 2, 0, 1, picture->width);
  if (cy == 1 || !LOW_APART) return;
  UNROLL for (int n = 0; n < PAIRS; ++n) low[n] = run[2 * n];
  store_run(columns, low, band_at(picture, 0, y >> 1, columns->own), 1, 0, 1, picture->width);
#else
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    const int band = 2 * cy + cx;
    if (band == 0 && !with_low) continue;
    STORED run[COLUMNS_OWN];
    UNROLL for (int n = 0; n < PAIRS; ++n) run[n] = STORE_2D(cx, cy, row[cx * PAIRS_LOADED_X + HALO_LO + n]);
    exchange_done(stage, columns->lane, 1, run);
    global T *const to = band_at(picture, band, y >> 1, first_stored(columns, 1));
    store_run(columns, run, to, 1, cx, BAND_STRIDE(picture, band), picture->width);
  }
#endif
}

#else
INLINE void load_row(const Picture *picture, const OwnColumns *columns, const int y, const int cy, WORD *to) {
  const int first = first_loaded(columns, 1);
#if INTERLEAVED
  load_run(columns, interleaved_at(picture, y, first), 2 * first, 2, 0, 1, picture->width, to);
  if (LOW_APART && cy == 0)
    load_run(columns, band_at(picture, 0, y >> 1, first), first, 1, 0, 1, picture->width, to + WORDS_OF_ROW);
#else
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    const int band = 2 * cy + cx;
    load_run(columns, band_at(picture, band, y >> 1, first), first, 1, cx, BAND_STRIDE(picture, band), picture->width,
             to + cx * PAIRS_LOADED_X / IN_WORD);
  }
#endif
}

INLINE void unpack_row(const Picture *picture, const OwnColumns *columns, local T *stage, WORD *words, const int cy,
                       A *row) {
#if INTERLEAVED
  UNROLL for (int n = 0; n < PAIRS_LOADED_X; ++n) {
    row[n] = LOAD_2D(0, cy, LOW_APART && cy == 0 ? SAMPLE_OF(words + WORDS_OF_ROW, n) : SAMPLE_OF(words, 2 * n));
    row[PAIRS_LOADED_X + n] = LOAD_2D(1, cy, SAMPLE_OF(words, 2 * n + 1));
  }
#else
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    exchange_loaded(stage, columns, 1, cx, picture->width, (LOADED *)words + cx * PAIRS_LOADED_X);
    UNROLL for (int n = 0; n < PAIRS_LOADED_X; ++n)
      row[cx * PAIRS_LOADED_X + n] = LOAD_2D(cx, cy, SAMPLE_OF(words, cx * PAIRS_LOADED_X + n));
  }
#endif
}

INLINE void store_row(const Picture *picture, const OwnColumns *columns, local T *stage, const int y, const int cy,
                      const bool with_low, const A *row) {
  STORED run[COLUMNS_OWN];
  interleave(row, cy, run);
  exchange_done(stage, columns->lane, 2, run);
  store_run(columns, run, signal_at(picture, y, first_stored(columns, 2)), 2, 0, 1, picture->width);
}
#endif

// Both rows of pair p; of a channel that is loaded later, that of an earlier pair. Only the pairs from `first` to
// `last` are read, these two again and again: no stored result depends on that.
INLINE void load_pair_of_rows(const Picture *picture, const OwnColumns *columns, const int down, const int p,
                              const int first, const int last, WORD to[2][WORDS_LOADED]) {
  UNROLL for (int cy = 0; cy < 2; ++cy) {
    const int pair = LATER ? clamp(p - (cy ? NEWEST_d : NEWEST_s), first, last) : p;
    load_row(picture, columns, extended(down * (2 * pair + cy), picture->height), cy, to[cy]);
  }
}

// Both rows of pair p, where they are of the segment.
INLINE void store_pair_of_rows(const Picture *picture, const OwnColumns *columns, const Segment *segment,
                               local T *stage, const int p, const bool with_low, const A *low, const A *high) {
  if (2 * p + 1 < segment->from || 2 * p >= segment->to) return;
  if (2 * p >= segment->from) store_row(picture, columns, stage, segment->down * 2 * p, 0, with_low, low);
  if (2 * p + 1 < segment->to) store_row(picture, columns, stage, segment->down * (2 * p + 1), 1, with_low, high);
}
