#include "layer/submit/picture.h"

#include <stdlib.h>

#include "layer/commands/barrier.h"
#include "layer/core/capture.h"
#include "layer/core/captured_image.h"
#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/settings.h"
#include "layer/image/swapchain.h"
#include "layer/submit/command_source.h"
#include "layer/submit/host_wait.h"
#include "layer/submit/late_copy.h"
#include "layer/submit/losses.h"
#include "layer/submit/queue.h"
#include "layer/submit/submission.h"
#include "layer/submit/wait.h"
#include "warpscope/image_format.h"

void ws_picture_want(struct ws_device *device, uint64_t frame)
{
    struct ws_capture *capture = device->capture;
    if (!device->settings->image || atomic_load(&device->swapchains) == 0)
        return;
    atomic_store(&capture->pictured, frame + 1);
    if (!atomic_exchange(&capture->picture_awaited, true))
        atomic_fetch_add(&capture->awaited, 1);
}

void ws_picture_release(struct ws_device *device)
{
    if (atomic_exchange(&device->capture->picture_awaited, false))
        atomic_fetch_sub(&device->capture->awaited, 1);
}

/* The image that a present shows. */
struct shown {
    VkSwapchainKHR handle;
    const struct ws_swapchain *swapchain;
    VkImage image;
};

static struct shown choose(struct ws_device *device, const VkPresentInfoKHR *info)
{
    struct shown shown = {0};
    uint64_t most = 0;
    for (uint32_t i = 0; i < info->swapchainCount; i++) {
        const struct ws_swapchain *swapchain = ws_swapchain_find(device, info->pSwapchains[i]);
        if (swapchain == NULL || info->pImageIndices[i] >= swapchain->image_count)
            continue;
        const uint64_t area = (uint64_t)swapchain->width * swapchain->height;
        if (area > most)
            shown =
                (struct shown){info->pSwapchains[i], swapchain, swapchain->images[info->pImageIndices[i]]};
        most = area > most ? area : most;
    }
    return shown;
}

/* Whether the first device of a group alone shows all. */
static bool is_of_one_device(const VkPresentInfoKHR *info)
{
    const VkDeviceGroupPresentInfoKHR *group =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR);
    for (uint32_t i = 0; group != NULL && i < group->swapchainCount; i++)
        if (group->pDeviceMasks[i] != 1)
            return false;
    return true;
}

/* Why a picture cannot be taken; NULL = it can. The copy waits for all that the present waits for. If that includes
 * something that the application does only later, what it submits to this queue until then would wait for the copy: as it
 * would not for the present. */
static const char *find_hindrance(struct ws_device *device, const struct ws_queue *queue,
                                  const VkPresentInfoKHR *info, const struct shown *shown)
{
    if (device->submissions->device_lost)
        return "the device was lost";
    if (shown->swapchain == NULL)
        return "the swapchain is not known";
    if (shown->swapchain->reason != NULL)
        return shown->swapchain->reason;
    if (!is_of_one_device(info))
        return "several devices make what is presented";
    if (queue == NULL || !ws_queue_copies(queue))
        return "the queue that presents cannot copy";
    if (device->submissions->timelines.open > 0 || device->submissions->timelines.incomplete ||
        queue->held_up || !ws_queue_will_finish(device, queue))
        return "what is presented waits for something that nobody can foresee";
    return NULL;
}

static struct ws_submission *create(struct ws_device *device, struct ws_queue *queue, uint64_t frame,
                                    const VkPresentInfoKHR *info, const struct shown *shown)
{
    const struct ws_swapchain *swapchain = shown->swapchain;
    struct ws_submission *submission = calloc(1, sizeof(*submission));
    if (submission == NULL)
        return NULL;
    submission->queue = queue;
    submission->awaited = true;
    atomic_fetch_add(&device->capture->awaited, 1);
    submission->picture = calloc(1, sizeof(*submission->picture));
    submission->fence = ws_fence_take(device);
    if (submission->picture == NULL || submission->fence == NULL) {
        ws_submission_destroy(device, submission);
        return NULL;
    }
    submission->picture->swapchain = shown->handle;
    submission->picture->chunk = (struct ws_chunk_image){
        .source = WS_IMAGE_PRESENTED,
        .frame = frame,
        .format = swapchain->format,
        .width = swapchain->width,
        .height = swapchain->height,
        .pitch = (uint64_t)swapchain->width * ws_image_format_find(swapchain->format)->size,
        .others = info->swapchainCount - 1,
    };
    return submission;
}

static void change_layout(struct ws_device *device, VkCommandBuffer commands, VkImage image, bool before)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = before ? VK_ACCESS_MEMORY_WRITE_BIT : 0,
        .dstAccessMask = before ? VK_ACCESS_TRANSFER_READ_BIT : 0,
        .oldLayout = before ? VK_IMAGE_LAYOUT_PRESENT_SRC_KHR : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        .newLayout = before ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS},
    };
    const VkPipelineStageFlags rest =
        before ? VK_PIPELINE_STAGE_ALL_COMMANDS_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
    device->next.CmdPipelineBarrier(commands, before ? rest : VK_PIPELINE_STAGE_TRANSFER_BIT,
                                    before ? VK_PIPELINE_STAGE_TRANSFER_BIT : rest, 0, 0, NULL, 0, NULL, 1,
                                    &barrier);
}

