// streamed_2d: one level in one pass over memory.
//
// Each sub-group marches along a strip of columns, a pair of rows at a time. A work-item holds PAIRS pairs of
// columns; along x it lifts them with what its neighbours hold (exchange.cl), along y as a pipeline in registers:
// step k runs LAG_k pairs of rows behind the newest (streamed_lifting.cl). The pairs of rows AHEAD are loaded before
// they are needed (streamed_rows.cl). The four sub-bands are written as they come out.
//
// After the register blocks of Enfedaque et al. 2015 and the single loop of Barina and Zemcik 2015.
// Cost per sample: 1 global read and 1 write, and more for the overlaps: OVERLAP_LO and OVERLAP_HI work-items
// at the ends of a sub-group compute what a neighbour stores, and a segment loads REACH_LO + REACH_HI pairs of
// rows more than it stores. Compiled for an NVIDIA H200, 9/7 in f32 takes 242 instructions for 16 samples, 128 of
// them lifting.
//
// There, 8192 x 8192 in f32 by 9/7 takes 148 us, a copy 130. Without lifting it takes as long: memory limits it. The
// two slowest things left: how reads and writes are spread (some 10 us: it stays 142 us without the overlap along x,
// and does not fall without that along y, which the march from common seams has hidden), and the overlap along x
// (5 us). 16-bit integers are limited by instructions, and by how few sub-groups wait at once, where steps multiply:
// VC-2's 9/7 takes 396 for 16 samples, 256 of them lifting, and 91 us where the copy takes 69. Its 96 registers let 20
// sub-groups of a compute unit run at once, and it is fastest with 20 segments for each (MANY_FILLING).

// One segment of a strip.
INLINE void march(const Plane *plane, const Item *item, const Span *span, local T *stage) {
  WORD waiting[AHEAD][2][WORDS];
  A s[RING * 2 * HELD], d[RING * 2 * HELD];
  // Rounded down and up to whole pairs.
  const int top = span->from >> 1, bottom = (span->to + 1) >> 1;
  const int begin = top - REACH_LO, end = bottom + LAST_LAG, last = bottom + REACH_HI - 1, way = span->way;

  UNROLL for (int a = 0; a < AHEAD; ++a)
    load_pair(plane, item, way, min(begin + a, last), waiting[a]);
  UNROLL for (int i = 0; i < RING * 2 * HELD; ++i) s[i] = d[i] = 0;

  for (int p = begin; p < end; p += RING) {
    EACH_PHASE for (int phase = 0; phase < RING; ++phase) {
      const int now = p + phase;
      unpack(plane, item, stage, waiting[phase % AHEAD][0], 0, s + phase * 2 * HELD);
      unpack(plane, item, stage, waiting[phase % AHEAD][1], 1, d + phase * 2 * HELD);
      if (now + AHEAD <= last)
        load_pair(plane, item, way, now + AHEAD, waiting[phase % AHEAD]);
      A low[2 * HELD], high[2 * HELD];
      turn(item, span, s, d, 2 * HELD, phase, now, low, high);
      store_pair(plane, item, span, stage, now - LAST_LAG, low, high);
    }
  }
}

INLINE void stream(global T *from, global T *to, global T *corner, const Pass *pass, const int group,
                   local T *stage) {
  Plane plane;
  Item item;
  Span span;
  if (find_share(from, to, corner, pass, group, &plane, &item, &span))
    march(&plane, &item, &span, stage + SUB_GROUP * LANES * COLUMNS);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void streamed_2d(global T *from, global T *to, global T *corner, const Pass pass) {
  const int group = get_group_id(0);
  local T stage[STAGED ? GROUP * COLUMNS : 1] __attribute__((aligned(16)));
#if EXTENSION
  stream(from, to, corner, &pass, group, stage);
#else
  local T tile[TILE];
  const int tiles = 1 + pass.frame_x + pass.frame_y, frames = tiles * pass.across[1] * pass.across[2];
  if (group >= frames) stream(from, to, corner, &pass, group - frames, stage);
  // No barrier may stand under a condition: PoCL 3.1 goes wrong there. So all pass those of the frame.
  const Plane plane = PLANE(group < frames ? group / tiles : 0);
  frame(&plane, &pass, tile, group < frames ? group % tiles : -1);
#endif
}
