/* Command buffers of dispatches, submitted in every order that Vulkan allows: each execution has exactly the
 * counts of its own launch. */
#include "tests/device/rig.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "warpscope/stage.h"

#define SIMULTANEOUS VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT

/* A launch is a dispatch of `groups` groups of `size` threads. */
static void check_dispatch(const struct recorded_launch *launch, uint32_t groups, uint32_t size)
{
    CHECK(launch->kind == WS_LAUNCH_DISPATCH);
    CHECK(launch->pipeline_count == 1 && launch->shader_count == 1);
    const struct recorded_shader *shader = recorded_shader(launch, WS_STAGE_COMPUTE);
    CHECK(shader != NULL && shader->row_count == 2);
    const uint32_t subgroup = shader->words[WS_LAUNCH_SUBGROUP_SIZES];
    const uint32_t warps = (size + subgroup - 1) / subgroup;
    CHECK(shader->words[WS_LAUNCH_SIZE] == groups);
    CHECK(recorded_lanes(shader) == (uint64_t)groups * size);
    CHECK(recorded_warps(shader) == (uint64_t)groups * warps);
}

/* The capture holds dispatches of these numbers of groups of 64, in this order. */
static void check_groups(const struct recorded *recorded, uint32_t count, const uint32_t *groups)
{
    CHECK(recorded->count == count && recorded->skipped == 0);
    CHECK(recorded->totals.launches == count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(recorded->launches[i].index == i);
        CHECK(recorded->launches[i].submission_flags == 0);
        check_dispatch(&recorded->launches[i], groups[i], 64);
    }
}
#define CHECK_GROUPS(recorded, ...)                                                                          \
    check_groups((recorded), sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

/* A primary command buffer of one dispatch. */
static VkCommandBuffer dispatching(struct rig *rig, VkPipeline pipeline, uint32_t groups,
                                   VkCommandBufferUsageFlags flags)
{
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, flags);
    rig_dispatch(commands, pipeline, groups);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    return commands;
}

static void idle(struct rig *rig, VkPipeline pipeline)
{
    CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
}

static void run_one_after_the_other(struct rig *rig)
{
    const VkDebugUtilsLabelEXT outer = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = "a"};
    const VkDebugUtilsLabelEXT inner = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = "b"};
    const VkDebugUtilsLabelEXT queue = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = "q"};
    VkPipeline pipelines[] = {rig_count_pipeline(rig, 64), rig_count_pipeline(rig, 32)};
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    ws_gpu_name(&rig->gpu, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)(uintptr_t)commands, "three");
    rig_begin(commands, 0);
    rig_dispatch(commands, pipelines[0], 5);
    vkCmdBeginDebugUtilsLabelEXT(commands, &outer);
    rig_dispatch(commands, pipelines[1], 7);
    vkCmdBeginDebugUtilsLabelEXT(commands, &inner);
    vkCmdDispatch(commands, 11, 1, 1);
    vkCmdEndDebugUtilsLabelEXT(commands);
    vkCmdEndDebugUtilsLabelEXT(commands);
    vkEndCommandBuffer(commands);
    vkQueueBeginDebugUtilsLabelEXT(rig->gpu.queue, &queue);
    rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
    vkQueueEndDebugUtilsLabelEXT(rig->gpu.queue);
    idle(rig, pipelines[0]);
    idle(rig, pipelines[1]);
}

static void check_one_after_the_other(const struct recorded *recorded)
{
    CHECK(recorded->count == 3);
    check_dispatch(&recorded->launches[0], 5, 64);
    check_dispatch(&recorded->launches[1], 7, 32);
    check_dispatch(&recorded->launches[2], 11, 32);
    CHECK(recorded->launches[0].shaders[0].shader != recorded->launches[1].shaders[0].shader);
    CHECK(recorded->launches[1].size[0] == 7 && recorded->launches[1].size[1] == 1);
    CHECK(strcmp(recorded->launches[0].label, "q") == 0);
    CHECK(strcmp(recorded->launches[2].label, "q / a / b") == 0);
    CHECK(strcmp(recorded->launches[2].command_buffer, "three") == 0);
}

static void run_thrice_in_one_batch(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    VkCommandBuffer a = dispatching(rig, pipeline, 3, SIMULTANEOUS);
    VkCommandBuffer b = dispatching(rig, pipeline, 4, SIMULTANEOUS);
    const VkCommandBuffer order[] = {a, a, b, a};
    rig_submit(rig, 4, order, VK_NULL_HANDLE);
    idle(rig, pipeline);
}

