// colour_loop: one level of pictures whose pixels have several samples, in one loop over the picture, for CPU devices.
//
// A pixel has COLOURS samples side by side. As in `single_loop`, a work-group is one work-item that owns a strip of columns
// and a block of rows and sweeps down it, a pair of rows at a time; the last Y_KEPT pairs lie in a ring in the nearest
// caches. A row goes there with its two channels apart (colour_loop/pixels_in_vectors.cl) and is lifted along x step by step,
// along y as a pipeline (cpu/pipeline_y.cl) or near the border step by step; what is done is gathered for whole vectors of
// memory.
//
// After the single-loop core of Barina and Zemcik 2015.
// Cost per sample: 1 global read and 1 write, and the reach again for each strip and row block; along x, per step and vector
// of its targets, a read of each tap, one more and a write of the ring.

#include "colour_loop/pixels_in_vectors.cl"
#include "core/picture.cl"
#include "single_loop/row_buffers.cl"

#ifndef X_FIRST
#error "X_FIRST: 1 where this launch, in its direction, lifts along x before y"
#endif
#if !defined(HALO_LO) || !defined(HALO_HI) || !defined(HALO_TOP)
#error "HALO_LO, HALO_HI, HALO_TOP: pairs that a strip loads before and after its own, that a row block loads before it"
#endif
#ifndef ROWS
#error "ROWS: rows of local memory in all"
#endif

// The arguments besides the geometry.
typedef struct {
  int strips, row_blocks;  // of a picture
  int strip;               // pairs of columns in a strip
  int row_block;           // pairs of rows in a block
} ColourLoop;

// --- rows --------------------------------------------------------------------------------------------

#define LOAD_PIXELS(cx, cy, v) SCALED_IN(TO_A(v), FACTOR_2D(IN, cx, cy), PRE_SHIFT)
#define STORE_PIXELS(cx, cy, v) TO_T(SCALED_OUT(v, FACTOR_2D(OUT, cx, cy), PRE_SHIFT))

// Loads row cy of pair of rows p, and asks for the one after it.
INLINE void load_colours(const Picture *picture, const int p, const int cy, const Columns columns, local A *row) {
  const int s_count = s_count_of(columns) * COLOURS, d_count = d_count_of(columns) * COLOURS;
#if FORWARD
  global const S *const from = signal_at(picture, 2 * p + cy, 2 * columns.left * COLOURS);
  global const S *const next = from + 2 * picture->signal_row;
  int at = 0;
  for (; 2 * (at + VECTOR) <= s_count + d_count && at < d_count; at += STEP) {
    const LOADED_V a = LOAD_T(from + 2 * at), b = LOAD_T(from + 2 * at + VECTOR);
    PREFETCH(next + 2 * at)
    PREFETCH(next + 2 * at + VECTOR)
    STORE_V(LOAD_PIXELS(0, cy, SPLIT(a, b, 0)), row + PLACE_s + at);
    STORE_V(LOAD_PIXELS(1, cy, SPLIT(a, b, 1)), row + PLACE_d + at);
  }
  for (; at < s_count; at += STEP) {
    LOADED s[VECTOR], d[VECTOR];
    for (int i = 0; i < VECTOR; ++i) {
      const int pixel = (at + i) / COLOURS * 2 * COLOURS + i % COLOURS;
      s[i] = from[min(pixel, s_count + d_count - 1)];
      d[i] = from[min(pixel + COLOURS, s_count + d_count - 1)];
    }
    STORE_V(LOAD_PIXELS(0, cy, JOIN(vload, VECTOR)(0, s)), row + PLACE_s + at);
    STORE_V(LOAD_PIXELS(1, cy, JOIN(vload, VECTOR)(0, d)), row + PLACE_d + at);
  }
#else
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    const int n = 2 * cy + cx, count = cx ? d_count : s_count;
    const long stride = picture->band_stride[n];
    global const T *const from = band_at(picture, n, p, columns.left);
    local A *const to = row + (cx ? PLACE_d : PLACE_s);
    int at = 0;
    for (; stride == COLOURS && at + VECTOR <= count; at += VECTOR) {
      PREFETCH(from + picture->band_row[n] + at)
      STORE_V(LOAD_PIXELS(cx, cy, LOAD_T(from + at)), to + at);
    }
    for (; at < count; at += VECTOR) {
      LOADED some[VECTOR];
      for (int i = 0; i < VECTOR; ++i) {
        const int place = min(at + i, count - 1);
        some[i] = from[place / COLOURS * stride + place % COLOURS];
      }
      STORE_V(LOAD_PIXELS(cx, cy, JOIN(vload, VECTOR)(0, some)), to + at);
    }
  }
#endif
}

// Stores row cy of pair of rows p, whose columns start at place `skipped`; `gathered` is room for it.
INLINE void store_colours(const Picture *picture, const int p, const int cy, const Columns columns, local const A *row,
                          const int skipped, local STORED *gathered) {
  const int s_count = s_count_of(columns) * COLOURS, d_count = d_count_of(columns) * COLOURS;
  local const A *const s = row + PLACE_s + skipped * COLOURS, *const d = row + PLACE_d + skipped * COLOURS;
#if FORWARD
  UNROLL for (int cx = 0; cx < 2; ++cx) {
    const int n = 2 * cy + cx, count = cx ? d_count : s_count;
    const long stride = picture->band_stride[n];
    global T *const to = band_at(picture, n, p, columns.left);
    for (int at = 0; at < count; at += VECTOR) STORE_L(STORE_PIXELS(cx, cy, LOAD_V((cx ? d : s) + at)), gathered + at);
    if (stride == COLOURS) {
      store_gathered_run(gathered, count, to);
    } else {
      for (int i = 0; i < count; ++i) to[i / COLOURS * stride + i % COLOURS] = gathered[i];
    }
  }
#else
  for (int at = 0; at < s_count; at += STEP) {
    const STORED_V low = STORE_PIXELS(0, cy, LOAD_V(s + at)), high = STORE_PIXELS(1, cy, LOAD_V(d + at));
    STORE_L(MERGED(low, high, 0), gathered + 2 * at);
    STORE_L(MERGED(low, high, 1), gathered + 2 * at + VECTOR);
  }
  store_gathered_run(gathered, s_count + d_count, signal_at(picture, 2 * p + cy, 2 * columns.left * COLOURS));
#endif
}

