/* Descriptor set layouts, pools, sets and update templates, and pipeline layouts. */
#include "layer/resources/descriptor_set.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/process/lock.h"
#include "layer/resources/resource.h"
#include "layer/resources/sampler.h"

/* A set that the application allocated. */
struct allocated {
    VkDescriptorSet handle;
    struct pool *pool;
    struct allocated *previous, *following; /* in the pool */
    struct ws_set *set;
};

struct pool {
    struct allocated *sets;
};

struct template
{
    VkPipelineBindPoint point;
    uint32_t count;
    VkDescriptorUpdateTemplateEntry entries[];
};

struct ws_pipeline_layout {
    _Atomic uint32_t references;
    uint64_t constants; /* a hash of its push constants, and of whether its sets are independent */
    uint32_t count;
    struct ws_set_layout *sets[]; /* referenced; NULL = none, or not known */
};

/* ---- what is written ---- */

static uint32_t view_of(struct ws_device *device, VkImageView view)
{
    return ws_resource_find(device, WS_RESOURCE_IMAGE_VIEW, WS_HANDLE(view));
}

static void put_sampler(struct ws_device *device, VkSampler sampler, struct ws_slot *slot)
{
    const struct ws_sampler_words words = ws_sampler_find(device, sampler);
    slot->offset = words.offset;
    slot->range = words.range;
}

/* What `info` says a descriptor of that type is: a struct or a handle, by the type. */
static struct ws_slot slot_of(struct ws_device *device, VkDescriptorType type, const char *info)
{
    struct ws_slot slot = {.type = type, .resource = WS_NONE, .written = true};
    VkDescriptorImageInfo image;
    VkDescriptorBufferInfo buffer;
    VkBufferView view;
    VkAccelerationStructureKHR structure;
    switch ((int)type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
        memcpy(&image, info, sizeof(image));
        put_sampler(device, image.sampler, &slot);
        break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        memcpy(&image, info, sizeof(image));
        if (type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER)
            put_sampler(device, image.sampler, &slot);
        slot.resource = view_of(device, image.imageView);
        slot.handle = WS_HANDLE(image.imageView);
        slot.layout = image.imageLayout;
        break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        memcpy(&buffer, info, sizeof(buffer));
        slot.resource = ws_resource_find(device, WS_RESOURCE_BUFFER, WS_HANDLE(buffer.buffer));
        slot.offset = buffer.offset;
        slot.range = buffer.range;
        break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        memcpy(&view, info, sizeof(view));
        slot.resource = ws_resource_find(device, WS_RESOURCE_BUFFER_VIEW, WS_HANDLE(view));
        break;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
        memcpy(&structure, info, sizeof(structure));
        slot.handle = WS_HANDLE(structure);
        break;
    default: break; /* what is not known */
    }
    return slot;
}

/* A run of descriptors; `infos` has one every `stride` bytes. NULL = nothing is known of them. */
static void put_run(struct ws_device *device, struct ws_set *set, uint32_t binding, uint32_t element,
                    uint32_t count, VkDescriptorType type, const char *infos, size_t stride)
{
    const uint32_t first = ws_set_slot(set, binding, element);
    if (first == WS_NONE)
        return;
    for (uint32_t i = 0; i < count && i < set->slot_count - first; i++) {
        const struct ws_slot unknown = {.type = type, .resource = WS_NONE, .written = true};
        const struct ws_slot slot = infos != NULL ? slot_of(device, type, infos + i * stride) : unknown;
        ws_set_put(set, first + i, &slot);
    }
}

/* Of an inline uniform block elements are bytes: it is there once something in it was written. */
static void put_block(struct ws_set *set, uint32_t binding, uint32_t end)
{
    const uint32_t index = ws_set_slot(set, binding, 0);
    if (index == WS_NONE)
        return;
    struct ws_slot slot = {
        .type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, .resource = WS_NONE, .written = true, .range = end};
    if (set->slots[index].type == slot.type && set->slots[index].range > slot.range)
        slot.range = set->slots[index].range;
    ws_set_put(set, index, &slot);
}

