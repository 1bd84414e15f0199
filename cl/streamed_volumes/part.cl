// What the work-items of `streamed_volumes` have of a volume.
//
// Of a `Pass`, the line is x, the first axis across is y and the second is z; the third one counts volumes. Sub-bands
// are numbered 4 * cz + 2 * cy + cx by the channels along each axis.

#include "core/boundary.cl"
#include "core/exchange.cl"
#include "core/pass.cl"
#include "core/words.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
#ifndef ITEMS_X
#error "ITEMS_X: work-items of a group that are side by side along x"
#endif
#ifndef OWN_PAIRS
#error "OWN_PAIRS: pairs of columns that a work-item has, 2 or 4"
#endif
#ifndef OWN_ROWS
#error "OWN_ROWS: rows of which a work-item has the results, an even number"
#endif
#ifndef PREFETCHED
#error "PREFETCHED: pairs of rows that are loaded before they are needed: 1, or all that are read of a pair of planes"
#endif
#ifndef STEPS
#error "STEPS: how many lifting steps there are, an even number; every other one changes the details"
#endif
#ifndef DETAIL_PLACE
#error "DETAIL_PLACE: where in a stream of pairs a detail is beside its approximation: 1 after it, -1 before it"
#endif
#ifndef X_FIRST
#error "X_FIRST: 1 for integers whose axes come in the order x, y, z, 0 for the order z, y, x; 0 for reals"
#endif
#ifndef WIDE
#error "WIDE: 1 where rows are aligned and of whole work-items, and so go by vectors"
#endif
#ifndef LAST_COLUMN
#error "LAST_COLUMN: which of the columns of the last work-item of a row that is mirrored is the last of the row"
#endif
// Without this, 511 x 511 x 511 took 0.99 times as long forward and 1.04 inverse, before neighbours went by
// neighbouring work-items (NVIDIA H200, 9/7 in f32); samples of 16 bits were not tried.
#ifndef PLANAR
#error "PLANAR: 1 where neighbours in a row of a sub-band are neighbours in memory, 0 where that is not known"
#endif
#if !defined(INTERLEAVED) || !defined(LOW_APART)
#error "INTERLEAVED, LOW_APART: 1 where both channels along x stand interleaved in rows that go by vectors; where sub-band 0 then has an array as well"
#endif
#ifndef IS_PERIODIC
#error "IS_PERIODIC: 1 where a volume goes on periodically beyond its border, else mirrored"
#endif
#ifndef CLOSED
#error "CLOSED: 1 where the work-items along x have one whole row that is periodic: the first is beside the last"
#endif
#ifndef DISTANCE
#error "DISTANCE: the type of distances within a volume, int where all of them fit it, else long"
#endif
#ifndef PRE_SHIFT
#error "PRE_SHIFT: bits of the level's pre-shift that this pass applies, 0 for none"
#endif

typedef DISTANCE Distance;

// A work-item's numbers of a row, in local memory.
#if OWN_PAIRS == 2
#define VECTOR_OF(type) JOIN(type, 4)
#else
#define VECTOR_OF(type) JOIN(type, 8)
#endif
typedef VECTOR_OF(L) Numbers;
#define TO_NUMBERS(i, from) JOIN(convert_, VECTOR_OF(L))(VECTOR_OF(vload)(i, from))
#define FROM_NUMBERS(numbers, i, to) VECTOR_OF(vstore)(JOIN(convert_, VECTOR_OF(A))(numbers), i, to)

#define OWN_COLUMNS (2 * OWN_PAIRS)

// Work-items of a row that are in one sub-group: a piece of it. A work-group has so many.
#define TOGETHER (LANES < ITEMS_X ? LANES : ITEMS_X)
#define PIECES (GROUP / TOGETHER)
// Rows that do not go by vectors go sample by sample. On the signal side neighbours go by neighbouring work-items of a
// piece, which exchange them through local memory; of a sub-band, of which they have half as many, each loads and
// stores its own.
#define COALESCED (!WIDE && TOGETHER > 1)

// In memory a row is one run of samples on the signal side, and one of each channel in the sub-bands. A work-item has
// so many of one.
#define LOADED_RUN (FORWARD ? OWN_COLUMNS : OWN_PAIRS)
#define STORED_RUN (FORWARD ? OWN_PAIRS : OWN_COLUMNS)

// What is loaded of a row, and stored: in memory OWN_PAIRS pairs are in this order. Where sub-bands are INTERLEAVED and
// sub-band 0 has an array of its own (LOW_APART), it is stored there as well, and loaded from there, behind the others.
#define LOADED_WORDS (OWN_COLUMNS / IN_WORD)
#define STORED_WORDS (OWN_COLUMNS / IN_STORED_WORD)
#define LOW_WORDS (LOW_APART && !FORWARD ? LOADED_WORDS / 2 : 0)
#define ALL_WORDS (LOADED_WORDS + LOW_WORDS)
#define PLACE_IN_BANDS(i) (INTERLEAVED ? (i) : (i) % 2 * OWN_PAIRS + (i) / 2)
#define LOADED_PLACE(i) (FORWARD ? (i) : PLACE_IN_BANDS(i))
#define STORED_PLACE(i) (FORWARD ? PLACE_IN_BANDS(i) : (i))

// Pairs that a pipeline needs before results are right, how far behind the newest pair they
// are, and pairs of rows read; and places that are kept of these: two each, and one of the low band.
#define WARM_UP STEPS
#define RESULTS_LAG (STEPS / 2)
#define ROW_PAIRS_READ (WARM_UP + OWN_ROWS / 2)
#define PLACES_OF_ROWS (3 * ROW_PAIRS_READ)
#if PREFETCHED != 1 && PREFETCHED != ROW_PAIRS_READ
#error "PREFETCHED is a pair of rows, or all: rows of two pairs of planes would wait beside each other"
#endif

