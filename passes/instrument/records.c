/* Records (records.h): the entry records of entry points, place and data records, and whose record a place
 * has that none is put at. */
#include "passes/flow/equivalence.h"
#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/calls.h"

#define MANY (WS_NONE - 1) /* predecessors of a block */

#define CLOCK_WORDS 2 /* passes/primitives/clock.glsl */

static const char *const no_shuffles = WS_NO_SHUFFLES;
static const char *const no_sampled_records = WS_NO_SAMPLED_RECORDS;
static const char *const no_clock = WS_NO_CLOCK;
static const char *const no_ballots = "the stage has no subgroup operations";
static const char *const too_many = "more sites than a record can number";
static const char *const shared_function = "entry points of several stages share its function";
static const char *const no_work_ids = "records know no work ids of its stage";
static const char *const wrong_data = "a data record has 1 to 16 words per lane";
static const char *const no_entry = "its entry point is not instrumented";
static const char *const no_word = "a word of the record cannot be computed there";

bool ws_runner_is_without_records(const char *reason)
{
    return reason == no_shuffles || reason == no_sampled_records || reason == no_clock;
}

bool ws_runner_records_create(struct ws_runner *runner)
{
    struct ws_arena *arena = runner->module->arena;
    runner->enters = ws_arena_allocate(arena, runner->module->function_count, sizeof(*runner->enters));
    runner->last_records =
        ws_arena_allocate(arena, runner->module->block_count, sizeof(*runner->last_records));
    runner->predecessors =
        ws_arena_allocate(arena, runner->module->block_count, sizeof(*runner->predecessors));
    runner->paths = ws_paths_create(runner->module);
    if (runner->enters == NULL || runner->last_records == NULL || runner->predecessors == NULL ||
        runner->paths == NULL)
        return false;
    for (uint32_t b = 0; b < runner->module->block_count; b++)
        runner->last_records[b] = WS_NONE;
    return true;
}

/* ---- entry records ---- */

/* Emits the entry record's call behind the launch row's. */
static void emit_enter(struct ws_runner *runner, uint32_t function)
{
    const struct ws_runner_enter *enter = &runner->enters[function];
    const uint32_t block = runner->module->functions[function].block_first;
    ws_link_call(runner->editor, ws_runner_prologue(runner->module, block), enter->callee,
                 enter->call.arguments, enter->call.argument_count);
}

/* Whether entry points of several stages reach the function. */
static bool is_shared(const struct ws_instrument_plan *plan,
                      const struct ws_instrument_plan_function *function)
{
    for (uint32_t i = 1; i < function->entry_point_count; i++)
        if (plan->entries[function->entry_points[i]].stage != plan->entries[function->entry_points[0]].stage)
            return true;
    return false;
}

/* Decides on the entry record of an entry point's function: NULL when it has one, else why it cannot. */
static const char *decide_enter(struct ws_runner *runner, uint32_t function)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    struct ws_runner_enter *enter = &runner->enters[function];
    const uint32_t block = runner->module->functions[function].block_first;
    const uint32_t number = runner->result->site_count;
    if (plan->refusal != NULL)
        return plan->refusal;
    if (number > WS_RECORD_SITE_MAX)
        return too_many;
    if (!ws_link_enter(runner->editor, plan->entry_points, plan->entry_point_count, number, &enter->call))
        return is_shared(runner->plan, plan) ? shared_function : no_work_ids;
    enter->callee =
        ws_link_primitive(runner->editor, enter->call.primitive, plan->entry_points, plan->entry_point_count);
    if (enter->callee == 0)
        return ws_runner_no_variable;
    const struct ws_cursor start = ws_cursor_block_start(runner->module, block);
    enter->number = number;
    ws_runner_add_site(runner, WS_SITE_ENTRY, block, ws_runner_offset(runner, start), number);
    return NULL;
}

/* ---- continuations ---- */

/* Whether any entry point that reaches the function has an entry record. */
static bool is_entered(const struct ws_runner *runner, uint32_t function)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    for (uint32_t i = 0; i < plan->entry_point_count; i++) {
        const struct ws_runner_enter *enter =
            &runner->enters[runner->plan->entries[plan->entry_points[i]].functions[0]];
        if (enter->decided && enter->reason == NULL)
            return true;
    }
    return false;
}

