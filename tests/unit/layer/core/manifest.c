/* The manifests that the build wrote: read by a parser, with all the settings of the layer and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "passes/settings/settings.h"

static cJSON *read_manifest(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    cJSON *manifest = cJSON_Parse(text);
    assert_non_null(manifest);
    return manifest;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    assert_true(cJSON_IsString(item));
    return item->valuestring;
}

/* A value as vkconfig hands it to the layer: parts of a list with commas between them. */
static void print_value(const cJSON *value, char text[256])
{
    const cJSON *part;
    text[0] = '\0';
    if (cJSON_IsString(value))
        snprintf(text, 256, "%s", value->valuestring);
    else if (cJSON_IsBool(value))
        snprintf(text, 256, "%s", cJSON_IsTrue(value) ? "true" : "false");
    else
        cJSON_ArrayForEach(part, value)
        {
            const size_t used = strlen(text);
            assert_true(cJSON_IsArray(value) && cJSON_IsString(part));
            snprintf(text + used, 256 - used, "%s%s", used > 0 ? "," : "", part->valuestring);
        }
}

/* The layer takes every value of a preset, and each chooses a pass. */
static void check_preset(const cJSON *preset)
{
    struct ws_settings settings = {0};
    struct ws_error error = {{0}};
    const cJSON *item;
    char text[256];
    assert_true(text_of(preset, "label")[0] != '\0' && text_of(preset, "description")[0] != '\0');
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(preset, "settings"))
    {
        const enum ws_setting_id id = ws_setting_find(text_of(item, "key"));
        print_value(cJSON_GetObjectItemCaseSensitive(item, "value"), text);
        assert_true(id != WS_SETTING_COUNT && text[0] != '\0');
        if (!ws_settings_set(&settings, id, text, "preset", &error))
            fail_msg("%s", error.message);
    }
    assert_true(settings.pass_count > 0);
    ws_settings_finish(&settings);
}

static void check(const char *variable, bool implicit)
{
    cJSON *manifest = read_manifest(getenv(variable));
    const cJSON *layer = cJSON_GetObjectItemCaseSensitive(manifest, "layer");
    assert_string_equal(text_of(layer, "name"), implicit ? WS_LAYER_NAME_IMPLICIT : WS_LAYER_NAME);
    FILE *library = fopen(text_of(layer, "library_path"), "r");
    assert_non_null(library);
    fclose(library);
    assert_int_equal(cJSON_HasObjectItem(layer, "enable_environment"), implicit);
    assert_int_equal(cJSON_HasObjectItem(layer, "disable_environment"), implicit);

    const cJSON *features = cJSON_GetObjectItemCaseSensitive(layer, "features");
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(features, "settings");
    assert_int_equal(cJSON_GetArraySize(settings), WS_SETTING_COUNT);
    for (int id = 0; id < WS_SETTING_COUNT; id++) {
        const cJSON *setting = cJSON_GetArrayItem(settings, id);
        assert_string_equal(text_of(setting, "key"), ws_setting_table[id].key);
        assert_true(cJSON_HasObjectItem(setting, "default"));
    }
    const cJSON *presets = cJSON_GetObjectItemCaseSensitive(features, "presets");
    const cJSON *preset;
    assert_true(cJSON_GetArraySize(presets) > 0);
    cJSON_ArrayForEach(preset, presets) check_preset(preset);
    cJSON_Delete(manifest);
}

static void explicit_manifest(void **state)
{
    (void)state;
    check("WS_TEST_MANIFEST_EXPLICIT", false);
}

static void implicit_manifest(void **state)
{
    (void)state;
    check("WS_TEST_MANIFEST_IMPLICIT", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(explicit_manifest),
                                       cmocka_unit_test(implicit_manifest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