static void check_thrice_in_one_batch(const struct recorded *recorded)
{
    CHECK_GROUPS(recorded, 3, 3, 4, 3);
    CHECK(recorded->totals.submissions == 1);
}

static void run_pending_many_times(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    VkCommandBuffer a = dispatching(rig, pipeline, 100, SIMULTANEOUS);
    VkCommandBuffer b = dispatching(rig, pipeline, 200, SIMULTANEOUS);
    for (int i = 0; i < 3; i++) {
        rig_submit(rig, 1, &a, VK_NULL_HANDLE);
        rig_submit(rig, 1, &b, VK_NULL_HANDLE);
    }
    idle(rig, pipeline);
}

static void check_pending_many_times(const struct recorded *recorded)
{
    CHECK_GROUPS(recorded, 100, 200, 100, 200, 100, 200);
    CHECK(recorded->launches[5].submission == 5);
}

static VkSemaphore semaphore(struct rig *rig, VkSemaphoreType type)
{
    const VkSemaphoreTypeCreateInfo type_info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = type,
    };
    const VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = &type_info,
    };
    VkSemaphore made;
    CHECK(vkCreateSemaphore(rig->gpu.device, &info, NULL, &made) == VK_SUCCESS);
    return made;
}

static void run_batches(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    VkCommandBuffer commands[] = {dispatching(rig, pipeline, 1, 0), dispatching(rig, pipeline, 2, 0),
                                  dispatching(rig, pipeline, 3, 0)};
    VkSemaphore between = semaphore(rig, VK_SEMAPHORE_TYPE_BINARY);
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo infos[3] = {
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .commandBufferCount = 2,
         .pCommandBuffers = commands,
         .signalSemaphoreCount = 1,
         .pSignalSemaphores = &between},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO}, /* without command buffers */
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .waitSemaphoreCount = 1,
         .pWaitSemaphores = &between,
         .pWaitDstStageMask = &stage,
         .commandBufferCount = 1,
         .pCommandBuffers = &commands[2]},
    };
    VkFence fence = rig_fence(rig);
    CHECK(vkQueueSubmit(rig->gpu.queue, 3, infos, fence) == VK_SUCCESS);
    CHECK(vkWaitForFences(rig->gpu.device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS);
    vkDestroySemaphore(rig->gpu.device, between, NULL);
    vkDestroyFence(rig->gpu.device, fence, NULL);
    idle(rig, pipeline);
}

static void check_batches(const struct recorded *recorded)
{
    CHECK_GROUPS(recorded, 1, 2, 3);
    CHECK(recorded->totals.submissions == 3);
    CHECK(recorded->launches[1].submission == 0 && recorded->launches[2].submission == 2);
}

static void run_submit2(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    const VkCommandBufferSubmitInfo commands[] = {
        {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
         .commandBuffer = dispatching(rig, pipeline, 9, SIMULTANEOUS)},
        commands[0],
    };
    const VkSubmitInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
        .commandBufferInfoCount = 2,
        .pCommandBufferInfos = commands,
    };
    CHECK(vkQueueSubmit2(rig->gpu.queue, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS);
    idle(rig, pipeline);
}

static void check_submit2(const struct recorded *recorded)
{
    CHECK_GROUPS(recorded, 9, 9);
}

static void run_indirect_and_base(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    const VkDispatchIndirectCommand size = {6, 2, 3};
    struct ws_gpu_buffer buffer;
    CHECK(ws_gpu_buffer_init(&rig->gpu, &buffer, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, &size, sizeof(size),
                             NULL));
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, 0);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdDispatchIndirect(commands, buffer.buffer, 0);
    vkCmdDispatchBase(commands, 0, 0, 0, 8, 1, 1);
    vkEndCommandBuffer(commands);
    rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
    idle(rig, pipeline);
    ws_gpu_buffer_finish(&rig->gpu, &buffer);
}

static void check_indirect_and_base(const struct recorded *recorded)
{
    CHECK(recorded->count == 2);
    const struct recorded_launch *indirect = &recorded->launches[0];
    CHECK(indirect->flags == WS_LAUNCH_INDIRECT && indirect->size[0] == 0);
    CHECK(indirect->shaders[0].words[WS_LAUNCH_SIZE] == 6);
    CHECK(indirect->shaders[0].words[WS_LAUNCH_SIZE + 1] == 2);
    CHECK(indirect->shaders[0].words[WS_LAUNCH_SIZE + 2] == 3);
    CHECK(recorded_lanes(&indirect->shaders[0]) == 36 * 64);
    CHECK(recorded->launches[1].flags == WS_LAUNCH_BASE);
    check_dispatch(&recorded->launches[1], 8, 64);
}

