/* Finding the layer that belongs to this command, in the build tree or installed. */
#ifndef WS_ANALYSIS_COMMAND_LAYER_MANIFEST_H
#define WS_ANALYSIS_COMMAND_LAYER_MANIFEST_H

#include <limits.h>

#include "warpscope/error.h"

struct cJSON;

/* Finds the explicit manifest relative to this program's own file: the folder that holds it into `folder`,
 * and its contents, to be freed with cJSON_Delete. NULL and `error` when it is not there, cannot be read, or
 * names a library that does not exist. */
struct cJSON *ws_layer_manifest_find(char folder[PATH_MAX], struct ws_error *error);

#endif
