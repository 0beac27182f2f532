/* The analysis `execution_trace`, fed by hand: every figure worked out in the comments. */
#include "tests/unit/analysis/report/json_of.h"
#include "tests/unit/analysis/trace/trace_hand.h"
#include "warpscope/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct hand hand;

static const struct ws_trace_stage *stage_of(enum hand_shader shader)
{
    for (uint32_t i = 0; i < hand.results->stage_count; ++i)
        if (hand.results->stages[i].shader == shader)
            return &hand.results->stages[i];
    fail_msg("shader %d was not launched", shader);
    return NULL;
}

static void check_summary(const struct ws_trace_summary *summary, uint64_t total, uint64_t sum,
                          uint64_t minimum, uint64_t median, uint64_t ninety, uint64_t maximum)
{
    assert_int_equal(summary->total, total);
    assert_int_equal(summary->sum, sum);
    assert_int_equal(summary->minimum, minimum);
    assert_int_equal(summary->median, median);
    assert_int_equal(summary->ninety, ninety);
    assert_int_equal(summary->maximum, maximum);
}

static void lifetimes_of_a_loop(void **state)
{
    (void)state;
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_DISPATCH, 2, 1, 1, 1);
    hand_run_loops(&hand, 2, 16);
    hand_end(&hand, false);
    hand_finish(&hand);
    /* 16 threads, each of 3 .. 10 twice: the 8th is 6, the 15th (14.4 rounded up) 10. */
    check_summary(&stage_of(COMPUTE)->threads.summary, 16, 104, 3, 6, 10, 10);
    check_summary(&stage_of(COMPUTE)->warps.summary, 2, 20, 10, 10, 10, 10);
    assert_int_equal(stage_of(COMPUTE)->threads.lifetimes.count, 8);
    /* The most is 10: lane 7 of both warps, the lower work id first, then lane 6 with 9. */
    const struct ws_trace_most *most = &stage_of(COMPUTE)->threads.blocks;
    assert_int_equal(most->count, 5);
    assert_int_equal(most->places[0].value, 10);
    assert_int_equal(most->places[0].work[0], 7);
    assert_int_equal(most->places[1].work[0], 15);
    assert_int_equal(most->places[2].value, 9);
    assert_int_equal(most->places[4].value, 8);
    assert_int_equal(hand.results->launches[0].shaders[0].work.full, 2);
    hand_destroy(&hand);
}

/* Turns of a loop, told as a sum between two executions of block 0 by lanes 0 to 3: in five turns lanes came by block 1, lane 1
 * in each, lane 2 in three, lane 3 in none. */
static void turns_that_are_added_up(void **state)
{
    (void)state;
    static const uint64_t times[] = {5, 3, 0};
    const struct ws_replay_place place = {.tag = WS_TAG_EXECUTION_TRACE_BLOCK, .block = 1};
    const struct ws_replay_sum sum = {.executions = 5, .active = 8, .lanes = {0xe, 0}, .times = times};
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_DISPATCH, 4, 1, 1, 1);
    struct ws_context *context = hand_launch_rows(&hand, COMPUTE, 8, ws_lanes_first(4), 0, 4);
    hand_block(&hand, context, 0, ws_lanes_first(4));
    assert_true(ws_trace_replay.sum(hand.parts[0], context, &place, &sum));
    hand_block(&hand, context, 0, ws_lanes_first(4));
    hand_leave(&hand, context, ws_lanes_first(4));
    hand_end(&hand, false);
    hand_finish(&hand);
    /* The threads ran 2, 2 + 5, 2 + 3 and 2 blocks. */
    check_summary(&stage_of(COMPUTE)->threads.summary, 4, 16, 2, 2, 7, 7);
    check_summary(&stage_of(COMPUTE)->warps.summary, 1, 7, 7, 7, 7, 7);
    assert_int_equal(hand.results->pictures[0].thread_blocks[1], 7);
    assert_int_equal(hand.results->pictures[0].thread_blocks[2], 5);
    assert_int_equal(hand.results->pictures[0].warp_slots[0], 2 * 8 * 3 + 5 * 8 * 2);
    assert_int_equal(hand.results->pictures[0].warp_active[0], 2 * 4 * 3 + 8 * 2);
    hand_destroy(&hand);
}

/* Launches of different sizes: nothing of one is left in the next, and each has its own picture. V-Vision
 * never clears launch sizes. */
