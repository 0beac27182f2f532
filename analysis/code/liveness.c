#include "warpscope/code/liveness.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

#include "warpscope/base/arena.h"
#include "warpscope/code/values.h"
#include "warpscope/spirv/calls.h"

#define TYPE_DEPTH_MAX 32
#define BYTES_MAX      (1u << 20) /* of one type: more is as much */
#define FUNCTION_MAX   32768      /* instructions of a function that is looked at */

/* The bytes of a type. */
static uint32_t size_of(const struct ws_module *module, uint32_t type, uint32_t depth)
{
    const struct ws_instruction *definition = ws_module_definition(module, type);
    const struct ws_instruction *length;
    uint64_t bytes = 0;
    if (definition == NULL || depth > TYPE_DEPTH_MAX)
        return 0;
    switch (definition->opcode) {
    case SpvOpTypeBool: return 4;
    case SpvOpTypeInt:
    case SpvOpTypeFloat: return ws_operand(module, definition, 1) / 8;
    case SpvOpTypePointer:
        return ws_operand(module, definition, 1) == SpvStorageClassPhysicalStorageBuffer ? 8 : 0;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        bytes = (uint64_t)size_of(module, ws_operand(module, definition, 1), depth + 1) *
                ws_operand(module, definition, 2);
        break;
    case SpvOpTypeArray:
        length = ws_module_definition(module, ws_operand(module, definition, 2));
        bytes = (uint64_t)size_of(module, ws_operand(module, definition, 1), depth + 1) *
                (length != NULL ? ws_operand(module, length, 2) : 0);
        break;
    case SpvOpTypeStruct:
        for (uint32_t i = 1; i + 1 < definition->length && bytes < BYTES_MAX; ++i)
            bytes += size_of(module, ws_operand(module, definition, i), depth + 1);
        break;
    default: break;
    }
    return bytes < BYTES_MAX ? (uint32_t)bytes : BYTES_MAX;
}

/* The bytes that a variable holds. */
static uint32_t size_of_variable(const struct ws_module *module, const struct ws_instruction *variable)
{
    const struct ws_instruction *pointer = ws_module_definition(module, ws_operand(module, variable, 0));
    return pointer != NULL && pointer->opcode == SpvOpTypePointer
               ? size_of(module, ws_operand(module, pointer, 2), 0)
               : 0;
}

/* One function at work. Blocks are named by their index in the function. */
struct work {
    const struct ws_module *module;
    const struct ws_function *function;
    const struct ws_cfg *cfg;
    uint32_t at;    /* the instruction */
    uint32_t block; /* that it stands in */
    bool *before;   /* per block: the instruction's block is reached from it */
    bool *met;      /* per block: work */
    uint32_t *list; /* likewise */
    bool *named;    /* per id: something behind the instruction names it */
};

static bool uses(const struct ws_module *module, const struct ws_instruction *instruction, uint32_t id)
{
    uint32_t first;
    uint32_t end;
    uint32_t skipped;
    ws_value_operands(module, instruction, &first, &end, &skipped);
    for (uint32_t i = first; i < end; ++i)
        if (i != skipped && ws_operand(module, instruction, i) == id)
            return true;
    return false;
}

static bool makes(const struct ws_module *module, const struct ws_instruction *instruction, uint32_t id,
                  bool variable)
{
    return variable ? instruction->opcode == SpvOpStore && ws_operand(module, instruction, 0) == id
                    : ws_value_result(module, instruction) == id;
}

/* Whether something reads what is named by `id`: storing to a variable does not. */
static bool reads(const struct ws_module *module, const struct ws_instruction *instruction, uint32_t id,
                  bool variable)
{
    return uses(module, instruction, id) && !(variable && makes(module, instruction, id, true)) &&
           instruction->opcode != SpvOpName;
}

/* What instructions [first, end) do with it: used before it is made; made. */
static void look(const struct work *work, uint32_t first, uint32_t end, uint32_t id, bool variable,
                 bool *exposed, bool *made)
{
    *exposed = false;
    *made = false;
    for (uint32_t i = first; i < end && !*made && !*exposed; ++i) {
        const struct ws_instruction *instruction = &work->module->instructions[i];
        *exposed = reads(work->module, instruction, id, variable);
        *made = !*exposed && makes(work->module, instruction, id, variable);
    }
}

