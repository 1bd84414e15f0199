// short_columns: several levels of short lines that stand side by side, in one pass over memory, on CPU devices.
//
// A work-item has a strip of neighbouring lines. It takes a vector of them at a time into its registers, one sample of
// each in each, and lifts them there through all levels (core/short_line.cl).
//
// Ours.
// Cost per sample: 1 global read and 1 write, for all levels; for 9/7 in f32 a level takes 8 multiply-adds for each
// pair of vectors, and accesses to the nearest cache where lines do not fit the registers. Limited by memory for one
// level: 9/7 in f32 takes 7 ms along the first axis of 24 x 1080 x 1920, as a copy does, where columns in the caches
// took 18 to 21; by instructions for five, 14 ms, level by level 31 to 36 (PoCL 3.1, two cores of Zen 4).

#include "core/short_line.cl"
#include "vectors/parallel_lines.cl"

// The arguments besides the geometry.
typedef struct {
  int strips, strip;  // work-items side by side over a row of lines, and lines of each: whole vectors
  int levels;
  int interleaved;    // 1 where coefficients stay where their samples were
} ShortColumns;

// Where sample i of a line stands, approximation j of the last level, and detail j of a level.
#define LINE_PLACE(i) (samples + (i) * pass.signal.line.detail)
#define PLACE_OF_LOW(j) (lows + (j) * low_stride)
#define PLACE_OF_DETAIL(level, j)                                                    \
  (coefficients + (own.interleaved ? ((2 * (j) + 1) << ((level) - 1)) * (stride / 2) \
                                   : (S_COUNT(SAMPLES_OF_LEVEL(level)) + (j)) * stride))

#define LOADED_FROM(place) NUMBER_V(LOAD_T((place) + at))
#define STORE_TO(place, v) store_line(SAMPLE_V(v), (place) + at, past);
#define LOAD_DETAILS_OF(level) EACH_DETAIL(level, details[j] = LOADED_FROM(PLACE_OF_DETAIL(level, j));)
#define STORE_DETAILS_OF(level) EACH_DETAIL(level, STORE_TO(PLACE_OF_DETAIL(level, j), details[j]))

// Stores a vector, past the caches where it is whole lines of them: the next one of the same row comes after those of
// all others, and halves would leave one by one (24 x 540 x 1920 in i16 took 20 ms so, through the caches 6).
INLINE void store_line(const STORED_V v, global STORED *to, const bool past) {
  if (past && (ulong)to % sizeof(STORED_V) == 0)
    STORE_NON_TEMPORAL(v, to);
  else
    STORE_T(v, to);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void short_columns(global S *signal, global T *bands, global T *low, const Pass pass, const ShortColumns own) {
  const int number = get_group_id(0);
  const StripOfLines strip = strip_of(&pass, number % own.strips, own.strip);
  const int index = number / own.strips * pass.across[0] + strip.first;
  const LoadedLine in = input_line(signal, bands, low, &pass, index);
  const StoredLine out = output_line(signal, bands, low, &pass, index);
  // Where the last vector of a short strip overlaps the one before, its stores would wait for that one's.
  const bool past = !is_ragged(strip.count);
#if FORWARD
  global const LOADED *const samples = in.s;
  global STORED *const lows = out.s, *const coefficients = out.d - pass.bands.line.detail;
  const long stride = out.d_stride, s_stride = out.s_stride;
#else
  global STORED *const samples = out.s;
  global const LOADED *const lows = in.s, *const coefficients = in.d - pass.bands.line.detail;
  const long stride = in.d_stride, s_stride = in.s_stride;
#endif
  const long low_stride = own.interleaved ? s_stride << (own.levels - 1) : s_stride;
  for (int j = 0; j < strip.count; j += VECTOR) {
    // The last vector ends with the strip, which has one at least.
    const int at = min(j, strip.count - VECTOR);
    AV line[LINE_SAMPLES];
#if FORWARD
    UNROLL for (int i = 0; i < LINE_SAMPLES; ++i) line[i] = LOADED_FROM(LINE_PLACE(i));
    EACH_SHORT_LEVEL(LIFT_SHORT_LEVEL)
    UNROLL for (int i = 0; i < LOWS_OF_LINE; ++i) STORE_TO(PLACE_OF_LOW(i), line[i])
    EACH_SHORT_LEVEL_BACK(STORE_DETAILS_OF)
#else
    UNROLL for (int i = 0; i < LOWS_OF_LINE; ++i) line[i] = LOADED_FROM(PLACE_OF_LOW(i));
    EACH_SHORT_LEVEL_BACK(LOAD_DETAILS_OF)
    EACH_SHORT_LEVEL_BACK(LIFT_SHORT_LEVEL)
    UNROLL for (int i = 0; i < LINE_SAMPLES; ++i) STORE_TO(LINE_PLACE(i), line[i])
#endif
  }
}
