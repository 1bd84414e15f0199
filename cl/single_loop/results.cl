// Vectors of results on their way to memory, past the caches where the array is large (NON_TEMPORAL): for that
// they must be whole and aligned. Where they do not start at multiples of 16 bytes, where pixels do not fill one, and
// where rows end within one that does not have a line of its own, they are gathered in local memory, which has room for
// GATHERED vectors of each run, and stored from there some vectors later.
//
// What is gathered goes past the caches in whole lines (cpu/vectors.cl), and what is before the first one and after the
// last through them.

#include "single_loop/row_buffers.cl"

#ifndef GATHERED
#error "GATHERED: vectors of each run for which there is room"
#endif

// Results of a pair of rows are RUNS runs of memory: four sub-bands, or two rows of which each pair of places
// is PER_PAIR samples.
#if FORWARD
#define RUNS 4
#define PER_PAIR 1
#else
#define RUNS 2
#define PER_PAIR 2
#endif
#define RUN_ROOM (GATHERED * VECTOR * PER_PAIR)
// They wait so long that a load does not meet two stores that are still on their way to the cache, and that the last
// line is here when all that is left is stored. (By `max` inverse rows that are not even gathered took 1.4 times as long
// with PoCL 3.1.)
#define LATE (LINE > 5 * VECTOR ? LINE - VECTOR : 4 * VECTOR)

// Results of one vector of both rows, by row and channel.
typedef AV VectorsOfRows[2][2];

typedef struct {
  Rows rows;
  int s_count, d_count;
  bool gathers;
  bool known;  // inner vectors are neighbours in memory where STORE_KNOWN may store them
  bool by_twos;  // and every other one from place `first` on is at a multiple of the size of two
  int first;     // the first place that is gathered
  local STORED *gathered;
  int base;        // the sample that the first one in each run's room is
  int done[RUNS];  // the first that is not stored of whole lines; always at a multiple of a vector
} Results;

INLINE global STORED *run_of(const Results *results, const int run) {
#if FORWARD
  return results->rows.band[run];
#else
  return results->rows.signal[run];
#endif
}
INLINE int run_size(const Results *results, const int run) {
  if (!FORWARD) return results->s_count + results->d_count;
  return run & 1 ? results->d_count : results->s_count;
}

// Results of pair of rows p, of which those from place `first` of these columns on will be gathered.
INLINE void begin_results(Results *results, const Picture *picture, const int p, const Columns columns, local A *gathered,
                          const int first) {
  find_rows(&results->rows, picture, p, columns.left);
  results->s_count = s_count_of(columns), results->d_count = d_count_of(columns);
  results->first = first;
  results->gathered = (local STORED *)gathered;
  results->base = first * PER_PAIR;
  bool aligned = FILLED, known = aligned, by_twos = true, dense = true;
  UNROLL for (int run = 0; run < RUNS; ++run) {
    const int past = place_in_cache_line(run_of(results, run) + results->base), size = run_size(results, run);
    results->done[run] = results->base + (LINE - past) % LINE;
    aligned &= past * sizeof(STORED) % 16 == 0 && (size % VECTOR == 0 || (past == 0 && LINE == VECTOR));
    known &= !KNOWS_PLACE || past % VECTOR == 0;
    by_twos &= (ulong)(run_of(results, run) + results->base) % (2 * sizeof(STORED_V)) == 0;
    dense &= !FORWARD || results->rows.stride[run] == COLOURS;
  }
  results->gathers = NON_TEMPORAL && dense && !aligned;
  results->known = dense && known && !results->gathers;
  results->by_twos = results->known && by_twos;
}

// A vector of channel cx of row cy as it is stored.
INLINE STORED_V samples_of(const AV v, const int cx, const int cy) {
  return SAMPLE_V(SCALED_OUT(v, FACTOR_2D(OUT, cx, cy), PRE_SHIFT));
}

// Stores what a vector, which begins at sample `from` of a run, has before the first whole line of memory.
INLINE void put_head(const Results *results, const int run, const int from, const STORED_V v) {
  const int n = min(results->done[run], run_size(results, run)) - from;
  if (n > 0) store_some(v, run_of(results, run) + from, COLOURS, n, false);
}

