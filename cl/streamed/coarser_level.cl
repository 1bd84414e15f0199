// What both directions of `streamed_two_levels` have of the coarser level: its words, its turns, and where what the finer level has
// for its rows waits.

#include "streamed/rows.cl"

#ifndef COARSE_VECTOR
#error "COARSE_VECTOR: samples in a vector of a sub-band of the coarser level"
#endif
#if INTERLEAVED && !defined(WAITING)
#error "WAITING: rows of which samples wait in local memory, a power of two"
#endif

#define COARSE_PAIRS (PAIRS / 2)
#if FORWARD
#define IN_COARSE_WORD IN_STORED_WORD
#else
#define IN_COARSE_WORD IN_WORD
#endif
#define COARSE_WORDS (COARSE_PAIRS / IN_COARSE_WORD)

// The coarser level has half the turns. Where its ring is of even length, a round is one of the finer ring, and the coarser
// ring is moved between rounds. Rounds of twice the length would move nothing, but be twice the code: an NVIDIA H200 then
// takes 1.02 times as long for 9/7, and its compiler 1.6 times for five levels.
#define PHASES (RING % 2 == 0 ? RING : 2 * RING)

// A vector's worth of words of the coarser level.
#define COARSE_SIZE (COARSE_VECTOR / IN_COARSE_WORD)

#if INTERLEAVED
// Where the HL samples of pair p of rows wait that this work-item has.
INLINE local T *waiting_at(local T *waiting, const int p) {
  return waiting + ((p & (WAITING - 1)) * GROUP + get_local_id(0)) * PAIRS;
}
#if PAIRS == 4
#define WAITING_VECTOR JOIN(T, 4)
INLINE void let_wait(const T *from, local T *to) { *(local WAITING_VECTOR *)to = vload4(0, from); }
INLINE void take_waiting(local const T *from, T *to) { vstore4(*(local const WAITING_VECTOR *)from, 0, to); }
#else
INLINE void let_wait(const T *from, local T *to) { UNROLL for (int n = 0; n < PAIRS; ++n) to[n] = from[n]; }
INLINE void take_waiting(local const T *from, T *to) { UNROLL for (int n = 0; n < PAIRS; ++n) to[n] = from[n]; }
#endif
#endif
