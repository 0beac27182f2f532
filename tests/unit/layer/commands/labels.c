/* Open debug labels as one text; which launches the settings ask for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/commands/labels.h"
#include "layer/core/selection.h"

static void test_labels_nest(void **state)
{
    (void)state;
    struct ws_labels labels = {0};
    assert_string_equal(ws_labels_text(&labels), "");
    ws_labels_end(&labels); /* opened elsewhere */
    ws_labels_begin(&labels, "frame");
    ws_labels_begin(&labels, NULL);
    ws_labels_begin(&labels, "shadows");
    assert_string_equal(ws_labels_text(&labels), "frame / shadows");
    ws_labels_end(&labels);
    ws_labels_end(&labels);
    assert_string_equal(ws_labels_text(&labels), "frame");
    ws_labels_begin(&labels, "light");
    assert_string_equal(ws_labels_text(&labels), "frame / light");
    ws_labels_clear(&labels);
    assert_string_equal(ws_labels_text(&labels), "");
    ws_labels_begin(&labels, "again");
    assert_string_equal(ws_labels_text(&labels), "again");
    ws_labels_finish(&labels);
}

static void test_labels_join(void **state)
{
    (void)state;
    char text[32];
    assert_true(ws_labels_joined_size("queue", "pass") <= sizeof(text));
    ws_labels_join("queue", "pass", text);
    assert_string_equal(text, "queue / pass");
    ws_labels_join("queue", "", text);
    assert_string_equal(text, "queue");
    ws_labels_join("", "pass", text);
    assert_string_equal(text, "pass");
}

static void test_ranges(void **state)
{
    (void)state;
    const struct ws_range range = {.first = 10, .last = 20};
    const struct ws_range all = {.first = 0, .last = UINT64_MAX};
    assert_false(ws_range_contains(&range, 9));
    assert_true(ws_range_contains(&range, 10));
    assert_true(ws_range_contains(&range, 20));
    assert_false(ws_range_contains(&range, 21));
    assert_int_equal(ws_range_overlap(&range, 0, 10), 0);
    assert_int_equal(ws_range_overlap(&range, 0, 11), 1);
    assert_int_equal(ws_range_overlap(&range, 5, 100), 11);
    assert_int_equal(ws_range_overlap(&range, 20, 5), 1);
    assert_int_equal(ws_range_overlap(&range, 21, 5), 0);
    assert_int_equal(ws_range_overlap(&range, 12, 0), 0);
    assert_int_equal(ws_range_overlap(&all, UINT64_MAX - 3, 4), 4);
    assert_int_equal(ws_range_overlap(&all, 0, 7), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_nest),
        cmocka_unit_test(test_labels_join),
        cmocka_unit_test(test_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
