/* Copies of our own, outside of what the application submits: when something is written that has finished,
 * and more of the device's memory is needed for it. They run, and are waited for, on a queue that the
 * application's call under way may use (struct ws_submissions). With the submission lock entered. */
#ifndef WS_LAYER_SUBMIT_LATE_COPY_H
#define WS_LAYER_SUBMIT_LATE_COPY_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

struct ws_device;
struct ws_queue;

/* The queue for such a copy; NULL when there is none now. */
struct ws_queue *ws_late_queue(struct ws_device *device);

/* Whether there will never be one again. */
bool ws_late_copies_given_up(const struct ws_device *device);

/* Submits what was recorded in a command buffer of command_source.h and waits for it. What does not end keeps
 * its fence and command buffer, and such copies are given up. */
bool ws_late_copy_run(struct ws_device *device, struct ws_queue *queue, VkCommandBuffer commands);

#endif
