// rows_in_place: lines in place, each segment by ROWS_X work-items, for the axis whose samples
// are neighbours in memory.
//
// ROWS_Y segments go side by side. A work-group sweeps along them, a tile of ROWS_X * 4 pairs of each at a time.
// Samples travel between global and local memory in their order; each work-item lifts its four pairs in registers
// (Blazewicz et al. 2012). Of the tile before, the pairs that both need stay in local memory as they were before they
// were lifted (the row pass in place of van der Laan et al. 2011, cut into segments).
//
// Cost per sample: 1 global read and 1 write; four barriers per tile; 9 samples of local memory per work-item.
// Limited by local memory traffic: each sample goes in, is read 1 + reach / 4 times, goes in again and out.

#include "in_place/segments.cl"
#include "separable/pairs.cl"

#if !defined(ROWS_X) || !defined(ROWS_Y)
#error "ROWS_X, ROWS_Y: work-items of a work-group along a segment, and its segments"
#endif

// Samples of a tile, but for those kept of the tile before, which precede them; as many per work-item as it lifts.
#define SHARE (2 * PAIRS_LIFTED)
#define TILE_SAMPLES (SHARE * ROWS_X)
#define KEPT_SAMPLES (2 * SEAM_PAIRS)
// One unused place after every eight keeps neighbouring work-items, eight apart, in different banks.
#define PLACE_OF_SAMPLE(i) ((i) + (i) / SHARE)
// Which sample of a tile a work-item moves in turn k: neighbours go together.
#define MOVED(k) (x + (k) * ROWS_X)

INLINE L scaled_in(const T v, const int channel, const int shift) {
  return channel ? SCALED_IN(NUMBER(v), IN_d, shift) : SCALED_IN(NUMBER(v), IN_s, shift);
}

// A tile's new samples are those from pair `first` on: so many of the segment's own, then, in the last tile,
// those of the seam after it.
INLINE int own_samples(const LineSegment *segment, const int first) { return 2 * (segment->stop - first); }

// Loads a tile's new samples while the tile before is lifted. Within a row, places fit 32 bits:
// its samples are neighbours.
INLINE void load_tile_of(const LineSegment *segment, const int x, const int first, T *loaded) {
  const int apart = (int)segment->line.s_stride / 2, own = own_samples(segment, first);
  UNROLL for (int k = 0; k < SHARE; ++k)
    loaded[k] = MOVED(k) < own ? segment->line.s[(2 * first + MOVED(k)) * apart] : (T)0;
}

// Puts a tile's new samples after those that were kept.
INLINE void fill_tile(const LineSegment *segment, global const T *saved, const Pass *pass, const Segments *own, const int x,
                      const int first, const T *loaded, local L *tile) {
  const int seam = own_samples(segment, first);
  UNROLL for (int k = 0; k < SHARE; ++k) {
    if (MOVED(k) < seam || MOVED(k) >= seam + KEPT_SAMPLES)
      tile[PLACE_OF_SAMPLE(KEPT_SAMPLES + MOVED(k))] = scaled_in(loaded[k], MOVED(k) % 2, pass->shift);
  }
  for (int i = max(seam, 0) + x; i < min(seam + KEPT_SAMPLES, TILE_SAMPLES); i += ROWS_X) {
    const T v = sample_after(segment, saved, pass, own, first + i / 2, i % 2);
    tile[PLACE_OF_SAMPLE(KEPT_SAMPLES + i)] = scaled_in(v, i % 2, pass->shift);
  }
}

