/* More analyses of records than the replay has room for: the last ones are given up, and the others go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/report/report.h"
#include "analysis/trace/divergence.h"
#include "warpscope/model/replay.h"

#define MORE 2

static const char *capture;

static void full_replay(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    struct ws_analysis copies[WS_CONTEXT_USERS + MORE];
    const struct ws_analysis *list[WS_CONTEXT_USERS + MORE + 1] = {NULL};
    for (size_t i = 0; i < WS_CONTEXT_USERS + MORE; ++i) {
        copies[i] = ws_analysis_divergence;
        list[i] = &copies[i];
    }
    struct ws_report report;
    if (!ws_report_read(&report, capture, &(struct ws_report_request){.list = list}, &error))
        fail_msg("%s", error.message);
    assert_int_equal(report.part_count, WS_CONTEXT_USERS);
    assert_int_equal(report.given_up_count, MORE);
    assert_ptr_equal(report.given_up[0].analysis, &copies[WS_CONTEXT_USERS]);
    assert_string_equal(report.given_up[0].error.message,
                        "no more than 16 analyses can read records at a time: name this one alone");
    ws_report_finish(&report);
}

/* What comes after the full replay: a part that it has one place for, and that hears two things more. It is given up with the
 * same words, and leaves its place to the next. */
static bool hear_two(void *results, struct ws_replay *replay)
{
    static const struct ws_replay_operations none = {.pass = "nothing"};
    static const struct ws_replay_operations more = {.pass = "nothing either"};
    uint32_t number = 0;
    return ws_replay_add(replay, &none, results, &number) && ws_replay_add(replay, &more, results, &number);
}

static void no_room_to_hear(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    struct ws_analysis copies[WS_CONTEXT_USERS + 1];
    const struct ws_analysis *list[WS_CONTEXT_USERS + 2] = {NULL};
    for (size_t i = 0; i <= WS_CONTEXT_USERS; ++i) {
        copies[i] = ws_analysis_divergence;
        list[i] = &copies[i];
    }
    copies[WS_CONTEXT_USERS - 1].hear = hear_two;
    struct ws_report report;
    if (!ws_report_read(&report, capture, &(struct ws_report_request){.list = list}, &error))
        fail_msg("%s", error.message);
    assert_int_equal(report.part_count, WS_CONTEXT_USERS);
    assert_int_equal(report.given_up_count, 1);
    assert_ptr_equal(report.given_up[0].analysis, &copies[WS_CONTEXT_USERS - 1]);
    assert_string_equal(report.given_up[0].error.message,
                        "no more than 16 analyses can read records at a time: name this one alone");
    ws_report_finish(&report);
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(full_replay), cmocka_unit_test(no_room_to_hear)};
    if (argument_count != 2)
        return 2;
    capture = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
