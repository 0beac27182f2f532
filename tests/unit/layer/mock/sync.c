/* Fences and semaphores. */
#include "tests/unit/layer/mock/objects.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layer/core/chain.h"
#include "layer/submit/submission.h"

static VKAPI_ATTR VkResult VKAPI_CALL create_fence(VkDevice handle, const VkFenceCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkFence *fence)
{
    (void)handle;
    (void)info;
    (void)allocator;
    if (mock_fails())
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *fence = (VkFence)mock_allocate(sizeof(struct fence));
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_fence(VkDevice handle, VkFence fence,
                                                const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)allocator;
    free((struct fence *)fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL reset_fences(VkDevice handle, uint32_t count, const VkFence *fences)
{
    (void)handle;
    mock_lock();
    for (uint32_t i = 0; i < count; i++)
        ((struct fence *)fences[i])->signalled = false;
    mock_unlock();
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_fence_status(VkDevice handle, VkFence fence)
{
    (void)handle;
    mock_lock();
    const bool signalled = ((struct fence *)fence)->signalled;
    mock_unlock();
    return signalled ? VK_SUCCESS : VK_NOT_READY;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_fences(VkDevice handle, uint32_t count, const VkFence *fences,
                                                      VkBool32 all, uint64_t timeout)
{
    (void)all;
    (void)timeout;
    assert_int_equal(count, 1);
    if (get_fence_status(handle, fences[0]) == VK_SUCCESS)
        return VK_SUCCESS;
    mock_lock();
    mock.waits++;
    if (pthread_mutex_trylock(&mock_layer_device.submissions->lock) != 0)
        mock.waits_locked++;
    else
        pthread_mutex_unlock(&mock_layer_device.submissions->lock);
    mock_run();
    const bool lost = mock.lost;
    mock_unlock();
    if (lost)
        return VK_ERROR_DEVICE_LOST;
    return get_fence_status(handle, fences[0]) == VK_SUCCESS ? VK_SUCCESS : VK_TIMEOUT;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_counter(VkDevice handle, VkSemaphore semaphore, uint64_t *value)
{
    (void)handle;
    assert_ptr_equal(semaphore, mock.timeline);
    *value = mock.timeline_value;
    return VK_SUCCESS;
}

/* The first semaphore is mock.timeline; its value is mock.timeline_value, which the test sets. The others live
 * until the test ends. */
#define SEMAPHORES 32
static struct semaphore semaphores[SEMAPHORES];
static uint32_t semaphore_count;

static VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice handle, const VkSemaphoreCreateInfo *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkSemaphore *semaphore)
{
    (void)handle;
    (void)allocator;
    if (mock.timeline == VK_NULL_HANDLE) {
        *semaphore = (VkSemaphore)&mock.timeline;
        return VK_SUCCESS;
    }
    if (mock_fails())
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    assert_true(semaphore_count < SEMAPHORES);
    const VkSemaphoreTypeCreateInfo *type =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    struct semaphore *made = &semaphores[semaphore_count++];
    *made = (struct semaphore){
        .timeline = type != NULL && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE,
        .value = type != NULL ? type->initialValue : 0,
    };
    *semaphore = (VkSemaphore)made;
    return VK_SUCCESS;
}

/* Any other handle stands for mock.timeline. */
uint64_t *mock_semaphore_value(VkSemaphore handle, bool *timeline)
{
    for (uint32_t i = 0; i < semaphore_count; i++) {
        if (handle != (VkSemaphore)&semaphores[i])
            continue;
        *timeline = semaphores[i].timeline;
        return &semaphores[i].value;
    }
    *timeline = true;
    return &mock.timeline_value;
}

static VKAPI_ATTR void VKAPI_CALL destroy_semaphore(VkDevice handle, VkSemaphore semaphore,
                                                    const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)semaphore;
    (void)allocator;
}

static VKAPI_ATTR VkResult VKAPI_CALL import_semaphore(VkDevice handle,
                                                       const VkImportSemaphoreFdInfoKHR *info)
{
    (void)handle;
    (void)info;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL import_fence(VkDevice handle, const VkImportFenceFdInfoKHR *info)
{
    (void)handle;
    ((struct fence *)info->fence)->signalled = info->fd < 0; /* a sync file that is signalled already */
    return VK_SUCCESS;
}

void mock_sync_finish(void)
{
    semaphore_count = 0;
}

void mock_sync_load(struct ws_device_dispatch *dispatch)
{
    dispatch->CreateFence = create_fence;
    dispatch->DestroyFence = destroy_fence;
    dispatch->ResetFences = reset_fences;
    dispatch->GetFenceStatus = get_fence_status;
    dispatch->WaitForFences = wait_for_fences;
    dispatch->GetSemaphoreCounterValue = get_counter;
    dispatch->CreateSemaphore = create_semaphore;
    dispatch->DestroySemaphore = destroy_semaphore;
    dispatch->ImportSemaphoreFdKHR = import_semaphore;
    dispatch->ImportFenceFdKHR = import_fence;
}
