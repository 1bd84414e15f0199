// register_rows: several levels of rows in one pass over memory.
//
// Some work-items of a sub-group have a row together, or a tile of a longer one with a halo around it; those of a few
// sub-groups, where the row is too long for one. They bring it into local memory, in the order in which it stands in global
// memory, and lift it there level by level, in runs that each of them has in its registers (register_rows/level.cl): the
// steps as Blazewicz et al. 2012 lift a run, for all levels at once. Details go to global memory as soon as they are there,
// the approximations after the last level. The inverse loads all sub-bands first.
//
// A tile ends where its row does, or anywhere within it: there its halo takes up what is wrong. So tiles go on beyond either
// end as rows do, and their kernel knows of no border but that of a signal.
//
// Cost per sample: 1 global read (and the halo of tiles) and 1 write, for all levels; some 7 accesses to local memory for
// rows of 1024 and 9 for rows of 256, of which there is 1.3 times the row; four fences of a sub-group per level, and no
// barrier where sub-groups hold whole rows. Limited by memory for rows of 1024, by instructions and local memory for shorter
// ones: on an NVIDIA H200, 9/7 in f32 takes 138 us for five levels of 65536 x 1024 (a copy 131), 160 us for three levels of
// 262144 x 256; one level of a signal of 2^26 140 us, eight levels 156.

#include "core/pass.cl"
#include "register_rows/level.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group, whole rows"
#endif
#ifndef WIDE_LEVELS
#error "WIDE_LEVELS: the first levels, in which runs have several pairs"
#endif
#ifndef NARROW
#error "NARROW: 1 where further levels follow, in which each work-item has one pair at most"
#endif
#ifndef ROW_PLACES
#error "ROW_PLACES: samples of local memory for a row, with all margins and unused places"
#endif
#ifndef TILED
#error "TILED: 1 where rows are cut into tiles"
#endif
// Else a work-item takes some 150 instructions to find its row.
#ifndef EVEN_ROWS
#error "EVEN_ROWS: 1 where each row starts as far after the one before on either side"
#endif
#ifndef PLANAR_ROWS
#error "PLANAR_ROWS: 1 where neighbours in a row of a sub-band are neighbours in memory, 0 where that is not known"
#endif

#ifndef SIGNAL_ROWS
#error "SIGNAL_ROWS: the same for the signal"
#endif

// The arguments besides the geometry.
typedef struct {
  int levels;
  int tiles, tile_samples, halo;  // of a row; from one tile to the next; before and after each of several tiles
  int periodic;                   // whether rows go on from their other end
  int interleaved;                // 1 where coefficients stay where their samples were
} RegisterRows;

// The share of some work-items, in samples of its row.
typedef struct {
  int row;
  int start, samples;  // negative where a periodic row begins
  int from, to;        // samples of the tile whose coefficients are results
} RowTile;

static inline RowTile row_tile(const Pass *pass, const RegisterRows *own, const int number) {
  const int row = TILED ? number / own->tiles : number, begin = TILED ? (number - row * own->tiles) * own->tile_samples : 0;
  const int end = TILED ? min(begin + own->tile_samples, pass->samples) : pass->samples;
  const int halo = TILED ? own->halo : 0;
  const int start = own->periodic ? begin - halo : max(begin - halo, 0);
  const int stop = own->periodic ? end + halo : min(end + halo, pass->samples);
  const RowTile share = {min(row, pass->lines - 1), start, TILED ? stop - start : pass->samples, begin - start,
                         row < pass->lines ? end - start : 0};
  return share;
}

// Where a channel of some level, or the signal, stands in global memory, from the tile on.
typedef struct {
  global T *first;
  int stride;
  int start, count;  // of the row: the first of the tile, and how many there are
} RowBand;
#if PIXEL_BITS
typedef struct {
  global S *first;
  int stride;
  int start, count;
} RowSignal;
#else
typedef RowBand RowSignal;
#endif
#if FORWARD
typedef RowSignal LoadedBand;
typedef RowBand StoredBand;
#else
typedef RowBand LoadedBand;
typedef RowSignal StoredBand;
#endif

static inline RowBand details_of_row(const Line line, const Pass *pass, const RegisterRows *own, const RowTile *tile,
                                     const int level) {
  const int samples = HALVED(pass->samples, level - 1);
  global T *const row = line.d - pass->bands.line.detail;
  const int stays = !PLANAR_ROWS && own->interleaved;
  const int stride = stays ? (int)line.d_stride << (level - 1) : PLANAR_ROWS ? 1 : (int)line.d_stride;
  const int first = stays ? stride >> 1 : stride * S_COUNT(samples);
  const RowBand band = {row + first, stride, tile->start >> level, D_COUNT(samples)};
  return band;
}

