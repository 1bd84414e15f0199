// A row, or a tile of one: who has it, and where its channels stand in global memory.

#include "register_rows/row.cl"

#ifndef SIDE_BY_SIDE
#error "SIDE_BY_SIDE: 1 where neighbouring rows stand side by side, as columns do: neighbouring work-items then have these"
#endif
#ifndef TILED
#error "TILED: 1 where rows are cut into tiles"
#endif
// Without this, rows of 1001 samples of 16 bits take 1.05 times as long forward (NVIDIA H200, five levels of 5/3).
#ifndef PLANAR
#error "PLANAR: 1 where neighbours in a row of a sub-band are neighbours in memory, 0 where that is not known"
#endif
#ifndef BY_STEPS
#error "BY_STEPS: 1 where both ends of a row must be at hand before each step"
#endif
// Such rows in tiles: the first work-groups lift their ends, joined to short rows.
#define ENDS_JOINED (TILED && BY_STEPS)

// The share of some work-items, in samples of its row. Where it joins both ends of a row, the first `head` samples
// stand `gap` nearer to the start than the others, and the first half of them are results as well.
typedef struct {
  int row;
  int start, samples;  // negative where a periodic row begins
  int from, to;        // samples of the tile whose coefficients are results
  int head, gap;
} RowTile;

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
