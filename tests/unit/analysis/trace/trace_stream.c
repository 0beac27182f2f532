/* The analysis `execution_trace` of whole captures: read, replayed and reported as the command does. */
#include "tests/unit/analysis/model/stream.h"
#include "warpscope/model/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/report/report.h"
#include "analysis/trace/execution_trace.h"

static const uint32_t lengths[] = {4, 6, 2};

static void read_capture(struct ws_report *report, const struct stream *stream,
                         const struct ws_analysis_options *options)
{
    struct ws_error error = {{0}};
    struct ws_report_request request = {.analysis = ws_analysis_find("execution_trace")};
    if (options != NULL)
        request.options = *options;
    request.options.plots = true;
    assert_non_null(request.analysis);
    if (!ws_report_read(report, stream_path(stream), &request, &error))
        fail_msg("%s", error.message);
}

static const struct ws_trace_results *results_of(const struct ws_report *report)
{
    return ws_report_results(report, ws_analysis_find("execution_trace"));
}

static char *text_of(const struct ws_report *report)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(ws_trace_text(results_of(report), stream));
    fclose(stream);
    return text;
}

/* `warps` warps of `size` lanes of a launch one row high, the last first, each of its own queue. Of warp w
 * the lanes run block 0, the first w % size + 1 of them block 1 and the hit shader, and all block 2. */
static void put_shader(struct stream *stream, uint32_t raygen, uint32_t hit, uint32_t warps, uint32_t size)
{
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, warps * size, 1, 1);
    for (uint32_t warp = warps; warp-- > 0;) {
        struct ws_lanes all = ws_lanes_first(size);
        struct ws_lanes some = ws_lanes_first(warp % size + 1);
        uint32_t context = stream_enter_rays(stream, warp, raygen, all, warp * size);
        stream_place(stream, context, WS_SITE_PLACE_BLOCK, 0, all);
        stream_place(stream, context, WS_SITE_PLACE_BLOCK, 1, some);
        uint32_t called = stream_enter_rays(stream, warp, hit, some, warp * size);
        stream_place(stream, called, WS_SITE_PLACE_BLOCK, 0, some);
        stream_place(stream, called, WS_SITE_PLACE_END, 0, some);
        stream_place(stream, context, WS_SITE_PLACE_BLOCK, 2, all);
        stream_place(stream, context, WS_SITE_PLACE_END, 2, all);
    }
    stream_end(stream);
}

/* Of 20 warps of `size` lanes: per warp, w % size + 1 threads of 4 blocks and the rest of 2; warps of 4. */
static void check_launch(const struct ws_trace_results *results, uint32_t index, uint32_t warps,
                         uint32_t size)
{
    uint64_t long_lived = 0;
    for (uint32_t warp = 0; warp < warps; ++warp)
        long_lived += warp % size + 1;
    const struct ws_trace_shader *launched = &results->launches[index].shaders[0];
    assert_int_equal(results->launches[index].shader_count, 1);
    assert_int_equal(launched->threads.total, (uint64_t)warps * size);
    assert_int_equal(launched->threads.sum, 2 * (uint64_t)warps * size + 2 * long_lived);
    assert_int_equal(launched->threads.maximum, 4);
    assert_int_equal(launched->warps.total, warps);
    assert_int_equal(launched->warps.sum, 4 * (uint64_t)warps);
    assert_int_equal(launched->work.full, warps);
    assert_int_equal(launched->work.lanes, size);
    assert_int_equal(launched->regrouped, 0);
}

/* Launches of different sizes in one capture, in every order of records and at every subgroup size. */
static void whole_captures(void **state)
{
    static const uint32_t sizes[] = {8, 32, 64, 128};
    (void)state;
    for (uint32_t i = 0; i < 4; ++i)
        for (uint64_t seed = 0; seed < 4; ++seed) {
            struct ws_report report;
            struct stream *stream =
                stream_create(&(struct stream_options){.bins = sizes[i], .seed = seed, .piece_words = 100});
            uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, lengths, 3);
            uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, lengths, 3);
            put_shader(stream, raygen, hit, 20, sizes[i]);
            put_shader(stream, raygen, hit, 3, sizes[i]);
            put_shader(stream, raygen, hit, 20, sizes[i]);
            stream_finish(stream);
            read_capture(&report, stream, NULL);
            const struct ws_trace_results *results = results_of(&report);
            assert_int_equal(results->launch_count, 3);
            check_launch(results, 0, 20, sizes[i]);
            check_launch(results, 1, 3, sizes[i]);
            check_launch(results, 2, 20, sizes[i]);
            /* The warps appeared in another order than that of their indices. */
            assert_int_equal(results->picture_count, 2);
            for (uint32_t id = 0; id < 20 * sizes[i]; ++id)
                assert_int_equal(results->pictures[0].map[id], id / sizes[i]);
            assert_int_equal(results->pictures[0].thread_blocks[0], 8);
            assert_int_equal(results->pictures[0].thread_blocks[1], 4);
            ws_report_finish(&report);
            stream_destroy(stream);
        }
}

