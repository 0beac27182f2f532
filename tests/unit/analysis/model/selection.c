/* What a selection leaves of a capture, of which each launch and shader has a bit of its own in the sum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/annotate/report_simt.h"
#include "analysis/simt/simt_efficiency.h"
#include "tests/unit/analysis/model/synthetic.h"

/* Shaders are called raygen:main, closest_hit:main, compute:main and compute:main #3. Shader s runs 1 << BIT(l, s) warps
 * of its row 1, which two blocks share, in launch l.
 *
 *     launch  frame  label                       pipelines                     shaders
 *          0      0  frame 0 / shadow            0, ray tracing                0, 1
 *          1      0  frame 0 / light, soft       1, compute                    2
 *          2      1                              0, ray tracing                0, 1
 *          3      1  frame 1 / [a*]              1 and 2, which has 2, 3 too   2, 3 */
enum { SHADERS = 4, LAUNCHES = 4 };
#define BIT(launch, shader) (1u << ((launch)*SHADERS + (shader)))

static const char *const labels[LAUNCHES] = {"frame 0 / shadow", "frame 0 / light, soft", "",
                                             "frame 1 / [a*]"};

static void put_launch(struct synthetic *synthetic, uint32_t index, uint32_t kind, const uint32_t *pipelines,
                       uint32_t pipeline_count, const uint32_t *shaders)
{
    struct ws_error error = {{0}};
    struct ws_shader_counters counters[2];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2 && shaders[i] != WS_NONE; ++i) {
        const struct executions outer[] = {{8, BIT(index, shaders[i])}, {0, 0}};
        const struct executions inner[] = {{0, 0}};
        counters[count++] = synthetic_counters(synthetic, shaders[i], 1, outer, inner);
    }
    const struct ws_launch launch = {.index = index,
                                     .kind = kind,
                                     .label = labels[index],
                                     .pipelines = pipelines,
                                     .pipeline_count = pipeline_count,
                                     .shaders = counters,
                                     .shader_count = count};
    const struct ws_chunk_submission submission = {
        .index = index, .frame = index / 2, .launches = &launch, .launch_count = 1};
    if (!ws_capture_write_submission(synthetic->writer, &submission, &error))
        fail_msg("%s", error.message);
}

static struct synthetic capture;

static int write_capture(void **state)
{
    static const uint32_t stages[SHADERS] = {WS_STAGE_RAYGEN, WS_STAGE_CLOSEST_HIT, WS_STAGE_COMPUTE,
                                             WS_STAGE_COMPUTE};
    const struct ws_chunk_done done = {LAUNCHES, LAUNCHES, 2, 0};
    struct ws_error error = {{0}};
    (void)state;
    synthetic_begin(&capture, 8);
    for (uint32_t i = 0; i < SHADERS; ++i)
        synthetic_shader(&capture, i, stages[i], false);
    synthetic_pipeline(&capture, 0, WS_PIPELINE_RAY_TRACING, (const uint32_t[]){0, 1}, 2);
    synthetic_pipeline(&capture, 1, WS_PIPELINE_COMPUTE, (const uint32_t[]){2}, 1);
    synthetic_pipeline(&capture, 2, WS_PIPELINE_COMPUTE, (const uint32_t[]){2, 3}, 2);
    put_launch(&capture, 0, WS_LAUNCH_TRACE_RAYS, (const uint32_t[]){0}, 1, (const uint32_t[]){0, 1});
    put_launch(&capture, 1, WS_LAUNCH_DISPATCH, (const uint32_t[]){1}, 1, (const uint32_t[]){2, WS_NONE});
    put_launch(&capture, 2, WS_LAUNCH_TRACE_RAYS, (const uint32_t[]){0}, 1, (const uint32_t[]){0, 1});
    put_launch(&capture, 3, WS_LAUNCH_RENDER_PASS, (const uint32_t[]){1, 2}, 2, (const uint32_t[]){2, 3});
    if (!ws_capture_write_done(capture.writer, &done, &error))
        fail_msg("%s", error.message);
    ws_capture_writer_destroy(capture.writer);
    return 0;
}

static int remove_capture(void **state)
{
    (void)state;
    unlink(capture.path);
    return 0;
}

struct given {
    enum ws_selection_option option;
    const char *text;
};

