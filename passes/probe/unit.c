/* Checks of a probe's unit: parts.h says what for. Whether it is valid SPIR-V as a whole, its compiler has checked; a unit that
 * passes here and is none gives an invalid module, but harms nothing here. */
#include <inttypes.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/probe/parts.h"
#include "passes/spirv/operand_names.h"
#include "passes/spirv/operands.h"

#define FUNCTIONS_MAX  2048
#define DEPTH_MAX      64   /* of calls in each other */
#define LENGTH_MAX     1024 /* words of an instruction: the linker has room for that many */
#define PRIVATES_MAX   64
#define NAME_WORDS_MAX 32
#define PARAMETERS_MAX 60
#define SIZE_UNKNOWN   UINT32_MAX

struct work {
    const struct ws_probe *probe;
    struct ws_module module;
    struct ws_error *error;
    enum ws_probe_unit_kind kind;
    bool *is_id;        /* per word */
    bool *operands;     /* scratch, per operand of one instruction */
    uint32_t *sizes;    /* per id of a type: bytes of a value; SIZE_UNKNOWN = not known, or too many */
    uint32_t *privates; /* ids */
    uint32_t private_count;
    uint64_t private_bytes;
    uint32_t *decorations; /* per id: how many OpDecorate name it */
    uint32_t *built_ins;   /* per id: the built-in that it is; WS_NONE = none */
    const char **names;    /* per id: its OpName; NULL = it has none */
    uint64_t *uses; /* per function: mask of the private variables that it uses, what it calls included */
};

static bool fail(const struct work *work, const struct ws_instruction *instruction, const char *what)
{
    return ws_error_set(work->error, "the probe's compiled unit %d, word %" PRIu32 " (opcode %u): %s",
                        (int)work->kind, instruction->offset, (unsigned)instruction->opcode, what);
}

static bool name_is(const struct ws_module *module, const struct ws_instruction *instruction,
                    uint32_t operand, const char *text)
{
    return ws_module_string(module, instruction, operand) == strlen(text) &&
           strcmp((const char *)(module->words + instruction->offset + 1 + operand), text) == 0;
}

static bool name_is_one_of(const struct ws_module *module, const struct ws_instruction *instruction,
                           uint32_t operand, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (name_is(module, instruction, operand, texts[i]))
            return true;
    return false;
}

/* ---- which instructions may stand there ---- */

static bool check_capability(const struct work *work, const struct ws_instruction *instruction)
{
    static const uint32_t known[] = {
        SpvCapabilityMatrix,
        SpvCapabilityShader,
        SpvCapabilityFloat16,
        SpvCapabilityFloat64,
        SpvCapabilityInt64,
        SpvCapabilityInt64Atomics,
        SpvCapabilityInt16,
        SpvCapabilityInt8,
        SpvCapabilityGroupNonUniform,
        SpvCapabilityGroupNonUniformVote,
        SpvCapabilityGroupNonUniformArithmetic,
        SpvCapabilityGroupNonUniformBallot,
        SpvCapabilityGroupNonUniformShuffle,
        SpvCapabilityGroupNonUniformShuffleRelative,
        SpvCapabilityGroupNonUniformQuad,
        SpvCapabilityShaderClockKHR,
        SpvCapabilityPhysicalStorageBufferAddresses,
    };
    const uint32_t capability = ws_operand(&work->module, instruction, 0);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i] == capability)
            return true;
    return (capability == SpvCapabilityDemoteToHelperInvocation && work->kind == WS_PROBE_UNIT_DEMOTE) ||
           fail(work, instruction, "probes cannot use this capability");
}

