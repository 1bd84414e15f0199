// single_loop: one level in one loop over the picture, for CPU devices.
//
// A work-group is one work-item. It owns a strip of columns and a block of rows and sweeps down it, a pair of rows at a
// time. Within a pair of rows it goes along x a vector at a time, and everything happens to that vector while it is in
// registers: it is loaded, split into channels, lifted along x as a pipeline over vectors, lifted along y as a pipeline
// over the last Y_KEPT pairs of rows (which lie in a ring in the nearest caches), and stored. Results leave X_LAST_LAG
// vectors and Y_LAST_LAG pairs of rows behind the newest.
//
// The boundary rule touches no inner loop. Where lifting a row that goes on beyond its ends gives the same, and a vector reaches far
// enough, the loop takes in one more at either end (beyond_rows.cl), and lifts it along y, too, if that is first. Else the
// BORDER_PAIRS pairs of columns at either border are lifted along x in a row buffer of their own, and put in when the loop comes to
// them. By that, 9/7 in f32 takes 1.4 times as long on rows of 256 samples, inverse 1.5, and 1.05 times on rows of 4096 (PoCL 3.1,
// one core of Zen 5), and along y first 5/3 in i16 2.1 times on rows of 256 and 2.7 on rows of 128 (Zen 4). The pairs of rows at a
// border go through row_buffers.cl.
// The lags are those of the rule's effective offsets (Y_LAG_k). A periodic picture has no rows at a border: the loop starts
// HALO_TOP pairs of rows before a block's and goes on after the last with the first. Where its height is odd, the last pair
// lacks its detail. Steps on either side of that place read one pair further away, for which all of them wait (Y_LAG_k again),
// and as long as it is in the ring rows go through row_buffers.cl.
// Pixels of COLOURS samples take the same way, a whole number of them in a vector (cpu/pixels_in_vectors.cl).
//
// After the single-loop core of Barina and Zemcik 2015 and the advice on cache aliasing of Shahbahrami et al. 2008.
// Cost per sample: 1 global read and 1 write, and the reach again for each strip and row block. For 9/7 in f32, a vector
// of both channels of two rows (4 * VECTOR samples) takes 4 loads, 4 stores and 4 prefetches, 4 shuffles to split the
// channels, 16 multiply-adds and 8 shifts along x, 16 multiply-adds along y with 10 reads and 10 writes of the ring, and
// 2 scalings: 78 vector operations.
// Limited by memory on the two cores of Zen 5 measured (PoCL 3.1, 4096 x 4096): one core takes 0.21 ns per sample, two
// run at the rate of the copy. Without the prefetches one takes 2.0 times as long forward, 1.4 inverse. Where one took
// 3.9 ms and two 2.9, plain C that reads and stores the same way without any arithmetic took 3.8 and 2.9.
// Halves are not limited by memory on one core: their conversions are one instruction for eight of them (F16C), a tenth of the
// time. With results along x one vector later (Rust computes X_LAST_LAG) and stores that do not ask (STORE_KNOWN), 9/7 takes
// 0.70 to 0.77 of the CPU time of f32, inverse 0.58 to 0.65; without, 0.87 to 0.95 and 0.70 to 0.8. (Zen 5.)
// A vector of 16-bit samples is half a line of the caches, or, where LLVM stores as many as it converts, two quarters; past the
// caches these wait for each other in four runs at once. Two vectors at a time (advance_by_two) f16 takes 0.91 of the CPU
// time, 0.79 of that of f32 (5/3 0.8 to 0.9, 0.62), rounded samples 0.94, i16 by 5/3 0.85 to 0.99 (PoCL 3.1, one core of Zen 4;
// Intel's runtime: 0.88, 0.67 of f32; i16 as long). Inverse results are two runs, and halves by 9/7 take 1.05 to 1.2 times as
// long by that. What is left, instructions that convert 16 at once, loads one vector ahead or fewer prefetches do not change.

