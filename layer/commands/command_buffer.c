#include "layer/commands/command_buffer.h"
#include "layer/commands/bound_sets.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"

/* Each hooked command looks its command buffer up, most often the same as the thread's last command did: that
 * one is kept per thread, without a lock. The generation rises whenever a command buffer is freed, since its
 * handle may be given to another one. */
static _Atomic uint64_t generation = 1;
static _Thread_local struct {
    VkCommandBuffer handle;
    struct ws_command_buffer *commands;
    uint64_t generation;
} last;

struct ws_command_buffer *ws_command_buffer_of(VkCommandBuffer handle)
{
    const uint64_t now = atomic_load_explicit(&generation, memory_order_acquire);
    if (last.handle != handle || last.generation != now) {
        last.commands = ws_objects_find(ws_device_of(handle), WS_OBJECT_COMMAND_BUFFER, WS_HANDLE(handle));
        last.handle = handle;
        /* A command buffer of an inactive device is not known, and freed without our knowledge: it is not
         * kept. */
        last.generation = last.commands != NULL ? now : 0;
    }
    return last.commands;
}

static struct ws_command_pool *pool_of(struct ws_device *device, VkCommandPool handle)
{
    return ws_objects_find(device, WS_OBJECT_COMMAND_POOL, WS_HANDLE(handle));
}

/* Back to the initial state; submissions that are pending keep their own reference to the recording. */
static void reset(struct ws_command_buffer *commands)
{
    ws_recording_release(commands->recording);
    commands->recording = NULL;
    commands->continues_render_pass = false;
    commands->waits_for_host = false;
    commands->bindings = (struct ws_bindings){0};
    ws_bound_sets_clear(commands->bound);
    ws_labels_clear(&commands->labels);
    ws_render_pass_clear(&commands->render_pass);
    ws_uses_clear(&commands->uses);
}

/* Forgets a command buffer. This comes before the next layer frees it: from then on another thread may be
 * given the same handle. */
static void destroy(struct ws_command_buffer *commands)
{
    ws_objects_remove(commands->device, WS_OBJECT_COMMAND_BUFFER, WS_HANDLE(commands->handle));
    atomic_fetch_add_explicit(&generation, 1, memory_order_release);
    if (commands->previous != NULL)
        commands->previous->following = commands->following;
    else
        commands->pool->buffers = commands->following;
    if (commands->following != NULL)
        commands->following->previous = commands->previous;

    ws_recording_release(commands->recording);
    ws_bound_sets_finish(commands->bound);
    ws_labels_finish(&commands->labels);
    ws_render_pass_finish(&commands->render_pass);
    ws_uses_finish(&commands->uses);
    free(commands->name);
    free(commands);
}

