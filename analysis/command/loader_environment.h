/* Makes a Vulkan loader of any age load the layer into the program to come. */
#ifndef WS_ANALYSIS_COMMAND_LOADER_ENVIRONMENT_H
#define WS_ANALYSIS_COMMAND_LOADER_ENVIRONMENT_H

#include "warpscope/error.h"

/* Sets VK_INSTANCE_LAYERS and VK_LAYER_PATH of this process so that the layer whose explicit manifest is in
 * `folder` is loaded nearest to the application, and keeps all that the user set. False and `error` when
 * there is no memory. */
bool ws_loader_environment_set(const char *folder, struct ws_error *error);

#endif
