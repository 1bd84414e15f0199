// streamed_volumes: one level of three axes in one pass over memory.
//
// A work-group has a tile of columns and rows and sweeps with it along z, a pair of planes at a time. A work-item
// has OWN_COLUMNS columns of OWN_ROWS rows. Of each plane it reads these rows and those in reach of them, one pair
// after the other. Along y it lifts them in a pipeline in registers, along z in one whose numbers are in local
// memory from one pair of planes to the next: only that leaves registers to so many work-items that loads overlap.
// Along x it exchanges with its neighbours (streamed_volumes/lift_x.cl). The border is lifted like the inside, of a
// volume that goes on beyond it.
//
// Reals go along y, then z, then x: of the rows that are read, the fewest go along z and x. Integers keep the wavelet's
// order: z, y, x, in which all rows that are read go along z, or x, y, z, in which they go along x.
//
// A pipeline of reals keeps one number per step: a sample that has got what one of its two neighbours adds to it, and
// waits for the other one. One of integers keeps one more, since a step rounds the sum of both. A pair in a stream is
// the two samples of which the first step reads the first and changes the second: for steps that change approximations
// first, a detail and the approximation after it.
//
// The pipelines are Barina and Zemcik's (2015), with a third axis. Cost per sample: 1 global read and 1 write; rows are
// read (OWN_ROWS + 2 * STEPS - 1) / OWN_ROWS times, by neighbouring work-groups at the same time, for which they are in
// a cache; STEPS pairs of planes more are read per segment. One barrier per pair of rows and of planes where rows have
// seams, of the own rows or, where x is first, of all that are read; local memory of KEPT_ROWS * IN_PIPELINE vectors
// per work-item, and 16 per seam, or without exchange 8 per work-item. Of rows that are no vectors each sample is a
// load and a store of its own, and on the side of the signal goes through local memory, 4 vectors more per work-item.
//
// On an NVIDIA H100 one level of 512 x 512 x 512 by 9/7 in f32 takes 380 us, the inverse 376, where a copy takes 358.
// What limits it is how much is on its way from memory, and so registers: of 200 each, a compute unit has enough for
// two groups of 128 work-items, of which each loads a whole pair of planes ahead. Four groups by 128 registers, which
// load a pair of rows ahead, take 473 us (475). On an NVIDIA H200, where these take 305 us (313) and a copy 255, a
// barrier before each row instead of each pair of rows takes 330 (333), all columns through local memory as much,
// pieces of rows that overlap by a work-item at each end, without barriers, 404 (380); and the places of rows computed
// anew, not kept in local memory, 509 (556). In 16 bits instructions decide: halves take 245 us (inverse 275) on the
// H100, and rounded samples, which convert at a quarter of the rate, 285 (308). On the H200 511 x 511 x 511, whose rows
// are no vectors, takes 449 us (450); without the exchange 486 (487).

#include "streamed_volumes/columns.cl"
#include "streamed_volumes/lift_x.cl"

// --- pipelines along y and z ----------------------------------------------------------------------------

