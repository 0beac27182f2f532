/* usage: traced. Traces rays to a triangle that stands at z = 1 (traced.rgen), and prints what they found, bit for bit, a line
 * for each of a thread's numbers. */
#include <stdio.h>
#include <string.h>

#include "examples/base/options.h"
#include "tests/device/triangle.h"

#include "traced_rchit.h"
#include "traced_rgen.h"
#include "traced_rmiss.h"

#define THREADS 1024u
#define NUMBERS 8u
#define FACTORS 32u

struct scene {
    struct triangle triangle;
    struct ws_gpu_buffer factors;
    struct ws_gpu_buffer distances;
    struct ws_gpu_acceleration_structure top;
    struct ws_gpu_bindings bindings;
    struct ws_gpu_ray_tracing ray_tracing;
};

static bool init_pipeline(struct ws_gpu *gpu, struct scene *scene, struct ws_error *error)
{
    static const struct ws_gpu_shader shaders[] = {
        {VK_SHADER_STAGE_RAYGEN_BIT_KHR, "traced.rgen", traced_rgen, sizeof(traced_rgen), NULL, NULL},
        {VK_SHADER_STAGE_MISS_BIT_KHR, "traced.rmiss", traced_rmiss, sizeof(traced_rmiss), NULL, NULL},
        {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, "traced.rchit", traced_rchit, sizeof(traced_rchit), NULL, NULL},
    };
    const struct ws_gpu_binding bindings[] = {{.acceleration_structure = &scene->top.handle},
                                              {.buffer = &scene->factors},
                                              {.buffer = &scene->distances}};
    return ws_gpu_bindings_init(gpu, &scene->bindings, bindings, 3, VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0,
                                error) &&
           triangle_pipeline(gpu, &scene->bindings, shaders, &scene->ray_tracing, error);
}

static bool init(struct ws_gpu *gpu, struct scene *scene, struct ws_error *error)
{
    float factors[FACTORS];
    for (uint32_t i = 0; i < FACTORS; i++)
        factors[i] = 3.1f - 0.117f * (float)i;
    return triangle_init(gpu, &scene->triangle, triangle_wide, error) &&
           triangle_place(gpu, &scene->triangle, 1, 7, &scene->top, error) &&
           ws_gpu_buffer_init(gpu, &scene->factors, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, factors,
                              sizeof(factors), error) &&
           ws_gpu_buffer_init(gpu, &scene->distances, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL,
                              sizeof(float) * THREADS * NUMBERS, error) &&
           init_pipeline(gpu, scene, error);
}

static bool run(struct ws_gpu *gpu, struct scene *scene, struct ws_error *error)
{
    const uint32_t *distances = scene->distances.data;
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, scene->ray_tracing.pipeline,
                &scene->bindings);
    ws_gpu_trace_rays(commands, &scene->ray_tracing, 0, THREADS, 1);
    if (!ws_gpu_submit(gpu, commands, error))
        return false;
    for (uint32_t i = 0; i < NUMBERS; i++)
        for (uint32_t t = 0; t < THREADS; t++)
            printf("%08x%c", distances[(size_t)t * NUMBERS + i], t + 1 == THREADS ? '\n' : ' ');
    return true;
}

static void finish(struct ws_gpu *gpu, struct scene *scene)
{
    ws_gpu_ray_tracing_finish(gpu, &scene->ray_tracing);
    ws_gpu_bindings_finish(gpu, &scene->bindings);
    ws_gpu_acceleration_structure_finish(gpu, &scene->top);
    ws_gpu_buffer_finish(gpu, &scene->distances);
    ws_gpu_buffer_finish(gpu, &scene->factors);
    triangle_finish(gpu, &scene->triangle);
}

int main(void)
{
    const struct ws_gpu_request request = {
        .application = "traced", .needs = WS_GPU_RAY_TRACING, .queue = VK_QUEUE_COMPUTE_BIT};
    struct ws_error error = {{0}};
    struct ws_gpu gpu = {0};
    struct scene scene;
    memset(&scene, 0, sizeof(scene));
    int status = ws_exit_of(ws_gpu_init(&gpu, &request, &error));
    if (status == WS_EXIT_DONE) {
        status = init(&gpu, &scene, &error) && run(&gpu, &scene, &error) ? WS_EXIT_DONE : WS_EXIT_FAILED;
        finish(&gpu, &scene);
    }
    ws_gpu_finish(&gpu);
    if (status != WS_EXIT_DONE)
        printf("traced: %s\n", error.message);
    return status;
}
