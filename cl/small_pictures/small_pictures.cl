// small_pictures: all levels of a picture that fits local memory in one launch, a work-group per picture.
//
// The picture is lifted in place (core/tile.cl): level l works on every 2^l-th sample of a row and of a column. Details
// leave for global memory after their level, and come from there before it.
//
// Cost per sample: 1 global read and 1 write; per level a barrier for each step and axis, and two accesses to local memory
// per sample beside those of the steps. Limited by the latency of barriers where there are few pictures, else by local
// memory.

#include "core/picture.cl"
#include "core/tile.cl"

#if !defined(TILE_SAMPLES) || !defined(TILE_ROW)
#error "TILE_SAMPLES, TILE_ROW: samples of local memory for a picture, and from one of its rows to the next"
#endif

// The arguments besides the geometry.
typedef struct {
  int levels;
} SmallPictures;

// Where the coefficients of an axis stand `level` levels after the first one taken, if there are `samples` samples then:
// interleaved ones twice as far apart each time, others closer together.
static inline Axis axis_of_level(const Axis first, const int level, const int samples) {
  const bool interleaved = first.detail < first.stride;
  const Axis axis = {interleaved ? first.stride << level : first.stride,
                     interleaved ? first.detail << level : first.stride * S_COUNT(samples)};
  return axis;
}

// One level of a picture: its size, and where its sub-bands stand.
typedef struct {
  int number, width, height;
  bool is_last;
  Axis x, y;
} Level;

static inline Level level_of(const Picture *picture, const Pass *pass, const int number, const int levels) {
  Level level;
  level.number = number;
  level.width = ((picture->width - 1) >> number) + 1;
  level.height = ((picture->height - 1) >> number) + 1;
  level.is_last = number + 1 == levels;
  level.x = axis_of_level(pass->bands.line, number, level.width);
  level.y = axis_of_level(pass->bands.across[0], number, level.height);
  return level;
}

// The place of sample (ix, iy) of a level in its sub-band. The low band of the last level can stand in an array of its own.
INLINE global T *coefficient_at(const Picture *picture, const Pass *pass, const Level *level, const int ix,
                                const int iy) {
  const int cx = ix & 1, cy = iy & 1, px = ix >> 1, py = iy >> 1;
  if (pass->has_low && cx == 0 && cy == 0)
    return picture->band[0] + (px * picture->band_stride[0] + py * picture->band_row[0]);
  return picture->band[3] + (cx * level->x.detail + px * level->x.stride + cy * level->y.detail + py * level->y.stride);
}

// The place of sample (ix, iy) of a level in the tile.
INLINE local T *sample_of(local T *tile, const Level *level, const int ix, const int iy) {
  return tile + ((iy * TILE_ROW + ix) << level->number);
}

// Each sample (ix, iy) of a level, by all work-items in turn.
#define EACH_SAMPLE(level)                                                                        \
  for (int i = get_local_id(0), ix = i % (level)->width, iy = i / (level)->width;                 \
       i < (level)->width * (level)->height;                                                      \
       i += GROUP, ix = i % (level)->width, iy = i / (level)->width)

INLINE void lift_level(local T *tile, const Level *level, const int boundary) {
  lift_tile(tile, boundary, level->width, level->height, 1 << level->number, TILE_ROW << level->number);
}

#if FORWARD
// Stores the details of a level; its low band becomes the next level, if there is one.
INLINE void store_level(local T *tile, const Picture *picture, const Pass *pass, const Level *level) {
  EACH_SAMPLE(level) {
    const int cx = ix & 1, cy = iy & 1;
    local T *const sample = sample_of(tile, level, ix, iy);
    const T v = STORE_2D(cx, cy, (A)*sample);
    if (cx || cy || level->is_last)
      *coefficient_at(picture, pass, level, ix, iy) = v;
    else
      *sample = (T)LOAD_2D((ix >> 1) & 1, (iy >> 1) & 1, v);
  }
}

INLINE void transform_picture(local T *tile, const Picture *picture, const Pass *pass, const int levels) {
  Level level = level_of(picture, pass, 0, levels);
  EACH_SAMPLE(&level) *sample_of(tile, &level, ix, iy) = (T)LOAD_2D(ix & 1, iy & 1, *signal_at(picture, iy, ix));
  int number = 0;
  // There is at least one level: PoCL 3.1 goes wrong with barriers in a loop that may be skipped.
  do {
    level = level_of(picture, pass, number, levels);
    lift_level(tile, &level, pass->boundary);
    store_level(tile, picture, pass, &level);
  } while (++number < levels);
}
#else
// Loads the details of a level; its low band is what the level before left, if there was one.
INLINE void load_level(local T *tile, const Picture *picture, const Pass *pass, const Level *level) {
  EACH_SAMPLE(level) {
    const int cx = ix & 1, cy = iy & 1;
    local T *const sample = sample_of(tile, level, ix, iy);
    const T v = cx || cy || level->is_last ? *coefficient_at(picture, pass, level, ix, iy) : STORE_2D(0, 0, (A)*sample);
    *sample = (T)LOAD_2D(cx, cy, v);
  }
}

INLINE void transform_picture(local T *tile, const Picture *picture, const Pass *pass, const int levels) {
  Level level;
  int number = levels - 1;
  do {
    level = level_of(picture, pass, number, levels);
    load_level(tile, picture, pass, &level);
    lift_level(tile, &level, pass->boundary);
  } while (--number >= 0);
  EACH_SAMPLE(&level) *signal_at(picture, iy, ix) = STORE_2D(ix & 1, iy & 1, (A)*sample_of(tile, &level, ix, iy));
}
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void small_pictures(global T *signal, global T *bands, global T *low, const Pass pass, const SmallPictures own) {
  local T tile[TILE_SAMPLES];
  const Picture picture = picture_at(signal, bands, low, &pass, get_group_id(0));
  transform_picture(tile, &picture, &pass, own.levels);
}
