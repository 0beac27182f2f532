/* The path tracer's shaders, as the build compiled them. */
#ifndef WS_EXAMPLES_PATH_TRACER_SHADERS_H
#define WS_EXAMPLES_PATH_TRACER_SHADERS_H

#include "examples/base/ray_tracing.h"

/* Indices of the shaders. */
enum ws_path_tracer_shader {
    WS_SHADER_RAYGEN,
    WS_SHADER_SKY,
    WS_SHADER_SHADOW,
    WS_SHADER_MESH,
    WS_SHADER_SPHERE,
    WS_SHADER_SCREEN,
    WS_SHADER_INTERSECTION,
    WS_SHADER_DIFFUSE,
    WS_SHADER_METAL,
    WS_SHADER_GLASS,
    WS_SHADER_GLAZED,
    WS_SHADER_COUNT,
};

/* What --materials and --order take besides: closest-hit shaders that can have a patchwork of materials, such a material,
 * and what traces in waves (waves.h). */
enum ws_path_tracer_further {
    WS_FURTHER_MESH,
    WS_FURTHER_SPHERE,
    WS_FURTHER_PATCH,
    WS_FURTHER_FIND,
    WS_FURTHER_SHADE,
    WS_FURTHER_RESOLVE,
    WS_FURTHER_SEEN_MESH,
    WS_FURTHER_SEEN_SPHERE,
    WS_FURTHER_UNSEEN,
    WS_FURTHER_SORT,
    WS_FURTHER_COUNT,
};

const struct ws_gpu_shader *ws_path_tracer_further_shaders(void);

/* All WS_SHADER_COUNT shaders: the plain ones, or those that count their own executions. */
const struct ws_gpu_shader *ws_path_tracer_shaders(bool counting);

#endif
