// One picture of a batch as a two-dimensional kernel sees it: samples on the near side, on the far side
// the four sub-bands of one level.
//
// Of a `Pass`, the line is x and the first axis across is y; the others count pictures. Bands are numbered
// 2 * cy + cx: LL, HL, LH, HH.

// Distances within a picture; where all of them are known to be NARROW, a place costs one multiplication and not six.
#ifdef NARROW
typedef int Distance;
#else
typedef long Distance;
#endif

typedef struct {
  global T *near;
  Distance near_row;
  global T *far[4];  // the array that a band is in
  Distance far_start[4], far_row[4], far_step[4];
  int width, height;
} Plane;

// Neighbours of one row of a band are one place apart in planes (PLANAR).
#ifndef PLANAR
#define PLANAR 0
#endif
#define FAR_STEP(band) (PLANAR ? 1 : plane->far_step[band])

// Places of the picture, and of a pair of columns in a row of a band.
INLINE global T *near_at(const Plane *plane, const int y, const int x) {
  return plane->near + (y * plane->near_row + x);
}
INLINE global T *far_at(const Plane *plane, const int band, const int y, const int x) {
  return plane->far[band] + (plane->far_start[band] + y * plane->far_row[band] + x * FAR_STEP(band));
}

// Kernels for a single picture need not ask which: work-items have less to do before their first load.
#ifndef SINGLE
#define SINGLE 0
#endif
#define START(side) (SINGLE ? (side)->offset : line_start(side, pass, at))

static inline Plane plane_of(global T *near, const Side *near_side, global T *far, const Side *far_side,
                      global T *corner, const Pass *pass, const int picture) {
  const int outer = pass->across[2] > 1 ? picture / pass->across[1] : 0;
  const int3 at = (int3)(0, picture - outer * pass->across[1], outer);
  Plane plane;
  plane.width = pass->samples;
  plane.height = pass->across[0];
  plane.near = near + START(near_side);
  plane.near_row = near_side->across[0].high;
  global T *const first = far + START(far_side);
  for (int band = 0; band < 4; ++band) {
    plane.far[band] = first;
    plane.far_start[band] = (band & 1) * far_side->line.high + (band >> 1) * far_side->across[0].high;
    plane.far_row[band] = far_side->across[0].pair;
    plane.far_step[band] = far_side->line.pair;
  }
  if (pass->has_corner) {
    plane.far[0] = corner + START(&pass->corner);
    plane.far_start[0] = 0;
    plane.far_row[0] = pass->corner.across[0].pair;
    plane.far_step[0] = pass->corner.line.pair;
  }
  return plane;
}

#ifdef FORWARD
#define PLANE(picture) plane_of(from, &pass.from, to, &pass.to, corner, &pass, picture)
#else
#define PLANE(picture) plane_of(to, &pass.to, from, &pass.from, corner, &pass, picture)
#endif

// Where the coefficients of one axis stand `level` levels after one where they stand as `first`, if there are
// `samples` samples then: interleaved always twice as far apart, else closer together.
static inline Axis axis_at(const Axis first, const int level, const int samples) {
  const bool woven = first.high < first.pair;
  const Axis axis = {woven ? first.pair << level : first.pair,
                     woven ? first.high << level : first.pair * S_COUNT(samples)};
  return axis;
}

// What is left of `samples` samples after `level` levels: rounded up each time.
INLINE int samples_at(const int samples, const int level) { return ((samples - 1) >> level) + 1; }

#define SCALE(side, cx, cy) ((cx) ? (cy) ? side##_dd : side##_sd : (cy) ? side##_sd : side##_ss)

// Loading and storing a sample of channel cx along x and cy along y: both axes' scaling at once, and the
// pre-shift once.
#ifdef INTEGER
#define LOAD_2D(cx, cy, v) (LEVEL_SHIFT_IN ? SHIFT_IN(v, LEVEL_SHIFT_IN) : (A)(v))
#define STORE_2D(cx, cy, v) SHIFT_OUT(v, LEVEL_SHIFT_OUT)
#else
#define LOAD_2D(cx, cy, v) ((v) * SCALE(IN, cx, cy))
#define STORE_2D(cx, cy, v) ((v) * SCALE(OUT, cx, cy))
#endif

// Loading and storing as LOAD_2D and STORE_2D, but an axis of one sample is not scaled.
#ifdef INTEGER
#define TILE_LOAD(cx, cy, width, height, v) LOAD_2D(cx, cy, v)
#define TILE_STORE(cx, cy, width, height, v) STORE_2D(cx, cy, v)
#else
#define TILE_SCALE(channel, length, side) ((length) == 1 ? (A)1 : (channel) ? side##_d : side##_s)
#define TILE_LOAD(cx, cy, width, height, v) \
  ((v) * (TILE_SCALE(cx, width, IN) * TILE_SCALE(cy, height, IN)))
#define TILE_STORE(cx, cy, width, height, v) \
  ((v) * (TILE_SCALE(cx, width, OUT) * TILE_SCALE(cy, height, OUT)))
#endif