static bool create(struct ws_device *device, struct ws_command_pool *pool, VkCommandBufferLevel level,
                   VkCommandBuffer handle)
{
    struct ws_command_buffer *commands = calloc(1, sizeof(*commands));
    if (commands == NULL)
        return false;
    commands->handle = handle;
    commands->device = device;
    commands->pool = pool;
    commands->secondary = level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    if (!ws_objects_add(device, WS_OBJECT_COMMAND_BUFFER, WS_HANDLE(handle), commands)) {
        free(commands);
        return false;
    }
    commands->following = pool->buffers;
    if (pool->buffers != NULL)
        pool->buffers->previous = commands;
    pool->buffers = commands;
    return true;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_command_pool(VkDevice handle,
                                                          const VkCommandPoolCreateInfo *create_info,
                                                          const VkAllocationCallbacks *allocator,
                                                          VkCommandPool *pool_handle)
{
    struct ws_device *device = ws_device_of(handle);
    struct ws_command_pool *pool = calloc(1, sizeof(*pool));
    if (pool == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = device->next.CreateCommandPool(handle, create_info, allocator, pool_handle);
    if (result != VK_SUCCESS) {
        free(pool);
        return result;
    }
    pool->handle = *pool_handle;
    pool->family = create_info->queueFamilyIndex;
    pool->protected = (create_info->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT) != 0;
    if (!ws_objects_add(device, WS_OBJECT_COMMAND_POOL, WS_HANDLE(*pool_handle), pool)) {
        device->next.DestroyCommandPool(handle, *pool_handle, allocator);
        *pool_handle = VK_NULL_HANDLE;
        free(pool);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return VK_SUCCESS;
}

static void destroy_pool(struct ws_command_pool *pool)
{
    if (pool == NULL)
        return;
    while (pool->buffers != NULL)
        destroy(pool->buffers);
    free(pool);
}

static VKAPI_ATTR void VKAPI_CALL destroy_command_pool(VkDevice handle, VkCommandPool pool,
                                                       const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    destroy_pool(ws_objects_remove(device, WS_OBJECT_COMMAND_POOL, WS_HANDLE(pool)));
    device->next.DestroyCommandPool(handle, pool, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_command_pool(VkDevice handle, VkCommandPool pool_handle,
                                                         VkCommandPoolResetFlags flags)
{
    struct ws_device *device = ws_device_of(handle);
    const struct ws_command_pool *pool = pool_of(device, pool_handle);
    for (struct ws_command_buffer *commands = pool->buffers; commands != NULL; commands = commands->following)
        reset(commands);
    return device->next.ResetCommandPool(handle, pool_handle, flags);
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_command_buffers(VkDevice handle,
                                                               const VkCommandBufferAllocateInfo *info,
                                                               VkCommandBuffer *buffers)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.AllocateCommandBuffers(handle, info, buffers);
    if (result != VK_SUCCESS)
        return result;
    struct ws_command_pool *pool = pool_of(device, info->commandPool);
    uint32_t made = 0;
    while (made < info->commandBufferCount && create(device, pool, info->level, buffers[made]))
        made++;
    if (made == info->commandBufferCount)
        return VK_SUCCESS;

    /* When this function fails, nothing stays allocated and the array holds null handles (the specification,
     * "vkAllocateCommandBuffers"). */
    while (made-- > 0)
        destroy(pool->buffers);
    device->next.FreeCommandBuffers(handle, info->commandPool, info->commandBufferCount, buffers);
    memset(buffers, 0, info->commandBufferCount * sizeof(*buffers));
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VKAPI_ATTR void VKAPI_CALL free_command_buffers(VkDevice handle, VkCommandPool pool, uint32_t count,
                                                       const VkCommandBuffer *buffers)
{
    struct ws_device *device = ws_device_of(handle);
    for (uint32_t i = 0; i < count; i++) {
        struct ws_command_buffer *commands =
            buffers[i] != VK_NULL_HANDLE
                ? ws_objects_find(device, WS_OBJECT_COMMAND_BUFFER, WS_HANDLE(buffers[i]))
                : NULL;
        if (commands != NULL)
            destroy(commands);
    }
    device->next.FreeCommandBuffers(handle, pool, count, buffers);
}

static VKAPI_ATTR VkResult VKAPI_CALL begin_command_buffer(VkCommandBuffer handle,
                                                           const VkCommandBufferBeginInfo *info)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    reset(commands);
    commands->recording = ws_recording_create(commands->device);
    if (commands->recording != NULL)
        commands->recording->simultaneous = (info->flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) != 0;
    /* The flag is ignored for primary ones. */
    commands->continues_render_pass =
        commands->secondary && (info->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0;
    commands->render_pass.open = commands->continues_render_pass;
    commands->bindings.graphics_changed = true;
    return commands->device->next.BeginCommandBuffer(handle, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL end_command_buffer(VkCommandBuffer handle)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    ws_render_pass_carry(commands);
    if (commands->recording != NULL && !commands->secondary)
        ws_recording_end(commands->recording, handle);
    return commands->device->next.EndCommandBuffer(handle);
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_command_buffer(VkCommandBuffer handle,
                                                           VkCommandBufferResetFlags flags)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    reset(commands);
    return commands->device->next.ResetCommandBuffer(handle, flags);
}

void ws_command_buffer_set_name(struct ws_device *device, VkCommandBuffer handle, const char *name)
{
    struct ws_command_buffer *commands = ws_objects_find(device, WS_OBJECT_COMMAND_BUFFER, WS_HANDLE(handle));
    if (commands == NULL)
        return;
    free(commands->name);
    commands->name = name != NULL && name[0] != '\0' ? strdup(name) : NULL;
}

/* An application may leave its pools to vkDestroyDevice, though it must not. */
static void finish(struct ws_device *device)
{
    struct ws_command_pool *pool;
    while ((pool = ws_objects_remove_any(device, WS_OBJECT_COMMAND_POOL)) != NULL)
        destroy_pool(pool);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateCommandPool, create_command_pool),
    WS_HOOK(DestroyCommandPool, destroy_command_pool),
    WS_HOOK(ResetCommandPool, reset_command_pool),
    WS_HOOK(AllocateCommandBuffers, allocate_command_buffers),
    WS_HOOK(FreeCommandBuffers, free_command_buffers),
    WS_HOOK(BeginCommandBuffer, begin_command_buffer),
    WS_HOOK(EndCommandBuffer, end_command_buffer),
    WS_HOOK(ResetCommandBuffer, reset_command_buffer),
    WS_HOOK_END,
};

const struct ws_interception ws_command_buffer_interception = {
    .hooks = hooks,
    .device_finish = finish,
};
