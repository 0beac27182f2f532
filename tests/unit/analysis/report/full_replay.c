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

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(full_replay)};
    if (argument_count != 2)
        return 2;
    capture = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
