// pyramid_windows: the inverse of several levels of a picture that is mirrored, in one launch.
//
// Each work-group stores a tile of the picture, and recomputes by itself what this takes of every coarser level: a window of it
// (pyramid/window.cl). A level is lifted in blocks that lie in the registers of LANES_k neighbours (register_block/block.cl), all
// of them at once. Its sub-bands are asked for before the barrier at which its low band is in local memory.
//
// Cost per sample: 1 global read and 1 write, and more for the halo; one barrier per level, without exchange two more per step
// along x. On an NVIDIA H200, five levels by 9/7 in f32 of 128 x 128 take 6.9 us (by the kernel `pyramid` 11.1), of 256 x 256 8.0
// (11.2), of 512 x 512 9.3 (12.7), of 1024 x 1024 12.5 (16.4), of which an empty launch is 3: limited by what a level waits for,
// loads, exchange and a barrier. Work-groups of few sub-groups, several to a compute unit, and one pair of columns to a
// work-item are fastest.

#include "pyramid/window.cl"

#ifndef PLACES
#error "PLACES: samples that local memory holds, of the low bands of all levels"
#endif

// Of the sub-bands.
INLINE void load_first(const Picture *picture, const PartOfWindow *part, A (*v)[COLUMNS_OWN]) {
  const Distance row = picture->band_row[1], to_details = S_COUNT(part->height) * row;
  int s[PAIRS], d[PAIRS];
  UNROLL for (int p = 0; p < PAIRS; ++p) {
    s[p] = mirrored_pair(part->column + p, 0, part->width);
    d[p] = mirrored_pair(part->column + p, 1, part->width) + S_COUNT(part->width);
  }
  UNROLL for (int n = 0; n < BLOCK_PAIRS; ++n) {
    const int y = part->row - REACH_LO + n;
    global const T *const lows = picture->band[1] + mirrored_pair(y, 0, part->height) * row;
    global const T *const highs = picture->band[1] + (to_details + mirrored_pair(y, 1, part->height) * row);
    UNROLL for (int p = 0; p < PAIRS; ++p) {
      v[2 * n][2 * p + 1] = NUMBER(lows[d[p]]);
      v[2 * n + 1][2 * p] = NUMBER(highs[s[p]]);
      v[2 * n + 1][2 * p + 1] = NUMBER(highs[d[p]]);
    }
  }
}

// Of the coarsest level from global memory, of others from `kept`, where the coarser window `left` them.
INLINE void load_left(const Picture *picture, const PartOfWindow *part, const Window *left, const int begin_y,
                      const int begin_x, local const A *kept, A (*v)[COLUMNS_OWN]) {
  const bool is_coarsest = part->of.level == LEVELS - 1;
  const int coarser = part->of.level + 1, first_x = 2 * (window_begin(coarser, begin_x) - LANES_LO * PAIRS);
  const int first_y = 2 * window_begin(coarser, begin_y);
  int s[PAIRS];
  UNROLL for (int p = 0; p < PAIRS; ++p) {
    s[p] = mirrored_pair(part->column + p, 0, part->width);
    if (!is_coarsest) s[p] = clamp(s[p] - first_x, 0, 2 * left->columns - 1);
  }
  UNROLL for (int n = 0; n < BLOCK_PAIRS; ++n) {
    const int y = mirrored_pair(part->row - REACH_LO + n, 0, part->height);
    if (is_coarsest) {
      UNROLL for (int p = 0; p < PAIRS; ++p) v[2 * n][2 * p] = NUMBER(picture->band[0][y * picture->band_row[0] + s[p]]);
    } else {
      local const A *const from = kept + (left->kept + clamp(y - first_y, 0, 2 * left->rows - 1) * 2 * left->columns);
      UNROLL for (int p = 0; p < PAIRS; ++p) v[2 * n][2 * p] = from[s[p]];
    }
  }
  UNROLL for (int i = 0; i < COLUMNS_OWN * BLOCK_ROWS; ++i) {
    const int r = i / COLUMNS_OWN, c = i % COLUMNS_OWN;
    v[r][c] = TAKE_2D(c % 2, r % 2, v[r][c]);
  }
}

#define IN_TILE(i) STORE_2D(0, 0, v[RESULT_ROW + r][i])
#define LEFT(i) KEEP_2D(0, 0, v[RESULT_ROW + r][i])

