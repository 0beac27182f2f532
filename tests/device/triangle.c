#include "tests/device/triangle.h"

const float triangle_wide[9] = {-9, -9, 0, 9, -9, 0, 0, 9, 0};

bool triangle_init(struct ws_gpu *gpu, struct triangle *triangle, const float corners[9],
                   struct ws_error *error)
{
    static const uint32_t indices[3] = {0, 1, 2};
    if (!ws_gpu_buffer_init(gpu, &triangle->vertices, WS_GPU_BUILD_INPUT, corners, 9 * sizeof(*corners),
                            error) ||
        !ws_gpu_buffer_init(gpu, &triangle->indices, WS_GPU_BUILD_INPUT, indices, sizeof(indices), error))
        return false;
    const struct ws_gpu_geometry geometry = {.vertices = triangle->vertices.address,
                                             .vertex_count = 3,
                                             .indices = triangle->indices.address,
                                             .triangle_count = 1,
                                             .opaque = true};
    return ws_gpu_bottom_level_init(gpu, &triangle->structure, &geometry, 1, error);
}

void triangle_finish(struct ws_gpu *gpu, struct triangle *triangle)
{
    ws_gpu_acceleration_structure_finish(gpu, &triangle->structure);
    ws_gpu_buffer_finish(gpu, &triangle->indices);
    ws_gpu_buffer_finish(gpu, &triangle->vertices);
}

bool triangle_place(struct ws_gpu *gpu, const struct triangle *triangle, float z, uint32_t custom_index,
                    struct ws_gpu_acceleration_structure *top, struct ws_error *error)
{
    const VkAccelerationStructureInstanceKHR instance = ws_gpu_instance(
        &triangle->structure, (const float[]){0, 0, z}, (const float[]){1, 1, 1}, 0, custom_index, 0);
    return ws_gpu_top_level_init(gpu, top, &instance, 1, error);
}

bool triangle_pipeline(struct ws_gpu *gpu, const struct ws_gpu_bindings *bindings,
                       const struct ws_gpu_shader shaders[3], struct ws_gpu_ray_tracing *pipeline,
                       struct ws_error *error)
{
    const uint32_t none = WS_GPU_NO_SHADER;
    const struct ws_gpu_group groups[] = {
        {0, none, none, none}, {1, none, none, none}, {none, 2, none, none}};
    return ws_gpu_ray_tracing_init(gpu, pipeline, bindings, shaders, 3, groups, 3, 1, error);
}
