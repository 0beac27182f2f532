/* The walk over functions, blocks and instructions. */
#include "passes/instrument/runner.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/sites.h"

/* ---- blocks and refusals ---- */

/* Whether control flow can reach the block within its function. */
static bool is_live(const struct ws_runner *runner, uint32_t block)
{
    const uint32_t function = runner->module->blocks[block].function;
    const struct ws_cfg *cfg = &runner->plan->cfgs[function];
    return cfg->opaque || cfg->position[block - runner->module->functions[function].block_first] != WS_NONE;
}

static void list_block(struct ws_runner *runner, uint32_t index)
{
    const struct ws_module *module = runner->module;
    const struct ws_block *block = &module->blocks[index];
    const struct ws_instruction *first = &module->instructions[block->first];
    const struct ws_instruction *last = &module->instructions[block->end - 1];
    runner->block_infos[index] = runner->result->block_count;
    runner->result->blocks[runner->result->block_count++] = (struct ws_block_info){
        .label = block->label,
        .offset = ws_plan_offset(runner->plan, block->first),
        .length = last->offset + last->length - first->offset,
        .function = module->functions[block->function].id,
        .instruction_count = ws_block_instruction_count(module, block),
    };
}

/* Lists the blocks that any entry point reaches, in the order of the module. A block of a copy is that of the
 * original. False if there is no memory. */
static bool list_blocks(struct ws_runner *runner)
{
    const struct ws_module *module = runner->module;
    struct ws_instrumented *result = runner->result;
    result->blocks = ws_arena_allocate(module->arena, module->block_count, sizeof(*result->blocks));
    bool *reached = ws_arena_allocate(module->arena, module->function_count, sizeof(*reached));
    if (result->blocks == NULL || reached == NULL)
        return false;
    for (uint32_t f = 0; f < module->function_count; f++)
        reached[ws_plan_origin(runner->plan, f)] |= runner->plan->functions[f].reached;
    for (uint32_t b = 0; b < module->block_count; b++) {
        const uint32_t origin = ws_plan_origin_block(runner->plan, b);
        runner->block_infos[b] = WS_NONE;
        if (origin != b)
            runner->block_infos[b] = runner->block_infos[origin]; /* copies stand behind all originals */
        else if (reached[module->blocks[b].function] && is_live(runner, b))
            list_block(runner, b);
    }
    return true;
}

/* Adds the functions that are not instrumented to the skips, and the entry points of an unknown stage. A
 * function counts one site per block, and at least one. */
static void list_refusals(struct ws_runner *runner)
{
    const struct ws_module *module = runner->module;
    for (uint32_t e = 0; e < module->entry_point_count; e++)
        if (runner->plan->entries[e].stage == 0)
            ws_runner_add_entry_skip(runner, e, "the stage of the entry point is not known");
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ws_instrument_plan_function *plan = &runner->plan->functions[f];
        const struct ws_cfg *cfg = &runner->plan->cfgs[f];
        if (plan->refusal != NULL) {
            const uint32_t blocks = cfg->opaque ? cfg->block_count : cfg->order_count;
            ws_runner_add_skip(runner, WS_NONE, f, ws_plan_offset(runner->plan, module->functions[f].first),
                               blocks == 0 ? 1 : blocks, plan->refusal);
        }
    }
}

/* ---- the walk ---- */

static bool has_opcode(const struct ws_pass *pass, uint16_t opcode)
{
    for (size_t i = 0; i < pass->opcode_count; i++)
        if (pass->opcodes[i] == opcode)
            return true;
    return false;
}

/* Whether the place is a sync point, or before a call that leads to a call site. */
static bool is_sync(const struct ws_sync *sync, const struct ws_visit *visit)
{
    if (visit->instruction == WS_NONE)
        return sync->blocks[visit->block];
    const struct ws_sync_place *place = ws_sync_place_at(sync, visit->instruction);
    return place != NULL && place->callee != WS_NONE;
}

