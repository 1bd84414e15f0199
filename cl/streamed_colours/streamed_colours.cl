// streamed_colours: one level of pictures whose pixels have several samples, in one pass over memory.
//
// A pixel has COLOURS samples side by side: colours, the parts of complex numbers, any small inner batch. As in
// `streamed`, each sub-group sweeps down a strip of columns, a pair of rows at a time. A work-item has PAIRS pairs of
// pixels with all of their samples, so that rows are read and written as they are in memory. Along y it lifts them as a
// pipeline in registers (core/ring.cl); along x a step gets the same colour of neighbouring pixels from the work-items
// beside this one. Rows are loaded PREFETCHED pairs before they are needed. The border is lifted like the inside, of a
// picture that goes on beyond it.
//
// After the register blocks of Enfedaque et al. 2015 and the single loop of Barina and Zemcik 2015.
// Cost per sample: 1 global read and 1 write, and more for the overlaps, as in `streamed`. No barrier; local memory for
// a run of each work-item, used at the border and where rows do not go by vectors.
//
// One level, forward and inverse, in us, on an NVIDIA H200:
//
//                                    here         a copy
//   4096 x 4096 x 2, 9/7 in f32    86 and 85      68
//   4096 x 4096 x 3, 9/7 in f32   124 and 121     99
//   4096 x 4096 x 4, 9/7 in f32   160 and 158    130
//   4096 x 4096 x 3, 5/3 in i16    80 and 74      52
//
// What decides is how few registers a work-item needs, and that all sub-groups run at once. 16-bit integers take two
// pairs of pixels.

#include "core/near.cl"
#include "core/share.cl"
#include "streamed_colours/pixels.cl"

#ifndef PREFETCHED
#error "PREFETCHED: pairs of rows that are loaded ahead, of which RING is a multiple"
#endif
#ifndef X_FIRST
#error "X_FIRST: 1 where this launch, in its direction, lifts along x before y"
#endif

// --- along x -----------------------------------------------------------------------------------------

// Gets what a step reads of a colour of a channel, of which the picture has `count` pixels in a row; without exchange
// all that is in the picture is there.
INLINE void gather_colour(const OwnPixels *pixels, const int boundary, const int count, const int first,
                          const int last, A *colour, A *near) {
#if EXCHANGE == EXCHANGE_NONE
  if (RESTORED) set_beyond(colour, COLOURS, HALO_LO, PIXELS_LOADED, pixels->own - HALO_LO, count, boundary);
#else
  if (RESTORED) set_beyond_beside(colour, COLOURS, PAIRS, pixels->own, count, first, last, boundary);
  gather_near(colour, COLOURS, PAIRS, first, last, near);
#endif
}