/* Whether `id` is live right behind the instruction. */
static bool is_live(struct work *work, uint32_t id, bool variable)
{
    const struct ws_block *blocks = &work->module->blocks[work->function->block_first];
    const uint32_t count = work->cfg->block_count;
    bool exposed;
    bool made;
    look(work, work->at + 1, blocks[work->block].end, id, variable, &exposed, &made);
    if (exposed || made)
        return exposed;
    /* Forwards from there: the first block that reads it before it makes it. */
    uint32_t used = 0;
    memset(work->met, 0, count * sizeof(*work->met));
    work->list[used++] = work->block;
    for (uint32_t i = 0; i < used; ++i) {
        const uint32_t from = work->list[i];
        for (uint32_t j = work->cfg->successor_first[from]; j < work->cfg->successor_first[from + 1]; ++j) {
            const uint32_t to = work->cfg->successors[j];
            if (work->met[to])
                continue;
            work->met[to] = true;
            look(work, blocks[to].first, blocks[to].end, id, variable, &exposed, &made);
            if (exposed)
                return true;
            if (!made)
                work->list[used++] = to;
        }
    }
    return false;
}

/* Whether something before the instruction, on some path, may have written to a variable: a store, a call that is given it,
 * or a chain to a part of it. */
static bool is_written_before(const struct work *work, uint32_t id)
{
    const struct ws_block *blocks = &work->module->blocks[work->function->block_first];
    for (uint32_t b = 0; b < work->cfg->block_count; ++b) {
        const uint32_t end = work->before[b] ? blocks[b].end : b == work->block ? work->at : blocks[b].first;
        for (uint32_t i = blocks[b].first; i < end; ++i)
            if (work->module->instructions[i].opcode != SpvOpLoad &&
                uses(work->module, &work->module->instructions[i], id))
                return true;
    }
    return false;
}

/* Marks the blocks from which the instruction's block is reached. */
static void mark_before(struct work *work)
{
    const uint32_t count = work->cfg->block_count;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t b = 0; b < count; ++b)
            for (uint32_t j = work->cfg->successor_first[b]; j < work->cfg->successor_first[b + 1]; ++j) {
                const uint32_t to = work->cfg->successors[j];
                if (!work->before[b] && (to == work->block || work->before[to]))
                    work->before[b] = more = true;
            }
    }
}

static void mark_names(struct work *work, uint32_t begin, uint32_t stop)
{
    for (uint32_t i = begin; i < stop; ++i) {
        const struct ws_instruction *instruction = &work->module->instructions[i];
        uint32_t first;
        uint32_t end;
        uint32_t skipped;
        ws_value_operands(work->module, instruction, &first, &end, &skipped);
        for (uint32_t j = first; j < end; ++j)
            if (j != skipped && ws_operand(work->module, instruction, j) < work->module->bound)
                work->named[ws_operand(work->module, instruction, j)] = true;
    }
}

/* Marks what is named behind the instruction: few values need a closer look. */
static void mark_named(struct work *work)
{
    const struct ws_block *blocks = &work->module->blocks[work->function->block_first];
    uint32_t used = 0;
    mark_names(work, work->at + 1, blocks[work->block].end);
    work->list[used++] = work->block;
    for (uint32_t i = 0; i < used; ++i)
        for (uint32_t j = work->cfg->successor_first[work->list[i]];
             j < work->cfg->successor_first[work->list[i] + 1]; ++j) {
            const uint32_t to = work->cfg->successors[j];
            if (work->met[to])
                continue;
            work->met[to] = true;
            mark_names(work, blocks[to].first, blocks[to].end);
            work->list[used++] = to;
        }
}

