/* Units of the library, built in or of a probe: reading one on first use, and what its functions use. */
#include <inttypes.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/instrument/link_copy.h"
#include "warpscope/base/arena.h"

static bool has_instruction(const struct ws_editor *editor, enum ws_section section, uint16_t opcode,
                            const uint32_t *operands, uint32_t count)
{
    const struct ws_module *module = editor->module;
    for (uint32_t i = 0; i < module->section_ends[section]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == opcode && instruction->length == count + 1 &&
            memcmp(module->words + instruction->offset + 1, operands, count * sizeof(*operands)) == 0)
            return true;
    }
    const struct ws_words *added = &editor->sections[section];
    for (uint32_t i = 0; i < added->count; i += added->data[i] >> SpvWordCountShift)
        if (added->data[i] == ((count + 1) << SpvWordCountShift | opcode) &&
            memcmp(added->data + i + 1, operands, count * sizeof(*operands)) == 0)
            return true;
    return false;
}

/* Appends a capability or an extension that is not declared yet. */
static void declare(struct ws_editor *editor, enum ws_section section, uint16_t opcode,
                    const uint32_t *operands, uint32_t count)
{
    if (!has_instruction(editor, section, opcode, operands, count))
        ws_editor_append(editor, section, opcode, operands, count);
}

static void declare_capability(struct ws_editor *editor, uint32_t capability)
{
    switch ((SpvCapability)capability) {
    /* What a stage has, the module of that stage has declared, perhaps by the name that SPV_NV_ray_tracing
     * gives it or, of fragment stages, by another that allows the built-in (link.h, ws_link_enter). */
    case SpvCapabilityRayTracingKHR:
    case SpvCapabilityTessellation:
    case SpvCapabilityGeometry:
    case SpvCapabilitySampleRateShading: break;
    default: declare(editor, WS_SECTION_CAPABILITY, SpvOpCapability, &capability, 1); break;
    }
}

static bool text_is(const struct ws_module *module, const struct ws_instruction *instruction,
                    uint32_t operand, const char *text)
{
    const uint32_t length = ws_module_string(module, instruction, operand);
    for (uint32_t i = 0; i < length && i <= strlen(text); i++)
        if ((char)(ws_operand(module, instruction, operand + i / 4) >> (i % 4 * 8) & 0xff) != text[i])
            return false;
    return length == strlen(text);
}

static void declare_extension(struct ws_editor *editor, const struct ws_module *module,
                              const struct ws_instruction *instruction)
{
    const bool is_core =
        editor->version >= 0x00010500 && text_is(module, instruction, 0, "SPV_KHR_physical_storage_buffer");
    if (!is_core && !text_is(module, instruction, 0, "SPV_KHR_ray_tracing")) {
        declare(editor, WS_SECTION_EXTENSION, SpvOpExtension, module->words + instruction->offset + 1,
                instruction->length - 1u);
    }
}

/* The built-in that decorates a variable of the unit; WS_NONE if none does. */
static uint32_t find_built_in(const struct ws_module *module, uint32_t variable)
{
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_ANNOTATION]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpDecorate && ws_operand(module, instruction, 0) == variable &&
            ws_operand(module, instruction, 1) == SpvDecorationBuiltIn)
            return ws_operand(module, instruction, 2);
    }
    return WS_NONE;
}

static bool add_unit_variable(struct ws_editor *editor, struct ws_unit *unit,
                              const struct ws_instruction *instruction)
{
    const struct ws_module *module = &unit->module;
    const uint32_t id = ws_operand(module, instruction, 1);
    const uint32_t built_in = find_built_in(module, id);
    if (built_in == WS_NONE || ws_operand(module, instruction, 2) != SpvStorageClassInput ||
        unit->variable_count == WS_UNIT_VARIABLES_MAX) {
        return ws_editor_fail(editor,
                              "library variable %" PRIu32 " is no built-in input, or there are too many", id);
    }
    const uint32_t pointer = ws_operand(module, instruction, 0);
    const uint32_t pointee_id = ws_operand(module, ws_module_definition(module, pointer), 2);
    const struct ws_instruction *pointee = ws_module_definition(module, pointee_id);
    uint32_t components = 1;
    if (pointee->opcode == SpvOpTypeVector) {
        components = ws_operand(module, pointee, 2);
        pointee = ws_module_definition(module, ws_operand(module, pointee, 1));
    }
    unit->variables[unit->variable_count++] =
        (struct ws_variable){.id = id,
                             .built_in = built_in,
                             .type = ws_link_resolve(editor, unit, pointer),
                             .pointee = ws_link_resolve(editor, unit, pointee_id),
                             .integers = pointee->opcode == SpvOpTypeInt ? components : 0};
    return true;
}

