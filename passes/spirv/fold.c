#include "warpscope/spirv/fold.h"

#include <math.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/spirv/builder.h"
#include "warpscope/base/arena.h"
#include "warpscope/base/id_map.h"
#include "warpscope/spirv/arithmetic.h"
#include "warpscope/spirv/calls.h"
#include "warpscope/spirv/cfg.h"

/* Sweeps over the module: a chain of loops in loops needs one for each. */
#define SWEEPS_MAX 24

/* What is known of a value; it only ever grows. */
enum knowledge { NOTHING, KNOWN, VARIES };

struct value {
    uint64_t bits; /* of a KNOWN one: zero-extended to its width */
    uint8_t knowledge;
};

/* A type of numbers; width 0 = another type. */
struct number_type {
    uint32_t width;
    bool is_float;
    bool is_bool;
};

struct folding {
    const struct ws_module *module;
    struct ws_cfg *cfgs; /* per function */
    uint32_t *given;     /* per id: index of the constant that it is among those given, + 1; 0 = it is none */
    struct value *values; /* per id; of a variable: what is stored in it */
    bool *live;           /* per block */
    bool *function_live;  /* per function */
    bool changed;
};

static struct number_type type_of(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *type = ws_module_definition(module, id);
    if (type == NULL)
        return (struct number_type){0, false, false};
    switch (type->opcode) {
    case SpvOpTypeBool: return (struct number_type){1, false, true};
    case SpvOpTypeInt:
    case SpvOpTypeFloat: {
        const uint32_t width = ws_operand(module, type, 1);
        const bool fits = width > 0 && width <= 64;
        return (struct number_type){fits ? width : 0, type->opcode == SpvOpTypeFloat, false};
    }
    default: return (struct number_type){0, false, false};
    }
}

/* The type of the value that an id has. */
static struct number_type type_of_value(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *definition = ws_module_definition(module, id);
    bool has_type = false;
    bool has_result = false;
    if (definition != NULL)
        ws_opcode_results(definition->opcode, &has_type, &has_result);
    return type_of(module, has_type ? ws_operand(module, definition, 0) : 0);
}

/* NaN for widths that are not looked at. */
static double as_real(uint64_t bits, uint32_t width)
{
    float single;
    double both;
    const uint32_t half = (uint32_t)bits;
    memcpy(&single, &half, sizeof(single));
    memcpy(&both, &bits, sizeof(both));
    return width == 32 ? (double)single : width == 64 ? both : (double)NAN;
}

/* Meets what was known before with what is found now. */
static void learn(struct folding *folding, uint32_t id, struct value found)
{
    if (id >= folding->module->bound || found.knowledge == NOTHING)
        return;
    struct value *value = &folding->values[id];
    if (value->knowledge == VARIES ||
        (value->knowledge == KNOWN && found.knowledge == KNOWN && value->bits == found.bits))
        return;
    if (value->knowledge == KNOWN)
        found.knowledge = VARIES;
    *value = found;
    folding->changed = true;
}

static struct value known(uint64_t bits)
{
    return (struct value){bits, KNOWN};
}

static struct value varies(void)
{
    return (struct value){0, VARIES};
}

static struct value value_of(const struct folding *folding, uint32_t id)
{
    return id < folding->module->bound ? folding->values[id] : varies();
}

/* Comparisons of numbers with the bits `a` and `b`. */
static struct value compare_reals(uint32_t opcode, double a, double b)
{
    const bool ordered = !isnan(a) && !isnan(b);
    switch (opcode) {
    case SpvOpFOrdEqual: return known(ordered && a == b);
    case SpvOpFUnordEqual: return known(!ordered || a == b);
    case SpvOpFOrdNotEqual: return known(ordered && a != b);
    case SpvOpFUnordNotEqual: return known(!ordered || a != b);
    case SpvOpFOrdLessThan: return known(ordered && a < b);
    case SpvOpFUnordLessThan: return known(!ordered || a < b);
    case SpvOpFOrdGreaterThan: return known(ordered && a > b);
    case SpvOpFUnordGreaterThan: return known(!ordered || a > b);
    case SpvOpFOrdLessThanEqual: return known(ordered && a <= b);
    case SpvOpFUnordLessThanEqual: return known(!ordered || a <= b);
    case SpvOpFOrdGreaterThanEqual: return known(ordered && a >= b);
    case SpvOpFUnordGreaterThanEqual: return known(!ordered || a >= b);
    default: return varies();
    }
}

