/* Names of ray events. Which event each place has: tests/golden/instrument/ray_events*, and tests/device/events. */
#include "warpscope/ray_events.h"
#include "tests/unit/analysis/capture/capture_test.h"

static void every_name(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WS_RAY_EVENT_COUNT; ++i) {
        assert_non_null(ws_ray_event_name((enum ws_ray_event)i));
        for (uint32_t j = 0; j < i; ++j)
            assert_string_not_equal(ws_ray_event_name((enum ws_ray_event)i),
                                    ws_ray_event_name((enum ws_ray_event)j));
    }
    assert_string_equal(ws_ray_event_name(WS_RAY_CLOSEST_HIT), "closest_hit");
    assert_string_equal(ws_ray_event_name(WS_RAY_EVENT_COUNT), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
