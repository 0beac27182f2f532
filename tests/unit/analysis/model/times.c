/* Times of launches, from ticks and from another run. All numbers are worked out by hand. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/analysis/model/timed_run.h"
#include "warpscope/model/launch_content.h"
#include "warpscope/model/times_join.h"

static void assert_time(const struct ws_catalog *catalog, uint64_t index, uint64_t expected)
{
    uint64_t ns = 7;
    assert_true(ws_times_launch(catalog, index, &ns));
    assert_int_equal(ns, expected);
}

static void assert_no_time(const struct ws_catalog *catalog, uint64_t index)
{
    uint64_t ns = 7;
    assert_false(ws_times_launch(catalog, index, &ns));
    assert_int_equal(ns, 0);
}

static void test_ticks(void **state)
{
    (void)state;
    assert_int_equal(ws_ticks_to_nanoseconds(0, 52083333), 0);
    assert_int_equal(ws_ticks_to_nanoseconds(12, 1000000), 12);
    /* 52.083333 ns a tick, as of a clock of 19.2 MHz: 19 200 000 ticks are a second, less 6.4 ns. */
    assert_int_equal(ws_ticks_to_nanoseconds(19200000, 52083333), 999999994);
    assert_int_equal(ws_ticks_to_nanoseconds(3, 1500000), 5); /* 4.5 is rounded up */
    assert_int_equal(ws_ticks_to_nanoseconds(UINT64_MAX, 1000000), UINT64_MAX);
    assert_int_equal(ws_ticks_to_nanoseconds(UINT64_MAX, 2000000), UINT64_MAX); /* does not fit */
    assert_int_equal(ws_ticks_to_nanoseconds(UINT64_MAX, UINT64_MAX), UINT64_MAX);
}

static void test_text(void **state)
{
    (void)state;
    char text[WS_TIME_TEXT];
    assert_string_equal(ws_time_text(0, text), "0 ns");
    assert_string_equal(ws_time_text(999, text), "999 ns");
    assert_string_equal(ws_time_text(1234, text), "1.2 us");
    assert_string_equal(ws_time_text(999949, text), "999.9 us");
    assert_string_equal(ws_time_text(999960, text), "1.00 ms");
    assert_string_equal(ws_time_text(17254000, text), "17.25 ms");
    assert_string_equal(ws_time_text(1500000000, text), "1.500 s");
}

/* Three launches of 300, 500 and 200 ns: 30, 50 and 20 % of a microsecond. */
static void test_sums(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    uint64_t ns;
    timed_run_begin(&catalog, 200, false);
    assert_false(ws_times_any(&catalog));
    assert_true(ws_times_share(&catalog, 5) == 0);
    timed_run_launch(&catalog, 0, 0, 0, 8, "shadow");
    timed_run_launch(&catalog, 1, 0, 1, 8, "");
    timed_run_launch(&catalog, 2, 0, 0, 9, "shadow");
    timed_run_launch(&catalog, 3, 0, 0, 9, "late");
    timed_run_time(&catalog, 0, 1000, 300);
    timed_run_time(&catalog, 1, 1400, 500);
    timed_run_time(&catalog, 2, 2000, 200);
    timed_run_time(&catalog, 2, 2000, 999); /* a second time, of a capture made to do harm */
    timed_run_time(&catalog, 9, 2000, 999); /* a launch that is not there */
    assert_true(ws_times_any(&catalog));
    assert_false(ws_times_are_instrumented(&catalog));
    assert_null(ws_times_joined(&catalog));
    assert_int_equal(ws_times_count(&catalog), 3);
    assert_int_equal(ws_times_total(&catalog), 1000);
    assert_time(&catalog, 1, 500);
    assert_no_time(&catalog, 3);
    assert_no_time(&catalog, 9);
    assert_true(ws_times_pipeline(&catalog, 0, &ns));
    assert_int_equal(ns, 500);
    assert_true(ws_times_share(&catalog, ns) == 0.5);
    assert_false(ws_times_pipeline(&catalog, 2, &ns));
    assert_true(ws_times_label(&catalog, "shadow", &ns));
    assert_int_equal(ns, 500);
    assert_false(ws_times_label(&catalog, "late", &ns));
    assert_int_equal(catalog.times.launches[2].begin, 1000); /* since the first */
    ws_catalog_finish(&catalog);
}

