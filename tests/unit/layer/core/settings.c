/* The layer's settings: every source, their precedence, what values mean, and what is said of wrong ones. */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "layer/core/settings.h"
#include "layer/core/vulkan_newer.h"
#include "warpscope/instrument.h"
#include "warpscope/records.h"
#include "warpscope/stage.h"

static char folder[] = "/tmp/warpscope-settings-XXXXXX";

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* No setting from anywhere, in an empty working directory. */
static int clear(void **state)
{
    (void)state;
    static const char *const prefixes[] = {"VK_WARPSCOPE_CAPTURE_", "VK_CAPTURE_", "WARPSCOPE_"};
    for (size_t id = 0; id < WS_SETTING_COUNT; id++) {
        for (size_t i = 0; i < 3; i++) {
            char name[64];
            snprintf(name, sizeof(name), "%s%s", prefixes[i], ws_setting_table[id].key);
            for (char *c = name; *c != '\0'; c++)
                *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
            unsetenv(name);
        }
    }
    unsetenv("VK_LAYER_SETTINGS_PATH");
    setenv("XDG_DATA_HOME", "/nowhere", 1);
    setenv("HOME", "/nowhere", 1);
    unlink("vk_layer_settings.txt");
    return 0;
}

static struct ws_settings *read_good(const void *chain)
{
    struct ws_error error = {0};
    struct ws_settings *settings = ws_settings_create(chain, false, &error);
    assert_string_equal(error.message, "");
    assert_non_null(settings);
    return settings;
}

/* The settings are wrong, and the message has each of the texts. */
static void read_wrong(const void *chain, const char *const texts[4])
{
    struct ws_error error = {0};
    assert_null(ws_settings_create(chain, false, &error));
    for (int i = 0; i < 4; i++)
        if (strstr(error.message, texts[i]) == NULL)
            fail_msg("'%s' is not in: %s", texts[i], error.message);
}

/* The passes of a plug-in that was refused are none; the others are chosen. */
static void passes_may_be_missing(void **state)
{
    (void)state;
    struct ws_error error = {0};
    setenv("WARPSCOPE_PASSES", "loads,simt_efficiency,stores", 1);
    struct ws_settings *settings = ws_settings_create(NULL, true, &error);
    assert_non_null(settings);
    assert_int_equal(settings->pass_count, 1);
    assert_string_equal(settings->passes[0], "simt_efficiency");
    assert_string_equal(settings->missing_passes, "loads, stores");
    ws_settings_destroy(settings);
    read_wrong(NULL, (const char *const[]){"WARPSCOPE_PASSES", "no pass 'loads'", "simt_efficiency", "all"});
}

static void defaults(void **state)
{
    (void)state;
    struct ws_settings *settings = read_good(NULL);
    assert_int_equal(settings->pass_count, 0);
    assert_string_equal(settings->output, "%n-%p.wscope");
    assert_true(settings->frames.first == 0 && settings->frames.last == UINT64_MAX);
    assert_true(settings->launches.first == 0 && settings->launches.last == UINT64_MAX);
    assert_int_equal(settings->stages, WS_STAGES_ALL);
    assert_string_equal(settings->trigger, "");
    assert_string_equal(settings->shaders, "");
    assert_string_equal(settings->dump_shaders, "");
    assert_false(settings->per_block);
    assert_int_equal(settings->max_sites, 0);
    assert_true(settings->sites_budget == WS_SITES_BUDGET_AUTO);
    assert_int_equal(settings->sample, 1);
    assert_int_equal(settings->slow_after, 10);
    assert_true(settings->buffer_size == 0 && settings->buffer_limit == 0);
    assert_int_equal(settings->sampling.flags, 0);
    assert_int_equal(settings->log_level, WS_WARNING);
    assert_false(settings->geometry);
    assert_int_equal(settings->pair_count, WS_SETTING_COUNT);
    ws_settings_destroy(settings);
    ws_settings_destroy(NULL);
}

