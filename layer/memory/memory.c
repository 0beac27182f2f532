#include "layer/memory/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/memory/free_list.h"
#include "layer/process/lock.h"
#include "warpscope/base/array.h"

const struct ws_heap_kind ws_heap_counters = {
    .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
             VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    .preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
};

const struct ws_heap_kind ws_heap_results = {
    .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    .preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    .unified = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
               VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
};

/* The host reads every word: uncached reads would cost more than the copy. */
const struct ws_heap_kind ws_heap_readback = {
    .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    .required = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
    .preferred = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
};

struct ws_memory_block {
    VkDeviceMemory memory;
    VkBuffer buffer;
    VkDeviceSize size;
    VkDeviceAddress address;
    void *mapped;
    struct ws_free_list free;
};

struct ws_heap {
    struct ws_device *device;
    const struct ws_heap_kind *kind;
    pthread_mutex_t lock;
    struct ws_memory_block **blocks;
    uint32_t block_count;
    uint32_t block_capacity;
    VkDeviceSize total;
};

struct ws_heap *ws_heap_create(struct ws_device *device, const struct ws_heap_kind *kind,
                               struct ws_error *error)
{
    struct ws_heap *heap = calloc(1, sizeof(*heap));
    if (heap == NULL) {
        ws_error_set(error, "out of memory");
        return NULL;
    }
    heap->device = device;
    heap->kind = kind;
    ws_lock_init(&heap->lock);
    return heap;
}

static void destroy_block(struct ws_device *device, struct ws_memory_block *block)
{
    if (block == NULL)
        return;
    /* Freeing memory unmaps it. */
    device->next.DestroyBuffer(device->handle, block->buffer, NULL);
    device->next.FreeMemory(device->handle, block->memory, NULL);
    ws_free_list_finish(&block->free);
    free(block);
}

void ws_heap_destroy(struct ws_heap *heap)
{
    if (heap == NULL)
        return;
    for (uint32_t i = 0; i < heap->block_count; i++)
        destroy_block(heap->device, heap->blocks[i]);
    free(heap->blocks);
    pthread_mutex_destroy(&heap->lock);
    free(heap);
}

void ws_buffer_share(const struct ws_device *device, VkBufferCreateInfo *create_info)
{
    /* An exclusive buffer would need ownership transfers between the application's queue families. */
    create_info->sharingMode =
        device->queue_family_count > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
    create_info->queueFamilyIndexCount = device->queue_family_count > 1 ? device->queue_family_count : 0;
    create_info->pQueueFamilyIndices = device->queue_family_indices;
}

static uint32_t count_bits(VkFlags flags)
{
    return (uint32_t)__builtin_popcount(flags);
}

bool ws_memory_type_choose(const VkPhysicalDeviceMemoryProperties *memory, uint32_t type_bits,
                           VkMemoryPropertyFlags required, VkMemoryPropertyFlags preferred, uint32_t *type)
{
    /* AMD's coherent types may only be used when their feature is enabled (VUID-vkAllocateMemory-
     * deviceCoherentMemory-02790). */
    const VkMemoryPropertyFlags avoided = VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                          VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                                          VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;
    bool found = false;
    uint32_t best = 0;
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = memory->memoryTypes[i].propertyFlags;
        if ((type_bits & 1u << i) == 0 || (flags & required) != required || (flags & avoided) != 0)
            continue;
        const uint32_t score = count_bits(flags & preferred);
        if (found && score <= best)
            continue;
        found = true;
        best = score;
        *type = i;
    }
    return found;
}

bool ws_heap_type_choose(const VkPhysicalDeviceMemoryProperties *memory, uint32_t type_bits,
                         const struct ws_heap_kind *kind, uint32_t *type)
{
    if (!ws_memory_type_choose(memory, type_bits, kind->required, kind->preferred, type))
        return false;
    VkDeviceSize least = memory->memoryHeaps[memory->memoryTypes[*type].heapIndex].size;
    if (least > WS_UNIFIED_MIN)
        least = WS_UNIFIED_MIN;
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++) {
        const VkMemoryHeap *heap = &memory->memoryHeaps[memory->memoryTypes[i].heapIndex];
        if (heap->size < least || (heap->flags & VK_MEMORY_HEAP_MULTI_INSTANCE_BIT) != 0)
            type_bits &= ~(1u << i);
    }
    if (kind->unified != 0)
        ws_memory_type_choose(memory, type_bits, kind->unified, 0, type);
    return true;
}

