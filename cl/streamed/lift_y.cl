// Lifting along y as a pipeline in registers: step k runs LAG_k pairs of rows behind the newest.
//
// The newest RING pairs of rows are kept in a ring. The loop over its phases is unrolled, so that every index
// is constant, the ring stays in registers and nothing is moved. A row is `count` samples: the approximations
// along x, then the details.

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
INLINE A *row_of_age(A *ring, const int age, const int phase, const int count) {
  return ring + (phase < age ? phase + RING - age : phase - age) * count;
}

// The place of sample i of the pair of rows that is `age` pairs behind the newest.
#define AT_AGE(age) ((phase + RING - (age)) % RING * count + i)
#define ROW_AT_s(offset) s[AT_AGE(lag - (offset))]
#define ROW_AT_d(offset) d[AT_AGE(lag - (offset))]
#define COLUMN_STEP(k, target, source, first, last, before, after)                                               \
  { const int lag = LAG_##k;                                                                                     \
    UNROLL for (int i = 0; i < count; ++i) target[AT_AGE(lag)] = LIFT_##k(target[AT_AGE(lag)], ROW_AT_##source); \
    if (CLAMPED && near_border)                                                                                  \
      clamp_rows(target, lag, count, phase, newest, segment->target##_first, segment->target##_end); }

// The first row of a channel is copied into all older places that steps still read. Each row after the last one is a
// copy of the one before. Only the outermost segments read rows beyond the border, and they begin REACH_LO pairs before
// it: so the first row can only come up in the phase REACH_LO + lag, or in the next one (bottom-up, of an even height).
INLINE void clamp_rows(A *channel, const int lag, const int count, const int phase, const int newest, const int first,
                       const int end) {
  const int n = newest - lag;
  const bool sees_first = ((phase - REACH_LO - lag) % ROUND + 2 * ROUND) % ROUND < 2;
  if (sees_first && n == first)
    UNROLL for (int age = lag + 1; age < KEPT; ++age)
      UNROLL for (int i = 0; i < count; ++i) channel[AT_AGE(age)] = channel[AT_AGE(lag)];
  if (n >= end)
    UNROLL for (int i = 0; i < count; ++i) channel[AT_AGE(lag)] = channel[AT_AGE(lag + 1)];
}

// One turn of the pipeline, `newest` the newest pair of rows.
INLINE void lift_rows_y(A *s, A *d, const int count, const int phase, const int newest, const Segment *segment) {
  const bool near_border = newest <= segment->s_first + LAST_LAG || newest >= segment->d_end;
  LIFT_STEPS(COLUMN_STEP)
}

// One turn along both axes: the newest row of each channel, of `count` samples, is in its place; `low` and `high`
// become the pair that is done.
INLINE void lift_pair_of_rows(const OwnColumns *columns, const Segment *segment, A *s, A *d, const int count,
                              const int phase, const int newest, A *low, A *high) {
  if (X_FIRST) {
    lift_row_x(columns, row_of_age(s, NEWEST_s, phase, count), count / 2);
    lift_row_x(columns, row_of_age(d, NEWEST_d, phase, count), count / 2);
  }
  lift_rows_y(s, d, count, phase, newest, segment);
  UNROLL for (int i = 0; i < count; ++i) {
    low[i] = s[AT_AGE(LAST_LAG)];
    high[i] = d[AT_AGE(LAST_LAG)];
  }
  if (!X_FIRST) {
    lift_row_x(columns, low, count / 2);
    lift_row_x(columns, high, count / 2);
  }
}
