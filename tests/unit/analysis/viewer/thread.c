/* shader.json and thread.json of a recorded capture: the trace is that of `report execution_trace --thread`, the warp's lanes
 * hold the thread's, and what is not there is an error. usage: test_viewer_thread CAPTURE */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "analysis/trace/execution_trace.h"
#include "analysis/viewer/viewer.h"
#include "tests/unit/analysis/viewer/read_report.h"

static const char *path;
static struct ws_viewer viewer;

static cJSON *ask(const char *query)
{
    char *answer = NULL;
    size_t size = 0;
    struct ws_error error = {{0}};
    if (ws_viewer_answer(&viewer, query, &answer, &size, &error) != WS_VIEWER_ANSWERED)
        fail_msg("%s: %s", query, error.message);
    cJSON *json = cJSON_Parse(answer);
    free(answer);
    assert_non_null(json);
    return json;
}

/* The launch and thread with the longest life of the capture. */
static const struct ws_trace_place *longest(void)
{
    const struct ws_trace_results *trace =
        ws_report_results(&viewer.captures[0].report, &ws_analysis_execution_trace);
    assert_non_null(trace);
    assert_true(trace->stage_count > 0 && trace->stages[0].threads.blocks.count > 0);
    return &trace->stages[0].threads.blocks.places[0];
}

static void thread_query(char *text, size_t size)
{
    const struct ws_trace_place *place = longest();
    snprintf(text, size, "thread.json?launch=%u&thread=%u,%u,%u", (unsigned)place->launch, place->work[0],
             place->work[1], place->work[2]);
}

/* The traces of `warpscope report execution_trace --thread --launch --json`. */
static cJSON *reported(void)
{
    const struct ws_trace_place *place = longest();
    struct ws_selection selection = {.counts = {0}};
    struct ws_report report;
    struct ws_error error = {{0}};
    char launch[24];
    char *text = NULL;
    size_t size = 0;
    snprintf(launch, sizeof(launch), "%u", (unsigned)place->launch);
    assert_true(ws_selection_add(&selection, WS_SELECT_LAUNCH, launch, &error));
    struct ws_report_request request = {
        .analysis = &ws_analysis_execution_trace,
        .options = {.has_thread = true, .whole = true, .selection = &selection}};
    memcpy(request.options.thread, place->work, sizeof(place->work));
    assert_true(ws_report_read(&report, path, &request, &error));
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(ws_report_json(&report, stream));
    fclose(stream);
    ws_report_finish(&report);
    cJSON *json = cJSON_Parse(text);
    free(text);
    assert_non_null(json);
    return json;
}

static void trace_is_that_of_the_report(void **state)
{
    (void)state;
    char query[128];
    thread_query(query, sizeof(query));
    cJSON *answer = ask(query);
    cJSON *report = reported();
    const cJSON *analyses = cJSON_GetObjectItem(report, "analyses");
    const cJSON *expected = cJSON_GetObjectItem(cJSON_GetObjectItem(analyses, "execution_trace"), "traces");
    const cJSON *traces = cJSON_GetObjectItem(answer, "traces");
    assert_int_equal(cJSON_GetArraySize(traces), 2 * cJSON_GetArraySize(expected));
    assert_true(cJSON_Compare(cJSON_GetArrayItem(traces, 0), cJSON_GetArrayItem(expected, 0), true));
    const cJSON *warp = cJSON_GetArrayItem(traces, 1);
    assert_string_equal(cJSON_GetObjectItem(warp, "of")->valuestring, "warp");
    assert_true(cJSON_GetObjectItem(warp, "blocks")->valuedouble >=
                cJSON_GetObjectItem(cJSON_GetArrayItem(traces, 0), "blocks")->valuedouble);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(answer, "stories")) > 0);
    cJSON_Delete(answer);
    cJSON_Delete(report);
}

/* The second answer is the one that was kept. */
static void answers_are_kept(void **state)
{
    (void)state;
    char query[128];
    thread_query(query, sizeof(query));
    cJSON *first = ask(query);
    cJSON *second = ask(query);
    assert_true(cJSON_Compare(first, second, true));
    cJSON_Delete(first);
    cJSON_Delete(second);
}

static void every_shader_has_lines(void **state)
{
    (void)state;
    cJSON *list = ask("shaders.json");
    const cJSON *shader = NULL;
    double share = 0;
    cJSON_ArrayForEach(shader, cJSON_GetObjectItem(list, "shaders"))
    {
        char query[64];
        const int id = cJSON_GetObjectItem(shader, "shader_id")->valueint;
        snprintf(query, sizeof(query), "shader.json?as=best&shader=%d", id);
        cJSON *lines = ask(query);
        assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(lines, "lines")) > 0);
        assert_int_equal(cJSON_GetObjectItem(lines, "shader_id")->valueint, id);
        const bool has_source = cJSON_IsTrue(cJSON_GetObjectItem(shader, "source"));
        assert_true(has_source == (strcmp(cJSON_GetObjectItem(lines, "form")->valuestring, "source") == 0));
        share += cJSON_GetObjectItem(shader, "share")->valuedouble;
        cJSON_Delete(lines);
    }
    assert_true(share > 1 - 1e-9 && share < 1 + 1e-9);
    cJSON_Delete(list);
}

static void what_is_not_there_is_refused(void **state)
{
    static const char *const queries[] = {
        "shader.json",
        "shader.json?shader=99999",
        "shader.json?shader=0&as=hlsl",
        "shader.json?shader=x",
        "thread.json?thread=0,0,0",
        "thread.json?launch=99999&thread=0,0,0",
        "thread.json?launch=0",
        "thread.json?launch=0&thread=",
        "thread.json?launch=0&thread=1,2,3,4",
        "thread.json?launch=0&thread=-1",
        "thread.json?launch=0&thread=4294967296",
        "thread.json?launch=0&thread=999999,0,0",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); ++i) {
        char *answer = NULL;
        size_t size = 0;
        struct ws_error error = {{0}};
        if (ws_viewer_answer(&viewer, queries[i], &answer, &size, &error) != WS_VIEWER_REFUSED)
            fail_msg("%s is answered", queries[i]);
        assert_true(error.message[0] != '\0');
    }
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_is_that_of_the_report), cmocka_unit_test(answers_are_kept),
        cmocka_unit_test(every_shader_has_lines), cmocka_unit_test(what_is_not_there_is_refused)};
    struct ws_error error = {{0}};
    if (argument_count != 2)
        return 2;
    path = arguments[1];
    const struct ws_viewer_options options = {.paths = {path}, .read = read_report};
    if (!ws_viewer_init(&viewer, &options, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ws_viewer_finish(&viewer);
    return failed;
}
