// Which work-item has which columns of a picture, and which sub-group which rows.

#include "core/ring.cl"
#include "core/share.cl"
#include "streamed/parameters.cl"

// The sample that stands for `place`, which may lie beyond an axis by no more than its length; by twice that where
// mirror images are mirrored again.
INLINE int extended(const int place, const int samples) {
#if EXTENSION == EXTENSION_MIRRORED
  return mirrored_at(mirrored_at(place, samples - 1), samples - 1);
#elif EXTENSION == EXTENSION_PERIODIC
  return place < 0 ? place + samples : place >= samples ? place - samples : place;
#elif EXTENSION == EXTENSION_CLAMPED
  // Odd places are details.
  return place < 0 ? place & 1 : place < samples ? place : samples - 1 - ((place + 1 - samples) & 1);
#else
  return place;
#endif
}

// The same for columns, of which some are far from the picture and may stand anywhere.
INLINE int extended_column(const int place, const int width) {
  return clamp(extended(place, width), 0, width - 1);
}

// The columns of a work-item, in pairs.
typedef struct {
  int lane;
  int start;             // the first of its sub-group
  int own;               // its own first
  int loaded;            // the first that it loads, by vectors
  int from, to;          // those that its sub-group stores
  bool beyond;           // whether some that it loads are beyond the border
  int s_count, d_count;  // those of the picture
} OwnColumns;

static inline OwnColumns columns_of(const int strip, const int left, const int right, const int width) {
  const int whole_pairs = D_COUNT(width), lane = LANE;
  OwnColumns columns;
  columns.lane = lane;
  columns.start = strip * STRIP - OVERLAP_LO * PAIRS;
  columns.own = columns.start + lane * PAIRS;
  columns.from = max(strip * STRIP, left);
  columns.to = min((strip + 1) * STRIP, right);
  columns.s_count = S_COUNT(width);
  columns.d_count = D_COUNT(width);
  columns.loaded = columns.own;
  if (ALONE) {
    columns.beyond = columns.own < HALO_LO || columns.own + PAIRS + HALO_HI > whole_pairs;
  } else if (STAGED) {
    columns.beyond = columns.start < 0 || columns.start + LANES * PAIRS > whole_pairs;
  } else {
    columns.beyond = false;
    if (EXTENSION == EXTENSION_PERIODIC && columns.own < 0) columns.loaded += whole_pairs;
    if (EXTENSION == EXTENSION_PERIODIC && columns.own >= whole_pairs) columns.loaded -= whole_pairs;
    // What else is beyond the border is never stored: any existing place will do.
    columns.loaded = clamp(columns.loaded, 0, whole_pairs - PAIRS);
  }
  return columns;
}

// The rows of a segment. Steps that are the same backwards can as well sweep bottom-up: pair p of rows is then that of
// the picture turned upside down about its first row. Segments sweep away from every other seam, and towards those
// between: what two of them read, they read at about the same time, and it is still in a cache. All top-down, f32 9/7
// takes 1.05 times as long, VC-2's 13/7 in 16 bits up to 1.4 times.
typedef struct {
  int down;       // 1: top-down, -1: bottom-up
  int from, to;  // the rows that it stores
  Inside inside;  // the pairs of the picture
} Segment;

static inline Segment segment_of(const int down, const int from, const int to, const int height) {
  const Segment segment = {down, down > 0 ? from : 1 - to, down > 0 ? to : 1 - from, inside_of(height, down < 0)};
  return segment;
}

// The share of a sub-group of work-group `group`: a segment of a strip of one picture. False if there is none left.
INLINE bool find_share(global S *signal, global T *bands, global T *low, const Pass *pass, const Streamed *own,
                       const int group, Picture *picture, OwnColumns *columns, Segment *segment) {
  const Share share = share_of(group, own->strips, own->segments);
  if (share.segment >= own->segments) return false;
  *picture = picture_at(signal, bands, low, pass, share.picture);
  *columns = columns_of(share.strip, own->left, own->right, picture->width);
  const int top = 2 * (own->top + share.segment * own->pairs_per_segment);
  const int end = EXTENSION == EXTENSION_NONE ? 2 * own->bottom : picture->height;
  const int down = (own->bottom_up >> (share.segment & 1)) & 1 ? -1 : 1;
  *segment = segment_of(down, top, min(top + 2 * own->pairs_per_segment, end), picture->height);
  return segment->from < segment->to;
}
