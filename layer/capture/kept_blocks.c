#include "layer/capture/kept_blocks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static size_t capacity_of(const uint8_t *block)
{
    size_t capacity;
    memcpy(&capacity, block, sizeof(capacity));
    return capacity;
}

/* A large one does not serve as a small one: what waits to be written is bounded by its size. */
static bool fits(size_t capacity, size_t size)
{
    return capacity >= size && capacity - size <= size / 4 + WS_BLOCK_MIN;
}

/* A block is taken out before it is looked at: then it is no other thread's. */
static uint8_t *find(struct ws_blocks *blocks, size_t size, size_t *capacity)
{
    for (uint32_t i = 0; i < WS_BLOCKS_KEPT; i++) {
        uint8_t *block = atomic_exchange(&blocks->kept[i], NULL);
        if (block == NULL)
            continue;
        *capacity = capacity_of(block);
        if (fits(*capacity, size))
            return block;
        free(atomic_exchange(&blocks->kept[i], block));
    }
    return NULL;
}

uint8_t *ws_blocks_take(struct ws_blocks *blocks, size_t size, size_t *capacity)
{
    uint8_t *block = size >= WS_BLOCK_MIN ? find(blocks, size, capacity) : NULL;
    if (block != NULL)
        return block;
    *capacity = size;
    if (size >= WS_BLOCK_MIN && size <= WS_BLOCK_MAX)
        *capacity = (size + WS_BLOCK_MIN - 1) / WS_BLOCK_MIN * WS_BLOCK_MIN;
    return malloc(*capacity);
}

void ws_blocks_give(struct ws_blocks *blocks, uint8_t *block, size_t capacity)
{
    if (block == NULL || capacity < WS_BLOCK_MIN || capacity > WS_BLOCK_MAX) {
        free(block);
        return;
    }
    memcpy(block, &capacity, sizeof(capacity));
    for (uint32_t i = 0; i < WS_BLOCKS_KEPT; i++) {
        uint8_t *none = NULL;
        if (atomic_compare_exchange_strong(&blocks->kept[i], &none, block))
            return;
    }
    /* The sizes that are asked for may have changed: the new one is kept instead of each in turn. */
    const uint32_t instead = atomic_fetch_add(&blocks->next, 1) % WS_BLOCKS_KEPT;
    free(atomic_exchange(&blocks->kept[instead], block));
}

uint8_t *ws_blocks_take_room(struct ws_blocks *blocks)
{
    uint8_t *room = atomic_exchange(&blocks->room, NULL);
    return room != NULL ? room : malloc(WS_BLOCKS_ROOM);
}

void ws_blocks_give_room(struct ws_blocks *blocks, uint8_t *room)
{
    free(atomic_exchange(&blocks->room, room));
}

void ws_blocks_finish(struct ws_blocks *blocks)
{
    for (uint32_t i = 0; i < WS_BLOCKS_KEPT; i++)
        free(atomic_exchange(&blocks->kept[i], NULL));
    free(atomic_exchange(&blocks->room, NULL));
}