static VkCommandBuffer secondary(struct rig *rig, VkPipeline pipeline, uint32_t groups, const char *label)
{
    const VkCommandBufferInheritanceInfo inheritance = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    };
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = SIMULTANEOUS,
        .pInheritanceInfo = &inheritance,
    };
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    CHECK(vkBeginCommandBuffer(commands, &info) == VK_SUCCESS);
    ws_gpu_label(&rig->gpu, commands, label);
    rig_dispatch(commands, pipeline, groups);
    ws_gpu_label_end(&rig->gpu, commands);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    return commands;
}

static void run_secondaries(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    VkCommandBuffer a = secondary(rig, pipeline, 3, "inner");
    VkCommandBuffer b = secondary(rig, pipeline, 4, "inner");
    const VkCommandBuffer order[] = {a, a, b};
    VkCommandBuffer primaries[2];
    for (int i = 0; i < 2; i++) {
        primaries[i] = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        rig_begin(primaries[i], SIMULTANEOUS);
        ws_gpu_label(&rig->gpu, primaries[i], "outer");
        vkCmdExecuteCommands(primaries[i], 3, order);
        rig_dispatch(primaries[i], pipeline, 5);
        vkCmdExecuteCommands(primaries[i], 1, &a);
        ws_gpu_label_end(&rig->gpu, primaries[i]);
        vkEndCommandBuffer(primaries[i]);
    }
    rig_submit(rig, 2, primaries, VK_NULL_HANDLE);
    idle(rig, pipeline);
}

static void check_secondaries(const struct recorded *recorded)
{
    CHECK_GROUPS(recorded, 3, 3, 4, 5, 3, 3, 3, 4, 5, 3);
    CHECK(strcmp(recorded->launches[0].label, "outer / inner") == 0);
    CHECK(strcmp(recorded->launches[3].label, "outer") == 0);
}

/* After a wait that succeeded, what it waited for is in the file. */
static void check_now(uint32_t count)
{
    struct recorded recorded;
    CHECK(recorded_read(&recorded, rig_capture()));
    CHECK(recorded.count == count);
    recorded_finish(&recorded);
}

static void run_fences_again_and_again(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    VkFence fences[2] = {rig_fence(rig), rig_fence(rig)};
    for (uint32_t i = 0; i < 4; i++) {
        VkCommandBuffer commands = dispatching(rig, pipeline, i + 1, 0);
        rig_submit(rig, 1, &commands, fences[i % 2]);
        if (i < 2)
            CHECK(vkWaitForFences(rig->gpu.device, 1, &fences[i % 2], VK_TRUE, UINT64_MAX) == VK_SUCCESS);
        else
            while (vkGetFenceStatus(rig->gpu.device, fences[i % 2]) == VK_NOT_READY)
                ;
        check_now(i + 1);
        CHECK(vkResetFences(rig->gpu.device, 1, &fences[i % 2]) == VK_SUCCESS);
        vkFreeCommandBuffers(rig->gpu.device, rig->gpu.pool, 1, &commands);
    }
    /* Known to be over by the other fence alone; then the first is reset and used for something else. */
    VkCommandBuffer commands[2] = {dispatching(rig, pipeline, 5, 0), dispatching(rig, pipeline, 6, 0)};
    rig_submit(rig, 1, &commands[0], fences[0]);
    rig_submit(rig, 1, &commands[1], fences[1]);
    CHECK(vkWaitForFences(rig->gpu.device, 1, &fences[1], VK_TRUE, UINT64_MAX) == VK_SUCCESS);
    check_now(6);
    CHECK(vkWaitForFences(rig->gpu.device, 2, fences, VK_FALSE, UINT64_MAX) == VK_SUCCESS);
    CHECK(vkResetFences(rig->gpu.device, 2, fences) == VK_SUCCESS);
    for (int i = 0; i < 2; i++)
        vkDestroyFence(rig->gpu.device, fences[i], NULL);
    idle(rig, pipeline);
}

static void check_fences_again_and_again(const struct recorded *recorded)
{
    CHECK_GROUPS(recorded, 1, 2, 3, 4, 5, 6);
}

