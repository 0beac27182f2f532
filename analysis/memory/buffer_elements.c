#include "analysis/memory/buffer_elements.h"

#include <stdlib.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

uint64_t ws_buffer_element_base(const struct ws_stretch_access *access, const uint32_t *words)
{
    if (access->memory != WS_MEMORY_ADDRESS || access->base == WS_NONE)
        return 0;
    return words[access->base] | (uint64_t)words[access->base + 1] << 32;
}

void ws_buffer_element_take(struct ws_buffer_element *element, const struct ws_stretch_access *access)
{
    uint64_t stride = 0;
    for (uint32_t i = 0; i < access->term_count; ++i)
        stride = access->terms[i].scale > stride ? access->terms[i].scale : stride;
    if (stride > element->stride || (stride == element->stride && access->offset < element->begin)) {
        element->stride = stride;
        element->begin = access->offset;
    }
}

static struct ws_buffer_element *element_of(struct ws_buffer_elements *elements, const char *name)
{
    const uint64_t key = (uint64_t)(uintptr_t)name + 1;
    uint32_t index = 0;
    if (ws_id_map_get(&elements->ids, key, &index))
        return &elements->list[index];
    struct ws_buffer_element *list =
        ws_array_grow(elements->list, &elements->capacity, elements->count + 1, sizeof(*list));
    if (list == NULL)
        return NULL;
    elements->list = list;
    if (!ws_id_map_put(&elements->ids, key, elements->count))
        return NULL;
    list[elements->count] = (struct ws_buffer_element){0};
    return &list[elements->count++];
}

bool ws_buffer_elements_take(struct ws_buffer_elements *elements, const struct ws_catalog *catalog)
{
    for (uint32_t i = 0; i < catalog->module_count; ++i) {
        const struct ws_module_traces *traces = catalog->modules[i].traces;
        if (traces != NULL)
            ws_budget_spend(traces->access_count);
        for (uint32_t j = 0; traces != NULL && j < traces->access_count; ++j) {
            struct ws_buffer_element *element = element_of(elements, traces->accesses[j].memory);
            if (element == NULL)
                return false;
            ws_buffer_element_take(element, &traces->accesses[j].access);
        }
    }
    return true;
}

void ws_buffer_elements_finish(struct ws_buffer_elements *elements)
{
    ws_id_map_finish(&elements->ids);
    free(elements->list);
    *elements = (struct ws_buffer_elements){0};
}

uint32_t ws_buffer_elements_find(const struct ws_buffer_elements *elements, const char *name,
                                 uint64_t address)
{
    uint32_t index = 0;
    if (name == NULL || !ws_id_map_get(&elements->ids, (uint64_t)(uintptr_t)name + 1, &index))
        return WS_NONE;
    const struct ws_buffer_element *element = &elements->list[index];
    if (element->stride == 0 || address < element->begin)
        return WS_NONE;
    const uint64_t found = (address - element->begin) / element->stride;
    return found < WS_NONE ? (uint32_t)found : WS_NONE;
}
