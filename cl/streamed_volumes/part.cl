// How the work-items of `streamed_volumes` read and write a volume, and what they have of it.
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
#error "WIDE: 1 where rows are aligned, of whole work-items and mirrored, and so go by vectors"
#endif
// Without this, 511 x 511 x 511 takes 0.99 times as long forward and 1.04 inverse (NVIDIA H200, 9/7 in f32); samples of
// 16 bits were not tried.
#ifndef PLANAR
#error "PLANAR: 1 where neighbours in a row of a sub-band are neighbours in memory, 0 where that is not known"
#endif
#if !defined(INTERLEAVED) || !defined(LOW_APART)
#error "INTERLEAVED, LOW_APART: 1 where both channels along x stand interleaved in rows that go by vectors; where sub-band 0 then has an array as well"
#endif
#ifndef IS_PERIODIC
#error "IS_PERIODIC: 1 where a volume goes on periodically beyond its border, else mirrored"
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

// What is loaded of a row, and stored: in memory OWN_PAIRS pairs are in this order. Where sub-bands are INTERLEAVED and
// sub-band 0 has an array of its own (LOW_APART), it is stored there as well, and loaded from there, behind the others.
#define LOADED_WORDS (OWN_COLUMNS / IN_WORD)
#define STORED_WORDS (OWN_COLUMNS / IN_STORED_WORD)
#define LOW_WORDS (LOW_APART && !FORWARD ? LOADED_WORDS / 2 : 0)
#define PLACE_IN_BANDS(i) (INTERLEAVED ? (i) : (i) % 2 * OWN_PAIRS + (i) / 2)
#define LOADED_PLACE(i) (FORWARD ? (i) : PLACE_IN_BANDS(i))
#define STORED_PLACE(i) (FORWARD ? PLACE_IN_BANDS(i) : (i))

// Pairs that a pipeline needs before results are right, how far behind the newest pair they
// are, and pairs of rows read.
#define WARM_UP STEPS
#define RESULTS_LAG (STEPS / 2)
#define ROW_TURNS (WARM_UP + OWN_ROWS / 2)
#define ROWS_READ (3 * ROW_TURNS)
#if PREFETCHED != 1 && PREFETCHED != ROW_TURNS
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

// What a work-item has of a volume, in pairs.
typedef struct {
  global S *signal;
  global T *bands, *lowest;        // the volume in each array; `lowest` is where its sub-band 0 stands
  bool has_low;                    // in an array of its own
  int column, row;                 // its first ones
  local const Distance *rows;      // how far from there the rows are that it reads, the samples of a pair side by side;
  local const Distance *low_rows;  // those of sub-band 0, the approximations alone
  int loaded[OWN_COLUMNS];         // where each of its columns is loaded, in the signal or in its channel
  bool stores;                     // whether its columns are the tile's to store
} VolumePart;

// The place in a line along y or z of channel `parity` of pair n of a stream.
INLINE int place_in_stream(const int n, const int parity) { return 2 * n + parity * DETAIL_PLACE; }

// How far the coefficient of `place`, in channel `parity`, is from the first approximation of its axis.
INLINE Distance place_in_bands(const Axis axis, const int place, const int parity) {
  return (place >> 1) * (Distance)axis.stride + parity * (Distance)axis.detail;
}

