/* What the application learns to be finished is in the capture before the call that tells it returns. Only
 * where records must be copied to the host (stream_drain.h), which takes a queue, they may follow with the
 * next call that gives one: when the application only asked, still has work of ours on that queue, or uses
 * queues in another thread. */
#ifndef WS_LAYER_SUBMIT_WAIT_H
#define WS_LAYER_SUBMIT_WAIT_H

#include <vulkan/vulkan.h>

struct ws_device;

/* After a call that may say so: when the device is lost, writes what has finished and gives up the rest.
 * Without the submission lock. */
void ws_wait_check(struct ws_device *device, VkResult result);

#endif
