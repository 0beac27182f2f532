/* Indirect execution sets (VK_EXT_device_generated_commands): the pipelines or shader objects among which
 * device-generated commands choose. Only the device knows which they took, so all of a set count as used. Thread-safe.
 *
 * An application may put something into a set until the device uses that place of it
 * (VUID-vkUpdateIndirectExecutionSetPipelineEXT-None-11038), so also after the commands were recorded. What was not in the
 * set then has no copy of its rows in the command buffer. A submission finds it, and copies the rows behind the command
 * buffer (submit/plan.c). */
#ifndef WS_LAYER_COMMANDS_EXECUTION_SET_H
#define WS_LAYER_COMMANDS_EXECUTION_SET_H

#include "layer/commands/uses.h"
#include "layer/core/vulkan_newer.h"

struct ws_device;

/* Adds all that is in the set to `uses`, and the set itself, for a command that is being recorded. False when the set is
 * not known. */
bool ws_execution_set_use(struct ws_device *device, VkIndirectExecutionSetEXT handle, struct ws_uses *uses);

/* Adds all that is now in those of the sets to which something came since they were noted. */
void ws_execution_sets_use_now(struct ws_device *device, const struct ws_used_set *sets, uint32_t count,
                               struct ws_uses *uses);

#endif
