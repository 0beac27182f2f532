/* Links and the tree of them, by hand: node 0 has the nodes 1 and 2, node 1 the leaves of faces 0 and 1, and 2; node 2 those of
 * face 3, and of 4 and 5. Nodes lie 32 bytes apart behind a head of 16 bytes, faces 12 bytes apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/memory/links/link_tree.h"

enum { NODES, FACES };

struct hand {
    struct ws_links links;
    struct ws_link_walk walk;
};

static void begin(struct hand *hand)
{
    static const struct ws_link_buffer nodes = {.name = "nodes", .begin = 16, .stride = 32};
    static const struct ws_link_buffer faces = {.name = "faces", .stride = 12};
    uint32_t index = 0;
    *hand = (struct hand){0};
    assert_true(ws_links_buffer(&hand->links, &nodes, &index));
    assert_int_equal(index, NODES);
    assert_true(ws_links_buffer(&hand->links, &faces, &index));
    assert_int_equal(index, FACES);
    assert_true(ws_link_walk_init(&hand->walk, &hand->links, 2));
}

static void finish(struct hand *hand)
{
    ws_link_walk_finish(&hand->walk);
    ws_links_finish(&hand->links);
}

/* What a thread does, a word each: "n1" loads from node 1, "f3" from face 3, "s7" stores the word 7 of its stack, "r7" reads
 * it. */
static void walk(struct hand *hand, uint32_t thread, const char *does)
{
    for (const char *at = does; *at != '\0'; at += at[2] == ' ' ? 3 : 2) {
        const uint64_t number = (uint64_t)(at[1] - '0');
        if (*at == 'n')
            assert_true(ws_link_walk_load(&hand->walk, thread, NODES, 16 + 32 * number));
        if (*at == 'f')
            assert_true(ws_link_walk_load(&hand->walk, thread, FACES, 12 * number));
        if (*at == 's')
            assert_true(ws_link_walk_store(&hand->walk, thread, 1000 * thread + number));
        if (*at == 'r')
            assert_true(ws_link_walk_read(&hand->walk, thread, 1000 * thread + number));
    }
}

/* The weight of a link from one of the elements named as above to another. */
static uint64_t weight(struct hand *hand, const char *from, const char *to, enum ws_link_kind kind)
{
    const char *names[2] = {from, to};
    uint32_t ids[2];
    uint32_t link = 0;
    for (int i = 0; i < 2; ++i) {
        const uint64_t number = (uint64_t)(names[i][1] - '0');
        assert_true(ws_links_element(&hand->links, *names[i] == 'n' ? NODES : FACES,
                                     *names[i] == 'n' ? 16 + 32 * number : 12 * number, &ids[i]));
    }
    return ws_id_map_get(&hand->links.link_ids, (uint64_t)ids[0] << 32 | ids[1], &link)
               ? hand->links.links[link].weights[kind]
               : 0;
}

/* The first thread goes down on the left, lays node 2 and face 2 by, and comes back to them. */
static void links_by_hand(void **state)
{
    (void)state;
    struct hand hand;
    begin(&hand);
    walk(&hand, 0, "n0 n0 s0 n1 s1 f0 f1 f1 r1 f2 r0 n2 f3");
    assert_int_equal(weight(&hand, "n0", "n1", WS_LINK_CONSECUTIVE), 1);
    assert_int_equal(weight(&hand, "n0", "n1", WS_LINK_LINEAR), 1);
    assert_int_equal(weight(&hand, "n1", "f0", WS_LINK_ACROSS), 1);
    assert_int_equal(weight(&hand, "f0", "f1", WS_LINK_LINEAR), 1);
    assert_int_equal(weight(&hand, "f0", "f1", WS_LINK_CONSECUTIVE), 1);
    assert_int_equal(weight(&hand, "n1", "f2", WS_LINK_STACK), 1);
    assert_int_equal(weight(&hand, "f1", "f2", WS_LINK_LINEAR), 0);
    assert_int_equal(weight(&hand, "f1", "f2", WS_LINK_CONSECUTIVE), 0);
    assert_int_equal(weight(&hand, "n0", "n2", WS_LINK_STACK), 1);
    assert_int_equal(weight(&hand, "n1", "n2", WS_LINK_CONSECUTIVE), 0);
    assert_int_equal(weight(&hand, "f2", "n2", WS_LINK_ACROSS), 0);
    assert_int_equal(weight(&hand, "n2", "f3", WS_LINK_ACROSS), 1);
    /* What was consecutive before: face 3 is behind face 2, and a node is between them. It is linear all the same. */
    assert_int_equal(weight(&hand, "f2", "f3", WS_LINK_LINEAR), 1);
    assert_int_equal(hand.links.link_count, 7);
    assert_int_equal(hand.links.buffers[NODES].visits, 3);
    assert_int_equal(hand.links.buffers[FACES].visits, 4);
    finish(&hand);
}

/* A word that another thread has stored since is no stack. A thread that has ended begins anew. */
static void threads_are_apart(void **state)
{
    (void)state;
    struct hand hand;
    begin(&hand);
    walk(&hand, 1, "n0 s0");
    walk(&hand, 2, "n1");
    assert_true(ws_link_walk_store(&hand.walk, 2, 1000));
    walk(&hand, 1, "r0 n2");
    assert_int_equal(weight(&hand, "n0", "n2", WS_LINK_STACK), 0);
    assert_int_equal(weight(&hand, "n0", "n2", WS_LINK_CONSECUTIVE), 1);
    ws_link_walk_end(&hand.walk, 1);
    walk(&hand, 3, "n1");
    walk(&hand, 1, "n2");
    assert_int_equal(hand.links.link_count, 1);
    assert_int_equal(hand.walk.thread_count, 3);
    finish(&hand);
}

