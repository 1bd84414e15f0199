// A short line, or a vector of them side by side, through all its levels in the registers of one work-item. The
// compiler knows how long it is and by which rule it goes on, so that what a step reads beyond an end is known as well.

#include "core/joined_line.cl"

#if !JOINED_SAMPLES || !defined(LEVELS) || LEVELS > 7
#error "JOINED_SAMPLES, LEVELS: samples of a line, and its levels, 7 at most"
#endif
#ifndef RULE
#error "RULE: the boundary rule"
#endif

// The samples of a line, what is left of it when a level begins, and after the last one.
#define LINE_SAMPLES JOINED_SAMPLES
#define SAMPLES_OF_LEVEL(level) HALVED(LINE_SAMPLES, (level) - 1)
#define LOWS_OF_LINE HALVED(LINE_SAMPLES, LEVELS)

// The levels from the finest to the coarsest and back.
#define EACH_SHORT_LEVEL(DO) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define EACH_SHORT_LEVEL_BACK(DO) DO(7) DO(6) DO(5) DO(4) DO(3) DO(2) DO(1)

// Lifts the first `samples` samples of a line, and leaves its details behind its approximations; the inverse the other
// way round.
INLINE void lift_short_level(NUMBERS *line, const int samples, const Pass pass) {
  const Ends ends = {0, samples, S_COUNT(samples), D_COUNT(samples)};
  NUMBERS s[2 * BORDER], d[2 * BORDER];
  UNROLL for (int j = 0; j < ends.s_count; ++j) s[j] = line[FORWARD ? 2 * j : j];
  UNROLL for (int j = 0; j < ends.d_count; ++j) d[j] = line[FORWARD ? 2 * j + 1 : ends.s_count + j];
  lift_joined(s, d, ends, pass);
  UNROLL for (int j = 0; j < ends.s_count; ++j) line[FORWARD ? j : 2 * j] = s[j];
  UNROLL for (int j = 0; j < ends.d_count; ++j) line[FORWARD ? ends.s_count + j : 2 * j + 1] = d[j];
}

// Moves the details of a level, which are behind its approximations in a line.
#define EACH_DETAIL(level, MOVE)                                               \
  if (level <= LEVELS) {                                                       \
    NUMBERS *const details = line + S_COUNT(SAMPLES_OF_LEVEL(level));          \
    UNROLL for (int j = 0; j < D_COUNT(SAMPLES_OF_LEVEL(level)); ++j) { MOVE } \
  }
#define LIFT_SHORT_LEVEL(level) \
  if (level <= LEVELS) lift_short_level(line, SAMPLES_OF_LEVEL(level), pass);
