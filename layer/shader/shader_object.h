/* VK_EXT_shader_object: shaders without pipelines, each kept as a pipeline of one shader; and their binaries.
 *
 * BINARIES. An application may keep a shader's binary in a file and load it in another run, in which the
 * memory that the shader counts in does not exist. So while passes are on
 *   - shaderBinaryUUID differs from run to run: a careful application uses no binary of another run;
 *   - the binary of an instrumented shader that the application gets begins with a tag of this run. The layer
 *     removes the tag in this run and on this device only. Otherwise the driver refuses the binary because of
 *     the tag (VK_INCOMPATIBLE_SHADER_BINARY_EXT), and the application falls back on its SPIR-V. */
#ifndef WS_LAYER_SHADER_SHADER_OBJECT_H
#define WS_LAYER_SHADER_SHADER_OBJECT_H

#include <vulkan/vulkan.h>

/* vkGetPhysicalDeviceProperties2 while passes are on. */
VKAPI_ATTR void VKAPI_CALL ws_get_physical_device_properties2(VkPhysicalDevice physical,
                                                              VkPhysicalDeviceProperties2 *properties);

#endif
