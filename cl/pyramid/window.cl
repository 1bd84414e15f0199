// The window of a level that a work-group of `pyramid_windows` has, a work-item's part of it, and its lifting.
//
// A window has as many pairs in every work-group, known when the program is built, which saves most of what index
// arithmetic takes in `pyramid`. It lies in registers: ITEMS_X_k work-items side by side have OWN_PAIRS_X_k pairs of
// columns each, of OWN_PAIRS_Y_k pairs of rows and the halo above and below, v[r][2 * p + cx] being the sample in row
// r, in pair p of channel cx. Lifting along y needs nothing else. Along x a step gets its neighbours from the
// work-items beside this one.

#include "core/boundary.cl"
#include "core/near.cl"
#include "core/picture.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
#ifndef COLUMN_STRIDE
#error "COLUMN_STRIDE: how far neighbours in a row are apart in memory: 1, or as many as a pixel has samples, or as there are planes"
#endif
#ifndef X_FIRST
#error "X_FIRST: 1 where this launch, in its direction, lifts along x before y"
#endif
#ifndef LEVELS
#error "LEVELS: how many are taken; the finest is number 0"
#endif
#ifndef REST
#error "REST: the level with which the last work-group of a picture to arrive goes on alone; LEVELS where none does"
#endif
#ifndef MOST_OWN_PAIRS_Y
#error "MOST_OWN_PAIRS_Y: the most of OWN_PAIRS_Y_k"
#endif
// The most of OWN_PAIRS_X_k.
#define MOST_OWN_PAIRS_X 2
// Of each level k: PAIRS_Y_k, PAIRS_X_k          pairs of its window, along x in whole work-items
//                  OWN_PAIRS_Y_k, OWN_PAIRS_X_k  those of a work-item, 1 or 2 along x, without its halo above and below
//                  ITEMS_X_k                     work-items side by side in it, a power of two
//                  KEPT_k                        where in local memory its low band begins: what it reads, inverse
//                  leaves
#if !defined(PAIRS_Y_0) || !defined(PAIRS_X_0) || !defined(OWN_PAIRS_Y_0) || !defined(OWN_PAIRS_X_0) || \
    !defined(ITEMS_X_0) || !defined(KEPT_0)
#error "PAIRS_Y_k, PAIRS_X_k, OWN_PAIRS_Y_k, OWN_PAIRS_X_k, ITEMS_X_k, KEPT_k: the window of each level"
#endif
// Without a halo at the ends of lines all work-items have results: three levels of 4096 pictures of 64 x 64 take 42 us
// inverse, with one 72 (9/7 in f32, NVIDIA H200).
#ifndef ENDS
#error "ENDS: what steps find beyond the ends of a window along x, by one of the numbers below"
#endif
// OPEN: nothing; what that makes wrong is the halo's. MIRRORED: each step mirrors the window, where steps read one
// neighbour on each side; inverse only a whole line. Of pictures that repeat, CLOSED: the other end, where the picture
// is one window; its width is a power of two. WRAPPED, in all others: nothing; windows go on as the picture repeats.
#define ENDS_OPEN 0
#define ENDS_MIRRORED 1
#define ENDS_CLOSED 2
#define ENDS_WRAPPED 3
#define PICTURE_REPEATS (ENDS == ENDS_CLOSED || ENDS == ENDS_WRAPPED)
#define IS_WRAPPED(window) (ENDS == ENDS_WRAPPED && (window)->ends == ENDS_WRAPPED)
#define IS_CLOSED(window) (PICTURE_REPEATS && !IS_WRAPPED(window))
// One reflection instead of a remainder takes half of the instructions.
#ifndef EXTENDED_OFTEN
#error "EXTENDED_OFTEN: 1 where a level is so small that steps reach beyond the extended picture"
#endif

// The arguments besides the geometry.
typedef struct {
  int tile_x, tile_y;    // from one tile to the next, in pairs of the finest level
  int tiles_x, tiles_y;  // tiles of a picture
  int aligned;           // whether the samples of a work-item in a row of the picture are an aligned vector
  int rest_aligned;      // the same of the level with which the last work-group goes on
} Windows;

// What is set of each level. Those of the rest are numbered from 0 again, and have a coarsest one of their own; where
// windows before it wrap, it is closed.
typedef struct {
  int level, is_coarsest, ends, pairs_y, pairs_x, own_pairs_x, own_pairs_y, items_x, kept;
} Window;

