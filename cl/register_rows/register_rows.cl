// register_rows: several levels of rows in one pass over memory.
//
// Some work-items of a sub-group have a row together, or a tile of a longer one with a halo around it; those of a few
// sub-groups, where the row is too long for one. They bring it into local memory, in the order in which it stands in
// global memory, and lift it there level by level, in runs that each of them has in its registers
// (register_rows/level.cl): the steps as Blazewicz et al. 2012 lift a run, for all levels at once. Details go to global
// memory as soon as they are there, the approximations after the last level. The inverse loads all sub-bands first.
//
// A tile ends where its row does, or anywhere within it: there its halo takes up what is wrong. So tiles go on beyond
// either end as rows do, and their kernel knows of no border but that of a signal.
//
// Where a border depends on both ends of a row at each step, as that of rows of odd lengths that repeat, a row goes
// step by step. One that is too long goes in tiles, and the first work-groups lift both of its ends, joined to a short
// row.
//
// Lines that stand side by side, as columns do, are rows as well. Then a work-group has a tile of some neighbours, and
// its work-items stand first along these and then along the line: so they read and store neighbours together. Where
// there is much of them, register_lines does it without local memory.
//
// Cost per sample, for all levels: 1 global read, with the halo of tiles, and 1 write; some 7 accesses to local memory
// in rows of 1024 and 9 in rows of 256. Three fences of a sub-group per level, step by step two for each step and two
// more; no barrier where sub-groups hold whole rows. Local memory for 1.3 times the row. Limited by memory for rows of
// 1024, by instructions and local memory for shorter ones. Lines side by side wait for their work-group at each fence.
//
// 9/7 in f32, in us, on an NVIDIA H200:
//
//   65536 x 1024, five levels   138, a copy 131
//   262144 x 256, three levels  160; rows_in_registers.cl takes these otherwise
//   2^26, one level             140
//   2^26, eight levels          156
//
// The same on an NVIDIA H100, three levels of rows whose border depends on both ends:
//
//                                       here  mirrored  ends in a launch of their own
//   255 x 128 x 129, step by step         34        23  66, for each level
//   2047 x 2049, first axis, in tiles     25        22  42

#include "register_rows/channel.cl"
#include "register_rows/level.cl"
#include "register_rows/row_tile.cl"

#ifndef MOST_NARROW
#error "MOST_NARROW: levels at most in which each work-item has one pair"
#endif
#ifndef ROW_PLACES
#error "ROW_PLACES: samples of local memory for a row, with all margins and unused places"
#endif

// --- levels ------------------------------------------------------------------------------------------

#define MOST_LOWS (NARROW ? 1 : 2 * RUN_PAIRS >> WIDE_LEVELS)
#define DETAILS_AT(level) (line + PLACE_IN(DETAILS_IN(level, own.levels)))
#define SAMPLES_AT(level) HALVED(tile.samples, (level) - 1)
#define LIFT_LEVEL(level, pairs) \
  lift_row_level(line, DETAILS_AT(level), item, pairs, SAMPLES_AT(level), beyond, pass.shift)

#if FORWARD
#define STORE_DETAILS(level, pairs)                                                                             \
  store_channel(DETAILS_AT(level), details_of_row(bands_row, &pass, &tile, level), tile.from >> (level),        \
                min(HALVED(tile.to, level), D_COUNT(SAMPLES_AT(level))), item, pairs)
#define ROW_LEVEL(level, pairs) LIFT_LEVEL(level, pairs); if (!IN_ONE_PIECE) STORE_DETAILS(level, pairs);
#else
#define FETCH_DETAILS(level, pairs, loaded) \
  fetch_channel(details_of_row(bands_row, &pass, &tile, level), D_COUNT(SAMPLES_AT(level)), item, pairs, loaded);
#define PUT_DETAILS(level, pairs, loaded) \
  put_channel(loaded, D_COUNT(SAMPLES_AT(level)), DETAILS_AT(level), item, pairs);
// What is loaded of all levels is kept in as many registers as a run: that of a wide level behind that of all coarser
// ones.
#define FETCH_WIDE(level, pairs) FETCH_DETAILS(level, pairs, loaded + (pairs))
#define PUT_WIDE(level, pairs) PUT_DETAILS(level, pairs, loaded + (pairs))
#define NARROW_DETAILS(DO)                               \
  UNROLL for (int k = 0; NARROW && k < MOST_NARROW; ++k) \
    if (WIDE_LEVELS + 1 + k <= own.levels) DO(WIDE_LEVELS + 1 + k, 1, narrow + k)
#define ROW_LEVEL(level, pairs) LIFT_LEVEL(level, pairs);
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void register_rows(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterRows own) {
  local L rows[ROWS_OF_GROUP][ROW_PLACES];
  const int item = SIDE_BY_SIDE ? ITEM / ROWS_OF_GROUP : ITEM % ROW_ITEMS;
  const int row = SIDE_BY_SIDE ? ITEM % ROWS_OF_GROUP : ITEM / ROW_ITEMS;
  local L *const line = rows[row] + PLACE_IN(ROW_MARGIN);
  const RowTile tile = row_tile(&pass, &own, row);
  global S *const signal_row = signal_of_row(signal, &pass, tile.row);
  const Line bands_row = bands_of_row(bands, low, &pass, tile.row);
  const Beyond beyond = {own.periodic, pass.boundary, BY_STEPS && (!TILED || joins_ends(&own))};
  LOADED loaded[2 * RUN_PAIRS];
#if EXCHANGE == EXCHANGE_NONE
  // Runs go on behind the end of their row, and nothing reads what comes of that. Where speed does not matter, they
  // find zeros there, so that a simulator sees no read of what was never written.
  for (int i = item; i < ROW_PLACES; i += ROW_ITEMS) rows[row][i] = 0;
  ROW_FENCE;
#endif

#if FORWARD
  fetch_channel(samples_of_row(signal_row, &pass, &tile), tile.samples, item, 2 * RUN_PAIRS, loaded);
  put_channel(loaded, tile.samples, line, item, 2 * RUN_PAIRS);
  ROW_FENCE;
  EACH_WIDE_LEVEL(ROW_LEVEL)
#if NARROW
  int level = WIDE_LEVELS + 1;
  do {
    ROW_LEVEL(level, 1)
    ++level;
  } while (level <= own.levels);
#endif
#if IN_ONE_PIECE
  store_in_places(line, bands_row, &tile, own.levels, item);
#endif
  if (!IN_ONE_PIECE || pass.has_low)
    store_channel(line, low_of_row(bands_row, &pass, &tile, own.levels), tile.from >> own.levels,
                  HALVED(tile.to, own.levels), item, MOST_LOWS);

#else
  LOADED narrow[MOST_NARROW];
  const int lows = HALVED(tile.samples, own.levels);
  EACH_WIDE_LEVEL(FETCH_WIDE)
  NARROW_DETAILS(FETCH_DETAILS)
  fetch_channel(low_of_row(bands_row, &pass, &tile, own.levels), lows, item, MOST_LOWS, loaded);
  EACH_WIDE_LEVEL(PUT_WIDE)
  NARROW_DETAILS(PUT_DETAILS)
  put_channel(loaded, lows, line, item, MOST_LOWS);
  ROW_FENCE;
#if NARROW
  int level = own.levels;
  do {
    ROW_LEVEL(level, 1)
    --level;
  } while (level > WIDE_LEVELS);
#endif
  EACH_WIDE_LEVEL_BACK(ROW_LEVEL)
  store_channel(line, samples_of_row(signal_row, &pass, &tile), tile.from, tile.to, item, 2 * RUN_PAIRS);
#endif
}