static void launches_of_varying_size(void **state)
{
    (void)state;
    hand_create(&hand, NULL);
    for (uint32_t i = 0; i < 3; ++i) {
        hand_begin(&hand, i, WS_LAUNCH_DISPATCH, i < 2 ? 4 : 1, 1, 1, 1);
        hand_run_loops(&hand, i < 2 ? 4 : 1, 16);
        hand_end(&hand, i == 1);
    }
    hand_finish(&hand);
    const struct ws_trace_results *results = hand.results;
    assert_int_equal(results->launch_count, 3);
    check_summary(&results->launches[1].shaders[0].threads, 32, 208, 3, 6, 10, 10);
    check_summary(&results->launches[2].shaders[0].threads, 8, 52, 3, 6, 10, 10);
    assert_int_equal(results->launches[2].shaders[0].warps.total, 1);
    assert_true(results->launches[1].launch.truncated && !results->launches[2].launch.truncated);
    check_summary(&stage_of(COMPUTE)->threads.summary, 72, 468, 3, 6, 10, 10);
    assert_int_equal(stage_of(COMPUTE)->launches, 3);
    assert_int_equal(stage_of(COMPUTE)->truncated, 1);
    /* A launch costs a few hundred bytes: it has no room for shaders that it did not launch. */
    assert_int_equal(results->launches[2].shader_count, 1);
    assert_int_equal(results->launches[2].shader_capacity, 1);
    assert_int_equal(results->picture_count, 2);
    assert_int_equal(results->pictures[0].launches, 2);
    assert_int_equal(results->pictures[0].grid.extent[0], 16);
    assert_int_equal(results->pictures[0].grid.extent[1], 2);
    assert_int_equal(results->pictures[1].grid.extent[0], 8);
    /* Work id 7,0 ran 10 blocks in each of two launches. */
    assert_int_equal(results->pictures[0].thread_blocks[7], 20);
    assert_int_equal(results->pictures[0].warp_blocks[7], 20);
    assert_int_equal(results->pictures[1].thread_blocks[7], 10);
    assert_int_equal(results->pictures[0].map[16 + 8], 3);
    /* Lane 7 of four warps had 10 in two launches: they are listed once, then one with 9. */
    const struct ws_trace_most *most = &stage_of(COMPUTE)->threads.blocks;
    for (uint32_t i = 0; i < 4; ++i) {
        assert_int_equal(most->places[i].value, 10);
        assert_int_equal(most->places[i].work[0], i % 2 == 0 ? 7 : 15);
        assert_int_equal(most->places[i].work[1], i / 2);
        assert_int_equal(most->places[i].launch, 0);
    }
    assert_int_equal(most->places[4].value, 9);
    char *text = hand_text(&hand);
    assert_non_null(strstr(text, "records are missing"));
    free(text);
    hand_destroy(&hand);
}

/* Lanes from 32 on count as others do: V-Vision cuts masks at 32 lanes. */
static void any_subgroup_size(void **state)
{
    static const uint32_t sizes[] = {8, 16, 32, 64, 128};
    (void)state;
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        uint32_t size = sizes[i];
        uint64_t threads = 2 * (uint64_t)size + 3;
        uint64_t odd = size + 1;
        hand_create(&hand, NULL);
        hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 1000, 1, 1, 1);
        hand_run_odd(&hand, size, 3);
        hand_end(&hand, false);
        hand_finish(&hand);
        const struct ws_trace_shader *launched = &hand.results->launches[0].shaders[0];
        assert_int_equal(launched->threads.total, threads);
        assert_int_equal(launched->threads.sum, threads + odd);
        check_summary(&launched->warps, 3, 6, 2, 2, 2, 2);
        assert_int_equal(launched->work.full, 2);
        assert_int_equal(launched->work.partial, 1);
        assert_int_equal(launched->work.lanes, size);
        /* The last lane of the first warp is odd, wherever it is. */
        assert_int_equal(hand.results->pictures[0].thread_blocks[size - 1], 2);
        assert_int_equal(hand.results->pictures[0].thread_blocks[size - 2], 1);
        hand_destroy(&hand);
    }
}

