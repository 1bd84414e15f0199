// convert_pixels: pixels become samples, or samples pixels, where the passes of a transform take samples alone.
//
// Cost per sample: 1 global read and 1 write, a pass over memory that solvers which take pixels themselves do not need. One
// work-item per pair of neighbours. On an NVIDIA H200, 8192 x 8192 of 8 bits to or from 16 take 323 us, four times what the same
// bytes need: `streamed`, which takes pixels itself, lifts them by 5/3 in 63 (inverse 74).

#include "core/pass.cl"

#if PIXEL_BITS == 0
#error "PIXEL_BITS: the host says which pixels there are"
#endif

// The arguments besides the geometry.
typedef struct {
  int pairs;  // of a line
} Convert;

INLINE void convert_one(global S *pixel, global T *sample) {
#if FORWARD
  *sample = SAMPLE(NUMBER(*pixel));
#else
  *pixel = SAMPLE(NUMBER(*sample));
#endif
}

kernel void convert_pixels(global S *signal, global T *bands, global T *low, const Pass pass, const Convert own) {
  const int n = get_global_id(0) % own.pairs;
  const size_t index = get_global_id(0) / own.pairs;
  if (index >= pass.lines) return;
  const int3 at = place_of_line(&pass, index);
  global S *const pixel = signal + line_start(&pass.signal, &pass, at) + n * pass.signal.line.stride;
  global T *const sample = bands + line_start(&pass.bands, &pass, at) + n * pass.bands.line.stride;
  convert_one(pixel, sample);
  if (n < D_COUNT(pass.samples)) convert_one(pixel + pass.signal.line.detail, sample + pass.bands.line.detail);
}
