#include "runner.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "ir/arena.h"
#include "ir/builder.h"
#include "ir/types.h"
#include "primitives.h"
#include "sites.h"

static const char *const site_limit = "site limit reached";
static const char *const no_variable =
    "its entry points have different variables for a built-in that is needed";
static const char *const no_place = "no code can stand there";

/* The counter of a class of blocks, kept at its first block. */
struct counter {
    bool decided;
    uint32_t row;       /* WS_NONE where it could not be counted */
    const char *reason; /* why it could not be counted */
};

/* Rows of a function that has been walked: [first, end), the launch row of an entry point's included. */
struct rows {
    bool walked;
    uint32_t first;
    uint32_t end;
};

struct runner {
    const struct ws_plan *plan;
    const struct ws_module *module;
    struct ws_editor *editor;
    const struct ws_pass *const *passes;
    size_t pass_count;
    const struct ws_instrument_options *options;
    struct ws_instrumented *result;
    uint32_t *block_infos;    /* per module->blocks: index in result->blocks, WS_NONE = not listed */
    struct counter *counters; /* per module->blocks */
    struct rows *rows;        /* per function */
    uint32_t site_capacity;
    uint32_t skip_capacity;
    uint32_t probe_count;                    /* calls put in for passes: what max_sites limits */
    uint32_t walk_skips;                     /* first of the skips that may be added up */
    uint32_t primitives[WS_PRIMITIVE_COUNT]; /* linked for the function being walked; 0 = not yet */
};

/* One place, with the pass that is being asked. */
struct ws_visit {
    struct runner *runner;
    uint32_t pass; /* index in runner->passes */
    enum ws_place place;
    uint32_t function;
    uint32_t block;       /* index in module->blocks */
    uint32_t instruction; /* index, for places about one; else WS_NONE */
    struct ws_cursor cursor;
};

/* Doubles an array of `count` elements in the arena when it is full. NULL on no memory. */
static void *grow(struct ws_arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    const uint32_t larger = *capacity == 0 ? 64 : 2 * *capacity;
    void *copy = ws_arena_allocate(arena, larger, size);
    if (copy != NULL && count != 0) {
        memcpy(copy, array, count * size);
    }
    *capacity = copy == NULL ? *capacity : larger;
    return copy;
}

static void add_site(struct runner *runner, uint32_t pass, enum ws_site_kind kind, uint32_t block,
                     uint32_t offset, uint32_t row)
{
    struct ws_instrumented *result = runner->result;
    struct ws_site_info *sites = grow(runner->module->arena, result->sites, result->site_count,
                                      &runner->site_capacity, sizeof(*sites));
    if (sites == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the sites of a module");
        return;
    }
    result->sites = sites;
    sites[result->site_count++] =
        (struct ws_site_info){pass, (uint32_t)kind, runner->block_infos[block], offset, row};
}

/* Adds a skip; one of the walk is added to an earlier one with the same pass and reason. */
static void add_skip(struct runner *runner, uint32_t pass, uint32_t offset, uint32_t count,
                     const char *reason)
{
    struct ws_instrumented *result = runner->result;
    for (uint32_t i = runner->walk_skips; i < result->skip_count; i++) {
        if (result->skips[i].pass == pass && result->skips[i].reason == reason) {
            result->skips[i].count += count;
            return;
        }
    }
    struct ws_skip_info *skips = grow(runner->module->arena, result->skips, result->skip_count,
                                      &runner->skip_capacity, sizeof(*skips));
    if (skips == NULL) {
        ws_editor_fail(runner->editor, "out of memory for what is skipped in a module");
        return;
    }
    result->skips = skips;
    skips[result->skip_count++] = (struct ws_skip_info){pass, offset, count, reason};
}

/* Word offset of the instruction before which code at the cursor stands. */
static uint32_t cursor_offset(const struct runner *runner, struct ws_cursor cursor)
{
    return runner->module->instructions[cursor.instruction + cursor.after].offset;
}