/* Hit shaders need not run in the lanes of ray generation, as V-Vision takes for granted. */
static void regrouped_hits(void **state)
{
    (void)state;
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_regrouped(&hand);
    hand_end(&hand, false);
    hand_finish(&hand);
    /* 3 threads of 2 blocks and 5 of 3. */
    check_summary(&stage_of(RAYGEN)->threads.summary, 8, 21, 2, 3, 3, 3);
    check_summary(&stage_of(RAYGEN)->warps.summary, 2, 6, 3, 3, 3, 3);
    assert_int_equal(stage_of(RAYGEN)->regrouped, 1);
    assert_int_equal(stage_of(RAYGEN)->called, 2);
    assert_int_equal(stage_of(RAYGEN)->threads.called[ws_trace_called(WS_STAGE_CLOSEST_HIT)], 3);
    assert_int_equal(stage_of(RAYGEN)->warps.called[ws_trace_called(WS_STAGE_CLOSEST_HIT)], 1);
    assert_int_equal(stage_of(RAYGEN)->threads.called[ws_trace_called(WS_STAGE_MISS)], 2);
    const struct ws_trace_picture *picture = &hand.results->pictures[0];
    uint32_t hit = ws_trace_called(WS_STAGE_CLOSEST_HIT);
    uint32_t miss = ws_trace_called(WS_STAGE_MISS);
    static const uint32_t hits[8] = {1, 1, 0, 0, 0, 0, 0, 1};
    static const uint32_t misses[8] = {0, 0, 1, 1, 0, 0, 0, 0};
    for (uint32_t i = 0; i < 8; ++i) {
        assert_int_equal(picture->thread_executions[hit][i], hits[i]);
        assert_int_equal(picture->thread_executions[miss][i], misses[i]);
        assert_int_equal(picture->thread_executions[WS_TRACE_CALLED][i], 1 + hits[i] + misses[i]);
        assert_int_equal(picture->warp_executions[hit][i], i >= 4);
        assert_int_equal(picture->warp_executions[miss][i], i < 4);
        assert_int_equal(picture->map[i], i / 4);
    }
    char *text = hand_text(&hand);
    assert_non_null(strstr(text, "1 of 2 called shaders ran in other warps"));
    free(text);
    hand_destroy(&hand);
}

/* A warp of 8 that the device splits after its first block, and runs the halves of in turns: each thread runs
 * 4 blocks, the warp 1 + 3 + 3. A split warp is one warp. */
static void split_warp(void **state)
{
    struct ws_lanes low = {0x0f, 0};
    struct ws_lanes high = {0xf0, 0};
    (void)state;
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    struct ws_context *context = hand_launch_rows(&hand, RAYGEN, 8, ws_lanes_first(8), 0, 8);
    hand_block(&hand, context, 0, ws_lanes_first(8));
    for (uint32_t i = 0; i < 3; ++i) {
        hand_block(&hand, context, 1, low);
        hand_block(&hand, context, 1, high);
    }
    hand_leave(&hand, context, low);
    hand_leave(&hand, context, high);
    hand_end(&hand, false);
    hand_finish(&hand);
    check_summary(&stage_of(RAYGEN)->threads.summary, 8, 32, 4, 4, 4, 4);
    check_summary(&stage_of(RAYGEN)->warps.summary, 1, 7, 7, 7, 7, 7);
    /* A block of 3 instructions by all 8, then 6 times one of 2 by 4 of 8. */
    assert_int_equal(hand.results->pictures[0].warp_slots[7], 8 * 3 + 6 * 8 * 2);
    assert_int_equal(hand.results->pictures[0].warp_active[7], 8 * 3 + 6 * 4 * 2);
    hand_destroy(&hand);
}

/* Ray generation, a hit of lanes 0 to 2, a miss that this traces with lanes 1 and 2, and one more of lane 2
 * from there: threads run 1 + 0, 1, 2, 3 blocks, the warp 4; executions likewise. */
static void nested_calls(void **state)
{
    (void)state;
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 4, 1, 1, 1);
    struct ws_context *a = hand_launch_rows(&hand, RAYGEN, 4, ws_lanes_first(4), 0, 4);
    struct ws_context *b = hand_call(&hand, CLOSEST_HIT, a, (struct ws_lanes){7, 0});
    struct ws_context *c = hand_call(&hand, MISS, b, (struct ws_lanes){6, 0});
    struct ws_context *d = hand_call(&hand, CLOSEST_HIT, c, (struct ws_lanes){4, 0});
    hand_block(&hand, d, 0, (struct ws_lanes){4, 0});
    hand_leave(&hand, d, (struct ws_lanes){4, 0});
    hand_block(&hand, c, 0, (struct ws_lanes){6, 0});
    hand_leave(&hand, c, (struct ws_lanes){6, 0});
    hand_block(&hand, b, 0, (struct ws_lanes){7, 0});
    hand_leave(&hand, b, (struct ws_lanes){7, 0});
    hand_block(&hand, a, 0, ws_lanes_first(4));
    hand_leave(&hand, a, ws_lanes_first(4));
    hand_end(&hand, false);
    hand_finish(&hand);
    check_summary(&stage_of(RAYGEN)->threads.summary, 4, 10, 1, 2, 4, 4);
    check_summary(&stage_of(RAYGEN)->warps.summary, 1, 4, 4, 4, 4, 4);
    for (uint32_t i = 0; i < 4; ++i) {
        static const uint64_t blocks[] = {2, 3, 4, 1};
        static const uint32_t hits[] = {1, 1, 2, 0};
        const struct ws_trace_picture *picture = &hand.results->pictures[0];
        assert_int_equal(picture->thread_blocks[i], blocks[i]);
        assert_int_equal(picture->thread_executions[ws_trace_called(WS_STAGE_CLOSEST_HIT)][i], hits[i]);
        assert_int_equal(picture->thread_executions[WS_TRACE_CALLED][i], blocks[i]);
        assert_int_equal(picture->warp_executions[WS_TRACE_CALLED][i], 4);
        /* Each of the four runs a block of 3 instructions: 4 x 12 slots, of which 4, 3, 2 and 1 lanes are active. */
        assert_int_equal(picture->warp_slots[i], 48);
        assert_int_equal(picture->warp_active[i], 3 * (4 + 3 + 2 + 1));
        assert_int_equal(picture->lanes[i], i);
    }
    hand_destroy(&hand);
}