static void values(void **state)
{
    (void)state;
    setenv("WARPSCOPE_PASSES", " simt_efficiency,simt_efficiency ", 1);
    setenv("WARPSCOPE_FRAMES", "3-17", 1);
    setenv("WARPSCOPE_LAUNCHES", "5", 1);
    setenv("WARPSCOPE_STAGES", "ray_tracing, fragment", 1);
    setenv("WARPSCOPE_PER_BLOCK", "On", 1);
    setenv("WARPSCOPE_MAX_SITES", "4294967295", 1);
    setenv("WARPSCOPE_SITES_BUDGET", "64", 1);
    setenv("WARPSCOPE_SAMPLE", "1/16", 1);
    setenv("WARPSCOPE_SLOW_AFTER", "0", 1);
    setenv("WARPSCOPE_LOG_LEVEL", "none", 1);
    setenv("WARPSCOPE_SHADERS", "a*,b?", 1);
    struct ws_settings *settings = read_good(NULL);
    assert_int_equal(settings->pass_count, 1);
    assert_string_equal(settings->passes[0], "simt_efficiency");
    assert_true(settings->frames.first == 3 && settings->frames.last == 17);
    assert_true(settings->launches.first == 5 && settings->launches.last == 5);
    assert_int_equal(settings->stages, WS_STAGES_RAY_TRACING | WS_STAGE_FRAGMENT);
    assert_true(settings->per_block);
    assert_true(settings->max_sites == UINT32_MAX);
    assert_int_equal(settings->sites_budget, 64);
    assert_int_equal(settings->sample, 16);
    assert_int_equal(settings->slow_after, 0);
    assert_int_equal(settings->log_level, WS_LOG_NONE);
    assert_string_equal(settings->shaders, "a*,b?");
    assert_string_equal(settings->pairs[WS_SETTING_FRAMES].key, "frames");
    assert_string_equal(settings->pairs[WS_SETTING_FRAMES].value, "3-17");
    assert_false(settings->geometry);
    ws_settings_destroy(settings);

    setenv("WARPSCOPE_FRAMES", "9-", 1);
    setenv("WARPSCOPE_GEOMETRY", "on", 1);
    settings = read_good(NULL);
    assert_true(settings->geometry);
    ws_settings_destroy(settings);

    /* What rays met is of use only with what they flew through. */
    setenv("WARPSCOPE_PASSES", "simt_efficiency,ray_events", 1);
    setenv("WARPSCOPE_GEOMETRY", "auto", 1);
    settings = read_good(NULL);
    assert_true(settings->geometry);
    ws_settings_destroy(settings);
    setenv("WARPSCOPE_GEOMETRY", "off", 1);
    settings = read_good(NULL);
    assert_false(settings->geometry);
    assert_true(settings->frames.first == 9 && settings->frames.last == UINT64_MAX);
    ws_settings_destroy(settings);
}

static void sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"", 0},      {"1024", 1024},  {"1027", 1024}, /* whole words */
        {"1K", 1024}, {"3m", 3 << 20}, {"8G", UINT64_C(4) * WS_STREAM_CAPACITY_MAX},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        clear(state);
        setenv("WARPSCOPE_BUFFER_SIZE", cases[i].text, 1);
        setenv("WARPSCOPE_BUFFER_LIMIT", cases[i].text, 1);
        struct ws_settings *settings = read_good(NULL);
        assert_true(settings->buffer_size == cases[i].bytes && settings->buffer_limit == cases[i].bytes);
        ws_settings_destroy(settings);
    }
}

/* What is not asked for has no flag. */
static void samplings(void **state)
{
    static const struct {
        const char *threads;
        uint32_t first, last, step;
    } cases[] = {
        {"7", 7, 7, 1},       {"7-9", 7, 9, 1},           {"7-", 7, UINT32_MAX, 1},
        {"7-90/4", 7, 90, 4}, {"7-/4", 7, UINT32_MAX, 4}, {"/64", 0, UINT32_MAX, 64},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        clear(state);
        setenv("WARPSCOPE_THREADS", cases[i].threads, 1);
        struct ws_settings *settings = read_good(NULL);
        assert_int_equal(settings->sampling.flags, WS_SAMPLE_THREADS);
        assert_int_equal(settings->sampling.first, cases[i].first);
        assert_int_equal(settings->sampling.last, cases[i].last);
        assert_int_equal(settings->sampling.step, cases[i].step);
        ws_settings_destroy(settings);
    }
    clear(state);
    setenv("WARPSCOPE_PIXELS", "1,2-30,40", 1);
    setenv("WARPSCOPE_TILE", "8x4/16", 1);
    struct ws_settings *settings = read_good(NULL);
    assert_int_equal(settings->sampling.flags, WS_SAMPLE_BOX | WS_SAMPLE_TILES);
    assert_memory_equal(settings->sampling.box, ((uint32_t[]){1, 2, 30, 40}), 16);
    assert_memory_equal(settings->sampling.tile, ((uint32_t[]){8, 4, 16}), 12);
    ws_settings_destroy(settings);
    setenv("WARPSCOPE_PIXELS", "5,6", 1);
    setenv("WARPSCOPE_TILE", "", 1);
    settings = read_good(NULL);
    assert_int_equal(settings->sampling.flags, WS_SAMPLE_BOX);
    assert_memory_equal(settings->sampling.box, ((uint32_t[]){5, 6, 5, 6}), 16);
    ws_settings_destroy(settings);
}