#include "core/picture.cl"
#include "cpu/pairs.cl"
#include "cpu/pipeline_x.cl"
#include "cpu/pipeline_y.cl"
#include "single_loop/beyond_rows.cl"
#include "single_loop/results.cl"
#include "single_loop/row_buffers.cl"

#ifndef BORDER_PAIRS
#error "BORDER_PAIRS: pairs of columns at a border"
#endif
#if !defined(HALO_LO) || !defined(HALO_HI) || !defined(HALO_TOP)
#error "HALO_LO, HALO_HI, HALO_TOP: pairs that a strip loads before and after its own, that a row block loads before it"
#endif
#if !defined(ROWS) || !defined(GATHERED_ROWS)
#error "ROWS, GATHERED_ROWS: rows of local memory in all, and of gathered results"
#endif

// Places of a border.
#define BORDER_PLACES (BORDER_PAIRS * COLOURS)
// The rows of the ring hold a vector every VECTOR places, lest one overwrites the next that is not lifted yet: where it has the
// one of place `at`.
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
  bool is_wide;  // or else too narrow for borders of its own
  int extension;
  int right_border;  // from this place on, results are those of the right border
  Columns head, tail, joined;  // of the picture's borders
} Strip;

// --- the borders of a row ----------------------------------------------------------------------------
// The first and the last pairs of columns, joined in one row buffer, make a short row with the same two borders. Where head
// and tail meet its results are wrong, but only as far as the wavelet reaches, and those are not taken.

// The place in their buffer of the strip's place `at`, which is at one of the borders.
INLINE int place_in_border(const Strip *strip, const int at) {
  return at < BORDER_PLACES ? at : at - strip->right_border + 3 * BORDER_PLACES;
}

INLINE bool is_border_result(const Strip *strip, const int at) {
  return strip->extension == EXTENSION_NONE &&
         ((strip->at_left && at < BORDER_PLACES) || (strip->at_right && at >= strip->right_border));
}

// Whether the strip has ends of rows that go on.
INLINE bool goes_on(const Strip *strip) { return strip->extension != EXTENSION_NONE && (strip->at_left || strip->at_right); }

// Whether the vector from place `at` on is not, or not all, in the picture, and the row goes on.
INLINE bool is_beyond(const Strip *strip, const int at) {
  return strip->extension != EXTENSION_NONE && (at < 0 || (strip->at_right && at + VECTOR > d_count_of(strip->all)));
}

// The places of the first vector of a row that is loaded, and after the last one: a vector more at either end that goes on.
INLINE int first_of(const Strip *strip) { return goes_on(strip) && strip->at_left ? -VECTOR_PLACES : 0; }
INLINE int end_of(const Strip *strip) {
  return s_count_of(strip->all) + (goes_on(strip) && strip->at_right ? VECTOR_PLACES : 0);
}

// The same of a row of the ring: where x is first, its ends are lifted before it gets there.
INLINE int first_in_ring(const Strip *strip) { return X_FIRST ? 0 : first_of(strip); }
INLINE int end_in_ring(const Strip *strip) { return X_FIRST ? s_count_of(strip->all) : end_of(strip); }

// The columns between these; where the row goes on, they have no ends.
INLINE Columns all_of(const Strip *strip) {
  Columns all = strip->all;
  if (!goes_on(strip)) return all;
  if (strip->at_left) all.left -= VECTOR_PIXELS;
  if (strip->at_right) all.right += VECTOR_PIXELS;
  all.width = ENDLESS;
  return all;
}

// That vector, of the row whose buffer load_beyond has filled.
INLINE void take_beyond(const Strip *strip, local const A *row, const int at, AV *s, AV *d) {
  const int place = at < 0 ? BEFORE_ROW : END_OF_ROW + at - (s_count_of(strip->all) - COLOURS - VECTOR_PLACES);
  *s = LOAD_V(row + PLACE_s + place), *d = LOAD_V(row + PLACE_d + place);
}

// --- one pair of rows --------------------------------------------------------------------------------

