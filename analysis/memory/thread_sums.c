#include "analysis/memory/thread_sums.h"

#include <stdlib.h>

#include "warpscope/base/array.h"

void ws_thread_sums_finish(struct ws_thread_sums *sums)
{
    free(sums->rows);
    free(sums->buffers);
    ws_id_map_finish(&sums->ids);
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

static struct ws_thread_row *find_row(struct ws_thread_sums *sums, const struct ws_context *context,
                                      uint32_t thread, uint32_t buffer, enum ws_access_memory memory)
{
    uint32_t index = 0;
    while (context->caller != NULL)
        context = context->caller;
    const uint64_t key = (uint64_t)thread << 32 | buffer;
    if (ws_id_map_get(&sums->ids, key, &index))
        return &sums->rows[index];
    struct ws_thread_row *rows =
        ws_array_grow(sums->rows, &sums->row_capacity, sums->row_count + 1, sizeof(*rows));
    if (rows == NULL)
        return NULL;
    sums->rows = rows;
    if (!ws_id_map_put(&sums->ids, key, sums->row_count))
        return NULL;
    rows[sums->row_count] = (struct ws_thread_row){.thread = thread,
                                                   .shader = context->shader,
                                                   .memory = memory,
                                                   .buffer = sums->buffers[buffer],
                                                   .first = sums->requests};
    return &rows[sums->row_count++];
}

bool ws_thread_sums_add(struct ws_thread_sums *sums, const struct ws_context *context, struct ws_lanes lanes,
                        const struct ws_traced_access *access, const struct ws_caches_sums *request)
{
    uint32_t buffer = 0;
    if (!find_buffer(sums, access->memory, &buffer))
        return false;
    while (ws_lanes_any(lanes)) {
        const uint32_t thread = context->threads[ws_lanes_take(&lanes)];
        if (thread == WS_NONE)
            continue;
        struct ws_thread_row *row = find_row(sums, context, thread, buffer, access->access.memory);
        if (row == NULL)
            return false;
        ws_caches_sums_add(&row->sums, request);
    }
    sums->requests++;
    return true;
}
