#include "examples/path_tracer/waves.h"

#include <string.h>

#include "examples/path_tracer/pipeline.h"
#include "examples/path_tracer/shaders.h"
#include "examples/path_tracer/shared.h"

#define STATE_SIZE   80 /* bytes of struct State (waves.glsl) */
#define FOUND_SIZE   8
#define SORT_THREADS 8 /* of a workgroup of sort.comp */

static uint32_t chunks_of(uint32_t items)
{
    return (items + SORT_CHUNK - 1) / SORT_CHUNK;
}

bool ws_waves_init(struct ws_gpu *gpu, struct ws_waves *waves, uint32_t items, struct ws_error *error)
{
    const struct {
        struct ws_gpu_buffer *buffer;
        VkDeviceSize size;
    } buffers[] = {
        {&waves->states, (VkDeviceSize)STATE_SIZE * items},
        {&waves->found, (VkDeviceSize)FOUND_SIZE * items},
        {&waves->order, sizeof(uint32_t) * ((VkDeviceSize)items + 1)},
        {&waves->tallies, sizeof(uint32_t) * (VkDeviceSize)KEY_COUNT * chunks_of(items)},
    };

    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        if (!ws_gpu_buffer_init(gpu, buffers[i].buffer, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL,
                                buffers[i].size, error))
            return false;
    return true;
}

bool ws_waves_init_sort(struct ws_gpu *gpu, struct ws_waves *waves, const struct ws_gpu_bindings *bindings,
                        bool sorted, struct ws_error *error)
{
    static const VkSpecializationMapEntry entries[] = {{0, 0, sizeof(uint32_t)},
                                                       {1, sizeof(uint32_t), sizeof(uint32_t)}};

    for (uint32_t step = SORT_COUNT; step <= SORT_SCATTER; step++) {
        const uint32_t constants[2] = {step, sorted};
        const VkSpecializationInfo specialization = {2, entries, sizeof(constants), constants};
        struct ws_gpu_shader shader = ws_path_tracer_further_shaders()[WS_FURTHER_SORT];
        shader.specialization = &specialization;
        waves->sort[step] = ws_gpu_compute_pipeline(gpu, bindings, &shader, error);
        if (waves->sort[step] == VK_NULL_HANDLE)
            return false;
    }
    return true;
}

void ws_waves_finish(struct ws_gpu *gpu, struct ws_waves *waves)
{
    for (uint32_t step = SORT_COUNT; step <= SORT_SCATTER && gpu->device != VK_NULL_HANDLE; step++)
        vkDestroyPipeline(gpu->device, waves->sort[step], NULL);
    ws_gpu_buffer_finish(gpu, &waves->tallies);
    ws_gpu_buffer_finish(gpu, &waves->order);
    ws_gpu_buffer_finish(gpu, &waves->found);
    ws_gpu_buffer_finish(gpu, &waves->states);
    memset(waves, 0, sizeof(*waves));
}

static void sort(struct ws_gpu *gpu, VkCommandBuffer commands, const struct ws_waves *waves,
                 const struct ws_gpu_bindings *bindings, uint32_t items)
{
    const uint32_t workgroups = (chunks_of(items) + SORT_THREADS - 1) / SORT_THREADS;

    ws_gpu_label(gpu, commands, "sort");
    for (uint32_t step = SORT_COUNT; step <= SORT_SCATTER; step++) {
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, waves->sort[step], bindings);
        vkCmdDispatch(commands, step == SORT_PLACE ? 1 : workgroups, 1, 1);
        ws_gpu_barrier(commands);
    }
    ws_gpu_label_end(gpu, commands);
}

static void trace(struct ws_gpu *gpu, VkCommandBuffer commands, const struct ws_gpu_ray_tracing *ray_tracing,
                  const struct ws_gpu_bindings *bindings, const char *label, uint32_t raygen, uint32_t width,
                  uint32_t height)
{
    ws_gpu_label(gpu, commands, label);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, ray_tracing->pipeline, bindings);
    ws_gpu_trace_rays(commands, ray_tracing, raygen, width, height);
    ws_gpu_barrier(commands);
    ws_gpu_label_end(gpu, commands);
}

void ws_waves_draw(struct ws_gpu *gpu, VkCommandBuffer commands, const struct ws_waves *waves,
                   const struct ws_gpu_ray_tracing *ray_tracing, const struct ws_gpu_bindings *bindings,
                   struct ws_parameters parameters, uint32_t width, uint32_t height)
{
    parameters.items = width * height;
    for (uint32_t i = 0; i < parameters.samples * (parameters.bounces + 1); i++) {
        parameters.sample_index = i / (parameters.bounces + 1);
        parameters.bounce = i % (parameters.bounces + 1);
        vkCmdPushConstants(commands, bindings->layout, bindings->stages, 0, sizeof(parameters), &parameters);
        trace(gpu, commands, ray_tracing, bindings, "find", WS_RAYGEN_FIND, width, height);
        sort(gpu, commands, waves, bindings, parameters.items);
        trace(gpu, commands, ray_tracing, bindings, "shade", WS_RAYGEN_SHADE, width, height);
    }
    trace(gpu, commands, ray_tracing, bindings, "resolve", WS_RAYGEN_RESOLVE, width, height);
}
