// pyramid_windows: several levels of a picture that is mirrored, in one launch.
//
// Each work-group stores a tile of every level (inverse, of the picture), and computes by itself all that this takes: a window
// of each level (pyramid/window.cl), all of it at once in registers; its low band stays in local memory.
//
// Cost per sample: 1 global read and 1 write, and more for the halo; one barrier per level, without exchange two more per step
// along x. On an NVIDIA H200 on which an empty launch takes 4.8 us and two of them 12.3, five levels by 9/7 in f32 take, forward
// (by the kernel `pyramid` in an earlier run) of 128 x 128 10.3 us (19.0), of 512 x 512 19.7 (23.2), of 1024 x 1024 22.9 (26.6);
// inverse 8.2, 9.9 and 12.8: limited by what a level waits for, loads, exchange and a barrier. Where each level had the rows and
// columns per work-item of the finest one, instead of those that suit its window, the inverse of 1024 x 1024 took 14.3.

#include "pyramid/window_forward.cl"
#include "pyramid/window_inverse.cl"

#ifndef PLACES
#error "PLACES: samples that local memory holds, of the low bands of all levels"
#endif

// Which tile a work-group has.
typedef struct {
  int y, x;
} Tile;

#if FORWARD
// Lifts a level, of which the low band is the next window.
INLINE void do_level(const Picture *picture, const Windows *own, constant const Window *of, const Tile tile, local A *kept,
                     local A (*shared)[GROUP * MOST_PAIRS], A (*v)[COLUMNS_HELD]) {
  const Span y = span_of(picture->height, of->level, of->rows, own->tile_y, own->tiles_y, tile.y);
  const Span x = span_of(picture->width, of->level, of->columns, own->tile_x, own->tiles_x, tile.x);
  const WindowEnds ends = ends_of_window(of, &x);
  if (of->level == 0 && is_busy(of)) load_signal(picture, own, of, &y, &x, v);
  if (of->level > 0) barrier(CLK_LOCAL_MEM_FENCE);
  if (of->level > 0 && is_busy(of)) load_low(of, &y, kept, v);
  if (is_busy(of)) lift_window(of, &ends, v, shared);
  if (is_busy(of)) store_bands(picture, of, &y, &x, kept + of[1].kept, v);
}
#else
// Lifts a level, of which the low band is what the next window has left.
INLINE void do_level(const Picture *picture, const Windows *own, constant const Window *of, const Tile tile, local A *kept,
                     local A (*shared)[GROUP * MOST_PAIRS], A (*v)[COLUMNS_HELD]) {
  const WindowEnds ends = 0;
  const int begin_y = tile.y * own->tile_y, begin_x = tile.x * own->tile_x;
  const PartOfWindow part = part_of(picture, of, begin_y, begin_x);
  // Its sub-bands are asked for before its low band is in local memory.
  if (is_busy(of)) load_window_details(picture, of, &part, v);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_busy(of)) load_left(picture, of, &part, of + 1, begin_y, begin_x, kept, v);
  if (is_busy(of)) lift_window(of, &ends, v, shared);
  if (is_busy(of) && of->level == 0) store_window_tile(picture, own, of, &part, v);
  if (is_busy(of) && of->level > 0) keep_window(of, kept, v);
}
#endif

#define DO_LEVEL(k) do_level(&picture, &own, &WINDOWS[k], tile, (local A *)kept, shared, v);

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void pyramid_windows(global S *signal, global T *bands, global T *low, const Pass pass, const Windows own) {
  local FourNumbers kept[PLACES / 4 + 1];
  local A shared[ROWS_SHARED][GROUP * MOST_PAIRS];
  const int tiles = own.tiles_x * own.tiles_y, number = SINGLE ? 0 : (int)get_group_id(0) / tiles;
  const int rest = (int)get_group_id(0) - number * tiles, tile_y = rest / own.tiles_x;
  const Tile tile = {tile_y, rest - tile_y * own.tiles_x};
  const Picture picture = picture_at(signal, bands, low, &pass, number);
  A v[ROWS_HELD][COLUMNS_HELD];
#if FORWARD
  // What no result depends on is read as well: so a simulator sees no read of what was never written.
  for (int i = get_local_id(0); EXCHANGE == EXCHANGE_NONE && i < PLACES; i += GROUP) ((local A *)kept)[i] = 0;
  if (EXCHANGE == EXCHANGE_NONE) barrier(CLK_LOCAL_MEM_FENCE);
  DO_LEVEL(0)
#if LEVELS > 1
  DO_LEVEL(1)
#endif
#if LEVELS > 2
  DO_LEVEL(2)
#endif
#if LEVELS > 3
  DO_LEVEL(3)
#endif
#if LEVELS > 4
  DO_LEVEL(4)
#endif
#if LEVELS > 5
  DO_LEVEL(5)
#endif
#if LEVELS > 6
  DO_LEVEL(6)
#endif
#else
#if LEVELS > 6
  DO_LEVEL(6)
#endif
#if LEVELS > 5
  DO_LEVEL(5)
#endif
#if LEVELS > 4
  DO_LEVEL(4)
#endif
#if LEVELS > 3
  DO_LEVEL(3)
#endif
#if LEVELS > 2
  DO_LEVEL(2)
#endif
#if LEVELS > 1
  DO_LEVEL(1)
#endif
  DO_LEVEL(0)
#endif
}
