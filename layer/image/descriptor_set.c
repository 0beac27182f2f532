/* Descriptor set layouts, pools, sets and update templates. */
#include "layer/image/descriptor_set.h"

#include <stdlib.h>
#include <string.h>

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/process/lock.h"
#include "warpscope/base/array.h"

#define UNKNOWN_LATER                                                                                        \
    (VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT |   \
     VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT)

struct layout_binding {
    uint32_t binding;
    uint32_t count;
    bool unsure; /* has one of UNKNOWN_LATER */
};

struct set_layout {
    uint32_t count;
    struct layout_binding bindings[]; /* by number */
};

struct set {
    VkDescriptorSet handle;
    struct pool *pool;
    struct set *previous, *following; /* in the pool */
    struct ws_image_descriptors images;
    struct set_layout *layout; /* a copy: the application may destroy its own */
};

struct pool {
    struct set *sets;
};

struct template
{
    VkPipelineBindPoint point;
    uint32_t count;
    VkDescriptorUpdateTemplateEntry entries[];
};

void ws_image_descriptors_finish(struct ws_image_descriptors *images)
{
    free(images->list);
    *images = (struct ws_image_descriptors){0};
}

static struct ws_image_descriptor *find(const struct ws_image_descriptors *images, uint32_t binding,
                                        uint32_t element)
{
    for (uint32_t i = 0; i < images->count; i++)
        if (images->list[i].binding == binding && images->list[i].element == element)
            return &images->list[i];
    return NULL;
}

const struct ws_image_descriptor *ws_image_descriptors_find(const struct ws_image_descriptors *images,
                                                            uint32_t binding)
{
    return images->failed ? NULL : find(images, binding, 0);
}

/* What a descriptor is now: a storage image (`info`), or something else (NULL). */
static void put(struct ws_image_descriptors *images, uint32_t binding, uint32_t element,
                const VkDescriptorImageInfo *info)
{
    struct ws_image_descriptor *known = find(images, binding, element);
    if (info == NULL) {
        if (known != NULL)
            *known = images->list[--images->count];
        return;
    }
    if (known == NULL) {
        struct ws_image_descriptor *list =
            ws_array_grow(images->list, &images->capacity, images->count + 1, sizeof(*list));
        images->failed = images->failed || list == NULL;
        if (list == NULL)
            return;
        images->list = list;
        known = &list[images->count++];
    }
    *known = (struct ws_image_descriptor){binding, element, info->imageView, info->imageLayout};
}

static const struct layout_binding *layout_find(const struct set_layout *layout, uint32_t binding)
{
    for (uint32_t i = 0; layout != NULL && i < layout->count; i++)
        if (layout->bindings[i].binding == binding)
            return &layout->bindings[i];
    return NULL;
}

/* Elements behind a binding's last are those of the next binding (the specification, VkWriteDescriptorSet). */
static void advance(const struct set_layout *layout, uint32_t *binding, uint32_t *element)
{
    const struct layout_binding *at = layout_find(layout, *binding);
    while (at != NULL && *element >= at->count && at + 1 < layout->bindings + layout->count) {
        *element -= at->count;
        at++;
        *binding = at->binding;
    }
}

/* A run of descriptors; `infos` has one every `stride` bytes. NULL = they are no storage images. */
static void put_run(struct ws_image_descriptors *images, const struct set_layout *layout, uint32_t binding,
                    uint32_t element, uint32_t count, const char *infos, size_t stride)
{
    if (infos == NULL && images->count == 0)
        return;
    for (uint32_t i = 0; i < count; i++, element++) {
        advance(layout, &binding, &element);
        const struct layout_binding *at = layout_find(layout, binding);
        if (at != NULL && (at->unsure || at->count > 1))
            continue;
        VkDescriptorImageInfo info;
        if (infos != NULL)
            memcpy(&info, infos + i * stride, sizeof(info));
        put(images, binding, element, infos != NULL ? &info : NULL);
    }
}

static void write_to(struct ws_image_descriptors *images, const struct set_layout *layout,
                     const VkWriteDescriptorSet *write)
{
    const bool image = write->descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    put_run(images, layout, write->dstBinding, write->dstArrayElement, write->descriptorCount,
            image ? (const char *)write->pImageInfo : NULL, sizeof(VkDescriptorImageInfo));
}

static void write_by(struct ws_device *device, struct ws_image_descriptors *images,
                     const struct set_layout *layout, VkDescriptorUpdateTemplate handle, const void *data)
{
    const struct template *template = ws_objects_find(device, WS_OBJECT_UPDATE_TEMPLATE, WS_HANDLE(handle));
    images->failed = images->failed || template == NULL;
    for (uint32_t i = 0; template != NULL && i < template->count; i++) {
        const VkDescriptorUpdateTemplateEntry *entry = &template->entries[i];
        const bool image = entry->descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        put_run(images, layout, entry->dstBinding, entry->dstArrayElement, entry->descriptorCount,
                image ? (const char *)data + entry->offset : NULL, entry->stride);
    }
}

