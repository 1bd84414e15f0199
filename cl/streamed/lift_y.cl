// Lifting along y as a pipeline in registers (core/ring.cl): a row is `count` samples, the approximations along x, then
// the details.

#include "core/ring.cl"
#include "streamed/lift_x.cl"

// Where a round of the loop is half the turns of the ring, what the ring holds moves on by half
// its length between rounds.
INLINE void move_ring(A *ring, const int count) {
  UNROLL for (int i = 0; i < RING / 2 * count; ++i) {
    const A older = ring[i];
    ring[i] = ring[i + RING / 2 * count];
    ring[i + RING / 2 * count] = older;
  }
}

// The row of a channel that is `age` pairs behind the newest.
INLINE A *row_of_age(A *ring, const int age, const int phase, const int count) { return ring + RING_AT(age) * count; }

// One turn along both axes: the newest row of each channel, of `count` samples, is in its place; `low` and `high`
// become the pair that is done.
INLINE void lift_pair_of_rows(const OwnColumns *columns, const Segment *segment, A *s, A *d, const int count,
                              const int phase, const int newest, A *low, A *high) {
  A *const done_s = row_of_age(s, LAST_LAG, phase, count), *const done_d = row_of_age(d, LAST_LAG, phase, count);
  if (X_FIRST) {
    lift_row_x(columns, row_of_age(s, NEWEST_s, phase, count), count / 2);
    lift_row_x(columns, row_of_age(d, NEWEST_d, phase, count), count / 2);
  }
  lift_in_ring(s, d, count, phase, newest, &segment->inside, CLAMP);
  UNROLL for (int i = 0; i < count; ++i) {
    low[i] = done_s[i];
    high[i] = done_d[i];
  }
  if (!X_FIRST) {
    lift_row_x(columns, low, count / 2);
    lift_row_x(columns, high, count / 2);
  }
}
