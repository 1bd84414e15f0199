// What a step along x reads of one channel, where neighbouring work-items have some pairs each of a row: `near` has the
// work-item's own pairs and as many on either side as the step reaches.

#include "core/boundary.cl"
#include "core/exchange.cl"

// Pair i, counted from the first one of this work-item. What is beyond the ends of a sub-group means nothing.
#define NEAR(i) near[REACH_LO + (i)]
// The pair that is `offset` pairs from pair p, which the step changes.
#define BESIDE(offset) NEAR(p + (offset))

#if EXCHANGE != EXCHANGE_NONE
// Gets what is beside the `count` pairs of this work-item, from `first` to `last`, which are what the step reads.
INLINE void gather_beside(const int count, const int first, const int last, A *near) {
  UNROLL for (int i = -1; i >= first; --i) NEAR(i) = from_left(NEAR(i + count));
  UNROLL for (int i = 0; i < last; ++i) NEAR(count + i) = from_right(NEAR(i));
}

// The same where `items` work-items have a whole line that repeats.
INLINE void gather_around(const int items, const int count, const int first, const int last, A *near) {
  UNROLL for (int i = -1; i >= first; --i) NEAR(i) = from_left_in_ring(NEAR(i + count), items);
  UNROLL for (int i = 0; i < last; ++i) NEAR(count + i) = from_right_in_ring(NEAR(i), items);
}

// Gets what gather_beside gets, and first its own, which stand `stride` apart.
INLINE void gather_near(const A *own, const int stride, const int count, const int first, const int last, A *near) {
  UNROLL for (int p = 0; p < count; ++p) NEAR(p) = own[p * stride];
  gather_beside(count, first, last, near);
}

// Sets what a step reads beyond both ends of a channel of `count` numbers, of which each work-item has `pairs`,
// `stride` apart, this one those from `own` on, a multiple of `pairs`. In each turn work-items get what those beside
// them have set.
INLINE void set_beyond_beside(A *channel, const int stride, const int pairs, const int own, const int count,
                              const int first, const int last, const int boundary) {
  UNROLL for (int turn = 0; turn < -first; turn += pairs) {
    A inner = from_right(channel[0]);
    UNROLL for (int p = pairs - 1; p >= 0; --p) {
      if (own + p < 0) channel[p * stride] = beyond_border(boundary, inner);
      inner = channel[p * stride];
    }
  }
  // The work-item that has the last number sets what follows in it, perhaps nothing, and each further turn `pairs`
  // more. A channel can have one number less than the step's target.
  UNROLL for (int turn = 0; turn < last + pairs; turn += pairs) {
    A inner = from_left(channel[(pairs - 1) * stride]);
    UNROLL for (int p = 0; p < pairs; ++p) {
      if (own + p >= count) channel[p * stride] = beyond_border(boundary, inner);
      inner = channel[p * stride];
    }
  }
}
#endif
