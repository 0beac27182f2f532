/* Wide warps from narrow ones, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/memory/warps/courses.h"
#include "warpscope/instrument.h"

enum { X = 10, Y = 20, Z = 30 };

/* What came out: for each execution its place, and the words of its lanes, such as "10:0,1 30:2". */
static char out[512];
static uint32_t slots;

static bool run(void *user, const struct ws_execution *execution)
{
    (void)user;
    size_t length = strlen(out);
    length += (size_t)snprintf(out + length, sizeof(out) - length,
                               length > 0 ? " %u:" : "%u:", (unsigned)execution->site);
    for (uint32_t i = 0; i < execution->lane_count; ++i)
        length += (size_t)snprintf(out + length, sizeof(out) - length, i > 0 ? ",%u" : "%u",
                                   (unsigned)execution->words[i]);
    slots = execution->slots;
    return true;
}

static struct ws_wide_warps make(uint32_t lanes)
{
    out[0] = '\0';
    return (struct ws_wide_warps){.lanes = lanes, .limit = WS_WIDE_WAITING_MAX, .run = run};
}

/* A warp of two lanes that begins at `position` of `length` threads; returns the first warp of its wide one. */
static uint32_t enter(struct ws_wide_warps *wide, uint32_t warp, uint64_t row, uint32_t position,
                      uint32_t length)
{
    uint32_t first = WS_NONE;
    const struct ws_wide_member member = {.warp = warp,
                                          .lanes = 2,
                                          .entered = length - position < 2 ? length - position : 2,
                                          .is_placed = true,
                                          .row = row,
                                          .position = position,
                                          .length = length};
    assert_true(ws_wide_warps_enter(wide, &member, &first));
    return first;
}

/* A warp executes a place in a turn of the loop around it, with one word of one lane. */
static void add(struct ws_wide_warps *wide, uint32_t warp, uint32_t place, uint32_t turn, uint32_t word)
{
    const struct ws_wide_order order = {.loops = {{.turn = turn}}, .loop_count = 1, .place = place};
    const struct ws_execution execution = {
        .site = place, .slots = 2, .lane_count = 1, .words = &word, .words_per_lane = 1};
    assert_true(ws_wide_warps_add(wide, warp, &order, &execution));
}

/* The example of the header: A goes X Z X Z, B goes Y Z Z. A runs to its end before B begins, as on a device that runs warp by
 * warp. */
static void in_step(void **state)
{
    (void)state;
    struct ws_wide_warps wide = make(4);
    assert_int_equal(enter(&wide, 0, 7, 0, 4), 0);
    add(&wide, 0, X, 0, 1);
    add(&wide, 0, Z, 0, 2);
    add(&wide, 0, X, 1, 3);
    add(&wide, 0, Z, 1, 4);
    assert_true(ws_wide_warps_leave(&wide, 0));
    assert_string_equal(out, "");
    assert_int_equal(enter(&wide, 1, 7, 2, 4), 0);
    add(&wide, 1, Y, 0, 5);
    assert_string_equal(out, "10:1 20:5");
    assert_int_equal(slots, 4);
    add(&wide, 1, Z, 0, 6);
    assert_string_equal(out, "10:1 20:5 30:2,6");
    add(&wide, 1, Z, 1, 7);
    assert_true(ws_wide_warps_leave(&wide, 1));
    assert_string_equal(out, "10:1 20:5 30:2,6 10:3 30:4,7");
    assert_int_equal(wide.formed, 1);
    assert_int_equal(wide.waiting, 0);
    ws_wide_warps_finish(&wide);
}

/* B leaves the loop after one turn and waits behind it, while A does three. Lanes are in the order of threads, though B began
 * first. */
static void leaves_a_loop(void **state)
{
    (void)state;
    struct ws_wide_warps wide = make(4);
    assert_int_equal(enter(&wide, 0, 0, 2, 4), 0);
    assert_int_equal(enter(&wide, 1, 0, 0, 4), 0);
    const uint32_t behind = 9;
    const struct ws_wide_order order = {.place = 99};
    const struct ws_execution execution = {
        .site = 99, .slots = 2, .lane_count = 1, .words = &behind, .words_per_lane = 1};
    add(&wide, 0, X, 0, 1);
    assert_true(ws_wide_warps_add(&wide, 0, &order, &execution));
    for (uint32_t turn = 0; turn < 3; ++turn)
        add(&wide, 1, X, turn, 5 + turn);
    assert_true(ws_wide_warps_add(&wide, 1, &order, &execution));
    assert_string_equal(out, "10:5,1 10:6 10:7 99:9,9");
    ws_wide_warps_finish(&wide);
}