/* Whether only ray tracing stages reach the function: nothing else repacks. */
static bool is_ray_tracing(const struct ws_runner *runner, uint32_t function)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    for (uint32_t i = 0; i < plan->entry_point_count; i++)
        if ((runner->plan->entries[plan->entry_points[i]].stage & WS_STAGES_RAY_TRACING) == 0)
            return false;
    return true;
}

/* Puts the check for a continuation behind an instruction. */
static void put_resume(struct ws_runner *runner, const struct ws_runner_resume *resume)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[resume->function];
    const uint32_t number = runner->result->site_count;
    const uint32_t offset = ws_plan_offset(runner->plan, resume->instruction);
    const char *reason = plan->per_thread ? no_ballots : number > WS_RECORD_SITE_MAX ? too_many : NULL;
    uint32_t callee = 0;
    if (reason == NULL) {
        callee = ws_link_primitive(runner->editor, WS_PRIMITIVE_RESUME, plan->entry_points,
                                   plan->entry_point_count);
        reason = callee == 0 ? ws_runner_no_variable : NULL;
    }
    if (reason != NULL) {
        ws_runner_add_skip(runner, WS_NONE, resume->function, offset, 1, reason);
        return;
    }
    const uint32_t site = ws_constant_u32(runner->editor, number);
    ws_link_call(runner->editor, ws_cursor_after(runner->module, resume->instruction), callee, &site, 1);
    ws_runner_add_site(runner, WS_SITE_CONTINUE, resume->block, offset, number);
}

/* Puts the checks behind the instructions that the walk has passed, once an entry point has its entry record. */
static void put_resumes(struct ws_runner *runner)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < runner->resume_count; i++) {
        const struct ws_runner_resume resume = runner->resumes[i];
        if (is_entered(runner, resume.function))
            put_resume(runner, &resume);
        else
            runner->resumes[kept++] = resume;
    }
    runner->resume_count = kept;
}

static void note_resume(struct ws_runner *runner, const struct ws_runner_resume *resume)
{
    if (!is_ray_tracing(runner, resume->function))
        return;
    if (is_entered(runner, resume->function)) {
        put_resume(runner, resume);
        return;
    }
    struct ws_runner_resume *resumes =
        ws_arena_grow(runner->module->arena, runner->resumes, runner->resume_count, &runner->resume_capacity,
                      sizeof(*resumes));
    if (resumes == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the sites of a module");
        return;
    }
    runner->resumes = resumes;
    resumes[runner->resume_count++] = *resume;
}

/* Decides on the entry record of an entry point's function, once. If the walk has not come to the function yet,
 * the record is put there when it does. */
static void require_enter(struct ws_runner *runner, uint32_t function)
{
    struct ws_runner_enter *enter = &runner->enters[function];
    if (enter->decided)
        return;
    enter->decided = true;
    enter->reason = decide_enter(runner, function);
    if (enter->reason != NULL && runner->plan->functions[function].refusal == NULL) {
        ws_runner_add_skip(runner, WS_NONE, function,
                           ws_plan_offset(runner->plan, runner->module->functions[function].first), 1,
                           enter->reason);
    } else if (enter->reason == NULL && runner->rows[function].walked) {
        emit_enter(runner, function);
    }
}

/* Decides on the entry records of all entry points that reach a function. Returns NULL if any of them has one, else
 * the reason why not: without an entry record no lane that comes here has a context. */
static const char *require_enters(struct ws_runner *runner, uint32_t function)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    if (!runner->function_decided) {
        runner->function_decided = true;
        runner->function_reason = no_ballots;
        bool any = false;
        const bool sampled = runner->options->sample > 1;
        const bool can = !plan->per_thread && !runner->options->without_records && !sampled;
        if (runner->options->without_records)
            runner->function_reason = no_shuffles;
        else if (sampled)
            runner->function_reason = no_sampled_records;
        for (uint32_t i = 0; i < plan->entry_point_count && can; i++) {
            const struct ws_instrument_plan_entry *entry = &runner->plan->entries[plan->entry_points[i]];
            if (entry->wanted) {
                require_enter(runner, entry->functions[0]);
                runner->function_reason = runner->enters[entry->functions[0]].reason;
                any = any || runner->function_reason == NULL;
            }
        }
        runner->function_reason = any ? NULL : runner->function_reason;
        put_resumes(runner);
    }
    return runner->function_reason;
}

void ws_runner_begin_function(struct ws_runner *runner, uint32_t function)
{
    runner->function_decided = false;
    runner->contexts = NULL;
    runner->record = WS_NONE;
    if (runner->enters[function].decided && runner->enters[function].reason == NULL)
        emit_enter(runner, function);
}

