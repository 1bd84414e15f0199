// register_block: one level of a picture in one pass over memory.
//
// After Enfedaque, Auli-Llinas and Moure 2015. The picture is cut into blocks, one for each sub-group. A work-item loads a
// pair of columns of it into registers, all rows at once, so that many loads are under way. It lifts them along y by itself
// and along x with what its neighbours have (register_block/block.cl), and stores the samples that are no halo. For 9/7
// and sub-groups of 32, of a block of 64 x 20 samples these are 56 x 12. The sub-groups of a work-group have blocks one
// below another, so that they find each other's rows in a cache.
//
// Beyond its border a picture goes on mirrored or periodically; for other rules, samples beyond the border are set anew
// before every step.
//
// Cost per sample: 1 global write, and as many reads as a block has samples for each result (1.9 for 9/7 in 64 x 20, of
// which a cache can have all but 1). Without exchange, two barriers per step and X_ROWS_END - X_ROW samples of local memory
// per work-item; else none.

#include "core/picture.cl"
#include "register_block/block.cl"

// The arguments besides the geometry. Beyond the border a row (column) is where it is in a signal that repeats after
// `period` samples and runs backwards in the second half of it: sample n is that at min(n, turn - n). A periodic one never
// turns.
typedef struct {
  int strips, groups;      // blocks side by side; work-groups of a picture
  int aligned;             // whether rows are of whole pairs, at even places of the signal
  int restored;            // whether steps need more than a signal that goes on
  int period_x, turn_x;
  int period_y, turn_y;
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
  block.inside = min(block.row, left) >= 0 && block.row + BLOCK_PAIRS <= block.d_rows && left + LANES <= block.d_columns;
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

// Row r of a block in the picture.
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

INLINE int first_in_period(const int place, const int period) {
  const int rest = place % period;
  return rest < 0 ? rest + period : rest;
}

INLINE void load_block(const Picture *picture, const Block *block, const RegisterBlocks *own, A (*v)[2]) {
  SamplePair loaded[BLOCK_ROWS];
  if (block->inside && (own->aligned || !FORWARD)) {
    EACH_ROW for (int r = 0; r < BLOCK_ROWS; ++r) loaded[r] = load_inner_pair(picture, block, r);
  } else {
    const int x = first_in_period(2 * block->column, own->period_x);
    int y = first_in_period(2 * block->row, own->period_y);
    EACH_ROW for (int r = 0; r < BLOCK_ROWS; ++r) {
      loaded[r] = load_pair(picture, r & 1, min(y, own->turn_y - y), min(x, own->turn_x - x),
                            min(x + 1, own->turn_x - x - 1));
      y = y + 1 == own->period_y ? 0 : y + 1;
    }
  }
  EACH_ROW for (int r = 0; r < BLOCK_ROWS; ++r) {
    v[r][0] = LOAD_2D(0, r & 1, SAMPLES_OF(loaded[r]).x);
    v[r][1] = LOAD_2D(1, r & 1, SAMPLES_OF(loaded[r]).y);
  }
}

// --- store -------------------------------------------------------------------------------------------

// Each work-item stores so many rows of each channel along x: none of what is halo or beyond the picture.
INLINE void store_block(const Picture *picture, const Block *block, const RegisterBlocks *own, A (*v)[2]) {
  const bool is_halo = (int)LANE < REACH_LO || (int)LANE >= LANES - REACH_HI;
  const bool stores_s = !is_halo && block->column < block->s_columns;
  const bool stores_d = !is_halo && block->column < block->d_columns;
  const int row = block->row + REACH_LO;
#if FORWARD
  UNROLL for (int band = 0; band < 4; ++band) {
    const int cx = band & 1, cy = band >> 1, rows = (cx ? stores_d : stores_s) ? (cy ? block->d_rows : block->s_rows) - row : 0;
    global T *const to = band_at(picture, band, row, block->column);
    EACH_ROW for (int n = 0; n < BLOCK_HEIGHT; ++n)
      if (n < rows) to[n * picture->band_row[band]] = STORE_2D(cx, cy, v[RESULT_ROW + 2 * n + cy][cx]);
  }
#else
  const int s_rows = stores_s ? picture->height - 2 * row : 0, d_rows = stores_d ? s_rows : 0;
  global T *const to = signal_at(picture, 2 * row, 2 * block->column);
  EACH_ROW for (int r = 0; r < 2 * BLOCK_HEIGHT; ++r) {
    v[RESULT_ROW + r][0] = STORE_2D(0, r & 1, v[RESULT_ROW + r][0]);
    v[RESULT_ROW + r][1] = STORE_2D(1, r & 1, v[RESULT_ROW + r][1]);
  }
  if (own->aligned) {
    EACH_ROW for (int r = 0; r < 2 * BLOCK_HEIGHT; ++r)
      if (r < s_rows)
        *(global SamplePair *)(to + r * picture->signal_row) = AS_PAIR((T)v[RESULT_ROW + r][0], (T)v[RESULT_ROW + r][1]);
  } else {
    EACH_ROW for (int r = 0; r < 2 * BLOCK_HEIGHT; ++r) {
      if (r < s_rows) to[r * picture->signal_row] = v[RESULT_ROW + r][0];
      if (r < d_rows) to[r * picture->signal_row + 1] = v[RESULT_ROW + r][1];
    }
  }
#endif
}

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
