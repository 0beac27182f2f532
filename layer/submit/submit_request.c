#include "layer/submit/submit_request.h"

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/submit/semaphore.h"

uint32_t ws_request_command_count(const struct ws_submit_request *request, uint32_t batch)
{
    return request->infos != NULL ? request->infos[batch].commandBufferCount
                                  : request->infos2[batch].commandBufferInfoCount;
}

VkCommandBuffer ws_request_command(const struct ws_submit_request *request, uint32_t batch, uint32_t index)
{
    return request->infos != NULL ? request->infos[batch].pCommandBuffers[index]
                                  : request->infos2[batch].pCommandBufferInfos[index].commandBuffer;
}

static const char group_reason[] = "submitted to single devices of a group";
static const char protected_reason[] = "submitted to protected memory";

const VkDeviceGroupSubmitInfo *ws_request_masks(const VkSubmitInfo *info)
{
    const VkDeviceGroupSubmitInfo *group =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
    return group != NULL && group->commandBufferCount > 0 ? group : NULL;
}

/* A mask of 0 stands for all devices of the group; a mask of 1 for the first, the only one in most groups. A
 * chain cannot be copied beyond a struct of unknown size, and the masks must be copied. */
static const char *unsupported(const VkSubmitInfo *info)
{
    const VkDeviceGroupSubmitInfo *group = ws_request_masks(info);
    for (uint32_t i = 0; group != NULL && i < group->commandBufferCount; i++)
        if (group->pCommandBufferDeviceMasks[i] > 1)
            return group_reason;
    const VkBaseInStructure *before = info->pNext;
    for (; group != NULL && before != (const void *)group; before = before->pNext)
        if (ws_chain_struct_size(before->sType) == 0)
            return "submitted with a struct of an unknown sType before VkDeviceGroupSubmitInfo";
    const VkProtectedSubmitInfo *protected =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO);
    return protected != NULL && protected->protectedSubmit ? protected_reason : NULL;
}

static const char *unsupported2(const VkSubmitInfo2 *info)
{
    for (uint32_t i = 0; i < info->commandBufferInfoCount; i++)
        if (info->pCommandBufferInfos[i].deviceMask > 1)
            return group_reason;
    return (info->flags & VK_SUBMIT_PROTECTED_BIT) != 0 ? protected_reason : NULL;
}

const char *ws_request_unsupported(const struct ws_submit_request *request, uint32_t batch)
{
    return request->infos != NULL ? unsupported(&request->infos[batch])
                                  : unsupported2(&request->infos2[batch]);
}

uint32_t ws_request_semaphore_count(const struct ws_submit_request *request, uint32_t batch, bool signals)
{
    if (request->infos != NULL)
        return signals ? request->infos[batch].signalSemaphoreCount
                       : request->infos[batch].waitSemaphoreCount;
    return signals ? request->infos2[batch].signalSemaphoreInfoCount
                   : request->infos2[batch].waitSemaphoreInfoCount;
}

VkSemaphore ws_request_semaphore(const struct ws_submit_request *request, uint32_t batch, bool signals,
                                 uint32_t index)
{
    if (request->infos != NULL)
        return signals ? request->infos[batch].pSignalSemaphores[index]
                       : request->infos[batch].pWaitSemaphores[index];
    return signals ? request->infos2[batch].pSignalSemaphoreInfos[index].semaphore
                   : request->infos2[batch].pWaitSemaphoreInfos[index].semaphore;
}

/* The value for a semaphore of a VkSubmitInfo. Where all are binary semaphores there are no values at all
 * (VUID-VkSubmitInfo-pNext-03240, -03241). */
static bool value_of(const VkSubmitInfo *info, bool signals, uint32_t index, uint64_t *value)
{
    const VkTimelineSemaphoreSubmitInfo *values =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    if (values == NULL)
        return false;
    const uint32_t count = signals ? values->signalSemaphoreValueCount : values->waitSemaphoreValueCount;
    const uint64_t *list = signals ? values->pSignalSemaphoreValues : values->pWaitSemaphoreValues;
    if (index >= count || list == NULL)
        return false;
    *value = list[index];
    return true;
}

bool ws_request_timeline(struct ws_device *device, const struct ws_submit_request *request, uint32_t batch,
                         bool signals, uint32_t index, struct ws_semaphore_value *value)
{
    value->semaphore = ws_request_semaphore(request, batch, signals, index);
    if (ws_semaphore_kind_of(device, value->semaphore) != WS_SEMAPHORE_TIMELINE)
        return false;
    if (request->infos != NULL)
        return value_of(&request->infos[batch], signals, index, &value->value);
    value->value = (signals ? request->infos2[batch].pSignalSemaphoreInfos[index]
                            : request->infos2[batch].pWaitSemaphoreInfos[index])
                       .value;
    return true;
}

VkResult ws_request_submit(struct ws_device *device, VkQueue queue, const struct ws_submit_request *request,
                           VkFence fence)
{
    return request->infos2 != NULL ? device->next.QueueSubmit2(queue, request->count, request->infos2, fence)
                                   : device->next.QueueSubmit(queue, request->count, request->infos, fence);
}
