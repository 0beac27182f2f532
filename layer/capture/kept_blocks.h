/* Large pieces of memory that are used again, by the chunks of one capture.
 *
 * What is allocated anew in such pieces comes from the system each time, page by page, and goes back to it: that took as long
 * as to pack the words in them. At most WS_BLOCKS_KEPT pieces of up to WS_BLOCK_MAX bytes are kept, and a room to pack words
 * in; the rest is given back.
 *
 * Zero-initialise. All functions but ws_blocks_finish are thread-safe, and hold no lock of ours: in a fork's child they work
 * as malloc does. */
#ifndef WS_LAYER_CAPTURE_KEPT_BLOCKS_H
#define WS_LAYER_CAPTURE_KEPT_BLOCKS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define WS_BLOCKS_KEPT 6

/* Smaller ones are left to malloc, which keeps them. */
#define WS_BLOCK_MIN ((size_t)256 << 10)
#define WS_BLOCK_MAX ((size_t)5 << 20)

/* Bytes of the room: what WS_RECORDS_PIECE words need while they are packed. */
#define WS_BLOCKS_ROOM ((size_t)11 << 19)

struct ws_blocks {
    atomic_uint next;                        /* which is given back when another is to be kept */
    _Atomic(uint8_t *) kept[WS_BLOCKS_KEPT]; /* each begins with its capacity */
    _Atomic(uint8_t *) room;
};

/* `size` bytes at least, aligned as malloc does; how many they are goes to `*capacity`, at most a fourth more and
 * WS_BLOCK_MIN. NULL without memory. */
uint8_t *ws_blocks_take(struct ws_blocks *blocks, size_t size, size_t *capacity);

/* Gives back what was taken, with its capacity, or comes from malloc. NULL is accepted. */
void ws_blocks_give(struct ws_blocks *blocks, uint8_t *block, size_t capacity);

/* WS_BLOCKS_ROOM bytes, for a while; NULL without memory. */
uint8_t *ws_blocks_take_room(struct ws_blocks *blocks);
void ws_blocks_give_room(struct ws_blocks *blocks, uint8_t *room);

/* Gives all back. */
void ws_blocks_finish(struct ws_blocks *blocks);

#endif