static inline RowBand low_of_row(const Line line, const Pass *pass, const RegisterRows *own, const RowTile *tile) {
  const int stays = !PLANAR_ROWS && own->interleaved && !pass->has_low;
  const int stride = stays ? (int)line.s_stride << (own->levels - 1) : PLANAR_ROWS ? 1 : (int)line.s_stride;
  const RowBand band = {line.s, stride, tile->start >> own->levels, HALVED(pass->samples, own->levels)};
  return band;
}

// --- between global and local memory: work-item i moves every ROW_ITEMSth sample, `each` of them at most --------------

// Where a row repeats, places beyond its ends are at the other one.
INLINE int place_in_row(const int place, const int count) {
  return place < 0 ? place + count : place >= count ? place - count : place;
}

// Its sample k, from its first one in local and in global memory.
#define SHARE_IN(first, k) (first)[PLACE_IN((k) * ROW_ITEMS)]
#define SHARE_OF(first, k) (first)[(k) * ROW_ITEMS * band.stride]

// Loads the `count` samples of a channel into registers, and puts them into local memory.
INLINE void fetch_channel(const LoadedBand band, const int count, const int item, const int each, LOADED *loaded) {
  if (count == each * ROW_ITEMS && band.start >= 0 && band.start + count <= band.count) {
    global const LOADED *const from = band.first + (band.start + item) * band.stride;
    UNROLL for (int k = 0; k < each; ++k) loaded[k] = SHARE_OF(from, k);
  } else {
    // Under conditions loads would wait for one another: what is too much loads the last sample again.
    UNROLL for (int k = 0; k < each; ++k) {
      const int place = band.start + min(item + k * ROW_ITEMS, count - 1);
      loaded[k] = band.first[(TILED ? place_in_row(place, band.count) : place) * band.stride];
    }
  }
}

INLINE void put_channel(const LOADED *loaded, const int count, local L *channel, const int item, const int each) {
  local L *const to = channel + PLACE_IN(item);
  // The last levels have fewer places than there are work-items.
  UNROLL for (int k = 0; k < each; ++k)
    if (each > 1 || item < count) SHARE_IN(to, k) = (L)NUMBER(loaded[k]);
}

