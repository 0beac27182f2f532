#include "analysis/reorder/places/spans.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/places/thread_walk.h"
#include "warpscope/base/array.h"

void ws_spans_finish(struct ws_spans *spans)
{
    ws_id_map_finish(&spans->sets_at);
    ws_id_map_finish(&spans->invocations_at);
    ws_id_map_finish(&spans->scopes_at);
    ws_id_map_finish(&spans->spans_at);
    free(spans->sets);
    free(spans->blocks);
    free(spans->invocations);
    free(spans->scopes);
    free(spans->spans);
    free(spans->span_items);
    free(spans->items);
    free(spans->recent_items);
    ws_id_map_finish(&spans->paths_at);
    free(spans->paths);
    free(spans->path_spans);
    memset(spans, 0, sizeof(*spans));
}

void ws_shader_range_add(struct ws_shader_range *range, uint32_t shader)
{
    const bool none = range->first == range->end;
    range->first = none || shader < range->first ? shader : range->first;
    range->end = none || shader >= range->end ? shader + 1 : range->end;
}

struct ws_shader_range ws_spans_shaders(const struct ws_spans *spans)
{
    struct ws_shader_range range = {0, 0};
    for (uint32_t i = 0; i < spans->scope_count; ++i)
        ws_shader_range_add(&range, spans->scopes[i].shader);
    return range;
}

bool ws_spans_full(const struct ws_spans *spans)
{
    return spans->span_item_count >= WS_SPAN_ITEMS_TOTAL || spans->path_span_count >= WS_SPAN_PATHS_TOTAL;
}

static int compare_blocks(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The set of the last `count` blocks, which ascend: an equal one that is there already, or else a new one. */
static bool keep_set(struct ws_spans *spans, uint32_t module, uint32_t count, uint32_t *set)
{
    const uint32_t *blocks = &spans->blocks[spans->block_count];
    const struct ws_module_record *record = &spans->catalog->modules[module];
    struct ws_span_set found = {.hash = ws_walk_mix(UINT64_C(0x5e7), module),
                                .module = module,
                                .first = spans->block_count,
                                .count = count};
    for (uint32_t i = 0; i < count; ++i) {
        found.hash = ws_walk_mix(found.hash, (uint64_t)blocks[i] + 1);
        found.instructions += record->blocks[blocks[i]].info.instruction_count;
    }
    if (ws_id_map_get(&spans->sets_at, found.hash, set))
        return true;
    struct ws_span_set *sets =
        ws_array_grow(spans->sets, &spans->set_capacity, spans->set_count + 1, sizeof(*sets));
    if (sets == NULL)
        return false;
    spans->sets = sets;
    sets[spans->set_count] = found;
    spans->block_count += count;
    *set = spans->set_count;
    return ws_id_map_put(&spans->sets_at, found.hash, spans->set_count++);
}

/* Room for more blocks behind those that are kept. */
static uint32_t *more_blocks(struct ws_spans *spans, uint32_t count)
{
    uint32_t *blocks =
        ws_array_grow(spans->blocks, &spans->block_capacity, spans->block_count + count, sizeof(*blocks));
    if (blocks == NULL)
        return NULL;
    spans->blocks = blocks;
    return blocks + spans->block_count;
}

bool ws_spans_set(struct ws_spans *spans, uint32_t module, uint64_t hash, const uint32_t *blocks,
                  uint32_t count, uint32_t *set)
{
    uint32_t kept = 0;
    if (ws_id_map_get(&spans->sets_at, hash, set))
        return true;
    uint32_t *more = more_blocks(spans, count);
    if (more == NULL)
        return false;
    memcpy(more, blocks, count * sizeof(*more));
    qsort(more, count, sizeof(*more), compare_blocks);
    for (uint32_t i = 0; i < count; ++i)
        if (kept == 0 || more[kept - 1] != more[i])
            more[kept++] = more[i];
    return keep_set(spans, module, kept, set) && ws_id_map_put(&spans->sets_at, hash, *set);
}

bool ws_spans_unite(struct ws_spans *spans, uint32_t a, uint32_t b, uint32_t *set)
{
    const uint32_t count_a = spans->sets[a].count;
    const uint32_t count_b = spans->sets[b].count;
    uint32_t *more = more_blocks(spans, count_a + count_b);
    uint32_t kept = 0;
    if (more == NULL)
        return false;
    const uint32_t *left = spans->blocks + spans->sets[a].first;
    const uint32_t *right = spans->blocks + spans->sets[b].first;
    for (uint32_t i = 0, j = 0; i < count_a || j < count_b;) {
        const bool take_left = j == count_b || (i < count_a && left[i] <= right[j]);
        const bool take_right = i == count_a || (j < count_b && right[j] <= left[i]);
        more[kept++] = take_left ? left[i] : right[j];
        i += take_left;
        j += take_right;
    }
    return keep_set(spans, spans->sets[a].module, kept, set);
}

bool ws_spans_invocation(struct ws_spans *spans, uint64_t hash, uint64_t caller, uint32_t *invocation)
{
    if (ws_id_map_get(&spans->invocations_at, hash, invocation)) {
        if (caller != 0)
            spans->invocations[*invocation].caller = caller;
        return true;
    }
    struct ws_span_invocation *more = ws_array_grow(spans->invocations, &spans->invocation_capacity,
                                                    spans->invocation_count + 1, sizeof(*more));
    if (more == NULL)
        return false;
    spans->invocations = more;
    more[spans->invocation_count] = (struct ws_span_invocation){hash, caller};
    *invocation = spans->invocation_count;
    return ws_id_map_put(&spans->invocations_at, hash, spans->invocation_count++);
}

bool ws_spans_scope(struct ws_spans *spans, uint64_t hash, uint32_t shader, uint64_t invocation,
                    uint32_t *scope)
{
    uint32_t number = 0;
    if (ws_id_map_get(&spans->scopes_at, hash, scope))
        return true;
    if (!ws_spans_invocation(spans, invocation, 0, &number))
        return false;
    struct ws_span_scope *scopes =
        ws_array_grow(spans->scopes, &spans->scope_capacity, spans->scope_count + 1, sizeof(*scopes));
    if (scopes == NULL)
        return false;
    spans->scopes = scopes;
    scopes[spans->scope_count] = (struct ws_span_scope){hash, shader, number};
    *scope = spans->scope_count;
    return ws_id_map_put(&spans->scopes_at, hash, spans->scope_count++);
}

static uint64_t hash_steps(const struct ws_spans *spans, const struct ws_span_step *steps, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; ++i) {
        hash = ws_walk_mix(hash, steps[i].scope ^ spans->sets[steps[i].set].hash);
        hash = ws_walk_mix(hash, (uint64_t)steps[i].round << 32 | steps[i].rounds);
    }
    return hash;
}

