// Several levels of rows in one pass over memory, on CPU devices: a work-item has as many rows in the nearest caches as a
// vector has elements, one row in each element, and lifts them there level by level.
//
// So neighbours in a row are whole vectors side by side, and what a step reads beyond the border is one more vector: all
// rows map it to the same place. Samples stay where they are, those of level l at every 2^(l-1)th place. On the way in and
// out squares of VECTOR samples of as many rows are transposed, by perfect shuffles (Stone 1971).
// Cost per sample: 1 global read and 1 write for all levels, 2 log2(VECTOR) / VECTOR shuffles. For 9/7 in f32 a level takes
// for each pair of vectors 8 multiply-adds, 12 reads and 4 writes of the caches. Limited by instructions: of
// PoCL 3.1 on two cores of Zen 5, five levels of rows of 256 take 2.3 times a copy, level by level they took 4.6, and three
// levels of rows of 64 take 2.5 instead of 9. A single level of longer rows is as fast without (row_vectors.cl).

#include "core/boundary.cl"
#include "core/pass.cl"
#include "cpu/vectors.cl"

#ifndef LONGEST
#error "LONGEST: samples of the longest row that the caches hold"
#endif

// The arguments besides the geometry.
typedef struct {
  int levels;
  int interleaved;  // 1 where coefficients stay where their samples were
  int lines_per_group;
} RowsInCache;

// --- between memory and the caches -------------------------------------------------------------------

// The rows in memory: where each starts, and the distance of neighbours.
#define CACHED_ROWS(ROWS, E)                                                  \
  typedef struct {                                                            \
    global E *start[VECTOR];                                                  \
    long stride[VECTOR];                                                      \
    bool dense; /* whether all of these are 1 */                              \
    ulong past; /* not 0 where a row starts past a whole vector */            \
    long later; /* to the same sample of the rows after these */              \
  } ROWS;
CACHED_ROWS(BandRows, T)
#if PIXEL_BITS
CACHED_ROWS(SignalRows, S)
#else
typedef BandRows SignalRows;
#endif
#if FORWARD
typedef SignalRows LoadedRows;
typedef BandRows StoredRows;
#else
typedef BandRows LoadedRows;
typedef SignalRows StoredRows;
#endif

// What is moved of the rows at once: `count` samples, 2^doubled times as far apart, from place `first` on. What follows
// them in memory may be read, and overwritten, where there is `room` for it. Reals are multiplied by `factor`.
typedef struct {
  int first, doubled, count, room;
  A factor;
} Part;

#define TRANSPOSE_SQUARE(square, V)                                                                   \
  UNROLL for (int round = VECTOR; round > 1; round /= 2) {                                            \
    V shuffled[VECTOR];                                                                               \
    UNROLL for (int i = 0; i < VECTOR / 2; ++i) {                                                     \
      shuffled[2 * i].even = square[i].lo, shuffled[2 * i].odd = square[i + VECTOR / 2].lo;           \
      shuffled[2 * i + 1].even = square[i].hi, shuffled[2 * i + 1].odd = square[i + VECTOR / 2].hi;   \
    }                                                                                                 \
    UNROLL for (int i = 0; i < VECTOR; ++i) square[i] = shuffled[i];                                  \
  }

INLINE bool has_squares(const bool dense, const Part part) {
  return dense && part.doubled == 0 && part.room >= VECTOR;
}

// Where the next square starts: the last one ends where the room does.
INLINE int square_at(const Part part, const int i) { return max(min(i, part.room - VECTOR), 0); }

// Sample n of a part, from the start of a row.
INLINE long sample_of_part(const Part part, const long stride, const int n) {
  return (part.first + ((long)n << part.doubled)) * stride;
}

// Brings a part to every `step`th place: in squares, or number by number.
INLINE void load_cached(const LoadedRows *rows, const Part part, local AV *places, const int step) {
  if (!has_squares(rows->dense, part)) {
    for (int r = 0; r < VECTOR; ++r)
      for (int n = 0; n < part.count; ++n)
        ((local A *)(places + n * step))[r] = NUMBER(rows->start[r][sample_of_part(part, rows->stride[r], n)]) * part.factor;
    return;
  }
  for (int i = 0; i < part.count; i += VECTOR) {
    const int at = square_at(part, i);
    LOADED_V square[VECTOR];
    UNROLL for (int r = 0; r < VECTOR; ++r) square[r] = LOAD_T(rows->start[r] + part.first + at);
    UNROLL for (int r = 0; r < VECTOR; ++r) PREFETCH(rows->start[r] + rows->later + part.first + at)
    TRANSPOSE_SQUARE(square, LOADED_V)
    UNROLL for (int j = 0; j < VECTOR; ++j)
      if (j < part.count - at) places[(at + j) * step] = TO_A(square[j]) * part.factor;
  }
}

