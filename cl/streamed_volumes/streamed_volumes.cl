// streamed_volumes: one level of three axes in one pass over memory.
//
// A work-group has a tile of columns and rows and sweeps with it along z, a pair of planes at a time. A work-item has
// OWN_COLUMNS columns of OWN_ROWS rows. Of each plane it reads these rows and those in reach of them, one pair after the
// other, and lifts them along y in a pipeline in registers. Each row that is done goes on into a pipeline along z, and what is
// done there along x, which takes the columns of the neighbours from local memory. What the pipeline along z keeps from one
// pair of planes to the next is in local memory as well: only that leaves registers to so many work-items that loads
// overlap. The border is lifted like the inside, of a volume that goes on beyond it.
//
// A pipeline keeps one number per step: a sample that has got what one of its two neighbours adds to it, and waits for the
// other one. A pair in a stream is the two samples of which the first step reads the first and changes the second: for steps
// that change approximations first, a detail and the approximation after it.
//
// The pipelines are Barina and Zemcik's (2015), with a third axis.
// Cost per sample: 1 global read and 1 write; rows are read (OWN_ROWS + 2 * STEPS - 1) / OWN_ROWS times, by
// neighbouring work-groups at the same time, for which they are in a cache; STEPS pairs of planes more are read per segment.
// One barrier per row and pair of planes; local memory of OWN_ROWS * STEPS + 4 vectors per work-item.
//
// On an NVIDIA H200 one level of 512 x 512 x 512 by 9/7 in f32 takes 342 us, the inverse 330, where a copy takes 255, and one
// pass for z and one for the pictures take 577 and 567. Registers decide: of 126 a compute unit runs four groups of 128
// work-items, of 167 three, and the inverse takes 435 us; that the places of rows are in local memory saves that many.
// Two pairs of rows ahead take too many: 511 us (457). Nor does another order of groups gain anything, by which neighbours may
// share a compute unit: 353 us. Without lifting along x it takes 316 us, without reading rows again 322.

#include "streamed_volumes/part.cl"

#if REACH_LO > OWN_PAIRS || REACH_HI > OWN_PAIRS
#error "along x results depend on the neighbouring work-items alone"
#endif

// --- pipelines along y and z ----------------------------------------------------------------------------