/* Two workers give the same as one. */
static void parts_are_merged(void **state)
{
    (void)state;
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_DISPATCH, 4, 1, 1, 2);
    hand_run_loops(&hand, 2, 16);
    hand.part = 1;
    for (uint32_t warp = 2; warp < 4; ++warp) {
        struct ws_context *context = hand_launch_rows(&hand, COMPUTE, 8, ws_lanes_first(8), 8 * warp, 16);
        hand_block(&hand, context, 0, ws_lanes_first(8));
        hand_leave(&hand, context, ws_lanes_first(8));
    }
    hand_end(&hand, false);
    hand_finish(&hand);
    assert_int_equal(hand.results->launch_count, 1);
    check_summary(&hand.results->launches[0].shaders[0].threads, 32, 120, 1, 1, 9, 10);
    check_summary(&hand.results->launches[0].shaders[0].warps, 4, 22, 1, 1, 10, 10);
    assert_int_equal(hand.results->picture_count, 1);
    assert_int_equal(hand.results->pictures[0].grid.extent[1], 2);
    assert_int_equal(hand.results->pictures[0].thread_blocks[31], 1);
    assert_int_equal(hand.results->pictures[0].outside, 0);
    hand_destroy(&hand);
}

/* A render pass: vertices and fragments are kept apart, and what has no meaning is said. */
static void graphics_stages(void **state)
{
    static const uint32_t vertices[4][3] = {{0, 1, 0}, {1, 1, 0}, {2, 1, 0}, {3, 1, 0}};
    static const uint32_t fragments[4][3] = {{2 | 1 << 16, UINT32_MAX, 0},
                                             {3 | 1 << 16, UINT32_MAX, 0},
                                             {2 | 2 << 16, UINT32_MAX, 0},
                                             {3 | 2 << 16, UINT32_MAX, 0}};
    (void)state;
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_RENDER_PASS, 8, 4, 1, 1);
    struct ws_context *a = hand_launch(&hand, VERTEX, 4, ws_lanes_first(4), vertices);
    hand_block(&hand, a, 0, ws_lanes_first(4));
    for (uint32_t i = 0; i < 2; ++i) { /* the same four pixels twice */
        struct ws_context *b = hand_launch(&hand, FRAGMENT, 4, ws_lanes_first(4), fragments);
        hand_block(&hand, b, 0, ws_lanes_first(4));
        hand_block(&hand, b, 1, ws_lanes_first(1));
    }
    hand_end(&hand, false);
    hand_finish(&hand);
    check_summary(&stage_of(VERTEX)->threads.summary, 4, 4, 1, 1, 1, 1);
    check_summary(&stage_of(FRAGMENT)->threads.summary, 8, 10, 1, 1, 2, 2);
    assert_int_equal(hand.results->picture_count, 1);
    const struct ws_trace_picture *picture = &hand.results->pictures[0];
    assert_int_equal(picture->grid.width, 8);
    assert_int_equal(picture->grid.height, 4);
    assert_null(picture->map);
    assert_int_equal(picture->thread_blocks[8 + 2], 4);
    assert_int_equal(picture->thread_blocks[16 + 3], 2);
    assert_true(picture->thread_blocks[0] == WS_TRACE_NOTHING);
    assert_int_equal(picture->thread_executions[WS_TRACE_CALLED][8 + 2], 2);
    char *text = hand_text(&hand);
    assert_non_null(strstr(text, "vertex shaders have no map of work ids"));
    assert_non_null(strstr(text, "vertex shaders have no heat maps"));
    assert_non_null(strstr(text, "fragment shaders have no map of work ids"));
    assert_null(strstr(text, "fragment shaders have no heat maps"));
    assert_null(strstr(text, "how work ids were given to warps"));
    assert_non_null(strstr(text, "2,1 "));
    free(text);
    hand_destroy(&hand);
}

