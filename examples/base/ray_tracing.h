/* A ray-tracing pipeline with its shader binding table. */
#ifndef WS_EXAMPLES_BASE_RAY_TRACING_H
#define WS_EXAMPLES_BASE_RAY_TRACING_H

#include "examples/base/bindings.h"

#define WS_GPU_SHADERS_MAX 192
#define WS_GPU_NO_SHADER   VK_SHADER_UNUSED_KHR

/* A shader group by indices of shaders: a general one (`general` set, the rest WS_GPU_NO_SHADER), or a hit
 * group, procedural where it has an intersection shader. */
struct ws_gpu_group {
    uint32_t general;
    uint32_t closest_hit;
    uint32_t any_hit;
    uint32_t intersection;
};

/* In the table, ray generation groups, miss groups, hit groups and callable groups stand apart, each kind
 * in the order in which its groups are given. */
struct ws_gpu_ray_tracing {
    VkPipeline pipeline;
    struct ws_gpu_buffer table;
    VkStridedDeviceAddressRegionKHR raygen; /* the first; the others follow at multiples of its stride */
    VkStridedDeviceAddressRegionKHR miss;
    VkStridedDeviceAddressRegionKHR hit;
    VkStridedDeviceAddressRegionKHR callable;
};

/* Makes pipeline and table. At most WS_GPU_SHADERS_MAX shaders and as many groups; `recursion` is the
 * depth of traceRay calls, 1 = only from ray generation. */
bool ws_gpu_ray_tracing_init(struct ws_gpu *gpu, struct ws_gpu_ray_tracing *ray_tracing,
                             const struct ws_gpu_bindings *bindings, const struct ws_gpu_shader *shaders,
                             uint32_t shader_count, const struct ws_gpu_group *groups, uint32_t group_count,
                             uint32_t recursion, struct ws_error *error);
void ws_gpu_ray_tracing_finish(struct ws_gpu *gpu, struct ws_gpu_ray_tracing *ray_tracing);

/* Records a trace from the ray generation group number `raygen`. The pipeline must be bound. */
void ws_gpu_trace_rays(VkCommandBuffer commands, const struct ws_gpu_ray_tracing *ray_tracing,
                       uint32_t raygen, uint32_t width, uint32_t height);

#endif