// Leaves results for the next level.
INLINE void keep_window(const PartOfWindow *part, local A *kept, A (*v)[COLUMNS_OWN]) {
  const int column = part->lane * PAIRS;
  if (column >= part->of.columns) return;
  UNROLL for (int r = 0; r < 2 * BLOCK_HEIGHT; ++r) {
    local A *const to = kept + (part->of.kept + (2 * part->below + r) * 2 * part->of.columns + 2 * column);
    if (part->below + r / 2 < part->of.rows) *(local RowOfNumbers *)to = JOIN_ROW(RowOfNumbers, LEFT);
  }
}

// Stores the tile.
INLINE void store_window(const Picture *picture, const PartOfWindow *part, const Windows *own, A (*v)[COLUMNS_OWN]) {
  const int column = (part->lane - LANES_LO) * PAIRS, x = 2 * part->column, y = 2 * part->row;
  if (column < 0 || column >= own->tile_x) return;
  const bool is_vector = own->aligned && x + COLUMNS_OWN <= part->width;
  UNROLL for (int r = 0; r < 2 * BLOCK_HEIGHT; ++r) {
    global S *const to = picture->signal + ((y + r) * picture->signal_row + x);
    if (part->below + r / 2 >= own->tile_y || y + r >= part->height) continue;
    if (is_vector) {
      *(global RowOfSamples *)to = JOIN_ROW(RowOfSamples, IN_TILE);
    } else {
      UNROLL for (int c = 0; c < COLUMNS_OWN; ++c)
        if (x + c < part->width) to[c] = IN_TILE(c);
    }
  }
}

INLINE void store_results_of(const Picture *picture, const Windows *own, const PartOfWindow *part, local A *kept,
                             A (*v)[COLUMNS_OWN]) {
  if (part->of.level == 0) {
    store_window(picture, part, own, v);
  } else {
    keep_window(part, kept, v);
  }
}

// What lift_block asks of its border: nothing.
INLINE Block block_of_window(const PartOfWindow *part) {
  Block block;
  block.row = part->row - REACH_LO;
  block.column = part->column;
  block.s_rows = block.d_rows = block.s_columns = block.d_columns = 0;
  block.inside = block.restored = false;
  block.boundary = SYMMETRIC;
  return block;
}

// Lifts a level, after `before`.
INLINE void lift_window(const Picture *picture, const Windows *own, const Window window, const Window before, const int begin_y,
                        const int begin_x, local A *kept, local A (*shared)[GROUP * PAIRS], A (*v)[COLUMNS_OWN]) {
  const PartOfWindow part = part_of(picture, &window, begin_y, begin_x);
  const Block block = block_of_window(&part);
  if (IS_BUSY(&part)) load_first(picture, &part, v);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (IS_BUSY(&part)) load_left(picture, &part, &before, begin_y, begin_x, kept, v);
  if (IS_BUSY(&part)) lift_block(&block, v, shared);
  if (IS_BUSY(&part)) store_results_of(picture, own, &part, kept, v);
}

#define LIFT_WINDOW(k)                                                                                  \
  const Window window_##k = {k, ROWS_##k, COLUMNS_##k, LANES_##k, KEPT_##k};                           \
  lift_window(&picture, &own, window_##k, before, begin_y, begin_x, (local A *)kept, shared, v);      \
  before = window_##k;

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void pyramid_windows(global S *signal, global T *bands, global T *low, const Pass pass, const Windows own) {
  local RowOfNumbers kept[PLACES / COLUMNS_OWN + 1];
  local A shared[SHARED_ROWS][GROUP * PAIRS];
  const int tiles = own.tiles_x * own.tiles_y, number = SINGLE ? 0 : (int)get_group_id(0) / tiles;
  const int tile = (int)get_group_id(0) - number * tiles, tile_y = tile / own.tiles_x, tile_x = tile - tile_y * own.tiles_x;
  const int begin_y = tile_y * own.tile_y, begin_x = tile_x * own.tile_x;
  const Picture picture = picture_at(signal, bands, low, &pass, number);
  A v[BLOCK_ROWS][COLUMNS_OWN];
  Window before = {LEVELS, 1, 1, 1, 0};
#if LEVELS > 6
  LIFT_WINDOW(6)
#endif
#if LEVELS > 5
  LIFT_WINDOW(5)
#endif
#if LEVELS > 4
  LIFT_WINDOW(4)
#endif
#if LEVELS > 3
  LIFT_WINDOW(3)
#endif
#if LEVELS > 2
  LIFT_WINDOW(2)
#endif
#if LEVELS > 1
  LIFT_WINDOW(1)
#endif
  LIFT_WINDOW(0)
}
