/* Where threads part behind a call: at a branch, or in a loop that some turn more often than others. What a thread does there
 * is a value that threads can be sorted by, from the paths of tails (spans.h).
 *
 * A BRANCH is a block that leads to several. Its value is the side that the thread takes when it first comes there in its tail:
 * 1 for the first block that it leads to, and so on, in the order of loop_nests.h; one more where it goes round the loop that
 * it is in; 0 for a thread that does not come there. The branch at the end of the block that calls is one of them.
 *   Example: a hit shader ends in switch (material) { case 0: A; case 1: B; default: C }. Threads of A have 1, of B 2, of C 3,
 *   and those that missed 0.
 * TURNS of a loop, by its header: how many iterations the thread begins when it first comes to the loop in its tail; 0 = none,
 * or it was in the loop when it called.
 *
 * Where a shader traces a ray that runs the same shader (recursion), in the block of the branch, before it, and the branch
 * leaves or enters a loop, the side may be that of the shader further in. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_BRANCHES_H
#define WS_ANALYSIS_REORDER_BRANCHES_H

#include "analysis/reorder/places/loop_nests.h"
#include "analysis/reorder/places/spans.h"
#include "analysis/reorder/places/thread_walk.h"

struct ws_branch {
    uint32_t shader; /* index in the catalog */
    uint32_t block;  /* index in the blocks of its module */
    bool turns;      /* of the loop whose header it is; else the branch at its end */
};

/* What a branch needs to know of a set. */
struct ws_branch_set {
    bool has;      /* the block of the branch is in it */
    bool turns;    /* the header of the loop that the branch is in is in it */
    uint32_t near; /* value of the first side in it, in the loop of the branch; 0 = none */
    uint32_t far;  /* likewise of a side that is in another loop */
};

/* One branch, ready to be asked. Zero-initialise, then set the first four members. */
struct ws_branch_table {
    const struct ws_catalog *catalog;
    const struct ws_spans *spans;
    const struct ws_loop_nest *nests;
    uint32_t nest_count;
    struct ws_branch branch;
    uint32_t elsewhere;         /* the value of none of the sides */
    struct ws_branch_set *sets; /* per set */
    uint32_t set_capacity;
    /* Per span: twice the number of the branch that it was looked through for, and one more where there is something for it. */
    uint32_t *spans_seen;
    uint32_t number; /* of this branch */
};

void ws_branch_table_finish(struct ws_branch_table *table);

/* Makes the table be of a branch, for the sets of these numbers; `sets` NULL: of all that there are. False when there is no
 * memory. */
bool ws_branch_table_set(struct ws_branch_table *table, const struct ws_branch *branch, const uint32_t *sets,
                         uint32_t set_count);

/* The call whose tails are looked at. */
struct ws_branch_call {
    uint32_t shader;
    uint32_t block; /* that calls, and where */
    struct ws_walk_place place;
};

/* The value of a thread whose tail is this path. */
uint32_t ws_branch_value(struct ws_branch_table *table, uint32_t path, const struct ws_branch_call *call);

#endif