/* Whether a pass is to be asked at the place described by `visit`. */
static bool is_asked(const struct ws_visit *visit, const struct ws_pass *pass)
{
    const struct ws_runner *runner = visit->runner;
    if ((pass->places & (uint32_t)visit->place) == 0 ||
        (runner->plan->functions[visit->function].passes >> visit->pass & 1) == 0)
        return false;
    switch (visit->place) {
    case WS_PLACE_BEFORE:
    case WS_PLACE_AFTER: return has_opcode(pass, ws_visit_opcode(visit));
    case WS_PLACE_SYNC: return is_sync(runner->syncs[visit->pass], visit);
    default: return true;
    }
}

/* Asks every pass that wants to be at the place described by `visit`. */
static void visit_place(struct ws_visit *visit, enum ws_place place)
{
    const struct ws_runner *runner = visit->runner;
    visit->place = place;
    visit->counter.decided = false;
    visit->first = 0;
    for (visit->pass = 0; visit->pass < runner->pass_count; visit->pass++)
        if (is_asked(visit, runner->passes[visit->pass]))
            runner->passes[visit->pass]->visit(visit);
}

/* A place of a loop. The visit is about the loop's OpLoopMerge; the cursor stands where the code goes. */
static void visit_loop(const struct ws_visit *visit, uint32_t loop, enum ws_place place)
{
    struct ws_visit about = *visit;
    about.loop = loop;
    about.instruction = visit->runner->loops.list[loop].instruction;
    visit_place(&about, place);
}

/* Before an instruction that leaves the function or ends the shader: the loops around it, and the function, end. */
static void visit_leave(struct ws_visit *visit)
{
    const struct ws_runner *runner = visit->runner;
    const uint32_t block = visit->block - runner->module->functions[visit->function].block_first;
    if (runner->wants_loops)
        for (uint32_t loop = runner->loops.innermost[block]; loop != WS_NONE;
             loop = runner->loops.list[loop].outer)
            visit_loop(visit, loop, WS_PLACE_LOOP_END);
    visit_place(visit, WS_PLACE_LEAVE);
}

static void visit_instruction(struct ws_visit *visit, uint32_t index)
{
    struct ws_runner *runner = visit->runner;
    const struct ws_instruction *instruction = &runner->module->instructions[index];
    const bool ends = ws_instruction_ends(instruction, runner->plan->functions[visit->function].entry);
    const uint32_t passes = runner->plan->functions[visit->function].opcodes; /* that have any of it */
    bool chosen = false;
    for (size_t i = 0; i < runner->pass_count && !chosen; i++)
        chosen = (passes >> i & 1) != 0 && has_opcode(runner->passes[i], instruction->opcode);
    visit->instruction = index;
    visit->cursor = ws_cursor_before(runner->module, index);
    if (chosen)
        visit_place(visit, WS_PLACE_BEFORE);
    if (instruction->opcode == SpvOpFunctionCall)
        visit_place(visit, WS_PLACE_SYNC);
    if (ends || instruction->opcode == SpvOpReturn || instruction->opcode == SpvOpReturnValue)
        visit_leave(visit);
    if (ends) {
        visit_place(visit, WS_PLACE_END);
        ws_runner_put_late(visit);
    }
    ws_runner_pass_instruction(runner, visit->function, visit->block, index);
    if (chosen) {
        visit->cursor = ws_cursor_after(runner->module, index);
        visit_place(visit, WS_PLACE_AFTER);
        ws_runner_put_late(visit);
    }
}

/* The places where a block begins, before those of the block itself. */
static void visit_begins(struct ws_visit *visit)
{
    const struct ws_runner *runner = visit->runner;
    const struct ws_loops *loops = &runner->loops;
    const uint32_t index = visit->block - runner->module->functions[visit->function].block_first;
    if (runner->wants_loops && loops->merge_of[index] != WS_NONE)
        visit_loop(visit, loops->merge_of[index], WS_PLACE_LOOP_END);
    if (index == 0 && runner->plan->functions[visit->function].entry)
        visit_place(visit, WS_PLACE_ENTRY);
    if (index == 0)
        visit_place(visit, WS_PLACE_FUNCTION);
    if (!runner->wants_loops)
        return;
    const uint32_t own = loops->header_of[index];
    /* An iteration of the loop around it begins before the loop of this header does. */
    if (loops->iterate_of[index] != WS_NONE && loops->iterate_of[index] != own)
        visit_loop(visit, loops->iterate_of[index], WS_PLACE_LOOP_ITERATE);
    if (own != WS_NONE) {
        struct ws_visit begin = *visit;
        const uint32_t before = loops->list[own].before;
        if (before != WS_NONE)
            begin.cursor = ws_cursor_block_end(runner->module, before);
        visit_loop(&begin, own, WS_PLACE_LOOP_BEGIN);
        if (loops->list[own].iterate == visit->block)
            visit_loop(visit, own, WS_PLACE_LOOP_ITERATE);
    }
}

