/* The passes: those that are built in, and those of plug-ins. */
#ifndef WS_PASSES_INSTRUMENT_REGISTRY_H
#define WS_PASSES_INSTRUMENT_REGISTRY_H

#include "warpscope/pass.h"

#define WS_PASS_PLUGINS_MAX 16

/* The pass with this name, or NULL. Safe from any thread. */
const struct ws_pass *ws_pass_find(const char *name);

/* Makes passes known that are not built in, as last of all. They must stay. False where there is no room for all of them. To be
 * called by one thread at a time; others may look for passes meanwhile. */
bool ws_pass_add(const struct ws_pass *const *added, size_t count);

#endif
