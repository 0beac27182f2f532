/* The analysis `warp_time`, fed by hand: every figure worked out in the comments. */
#include "analysis/time/warp_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpscope/passes.h"
#include "warpscope/report/findings.h"

enum shader { RAYGEN, HIT, ANY_HIT, SHADERS };
enum site { BEGIN, END, SUBGROUP_BEGIN, SUBGROUP_END };

static const uint32_t stages[SHADERS] = {WS_STAGE_RAYGEN, WS_STAGE_CLOSEST_HIT, WS_STAGE_ANY_HIT};
static const uint32_t tags[] = {WS_TAG_WARP_TIME_BEGIN, WS_TAG_WARP_TIME_END, WS_TAG_WARP_TIME_SUBGROUP_BEGIN,
                                WS_TAG_WARP_TIME_SUBGROUP_END};

#define WARPS 8
#define SIZE  2

/* A capture of one launch at a time, of warps of 2 lanes. */
static struct ws_site_record sites[4];
static struct ws_module_record module;
static struct ws_shader_record shaders[SHADERS];
static struct ws_launch_record launches[4];
static struct ws_catalog catalog;
static struct ws_warp_times *results;
static struct ws_thread threads[WARPS * SIZE];
static struct ws_context contexts[32];
static uint32_t lane_threads[32][SIZE];
static uint32_t context_count;
static void *part;

static const struct ws_lanes both = {3, 0};
static const struct ws_lanes low = {1, 0};
static const struct ws_lanes high = {2, 0};

static int begin_capture(void **state)
{
    static const struct ws_analysis_options options = {.rows = 0};
    struct ws_error error = {{0}};
    (void)state;
    ws_catalog_init(&catalog);
    memset(&module, 0, sizeof(module));
    for (uint32_t i = 0; i < 4; ++i)
        sites[i].info = (struct ws_site_info){.kind = WS_SITE_DATA, .tag = tags[i], .row = 2};
    module.sites = sites;
    module.site_count = 4;
    module.name = module.source = "";
    catalog.modules = &module;
    catalog.module_count = 1;
    for (uint32_t i = 0; i < SHADERS; ++i)
        shaders[i] =
            (struct ws_shader_record){.id = i, .stage = stages[i], .name = "main", .shown = "shader:main"};
    catalog.shaders = shaders;
    catalog.shader_count = SHADERS;
    for (uint32_t i = 0; i < 4; ++i) {
        launches[i] = (struct ws_launch_record){
            .index = i, .kind = WS_LAUNCH_TRACE_RAYS, .label = "", .pipeline = WS_NONE};
        assert_true(ws_id_map_put(&catalog.launches.by_index, i, i));
    }
    catalog.launches.launches = launches;
    catalog.launches.count = 4;
    for (uint32_t i = 0; i < WARPS * SIZE; ++i)
        threads[i] = (struct ws_thread){.work = {i, 0, 0}, .warp = i / SIZE, .lane = i % SIZE};
    results = ws_analysis_warp_time.create(&catalog, &options, &error);
    assert_non_null(results);
    ws_analysis_warp_time.attach(results, 3);
    results->slice_limit = 3;
    return 0;
}

static int end_capture(void **state)
{
    (void)state;
    ws_analysis_warp_time.destroy(results);
    catalog.modules = NULL;
    catalog.shaders = NULL;
    catalog.launches.launches = NULL;
    catalog.module_count = catalog.shader_count = catalog.launches.count = 0;
    ws_catalog_finish(&catalog);
    return 0;
}

static void begin_launch(uint64_t index)
{
    memset(contexts, 0, sizeof(contexts));
    context_count = 0;
    part = ws_warp_times_replay.create(results, &launches[index]);
    assert_non_null(part);
}

