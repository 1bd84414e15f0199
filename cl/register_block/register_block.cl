// register_block: one level of a picture in one pass over memory.
//
// After Enfedaque, Auli-Llinas and Moure 2015, who name sub-bands by y first. The picture is cut into blocks, one for each
// sub-group. A work-item loads its two columns of the block into registers, all rows before it lifts any, so that many
// loads are under way. It lifts them along y by itself and along x with what its neighbours have (register_block/block.cl),
// and stores what is no halo: with 9/7 and sub-groups of 32, of 64 x 14 samples 56 x 6, of 64 x 20 56 x 12. The blocks of a work-group stand
// one below another, so that a cache can have the rows that they share.
//
// Beyond its border a picture is read mirrored or periodically. Where a rule needs more, what is beyond the border is set
// anew before every step.
//
// Cost per sample: 1 global write and 1 read, and more for the halo: with 9/7 a block of 64 x 14 reads 2.7 samples for each
// that it stores, one of 64 x 20 1.9. Compiled for an NVIDIA H200, 9/7 in f32 takes 48 registers (64 with 20 rows). Without
// exchange, two barriers per step along x, and local memory for one channel of the rows that are lifted.
//
// There, small pictures gain, whose time is waiting: one level of 1024 x 1024 by 9/7 in f32 takes 6.9 us (inverse 7.5), by
// streamed 8.4 (8.4). One level of 8192 x 8192 takes 175 us (150), with 20 rows 192 (142), by streamed 147 (146), a
// copy 130: memory limits it, and what neighbours load again.

#include "core/picture.cl"
#include "register_block/block.cl"

// The arguments besides the geometry. Beyond its border a signal repeats after `period` samples, and sample n of a period
// is sample min(n, turn - n) of the picture: mirrored, it runs backwards from the last one on; periodic, it never turns.
typedef struct {
  int strips, groups;    // blocks side by side; work-groups of a picture
  int aligned;           // whether rows are whole pairs, at even places of the signal
  int restored;          // whether what is beyond the border must be set anew before every step
  int period_x, turn_x;  // of a row
  int period_y, turn_y;  // of a column
} RegisterBlocks;

// Pairs of rows and columns from one block to the next.
#define BLOCK_HEIGHT (BLOCK_PAIRS - REACH_LO - REACH_HI)
#define BLOCK_WIDTH (LANES - REACH_LO - REACH_HI)

static inline Block block_of(const Picture *picture, const Pass *pass, const RegisterBlocks *own, const int group) {
  const uint number = (uint)group / (uint)own->strips, strip = group - number * own->strips;
  const int left = (int)strip * BLOCK_WIDTH - REACH_LO;
  Block block;
  block.row = (int)(number * (GROUP / LANES) + SUB_GROUP) * BLOCK_HEIGHT - REACH_LO;
  block.column = left + (int)LANE;
  block.s_rows = S_COUNT(picture->height);
  block.d_rows = D_COUNT(picture->height);
  block.s_columns = S_COUNT(picture->width);
  block.d_columns = D_COUNT(picture->width);
  block.inside = block.row >= 0 && block.row + BLOCK_PAIRS <= block.d_rows &&
                 left >= 0 && left + LANES <= block.d_columns;
  block.restored = own->restored && !block.inside;
  block.boundary = pass->boundary;
  return block;
}

// A pair of samples waits as it is in memory; NVIDIA's compiler takes two shorts apart as soon as they are there.
#if SHORT
typedef uint SamplePair;
#define AS_PAIR(s, d) as_uint((short2)(s, d))
#define SAMPLES_OF(pair) as_short2(pair)
#else
typedef JOIN(T, 2) SamplePair;
#define AS_PAIR(s, d) ((SamplePair)(s, d))
#define SAMPLES_OF(pair) (pair)
#endif

// --- load --------------------------------------------------------------------------------------------

// Row r of a block inside the picture.
INLINE SamplePair load_inner_pair(const Picture *picture, const Block *block, const int r) {
#if FORWARD
  return *(global const SamplePair *)signal_at(picture, 2 * block->row + r, 2 * block->column);
#else
  const int band = 2 * (r & 1), y = block->row + r / 2;
  return AS_PAIR(*band_at(picture, band, y, block->column), *band_at(picture, band + 1, y, block->column));
#endif
}

