#include "analysis/memory/buffer_pairs.h"

#include <stdlib.h>

#include "warpscope/base/array.h"

void ws_buffer_pairs_finish(struct ws_buffer_pairs *pairs)
{
    free(pairs->buffers);
    free(pairs->list);
    ws_id_map_finish(&pairs->ids);
    ws_id_map_finish(&pairs->buffers_at);
    *pairs = (struct ws_buffer_pairs){0};
}

/* A buffer by its name: equal texts of the catalog have one address. */
static bool find_buffer(struct ws_buffer_pairs *pairs, const char *name, uint32_t *index)
{
    const uint64_t key = (uint64_t)(uintptr_t)name;
    if (ws_id_map_get(&pairs->buffers_at, key, index))
        return true;
    const char **buffers =
        ws_array_grow(pairs->buffers, &pairs->buffer_capacity, pairs->buffer_count + 1, sizeof(*buffers));
    if (buffers == NULL)
        return false;
    pairs->buffers = buffers;
    *index = pairs->buffer_count++;
    buffers[*index] = name;
    return ws_id_map_put(&pairs->buffers_at, key, *index);
}

bool ws_buffer_pairs_find(struct ws_buffer_pairs *pairs, const struct ws_traced_access *access,
                          uint32_t bound, uint32_t *number)
{
    uint32_t buffer = 0;
    if (!find_buffer(pairs, access->memory, &buffer))
        return false;
    const uint64_t key = (uint64_t)buffer << 32 | bound;
    if (ws_id_map_get(&pairs->ids, key, number))
        return true;
    struct ws_buffer_pair *list =
        ws_array_grow(pairs->list, &pairs->capacity, pairs->count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    pairs->list = list;
    *number = pairs->count++;
    list[*number] = (struct ws_buffer_pair){
        .buffer = access->memory, .name = buffer, .bound = bound, .memory = access->access.memory};
    return ws_id_map_put(&pairs->ids, key, *number);
}
