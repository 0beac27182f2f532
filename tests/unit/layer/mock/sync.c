/* Fences and semaphores. */
#include "tests/unit/layer/mock/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
    for (uint32_t i = 0; i < count; i++)
        ((struct fence *)fences[i])->signalled = false;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_fence_status(VkDevice handle, VkFence fence)
{
    (void)handle;
    return ((struct fence *)fence)->signalled ? VK_SUCCESS : VK_NOT_READY;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_fences(VkDevice handle, uint32_t count, const VkFence *fences,
                                                      VkBool32 all, uint64_t timeout)
{
    (void)all;
    (void)timeout;
    assert_int_equal(count, 1);
    if (get_fence_status(handle, fences[0]) == VK_SUCCESS)
        return VK_SUCCESS;
    mock.waits++;
    mock_run();
    if (mock.lost)
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

static VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice handle, const VkSemaphoreCreateInfo *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkSemaphore *semaphore)
{
    (void)handle;
    (void)info;
    (void)allocator;
    *semaphore = (VkSemaphore)&mock.timeline;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_semaphore(VkDevice handle, VkSemaphore semaphore,
                                                    const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)semaphore;
    (void)allocator;
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
}
