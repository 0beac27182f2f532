/* Dominators of a directed graph: a node dominates another when every walk from the root to that one passes
 * through it. Knows neither SPIR-V nor control flow. */
#ifndef WS_PASSES_BASE_DOMINATORS_H
#define WS_PASSES_BASE_DOMINATORS_H

#include <stdbool.h>
#include <stdint.h>

struct ws_arena;

/* A graph whose root is node 0; `node_count` is at least 1. */
struct ws_graph {
    uint32_t node_count;
    const uint32_t *first;   /* node_count + 1 entries */
    const uint32_t *targets; /* of node n: [first[n], first[n + 1]) */
};

struct ws_dominators {
    uint32_t *order; /* nodes that the root reaches, each behind its dominators; the root first */
    uint32_t order_count;
    uint32_t *immediate; /* per node: its closest dominator other than itself; WS_NONE for the root and for
                            what it does not reach */
};

/* Fills `dominators`, from the arena. Any graph is accepted. Time n log n (Lengauer, Tarjan: A Fast Algorithm
 * for Finding Dominators in a Flowgraph, 1979), no recursion. False on no memory. */
bool ws_dominators_find(struct ws_dominators *dominators, struct ws_arena *arena,
                        const struct ws_graph *graph);

#endif
