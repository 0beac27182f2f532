/* Partings and shaders of a trace that was made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/viewer/shaders/thread_story.h"

enum { RAYGEN, HIT };

static void add(struct ws_trace_path *path, enum ws_trace_step_kind kind, uint32_t shader, uint32_t context,
                uint32_t block, uint64_t lanes)
{
    const struct ws_trace_step step = {.kind = kind,
                                       .depth = shader == HIT,
                                       .shader = shader,
                                       .block = block,
                                       .context = context,
                                       .lane_count = 8,
                                       .lanes = {lanes, 0},
                                       .entered = {0xff, 0},
                                       .own = {1, 0}};
    assert_true(ws_trace_path_add(path, &step));
}

/* 8 lanes begin; 3 of them go into a branch, and come back. One of them calls a hit shader alone: what is beside it there is
 * no parting of the raygen shader. */
static void test_partings(void **state)
{
    (void)state;
    uint32_t count = 0;
    struct ws_trace_path *path = ws_trace_path_create(100);
    assert_non_null(path);
    add(path, WS_TRACE_ENTER, RAYGEN, 0, 0, 0xff);
    add(path, WS_TRACE_BLOCK, RAYGEN, 0, 1, 0xff);
    add(path, WS_TRACE_BLOCK, RAYGEN, 0, 2, 0x07); /* step 2: 3 of 8 */
    add(path, WS_TRACE_BLOCK, RAYGEN, 0, 3, 0xff);
    add(path, WS_TRACE_ENTER, HIT, 1, 0, 0x03);
    add(path, WS_TRACE_BLOCK, HIT, 1, 1, 0x03);
    add(path, WS_TRACE_BLOCK, HIT, 1, 2, 0x01); /* step 6: 1 of 2 */
    add(path, WS_TRACE_LEAVE, HIT, 1, 0, 0x01);
    add(path, WS_TRACE_BLOCK, RAYGEN, 0, 4, 0xff);
    add(path, WS_TRACE_ENTER, HIT, 2, 0, 0x01); /* anew: its first block parts from nobody */
    add(path, WS_TRACE_BLOCK, HIT, 2, 1, 0x01);
    add(path, WS_TRACE_LEAVE, HIT, 2, 0, 0x01);
    add(path, WS_TRACE_LEAVE, RAYGEN, 0, 0, 0xff);
    struct ws_thread_parting *partings = ws_thread_partings(path, &count);
    assert_non_null(partings);
    assert_int_equal(count, 2);
    assert_int_equal(partings[0].step, 2);
    assert_int_equal(partings[0].before, 8);
    assert_int_equal(partings[0].lanes, 3);
    assert_int_equal(partings[1].step, 6);
    assert_int_equal(partings[1].before, 2);
    assert_int_equal(partings[1].lanes, 1);
    free(partings);
    ws_trace_path_destroy(path);
}

/* A raygen shader that calls the same hit shader 5 times, which the trace folds, and once more otherwise. */
static void test_shaders(void **state)
{
    (void)state;
    uint32_t count = 0;
    struct ws_trace_path *path = ws_trace_path_create(100);
    assert_non_null(path);
    add(path, WS_TRACE_ENTER, RAYGEN, 0, 0, 0xff);
    for (uint32_t i = 0; i < 5; ++i) {
        add(path, WS_TRACE_BLOCK, RAYGEN, 0, 1, 0xff);
        add(path, WS_TRACE_ENTER, HIT, 1 + i, 0, 0x0f);
        add(path, WS_TRACE_LEAVE, HIT, 1 + i, 0, 0x0f);
    }
    add(path, WS_TRACE_ENTER, HIT, 9, 0, 0x01);
    assert_true(path->step_count < 8); /* else nothing was folded */
    struct ws_thread_shader *shaders = ws_thread_shaders(path, &count);
    assert_non_null(shaders);
    assert_int_equal(count, 2);
    assert_int_equal(shaders[0].shader, RAYGEN);
    assert_int_equal(shaders[0].executions, 1);
    assert_int_equal(shaders[1].shader, HIT);
    assert_int_equal(shaders[1].executions, 6);
    free(shaders);
    ws_trace_path_destroy(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_partings), cmocka_unit_test(test_shaders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
