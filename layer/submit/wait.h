/* The calls that tell the application what has finished: waits for fences, semaphores, queues and the device,
 * and queries of fences and semaphores. What the application learns to be finished is in the capture before
 * the call returns; a program that ends without destroying its device then loses nothing that it waited for.
 *
 * An exception are batches before a submission's last: they follow with the call that tells of the last, or with a later one.
 * Another are submissions that need late copies (late_copy.h). They follow with the next call that
 * brings a queue, if the application only asked, has other pending work of ours on that queue, or is using
 * queues in another thread. */
#ifndef WS_LAYER_SUBMIT_WAIT_H
#define WS_LAYER_SUBMIT_WAIT_H

#include <vulkan/vulkan.h>

struct ws_device;

/* After a call of the next layer returned `result`: if the device is lost, writes what has finished and gives
 * up the rest. Without the submission lock. */
void ws_wait_check(struct ws_device *device, VkResult result);

/* Writes what has finished, for a call that brings no queue. Without the submission lock. */
void ws_wait_write_finished(struct ws_device *device);

#endif
