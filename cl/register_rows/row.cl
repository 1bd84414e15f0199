// A row, or a tile of one, of the kernels that take several levels of rows: who has it, and where its channels stand.

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
#ifndef SIDE_BY_SIDE
#error "SIDE_BY_SIDE: 1 where neighbouring rows stand side by side, as columns do: neighbouring work-items then have these"
#endif
#ifndef TILED
#error "TILED: 1 where rows are cut into tiles"
#endif
// Where this is not known, a work-item takes some 150 instructions to find its row.
#ifndef EVEN_ROWS
#error "EVEN_ROWS: 1 where each row starts as far after the one before on either side"
#endif
#ifndef PLANAR
#error "PLANAR: 1 where neighbours in a row of a sub-band are neighbours in memory, 0 where that is not known"
#endif

#ifndef INTERLEAVED
#error "INTERLEAVED: 1 where coefficients stay where their samples were"
#endif
#ifndef BY_STEPS
#error "BY_STEPS: 1 where both ends of a row must be at hand before each step"
#endif
// Such rows in tiles: the first work-groups lift their ends, joined to short rows.
#define ENDS_JOINED (TILED && BY_STEPS)

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

// The share of some work-items, in samples of its row. Where it joins both ends of a row, the first `head` samples
// stand `gap` nearer to the start than the others, and the first half of them are results as well.
typedef struct {
  int row;
  int start, samples;  // negative where a periodic row begins
  int from, to;        // samples of the tile whose coefficients are results
  int head, gap;
} RowTile;

// One place in 32 is unused, so that work-items that read runs of any power of two are in different banks. Where `at`
// is a multiple of a power of two `m`, PLACE_IN(at + i) is PLACE_IN(at) + PLACE_IN(i) for i in 0 .. m - 1.
#define PLACE_IN(i) ((i) + ((i) >> 5))

#define ROWS_OF_GROUP (GROUP / ROW_ITEMS)

static inline bool joins_ends(const RegisterRows *own) { return ENDS_JOINED && (int)get_group_id(0) < own->end_groups; }

// Both ends of a row: of what is joined of either end, the inner half is wrong where they meet.
static inline RowTile ends_of_row(const Pass *pass, const RegisterRows *own, const int row) {
  const int samples = pass->samples - own->gap;
  const RowTile tile = {row, own->gap, samples, 3 * own->end_samples, samples, 2 * own->end_samples, own->gap};
  return tile;
}

// A tile, or a whole row. The outer half of what is joined of either end is no result here.
static inline RowTile tile_of_row(const Pass *pass, const RegisterRows *own, const int row, const int number) {
  RowTile tile = {row, 0, pass->samples, 0, pass->samples, 0, 0};
  if (TILED) {
    const int begin = number * own->tile_samples, end = min(begin + own->tile_samples, pass->samples);
    tile.start = own->periodic ? begin - own->halo : max(begin - own->halo, 0);
    tile.samples = (own->periodic ? end + own->halo : min(end + own->halo, pass->samples)) - tile.start;
    tile.from = (ENDS_JOINED ? max(begin, own->end_samples) : begin) - tile.start;
    tile.to = (ENDS_JOINED ? min(end, own->gap + 3 * own->end_samples) : end) - tile.start;
  }
  return tile;
}

// What one of a work-group's rows is. Where rows are side by side, neighbouring work-groups have neighbouring rows too.
static inline RowTile row_tile(const Pass *pass, const RegisterRows *own, const int in_group) {
  const bool joins = joins_ends(own);
  const int group = (int)get_group_id(0) - (ENDS_JOINED && !joins ? own->end_groups : 0);
  const int groups = (pass->lines + ROWS_OF_GROUP - 1) / ROWS_OF_GROUP, number = group * ROWS_OF_GROUP + in_group;
  const int tiles = TILED && !joins ? own->tiles : 1;
  const int row = SIDE_BY_SIDE ? group % groups * ROWS_OF_GROUP + in_group : TILED ? number / tiles : number;
  const int inside = min(row, pass->lines - 1);
  RowTile tile = joins ? ends_of_row(pass, own, inside)
                       : tile_of_row(pass, own, inside, SIDE_BY_SIDE ? group / groups : number - row * tiles);
  if (row >= pass->lines) tile.to = tile.head = 0;
  return tile;
}

// Where a channel of some level, or the signal, stands in global memory, from the tile on.
typedef struct {
  global T *first;
  int stride;
  int start, count;  // of the row: the first of the tile, and how many there are
  int head, gap;     // of the tile
} RowBand;

static inline RowBand details_of_row(const Line line, const Pass *pass, const RowTile *tile, const int level) {
  const int samples = HALVED(pass->samples, level - 1);
  global T *const row = line.d - pass->bands.line.detail;
  const int stride = INTERLEAVED ? (int)line.d_stride << (level - 1) : PLANAR ? 1 : (int)line.d_stride;
  // The distance of neighbours that a level of one detail does not have may not fit.
  const int first = INTERLEAVED ? ((int)line.d_stride >> 1) << (level - 1) : stride * S_COUNT(samples);
  const RowBand band = {row + first, stride,
                        tile->start >> level, D_COUNT(samples),
                        tile->head >> level, tile->gap >> level};
  return band;
}

static inline RowBand low_of_row(const Line line, const Pass *pass, const RegisterRows *own, const RowTile *tile) {
  const int stays = INTERLEAVED && !pass->has_low;
  const int stride = stays ? (int)line.s_stride << (own->levels - 1) : PLANAR ? 1 : (int)line.s_stride;
  const RowBand band = {line.s, stride, tile->start >> own->levels, HALVED(pass->samples, own->levels),
                        tile->head >> own->levels, tile->gap >> own->levels};
  return band;
}

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