static void visit_block(struct ws_runner *runner, uint32_t function, uint32_t block)
{
    const struct ws_module *module = runner->module;
    struct ws_visit visit = {
        .runner = runner, .function = function, .block = block, .instruction = WS_NONE, .loop = WS_NONE};
    visit.cursor = ws_cursor_block_start(module, block);
    ws_runner_begin_block(runner, function, block);
    visit_begins(&visit);
    visit_place(&visit, WS_PLACE_BLOCK);
    visit_place(&visit, WS_PLACE_SYNC);
    for (uint32_t i = module->blocks[block].first; i < module->blocks[block].end; i++)
        visit_instruction(&visit, i);
    ws_runner_end_block(runner, block);
}

/* The place behind the function of an entry point. Its site stands where the function begins. */
static void visit_returned(struct ws_runner *runner, uint32_t function)
{
    const uint32_t block = runner->module->functions[function].block_first;
    struct ws_visit visit = {
        .runner = runner, .function = function, .block = block, .instruction = WS_NONE, .loop = WS_NONE};
    visit.cursor = ws_cursor_block_start(runner->module, block);
    runner->record = WS_NONE;
    visit_place(&visit, WS_PLACE_RETURNED);
}

/* A function that writes counters or records has side effects, and so has one that calls such a function: the
 * promises Pure and Const (SPIR-V 3.24, Function Control) no longer hold, and would let a compiler drop or
 * merge calls. */
static void withdraw_promises(struct ws_runner *runner, uint32_t function)
{
    const struct ws_module *module = runner->module;
    const uint32_t index = module->functions[function].first;
    const struct ws_instruction *instruction = &module->instructions[index];
    const uint32_t promises = SpvFunctionControlPureMask | SpvFunctionControlConstMask;
    uint32_t operands[4];
    for (uint32_t i = 0; i < 4; i++)
        operands[i] = ws_operand(module, instruction, i);
    if ((operands[2] & promises) != 0) {
        operands[2] &= ~promises;
        ws_editor_replace(runner->editor, index, SpvOpFunction, operands, 4);
    }
}

bool ws_runner_is_entered_elsewhere(const struct ws_runner *runner,
                                    const struct ws_instrument_plan_function *function)
{
    for (uint32_t i = 0; i < function->entry_point_count; i++) {
        const struct ws_instrument_plan_entry *entry = &runner->plan->entries[function->entry_points[i]];
        if (entry->wanted && runner->plan->functions[entry->functions[0]].refusal != NULL)
            return true;
    }
    return false;
}

/* Loops that the function has no places of. */
static void skip_loops(struct ws_runner *runner, uint32_t function)
{
    static const char *const reason = "loops stand in each other deeper than 256";
    const uint32_t places = WS_PLACE_LOOP_BEGIN | WS_PLACE_LOOP_ITERATE | WS_PLACE_LOOP_END;
    const uint32_t offset = ws_plan_offset(runner->plan, runner->module->functions[function].first);
    for (uint32_t pass = 0; pass < runner->pass_count; pass++)
        if ((runner->passes[pass]->places & places) != 0 &&
            (runner->plan->functions[function].passes >> pass & 1) != 0)
            ws_runner_add_skip(runner, pass, function, offset, runner->loops.left_out, reason);
}

