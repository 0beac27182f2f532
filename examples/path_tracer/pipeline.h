/* The ray-tracing pipeline of the path tracer: which shaders it has, and in which groups. */
#ifndef WS_EXAMPLES_PATH_TRACER_PIPELINE_H
#define WS_EXAMPLES_PATH_TRACER_PIPELINE_H

#include "examples/base/ray_tracing.h"

/* Numbers of ray generation groups. Those behind the first are there with `waves`. */
enum ws_raygen_group { WS_RAYGEN_LAUNCH, WS_RAYGEN_FIND, WS_RAYGEN_SHADE, WS_RAYGEN_RESOLVE };

struct ws_pipeline_options {
    bool open;          /* the scene is under the sky */
    bool glass;         /* its mesh and spheres are of glass */
    bool count;         /* shaders count their executions; without what follows */
    bool waves;         /* with the groups of waves.h */
    uint32_t materials; /* callable shaders for a patchwork of materials, at most PATCHES_MAX; 0 = none */
    bool uneven;        /* how long these take differs from point to point */
};

bool ws_pipeline_init(struct ws_gpu *gpu, struct ws_gpu_ray_tracing *ray_tracing,
                      const struct ws_gpu_bindings *bindings, const struct ws_pipeline_options *options,
                      struct ws_error *error);

#endif
