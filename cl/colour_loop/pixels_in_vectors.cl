// Rows of pixels between memory and row buffers, for `colour_loop`: a channel of a row there is its pixels one after the
// other, each with all of its colours, so that neighbours along x are COLOURS places apart.
//
// On the signal side the pixels of both channels take turns. STEP of a vector's numbers are whole pixels: the two vectors
// from 2 * at on have the next STEP numbers of either channel.

#include "cpu/vectors.cl"

#ifndef COLOURS
#error "COLOURS: samples of a pixel, which are neighbours in memory"
#endif
#define STEP (VECTOR / COLOURS * COLOURS)

// Where number i of a vector of channel cx is among two vectors of the signal, and number i of those among a vector of
// approximations and one of details. Beyond whole pixels anything will do.
#define SPLIT_FROM(i, cx) ((i) < STEP ? (i) / COLOURS * 2 * COLOURS + (cx) * COLOURS + (i) % COLOURS : 0)
#define MERGED_FROM(i) \
  ((i) < 2 * STEP ? (i) / COLOURS % 2 * VECTOR + (i) / COLOURS / 2 * COLOURS + (i) % COLOURS : 0)

#if BUILTINS
#define EIGHT(PLACE, i, x) \
  PLACE(i, x), PLACE((i) + 1, x), PLACE((i) + 2, x), PLACE((i) + 3, x), PLACE((i) + 4, x), PLACE((i) + 5, x), \
      PLACE((i) + 6, x), PLACE((i) + 7, x)
#if VECTOR == 8
#define EACH_NUMBER(PLACE, i, x) EIGHT(PLACE, i, x)
#else
#define EACH_NUMBER(PLACE, i, x) EIGHT(PLACE, i, x), EIGHT(PLACE, (i) + 8, x)
#endif
#define MERGED_PLACE(i, x) MERGED_FROM(i)
#define SPLIT(a, b, cx) __builtin_shufflevector(a, b, EACH_NUMBER(SPLIT_FROM, 0, cx))
#define MERGED(s, d, part) __builtin_shufflevector(s, d, EACH_NUMBER(MERGED_PLACE, (part) * VECTOR, 0))
#else
INLINE LOADED_V SPLIT(const LOADED_V a, const LOADED_V b, const int cx) {
  LOADED both[2 * VECTOR], some[VECTOR];
  JOIN(vstore, VECTOR)(a, 0, both);
  JOIN(vstore, VECTOR)(b, 1, both);
  for (int i = 0; i < VECTOR; ++i) some[i] = both[SPLIT_FROM(i, cx)];
  return JOIN(vload, VECTOR)(0, some);
}
INLINE STORED_V MERGED(const STORED_V s, const STORED_V d, const int part) {
  STORED both[2 * VECTOR], some[VECTOR];
  JOIN(vstore, VECTOR)(s, 0, both);
  JOIN(vstore, VECTOR)(d, 1, both);
  for (int i = 0; i < VECTOR; ++i) some[i] = both[MERGED_FROM(part * VECTOR + i)];
  return JOIN(vload, VECTOR)(0, some);
}
#endif

// Stores `count` samples that are gathered in local memory, past the caches where they are whole vectors of memory.
INLINE void store_gathered_run(local const STORED *from, const int count, global STORED *to) {
  const int past = (ulong)to % sizeof(STORED_V) / sizeof(STORED);
  const int head = min(past == 0 ? 0 : VECTOR - past, count);
  int i = 0;
  for (; i < head; ++i) to[i] = from[i];
  for (; i + VECTOR <= count; i += VECTOR) STORE_NON_TEMPORAL(LOAD_L(from + i), to + i);
  for (; i < count; ++i) to[i] = from[i];
}