static void run_reset_while_others_are_pending(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    VkFence fence = rig_fence(rig);
    VkCommandBuffer a = dispatching(rig, pipeline, 1, 0);
    VkCommandBuffer b = dispatching(rig, pipeline, 1000, 0);
    rig_submit(rig, 1, &a, fence);
    rig_submit(rig, 1, &b, VK_NULL_HANDLE);
    CHECK(vkWaitForFences(rig->gpu.device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS);
    CHECK(vkResetCommandBuffer(a, 0) == VK_SUCCESS);
    rig_begin(a, 0);
    rig_dispatch(a, pipeline, 2);
    rig_dispatch(a, pipeline, 3);
    CHECK(vkEndCommandBuffer(a) == VK_SUCCESS);
    rig_submit(rig, 1, &a, VK_NULL_HANDLE);
    CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
    rig_begin(a, 0); /* resets too */
    rig_dispatch(a, pipeline, 4);
    CHECK(vkEndCommandBuffer(a) == VK_SUCCESS);
    rig_submit(rig, 1, &a, VK_NULL_HANDLE);
    CHECK(vkQueueWaitIdle(rig->gpu.queue) == VK_SUCCESS);
    CHECK(vkResetCommandPool(rig->gpu.device, rig->gpu.pool, 0) == VK_SUCCESS);
    rig_begin(b, 0);
    rig_dispatch(b, pipeline, 5);
    CHECK(vkEndCommandBuffer(b) == VK_SUCCESS);
    rig_submit(rig, 1, &b, VK_NULL_HANDLE);
    vkDestroyFence(rig->gpu.device, fence, NULL);
    idle(rig, pipeline);
}

static void check_reset_while_others_are_pending(const struct recorded *recorded)
{
    CHECK_GROUPS(recorded, 1, 1000, 2, 3, 4, 5);
}

/* Waits for what only the host will signal: must neither hang nor lose anything. */
static void run_timeline(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    VkCommandBuffer commands = dispatching(rig, pipeline, 2, SIMULTANEOUS);
    VkSemaphore timeline = semaphore(rig, VK_SEMAPHORE_TYPE_TIMELINE);
    for (uint64_t turn = 0; turn < 3; turn++) {
        const uint64_t wait = 2 * turn + 1;
        const uint64_t signal = 2 * turn + 2;
        const VkTimelineSemaphoreSubmitInfo values = {
            .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
            .waitSemaphoreValueCount = 1,
            .pWaitSemaphoreValues = &wait,
            .signalSemaphoreValueCount = 1,
            .pSignalSemaphoreValues = &signal,
        };
        const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        const VkSubmitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
            .pNext = &values,
            .waitSemaphoreCount = 1,
            .pWaitSemaphores = &timeline,
            .pWaitDstStageMask = &stage,
            .commandBufferCount = 1,
            .pCommandBuffers = &commands,
            .signalSemaphoreCount = 1,
            .pSignalSemaphores = &timeline,
        };
        CHECK(vkQueueSubmit(rig->gpu.queue, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS);
    }
    for (uint64_t turn = 0; turn < 3; turn++) {
        const VkSemaphoreSignalInfo signal = {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
            .semaphore = timeline,
            .value = 2 * turn + 1,
        };
        const uint64_t awaited = 2 * turn + 2;
        const VkSemaphoreWaitInfo wait = {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
            .semaphoreCount = 1,
            .pSemaphores = &timeline,
            .pValues = &awaited,
        };
        CHECK(vkSignalSemaphore(rig->gpu.device, &signal) == VK_SUCCESS);
        CHECK(vkWaitSemaphores(rig->gpu.device, &wait, UINT64_MAX) == VK_SUCCESS);
        check_now((uint32_t)turn + 1);
    }
    vkDestroySemaphore(rig->gpu.device, timeline, NULL);
    idle(rig, pipeline);
}

static void check_timeline(const struct recorded *recorded)
{
    CHECK_GROUPS(recorded, 2, 2, 2);
}

/* A command buffer of one dispatch that waits for an event which the host sets. */
static VkCommandBuffer dispatching_after(struct rig *rig, VkPipeline pipeline, uint32_t groups, VkEvent event)
{
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, 0);
    vkCmdWaitEvents(commands, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                    NULL, 0, NULL, 0, NULL);
    rig_dispatch(commands, pipeline, groups);
    CHECK(vkEndCommandBuffer(commands) == VK_SUCCESS);
    return commands;
}

