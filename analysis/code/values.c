#include "warpscope/code/values.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "passes/spirv/builder.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/calls.h"

uint32_t ws_value_result(const struct ws_module *module, const struct ws_instruction *instruction)
{
    bool has_type = false;
    bool has_result = false;
    ws_opcode_results(instruction->opcode, &has_type, &has_result);
    return has_result ? ws_operand(module, instruction, has_type ? 1 : 0) : 0;
}

void ws_value_operands(const struct ws_module *module, const struct ws_instruction *instruction,
                       uint32_t *first, uint32_t *end, uint32_t *skipped)
{
    bool has_type = false;
    bool has_result = false;
    ws_opcode_results(instruction->opcode, &has_type, &has_result);
    *first = (uint32_t)has_type + (uint32_t)has_result;
    *end = instruction->length - 1;
    *skipped = WS_NONE;
    (void)module;
    switch ((SpvOp)instruction->opcode) {
    case SpvOpLabel:
    case SpvOpBranch:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpLine:
    case SpvOpNoLine: *end = *first; break;
    case SpvOpBranchConditional:
    case SpvOpSwitch: *end = 1; break;
    case SpvOpLoad:
    case SpvOpCompositeExtract: *end = 3; break;
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle: *end = 4; break;
    case SpvOpStore: *end = 2; break;
    case SpvOpVariable:
    case SpvOpFunctionCall: *first = 3; break;
    case SpvOpExtInst: *first = 4; break;
    case SpvOpImageSampleImplicitLod:
    case SpvOpImageSampleExplicitLod:
    case SpvOpImageSampleProjImplicitLod:
    case SpvOpImageSampleProjExplicitLod:
    case SpvOpImageFetch:
    case SpvOpImageRead: *skipped = 4; break;
    case SpvOpImageSampleDrefImplicitLod:
    case SpvOpImageSampleDrefExplicitLod:
    case SpvOpImageSampleProjDrefImplicitLod:
    case SpvOpImageSampleProjDrefExplicitLod:
    case SpvOpImageGather:
    case SpvOpImageDrefGather: *skipped = 5; break;
    case SpvOpImageWrite: *skipped = 3; break;
    default: break;
    }
    /* An instruction that is shorter than its opcode says. */
    if (*end > (uint32_t)instruction->length - 1)
        *end = instruction->length - 1;
    if (*first > *end)
        *first = *end;
}

uint32_t ws_variable_class(const struct ws_module *module, uint32_t variable)
{
    const struct ws_instruction *definition = ws_module_definition(module, variable);
    return definition != NULL && definition->opcode == SpvOpVariable ? ws_operand(module, definition, 2)
                                                                     : UINT32_MAX;
}

/* Whether the set of an OpExtInst is GLSL.std.450. */
static bool is_glsl(const struct ws_module *module, const struct ws_instruction *instruction)
{
    static const char name[] = "GLSL.std.450";
    const struct ws_instruction *set = ws_module_definition(module, ws_operand(module, instruction, 2));
    if (set == NULL || set->opcode != SpvOpExtInstImport ||
        ws_module_string(module, set, 1) != sizeof(name) - 1)
        return false;
    for (uint32_t i = 0; i < sizeof(name) - 1; ++i)
        if ((char)(ws_operand(module, set, 1 + i / 4) >> (8 * (i % 4))) != name[i])
            return false;
    return true;
}

bool ws_value_is_computed(const struct ws_module *module, const struct ws_instruction *instruction)
{
    /* Opcodes of one kind are numbered in a row (SPIR-V specification 3.52). */
    static const uint16_t ranges[][2] = {
        {SpvOpVectorExtractDynamic, SpvOpTranspose}, {SpvOpConvertFToU, SpvOpBitcast},
        {SpvOpSNegate, SpvOpSMulExtended},           {SpvOpAny, SpvOpFUnordGreaterThanEqual},
        {SpvOpShiftRightLogical, SpvOpBitCount},     {SpvOpCopyLogical, SpvOpCopyLogical},
        {SpvOpSDotKHR, SpvOpSUDotAccSatKHR},
    };
    const uint32_t number = ws_operand(module, instruction, 3);
    if (instruction->opcode == SpvOpExtInst)
        return is_glsl(module, instruction) && number != GLSLstd450Modf && number != GLSLstd450Frexp &&
               (number < GLSLstd450InterpolateAtCentroid || number > GLSLstd450InterpolateAtOffset);
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); ++i)
        if (instruction->opcode >= ranges[i][0] && instruction->opcode <= ranges[i][1])
            return true;
    return false;
}

