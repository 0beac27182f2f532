/* What a compute shader costs: `first_use FILE.spv [GROUPS]` makes a pipeline of it, dispatches one workgroup, waits, and
 * prints the CPU milliseconds of this process from the module on, all its threads included. With GROUPS it prints those of
 * one more dispatch, of so many workgroups, too. Set 0 of the shader may have a storage buffer at binding 0. */
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

/* Dispatches the pipeline once, waits, and prints what has been used since `start`. */
static bool dispatch(struct ws_gpu *gpu, VkPipeline pipeline, const struct ws_gpu_bindings *bindings,
                     uint32_t groups, double start, struct ws_error *error)
{
    VkCommandBuffer commands = ws_gpu_begin(gpu, error);
    if (commands == VK_NULL_HANDLE)
        return false;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline, bindings);
    vkCmdDispatch(commands, groups, 1, 1);
    if (!ws_gpu_submit(gpu, commands, error))
        return false;
    printf("%.1f\n", cpu_milliseconds() - start);
    return true;
}

static bool use(struct ws_gpu *gpu, const struct ws_gpu_shader *shader, uint32_t groups,
                struct ws_error *error)
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
    used = dispatch(gpu, pipeline, &bindings, 1, start, error) &&
           (groups == 0 || dispatch(gpu, pipeline, &bindings, groups, cpu_milliseconds(), error));
error:
    vkDestroyPipeline(gpu->device, pipeline, NULL);
    ws_gpu_bindings_finish(gpu, &bindings);
    ws_gpu_buffer_finish(gpu, &buffer);
    return used;
}

int main(int argc, char **argv)
{
    const struct ws_gpu_request request = {.application = "first_use", .queue = VK_QUEUE_COMPUTE_BIT};
    struct ws_error error = {.message = "usage: first_use FILE.spv [GROUPS]"};
    struct ws_gpu gpu;
    bool used = false;
    FILE *file = argc == 2 || argc == 3 ? fopen(argv[1], "rb") : NULL;
    const uint32_t groups = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    uint32_t *words = file != NULL ? malloc(sizeof(*words) * WORDS_MAX) : NULL;
    if (words != NULL && ws_gpu_init(&gpu, &request, &error) == WS_GPU_READY) {
        const size_t count = fread(words, sizeof(*words), WORDS_MAX, file);
        const struct ws_gpu_shader shader = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                             .name = argv[1],
                                             .words = words,
                                             .size = sizeof(*words) * count};
        used = use(&gpu, &shader, groups, &error);
        ws_gpu_finish(&gpu);
    }
    if (!used)
        fprintf(stderr, "first_use: %s\n", error.message);
    if (file != NULL)
        fclose(file);
    free(words);
    return used ? EXIT_SUCCESS : EXIT_FAILURE;
}
