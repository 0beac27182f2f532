/* Indirect execution sets (VK_EXT_device_generated_commands): the pipelines or shader objects among which
 * device-generated commands choose. Only the device knows which they took, so all of a set count as used. Thread-safe. */
#ifndef WS_LAYER_COMMANDS_EXECUTION_SET_H
#define WS_LAYER_COMMANDS_EXECUTION_SET_H

#include "layer/commands/uses.h"
#include "layer/core/vulkan_newer.h"

struct ws_device;

/* Adds all that is in the set to `uses`, for a command that is being recorded. False when the set is not known. What is
 * put into the set later is not among the command's uses: that is said then. */
bool ws_execution_set_use(struct ws_device *device, VkIndirectExecutionSetEXT handle, struct ws_uses *uses);

#endif