#define WINDOW_OF(k)                                                            \
  {k < REST ? k : k - REST, k + 1 == REST || k + 1 == LEVELS,                   \
   k >= REST && ENDS == ENDS_WRAPPED ? ENDS_CLOSED : ENDS,                      \
   PAIRS_Y_##k, PAIRS_X_##k, OWN_PAIRS_X_##k, OWN_PAIRS_Y_##k, ITEMS_X_##k, KEPT_##k},
// Window LEVELS is empty: only what it would keep, or leave, is asked for.
constant const Window WINDOWS[] = {
    WINDOW_OF(0)
    WINDOW_OF(1)
#if LEVELS >= 2
    WINDOW_OF(2)
#endif
#if LEVELS >= 3
    WINDOW_OF(3)
#endif
#if LEVELS >= 4
    WINDOW_OF(4)
#endif
#if LEVELS >= 5
    WINDOW_OF(5)
#endif
#if LEVELS >= 6
    WINDOW_OF(6)
#endif
#if LEVELS >= 7
    WINDOW_OF(7)
#endif
};

// What a work-item holds, at most.
#define MOST_ROWS (2 * (REACH_LO + MOST_OWN_PAIRS_Y + REACH_HI))
#define MOST_COLUMNS (2 * MOST_OWN_PAIRS_X)

// Loops over what a window has, which compilers write out before they know how much that is: else they do it by parts.
#define UP_TO(i, count, most) UNROLL for (int i = 0; i < (most); ++i) if (i < (count))
#define EACH_PAIR(p) UP_TO(p, window->own_pairs_x, MOST_OWN_PAIRS_X)
#define EACH_COLUMN(c) UP_TO(c, 2 * window->own_pairs_x, MOST_COLUMNS)
#define EACH_ROW(r) UP_TO(r, 2 * (REACH_LO + window->own_pairs_y + REACH_HI), MOST_ROWS)

// A work-item's place in a window.
INLINE int item_x(constant const Window *window) { return ITEM % window->items_x; }
// Pairs of rows above it.
INLINE int pairs_above(constant const Window *window) { return ITEM / window->items_x * window->own_pairs_y; }
// Whether its sub-group has any rows. Without exchange all work-items meet at the barriers of every step.
INLINE bool is_busy(constant const Window *window) {
  return EXCHANGE == EXCHANGE_NONE || (int)SUB_GROUP * LANES / window->items_x * window->own_pairs_y < window->pairs_y;
}

// Neighbouring samples of a work-item in a row of the picture, and numbers in local memory: 4 of two pairs, 2 of one.
typedef JOIN(S, 4) FourSamples;
typedef JOIN(S, 2) TwoSamples;
typedef JOIN(A, 4) FourNumbers;
typedef JOIN(A, 2) TwoNumbers;

// The pair of a line that stands for one of channel `parity` beyond its border. What no result depends on is any pair.
INLINE int pair_inside(const int pair, const int parity, const int samples) {
#if ENDS == ENDS_WRAPPED
  return place_in_signal(pair, samples / 2, 1);
#else
  const int last = samples - 1, place = 2 * clamp(pair, -REACH_LO, (last >> 1) + REACH_HI) + parity;
  const bool needs_period = EXTENDED_OFTEN || ENDS == ENDS_CLOSED;
  return (needs_period ? place_in_signal(place, samples, ENDS == ENDS_CLOSED) : mirrored_at(place, last)) >> 1;
#endif
}

// --- lifting -----------------------------------------------------------------------------------------

#define ROW_ABOVE_s(offset) v[2 * (n + (offset))][c]
#define ROW_ABOVE_d(offset) v[2 * (n + (offset)) + 1][c]
#define WINDOW_STEP_Y(k, target, source, first, last, before, after)                       \
  UNROLL for (int n = REACH_LO - (before); n < REACH_LO + MOST_OWN_PAIRS_Y + (after); ++n) \
    if (n < REACH_LO + window->own_pairs_y + (after)) EACH_COLUMN(c)                       \
      v[2 * n + PARITY_##target][c] = LIFT_##k(v[2 * n + PARITY_##target][c], ROW_ABOVE_##source);

INLINE void lift_window_y(constant const Window *window, A (*v)[MOST_COLUMNS]) { LIFT_STEPS(WINDOW_STEP_Y) }

// Rows that are lifted along x: before y those of the halo, too.
#define FIRST_ROW (X_FIRST ? 0 : 2 * REACH_LO)
INLINE int rows_lifted(constant const Window *window) {
  return 2 * (window->own_pairs_y + (X_FIRST ? REACH_LO + REACH_HI : 0));
}
#define MOST_ROWS_LIFTED (2 * MOST_OWN_PAIRS_Y + (X_FIRST ? 2 * (REACH_LO + REACH_HI) : 0))

#if ENDS == ENDS_MIRRORED
// Where the pairs of a work-item stand in a line that ends with its window: what is beyond its ends is mirrored by
// every step. Only for steps that read two neighbours, of which then one stands for both.
typedef struct {
  bool first;              // whether the first pair is the first of the line
  bool last[MOST_OWN_PAIRS_X];   // whether a pair is the last one
  bool alone[MOST_OWN_PAIRS_X];  // whether it is an approximation without a detail
} WindowEnds;

// The ends of a line of so many samples, for a work-item that has its pairs from `pair` on.
INLINE WindowEnds ends_of_window(constant const Window *window, const int pair, const int samples) {
  WindowEnds ends;
  ends.first = pair == 0;
  EACH_PAIR(p) {
    ends.last[p] = pair + p == (samples - 1) >> 1;
    ends.alone[p] = ends.last[p] && (samples & 1);
  }
  return ends;
}

// Of two neighbours, the first of which is at `from`, one that is beyond an end is as the other.
#define ONE_OF_TWO(offset) ((offset) == from ? before_it : after_it)
#define LIFT_PAIRS(k, cx, first_read)                                                              \
  const int from = first_read;                                                                     \
  EACH_PAIR(p) {                                                                                   \
    A before_it = BESIDE(from), after_it = BESIDE(from + 1);                                       \
    if ((cx) == 0 && p == 0 && ends->first) before_it = after_it;                                  \
    if ((cx) == 0 ? ends->alone[p] : ends->last[p]) after_it = before_it;                          \
    row[2 * p + (cx)] = LIFT_##k(row[2 * p + (cx)], ONE_OF_TWO);                                   \
  }
#else
// What is beyond the ends of a window that is open is garbage, as are the results near them.
typedef int WindowEnds;
INLINE WindowEnds ends_of_window(constant const Window *window, const int pair, const int samples) { return 0; }
#define LIFT_PAIRS(k, cx, first_read)                                                              \
  EACH_PAIR(p)                                                                                     \
    row[2 * p + (cx)] = LIFT_##k(row[2 * p + (cx)], BESIDE);
#endif

#if EXCHANGE == EXCHANGE_NONE
#define ROWS_SHARED MOST_ROWS_LIFTED
// Shares a channel with the other work-items, when they have read the one before.
INLINE void share_window_channel(constant const Window *window, const int cx, A (*v)[MOST_COLUMNS],
                                 local A (*shared)[GROUP * MOST_OWN_PAIRS_X]) {
  barrier(CLK_LOCAL_MEM_FENCE);
  UP_TO(r, rows_lifted(window), MOST_ROWS_LIFTED)
  EACH_PAIR(p) shared[r][get_local_id(0) * window->own_pairs_x + p] = v[FIRST_ROW + r][2 * p + cx];
  barrier(CLK_LOCAL_MEM_FENCE);
}
INLINE void gather_in_window(constant const Window *window, const int r, const int cx, const int first, const int last,
                             const A *row, local A (*shared)[GROUP * MOST_OWN_PAIRS_X], A *near) {
  const int own = (int)get_local_id(0) * window->own_pairs_x, in_row = window->items_x * window->own_pairs_x - 1;
  UNROLL for (int i = first; i < MOST_OWN_PAIRS_X + last; ++i) {
    if (i >= window->own_pairs_x + last) continue;
    const int in_ring = (own & ~in_row) | ((own + i) & in_row);
    const int in_group = clamp(own + i, 0, GROUP * window->own_pairs_x - 1);
    NEAR(i) = shared[r][IS_CLOSED(window) ? in_ring : in_group];
  }
}
#else
#define ROWS_SHARED 1
INLINE void share_window_channel(constant const Window *window, const int cx, A (*v)[MOST_COLUMNS],
                                 local A (*shared)[GROUP * MOST_OWN_PAIRS_X]) {}
INLINE void gather_in_window(constant const Window *window, const int r, const int cx, const int first, const int last,
                             const A *row, local A (*shared)[GROUP * MOST_OWN_PAIRS_X], A *near) {
  EACH_PAIR(p) NEAR(p) = row[2 * p + cx];
  if (IS_CLOSED(window))
    gather_around(window->items_x, window->own_pairs_x, first, last, near);
  else
    gather_beside(window->own_pairs_x, first, last, near);
}
#endif

#define WINDOW_STEP_X(k, target, source, first_read, last_read, before, after)              \
  share_window_channel(window, PARITY_##source, v, shared);                                 \
  UP_TO(r, rows_lifted(window), MOST_ROWS_LIFTED) {                                         \
    A *const row = v[FIRST_ROW + r];                                                        \
    gather_in_window(window, r, PARITY_##source, first_read, last_read, row, shared, near); \
    LIFT_PAIRS(k, PARITY_##target, first_read)                                              \
  }

INLINE void lift_window_x(constant const Window *window, const WindowEnds *ends, A (*v)[MOST_COLUMNS],
                          local A (*shared)[GROUP * MOST_OWN_PAIRS_X]) {
  A near[REACH_LO + MOST_OWN_PAIRS_X + REACH_HI];
  LIFT_STEPS(WINDOW_STEP_X)
}

// Lifts along both axes.
INLINE void lift_window(constant const Window *window, const WindowEnds *ends, A (*v)[MOST_COLUMNS],
                        local A (*shared)[GROUP * MOST_OWN_PAIRS_X]) {
#if X_FIRST
  lift_window_x(window, ends, v, shared);
#endif
  lift_window_y(window, v);
#if !X_FIRST
  lift_window_x(window, ends, v, shared);
#endif
}
