// single_loop: one level in one loop over the picture, for CPU devices.
//
// A work-group is one work-item. It owns a strip of columns and a block of rows and sweeps down it, a pair of rows at
// a time. Within a pair of rows it goes along x a vector at a time, and everything happens to that vector while it is
// in registers: it is loaded, split into channels, lifted along x as a pipeline over vectors, lifted along y as a
// pipeline over the last Y_KEPT pairs of rows (which lie in a ring in the nearest caches), and stored. Results leave
// X_LAST_LAG vectors and Y_LAST_LAG pairs of rows behind the newest. One pair of rows follows the other in the
// pipeline (along_rows.cl).
//
// The boundary rule touches no inner loop. Where lifting a row that goes on beyond its ends gives the same, and a
// vector reaches far enough, the loop takes in one more at either end, and lifts it along y, too, if that is first: of
// whole vectors it turns the order of the outermost ones around, of others it has them from a row buffer
// (beyond_rows.cl). Else the BORDER_PAIRS pairs of columns at either border are lifted along x in a row buffer of their
// own, and put in when the loop comes to them. By that, 9/7 in f32 takes 1.4 times as long on rows of 256 samples,
// inverse 1.5, and 1.05 times on rows of 4096 (PoCL 3.1, one core of Zen 5), and along y first 5/3 in i16 2.1 times on
// rows of 256 and 2.7 on rows of 128 (Zen 4). The pairs of rows at a border go step by step (step_by_step.cl). The lags
// are those of the rule's effective offsets (Y_LAG_k). A periodic picture has no rows at a border: the loop starts
// HALO_TOP pairs of rows before a block's and goes on after the last with the first. Where its height is odd, the last
// pair lacks its detail. Steps on either side of that place read one pair further away, for which all of them wait
// (Y_LAG_k again), and as long as it is in the ring rows go step by step. Pixels of COLOURS samples take the same way,
// a whole number of them in a vector (cpu/pixels_in_vectors.cl).
//
// After the single-loop core of Barina and Zemcik 2015 and the advice on cache aliasing of Shahbahrami et al. 2008.
// Cost per sample: 1 global read and 1 write, and the reach again for each strip and row block. For 9/7 in f32, a
// vector of both channels of two rows (4 * VECTOR samples) takes 4 loads, 4 stores and 4 prefetches, 4 shuffles to
// split the channels, 16 multiply-adds and 8 shifts along x, 16 multiply-adds along y with 10 reads and 10 writes of
// the ring, and 2 scalings: 78 vector operations. Limited by memory on the two cores of Zen 5 measured (PoCL 3.1, 4096
// x 4096): one core takes 0.21 ns per sample, two run at the rate of the copy. Without the prefetches one takes 2.0
// times as long forward, 1.4 inverse. Where one took 3.9 ms and two 2.9, plain C that reads and stores the same way
// without any arithmetic took 3.8 and 2.9. Halves are not limited by memory on one core: their conversions are one
// instruction for eight of them (F16C), a tenth of the time. Results along x leave one vector later than they could
// (Rust computes X_LAST_LAG), and stores do not ask where that is known (STORE_KNOWN): without both, f16 by 9/7 takes
// 1.2 times as long, 1024 x 1024 in f32 1.25 times. Then f16 takes 0.85 of the time of f32, inverse 0.76 (one core of
// Zen 4, 4096 x 4096). A vector of 16-bit samples is half a line of the caches, or, where LLVM stores as many as it
// converts, two quarters; past the caches these wait for each other in four runs at once. Two vectors at a time
// (advance_by_two) f16 takes 0.91 of the CPU time (5/3 0.8 to 0.9), rounded samples 0.94, i16 by 5/3 0.85 to 0.99 (PoCL
// 3.1, one core of Zen 4; Intel's runtime: 0.88; i16 as long). Inverse results are two runs, and halves by 9/7 take
// 1.05 to 1.2 times as long by that. What is left, instructions that convert 16 at once, loads one vector ahead or
// fewer prefetches do not change.

