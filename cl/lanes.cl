// Lines that are neighbours along the first axis across, each in a lane of a vector; and their ends.

typedef struct {
  Line first;
  long s_lane, d_lane;  // the distance of neighbours
} Lanes;

// How many neighbours there are from line `index` on: those before `low` stand apart from the others.
INLINE int neighbours(const Pass *pass, const int index) {
  const int x = index % pass->across[0], low = pass->low[0];
  return (x < low ? low : pass->across[0]) - x;
}

static inline Lanes lanes_at(const Line first, const Side *side, const Pass *pass) {
  const long lane = side->across[0].pair;
  const bool in_corner = pass->has_corner && first.s + side->line.high != first.d;
  const Lanes lanes = {first, in_corner ? pass->corner.across[0].pair : lane, lane};
  return lanes;
}
#define INPUT_LANES(index) lanes_at(INPUT_LINE(index), &pass.from, &pass)
#define OUTPUT_LANES(index) lanes_at(OUTPUT_LINE(index), &pass.to, &pass)

// The lines from the one in `lane` on.
static inline Lanes beside(const Lanes *lanes, const int lane) {
  Lanes rest = *lanes;
  rest.first.s += lane * lanes->s_lane;
  rest.first.d += lane * lanes->d_lane;
  return rest;
}

// Lifts and stores the ends of `n` lines; see border.cl.
INLINE void lift_ends(const Lanes in, const Lanes out, const int n, const Pass pass) {
  const Line from = in.first, to = out.first;
  const Ends ends = ends_of(pass.samples);
  AV s[2 * BORDER], d[2 * BORDER];
  for (int j = 0; j < ends.s_count; ++j) s[j] = TO_A(load_some(from.s + BORDER_PAIR(j) * from.s_pair, in.s_lane, n));
  for (int j = 0; j < ends.d_count; ++j) d[j] = TO_A(load_some(from.d + BORDER_PAIR(j) * from.d_pair, in.d_lane, n));
  lift_joined(s, d, ends, pass);
  for (int j = 0; j < ends.s_count; ++j) {
    if (!IS_RESULT(j)) continue;
    const int p = BORDER_PAIR(j);
    store_some(TO_T(s[j]), to.s + p * to.s_pair, out.s_lane, n, true);
    if (j < ends.d_count) store_some(TO_T(d[j]), to.d + p * to.d_pair, out.d_lane, n, true);
  }
}