/* The host sets the event when it has submitted all. A call that waited for the first submission would wait
 * for as long as the layer ever does, 20 seconds. */
static void run_host_event(struct rig *rig)
{
    const VkEventCreateInfo event_info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event;
    struct timespec before, after;
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    CHECK(vkCreateEvent(rig->gpu.device, &event_info, NULL, &event) == VK_SUCCESS);
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (uint32_t i = 0; i < 4; i++) {
        VkCommandBuffer commands =
            i == 0 ? dispatching_after(rig, pipeline, 1, event) : dispatching(rig, pipeline, 1 + i, 0);
        rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
    }
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK(vkSetEvent(rig->gpu.device, event) == VK_SUCCESS);
    CHECK(after.tv_sec - before.tv_sec < 15);
    idle(rig, pipeline);
    vkDestroyEvent(rig->gpu.device, event, NULL);
}

/* All counts are there; where records are wanted too, two submissions found no buffer for them. */
static void check_host_event(const struct recorded *recorded)
{
    CHECK(recorded->count == 4 && recorded->totals.launches == 4);
    for (uint32_t i = 0; i < 4; i++)
        check_dispatch(&recorded->launches[i], 1 + i, 64);
}

static void check_host_event_streams(const struct recorded_streams *streams)
{
    CHECK(streams->lost == (streams->recording ? 2 : 0));
}

#define THREADS    4
#define PER_THREAD 12

/* A thread that submits its command buffers, one by one, to the queue that all threads share. */
struct submitter {
    struct rig *rig;
    pthread_mutex_t *queue; /* Vulkan lets one thread at a time use it */
    VkCommandBuffer commands[PER_THREAD];
};

static void *submit_all(void *argument)
{
    const struct submitter *submitter = argument;
    VkFence fence = rig_fence(submitter->rig);
    for (uint32_t i = 0; i < PER_THREAD; i++) {
        pthread_mutex_lock(submitter->queue);
        rig_submit(submitter->rig, 1, &submitter->commands[i], fence);
        pthread_mutex_unlock(submitter->queue);
        CHECK(vkWaitForFences(submitter->rig->gpu.device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS);
        CHECK(vkResetFences(submitter->rig->gpu.device, 1, &fence) == VK_SUCCESS);
    }
    vkDestroyFence(submitter->rig->gpu.device, fence, NULL);
    return NULL;
}

/* With records there are fewer buffers than threads: some wait for room while others submit and write. */
static void run_threads(struct rig *rig)
{
    pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
    struct submitter submitters[THREADS];
    pthread_t threads[THREADS];
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    for (uint32_t i = 0; i < THREADS; i++) {
        submitters[i] = (struct submitter){.rig = rig, .queue = &queue};
        for (uint32_t j = 0; j < PER_THREAD; j++)
            submitters[i].commands[j] = dispatching(rig, pipeline, 100 + i, 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, submit_all, &submitters[i]) == 0);
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    idle(rig, pipeline);
}

static void check_threads(const struct recorded *recorded)
{
    uint32_t of_thread[THREADS] = {0};
    CHECK(recorded->count == THREADS * PER_THREAD && recorded->skipped == 0);
    for (uint32_t i = 0; i < recorded->count; i++) {
        const uint32_t thread = recorded->launches[i].size[0] - 100;
        CHECK(thread < THREADS);
        check_dispatch(&recorded->launches[i], 100 + thread, 64);
        of_thread[thread]++;
    }
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(of_thread[i] == PER_THREAD);
}

static void run_ten_dispatches(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    for (uint32_t i = 0; i < 5; i++) {
        VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        rig_begin(commands, 0);
        rig_dispatch(commands, pipeline, 2 * i + 1);
        rig_dispatch(commands, pipeline, 2 * i + 2);
        vkEndCommandBuffer(commands);
        rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
    }
    idle(rig, pipeline);
}

static void check_range(const struct recorded *recorded)
{
    CHECK(recorded->count == 4);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(recorded->launches[i].index == 3 + i);
        check_dispatch(&recorded->launches[i], 4 + i, 64);
    }
    CHECK(recorded->totals.launches == 10 && recorded->totals.outside == 6);
}

static void check_nothing(const struct recorded *recorded)
{
    CHECK(recorded->count == 0 && recorded->skipped == 0);
    CHECK(recorded->totals.launches == 10 && recorded->totals.outside == 10);
}

