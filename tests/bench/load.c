/* Much of one thing: `bench_load WHAT COUNT` does it and prints how many dispatches it made.
 *
 *    pipelines   COUNT compute pipelines, each of a module of its own, alive together; each dispatches once
 *    unused      such pipelines, of which each hundredth dispatches. Standard error has the CPU time and the memory after
 *                each thousand that are made
 *    dispatches  COUNT dispatches in one command buffer
 *    threads     eight threads with a command pool each, which record and submit COUNT dispatches together
 *    devices     COUNT instances with a device, one after the other; each dispatches once
 *    idle        COUNT seconds of nothing, after one dispatch
 *
 * scripts/bench --load runs it plain and recorded, and compares CPU time and memory. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "examples/base/bindings.h"

#include "bench_load_comp.h"

enum { THREADS = 8, BATCH = 100, TOLD = 1000 };

static const uint32_t exchanged = 0x12345678;

struct load {
    struct ws_gpu gpu;
    struct ws_gpu_bindings empty;
    VkPipeline pipeline;
    pthread_mutex_t queue; /* vkQueueSubmit wants its queue for itself */
};

struct worker {
    struct load *load;
    unsigned count;
    pthread_t thread;
};

static void check(bool success, const char *what)
{
    if (!success) {
        fprintf(stderr, "load: %s failed\n", what);
        exit(1);
    }
}

/* A pipeline whose module has `number` in it. */
static VkPipeline make_pipeline(struct load *load, uint32_t number)
{
    uint32_t words[sizeof(bench_load_comp) / sizeof(uint32_t)];
    memcpy(words, bench_load_comp, sizeof(words));
    uint32_t places = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i] == exchanged) {
            words[i] += number;
            places++;
        }
    check(places == 1, "finding the constant");
    const struct ws_gpu_shader shader = {
        .stage = VK_SHADER_STAGE_COMPUTE_BIT, .name = "load.comp", .words = words, .size = sizeof(words)};
    struct ws_error error = {0};
    const VkPipeline pipeline = ws_gpu_compute_pipeline(&load->gpu, &load->empty, &shader, &error);
    check(pipeline != VK_NULL_HANDLE, "making a pipeline");
    return pipeline;
}

static void init(struct load *load)
{
    static const struct ws_gpu_request request = {.application = "bench_load", .queue = VK_QUEUE_COMPUTE_BIT};
    struct ws_error error = {0};
    *load = (struct load){0};
    check(ws_gpu_init(&load->gpu, &request, &error) == WS_GPU_READY, "making a device");
    check(ws_gpu_bindings_init(&load->gpu, &load->empty, NULL, 0, VK_SHADER_STAGE_ALL, 0, &error),
          "making a pipeline layout");
    load->pipeline = make_pipeline(load, 0);
    check(pthread_mutex_init(&load->queue, NULL) == 0, "making a mutex");
}

static void finish(struct load *load)
{
    pthread_mutex_destroy(&load->queue);
    vkDestroyPipeline(load->gpu.device, load->pipeline, NULL);
    ws_gpu_bindings_finish(&load->gpu, &load->empty);
    ws_gpu_finish(&load->gpu);
}

/* Dispatches one group of each of `count` pipelines, or `count` times one of `pipelines[0]`, in one submission. */
static void dispatch(struct load *load, VkCommandPool pool, const VkPipeline *pipelines, unsigned count,
                     bool each)
{
    const VkCommandBufferAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                    .commandPool = pool,
                                                    .commandBufferCount = 1};
    const VkCommandBufferBeginInfo beginning = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkCommandBuffer commands;
    VkFence fence;
    check(vkAllocateCommandBuffers(load->gpu.device, &allocation, &commands) == VK_SUCCESS,
          "making a command buffer");
    check(vkCreateFence(load->gpu.device, &fence_info, NULL, &fence) == VK_SUCCESS, "making a fence");
    check(vkBeginCommandBuffer(commands, &beginning) == VK_SUCCESS, "beginning a command buffer");
    for (unsigned i = 0; i < count; i++) {
        if (i == 0 || each)
            ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[i], &load->empty);
        vkCmdDispatch(commands, 1, 1, 1);
    }
    check(vkEndCommandBuffer(commands) == VK_SUCCESS, "ending a command buffer");
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    pthread_mutex_lock(&load->queue);
    check(vkQueueSubmit(load->gpu.queue, 1, &submit, fence) == VK_SUCCESS, "submitting");
    pthread_mutex_unlock(&load->queue);
    check(vkWaitForFences(load->gpu.device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS, "waiting");
    vkDestroyFence(load->gpu.device, fence, NULL);
    vkFreeCommandBuffers(load->gpu.device, pool, 1, &commands);
}

