#include "layer/loader/visible.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "layer/core/device.h"

/* A command that the layer may make available: of a core version, or of an extension. */
struct added {
    const char *name;
    uint32_t version; /* 0 = of an extension */
    enum ws_added_extension extension;
};

/* Device commands of the versions that the layer raises an instance to (create_instance.c). */
#define COMMANDS_1_1(X)                                                                                      \
    X(BindBufferMemory2)                                                                                     \
    X(BindImageMemory2)                                                                                      \
    X(CmdDispatchBase)                                                                                       \
    X(CmdSetDeviceMask)                                                                                      \
    X(CreateDescriptorUpdateTemplate)                                                                        \
    X(CreateSamplerYcbcrConversion)                                                                          \
    X(DestroyDescriptorUpdateTemplate)                                                                       \
    X(DestroySamplerYcbcrConversion)                                                                         \
    X(GetBufferMemoryRequirements2)                                                                          \
    X(GetDescriptorSetLayoutSupport)                                                                         \
    X(GetDeviceGroupPeerMemoryFeatures)                                                                      \
    X(GetDeviceQueue2)                                                                                       \
    X(GetImageMemoryRequirements2)                                                                           \
    X(GetImageSparseMemoryRequirements2)                                                                     \
    X(TrimCommandPool)                                                                                       \
    X(UpdateDescriptorSetWithTemplate)
#define COMMANDS_1_2(X)                                                                                      \
    X(CmdBeginRenderPass2)                                                                                   \
    X(CmdDrawIndexedIndirectCount)                                                                           \
    X(CmdDrawIndirectCount)                                                                                  \
    X(CmdEndRenderPass2)                                                                                     \
    X(CmdNextSubpass2)                                                                                       \
    X(CreateRenderPass2)                                                                                     \
    X(GetBufferDeviceAddress)                                                                                \
    X(GetBufferOpaqueCaptureAddress)                                                                         \
    X(GetDeviceMemoryOpaqueCaptureAddress)                                                                   \
    X(GetSemaphoreCounterValue)                                                                              \
    X(ResetQueryPool)                                                                                        \
    X(SignalSemaphore)                                                                                       \
    X(WaitSemaphores)

#define ADDED_1_1(name) {"vk" #name, VK_API_VERSION_1_1, 0},
#define ADDED_1_2(name) {"vk" #name, VK_API_VERSION_1_2, 0},
static const struct added added[] = {
    COMMANDS_1_1(ADDED_1_1) COMMANDS_1_2(ADDED_1_2){"vkGetBufferDeviceAddressKHR", 0, WS_ADDED_ADDRESSES},
    {"vkGetBufferOpaqueCaptureAddressKHR", 0, WS_ADDED_ADDRESSES},
    {"vkGetDeviceMemoryOpaqueCaptureAddressKHR", 0, WS_ADDED_ADDRESSES},
    {"vkGetMemoryHostPointerPropertiesEXT", 0, WS_ADDED_HOST_IMPORT},
};
#undef ADDED_1_1
#undef ADDED_1_2

/* Whether the application asked for no version as late as this, but the next layer is asked for it. */
static bool is_raised_to(const struct ws_instance *instance, uint32_t version)
{
    return instance->application_version < version && version <= instance->api_version;
}

bool ws_command_is_visible(const struct ws_device *device, const char *name)
{
    for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++) {
        if (strcmp(added[i].name, name) != 0)
            continue;
        return added[i].version != 0 ? !is_raised_to(device->instance, added[i].version)
                                     : (device->added_extensions & added[i].extension) == 0;
    }
    return true;
}