static void walk_function(struct ws_runner *runner, uint32_t function)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    const struct ws_function *info = &runner->module->functions[function];
    struct ws_runner_rows *rows = &runner->rows[function];
    rows->walked = true;
    rows->first = WS_NONE;
    rows->end = 0;
    rows->yield_first = WS_NONE;
    rows->yield_end = 0;
    rows->launch = WS_NONE;
    if (plan->refusal != NULL)
        return;
    if (runner->wants_loops && !ws_loops_find(&runner->loops, runner->module->arena, runner->module, function,
                                              &runner->plan->cfgs[function], &runner->editor->error)) {
        runner->editor->failed = true;
        return;
    }
    if (runner->wants_loops && runner->loops.left_out > 0)
        skip_loops(runner, function);
    memset(runner->primitives, 0, sizeof(runner->primitives));
    runner->zero = 0;
    runner->twins = NULL;
    if (plan->entry)
        ws_runner_begin_sample(runner, function);
    if (plan->entry || ws_runner_is_entered_elsewhere(runner, plan)) {
        ws_runner_put_begin(runner, function, WS_PRIMITIVE_BEGIN);
        if (runner->options->probe_count != 0)
            ws_runner_put_begin(runner, function, WS_PRIMITIVE_BEGIN_YIELDS);
    }
    if (plan->entry)
        ws_runner_put_launch(runner, function);
    ws_runner_begin_function(runner, function);
    for (uint32_t i = 0; i < info->block_count; i++)
        if (plan->leaders[i] != WS_NONE)
            visit_block(runner, function, info->block_first + i);
    if (plan->entry)
        visit_returned(runner, function);
    ws_runner_keep_loops(runner, function);
}

/* Whether anything that an entry point reaches was left out for a reason. */
static bool has_skip(const struct ws_runner *runner, uint32_t entry)
{
    for (uint32_t i = 0; i < runner->result->skip_count; i++)
        if (runner->skips[i].entries[entry])
            return true;
    return false;
}

/* What the runner adds by itself serves the sites of passes. An entry point that reaches none of them counts
 * as not instrumented, and a module without any has no sites at all: the passes want no place in it, or could
 * be given none. The plan knows the opcodes that passes want; what a probe filters by, only the walk. */
static void withdraw_entries(struct ws_runner *runner)
{
    struct ws_instrumented *result = runner->result;
    bool any = false;
    for (uint32_t e = 0; e < result->entry_count; e++) {
        const struct ws_instrument_plan_entry *plan = &runner->plan->entries[e];
        struct ws_entry_info *info = &result->entries[e];
        bool reaches = false;
        for (uint32_t i = 0; i < plan->function_count && !reaches; i++)
            reaches = runner->visited[plan->functions[i]];
        any = any || reaches;
        if (!reaches) {
            info->no_place = info->no_place || (plan->wanted && !has_skip(runner, e));
            info->row_first = 0;
            info->row_count = 0;
            info->yield_first = 0;
            info->yield_count = 0;
            info->sampled = false;
        }
    }
    if (!any) {
        result->site_count = 0;
        result->fixed_count = 0;
        result->row_count = 0;
        result->yield_count = 0;
    }
}

/* Walks what an entry point reaches and was not walked for one before, and gives it the range of its rows. */
static void walk_entry(struct ws_runner *runner, uint32_t entry)
{
    const struct ws_instrument_plan_entry *plan = &runner->plan->entries[entry];
    struct ws_entry_info *info = &runner->result->entries[entry];
    uint32_t end = 0;
    uint32_t yield_end = 0;
    info->row_first = WS_NONE;
    info->yield_first = WS_NONE;
    for (uint32_t i = 0; i < plan->function_count; i++) {
        const struct ws_runner_rows *rows = &runner->rows[plan->functions[i]];
        if (!rows->walked)
            walk_function(runner, plan->functions[i]);
        if (rows->first < rows->end) {
            info->row_first = rows->first < info->row_first ? rows->first : info->row_first;
            end = rows->end > end ? rows->end : end;
        }
        if (rows->yield_first < rows->yield_end) {
            info->yield_first = rows->yield_first < info->yield_first ? rows->yield_first : info->yield_first;
            yield_end = rows->yield_end > yield_end ? rows->yield_end : yield_end;
        }
    }
    info->yield_first = yield_end == 0 ? 0 : info->yield_first;
    info->yield_count = yield_end - info->yield_first;
    info->row_first = end == 0 ? 0 : info->row_first;
    info->row_count = end - info->row_first;
    info->launch_row = runner->rows[plan->functions[0]].launch;
    info->sampled = runner->samples[plan->functions[0]].callee != 0;
    ws_runner_end_sample(runner, entry);
}