static struct value compare_integers(uint32_t opcode, uint64_t a, uint64_t b, uint32_t width)
{
    const int64_t x = ws_integer_signed(a, width);
    const int64_t y = ws_integer_signed(b, width);
    switch (opcode) {
    case SpvOpIEqual:
    case SpvOpLogicalEqual: return known(a == b);
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual: return known(a != b);
    case SpvOpULessThan: return known(a < b);
    case SpvOpUGreaterThan: return known(a > b);
    case SpvOpULessThanEqual: return known(a <= b);
    case SpvOpUGreaterThanEqual: return known(a >= b);
    case SpvOpSLessThan: return known(x < y);
    case SpvOpSGreaterThan: return known(x > y);
    case SpvOpSLessThanEqual: return known(x <= y);
    case SpvOpSGreaterThanEqual: return known(x >= y);
    default: return varies();
    }
}

/* What is undefined, as a division by zero is, varies. */
static struct value compute(uint32_t opcode, uint64_t a, uint64_t b, uint32_t width)
{
    uint64_t result;
    return ws_arithmetic(opcode, a, b, width, &result) ? known(result) : varies();
}

static struct value unary(uint32_t opcode, uint64_t a, struct number_type from, struct number_type to)
{
    switch (opcode) {
    case SpvOpLogicalNot: return known(a == 0);
    case SpvOpNot: return known(~a);
    case SpvOpSNegate: return known(0 - a);
    case SpvOpUConvert:
    case SpvOpCopyObject:
    case SpvOpCopyLogical: return known(a);
    case SpvOpSConvert: return known((uint64_t)ws_integer_signed(a, from.width));
    case SpvOpBitcast: return from.width == to.width ? known(a) : varies();
    default: return varies();
    }
}

static bool is_comparison(uint32_t opcode)
{
    return (opcode >= SpvOpIEqual && opcode <= SpvOpFUnordGreaterThanEqual) || opcode == SpvOpLogicalEqual ||
           opcode == SpvOpLogicalNotEqual;
}

static bool is_unary(uint32_t opcode)
{
    return opcode == SpvOpLogicalNot || opcode == SpvOpNot || opcode == SpvOpSNegate ||
           opcode == SpvOpUConvert || opcode == SpvOpSConvert || opcode == SpvOpBitcast ||
           opcode == SpvOpCopyObject || opcode == SpvOpCopyLogical;
}

/* `and` and `or` are known where one side decides. */
static struct value decide(uint32_t opcode, struct value a, struct value b)
{
    const uint64_t deciding = opcode == SpvOpLogicalOr;
    if ((a.knowledge == KNOWN && a.bits == deciding) || (b.knowledge == KNOWN && b.bits == deciding))
        return known(deciding);
    if (a.knowledge == KNOWN && b.knowledge == KNOWN)
        return known(!deciding);
    return a.knowledge == NOTHING || b.knowledge == NOTHING ? (struct value){0, NOTHING} : varies();
}

static struct value choose(struct value condition, struct value yes, struct value no)
{
    if (condition.knowledge == KNOWN)
        return condition.bits != 0 ? yes : no;
    return condition;
}

/* The value of an operation whose operands begin at operand `first`. What is not looked at varies: its operands need
 * not be ids, and need not be two. */
