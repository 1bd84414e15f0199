// arithmetic: a yardstick. It shows how many operations per second a device can do when nothing else holds it up, by
// chains of multiply-adds of floats, or of shifts and additions of integers, as lifting is made of. A multiply-add
// counts twice, as in the cost of a plan.
//
// Cost: no global memory but one store per work-item that never happens.

#ifndef NUMBERS_16
#error "NUMBERS_16: the type of a vector of 16 numbers to compute with, float16 or int16"
#endif
#ifndef REALS
#error "REALS: 1 where these are floats"
#endif
#ifndef CHAINS
#error "CHAINS: vectors that a work-item has, each a chain of operations that depend on one another"
#endif
#ifndef ROUNDS
#error "ROUNDS: operations of each kind on each number"
#endif

#if REALS
#define OPERATE(v) ((v) * 0.999f + 0.001f)
#define NEVER -1.0f
#else
#define OPERATE(v) (((v) >> 1) + 12345)
#define NEVER -1
#endif

kernel void arithmetic(global int *to) {
  NUMBERS_16 v[CHAINS];
  for (int i = 0; i < CHAINS; ++i) v[i] = (NUMBERS_16)(get_global_id(0) + i);
  for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) v[i] = OPERATE(v[i]);
  }
  NUMBERS_16 all = v[0];
  for (int i = 1; i < CHAINS; ++i) all += v[i];
  // Or else nothing of all this would be computed.
  if (all.s0 + all.s1 + all.s2 + all.s3 + all.s4 + all.s5 + all.s6 + all.s7 + all.s8 + all.s9 + all.sa + all.sb + all.sc +
          all.sd + all.se + all.sf == NEVER)
    to[0] = 1;
}
