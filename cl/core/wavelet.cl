// The prelude's contract, and the arithmetic that it builds on.
//
// Rust puts a prelude of macros in front of every kernel, for one wavelet, sample type and direction:
//   T, L, A            the types in global memory, in local memory between steps, and that the steps compute in
//   INTEGER            1 for integer samples, 0 for real ones
//   SHORT, DOUBLE      1 for 16 bits in global memory, for double precision
//   HALF, ROUNDED      1 for reals that are stored as halves, as 16-bit integers (core/samples.cl)
//   FORWARD            1 for the forward transform (analysis), 0 for the inverse (synthesis)
//   IN_s .. OUT_d      factors of the approximations s and the details d on load and on store; 1 for integers
//   IN_ss, IN_sd ..    the same for two axes at once
//   LIFT_k(v, at)      step k applied to v, whose neighbours are at(offset) in the other channel
//   LIFT_STEPS(STEP)   STEP(k, target, source, first, last, before, after) for each step in order: step k reads
//                      source[n + first .. n + last], and to get the pairs 0 .. m it must run on the pairs
//                      -before .. m + after
//   FILTER_s(TAP), FILTER_d(TAP)
//                      for reals: TAP(channel, offset, factor) for each input channel[n + offset] that a result depends
//                      on, of the approximations and of the details, scaling included
//   REACH_LO, REACH_HI how many pairs before and after it a result depends on
//   LAG_k, LAST_LAG    on a stream of pairs: how far behind the newest pair step k runs, and how far behind it results
//                      are done
//   KEPT               how many pairs of a stream are kept, the newest included

#if !defined(T) || !defined(A) || !defined(LIFT_STEPS)
#error "the prelude defines T, A and LIFT_STEPS"
#endif
#if !defined(INTEGER) || !defined(SHORT) || !defined(DOUBLE) || !defined(FORWARD)
#error "the prelude defines INTEGER, SHORT, DOUBLE and FORWARD"
#endif
#if !defined(REACH_LO) || !defined(REACH_HI) || !defined(LAST_LAG)
#error "the prelude defines REACH_LO, REACH_HI and LAST_LAG"
#endif

#if DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// Kernels made for GPUs leave their loops as they are on CPUs, whose compilers take long over code that is written out
// (streamed: 1.4 times as long with PoCL 3.1). There the host defines UNROLL as nothing.
#ifndef UNROLL
#define UNROLL _Pragma("unroll")
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
// PoCL 3.1 goes wrong where its optimiser sees a function with a barrier that is not inlined, and its compiler crashes
// on some that it inlines late. Oclgrind 21.10 in turn cannot run an always-inlined function that returns a structure:
// those are plainly `static inline`, or fill in one that they are given. (Those of core/pass.cl it can run.) Tests
// without the optimiser set this to `static` (scripts/quick-pocl).
#ifndef INLINE
#define INLINE static inline __attribute__((always_inline))
#endif

// How many approximations and details a line of `samples` samples has.
#define S_COUNT(samples) (((samples) + 1) / 2)
#define D_COUNT(samples) ((samples) / 2)
// The same by a channel's letter, and by its number.
#define COUNT_s S_COUNT
#define COUNT_d D_COUNT
#define COUNT_OF(parity, samples) ((parity) ? D_COUNT(samples) : S_COUNT(samples))
// Which sample of a pair is an approximation, and which a detail.
#define PARITY_s 0
#define PARITY_d 1
// How many samples the low band of level `level` has: of each level half as many, rounded up.
#define HALVED(samples, level) (((samples) + (1 << (level)) - 1) >> (level))

// Integer steps sum UNSIGNED numbers, shift SIGNED ones, and REDUCE results to the sample's width: all arithmetic
// wraps. The CPU's kernels compute on vectors of VECTOR numbers.
#ifdef VECTOR
#define UNSIGNED(v) JOIN(as_uint, VECTOR)(v)
#define SIGNED(v) JOIN(as_int, VECTOR)(v)
#else
#define UNSIGNED(v) ((uint)(v))
#define SIGNED(v) as_int(v)
#endif
#if !SHORT
#define REDUCE(v) SIGNED(v)
#elif defined(VECTOR)
#define REDUCE(v) (SIGNED((v) << 16) >> 16)
#else
#define REDUCE(v) ((int)(short)(v))
#endif

// A number on its way from memory to the steps, and back: reals are multiplied by a factor, integers shifted by the
// level's pre-shift, to the left before a forward level, to the right with rounding after an inverse one.
#if !INTEGER
#define SCALED_IN(v, factor, shift) ((v) * (factor))
#define SCALED_OUT(v, factor, shift) ((v) * (factor))
#elif FORWARD
#define SCALED_IN(v, factor, shift) REDUCE(UNSIGNED(v) << (shift))
#define SCALED_OUT(v, factor, shift) (v)
#else
#define SCALED_IN(v, factor, shift) (v)
#define SCALED_OUT(v, factor, shift) (SIGNED(UNSIGNED(v) + ((1u << (shift)) >> 1)) >> (shift))
#endif

// The factor of a sample that is in channel cx along x and cy along y; `side` is IN or OUT.
#define FACTOR_2D(side, cx, cy) ((cx) ? (cy) ? side##_dd : side##_sd : (cy) ? side##_sd : side##_ss)
