/* VK_KHR_deferred_host_operations. A driver may create pipelines, or build and copy acceleration structures,
 * after the function has returned. What the driver reads must live until the operation is complete; only then
 * are there handles to remember, and results. The functions are thread-safe. */
#ifndef WS_LAYER_CORE_DEFERRED_H
#define WS_LAYER_CORE_DEFERRED_H

#include <vulkan/vulkan.h>

struct ws_device;

/* Work to do when an operation is complete. It is the first member of a larger struct with what the work
 * needs. */
struct ws_deferred_work {
    /* Called once, with the operation's result, before the application knows of it; returns the result for
     * the application. */
    VkResult (*complete)(struct ws_deferred_work *work, VkResult result);
    void (*destroy)(struct ws_deferred_work *work);
};

/* Takes `result`, which the driver's function returned for `operation` (or VK_NULL_HANDLE). With
 * VK_OPERATION_DEFERRED_KHR the driver works later, and `work` is completed when the operation is. With every
 * other result, such as VK_OPERATION_NOT_DEFERRED_KHR or VK_SUCCESS, it is completed now. Owns `work` from
 * now on. Returns the result for the application. */
VkResult ws_deferred_settle(struct ws_device *device, VkDeferredOperationKHR operation,
                            struct ws_deferred_work *work, VkResult result);

#endif