// What it takes to go along a pair of rows: the newest rows, the pair after them, and the results.
typedef struct {
  const Strip *strip;
  Rows in, next;
  Ring ring;
  Results results;
  local A *borders;
  int skipped;  // place of the strip's own columns
} Sweep;

// The vectors of both rows, by age.
typedef AV Aged[2][X_KEPT];

static inline Sweep sweep_at(const Picture *picture, const int p, const Strip *strip, local A *ring, local A *borders,
                             local A *gathered, const int first) {
  Sweep sweep;
  sweep.strip = strip;
  sweep.in = rows_at(picture, p, strip->all.left);
  sweep.next = rows_at(picture, p + 1, strip->all.left);
  sweep.ring = ring_at(ring, p, ROW);
  sweep.results = results_at(picture, p - Y_LAST_LAG, strip->own, gathered, first);
  sweep.borders = borders;
  sweep.skipped = (strip->own.left - strip->all.left) * COLOURS;
  return sweep;
}

// Loads the vectors of both rows from place `at` on.
INLINE void load_newest(const Sweep *sweep, Aged s, Aged d, const int at, const bool whole) {
  UNROLL for (int cy = 0; cy < 2; ++cy) {
    if (whole)
      load_whole_pairs(&sweep->in, cy, at, &s[cy][0], &d[cy][0]);
    else if (is_beyond(sweep->strip, at))
      take_beyond(sweep->strip, sweep->borders + cy * ROW, at, &s[cy][0], &d[cy][0]);
    else
      load_pairs(&sweep->in, cy, at, s_count_of(sweep->strip->all), d_count_of(sweep->strip->all), &s[cy][0], &d[cy][0]);
    prefetch_pairs(&sweep->next, cy, at);
    s[cy][0] = SCALED_IN(s[cy][0], FACTOR_2D(IN, 0, cy), PRE_SHIFT);
    d[cy][0] = SCALED_IN(d[cy][0], FACTOR_2D(IN, 1, cy), PRE_SHIFT);
  }
}

#if X_FIRST
// Loads the vectors X_LAST_LAG after place `at`, and gives the results at that, if there are any to store. Inner ones are whole
// vectors, and no results of borders.
INLINE bool advance(const Sweep *sweep, Aged s, Aged d, const int at, const bool inner, Turn results) {
  const Strip *const strip = sweep->strip;
  const int newest = at + X_LAST_LAG * VECTOR_PLACES;
  UNROLL for (int cy = 0; cy < 2; ++cy) grow_older(s[cy], d[cy]);
  // Where the row ends, the last vector is all results of the border.
  const int end = strip->extension == EXTENSION_NONE ? d_count_of(strip->all) - VECTOR_PLACES + 1 : end_of(strip);
  if (inner || newest < end) load_newest(sweep, s, d, newest, inner);
  UNROLL for (int cy = 0; cy < 2; ++cy) lift_along_x(s[cy], d[cy]);
  if (!inner && at < sweep->skipped) return false;
  AV ss = s[0][X_LAST_LAG], ds = d[0][X_LAST_LAG];
  AV sd = s[1][X_LAST_LAG], dd = d[1][X_LAST_LAG];
  if (!inner && is_border_result(strip, at)) {
    local const A *const row = sweep->borders + place_in_border(strip, at);
    ss = LOAD_V(row + PLACE_s), ds = LOAD_V(row + PLACE_d);
    sd = LOAD_V(row + ROW + PLACE_s), dd = LOAD_V(row + ROW + PLACE_d);
  }
  lift_along_y(&sweep->ring, PLACE_s + RING_PLACE(at), &ss, &sd);
  lift_along_y(&sweep->ring, PLACE_d + RING_PLACE(at), &ds, &dd);
  results[0][0] = ss, results[0][1] = ds, results[1][0] = sd, results[1][1] = dd;
  return true;
}