static bool check_preamble(const struct work *work, const struct ws_instruction *instruction)
{
    static const char *const extensions[] = {"SPV_KHR_physical_storage_buffer",
                                             "SPV_EXT_demote_to_helper_invocation", "SPV_KHR_shader_clock"};
    static const char *const sets[] = {"GLSL.std.450"};
    const struct ws_module *module = &work->module;
    switch ((SpvOp)instruction->opcode) {
    case SpvOpCapability: return check_capability(work, instruction);
    case SpvOpExtension:
        return name_is_one_of(module, instruction, 0, extensions, 3) ||
               fail(work, instruction, "probes cannot use this extension");
    case SpvOpExtInstImport:
        return name_is_one_of(module, instruction, 1, sets, 1) ||
               fail(work, instruction, "probes cannot use this instruction set");
    case SpvOpMemoryModel:
        return ws_operand(module, instruction, 1) == SpvMemoryModelGLSL450 ||
               fail(work, instruction, "a probe has the memory model GLSL450");
    case SpvOpName:
        return ws_module_string(module, instruction, 1) != WS_NONE ||
               fail(work, instruction, "a name does not end");
    case SpvOpMemberName:
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceContinued:
    case SpvOpSourceExtension:
    case SpvOpModuleProcessed:
    case SpvOpEntryPoint:
    case SpvOpExecutionMode: return true;
    default: return fail(work, instruction, "it cannot stand in a probe");
    }
}

/* Reads what stands about ids, once: a blob may have as many names and decorations as it has room for, and ids to ask
 * for. False if there is no memory. */
static bool read_annotations(struct work *work)
{
    const struct ws_module *module = &work->module;
    work->decorations = ws_arena_allocate(module->arena, module->bound, sizeof(*work->decorations));
    work->built_ins = ws_arena_allocate(module->arena, module->bound, sizeof(*work->built_ins));
    work->names = ws_arena_allocate(module->arena, module->bound, sizeof(*work->names));
    if (work->decorations == NULL || work->built_ins == NULL || work->names == NULL)
        return ws_error_set(work->error, "out of memory for a probe");
    for (uint32_t id = 0; id < module->bound; id++)
        work->built_ins[id] = WS_NONE;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t id = ws_operand(module, instruction, 0);
        if (id >= module->bound)
            continue;
        if (instruction->opcode == SpvOpDecorate) {
            work->decorations[id]++;
            if (ws_operand(module, instruction, 1) == SpvDecorationBuiltIn)
                work->built_ins[id] = ws_operand(module, instruction, 2);
        } else if (instruction->opcode == SpvOpName && work->names[id] == NULL &&
                   ws_module_string(module, instruction, 1) != WS_NONE &&
                   instruction->length <= NAME_WORDS_MAX) {
            work->names[id] = (const char *)(module->words + instruction->offset + 2);
        }
    }
    return true;
}

static bool check_decoration(const struct work *work, const struct ws_instruction *instruction)
{
    const struct ws_module *module = &work->module;
    const bool is_member = instruction->opcode == SpvOpMemberDecorate;
    const uint32_t target = ws_operand(module, instruction, 0);
    const struct ws_instruction *definition = ws_module_definition(module, target);
    if ((!is_member && instruction->opcode != SpvOpDecorate) || definition == NULL)
        return fail(work, instruction, "it cannot decorate in a probe");
    switch ((SpvDecoration)ws_operand(module, instruction, is_member ? 2 : 1)) {
    case SpvDecorationSpecId:
        return (!is_member && definition->opcode == SpvOpSpecConstant && instruction->length == 4 &&
                ws_operand(module, instruction, 2) < WS_SPEC_COUNT && work->decorations[target] == 1) ||
               fail(work, instruction, "a specialization constant of a probe is one of the root block's");
    case SpvDecorationBuiltIn: return !is_member || fail(work, instruction, "a built-in is no member");
    case SpvDecorationRelaxedPrecision:
    case SpvDecorationBlock:
    case SpvDecorationRowMajor:
    case SpvDecorationColMajor:
    case SpvDecorationArrayStride:
    case SpvDecorationMatrixStride:
    case SpvDecorationFlat:
    case SpvDecorationRestrict:
    case SpvDecorationAliased:
    case SpvDecorationVolatile:
    case SpvDecorationNonWritable:
    case SpvDecorationNonReadable:
    case SpvDecorationOffset:
    case SpvDecorationNoContraction:
    case SpvDecorationRestrictPointer:
    case SpvDecorationAliasedPointer: return true;
    default: return fail(work, instruction, "probes cannot use this decoration");
    }
}

/* How a global instruction is laid out: which of its operands are ids. A letter each: r result, i id, l literal; the last one
 * goes on to the end. NULL where probes cannot use it. */
