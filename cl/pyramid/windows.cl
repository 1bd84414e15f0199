// pyramid_windows: one level or several of a picture in one launch: of one that is mirrored, of one that repeats, and
// of any by steps that read nothing beyond their pair.
//
// Each work-group stores a tile of every level (inverse, of the picture), and computes by itself all that this takes: a
// window of each level (pyramid/window.cl), all of it at once in registers; its low band stays in local memory.
//
// Forward, where windows of all levels would have halos as large as they are, the levels that all work-groups share
// leave their low band in an array, and the last work-group of a picture to arrive (core/arrivals.cl) goes on with it
// as a single window.
//
// Of pixels of several samples side by side each work-group has one colour.
//
// A window is lifted as `register_block` lifts a block, after Enfedaque et al. 2015.
// Cost per sample: 1 global read and 1 write, and more for the halo; one barrier per level, without exchange two more
// per step along x. Limited by what a level waits for: loads, exchange and a barrier.
//
// Five levels by 9/7 in f32, in us, on an NVIDIA H200, on which a copy of 64 x 64 takes 4.7:
//
//                     128 x 128  256 x 256  512 x 512  1024 x 1024  2048 x 2048
//   forward                 6.4        7.6        8.8         12.3
//   by two launches                                           18.6         23.4
//   inverse                 5.7        5.9        6.9          9.2         18.0
//
// All of them lie in its caches. By two launches nobody goes on alone. Where each level had the rows and columns per
// work-item of the finest one, not those that suit its window, the inverse of 1024 x 1024 took 1.13 times as long.
//
// One level of 16384 pictures of 64 x 64 takes 133 and 136 us there, a copy 131.
//
// Five levels of pictures of three colours, forward and inverse, in us, on an NVIDIA H100:
//
//                                              64 x 64 x 3  512 x 512 x 3
//   here                                     10.6 and 10.7  22.3 and 17.2
//   by streamed_colours, a launch per level      50 and 49      46 and 47

#include "core/arrivals.cl"
#include "pyramid/window_forward.cl"
#include "pyramid/window_inverse.cl"

#ifndef PLACES
#error "PLACES: samples that local memory holds, of the low bands of all levels"
#endif
// That the compiler knows the picture leaves half of the instructions: three levels of 64 x 64 take 6.7 us forward
// instead of 7.3.
#ifndef KNOWN
#error "KNOWN: 1 where WIDTH, HEIGHT, TILE_X, TILE_Y, TILES_X, TILES_Y, ALIGNED and REST_ALIGNED are set, of the picture and as in Windows"
#endif

// Which tile a work-group has.
typedef struct {
  int y, x;
} Tile;

#if FORWARD
// Lifts a level, of which the low band is the next window.
INLINE void do_level(const Picture *picture, const Windows *own, constant const Window *window, const Tile tile,
                     local A *kept, local A (*shared)[GROUP * MOST_OWN_PAIRS_X], A (*v)[MOST_COLUMNS]) {
  const Span y = span_of(picture->height, window->level, window->pairs_y, IS_WRAPPED(window), own->tile_y, own->tiles_y,
                         own->tiles_y > 1 ? tile.y : 0);
  const Span x = span_of(picture->width, window->level, window->pairs_x, IS_WRAPPED(window), own->tile_x, own->tiles_x,
                         own->tiles_x > 1 ? tile.x : 0);
  const WindowEnds ends = ends_of_window(window, item_x(window) * window->own_pairs_x, x.samples);
  if (window->level == 0 && is_busy(window)) load_signal(picture, own, window, &y, &x, v);
  if (window->level > 0) barrier(CLK_LOCAL_MEM_FENCE);
  if (window->level > 0 && is_busy(window)) load_low(window, &y, kept, v);
  if (is_busy(window)) lift_window(window, &ends, v, shared);
  if (is_busy(window)) store_bands(picture, window, &y, &x, kept + window[1].kept, v);
}

