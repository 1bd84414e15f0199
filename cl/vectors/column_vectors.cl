// Column pass on CPU devices: a work-item sweeps down a strip of lines that are neighbours in memory, a pair of rows at a
// time.
//
// All steps run as a pipeline over the last Y_KEPT pairs of rows, which lie in a ring in the nearest caches. It does the
// pairs that are in no border's reach; the work-item of a strip's first segment does the borders.
// Cost per sample: 1 global read and 1 write, and the reach again for each segment. For 9/7 in f32, for 2 * VECTOR
// samples: 8 multiply-adds, 7 reads and 5 writes of the ring. Limited by memory.

#include "cpu/pipeline_y.cl"
#include "vectors/parallel_lines.cl"

// The arguments besides the geometry.
typedef struct {
  int strips;             // work-items side by side over a row of lines
  int pairs_per_segment;
} ColumnVectors;

// Lines [first, first + count) of a strip, all low-pass or all not across it: those before `low_across` stand apart.
typedef struct {
  int first, count;
} StripOfLines;

static inline StripOfLines strip_of(const Pass *pass, const int number) {
  const int low = pass->low_across[0], low_strips = (low + ROW - 1) / ROW;
  const bool is_low = number < low_strips;
  StripOfLines strip;
  strip.first = is_low ? number * ROW : low + (number - low_strips) * ROW;
  strip.count = min(ROW, (is_low ? low : pass->across[0]) - strip.first);
  return strip;
}

// Whether it is some vectors and a part of one. Then rows share vectors of memory with their neighbours, and stores past the
// caches would wait for these: in arrays of more than 16 MiB, 40 lines side by side took ten times as long, 129 to 300 twice
// (PoCL 3.1, one core of Zen 5).
INLINE bool is_ragged(const StripOfLines strip) { return strip.count < 32 * VECTOR && strip.count % VECTOR > 0; }

// The line that the vector of place `j` starts with. The last one of a ragged strip ends with the strip's last line; lines that
// the vector before has, too, are lifted twice, in places of the ring of their own.
INLINE int first_line(const StripOfLines strip, const int j) {
  return is_ragged(strip) ? max(min(j, strip.count - VECTOR), 0) : j;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void column_vectors(global S *signal, global T *bands, global T *low, const Pass pass, const ColumnVectors own) {
  // Of vectors, so that rows start at whole ones.
  local AV memory[2 * Y_KEPT * ROW / VECTOR];
  local A *const ring = (local A *)memory;
  for (int i = 0; i < 2 * Y_KEPT * ROW; i += VECTOR) STORE_V((AV)(0), ring + i);
  const int number = get_group_id(0), rest = number / own.strips, rows = pass.lines / pass.across[0];
  const StripOfLines strip = strip_of(&pass, number % own.strips);
  const bool past = !is_ragged(strip);
  const int index = rest % rows * pass.across[0] + strip.first;
  const LoadedLines in = INPUT_LINES(index);
  const StoredLines out = OUTPUT_LINES(index);
  const int begin = REACH_LO + rest / rows * own.pairs_per_segment;
  const int end = min(begin + own.pairs_per_segment, S_COUNT(pass.samples) - REACH_HI - 1);

  for (int p = begin - REACH_LO; p < end + Y_LAST_LAG; ++p) {
    const Ring rows_by_age = ring_at(ring, p);
    // Past the reach nothing is needed any more.
    const bool reads = p < end + REACH_HI, prefetches = p + 1 < end + REACH_HI;
    const int done = p - Y_LAST_LAG;
    global const LOADED *const in_s = in.first.s + p * in.first.s_stride;
    global const LOADED *const in_d = in.first.d + p * in.first.d_stride;
    global STORED *const out_s = out.first.s + done * out.first.s_stride;
    global STORED *const out_d = out.first.d + done * out.first.d_stride;
    for (int j = 0; j < strip.count; j += VECTOR) {
      const int line = first_line(strip, j), n = strip.count - line;
      AV s = 0, d = 0;
      if (reads) {
        s = TO_A(load_some(in_s + line * in.s_next, in.s_next, n));
        d = TO_A(load_some(in_d + line * in.d_next, in.d_next, n));
        s = SCALED_IN(s, IN_s, pass.shift), d = SCALED_IN(d, IN_d, pass.shift);
      }
      if (prefetches) {
        PREFETCH(in_s + in.first.s_stride + line * in.s_next)
        PREFETCH(in_d + in.first.d_stride + line * in.d_next)
      }
      lift_along_y(&rows_by_age, j, &s, &d);
      if (done < begin) continue;
      store_some(TO_T(SCALED_OUT(s, OUT_s, pass.shift)), out_s + line * out.s_next, out.s_next, n, past);
      store_some(TO_T(SCALED_OUT(d, OUT_d, pass.shift)), out_d + line * out.d_next, out.d_next, n, past);
    }
  }

  if (begin > REACH_LO) return;
  for (int j = 0; j < strip.count; j += VECTOR) {
    const int line = first_line(strip, j);
    lift_borders_of(loaded_from(in, line), stored_from(out, line), strip.count - line, pass, past);
  }
}