// The borders of the first `rows` rows of pair p.
INLINE void lift_border_columns(const Picture *picture, const int p, const int rows, const Strip *strip, const int boundary,
                                local A *borders) {
  for (int cy = 0; cy < rows; ++cy) {
    load_buffer(picture, p, cy, strip->head, borders + cy * ROW);
    load_buffer(picture, p, cy, strip->tail, borders + cy * ROW + 2 * BORDER_PLACES);
  }
  lift_buffers_x(borders, rows, strip->joined, boundary);
}

// Whether the strip has one end of periodic rows, which go on at the other.
INLINE bool is_cut(const Strip *strip, const int boundary) {
  return boundary == PERIODIC && strip->at_left != strip->at_right;
}

INLINE void copy_places(local const A *from, local A *to, const int count) {
  for (int i = 0; i < count; ++i) to[PLACE_s + i] = from[PLACE_s + i], to[PLACE_d + i] = from[PLACE_d + i];
}

// Puts the results of a row's borders into the strip's row.
INLINE void copy_border(const Strip *strip, local const A *border, local A *row) {
  if (strip->at_left) copy_places(border, row, BORDER_PLACES);
  if (strip->at_right)
    copy_places(border + 3 * BORDER_PLACES, row + strip->right_border, s_count_of(strip->all) - strip->right_border);
}

#else
// Stores a vector and nothing beyond its places: of a narrow picture the tail of a row is there before all of its head is.
INLINE void store_places(const AV v, local A *to) {
  if (FILLED) {
    STORE_V(v, to);
  } else {
    A some[VECTOR];
    JOIN(vstore, VECTOR)(v, 0, some);
    for (int i = 0; i < VECTOR_PLACES; ++i) to[i] = some[i];
  }
}

INLINE bool advance(const Sweep *sweep, Aged s, Aged d, const int at, const bool inner, Turn results) {
  const Strip *const strip = sweep->strip;
  const int newest = at + X_LAST_LAG * VECTOR_PLACES;
  UNROLL for (int cy = 0; cy < 2; ++cy) grow_older(s[cy], d[cy]);
  if (inner || newest < end_of(strip)) {
    load_newest(sweep, s, d, newest, inner);
    lift_along_y(&sweep->ring, PLACE_s + RING_PLACE(newest), &s[0][0], &s[1][0]);
    lift_along_y(&sweep->ring, PLACE_d + RING_PLACE(newest), &d[0][0], &d[1][0]);
  }
  if (!inner && strip->extension == EXTENSION_NONE && newest < s_count_of(strip->all)) {
    const bool in_left = strip->at_left && newest < 2 * BORDER_PLACES;
    const bool in_right = strip->at_right && newest >= strip->right_border - BORDER_PLACES;
    UNROLL for (int cy = 0; cy < 2; ++cy) {
      local A *const row = sweep->borders + cy * ROW;
      if (in_left) {
        store_places(s[cy][0], row + PLACE_s + newest);
        store_places(d[cy][0], row + PLACE_d + newest);
      }
      if (in_right) {
        const int place = newest - strip->right_border + 3 * BORDER_PLACES;
        store_places(s[cy][0], row + PLACE_s + place);
        store_places(d[cy][0], row + PLACE_d + place);
      }
    }
  }
  UNROLL for (int cy = 0; cy < 2; ++cy) lift_along_x(s[cy], d[cy]);
  if (!inner && (at < sweep->skipped || is_border_result(strip, at))) return false;
  UNROLL for (int cy = 0; cy < 2; ++cy) results[cy][0] = s[cy][X_LAST_LAG], results[cy][1] = d[cy][X_LAST_LAG];
  return true;
}

// Puts the results of a border from place `from` to place `to` of the strip, and nothing after them, which is there already.
INLINE void put_border(const Sweep *sweep, const int from, const int to) {
  Results results = sweep->results;
  results.s_count = min(results.s_count, to - sweep->skipped);
  results.d_count = min(results.d_count, to - sweep->skipped);
  for (int cy = 0; cy < 2; ++cy) {
    for (int at = from; at < to; at += VECTOR_PLACES) {
      local const A *const row = sweep->borders + cy * ROW + place_in_border(sweep->strip, at);
      const AV channels[2] = {LOAD_V(row + PLACE_s), LOAD_V(row + PLACE_d)};
      put_pairs(&results, cy, at - sweep->skipped, channels, false, false);
    }
  }
}
#endif

