/* What a capture says of itself, from chunks made by hand: its frames, submissions and launches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "warpscope/model/overview.h"

static void submit(struct ws_overview *overview, uint64_t frame, uint64_t index)
{
    struct ws_error error = {{0}};
    const struct ws_launch launch = {.index = index};
    struct ws_chunk chunk = {.type = WS_CHUNK_SUBMISSION};
    chunk.submission =
        (struct ws_chunk_submission){.index = index, .frame = frame, .launches = &launch, .launch_count = 1};
    assert_true(ws_overview_record(overview, &chunk, &error));
}

/* Frames 1 to 3 were chosen, and frame 2 has two submissions: these are three frames, not the four that end there. */
static void chosen_frames(void **state)
{
    (void)state;
    static const uint64_t frames[] = {1, 2, 2, 3};
    struct ws_overview overview;
    ws_overview_begin(&overview);
    assert_int_equal(overview.frames, 0);
    for (uint32_t i = 0; i < 4; ++i)
        submit(&overview, frames[i], 10 + i);
    assert_int_equal(overview.frames, 3);
    assert_int_equal(overview.submissions, 4);
    assert_int_equal(overview.launches, 4);
    ws_overview_finish(&overview);
}

/* A program that presents nothing has frame 0 only, whatever it submits. Two devices may count frames apart. */
static void frame_0(void **state)
{
    (void)state;
    struct ws_overview overview;
    ws_overview_begin(&overview);
    for (uint32_t i = 0; i < 5; ++i)
        submit(&overview, 0, i);
    assert_int_equal(overview.frames, 1);
    submit(&overview, UINT64_MAX, 5);
    submit(&overview, 0, 6);
    assert_int_equal(overview.frames, 2);
    ws_overview_finish(&overview);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chosen_frames), cmocka_unit_test(frame_0)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