// Stores a part of the first `lines` rows from every `step`th place.
INLINE void store_cached(const StoredRows *rows, const Part part, const int lines, local const AV *places, const int step) {
  if (!has_squares(rows->dense, part) || lines < VECTOR) {
    for (int r = 0; r < lines; ++r)
      for (int n = 0; n < part.count; ++n)
        rows->start[r][sample_of_part(part, rows->stride[r], n)] = SAMPLE(((local const A *)(places + n * step))[r] * part.factor);
    return;
  }
  for (int i = 0; i < part.count; i += VECTOR) {
    const int at = square_at(part, i);
    STORED_V square[VECTOR];
    UNROLL for (int j = 0; j < VECTOR; ++j) square[j] = TO_T(places[min(at + j, part.count - 1) * step] * part.factor);
    TRANSPOSE_SQUARE(square, STORED_V)
    if ((rows->past | (part.first + at) * sizeof(STORED)) % sizeof(STORED_V) == 0) {
      UNROLL for (int r = 0; r < VECTOR; ++r) STORE_NON_TEMPORAL(square[r], rows->start[r] + part.first + at);
    } else {
      UNROLL for (int r = 0; r < VECTOR; ++r) STORE_T(square[r], rows->start[r] + part.first + at);
    }
  }
}

// --- a level -----------------------------------------------------------------------------------------
// Approximations start at `s` and details at `d`, `apart` places from one to the next.

INLINE AV mapped(local const AV *channel, const long apart, const int index) {
  return index < 0 ? (AV)(0) : channel[index * apart];
}

#define INNER_s(offset) s[place + (offset) * apart]
#define INNER_d(offset) d[place + (offset) * apart]
#define MAPPED_s(offset) mapped(s, apart, map_index(boundary, 0, n + (offset), samples))
#define MAPPED_d(offset) mapped(d, apart, map_index(boundary, 1, n + (offset), samples))
#define EACH_INNER(from, to) for (long place = (from) * apart; place < (to) * apart; place += apart)
#define EACH_BORDER(head, tail, count) \
  for (int n = (head) > 0 ? 0 : (tail); n < (count); n = n + 1 == (head) ? (tail) : n + 1)
