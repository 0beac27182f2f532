/* What the loops of ray queries do besides (effects.h, `query_offset`).
 *
 * The LOOP of an OpRayQueryProceedKHR is the innermost loop around it: the blocks that its header reaches without
 * passing the loop's merge block. Where a loop does nothing that is left when it is over, it may run less often. So it
 * is looked for what is left: stores to memory, or to variables that are used elsewhere; results that are used
 * elsewhere; values that the loop hands on to its next round; and ways out but by the end of the query. Functions that
 * the loop calls may store to variables of their own. */
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/spirv/builder.h"
#include "warpscope/base/arena.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/effects_code.h"
#include "warpscope/spirv/calls.h"
#include "warpscope/spirv/cfg.h"

struct loop {
    const struct ws_module *module;
    const struct ws_function *function;
    const struct ws_fold *fold; /* NULL = every block can run */
    struct ws_cfg cfg;
    bool *inside;   /* per block of the function */
    uint32_t *list; /* blocks of the loop */
    uint32_t count;
    bool *defined;   /* per id: in the loop */
    bool *judged;    /* per function of the module: it is called by the loop */
    uint32_t *calls; /* those whose instructions were not looked at yet */
    uint32_t call_count;
    uint32_t offset; /* of an instruction that leaves something; WS_NONE */
};

static const struct ws_block *block_of(const struct loop *loop, uint32_t block)
{
    return &loop->module->blocks[loop->function->block_first + block];
}

static bool is_live(const struct loop *loop, uint32_t block)
{
    return loop->fold == NULL || loop->fold->live[loop->function->block_first + block];
}

/* The merge block of a loop header; WS_NONE = the block is none. */
static uint32_t merge_of(const struct loop *loop, uint32_t block)
{
    const struct ws_instruction *merge = ws_cfg_merge(loop->module, block_of(loop, block));
    return merge != NULL && merge->opcode == SpvOpLoopMerge
               ? ws_cfg_find_block(loop->module, loop->function, ws_operand(loop->module, merge, 0))
               : WS_NONE;
}

/* Finds the blocks of the loop with that header. */
static void enter(struct loop *loop, uint32_t header, uint32_t merge)
{
    memset(loop->inside, 0, loop->cfg.block_count * sizeof(*loop->inside));
    loop->count = 0;
    loop->list[loop->count++] = header;
    loop->inside[header] = true;
    for (uint32_t i = 0; i < loop->count; ++i)
        for (uint32_t s = loop->cfg.successor_first[loop->list[i]];
             s < loop->cfg.successor_first[loop->list[i] + 1]; ++s) {
            const uint32_t next = loop->cfg.successors[s];
            if (next == merge || loop->inside[next])
                continue;
            loop->inside[next] = true;
            loop->list[loop->count++] = next;
        }
}

static void leave_something(struct loop *loop, const struct ws_instruction *instruction)
{
    if (loop->offset == WS_NONE)
        loop->offset = instruction->offset;
}

/* The variable that a pointer points into; 0 = it is none of the thread. */
static uint32_t variable_of(const struct ws_module *module, uint32_t pointer)
{
    const struct ws_instruction *definition = ws_module_definition(module, pointer);
    for (uint32_t i = 0; i < 16 && definition != NULL; ++i) {
        if (definition->opcode == SpvOpVariable) {
            const uint32_t storage = ws_operand(module, definition, 2);
            return storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate
                       ? ws_operand(module, definition, 1)
                       : 0;
        }
        if (definition->opcode != SpvOpAccessChain && definition->opcode != SpvOpInBoundsAccessChain)
            return 0;
        definition = ws_module_definition(module, ws_operand(module, definition, 2));
    }
    return 0;
}

/* Notes that the loop calls a function. */
static void judge_call(struct loop *loop, const struct ws_instruction *call)
{
    const uint32_t callee = ws_calls_callee(loop->module, call);
    if (callee == WS_NONE) {
        leave_something(loop, call);
        return;
    }
    if (!loop->judged[callee])
        loop->calls[loop->call_count++] = callee;
    loop->judged[callee] = true;
}

/* Whether nothing but a query is changed by the instruction. */
static bool only_changes_query(const struct ws_instruction *instruction)
{
    return instruction->opcode == SpvOpRayQueryProceedKHR ||
           instruction->opcode == SpvOpRayQueryConfirmIntersectionKHR ||
           instruction->opcode == SpvOpRayQueryGenerateIntersectionKHR;
}

