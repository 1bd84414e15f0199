// Row pass on CPU devices: a work-item lifts whole rows, each in one go from memory to memory.
//
// All steps run as a pipeline of vectors in registers. What that stores beside a border is wrong, and done again
// for VECTOR rows at once, while they are in the caches.
// After the shifted vectors of Shahbahrami et al. 2008.
// Cost per sample: 1 global read and 1 write. For 9/7 in f32, for 2 * VECTOR samples: 2 vector operations to
// split the channels, 8 multiply-adds, 4 shifts and 2 scalings. Limited by memory: on rows of 256 samples 0.9 of
// the copy rate both ways (PoCL 3.1, two cores of Zen 5), 0.64 inverse without the requests ahead.

static inline Rows rows_of(const Line *line) {
  const Rows rows = {{line->s}, {line->s, line->d}, {line->s_pair, line->d_pair}};
  return rows;
}

// One row, but for what is near to a border. Asks for the row `later`.
INLINE void lift_row(const Line *in, const Line *later, const Line *out, const Pass pass) {
  const int low = S_COUNT(pass.samples), high = D_COUNT(pass.samples);
  const Rows from_rows = rows_of(in), later_rows = rows_of(later), to_rows = rows_of(out);
  AV s[X_KEPT], d[X_KEPT];
  UNROLL for (int age = 0; age < X_KEPT; ++age) s[age] = d[age] = 0;
  for (int at = -X_LAST_LAG * VECTOR; at < low; at += VECTOR) {
    const int newest = at + X_LAST_LAG * VECTOR;
    grow_older(s, d);
    if (newest < low) {
      load_pairs(&from_rows, 0, newest, low, high, &s[0], &d[0]);
      fetch_pairs(&later_rows, 0, newest);
      s[0] = SCALED_IN(s, s[0]), d[0] = SCALED_IN(d, d[0]);
    }
    sweep_x(s, d);
    if (at < 0) continue;
    const TV done_s = TO_T(SCALED_OUT(s, s[X_LAST_LAG])), done_d = TO_T(SCALED_OUT(d, d[X_LAST_LAG]));
#ifdef FORWARD
    // What is stored again soon stays in the caches.
    const bool past = at > 0 && at + VECTOR < high - REACH_HI;
#else
    // Intel's CPU runtime took more than twice as long where it had to ask.
    const bool past = true;
#endif
    store_pairs(&to_rows, 0, at, low, high, done_s, done_d, past);
  }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void row_vectors(global T *from, global T *to, global T *corner, const Pass pass) {
  const int first = get_group_id(0) * pass.windows, end = min(first + pass.windows, pass.lines);
  const bool has_inner = S_COUNT(pass.samples) > 2 * BORDER;
  for (int index = first; index < end;) {
    const int lines = min(min(VECTOR, end - index), neighbours(&pass, index));
    const Lanes in = INPUT_LANES(index), out = OUTPUT_LANES(index);
    for (int i = 0; has_inner && i < lines; ++i) {
      const Lanes row = beside(&in, i), later = beside(&row, VECTOR), result = beside(&out, i);
      lift_row(&row.first, &later.first, &result.first, pass);
    }
    lift_ends(in, out, lines, pass);
    index += lines;
  }
}