/* The trace of one vertex has no maps, and does not say that it lacks them. */
static void chosen_threads_miss_no_maps(void **state)
{
    static const uint32_t vertices[4][3] = {{0, 1, 0}, {1, 1, 0}, {2, 1, 0}, {3, 1, 0}};
    const struct ws_analysis_options options = {.has_thread = true, .thread = {1, 1, 0}};
    (void)state;
    hand_create(&hand, &options);
    hand_begin(&hand, 0, WS_LAUNCH_RENDER_PASS, 8, 4, 1, 1);
    struct ws_context *a = hand_launch(&hand, VERTEX, 4, ws_lanes_first(4), vertices);
    hand_block(&hand, a, 0, ws_lanes_first(4));
    hand_end(&hand, false);
    hand_finish(&hand);
    char *text = hand_text(&hand);
    assert_non_null(strstr(text, "1 block execution"));
    assert_null(strstr(text, "vertex shaders have no"));
    free(text);
    hand_destroy(&hand);
}

/* 2 x 2 x 3: slices of 2 x 2 side by side with a gap. */
static void three_dimensions(void **state)
{
    (void)state;
    uint32_t work[4][3];
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 2, 2, 3, 1);
    for (uint32_t z = 0; z < 3; ++z) {
        for (uint32_t i = 0; i < 4; ++i) {
            work[i][0] = i % 2;
            work[i][1] = i / 2;
            work[i][2] = z;
        }
        struct ws_context *context =
            hand_launch(&hand, RAYGEN, 4, ws_lanes_first(4), (const uint32_t(*)[3])work);
        for (uint32_t i = 0; i <= z; ++i)
            hand_block(&hand, context, 0, ws_lanes_first(4));
    }
    hand_end(&hand, false);
    hand_finish(&hand);
    const struct ws_trace_picture *picture = &hand.results->pictures[0];
    assert_int_equal(picture->grid.width, 8);
    assert_int_equal(picture->grid.height, 2);
    assert_int_equal(picture->thread_blocks[8 + 6 + 1], 3);
    assert_int_equal(picture->map[3], 1);
    assert_true(picture->map[2] == WS_TRACE_NOTHING);
    char *text = hand_text(&hand);
    assert_non_null(strstr(text, "2 x 2 tiles, row-major          3\n"));
    free(text);
    hand_destroy(&hand);
}

/* Without --plots no picture costs memory. */
static void no_pictures(void **state)
{
    (void)state;
    hand_create(&hand, NULL);
    hand.results->options.plots = false;
    hand_begin(&hand, 0, WS_LAUNCH_DISPATCH, 2, 1, 1, 1);
    hand_run_loops(&hand, 2, 16);
    hand_end(&hand, false);
    hand_finish(&hand);
    assert_int_equal(hand.results->picture_count, 0);
    assert_int_equal(hand.results->pictures_left_out, 0);
    check_summary(&stage_of(COMPUTE)->threads.summary, 16, 104, 3, 6, 10, 10);
    hand_destroy(&hand);
}

/* Threads whose launch was not recorded count for nothing. */
static void unknown_threads(void **state)
{
    (void)state;
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    struct ws_context *a = hand_launch_rows(&hand, RAYGEN, 4, ws_lanes_first(4), 0, 8);
    hand_block(&hand, a, 0, ws_lanes_first(4));
    struct ws_context unknown = {
        .number = 100,
        .shader = MISS,
        .stage = WS_STAGE_MISS,
        .warp = WS_NONE,
        .lane_count = 4,
        .entered = {15, 0},
        .threads = (uint32_t[]){WS_NONE, WS_NONE, WS_NONE, WS_NONE},
    };
    assert_true(ws_trace_replay.enter(hand.parts[0], &unknown, hand.threads));
    const struct ws_replay_place place = {.tag = WS_TAG_EXECUTION_TRACE_BLOCK};
    assert_true(ws_trace_replay.place(hand.parts[0], &unknown, &place, unknown.entered));
    assert_true(ws_trace_replay.leave(hand.parts[0], &unknown, unknown.entered));
    assert_true(ws_trace_replay.close(hand.parts[0], &unknown));
    hand_end(&hand, false);
    hand_finish(&hand);
    check_summary(&stage_of(RAYGEN)->threads.summary, 4, 4, 1, 1, 1, 1);
    assert_int_equal(hand.results->stage_count, 1);
    hand_destroy(&hand);
}

/* What is shown: traces, CSV and JSON. */

static const char regrouped_thread[] =
    "\n"
    "Trace of launch id 1,0 (lane 1 of warp 0), raygen shader:main, launch 5\n"
    "  3 block executions in 2 shader executions\n"
    "  note: 1 of them ran in warps that the device put together anew\n"
    "  lanes: # this thread, + active beside it, . inactive, blank not in this execution\n"
    "\n"
    "  |+#++| > raygen shader:main, lane 1\n"
    "  |+#++|   %10  a.glsl:7-9\n"
    "  |+# +|   > closest_hit shader:main, lane 1\n"
    "  |+# +|     %10  a.glsl:7-9\n"
    "  |+# +|   < end\n"
    "  |+#++|   %12  [raygen shader:main]\n"
    "  |+#++| < end\n";

