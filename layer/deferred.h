/* VK_KHR_deferred_host_operations: what a deferred creation of pipelines reads must live until the
 * operation is complete, and only then are there handles to remember. */
#ifndef WS_LAYER_DEFERRED_H
#define WS_LAYER_DEFERRED_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

struct ws_device;
struct ws_pipeline_batch;

/* Hands the batch over to an operation that is under way, with the place where the driver will put the
 * handles. False when there is no memory: then the operation has been joined to its end and the batch is
 * still the caller's, with `*result` what the operation gave. */
bool ws_deferred_attach(struct ws_device *device, VkDeferredOperationKHR operation,
                        struct ws_pipeline_batch *batch, VkPipeline *pipelines, VkResult *result);

#endif
