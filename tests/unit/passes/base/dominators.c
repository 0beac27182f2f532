/* Dominators of random graphs, against the definition: what is cut off from the root without a node is
 * dominated by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "passes/base/dominators.h"
#include "warpscope/base/arena.h"
#include "warpscope/instrument.h"

#define NODES_MAX 12
#define EDGES_MAX 40
#define GRAPHS    5000

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % bound);
}

/* Marks what the root reaches without node `avoid`. */
static void mark(const struct ws_graph *graph, uint32_t avoid, bool *reached)
{
    uint32_t stack[NODES_MAX];
    uint32_t depth = 0;
    memset(reached, 0, NODES_MAX * sizeof(*reached));
    if (avoid != 0) {
        reached[0] = true;
        stack[depth++] = 0;
    }
    while (depth > 0) {
        const uint32_t node = stack[--depth];
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
            const uint32_t next = graph->targets[i];
            if (next != avoid && !reached[next]) {
                reached[next] = true;
                stack[depth++] = next;
            }
        }
    }
}

/* Whether `a` is on the way from `b` to the root of the tree, `b` itself left out. */
static bool is_above(const struct ws_dominators *dominators, uint32_t a, uint32_t b)
{
    for (uint32_t up = dominators->immediate[b]; up != WS_NONE; up = dominators->immediate[up])
        if (up == a)
            return true;
    return false;
}

static void check(const struct ws_graph *graph)
{
    struct ws_dominators dominators;
    struct ws_arena *arena = ws_arena_create();
    bool reached[NODES_MAX];
    bool without[NODES_MAX];
    bool seen[NODES_MAX] = {false};
    uint32_t count = 0;
    assert_true(ws_dominators_find(&dominators, arena, graph));
    mark(graph, WS_NONE, reached);
    for (uint32_t node = 0; node < graph->node_count; node++) {
        count += reached[node];
        assert_int_equal(dominators.immediate[node] != WS_NONE, reached[node] && node != 0);
    }
    assert_int_equal(dominators.order_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = dominators.order[i];
        assert_true(i == 0 ? node == 0 : seen[dominators.immediate[node]]);
        seen[node] = true;
    }
    for (uint32_t a = 0; a < graph->node_count; a++) {
        mark(graph, a, without);
        for (uint32_t b = 0; b < graph->node_count; b++)
            if (a != b && reached[b])
                assert_int_equal(is_above(&dominators, a, b), reached[a] && !without[b]);
    }
    ws_arena_destroy(arena);
}

static void test_random_graphs(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < GRAPHS; g++) {
        uint32_t first[NODES_MAX + 1];
        uint32_t targets[EDGES_MAX];
        uint32_t count = 0;
        random_state = g;
        const struct ws_graph graph = {1 + random_below(NODES_MAX), first, targets};
        for (uint32_t node = 0; node < graph.node_count; node++) {
            first[node] = count;
            for (uint32_t i = random_below(4); i > 0; i--)
                targets[count++] = random_below(graph.node_count);
        }
        first[graph.node_count] = count;
        check(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
