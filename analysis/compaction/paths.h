/* Thread paths of unbounded length: sequences of symbols, kept once each and counted.
 *
 * A path is a sequence of runs of equal symbols. Paths that begin alike share what they have in common: each
 * run is a node of a prefix tree, and a node is found again by its parent, symbol and length (hash-consing).
 * So two paths are equal if and only if their nodes are, a loop of a million rounds is one node, and memory
 * grows with the distinct beginnings that occur, not with threads or their lengths. The last run of a path
 * that still grows stands outside of the tree, in struct ws_path.
 *
 * BOUND: a tree holds WS_PATH_NODES_MAX nodes (16 bytes each, and 8 to 16 of hash table). Paths that need
 * more end in WS_PATH_LOST, are counted there, and no longer told apart.
 *
 * Not thread-safe; trees of several workers are brought together by ws_path_tree_translate. */
#ifndef WS_ANALYSIS_COMPACTION_PATHS_H
#define WS_ANALYSIS_COMPACTION_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_PATH_NODES_MAX (1u << 22)
#define WS_PATH_EMPTY     0u /* nodes: the path without symbols */
#define WS_PATH_LOST      1u /* what did not fit */

enum ws_path_symbol {
    WS_PATH_NOT_TAKEN = 0,
    WS_PATH_TAKEN = 1,
    WS_PATH_SEPARATOR = 2, /* an inner loop ended; a run of n: n loops did */
    WS_PATH_SITE = 3, /* a whole path, whose node the length of the run is: for paths of several call sites */
};

struct ws_path_node {
    uint32_t parent; /* smaller than the node itself */
    uint32_t symbol;
    uint64_t run;
};

/* Zero-initialised is empty. */
struct ws_path_tree {
    struct ws_path_node *nodes;
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* hash table of node numbers; 0 = free */
    uint32_t slot_count;
    uint32_t limit; /* most nodes; 0 = WS_PATH_NODES_MAX */
};

/* A path that grows. Zero-initialised is empty. */
struct ws_path {
    uint64_t run; /* length of the last run, 0 = none */
    uint32_t node;
    uint32_t symbol; /* of the last run */
};

void ws_path_tree_finish(struct ws_path_tree *tree);

/* The node for one more run after `parent`. False when there is no memory. */
bool ws_path_tree_child(struct ws_path_tree *tree, uint32_t parent, uint32_t symbol, uint64_t run,
                        uint32_t *node);

/* Adds `count` equal symbols. False when there is no memory. */
bool ws_path_append(struct ws_path_tree *tree, struct ws_path *path, uint32_t symbol, uint64_t count);

/* The node of the whole path; it may go on growing. False when there is no memory. */
bool ws_path_end(struct ws_path_tree *tree, const struct ws_path *path, uint32_t *node);

static inline bool ws_path_is_empty(const struct ws_path *path)
{
    return path->run == 0 && path->node == WS_PATH_EMPTY;
}

/* For each node of `from`, its equal in `to`: from->count numbers, freed by the caller. NULL when there is no
 * memory. */
uint32_t *ws_path_tree_translate(struct ws_path_tree *to, const struct ws_path_tree *from);

/* The path as text, such as "1^7 0 1^2 | 1^3" (two loops that ended: "||"), of `most` runs at most, from the
 * beginning; "..." stands for the rest, "-" for the empty path. Paths of several sites are put in braces.
 * Freed by the caller; NULL when there is no memory. */
char *ws_path_text(const struct ws_path_tree *tree, uint32_t node, uint32_t most);

/* Less than, equal to or greater than 0, in the order of a dictionary, whichever of two was found first: of
 * paths that begin alike the one that ends there is the first. */
int ws_path_compare(const struct ws_path_tree *tree, uint32_t a, uint32_t b);

/* How often each path was taken, by whose it is (a call site). Zero-initialised is empty. */
struct ws_path_count {
    uint64_t key; /* owner << 32 | node */
    uint64_t count;
};

struct ws_path_counts {
    struct ws_path_count *slots; /* hash table; count 0 = free */
    uint32_t slot_count;
    uint32_t used;
};

void ws_path_counts_finish(struct ws_path_counts *counts);
bool ws_path_counts_add(struct ws_path_counts *counts, uint32_t owner, uint32_t node, uint64_t count);

/* Everything counted, most frequent first within each owner, owners in order; equal counts as ws_path_compare
 * has them. `counts`, whose nodes are of `tree`, is emptied into it: slots[0 .. used - 1]. */
void ws_path_counts_sort(struct ws_path_counts *counts, struct ws_path_tree *tree);

#endif