#define CACHED_STEP(k, target, source, first, last, before, after)                                      \
  { const int count = target##_count, head = clamp(-(first), 0, count), tail = clamp(source##_count - (last), head, count); \
    EACH_INNER(head, tail) target[place] = LIFT_##k(target[place], INNER_##source);                     \
    EACH_BORDER(head, tail, count) target[n * apart] = LIFT_##k(target[n * apart], MAPPED_##source); }

INLINE void lift_level(local AV *places, const int samples, const int level, const int boundary, const int shift) {
  const int s_count = S_COUNT(samples), d_count = D_COUNT(samples);
  const long apart = 1l << level;
  local AV *const s = places, *const d = places + apart / 2;
#if INTEGER
  if (FORWARD && shift > 0) {
    EACH_INNER(0, s_count) s[place] = SCALED_IN(s[place], IN_s, shift);
    EACH_INNER(0, d_count) d[place] = SCALED_IN(d[place], IN_d, shift);
  }
#endif
  LIFT_STEPS(CACHED_STEP)
#if INTEGER
  if (!FORWARD && shift > 0) {
    EACH_INNER(0, s_count) s[place] = SCALED_OUT(s[place], OUT_s, shift);
    EACH_INNER(0, d_count) d[place] = SCALED_OUT(d[place], OUT_d, shift);
  }
#endif
}

// What coefficients are multiplied by on their way between memory and the caches: what is linear can be scaled once for all
// levels. (Level by level, in the caches, five levels of rows of 256 took 1.14 times as long, inverse 1.1.)
INLINE A factor_of(const int level, const int is_low) {
  A factor = is_low ? (A)1 : FORWARD ? (A)OUT_d : (A)IN_d;
  for (int finer = is_low ? 0 : 1; finer < level; ++finer) factor *= FORWARD ? (A)OUT_s : (A)IN_s;
  return factor;
}

// The same of all coefficients, while they are in the caches.
INLINE void scale_cached(local AV *places, const int samples, const int levels) {
  if (INTEGER) return;
  for (int level = levels; level > 0; --level) {
    const A factor = factor_of(level, 0);
    for (int n = 1 << (level - 1); n < samples; n += 1 << level) places[n] *= factor;
  }
  const A factor = factor_of(levels, 1);
  for (int n = 0; n < samples; n += 1 << levels) places[n] *= factor;
}

// --- the rows of a work-item -------------------------------------------------------------------------

// Where the rows' samples are, their coefficients, and the approximations of the last level, which can stand apart.
typedef struct {
  SignalRows signal;
  BandRows bands, low;
} RowArrays;

#define COMPLETE(rows, side)                                                               \
  rows.dense = true, rows.past = 0, rows.later = VECTOR * (side)->across[0].stride;        \
  for (int r = 0; r < VECTOR; ++r)                                                         \
    rows.dense &= rows.stride[r] == 1, rows.past |= (ulong)rows.start[r] % sizeof(STORED_V);

// Row `r` where the one before is its neighbour on the first axis across.
#define FOLLOW(rows, side, r) \
  rows.start[r] = rows.start[r - 1] + (side)->across[0].stride, rows.stride[r] = rows.stride[r - 1];

static inline void find_rows(RowArrays *found, global S *signal, global T *bands, global T *low, const Pass *pass,
                             const RowsInCache *own, const int first) {
  const int x = first % pass->across[0], low_across = pass->low_across[0];
  const bool are_neighbours = x + VECTOR <= (x < low_across ? low_across : pass->across[0]);
  bool is_low = false;
  for (int r = 0; r < VECTOR; ++r) {
    if (r > 0 && are_neighbours) {
      FOLLOW(found->signal, &pass->signal, r)
      FOLLOW(found->bands, &pass->bands, r)
      FOLLOW(found->low, is_low ? &pass->low : &pass->bands, r)
      continue;
    }
    // The last row stands for those beyond.
    const int index = min(first + r, pass->lines - 1);
    const Line line = bands_line(bands, low, pass, index);
    is_low = pass->has_low && line.s + pass->bands.line.detail != line.d;
    found->signal.start[r] = signal_line(signal, pass, index).s, found->signal.stride[r] = pass->signal.line.detail;
    found->bands.start[r] = line.d - pass->bands.line.detail;
    found->bands.stride[r] = own->interleaved ? pass->bands.line.detail : line.d_stride;
    // Several levels are the last ones, and nothing stands apart.
    found->low.start[r] = line.s;
    found->low.stride[r] = own->interleaved && !pass->has_low ? line.s_stride << (own->levels - 1) : line.s_stride;
  }
  COMPLETE(found->signal, &pass->signal)
  COMPLETE(found->bands, &pass->bands)
  COMPLETE(found->low, pass->has_low ? &pass->low : &pass->bands)
}

static inline Part all_of(const Pass *pass) {
  const Part part = {0, 0, pass->samples, pass->samples, 1};
  return part;
}

static inline Part low_part(const Pass *pass, const RowsInCache *own) {
  const int count = HALVED(pass->samples, own->levels);
  // What overwrites the details behind it is stored before them.
  const Part part = {0, 0, count, own->interleaved || pass->has_low ? count : pass->samples, factor_of(own->levels, 1)};
  return part;
}

static inline Part details_part(const Pass *pass, const RowsInCache *own, const int level) {
  const int samples = HALVED(pass->samples, level - 1), first = S_COUNT(samples), count = D_COUNT(samples);
  const A factor = factor_of(level, 0);
  const Part planar = {first, 0, count, pass->samples - first, factor};
  const Part interleaved = {1 << (level - 1), level, count, count, factor};
  return own->interleaved ? interleaved : planar;
}

#if FORWARD
#define MOVE_CACHED(rows, part, places, step) store_cached(rows, part, lines, places, step)
#else
#define MOVE_CACHED(rows, part, places, step) load_cached(rows, part, places, step)
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void rows_in_cache(global S *signal, global T *bands, global T *low, const Pass pass, const RowsInCache own) {
  local AV places[LONGEST];
  const int begin = get_group_id(0) * own.lines_per_group, count = min(own.lines_per_group, pass.lines - begin);
  for (int done = 0; done < count; done += VECTOR) {
    const int index = begin + done, lines = min(VECTOR, count - done);
    RowArrays rows;
    find_rows(&rows, signal, bands, low, &pass, &own, index);
#if FORWARD
    load_cached(&rows.signal, all_of(&pass), places, 1);
    for (int level = 1; level <= own.levels; ++level)
      lift_level(places, HALVED(pass.samples, level - 1), level, pass.boundary, pass.shift);
#endif
    if (rows.bands.dense && own.interleaved && !pass.has_low) {
      if (FORWARD) scale_cached(places, pass.samples, own.levels);
      MOVE_CACHED(&rows.bands, all_of(&pass), places, 1);
      if (!FORWARD) scale_cached(places, pass.samples, own.levels);
    } else {
      MOVE_CACHED(&rows.low, low_part(&pass, &own), places, 1 << own.levels);
      for (int level = own.levels; level > 0; --level)
        MOVE_CACHED(&rows.bands, details_part(&pass, &own, level), places + (1 << (level - 1)), 1 << level);
    }
#if !FORWARD
    for (int level = own.levels; level > 0; --level)
      lift_level(places, HALVED(pass.samples, level - 1), level, pass.boundary, pass.shift);
    store_cached(&rows.signal, all_of(&pass), lines, places, 1);
#endif
  }
}