/* POINTERS AND WRITES */

static bool is_chain(uint16_t opcode)
{
    return opcode == SpvOpAccessChain || opcode == SpvOpInBoundsAccessChain ||
           opcode == SpvOpPtrAccessChain || opcode == SpvOpInBoundsPtrAccessChain ||
           opcode == SpvOpCopyObject;
}

/* Whether it reads through the pointers among its operands, and no more. */
static bool only_reads(uint16_t opcode)
{
    return is_chain(opcode) || opcode == SpvOpLoad || opcode == SpvOpArrayLength || opcode == SpvOpAtomicLoad;
}

static void find_bases(struct ws_values *values)
{
    const struct ws_module *module = values->module;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t result = ws_value_result(module, instruction);
        if (result == 0 || result >= module->bound)
            continue;
        if (instruction->opcode == SpvOpVariable || instruction->opcode == SpvOpFunctionParameter)
            values->base[result] = result;
        else if (is_chain(instruction->opcode) && ws_operand(module, instruction, 2) < module->bound)
            values->base[result] = values->base[ws_operand(module, instruction, 2)];
    }
}

static bool add_write(struct ws_values *values, uint32_t variable, uint32_t instruction, uint32_t *count,
                      uint32_t *capacity)
{
    struct ws_variable_write *writes =
        ws_arena_grow(values->arena, values->writes, *count, capacity, sizeof(*writes));
    if (writes == NULL)
        return false;
    values->writes = writes;
    writes[*count] = (struct ws_variable_write){instruction, values->first_write[variable]};
    values->first_write[variable] = (*count)++;
    return true;
}

/* Lists what writes to the variables, and counts uses. */
static bool find_writes(struct ws_values *values)
{
    const struct ws_module *module = values->module;
    uint32_t count = 0;
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        uint32_t first = 0;
        uint32_t end = 0;
        uint32_t skipped = WS_NONE;
        if (values->block[i] == WS_NONE || ws_instruction_is_debug(module, instruction))
            continue;
        ws_value_operands(module, instruction, &first, &end, &skipped);
        for (uint32_t j = first; j < end; ++j) {
            const uint32_t id = ws_operand(module, instruction, j);
            if (j == skipped || id >= module->bound)
                continue;
            values->uses[id]++;
            if (values->base[id] == 0 || only_reads(instruction->opcode) ||
                (instruction->opcode == SpvOpStore && j != 0))
                continue;
            if (!add_write(values, values->base[id], i, &count, &capacity))
                return false;
        }
    }
    return true;
}

static bool is_global(const struct ws_module *module, uint32_t variable)
{
    const uint32_t class = ws_variable_class(module, variable);
    return class == SpvStorageClassPrivate || class == SpvStorageClassOutput;
}

/* Which functions write to global variables, by themselves, then by what they call. */
static bool find_global_writers(struct ws_values *values)
{
    const struct ws_module *module = values->module;
    bool changed = true;
    for (uint32_t id = 1; id < module->bound; ++id) {
        if (!is_global(module, id))
            continue;
        for (uint32_t w = values->first_write[id]; w != WS_NONE; w = values->writes[w].next)
            values->writes_globals[module->blocks[values->block[values->writes[w].instruction]].function] =
                true;
    }
    /* Callees mostly stand before their callers or behind all of them: few rounds are enough, and what is not
     * settled then is taken to write. */
    for (uint32_t round = 0; round < 16 && changed; ++round) {
        changed = false;
        for (uint32_t i = 0; i < module->instruction_count; ++i) {
            const struct ws_instruction *instruction = &module->instructions[i];
            if (instruction->opcode != SpvOpFunctionCall || values->block[i] == WS_NONE)
                continue;
            const uint32_t callee = ws_calls_callee(module, instruction);
            bool *caller = &values->writes_globals[module->blocks[values->block[i]].function];
            if (!*caller && (callee == WS_NONE || values->writes_globals[callee]))
                changed = *caller = true;
        }
    }
    if (changed)
        memset(values->writes_globals, true, module->function_count * sizeof(bool));
    return true;
}

/* INVARIANCE */

