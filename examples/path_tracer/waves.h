/* Path tracing in waves: not one thread that follows a path to its end, but for each bounce
 *
 *   a launch that finds what the rays hit, and writes it to a buffer (find.rgen),
 *   dispatches that sort the hits by the shaders that they will run, or only close them up (sort.comp),
 *   a launch with a thread for each hit, in that order, which runs these shaders (shade.rgen).
 *
 * The hits and materials are those of the launch that does all at once, and so is the picture. The ray of a hit is traced
 * again where it is known to hit, so that the very closest-hit shaders run that would otherwise. */
#ifndef WS_EXAMPLES_PATH_TRACER_WAVES_H
#define WS_EXAMPLES_PATH_TRACER_WAVES_H

#include "examples/base/ray_tracing.h"

/* Push constants, as common.glsl and sort.comp have them. */
struct ws_parameters {
    uint32_t samples;
    uint32_t bounces;
    uint32_t patches;
    uint32_t sample_index;
    uint32_t bounce;
    uint32_t items;
};

struct ws_waves {
    struct ws_gpu_buffer states;
    struct ws_gpu_buffer found;
    struct ws_gpu_buffer order;
    struct ws_gpu_buffer tallies;
    VkPipeline sort[3]; /* by SORT_* */
};

/* Buffers for so many paths. */
bool ws_waves_init(struct ws_gpu *gpu, struct ws_waves *waves, uint32_t items, struct ws_error *error);

/* The pipelines that sort; `sorted` false: they close up only. */
bool ws_waves_init_sort(struct ws_gpu *gpu, struct ws_waves *waves, const struct ws_gpu_bindings *bindings,
                        bool sorted, struct ws_error *error);
void ws_waves_finish(struct ws_gpu *gpu, struct ws_waves *waves);

/* Records a picture of width x height. */
void ws_waves_draw(struct ws_gpu *gpu, VkCommandBuffer commands, const struct ws_waves *waves,
                   const struct ws_gpu_ray_tracing *ray_tracing, const struct ws_gpu_bindings *bindings,
                   struct ws_parameters parameters, uint32_t width, uint32_t height);

#endif