static void trace_of_a_regrouped_thread(void **state)
{
    struct ws_analysis_options options = {.has_thread = true, .thread = {1, 0, 0}};
    (void)state;
    hand_create(&hand, &options);
    hand_begin(&hand, 5, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_regrouped(&hand);
    hand_end(&hand, false);
    hand_finish(&hand);
    char *text = hand_text(&hand);
    assert_string_equal(text, regrouped_thread);
    free(text);
    hand_destroy(&hand);
}

static const char folded_thread[] =
    "\n"
    "Trace of launch id 0,0 (lane 0 of warp 0), raygen shader:main, launch 0\n"
    "  11 block executions in 4 shader executions\n"
    "  lanes: # this thread, + active beside it, . inactive, blank not in this execution\n"
    "\n"
    "  |#++ | > raygen shader:main, lane 0\n"
    "  |#++ |   %10  a.glsl:7-9\n"
    "  |    | 3 times:\n"
    "  |#++ |     %11  a.glsl:10\n"
    "  |#++ |       %20  in function %2\n"
    "  |#++ |       > closest_hit shader:main, lane 0\n"
    "  |#++ |         %10  a.glsl:7-9\n"
    "  |#++ |       < end\n"
    "  |#++ |   %12  [raygen shader:main]\n"
    "  |#+. | < end\n";

static void trace_of_a_loop(void **state)
{
    struct ws_analysis_options options = {.has_thread = true};
    (void)state;
    hand_create(&hand, &options);
    hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_calls(&hand);
    hand_end(&hand, false);
    hand_begin(&hand, 1, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_calls(&hand);
    hand_end(&hand, false);
    hand_finish(&hand);
    char *text = hand_text(&hand);
    assert_memory_equal(text, folded_thread, strlen(folded_thread));
    assert_string_equal(text + strlen(folded_thread),
                        "\n  It ran in 1 other launch, too: choose with --launch\n");
    free(text);
    hand_destroy(&hand);
}

/* Thread 2 never ended: the trace says so, in the order in which it happened; and only --rows lines. */
static void trace_that_is_cut(void **state)
{
    struct ws_analysis_options options = {.has_thread = true, .thread = {2, 0, 0}, .rows = 4};
    (void)state;
    hand_create(&hand, &options);
    hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_calls(&hand);
    hand_end(&hand, true);
    hand_finish(&hand);
    const struct ws_trace_path *path = hand.results->paths[0];
    assert_int_equal(path->steps[path->step_count - 1].kind, WS_TRACE_CUT);
    char *text = hand_text(&hand);
    assert_non_null(strstr(text, "14 block executions in 5 shader executions"));
    /* Shown: %10, and 3 rounds of %11. */
    assert_non_null(strstr(text, "... and 10 more block executions: --rows 0 shows them all\n"));
    assert_non_null(strstr(text, "the trace may be of a part"));
    free(text);
    hand_destroy(&hand);
}

/* The loops of hand_run_loops: each level has its rows, with the figures of lifetimes_of_a_loop. */
static void csv_has_every_level(void **state)
{
    /* From `launches` on: threads with minimum, median, mean, 90 %, maximum; warps with the same; called by
     * threads and warps, regrouped, truncated; full and partial warps, pattern, fitting, note; work id, no map, no picture. */
    static const char *const rows[] = {
        "total,,,,,,,,,,,,,,,,,1,8,,,6.5,,,1,,,10,,,0,0,0,0,,,,,,,,\n",
        ("\nshaders,,,,,,,,compute,103,shader:main,,,,,,,1,8,3,6,6.5,10,10,1,10,10,10,10,10,0,0,0,0,,,,,,"
         "invocation id,,\n"),
        ",,,,,,,8,3,6,6.5,10,10,1,10,10,10,10,10,0,0,0,0,1,0,\"8 x 1, row-major\",1,,,,\n",
        ",,3,,,,,,1,,,,,,0,,,,,,,,,,,,,,,,,\n",
        ",,10,,,,,,1,,,,,,1,,,,,,,,,,,,,,,,,\n",
        ",threads blocks,10,\"7,0\",0,",
    };
    struct ws_error error = {{0}};
    (void)state;
    if (!ws_columns_check(&ws_trace_columns, &error))
        fail_msg("%s", error.message);
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_loops(&hand, 1, 8);
    hand_end(&hand, false);
    hand_finish(&hand);
    char *text = hand_csv(&hand);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
        if (strstr(text, rows[i]) == NULL)
            fail_msg("no row '%s' in:\n%s", rows[i], text);
    free(text);
    hand_destroy(&hand);
}

static uint32_t count_texts(const char *text, const char *what)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; ++at)
        ++count;
    return count;
}

