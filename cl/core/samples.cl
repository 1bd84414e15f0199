// Samples between memory and the steps: the one place that knows how each type is stored.
//
//   S                     the type on the signal side: T, or that of pixels
//   LOADED, STORED        the types that a pass reads and writes: forward S and T, inverse T and S
//   NUMBER(v), SAMPLE(v)  a loaded sample as the number that the steps compute with, and a number as a stored sample, rounded
//                         to the nearest and of two that are as near to the even one
//   AV, TV                vectors of VECTOR numbers to compute with, of as many samples of type T
//   LOADED_V, STORED_V    the same of loaded and of stored samples
//   NUMBER_V(v)           NUMBER of a vector of loaded samples
//   SAMPLE_V(v)           SAMPLE of a vector of numbers
// A half or a rounded sample has 16 bits in memory, computes in floats, and waits as a float between two steps, in
// local memory too (L): so it is rounded only where an array is written. Halves overflow to infinity; rounded samples
// and pixels saturate, and NaN becomes 0. None of them needs cl_khr_fp16.

#include "core/wavelet.cl"

#if !defined(L) || !defined(HALF) || !defined(ROUNDED)
#error "the prelude defines L, HALF and ROUNDED"
#endif
// Bits of the unsigned pixels on the signal side of this pass, 8 or 16, and what is taken from each; 0 bits of samples.
#ifndef PIXEL_BITS
#define PIXEL_BITS 0
#define LEVEL_SHIFT 0
#endif

#if PIXEL_BITS == 8
#define S uchar
#elif PIXEL_BITS == 16
#define S ushort
#else
#define S T
#endif
#define LARGEST_PIXEL ((1 << PIXEL_BITS) - 1)
// Bits of a sample in memory, and of what stands on the signal side.
#define SAMPLE_BITS (SHORT ? 16 : DOUBLE ? 64 : 32)
#define SIGNAL_BITS (PIXEL_BITS ? PIXEL_BITS : SAMPLE_BITS)
#if FORWARD
#define LOADED S
#define LOADED_BITS SIGNAL_BITS
#define STORED T
#define STORED_BITS SAMPLE_BITS
#else
#define LOADED T
#define LOADED_BITS SAMPLE_BITS
#define STORED S
#define STORED_BITS SIGNAL_BITS
#endif

// --- numbers -----------------------------------------------------------------------------------------

#if HALF
INLINE float number_of_half(const short bits) { return vload_half(0, (const half *)&bits); }
INLINE short half_of_number(const float v) {
  short bits;
  vstore_half_rte(v, 0, (half *)&bits);
  return bits;
}
#endif
// A number within the range of pixels; fmax takes NaN for 0.
#if INTEGER
#define NEAREST_PIXEL(v, N) (clamp(v, (N)-LEVEL_SHIFT, (N)(LARGEST_PIXEL - LEVEL_SHIFT)) + (N)LEVEL_SHIFT)
#else
#define NEAREST_PIXEL(v, N) rint(fmin(fmax((v) + (N)LEVEL_SHIFT, (N)0), (N)LARGEST_PIXEL))
#endif

#if FORWARD && PIXEL_BITS
#define NUMBER(v) ((A)(v) - (A)LEVEL_SHIFT)
#elif HALF
#define NUMBER(v) number_of_half(v)
#else
#define NUMBER(v) ((A)(v))
#endif

#if !FORWARD && PIXEL_BITS
#define SAMPLE(v) ((S)NEAREST_PIXEL(v, A))
#elif HALF
#define SAMPLE(v) half_of_number(v)
#elif ROUNDED
// On an NVIDIA H200, five levels of 8192 x 8192 by 9/7 take 130 us (inverse 121) by these conversions; by a sum with
// 2^23 + 2^22 and a clamp of its bits 143 (128), and with a way of the same kind to load 150 (131). By NVIDIA's own
// cvt.pack.sat, two numbers at once, two levels take 121 registers instead of 135, and as long.
#define SAMPLE(v) convert_short_sat_rte(v)
#else
#define SAMPLE(v) ((T)(v))
#endif

// --- vectors -----------------------------------------------------------------------------------------

#ifdef VECTOR
#define AV JOIN(A, VECTOR)
#define TV JOIN(T, VECTOR)
#define LOADED_V JOIN(LOADED, VECTOR)
#define STORED_V JOIN(STORED, VECTOR)

#if HALF
INLINE AV numbers_of_halves(const TV bits) {
  return JOIN(vload_half, VECTOR)(0, (const half *)&bits);
}
INLINE TV halves_of_numbers(const AV v) {
  TV bits;
  JOIN(JOIN(vstore_half, VECTOR), _rte)(v, 0, (half *)&bits);
  return bits;
}
#endif

#if FORWARD && PIXEL_BITS
#define NUMBER_V(v) (JOIN(convert_, AV)(v) - (AV)LEVEL_SHIFT)
#elif HALF
#define NUMBER_V(v) numbers_of_halves(v)
#else
#define NUMBER_V(v) JOIN(convert_, AV)(v)
#endif

#if !FORWARD && PIXEL_BITS
#define SAMPLE_V(v) JOIN(convert_, STORED_V)(NEAREST_PIXEL(v, AV))
#elif HALF
#define SAMPLE_V(v) halves_of_numbers(v)
#elif ROUNDED
// CPUs' compilers make several steps of a conversion that rounds. 2^23 + 2^22 leaves the sum no place behind the point,
// and its last 16 bits are those of the nearest integer.
INLINE TV rounded_numbers(const AV v) {
  const AV near = fmin(fmax(v == v ? v : (AV)0, (AV)-32768.0f), (AV)32767.0f) + 12582912.0f;
  return JOIN(convert_, TV)(JOIN(as_int, VECTOR)(near));
}
#define SAMPLE_V(v) rounded_numbers(v)
#else
#define SAMPLE_V(v) JOIN(convert_, STORED_V)(v)
#endif

// What a work-item computes with: numbers of as many lines side by side.
#define NUMBERS AV
#else
#define NUMBERS A
#endif
