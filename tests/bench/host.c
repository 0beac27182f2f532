/* What calls cost the thread that makes them: `bench_host WHAT COUNT` prints the microseconds of each.
 *
 *    submits   a dispatch of one group, submitted with a fence, waited for
 *    chains    the same, 16 submissions at a time, the last one's fence waited for
 *    draws     vkCmdDraw, recorded only
 *    binds     vkCmdBindPipeline of two pipelines in turn, each with a vkCmdDraw, recorded only
 *    updates   vkUpdateDescriptorSets of a set with 8 buffers
 *    sets      the same, then the set is bound and used by a dispatch, which is recorded, submitted and waited for
 *
 * Calls are timed in rounds of 200, and of the rounds the lower quartile is printed, which other work of the
 * machine disturbs least: wall time, CPU time of this thread, CPU time of the process. Run with the layer and
 * without it by scripts/bench --host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "examples/base/graphics.h"

#include "bench_bare_frag.h"
#include "bench_bare_vert.h"
#include "bench_tiny_comp.h"

enum { ROUND = 200, CHAIN = 16, BUFFERS = 8 };

struct bench {
    struct ws_gpu gpu;
    struct ws_gpu_bindings empty;
    struct ws_gpu_buffer buffers[2]; /* that stand at the bindings of `bound` by turns */
    struct ws_gpu_bindings bound;
    VkPipeline dispatched;
    VkPipeline drawn[2];
    struct ws_gpu_target target;
    VkCommandBuffer commands[CHAIN];
    VkFence fence;
};

static void check(bool success, const char *what)
{
    if (!success) {
        fprintf(stderr, "bench: %s failed\n", what);
        exit(1);
    }
}

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static void init(struct bench *bench)
{
    static const struct ws_gpu_request request = {
        .application = "bench_host",
        .needs = WS_GPU_DYNAMIC_RENDERING,
        .queue = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT,
    };
    static const struct ws_gpu_shader tiny = {
        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
        .name = "tiny.comp",
        .words = bench_tiny_comp,
        .size = sizeof(bench_tiny_comp),
    };
    static const struct ws_gpu_graphics graphics = {
        .vertex = {.stage = VK_SHADER_STAGE_VERTEX_BIT,
                   .name = "bare.vert",
                   .words = bench_bare_vert,
                   .size = sizeof(bench_bare_vert)},
        .fragment = {.stage = VK_SHADER_STAGE_FRAGMENT_BIT,
                     .name = "bare.frag",
                     .words = bench_bare_frag,
                     .size = sizeof(bench_bare_frag)},
    };
    struct ws_error error = {0};
    const enum ws_gpu_status status = ws_gpu_init(&bench->gpu, &request, &error);
    if (status == WS_GPU_UNFIT) {
        printf("%s\n", error.message);
        exit(77);
    }
    check(status == WS_GPU_READY, "making a device");
    check(ws_gpu_bindings_init(&bench->gpu, &bench->empty, NULL, 0, VK_SHADER_STAGE_ALL, 0, &error),
          "making a pipeline layout");
    struct ws_gpu_binding buffers[BUFFERS];
    for (int i = 0; i < 2; i++)
        check(ws_gpu_buffer_init(&bench->gpu, &bench->buffers[i], VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL,
                                 4096, &error),
              "making a buffer");
    for (int i = 0; i < BUFFERS; i++)
        buffers[i] = (struct ws_gpu_binding){.buffer = &bench->buffers[0]};
    check(ws_gpu_bindings_init(&bench->gpu, &bench->bound, buffers, BUFFERS, VK_SHADER_STAGE_ALL, 0, &error),
          "making a descriptor set");
    bench->dispatched = ws_gpu_compute_pipeline(&bench->gpu, &bench->empty, &tiny, &error);
    check(bench->dispatched != VK_NULL_HANDLE, "making a compute pipeline");
    check(ws_gpu_target_init(&bench->gpu, &bench->target, 16, 16, true, &error), "making an image");
    for (int i = 0; i < 2; i++) {
        bench->drawn[i] =
            ws_gpu_graphics_pipeline(&bench->gpu, &bench->empty, &bench->target, &graphics, &error);
        check(bench->drawn[i] != VK_NULL_HANDLE, "making a graphics pipeline");
    }
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    check(vkCreateFence(bench->gpu.device, &fence, NULL, &bench->fence) == VK_SUCCESS, "making a fence");
    for (int i = 0; i < CHAIN; i++) {
        const VkCommandBufferAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
            .commandPool = bench->gpu.pool,
            .commandBufferCount = 1,
        };
        check(vkAllocateCommandBuffers(bench->gpu.device, &info, &bench->commands[i]) == VK_SUCCESS,
              "making command buffers");
    }
}