/* Where the structs or handles of a write are, and how many bytes each has; NULL where nothing is known of the type. */
static const char *infos_of(const VkWriteDescriptorSet *write, size_t *stride)
{
    const VkWriteDescriptorSetAccelerationStructureKHR *structures = NULL;
    switch ((int)write->descriptorType) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        *stride = sizeof(VkDescriptorBufferInfo);
        return (const char *)write->pBufferInfo;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        *stride = sizeof(VkBufferView);
        return (const char *)write->pTexelBufferView;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
        structures =
            ws_chain_find(write->pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
        *stride = sizeof(VkAccelerationStructureKHR);
        return structures != NULL && structures->accelerationStructureCount >= write->descriptorCount
                   ? (const char *)structures->pAccelerationStructures
                   : NULL;
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        *stride = sizeof(VkDescriptorImageInfo);
        return (const char *)write->pImageInfo;
    default: *stride = 0; return NULL;
    }
}

void ws_set_write(struct ws_device *device, struct ws_set *set, const VkWriteDescriptorSet *write)
{
    size_t stride;
    if (write->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        put_block(set, write->dstBinding, write->dstArrayElement + write->descriptorCount);
        return;
    }
    const char *infos = infos_of(write, &stride);
    put_run(device, set, write->dstBinding, write->dstArrayElement, write->descriptorCount,
            write->descriptorType, infos, stride);
}

