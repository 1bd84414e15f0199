// register_columns: one axis in one pass over memory, for lines that stand side by side in memory.
//
// A work-item has one line, or VECTOR neighbours of them as vectors, and sweeps along a segment of it
// (register_columns/sweep.cl).
//
// After the pipeline of Barina and Zemcik 2015, in registers and along columns alone.
// Cost per sample: 1 global read and 1 write; REACH_LO + REACH_HI pairs more are read per segment. No barrier, no local
// memory; 2 * VECTOR * (RING + PREFETCHED) samples in registers. Limited by memory: on an NVIDIA H200, one level of 9/7
// in f32 along the first axis of 256 x 512 x 512 takes 140 us, along the second 144, a copy 131. Where rows begin at no
// multiple of 16 bytes, 255 x 255 x 257 takes 1.5 copies.

#include "core/small_sub_groups.cl"
#include "register_columns/sweep.cl"

// The arguments besides the geometry.
typedef struct {
  int segments;  // of a line
  int pairs_per_segment;
  int vectors;   // of neighbouring lines
  int periodic;  // whether lines go on from their other end
} RegisterColumns;

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SMALL_SUB_GROUPS
void register_columns(global S *signal, global T *bands, global T *low, const Pass pass, const RegisterColumns own) {
  const int item = get_group_id(0) * GROUP + get_local_id(0), number = item / own.vectors;
  if (number >= own.segments) return;
  const int index = (item - number * own.vectors) * LINES;
  const LoadedLine in = input_line(signal, bands, low, &pass, index);
  const StoredLine out = output_line(signal, bands, low, &pass, index);
  const int from = number * own.pairs_per_segment;
  sweep_columns(&in, &out, &pass, own.periodic, from, min(from + own.pairs_per_segment, S_COUNT(pass.samples)));
}
