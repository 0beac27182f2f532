/* What the parts of the runner share: the walk (runner.c), what passes ask of a place (visit.c), records
 * (records.c), words for them (words.c), ray queries (ray_queries.c), accesses to memory (accesses.c). The walk calls
 * the others; visit.c calls none of them. */
#ifndef WS_PASSES_INSTRUMENT_RUNNER_STATE_H
#define WS_PASSES_INSTRUMENT_RUNNER_STATE_H

#include "passes/flow/loops.h"
#include "passes/instrument/copies.h"
#include "passes/instrument/marks.h"
#include "passes/instrument/paths.h"
#include "passes/instrument/runner.h"
#include "passes/instrument/runs.h"
#include "passes/instrument/site_budget.h"
#include "passes/primitives.h"
#include "passes/spirv/builder.h"
#include "warpscope/base/id_map.h"
#include "warpscope/spirv/sync_points.h"

/* The counter of a class of blocks (equivalence.h). It is kept at the first block of the class. */
struct ws_runner_counter {
    bool decided;       /* the other members are set */
    uint32_t row;       /* WS_NONE = the class is not counted */
    const char *reason; /* why it is not counted; static */
};

/* The counter rows of a function, from `first` up to but not including `end`. For the function of an entry
 * point they include the launch row. */
struct ws_runner_rows {
    bool walked;
    uint32_t first;
    uint32_t end;
    uint32_t yield_first; /* the same of yield words */
    uint32_t yield_end;
    uint32_t launch; /* its launch row; WS_NONE = it has none */
};

/* The entry record of an entry point's function. */
struct ws_runner_enter {
    bool decided;
    const char *reason; /* why it has none, static; NULL = it has one */
    uint32_t number;    /* the number in the record */
    uint32_t callee;
    struct ws_enter call;
};

/* The call of an entry point's function that keeps work ids. */
struct ws_runner_works {
    bool decided;
    const char *reason; /* why it has none, static; NULL = it has one */
};

/* How the function of a sampled entry point is entered (root.h, SAMPLING). */
struct ws_runner_sample {
    uint32_t callee; /* id of the primitive that draws; 0 = it is not sampled */
    bool begun;      /* the rows of its group are chosen where it begins */
};

/* The code behind an entry point's function (wrap.c), which is wrapped where either is there. */
struct ws_runner_wrap {
    uint32_t callee;   /* id of the primitive that is called there; 0 = none */
    uint32_t argument; /* id of its argument */
    uint32_t
        take_marks; /* id of the primitive that has the marks which the function leaves (marks.h); 0 = it leaves none */
    uint32_t count_marks; /* id of that which counts them */
    uint32_t first;       /* the row of bit 0 */
    uint32_t used;        /* bits that stand for a row */
};

/* An instruction that still needs a check for a continuation behind it. The check is added when an entry
 * point that reaches the instruction has an entry record. */
struct ws_runner_resume {
    uint32_t function;
    uint32_t block;
    uint32_t instruction;
};

/* A place record that a pass wants at an end, or behind an instruction. It is kept until all passes have been called there: a
 * data record that another pass puts shows the lanes of the place too. */
struct ws_runner_late {
    uint32_t pass;
    uint32_t tag;
};

/* Which entry points reach what a skip stands for. */
struct ws_runner_skip {
    bool *entries;     /* per entry point */
    uint32_t function; /* the last function whose entry points were added; WS_NONE = none */
};

struct ws_runner {
    const struct ws_instrument_plan *plan;
    const struct ws_module *module;
    struct ws_editor *editor;
    const struct ws_pass *const *passes;
    size_t pass_count;
    const struct ws_instrument_options *options;
    struct ws_instrumented *result;
    uint32_t *block_infos; /* per module->blocks: index in result->blocks; WS_NONE = not listed */
    bool *visited;         /* per function: a site of a pass is in it */
    struct ws_runner_counter *counters; /* per module->blocks */
    struct ws_runner_rows *rows;        /* per function */
    struct ws_runner_wrap *wraps;       /* per function */
    struct ws_runner_works *works;      /* per function */
    struct ws_runner_sample *samples;   /* per function */
    /* Where functions are copied, the copies count in the rows of the original: a shader reaches one of them, and
     * rows are each shader's own. Empty otherwise. */
    struct ws_id_map place_rows; /* place -> its row */
    struct ws_id_map row_sites;  /* block or row, pass and tag of counter sites that are there */
    struct ws_id_map handed;     /* handed.c: value -> its copy; and what else it keeps */
    uint32_t site_capacity;
    uint32_t fixed_capacity;
    uint32_t part_capacity;
    uint32_t joint_count;            /* joint rows */
    struct ws_row_part *joint_parts; /* of which these are parts */
    uint32_t joint_part_count;
    uint32_t joint_part_capacity;
    uint32_t skip_capacity;
    struct ws_site_budget *budget; /* NULL = none */
    uint32_t probe_count;          /* calls added for passes; max_sites limits them */
    struct ws_runner_skip *skips;  /* per result->skips */
    /* Per primitive: its function, for the function being walked; 0 = not linked yet. */
    uint32_t primitives[WS_PRIMITIVE_COUNT];
    struct ws_marks *marks;         /* which classes are counted when all has been walked */
    struct ws_runs *runs;           /* of the function at work; NULL = not looked for yet */
    struct ws_carried *carried;     /* runs.c; NULL = not looked for yet */
    bool *barriers;                 /* per function: it may come to a barrier; NULL = not looked for yet */
    struct ws_ray_queries *queries; /* ray_queries.c; NULL = not needed yet */
    struct ws_layouts *layouts;     /* accesses.c; NULL = not needed yet */
    struct ws_stretches *stretches; /* accesses.c; NULL = not needed yet */
    struct ws_shadows *shadows;     /* accesses.c; NULL = not needed yet */

