// Lifting along x on a GPU: across the work-items of a sub-group, which have PAIRS pairs of columns each.
//
// A row is `pairs` approximations, then `pairs` details. Before a step a work-item gets the neighbours that it lacks
// from the work-items beside it; without exchange it has loaded them.

#include "streamed/shares.cl"

#define ROW_s 0
#define ROW_d pairs

#if EXCHANGE == EXCHANGE_NONE
// Steps run on ever fewer pairs; every neighbour is there.
#define ALONE_s(offset) row[ROW_s + n + (offset)]
#define ALONE_d(offset) row[ROW_d + n + (offset)]
#define ROW_STEP(k, target, source, first, last, before, after)               \
  UNROLL for (int n = HALO_LO - (before); n < HALO_LO + PAIRS + (after); ++n) \
    row[ROW_##target + n] = LIFT_##k(row[ROW_##target + n], ALONE_##source);  \
  if (RESTORED && columns->beyond)                                            \
    set_beyond(row + ROW_##target, 1, HALO_LO, PAIRS_LOADED_X, columns->own - HALO_LO, columns->target##_count, CLAMP);

#else
// At the border a work-item derives the neighbours that are missing from its own pairs: always where they are clamped,
// and where they are mirrored if rows go by vectors, whose length is even. Otherwise they were loaded (READ_ELSEWHERE
// in streamed/rows.cl).
#define BORDER_FROM_OWN_PAIRS (RESTORED || (WIDE && EXTENSION == EXTENSION_MIRRORED))

// Repeats the last pair of a channel where its row can end within a work-item. Where it has ended before this one (of
// an odd row, with one approximation and no detail), that pair comes from the left.
INLINE void clamp_staged(const OwnColumns *columns, const int count, const int pairs, A *channel) {
  const A before_own = from_left(channel[pairs - 1]);
  if (columns->own >= count) channel[0] = before_own;
  set_beyond(channel, 1, 0, pairs, columns->own, count, CLAMP);
}

// What a step reads beyond either end of this work-item's pairs, the nearest first.
INLINE void gather_neighbours(const OwnColumns *columns, const A *channel, const int parity, const int pairs,
                              const int first, const int last, A *left, A *right) {
  const int count = parity ? columns->d_count : columns->s_count;
  UNROLL for (int i = 0; i < -first; ++i) {
    left[i] = from_left(channel[pairs - 1 - i]);
    if (BORDER_FROM_OWN_PAIRS && columns->own == 0) left[i] = channel[RESTORED ? 0 : parity ? i : 1 + i];
  }
  UNROLL for (int i = 0; i < last; ++i) {
    right[i] = from_right(channel[i]);
    if (BORDER_FROM_OWN_PAIRS && columns->own + pairs >= count)
      right[i] = channel[RESTORED ? pairs - 1 : pairs - 1 - i - parity];
  }
}

// Pair n of a channel, its own or a neighbour.
INLINE A pair_or_neighbour(const A *channel, const A *left, const A *right, const int pairs, const int n) {
  return n < 0 ? left[-1 - n] : n < pairs ? channel[n] : right[n - pairs];
}

#define NEAR_s(offset) pair_or_neighbour(row + ROW_s, left, right, pairs, n + (offset))
#define NEAR_d(offset) pair_or_neighbour(row + ROW_d, left, right, pairs, n + (offset))
#define ROW_STEP(k, target, source, first, last, before, after)                                                    \
  { A left[PAIRS], right[PAIRS];                                                                                   \
    gather_neighbours(columns, row + ROW_##source, PARITY_##source, pairs, first, last, left, right);              \
    UNROLL for (int n = 0; n < pairs; ++n) row[ROW_##target + n] = LIFT_##k(row[ROW_##target + n], NEAR_##source); \
    if (RESTORED && !WIDE) clamp_staged(columns, columns->target##_count, pairs, row + ROW_##target); }
#endif

INLINE void lift_row_x(const OwnColumns *columns, A *row, const int pairs) { LIFT_STEPS(ROW_STEP) }