/* Where the host need not read it, it does without. */
static VkResult map(struct ws_heap *heap, struct ws_memory_block *block, VkMemoryPropertyFlags properties)
{
    const struct ws_heap_kind *kind = heap->kind;
    const bool needed = (kind->required & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
    const bool unified = kind->unified != 0 && (properties & kind->unified) == kind->unified;
    if (!needed && !unified)
        return VK_SUCCESS;
    const VkResult result = heap->device->next.MapMemory(heap->device->handle, block->memory, 0,
                                                         VK_WHOLE_SIZE, 0, &block->mapped);
    if (result != VK_SUCCESS)
        block->mapped = NULL;
    return needed ? result : VK_SUCCESS;
}

/* More than there is may not even be asked for (VUID-vkAllocateMemory-pAllocateInfo-01713). */
static VkResult allocate_type(struct ws_heap *heap, struct ws_memory_block *block, VkMemoryAllocateInfo *info,
                              uint32_t type)
{
    const VkPhysicalDeviceMemoryProperties *memory = &heap->device->properties.memory;
    if (info->allocationSize > memory->memoryHeaps[memory->memoryTypes[type].heapIndex].size)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    info->memoryTypeIndex = type;
    return heap->device->next.AllocateMemory(heap->device->handle, info, NULL, &block->memory);
}

static bool allocate_memory(struct ws_heap *heap, struct ws_memory_block *block, struct ws_error *error)
{
    struct ws_device *device = heap->device;
    const bool addressed = (heap->kind->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
    VkMemoryRequirements requirements;
    device->next.GetBufferMemoryRequirements(device->handle, block->buffer, &requirements);
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkMemoryAllocateInfo allocate_info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = addressed ? &flags : NULL,
        .allocationSize = requirements.size,
    };
    const VkPhysicalDeviceMemoryProperties *memory = &device->properties.memory;
    const struct ws_heap_kind *kind = heap->kind;
    uint32_t type;
    uint32_t other;
    if (!ws_heap_type_choose(memory, requirements.memoryTypeBits, kind, &type) ||
        !ws_memory_type_choose(memory, requirements.memoryTypeBits, kind->required, kind->preferred, &other))
        return ws_error_set(error, "the device has no memory of the kind that counters need");
    VkResult result = allocate_type(heap, block, &allocate_info, type);
    if (result != VK_SUCCESS && other != type)
        result = allocate_type(heap, block, &allocate_info, type = other);
    if (result == VK_SUCCESS)
        result = device->next.BindBufferMemory(device->handle, block->buffer, block->memory, 0);
    if (result == VK_SUCCESS)
        result = map(heap, block, memory->memoryTypes[type].propertyFlags);
    if (result != VK_SUCCESS)
        return ws_error_set(error, "no device memory for %llu bytes of counters (VkResult %d)",
                            (unsigned long long)block->size, result);
    return true;
}

static struct ws_memory_block *create_block(struct ws_heap *heap, VkDeviceSize size, struct ws_error *error)
{
    struct ws_device *device = heap->device;
    struct ws_memory_block *block = calloc(1, sizeof(*block));
    if (block == NULL || !ws_free_list_init(&block->free, size)) {
        free(block);
        ws_error_set(error, "out of memory");
        return NULL;
    }
    block->size = size;
    VkBufferCreateInfo create_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = heap->kind->usage,
    };
    ws_buffer_share(device, &create_info);
    const VkResult result = device->next.CreateBuffer(device->handle, &create_info, NULL, &block->buffer);
    if (result != VK_SUCCESS) {
        ws_error_set(error, "no buffer for %llu bytes of counters (VkResult %d)", (unsigned long long)size,
                     result);
        goto error;
    }
    if (!allocate_memory(heap, block, error))
        goto error;
    if ((heap->kind->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0) {
        const VkBufferDeviceAddressInfo info = {
            .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
            .buffer = block->buffer,
        };
        block->address = device->next.GetBufferDeviceAddress(device->handle, &info);
    }
    return block;

error:
    destroy_block(device, block);
    return NULL;
}

static struct ws_memory_block *add_block(struct ws_heap *heap, VkDeviceSize needed, struct ws_error *error)
{
    /* More may not even be asked for (VUID-VkBufferCreateInfo-size-06409). */
    const VkDeviceSize largest = heap->device->properties.largest_buffer;
    if (largest > 0 && needed > largest) {
        ws_error_set(error, "the device has no buffers for %llu bytes of counters",
                     (unsigned long long)needed);
        return NULL;
    }
    struct ws_memory_block **blocks = ws_array_grow(heap->blocks, &heap->block_capacity,
                                                    heap->block_count + 1, sizeof(struct ws_memory_block *));
    if (blocks == NULL) {
        ws_error_set(error, "out of memory");
        return NULL;
    }
    heap->blocks = blocks;
    VkDeviceSize size = ws_block_size(heap->total, needed);
    if (largest > 0 && size > largest)
        size = needed;
    struct ws_memory_block *block = create_block(heap, size, error);
    if (block == NULL)
        return NULL;
    blocks[heap->block_count++] = block;
    heap->total += block->size;
    return block;
}

static void describe(const struct ws_memory_block *block, VkDeviceSize offset, VkDeviceSize size,
                     struct ws_memory_range *range)
{
    range->buffer = block->buffer;
    range->offset = offset;
    range->size = size;
    range->address = block->address != 0 ? block->address + offset : 0;
    range->mapped = block->mapped != NULL ? (char *)block->mapped + offset : NULL;
}

bool ws_heap_allocate(struct ws_heap *heap, VkDeviceSize size, struct ws_memory_range *range,
                      struct ws_error *error)
{
    size = (size + WS_MEMORY_ALIGNMENT - 1) / WS_MEMORY_ALIGNMENT * WS_MEMORY_ALIGNMENT;
    uint64_t offset = 0;
    struct ws_memory_block *block = NULL;

    ws_lock(&heap->lock);
    for (uint32_t i = 0; i < heap->block_count && block == NULL; i++)
        if (ws_free_list_take(&heap->blocks[i]->free, size, &offset))
            block = heap->blocks[i];
    if (block == NULL) {
        block = add_block(heap, size, error);
        if (block != NULL)
            ws_free_list_take(&block->free, size, &offset);
    }
    ws_unlock(&heap->lock);
    if (block == NULL)
        return false;
    range->block = block;
    describe(block, offset, size, range);
    return true;
}

static bool is_empty(const struct ws_memory_block *block)
{
    return block->free.count == 1 && block->free.parts[0].size == block->size;
}

static void remove_block(struct ws_heap *heap, struct ws_memory_block *block)
{
    uint32_t index = 0;
    while (heap->blocks[index] != block)
        index++;
    memmove(&heap->blocks[index], &heap->blocks[index + 1],
            (heap->block_count - index - 1) * sizeof(struct ws_memory_block *));
    heap->block_count--;
    heap->total -= block->size;
    destroy_block(heap->device, block);
}

void ws_heap_free(struct ws_heap *heap, struct ws_memory_range *range)
{
    if (range->block == NULL)
        return;
    ws_lock(&heap->lock);
    ws_free_list_give(&range->block->free, range->offset, range->size);
    if (heap->total - range->block->size >= WS_HEAP_KEPT && is_empty(range->block))
        remove_block(heap, range->block);
    ws_unlock(&heap->lock);
    *range = (struct ws_memory_range){0};
}

static void finish(struct ws_device *device)
{
    ws_heap_destroy(device->readback);
    ws_heap_destroy(device->results);
    free(device->queue_family_indices);
    free(device->queue_families);
    device->readback = NULL;
    device->results = NULL;
    device->queue_family_indices = NULL;
    device->queue_families = NULL;
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    PFN_vkGetPhysicalDeviceQueueFamilyProperties query =
        device->instance->next.GetPhysicalDeviceQueueFamilyProperties;
    uint32_t count = 0;
    query(device->physical, &count, NULL);
    device->queue_families = calloc(count, sizeof(*device->queue_families));
    device->queue_family_indices = calloc(count, sizeof(*device->queue_family_indices));
    if (device->queue_families == NULL || device->queue_family_indices == NULL) {
        ws_error_set(error, "out of memory");
        goto error;
    }
    query(device->physical, &count, device->queue_families);
    for (uint32_t i = 0; i < count; i++)
        device->queue_family_indices[i] = i;
    device->queue_family_count = count;

    device->results = ws_heap_create(device, &ws_heap_results, error);
    device->readback = ws_heap_create(device, &ws_heap_readback, error);
    if (device->results == NULL || device->readback == NULL)
        goto error;
    return true;

error:
    finish(device);
    return false;
}

static const struct ws_hook hooks[] = {WS_HOOK_END};

const struct ws_interception ws_memory_interception = {
    .hooks = hooks,
    .device_init = init,
    .device_finish = finish,
};
