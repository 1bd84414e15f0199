// How the sub-groups of `streamed_colours` read and write rows of pixels, and what they have of them.
//
// A run is what a work-item has of a row in memory: on the signal side its pairs of pixels (a unit of 2 pixels per
// pair), on the sub-band side its pixels of one sub-band (a unit of 1). Runs go by vectors where rows are WIDE; else
// sample by sample, neighbours by neighbouring work-items, which then exchange them through local memory. Samples are
// prefetched as they are in memory. What is beyond the border a sub-group finds among its own pixels, and puts there
// through local memory.
//
// Where sub-bands are INTERLEAVED, the pixels of two of them make a row like those of the signal. If LL has an array of
// its own (LOW_APART), it is written to its places in the rows as well: coarser levels write there again. It is never
// read from them.

#include "core/exchange.cl"
#include "core/picture.cl"
#include "core/ring.cl"
#include "core/words.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
#ifndef COLOURS
#error "COLOURS: samples of a pixel, which are neighbours in memory"
#endif
#ifndef PAIRS
#error "PAIRS: pairs of pixels of a work-item"
#endif
#if !defined(HALO_LO) || !defined(HALO_HI)
#error "HALO_LO, HALO_HI: pairs of pixels beside its own that a work-item loads; 0 with exchange"
#endif
#if !defined(OVERLAP_LO) || !defined(STRIP)
#error "OVERLAP_LO, STRIP: work-items before those of a sub-group that store; pairs of pixels that a sub-group stores"
#endif
#ifndef WIDE
#error "WIDE: 1 where rows are aligned and end between work-items, and so go by vectors"
#endif
#if !defined(SIGNAL_VECTOR) || !defined(BAND_VECTOR)
#error "SIGNAL_VECTOR, BAND_VECTOR: samples in a vector on either side"
#endif
#if !defined(INTERLEAVED) || !defined(LOW_APART)
#error "INTERLEAVED, LOW_APART: 1 where LL and HL stand interleaved in rows that go by vectors; where LL then has an array as well"
#endif
#ifndef LOW_VECTOR
#error "LOW_VECTOR: samples in a vector of that array, 0 where there is none"
#endif
#ifndef IS_PERIODIC
#error "IS_PERIODIC: 1 where a picture goes on periodically beyond its border, else mirrored or RESTORED"
#endif

// Without exchange a work-item is alone: it loads its own surroundings.
#define ALONE (EXCHANGE == EXCHANGE_NONE)
// Pixels of a channel along x that a work-item has in registers, and samples of such a run; the same without halo.
#define PIXELS_LOADED (HALO_LO + PAIRS + HALO_HI)
#define PIXEL_RUN (PIXELS_LOADED * COLOURS)
#define RUN_OWN (PAIRS * COLOURS)

// Words of a row that is loaded: where LL is apart, its own come behind the others.
#define PIXEL_WORDS (2 * PIXEL_RUN / IN_WORD)
#define LOW_PIXEL_WORDS (LOW_APART && !FORWARD ? PIXEL_RUN / IN_WORD : 0)
#define WORDS_OF_PIXELS (PIXEL_WORDS + LOW_PIXEL_WORDS)

// The arguments besides the geometry.
typedef struct {
  int strips, segments;   // of a picture
  int pairs_per_segment;  // of rows
  int alternating;        // whether every other segment, from the first on, sweeps bottom-up
} StreamedColours;

// The pixels of a work-item, in pairs.
typedef struct {
  int lane;
  int start;             // the first of its sub-group
  int own;               // its own first
  int from, to;          // those that its sub-group stores
  bool beyond;           // whether some of its sub-group are beyond the border
  int s_count, d_count;  // those of the picture
} OwnPixels;

static inline OwnPixels pixels_of(const int strip, const int width) {
  OwnPixels pixels;
  pixels.lane = LANE;
  pixels.start = strip * STRIP - OVERLAP_LO * PAIRS - HALO_LO;
  pixels.own = strip * STRIP + (pixels.lane - OVERLAP_LO) * PAIRS;
  pixels.from = strip * STRIP;
  pixels.to = min((strip + 1) * STRIP, S_COUNT(width));
  pixels.beyond = pixels.start < 0 || pixels.start + HALO_LO + LANES * PAIRS + HALO_HI > D_COUNT(width);
  pixels.s_count = S_COUNT(width);
  pixels.d_count = D_COUNT(width);
  return pixels;
}

// Which pixel of a row stands for one that may be beyond the border: on the sub-band side one of channel cx.
INLINE int pixel_for(const int unit, const int cx, const int pixel, const int width) {
  return unit == 2 ? place_to_load(pixel, width, IS_PERIODIC) : place_to_load(2 * pixel + cx, width, IS_PERIODIC) >> 1;
}
INLINE int pixels_in_row(const int unit, const int cx, const int width) {
  return unit == 2 ? width : COUNT_OF(cx, width);
}

// --- runs --------------------------------------------------------------------------------------------