void ws_image_descriptors_write(struct ws_image_descriptors *images, const VkWriteDescriptorSet *write)
{
    write_to(images, NULL, write);
}

void ws_image_descriptors_write_by(struct ws_device *device, struct ws_image_descriptors *images,
                                   VkDescriptorUpdateTemplate handle, const void *data)
{
    write_by(device, images, NULL, handle, data);
}

VkPipelineBindPoint ws_update_template_point(struct ws_device *device, VkDescriptorUpdateTemplate handle)
{
    const struct template *template = ws_objects_find(device, WS_OBJECT_UPDATE_TEMPLATE, WS_HANDLE(handle));
    return template != NULL ? template->point : VK_PIPELINE_BIND_POINT_MAX_ENUM;
}

bool ws_descriptor_set_find(struct ws_device *device, VkDescriptorSet handle, uint32_t binding,
                            struct ws_image_descriptor *descriptor, const char **reason)
{
    ws_lock(&device->image_lock);
    const struct set *set = ws_objects_find(device, WS_OBJECT_DESCRIPTOR_SET, WS_HANDLE(handle));
    const struct layout_binding *at = set != NULL ? layout_find(set->layout, binding) : NULL;
    const bool unsure = at != NULL && at->unsure;
    const struct ws_image_descriptor *found =
        set != NULL && !unsure ? ws_image_descriptors_find(&set->images, binding) : NULL;
    if (found != NULL)
        *descriptor = *found;
    *reason = unsure ? "its descriptor may be updated after it is bound, or need not be valid" : NULL;
    ws_unlock(&device->image_lock);
    return found != NULL;
}

static int compare_bindings(const void *left, const void *right)
{
    const struct layout_binding *a = left;
    const struct layout_binding *b = right;
    return (a->binding > b->binding) - (a->binding < b->binding);
}

static struct set_layout *make_layout(const VkDescriptorSetLayoutCreateInfo *info)
{
    const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    struct set_layout *layout = calloc(1, sizeof(*layout) + info->bindingCount * sizeof(layout->bindings[0]));
    if (layout == NULL)
        return NULL;
    layout->count = info->bindingCount;
    for (uint32_t i = 0; i < info->bindingCount; i++)
        layout->bindings[i] = (struct layout_binding){
            .binding = info->pBindings[i].binding,
            .count = info->pBindings[i].descriptorCount,
            .unsure =
                flags != NULL && i < flags->bindingCount && (flags->pBindingFlags[i] & UNKNOWN_LATER) != 0,
        };
    qsort(layout->bindings, layout->count, sizeof(layout->bindings[0]), compare_bindings);
    return layout;
}

static struct set_layout *copy_layout(const struct set_layout *layout)
{
    const size_t size =
        layout != NULL ? sizeof(*layout) + layout->count * sizeof(layout->bindings[0]) : sizeof(*layout);
    struct set_layout *copy = layout != NULL ? malloc(size) : NULL;
    if (copy != NULL)
        memcpy(copy, layout, size);
    return copy;
}

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
    if (result == VK_SUCCESS)
        keep(device, WS_OBJECT_SET_LAYOUT, WS_HANDLE(*layout), make_layout(info));
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_set_layout(VkDevice handle, VkDescriptorSetLayout layout,
                                                     const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    free(ws_objects_remove(device, WS_OBJECT_SET_LAYOUT, WS_HANDLE(layout)));
    device->next.DestroyDescriptorSetLayout(handle, layout, allocator);
}

/* Forgets a set, before the next layer may give its handle to another. The list is the pool's, which the application
 * synchronizes. */
static void set_destroy(struct ws_device *device, struct set *set)
{
    ws_lock(&device->image_lock);
    ws_objects_remove(device, WS_OBJECT_DESCRIPTOR_SET, WS_HANDLE(set->handle));
    ws_unlock(&device->image_lock);
    if (set->previous != NULL)
        set->previous->following = set->following;
    else
        set->pool->sets = set->following;
    if (set->following != NULL)
        set->following->previous = set->previous;
    ws_image_descriptors_finish(&set->images);
    free(set->layout);
    free(set);
}