// The same, and stores them.
INLINE void advance_and_store(Sweep *sweep, Aged s, Aged d, const int at, const bool inner, const bool stores,
                              const bool gathers, const bool known) {
  Turn results;
  if (!advance(sweep, s, d, at, inner, results) || !stores) return;
  UNROLL for (int cy = 0; cy < 2; ++cy) put_pairs(&sweep->results, cy, at - sweep->skipped, results[cy], gathers, known);
  if (gathers) put_gathered(&sweep->results, at - sweep->skipped + VECTOR_PLACES);
}

// The same of two inner vectors, forward.
INLINE void advance_by_two(Sweep *sweep, Aged s, Aged d, const int at) {
  Turn one, two;
  advance(sweep, s, d, at, true, one);
  advance(sweep, s, d, at + VECTOR, true, two);
  UNROLL for (int cy = 0; cy < 2; ++cy) put_two(&sweep->results, cy, at - sweep->skipped, one[cy], two[cy]);
}

// Loads pair of rows p, which is in no border's reach, and stores the results of pair p - Y_LAST_LAG.
INLINE void sweep_rows(const Picture *picture, const int boundary, const int p, const Strip *strip, local A *ring,
                       local A *borders, local A *gathered, const bool stores) {
  const bool ends = strip->extension == EXTENSION_NONE;
  for (int cy = 0; cy < 2 && goes_on(strip); ++cy) load_beyond(picture, p, cy, strip->extension, borders + cy * ROW);
  const int skipped = (strip->own.left - strip->all.left) * COLOURS;
  Sweep sweep = sweep_at(picture, p, strip, ring, borders, gathered,
                         !X_FIRST && ends && strip->at_left ? max(BORDER_PLACES - skipped, 0) : 0);
  const int end = (strip->own.right - strip->all.left) * COLOURS;
  // What of the way is inner: for borders, 2 * BORDER_PLACES are taken in at either side.
  const int from = ends && strip->at_left ? 2 * BORDER_PLACES : skipped;
  const int last = ends && strip->at_right ? strip->right_border - BORDER_PLACES : d_count_of(strip->all);
  const int to = min(last - X_LAST_LAG * VECTOR_PLACES, end) - VECTOR;
  const bool gathers = sweep.results.gathers, is_plain = stores && is_dense(&sweep.in);

  Aged s, d;
  UNROLL for (int age = 0; age < X_KEPT; ++age) s[0][age] = s[1][age] = d[0][age] = d[1][age] = 0;
  int at = first_of(strip) - X_LAST_LAG * VECTOR_PLACES;
  for (; at < min(from, end); at += VECTOR_PLACES) advance_and_store(&sweep, s, d, at, false, stores, gathers, false);
  if (is_plain && gathers)
    for (; at <= to; at += VECTOR_PLACES) advance_and_store(&sweep, s, d, at, true, true, true, false);
  // The way in ends at an even vector.
  else if (FORWARD && NON_TEMPORAL && SHORT && FILLED && is_plain && sweep.results.by_twos)
    for (; at + VECTOR <= to; at += 2 * VECTOR) advance_by_two(&sweep, s, d, at);
  // By this, i16 by 5/3 takes 0.94 of the CPU time (PoCL), pixels of u8 0.89; f32 1.08 on Intel's runtime.
  else if (SHORT && FILLED && is_plain && sweep.results.known)
    for (; at <= to; at += VECTOR) advance_and_store(&sweep, s, d, at, true, true, false, true);
  else if (is_plain)
    for (; at <= to; at += VECTOR_PLACES) advance_and_store(&sweep, s, d, at, true, true, false, false);
  for (; at < end; at += VECTOR_PLACES) advance_and_store(&sweep, s, d, at, false, stores, gathers, false);
  if (!stores) return;
  if (gathers) prefetch_seams(picture, p - Y_LAST_LAG + 1, strip->own);

#if X_FIRST
  if (gathers) put_rest(&sweep.results, end - skipped);
#else
  if (gathers) put_rest(&sweep.results, min(ends && strip->at_right ? strip->right_border : end, end) - skipped);
  if (!ends) return;
  if (strip->at_left || strip->at_right) lift_buffers_x(borders, 2, strip->joined, boundary);
  if (strip->at_left) put_border(&sweep, skipped, min(BORDER_PLACES, end));
  if (strip->at_right) put_border(&sweep, strip->right_border, end);
#endif
}

