#include "passes/flow/reach.h"

#include "warpscope/base/arena.h"

bool ws_reach_init(struct ws_reach *reach, struct ws_arena *arena, const struct ws_cfg *cfg, uint32_t first,
                   const struct ws_loops *loops, const bool *parts)
{
    *reach = (struct ws_reach){.cfg = cfg, .loops = loops, .parts = parts + first, .first = first};
    reach->seen = ws_arena_allocate(arena, cfg->block_count, sizeof(*reach->seen));
    return reach->seen != NULL;
}

/* Whether a turn of the loop ends where control comes to a block. */
static bool is_outside(const struct ws_reach *reach, const struct ws_loop *loop, uint32_t b)
{
    return loop != NULL && (reach->first + b == loop->header || reach->first + b == loop->merge);
}

bool ws_reach_in_turn(struct ws_reach *reach, const struct ws_loop *loop, uint32_t from, uint32_t without,
                      uint32_t *blocks, uint32_t *count)
{
    const struct ws_cfg *cfg = reach->cfg;
    const uint32_t search = ++reach->search;
    *count = 1;
    blocks[0] = from;
    for (uint32_t at = 0; at < *count; at++) {
        for (uint32_t i = cfg->successor_first[blocks[at]]; i < cfg->successor_first[blocks[at] + 1]; i++) {
            const uint32_t next = cfg->successors[i];
            if (next == without || reach->seen[next] == search || is_outside(reach, loop, next))
                continue;
            if (*count == WS_REACH_MAX)
                return false;
            reach->seen[next] = search;
            blocks[(*count)++] = next;
        }
    }
    return true;
}

bool ws_reach_comes_to(struct ws_reach *reach, const struct ws_loop *loop, uint32_t from, uint32_t without,
                       uint32_t to)
{
    uint32_t blocks[WS_REACH_MAX];
    uint32_t count = 0;
    if (!ws_reach_in_turn(reach, loop, from, without, blocks, &count))
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (blocks[i] == to)
            return true;
    return false;
}

bool ws_reach_comes_only_to(struct ws_reach *reach, const struct ws_loop *loop, uint32_t from, uint32_t to)
{
    const struct ws_cfg *cfg = reach->cfg;
    const struct ws_loops *loops = reach->loops;
    const uint32_t index = loop != NULL ? (uint32_t)(loop - loops->list) : WS_NONE;
    uint32_t blocks[WS_REACH_MAX];
    uint32_t count = 0;
    if (from == to || !ws_reach_in_turn(reach, loop, from, to, blocks, &count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t b = blocks[i];
        uint32_t around = loops->innermost[b];
        while (around != WS_NONE && around != index)
            around = loops->list[around].outer;
        if (around != index || cfg->successor_first[b] == cfg->successor_first[b + 1] || reach->parts[b])
            return false;
        for (uint32_t j = cfg->successor_first[b]; j < cfg->successor_first[b + 1]; j++)
            if (is_outside(reach, loop, cfg->successors[j]))
                return false;
    }
    return true;
}

bool ws_reach_between(struct ws_reach *reach, uint32_t from, uint32_t to, uint32_t *blocks, uint32_t *count)
{
    const struct ws_cfg *cfg = reach->cfg;
    const uint32_t search = ++reach->search;
    uint32_t block = from;
    *count = 0;
    for (uint32_t at = 0;; at++) {
        for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; i++) {
            const uint32_t next = cfg->successors[i];
            if (next == to || reach->seen[next] == search)
                continue;
            if (*count == WS_REACH_MAX || cfg->position[next] <= cfg->position[from])
                return false;
            reach->seen[next] = search;
            blocks[(*count)++] = next;
        }
        if (at == *count)
            return true;
        block = blocks[at];
    }
}
