#include "layer/submit/queue.h"

#include <stdlib.h>

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/submit/submission.h"

struct ws_queue *ws_queue_of(VkQueue handle)
{
    return ws_objects_find(ws_device_of(handle), WS_OBJECT_QUEUE, WS_HANDLE(handle));
}

static bool has_any(const struct ws_queue *queue, VkQueueFlags flags)
{
    return (queue->device->queue_families[queue->family].queueFlags & flags) != 0;
}

bool ws_queue_runs_shaders(const struct ws_queue *queue)
{
    return has_any(queue, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
}

bool ws_queue_copies(const struct ws_queue *queue)
{
    return ws_queue_runs_shaders(queue) || has_any(queue, VK_QUEUE_TRANSFER_BIT);
}

/* A queue may be asked for many times, from several threads: the lock makes one struct of it. Without memory
 * the queue is not known, and what is submitted to it is handed on as it is. */
static void remember(struct ws_device *device, VkQueue handle, uint32_t family, uint32_t index)
{
    if (handle == VK_NULL_HANDLE)
        return;
    ws_submissions_enter(device);
    if (ws_objects_find(device, WS_OBJECT_QUEUE, WS_HANDLE(handle)) == NULL) {
        struct ws_queue *queue = calloc(1, sizeof(*queue));
        if (queue != NULL) {
            queue->handle = handle;
            queue->device = device;
            queue->family = family;
            queue->index = index;
            if (ws_objects_add(device, WS_OBJECT_QUEUE, WS_HANDLE(handle), queue)) {
                queue->following = device->submissions->queues;
                device->submissions->queues = queue;
            } else {
                free(queue);
            }
        }
    }
    ws_submissions_leave(device);
}

static VKAPI_ATTR void VKAPI_CALL get_device_queue(VkDevice handle, uint32_t family, uint32_t index,
                                                   VkQueue *queue)
{
    struct ws_device *device = ws_device_of(handle);
    device->next.GetDeviceQueue(handle, family, index, queue);
    remember(device, *queue, family, index);
}

static VKAPI_ATTR void VKAPI_CALL get_device_queue2(VkDevice handle, const VkDeviceQueueInfo2 *info,
                                                    VkQueue *queue)
{
    struct ws_device *device = ws_device_of(handle);
    device->next.GetDeviceQueue2(handle, info, queue);
    remember(device, *queue, info->queueFamilyIndex, info->queueIndex);
}

/* vkGetInstanceProcAddr returns these two as well, so the device may be inactive: then the queue is not
 * known. */
static VKAPI_ATTR void VKAPI_CALL queue_begin_label(VkQueue handle, const VkDebugUtilsLabelEXT *label)
{
    struct ws_device *device = ws_device_of(handle);
    struct ws_queue *queue = ws_queue_of(handle);
    if (queue != NULL) {
        ws_submissions_enter(device);
        ws_labels_begin(&queue->labels, label->pLabelName);
        ws_submissions_leave(device);
    }
    device->next.QueueBeginDebugUtilsLabelEXT(handle, label);
}

static VKAPI_ATTR void VKAPI_CALL queue_end_label(VkQueue handle)
{
    struct ws_device *device = ws_device_of(handle);
    struct ws_queue *queue = ws_queue_of(handle);
    if (queue != NULL) {
        ws_submissions_enter(device);
        ws_labels_end(&queue->labels);
        ws_submissions_leave(device);
    }
    device->next.QueueEndDebugUtilsLabelEXT(handle);
}

static void finish(struct ws_device *device)
{
    struct ws_queue *queue;
    while ((queue = ws_objects_remove_any(device, WS_OBJECT_QUEUE)) != NULL) {
        ws_labels_finish(&queue->labels);
        free(queue);
    }
}

static const struct ws_hook hooks[] = {
    WS_HOOK(GetDeviceQueue, get_device_queue),
    WS_HOOK(GetDeviceQueue2, get_device_queue2),
    WS_HOOK(QueueBeginDebugUtilsLabelEXT, queue_begin_label),
    WS_HOOK(QueueEndDebugUtilsLabelEXT, queue_end_label),
    WS_HOOK_END,
};

const struct ws_interception ws_queue_interception = {
    .hooks = hooks,
    .device_finish = finish,
};