static struct value operate(const struct folding *folding, const struct ws_instruction *instruction,
                            uint32_t opcode, uint32_t first)
{
    const struct ws_module *module = folding->module;
    const uint32_t ids[3] = {ws_operand(module, instruction, first),
                             ws_operand(module, instruction, first + 1),
                             ws_operand(module, instruction, first + 2)};
    const struct number_type to = type_of(module, ws_operand(module, instruction, 0));
    const struct number_type from = type_of_value(module, ids[0]);
    const struct value a = value_of(folding, ids[0]);
    struct value result = varies();
    if (to.width == 0)
        return result;
    if (opcode == SpvOpLogicalAnd || opcode == SpvOpLogicalOr)
        return decide(opcode, a, value_of(folding, ids[1]));
    if (opcode == SpvOpSelect)
        return from.is_bool ? choose(a, value_of(folding, ids[1]), value_of(folding, ids[2])) : result;
    if (from.width == 0 || a.knowledge != KNOWN)
        return from.width == 0 ? result : a;
    if (is_unary(opcode)) {
        result = unary(opcode, a.bits, from, to);
    } else if (is_comparison(opcode) || ws_is_arithmetic(opcode)) {
        const struct value b = value_of(folding, ids[1]);
        if (b.knowledge != KNOWN || type_of_value(module, ids[1]).width == 0)
            return b.knowledge == NOTHING ? b : varies();
        if (!is_comparison(opcode))
            result = from.is_float ? varies() : compute(opcode, a.bits, b.bits, from.width);
        else if (from.is_float)
            result = from.width == 32 || from.width == 64
                         ? compare_reals(opcode, as_real(a.bits, from.width), as_real(b.bits, from.width))
                         : varies();
        else
            result = compare_integers(opcode, a.bits, b.bits, from.width);
    }
    result.bits = ws_integer_cut(result.bits, to.width);
    return result;
}

/* Constants. */

/* Notes which of the given constants each id is: its index + 1; 0 = it has its default. */
static bool find_given(struct folding *folding, const struct ws_fold_constant *constants, uint32_t count)
{
    const struct ws_module *module = folding->module;
    struct ws_id_map index = {.slots = NULL};
    bool found = true;
    for (uint32_t i = 0; i < count && found; ++i)
        found = ws_id_map_put(&index, constants[i].constant_id, i + 1);
    for (uint32_t i = 0; i < module->instruction_count && count > 0 && found; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t id = ws_operand(module, instruction, 0);
        if (instruction->opcode == SpvOpDecorate && id < module->bound &&
            ws_operand(module, instruction, 1) == SpvDecorationSpecId &&
            !ws_id_map_get(&index, ws_operand(module, instruction, 2), &folding->given[id]))
            folding->given[id] = 0;
    }
    ws_id_map_finish(&index);
    return found;
}

/* The value of a constant's own words. */
static struct value literal(const struct ws_module *module, const struct ws_instruction *instruction,
                            uint32_t width)
{
    uint64_t bits = ws_operand(module, instruction, 2);
    if (width > 32)
        bits |= (uint64_t)ws_operand(module, instruction, 3) << 32;
    return known(ws_integer_cut(bits, width));
}

static struct value constant_value(const struct folding *folding, const struct ws_instruction *instruction,
                                   const struct ws_fold_constant *constants)
{
    const struct ws_module *module = folding->module;
    const struct number_type type = type_of(module, ws_operand(module, instruction, 0));
    const uint32_t id = ws_operand(module, instruction, 1);
    const uint32_t given = id < module->bound ? folding->given[id] : 0;
    if (type.width == 0)
        return varies();
    switch (instruction->opcode) {
    case SpvOpConstantTrue: return known(1);
    case SpvOpConstantFalse:
    case SpvOpConstantNull: return known(0);
    case SpvOpConstant: return literal(module, instruction, type.width);
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        return known(given > 0 ? constants[given - 1].value != 0
                               : instruction->opcode == SpvOpSpecConstantTrue);
    case SpvOpSpecConstant:
        return given > 0 ? known(ws_integer_cut(constants[given - 1].value, type.width))
                         : literal(module, instruction, type.width);
    case SpvOpSpecConstantOp: return operate(folding, instruction, ws_operand(module, instruction, 2), 3);
    default: return varies();
    }
}