/* A clock of 36 bits that wraps around within the second launch and before the third. */
static void test_valid_bits(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    const uint64_t round = UINT64_C(1) << 36;
    timed_run_begin(&catalog, 200, true);
    for (uint32_t i = 0; i < 6; i++)
        timed_run_launch(&catalog, i, 0, 0, 8, "");
    const struct ws_launch_time list[] = {
        {0, WS_TIME_TAKEN, round - 500, round - 400},
        {1, WS_TIME_TAKEN, round - 100, 50},
        {2, WS_TIME_TAKEN, 70, 75},
        {3, WS_TIME_TAKEN, 100, 90},                              /* ends before it begins */
        {4, WS_TIME_TAKEN, (round * 3) + 200, (round * 5) + 230}, /* bits above mean nothing */
        {5, WS_TIME_NO_TIMESTAMPS, 0, 0},
    };
    timed_run_times(&catalog, 36, 2000000, list, 6); /* ticks of 2 ns */
    assert_true(ws_times_are_instrumented(&catalog));
    assert_time(&catalog, 0, 200);
    assert_time(&catalog, 1, 300);
    assert_time(&catalog, 2, 10);
    assert_no_time(&catalog, 3);
    assert_int_equal(catalog.times.launches[3].state, WS_TIME_BACKWARDS);
    assert_time(&catalog, 4, 60);
    assert_no_time(&catalog, 5);
    assert_int_equal(catalog.times.launches[5].state, WS_TIME_NO_TIMESTAMPS);
    assert_int_equal(catalog.times.launches[1].begin, 800);  /* 400 ticks after the first */
    assert_int_equal(catalog.times.launches[2].begin, 1140); /* 570 */
    assert_int_equal(catalog.times.launches[4].begin, 1400); /* 700 */
    assert_int_equal(ws_times_total(&catalog), 570);
    ws_catalog_finish(&catalog);
}

/* Places: of equal launches in a frame the first, the second, ... */
static void test_places(void **state)
{
    (void)state;
    struct ws_catalog catalog;
    timed_run_begin(&catalog, 200, false);
    timed_run_launch(&catalog, 0, 0, 0, 8, "");
    timed_run_launch(&catalog, 1, 0, 0, 8, "");
    timed_run_launch(&catalog, 2, 0, 0, 9, "");  /* another size */
    timed_run_launch(&catalog, 3, 0, 0, 8, "x"); /* another label */
    timed_run_launch(&catalog, 4, 0, 1, 8, "");  /* another pipeline */
    timed_run_launch(&catalog, 5, 1, 0, 8, "");  /* as 0, in the next frame */
    struct ws_launch_content *contents = ws_launch_contents(&catalog, &catalog.launches);
    assert_non_null(contents);
    assert_int_equal(contents[1].order, 1);
    assert_true(contents[0].content == contents[1].content);
    assert_true(ws_launch_place(&contents[0]) != ws_launch_place(&contents[1]));
    for (uint32_t i = 2; i < 5; i++)
        assert_true(contents[i].content != contents[0].content && contents[i].order == 0);
    assert_true(contents[2].pipelines == contents[0].pipelines &&
                contents[4].pipelines != contents[0].pipelines);
    assert_true(ws_launch_place(&contents[5]) == ws_launch_place(&contents[0]));
    free(contents);
    ws_catalog_finish(&catalog);
}