static void pool_clear(struct ws_device *device, struct pool *pool)
{
    while (pool != NULL && pool->sets != NULL)
        set_destroy(device, pool->sets);
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

static void set_create(struct ws_device *device, struct pool *pool, VkDescriptorSet handle,
                       VkDescriptorSetLayout layout)
{
    struct set *set = calloc(1, sizeof(*set));
    if (set == NULL)
        return;
    set->handle = handle;
    set->pool = pool;
    set->layout = copy_layout(ws_objects_find(device, WS_OBJECT_SET_LAYOUT, WS_HANDLE(layout)));
    if (set->layout == NULL || !ws_objects_add(device, WS_OBJECT_DESCRIPTOR_SET, WS_HANDLE(handle), set)) {
        free(set->layout);
        free(set);
        return;
    }
    set->following = pool->sets;
    if (pool->sets != NULL)
        pool->sets->previous = set;
    pool->sets = set;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_sets(VkDevice handle, const VkDescriptorSetAllocateInfo *info,
                                                    VkDescriptorSet *sets)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.AllocateDescriptorSets(handle, info, sets);
    struct pool *pool = ws_objects_find(device, WS_OBJECT_DESCRIPTOR_POOL, WS_HANDLE(info->descriptorPool));
    for (uint32_t i = 0; result == VK_SUCCESS && pool != NULL && i < info->descriptorSetCount; i++)
        set_create(device, pool, sets[i], info->pSetLayouts[i]);
    return result;
}

static struct set *set_of(struct ws_device *device, VkDescriptorSet handle)
{
    return ws_objects_find(device, WS_OBJECT_DESCRIPTOR_SET, WS_HANDLE(handle));
}

static VKAPI_ATTR VkResult VKAPI_CALL free_sets(VkDevice handle, VkDescriptorPool pool, uint32_t count,
                                                const VkDescriptorSet *sets)
{
    struct ws_device *device = ws_device_of(handle);
    for (uint32_t i = 0; i < count; i++) {
        struct set *set = sets[i] != VK_NULL_HANDLE ? set_of(device, sets[i]) : NULL;
        if (set != NULL)
            set_destroy(device, set);
    }
    return device->next.FreeDescriptorSets(handle, pool, count, sets);
}

/* With image_lock. */
static void copy_set(struct ws_device *device, const VkCopyDescriptorSet *copy)
{
    const struct set *source = set_of(device, copy->srcSet);
    struct set *target = set_of(device, copy->dstSet);
    if (target == NULL)
        return;
    uint32_t from = copy->srcBinding, from_element = copy->srcArrayElement;
    uint32_t to = copy->dstBinding, to_element = copy->dstArrayElement;
    for (uint32_t i = 0; i < copy->descriptorCount; i++, from_element++, to_element++) {
        advance(source != NULL ? source->layout : NULL, &from, &from_element);
        advance(target->layout, &to, &to_element);
        const struct ws_image_descriptor *image =
            source != NULL ? find(&source->images, from, from_element) : NULL;
        const VkDescriptorImageInfo info = {
            .imageView = image != NULL ? image->view : VK_NULL_HANDLE,
            .imageLayout = image != NULL ? image->layout : VK_IMAGE_LAYOUT_UNDEFINED,
        };
        put_run(&target->images, target->layout, to, to_element, 1,
                image != NULL ? (const char *)&info : NULL, sizeof(info));
    }
}

static VKAPI_ATTR void VKAPI_CALL update_sets(VkDevice handle, uint32_t write_count,
                                              const VkWriteDescriptorSet *writes, uint32_t copy_count,
                                              const VkCopyDescriptorSet *copies)
{
    struct ws_device *device = ws_device_of(handle);
    device->next.UpdateDescriptorSets(handle, write_count, writes, copy_count, copies);
    ws_lock(&device->image_lock);
    for (uint32_t i = 0; i < write_count; i++) {
        struct set *set = set_of(device, writes[i].dstSet);
        if (set != NULL)
            write_to(&set->images, set->layout, &writes[i]);
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
    struct set *set = set_of(device, handle_of_set);
    if (set != NULL)
        write_by(device, &set->images, set->layout, template, data);
    ws_unlock(&device->image_lock);
}

static void finish(struct ws_device *device)
{
    static const enum ws_object_kind kinds[] = {WS_OBJECT_SET_LAYOUT, WS_OBJECT_UPDATE_TEMPLATE};
    struct pool *pool;
    void *object;
    while ((pool = ws_objects_remove_any(device, WS_OBJECT_DESCRIPTOR_POOL)) != NULL) {
        pool_clear(device, pool);
        free(pool);
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        while ((object = ws_objects_remove_any(device, kinds[i])) != NULL)
            free(object);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateDescriptorSetLayout, create_set_layout),
    WS_HOOK(DestroyDescriptorSetLayout, destroy_set_layout),
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
    .device_finish = finish,
};
