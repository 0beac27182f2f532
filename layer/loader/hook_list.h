/* The list of everything that the layer intercepts on a device: one entry per file (core/hooks.h). It never changes, so
 * looking it up is thread-safe. */
#ifndef WS_LAYER_LOADER_HOOK_LIST_H
#define WS_LAYER_LOADER_HOOK_LIST_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "warpscope/error.h"

struct ws_device;
struct ws_settings;

/* Returns the hook of a device function, by its name or an alias; NULL when these settings do not intercept
 * it. */
PFN_vkVoidFunction ws_hook_list_find(const struct ws_settings *settings, const char *name);

/* Whether any settings intercept the device function `name`, by its name or an alias. */
bool ws_hook_list_has(const char *name);

/* Call device_init, device_finish or device_flush of all files (core/hooks.h). False and `error` when one fails: then those
 * that were called before are finished. */
bool ws_hook_list_device_init(struct ws_device *device, struct ws_error *error);
void ws_hook_list_device_finish(struct ws_device *device);
void ws_hook_list_device_flush(struct ws_device *device);

#endif
