/* Rays as files: every character of the three formats, for rays that were made up. */
#include <errno.h>
#include <math.h>

#include "analysis/export/rays.h"
#include "analysis/report/report.h"
#include "tests/unit/analysis/rays/ray_scene.h"
#include "warpscope/records.h"

static bool export(const struct stream *stream, struct ws_rays_export *rays,
                   const struct ws_analysis_options *options, struct ws_error *error)
{
    struct ws_report report;
    struct ws_report_request request = {.analysis = &ws_analysis_rays_export};
    if (options != NULL)
        request.options = *options;
    request.options.user = rays;
    const bool read = ws_report_read(&report, stream_path(stream), &request, error);
    if (read)
        ws_report_finish(&report);
    return read;
}

static void expect(enum ws_rays_format format, const struct ws_analysis_options *options,
                   const char *expected)
{
    char path[64];
    size_t size = 0;
    struct ws_error error = {{0}};
    struct stream *stream = ray_scene_of_all_stages();
    temporary_path(path);
    struct ws_rays_export rays = {.path = path, .format = format};
    if (!export(stream, &rays, options, &error))
        fail_msg("%s", error.message);
    assert_int_equal(rays.failure, 0);
    assert_true(ws_file_is_of(path, &ws_rays_kind)); /* the next export may replace it */
    char *text = (char *)load_file(path, &size);
    if (strcmp(text, expected) != 0)
        fail_msg("written:\n%s\nexpected:\n%s", text, expected);
    free(text);
    unlink(path);
    stream_destroy(stream);
}

/* What only looks as if an export had written it is not ours, and stays. */
static void of_others(void **state)
{
    static const char *const texts[] = {"2026-11-29 10:42:07 app:trace started\n", "12:30:45\n",
                                        "# launch plan\n", "launch,date\nfalcon,1999\n",
                                        "{\"launch\":1,\"date\":2}\n"};
    char path[64];
    (void)state;
    temporary_path(path);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(texts[i], file);
        assert_int_equal(fclose(file), 0);
        if (ws_file_is_of(path, &ws_rays_kind))
            fail_msg("taken for ours: %s", texts[i]);
    }
    unlink(path);
}

static void as_text(void **state)
{
    (void)state;
    expect(WS_RAYS_TEXT, NULL,
           "1:0:trace 1.000000 1.000000 0.000000,\n"
           "ahit 1.000000 1.000000 0.500000,\n"
           "ignore 1.000000 1.000000 0.500000,\n"
           "chit 1.000000 1.000000 1.000000,\n"
           "trace_skip_closest_hit 2.000000 1.000000 0.000000,\n"
           "implicit_hit nan nan nan\n"
           "# launch 1\n"
           "0:0:trace 3.000000 0.000000 0.000000,\n"
           "miss 3.000000 0.000000 200.000000,\n"
           "query 4.000000 0.000000 0.000000,\n"
           "candidate 4.000000 0.000000 4.000000,\n"
           "confirm 4.000000 0.000000 4.000000,\n"
           "query_hit 4.000000 0.000000 4.000000\n");
}

static void of_one_launch(void **state)
{
    (void)state;
    struct ws_selection selection = {.counts = {0}};
    const struct ws_analysis_options options = {.selection = &selection};
    assert_true(ws_selection_add(&selection, WS_SELECT_LAUNCH, "1", NULL));
    expect(WS_RAYS_TEXT, &options,
           "0:0:trace 3.000000 0.000000 0.000000,\n"
           "miss 3.000000 0.000000 200.000000,\n"
           "query 4.000000 0.000000 0.000000,\n"
           "candidate 4.000000 0.000000 4.000000,\n"
           "confirm 4.000000 0.000000 4.000000,\n"
           "query_hit 4.000000 0.000000 4.000000\n");
}