/* Constants; what is no number varies. */
static void read_globals(struct folding *folding, const struct ws_fold_constant *constants)
{
    const struct ws_module *module = folding->module;
    const uint32_t end = module->function_count > 0 ? module->functions[0].first : module->instruction_count;
    for (uint32_t i = 0; i < end; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode >= SpvOpConstantTrue && instruction->opcode <= SpvOpSpecConstantOp)
            learn(folding, ws_operand(module, instruction, 1),
                  constant_value(folding, instruction, constants));
    }
}

/* Whether the variable holds one number of the thread. */
static bool is_followed(const struct ws_module *module, const struct ws_instruction *variable)
{
    const struct ws_instruction *pointer = ws_module_definition(module, ws_operand(module, variable, 0));
    const uint32_t storage = ws_operand(module, variable, 2);
    return (storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate) && pointer != NULL &&
           pointer->opcode == SpvOpTypePointer && type_of(module, ws_operand(module, pointer, 2)).width > 0;
}

/* Loads and stores are the only uses of a variable that is followed. Every word of an instruction that equals its id
 * counts as a use, also a literal: so no use is overlooked. */
static void judge_uses(struct folding *folding, const struct ws_instruction *instruction)
{
    const struct ws_module *module = folding->module;
    if (ws_instruction_is_debug(module, instruction) || instruction->opcode == SpvOpVariable)
        return;
    for (uint32_t operand = 0; operand + 1 < instruction->length; ++operand) {
        const uint32_t id = ws_operand(module, instruction, operand);
        const struct ws_instruction *definition = ws_module_definition(module, id);
        if (definition == NULL || definition->opcode != SpvOpVariable)
            continue;
        if (!(instruction->opcode == SpvOpLoad && operand == 2) &&
            !(instruction->opcode == SpvOpStore && operand == 0))
            learn(folding, id, varies());
    }
}

/* What a variable holds at first: its initializer. Without one that is undefined, and no load may tell. */
static void read_variables(struct folding *folding)
{
    const struct ws_module *module = folding->module;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode != SpvOpVariable)
            continue;
        const uint32_t id = ws_operand(module, instruction, 1);
        if (!is_followed(module, instruction))
            learn(folding, id, varies());
        else if (instruction->length > 4)
            learn(folding, id, value_of(folding, ws_operand(module, instruction, 3)));
    }
    for (uint32_t f = 0; f < module->function_count; ++f)
        for (uint32_t i = module->functions[f].first; i < module->functions[f].end; ++i)
            judge_uses(folding, &module->instructions[i]);
}

/* Control flow. */

static void enliven(struct folding *folding, uint32_t block)
{
    folding->changed = folding->changed || !folding->live[block];
    folding->live[block] = true;
}

static void enliven_function(struct folding *folding, uint32_t index)
{
    const struct ws_function *function = &folding->module->functions[index];
    folding->changed = folding->changed || !folding->function_live[index];
    folding->function_live[index] = true;
    if (function->block_count > 0)
        enliven(folding, function->block_first);
}

/* The label that a known switch goes to. */
static uint32_t switch_target(const struct ws_module *module, const struct ws_instruction *terminator,
                              uint64_t value, uint32_t width)
{
    const uint32_t words = width > 32 ? 2 : 1;
    for (uint32_t at = 2; at + words + 1 < terminator->length; at += words + 1) {
        uint64_t literal = ws_operand(module, terminator, at);
        if (words == 2)
            literal |= (uint64_t)ws_operand(module, terminator, at + 1) << 32;
        if (ws_integer_cut(literal, width) == value)
            return ws_operand(module, terminator, at + words);
    }
    return ws_operand(module, terminator, 1);
}

