// Lifting along x in `streamed_volumes`: across the work-items of a sub-group, and across the seams between sub-groups.
//
// What a step reads beside a work-item's columns it gets from the work-items beside it. At a seam, where the next one
// is in another sub-group, it finds that one's columns in local memory, and lifts them, too. Beyond a row that is
// mirrored it reads, at the end, what is before the sample that it changes, at the start what is behind it. Where the
// work-items along x have just one whole row that is periodic (CLOSED), there is a seam between its end and its start.
// Without exchange every work-item has a seam on both sides.

#include "streamed_volumes/part.cl"

#if REACH_LO > OWN_PAIRS || REACH_HI > OWN_PAIRS
#error "along x results depend on the neighbouring work-items alone"
#endif

#define HAS_SEAMS (CLOSED || ITEMS_X > TOGETHER)

#if EXCHANGE == EXCHANGE_NONE
#if LANES != 1
#error "without exchange each work-item is a piece: whatever these give, what is across its seams is taken instead"
#endif
#define FROM_LEFT(v) (v)
#define FROM_RIGHT(v) (v)
#else
#define FROM_LEFT(v) from_left(v)
#define FROM_RIGHT(v) from_right(v)
#endif

// --- seams -------------------------------------------------------------------------------------------

// Work-items of a piece that are at a seam, and on how many sides of each.
#define AT_SEAMS (TOGETHER > 1 ? 2 : 1)
#define SIDES (TOGETHER > 1 ? 1 : 2)
// Places of their columns in a row of local memory. Two that are at the same seam are neighbours there,
// in places 2 n and 2 n + 1.
#define SEAM_PLACES (PIECES * AT_SEAMS + 2)
INLINE int place_at_seam(void) { return ITEM / TOGETHER * AT_SEAMS + (AT_SEAMS > 1 && ITEM % TOGETHER > 0) + 1; }

// The place of the one across the seam, for a work-item with a seam to its left, or to its right.
#define AROUND (CLOSED ? ITEMS_X / TOGETHER * AT_SEAMS : 0)
INLINE int place_to_left(const int at) { return at - 1 + (ITEM % ITEMS_X == 0 ? AROUND : 0); }
INLINE int place_to_right(const int at) { return at + 1 - (ITEM % ITEMS_X == ITEMS_X - 1 ? AROUND : 0); }

// Of the pairs of rows that are lifted along x, every other one has the second half of `seams`, so that one barrier is
// enough for each; `row_pair` counts those of a pair of planes.
#define ROW_PAIRS_ALONG_X (X_FIRST ? ROW_PAIRS_READ : OWN_ROWS / 2)
#define ROWS_AT_SEAMS (4 * SEAM_PLACES)
INLINE local Numbers *seams_of_row_pair(local Numbers *seams, const int p, const int row_pair) {
  return seams + ((p * ROW_PAIRS_ALONG_X + row_pair) & 1) * ROWS_AT_SEAMS;
}
INLINE int row_at_seams(const int cy, const int cz) { return (2 * cz + cy) * SEAM_PLACES; }

// Beyond the ends of a tile whose rows are not closed there is no seam, and nobody leaves anything in the outermost
// places: what is read there means nothing.
INLINE void clear_seams(local Numbers *seams) {
  for (int i = ITEM; HAS_SEAMS && i < 2 * ROWS_AT_SEAMS; i += GROUP) seams[i] = (Numbers)0;
}

