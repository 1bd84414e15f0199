// The strip of columns that a work-item has, and what of its rows is at a border of the picture.
//
// Where rows go on beyond their ends (beyond_rows.cl), they have no borders, and a vector more at either end.

#include "single_loop/beyond_rows.cl"

#ifndef BORDER_PAIRS
#error "BORDER_PAIRS: pairs of columns at a border"
#endif
#if !defined(HALO_LO) || !defined(HALO_HI)
#error "HALO_LO, HALO_HI: pairs that a strip loads before and after its own"
#endif

// Vectors of a strip's neighbours, or of what a row goes on with, that its results need.
#define VECTORS_BEFORE (HALO_LO / VECTOR_PIXELS)
#define VECTORS_AFTER (HALO_HI / VECTOR_PIXELS)
// Places of a border.
#define BORDER_PLACES (BORDER_PAIRS * COLOURS)
// The rows of the ring hold a vector every VECTOR places, lest one overwrites the next that is not lifted yet: where it
// has the one of place `at`.
#define RING_PLACE(at) (FILLED ? (at) : (at) / VECTOR_PLACES * VECTOR)
#define RING_PLACES(count) (FILLED ? (count) : RING_PLACE((count) + VECTOR_PLACES - 1))

// The arguments besides the geometry.
typedef struct {
  int strips, row_blocks;  // of a picture
  int strip;               // pairs of columns in a strip
  int row_block;           // pairs of rows in a block
  int extension;           // how rows go on beyond their ends; 0 where their borders are lifted apart
} SingleLoop;

// The strip of a work-item: it stores the columns of `own` and loads those of `all`.
typedef struct {
  Columns own, all;
  bool at_left, at_right;
  bool is_whole;  // whether its rows are whole vectors, and what they go on with is too
  bool is_wide;  // whether it has room for borders of its own
  int extension;
  int skipped;       // places of `all` before those of `own`
  int right_border;  // from this place on, results are those of the right border
  Columns head, tail, joined;  // of the picture's borders
} Strip;

static inline Strip strip_at(const SingleLoop *own, const int number, const int width) {
  const int columns = S_COUNT(width), first = number * own->strip;
  Strip strip;
  strip.own.left = first;
  strip.own.right = min(first + own->strip, columns);
  strip.all.left = max(strip.own.left - HALO_LO, 0);
  strip.all.right = min(strip.own.right + HALO_HI, columns);
  strip.own.width = strip.all.width = width;
  strip.skipped = (strip.own.left - strip.all.left) * COLOURS;
  strip.at_left = strip.all.left == 0;
  strip.at_right = strip.all.right == columns;
  strip.is_wide = d_count_of(strip.all) >= 2 * BORDER_PLACES && s_count_of(strip.own) > (X_LAST_LAG - 1) * VECTOR_PLACES;
  strip.is_whole = FILLED && own->extension != EXTENSION_NONE && D_COUNT(width) == columns && columns % VECTOR_PIXELS == 0;
  strip.extension = strip.is_wide ? own->extension : EXTENSION_NONE;
  const Columns head = {0, 2 * BORDER_PAIRS, width};
  const Columns tail = {D_COUNT(width) / VECTOR_PIXELS * VECTOR_PIXELS - 2 * BORDER_PAIRS, columns, width};
  const Columns joined = {0, head.right + columns - tail.left, 2 * head.right + width - 2 * tail.left};
  strip.head = head, strip.tail = tail, strip.joined = joined;
  // From the first place on whose results come from the borders' buffer.
  strip.right_border = (tail.left + BORDER_PAIRS - strip.all.left) * COLOURS;
  return strip;
}

// Whether the strip has one end of periodic rows, which go on at the other.
INLINE bool is_cut(const Strip *strip, const int boundary) {
  return boundary == PERIODIC && strip->at_left != strip->at_right;
}

// --- the borders of a row ----------------------------------------------------------------------------
// The first and the last pairs of columns, joined in one row buffer, make a short row with the same two borders. Where
// head and tail meet its results are wrong, but only as far as the wavelet reaches, and those are not taken.

// The place in their buffer of the strip's place `at`, which is at one of the borders.
INLINE int place_in_border(const Strip *strip, const int at) {
  return at < BORDER_PLACES ? at : at - strip->right_border + 3 * BORDER_PLACES;
}

