// Column pass on CPU devices: a work-item goes down a strip of lines that are neighbours in memory, a pair of
// rows at a time.
//
// All steps run as a pipeline over the last Y_KEPT pairs of rows, which lie in a ring in the nearest caches.
// It does the pairs that no border is near to; the work-item of a strip's first segment does the others.
// Cost per sample: 1 global read and 1 write, and the reach again for each segment. For 9/7 in f32, for
// 2 * VECTOR samples: 8 multiply-adds, 7 reads and 5 writes of the ring. Limited by memory.

// Lines [first, first + count) of a strip, all on the same side of a split.
typedef struct {
  int first, count;
} Lines;

// Of a row of lines, those before `low` stand apart from the others.
static inline Lines lines_of(const Pass *pass, const int strip) {
  const int low = pass->low[0], low_strips = (low + ROW - 1) / ROW;
  const bool is_low = strip < low_strips;
  Lines lines;
  lines.first = is_low ? strip * ROW : low + (strip - low_strips) * ROW;
  lines.count = min(ROW, (is_low ? low : pass->across[0]) - lines.first);
  return lines;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void column_vectors(global T *from, global T *to, global T *corner, const Pass pass) {
  // Of vectors, so that rows start at whole ones.
  local AV memory[2 * Y_KEPT * ROW / VECTOR];
  local A *const ring = (local A *)memory;
  for (int i = 0; i < 2 * Y_KEPT * ROW; i += VECTOR) STORE_V((AV)(0), ring + i);
  const int number = get_group_id(0), rest = number / pass.groups, rows = pass.lines / pass.across[0];
  const Lines lines = lines_of(&pass, number % pass.groups);
  const int index = rest % rows * pass.across[0] + lines.first;
  const Lanes in = INPUT_LANES(index), out = OUTPUT_LANES(index);
  const int begin = REACH_LO + rest / rows * pass.windows;
  const int end = min(begin + pass.windows, S_COUNT(pass.samples) - REACH_HI - 1);

  for (int p = begin - REACH_LO; p < end + Y_LAST_LAG; ++p) {
    const Ring rows_by_age = ring_at(ring, p);
    // Past the reach nothing is needed any more.
    const bool reads = p < end + REACH_HI, fetches = p + 1 < end + REACH_HI;
    const int done = p - Y_LAST_LAG;
    global const T *const in_s = in.first.s + p * in.first.s_pair;
    global const T *const in_d = in.first.d + p * in.first.d_pair;
    global T *const out_s = out.first.s + done * out.first.s_pair;
    global T *const out_d = out.first.d + done * out.first.d_pair;
    for (int j = 0; j < lines.count; j += VECTOR) {
      const int n = lines.count - j;
      AV s = 0, d = 0;
      if (reads) {
        s = TO_A(load_some(in_s + j * in.s_lane, in.s_lane, n));
        d = TO_A(load_some(in_d + j * in.d_lane, in.d_lane, n));
        s = SCALED_IN(s, s), d = SCALED_IN(d, d);
      }
      if (fetches) {
        FETCH(in_s + in.first.s_pair + j * in.s_lane)
        FETCH(in_d + in.first.d_pair + j * in.d_lane)
      }
      sweep_y(&rows_by_age, j, &s, &d);
      if (done < begin) continue;
      store_some(TO_T(SCALED_OUT(s, s)), out_s + j * out.s_lane, out.s_lane, n, true);
      store_some(TO_T(SCALED_OUT(d, d)), out_d + j * out.d_lane, out.d_lane, n, true);
    }
  }

  if (begin > REACH_LO) return;
  for (int j = 0; j < lines.count; j += VECTOR) lift_ends(beside(&in, j), beside(&out, j), lines.count - j, pass);
}
