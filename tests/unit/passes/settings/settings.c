/* The table of settings: its keys and options are different from each other, its defaults are values that its grammar
 * takes, and messages of wrong values begin with the name that the caller gives. What values mean is tested with
 * the layer's sources (tests/unit/layer/core/settings.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "passes/settings/settings.h"
#include "warpscope/records.h"

static void keys_and_options_differ(void **state)
{
    (void)state;
    const char *names[2 * WS_SETTING_COUNT];
    size_t count = 0;
    for (int id = 0; id < WS_SETTING_COUNT; id++) {
        const struct ws_setting *setting = &ws_setting_table[id];
        assert_non_null(setting->key);
        assert_int_equal(ws_setting_find(setting->key), id);
        for (int i = 0; i < 2 && setting->options[i].name != NULL; i++) {
            for (size_t j = 0; j < count; j++)
                assert_string_not_equal(names[j], setting->options[i].name);
            names[count++] = setting->options[i].name;
            /* An option has an argument, or the value that it stands for. */
            assert_true((setting->options[i].argument == NULL) != (setting->options[i].value == NULL));
        }
    }
    assert_int_equal(ws_setting_find("colour"), WS_SETTING_COUNT);
}

static void variables(void **state)
{
    (void)state;
    char name[WS_SETTING_VARIABLE_SIZE];
    assert_string_equal(ws_setting_variable(WS_SETTING_MAX_SITES, 0, name), "VK_WARPSCOPE_CAPTURE_MAX_SITES");
    assert_string_equal(ws_setting_variable(WS_SETTING_MAX_SITES, 1, name), "VK_CAPTURE_MAX_SITES");
    assert_string_equal(ws_setting_variable(WS_SETTING_MAX_SITES, 2, name), "WARPSCOPE_MAX_SITES");
}

/* Defaults, and the values of options without an argument. */
static void own_values_are_taken(void **state)
{
    (void)state;
    struct ws_settings settings = {0};
    struct ws_error error = {0};
    for (int id = 0; id < WS_SETTING_COUNT; id++) {
        const struct ws_setting *setting = &ws_setting_table[id];
        assert_true(ws_settings_set(&settings, (enum ws_setting_id)id, setting->default_value, "x", &error));
        for (int i = 0; i < 2; i++)
            if (setting->options[i].value != NULL)
                assert_true(ws_settings_set(&settings, (enum ws_setting_id)id, setting->options[i].value, "x",
                                            &error));
    }
    assert_string_equal(error.message, "");
    ws_settings_finish(&settings);
    assert_null(settings.output);
}

/* The last value counts, and a setting made empty has its default meaning again. */
static void values_are_replaced(void **state)
{
    (void)state;
    struct ws_settings settings = {0};
    struct ws_error error = {0};
    assert_true(ws_settings_set(&settings, WS_SETTING_PASSES, "divergence,ray_events", "x", &error));
    assert_true(ws_settings_set(&settings, WS_SETTING_PASSES, "simt_efficiency", "x", &error));
    assert_int_equal(settings.pass_count, 1);
    assert_true(ws_settings_set(&settings, WS_SETTING_THREADS, "3-9", "x", &error));
    assert_true(ws_settings_set(&settings, WS_SETTING_TILE, "8x8/2", "x", &error));
    assert_int_equal(settings.sampling.flags, WS_SAMPLE_THREADS | WS_SAMPLE_TILES);
    assert_true(ws_settings_set(&settings, WS_SETTING_THREADS, "", "x", &error));
    assert_int_equal(settings.sampling.flags, WS_SAMPLE_TILES);
    assert_true(ws_settings_set(&settings, WS_SETTING_OUTPUT, "a", "x", &error));
    assert_true(ws_settings_set(&settings, WS_SETTING_OUTPUT, "b", "x", &error));
    assert_string_equal(settings.output, "b");
    ws_settings_finish(&settings);
}

static void messages(void **state)
{
    (void)state;
    static const struct {
        enum ws_setting_id id;
        const char *text;
        const char *message;
    } cases[] = {
        {WS_SETTING_FRAMES, "9-3",
         "--x takes A-B, A- or A with A not above B, or nothing for all, not '9-3'"},
        {WS_SETTING_MAX_SITES, "-1", "--x takes a number from 0 to 4294967295, not '-1'"},
        {WS_SETTING_GEOMETRY, "yes", "--x takes auto, on, off, not 'yes'"},
        {WS_SETTING_OUTPUT, "", "--x takes the name of a file, not ''"},
    };
    struct ws_settings settings = {0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ws_error error = {0};
        assert_false(ws_settings_set(&settings, cases[i].id, cases[i].text, "--x", &error));
        assert_string_equal(error.message, cases[i].message);
    }
    /* A range that is refused leaves the one before. */
    assert_true(ws_settings_set(&settings, WS_SETTING_FRAMES, "3-9", "--x", NULL));
    assert_false(ws_settings_set(&settings, WS_SETTING_FRAMES, "12-4", "--x", &(struct ws_error){{0}}));
    assert_true(settings.frames.first == 3 && settings.frames.last == 9);
    struct ws_error error = {0};
    assert_false(ws_settings_set(&settings, WS_SETTING_STAGES, "raygen,pixel", "--x", &error));
    assert_non_null(
        strstr(error.message, "--x: there is no stage 'pixel'; there are: all, ray_tracing, vertex, "));
    ws_settings_finish(&settings);
}

/* What looks like a setting and is none is found, each with what may have been meant. */
static void unknown_variables(void **state)
{
    (void)state;
    char *environment[] = {(char *)"PATH=/bin",
                           (char *)"WARPSCOPE_PASSES=all",
                           (char *)"WARPSCOPE_PASS=all",
                           (char *)"WARPSCOPE_ENABLE=1",
                           (char *)"VK_CAPTURE_THING=1",
                           (char *)"VK_WARPSCOPE_CAPTURE_FRAME=3",
                           (char *)"WARPSCOPE_RUN=1",
                           (char *)"WARPSCOPE_PAGER=less",
                           (char *)"WARPSCOPE_ELEPHANT=1",
                           (char *)"WARPSCOPE_passes=all",
                           NULL};
    static const char *const expected[] = {
        "there is no setting WARPSCOPE_PASS; did you mean WARPSCOPE_PASSES?",
        "there is no setting VK_WARPSCOPE_CAPTURE_FRAME; did you mean VK_WARPSCOPE_CAPTURE_FRAMES?",
        "there is no setting WARPSCOPE_ELEPHANT; `warpscope list settings` shows what there is",
        "there is no setting WARPSCOPE_passes; did you mean WARPSCOPE_PASSES?",
    };
    char text[256];
    size_t at = 0;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_true(ws_setting_next_unknown(environment, &at, text, sizeof(text)));
        assert_string_equal(text, expected[i]);
    }
    assert_false(ws_setting_next_unknown(environment, &at, text, sizeof(text)));
    at = 0;
    assert_false(ws_setting_next_unknown(NULL, &at, text, sizeof(text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_and_options_differ),
        cmocka_unit_test(variables),
        cmocka_unit_test(own_values_are_taken),
        cmocka_unit_test(values_are_replaced),
        cmocka_unit_test(messages),
        cmocka_unit_test(unknown_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
