// streamed_one_level: one level in one pass over memory.
//
// Each sub-group sweeps along a strip of columns, a pair of rows at a time. A work-item has PAIRS pairs of columns;
// along x it lifts them with what its neighbours have (streamed/lift_x.cl), along y as a pipeline in registers
// (streamed/lift_y.cl). Rows are loaded PREFETCHED pairs before they are needed (streamed/rows.cl). The four sub-bands
// are written as they come out.
//
// After the register blocks of Enfedaque et al. 2015 and the single loop of Barina and Zemcik 2015. Cost per sample: 1
// global read and 1 write, and more for the overlaps: work-items at both ends of a sub-group compute what a neighbour
// stores, and a segment loads REACH_LO + REACH_HI pairs of rows more than it stores. Compiled for an NVIDIA H200, 9/7
// in f32 takes 242 instructions for 16 samples, 128 of them lifting.
//
// There, 8192 x 8192 in f32 by 9/7 takes 148 us forward, a copy 129. Without lifting it takes as long: memory limits
// it. What remains is some 10 us for the access pattern (142 us without the overlap along x) and 5 us for that overlap.
// The overlap along y costs nothing, because segments sweep from common seams. 16-bit integers are limited by
// instructions, and by how few sub-groups wait at once, where steps multiply: vc2-daub97 takes 396 for 16 samples, 256
// of them lifting, and 89 us where the copy takes 66. Its 96 registers let 20 sub-groups of a compute unit run at once,
// and it is fastest with 20 segments for each.

#include "streamed/frame.cl"
#include "streamed/lift_x.cl"
#include "streamed/lift_y.cl"
#include "streamed/rows.cl"

// One segment of a strip.
INLINE void sweep_segment(const Picture *picture, const OwnColumns *columns, const Segment *segment, local T *stage) {
  WORD prefetched[PREFETCHED][2][WORDS_LOADED];
  A s[RING * COLUMNS_LOADED], d[RING * COLUMNS_LOADED];
  // Rounded down and up to whole pairs.
  const int top = segment->from >> 1, bottom = (segment->to + 1) >> 1;
  const int begin = top - REACH_LO, end = bottom + LAST_LAG, last = bottom + REACH_HI - 1, down = segment->down;

  UNROLL for (int a = 0; a < PREFETCHED; ++a)
    load_pair_of_rows(picture, columns, down, min(begin + a, last), begin, last, prefetched[a]);
  UNROLL for (int i = 0; i < RING * COLUMNS_LOADED; ++i) s[i] = d[i] = 0;

  for (int p = begin; p < end; p += ROUND) {
    UNROLL for (int phase = 0; phase < ROUND; ++phase) {
      const int newest = p + phase;
      // Whole rounds only would take 1.05 to 1.09 times as long for small pictures (1080 x 1920 with three levels).
      if (newest >= end) return;
      WORD(*const loaded)[WORDS_LOADED] = prefetched[phase % PREFETCHED];
      unpack_row(picture, columns, stage, loaded[0], 0, row_of_age(s, NEWEST_s, phase, COLUMNS_LOADED));
      unpack_row(picture, columns, stage, loaded[1], 1, row_of_age(d, NEWEST_d, phase, COLUMNS_LOADED));
      if (newest + PREFETCHED <= last + LATER)
        load_pair_of_rows(picture, columns, down, newest + PREFETCHED, begin, last, loaded);
      A low[COLUMNS_LOADED], high[COLUMNS_LOADED];
      lift_pair_of_rows(columns, segment, s, d, COLUMNS_LOADED, phase, newest, low, high);
      store_pair_of_rows(picture, columns, segment, stage, newest - LAST_LAG, true, low, high);
    }
    if (ROUND < RING) move_ring(s, COLUMNS_LOADED);
    if (ROUND < RING) move_ring(d, COLUMNS_LOADED);
  }
}

INLINE void sweep_share(global S *signal, global T *bands, global T *low, const Pass *pass, const Streamed *own,
                        const int group, local T *stage) {
  Picture picture;
  OwnColumns columns;
  Segment segment;
  if (find_share(signal, bands, low, pass, own, group, &picture, &columns, &segment))
    sweep_segment(&picture, &columns, &segment, stage + SUB_GROUP * LANES * COLUMNS_OWN);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void streamed_one_level(global S *signal, global T *bands, global T *low, const Pass pass, const Streamed own) {
  const int group = get_group_id(0);
  local T stage[STAGED ? GROUP * COLUMNS_OWN : 1] __attribute__((aligned(16)));
#if EXTENSION != EXTENSION_NONE
  sweep_share(signal, bands, low, &pass, &own, group, stage);
#else
  local L tile[FRAME_TILE];
  const int tiles = 1 + own.frame_x + own.frame_y, frames = tiles * pass.across[1] * pass.across[2];
  if (group >= frames) sweep_share(signal, bands, low, &pass, &own, group - frames, stage);
  // No barrier may stand under a condition: PoCL 3.1 goes wrong there. So all pass those of the frame.
  const Picture picture = picture_at(signal, bands, low, &pass, group < frames ? group / tiles : 0);
  lift_frame(&picture, pass.boundary, &own, tile, group < frames ? group % tiles : -1);
#endif
}
