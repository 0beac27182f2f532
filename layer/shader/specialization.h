/* The specialization of instrumented shaders: the application's and the constants of root.h. */
#ifndef WS_LAYER_SHADER_SPECIALIZATION_H
#define WS_LAYER_SHADER_SPECIALIZATION_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

struct ws_device;
struct ws_shader;

/* `original` is copied; NULL = none. Free with ws_specialization_finish. False when there is no memory. */
bool ws_specialization_init(VkSpecializationInfo *info, struct ws_device *device,
                            const struct ws_shader *shader, const VkSpecializationInfo *original);

/* Accepts a zeroed struct. */
void ws_specialization_finish(VkSpecializationInfo *info);

#endif