/* The function of a primitive for the function being walked, linked when first used; 0 when it cannot be. */
static uint32_t link_primitive(struct runner *runner, uint32_t function, enum ws_primitive primitive)
{
    const struct ws_plan_function *plan = &runner->plan->functions[function];
    const enum ws_primitive variant = ws_primitive_variant(primitive, plan->lanes);
    if (runner->primitives[variant] == 0) {
        runner->primitives[variant] =
            ws_link_primitive(runner->editor, variant, plan->entry_points, plan->entry_point_count);
    }
    return runner->primitives[variant];
}

/* Puts a call of a primitive at a cursor, for a pass. NULL when it is done, else why it could not be. */
static const char *put_probe(struct runner *runner, uint32_t function, struct ws_cursor cursor,
                             enum ws_primitive primitive, const uint32_t *arguments, uint32_t count)
{
    if (runner->options->max_sites != 0 && runner->probe_count >= runner->options->max_sites) {
        return site_limit;
    }
    if (cursor.instruction == WS_NONE) {
        return no_place;
    }
    const uint32_t callee = link_primitive(runner, function, primitive);
    if (callee == 0) {
        return no_variable;
    }
    ws_emit_call(runner->editor, cursor, callee, arguments, count);
    runner->probe_count++;
    return NULL;
}

enum ws_place ws_visit_place(const struct ws_visit *visit)
{
    return visit->place;
}

uint32_t ws_visit_stages(const struct ws_visit *visit)
{
    return visit->runner->plan->functions[visit->function].stages;
}

uint16_t ws_visit_opcode(const struct ws_visit *visit)
{
    return visit->instruction == WS_NONE ? 0 : visit->runner->module->instructions[visit->instruction].opcode;
}

uint32_t ws_visit_operand(const struct ws_visit *visit, uint32_t index)
{
    const struct ws_module *module = visit->runner->module;
    return visit->instruction == WS_NONE
               ? 0
               : ws_operand(module, &module->instructions[visit->instruction], index);
}

uint32_t ws_visit_site(const struct ws_visit *visit)
{
    return visit->runner->result->site_count;
}

uint32_t ws_visit_constant(struct ws_visit *visit, uint32_t value)
{
    return ws_constant_u32(visit->runner->editor, value);
}

/* Puts the counter of the class that `leader` leads at its start. */
static void put_counter(struct runner *runner, uint32_t function, uint32_t leader)
{
    struct counter *counter = &runner->counters[leader];
    const enum ws_primitive primitive =
        runner->plan->functions[function].per_thread ? WS_PRIMITIVE_COUNT_THREAD : WS_PRIMITIVE_COUNT_WARP;
    const struct ws_cursor cursor = ws_cursor_block_start(runner->module, leader);
    const uint32_t row = ws_constant_u32(runner->editor, runner->result->row_count);
    counter->decided = true;
    counter->row = WS_NONE;
    counter->reason = put_probe(runner, function, cursor, primitive, &row, 1);
    if (counter->reason == NULL) {
        counter->row = runner->result->row_count++;
    }
}

void ws_visit_count(struct ws_visit *visit)
{
    struct runner *runner = visit->runner;
    const uint32_t block_first = runner->module->functions[visit->function].block_first;
    const uint32_t leader =
        block_first + runner->plan->functions[visit->function].leaders[visit->block - block_first];
    struct counter *counter = &runner->counters[leader];
    if (!counter->decided) {
        put_counter(runner, visit->function, leader);
    }
    const struct ws_cursor start = ws_cursor_block_start(runner->module, visit->block);
    const uint32_t offset = cursor_offset(runner, start);
    if (counter->reason != NULL) {
        add_skip(runner, visit->pass, offset, 1, counter->reason);
    } else {
        add_site(runner, visit->pass, WS_SITE_BLOCK, visit->block, offset, counter->row);
    }
}