static void end_launch(uint64_t index, uint32_t warps)
{
    static const uint32_t rank[WARPS] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint32_t lanes[WARPS] = {2, 2, 2, 2, 2, 2, 2, 2};
    const struct ws_replay_threads all = {.launch = &launches[index],
                                          .threads = threads,
                                          .thread_count = warps * SIZE,
                                          .warp_index = rank,
                                          .warp_lanes = lanes,
                                          .warp_count = warps};
    assert_true(ws_warp_times_replay.merge(results, part, &all));
    assert_true(ws_warp_times_replay.finish(results, &all));
    ws_warp_times_replay.destroy(part);
}

static struct ws_context *enter(enum shader shader, uint32_t warp, struct ws_lanes lanes,
                                struct ws_context *caller, bool continues)
{
    struct ws_context *context = &contexts[context_count];
    *context = (struct ws_context){.shader = shader,
                                   .stage = stages[shader],
                                   .warp = warp,
                                   .lane_count = SIZE,
                                   .depth = caller != NULL ? caller->depth + 1 : 0,
                                   .caller = caller,
                                   .continues = continues,
                                   .entered = lanes,
                                   .threads = lane_threads[context_count++]};
    for (uint32_t lane = 0; lane < SIZE; ++lane)
        context->threads[lane] = ws_lanes_has(lanes, lane) ? warp * SIZE + lane : WS_NONE;
    assert_true(ws_warp_times_replay.enter(part, context, threads));
    return context;
}

static void show(struct ws_context *context, enum site site, struct ws_lanes lanes, uint64_t time)
{
    const uint32_t words[] = {(uint32_t)time, (uint32_t)(time >> 32)};
    assert_true(
        ws_warp_times_replay.data(part, context, site, ws_lanes_one(ws_lanes_lowest(lanes)), words, 2));
}

static struct ws_context *run(enum shader shader, uint32_t warp, struct ws_lanes lanes,
                              struct ws_context *caller, uint64_t time)
{
    struct ws_context *context = enter(shader, warp, lanes, caller, false);
    show(context, BEGIN, lanes, time);
    return context;
}

static void leave(struct ws_context *context, struct ws_lanes lanes)
{
    assert_true(ws_warp_times_replay.leave(part, context, lanes));
    context->ended = ws_lanes_or(context->ended, lanes);
    if (ws_lanes_equal(ws_lanes_or(context->ended, context->moved), context->entered))
        assert_true(ws_warp_times_replay.close(part, context));
}

static void end(struct ws_context *context, struct ws_lanes lanes, uint64_t time)
{
    show(context, END, lanes, time);
    leave(context, lanes);
}

static const struct ws_warp_times_sums *shader_sums(enum shader shader)
{
    const uint64_t keys[WS_WARP_TIMES_DIMENSIONS] = {
        [WS_WARP_TIMES_SHADER] = shader, [WS_WARP_TIMES_STAGE] = stages[shader]};
    const struct ws_warp_times_sums *sums = ws_groups_find(results->groups, WS_WARP_TIMES_BY_SHADER, keys);
    assert_non_null(sums);
    return sums;
}

static void check(const struct ws_warp_times_sums *sums, uint64_t executions, uint64_t ticks, uint64_t self,
                  uint64_t waiting, uint64_t lane_ticks)
{
    assert_int_equal(sums->executions, executions);
    assert_int_equal(sums->ticks, ticks);
    assert_int_equal(sums->self, self);
    assert_int_equal(sums->waiting, waiting);
    assert_int_equal(sums->lane_ticks, lane_ticks);
}

/* The example of warp_times.h, with 64 bits. The hit shader runs from 20 to 50; so the raygen shader's own time is 90 - 30.
 * The lane that ends at 60 waits 40. */
