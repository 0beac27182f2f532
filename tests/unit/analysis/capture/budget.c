/* What reading may cost: steps by the size of the file, or seconds. */
#include "tests/unit/analysis/capture/capture_test.h"

#include "warpscope/capture/budget.h"

static void steps(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    ws_budget_begin(0);
    ws_budget_reach(10);
    ws_budget_reach(4); /* the file is read again */
    assert_true(ws_budget_spend(WS_STEPS_LEAST + 10 * WS_STEPS_PER_BYTE));
    assert_false(ws_budget_exceeded(&error));
    assert_false(ws_budget_spend(1));
    assert_false(ws_budget_spend(0));
    assert_true(ws_budget_exceeded(&error));
    assert_string_equal(error.message,
                        "the capture asks for more work than 10 bytes can need; --max-seconds 600 "
                        "works on it for so long");
    assert_int_equal(ws_budget_spent(), WS_STEPS_LEAST + 10 * WS_STEPS_PER_BYTE + 1);
}

/* It was exceeded even if there is more now. */
static void renewed(void **state)
{
    (void)state;
    ws_budget_begin(0);
    ws_budget_renew();
    assert_true(ws_budget_spend(WS_STEPS_LEAST));
    assert_false(ws_budget_spend(1));
    ws_budget_renew();
    assert_true(ws_budget_spend(WS_STEPS_LEAST));
    assert_false(ws_budget_spend(1));
    assert_true(ws_budget_exceeded(NULL));
    ws_budget_begin(0);
    assert_false(ws_budget_exceeded(NULL));
}

/* With seconds the steps are not limited. */
static void seconds(void **state)
{
    (void)state;
    ws_budget_begin(1000000);
    assert_true(ws_budget_spend(UINT64_C(1) << 60));
    assert_false(ws_budget_exceeded(NULL));
}

/* Of two shares each has all that was left; together they spend more than that. */
static void shares(void **state)
{
    (void)state;
    ws_budget_begin(0);
    assert_true(ws_budget_spend(100));
    struct ws_budget_share first = ws_budget_share_make();
    struct ws_budget_share second = ws_budget_share_make();
    ws_budget_share_use(&first);
    assert_true(ws_budget_spend(WS_STEPS_LEAST - 100));
    ws_budget_share_use(&second);
    assert_true(ws_budget_spend(WS_STEPS_LEAST - 100));
    ws_budget_share_use(NULL);
    assert_false(ws_budget_exceeded(NULL));
    assert_int_equal(ws_budget_spent(), 100);
    ws_budget_share_return(&first);
    ws_budget_share_return(&second);
    assert_int_equal(ws_budget_spent(), 2 * WS_STEPS_LEAST - 100);
    assert_false(ws_budget_spend(0));
}

/* What exceeds its share is given up, and no other share. */
static void share_exceeded(void **state)
{
    (void)state;
    ws_budget_begin(0);
    struct ws_budget_share first = ws_budget_share_make();
    struct ws_budget_share second = ws_budget_share_make();
    ws_budget_share_use(&first);
    assert_false(ws_budget_spend(WS_STEPS_LEAST + 1));
    assert_false(ws_budget_spend(0));
    assert_true(ws_budget_exceeded(NULL));
    ws_budget_share_use(&second);
    assert_true(ws_budget_spend(1));
    ws_budget_share_use(NULL);
    assert_true(ws_budget_spend(0));
    ws_budget_share_return(&second);
    assert_true(ws_budget_spend(0));
    ws_budget_share_return(&first);
    assert_false(ws_budget_spend(0));
    struct ws_budget_share third = ws_budget_share_make();
    ws_budget_share_use(&third);
    assert_false(ws_budget_spend(0));
    ws_budget_share_use(NULL);
    ws_budget_renew();
    assert_true(ws_budget_spend(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),  cmocka_unit_test(renewed),        cmocka_unit_test(seconds),
        cmocka_unit_test(shares), cmocka_unit_test(share_exceeded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
