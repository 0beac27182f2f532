/* What the layer keeps of the application's VkCommandPools and VkCommandBuffers. The application synchronizes
 * a command buffer and its pool externally (the specification, "Threading Behavior"), so nothing here is
 * locked but the map from handles. */
#ifndef WS_LAYER_COMMANDS_COMMAND_BUFFER_H
#define WS_LAYER_COMMANDS_COMMAND_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "layer/commands/bindings.h"
#include "layer/commands/labels.h"
#include "layer/commands/recording.h"
#include "layer/commands/render_pass.h"

struct ws_bound_sets;
struct ws_device;
struct ws_command_buffer;

struct ws_command_pool {
    VkCommandPool handle;
    uint32_t family; /* of queues */
    bool protected;  /* its command buffers may write protected memory only: they get no commands of ours */
    struct ws_command_buffer *buffers;
};

struct ws_command_buffer {
    VkCommandBuffer handle;
    struct ws_device *device;
    struct ws_command_pool *pool;
    struct ws_command_buffer *previous, *following; /* in the pool */
    bool secondary;

    /* NULL before it is first begun and after a reset. Kept while submissions of it are pending. */
    struct ws_recording *recording;
    bool continues_render_pass; /* secondary, and executed within a render pass */
    bool waits_for_host;        /* for an event that the host sets, itself or in one that it executes */

    struct ws_bindings bindings;
    struct ws_bound_sets *bound; /* bound_sets.h; NULL = none was bound, or images are not captured */
    struct ws_labels labels;
    struct ws_render_pass render_pass;
    struct ws_uses uses; /* scratch: of the launch being recorded, outside render passes */
    char *name;          /* given by the application through debug-utils, or NULL */
};

/* What the layer keeps of `handle`. Never NULL on an active device: where there is no memory for it,
 * vkAllocateCommandBuffers fails. */
struct ws_command_buffer *ws_command_buffer_of(VkCommandBuffer handle);

/* The application gave the command buffer a name (NULL or "": took it away). */
void ws_command_buffer_set_name(struct ws_device *device, VkCommandBuffer handle, const char *name);

#endif
