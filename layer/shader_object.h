/* VK_EXT_shader_object: what of it concerns physical devices. */
#ifndef WS_LAYER_SHADER_OBJECT_H
#define WS_LAYER_SHADER_OBJECT_H

#include <vulkan/vulkan.h>

/* vkGetPhysicalDeviceProperties2 while passes are on: shaderBinaryUUID is another one in each run. The
 * application could otherwise keep the binary of an instrumented shader and load it in another run, where
 * the memory that it counts in is not there. */
VKAPI_ATTR void VKAPI_CALL ws_get_physical_device_properties2(VkPhysicalDevice physical,
                                                              VkPhysicalDeviceProperties2 *properties);

#endif
