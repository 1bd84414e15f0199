// A pipeline in the registers of one work-item, over a stream of pairs: step k runs LAG_k pairs behind the newest.
//
// The newest RING pairs are kept in a ring; `phase` is where the newest is. Loops over the phases are unrolled, so that
// every index is constant, the ring stays in registers and nothing is moved. A pair has `width` numbers of each
// channel, of as many lines side by side. The border is lifted like the inside, of lines that go on beyond it.

#include "core/boundary.cl"
#include "core/samples.cl"

#ifndef RING
#error "RING: pairs that stay in registers, at least KEPT"
#endif
#ifndef ROUND
#error "ROUND: turns of the loop over the phases: as many as the ring has pairs, or half or a multiple of them"
#endif
#ifndef RESTORED
#error "RESTORED: 1 where samples beyond the border follow the rule anew at every step; else mirrored or periodic"
#endif

// Where the sample is that is loaded for one at `place`, which may be beyond the border. Where those are RESTORED, it
// is the nearest one of the same channel, which zeros replace in the ring.
INLINE int place_to_load(const int place, const int samples, const int periodic) {
  if (!RESTORED) return place_in_signal(place, samples, periodic);
  const int parity = place & 1, count = COUNT_OF(parity, samples);
  return 2 * clamp(place >> 1, 0, count - 1) + parity;
}

// Where the pair is in the ring that is `age` pairs behind the newest, and where its number i is.
#define RING_AT(age) ((phase + RING - (age)) % RING)
#define IN_RING(age) (RING_AT(age) * width + i)

// The pairs of each channel that the lines have, from the first one to behind the last.
typedef struct {
  int s_first, s_end, d_first, d_end;
} Inside;

// Those of lines of `samples` samples; of lines that are swept backwards, as if they stood the other way round about
// their first sample.
static inline Inside inside_of(const int samples, const bool backwards) {
  const Inside forwards = {0, S_COUNT(samples), 0, D_COUNT(samples)};
  const Inside turned = {1 - S_COUNT(samples), 1, -D_COUNT(samples), 0};
  return backwards ? turned : forwards;
}

// Sets what steps read of a channel beyond the border, when its pair `lag` behind the newest has changed: zeros, or the
// outermost pair. The first one is copied to all older places, each place after the last one gets what is before it.
// Where that has left the ring, no step reads what is copied.
//
// Whoever sweeps over the first pair begins REACH_LO pairs before it, and nobody else reads beyond it: segments have at
// least as many pairs. So the first pair can only come up in one phase, or in the next one (backwards, of an even
// length). Where every phase looks out for it, far from the border too, VC-2's 13/7 takes up to 1.13 times as long in
// `streamed`, Fidelity 1.09 to 1.15 (NVIDIA H200).
INLINE void restore_in_ring(NUMBERS *channel, const int width, const int lag, const int phase, const int newest,
                            const int first, const int end, const int boundary) {
  const int n = newest - lag;
  const bool may_be_first = ((phase - REACH_LO - lag) % ROUND + 2 * ROUND) % ROUND < 2;
  if (boundary == ZERO) {
    if (n < first || n >= end) UNROLL for (int i = 0; i < width; ++i) channel[IN_RING(lag)] = (NUMBERS)0;
  } else {
    if (may_be_first && n == first)
      UNROLL for (int age = lag + 1; age < KEPT; ++age)
        UNROLL for (int i = 0; i < width; ++i) channel[IN_RING(age)] = channel[IN_RING(lag)];
    if (n >= end) UNROLL for (int i = 0; i < width; ++i) channel[IN_RING(lag)] = channel[IN_RING(lag + 1)];
  }
}

#define PIPED_s(offset) s[IN_RING(lag - (offset))]
#define PIPED_d(offset) d[IN_RING(lag - (offset))]
#define PIPED_STEP(k, target, source, first, last, before, after)                                                 \
  { const int lag = LAG_##k;                                                                                      \
    UNROLL for (int i = 0; i < width; ++i) target[IN_RING(lag)] = LIFT_##k(target[IN_RING(lag)], PIPED_##source); \
    if (RESTORED && near_border)                                                                                  \
      restore_in_ring(target, width, lag, phase, newest, inside->target##_first, inside->target##_end, boundary); }

// Runs every step once, when pair `newest` of the lines has come into the ring.
INLINE void lift_in_ring(NUMBERS *s, NUMBERS *d, const int width, const int phase, const int newest,
                         const Inside *inside, const int boundary) {
  const bool near_border = newest <= inside->s_first + LAST_LAG || newest >= inside->d_end;
  // A level shift, or the bias of a step along another axis, would not leave zeros that were loaded what they are.
  if (RESTORED && boundary == ZERO) {
    restore_in_ring(s, width, 0, phase, newest, inside->s_first, inside->s_end, boundary);
    restore_in_ring(d, width, 0, phase, newest, inside->d_first, inside->d_end, boundary);
  }
  LIFT_STEPS(PIPED_STEP)
}
