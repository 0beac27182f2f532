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

static void check(const char *variable, bool implicit)
{
    cJSON *manifest = read_manifest(getenv(variable));
    const cJSON *layer = cJSON_GetObjectItemCaseSensitive(manifest, "layer");
    assert_string_equal(text_of(layer, "name"), WS_LAYER_NAME);
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
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(features, "presets")) > 0);
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
