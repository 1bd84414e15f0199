// A block of a picture in the registers of a sub-group, and its lifting.
//
// A work-item has the samples of PAIRS pairs of columns: v[r][2 * p + cx] is the one in row r, in pair p of channel cx
// along x. Lifting along y needs nothing else. Along x a step gets its neighbours from the work-items beside this one:
// by exchange, or without it through local memory.

#include "core/boundary.cl"
#include "core/near.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
#ifndef PAIRS
#error "PAIRS: pairs of columns of a work-item"
#endif
#ifndef BLOCK_ROWS
#error "BLOCK_ROWS: rows of a block, an even number, the halo of REACH_LO pairs above and REACH_HI below included"
#endif
#ifndef X_FIRST
#error "X_FIRST: 1 where this launch, in its direction, lifts along x before y"
#endif
#define BLOCK_PAIRS (BLOCK_ROWS / 2)
#define COLUMNS_OWN (2 * PAIRS)
// The rows that are no halo, and those that are lifted along x.
#define RESULT_ROW (2 * REACH_LO)
#define RESULT_ROWS_END (BLOCK_ROWS - 2 * REACH_HI)
#define X_ROW (X_FIRST ? 0 : RESULT_ROW)
#define X_ROWS_END (X_FIRST ? BLOCK_ROWS : RESULT_ROWS_END)
// Pairs of rows that are no halo. The halo to the left and right has whole work-items.
#define BLOCK_HEIGHT (BLOCK_PAIRS - REACH_LO - REACH_HI)
#define LANES_LO ((REACH_LO + PAIRS - 1) / PAIRS)
#define LANES_HI ((REACH_HI + PAIRS - 1) / PAIRS)

// Where a block is, in pairs, and the border of its picture.
typedef struct {
  int row, column;        // its first pair of rows; the first pair of columns of this work-item
  int s_rows, s_columns;  // how many approximations the picture has along y and x
  int d_rows, d_columns;  // how many details
  bool inside;            // whether all of the block is in the picture, in whole pairs
  bool restored;          // whether what is beyond the border must follow `boundary` anew at every step
  int boundary;
} Block;

// --- along y -----------------------------------------------------------------------------------------

// Sets what a step reads of a channel above and below the picture, of which the channel has `count` rows.
INLINE void restore_rows(const Block *block, const int parity, const int count, A (*v)[COLUMNS_OWN]) {
  if (!block->restored) return;
  UNROLL for (int c = 0; c < COLUMNS_OWN; ++c)
    set_beyond(&v[parity][c], 2 * COLUMNS_OWN, REACH_LO, BLOCK_PAIRS, block->row, count, block->boundary);
}

#define ABOVE_OR_BELOW_s(offset) v[2 * (n + (offset))][c]
#define ABOVE_OR_BELOW_d(offset) v[2 * (n + (offset)) + 1][c]
#define BLOCK_STEP_Y(k, target, source, first, last, before, after)                   \
  restore_rows(block, PARITY_##source, block->source##_rows, v);                      \
  UNROLL for (int n = REACH_LO - (before); n < BLOCK_PAIRS - REACH_HI + (after); ++n) \
    UNROLL for (int c = 0; c < COLUMNS_OWN; ++c)                                      \
      v[2 * n + PARITY_##target][c] = LIFT_##k(v[2 * n + PARITY_##target][c], ABOVE_OR_BELOW_##source);

INLINE void lift_block_y(const Block *block, A (*v)[COLUMNS_OWN]) { LIFT_STEPS(BLOCK_STEP_Y) }

// --- along x -----------------------------------------------------------------------------------------

// A step on a channel of row r, of which `near` has what it reads.
#define LIFT_ROW(k, cx) UNROLL for (int p = 0; p < PAIRS; ++p) v[r][2 * p + cx] = LIFT_##k(v[r][2 * p + cx], BESIDE);

#if EXCHANGE == EXCHANGE_NONE
#define SHARED_ROWS (X_ROWS_END - X_ROW)

// Shares a channel with the other work-items, when they have read the one before.
INLINE void share_channel(const int cx, A (*v)[COLUMNS_OWN], local A (*shared)[GROUP * PAIRS]) {
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLL for (int r = X_ROW; r < X_ROWS_END; ++r)
    UNROLL for (int p = 0; p < PAIRS; ++p) shared[r - X_ROW][get_local_id(0) * PAIRS + p] = v[r][2 * p + cx];
  barrier(CLK_LOCAL_MEM_FENCE);
}

// What a step reads in row r of a channel of `count` columns.
INLINE void gather_shared(const Block *block, const int r, const int count, const int first, const int last,
                          local A (*shared)[GROUP * PAIRS], A *near) {
  UNROLL for (int i = first; i < PAIRS + last; ++i) {
    const int column = block->column + i, inner = block->restored ? clamp(column, 0, count - 1) : column;
    const int place = (int)get_local_id(0) * PAIRS + inner - block->column;
    const A v = shared[r - X_ROW][clamp(place, 0, GROUP * PAIRS - 1)];
    NEAR(i) = inner == column ? v : beyond_border(block->boundary, v);
  }
}

#define BLOCK_STEP_X(k, target, source, first, last, before, after)              \
  share_channel(PARITY_##source, v, shared);                                     \
  UNROLL for (int r = X_ROW; r < X_ROWS_END; ++r) {                              \
    gather_shared(block, r, block->source##_columns, first, last, shared, near); \
    LIFT_ROW(k, PARITY_##target) }

#else
#define SHARED_ROWS 1

// Sets what a step reads to the left and right of the picture, of which the channel has `count` columns.
INLINE void restore_columns(const Block *block, const int cx, const int count, const int first, const int last,
                            A (*v)[COLUMNS_OWN]) {
  if (!block->restored) return;
  UNROLL for (int r = X_ROW; r < X_ROWS_END; ++r)
    set_beyond_beside(v[r] + cx, 2, PAIRS, block->column, count, first, last, block->boundary);
}

#define BLOCK_STEP_X(k, target, source, first, last, before, after)                 \
  restore_columns(block, PARITY_##source, block->source##_columns, first, last, v); \
  UNROLL for (int r = X_ROW; r < X_ROWS_END; ++r) {                                 \
    gather_near(v[r] + PARITY_##source, 2, PAIRS, first, last, near);               \
    LIFT_ROW(k, PARITY_##target) }
#endif

INLINE void lift_block_x(const Block *block, A (*v)[COLUMNS_OWN], local A (*shared)[GROUP * PAIRS]) {
  A near[REACH_LO + PAIRS + REACH_HI];
  LIFT_STEPS(BLOCK_STEP_X)
}

// Lifts along both axes.
INLINE void lift_block(const Block *block, A (*v)[COLUMNS_OWN], local A (*shared)[GROUP * PAIRS]) {
#if X_FIRST
  lift_block_x(block, v, shared);
#endif
  lift_block_y(block, v);
#if !X_FIRST
  lift_block_x(block, v, shared);
#endif
}
