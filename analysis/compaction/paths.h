/* Thread paths of any length: sequences of symbols. Each different path is kept once, and counted.
 *
 * A path is a sequence of runs of equal symbols. Each run is a node of a prefix tree, so paths that begin
 * alike share the nodes of their beginning. A node is found by its parent, symbol and length (hash-consing).
 * So two paths are equal if and only if their nodes are equal, a loop of a million rounds is one node, and
 * memory grows with the different beginnings, not with the number of threads or the length of their paths.
 * The last run of a path that still grows is not in the tree but in struct ws_path.
 *   Example: the paths "1^7 0" and "1^7 | 1" are four nodes: 1^7, its children 0 and |, and the child 1 of |.
 *
 * BOUND: a tree holds WS_PATH_NODES_MAX nodes of 16 bytes, with 8 to 16 bytes of hash table each. A path that
 * needs more nodes becomes WS_PATH_LOST. Such paths are counted together.
 *
 * Not thread-safe; ws_path_tree_translate merges the trees of workers. */
#ifndef WS_ANALYSIS_COMPACTION_PATHS_H
#define WS_ANALYSIS_COMPACTION_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_PATH_NODES_MAX (1u << 22)
#define WS_PATH_EMPTY     0u /* a node: the path without symbols */
#define WS_PATH_LOST      1u /* a node: any path that did not fit */

enum ws_path_symbol {
    WS_PATH_NOT_TAKEN = 0,
    WS_PATH_TAKEN = 1,
    WS_PATH_SEPARATOR = 2, /* a loop around went on (thread_compaction.h); a run of n for n levels */
    WS_PATH_SITE = 3,      /* the path of one of several call sites: the length of the run is its node */
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

/* Appends `count` equal symbols. False when there is no memory. */
bool ws_path_append(struct ws_path_tree *tree, struct ws_path *path, uint32_t symbol, uint64_t count);

/* The node of the path as it is now; the path may grow on. False when there is no memory. */
bool ws_path_end(struct ws_path_tree *tree, const struct ws_path *path, uint32_t *node);

static inline bool ws_path_is_empty(const struct ws_path *path)
{
    return path->run == 0 && path->node == WS_PATH_EMPTY;
}

/* Adds the paths of `from` to `to`. Returns, for each node of `from`, the equal node of `to`: from->count
 * numbers, freed by the caller. NULL when there is no memory. */
uint32_t *ws_path_tree_translate(struct ws_path_tree *to, const struct ws_path_tree *from);

/* The path as text, such as "1^7 0 1^2 | 1^3". Its first `most` runs are written, and "..." for the rest; "-"
 * is the empty path. The paths of several call sites stand in braces: "{1^7} {-}". Freed by the caller; NULL
 * when there is no memory. */
char *ws_path_text(const struct ws_path_tree *tree, uint32_t node, uint32_t most);

/* Compares paths in the order of a dictionary: less than, equal to or greater than 0. A path comes before
 * those that it is the beginning of. The order does not depend on which path was added first. */
int ws_path_compare(const struct ws_path_tree *tree, uint32_t a, uint32_t b);

/* How many threads took a path. The owner is a number of the caller's: a call site. */
struct ws_path_count {
    uint64_t key; /* owner << 32 | node */
    uint64_t count;
};

/* Zero-initialised is empty. */
struct ws_path_counts {
    struct ws_path_count *slots; /* hash table; count 0 = free */
    uint32_t slot_count;
    uint32_t used;
};

void ws_path_counts_finish(struct ws_path_counts *counts);
bool ws_path_counts_add(struct ws_path_counts *counts, uint32_t owner, uint32_t node, uint64_t count);

/* Sorts by owner, then by count, largest first, then as ws_path_compare says. The counts then stand in
 * slots[0 .. used - 1], and nothing may be added any more. `tree`: the one that the nodes are of. */
void ws_path_counts_sort(struct ws_path_counts *counts, struct ws_path_tree *tree);

/* Ranks of nodes in the order of a dictionary, by their runs: a path stands before those that it begins. The same whichever
 * path was added first. Freed by the caller; NULL when there is no memory. */
uint32_t *ws_path_tree_rank(const struct ws_path_tree *tree);

#endif
