#include "examples/base/run.h"

#include <stdio.h>

int ws_run(const struct ws_options *options, uint32_t needs, VkQueueFlags queue, ws_run_function *draw,
           void *user)
{
    const struct ws_gpu_request request = {
        .application = options->program, .needs = needs, .queue = queue, .device = options->device};
    struct ws_error error = {0};
    struct ws_gpu gpu;
    int status = ws_exit_of(ws_gpu_init(&gpu, &request, &error));

    if (status == WS_EXIT_DONE) {
        status = draw(user, &gpu, &error) ? WS_EXIT_DONE : WS_EXIT_FAILED;
        ws_gpu_finish(&gpu);
    }
    if (status != WS_EXIT_DONE)
        fprintf(stderr, "%s: %s\n", options->program, error.message);
    return status;
}
