#define WS_PLUGIN_HOST
#include "analysis/command/plugins.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "analysis/report/plugin.h"
#include "passes/base/shared_object.h"
#include "passes/instrument/plugin.h"
#include "warpscope/analysis.h"
#include "warpscope/counter_analysis.h"
#include "warpscope/plugin.h"

#define VARIABLE "WARPSCOPE_PLUGINS"

static bool load(const char *path, struct ws_error *error)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return ws_error_set(error, "cannot read '%s': %s", path, strerror(errno));
    const bool good = ws_shared_object_check(file, path, error);
    close(file);
    if (!good)
        return false;
    struct ws_error no_passes = {{0}};
    struct ws_error none = {{0}};
    const struct ws_pass_plugin *passes = ws_shared_object_load(path, WS_PASS_PLUGIN_SYMBOL, &no_passes);
    const struct ws_counter_analysis_plugin *sums =
        ws_shared_object_load(path, WS_COUNTER_ANALYSIS_PLUGIN_SYMBOL, &none);
    const struct ws_analysis_plugin *analyses = ws_shared_object_load(path, WS_ANALYSIS_PLUGIN_SYMBOL, &none);
    if (passes == NULL && sums == NULL && analyses == NULL)
        return ws_error_set(error, "%s", no_passes.message);
    /* One of another interface may be of before, when analyses of counters had this symbol: it is told its version. */
    if (passes != NULL && analyses != NULL && analyses->interface == WS_ANALYSIS_INTERFACE)
        return ws_error_set(error,
                            "'%s' has passes, which the layer loads, and analyses that need functions of the "
                            "command: make two plug-ins of it",
                            path);
    return (passes == NULL || ws_pass_plugin_take(passes, path, error)) &&
           (sums == NULL || ws_counter_analysis_plugin_take(sums, path, error)) &&
           (analyses == NULL || ws_analysis_plugin_take(analyses, path, error));
}

/* `user`: a bool that becomes false where a plug-in is not taken. */
static void load_and_say(void *user, const char *path, const struct ws_error *wrong)
{
    struct ws_error error = {{0}};
    if (wrong != NULL)
        error = *wrong;
    if (path == NULL || !load(path, &error)) {
        ws_say("%s", error.message);
        *(bool *)user = false;
    }
}

/* Puts a plug-in behind those of the variable. The layer wants an absolute path. */
static bool add_to_variable(const char *path)
{
    const char *known = getenv(VARIABLE);
    char *list = NULL;
    const bool none = known == NULL || known[0] == '\0';
    if (asprintf(&list, "%s%s%s", none ? "" : known, none ? "" : ":", path) < 0)
        return false;
    const bool set = setenv(VARIABLE, list, 1) == 0;
    free(list);
    return set;
}

static bool add(const char *path)
{
    bool good = true;
    char *absolute = realpath(path, NULL);
    if (absolute == NULL) {
        ws_say("there is no plug-in '%s': %s", path, strerror(errno));
        return false;
    }
    if (strchr(absolute, ':') != NULL) {
        ws_say("the path of the plug-in '%s' has a colon, which parts paths from each other", absolute);
        good = false;
    } else {
        ws_plugin_list_each(absolute, load_and_say, &good);
        good = good && add_to_variable(absolute);
    }
    free(absolute);
    return good;
}

/* The value of --plugin at the front; NULL where another argument stands there. `*taken`: how many arguments it is. */
static const char *value_of(int count, char **arguments, int *taken)
{
    static const char name[] = "--plugin";
    const size_t length = sizeof(name) - 1;
    *taken = 0;
    if (count < 2 || strncmp(arguments[1], name, length) != 0)
        return NULL;
    if (arguments[1][length] == '=') {
        *taken = 1;
        return arguments[1] + length + 1;
    }
    if (arguments[1][length] != '\0')
        return NULL;
    *taken = count > 2 ? 2 : 1;
    return count > 2 ? arguments[2] : "";
}

bool ws_plugins_load(int *argument_count, char **arguments)
{
    bool others = true;
    bool good = true;
    int taken = 0;
    const char *path;
    const char *list = getenv(VARIABLE);
    if (list != NULL)
        ws_plugin_list_each(list, load_and_say, &others);
    while (good && (path = value_of(*argument_count, arguments, &taken)) != NULL) {
        good = add(path);
        *argument_count -= taken;
        memmove(arguments + 1, arguments + 1 + taken, (size_t)*argument_count * sizeof(*arguments));
    }
    return good;
}