static void the_example(void **state)
{
    const uint64_t base = UINT64_C(0xfffffff0);
    (void)state;
    begin_launch(0);
    struct ws_context *raygen = run(RAYGEN, 0, both, NULL, base + 10);
    struct ws_context *hit = run(HIT, 0, both, raygen, base + 20);
    end(hit, both, base + 50);
    end(raygen, high, base + 60);
    end(raygen, low, base + 100);
    end_launch(0, 1);
    check(shader_sums(RAYGEN), 1, 90, 60, 40, 180);
    check(shader_sums(HIT), 1, 30, 30, 0, 60);
    assert_int_equal(shader_sums(RAYGEN)->warps, 1);
    assert_int_equal(shader_sums(RAYGEN)->warp_ticks, 90);
    assert_int_equal(shader_sums(RAYGEN)->warp_waiting, 40);
    assert_int_equal(results->self, 90);
    assert_int_equal(results->launches[0].flight.first, base + 10);
    assert_int_equal(results->launches[0].flight.last, base + 100);
    /* In the order of time, the outer first. */
    assert_int_equal(results->slice_count, 2);
    assert_int_equal(results->slices[0].depth, 0);
    assert_int_equal(results->slices[1].begin, base + 20);
}

/* A hit shader in each lane, 20 to 40 and 30 to 50, which the device runs beside one another: 30 in which either runs. The
 * second calls an any-hit shader from 35 to 45 that never says when it ends: both end at the latest that they have shown. */
static void callees_that_overlap(void **state)
{
    (void)state;
    begin_launch(0);
    struct ws_context *raygen = run(RAYGEN, 0, both, NULL, 10);
    struct ws_context *first = run(HIT, 0, low, raygen, 20);
    struct ws_context *second = run(HIT, 0, high, raygen, 30);
    struct ws_context *any = run(ANY_HIT, 0, high, second, 35);
    show(any, END, high, 45);
    leave(any, high);
    end(second, high, 50);
    end(first, low, 40);
    end(raygen, both, 60);
    end_launch(0, 1);
    check(shader_sums(RAYGEN), 1, 50, 20, 0, 100);
    check(shader_sums(HIT), 2, 40, 30, 0, 40);
    check(shader_sums(ANY_HIT), 1, 10, 10, 0, 10);
}

/* A device parts a warp: its lanes come to different ends, and both read the clock, at 20 and 50, before either is known to
 * have ended. Lane 0 waits 30. */
static void ends_side_by_side(void **state)
{
    (void)state;
    begin_launch(0);
    struct ws_context *raygen = run(RAYGEN, 0, both, NULL, 10);
    show(raygen, END, low, 20);
    show(raygen, END, high, 50);
    leave(raygen, low);
    leave(raygen, high);
    end_launch(0, 1);
    check(shader_sums(RAYGEN), 1, 40, 40, 30, 80);
    assert_int_equal(shader_sums(RAYGEN)->warp_waiting, 30);
}

/* An intersection shader's lane, as it were: it leaves without a time, behind what it called. */
static void ends_without_a_time(void **state)
{
    (void)state;
    begin_launch(0);
    struct ws_context *raygen = run(RAYGEN, 0, both, NULL, 10);
    struct ws_context *hit = run(HIT, 0, both, raygen, 20);
    struct ws_context *any = run(ANY_HIT, 0, low, hit, 25);
    end(any, low, 40);
    leave(hit, low); /* at 40 */
    end(hit, high, 44);
    end(raygen, both, 50);
    end_launch(0, 1);
    check(shader_sums(HIT), 1, 24, 24 - 15, 4, 48);
    check(shader_sums(RAYGEN), 1, 40, 16, 0, 80);
}

/* Both threads go on in another execution behind the hit shader, which shows 50. The first lasts from 10 to 50, the second from
 * 50 on; the warp from 10 to 90, of which thread 0 waits 20. */
