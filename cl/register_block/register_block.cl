// register_block: one level of a picture in one pass over memory.
//
// After Enfedaque, Auli-Llinas and Moure 2015, who name sub-bands by y first. The picture is cut into blocks, one for
// each sub-group. A work-item loads its columns of the block, two words (below) wide, into registers, all rows before
// it lifts any, so that many loads are under way. It lifts them along y by itself and along x with what its neighbours
// have (register_block/block.cl), and stores what is no halo: with 9/7 and sub-groups of 32, of 64 x 14 samples 56 x 6.
// The blocks of a work-group stand one below another, so that a cache can have the rows that they share.
//
// Beyond its border a picture is read mirrored or periodically. Where a rule needs more, what is beyond the border is
// set anew before every step.
//
// Cost per sample: 1 global write and 1 read, and more for the halo: with 9/7 a block of 64 x 14 reads 2.7 samples for
// each that it stores, one of 64 x 20 1.9. Without exchange, two barriers per step along x, and local memory for one
// channel of the rows that are lifted.
//
// On an NVIDIA H200 small pictures gain, whose time is waiting: one level of 1024 x 1024 by 9/7 in f32 takes 6.9 us
// (inverse 7.5), by streamed 8.4 (8.4). One level of 8192 x 8192 takes 175 us (150), by streamed 147 (146), a copy 130:
// memory limits it, and what neighbours load again. In 16 bits, by 5/3 and with 20 rows, it takes 103 us (80), a copy
// 68; with one pair of columns instead of two, a word wide, 128 (92).

#include "core/moves.cl"
#include "core/picture.cl"
#include "register_block/block.cl"

#if PAIRS != 1 + SHORT
#error "PAIRS: pairs of columns of a work-item, 2 of 16-bit samples, 1 of others"
#endif

// The arguments besides the geometry.
typedef struct {
  int strips, groups;          // blocks side by side; work-groups of a picture
  int loads_words;             // whether what is loaded is in aligned pairs of words
  int stores_words;            // whether what is stored is
  int restored;                // whether what is beyond the border must be set anew before every step
  int periodic_x, periodic_y;  // whether rows, and columns, go on from their other end; else they are mirrored
} RegisterBlocks;

// Pairs of columns from one block to the next.
#define BLOCK_WIDTH ((LANES - LANES_LO - LANES_HI) * PAIRS)

static inline Block block_of(const Picture *picture, const Pass *pass, const RegisterBlocks *own, const int group) {
  const uint number = (uint)group / (uint)own->strips, strip = group - number * own->strips;
  const int left = (int)strip * BLOCK_WIDTH - LANES_LO * PAIRS;
  Block block;
  block.row = (int)(number * (GROUP / LANES) + SUB_GROUP) * BLOCK_HEIGHT - REACH_LO;
  block.column = left + (int)LANE * PAIRS;
  block.s_rows = S_COUNT(picture->height);
  block.d_rows = D_COUNT(picture->height);
  block.s_columns = S_COUNT(picture->width);
  block.d_columns = D_COUNT(picture->width);
  block.inside = block.row >= 0 && block.row + BLOCK_PAIRS <= block.d_rows &&
                 left >= 0 && left + LANES * PAIRS <= block.d_columns;
  block.restored = own->restored && !block.inside;
  block.boundary = pass->boundary;
  return block;
}

// In a row, a work-item loads two words, each of PAIRS samples as they are in memory, 8 to 64 bits: on the signal side
// one after the other, on the sub-band side one of approximations and one of details. They wait as they are; NVIDIA's
// compiler takes shorts apart as soon as they are there.
#if !SHORT
#define WORD_OF_LOADED LOADED
#elif LOADED_BITS == 8
#define WORD_OF_LOADED ushort
#else
#define WORD_OF_LOADED uint
#endif
typedef WORD_OF_LOADED Word;
typedef JOIN(WORD_OF_LOADED, 2) Words;
#if SHORT
INLINE Word word_of(const LOADED *samples) {
  return JOIN(as_, WORD_OF_LOADED)((JOIN(LOADED, 2))(samples[0], samples[1]));
}
INLINE void take_apart(const Word word, LOADED *samples) { vstore2(JOIN(JOIN(as_, LOADED), 2)(word), 0, samples); }
#else
INLINE Word word_of(const LOADED *samples) { return samples[0]; }
INLINE void take_apart(const Word word, LOADED *samples) { samples[0] = word; }
#endif
INLINE Words words_of(const LOADED *samples) { return (Words)(word_of(samples), word_of(samples + PAIRS)); }

