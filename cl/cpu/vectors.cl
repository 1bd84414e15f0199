// Vectors of VECTOR samples, for CPU kernels in which one work-item takes many neighbours at once.

#include "core/samples.cl"
#include "cpu/pixels_in_vectors.cl"

#ifndef NON_TEMPORAL
#error "NON_TEMPORAL: 1 where results are stored past the caches, as the array is larger than they are"
#endif

// Vectors at any place, in one access: PoCL 3.1 makes pieces of vload16 and vstore16.
typedef struct {
  AV v;
} __attribute__((packed)) LooseA;
#if SHORT || PIXEL_BITS
typedef struct {
  LOADED_V v;
} __attribute__((packed)) LooseLoaded;
typedef struct {
  STORED_V v;
} __attribute__((packed)) LooseStored;
#else
typedef LooseA LooseLoaded, LooseStored;
#endif
// ... of numbers in local memory, of loaded and of stored samples in global memory, of stored ones in local memory.
#define LOAD_V(p) (((local const LooseA *)(p))->v)
#define STORE_V(v_, p) (((local LooseA *)(p))->v = (v_))
#define LOAD_T(p) (((global const LooseLoaded *)(p))->v)
#define STORE_T(v_, p) (((global LooseStored *)(p))->v = (v_))
#define LOAD_L(p) (((local const LooseStored *)(p))->v)
#define STORE_L(v_, p) (((local LooseStored *)(p))->v = (v_))

// Samples of a line of the caches, or of a vector that has several, and how many of them are before a place.
//
// A line that is stored past the caches in one part and through them in another costs 0.2 to 0.5 us: one level of
// 116508 x 72 by 9/7 in f32 took 7.4 ns per sample forward where that happened at the ends of rows, else 1.1, of 16777 x
// 1000 by 5/3 in i16 0.64 and 0.35 (PoCL 3.1, one core of Zen 4).
#define LINE (sizeof(STORED_V) > 64 ? VECTOR : (int)(64 / sizeof(STORED)))
INLINE int place_in_cache_line(global const STORED *place) {
  return (ulong)place % (LINE * sizeof(STORED)) / sizeof(STORED);
}

// Stores a vector at a multiple of its size, past the caches where that is to be had; and asks for what will be loaded
// soon.
#if BUILTINS && NON_TEMPORAL
#define STORE_NON_TEMPORAL(v, p) __builtin_nontemporal_store(v, (global STORED_V *)(p))
// The same at a multiple of 16 bytes, where `malloc` puts large arrays. Gathered instead, rows of i16 took 1.35 times
// as long (PoCL 3.1, 4096 x 4096 from and to host memory).
#if STORED_BITS * VECTOR == 128
#define STORE_IN_PIECES(v, p) STORE_NON_TEMPORAL(v, p)
#elif STORED_BITS * VECTOR == 256
#define STORE_IN_PIECES(v, p) store_two_pieces(as_float8(v), (global float4 *)(p))
#elif STORED_BITS * VECTOR == 512
#define STORE_IN_PIECES(v, p) store_four_pieces(as_float16(v), (global float4 *)(p))
#else
#define STORE_IN_PIECES(v, p) STORE_T(v, p)
#endif
INLINE void store_two_pieces(const float8 v, global float4 *to) {
  __builtin_nontemporal_store(v.lo, to);
  __builtin_nontemporal_store(v.hi, to + 1);
}
INLINE void store_four_pieces(const float16 v, global float4 *to) {
  store_two_pieces(v.lo, to);
  store_two_pieces(v.hi, to + 2);
}
#else
#define STORE_NON_TEMPORAL(v, p) STORE_T(v, p)
#define STORE_IN_PIECES(v, p) STORE_T(v, p)
#endif
#if BUILTINS
#define PREFETCH(p) __builtin_prefetch((const void *)(ulong)(p));
#else
#define PREFETCH(p) (void)(p);
#endif

// A vector of which `n` samples, pixels `stride` apart, are in memory.
INLINE LOADED_V load_some(global const LOADED *from, const long stride, const int n) {
  if (n >= VECTOR && stride == COLOURS) return LOAD_T(from);
  if (n >= VECTOR && stride == 2 * COLOURS) return EVERY_OTHER(LOAD_T(from), LOAD_T(from + VECTOR - COLOURS));
  LOADED some[VECTOR];
  for (int i = 0; i < VECTOR; ++i) some[i] = from[SAMPLES_TO(min(i, n - 1), stride)];
  return JOIN(vload, VECTOR)(0, some);
}

// Stores a vector, past the caches if `non_temporal` and where that can be.
INLINE void store_whole(const STORED_V v, global STORED *to, const bool non_temporal) {
  if (non_temporal && (ulong)to % sizeof(STORED_V) == 0) {
    STORE_NON_TEMPORAL(v, to);
  } else if (non_temporal && (ulong)to % 16 == 0) {
    STORE_IN_PIECES(v, to);
  } else {
    STORE_T(v, to);
  }
}

// The same in inner loops, without asking, at multiples of a vector alone (KNOWS_PLACE). Integers of 16 bits ask: LLVM
// 14 makes one instruction of their conversion and a store that does not ask, and that goes through the caches (cdf53
// of i16 takes 1.25 times as long by it, rounded samples 1.15 times).
#if HALF || STORED_BITS >= 32
#define KNOWS_PLACE 1
#define STORE_KNOWN(v, p) STORE_NON_TEMPORAL(v, p)
#else
#define KNOWS_PLACE 0
#define STORE_KNOWN(v, p) store_whole(v, p, true)
#endif

// Stores two vectors side by side, at a multiple of their size; past the caches as one, which of 16-bit
// samples is a line of them.
#if BUILTINS && NON_TEMPORAL
typedef STORED STORED_TWO __attribute__((ext_vector_type(2 * VECTOR)));
#define JOINED(a, b) __builtin_shufflevector(a, b, EACH_NUMBER(JOINED_FROM, 0, 0), EACH_NUMBER(JOINED_FROM, VECTOR, 0))
#define STORE_TWO(a, b, p) __builtin_nontemporal_store(JOINED(a, b), (global STORED_TWO *)(p))
#else
#define STORE_TWO(a, b, p) (STORE_T(a, p), STORE_T(b, (p) + VECTOR))
#endif

// Stores the `n` first samples of a vector, pixels `stride` apart; past the caches if `non_temporal` and where that can
// be, which is not where the next vector overwrites some of it.
INLINE void store_some(const STORED_V v, global STORED *to, const long stride, const int n, const bool non_temporal) {
  const bool past = non_temporal && FILLED;
  if (n >= VECTOR && stride == COLOURS) {
    store_whole(v, to, past);
  } else {
    STORED some[VECTOR];
    JOIN(vstore, VECTOR)(v, 0, some);
    for (int i = 0; i < min(n, VECTOR); ++i) to[SAMPLES_TO(i, stride)] = some[i];
  }
}
