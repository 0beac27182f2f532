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

/* Whether a binding has immutable samplers: `pImmutableSamplers` means nothing for other types. */
static uint32_t count_immutable(const VkDescriptorSetLayoutBinding *binding)
{
    const bool samples = binding->descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
                         binding->descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    return samples && binding->pImmutableSamplers != NULL ? binding->descriptorCount : 0;
}

static uint64_t count_all_immutable(const VkDescriptorSetLayoutCreateInfo *info)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < info->bindingCount; i++)
        count += count_immutable(&info->pBindings[i]);
    return count;
}

/* Takes the immutable samplers of a binding. */
static void take_samplers(struct ws_set_layout *layout, struct ws_layout_binding *binding,
                          const VkDescriptorSetLayoutBinding *from, ws_set_find_sampler *find,
                          struct ws_device *device)
{
    const uint32_t count = count_immutable(from);
    binding->immutable = count > 0 ? layout->sampler_count : WS_NONE;
    for (uint32_t i = 0; i < count; i++)
        layout->samplers[layout->sampler_count++] = find(device, from->pImmutableSamplers[i]);
}

struct ws_set_layout *ws_set_layout_create(const VkDescriptorSetLayoutCreateInfo *info,
                                           ws_set_find_sampler *find, struct ws_device *device)
{
    const uint64_t samplers = count_all_immutable(info);
    const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    struct ws_set_layout *layout =
        samplers <= WS_SET_SLOTS_MAX
            ? calloc(1, sizeof(*layout) + info->bindingCount * sizeof(layout->bindings[0]) +
                            samplers * sizeof(*layout->samplers))
            : NULL;
    if (layout == NULL)
        return NULL;
    atomic_init(&layout->references, 1);
    layout->count = info->bindingCount;
    layout->samplers = (struct ws_sampler_words *)(void *)&layout->bindings[info->bindingCount];
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
        take_samplers(layout, &layout->bindings[i], from, find, device);
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

/* Whether binding `index` of two layouts, of one type and count, has the same immutable samplers, or none. */
static bool have_equal_samplers(const struct ws_set_layout *one, const struct ws_set_layout *other,
                                uint32_t index)
{
    const struct ws_layout_binding *left = &one->bindings[index];
    const struct ws_layout_binding *right = &other->bindings[index];
    if (left->immutable == WS_NONE || right->immutable == WS_NONE)
        return left->immutable == right->immutable;
    return memcmp(&one->samplers[left->immutable], &other->samplers[right->immutable],
                  left->count * sizeof(*one->samplers)) == 0;
}

bool ws_set_layout_equals(const struct ws_set_layout *one, const struct ws_set_layout *other)
{
    if (one == NULL || other == NULL || one->count != other->count || one->variable != other->variable)
        return false;
    for (uint32_t i = 0; i < one->count; i++)
        if (one->bindings[i].binding != other->bindings[i].binding ||
            one->bindings[i].type != other->bindings[i].type ||
            one->bindings[i].count != other->bindings[i].count || !have_equal_samplers(one, other, i))
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

/* Gives slots of a binding its immutable samplers. Samplers alone need no write. */
static void put_immutable(struct ws_set *set, const struct ws_layout_binding *binding, uint32_t first,
                          uint32_t end)
{
    for (uint32_t i = first; i < end && i < binding->first + binding->count; i++) {
        const struct ws_sampler_words words =
            set->layout->samplers[binding->immutable + (i - binding->first)];
        set->slots[i].offset = words.offset;
        set->slots[i].range = words.range;
        if (binding->type != VK_DESCRIPTOR_TYPE_SAMPLER)
            continue;
        set->slots[i].type = binding->type;
        set->slots[i].resource = WS_NONE;
        set->slots[i].written = true;
    }
}

/* The same for `count` slots from `first` on, of all bindings. */
static void put_all_immutable(struct ws_set *set, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < set->layout->count; i++) {
        const struct ws_layout_binding *binding = &set->layout->bindings[i];
        const uint32_t begin = binding->first > first ? binding->first : first;
        if (binding->immutable != WS_NONE)
            put_immutable(set, binding, begin, first + count);
    }
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
    if (set->slots != NULL && layout->sampler_count > 0)
        put_all_immutable(set, 0, set->slot_count);
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
    if (set->layout->sampler_count > 0)
        put_all_immutable(set, index, 1);
    set->version++;
}

void ws_set_forget_changes(struct ws_set *set)
{
    for (uint32_t i = 0; i < set->change_count && set->slots != NULL; i++)
        set->slots[set->changes[i]].changed = false;
    set->change_count = 0;
}
