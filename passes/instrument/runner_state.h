/* What the parts of the runner share: the walk (runner.c), what passes ask of a place (visit.c), records (records.c), words
 * for them (words.c), ray queries (ray_queries.c). The walk calls the others; visit.c calls none of them. */
#ifndef WS_PASSES_INSTRUMENT_RUNNER_STATE_H
#define WS_PASSES_INSTRUMENT_RUNNER_STATE_H

#include "passes/instrument/runner.h"
#include "passes/primitives.h"
#include "passes/spirv/builder.h"
#include "passes/spirv/sync.h"

/* The counter of a class of blocks, kept at its first block. */
struct ws_runner_counter {
    bool decided;
    uint32_t row;       /* WS_NONE where it could not be counted */
    const char *reason; /* why it could not be counted */
};

/* Rows of a function that has been walked: [first, end), the launch row of an entry point's included. */
struct ws_runner_rows {
    bool walked;
    uint32_t first;
    uint32_t end;
};

/* The entry record of an entry point's function. */
struct ws_runner_enter {
    bool decided;
    const char *reason; /* why it has none; NULL where it has one */
    uint32_t number;    /* that it carries */
    uint32_t callee;
    struct ws_enter call;
};

/* An instruction behind which there is no check for a continuation, until an entry point that reaches it has
 * an entry record. */
struct ws_runner_resume {
    uint32_t function;
    uint32_t block;
    uint32_t instruction;
};

/* A place record that a pass asked for at an end, until all passes have been asked. */
struct ws_runner_end {
    uint32_t pass;
    uint32_t tag;
};

struct ws_runner {
    const struct ws_instrument_plan *plan;
    const struct ws_module *module;
    struct ws_editor *editor;
    const struct ws_pass *const *passes;
    size_t pass_count;
    const struct ws_instrument_options *options;
    struct ws_instrumented *result;
    uint32_t *block_infos; /* per module->blocks: index in result->blocks, WS_NONE = not listed */
    struct ws_runner_counter *counters; /* per module->blocks */
    struct ws_runner_rows *rows;        /* per function */
    uint32_t site_capacity;
    uint32_t skip_capacity;
    uint32_t probe_count;                    /* calls put in for passes: what max_sites limits */
    uint32_t walk_skips;                     /* first of the skips that may be added up */
    uint32_t primitives[WS_PRIMITIVE_COUNT]; /* linked for the function being walked; 0 = not yet */
    struct ws_ray_queries *queries;          /* ray_queries.h; NULL until first needed */

    struct ws_sync **syncs;         /* per pass; NULL where it is not visited at sync points */
    struct ws_runner_enter *enters; /* per function */
    struct ws_runner_resume *resumes;
    uint32_t resume_count;
    uint32_t resume_capacity;
    uint32_t
        *last_records; /* per module->blocks: number of the record that shows the lanes at its end, WS_NONE */
    uint32_t *predecessors; /* per module->blocks of the function being walked: index within it */

    /* Of the function being walked: */
    bool function_decided;       /* whether there can be records in it: */
    const char *function_reason; /* why not; NULL where there can */
    uint32_t *contexts;          /* per block: its mask context (equivalence.h); NULL = not yet found */
    struct ws_runner_end *ends;  /* of the end being visited */
    uint32_t end_count;
    uint32_t end_capacity;
    uint32_t record; /* number of the record that shows the lanes at this place; WS_NONE where none does */
};

/* One place, with the pass that is being asked. */
struct ws_visit {
    struct ws_runner *runner;
    uint32_t pass; /* index in runner->passes */
    enum ws_place place;
    uint32_t function;
    uint32_t block;       /* index in module->blocks */
    uint32_t instruction; /* index, for places about one; else WS_NONE */
    struct ws_cursor cursor;
    struct ws_runner_counter counter; /* of just this place */
};

/* Adds a site of the runner's own, which belongs to no pass; makes the editor fail when there is no memory. `block` is
 * an index in module->blocks. */
void ws_runner_add_site(struct ws_runner *runner, enum ws_site_kind kind, uint32_t block, uint32_t offset,
                        uint32_t row);

/* Adds a site of the pass that is being asked, with its tag, in the block that the visit is in. */
void ws_runner_add_pass_site(struct ws_visit *visit, uint32_t tag, enum ws_site_kind kind, uint32_t offset,
                             uint32_t row);

/* Adds a skip; one of the walk is added to an earlier one with the same pass and reason. */
void ws_runner_add_skip(struct ws_runner *runner, uint32_t pass, uint32_t offset, uint32_t count,
                        const char *reason);

/* Word offset of the instruction before which code at the cursor stands. */
uint32_t ws_runner_offset(const struct ws_runner *runner, struct ws_cursor cursor);

/* Word offset that the site of a visit has (struct ws_site_info). */
uint32_t ws_runner_visit_offset(const struct ws_visit *visit);

/* Lists the blocks that any entry point reaches, in the order of the module. False on no memory. */
bool ws_runner_list_blocks(struct ws_runner *runner);

/* Lists the functions that are left alone, with as many sites as they have blocks, and the entry points that
 * no one knows. */
void ws_runner_list_refusals(struct ws_runner *runner);

/* Where a block begins, ahead of all that stands at ws_cursor_block_start. */
struct ws_cursor ws_runner_prologue(const struct ws_module *module, uint32_t block);

/* Why a primitive cannot be linked, and why it is not called. */
extern const char *const ws_runner_no_variable;
extern const char *const ws_runner_site_limit;
extern const char *const ws_runner_no_shuffles;

/* Whether options.max_sites is reached. */
bool ws_runner_is_full(const struct ws_runner *runner);

/* The function of a primitive for the function being walked, linked when first used; 0 when it cannot be. */
uint32_t ws_runner_link(struct ws_runner *runner, uint32_t function, enum ws_primitive primitive);

/* Puts a call of a primitive at a cursor, for a pass. NULL when it is done, else why it could not be. */
const char *ws_runner_put_probe(struct ws_runner *runner, uint32_t function, struct ws_cursor cursor,
                                enum ws_primitive primitive, const uint32_t *arguments, uint32_t count);

/* Puts the launch row's primitive where an entry point's function begins. */
void ws_runner_put_launch(struct ws_runner *runner, uint32_t function);

/* Makes room for what is known of records. False on no memory. */
bool ws_runner_records_create(struct ws_runner *runner);

/* The walk tells what it comes to: a function, behind its launch row; a block; instructions, when what stands
 * before them is done; the end of the block. */
void ws_runner_begin_function(struct ws_runner *runner, uint32_t function);
void ws_runner_begin_block(struct ws_runner *runner, uint32_t function, uint32_t block);
void ws_runner_pass_instruction(struct ws_runner *runner, uint32_t function, uint32_t block,
                                uint32_t instruction);
void ws_runner_end_block(struct ws_runner *runner, uint32_t block);

/* Puts the place record that passes asked for at an end, behind their data records: lanes have ended with it. */
void ws_runner_put_ends(struct ws_visit *visit);

#endif
