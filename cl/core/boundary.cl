// What a step reads outside the line, by the boundary rule; a rule's number is its place in Boundary::ALL.

#include "core/wavelet.cl"

#define SYMMETRIC 0
#define PERIODIC 1
#define CLAMP 2
#define ZERO 3

// How a picture that is extended once goes on beyond its border: Extension::new in src/lifting/extension.rs chooses,
// and has the same numbers. NONE: the border is lifted apart (zeros beyond the border; odd lines that repeat;
// asymmetric steps under the symmetric rule or clamp; pictures whose axes differ or are tiny). MIRRORED, PERIODIC:
// samples beyond the border are copies of inner ones, and that is all. CLAMPED: the outermost sample of each channel is
// repeated anew after every step.
#define EXTENSION_NONE 0
#define EXTENSION_MIRRORED 1
#define EXTENSION_PERIODIC 2
#define EXTENSION_CLAMPED 3

// The same place in the first of the periods after which a line repeats.
INLINE int place_in_period(const int place, const int period) {
  const int rest = place % period;
  return rest < 0 ? rest + period : rest;
}

// abs() of a number that the compiler may know. For abs() itself NVIDIA's writes inline assembler, which it does not
// see through, so that arrays stay in memory whose places it could know: three levels along the first axis of
// 8 x 524288 in f64 take 45 us by it instead of 19 (H200). Not so in kernels for CPUs, which work on vectors: by a
// condition 1023 x 1025 that repeats takes `single_loop` 1.5 times as long (PoCL 3.1).
#ifdef VECTOR
INLINE int magnitude(const int n) { return (int)abs(n); }
#else
INLINE int magnitude(const int n) { return n < 0 ? -n : n; }
#endif

// Where channel `parity` (0: s, 1: d) of a line of `samples` samples is read when its sample `index`, which may lie
// outside, is wanted; -1 where the value is zero.
INLINE int map_index(const int boundary, const int parity, const int index, const int samples) {
  const int count = COUNT_OF(parity, samples);
  if (index >= 0 && index < count) return index;
  if (boundary == SYMMETRIC) {
    const int last = samples - 1;
    int place = magnitude(2 * index + parity);
    if (place > last) place = magnitude(2 * last - place);
    // Lines shorter than a step reaches.
    if (place > last) {
      const int period = max(2 * last, 1);
      place %= period;
      place = min(place, period - place);
    }
    return (place - parity) / 2;
  }
  if (boundary == PERIODIC) {
    const int place = index < 0 ? index + count : index - count;
    return place >= 0 && place < count ? place : place_in_period(index, count);
  }
  if (boundary == CLAMP) return clamp(index, 0, count - 1);
  return -1;  // ZERO
}

// The place that stands for one which may lie beyond an axis by no more than its length, where it is mirrored.
INLINE int mirrored_at(const int place, const int last) { return last - magnitude(last - magnitude(place)); }

// The place in a signal of `samples` samples that stands for one beyond its border, where the signal is extended once:
// mirrored or periodic.
INLINE int place_inside(const int place, const int samples, const int periodic) {
  const int last = samples - 1;
  int inside = periodic ? (place < 0 ? place + samples : place - samples) : (place < 0 ? -place : 2 * last - place);
  // Signals shorter than a step reaches.
  if (inside < 0 || inside > last) {
    const int period = periodic ? samples : max(2 * last, 1);
    inside = place_in_period(place, period);
    inside = periodic ? inside : min(inside, period - inside);
  }
  return inside;
}

// The same for a place that may be inside.
INLINE int place_in_signal(const int place, const int samples, const int periodic) {
  return place >= 0 && place < samples ? place : place_inside(place, samples, periodic);
}

// The next sample of a channel on the way out of a line, where steps need more than a signal extended once (clamp,
// zero).
INLINE A beyond_border(const int boundary, const A inner) { return boundary == ZERO ? (A)0 : inner; }

// Sets what a step reads beyond both ends of a channel of `count` numbers, in a run of `length`, `stride` apart,
// from number `first` on, of which the first `halo` are no results of the run. Where it has any results, nothing of
// these is past the end, and nothing of the rest is before the beginning. (Where both were compared everywhere,
// registers of Fidelity went to memory on Intel's pvc.)
INLINE void set_beyond(A *channel, const int stride, const int halo, const int length, const int first, const int count,
                       const int boundary) {
  UNROLL for (int n = halo - 1; n >= 0; --n)
    if (first + n < 0) channel[n * stride] = beyond_border(boundary, channel[(n + 1) * stride]);
  UNROLL for (int n = halo; n < length; ++n)
    if (first + n >= count) channel[n * stride] = beyond_border(boundary, channel[max(n - 1, 0) * stride]);
}
