// What both directions of `streamed_two_levels` share of the coarser level: how its sub-bands go by words, how its ring
// of rows goes with that of the finer level, and, where sub-bands are INTERLEAVED, the delay line in local memory: what
// the finer level has for rows of both levels stays there until the coarser one stores them (inverse: from when the
// coarser one has loaded them until the finer one gets there).

#include "streamed/rows.cl"

#ifndef COARSE_VECTOR
#error "COARSE_VECTOR: samples in a vector of a sub-band of the coarser level"
#endif
#if INTERLEAVED && !defined(DELAYED_ROWS)
#error "DELAYED_ROWS: rows of the delay line, a power of two"
#endif
#if PAIRS != 4
#error "PAIRS: two levels at once have registers for 4"
#endif

#define COARSE_PAIRS (PAIRS / 2)
#if FORWARD
#define IN_COARSE_WORD IN_STORED_WORD
#else
#define IN_COARSE_WORD IN_WORD
#endif
#define COARSE_WORDS (COARSE_PAIRS / IN_COARSE_WORD)

// The coarser level takes in a pair of rows where the finer one takes in two. Where its ring is of even length, a round
// is one of the finer ring, and the coarser ring is moved between rounds. Rounds of twice the length would move
// nothing, but be twice the code: an NVIDIA H200 then takes 1.02 times as long for 9/7, and its compiler 1.6 times for
// five levels.
#define PHASES (RING % 2 == 0 ? RING : 2 * RING)

// A vector's worth of words of the coarser level.
#define COARSE_SIZE (COARSE_VECTOR / IN_COARSE_WORD)

#if INTERLEAVED
// Where this work-item has the HL samples of pair p of rows in the delay line.
INLINE local T *delayed_at(local T *delayed, const int p) {
  return delayed + ((p & (DELAYED_ROWS - 1)) * GROUP + get_local_id(0)) * PAIRS;
}
INLINE void delay_row(const T *from, local T *to) { *(local JOIN(T, 4) *)to = vload4(0, from); }
INLINE void take_delayed(local const T *from, T *to) { vstore4(*(local const JOIN(T, 4) *)from, 0, to); }
#endif
