// Where the samples of a pass stand: the same as in src/transform/geometry.rs.
//
// A pass works between two arrays, the signal side and the sub-band side; the forward transform reads the first and
// writes the second, the inverse the other way round. Approximations that the next level reads can stand in a dense
// array of their own, `low`, beside the sub-bands.

#include "core/samples.cl"

// The two channels of an axis: the distance of neighbours within a channel, and where the details start.
typedef struct {
  long stride, detail;
} Axis;

// Where the lines of a pass stand in one array.
typedef struct {
  long offset;
  Axis line;
  Axis across[3];
} Side;

// The lines of a pass: a box of up to three axes across, innermost first, of lines of `samples` samples. Of the indices
// across each axis the first `low_across` are low-pass. Where `has_low` says so, the approximations of lines that are
// low-pass on every axis stand in the array `low`.
typedef struct {
  Side signal, bands, low;
  int samples, lines;
  int across[3], low_across[3];
  int boundary;
  int shift;  // the level's pre-shift in its first forward pass and its last inverse one, else 0
  int has_low, unused;
} Pass;

// The two channels of one line; on the signal side they may be of pixels.
typedef struct {
  global T *s, *d;
  long s_stride, d_stride;
} Line;
#if PIXEL_BITS
typedef struct {
  global S *s, *d;
  long s_stride, d_stride;
} SignalLine;
#else
typedef Line SignalLine;
#endif

INLINE long place_across(const Axis axis, const int index, const int low) {
  return index < low ? index * axis.stride : axis.detail + (index - low) * axis.stride;
}

INLINE long line_start(const Side *side, const Pass *pass, const int3 at) {
  return side->offset + place_across(side->across[0], at.x, pass->low_across[0]) +
         place_across(side->across[1], at.y, pass->low_across[1]) +
         place_across(side->across[2], at.z, pass->low_across[2]);
}

INLINE int3 place_of_line(const Pass *pass, const int index) {
  if (index < pass->across[0]) return (int3)(index, 0, 0);  // no division
  const int rest = index / pass->across[0];
  return (int3)(index % pass->across[0], rest % pass->across[1], rest / pass->across[1]);
}

static inline Line line_on(global T *array, const Side *side, const Pass *pass, const int3 at) {
  global T *const start = array + line_start(side, pass, at);
  const Line line = {start, start + side->line.detail, side->line.stride, side->line.stride};
  return line;
}

static inline SignalLine signal_line(global S *signal, const Pass *pass, const int index) {
  const Axis along = pass->signal.line;
  global S *const start = signal + line_start(&pass->signal, pass, place_of_line(pass, index));
  const SignalLine line = {start, start + along.detail, along.stride, along.stride};
  return line;
}

// Whether the approximations of the line at this place stand in `low`.
INLINE bool stands_in_low(const Pass *pass, const int3 at) {
  return pass->has_low && at.x < pass->low_across[0] && at.y < pass->low_across[1] && at.z < pass->low_across[2];
}

static inline Line bands_line(global T *bands, global T *low, const Pass *pass, const int index) {
  const int3 at = place_of_line(pass, index);
  Line line = line_on(bands, &pass->bands, pass, at);
  if (stands_in_low(pass, at)) {
    line.s = low + line_start(&pass->low, pass, at);
    line.s_stride = pass->low.line.stride;
  }
  return line;
}

// A line on the side that a pass loads, and on the one that it stores to.
#if FORWARD
typedef SignalLine LoadedLine;
typedef Line StoredLine;
INLINE LoadedLine input_line(global S *signal, global T *bands, global T *low, const Pass *pass, const int index) {
  return signal_line(signal, pass, index);
}
INLINE StoredLine output_line(global S *signal, global T *bands, global T *low, const Pass *pass, const int index) {
  return bands_line(bands, low, pass, index);
}
#else
typedef Line LoadedLine;
typedef SignalLine StoredLine;
INLINE LoadedLine input_line(global S *signal, global T *bands, global T *low, const Pass *pass, const int index) {
  return bands_line(bands, low, pass, index);
}
INLINE StoredLine output_line(global S *signal, global T *bands, global T *low, const Pass *pass, const int index) {
  return signal_line(signal, pass, index);
}
#endif
