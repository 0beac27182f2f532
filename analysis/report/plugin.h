/* Analyses of plug-ins (warpscope/analysis.h): checks that they fit, and makes them known as analyses like the others. */
#ifndef WS_ANALYSIS_REPORT_PLUGIN_H
#define WS_ANALYSIS_REPORT_PLUGIN_H

#include "warpscope/error.h"

/* The analyses of all plug-ins, at most. */
#define WS_PLUGIN_ANALYSES_MAX 8

struct ws_analysis_plugin;

/* Takes the analyses of a plug-in, which stays loaded. False and `error` where the plug-in is of another version, or a declaration
 * is wrong or has a name that is taken; then none of them is known. `path` names it in the message. Not thread-safe. */
bool ws_analysis_plugin_take(const struct ws_analysis_plugin *plugin, const char *path,
                             struct ws_error *error);

#endif
