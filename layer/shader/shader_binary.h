/* Binaries of instrumented shader objects. An application may keep a shader's binary in a file and load it
 * in another run, where the memory that the shader counts in is not there. So while passes are on
 *   - shaderBinaryUUID is another one in each run: a careful application takes none that another run made;
 *   - the binary of an instrumented shader leaves the layer behind a tag of this run, and without it only
 *     on this device: drivers refuse what begins with the tag (VK_INCOMPATIBLE_SHADER_BINARY_EXT), with
 *     Warpscope and without, and the application falls back on its SPIR-V. */
#ifndef WS_LAYER_SHADER_SHADER_BINARY_H
#define WS_LAYER_SHADER_SHADER_BINARY_H

#include <vulkan/vulkan.h>

#include "layer/core/vulkan_newer.h"

struct ws_device;
struct ws_shader;

/* vkGetPhysicalDeviceProperties2 while passes are on. */
VKAPI_ATTR void VKAPI_CALL ws_get_physical_device_properties2(VkPhysicalDevice physical,
                                                              VkPhysicalDeviceProperties2 *properties);

/* vkGetShaderBinaryDataEXT of an active device. */
VKAPI_ATTR VkResult VKAPI_CALL ws_get_shader_binary_data(VkDevice handle, VkShaderEXT shader, size_t *size,
                                                         void *data);

/* The shader whose binary `info` holds behind its tag, which is taken off the info; NULL, and the info as it
 * was, when it is no binary of an instrumented shader of this device. */
struct ws_shader *ws_shader_binary_open(struct ws_device *device, VkShaderCreateInfoEXT *info);

#endif