/* 1500 blocks in an order that never repeats anything twice in a row: after block i comes block i + 1 or i + 2 of the
 * three, by the parity of the bits of i (the square-free word of Thue). Text has 400 lines, and says what it lacks.
 * CSV and JSON have all. */
static void programs_get_all_steps(void **state)
{
    struct ws_analysis_options options = {.has_thread = true, .thread = {1, 0, 0}};
    (void)state;
    for (int whole = 0; whole < 2; ++whole) {
        options.whole = whole != 0;
        hand_create(&hand, &options);
        hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
        struct ws_context *context = hand_launch_rows(&hand, RAYGEN, 8, ws_lanes_first(8), 0, 8);
        for (uint32_t i = 0; i < 1500; ++i) {
            const int difference = __builtin_parity(i + 1) - __builtin_parity(i);
            hand_block(&hand, context, (uint32_t)(difference + 1), ws_lanes_first(8));
        }
        hand_leave(&hand, context, ws_lanes_first(8));
        hand_end(&hand, false);
        hand_finish(&hand);
        char *text = whole != 0 ? hand_csv(&hand) : hand_text(&hand);
        if (whole == 0) {
            /* The first line is that of the shader. */
            assert_non_null(strstr(text, "... and 1101 more block executions: --rows 0 shows them all"));
            free(text);
            hand_destroy(&hand);
            continue;
        }
        assert_int_equal(count_texts(text, ",block,"), 1 + 1500);
        free(text);
        size_t size = 0;
        struct ws_json json;
        FILE *stream = open_memstream(&text, &size);
        ws_json_begin(&json, stream);
        assert_true(ws_trace_json_paths(hand.results, &json) && ws_json_end(&json));
        fclose(stream);
        cJSON *parsed = cJSON_Parse(text);
        const cJSON *trace = cJSON_GetArrayItem(cJSON_GetObjectItem(parsed, "traces"), 0);
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(trace, "steps")), 1502);
        assert_true(cJSON_IsFalse(cJSON_GetObjectItem(trace, "cut")));
        cJSON_Delete(parsed);
        free(text);
        hand_destroy(&hand);
    }
}

/* Every line has as many columns as the first, with and without a chosen thread. */
static void csv_is_a_table(void **state)
{
    struct ws_analysis_options options = {.has_thread = true};
    (void)state;
    for (uint32_t pass = 0; pass < 2; ++pass) {
        hand_create(&hand, pass == 0 ? NULL : &options);
        hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
        hand_run_calls(&hand);
        hand_run_regrouped(&hand);
        hand_end(&hand, true);
        hand_finish(&hand);
        char *text = hand_csv(&hand);
        uint32_t lines = 0;
        for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"), ++lines) {
            uint32_t commas = 0;
            bool quoted = false;
            for (const char *at = line; *at != '\0'; ++at) {
                quoted ^= *at == '"';
                commas += *at == ',' && !quoted;
            }
            if (commas != (pass == 0 ? 41 : 10))
                fail_msg("%u commas: %s", commas, line);
        }
        assert_true(lines > 10);
        free(text);
        hand_destroy(&hand);
    }
}

/* More than 32 lanes are hexadecimal masks, as wide as the warp. */
static void wide_masks(void **state)
{
    static const char wide_64[] = "  ffffffffffffffff > raygen shader:main, lane 1\n"
                                  "  ffffffffffffffff   %10  a.glsl:7-9\n"
                                  "  aaaaaaaaaaaaaaaa   %11  a.glsl:10\n"
                                  "  ffffffffffffffff < end\n";
    static const char wide_128[] = "  ffffffffffffffffffffffffffffffff   %10  a.glsl:7-9\n"
                                   "  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa   %11  a.glsl:10\n";
    struct ws_analysis_options options = {.has_thread = true, .thread = {1, 0, 0}};
    (void)state;
    for (uint32_t size = 64; size <= 128; size *= 2) {
        hand_create(&hand, &options);
        hand_begin(&hand, 0, WS_LAUNCH_TRACE_RAYS, 1000, 1, 1, 1);
        hand_run_odd(&hand, size, 2);
        hand_end(&hand, false);
        hand_finish(&hand);
        char *text = hand_text(&hand);
        assert_non_null(strstr(text, "the lowest lane is the last bit"));
        assert_non_null(strstr(text, size == 64 ? wide_64 : wide_128));
        free(text);
        hand_destroy(&hand);
    }
}

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, key);
    assert_true(cJSON_IsNumber(number));
    return number->valuedouble;
}

static bool write_tables(const void *groups, struct ws_json *json)
{
    return ws_groups_json_all(groups, json);
}