// Stores samples `from` to `to` of a channel.
INLINE void store_channel(local const L *channel, const StoredBand band, const int from, const int to, const int item,
                          const int each) {
  global STORED *const first = band.first + (band.start + item) * band.stride;
  local const L *const own = channel + PLACE_IN(item);
  const int before = from - item, end = to - item;
  if (!TILED && to == each * ROW_ITEMS) {
    UNROLL for (int k = 0; k < each; ++k) SHARE_OF(first, k) = SAMPLE((A)SHARE_IN(own, k));
  } else {
    UNROLL for (int k = 0; k < each; ++k)
      if ((!TILED || k * ROW_ITEMS >= before) && k * ROW_ITEMS < end) SHARE_OF(first, k) = SAMPLE((A)SHARE_IN(own, k));
  }
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

static inline RowSignal samples_of_row(global S *first, const Pass *pass, const RowTile *tile) {
  const int stride = SIGNAL_ROWS ? 1 : (int)pass->signal.line.detail;
  const RowSignal samples = {first, stride, tile->start, pass->samples};
  return samples;
}

// --- levels ------------------------------------------------------------------------------------------

#define MOST_LOWS (NARROW ? 1 : 2 * RUN_PAIRS >> WIDE_LEVELS)
#define DETAILS_AT(level) (line + PLACE_IN(DETAILS_IN(level, own.levels)))
#define SAMPLES_AT(level) HALVED(tile.samples, (level) - 1)
#define LIFT_LEVEL(level, pairs) \
  lift_row_level(line, DETAILS_AT(level), item, pairs, SAMPLES_AT(level), beyond, pass.shift)

#if FORWARD
#define STORE_DETAILS(level, pairs)                                                                             \
  store_channel(DETAILS_AT(level), details_of_row(bands_row, &pass, &own, &tile, level), tile.from >> (level),  \
                min(HALVED(tile.to, level), D_COUNT(SAMPLES_AT(level))), item, pairs)
#define ROW_LEVEL(level, pairs) LIFT_LEVEL(level, pairs); STORE_DETAILS(level, pairs);
#else
#define FETCH_DETAILS(level, pairs, loaded) \
  fetch_channel(details_of_row(bands_row, &pass, &own, &tile, level), D_COUNT(SAMPLES_AT(level)), item, pairs, loaded);
#define PUT_DETAILS(level, pairs, loaded) \
  put_channel(loaded, D_COUNT(SAMPLES_AT(level)), DETAILS_AT(level), item, pairs);
// What is loaded of all levels waits in as many registers as a run: that of a wide level behind that of all coarser ones.
#define WIDE_DETAILS(DO)                                             \
  if (WIDE_LEVELS > 0) DO(1, RUN_PAIRS, loaded + RUN_PAIRS)          \
  if (WIDE_LEVELS > 1) DO(2, RUN_PAIRS / 2, loaded + RUN_PAIRS / 2)  \
  if (WIDE_LEVELS > 2) DO(3, RUN_PAIRS / 4, loaded + RUN_PAIRS / 4)  \
  if (WIDE_LEVELS > 3) DO(4, RUN_PAIRS / 8, loaded + RUN_PAIRS / 8)  \
  if (WIDE_LEVELS > 4) DO(5, RUN_PAIRS / 16, loaded + RUN_PAIRS / 16)
#define MOST_NARROW 8
#define NARROW_DETAILS(DO)                               \
  UNROLL for (int k = 0; NARROW && k < MOST_NARROW; ++k) \
    if (WIDE_LEVELS + 1 + k <= own.levels) DO(WIDE_LEVELS + 1 + k, 1, narrow + k)
#define ROW_LEVEL(level, pairs) LIFT_LEVEL(level, pairs);
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void register_rows(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterRows own) {
  local L rows[GROUP / ROW_ITEMS][ROW_PLACES];
  const int work_item = SUB_GROUP * LANES + LANE, item = work_item % ROW_ITEMS;
  local L *const line = rows[work_item / ROW_ITEMS] + PLACE_IN(MARGIN);
  const RowTile tile = row_tile(&pass, &own, (int)get_group_id(0) * (GROUP / ROW_ITEMS) + work_item / ROW_ITEMS);
  global S *const signal_row = signal_of_row(signal, &pass, tile.row);
  const Line bands_row = bands_of_row(bands, low, &pass, tile.row);
  const Beyond beyond = {own.periodic, pass.boundary};
  LOADED loaded[2 * RUN_PAIRS];
#if EXCHANGE == EXCHANGE_NONE
  // Runs go on behind the end of their row, and nothing reads what comes of that. Where speed does not matter, they find
  // zeros there, so that a simulator sees no read of what was never written.
  for (int i = item; i < ROW_PLACES; i += ROW_ITEMS) rows[work_item / ROW_ITEMS][i] = 0;
  ROW_FENCE;
#endif

#if FORWARD
  fetch_channel(samples_of_row(signal_row, &pass, &tile), tile.samples, item, 2 * RUN_PAIRS, loaded);
  put_channel(loaded, tile.samples, line, item, 2 * RUN_PAIRS);
  ROW_FENCE;
#if WIDE_LEVELS > 0
  ROW_LEVEL(1, RUN_PAIRS)
#endif
#if WIDE_LEVELS > 1
  ROW_LEVEL(2, RUN_PAIRS / 2)
#endif
#if WIDE_LEVELS > 2
  ROW_LEVEL(3, RUN_PAIRS / 4)
#endif
#if WIDE_LEVELS > 3
  ROW_LEVEL(4, RUN_PAIRS / 8)
#endif
#if WIDE_LEVELS > 4
  ROW_LEVEL(5, RUN_PAIRS / 16)
#endif
#if NARROW
  int level = WIDE_LEVELS + 1;
  do {
    ROW_LEVEL(level, 1)
    ++level;
  } while (level <= own.levels);
#endif
  store_channel(line, low_of_row(bands_row, &pass, &own, &tile), tile.from >> own.levels, HALVED(tile.to, own.levels),
                item, MOST_LOWS);

#else
  LOADED narrow[MOST_NARROW];
  const int lows = HALVED(tile.samples, own.levels);
  WIDE_DETAILS(FETCH_DETAILS)
  NARROW_DETAILS(FETCH_DETAILS)
  fetch_channel(low_of_row(bands_row, &pass, &own, &tile), lows, item, MOST_LOWS, loaded);
  WIDE_DETAILS(PUT_DETAILS)
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
#if WIDE_LEVELS > 4
  ROW_LEVEL(5, RUN_PAIRS / 16)
#endif
#if WIDE_LEVELS > 3
  ROW_LEVEL(4, RUN_PAIRS / 8)
#endif
#if WIDE_LEVELS > 2
  ROW_LEVEL(3, RUN_PAIRS / 4)
#endif
#if WIDE_LEVELS > 1
  ROW_LEVEL(2, RUN_PAIRS / 2)
#endif
#if WIDE_LEVELS > 0
  ROW_LEVEL(1, RUN_PAIRS)
#endif
  store_channel(line, samples_of_row(signal_row, &pass, &tile), tile.from, tile.to, item, 2 * RUN_PAIRS);
#endif
}
