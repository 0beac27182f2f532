/* The analysis `time`: sums, shares, intervals and spreads, against numbers worked out by hand. */
#include "analysis/time/launch_times.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/analysis/model/timed_run.h"
#include "warpscope/model/names.h"
#include "warpscope/report/findings.h"

static struct ws_launch_times *analyse(struct ws_catalog *catalog)
{
    static const struct ws_analysis_options options = {.rows = 0};
    struct ws_error error = {{0}};
    assert_true(ws_names_make(catalog, &error));
    struct ws_launch_times *results = ws_analysis_time.create(catalog, &options, &error);
    assert_non_null(results);
    assert_true(ws_analysis_time.end(results, &error));
    return results;
}

/* The row of a level that has `key` in the dimension of the level. */
static const struct ws_time_sums *row(const struct ws_launch_times *results, enum ws_time_level level,
                                      uint64_t key)
{
    static const enum ws_time_dimension dimensions[] = {
        [WS_TIME_BY_PLACE] = WS_TIME_PLACE, [WS_TIME_BY_PIPELINE] = WS_TIME_PIPELINE,
        [WS_TIME_BY_LABEL] = WS_TIME_LABEL, [WS_TIME_BY_FRAME] = WS_TIME_FRAME,
        [WS_TIME_BY_QUEUE] = WS_TIME_QUEUE, [WS_TIME_BY_LAUNCH] = WS_TIME_LAUNCH,
    };
    for (uint32_t i = 0; i < ws_groups_count(results->groups, level); i++) {
        struct ws_row found;
        ws_groups_row(results->groups, level, i, &found);
        if (level == WS_TIME_BY_ALL || found.keys[dimensions[level]] == key)
            return found.sums;
    }
    fail_msg("level %d has no row %u", (int)level, (unsigned)key);
    return NULL;
}

static void check(const struct ws_time_sums *sums, uint64_t launches, uint64_t untimed, uint64_t ns,
                  uint64_t interval)
{
    assert_int_equal(sums->launches, launches);
    assert_int_equal(sums->untimed, untimed);
    assert_int_equal(sums->nanoseconds, ns);
    assert_int_equal(sums->interval, interval);
}

static void check_spread(const struct ws_time_spread *spread, uint64_t count, uint64_t least, uint64_t median,
                         uint64_t most)
{
    assert_int_equal(spread->count, count);
    assert_int_equal(spread->least, least);
    assert_int_equal(spread->median, median);
    assert_int_equal(spread->most, most);
}

/* Three frames. In each pipeline 0 runs twice, and pipeline 1 once under the label "late":
 *
 *   frame   pipeline 0    pipeline 1   from first to last
 *   0       100 + 300     50           0 to 600: 600
 *   1       120 + 330     none taken   10000 to 10600: 600
 *   2       110 + 280     70           20000 to 20900: 900 */
static void three_frames(struct ws_catalog *catalog)
{
    timed_run_begin(catalog, 200, false);
    for (uint32_t i = 0; i < 9; i++)
        timed_run_launch(catalog, i, i / 3, i % 3 / 2, 8, i % 3 == 2 ? "late" : "");
    timed_run_time(catalog, 0, 0, 100);
    timed_run_time(catalog, 1, 200, 300);
    timed_run_time(catalog, 2, 550, 50);
    timed_run_time(catalog, 3, 10000, 120);
    timed_run_time(catalog, 4, 10270, 330);
    timed_run_times(catalog, 64, 1000000, &(struct ws_launch_time){5, WS_TIME_MIXED, 0, 0}, 1);
    timed_run_time(catalog, 6, 20000, 110);
    timed_run_time(catalog, 7, 20300, 280);
    timed_run_time(catalog, 8, 20830, 70);
}

static void test_three_frames(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_time_spread spread;
    three_frames(&catalog);
    struct ws_launch_times *results = analyse(&catalog);
    check(row(results, WS_TIME_BY_ALL, 0), 9, 1, 1360, 600 + 600 + 900);
    check(row(results, WS_TIME_BY_PIPELINE, 0), 6, 0, 1240, 0);
    check(row(results, WS_TIME_BY_PIPELINE, 1), 3, 1, 120, 0);
    check(row(results, WS_TIME_BY_LABEL, 1), 3, 1, 120, 0);
    assert_string_equal(results->labels[1], "late");
    check(row(results, WS_TIME_BY_FRAME, 1), 3, 1, 450, 600);
    check(row(results, WS_TIME_BY_FRAME, 2), 3, 0, 460, 900);
    check(row(results, WS_TIME_BY_QUEUE, 0), 9, 1, 1360, 2100);
    check(row(results, WS_TIME_BY_LAUNCH, 7), 1, 0, 280, 0);
    assert_int_equal(results->place_count, 3);
    check(row(results, WS_TIME_BY_PLACE, 1), 3, 0, 910, 0); /* the second of pipeline 0 */
    assert_int_equal(results->frames, 3);
    assert_int_equal(results->states[WS_TIME_MIXED], 1);
    assert_int_equal(results->states[WS_TIME_TAKEN], 8);

    assert_true(ws_time_spread_of_launches(row(results, WS_TIME_BY_PIPELINE, 0), &spread));
    check_spread(&spread, 6, 100, 120, 330); /* 100 110 120 280 300 330: the lower one in the middle */
    assert_true(ws_time_spread_of_frames(row(results, WS_TIME_BY_PIPELINE, 0), &spread));
    check_spread(&spread, 3, 390, 400, 450);
    assert_true(ws_time_spread_of_frames(row(results, WS_TIME_BY_PIPELINE, 1), &spread));
    check_spread(&spread, 2, 50, 50, 70); /* not frame 1 */
    assert_true(ws_time_spread_of_frames(row(results, WS_TIME_BY_ALL, 0), &spread));
    check_spread(&spread, 3, 450, 450, 460);
    assert_true(ws_time_spread_of_launches(row(results, WS_TIME_BY_PLACE, 2), &spread));
    check_spread(&spread, 2, 50, 50, 70);
    ws_analysis_time.destroy(results);
    ws_catalog_finish(&catalog);
}

