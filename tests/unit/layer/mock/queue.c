/* Queues. */
#include "tests/unit/layer/mock/objects.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/chain.h"
#include "layer/submit/submission.h"

struct queue mock_queues[MOCK_QUEUES + 1];

/* A mask for each command buffer: VUID-VkDeviceGroupSubmitInfo-commandBufferCount-00083. */
static void assert_masks(const VkSubmitInfo *info)
{
    const VkDeviceGroupSubmitInfo *group =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
    if (group == NULL)
        return;
    assert_int_equal(group->commandBufferCount, info->commandBufferCount);
    for (uint32_t i = 0; i < group->commandBufferCount; i++)
        mock.masks[i] = group->pCommandBufferDeviceMasks[i];
    mock.mask_count = group->commandBufferCount;
}

static struct signal signal_of(VkSemaphore handle, const VkTimelineSemaphoreSubmitInfo *values, bool signals,
                               uint32_t index)
{
    struct signal signal = {.target = 1};
    signal.value = mock_semaphore_value(handle, &signal.timeline);
    if (signal.timeline) {
        assert_non_null(values);
        assert_true(index < (signals ? values->signalSemaphoreValueCount : values->waitSemaphoreValueCount));
        signal.target = (signals ? values->pSignalSemaphoreValues : values->pWaitSemaphoreValues)[index];
    }
    return signal;
}

static void add_semaphores(struct job *job, const VkSubmitInfo *info)
{
    const VkTimelineSemaphoreSubmitInfo *values =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    assert_true(info->waitSemaphoreCount <= MOCK_QUEUES + 2 && info->signalSemaphoreCount <= MOCK_QUEUES + 2);
    for (uint32_t i = 0; i < info->waitSemaphoreCount; i++)
        job->waits[job->wait_count++] = signal_of(info->pWaitSemaphores[i], values, false, i);
    for (uint32_t i = 0; i < info->signalSemaphoreCount; i++)
        job->signals[job->signal_count++] = signal_of(info->pSignalSemaphores[i], values, true, i);
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_submit(VkQueue handle, uint32_t count, const VkSubmitInfo *infos,
                                                   VkFence fence)
{
    struct queue *queue = (struct queue *)handle;
    mock_lock();
    if (mock.submit_fails > 0) {
        mock.submit_fails--;
        mock_unlock();
        return mock.submit_error;
    }
    for (uint32_t i = 0; i < count || (i == 0 && fence != VK_NULL_HANDLE); i++) {
        struct job job = {.fence = i + 1 >= count ? (struct fence *)fence : NULL};
        if (i < count) {
            assert_masks(&infos[i]);
            job.count = infos[i].commandBufferCount;
            job.commands = mock_allocate((job.count + 1) * sizeof(*job.commands));
            if (job.count > 0)
                memcpy(job.commands, infos[i].pCommandBuffers, job.count * sizeof(*job.commands));
            add_semaphores(&job, &infos[i]);
        }
        queue->jobs = mock_grow(queue->jobs, queue->count + 1, sizeof(*queue->jobs));
        queue->jobs[queue->count++] = job;
    }
    mock_unlock();
    return VK_SUCCESS;
}

/* A call uses queues now: no other thread may make a late copy. */
static void assert_in_use(void)
{
    assert_int_equal(pthread_rwlock_trywrlock(&mock_layer_device.submissions->late.calls), EBUSY);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_idle(VkDevice handle)
{
    (void)handle;
    assert_in_use();
    mock_run();
    return mock.lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_present(VkQueue queue, const VkPresentInfoKHR *info)
{
    (void)queue;
    (void)info;
    assert_in_use();
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice handle, uint32_t family, uint32_t index, VkQueue *queue)
{
    (void)handle;
    *queue = (VkQueue)&mock_queues[family == 0 ? index : MOCK_QUEUES];
}

static bool run_next(struct queue *queue)
{
    if (mock.lost || queue->done == queue->count)
        return false;
    struct job *job = &queue->jobs[queue->done];
    for (uint32_t i = 0; i < job->wait_count; i++)
        if (*job->waits[i].value < job->waits[i].target)
            return false;
    for (uint32_t i = 0; i < job->count; i++)
        if (!mock.event_set && mock_commands_wait(job->commands[i]))
            return false;
    for (uint32_t i = 0; i < job->wait_count; i++)
        if (!job->waits[i].timeline)
            *job->waits[i].value = 0;
    for (uint32_t i = 0; i < job->count; i++)
        mock_commands_run(job->commands[i]);
    for (uint32_t i = 0; i < job->signal_count; i++)
        if (*job->signals[i].value < job->signals[i].target)
            *job->signals[i].value = job->signals[i].target;
    if (job->fence != NULL)
        job->fence->signalled = true;
    queue->done++;
    return true;
}

void mock_run(void)
{
    mock_lock();
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i <= MOCK_QUEUES; i++)
            changed = run_next(&mock_queues[i]) || changed;
    }
    mock_unlock();
}

void mock_queue_finish(void)
{
    for (uint32_t i = 0; i <= MOCK_QUEUES; i++) {
        for (uint32_t j = 0; j < mock_queues[i].count; j++)
            free(mock_queues[i].jobs[j].commands);
        free(mock_queues[i].jobs);
    }
    memset(mock_queues, 0, sizeof(mock_queues));
}

void mock_queue_load(struct ws_device_dispatch *dispatch)
{
    dispatch->QueueSubmit = queue_submit;
    dispatch->QueuePresentKHR = queue_present;
    dispatch->DeviceWaitIdle = wait_idle;
    dispatch->GetDeviceQueue = get_queue;
}
