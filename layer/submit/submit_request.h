/* A call of vkQueueSubmit or vkQueueSubmit2 in one form, and its copy with command buffers of ours. */
#ifndef WS_LAYER_SUBMIT_SUBMIT_REQUEST_H
#define WS_LAYER_SUBMIT_SUBMIT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/submit/timeline.h"

struct ws_chain;
struct ws_device;
struct ws_submit_plan;

/* The application's batches, in one of the two forms; borrowed and never written. */
struct ws_submit_request {
    uint32_t count;
    const VkSubmitInfo *infos;
    const VkSubmitInfo2 *infos2;
};

uint32_t ws_request_command_count(const struct ws_submit_request *request, uint32_t batch);
VkCommandBuffer ws_request_command(const struct ws_submit_request *request, uint32_t batch, uint32_t index);

/* Why a batch must be handed on as it is, NULL where it need not: it addresses single devices of a group,
 * each of which would need counters of its own, or it is protected, so that nothing may be copied out of it.
 */
const char *ws_request_left_alone(const struct ws_submit_request *request, uint32_t batch);

/* How many semaphores a batch waits for (or signals), and the `index`th when it is a timeline semaphore. */
uint32_t ws_request_semaphore_count(const struct ws_submit_request *request, uint32_t batch, bool signals);
bool ws_request_timeline(struct ws_device *device, const struct ws_submit_request *request, uint32_t batch,
                         bool signals, uint32_t index, struct ws_semaphore_value *value);

/* The batches as planned. */
struct ws_planned_request {
    struct ws_submit_request request;
    VkSubmitInfo *infos;
    VkSubmitInfo2 *infos2;
    VkCommandBuffer *commands;
    VkCommandBufferSubmitInfo *commands2;
    uint32_t *masks;         /* of the commands, for a chained VkDeviceGroupSubmitInfo */
    struct ws_chain *chains; /* of the infos */
};

/* False when there is no memory. Finish in any case. */
bool ws_planned_request_init(struct ws_planned_request *planned, const struct ws_submit_request *request,
                             const struct ws_submit_plan *plan);
void ws_planned_request_finish(struct ws_planned_request *planned);

VkResult ws_request_submit(struct ws_device *device, VkQueue queue, const struct ws_submit_request *request,
                           VkFence fence);

#endif
