/* Makes a Vulkan loader of any age load the layer into the program to come. */
#ifndef WS_ANALYSIS_COMMAND_LOADER_ENVIRONMENT_H
#define WS_ANALYSIS_COMMAND_LOADER_ENVIRONMENT_H

#include "warpscope/error.h"

/* Finds the layer that belongs to this command, in the build tree or installed, and sets VK_INSTANCE_LAYERS
 * and VK_LAYER_PATH of this process so that it is loaded nearest to the application. Layers and folders that
 * the user has set stay. False and `error` when there is no layer, its library cannot be read, or there is no
 * memory. */
bool ws_loader_environment_set(struct ws_error *error);

#endif
