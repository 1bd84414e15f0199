// convert_pixels: pixels become samples, or samples pixels, where the passes of a transform take samples alone.
//
// Cost per sample: 1 global read and 1 write, a pass over memory that strategies which take pixels themselves do not
// need. A work-item takes 16 bytes of samples, or one sample where the lines are not in aligned vectors. On an NVIDIA
// H200, 8192 x 8192 of 8 bits take 59 us to 16 bits and 64 back, to floats 103 and 108: the bytes alone, at the rate of
// a copy, 51 and 86. Vectors twice as long take 107 us and 53, to floats 92 and 82; words instead of 16-bit samples,
// and work-groups of 128, as long.

#include "core/pass.cl"

#if PIXEL_BITS == 0
#error "PIXEL_BITS: the host says which pixels there are"
#endif
// VECTOR: samples of a work-item, neighbours in aligned vectors on both sides; undefined for one.
#ifdef VECTOR
#define PART VECTOR
#else
#define PART 1
#endif

// The arguments besides the geometry.
typedef struct {
  int parts;  // of a line, one for a work-item
} Convert;

kernel void convert_pixels(global S *signal, global T *bands, global T *low, const Pass pass, const Convert own) {
  const size_t index = pass.lines == 1 ? 0 : get_global_id(0) / own.parts;
  const long first = (get_global_id(0) - index * own.parts) * PART;
  if (index >= pass.lines || first >= pass.samples) return;
  const int3 at = place_of_line(&pass, index);
  const long in_signal = pass.signal.line.detail, in_bands = pass.bands.line.detail;
  global S *const pixels = signal + line_start(&pass.signal, &pass, at) + first * in_signal;
  global T *const samples = bands + line_start(&pass.bands, &pass, at) + first * in_bands;
#if FORWARD
  global const S *const from = pixels;
  global T *const to = samples;
  const long from_stride = in_signal, to_stride = in_bands;
#else
  global const T *const from = samples;
  global S *const to = pixels;
  const long from_stride = in_bands, to_stride = in_signal;
#endif
#ifdef VECTOR
  if (first + VECTOR <= pass.samples) {
    *(global STORED_V *)to = SAMPLE_V(NUMBER_V(*(global const LOADED_V *)from));
    return;
  }
#endif
  for (long i = 0; i < min((long)PART, pass.samples - first); ++i) to[i * to_stride] = SAMPLE(NUMBER(from[i * from_stride]));
}
