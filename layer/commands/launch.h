/* The end of a launch: after its command the layer records commands that copy its counter rows to the
 * results of the recording, and clear the rows for the next launch. The rows that shaders count in ("live")
 * exist once per device, and are not the application's to synchronize: all barriers are recorded here. */
#ifndef WS_LAYER_COMMANDS_LAUNCH_H
#define WS_LAYER_COMMANDS_LAUNCH_H

#include <vulkan/vulkan.h>

#include "layer/commands/bindings.h"
#include "layer/commands/recording.h"

struct ws_command_buffer;
struct ws_device;

/* Bytes of a launch's results: its shaders' rows, and after them, if any of these appends records, the
 * snapshot of the record stream (stream_control.h). */
VkDeviceSize ws_launch_size(struct ws_shader *const *shaders, uint32_t count);

/* Records, outside a render pass (VUID-vkCmdCopyBuffer-renderpass): wait for all commands before; copy the
 * results of `count` settled shaders, in their order, to `offset` of `target` (VK_NULL_HANDLE: do not copy);
 * clear the rows; and let all commands after find them cleared. `command` is the one that the launch ends
 * with. */
void ws_launch_copy_and_clear(struct ws_device *device, VkCommandBuffer commands,
                              const struct ws_launch_command *command, struct ws_shader *const *shaders,
                              uint32_t count, VkBuffer target, VkDeviceSize offset);

/* Begins a launch, right before its command. */
void ws_launch_begin(struct ws_command_buffer *commands);

/* Ends a launch, right after its command: settles `uses`, adds the launch to the recording, and copies and
 * clears. `label`: the labels that are open at the command. */
void ws_launch_end(struct ws_command_buffer *commands, const struct ws_launch_command *command,
                   struct ws_uses *uses, const char *label);

/* The same for a command that runs what is bound at `point`: a dispatch or a trace; and takes its image (launch_image.h). */
void ws_launch_end_bound(struct ws_command_buffer *commands, const struct ws_launch_command *command,
                         enum ws_bind_point point);

/* The same for a command that runs what the caller has put into commands->uses. */
void ws_launch_end_used(struct ws_command_buffer *commands, const struct ws_launch_command *command,
                        enum ws_bind_point point);

#endif
