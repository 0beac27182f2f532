/* Plug-ins (warpscope/plugin.h) of the command: those that WARPSCOPE_PLUGINS names, and those of --plugin in front of a
 * command. Not thread-safe. */
#ifndef WS_ANALYSIS_COMMAND_PLUGINS_H
#define WS_ANALYSIS_COMMAND_PLUGINS_H

#include <stdbool.h>

/* Takes `--plugin FILE` out of the arguments in front of the command, as often as it stands there, loads them and those of the
 * variable, and puts them into the variable, for the layer in programs that are recorded. What is wrong is said. False where a
 * plug-in of --plugin cannot be had; the variable's are then left out. */
bool ws_plugins_load(int *argument_count, char **arguments);

#endif
