/* Analyses of plug-ins (warpscope/analysis.h, warpscope/counter_analysis.h): checks that they fit, and makes them known as
 * analyses like the others. Not thread-safe. */
#ifndef WS_ANALYSIS_REPORT_PLUGIN_H
#define WS_ANALYSIS_REPORT_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/error.h"

/* The analyses of all plug-ins, at most. */
#define WS_PLUGIN_ANALYSES_MAX 8

struct ws_analysis;
struct ws_analysis_plugin;
struct ws_counter_analysis_plugin;

/* Takes the analyses of a plug-in, which stays loaded. False and `error` where the plug-in is of another version, or a
 * declaration is wrong or has a name that is taken; then none of them is known. `path` names it in the message. */
bool ws_analysis_plugin_take(const struct ws_analysis_plugin *plugin, const char *path,
                             struct ws_error *error);

/* The same for analyses of counters, each of which becomes a struct ws_analysis (counter_analysis.c). */
bool ws_counter_analysis_plugin_take(const struct ws_counter_analysis_plugin *plugin, const char *path,
                                     struct ws_error *error);

/* Whether a name is of small letters, digits and '_', and not too long. */
bool ws_analysis_plugin_name(const char *name);

/* Whether it is one that no analysis has. `path` names the plug-in in the message. */
bool ws_analysis_plugin_free(const char *name, const char *path, struct ws_error *error);

/* How many further analyses of plug-ins can be known. */
uint32_t ws_analysis_plugin_room(void);

/* Makes one known, for which there is room. */
void ws_analysis_plugin_add(const struct ws_analysis *analysis);

#endif