// Both neighbours of a step have the same factor, so that it does not matter which one this is. Nothing is a zero that
// compilers need not add.
#define ONE_NEIGHBOUR(offset) ((offset) == 0 ? neighbour : -(A)0)
#define STREAM_STEP(k, target, source, first, last, before, after)               \
  UNROLL for (int i = 0; i < OWN_COLUMNS; ++i) {                               \
    const A neighbour = source[i], newest = target[i];                           \
    target[i] = LIFT_##k(waiting[(k) * OWN_COLUMNS + i], ONE_NEIGHBOUR);       \
    waiting[(k) * OWN_COLUMNS + i] = LIFT_##k(newest, ONE_NEIGHBOUR); }

// A pair goes in, and the one RESULTS_LAG before it comes out.
INLINE void lift_stream(A *waiting, A *s, A *d) { LIFT_STEPS(STREAM_STEP) }

// The same for a row along z.
INLINE void lift_planes(local FourNumbers *kept, A *s, A *d) {
  A waiting[STEPS * OWN_COLUMNS];
  UNROLL for (int k = 0; k < STEPS; ++k) vstore4(kept[k * GROUP], k, waiting);
  lift_stream(waiting, s, d);
  UNROLL for (int k = 0; k < STEPS; ++k) kept[k * GROUP] = vload4(k, waiting);
}

// --- along x -------------------------------------------------------------------------------------------

#define RUN_s(n) run[2 * (OWN_PAIRS + (n))]
#define RUN_d(n) run[2 * (OWN_PAIRS + (n)) + 1]
#define RUN_BESIDE_s(offset) RUN_s(n + (offset))
#define RUN_BESIDE_d(offset) RUN_d(n + (offset))
#define COLUMNS_STEP(k, target, source, first, last, before, after)     \
  UNROLL for (int n = -(before); n < OWN_PAIRS + (after); ++n)    \
    RUN_##target(n) = LIFT_##k(RUN_##target(n), RUN_BESIDE_##source);

// Lifts a work-item's columns of a row; `stage` has those of the whole tile, four a work-item.
INLINE void lift_columns(const VolumePart *part, const int samples, local const FourNumbers *stage, A *row) {
  const int item = get_local_id(0), x = item % ITEMS_X;
  A run[3 * OWN_COLUMNS];
  vstore4(stage[x > 0 ? item - 1 : item], 0, run);
  vstore4(vload4(0, row), 1, run);
  vstore4(stage[x < ITEMS_X - 1 ? item + 1 : item], 2, run);
#if WIDE
  // Mirrored about the last column, then about the first. Other rows are loaded like this.
  const bool ends = part->column + OWN_PAIRS == D_COUNT(samples), starts = part->column == 0;
  UNROLL for (int i = 1; i < OWN_COLUMNS + 1; ++i)
    if (ends) run[2 * OWN_COLUMNS - 1 + i] = run[2 * OWN_COLUMNS - 1 - i];
  UNROLL for (int i = 1; i < OWN_COLUMNS + 1; ++i)
    if (starts) run[OWN_COLUMNS - i] = run[OWN_COLUMNS + i];
#endif
  LIFT_STEPS(COLUMNS_STEP)
  UNROLL for (int i = 0; i < OWN_COLUMNS; ++i) row[i] = run[OWN_COLUMNS + i];
}

// --- sweep -------------------------------------------------------------------------------------------

// Pair `turn` of the rows that a work-item reads of a pair of planes: by the channels along z, then y.
INLINE void load_rows(const VolumePart *part, const Pass *pass, const Planes *planes, const int turn, LOADED (*to)[2][OWN_COLUMNS]) {
  UNROLL for (int cz = 0; cz < 2; ++cz)
    UNROLL for (int cy = 0; cy < 2; ++cy) load_columns(part, pass, planes, turn, cy, cz, to[cz][cy]);
}

// Lifts the pair of rows that was loaded along y, and loads the next one.
INLINE void lift_rows(const VolumePart *part, const Pass *pass, Planes *planes, const int p, const int last, const int turn,
                      LOADED (*loaded)[2][OWN_COLUMNS], A (*waiting)[STEPS * OWN_COLUMNS], A (*rows)[2][OWN_COLUMNS]) {
  UNROLL for (int cz = 0; cz < 2; ++cz)
    UNROLL for (int cy = 0; cy < 2; ++cy)
      UNROLL for (int i = 0; i < OWN_COLUMNS; ++i)
        rows[cz][cy][i] = SCALED_IN(NUMBER(loaded[cz][cy][i]), FACTOR_3D(IN, i & 1, cy, cz), PRE_SHIFT);
  if (turn + 1 < ROW_TURNS) {
    load_rows(part, pass, planes, turn + 1, loaded);
  } else if (p < last) {
    *planes = planes_of(part, pass, p + 1);
    load_rows(part, pass, planes, 0, loaded);
  }
  UNROLL for (int cz = 0; cz < 2; ++cz) lift_stream(waiting[cz], rows[cz][0], rows[cz][1]);
}

// Lifts the pairs of planes from `from` to `to`.
INLINE void sweep_planes(const VolumePart *part, const Pass *pass, const int from, const int to, local FourNumbers *kept,
                         local FourNumbers *stage) {
  const int item = get_local_id(0), last = to - 1 + RESULTS_LAG;
  LOADED loaded[2][2][OWN_COLUMNS];
  Planes planes = planes_of(part, pass, from - RESULTS_LAG);
  load_rows(part, pass, &planes, 0, loaded);
  UNROLL for (int i = 0; i < OWN_ROWS * STEPS; ++i) kept[i * GROUP + item] = (FourNumbers)0;
  int p = from - RESULTS_LAG;
  do {
    A waiting[2][STEPS * OWN_COLUMNS], rows[2][2][OWN_COLUMNS];
    UNROLL for (int i = 0; i < STEPS * OWN_COLUMNS; ++i) waiting[0][i] = waiting[1][i] = 0;
    UNROLL for (int turn = 0; turn < WARM_UP; ++turn) lift_rows(part, pass, &planes, p, last, turn, loaded, waiting, rows);
    UNROLL for (int pair = 0; pair < OWN_ROWS / 2; ++pair) {
      lift_rows(part, pass, &planes, p, last, WARM_UP + pair, loaded, waiting, rows);
      UNROLL for (int cy = 0; cy < 2; ++cy) {
        lift_planes(kept + (2 * pair + cy) * STEPS * GROUP + item, rows[0][cy], rows[1][cy]);
        // Two rows take turns in local memory, so that one barrier is enough. PoCL 3.1 leaves out some stores of rows that two
        // sub-groups have in tiles, if it is under the condition below, which all work-items meet or none does.
        local FourNumbers *const own = stage + 2 * cy * GROUP;
        UNROLL for (int cz = 0; cz < 2; ++cz) own[cz * GROUP + item] = vload4(0, rows[cz][cy]);
        barrier(CLK_LOCAL_MEM_FENCE);
        // Before, nothing is done.
        if (p - RESULTS_LAG >= from) UNROLL for (int cz = 0; cz < 2; ++cz) {
          lift_columns(part, pass->samples, own + cz * GROUP, rows[cz][cy]);
          const int y = place_in_stream(part->row + pair, cy), z = place_in_stream(p - RESULTS_LAG, cz);
          store_columns(part, pass, y, z, cy, cz, rows[cz][cy]);
        }
      }
    }
  } while (++p <= last);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void streamed_volumes(global S *signal, global T *bands, global T *low, const Pass pass, const StreamedVolumes own) {
  local FourNumbers kept[OWN_ROWS * STEPS * GROUP], stage[4 * GROUP];
  local Distance rows[ROWS_READ * (GROUP / ITEMS_X)];
  // Tiles that read the same rows are at work at the same time: segments come after tiles, and volumes last.
  const int tiles = own.tiles_x * own.tiles_y, group = get_group_id(0);
  const int share = group / tiles, tile = group - share * tiles;
  const int volume = share / own.segments, segment = share - volume * own.segments;
  const int tile_y = tile / own.tiles_x, tile_x = tile - tile_y * own.tiles_x;
  const VolumePart part = volume_part(signal, bands, low, &pass, &own, volume, tile_x, tile_y, rows);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int pairs = DETAIL_PLACE > 0 ? S_COUNT(pass.across[1]) : D_COUNT(pass.across[1]) + 1;
  const int from = segment * own.pairs_per_segment;
  sweep_planes(&part, &pass, from, min(from + own.pairs_per_segment, pairs), kept, stage);
}
