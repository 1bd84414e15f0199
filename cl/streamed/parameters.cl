// What the host sets for the streamed kernels, beside EXCHANGE and LANES (core/exchange.cl), DISTANCE, PLANAR, SINGLE
// and PRE_SHIFT (core/picture.cl), with what each of the choices brings alone (NVIDIA H200, 8192 x 8192).

#include "core/boundary.cl"
#include "core/exchange.cl"
#include "core/picture.cl"
#include "core/ring.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif
// With 4 instead of 8, 5/3 in 16 bits takes 1.09 times as long.
#ifndef PAIRS
#error "PAIRS: pairs of columns of a work-item"
#endif
#if !defined(HALO_LO) || !defined(HALO_HI)
#error "HALO_LO, HALO_HI: pairs of columns beside its own that a work-item loads; 0 with exchange"
#endif
#if !defined(OVERLAP_LO) || !defined(STRIP)
#error "OVERLAP_LO, STRIP: work-items before those of a sub-group that store; pairs that it stores"
#endif
#ifndef PREFETCHED
#error "PREFETCHED: pairs of rows that are loaded before they are needed, of which RING and ROUND are multiples"
#endif
// Where few registers are left, the channel that the first step changes is loaded only when that step runs. Else its
// rows wait, of VC-2's Fidelity in 24 registers (inverse 32), and clang with ptxas puts some in memory (`make
// vendors`).
#if !defined(NEWEST_s) || !defined(NEWEST_d)
#error "NEWEST_s, NEWEST_d: how many pairs behind the newest each channel is loaded"
#endif
#ifndef X_FIRST
#error "X_FIRST: 1 where this launch, in its direction, lifts along x before y"
#endif
// Rows of 8200 samples of 16 bits take 1.94 times as long sample by sample as by vectors (5/3).
#ifndef WIDE
#error "WIDE: 1 where rows are aligned and end between work-items, and so go by vectors"
#endif
#if !defined(SIGNAL_VECTOR) || !defined(BAND_VECTOR)
#error "SIGNAL_VECTOR, BAND_VECTOR: samples in a vector on either side"
#endif
// Sample by sample through local memory, one level takes 1.31 times as long (inverse 1.18), five 1.77 (1.33).
#if !defined(INTERLEAVED) || !defined(LOW_APART)
#error "INTERLEAVED, LOW_APART: 1 where LL and HL stand interleaved in rows that go by vectors; where LL then has an array as well"
#endif
#ifndef EXTENSION
#error "EXTENSION: how the picture goes on beyond its border, one of those in core/boundary.cl"
#endif
// With NONE streamed/frame.cl lifts the border. In place of CLAMPED, 13/7 then takes 1.17 to 1.30 times as long,
// Fidelity 1.29 to 1.42. Only what is CLAMPED is RESTORED.
#if EXTENSION < EXTENSION_NONE || EXTENSION > EXTENSION_CLAMPED || RESTORED != (EXTENSION == EXTENSION_CLAMPED)
#error "EXTENSION: not one of those in core/boundary.cl, or RESTORED is not as it says"
#endif

// Without exchange a work-item is alone: it loads its own surroundings.
#define ALONE (EXCHANGE == EXCHANGE_NONE)
// Rows that do not go by vectors go sample by sample, neighbours by neighbouring work-items, which then exchange them
// through local memory.
#define STAGED (!WIDE && !ALONE)

// By how many pairs of rows one channel is loaded later than the other: at least one of the two is 0.
#define LATER (NEWEST_s + NEWEST_d)

// Pairs of columns that a work-item has in registers, and samples.
#define PAIRS_LOADED_X (HALO_LO + PAIRS + HALO_HI)
#define COLUMNS_LOADED (2 * PAIRS_LOADED_X)
#define COLUMNS_OWN (2 * PAIRS)

// The arguments besides the geometry; pairs of rows and columns inside are those that no frame does.
typedef struct {
  int strips, segments;          // of a picture
  int pairs_per_segment;         // of rows
  int bottom_up;                 // which segments sweep bottom-up: bit 0 the even ones, bit 1 the odd ones
  int left, right, top, bottom;  // the inside
  int frame_x, frame_y;          // tiles of the frame along the top and bottom, along the left and right edge
} Streamed;