/* CPU time of the process since it began, and its peak of memory. */
static void tell(unsigned made)
{
    struct timespec used;
    struct rusage usage;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        fprintf(stderr, "%u pipelines %.1f ms %ld KiB\n", made,
                1e3 * (double)used.tv_sec + 1e-6 * (double)used.tv_nsec, usage.ru_maxrss);
}

/* Returns how many it dispatched. */
static unsigned load_pipelines(struct load *load, unsigned count, bool unused)
{
    unsigned dispatched = 0;
    VkPipeline *pipelines = calloc(count, sizeof(VkPipeline));
    check(pipelines != NULL, "making room");
    for (unsigned i = 0; i < count; i++) {
        pipelines[i] = make_pipeline(load, i + 1);
        if (unused && (i + 1) % TOLD == 0)
            tell(i + 1);
    }
    for (unsigned i = 0; i < count; i += BATCH) {
        const unsigned used = count - i < BATCH ? count - i : BATCH;
        dispatch(load, load->gpu.pool, pipelines + i, unused ? 1 : used, true);
        dispatched += unused ? 1 : used;
    }
    if (unused)
        tell(count);
    for (unsigned i = 0; i < count; i++)
        vkDestroyPipeline(load->gpu.device, pipelines[i], NULL);
    if (unused)
        tell(0);
    free(pipelines);
    return dispatched;
}

static void *work(void *argument)
{
    const struct worker *worker = argument;
    struct load *load = worker->load;
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = load->gpu.queue_family};
    VkCommandPool pool;
    check(vkCreateCommandPool(load->gpu.device, &info, NULL, &pool) == VK_SUCCESS, "making a command pool");
    for (unsigned i = 0; i < worker->count; i += BATCH)
        dispatch(load, pool, &load->pipeline, worker->count - i < BATCH ? worker->count - i : BATCH, false);
    vkDestroyCommandPool(load->gpu.device, pool, NULL);
    return NULL;
}

static void load_threads(struct load *load, unsigned count)
{
    struct worker workers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.load = load, .count = count / THREADS + (i < count % THREADS ? 1 : 0)};
        check(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "starting a thread");
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
}

static unsigned load_devices(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct load load;
        init(&load);
        dispatch(&load, load.gpu.pool, &load.pipeline, 1, false);
        finish(&load);
    }
    return count;
}

static unsigned load_device(const char *what, unsigned count)
{
    struct load load;
    unsigned made = count;
    init(&load);
    if (strcmp(what, "pipelines") == 0 || strcmp(what, "unused") == 0) {
        made = load_pipelines(&load, count, strcmp(what, "unused") == 0);
    } else if (strcmp(what, "dispatches") == 0) {
        dispatch(&load, load.gpu.pool, &load.pipeline, count, false);
    } else if (strcmp(what, "threads") == 0) {
        load_threads(&load, count);
    } else {
        dispatch(&load, load.gpu.pool, &load.pipeline, 1, false);
        made = 1;
        sleep(count);
    }
    finish(&load);
    return made;
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"pipelines", "unused", "dispatches", "threads", "devices", "idle"};
    const unsigned count = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && count > 0; i++)
        if (strcmp(argv[1], kinds[i]) == 0) {
            printf("%u\n",
                   strcmp(argv[1], "devices") == 0 ? load_devices(count) : load_device(argv[1], count));
            return 0;
        }
    fprintf(stderr, "usage: bench_load pipelines|unused|dispatches|threads|devices|idle COUNT\n");
    return 2;
}
