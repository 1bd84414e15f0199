// streamed_two_levels: two levels in one pass over memory.
//
// As streamed_one_level, but the low band between the two levels never leaves the registers: what one level has done
// with a pair of rows is one row for the other. A work-item has PAIRS pairs of columns of the finer level, half as many
// of the coarser one.
//
// Both levels go on mirrored. Of a picture of even height, the M rows of the low band go on as s(M - 1 + k) = s(M - k),
// but mirrored itself the band should go on as s(M - 1 - k). So beyond row M - 1 the coarser level takes the row one
// further than its own (inverse: the finer one takes the row one nearer). The last segment sweeps bottom-up (inverse:
// top-down), and there this is the row that came just before. No other segment gets there: the last one has at least
// the 2 * REACH rows that the one before reads of it.
//
// Where sub-bands are INTERLEAVED, every other row has samples of both levels. What the finer one has for it (the HL
// band) goes through a delay line in local memory, where each work-item reads what it wrote itself. So a row is read
// and written once and whole. Coarser levels write every fourth sample and fewer of each such row, which is memory read
// and written in whole sectors.
//
// Two levels in one sweep are ours, after the register blocks of Enfedaque et al. 2015 and the single loop of Barina
// and Zemcik 2015.
//
// Cost per sample: 1 global read and 1 write for both levels, where two launches take 1.25 of each; the overlaps are
// three times as long as those of one level. Compiled for an NVIDIA H200, 9/7 in f32 takes 298 instructions for 16
// samples of the finer level (inverse 286) and 160 registers, so that 12 sub-groups of a compute unit are at work where
// one level has 16. Limited by waiting for memory, as few sub-groups are at work, and by the overlaps. Pictures of 2048
// x 2048 gain nothing.
//
// Of 8192 x 8192 by 9/7 in f32, forward and inverse, in us, on an NVIDIA H200, where a copy takes 130:
//
//                                         two levels   five levels
//   here                                 162 and 155   190 and 186
//   here, INTERLEAVED                    157 and 173   257 and 237
//   by a launch per level                192 and 195
//   with 16 sub-groups per compute unit                203 and 203
//   with 24                                            194 and 184
//
// Unless it says otherwise there are 12 sub-groups per compute unit. With 8, five levels took as long; 16 do not run at
// once.

#include "streamed/two_levels_forward.cl"
#include "streamed/two_levels_inverse.cl"

// The coarser level of a picture: its sub-bands lie where the finer one's low band would.
static inline Picture coarse_picture(const Picture *fine) {
  Picture picture = *fine;
  picture.width = S_COUNT(fine->width);
  picture.height = S_COUNT(fine->height);
  for (int n = 1; n < 4; ++n)
    picture.band_start[n] =
        (n & 1) * S_COUNT(picture.width) + (n >> 1) * picture.band_pitch[n] * S_COUNT(picture.height);
  return picture;
}

static inline OwnColumns coarse_columns(const OwnColumns *fine, const int width) {
  OwnColumns columns = *fine;
  columns.own = fine->own / 2;
  columns.loaded = fine->loaded / 2;
  columns.from = fine->from / 2;
  columns.to = fine->to / 2;
  columns.s_count = S_COUNT(width);
  columns.d_count = D_COUNT(width);
  return columns;
}

// Segments begin at even pairs of rows. Those that sweep bottom-up have the rows of the turned picture.
static inline Segment coarse_segment_of(const Segment *fine, const int height) {
  const bool up = fine->down < 0;
  const int from = up ? 1 - fine->to : fine->from, to = up ? 1 - fine->from : fine->to;
  return segment_of(fine->down, from / 2, (to + 1) / 2, height);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void streamed_two_levels(global S *signal, global T *bands, global T *low, const Pass pass, const Streamed own) {
  local T delayed[INTERLEAVED ? DELAYED_ROWS * GROUP * PAIRS : 1] __attribute__((aligned(32)));
  Picture fine;
  OwnColumns columns;
  Segment segment;
  if (!find_share(signal, bands, low, &pass, &own, get_group_id(0), &fine, &columns, &segment)) return;
  const Picture coarse = coarse_picture(&fine);
  const OwnColumns coarser = coarse_columns(&columns, coarse.width);
  const Segment coarse_segment = coarse_segment_of(&segment, coarse.height);
#if FORWARD
  sweep_forward(&fine, &coarse, &columns, &coarser, &segment, &coarse_segment, delayed);
#else
  sweep_inverse(&fine, &coarse, &columns, &coarser, &segment, &coarse_segment, delayed);
#endif
}
