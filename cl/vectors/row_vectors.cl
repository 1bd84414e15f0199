// row_vectors: a row pass on CPU devices: a work-item lifts whole rows, or a segment of a long one, each in one go from
// memory to memory.
//
// All steps run as a pipeline of vectors in registers. Where lifting a row that goes on beyond its ends gives the same
// as following the boundary rule at every step, the pipeline takes in what the row goes on with (EXTENSION). Else what
// it stores at a border is wrong, and done again for VECTOR rows at once, while they are in the caches: by that, 9/7 in
// f32 takes 1.3 to 1.5 times as long, rows of 256 samples as rows of 1024 (PoCL 3.1, one core of Zen 4).
// After the shifted vectors of Shahbahrami et al. 2008.
// Cost per sample: 1 global read and 1 write. For 9/7 in f32, for 2 * VECTOR samples: 2 vector operations to split the
// channels, 8 multiply-adds, 4 shifts and 2 scalings. Limited by memory in arrays beyond the caches. Within them one
// core of Zen 4 takes 0.15 ns per sample of long rows, where a copy takes 0.11; with loads and stores that ask whether
// they are whole and where they stand, 0.26 (PoCL 3.1, 2^20 samples).

#include "core/boundary.cl"
#include "cpu/pairs.cl"
#include "cpu/pipeline_x.cl"
#include "vectors/borders_in_vectors.cl"

#ifndef EXTENSION
#error "EXTENSION: how rows go on beyond their ends: EXTENSION_NONE, _MIRRORED or _PERIODIC of core/boundary.cl"
#endif
#if !defined(OUTER_BEFORE) || !defined(OUTER_PAIRS)
#error "OUTER_BEFORE, OUTER_PAIRS: places before a row, in whole vectors, and these with those after its last whole vector"
#endif