/* ---- which record shows the lanes of a place ---- */

/* Finds, for each block of the function, the one block before it, and the mask contexts. */
static bool find_flow(struct ws_runner *runner, uint32_t function)
{
    const struct ws_cfg *cfg = &runner->plan->cfgs[function];
    const struct ws_function *info = &runner->module->functions[function];
    uint32_t *before = &runner->predecessors[info->block_first];
    struct ws_error error;
    runner->contexts = ws_equivalence_contexts(runner->module->arena, runner->module, function, cfg,
                                               runner->plan->calls.block_parts, &error);
    if (runner->contexts == NULL)
        return ws_editor_fail(runner->editor, "%s", error.message);
    for (uint32_t block = 0; block < cfg->block_count; block++)
        before[block] = WS_NONE;
    before[0] = MANY; /* calls come there too */
    for (uint32_t place = 0; place < cfg->order_count; place++) {
        const uint32_t block = cfg->order[place];
        for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; i++) {
            uint32_t *entry = &before[cfg->successors[i]];
            *entry = *entry == WS_NONE ? block : MANY;
        }
    }
    return true;
}

void ws_runner_begin_block(struct ws_runner *runner, uint32_t function, uint32_t block)
{
    const struct ws_cfg *cfg = &runner->plan->cfgs[function];
    const struct ws_function *info = &runner->module->functions[function];
    runner->record = WS_NONE;
    if (!runner->function_decided || runner->function_reason != NULL || runner->options->per_block)
        return;
    if (runner->contexts == NULL && !find_flow(runner, function))
        return;
    const uint32_t index = block - info->block_first;
    const uint32_t before = runner->predecessors[block];
    /* Between the parts of a block that was cut stands no code: what shows the lanes right behind the cut, if
     * anything does, shows those of the next part. */
    if (index > 0 && runner->module->blocks[block - 1].is_cut)
        runner->record = runner->last_records[block - 1];
    else if (before < MANY && cfg->successor_first[before + 1] - cfg->successor_first[before] == 1 &&
             runner->contexts[before] == runner->contexts[index] &&
             !runner->plan->calls.block_parts[info->block_first + before])
        runner->record = runner->last_records[info->block_first + before];
}

void ws_runner_end_block(struct ws_runner *runner, uint32_t block)
{
    runner->last_records[block] = runner->record;
}

void ws_runner_pass_instruction(struct ws_runner *runner, uint32_t function, uint32_t block,
                                uint32_t instruction)
{
    const struct ws_instruction *passed = &runner->module->instructions[instruction];
    if (ws_instruction_calls(passed))
        runner->record = WS_NONE;
    if (ws_instruction_repacks(passed))
        note_resume(runner, &(struct ws_runner_resume){function, block, instruction});
}

/* ---- what passes ask for ---- */

static enum ws_site_kind place_kind(const struct ws_visit *visit)
{
    switch (visit->place) {
    case WS_PLACE_BEFORE: return WS_SITE_PLACE_BEFORE;
    case WS_PLACE_AFTER: return WS_SITE_PLACE_AFTER;
    case WS_PLACE_END: return WS_SITE_PLACE_END;
    case WS_PLACE_SYNC: return visit->instruction == WS_NONE ? WS_SITE_PLACE_SYNC : WS_SITE_PLACE_CALL;
    case WS_PLACE_ENTRY: return WS_SITE_PLACE_ENTRY;
    default: return WS_SITE_PLACE_BLOCK;
    }
}

/* NULL where a record can be put at the place, else why not. */
static const char *refuse_record(struct ws_visit *visit)
{
    struct ws_runner *runner = visit->runner;
    const char *reason = require_enters(runner, visit->function);
    if (reason != NULL)
        return reason;
    if (visit->place == WS_PLACE_RETURNED)
        return ws_runner_no_place;
    if (ws_runner_is_full(runner))
        return ws_runner_site_limit;
    return runner->result->site_count > WS_RECORD_SITE_MAX ? too_many : NULL;
}

bool ws_visit_can_record(struct ws_visit *visit)
{
    const char *reason = refuse_record(visit);
    if (reason != NULL)
        ws_visit_skip(visit, reason);
    return reason == NULL;
}

