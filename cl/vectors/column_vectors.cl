// column_vectors: a column pass on CPU devices: a work-item sweeps down a strip of lines that are neighbours in memory,
// a pair of rows at a time.
//
// All steps run as a pipeline over the last Y_KEPT pairs of rows, which lie in a ring in the nearest caches. It does
// the pairs that are in no border's reach; the work-item of a strip's first segment does the borders, and lines of at
// most 2 * BORDER pairs. After the pipeline of Barina and Zemcik 2015, along columns alone.
// Cost per sample: 1 global read and 1 write, and the reach again for each segment. For 9/7 in f32, for 2 * VECTOR
// samples: 8 multiply-adds, 5 reads and 5 writes of the ring. Limited by memory in arrays beyond the caches. Within
// them one core of Zen 4 takes 0.25 ns per sample of 1025 x 1024 inverse, and 0.36 where every load and store asks
// whether it is whole and where it stands (PoCL 3.1).

#include "cpu/pipeline_y.cl"
#include "vectors/borders_in_vectors.cl"

#ifndef CACHED_VECTORS
#error "CACHED_VECTORS: how many vectors the ring takes, and no fewer than BORDER_VECTORS borders do"
#endif

// The arguments besides the geometry.
typedef struct {
  int strips;             // work-items side by side over a row of lines
  int pairs_per_segment;
} ColumnVectors;

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void column_vectors(global S *signal, global T *bands, global T *low, const Pass pass, const ColumnVectors own) {
  // The ring, then the borders. Of vectors, so that rows start at whole ones.
  local AV memory[CACHED_VECTORS];
  local A *const ring = (local A *)memory;
  const int number = get_group_id(0), rest = number / own.strips, rows = pass.lines / pass.across[0];
  const StripOfLines strip = strip_of(&pass, number % own.strips, ROW);
  const bool non_temporal = !is_ragged(strip.count);
  const bool has_inner = S_COUNT(pass.samples) > 2 * BORDER;
  // Whole vectors, and no more than there are lines: ROW apart, the rows of 32 lines pushed each other out of the
  // nearest cache, and took 1.6 times as long.
  const int row = (strip.count + VECTOR - 1) / VECTOR * VECTOR;
  for (int i = 0; has_inner && i < 2 * Y_KEPT * row; i += VECTOR) STORE_V((AV)(0), ring + i);
  const int index = rest % rows * pass.across[0] + strip.first;
  const LoadedLines in = input_lines(signal, bands, low, &pass, index);
  const StoredLines out = output_lines(signal, bands, low, &pass, index);
  const bool dense = in.s_next == 1 && in.d_next == 1 && out.s_next == 1 && out.d_next == 1 && !is_ragged(strip.count);
  const int begin = REACH_LO + rest / rows * own.pairs_per_segment;
  const int end = min(begin + own.pairs_per_segment, S_COUNT(pass.samples) - REACH_HI - 1);

  for (int p = begin - REACH_LO; has_inner && p < end + Y_LAST_LAG; ++p) {
    Ring rows_by_age;
    find_ring(&rows_by_age, ring, p, row);
    // Past the reach nothing is needed any more.
    const bool reads = p < end + REACH_HI, prefetches = p + 1 < end + REACH_HI;
    const int done = p - Y_LAST_LAG;
    global const LOADED *const in_s = in.first.s + p * in.first.s_stride;
    global const LOADED *const in_d = in.first.d + p * in.first.d_stride;
    global STORED *const out_s = out.first.s + done * out.first.s_stride;
    global STORED *const out_d = out.first.d + done * out.first.d_stride;
    int j = 0;
    // Vectors that are known to be whole, and to be where STORE_KNOWN may store them.
    const bool aligned = !NON_TEMPORAL || !KNOWS_PLACE || ((ulong)out_s | (ulong)out_d) % sizeof(STORED_V) == 0;
    if (dense && prefetches && done >= begin && aligned) {
      for (; j <= strip.count - VECTOR; j += VECTOR) {
        AV s = SCALED_IN(NUMBER_V(LOAD_T(in_s + j)), IN_s, pass.shift);
        AV d = SCALED_IN(NUMBER_V(LOAD_T(in_d + j)), IN_d, pass.shift);
        PREFETCH(in_s + in.first.s_stride + j)
        PREFETCH(in_d + in.first.d_stride + j)
        lift_along_y(&rows_by_age, j, &s, &d);
        STORE_KNOWN(SAMPLE_V(SCALED_OUT(s, OUT_s, pass.shift)), out_s + j);
        STORE_KNOWN(SAMPLE_V(SCALED_OUT(d, OUT_d, pass.shift)), out_d + j);
      }
    }
    for (; j < strip.count; j += VECTOR) {
      const int line = first_line(strip.count, j), n = strip.count - line;
      AV s = 0, d = 0;
      if (reads) {
        s = NUMBER_V(load_some(in_s + line * in.s_next, in.s_next, n));
        d = NUMBER_V(load_some(in_d + line * in.d_next, in.d_next, n));
        s = SCALED_IN(s, IN_s, pass.shift), d = SCALED_IN(d, IN_d, pass.shift);
      }
      if (prefetches) {
        PREFETCH(in_s + in.first.s_stride + line * in.s_next)
        PREFETCH(in_d + in.first.d_stride + line * in.d_next)
      }
      lift_along_y(&rows_by_age, j, &s, &d);
      if (done < begin) continue;
      store_some(SAMPLE_V(SCALED_OUT(s, OUT_s, pass.shift)), out_s + line * out.s_next, out.s_next, n, non_temporal);
      store_some(SAMPLE_V(SCALED_OUT(d, OUT_d, pass.shift)), out_d + line * out.d_next, out.d_next, n, non_temporal);
    }
  }

  if (begin == REACH_LO) lift_borders_of(in, out, strip.count, pass, memory);
}