// Samples in a vector of a run on the sub-band side, and of one that is loaded, or stored.
INLINE int vector_of_band(const int unit) { return INTERLEAVED && unit == 1 ? LOW_VECTOR : BAND_VECTOR; }
INLINE int vector_loaded(const int unit) { return FORWARD ? SIGNAL_VECTOR : vector_of_band(unit); }
INLINE int vector_stored(const int unit) { return FORWARD ? vector_of_band(unit) : SIGNAL_VECTOR; }

// Whether a sub-group cannot find among its own pixels what is beyond the border: every work-item reads it.
INLINE bool reads_elsewhere(const OwnPixels *pixels) { return ALONE || (IS_PERIODIC && pixels->beyond); }

// Loads a run from a row; neighbouring pixels are `stride` places apart.
INLINE void load_run_of_pixels(const OwnPixels *pixels, global const LOADED *row, const int unit, const int cx,
                               const Distance stride, const int width, WORD *to) {
  const int count = unit * PIXEL_RUN;
  if (reads_elsewhere(pixels)) {
    LOADED run[2 * PIXEL_RUN];
    UNROLL for (int i = 0; i < unit * PIXELS_LOADED; ++i) {
      const int pixel = pixel_for(unit, cx, unit * (pixels->own - HALO_LO) + i, width);
      UNROLL for (int c = 0; c < COLOURS; ++c) run[i * COLOURS + c] = row[pixel * stride + c];
    }
    UNROLL for (int i = 0; i < count / IN_WORD; ++i) to[i] = LOADED_WORD_OF(run, i);
  } else if (WIDE) {
    // What is beyond the border is put there later: any existing place will do.
    const int pair = clamp(pixels->own, 0, max(pixels->d_count - PAIRS, 0));
    load_words((global const WORD *)(row + unit * pair * COLOURS), count / IN_WORD,
               vector_loaded(unit) / IN_WORD, to);
  } else {
    const int first = unit * pixels->start * COLOURS + pixels->lane;
    const int length = pixels_in_row(unit, cx, width) * COLOURS;
    UNROLL for (int j = 0; j < count; ++j) {
      const int i = first + LANES * j;
      to[j] = (uint)i < (uint)length ? row[i / COLOURS * stride + i % COLOURS] : 0;
    }
  }
}

// Gives each work-item its own run of what its sub-group has loaded, and what is beyond the border.
INLINE void arrange_loaded(local T *stage_of_all, const OwnPixels *pixels, const int unit, const int cx,
                           const int width, WORD *run) {
#if !ALONE
  local LOADED *const stage = (local LOADED *)stage_of_all;
  const int count = unit * RUN_OWN;
  if ((WIDE && !pixels->beyond) || reads_elsewhere(pixels)) return;
  SUB_GROUP_FENCE;
  UNROLL for (int j = 0; j < count; ++j)
    stage[WIDE ? pixels->lane * count + j : pixels->lane + LANES * j] = SAMPLE_OF(run, j);
  SUB_GROUP_FENCE;
  LOADED own[2 * RUN_OWN];
  UNROLL for (int i = 0; i < unit * PAIRS; ++i) {
    int pixel = unit * pixels->own + i;
    if (pixels->beyond && !RESTORED) pixel = pixel_for(unit, cx, pixel, width);
    const int place = clamp(pixel - unit * pixels->start, 0, LANES * unit * PAIRS - 1);
    UNROLL for (int c = 0; c < COLOURS; ++c) own[i * COLOURS + c] = stage[place * COLOURS + c];
  }
  UNROLL for (int i = 0; i < count / IN_WORD; ++i) run[i] = LOADED_WORD_OF(own, i);
#endif
}

// Stores a run of results to a row.
INLINE void store_run_of_pixels(local T *stage_of_all, const OwnPixels *pixels, STORED *run, global STORED *row,
                                const int unit, const int cx, const Distance stride, const int width) {
  const int count = unit * RUN_OWN;
  if (WIDE && !ALONE) {
    if (pixels->own < pixels->from || pixels->own >= pixels->to) return;
    STORED_WORD words[2 * RUN_OWN / IN_STORED_WORD];
    UNROLL for (int i = 0; i < count / IN_STORED_WORD; ++i) words[i] = STORED_WORD_OF(run, i);
    store_words(words, count / IN_STORED_WORD, vector_stored(unit) / IN_STORED_WORD,
                (global STORED_WORD *)(row + unit * pixels->own * COLOURS));
    return;
  }
  const int begin = unit * pixels->from * COLOURS;
  const int end = min(unit * pixels->to, pixels_in_row(unit, cx, width)) * COLOURS;
#if ALONE
  const int first = unit * pixels->own * COLOURS, step = 1;
#else
  const int first = unit * pixels->start * COLOURS + pixels->lane, step = LANES;
  local STORED *const stage = (local STORED *)stage_of_all;
  SUB_GROUP_FENCE;
  UNROLL for (int j = 0; j < count; ++j) stage[pixels->lane * count + j] = run[j];
  SUB_GROUP_FENCE;
  UNROLL for (int j = 0; j < count; ++j) run[j] = stage[pixels->lane + LANES * j];
#endif
  UNROLL for (int j = 0; j < count; ++j) {
    const int i = first + j * step;
    if (i >= begin && i < end) row[i / COLOURS * stride + i % COLOURS] = run[j];
  }
}

