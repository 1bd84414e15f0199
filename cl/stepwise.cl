// stepwise: the transform in place in global memory, one launch per lifting step.
//
// Source: the lifting scheme itself (Sweldens 1996). One work-item per pair of samples; any wavelet, boundary,
// layout and shape.
// Cost per sample and axis with n steps: n reads and n/2 writes of the whole array and more for the
// scaling, no barrier, no local memory. Limited by global memory and by the number of launches.

// Which pair of which line is this work-item's.
#define LINE_AND_PAIR(pair)                                              \
  const int pair = get_global_id(0) % S_COUNT(pass.samples);             \
  const size_t index = get_global_id(0) / S_COUNT(pass.samples);         \
  if (index >= pass.lines) return;

INLINE A read(global const T *channel, const long pair, const int index) {
  return index < 0 ? (A)0 : (A)channel[index * pair];
}

// One step on all lines, in place.
kernel void lift(global T *from, global T *to, global T *corner, const Pass pass) {
  LINE_AND_PAIR(n)
  const Line line = INPUT_LINE(index);
#define READ(channel, parity, offset)                       \
  read(line.channel, line.channel##_pair,                   \
       map_index(pass.boundary, parity, n + (offset), pass.samples))
#define AT_s(offset) READ(s, 0, offset)
#define AT_d(offset) READ(d, 1, offset)
#define COUNT_s S_COUNT(pass.samples)
#define COUNT_d D_COUNT(pass.samples)
#define STEP(k, target, source, first, last, before, after)      \
  if (pass.step == k && n < COUNT_##target) {                    \
    global T *const at = line.target + n * line.target##_pair;   \
    *at = (T)LIFT_##k((A)*at, AT_##source);                      \
  }
  LIFT_STEPS(STEP)
}

// What comes before the first step and after the last, in place: pre-shift and scaling.
#define EACH_SAMPLE(ACTION)                                                 \
  LINE_AND_PAIR(p)                                                          \
  const Line line = INPUT_LINE(index);                                      \
  global T *const s = line.s + p * line.s_pair, *const d = line.d + p * line.d_pair; \
  *s = (T)ACTION(s, *s);                                                    \
  if (p < D_COUNT(pass.samples)) *d = (T)ACTION(d, *d);

kernel void load(global T *from, global T *to, global T *corner, const Pass pass) {
  EACH_SAMPLE(LOAD)
}

kernel void store(global T *from, global T *to, global T *corner, const Pass pass) {
  EACH_SAMPLE(STORE)
}

// Copies lines from one place and layout to another.
kernel void move(global T *from, global T *to, global T *corner, const Pass pass) {
  LINE_AND_PAIR(p)
  const Line in = INPUT_LINE(index), out = OUTPUT_LINE(index);
  out.s[p * out.s_pair] = in.s[p * in.s_pair];
  if (p < D_COUNT(pass.samples)) out.d[p * out.d_pair] = in.d[p * in.d_pair];
}
