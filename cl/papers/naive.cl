// naive_rows, naive_columns: one level of CDF 9/7 in f32, interleaved, a row after the other and then a column after
// the other, as Barina and Zemcik 2015 compare theirs with. For the comparison alone. Beyond the border are zeros,
// which stand in a frame around the picture. One work-item, a thread, has a block of lines.
//
// Cost per sample: 2 global reads and 2 writes, those of columns a row apart.

#include "papers/lines.cl"

// Lifts a line of `count` samples, `step` apart.
INLINE void lift_line(global const float *from, global float *to, const int count, const int step) {
#if DIAGONAL
  float4 kept[3] = {(float4)(0), (float4)(0), (float4)(0)};
#else
  float kept[4] = {0, 0, 0, 0};
#endif
  for (int i = -LEAD(2); i < count; i += 2) {
    const float first = from[(long)(i + SAMPLES_AHEAD) * step], second = from[(long)(i + SAMPLES_AHEAD + 1) * step];
    float low, high;
#if DIAGONAL
    lift_diagonal(kept, first, second, &low, &high);
#else
    LIFT_VERTICAL(float, kept, first, second, low, high)
#endif
    if (i >= 0) to[(long)i * step] = low * SCALE_LOW;
    if (i >= 0 && i + 1 < count) to[(long)(i + 1) * step] = high / SCALE_LOW;
  }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void naive_rows(global const float *framed, global float *results, const PaperPicture own) {
  global const float *const from = framed + own.start;
  global float *const to = results + own.start;
  const int top = get_group_id(0) * own.block, bottom = min(top + own.block, own.height);
  for (int y = top; y < bottom; ++y) lift_line(from + (long)y * own.pitch, to + (long)y * own.pitch, own.width, 1);
}

// In place: samples are read before coefficients take their places.
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void naive_columns(global float *results, const PaperPicture own) {
  global float *const to = results + own.start;
  const int left = get_group_id(0) * own.block, right = min(left + own.block, own.width);
  for (int x = left; x < right; ++x) lift_line(to + x, to + x, own.height, own.pitch);
}