// The arguments besides the geometry.
typedef struct {
  int lines_per_group;
  int segments, pairs_per_segment;  // of a row, in whole vectors
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

// --- what is no whole vector of a row ----------------------------------------------------------------

// By which rule a row goes on, and for how many pairs. Where its borders are lifted again it need not.
#if EXTENSION == EXTENSION_NONE
#define RULE_OUTSIDE CLAMP
#define OUTSIDE_LO 0
#define OUTSIDE_HI 0
#else
#define RULE_OUTSIDE (EXTENSION == EXTENSION_MIRRORED ? SYMMETRIC : PERIODIC)
#define OUTSIDE_LO REACH_LO
#define OUTSIDE_HI REACH_HI
#endif

// Places of each channel before a row, and from its last whole vector on: those from `from` to `to` have what a pair of
// the row has; beyond these all is zero.
typedef struct {
  int whole;  // pairs in whole vectors
  int from, to;
  int pairs[2][OUTER_PAIRS];
} OuterPairs;

INLINE void find_outer_pairs(local OuterPairs *outer, const int samples) {
  outer->whole = D_COUNT(samples) / VECTOR * VECTOR;
  outer->from = OUTER_BEFORE - OUTSIDE_LO;
  outer->to = OUTER_BEFORE + S_COUNT(samples) - outer->whole + OUTSIDE_HI;
  for (int i = outer->from; i < outer->to; ++i) {
    const int pair = i < OUTER_BEFORE ? i - OUTER_BEFORE : outer->whole + i - OUTER_BEFORE;
    UNROLL for (int parity = 0; parity < 2; ++parity)
      outer->pairs[parity][i] = map_index(RULE_OUTSIDE, parity, pair, samples);
  }
}

// Loads these numbers of one row.
INLINE void load_outer_pairs(const LoadedLine *in, local const OuterPairs *outer, local A *places) {
  for (int i = outer->from; i < outer->to; ++i) {
    places[i] = NUMBER(in->s[outer->pairs[0][i] * in->s_stride]);
    places[OUTER_PAIRS + i] = NUMBER(in->d[outer->pairs[1][i] * in->d_stride]);
  }
}

// --- a row -------------------------------------------------------------------------------------------

// A row on its way: where it is loaded and stored, the row that is asked for meanwhile, and what is no whole vector.
typedef struct {
  Rows in, later, out;
  int s_count, d_count, whole, shift;
  local const A *outer;
} Row;

// Takes in a vector of each channel, and lifts what has come to its turn.
INLINE void take_vectors(AV *s, AV *d, const AV new_s, const AV new_d, const int shift) {
  shift_delay_line(s, d);
  s[0] = SCALED_IN(new_s, IN_s, shift), d[0] = SCALED_IN(new_d, IN_d, shift);
  lift_along_x(s, d);
}

// The same of the vectors from pair `at` on.
INLINE void take_any_vectors(const Row *row, const int at, AV *s, AV *d) {
  AV new_s = 0, new_d = 0;
  const int place = OUTER_BEFORE + (at < 0 ? at : at - row->whole);
  if (at >= 0 && at < row->whole) {
    load_pairs(&row->in, 0, at, row->s_count, row->d_count, &new_s, &new_d);
    prefetch_pairs(&row->later, 0, at);
  } else if (place < OUTER_PAIRS) {
    new_s = LOAD_V(row->outer + place), new_d = LOAD_V(row->outer + OUTER_PAIRS + place);
  }
  take_vectors(s, d, new_s, new_d, row->shift);
}

#define DONE_s SAMPLE_V(SCALED_OUT(s[X_LAST_LAG], OUT_s, row->shift))
#define DONE_d SAMPLE_V(SCALED_OUT(d[X_LAST_LAG], OUT_d, row->shift))

// Whether the vectors of a row are neighbours in memory where STORE_KNOWN may store them.
INLINE bool stores_known(const Row *row) {
  const Rows *const bands = FORWARD ? &row->out : &row->in;
  const ulong places = FORWARD ? (ulong)bands->band[0] | (ulong)bands->band[1] : (ulong)row->out.signal[0];
  const bool aligned = !NON_TEMPORAL || !KNOWS_PLACE || places % sizeof(STORED_V) == 0;
  return bands->stride[0] == 1 && bands->stride[1] == 1 && aligned;
}

// Pairs [begin, end) of a row, from a whole vector on.
INLINE void lift_row(const Row *row, const int begin, const int end) {
  AV s[X_KEPT], d[X_KEPT];
  UNROLL for (int age = 0; age < X_KEPT; ++age) s[age] = d[age] = 0;
  const int late = X_LAST_LAG * VECTOR;
  int at = begin - OUTER_BEFORE;
  for (; at < begin + late; at += VECTOR) take_any_vectors(row, at, s, d);
  // Whether all vectors are stored alike. Not so forward where borders are stored again soon.
  const bool alike = (EXTENSION != EXTENSION_NONE || !FORWARD || !NON_TEMPORAL) && stores_known(row);
  if (alike) {
    for (; at < min(end + late, row->whole); at += VECTOR) {
      AV new_s, new_d;
      load_whole_pairs(&row->in, 0, at, &new_s, &new_d);
      prefetch_pairs(&row->later, 0, at);
      take_vectors(s, d, new_s, new_d, row->shift);
      store_known_pairs(&row->out, 0, at - late, DONE_s, DONE_d);
    }
  }
  for (; at < end + late; at += VECTOR) {
    take_any_vectors(row, at, s, d);
    // Else, forward, the lines of the caches at the ends of a row stay there: they would go past them in part, or are
    // stored again soon. Inverse, all goes past: where each vector was compared, Intel's runtime for CPUs took more
    // than twice as long.
    const int done = at - late;
    const bool goes_past = alike || !FORWARD || (done >= LINE && done + LINE < row->d_count - REACH_HI);
    store_pairs(&row->out, 0, done, row->s_count, row->d_count, DONE_s, DONE_d, goes_past);
  }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void row_vectors(global S *signal, global T *bands, global T *low, const Pass pass, const RowVectors own) {
  // What is no whole vector of VECTOR rows; loaded row by row, 128 samples by 9/7 took 1.1 times as long.
  local AV places[2 * OUTER_PAIRS];
#if EXTENSION == EXTENSION_NONE
  local AV borders[4 * BORDER * BORDER_VECTORS];
#endif
  local OuterPairs outer;
  const int number = get_group_id(0), s_count = S_COUNT(pass.samples);
  const int first = number / own.segments * own.lines_per_group;
  const int end = first + min(own.lines_per_group, pass.lines - first);
  const int begin_pair = number % own.segments * own.pairs_per_segment;
  const int end_pair = min(begin_pair + own.pairs_per_segment, s_count);
  const bool has_inner = EXTENSION != EXTENSION_NONE || s_count > 2 * BORDER;
  find_outer_pairs(&outer, pass.samples);
  for (int i = 0; i < 2 * OUTER_PAIRS; ++i) places[i] = 0;
  for (int index = first; index < end;) {
    const int lines = min(min(VECTOR, end - index), neighbours(&pass, index));
    const LoadedLines in = input_lines(signal, bands, low, &pass, index);
    const StoredLines out = output_lines(signal, bands, low, &pass, index);
    for (int i = 0; has_inner && i < lines; ++i) {
      const LoadedLine from = loaded_from(in, i).first;
      load_outer_pairs(&from, &outer, (local A *)places + i * 2 * OUTER_PAIRS);
    }
    for (int i = 0; has_inner && i < lines; ++i) {
      const LoadedLine from = loaded_from(in, i).first, later = loaded_from(in, i + VECTOR).first;
      const StoredLine to = stored_from(out, i).first;
      const Row row = {INPUT_ROWS((&from)), INPUT_ROWS((&later)), OUTPUT_ROWS((&to)), s_count, D_COUNT(pass.samples),
                       outer.whole, pass.shift, (local A *)places + i * 2 * OUTER_PAIRS};
      lift_row(&row, begin_pair, end_pair);
    }
#if EXTENSION == EXTENSION_NONE
    lift_borders_of(in, out, lines, pass, borders);
#endif
    index += lines;
  }
}
