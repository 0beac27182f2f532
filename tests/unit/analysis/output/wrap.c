/* Prose is broken where lines end, never within a word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpscope/output/wrap.h"

static char *printed = NULL;
static size_t printed_size = 0;
static FILE *stream = NULL;

static int begin(void **state)
{
    (void)state;
    stream = open_memstream(&printed, &printed_size);
    return stream == NULL;
}

static int end(void **state)
{
    (void)state;
    free(printed);
    printed = NULL;
    return 0;
}

static void shows(const char *expected)
{
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(printed, expected);
}

static void paragraph(void **state)
{
    (void)state;
    ws_wrap_print("one two  three\nfour unbreakable five", 2, 10, stream);
    /* "  one two" has 9 columns; "unbreakable" has 11, and stands alone. */
    shows("  one two\n  three\n  four\n  unbreakable\n  five\n");
}

static void unbroken(void **state)
{
    (void)state;
    ws_wrap_print("one two three", 0, 0, stream);
    shows("one two three\n");
}

/* A number and its "%" stay together. */
static void percent(void **state)
{
    (void)state;
    ws_wrap_print("it is 26 % of all (7 %).", 0, 9, stream);
    shows("it is\n26 % of\nall\n(7 %).\n");
}

/* A character of two bytes has one column, one that is escaped has four. */
static void columns(void **state)
{
    (void)state;
    ws_wrap_print("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 ab a\x1b", 0, 7, stream);
    shows("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 ab\na\\x1b\n");
}

static void items(void **state)
{
    (void)state;
    ws_wrap_item("name", "what it is for", 2, 8, 16, stream);
    ws_wrap_item("longer-name", "too", 2, 8, 16, stream);
    shows("  name  what it\n        is for\n  longer-name\n        too\n");
}

static void text(void **state)
{
    (void)state;
    ws_wrap_text(
        "A first\nparagraph.\n\n  name  what\n        it is\n  example one\n  example two\nThe end\n", 12,
        stream);
    shows("A first\nparagraph.\n\n  name  what\n        it\n        is\n  example\n  one\n  example\n  "
          "two\nThe end\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(paragraph, begin, end),
        cmocka_unit_test_setup_teardown(unbroken, begin, end),
        cmocka_unit_test_setup_teardown(percent, begin, end),
        cmocka_unit_test_setup_teardown(columns, begin, end),
        cmocka_unit_test_setup_teardown(items, begin, end),
        cmocka_unit_test_setup_teardown(text, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