// --- rows --------------------------------------------------------------------------------------------

// Neighbouring pixels of a sub-band are neighbours in memory where it is PLANAR.
#define PIXEL_STRIDE(picture, n) (PLANAR ? COLOURS : (picture)->band_stride[n])

// A row of channel cy, in which both channels along x are interleaved.
INLINE global T *interleaved_row(const Picture *picture, const int cy, const int row) {
  return band_row_at(picture, 2 * cy + 1, row) - COLOURS;
}

// A row of approximations, then details, as it is stored with both interleaved.
INLINE void interleave_pixels(const A *row, const int cy, STORED *run) {
  UNROLL for (int i = 0; i < 2 * RUN_OWN; ++i) {
    const int pixel = i / COLOURS, place = (HALO_LO + pixel / 2) * COLOURS + i % COLOURS;
    run[i] = STORE_2D(pixel & 1, cy, row[(pixel & 1) * PIXEL_RUN + place]);
  }
}

// From what was loaded to approximations, then details.
INLINE void unpack_pixels(local T *stage, const Picture *picture, const OwnPixels *pixels, WORD *loaded, const int cy,
                          A *row) {
#if FORWARD || INTERLEAVED
  const bool is_low = LOW_PIXEL_WORDS > 0 && cy == 0;
  arrange_loaded(stage, pixels, 2, 0, picture->width, loaded);
  if (is_low) arrange_loaded(stage, pixels, 1, 0, picture->width, loaded + PIXEL_WORDS);
  UNROLL for (int i = 0; i < PIXEL_RUN; ++i) {
    const int place = i / COLOURS * 2 * COLOURS + i % COLOURS;
    row[i] = LOAD_2D(0, cy, is_low ? SAMPLE_OF(loaded + PIXEL_WORDS, i) : SAMPLE_OF(loaded, place));
    row[PIXEL_RUN + i] = LOAD_2D(1, cy, SAMPLE_OF(loaded, place + COLOURS));
  }
#else
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    WORD *const run = loaded + cx * PIXEL_RUN / IN_WORD;
    arrange_loaded(stage, pixels, 1, cx, picture->width, run);
    UNROLL for (int i = 0; i < PIXEL_RUN; ++i) row[cx * PIXEL_RUN + i] = LOAD_2D(cx, cy, SAMPLE_OF(run, i));
  }
#endif
}

#if FORWARD
INLINE void load_pixels(const Picture *picture, const OwnPixels *pixels, const int y, const int cy, WORD *to) {
  load_run_of_pixels(pixels, picture->signal + y * picture->signal_pitch, 2, 0, COLOURS, picture->width, to);
}

// Stores a work-item's part of row y: runs of two sub-bands.
INLINE void store_pixels(local T *stage, const Picture *picture, const OwnPixels *pixels, const int y, const int cy,
                         const A *row) {
#if INTERLEAVED
  STORED both[2 * RUN_OWN];
  interleave_pixels(row, cy, both);
  store_run_of_pixels(stage, pixels, both, interleaved_row(picture, cy, y >> 1), 2, 0, COLOURS, picture->width);
  if (cy == 1 || !LOW_APART) return;
#endif
  UNROLL for (int cx = 0; cx < (INTERLEAVED ? 1 : 2); ++cx) {
    const int n = 2 * cy + cx;
    STORED run[RUN_OWN];
    UNROLL for (int i = 0; i < RUN_OWN; ++i)
      run[i] = STORE_2D(cx, cy, row[cx * PIXEL_RUN + HALO_LO * COLOURS + i]);
    store_run_of_pixels(stage, pixels, run, band_row_at(picture, n, y >> 1), 1, cx, PIXEL_STRIDE(picture, n),
                        picture->width);
  }
}

#else
INLINE void load_pixels(const Picture *picture, const OwnPixels *pixels, const int y, const int cy, WORD *to) {
#if INTERLEAVED
  load_run_of_pixels(pixels, interleaved_row(picture, cy, y >> 1), 2, 0, COLOURS, picture->width, to);
  if (cy == 0 && LOW_APART)
    load_run_of_pixels(pixels, band_row_at(picture, 0, y >> 1), 1, 0, COLOURS, picture->width, to + PIXEL_WORDS);
#else
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    const int n = 2 * cy + cx;
    load_run_of_pixels(pixels, band_row_at(picture, n, y >> 1), 1, cx, PIXEL_STRIDE(picture, n), picture->width,
                       to + cx * PIXEL_RUN / IN_WORD);
  }
#endif
}

INLINE void store_pixels(local T *stage, const Picture *picture, const OwnPixels *pixels, const int y, const int cy,
                         const A *row) {
  STORED run[2 * RUN_OWN];
  interleave_pixels(row, cy, run);
  store_run_of_pixels(stage, pixels, run, picture->signal + y * picture->signal_pitch, 2, 0, COLOURS, picture->width);
}
#endif
