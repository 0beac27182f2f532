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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),
        cmocka_unit_test(renewed),
        cmocka_unit_test(seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
