/* The analysis ray_events: figures of rays that were made up, counted by hand. */
#include "analysis/rays/ray_events.h"
#include "analysis/report/report.h"
#include "tests/unit/analysis/rays/ray_scene.h"

#define SKIP WS_RAY_FLAG_SKIP_CLOSEST_HIT

/* Four threads of 2x2 that each trace a ray from ray generation:
 *   0,0  hits at t 1.5; there traces a ray with SkipClosestHitShader, which misses; there another, of which nothing ran
 *   1,0  hits at t 1.5; there traces a ray with SkipClosestHitShader, whose any-hit run accepts at t 0.25, and that is all
 *   0,1  misses
 *   1,1  has an any-hit run that ignores, and nothing ran; then a query: two candidates, one confirmed at t 4
 * Directions are (0, 0, 2), so distances are twice t. */
static struct stream *write_scene(void)
{
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 2, 2, 1);
    const uint32_t a = ray_enter(stream, raygen, 0xf, 0);
    ray_trace(stream, a, 0xf, 1, 0);
    const uint32_t b = ray_enter(stream, any, 0x8, 0);
    ray_hit(stream, b, 0x8, 9, 9);
    ray_place(stream, b, RAY_SITE_IGNORE, 0x8);
    const uint32_t c = ray_enter(stream, hit, 0x3, 0);
    ray_hit(stream, c, 0x3, 1.5f, 4);
    ray_trace(stream, c, 0x3, 2, SKIP);
    const uint32_t d = ray_enter(stream, any, 0x2, 0);
    ray_hit(stream, d, 0x2, 0.25f, 9);
    ray_place(stream, d, RAY_SITE_END, 0x2);
    const uint32_t e = ray_enter(stream, miss, 0x1, 0);
    ray_trace(stream, e, 0x1, 3, 0);
    ray_place(stream, e, RAY_SITE_RETURN, 0x1);
    ray_place(stream, e, RAY_SITE_END, 0x1);
    ray_place(stream, c, RAY_SITE_RETURN, 0x3);
    ray_place(stream, c, RAY_SITE_END, 0x3);
    const uint32_t f = ray_enter(stream, miss, 0x4, 0);
    ray_place(stream, f, RAY_SITE_END, 0x4);
    ray_place(stream, a, RAY_SITE_RETURN, 0xf);
    ray_initialize(stream, a, 0x8, 7, 4);
    ray_proceed(stream, a, 0x8, 7, WS_QUERY_PROCEEDED, 5, 1);
    ray_proceed(stream, a, 0x8, 7, WS_QUERY_PROCEEDED, 4, 2);
    ray_key(stream, a, 0x8, RAY_SITE_CONFIRM, 7);
    ray_proceed(stream, a, 0x8, 7, 1, 4, 2);
    ray_place(stream, a, RAY_SITE_END, 0xf);
    stream_end(stream);
    stream_finish(stream);
    return stream;
}

/* The scene's report; of the analysis only what `print` prints is kept. Freed by the caller. */
static char *report(const struct ws_analysis_options *options,
                    bool (*print)(const struct ws_report *report, FILE *stream))
{
    struct ws_report report;
    struct ws_report_request request = {.analysis = &ws_analysis_ray_events};
    struct ws_error error = {{0}};
    char *text = NULL;
    size_t size = 0;
    struct stream *stream = write_scene();
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (options != NULL)
        request.options = *options;
    if (!ws_report_read(&report, stream_path(stream), &request, &error))
        fail_msg("%s", error.message);
    assert_true(print(&report, out));
    fclose(out);
    ws_report_finish(&report);
    stream_destroy(stream);
    return text;
}