/* Whether the record of the place may be put as part of a path: it stands where a block begins, and nothing is appended
 * in the block before it. Data of the entry or of a loop's turn would be; if the place came first all the same, and lanes end
 * there, they would append data after their end. */
static bool may_be_in_path(const struct ws_visit *visit)
{
    return (visit->place == WS_PLACE_BLOCK ||
            (visit->place == WS_PLACE_SYNC && visit->instruction == WS_NONE)) &&
           !ws_paths_is_parted(visit->runner->paths, visit->block);
}

/* Notes the record of the beginning of a block, which is put when all has been walked. NULL when it is done, else why it
 * could not be. */
static const char *note_place(struct ws_visit *visit)
{
    struct ws_runner *runner = visit->runner;
    if (visit->cursor.instruction == WS_NONE)
        return ws_runner_no_place;
    if (ws_runner_link(runner, visit->function, WS_PRIMITIVE_PLACE) == 0)
        return ws_runner_no_variable;
    runner->probe_count++;
    ws_paths_note(runner->paths, visit->block, runner->result->site_count);
    return NULL;
}

/* Puts a call of a primitive whose first argument is the number of the next site. `is_place`: it is that of a place. NULL when
 * it is done, else why it could not be. */
static const char *put_record(struct ws_visit *visit, enum ws_primitive primitive, const uint32_t *arguments,
                              uint32_t count, bool is_place)
{
    struct ws_runner *runner = visit->runner;
    uint32_t all[1 + WS_DATA_WORDS_MAX];
    const bool is_block = visit->place == WS_PLACE_BLOCK && is_place;
    const char *reason = refuse_record(visit);
    if (reason == NULL && is_block && ws_site_budget_leaves_out(runner->budget, visit->block))
        reason = ws_site_budget_reason;
    if (reason != NULL)
        return reason;
    ws_site_budget_spend(runner->budget, visit->function, is_block ? visit->block : WS_NONE);
    if (is_place && may_be_in_path(visit))
        return note_place(visit);
    ws_paths_part(runner->paths, visit->block);
    all[0] = ws_constant_u32(runner->editor, runner->result->site_count);
    for (uint32_t i = 0; i < count; i++)
        all[1 + i] = arguments[i];
    return ws_runner_put_probe(runner, visit->function, visit->cursor, primitive, all, 1 + count);
}

/* Why an entry point's function has no entry record itself though something records in it: another entry point calls
 * it, which no valid module does. NULL where it has one. */
static const char *refuse_entry(const struct ws_runner_enter *enter)
{
    return enter->decided ? enter->reason : no_entry;
}

static void put_place(struct ws_visit *visit, uint32_t tag)
{
    struct ws_runner *runner = visit->runner;
    const char *reason = NULL;
    uint32_t number = runner->record;
    if (visit->place == WS_PLACE_ENTRY) {
        reason = require_enters(runner, visit->function);
        reason = reason == NULL ? refuse_entry(&runner->enters[visit->function]) : reason;
        number = runner->enters[visit->function].number;
    } else if (number == WS_NONE) {
        reason = put_record(visit, WS_PRIMITIVE_PLACE, NULL, 0, true);
        number = runner->result->site_count;
        runner->record = reason == NULL ? number : WS_NONE;
    }
    if (reason != NULL)
        ws_visit_skip(visit, reason);
    else
        ws_runner_add_pass_site(visit, tag, place_kind(visit), ws_runner_visit_offset(visit), number);
}

void ws_visit_record(struct ws_visit *visit, uint32_t tag)
{
    struct ws_runner *runner = visit->runner;
    if (visit->place != WS_PLACE_END && visit->place != WS_PLACE_AFTER) {
        put_place(visit, tag);
        return;
    }
    struct ws_runner_late *late = ws_arena_grow(runner->module->arena, runner->late, runner->late_count,
                                                &runner->late_capacity, sizeof(*late));
    if (late == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the sites of a module");
        return;
    }
    runner->late = late;
    late[runner->late_count++] = (struct ws_runner_late){visit->pass, tag};
}

void ws_runner_put_late(struct ws_visit *visit)
{
    struct ws_runner *runner = visit->runner;
    for (uint32_t i = 0; i < runner->late_count; i++) {
        visit->pass = runner->late[i].pass;
        put_place(visit, runner->late[i].tag);
    }
    runner->late_count = 0;
}

enum ws_clock ws_visit_clock(const struct ws_visit *visit)
{
    return visit->runner->options->clock;
}