/* The constant that a variable begins with: its own initializer, or what the unit's main function stores to it, which is
 * how glslang writes the initializer of a global; 0 if none. */
static uint32_t find_initializer(const struct ws_module *module, uint32_t variable)
{
    const uint32_t own = ws_operand(module, ws_module_definition(module, variable), 3);
    if (own != 0)
        return own;
    const struct ws_function *main = &module->functions[module->entry_points[0].function];
    for (uint32_t i = main->first; i < main->end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpStore && ws_operand(module, instruction, 0) == variable)
            return ws_operand(module, instruction, 1);
    }
    return 0;
}

/* Variables of the library that have one meaning in all units, those of probes too. */
static bool is_common(const uint32_t *name, uint32_t length)
{
    static const char *const names[] = {"ws_context", "ws_lane",       "ws_entered",
                                        "ws_work_id", "ws_work_pixel", "ws_yield_words"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (length == strlen(names[i]) / 4 + 1 &&
            strncmp((const char *)name, names[i], 4 * (size_t)length) == 0)
            return true;
    return false;
}

uint32_t ws_link_get_private(struct ws_editor *editor, const struct ws_private *wanted)
{
    struct ws_linker *linker = editor->linker;
    for (uint32_t i = 0; i < linker->private_count; i++) {
        const struct ws_private *known = &linker->privates[i];
        if (known->owner == wanted->owner && known->instance == wanted->instance &&
            known->name_length == wanted->name_length &&
            memcmp(known->name, wanted->name, 4 * (size_t)wanted->name_length) == 0)
            return i;
    }
    if (linker->private_count == WS_PRIVATES_MAX)
        return WS_NONE;
    struct ws_private *privates = ws_arena_grow(editor->arena, linker->privates, linker->private_count,
                                                &linker->private_capacity, sizeof(*privates));
    if (privates == NULL) {
        ws_editor_fail(editor, "no memory for the variables of the library");
        return WS_NONE;
    }
    linker->privates = privates;
    privates[linker->private_count] = *wanted;
    return linker->private_count++;
}

/* Private variables of the library are known by their names, across units; those of a probe are its own. */
static bool add_unit_private(struct ws_editor *editor, struct ws_unit *unit, uint32_t id)
{
    const struct ws_module *module = &unit->module;
    const struct ws_instruction *name = unit->names[id];
    if (name == NULL || module->entry_point_count != 1 || unit->private_count == WS_UNIT_PRIVATES_MAX) {
        return ws_editor_fail(
            editor, "library variable %" PRIu32 " has no name, or there are too many private ones", id);
    }
    struct ws_unit_private *variable = &unit->privates[unit->private_count++];
    *variable = (struct ws_unit_private){.id = id,
                                         .name = module->words + name->offset + 2,
                                         .name_length = name->length - 2u,
                                         .initializer = find_initializer(module, id)};
    variable->is_own = unit->source->owner != 0 && !is_common(variable->name, variable->name_length);
    for (uint32_t i = 0; i < unit->source->instanced_count; i++)
        variable->is_instanced |= unit->source->instanced[i] == id;
    return true;
}

static bool allocate_unit(struct ws_editor *editor, struct ws_unit *unit)
{
    struct ws_module *module = &unit->module;
    const struct ws_library_unit *source = unit->source;
    if (!ws_module_parse(module, editor->arena, source->words, source->word_count, NULL))
        return ws_editor_fail(editor, "the library's unit %s cannot be read", source->name);
    unit->is_id = ws_arena_allocate(editor->arena, source->word_count, 1);
    unit->decorated = ws_arena_allocate(editor->arena, module->bound, 1);
    unit->map = ws_arena_allocate(editor->arena, module->bound, sizeof(*unit->map));
    unit->aliases = ws_arena_allocate(editor->arena, module->bound, sizeof(*unit->aliases));
    unit->uses = ws_arena_allocate(editor->arena, module->bound, sizeof(*unit->uses));
    unit->found = ws_arena_allocate(editor->arena, module->function_count + 1, 1);
    unit->names = ws_arena_allocate(editor->arena, module->bound, sizeof(*unit->names));
    unit->weights = ws_arena_allocate(editor->arena, module->bound, sizeof(*unit->weights));
    if (unit->names == NULL || unit->is_id == NULL || unit->decorated == NULL || unit->map == NULL ||
        unit->aliases == NULL || unit->uses == NULL || unit->found == NULL || unit->weights == NULL)
        return ws_editor_fail(editor, "no memory to link the library's unit %s", source->name);
    for (uint32_t i = 0; i < source->id_count; i++)
        unit->is_id[source->ids[i]] = 1;
    for (uint32_t i = module->section_ends[WS_SECTION_ANNOTATION]; i-- > 0;) {
        const struct ws_instruction *name = &module->instructions[i];
        if (name->opcode == SpvOpName && ws_operand(module, name, 0) < module->bound)
            unit->names[ws_operand(module, name, 0)] = name; /* of several, the first */
    }
    return true;
}

/* ---- what functions use ---- */

/* A capability that only some functions of a unit need. What they need is declared where they are linked. */
struct optional {
    uint32_t capability;
    const char *extension; /* which goes with it; NULL = none */
    const char *reason;    /* why a function cannot be linked without it */
};

static const struct optional optionals[] = {
    {SpvCapabilityInt64, NULL, "the device has no 64-bit integers"},
    {SpvCapabilityFloat64, NULL, "the device has no 64-bit floats"},
    {SpvCapabilityInt16, NULL, "the device has no 16-bit integers"},
    {SpvCapabilityFloat16, NULL, "the device has no 16-bit floats"},
    {SpvCapabilityInt8, NULL, "the device has no 8-bit integers"},
    {SpvCapabilityInt64Atomics, NULL, "the device has no 64-bit atomics"},
    {SpvCapabilityShaderClockKHR, "SPV_KHR_shader_clock", "the device has no shader clock"},
    {SpvCapabilityGroupNonUniformVote, NULL, "the device has no subgroup votes"},
    {SpvCapabilityGroupNonUniformArithmetic, NULL, "the device has no subgroup arithmetic"},
    {SpvCapabilityGroupNonUniformShuffle, NULL, "the device has no subgroup shuffles"},
    {SpvCapabilityGroupNonUniformShuffleRelative, NULL, "the device has no relative subgroup shuffles"},
    {SpvCapabilityGroupNonUniformQuad, NULL, "the device has no subgroup quads"},
};

#define OPTIONAL_COUNT (sizeof(optionals) / sizeof(optionals[0]))

static uint32_t find_optional(uint32_t capability)
{
    for (uint32_t i = 0; i < OPTIONAL_COUNT; i++)
        if (optionals[i].capability == capability)
            return 1u << i;
    return 0;
}

/* What an instruction needs beyond what the types of its ids need. */
static uint32_t needs_of(const struct ws_module *module, const struct ws_instruction *instruction,
                         const struct ws_unit_uses *uses)
{
    const uint32_t width = ws_operand(module, instruction, 1);
    const uint32_t opcode = instruction->opcode;
    if (opcode == SpvOpTypeInt)
        return find_optional(width == 64   ? SpvCapabilityInt64
                             : width == 16 ? SpvCapabilityInt16
                             : width == 8  ? SpvCapabilityInt8
                                           : SpvCapabilityShader);
    if (opcode == SpvOpTypeFloat)
        return find_optional(width == 64   ? SpvCapabilityFloat64
                             : width == 16 ? SpvCapabilityFloat16
                                           : SpvCapabilityShader);
    if (opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor) {
        /* The type of the value: that of the result, or of what OpAtomicStore is given. */
        const struct ws_instruction *typed =
            opcode == SpvOpAtomicStore ? ws_module_definition(module, ws_operand(module, instruction, 3))
                                       : instruction;
        const uint32_t type = typed == NULL ? 0 : ws_operand(module, typed, 0);
        return (uses[type].needs & find_optional(SpvCapabilityInt64)) != 0
                   ? find_optional(SpvCapabilityInt64Atomics)
                   : 0;
    }
    if (opcode == 5056) /* OpReadClockKHR */
        return find_optional(SpvCapabilityShaderClockKHR);
    if (opcode >= SpvOpGroupNonUniformAll && opcode <= SpvOpGroupNonUniformAllEqual)
        return find_optional(SpvCapabilityGroupNonUniformVote);
    if (opcode == SpvOpGroupNonUniformShuffle || opcode == SpvOpGroupNonUniformShuffleXor)
        return find_optional(SpvCapabilityGroupNonUniformShuffle);
    if (opcode == SpvOpGroupNonUniformShuffleUp || opcode == SpvOpGroupNonUniformShuffleDown)
        return find_optional(SpvCapabilityGroupNonUniformShuffleRelative);
    if (opcode >= SpvOpGroupNonUniformIAdd && opcode <= SpvOpGroupNonUniformLogicalXor)
        return find_optional(SpvCapabilityGroupNonUniformArithmetic);
    if (opcode == SpvOpGroupNonUniformQuadBroadcast || opcode == SpvOpGroupNonUniformQuadSwap)
        return find_optional(SpvCapabilityGroupNonUniformQuad);
    return 0;
}

static void add_uses(struct ws_unit_uses *to, const struct ws_unit_uses *from)
{
    to->variables |= from->variables;
    to->privates |= from->privates;
    to->reads |= from->reads;
    to->needs |= from->needs;
}

/* Adds to `uses` what an instruction uses by itself and by the ids that it names. Result ids name themselves. */
static void add_instruction(const struct ws_unit *unit, const struct ws_instruction *instruction,
                            struct ws_unit_uses *uses)
{
    const struct ws_module *module = &unit->module;
    for (uint32_t j = 0; j + 1u < instruction->length; j++) {
        uint32_t id = ws_operand(module, instruction, j);
        if (!unit->is_id[instruction->offset + 1 + j] || id >= module->bound)
            continue;
        if (instruction->opcode == SpvOpFunctionCall && j == 2 && unit->aliases[id] != 0)
            id = unit->aliases[id];
        const uint64_t reads = uses->reads;
        add_uses(uses, &unit->uses[id]);
        if (instruction->opcode == SpvOpStore && j == 0)
            uses->reads = reads;
    }
    uses->needs |= needs_of(module, instruction, unit->uses);
}

/* Computes what each global uses. Globals stand behind what they name. */
static void find_global_uses(struct ws_unit *unit)
{
    const struct ws_module *module = &unit->module;
    for (uint32_t i = 0; i < unit->variable_count; i++)
        unit->uses[unit->variables[i].id].variables = UINT64_C(1) << i;
    for (uint32_t i = 0; i < unit->private_count; i++)
        unit->uses[unit->privates[i].id] =
            (struct ws_unit_uses){.privates = UINT64_C(1) << i, .reads = UINT64_C(1) << i};
    for (uint32_t i = module->section_ends[WS_SECTION_ANNOTATION];
         i < module->section_ends[WS_SECTION_GLOBAL]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        bool has_type = false;
        bool has_result = false;
        ws_opcode_results(instruction->opcode, &has_type, &has_result);
        if (has_result && ws_opcode_section(instruction->opcode) == WS_SECTION_GLOBAL)
            add_instruction(unit, instruction, &unit->uses[ws_operand(module, instruction, has_type)]);
    }
}

/* The function of the unit that an instruction calls, by its index; WS_NONE = it calls none. */
static uint32_t find_callee(const struct ws_unit *unit, const struct ws_instruction *instruction)
{
    const struct ws_module *module = &unit->module;
    uint32_t id = instruction->opcode == SpvOpFunctionCall ? ws_operand(module, instruction, 2) : 0;
    if (id == 0 || id >= module->bound)
        return WS_NONE;
    id = unit->aliases[id] != 0 ? unit->aliases[id] : id;
    return module->definitions[id] != WS_NONE ? ws_module_function(module, module->definitions[id]) : WS_NONE;
}

/* Lists a function and all that it calls, as far as their uses are not found; returns how many these are. `listed` has a
 * zero for each function. */
static uint32_t list_calls(const struct ws_unit *unit, uint32_t function, uint32_t *list, uint8_t *listed)
{
    const struct ws_module *module = &unit->module;
    uint32_t count = 0;
    list[count++] = function;
    listed[function] = 1;
    for (uint32_t next = 0; next < count; next++) {
        const struct ws_function *caller = &module->functions[list[next]];
        for (uint32_t i = caller->first; i < caller->end; i++) {
            const uint32_t callee = find_callee(unit, &module->instructions[i]);
            if (callee == WS_NONE || listed[callee] || unit->found[callee])
                continue;
            list[count++] = callee;
            listed[callee] = 1;
        }
    }
    return count;
}

/* Only what is linked is looked at: a module links few of a unit's functions. Callees stand behind callers in the list as
 * a rule, so that walking it backwards finds nearly all at once; the last walk finds nothing new. */
bool ws_link_find_uses(struct ws_editor *editor, struct ws_unit *unit, uint32_t function)
{
    const struct ws_module *module = &unit->module;
    const uint32_t index = ws_module_function(module, module->definitions[function]);
    if (index == WS_NONE || unit->found[index])
        return true;
    uint32_t *list = ws_arena_allocate(editor->arena, module->function_count, sizeof(*list));
    uint8_t *listed = ws_arena_allocate(editor->arena, module->function_count, 1);
    if (list == NULL || listed == NULL)
        return ws_editor_fail(editor, "no memory to link the library's unit %s", unit->source->name);
    const uint32_t count = list_calls(unit, index, list, listed);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t f = count; f-- > 0;) {
            const struct ws_function *walked = &module->functions[list[f]];
            struct ws_unit_uses *uses = &unit->uses[walked->id];
            const struct ws_unit_uses before = *uses;
            for (uint32_t i = walked->first; i < walked->end; i++)
                add_instruction(unit, &module->instructions[i], uses);
            changed = changed || (count > 1 &&
                                  (before.variables != uses->variables || before.privates != uses->privates ||
                                   before.reads != uses->reads || before.needs != uses->needs));
        }
    }
    for (uint32_t f = 0; f < count; f++)
        unit->found[list[f]] = 1;
    return true;
}