static void a_continuation(void **state)
{
    (void)state;
    begin_launch(0);
    struct ws_context *raygen = run(RAYGEN, 0, both, NULL, 10);
    struct ws_context *hit = run(HIT, 0, both, raygen, 20);
    end(hit, both, 50);
    struct ws_context *next = enter(RAYGEN, 0, both, NULL, true);
    for (uint32_t lane = 0; lane < SIZE; ++lane)
        assert_true(ws_warp_times_replay.move(part, raygen, lane, next, lane));
    raygen->moved = both;
    assert_true(ws_warp_times_replay.close(part, raygen));
    end(next, low, 70);
    end(next, high, 90);
    end_launch(0, 1);
    check(shader_sums(RAYGEN), 1, 40 + 40, 10 + 40, 20, 80 + 80);
    assert_int_equal(shader_sums(RAYGEN)->warp_ticks, 80);
    assert_int_equal(shader_sums(RAYGEN)->warp_waiting, 20);
}

/* An execution without a begin is not counted; its warp neither. */
static void without_a_begin(void **state)
{
    (void)state;
    begin_launch(0);
    end(enter(RAYGEN, 0, both, NULL, false), both, 50);
    end(run(RAYGEN, 1, both, NULL, 50), both, 80);
    end_launch(0, 2);
    check(shader_sums(RAYGEN), 1, 30, 30, 0, 60);
    assert_int_equal(shader_sums(RAYGEN)->unknown, 1);
    assert_int_equal(shader_sums(RAYGEN)->warps, 1);
}

/* The hit shader shows 5 to 8, and the warp began at 10: it ran on on a processor that is behind. Nothing is negative. */
static void a_clock_that_runs_backwards(void **state)
{
    (void)state;
    begin_launch(0);
    struct ws_context *raygen = run(RAYGEN, 0, both, NULL, 10);
    end(run(HIT, 0, both, raygen, 5), both, 8);
    end(raygen, both, 9);
    end_launch(0, 1);
    check(shader_sums(RAYGEN), 1, 0, 0, 0, 0);
    check(shader_sums(HIT), 1, 3, 3, 0, 6);
    assert_int_equal(shader_sums(RAYGEN)->backwards, 1);
    assert_int_equal(shader_sums(HIT)->backwards, 0);
}

/* Clocks of subgroups say nothing of several warps. */
static void clocks_of_subgroups(void **state)
{
    (void)state;
    begin_launch(0);
    struct ws_context *raygen = enter(RAYGEN, 0, both, NULL, false);
    show(raygen, SUBGROUP_BEGIN, both, 10);
    show(raygen, SUBGROUP_END, both, 30);
    leave(raygen, both);
    end_launch(0, 1);
    check(shader_sums(RAYGEN), 1, 20, 20, 0, 40);
    assert_true(results->of_subgroup);
    assert_int_equal(results->launch_count, 0);
}

static void one_warp(uint64_t launch, uint64_t first, uint64_t last)
{
    begin_launch(launch);
    end(run(RAYGEN, 0, both, NULL, first), both, last);
    end_launch(launch, 1);
}

/* Launch 0 shows ticks 1000 to 3000 from 0 to 1000 ns, launch 1 7000 to 9000 from 3000 to 4000 ns. 8000 ticks within 4000 ns
 * are at least 2 a ns; 4000 ticks with 2000 ns between them are at most 2. If launch 0 shows ticks from 2500 on, 6500 ticks in
 * 4000 ns tell less than launch 1 alone; but where the clock ran backwards in that, they are all there is. With launch 1 from
 * 3500 to 4500 ns there are 2 a ns at least, and 4000 / 2500 at most: these contradict each other, so nothing is known. */
