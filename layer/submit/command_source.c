#include "layer/submit/command_source.h"

#include <stdlib.h>

#include "layer/core/device.h"
#include "layer/submit/submission.h"
#include "warpscope/base/array.h"

/* Per queue family. */
struct family {
    VkCommandPool pool;
    VkCommandBuffer *idle;
    uint32_t idle_count;
    uint32_t idle_capacity;
};

struct ws_command_source {
    struct family *families;
    uint32_t family_count;
    struct ws_fence *fences; /* unsignalled, without users */
};

struct ws_command_source *ws_command_source_create(struct ws_device *device, struct ws_error *error)
{
    struct ws_command_source *source = calloc(1, sizeof(*source));
    if (source != NULL)
        source->families = calloc(device->queue_family_count, sizeof(*source->families));
    if (source == NULL || source->families == NULL) {
        free(source);
        ws_error_set(error, "out of memory");
        return NULL;
    }
    source->family_count = device->queue_family_count;
    return source;
}

void ws_command_source_destroy(struct ws_device *device, struct ws_command_source *source)
{
    if (source == NULL)
        return;
    /* A pool takes its command buffers with it. */
    for (uint32_t i = 0; i < source->family_count; i++) {
        device->next.DestroyCommandPool(device->handle, source->families[i].pool, NULL);
        free(source->families[i].idle);
    }
    while (source->fences != NULL) {
        struct ws_fence *fence = source->fences;
        source->fences = fence->following;
        device->next.DestroyFence(device->handle, fence->handle, NULL);
        free(fence);
    }
    free(source->families);
    free(source);
}

/* A pool is made when its family is first submitted to: then the application has created a queue of it, as a
 * pool's family must have (VUID-vkCreateCommandPool-queueFamilyIndex-01937). */
static bool have_pool(struct ws_device *device, uint32_t family_index)
{
    struct family *family = &device->submissions->source->families[family_index];
    const VkCommandPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT | VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = family_index,
    };
    return family->pool != VK_NULL_HANDLE ||
           device->next.CreateCommandPool(device->handle, &info, NULL, &family->pool) == VK_SUCCESS;
}

static VkCommandBuffer allocate(struct ws_device *device, struct family *family)
{
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = family->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkCommandBuffer commands = VK_NULL_HANDLE;
    if (device->next.AllocateCommandBuffers(device->handle, &info, &commands) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    /* A dispatchable handle begins with the loader's pointer to its dispatch table. The loader sets it in
     * handles that the application gets; for those that a layer makes, the layer asks for it
     * (vkSetDeviceLoaderData). */
    if (device->set_loader_data(device->handle, commands) != VK_SUCCESS) {
        device->next.FreeCommandBuffers(device->handle, family->pool, 1, &commands);
        return VK_NULL_HANDLE;
    }
    return commands;
}

VkCommandBuffer ws_command_source_begin(struct ws_device *device, uint32_t family_index)
{
    struct family *family = &device->submissions->source->families[family_index];
    if (!have_pool(device, family_index))
        return VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    if (family->idle_count > 0)
        commands = family->idle[--family->idle_count];
    else
        commands = allocate(device, family);
    if (commands == VK_NULL_HANDLE)
        return VK_NULL_HANDLE;

    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    if (device->next.BeginCommandBuffer(commands, &begin) == VK_SUCCESS)
        return commands;
    ws_command_source_recycle(device, family_index, commands);
    return VK_NULL_HANDLE;
}

void ws_command_source_recycle(struct ws_device *device, uint32_t family_index, VkCommandBuffer commands)
{
    struct family *family = &device->submissions->source->families[family_index];
    VkCommandBuffer *idle =
        ws_array_grow(family->idle, &family->idle_capacity, family->idle_count + 1, sizeof(*idle));
    if (idle == NULL) {
        device->next.FreeCommandBuffers(device->handle, family->pool, 1, &commands);
        return;
    }
    family->idle = idle;
    idle[family->idle_count++] = commands;
}

struct ws_fence *ws_fence_take(struct ws_device *device)
{
    struct ws_command_source *source = device->submissions->source;
    struct ws_fence *fence = source->fences;
    if (fence != NULL) {
        source->fences = fence->following;
        fence->users = 1;
        return fence;
    }
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    fence = calloc(1, sizeof(*fence));
    if (fence == NULL ||
        device->next.CreateFence(device->handle, &info, NULL, &fence->handle) != VK_SUCCESS) {
        free(fence);
        return NULL;
    }
    fence->users = 1;
    return fence;
}

struct ws_fence *ws_fence_hold(struct ws_fence *fence)
{
    fence->users++;
    return fence;
}

/* A fence that may be pending may not be reset (VUID-vkResetFences-pFences-01123). It may be destroyed: on a
 * lost device all objects may (the specification, "Lost Device"). */
void ws_fence_release(struct ws_device *device, struct ws_fence *fence)
{
    struct ws_command_source *source = device->submissions->source;
    if (fence == NULL || --fence->users > 0)
        return;
    if (fence->dropped || device->next.ResetFences(device->handle, 1, &fence->handle) != VK_SUCCESS) {
        device->next.DestroyFence(device->handle, fence->handle, NULL);
        free(fence);
        return;
    }
    fence->following = source->fences;
    source->fences = fence;
}
