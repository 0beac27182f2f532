/* Shared objects of others, as plug-ins: whether a file is one, and can be trusted. */
#ifndef WS_PASSES_BASE_SHARED_OBJECT_H
#define WS_PASSES_BASE_SHARED_OBJECT_H

#include "warpscope/error.h"

/* Whether the open file `descriptor` at `path` is a shared object for this processor that nobody but this process's user and
 * the superuser can have changed. False and `error`, which names the path and the remedy. Thread-safe. */
bool ws_shared_object_check(int descriptor, const char *path, struct ws_error *error);

/* Whether the open file has the name of this symbol anywhere in it, so that it may export it. Thread-safe. */
bool ws_shared_object_names(int descriptor, const char *symbol);

/* Loads it with all that it needs, and never unloads it. `symbol`: what it must export. Returns the symbol's address; NULL and
 * `error`. A file that is loaded already gives the same again. */
const void *ws_shared_object_load(const char *path, const char *symbol, struct ws_error *error);

/* Calls `function` for each file that a list names: absolute paths with colons between them; of a folder its files NAME.so, by
 * name. What is no absolute path, or is not there, is told by an error in place of a path. */
void ws_plugin_list_each(const char *list,
                         void (*function)(void *user, const char *path, const struct ws_error *error),
                         void *user);

#endif
