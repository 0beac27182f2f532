#include "analysis/memory/links/link_rates.h"

#include <stdlib.h>

#include "warpscope/base/array.h"
#include "warpscope/passes.h"

void ws_link_rates_finish(struct ws_link_rates *rates)
{
    free(rates->list);
    *rates = (struct ws_link_rates){0};
}

static bool add(struct ws_link_rates *rates, uint32_t element, const struct ws_caches_sums *sums)
{
    if (element >= rates->count) {
        struct ws_caches_sums *list =
            ws_array_grow(rates->list, &rates->capacity, (size_t)element + 1, sizeof(*list));
        if (list == NULL)
            return false;
        rates->list = list;
        while (rates->count <= element)
            list[rates->count++] = (struct ws_caches_sums){0};
    }
    ws_caches_sums_add(&rates->list[element], sums);
    return true;
}

bool ws_link_rates_take(struct ws_link_rates *rates, uint32_t *elements, uint32_t lane_count,
                        const struct ws_caches_sums *request)
{
    for (uint32_t i = 0; i < lane_count; ++i) {
        const uint32_t element = elements[i];
        struct ws_caches_sums sums = *request;
        if (element == WS_NONE)
            continue;
        sums.lanes = 0;
        for (uint32_t j = i; j < lane_count; ++j) {
            if (elements[j] != element)
                continue;
            elements[j] = WS_NONE;
            sums.lanes++;
        }
        sums.bytes = request->bytes / request->lanes * sums.lanes;
        if (!add(rates, element, &sums))
            return false;
    }
    return true;
}

bool ws_link_rates_merge(struct ws_link_rates *rates, struct ws_links *links,
                         const struct ws_link_rates *other, const struct ws_links *other_links)
{
    for (uint32_t i = 0; i < other->count; ++i) {
        const struct ws_link_element *element = &other_links->elements[i];
        uint32_t buffer = 0;
        uint32_t index = 0;
        if (other->list[i].requests == 0)
            continue;
        if (!ws_links_buffer(links, &other_links->buffers[element->buffer], &buffer) ||
            !ws_links_element(links, buffer, element->address, &index) || !add(rates, index, &other->list[i]))
            return false;
    }
    return true;
}

void ws_link_rates_sum(const struct ws_link_rates *rates, const struct ws_links *links, uint32_t element,
                       uint32_t count, struct ws_caches_sums *sums)
{
    const struct ws_link_element first = links->elements[element];
    const uint64_t stride = links->buffers[first.buffer].stride;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t index = 0;
        if (ws_links_find(links, first.buffer, first.address + i * stride, &index) && index < rates->count)
            ws_caches_sums_add(sums, &rates->list[index]);
    }
}
