/* VK_EXT_shader_object: shaders without pipelines, each kept as a pipeline of one shader. */
#ifndef WS_LAYER_SHADER_SHADER_OBJECT_H
#define WS_LAYER_SHADER_SHADER_OBJECT_H

#include <vulkan/vulkan.h>

/* vkGetPhysicalDeviceProperties2 while passes are on. */
VKAPI_ATTR void VKAPI_CALL ws_get_physical_device_properties2(VkPhysicalDevice physical,
                                                              VkPhysicalDeviceProperties2 *properties);

#endif
