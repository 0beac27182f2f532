#include "layer/core/deferred.h"

#include <stdlib.h>

#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/process/lock.h"

/* Belongs to the operation until that is used again or destroyed. */
struct deferred {
    pthread_mutex_t lock;          /* guards the rest; several threads may join and ask at once */
    struct ws_deferred_work *work; /* NULL once complete */
    VkResult given;                /* what the operation gave, once complete ... */
    VkResult result;               /* ... and what the application gets for it */
};

static void destroy(struct deferred *deferred)
{
    if (deferred == NULL)
        return;
    if (deferred->work != NULL)
        deferred->work->destroy(deferred->work);
    pthread_mutex_destroy(&deferred->lock);
    free(deferred);
}

static struct deferred *find(struct ws_device *device, VkDeferredOperationKHR operation)
{
    return ws_objects_find(device, WS_OBJECT_DEFERRED_OPERATION, WS_HANDLE(operation));
}

/* The operation is complete, with `result`. The first thread that sees this completes the work; other threads
 * wait for it. For once the application knows that the operation is complete, it may use the new objects and
 * free what the work reads. Returns the result for the application. */
static VkResult complete(struct deferred *deferred, VkResult result)
{
    ws_lock(&deferred->lock);
    if (deferred->work != NULL) {
        deferred->given = result;
        deferred->result = deferred->work->complete(deferred->work, result);
        deferred->work->destroy(deferred->work);
        deferred->work = NULL;
    }
    /* Another result means that the operation was used again, by a function that is not intercepted. */
    if (result == deferred->given)
        result = deferred->result;
    ws_unlock(&deferred->lock);
    return result;
}

/* Joins an operation until it is complete. The application's threads may join it at the same time. */
static VkResult finish_operation(struct ws_device *device, VkDeferredOperationKHR operation)
{
    VkResult result;
    while ((result = device->next.GetDeferredOperationResultKHR(device->handle, operation)) == VK_NOT_READY)
        device->next.DeferredOperationJoinKHR(device->handle, operation);
    return result;
}

/* Attaches work to an operation that is not complete. False without memory: then the operation has been
 * joined until it was complete, and `*result` is its result. */
static bool attach(struct ws_device *device, VkDeferredOperationKHR operation, struct ws_deferred_work *work,
                   VkResult *result)
{
    struct deferred *deferred = calloc(1, sizeof(*deferred));
    if (deferred != NULL) {
        ws_lock_init(&deferred->lock);
        deferred->work = work;
        destroy(ws_objects_remove(device, WS_OBJECT_DEFERRED_OPERATION, WS_HANDLE(operation)));
        if (ws_objects_add(device, WS_OBJECT_DEFERRED_OPERATION, WS_HANDLE(operation), deferred))
            return true;
        deferred->work = NULL;
        destroy(deferred);
    }
    *result = finish_operation(device, operation);
    return false;
}

VkResult ws_deferred_settle(struct ws_device *device, VkDeferredOperationKHR operation,
                            struct ws_deferred_work *work, VkResult result)
{
    const bool was_deferred = result == VK_OPERATION_DEFERRED_KHR;
    if (was_deferred && attach(device, operation, work, &result))
        return VK_OPERATION_DEFERRED_KHR;
    result = work->complete(work, result);
    work->destroy(work);
    /* The operation has its result, so the application will find it complete. */
    return was_deferred && result >= 0 ? VK_OPERATION_DEFERRED_KHR : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL deferred_operation_join(VkDevice handle,
                                                              VkDeferredOperationKHR operation)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.DeferredOperationJoinKHR(handle, operation);
    struct deferred *deferred = find(device, operation);
    /* VK_THREAD_DONE_KHR and VK_THREAD_IDLE_KHR leave other threads at work. */
    if (result == VK_SUCCESS && deferred != NULL)
        complete(deferred, device->next.GetDeferredOperationResultKHR(handle, operation));
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_deferred_operation_result(VkDevice handle,
                                                                    VkDeferredOperationKHR operation)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.GetDeferredOperationResultKHR(handle, operation);
    struct deferred *deferred = find(device, operation);
    return result != VK_NOT_READY && deferred != NULL ? complete(deferred, result) : result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_deferred_operation(VkDevice handle,
                                                             VkDeferredOperationKHR operation,
                                                             const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    struct deferred *deferred = ws_objects_remove(device, WS_OBJECT_DEFERRED_OPERATION, WS_HANDLE(operation));
    /* It must be complete by now, but the application may never have asked. */
    if (deferred != NULL)
        complete(deferred, device->next.GetDeferredOperationResultKHR(handle, operation));
    destroy(deferred);
    device->next.DestroyDeferredOperationKHR(handle, operation, allocator);
}

static void device_finish(struct ws_device *device)
{
    struct deferred *deferred;
    while ((deferred = ws_objects_remove_any(device, WS_OBJECT_DEFERRED_OPERATION)) != NULL)
        destroy(deferred);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(DeferredOperationJoinKHR, deferred_operation_join),
    WS_HOOK(GetDeferredOperationResultKHR, get_deferred_operation_result),
    WS_HOOK(DestroyDeferredOperationKHR, destroy_deferred_operation),
    WS_HOOK_END,
};

const struct ws_interception ws_deferred_interception = {.hooks = hooks, .device_finish = device_finish};