/* Adds what of one function is live over an instruction of it. False on no memory. */
static bool add_function(struct ws_live *live, struct ws_arena *arena, const struct ws_module *module,
                         const struct ws_cfg *cfgs, uint32_t function, uint32_t at)
{
    struct work work = {.module = module,
                        .function = &module->functions[function],
                        .cfg = &cfgs[function],
                        .at = at,
                        .block = WS_NONE};
    const uint32_t count = work.cfg->block_count;
    if (work.cfg->opaque || count == 0)
        return true;
    if (work.function->end - work.function->first > FUNCTION_MAX)
        return true;
    work.before = ws_arena_allocate(arena, count, sizeof(*work.before));
    work.met = ws_arena_allocate(arena, count, sizeof(*work.met));
    work.list = ws_arena_allocate(arena, (size_t)count + 1, sizeof(*work.list));
    work.named = ws_arena_allocate(arena, module->bound, sizeof(*work.named));
    if (work.before == NULL || work.met == NULL || work.list == NULL || work.named == NULL)
        return false;
    const struct ws_block *blocks = &module->blocks[work.function->block_first];
    for (uint32_t b = 0; b < count; ++b)
        if (blocks[b].first <= at && at < blocks[b].end)
            work.block = b;
    if (work.block == WS_NONE)
        return true;
    mark_before(&work);
    mark_named(&work);
    uint32_t block = 0;
    for (uint32_t i = work.function->first; i < work.function->end; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t id = ws_value_result(module, instruction);
        const bool variable = instruction->opcode == SpvOpVariable;
        while (block + 1 < count && blocks[block + 1].first <= i)
            block++;
        if (id == 0 || id >= module->bound || !work.named[id] || i == at ||
            instruction->opcode == SpvOpLabel || instruction->opcode == SpvOpFunction)
            continue;
        const bool made = instruction->opcode == SpvOpFunctionParameter || work.before[block] ||
                          (block == work.block && i < at);
        const uint32_t bytes = variable ? size_of_variable(module, instruction)
                                        : size_of(module, ws_operand(module, instruction, 0), 0);
        if (bytes == 0 || !made || (variable && !is_written_before(&work, id)) ||
            !is_live(&work, id, variable))
            continue;
        live->values += !variable;
        *(variable ? &live->kept : &live->bytes) += bytes;
    }
    return true;
}

/* The function further out with most to keep over its calls of `function`; WS_NONE. `*call` receives which call. */
static bool add_caller(struct ws_live *live, struct ws_arena *arena, const struct ws_module *module,
                       const struct ws_cfg *cfgs, uint32_t function, uint32_t *caller)
{
    struct ws_live most = {0};
    *caller = WS_NONE;
    for (uint32_t f = 0; f < module->function_count; ++f)
        for (uint32_t i = module->functions[f].first; i < module->functions[f].end; ++i) {
            const struct ws_instruction *instruction = &module->instructions[i];
            struct ws_live found = {0};
            if (instruction->opcode != SpvOpFunctionCall || ws_calls_callee(module, instruction) != function)
                continue;
            if (!add_function(&found, arena, module, cfgs, f, i))
                return false;
            if (*caller == WS_NONE || found.bytes + found.kept > most.bytes + most.kept) {
                most = found;
                *caller = f;
            }
        }
    live->values += most.values;
    live->bytes += most.bytes;
    live->kept += most.kept;
    return true;
}

/* The thread's own variables of the module that marked functions name. */
static void add_globals(struct ws_live *live, const struct ws_module *module, const bool *marked)
{
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *variable = &module->instructions[i];
        const uint32_t storage = ws_operand(module, variable, 2);
        bool named = false;
        if (variable->opcode != SpvOpVariable ||
            (storage != SpvStorageClassPrivate && storage != SpvStorageClassRayPayloadKHR &&
             storage != SpvStorageClassIncomingRayPayloadKHR && storage != SpvStorageClassCallableDataKHR &&
             storage != SpvStorageClassIncomingCallableDataKHR))
            continue;
        for (uint32_t f = 0; f < module->function_count && !named; ++f)
            for (uint32_t j = module->functions[f].first; marked[f] && j < module->functions[f].end && !named;
                 ++j)
                named = uses(module, &module->instructions[j], ws_operand(module, variable, 1));
        if (named)
            live->globals += size_of_variable(module, variable);
    }
}

bool ws_live_over(struct ws_live *live, struct ws_arena *arena, const struct ws_module *module,
                  const struct ws_cfg *cfgs, uint32_t instruction)
{
    uint32_t function = ws_module_function(module, instruction);
    bool *marked = ws_arena_allocate(arena, module->function_count, sizeof(*marked));
    memset(live, 0, sizeof(*live));
    if (marked == NULL)
        return false;
    if (function == WS_NONE)
        return true;
    if (!add_function(live, arena, module, cfgs, function, instruction))
        return false;
    /* Outwards, each function once: SPIR-V forbids recursion, and untrusted modules may have it. */
    while (function != WS_NONE && !marked[function]) {
        marked[function] = true;
        if (!add_caller(live, arena, module, cfgs, function, &function))
            return false;
    }
    add_globals(live, module, marked);
    return true;
}
