/* Changes captures as one who knows the format: members of chunks (chunk_members.h) get other numbers, texts
 * and lengths, elements and chunks are left out, repeated and exchanged. Checksums and sizes are right
 * afterwards, so that changes are met behind them. */
#ifndef WS_TESTS_FUZZ_CAPTURE_MUTATOR_H
#define WS_TESTS_FUZZ_CAPTURE_MUTATOR_H

#include "tests/fuzz/fuzz.h"
#include "warpscope/capture.h"

/* A chunk that readers do not know, at any place of the file: what the target is to do with the capture, as
 * words with a '\n' behind each. It is stored as it is. */
#define FUZZ_CHUNK_WORDS WS_FOURCC('F', 'U', 'Z', 'Z')

/* Returns the words of the capture, and their size; NULL where it has none. */
const char *capture_words(const uint8_t *data, size_t size, size_t *word_size);

/* Some word for that chunk, of the target's language; or, for a capture that has none, some `first` words with
 * '\n' between them. Static, or valid until the next call. */
typedef const char *capture_word_function(uint64_t *state, bool first);

/* A mutator. `word` NULL: the target has no words. */
size_t capture_mutate(uint8_t *data, size_t size, size_t capacity, unsigned seed,
                      capture_word_function *word);

/* Makes the checksums of all chunks right, and the version of the file. */
void capture_seal(uint8_t *data, size_t size);

#endif
