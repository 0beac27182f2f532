/* Where the layer's settings come from. What settings there are, and what their values mean, says
 * passes/settings/settings.h. */
#ifndef WS_LAYER_CORE_SETTINGS_H
#define WS_LAYER_CORE_SETTINGS_H

#include "passes/settings/settings.h"
#include "warpscope/error.h"

/* Reads every setting from the first source that has it:
 *   1. the environment: VK_WARPSCOPE_CAPTURE_<KEY>, VK_CAPTURE_<KEY>, WARPSCOPE_<KEY>;
 *   2. vk_layer_settings.txt, lines "warpscope_capture.<key> = value", or with
 *      warpscope_capture_implicit. It is the file or in the folder of
 *      VK_LAYER_SETTINGS_PATH, else in the working directory, else in vulkan/settings.d of the user's data
 *      folder; the first that exists is the only one read;
 *   3. VK_EXT_layer_settings structs in `chain` (the pNext of the VkInstanceCreateInfo), for
 *      VK_LAYER_WARPSCOPE_capture or VK_LAYER_WARPSCOPE_capture_implicit;
 *   4. the default.
 * A file of another user in a folder that others can write must not have settings of this layer.
 *
 * In a privileged process (process/privileges.h) no source is read and no pass is chosen, so that the layer
 * intercepts nothing, writes nothing and says nothing: what the program prints belongs to whoever started it.
 *
 * It reads the environment, which no other thread may change meanwhile; else it is thread-safe. The caller destroys what it
 * returns, which nobody changes.
 *
 * NULL and `error` when a value is wrong, or a source names a setting that there is none of. The error says
 * the setting, where its value came from, the value, and what is allowed. `allows_missing_passes`: settings.h. */
struct ws_settings *ws_settings_create(const void *chain, bool allows_missing_passes, struct ws_error *error);

/* Whether that is the name of this layer: that of the explicit manifest, or of the implicit one. */
bool ws_is_layer_name(const char *name);

/* NULL is accepted. */
void ws_settings_destroy(struct ws_settings *settings);

#endif