/* Reads the decorations. `blocks` receives, per id, whether it is a struct that is a Block. */
static void read_decorations(struct ws_values *values, bool *blocks)
{
    const struct ws_module *module = values->module;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const bool member = instruction->opcode == SpvOpMemberDecorate;
        const uint32_t target = ws_operand(module, instruction, 0);
        const uint32_t decoration = ws_operand(module, instruction, member ? 2 : 1);
        const uint32_t value = ws_operand(module, instruction, member ? 3 : 2);
        if ((!member && instruction->opcode != SpvOpDecorate) || target >= module->bound)
            continue;
        if (decoration == SpvDecorationBlock && !member)
            blocks[target] = true;
        if (decoration == SpvDecorationBuiltIn)
            values->built_in[target] = value;
        if (decoration == SpvDecorationLocation && !member)
            values->location[target] = value;
    }
}

/* Whether what the variable holds is the same for a whole command. */
static bool holds_invariant(const struct ws_values *values, const bool *blocks, uint32_t variable)
{
    const struct ws_module *module = values->module;
    const uint32_t class = ws_variable_class(module, variable);
    if (class == SpvStorageClassPushConstant || class == SpvStorageClassUniformConstant)
        return true;
    if (class == SpvStorageClassInput)
        return values->built_in[variable] == SpvBuiltInNumWorkgroups ||
               values->built_in[variable] == SpvBuiltInLaunchSizeKHR;
    if (class != SpvStorageClassUniform)
        return false;
    /* A uniform buffer, or an array of them: a Uniform struct that is a BufferBlock is a storage buffer. */
    const struct ws_instruction *type =
        ws_module_definition(module, ws_operand(module, ws_module_definition(module, variable), 0));
    type = type != NULL ? ws_module_definition(module, ws_operand(module, type, 2)) : NULL;
    for (uint32_t depth = 0; depth < 8 && type != NULL &&
                             (type->opcode == SpvOpTypeArray || type->opcode == SpvOpTypeRuntimeArray);
         ++depth)
        type = ws_module_definition(module, ws_operand(module, type, 1));
    return type != NULL && type->opcode == SpvOpTypeStruct && ws_operand(module, type, 0) < module->bound &&
           blocks[ws_operand(module, type, 0)];
}

/* Whether `before` is run by all lanes that run `after`, and before it. */
static bool comes_before(const struct ws_values *values, uint32_t before, uint32_t after)
{
    const struct ws_module *module = values->module;
    const uint32_t first = values->block[before];
    const uint32_t second = values->block[after];
    if (first == WS_NONE || second == WS_NONE ||
        module->blocks[first].function != module->blocks[second].function)
        return false;
    if (first == second)
        return before < after;
    const uint32_t function = module->blocks[first].function;
    const uint32_t begin = module->functions[function].block_first;
    const struct ws_constructs *constructs = &values->constructs[function];
    return constructs->block_count > 0 &&
           ws_block_tree_is_below(&constructs->dominators, second - begin, first - begin);
}

/* Whether a load of a variable that is written to gives an invariant value. */
static bool loads_invariant(const struct ws_values *values, uint32_t variable, uint32_t load)
{
    const struct ws_module *module = values->module;
    const uint32_t class = ws_variable_class(module, variable);
    const uint32_t write = values->first_write[variable];
    if ((class != SpvStorageClassFunction && class != SpvStorageClassPrivate) || write == WS_NONE ||
        values->writes[write].next != WS_NONE)
        return false;
    const struct ws_instruction *store = &module->instructions[values->writes[write].instruction];
    const uint32_t value = ws_operand(module, store, 1);
    return store->opcode == SpvOpStore && ws_operand(module, store, 0) == variable && value < module->bound &&
           values->invariant[value] && comes_before(values, values->writes[write].instruction, load);
}

/* Whether `is` holds for all operands. */
static bool operands_are(const struct ws_values *values, const bool *is,
                         const struct ws_instruction *instruction)
{
    const struct ws_module *module = values->module;
    uint32_t first = 0;
    uint32_t end = 0;
    uint32_t skipped = WS_NONE;
    ws_value_operands(module, instruction, &first, &end, &skipped);
    for (uint32_t i = first; i < end; ++i)
        if (i != skipped &&
            (ws_operand(module, instruction, i) >= module->bound || !is[ws_operand(module, instruction, i)]))
            return false;
    return true;
}

