#include "layer/commands/framebuffer.h"

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"

uint32_t ws_framebuffer_layers(struct ws_device *device, VkFramebuffer framebuffer)
{
    /* The map's value is the number itself: at least 1, so never NULL. */
    return (uint32_t)(uintptr_t)ws_objects_find(device, WS_OBJECT_FRAMEBUFFER, WS_HANDLE(framebuffer));
}

static VKAPI_ATTR VkResult VKAPI_CALL create_framebuffer(VkDevice handle,
                                                         const VkFramebufferCreateInfo *create_info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkFramebuffer *framebuffer)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateFramebuffer(handle, create_info, allocator, framebuffer);
    if (result == VK_SUCCESS)
        ws_objects_add(device, WS_OBJECT_FRAMEBUFFER, WS_HANDLE(*framebuffer),
                       (void *)(uintptr_t)create_info->layers);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_framebuffer(VkDevice handle, VkFramebuffer framebuffer,
                                                      const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    ws_objects_remove(device, WS_OBJECT_FRAMEBUFFER, WS_HANDLE(framebuffer));
    device->next.DestroyFramebuffer(handle, framebuffer, allocator);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateFramebuffer, create_framebuffer),
    WS_HOOK(DestroyFramebuffer, destroy_framebuffer),
    WS_HOOK_END,
};

const struct ws_interception ws_framebuffer_interception = {.hooks = hooks};
