/* Memory that the application allocates, what images lie in it, and views of buffers, where it is followed what is bound.
 * Buffers are followed in ray_tracing/buffer.c, images and their views in image/image.c, which hook their functions. */
#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/core/vulkan_newer.h"
#include "layer/resources/resource.h"
#include "warpscope/instrument.h"

static VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkDeviceMemory *memory)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.AllocateMemory(handle, info, allocator, memory);
    if (result != VK_SUCCESS)
        return result;
    const VkPhysicalDeviceMemoryProperties *known = &device->properties.memory;
    const struct ws_resource about = {
        .kind = WS_RESOURCE_ALLOCATION,
        .within = WS_NONE,
        .size = info->allocationSize,
        .memory_type = info->memoryTypeIndex,
        .properties = info->memoryTypeIndex < known->memoryTypeCount
                          ? known->memoryTypes[info->memoryTypeIndex].propertyFlags
                          : 0,
    };
    ws_resource_add(device, WS_HANDLE(*memory), &about);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_image(VkDevice handle, VkImage image, VkDeviceMemory memory,
                                                 VkDeviceSize offset)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.BindImageMemory(handle, image, memory, offset);
    if (result == VK_SUCCESS)
        ws_resource_place(device, WS_RESOURCE_IMAGE, WS_HANDLE(image), memory, offset);
    return result;
}

/* An image of several planes may be bound plane by plane: it is where its first plane is. One of a swapchain is bound to no
 * allocation. */
static VKAPI_ATTR VkResult VKAPI_CALL bind_image2(VkDevice handle, uint32_t count,
                                                  const VkBindImageMemoryInfo *infos)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.BindImageMemory2(handle, count, infos);
    for (uint32_t i = 0; i < count; i++) {
        const VkBindImagePlaneMemoryInfo *plane =
            ws_chain_find(infos[i].pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
        const bool first = plane == NULL || plane->planeAspect == VK_IMAGE_ASPECT_PLANE_0_BIT;
        if (infos[i].memory != VK_NULL_HANDLE && first && ws_resource_was_bound(result, infos[i].pNext))
            ws_resource_place(device, WS_RESOURCE_IMAGE, WS_HANDLE(infos[i].image), infos[i].memory,
                              infos[i].memoryOffset);
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer_view(VkDevice handle, const VkBufferViewCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkBufferView *view)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateBufferView(handle, info, allocator, view);
    if (result != VK_SUCCESS)
        return result;
    const struct ws_resource about = {
        .kind = WS_RESOURCE_BUFFER_VIEW,
        .within = ws_resource_find(device, WS_RESOURCE_BUFFER, WS_HANDLE(info->buffer)),
        .offset = info->offset,
        .size = info->range != VK_WHOLE_SIZE ? info->range : 0,
        .memory_type = WS_NONE,
        .format = info->format,
    };
    ws_resource_add(device, WS_HANDLE(*view), &about);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_buffer_view(VkDevice handle, VkBufferView view,
                                                      const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    ws_resource_remove(device, WS_RESOURCE_BUFFER_VIEW, WS_HANDLE(view));
    device->next.DestroyBufferView(handle, view, allocator);
}

static bool init(struct ws_device *device, struct ws_error *error)
{
    device->resources = ws_resources_create();
    return device->resources != NULL || ws_error_set(error, "out of memory");
}

static void finish(struct ws_device *device)
{
    ws_resources_destroy(device->resources);
    device->resources = NULL;
}

static const struct ws_hook hooks[] = {
    WS_HOOK(AllocateMemory, allocate_memory),        WS_HOOK(BindImageMemory, bind_image),
    WS_HOOK(BindImageMemory2, bind_image2),          WS_HOOK(CreateBufferView, create_buffer_view),
    WS_HOOK(DestroyBufferView, destroy_buffer_view), WS_HOOK_END,
};

const struct ws_interception ws_allocation_interception = {
    .hooks = hooks,
    .bindings = true,
    .device_init = init,
    .device_finish = finish,
};