/* Whether an invariant value is a constant. */
static bool is_constant(const struct ws_values *values, uint32_t index)
{
    const struct ws_module *module = values->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    if (instruction->opcode == SpvOpLoad) {
        const struct ws_instruction *stored = ws_value_stored(values, instruction);
        const uint32_t value = stored != NULL ? ws_value_result(module, stored) : 0;
        if (value == 0 || !values->constant[value])
            return false;
    }
    return operands_are(values, values->constant, instruction);
}

static bool is_invariant(const struct ws_values *values, const bool *blocks, uint32_t index)
{
    const struct ws_module *module = values->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    if (is_chain(instruction->opcode) || ws_value_is_computed(module, instruction))
        return operands_are(values, values->invariant, instruction);
    if (instruction->opcode != SpvOpLoad || !operands_are(values, values->invariant, instruction))
        return false;
    const uint32_t base = values->base[ws_operand(module, instruction, 2)];
    return base != 0 && (holds_invariant(values, blocks, base) || loads_invariant(values, base, index));
}

/* Values outside of functions: constants and the addresses of variables. */
static bool is_global_value(const struct ws_values *values, uint32_t index)
{
    const struct ws_instruction *instruction = &values->module->instructions[index];
    return values->block[index] == WS_NONE &&
           ((instruction->opcode >= SpvOpConstantTrue && instruction->opcode <= SpvOpSpecConstantOp) ||
            ws_opcode_is_variable(instruction->opcode));
}

static bool find_invariants(struct ws_values *values)
{
    const struct ws_module *module = values->module;
    bool *blocks = ws_arena_allocate(values->arena, module->bound, sizeof(bool));
    if (blocks == NULL)
        return false;
    read_decorations(values, blocks);
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const uint32_t result = ws_value_result(module, &module->instructions[i]);
        if (result > 0 && result < module->bound &&
            (is_global_value(values, i) || ws_opcode_is_variable(module->instructions[i].opcode)))
            values->invariant[result] = values->constant[result] = true;
    }
    /* Blocks behind their dominators: what a value is computed of has been looked at before. */
    for (uint32_t f = 0; f < module->function_count; ++f) {
        const struct ws_constructs *constructs = &values->constructs[f];
        for (uint32_t b = 0; constructs->block_count > 0 && b < constructs->order_count; ++b) {
            const struct ws_block *block =
                &module->blocks[module->functions[f].block_first + constructs->order[b]];
            for (uint32_t i = block->first; i < block->end; ++i) {
                const uint32_t result = ws_value_result(module, &module->instructions[i]);
                if (result == 0 || result >= module->bound || !is_invariant(values, blocks, i))
                    continue;
                values->invariant[result] = true;
                values->constant[result] = is_constant(values, i);
            }
        }
    }
    return true;
}

bool ws_values_find(struct ws_values *values, struct ws_arena *arena, const struct ws_module *module,
                    const struct ws_constructs *constructs)
{
    *values = (struct ws_values){
        .module = module,
        .constructs = constructs,
        .arena = arena,
        .invariant = ws_arena_allocate(arena, module->bound, sizeof(bool)),
        .constant = ws_arena_allocate(arena, module->bound, sizeof(bool)),
        .block = ws_arena_allocate(arena, module->instruction_count, sizeof(uint32_t)),
        .base = ws_arena_allocate(arena, module->bound, sizeof(uint32_t)),
        .first_write = ws_arena_allocate(arena, module->bound, sizeof(uint32_t)),
        .location = ws_arena_allocate(arena, module->bound, sizeof(uint32_t)),
        .built_in = ws_arena_allocate(arena, module->bound, sizeof(uint32_t)),
        .writes_globals = ws_arena_allocate(arena, module->function_count, sizeof(bool)),
        .uses = ws_arena_allocate(arena, module->bound, sizeof(uint32_t)),
    };
    if (values->invariant == NULL || values->constant == NULL || values->block == NULL ||
        values->base == NULL || values->first_write == NULL || values->location == NULL ||
        values->built_in == NULL || values->writes_globals == NULL || values->uses == NULL)
        return false;
    memset(values->block, 0xff, module->instruction_count * sizeof(uint32_t));
    memset(values->first_write, 0xff, module->bound * sizeof(uint32_t));
    memset(values->location, 0xff, module->bound * sizeof(uint32_t));
    memset(values->built_in, 0xff, module->bound * sizeof(uint32_t));
    for (uint32_t b = 0; b < module->block_count; ++b)
        for (uint32_t i = module->blocks[b].first; i < module->blocks[b].end; ++i)
            values->block[i] = b;
    find_bases(values);
    return find_writes(values) && find_global_writers(values) && find_invariants(values);
}

