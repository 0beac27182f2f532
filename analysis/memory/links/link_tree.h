/* A tree from links between elements (links.h): "the graph data structure is refined into a polytree by defining a root and
 * recursively selecting the two children with the highest weights" ("Visual Performance Analysis of Ray Tracing" (2024),
 * section 3.3.2).
 *
 * NODES BUFFER: of the buffers of which more than half of the threads that visit it begin at one and the same element, that
 * which is visited most, and has two elements at least. That element is the ROOT.
 * WEIGHT of a link = consecutive + across + stack.
 * CHILDREN of a node: level by level from the root on, each node gets of the elements that its links lead to and that are in
 * no other place of the tree yet the two with the highest weights; of equal ones that which lies first.
 * A LEAF is an element of another buffer. It goes on over what lies behind it as long as threads went on there (linear), and
 * no link leads from the nodes buffer there: that begins another leaf.
 *
 * Against a tree that is known: RIGHT is each node and leaf of it that the reconstructed tree has, with the same parent (the
 * root with none), and for a leaf with the same faces. WRONG is every other one that it has. RATE = right /
 * (nodes + leaves of the known tree).
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_LINKS_LINK_TREE_H
#define WS_ANALYSIS_MEMORY_LINKS_LINK_TREE_H

#include "analysis/memory/links/links.h"
#include "warpscope/error.h"

struct ws_link_node {
    uint32_t element;
    uint32_t parent; /* index of a node, UINT32_MAX = the root */
    uint32_t depth;  /* nodes above it */
    uint32_t count;  /* elements of a leaf; 0 = no leaf */
    uint64_t weight; /* of the link that leads here; 0 for the root */
};

/* Zero-initialised is empty. */
struct ws_link_tree {
    struct ws_link_node *nodes; /* parents before children, level by level; leaves too */
    uint32_t count;
    uint32_t capacity;
    uint32_t buffer; /* the nodes buffer */
    uint32_t leaf_count;
    uint64_t face_count; /* elements of leaves */
    uint32_t depth;      /* levels */
};

/* Makes the tree. It has no node where no buffer is walked from a root. False when there is no memory. */
bool ws_link_tree_init(struct ws_link_tree *tree, const struct ws_links *links);
void ws_link_tree_finish(struct ws_link_tree *tree);

/* How many elements of its buffer lie before an element. */
uint64_t ws_link_element_index(const struct ws_links *links, uint32_t element);

/* How the tree compares with one that is known. */
struct ws_link_rate {
    uint64_t nodes;  /* of the known tree */
    uint64_t leaves; /* likewise */
    uint64_t right_nodes;
    uint64_t right_leaves;
    uint64_t wrong; /* of the reconstructed tree, nodes and leaves */
};

/* Compares with the tree of a file: a line for each node, with its index and its two children, each the index of a node, or
 * FIRST+COUNT for a leaf's elements. The first line is the root. Lines that begin with # are comments. False and `error`
 * where the file cannot be read or is no tree. */
bool ws_link_tree_compare(const struct ws_link_tree *tree, const struct ws_links *links, const char *path,
                          struct ws_link_rate *rate, struct ws_error *error);

#endif