/* Notes a data record that was put, or why it was not. A place behind it must not have the record of one before it. */
static void add_data(struct ws_visit *visit, uint32_t tag, uint32_t words, const char *reason)
{
    if (reason != NULL) {
        ws_visit_skip(visit, reason);
        return;
    }
    visit->runner->record = WS_NONE;
    ws_runner_add_pass_site(visit, tag, WS_SITE_DATA, ws_runner_visit_offset(visit), words);
}

void ws_visit_record_clock(struct ws_visit *visit, uint32_t tag)
{
    static const enum ws_primitive primitives[][2] = {
        [WS_CLOCK_SUBGROUP] = {WS_PRIMITIVE_SUBGROUP_CLOCK_BEGIN, WS_PRIMITIVE_SUBGROUP_CLOCK_END},
        [WS_CLOCK_DEVICE] = {WS_PRIMITIVE_CLOCK_BEGIN, WS_PRIMITIVE_CLOCK_END},
    };
    const enum ws_clock clock = ws_visit_clock(visit);
    const char *reason = no_clock;
    if (clock != WS_CLOCK_NONE)
        reason = put_record(visit, primitives[clock][visit->place == WS_PLACE_END], NULL, 0, false);
    add_data(visit, tag, CLOCK_WORDS, reason);
}

enum ws_primitive ws_runner_data_primitive(uint32_t count)
{
    static const enum ws_primitive primitives[] = {
        WS_PRIMITIVE_DATA_1,  WS_PRIMITIVE_DATA_2,  WS_PRIMITIVE_DATA_3,  WS_PRIMITIVE_DATA_4,
        WS_PRIMITIVE_DATA_5,  WS_PRIMITIVE_DATA_6,  WS_PRIMITIVE_DATA_7,  WS_PRIMITIVE_DATA_8,
        WS_PRIMITIVE_DATA_9,  WS_PRIMITIVE_DATA_10, WS_PRIMITIVE_DATA_11, WS_PRIMITIVE_DATA_12,
        WS_PRIMITIVE_DATA_13, WS_PRIMITIVE_DATA_14, WS_PRIMITIVE_DATA_15, WS_PRIMITIVE_DATA_16,
    };
    return primitives[count - 1];
}

/* Notes a word that records of a site leave out. Which site, its record tells, which comes next. */
static void add_fixed(struct ws_runner *runner, uint32_t word, uint32_t value)
{
    struct ws_instrumented *result = runner->result;
    struct ws_fixed_word *fixed = ws_arena_grow(runner->module->arena, result->fixed, result->fixed_count,
                                                &runner->fixed_capacity, sizeof(*fixed));
    if (fixed == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the sites of a module");
        return;
    }
    result->fixed = fixed;
    fixed[result->fixed_count++] = (struct ws_fixed_word){WS_NONE, word, value};
}

/* What is a constant is told once, with the site, and the record has the rest: in the order of words, as readers put them
 * back. Where nothing is left, the lanes are told, as by a place record. */
void ws_visit_record_data(struct ws_visit *visit, uint32_t tag, const uint32_t *arguments, uint32_t count)
{
    uint32_t left[WS_DATA_WORDS_MAX];
    uint32_t left_count = 0;
    struct ws_instrumented *result = visit->runner->result;
    const uint32_t fixed_before = result->fixed_count;
    const char *reason = count >= 1 && count <= WS_DATA_WORDS_MAX ? NULL : wrong_data;
    for (uint32_t i = 0; i < count && reason == NULL; i++)
        reason = arguments[i] == 0 ? no_word : NULL;
    for (uint32_t i = 0; i < count && reason == NULL; i++) {
        uint32_t value;
        if (ws_visit_constant_value(visit, arguments[i], &value))
            add_fixed(visit->runner, i, value);
        else
            left[left_count++] = arguments[i];
    }
    if (reason == NULL)
        reason = put_record(visit, left_count > 0 ? ws_runner_data_primitive(left_count) : WS_PRIMITIVE_PLACE,
                            left, left_count, false);
    if (reason != NULL)
        result->fixed_count = fixed_before;
    for (uint32_t i = fixed_before; i < result->fixed_count; i++)
        result->fixed[i].site = result->site_count;
    const uint32_t number = result->site_count;
    add_data(visit, tag, count, reason);
    /* It shows the lanes of places behind it; what stands before a loop those of no turn. */
    if (reason == NULL && visit->loop == WS_NONE)
        visit->runner->record = number;
}
