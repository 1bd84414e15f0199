// A block of a picture in the registers of a sub-group, and its lifting.
//
// A work-item has the samples of one pair of columns: v[r][cx] is the one in row r, of channel cx along x. Lifting along y
// needs nothing else. Along x a step gets its neighbours from the work-items beside this one: by exchange, or without it
// through local memory.

#include "core/boundary.cl"
#include "core/exchange.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
#ifndef BLOCK_ROWS
#error "BLOCK_ROWS: rows of a block, an even number, the halo of REACH_LO pairs above and REACH_HI below included"
#endif
#ifndef X_FIRST
#error "X_FIRST: 1 where this launch, in its direction, lifts along x before y"
#endif
#define BLOCK_PAIRS (BLOCK_ROWS / 2)
// The rows that are no halo, and those that are lifted along x.
#define RESULT_ROW (2 * REACH_LO)
#define RESULT_ROWS_END (BLOCK_ROWS - 2 * REACH_HI)
#define X_ROW (X_FIRST ? 0 : RESULT_ROW)
#define X_ROWS_END (X_FIRST ? BLOCK_ROWS : RESULT_ROWS_END)

// Where a block is, in pairs, and the border of its picture.
typedef struct {
  int row, column;        // its first pair of rows; the pair of columns of this work-item
  int s_rows, s_columns;  // how many approximations the picture has along y and x
  int d_rows, d_columns;  // how many details
  bool inside;            // whether all of the block is in the picture, in whole pairs
  bool restored;          // whether what is beyond the border must follow `boundary` anew at every step
  int boundary;
} Block;

// --- along y -----------------------------------------------------------------------------------------

// Sets what a step reads of a channel above and below the picture, of which the channel has `count` rows.
INLINE void restore_rows(const Block *block, const int parity, const int count, A (*v)[2]) {
  UNROLL for (int i = 2 * BLOCK_PAIRS - 3; i >= 0; --i) {
    const int n = i / 2, cx = i % 2;
    if (block->row + n < 0) v[2 * n + parity][cx] = beyond_border(block->boundary, v[2 * n + 2 + parity][cx]);
  }
  UNROLL for (int i = 0; i < 2 * BLOCK_PAIRS; ++i) {
    const int n = i / 2, cx = i % 2;
    if (block->row + n >= count) v[2 * n + parity][cx] = beyond_border(block->boundary, v[2 * max(n - 1, 0) + parity][cx]);
  }
}

#define ABOVE_OR_BELOW_s(offset) v[2 * (n + (offset))][cx]
#define ABOVE_OR_BELOW_d(offset) v[2 * (n + (offset)) + 1][cx]
#define BLOCK_STEP_Y(k, target, source, first, last, before, after)                               \
  if (block->restored) restore_rows(block, PARITY_##source, block->source##_rows, v);             \
  UNROLL for (int n = REACH_LO - (before); n < BLOCK_PAIRS - REACH_HI + (after); ++n)           \
    UNROLL for (int cx = 0; cx < 2; ++cx)                                                         \
      v[2 * n + PARITY_##target][cx] = LIFT_##k(v[2 * n + PARITY_##target][cx], ABOVE_OR_BELOW_##source);

INLINE void lift_block_y(const Block *block, A (*v)[2]) { LIFT_STEPS(BLOCK_STEP_Y) }

// --- along x -----------------------------------------------------------------------------------------

// near[REACH_LO + i] is what the work-item i places further has; past the ends of a sub-group it means nothing.
#define BESIDE(offset) near[REACH_LO + (offset)]

#if EXCHANGE == EXCHANGE_NONE
#define SHARED_ROWS (X_ROWS_END - X_ROW)

// Shows a channel to the other work-items, when they have read the one before.
INLINE void share_channel(const int cx, A (*v)[2], local A (*shared)[GROUP]) {
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLL for (int r = X_ROW; r < X_ROWS_END; ++r) shared[r - X_ROW][get_local_id(0)] = v[r][cx];
  barrier(CLK_LOCAL_MEM_FENCE);
}

// What a step reads in row r of a channel of `count` columns.
INLINE void gather_near(const Block *block, const int r, const int count, const int first, const int last,
                        local A (*shared)[GROUP], A *near) {
  UNROLL for (int i = first; i <= last; ++i) {
    const int column = block->column + i, inner = block->restored ? clamp(column, 0, count - 1) : column;
    const int place = (int)get_local_id(0) + inner - block->column;
    const A v = shared[r - X_ROW][clamp(place, 0, GROUP - 1)];
    BESIDE(i) = inner == column ? v : beyond_border(block->boundary, v);
  }
}

#define BLOCK_STEP_X(k, target, source, first, last, before, after)                          \
  share_channel(PARITY_##source, v, shared);                                                 \
  UNROLL for (int r = X_ROW; r < X_ROWS_END; ++r) {                                        \
    gather_near(block, r, block->source##_columns, first, last, shared, near);               \
    v[r][PARITY_##target] = LIFT_##k(v[r][PARITY_##target], BESIDE); }

#else
#define SHARED_ROWS 1

// Sets what a step reads to the left and right of the picture, of which the channel has `count` columns: perhaps one less
// than the step's target has.
INLINE void restore_columns(const Block *block, const int cx, const int count, const int first, const int last,
                            A (*v)[2]) {
  UNROLL for (int r = X_ROW; r < X_ROWS_END; ++r) {
    UNROLL for (int i = 0; i < -first; ++i) {
      const A inner = from_right(v[r][cx]);
      if (block->column < 0) v[r][cx] = beyond_border(block->boundary, inner);
    }
    UNROLL for (int i = 0; i <= last; ++i) {
      const A inner = from_left(v[r][cx]);
      if (block->column >= count) v[r][cx] = beyond_border(block->boundary, inner);
    }
  }
}

INLINE void gather_near(const A own, const int first, const int last, A *near) {
  BESIDE(0) = own;
  UNROLL for (int i = 0; i < -first; ++i) BESIDE(-i - 1) = from_left(BESIDE(-i));
  UNROLL for (int i = 0; i < last; ++i) BESIDE(i + 1) = from_right(BESIDE(i));
}

#define BLOCK_STEP_X(k, target, source, first, last, before, after)                                            \
  if (block->restored) restore_columns(block, PARITY_##source, block->source##_columns, first, last, v);       \
  UNROLL for (int r = X_ROW; r < X_ROWS_END; ++r) {                                                          \
    gather_near(v[r][PARITY_##source], first, last, near);                                                     \
    v[r][PARITY_##target] = LIFT_##k(v[r][PARITY_##target], BESIDE); }
#endif

INLINE void lift_block_x(const Block *block, A (*v)[2], local A (*shared)[GROUP]) {
  A near[REACH_LO + 1 + REACH_HI];
  LIFT_STEPS(BLOCK_STEP_X)
}

// Lifts along both axes.
INLINE void lift_block(const Block *block, A (*v)[2], local A (*shared)[GROUP]) {
#if X_FIRST
  lift_block_x(block, v, shared);
#endif
  lift_block_y(block, v);
#if !X_FIRST
  lift_block_x(block, v, shared);
#endif
}
