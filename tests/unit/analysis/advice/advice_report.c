/* Advice from a capture, from its bytes to what is printed. */
#include "analysis/report/report.h"
#include "tests/unit/analysis/rays/ray_scene.h"

/* Two threads trace; the first runs an any-hit shader that accepts, with effects. `runs`: whether it does. Something of the
 * kind `skipped` (enum ws_skip_kind) is left out; WS_NONE = nothing. */
static struct stream *make_capture(bool runs, uint32_t skipped)
{
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0xff, 0);
    ray_trace(stream, a, 0x3, 1, 0);
    if (runs) {
        const uint32_t b = ray_enter(stream, any, 0x1, 0);
        ray_hit(stream, b, 0x1, 1.5f, 4);
        ray_place(stream, b, RAY_SITE_END, 0x1);
    }
    const uint32_t c = ray_enter(stream, miss, 0x2, 0);
    ray_place(stream, c, RAY_SITE_END, 0x2);
    ray_place(stream, a, RAY_SITE_RETURN, 0x3);
    ray_place(stream, a, RAY_SITE_END, 0xff);
    stream_end(stream);
    if (skipped != WS_NONE)
        stream_skip(stream, skipped, "there is no room");
    stream_finish(stream);
    return stream;
}

typedef bool write_function(const struct ws_report *report, FILE *stream);

/* What is printed of a capture; freed by the caller. With `pipe` it is read once, without its path. */
static char *print(const struct stream *stream, write_function *write, bool pipe)
{
    char *text = NULL;
    size_t size = 0;
    struct ws_error error = {{0}};
    struct ws_report report;
    const struct ws_report_request request = {.analysis = ws_analysis_find("advice")};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_non_null(request.analysis);
    struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
    assert_non_null(reader);
    if (!(pipe ? ws_report_run(&report, "a pipe", reader, &request, &error)
               : ws_report_read(&report, stream_path(stream), &request, &error)))
        fail_msg("%s", error.message);
    assert_true(write(&report, out));
    fclose(out);
    ws_report_finish(&report);
    ws_reader_destroy(reader);
    return text;
}

static void expect(const struct stream *stream, write_function *write, bool pipe, const char *const *parts)
{
    char *text = print(stream, write, pipe);
    for (size_t i = 0; parts[i] != NULL; ++i)
        if (strstr(text, parts[i]) == NULL)
            fail_msg("'%s' is not in:\n%s", parts[i], text);
    free(text);
}

static void one_piece(void **state)
{
    (void)state;
    struct stream *stream = make_capture(true, WS_NONE);
    const char *const text[] = {
        "\nAdvice from 2 rays\n\n  1. Mark geometry opaque (opaque)\n"
        "     subject     geometry 3 of instance 2 (custom index 20)\n"
        "     saves       at most 1 of 1 any-hit runs (100.0 %): 30.8 % of the capture's work\n"
        "     evidence    The any-hit shader (",
        "ran 1 time for it and ignored nothing,",
        "\n     certainty   possible\n",
        "\n     place       1, 0, 3\n     thread      0,0,0\n",
        "\n  Without captured geometry (record --geometry) these rules are silent: no_opaque, aabb, ",
        NULL};
    const char *const json[] = {
        "\"rays\": 2",  "\"has_geometry\": false", "\"rule\":\"opaque\"",        "\"saves\":\"any_hit\"",
        "\"saving\":1", "\"at_most\":true",        "\"certainty\":\"possible\"", NULL};
    const char *const csv[] = {
        "level,rule,title,number,subject,evidence,change,saves,saving,of,at_most,"
        "wrong_rays,share,time_share,against,"
        "certainty,doubt,x,y,z,thread,thread_launch,instance,geometry\nadvice,opaque,Mark geometry opaque,1,"
        "geometry 3 of instance 2 (custom index 20),",
        ",any_hit,1,1,true,0,0.3076923076923077,,,possible,", ",1,0,3,\"0,0,0\",0,2,3\n", NULL};
    for (int pipe = 0; pipe < 2; ++pipe) {
        expect(stream, ws_report_text, pipe != 0, text);
        expect(stream, ws_report_json, pipe != 0, json);
        expect(stream, ws_report_csv, pipe != 0, csv);
    }
    stream_destroy(stream);
}

/* DONE, of which every capture that is whole has one, is cut off. */
static void cut_short(void **state)
{
    (void)state;
    struct stream *stream = make_capture(true, WS_NONE);
    FILE *file = fopen(stream_path(stream), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    assert_int_equal(truncate(stream_path(stream), ftell(file) - 1), 0);
    fclose(file);
    const char *const csv[] = {
        ",any_hit,1,1,true,0,0.3076923076923077,,,possible,the capture was cut short; ", NULL};
    expect(stream, ws_report_csv, false, csv);
    stream_destroy(stream);
}

/* An image that is left out takes nothing from the advice; a launch does. */
static void left_out(void **state)
{
    (void)state;
    struct stream *image = make_capture(true, WS_SKIP_IMAGE);
    struct stream *launch = make_capture(true, WS_SKIP_LAUNCH);
    expect(image, ws_report_csv, false, (const char *const[]){",0.3076923076923077,,,possible,", NULL});
    expect(launch, ws_report_csv, false, (const char *const[]){"something was left uninstrumented", NULL});
    char *text = print(image, ws_report_csv, false);
    assert_null(strstr(text, "uninstrumented"));
    free(text);
    stream_destroy(image);
    stream_destroy(launch);
}

static void nothing_to_advise(void **state)
{
    (void)state;
    struct stream *stream = make_capture(false, WS_NONE);
    const char *const text[] = {"\nAdvice from 2 rays\n\n  No advice: no rule found a fault.\n", NULL};
    expect(stream, ws_report_text, false, text);
    stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_piece),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(left_out),
        cmocka_unit_test(nothing_to_advise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
