/* vkQueuePresentKHR: frames are counted here. With each present the next one begins. */
#include "layer/core/capture.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/submit/late_copy.h"
#include "layer/submit/picture.h"
#include "layer/submit/queue.h"
#include "layer/submit/wait.h"

static VKAPI_ATTR VkResult VKAPI_CALL queue_present(VkQueue handle, const VkPresentInfoKHR *info)
{
    struct ws_device *device = ws_device_of(handle);
    VkPresentInfoKHR presented = *info;
    if (!ws_picture_take(device, ws_queue_of(handle), info))
        presented.waitSemaphoreCount = 0;
    ws_late_copies_enter_call(device);
    const VkResult result = device->next.QueuePresentKHR(handle, &presented);
    ws_late_copies_leave_call(device);
    atomic_fetch_add(&device->capture->frames, 1);
    ws_picture_release(device);
    ws_wait_write_finished(device);
    ws_capture_show_counts(device->capture);
    ws_capture_close_if_over(device->capture, device->settings);
    ws_wait_check(device, result);
    return result;
}

static const struct ws_hook hooks[] = {
    WS_HOOK(QueuePresentKHR, queue_present),
    WS_HOOK_END,
};

const struct ws_interception ws_present_interception = {.hooks = hooks};