    struct ws_sync **syncs;           /* per pass; NULL = the pass has no sync points */
    struct ws_runner_enter *enters;   /* per function */
    struct ws_runner_resume *resumes; /* list */
    uint32_t resume_count;
    uint32_t resume_capacity;
    /* Per module->blocks: number of the record that shows which lanes are active at the end of the block;
     * WS_NONE = no record does. */
    uint32_t *last_records;
    uint32_t *predecessors; /* per module->blocks of the function being walked: index within it */

    struct ws_paths *paths; /* which records of blocks are put when all has been walked */

    bool wants_loops; /* a pass is visited at places of loops */

    /* About the function being walked: */
    struct ws_loops loops;       /* where wants_loops */
    uint32_t zero;               /* handed.c; 0 = not needed yet */
    uint32_t zeros;              /* likewise: which multiple of it is taken next */
    struct ws_twins *twins;      /* likewise; NULL = not needed yet */
    bool function_decided;       /* function_reason is set */
    const char *function_reason; /* why it cannot have records; NULL = it can */
    uint32_t *contexts;          /* per block: its mask context (equivalence.h); NULL = not found yet */
    struct ws_runner_late *late; /* records of the end, or behind the instruction, being visited */
    uint32_t late_count;
    uint32_t late_capacity;
    uint32_t record; /* number of the record that shows the active lanes at this place; WS_NONE = none does */
};

/* A place that a pass is being called for. */
struct ws_visit {
    struct ws_runner *runner;
    uint32_t pass; /* index in runner->passes */
    enum ws_place place;
    uint32_t function;
    uint32_t block;       /* index in module->blocks */
    uint32_t instruction; /* index in module->instructions; WS_NONE = the place is not about an instruction */
    struct ws_cursor cursor;
    struct ws_runner_counter counter; /* for this place only */
    uint32_t loop;                    /* at places of loops: index in runner->loops; else WS_NONE */
    uint32_t first;                   /* ws_visit_first, once it is known; else 0 */
};

/* Adds a site that belongs to the runner and not to a pass. `block` is an index in module->blocks. If there
 * is no memory, the editor fails. */
void ws_runner_add_site(struct ws_runner *runner, enum ws_site_kind kind, uint32_t block, uint32_t offset,
                        uint32_t row);

/* Adds a site for the pass of a visit, with its tag, in the block of the visit. */
void ws_runner_add_pass_site(struct ws_visit *visit, uint32_t tag, enum ws_site_kind kind, uint32_t offset,
                             uint32_t row);

/* Adds `count` sites in a function to the skip of this pass and reason (a static string). `offset` is that of
 * the first. */
void ws_runner_add_skip(struct ws_runner *runner, uint32_t pass, uint32_t function, uint32_t offset,
                        uint32_t count, const char *reason);

/* Adds an entry point as a whole to the skip of every pass and this reason. */
void ws_runner_add_entry_skip(struct ws_runner *runner, uint32_t entry, const char *reason);

/* Writes the lists of entry points of the skips, when the walk is done. False if there is no memory. */
bool ws_runner_finish_skips(struct ws_runner *runner);

/* Returns the word offset of the instruction that follows the cursor. */
uint32_t ws_runner_offset(const struct ws_runner *runner, struct ws_cursor cursor);

/* Returns the word offset for the site of a visit (struct ws_site_info). */
uint32_t ws_runner_visit_offset(const struct ws_visit *visit);

/* Returns a cursor at the beginning of a block, before all code that is added at ws_cursor_block_start. */
struct ws_cursor ws_runner_prologue(const struct ws_module *module, uint32_t block);

/* The counter rows of a place (a key within the original module): those of a copy, or new ones. Returns the first; they are
 * there once `count` of them are taken for the code of a function. */
uint32_t ws_runner_find_rows(const struct ws_runner *runner, uint64_t place);
void ws_runner_take_rows(struct ws_runner *runner, uint32_t function, uint64_t place, uint32_t first,
                         uint32_t count);

/* Joint rows: each stands for several others, which have it as a part, and stands behind all other rows of the module. May
 * its entry point have some? They are taken when all has been walked. Returns the first of `count` new ones; notes one as a
 * part of row `row`; and puts the parts before all others. */
