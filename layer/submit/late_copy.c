#include "layer/submit/late_copy.h"

#include "layer/commands/stream_control.h"
#include "layer/core/device.h"
#include "layer/submit/command_source.h"
#include "layer/submit/queue.h"
#include "layer/submit/submission.h"

struct ws_queue *ws_late_queue(struct ws_device *device)
{
    const struct ws_submissions *submissions = device->submissions;
    struct ws_queue *queue = submissions->usable;
    if (queue == NULL || !ws_queue_copies(queue))
        return NULL;
    const bool will_end =
        submissions->usable_idle || (!queue->held_up && ws_submissions_queue_will_finish(device, queue));
    return will_end ? queue : NULL;
}

bool ws_late_copies_given_up(const struct ws_device *device)
{
    return device->submissions->device_lost || device->streams->staging_lost;
}

bool ws_late_copy_run(struct ws_device *device, struct ws_queue *queue, VkCommandBuffer commands)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
    };
    VkFence fence = ws_fence_take(device);
    if (fence == VK_NULL_HANDLE || device->next.EndCommandBuffer(commands) != VK_SUCCESS ||
        device->next.QueueSubmit(queue->handle, 1, &info, fence) != VK_SUCCESS) {
        ws_fence_recycle(device, fence);
        ws_command_source_recycle(device, queue->family, commands);
        return false;
    }
    if (device->next.WaitForFences(device->handle, 1, &fence, VK_TRUE, WS_WAIT_LIMIT) != VK_SUCCESS) {
        device->streams->staging_lost = true;
        device->streams->staging_fence = fence;
        return false;
    }
    ws_fence_recycle(device, fence);
    ws_command_source_recycle(device, queue->family, commands);
    return true;
}