/* Finds the sync points of every pass that is visited there. */
static bool find_syncs(struct ws_runner *runner, struct ws_error *error)
{
    const struct ws_module *module = runner->module;
    runner->syncs = ws_arena_allocate(module->arena, runner->pass_count, sizeof(struct ws_sync *));
    if (runner->syncs == NULL)
        return ws_error_set(error, "out of memory for the sync points of a module");
    for (size_t i = 0; i < runner->pass_count; i++) {
        const struct ws_pass *pass = runner->passes[i];
        if ((pass->places & WS_PLACE_SYNC) == 0)
            continue;
        runner->syncs[i] = ws_arena_allocate(module->arena, 1, sizeof(struct ws_sync));
        if (runner->syncs[i] == NULL)
            return ws_error_set(error, "out of memory for the sync points of a module");
        if (!ws_sync_find(runner->syncs[i], module, runner->plan->cfgs, pass->opcodes, pass->opcode_count,
                          error))
            return false;
    }
    return true;
}

bool ws_runner_walk(struct ws_instrumented *result, struct ws_editor *editor,
                    const struct ws_instrument_plan *plan, struct ws_site_budget *budget,
                    const struct ws_pass *const *passes, size_t pass_count,
                    const struct ws_instrument_options *options, struct ws_error *error)
{
    const struct ws_module *module = plan->module;
    struct ws_runner runner = {.plan = plan,
                               .module = module,
                               .editor = editor,
                               .passes = passes,
                               .pass_count = pass_count,
                               .options = options,
                               .budget = budget,
                               .result = result};
    runner.block_infos = ws_arena_allocate(module->arena, module->block_count, sizeof(*runner.block_infos));
    runner.visited = ws_arena_allocate(module->arena, module->function_count, sizeof(*runner.visited));
    runner.counters = ws_arena_allocate(module->arena, module->block_count, sizeof(*runner.counters));
    runner.rows = ws_arena_allocate(module->arena, module->function_count, sizeof(*runner.rows));
    runner.wraps = ws_arena_allocate(module->arena, module->function_count, sizeof(*runner.wraps));
    runner.samples = ws_arena_allocate(module->arena, module->function_count, sizeof(*runner.samples));
    runner.works = ws_arena_allocate(module->arena, module->function_count, sizeof(*runner.works));
    runner.marks = ws_marks_create(module);
    if (runner.block_infos == NULL || runner.visited == NULL || runner.counters == NULL ||
        runner.rows == NULL || runner.wraps == NULL || runner.works == NULL || runner.samples == NULL ||
        runner.marks == NULL || !ws_runner_records_create(&runner) || !list_blocks(&runner))
        return ws_error_set(error, "out of memory for the blocks of a module");
    if (!find_syncs(&runner, error))
        return false;
    for (size_t i = 0; i < pass_count; i++)
        runner.wants_loops |=
            (passes[i]->places & (WS_PLACE_LOOP_BEGIN | WS_PLACE_LOOP_ITERATE | WS_PLACE_LOOP_END)) != 0;
    for (size_t i = 0; i < options->capability_count && options->probe_count != 0; i++)
        ws_link_grant(editor, options->capabilities[i]);
    if (!options->without_records)
        ws_link_grant(editor, SpvCapabilityGroupNonUniformShuffle);
    list_refusals(&runner);
    for (uint32_t e = 0; e < module->entry_point_count; e++)
        if (plan->entries[e].wanted)
            walk_entry(&runner, e);
    ws_marks_put(&runner);
    ws_runner_put_joint_parts(&runner);
    ws_paths_put(&runner);
    for (uint32_t f = 0; f < module->function_count && result->site_count != 0; f++)
        if (plan->functions[f].reached)
            withdraw_promises(&runner, f);
    ws_runner_put_wraps(&runner);
    ws_id_map_finish(&runner.place_rows);
    ws_id_map_finish(&runner.row_sites);
    ws_id_map_finish(&runner.handed);
    if (!editor->failed && !ws_runner_finish_skips(&runner))
        return ws_error_set(error, "out of memory for what is skipped in a module");
    withdraw_entries(&runner);
    return !editor->failed || ws_error_set(error, "%s", editor->error.message);
}
