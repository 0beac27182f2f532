/* Where threads of compute shaders part, and could be put into other warps: at the selections of a module (OpSelectionMerge
 * with a conditional branch or a switch) and at its loops (OpLoopMerge) that its compute entry points reach. reorder.h says
 * what is done with them.
 *
 * THE REGION of a selection is what only threads execute that have come through it, until they meet again: the blocks that
 * its header dominates, without the header and without what its merge block dominates, or that of a loop or selection around
 * it; and all functions that these blocks call.
 *   Example: A; if (c) { B; f(); } else { C; } D; The region has B, C and the blocks of f. It begins behind A.
 * THE REGION of a loop is the same with its header, whose branch is one of those that end it: threads come into it from
 * outside, all that come to the loop, also those that turn it once.
 *   Example: A; while (c) { B; } D; The region has the header, in which c is asked, and B. It begins behind A.
 *
 * A selection or loop is a PARTING if its region is worth it and legal to regroup: WS_PARTING_LEAST instructions, or a loop, or
 * a call of a function; and in it no barrier, no workgroup memory, and no subgroup operation (what asks other lanes, or which
 * lane this is), whose results would be others among other threads. Of a module those WS_PARTINGS_MAX selections are kept that
 * have most instructions, each counted eight times for every loop around it, and as many loops. What is left out is counted by
 * its reason.
 *
 * Threads may stay in their new warps behind the region where all come into it, and what they can come to from there has none
 * of these three either; otherwise they go BACK to their own warps when they leave it. Not thread-safe. */
#ifndef WS_ANALYSIS_REORDER_PLACES_PARTINGS_H
#define WS_ANALYSIS_REORDER_PLACES_PARTINGS_H

#include "analysis/simt/shader_run.h"
#include "warpscope/model/catalog.h"

#define WS_PARTING_LEAST 32
#define WS_PARTINGS_MAX  16                    /* selections of a module, and as many loops */
#define WS_PARTINGS_ALL  (2 * WS_PARTINGS_MAX) /* a bit for each */

/* Why a selection or loop is not looked at. */
enum ws_parting_reason {
    WS_PARTING_SMALL,
    WS_PARTING_BARRIER,
    WS_PARTING_WORKGROUP, /* memory */
    WS_PARTING_SUBGROUP,  /* operations */
    WS_PARTING_MANY,      /* others have more instructions */
    WS_PARTING_UNSEEN,    /* the budget (budget.h) was spent before */
    WS_PARTING_REASONS,
};

struct ws_parting {
    uint32_t
        block; /* that ends in the branch, or the header of the loop: index in the catalog's blocks of the module */
    uint32_t offset; /* of the branch at its end, in words */
    uint32_t merge;  /* of the first instruction behind the region; WS_NONE = threads do not meet again */
    bool all_come;   /* it stands in no loop or other selection, and in the function of an entry point */
    bool back;       /* threads go back to their own warps behind the region */
    bool loop;
    uint64_t instructions; /* of the region, weighted by loops */
};

/* Of one module. Zero-initialised has none. */
struct ws_partings {
    struct ws_parting list[WS_PARTINGS_ALL]; /* selections, then loops */
    uint32_t count;
    uint32_t skipped[WS_PARTING_REASONS]; /* selections, */
    uint32_t skipped_loops[WS_PARTING_REASONS];
    uint32_t *
        inside; /* per block of the catalog: a bit for each parting whose region it is in; NULL = there are none */
    uint8_t *
        begins; /* likewise: index + 1 of the selection that it ends in the branch of, or of the loop whose header */
                /* it is; 0 = none */
};

/* `code` NULL: the module cannot be read. False when there is no memory; then nothing needs to be finished. */
bool ws_partings_init(struct ws_partings *partings, const struct ws_module_record *module,
                      const struct ws_shader_code *code);
void ws_partings_finish(struct ws_partings *partings);

/* The parting whose branch is at that word offset; NULL = none. */
const struct ws_parting *ws_parting_at(const struct ws_partings *partings, uint32_t offset);

/* "too small to pay", "with barriers", ... */
const char *ws_parting_reason_words(uint32_t reason);

#endif
