/* Packs the words of records (packed.h). Thread-safe: all functions know is what they are given. */
#ifndef WS_LAYER_CAPTURE_WORD_PACKER_H
#define WS_LAYER_CAPTURE_WORD_PACKER_H

#include <stddef.h>
#include <stdint.h>

/* Room that `count` words need while they are packed; only what they take in the end is kept. */
size_t ws_words_pack_room(uint32_t count);

/* Bytes at the end of packed words. */
struct ws_packed_size {
    size_t slots; /* of words that are known, before */
    size_t noise; /* new words */
};

/* Packs `count` words into `packed`, which has that room. Returns how many bytes they take, with what these are in `*parts`. */
size_t ws_words_pack(const uint32_t *words, uint32_t count, uint8_t *packed, struct ws_packed_size *parts);

/* The same in two steps, where they are to stand elsewhere than in that room, and take no more memory there than they need. */
struct ws_packing {
    uint8_t *room;
    size_t first; /* bytes at the beginning of `room`, before the new words */
    size_t slots; /* the last of these */
    uint8_t *planes;
    size_t stride;  /* from one plane to the next */
    uint32_t fresh; /* new words */
};

/* Packs the words in `room`, which must stay until they are put. The second returns how many bytes they take,
 * the third how many of each kind. */
struct ws_packing ws_words_pack_apart(const uint32_t *words, uint32_t count, uint8_t *room);
size_t ws_packing_size(const struct ws_packing *packing);
struct ws_packed_size ws_packing_parts(const struct ws_packing *packing);

/* Puts the packed words to `to`, which may be the room. */
void ws_packing_put(const struct ws_packing *packing, uint8_t *to);

/* The bytes of `count` words as planes, of which each begins `stride` bytes after the one before: first the lowest byte of
 * every word, then the next. */
void ws_words_part(uint8_t *planes, size_t stride, const uint32_t *words, uint32_t count);

#endif