INLINE bool is_border_result(const Strip *strip, const int at) {
  return strip->extension == EXTENSION_NONE &&
         ((strip->at_left && at < BORDER_PLACES) || (strip->at_right && at >= strip->right_border));
}

// Whether the strip has ends of rows that go on.
INLINE bool goes_on(const Strip *strip) {
  return strip->extension != EXTENSION_NONE && (strip->at_left || strip->at_right);
}

// Whether the vector from place `at` on is not, or not all, in the picture, and the row goes on.
INLINE bool is_beyond(const Strip *strip, const int at) {
  return strip->extension != EXTENSION_NONE && (at < 0 || (strip->at_right && at + VECTOR > d_count_of(strip->all)));
}

// The places of the first vector of a row that is loaded, and after the last one: a vector more at
// either end that goes on.
INLINE int first_of(const Strip *strip) { return goes_on(strip) && strip->at_left ? -VECTOR_PLACES : 0; }
INLINE int end_of(const Strip *strip) {
  return s_count_of(strip->all) + (goes_on(strip) && strip->at_right ? VECTOR_PLACES : 0);
}

// The same of a row of the ring: where x is first, its ends are lifted before it gets there.
INLINE int first_in_ring(const Strip *strip) { return X_FIRST ? 0 : first_of(strip); }
INLINE int end_in_ring(const Strip *strip) { return X_FIRST ? s_count_of(strip->all) : end_of(strip); }

// The place after the last vector that has columns of the strip.
INLINE int end_of_own(const Strip *strip) {
  return strip->skipped + (s_count_of(strip->own) + VECTOR_PLACES - 1) / VECTOR_PLACES * VECTOR_PLACES;
}

// Whether there is a vector from place `at` on: rows that do not go on end.
INLINE bool has_vector(const Strip *strip, const int at) {
  return strip->extension != EXTENSION_NONE || (at >= 0 && at < s_count_of(strip->all));
}

// The columns from `first_of` to `end_of`; where the row goes on, they have no ends.
INLINE Columns all_of(const Strip *strip) {
  Columns all = strip->all;
  if (!goes_on(strip)) return all;
  if (strip->at_left) all.left -= VECTOR_PIXELS;
  if (strip->at_right) all.right += VECTOR_PIXELS;
  all.width = ENDLESS;
  return all;
}

// Takes the vector from place `at` on (`is_beyond`) from the buffer that `load_beyond` has filled.
INLINE void take_beyond(const Strip *strip, local const A *row, const int at, AV *s, AV *d) {
  const int place = at < 0 ? BEFORE_ROW : END_OF_ROW + at - (s_count_of(strip->all) - COLOURS - VECTOR_PLACES);
  *s = LOAD_V(row + PLACE_s + place), *d = LOAD_V(row + PLACE_d + place);
}

// Loads the vector from place `at` on of both channels of row cy, which is the one after the strip's own, or the one
// before, where rows are whole vectors: of a neighbour, or what the row goes on with.
INLINE void load_beyond_whole(const Rows *rows, const Strip *strip, const int cy, const int at, const bool after, AV *s,
                              AV *d) {
  const bool is_end = after ? strip->own.right == S_COUNT(strip->own.width) : strip->own.left == 0;
  if (is_end && strip->extension == EXTENSION_MIRRORED) {
    // The outermost detail or approximation is no neighbour of itself.
    AV beside_s, beside_d;
    load_whole_pairs(rows, cy, after ? at - VECTOR : 0, s, d);
    load_whole_pairs(rows, cy, after ? at - 2 * VECTOR : VECTOR, &beside_s, &beside_d);
    *s = after ? REVERSED(*s) : REVERSED(SHIFTED(*s, beside_s, COLOURS));
    *d = after ? REVERSED(SHIFTED(beside_d, *d, VECTOR - COLOURS)) : REVERSED(*d);
  } else {
    const int first = -strip->all.left * COLOURS, row = S_COUNT(strip->all.width) * COLOURS;
    load_whole_pairs(rows, cy, !is_end ? at : after ? first : first + row - VECTOR, s, d);
  }
}
