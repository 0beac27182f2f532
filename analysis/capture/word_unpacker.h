/* Unpacks the words of records (packed.h). */
#ifndef WS_ANALYSIS_CAPTURE_WORD_UNPACKER_H
#define WS_ANALYSIS_CAPTURE_WORD_UNPACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills `words` with the `count` words that stand packed in the `size` bytes. False where these cannot be so many. */
bool ws_words_unpack(uint32_t *words, uint32_t count, const uint8_t *packed, size_t size);

/* Joins `count` words, of which byte b stands at planes[b * stride], and so on. */
void ws_words_join(uint32_t *words, uint32_t count, const uint8_t *planes, size_t stride);

#endif
