#include "submit_request.h"

#include <stdlib.h>

#include "device.h"
#include "objects.h"
#include "plan.h"
#include "warpscope/instrument.h"

static const VkBaseInStructure *find_in_chain(const void *chain, VkStructureType type)
{
    const VkBaseInStructure *item = chain;
    while (item != NULL && item->sType != type)
        item = item->pNext;
    return item;
}

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

static bool left_alone(const VkSubmitInfo *info)
{
    const VkDeviceGroupSubmitInfo *group = (const VkDeviceGroupSubmitInfo *)find_in_chain(
        info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
    const VkProtectedSubmitInfo *protected =
        (const VkProtectedSubmitInfo *)find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO);
    return (group != NULL && group->commandBufferCount > 0) ||
           (protected != NULL && protected->protectedSubmit);
}

static bool left_alone2(const VkSubmitInfo2 *info)
{
    /* A mask of 0 means all devices; of 1, the only one there is in most groups. */
    for (uint32_t i = 0; i < info->commandBufferInfoCount; i++) {
        if (info->pCommandBufferInfos[i].deviceMask > 1)
            return true;
    }
    return (info->flags & VK_SUBMIT_PROTECTED_BIT) != 0;
}

bool ws_request_left_alone(const struct ws_submit_request *request, uint32_t batch)
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
    const VkTimelineSemaphoreSubmitInfo *values = (const VkTimelineSemaphoreSubmitInfo *)find_in_chain(
        info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
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

/* Puts a command buffer at `place`: number `source` of the application's, or one of ours (WS_NONE). */
static void copy_step(struct ws_planned_request *planned, uint32_t batch, uint32_t place,
                      VkCommandBuffer commands, uint32_t source)
{
    planned->commands[place] = commands;
    if (planned->infos2 == NULL)
        return;
    planned->commands2[place] = (VkCommandBufferSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
        .commandBuffer = commands,
    };
    if (source != WS_NONE)
        planned->commands2[place] = planned->infos2[batch].pCommandBufferInfos[source];
}

static void copy_batch(struct ws_planned_request *planned, const struct ws_batch_plan *plan, uint32_t batch,
                       uint32_t *used)
{
    uint32_t count = 0;
    if (plan->open != VK_NULL_HANDLE)
        copy_step(planned, batch, *used + count++, plan->open, WS_NONE);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct ws_step *step = &plan->steps[i];
        if (step->commands != VK_NULL_HANDLE)
            copy_step(planned, batch, *used + count++, step->commands, step->source);
    }
    if (plan->close != VK_NULL_HANDLE)
        copy_step(planned, batch, *used + count++, plan->close, WS_NONE);
    if (planned->infos != NULL) {
        planned->infos[batch].pCommandBuffers = &planned->commands[*used];
        planned->infos[batch].commandBufferCount = count;
    } else {
        planned->infos2[batch].pCommandBufferInfos = &planned->commands2[*used];
        planned->infos2[batch].commandBufferInfoCount = count;
    }
    *used += count;
}

bool ws_planned_request_init(struct ws_planned_request *planned, const struct ws_submit_request *request,
                             const struct ws_plan *plan)
{
    size_t steps = 1;
    for (uint32_t i = 0; i < request->count; i++)
        steps += (size_t)plan->batches[i].step_count + 2;
    *planned = (struct ws_planned_request){.commands = calloc(steps, sizeof(*planned->commands))};
    if (request->infos != NULL) {
        planned->infos = calloc(request->count, sizeof(*planned->infos));
    } else {
        planned->infos2 = calloc(request->count, sizeof(*planned->infos2));
        planned->commands2 = calloc(steps, sizeof(*planned->commands2));
    }
    if (planned->commands == NULL || (request->infos != NULL && planned->infos == NULL) ||
        (request->infos2 != NULL && (planned->infos2 == NULL || planned->commands2 == NULL)))
        return false;

    uint32_t used = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        if (request->infos != NULL)
            planned->infos[i] = request->infos[i];
        else
            planned->infos2[i] = request->infos2[i];
        if (plan->batches[i].changed)
            copy_batch(planned, &plan->batches[i], i, &used);
    }
    planned->request = (struct ws_submit_request){
        .count = request->count, .infos = planned->infos, .infos2 = planned->infos2};
    return true;
}

void ws_planned_request_finish(struct ws_planned_request *planned)
{
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
