// Samples between memory and the steps: the one place that knows how each type is stored.
//
//   NUMBER(v), SAMPLE(v)  a sample of memory as the number that the steps compute with, and back, rounded to the nearest
//                         and of two that are as near to the even one
//   AV, TV                vectors of VECTOR numbers to compute with, of as many samples in memory
//   TO_A(v), TO_T(v)      one as the other
// A half or a rounded sample has 16 bits in memory, computes in floats, and waits as a float between two steps, in local
// memory too (L): so it is rounded only where an array is written. Halves overflow to infinity; rounded samples saturate,
// and NaN becomes 0. Neither needs cl_khr_fp16.

#include "core/wavelet.cl"

#if !defined(L) || !defined(HALF) || !defined(ROUNDED)
#error "the prelude defines L, HALF and ROUNDED"
#endif

#if HALF
INLINE float number_of_half(const short bits) { return vload_half(0, (const half *)&bits); }
INLINE short half_of_number(const float v) {
  short bits;
  vstore_half_rte(v, 0, (half *)&bits);
  return bits;
}
#define NUMBER(v) number_of_half(v)
#define SAMPLE(v) half_of_number(v)
#else
#define NUMBER(v) ((A)(v))
#if ROUNDED
// 2^23 + 2^22 leaves the sum no place behind the point, and its last 16 bits are those of the nearest integer.
#define NEAREST_SHORT(v, F) (fmin(fmax((v) == (v) ? (v) : (F)0, (F)-32768.0f), (F)32767.0f) + 12582912.0f)
INLINE short rounded_number(const float v) { return (short)as_int(NEAREST_SHORT(v, float)); }
#define SAMPLE(v) rounded_number(v)
#else
#define SAMPLE(v) ((T)(v))
#endif
#endif

#ifdef VECTOR
#define AV JOIN(A, VECTOR)
#define TV JOIN(T, VECTOR)
#if HALF
INLINE AV numbers_of_halves(const TV bits) {
  return JOIN(vload_half, VECTOR)(0, (const half *)&bits);
}
INLINE TV halves_of_numbers(const AV v) {
  TV bits;
  JOIN(JOIN(vstore_half, VECTOR), _rte)(v, 0, (half *)&bits);
  return bits;
}
#define TO_A(v) numbers_of_halves(v)
#define TO_T(v) halves_of_numbers(v)
#else
#define TO_A(v) JOIN(convert_, AV)(v)
#if ROUNDED
INLINE TV rounded_numbers(const AV v) {
  return JOIN(convert_, TV)(JOIN(as_int, VECTOR)(NEAREST_SHORT(v, AV)));
}
#define TO_T(v) rounded_numbers(v)
#else
#define TO_T(v) JOIN(convert_, TV)(v)
#endif
#endif
#endif
