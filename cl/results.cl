// Vectors of results on their way to memory, past the caches where the picture is large (STREAM): for that
// they must be whole and aligned. Where rows do not start at multiples of a vector they are gathered in local
// memory, GATHERED vectors at a time, and stored from there.

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
#define RUN_ROOM ((GATHERED + 1) * VECTOR * WOVEN)

typedef struct {
  Rows rows;
  int low, high;
  bool gathers;
  local T *gathered;
  int base;        // the sample that the first gathered one is
  int done[RUNS];  // the first that is not stored
} Out;

// Results of pair of rows p, of which those from place `first` of the span `own` on will be gathered.
static inline Out out_at(const Plane *plane, const int p, const Span own, local A *gathered, const int first) {
  Out out;
  out.rows = rows_at(plane, p, own.left);
  out.low = LOW_OF(own), out.high = HIGH_OF(own);
  out.gathers = false;
  out.gathered = (local T *)gathered;
  out.base = first * WOVEN;
#if STREAM
  bool aligned = true, dense = true;
  UNROLL for (int run = 0; run < RUNS; ++run) {
    aligned &= (ulong)RUN(&out, run) % sizeof(TV) == 0;
#ifdef FORWARD
    dense &= out.rows.step[run] == 1;
#endif
    out.done[run] = first * WOVEN;
  }
  out.gathers = dense && !aligned;
#endif
  return out;
}

INLINE void put_pairs(const Out *out, const int cy, const int at, const AV s, const AV d) {
  const TV low = TO_T(OUT_V(s, SCALE(OUT, 0, cy))), high = TO_T(OUT_V(d, SCALE(OUT, 1, cy)));
  if (!out->gathers) {
    store_pairs(&out->rows, cy, at, out->low, out->high, low, high);
    return;
  }
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

// Stores what was gathered of the pairs before `end`, but for the rest after the last whole vector. The last
// of the strip, where not all bands have pairs before `end`, is left to put_rest.
INLINE void put_gathered(Out *out, const int end) {
  if (!out->gathers || end > out->high || end * WOVEN - out->base < GATHERED * VECTOR * WOVEN) return;
  UNROLL for (int run = 0; run < RUNS; ++run) {
    local T *const from = out->gathered + run * RUN_ROOM;
    const int done = out->done[run], n = end * WOVEN - done;
    out->done[run] += store_whole(from + done - out->base, RUN(out, run) + done, n);
    STORE_L(LOAD_L(from + end * WOVEN - VECTOR - out->base), from);
  }
  out->base = end * WOVEN - VECTOR;
}

// Stores all that was gathered of the pairs before `end`.
INLINE void put_rest(Out *out, const int end) {
  if (!out->gathers) return;
  UNROLL for (int run = 0; run < RUNS; ++run) {
    local T *const from = out->gathered + run * RUN_ROOM - out->base;
    const int last = min(end * WOVEN, RUN_SIZE(out, run));
    int done = out->done[run];
    done += store_whole(from + done, RUN(out, run) + done, last - done);
    for (; done < last; ++done) RUN(out, run)[done] = from[done];
  }
}
