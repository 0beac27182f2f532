/* usage: handed MASK. Traces a ray for each thread, for handed.py: in the order of their numbers if MASK is 0, else in warps
 * that were put together anew, sorted by the shader that the ray runs, and then by these bits of what it hands over. Prints a
 * hash of what the threads work out, by their numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/base/options.h"
#include "tests/device/triangle.h"

#include "handed_rchit.h"
#include "handed_rgen.h"
#include "handed_rmiss.h"

#define WIDTH   32u
#define HEIGHT  16u
#define THREADS (WIDTH * HEIGHT)

/* A thread, and what it hands over: as in handed.rgen. */
struct place {
    uint32_t number;
    uint32_t kind;
};

struct scene {
    struct triangle triangle;
    struct ws_gpu_buffer order;
    struct ws_gpu_buffer sums;
    struct ws_gpu_acceleration_structure top;
    struct ws_gpu_bindings bindings;
    struct ws_gpu_ray_tracing ray_tracing;
};

static bool hits(uint32_t number)
{
    return number % 4 != 3;
}

/* The bits of a number that a mask has, pushed together. */
static uint32_t bits_of(uint32_t number, uint32_t mask)
{
    uint32_t bits = 0;
    for (uint32_t bit = 32; bit-- > 0;)
        if (mask >> bit & 1)
            bits = bits << 1 | (number >> bit & 1);
    return bits;
}

/* The threads in their order. Of equal keys they keep that of their numbers. The pipeline has its miss shader before its hit
 * shader, and so has the key. */
static void sort(struct place order[THREADS], uint32_t mask)
{
    uint32_t count = 0;
    for (uint32_t group = 0; group < 2; group++)
        for (uint32_t key = 0; key < 1u << 8; key++)
            for (uint32_t number = 0; number < THREADS; number++) {
                const struct place place = {number, (number * 2654435761u) >> 24};
                if ((mask == 0 && group == 0 && key == 0) ||
                    (mask != 0 && hits(number) == (group == 1) && bits_of(place.kind, mask) == key))
                    order[count++] = place;
            }
}

static bool init_pipeline(struct ws_gpu *gpu, struct scene *scene, struct ws_error *error)
{
    static const struct ws_gpu_shader shaders[] = {
        {.stage = VK_SHADER_STAGE_RAYGEN_BIT_KHR,
         .name = "handed.rgen",
         .words = handed_rgen,
         .size = sizeof(handed_rgen)},
        {.stage = VK_SHADER_STAGE_MISS_BIT_KHR,
         .name = "handed.rmiss",
         .words = handed_rmiss,
         .size = sizeof(handed_rmiss)},
        {.stage = VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR,
         .name = "handed.rchit",
         .words = handed_rchit,
         .size = sizeof(handed_rchit)},
    };
    const struct ws_gpu_binding bindings[] = {
        {.acceleration_structure = &scene->top.handle}, {.buffer = &scene->order}, {.buffer = &scene->sums}};
    return ws_gpu_bindings_init(gpu, &scene->bindings, bindings, 3, VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0,
                                error) &&
           triangle_pipeline(gpu, &scene->bindings, shaders, &scene->ray_tracing, error);
}

static bool init(struct ws_gpu *gpu, struct scene *scene, uint32_t mask, struct ws_error *error)
{
    static const float corners[9] = {-9, -9, 0, 1, -9, 0, 1, 99, 0};
    static const float nothing[THREADS];
    struct place order[THREADS] = {{0}};
    sort(order, mask);
    return triangle_init(gpu, &scene->triangle, corners, error) &&
           triangle_place(gpu, &scene->triangle, 0, 0, &scene->top, error) &&
           ws_gpu_buffer_init(gpu, &scene->order, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, order, sizeof(order),
                              error) &&
           ws_gpu_buffer_init(gpu, &scene->sums, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, nothing, sizeof(nothing),
                              error) &&
           init_pipeline(gpu, scene, error);
}

static bool run(struct ws_gpu *gpu, struct scene *scene, struct ws_error *error)
{
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, scene->ray_tracing.pipeline,
                &scene->bindings);
    ws_gpu_trace_rays(commands, &scene->ray_tracing, 0, WIDTH, HEIGHT);
    if (!ws_gpu_submit(gpu, commands, error))
        return false;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < THREADS * sizeof(float); i++)
        hash = (hash ^ ((const uint8_t *)scene->sums.data)[i]) * 1099511628211u;
    printf("%016" PRIx64 "\n", hash);
    return true;
}

static void finish(struct ws_gpu *gpu, struct scene *scene)
{
    ws_gpu_ray_tracing_finish(gpu, &scene->ray_tracing);
    ws_gpu_bindings_finish(gpu, &scene->bindings);
    ws_gpu_acceleration_structure_finish(gpu, &scene->top);
    ws_gpu_buffer_finish(gpu, &scene->sums);
    ws_gpu_buffer_finish(gpu, &scene->order);
    triangle_finish(gpu, &scene->triangle);
}

int main(int argc, char **argv)
{
    const struct ws_gpu_request request = {
        .application = "handed", .needs = WS_GPU_RAY_TRACING, .queue = VK_QUEUE_COMPUTE_BIT};
    const uint32_t mask = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 0;
    struct ws_error error = {{0}};
    struct ws_gpu gpu = {0};
    struct scene scene;
    memset(&scene, 0, sizeof(scene));
    int status = ws_exit_of(ws_gpu_init(&gpu, &request, &error));
    if (status == WS_EXIT_DONE) {
        status =
            init(&gpu, &scene, mask, &error) && run(&gpu, &scene, &error) ? WS_EXIT_DONE : WS_EXIT_FAILED;
        finish(&gpu, &scene);
    }
    ws_gpu_finish(&gpu);
    if (status != WS_EXIT_DONE)
        printf("handed: %s\n", error.message);
    return status;
}
