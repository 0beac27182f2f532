/* Writes a manifest of the layer: the loader's part, and for vkconfig the settings (those of the layer's own
 * table) and presets. The format is LoaderLayerInterface.md's and vkconfig's layers_schema.json.
 *
 *   generate explicit|implicit LIBRARY_PATH OUTPUT
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/core/vulkan_newer.h"
#include <cjson/cJSON.h>

#include "passes/settings/settings.h"

static const char *type_name(enum ws_setting_type type)
{
    switch (type) {
    case WS_SETTING_TYPE_STRING: return "STRING";
    case WS_SETTING_TYPE_BOOL: return "BOOL";
    case WS_SETTING_TYPE_INT: return "INT";
    case WS_SETTING_TYPE_ENUM: return "ENUM";
    case WS_SETTING_TYPE_FLAGS: return "FLAGS";
    case WS_SETTING_TYPE_LOAD_FILE: return "LOAD_FILE";
    case WS_SETTING_TYPE_SAVE_FILE: return "SAVE_FILE";
    case WS_SETTING_TYPE_SAVE_FOLDER: return "SAVE_FOLDER";
    }
    return "STRING";
}

/* A value's text as vkconfig has values of the type. */
static cJSON *make_value(enum ws_setting_type type, const char *text)
{
    if (type == WS_SETTING_TYPE_BOOL)
        return cJSON_CreateBool(strcmp(text, "true") == 0);
    if (type == WS_SETTING_TYPE_INT)
        return cJSON_CreateNumber(strtod(text, NULL));
    if (type != WS_SETTING_TYPE_FLAGS)
        return cJSON_CreateString(text);
    cJSON *list = cJSON_CreateArray();
    char *copy = strdup(text), *rest = NULL;
    for (char *part = strtok_r(copy, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest))
        cJSON_AddItemToArray(list, cJSON_CreateString(part));
    free(copy);
    return list;
}

static cJSON *make_flags(enum ws_setting_id id)
{
    cJSON *list = cJSON_CreateArray();
    const char *choice;
    for (size_t i = 0; (choice = ws_setting_choice(id, i)) != NULL; i++) {
        cJSON *flag = cJSON_CreateObject();
        cJSON_AddStringToObject(flag, "key", choice);
        cJSON_AddStringToObject(flag, "label", choice);
        cJSON_AddStringToObject(flag, "description", ws_setting_choice_summary(id, i));
        cJSON_AddItemToArray(list, flag);
    }
    return list;
}

static cJSON *make_settings(void)
{
    cJSON *list = cJSON_CreateArray();
    for (int id = 0; id < WS_SETTING_COUNT; id++) {
        const struct ws_setting *setting = &ws_setting_table[id];
        char variable[WS_SETTING_VARIABLE_SIZE];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "key", setting->key);
        cJSON_AddStringToObject(item, "env", ws_setting_variable((enum ws_setting_id)id, 0, variable));
        cJSON_AddStringToObject(item, "label", setting->label);
        cJSON_AddStringToObject(item, "description", setting->description);
        cJSON_AddStringToObject(item, "type", type_name(setting->type));
        if (setting->type == WS_SETTING_TYPE_ENUM || setting->type == WS_SETTING_TYPE_FLAGS)
            cJSON_AddItemToObject(item, "flags", make_flags((enum ws_setting_id)id));
        cJSON_AddItemToObject(item, "default", make_value(setting->type, setting->default_value));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

struct choice {
    enum ws_setting_id id;
    const char *value;
};

static const struct {
    const char *label;
    const char *description;
    struct choice choices[3];
    int choice_count;
} presets[] = {
    {"SIMT efficiency",
     "How full the warps are, in every shader.",
     {{WS_SETTING_PASSES, "simt_efficiency"}},
     1},
    {"SIMT efficiency of ray tracing",
     "How full the warps are, in the ray-tracing stages only.",
     {{WS_SETTING_PASSES, "simt_efficiency"},
      {WS_SETTING_STAGES, "raygen,any_hit,closest_hit,miss,intersection,callable"}},
     2},
    {"SIMT efficiency, block by block",
     "A counter for every basic block, also those that should always run with the same lanes as another.",
     {{WS_SETTING_PASSES, "simt_efficiency"}, {WS_SETTING_PER_BLOCK, "true"}},
     2},
    {"Rays, with advice",
     "Where every ray goes and what it meets, with the geometry and what the shaders cost: what to change in the scene.",
     {{WS_SETTING_PASSES, "ray_events,simt_efficiency"}, {WS_SETTING_GEOMETRY, "on"}},
     2},
    {"Advice on shaders",
     "How full the warps are at every block, in the first frame: what to change in the shaders (report FILE advice).",
     {{WS_SETTING_PASSES, "simt_efficiency"}, {WS_SETTING_PER_BLOCK, "true"}, {WS_SETTING_FRAMES, "0"}},
     3},
    {"Everything that is cheap",
     "All that only counts: how full the warps are, and whether they stay together. The capture stays small.",
     {{WS_SETTING_PASSES, "simt_efficiency,warp_entry_exit"}},
     1},
    {"Divergence by cause",
     "Which inactive lanes have ended, are in another shader, or went another way.",
     {{WS_SETTING_PASSES, "divergence"}},
     1},
    {"Thread compaction",
     "What regrouping threads at traces and calls could win.",
     {{WS_SETTING_PASSES, "thread_compaction"}},
     1},
    {"Execution trace of a few pixels",
     "The order of blocks of the warps that draw a box of 16 by 16 pixels, in the first frame.",
     {{WS_SETTING_PASSES, "execution_trace"}, {WS_SETTING_PIXELS, "0,0-15,15"}, {WS_SETTING_FRAMES, "0"}},
     3},
    {"SIMT efficiency of the first frame",
     "How full the warps are, in the first frame only.",
     {{WS_SETTING_PASSES, "simt_efficiency"}, {WS_SETTING_FRAMES, "0"}},
     2},
};

static cJSON *make_presets(void)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
        cJSON *preset = cJSON_CreateObject();
        cJSON_AddStringToObject(preset, "label", presets[i].label);
        cJSON_AddStringToObject(preset, "description", presets[i].description);
        cJSON_AddItemToObject(preset, "platforms", cJSON_CreateStringArray((const char *[]){"LINUX"}, 1));
        cJSON_AddStringToObject(preset, "status", "STABLE");
        cJSON *settings = cJSON_AddArrayToObject(preset, "settings");
        for (int j = 0; j < presets[i].choice_count; j++) {
            const struct choice *choice = &presets[i].choices[j];
            const struct ws_setting *setting = &ws_setting_table[choice->id];
            cJSON *value = cJSON_CreateObject();
            cJSON_AddStringToObject(value, "key", setting->key);
            cJSON_AddItemToObject(value, "value", make_value(setting->type, choice->value));
            cJSON_AddItemToArray(settings, value);
        }
        cJSON_AddItemToArray(list, preset);
    }
    return list;
}

