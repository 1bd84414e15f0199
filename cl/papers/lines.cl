// The two vectorisations of Barina and Zemcik 2015 of one line of CDF 9/7, a pair of samples at a time, and where their
// pictures stand. For the comparison alone.
//
// Vertical: every step of a pair follows from the one before; a line keeps four numbers. What computes in parallel is
// lines side by side. It takes samples 2n - 1 and 2n, and gives coefficients 2n - 4 and 2n - 3. Diagonal: all four
// steps at once, in a vector, of pairs further and further behind; a line keeps three vectors. It takes samples 2n and
// 2n + 1, and gives coefficients 2n - 10 and 2n - 9.

#ifndef DIAGONAL
#error "DIAGONAL: 1 for the diagonal vectorisation, 0 for the vertical one"
#endif
#if !defined(WEIGHTS) || !defined(SCALE_LOW)
#error "WEIGHTS, SCALE_LOW: the factors of the four lifting steps, and that of approximations; details have its inverse"
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define INLINE static inline __attribute__((always_inline))

// How far before its samples a pair's coefficients stand, and how many numbers a line keeps.
#define SAMPLES_AHEAD (DIAGONAL ? 10 : 3)
#define LINE_STATE (DIAGONAL ? 12 : 4)
// Where a line begins, in whole cores of n samples, so that nothing is missing before coefficient 0: four samples
// before it.
#define LEAD(n) ((SAMPLES_AHEAD + 4 + (n) - 1) / (n) * (n))

constant float weights[4] = {WEIGHTS};

// A picture without its frame, and how it is cut for threads.
typedef struct {
  int width, height, pitch;
  int block;  // rows of a thread, or columns
  int state;  // floats that a thread has to keep lines in
  int start;  // where the picture begins in its frame
} PaperPicture;

// A pair of lines of type V by the vertical vectorisation.
#define LIFT_VERTICAL(V, kept, first, second, low, high)                                                  \
  const V d1 = (first) + weights[0] * (kept[0] + (second)), s1 = kept[0] + weights[1] * (kept[1] + d1);   \
  const V d2 = kept[1] + weights[2] * (kept[2] + s1), s2 = kept[2] + weights[3] * (kept[3] + d2);         \
  kept[0] = (second), kept[1] = d1, kept[2] = s1, kept[3] = d2, low = s2, high = d2;

// A pair of one line by the diagonal vectorisation; kept are the left and the middle operands and the last results.
INLINE void lift_diagonal(float4 *kept, const float first, const float second, float *low, float *high) {
  const float4 right = (float4)(first, kept[2].xyz);
  const float4 results = kept[1] + (float4)(WEIGHTS) * (kept[0] + right);
  kept[1] = (float4)(second, kept[0].xyz);
  kept[0] = right;
  kept[2] = results;
  *low = results.w, *high = right.w;
}