/* ONE LANE */

const struct ws_instruction *ws_value_stored(const struct ws_values *values,
                                             const struct ws_instruction *load)
{
    const struct ws_module *module = values->module;
    const uint32_t pointer = load->opcode == SpvOpLoad ? ws_operand(module, load, 2) : 0;
    const uint32_t base = pointer < module->bound ? values->base[pointer] : 0;
    const uint32_t write = base != 0 ? values->first_write[base] : WS_NONE;
    if (write == WS_NONE || values->writes[write].next != WS_NONE)
        return NULL;
    const struct ws_instruction *store = &module->instructions[values->writes[write].instruction];
    return store->opcode == SpvOpStore ? ws_module_definition(module, ws_operand(module, store, 1)) : NULL;
}

/* What a value is copied of: through a variable that is stored to once, casts and the choice of a component. */
static const struct ws_instruction *origin_of(const struct ws_values *values, uint32_t id)
{
    const struct ws_instruction *at = ws_module_definition(values->module, id);
    for (uint32_t depth = 0; depth < 8 && at != NULL; ++depth) {
        const struct ws_instruction *next = ws_value_stored(values, at);
        if (at->opcode == SpvOpCompositeExtract || at->opcode == SpvOpCopyObject ||
            at->opcode == SpvOpBitcast)
            next = ws_module_definition(values->module, ws_operand(values->module, at, 2));
        if (next == NULL)
            return at;
        at = next;
    }
    return at;
}

/* Whether a value numbers the lanes of a warp or workgroup. */
static bool numbers_lanes(const struct ws_values *values, uint32_t id)
{
    const struct ws_instruction *load = origin_of(values, id);
    const uint32_t pointer =
        load != NULL && load->opcode == SpvOpLoad ? ws_operand(values->module, load, 2) : 0;
    const uint32_t base = pointer < values->module->bound ? values->base[pointer] : 0;
    const uint32_t built_in = base != 0 ? values->built_in[base] : WS_NONE;
    return built_in == SpvBuiltInSubgroupLocalInvocationId || built_in == SpvBuiltInLocalInvocationIndex ||
           built_in == SpvBuiltInLocalInvocationId;
}

bool ws_value_elects(const struct ws_values *values, uint32_t condition)
{
    const struct ws_module *module = values->module;
    const struct ws_instruction *at = origin_of(values, condition);
    for (uint32_t depth = 0; depth < 8 && at != NULL && at->opcode == SpvOpLogicalNot; ++depth)
        at = origin_of(values, ws_operand(module, at, 2));
    if (at == NULL)
        return false;
    if (at->opcode == SpvOpGroupNonUniformElect)
        return true;
    return (at->opcode == SpvOpIEqual || at->opcode == SpvOpINotEqual) &&
           (numbers_lanes(values, ws_operand(module, at, 2)) ||
            numbers_lanes(values, ws_operand(module, at, 3)));
}

/* SLICES */

bool ws_slice_init(struct ws_slice *slice, const struct ws_values *values, struct ws_arena *arena)
{
    const struct ws_module *module = values->module;
    *slice = (struct ws_slice){
        .values = values,
        .needed = ws_arena_allocate(arena, module->instruction_count, sizeof(bool)),
        .block_needed = ws_arena_allocate(arena, module->block_count, sizeof(bool)),
        .written_in = ws_arena_allocate(arena, module->bound, sizeof(uint32_t)),
        .list = ws_arena_allocate(arena, module->instruction_count, sizeof(uint32_t)),
    };
    return slice->needed != NULL && slice->block_needed != NULL && slice->written_in != NULL &&
           slice->list != NULL;
}

void ws_slice_reset(struct ws_slice *slice)
{
    const struct ws_module *module = slice->values->module;
    memset(slice->needed, 0, module->instruction_count * sizeof(bool));
    memset(slice->block_needed, 0, module->block_count * sizeof(bool));
    memset(slice->written_in, 0, module->bound * sizeof(uint32_t));
    slice->count = 0;
}