/* So many results that they need several pieces of memory. */
static void run_long_command_buffer(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    VkCommandBuffer commands = rig_allocate(rig, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    rig_begin(commands, SIMULTANEOUS);
    for (uint32_t i = 0; i < 3000; i++)
        rig_dispatch(commands, pipeline, i % 10 + 1);
    vkEndCommandBuffer(commands);
    const VkCommandBuffer twice[] = {commands, commands};
    rig_submit(rig, 2, twice, VK_NULL_HANDLE);
    idle(rig, pipeline);
}

static void check_long_command_buffer(const struct recorded *recorded)
{
    CHECK(recorded->count == 6000);
    for (uint32_t i = 0; i < 6000; i++)
        check_dispatch(&recorded->launches[i], i % 3000 % 10 + 1, 64);
}

/* Left to vkDestroyDevice, which the application may call when the queue is idle by its own knowledge. */
static void run_never_waited_for(struct rig *rig)
{
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    VkCommandBuffer commands = dispatching(rig, pipeline, 12, 0);
    rig_submit(rig, 1, &commands, VK_NULL_HANDLE);
    vkDeviceWaitIdle(rig->gpu.device);
    check_now(1);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
}

static void check_never_waited_for(const struct recorded *recorded)
{
    CHECK_GROUPS(recorded, 12);
}

/* Beside each other as far as the application is concerned. They run the same shader, so the layer has the
 * device run them one after the other. */
static void run_two_queues(struct rig *rig)
{
    if (rig->queue_count < 2) {
        printf("skip: the device has one queue of this family; ");
        fflush(stdout);
        return;
    }
    VkPipeline pipeline = rig_count_pipeline(rig, 64);
    for (uint32_t i = 0; i < 6; i++) {
        VkCommandBuffer commands = dispatching(rig, pipeline, 1000 + i, 0);
        const VkSubmitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
            .commandBufferCount = 1,
            .pCommandBuffers = &commands,
        };
        CHECK(vkQueueSubmit(rig->queues[i % 2], 1, &info, VK_NULL_HANDLE) == VK_SUCCESS);
    }
    CHECK(vkDeviceWaitIdle(rig->gpu.device) == VK_SUCCESS);
    vkDestroyPipeline(rig->gpu.device, pipeline, NULL);
}

static void check_two_queues(const struct recorded *recorded)
{
    if (recorded->count > 0)
        CHECK_GROUPS(recorded, 1000, 1001, 1002, 1003, 1004, 1005);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        {.name = "one_after_the_other", .run = run_one_after_the_other, .check = check_one_after_the_other},
        {.name = "thrice_in_one_batch", .run = run_thrice_in_one_batch, .check = check_thrice_in_one_batch},
        {.name = "pending_many_times", .run = run_pending_many_times, .check = check_pending_many_times},
        {.name = "batches", .run = run_batches, .check = check_batches},
        {.name = "submit2", .run = run_submit2, .check = check_submit2},
        {.name = "indirect_and_base", .run = run_indirect_and_base, .check = check_indirect_and_base},
        {.name = "secondaries", .run = run_secondaries, .check = check_secondaries},
        {.name = "fences_again_and_again",
         .run = run_fences_again_and_again,
         .check = check_fences_again_and_again},
        {.name = "reset_while_others_are_pending",
         .run = run_reset_while_others_are_pending,
         .check = check_reset_while_others_are_pending},
        {.name = "timeline", .run = run_timeline, .check = check_timeline},
        {.name = "host_event",
         .run = run_host_event,
         .check = check_host_event,
         .check_streams = check_host_event_streams},
        {.name = "threads", .run = run_threads, .check = check_threads},
        {.name = "two_queues", .run = run_two_queues, .check = check_two_queues},
        {.name = "launch_range",
         .run = run_ten_dispatches,
         .check = check_range,
         .setting = "WARPSCOPE_LAUNCHES",
         .value = "3-6"},
        {.name = "frame_range",
         .run = run_ten_dispatches,
         .check = check_nothing,
         .setting = "WARPSCOPE_FRAMES",
         .value = "1-"},
        {.name = "trigger",
         .run = run_ten_dispatches,
         .check = check_nothing,
         .setting = "WARPSCOPE_TRIGGER",
         .value = "/nonexistent/trigger"},
        {.name = "long_command_buffer", .run = run_long_command_buffer, .check = check_long_command_buffer},
        {.name = "never_waited_for", .run = run_never_waited_for, .check = check_never_waited_for},
    };
    return rig_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
