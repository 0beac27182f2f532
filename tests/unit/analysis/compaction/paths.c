/* The tree of thread paths: equality, growth, two trees brought together, what does not fit, text and counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/compaction/paths.h"

/* The node of a path whose symbols are digits, '|' a separator. */
static uint32_t path(struct ws_path_tree *tree, const char *symbols)
{
    struct ws_path path = {0};
    uint32_t node = WS_PATH_EMPTY;
    for (; *symbols != '\0'; ++symbols)
        assert_true(
            ws_path_append(tree, &path, *symbols == '|' ? WS_PATH_SEPARATOR : (uint32_t)(*symbols - '0'), 1));
    assert_true(ws_path_end(tree, &path, &node));
    return node;
}

static void check_text(const struct ws_path_tree *tree, uint32_t node, uint32_t most, const char *expected)
{
    char *text = ws_path_text(tree, node, most);
    assert_string_equal(text, expected);
    free(text);
}

static void equal_paths_are_one_node(void **state)
{
    (void)state;
    struct ws_path_tree tree = {0};
    const uint32_t first = path(&tree, "1111111011|111");
    const uint32_t count = tree.count;
    assert_int_equal(path(&tree, "1111111011|111"), first);
    assert_int_equal(tree.count, count);
    assert_int_not_equal(path(&tree, "1111111011||111"), first);
    assert_int_not_equal(path(&tree, "11111110111|11"), first);
    check_text(&tree, first, 10, "1^7 0 1^2 | 1^3");
    check_text(&tree, first, 2, "1^7 0 ...");
    check_text(&tree, path(&tree, "1||0"), 10, "1 || 0");
    check_text(&tree, path(&tree, ""), 10, "-");
    ws_path_tree_finish(&tree);
}

/* Numbers differ between trees; paths do not. */
static void trees_come_together(void **state)
{
    (void)state;
    struct ws_path_tree a = {0};
    struct ws_path_tree b = {0};
    uint32_t pair = WS_PATH_EMPTY;
    const uint32_t a_10 = path(&a, "10");
    const uint32_t b_011 = path(&b, "011");
    const uint32_t b_10 = path(&b, "10");
    assert_true(ws_path_tree_child(&b, WS_PATH_EMPTY, WS_PATH_SITE, b_011, &pair));
    assert_true(ws_path_tree_child(&b, pair, WS_PATH_SITE, b_10, &pair));
    uint32_t *equals = ws_path_tree_translate(&a, &b);
    assert_non_null(equals);
    assert_int_equal(equals[b_10], a_10);
    check_text(&a, equals[b_011], 10, "0 1^2");
    check_text(&a, equals[pair], 10, "{0 1^2} {1 0}");
    free(equals);
    ws_path_tree_finish(&a);
    ws_path_tree_finish(&b);
}

/* A tree for two runs: what needs more is lost together, what fits stays. */
static void what_does_not_fit_is_lost(void **state)
{
    (void)state;
    struct ws_path_tree tree = {.limit = WS_PATH_LOST + 3};
    const uint32_t kept = path(&tree, "10");
    assert_int_equal(path(&tree, "1011"), WS_PATH_LOST);
    assert_int_equal(path(&tree, "01"), WS_PATH_LOST);
    assert_int_equal(path(&tree, "10"), kept);
    check_text(&tree, kept, 10, "1 0");
    ws_path_tree_finish(&tree);
}

static void counts_are_sorted(void **state)
{
    (void)state;
    struct ws_path_counts counts = {0};
    struct ws_path_tree tree = {0};
    uint32_t nodes[1000];
    for (uint32_t i = 0; i < 1000; ++i) {
        nodes[i] = WS_PATH_EMPTY;
        assert_true(ws_path_tree_child(&tree, WS_PATH_EMPTY, WS_PATH_TAKEN, 1000 - i, &nodes[i]));
        assert_true(ws_path_counts_add(&counts, 1, nodes[i], 1));
    }
    assert_true(ws_path_counts_add(&counts, 1, nodes[500], 2));
    assert_true(ws_path_counts_add(&counts, 0, nodes[7], UINT64_C(1) << 40));
    ws_path_counts_sort(&counts, &tree);
    assert_int_equal(counts.used, 1001);
    assert_true(counts.slots[0].key == nodes[7] && counts.slots[0].count == UINT64_C(1) << 40);
    assert_true(counts.slots[1].key == (UINT64_C(1) << 32 | nodes[500]) && counts.slots[1].count == 3);
    assert_true(counts.slots[2].key == (UINT64_C(1) << 32 | nodes[999]));
    assert_true(counts.slots[1000].key == (UINT64_C(1) << 32 | nodes[0]));
    ws_path_counts_finish(&counts);
    ws_path_tree_finish(&tree);
}

/* Two workers that find the same paths in opposite orders list them in the same one. */
static void equal_counts_are_in_the_order_of_paths(void **state)
{
    (void)state;
    static const char *const found[] = {"1101", "0", "11", "", "110", "1110", "01", "10"};
    static const char *const sorted[] = {"-", "0", "0 1", "1 0", "1^2", "1^2 0", "1^2 0 1", "1^3 0"};
    enum { COUNT = sizeof(found) / sizeof(found[0]) };
    for (uint32_t turn = 0; turn < 2; ++turn) {
        struct ws_path_tree tree = {0};
        struct ws_path_counts counts = {0};
        for (uint32_t i = 0; i < COUNT; ++i)
            assert_true(ws_path_counts_add(&counts, 0, path(&tree, found[turn ? COUNT - 1 - i : i]), 5));
        ws_path_counts_sort(&counts, &tree);
        assert_int_equal(counts.used, COUNT);
        for (uint32_t i = 0; i < COUNT; ++i)
            check_text(&tree, (uint32_t)counts.slots[i].key, 10, sorted[i]);
        ws_path_counts_finish(&counts);
        ws_path_tree_finish(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_paths_are_one_node),
        cmocka_unit_test(trees_come_together),
        cmocka_unit_test(what_does_not_fit_is_lost),
        cmocka_unit_test(counts_are_sorted),
        cmocka_unit_test(equal_counts_are_in_the_order_of_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
