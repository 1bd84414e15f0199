// Who has which row, or tile of one.

#include "core/row_bands.cl"
#include "register_rows/runs.cl"

#ifndef SIDE_BY_SIDE
#error "SIDE_BY_SIDE: 1 where neighbouring rows stand side by side, as columns do: neighbouring work-items then have these"
#endif
#ifndef TILED
#error "TILED: 1 where rows are cut into tiles"
#endif
#ifndef BY_STEPS
#error "BY_STEPS: 1 where both ends of a row must be at hand before each step"
#endif
// Such rows in tiles: the first work-groups lift their ends, joined to short rows.
#define ENDS_JOINED (TILED && BY_STEPS)

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