static void add_extensions(cJSON *layer)
{
    cJSON *extension = cJSON_CreateObject();
    cJSON_AddStringToObject(extension, "name", VK_EXT_LAYER_SETTINGS_EXTENSION_NAME);
    cJSON_AddStringToObject(extension, "spec_version", "2");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(layer, "instance_extensions"), extension);

    extension = cJSON_CreateObject();
    cJSON_AddStringToObject(extension, "name", VK_EXT_TOOLING_INFO_EXTENSION_NAME);
    cJSON_AddStringToObject(extension, "spec_version", "1");
    cJSON_AddItemToObject(
        extension, "entrypoints",
        cJSON_CreateStringArray((const char *[]){"vkGetPhysicalDeviceToolPropertiesEXT"}, 1));
    cJSON_AddItemToArray(cJSON_AddArrayToObject(layer, "device_extensions"), extension);
}

static cJSON *make_manifest(bool implicit, const char *library_path)
{
    char version[32];
    snprintf(version, sizeof(version), "1.3.%d", VK_HEADER_VERSION);
    cJSON *manifest = cJSON_CreateObject();
    cJSON_AddStringToObject(manifest, "file_format_version", "1.2.0");
    cJSON *layer = cJSON_AddObjectToObject(manifest, "layer");
    cJSON_AddStringToObject(layer, "name", implicit ? WS_LAYER_NAME_IMPLICIT : WS_LAYER_NAME);
    cJSON_AddStringToObject(layer, "type", "GLOBAL");
    cJSON_AddStringToObject(layer, "library_path", library_path);
    cJSON_AddStringToObject(layer, "api_version", version);
    cJSON_AddStringToObject(layer, "implementation_version", "1");
    cJSON_AddStringToObject(layer, "description", WS_LAYER_DESCRIPTION);
    cJSON_AddStringToObject(layer, "introduction",
                            "Instruments the application's shaders and writes what they do into a capture, "
                            "to be read with the command warpscope.");
    cJSON_AddItemToObject(layer, "platforms", cJSON_CreateStringArray((const char *[]){"LINUX"}, 1));
    if (implicit) {
        cJSON_AddStringToObject(cJSON_AddObjectToObject(layer, "enable_environment"), "WARPSCOPE_ENABLE",
                                "1");
        cJSON_AddStringToObject(cJSON_AddObjectToObject(layer, "disable_environment"), "WARPSCOPE_DISABLE",
                                "1");
    }
    add_extensions(layer);
    cJSON *features = cJSON_AddObjectToObject(layer, "features");
    cJSON_AddItemToObject(features, "presets", make_presets());
    cJSON_AddItemToObject(features, "settings", make_settings());
    return manifest;
}

int main(int argc, char **argv)
{
    if (argc != 4 || (strcmp(argv[1], "explicit") != 0 && strcmp(argv[1], "implicit") != 0)) {
        fprintf(stderr, "usage: %s explicit|implicit LIBRARY_PATH OUTPUT\n", argv[0]);
        return 2;
    }
    cJSON *manifest = make_manifest(strcmp(argv[1], "implicit") == 0, argv[2]);
    char *text = cJSON_Print(manifest);
    cJSON_Delete(manifest);
    FILE *file = text != NULL ? fopen(argv[3], "w") : NULL;
    bool written = file != NULL && fprintf(file, "%s\n", text) > 0;
    if (file != NULL)
        written &= fclose(file) == 0;
    free(text);
    if (!written)
        perror(argv[3]);
    return written ? 0 : 1;
}
