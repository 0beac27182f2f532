/* Warps in flight, against numbers worked out by hand. */
#include "analysis/time/flight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check(const struct ws_flight_warp *warps, uint32_t count, const struct ws_flight *expected)
{
    struct ws_flight flight;
    assert_true(ws_flight_of(warps, count, &flight));
    assert_int_equal(flight.first, expected->first);
    assert_int_equal(flight.last, expected->last);
    assert_int_equal(flight.peak, expected->peak);
    assert_int_equal(flight.warp_ticks, expected->warp_ticks);
    assert_int_equal(flight.tail, expected->tail);
    assert_int_equal(flight.drain, expected->drain);
}

/* The example of flight.h, 100 ticks later and in another order. */
static const struct ws_flight_warp example[] = {{105, 120}, {104, 106}, {100, 110}, {100, 104}};

static void the_example(void **state)
{
    (void)state;
    check(example, 4, &(struct ws_flight){100, 120, 3, 31, 10, 24});
}

static void no_tail(void **state)
{
    (void)state;
    check(NULL, 0, &(struct ws_flight){0, 0, 0, 0, 0, 0});
    /* One after the other: the peak is 1, and nothing is free. */
    check((const struct ws_flight_warp[]){{5, 7}, {7, 9}}, 2, &(struct ws_flight){5, 9, 1, 4, 0, 0});
    /* Half of the peak is not below half of it; drain: 1 from 4 to 10. */
    check((const struct ws_flight_warp[]){{0, 4}, {0, 10}}, 2, &(struct ws_flight){0, 10, 2, 14, 0, 6});
    /* No time at all. */
    check((const struct ws_flight_warp[]){{3, 3}}, 1, &(struct ws_flight){3, 3, 0, 0, 0, 0});
    /* The largest numbers that there are. */
    check((const struct ws_flight_warp[]){{0, UINT64_MAX}}, 1,
          &(struct ws_flight){0, UINT64_MAX, 1, UINT64_MAX, 0, 0});
}

/* n is 4 up to 2, 1 up to 5, 4 up to 8, 1 up to 12: what falls and rises again is no tail. From 8 on: 4. Drain: the last begin
 * is at 5, so 3 free from 8 to 12. */
static void a_gap_is_no_tail(void **state)
{
    (void)state;
    check((const struct ws_flight_warp[]){{0, 2}, {0, 2}, {0, 2}, {0, 12}, {5, 8}, {5, 8}, {5, 8}}, 7,
          &(struct ws_flight){0, 12, 4, 6 + 12 + 9, 4, 12});
}

/* In parts of 5: n is 2 throughout; 3 for 1 and 2 for 4; 1; 1. */
static void bins(void **state)
{
    (void)state;
    struct ws_flight flight;
    double means[4];
    assert_true(ws_flight_of(example, 4, &flight));
    ws_flight_bins(&flight, example, 4, means, 4);
    const double expected[] = {2, 2.2, 1, 1};
    for (uint32_t i = 0; i < 4; ++i)
        assert_true(means[i] > expected[i] - 1e-9 && means[i] < expected[i] + 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example),
        cmocka_unit_test(no_tail),
        cmocka_unit_test(a_gap_is_no_tail),
        cmocka_unit_test(bins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