#include "single_loop/along_rows.cl"
#include "single_loop/step_by_step.cl"

#ifndef HALO_TOP
#error "HALO_TOP: pairs of rows that a row block loads before its own"
#endif
#if !defined(ROWS) || !defined(GATHERED_ROWS)
#error "ROWS, GATHERED_ROWS: rows of local memory in all, and of gathered results"
#endif

// Sets places [from, to) of these rows to zero, and up to a vector more.
INLINE void clear_rows(local A *rows, const int count, const int from, const int to) {
  for (local A *row = rows; row < rows + count * ROW; row += ROW) EACH_PLACE(i, from, to) STORE_V((AV)(0), row + i);
}

// Whether pair of rows p of the block is in no border's reach. The rows before an inner seam are never stored.
INLINE bool is_inside(const Column *column, const Strip *strip, const int p, const int top, const int end) {
  const bool after_top = top > 0 || p + 1 >= Y_KEPT;
  const bool after_gap = !column->gap_period || (p + 1) % column->gap_period >= Y_KEPT;
  return p < end + Y_LAST_LAG && strip->is_wide && has_row(column, p, 1) && after_top && after_gap;
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
  const int to = RING_PLACES(end_in_ring(&strip)), joined = s_count_of(strip.joined);
  const int longest = min(max(to, joined) + MARGIN, CHANNEL - MARGIN);
#if COLOURS > 1
  // Rows of pixels may end within a vector, and what is beside them there is read, though no result depends on it.
  clear_rows(ring, ROWS, -MARGIN, longest);
#else
  clear_rows(ring, 2 * Y_KEPT + 1, RING_PLACE(first_in_ring(&strip)), to);
  // A strip at one border alone fills half of these.
  clear_rows(borders, 2, 0, joined);
  // What is beside a strip that has neighbours is read as well.
  if (!X_FIRST) clear_rows(result, 1, -MARGIN, longest);
#endif

  const int rows = S_COUNT(picture.height), first = rest % own.row_blocks * own.row_block;
  const bool periodic = pass.boundary == PERIODIC;
  const Column column = {pass.boundary, periodic ? ENDLESS : picture.height, periodic && picture.height % 2 ? rows : 0};
  const int begin = periodic ? first + (HALO_TOP / rows + 1) * rows : first;
  const int end = begin + min(own.row_block, rows - first), top = max(begin - HALO_TOP, 0);

  Delays s, d;
  UNROLL for (int age = 0; age < X_KEPT; ++age) s[0][age] = s[1][age] = d[0][age] = d[1][age] = 0;
  bool inside = false;
  for (int p = top - 1; p < end + Y_LAST_LAG; ++p) {
    Sweep sweep, next;
    set_out(&sweep, &picture, p, begin, &strip, ring, borders, gathered);
    if (p >= top) {
#if X_FIRST
      const bool ends = strip.extension == EXTENSION_NONE && (strip.at_left || strip.at_right);
      if (inside ? ends : is_cut(&strip, pass.boundary))
        lift_border_columns(&picture, p, 1 + has_row(&column, p, 1), &strip, pass.boundary, borders);
#endif
      if (inside)
        sweep_rows(&sweep, &strip, s, d);
      else
        step_by_step(&picture, &column, p, top, begin, &strip, ring, zeros, borders, result);
    }
    const bool goes_in = is_inside(&column, &strip, p + 1, top, end);
    set_out(&next, &picture, p + 1, begin, &strip, ring, borders, gathered);
    if (inside && goes_in && sweep.stores && sweep.results.known && strip.is_whole && is_dense(&sweep.in))
      join_rows(&sweep, &next, &strip, s, d);
    else if (inside || goes_in)
      join_any_rows(&picture, p + 1, &sweep, inside, &next, goes_in, &strip, pass.boundary, s, d);
    inside = goes_in;
  }
}