static const char *global_layout(const struct ws_module *module, const struct ws_instruction *instruction)
{
    switch ((SpvOp)instruction->opcode) {
    case SpvOpTypeVoid:
    case SpvOpTypeBool: return "r";
    case SpvOpTypeInt:
    case SpvOpTypeFloat: return "rl";
    case SpvOpTypeVector:
    case SpvOpTypeMatrix: return "ril";
    case SpvOpTypeArray: return "rii";
    case SpvOpTypeRuntimeArray: return "ri";
    case SpvOpTypeStruct: return "ri";
    case SpvOpTypePointer: return "rli";
    case SpvOpTypeFunction: return "ri";
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstantNull: return "ir";
    case SpvOpConstant:
    case SpvOpSpecConstant: return "irl";
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite: return "iri";
    case SpvOpVariable: return "irli";
    case SpvOpSpecConstantOp:
        /* Composite instructions have literals among their operands. */
        switch ((SpvOp)ws_operand(module, instruction, 2)) {
        case SpvOpCompositeExtract:
        case SpvOpCompositeInsert:
        case SpvOpVectorShuffle: return NULL;
        default: return "irli";
        }
    default: return NULL;
    }
}

/* How many operands it has at least. */
static uint32_t operands_of(const char *layout, uint16_t opcode)
{
    const uint32_t letters = (uint32_t)strlen(layout);
    switch ((SpvOp)opcode) {
    case SpvOpTypeStruct:
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
    case SpvOpVariable: return letters - 1;
    default: return letters;
    }
}

/* Bytes of a value of a type whose parts stand before it. */
static uint32_t size_of(const struct work *work, const struct ws_instruction *type)
{
    const struct ws_module *module = &work->module;
    const uint32_t part = ws_operand(module, type, 1);
    const struct ws_instruction *length;
    uint64_t size = 0;
    switch ((SpvOp)type->opcode) {
    case SpvOpTypeBool: return 4;
    case SpvOpTypePointer: return 8;
    case SpvOpTypeInt:
    case SpvOpTypeFloat: return part / 8;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix: size = (uint64_t)work->sizes[part] * ws_operand(module, type, 2); break;
    case SpvOpTypeArray:
        length = ws_module_definition(module, ws_operand(module, type, 2));
        if (length == NULL || length->opcode != SpvOpConstant || length->length != 4)
            return SIZE_UNKNOWN;
        size = (uint64_t)work->sizes[part] * ws_operand(module, length, 2);
        break;
    case SpvOpTypeStruct:
        for (uint32_t i = 1; i + 1u < type->length; i++)
            size += work->sizes[ws_operand(module, type, i)];
        break;
    default: return SIZE_UNKNOWN;
    }
    return size < SIZE_UNKNOWN ? (uint32_t)size : SIZE_UNKNOWN;
}

/* Adds the bytes of a variable to those that a thread has for a function. */
static bool add_bytes(const struct work *work, const struct ws_instruction *variable, uint64_t *bytes)
{
    const struct ws_module *module = &work->module;
    const struct ws_instruction *pointer = ws_module_definition(module, ws_operand(module, variable, 0));
    const char *name = work->names[ws_operand(module, variable, 1)];
    if (pointer == NULL || pointer->opcode != SpvOpTypePointer)
        return fail(work, variable, "a variable of a probe has no fitting type");
    *bytes += work->sizes[ws_operand(module, pointer, 2)];
    name = name != NULL ? name : "?";
    return *bytes <= WS_PROBE_THREAD_BYTES ||
           ws_error_set(work->error,
                        "with the variable '%.*s' the probe needs more than %u bytes of each thread",
                        (int)strcspn(name, "@"), name, WS_PROBE_THREAD_BYTES);
}

