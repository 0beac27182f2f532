/* Which loops of a module are around each of its blocks, where its branches lead, and what it calls, by the blocks of the
 * catalog. Made from the module's code, which the catalog does not keep.
 *
 * A block is in a loop if it stands between the loop's header and its merge block (constructs.h). So a block in which a
 * thread leaves the loop is in it: it runs in the iteration in which the thread leaves. */
#ifndef WS_ANALYSIS_REORDER_PLACES_LOOP_NESTS_H
#define WS_ANALYSIS_REORDER_PLACES_LOOP_NESTS_H

#include "analysis/simt/shader_run.h"
#include "warpscope/model/catalog.h"

/* The most loops around a block that are told apart; those further in are as if they were none. */
#define WS_NEST_DEPTH_MAX 16

/* The most sides of a branch that are told apart. */
#define WS_NEST_SUCCESSORS_MAX 1024

struct ws_nest_block {
    uint32_t function; /* result id */
    uint32_t loop;     /* innermost loop around it, index in loops; WS_NONE = none */
    bool header;       /* of that loop */
    bool first;        /* of its function */
    bool known;        /* false: nothing is known of its loops */
    /* Where it leads, in `successors`, where that is two blocks at least: each once, those in front before those that they lead
     * to. Without the way back to the header of a loop: that is another iteration. */
    uint32_t successor_first;
    uint32_t successor_count;
    uint32_t call_first; /* what it calls, in `calls`, in this order */
    uint32_t call_count;
};

struct ws_nest_loop {
    uint32_t parent; /* index in loops, smaller; WS_NONE */
    uint32_t depth;  /* loops around it in its function */
};

/* Of one module. Without blocks nothing is known of it. */
struct ws_loop_nest {
    struct ws_nest_block *blocks; /* parallel to the catalog's */
    uint32_t block_count;
    struct ws_nest_loop *loops;
    uint32_t loop_count;
    uint32_t *successors; /* indices of blocks */
    uint32_t successor_count;
    uint32_t *calls; /* result ids of functions */
    uint32_t call_count;
};

/* `code` NULL: the module cannot be read. False when there is no memory; then nothing needs to be finished. */
bool ws_loop_nest_init(struct ws_loop_nest *nest, const struct ws_module_record *module,
                       const struct ws_shader_code *code);
void ws_loop_nest_finish(struct ws_loop_nest *nest);

/* The block of a module that begins at a word offset, as the catalog's blocks say where they begin; WS_NONE = none. */
uint32_t ws_loop_nest_block_at(const struct ws_module *module, uint32_t offset);

#endif
