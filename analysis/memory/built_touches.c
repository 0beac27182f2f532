#include "analysis/memory/built_touches.h"

#include <stdlib.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

void ws_built_touches_finish(struct ws_built_touches *touches)
{
    ws_built_ranges_finish(&touches->ranges);
    free(touches->list);
    *touches = (struct ws_built_touches){.list = NULL};
}

bool ws_built_touches_begin(struct ws_built_touches *touches, const struct ws_catalog *catalog,
                            uint64_t launch)
{
    touches->count = 0;
    if (!touches->has_ranges)
        touches->has_ranges = ws_built_ranges_init(&touches->ranges, catalog, launch);
    return touches->has_ranges;
}

static bool add_touch(struct ws_built_touches *touches, uint32_t part, uint32_t number, uint32_t size)
{
    struct ws_built_touch *list =
        ws_array_grow(touches->list, &touches->capacity, touches->count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    touches->list = list;
    list[touches->count++] = (struct ws_built_touch){part, number, 1, size};
    return true;
}

/* Adds elements of `step` bytes each. Of more than 2^32 - 2 in an array the last are none. */
static bool add_elements(struct ws_built_touches *touches, const struct ws_built_range *range, uint64_t step,
                         uint32_t part, uint64_t byte, uint32_t size)
{
    uint64_t first = 0;
    uint64_t last = 0;
    ws_built_elements(range, step, byte, size, &first, &last);
    bool added = ws_budget_spend(last - first);
    for (uint64_t i = first; added && i <= last && i < WS_NONE; ++i)
        added = add_touch(touches, range->array * WS_BUILT_PARTS + part, (uint32_t)i, size);
    return added;
}

bool ws_built_touches_add(struct ws_built_touches *touches, const struct ws_catalog *catalog,
                          const struct ws_home *home, uint32_t size)
{
    const struct ws_built_range *range = NULL;
    uint32_t at = WS_NONE;
    bool added = true;
    if (home->bound.memory == WS_BOUND_UNKNOWN || home->byte > UINT64_MAX - size || size == 0)
        return true;
    while (added && (range = ws_built_ranges_next(&touches->ranges, home->bound.memory, home->byte, size,
                                                  &at)) != NULL) {
        const struct ws_built_array *array = ws_built_array(catalog, range->array);
        const bool has_vertices = array->kind == WS_BUILT_VERTICES || array->kind == WS_BUILT_CORNERS;
        const uint64_t face = array->kind == WS_BUILT_CORNERS ? 3 * array->step : array->step;
        if (range->array >= WS_NONE / WS_BUILT_PARTS)
            continue;
        added =
            add_touch(touches, range->array * WS_BUILT_PARTS + WS_BUILT_WHOLE, 0, size) &&
            (!has_vertices || add_elements(touches, range, array->step, WS_BUILT_VERTEX, home->byte, size)) &&
            (array->kind == WS_BUILT_VERTICES ||
             add_elements(touches, range, face, WS_BUILT_FACE, home->byte, size));
    }
    return added;
}

static int compare(const void *left, const void *right)
{
    const struct ws_built_touch *a = left;
    const struct ws_built_touch *b = right;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

void ws_built_touches_end(struct ws_built_touches *touches)
{
    uint32_t count = 0;
    if (touches->count > 1)
        qsort(touches->list, touches->count, sizeof(*touches->list), compare);
    for (uint32_t i = 0; i < touches->count; ++i) {
        const struct ws_built_touch touch = touches->list[i];
        if (count > 0 && compare(&touches->list[count - 1], &touch) == 0) {
            touches->list[count - 1].lanes++;
            touches->list[count - 1].bytes += touch.bytes;
        } else {
            touches->list[count++] = touch;
        }
    }
    touches->count = count;
}

/* ---- sums ---- */

void ws_built_sums_finish(struct ws_built_sums *sums)
{
    for (int i = 0; i < WS_BUILT_PARTS; ++i)
        ws_id_map_finish(&sums->ids[i]);
    free(sums->list);
    *sums = (struct ws_built_sums){.list = NULL};
}

bool ws_built_sums_add(struct ws_built_sums *sums, uint32_t part, uint32_t number,
                       const struct ws_caches_sums *added)
{
    struct ws_id_map *ids = &sums->ids[part % WS_BUILT_PARTS];
    const uint64_t key = (uint64_t)(part / WS_BUILT_PARTS) << 32 | number;
    uint32_t index = 0;
    if (!ws_id_map_get(ids, key, &index)) {
        struct ws_caches_sums *list =
            ws_array_grow(sums->list, &sums->capacity, sums->count + 1, sizeof(*list));
        if (list == NULL)
            return false;
        sums->list = list;
        index = sums->count++;
        list[index] = (struct ws_caches_sums){.requests = 0};
        if (!ws_id_map_put(ids, key, index))
            return false;
    }
    ws_caches_sums_add(&sums->list[index], added);
    return true;
}

const struct ws_caches_sums *ws_built_sums_find(const struct ws_built_sums *sums, uint32_t array,
                                                uint32_t number, bool is_face)
{
    const struct ws_id_map *ids = &sums->ids[is_face ? WS_BUILT_FACE : WS_BUILT_VERTEX];
    uint32_t index = 0;
    return ws_id_map_get(ids, (uint64_t)array << 32 | number, &index) ? &sums->list[index] : NULL;
}
