/* The one form of barrier that the layer records: all memory, from some stages and accesses to others. */
#ifndef WS_LAYER_COMMANDS_BARRIER_H
#define WS_LAYER_COMMANDS_BARRIER_H

#include <vulkan/vulkan.h>

struct ws_device;

/* Records vkCmdPipelineBarrier with a global memory barrier: what the stages `source` wrote by the accesses
 * `written` is there for the accesses `accessed` of the stages `target`. By the thread that records `commands`. */
void ws_barrier(struct ws_device *device, VkCommandBuffer commands, VkPipelineStageFlags source,
                VkAccessFlags written, VkPipelineStageFlags target, VkAccessFlags accessed);

#endif
