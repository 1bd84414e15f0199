// Vectors of pixels that have several samples: a channel of a row is its pixels one after the other, each with all of
// its colours, so that neighbours along x are COLOURS places apart. A place is one sample of that.
//
// A vector takes whole pixels, VECTOR_PIXELS of them in VECTOR_PLACES. Of three colours one place or two are left over,
// in which anything may stand: in memory the next vector overwrites it.
//
//   SHIFTED(a, b, o)     the pixels from place `o` on of two vectors side by side
//   REVERSED(v)          the last pixel first
//   SPLIT(a, b, cx)      channel cx of two vectors of the signal, where the pixels of both channels take turns
//   EVERY_OTHER(a, b)    every other pixel of a run that starts with a, of which b starts a pixel before a's end
//   MERGED(s, d, part)   the first or the second of such two vectors

#include "core/samples.cl"

#ifndef VECTOR
#error "VECTOR: samples in a vector, 8 or 16"
#endif
#ifndef BUILTINS
#error "BUILTINS: 1 where the device's compiler has clang's builtins"
#endif
#ifndef COLOURS
#error "COLOURS: samples of a pixel, which are neighbours in memory"
#endif
#define VECTOR_PIXELS (VECTOR / COLOURS)
#define VECTOR_PLACES (VECTOR_PIXELS * COLOURS)
// Whether pixels fill a vector.
#define FILLED (VECTOR_PLACES == VECTOR)

// How far from its first sample a channel has the one at `place`, where pixels are `stride` apart.
#define SAMPLES_TO(place, stride) ((place) / COLOURS * (stride) + (place) % COLOURS)

// Where number i of each of these is in two vectors.
#define SHIFTED_FROM(i, o) ((o) + (i) < VECTOR_PLACES ? (o) + (i) : (o) + (i) + VECTOR - VECTOR_PLACES)
#define REVERSED_FROM(i, none) ((i) < VECTOR_PLACES ? VECTOR_PLACES - COLOURS - (i) / COLOURS * COLOURS + (i) % COLOURS : 0)
#define SPLIT_FROM(i, cx) ((i) < VECTOR_PLACES ? ((i) / COLOURS * 2 + (cx)) * COLOURS + (i) % COLOURS : 0)
#define MERGED_FROM(i, none) \
  ((i) < 2 * VECTOR_PLACES ? (i) / COLOURS % 2 * VECTOR + (i) / COLOURS / 2 * COLOURS + (i) % COLOURS : 0)

#define JOINED_FROM(i, none) (i)
// The second vector starts a pixel before the first one's end, so that nothing after the last pixel is read.
#define EVERY_OTHER_FROM(i, none) (SPLIT_FROM(i, 0) + (SPLIT_FROM(i, 0) < VECTOR ? 0 : COLOURS))

#if BUILTINS
#define EIGHT(FROM, i, x) \
  FROM(i, x), FROM((i) + 1, x), FROM((i) + 2, x), FROM((i) + 3, x), FROM((i) + 4, x), FROM((i) + 5, x), \
      FROM((i) + 6, x), FROM((i) + 7, x)
#if VECTOR == 8
#define EACH_NUMBER(FROM, i, x) EIGHT(FROM, i, x)
#else
#define EACH_NUMBER(FROM, i, x) EIGHT(FROM, i, x), EIGHT(FROM, (i) + 8, x)
#endif
#define SHIFTED(a, b, o) __builtin_shufflevector(a, b, EACH_NUMBER(SHIFTED_FROM, 0, o))
#define REVERSED(v) __builtin_shufflevector(v, v, EACH_NUMBER(REVERSED_FROM, 0, 0))
#define EVERY_OTHER(a, b) __builtin_shufflevector(a, b, EACH_NUMBER(EVERY_OTHER_FROM, 0, 0))
#define SPLIT(a, b, cx) __builtin_shufflevector(a, b, EACH_NUMBER(SPLIT_FROM, 0, cx))
#define MERGED(s, d, part) __builtin_shufflevector(s, d, EACH_NUMBER(MERGED_FROM, (part) * VECTOR, 0))
#else
// By way of memory; what that costs was not measured, as PoCL and Intel's runtime have these builtins.
#define SHUFFLE(NAME, V, N, FROM)                                          \
  INLINE V NAME(const V a, const V b, const int first, const int x) {      \
    N both[2 * VECTOR], some[VECTOR];                                      \
    JOIN(vstore, VECTOR)(a, 0, both);                                      \
    JOIN(vstore, VECTOR)(b, 1, both);                                      \
    for (int i = 0; i < VECTOR; ++i) some[i] = both[FROM(first + i, x)];   \
    return JOIN(vload, VECTOR)(0, some);                                   \
  }
SHUFFLE(shifted, AV, A, SHIFTED_FROM)
SHUFFLE(reversed, AV, A, REVERSED_FROM)
SHUFFLE(split, AV, A, SPLIT_FROM)
SHUFFLE(merged, STORED_V, STORED, MERGED_FROM)
SHUFFLE(every_other, LOADED_V, LOADED, EVERY_OTHER_FROM)
#define SHIFTED(a, b, o) shifted(a, b, 0, o)
#define REVERSED(v) reversed(v, v, 0, 0)
#define SPLIT(a, b, cx) split(a, b, 0, cx)
#define EVERY_OTHER(a, b) every_other(a, b, 0, 0)
#define MERGED(s, d, part) merged(s, d, (part) * VECTOR, 0)
#endif