static void every_figure(void **state)
{
    (void)state;
    static const char expected[] =
        "level,stage,shader_id,shader,source,file,line,offset,kind,depth,instance,custom_index,geometry,h"
        "it_shader_id,hit_shader,hit_stage,distance,bounces,rays_per_thread,thread_rays,thread,thread_war"
        "p,thread_launch,rays,hit,miss,implicit_hit,no_shader,unknown,hits,any_hits,ignored,ignored_share"
        ",intersections,reports,reports_per_ray,accepted,any_hits_per_hit,intersections_per_report,hit_ra"
        "te,candidates,confirmed,paths,threads\n"
        "total,,,,,,,,,,,,,,,,,,,,,,,8,3,2,1,2,0,4,2,1,0.5,0,0,,,,,,2,1,5,4\n"
        "kinds,,,,,,,,pipeline,,,,,,,,,,,,,,,5,2,1,0,2,0,,1,1,1,0,0,,,,,,0,0,,\n"
        "kinds,,,,,,,,pipeline SkipClosestHitShader,,,,,,,,,,,,,,,2,0,1,1,0,0,,1,0,0,0,0,,,,,,0,0,,\n"
        "kinds,,,,,,,,query,,,,,,,,,,,,,,,1,1,0,0,0,0,,0,0,,0,0,,,,,,2,1,,\n"
        "depths,,,,,,,,,0,,,,,,,,,,,,,,5,3,1,0,1,0,,1,1,1,0,0,,,,,,2,1,,\n"
        "depths,,,,,,,,,1,,,,,,,,,,,,,,2,0,1,1,0,0,,1,0,0,0,0,,,,,,0,0,,\n"
        "depths,,,,,,,,,2,,,,,,,,,,,,,,1,0,0,0,1,0,,0,0,,0,0,,,,,,0,0,,\n"
        "sites,raygen,0,raygen:main,traceRay,,,25,,,,,,,,,,,,,,,,4,2,1,0,1,0,,1,1,1,0,0,,,,,,0,0,,\n"
        "sites,closest_hit,1,closest_hit:main,traceRay,,,25,,,,,,,,,,,,,,,,2,0,1,1,0,0,,1,0,0,0,0,,,,,,0,"
        "0,,\n"
        "sites,raygen,0,raygen:main,ray query,,,55,,,,,,,,,,,,,,,,1,1,0,0,0,0,,0,0,,0,0,,,,,,2,1,,\n"
        "sites,miss,2,miss:main,traceRay,,,25,,,,,,,,,,,,,,,,1,0,0,0,1,0,,0,0,,0,0,,,,,,0,0,,\n"
        "geometries,,,,,,,,,,2,20,3,,,,,,,,,,,,,,,,,4,2,1,0.5,0,0,,0,0.5,,1,2,1,,\n"
        "hit_shaders,,,,,,,,,,,,,1,closest_hit:main,closest_hit,,,,,,,,2,,,,,,,,,,,,,,,,,,,,\n"
        "hit_shaders,,,,,,,,,,,,,2,miss:main,miss,,,,,,,,2,,,,,,,,,,,,,,,,,,,,\n"
        "bounces,,,,,,,,,,,,,,,,,0,,,,,,,,,,,,,,,,,,,,,,,,,4,\n"
        "bounces,,,,,,,,,,,,,,,,,1,,,,,,,,,,,,,,,,,,,,,,,,,1,\n"
        "rays_per_thread,,,,,,,,,,,,,,,,,,1,,,,,,,,,,,,,,,,,,,,,,,,,1\n"
        "rays_per_thread,,,,,,,,,,,,,,,,,,2,,,,,,,,,,,,,,,,,,,,,,,,,2\n"
        "rays_per_thread,,,,,,,,,,,,,,,,,,3,,,,,,,,,,,,,,,,,,,,,,,,,1\n"
        "distances,,,,,,,,,,,,,,,,-1,,,,,,,,,,,,,1,,,,,,,,,,,,,,\n"
        "distances,,,,,,,,,,,,,,,,1,,,,,,,,,,,,,2,,,,,,,,,,,,,,\n"
        "distances,,,,,,,,,,,,,,,,3,,,,,,,,,,,,,1,,,,,,,,,,,,,,\n"
        "threads,,,,,,,,,,,,,,,,,,,3,\"0,0\",0,0,,,,,,,,,,,,,,,,,,,,,\n"
        "threads,,,,,,,,,,,,,,,,,,,2,\"1,0\",0,0,,,,,,,,,,,,,,,,,,,,,\n"
        "threads,,,,,,,,,,,,,,,,,,,2,\"1,1\",0,0,,,,,,,,,,,,,,,,,,,,,\n"
        "threads,,,,,,,,,,,,,,,,,,,1,\"0,1\",0,0,,,,,,,,,,,,,,,,,,,,,\n";
    char *text = report(NULL, ws_report_csv);
    if (strcmp(text, expected) != 0)
        fail_msg("reported:\n%s\nexpected:\n%s", text, expected);
    free(text);
}

