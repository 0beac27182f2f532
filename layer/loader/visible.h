/* Which device commands the application may ask for.
 *
 * The layer raises the instance's version and enables extensions for its own needs. So the next layer also
 * answers for commands that the application has not asked for, and vkGetDeviceProcAddr must return NULL for
 * those: a command of a later core version than VkApplicationInfo::apiVersion (VK_KHR_maintenance5 requires
 * that), and a command of an extension that the application did not enable. An application that decides by
 * the answer what it may use would else choose another path than without the layer. */
#ifndef WS_LAYER_LOADER_VISIBLE_H
#define WS_LAYER_LOADER_VISIBLE_H

#include <stdbool.h>

struct ws_device;

/* Whether vkGetDeviceProcAddr may return the command `name`, with `vk`, if the next layer has it. False only
 * for what the next layer has because of this layer. Thread-safe. */
bool ws_command_is_visible(const struct ws_device *device, const char *name);

#endif
