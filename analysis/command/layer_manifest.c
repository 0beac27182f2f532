#include "analysis/command/layer_manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

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

/* A manifest outlives the library where a build tree was moved or half removed; the loader would then run the
 * program without the layer, and say nothing. */
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

cJSON *ws_layer_manifest_find(char folder[PATH_MAX], struct ws_error *error)
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
