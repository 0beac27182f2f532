/* Which event a record is, by its site, opcode, stage and words: every line of the table in ray_events.h. */
#include "warpscope/ray_events.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "warpscope/stage.h"

#include <spirv/unified1/spirv.h>

static void every_event(void **state)
{
    (void)state;
    static const struct {
        uint32_t kind, opcode, stage, words;
        enum ws_ray_event event;
    } rows[] = {
        {WS_SITE_DATA, SpvOpTraceRayKHR, WS_STAGE_RAYGEN, 10, WS_RAY_TRACE},
        {WS_SITE_DATA, SpvOpTraceNV, WS_STAGE_CLOSEST_HIT, 10, WS_RAY_TRACE},
        {WS_SITE_DATA, SpvOpTraceRayMotionNV, WS_STAGE_MISS, 11, WS_RAY_TRACE},
        {WS_SITE_DATA, SpvOpTraceMotionNV, WS_STAGE_RAYGEN, 11, WS_RAY_TRACE},
        {WS_SITE_PLACE_AFTER, SpvOpTraceRayKHR, WS_STAGE_RAYGEN, 0, WS_RAY_RETURN},
        {WS_SITE_PLACE_AFTER, SpvOpTraceMotionNV, WS_STAGE_RAYGEN, 0, WS_RAY_RETURN},
        {WS_SITE_ENTRY, SpvOpLoad, WS_STAGE_MISS, 0, WS_RAY_MISS},
        {WS_SITE_DATA, SpvOpLoad, WS_STAGE_CLOSEST_HIT, 7, WS_RAY_CLOSEST_HIT},
        {WS_SITE_DATA, SpvOpTraceRayKHR, WS_STAGE_CLOSEST_HIT, 7, WS_RAY_CLOSEST_HIT},
        {WS_SITE_DATA, SpvOpReturn, WS_STAGE_ANY_HIT, 7, WS_RAY_ANY_HIT},
        {WS_SITE_DATA, SpvOpLoad, WS_STAGE_INTERSECTION, 4, WS_RAY_INTERSECTION},
        {WS_SITE_DATA, SpvOpReportIntersectionKHR, WS_STAGE_INTERSECTION, 2, WS_RAY_REPORT},
        {WS_SITE_PLACE_END, SpvOpReturn, WS_STAGE_ANY_HIT, 0, WS_RAY_ACCEPT},
        {WS_SITE_PLACE_END, SpvOpIgnoreIntersectionKHR, WS_STAGE_ANY_HIT, 0, WS_RAY_IGNORE},
        {WS_SITE_PLACE_END, SpvOpIgnoreIntersectionNV, WS_STAGE_ANY_HIT, 0, WS_RAY_IGNORE},
        {WS_SITE_PLACE_END, SpvOpTerminateRayKHR, WS_STAGE_ANY_HIT, 0, WS_RAY_TERMINATE},
        {WS_SITE_PLACE_END, SpvOpTerminateRayNV, WS_STAGE_ANY_HIT, 0, WS_RAY_TERMINATE},
        {WS_SITE_DATA, SpvOpRayQueryInitializeKHR, WS_STAGE_COMPUTE, 11, WS_RAY_INITIALIZE},
        {WS_SITE_DATA, SpvOpRayQueryProceedKHR, WS_STAGE_FRAGMENT, 9, WS_RAY_PROCEED},
        {WS_SITE_DATA, SpvOpRayQueryConfirmIntersectionKHR, WS_STAGE_COMPUTE, 1, WS_RAY_CONFIRM},
        {WS_SITE_DATA, SpvOpRayQueryGenerateIntersectionKHR, WS_STAGE_COMPUTE, 2, WS_RAY_GENERATE},
        {WS_SITE_DATA, SpvOpRayQueryTerminateKHR, WS_STAGE_COMPUTE, 1, WS_RAY_TERMINATE_QUERY},
        {WS_SITE_PLACE_BEFORE, SpvOpExecuteCallableKHR, WS_STAGE_RAYGEN, 0, WS_RAY_CALL},
        {WS_SITE_PLACE_BEFORE, SpvOpExecuteCallableNV, WS_STAGE_RAYGEN, 0, WS_RAY_CALL},
        /* None of them. */
        {WS_SITE_PLACE_BEFORE, SpvOpTraceRayKHR, WS_STAGE_RAYGEN, 0, WS_RAY_NONE},
        {WS_SITE_PLACE_AFTER, SpvOpExecuteCallableKHR, WS_STAGE_RAYGEN, 0, WS_RAY_NONE},
        {WS_SITE_PLACE_END, SpvOpReturn, WS_STAGE_CLOSEST_HIT, 0, WS_RAY_NONE},
        {WS_SITE_PLACE_END, SpvOpUnreachable, WS_STAGE_ANY_HIT, 0, WS_RAY_NONE},
        {WS_SITE_ENTRY, SpvOpLoad, WS_STAGE_RAYGEN, 0, WS_RAY_NONE},
        {WS_SITE_ENTRY, SpvOpLoad, WS_STAGE_CALLABLE, 0, WS_RAY_CALLABLE},
        {WS_SITE_DATA, SpvOpTraceRayKHR, WS_STAGE_RAYGEN, 11, WS_RAY_NONE},
        {WS_SITE_DATA, SpvOpTraceRayMotionNV, WS_STAGE_RAYGEN, 10, WS_RAY_NONE},
        {WS_SITE_DATA, SpvOpLoad, WS_STAGE_INTERSECTION, 7, WS_RAY_NONE},
        {WS_SITE_DATA, SpvOpLoad, WS_STAGE_RAYGEN, 7, WS_RAY_NONE},
        {WS_SITE_PLACE_BLOCK, SpvOpReturn, WS_STAGE_ANY_HIT, 0, WS_RAY_NONE},
        {WS_SITE_CONTINUE, SpvOpTraceRayKHR, WS_STAGE_MISS, 0, WS_RAY_NONE},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
        if (ws_ray_event_of(rows[i].kind, rows[i].opcode, rows[i].stage, rows[i].words) != rows[i].event)
            fail_msg("row %zu is no %s", i, ws_ray_event_name(rows[i].event));
}

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_event), cmocka_unit_test(every_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
