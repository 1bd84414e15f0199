// Rows, or tiles of them, and where their channels stand in global memory.

#include "core/row.cl"

// Without this, rows of 1001 samples of 16 bits take 1.05 times as long forward (NVIDIA H200, five levels of 5/3).
#ifndef PLANAR
#error "PLANAR: 1 where neighbours in a row of a sub-band are neighbours in memory, 0 where that is not known"
#endif

// The share of some work-items, in samples of its row. Where it joins both ends of a row, the first `head` samples
// stand `gap` nearer to the start than the others.
typedef struct {
  int row;
  int start, samples;  // negative where a periodic row begins
  int from, to;        // samples of the tile whose coefficients are results, besides those of its head
  int head, gap;
} RowTile;

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

static inline RowBand low_of_row(const Line line, const Pass *pass, const RowTile *tile, const int levels) {
  const int stays = INTERLEAVED && !pass->has_low;
  const int stride = stays ? (int)line.s_stride << (levels - 1) : PLANAR ? 1 : (int)line.s_stride;
  const RowBand band = {line.s, stride, tile->start >> levels, HALVED(pass->samples, levels),
                        tile->head >> levels, tile->gap >> levels};
  return band;
}