/* ---- what functions cost ---- */

/* Parts of a weight: a driver for a processor makes some blocks of each subgroup operation and atomic, since it does one
 * lane after the other. The counter's primitive has PARTS_OF_COUNTER. */
#define PARTS_OF_BLOCK    1
#define PARTS_OF_SUBGROUP 2
#define PARTS_OF_ATOMIC   5
#define PARTS_OF_COUNTER  12
#define PARTS_MAX         (1u << 20)
#define CALLS_DEEP        32 /* in each other; what is deeper costs nothing */

static uint32_t find_weight(struct ws_unit *unit, uint32_t function, uint32_t depth)
{
    const struct ws_module *module = &unit->module;
    uint32_t weight = 0;
    if (depth == CALLS_DEEP || function >= module->bound || module->definitions[function] == WS_NONE)
        return 0;
    if (unit->weights[function] != 0)
        return unit->weights[function];
    const uint32_t index = ws_module_function(module, module->definitions[function]);
    if (index == WS_NONE)
        return 0;
    for (uint32_t i = module->functions[index].first; i < module->functions[index].end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpLabel)
            weight += PARTS_OF_BLOCK;
        else if (instruction->opcode >= SpvOpAtomicLoad && instruction->opcode <= SpvOpAtomicXor)
            weight += PARTS_OF_ATOMIC;
        else if (instruction->opcode >= SpvOpGroupNonUniformElect &&
                 instruction->opcode <= SpvOpGroupNonUniformQuadSwap)
            weight += PARTS_OF_SUBGROUP;
        else if (instruction->opcode == SpvOpFunctionCall)
            weight += find_weight(unit, ws_operand(module, instruction, 2), depth + 1);
        weight = weight < PARTS_MAX ? weight : PARTS_MAX;
    }
    unit->weights[function] = weight;
    return weight;
}