static void as_csv(void **state)
{
    (void)state;
    expect(WS_RAYS_CSV, NULL,
           "launch,thread_x,thread_y,thread_z,warp,lane,ray,parent,depth,shader,shader_name,file,line,"
           "query,structure,structure_by,origin_x,origin_y,origin_z,direction_x,direction_y,direction_z,tmin,"
           "tmax,time,flags,"
           "cull_mask,sbt_offset,sbt_stride,miss_index,end,t,hit_x,hit_y,hit_z,instance,custom_index,"
           "geometry,primitive,hit_kind,barycentric_u,barycentric_v,attribute_0,attribute_1,hit_shader,"
           "hit_shader_name,any_hits,ignored,intersections,reports,candidates,truncated\n"
           "0,0,1,0,0,1,0,,0,0,raygen:main,,,0,,,1,1,0,0,0,2,0.5,100,,0,255,1,2,3,hit,0.5,1,1,1,2,"
           "20,3,4,254,7.00649232e-45,8.40779079e-45,5,6,1,closest_hit:main,1,1,0,0,1,0\n"
           "0,0,1,0,0,1,1,0,1,1,closest_hit:main,,,0,,,2,1,0,0,0,2,0.5,100,,8,255,1,2,3,implicit_hit,"
           ",,,,,,,,,,,,,,,0,0,0,0,0,0\n"
           "1,0,0,0,0,0,0,,0,0,raygen:main,,,0,,,3,0,0,0,0,2,0.5,100,,0,255,1,2,3,miss,,,,,,,,,,,"
           ",,,3,miss:main,0,0,0,0,0,0\n"
           "1,0,0,0,0,0,1,,0,0,raygen:main,,,1,,,4,0,0,0,0,2,0.5,100,,0,255,,,,hit,2,4,0,4,0,0,0,"
           "0,0,,,0,0,,,0,0,0,0,1,0\n");
}

static void as_json(void **state)
{
    (void)state;
    struct ws_selection selection = {.counts = {0}};
    const struct ws_analysis_options options = {.selection = &selection};
    assert_true(ws_selection_add(&selection, WS_SELECT_LAUNCH, "0", NULL));
    expect(
        WS_RAYS_JSONL, &options,
        "{\"launch\":0,\"thread_x\":0,\"thread_y\":1,\"thread_z\":0,\"warp\":0,\"lane\":1,\"ray\":0,"
        "\"parent\":null,\"depth\":0,\"shader\":0,\"shader_name\":\"raygen:main\",\"file\":null,"
        "\"line\":null,\"query\":false,\"structure\":null,\"structure_by\":null,\"origin\":[1,1,0],"
        "\"direction\":[0,0,2],\"tmin\":0.5,\"tmax\":100,"
        "\"time\":null,\"flags\":0,\"cull_mask\":255,\"sbt_offset\":1,\"sbt_stride\":2,\"miss_index\":3,"
        "\"end\":\"hit\",\"t\":0.5,\"hit\":[1,1,1],\"instance\":2,\"custom_index\":20,\"geometry\":3,"
        "\"primitive\":4,\"hit_kind\":254,\"barycentric_u\":7.00649232e-45,\"barycentric_v\":8.40779079e-45,"
        "\"attribute_0\":5,\"attribute_1\":6,\"hit_shader\":1,\"hit_shader_name\":\"closest_hit:main\","
        "\"any_hits\":1,\"ignored\":1,\"intersections\":0,\"reports\":0,\"candidates\":[{\"kind\":"
        "\"any_hit\",\"result\":\"ignored\",\"shader\":2,\"shader_name\":\"any_hit:main\",\"t\":"
        "0.25,\"instance\":2,\"custom_index\":20,\"geometry\":3,\"primitive\":9,\"hit_kind\":254,"
        "\"barycentric_u\":7.00649232e-45,\"barycentric_v\":8.40779079e-45,\"attribute_0\":5,"
        "\"attribute_1\":6}],\"truncated\":false}\n"
        "{\"launch\":0,\"thread_x\":0,\"thread_y\":1,\"thread_z\":0,\"warp\":0,\"lane\":1,\"ray\":1,"
        "\"parent\":0,\"depth\":1,\"shader\":1,\"shader_name\":\"closest_hit:main\",\"file\":null,"
        "\"line\":null,\"query\":false,\"structure\":null,\"structure_by\":null,\"origin\":[2,1,0],"
        "\"direction\":[0,0,2],\"tmin\":0.5,\"tmax\":100,"
        "\"time\":null,\"flags\":8,\"cull_mask\":255,\"sbt_offset\":1,\"sbt_stride\":2,\"miss_index\":3,"
        "\"end\":\"implicit_hit\",\"t\":null,\"hit\":null,\"instance\":null,\"custom_index\":null,"
        "\"geometry\":null,\"primitive\":null,\"hit_kind\":null,\"barycentric_u\":null,\"barycentric_v\":"
        "null,\"attribute_0\":null,\"attribute_1\":null,\"hit_shader\":null,\"hit_shader_name\":null,"
        "\"any_hits\":0,\"ignored\":0,\"intersections\":0,\"reports\":0,\"candidates\":[],\"truncated\":"
        "false}\n");
}

