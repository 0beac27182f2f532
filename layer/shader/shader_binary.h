/* The binaries of shader objects (VK_EXT_shader_object) that applications get and load while passes are on.
 *
 * The driver's binary of an instrumented shader is of no use outside its device: it has the address and the
 * slot of the device that it was made on. But a binary must load on each device of a physical device, and be
 * the same on each (vkGetShaderBinaryDataEXT). So the application gets a binary of ours: a header, the
 * application's own specialization, SPIR-V and entry point. Loaded again, in this run or another that is
 * recorded, it is instrumented as the SPIR-V is.
 *
 * No driver takes it for its own: it begins with a word of ours, and the UUID of binaries is another while
 * passes are on. All functions are thread-safe: a shader does not change. */
#ifndef WS_LAYER_SHADER_SHADER_BINARY_H
#define WS_LAYER_SHADER_SHADER_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/core/vulkan_newer.h"

struct ws_shader;

/* Bytes of a shader's binary. */
size_t ws_shader_binary_size(const struct ws_shader *shader);

/* Writes the binary: ws_shader_binary_size bytes. */
void ws_shader_binary_write(const struct ws_shader *shader, void *data);

/* Makes `info`, whose code is a binary of ours for its stage, a shader of SPIR-V, which points into the
 * binary and to `specialization`. The caller frees specialization->pMapEntries. False, and `info` as it was,
 * where the code is something else, or there is no memory. */
bool ws_shader_binary_open(VkShaderCreateInfoEXT *info, VkSpecializationInfo *specialization);

/* Changes the UUID that tells the binaries of one driver from those of another. */
void ws_shader_binary_change_uuid(uint8_t uuid[VK_UUID_SIZE]);

#endif