uint32_t ws_link_weight(struct ws_editor *editor, uint32_t unit, uint32_t function)
{
    struct ws_linker *linker = ws_linker_get(editor);
    if (linker == NULL || unit >= linker->unit_count || !ws_link_prepare_unit(editor, linker->units[unit]))
        return 1;
    const uint32_t parts = find_weight(linker->units[unit], function, 0);
    return parts <= PARTS_OF_COUNTER ? 1 : (parts + PARTS_OF_COUNTER - 1) / PARTS_OF_COUNTER;
}

/* Whether a variable is state of its probe, and not one that holds parameters. */
static bool is_state(const struct ws_unit_private *private)
{
    return private->is_own && strncmp((const char *)private->name, "ws_", 3) != 0;
}

/* Whether a parameter of a function is at most stored, to variables that nothing reads which the function calls. */
static bool is_ignored(const struct ws_unit *unit, const struct ws_function *function, uint32_t parameter)
{
    const struct ws_module *module = &unit->module;
    const uint64_t reads = unit->uses[function->id].reads;
    uint32_t id = 0;
    for (uint32_t i = function->first; i < function->end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpFunctionParameter && parameter-- == 0)
            id = ws_operand(module, instruction, 1);
        for (uint32_t j = 0; id != 0 && j + 1u < instruction->length; j++) {
            if (instruction->opcode == SpvOpFunctionParameter || ws_operand(module, instruction, j) != id ||
                !unit->is_id[instruction->offset + 1 + j])
                continue;
            const uint32_t to = ws_operand(module, instruction, 0);
            if (instruction->opcode != SpvOpStore || j != 1 || to >= module->bound ||
                unit->uses[to].privates == 0 || (unit->uses[to].privates & reads) != 0)
                return false;
        }
    }
    return id != 0;
}

