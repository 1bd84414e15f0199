// memory_only, arithmetic_only: register_block without one of its halves, after the measurement of Enfedaque,
// Auli-Llinas and Moure 2015 (Fig. 8). Neither computes coefficients. Where the whole takes as long as the longer half,
// the other one is hidden behind it; where it takes the sum of both, nothing is.
//
// memory_only loads and stores what register_block does; the halo, which is not stored, costs it an addition
// per sample. arithmetic_only lifts numbers that it makes of the work-item's, and an addition per result keeps
// them from being left out.

#include "register_block/register_block.cl"

// What sums are compared with that never have this value.
#define UNLIKELY ((A)1234567890)

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void memory_only(global T *signal, global T *bands, global T *low, const Pass pass, const RegisterBlocks own) {
  const int group = get_group_id(0), number = SINGLE ? 0 : (uint)group / (uint)own.groups;
  const Picture picture = picture_at(signal, bands, low, &pass, number);
  const Block block = block_of(&picture, &pass, &own, group - number * own.groups);
  A v[BLOCK_ROWS][COLUMNS_OWN], halo = 0;
  load_block(&picture, &block, &own, v);
  UNROLL for (int r = 0; r < BLOCK_ROWS; ++r)
    if (r < RESULT_ROW || r >= RESULT_ROWS_END)
      UNROLL for (int i = 0; i < COLUMNS_OWN; ++i) halo += v[r][i];
  if (halo == UNLIKELY) v[RESULT_ROW][0] = halo;
  store_block(&picture, &block, &own, v);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void arithmetic_only(global T *signal, global T *bands, global T *low, const Pass pass, const RegisterBlocks own) {
  local A shared[SHARED_ROWS][GROUP * PAIRS];
  const int group = get_group_id(0), number = SINGLE ? 0 : (uint)group / (uint)own.groups;
  const Picture picture = picture_at(signal, bands, low, &pass, number);
  const Block block = block_of(&picture, &pass, &own, group - number * own.groups);
  A v[BLOCK_ROWS][COLUMNS_OWN], sum = 0;
  UNROLL for (int r = 0; r < BLOCK_ROWS; ++r)
    UNROLL for (int i = 0; i < COLUMNS_OWN; ++i) v[r][i] = (A)((((int)LANE + group) * (2 * r + 3)) ^ i);
  lift_block(&block, v, shared);
  UNROLL for (int r = RESULT_ROW; r < RESULT_ROWS_END; ++r)
    UNROLL for (int i = 0; i < COLUMNS_OWN; ++i) sum += v[r][i];
  if (sum == UNLIKELY) store_block(&picture, &block, &own, v);
}
