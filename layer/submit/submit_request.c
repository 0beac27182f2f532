#include "layer/submit/submit_request.h"

#include <stdlib.h>

#include "layer/core/chain.h"
#include "layer/core/device.h"
#include "layer/core/objects.h"
#include "layer/submit/plan.h"
#include "warpscope/instrument.h"

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

/* The struct that gives each command buffer of a batch its mask, NULL when there is none. */
static const VkDeviceGroupSubmitInfo *masks_of(const VkSubmitInfo *info)
{
    const VkDeviceGroupSubmitInfo *group =
        ws_chain_find(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
    return group != NULL && group->commandBufferCount > 0 ? group : NULL;
}

/* A mask of 0 means all devices; of 1, the only one there is in most groups. */
static const char *left_alone(const VkSubmitInfo *info)
{
    const VkDeviceGroupSubmitInfo *group = masks_of(info);
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

static const char *left_alone2(const VkSubmitInfo2 *info)
{
    for (uint32_t i = 0; i < info->commandBufferInfoCount; i++)
        if (info->pCommandBufferInfos[i].deviceMask > 1)
            return group_reason;
    return (info->flags & VK_SUBMIT_PROTECTED_BIT) != 0 ? protected_reason : NULL;
}

const char *ws_request_left_alone(const struct ws_submit_request *request, uint32_t batch)
{
    return request->infos != NULL ? left_alone(&request->infos[batch]) : left_alone2(&request->infos2[batch]);
}

uint32_t ws_request_semaphore_count(const struct ws_submit_request *request, uint32_t batch, bool signals)
{
    if (request->infos != NULL)
        return signals ? request->infos[batch].signalSemaphoreCount
                       : request->infos[batch].waitSemaphoreCount;
    return signals ? request->infos2[batch].signalSemaphoreInfoCount
                   : request->infos2[batch].waitSemaphoreInfoCount;
}

/* The value for a semaphore of a VkSubmitInfo; binary ones need no values, so there may be fewer. */
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
    if (request->infos != NULL) {
        const VkSubmitInfo *info = &request->infos[batch];
        value->semaphore = signals ? info->pSignalSemaphores[index] : info->pWaitSemaphores[index];
        if (!value_of(info, signals, index, &value->value))
            return false;
    } else {
        const VkSubmitInfo2 *info = &request->infos2[batch];
        const VkSemaphoreSubmitInfo *semaphore =
            signals ? &info->pSignalSemaphoreInfos[index] : &info->pWaitSemaphoreInfos[index];
        value->semaphore = semaphore->semaphore;
        value->value = semaphore->value;
    }
    return ws_objects_find(device, WS_OBJECT_SEMAPHORE, WS_HANDLE(value->semaphore)) != NULL;
}

/* Puts a command buffer at `place`: number `source` of the application's, or one of ours (WS_NONE), which
 * runs on the only device there is. */
static void copy_step(struct ws_planned_request *planned, uint32_t batch, uint32_t place,
                      VkCommandBuffer commands, uint32_t source)
{
    planned->commands[place] = commands;
    if (planned->infos != NULL) {
        const VkDeviceGroupSubmitInfo *group = masks_of(&planned->infos[batch]);
        planned->masks[place] = group != NULL && source < group->commandBufferCount
                                    ? group->pCommandBufferDeviceMasks[source]
                                    : 1;
        return;
    }
    planned->commands2[place] = (VkCommandBufferSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
        .commandBuffer = commands,
    };
    if (source != WS_NONE)
        planned->commands2[place] = planned->infos2[batch].pCommandBufferInfos[source];
}

/* Gives a batch, and what is chained to it, its new command buffers. False when there is no memory. */
static bool replace(struct ws_planned_request *planned, uint32_t batch, uint32_t first, uint32_t count)
{
    if (planned->infos2 != NULL) {
        planned->infos2[batch].pCommandBufferInfos = &planned->commands2[first];
        planned->infos2[batch].commandBufferInfoCount = count;
        return true;
    }
    VkSubmitInfo *info = &planned->infos[batch];
    info->pCommandBuffers = &planned->commands[first];
    info->commandBufferCount = count;
    if (masks_of(info) == NULL)
        return true;
    VkDeviceGroupSubmitInfo *group =
        ws_chain_edit(&planned->chains[batch], VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO, NULL);
    if (group == NULL)
        return false;
    group->commandBufferCount = count;
    group->pCommandBufferDeviceMasks = &planned->masks[first];
    info->pNext = planned->chains[batch].head;
    return true;
}

static bool copy_batch(struct ws_planned_request *planned, const struct ws_batch_plan *plan, uint32_t batch,
                       uint32_t *used)
{
    const uint32_t first = *used;
    if (plan->open != VK_NULL_HANDLE)
        copy_step(planned, batch, (*used)++, plan->open, WS_NONE);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct ws_step *step = &plan->steps[i];
        if (step->commands != VK_NULL_HANDLE)
            copy_step(planned, batch, (*used)++, step->commands, step->source);
    }
    if (plan->close != VK_NULL_HANDLE)
        copy_step(planned, batch, (*used)++, plan->close, WS_NONE);
    return replace(planned, batch, first, *used - first);
}

static bool allocate(struct ws_planned_request *planned, const struct ws_submit_request *request,
                     const struct ws_submit_plan *plan)
{
    size_t steps = 1;
    for (uint32_t i = 0; i < request->count; i++)
        steps += (size_t)plan->batches[i].step_count + 2;
    planned->commands = calloc(steps, sizeof(*planned->commands));
    if (request->infos2 != NULL) {
        planned->infos2 = calloc(request->count, sizeof(*planned->infos2));
        planned->commands2 = calloc(steps, sizeof(*planned->commands2));
        return planned->commands != NULL && planned->infos2 != NULL && planned->commands2 != NULL;
    }
    planned->infos = calloc(request->count, sizeof(*planned->infos));
    planned->chains = calloc(request->count, sizeof(*planned->chains));
    planned->masks = calloc(steps, sizeof(*planned->masks));
    return planned->commands != NULL && planned->infos != NULL && planned->chains != NULL &&
           planned->masks != NULL;
}

bool ws_planned_request_init(struct ws_planned_request *planned, const struct ws_submit_request *request,
                             const struct ws_submit_plan *plan)
{
    *planned = (struct ws_planned_request){.request.count = request->count};
    if (!allocate(planned, request, plan))
        return false;
    uint32_t used = 0;
    bool copied = true;
    for (uint32_t i = 0; i < request->count; i++) {
        if (request->infos != NULL) {
            planned->infos[i] = request->infos[i];
            ws_chain_init(&planned->chains[i], request->infos[i].pNext);
        } else {
            planned->infos2[i] = request->infos2[i];
        }
        if (plan->batches[i].changed)
            copied = copy_batch(planned, &plan->batches[i], i, &used) && copied;
    }
    planned->request.infos = planned->infos;
    planned->request.infos2 = planned->infos2;
    return copied;
}

void ws_planned_request_finish(struct ws_planned_request *planned)
{
    for (uint32_t i = 0; planned->chains != NULL && i < planned->request.count; i++)
        ws_chain_finish(&planned->chains[i]);
    free(planned->chains);
    free(planned->masks);
    free(planned->infos);
    free(planned->infos2);
    free(planned->commands);
    free(planned->commands2);
}

VkResult ws_request_submit(struct ws_device *device, VkQueue queue, const struct ws_submit_request *request,
                           VkFence fence)
{
    return request->infos2 != NULL ? device->next.QueueSubmit2(queue, request->count, request->infos2, fence)
                                   : device->next.QueueSubmit(queue, request->count, request->infos, fence);
}
