// filter_rows, filter_columns: one axis of a square picture as in Shahbahrami, Juurlink and Vassiliadis 2008, in C, by
// one thread: reals by the taps of both filters, integers by the two steps of 5/3. For the comparison alone.
// Approximations go to the first half of the result, details to the second.
//
// Down columns it goes a row of results at a time, and reads the rows that these depend on. Where rows are a large
// power of two apart, all of them, and the rows of both results, fall into the same sets of a cache. Remedies: a row
// between the halves of the result (Offset), or parts of the sum some cache lines ahead (LOOKAHEAD), few rows for each.
// Cost per sample: 1 global read and 1 write; with LOOKAHEAD PARTS reads and PARTS + 1 writes of each result, mostly in
// the caches.

#include "core/boundary.cl"
#include "core/wavelet.cl"

#ifndef REPEATS
#error "REPEATS: 1 where the signal repeats, 0 where it is mirrored"
#endif
#ifndef LOOKAHEAD
#error "LOOKAHEAD: floats in a cache line, where sums are made in parts; else 0"
#endif
#if INTEGER && REPEATS
#error "REPEATS: 0 for integers, whose detail before the first one is a mirrored one"
#endif

// Rows of a part of a sum: the ways of a cache.
#define ROWS_OF_PART 4
#define PARTS ((2 * (REACH_LO + REACH_HI + 1) + ROWS_OF_PART - 1) / ROWS_OF_PART)

typedef struct {
  int size;   // samples of a row, and rows
  int pitch;  // from row to row
  int high;   // samples from approximations to their details
} Filtered;

#if INTEGER
#define NEXT(offset) ((int)((offset) ? *next : *even))
#define HIGH(offset) ((int)((offset) ? *before : *details))

// Row or column n: `even` and `next` are the approximations around the detail, `before` the detail before it.
INLINE void lift_place(global const T *even, global const T *odd, global const T *next, global const T *before,
                       global T *low, global T *details) {
  *details = LIFT_0((int)*odd, NEXT);
  *low = LIFT_1((int)*even, HIGH);
}

kernel void filter_rows(global const T *restrict from, global T *to, const Filtered own) {
  for (int y = 0; y < own.size; ++y) {
    global const T *const line = from + (long)y * own.pitch;
    global T *const low = to + (long)y * own.pitch, *const high = low + own.size / 2;
    for (int n = 0; n < own.size / 2; ++n)
      lift_place(line + 2 * n, line + 2 * n + 1, line + place_in_signal(2 * n + 2, own.size, REPEATS),
                 high + max(n - 1, 0), low + n, high + n);
  }
}

kernel void filter_columns(global const T *restrict from, global T *to, const Filtered own) {
  for (int n = 0; n < own.size / 2; ++n) {
    global const T *const even = from + (long)(2 * n) * own.pitch, *const odd = even + own.pitch;
    global const T *const next = from + (long)place_in_signal(2 * n + 2, own.size, REPEATS) * own.pitch;
    global T *const low = to + (long)n * own.pitch, *const high = low + own.high;
    global const T *const before = n > 0 ? high - own.pitch : high;
    for (int x = 0; x < own.size; ++x) lift_place(even + x, odd + x, next + x, before + x, low + x, high + x);
  }
}

#else
#define PAIR(offset) ((offset) + REACH_LO)
#define SUM_TAP(channel, offset, factor) + (factor) * *(row_##channel[PAIR(offset)] + x)
#define PLACE_TAP(channel, offset, factor) \
  + (factor) * line[place_in_signal(2 * (n + (offset)) + PARITY_##channel, own.size, REPEATS)]
// The tap counts for part `part` alone.
#define PART_TAP(channel, offset, factor) \
  + ((2 * PAIR(offset) + PARITY_##channel) / ROWS_OF_PART == part ? (factor) * *(row_##channel[PAIR(offset)] + x) : 0)

kernel void filter_rows(global const T *restrict from, global T *restrict to, const Filtered own) {
  for (int y = 0; y < own.size; ++y) {
    global const T *const line = from + (long)y * own.pitch;
    global T *const low = to + (long)y * own.pitch, *const high = low + own.size / 2;
    for (int n = 0; n < own.size / 2; ++n) {
      if (n >= REACH_LO && n + REACH_HI < own.size / 2) {
        global const T *row_s[REACH_LO + REACH_HI + 1], *row_d[REACH_LO + REACH_HI + 1];
        const int x = 2 * n;
#pragma unroll
        for (int i = 0; i <= REACH_LO + REACH_HI; ++i) {
          row_s[i] = line + 2 * (i - REACH_LO);
          row_d[i] = row_s[i] + 1;
        }
        low[n] = 0 FILTER_s(SUM_TAP);
        high[n] = 0 FILTER_d(SUM_TAP);
      } else {
        low[n] = 0 FILTER_s(PLACE_TAP);
        high[n] = 0 FILTER_d(PLACE_TAP);
      }
    }
  }
}

kernel void filter_columns(global const T *restrict from, global T *restrict to, const Filtered own) {
  for (int n = 0; n < own.size / 2; ++n) {
    global const T *row_s[REACH_LO + REACH_HI + 1], *row_d[REACH_LO + REACH_HI + 1];
#pragma unroll
    for (int i = 0; i <= REACH_LO + REACH_HI; ++i) {
      row_s[i] = from + (long)place_in_signal(2 * (n + i - REACH_LO), own.size, REPEATS) * own.pitch;
      row_d[i] = from + (long)place_in_signal(2 * (n + i - REACH_LO) + 1, own.size, REPEATS) * own.pitch;
    }
    global T *const low = to + (long)n * own.pitch, *const high = low + own.high;
#if LOOKAHEAD
    for (int x = 0; x < own.size; ++x) low[x] = high[x] = 0;
    for (int first = 0; first < own.size; ++first) {
#pragma unroll
      for (int part = 0; part < PARTS; ++part) {
        const int ahead = first + part * LOOKAHEAD, x = ahead < own.size ? ahead : ahead - own.size;
        low[x] += 0 FILTER_s(PART_TAP);
        high[x] += 0 FILTER_d(PART_TAP);
      }
    }
#else
    for (int x = 0; x < own.size; ++x) {
      low[x] = 0 FILTER_s(SUM_TAP);
      high[x] = 0 FILTER_d(SUM_TAP);
    }
#endif
  }
}
#endif