static void check_node(const struct ws_link_tree *tree, const struct ws_links *links, uint32_t index,
                       uint64_t element, uint32_t parent, uint32_t count, uint64_t weighs)
{
    assert_int_equal(ws_link_element_index(links, tree->nodes[index].element), element);
    assert_int_equal(tree->nodes[index].parent, parent);
    assert_int_equal(tree->nodes[index].count, count);
    assert_int_equal(tree->nodes[index].weight, weighs);
}

/* Writes the known tree; the caller removes the file. */
static void write_tree(char path[32], const char *text)
{
    snprintf(path, 32, "/tmp/ws-tree-XXXXXX");
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void compare(const struct ws_link_tree *tree, const struct ws_links *links, const char *text,
                    const uint64_t expected[5])
{
    char path[32];
    struct ws_link_rate rate;
    struct ws_error error = {{0}};
    write_tree(path, text);
    assert_true(ws_link_tree_compare(tree, links, path, &rate, &error));
    unlink(path);
    assert_int_equal(rate.nodes, expected[0]);
    assert_int_equal(rate.leaves, expected[1]);
    assert_int_equal(rate.right_nodes, expected[2]);
    assert_int_equal(rate.right_leaves, expected[3]);
    assert_int_equal(rate.wrong, expected[4]);
}

/* Two views see all. The second thread has no stack: its false link from node 2 to node 1 weighs less than the true ones. */
static void tree_by_hand(void **state)
{
    (void)state;
    struct hand first;
    struct hand second;
    struct ws_links all = {0};
    struct ws_link_tree tree;
    begin(&first);
    begin(&second);
    walk(&first, 0, "n0 s0 n1 s1 f0 f1 r1 f2 r0 n2 f3");
    walk(&second, 0, "n0 n2 s0 f4 f5 r0 f3 n1 f0 f1");
    walk(&second, 1, "n0 n1 f2");
    assert_true(ws_links_merge(&all, &first.links));
    assert_true(ws_links_merge(&all, &second.links));
    assert_true(ws_link_tree_init(&tree, &all));
    assert_int_equal(tree.count, 7);
    assert_int_equal(tree.leaf_count, 4);
    assert_int_equal(tree.face_count, 6);
    assert_int_equal(tree.depth, 3);
    check_node(&tree, &all, 0, 0, UINT32_MAX, 0, 0);
    check_node(&tree, &all, 1, 1, 0, 0, 2); /* both weigh 2: node 1 lies first */
    check_node(&tree, &all, 2, 2, 0, 0, 2);
    check_node(&tree, &all, 3, 0, 1, 2, 2);
    check_node(&tree, &all, 4, 2, 1, 1, 2);
    check_node(&tree, &all, 5, 3, 2, 1, 2);
    check_node(&tree, &all, 6, 4, 2, 2, 1);
    compare(&tree, &all, "# all of it\n0 1 2\n1 0+2 2+1\n2 3+1 4+2\n", (const uint64_t[]){3, 4, 3, 4, 0});
    /* Another root; a leaf of another size; a leaf with another parent; a node that no ray saw. */
    compare(&tree, &all, "2 1 0\n0 1 2\n1 0+3 2+1\n2 3+1 9\n", (const uint64_t[]){6, 3, 2, 2, 3});
    /* What a file says twice is right once. */
    compare(&tree, &all, "0 1 2\n1 0+2 2+1\n1 0+2 2+1\n", (const uint64_t[]){3, 4, 3, 2, 2});
    ws_link_tree_finish(&tree);
    ws_links_finish(&all);
    finish(&first);
    finish(&second);
}

/* Threads that begin anywhere walk no tree; nor is one element one. */
static void no_tree(void **state)
{
    (void)state;
    struct hand hand;
    struct ws_link_tree tree;
    begin(&hand);
    walk(&hand, 0, "n0 n1 f0");
    walk(&hand, 1, "n1 n2 f0");
    assert_true(ws_link_tree_init(&tree, &hand.links));
    assert_int_equal(tree.count, 0);
    finish(&hand);
}

static void bad_files(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",        "0 1\n", "0 1 2 3\n", "0 1 -2\n", "zero 1 2\n", "0 1 2+0\n", "0 1 99999999999999999999\n",
        "# none\n"};
    struct ws_links links = {0};
    struct ws_link_tree tree = {0};
    struct ws_link_rate rate;
    struct ws_error error = {{0}};
    char path[32];
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        write_tree(path, texts[i]);
        assert_false(ws_link_tree_compare(&tree, &links, path, &rate, &error));
        unlink(path);
    }
    error = (struct ws_error){{0}};
    assert_false(ws_link_tree_compare(&tree, &links, "/no/such/tree", &rate, &error));
    assert_string_equal(error.message, "cannot read \"/no/such/tree\": No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_by_hand), cmocka_unit_test(threads_are_apart), cmocka_unit_test(tree_by_hand),
        cmocka_unit_test(no_tree),       cmocka_unit_test(bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
