// One picture of a batch as a kernel sees it that lifts both axes: its samples on the signal side, the four sub-bands
// of one level on the other.
//
// Of a `Pass`, the line is x and the first axis across is y; the others count pictures. Sub-bands are numbered
// 2 * cy + cx: LL, HL, LH, HH.

#include "core/pass.cl"

// With long, VC-2's 13/7 takes 1.11 times as long forward, 1.40 inverse (NVIDIA H200): a product of 64 bits is six
// instructions.
#ifndef DISTANCE
#error "DISTANCE: the type of distances within a picture, int where all of them fit it, else long"
#endif
// Without this, rows of 8189 samples take 1.0 times as long forward and 1.2 inverse (NVIDIA H200, 9/7 in f32), 1.4 and
// 1.6 in i16 by 5/3; of 4095 pixels of three f32 1.1 and 1.2.
#ifndef PLANAR
#error "PLANAR: 1 where neighbours in a row of a sub-band are known to be neighbours in memory"
#endif
// Without this, VC-2's 13/7 takes 1.14 times as long forward (NVIDIA H200): its registers let fewer sub-groups run at
// once. 9/7 in f32 takes 1.1 times as long inverse on rows of 8189, and on those of three colours.
#ifndef SINGLE
#error "SINGLE: 1 where there is one picture, which need not be found"
#endif
#ifndef PRE_SHIFT
#error "PRE_SHIFT: bits of the level's pre-shift that this pass applies, 0 for none"
#endif

typedef DISTANCE Distance;

typedef struct {
  global S *signal;
  Distance signal_pitch;
  global T *band[4];  // the array that a sub-band is in
  Distance band_start[4], band_pitch[4], band_stride[4];
  int width, height;
} Picture;

#define BAND_STRIDE(picture, n) (PLANAR ? 1 : (picture)->band_stride[n])

// Places of a sample, and of a pair of columns in a row of a sub-band.
INLINE global S *signal_at(const Picture *picture, const int y, const int x) {
  return picture->signal + (y * picture->signal_pitch + x);
}
INLINE global T *band_at(const Picture *picture, const int n, const int y, const int x) {
  return picture->band[n] +
         (picture->band_start[n] + y * picture->band_pitch[n] + x * BAND_STRIDE(picture, n));
}
INLINE global T *band_row_at(const Picture *picture, const int n, const int row) {
  return picture->band[n] + (picture->band_start[n] + row * picture->band_pitch[n]);
}

// Like band_at, of a sub-band that is known only at run time. An index into the arrays would put the whole Picture in
// private memory, on the path through the inside as well.
INLINE global T *any_band_at(const Picture *picture, const int n, const int y, const int x) {
  return n == 0   ? band_at(picture, 0, y, x)
         : n == 1 ? band_at(picture, 1, y, x)
         : n == 2 ? band_at(picture, 2, y, x)
                  : band_at(picture, 3, y, x);
}

INLINE long picture_start(const Side *side, const Pass *pass, const int3 at) {
  return SINGLE ? side->offset : line_start(side, pass, at);
}

static inline Picture picture_at(global S *signal, global T *bands, global T *low, const Pass *pass, const int number) {
  const int outer = pass->across[2] > 1 ? number / pass->across[1] : 0;
  const int3 at = (int3)(0, number - outer * pass->across[1], outer);
  Picture picture;
  picture.width = pass->samples;
  picture.height = pass->across[0];
  picture.signal = signal + picture_start(&pass->signal, pass, at);
  picture.signal_pitch = pass->signal.across[0].detail;
  global T *const first = bands + picture_start(&pass->bands, pass, at);
  for (int n = 0; n < 4; ++n) {
    picture.band[n] = first;
    picture.band_start[n] = (n & 1) * pass->bands.line.detail + (n >> 1) * pass->bands.across[0].detail;
    picture.band_pitch[n] = pass->bands.across[0].stride;
    picture.band_stride[n] = pass->bands.line.stride;
  }
  if (pass->has_low && (SINGLE || (at.y < pass->low_across[1] && at.z < pass->low_across[2]))) {
    picture.band[0] = low + picture_start(&pass->low, pass, at);
    picture.band_start[0] = 0;
    picture.band_pitch[0] = pass->low.across[0].stride;
    picture.band_stride[0] = pass->low.line.stride;
  }
  return picture;
}

// Loading and storing a sample of channel cx along x and cy along y: both axes' scaling at once, the pre-shift once.
#define LOAD_2D(cx, cy, v) TAKE_2D(cx, cy, NUMBER(v))
#define STORE_2D(cx, cy, v) SAMPLE(SCALED_OUT(v, FACTOR_2D(OUT, cx, cy), PRE_SHIFT))
// The same where it stays in registers or local memory from one level to the next.
#define TAKE_2D(cx, cy, v) SCALED_IN((A)(v), FACTOR_2D(IN, cx, cy), PRE_SHIFT)
#define KEEP_2D(cx, cy, v) ((L)SCALED_OUT(v, FACTOR_2D(OUT, cx, cy), PRE_SHIFT))
