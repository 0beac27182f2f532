#include "layer/submit/semaphore.h"

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"
#include "layer/core/objects.h"
#include "layer/submit/queue.h"
#include "layer/submit/submission.h"

/* What a handle in the map points to: its kind. Binary semaphores are not in the map. */
static enum ws_semaphore_kind timeline = WS_SEMAPHORE_TIMELINE;
static enum ws_semaphore_kind foreign = WS_SEMAPHORE_FOREIGN;

enum ws_semaphore_kind ws_semaphore_kind_of(struct ws_device *device, VkSemaphore semaphore)
{
    const enum ws_semaphore_kind *kind = ws_objects_find(device, WS_OBJECT_SEMAPHORE, WS_HANDLE(semaphore));
    return kind != NULL ? *kind : WS_SEMAPHORE_BINARY;
}

static enum ws_semaphore_kind *kind_of(const VkSemaphoreCreateInfo *create_info)
{
    const VkSemaphoreTypeCreateInfo *type =
        ws_chain_find(create_info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    const VkExportSemaphoreCreateInfo *export =
        ws_chain_find(create_info->pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
    if (type != NULL && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
        return &timeline;
    return export != NULL && export->handleTypes != 0 ? &foreign : NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice handle,
                                                       const VkSemaphoreCreateInfo *create_info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkSemaphore *semaphore)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.CreateSemaphore(handle, create_info, allocator, semaphore);
    enum ws_semaphore_kind *kind = kind_of(create_info);
    if (result != VK_SUCCESS || kind == NULL)
        return result;
    if (ws_objects_add(device, WS_OBJECT_SEMAPHORE, WS_HANDLE(*semaphore), kind)) {
        device->submissions->timelines.semaphores++;
        return VK_SUCCESS;
    }
    device->next.DestroySemaphore(handle, *semaphore, allocator);
    *semaphore = VK_NULL_HANDLE;
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Drops a semaphore from all that is kept of submissions. Its handle may be given to another semaphore, whose
 * values must not be taken for its own. */
static void forget(struct ws_device *device, VkSemaphore semaphore)
{
    ws_submissions_enter(device);
    ws_timelines_forget(&device->submissions->timelines, semaphore);
    for (struct ws_queue *queue = device->submissions->queues; queue != NULL; queue = queue->following) {
        for (struct ws_submission *pending = queue->oldest; pending != NULL; pending = pending->following) {
            for (uint32_t i = 0; i < pending->signal_count; i++)
                if (pending->signals[i].semaphore == semaphore)
                    pending->signals[i].semaphore = VK_NULL_HANDLE;
        }
    }
    ws_submissions_leave(device);
}

/* What used the semaphore has finished (VUID-vkDestroySemaphore-semaphore-05149). */
static VKAPI_ATTR void VKAPI_CALL destroy_semaphore(VkDevice handle, VkSemaphore semaphore,
                                                    const VkAllocationCallbacks *allocator)
{
    struct ws_device *device = ws_device_of(handle);
    if (ws_objects_remove(device, WS_OBJECT_SEMAPHORE, WS_HANDLE(semaphore)) != NULL) {
        device->submissions->timelines.semaphores--;
        forget(device, semaphore);
    }
    device->next.DestroySemaphore(handle, semaphore, allocator);
}

/* A timeline semaphore stays one: its value tells how far it is, whoever signals it. Without memory for the
 * map nothing is sure any more. */
static VKAPI_ATTR VkResult VKAPI_CALL import_semaphore(VkDevice handle,
                                                       const VkImportSemaphoreFdInfoKHR *info)
{
    struct ws_device *device = ws_device_of(handle);
    const VkResult result = device->next.ImportSemaphoreFdKHR(handle, info);
    if (result != VK_SUCCESS || ws_semaphore_kind_of(device, info->semaphore) != WS_SEMAPHORE_BINARY)
        return result;
    if (ws_objects_add(device, WS_OBJECT_SEMAPHORE, WS_HANDLE(info->semaphore), &foreign)) {
        device->submissions->timelines.semaphores++;
        return result;
    }
    ws_submissions_enter(device);
    device->submissions->timelines.incomplete = true;
    ws_submissions_leave(device);
    return result;
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CreateSemaphore, create_semaphore),
    WS_HOOK(DestroySemaphore, destroy_semaphore),
    WS_HOOK(ImportSemaphoreFdKHR, import_semaphore),
    WS_HOOK_END,
};

const struct ws_interception ws_semaphore_interception = {.hooks = hooks};
