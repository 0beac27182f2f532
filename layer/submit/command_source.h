/* Command buffers and fences of our own, used again and again: making one takes longer than recording one of
 * ours. Guarded by the submission lock, which also synchronizes the command pools. */
#ifndef WS_LAYER_SUBMIT_COMMAND_SOURCE_H
#define WS_LAYER_SUBMIT_COMMAND_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "warpscope/error.h"

struct ws_device;
struct ws_command_source;

/* Without command buffers and fences; they are made when they are asked for. NULL and `error` without memory. */
struct ws_command_source *ws_command_source_create(struct ws_device *device, struct ws_error *error);

/* Frees all. The device must have finished with them, or be lost. NULL is accepted. */
void ws_command_source_destroy(struct ws_device *device, struct ws_command_source *source);

/* A primary command buffer for queues of `family`, begun, to be submitted once; VK_NULL_HANDLE when there is
 * no memory. */
VkCommandBuffer ws_command_source_begin(struct ws_device *device, uint32_t family);

/* Gives back a command buffer that is not pending. */
void ws_command_source_recycle(struct ws_device *device, uint32_t family, VkCommandBuffer commands);

/* A fence of ours. It has several users, because a thread may wait for it without the submission lock, while
 * another thread finds it signalled and frees its submission. */
struct ws_fence {
    VkFence handle;
    uint32_t users;
    bool dropped; /* it may never be signalled: it is not used again */
    struct ws_fence *following;
};

/* Returns an unsignalled fence with one user; NULL when there is no memory. */
struct ws_fence *ws_fence_take(struct ws_device *device);

/* Adds a user. */
struct ws_fence *ws_fence_hold(struct ws_fence *fence);

/* Takes a user away. The last gives the fence back, which no queue may use any more, unless it was dropped.
 * NULL is accepted. */
void ws_fence_release(struct ws_device *device, struct ws_fence *fence);

#endif