static void all_passes(void **state)
{
    (void)state;
    size_t count = 0;
    const struct ws_pass_description *passes = ws_pass_list(&count);
    assert_true(count > 1);
    setenv("WARPSCOPE_PASSES", "divergence,all", 1);
    struct ws_settings *settings = read_good(NULL);
    assert_int_equal(settings->pass_count, count - 6);
    assert_string_equal(settings->passes[0], "divergence");
    assert_true(settings->instruments && !settings->times && !settings->clocks);
    for (size_t i = 0; i < count; i++) {
        /* These are not of all. */
        size_t times = strcmp(passes[i].name, "time") == 0 || strcmp(passes[i].name, "warp_time") == 0 ||
                       strcmp(passes[i].name, "payloads") == 0 || strncmp(passes[i].name, "memory_", 7) == 0;
        for (size_t j = 0; j < settings->pass_count; j++)
            times += strcmp(settings->passes[j], passes[i].name) == 0;
        assert_int_equal(times, 1);
    }
    ws_settings_destroy(settings);
    setenv("WARPSCOPE_PASSES", "time", 1);
    settings = read_good(NULL);
    assert_true(settings->times && !settings->instruments);
    ws_settings_destroy(settings);
    setenv("WARPSCOPE_PASSES", "all,time", 1);
    settings = read_good(NULL);
    assert_int_equal(settings->pass_count, count - 5);
    assert_true(settings->times && settings->instruments);
    ws_settings_destroy(settings);
    setenv("WARPSCOPE_PASSES", "al", 1);
    read_wrong(NULL, (const char *const[4]){"'al'", "all", "WARPSCOPE_PASSES", "simt_efficiency"});
}

/* Takes the most important source away until the default is left. */
static void precedence(void **state)
{
    (void)state;
    const char *const value = "struct";
    const VkLayerSettingEXT setting = {WS_LAYER_NAME, "output", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &value};
    const VkLayerSettingsCreateInfoEXT structs = {
        .sType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, .settingCount = 1, .pSettings = &setting};
    setenv("VK_WARPSCOPE_CAPTURE_OUTPUT", "vendor", 1);
    setenv("VK_CAPTURE_OUTPUT", "layer", 1);
    setenv("WARPSCOPE_OUTPUT", "short", 1);
    mkdir("other", 0777);
    mkdir("data", 0777);
    mkdir("data/vulkan", 0777);
    mkdir("data/vulkan/settings.d", 0777);
    write_file("named.txt", "# of others\nkhronos_validation.output = wrong\n"
                            "  warpscope_capture.output  =  named file \r\n");
    write_file("other/vk_layer_settings.txt", "warpscope_capture.output=folder");
    write_file("vk_layer_settings.txt", "warpscope_capture.output = working directory\n");
    write_file("data/vulkan/settings.d/vk_layer_settings.txt", "warpscope_capture.output = data\n");
    setenv("VK_LAYER_SETTINGS_PATH", "named.txt", 1);
    setenv("XDG_DATA_HOME", "data", 1);

    static const char *const expected[] = {"vendor",     "layer",  "short",
                                           "named file", "folder", "working directory",
                                           "data",       "struct", "%n-%p.wscope"};
    for (int step = 0; step < 9; step++) {
        switch (step) {
        case 1: unsetenv("VK_WARPSCOPE_CAPTURE_OUTPUT"); break;
        case 2: unsetenv("VK_CAPTURE_OUTPUT"); break;
        case 3: unsetenv("WARPSCOPE_OUTPUT"); break;
        case 4: setenv("VK_LAYER_SETTINGS_PATH", "other", 1); break;
        case 5: unsetenv("VK_LAYER_SETTINGS_PATH"); break;
        case 6: unlink("vk_layer_settings.txt"); break;
        case 7: unsetenv("XDG_DATA_HOME"); break;
        }
        struct ws_settings *settings = read_good(step < 8 ? &structs : NULL);
        assert_string_equal(settings->output, expected[step]);
        ws_settings_destroy(settings);
    }
}

