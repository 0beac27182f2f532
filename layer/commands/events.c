/* vkCmdWaitEvents and vkCmdWaitEvents2: which command buffers wait for an event that the host sets.
 *
 * Only the host knows when it sets the event, so nobody may wait for such a command buffer on the host
 * (timeline.h). An event that the device sets needs no thought: what sets it comes earlier on the same queue.
 * The stage mask tells them apart: it holds VK_PIPELINE_STAGE_HOST_BIT if, and only if, the host sets one
 * of the events (VUID-vkCmdWaitEvents-srcStageMask-01158; VUID-vkCmdWaitEvents2-pEvents-03839, -03841). */
#include "layer/commands/command_buffer.h"
#include "layer/core/device.h"
#include "layer/core/hooks.h"

static VKAPI_ATTR void VKAPI_CALL cmd_wait_events(VkCommandBuffer handle, uint32_t count,
                                                  const VkEvent *events, VkPipelineStageFlags source,
                                                  VkPipelineStageFlags target, uint32_t memory_count,
                                                  const VkMemoryBarrier *memory, uint32_t buffer_count,
                                                  const VkBufferMemoryBarrier *buffers, uint32_t image_count,
                                                  const VkImageMemoryBarrier *images)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdWaitEvents(handle, count, events, source, target, memory_count, memory,
                                         buffer_count, buffers, image_count, images);
    commands->waits_for_host = commands->waits_for_host || (source & VK_PIPELINE_STAGE_HOST_BIT) != 0;
}

static bool names_host(const VkDependencyInfo *info)
{
    VkPipelineStageFlags2 stages = 0;
    for (uint32_t i = 0; i < info->memoryBarrierCount; i++)
        stages |= info->pMemoryBarriers[i].srcStageMask;
    for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++)
        stages |= info->pBufferMemoryBarriers[i].srcStageMask;
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++)
        stages |= info->pImageMemoryBarriers[i].srcStageMask;
    return (stages & VK_PIPELINE_STAGE_2_HOST_BIT) != 0;
}

static VKAPI_ATTR void VKAPI_CALL cmd_wait_events2(VkCommandBuffer handle, uint32_t count,
                                                   const VkEvent *events, const VkDependencyInfo *infos)
{
    struct ws_command_buffer *commands = ws_command_buffer_of(handle);
    commands->device->next.CmdWaitEvents2(handle, count, events, infos);
    for (uint32_t i = 0; i < count; i++)
        commands->waits_for_host = commands->waits_for_host || names_host(&infos[i]);
}

static const struct ws_hook hooks[] = {
    WS_HOOK(CmdWaitEvents, cmd_wait_events),
    WS_HOOK(CmdWaitEvents2, cmd_wait_events2),
    WS_HOOK_END,
};

const struct ws_interception ws_events_interception = {.hooks = hooks};