// --- along x -----------------------------------------------------------------------------------------

// Puts at pixel q of a channel, which is beside the picture, what the boundary rule maps to it.
INLINE void extend_to_colours(local A *channel, const int parity, const Columns columns, const int boundary, const int q) {
  const int from = map_index(boundary, parity, q, columns.width);
  const int inside = clamp(from, columns.left, columns.right - 1);
  for (int c = 0; c < COLOURS; ++c)
    channel[(q - columns.left) * COLOURS + c] = from < 0 ? (A)0 : channel[(inside - columns.left) * COLOURS + c];
}

// Extends one channel of a row by the neighbours from `first` to `last` of the picture's first and last pairs.
INLINE void extend_colours(local A *channel, const int parity, const Columns columns, const int boundary,
                           const int first, const int last) {
  const int pairs = S_COUNT(columns.width), count = parity ? D_COUNT(columns.width) : pairs;
  if (columns.left == 0)
    for (int q = first; q < 0; ++q) extend_to_colours(channel, parity, columns, boundary, q);
  if (columns.right == pairs)
    for (int q = count; q < pairs + last; ++q) extend_to_colours(channel, parity, columns, boundary, q);
}

#define COLOUR_s(offset) LOAD_V(row + PLACE_s + i + (offset) * COLOURS)
#define COLOUR_d(offset) LOAD_V(row + PLACE_d + i + (offset) * COLOURS)
#define COLOUR_STEP(k, target, source, first, last, before, after)                           \
  extend_colours(row + PLACE_##source, PARITY_##source, columns, boundary, first, last);     \
  for (int i = 0; i < s_count_of(columns) * COLOURS; i += VECTOR)                            \
    STORE_V(LIFT_##k(LOAD_V(row + PLACE_##target + i), COLOUR_##source), row + PLACE_##target + i);

INLINE void lift_colours_x(local A *row, const Columns columns, const int boundary) { LIFT_STEPS(COLOUR_STEP) }

// --- along y -----------------------------------------------------------------------------------------

// Lifts what pair p of rows completes, and puts the pair that is done into two rows of results.
INLINE void lift_colours_y(local A *ring, local const A *zeros, local A *results, const int p, const int top,
                           const int count, const int height, const int boundary, const bool inside) {
  const Ring rows = ring_at(ring, p);
  if (!inside) lift_buffers_y(ring, zeros, p, top, count, height, boundary);
  EACH_PLACE(i, count) {
    AV low = LOAD_V(rows.s[inside ? 0 : Y_LAST_LAG] + i), high = LOAD_V(rows.d[inside ? 0 : Y_LAST_LAG] + i);
    if (inside) lift_along_y(&rows, i, &low, &high);
    STORE_V(low, results + i);
    STORE_V(high, results + ROW + i);
  }
}

// --- the loop ----------------------------------------------------------------------------------------

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void colour_loop(global S *signal, global T *bands, global T *low, const Pass pass, const ColourLoop own) {
  // All rows lie in one array, as Intel's CPU runtime needs it; of vectors, so that they start at whole ones.
  local AV memory[ROWS * ROW / VECTOR];
  local A *const ring = (local A *)memory, *const zeros = ring + 2 * Y_KEPT * ROW, *const results = zeros + ROW;
  local STORED *const gathered = (local STORED *)(results + 2 * ROW);
  for (int i = 0; i < ROWS * ROW; i += VECTOR) STORE_V((AV)(0), ring + i);

  const int number = get_group_id(0), strip = number % own.strips, rest = number / own.strips;
  const Picture picture = picture_at(signal, bands, low, &pass, rest / own.row_blocks);
  const int pairs = S_COUNT(picture.width), rows = S_COUNT(picture.height);
  const Columns columns = {strip * own.strip, min((strip + 1) * own.strip, pairs), picture.width};
  const Columns all = {max(columns.left - HALO_LO, 0), min(columns.right + HALO_HI, pairs), picture.width};
  const int begin = rest % own.row_blocks * own.row_block, end = min(begin + own.row_block, rows);
  const int top = max(begin - HALO_TOP, 0);

  for (int p = top; p < end + Y_LAST_LAG; ++p) {
    for (int cy = 0; cy < 2 && 2 * p + cy < picture.height; ++cy) {
      load_colours(&picture, p, cy, all, RING_ROW(p, cy));
      if (X_FIRST) lift_colours_x(RING_ROW(p, cy), all, pass.boundary);
    }
    // The rows before an inner seam are never stored.
    const bool inside = 2 * p + 1 < picture.height && (top > 0 || p + 1 >= Y_KEPT);
    lift_colours_y(ring, zeros, results, p, top, s_count_of(all) * COLOURS, picture.height, pass.boundary, inside);
    const int done = p - Y_LAST_LAG;
    for (int cy = 0; cy < 2 && done >= begin && 2 * done + cy < picture.height; ++cy) {
      local A *const row = results + cy * ROW;
      if (!X_FIRST) lift_colours_x(row, all, pass.boundary);
      store_colours(&picture, done, cy, columns, row, columns.left - all.left, gathered);
    }
  }
}
