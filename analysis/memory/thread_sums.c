#include "analysis/memory/thread_sums.h"

#include <stdlib.h>

#include "warpscope/base/array.h"

void ws_thread_sums_finish(struct ws_thread_sums *sums)
{
    free(sums->rows);
    free(sums->buffers);
    ws_id_map_finish(&sums->ids);
    ws_id_map_finish(&sums->pairs);
    *sums = (struct ws_thread_sums){0};
}

/* A buffer by its name: there are few. */
static bool find_buffer(struct ws_thread_sums *sums, const char *name, uint32_t *index)
{
    for (*index = 0; *index < sums->buffer_count; ++*index)
        if (sums->buffers[*index] == name)
            return true;
    const char **buffers =
        ws_array_grow(sums->buffers, &sums->buffer_capacity, sums->buffer_count + 1, sizeof(*buffers));
    if (buffers == NULL)
        return false;
    sums->buffers = buffers;
    buffers[sums->buffer_count++] = name;
    return true;
}

/* The number of a buffer by its name with what that was. */
static bool find_pair(struct ws_thread_sums *sums, uint32_t buffer, uint32_t bound, uint32_t *pair)
{
    const uint64_t key = (uint64_t)buffer << 32 | bound;
    if (ws_id_map_get(&sums->pairs, key, pair))
        return true;
    *pair = sums->pair_count++;
    return ws_id_map_put(&sums->pairs, key, *pair);
}

/* The row of a thread and a pair, new as `fresh` where there was none. */
static struct ws_thread_row *find_row(struct ws_thread_sums *sums, uint32_t pair,
                                      const struct ws_thread_row *fresh)
{
    uint32_t index = 0;
    const uint64_t key = (uint64_t)fresh->thread << 32 | pair;
    if (ws_id_map_get(&sums->ids, key, &index))
        return &sums->rows[index];
    struct ws_thread_row *rows =
        ws_array_grow(sums->rows, &sums->row_capacity, sums->row_count + 1, sizeof(*rows));
    if (rows == NULL)
        return NULL;
    sums->rows = rows;
    if (!ws_id_map_put(&sums->ids, key, sums->row_count))
        return NULL;
    rows[sums->row_count] = *fresh;
    return &rows[sums->row_count++];
}

bool ws_thread_sums_add(struct ws_thread_sums *sums, uint32_t shader, const uint32_t *threads, uint32_t count,
                        const struct ws_traced_access *access, uint32_t bound,
                        const struct ws_caches_sums *request)
{
    uint32_t buffer = 0;
    uint32_t pair = 0;
    if (!find_buffer(sums, access->memory, &buffer) || !find_pair(sums, buffer, bound, &pair))
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        const struct ws_thread_row fresh = {.thread = threads[i],
                                            .shader = shader,
                                            .memory = access->access.memory,
                                            .buffer = access->memory,
                                            .bound = bound,
                                            .first = sums->requests};
        if (fresh.thread == WS_NONE)
            continue;
        struct ws_thread_row *row = find_row(sums, pair, &fresh);
        if (row == NULL)
            return false;
        ws_caches_sums_add(&row->sums, request);
    }
    sums->requests++;
    return true;
}
