#include "layer/commands/barrier.h"

#include "layer/core/device.h"

void ws_barrier(struct ws_device *device, VkCommandBuffer commands, VkPipelineStageFlags source,
                VkAccessFlags written, VkPipelineStageFlags target, VkAccessFlags accessed)
{
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = written,
        .dstAccessMask = accessed,
    };
    device->next.CmdPipelineBarrier(commands, source, target, 0, 1, &memory, 0, NULL, 0, NULL);
}