// --- the loop ----------------------------------------------------------------------------------------

static inline Strip strip_at(const SingleLoop *own, const int number, const int width) {
  const int columns = S_COUNT(width), first = number * own->strip;
  Strip strip;
  strip.own.left = first;
  strip.own.right = min(first + own->strip, columns);
  strip.all.left = max(strip.own.left - HALO_LO, 0);
  strip.all.right = min(strip.own.right + HALO_HI, columns);
  strip.own.width = strip.all.width = width;
  strip.at_left = strip.all.left == 0;
  strip.at_right = strip.all.right == columns;
  strip.is_wide = d_count_of(strip.all) >= 2 * BORDER_PLACES;
  strip.extension = strip.is_wide ? own->extension : EXTENSION_NONE;
  const Columns head = {0, 2 * BORDER_PAIRS, width};
  const Columns tail = {D_COUNT(width) / VECTOR_PIXELS * VECTOR_PIXELS - 2 * BORDER_PAIRS, columns, width};
  const Columns joined = {0, head.right + columns - tail.left, 2 * head.right + width - 2 * tail.left};
  strip.head = head, strip.tail = tail, strip.joined = joined;
  // From the first place on whose results come from the borders' buffer.
  strip.right_border = (tail.left + BORDER_PAIRS - strip.all.left) * COLOURS;
  return strip;
}

// Copies a row of `count` places, whose vectors are `from_next` places apart, to one where they are `to_next` apart.
INLINE void copy_row(local const A *from, const int from_next, local A *to, const int to_next, const int count) {
  for (int place = 0, i = 0; place < count; place += VECTOR_PLACES, ++i) {
    STORE_V(LOAD_V(from + PLACE_s + i * from_next), to + PLACE_s + i * to_next);
    STORE_V(LOAD_V(from + PLACE_d + i * from_next), to + PLACE_d + i * to_next);
  }
}