static void test_labels(void **state)
{
    static const char *const labels[][2] = {
        {"", ""},
        {"frame 12", "frame #"},
        {"Frame #7/blur", "Frame #/blur"},
        {"FRAME: 3", "FRAME: #"},
        {"frame_0 frame1", "frame_# frame#"},
        {"mip 3", "mip 3"},
        {"subframe 3", "subframe 3"},
        {"frame", "frame"},
        {"frame 3d", "frame 3d"},
        {"frames 3", "frames 3"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        char text[32];
        ws_label_without_frame(labels[i][0], text);
        assert_string_equal(text, labels[i][1]);
    }
}

/* The timed run has frames 0 to 3, each with pipeline 0 twice and pipeline 1 once; the recorded run has frame 2 and frame
 * 9, and launches that the other has not. */
static void test_join(void **state)
{
    (void)state;
    static const uint64_t of_first[] = {100, 130, 110, 120};
    struct ws_catalog timed_run;
    struct ws_catalog recorded;
    struct ws_error error = {{0}};
    timed_run_begin(&timed_run, 200, false);
    for (uint32_t frame = 0; frame < 4; frame++) {
        timed_run_launch(&timed_run, 3 * frame, frame, 0, 8, "a");
        timed_run_launch(&timed_run, 3 * frame + 1, frame, 0, 8, "a");
        timed_run_launch(&timed_run, 3 * frame + 2, frame, 1, 8, "");
        timed_run_time(&timed_run, 3 * frame, 10000 * frame, of_first[frame]);
        timed_run_time(&timed_run, 3 * frame + 1, 10000 * frame + 1000, 500 + frame);
    }
    timed_run_launch(&timed_run, 12, 3, 1, 64, "");
    timed_run_time(&timed_run, 12, 50000, 40);

    timed_run_begin(&recorded, 200, true);
    timed_run_launch(&recorded, 6, 2, 0, 8, "a");  /* the same number */
    timed_run_launch(&recorded, 20, 2, 0, 8, "a"); /* another number: the second of its content in frame 2 */
    timed_run_launch(&recorded, 21, 9, 0, 8, "a"); /* a frame that was not timed */
    timed_run_launch(&recorded, 22, 9, 1, 8, "");  /* there, without a time */
    timed_run_launch(&recorded, 23, 9, 1, 65, ""); /* its pipeline, with another size */
    timed_run_launch(
        &recorded, 12, 9, 0, 8,
        "a"); /* the number of another launch: of its content it is the first of frame 9, 21 the second */
    assert_true(ws_times_take(&recorded, &recorded.launches, &timed_run, "timed.wscope", &error));
    const struct ws_times_join *join = ws_times_joined(&recorded);
    assert_non_null(join);
    assert_string_equal(join->path, "timed.wscope");
    assert_int_equal(join->launches, 6);
    assert_int_equal(join->same, 2);
    assert_int_equal(join->typical, 2);
    assert_int_equal(join->untimed, 1);
    assert_int_equal(join->other, 1);
    assert_int_equal(join->elsewhere, 0);
    assert_time(&recorded, 6, 110);
    assert_time(&recorded, 20, 502);
    assert_time(&recorded, 12, 110); /* the lower one of 110 and 120 */
    assert_time(&recorded, 21, 501); /* of 500, 501, 502, 503 */
    assert_no_time(&recorded, 22);
    assert_no_time(&recorded, 23);
    assert_int_equal(ws_times_total(&recorded), 110 + 502 + 110 + 501);
    assert_false(ws_times_are_instrumented(&recorded)); /* though its own shaders were */
    ws_catalog_finish(&recorded);
    ws_catalog_finish(&timed_run);
}

/* Of two equal launches the second is chosen, in a run whose launches have other numbers. It is the second all the same,
 * though it is the first of those in the catalog. */
static void test_join_of_chosen(void **state)
{
    (void)state;
    struct ws_catalog timed_run;
    struct ws_catalog whole;
    struct ws_catalog chosen;
    struct ws_error error = {{0}};
    timed_run_begin(&timed_run, 200, false);
    timed_run_launch(&timed_run, 0, 0, 0, 8, "");
    timed_run_launch(&timed_run, 1, 0, 0, 8, "");
    timed_run_time(&timed_run, 0, 0, 100);
    timed_run_time(&timed_run, 1, 1000, 700);
    timed_run_begin(&whole, 200, true);
    timed_run_launch(&whole, 5, 0, 0, 8, "");
    timed_run_launch(&whole, 6, 0, 0, 8, "");
    timed_run_begin(&chosen, 200, true);
    timed_run_launch(&chosen, 6, 0, 0, 8, "");
    assert_true(ws_times_take(&chosen, &whole.launches, &timed_run, "t", &error));
    assert_int_equal(ws_times_joined(&chosen)->launches, 1);
    assert_int_equal(ws_times_joined(&chosen)->same, 1);
    assert_time(&chosen, 6, 700);
    assert_no_time(&chosen, 5);
    assert_int_equal(ws_times_total(&chosen), 700);
    ws_catalog_finish(&chosen);
    ws_catalog_finish(&whole);
    ws_catalog_finish(&timed_run);
}

/* A build with another shader, and another program. */
static void test_join_of_others(void **state)
{
    (void)state;
    struct ws_catalog timed_run;
    struct ws_catalog recorded;
    struct ws_error error = {{0}};
    timed_run_begin(&timed_run, 200, false);
    timed_run_launch(&timed_run, 0, 0, 0, 8, "");
    timed_run_launch(&timed_run, 1, 0, 1, 8, "");
    timed_run_time(&timed_run, 0, 0, 100);
    timed_run_time(&timed_run, 1, 200, 300);

    timed_run_begin(&recorded, 201, true);
    timed_run_launch(&recorded, 0, 0, 0, 8, "");
    timed_run_launch(&recorded, 1, 0, 1, 8, "");
    timed_run_time(&recorded, 0, 0, 5000); /* its own, of instrumented shaders: replaced */
    assert_true(ws_times_take(&recorded, &recorded.launches, &timed_run, "t", &error));
    assert_int_equal(ws_times_joined(&recorded)->same, 1);
    assert_int_equal(ws_times_joined(&recorded)->elsewhere, 1);
    assert_time(&recorded, 0, 100);
    assert_int_equal(ws_times_total(&recorded), 100);
    ws_catalog_finish(&recorded);

    timed_run_begin(&recorded, 201, true);
    timed_run_launch(&recorded, 0, 0, 1, 8, "");
    assert_false(ws_times_take(&recorded, &recorded.launches, &timed_run, "t", &error));
    assert_non_null(strstr(error.message, "of another program, or of a build with other shaders"));
    assert_null(ws_times_joined(&recorded));
    ws_catalog_finish(&recorded);

    error = (struct ws_error){{0}};
    timed_run_begin(&recorded, 200, true);
    timed_run_launch(&recorded, 0, 0, 1, 9, "");
    assert_false(ws_times_take(&recorded, &recorded.launches, &timed_run, "t", &error));
    assert_non_null(strstr(error.message, "with the same kind, size, draws and label: record both with"));
    ws_catalog_finish(&recorded);
    ws_catalog_finish(&timed_run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),          cmocka_unit_test(test_text),
        cmocka_unit_test(test_sums),           cmocka_unit_test(test_valid_bits),
        cmocka_unit_test(test_places),         cmocka_unit_test(test_labels),
        cmocka_unit_test(test_join),           cmocka_unit_test(test_join_of_chosen),
        cmocka_unit_test(test_join_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