bool ws_link_is_stateless(struct ws_editor *editor, uint32_t unit, uint32_t function)
{
    struct ws_linker *linker = ws_linker_get(editor);
    if (linker == NULL || unit >= linker->unit_count || !ws_link_prepare_unit(editor, linker->units[unit]) ||
        !ws_link_find_uses(editor, linker->units[unit], function))
        return false;
    const struct ws_unit *made = linker->units[unit];
    const struct ws_unit_uses *uses = &made->uses[function];
    for (uint32_t i = 0; i < made->private_count; i++)
        if ((uses->privates >> i & 1) != 0 && is_state(&made->privates[i]))
            return false;
    return (uses->needs & find_optional(SpvCapabilityShaderClockKHR)) == 0;
}

bool ws_link_ignores(struct ws_editor *editor, uint32_t unit, uint32_t function, uint32_t parameter)
{
    struct ws_linker *linker = ws_linker_get(editor);
    if (linker == NULL || unit >= linker->unit_count || !ws_link_prepare_unit(editor, linker->units[unit]) ||
        !ws_link_find_uses(editor, linker->units[unit], function))
        return false;
    const struct ws_module *module = &linker->units[unit]->module;
    for (uint32_t i = 0; i < module->function_count; i++)
        if (module->functions[i].id == function)
            return is_ignored(linker->units[unit], &module->functions[i], parameter);
    return false;
}

