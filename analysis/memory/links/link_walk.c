/* The way of threads through the elements of buffers (links.h). */
#include <stdlib.h>

#include "analysis/memory/links/links.h"
#include "warpscope/base/array.h"

/* What a thread did last. Elements are indices + 1; 0 = none. */
struct ws_link_thread {
    uint32_t element; /* that it loaded from last */
    uint32_t laid_by; /* the element that it had loaded from when it stored the word that it has read */
    uint32_t next;    /* of a free slot: the next one + 1 */
};

/* A word in memory that is written. */
struct ws_link_word {
    uint32_t thread;  /* that stored it last */
    uint32_t element; /* that this had loaded from + 1; 0 = none */
};

bool ws_link_walk_init(struct ws_link_walk *walk, struct ws_links *links, uint32_t buffer_count)
{
    *walk = (struct ws_link_walk){.links = links, .buffer_count = buffer_count};
    return buffer_count <= WS_LINK_BUFFERS_MAX;
}

void ws_link_walk_finish(struct ws_link_walk *walk)
{
    free(walk->threads);
    free(walk->last);
    free(walk->slots);
    free(walk->words);
    ws_id_map_finish(&walk->stored);
    *walk = (struct ws_link_walk){0};
}

/* A slot that no thread has. False when there is no memory. */
static bool take_slot(struct ws_link_walk *walk, uint32_t *slot)
{
    if (walk->free > 0) {
        *slot = walk->free - 1;
        walk->free = walk->threads[*slot].next;
        return true;
    }
    const uint32_t need = walk->thread_count + 1;
    if (need > UINT32_MAX / (walk->buffer_count + 1))
        return false;
    struct ws_link_thread *threads =
        ws_array_grow(walk->threads, &walk->thread_capacity, need, sizeof(*threads));
    if (threads == NULL)
        return false;
    walk->threads = threads;
    uint32_t *last =
        ws_array_grow(walk->last, &walk->last_capacity, need * (walk->buffer_count + 1), sizeof(*last));
    if (last == NULL)
        return false;
    walk->last = last;
    *slot = walk->thread_count++;
    return true;
}

/* The slot of a thread, which may be a new one. */
static bool find_slot(struct ws_link_walk *walk, uint32_t thread, uint32_t *slot)
{
    const uint32_t known = walk->slot_capacity;
    if (thread == UINT32_MAX)
        return false;
    if (thread >= known) {
        uint32_t *slots = ws_array_grow(walk->slots, &walk->slot_capacity, thread + 1, sizeof(*slots));
        if (slots == NULL)
            return false;
        walk->slots = slots;
        for (uint32_t i = known; i < walk->slot_capacity; ++i)
            slots[i] = 0;
    }
    if (walk->slots[thread] > 0) {
        *slot = walk->slots[thread] - 1;
        return true;
    }
    if (!take_slot(walk, slot))
        return false;
    walk->slots[thread] = *slot + 1;
    walk->threads[*slot] = (struct ws_link_thread){0};
    for (uint32_t i = 0; i < walk->buffer_count; ++i)
        walk->last[*slot * walk->buffer_count + i] = 0;
    return true;
}

void ws_link_walk_end(struct ws_link_walk *walk, uint32_t thread)
{
    if (thread >= walk->slot_capacity || walk->slots[thread] == 0)
        return;
    const uint32_t slot = walk->slots[thread] - 1;
    walk->threads[slot].next = walk->free;
    walk->free = slot + 1;
    walk->slots[thread] = 0;
}

/* The links of a visit: `before` is what the thread visited before of this buffer, + 1. */
static bool add_links(struct ws_link_walk *walk, const struct ws_link_thread *thread, uint32_t before,
                      uint32_t element)
{
    struct ws_links *links = walk->links;
    const struct ws_link_element *to = &links->elements[element];
    if (thread->laid_by > 0)
        return ws_links_add(links, thread->laid_by - 1, element, WS_LINK_STACK, 1);
    if (thread->element > 0 && links->elements[thread->element - 1].buffer != to->buffer &&
        !ws_links_add(links, thread->element - 1, element, WS_LINK_ACROSS, 1))
        return false;
    if (before == 0)
        return true;
    const uint64_t stride = links->buffers[to->buffer].stride;
    const bool is_linear = stride > 0 && to->address == links->elements[before - 1].address + stride;
    return ws_links_add(links, before - 1, element, WS_LINK_CONSECUTIVE, 1) &&
           (!is_linear || ws_links_add(links, before - 1, element, WS_LINK_LINEAR, 1));
}

bool ws_link_walk_load(struct ws_link_walk *walk, uint32_t thread, uint32_t buffer, uint64_t address)
{
    uint32_t slot = 0;
    uint32_t element = 0;
    if (buffer >= walk->buffer_count || !find_slot(walk, thread, &slot) ||
        !ws_links_element(walk->links, buffer, address, &element))
        return false;
    struct ws_link_thread *found = &walk->threads[slot];
    uint32_t *last = &walk->last[slot * walk->buffer_count + buffer];
    if (*last == element + 1 && found->laid_by == 0) {
        found->element = element + 1;
        return true;
    }
    if (!add_links(walk, found, *last, element))
        return false;
    walk->links->elements[element].visits++;
    walk->links->elements[element].first += *last == 0;
    walk->links->buffers[buffer].visits++;
    *last = element + 1;
    found->element = element + 1;
    found->laid_by = 0;
    return true;
}

bool ws_link_walk_store(struct ws_link_walk *walk, uint32_t thread, uint64_t place)
{
    uint32_t slot = 0;
    uint32_t index = 0;
    if (!find_slot(walk, thread, &slot))
        return false;
    if (!ws_id_map_get(&walk->stored, place, &index)) {
        struct ws_link_word *words =
            ws_array_grow(walk->words, &walk->word_capacity, walk->word_count + 1, sizeof(*words));
        if (words == NULL)
            return false;
        walk->words = words;
        if (!ws_id_map_put(&walk->stored, place, walk->word_count))
            return false;
        index = walk->word_count++;
    }
    walk->words[index] = (struct ws_link_word){thread, walk->threads[slot].element};
    return true;
}

bool ws_link_walk_read(struct ws_link_walk *walk, uint32_t thread, uint64_t place)
{
    uint32_t slot = 0;
    uint32_t index = 0;
    if (!ws_id_map_get(&walk->stored, place, &index) || walk->words[index].thread != thread)
        return true;
    if (!find_slot(walk, thread, &slot))
        return false;
    walk->threads[slot].laid_by = walk->words[index].element;
    return true;
}
