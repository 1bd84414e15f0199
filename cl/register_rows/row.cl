// What all kernels that take several levels of rows have of a row: its runs, its places in local memory, and where it
// stands in global memory.

#include "core/pass.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group, whole rows"
#endif
#ifndef ROW_ITEMS
#error "ROW_ITEMS: work-items of a row: a power of two, in rows_in_registers any number"
#endif
#ifndef RUN_PAIRS
#error "RUN_PAIRS: pairs of a work-item's run at the first level, a power of two"
#endif
#ifndef WIDE_LEVELS
#error "WIDE_LEVELS: the first levels, in which work-items have runs"
#endif
#ifndef NARROW
#error "NARROW: 1 where further levels follow, in which each work-item has one pair at most"
#endif
// Where this is not known, a work-item takes some 150 instructions to find its row: rows of 33 samples take 2.0 to 2.5
// times as long, rows of 1001 up to 1.06 forward and 1.13 inverse (NVIDIA H200, five levels).
#ifndef EVEN_ROWS
#error "EVEN_ROWS: 1 where each row starts as far after the one before on either side"
#endif
#ifndef INTERLEAVED
#error "INTERLEAVED: 1 where coefficients stay where their samples were"
#endif

// The levels in which work-items have runs, from the finest to the coarsest and back.
#define EACH_WIDE_LEVEL(DO)                       \
  if (WIDE_LEVELS > 0) { DO(1, RUN_PAIRS) }       \
  if (WIDE_LEVELS > 1) { DO(2, RUN_PAIRS / 2) }   \
  if (WIDE_LEVELS > 2) { DO(3, RUN_PAIRS / 4) }   \
  if (WIDE_LEVELS > 3) { DO(4, RUN_PAIRS / 8) }   \
  if (WIDE_LEVELS > 4) { DO(5, RUN_PAIRS / 16) }
#define EACH_WIDE_LEVEL_BACK(DO)                  \
  if (WIDE_LEVELS > 4) { DO(5, RUN_PAIRS / 16) }  \
  if (WIDE_LEVELS > 3) { DO(4, RUN_PAIRS / 8) }   \
  if (WIDE_LEVELS > 2) { DO(3, RUN_PAIRS / 4) }   \
  if (WIDE_LEVELS > 1) { DO(2, RUN_PAIRS / 2) }   \
  if (WIDE_LEVELS > 0) { DO(1, RUN_PAIRS) }

// The arguments besides the geometry.
typedef struct {
  int levels;
  int tiles, tile_samples, halo;  // of a row; from one tile to the next; before and after each of several tiles
  int periodic;                   // whether rows go on from their other end
  int end_groups;                 // the first work-groups, which join both ends of a row
  int end_samples;                // of either end, which are theirs; they join as many more
  int gap;                        // samples that they leave out between both ends
} RegisterRows;

// One place in 32 is unused, so that work-items that read runs of any power of two are in different banks. Where `at`
// is a multiple of a power of two `m`, PLACE_IN(at + i) is PLACE_IN(at) + PLACE_IN(i) for i in 0 .. m - 1.
#define PLACE_IN(i) ((i) + ((i) >> 5))

static inline Line row_on(global T *array, const Side *side, const int row) {
  global T *const start = array + (side->offset + row * side->across[0].stride);
  const Line line = {start, start + side->line.detail, side->line.stride, side->line.stride};
  return line;
}

static inline global S *signal_of_row(global S *signal, const Pass *pass, const int row) {
  const Side *const side = &pass->signal;
  return EVEN_ROWS ? signal + (side->offset + row * side->across[0].stride) : signal_line(signal, pass, row).s;
}

static inline Line bands_of_row(global T *bands, global T *low, const Pass *pass, const int row) {
  if (!EVEN_ROWS) return bands_line(bands, low, pass, row);
  Line line = row_on(bands, &pass->bands, row);
  if (pass->has_low) {
    const Line in_low = row_on(low, &pass->low, row);
    line.s = in_low.s, line.s_stride = in_low.s_stride;
  }
  return line;
}
