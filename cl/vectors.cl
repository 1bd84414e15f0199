// Vectors of VECTOR samples, for kernels in which one work-item takes many neighbours at once.
//
//   AV, TV           vectors of numbers to compute with, of samples in memory
//   LIFT_k           works on vectors too (REDUCE and its kin are redefined here)
//   IN_V, OUT_V      scaling by a factor, or the level's pre-shift, on load and on store
//   SCALED_IN/_OUT   the same for one axis of a pass
//   SHIFTED(a, b, o) the VECTOR numbers from place `o` on of two vectors side by side

#define AV JOIN(A, VECTOR)
#define TV JOIN(T, VECTOR)

// Vectors at any place, in one access: PoCL 3.1 makes pieces of vload16 and vstore16.
typedef struct {
  AV v;
} __attribute__((packed)) LooseA;
#ifdef SHORT
typedef struct {
  TV v;
} __attribute__((packed)) LooseT;
#else
typedef LooseA LooseT;
#endif
// ... of numbers in local memory, of samples in global and in local memory.
#define LOAD_V(p) (((local const LooseA *)(p))->v)
#define STORE_V(v_, p) (((local LooseA *)(p))->v = (v_))
#define LOAD_T(p) (((global const LooseT *)(p))->v)
#define STORE_T(v_, p) (((global LooseT *)(p))->v = (v_))
#define LOAD_L(p) (((local const LooseT *)(p))->v)
#define STORE_L(v_, p) (((local LooseT *)(p))->v = (v_))

#define TO_A(v) JOIN(convert_, AV)(v)
#define TO_T(v) JOIN(convert_, TV)(v)

#if BUILTINS && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#if VECTOR == 8
#define SHIFTED(lo, hi, o) \
  __builtin_shufflevector(lo, hi, (o), (o) + 1, (o) + 2, (o) + 3, (o) + 4, (o) + 5, (o) + 6, (o) + 7)
#elif VECTOR == 16
#define SHIFTED(lo, hi, o)                                                                          \
  __builtin_shufflevector(lo, hi, (o), (o) + 1, (o) + 2, (o) + 3, (o) + 4, (o) + 5, (o) + 6, (o) + 7, \
                          (o) + 8, (o) + 9, (o) + 10, (o) + 11, (o) + 12, (o) + 13, (o) + 14, (o) + 15)
#endif
#endif
#endif
#ifndef SHIFTED
INLINE AV SHIFTED(const AV lo, const AV hi, const int o) {
  A both[2 * VECTOR];
  JOIN(vstore, VECTOR)(lo, 0, both);
  JOIN(vstore, VECTOR)(hi, 1, both);
  return JOIN(vload, VECTOR)(0, both + o);
}
#endif

#ifdef INTEGER
#undef UNSIGNED
#undef SIGNED
#undef REDUCE
#define UNSIGNED(v) JOIN(as_uint, VECTOR)(v)
#define SIGNED(v) JOIN(as_int, VECTOR)(v)
#ifdef SHORT
#define REDUCE(v) (SIGNED((v) << 16) >> 16)
#else
#define REDUCE(v) SIGNED(v)
#endif
#define IN_V(v, factor) (LEVEL_SHIFT_IN ? REDUCE(UNSIGNED(v) << LEVEL_SHIFT_IN) : (v))
#define OUT_V(v, factor) (SIGNED(UNSIGNED(v) + ((1u << LEVEL_SHIFT_OUT) >> 1)) >> LEVEL_SHIFT_OUT)
#define SCALED_IN(channel, v) REDUCE(UNSIGNED(v) << pass.shift_in)
#define SCALED_OUT(channel, v) (SIGNED(UNSIGNED(v) + ((1u << pass.shift_out) >> 1)) >> pass.shift_out)
#else
#define IN_V(v, factor) ((v) * (factor))
#define OUT_V(v, factor) ((v) * (factor))
#define SCALED_IN(channel, v) ((v) * IN_##channel)
#define SCALED_OUT(channel, v) ((v) * OUT_##channel)
#endif

// A vector of which `n` samples, `step` apart, are in memory.
INLINE TV load_some(global const T *from, const long step, const int n) {
  if (n >= VECTOR && step == 1) return LOAD_T(from);
  // The second access ends with the last sample.
  if (n >= VECTOR && step == 2) return (TV)(LOAD_T(from).even, LOAD_T(from + VECTOR - 1).odd);
  T some[VECTOR];
  for (int i = 0; i < VECTOR; ++i) some[i] = from[min(i, n - 1) * step];
  return JOIN(vload, VECTOR)(0, some);
}

// Stores a vector at a multiple of its size, past the caches where that is to be had.
#define STORE_PAST(v, p) STORE_T(v, p)
#if STREAM && BUILTINS && defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#undef STORE_PAST
#define STORE_PAST(v, p) __builtin_nontemporal_store(v, (global TV *)(p))
#endif
#endif

// The `n` first samples of a vector, `step` apart; `past` the caches if so, where that is to be had.
INLINE void store_some(const TV v, global T *to, const long step, const int n, const bool past) {
  if (n >= VECTOR && step == 1) {
    if (past && (ulong)to % sizeof(TV) == 0) {
      STORE_PAST(v, to);
    } else {
      STORE_T(v, to);
    }
  } else {
    T some[VECTOR];
    JOIN(vstore, VECTOR)(v, 0, some);
    for (int i = 0; i < min(n, VECTOR); ++i) to[i * step] = some[i];
  }
}

// Asks for what will be loaded soon.
#define FETCH(p)
#if BUILTINS && defined(__has_builtin)
#if __has_builtin(__builtin_prefetch)
#undef FETCH
#define FETCH(p) __builtin_prefetch((const void *)(ulong)(p));
#endif
#endif