static const char warp_2[] = "\n"
                             "Trace of warp 2 (launch id of its first lane 16,0), %s, launch 1\n"
                             "  4 block executions in 2 shader executions\n"
                             "  lanes: # of this warp, + active beside it, . inactive, blank not in this "
                             "execution\n"
                             "\n"
                             "  |########| > %s\n"
                             "  |########|   %%10\n"
                             "  |###.....|   %%11\n"
                             "  |###     |   > %s\n"
                             "  |###     |     %%10\n"
                             "  |###     |   < end\n"
                             "  |########|   %%12  [%s]\n"
                             "  |########| < end\n";

/* --warp 2, of the launch in which the warp that appeared as number 2 has index 17. */
static void chosen_warp(void **state)
{
    struct ws_selection selection = {.counts = {0}};
    const struct ws_analysis_options options = {.has_warp = true, .warp = 2, .selection = &selection};
    (void)state;
    assert_true(ws_selection_add(&selection, WS_SELECT_LAUNCH, "1", NULL));
    for (uint64_t seed = 0; seed < 3; ++seed) {
        struct ws_report report;
        struct stream *stream = stream_create(&(struct stream_options){.bins = 8, .seed = seed});
        uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, lengths, 3);
        uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, lengths, 3);
        put_shader(stream, raygen, hit, 3, 8);
        put_shader(stream, raygen, hit, 20, 8);
        stream_finish(stream);
        read_capture(&report, stream, &options);
        char expected[1024];
        const char *const names[] = {ws_shader_name(&report.catalog, raygen),
                                     ws_shader_name(&report.catalog, hit)};
        snprintf(expected, sizeof(expected), warp_2, names[0], names[0], names[1], names[0]);
        char *text = text_of(&report);
        assert_string_equal(text, expected);
        free(text);
        ws_report_finish(&report);
        stream_destroy(stream);
    }
}

/* Warp w of 8 traces with all its lanes; the device runs the hits of lanes 0 to 3 of warps w and w + 1
 * together as lanes 0 to 3 and 4 to 7. Of 8 warps: half of the threads have 3 blocks, half 2; even warps 2 +
 * 1 (their thread is in the lowest lane of the hit), odd ones 2. The trace of a thread of warp 1 has its hit.
 */
static void regrouped_by_the_device(void **state)
{
    static const struct ws_analysis_options options[] = {{.path = NULL},
                                                         {.has_thread = true, .thread = {10, 0, 0}}};
    (void)state;
    for (uint64_t seed = 0; seed < 3; ++seed)
        for (uint32_t chosen = 0; chosen < 2; ++chosen) {
            struct ws_report report;
            struct stream *stream = stream_create(&(struct stream_options){.bins = 8, .seed = seed});
            uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, lengths, 3);
            uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, lengths, 3);
            struct ws_lanes all = ws_lanes_first(8);
            stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 64, 1, 1);
            for (uint32_t pair = 0; pair < 4; ++pair) {
                uint32_t contexts[2];
                uint32_t work[8];
                for (uint32_t i = 0; i < 2; ++i) {
                    contexts[i] = stream_enter_rays(stream, pair, raygen, all, 16 * pair + 8 * i);
                    stream_place(stream, contexts[i], WS_SITE_PLACE_BLOCK, 0, all);
                }
                for (uint32_t lane = 0; lane < 8; ++lane)
                    work[lane] = 16 * pair + lane / 4 * 8 + lane % 4;
                uint32_t called = stream_enter(stream, pair, hit, all, NULL, work);
                stream_place(stream, called, WS_SITE_PLACE_BLOCK, 1, all);
                stream_place(stream, called, WS_SITE_PLACE_END, 1, all);
                for (uint32_t i = 0; i < 2; ++i) {
                    stream_place(stream, contexts[i], WS_SITE_PLACE_BLOCK, 2, all);
                    stream_place(stream, contexts[i], WS_SITE_PLACE_END, 2, all);
                }
            }
            stream_end(stream);
            stream_finish(stream);
            read_capture(&report, stream, &options[chosen]);
            const struct ws_trace_results *results = results_of(&report);
            const struct ws_trace_shader *launched = &results->launches[0].shaders[0];
            assert_int_equal(launched->threads.total, 64);
            assert_int_equal(launched->threads.sum, 32 * 3 + 32 * 2);
            assert_int_equal(launched->warps.sum, 4 * 3 + 4 * 2);
            assert_int_equal(launched->regrouped, 4);
            assert_int_equal(results->path_count, chosen);
            char *text = text_of(&report);
            if (chosen == 1) {
                assert_non_null(strstr(text, "(lane 2 of warp 1)"));
                assert_non_null(strstr(text, "3 block executions in 2 shader executions"));
                assert_non_null(strstr(text, "|++++++#+|     %11"));
                assert_non_null(strstr(text, "|++#+++++|   %12"));
            } else {
                assert_non_null(strstr(text, "4 of 4 called shaders ran in other warps"));
            }
            free(text);
            ws_report_finish(&report);
            stream_destroy(stream);
        }
}

