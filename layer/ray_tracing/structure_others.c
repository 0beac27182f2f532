/* Acceleration structures of VK_NV_ray_tracing, which are not captured. Each is counted as skipped when it is created. */
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "warpscope/instrument.h"

static VkResult count(struct ws_device *device, VkResult result, const char *reason)
{
    if (result == VK_SUCCESS)
        ws_capture_skip(device->capture, WS_SKIP_GEOMETRY, WS_NONE, WS_NONE, WS_NONE, 1, reason);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_structure_nv(VkDevice handle,
                                                          const VkAccelerationStructureCreateInfoNV *info,
                                                          const VkAllocationCallbacks *allocator,
                                                          VkAccelerationStructureNV *structure)
{
    struct ws_device *device = ws_device_of(handle);
    return count(device, device->next.CreateAccelerationStructureNV(handle, info, allocator, structure),
                 "acceleration structures of VK_NV_ray_tracing are not captured");
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateAccelerationStructureNV, create_structure_nv),
    WS_HOOK_END,
};

const struct ws_interception ws_structure_others_interception = {.hooks = hooks, .geometry = true};
