// Vectors of results on their way to memory, past the caches where the picture is large (STREAM): for that
// they must be whole and aligned. Where rows do not start at multiples of a vector they are gathered in local
// memory, which has room for GATHERED vectors of each run, and stored from there some vectors later.

// Results of a pair of rows are RUNS runs of memory: four bands, or two rows of which each pair is WOVEN samples.
#ifdef FORWARD
#define RUNS 4
#define WOVEN 1
#define RUN(out, run) (out)->rows.far[run]
#define RUN_SIZE(out, run) ((run) & 1 ? (out)->high : (out)->low)
#else
#define RUNS 2
#define WOVEN 2
#define RUN(out, run) (out)->rows.near[run]
#define RUN_SIZE(out, run) ((out)->low + (out)->high)
#endif
#define RUN_ROOM (GATHERED * VECTOR * WOVEN)
// They wait so long that a load does not meet two stores that are still on their way to the cache.
#define LATE (4 * VECTOR)

typedef struct {
  Rows rows;
  int low, high;
  bool gathers;
  int first;  // the first pair that is gathered
  local T *gathered;
  int base;        // the sample that the first one in each run's room is
  int done[RUNS];  // the first that is not stored; always at a multiple of a vector
} Out;

// Results of pair of rows p, of which those from place `first` of the span `own` on will be gathered.
static inline Out out_at(const Plane *plane, const int p, const Span own, local A *gathered, const int first) {
  Out out;
  out.rows = rows_at(plane, p, own.left);
  out.low = LOW_OF(own), out.high = HIGH_OF(own);
  out.first = first;
  out.gathered = (local T *)gathered;
  out.base = first * WOVEN;
  bool aligned = true, dense = true;
  UNROLL for (int run = 0; run < RUNS; ++run) {
    const int past = (ulong)(RUN(&out, run) + out.base) % sizeof(TV) / sizeof(T);
    out.done[run] = out.base + (VECTOR - past) % VECTOR;
    aligned &= past == 0;
#ifdef FORWARD
    dense &= out.rows.step[run] == 1;
#endif
  }
  out.gathers = STREAM && dense && !aligned;
  return out;
}

// Puts a vector of both channels of row cy. The first is stored as it is, too, for what is before the first
// whole one.
INLINE void put_pairs(const Out *out, const int cy, const int at, const AV s, const AV d, const bool gathers) {
  const TV low = TO_T(OUT_V(s, SCALE(OUT, 0, cy))), high = TO_T(OUT_V(d, SCALE(OUT, 1, cy)));
  if (!gathers || at == out->first) store_pairs(&out->rows, cy, at, out->low, out->high, low, high, true);
  if (!gathers) return;
  local T *const to = out->gathered + at * WOVEN - out->base;
#ifdef FORWARD
  STORE_L(low, to + 2 * cy * RUN_ROOM);
  STORE_L(high, to + (2 * cy + 1) * RUN_ROOM);
#else
  TV a, b;
  a.even = low.lo, a.odd = high.lo, b.even = low.hi, b.odd = high.hi;
  STORE_L(a, to + cy * RUN_ROOM);
  STORE_L(b, to + cy * RUN_ROOM + VECTOR);
#endif
}

// Stores as many samples as came last, of those before pair `end` that came some time ago. What comes after
// the last whole vector of the strip is left to put_rest.
INLINE void put_gathered(Out *out, const int end) {
  const int last = end * WOVEN, kept = LATE + VECTOR;
  if (end > out->high) return;
  UNROLL for (int i = 0; i < WOVEN; ++i)
    UNROLL for (int run = 0; run < RUNS; ++run) {
      const int done = out->done[run];
      if (last - done < kept) continue;
      STORE_PAST(LOAD_L(out->gathered + run * RUN_ROOM + done - out->base), RUN(out, run) + done);
      out->done[run] = done + VECTOR;
    }
  if (last - out->base < RUN_ROOM - VECTOR * WOVEN) return;
  const int moved = last - kept - out->base;
  for (int run = 0; run < RUNS; ++run) {
    local T *const room = out->gathered + run * RUN_ROOM;
    for (int i = 0; i < kept; i += VECTOR) STORE_L(LOAD_L(room + moved + i), room + i);
  }
  out->base += moved;
}

// Stores all that was gathered of the pairs before `end`.
INLINE void put_rest(const Out *out, const int end) {
  for (int run = 0; run < RUNS; ++run) {
    local const T *const from = out->gathered + run * RUN_ROOM - out->base;
    const int last = min(end * WOVEN, RUN_SIZE(out, run));
    int i = out->done[run];
    for (; i + VECTOR <= last; i += VECTOR) STORE_PAST(LOAD_L(from + i), RUN(out, run) + i);
    for (; i < last; ++i) RUN(out, run)[i] = from[i];
  }
}

// Asks for what the results of pair of rows p will share with their neighbours in memory: stores of less than
// a vector's worth of memory read it first, and all later ones wait for that.
INLINE void fetch_seams(const Plane *plane, const int p, const Span own) {
  const Rows rows = rows_at(plane, p, own.left);
  const Out next = {rows, LOW_OF(own), HIGH_OF(own)};
  for (int run = 0; run < RUNS; ++run) {
    FETCH(RUN(&next, run))
    FETCH(RUN(&next, run) + RUN_SIZE(&next, run))
  }
}
