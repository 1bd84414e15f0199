// row_vectors: a row pass on CPU devices: a work-item lifts whole rows, each in one go from memory to memory.
//
// All steps run as a pipeline of vectors in registers. What that stores at a border is wrong, and done again for VECTOR
// rows at once, while they are in the caches.
// After the shifted vectors of Shahbahrami et al. 2008.
// Cost per sample: 1 global read and 1 write. For 9/7 in f32, for 2 * VECTOR samples: 2 vector operations to split the
// channels, 8 multiply-adds, 4 shifts and 2 scalings. Limited by memory: on rows of 256 samples 0.9 of the copy rate
// both ways (PoCL 3.1, two cores of Zen 5), 0.64 inverse without the prefetches.

#include "cpu/pairs.cl"
#include "cpu/pipeline_x.cl"
#include "vectors/borders_in_vectors.cl"

// The arguments besides the geometry.
typedef struct {
  int lines_per_group;
} RowVectors;

#define ROWS_OF_SIGNAL(line) {{line->s}}
#define ROWS_OF_BANDS(line) {{0}, {line->s, line->d}, {line->s_stride, line->d_stride}}
#if FORWARD
#define INPUT_ROWS ROWS_OF_SIGNAL
#define OUTPUT_ROWS ROWS_OF_BANDS
#else
#define INPUT_ROWS ROWS_OF_BANDS
#define OUTPUT_ROWS ROWS_OF_SIGNAL
#endif

// One row, but for its borders. Asks for the row `later`.
INLINE void lift_row(const LoadedLine *in, const LoadedLine *later, const StoredLine *out, const Pass pass) {
  const int s_count = S_COUNT(pass.samples), d_count = D_COUNT(pass.samples);
  const Rows from_rows = INPUT_ROWS(in), later_rows = INPUT_ROWS(later), to_rows = OUTPUT_ROWS(out);
  AV s[X_KEPT], d[X_KEPT];
  UNROLL for (int age = 0; age < X_KEPT; ++age) s[age] = d[age] = 0;
  for (int at = -X_LAST_LAG * VECTOR; at < s_count; at += VECTOR) {
    const int newest = at + X_LAST_LAG * VECTOR;
    grow_older(s, d);
    if (newest < s_count) {
      load_pairs(&from_rows, 0, newest, s_count, d_count, &s[0], &d[0]);
      prefetch_pairs(&later_rows, 0, newest);
      s[0] = SCALED_IN(s[0], IN_s, pass.shift), d[0] = SCALED_IN(d[0], IN_d, pass.shift);
    }
    lift_along_x(s, d);
    if (at < 0) continue;
    const STORED_V done_s = SAMPLE_V(SCALED_OUT(s[X_LAST_LAG], OUT_s, pass.shift));
    const STORED_V done_d = SAMPLE_V(SCALED_OUT(d[X_LAST_LAG], OUT_d, pass.shift));
    // Forward, the lines that the borders store again soon stay in the caches: as many as have a vector of them. Inverse,
    // all goes past them: where each vector was compared, Intel's runtime for CPUs took more than twice as long.
    const bool non_temporal = !FORWARD || (at >= LINE && at + LINE < d_count - REACH_HI);
    store_pairs(&to_rows, 0, at, s_count, d_count, done_s, done_d, non_temporal);
  }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void row_vectors(global S *signal, global T *bands, global T *low, const Pass pass, const RowVectors own) {
  local AV borders[4 * BORDER * BORDER_VECTORS];
  const int first = get_group_id(0) * own.lines_per_group;
  const int end = first + min(own.lines_per_group, pass.lines - first);
  const bool has_inner = S_COUNT(pass.samples) > 2 * BORDER;
  for (int index = first; index < end;) {
    const int lines = min(min(VECTOR, end - index), neighbours(&pass, index));
    const LoadedLines in = input_lines(signal, bands, low, &pass, index);
    const StoredLines out = output_lines(signal, bands, low, &pass, index);
    for (int i = 0; has_inner && i < lines; ++i) {
      const LoadedLines row = loaded_from(in, i), later = loaded_from(row, VECTOR);
      const StoredLines result = stored_from(out, i);
      lift_row(&row.first, &later.first, &result.first, pass);
    }
    lift_borders_of(in, out, lines, pass, borders);
    index += lines;
  }
}