static void structs(void **state)
{
    (void)state;
    const char *const stages[] = {"raygen", "miss"};
    const VkBool32 yes = VK_TRUE;
    const uint32_t most = 7;
    const char *const other = "x";
    const VkLayerSettingEXT settings_given[] = {
        {WS_LAYER_NAME, "stages", VK_LAYER_SETTING_TYPE_STRING_EXT, 2, stages},
        {WS_LAYER_NAME, "per_block", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &yes},
        {WS_LAYER_NAME, "max_sites", VK_LAYER_SETTING_TYPE_UINT32_EXT, 1, &most},
        {"VK_LAYER_OTHER", "unknown", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &other},
    };
    const VkLayerSettingsCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
                                               .settingCount = 4,
                                               .pSettings = settings_given};
    const VkBaseInStructure first = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pNext = (const VkBaseInStructure *)&info};
    struct ws_settings *settings = read_good(&first);
    assert_int_equal(settings->stages, WS_STAGE_RAYGEN | WS_STAGE_MISS);
    assert_true(settings->per_block);
    assert_int_equal(settings->max_sites, 7);
    ws_settings_destroy(settings);
}

static void wrong_values(void **state)
{
    static const char *const cases[][4] = {
        {"passes", "simt", "WARPSCOPE_PASSES", "simt_efficiency"},
        {"output", "", "WARPSCOPE_OUTPUT", "name of a file"},
        {"frames", "9-3", "WARPSCOPE_FRAMES", "A-B"},
        {"frames", "-3", "WARPSCOPE_FRAMES", "A-B"},
        {"frames", "1-2x", "WARPSCOPE_FRAMES", "A-B"},
        {"launches", "99999999999999999999", "WARPSCOPE_LAUNCHES", "A-B"},
        {"stages", "raygun", "WARPSCOPE_STAGES", "raygen"},
        {"per_block", "maybe", "WARPSCOPE_PER_BLOCK", "true or false"},
        {"max_sites", "-1", "WARPSCOPE_MAX_SITES", "number"},
        {"sites_budget", "4294967295", "WARPSCOPE_SITES_BUDGET", "auto"},
        {"max_sites", "4294967296", "WARPSCOPE_MAX_SITES", "number"},
        {"sample", "16", "WARPSCOPE_SAMPLE", "1/N"},
        {"sample", "1/0", "WARPSCOPE_SAMPLE", "1/N"},
        {"sample", "1/65537", "WARPSCOPE_SAMPLE", "1/N"},
        {"sample", "1/4x", "WARPSCOPE_SAMPLE", "1/N"},
        {"buffer_size", "1023", "WARPSCOPE_BUFFER_SIZE", "1K to 8G"},
        {"buffer_size", "9G", "WARPSCOPE_BUFFER_SIZE", "1K to 8G"},
        {"buffer_size", "18446744073709551615K", "WARPSCOPE_BUFFER_SIZE", "1K to 8G"},
        {"buffer_limit", "64MX", "WARPSCOPE_BUFFER_LIMIT", "K, M, G"},
        {"threads", "9-3", "WARPSCOPE_THREADS", "A-B"},
        {"threads", "1-9/0", "WARPSCOPE_THREADS", "/STEP"},
        {"threads", "4294967296", "WARPSCOPE_THREADS", "A-B"},
        {"threads", "/", "WARPSCOPE_THREADS", "/STEP"},
        {"pixels", "3", "WARPSCOPE_PIXELS", "X0,Y0-X1,Y1"},
        {"pixels", "3,4-2,9", "WARPSCOPE_PIXELS", "X0,Y0-X1,Y1"},
        {"pixels", "3,4-5,6,7", "WARPSCOPE_PIXELS", "X0,Y0-X1,Y1"},
        {"tile", "8x8", "WARPSCOPE_TILE", "WxH/STEP"},
        {"tile", "0x8/2", "WARPSCOPE_TILE", "WxH/STEP"},
        {"tile", "8x8/0", "WARPSCOPE_TILE", "WxH/STEP"},
        {"geometry", "yes", "WARPSCOPE_GEOMETRY", "auto, on, off"},
        {"log_level", "loud", "WARPSCOPE_LOG_LEVEL", "information, warning, error, none"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        clear(state);
        setenv(cases[i][2], cases[i][1], 1);
        read_wrong(NULL, cases[i]);
    }
}

static void unknown_settings(void **state)
{
    (void)state;
    write_file("vk_layer_settings.txt", "\nwarpscope_capture.pases = simt_efficiency\n");
    read_wrong(
        NULL, (const char *const[4]){"'pases'", "vk_layer_settings.txt, line 2", "did you mean passes?", ""});
    unlink("vk_layer_settings.txt");

    const VkBool32 yes = VK_TRUE;
    const VkLayerSettingEXT setting = {WS_LAYER_NAME, "blocks", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &yes};
    const VkLayerSettingsCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, .settingCount = 1, .pSettings = &setting};
    read_wrong(&info, (const char *const[4]){"'blocks'", "VK_EXT_layer_settings", "per_block", "passes"});
}

