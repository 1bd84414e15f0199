// Vectors of pairs of columns, between memory and registers: the two channels of a row are woven on the near
// side, apart on the far side.

// Where the next rows of one or two channels stand, on either side.
typedef struct {
  global T *near[2], *far[4];
  long step[4];
} Rows;

// Whether a channel's samples are neighbours in memory.
INLINE bool is_dense(const Rows *rows) {
#ifdef FORWARD
  return true;
#else
  return rows->step[0] == 1 && rows->step[1] == 1 && rows->step[2] == 1 && rows->step[3] == 1;
#endif
}

// A vector of both channels of row cy, pairs from `at` on, all of them in the picture and neighbours in memory.
INLINE void load_whole_pairs(const Rows *rows, const int cy, const int at, AV *s, AV *d) {
#ifdef FORWARD
  const TV a = LOAD_T(rows->near[cy] + 2 * at), b = LOAD_T(rows->near[cy] + 2 * at + VECTOR);
  *s = TO_A((TV)(a.even, b.even)), *d = TO_A((TV)(a.odd, b.odd));
#else
  *s = TO_A(LOAD_T(rows->far[2 * cy] + at)), *d = TO_A(LOAD_T(rows->far[2 * cy + 1] + at));
#endif
}

// The same where only `low` and `high` of each channel are in the picture.
INLINE void load_pairs(const Rows *rows, const int cy, const int at, const int low, const int high, AV *s,
                       AV *d) {
#ifdef FORWARD
  if (at + VECTOR <= high) {
    load_whole_pairs(rows, cy, at, s, d);
    return;
  }
  global const T *const from = rows->near[cy] + 2 * at;
  *s = TO_A(load_some(from, 2, low - at));
  *d = at < high ? TO_A(load_some(from + 1, 2, high - at)) : *s;
#else
  const int ls = 2 * cy, hs = 2 * cy + 1;
  *s = TO_A(load_some(rows->far[ls] + at * rows->step[ls], rows->step[ls], low - at));
  *d = at < high ? TO_A(load_some(rows->far[hs] + at * rows->step[hs], rows->step[hs], high - at)) : *s;
#endif
}

// Asks for the same of the next pair of rows.
INLINE void fetch_pairs(const Rows *next, const int cy, const int at) {
#ifdef FORWARD
  FETCH(next->near[cy] + 2 * at)
  FETCH(next->near[cy] + 2 * at + VECTOR)
#else
  FETCH(next->far[2 * cy] + at * next->step[2 * cy])
  FETCH(next->far[2 * cy + 1] + at * next->step[2 * cy + 1])
#endif
}

// Stores the first `n` samples of two woven channels.
INLINE void store_woven(global T *to, const int n, const TV s, const TV d, const bool past) {
  TV a, b;
  a.even = s.lo, a.odd = d.lo, b.even = s.hi, b.odd = d.hi;
  store_some(a, to, 1, n, past);
  store_some(b, to + VECTOR, 1, n - VECTOR, past);
}

// Stores a vector of both channels of row cy; `past` the caches where the array is large. (A store of whole
// vectors without asking was slower on the machine measured.)
INLINE void store_pairs(const Rows *rows, const int cy, const int at, const int low, const int high,
                        const TV s, const TV d, const bool past) {
#ifdef FORWARD
  const int ls = 2 * cy, hs = 2 * cy + 1;
  const long step = rows->step[ls];
  // The layout that keeps each coefficient where its sample was.
  if (step == 2 && rows->far[hs] == rows->far[ls] + 1) {
    store_woven(rows->far[ls] + 2 * at, low + high - 2 * at, s, d, past);
    return;
  }
  store_some(s, rows->far[ls] + at * step, step, low - at, past);
  store_some(d, rows->far[hs] + at * rows->step[hs], rows->step[hs], high - at, past);
#else
  store_woven(rows->near[cy] + 2 * at, low + high - 2 * at, s, d, past);
#endif
}
