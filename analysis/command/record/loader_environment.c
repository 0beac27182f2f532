/* See loader_environment.h.
 *
 * VK_INSTANCE_LAYERS names the layers, nearest to the application first. Every loader knows it.
 *
 * VK_LAYER_PATH says where explicit layers are looked for. Every loader knows it too, but it replaces the
 * usual folders. VK_ADD_LAYER_PATH, which adds to them, is unknown to older loaders. So VK_LAYER_PATH is set
 * to our folder, followed by what the loader would have searched without us. */
#include "analysis/command/record/loader_environment.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "passes/settings/settings.h"

#define MANIFEST_NAME "VkLayer_warpscope_capture.json"
#define MANIFEST_MAX  (1u << 20)

/* Where the manifest's folder lies, from that of the command: in the build tree, and installed. */
static const char *const folders[] = {"../manifests/explicit", "../share/vulkan/explicit_layer.d"};

/* The folder of this program's file. */
static bool find_self(char path[PATH_MAX], struct ws_error *error)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length < 0)
        return ws_error_set(error, "cannot find where this program is: /proc/self/exe: %s", strerror(errno));
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL)
        *slash = '\0';
    return true;
}

static cJSON *load(const char *path, struct ws_error *error)
{
    FILE *file = fopen(path, "rbe");
    char *text = calloc(1, MANIFEST_MAX + 1);
    cJSON *manifest = NULL;
    if (file == NULL || text == NULL) {
        ws_error_set(error, "cannot read the layer's manifest '%s': %s", path, strerror(errno));
    } else {
        size_t size = fread(text, 1, MANIFEST_MAX, file);
        manifest = cJSON_ParseWithLength(text, size);
        if (manifest == NULL)
            ws_error_set(error, "the layer's manifest '%s' is no JSON: build or install Warpscope again",
                         path);
    }
    if (file != NULL)
        fclose(file);
    free(text);
    return manifest;
}

/* The library can be gone while its manifest is still there: in a build tree that was moved or partly
 * removed. The loader would then run the program without the layer, and say nothing. */
static bool check_library(const cJSON *manifest, const char *path, struct ws_error *error)
{
    const cJSON *layer = cJSON_GetObjectItem(manifest, "layer");
    const char *library = cJSON_GetStringValue(cJSON_GetObjectItem(layer, "library_path"));
    if (library == NULL)
        return ws_error_set(error, "the layer's manifest '%s' names no library", path);
    if (library[0] == '/' && access(library, R_OK) != 0)
        return ws_error_set(error, "the layer '%s', named by '%s', cannot be read: %s; build or install it",
                            library, path, strerror(errno));
    return true;
}

/* The folder of the explicit manifest, found from where this program lies, and the manifest, which the caller
 * frees with cJSON_Delete. NULL and `error` when it is not there, cannot be read, or names a library that
 * does not exist. */
static cJSON *find_manifest(char folder[PATH_MAX], struct ws_error *error)
{
    char self[PATH_MAX];
    if (!find_self(self, error))
        return NULL;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); ++i) {
        char relative[2 * PATH_MAX];
        char path[PATH_MAX + sizeof(MANIFEST_NAME) + 1];
        snprintf(relative, sizeof(relative), "%s/%s", self, folders[i]);
        if (realpath(relative, folder) == NULL)
            continue;
        snprintf(path, sizeof(path), "%s/" MANIFEST_NAME, folder);
        if (access(path, F_OK) != 0)
            continue;
        cJSON *manifest = load(path, error);
        if (manifest != NULL && !check_library(manifest, path, error)) {
            cJSON_Delete(manifest);
            manifest = NULL;
        }
        return manifest;
    }
    ws_error_set(error, "the layer was not found: there is no " MANIFEST_NAME " in '%s/%s' nor in '%s/%s'",
                 self, folders[0], self, folders[1]);
    return NULL;
}

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

bool ws_loader_environment_set(struct ws_error *error)
{
    char folder[PATH_MAX];
    cJSON *manifest = find_manifest(folder, error);
    if (manifest == NULL)
        return false;
    cJSON_Delete(manifest);
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
