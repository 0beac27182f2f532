#include "analysis/memory/cache/set_stacks.h"

#include <stdlib.h>

#define NO_LINE UINT64_MAX

struct stacks {
    struct ws_cache_sets sets;
    uint64_t *lines; /* `ways` per set, most recent first */
    uint64_t at_depth[WS_SET_STACKS_WAYS];
};

struct ws_set_stacks {
    uint32_t count;
    uint32_t ways;
    uint64_t accesses;
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
    for (; stacks->count < count; ++stacks->count) {
        struct stacks *stack = &stacks->stacks[stacks->count];
        const size_t lines = (size_t)sets[stacks->count] * ways;
        stack->sets = ws_cache_sets_of(sets[stacks->count], index);
        stack->lines = malloc(lines * sizeof(*stack->lines));
        if (stack->lines == NULL)
            goto error;
        for (size_t i = 0; i < lines; ++i)
            stack->lines[i] = NO_LINE;
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
        free(stacks->stacks[i].lines);
    free(stacks);
}

/* Moves a line to the front; the lines before it move by one while it is looked for. */
static inline void access_stack(struct stacks *stack, uint64_t line, uint32_t ways)
{
    uint64_t *lines = stack->lines + (size_t)ws_cache_set(&stack->sets, line) * ways;
    uint64_t moved = line;
    for (uint32_t i = 0; i < ways; ++i) {
        const uint64_t here = lines[i];
        lines[i] = moved;
        if (here == line) {
            stack->at_depth[i]++;
            return;
        }
        moved = here;
    }
}

void ws_set_stacks_access(struct ws_set_stacks *stacks, uint64_t line)
{
    stacks->accesses++;
    for (uint32_t i = 0; i < stacks->count; ++i)
        access_stack(&stacks->stacks[i], line, stacks->ways);
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
    return hits;
}