// Shows the columns at the seams of a pair of rows of both planes, and waits for those of others.
INLINE void meet_at_seams(local Numbers *seams, A (*rows)[2][OWN_COLUMNS]) {
#if HAS_SEAMS
  const int lane = ITEM % TOGETHER;
  if (lane == 0 || lane == TOGETHER - 1)
    UNROLL for (int cz = 0; cz < 2; ++cz)
      UNROLL for (int cy = 0; cy < 2; ++cy) seams[row_at_seams(cy, cz) + place_at_seam()] = TO_NUMBERS(0, rows[cz][cy]);
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

// --- lifting -----------------------------------------------------------------------------------------

// Where a work-item is in a row.
typedef struct {
  bool after_seam, before_seam;
  bool starts, ends;  // it has the first sample of a row that is mirrored, the last one
  bool next_ends;     // the next work-item, across a seam, has the last one
} PlaceInRow;

INLINE PlaceInRow where_in_row(const VolumePart *part, const int samples) {
  const int to_last = (samples - 1) / 2 - part->column;
  PlaceInRow place;
  place.after_seam = ITEM % TOGETHER == 0;
  place.before_seam = ITEM % TOGETHER == TOGETHER - 1;
  place.starts = !IS_PERIODIC && part->column == 0;
  place.ends = !IS_PERIODIC && (uint)to_last < OWN_PAIRS;
  place.next_ends = !IS_PERIODIC && place.before_seam && (uint)(to_last - OWN_PAIRS) < OWN_PAIRS;
  return place;
}

// What is read to the left of a work-item's columns, and to the right: of `own` that is what the next one asks for.
INLINE A left_of(const PlaceInRow *place, const A own, const A beyond_seam, const A mirrored) {
  const A left = FROM_LEFT(own);
  return place->starts ? mirrored : place->after_seam ? beyond_seam : left;
}
INLINE A right_of(const PlaceInRow *place, const A own, const A beyond_seam) {
  const A right = FROM_RIGHT(own);
  return place->before_seam ? beyond_seam : right;
}

#define OWN_s(n) own[2 * (n)]
#define OWN_d(n) own[2 * (n) + 1]
#define BEYOND_s(side, n) beyond[side][2 * (n)]
#define BEYOND_d(side, n) beyond[side][2 * (n) + 1]
// What a step reads to the left of a work-item's own, and to the right.
#define LEFT_OF(c, parity) left_of(&place, OWN_##c(OWN_PAIRS - 1), BEYOND_##c(0, OWN_PAIRS - 1), OWN_##c(1 - (parity)))
#define RIGHT_OF(c) right_of(&place, OWN_##c(0), BEYOND_##c(SIDES - 1, 0))
// Pair n of a work-item's own, or beside them.
#define OWN_PAIR(c, n) ((n) < 0 ? left : (n) < OWN_PAIRS ? OWN_##c(n) : right)
// Pair n of those across a seam, with its own on either side of them: of columns to the left only what is to their
// right matters, and the other way round.
#define BEYOND_PAIR(c, n) \
  ((n) < 0 ? OWN_##c((n) + OWN_PAIRS) : (n) < OWN_PAIRS ? BEYOND_##c(side, n) : OWN_##c((n)-OWN_PAIRS))

// What a step reads: where pair n of a channel is the first behind the end of a row, its mirror image, the pair before.
// Written as a condition, compilers choose between two addresses, and put the columns in memory.
INLINE A one_of(const bool first, const A a, const A b) { return first ? a : b; }
#define IS_BEHIND(c, n) (2 * (n) + PARITY_##c == LAST_COLUMN + 1)
#define MIRRORED_AT(end, near, c, n) (IS_BEHIND(c, n) ? one_of(end, near(c, (n)-1), near(c, n)) : near(c, n))
#define NEAR_OWN_s(offset) MIRRORED_AT(place.ends, OWN_PAIR, s, n + (offset))
#define NEAR_OWN_d(offset) MIRRORED_AT(place.ends, OWN_PAIR, d, n + (offset))
#define ENDS_ACROSS (LAST_COLUMN + 1 < OWN_COLUMNS && side == SIDES - 1 && place.next_ends)
#define NEAR_BEYOND_s(offset) MIRRORED_AT(ENDS_ACROSS, BEYOND_PAIR, s, n + (offset))
#define NEAR_BEYOND_d(offset) MIRRORED_AT(ENDS_ACROSS, BEYOND_PAIR, d, n + (offset))

// Of those across a seam a step changes as many as the steps after it reach, from either end.
#define COLUMNS_STEP(k, target, source, first_read, last_read, before, after)                  \
  { const A left = (first_read) < 0 ? LEFT_OF(source, PARITY_##source) : 0;                    \
    const A right = (last_read) > 0 ? RIGHT_OF(source) : 0;                                    \
    UNROLL for (int side = 0; side < SIDES && HAS_SEAMS; ++side)                               \
      UNROLL for (int n = 0; n < OWN_PAIRS; ++n)                                               \
        if (n < (after) || n >= OWN_PAIRS - (before))                                          \
          BEYOND_##target(side, n) = LIFT_##k(BEYOND_##target(side, n), NEAR_BEYOND_##source); \
    UNROLL for (int n = 0; n < OWN_PAIRS; ++n) OWN_##target(n) = LIFT_##k(OWN_##target(n), NEAR_OWN_##source); }

// Lifts a work-item's columns of a row, of which `seams` are those at the seams.
INLINE void lift_columns(const VolumePart *part, const int samples, local const Numbers *seams, A *own) {
  const PlaceInRow place = where_in_row(part, samples);
  A beyond[SIDES][OWN_COLUMNS];
#if HAS_SEAMS
  const int at = place_at_seam();
  FROM_NUMBERS(seams[SIDES > 1 || place.after_seam ? place_to_left(at) : place_to_right(at)], 0, beyond[0]);
  if (SIDES > 1) FROM_NUMBERS(seams[place_to_right(at)], 0, beyond[SIDES - 1]);
#else
  UNROLL for (int i = 0; i < OWN_COLUMNS; ++i) beyond[0][i] = 0;
#endif
  LIFT_STEPS(COLUMNS_STEP)
}

// Lifts those of a pair of rows of both planes.
INLINE void lift_rows_x(const VolumePart *part, const int samples, local const Numbers *seams, A (*rows)[2][OWN_COLUMNS]) {
  UNROLL for (int cz = 0; cz < 2; ++cz)
    UNROLL for (int cy = 0; cy < 2; ++cy) lift_columns(part, samples, seams + row_at_seams(cy, cz), rows[cz][cy]);
}
