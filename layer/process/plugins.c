#define WS_PLUGIN_HOST
#include "layer/process/plugins.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/process/lock.h"
#include "layer/process/open.h"
#include "layer/process/privileges.h"
#include "passes/base/shared_object.h"
#include "passes/instrument/plugin.h"
#include "warpscope/plugin.h"

struct listener {
    void (*tell)(void *user, const char *message);
    void *user;
    bool *refused; /* whether something could not be loaded */
};

static void load(void *user, const char *path, const struct ws_error *wrong)
{
    const struct listener *listener = user;
    struct ws_error error = {{0}};
    if (wrong != NULL)
        error = *wrong;
    const int file = path != NULL ? ws_open_to_read(path) : -1;
    if (path != NULL && file < 0)
        ws_error_set(&error, "cannot read '%s': %s", path, strerror(errno));
    const void *plugin = NULL;
    if (file >= 0 && ws_shared_object_check(file, path, &error)) {
        /* One with analyses alone is for the command, whose functions it needs. */
        const bool passes = ws_shared_object_names(file, WS_PASS_PLUGIN_SYMBOL) ||
                            (!ws_shared_object_names(file, WS_ANALYSIS_PLUGIN_SYMBOL) &&
                             !ws_shared_object_names(file, WS_COUNTER_ANALYSIS_PLUGIN_SYMBOL));
        if (passes)
            plugin = ws_shared_object_load(path, WS_PASS_PLUGIN_SYMBOL, &error);
    }
    if (file >= 0)
        close(file);
    if (plugin != NULL)
        ws_pass_plugin_take(plugin, path, &error);
    if (error.message[0] != '\0')
        listener->tell(listener->user, error.message);
    *listener->refused = *listener->refused || error.message[0] != '\0';
}

bool ws_load_plugins(void (*tell)(void *user, const char *message), void *user)
{
    static pthread_mutex_t lock = WS_LOCK_INITIALIZER;
    static bool done;
    static bool refused;
    const char *list = secure_getenv("WARPSCOPE_PLUGINS");
    struct listener listener = {tell, user, &refused};
    if (list == NULL || ws_process_is_privileged())
        return true;
    ws_lock(&lock);
    if (!done)
        ws_plugin_list_each(list, load, &listener);
    done = true;
    const bool all = !refused;
    ws_unlock(&lock);
    return all;
}
