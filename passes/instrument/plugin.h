/* Passes of plug-ins (warpscope/plugin.h): checks that they fit, and makes them known. */
#ifndef WS_PASSES_INSTRUMENT_PLUGIN_H
#define WS_PASSES_INSTRUMENT_PLUGIN_H

#include "warpscope/error.h"

struct ws_pass_plugin;

/* Takes the passes of a plug-in, which stays loaded. False and `error` where the plug-in is of another version, or a pass is
 * malformed or has a name that is taken; then none of its passes is known. `path` names it in the message. Not to be called in
 * several threads at once; other threads may use the passes that are known meanwhile. */
bool ws_pass_plugin_take(const struct ws_pass_plugin *plugin, const char *path, struct ws_error *error);

#endif
