/* A scene of the faults on a device: its structures, its pipeline and the picture. */
#ifndef WS_EXAMPLES_FAULTS_DEVICE_H
#define WS_EXAMPLES_FAULTS_DEVICE_H

#include "examples/base/acceleration_structure.h"
#include "examples/faults/scene.h"

struct ws_fault_device {
    struct ws_gpu_buffer positions;
    struct ws_gpu_buffer indices;
    struct ws_gpu_buffer objects;
    struct ws_gpu_buffer balls;
    struct ws_gpu_buffer boxes;
    struct ws_gpu_buffer view;
    struct ws_gpu_buffer counts; /* COUNT_SIZE words */
    struct ws_gpu_buffer tally;  /* one word */
    struct ws_gpu_buffer rays;   /* RAY_SLOTS * RAY_WORDS words a pixel */
    struct ws_gpu_buffer pixels; /* the picture */
    struct ws_gpu_image image;
    struct ws_gpu_acceleration_structure bottoms[WS_FAULT_BOTTOMS_MAX];
    struct ws_gpu_acceleration_structure tops[WS_FAULT_TOPS];
    struct ws_gpu_bindings bindings;
    struct ws_gpu_ray_tracing ray_tracing;
    VkPipeline query; /* traces by ray queries, instead of ray_tracing */
};

/* `counting`: shaders count their own executions. `query`: rays are traced by ray queries in a compute
 * shader, which needs WS_GPU_RAY_QUERY and the scene `rays`. */
bool ws_fault_device_init(struct ws_gpu *gpu, struct ws_fault_device *device,
                          const struct ws_fault_scene *scene, bool counting, bool query,
                          struct ws_error *error);
void ws_fault_device_finish(struct ws_gpu *gpu, struct ws_fault_device *device);

/* Moves, before frame `frame`, what the scene wants changed, and builds the top-level structures anew;
 * nothing where all stays. */
bool ws_fault_device_change(struct ws_gpu *gpu, struct ws_fault_device *device,
                            const struct ws_fault_scene *scene, uint32_t frame, struct ws_error *error);

/* Draws the picture into `pixels` and waits for it. */
bool ws_fault_device_draw(struct ws_gpu *gpu, struct ws_fault_device *device,
                          const struct ws_fault_scene *scene, const char *label, struct ws_error *error);

#endif
