/* Packs the words of records (packed.h). */
#ifndef WS_LAYER_CAPTURE_WORD_PACKER_H
#define WS_LAYER_CAPTURE_WORD_PACKER_H

#include <stddef.h>
#include <stdint.h>

/* Room that `count` words need while they are packed; only what they take in the end is kept. */
size_t ws_words_pack_room(uint32_t count);

/* Packs `count` words into `packed`, which has that room. Returns how many bytes they take, of which the last `*noise` are
 * the new words. */
size_t ws_words_pack(const uint32_t *words, uint32_t count, uint8_t *packed, size_t *noise);

/* The bytes of `count` words as planes, of which each begins `stride` bytes after the one before: first the lowest byte of
 * every word, then the next. */
void ws_words_part(uint8_t *planes, size_t stride, const uint32_t *words, uint32_t count);

#endif
