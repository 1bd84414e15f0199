// The first and the last pairs of a line, joined to a short line with the same two borders.

#include "core/wavelet.cl"

#ifndef BORDER
#error "BORDER: how many pairs at each end of a line are joined"
#endif
// Samples of the joined line; 0 where they are known at run time only.
#ifndef JOINED_SAMPLES
#define JOINED_SAMPLES 0
#endif

// What the joined line is made of: the pairs left out between its ends, its samples, and those of each channel.
typedef struct {
  int gap, samples, s_count, d_count;
} Ends;

static inline Ends ends_of(const int samples) {
  const int gap = max(S_COUNT(samples) - 2 * BORDER, 0);
  const int joined = JOINED_SAMPLES > 0 ? JOINED_SAMPLES : samples - 2 * gap;
  const Ends ends = {gap, joined, S_COUNT(joined), D_COUNT(joined)};
  return ends;
}

// Which pair of the whole line pair j of the joined line is, and whether its result is valid there.
INLINE int pair_of_line(const Ends ends, const int j) { return j < BORDER ? j : j + ends.gap; }
INLINE bool is_result(const Ends ends, const int j) {
  return ends.gap == 0 || j < REACH_LO || j >= ends.s_count - REACH_HI - 1;
}