static void need(struct ws_slice *slice, uint32_t instruction)
{
    if (instruction == WS_NONE || slice->needed[instruction])
        return;
    slice->needed[instruction] = true;
    slice->list[slice->count++] = instruction;
}

/* Every branch of a construct: which of its lanes come out of it, and how often, may depend on each of them. */
static void need_branches(struct ws_slice *slice, const struct ws_constructs *constructs, uint32_t begin,
                          uint32_t header)
{
    const struct ws_module *module = slice->values->module;
    const uint32_t merge = constructs->merge[header];
    for (uint32_t i = 0; i < constructs->order_count; ++i) {
        const uint32_t block = constructs->order[i];
        if (ws_block_tree_is_below(&constructs->dominators, block, header) &&
            (merge == WS_NONE || !ws_block_tree_is_below(&constructs->dominators, block, merge)))
            need(slice, module->blocks[begin + block].end - 1);
    }
}

/* Whether and how often a block runs matters: so do the branches on the way to it. Each block leads on to its outer
 * block, so all of them are found. */
static void need_block(struct ws_slice *slice, uint32_t module_block)
{
    const struct ws_module *module = slice->values->module;
    const uint32_t function = module->blocks[module_block].function;
    const uint32_t begin = module->functions[function].block_first;
    const struct ws_constructs *constructs = &slice->values->constructs[function];
    uint32_t block = module_block - begin;
    while (constructs->block_count > 0 && block != WS_NONE && !slice->block_needed[begin + block]) {
        const struct ws_step *step = &constructs->steps[block];
        slice->block_needed[begin + block] = true;
        if (constructs->loop_header[block])
            need_branches(slice, constructs, begin, block);
        else if (step->kind != WS_STEP_NONE && constructs->merge[step->place] == block)
            need_branches(slice, constructs, begin, step->place);
        else if (step->kind != WS_STEP_NONE && constructs->merge[step->outer] == block)
            need_branches(slice, constructs, begin, step->outer);
        else if (step->kind != WS_STEP_NONE)
            need(slice, module->blocks[begin + step->outer].end - 1);
        block = step->outer;
    }
}

/* What stores what an instruction of a function loads from a variable. */
static void need_writes(struct ws_slice *slice, uint32_t variable, uint32_t function)
{
    const struct ws_values *values = slice->values;
    const struct ws_module *module = values->module;
    if (slice->written_in[variable] == function + 1)
        return;
    slice->written_in[variable] = function + 1;
    for (uint32_t w = values->first_write[variable]; w != WS_NONE; w = values->writes[w].next)
        if (module->blocks[values->block[values->writes[w].instruction]].function == function)
            need(slice, values->writes[w].instruction);
    if (!is_global(module, variable))
        return;
    const struct ws_function *code = &module->functions[function];
    for (uint32_t i = code->first; i < code->end; ++i) {
        const struct ws_instruction *call = &module->instructions[i];
        const uint32_t callee = call->opcode == SpvOpFunctionCall ? ws_calls_callee(module, call) : WS_NONE;
        if (call->opcode == SpvOpFunctionCall && (callee == WS_NONE || values->writes_globals[callee]))
            need(slice, i);
    }
}

static bool is_of_thread(const struct ws_module *module, uint32_t variable)
{
    const struct ws_instruction *definition = ws_module_definition(module, variable);
    return ws_variable_class(module, variable) == SpvStorageClassFunction || is_global(module, variable) ||
           (definition != NULL && definition->opcode == SpvOpFunctionParameter);
}

static void need_operands(struct ws_slice *slice, uint32_t index)
{
    const struct ws_values *values = slice->values;
    const struct ws_module *module = values->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    const uint32_t function = module->blocks[values->block[index]].function;
    uint32_t first = 0;
    uint32_t end = 0;
    uint32_t skipped = WS_NONE;
    ws_value_operands(module, instruction, &first, &end, &skipped);
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t id = ws_operand(module, instruction, i);
        const struct ws_instruction *definition = ws_module_definition(module, id);
        if (i == skipped || definition == NULL)
            continue;
        const uint32_t at = (uint32_t)(definition - module->instructions);
        if (definition->opcode == SpvOpLabel)
            need_block(slice, values->block[at]);
        else if (values->block[at] != WS_NONE)
            need(slice, at);
        /* A chain only names the place: what loads through it comes by here too. */
        if (values->base[id] != 0 && !is_chain(instruction->opcode) &&
            !(instruction->opcode == SpvOpStore && i == 0) && is_of_thread(module, values->base[id]))
            need_writes(slice, values->base[id], function);
    }
}

