// Vectors of pairs of columns, between memory and registers: the two channels of a row are interleaved on the signal
// side, pixel by pixel, apart on the sub-band side. All is counted in places of a channel.

#include "cpu/vectors.cl"

// Where the next rows of one or two channels stand, on either side.
typedef struct {
  global S *signal[2];
  global T *band[4];
  long stride[4];
} Rows;

// Whether a channel's pixels are neighbours in memory.
INLINE bool is_dense(const Rows *rows) {
  return FORWARD || (rows->stride[0] == COLOURS && rows->stride[1] == COLOURS && rows->stride[2] == COLOURS &&
                     rows->stride[3] == COLOURS);
}

// A vector of both channels of row cy, from place `at` on, all VECTOR of them in the picture and neighbours in memory.
INLINE void load_whole_pairs(const Rows *rows, const int cy, const int at, AV *s, AV *d) {
#if FORWARD
  // Halves take 1.06 times as long where channels are taken apart before (PoCL 3.1, 2048 x 2048), shorts as long.
  const AV a = NUMBER_V(LOAD_T(rows->signal[cy] + 2 * at)), b = NUMBER_V(LOAD_T(rows->signal[cy] + 2 * at + VECTOR));
  *s = SPLIT(a, b, 0), *d = SPLIT(a, b, 1);
#else
  *s = NUMBER_V(LOAD_T(rows->band[2 * cy] + at)), *d = NUMBER_V(LOAD_T(rows->band[2 * cy + 1] + at));
#endif
}

// The same where only `s_count` and `d_count` places of each channel are in the picture.
INLINE void load_pairs(const Rows *rows, const int cy, const int at, const int s_count, const int d_count, AV *s,
                       AV *d) {
#if FORWARD
  if (at + VECTOR <= d_count) {
    load_whole_pairs(rows, cy, at, s, d);
    return;
  }
  global const S *const from = rows->signal[cy] + 2 * at;
  *s = NUMBER_V(load_some(from, 2 * COLOURS, s_count - at));
  *d = at < d_count ? NUMBER_V(load_some(from + COLOURS, 2 * COLOURS, d_count - at)) : *s;
#else
  const int n = 2 * cy, m = 2 * cy + 1;
  *s = NUMBER_V(load_some(rows->band[n] + SAMPLES_TO(at, rows->stride[n]), rows->stride[n], s_count - at));
  *d = at < d_count ? NUMBER_V(load_some(rows->band[m] + SAMPLES_TO(at, rows->stride[m]), rows->stride[m], d_count - at)) : *s;
#endif
}

// Asks for the same of the next pair of rows.
INLINE void prefetch_pairs(const Rows *next, const int cy, const int at) {
#if FORWARD
  PREFETCH(next->signal[cy] + 2 * at)
  PREFETCH(next->signal[cy] + 2 * at + VECTOR)
#else
  PREFETCH(next->band[2 * cy] + SAMPLES_TO(at, next->stride[2 * cy]))
  PREFETCH(next->band[2 * cy + 1] + SAMPLES_TO(at, next->stride[2 * cy + 1]))
#endif
}

// Stores the first `n` samples of two interleaved channels.
INLINE void store_interleaved(global STORED *to, const int n, const STORED_V s, const STORED_V d, const bool non_temporal) {
  store_some(MERGED(s, d, 0), to, COLOURS, n, non_temporal);
  store_some(MERGED(s, d, 1), to + VECTOR, COLOURS, n - VECTOR, non_temporal);
}

// Stores a vector of both channels of row cy, all of it in the picture and neighbours where STORE_KNOWN may store them.
INLINE void store_known_pairs(const Rows *rows, const int cy, const int at, const STORED_V s, const STORED_V d) {
#if FORWARD
  STORE_KNOWN(s, rows->band[2 * cy] + at);
  STORE_KNOWN(d, rows->band[2 * cy + 1] + at);
#else
  STORE_KNOWN(MERGED(s, d, 0), rows->signal[cy] + 2 * at);
  STORE_KNOWN(MERGED(s, d, 1), rows->signal[cy] + 2 * at + VECTOR);
#endif
}

// The same where only some may be in the picture, wherever they are.
INLINE void store_pairs(const Rows *rows, const int cy, const int at, const int s_count, const int d_count,
                        const STORED_V s, const STORED_V d, const bool non_temporal) {
#if FORWARD
  const int n = 2 * cy, m = 2 * cy + 1;
  const long stride = rows->stride[n];
  // The layout that keeps each coefficient where its sample was.
  if (stride == 2 * COLOURS && rows->band[m] == rows->band[n] + COLOURS) {
    store_interleaved(rows->band[n] + 2 * at, s_count + d_count - 2 * at, s, d, non_temporal);
    return;
  }
  store_some(s, rows->band[n] + SAMPLES_TO(at, stride), stride, s_count - at, non_temporal);
  store_some(d, rows->band[m] + SAMPLES_TO(at, rows->stride[m]), rows->stride[m], d_count - at, non_temporal);
#else
  store_interleaved(rows->signal[cy] + 2 * at, s_count + d_count - 2 * at, s, d, non_temporal);
#endif
}