/* Two warps of 8; threads 9, 8, 1 and 0 come back from a call as one warp, which runs two blocks more; the
 * others run one more where they are. So 4 threads have 3 blocks and 12 have 2; the warps 2, and 2 + 2 of the
 * one that the new one's lowest lane is of. The chosen thread goes on in lane 1. */
static void continued(void **state)
{
    static const struct ws_analysis_options options = {.has_thread = true, .thread = {8, 0, 0}};
    struct ws_report report;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, lengths, 3);
    const struct ws_lanes all = ws_lanes_first(8);
    const struct ws_lanes stay = {0xfc, 0};
    const struct ws_lanes four = {0x0f, 0};
    uint32_t contexts[2];
    (void)state;
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 16, 1, 1);
    for (uint32_t i = 0; i < 2; ++i) {
        contexts[i] = stream_enter_rays(stream, 0, raygen, all, 8 * i);
        stream_place(stream, contexts[i], WS_SITE_PLACE_BLOCK, 0, all);
    }
    const uint32_t both = stream_continue(stream, 0, raygen, stream_number(WS_SITE_PLACE_BLOCK, 3), four,
                                          (const uint32_t[]){9, 8, 1, 0});
    stream_place(stream, both, WS_SITE_PLACE_BLOCK, 1, four);
    for (uint32_t i = 0; i < 2; ++i) {
        stream_place(stream, contexts[i], WS_SITE_PLACE_BLOCK, 2, stay);
        stream_place(stream, contexts[i], WS_SITE_PLACE_END, 2, stay);
    }
    stream_place(stream, both, WS_SITE_PLACE_BLOCK, 2, four);
    stream_place(stream, both, WS_SITE_PLACE_END, 2, four);
    stream_end(stream);
    stream_finish(stream);
    read_capture(&report, stream, &options);
    const struct ws_trace_shader *launched = &results_of(&report)->launches[0].shaders[0];
    assert_int_equal(launched->threads.total, 16);
    assert_int_equal(launched->threads.sum, 4 * 3 + 12 * 2);
    assert_int_equal(launched->threads.maximum, 3);
    assert_int_equal(launched->warps.total, 2);
    assert_int_equal(launched->warps.sum, 2 + 2 + 2);
    assert_int_equal(launched->warps.maximum, 4);
    assert_int_equal(launched->work.full, 2);
    assert_int_equal(results_of(&report)->path_count, 1);
    char expected[1024];
    const char *name = ws_shader_name(&report.catalog, raygen);
    snprintf(expected, sizeof(expected),
             "  |#+++++++| > %s, lane 0\n"
             "  |#+++++++|   %%10\n"
             "  |+#++    | ~ %s continues in another warp, lane 1\n"
             "  |+#++    |   %%11\n"
             "  |+#++    |   %%12\n"
             "  |+#++    | < end\n",
             name, name);
    char *text = text_of(&report);
    assert_non_null(strstr(text, "3 block executions in 1 shader execution\n"));
    if (strstr(text, expected) == NULL)
        fail_msg("%s", text);
    free(text);
    ws_report_finish(&report);
    stream_destroy(stream);
}