/* Judges an instruction of the loop by itself. What it defines, and variables that it stores to, are noted: who else
 * uses these is looked at later. */
static void judge(struct loop *loop, const struct ws_instruction *instruction)
{
    const struct ws_module *module = loop->module;
    bool has_type = false;
    bool has_result = false;
    ws_opcode_results(instruction->opcode, &has_type, &has_result);
    const uint32_t result = has_result ? ws_operand(module, instruction, has_type ? 1 : 0) : 0;
    if (result != 0 && result < module->bound && instruction->opcode != SpvOpLabel)
        loop->defined[result] = true;
    if (only_changes_query(instruction))
        return;
    switch (instruction->opcode) {
    case SpvOpStore: {
        const uint32_t variable = variable_of(module, ws_operand(module, instruction, 0));
        if (variable == 0)
            leave_something(loop, instruction);
        else
            loop->defined[variable] = true;
        return;
    }
    case SpvOpFunctionCall: judge_call(loop, instruction); return;
    default:
        if (ws_effect_of(module, instruction) != 0)
            leave_something(loop, instruction);
    }
}

/* Judges an instruction of a function that the loop calls. */
static void judge_in_callee(struct loop *loop, const struct ws_function *callee,
                            const struct ws_instruction *instruction)
{
    const struct ws_module *module = loop->module;
    if (instruction->opcode == SpvOpFunctionCall) {
        judge_call(loop, instruction);
    } else if (instruction->opcode == SpvOpStore) {
        const uint32_t variable = variable_of(module, ws_operand(module, instruction, 0));
        const uint32_t at = variable != 0 ? module->definitions[variable] : 0;
        if (at < callee->first || at >= callee->end)
            leave_something(loop, instruction);
    } else if (instruction->opcode == SpvOpRayQueryProceedKHR ||
               (!only_changes_query(instruction) && ws_effect_of(module, instruction) != 0)) {
        leave_something(loop, instruction);
    }
}

static void judge_callees(struct loop *loop)
{
    while (loop->call_count > 0) {
        const struct ws_function *callee = &loop->module->functions[loop->calls[--loop->call_count]];
        for (uint32_t b = callee->block_first; b < callee->block_first + callee->block_count; ++b)
            for (uint32_t i = loop->module->blocks[b].first;
                 i < loop->module->blocks[b].end && (loop->fold == NULL || loop->fold->live[b]); ++i)
                judge_in_callee(loop, callee, &loop->module->instructions[i]);
    }
}

/* Whether a branch goes by whether the query has proceeded. */
static bool is_end_of_query(const struct loop *loop, const struct ws_instruction *terminator)
{
    const struct ws_instruction *condition =
        ws_module_definition(loop->module, ws_operand(loop->module, terminator, 0));
    if (condition != NULL && condition->opcode == SpvOpLogicalNot)
        condition = ws_module_definition(loop->module, ws_operand(loop->module, condition, 2));
    return terminator->opcode == SpvOpBranchConditional && condition != NULL &&
           condition->opcode == SpvOpRayQueryProceedKHR;
}

static void judge_block(struct loop *loop, uint32_t block)
{
    const struct ws_module *module = loop->module;
    const struct ws_block *own = block_of(loop, block);
    const struct ws_instruction *terminator = &module->instructions[own->end - 1];
    const uint16_t last = terminator->opcode;
    for (uint32_t i = own->first; i + 1 < own->end; ++i) {
        judge(loop, &module->instructions[i]);
        if (block == loop->list[0] && module->instructions[i].opcode == SpvOpPhi)
            leave_something(loop, &module->instructions[i]);
    }
    if (last != SpvOpBranch && last != SpvOpBranchConditional && last != SpvOpSwitch)
        leave_something(loop, terminator);
    for (uint32_t s = loop->cfg.successor_first[block]; s < loop->cfg.successor_first[block + 1]; ++s)
        if (!loop->inside[loop->cfg.successors[s]] && !is_end_of_query(loop, terminator))
            leave_something(loop, terminator);
}

/* Whether an instruction outside uses what the loop defines, or a variable that it stores to. Every word that equals
 * such an id counts as a use, also a literal: so no use is overlooked. To store to such a variable is no use. */
