/* Plug-ins with passes (warpscope/plugin.h), loaded into a process that is not ours. */
#ifndef WS_LAYER_PROCESS_PLUGINS_H
#define WS_LAYER_PROCESS_PLUGINS_H

#include <stdbool.h>

/* Loads what the environment variable WARPSCOPE_PLUGINS names, once for the process: later calls do nothing. `tell` is called
 * with each thing that is wrong; the rest is loaded all the same. In a process with more rights than who started it
 * (privileges.h) nothing is loaded. False where something could not be loaded, in any call. Thread-safe. */
bool ws_load_plugins(void (*tell)(void *user, const char *message), void *user);

#endif
