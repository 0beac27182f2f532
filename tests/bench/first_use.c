/* What the first use of a compute shader costs: `first_use FILE.spv` makes a pipeline of it, dispatches one workgroup, waits,
 * and prints the CPU milliseconds of this process from the module on, all its threads included. Set 0 of the shader may have
 * a storage buffer at binding 0. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "examples/base/bindings.h"

enum { BUFFER_BYTES = 1 << 20, WORDS_MAX = 1 << 22 };

static double cpu_milliseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static bool use(struct ws_gpu *gpu, const struct ws_gpu_shader *shader, struct ws_error *error)
{
    struct ws_gpu_buffer buffer = {0};
    struct ws_gpu_bindings bindings = {0};
    const struct ws_gpu_binding binding = {.buffer = &buffer};
    VkPipeline pipeline = VK_NULL_HANDLE;
    bool used = false;
    if (!ws_gpu_buffer_init(gpu, &buffer, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL, BUFFER_BYTES, error) ||
        !ws_gpu_bindings_init(gpu, &bindings, &binding, 1, VK_SHADER_STAGE_COMPUTE_BIT, 0, error))
        goto error;
    const double start = cpu_milliseconds();
    pipeline = ws_gpu_compute_pipeline(gpu, &bindings, shader, error);
    if (pipeline == VK_NULL_HANDLE)
        goto error;
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        goto error;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline, &bindings);
    vkCmdDispatch(commands, 1, 1, 1);
    used = ws_gpu_submit(gpu, commands, error);
    if (used)
        printf("%.1f\n", cpu_milliseconds() - start);
error:
    vkDestroyPipeline(gpu->device, pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &bindings);
    ws_gpu_buffer_finish(gpu, &buffer);
    return used;
}

int main(int argc, char **argv)
{
    const struct ws_gpu_request request = {.application = "first_use", .queue = VK_QUEUE_COMPUTE_BIT};
    struct ws_error error = {.message = "usage: first_use FILE.spv"};
    struct ws_gpu gpu;
    bool used = false;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    uint32_t *words = file != NULL ? malloc(sizeof(*words) * WORDS_MAX) : NULL;
    if (words != NULL && ws_gpu_init(&gpu, &request, &error) == WS_GPU_READY) {
        const size_t count = fread(words, sizeof(*words), WORDS_MAX, file);
        const struct ws_gpu_shader shader = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                             .name = argv[1],
                                             .words = words,
                                             .size = sizeof(*words) * count};
        used = use(&gpu, &shader, &error);
        ws_gpu_finish(&gpu);
    }
    if (!used)
        fprintf(stderr, "first_use: %s\n", error.message);
    if (file != NULL)
        fclose(file);
    free(words);
    return used ? EXIT_SUCCESS : EXIT_FAILURE;
}