/* The one label that a block goes to; 0 = all of its successors, UINT32_MAX = none that is known yet. */
static uint32_t target_of(const struct folding *folding, const struct ws_block *block)
{
    const struct ws_module *module = folding->module;
    const struct ws_instruction *terminator = &module->instructions[block->end - 1];
    if (terminator->opcode != SpvOpBranchConditional && terminator->opcode != SpvOpSwitch)
        return 0;
    const uint32_t id = ws_operand(module, terminator, 0);
    const struct value condition = value_of(folding, id);
    if (condition.knowledge != KNOWN)
        return condition.knowledge == NOTHING ? UINT32_MAX : 0;
    if (terminator->opcode == SpvOpBranchConditional)
        return ws_operand(module, terminator, condition.bits != 0 ? 1 : 2);
    return switch_target(module, terminator, condition.bits, type_of_value(module, id).width);
}

static void leave(struct folding *folding, uint32_t function, uint32_t block)
{
    const struct ws_cfg *cfg = &folding->cfgs[function];
    const uint32_t first = folding->module->functions[function].block_first;
    const uint32_t target = target_of(folding, &folding->module->blocks[first + block]);
    for (uint32_t s = cfg->successor_first[block]; s < cfg->successor_first[block + 1]; ++s) {
        const uint32_t successor = first + cfg->successors[s];
        if (target == 0 || folding->module->blocks[successor].label == target)
            enliven(folding, successor);
    }
}

/* A phi has the values of those blocks before it that can run and go to it. */
static void read_phi(struct folding *folding, uint32_t function, uint32_t label,
                     const struct ws_instruction *phi)
{
    const struct ws_module *module = folding->module;
    const struct ws_function *own = &module->functions[function];
    const uint32_t result = ws_operand(module, phi, 1);
    if (type_of(module, ws_operand(module, phi, 0)).width == 0) {
        learn(folding, result, varies());
        return;
    }
    for (uint32_t operand = 2; operand + 2 < phi->length; operand += 2) {
        const uint32_t before = ws_cfg_find_block(module, own, ws_operand(module, phi, operand + 1));
        if (before == WS_NONE || !folding->live[own->block_first + before])
            continue;
        const uint32_t target = target_of(folding, &module->blocks[own->block_first + before]);
        if (target == 0 || target == label)
            learn(folding, result, value_of(folding, ws_operand(module, phi, operand)));
    }
}

static void read_instruction(struct folding *folding, uint32_t function, uint32_t label,
                             const struct ws_instruction *instruction)
{
    const struct ws_module *module = folding->module;
    const uint32_t pointer = ws_operand(module, instruction, instruction->opcode == SpvOpStore ? 0 : 2);
    const uint32_t result = ws_operand(module, instruction, 1);
    bool has_type = false;
    bool has_result = false;
    switch (instruction->opcode) {
    case SpvOpVariable: return;
    case SpvOpPhi: read_phi(folding, function, label, instruction); return;
    case SpvOpStore: learn(folding, pointer, value_of(folding, ws_operand(module, instruction, 1))); return;
    case SpvOpLoad: {
        const struct ws_instruction *definition = ws_module_definition(module, pointer);
        const bool variable = definition != NULL && definition->opcode == SpvOpVariable;
        learn(folding, result, variable ? value_of(folding, pointer) : varies());
        return;
    }
    case SpvOpFunctionCall: {
        const uint32_t callee = ws_calls_callee(module, instruction);
        if (callee != WS_NONE)
            enliven_function(folding, callee);
        learn(folding, result, varies());
        return;
    }
    default: break;
    }
    ws_opcode_results(instruction->opcode, &has_type, &has_result);
    if (has_result && has_type)
        learn(folding, result, operate(folding, instruction, instruction->opcode, 2));
}