/* Floats as they come: what is no number, and what JSON cannot say. */
static void odd_floats(void **state)
{
    (void)state;
    const struct ws_ray ray = {.query = true,
                               .structure = {WS_STRUCTURE_BY_ADDRESS, 42},
                               .origin = {0.1f, -0.0f, 3.40282347e+38f},
                               .direction = {1e-45f, (float)INFINITY, (float)NAN},
                               .parent = WS_NONE,
                               .first_hit_shader = WS_NONE};
    struct ws_module_record module = {.name = "", .source = ""};
    struct ws_site_record site = {.file = "x,y.glsl", .line = 7};
    struct ws_shader_record shader = {.name = "main", .shown = "a\"b\\c:main"};
    const struct ws_catalog catalog = {
        .modules = &module, .module_count = 1, .shaders = &shader, .shader_count = 1};
    const struct ws_thread work = {.work = {1, 2, 3}};
    const struct ws_ray_thread thread = {.thread = &work, .rays = &ray, .ray_count = 1};
    const struct ws_launch_record launch = {.index = 5};
    const struct ws_rays_export_place place = {&catalog, &launch, &thread};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    module.sites = &site;
    ws_rays_export_csv(&place, 0, stream);
    ws_rays_export_jsonl(&place, 0, stream);
    fclose(stream);
    assert_non_null(strstr(text,
                           ",\"a\"\"b\\c:main\",\"x,y.glsl\",7,1,42,address,0.100000001,-0,3.40282347e+38,"
                           "1.40129846e-45,inf,nan,0,0,"));
    assert_non_null(strstr(text, "\"shader_name\":\"a\\\"b\\\\c:main\",\"file\":\"x,y.glsl\",\"line\":7,"));
    assert_non_null(strstr(text, "\"origin\":[0.100000001,-0.0,3.40282347e+38],\"direction\":[1.40129846e-45,"
                                 "null,null],"));
    assert_non_null(strstr(text, "\"end\":\"unknown\""));
    free(text);
}

/* Candidates of a query: a triangle at t = 0, a box that it left, and one in which it generated an intersection at t = 0. */
static void at_the_origin(void **state)
{
    (void)state;
    const struct ws_ray_candidate candidates[] = {
        {WS_CANDIDATE_QUERY, WS_CANDIDATE_IGNORED, 0, {.kind = WS_HIT_BACK}},
        {WS_CANDIDATE_QUERY, WS_CANDIDATE_IGNORED, 0, {.kind = 0}},
        {WS_CANDIDATE_QUERY, WS_CANDIDATE_ACCEPTED, 0, {.kind = 0}},
    };
    const struct ws_ray ray = {.query = true,
                               .origin = {1, 2, 3},
                               .direction = {0, 0, 1},
                               .tmax = 4,
                               .end = WS_RAY_MISSED,
                               .candidate_count = 3,
                               .parent = WS_NONE,
                               .first_hit_shader = WS_NONE};
    struct ws_site_record site = {.line = 0};
    struct ws_module_record module = {.name = "", .source = "", .sites = &site};
    struct ws_shader_record shader = {.name = "main"};
    const struct ws_catalog catalog = {
        .modules = &module, .module_count = 1, .shaders = &shader, .shader_count = 1};
    const struct ws_thread work = {.work = {0, 0, 0}};
    const struct ws_ray_thread thread = {
        .thread = &work, .rays = &ray, .ray_count = 1, .candidates = candidates};
    const struct ws_launch_record launch = {.size = {1, 1, 1}};
    const struct ws_rays_export_place place = {&catalog, &launch, &thread};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    ws_rays_export_text(&place, stream);
    ws_rays_export_jsonl(&place, 0, stream);
    fclose(stream);
    assert_non_null(strstr(text, "candidate 1.000000 2.000000 3.000000,\n"
                                 "candidate nan nan nan,\n"
                                 "candidate 1.000000 2.000000 3.000000,\n"
                                 "confirm 1.000000 2.000000 3.000000,\n"));
    static const char *const expected[] = {"\"t\":0,", "\"t\":null,", "\"t\":0,"};
    const char *at = strstr(text, "\"candidates\":[");
    for (int i = 0; i < 3; ++i) {
        assert_non_null(at);
        at = strstr(at + 1, "\"t\":");
        assert_non_null(at);
        assert_memory_equal(at, expected[i], strlen(expected[i]));
    }
    free(text);
}

