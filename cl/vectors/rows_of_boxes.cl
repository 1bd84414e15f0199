// Rows of VECTOR boxes between memory and the caches, where each box is in one element of the vectors: squares of
// VECTOR samples of each box are transposed on their way, by perfect shuffles (Stone 1971). Boxes that are side by side
// in memory are vectors there too.

#include "cpu/vectors.cl"

// Which place of a box goes where in memory: for each sample of the signal, each coefficient and each approximation of
// the last level, in the order in which memory has them. Reals are multiplied by `factor` on their way. (Scaled level
// by level, in the caches, five levels of rows of 256 took 1.14 times as long, inverse 1.1.)
typedef struct {
  int place;
  A factor;
} Entry;

#if INTEGER
#define SCALED_BY(v, factor) (v)
#else
#define SCALED_BY(v, factor) ((v) * (factor))
#endif

// Rows of all boxes in memory.
#define ROWS_OF_BOXES(ROWS, E)                                                     \
  typedef struct {                                                                 \
    global E *start[VECTOR];         /* where row 0 of each box is */              \
    int begin[VECTOR], end[VECTOR];  /* which rows of each are moved */            \
    long row, sample;                /* the distance of neighbours */              \
    int columns;                                                                   \
    local const Entry *entries;      /* of row 0 */                                \
  } ROWS;
ROWS_OF_BOXES(LoadedRows, LOADED)
ROWS_OF_BOXES(StoredRows, STORED)
#if FORWARD
typedef LoadedRows SignalRows;
typedef StoredRows BandRows;
#else
typedef LoadedRows BandRows;
typedef StoredRows SignalRows;
#endif

// Which rows are moved. Rows that all boxes have go by vectors: where boxes are side by side in memory, a vector of it
// has a sample of each; else squares are transposed, where rows have runs of at least VECTOR samples in one piece. All
// other rows go sample by sample.
typedef struct {
  int begin, end;     // rows that are moved of all boxes
  int first, last;    // rows that are moved of any
  int count, length;  // of the runs that go by squares, and samples of each
  bool side_by_side;
} Runs;

#define FIND_RUNS(ROWS)                                                                                      \
  static inline Runs JOIN(runs_of_, ROWS)(const ROWS *rows) {                                                \
    Runs runs = {rows->begin[0], rows->end[0], rows->begin[0], rows->end[0], 0, 0, true};                    \
    for (int r = 1; r < VECTOR; ++r) {                                                                       \
      runs.begin = max(runs.begin, rows->begin[r]), runs.end = min(runs.end, rows->end[r]);                  \
      runs.first = min(runs.first, rows->begin[r]), runs.last = max(runs.last, rows->end[r]);                \
      runs.side_by_side &= rows->start[r] == rows->start[0] + r;                                             \
    }                                                                                                        \
    runs.end = max(runs.begin, runs.end);                                                                    \
    const int count = runs.end - runs.begin;                                                                 \
    const bool is_dense = rows->row == rows->columns;                                                        \
    runs.length = (is_dense ? count : 1) * rows->columns;                                                    \
    if (!runs.side_by_side && rows->sample == 1 && runs.length >= VECTOR) runs.count = is_dense ? 1 : count; \
    return runs;                                                                                             \
  }
FIND_RUNS(LoadedRows)
FIND_RUNS(StoredRows)

// Interleaves the samples of two vectors. What is written without the builtin becomes several instructions for each
// shuffle: 149796 x 7 takes 1.25 times as long, rows of 16 1.3 to 1.5 (PoCL 3.1).
#if BUILTINS
#define INTERLEAVE_VECTORS(a, b, first, second) first = MERGED(a, b, 0), second = MERGED(a, b, 1)
#else
#define INTERLEAVE_VECTORS(a, b, first, second) \
  first.even = a.lo, first.odd = b.lo, second.even = a.hi, second.odd = b.hi
#endif
#define TRANSPOSE_SQUARE(square, V)                                                                \
  UNROLL for (int round = VECTOR; round > 1; round /= 2) {                                         \
    V shuffled[VECTOR];                                                                            \
    UNROLL for (int i = 0; i < VECTOR / 2; ++i)                                                    \
      INTERLEAVE_VECTORS(square[i], square[i + VECTOR / 2], shuffled[2 * i], shuffled[2 * i + 1]); \
    UNROLL for (int i = 0; i < VECTOR; ++i) square[i] = shuffled[i];                               \
  }

// All places of what is side by side.
#define EACH_SIDE_BY_SIDE(rows, runs)                                                  \
  for (int y = runs.begin; runs.side_by_side && y < runs.end; ++y)                     \
    for (int x = 0; x < rows->columns; ++x)