/* Rows of 5 threads and warps of 2: threads 0 to 3 are one wide warp, thread 4 is another by itself, and waits for nobody.
 * Another row is another one. */
static void rows_by_hand(void **state)
{
    (void)state;
    struct ws_wide_warps wide = make(4);
    assert_int_equal(enter(&wide, 0, 1, 0, 5), 0);
    assert_int_equal(enter(&wide, 1, 1, 2, 5), 0);
    assert_int_equal(enter(&wide, 2, 1, 4, 5), 2);
    add(&wide, 2, X, 0, 8);
    assert_string_equal(out, "10:8");
    assert_int_equal(enter(&wide, 3, 2, 0, 5), 3);
    /* Where there would be more than two warps in one, the next ones are another. */
    assert_int_equal(enter(&wide, 4, 1, 1, 5), 4);
    assert_int_equal(wide.formed, 1);
    ws_wide_warps_finish(&wide);
}

/* Without a place warps are together as they begin. What waits for a warp that never begins is run at the end. */
static void in_order_of_beginning(void **state)
{
    (void)state;
    struct ws_wide_warps wide = make(4);
    uint32_t first[5];
    for (uint32_t i = 0; i < 5; ++i) {
        const struct ws_wide_member member = {.warp = i, .shader = i == 1 ? 6 : 5, .lanes = 2, .entered = 2};
        assert_true(ws_wide_warps_enter(&wide, &member, &first[i]));
    }
    static const uint32_t expected[5] = {0, 1, 0, 3, 3};
    assert_memory_equal(first, expected, sizeof(first));
    add(&wide, 1, X, 0, 1);
    assert_string_equal(out, "");
    assert_true(ws_wide_warps_end(&wide));
    assert_string_equal(out, "10:1");
    ws_wide_warps_finish(&wide);
}

/* Warps of as many lanes are wide already; where N is no multiple of them they are counted; both run at once. */
static void stays_as_it_is(void **state)
{
    (void)state;
    struct ws_wide_warps wide = make(4);
    uint32_t first = 0;
    assert_true(ws_wide_warps_enter(&wide, &(struct ws_wide_member){.warp = 0, .lanes = 4}, &first));
    assert_int_equal(wide.kept, 0);
    assert_true(ws_wide_warps_enter(&wide, &(struct ws_wide_member){.warp = 1, .lanes = 3}, &first));
    assert_true(ws_wide_warps_enter(&wide, &(struct ws_wide_member){.warp = 2, .lanes = 8}, &first));
    assert_int_equal(wide.kept, 2);
    add(&wide, 1, X, 0, 1);
    add(&wide, 7, X, 0, 2);
    assert_string_equal(out, "10:1 10:2");
    assert_int_equal(slots, 2);
    ws_wide_warps_finish(&wide);
}

/* Beyond the limit nothing waits. */
static void hurries(void **state)
{
    (void)state;
    struct ws_wide_warps wide = make(4);
    wide.limit = 1;
    enter(&wide, 0, 0, 0, 4);
    add(&wide, 0, X, 0, 1);
    assert_string_equal(out, "10:1");
    assert_int_equal(wide.hurried, 1);
    ws_wide_warps_finish(&wide);
}

/* A warp that has two contexts has ended with the second; what comes after is run at once. */
static void ends_with_the_last(void **state)
{
    (void)state;
    struct ws_wide_warps wide = make(4);
    enter(&wide, 0, 0, 0, 4);
    enter(&wide, 1, 0, 2, 4);
    enter(&wide, 1, 0, 2, 4);
    add(&wide, 0, X, 0, 1);
    assert_true(ws_wide_warps_leave(&wide, 1));
    assert_string_equal(out, "");
    assert_true(ws_wide_warps_leave(&wide, 1));
    assert_string_equal(out, "10:1");
    add(&wide, 1, X, 0, 2);
    assert_string_equal(out, "10:1 10:2");
    ws_wide_warps_finish(&wide);
}

