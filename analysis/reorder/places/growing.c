#include "analysis/reorder/places/growing.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

_Static_assert(sizeof(struct ws_growth) == 8 + 6 * 4 + 24, "a growth has no padding");

void ws_growing_finish(struct ws_growing *growing)
{
    ws_id_map_finish(&growing->at);
    free(growing->lists);
    free(growing->elements);
    free(growing->blocks);
    memset(growing, 0, sizeof(*growing));
}

static bool is_equal(const struct ws_span_step *a, const struct ws_span_step *b)
{
    return a->scope == b->scope && a->shader == b->shader && a->set == b->set && a->round == b->round &&
           a->rounds == b->rounds;
}

static uint64_t hash_list(uint32_t before, const struct ws_span_step *element)
{
    uint64_t hash = ws_walk_mix(before, element->scope);
    hash = ws_walk_mix(hash, (uint64_t)element->shader << 32 | element->set);
    return ws_walk_mix(hash, (uint64_t)element->round << 32 | element->rounds);
}

/* The list with one more element. False when there is no memory. */
static bool add(struct ws_growing *growing, uint32_t before, const struct ws_span_step *element,
                uint32_t *list)
{
    if (growing->count > 0) {
        const uint32_t recent = growing->lists[before].recent;
        if (recent != 0 && is_equal(&growing->lists[recent].element, element)) {
            *list = recent;
            return true;
        }
    }
    const uint64_t hash = hash_list(before, element);
    if (!ws_id_map_get(&growing->at, hash, list)) {
        struct ws_growing_list *lists =
            ws_array_grow(growing->lists, &growing->capacity, growing->count + 2, sizeof(*lists));
        if (lists == NULL)
            return false;
        growing->lists = lists;
        if (growing->count == 0)
            lists[growing->count++] = (struct ws_growing_list){.result = WS_NONE};
        *list = growing->count;
        lists[growing->count] =
            (struct ws_growing_list){*element, before, lists[before].count + 1, WS_NONE, 0};
        if (!ws_id_map_put(&growing->at, hash, growing->count++))
            return false;
    }
    growing->lists[before].recent = *list;
    return true;
}

/* The elements of a list, in their order; NULL when there is no memory. */
static const struct ws_span_step *elements_of(struct ws_growing *growing, uint32_t list)
{
    const uint32_t count = growing->lists[list].count;
    struct ws_span_step *elements =
        ws_array_grow(growing->elements, &growing->element_capacity, count, sizeof(*elements));
    if (elements == NULL)
        return NULL;
    growing->elements = elements;
    for (uint32_t i = count; i-- > 0; list = growing->lists[list].before)
        elements[i] = growing->lists[list].element;
    return elements;
}

/* The set of a list of blocks. False when there is no memory. */
static bool find_set(struct ws_growing *growing, uint32_t list, uint32_t *set)
{
    const uint32_t count = growing->lists[list].count;
    *set = growing->lists[list].result;
    if (*set != WS_NONE)
        return true;
    const struct ws_span_step *elements = elements_of(growing, list);
    uint32_t *blocks = ws_array_grow(growing->blocks, &growing->block_capacity, count, sizeof(*blocks));
    growing->blocks = blocks != NULL ? blocks : growing->blocks;
    if (elements == NULL || blocks == NULL)
        return false;
    const uint32_t module = elements[0].shader;
    uint64_t hash = module;
    for (uint32_t i = 0; i < count; ++i) {
        blocks[i] = elements[i].set;
        hash = ws_walk_mix(hash, (uint64_t)blocks[i] + 1);
    }
    return ws_spans_set(growing->spans, module, hash, blocks, count, set) &&
           (growing->lists[list].result = *set, true);
}

bool ws_growth_end_item(struct ws_growing *growing, struct ws_growth *growth)
{
    struct ws_span_step *last = &growth->last;
    uint32_t set = 0;
    if (growth->blocks == 0)
        return true;
    if (growth->last_blocks == growth->blocks && last->scope == growth->scope &&
        last->round + last->rounds == growth->round) {
        last->rounds++;
        growth->blocks = 0;
        return true;
    }
    if (!find_set(growing, growth->blocks, &set) ||
        (growth->last_blocks != 0 && !add(growing, growth->items, last, &growth->items)))
        return false;
    *last = (struct ws_span_step){growth->scope, growth->shader, set, growth->round, 1};
    growth->last_blocks = growth->blocks;
    growth->item_count++;
    growth->blocks = 0;
    return true;
}

bool ws_growth_add(struct ws_growing *growing, struct ws_growth *growth, uint32_t block)
{
    const uint32_t module = growing->spans->catalog->shaders[growth->shader].module;
    return add(growing, growth->blocks, &(struct ws_span_step){.shader = module, .set = block},
               &growth->blocks);
}

bool ws_growth_end(struct ws_growing *growing, struct ws_growth *growth, uint32_t *span)
{
    uint32_t list = 0;
    *span = WS_NONE;
    if (!ws_growth_end_item(growing, growth))
        return false;
    if (growth->last_blocks == 0)
        return true;
    if (!add(growing, growth->items, &growth->last, &list))
        return false;
    if (growing->lists[list].result == WS_NONE) {
        const struct ws_span_step *elements = elements_of(growing, list);
        if (elements == NULL ||
            !ws_spans_add(growing->spans, elements, growing->lists[list].count, &growing->lists[list].result))
            return false;
    }
    *span = growing->lists[list].result;
    memset(growth, 0, sizeof(*growth));
    return true;
}

void ws_growth_mark(const struct ws_growth *growth, uint32_t *numbers)
{
    numbers[growth->blocks] = 1;
    numbers[growth->items] = 1;
    numbers[growth->last_blocks] = 1;
}

bool ws_growing_forget(struct ws_growing *growing, uint32_t *numbers)
{
    struct ws_id_map at = {0};
    uint32_t kept = 1;
    bool made = true;
    for (uint32_t i = growing->count; i-- > 1;)
        if (numbers[i] != 0)
            numbers[growing->lists[i].before] = 1;
    numbers[0] = 0;
    for (uint32_t i = 1; i < growing->count && made; ++i)
        if (numbers[i] != 0) {
            const struct ws_growing_list *list = &growing->lists[i];
            numbers[i] = kept++;
            made = ws_id_map_put(&at, hash_list(numbers[list->before], &list->element), numbers[i]);
        }
    if (!made) {
        ws_id_map_finish(&at);
        return false;
    }
    for (uint32_t i = 0; i < growing->count; ++i)
        if (numbers[i] != 0 || i == 0) {
            struct ws_growing_list *list = &growing->lists[numbers[i]];
            *list = growing->lists[i];
            list->before = numbers[list->before];
            list->recent = 0;
        }
    growing->count = kept;
    growing->most = 2 * kept > WS_GROWING_MAX ? 2 * kept : WS_GROWING_MAX;
    ws_id_map_finish(&growing->at);
    growing->at = at;
    return true;
}

void ws_growth_renumber(struct ws_growth *growth, const uint32_t *numbers)
{
    growth->blocks = numbers[growth->blocks];
    growth->items = numbers[growth->items];
    growth->last_blocks = numbers[growth->last_blocks];
}
