// boxes_in_cache: several levels of small boxes in one pass over memory, on CPU devices.
//
// A box is a short row or several, a longer row whose coefficients stay in place, a small picture, or columns that are
// short or have few neighbours. A work-item takes as many boxes at a time as a vector has elements, one in each
// element, into the first or the second cache, and lifts them there level by level. So the neighbours that a step reads
// are whole vectors, however narrow a box is, and at the border too: all boxes have it at the same place.
//
// Samples stay where they are: those of level l are at every 2^(l-1)th place, and a table says where each coefficient
// is. On the way in and out squares of samples are transposed (vectors/rows_of_boxes.cl).
//
// What is high and narrow is cut into boxes of some rows, called tiles, with a halo at either end. Each is lifted as if
// there were no others, columns by several levels, pictures and periodic columns by one. What that makes wrong at a
// seam is not stored. What it makes wrong at the ends of periodic columns is stored, and a launch of `line_ends` stores
// them again.
//
// Ours.
// Cost per sample: 1 global read and 1 write for all levels, 2 log2(VECTOR) / VECTOR shuffles, and a tile's halo again.
// For 9/7 in f32 a level takes per axis for each pair of vectors 8 multiply-adds, 12 reads and 4 writes of the caches.
// Limited by instructions: PoCL 3.1 on one core of Zen 4 takes 0.6 ns per sample of 149796 x 7 along both axes and 0.43
// along one, pass by pass it took 4.1 and 2.1; a copy takes 0.16. Which rows are
// faster without, src/strategy/boxes_in_cache.rs says (LONGEST_ROW).

#include "core/pass.cl"
#include "cpu/lines_in_cache.cl"
#include "vectors/rows_of_boxes.cl"

#ifndef PLACES
#error "PLACES: samples of the largest box that the caches hold"
#endif

// The arguments besides the geometry. Where rows are lifted, they are its lines, one below the other along the first
// axis across. Else its lines are columns, beside each other along that axis.
typedef struct {
  int lifts_x, lifts_y;   // which axes of a box are lifted, rows along x
  int x_first;            // whether this launch, in its direction, lifts rows before columns
  int levels;
  int interleaved;        // 1 where coefficients stay where their samples were
  int rows;               // of a box
  int tiles;              // boxes below each other
  int halo;               // rows of all of these but the first that are not stored at the top
  int boxes_per_group;
} BoxesInCache;

// --- the table ---------------------------------------------------------------------------------------

// The parts of the table, and what a box has of each.
typedef struct {
  local Entry *signal, *bands, *low;
  int rows, columns, low_rows, low_columns;
} Table;

// At which of `samples` places along an axis the coefficient is that memory has at `index`: a detail of this level, or
// an approximation that coarser levels do not lift.
INLINE int place_of_coefficient(const int index, const int samples, const int level) {
  const int low = HALVED(samples, level), is_detail = index >= low;
  return (2 * (is_detail ? index - low : index) + is_detail) << (level - 1);
}

// What the coefficient of place (y, x) is multiplied by. What is linear can be scaled once for all levels.
INLINE A factor_of(const BoxesInCache *own, const int y, const int x) {
  const int both = (own->lifts_y ? y : 0) | (own->lifts_x ? x : 0);
  const A low = FORWARD ? (A)OUT_s : (A)IN_s, high = FORWARD ? (A)OUT_d : (A)IN_d;
  A factor = 1;
  int level = 0;
  for (bool goes_on = true; goes_on; ++level) {
    if (own->lifts_y) factor *= (y >> level & 1) ? high : low;
    if (own->lifts_x) factor *= (x >> level & 1) ? high : low;
    goes_on = level + 1 < own->levels && (both >> level & 1) == 0;
  }
  return factor;
}

static inline void fill_table(const Table *table, const BoxesInCache *own) {
  const int rows = table->rows, columns = table->columns;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      int y = j, x = i;
      if (!own->interleaved) {
        // The level of which it is a detail along some axis; else the last one.
        int level = 1;
        while (level < own->levels && (!own->lifts_y || j < HALVED(rows, level)) &&
               (!own->lifts_x || i < HALVED(columns, level)))
          ++level;
        if (own->lifts_y) y = place_of_coefficient(j, rows, level);
        if (own->lifts_x) x = place_of_coefficient(i, columns, level);
      }
      const Entry sample = {j * columns + i, 1}, coefficient = {y * columns + x, factor_of(own, y, x)};
      table->signal[j * columns + i] = sample;
      table->bands[j * columns + i] = coefficient;
    }
  }
  for (int j = 0; j < table->low_rows; ++j) {
    for (int i = 0; i < table->low_columns; ++i) {
      const int y = own->lifts_y ? j << own->levels : j, x = own->lifts_x ? i << own->levels : i;
      const Entry approximation = {y * columns + x, factor_of(own, y, x)};
      table->low[j * table->low_columns + i] = approximation;
    }
  }
}

