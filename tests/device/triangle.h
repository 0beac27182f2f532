/* A scene of one opaque triangle, for tests that trace rays, and the ray tracing pipeline of a shader for each way that a ray
 * can end. */
#ifndef WS_TESTS_DEVICE_TRIANGLE_H
#define WS_TESTS_DEVICE_TRIANGLE_H

#include "examples/base/acceleration_structure.h"
#include "examples/base/ray_tracing.h"

/* Zeroed it may be finished. */
struct triangle {
    struct ws_gpu_buffer vertices;
    struct ws_gpu_buffer indices;
    struct ws_gpu_acceleration_structure structure; /* bottom level */
};

/* A triangle across the z axis, by its corners. */
extern const float triangle_wide[9];

bool triangle_init(struct ws_gpu *gpu, struct triangle *triangle, const float corners[9],
                   struct ws_error *error);
void triangle_finish(struct ws_gpu *gpu, struct triangle *triangle);

/* A top-level structure in which the triangle stands once, moved to `z`, with a custom index. */
bool triangle_place(struct ws_gpu *gpu, const struct triangle *triangle, float z, uint32_t custom_index,
                    struct ws_gpu_acceleration_structure *top, struct ws_error *error);

/* The pipeline of a ray generation, a miss and a closest-hit shader, in this order. */
bool triangle_pipeline(struct ws_gpu *gpu, const struct ws_gpu_bindings *bindings,
                       const struct ws_gpu_shader shaders[3], struct ws_gpu_ray_tracing *pipeline,
                       struct ws_error *error);

#endif
