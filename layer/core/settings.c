#include "layer/core/settings.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layer/core/vulkan_newer.h"
#include "layer/process/open.h"
#include "layer/process/privileges.h"
#include "passes/base/shared_folder.h"
#include "passes/settings/settings.h"

#define FILE_NAME "vk_layer_settings.txt"

/* The value of a setting as it was given. Both given are owned. */
struct given {
    char *value;
    char *source; /* such as "environment variable WARPSCOPE_PASSES" */
};

static bool out_of_memory(struct ws_error *error)
{
    return ws_error_set(error, "out of memory");
}

/* Gives setting `id` the value unless an earlier source has given one. */
__attribute__((format(printf, 5, 6))) static bool give(struct given *given, size_t id, const char *value,
                                                       struct ws_error *error, const char *source, ...)
{
    if (given[id].value != NULL)
        return true;
    va_list arguments;
    va_start(arguments, source);
    const int length = vasprintf(&given[id].source, source, arguments);
    va_end(arguments);
    if (length < 0)
        given[id].source = NULL;
    given[id].value = strdup(value);
    return (length >= 0 && given[id].value != NULL) || out_of_memory(error);
}

static bool unknown_key(const char *key, const char *where, struct ws_error *error)
{
    char known[320] = "";
    const char *near = ws_setting_near(key);
    if (near != NULL)
        return ws_error_set(error, "there is no setting '%s' (in %s); did you mean %s?", key, where, near);
    for (size_t id = 0, length = 0; id < WS_SETTING_COUNT && length < sizeof(known); id++)
        length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s", id > 0 ? ", " : "",
                                   ws_setting_table[id].key);
    return ws_error_set(error, "there is no setting '%s' (in %s); there are %s", key, where, known);
}

static bool read_environment(struct given *given, struct ws_error *error)
{
    for (size_t id = 0; id < WS_SETTING_COUNT; id++) {
        for (unsigned i = 0; i < WS_SETTING_VARIABLES; i++) {
            char name[WS_SETTING_VARIABLE_SIZE];
            const char *value = secure_getenv(ws_setting_variable((enum ws_setting_id)id, i, name));
            if (value != NULL && !give(given, id, value, error, "environment variable %s", name))
                return false;
        }
    }
    return true;
}

/* Opens `folder``sub`/vk_layer_settings.txt, or `folder` itself where it is a file. `path` receives
 * its name, to be freed. NULL when there is none. */
static FILE *open_in(const char *folder, const char *sub, char **path)
{
    struct stat status;
    if (folder == NULL || folder[0] == '\0')
        return NULL;
    const bool is_file = stat(folder, &status) == 0 && !S_ISDIR(status.st_mode);
    const int length =
        is_file ? asprintf(path, "%s", folder) : asprintf(path, "%s%s/%s", folder, sub, FILE_NAME);
    if (length < 0) {
        *path = NULL;
        return NULL;
    }
    FILE *file = ws_stream_to_read(*path);
    if (file == NULL) {
        free(*path);
        *path = NULL;
    }
    return file;
}

static FILE *open_file(char **path)
{
    FILE *file = open_in(secure_getenv("VK_LAYER_SETTINGS_PATH"), "", path);
    if (file == NULL)
        file = open_in(".", "", path);
    if (file == NULL)
        file = open_in(secure_getenv("XDG_DATA_HOME"), "/vulkan/settings.d", path);
    if (file == NULL)
        file = open_in(secure_getenv("HOME"), "/.local/share/vulkan/settings.d", path);
    return file;
}

/* `text` without white space at its ends; cuts it in place. */
static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* Whether the file may say what is written where: in the working directory, others may have put it. */
static bool is_trusted(FILE *file, const char *path)
{
    struct stat status;
    return !ws_folder_is_shared(path) ||
           (fstat(fileno(file), &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0));
}

/* Of what stands before a key of this layer, which is the layer's name, either of both; 0 where the line is another
 * layer's. */
static size_t prefix_length(const char *line)
{
    static const char *const prefixes[] = {"warpscope_capture.", "warpscope_capture_implicit."};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(line, prefixes[i], strlen(prefixes[i])) == 0)
            return strlen(prefixes[i]);
    return 0;
}

/* One line of the file; lines of other layers, comments and empty ones are passed over. */
static bool read_line(struct given *given, char *line, FILE *file, const char *path, unsigned number,
                      struct ws_error *error)
{
    char *key = trim(line);
    char *equals = strchr(key, '=');
    const size_t prefix = prefix_length(key);
    if (prefix == 0 || equals == NULL)
        return true;
    if (!is_trusted(file, path))
        return ws_error_set(error,
                            "%s is another user's, in a folder that others can write: run in another folder, "
                            "or name your own file with VK_LAYER_SETTINGS_PATH",
                            path);
    *equals = '\0';
    const char *value = trim(equals + 1);
    key = trim(key) + prefix;
    const enum ws_setting_id id = ws_setting_find(key);
    if (id == WS_SETTING_COUNT) {
        char where[256];
        snprintf(where, sizeof(where), "%s, line %u", path, number);
        return unknown_key(key, where, error);
    }
    return give(given, id, value, error, "%s, line %u", path, number);
}