/* What is said when no launch has a time. */
/* A program that never presents, and labels what it calls frames: its equal launches are one place. */
static void test_one_frame(void **state)
{
    static const char *const labels[] = {"Frame 8/blur", "Frame 9/blur", "Frame 10/blur", "mip 1", "mip 2"};
    static const uint64_t times[] = {100, 500, 200, 40, 30};
    (void)state;
    struct ws_catalog catalog;
    struct ws_time_spread spread;
    timed_run_begin(&catalog, 200, false);
    for (uint32_t i = 0; i < 5; i++) {
        timed_run_launch(&catalog, i, 0, 0, 8, labels[i]);
        timed_run_time(&catalog, i, 1000 * i, times[i]);
    }
    struct ws_launch_times *results = analyse(&catalog);
    assert_true(results->one_frame);
    assert_int_equal(results->place_count, 3);
    check(row(results, WS_TIME_BY_PLACE, 0), 3, 0, 800, 0);
    check(row(results, WS_TIME_BY_PLACE, 2), 1, 0, 30, 0);
    check(row(results, WS_TIME_BY_LABEL, 0), 3, 0, 800, 0);
    assert_string_equal(results->labels[0], "Frame #/blur");
    assert_string_equal(results->labels[2], "mip 2");
    assert_true(ws_time_spread_of_launches(row(results, WS_TIME_BY_PLACE, 0), &spread));
    check_spread(&spread, 3, 100, 200, 500);
    ws_analysis_time.destroy(results);
    ws_catalog_finish(&catalog);
}

static const struct ws_finding *find(const struct ws_findings *findings, const char *title)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (strcmp(findings->all[i].title, title) == 0)
            return &findings->all[i];
    fail_msg("there is no finding '%s'", title);
    return NULL;
}

/* Of the three frames: 1240 of 1360 ns are of pipeline 0. From first to last 2100 ns pass: 65 %. No frame takes far
 * longer: 450 450 460. With a fourth of 2000 one does: the median of 450 450 460 2000 is 450. */
static void test_findings(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_findings findings = {.all = NULL};
    three_frames(&catalog);
    struct ws_launch_times *results = analyse(&catalog);
    findings.analysis = &ws_analysis_time;
    assert_true(ws_launch_times_findings(results, &findings));
    const struct ws_finding *most = find(&findings, "most time in");
    assert_int_equal(most->kind, WS_FINDING_SPENT);
    assert_true(most->size == 1240.0 / 1360);
    assert_non_null(strstr(most->text, "91.2 %"));
    assert_true(find(&findings, "by launch")->size == 910.0 / 1360);
    assert_true(find(&findings, "by label")->size == 1240.0 / 1360);
    assert_non_null(strstr(find(&findings, "Time between launches")->text, "take 65 %"));
    for (uint32_t i = 0; i < findings.count; i++)
        assert_null(strstr(findings.all[i].title, "far longer"));
    ws_findings_finish(&findings);
    ws_analysis_time.destroy(results);

    timed_run_launch(&catalog, 9, 3, 0, 8, "");
    timed_run_time(&catalog, 9, 30000, 2000);
    results = analyse(&catalog);
    assert_true(ws_launch_times_findings(results, &findings));
    const struct ws_finding *far = find(&findings, "Frames that take far longer than others");
    assert_string_equal(far->place, "frame 3");
    assert_string_equal(far->text,
                        "1 of 4 frames takes more than twice the median of 450 ns; this one takes 2.0 us.");
    ws_findings_finish(&findings);
    ws_analysis_time.destroy(results);
    ws_catalog_finish(&catalog);
}

static void test_nothing_is_timed(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    struct ws_time_spread spread;
    timed_run_begin(&catalog, 200, false);
    timed_run_launch(&catalog, 0, 0, 0, 8, "");
    timed_run_launch(&catalog, 1, 0, 0, 8, "");
    timed_run_times(&catalog, 0, 1000000, &(struct ws_launch_time){0, WS_TIME_NO_TIMESTAMPS, 0, 0}, 1);
    struct ws_launch_times *results = analyse(&catalog);
    check(row(results, WS_TIME_BY_ALL, 0), 2, 2, 0, 0);
    assert_false(ws_time_spread_of_launches(row(results, WS_TIME_BY_ALL, 0), &spread));
    assert_false(ws_time_spread_of_frames(row(results, WS_TIME_BY_ALL, 0), &spread));
    assert_int_equal(results->states[WS_TIME_NO_TIMESTAMPS], 1);
    assert_int_equal(results->absent, 1);

    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_true(ws_analysis_time.text(results, stream));
    ws_analysis_time.notes(results, stream);
    fclose(stream);
    assert_non_null(strstr(text, "no launch has a time"));
    assert_non_null(strstr(text, "no time of 1 launch: their queue has no timestamps"));
    free(text);
    ws_analysis_time.destroy(results);
    ws_catalog_finish(&catalog);
}

static void test_declaration(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    if (!ws_columns_check(&ws_time_columns, &error))
        fail_msg("%s", error.message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_frames), cmocka_unit_test(test_one_frame),
        cmocka_unit_test(test_findings),     cmocka_unit_test(test_nothing_is_timed),
        cmocka_unit_test(test_declaration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
