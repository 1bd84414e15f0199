// register_columns: one axis in one pass over memory, for lines that stand side by side in memory.
//
// A work-item has one line, or VECTOR neighbours of them as vectors, and sweeps along a segment of it: a pipeline in
// registers (core/ring.cl), as along y in `streamed`. Pairs are loaded PREFETCHED pairs before they are needed, so that many
// loads are under way. Where the border of lines depends on both ends, the first work-groups lift the ends (core/borders.cl).
//
// After the pipeline of Barina and Zemcik 2015, in registers and along columns alone.
// Cost per sample: 1 global read and 1 write; REACH_LO + REACH_HI pairs more are read per segment. No barrier, no local
// memory; 2 * VECTOR * (RING + PREFETCHED) samples in registers. Limited by memory: on an NVIDIA H200, one level of 9/7 in f32
// along the first axis of 256 x 512 x 512 takes 140 us, along the second 144, a copy 131. Where rows begin at no multiple of
// 16 bytes, 255 x 255 x 257 takes 1.5 copies. Ends that are apart take an NVIDIA H100 no time of their own (one level of 9/7 in
// f32 along the first axis of 511 x 512 x 512, periodic, 396 us), where a launch of their own took 4 to 11 us.

#include "core/pass.cl"
#include "core/ring.cl"
#include "core/small_sub_groups.cl"
// For lines that are no vectors. It comes last: what only it includes is left out with it.
#if ENDS_APART
#include "core/borders.cl"
#endif

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
#ifndef PREFETCHED
#error "PREFETCHED: pairs that are loaded ahead, a power of two, as RING is"
#endif
// Else a work-item takes most of its instructions to find what is beyond the border.
#ifndef LENGTH
#error "LENGTH: samples of a line, where it is short and one segment; 0 where they are known at run time only"
#endif
#ifndef ENDS_APART
#error "ENDS_APART: 1 where the border of a line depends on both ends at every step, so that its ends are lifted by themselves"
#endif

// The arguments besides the geometry.
typedef struct {
  int border_groups;  // the first work-groups, which do ends
  int vectors;   // of neighbouring lines
  int segments;  // of a line
  int pairs_per_segment;
  int periodic;  // whether lines go on from their other end
} RegisterColumns;

// What a work-item has of neighbouring lines: as they are loaded and stored, and to compute with.
#ifdef VECTOR
#define LINES VECTOR
#define LOADED_LINES LOADED_V
#define STORED_LINES STORED_V
#define AS_STORED TO_T
#define AS_NUMBERS TO_A
#else
#define LINES 1
#define LOADED_LINES LOADED
#define STORED_LINES STORED
#define AS_STORED SAMPLE
#define AS_NUMBERS NUMBER
#endif

#define SAMPLES_ALONG(pass) (LENGTH > 0 ? LENGTH : (pass)->samples)
#if LENGTH > 0
#define UNROLL_LINE UNROLL
#else
#define UNROLL_LINE
#endif

// --- loads -------------------------------------------------------------------------------------------

// Pair n of lines, which may be beyond the border.
INLINE void load_pair_of_columns(const LoadedLine *in, const Pass *pass, const int periodic, const int n, LOADED_LINES *pair) {
  const int samples = SAMPLES_ALONG(pass);
  const bool is_inside = n >= 0 && n < D_COUNT(samples);
  const int s = is_inside ? n : place_to_load(2 * n, samples, periodic) >> 1;
  const int d = is_inside ? n : place_to_load(2 * n + 1, samples, periodic) >> 1;
  pair[0] = *(global const LOADED_LINES *)(in->s + s * in->s_stride);
  pair[1] = *(global const LOADED_LINES *)(in->d + d * in->d_stride);
}

// --- sweep -------------------------------------------------------------------------------------------

#define PIPE_ROUND (RING > PREFETCHED ? RING : PREFETCHED)

// Lifts the pairs from `from` to `to` of lines.
INLINE void sweep_columns(const LoadedLine *in, const StoredLine *out, const Pass *pass, const int periodic, const int from,
                          const int to) {
  LOADED_LINES prefetched[PREFETCHED][2];
  NUMBERS s[RING], d[RING];
  const int begin = from - REACH_LO, end = to + LAST_LAG, last = to + REACH_HI - 1;
  UNROLL for (int a = 0; a < PREFETCHED; ++a)
    load_pair_of_columns(in, pass, periodic, min(begin + a, last), prefetched[a]);
  UNROLL for (int i = 0; i < RING; ++i) s[i] = d[i] = (NUMBERS)0;

  UNROLL_LINE for (int p = begin; p < end; p += PIPE_ROUND) {
    UNROLL for (int phase = 0; phase < PIPE_ROUND; ++phase) {
      const int newest = p + phase, done = newest - LAST_LAG;
      if (newest >= end) return;
      s[phase % RING] = SCALED_IN(AS_NUMBERS(prefetched[phase % PREFETCHED][0]), IN_s, pass->shift);
      d[phase % RING] = SCALED_IN(AS_NUMBERS(prefetched[phase % PREFETCHED][1]), IN_d, pass->shift);
      if (newest + PREFETCHED <= last)
        load_pair_of_columns(in, pass, periodic, newest + PREFETCHED, prefetched[phase % PREFETCHED]);
      lift_in_ring(s, d, 1, phase, newest, SAMPLES_ALONG(pass), pass->boundary);
      if (done >= from) {
        *(global STORED_LINES *)(out->s + done * out->s_stride) =
            AS_STORED(SCALED_OUT(s[RING_AT(LAST_LAG)], OUT_s, pass->shift));
        if (done < D_COUNT(SAMPLES_ALONG(pass)))
          *(global STORED_LINES *)(out->d + done * out->d_stride) =
              AS_STORED(SCALED_OUT(d[RING_AT(LAST_LAG)], OUT_d, pass->shift));
      }
    }
  }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SMALL_SUB_GROUPS
void register_columns(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterColumns own) {
  const int group = (int)get_group_id(0) - own.border_groups;
#if ENDS_APART
  lift_borders(signal, bands, low, pass, group);
#endif
  const int item = group * GROUP + get_local_id(0), number = item / own.vectors;
  if (group < 0 || number >= own.segments) return;
  const int index = (item - number * own.vectors) * LINES;
  const LoadedLine in = INPUT_LINE(index);
  const StoredLine out = OUTPUT_LINE(index);
  const int first = ENDS_APART ? REACH_LO : 0, end = S_COUNT(SAMPLES_ALONG(&pass)) - (ENDS_APART ? REACH_HI + 1 : 0);
  const int from = LENGTH > 0 ? first : first + number * own.pairs_per_segment;
  sweep_columns(&in, &out, &pass, own.periodic, from, LENGTH > 0 ? end : min(from + own.pairs_per_segment, end));
}