void ws_slice_add(struct ws_slice *slice, uint32_t instruction)
{
    need(slice, instruction);
    while (slice->count > 0) {
        const uint32_t next = slice->list[--slice->count];
        if (slice->values->block[next] == WS_NONE)
            continue;
        need_block(slice, slice->values->block[next]);
        need_operands(slice, next);
    }
}

/* REMOVALS */

bool ws_removal_init(struct ws_removal *removal, const struct ws_values *values, struct ws_arena *arena)
{
    const struct ws_module *module = values->module;
    *removal = (struct ws_removal){
        .values = values,
        .removed = ws_arena_allocate(arena, module->instruction_count, sizeof(bool)),
        .uses = ws_arena_allocate(arena, module->bound, sizeof(uint32_t)),
        .list = ws_arena_allocate(arena, module->instruction_count, sizeof(uint32_t)),
    };
    if (removal->removed == NULL || removal->uses == NULL || removal->list == NULL)
        return false;
    ws_removal_reset(removal);
    return true;
}

void ws_removal_reset(struct ws_removal *removal)
{
    const struct ws_module *module = removal->values->module;
    memset(removal->removed, 0, module->instruction_count * sizeof(bool));
    memcpy(removal->uses, removal->values->uses, module->bound * sizeof(uint32_t));
    removal->count = 0;
    removal->settled = 0;
}

static void remove_one(struct ws_removal *removal, uint32_t instruction)
{
    if (removal->removed[instruction])
        return;
    removal->removed[instruction] = true;
    removal->list[removal->count++] = instruction;
}

/* Removes the stores to a variable of the function that nobody loads any more. */
static void remove_stores(struct ws_removal *removal, uint32_t variable)
{
    const struct ws_values *values = removal->values;
    uint32_t stores = 0;
    if (ws_variable_class(values->module, variable) != SpvStorageClassFunction)
        return;
    for (uint32_t w = values->first_write[variable]; w != WS_NONE; w = values->writes[w].next) {
        const struct ws_instruction *write = &values->module->instructions[values->writes[w].instruction];
        if (write->opcode != SpvOpStore || ws_operand(values->module, write, 0) != variable)
            return;
        stores += !removal->removed[values->writes[w].instruction];
    }
    if (stores != removal->uses[variable])
        return;
    for (uint32_t w = values->first_write[variable]; w != WS_NONE; w = values->writes[w].next)
        remove_one(removal, values->writes[w].instruction);
}

/* A use of a value has gone. */
static void drop_use(struct ws_removal *removal, uint32_t id)
{
    const struct ws_module *module = removal->values->module;
    const struct ws_instruction *definition = ws_module_definition(module, id);
    if (definition == NULL || removal->uses[id] == 0)
        return;
    removal->uses[id]--;
    const uint32_t at = (uint32_t)(definition - module->instructions);
    if (definition->opcode == SpvOpVariable)
        remove_stores(removal, id);
    else if (removal->uses[id] == 0 && removal->values->block[at] != WS_NONE &&
             (ws_value_is_computed(module, definition) || is_chain(definition->opcode) ||
              definition->opcode == SpvOpLoad))
        remove_one(removal, at);
}

/* Lets go what the removed instructions used, and what only these used, and so on. */
static void settle(struct ws_removal *removal)
{
    const struct ws_module *module = removal->values->module;
    for (; removal->settled < removal->count; ++removal->settled) {
        const struct ws_instruction *instruction = &module->instructions[removal->list[removal->settled]];
        uint32_t first = 0;
        uint32_t end = 0;
        uint32_t skipped = WS_NONE;
        ws_value_operands(module, instruction, &first, &end, &skipped);
        for (uint32_t i = first; i < end; ++i)
            if (i != skipped)
                drop_use(removal, ws_operand(module, instruction, i));
    }
}

void ws_removal_remove(struct ws_removal *removal, uint32_t instruction)
{
    remove_one(removal, instruction);
    settle(removal);
}

void ws_removal_drop(struct ws_removal *removal, uint32_t id)
{
    drop_use(removal, id);
    settle(removal);
}
