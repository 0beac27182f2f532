/* The door between the loader and the layer. */
#ifndef WS_LAYER_CORE_INTERFACE_H
#define WS_LAYER_CORE_INTERFACE_H

#include <vulkan/vulkan.h>

#define WS_LAYER_NAME        "VK_LAYER_WARPSCOPE_capture"
#define WS_LAYER_DESCRIPTION "Warpscope: what really happens inside the shaders of an application"

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL ws_get_instance_proc_addr(VkInstance instance, const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL ws_get_device_proc_addr(VkDevice device, const char *name);

#endif