static bool check_variable(struct work *work, const struct ws_instruction *instruction)
{
    const struct ws_module *module = &work->module;
    const struct ws_instruction *pointer = ws_module_definition(module, ws_operand(module, instruction, 0));
    const uint32_t class = ws_operand(module, instruction, 2);
    if (pointer == NULL || pointer->opcode != SpvOpTypePointer || ws_operand(module, pointer, 1) != class ||
        instruction->length > 5)
        return fail(work, instruction, "a variable of a probe has no fitting type");
    if (class == SpvStorageClassPrivate) {
        if (work->private_count == PRIVATES_MAX)
            return fail(work, instruction, "a probe has 64 variables at most");
        work->privates[work->private_count++] = ws_operand(module, instruction, 1);
        return add_bytes(work, instruction, &work->private_bytes);
    }
    const uint32_t built_in = work->built_ins[ws_operand(module, instruction, 1)];
    const bool is_fragment = work->kind != WS_PROBE_UNIT_ALL;
    const bool is_known =
        built_in == SpvBuiltInSubgroupSize || built_in == SpvBuiltInSubgroupLocalInvocationId ||
        (is_fragment && (built_in == SpvBuiltInHelperInvocation || built_in == SpvBuiltInFragCoord));
    return (class == SpvStorageClassInput && is_known && instruction->length == 4) ||
           fail(work, instruction,
                "a global variable of a probe is neither its own nor a built-in of all stages");
}

static bool check_global(struct work *work, uint32_t index)
{
    const struct ws_module *module = &work->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    const char *layout = global_layout(module, instruction);
    if (instruction->opcode == SpvOpTypeForwardPointer || ws_opcode_is_line(instruction->opcode))
        return true;
    if (layout == NULL || instruction->length - 1u < operands_of(layout, instruction->opcode))
        return fail(work, instruction, "it cannot stand in a probe");
    const size_t last = strlen(layout) - 1;
    if (layout[last] == 'r' && instruction->length != strlen(layout) + 1)
        return fail(work, instruction, "it has operands too many");
    for (uint32_t i = 0; i + 1u < instruction->length; i++) {
        const char letter = layout[i < last ? i : last];
        const uint32_t id = ws_operand(module, instruction, i);
        if (letter == 'i' && (id >= module->bound || module->definitions[id] >= index ||
                              module->definitions[id] < module->section_ends[WS_SECTION_ANNOTATION]))
            return fail(work, instruction, "it names what is not defined before it");
        work->is_id[instruction->offset + 1 + i] = letter != 'l';
    }
    if (instruction->opcode == SpvOpSpecConstant &&
        work->decorations[ws_operand(module, instruction, 1)] != 1)
        return fail(work, instruction, "a specialization constant of a probe is one of the root block's");
    if (layout[0] == 'r')
        work->sizes[ws_operand(module, instruction, 0)] = size_of(work, instruction);
    return instruction->opcode != SpvOpVariable || check_variable(work, instruction);
}

/* Whether an instruction may stand in a function: it computes, or reads and writes memory. */
static bool is_allowed(uint16_t opcode)
{
    static const uint16_t ranges[][2] = {
        {SpvOpNop, SpvOpUndef},
        {SpvOpLine, SpvOpLine},
        {SpvOpExtInst, SpvOpExtInst},
        {SpvOpFunction, SpvOpFunctionCall},
        {SpvOpVariable, SpvOpVariable},
        {SpvOpLoad, SpvOpCopyMemory},
        {SpvOpAccessChain, SpvOpInBoundsAccessChain},
        {SpvOpVectorExtractDynamic, SpvOpTranspose},
        {SpvOpConvertFToU, SpvOpBitcast},
        {SpvOpSNegate, SpvOpSMulExtended},
        {SpvOpAny, SpvOpFUnordGreaterThanEqual},
        {SpvOpShiftRightLogical, SpvOpBitCount},
        {SpvOpDPdx, SpvOpFwidthCoarse},
        {SpvOpMemoryBarrier, SpvOpMemoryBarrier},
        {SpvOpAtomicLoad, SpvOpAtomicXor},
        {SpvOpPhi, SpvOpSwitch},
        {SpvOpReturn, SpvOpUnreachable},
        {SpvOpNoLine, SpvOpNoLine},
        {SpvOpGroupNonUniformElect, SpvOpGroupNonUniformQuadSwap},
        {5056, 5056}, /* OpReadClockKHR */
        {5381, 5381}, /* OpIsHelperInvocationEXT */
    };
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        if (ranges[i][0] <= opcode && opcode <= ranges[i][1])
            return true;
    return false;
}

