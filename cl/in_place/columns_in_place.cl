// columns_in_place: lines in place, one work-item per segment of a line, for axes whose lines
// stand side by side in memory.
//
// A work-item sweeps along its segment, four pairs at a time. Its window is in registers: the four pairs and the reach
// around them, of which the next position keeps what both need as it was before it was lifted (the sliding window of
// van der Laan et al. 2011, each column for itself). What comes next is loaded before results are stored.
//
// Cost per sample: 1 global read and 1 write; no barrier, no local memory; 4 * SEAM_PAIRS + 16 samples in registers.
// Limited by global memory, as long as there are work-items enough to wait for it.

#include "in_place/segments.cl"
#include "separable/pairs.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif

// Loads four pairs.
INLINE void load_pairs_of(const LineSegment *segment, global const T *saved, const Pass *pass, const Segments *own,
                          const int first, T *s, T *d) {
  const Line *const line = &segment->line;
  if (first + PAIRS_LIFTED <= segment->stop) {
    UNROLL for (int j = 0; j < PAIRS_LIFTED; ++j) {
      s[j] = line->s[(first + j) * line->s_stride];
      d[j] = line->d[(first + j) * line->d_stride];
    }
  } else {
    UNROLL for (int j = 0; j < PAIRS_LIFTED; ++j) {
      s[j] = sample_after(segment, saved, pass, own, first + j, 0);
      d[j] = sample_after(segment, saved, pass, own, first + j, 1);
    }
  }
}

// Lifts the inside of a segment.
INLINE void sweep(const LineSegment *segment, global const T *saved, const Pass *pass, const Segments *own) {
  const Line line = segment->line;
  A s[PAIRS_LOADED], d[PAIRS_LOADED], kept_s[SEAM_PAIRS + 1], kept_d[SEAM_PAIRS + 1];
  T loaded_s[PAIRS_LIFTED], loaded_d[PAIRS_LIFTED];
  UNROLL for (int j = 0; j < SEAM_PAIRS; ++j) {
    kept_s[j] = SCALED_IN(NUMBER(sample_before(segment, saved, pass, own, j, 0)), IN_s, pass->shift);
    kept_d[j] = SCALED_IN(NUMBER(sample_before(segment, saved, pass, own, j, 1)), IN_d, pass->shift);
  }
  load_pairs_of(segment, saved, pass, own, segment->start + SEAM_PAIRS, loaded_s, loaded_d);
  for (int p = segment->start; p < segment->stop; p += PAIRS_LIFTED) {
    UNROLL for (int j = 0; j < SEAM_PAIRS; ++j) s[j] = kept_s[j], d[j] = kept_d[j];
    UNROLL for (int j = 0; j < PAIRS_LIFTED; ++j) {
      s[SEAM_PAIRS + j] = SCALED_IN(NUMBER(loaded_s[j]), IN_s, pass->shift);
      d[SEAM_PAIRS + j] = SCALED_IN(NUMBER(loaded_d[j]), IN_d, pass->shift);
    }
    UNROLL for (int j = 0; j < SEAM_PAIRS; ++j) kept_s[j] = s[PAIRS_LIFTED + j], kept_d[j] = d[PAIRS_LIFTED + j];
    if (p + PAIRS_LIFTED < segment->stop)
      load_pairs_of(segment, saved, pass, own, p + PAIRS_LIFTED + SEAM_PAIRS, loaded_s, loaded_d);

    compute_pairs(s, d);
    UNROLL for (int j = 0; j < PAIRS_LIFTED; ++j) {
      const int done = p + REACH_LO + j;
      if (p + j < segment->stop) {
        line.s[done * line.s_stride] = SAMPLE(SCALED_OUT(s[REACH_LO + j], OUT_s, pass->shift));
        line.d[done * line.d_stride] = SAMPLE(SCALED_OUT(d[REACH_LO + j], OUT_d, pass->shift));
      }
    }
  }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SMALL_SUB_GROUPS
void columns_in_place(global T *array, global T *same, global T *saved, const Pass pass, const Segments own) {
  const uint lines = pass.lines;
  const int group = (int)get_group_id(0) - own.border_groups;
  const uint item = (uint)(group < 0 ? -1 - group : group) * GROUP + get_local_id(0);
  const int index = item % lines, number = item / lines;
  if (number >= (group < 0 ? 1 : own.segments)) return;
  const LineSegment segment = segment_of_line(array, &pass, &own, index, number);
  const bool has_border = group < 0 || own.segments == 1;
  A s[2 * BORDER], d[2 * BORDER];
  if (has_border) lift_ends(array, saved, pass, own, index, s, d);
  if (group >= 0) sweep(&segment, saved, &pass, &own);
  if (has_border) store_joined(s, d, ends_of(pass.samples), segment.line);
}