void ws_visit_record(struct ws_visit *visit, uint32_t primitive, const uint32_t *arguments, uint32_t count)
{
    struct runner *runner = visit->runner;
    uint32_t offset = runner->module->instructions[runner->module->blocks[visit->block].first].offset;
    if (visit->cursor.instruction != WS_NONE) {
        offset = cursor_offset(runner, visit->cursor);
    }
    const char *reason = NULL;
    if (runner->plan->functions[visit->function].per_thread) {
        reason = "the stage has no subgroup operations";
    } else if (ws_visit_site(visit) > WS_RECORD_SITE_MAX) {
        reason = "more sites than a record can number";
    } else {
        reason =
            put_probe(runner, visit->function, visit->cursor, (enum ws_primitive)primitive, arguments, count);
    }
    if (reason != NULL) {
        add_skip(runner, visit->pass, offset, 1, reason);
    } else {
        add_site(runner, visit->pass, WS_SITE_DATA, visit->block, offset, WS_NONE);
    }
}

static bool has_opcode(const struct ws_pass *pass, uint16_t opcode)
{
    for (size_t i = 0; i < pass->opcode_count; i++) {
        if (pass->opcodes[i] == opcode) {
            return true;
        }
    }
    return false;
}

/* Asks every pass that wants to be at the place described by `visit`. */
static void visit_place(struct ws_visit *visit)
{
    const struct runner *runner = visit->runner;
    const uint32_t stages = runner->plan->functions[visit->function].stages;
    const bool chosen = visit->place == WS_PLACE_BEFORE || visit->place == WS_PLACE_AFTER;
    for (visit->pass = 0; visit->pass < runner->pass_count; visit->pass++) {
        const struct ws_pass *pass = runner->passes[visit->pass];
        if ((pass->places & (uint32_t)visit->place) != 0 && (pass->stages & stages) != 0 &&
            (!chosen || has_opcode(pass, ws_visit_opcode(visit)))) {
            pass->visit(visit);
        }
    }
}

static void visit_instruction(struct ws_visit *visit, uint32_t index)
{
    const struct runner *runner = visit->runner;
    const struct ws_instruction *instruction = &runner->module->instructions[index];
    const bool ends = ws_instruction_ends(instruction, runner->plan->functions[visit->function].entry);
    bool chosen = false;
    for (size_t i = 0; i < runner->pass_count && !chosen; i++) {
        chosen = has_opcode(runner->passes[i], instruction->opcode);
    }
    if (!chosen && !ends) {
        return;
    }
    visit->instruction = index;
    visit->cursor = ws_cursor_before(runner->module, index);
    visit->place = WS_PLACE_BEFORE;
    visit_place(visit);
    if (ends) {
        visit->place = WS_PLACE_END;
        visit_place(visit);
    }
    visit->cursor = ws_cursor_after(runner->module, index);
    visit->place = WS_PLACE_AFTER;
    visit_place(visit);
}

static void visit_block(struct runner *runner, uint32_t function, uint32_t block)
{
    const struct ws_module *module = runner->module;
    struct ws_visit visit = {.runner = runner, .function = function, .block = block, .instruction = WS_NONE};
    visit.cursor = ws_cursor_block_start(module, block);
    if (runner->plan->functions[function].entry && block == module->functions[function].block_first) {
        visit.place = WS_PLACE_ENTRY;
        visit_place(&visit);
    }
    visit.place = WS_PLACE_BLOCK;
    visit_place(&visit);
    for (uint32_t i = module->blocks[block].first; i < module->blocks[block].end; i++) {
        visit_instruction(&visit, i);
    }
}

/* The primitive that fills the launch row of an entry point's function. Where entry points of several stages
 * share it, the one that needs no built-in of a stage. */
