/* The free parts of a block of memory. An allocation takes the first part that is large enough; free
 * neighbours become one part. Knows no Vulkan. Not thread-safe: the owner of the block locks. */
#ifndef WS_LAYER_MEMORY_FREE_LIST_H
#define WS_LAYER_MEMORY_FREE_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct ws_free_part {
    uint64_t offset;
    uint64_t size;
};

struct ws_free_list {
    struct ws_free_part *parts; /* by rising offset; no two touch each other */
    uint32_t count;
    uint32_t capacity;
};

/* Starts with one free part of `size` bytes. False without memory. */
bool ws_free_list_init(struct ws_free_list *list, uint64_t size);
void ws_free_list_finish(struct ws_free_list *list);

/* Allocates `size` bytes of the first part that has as many. False when there is none. Never calls malloc. */
bool ws_free_list_take(struct ws_free_list *list, uint64_t size, uint64_t *offset);

/* Frees bytes that were taken, all or a part of them. Without memory for the list they stay taken: a leak
 * does no other harm. */
void ws_free_list_give(struct ws_free_list *list, uint64_t offset, uint64_t size);

/* The size of a heap's next block, when the heap has `total` bytes and `needed` more are asked for. Heaps
 * double, from WS_BLOCK_MIN up to steps of WS_BLOCK_MAX. So there are far fewer allocations than
 * maxMemoryAllocationCount, and small programs take little memory. */
#define WS_BLOCK_MIN ((uint64_t)1 << 20)
#define WS_BLOCK_MAX ((uint64_t)64 << 20)
uint64_t ws_block_size(uint64_t total, uint64_t needed);

#endif
