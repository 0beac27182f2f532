/* Cycle equivalence of the edges of an undirected graph: every cycle through one passes through the other.
 * Knows neither SPIR-V nor control flow. */
#ifndef WS_PASSES_BASE_CYCLES_H
#define WS_PASSES_BASE_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

struct ws_arena;

struct ws_edge {
    uint32_t from;
    uint32_t to;
};

/* Writes to `classes`, which has room for edge_count, the class of every edge: equal numbers for cycle
 * equivalent edges. Node 0 must reach every node (directions do not count) and every edge must lie on a
 * cycle; parallel edges are allowed, loops from a node to itself are not. Linear time, no recursion.
 * False on no memory. */
bool ws_cycles_classify(struct ws_arena *arena, uint32_t node_count, const struct ws_edge *edges,
                        uint32_t edge_count, uint32_t *classes);

#endif
