/* Free lists and block sizes of the layer's heaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/memory/free_list.h"

static uint64_t take(struct ws_free_list *list, uint64_t size)
{
    uint64_t offset = UINT64_MAX;
    assert_true(ws_free_list_take(list, size, &offset));
    return offset;
}

static void test_first_fit_from_the_front(void **state)
{
    (void)state;
    struct ws_free_list list;
    uint64_t offset;
    assert_true(ws_free_list_init(&list, 100));
    assert_int_equal(take(&list, 30), 0);
    assert_int_equal(take(&list, 50), 30);
    assert_false(ws_free_list_take(&list, 21, &offset));
    assert_int_equal(take(&list, 20), 80);
    assert_int_equal(list.count, 0);
    ws_free_list_finish(&list);
}

static void test_neighbours_merge(void **state)
{
    (void)state;
    struct ws_free_list list;
    assert_true(ws_free_list_init(&list, 100));
    for (int i = 0; i < 10; i++)
        take(&list, 10);
    ws_free_list_give(&list, 20, 10);
    ws_free_list_give(&list, 60, 10);
    ws_free_list_give(&list, 40, 10);
    assert_int_equal(list.count, 3);
    ws_free_list_give(&list, 30, 10); /* joins both sides */
    assert_int_equal(list.count, 2);
    assert_int_equal(list.parts[0].offset, 20);
    assert_int_equal(list.parts[0].size, 30);
    ws_free_list_give(&list, 50, 10); /* and again */
    ws_free_list_give(&list, 10, 10); /* before */
    ws_free_list_give(&list, 70, 10); /* behind */
    assert_int_equal(list.count, 1);
    assert_int_equal(list.parts[0].offset, 10);
    assert_int_equal(list.parts[0].size, 70);
    assert_int_equal(take(&list, 70), 10);
    ws_free_list_finish(&list);
}

static void test_blocks_double_up_to_a_limit(void **state)
{
    (void)state;
    assert_int_equal(ws_block_size(0, 16), WS_BLOCK_MIN);
    assert_int_equal(ws_block_size(WS_BLOCK_MIN, 16), WS_BLOCK_MIN);
    assert_int_equal(ws_block_size(8 * WS_BLOCK_MIN, 16), 8 * WS_BLOCK_MIN);
    assert_int_equal(ws_block_size(1000 * WS_BLOCK_MAX, 16), WS_BLOCK_MAX);
    /* A request larger than that gets a block of its own, in whole steps. */
    assert_int_equal(ws_block_size(0, WS_BLOCK_MIN + 1), 2 * WS_BLOCK_MIN);
    assert_int_equal(ws_block_size(0, 3 * WS_BLOCK_MAX), 3 * WS_BLOCK_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_fit_from_the_front),
        cmocka_unit_test(test_neighbours_merge),
        cmocka_unit_test(test_blocks_double_up_to_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