static inline VolumePart volume_part(global S *signal, global T *bands, global T *low, const Pass *pass,
                             const StreamedVolumes *own, const int volume, const int tile_x, const int tile_y, local Distance *rows) {
  const int3 at = (int3)(0, 0, volume);
  VolumePart part;
  part.signal = signal + line_start(&pass->signal, pass, at);
  part.bands = bands + line_start(&pass->bands, pass, at);
  part.has_low = pass->has_low && volume < pass->low_across[2];
  part.lowest = part.has_low ? low + line_start(&pass->low, pass, at) : part.bands;
  const int from = tile_x * own->strip, item = ITEM;
  part.column = from + (item % ITEMS_X - own->overlap) * OWN_PAIRS;
  for (int i = 0; i < OWN_COLUMNS; ++i) {
    const int place = 2 * part.column + i;
    part.loaded[i] = place_in_signal(place, pass->samples, IS_PERIODIC) >> !FORWARD;
  }
  part.row = (tile_y * (GROUP / ITEMS_X) + item / ITEMS_X) * (OWN_ROWS / 2);
  // Kept in local memory, they take no registers.
  rows += item / ITEMS_X * ROWS_READ;
  for (int i = item % ITEMS_X; i < 2 * ROW_TURNS; i += ITEMS_X) {
    const int y = place_in_signal(place_in_stream(part.row - RESULTS_LAG + i / 2, i % 2), pass->across[0], IS_PERIODIC);
    rows[i] = FORWARD ? y * (Distance)pass->signal.across[0].detail : place_in_bands(pass->bands.across[0], y, i % 2);
    if (i % 2 == 0) rows[2 * ROW_TURNS + i / 2] = part.has_low ? place_in_bands(pass->low.across[0], y, 0) : rows[i];
  }
  part.rows = rows;
  part.low_rows = rows + 2 * ROW_TURNS;
  part.stores = part.column >= from && part.column < min(from + own->strip, S_COUNT(pass->samples));
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

// How far neighbours of channel cx are apart in a row of channels cy and cz of the sub-bands.
INLINE Distance step_in_row(const VolumePart *part, const Pass *pass, const int cx, const int cy, const int cz) {
  if (cx + cy + cz == 0 && part->has_low) return WIDE ? 1 : (Distance)pass->low.line.stride;
  return INTERLEAVED ? 2 : PLANAR ? 1 : (Distance)pass->bands.line.stride;
}

// Loads a work-item's columns of a row. Where they are vectors, any existing ones will do for
// what is beyond the border.
INLINE void load_columns(const VolumePart *part, const Pass *pass, const Planes *planes, const int turn, const int cy,
                         const int cz, WORD *to) {
  const int samples = pass->samples, pair = clamp(part->column, 0, max(D_COUNT(samples) - OWN_PAIRS, 0));
  const Distance place = planes->each[cz] + part->rows[2 * turn + cy];
#if FORWARD
  global const S *const row = part->signal + place;
  if (WIDE) load_words((global const WORD *)(row + 2 * pair), LOADED_WORDS, LOADED_WORDS, to);
  else UNROLL for (int i = 0; i < OWN_COLUMNS; ++i) to[i] = row[part->loaded[i]];
#else
  global const T *const s = cy == 0 && cz == 0 ? part->lowest + (planes->low + part->low_rows[turn]) : part->bands + place;
  global const T *const d = part->bands + (place + (Distance)pass->bands.line.detail);
  if (INTERLEAVED) {
    load_words((global const WORD *)(part->bands + place + 2 * pair), LOADED_WORDS, LOADED_WORDS, to);
    // Under a condition, other loads would wait for them.
    if (cy == 0 && cz == 0) load_words((global const WORD *)(s + pair), LOW_WORDS, LOW_WORDS, to + LOADED_WORDS);
  } else if (WIDE) {
    load_words((global const WORD *)(s + pair), LOADED_WORDS / 2, LOADED_WORDS / 2, to);
    load_words((global const WORD *)(d + pair), LOADED_WORDS / 2, LOADED_WORDS / 2, to + LOADED_WORDS / 2);
  } else {
    UNROLL for (int i = 0; i < OWN_COLUMNS; ++i)
      to[LOADED_PLACE(i)] = (i & 1 ? d : s)[part->loaded[i] * step_in_row(part, pass, i & 1, cy, cz)];
  }
#endif
}

// Column i of a row of channels cy and cz that was loaded.
INLINE LOADED loaded_column(const VolumePart *part, const WORD *words, const int cy, const int cz, const int i) {
  const bool is_low = LOW_WORDS > 0 && cy == 0 && cz == 0 && i % 2 == 0 && part->has_low;
  return is_low ? SAMPLE_OF(words + LOADED_WORDS, i / 2) : SAMPLE_OF(words, LOADED_PLACE(i));
}

// Stores a work-item's columns of a row, if there is such a row.
INLINE void store_columns(const VolumePart *part, const Pass *pass, const int y, const int z, const int cy, const int cz,
                          const A *from) {
  // The first sample of a stream is beyond the border where it is a detail.
  if (DETAIL_PLACE < 0 && (y < 0 || z < 0)) return;
  if (!part->stores || y >= pass->across[0] || z >= pass->across[1]) return;
  const int samples = pass->samples;
  STORED run[OWN_COLUMNS];
  UNROLL for (int i = 0; i < OWN_COLUMNS; ++i)
    run[STORED_PLACE(i)] = SAMPLE(SCALED_OUT(from[i], FACTOR_3D(OUT, i & 1, cy, cz), PRE_SHIFT));
  STORED_WORD words[STORED_WORDS];
  UNROLL for (int i = 0; i < STORED_WORDS; ++i) words[i] = STORED_WORD_OF(run, i);
#if FORWARD
  const Distance place = place_in_bands(pass->bands.across[1], z, cz) + place_in_bands(pass->bands.across[0], y, cy);
  const bool is_low = cy == 0 && cz == 0 && part->has_low;
  const Distance s_step = step_in_row(part, pass, 0, cy, cz), d_step = step_in_row(part, pass, 1, cy, cz);
  const Distance low_place = place_in_bands(pass->low.across[1], z, 0) + place_in_bands(pass->low.across[0], y, 0);
  global T *const low = part->lowest + low_place;
  global T *const s = (is_low ? low : part->bands + place) + part->column * s_step;
  global T *const d = part->bands + (place + (Distance)pass->bands.line.detail + part->column * d_step);
  if (INTERLEAVED) {
    store_words(words, STORED_WORDS, STORED_WORDS, (global STORED_WORD *)(part->bands + place + 2 * part->column));
    if (!is_low) return;
    STORED lows[OWN_PAIRS];
    UNROLL for (int i = 0; i < OWN_PAIRS; ++i) lows[i] = run[2 * i];
    UNROLL for (int i = 0; i < STORED_WORDS / 2; ++i) words[i] = STORED_WORD_OF(lows, i);
    store_words(words, STORED_WORDS / 2, STORED_WORDS / 2, (global STORED_WORD *)s);
  } else if (WIDE) {
    store_words(words, STORED_WORDS / 2, STORED_WORDS / 2, (global STORED_WORD *)s);
    store_words(words + STORED_WORDS / 2, STORED_WORDS / 2, STORED_WORDS / 2, (global STORED_WORD *)d);
  } else {
    UNROLL for (int i = 0; i < OWN_PAIRS; ++i) {
      if (part->column + i < S_COUNT(samples)) s[i * s_step] = run[i];
      if (part->column + i < D_COUNT(samples)) d[i * d_step] = run[OWN_PAIRS + i];
    }
  }
#else
  global S *const row = part->signal + (z * (Distance)pass->signal.across[1].detail +
                                      y * (Distance)pass->signal.across[0].detail + 2 * part->column);
  if (WIDE) store_words(words, STORED_WORDS, STORED_WORDS, (global STORED_WORD *)row);
  else UNROLL for (int i = 0; i < OWN_COLUMNS; ++i)
    if (2 * part->column + i < samples) row[i] = run[i];
#endif
}