/* Rays by stage and kind, of those that are more than one. */
static void chosen_columns(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    struct ws_analysis_options options = {.view = {.by = "stage,kind",
                                                   .sort = "kind,-rays",
                                                   .fields = "kind,stage,rays,any_hits",
                                                   .filters = {"rays > 1"},
                                                   .filter_count = 1}};
    if (!ws_columns_check(ws_analysis_ray_events.columns, &error))
        fail_msg("%s", error.message);
    char *text = report(&options, ws_report_csv);
    assert_string_equal(text, "kind,stage,rays,any_hits\n"
                              "pipeline,raygen,4,1\n"
                              "pipeline SkipClosestHitShader,closest_hit,2,1\n");
    free(text);
}

/* Wherever there is a member of that path. */
static double number(const cJSON *from, const char *first, const char *second)
{
    const cJSON *object = cJSON_GetObjectItem(cJSON_GetObjectItem(from, first), second);
    assert_true(cJSON_IsNumber(object));
    return cJSON_GetNumberValue(object);
}

static void as_json(void **state)
{
    (void)state;
    char *text = report(NULL, ws_report_json);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    const cJSON *rays = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "analyses"), "ray_events");
    assert_int_equal((int)number(rays, "total", "rays"), 8);
    assert_int_equal((int)number(rays, "total", "implicit_hit"), 1);
    assert_true(number(rays, "total", "ignored_share") == 0.5);
    assert_true(number(rays, "bounces_summary", "mean") == 0.2);
    assert_true(number(rays, "rays_per_thread_summary", "mean") == 2);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(rays, "sites")), 4);
    cJSON_Delete(json);
    free(text);
}

static void as_text(void **state)
{
    (void)state;
    char *text = report(NULL, ws_report_text);
    assert_non_null(strstr(
        text,
        "\n  all                               8    3     2         1       2     2   50.0 %           2\n"));
    assert_non_null(
        strstr(text, "\n  bounces per path                  5        0       0  0.20     1        1\n"));
    free(text);
}

static void one_thread(void **state)
{
    (void)state;
    const struct ws_analysis_options options = {.has_thread = true, .thread = {1, 0, 0}};
    char *text = report(&options, ws_report_text);
    const char *rays = strstr(text, "Rays of launch id 1,0");
    assert_non_null(rays);
    static const char expected[] =
        "Rays of launch id 1,0, lane 1 of warp 0, launch 0: 2\n"
        "  0 trace from 1 1 0 along 0 0 2 by raygen:main, traceRay\n"
        "    > hit closest_hit:main t 1.5 at 1 1 3, instance 2 (20) geometry 3 primitive 4\n"
        "    1 trace, SkipClosestHitShader, from 2 1 0 along 0 0 2 by closest_hit:main, traceRay\n"
        "        any_hit any_hit:main accepted t 0.25 at 2 1 0.5, instance 2 (20) geometry 3 "
        "primitive 9\n"
        "      > implicit_hit t 0.25 at 2 1 0.5, instance 2 (20) geometry 3 primitive 9\n";
    if (strcmp(rays, expected) != 0)
        fail_msg("reported:\n%s\nexpected:\n%s", rays, expected);
    free(text);
    text = report(&options, ws_report_json);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    const cJSON *body = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "analyses"), "ray_events");
    const cJSON *thread = cJSON_GetArrayItem(cJSON_GetObjectItem(body, "trees"), 0);
    const cJSON *traced = cJSON_GetObjectItem(thread, "rays");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(thread, "thread")), "1,0");
    assert_int_equal(cJSON_GetArraySize(traced), 2);
    const cJSON *second = cJSON_GetArrayItem(traced, 1);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(second, "parent")) == 0);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(second, "t")) == 0.25);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(second, "end")), "implicit_hit");
    cJSON_Delete(json);
    free(text);
    struct ws_selection selection = {.counts = {0}};
    const struct ws_analysis_options idle = {
        .has_thread = true, .thread = {1, 1, 0}, .selection = &selection};
    assert_true(ws_selection_add(&selection, WS_SELECT_STAGE, "closest_hit", NULL));
    text = report(&idle, ws_report_text);
    assert_non_null(strstr(text, "\nThis thread traced no ray\n"));
    free(text);
}

/* A ray is of the shader that traced it, with the any-hit runs that it caused. The figures of all shaders together are
 * those of the whole. */
