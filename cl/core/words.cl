// Words of memory, for rows that go by vectors: samples of less than 32 bits stay packed in them until they are needed,
// since unpacking them would wait for the load. NVIDIA's compiler also makes two stores of a vector of 8 shorts. By
// vectors of samples instead of words, `streamed` takes 1.5 to 1.9 times as long on 16-bit integers.
//
//   WORD, IN_WORD                what is loaded, and how many samples it has
//   SAMPLE_OF(words, i)          sample i of such words
//   LOADED_WORD_OF(samples, i)   word i of loaded samples
//   STORED_WORD, IN_STORED_WORD, STORED_WORD_OF(samples, i)  the same of results
//   load_words, store_words      words from and to memory

#include "core/moves.cl"

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

// `count` words, in vectors of `size`.
INLINE void load_words(global const WORD *from, const int count, const int size, WORD *to) {
  UNROLL for (int i = 0; i < count; i += size) LOAD_VECTOR(global, WORD, size, from + i, to + i)
}
INLINE void store_words(const STORED_WORD *from, const int count, const int size, global STORED_WORD *to) {
  UNROLL for (int i = 0; i < count; i += size) STORE_VECTOR(global, STORED_WORD, size, from + i, to + i)
}