// --- a level -----------------------------------------------------------------------------------------

// One level of all boxes; integers are shifted before it, or after.
INLINE void lift_level(local AV *places, const Table *table, const BoxesInCache *own, const int level,
                       const int boundary, const int shift) {
  const int rows = own->lifts_y ? HALVED(table->rows, level - 1) : table->rows;
  const int columns = own->lifts_x ? HALVED(table->columns, level - 1) : table->columns;
  const long row = (long)table->columns << (own->lifts_y ? level - 1 : 0);
  const long column = 1l << (own->lifts_x ? level - 1 : 0);
  const CachedLines along_x = {columns, rows, column, row, true}, along_y = {rows, columns, row, column, false};
#if INTEGER
  if (FORWARD && shift > 0)
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x)
        places[y * row + x * column] = SCALED_IN(places[y * row + x * column], IN_s, shift);
#endif
  if (own->lifts_x && (own->x_first || !own->lifts_y)) lift_lines(places, along_x, boundary);
  if (own->lifts_y) lift_lines(places, along_y, boundary);
  if (own->lifts_x && own->lifts_y && !own->x_first) lift_lines(places, along_x, boundary);
#if INTEGER
  if (!FORWARD && shift > 0)
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x)
        places[y * row + x * column] = SCALED_OUT(places[y * row + x * column], OUT_s, shift);
#endif
}

// --- the boxes of a work-item ------------------------------------------------------------------------

// The rows of the boxes in the signal and among the coefficients, and the approximations of the last level, if they
// stand apart.
typedef struct {
  SignalRows signal;
  BandRows bands, low;
  // Of each box where the coefficients of its picture start, its first row in that, and which of its rows are moved.
  global T *coefficients[VECTOR];
  int top[VECTOR], begin[VECTOR], end[VECTOR];
} Boxes;

#define AXIS_Y(side) (own->lifts_x ? (side).across[0] : (side).line)
#define AXIS_X(side) (own->lifts_x ? (side).line : (side).across[0])
// From a sample to its neighbour: where both channels are interleaved, to the details.
#define STEP_ALONG(axis, interleaved) ((interleaved) ? (axis).detail : (axis).stride)

#define SET_ROWS(rows, r, from, first, last) \
  rows.start[r] = (from), rows.begin[r] = (first), rows.end[r] = (last);
#define SET_DISTANCES(rows, side, interleaved_y, interleaved_x, count, table_part) \
  rows.row = STEP_ALONG(AXIS_Y(side), interleaved_y),                              \
  rows.sample = STEP_ALONG(AXIS_X(side), interleaved_x), rows.columns = (count),   \
  rows.entries = (table_part);

// Where a tile starts: they are spread evenly, along y by whole pairs of the last level, and the last one ends where
// the lines do.
INLINE int top_of(const BoxesInCache *own, const int tile, const int height) {
  const int unit = own->lifts_y ? 1 << own->levels : 1;
  return tile == 0 ? 0 : (int)((long)((height - own->rows) / unit) * tile / (own->tiles - 1)) * unit;
}