static bool read_file(struct given *given, struct ws_error *error)
{
    char *path = NULL;
    FILE *file = open_file(&path);
    if (file == NULL)
        return true;
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    for (unsigned number = 1; good && getline(&line, &capacity, file) >= 0; number++)
        good = read_line(given, line, file, path, number, error);
    free(line);
    fclose(file);
    free(path);
    return good;
}

static void print_value(FILE *out, const VkLayerSettingEXT *setting, uint32_t index)
{
    const void *values = setting->pValues;
    switch (setting->type) {
    case VK_LAYER_SETTING_TYPE_BOOL32_EXT:
        fputs(((const VkBool32 *)values)[index] ? "true" : "false", out);
        break;
    case VK_LAYER_SETTING_TYPE_INT32_EXT: fprintf(out, "%" PRId32, ((const int32_t *)values)[index]); break;
    case VK_LAYER_SETTING_TYPE_INT64_EXT: fprintf(out, "%" PRId64, ((const int64_t *)values)[index]); break;
    case VK_LAYER_SETTING_TYPE_UINT32_EXT: fprintf(out, "%" PRIu32, ((const uint32_t *)values)[index]); break;
    case VK_LAYER_SETTING_TYPE_UINT64_EXT: fprintf(out, "%" PRIu64, ((const uint64_t *)values)[index]); break;
    case VK_LAYER_SETTING_TYPE_FLOAT32_EXT: fprintf(out, "%g", (double)((const float *)values)[index]); break;
    case VK_LAYER_SETTING_TYPE_FLOAT64_EXT: fprintf(out, "%g", ((const double *)values)[index]); break;
    case VK_LAYER_SETTING_TYPE_STRING_EXT: fputs(((const char *const *)values)[index], out); break;
    default: fputs("(of an unknown type)", out); break;
    }
}

static bool read_struct_setting(struct given *given, const VkLayerSettingEXT *setting, struct ws_error *error)
{
    const enum ws_setting_id id = ws_setting_find(setting->pSettingName);
    if (id == WS_SETTING_COUNT)
        return unknown_key(setting->pSettingName, "VK_EXT_layer_settings", error);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return out_of_memory(error);
    for (uint32_t i = 0; i < setting->valueCount; i++) {
        if (i > 0)
            fputc(',', out);
        print_value(out, setting, i);
    }
    bool good = fclose(out) == 0 || out_of_memory(error);
    if (good)
        good = give(given, id, text, error, "VK_EXT_layer_settings");
    free(text);
    return good;
}

bool ws_is_layer_name(const char *name)
{
    return strcmp(name, WS_LAYER_NAME) == 0 || strcmp(name, WS_LAYER_NAME_IMPLICIT) == 0;
}

static bool read_structs(struct given *given, const void *chain, struct ws_error *error)
{
    for (const VkBaseInStructure *item = chain; item != NULL; item = item->pNext) {
        if (item->sType != VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT)
            continue;
        const VkLayerSettingsCreateInfoEXT *settings = (const VkLayerSettingsCreateInfoEXT *)item;
        for (uint32_t i = 0; i < settings->settingCount; i++)
            if (ws_is_layer_name(settings->pSettings[i].pLayerName) &&
                !read_struct_setting(given, &settings->pSettings[i], error))
                return false;
    }
    return true;
}

/* Fills given[0 .. WS_SETTING_COUNT - 1], each from the first source that has it. */
static bool read_sources(struct given *given, const void *chain, struct ws_error *error)
{
    if (!read_environment(given, error) || !read_file(given, error) || !read_structs(given, chain, error))
        return false;
    for (size_t id = 0; id < WS_SETTING_COUNT; id++)
        if (!give(given, id, ws_setting_table[id].default_value, error, "default"))
            return false;
    return true;
}

static bool read_values(struct ws_settings *settings, struct given *given, struct ws_error *error)
{
    settings->pairs = calloc(WS_SETTING_COUNT, sizeof(*settings->pairs));
    if (settings->pairs == NULL)
        return out_of_memory(error);
    for (size_t id = 0; id < WS_SETTING_COUNT; id++) {
        char name[512];
        snprintf(name, sizeof(name), "setting %s (%s)", ws_setting_table[id].key, given[id].source);
        if (!ws_settings_set(settings, (enum ws_setting_id)id, given[id].value, name, error))
            return false;
        settings->pairs[id].key = ws_setting_table[id].key;
        settings->pairs[id].value = given[id].value;
        given[id].value = NULL; /* now the pair's */
        settings->pair_count++;
    }
    return true;
}

struct ws_settings *ws_settings_create(const void *chain, bool allows_missing_passes, struct ws_error *error)
{
    struct given given[WS_SETTING_COUNT] = {0};
    struct ws_settings *settings = calloc(1, sizeof(*settings));
    bool good = settings != NULL || out_of_memory(error);
    if (settings != NULL && ws_process_is_privileged())
        return settings;
    if (settings != NULL)
        settings->allows_missing_passes = allows_missing_passes;
    good = good && read_sources(given, chain, error) && read_values(settings, given, error);
    for (size_t id = 0; id < WS_SETTING_COUNT; id++) {
        free(given[id].value);
        free(given[id].source);
    }
    if (good)
        return settings;
    ws_settings_destroy(settings);
    return NULL;
}

void ws_settings_destroy(struct ws_settings *settings)
{
    if (settings == NULL)
        return;
    ws_settings_finish(settings);
    free(settings);
}
