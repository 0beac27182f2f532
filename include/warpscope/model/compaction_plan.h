/* What thread compaction must know of a shader: its call sites, once for each way that leads to them, and
 * where their visits begin and end. It is made from the structure that warpscope/spirv/sync_points.h finds in the
 * original module. The catalog keeps it, since it does not keep the module's words.
 *
 * SCOPES make a tree for each entry point. The root is the entry point's function. In a function are its
 * loops, and the functions that it calls on the way to a call site, once for each OpFunctionCall. The
 * position of a thread is a scope and the iteration of each loop around it. A SLOT is a call site in a scope.
 * Example: a function `shade` that calls traceRay and is called at two places has two scopes, and its call of
 * traceRay two slots.
 *
 * LIMITS. A module that was made to do harm can have exponentially many ways. So an entry point has at most
 * WS_PLAN_SCOPES_MAX scopes, WS_PLAN_SLOTS_MAX slots and WS_PLAN_DEPTH_MAX nested loops. Call sites beyond
 * that are counted in `left_out`. */
#ifndef WARPSCOPE_MODEL_COMPACTION_PLAN_H
#define WARPSCOPE_MODEL_COMPACTION_PLAN_H

#include "warpscope/spirv/sync_points.h"

#define WS_PLAN_SCOPES_MAX 4096
#define WS_PLAN_SLOTS_MAX  1024
#define WS_PLAN_DEPTH_MAX  16

/* As ws_sync_loop and ws_sync_place, but blocks are indices in the catalog's blocks of the module; WS_NONE =
 * the block is never reached. Both lists are sorted by function. */
struct ws_compaction_plan_loop {
    uint32_t function;
    uint32_t parent; /* index in loops; WS_NONE */
};

struct ws_compaction_plan_place {
    uint32_t function;
    uint32_t block;
    uint32_t offset;
    uint32_t opcode;
    uint32_t callee;
    uint32_t loop;
    uint32_t selection;
    bool in_continue;
    uint32_t next_selection; /* the next place of the module with the same selection; WS_NONE */
    const char *file;        /* of the source; set by the catalog; NULL = not known */
    uint32_t line;
};

struct ws_compaction_plan_scope {
    uint32_t parent;   /* WS_NONE: the entry point's function */
    uint32_t function; /* index in the module's functions */
    uint32_t loop;     /* index in the module's loops; WS_NONE: a function */
    uint32_t call;     /* index in places, of the OpFunctionCall that leads here; WS_NONE: none */
    uint32_t depth;    /* loops, this one included */
    uint32_t owner;    /* the scope of its function: itself, where it is one */
    uint32_t loops;    /* functions: in scope_of_loop, the first of its loops */
    uint32_t targets;  /* functions: in targets, the first of its places */
    uint32_t slots;    /* in scope_slots, the first of the slots in it and in the scopes within */
    uint32_t slot_count;
};

struct ws_compaction_plan_slot {
    uint32_t scope;
    uint32_t place;
    uint32_t depth;       /* of its scope */
    uint32_t in_continue; /* bit d: the call is made in the continue construct of the loop at depth d */
};

/* Of one entry point. */
struct ws_compaction_plan_entry {
    struct ws_compaction_plan_scope
        *scopes; /* the first is the entry point's function; parents before children */
    uint32_t scope_count;
    struct ws_compaction_plan_slot *slots;
    uint32_t slot_count;
    uint32_t depth;          /* most loops around a slot */
    uint32_t *scope_of_loop; /* per function scope and loop of the function: its scope */
    uint32_t
        *targets; /* per function scope and place of the function: slot, or scope of the callee; WS_NONE */
    uint32_t *scope_slots;
    uint32_t left_out;
};

struct ws_compaction_plan_module {
    struct ws_compaction_plan_loop *loops;
    uint32_t loop_count;
    struct ws_compaction_plan_place *places;
    uint32_t place_count;
    uint32_t *loop_first;  /* per function, and one more: the first of its loops */
    uint32_t *place_first; /* per function, and one more: the first of its places */
    uint32_t function_count;
    uint32_t *continues;  /* per block of the catalog: the loop whose continue target it is; WS_NONE */
    uint32_t *merges;     /* the same of merge blocks */
    uint32_t *selections; /* per block: the first place whose selection it is; WS_NONE */
    uint32_t block_count;
    struct ws_compaction_plan_entry *entries; /* parallel to the module's entry points */
    uint32_t entry_count;
};

/* The structure of a module that has been parsed, with the call sites of the pass thread_compaction. Its blocks are
 * cut (cuts.h), which leaves its instructions as they are. `blocks`
 * are those of its SITE chunk, `entries` its entry points. NULL when there is no memory; a module that has no
 * call sites, or is not understood, has entries without slots. */
struct ws_compaction_plan_module *ws_compaction_plan_module_create(struct ws_module *module,
                                                                   const struct ws_block_info *blocks,
                                                                   uint32_t block_count,
                                                                   const struct ws_entry_info *entries,
                                                                   uint32_t entry_count);

void ws_compaction_plan_module_destroy(struct ws_compaction_plan_module *plan);

/* The place with a word offset that is one of the module's; WS_NONE. Logarithmic. */
uint32_t ws_compaction_plan_find(const struct ws_compaction_plan_module *plan, uint32_t offset);

/* The scope of `function` around or at `scope`; WS_NONE. */
uint32_t ws_compaction_plan_function_scope(const struct ws_compaction_plan_entry *entry, uint32_t scope,
                                           uint32_t function);

#endif
