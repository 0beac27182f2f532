#include "layer/resources/set_content.h"

#include <stdlib.h>
#include <string.h>

#include "layer/core/chain.h"
#include "warpscope/instrument.h"

#define UNKNOWN_LATER                                                                                        \
    (VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT |   \
     VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT)

static _Atomic uint32_t next_owner;

static int compare_bindings(const void *left, const void *right)
{
    const struct ws_layout_binding *a = left;
    const struct ws_layout_binding *b = right;
    return (a->binding > b->binding) - (a->binding < b->binding);
}

/* Gives each binding its slots. False with too many. */
static bool place_slots(struct ws_set_layout *layout)
{
    uint64_t slots = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        layout->bindings[i].first = (uint32_t)slots;
        slots += layout->bindings[i].count;
        if (slots > WS_SET_SLOTS_MAX)
            return false;
    }
    layout->slot_count = (uint32_t)slots;
    return true;
}

struct ws_set_layout *ws_set_layout_create(const VkDescriptorSetLayoutCreateInfo *info)
{
    const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    struct ws_set_layout *layout =
        calloc(1, sizeof(*layout) + info->bindingCount * sizeof(layout->bindings[0]));
    if (layout == NULL)
        return NULL;
    atomic_init(&layout->references, 1);
    layout->count = info->bindingCount;
    for (uint32_t i = 0; i < info->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *from = &info->pBindings[i];
        const VkDescriptorBindingFlags flag =
            flags != NULL && i < flags->bindingCount ? flags->pBindingFlags[i] : 0;
        layout->bindings[i] = (struct ws_layout_binding){
            .binding = from->binding,
            .type = from->descriptorType,
            .count =
                from->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK && from->descriptorCount > 0
                    ? 1
                    : from->descriptorCount,
            .unsure = (flag & UNKNOWN_LATER) != 0,
        };
        layout->variable =
            layout->variable || (flag & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0;
    }
    qsort(layout->bindings, layout->count, sizeof(layout->bindings[0]), compare_bindings);
    if (place_slots(layout))
        return layout;
    free(layout);
    return NULL;
}

struct ws_set_layout *ws_set_layout_reference(struct ws_set_layout *layout)
{
    if (layout != NULL)
        atomic_fetch_add(&layout->references, 1);
    return layout;
}

void ws_set_layout_release(struct ws_set_layout *layout)
{
    if (layout != NULL && atomic_fetch_sub(&layout->references, 1) == 1)
        free(layout);
}

bool ws_set_layout_equals(const struct ws_set_layout *one, const struct ws_set_layout *other)
{
    if (one == NULL || other == NULL || one->count != other->count || one->variable != other->variable)
        return false;
    for (uint32_t i = 0; i < one->count; i++)
        if (one->bindings[i].binding != other->bindings[i].binding ||
            one->bindings[i].type != other->bindings[i].type ||
            one->bindings[i].count != other->bindings[i].count)
            return false;
    return true;
}

const struct ws_layout_binding *ws_set_layout_find(const struct ws_set_layout *layout, uint32_t binding)
{
    const struct ws_layout_binding key = {.binding = binding};
    return layout != NULL ? bsearch(&key, layout->bindings, layout->count, sizeof(key), compare_bindings)
                          : NULL;
}

bool ws_descriptor_is_dynamic(uint32_t type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

uint32_t ws_set_layout_count_dynamic(const struct ws_set_layout *layout)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < layout->count; i++)
        if (ws_descriptor_is_dynamic(layout->bindings[i].type))
            count += layout->bindings[i].count;
    return count;
}

static uint32_t count_slots(const struct ws_set_layout *layout, uint32_t variable)
{
    if (layout == NULL || layout->count == 0 || !layout->variable)
        return layout != NULL ? layout->slot_count : 0;
    const struct ws_layout_binding *last = &layout->bindings[layout->count - 1];
    return last->first + (variable < last->count ? variable : last->count);
}

struct ws_set *ws_set_create(struct ws_set_layout *layout, uint32_t variable)
{
    struct ws_set *set = calloc(1, sizeof(*set));
    if (set == NULL)
        return NULL;
    atomic_init(&set->references, 1);
    set->layout = ws_set_layout_reference(layout);
    set->owner = atomic_fetch_add(&next_owner, 1);
    set->slot_count = count_slots(layout, variable);
    set->changed_wholly = true; /* it is not in the capture */
    set->slots = layout != NULL ? calloc((size_t)set->slot_count + 1, sizeof(*set->slots)) : NULL;
    return set;
}

struct ws_set *ws_set_copy(const struct ws_set *set)
{
    struct ws_set *copy = ws_set_create(set->layout, UINT32_MAX);
    if (copy == NULL)
        return NULL;
    if (set->slots == NULL || copy->slots == NULL || copy->slot_count != set->slot_count) {
        free(copy->slots);
        copy->slots = NULL;
    } else {
        memcpy(copy->slots, set->slots, set->slot_count * sizeof(*set->slots));
        for (uint32_t i = 0; i < set->change_count; i++)
            copy->slots[set->changes[i]].changed = false;
    }
    return copy;
}

struct ws_set *ws_set_reference(struct ws_set *set)
{
    atomic_fetch_add(&set->references, 1);
    return set;
}

void ws_set_release(struct ws_set *set)
{
    if (set == NULL || atomic_fetch_sub(&set->references, 1) != 1)
        return;
    ws_set_layout_release(set->layout);
    free(set->slots);
    free(set->changes);
    free(set);
}

uint32_t ws_set_slot(const struct ws_set *set, uint32_t binding, uint32_t element)
{
    const struct ws_layout_binding *at = set->slots != NULL ? ws_set_layout_find(set->layout, binding) : NULL;
    if (at == NULL)
        return WS_NONE;
    const uint64_t index = (uint64_t)at->first + element;
    return index < set->slot_count ? (uint32_t)index : WS_NONE;
}

/* A set of which half has changed is written as a whole: that is not much more. */
static void note_change(struct ws_set *set, uint32_t index)
{
    if (set->changed_wholly || set->slots[index].changed)
        return;
    if (set->change_count >= set->slot_count / 2) {
        set->changed_wholly = true;
        return;
    }
    if (set->change_count == set->change_capacity) {
        const uint32_t capacity = set->change_capacity > 0 ? 2 * set->change_capacity : 8;
        uint32_t *changes = realloc(set->changes, capacity * sizeof(*changes));
        set->changed_wholly = changes == NULL;
        if (changes == NULL)
            return;
        set->changes = changes;
        set->change_capacity = capacity;
    }
    set->changes[set->change_count++] = index;
    set->slots[index].changed = true;
}

void ws_set_put(struct ws_set *set, uint32_t index, const struct ws_slot *slot)
{
    if (set->slots == NULL || index >= set->slot_count)
        return;
    note_change(set, index);
    const bool changed = set->slots[index].changed;
    /* A change cannot say that a descriptor is gone, which copies of what was never written may do. */
    set->changed_wholly = set->changed_wholly || (set->slots[index].written && !slot->written);
    set->slots[index] = *slot;
    set->slots[index].changed = changed;
    set->version++;
}

void ws_set_forget_changes(struct ws_set *set)
{
    for (uint32_t i = 0; i < set->change_count && set->slots != NULL; i++)
        set->slots[set->changes[i]].changed = false;
    set->change_count = 0;
}
