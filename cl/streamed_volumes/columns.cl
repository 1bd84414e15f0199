// How the work-items of `streamed_volumes` load and store the columns that they have of a row.

#include "streamed_volumes/part.cl"

// --- rows that do not go by vectors ------------------------------------------------------------------

#if COALESCED
// Places in local memory of a pair of rows of both planes: of a work-item's own columns of a row, and of sample i of
// those that it loads or stores in coalesced order.
#define OWN_ON_STAGE(row) part->stage + ((row) * TOGETHER + ITEM % TOGETHER) * OWN_COLUMNS
#define COALESCED_ON_STAGE(row, i) part->stage[((row) * OWN_COLUMNS + (i)) * TOGETHER + ITEM % TOGETHER]
#define ROW_OF(rows, row) (rows)[(row) / 2][(row) % 2]

#if FORWARD
// What neighbours have loaded in coalesced order is shown, and each finds its own.
INLINE void show_rows(const VolumePart *part, WORD (*loaded)[2][ALL_WORDS]) {
  SUB_GROUP_FENCE;
  UNROLL for (int row = 0; row < 4; ++row)
    UNROLL for (int i = 0; i < OWN_COLUMNS; ++i) COALESCED_ON_STAGE(row, i) = ROW_OF(loaded, row)[i];
  SUB_GROUP_FENCE;
}
INLINE void find_own_rows(const VolumePart *part, WORD (*own)[2][ALL_WORDS]) {
  UNROLL for (int row = 0; row < 4; ++row)
    LOAD_VECTOR(local, S, OWN_COLUMNS, OWN_ON_STAGE(row), ROW_OF(own, row))
}

#else
// Each shows its own results, and gets those that it stores in coalesced order.
INLINE void exchange_results(const VolumePart *part, STORED (*rows)[2][OWN_COLUMNS]) {
  SUB_GROUP_FENCE;
  UNROLL for (int row = 0; row < 4; ++row)
    STORE_VECTOR(local, S, OWN_COLUMNS, ROW_OF(rows, row), OWN_ON_STAGE(row))
  SUB_GROUP_FENCE;
  UNROLL for (int row = 0; row < 4; ++row)
    UNROLL for (int i = 0; i < OWN_COLUMNS; ++i) ROW_OF(rows, row)[i] = COALESCED_ON_STAGE(row, i);
}
#endif
#endif

// Of a run of samples, those that a work-item stores: the tile's, up to `length`. `row` is where the run begins.
INLINE void store_samples(const VolumePart *part, const STORED *results, global STORED *row, const Distance step,
                          const int length) {
  const int first = FORWARD ? part->column : first_coalesced(part->column), next = FORWARD ? 1 : TO_NEXT;
  const int unit = STORED_RUN / OWN_PAIRS, from = unit * part->from, to = min(unit * part->to, length);
  UNROLL for (int i = 0; i < STORED_RUN; ++i) {
    const int place = first + i * next;
    if ((uint)(place - from) < (uint)(to - from)) row[place * step] = results[i];
  }
}

// --- rows --------------------------------------------------------------------------------------------

// How far neighbours of channel cx are apart in a row of channels cy and cz of the sub-bands.
INLINE Distance step_in_row(const VolumePart *part, const Pass *pass, const int cx, const int cy, const int cz) {
  if (cx + cy + cz == 0 && part->has_low) return (Distance)pass->low.line.stride;
  return PLANAR ? 1 : (Distance)pass->bands.line.stride;
}