/* Of a fragment the pixel and its layer, where it is known. */
static void of_fragments(void **state)
{
    (void)state;
    const struct ws_ray ray = {.query = true, .parent = WS_NONE, .first_hit_shader = WS_NONE};
    struct ws_site_record site = {.line = 0};
    struct ws_module_record module = {.name = "", .source = "", .sites = &site};
    struct ws_shader_record shader = {.name = "main", .stage = WS_STAGE_FRAGMENT};
    const struct ws_catalog catalog = {
        .modules = &module, .module_count = 1, .shaders = &shader, .shader_count = 1};
    const struct ws_thread works[] = {{.work = {7 | 9 << 16, WS_WORK_UNKNOWN | WS_WORK_UNKNOWN << 16, 0}},
                                      {.work = {7 | 9 << 16, WS_WORK_UNKNOWN | 3 << 16, 0}}};
    const struct ws_launch_record launch = {.kind = WS_LAUNCH_RENDER_PASS, .size = {20, 20, 1}};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    for (int i = 0; i < 2; ++i) {
        const struct ws_ray_thread thread = {.thread = &works[i], .rays = &ray, .ray_count = 1, .warp = 4};
        const struct ws_rays_export_place place = {&catalog, &launch, &thread};
        ws_rays_export_jsonl(&place, 0, stream);
        ws_rays_export_text(&place, stream);
    }
    fclose(stream);
    assert_non_null(strstr(text, "\"thread_x\":7,\"thread_y\":9,\"thread_z\":0,"));
    assert_non_null(strstr(text, "7.9.0:4:query "));
    assert_non_null(strstr(text, "\"thread_x\":7,\"thread_y\":9,\"thread_z\":3,"));
    assert_non_null(strstr(text, "7.9.3:4:query "));
    free(text);
}

/* One workgroup of 4 x 2: a thread of it, and one where vkCmdDispatchBase began at workgroup 0, 1: in a capture of before bases
 * were recorded, and in one that has the base. */
static void from_a_base(void **state)
{
    (void)state;
    const struct ws_ray ray = {.query = true, .parent = WS_NONE, .first_hit_shader = WS_NONE};
    struct ws_site_record site = {.line = 0};
    struct ws_module_record module = {.name = "", .source = "", .sites = &site};
    struct ws_shader_record shader = {.name = "main", .stage = WS_STAGE_COMPUTE, .local_size = {4, 2, 1}};
    const struct ws_catalog catalog = {
        .modules = &module, .module_count = 1, .shaders = &shader, .shader_count = 1};
    const struct ws_thread works[] = {{.work = {1, 1, 0}}, {.work = {1, 2, 0}}};
    const struct ws_launch_record launches[] = {
        {.kind = WS_LAUNCH_DISPATCH, .size = {1, 1, 1}},
        {.kind = WS_LAUNCH_DISPATCH, .size = {1, 1, 1}, .flags = WS_LAUNCH_BASE, .base_unknown = true},
        {.kind = WS_LAUNCH_DISPATCH, .size = {1, 1, 1}, .flags = WS_LAUNCH_BASE, .base = {0, 1, 0}}};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    for (int i = 0; i < 3; ++i) {
        const struct ws_ray_thread thread = {
            .thread = &works[i > 0], .rays = &ray, .ray_count = 1, .warp = 4};
        const struct ws_rays_export_place place = {&catalog, &launches[i], &thread};
        ws_rays_export_text(&place, stream);
    }
    fclose(stream);
    assert_memory_equal(text, "5:4:query ", 10);
    assert_non_null(strstr(text, "\n1.2.0:4:query "));
    assert_non_null(strstr(text, "\n1:4:query "));
    free(text);
}

/* What cannot be written is an error, and says why. */
static void full_disk(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    struct stream *stream = ray_scene_of_all_stages();
    for (int format = WS_RAYS_TEXT; format <= WS_RAYS_JSONL; ++format) {
        struct ws_rays_export rays = {.path = "/dev/full", .format = (enum ws_rays_format)format};
        assert_false(export(stream, &rays, NULL, &error));
        assert_int_equal(rays.failure, ENOSPC);
    }
    struct ws_rays_export rays = {.path = "/nowhere/at/all.csv"};
    error.message[0] = '\0';
    assert_false(export(stream, &rays, NULL, &error));
    assert_non_null(strstr(error.message, "/nowhere/at/all.csv"));
    stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_others),   cmocka_unit_test(as_text),       cmocka_unit_test(of_one_launch),
        cmocka_unit_test(as_csv),      cmocka_unit_test(as_json),       cmocka_unit_test(odd_floats),
        cmocka_unit_test(full_disk),   cmocka_unit_test(at_the_origin), cmocka_unit_test(of_fragments),
        cmocka_unit_test(from_a_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
