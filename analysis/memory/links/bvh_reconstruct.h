/* The analysis `bvh_reconstruct`: the tree that a shader walks, from the addresses that its threads load, and from nothing else
 * (links.h, link_tree.h). So a ray tracer that has a hierarchy of its own shows it without its source.
 *
 * BUFFERS are told apart by their names and bindings. ELEMENTS of a buffer: its STRIDE is the largest number of bytes that an
 * index of one of its accesses steps over; elements begin at the least offset of accesses that step so far. For example
 * `nodes[i].low` and `nodes[i].high` of 16 bytes each step over 32 bytes: elements begin at 0, 32, 64, ... Behind a device
 * address elements count from that address; where nothing steps, the address is the element.
 * MEMORY THAT IS WRITTEN, by any access of a module that runs in the launch, has no elements there: a word of it that a thread
 * stores, and reads again, is a place of its stack. So a tree that another launch builds on the device is one. What lies in
 * variables of a thread is not recorded: a stack there cannot be seen, and the tree is worse for it.
 *
 * HIT RATES of each node: what the caches of a device make of the loads from it (caches.h, link_rates.h); with --caches none
 * there are none: requests and all that follows are 0, and rates are not known. Figures of a leaf are
 * those of its elements, added up; those of a level are of its nodes and leaves: a request counts in each that it touches. The
 * boxes of nodes are not known: a capture has addresses, and neither what lies there nor what it means.
 *
 * VIEWS: each launch adds its links. The more sides of a scene rays see, the more of the tree is there. */
#ifndef WS_ANALYSIS_MEMORY_LINKS_BVH_RECONSTRUCT_H
#define WS_ANALYSIS_MEMORY_LINKS_BVH_RECONSTRUCT_H

#include "warpscope/report/analysis.h"

/* Dimensions and levels of the report (columns.h). A node's key is its place in the tree, level by level. */
enum ws_bvh_dimension {
    WS_BVH_BY_DEPTH,
    WS_BVH_BY_NODE,
    WS_BVH_DIMENSIONS,
};

enum ws_bvh_level {
    WS_BVH_TOTAL,
    WS_BVH_DEPTHS,
    WS_BVH_NODES,
};

/* Sums of a row. */
struct ws_bvh_sums {
    uint64_t nodes;    /* inner nodes */
    uint64_t leaves;   /* leaves */
    uint64_t faces;    /* elements of leaves */
    uint64_t weight;   /* of the links that lead to them */
    uint64_t visits;   /* of them by threads; of a leaf those of its first element */
    uint64_t requests; /* these as in struct ws_caches_sums */
    uint64_t lanes;
    uint64_t l1_sectors;
    uint64_t l1_hits;
    uint64_t l2_sectors;
    uint64_t l2_hits;
    uint64_t memory_bytes;
};

extern const struct ws_columns ws_bvh_reconstruct_columns;
extern const struct ws_analysis ws_analysis_bvh_reconstruct;

#endif
