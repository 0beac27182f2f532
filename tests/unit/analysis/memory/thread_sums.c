/* Sums by thread, by hand: warps of 8 lanes, of which the lanes 0 and 1 have the threads 5 and 9. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analysis/memory/thread_sums.h"
#include "warpscope/instrument.h"

static const struct ws_thread_row *row_of(const struct ws_thread_sums *sums, uint32_t thread,
                                          const char *buffer)
{
    for (uint32_t i = 0; i < sums->row_count; ++i)
        if (sums->rows[i].thread == thread && sums->rows[i].buffer == buffer)
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
    uint32_t threads[8] = {5, 9, WS_NONE, WS_NONE, WS_NONE, WS_NONE, WS_NONE, WS_NONE};
    const struct ws_context context = {.lane_count = 8, .threads = threads};
    const struct ws_traced_access to_near = {.memory = near};
    const struct ws_traced_access to_far = {.memory = far};
    const struct ws_caches_sums both = {
        .requests = 1, .lanes = 2, .slots = 8, .sectors = 4, .l1_sectors = 4, .l1_hits = 3};
    const struct ws_caches_sums one = {.requests = 1, .lanes = 1, .slots = 8, .sectors = 1, .l1_sectors = 1};
    struct ws_thread_sums sums = {0};
    assert_true(ws_thread_sums_add(&sums, &context, ws_lanes_first(2), &to_near, &both));
    assert_true(ws_thread_sums_add(&sums, &context, ws_lanes_one(1), &to_near, &one));
    assert_true(ws_thread_sums_add(&sums, &context, ws_lanes_first(2), &to_far, &both));
    /* Lanes whose threads are not known are left out. */
    assert_true(ws_thread_sums_add(&sums, &context, ws_lanes_one(2), &to_far, &one));
    assert_int_equal(sums.row_count, 4);
    const struct ws_caches_sums *nine = &row_of(&sums, 9, near)->sums;
    assert_int_equal(nine->requests, 2);
    assert_int_equal(nine->lanes, 3);
    assert_int_equal(nine->slots, 16);
    assert_int_equal(nine->l1_hits, 3);
    assert_int_equal(nine->l1_sectors, 5);
    const struct ws_caches_sums *five = &row_of(&sums, 5, near)->sums;
    assert_int_equal(five->requests, 1);
    assert_int_equal(five->lanes, 2);
    assert_int_equal(five->slots, 8);
    assert_int_equal(five->l1_hits, 3);
    assert_int_equal(five->l1_sectors, 4);
    assert_int_equal(row_of(&sums, 9, far)->sums.requests, 1);
    ws_thread_sums_finish(&sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