static void finish(struct bench *bench)
{
    vkDeviceWaitIdle(bench->gpu.device);
    vkDestroyFence(bench->gpu.device, bench->fence, NULL);
    for (int i = 0; i < 2; i++)
        vkDestroyPipeline(bench->gpu.device, bench->drawn[i], NULL);
    vkDestroyPipeline(bench->gpu.device, bench->dispatched, NULL);
    ws_gpu_target_finish(&bench->gpu, &bench->target);
    ws_gpu_bindings_finish(&bench->gpu, &bench->bound);
    for (int i = 0; i < 2; i++)
        ws_gpu_buffer_finish(&bench->gpu, &bench->buffers[i]);
    ws_gpu_bindings_finish(&bench->gpu, &bench->empty);
    ws_gpu_finish(&bench->gpu);
}

static void begin(VkCommandBuffer commands)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commands, &info) == VK_SUCCESS, "beginning a command buffer");
}

static void record_dispatches(struct bench *bench)
{
    for (int i = 0; i < CHAIN; i++) {
        begin(bench->commands[i]);
        ws_gpu_bind(bench->commands[i], VK_PIPELINE_BIND_POINT_COMPUTE, bench->dispatched, &bench->empty);
        vkCmdDispatch(bench->commands[i], 1, 1, 1);
        check(vkEndCommandBuffer(bench->commands[i]) == VK_SUCCESS, "ending a command buffer");
    }
}

static void submit(struct bench *bench, int which, VkFence fence)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &bench->commands[which],
    };
    check(vkQueueSubmit(bench->gpu.queue, 1, &info, fence) == VK_SUCCESS, "submitting");
}

static void wait_and_reset(struct bench *bench)
{
    check(vkWaitForFences(bench->gpu.device, 1, &bench->fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS, "waiting");
    check(vkResetFences(bench->gpu.device, 1, &bench->fence) == VK_SUCCESS, "resetting a fence");
}

static void do_submits(struct bench *bench)
{
    for (int i = 0; i < ROUND; i++) {
        submit(bench, 0, bench->fence);
        wait_and_reset(bench);
    }
}

static void do_chains(struct bench *bench)
{
    for (int i = 0; i < ROUND; i++) {
        const bool last = i % CHAIN == CHAIN - 1 || i == ROUND - 1;
        submit(bench, i % CHAIN, last ? bench->fence : VK_NULL_HANDLE);
        if (last)
            wait_and_reset(bench);
    }
}

static void do_draws(struct bench *bench)
{
    for (int i = 0; i < ROUND; i++)
        vkCmdDraw(bench->commands[0], 3, 1, 0, 0);
}

static void do_binds(struct bench *bench)
{
    for (int i = 0; i < ROUND; i++) {
        vkCmdBindPipeline(bench->commands[0], VK_PIPELINE_BIND_POINT_GRAPHICS, bench->drawn[i % 2]);
        vkCmdDraw(bench->commands[0], 3, 1, 0, 0);
    }
}

static void update(struct bench *bench, int turn)
{
    VkDescriptorBufferInfo infos[BUFFERS];
    VkWriteDescriptorSet writes[BUFFERS];
    for (int i = 0; i < BUFFERS; i++) {
        infos[i] = (VkDescriptorBufferInfo){bench->buffers[(i + turn) % 2].buffer, 0, VK_WHOLE_SIZE};
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = bench->bound.set,
            .dstBinding = (uint32_t)i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &infos[i],
        };
    }
    vkUpdateDescriptorSets(bench->gpu.device, BUFFERS, writes, 0, NULL);
}