/* 4 x 3 x 2 work ids in warps of 8 lanes, as rows, and one partial warp of a launch of 5 x 3 x 1. */
static void boxes_and_runs(void **state)
{
    struct ws_report report;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, lengths, 3);
    (void)state;
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 4, 2);
    for (uint32_t warp = 0; warp < 4; ++warp) {
        uint32_t context = stream_enter_rays(stream, 0, raygen, ws_lanes_first(8), 8 * warp);
        stream_place(stream, context, WS_SITE_PLACE_BLOCK, 0, ws_lanes_first(8));
    }
    stream_end(stream);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 5, 3, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        struct ws_lanes lanes = ws_lanes_first(warp == 0 ? 8 : 7);
        uint32_t context = stream_enter_rays(stream, 0, raygen, lanes, 8 * warp);
        stream_place(stream, context, WS_SITE_PLACE_BLOCK, 0, lanes);
    }
    stream_end(stream);
    stream_finish(stream);
    read_capture(&report, stream, NULL);
    char text[96];
    uint64_t fitting = 0;
    ws_trace_work_map_text(&results_of(&report)->launches[0].shaders[0].work, text, sizeof(text), &fitting);
    assert_string_equal(text, "4 x 2 tiles, row-major");
    assert_int_equal(fitting, 4);
    assert_int_equal(results_of(&report)->pictures[0].map[9 + 5], 2); /* 0,1,1 is flat id 20 */
    ws_trace_work_map_text(&results_of(&report)->launches[1].shaders[0].work, text, sizeof(text), &fitting);
    assert_string_equal(text, "8 consecutive, row-major, through rows of 5");
    assert_int_equal(results_of(&report)->launches[1].shaders[0].work.partial, 1);
    ws_report_finish(&report);
    stream_destroy(stream);
}

/* Workgroups of 8 x 4: GlobalInvocationId, in warps of 32 and of 8 lanes. */
static void workgroups(void **state)
{
    static const uint32_t sizes[] = {32, 8};
    static const char *const patterns[] = {"8 x 4 tiles, row-major", "8 x 1, row-major"};
    (void)state;
    for (uint32_t i = 0; i < 2; ++i) {
        struct ws_report report;
        struct ws_analysis_options options = {.has_thread = true, .thread = {9, 5, 0}};
        struct stream *stream = stream_create(&(struct stream_options){.bins = sizes[i]});
        uint32_t compute = stream_shader(stream, WS_STAGE_COMPUTE, lengths, 3);
        stream_begin(stream, WS_LAUNCH_DISPATCH, 2, 2, 1);
        for (uint32_t group = 0; group < 4; ++group)
            for (uint32_t first = 0; first < 32; first += sizes[i]) {
                uint32_t work[32];
                for (uint32_t lane = 0; lane < sizes[i]; ++lane)
                    work[lane] = first + lane;
                uint32_t context = stream_enter(stream, 0, compute, ws_lanes_first(sizes[i]),
                                                (const uint32_t[]){group % 2, group / 2, 0}, work);
                stream_place(stream, context, WS_SITE_PLACE_BLOCK, 0, ws_lanes_first(sizes[i]));
            }
        stream_end(stream);
        stream_finish(stream);
        read_capture(&report, stream, &options);
        const struct ws_trace_results *results = results_of(&report);
        char text[96];
        uint64_t fitting = 0;
        ws_trace_work_map_text(&results->launches[0].shaders[0].work, text, sizeof(text), &fitting);
        assert_string_equal(text, patterns[i]);
        assert_int_equal(fitting, 128 / sizes[i]);
        /* 9,5 is local 1,1 of group 1,1, LocalInvocationIndex 9. */
        assert_int_equal(results->path_count, 1);
        assert_int_equal(results->paths[0]->lane, 9 % sizes[i]);
        assert_int_equal(results->pictures[0].grid.width, 16);
        assert_int_equal(results->pictures[0].grid.height, 8);
        ws_report_finish(&report);
        stream_destroy(stream);
    }
}

/* A capture whose last records are not there says so, and reports the rest. */
static void truncated_capture(void **state)
{
    struct ws_report report;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, lengths, 3);
    (void)state;
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 16, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        uint32_t context = stream_enter_rays(stream, 0, raygen, ws_lanes_first(8), 8 * warp);
        stream_place(stream, context, WS_SITE_PLACE_BLOCK, 0, ws_lanes_first(8));
        stream_place(stream, context, WS_SITE_PLACE_END, 2, ws_lanes_first(8));
    }
    /* Entry: 3 words, a mask of 1 and 8 work ids; places: 2 each. The second entry does not fit. */
    stream_end_overflowed(stream, 20);
    stream_finish(stream);
    read_capture(&report, stream, NULL);
    const struct ws_trace_results *results = results_of(&report);
    assert_true(results->launches[0].launch.truncated);
    assert_int_equal(results->launches[0].shaders[0].threads.total, 8);
    char *text = text_of(&report);
    assert_non_null(strstr(text, "records are missing"));
    free(text);
    ws_report_finish(&report);
    stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_captures),
        cmocka_unit_test(chosen_warp),
        cmocka_unit_test(boxes_and_runs),
        cmocka_unit_test(workgroups),
        cmocka_unit_test(regrouped_by_the_device),
        cmocka_unit_test(truncated_capture),
        cmocka_unit_test(continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