static void by_shader(void **state)
{
    static const struct {
        const char *shader;
        int rays, any_hits, implicit, threads;
    } expected[] = {
        {"raygen:main", 5, 1, 0, 4}, {"closest_hit:main", 2, 1, 1, 2},
        {"miss:main", 1, 0, 0, 1},   {"any_hit:main", 0, 0, 0, 0},
        {"*", 8, 2, 1, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i) {
        struct ws_selection selection = {.counts = {0}};
        const struct ws_analysis_options options = {.selection = &selection};
        assert_true(ws_selection_add(&selection, WS_SELECT_SHADER, expected[i].shader, NULL));
        char *text = report(&options, ws_report_json);
        cJSON *json = cJSON_Parse(text);
        const cJSON *rays = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "analyses"), "ray_events");
        assert_int_equal((int)number(rays, "total", "rays"), expected[i].rays);
        assert_int_equal((int)number(rays, "total", "any_hits"), expected[i].any_hits);
        assert_int_equal((int)number(rays, "total", "implicit_hit"), expected[i].implicit);
        assert_int_equal((int)number(rays, "rays_per_thread_summary", "number"), expected[i].threads);
        cJSON_Delete(json);
        free(text);
    }
}

/* Of a warp all threads, in the order of their work ids, as far as lines go. */
static void one_warp(void **state)
{
    (void)state;
    const struct ws_analysis_options options = {.has_warp = true, .warp = 0, .rows = 4};
    char *text = report(&options, ws_report_text);
    const char *first = strstr(text, "Rays of launch id 0,0, lane 0 of warp 0, launch 0: 3\n");
    const char *second = strstr(text, "Rays of launch id 1,0, lane 1 of warp 0, launch 0: 2\n");
    assert_true(first != NULL && second != NULL && first < second);
    assert_non_null(strstr(second, "  ... and 1 more: --rows 0 shows them all\n"));
    free(text);
}

/* Four threads trace 9064 rays: 2250 each from ray generation, and 16 each where the first one missed. */
static struct stream *write_many(void)
{
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 2, 2, 1);
    const uint32_t a = ray_enter(stream, raygen, 0xf, 0);
    for (int i = 0; i < 2250; ++i) {
        ray_trace(stream, a, 0xf, 1, 0);
        if (i == 0) {
            const uint32_t b = ray_enter(stream, miss, 0xf, 0);
            for (int j = 0; j < 16; ++j) {
                ray_trace(stream, b, 0xf, 2, 0);
                ray_place(stream, b, RAY_SITE_RETURN, 0xf);
            }
            ray_place(stream, b, RAY_SITE_END, 0xf);
        }
        ray_place(stream, a, RAY_SITE_RETURN, 0xf);
    }
    ray_place(stream, a, RAY_SITE_END, 0xf);
    stream_end(stream);
    stream_finish(stream);
    return stream;
}

/* A report of all traces every second of 9064 rays again, which are 4096 at least, within two. Of a shader that traces 64 of
 * them it takes all: the sample is of the rays that are chosen. */
static void retraced_sample(void **state)
{
    (void)state;
    for (int chosen = 0; chosen < 2; ++chosen) {
        struct ws_selection selection = {.counts = {0}};
        const struct ws_report_request request = {.all = true, .options = {.selection = &selection}};
        struct stream *stream = write_many();
        struct ws_report report;
        struct ws_error error = {{0}};
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        if (chosen)
            assert_true(ws_selection_add(&selection, WS_SELECT_SHADER, "miss:main", NULL));
        if (!ws_report_read(&report, stream_path(stream), &request, &error))
            fail_msg("%s", error.message);
        assert_true(ws_report_json(&report, out));
        fclose(out);
        cJSON *json = cJSON_Parse(text);
        const cJSON *retrace = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "analyses"), "retrace");
        const int there = (int)cJSON_GetNumberValue(cJSON_GetObjectItem(retrace, "rays_there"));
        assert_int_equal(there, chosen ? 64 : 9064);
        assert_in_range((int)number(retrace, "total", "rays"), chosen ? 64 : 4530, chosen ? 64 : 4534);
        cJSON_Delete(json);
        free(text);
        ws_report_finish(&report);
        stream_destroy(stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure), cmocka_unit_test(chosen_columns),  cmocka_unit_test(as_json),
        cmocka_unit_test(as_text),      cmocka_unit_test(one_thread),      cmocka_unit_test(by_shader),
        cmocka_unit_test(one_warp),     cmocka_unit_test(retraced_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
