/* The built-in passes. */
#ifndef WS_PASSES_INSTRUMENT_REGISTRY_H
#define WS_PASSES_INSTRUMENT_REGISTRY_H

#include "warpscope/pass.h"

/* The pass with this name, or NULL. */
const struct ws_pass *ws_pass_find(const char *name);

#endif