static enum ws_primitive launch_primitive(const struct ws_plan *plan, const struct ws_plan_function *function)
{
    const uint32_t stage = plan->entries[function->entry_points[0]].stage;
    bool same = true;
    for (uint32_t i = 1; i < function->entry_point_count; i++) {
        same = same && plan->entries[function->entry_points[i]].stage == stage;
    }
    if (same && stage == WS_STAGE_RAYGEN) {
        return function->per_thread ? WS_PRIMITIVE_LAUNCH_THREAD_RAYGEN : WS_PRIMITIVE_LAUNCH_WARP_RAYGEN;
    }
    if (same && stage == WS_STAGE_COMPUTE) {
        return function->per_thread ? WS_PRIMITIVE_LAUNCH_THREAD_COMPUTE : WS_PRIMITIVE_LAUNCH_WARP_COMPUTE;
    }
    return function->per_thread ? WS_PRIMITIVE_LAUNCH_THREAD : WS_PRIMITIVE_LAUNCH_WARP;
}

/* Puts the launch row's primitive where an entry point's function begins. */
static void put_launch(struct runner *runner, uint32_t function)
{
    const struct ws_plan_function *plan = &runner->plan->functions[function];
    const uint32_t block = runner->module->functions[function].block_first;
    const struct ws_cursor cursor = ws_cursor_block_start(runner->module, block);
    const uint32_t offset = cursor_offset(runner, cursor);
    const uint32_t callee = link_primitive(runner, function, launch_primitive(runner->plan, plan));
    if (callee == 0) {
        add_skip(runner, WS_NONE, offset, 1, no_variable);
        return;
    }
    const uint32_t row = ws_constant_u32(runner->editor, runner->result->row_count);
    ws_emit_call(runner->editor, cursor, callee, &row, 1);
    add_site(runner, WS_NONE, WS_SITE_LAUNCH, block, offset, runner->result->row_count++);
}

/* A function that writes counters has side effects: the promises Pure and Const (SPIR-V 3.24, Function
 * Control) no longer hold, and would let a compiler drop or merge calls. */
static void withdraw_promises(struct runner *runner, uint32_t function)
{
    const struct ws_module *module = runner->module;
    const uint32_t index = module->functions[function].first;
    const struct ws_instruction *instruction = &module->instructions[index];
    const uint32_t promises = SpvFunctionControlPureMask | SpvFunctionControlConstMask;
    uint32_t operands[4];
    for (uint32_t i = 0; i < 4; i++) {
        operands[i] = ws_operand(module, instruction, i);
    }
    if ((operands[2] & promises) != 0) {
        operands[2] &= ~promises;
        ws_editor_replace(runner->editor, index, SpvOpFunction, operands, 4);
    }
}

static void walk_function(struct runner *runner, uint32_t function)
{
    const struct ws_plan_function *plan = &runner->plan->functions[function];
    const struct ws_function *info = &runner->module->functions[function];
    const uint32_t sites_before = runner->result->site_count;
    struct rows *rows = &runner->rows[function];
    rows->walked = true;
    rows->first = runner->result->row_count;
    rows->end = rows->first;
    if (plan->refusal != NULL) {
        return;
    }
    memset(runner->primitives, 0, sizeof(runner->primitives));
    if (plan->entry) {
        put_launch(runner, function);
    }
    for (uint32_t i = 0; i < info->block_count; i++) {
        if (plan->leaders[i] != WS_NONE) {
            visit_block(runner, function, info->block_first + i);
        }
    }
    rows->end = runner->result->row_count;
    if (runner->result->site_count != sites_before) {
        withdraw_promises(runner, function);
    }
}

/* Walks what an entry point reaches and was not walked for one before, and gives it the range of its rows. */
static void walk_entry(struct runner *runner, uint32_t entry)
{
    const struct ws_plan_entry *plan = &runner->plan->entries[entry];
    struct ws_entry_info *info = &runner->result->entries[entry];
    uint32_t end = 0;
    info->row_first = WS_NONE;
    for (uint32_t i = 0; i < plan->function_count; i++) {
        const struct rows *rows = &runner->rows[plan->functions[i]];
        if (!rows->walked) {
            walk_function(runner, plan->functions[i]);
        }
        if (rows->first != rows->end) {
            info->row_first = rows->first < info->row_first ? rows->first : info->row_first;
            end = rows->end > end ? rows->end : end;
        }
    }
    info->row_first = end == 0 ? 0 : info->row_first;
    info->row_count = end - info->row_first;
}