/* JSON says what the text does; it is read again from what would be printed. */
static void json_is_the_same(void **state)
{
    struct ws_analysis_options options = {.has_thread = true};
    (void)state;
    hand_create(&hand, &options);
    hand_begin(&hand, 3, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    hand_run_calls(&hand);
    hand_end(&hand, true);
    hand_finish(&hand);
    cJSON *tables = json_of(write_tables, hand.results->groups);
    cJSON *object = json_of(ws_trace_json, hand.results);
    assert_true(tables != NULL && object != NULL);
    const cJSON *shader = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(tables, "shaders"), 0);
    /* Thread 0: 2 + 3 x 3 blocks; 1 and 2: 2 + 4 x 3. */
    assert_true(number_of(shader, "threads") == 3 && number_of(shader, "thread_mean") == 13);
    assert_true(number_of(shader, "thread_minimum") == 11 && number_of(shader, "thread_maximum") == 14);
    const cJSON *called = NULL;
    cJSON_ArrayForEach(called, cJSON_GetObjectItemCaseSensitive(tables, "called"))
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(called, "called")), "closest_hit") == 0)
            break;
    }
    assert_true(number_of(called, "called_by_threads") == 11 && number_of(called, "called_by_warps") == 4);
    const cJSON *lifetime = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(tables, "lifetimes"), 1);
    assert_true(number_of(lifetime, "blocks") == 14 && number_of(lifetime, "threads") == 2);
    const cJSON *launch = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(tables, "launches"), 0);
    assert_true(number_of(launch, "launch") == 3 && number_of(launch, "truncated") == 1);
    cJSON_Delete(tables);
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, "recorded_threads")));
    const cJSON *trace = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, "traces"), 0);
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(trace, "steps");
    assert_true(number_of(trace, "blocks") == 11);
    assert_int_equal(cJSON_GetArraySize(steps), 5);
    assert_true(number_of(cJSON_GetArrayItem(steps, 2), "times") == 3);
    cJSON_Delete(object);
    hand_destroy(&hand);
}

/* A shader that was launched first may stand behind others in the capture, as a compute shader does behind the shaders of a
 * pipeline that is made before its own: its row has its own figures. */
static void rows_have_their_own_figures(void **state)
{
    (void)state;
    hand_create(&hand, NULL);
    hand_begin(&hand, 0, WS_LAUNCH_DISPATCH, 8, 1, 1, 1);
    struct ws_context *context = hand_launch_rows(&hand, COMPUTE, 8, ws_lanes_first(8), 0, 8);
    for (uint32_t i = 0; i < 5; ++i)
        hand_block(&hand, context, 0, ws_lanes_first(8));
    hand_end(&hand, false);
    hand_begin(&hand, 1, WS_LAUNCH_TRACE_RAYS, 8, 1, 1, 1);
    context = hand_launch_rows(&hand, RAYGEN, 8, ws_lanes_first(8), 0, 8);
    hand_block(&hand, context, 0, ws_lanes_first(8));
    hand_end(&hand, false);
    hand_finish(&hand);
    cJSON *tables = json_of(write_tables, hand.results->groups);
    const cJSON *shaders = cJSON_GetObjectItemCaseSensitive(tables, "shaders");
    assert_int_equal(cJSON_GetArraySize(shaders), 2);
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, shaders)
    {
        const char *stage = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "stage"));
        const bool compute = strcmp(stage, "compute") == 0;
        assert_true(number_of(row, "thread_mean") == (compute ? 5 : 1));
        assert_true(number_of(row, "thread_maximum") == (compute ? 5 : 1));
        assert_true(number_of(row, "warp_minimum") == (compute ? 5 : 1));
    }
    cJSON_Delete(tables);
    hand_destroy(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lifetimes_of_a_loop),
        cmocka_unit_test(turns_that_are_added_up),
        cmocka_unit_test(launches_of_varying_size),
        cmocka_unit_test(any_subgroup_size),
        cmocka_unit_test(regrouped_hits),
        cmocka_unit_test(split_warp),
        cmocka_unit_test(nested_calls),
        cmocka_unit_test(parts_are_merged),
        cmocka_unit_test(graphics_stages),
        cmocka_unit_test(chosen_threads_miss_no_maps),
        cmocka_unit_test(three_dimensions),
        cmocka_unit_test(no_pictures),
        cmocka_unit_test(unknown_threads),
        cmocka_unit_test(trace_of_a_regrouped_thread),
        cmocka_unit_test(trace_of_a_loop),
        cmocka_unit_test(trace_that_is_cut),
        cmocka_unit_test(csv_has_every_level),
        cmocka_unit_test(csv_is_a_table),
        cmocka_unit_test(programs_get_all_steps),
        cmocka_unit_test(wide_masks),
        cmocka_unit_test(json_is_the_same),
        cmocka_unit_test(rows_have_their_own_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