/* ---- courses ---- */

/* Places 0 to 5 of a shader: 0 is in no loop, 1 and 2 are in loop 0, 3 in loop 1 within it, 4 behind that in loop 0, and 5 in a
 * function of two callers. */
static struct ws_traced_position positions[] = {
    {.order = 0, .loop = WS_NONE, .function = 1, .height = 1},
    {.order = 1, .loop = 0, .function = 1, .height = 1},
    {.order = 2, .loop = 0, .function = 1, .height = 1},
    {.order = 3, .loop = 1, .function = 1, .height = 1},
    {.order = 4, .loop = 0, .function = 1, .height = 1},
    {.order = 5, .loop = 2, .function = 2},
};
static uint32_t loops[] = {WS_NONE, 0, WS_NONE};
static const struct ws_module_traces traces = {.positions = positions, .loops = loops, .loop_count = 3};

static void expect_turns(struct ws_course *course, uint32_t site, const char *expected)
{
    struct ws_wide_order order = {0};
    char found[32] = "";
    ws_course_go_on(course, &traces, site, &order);
    for (uint32_t i = 0; i < order.loop_count; ++i)
        snprintf(found + strlen(found), sizeof(found) - strlen(found), i > 0 ? ".%u" : "%u",
                 (unsigned)order.loops[i].turn);
    assert_string_equal(found, expected);
}

static void turns_by_hand(void **state)
{
    (void)state;
    struct ws_course course = {0};
    expect_turns(&course, 0, "");
    expect_turns(&course, 1, "0");
    expect_turns(&course, 3, "0.0");
    expect_turns(&course, 3, "0.1");
    expect_turns(&course, 4, "0");
    expect_turns(&course, 2, "1"); /* it stands before the one above, so a turn of loop 0 has begun */
    expect_turns(&course, 3, "1.0");
    /* The function's loop begins anew where its caller has gone on, and only there. */
    expect_turns(&course, 5, "0");
    expect_turns(&course, 5, "1");
    expect_turns(&course, 3, "1.1");
    expect_turns(&course, 5, "0");
}

static uint32_t call_of(struct ws_course *caller, struct ws_lanes lanes, uint32_t stage)
{
    struct ws_course course = {0};
    ws_course_enter(&course, caller, lanes, stage);
    return course.path[course.path_count - 1];
}

/* The example of the header, with an any-hit shader before: numbers are twice the call, and one more of what ends it. */
static void calls_by_hand(void **state)
{
    (void)state;
    struct ws_course caller = {.path = {8}, .path_count = 1};
    struct ws_wide_order order = {0};
    struct ws_course course = {0};
    const struct ws_lanes left = ws_lanes_first(2);
    const struct ws_lanes right = ws_lanes_without(ws_lanes_first(4), left);
    assert_int_equal(call_of(&caller, left, WS_STAGE_ANY_HIT), 0);
    assert_int_equal(call_of(&caller, ws_lanes_first(1), WS_STAGE_ANY_HIT), 0);
    assert_int_equal(call_of(&caller, left, WS_STAGE_CLOSEST_HIT), 1);
    assert_int_equal(call_of(&caller, right, WS_STAGE_MISS), 1);
    assert_int_equal(call_of(&caller, ws_lanes_one(1), WS_STAGE_ANY_HIT), 2);
    assert_int_equal(call_of(&caller, right, WS_STAGE_MISS), 3);
    /* Behind an access of the caller numbers begin anew. */
    ws_course_go_on(&caller, &traces, 0, &order);
    assert_int_equal(order.call_count, 1);
    assert_int_equal(order.calls[0], 8);
    ws_course_enter(&course, &caller, left, WS_STAGE_CALLABLE);
    assert_int_equal(course.path_count, 2);
    assert_int_equal(course.path[0], 8);
    assert_int_equal(course.path[1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_step),
        cmocka_unit_test(leaves_a_loop),
        cmocka_unit_test(rows_by_hand),
        cmocka_unit_test(stays_as_it_is),
        cmocka_unit_test(hurries),
        cmocka_unit_test(in_order_of_beginning),
        cmocka_unit_test(turns_by_hand),
        cmocka_unit_test(calls_by_hand),
        cmocka_unit_test(ends_with_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