#if INTEGER
// A step needs both neighbours at once. IN_PIPELINE numbers stand in a row: the sample that waits for step k, then what
// the step has read already, which waits for the next step.
#define IN_PIPELINE (STEPS + 1)
#define EITHER_NEIGHBOUR(offset) ((offset) == later ? newer : older)
#define STREAM_STEP(k, target, source, first, last, before, after)                                               \
  UNROLL for (int i = 0; i < OWN_COLUMNS; ++i) {                                                                 \
    const int later = last; const A newest = target[i], newer = source[i], older = waiting[((k) + 1) * OWN_COLUMNS + i]; \
    target[i] = LIFT_##k(waiting[(k) * OWN_COLUMNS + i], EITHER_NEIGHBOUR), waiting[(k) * OWN_COLUMNS + i] = newest; }
#else
// Half of a step is done before the other neighbour is there. Both have the same factor, so that it does not matter
// which one this is. Nothing is a zero that compilers need not add.
#define IN_PIPELINE STEPS
#define ONE_NEIGHBOUR(offset) ((offset) == 0 ? neighbour : -(A)0)
#define STREAM_STEP(k, target, source, first, last, before, after)               \
  UNROLL for (int i = 0; i < OWN_COLUMNS; ++i) {                               \
    const A neighbour = source[i], newest = target[i];                           \
    target[i] = LIFT_##k(waiting[(k) * OWN_COLUMNS + i], ONE_NEIGHBOUR);       \
    waiting[(k) * OWN_COLUMNS + i] = LIFT_##k(newest, ONE_NEIGHBOUR); }
#endif

// A pair goes in, and the one RESULTS_LAG before it comes out.
INLINE void lift_stream(A *waiting, A *s, A *d) {
  LIFT_STEPS(STREAM_STEP)
#if INTEGER
  UNROLL for (int i = 0; i < OWN_COLUMNS; ++i) waiting[STEPS * OWN_COLUMNS + i] = DETAIL_PLACE > 0 ? d[i] : s[i];
#endif
}

// The same for a row along z.
INLINE void lift_planes(local Numbers *kept, A *s, A *d) {
  A waiting[IN_PIPELINE * OWN_COLUMNS];
  UNROLL for (int k = 0; k < IN_PIPELINE; ++k) FROM_NUMBERS(kept[k * GROUP], k, waiting);
  lift_stream(waiting, s, d);
  UNROLL for (int k = 0; k < IN_PIPELINE; ++k) kept[k * GROUP] = TO_NUMBERS(k, waiting);
}

// --- sweep -------------------------------------------------------------------------------------------

// Integers are lifted in the order of the wavelet's axes, reals first along y, so that few rows wait for z: rows go on
// in a pipeline along z as they are read, or when they are done along y.
#define Z_FIRST (INTEGER && !X_FIRST)
#define KEPT_ROWS (Z_FIRST ? 2 * ROW_PAIRS_READ : OWN_ROWS)

// Pair `row_pair` of the rows that a work-item reads of a pair of planes: by the channels along z, then y.
INLINE void load_rows(const VolumePart *part, const Pass *pass, const Planes *planes, const int row_pair,
                      WORD (*to)[2][ALL_WORDS]) {
  UNROLL for (int cz = 0; cz < 2; ++cz)
    UNROLL for (int cy = 0; cy < 2; ++cy) load_columns(part, pass, planes, row_pair, cy, cz, to[cz][cy]);
}

// Loads the pair of rows that is PREFETCHED after pair `row_pair` of planes p.
INLINE void load_next(const VolumePart *part, const Pass *pass, Planes *planes, const int p, const int last,
                      const int row_pair, WORD (*to)[2][ALL_WORDS]) {
  const int next = row_pair + PREFETCHED;
  if (next < ROW_PAIRS_READ) {
    load_rows(part, pass, planes, next, to);
  } else if (p < last) {
    if (next == ROW_PAIRS_READ) *planes = planes_of(part, pass, p + 1);
    load_rows(part, pass, planes, next - ROW_PAIRS_READ, to);
  }
}

// A pair of rows that was loaded, as numbers.
INLINE void unpack_rows(const VolumePart *part, WORD (*words)[2][ALL_WORDS], A (*rows)[2][OWN_COLUMNS]) {
  UNROLL for (int cz = 0; cz < 2; ++cz)
    UNROLL for (int cy = 0; cy < 2; ++cy)
      UNROLL for (int i = 0; i < OWN_COLUMNS; ++i) {
        const LOADED sample = loaded_column(part, words[cz][cy], cy, cz, i);
        rows[cz][cy][i] = SCALED_IN(NUMBER(sample), FACTOR_3D(IN, i & 1, cy, cz), PRE_SHIFT);
      }
}

// Takes a pair of rows, and loads the next one in its place.
INLINE void take_rows(const VolumePart *part, const Pass *pass, Planes *planes, const int p, const int last,
                      const int row_pair, WORD (*loaded)[2][ALL_WORDS], A (*rows)[2][OWN_COLUMNS]) {
#if COALESCED && FORWARD
  WORD own[2][2][ALL_WORDS];
  show_rows(part, loaded);
  load_next(part, pass, planes, p, last, row_pair, loaded);
  find_own_rows(part, own);
  unpack_rows(part, own, rows);
#else
  unpack_rows(part, loaded, rows);
  load_next(part, pass, planes, p, last, row_pair, loaded);
#endif
}

// Stores a pair of rows that is done.
INLINE void store_rows(const VolumePart *part, const Pass *pass, const int pair, const int p, A (*rows)[2][OWN_COLUMNS]) {
  STORED done[2][2][OWN_COLUMNS];
  UNROLL for (int cz = 0; cz < 2; ++cz)
    UNROLL for (int cy = 0; cy < 2; ++cy)
      UNROLL for (int i = 0; i < OWN_COLUMNS; ++i)
        done[cz][cy][STORED_PLACE(i)] = SAMPLE(SCALED_OUT(rows[cz][cy][i], FACTOR_3D(OUT, i & 1, cy, cz), PRE_SHIFT));
#if COALESCED && !FORWARD
  exchange_results(part, done);
#endif
  UNROLL for (int cy = 0; cy < 2; ++cy)
    UNROLL for (int cz = 0; cz < 2; ++cz)
      store_columns(part, pass, place_in_stream(pair, cy), place_in_stream(p, cz), cy, cz, done[cz][cy]);
}

// What comes before y, of a pair of rows.
INLINE void lift_before_y(const VolumePart *part, const Pass *pass, local Numbers *kept, local Numbers *seams,
                          const int row_pair, A (*rows)[2][OWN_COLUMNS]) {
#if X_FIRST
  meet_at_seams(seams, rows);
  lift_rows_x(part, pass->samples, seams, rows);
#elif Z_FIRST
  // Of the last pair results depend on what the first step reads alone.
  UNROLL for (int cy = 0; cy < 2; ++cy)
    if (row_pair + 1 < ROW_PAIRS_READ || cy != (DETAIL_PLACE > 0))
      lift_planes(kept + (2 * row_pair + cy) * IN_PIPELINE * GROUP, rows[0][cy], rows[1][cy]);
#endif
}

// Lifts the pairs of planes from `from` to `to`.
INLINE void sweep_planes(const VolumePart *part, const Pass *pass, const int from, const int to, local Numbers *kept,
                         local Numbers *seams) {
  const int last = to - 1 + RESULTS_LAG;
  WORD loaded[PREFETCHED][2][2][ALL_WORDS];
  Planes planes = planes_of(part, pass, from - RESULTS_LAG);
  UNROLL for (int n = 0; n < PREFETCHED; ++n) load_rows(part, pass, &planes, n, loaded[n]);
  kept += ITEM;
  UNROLL for (int i = 0; i < KEPT_ROWS * IN_PIPELINE; ++i) kept[i * GROUP] = (Numbers)0;
  int p = from - RESULTS_LAG;
  do {
    A waiting[2][IN_PIPELINE * OWN_COLUMNS], rows[2][2][OWN_COLUMNS];
    UNROLL for (int i = 0; i < IN_PIPELINE * OWN_COLUMNS; ++i) waiting[0][i] = waiting[1][i] = 0;
    UNROLL for (int row_pair = 0; row_pair < ROW_PAIRS_READ; ++row_pair) {
      const int pair = row_pair - WARM_UP;
      local Numbers *const at_seams = seams_of_row_pair(seams, p, X_FIRST ? row_pair : pair);
      take_rows(part, pass, &planes, p, last, row_pair, loaded[row_pair % PREFETCHED], rows);
      lift_before_y(part, pass, kept, at_seams, row_pair, rows);
      UNROLL for (int cz = 0; cz < 2; ++cz) lift_stream(waiting[cz], rows[cz][0], rows[cz][1]);
      if (pair < 0) continue;
      UNROLL for (int cy = 0; cy < 2; ++cy)
        if (!Z_FIRST) lift_planes(kept + (2 * pair + cy) * IN_PIPELINE * GROUP, rows[0][cy], rows[1][cy]);
#if !X_FIRST && EXCHANGE == EXCHANGE_NONE
      // PoCL 3.1 leaves out some stores behind a barrier under the condition below, which all
      // work-items meet or none does.
      meet_at_seams(at_seams, rows);
#endif
      // Before, nothing is done.
      if (p - RESULTS_LAG < from) continue;
#if !X_FIRST
#if EXCHANGE != EXCHANGE_NONE
      meet_at_seams(at_seams, rows);
#endif
      lift_rows_x(part, pass->samples, at_seams, rows);
#endif
      store_rows(part, pass, part->row + pair, p - RESULTS_LAG, rows);
    }
  } while (++p <= last);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void streamed_volumes(global S *signal, global T *bands, global T *low, const Pass pass, const StreamedVolumes own) {
  local Numbers kept[KEPT_ROWS * IN_PIPELINE * GROUP], seams[2 * ROWS_AT_SEAMS];
  local Distance rows[PLACES_OF_ROWS * (GROUP / ITEMS_X)];
  local S stage[COALESCED ? 4 * GROUP * OWN_COLUMNS : 1] __attribute__((aligned(32)));
  // Tiles that read the same rows are at work at the same time: segments come after tiles, and volumes last.
  const int tiles = own.tiles_x * own.tiles_y, group = get_group_id(0);
  const int share = group / tiles, tile = group - share * tiles;
  const int volume = share / own.segments, segment = share - volume * own.segments;
  const int tile_y = tile / own.tiles_x, tile_x = tile - tile_y * own.tiles_x;
  const VolumePart part = volume_part(signal, bands, low, &pass, &own, volume, tile_x, tile_y, rows, stage);
  clear_seams(seams);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int pairs = DETAIL_PLACE > 0 ? S_COUNT(pass.across[1]) : D_COUNT(pass.across[1]) + 1;
  const int from = segment * own.pairs_per_segment;
  sweep_planes(&part, &pass, from, min(from + own.pairs_per_segment, pairs), kept, seams);
}
