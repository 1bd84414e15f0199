// stepwise: one axis of one level in place in global memory, one launch per lifting step.
//
// Source: the lifting scheme itself (Sweldens 1996). One work-item per pair of samples; any wavelet, boundary rule,
// layout and shape. The lines are first moved to where the results stand, and everything happens to them there.
// Cost per sample and axis with n steps: n + 1 reads and n / 2 + 1 writes, and one more of each where there is scaling
// or a pre-shift; no barrier, no local memory. Limited by global memory and by the number of launches.

#include "core/boundary.cl"
#include "core/pass.cl"

// The arguments of a launch besides the geometry.
typedef struct {
  int step;  // which lifting step `lift` applies
} Stepwise;

// Which pair of which line a work-item has. Work-items behind the last line have none.
INLINE int pair_of_item(const Pass *pass) { return get_global_id(0) % S_COUNT(pass->samples); }
INLINE size_t line_of_item(const Pass *pass) { return get_global_id(0) / S_COUNT(pass->samples); }

INLINE A neighbour(global const T *channel, const long stride, const int index) {
  return index < 0 ? (A)0 : NUMBER(channel[index * stride]);
}

// Copies lines to where the results will stand.
kernel void move(global T *signal, global T *bands, global T *low, const Pass pass, const Stepwise own) {
  const int n = pair_of_item(&pass);
  const size_t index = line_of_item(&pass);
  if (index >= pass.lines) return;
  const Line in = input_line(signal, bands, low, &pass, index), out = output_line(signal, bands, low, &pass, index);
  out.s[n * out.s_stride] = in.s[n * in.s_stride];
  if (n < D_COUNT(pass.samples)) out.d[n * out.d_stride] = in.d[n * in.d_stride];
}

// Before the first step: scaling or pre-shift, in place.
kernel void load(global T *signal, global T *bands, global T *low, const Pass pass, const Stepwise own) {
  const int n = pair_of_item(&pass);
  const size_t index = line_of_item(&pass);
  if (index >= pass.lines) return;
  const Line line = output_line(signal, bands, low, &pass, index);
  global T *const s = line.s + n * line.s_stride, *const d = line.d + n * line.d_stride;
  *s = SAMPLE(SCALED_IN(NUMBER(*s), IN_s, pass.shift));
  if (n < D_COUNT(pass.samples)) *d = SAMPLE(SCALED_IN(NUMBER(*d), IN_d, pass.shift));
}

// After the last step.
kernel void store(global T *signal, global T *bands, global T *low, const Pass pass, const Stepwise own) {
  const int n = pair_of_item(&pass);
  const size_t index = line_of_item(&pass);
  if (index >= pass.lines) return;
  const Line line = output_line(signal, bands, low, &pass, index);
  global T *const s = line.s + n * line.s_stride, *const d = line.d + n * line.d_stride;
  *s = SAMPLE(SCALED_OUT(NUMBER(*s), OUT_s, pass.shift));
  if (n < D_COUNT(pass.samples)) *d = SAMPLE(SCALED_OUT(NUMBER(*d), OUT_d, pass.shift));
}

#define NEIGHBOUR_s(offset) neighbour(line.s, line.s_stride, map_index(pass.boundary, 0, n + (offset), pass.samples))
#define NEIGHBOUR_d(offset) neighbour(line.d, line.d_stride, map_index(pass.boundary, 1, n + (offset), pass.samples))
#define LIFT_STEP(k, target, source, first, last, before, after)   \
  if (own.step == k && n < COUNT_##target(pass.samples)) {         \
    global T *const at = line.target + n * line.target##_stride;   \
    *at = SAMPLE(LIFT_##k(NUMBER(*at), NEIGHBOUR_##source)); }

// One step on all lines, in place.
kernel void lift(global T *signal, global T *bands, global T *low, const Pass pass, const Stepwise own) {
  const int n = pair_of_item(&pass);
  const size_t index = line_of_item(&pass);
  if (index >= pass.lines) return;
  const Line line = output_line(signal, bands, low, &pass, index);
  LIFT_STEPS(LIFT_STEP)
}
