// What single_loop's results go through where they are planes of a volume: the third axis, of steps on reals, which commute
// along different axes, rounding apart. The rows of the last Y_KEPT pairs of planes lie in a ring in local memory, where each
// pair is lifted along z, as a pipeline, once both of its planes are there.

#include "cpu/pipeline_y.cl"
#include "single_loop/row_buffers.cl"

// Rows of a plane there, from pair of rows `first` on. Each has two channels of so many numbers.
typedef struct {
  local A *rows;
  int first, channel;
} Plane;

// Where row 0 of pair of rows p of a picture so high stands, of which rows may go on after the last with the first.
INLINE local A *rows_in_plane(const Plane *plane, const int p, const int height) {
  return plane->rows + 4 * plane->channel * (p % S_COUNT(height) - plane->first);
}

// The rows of the pair of planes that is done, in memory; `stored` of these planes are stored.
typedef struct {
  Rows rows[2];
  int s_count, d_count, stored;
} PlaneRows;

#define OUT_OF_PLANE(v, cx, cy, cz) TO_T(SCALED_OUT(v, FACTOR_2D(OUT, cx, cy) * ((cz) ? OUT_d : OUT_s), 0))

// Lifts row cy of a pair of rows, which starts at place `start` of each plane, and stores the results.
INLINE void lift_along_z(const Ring *planes, const int start, const int channel, const int cy, const PlaneRows *to) {
  for (int at = 0; at < to->s_count; at += VECTOR) {
    const int i = start + at, j = i + channel;
    AV ss = SCALED_IN(LOAD_V(planes->s[0] + i), IN_s, 0), sd = SCALED_IN(LOAD_V(planes->d[0] + i), IN_d, 0);
    AV ds = SCALED_IN(LOAD_V(planes->s[0] + j), IN_s, 0), dd = SCALED_IN(LOAD_V(planes->d[0] + j), IN_d, 0);
    lift_along_y(planes, i, &ss, &sd);
    lift_along_y(planes, j, &ds, &dd);
    if (to->stored > 0)
      store_pairs(&to->rows[0], cy, at, to->s_count, to->d_count, OUT_OF_PLANE(ss, 0, cy, 0), OUT_OF_PLANE(ds, 1, cy, 0), true);
    if (to->stored > 1)
      store_pairs(&to->rows[1], cy, at, to->s_count, to->d_count, OUT_OF_PLANE(sd, 0, cy, 1), OUT_OF_PLANE(dd, 1, cy, 1), true);
  }
}
