/* usage: structures [rounding]. Runs structures.comp, for structures.py: three top-level structures, "near", "far" and
 * "farthest", in which the same triangle stands at z = 1, at z = 2 and at z = 3. The shader has the first two also by
 * themselves. With `rounding` it runs rounding.comp, and prints the distances, bit for bit. */
#include <stdio.h>
#include <string.h>

#include "examples/base/bindings.h"
#include "examples/base/options.h"
#include "tests/device/triangle.h"

#include "structures_comp.h"
#include "structures_rounding_comp.h"

#define THREADS 64u
#define RAYS    8u
#define TOPS    3u

struct scene {
    struct triangle triangle;
    struct ws_gpu_buffer distances;
    struct ws_gpu_acceleration_structure tops[TOPS]; /* near, far, farthest */
    struct ws_gpu_bindings bindings;
    VkPipeline pipeline;
};

static bool init_structures(struct ws_gpu *gpu, struct scene *scene, struct ws_error *error)
{
    static const char *const names[TOPS] = {"near", "far", "farthest"};
    if (!triangle_init(gpu, &scene->triangle, triangle_wide, error))
        return false;
    for (uint32_t i = 0; i < TOPS; i++) {
        if (!triangle_place(gpu, &scene->triangle, 1.0f + (float)i, 7, &scene->tops[i], error))
            return false;
        ws_gpu_name(gpu, VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR, (uint64_t)scene->tops[i].handle,
                    names[i]);
    }
    return true;
}

static bool init(struct ws_gpu *gpu, struct scene *scene, bool rounds, struct ws_error *error)
{
    static const float nothing[THREADS * RAYS];
    const struct ws_gpu_shader shader = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                         .name = "structures",
                                         .words = rounds ? structures_rounding_comp : structures_comp,
                                         .size = rounds ? sizeof(structures_rounding_comp)
                                                        : sizeof(structures_comp)};
    if (!init_structures(gpu, scene, error) ||
        !ws_gpu_buffer_init(gpu, &scene->distances, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, nothing,
                            sizeof(nothing), error))
        return false;
    const VkAccelerationStructureKHR all[TOPS] = {scene->tops[0].handle, scene->tops[1].handle,
                                                  scene->tops[2].handle};
    const struct ws_gpu_binding bindings[] = {{.buffer = &scene->distances},
                                              {.acceleration_structure = &scene->tops[0].handle},
                                              {.acceleration_structure = &scene->tops[1].handle},
                                              {.acceleration_structure = all, .structure_count = TOPS}};
    if (!ws_gpu_bindings_init(gpu, &scene->bindings, bindings, 4, VK_SHADER_STAGE_COMPUTE_BIT,
                              2 * sizeof(VkDeviceAddress), error))
        return false;
    scene->pipeline = ws_gpu_compute_pipeline(gpu, &scene->bindings, &shader, error);
    return scene->pipeline != VK_NULL_HANDLE;
}

static bool run(struct ws_gpu *gpu, struct scene *scene, struct ws_error *error)
{
    const VkDeviceAddress addresses[2] = {scene->tops[0].address, scene->tops[1].address};
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, scene->pipeline, &scene->bindings);
    vkCmdPushConstants(commands, scene->bindings.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(addresses),
                       addresses);
    vkCmdDispatch(commands, 1, 1, 1);
    return ws_gpu_submit(gpu, commands, error);
}

static void print(const struct scene *scene)
{
    const uint32_t *distances = scene->distances.data;
    for (uint32_t i = 0; i < RAYS; i++)
        for (uint32_t t = 0; t < THREADS; t++)
            printf("%08x%c", distances[(size_t)t * RAYS + i], t + 1 == THREADS ? '\n' : ' ');
}

int main(int argc, char **argv)
{
    const bool rounds = argc > 1 && strcmp(argv[1], "rounding") == 0;
    const struct ws_gpu_request request = {
        .application = "structures", .needs = WS_GPU_RAY_TRACING, .queue = VK_QUEUE_COMPUTE_BIT};
    struct ws_error error = {{0}};
    struct ws_gpu gpu = {0};
    struct scene scene;
    memset(&scene, 0, sizeof(scene));
    int status = ws_exit_of(ws_gpu_init(&gpu, &request, &error));
    if (status == WS_EXIT_DONE) {
        status =
            init(&gpu, &scene, rounds, &error) && run(&gpu, &scene, &error) ? WS_EXIT_DONE : WS_EXIT_FAILED;
        if (status == WS_EXIT_DONE && rounds)
            print(&scene);
        vkDestroyPipeline(gpu.device, scene.pipeline, NULL);
        ws_gpu_bindings_finish(&gpu, &scene.bindings);
        for (uint32_t i = 0; i < TOPS; i++)
            ws_gpu_acceleration_structure_finish(&gpu, &scene.tops[i]);
        ws_gpu_buffer_finish(&gpu, &scene.distances);
        triangle_finish(&gpu, &scene.triangle);
    }
    ws_gpu_finish(&gpu);
    if (status != WS_EXIT_DONE)
        printf("structures: %s\n", error.message);
    return status;
}
