/* The end of an invocation: its counter rows are copied from live memory to the results, and zeroed. */
#ifndef WS_LAYER_COMMANDS_INVOCATION_H
#define WS_LAYER_COMMANDS_INVOCATION_H

#include <vulkan/vulkan.h>

#include "layer/commands/bindings.h"
#include "layer/commands/recording.h"

struct ws_command_buffer;
struct ws_device;

/* Bytes of an invocation's results: its shaders' rows, and a snapshot of the record stream where any records.
 */
VkDeviceSize ws_invocation_size(struct ws_shader *const *shaders, uint32_t count);

/* Records, outside a render pass, behind `launch`: everything before has finished; the results of `count`
 * settled shaders are copied to `offset` of `target`, in their order (VK_NULL_HANDLE: not copied); the rows
 * are zeroed; and all that comes after sees the zeroes. */
void ws_invocation_harvest(struct ws_device *device, VkCommandBuffer commands, const struct ws_launch *launch,
                           struct ws_shader *const *shaders, uint32_t count, VkBuffer target,
                           VkDeviceSize offset);

/* Ends an invocation in `commands`, right behind its command: settles `uses`, adds it to the recording and
 * harvests. `label`: the labels open at the command. */
void ws_invocation_end(struct ws_command_buffer *commands, const struct ws_launch *launch,
                       struct ws_uses *uses, const char *label);

/* Ends an invocation that runs what is bound at `point`: dispatch and trace. */
void ws_invocation_end_bound(struct ws_command_buffer *commands, const struct ws_launch *launch,
                             enum ws_bind_point point);

/* Records, outside a render pass: the results of a secondary command buffer that has just been executed are
 * copied to those of `commands`. Its next execution overwrites them. */
void ws_invocation_collect(struct ws_command_buffer *commands, const struct ws_recording *secondary);

#endif
