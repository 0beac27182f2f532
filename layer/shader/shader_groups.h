/* The shader groups of ray tracing pipelines: which shaders each has, and the handle by which shader binding
 * tables name it. Only where geometry is captured. */
#ifndef WS_LAYER_SHADER_SHADER_GROUPS_H
#define WS_LAYER_SHADER_SHADER_GROUPS_H

#include <stdint.h>

#include <vulkan/vulkan.h>

struct ws_device;
struct ws_pipeline_build;

/* Keeps the groups of a pipeline that was just made and remembered, its libraries' behind its own, and writes
 * its GRUP chunk. A library's groups get no handles: a pipeline that it is linked into has them. */
void ws_shader_groups_remember(struct ws_device *device, VkPipeline handle,
                               const VkRayTracingPipelineCreateInfoKHR *info,
                               const struct ws_pipeline_build *build);

#endif