static bool check_instruction(struct work *work, const struct ws_function *function, uint32_t index)
{
    const struct ws_module *module = &work->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    if (!is_allowed(instruction->opcode) || !ws_operands_find_ids(module, instruction, work->operands))
        return fail(work, instruction, "it cannot stand in a function of a probe");
    for (uint32_t i = 0; i + 1u < instruction->length; i++) {
        const uint32_t id = ws_operand(module, instruction, i);
        work->is_id[instruction->offset + 1 + i] = work->operands[i];
        if (!work->operands[i] || instruction->opcode == SpvOpLine)
            continue;
        const struct ws_instruction *definition = ws_module_definition(module, id);
        const uint32_t at = definition != NULL ? module->definitions[id] : WS_NONE;
        const bool is_own = at > function->first && at < function->end;
        const bool is_global =
            at < module->section_ends[WS_SECTION_GLOBAL] &&
            (at >= module->section_ends[WS_SECTION_ANNOTATION] || definition->opcode == SpvOpExtInstImport);
        const bool is_callee = instruction->opcode == SpvOpFunctionCall && i == 2;
        const bool is_itself = instruction->opcode == SpvOpFunction && i == 1;
        if (is_callee || is_itself ? definition == NULL || definition->opcode != SpvOpFunction
                                   : !is_own && !is_global)
            return fail(work, instruction, "it names what is not defined there");
    }
    if (instruction->opcode >= SpvOpAtomicLoad && instruction->opcode <= SpvOpAtomicXor) {
        const uint32_t scope = instruction->opcode == SpvOpAtomicStore ? 1 : 3;
        const struct ws_instruction *definition =
            ws_module_definition(module, ws_operand(module, instruction, scope));
        if (instruction->length < scope + 2 || definition == NULL)
            return fail(work, instruction, "an atomic of a probe has no scope");
    }
    return true;
}

/* ---- functions ---- */

/* Computes which private variables each function uses, and that no function calls itself. */
static bool find_uses(struct work *work)
{
    const struct ws_module *module = &work->module;
    uint32_t *depths = ws_arena_allocate(module->arena, module->function_count, sizeof(*depths));
    if (depths == NULL)
        return ws_error_set(work->error, "out of memory for a probe");
    bool changed = true;
    for (uint32_t round = 0; changed; round++) {
        changed = false;
        if (round > DEPTH_MAX)
            return fail(work, &module->instructions[0], "a function calls itself, or calls are too deep");
        for (uint32_t f = 0; f < module->function_count; f++) {
            uint64_t uses = work->uses[f];
            uint32_t depth = depths[f];
            for (uint32_t i = module->functions[f].first; i < module->functions[f].end; i++) {
                const struct ws_instruction *instruction = &module->instructions[i];
                for (uint32_t j = 0; j + 1u < instruction->length && round == 0; j++)
                    for (uint32_t p = 0; p < work->private_count && work->is_id[instruction->offset + 1 + j];
                         p++)
                        uses |= (uint64_t)(ws_operand(module, instruction, j) == work->privates[p]) << p;
                if (instruction->opcode != SpvOpFunctionCall)
                    continue;
                const uint32_t callee =
                    ws_module_function(module, module->definitions[ws_operand(module, instruction, 2)]);
                uses |= work->uses[callee];
                depth = depths[callee] + 1 > depth ? depths[callee] + 1 : depth;
            }
            changed = changed || uses != work->uses[f] || depth != depths[f];
            work->uses[f] = uses;
            depths[f] = depth;
        }
    }
    return true;
}

static bool is_type(const struct ws_module *module, uint32_t id, const struct ws_probe_type *wanted)
{
    const struct ws_instruction *type = ws_module_definition(module, id);
    if (type != NULL && wanted->columns > 1) {
        if (type->opcode != SpvOpTypeMatrix || ws_operand(module, type, 2) != wanted->columns)
            return false;
        type = ws_module_definition(module, ws_operand(module, type, 1));
    }
    if (type != NULL && wanted->rows > 1) {
        if (type->opcode != SpvOpTypeVector || ws_operand(module, type, 2) != wanted->rows)
            return false;
        type = ws_module_definition(module, ws_operand(module, type, 1));
    }
    if (type == NULL)
        return false;
    const uint32_t width = ws_operand(module, type, 1);
    switch ((enum ws_probe_base)wanted->base) {
    case WS_PROBE_BOOL: return type->opcode == SpvOpTypeBool;
    case WS_PROBE_INT:
    case WS_PROBE_UINT:
        return type->opcode == SpvOpTypeInt && width == wanted->width &&
               (ws_operand(module, type, 2) != 0) == (wanted->base == WS_PROBE_INT);
    case WS_PROBE_FLOAT: return type->opcode == SpvOpTypeFloat && width == wanted->width && type->length == 3;
    }
    return false;
}

