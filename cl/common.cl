// What every kernel shares: where the lines of a pass lie, and how their samples are loaded and stored.
//
// The prelude in front of this file defines, for one wavelet, sample type and direction:
//   T, A             the type in memory and the type that the steps compute in
//   INTEGER          defined for integer samples
//   SHORT, DOUBLE    defined for 16-bit integers, for double precision
//   FORWARD          defined for the forward transform
//   LEVEL_SHIFT_IN/_OUT  the pre-shift of a whole level, for kernels that do one in a pass
//   IN_s .. OUT_d    factors of the two channels on load and on store; IN_ss, IN_sd .. of two axes
//   LIFT_k(v, at)    step k applied to v, whose neighbours are at(offset) in the other channel
//   LIFT_STEPS(STEP) STEP(k, target, source, first, last, before, after) for each step in order:
//                    reads source[n + first .. n + last]; to get the pairs 0 .. m it must run on the
//                    pairs -before .. m + after
//   REACH_LO/_HI     how many pairs before / after it a result depends on
//   LAG_k, LAST_LAG, KEPT   of a stream: how many pairs behind the newest step k runs and results are
//                    done, and how many pairs are kept, the newest included

#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define UNROLL _Pragma("unroll")
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
// PoCL 3.1 goes wrong where a function with a barrier is not inlined, and its compiler crashes on some that
// it inlines late. Oclgrind 21.10 in turn can not run an always-inlined function that returns a structure.
#define INLINE static inline __attribute__((always_inline))

// Integer steps compute in UNSIGNED numbers, shift SIGNED ones, and REDUCE results to the sample's width:
// all arithmetic wraps.
#define UNSIGNED(v) ((uint)(v))
#define SIGNED(v) as_int(v)
#ifdef SHORT
#define REDUCE(v) ((int)(short)(v))
#else
#define REDUCE(v) ((int)(v))
#endif

// A channel of samples along one axis: the distance of neighbours within the channel, and where its
// second (detail) half starts.
typedef struct {
  long pair, high;
} Axis;

// Where the samples of a pass stand in one array.
typedef struct {
  long offset;
  Axis line;
  Axis across[3];
} Side;

// The lines of one pass: a box of up to three axes across, innermost first, of lines of `samples`
// samples. Of the indices across each axis the first `low` are low-pass. Approximations of the lines
// that are low-pass on every axis stand in an array of their own where `has_corner` says so.
typedef struct {
  Side from, to, corner;
  int samples, lines;
  int across[3], low[3];
  int boundary;
  int shift_in, shift_out;
  int has_corner;
  int step;              // stepwise: which step; single_loop: pairs of columns in a strip; four_pairs:
                         // work-groups that do borders; streamed: bit 0 whether segments march apart, the
                         // rest is added to a segment's number, even ones march up; tail: how many levels
  int groups;            // work-groups (streamed: strips) side by side over the columns or along a row
  int windows;           // four_pairs: positions of the window (rows: tiles) in a segment; kernels that lift
                         // both axes: pairs of rows in a segment; those in vectors: lines for a work-item
  int segments;          // segments of a picture
  int frame_x, frame_y;  // streamed: tiles along the top and bottom, along the left and right edge
} Pass;

// The two channels of one line.
typedef struct {
  global T *s, *d;
  long s_pair, d_pair;
} Line;

#define S_COUNT(samples) (((samples) + 1) / 2)
#define D_COUNT(samples) ((samples) / 2)

INLINE long place_across(const Axis axis, const int index, const int low) {
  return index < low ? index * axis.pair : axis.high + (index - low) * axis.pair;
}

INLINE long line_start(const Side *side, const Pass *pass, const int3 at) {
  return side->offset + place_across(side->across[0], at.x, pass->low[0]) +
         place_across(side->across[1], at.y, pass->low[1]) +
         place_across(side->across[2], at.z, pass->low[2]);
}

static inline Line line_at(global T *array, const Side *side, global T *corner, const Pass *pass,
                    const bool may_be_in_corner, const int index) {
  const int rest = index / pass->across[0];
  const int3 at = (int3)(index % pass->across[0], rest % pass->across[1], rest / pass->across[1]);
  Line line;
  line.s = array + line_start(side, pass, at);
  line.d = line.s + side->line.high;
  line.s_pair = line.d_pair = side->line.pair;
  if (may_be_in_corner && pass->has_corner && at.x < pass->low[0] && at.y < pass->low[1] &&
      at.z < pass->low[2]) {
    line.s = corner + line_start(&pass->corner, pass, at);
    line.s_pair = pass->corner.line.pair;
  }
  return line;
}

// The forward transform writes the corner, the inverse reads it.
#ifdef FORWARD
#define INPUT_LINE(index) line_at(from, &pass.from, corner, &pass, false, index)
#define OUTPUT_LINE(index) line_at(to, &pass.to, corner, &pass, true, index)
#else
#define INPUT_LINE(index) line_at(from, &pass.from, corner, &pass, true, index)
#define OUTPUT_LINE(index) line_at(to, &pass.to, corner, &pass, false, index)
#endif

// From memory to the steps and back: pre-shift of integers, scaling of reals.
#ifdef INTEGER
#define SHIFT_IN(v, bits) REDUCE((uint)(A)(v) << (bits))
#define SHIFT_OUT(v, bits) ((T)(as_int((uint)(v) + ((1u << (bits)) >> 1)) >> (bits)))
#define LOAD(channel, v) SHIFT_IN(v, pass.shift_in)
#define STORE(channel, v) SHIFT_OUT(v, pass.shift_out)
#else
#define LOAD(channel, v) ((v) * IN_##channel)
#define STORE(channel, v) ((v) * OUT_##channel)
#endif