/* Records the copy of the first layer. False without memory. */
static bool record(struct ws_device *device, struct ws_submission *submission, VkImage image)
{
    const struct ws_chunk_image *chunk = &submission->picture->chunk;
    struct ws_memory_range *readback = &submission->readback;
    if (!ws_heap_allocate(device->readback, chunk->pitch * chunk->height, readback, NULL))
        return false;
    VkCommandBuffer commands = ws_submission_begin_commands(device, submission);
    if (commands == VK_NULL_HANDLE)
        return false;
    const VkBufferImageCopy region = {
        .bufferOffset = readback->offset,
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {chunk->width, chunk->height, 1},
    };
    change_layout(device, commands, image, true);
    device->next.CmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, readback->buffer,
                                      1, &region);
    change_layout(device, commands, image, false);
    ws_barrier(device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    return device->next.EndCommandBuffer(commands) == VK_SUCCESS;
}

static VkResult submit_copy(struct ws_device *device, const struct ws_submission *submission,
                            const VkPresentInfoKHR *info)
{
    VkPipelineStageFlags *stages = calloc((size_t)info->waitSemaphoreCount + 1, sizeof(*stages));
    if (stages == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < info->waitSemaphoreCount; i++)
        stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo copy = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = info->waitSemaphoreCount,
        .pWaitSemaphores = info->pWaitSemaphores,
        .pWaitDstStageMask = stages,
        .commandBufferCount = submission->command_count,
        .pCommandBuffers = submission->commands,
    };
    const VkResult result =
        device->next.QueueSubmit(submission->queue->handle, 1, &copy, submission->fence->handle);
    free(stages);
    return result;
}

/* A signal's first scope has all that is earlier in submission order: the semaphores are signalled when the copy has
 * ended (the specification, "Semaphore Signaling"). */
static VkResult signal_again(struct ws_device *device, const struct ws_queue *queue,
                             const VkPresentInfoKHR *info)
{
    const VkSubmitInfo signals = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .signalSemaphoreCount = info->waitSemaphoreCount,
        .pSignalSemaphores = info->pWaitSemaphores,
    };
    return device->next.QueueSubmit(queue->handle, 1, &signals, VK_NULL_HANDLE);
}

static bool take_locked(struct ws_device *device, struct ws_queue *queue, uint64_t frame,
                        const VkPresentInfoKHR *info, VkResult *result)
{
    const struct shown shown = choose(device, info);
    const char *reason = find_hindrance(device, queue, info, &shown);
    if (reason == NULL &&
        ws_captured_images_full(device->capture, (uint64_t)shown.swapchain->width * shown.swapchain->height *
                                                     ws_image_format_find(shown.swapchain->format)->size))
        reason = WS_IMAGES_FULL;
    if (reason != NULL) {
        ws_lose_images(device, 1, reason);
        return true;
    }
    ws_late_copies_allow(device, queue, false);
    ws_submissions_drain(device);
    ws_make_room(device, queue, false);
    struct ws_submission *submission = create(device, queue, frame, info, &shown);
    if (submission == NULL || !record(device, submission, shown.image) ||
        (*result = submit_copy(device, submission, info)) != VK_SUCCESS) {
        ws_lose_images(device, 1, "no memory for copies of what is presented");
        ws_submission_destroy(device, submission);
        return true;
    }
    submission->sequence = ++device->submissions->sequence;
    ws_submissions_add(device, submission);
    if (info->waitSemaphoreCount > 0) {
        *result = signal_again(device, queue, info);
        device->submissions->sequence++;
        if (*result == VK_SUCCESS)
            return true;
    }
    ws_submission_wait(device, submission);
    return false;
}

bool ws_picture_take(struct ws_device *device, struct ws_queue *queue, const VkPresentInfoKHR *info)
{
    VkResult result = VK_SUCCESS;
    const uint64_t frame = atomic_load(&device->capture->frames);
    if (!device->settings->image || atomic_load(&device->capture->pictured) != frame + 1)
        return true;
    ws_submissions_enter(device);
    const bool waits = take_locked(device, queue, frame, info, &result);
    ws_submissions_leave(device);
    ws_wait_check(device, result);
    return waits;
}

void ws_picture_write(struct ws_device *device, const struct ws_submission *submission)
{
    struct ws_chunk_image chunk = submission->picture->chunk;
    ws_captured_image_write(device->capture, &chunk, submission->readback.mapped);
}

/* The application knows that its own use of the swapchain's images has ended, and nothing of our copies. */
static void finish_copies(struct ws_device *device, VkSwapchainKHR swapchain)
{
    ws_submissions_enter(device);
    for (struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following)
        for (struct ws_submission *pending = queue->oldest; pending != NULL; pending = pending->following)
            if (pending->picture != NULL && pending->picture->swapchain == swapchain)
                ws_submission_wait(device, pending);
    ws_submissions_drain(device);
    ws_submissions_leave(device);
}

static VKAPI_ATTR void VKAPI_CALL destroy_swapchain(VkDevice handle, VkSwapchainKHR swapchain,
                                                    const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    if (swapchain != VK_NULL_HANDLE) {
        finish_copies(device, swapchain);
        ws_swapchain_forget(device, swapchain);
    }
    if (atomic_load(&device->swapchains) == 0)
        ws_picture_release(device);
    device->next.DestroySwapchainKHR(handle, swapchain, allocator);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(DestroySwapchainKHR, destroy_swapchain),
    WS_HOOK_END,
};

const struct ws_interception ws_picture_interception = {
    .hooks = hooks,
    .image = true,
    .device_finish = ws_picture_release,
};