static inline void find_boxes(Boxes *found, const Table *table, global S *signal, global T *bands, global T *low,
                              const Pass *pass, const BoxesInCache *own, const int first, const int count) {
  const int height = own->lifts_x ? pass->across[0] : pass->samples, levels = own->levels;
  const bool interleaved_y = own->lifts_y && own->interleaved, interleaved_x = own->lifts_x && own->interleaved;
  SET_DISTANCES(found->signal, pass->signal, own->lifts_y, own->lifts_x, table->columns, table->signal)
  SET_DISTANCES(found->bands, pass->bands, interleaved_y, interleaved_x, table->columns, table->bands)
  SET_DISTANCES(found->low, pass->low, false, false, table->low_columns, table->low)
  int tile = first % own->tiles, batch = first / own->tiles;
  int3 at = (int3)(0, batch % pass->across[1], batch / pass->across[1]);
  for (int r = 0; r < VECTOR; ++r) {
    // All of a box is loaded, halos too, but each sample is stored once.
    const int top = top_of(own, tile, height);
    const int inner = tile > 0 ? own->halo : 0;
    const int outer = tile + 1 < own->tiles ? own->halo + top_of(own, tile + 1, height) - top : own->rows;
    const int begin = FORWARD ? 0 : inner, end = FORWARD ? own->rows : outer;
    const int begin_bands = FORWARD ? inner : 0, end_bands = FORWARD ? outer : own->rows;
    SET_ROWS(found->signal, r, signal + line_start(&pass->signal, pass, at) + top * found->signal.row, begin, end)
    found->coefficients[r] = bands + line_start(&pass->bands, pass, at);
    found->top[r] = top, found->begin[r] = begin_bands, found->end[r] = end_bands;
    SET_ROWS(found->bands, r, found->coefficients[r] + top * found->bands.row, begin_bands, end_bands)
    // Of rows that are not lifted along y, the first ones may be low-pass by an earlier take.
    const int end_low =
        own->lifts_y ? HALVED(end_bands, levels) : clamp(pass->low_across[0] - top, begin_bands, end_bands);
    const int begin_low = own->lifts_y ? begin_bands >> levels : begin_bands;
    SET_ROWS(found->low, r,
             low + line_start(&pass->low, pass, at) + (own->lifts_y ? top >> levels : top) * found->low.row, begin_low,
             stands_in_low(pass, at) ? end_low : begin_low)
    // Elements beyond the last box have that one again, and store the same.
    if (r + 1 >= count || ++tile < own->tiles) continue;
    tile = 0, at.y = at.y + 1 < pass->across[1] ? at.y + 1 : 0, at.z += at.y == 0;
  }
}

// Whether the coefficients of a tile are in a place for each level.
INLINE bool is_in_parts(const BoxesInCache *own) { return own->lifts_y && own->tiles > 1 && !own->interleaved; }

// The rows of the boxes that are details of `level`; of level 0, the approximations of the last one.
INLINE void find_part(Boxes *found, const BoxesInCache *own, const int height, const int level) {
  const int by = level > 0 ? level : own->levels, before = level > 0 ? HALVED(own->rows, by) : 0;
  for (int r = 0; r < VECTOR; ++r) {
    const int first = (level > 0 ? HALVED(height, by) : 0) + (found->top[r] >> by) - before;
    const int end = level > 0 ? D_COUNT(HALVED(found->end[r], by - 1)) : HALVED(found->end[r], by);
    SET_ROWS(found->bands, r, found->coefficients[r] + first * found->bands.row, before + (found->begin[r] >> by),
             before + end)
  }
}

#if FORWARD
#define MOVE_CACHED(rows) store_cached(rows, places)
#else
#define MOVE_CACHED(rows) load_cached(rows, places)
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void boxes_in_cache(global S *signal, global T *bands, global T *low, const Pass pass, const BoxesInCache own) {
  local AV places[PLACES];
  local Entry entries[3 * PLACES];
  const int columns = own.lifts_x ? pass.samples : pass.across[0], height = own.lifts_x ? pass.across[0] : pass.samples;
  const int low_rows = own.lifts_y ? HALVED(own.rows, own.levels) : own.rows;
  const int low_columns = own.lifts_x ? HALVED(columns, own.levels) : pass.low_across[0];
  const Table table = {entries, entries + PLACES, entries + 2 * PLACES, own.rows, columns, low_rows, low_columns};
  fill_table(&table, &own);

  const int boxes = own.tiles * pass.across[1] * pass.across[2];
  const int begin = get_group_id(0) * own.boxes_per_group, count = min(own.boxes_per_group, boxes - begin);
  for (int done = 0; done < count; done += VECTOR) {
    Boxes found;
    find_boxes(&found, &table, signal, bands, low, &pass, &own, begin + done, count - done);
#if FORWARD
    load_cached(&found.signal, places);
    for (int level = 1; level <= own.levels; ++level)
      lift_level(places, &table, &own, level, pass.boundary, pass.shift);
#endif
    // Where approximations stand apart, a later pass overwrites what is stored in their place here.
    for (int part = is_in_parts(&own) ? own.levels : 0; part >= 0; --part) {
      if (is_in_parts(&own)) find_part(&found, &own, height, part);
      MOVE_CACHED(&found.bands);
    }
    if (pass.has_low) MOVE_CACHED(&found.low);
#if !FORWARD
    for (int level = own.levels; level > 0; --level)
      lift_level(places, &table, &own, level, pass.boundary, pass.shift);
    store_cached(&found.signal, places);
#endif
  }
}
