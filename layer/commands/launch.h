/* The end of a launch: its counter rows are copied from live memory to the results, and zeroed. */
#ifndef WS_LAYER_COMMANDS_LAUNCH_H
#define WS_LAYER_COMMANDS_LAUNCH_H

#include <vulkan/vulkan.h>

#include "layer/commands/bindings.h"
#include "layer/commands/recording.h"

struct ws_command_buffer;
struct ws_device;

/* Bytes of a launch's results: its shaders' rows, and a snapshot of the record stream where any records.
 */
VkDeviceSize ws_launch_size(struct ws_shader *const *shaders, uint32_t count);

/* Records, outside a render pass, behind `command`: everything before has finished; the results of `count`
 * settled shaders are copied to `offset` of `target`, in their order (VK_NULL_HANDLE: not copied); the rows
 * are zeroed; and all that comes after sees the zeroes. */
void ws_launch_copy_and_clear(struct ws_device *device, VkCommandBuffer commands,
                              const struct ws_launch_command *command, struct ws_shader *const *shaders,
                              uint32_t count, VkBuffer target, VkDeviceSize offset);

/* Ends a launch in `commands`, right behind its command: settles `uses`, adds it to the recording and
 * harvests. `label`: the labels open at the command. */
void ws_launch_end(struct ws_command_buffer *commands, const struct ws_launch_command *command,
                   struct ws_uses *uses, const char *label);

/* Ends a launch that runs what is bound at `point`: dispatch and trace. */
void ws_launch_end_bound(struct ws_command_buffer *commands, const struct ws_launch_command *command,
                         enum ws_bind_point point);

#endif