/* The function with this name, which takes and returns what the probe says; 0 if there is none. */
static uint32_t find_function(const struct work *work, const struct ws_probe_function *wanted)
{
    const struct ws_module *module = &work->module;
    const size_t length = strlen(wanted->export_name);
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ws_instruction *function = &module->instructions[module->functions[f].first];
        const char *name = work->names[module->functions[f].id];
        if (name == NULL || strncmp(name, wanted->export_name, length) != 0 ||
            (name[length] != '(' && name[length] != '\0'))
            continue;
        const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, function, 3));
        if (type == NULL || type->opcode != SpvOpTypeFunction || type->length != 3 + wanted->parameter_count)
            return 0;
        const struct ws_instruction *result = ws_module_definition(module, ws_operand(module, type, 1));
        bool fits =
            result != NULL && result->opcode == SpvOpTypeVoid && module->functions[f].block_count != 0;
        for (uint32_t i = 0; i < wanted->parameter_count && fits; i++)
            fits = is_type(module, ws_operand(module, type, 2 + i), &wanted->parameters[i].type);
        return fits ? module->functions[f].id : 0;
    }
    return 0;
}

static bool check_functions(struct work *work)
{
    const struct ws_module *module = &work->module;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ws_function *function = &module->functions[f];
        const struct ws_instruction *opening = &module->instructions[function->first];
        const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, opening, 3));
        if (type == NULL || type->opcode != SpvOpTypeFunction || type->length > PARAMETERS_MAX ||
            function->block_count == 0)
            return fail(work, opening, "it is no function that can be linked");
        uint64_t bytes = work->private_bytes;
        for (uint32_t i = function->first; i < function->end; i++)
            if (!check_instruction(work, function, i) || (module->instructions[i].opcode == SpvOpVariable &&
                                                          !add_bytes(work, &module->instructions[i], &bytes)))
                return false;
    }
    const struct ws_function *main = &module->functions[module->entry_points[0].function];
    for (uint32_t i = main->first; i < main->end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t value = ws_operand(module, instruction, 1);
        if (instruction->opcode == SpvOpStore && module->definitions[value] > main->first)
            return fail(work, instruction, "a global variable of a probe begins with what is no constant");
    }
    return find_uses(work);
}

/* ---- results ---- */

static bool find_exports(struct work *work, uint32_t *functions)
{
    const struct ws_probe *probe = work->probe;
    for (uint32_t i = 0; i < probe->function_count; i++) {
        functions[i] = find_function(work, &probe->functions[i]);
        if (functions[i] == 0)
            return ws_error_set(work->error,
                                "the probe's compiled unit %d has no function %s as the probe "
                                "declares it",
                                (int)work->kind, probe->functions[i].export_name);
    }
    return true;
}

/* Lists the variables of which each loop has its own (probe.h, "What units are"). */
static bool list_instanced(const struct work *work, const uint32_t *functions, struct ws_library_unit *unit)
{
    const struct ws_module *module = &work->module;
    uint64_t in_loops = 0;
    uint64_t elsewhere = 0;
    uint32_t *instanced = ws_arena_allocate(module->arena, work->private_count, sizeof(*instanced));
    if (instanced == NULL)
        return ws_error_set(work->error, "out of memory for a probe");
    for (uint32_t i = 0; i < work->probe->rule_count; i++) {
        const struct ws_probe_rule *rule = &work->probe->rules[i];
        const bool is_loop = rule->place >= WS_PROBE_LOOP_BEGIN && rule->place <= WS_PROBE_LOOP_END;
        for (uint32_t f = 0; f < rule->function_count; f++) {
            const uint32_t id = functions[rule->function_first + f];
            const uint64_t uses = work->uses[ws_module_function(module, module->definitions[id])];
            in_loops |= is_loop ? uses : 0;
            elsewhere |= is_loop ? 0 : uses;
        }
    }
    for (uint32_t i = 0; i < work->private_count; i++) {
        const char *name = work->names[work->privates[i]];
        if (name == NULL)
            return ws_error_set(work->error, "a variable of the probe has no name");
        if (strncmp(name, "ws_", 3) != 0 && ((in_loops & ~elsewhere) >> i & 1) != 0)
            instanced[unit->instanced_count++] = work->privates[i];
    }
    unit->instanced = instanced;
    return true;
}

