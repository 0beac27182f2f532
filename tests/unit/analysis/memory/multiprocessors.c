/* Where warps run: the examples of the header. */
#include "analysis/memory/warps/multiprocessors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A warp of one thread, by its work id, and where it is to run. */
struct warp {
    uint32_t work[3];
    uint32_t runs_on;
};

static uint32_t ran_on;

static bool run(void *user, const struct ws_execution *execution)
{
    (void)user;
    ran_on = execution->multiprocessor;
    return true;
}

/* `local_size`: threads of a workgroup in x; 0 = the shader has none. */
static void check(uint32_t stage, uint32_t local_size, uint32_t tile, const struct warp *warps,
                  uint32_t count)
{
    struct ws_shader_record shader = {.local_size = {local_size, 1, 1}};
    const struct ws_catalog catalog = {.shaders = &shader, .shader_count = 1};
    const struct ws_launch_record launch = {.size = {64, 64, 1}};
    struct ws_multiprocessors multiprocessors = {
        .catalog = &catalog, .launch = &launch, .count = 2, .tile = tile, .wide = {.run = run}};
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_thread thread = {.warp = i};
        uint32_t index = 0;
        struct ws_execution execution = {.lane_count = 1};
        struct ws_context context = {
            .stage = stage, .warp = i, .lane_count = 1, .entered = ws_lanes_one(0), .threads = &index};
        memcpy(thread.work, warps[i].work, sizeof(thread.work));
        ran_on = UINT32_MAX;
        assert_true(ws_multiprocessors_enter(&multiprocessors, &context, &thread) &&
                    ws_multiprocessors_run(&multiprocessors, &context, &execution) &&
                    ws_multiprocessors_close(&multiprocessors, &context));
        assert_int_equal(ran_on, warps[i].runs_on);
    }
    ws_multiprocessors_finish(&multiprocessors);
}

static void in_turn(void **state)
{
    static const struct warp rays[] = {{{0}, 0}, {{8}, 1}, {{4}, 0}, {{16}, 1}};
    static const struct warp threads[] = {{{0}, 0}, {{16}, 1}, {{8}, 0}, {{24}, 1}, {{32}, 0}};
    (void)state;
    check(WS_STAGE_RAYGEN, 0, 0, rays, 4);
    check(WS_STAGE_FRAGMENT, 0, 0, rays, 4);
    check(WS_STAGE_COMPUTE, 16, 0, threads, 5);
}

static void by_tiles(void **state)
{
    static const struct warp rays[] = {{{0}, 0}, {{8}, 1}, {{4}, 0}, {{16}, 0}};
    /* The next row of tiles, and the next slice, are others: they get what is next. */
    static const struct warp rows[] = {{{0}, 0}, {{0, 7}, 0}, {{0, 8}, 1}, {{0, 0, 1}, 0}, {{0, 8}, 1}};
    /* A fragment's work word has x in its low half, and y above it. */
    static const struct warp fragments[] = {
        {{0}, 0}, {{8}, 1}, {{7 << 16 | 7}, 0}, {{8 << 16}, 0}, {{8 << 16 | 9}, 1}};
    static const struct warp threads[] = {{{0}, 0}, {{16}, 1}, {{8}, 0}, {{24}, 1}, {{32}, 0}};
    (void)state;
    check(WS_STAGE_RAYGEN, 0, 8, rays, 4);
    check(WS_STAGE_RAYGEN, 0, 8, rows, 5);
    check(WS_STAGE_FRAGMENT, 0, 8, fragments, 5);
    check(WS_STAGE_COMPUTE, 16, 8, threads, 5); /* workgroups have no tiles */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_turn),
        cmocka_unit_test(by_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