// Puts a vector of both channels of row cy.
INLINE void put_pairs(const Results *results, const int cy, const int at, const AV channels[2], const bool gathers,
                      const bool known) {
  const STORED_V low = samples_of(channels[0], 0, cy), high = samples_of(channels[1], 1, cy);
  if (known) {
    store_known_pairs(&results->rows, cy, at, low, high);
  } else if (!gathers) {
    store_pairs(&results->rows, cy, at, results->s_count, results->d_count, low, high, true);
  } else {
#if FORWARD
    const int low_run = 2 * cy, high_run = 2 * cy + 1, to_high = 0;
    const STORED_V one = low, two = high;
#else
    const int low_run = cy, high_run = cy, to_high = VECTOR;
    const STORED_V one = MERGED(low, high, 0), two = MERGED(low, high, 1);
#endif
    const int from = at * PER_PAIR;
    if (at < results->first + LINE) {
      put_head(results, low_run, from, one);
      put_head(results, high_run, from + to_high, two);
    }
    local STORED *const to = results->gathered + from - results->base;
    STORE_L(one, to + low_run * RUN_ROOM);
    STORE_L(two, to + high_run * RUN_ROOM + to_high);
  }
}

// The same through the caches, beside what is gathered.
INLINE void put_through_caches(const Results *results, const int cy, const int at, const AV channels[2]) {
  store_pairs(&results->rows, cy, at, results->s_count, results->d_count, samples_of(channels[0], 0, cy),
              samples_of(channels[1], 1, cy), false);
}

// Puts two vectors of both sub-bands of row cy, which are `by_twos`.
INLINE void put_two(const Results *results, const int cy, const int at, const AV one[2], const AV two[2]) {
  UNROLL for (int cx = 0; cx < 2; ++cx)
    STORE_TWO(samples_of(one[cx], cx, cy), samples_of(two[cx], cx, cy), run_of(results, 2 * cy + cx) + at);
}

// Stores as many samples as came last, of those before place `end` that came some time ago. What comes after the last
// whole vector of the strip is left to put_rest.
INLINE void put_gathered(Results *results, const int end) {
  const int last = end * PER_PAIR, kept = LATE + VECTOR;
  if (end > results->d_count) return;
  UNROLL for (int i = 0; i < PER_PAIR; ++i)
    UNROLL for (int run = 0; run < RUNS; ++run) {
      const int done = results->done[run];
      if (last - done < kept) continue;
      STORE_NON_TEMPORAL(LOAD_L(results->gathered + run * RUN_ROOM + done - results->base),
                         run_of(results, run) + done);
      results->done[run] = done + VECTOR;
    }
  if (last - results->base < RUN_ROOM - VECTOR * PER_PAIR) return;
  const int moved = last - kept - results->base;
  for (int run = 0; run < RUNS; ++run) {
    local STORED *const room = results->gathered + run * RUN_ROOM;
    for (int i = 0; i < kept; i += VECTOR) STORE_L(LOAD_L(room + moved + i), room + i);
  }
  results->base += moved;
}

// Stores all that was gathered of the places before `end`.
INLINE void put_rest(const Results *results, const int end) {
  for (int run = 0; run < RUNS; ++run) {
    local const STORED *const from = results->gathered + run * RUN_ROOM - results->base;
    const int last = min(end * PER_PAIR, run_size(results, run));
    const int whole = last - place_in_cache_line(run_of(results, run) + last);
    int i = results->done[run];
    for (; i + VECTOR <= whole; i += VECTOR) STORE_NON_TEMPORAL(LOAD_L(from + i), run_of(results, run) + i);
    for (; i + VECTOR <= last; i += VECTOR) STORE_T(LOAD_L(from + i), run_of(results, run) + i);
    for (; i < last; ++i) run_of(results, run)[i] = from[i];
  }
}

// Asks for what the results of pair of rows p will share with their neighbours in memory: stores of less than a
// line of memory read it first, and all later ones wait for that.
INLINE void prefetch_seams(const Picture *picture, const int p, const Columns own) {
  Results next;
  find_rows(&next.rows, picture, p, own.left);
  next.s_count = s_count_of(own), next.d_count = d_count_of(own);
  for (int run = 0; run < RUNS; ++run) {
    PREFETCH(run_of(&next, run))
    PREFETCH(run_of(&next, run) + run_size(&next, run))
  }
}
