#include "analysis/memory/cache/set_stacks.h"

#include <stdlib.h>

#include "analysis/memory/cache/recent_rows.h"

struct stacks {
    struct ws_cache_sets sets;
    struct ws_recent_rows rows;            /* a set's stack each */
    uint64_t at_depth[WS_SET_STACKS_WAYS]; /* but for those of `on_top` here and before */
    uint64_t on_top; /* where sets are nested: accesses at depth 0 here first, and so in all that follow */
};

struct ws_set_stacks {
    uint32_t count;
    uint32_t ways;
    uint64_t accesses;
    /* Each set is a part of one set of the stacks before. Its stack is that one's, without lines of others: so no line is
     * deeper in it. */
    bool is_nested;
    struct stacks stacks[];
};

static bool check(const uint32_t *sets, uint32_t count, uint32_t ways, struct ws_error *error)
{
    uint64_t lines = 0;
    if (ways < 1 || ways > WS_SET_STACKS_WAYS)
        return ws_error_set(error, "stacks have 1 to %u ways, not %u", WS_SET_STACKS_WAYS, ways);
    for (uint32_t i = 0; i < count; ++i) {
        lines += (uint64_t)sets[i] * ways;
        if (sets[i] < 1 || lines > WS_SET_STACKS_LINES)
            return ws_error_set(error, "stacks have 1 to %u lines together; use fewer sets",
                                WS_SET_STACKS_LINES);
    }
    return true;
}

struct ws_set_stacks *ws_set_stacks_create(const uint32_t *sets, uint32_t count, uint32_t ways,
                                           enum ws_cache_index index, struct ws_error *error)
{
    if (!check(sets, count, ways, error))
        return NULL;
    struct ws_set_stacks *stacks = calloc(1, sizeof(*stacks) + count * sizeof(stacks->stacks[0]));
    if (stacks == NULL)
        goto error;
    stacks->ways = ways;
    stacks->is_nested = index == WS_CACHE_MODULO;
    for (; stacks->count < count; ++stacks->count) {
        struct stacks *stack = &stacks->stacks[stacks->count];
        const uint32_t before = sets[stacks->count > 0 ? stacks->count - 1 : 0];
        stacks->is_nested = stacks->is_nested && sets[stacks->count] % before == 0;
        stack->sets = ws_cache_sets_of(sets[stacks->count], index);
        if (!ws_recent_rows_init(&stack->rows, sets[stacks->count], ways, 0)) {
            ws_recent_rows_finish(&stack->rows);
            goto error;
        }
    }
    return stacks;
error:
    ws_set_stacks_destroy(stacks);
    ws_error_set(error, "no memory for stacks of lines");
    return NULL;
}

void ws_set_stacks_destroy(struct ws_set_stacks *stacks)
{
    if (stacks == NULL)
        return;
    for (uint32_t i = 0; i < stacks->count; ++i)
        ws_recent_rows_finish(&stacks->stacks[i].rows);
    free(stacks);
}

void ws_set_stacks_access(struct ws_set_stacks *stacks, uint64_t line)
{
    stacks->accesses++;
    for (uint32_t i = 0; i < stacks->count; ++i) {
        struct stacks *stack = &stacks->stacks[i];
        uint64_t block;
        const uint32_t set = ws_cache_place(&stack->sets, line, &block);
        if (stacks->is_nested && ws_recent_rows_is_newest(&stack->rows, set, block)) {
            stack->on_top++;
            return;
        }
        const struct ws_recent_use use = ws_recent_rows_use(&stack->rows, set, block, 0, true);
        stack->at_depth[use.depth] += use.was_there;
    }
}

uint64_t ws_set_stacks_accesses(const struct ws_set_stacks *stacks)
{
    return stacks->accesses;
}

uint64_t ws_set_stacks_hits(const struct ws_set_stacks *stacks, uint32_t which, uint32_t ways)
{
    uint64_t hits = 0;
    for (uint32_t i = 0; i < ways && i < stacks->ways; ++i)
        hits += stacks->stacks[which].at_depth[i];
    for (uint32_t i = 0; i <= which && ways > 0; ++i)
        hits += stacks->stacks[i].on_top;
    return hits;
}