/* Reads the capture with up to three options; the first without text ends them. */
static bool read_chosen(struct ws_report *report, const struct given given[3], struct ws_error *error)
{
    struct ws_selection selection = {.counts = {0}};
    const struct ws_report_request request = {.analysis = &ws_analysis_simt_efficiency,
                                              .options.selection = &selection};
    for (uint32_t i = 0; i < 3 && given[i].text != NULL; ++i)
        if (!ws_selection_add(&selection, given[i].option, given[i].text, error))
            return false;
    return ws_report_read(report, capture.path, &request, error);
}

#define L(launch, shader) BIT(launch, shader)
#define ALL               (L(0, 0) | L(0, 1) | L(1, 2) | L(2, 0) | L(2, 1) | L(3, 2) | L(3, 3))

static void what_is_left(void **state)
{
    static const struct {
        struct given given[3];
        uint32_t launches;
        uint32_t left;
    } cases[] = {
        {{{0}}, 4, ALL},
        {{{WS_SELECT_LAUNCH, "1"}}, 1, L(1, 2)},
        {{{WS_SELECT_LAUNCH, "1-2"}}, 2, L(1, 2) | L(2, 0) | L(2, 1)},
        {{{WS_SELECT_LAUNCH, "3-"}}, 1, L(3, 2) | L(3, 3)},
        {{{WS_SELECT_LAUNCH, "2-18446744073709551615"}}, 2, L(2, 0) | L(2, 1) | L(3, 2) | L(3, 3)},
        {{{WS_SELECT_LAUNCH, "0"}, {WS_SELECT_LAUNCH, "2"}}, 2, L(0, 0) | L(0, 1) | L(2, 0) | L(2, 1)},
        {{{WS_SELECT_FRAME, "0"}}, 2, L(0, 0) | L(0, 1) | L(1, 2)},
        {{{WS_SELECT_FRAME, "1"}, {WS_SELECT_LAUNCH, "0-2"}}, 1, L(2, 0) | L(2, 1)},
        {{{WS_SELECT_LABEL, "shadow"}}, 1, L(0, 0) | L(0, 1)},
        {{{WS_SELECT_LABEL, "frame 0"}}, 2, L(0, 0) | L(0, 1) | L(1, 2)},
        {{{WS_SELECT_LABEL, "frame 0 / shadow"}}, 1, L(0, 0) | L(0, 1)},
        {{{WS_SELECT_LABEL, "light, soft"}}, 1, L(1, 2)},
        {{{WS_SELECT_LABEL, "shadow,frame 1"}}, 2, L(0, 0) | L(0, 1) | L(3, 2) | L(3, 3)},
        {{{WS_SELECT_LABEL, "[a*]"}}, 1, L(3, 2) | L(3, 3)},
        {{{WS_SELECT_LABEL, ""}}, 1, L(2, 0) | L(2, 1)},
        {{{WS_SELECT_LABEL, "frame*"}}, 3, ALL & ~(L(2, 0) | L(2, 1))},
        {{{WS_SELECT_SHADER, "raygen:main"}}, 2, L(0, 0) | L(2, 0)},
        {{{WS_SELECT_SHADER, "*hit*"}, {WS_SELECT_SHADER, "3"}}, 3, L(0, 1) | L(2, 1) | L(3, 3)},
        {{{WS_SELECT_SHADER, "main"}}, 4, ALL},
        {{{WS_SELECT_SHADER, "2"}}, 2, L(1, 2) | L(3, 2)},
        {{{WS_SELECT_SHADER, "0000000000001003"}}, 1, L(3, 3)},
        {{{WS_SELECT_SHADER, "raygen:main,3"}}, 3, L(0, 0) | L(2, 0) | L(3, 3)},
        {{{WS_SELECT_STAGE, "closest_hit"}}, 2, L(0, 1) | L(2, 1)},
        {{{WS_SELECT_STAGE, "compute"}, {WS_SELECT_FRAME, "0"}}, 1, L(1, 2)},
        {{{WS_SELECT_STAGE, "ray_tracing"}, {WS_SELECT_SHADER, "*main*"}},
         2,
         L(0, 0) | L(0, 1) | L(2, 0) | L(2, 1)},
        {{{WS_SELECT_PIPELINE, "0"}}, 2, L(0, 0) | L(0, 1) | L(2, 0) | L(2, 1)},
        /* In launch 3 two pipelines have shader 2: it is not known which ran it. */
        {{{WS_SELECT_PIPELINE, "1"}}, 2, L(1, 2)},
        {{{WS_SELECT_PIPELINE, "2"}}, 1, L(3, 3)},
        {{{WS_SELECT_PIPELINE, "compute*"}}, 2, L(1, 2) | L(3, 2) | L(3, 3)},
        {{{WS_SELECT_PIPELINE, "2"}, {WS_SELECT_SHADER, "3"}}, 1, L(3, 3)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct ws_report report;
        struct ws_error error = {{0}};
        if (!read_chosen(&report, cases[i].given, &error))
            fail_msg("case %zu: %s", i, error.message);
        const struct ws_simt_results *results = ws_report_simt(&report);
        assert_int_equal(report.overview.launches, cases[i].launches);
        if (results->total.counts.warps != 2 * (uint64_t)cases[i].left)
            fail_msg("case %zu, '%s': %llx is left, not %x", i, cases[i].given[0].text,
                     (unsigned long long)results->total.counts.warps / 2, cases[i].left);
        ws_report_finish(&report);
    }
}

static void what_is_not_there(void **state)
{
    static const struct {
        struct given given[3];
        const char *message;
    } cases[] = {
        {{{WS_SELECT_LAUNCH, "7"}}, "there is no launch 7: '"},
        {{{WS_SELECT_LAUNCH, "7"}}, "' has launches 0 to 3"},
        {{{WS_SELECT_LAUNCH, "1"}, {WS_SELECT_LAUNCH, "4-9"}}, "there is no launch 4-9: "},
        {{{WS_SELECT_LAUNCH, "3-1"}}, "--launch takes N, N-M or N-"},
        {{{WS_SELECT_LAUNCH, ""}}, "--launch takes N, N-M or N-"},
        {{{WS_SELECT_LAUNCH, "99999999999999999999"}}, "--launch takes N, N-M or N-"},
        {{{WS_SELECT_FRAME, "9"}}, "' has frames 0 to 1"},
        {{{WS_SELECT_FRAME, "x"}}, "--frame takes N, N-M or N-"},
        {{{WS_SELECT_FRAME, "0"}, {WS_SELECT_LAUNCH, "3"}}, "no launch is of all: --frame 0, --launch 3"},
        {{{WS_SELECT_SHADER, "raygen.main"}}, "there is no shader 'raygen.main'; there are: raygen:main, "},
        {{{WS_SELECT_SHADER, "raygen:main,nosuch"}}, "there is no shader 'nosuch'"},
        {{{WS_SELECT_SHADER, "Raygen:main"}}, "there is no shader 'Raygen:main'; there are: raygen:main, "},
        {{{WS_SELECT_SHADER, "["}}, "there is no shader '['"},
        {{{WS_SELECT_SHADER, ""}}, "there is no shader ''"},
        {{{WS_SELECT_PIPELINE, "3"}}, "there is no pipeline '3'; there are: "},
        {{{WS_SELECT_LABEL, "shadows"}}, "there is no label 'shadows'; there are: frame 0 / shadow, "},
        {{{WS_SELECT_STAGE, "miss"}},
         "no shader of --stage miss; there are stages: compute, raygen, closest_hit"},
        {{{WS_SELECT_STAGE, "mist"}}, "there is no stage 'mist'"},
        {{{WS_SELECT_STAGE, "compute"}, {WS_SELECT_SHADER, "0"}},
         "no shader is of all: --shader '0', --stage 'compute'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct ws_report report;
        struct ws_error error = {{0}};
        if (read_chosen(&report, cases[i].given, &error))
            fail_msg("case %zu is there", i);
        if (strstr(error.message, cases[i].message) == NULL)
            fail_msg("case %zu says '%s', not '%s'", i, error.message, cases[i].message);
    }
}

static void too_many(void **state)
{
    struct ws_selection selection = {.counts = {0}};
    struct ws_error error = {{0}};
    (void)state;
    for (uint32_t i = 0; i < WS_SELECTION_MAX; ++i)
        assert_true(ws_selection_add(&selection, WS_SELECT_SHADER, "*", &error));
    assert_false(ws_selection_add(&selection, WS_SELECT_SHADER, "*", &error));
    assert_non_null(strstr(error.message, "--shader was given more than 32 times"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(too_many),
    };
    return cmocka_run_group_tests(tests, write_capture, remove_capture);
}