static bool check_module(struct work *work)
{
    static const char *const refused = "it cannot stand in a probe";
    const struct ws_module *module = &work->module;
    const uint32_t model =
        work->kind == WS_PROBE_UNIT_ALL ? SpvExecutionModelGLCompute : SpvExecutionModelFragment;
    if (module->entry_point_count != 1 || module->entry_points[0].model != model ||
        module->version > 0x00010300 || module->function_count > FUNCTIONS_MAX)
        return ws_error_set(work->error, "the probe's compiled unit %d is not made for its stage",
                            (int)work->kind);
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_GLOBAL]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const enum ws_section section = ws_opcode_section(instruction->opcode);
        const bool is_long = instruction->length > LENGTH_MAX && section >= WS_SECTION_ANNOTATION;
        if (is_long ||
            !(section == WS_SECTION_ANNOTATION                   ? check_decoration(work, instruction)
              : i >= module->section_ends[WS_SECTION_ANNOTATION] ? check_global(work, i)
                                                                 : check_preamble(work, instruction)))
            return fail(work, instruction, refused);
        if (section == WS_SECTION_ANNOTATION)
            work->is_id[instruction->offset + 1] = true;
    }
    for (uint32_t i = module->section_ends[WS_SECTION_GLOBAL]; i < module->instruction_count; i++)
        if (module->instructions[i].length > LENGTH_MAX)
            return fail(work, &module->instructions[i], refused);
    return check_functions(work);
}

static bool list_ids(const struct work *work, struct ws_library_unit *unit)
{
    uint32_t *ids = ws_arena_allocate(work->module.arena, work->module.word_count, sizeof(*ids));
    if (ids == NULL)
        return ws_error_set(work->error, "out of memory for a probe");
    for (uint32_t i = 0; i < work->module.word_count; i++)
        if (work->is_id[i])
            ids[unit->id_count++] = i;
    unit->ids = ids;
    return true;
}

bool ws_probe_read_unit(const struct ws_probe *probe, struct ws_probe_parts *parts,
                        enum ws_probe_unit_kind kind, struct ws_error *error)
{
    static const char *const names[] = {"probe", "probe_fragment", "probe_demote"};
    const struct ws_probe_unit *source = &probe->units[kind];
    struct ws_arena *arena = parts->arena;
    struct work work = {.probe = probe, .error = error, .kind = kind};
    struct ws_library_unit *unit = &parts->units[kind];
    if (source->word_count == 0)
        return true;
    if (!ws_module_parse(&work.module, arena, source->words, source->word_count, error))
        return false;
    work.is_id = ws_arena_allocate(arena, source->word_count, sizeof(*work.is_id));
    work.operands = ws_arena_allocate(arena, UINT16_MAX, sizeof(*work.operands));
    work.privates = ws_arena_allocate(arena, PRIVATES_MAX, sizeof(*work.privates));
    work.uses = ws_arena_allocate(arena, work.module.function_count, sizeof(*work.uses));
    work.sizes = ws_arena_allocate(arena, work.module.bound, sizeof(*work.sizes));
    uint32_t *functions = ws_arena_allocate(arena, probe->function_count, sizeof(*functions));
    if (work.is_id == NULL || work.operands == NULL || work.privates == NULL || work.uses == NULL ||
        work.sizes == NULL || functions == NULL)
        return ws_error_set(error, "out of memory for a probe");
    *unit = (struct ws_library_unit){
        .name = names[kind], .words = source->words, .word_count = source->word_count};
    parts->functions[kind] = functions;
    return read_annotations(&work) && check_module(&work) && find_exports(&work, functions) &&
           list_instanced(&work, functions, unit) && list_ids(&work, unit);
}