static void judge_user(struct loop *loop, const struct ws_instruction *instruction)
{
    const struct ws_module *module = loop->module;
    if (ws_instruction_is_debug(module, instruction) || instruction->opcode == SpvOpVariable)
        return;
    for (uint32_t operand = instruction->opcode == SpvOpStore ? 1 : 0; operand + 1 < instruction->length;
         ++operand) {
        const uint32_t id = ws_operand(module, instruction, operand);
        if (id < module->bound && loop->defined[id])
            leave_something(loop, instruction);
    }
}

static void judge_loop(struct loop *loop)
{
    const struct ws_module *module = loop->module;
    memset(loop->defined, 0, module->bound * sizeof(*loop->defined));
    memset(loop->judged, 0, module->function_count * sizeof(*loop->judged));
    for (uint32_t i = 0; i < loop->count; ++i)
        if (is_live(loop, loop->list[i]))
            judge_block(loop, loop->list[i]);
    judge_callees(loop);
    for (uint32_t f = 0; f < module->function_count; ++f) {
        const struct ws_function *function = &module->functions[f];
        for (uint32_t b = 0; b < function->block_count; ++b) {
            const struct ws_block *block = &module->blocks[function->block_first + b];
            for (uint32_t i = block->first;
                 i < block->end && !(function == loop->function && loop->inside[b]); ++i)
                judge_user(loop, &module->instructions[i]);
        }
    }
}

/* The header of the innermost loop around a block; WS_NONE = there is none. */
static uint32_t find_header(struct loop *loop, uint32_t block)
{
    uint32_t found = WS_NONE;
    uint32_t least = UINT32_MAX;
    for (uint32_t header = 0; header < loop->cfg.block_count; ++header) {
        const uint32_t merge = merge_of(loop, header);
        if (merge == WS_NONE)
            continue;
        enter(loop, header, merge);
        if (loop->inside[block] && loop->count < least) {
            found = header;
            least = loop->count;
        }
    }
    return found;
}

static void judge_proceed(struct loop *loop, uint32_t block, const struct ws_instruction *proceed)
{
    const uint32_t header = find_header(loop, block);
    if (header == WS_NONE) {
        leave_something(loop, proceed);
        return;
    }
    enter(loop, header, merge_of(loop, header));
    judge_loop(loop);
}

/* Judges the loops of one function. A branch that goes nowhere makes its graph one that is not understood. */
static void judge_function(struct loop *loop, struct ws_arena *arena, uint32_t index)
{
    const struct ws_module *module = loop->module;
    const struct ws_function *function = &module->functions[index];
    /* Every loop of the function is entered, and every instruction looked at. */
    const uint64_t work = (uint64_t)function->block_count * function->block_count + module->instruction_count;
    struct ws_error ignored = {{0}};
    bool built = false;
    bool understood = false;
    loop->function = function;
    for (uint32_t b = 0; b < function->block_count && loop->offset == WS_NONE; ++b) {
        const struct ws_block *block = block_of(loop, b);
        for (uint32_t i = block->first; i < block->end && is_live(loop, b) && loop->offset == WS_NONE; ++i) {
            const struct ws_instruction *instruction = &module->instructions[i];
            if (instruction->opcode != SpvOpRayQueryProceedKHR)
                continue;
            if (!built)
                understood = ws_cfg_build(&loop->cfg, arena, module, index, &ignored) && !loop->cfg.opaque;
            built = true;
            if (!understood || !ws_budget_spend(work))
                leave_something(loop, instruction);
            else
                judge_proceed(loop, b, instruction);
        }
    }
}

bool ws_effects_read_queries(const struct ws_module *module, const struct ws_fold *fold, uint32_t *offset)
{
    struct ws_arena *arena = ws_arena_create();
    struct loop loop = {.module = module, .fold = fold, .offset = WS_NONE};
    bool read = arena != NULL;
    if (read) {
        loop.inside = ws_arena_allocate(arena, module->block_count, sizeof(*loop.inside));
        loop.list = ws_arena_allocate(arena, module->block_count, sizeof(*loop.list));
        loop.defined = ws_arena_allocate(arena, module->bound, sizeof(*loop.defined));
        loop.judged = ws_arena_allocate(arena, module->function_count, sizeof(*loop.judged));
        loop.calls = ws_arena_allocate(arena, module->function_count, sizeof(*loop.calls));
        read = loop.inside != NULL && loop.list != NULL && loop.defined != NULL && loop.judged != NULL &&
               loop.calls != NULL;
    }
    for (uint32_t f = 0; f < module->function_count && read; ++f)
        judge_function(&loop, arena, f);
    *offset = loop.offset;
    ws_arena_destroy(arena);
    return read;
}