// Sample i of the two words that are loaded: its channel along x, and which pair of columns.
#if FORWARD
#define LOADED_CHANNEL(i) ((i) % 2)
#define LOADED_PAIR(i) ((i) / 2)
#else
#define LOADED_CHANNEL(i) ((i) / PAIRS)
#define LOADED_PAIR(i) ((i) % PAIRS)
#endif

// --- load --------------------------------------------------------------------------------------------

// Row r of a block that is inside the picture, of whole words.
INLINE Words load_inner_row(const Picture *picture, const Block *block, const int r) {
#if FORWARD
  return *(global const Words *)signal_at(picture, 2 * block->row + r, 2 * block->column);
#else
  const int band = 2 * (r & 1), y = block->row + r / 2;
  return (Words)(*(global const Word *)band_at(picture, band, y, block->column),
                 *(global const Word *)band_at(picture, band + 1, y, block->column));
#endif
}

// Row y, of channel cy, sample by sample: sample i is in column x[i].
INLINE Words load_block_row(const Picture *picture, const int cy, const int y, const int *x) {
  LOADED samples[COLUMNS_OWN];
  UNROLL for (int i = 0; i < COLUMNS_OWN; ++i)
    samples[i] = FORWARD ? *signal_at(picture, y, x[i])
                         : *band_at(picture, 2 * cy + LOADED_CHANNEL(i), y >> 1, x[i] >> 1);
  return words_of(samples);
}

// A signal repeats after `period` samples, of which sample n is sample min(n, mirror_sum - n) of the picture: mirrored,
// it runs backwards from the last one on; periodic, it never does.
typedef struct {
  int period, mirror_sum;
} Repeats;

INLINE Repeats repeats_of(const int samples, const int periodic) {
  const Repeats mirrored = {2 * (samples - 1), 2 * (samples - 1)}, from_start = {samples, INT_MAX};
  return periodic ? from_start : mirrored;
}

INLINE void load_block(const Picture *picture, const Block *block, const RegisterBlocks *own, A (*v)[COLUMNS_OWN]) {
  Words loaded[BLOCK_ROWS];
  int x[COLUMNS_OWN];  // declared in the branch that uses it, it would be one array for all work-items (PoCL 3.1)
  if (block->inside && own->loads_words) {
    UNROLL for (int r = 0; r < BLOCK_ROWS; ++r) loaded[r] = load_inner_row(picture, block, r);
  } else {
    const Repeats row = repeats_of(picture->width, own->periodic_x);
    const Repeats column = repeats_of(picture->height, own->periodic_y);
    UNROLL for (int i = 0; i < COLUMNS_OWN; ++i) {
      const int place = 2 * (block->column + LOADED_PAIR(i)) + LOADED_CHANNEL(i);
      const int inner = place_in_period(place, row.period);
      x[i] = min(inner, row.mirror_sum - inner);
    }
    int y = place_in_period(2 * block->row, column.period);
    UNROLL for (int r = 0; r < BLOCK_ROWS; ++r) {
      loaded[r] = load_block_row(picture, r & 1, min(y, column.mirror_sum - y), x);
      y = y + 1 < column.period ? y + 1 : 0;
    }
  }
  UNROLL for (int r = 0; r < BLOCK_ROWS; ++r) {
    LOADED samples[COLUMNS_OWN];
    take_apart(loaded[r].x, samples);
    take_apart(loaded[r].y, samples + PAIRS);
    UNROLL for (int i = 0; i < COLUMNS_OWN; ++i)
      v[r][2 * LOADED_PAIR(i) + LOADED_CHANNEL(i)] = LOAD_2D(LOADED_CHANNEL(i), r & 1, samples[i]);
  }
}

// --- store -------------------------------------------------------------------------------------------