// Colour c of a channel, and of its pixel n, the target of a step.
#define COLOUR_OF(parity) (row + (parity) * PIXEL_RUN + c)
#define LIFT_PIXEL(k, target, at)                          \
  { A *const v = COLOUR_OF(PARITY_##target) + n * COLOURS; \
    *v = LIFT_##k(*v, at); }

#if EXCHANGE == EXCHANGE_NONE
// Steps run on ever fewer pixels.
#define PIXEL_s(offset) COLOUR_OF(0)[(n + (offset)) * COLOURS]
#define PIXEL_d(offset) COLOUR_OF(1)[(n + (offset)) * COLOURS]
#define PIXEL_STEP(k, target, source, first, last, before, after)                                        \
  UNROLL for (int c = 0; c < COLOURS; ++c) {                                                             \
    gather_colour(pixels, boundary, pixels->source##_count, first, last, COLOUR_OF(PARITY_##source), 0); \
    UNROLL for (int n = HALO_LO - (before); n < HALO_LO + PAIRS + (after); ++n) LIFT_PIXEL(k, target, PIXEL_##source) }

#else
#define PIXEL_BESIDE(offset) NEAR(n + (offset))
#define PIXEL_STEP(k, target, source, first, last, before, after)                                           \
  UNROLL for (int c = 0; c < COLOURS; ++c) {                                                                \
    A near[REACH_LO + PAIRS + REACH_HI];                                                                    \
    gather_colour(pixels, boundary, pixels->source##_count, first, last, COLOUR_OF(PARITY_##source), near); \
    UNROLL for (int n = 0; n < PAIRS; ++n) LIFT_PIXEL(k, target, PIXEL_BESIDE) }
#endif

INLINE void lift_pixels(const OwnPixels *pixels, const int boundary, A *row) { LIFT_STEPS(PIXEL_STEP) }

// --- sweep -------------------------------------------------------------------------------------------

// Numbers of a row: the approximations along x, then the details.
#define ROW_LOADED (2 * PIXEL_RUN)

// Both rows of pair p, which may be beyond the border.
INLINE void load_pair_of_pixel_rows(const Picture *picture, const OwnPixels *pixels, const int p, const int down,
                                    WORD (*to)[WORDS_OF_PIXELS]) {
  UNROLL for (int cy = 0; cy < 2; ++cy) {
    const int y = place_to_load(down * (2 * p + cy), picture->height, IS_PERIODIC);
    load_pixels(picture, pixels, y, cy, to[cy]);
  }
}

// Lifts the rows from `from` to `to`, top-down, or bottom-up (`down` -1) those of the picture turned upside down about
// its first row, as `streamed` does: what two segments read at a common seam is then still in a cache.
INLINE void sweep_pixels(const Picture *picture, const OwnPixels *pixels, const int boundary, const int down,
                         const int from, const int to, local T *stage) {
  WORD prefetched[PREFETCHED][2][WORDS_OF_PIXELS];
  A s[RING * ROW_LOADED], d[RING * ROW_LOADED];
  // Rounded down and up to whole pairs.
  const int top = from >> 1, bottom = (to + 1) >> 1;
  const int begin = top - REACH_LO, end = bottom + LAST_LAG, last = bottom + REACH_HI - 1;
  const Inside inside = inside_of(picture->height, down < 0);
  UNROLL for (int a = 0; a < PREFETCHED; ++a)
    load_pair_of_pixel_rows(picture, pixels, min(begin + a, last), down, prefetched[a]);
  UNROLL for (int i = 0; i < RING * ROW_LOADED; ++i) s[i] = d[i] = 0;

  for (int p = begin; p < end; p += ROUND) {
    UNROLL for (int phase = 0; phase < ROUND; ++phase) {
      const int newest = p + phase, done = newest - LAST_LAG;
      if (newest >= end) return;
      WORD(*const loaded)[WORDS_OF_PIXELS] = prefetched[phase % PREFETCHED];
      A *const low = s + phase * ROW_LOADED, *const high = d + phase * ROW_LOADED;
      unpack_pixels(stage, picture, pixels, loaded[0], 0, low);
      unpack_pixels(stage, picture, pixels, loaded[1], 1, high);
      if (newest + PREFETCHED <= last)
        load_pair_of_pixel_rows(picture, pixels, newest + PREFETCHED, down, loaded);
      if (X_FIRST) {
        lift_pixels(pixels, boundary, low);
        lift_pixels(pixels, boundary, high);
      }
      lift_in_ring(s, d, ROW_LOADED, phase, newest, &inside, boundary);
      A rows[2][ROW_LOADED];
      UNROLL for (int i = 0; i < ROW_LOADED; ++i) {
        rows[0][i] = s[RING_AT(LAST_LAG) * ROW_LOADED + i];
        rows[1][i] = d[RING_AT(LAST_LAG) * ROW_LOADED + i];
      }
      if (!X_FIRST) {
        lift_pixels(pixels, boundary, rows[0]);
        lift_pixels(pixels, boundary, rows[1]);
      }
      UNROLL for (int cy = 0; cy < 2; ++cy) {
        const int row = 2 * done + cy;
        if (row >= from && row < to) store_pixels(stage, picture, pixels, down * row, cy, rows[cy]);
      }
    }
  }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void streamed_colours(global S *signal, global T *bands, global T *low, const Pass pass, const StreamedColours own) {
  local T stage[ALONE ? 1 : GROUP * 2 * RUN_OWN] __attribute__((aligned(16)));
  const Share share = share_of(get_group_id(0), own.strips, own.segments);
  if (share.segment >= own.segments) return;
  const Picture picture = picture_at(signal, bands, low, &pass, share.picture);
  const OwnPixels pixels = pixels_of(share.strip, picture.width);
  const int from = 2 * share.segment * own.pairs_per_segment;
  const int to = min(from + 2 * own.pairs_per_segment, picture.height);
  const bool turned = own.alternating && share.segment % 2 == 0;
  sweep_pixels(&picture, &pixels, pass.boundary, turned ? -1 : 1, turned ? 1 - to : from, turned ? 1 - from : to,
               stage + SUB_GROUP * LANES * 2 * RUN_OWN);
}