static void sweep_function(struct folding *folding, uint32_t index)
{
    const struct ws_module *module = folding->module;
    const struct ws_function *function = &module->functions[index];
    const struct ws_cfg *cfg = &folding->cfgs[index];
    for (uint32_t i = function->first; i < function->end; ++i)
        if (module->instructions[i].opcode == SpvOpFunctionParameter)
            learn(folding, ws_operand(module, &module->instructions[i], 1), varies());
    for (uint32_t place = 0; place < cfg->order_count; ++place) {
        const uint32_t block = cfg->order[place];
        const struct ws_block *own = &module->blocks[function->block_first + block];
        if (!folding->live[function->block_first + block])
            continue;
        for (uint32_t i = own->first; i < own->end; ++i)
            read_instruction(folding, index, own->label, &module->instructions[i]);
        leave(folding, index, block);
    }
}

/* Conditions of which nothing was found are undefined: both ways are possible. */
static void let_vary(struct folding *folding)
{
    const struct ws_module *module = folding->module;
    for (uint32_t b = 0; b < module->block_count; ++b)
        if (folding->live[b] && target_of(folding, &module->blocks[b]) == UINT32_MAX)
            learn(folding, ws_operand(module, &module->instructions[module->blocks[b].end - 1], 0), varies());
}

/* False where it takes too long. */
static bool sweep(struct folding *folding)
{
    for (uint32_t i = 0; i < SWEEPS_MAX; ++i) {
        folding->changed = false;
        for (uint32_t f = 0; f < folding->module->function_count; ++f)
            if (folding->function_live[f])
                sweep_function(folding, f);
        if (!folding->changed)
            let_vary(folding);
        if (!folding->changed)
            return true;
    }
    return false;
}

/* False where a graph is not understood, or there is no memory for it. */
static bool build_graphs(struct folding *folding, struct ws_arena *arena)
{
    struct ws_error ignored = {{0}};
    for (uint32_t f = 0; f < folding->module->function_count; ++f)
        if (!ws_cfg_build(&folding->cfgs[f], arena, folding->module, f, &ignored) || folding->cfgs[f].opaque)
            return false;
    return true;
}

static bool prepare(struct folding *folding, struct ws_arena *arena)
{
    const struct ws_module *module = folding->module;
    folding->cfgs = ws_arena_allocate(arena, module->function_count, sizeof(*folding->cfgs));
    folding->given = ws_arena_allocate(arena, module->bound, sizeof(*folding->given));
    folding->values = ws_arena_allocate(arena, module->bound, sizeof(*folding->values));
    folding->live = ws_arena_allocate(arena, module->block_count, sizeof(*folding->live));
    folding->function_live =
        ws_arena_allocate(arena, module->function_count, sizeof(*folding->function_live));
    return folding->cfgs != NULL && folding->given != NULL && folding->values != NULL &&
           folding->live != NULL && folding->function_live != NULL;
}

bool ws_fold_find(struct ws_fold *fold, struct ws_arena *arena, const struct ws_module *module,
                  uint32_t function, const struct ws_fold_constant *constants, uint32_t count)
{
    struct folding folding = {.module = module};
    fold->target = ws_arena_allocate(arena, module->block_count, sizeof(*fold->target));
    if (fold->target == NULL || !prepare(&folding, arena) || !find_given(&folding, constants, count))
        return false;
    bool found = build_graphs(&folding, arena);
    if (found) {
        read_globals(&folding, constants);
        read_variables(&folding);
        enliven_function(&folding, function);
        found = sweep(&folding);
    }
    for (uint32_t b = 0; b < module->block_count; ++b) {
        folding.live[b] = folding.live[b] || !found;
        fold->target[b] = found && folding.live[b] ? target_of(&folding, &module->blocks[b]) : 0;
    }
    fold->live = folding.live;
    return true;
}