/* The number of an item. One that did not come just now is kept once more: that costs room, and no figure. False when there is
 * no memory. */
static bool keep_item(struct ws_spans *spans, const struct ws_span_item *item, uint32_t *number)
{
    const uint64_t hash =
        ws_walk_mix((uint64_t)item->scope << 32 | item->set, (uint64_t)item->round << 32 | item->rounds);
    uint32_t *recent = &spans->recent_items[hash & (WS_SPAN_ITEMS_RECENT - WS_SPAN_ITEMS_ALIKE)];
    for (uint32_t i = 0; i < WS_SPAN_ITEMS_ALIKE; ++i)
        if (recent[i] != 0 && memcmp(&spans->items[recent[i] - 1], item, sizeof(*item)) == 0) {
            *number = recent[i] - 1;
            return true;
        }
    struct ws_span_item *items =
        ws_array_grow(spans->items, &spans->item_capacity, spans->item_count + 1, sizeof(*items));
    if (items == NULL)
        return false;
    spans->items = items;
    items[spans->item_count] = *item;
    *number = spans->item_count++;
    recent[*number % WS_SPAN_ITEMS_ALIKE] = *number + 1;
    return true;
}

bool ws_spans_add(struct ws_spans *spans, const struct ws_span_step *steps, uint32_t count, uint32_t *span)
{
    const uint64_t hash = hash_steps(spans, steps, count);
    if (ws_id_map_get(&spans->spans_at, hash, span))
        return true;
    struct ws_span *more =
        ws_array_grow(spans->spans, &spans->span_capacity, spans->span_count + 1, sizeof(*more));
    uint32_t *numbers = ws_array_grow(spans->span_items, &spans->span_item_capacity,
                                      spans->span_item_count + count, sizeof(*numbers));
    if (spans->recent_items == NULL)
        spans->recent_items = calloc(WS_SPAN_ITEMS_RECENT, sizeof(*spans->recent_items));
    spans->spans = more != NULL ? more : spans->spans;
    spans->span_items = numbers != NULL ? numbers : spans->span_items;
    if (more == NULL || numbers == NULL || spans->recent_items == NULL)
        return false;
    more[spans->span_count] = (struct ws_span){hash, spans->span_item_count, count};
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_span_item item = {0, steps[i].set, steps[i].round, steps[i].rounds};
        if (!ws_spans_scope(spans, steps[i].scope, steps[i].shader, (uint64_t)steps[i].shader + 1,
                            &item.scope) ||
            !keep_item(spans, &item, &numbers[spans->span_item_count + i]))
            return false;
    }
    spans->span_item_count += count;
    *span = spans->span_count;
    return ws_id_map_put(&spans->spans_at, hash, spans->span_count++);
}

