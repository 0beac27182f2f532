/* Queries of the viewer's page, decoded from hostile texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/viewer/query.h"

static struct ws_viewer_query query;

static void take(const char *text)
{
    struct ws_error error = {{0}};
    if (!ws_viewer_query_parse(&query, text, &error))
        fail_msg("%s: %s", text, error.message);
}

static void refuse(const char *text, const char *part)
{
    struct ws_error error = {{0}};
    assert_false(ws_viewer_query_parse(&query, text, &error));
    if (strstr(error.message, part) == NULL)
        fail_msg("'%s' does not say '%s'", error.message, part);
}

static void canonical(const char *text, const char *expected)
{
    char written[WS_VIEWER_QUERY_SIZE];
    take(text);
    assert_true(ws_viewer_query_canonical(&query, written, sizeof(written)));
    assert_string_equal(written, expected);
    take(written);
    assert_true(ws_viewer_query_canonical(&query, written, sizeof(written)));
    assert_string_equal(written, expected);
}

static void decodes(void **state)
{
    (void)state;
    take("rays?launch=3&end=hit%2Cmiss&a+b=%C3%A4+%26");
    assert_string_equal(query.resource, "rays");
    assert_int_equal(query.count, 3);
    assert_string_equal(ws_viewer_query_text(&query, "launch"), "3");
    assert_string_equal(ws_viewer_query_text(&query, "end"), "hit,miss");
    assert_string_equal(ws_viewer_query_text(&query, "a b"), "\xc3\xa4 &");
    assert_null(ws_viewer_query_text(&query, "b"));
    take("scene.json");
    assert_int_equal(query.count, 0);
    take("scene.json?");
    assert_int_equal(query.count, 0);
    take("scene.json?key");
    assert_string_equal(ws_viewer_query_text(&query, "key"), "");
    take("");
    assert_string_equal(query.resource, "");
}

static void refuses(void **state)
{
    char text[WS_VIEWER_QUERY_SIZE + 1];
    size_t used = 0;
    (void)state;
    refuse("rays?a=%", "percent-encoded");
    refuse("rays?a=%4", "percent-encoded");
    refuse("rays?a=%g0", "percent-encoded");
    refuse("rays?a=%0g", "percent-encoded");
    refuse("rays?a=1%00", "percent-encoded");
    refuse("rays?%=1", "percent-encoded");
    refuse("rays?a=1&a=2", "'a' is given twice");
    refuse("rays?a=1&%61=2", "'a' is given twice");
    refuse("rays?&&", "'' is given twice");
    memset(text, 'x', sizeof(text));
    text[WS_VIEWER_QUERY_SIZE] = '\0';
    refuse(text, "longer than 8191 bytes");
    text[WS_VIEWER_QUERY_SIZE - 1] = '\0';
    take(text);
    used = (size_t)snprintf(text, sizeof(text), "rays?");
    for (int i = 0; i < WS_VIEWER_KEYS_MAX; ++i)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "k%d=&", i);
    take(text);
    snprintf(text + used, sizeof(text) - used, "k=");
    refuse(text, "at most 24 keys");
}

/* Keys in the order of their bytes, and one way to write each character. */
static void canonical_texts(void **state)
{
    char small[8];
    (void)state;
    canonical("rays", "rays");
    canonical("rays?", "rays");
    canonical("rays?launch=3&capture=b", "rays?capture=b&launch=3");
    canonical("rays?launch&end=hit,miss", "rays?end=hit,miss&launch=");
    canonical("rays?x=a+b&B=~*:-._&%61=%2f%22%3c%c3%a4", "rays?B=~*:-._&a=%2F%22%3C%C3%A4&x=a%20b");
    take("rays?a=1");
    assert_false(ws_viewer_query_canonical(&query, small, sizeof(small)));
}

static void numbers(void **state)
{
    uint64_t value = 0;
    struct ws_error error = {{0}};
    (void)state;
    take("rays?a=0&b=18446744073709551615&c=18446744073709551616&d=-1&e=1x&f=&g=%201&h=007&i=1e3");
    assert_true(ws_viewer_query_number(&query, "a", 5, UINT64_MAX, &value, NULL));
    assert_int_equal(value, 0);
    assert_true(ws_viewer_query_number(&query, "b", 5, UINT64_MAX, &value, NULL));
    assert_true(value == UINT64_MAX);
    assert_false(ws_viewer_query_number(&query, "b", 5, 100, &value, &error));
    assert_string_equal(error.message, "b takes a number from 0 to 100, not '18446744073709551615'");
    for (const char *name = "cdefgi"; *name != '\0'; ++name)
        assert_false(ws_viewer_query_number(&query, (char[]){*name, '\0'}, 5, UINT64_MAX, &value, NULL));
    assert_true(ws_viewer_query_number(&query, "h", 5, UINT64_MAX, &value, NULL));
    assert_int_equal(value, 7);
    assert_true(ws_viewer_query_number(&query, "z", 5, UINT64_MAX, &value, NULL));
    assert_int_equal(value, 5);
}

static void keys(void **state)
{
    struct ws_error error = {{0}};
    (void)state;
    take("rays?launch=3&capture=b");
    assert_true(ws_viewer_query_check(&query, "first launch", NULL));
    assert_false(ws_viewer_query_check(&query, "first launches", &error));
    assert_string_equal(error.message, "rays has no key 'launch'; there are: first launches");
    assert_false(ws_viewer_query_check(&query, NULL, NULL));
    take("rays?=3");
    assert_false(ws_viewer_query_check(&query, "first launch", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes), cmocka_unit_test(refuses), cmocka_unit_test(canonical_texts),
        cmocka_unit_test(numbers), cmocka_unit_test(keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
