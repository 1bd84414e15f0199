// Words of memory in rows that go by vectors: samples of less than 32 bits wait in them, and are taken apart only when they are
// needed, since that would wait for them. NVIDIA's compiler also makes two stores of a vector of 8 shorts. By vectors of samples
// instead of words, `streamed` takes 1.5 to 1.9 times as long on 16-bit integers.
//
//   WORD, IN_WORD                what is loaded, and how many samples it has
//   SAMPLE_OF(words, i)          sample i of such words
//   LOADED_WORD_OF(samples, i)   word i of loaded samples
//   STORED_WORD, IN_STORED_WORD, STORED_WORD_OF(samples, i)  the same of results
//   load_words, store_words      words from and to memory

#include "core/samples.cl"

#ifndef BY_WORDS
#error "BY_WORDS: 1 where a kernel loads and stores words instead of samples, in rows that are aligned and end between work-items"
#endif

#define TWO_IN_WORD(type, samples, i) as_uint((JOIN(type, 2))((samples)[2 * (i)], (samples)[2 * (i) + 1]))
#define FOUR_IN_WORD(type, samples, i) \
  as_uint((JOIN(type, 4))((samples)[4 * (i)], (samples)[4 * (i) + 1], (samples)[4 * (i) + 2], (samples)[4 * (i) + 3]))

#if BY_WORDS && LOADED_BITS < 32
#define WORD uint
#define IN_WORD (32 / LOADED_BITS)
#define SAMPLE_OF(words, i) ((LOADED)((words)[(i) / IN_WORD] >> (i) % IN_WORD * LOADED_BITS))
#if LOADED_BITS == 8
#define LOADED_WORD_OF(samples, i) FOUR_IN_WORD(LOADED, samples, i)
#else
#define LOADED_WORD_OF(samples, i) TWO_IN_WORD(LOADED, samples, i)
#endif
#else
#define WORD LOADED
#define IN_WORD 1
#define SAMPLE_OF(words, i) (words)[i]
#define LOADED_WORD_OF(samples, i) (samples)[i]
#endif

#if BY_WORDS && STORED_BITS < 32
#define STORED_WORD uint
#define IN_STORED_WORD (32 / STORED_BITS)
#if STORED_BITS == 8
#define STORED_WORD_OF(samples, i) FOUR_IN_WORD(STORED, samples, i)
#else
#define STORED_WORD_OF(samples, i) TWO_IN_WORD(STORED, samples, i)
#endif
#else
#define STORED_WORD STORED
#define IN_STORED_WORD 1
#define STORED_WORD_OF(samples, i) (samples)[i]
#endif

// `count` words, in vectors of `size`, each at a multiple of its size in memory.
INLINE void load_words(global const WORD *from, const int count, const int size, WORD *to) {
  UNROLL for (int i = 0; i < count; i += size) {
    if (size == 16) vstore16(*(global const JOIN(WORD, 16) *)(from + i), 0, to + i);
    if (size == 8) vstore8(*(global const JOIN(WORD, 8) *)(from + i), 0, to + i);
    if (size == 4) vstore4(*(global const JOIN(WORD, 4) *)(from + i), 0, to + i);
    if (size == 2) vstore2(*(global const JOIN(WORD, 2) *)(from + i), 0, to + i);
    if (size == 1) to[i] = from[i];
  }
}
INLINE void store_words(const STORED_WORD *from, const int count, const int size, global STORED_WORD *to) {
  UNROLL for (int i = 0; i < count; i += size) {
    if (size == 16) *(global JOIN(STORED_WORD, 16) *)(to + i) = vload16(0, from + i);
    if (size == 8) *(global JOIN(STORED_WORD, 8) *)(to + i) = vload8(0, from + i);
    if (size == 4) *(global JOIN(STORED_WORD, 4) *)(to + i) = vload4(0, from + i);
    if (size == 2) *(global JOIN(STORED_WORD, 2) *)(to + i) = vload2(0, from + i);
    if (size == 1) to[i] = from[i];
  }
}
