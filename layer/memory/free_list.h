/* Which parts of a block of memory are free: first fit, neighbours merged. Knows no Vulkan objects. Not
 * thread-safe: the owner of the block locks. */
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

/* One free part of `size` bytes. False when there is no memory. */
bool ws_free_list_init(struct ws_free_list *list, uint64_t size);
void ws_free_list_finish(struct ws_free_list *list);

/* Takes the first `size` bytes that are free in one piece. False when there are none. Never allocates. */
bool ws_free_list_take(struct ws_free_list *list, uint64_t size, uint64_t *offset);

/* Gives back what was taken, whole or a part of it. Where there is no memory to remember it, it stays
 * taken for ever: a leak is the harmless way to fail. */
void ws_free_list_give(struct ws_free_list *list, uint64_t offset, uint64_t size);

/* How large the next block of a heap is to be that holds `total` bytes already, when `needed` bytes are
 * asked for: heaps double, from WS_BLOCK_MIN up to steps of WS_BLOCK_MAX, so that the number of
 * allocations stays far from maxMemoryAllocationCount and small programs stay small. */
#define WS_BLOCK_MIN ((uint64_t)1 << 20)
#define WS_BLOCK_MAX ((uint64_t)64 << 20)
uint64_t ws_block_size(uint64_t total, uint64_t needed);

#endif