static bool find_path(struct ws_spans *spans, const uint32_t *path, uint32_t count, uint32_t *number)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; ++i)
        hash = ws_walk_mix(hash, spans->spans[path[i]].hash);
    if (ws_id_map_get(&spans->paths_at, hash, number))
        return true;
    struct ws_span_path *paths =
        ws_array_grow(spans->paths, &spans->path_capacity, spans->path_count + 1, sizeof(*paths));
    uint32_t *path_spans = ws_array_grow(spans->path_spans, &spans->path_span_capacity,
                                         spans->path_span_count + count, sizeof(*path_spans));
    spans->paths = paths != NULL ? paths : spans->paths;
    spans->path_spans = path_spans != NULL ? path_spans : spans->path_spans;
    if (paths == NULL || path_spans == NULL)
        return false;
    paths[spans->path_count] = (struct ws_span_path){hash, spans->path_span_count, count};
    if (count > 0)
        memcpy(path_spans + spans->path_span_count, path, count * sizeof(*path));
    spans->path_span_count += count;
    *number = spans->path_count;
    return ws_id_map_put(&spans->paths_at, hash, spans->path_count++);
}

/* Where the path is remembered if it was asked for just now: lanes of a warp that do the same end one after the other. */
static uint32_t *recent_path(struct ws_spans *spans, const uint32_t *path, uint32_t count)
{
    const uint32_t last = count > 0 ? path[count - 1] : 0;
    return &spans->recent_paths[(last * 31 + count) % WS_SPAN_RECENT];
}

static bool is_path(const struct ws_spans *spans, uint32_t number, const uint32_t *path, uint32_t count)
{
    const struct ws_span_path *known = &spans->paths[number];
    return known->count == count &&
           (count == 0 || memcmp(spans->path_spans + known->first, path, count * sizeof(*path)) == 0);
}

bool ws_spans_path(struct ws_spans *spans, const uint32_t *path, uint32_t count, uint32_t *number)
{
    uint32_t *recent = recent_path(spans, path, count);
    if (*recent != 0 && is_path(spans, *recent - 1, path, count)) {
        *number = *recent - 1;
        return true;
    }
    if (!find_path(spans, path, count, number))
        return false;
    *recent = *number + 1;
    return true;
}

/* The equal sets of `to`. NULL when there is no memory. */
static uint32_t *translate_sets(struct ws_spans *to, const struct ws_spans *from)
{
    uint32_t *sets = malloc(((size_t)from->set_count + 1) * sizeof(*sets));
    for (uint32_t i = 0; sets != NULL && i < from->set_count; ++i) {
        const struct ws_span_set *set = &from->sets[i];
        uint32_t *more = more_blocks(to, set->count);
        if (more != NULL)
            memcpy(more, from->blocks + set->first, set->count * sizeof(*more));
        if (more == NULL || !keep_set(to, set->module, set->count, &sets[i])) {
            free(sets);
            return NULL;
        }
    }
    return sets;
}

/* The equal spans of `to`. NULL when there is no memory. */
static uint32_t *translate_spans(struct ws_spans *to, const struct ws_spans *from)
{
    uint32_t *sets = translate_sets(to, from);
    uint32_t *numbers = malloc(((size_t)from->span_count + 1) * sizeof(*numbers));
    struct ws_span_step steps[WS_SPAN_ITEMS_MAX];
    bool translated = sets != NULL && numbers != NULL;
    for (uint32_t i = 0; i < from->span_count && translated; ++i) {
        const struct ws_span *span = &from->spans[i];
        for (uint32_t j = 0; j < span->count; ++j) {
            const struct ws_span_item *item = ws_span_item(from, span, j);
            const struct ws_span_scope *scope = &from->scopes[item->scope];
            steps[j] =
                (struct ws_span_step){scope->hash, scope->shader, sets[item->set], item->round, item->rounds};
        }
        translated = ws_spans_add(to, steps, span->count, &numbers[i]);
    }
    free(sets);
    if (translated)
        return numbers;
    free(numbers);
    return NULL;
}

