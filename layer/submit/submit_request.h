/* A call of vkQueueSubmit or of vkQueueSubmit2, whose structs differ, in one form. Nothing is copied.
 * Thread-safe: it is only read. */
#ifndef WS_LAYER_SUBMIT_SUBMIT_REQUEST_H
#define WS_LAYER_SUBMIT_SUBMIT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/submit/timeline.h"

struct ws_device;

/* The application's batches, in one of the two forms: the other pointer is NULL. Borrowed and never written.
 */
struct ws_submit_request {
    uint32_t count;
    const VkSubmitInfo *infos;
    const VkSubmitInfo2 *infos2;
};

/* How many command buffers a batch has, and the `index`th. */
uint32_t ws_request_command_count(const struct ws_submit_request *request, uint32_t batch);
VkCommandBuffer ws_request_command(const struct ws_submit_request *request, uint32_t batch, uint32_t index);

/* Why no command buffers of ours may be added to a batch; static; NULL where they may. It addresses single
 * devices of a group, each of which would need counters of its own; or it is protected, so that it may
 * contain protected command buffers only (VUID-VkSubmitInfo-pNext-04148), which cannot write memory that the
 * host reads. */
const char *ws_request_unsupported(const struct ws_submit_request *request, uint32_t batch);

/* How many semaphores a batch waits for (or `signals`), and the `index`th. ws_request_timeline is true, with
 * its value, if it is a timeline semaphore. */
uint32_t ws_request_semaphore_count(const struct ws_submit_request *request, uint32_t batch, bool signals);
VkSemaphore ws_request_semaphore(const struct ws_submit_request *request, uint32_t batch, bool signals,
                                 uint32_t index);
bool ws_request_timeline(struct ws_device *device, const struct ws_submit_request *request, uint32_t batch,
                         bool signals, uint32_t index, struct ws_semaphore_value *value);

/* The struct that gives each command buffer of a VkSubmitInfo the mask of devices that execute it; NULL when
 * it has none. */
const VkDeviceGroupSubmitInfo *ws_request_masks(const VkSubmitInfo *info);

/* Hands the batches to the next layer, by the function that takes their form. */
VkResult ws_request_submit(struct ws_device *device, VkQueue queue, const struct ws_submit_request *request,
                           VkFence fence);

#endif
