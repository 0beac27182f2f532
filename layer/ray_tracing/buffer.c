#include "layer/ray_tracing/buffer.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/core/settings.h"
#include "layer/core/vulkan_newer.h"
#include "layer/process/lock.h"
#include "layer/resources/resource.h"
#include "warpscope/base/array.h"
#include "warpscope/instrument.h"

/* What is kept of a buffer that may have an address. */
struct buffer {
    VkDeviceSize size;
    const char *reason; /* why it cannot be copied from; NULL = it can be */
    VkDeviceMemory memory;
    VkDeviceAddress address; /* 0 = has no place; guarded by ws_buffers.lock */
};

/* A buffer whose address the application asked for. */
struct place {
    VkDeviceAddress begin;
    VkDeviceAddress end;
    VkDeviceAddress furthest; /* the largest end of this place and of all before it */
    VkBuffer handle;
    VkDeviceMemory memory;
    const char *reason;
};

struct ws_buffers {
    pthread_rwlock_t held; /* for reading: ws_buffers_hold; for writing: a place is removed; before `lock` */
    pthread_rwlock_t lock; /* guards the places */
    struct place *places;  /* sorted by `begin` */
    uint32_t count;
    uint32_t capacity;
};

/* Index of the first place that begins after `address`. */
static uint32_t first_after(const struct ws_buffers *buffers, VkDeviceAddress address)
{
    uint32_t low = 0;
    uint32_t high = buffers->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (buffers->places[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Mends `furthest` from place `index` on, which is new (its `furthest` is 0) or whose predecessor was
 * removed. Ends where nothing changes any more, most often at the next place. */
static void update_furthest(struct ws_buffers *buffers, uint32_t index)
{
    for (; index < buffers->count; index++) {
        struct place *place = &buffers->places[index];
        VkDeviceAddress furthest = place->end;
        if (index > 0 && place[-1].furthest > furthest)
            furthest = place[-1].furthest;
        if (furthest == place->furthest)
            break;
        place->furthest = furthest;
    }
}

/* Gives a buffer its place. Without memory it has none, until the application asks for its address again. */
static void add(struct ws_buffers *buffers, struct buffer *buffer, VkBuffer handle, VkDeviceAddress address)
{
    const struct place place = {
        .begin = address,
        .end = address + buffer->size,
        .handle = handle,
        .memory = buffer->memory,
        .reason = buffer->reason,
    };
    ws_lock_to_write(&buffers->lock);
    struct place *places = buffer->address == 0 ? ws_array_grow(buffers->places, &buffers->capacity,
                                                                buffers->count + 1, sizeof(*places))
                                                : NULL;
    if (places != NULL) {
        buffers->places = places;
        const uint32_t index = first_after(buffers, address);
        memmove(&places[index + 1], &places[index], (buffers->count - index) * sizeof(*places));
        places[index] = place;
        buffers->count++;
        update_furthest(buffers, index);
        buffer->address = address;
    }
    ws_unlock_both(&buffers->lock);
}

/* Removes the place of a buffer that is about to be destroyed. Waits until nobody holds the buffers. */
static void remove_place(struct ws_buffers *buffers, VkDeviceAddress address, VkBuffer handle)
{
    ws_lock_to_write(&buffers->held);
    ws_lock_to_write(&buffers->lock);
    struct place *places = buffers->places;
    for (uint32_t i = first_after(buffers, address); i > 0 && places[i - 1].begin == address; i--) {
        if (places[i - 1].handle != handle)
            continue;
        memmove(&places[i - 1], &places[i], (buffers->count - i) * sizeof(*places));
        buffers->count--;
        update_furthest(buffers, i - 1);
        break;
    }
    ws_unlock_both(&buffers->lock);
    ws_unlock_both(&buffers->held);
}

/* The same for all buffers in memory that is about to be freed. */
static void remove_places_in(struct ws_buffers *buffers, VkDeviceMemory memory)
{
    ws_lock_to_write(&buffers->held);
    ws_lock_to_write(&buffers->lock);
    struct place *places = buffers->places;
    uint32_t first = 0;
    while (first < buffers->count && places[first].memory != memory)
        first++;
    uint32_t count = first;
    for (uint32_t i = first; i < buffers->count; i++) {
        if (places[i].memory == memory)
            continue;
        places[count] = places[i];
        places[count++].furthest = 0;
    }
    buffers->count = count;
    update_furthest(buffers, first);
    ws_unlock_both(&buffers->lock);
    ws_unlock_both(&buffers->held);
}

void ws_buffers_hold(struct ws_buffers *buffers)
{
    ws_lock_to_read(&buffers->held);
}

void ws_buffers_let_go(struct ws_buffers *buffers)
{
    ws_unlock_both(&buffers->held);
}

bool ws_buffers_find(struct ws_buffers *buffers, VkDeviceAddress address, struct ws_buffer_range *range)
{
    const struct place *best = NULL;
    ws_lock_to_read(&buffers->lock);
    for (uint32_t i = first_after(buffers, address); i > 0; i--) {
        const struct place *place = &buffers->places[i - 1];
        if (place->furthest <= address)
            break;
        if (place->end > address && (best == NULL || place->end > best->end))
            best = place;
    }
    if (best != NULL)
        *range = (struct ws_buffer_range){
            .buffer = best->handle,
            .offset = address - best->begin,
            .size = best->end - address,
            .reason = best->reason,
        };
    ws_unlock_both(&buffers->lock);
    return best != NULL;
}

/* A buffer's create-info, changed so that copies from the buffer are allowed. */
struct copyable {
    VkBufferCreateInfo info;
    struct ws_chain chain;
    const char *reason; /* why they are not allowed; static; NULL = they are */
    bool addressed;     /* the buffer may have an address */
    bool changed;       /* `info` is not the application's */
};

static uint64_t usage_of(const VkBufferCreateInfo *info)
{
    const VkBufferUsageFlags2CreateInfoKHR *usage =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);
    return usage != NULL ? usage->usage : info->usage;
}

/* Why a buffer cannot be copied from, whatever its usage says; NULL where it can be.
 * - Protected: VUID-vkCmdCopyBuffer-commandBuffer-01822.
 * - Sparse: parts of it may have no memory, which the layer does not know.
 * - External: its usage must be the same wherever else the memory is used, so none may be added. */
static const char *uncopyable(const VkBufferCreateInfo *info)
{
    const VkExternalMemoryBufferCreateInfo *external =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
    if ((info->flags & VK_BUFFER_CREATE_PROTECTED_BIT) != 0)
        return "protected buffers cannot be copied from";
    if ((info->flags & (VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT |
                        VK_BUFFER_CREATE_SPARSE_ALIASED_BIT)) != 0)
        return "sparse buffers are not copied";
    if (external != NULL && external->handleTypes != 0 &&
        (usage_of(info) & VK_BUFFER_USAGE_TRANSFER_SRC_BIT) == 0)
        return "buffers of external memory are not copied";
    return NULL;
}

/* Where no geometry is captured buffers are only followed (layer/resources), and nothing about them changes. */
static void copyable_init(const struct ws_device *device, struct copyable *copyable,
                          const VkBufferCreateInfo *info)
{
    const uint64_t usage = usage_of(info);
    *copyable = (struct copyable){.info = *info};
    ws_chain_init(&copyable->chain, info->pNext);
    if (!device->settings->geometry)
        return;
    copyable->addressed = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
    copyable->reason = uncopyable(info);
    if (!copyable->addressed || copyable->reason != NULL || (usage & VK_BUFFER_USAGE_TRANSFER_SRC_BIT) != 0)
        return;
    struct ws_error error = {0};
    VkBufferUsageFlags2CreateInfoKHR *flags =
        ws_chain_edit(&copyable->chain, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR, &error);
    if (flags != NULL)
        flags->usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    else if (error.message[0] == '\0')
        copyable->info.usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    else
        copyable->reason = "a buffer's create-info could not be copied";
    copyable->info.pNext = copyable->chain.head;
    copyable->changed = copyable->reason == NULL;
}

static void copyable_finish(struct copyable *copyable)
{
    ws_chain_finish(&copyable->chain);
}

/* Without memory the buffer is not known: no address leads to it. */
static void remember(struct ws_device *device, VkBuffer handle, VkDeviceSize size, const char *reason)
{
    struct buffer *buffer = malloc(sizeof(*buffer));
    if (buffer == NULL)
        return;
    *buffer = (struct buffer){.size = size, .reason = reason};
    if (!ws_objects_add(device, WS_OBJECT_BUFFER, WS_HANDLE(handle), buffer))
        free(buffer);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice handle, const VkBufferCreateInfo *create_info,
                                                    const VkAllocationCallbacks *allocator, VkBuffer *buffer)
{
    struct ws_device *device = ws_device_of(handle);
    struct copyable copyable;
    copyable_init(device, &copyable, create_info);
    VkResult result =
        device->next.CreateBuffer(handle, copyable.changed ? &copyable.info : create_info, allocator, buffer);
    if (result != VK_SUCCESS && copyable.changed) {
        result = device->next.CreateBuffer(handle, create_info, allocator, buffer);
        copyable.reason = "the driver refuses copies from a buffer";
    }
    if (result == VK_SUCCESS && copyable.addressed)
        remember(device, *buffer, create_info->size, copyable.reason);
    const struct ws_resource about = {
        .kind = WS_RESOURCE_BUFFER,
        .within = WS_NONE,
        .size = create_info->size,
        .usage = usage_of(create_info),
        .memory_type = WS_NONE,
    };
    if (result == VK_SUCCESS)
        ws_resource_add(device, WS_HANDLE(*buffer), &about);
    copyable_finish(&copyable);
    return result;
}

static void forget(struct ws_device *device, VkBuffer handle)
{
    struct buffer *buffer = ws_objects_remove(device, WS_OBJECT_BUFFER, WS_HANDLE(handle));
    if (buffer != NULL && buffer->address != 0)
        remove_place(device->buffers, buffer->address, handle);
    free(buffer);
}

/* Forgotten first: as soon as the next layer has destroyed it, another buffer may be given the same handle.
 */
static VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice handle, VkBuffer buffer,
                                                 const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    if (buffer != VK_NULL_HANDLE)
        forget(device, buffer);
    ws_resource_remove(device, WS_RESOURCE_BUFFER, WS_HANDLE(buffer));
    device->next.DestroyBuffer(handle, buffer, allocator);
}

/* The application may free the memory before it destroys the buffer. Then the buffer must not be found any
 * more, so its memory is noted. */
static void note_memory(struct ws_device *device, VkBuffer handle, VkDeviceMemory memory)
{
    struct buffer *buffer = ws_objects_find(device, WS_OBJECT_BUFFER, WS_HANDLE(handle));
    if (buffer != NULL)
        buffer->memory = memory;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_memory(VkDevice handle, VkBuffer buffer, VkDeviceMemory memory,
                                                  VkDeviceSize offset)
{
    struct ws_device *device = ws_device_of(handle);
    note_memory(device, buffer, memory);
    const VkResult result = device->next.BindBufferMemory(handle, buffer, memory, offset);
    if (result == VK_SUCCESS)
        ws_resource_place(device, WS_RESOURCE_BUFFER, WS_HANDLE(buffer), memory, offset);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_memory2(VkDevice handle, uint32_t count,
                                                   const VkBindBufferMemoryInfo *infos)
{
    struct ws_device *device = ws_device_of(handle);
    for (uint32_t i = 0; i < count; i++)
        note_memory(device, infos[i].buffer, infos[i].memory);
    const VkResult result = device->next.BindBufferMemory2(handle, count, infos);
    for (uint32_t i = 0; i < count; i++)
        if (ws_resource_was_bound(result, infos[i].pNext))
            ws_resource_place(device, WS_RESOURCE_BUFFER, WS_HANDLE(infos[i].buffer), infos[i].memory,
                              infos[i].memoryOffset);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice handle, VkDeviceMemory memory,
                                              const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    if (memory != VK_NULL_HANDLE)
        remove_places_in(device->buffers, memory);
    ws_resource_remove(device, WS_RESOURCE_ALLOCATION, WS_HANDLE(memory));
    device->next.FreeMemory(handle, memory, allocator);
}

/* Several threads may ask for the address of one buffer at once; each may use it as soon as its call returns,
 * so the buffer has its place before that. */
static VKAPI_ATTR VkDeviceAddress VKAPI_CALL get_address(VkDevice handle,
                                                         const VkBufferDeviceAddressInfo *info)
{
    struct ws_device *device = ws_device_of(handle);
    const VkDeviceAddress address = device->next.GetBufferDeviceAddress(handle, info);
    ws_resource_set_address(device, info->buffer, address);
    struct buffer *buffer = ws_objects_find(device, WS_OBJECT_BUFFER, WS_HANDLE(info->buffer));
    if (buffer == NULL || address == 0)
        return address;
    ws_lock_to_read(&device->buffers->lock);
    const bool known = buffer->address != 0;
    ws_unlock_both(&device->buffers->lock);
    if (!known)
        add(device->buffers, buffer, info->buffer, address);
    return address;
}

/* What memory a buffer would need that is not created yet: the answer must fit the buffer that create_buffer
 * will make, so the same usage is added. */
static VKAPI_ATTR void VKAPI_CALL get_requirements(VkDevice handle,
                                                   const VkDeviceBufferMemoryRequirements *info,
                                                   VkMemoryRequirements2 *requirements)
{
    struct ws_device *device = ws_device_of(handle);
    struct copyable copyable;
    copyable_init(device, &copyable, info->pCreateInfo);
    VkDeviceBufferMemoryRequirements changed = *info;
    if (copyable.changed)
        changed.pCreateInfo = &copyable.info;
    device->next.GetDeviceBufferMemoryRequirements(handle, &changed, requirements);
    copyable_finish(&copyable);
}

static void finish(struct ws_device *device)
{
    void *buffer;
    while ((buffer = ws_objects_remove_any(device, WS_OBJECT_BUFFER)) != NULL)
        free(buffer);
    if (device->buffers == NULL)
        return;
    pthread_rwlock_destroy(&device->buffers->held);
    pthread_rwlock_destroy(&device->buffers->lock);
    free(device->buffers->places);
    free(device->buffers);
    device->buffers = NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    device->buffers = calloc(1, sizeof(*device->buffers));
    if (device->buffers == NULL)
        return ws_error_set(error, "out of memory");
    pthread_rwlock_init(&device->buffers->held, NULL);
    pthread_rwlock_init(&device->buffers->lock, NULL);
    return true;
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateBuffer, create_buffer),
    WS_HOOK(DestroyBuffer, destroy_buffer),
    WS_HOOK(BindBufferMemory, bind_memory),
    WS_HOOK(BindBufferMemory2, bind_memory2),
    WS_HOOK(FreeMemory, free_memory),
    WS_HOOK(GetBufferDeviceAddress, get_address),
    WS_HOOK(GetDeviceBufferMemoryRequirements, get_requirements),
    WS_HOOK_END,
};

const struct ws_interception ws_buffer_interception = {
    .hooks = hooks,
    .geometry = true,
    .bindings = true,
    .device_init = init,
    .device_finish = finish,
};
