/* VK_EXT_shader_object: shaders without pipelines, each kept as a pipeline of one shader; and their binaries.
 *
 * BINARIES. An application may keep a shader's binary in a file and load it in another run, where the memory that
 * the shader counts in is not there. So while passes are on
 *   - shaderBinaryUUID is another one in each run: a careful application takes none that another run made;
 *   - the binary of an instrumented shader leaves the layer behind a tag of this run, and without it only
 *     on this device: drivers refuse what begins with the tag (VK_INCOMPATIBLE_SHADER_BINARY_EXT), with
 *     Warpscope and without, and the application falls back on its SPIR-V. */
#ifndef WS_LAYER_SHADER_SHADER_OBJECT_H
#define WS_LAYER_SHADER_SHADER_OBJECT_H

#include <vulkan/vulkan.h>

/* vkGetPhysicalDeviceProperties2 while passes are on. */
VKAPI_ATTR void VKAPI_CALL ws_get_physical_device_properties2(VkPhysicalDevice physical,
                                                              VkPhysicalDeviceProperties2 *properties);

#endif
