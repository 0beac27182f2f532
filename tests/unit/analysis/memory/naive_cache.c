#include "tests/unit/analysis/memory/naive_cache.h"

#include <stdlib.h>

void naive_cache_init(struct naive_cache *cache, const struct ws_cache_settings *settings)
{
    *cache = (struct naive_cache){.settings = *settings};
    cache->ways = settings->ways == 0 ? settings->lines : settings->ways;
    for (cache->padded = 1; cache->padded < cache->ways;)
        cache->padded *= 2;
    cache->lines = calloc(settings->lines, sizeof(*cache->lines));
    cache->points_right = calloc((size_t)settings->lines / cache->ways * cache->padded * 2, sizeof(bool));
    if (cache->lines == NULL || cache->points_right == NULL)
        abort();
}

void naive_cache_finish(struct naive_cache *cache)
{
    free(cache->lines);
    free(cache->points_right);
}

static uint32_t pointed(const struct naive_cache *cache, const bool *tree, uint32_t node, uint32_t low,
                        uint32_t high)
{
    const uint32_t middle = (low + high) / 2;
    if (high - low == 1)
        return low;
    if (tree[node] && middle < cache->ways)
        return pointed(cache, tree, 2 * node + 1, middle, high);
    return pointed(cache, tree, 2 * node, low, middle);
}

static void point_away(bool *tree, uint32_t node, uint32_t low, uint32_t high, uint32_t way)
{
    const uint32_t middle = (low + high) / 2;
    if (high - low == 1)
        return;
    tree[node] = way < middle;
    if (way < middle)
        point_away(tree, 2 * node, low, middle, way);
    else
        point_away(tree, 2 * node + 1, middle, high, way);
}

static uint32_t count(uint32_t bits)
{
    return bits == 0 ? 0 : (bits & 1) + count(bits >> 1);
}

uint32_t naive_cache_access(struct naive_cache *cache, uint64_t line, uint32_t sectors,
                            enum ws_cache_kind kind)
{
    const uint64_t sets = cache->settings.lines / cache->ways;
    const uint64_t moved = cache->settings.index == WS_CACHE_HASH ? ws_cache_mix(line / sets) % sets : 0;
    const uint64_t set = (line % sets + moved) % sets;
    struct naive_line *lines = cache->lines + set * cache->ways;
    bool *tree = cache->points_right + set * cache->padded * 2;
    uint32_t way = 0, oldest = 0;
    sectors &= (1u << cache->settings.sectors) - 1;
    cache->now++;
    while (way < cache->ways && !(lines[way].is_there && lines[way].line == line))
        ++way;
    if (way == cache->ways) {
        if (kind != WS_CACHE_LOAD && cache->settings.writes == WS_CACHE_WRITE_THROUGH)
            return 0;
        for (way = 0; way < cache->ways && lines[way].is_there;)
            ++way;
        for (uint32_t i = 0; i < cache->ways; ++i)
            if (lines[i].used < lines[oldest].used)
                oldest = i;
        if (way == cache->ways)
            way = cache->settings.replacement == WS_CACHE_LRU ? oldest
                                                              : pointed(cache, tree, 1, 0, cache->padded);
        cache->written += count(lines[way].changed);
        lines[way] = (struct naive_line){.is_there = true, .line = line};
    }
    const uint32_t hits = lines[way].sectors & sectors;
    lines[way].used = cache->now;
    point_away(tree, 1, 0, cache->padded, way);
    if (kind == WS_CACHE_LOAD || cache->settings.writes == WS_CACHE_WRITE_BACK)
        lines[way].sectors |= sectors;
    if (kind != WS_CACHE_LOAD && cache->settings.writes == WS_CACHE_WRITE_BACK)
        lines[way].changed |= sectors;
    return hits;
}

uint64_t random_next(uint64_t *state)
{
    return ws_cache_mix(*state += 0x9e3779b97f4a7c15u);
}

uint32_t random_below(uint64_t *state, uint32_t end)
{
    return (uint32_t)((random_next(state) >> 32) * end >> 32);
}

uint64_t trace_line(uint64_t *state, uint32_t shape, uint32_t step, uint32_t lines)
{
    const double share = (double)(random_next(state) >> 11) * 0x1p-53;
    switch (shape) {
    case 0: return random_below(state, lines);
    case 1: return step;
    case 2: return (uint64_t)step * 7 % lines;
    case 3: return step % (lines / 2 + 1);
    case 4: return (uint64_t)(share * share * share * lines);
    default: return trace_line(state, step % 2 == 0 ? 3 : 4, step, lines) << (step % 2 == 0 ? 0 : 40);
    }
}