// Loads what a work-item takes of a row.
INLINE void load_columns(const VolumePart *part, const Pass *pass, const Planes *planes, const int row_pair,
                         const int cy, const int cz, WORD *to) {
  const int pair = part->loaded_pair;
  const Distance place = planes->each[cz] + part->rows[2 * row_pair + cy];
#if FORWARD
  global const S *const row = part->signal + place;
  if (WIDE) load_words((global const WORD *)(row + 2 * pair), LOADED_WORDS, LOADED_WORDS, to);
  else UNROLL for (int i = 0; i < OWN_COLUMNS; ++i) to[i] = row[part->loaded[i]];
#else
  global const T *const lowest = part->lowest + (planes->low + part->low_rows[row_pair]);
  global const T *const s = cy == 0 && cz == 0 ? lowest : part->bands + place;
  global const T *const d = part->bands + (place + (Distance)pass->bands.line.detail);
  if (INTERLEAVED) {
    load_words((global const WORD *)(part->bands + place + 2 * pair), LOADED_WORDS, LOADED_WORDS, to);
    // Under a condition, other loads would wait for them.
    if (cy == 0 && cz == 0) load_words((global const WORD *)(s + pair), LOW_WORDS, LOW_WORDS, to + LOADED_WORDS);
  } else if (WIDE) {
    load_words((global const WORD *)(s + pair), LOADED_WORDS / 2, LOADED_WORDS / 2, to);
    load_words((global const WORD *)(d + pair), LOADED_WORDS / 2, LOADED_WORDS / 2, to + LOADED_WORDS / 2);
  } else {
    // The last approximation of an odd row has no detail. (A periodic row is even.)
    UNROLL for (int i = 0; i < OWN_PAIRS; ++i) to[i] = s[part->loaded[i] * step_in_row(part, pass, 0, cy, cz)];
    UNROLL for (int i = 0; i < OWN_PAIRS; ++i)
      to[OWN_PAIRS + i] = d[min(part->loaded[i], D_COUNT(pass->samples) - 1) * step_in_row(part, pass, 1, cy, cz)];
  }
#endif
}

// Column i of a row of channels cy and cz that was loaded.
INLINE LOADED loaded_column(const VolumePart *part, const WORD *words, const int cy, const int cz, const int i) {
  const bool is_low = LOW_WORDS > 0 && cy == 0 && cz == 0 && i % 2 == 0 && part->has_low;
  return is_low ? SAMPLE_OF(words + LOADED_WORDS, i / 2) : SAMPLE_OF(words, LOADED_PLACE(i));
}

// Stores the columns of a row, as samples in the order in which they are in memory, if there is such a row.
INLINE void store_columns(const VolumePart *part, const Pass *pass, const int y, const int z, const int cy, const int cz,
                          const STORED *run) {
  // The first sample of a stream is beyond the border where it is a detail.
  if (DETAIL_PLACE < 0 && (y < 0 || z < 0)) return;
  if (y >= pass->across[0] || z >= pass->across[1]) return;
  if (WIDE && (part->column < part->from || part->column >= part->to)) return;
  const int samples = pass->samples;
  STORED_WORD words[STORED_WORDS];
  UNROLL for (int i = 0; i < STORED_WORDS; ++i) words[i] = STORED_WORD_OF(run, i);
#if FORWARD
  const Distance place = place_in_bands(pass->bands.across[1], z, cz) + place_in_bands(pass->bands.across[0], y, cy);
  const bool is_low = cy == 0 && cz == 0 && part->has_low;
  const Distance low_place = place_in_bands(pass->low.across[1], z, 0) + place_in_bands(pass->low.across[0], y, 0);
  global T *const s = is_low ? part->lowest + low_place : part->bands + place;
  global T *const d = part->bands + (place + (Distance)pass->bands.line.detail);
  if (INTERLEAVED) {
    store_words(words, STORED_WORDS, STORED_WORDS, (global STORED_WORD *)(part->bands + place + 2 * part->column));
    if (!is_low) return;
    STORED lows[OWN_PAIRS];
    UNROLL for (int i = 0; i < OWN_PAIRS; ++i) lows[i] = run[2 * i];
    UNROLL for (int i = 0; i < STORED_WORDS / 2; ++i) words[i] = STORED_WORD_OF(lows, i);
    store_words(words, STORED_WORDS / 2, STORED_WORDS / 2, (global STORED_WORD *)(s + part->column));
  } else if (WIDE) {
    store_words(words, STORED_WORDS / 2, STORED_WORDS / 2, (global STORED_WORD *)(s + part->column));
    store_words(words + STORED_WORDS / 2, STORED_WORDS / 2, STORED_WORDS / 2, (global STORED_WORD *)(d + part->column));
  } else {
    store_samples(part, run, s, step_in_row(part, pass, 0, cy, cz), S_COUNT(samples));
    store_samples(part, run + OWN_PAIRS, d, step_in_row(part, pass, 1, cy, cz), D_COUNT(samples));
  }
#else
  global S *const row = part->signal + (z * (Distance)pass->signal.across[1].detail +
                                      y * (Distance)pass->signal.across[0].detail);
  if (WIDE) store_words(words, STORED_WORDS, STORED_WORDS, (global STORED_WORD *)(row + 2 * part->column));
  else store_samples(part, run, row, 1, samples);
#endif
}