/* Lists the blocks that any entry point reaches, in the order of the module. */
static bool list_blocks(struct runner *runner)
{
    const struct ws_module *module = runner->module;
    struct ws_instrumented *result = runner->result;
    result->blocks = ws_arena_allocate(module->arena, module->block_count, sizeof(*result->blocks));
    if (result->blocks == NULL) {
        return false;
    }
    for (uint32_t b = 0; b < module->block_count; b++) {
        const struct ws_block *block = &module->blocks[b];
        const struct ws_function *function = &module->functions[block->function];
        const struct ws_cfg *cfg = &runner->plan->cfgs[block->function];
        const bool reached = runner->plan->functions[block->function].reached &&
                             (cfg->opaque || cfg->position[b - function->block_first] != WS_NONE);
        runner->block_infos[b] = WS_NONE;
        if (!reached) {
            continue;
        }
        const struct ws_instruction *label = &module->instructions[block->first];
        const struct ws_instruction *last = &module->instructions[block->end - 1];
        runner->block_infos[b] = result->block_count;
        result->blocks[result->block_count++] = (struct ws_block_info){
            .label = block->label,
            .offset = label->offset,
            .length = last->offset + last->length - label->offset,
            .function = function->id,
            .instruction_count = ws_block_instruction_count(module, block),
        };
    }
    return true;
}

/* Lists the functions that are left alone, with as many sites as they have blocks, and the entry points that
 * no one knows. */
static void list_refusals(struct runner *runner)
{
    const struct ws_module *module = runner->module;
    runner->walk_skips = UINT32_MAX; /* each by itself */
    for (uint32_t e = 0; e < module->entry_point_count; e++) {
        if (runner->plan->entries[e].stage == 0) {
            add_skip(runner, WS_NONE, WS_NONE, 1, "an entry point of a stage that is not known");
        }
    }
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ws_plan_function *plan = &runner->plan->functions[f];
        const struct ws_cfg *cfg = &runner->plan->cfgs[f];
        if (plan->refusal != NULL) {
            const uint32_t blocks = cfg->opaque ? cfg->block_count : cfg->order_count;
            add_skip(runner, WS_NONE, module->instructions[module->functions[f].first].offset,
                     blocks == 0 ? 1 : blocks, plan->refusal);
        }
    }
    runner->walk_skips = runner->result->skip_count;
}

bool ws_runner_walk(struct ws_instrumented *result, struct ws_editor *editor, const struct ws_plan *plan,
                    const struct ws_pass *const *passes, size_t pass_count,
                    const struct ws_instrument_options *options, struct ws_error *error)
{
    const struct ws_module *module = plan->module;
    struct runner runner = {.plan = plan,
                            .module = module,
                            .editor = editor,
                            .passes = passes,
                            .pass_count = pass_count,
                            .options = options,
                            .result = result};
    runner.block_infos = ws_arena_allocate(module->arena, module->block_count, sizeof(*runner.block_infos));
    runner.counters = ws_arena_allocate(module->arena, module->block_count, sizeof(*runner.counters));
    runner.rows = ws_arena_allocate(module->arena, module->function_count, sizeof(*runner.rows));
    if (runner.block_infos == NULL || runner.counters == NULL || runner.rows == NULL ||
        !list_blocks(&runner)) {
        return ws_error_set(error, "out of memory for the blocks of a module");
    }
    list_refusals(&runner);
    for (uint32_t e = 0; e < module->entry_point_count; e++) {
        if (plan->entries[e].wanted) {
            walk_entry(&runner, e);
        }
    }
    return !editor->failed || ws_error_set(error, "%s", editor->error.message);
}
