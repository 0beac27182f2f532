/* Timelines: which slices and counters stand where, against numbers worked out by hand; and that the file is what readers of
 * the Trace Event Format take. */
#include "analysis/export/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/time/warp_times.h"

static struct ws_catalog catalog;
static struct ws_timeline_export export;
static struct ws_warp_times *results;
static struct ws_launch_record launches[2];
static struct ws_shader_record shaders[2];
static struct ws_module_record module = {.name = "", .source = ""};
static char path[] = "timeline-XXXXXX";

static int begin(void **state)
{
    static struct ws_analysis_options options;
    struct ws_error error = {{0}};
    (void)state;
    ws_catalog_init(&catalog);
    for (uint32_t i = 0; i < 2; ++i) {
        launches[i] = (struct ws_launch_record){.index = i,
                                                .submission = 7,
                                                .frame = i,
                                                .kind = WS_LAUNCH_DISPATCH,
                                                .size = {8, 1, 1},
                                                .label = i == 0 ? "a \"label\"" : "",
                                                .pipeline = WS_NONE};
        shaders[i] = (struct ws_shader_record){.id = i,
                                               .stage = WS_STAGE_COMPUTE,
                                               .name = "main",
                                               .shown = i == 0 ? "outer:main" : "inner:main"};
        assert_true(ws_id_map_put(&catalog.launches.by_index, i, i));
    }
    catalog.launches.launches = launches;
    catalog.launches.count = 2;
    catalog.shaders = shaders;
    catalog.shader_count = 2;
    catalog.modules = &module;
    catalog.module_count = 1;
    snprintf(path, sizeof(path), "timeline-XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    fclose(fdopen(file, "w"));
    export = (struct ws_timeline_export){.path = path, .most = 100};
    options.user = &export;
    results = ws_analysis_timeline_export.create(&catalog, &options, &error);
    assert_non_null(results);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    ws_analysis_timeline_export.destroy(results);
    catalog.modules = NULL;
    catalog.shaders = NULL;
    catalog.launches.launches = NULL;
    catalog.module_count = catalog.shader_count = catalog.launches.count = 0;
    ws_catalog_finish(&catalog);
    return remove(path);
}

static cJSON *write_and_read(void)
{
    static char text[1 << 16];
    struct ws_error error = {{0}};
    if (!ws_analysis_timeline_export.end(results, &error))
        fail_msg("%s", error.message);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    cJSON *read = cJSON_Parse(text);
    assert_non_null(read);
    /* What all events must have ("Trace Event Format"). */
    const cJSON *event;
    cJSON_ArrayForEach(event, cJSON_GetObjectItem(read, "traceEvents"))
    {
        const char *phase = cJSON_GetStringValue(cJSON_GetObjectItem(event, "ph"));
        assert_non_null(phase);
        assert_true(strcmp(phase, "X") == 0 || strcmp(phase, "M") == 0 || strcmp(phase, "C") == 0);
        assert_true(cJSON_IsNumber(cJSON_GetObjectItem(event, "pid")));
        assert_true(cJSON_IsNumber(cJSON_GetObjectItem(event, "tid")));
        assert_true(cJSON_IsString(cJSON_GetObjectItem(event, "name")));
        /* Slices of warps have categories instead, so that those of one shader are alike. */
        assert_true(cJSON_IsObject(cJSON_GetObjectItem(event, "args")) !=
                    cJSON_IsString(cJSON_GetObjectItem(event, "cat")));
        assert_int_equal(cJSON_IsNumber(cJSON_GetObjectItem(event, "ts")), strcmp(phase, "M") != 0);
        assert_int_equal(cJSON_IsNumber(cJSON_GetObjectItem(event, "dur")), strcmp(phase, "X") == 0);
    }
    return read;
}

/* The `index`th event of a phase, "pid tid name ts dur value" as text; "" = there is none. */
static const char *event(const cJSON *read, const char *phase, uint32_t index)
{
    static char text[256];
    const cJSON *found;
    cJSON_ArrayForEach(found, cJSON_GetObjectItem(read, "traceEvents"))
    {
        if (strcmp(cJSON_GetObjectItem(found, "ph")->valuestring, phase) != 0 || index-- > 0)
            continue;
        const cJSON *length = cJSON_GetObjectItem(found, "dur");
        const cJSON *value = cJSON_GetObjectItem(cJSON_GetObjectItem(found, "args"), "warps");
        snprintf(text, sizeof(text), "%d %d %s %g %g", cJSON_GetObjectItem(found, "pid")->valueint,
                 cJSON_GetObjectItem(found, "tid")->valueint, cJSON_GetObjectItem(found, "name")->valuestring,
                 cJSON_GetObjectItem(found, "ts")->valuedouble,
                 length != NULL ? length->valuedouble : value->valuedouble);
        return text;
    }
    return "";
}

/* The categories of the `index`th slice. */
static const char *category(const cJSON *read, uint32_t index)
{
    const cJSON *found;
    cJSON_ArrayForEach(found, cJSON_GetObjectItem(read, "traceEvents"))
    {
        if (strcmp(cJSON_GetObjectItem(found, "ph")->valuestring, "X") == 0 && index-- == 0)
            return cJSON_GetStringValue(cJSON_GetObjectItem(found, "cat"));
    }
    return NULL;
}

static void add_warps(void)
{
    /* Warp 0 from 1000 to 3000 with a called shader from 1500 to 2500, warp 1 from 1000 to 2000, warp 2 from 2000 to 3000. */
    static const struct ws_warp_times_slice slices[] = {
        {0, 1000, 3000, 0, 0, 0, 8},
        {0, 1000, 2000, 0, 1, 0, 8},
        {0, 1500, 2500, 1, 0, 1, 4},
        {0, 2000, 3000, 0, 2, 0, 8},
    };
    results->slices = malloc(sizeof(slices));
    results->launches = calloc(1, sizeof(*results->launches));
    assert_non_null(results->slices);
    assert_non_null(results->launches);
    memcpy(results->slices, slices, sizeof(slices));
    results->slice_count = 4;
    results->launches[0] = (struct ws_warp_times_launch){.flight = {.first = 1000, .last = 3000}, .warps = 3};
    results->launch_count = 1;
}

static void add_times(void)
{
    assert_true(ws_times_add(&catalog, &catalog.times,
                             &(struct ws_timed_launch){.launch = 0, .nanoseconds = 4000, .begin = 0}));
    assert_true(ws_times_add(&catalog, &catalog.times,
                             &(struct ws_timed_launch){.launch = 1, .nanoseconds = 1000, .begin = 6000}));
}

static void times_of_launches(void **state)
{
    (void)state;
    add_times();
    cJSON *read = write_and_read();
    assert_string_equal(event(read, "X", 0), "1 3 a \"label\" 0 4");
    assert_string_equal(event(read, "X", 1), "1 3 dispatch 6 1");
    assert_string_equal(event(read, "X", 2), "1 1 frame 0 0 4");
    assert_string_equal(event(read, "X", 3), "1 1 frame 1 6 1");
    assert_string_equal(event(read, "X", 4), "1 2 submission 7 0 7");
    assert_string_equal(event(read, "X", 5), "");
    assert_int_equal(export.launches, 2);
    assert_int_equal(export.untimed, 0);
    cJSON_Delete(read);
}

/* 2000 ticks are 4000 ns: a tick is 2 ns, and 1000 is at 0. Warp 2 begins when warp 1 ends, in its slot. */
static void warps_in_their_launch(void **state)
{
    (void)state;
    add_times();
    add_warps();
    cJSON *read = write_and_read();
    assert_string_equal(event(read, "X", 5), "1000 1 outer:main 0 4");
    assert_string_equal(event(read, "X", 6), "1000 2 outer:main 0 2");
    assert_string_equal(event(read, "X", 7), "1000 1 inner:main 1 2");
    assert_string_equal(event(read, "X", 8), "1000 2 outer:main 2 2");
    assert_string_equal(category(read, 7), "warp 0,4 lanes");
    assert_string_equal(category(read, 8), "warp 2,8 lanes");
    assert_string_equal(event(read, "X", 9), "");
    assert_string_equal(event(read, "C", 0), "1000 0 warps in flight 0 2");
    assert_string_equal(event(read, "C", 1), "1000 0 warps in flight 2 2");
    assert_string_equal(event(read, "C", 2), "1000 0 warps in flight 4 0");
    assert_string_equal(event(read, "C", 3), "");
    assert_int_equal(export.warps, 4);
    assert_false(export.ticks);
    cJSON_Delete(read);
}

/* In launch 1 2000 ticks take 1000 ns. So in launch 0 they took that long, too, and the driver did something else in the other
 * 3000 ns: tick 1000 is at 3000. Where the clock ran backwards in launch 1, or in launch 0, that is not known. */
static void warps_behind_something(void **state)
{
    (void)state;
    add_times();
    add_warps();
    struct ws_warp_times_launch *both = realloc(results->launches, 2 * sizeof(*both));
    assert_non_null(both);
    results->launches = both;
    results->launch_count = 2;
    for (uint32_t backwards = 0; backwards < 3; ++backwards) {
        both[1] = (struct ws_warp_times_launch){
            .launch = 1, .flight = {.first = 5000, .last = 7000}, .backwards = backwards == 1};
        both[0].backwards = backwards == 2;
        cJSON *read = write_and_read();
        assert_string_equal(event(read, "X", 5),
                            backwards == 0 ? "1000 1 outer:main 3 1" : "1000 1 outer:main 0 4");
        assert_string_equal(event(read, "X", 8),
                            backwards == 0 ? "1000 2 outer:main 3.5 0.5" : "1000 2 outer:main 2 2");
        cJSON_Delete(read);
    }
}

/* Without timestamps a tick is a nanosecond, from the first begin on. */
static void warps_without_times(void **state)
{
    (void)state;
    add_warps();
    cJSON *read = write_and_read();
    assert_string_equal(event(read, "X", 0), "1000 1 outer:main 0 2");
    assert_string_equal(event(read, "X", 2), "1000 1 inner:main 0.5 1");
    assert_int_equal(export.untimed, 2);
    assert_true(export.ticks);
    cJSON_Delete(read);
}

static void cannot_be_written(void **state)
{
    struct ws_error error = {{0}};
    (void)state;
    export.path = "no/such/folder/timeline.json";
    assert_false(ws_analysis_timeline_export.end(results, &error));
    assert_non_null(strstr(error.message, "cannot write 'no/such/folder/timeline.json'"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(times_of_launches), TEST(warps_in_their_launch),
                                       TEST(warps_behind_something), TEST(warps_without_times),
                                       TEST(cannot_be_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
