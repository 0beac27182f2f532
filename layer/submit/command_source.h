/* Command buffers and fences of our own, used again and again. Guarded by the submission lock. */
#ifndef WS_LAYER_SUBMIT_COMMAND_SOURCE_H
#define WS_LAYER_SUBMIT_COMMAND_SOURCE_H

#include <stdint.h>

#include <vulkan/vulkan.h>

#include "warpscope/error.h"

struct ws_device;
struct ws_command_source;

struct ws_command_source *ws_command_source_create(struct ws_device *device, struct ws_error *error);

/* Frees all; the device must have finished with them. NULL is accepted. */
void ws_command_source_destroy(struct ws_device *device, struct ws_command_source *source);

/* A primary command buffer for queues of `family`, begun for one submission; VK_NULL_HANDLE when there is
 * none to be had. */
VkCommandBuffer ws_command_source_begin(struct ws_device *device, uint32_t family);

/* A command buffer that is not, or no longer, executed. */
void ws_command_source_recycle(struct ws_device *device, uint32_t family, VkCommandBuffer commands);

/* An unsignalled fence, VK_NULL_HANDLE when there is none to be had; and one back that no queue uses. */
VkFence ws_fence_take(struct ws_device *device);
void ws_fence_recycle(struct ws_device *device, VkFence fence);

#endif