static void do_updates(struct bench *bench)
{
    for (int i = 0; i < ROUND; i++)
        update(bench, i);
}

static void do_sets(struct bench *bench)
{
    for (int i = 0; i < ROUND; i++) {
        update(bench, i);
        begin(bench->commands[0]);
        ws_gpu_bind(bench->commands[0], VK_PIPELINE_BIND_POINT_COMPUTE, bench->dispatched, &bench->bound);
        vkCmdDispatch(bench->commands[0], 1, 1, 1);
        check(vkEndCommandBuffer(bench->commands[0]) == VK_SUCCESS, "ending a command buffer");
        submit(bench, 0, bench->fence);
        wait_and_reset(bench);
    }
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double lower_quartile(double *values, unsigned count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[count / 4];
}

static void measure(struct bench *bench, void (*make)(struct bench *bench), unsigned rounds)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, CLOCK_PROCESS_CPUTIME_ID};
    enum { CLOCKS = sizeof(clocks) / sizeof(clocks[0]) };
    double *times[CLOCKS];
    for (unsigned j = 0; j < CLOCKS; j++) {
        times[j] = calloc(rounds, sizeof(double));
        check(times[j] != NULL, "making room");
    }
    for (unsigned i = 0; i < 4; i++) /* what is made at the first use */
        make(bench);
    for (unsigned i = 0; i < rounds; i++) {
        double start[CLOCKS];
        for (unsigned j = 0; j < CLOCKS; j++)
            start[j] = now(clocks[j]);
        make(bench);
        for (unsigned j = 0; j < CLOCKS; j++)
            times[j][i] = (now(clocks[j]) - start[j]) / ROUND;
    }
    for (unsigned j = 0; j < CLOCKS; j++) {
        printf("%.4f%s", lower_quartile(times[j], rounds), j + 1 < CLOCKS ? " " : "\n");
        free(times[j]);
    }
}

/* `record` fails where nothing was launched, and some of what is measured submits nothing itself. */
static void launch_once(struct bench *bench)
{
    record_dispatches(bench);
    submit(bench, 0, bench->fence);
    wait_and_reset(bench);
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    const char *what = argc == 3 ? argv[1] : "";
    const unsigned rounds = argc == 3 ? (unsigned)(strtoul(argv[2], NULL, 10) + ROUND - 1) / ROUND : 0;
    const bool drawn = strcmp(what, "draws") == 0 || strcmp(what, "binds") == 0;
    const bool submitted = strcmp(what, "submits") == 0 || strcmp(what, "chains") == 0;
    const bool updated = strcmp(what, "updates") == 0 || strcmp(what, "sets") == 0;
    if (rounds == 0 || (!drawn && !submitted && !updated)) {
        fprintf(stderr, "usage: bench_host submits|chains|draws|binds|updates|sets COUNT\n");
        return 2;
    }
    init(&bench);
    launch_once(&bench);
    if (submitted) {
        measure(&bench, strcmp(what, "submits") == 0 ? do_submits : do_chains, rounds);
    } else if (updated) {
        measure(&bench, strcmp(what, "sets") == 0 ? do_sets : do_updates, rounds);
    } else {
        static const float black[4] = {0, 0, 0, 1};
        begin(bench.commands[0]);
        ws_gpu_target_begin(bench.commands[0], &bench.target, black);
        vkCmdBindPipeline(bench.commands[0], VK_PIPELINE_BIND_POINT_GRAPHICS, bench.drawn[0]);
        measure(&bench, strcmp(what, "draws") == 0 ? do_draws : do_binds, rounds);
        ws_gpu_target_end(bench.commands[0], &bench.target);
        check(vkEndCommandBuffer(bench.commands[0]) == VK_SUCCESS, "ending a command buffer");
    }
    finish(&bench);
    return 0;
}
