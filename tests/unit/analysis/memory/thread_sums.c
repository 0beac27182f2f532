/* Sums by thread, by hand: warps of 8 lanes, of which the lanes 0 and 1 have the threads 5 and 9. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analysis/memory/thread_pictures.h"
#include "warpscope/instrument.h"

static const struct ws_thread_row *row_of(const struct ws_thread_sums *sums, uint32_t thread,
                                          const char *buffer, uint32_t bound)
{
    for (uint32_t i = 0; i < sums->row_count; ++i)
        if (sums->rows[i].thread == thread && sums->rows[i].buffer == buffer && sums->rows[i].bound == bound)
            return &sums->rows[i];
    fail();
    return NULL;
}

/* A request of both lanes that touches 4 sectors, of which 3 hit; one of lane 1 alone with 1 sector that misses; and one of
 * both to another buffer. Of thread 9: N = 2 + 1, b = 3 / (8 x 2), p = 3 / 5. Of thread 5: N = 2, b = 2 / 8, p = 3 / 4. */
static void sums_by_hand(void **state)
{
    (void)state;
    static const char *const near = "near";
    static const char *const far = "far";
    static const uint32_t threads[3] = {5, 9, WS_NONE};
    const struct ws_traced_access to_near = {.memory = near};
    const struct ws_traced_access to_far = {.memory = far};
    const struct ws_caches_sums both = {
        .requests = 1, .lanes = 2, .slots = 8, .sectors = 4, .l1_sectors = 4, .l1_hits = 3};
    const struct ws_caches_sums one = {.requests = 1, .lanes = 1, .slots = 8, .sectors = 1, .l1_sectors = 1};
    struct ws_thread_sums sums = {0};
    assert_true(ws_thread_sums_add(&sums, 0, threads, 2, &to_near, 4, &both));
    assert_true(ws_thread_sums_add(&sums, 0, threads + 1, 1, &to_near, 4, &one));
    assert_true(ws_thread_sums_add(&sums, 0, threads, 2, &to_far, 4, &both));
    /* Lanes whose threads are not known are left out. */
    assert_true(ws_thread_sums_add(&sums, 0, threads + 2, 1, &to_far, 4, &one));
    /* One of lane 0 that finds another buffer at that binding. */
    assert_true(ws_thread_sums_add(&sums, 0, threads, 1, &to_near, 6, &one));
    assert_int_equal(sums.row_count, 5);
    assert_int_equal(row_of(&sums, 5, near, 6)->sums.requests, 1);
    assert_int_equal(row_of(&sums, 5, near, 6)->first, 4);
    const struct ws_caches_sums *nine = &row_of(&sums, 9, near, 4)->sums;
    assert_int_equal(nine->requests, 2);
    assert_int_equal(nine->lanes, 3);
    assert_int_equal(nine->slots, 16);
    assert_int_equal(nine->l1_hits, 3);
    assert_int_equal(nine->l1_sectors, 5);
    const struct ws_caches_sums *five = &row_of(&sums, 5, near, 4)->sums;
    assert_int_equal(five->requests, 1);
    assert_int_equal(five->lanes, 2);
    assert_int_equal(five->slots, 8);
    assert_int_equal(five->l1_hits, 3);
    assert_int_equal(five->l1_sectors, 4);
    assert_int_equal(row_of(&sums, 9, far, 4)->sums.requests, 1);
    ws_thread_sums_finish(&sums);
}

/* A dispatch of one workgroup of 2 x 2 threads. Thread 0 is at 0,0 and has 2 of 8 lanes and 3 of 4 sectors; thread 1 is at
 * 1,1 and has 3 of 16 lanes, which is 18.75 %, and 3 of 5 sectors. Of four requests one and two came before theirs. The others
 * loaded nothing. */
static void pictures_by_hand(void **state)
{
    (void)state;
    static const char *const near = "near";
    static const uint32_t lanes[3] = {0, 1, WS_NONE};
    const struct ws_traced_access access = {.memory = near};
    const struct ws_caches_sums both = {.requests = 1, .lanes = 2, .slots = 8, .l1_sectors = 4, .l1_hits = 3};
    const struct ws_caches_sums one = {.requests = 1, .lanes = 1, .slots = 8, .l1_sectors = 1};
    struct ws_shader_record shader = {.stage = WS_STAGE_COMPUTE, .local_size = {2, 2, 1}};
    const struct ws_catalog catalog = {.shaders = &shader, .shader_count = 1};
    const struct ws_launch_record launch = {.index = 7, .size = {1, 1, 1}};
    const struct ws_thread threads[2] = {{.work = {0, 0, 0}}, {.work = {1, 1, 0}}};
    const struct ws_replay_threads all = {.launch = &launch, .threads = threads, .thread_count = 2};
    static const uint64_t expected[WS_THREAD_FIGURES][4] = {
        [WS_THREAD_REQUESTS] = {1, UINT64_MAX, UINT64_MAX, 2},
        [WS_THREAD_ACTIVE] = {25, UINT64_MAX, UINT64_MAX, 19},
        [WS_THREAD_L1] = {75, UINT64_MAX, UINT64_MAX, 60},
        [WS_THREAD_FIRST] = {25, UINT64_MAX, UINT64_MAX, 50},
    };
    struct ws_thread_sums sums = {0};
    struct ws_thread_pictures pictures = {0};
    assert_true(ws_thread_sums_add(&sums, 0, lanes + 2, 1, &access, 4, &one)); /* of nobody */
    assert_true(ws_thread_sums_add(&sums, 0, lanes, 1, &access, 4, &both));
    assert_true(ws_thread_sums_add(&sums, 0, lanes + 1, 1, &access, 4, &both));
    assert_true(ws_thread_sums_add(&sums, 0, lanes + 1, 1, &access, 4, &one));
    assert_true(ws_thread_pictures_add(&pictures, &catalog, &all, &sums));
    assert_int_equal(pictures.count, 1);
    assert_int_equal(pictures.list[0].launch, 7);
    assert_ptr_equal(pictures.list[0].buffer, near);
    assert_int_equal(pictures.list[0].grid.width, 2);
    assert_int_equal(pictures.list[0].grid.height, 2);
    for (uint32_t figure = 0; figure < WS_THREAD_FIGURES; ++figure)
        for (uint32_t i = 0; i < 4; ++i)
            assert_int_equal(pictures.list[0].values[figure][i], expected[figure][i]);
    /* There is room for so many, and what has none is counted. */
    for (uint32_t i = 0; i < WS_THREAD_PICTURES_MAX + 1; ++i)
        assert_true(ws_thread_pictures_add(&pictures, &catalog, &all, &sums));
    assert_int_equal(pictures.count, WS_THREAD_PICTURES_MAX);
    assert_int_equal(pictures.left_out, 2);
    assert_int_equal(pictures.pixels, 4 * WS_THREAD_PICTURES_MAX);
    ws_thread_pictures_finish(&pictures);
    /* And for so many pixels of all. */
    pictures.pixels = WS_THREAD_PICTURES_ALL - 7;
    assert_true(ws_thread_pictures_add(&pictures, &catalog, &all, &sums));
    assert_true(ws_thread_pictures_add(&pictures, &catalog, &all, &sums));
    assert_int_equal(pictures.count, 1);
    assert_int_equal(pictures.left_out, 1);
    ws_thread_pictures_finish(&pictures);
    ws_thread_sums_finish(&sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_by_hand), cmocka_unit_test(pictures_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
