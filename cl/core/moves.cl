// Moves between memory and an array of a work-item, as one vector of `size` elements, which begins at a multiple of its
// size in memory. `space` is that memory's address space, and the compiler knows `size`.

#include "core/samples.cl"

#define LOAD_VECTOR(space, type, size, from, to)                                    \
  {                                                                                 \
    if ((size) == 16) vstore16(*(space const JOIN(type, 16) *)(from), 0, to);       \
    if ((size) == 8) vstore8(*(space const JOIN(type, 8) *)(from), 0, to);          \
    if ((size) == 4) vstore4(*(space const JOIN(type, 4) *)(from), 0, to);          \
    if ((size) == 2) vstore2(*(space const JOIN(type, 2) *)(from), 0, to);          \
    if ((size) == 1) *(to) = *(from);                                               \
  }
#define STORE_VECTOR(space, type, size, from, to)                                   \
  {                                                                                 \
    if ((size) == 16) *(space JOIN(type, 16) *)(to) = vload16(0, from);             \
    if ((size) == 8) *(space JOIN(type, 8) *)(to) = vload8(0, from);                \
    if ((size) == 4) *(space JOIN(type, 4) *)(to) = vload4(0, from);                \
    if ((size) == 2) *(space JOIN(type, 2) *)(to) = vload2(0, from);                \
    if ((size) == 1) *(to) = *(from);                                               \
  }