// How many of a work-item's pairs are stored of a channel that has `count` columns: none of the halo.
INLINE int pairs_stored(const Block *block, const int count) {
  const bool is_halo = (int)LANE < LANES_LO || (int)LANE >= LANES - LANES_HI;
  return is_halo ? 0 : clamp(count - block->column, 0, PAIRS);
}

// The results in row r of those that are stored, in columns of channel cx or in all of them.
INLINE void take_results(A (*v)[COLUMNS_OWN], const int r, const int cx, STORED *samples) {
  UNROLL for (int p = 0; p < PAIRS; ++p) samples[p] = STORE_2D(cx, r & 1, v[RESULT_ROW + r][2 * p + cx]);
}
INLINE void take_row(A (*v)[COLUMNS_OWN], const int r, STORED *samples) {
  UNROLL for (int i = 0; i < COLUMNS_OWN; ++i) samples[i] = STORE_2D(i & 1, r & 1, v[RESULT_ROW + r][i]);
}

#if FORWARD
INLINE void store_block(const Picture *picture, const Block *block, const RegisterBlocks *own, A (*v)[COLUMNS_OWN]) {
  const int row = block->row + REACH_LO;
  STORED samples[PAIRS];
  UNROLL for (int band = 0; band < 4; ++band) {
    const int cx = band & 1, cy = band >> 1;
    const int pairs = pairs_stored(block, cx ? block->d_columns : block->s_columns);
    const int rows = pairs > 0 ? (cy ? block->d_rows : block->s_rows) - row : 0;
    global T *const to = band_at(picture, band, row, block->column);
    if (PAIRS == 1 || (own->stores_words && pairs % PAIRS == 0)) {
      UNROLL for (int n = 0; n < BLOCK_HEIGHT; ++n) {
        take_results(v, 2 * n + cy, cx, samples);
        if (n < rows) STORE_VECTOR(global, STORED, PAIRS, samples, to + n * picture->band_pitch[band])
      }
    } else {
      UNROLL for (int n = 0; n < BLOCK_HEIGHT; ++n) {
        take_results(v, 2 * n + cy, cx, samples);
        UNROLL for (int p = 0; p < PAIRS; ++p)
          if (n < rows && p < pairs) to[n * picture->band_pitch[band] + p * BAND_STRIDE(picture, band)] = samples[p];
      }
    }
  }
}

#else
INLINE void store_block(const Picture *picture, const Block *block, const RegisterBlocks *own, A (*v)[COLUMNS_OWN]) {
  const int row = block->row + REACH_LO;
  const int pairs[2] = {pairs_stored(block, block->s_columns), pairs_stored(block, block->d_columns)};
  const int rows = pairs[0] > 0 ? picture->height - 2 * row : 0;
  global S *const to = signal_at(picture, 2 * row, 2 * block->column);
  STORED samples[COLUMNS_OWN];
  if (own->stores_words && pairs[0] == pairs[1] && pairs[1] % PAIRS == 0) {
    UNROLL for (int r = 0; r < 2 * BLOCK_HEIGHT; ++r) {
      take_row(v, r, samples);
      if (r < rows) STORE_VECTOR(global, STORED, COLUMNS_OWN, samples, to + r * picture->signal_pitch)
    }
  } else {
    UNROLL for (int r = 0; r < 2 * BLOCK_HEIGHT; ++r) {
      take_row(v, r, samples);
      UNROLL for (int i = 0; i < COLUMNS_OWN; ++i)
        if (r < rows && i / 2 < pairs[i & 1]) to[r * picture->signal_pitch + i] = samples[i];
    }
  }
}
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP_SIZE
void register_block(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterBlocks own) {
  local A shared[SHARED_ROWS][GROUP * PAIRS];
  const int group = get_group_id(0), number = SINGLE ? 0 : (uint)group / (uint)own.groups;
  const Picture picture = picture_at(signal, bands, low, &pass, number);
  const Block block = block_of(&picture, &pass, &own, group - number * own.groups);
  A v[BLOCK_ROWS][COLUMNS_OWN];
  load_block(&picture, &block, &own, v);
  lift_block(&block, v, shared);
  store_block(&picture, &block, &own, v);
}
