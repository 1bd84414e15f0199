// single_loop: one level in one loop over the picture, for CPU devices.
//
// A work-group is one work-item. It owns a strip of columns and a block of rows and sweeps down it, a pair of rows at a
// time. Within a pair of rows it goes along x a vector at a time, and everything happens to that vector while it is in
// registers: it is loaded, split into channels, lifted along x as a pipeline over vectors, lifted along y as a pipeline
// over the last Y_KEPT pairs of rows (which lie in a ring in the nearest caches), and stored. Results leave X_LAST_LAG
// vectors and Y_LAST_LAG pairs of rows behind the newest.
//
// The boundary rule touches no inner loop. Where x is first, and lifting a row that goes on beyond its ends gives the same, the
// loop takes in a vector more at either end (beyond_rows.cl). Else the BORDER_PAIRS pairs of columns at either border are
// lifted along x in a row buffer of their own, and put in when the loop comes to them; so are those of a mirrored or periodic
// picture that is lifted along y first. By that, 9/7 in f32 takes 1.4 times as long on rows of 256 samples, inverse 1.5, and
// 1.05 times on rows of 4096 (PoCL 3.1, one core of Zen 5). The pairs of rows at a border go through row_buffers.cl.
// The lags are those of the rule's effective offsets (Y_LAG_k). A periodic picture, of which the height is even, has no
// rows at a border: the loop starts HALO_TOP pairs of rows before a block's and goes on after the last with the first.
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
// Halves are limited by arithmetic on one core: their conversions are one instruction for eight of them (F16C), a tenth of the
// time. With results along x one vector later (Rust computes X_LAST_LAG) and stores that do not ask (STORE_KNOWN), 9/7 takes
// 0.70 to 0.77 of the CPU time of f32, inverse 0.58 to 0.65; without, 0.87 to 0.95 and 0.70 to 0.8.

#include "single_loop/sweep.cl"

// The arguments besides the geometry.
typedef struct {
  int strips, row_blocks;  // of a picture
  int strip;               // pairs of columns in a strip
  int row_block;           // pairs of rows in a block
  int extension;           // how rows go on beyond their ends; 0 where their borders are lifted apart
} SingleLoop;

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void single_loop(global S *signal, global T *bands, global T *low, const Pass pass, const SingleLoop own) {
  // All rows lie in one array, as Intel's CPU runtime needs it; of vectors, so that they start at whole ones.
  local AV memory[ROWS * ROW / VECTOR];
  const int number = get_group_id(0), rest = number / own.strips, first = rest % own.row_blocks * own.row_block;
  const Picture picture = picture_at(signal, bands, low, &pass, rest / own.row_blocks);
  const Strip strip = strip_at(number % own.strips * own.strip, own.strip, picture.width, own.extension);
  const Buffers buffers = buffers_at((local A *)memory, &strip);
  sweep_block(&picture, pass.boundary, first, min(own.row_block, S_COUNT(picture.height) - first), &strip, &buffers);
}
