/* Runs planted.comp once, for planted.py: 72 x 72 threads in groups of 8 x 8. The buffer of words begins at a multiple of
 * 128 bytes. */
#include <stdio.h>
#include <string.h>

#include "examples/base/bindings.h"
#include "examples/base/options.h"

#include "planted_comp.h"

#define SIDE 72u
#define LINE 128u /* bytes of a cache line */

struct parameters { /* push constants */
    uint64_t address;
    uint32_t size[2];
};

struct kernel {
    struct ws_gpu_buffer words;
    struct ws_gpu_buffer results;
    struct ws_gpu_image picture;
    VkSampler sampler;
    struct ws_gpu_bindings bindings;
    VkPipeline pipeline;
};

static bool init(struct ws_gpu *gpu, struct kernel *kernel, struct ws_error *error)
{
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    const VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    if (!ws_gpu_buffer_init(gpu, &kernel->words, usage, NULL, 4 * 8192 + LINE, error) ||
        !ws_gpu_buffer_init(gpu, &kernel->results, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL,
                            4ull * SIDE * SIDE, error) ||
        !ws_gpu_image_init(gpu, &kernel->picture, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT, 4, 4,
                           error) ||
        !ws_gpu_check(vkCreateSampler(gpu->device, &sampler, NULL, &kernel->sampler), "vkCreateSampler",
                      error))
        return false;
    for (uint32_t i = 0; i < 8192 + LINE / 4; i++)
        ((uint32_t *)kernel->words.data)[i] = i;
    const struct ws_gpu_binding bindings[] = {{.buffer = &kernel->results},
                                              {.image = &kernel->picture, .sampler = kernel->sampler}};
    const struct ws_gpu_shader shader = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                         .name = "planted.comp",
                                         .words = planted_comp,
                                         .size = sizeof(planted_comp)};
    if (!ws_gpu_bindings_init(gpu, &kernel->bindings, bindings, 2, VK_SHADER_STAGE_COMPUTE_BIT,
                              sizeof(struct parameters), error))
        return false;
    kernel->pipeline = ws_gpu_compute_pipeline(gpu, &kernel->bindings, &shader, error);
    return kernel->pipeline != VK_NULL_HANDLE;
}

static bool run(struct ws_gpu *gpu, struct kernel *kernel, struct ws_error *error)
{
    const struct parameters parameters = {(kernel->words.address + LINE - 1) / LINE * LINE, {SIDE, SIDE}};
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_image_layout(commands, &kernel->picture, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline, &kernel->bindings);
    vkCmdPushConstants(commands, kernel->bindings.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(parameters),
                       &parameters);
    vkCmdDispatch(commands, SIDE / 8, SIDE / 8, 1);
    return ws_gpu_submit(gpu, commands, error);
}

int main(void)
{
    const struct ws_gpu_request request = {
        .application = "planted", .needs = WS_GPU_RAY_TRACING, .queue = VK_QUEUE_COMPUTE_BIT};
    struct ws_error error = {{0}};
    struct ws_gpu gpu = {0};
    struct kernel kernel;
    memset(&kernel, 0, sizeof(kernel));
    int status = ws_exit_of(ws_gpu_init(&gpu, &request, &error));
    if (status == WS_EXIT_DONE) {
        status = init(&gpu, &kernel, &error) && run(&gpu, &kernel, &error) ? WS_EXIT_DONE : WS_EXIT_FAILED;
        vkDestroyPipeline(gpu.device, kernel.pipeline, NULL);
        ws_gpu_bindings_finish(&gpu, &kernel.bindings);
        vkDestroySampler(gpu.device, kernel.sampler, NULL);
        ws_gpu_image_finish(&gpu, &kernel.picture);
        ws_gpu_buffer_finish(&gpu, &kernel.results);
        ws_gpu_buffer_finish(&gpu, &kernel.words);
    }
    ws_gpu_finish(&gpu);
    if (status != WS_EXIT_DONE)
        printf("planted: %s\n", error.message);
    return status;
}
