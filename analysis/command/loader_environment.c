/* VK_INSTANCE_LAYERS names the layers, nearest to the application first; every loader knows it.
 *
 * VK_LAYER_PATH says where explicit layers are looked for; every loader knows it too, but it takes the place
 * of the usual folders. VK_ADD_LAYER_PATH, which adds to them, is unknown to older loaders. So VK_LAYER_PATH
 * is set to our folder, followed by what the loader would have searched without us. */
#include "analysis/command/loader_environment.h"

#include <stdlib.h>
#include <string.h>

#include "passes/settings/settings.h"

/* Where manifests of explicit layers lie under a folder for configuration or data. */
#define EXPLICIT_FOLDER "/vulkan/explicit_layer.d"

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

/* Appends `part` to a list separated by colons. Empty parts are left out. */
static void append(FILE *list, const char *part, size_t length, const char *suffix)
{
    if (length == 0)
        return;
    if (ftell(list) > 0)
        fputc(':', list);
    fprintf(list, "%.*s%s", (int)length, part, suffix);
}

/* Appends every part of a list separated by colons, each with `suffix`. */
static void append_all(FILE *list, const char *parts, const char *suffix)
{
    while (*parts != '\0') {
        size_t length = strcspn(parts, ":");
        append(list, parts, length, suffix);
        parts += length + (parts[length] == ':');
    }
}

/* A base folder of the user: the variable, else a folder in the home. */
static void append_home(FILE *list, const char *name, const char *fallback)
{
    const char *home = variable("HOME");
    if (variable(name)[0] != '\0')
        append_all(list, variable(name), EXPLICIT_FOLDER);
    else if (home[0] != '\0') {
        append(list, home, strlen(home), "");
        fprintf(list, "%s%s", fallback, EXPLICIT_FOLDER);
    }
}

static void append_system(FILE *list, const char *name, const char *fallback)
{
    append_all(list, variable(name)[0] != '\0' ? variable(name) : fallback, EXPLICIT_FOLDER);
}

/* What the loader searches for explicit layers when VK_LAYER_PATH is not set (the loader's
 * LoaderLayerInterface.md, "Linux Layer Discovery"). */
static void append_usual_folders(FILE *list)
{
    append_all(list, variable("VK_ADD_LAYER_PATH"), "");
    append_home(list, "XDG_CONFIG_HOME", "/.config");
    append_system(list, "XDG_CONFIG_DIRS", "/etc/xdg");
    append_all(list, "/usr/local/etc:/etc", EXPLICIT_FOLDER);
    append_home(list, "XDG_DATA_HOME", "/.local/share");
    append_system(list, "XDG_DATA_DIRS", "/usr/local/share:/usr/share");
}

/* Whether a list separated by colons has this part. */
static bool has_part(const char *list, const char *part)
{
    size_t length = strlen(part);
    for (const char *at = list; *at != '\0'; at += at[strcspn(at, ":")] == ':') {
        if (strcspn(at, ":") == length && memcmp(at, part, length) == 0)
            return true;
        at += strcspn(at, ":");
    }
    return false;
}

bool ws_loader_environment_set(const char *folder, struct ws_error *error)
{
    char *layers = NULL;
    char *paths = NULL;
    size_t size = 0;
    const char *layers_before = variable("VK_INSTANCE_LAYERS");
    FILE *list = open_memstream(&layers, &size);
    bool set = list != NULL;
    if (set) {
        if (!has_part(layers_before, WS_LAYER_NAME))
            append(list, WS_LAYER_NAME, strlen(WS_LAYER_NAME), "");
        append_all(list, layers_before, "");
        set = fclose(list) == 0;
    }
    list = set ? open_memstream(&paths, &size) : NULL;
    set = list != NULL;
    if (set) {
        append(list, folder, strlen(folder), "");
        if (variable("VK_LAYER_PATH")[0] != '\0')
            append_all(list, variable("VK_LAYER_PATH"), "");
        else
            append_usual_folders(list);
        set = fclose(list) == 0;
    }
    set = set && setenv("VK_INSTANCE_LAYERS", layers, 1) == 0 && setenv("VK_LAYER_PATH", paths, 1) == 0;
    free(layers);
    free(paths);
    return set || ws_error_set(error, "no memory for the environment of the program");
}