// The squares of a run start at `at`: the last one ends where the run does.
#define EACH_SQUARE(length) for (int i = 0, at = 0; i < (length); i += VECTOR, at = min(i, (length)-VECTOR))
// All other rows are moved number by number, of the boxes that they are moved of. Rows come before boxes, so that what
// is stored is converted by vectors: box by box, the second level of 149796 x 7 in rounded samples took 8 times as
// long.
#define SKIPPED(y) ((y) == runs.begin && (runs.side_by_side || runs.count > 0) ? runs.end : (y))
#define EACH_OTHER(rows, runs)                                                           \
  for (int y = SKIPPED(runs.first); y < runs.last; y = SKIPPED(y + 1))                   \
    for (int x = 0; x < rows->columns; ++x)
// What all boxes have is not asked for box by box: three levels of 149796 x 7 in i16 take 0.96 of the time, inverse
// 0.82.
#define EACH_BOX(rows, runs, y)    \
  for (int r = 0; r < VECTOR; ++r) \
    if ((y >= runs.begin && y < runs.end) || (y >= rows->begin[r] && y < rows->end[r]))

INLINE void load_cached(const LoadedRows *rows, local AV *places) {
  const Runs runs = runs_of_LoadedRows(rows);
  EACH_OTHER(rows, runs) {
    const Entry entry = rows->entries[y * rows->columns + x];
    const long from = y * rows->row + x * rows->sample;
    EACH_BOX(rows, runs, y)
      ((local A *)(places + entry.place))[r] = SCALED_BY(NUMBER(rows->start[r][from]), entry.factor);
  }
  EACH_SIDE_BY_SIDE(rows, runs) {
    const Entry entry = rows->entries[y * rows->columns + x];
    places[entry.place] = SCALED_BY(NUMBER_V(LOAD_T(rows->start[0] + y * rows->row + x * rows->sample)), entry.factor);
  }
  // The next boxes start about VECTOR boxes further on.
  const long later = rows->start[VECTOR - 1] - rows->start[0] + (rows->start[1] - rows->start[0]);
  for (int run = 0; run < runs.count; ++run) {
    const int y = runs.begin + run;
    local const Entry *const entries = rows->entries + y * rows->columns;
    EACH_SQUARE(runs.length) {
      const long from = y * rows->row + at;
      LOADED_V square[VECTOR];
      UNROLL for (int r = 0; r < VECTOR; ++r) square[r] = LOAD_T(rows->start[r] + from);
      UNROLL for (int r = 0; r < VECTOR; ++r) PREFETCH(rows->start[r] + later + from)
      TRANSPOSE_SQUARE(square, LOADED_V)
      UNROLL for (int j = 0; j < VECTOR; ++j)
        places[entries[at + j].place] = SCALED_BY(NUMBER_V(square[j]), entries[at + j].factor);
    }
  }
}

INLINE void store_cached(const StoredRows *rows, local const AV *places) {
  const Runs runs = runs_of_StoredRows(rows);
  EACH_OTHER(rows, runs) {
    const Entry entry = rows->entries[y * rows->columns + x];
    STORED samples[VECTOR];
    JOIN(vstore, VECTOR)(SAMPLE_V(SCALED_BY(places[entry.place], entry.factor)), 0, samples);
    EACH_BOX(rows, runs, y) rows->start[r][y * rows->row + x * rows->sample] = samples[r];
  }
  EACH_SIDE_BY_SIDE(rows, runs) {
    const Entry entry = rows->entries[y * rows->columns + x];
    store_whole(SAMPLE_V(SCALED_BY(places[entry.place], entry.factor)),
                rows->start[0] + y * rows->row + x * rows->sample, true);
  }
  ulong starts = 0;
  for (int r = 0; r < VECTOR; ++r) starts |= (ulong)rows->start[r];
  for (int run = 0; run < runs.count; ++run) {
    const int y = runs.begin + run;
    local const Entry *const entries = rows->entries + y * rows->columns;
    EACH_SQUARE(runs.length) {
      const long to = y * rows->row + at;
      STORED_V square[VECTOR];
      UNROLL for (int j = 0; j < VECTOR; ++j)
        square[j] = SAMPLE_V(SCALED_BY(places[entries[at + j].place], entries[at + j].factor));
      TRANSPOSE_SQUARE(square, STORED_V)
      if ((starts | to * sizeof(STORED)) % sizeof(STORED_V) == 0) {
        UNROLL for (int r = 0; r < VECTOR; ++r) STORE_NON_TEMPORAL(square[r], rows->start[r] + to);
      } else {
        UNROLL for (int r = 0; r < VECTOR; ++r) STORE_T(square[r], rows->start[r] + to);
      }
    }
  }
}