static void the_clock_s_rate(void **state)
{
    struct ws_error error = {{0}};
    (void)state;
    assert_true(ws_times_add(&catalog, &catalog.times,
                             &(struct ws_timed_launch){.launch = 0, .nanoseconds = 1000, .begin = 0}));
    assert_true(ws_times_add(&catalog, &catalog.times,
                             &(struct ws_timed_launch){.launch = 1, .nanoseconds = 1000, .begin = 3000}));
    one_warp(0, 1000, 3000);
    one_warp(1, 7000, 9000);
    assert_true(ws_warp_times_end(results, &error));
    assert_true(results->least_rate > 1.999 && results->least_rate < 2.001);
    assert_true(results->most_rate > 1.999 && results->most_rate < 2.001);
    assert_int_equal(results->rate_launches, 2);
    /* A launch whose warps fill half of its time tells less than the other, which alone has 2000 ticks in 1000 ns. */
    results->launches[0].flight.first = 2500;
    assert_true(ws_warp_times_end(results, &error));
    assert_true(results->least_rate > 1.999 && results->least_rate < 2.001);
    results->launches[1].backwards = true;
    assert_true(ws_warp_times_end(results, &error));
    assert_true(results->least_rate > 1.624 && results->least_rate < 1.626);
    results->launches[0].flight.first = 1000;
    catalog.times.launches[1].begin = 3500;
    assert_true(ws_warp_times_end(results, &error));
    assert_true(results->least_rate == 0 && results->most_rate == 0);
}

/* Slowest first, of equal ones the earlier launch; the list of slices is cut. */
static void slowest_warps(void **state)
{
    struct ws_error error = {{0}};
    (void)state;
    begin_launch(0);
    end(run(RAYGEN, 0, both, NULL, 0), both, 20);
    end(run(RAYGEN, 1, both, NULL, 0), both, 30);
    end_launch(0, 2);
    one_warp(1, 100, 130);
    one_warp(2, 200, 210);
    assert_true(ws_warp_times_end(results, &error));
    assert_int_equal(results->slow_count, 4);
    const uint64_t expected[][3] = {{0, 1, 30}, {1, 0, 30}, {0, 0, 20}, {2, 0, 10}};
    for (uint32_t i = 0; i < 4; ++i) {
        assert_int_equal(results->slow[i].launch, expected[i][0]);
        assert_int_equal(results->slow[i].warp, expected[i][1]);
        assert_int_equal(results->slow[i].ticks, expected[i][2]);
    }
    assert_int_equal(results->slow[0].work[0], 2);
    assert_int_equal(results->slice_count, 3);
    assert_int_equal(results->slices_left_out, 1);
}

/* Of 5 warps 4 end at 10, and one at 20: the tail is half of the launch. And of the lanes of another shader's warps half wait
 * for half of their time. */
static void what_is_found(void **state)
{
    struct ws_error error = {{0}};
    struct ws_findings findings = {.all = NULL};
    (void)state;
    begin_launch(0);
    for (uint32_t warp = 0; warp < 5; ++warp) {
        struct ws_context *raygen = run(RAYGEN, warp, both, NULL, 0);
        end(raygen, low, warp < 4 ? 5 : 10);
        end(raygen, high, warp < 4 ? 10 : 20);
    }
    end_launch(0, 5);
    assert_true(ws_warp_times_end(results, &error));
    findings.analysis = &ws_analysis_warp_time;
    assert_true(ws_analysis_warp_time.findings(results, &findings));
    assert_int_equal(findings.count, 2);
    assert_non_null(strstr(findings.all[0].text, "last 50 % of its time fewer than half of the 5 warps"));
    assert_non_null(strstr(findings.all[1].text, "For 25 % of their time"));
    ws_findings_finish(&findings);
}

static void columns(void **state)
{
    struct ws_error error = {{0}};
    (void)state;
    if (!ws_columns_check(&ws_warp_times_columns, &error))
        fail_msg("%s", error.message);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_capture, end_capture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_example),
        TEST(callees_that_overlap),
        TEST(ends_side_by_side),
        TEST(ends_without_a_time),
        TEST(a_continuation),
        TEST(without_a_begin),
        TEST(clocks_of_subgroups),
        TEST(the_clock_s_rate),
        TEST(slowest_warps),
        TEST(what_is_found),
        TEST(a_clock_that_runs_backwards),
        TEST(columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