const char *ws_link_refuse(const struct ws_editor *editor, const struct ws_unit *unit, uint32_t function)
{
    const uint32_t missing = unit->uses[function].needs & ~editor->linker->granted;
    for (uint32_t i = 0; i < OPTIONAL_COUNT; i++)
        if ((missing >> i & 1) != 0)
            return optionals[i].reason;
    return NULL;
}

void ws_link_declare_needs(struct ws_editor *editor, uint32_t needs)
{
    for (uint32_t i = 0; i < OPTIONAL_COUNT; i++) {
        if ((needs >> i & 1) == 0)
            continue;
        declare_capability(editor, optionals[i].capability);
        if (optionals[i].extension != NULL) {
            struct ws_words name = {0};
            ws_words_add_string(editor, &name, optionals[i].extension);
            declare(editor, WS_SECTION_EXTENSION, SpvOpExtension, name.data, name.count);
        }
    }
}

void ws_link_grant(struct ws_editor *editor, uint32_t capability)
{
    if (ws_linker_get(editor) != NULL)
        editor->linker->granted |= find_optional(capability);
}

/* ---- functions that stand for others ---- */

/* Whether `name` is `stem` of `length` bytes and then `ending`, up to glslang's signature. */
static bool is_named(const char *text, const char *stem, size_t length, const char *ending)
{
    const size_t rest = strlen(ending);
    return strncmp(text, stem, length) == 0 && strncmp(text + length, ending, rest) == 0 &&
           text[length + rest] == '(';
}