void ws_set_write_by(struct ws_device *device, struct ws_set *set, VkDescriptorUpdateTemplate handle,
                     const void *data)
{
    const struct template *template = ws_objects_find(device, WS_OBJECT_UPDATE_TEMPLATE, WS_HANDLE(handle));
    if (template == NULL) {
        free(set->slots); /* what it holds is not known any more */
        set->slots = NULL;
        set->version++;
    }
    for (uint32_t i = 0; template != NULL && i < template->count; i++) {
        const VkDescriptorUpdateTemplateEntry *entry = &template->entries[i];
        if (entry->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
            put_block(set, entry->dstBinding, entry->dstArrayElement + entry->descriptorCount);
        else
            put_run(device, set, entry->dstBinding, entry->dstArrayElement, entry->descriptorCount,
                    entry->descriptorType, (const char *)data + entry->offset, entry->stride);
    }
}

VkPipelineBindPoint ws_update_template_point(struct ws_device *device, VkDescriptorUpdateTemplate handle)
{
    const struct template *template = ws_objects_find(device, WS_OBJECT_UPDATE_TEMPLATE, WS_HANDLE(handle));
    return template != NULL ? template->point : VK_PIPELINE_BIND_POINT_MAX_ENUM;
}

/* ---- what is found ---- */

static struct allocated *find(struct ws_device *device, VkDescriptorSet handle)
{
    return ws_objects_find(device, WS_OBJECT_DESCRIPTOR_SET, WS_HANDLE(handle));
}

struct ws_set *ws_descriptor_set_hold(struct ws_device *device, VkDescriptorSet handle)
{
    if (handle == VK_NULL_HANDLE)
        return NULL;
    ws_lock(&device->image_lock);
    const struct allocated *found = find(device, handle);
    struct ws_set *set = found != NULL ? ws_set_reference(found->set) : NULL;
    ws_unlock(&device->image_lock);
    return set;
}

bool ws_set_find_image(struct ws_device *device, const struct ws_set *set, uint32_t binding,
                       struct ws_image_descriptor *descriptor, const char **reason)
{
    ws_lock(&device->image_lock);
    const struct ws_layout_binding *at = ws_set_layout_find(set->layout, binding);
    const bool unsure = at != NULL && at->unsure;
    const uint32_t index = set->freed || unsure ? WS_NONE : ws_set_slot(set, binding, 0);
    const bool found = index != WS_NONE && set->slots[index].type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE &&
                       set->slots[index].written;
    if (found)
        *descriptor = (struct ws_image_descriptor){(VkImageView)set->slots[index].handle,
                                                   (VkImageLayout)set->slots[index].layout};
    *reason = unsure ? "its descriptor may be updated after it is bound, or need not be valid" : NULL;
    ws_unlock(&device->image_lock);
    return found;
}

/* ---- layouts ---- */

/* Maps a new handle to what is kept of it; without memory nothing is. */
static void keep(struct ws_device *device, enum ws_object_kind kind, uint64_t handle, void *value)
{
    free(ws_objects_remove(device, kind, handle));
    if (value != NULL && !ws_objects_add(device, kind, handle, value))
        free(value);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_set_layout(VkDevice handle,
                                                        const VkDescriptorSetLayoutCreateInfo *info,
                                                        const VkAllocationCallbacks *allocator,
                                                        VkDescriptorSetLayout *layout)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateDescriptorSetLayout(handle, info, allocator, layout);
    if (result != VK_SUCCESS)
        return result;
    ws_set_layout_release(ws_objects_remove(device, WS_OBJECT_SET_LAYOUT, WS_HANDLE(*layout)));
    struct ws_set_layout *made = ws_set_layout_create(info, ws_sampler_find, device);
    if (made != NULL && !ws_objects_add(device, WS_OBJECT_SET_LAYOUT, WS_HANDLE(*layout), made))
        ws_set_layout_release(made);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_set_layout(VkDevice handle, VkDescriptorSetLayout layout,
                                                     const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    ws_set_layout_release(ws_objects_remove(device, WS_OBJECT_SET_LAYOUT, WS_HANDLE(layout)));
    device->next.DestroyDescriptorSetLayout(handle, layout, allocator);
}

static struct ws_set_layout *hold_layout(struct ws_device *device, VkDescriptorSetLayout handle)
{
    return ws_set_layout_reference(ws_objects_find(device, WS_OBJECT_SET_LAYOUT, WS_HANDLE(handle)));
}

void ws_pipeline_layout_release(struct ws_pipeline_layout *layout)
{
    if (layout == NULL || atomic_fetch_sub(&layout->references, 1) != 1)
        return;
    for (uint32_t i = 0; i < layout->count; i++)
        ws_set_layout_release(layout->sets[i]);
    free(layout);
}

/* A sum over the ranges: their order means nothing. */
static uint64_t hash_constants(const VkPipelineLayoutCreateInfo *info)
{
    uint64_t sum = info->flags;
    for (uint32_t i = 0; i < info->pushConstantRangeCount; i++)
        sum += XXH3_64bits(&info->pPushConstantRanges[i], sizeof(info->pPushConstantRanges[i]));
    return sum;
}

static struct ws_pipeline_layout *make_pipeline_layout(struct ws_device *device,
                                                       const VkPipelineLayoutCreateInfo *info)
{
    struct ws_pipeline_layout *layout =
        calloc(1, sizeof(*layout) + info->setLayoutCount * sizeof(layout->sets[0]));
    if (layout == NULL)
        return NULL;
    atomic_init(&layout->references, 1);
    layout->constants = hash_constants(info);
    layout->count = info->setLayoutCount;
    for (uint32_t i = 0; i < info->setLayoutCount; i++)
        layout->sets[i] = hold_layout(device, info->pSetLayouts[i]);
    return layout;
}

struct ws_pipeline_layout *ws_pipeline_layout_find(struct ws_device *device, VkPipelineLayout handle)
{
    struct ws_pipeline_layout *layout = ws_objects_find(device, WS_OBJECT_PIPELINE_LAYOUT, WS_HANDLE(handle));
    if (layout != NULL)
        atomic_fetch_add(&layout->references, 1);
    return layout;
}

bool ws_pipeline_layouts_agree(const struct ws_pipeline_layout *one, const struct ws_pipeline_layout *other,
                               uint32_t set)
{
    if (one == other || one == NULL || other == NULL)
        return true;
    if (one->constants != other->constants)
        return false;
    for (uint32_t i = 0; i <= set && i < one->count && i < other->count; i++)
        if (one->sets[i] != NULL && other->sets[i] != NULL && one->sets[i] != other->sets[i] &&
            !ws_set_layout_equals(one->sets[i], other->sets[i]))
            return false;
    return true;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipeline_layout(VkDevice handle,
                                                             const VkPipelineLayoutCreateInfo *info,
                                                             const VkAllocationCallbacks *allocator,
                                                             VkPipelineLayout *made)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreatePipelineLayout(handle, info, allocator, made);
    if (result != VK_SUCCESS)
        return result;
    ws_pipeline_layout_release(ws_objects_remove(device, WS_OBJECT_PIPELINE_LAYOUT, WS_HANDLE(*made)));
    struct ws_pipeline_layout *layout = make_pipeline_layout(device, info);
    if (layout != NULL && !ws_objects_add(device, WS_OBJECT_PIPELINE_LAYOUT, WS_HANDLE(*made), layout))
        ws_pipeline_layout_release(layout);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pipeline_layout(VkDevice handle, VkPipelineLayout layout,
                                                          const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    ws_pipeline_layout_release(ws_objects_remove(device, WS_OBJECT_PIPELINE_LAYOUT, WS_HANDLE(layout)));
    device->next.DestroyPipelineLayout(handle, layout, allocator);
}

struct ws_set_layout *ws_pipeline_layout_hold(struct ws_device *device, VkPipelineLayout handle,
                                              const void *next, uint32_t number)
{
    const VkPipelineLayoutCreateInfo *info =
        ws_chain_find(next, VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    if (handle == VK_NULL_HANDLE && info != NULL)
        return number < info->setLayoutCount ? hold_layout(device, info->pSetLayouts[number]) : NULL;
    const struct ws_pipeline_layout *layout =
        ws_objects_find(device, WS_OBJECT_PIPELINE_LAYOUT, WS_HANDLE(handle));
    return layout != NULL && number < layout->count ? ws_set_layout_reference(layout->sets[number]) : NULL;
}

/* ---- pools and sets ---- */

/* Forgets a set, before the next layer may give its handle to another. The list is the pool's, which the application
 * synchronizes. */
static void allocated_destroy(struct ws_device *device, struct allocated *allocated)
{
    ws_lock(&device->image_lock);
    ws_objects_remove(device, WS_OBJECT_DESCRIPTOR_SET, WS_HANDLE(allocated->handle));
    allocated->set->freed = true;
    ws_unlock(&device->image_lock);
    if (allocated->previous != NULL)
        allocated->previous->following = allocated->following;
    else
        allocated->pool->sets = allocated->following;
    if (allocated->following != NULL)
        allocated->following->previous = allocated->previous;
    ws_set_release(allocated->set);
    free(allocated);
}

static void pool_clear(struct ws_device *device, struct pool *pool)
{
    while (pool != NULL && pool->sets != NULL)
        allocated_destroy(device, pool->sets);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice handle, const VkDescriptorPoolCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator,
                                                  VkDescriptorPool *pool)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateDescriptorPool(handle, info, allocator, pool);
    if (result == VK_SUCCESS)
        keep(device, WS_OBJECT_DESCRIPTOR_POOL, WS_HANDLE(*pool), calloc(1, sizeof(struct pool)));
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pool(VkDevice handle, VkDescriptorPool handle_of_pool,
                                               const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    struct pool *pool = ws_objects_remove(device, WS_OBJECT_DESCRIPTOR_POOL, WS_HANDLE(handle_of_pool));
    pool_clear(device, pool);
    free(pool);
    device->next.DestroyDescriptorPool(handle, handle_of_pool, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_pool(VkDevice handle, VkDescriptorPool pool,
                                                 VkDescriptorPoolResetFlags flags)
{
    struct ws_device *device = ws_device_of(handle);
    pool_clear(device, ws_objects_find(device, WS_OBJECT_DESCRIPTOR_POOL, WS_HANDLE(pool)));
    return device->next.ResetDescriptorPool(handle, pool, flags);
}

/* `variable`: how many descriptors its last binding has, where the layout leaves that open. */
static void allocated_create(struct ws_device *device, struct pool *pool, VkDescriptorSet handle,
                             VkDescriptorSetLayout layout_handle, uint32_t variable)
{
    struct ws_set_layout *layout = hold_layout(device, layout_handle);
    struct allocated *allocated = layout != NULL ? calloc(1, sizeof(*allocated)) : NULL;
    struct ws_set *set = allocated != NULL ? ws_set_create(layout, variable) : NULL;
    ws_set_layout_release(layout);
    if (set == NULL)
        goto error;
    allocated->handle = handle;
    allocated->pool = pool;
    allocated->set = set;
    if (!ws_objects_add(device, WS_OBJECT_DESCRIPTOR_SET, WS_HANDLE(handle), allocated))
        goto error;
    allocated->following = pool->sets;
    if (pool->sets != NULL)
        pool->sets->previous = allocated;
    pool->sets = allocated;
    return;
error:
    ws_set_release(set);
    free(allocated);
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_sets(VkDevice handle, const VkDescriptorSetAllocateInfo *info,
                                                    VkDescriptorSet *sets)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.AllocateDescriptorSets(handle, info, sets);
    const VkDescriptorSetVariableDescriptorCountAllocateInfo *counts =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
    struct pool *pool = ws_objects_find(device, WS_OBJECT_DESCRIPTOR_POOL, WS_HANDLE(info->descriptorPool));
    for (uint32_t i = 0; result == VK_SUCCESS && pool != NULL && i < info->descriptorSetCount; i++) {
        /* Without the struct there are none (the specification, VkDescriptorSetVariableDescriptorCountAllocateInfo). */
        const bool counted = counts != NULL && i < counts->descriptorSetCount;
        allocated_create(device, pool, sets[i], info->pSetLayouts[i],
                         counted ? counts->pDescriptorCounts[i] : 0);
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL free_sets(VkDevice handle, VkDescriptorPool pool, uint32_t count,
                                                const VkDescriptorSet *sets)
{
    struct ws_device *device = ws_device_of(handle);
    for (uint32_t i = 0; i < count; i++) {
        struct allocated *allocated = sets[i] != VK_NULL_HANDLE ? find(device, sets[i]) : NULL;
        if (allocated != NULL)
            allocated_destroy(device, allocated);
    }
    return device->next.FreeDescriptorSets(handle, pool, count, sets);
}

/* ---- updates ---- */

/* Copies a set's descriptors to another, or to itself, one by one. With image_lock. */
static void copy_set(struct ws_device *device, const VkCopyDescriptorSet *copy)
{
    const struct allocated *source = find(device, copy->srcSet);
    const struct allocated *target = find(device, copy->dstSet);
    if (target == NULL)
        return;
    const struct ws_layout_binding *block = ws_set_layout_find(target->set->layout, copy->dstBinding);
    if (block != NULL && block->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        put_block(target->set, copy->dstBinding, copy->dstArrayElement + copy->descriptorCount);
        return;
    }
    const uint32_t from =
        source != NULL ? ws_set_slot(source->set, copy->srcBinding, copy->srcArrayElement) : WS_NONE;
    const uint32_t to = ws_set_slot(target->set, copy->dstBinding, copy->dstArrayElement);
    for (uint32_t i = 0; to != WS_NONE && i < copy->descriptorCount && i < target->set->slot_count - to;
         i++) {
        struct ws_slot slot = {.resource = WS_NONE};
        if (from != WS_NONE && i < source->set->slot_count - from)
            slot = source->set->slots[from + i];
        ws_set_put(target->set, to + i, &slot);
    }
}

static VKAPI_ATTR void VKAPI_CALL update_sets(VkDevice handle, uint32_t write_count,
                                              const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                              const VkCopyDescriptorSet *copies)
{
    struct ws_device *device = ws_device_of(handle);
    device->next.UpdateDescriptorSets(handle, write_count, writes, copy_count, copies);
    const struct allocated *allocated = NULL;
    ws_lock(&device->image_lock);
    for (uint32_t i = 0; i < write_count; i++) {
        if (i == 0 || writes[i].dstSet != writes[i - 1].dstSet) /* mostly all are of one set */
            allocated = find(device, writes[i].dstSet);
        if (allocated != NULL)
            ws_set_write(device, allocated->set, &writes[i]);
    }
    for (uint32_t i = 0; i < copy_count; i++)
        copy_set(device, &copies[i]);
    ws_unlock(&device->image_lock);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_template(VkDevice handle,
                                                      const VkDescriptorUpdateTemplateCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkDescriptorUpdateTemplate *made)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateDescriptorUpdateTemplate(handle, info, allocator, made);
    if (result != VK_SUCCESS)
        return result;
    const size_t size = info->descriptorUpdateEntryCount * sizeof(VkDescriptorUpdateTemplateEntry);
    struct template *template = malloc(sizeof(*template) + size);
    if (template != NULL) {
        template->point = info->pipelineBindPoint;
        template->count = info->descriptorUpdateEntryCount;
        memcpy(template->entries, info->pDescriptorUpdateEntries, size);
    }
    keep(device, WS_OBJECT_UPDATE_TEMPLATE, WS_HANDLE(*made), template);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_template(VkDevice handle, VkDescriptorUpdateTemplate template,
                                                   const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    free(ws_objects_remove(device, WS_OBJECT_UPDATE_TEMPLATE, WS_HANDLE(template)));
    device->next.DestroyDescriptorUpdateTemplate(handle, template, allocator);
}

static VKAPI_ATTR void VKAPI_CALL update_by_template(VkDevice handle, VkDescriptorSet handle_of_set,
                                                     VkDescriptorUpdateTemplate template, const void *data)
{
    struct ws_device *device = ws_device_of(handle);
    device->next.UpdateDescriptorSetWithTemplate(handle, handle_of_set, template, data);
    ws_lock(&device->image_lock);
    const struct allocated *allocated = find(device, handle_of_set);
    if (allocated != NULL)
        ws_set_write_by(device, allocated->set, template, data);
    ws_unlock(&device->image_lock);
}

static void finish(struct ws_device *device)
{
    void *object;
    while ((object = ws_objects_remove_any(device, WS_OBJECT_DESCRIPTOR_POOL)) != NULL) {
        pool_clear(device, object);
        free(object);
    }
    while ((object = ws_objects_remove_any(device, WS_OBJECT_PIPELINE_LAYOUT)) != NULL)
        ws_pipeline_layout_release(object);
    while ((object = ws_objects_remove_any(device, WS_OBJECT_SET_LAYOUT)) != NULL)
        ws_set_layout_release(object);
    while ((object = ws_objects_remove_any(device, WS_OBJECT_UPDATE_TEMPLATE)) != NULL)
        free(object);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateDescriptorSetLayout, create_set_layout),
    WS_HOOK(DestroyDescriptorSetLayout, destroy_set_layout),
    WS_HOOK(CreatePipelineLayout, create_pipeline_layout),
    WS_HOOK(DestroyPipelineLayout, destroy_pipeline_layout),
    WS_HOOK(CreateDescriptorPool, create_pool),
    WS_HOOK(DestroyDescriptorPool, destroy_pool),
    WS_HOOK(ResetDescriptorPool, reset_pool),
    WS_HOOK(AllocateDescriptorSets, allocate_sets),
    WS_HOOK(FreeDescriptorSets, free_sets),
    WS_HOOK(UpdateDescriptorSets, update_sets),
    WS_HOOK(CreateDescriptorUpdateTemplate, create_template),
    WS_HOOK(DestroyDescriptorUpdateTemplate, destroy_template),
    WS_HOOK(UpdateDescriptorSetWithTemplate, update_by_template),
    WS_HOOK_END,
};

const struct ws_interception ws_descriptor_set_interception = {
    .hooks = hooks,
    .image = true,
    .bindings = true,
    .device_finish = finish,
};
