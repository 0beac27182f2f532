/* VK_KHR_deferred_host_operations: what a deferred creation of pipelines reads must live until the
 * operation is complete, and only then are there handles to remember; what a deferred build or copy of
 * acceleration structures did is known only then. */
#ifndef WS_LAYER_CORE_DEFERRED_H
#define WS_LAYER_CORE_DEFERRED_H

#include <vulkan/vulkan.h>

struct ws_device;

/* What is to be done when an operation is complete; the first member of what that needs. */
struct ws_deferred_work {
    /* Called once, with the operation's result, before the application knows of it; returns the result for
     * the application. */
    VkResult (*complete)(struct ws_deferred_work *work, VkResult result);
    void (*destroy)(struct ws_deferred_work *work);
};

/* What a function with an operation (or VK_NULL_HANDLE) came to: the driver may take it on and do it later
 * (VK_OPERATION_DEFERRED_KHR) or do it at once, which it says as VK_OPERATION_NOT_DEFERRED_KHR or VK_SUCCESS.
 * Takes the work over and completes it now or then. Returns the result for the application. */
VkResult ws_deferred_settle(struct ws_device *device, VkDeferredOperationKHR operation,
                            struct ws_deferred_work *work, VkResult result);

#endif