// Row y, of channel cy, in the columns xs and xd.
INLINE SamplePair load_pair(const Picture *picture, const int cy, const int y, const int xs, const int xd) {
#if FORWARD
  return AS_PAIR(*signal_at(picture, y, xs), *signal_at(picture, y, xd));
#else
  return AS_PAIR(*band_at(picture, 2 * cy, y >> 1, xs >> 1), *band_at(picture, 2 * cy + 1, y >> 1, xd >> 1));
#endif
}

INLINE void load_block(const Picture *picture, const Block *block, const RegisterBlocks *own, A (*v)[2]) {
  SamplePair loaded[BLOCK_ROWS];
  if (block->inside && (own->aligned || !FORWARD)) {
    UNROLL for (int r = 0; r < BLOCK_ROWS; ++r) loaded[r] = load_inner_pair(picture, block, r);
  } else {
    const int x = place_in_period(2 * block->column, own->period_x);
    const int xs = min(x, own->turn_x - x), xd = min(x + 1, own->turn_x - x - 1);
    int y = place_in_period(2 * block->row, own->period_y);
    UNROLL for (int r = 0; r < BLOCK_ROWS; ++r) {
      loaded[r] = load_pair(picture, r & 1, min(y, own->turn_y - y), xs, xd);
      y = y + 1 < own->period_y ? y + 1 : 0;
    }
  }
  UNROLL for (int r = 0; r < BLOCK_ROWS; ++r) {
    v[r][0] = LOAD_2D(0, r & 1, SAMPLES_OF(loaded[r]).x);
    v[r][1] = LOAD_2D(1, r & 1, SAMPLES_OF(loaded[r]).y);
  }
}

// --- store -------------------------------------------------------------------------------------------

// Whether a work-item stores its column of channel cx.
INLINE bool stores_column(const Block *block, const int cx) {
  const bool is_halo = (int)LANE < REACH_LO || (int)LANE >= LANES - REACH_HI;
  return !is_halo && block->column < (cx ? block->d_columns : block->s_columns);
}

#if FORWARD
INLINE void store_block(const Picture *picture, const Block *block, const RegisterBlocks *own, A (*v)[2]) {
  const int row = block->row + REACH_LO;
  UNROLL for (int band = 0; band < 4; ++band) {
    const int cx = band & 1, cy = band >> 1;
    const int rows = stores_column(block, cx) ? (cy ? block->d_rows : block->s_rows) - row : 0;
    global T *const to = band_at(picture, band, row, block->column);
    UNROLL for (int n = 0; n < BLOCK_HEIGHT; ++n)
      if (n < rows) to[n * picture->band_row[band]] = STORE_2D(cx, cy, v[RESULT_ROW + 2 * n + cy][cx]);
  }
}

#else
INLINE void store_block(const Picture *picture, const Block *block, const RegisterBlocks *own, A (*v)[2]) {
  const int row = block->row + REACH_LO, rows = picture->height - 2 * row;
  const int s_rows = stores_column(block, 0) ? rows : 0, d_rows = stores_column(block, 1) ? rows : 0;
  global T *const to = signal_at(picture, 2 * row, 2 * block->column);
  T done[2 * BLOCK_HEIGHT][2];
  UNROLL for (int r = 0; r < 2 * BLOCK_HEIGHT; ++r) {
    done[r][0] = STORE_2D(0, r & 1, v[RESULT_ROW + r][0]);
    done[r][1] = STORE_2D(1, r & 1, v[RESULT_ROW + r][1]);
  }
  if (own->aligned) {
    UNROLL for (int r = 0; r < 2 * BLOCK_HEIGHT; ++r)
      if (r < d_rows) *(global SamplePair *)(to + r * picture->signal_row) = AS_PAIR(done[r][0], done[r][1]);
  } else {
    UNROLL for (int r = 0; r < 2 * BLOCK_HEIGHT; ++r) {
      if (r < s_rows) to[r * picture->signal_row] = done[r][0];
      if (r < d_rows) to[r * picture->signal_row + 1] = done[r][1];
    }
  }
}
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void register_block(global T *signal, global T *bands, global T *low, const Pass pass, const RegisterBlocks own) {
  local A shared[SHARED_ROWS][GROUP];
  const int group = get_group_id(0), number = SINGLE ? 0 : (uint)group / (uint)own.groups;
  const Picture picture = picture_at(signal, bands, low, &pass, number);
  const Block block = block_of(&picture, &pass, &own, group - number * own.groups);
  A v[BLOCK_ROWS][2];
  load_block(&picture, &block, &own, v);
  lift_block(&block, v, shared);
  store_block(&picture, &block, &own, v);
}
