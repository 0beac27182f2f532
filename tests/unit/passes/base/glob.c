/* Patterns of names, and that none takes long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "passes/base/glob.h"

static void matches(void **state)
{
    static const char *const pairs[][2] = {
        {"", ""},
        {"*", ""},
        {"*", "mesh.rchit:main"},
        {"mesh.rchit:main", "mesh.rchit:main"},
        {"*hit*", "mesh.rchit:main"},
        {"mesh.r????:main", "mesh.rchit:main"},
        {"?", "\xc3\xa4"},
        {"a?c*", "a\xe2\x82\xac"
                 "cd"},
        {"[a-m]esh", "mesh"},
        {"[!a-l]esh", "mesh"},
        {"[^a-l]esh", "mesh"},
        {"[]x]", "]"},
        {"[a-]", "-"},
        {"a[b", "a[b"},
        {"\\*", "*"},
        {"\\[a]", "[a]"},
        {"a\\", "a\\"},
        {"*a*b", "xaxxaxb"},
        {"*.rchit:*", "folder/mesh.rchit:main<K=2, L=3>"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); ++i)
        if (!ws_glob_matches(pairs[i][0], pairs[i][1]))
            fail_msg("'%s' does not match '%s'", pairs[i][0], pairs[i][1]);
}

static void matches_not(void **state)
{
    static const char *const pairs[][2] = {
        {"", "a"},        {"a", ""},        {"?", ""},          {"mesh", "mesh.rchit"},
        {"Mesh", "mesh"}, {"[a-l]", "m"},   {"[!a-m]", "m"},    {"*a*b", "xaxbx"},
        {"\\*", "a"},     {"a[b]", "a[b]"}, {"??", "\xc3\xa4"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); ++i)
        if (ws_glob_matches(pairs[i][0], pairs[i][1]))
            fail_msg("'%s' matches '%s'", pairs[i][0], pairs[i][1]);
}

/* fnmatch would take longer than anybody waits: the number of ways to put 20 letters into the text. */
static void many_stars(void **state)
{
    char text[4001];
    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_false(ws_glob_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*ab", text));
    assert_true(ws_glob_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a", text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches),
        cmocka_unit_test(matches_not),
        cmocka_unit_test(many_stars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
