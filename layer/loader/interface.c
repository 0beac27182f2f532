/* The entry of the layer. The Vulkan loader calls vkNegotiateLoaderLayerInterfaceVersion, the only function
 * that the library exports (layer.map), and gets the two functions below that return all others. */
#include <stdio.h>
#include <string.h>

#include <vulkan/vk_layer.h>

#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/message.h"
#include "layer/core/settings.h"
#include "layer/loader/create.h"
#include "layer/loader/hook_list.h"
#include "layer/loader/known_commands.h"
#include "layer/loader/visible.h"
#include "layer/process/lock.h"
#include "layer/shader/shader_object.h"
#include "passes/settings/settings.h"

static const VkLayerProperties layer_properties = {
    .layerName = WS_LAYER_NAME,
    .specVersion = VK_HEADER_VERSION_COMPLETE,
    .implementationVersion = 1,
    .description = WS_LAYER_DESCRIPTION,
};

static const VkExtensionProperties device_extensions[] = {
    {VK_EXT_TOOLING_INFO_EXTENSION_NAME, VK_EXT_TOOLING_INFO_SPEC_VERSION},
};

static const VkExtensionProperties instance_extensions[] = {
    {VK_EXT_LAYER_SETTINGS_EXTENSION_NAME, VK_EXT_LAYER_SETTINGS_SPEC_VERSION},
};

