/* The line that shows how far a reading is, by a clock that the test sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/command/reading_progress.h"

#define ERASE "\r\033[K"

static double seconds;

static double clock_of_test(void)
{
    return seconds;
}

static struct ws_reading_progress progress;
static char *text;
static size_t length;
static FILE *out;

static void begin(uint64_t size)
{
    seconds = 1000;
    out = open_memstream(&text, &length);
    assert_non_null(out);
    ws_reading_progress_begin(&progress, out, size, clock_of_test);
}

static void read_until(double at, uint64_t bytes)
{
    seconds = at;
    ws_reading_progress_show(&progress, bytes);
}

static void end(const char *expected)
{
    ws_reading_progress_end(&progress);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void test_short_readings_show_nothing(void **state)
{
    (void)state;
    begin(1000);
    for (uint64_t i = 1; i <= 100; i++)
        read_until(1000 + 0.019 * (double)i, 10 * i);
    end("");
}

/* Of 5 % nothing is concluded. 10 % in 3 s leave 27 s; 60 % in 12 s leave 8 s; 98 % in 20 s leave 0.4 s, which is not said. */
static void test_long_readings_say_how_long(void **state)
{
    (void)state;
    begin(1000);
    read_until(1001, 40);
    read_until(1002, 50);
    read_until(1003, 100);
    read_until(1004, 109); /* the same percent */
    read_until(1012, 600);
    read_until(1020, 980);
    end(ERASE "reading   5 %" ERASE "reading  10 %, about 27 s left" ERASE
              "reading  60 %, about 8 s left" ERASE "reading  98 %" ERASE);
}

static void test_work_behind_the_reading(void **state)
{
    (void)state;
    begin(1000);
    seconds = 1000.4;
    ws_reading_progress_phase(&progress, "working on a");
    seconds = 1000.6;
    ws_reading_progress_phase(&progress, "working on b");
    end(ERASE "working on b" ERASE);
}

/* Of a pipe the size is not known. */
static void test_without_a_size(void **state)
{
    (void)state;
    begin(0);
    read_until(1010, 600);
    end("");
}

static void test_without_a_terminal(void **state)
{
    (void)state;
    seconds = 1000;
    ws_reading_progress_begin(&progress, NULL, 1000, clock_of_test);
    read_until(1010, 600);
    ws_reading_progress_phase(&progress, "working");
    ws_reading_progress_end(&progress);
    assert_false(progress.shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_readings_show_nothing), cmocka_unit_test(test_long_readings_say_how_long),
        cmocka_unit_test(test_work_behind_the_reading),     cmocka_unit_test(test_without_a_size),
        cmocka_unit_test(test_without_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