/* Adds shader invocations and scopes. False when there is no memory. */
static bool translate_scopes(struct ws_spans *to, const struct ws_spans *from)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < from->invocation_count; ++i)
        if (!ws_spans_invocation(to, from->invocations[i].hash, from->invocations[i].caller, &number))
            return false;
    for (uint32_t i = 0; i < from->scope_count; ++i)
        if (!ws_spans_scope(to, from->scopes[i].hash, from->scopes[i].shader,
                            from->invocations[from->scopes[i].invocation].hash, &number))
            return false;
    return true;
}

uint32_t *ws_spans_translate(struct ws_spans *to, const struct ws_spans *from)
{
    uint32_t *spans = translate_scopes(to, from) ? translate_spans(to, from) : NULL;
    uint32_t *numbers = malloc(((size_t)from->path_count + 1) * sizeof(*numbers));
    uint32_t *path = NULL;
    uint32_t capacity = 0;
    bool translated = spans != NULL && numbers != NULL;
    for (uint32_t i = 0; i < from->path_count && translated; ++i) {
        const struct ws_span_path *old = &from->paths[i];
        uint32_t *more = ws_array_grow(path, &capacity, old->count + 1, sizeof(*path));
        translated = more != NULL;
        path = translated ? more : path;
        for (uint32_t j = 0; j < old->count && translated; ++j)
            path[j] = spans[from->path_spans[old->first + j]];
        translated = translated && ws_spans_path(to, path, old->count, &numbers[i]);
    }
    free(spans);
    free(path);
    if (translated)
        return numbers;
    free(numbers);
    return NULL;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_spans(const void *left, const void *right, void *user)
{
    const struct ws_spans *spans = user;
    const struct ws_span *a = &spans->spans[*(const uint32_t *)left];
    const struct ws_span *b = &spans->spans[*(const uint32_t *)right];
    for (uint32_t i = 0; i < a->count && i < b->count; ++i) {
        const struct ws_span_item *x = ws_span_item(spans, a, i);
        const struct ws_span_item *y = ws_span_item(spans, b, i);
        int order = compare_numbers(spans->scopes[x->scope].hash, spans->scopes[y->scope].hash);
        order = order != 0 ? order : compare_numbers(spans->sets[x->set].hash, spans->sets[y->set].hash);
        order = order != 0 ? order : compare_numbers(x->round, y->round);
        order = order != 0 ? order : compare_numbers(x->rounds, y->rounds);
        if (order != 0)
            return order;
    }
    return compare_numbers(a->count, b->count);
}

/* Ranks of `count` things, by an order. NULL when there is no memory. */
static uint32_t *rank(uint32_t count, int (*compare)(const void *, const void *, void *), void *user)
{
    uint32_t *order = malloc(((size_t)count + 1) * sizeof(*order));
    uint32_t *ranks = malloc(((size_t)count + 1) * sizeof(*ranks));
    if (order != NULL && ranks != NULL) {
        for (uint32_t i = 0; i < count; ++i)
            order[i] = i;
        qsort_r(order, count, sizeof(*order), compare, user);
        for (uint32_t i = 0; i < count; ++i)
            ranks[order[i]] = i;
    } else {
        free(ranks);
        ranks = NULL;
    }
    free(order);
    return ranks;
}

/* Paths whose spans have ranks. */
struct ranked {
    const struct ws_spans *spans;
    const uint32_t *ranks;
};

static int compare_paths(const void *left, const void *right, void *user)
{
    const struct ranked *ranked = user;
    const struct ws_span_path *a = &ranked->spans->paths[*(const uint32_t *)left];
    const struct ws_span_path *b = &ranked->spans->paths[*(const uint32_t *)right];
    for (uint32_t i = 0; i < a->count && i < b->count; ++i) {
        const uint32_t x = ranked->ranks[ranked->spans->path_spans[a->first + i]];
        const uint32_t y = ranked->ranks[ranked->spans->path_spans[b->first + i]];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return compare_numbers(a->count, b->count);
}

uint32_t *ws_spans_rank(const struct ws_spans *spans)
{
    uint32_t *span_ranks = rank(spans->span_count, compare_spans, (void *)spans);
    struct ranked ranked = {spans, span_ranks};
    uint32_t *ranks = span_ranks != NULL ? rank(spans->path_count, compare_paths, &ranked) : NULL;
    free(span_ranks);
    return ranks;
}
