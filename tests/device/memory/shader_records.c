/* 64 threads of a raygen shader and a callable shader, each of which reads a word of its own shader record. */
#include <stdio.h>
#include <string.h>

#include "examples/base/options.h"
#include "examples/base/ray_tracing.h"

#include "shader_records_rcall.h"
#include "shader_records_rgen.h"

enum { RECORDS = 2, THREADS = 64 };

struct program {
    struct ws_gpu_buffer words, table;
    struct ws_gpu_bindings bindings;
    struct ws_gpu_ray_tracing ray_tracing;
    VkDeviceSize stride;
};

static const struct ws_gpu_shader shaders[RECORDS] = {
    {.stage = VK_SHADER_STAGE_RAYGEN_BIT_KHR,
     .name = "raygen",
     .words = shader_records_rgen,
     .size = sizeof(shader_records_rgen)},
    {.stage = VK_SHADER_STAGE_CALLABLE_BIT_KHR,
     .name = "callable",
     .words = shader_records_rcall,
     .size = sizeof(shader_records_rcall)},
};

/* The table of the base has no room behind the handles. */
static bool init_table(struct ws_gpu *gpu, struct program *program, struct ws_error *error)
{
    const VkPhysicalDeviceRayTracingPipelinePropertiesKHR *limits = &gpu->ray_tracing;
    const VkDeviceSize base = limits->shaderGroupBaseAlignment;
    const uint32_t handle = limits->shaderGroupHandleSize;
    program->stride = (handle + sizeof(uint32_t) + base - 1) / base * base;
    if (!ws_gpu_buffer_init(gpu, &program->table,
                            VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR |
                                VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                            NULL, (RECORDS + 1) * program->stride, error))
        return false;
    uint8_t *first = (uint8_t *)program->table.data + (-program->table.address & (base - 1));
    for (uint32_t i = 0; i < RECORDS; i++) {
        const uint32_t word = 1000 + i;
        uint8_t *record = first + i * program->stride;
        if (vkGetRayTracingShaderGroupHandlesKHR(gpu->device, program->ray_tracing.pipeline, i, 1, handle,
                                                 record) != VK_SUCCESS)
            return ws_error_set(error, "the handle of group %u could not be had", i);
        memcpy(record + handle, &word, sizeof(word));
    }
    return true;
}

static bool init(struct ws_gpu *gpu, struct program *program, struct ws_error *error)
{
    static const struct ws_gpu_group groups[RECORDS] = {
        {0, WS_GPU_NO_SHADER, WS_GPU_NO_SHADER, WS_GPU_NO_SHADER},
        {1, WS_GPU_NO_SHADER, WS_GPU_NO_SHADER, WS_GPU_NO_SHADER},
    };
    const struct ws_gpu_binding binding = {.buffer = &program->words};
    return ws_gpu_buffer_init(gpu, &program->words, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL,
                              THREADS * sizeof(uint32_t), error) &&
           ws_gpu_bindings_init(gpu, &program->bindings, &binding, 1, VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0,
                                error) &&
           ws_gpu_ray_tracing_init(gpu, &program->ray_tracing, &program->bindings, shaders, RECORDS, groups,
                                   RECORDS, 1, error) &&
           init_table(gpu, program, error);
}

static bool run(struct ws_gpu *gpu, struct program *program, struct ws_error *error)
{
    const VkDeviceSize base = gpu->ray_tracing.shaderGroupBaseAlignment;
    const VkDeviceSize stride = program->stride;
    const VkDeviceAddress first = (program->table.address + base - 1) & ~(base - 1);
    const VkStridedDeviceAddressRegionKHR raygen = {first, stride, stride};
    const VkStridedDeviceAddressRegionKHR callable = {first + stride, stride, stride};
    const VkStridedDeviceAddressRegionKHR none = {0};
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, program->ray_tracing.pipeline,
                &program->bindings);
    vkCmdTraceRaysKHR(commands, &raygen, &none, &none, &callable, THREADS, 1, 1);
    if (!ws_gpu_submit(gpu, commands, error))
        return false;
    const uint32_t *words = program->words.data;
    for (uint32_t i = 0; i < THREADS; i++)
        if (words[i] != 2001)
            return ws_error_set(error, "word %u is %u", i, words[i]);
    return true;
}

int main(void)
{
    const struct ws_gpu_request request = {
        .application = "shader records", .needs = WS_GPU_RAY_TRACING, .queue = VK_QUEUE_COMPUTE_BIT};
    struct ws_error error = {{0}};
    struct ws_gpu gpu = {0};
    struct program program;
    memset(&program, 0, sizeof(program));
    int status = ws_exit_of(ws_gpu_init(&gpu, &request, &error));
    if (status == WS_EXIT_DONE) {
        status = init(&gpu, &program, &error) && run(&gpu, &program, &error) ? WS_EXIT_DONE : WS_EXIT_FAILED;
        ws_gpu_ray_tracing_finish(&gpu, &program.ray_tracing);
        ws_gpu_bindings_finish(&gpu, &program.bindings);
        ws_gpu_buffer_finish(&gpu, &program.table);
        ws_gpu_buffer_finish(&gpu, &program.words);
    }
    ws_gpu_finish(&gpu);
    if (status != WS_EXIT_DONE)
        printf("shader records: %s\n", error.message);
    return status;
}
