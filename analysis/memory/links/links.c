#include "analysis/memory/links/links.h"

#include <stdlib.h>

#include "warpscope/base/array.h"

void ws_links_finish(struct ws_links *links)
{
    free(links->buffers);
    free(links->elements);
    free(links->links);
    ws_id_map_finish(&links->element_ids);
    ws_id_map_finish(&links->link_ids);
    *links = (struct ws_links){0};
}

bool ws_links_buffer(struct ws_links *links, const struct ws_link_buffer *buffer, uint32_t *index)
{
    for (uint32_t i = 0; i < links->buffer_count; ++i) {
        if (links->buffers[i].name == buffer->name && links->buffers[i].descriptor == buffer->descriptor) {
            *index = i;
            return true;
        }
    }
    if (links->buffer_count >= WS_LINK_BUFFERS_MAX)
        return false;
    struct ws_link_buffer *buffers =
        ws_array_grow(links->buffers, &links->buffer_capacity, links->buffer_count + 1, sizeof(*buffers));
    if (buffers == NULL)
        return false;
    links->buffers = buffers;
    *index = links->buffer_count++;
    buffers[*index] = *buffer;
    return true;
}

static uint64_t element_key(uint32_t buffer, uint64_t address)
{
    return (uint64_t)buffer << 48 | (address & 0xffffffffffff);
}

bool ws_links_find(const struct ws_links *links, uint32_t buffer, uint64_t address, uint32_t *index)
{
    return ws_id_map_get(&links->element_ids, element_key(buffer, address), index);
}

bool ws_links_element(struct ws_links *links, uint32_t buffer, uint64_t address, uint32_t *index)
{
    if (ws_links_find(links, buffer, address, index))
        return true;
    struct ws_link_element *elements =
        ws_array_grow(links->elements, &links->element_capacity, links->element_count + 1, sizeof(*elements));
    if (elements == NULL)
        return false;
    links->elements = elements;
    *index = links->element_count;
    if (!ws_id_map_put(&links->element_ids, element_key(buffer, address), *index))
        return false;
    elements[links->element_count++] = (struct ws_link_element){.buffer = buffer, .address = address};
    return true;
}

/* The link between two elements. */
static bool find_link(struct ws_links *links, uint32_t from, uint32_t to, uint32_t *index)
{
    const uint64_t key = (uint64_t)from << 32 | to;
    if (ws_id_map_get(&links->link_ids, key, index))
        return true;
    struct ws_link *list =
        ws_array_grow(links->links, &links->link_capacity, links->link_count + 1, sizeof(*list));
    if (list == NULL)
        return false;
    links->links = list;
    *index = links->link_count;
    if (!ws_id_map_put(&links->link_ids, key, *index))
        return false;
    list[links->link_count++] = (struct ws_link){.from = from, .to = to};
    return true;
}

bool ws_links_add(struct ws_links *links, uint32_t from, uint32_t to, enum ws_link_kind kind, uint64_t weight)
{
    uint32_t index = 0;
    if (!find_link(links, from, to, &index))
        return false;
    links->links[index].weights[kind] += weight;
    return true;
}

/* Adds the elements of `other`: `ids` gets what they are here. */
static bool merge_elements(struct ws_links *links, const struct ws_links *other, uint32_t *ids)
{
    for (uint32_t i = 0; i < other->element_count; ++i) {
        const struct ws_link_element *element = &other->elements[i];
        struct ws_link_buffer buffer = other->buffers[element->buffer];
        uint32_t index = 0;
        buffer.visits = 0;
        if (!ws_links_buffer(links, &buffer, &index) ||
            !ws_links_element(links, index, element->address, &ids[i]))
            return false;
        links->buffers[index].visits += element->visits;
        links->elements[ids[i]].visits += element->visits;
        links->elements[ids[i]].first += element->first;
    }
    return true;
}

bool ws_links_merge(struct ws_links *links, const struct ws_links *other)
{
    uint32_t *ids = calloc((size_t)other->element_count + 1, sizeof(*ids));
    bool merged = ids != NULL && merge_elements(links, other, ids);
    for (uint32_t i = 0; merged && i < other->link_count; ++i) {
        uint32_t index = 0;
        merged = find_link(links, ids[other->links[i].from], ids[other->links[i].to], &index);
        for (uint32_t kind = 0; merged && kind < WS_LINK_KINDS; ++kind)
            links->links[index].weights[kind] += other->links[i].weights[kind];
    }
    free(ids);
    return merged;
}