/* The two-call idiom of every vkEnumerate*: `count` in and out, VK_INCOMPLETE when there is no room. */
static VkResult enumerate(const void *items, size_t size, uint32_t item_count, uint32_t *count, void *out)
{
    if (out == NULL) {
        *count = item_count;
        return VK_SUCCESS;
    }
    const uint32_t given = *count < item_count ? *count : item_count;
    memcpy(out, items, given * size);
    *count = given;
    return given < item_count ? VK_INCOMPLETE : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_instance_layers(uint32_t *count,
                                                                VkLayerProperties *properties)
{
    return enumerate(&layer_properties, sizeof(layer_properties), 1, count, properties);
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_device_layers(VkPhysicalDevice physical, uint32_t *count,
                                                              VkLayerProperties *properties)
{
    (void)physical;
    return enumerate_instance_layers(count, properties);
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_instance_extensions(const char *layer, uint32_t *count,
                                                                    VkExtensionProperties *properties)
{
    if (layer == NULL || !ws_is_layer_name(layer))
        return VK_ERROR_LAYER_NOT_PRESENT;
    return enumerate(instance_extensions, sizeof(instance_extensions[0]),
                     sizeof(instance_extensions) / sizeof(instance_extensions[0]), count, properties);
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_device_extensions(VkPhysicalDevice physical,
                                                                  const char *layer, uint32_t *count,
                                                                  VkExtensionProperties *properties)
{
    if (layer != NULL && ws_is_layer_name(layer))
        return enumerate(device_extensions, sizeof(device_extensions[0]),
                         sizeof(device_extensions) / sizeof(device_extensions[0]), count, properties);
    const struct ws_instance *instance = ws_instance_of(physical);
    return instance->next.EnumerateDeviceExtensionProperties(physical, layer, count, properties);
}

/* VK_EXT_tooling_info: this layer first, then those of the layers below and the driver. */
static VKAPI_ATTR VkResult VKAPI_CALL get_tool_properties(VkPhysicalDevice physical, uint32_t *count,
                                                          VkPhysicalDeviceToolProperties *properties)
{
    const struct ws_instance *instance = ws_instance_of(physical);
    PFN_vkGetPhysicalDeviceToolProperties next = instance->next.GetPhysicalDeviceToolProperties;
    uint32_t below = 0;
    VkResult result = VK_SUCCESS;

    if (properties == NULL) {
        if (next != NULL)
            result = next(physical, &below, NULL);
        *count = below + 1;
        return result;
    }
    if (*count == 0)
        return VK_INCOMPLETE;
    VkPhysicalDeviceToolProperties *ours = &properties[0];
    snprintf(ours->name, sizeof(ours->name), "Warpscope");
    snprintf(ours->version, sizeof(ours->version), "%s", WS_VERSION);
    snprintf(ours->description, sizeof(ours->description), "%s", WS_LAYER_DESCRIPTION);
    snprintf(ours->layer, sizeof(ours->layer), "%s", WS_LAYER_NAME);
    ours->purposes = VK_TOOL_PURPOSE_PROFILING_BIT;
    if (instance->active)
        ours->purposes |= VK_TOOL_PURPOSE_TRACING_BIT | VK_TOOL_PURPOSE_MODIFYING_FEATURES_BIT;

    below = *count - 1;
    if (next != NULL)
        result = next(physical, &below, &properties[1]);
    else
        below = 0;
    *count = below + 1;
    return result;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice handle, const char *name);

static const struct ws_hook instance_hooks[] = {
    WS_HOOK(GetInstanceProcAddr, ws_get_instance_proc_addr),
    WS_HOOK(GetDeviceProcAddr, get_device_proc_addr),
    WS_HOOK(CreateInstance, ws_create_instance),
    WS_HOOK(DestroyInstance, ws_destroy_instance),
    WS_HOOK(CreateDevice, ws_create_device),
    WS_HOOK(DestroyDevice, ws_destroy_device),
    WS_HOOK(EnumerateInstanceLayerProperties, enumerate_instance_layers),
    WS_HOOK(EnumerateInstanceExtensionProperties, enumerate_instance_extensions),
    WS_HOOK(EnumerateDeviceLayerProperties, enumerate_device_layers),
    WS_HOOK(EnumerateDeviceExtensionProperties, enumerate_device_extensions),
    WS_HOOK(GetPhysicalDeviceToolProperties, get_tool_properties),
    WS_HOOK(GetPhysicalDeviceToolPropertiesEXT, get_tool_properties),
    WS_HOOK_END,
};

/* Only while passes are on. */
static const struct ws_hook active_instance_hooks[] = {
    WS_HOOK(CreateDebugUtilsMessengerEXT, ws_create_messenger),
    WS_HOOK(DestroyDebugUtilsMessengerEXT, ws_destroy_messenger),
    WS_HOOK(GetPhysicalDeviceProperties2, ws_get_physical_device_properties2),
    WS_HOOK(GetPhysicalDeviceProperties2KHR, ws_get_physical_device_properties2),
    WS_HOOK_END,
};

static PFN_vkVoidFunction find_hook(const struct ws_hook *hooks, const char *name)
{
    while (hooks->name != NULL && strcmp(hooks->name, name) != 0)
        hooks++;
    return hooks->function;
}

/* Of device functions only those of debug-utils are returned here (dispatch.h). The loader takes the others
 * from vkGetDeviceProcAddr, where it is known whether the device is active. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL ws_get_instance_proc_addr(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction hook = find_hook(instance_hooks, name);
    const struct ws_instance *known = instance != VK_NULL_HANDLE ? ws_instance_of(instance) : NULL;
    if (hook != NULL || known == NULL)
        return hook;
    PFN_vkVoidFunction next = known->next.GetInstanceProcAddr(instance, name);
    if (known->active && next != NULL) {
        hook = find_hook(active_instance_hooks, name);
        if (hook == NULL && ws_dispatch_is_debug_utils(name))
            hook = ws_hook_list_find(known->settings, name);
    }
    return hook != NULL ? hook : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice handle, const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_device_proc_addr;
    if (strcmp(name, "vkDestroyDevice") == 0)
        return (PFN_vkVoidFunction)ws_destroy_device;

    const struct ws_device *device = ws_device_of(handle);
    if (device == NULL)
        return NULL;
    PFN_vkVoidFunction next = device->next.GetDeviceProcAddr(handle, name);
    if (next == NULL || !ws_command_is_visible(device, name))
        return NULL;
    if (!device->active)
        return next;
    PFN_vkVoidFunction hook = ws_hook_list_find(device->settings, name);
    if (hook != NULL)
        return hook;
    ws_command_say_unknown(device->instance, name);
    return next;
}

static void finish(void)
{
    ws_devices_each(ws_hook_list_device_flush);
    ws_capture_finish();
}

/* When the process ends without destroying its devices, writes what is known. */
__attribute__((destructor)) static void end(void)
{
    if (ws_capture_is_here() && !ws_end_process(finish))
        ws_message_print(
            "the program ended in the middle of a Vulkan call; what that call had not yet written is "
            "not in the capture, what is there stays readable");
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    /* Version 2 is the first with this function; every loader since 2017 has it. */
    if (interface->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT || interface->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = ws_get_instance_proc_addr;
    interface->pfnGetDeviceProcAddr = get_device_proc_addr;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