/* Whatever stands in the file, the settings are read or refused. */
static void broken_files(void **state)
{
    static const char *const files[] = {
        "=",
        "warpscope_capture.",
        "warpscope_capture.=",
        "warpscope_capture.passes",
        "warpscope_capture. = x",
        "warpscope_capture.output",
        "\n\n\n",
        "warpscope_capture.output =",
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        clear(state);
        write_file("vk_layer_settings.txt", files[i]);
        struct ws_error error = {0};
        struct ws_settings *settings = ws_settings_create(NULL, false, &error);
        assert_true((settings == NULL) == (error.message[0] != '\0'));
        ws_settings_destroy(settings);
    }
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status, (void)type, (void)ftw;
    return remove(path);
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* In a working directory that others can write, another user's file says nothing of where we write. */
static void files_of_others(void **state)
{
    (void)state;
    static const char *const texts[4] = {"vk_layer_settings.txt", "another user's", "VK_LAYER_SETTINGS_PATH",
                                         ""};
    write_file("vk_layer_settings.txt", "warpscope_capture.output = of.others\n");
    assert_int_equal(chmod(".", 01777), 0);
    struct ws_settings *settings = read_good(NULL);
    assert_string_equal(settings->output, "of.others"); /* it is our own */
    ws_settings_destroy(settings);
    /* Only the superuser can make it another's. */
    if (chown("vk_layer_settings.txt", 65534, 65534) == 0) {
        read_wrong(NULL, texts);
        write_file("vk_layer_settings.txt", "khronos_validation.enables = all\n");
        settings = read_good(NULL);
        ws_settings_destroy(settings);
    }
    assert_int_equal(chmod(".", 0700), 0);
    /* A pipe does not stop the program. */
    assert_int_equal(unlink("vk_layer_settings.txt"), 0);
    assert_int_equal(mkfifo("vk_layer_settings.txt", 0600), 0);
    settings = read_good(NULL);
    ws_settings_destroy(settings);
}

int main(void)
{
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(defaults, clear),     cmocka_unit_test_setup(passes_may_be_missing, clear),
        cmocka_unit_test_setup(values, clear),       cmocka_unit_test_setup(sizes, clear),
        cmocka_unit_test_setup(samplings, clear),    cmocka_unit_test_setup(all_passes, clear),
        cmocka_unit_test_setup(precedence, clear),   cmocka_unit_test_setup(structs, clear),
        cmocka_unit_test_setup(wrong_values, clear), cmocka_unit_test_setup(unknown_settings, clear),
        cmocka_unit_test_setup(broken_files, clear), cmocka_unit_test_setup(files_of_others, clear),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
