#include "analysis/memory/thread_sums.h"

#include <stdlib.h>

#include "warpscope/base/array.h"

void ws_thread_sums_finish(struct ws_thread_sums *sums)
{
    free(sums->rows);
    ws_id_map_finish(&sums->ids);
    ws_buffer_pairs_finish(&sums->pairs);
    *sums = (struct ws_thread_sums){0};
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
    uint32_t pair = 0;
    if (!ws_buffer_pairs_find(&sums->pairs, access, bound, &pair))
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