/* A function of this ending is called by the other's name where the device lacks what it needs. */
struct alias {
    const char *ending;
    const char *other;
    uint32_t needs[2]; /* capabilities; the second may be that of all shaders */
};

static const struct alias aliases[] = {
    {"_int64(", "_int32", {SpvCapabilityInt64, SpvCapabilityInt64Atomics}},
    {"_shuffle(", "_ballot", {SpvCapabilityGroupNonUniformShuffle, SpvCapabilityShader}},
};

static const char *name_of(const struct ws_unit *unit, uint32_t function)
{
    const struct ws_instruction *name = unit->names[unit->module.functions[function].id];
    return name != NULL ? (const char *)(unit->module.words + name->offset + 2) : "";
}

/* What calls ws_NAME_int64 calls ws_NAME_int32 where there are no 64-bit atomics, and so on (passes/primitives/yields.glsl).
 * A user's functions may have such names, too, and are left alone. */
static void find_alias(struct ws_unit *unit, const struct alias *alias)
{
    const struct ws_module *module = &unit->module;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const char *text = name_of(unit, f);
        const char *end = strncmp(text, "ws_", 3) == 0 ? strstr(text, alias->ending) : NULL;
        const uint32_t type = ws_operand(module, &module->instructions[module->functions[f].first], 3);
        for (uint32_t g = 0; g < module->function_count && end != NULL; g++)
            if (is_named(name_of(unit, g), text, (size_t)(end - text), alias->other) &&
                ws_operand(module, &module->instructions[module->functions[g].first], 3) == type)
                unit->aliases[module->functions[f].id] = module->functions[g].id;
    }
}

static void find_aliases(struct ws_editor *editor, struct ws_unit *unit)
{
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        const uint32_t needed = find_optional(aliases[i].needs[0]) | find_optional(aliases[i].needs[1]);
        if ((editor->linker->granted & needed) != needed)
            find_alias(unit, &aliases[i]);
    }
}

/* Raises what the module must declare for the unit: of a probe's, what only some functions need is declared with these. */
static void declare_unit(struct ws_editor *editor, const struct ws_unit *unit,
                         const struct ws_instruction *instruction)
{
    const struct ws_module *module = &unit->module;
    const bool is_probe = unit->source->owner != 0;
    if (instruction->opcode == SpvOpCapability) {
        const uint32_t capability = ws_operand(module, instruction, 0);
        if (!is_probe || find_optional(capability) == 0)
            declare_capability(editor, capability);
    } else if (instruction->opcode == SpvOpExtension) {
        for (uint32_t i = 0; i < OPTIONAL_COUNT && is_probe; i++)
            if (optionals[i].extension != NULL && text_is(module, instruction, 0, optionals[i].extension))
                return;
        declare_extension(editor, module, instruction);
    }
}

bool ws_link_prepare_unit(struct ws_editor *editor, struct ws_unit *unit)
{
    if (unit->prepared || editor->failed)
        return !editor->failed;
    unit->prepared = true;
    if (!allocate_unit(editor, unit))
        return false;
    /* The storage class PhysicalStorageBuffer and bit casts to it are of 1.3 with the extension; so are the
     * subgroup operations. Existing code stays valid: nothing is removed before 1.4. */
    ws_editor_raise_version(editor, 0x00010300);
    const struct ws_module *module = &unit->module;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_GLOBAL]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        switch ((SpvOp)instruction->opcode) {
        case SpvOpCapability:
        case SpvOpExtension: declare_unit(editor, unit, instruction); break;
        case SpvOpDecorate: unit->decorated[ws_operand(module, instruction, 0)] = 1; break;
        case SpvOpVariable:
            if (!(ws_operand(module, instruction, 2) == SpvStorageClassPrivate
                      ? add_unit_private(editor, unit, ws_operand(module, instruction, 1))
                      : add_unit_variable(editor, unit, instruction)))
                return false;
            break;
        default: break;
        }
    }
    find_aliases(editor, unit);
    find_global_uses(unit);
    return !editor->failed;
}
