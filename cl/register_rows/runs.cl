// Rows that are dealt out to work-items in runs: how long these are, in which levels, and where they stand in local
// memory.

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
