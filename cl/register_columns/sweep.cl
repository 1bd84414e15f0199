// A sweep along neighbouring lines that stand side by side: a pipeline in registers (core/ring.cl), as along y in
// `streamed`. Pairs are loaded PREFETCHED pairs before they are needed, so that many loads are under way.

#include "core/pass.cl"
#include "core/ring.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
#ifndef PREFETCHED
#error "PREFETCHED: pairs that are loaded ahead, a power of two, as RING is; the larger of the two is ROUND"
#endif

// What a work-item has of neighbouring lines: as they are loaded and stored, and to compute with.
#ifdef VECTOR
#define LINES VECTOR
#define LOADED_LINES LOADED_V
#define STORED_LINES STORED_V
#define AS_STORED SAMPLE_V
#define AS_NUMBERS NUMBER_V
#else
#define LINES 1
#define LOADED_LINES LOADED
#define STORED_LINES STORED
#define AS_STORED SAMPLE
#define AS_NUMBERS NUMBER
#endif

// --- loads -------------------------------------------------------------------------------------------

// Pair n of lines, which may be beyond the border.
INLINE void load_pair_of_columns(const LoadedLine *in, const Pass *pass, const int periodic, const int n,
                                 LOADED_LINES *pair) {
  const int samples = pass->samples;
  const bool is_inside = n >= 0 && n < D_COUNT(samples);
  const int s = is_inside ? n : place_to_load(2 * n, samples, periodic) >> 1;
  const int d = is_inside ? n : place_to_load(2 * n + 1, samples, periodic) >> 1;
  pair[0] = *(global const LOADED_LINES *)(in->s + s * in->s_stride);
  pair[1] = *(global const LOADED_LINES *)(in->d + d * in->d_stride);
}

// --- sweep -------------------------------------------------------------------------------------------

// Lifts the pairs from `from` to `to` of lines.
INLINE void sweep_columns(const LoadedLine *in, const StoredLine *out, const Pass *pass, const int periodic,
                          const int from, const int to) {
  LOADED_LINES prefetched[PREFETCHED][2];
  NUMBERS s[RING], d[RING];
  const int begin = from - REACH_LO, end = to + LAST_LAG, last = to + REACH_HI - 1;
  const Inside inside = inside_of(pass->samples, false);
  UNROLL for (int a = 0; a < PREFETCHED; ++a)
    load_pair_of_columns(in, pass, periodic, min(begin + a, last), prefetched[a]);
  UNROLL for (int i = 0; i < RING; ++i) s[i] = d[i] = (NUMBERS)0;

  for (int p = begin; p < end; p += ROUND) {
    UNROLL for (int phase = 0; phase < ROUND; ++phase) {
      const int newest = p + phase, done = newest - LAST_LAG;
      if (newest >= end) return;
      s[phase % RING] = SCALED_IN(AS_NUMBERS(prefetched[phase % PREFETCHED][0]), IN_s, pass->shift);
      d[phase % RING] = SCALED_IN(AS_NUMBERS(prefetched[phase % PREFETCHED][1]), IN_d, pass->shift);
      if (newest + PREFETCHED <= last)
        load_pair_of_columns(in, pass, periodic, newest + PREFETCHED, prefetched[phase % PREFETCHED]);
      lift_in_ring(s, d, 1, phase, newest, &inside, pass->boundary);
      if (done >= from) {
        *(global STORED_LINES *)(out->s + done * out->s_stride) =
            AS_STORED(SCALED_OUT(s[RING_AT(LAST_LAG)], OUT_s, pass->shift));
        if (done < D_COUNT(pass->samples))
          *(global STORED_LINES *)(out->d + done * out->d_stride) =
              AS_STORED(SCALED_OUT(d[RING_AT(LAST_LAG)], OUT_d, pass->shift));
      }
    }
  }
}