bool ws_runner_may_join_rows(const struct ws_runner *runner);
uint32_t ws_runner_take_joint_rows(struct ws_runner *runner, uint32_t count);
void ws_runner_add_joint_part(struct ws_runner *runner, uint32_t row, uint32_t part);
void ws_runner_put_joint_parts(struct ws_runner *runner);

/* Has a sample, instruction `index` of the function of the visit, be handed copies of the numbers that are recorded of it
 * (handed.c). Does nothing for other instructions, and the second time. */
void ws_runner_hand(struct ws_visit *visit, uint32_t index);

/* The copy of a value that was made for it; the value itself where none was. */
uint32_t ws_runner_handed(const struct ws_runner *runner, uint32_t value);

/* Reasons why a primitive cannot be linked, or is not called. */
extern const char *const ws_runner_no_variable;
extern const char *const ws_runner_site_limit;

/* Whether a reason is one for which no records are made at all (WS_NO_SHUFFLES, WS_NO_SAMPLED_RECORDS). */
bool ws_runner_is_without_records(const char *reason);

extern const char *const ws_runner_no_place;

/* Returns whether options.max_sites is reached. */
bool ws_runner_is_full(const struct ws_runner *runner);

/* Returns the id of a primitive, for calls in the function being walked. Links it on first use. 0 if that
 * fails. */
uint32_t ws_runner_link(struct ws_runner *runner, uint32_t function, enum ws_primitive primitive);

/* Adds a 32-bit variable to the function, 0 at first. Returns its id; 0 after a failure. */
uint32_t ws_runner_add_variable(struct ws_runner *runner, uint32_t function);

/* The primitive that appends a data record with `count` words per lane, 1 to WS_DATA_WORDS_MAX. */
enum ws_primitive ws_runner_data_primitive(uint32_t count);

/* Adds a call of a primitive at a cursor, for a pass. Returns NULL, or why it could not be added. */
const char *ws_runner_put_probe(struct ws_runner *runner, uint32_t function, struct ws_cursor cursor,
                                enum ws_primitive primitive, const uint32_t *arguments, uint32_t count);

/* Adds the call that keeps the work ids of threads, where each entry point begins that is instrumented and reaches the
 * function, unless it is there. Returns NULL, or why it could not be added to any of them. */
const char *ws_runner_put_work(struct ws_runner *runner, uint32_t function);

/* Notes that code in the function uses yield words from `first` up to but not including `end`. */
void ws_runner_use_yields(struct ws_runner *runner, uint32_t function, uint32_t first, uint32_t end);

/* Adds the call that reads the address of the counter rows, or of the yield words (`primitive`), at the begin of a function:
 * that of an entry point, before the launch row, or one where a call of it is needed (runner.c). It may be called in several
 * functions of one shader. */
void ws_runner_put_begin(struct ws_runner *runner, uint32_t function, enum ws_primitive primitive);

/* Adds the call that counts the launch row at the begin of an entry point's function. */
void ws_runner_put_launch(struct ws_runner *runner, uint32_t function);

/* Has a primitive called behind the function of an entry point. Returns NULL, or why it cannot be. */
const char *ws_runner_wrap(struct ws_runner *runner, uint32_t function, enum ws_primitive primitive,
                           uint32_t argument);

/* Whether an entry point reaches the function whose own function is left alone, and so does not begin
 * (primitives/begin.glsl). */
bool ws_runner_is_entered_elsewhere(const struct ws_runner *runner,
                                    const struct ws_instrument_plan_function *function);

/* Decides whether the function of an entry point is sampled, before anything is put into it. */
void ws_runner_begin_sample(struct ws_runner *runner, uint32_t function);

/* Has a sampled entry point, all of which has been walked, count in the rows of its group. */
void ws_runner_end_sample(struct ws_runner *runner, uint32_t entry);

/* Writes the code around all functions for which that was asked, at the end of the walk. */
void ws_runner_put_wraps(struct ws_runner *runner);

/* Allocates the members that are about records. False if there is no memory. */
bool ws_runner_records_create(struct ws_runner *runner);

/* The walk calls these in its order: at the begin of a function, after the launch row is added; at the
 * begin of a block; at each instruction, after the code before it is added; and at the end of the block. */
void ws_runner_begin_function(struct ws_runner *runner, uint32_t function);
void ws_runner_begin_block(struct ws_runner *runner, uint32_t function, uint32_t block);
void ws_runner_pass_instruction(struct ws_runner *runner, uint32_t function, uint32_t block,
                                uint32_t instruction);
void ws_runner_end_block(struct ws_runner *runner, uint32_t block);

/* Adds the place record that passes want at an end, or behind an instruction, after their data records. At an end, lanes end
 * with that record. */
void ws_runner_put_late(struct ws_visit *visit);

/* Keeps the driver from writing out loops of the function that it would write out wrong with code of passes in them. */
void ws_runner_keep_loops(struct ws_runner *runner, uint32_t function);

#endif
