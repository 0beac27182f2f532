/* Where settings come from: the environment, vk_layer_settings.txt, VK_EXT_layer_settings. Texts only;
 * settings.c says what they mean. */
#ifndef WS_LAYER_CORE_SETTINGS_SOURCE_H
#define WS_LAYER_CORE_SETTINGS_SOURCE_H

#include <stdbool.h>

#include "layer/core/settings_table.h"
#include "warpscope/error.h"

/* A setting as it was given. Both texts are owned. */
struct ws_setting_text {
    char *value;
    char *source; /* such as "environment variable WARPSCOPE_PASSES" */
};

/* Fills texts[0 .. WS_SETTING_COUNT - 1], each from the first source that has it:
 *   the environment: VK_WARPSCOPE_CAPTURE_<KEY>, VK_CAPTURE_<KEY>, WARPSCOPE_<KEY>;
 *   vk_layer_settings.txt, lines "warpscope_capture.<key> = value": the file or in the folder of
 *     VK_LAYER_SETTINGS_PATH, else in the working directory, else in vulkan/settings.d of the user's data
 *     folder; the first that exists is the only one read;
 *   VK_EXT_layer_settings structs in `chain`, for VK_LAYER_WARPSCOPE_capture;
 *   the default.
 * False and `error` where a source names a setting that there is none of, or without memory. In any case
 * ws_settings_text_finish has to be called. `texts` must be zeroed. */
bool ws_settings_text_read(struct ws_setting_text *texts, const void *chain, struct ws_error *error);

void ws_settings_text_finish(struct ws_setting_text *texts);

#endif