// The arguments besides the geometry.
typedef struct {
  int tiles_x, tiles_y;    // of work-groups side by side
  int overlap;             // work-items on either side of a tile that store nothing
  int strip;               // pairs of columns that a tile stores
  int segments;            // along z
  int pairs_per_segment;
} StreamedVolumes;

// What a work-item has of a volume. Columns and rows are counted in pairs.
typedef struct {
  global S *signal;
  global T *bands, *lowest;        // the volume in each array; `lowest` is where its sub-band 0 stands
  bool has_low;                    // in an array of its own
  int column, row;                 // its first ones
  local const Distance *rows;      // how far from there the rows are that it reads, the samples of a pair side by side;
  local const Distance *low_rows;  // those of sub-band 0, the approximations alone
  int from, to;                    // the columns that its tile stores
  int loaded_pair;                 // the first pair of columns that it loads, where rows go by vectors,
  int loaded[LOADED_RUN];          // and else where the samples stand that it loads of a run
  local S *stage;                  // where its piece exchanges them
} VolumePart;

// Where in a row of the signal the first sample is that a work-item takes, and how far it is from there to the next.
#define TO_NEXT (COALESCED ? TOGETHER : 1)
INLINE int first_coalesced(const int column) {
  const int place_in_piece = ITEM % TOGETHER;
  return COALESCED ? 2 * (column - place_in_piece * OWN_PAIRS) + place_in_piece : 2 * column;
}

// The place in a line along y or z of channel `parity` of pair n of a stream.
INLINE int place_in_stream(const int n, const int parity) { return 2 * n + parity * DETAIL_PLACE; }

// How far the coefficient of `place`, in channel `parity`, is from the first approximation of its axis.
INLINE Distance place_in_bands(const Axis axis, const int place, const int parity) {
  return (place >> 1) * (Distance)axis.stride + parity * (Distance)axis.detail;
}

static inline VolumePart volume_part(global S *signal, global T *bands, global T *low, const Pass *pass,
                             const StreamedVolumes *own, const int volume, const int tile_x, const int tile_y,
                             local Distance *rows, local S *stage) {
  const int3 at = (int3)(0, 0, volume);
  VolumePart part;
  part.signal = signal + line_start(&pass->signal, pass, at);
  part.bands = bands + line_start(&pass->bands, pass, at);
  part.has_low = pass->has_low && volume < pass->low_across[2];
  part.lowest = part.has_low ? low + line_start(&pass->low, pass, at) : part.bands;
  const int item = ITEM;
  part.from = tile_x * own->strip;
  part.to = min(part.from + own->strip, S_COUNT(pass->samples));
  part.column = part.from + (item % ITEMS_X - own->overlap) * OWN_PAIRS;
  // What is beyond the ends of a row that is mirrored means nothing: any existing samples will do. (PoCL 5.0 compiled 9/7
  // in f32 wrongly where each load asked for this place anew.)
  part.loaded_pair = IS_PERIODIC ? place_in_signal(2 * part.column, pass->samples, true) / 2
                                 : clamp(part.column, 0, max(D_COUNT(pass->samples) - OWN_PAIRS, 0));
  for (int i = 0; i < LOADED_RUN; ++i) {
    const int place = FORWARD ? first_coalesced(part.column) + i * TO_NEXT : 2 * (part.column + i);
    part.loaded[i] = place_in_signal(place, pass->samples, IS_PERIODIC) >> !FORWARD;
  }
  part.stage = stage + item / TOGETHER * TOGETHER * 4 * OWN_COLUMNS;
  part.row = (tile_y * (GROUP / ITEMS_X) + item / ITEMS_X) * (OWN_ROWS / 2);
  // Kept in local memory, they take no registers.
  rows += item / ITEMS_X * PLACES_OF_ROWS;
  for (int i = item % ITEMS_X; i < 2 * ROW_PAIRS_READ; i += ITEMS_X) {
    const int y = place_in_signal(place_in_stream(part.row - RESULTS_LAG + i / 2, i % 2), pass->across[0], IS_PERIODIC);
    rows[i] = FORWARD ? y * (Distance)pass->signal.across[0].detail : place_in_bands(pass->bands.across[0], y, i % 2);
    if (i % 2 == 0)
      rows[2 * ROW_PAIRS_READ + i / 2] = part.has_low ? place_in_bands(pass->low.across[0], y, 0) : rows[i];
  }
  part.rows = rows;
  part.low_rows = rows + 2 * ROW_PAIRS_READ;
  return part;
}

// The factor of a sample in these channels along x, y and z; `side` is IN or OUT.
#define FACTOR_3D(side, cx, cy, cz) (FACTOR_2D(side, cy, cz) * ((cx) ? side##_d : side##_s))

// A pair of planes that a work-item reads: how far they are from where the volume stands in each array.
typedef struct {
  Distance each[2], low;
} Planes;

INLINE Planes planes_of(const VolumePart *part, const Pass *pass, const int p) {
  Planes planes;
  UNROLL for (int cz = 0; cz < 2; ++cz) {
    const int z = place_in_signal(place_in_stream(p, cz), pass->across[1], IS_PERIODIC);
    planes.each[cz] = FORWARD ? z * (Distance)pass->signal.across[1].detail : place_in_bands(pass->bands.across[1], z, cz);
    if (cz == 0) planes.low = part->has_low ? place_in_bands(pass->low.across[1], z, 0) : planes.each[0];
  }
  return planes;
}