// The same by rows, near a border or where the strip is too narrow for borders of its own. Where pixels do not fill a vector, rows of
// the ring are no row buffers.
INLINE void step_by_step(const Picture *picture, const Column *column, const int p, const int top, const int begin,
                         const Strip *strip, local A *ring, local A *zeros, local A *borders, local A *result) {
  const int from = first_in_ring(strip), to = end_in_ring(strip);
  for (int cy = 0; cy < 2; ++cy) {
    if (!has_row(column, p, cy)) break;
    local A *const in = RING_ROW(p, cy, ROW), *const row = FILLED ? in : result;
    load_buffer(picture, p, cy, strip->all, row);
#if X_FIRST
    lift_buffers_x(row, 1, strip->all, column->boundary);
    if (is_cut(strip, column->boundary)) copy_border(strip, borders + cy * ROW, row);
#endif
    if (!FILLED) copy_row(row, VECTOR_PLACES, in, VECTOR, s_count_of(strip->all));
#if !X_FIRST
    if (goes_on(strip)) load_beyond(picture, p, cy, strip->extension, borders + cy * ROW);
    for (int at = from; at < to; at += VECTOR_PLACES) {
      if (!is_beyond(strip, at)) continue;
      AV s, d;
      take_beyond(strip, borders + cy * ROW, at, &s, &d);
      STORE_V(SCALED_IN(s, FACTOR_2D(IN, 0, cy), PRE_SHIFT), in + PLACE_s + RING_PLACE(at));
      STORE_V(SCALED_IN(d, FACTOR_2D(IN, 1, cy), PRE_SHIFT), in + PLACE_d + RING_PLACE(at));
    }
#endif
  }
  lift_buffers_y(ring, zeros, p, top, RING_PLACE(from), RING_PLACES(to), column);
  const int done = p - Y_LAST_LAG;
  if (done < begin) return;
  for (int cy = 0; cy < 2; ++cy) {
    if (!has_row(column, done, cy)) break;
    local const A *row = RING_ROW(done, cy, ROW);
    if (!X_FIRST || !FILLED) {
      copy_row(row + RING_PLACE(from), VECTOR, result + from, VECTOR_PLACES, to - from);
      row = result;
    }
    if (!X_FIRST) lift_buffers_x(result + from, 1, all_of(strip), column->boundary);
    store_buffer(picture, done, cy, strip->own, row, (strip->own.left - strip->all.left) * COLOURS);
  }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void single_loop(global S *signal, global T *bands, global T *low, const Pass pass, const SingleLoop own) {
  // All rows lie in one array, as Intel's CPU runtime needs it; of vectors, so that they start at whole ones.
  local AV memory[ROWS * ROW / VECTOR];
  local A *const ring = (local A *)memory, *const zeros = ring + 2 * Y_KEPT * ROW, *const borders = zeros + ROW;
  local A *const gathered = borders + 2 * ROW, *const result = gathered + GATHERED_ROWS * ROW;

  const int number = get_group_id(0), rest = number / own.strips;
  const Picture picture = picture_at(signal, bands, low, &pass, rest / own.row_blocks);
  const Strip strip = strip_at(&own, number % own.strips, picture.width);
  // Rows of pixels may end within a vector, and what is beside them there is read, though no result depends on it.
  for (int i = 0; COLOURS > 1 && i < ROWS * ROW; i += VECTOR) STORE_V((AV)(0), ring + i);
  // So is what is beside a strip that has neighbours.
  for (int i = 0; !X_FIRST && i < ROW; i += VECTOR) STORE_V((AV)(0), result + i);
  for (int row = 0; row < (2 * Y_KEPT + 1) * ROW; row += ROW)
    EACH_PLACE(i, RING_PLACE(first_in_ring(&strip)), RING_PLACES(end_in_ring(&strip))) STORE_V((AV)(0), ring + row + i);
  // A strip at one border alone fills half of these.
  for (int row = 0; row < 2 * ROW; row += ROW)
    EACH_PLACE(i, 0, s_count_of(strip.joined)) STORE_V((AV)(0), borders + row + i);

  const int rows = S_COUNT(picture.height), first = rest % own.row_blocks * own.row_block;
  const bool periodic = pass.boundary == PERIODIC;
  const Column column = {pass.boundary, periodic ? ENDLESS : picture.height, periodic && picture.height % 2 ? rows : 0};
  const int begin = periodic ? first + (HALO_TOP / rows + 1) * rows : first;
  const int end = begin + min(own.row_block, rows - first), top = max(begin - HALO_TOP, 0);

  for (int p = top; p < end + Y_LAST_LAG; ++p) {
    // The rows before an inner seam are never stored.
    const bool after_top = top > 0 || p + 1 >= Y_KEPT, after_gap = !column.turn || (p + 1) % column.turn >= Y_KEPT;
    const bool inside = strip.is_wide && has_row(&column, p, 1) && after_top && after_gap;
#if X_FIRST
    const bool ends = strip.extension == EXTENSION_NONE && (strip.at_left || strip.at_right);
    if (inside ? ends : is_cut(&strip, pass.boundary))
      lift_border_columns(&picture, p, 1 + has_row(&column, p, 1), &strip, pass.boundary, borders);
#endif
    if (inside)
      sweep_rows(&picture, pass.boundary, p, &strip, ring, borders, gathered, p - Y_LAST_LAG >= begin);
    else
      step_by_step(&picture, &column, p, top, begin, &strip, ring, zeros, borders, result);
  }
}