// Lifts the four pairs of each work-item. The results take the places of the tile's new samples, those of the first
// pairs after the pairs that the next tile needs.
INLINE void lift_tile_pairs(local L *tile, const int x, const int shift) {
  A s[PAIRS_LOADED], d[PAIRS_LOADED];
  L kept[KEPT_SAMPLES + 1];
  UNROLL for (int j = 0; j < PAIRS_LOADED; ++j) {
    s[j] = tile[PLACE_OF_SAMPLE(SHARE * x + 2 * j)];
    d[j] = tile[PLACE_OF_SAMPLE(SHARE * x + 2 * j + 1)];
  }
  UNROLL for (int j = 0; j < SEAM_PAIRS; ++j) kept[2 * j] = s[PAIRS_LIFTED + j], kept[2 * j + 1] = d[PAIRS_LIFTED + j];
  compute_pairs(s, d);
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLL for (int j = 0; j < PAIRS_LIFTED; ++j) {
    tile[PLACE_OF_SAMPLE(KEPT_SAMPLES + SHARE * x + 2 * j)] = SCALED_OUT(s[REACH_LO + j], OUT_s, shift);
    tile[PLACE_OF_SAMPLE(KEPT_SAMPLES + SHARE * x + 2 * j + 1)] = SCALED_OUT(d[REACH_LO + j], OUT_d, shift);
  }
  // What the next tile needs of this one is what its last work-item had.
  if (x == ROWS_X - 1) {
    UNROLL for (int i = 0; i < KEPT_SAMPLES; ++i) tile[PLACE_OF_SAMPLE(i)] = kept[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

kernel __attribute__((reqd_work_group_size(ROWS_X, ROWS_Y, 1))) SMALL_SUB_GROUPS
void rows_in_place(global T *array, global T *same, global T *saved, const Pass pass, const Segments own) {
  local L tiles[ROWS_Y][PLACE_OF_SAMPLE(KEPT_SAMPLES + TILE_SAMPLES)];
  const int x = get_local_id(0), y = get_local_id(1);
  local L *const tile = tiles[y];
  // The first work-groups pass the barriers of a tile that is stored nowhere.
  const int group = (int)get_group_id(0) - own.border_groups, flat = y * ROWS_X + x;
  const uint item = max(group, 0) * ROWS_Y + y, segments = own.segments;
  const int index = item / segments, number = item % segments;
  const bool exists = group >= 0 && index < pass.lines;
  LineSegment segment = segment_of_line(array, &pass, &own, exists ? index : 0, number);
  if (!exists) segment.stop = segment.start - SEAM_PAIRS;  // nothing is read then
  const int apart = (int)segment.line.s_stride / 2;

  // The line whose border this work-item does.
  const int border = group < 0 ? (-1 - group) * (ROWS_X * ROWS_Y) + flat : group * ROWS_Y + flat;
  const bool has_border = (group < 0 || (own.segments == 1 && flat < ROWS_Y)) && border < pass.lines;
  A s[2 * BORDER], d[2 * BORDER];
  if (has_border) lift_ends(array, saved, pass, own, border, s, d);

  for (int i = x; i < KEPT_SAMPLES; i += ROWS_X) {
    const T v = exists ? sample_before(&segment, saved, &pass, &own, i / 2, i % 2) : 0;
    tile[PLACE_OF_SAMPLE(i)] = scaled_in(v, i % 2, pass.shift);
  }
  T loaded[SHARE];
  int start = segment.start;
  load_tile_of(&segment, x, start + SEAM_PAIRS, loaded);
  const int end = start + (group < 0 ? 1 : own.pairs_per_segment);
  // PoCL 3.1 goes wrong with barriers in a loop that may be skipped.
  do {
    fill_tile(&segment, saved, &pass, &own, x, start + SEAM_PAIRS, loaded, tile);
    // Whatever others read of what this work-item will overwrite has arrived.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    load_tile_of(&segment, x, start + TILE_SAMPLES / 2 + SEAM_PAIRS, loaded);
    lift_tile_pairs(tile, x, pass.shift);

    const int count = 2 * (segment.stop - start);
    UNROLL for (int k = 0; k < SHARE; ++k) {
      if (MOVED(k) < count)
        segment.line.s[(2 * (start + REACH_LO) + MOVED(k)) * apart] = SAMPLE(tile[PLACE_OF_SAMPLE(KEPT_SAMPLES + MOVED(k))]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    start += TILE_SAMPLES / 2;
  } while (start < end);
  if (has_border) store_joined(s, d, ends_of(pass.samples), signal_line(array, &pass, border));
}
