// register_lines: several levels of lines that stand side by side, each in the registers of a work-item, under any
// boundary rule.
//
// Neighbouring work-items load neighbours, and lift their lines alone. The compiler knows how long these are and by
// which rule they go on, so that what a step reads beyond an end is known as well (core/short_line.cl).
//
// Lines that are too long go in tiles, which a work-item lifts as if they were lines: what is wrong where a tile is cut
// is no result of it. So tiles overlap, and one of each line joins both of its ends, as core/border.cl does. Tiles of
// some neighbouring lines follow one another, so that what two of them load is in a cache.
//
// Ours; that a block and its halo stay in registers is after Enfedaque et al. 2015.
// Cost per sample, for all levels: 1 global read, 1.8 in tiles by three levels of 9/7 in f32, of 128 samples with 72
// results each, and 1 write; no local memory and no barrier. Limited by memory: on an NVIDIA H200 five levels along
// the first axis of 128 x 524288 take 144 us (inverse 148), where a copy takes 130. Tiles are limited by
// instructions: three levels along the first axis of 2048 x 2048 take 16 us, where a copy takes 9.

#include "core/short_line.cl"
#include "core/small_sub_groups.cl"
#include "core/row_bands.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
#ifndef TILED
#error "TILED: 1 where lines are cut into tiles, each of JOINED_SAMPLES samples"
#endif
#if TILED && !(defined(HEAD) && defined(HEAD_RESULTS) && defined(BEFORE) && defined(RESULTS))
#error "HEAD, HEAD_RESULTS: samples of the first end where both are joined, and those that are results"
#error "BEFORE, RESULTS: samples before the first result, where a tile is cut, and results of a tile inside a line"
#endif

typedef struct {
  int tiles;     // of a line, that of its ends among them
  int together;  // neighbouring lines whose tiles follow one another
  int gap;       // samples between the ends that are joined
} RegisterLines;

#if TILED
// The first tile joins the ends. Tiles inside are where the results of one follow those of the other, but that the last
// one reads nothing beyond the line.
static inline RowTile tile_of_line(const Pass *pass, const RegisterLines *own) {
  const int item = get_global_id(0), of_block = own->together * own->tiles;
  const int block = item / of_block, in_block = item - block * of_block, number = in_block / own->together;
  const int line = block * own->together + in_block - number * own->together;
  const int start = HEAD_RESULTS - BEFORE + (number - 1) * RESULTS, last = own->gap + HEAD - RESULTS;
  const bool joins = number == 0;
  const RowTile tile = {line, joins ? own->gap : min(start, last), LINE_SAMPLES,
                        joins ? HEAD + BEFORE : BEFORE + max(start - last, 0), joins ? LINE_SAMPLES : BEFORE + RESULTS,
                        HEAD, joins ? own->gap : 0};
  return tile;
}
#define BEHIND_HEAD(level, j) ((j) >= HEAD >> (level))
// Which places have results of a tile inside, and of the ends: the compiler knows.
#define IS_INSIDE(place) ((place) >= BEFORE && (place) < BEFORE + RESULTS)
#define IS_AT_END(place) ((place) < HEAD_RESULTS || (place) >= HEAD + BEFORE)
#define IS_PLACE_OF_RESULT(place) \
  (IS_AT_END(place) && tile.gap > 0 || IS_INSIDE(place) && tile.gap == 0 && (place) >= tile.from)
#else
static inline RowTile tile_of_line(const Pass *pass, const RegisterLines *own) {
  const RowTile tile = {get_global_id(0), 0, LINE_SAMPLES, 0, LINE_SAMPLES, 0, 0};
  return tile;
}
#define BEHIND_HEAD(level, j) 1
#define IS_PLACE_OF_RESULT(place) 1
#endif
#define IS_RESULT(level, j) IS_PLACE_OF_RESULT((j) << (level))

// Number j of what a tile has of a channel, of details of a level or of the approximations that it leaves.
#define IN_BAND(band, level, j) \
  (band).first[((band).start - (BEHIND_HEAD(level, j) ? 0 : (band).gap)) * (band).stride + (j) * (band).stride]
#define LOW_OF_TILE(j) IN_BAND(lows, LEVELS, j)
#define SAMPLE_OF_TILE(i) samples[(tile.start - (BEHIND_HEAD(0, i) ? 0 : tile.gap)) * stride + (i) * stride]
#define BAND_OF(level) const RowBand band = details_of_row(bands_row, &pass, &tile, level);
#define LOAD_TILE_DETAILS(level) EACH_DETAIL(level, BAND_OF(level) details[j] = NUMBER(IN_BAND(band, level, j));)
#define STORE_TILE_DETAILS(level) \
  EACH_DETAIL(level, BAND_OF(level) if (IS_RESULT(level, j)) IN_BAND(band, level, j) = SAMPLE(details[j]);)

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SMALL_SUB_GROUPS
void register_lines(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterLines own) {
  const RowTile tile = tile_of_line(&pass, &own);
  if (tile.row >= pass.lines) return;
  const int stride = (int)pass.signal.line.detail;
  global S *const samples = signal_of_row(signal, &pass, tile.row);
  const Line bands_row = bands_of_row(bands, low, &pass, tile.row);
  const RowBand lows = low_of_row(bands_row, &pass, &tile, LEVELS);
  A line[LINE_SAMPLES];
  // All loads come before all stores.
#if FORWARD
  UNROLL for (int i = 0; i < LINE_SAMPLES; ++i) line[i] = NUMBER(SAMPLE_OF_TILE(i));
  EACH_SHORT_LEVEL(LIFT_SHORT_LEVEL)
  UNROLL for (int j = 0; j < LOWS_OF_LINE; ++j)
    if (IS_RESULT(LEVELS, j)) LOW_OF_TILE(j) = SAMPLE(line[j]);
  EACH_SHORT_LEVEL_BACK(STORE_TILE_DETAILS)
#else
  UNROLL for (int j = 0; j < LOWS_OF_LINE; ++j) line[j] = NUMBER(LOW_OF_TILE(j));
  EACH_SHORT_LEVEL_BACK(LOAD_TILE_DETAILS)
  EACH_SHORT_LEVEL_BACK(LIFT_SHORT_LEVEL)
  UNROLL for (int i = 0; i < LINE_SAMPLES; ++i)
    if (IS_RESULT(0, i)) SAMPLE_OF_TILE(i) = SAMPLE(line[i]);
#endif
}
