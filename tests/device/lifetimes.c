/* Many threads, devices and instances at once, made and destroyed again and again: every dispatch is in the
 * capture, with exactly its own counts. */
#include "tests/device/rig.h"

#include <pthread.h>

#include "warpscope/stage.h"

#define THREADS     4
#define ROUNDS      40
#define DEVICES     3
#define GENERATIONS 12

/* Every dispatch here has one group more than its groups have threads, so that it can be told by itself. */
static void dispatch_and_wait(struct rig *rig, pthread_mutex_t *queue_lock, uint32_t size)
{
    VkPipeline pipeline = rig_count_pipeline(rig, size);
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    VkFence fence = rig_fence(rig);
    rig_begin(commands, 0);
    rig_dispatch(commands, pipeline, size + 1);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);

    /* The application synchronizes a queue; everything else is the thread's own. */
    pthread_mutex_lock(queue_lock);
    rig_submit(rig, 1, &commands, fence);
    pthread_mutex_unlock(queue_lock);
    CHECK(vkWaitForFences(rig->gpu.device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS);
    vkDestroyFence(rig->gpu.device, fence, NULL);
    vkFreeCommandBuffers(rig->gpu.device, rig->gpu.pool, 1, &commands);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
}

static void check_each(const struct recorded *recorded, uint32_t count)
{
    CHECK(recorded->count == count && recorded->skipped == 0);
    CHECK(recorded->totals.launches == count);
    for (uint32_t i = 0; i < count; i++) {
        const struct recorded_launch *launch = &recorded->launches[i];
        CHECK(launch->submission_flags == 0);
        const struct recorded_shader *shader = recorded_shader(launch, WS_STAGE_COMPUTE);
        CHECK(shader != NULL && shader->row_count == 2);
        const uint32_t groups = launch->size[0];
        CHECK(groups >= 2 && shader->words[WS_LAUNCH_SIZE] == groups);
        CHECK(recorded_lanes(shader) == (uint64_t)groups * (groups - 1));
    }
}

struct worker {
    pthread_t thread;
    struct rig rig; /* the same device, a pool of its own */
    pthread_mutex_t *queue_lock;
    uint32_t index;
};

static void *work(void *untyped)
{
    struct worker *worker = untyped;
    struct rig *rig = &worker->rig;
    const VkCommandPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = rig->gpu.queue_family,
    };
    for (uint32_t i = 0; i < ROUNDS; i++) {
        CHECK(vkCreateCommandPool(rig->gpu.device, &info, NULL, &rig->gpu.pool) == VK_SUCCESS);
        /* Some sizes are shared by all threads, so that they make the same shader at the same time. */
        dispatch_and_wait(rig, worker->queue_lock, i % 2 == 0 ? 1 + i : 64 + i * THREADS + worker->index);
        vkDestroyCommandPool(rig->gpu.device, rig->gpu.pool, NULL);
    }
    return NULL;
}

static void run_threads(struct rig *rig)
{
    static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
    static struct worker workers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.rig = *rig, .queue_lock = &queue_lock, .index = i};
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(pthread_join(workers[i].thread, NULL) == 0);
}

static void check_threads(const struct recorded *recorded)
{
    check_each(recorded, THREADS * ROUNDS);
}

/* Instances and devices that live beside each other. The functions must be those of no single device. */
static void run_devices(struct rig *rig)
{
    pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
    struct rig others[DEVICES];
    for (uint32_t i = 0; i < DEVICES; i++)
        rig_init(&others[i], NULL);
    volkLoadInstance(rig->gpu.instance);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < DEVICES; i++)
            dispatch_and_wait(&others[i], &queue_lock, 1 + 10 * round + i);
        dispatch_and_wait(rig, &queue_lock, 100 + round);
    }
    for (uint32_t i = 0; i < DEVICES; i++)
        rig_finish(&others[i]);
}

static void check_devices(const struct recorded *recorded)
{
    check_each(recorded, 3 * (DEVICES + 1));
}

static void run_generations(struct rig *rig)
{
    pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
    for (uint32_t i = 0; i < GENERATIONS; i++) {
        struct rig other;
        rig_init(&other, NULL);
        dispatch_and_wait(&other, &queue_lock, 30 + i);
        rig_finish(&other);
    }
    volkLoadInstance(rig->gpu.instance);
    dispatch_and_wait(rig, &queue_lock, 64);
}

static void check_generations(const struct recorded *recorded)
{
    check_each(recorded, GENERATIONS + 1);
}

/* Between them the process has no device at all, and the capture ends with DONE each time. */
static void run_one_after_the_other(struct rig *none)
{
    (void)none;
    for (uint32_t i = 0; i < GENERATIONS; i++) {
        pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
        struct rig rig;
        rig_init(&rig, NULL);
        dispatch_and_wait(&rig, &queue_lock, 30 + i);
        rig_finish(&rig);
    }
}

static void check_one_after_the_other(const struct recorded *recorded)
{
    check_each(recorded, GENERATIONS);
    for (uint32_t i = 0; i < GENERATIONS; i++)
        CHECK(recorded->launches[i].index == i && recorded->launches[i].size[0] == 31 + i);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "threads", .run = run_threads, .check = check_threads},
        {.name = "devices", .run = run_devices, .check = check_devices},
        {.name = "generations", .run = run_generations, .check = check_generations},
        {.name = "one_after_the_other",
         .run = run_one_after_the_other,
         .check = check_one_after_the_other,
         .own_rigs = true},
    };
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
