/* Which names are near what was typed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "passes/base/near.h"

/* The nearest of the names; "" if none is near. */
static const char *nearest(const char *text)
{
    static const char *const names[] = {"report",     "record", "export",    "rows",
                                        "divergence", "no",     "max-memory"};
    struct ws_near near = ws_near_begin(text, strlen(text));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        ws_near_try(&near, names[i]);
    return near.name != NULL ? near.name : "";
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(nearest("reprot"), "report"); /* two letters swapped count as one */
    assert_string_equal(nearest("recrd"), "record");
    assert_string_equal(nearest("exports"), "export");
    assert_string_equal(nearest("rpeort"), "report");
    assert_string_equal(nearest("divergense"), "divergence");
    assert_string_equal(nearest("diverg"), "divergence");
    assert_string_equal(nearest("max_memory"), "max-memory");
    assert_string_equal(nearest("rosw"), "rows");
    assert_string_equal(nearest("report"), "report");
}

static void nothing_near(void **state)
{
    (void)state;
    char longer[200];
    memset(longer, 'r', sizeof(longer));
    longer[sizeof(longer) - 1] = '\0';
    assert_string_equal(nearest(""), "");
    assert_string_equal(nearest("r"), "");
    assert_string_equal(nearest("heat"), "");
    assert_string_equal(nearest("xyz"), "");
    assert_string_equal(nearest("colours"), "");
    assert_string_equal(nearest(longer), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(nothing_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
