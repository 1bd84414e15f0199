// Where rows stand in global memory.

#include "core/pass.cl"

// Where this is not known, a work-item takes some 150 instructions to find its row: rows of 33 samples take 2.0 to 2.5
// times as long, rows of 1001 up to 1.06 forward and 1.13 inverse (NVIDIA H200, five levels).
#ifndef EVEN_ROWS
#error "EVEN_ROWS: 1 where each row starts as far after the one before on either side"
#endif
#ifndef INTERLEAVED
#error "INTERLEAVED: 1 where coefficients stay where their samples were"
#endif

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
