// What rows go on with beyond the picture, where lifting a row that is extended once is as good as following the
// boundary rule at every step: vectors that the loop along x takes in before the first and after the last ones. Rows
// that are whole vectors do without the buffer (`load_beyond_whole`), but next to rows that go step by step.

#include "single_loop/row_buffers.cl"

// Places in a row buffer: of the vector before the first pair; of the picture's last VECTOR_PIXELS + 1
// pairs, which a vector follows.
#define BEFORE_ROW 0
#define END_OF_ROW VECTOR

// Puts both of row cy of pair of rows p into a row buffer.
INLINE void load_beyond(const Picture *picture, const int p, const int cy, const int extension, local A *row) {
  const int pairs = S_COUNT(picture->width), is_even = D_COUNT(picture->width) == pairs;
  const int count = pairs * COLOURS, last = count - COLOURS;
  Rows rows;
  find_rows(&rows, picture, p, 0);
  local A *const s_end = row + PLACE_s + END_OF_ROW, *const d_end = row + PLACE_d + END_OF_ROW;
  AV s, d, before_s, before_d;
  load_pairs(&rows, cy, last - VECTOR_PLACES, count, D_COUNT(picture->width) * COLOURS, &s, &d);
  STORE_V(s, s_end);
  STORE_V(d, d_end);
  for (int c = 0; c < COLOURS; ++c) {
#if FORWARD
    global const S *const from = rows.signal[cy] + 2 * last + c;
    const A last_s = NUMBER(*from), last_d = is_even ? NUMBER(from[COLOURS]) : last_s;
#else
    const A last_s = NUMBER(rows.band[2 * cy][SAMPLES_TO(last + c, rows.stride[2 * cy])]);
    const A last_d = is_even ? NUMBER(rows.band[2 * cy + 1][SAMPLES_TO(last + c, rows.stride[2 * cy + 1])]) : last_s;
#endif
    s_end[VECTOR_PLACES + c] = s_end[VECTOR_PLACES + COLOURS + c] = last_s;
    d_end[VECTOR_PLACES + c] = last_d;
  }
  if (extension == EXTENSION_PERIODIC) {
    load_pairs(&rows, cy, count - VECTOR_PLACES, count, count, &before_s, &before_d);
    load_pairs(&rows, cy, 0, VECTOR, VECTOR, &s, &d);
    STORE_V(s, s_end + VECTOR_PLACES + COLOURS);
    STORE_V(d, d_end + VECTOR_PLACES + COLOURS);
  } else {
    STORE_V(REVERSED(s), s_end + VECTOR_PLACES + COLOURS * (1 + is_even));
    STORE_V(REVERSED(d), d_end + VECTOR_PLACES + COLOURS * is_even);
    load_pairs(&rows, cy, COLOURS, count, D_COUNT(picture->width) * COLOURS, &before_s, &d);
    load_pairs(&rows, cy, 0, VECTOR, VECTOR, &s, &before_d);
    before_s = REVERSED(before_s), before_d = REVERSED(before_d);
  }
  STORE_V(before_s, row + PLACE_s + BEFORE_ROW);
  STORE_V(before_d, row + PLACE_d + BEFORE_ROW);
}