#if FENCE != FENCE_NONE
#if PIXEL_BITS || COLUMN_STRIDE > 1
#error "what the last work-group goes on from are samples in one piece, not pixels"
#endif
// What the last work-group goes on with, all of it as one tile: the low band of the last shared level, in an array of
// its own.
INLINE Picture rest_of(const Picture *picture, global T *low, const int number) {
  Picture rest = *picture;
  rest.width = HALVED(picture->width, REST);
  rest.height = HALVED(picture->height, REST);
  rest.signal = low + (long)number * rest.width * rest.height;
  rest.signal_pitch = rest.width;
  return rest;
}
#endif
#else
// Lifts a level, of which the low band is what the next window has left.
INLINE void do_level(const Picture *picture, const Windows *own, constant const Window *window, const Tile tile,
                     local A *kept, local A (*shared)[GROUP * MOST_OWN_PAIRS_X], A (*v)[MOST_COLUMNS]) {
  const int begin_y = tile.y * own->tile_y, begin_x = tile.x * own->tile_x;
  const PartOfWindow part = part_of(picture, window, begin_y, begin_x);
  const WindowEnds ends = ends_of_window(window, part.column, part.width);
  // Its sub-bands are asked for before its low band is in local memory.
  if (is_busy(window)) load_window_details(picture, window, &part, v);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_busy(window)) load_low_of_window(picture, window, &part, window + 1, begin_y, begin_x, kept, v);
  if (is_busy(window)) lift_window(window, &ends, v, shared);
  if (is_busy(window) && window->level == 0) store_window_tile(picture, own, window, &part, v);
  if (is_busy(window) && window->level > 0) keep_window(window, kept, v);
}
#endif

// The levels, from the finest to the coarsest and back.
#define EACH_LEVEL(DO)      \
  DO(0)                     \
  if (LEVELS > 1) { DO(1) } \
  if (LEVELS > 2) { DO(2) } \
  if (LEVELS > 3) { DO(3) } \
  if (LEVELS > 4) { DO(4) } \
  if (LEVELS > 5) { DO(5) } \
  if (LEVELS > 6) { DO(6) }
#define EACH_LEVEL_BACK(DO) \
  if (LEVELS > 6) { DO(6) } \
  if (LEVELS > 5) { DO(5) } \
  if (LEVELS > 4) { DO(4) } \
  if (LEVELS > 3) { DO(3) } \
  if (LEVELS > 2) { DO(2) } \
  if (LEVELS > 1) { DO(1) } \
  DO(0)

#if FENCE != FENCE_NONE
#define COUNTED_IN , global Counter *arrivals, const int before
// With the first level of the rest only the last work-group of a picture to arrive goes on.
#define DO_LEVEL(k)                                                                             \
  if (k == REST && !is_last_to_arrive(arrivals + number, before, tiles, &is_last)) return;      \
  do_level(k < REST ? &picture : &rest, k < REST ? &known : &alone, &WINDOWS[k], tile, (local A *)kept, shared, v);
#else
#define COUNTED_IN
#define DO_LEVEL(k) do_level(&picture, &known, &WINDOWS[k], tile, (local A *)kept, shared, v);
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void pyramid_windows(global S *signal, global T *bands, global T *low COUNTED_IN, const Pass pass, const Windows own) {
  local FourNumbers kept[PLACES / 4 + 1];
  local A shared[ROWS_SHARED][GROUP * MOST_OWN_PAIRS_X];
#if KNOWN
  const Windows known = {TILE_X, TILE_Y, TILES_X, TILES_Y, ALIGNED, REST_ALIGNED};
#else
  const Windows known = own;
#endif
  const int tiles = known.tiles_x * known.tiles_y, number = SINGLE ? 0 : (int)get_group_id(0) / tiles;
  const int in_picture = (int)get_group_id(0) - number * tiles, tile_y = in_picture / known.tiles_x;
  const Tile tile = {tile_y, in_picture - tile_y * known.tiles_x};
  Picture picture = picture_at(signal, bands, low, &pass, number);
#if KNOWN
  picture.width = WIDTH;
  picture.height = HEIGHT;
#endif
#if FENCE != FENCE_NONE
  local int is_last;
  const Picture rest = rest_of(&picture, low, number);
  const Windows alone = {0, 0, 1, 1, known.rest_aligned, 0};
  picture.band[0] = rest.signal;
  picture.band_pitch[0] = rest.signal_pitch;
#endif
  A v[MOST_ROWS][MOST_COLUMNS];
#if FORWARD
  // What no result depends on is read as well: so a simulator sees no read of what was never written.
  for (int i = get_local_id(0); EXCHANGE == EXCHANGE_NONE && i < PLACES; i += GROUP) ((local A *)kept)[i] = 0;
  UNROLL for (int r = 0; EXCHANGE == EXCHANGE_NONE && r < MOST_ROWS; ++r)
    UNROLL for (int c = 0; c < MOST_COLUMNS; ++c) v[r][c] = 0;
  if (EXCHANGE == EXCHANGE_NONE) barrier(CLK_LOCAL_MEM_FENCE);
  EACH_LEVEL(DO_LEVEL)
#if FENCE != FENCE_NONE && EXCHANGE == EXCHANGE_NONE
  // Otherwise PoCL takes what is behind the last barrier for the same in all work-items, as some work-groups end
  // before.
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
#else
  EACH_LEVEL_BACK(DO_LEVEL)
#endif
}
