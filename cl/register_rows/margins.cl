// What stands in local memory beyond the border of a row, where it goes on as the boundary rule says.

#include "register_rows/places.cl"

#if BY_STEPS
#ifndef RULE
#error "RULE: the boundary rule of rows that go step by step"
#endif
#define RULE_OF_STEPS RULE
#else
#define RULE_OF_STEPS SYMMETRIC  // No row asks for it.
#endif

// Fills the margins of `channels` channels from `first` on: for one step by the rule, or for all steps of a level, of a
// row that is periodic or else mirrored.
#define IN_MARGINS (REACH_LO + REACH_HI + 1)
INLINE void fill_margins(local L *line, local L *details, const int item, const int first, const int channels,
                         const int samples, const int periodic, const bool for_a_step) {
  UNROLL for (int next = 0; next < channels * IN_MARGINS; next += ROW_ITEMS) {
    if (next + item >= channels * IN_MARGINS) continue;
    const int channel = first + (next + item) / IN_MARGINS, k = (next + item) % IN_MARGINS;
    const int i = k < REACH_LO ? k - REACH_LO : COUNT_OF(channel, samples) + k - REACH_LO;
    const int place = 2 * i + channel;
    const int from = for_a_step ? 2 * map_index(RULE_OF_STEPS, channel, i, samples) + channel
                                : place_inside(place, samples, periodic);
    UNLIFTED_OF_ROW(place) = UNLIFTED_OF_ROW(from);
  }
}
