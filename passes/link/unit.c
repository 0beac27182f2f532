#include "passes/link/unit.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"

/* ---- variables ---- */

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

static bool add_variable(struct ws_unit_code *code, const struct ws_instruction *instruction,
                         struct ws_error *error)
{
    const struct ws_module *module = &code->module;
    const uint32_t id = ws_operand(module, instruction, 1);
    const uint32_t built_in = find_built_in(module, id);
    if (built_in == WS_NONE || ws_operand(module, instruction, 2) != SpvStorageClassInput ||
        code->variable_count == WS_UNIT_VARIABLES_MAX) {
        return ws_error_set(error, "library variable %" PRIu32 " is no built-in input, or there are too many",
                            id);
    }
    const uint32_t pointer = ws_operand(module, instruction, 0);
    const uint32_t pointee_id = ws_operand(module, ws_module_definition(module, pointer), 2);
    const struct ws_instruction *pointee = ws_module_definition(module, pointee_id);
    uint32_t components = 1;
    if (pointee->opcode == SpvOpTypeVector) {
        components = ws_operand(module, pointee, 2);
        pointee = ws_module_definition(module, ws_operand(module, pointee, 1));
    }
    code->variables[code->variable_count++] =
        (struct ws_unit_variable){.id = id,
                                  .built_in = built_in,
                                  .pointer = pointer,
                                  .pointee = pointee_id,
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
    static const char *const names[] = {"ws_context",  "ws_lane",    "ws_entered",    "ws_stream",
                                        "ws_capacity", "ws_work_id", "ws_work_pixel", "ws_yield_words"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (length == strlen(names[i]) / 4 + 1 &&
            strncmp((const char *)name, names[i], 4 * (size_t)length) == 0)
            return true;
    return false;
}

/* Private variables of the library are known by their names, across units; those of a probe are its own. */
static bool add_private(struct ws_unit_code *code, uint32_t id, struct ws_error *error)
{
    const struct ws_module *module = &code->module;
    const struct ws_instruction *name = code->names[id];
    if (name == NULL || module->entry_point_count != 1 || code->private_count == WS_UNIT_PRIVATES_MAX) {
        return ws_error_set(
            error, "library variable %" PRIu32 " has no name, or there are too many private ones", id);
    }
    struct ws_unit_private *variable = &code->privates[code->private_count++];
    *variable = (struct ws_unit_private){.id = id,
                                         .name = module->words + name->offset + 2,
                                         .name_length = name->length - 2u,
                                         .initializer = find_initializer(module, id)};
    variable->is_own = code->source->owner != 0 && !is_common(variable->name, variable->name_length);
    for (uint32_t i = 0; i < code->source->instanced_count; i++)
        variable->is_instanced |= code->source->instanced[i] == id;
    return true;
}

/* ---- what functions use ---- */

const struct ws_unit_need ws_unit_needs[WS_UNIT_NEED_COUNT] = {
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

uint32_t ws_unit_need(uint32_t capability)
{
    for (uint32_t i = 0; i < WS_UNIT_NEED_COUNT; i++)
        if (ws_unit_needs[i].capability == capability)
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
        return ws_unit_need(width == 64   ? SpvCapabilityInt64
                            : width == 16 ? SpvCapabilityInt16
                            : width == 8  ? SpvCapabilityInt8
                                          : SpvCapabilityShader);
    if (opcode == SpvOpTypeFloat)
        return ws_unit_need(width == 64   ? SpvCapabilityFloat64
                            : width == 16 ? SpvCapabilityFloat16
                                          : SpvCapabilityShader);
    if (opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor) {
        /* The type of the value: that of the result, or of what OpAtomicStore is given. */
        const struct ws_instruction *typed =
            opcode == SpvOpAtomicStore ? ws_module_definition(module, ws_operand(module, instruction, 3))
                                       : instruction;
        const uint32_t type = typed == NULL ? 0 : ws_operand(module, typed, 0);
        return (uses[type].needs & ws_unit_need(SpvCapabilityInt64)) != 0
                   ? ws_unit_need(SpvCapabilityInt64Atomics)
                   : 0;
    }
    if (opcode == 5056) /* OpReadClockKHR */
        return ws_unit_need(SpvCapabilityShaderClockKHR);
    if (opcode >= SpvOpGroupNonUniformAll && opcode <= SpvOpGroupNonUniformAllEqual)
        return ws_unit_need(SpvCapabilityGroupNonUniformVote);
    if (opcode == SpvOpGroupNonUniformShuffle || opcode == SpvOpGroupNonUniformShuffleXor)
        return ws_unit_need(SpvCapabilityGroupNonUniformShuffle);
    if (opcode == SpvOpGroupNonUniformShuffleUp || opcode == SpvOpGroupNonUniformShuffleDown)
        return ws_unit_need(SpvCapabilityGroupNonUniformShuffleRelative);
    if (opcode >= SpvOpGroupNonUniformIAdd && opcode <= SpvOpGroupNonUniformLogicalXor)
        return ws_unit_need(SpvCapabilityGroupNonUniformArithmetic);
    if (opcode == SpvOpGroupNonUniformQuadBroadcast || opcode == SpvOpGroupNonUniformQuadSwap)
        return ws_unit_need(SpvCapabilityGroupNonUniformQuad);
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
static void add_instruction(const struct ws_unit_code *code, const struct ws_instruction *instruction,
                            struct ws_unit_uses *uses)
{
    const struct ws_module *module = &code->module;
    for (uint32_t j = 0; j + 1u < instruction->length; j++) {
        uint32_t id = ws_operand(module, instruction, j);
        if (!code->is_id[instruction->offset + 1 + j] || id >= module->bound)
            continue;
        if (instruction->opcode == SpvOpFunctionCall && j == 2 && code->aliases[id] != 0)
            id = code->aliases[id];
        const uint64_t reads = uses->reads;
        add_uses(uses, &code->uses[id]);
        if (instruction->opcode == SpvOpStore && j == 0)
            uses->reads = reads;
    }
    uses->needs |= needs_of(module, instruction, code->uses);
}

/* Computes what each global uses. Globals stand behind what they name. */
static void find_global_uses(struct ws_unit_code *code)
{
    const struct ws_module *module = &code->module;
    for (uint32_t i = 0; i < code->variable_count; i++)
        code->uses[code->variables[i].id].variables = UINT64_C(1) << i;
    for (uint32_t i = 0; i < code->private_count; i++)
        code->uses[code->privates[i].id] =
            (struct ws_unit_uses){.privates = UINT64_C(1) << i, .reads = UINT64_C(1) << i};
    for (uint32_t i = module->section_ends[WS_SECTION_ANNOTATION];
         i < module->section_ends[WS_SECTION_GLOBAL]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        bool has_type = false;
        bool has_result = false;
        ws_opcode_results(instruction->opcode, &has_type, &has_result);
        if (has_result && ws_opcode_section(instruction->opcode) == WS_SECTION_GLOBAL)
            add_instruction(code, instruction, &code->uses[ws_operand(module, instruction, has_type)]);
    }
}

/* The function of the unit that an instruction calls, by its index; WS_NONE = it calls none. */
static uint32_t find_callee(const struct ws_unit_code *code, const struct ws_instruction *instruction)
{
    const struct ws_module *module = &code->module;
    uint32_t id = instruction->opcode == SpvOpFunctionCall ? ws_operand(module, instruction, 2) : 0;
    if (id == 0 || id >= module->bound)
        return WS_NONE;
    id = code->aliases[id] != 0 ? code->aliases[id] : id;
    return module->definitions[id] != WS_NONE ? ws_module_function(module, module->definitions[id]) : WS_NONE;
}

/* Lists a function and all that it calls, as far as their uses are not found; returns how many these are. */
static uint32_t list_calls(struct ws_unit_code *code, uint32_t function)
{
    const struct ws_module *module = &code->module;
    uint32_t *list = code->listed;
    uint32_t count = 0;
    list[count++] = function;
    code->is_listed[function] = 1;
    for (uint32_t next = 0; next < count; next++) {
        const struct ws_function *caller = &module->functions[list[next]];
        for (uint32_t i = caller->first; i < caller->end; i++) {
            const uint32_t callee = find_callee(code, &module->instructions[i]);
            if (callee == WS_NONE || code->is_listed[callee] || code->found[callee])
                continue;
            list[count++] = callee;
            code->is_listed[callee] = 1;
        }
    }
    return count;
}

/* Callees stand behind callers in the list as a rule, so that walking it backwards finds nearly all at once; the last walk
 * finds nothing new. */
void ws_unit_find_uses(struct ws_unit_code *code, uint32_t function)
{
    const struct ws_module *module = &code->module;
    const uint32_t index = ws_module_function(module, module->definitions[function]);
    if (index == WS_NONE || code->found[index])
        return;
    const uint32_t *list = code->listed;
    const uint32_t count = list_calls(code, index);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t f = count; f-- > 0;) {
            const struct ws_function *walked = &module->functions[list[f]];
            struct ws_unit_uses *uses = &code->uses[walked->id];
            const struct ws_unit_uses before = *uses;
            for (uint32_t i = walked->first; i < walked->end; i++)
                add_instruction(code, &module->instructions[i], uses);
            changed = changed || (count > 1 &&
                                  (before.variables != uses->variables || before.privates != uses->privates ||
                                   before.reads != uses->reads || before.needs != uses->needs));
        }
    }
    for (uint32_t f = 0; f < count; f++) {
        code->found[list[f]] = 1;
        code->is_listed[list[f]] = 0;
    }
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

static uint32_t find_weight(struct ws_unit_code *code, uint32_t function, uint32_t depth)
{
    const struct ws_module *module = &code->module;
    uint32_t weight = 0;
    if (depth == CALLS_DEEP || function >= module->bound || module->definitions[function] == WS_NONE)
        return 0;
    if (code->weights[function] != 0)
        return code->weights[function];
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
            weight += find_weight(code, ws_operand(module, instruction, 2), depth + 1);
        weight = weight < PARTS_MAX ? weight : PARTS_MAX;
    }
    code->weights[function] = weight;
    return weight;
}

uint32_t ws_unit_weight(struct ws_unit_code *code, uint32_t function)
{
    const uint32_t parts = find_weight(code, function, 0);
    return parts <= PARTS_OF_COUNTER ? 1 : (parts + PARTS_OF_COUNTER - 1) / PARTS_OF_COUNTER;
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

static const struct alias aliases[WS_UNIT_ALIASES] = {
    {"_int64(", "_int32", {SpvCapabilityInt64, SpvCapabilityInt64Atomics}},
    {"_shuffle(", "_ballot", {SpvCapabilityGroupNonUniformShuffle, SpvCapabilityShader}},
};

static const char *name_of(const struct ws_unit_code *code, uint32_t function)
{
    const struct ws_instruction *name = code->names[code->module.functions[function].id];
    return name != NULL ? (const char *)(code->module.words + name->offset + 2) : "";
}

/* What calls ws_NAME_int64 calls ws_NAME_int32 where there are no 64-bit atomics, and so on (passes/primitives/yields.glsl).
 * A user's functions may have such names, too, and are left alone. */
static void find_alias(struct ws_unit_code *code, const struct alias *alias)
{
    const struct ws_module *module = &code->module;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const char *text = name_of(code, f);
        const char *end = strncmp(text, "ws_", 3) == 0 ? strstr(text, alias->ending) : NULL;
        const uint32_t type = ws_operand(module, &module->instructions[module->functions[f].first], 3);
        for (uint32_t g = 0; g < module->function_count && end != NULL; g++)
            if (is_named(name_of(code, g), text, (size_t)(end - text), alias->other) &&
                ws_operand(module, &module->instructions[module->functions[g].first], 3) == type)
                code->aliases[module->functions[f].id] = module->functions[g].id;
    }
}

uint32_t ws_unit_lacks(uint32_t granted)
{
    uint32_t lacks = 0;
    for (uint32_t i = 0; i < WS_UNIT_ALIASES; i++) {
        const uint32_t needed = ws_unit_need(aliases[i].needs[0]) | ws_unit_need(aliases[i].needs[1]);
        lacks |= (granted & needed) != needed ? 1u << i : 0;
    }
    return lacks;
}

/* ---- reading a unit ---- */

static bool allocate(struct ws_unit_code *code, struct ws_arena *arena, struct ws_error *error)
{
    struct ws_module *module = &code->module;
    const struct ws_library_unit *source = code->source;
    if (!ws_module_parse(module, arena, source->words, source->word_count, NULL))
        return ws_error_set(error, "the library's unit %s cannot be read", source->name);
    const uint32_t annotations =
        module->section_ends[WS_SECTION_ANNOTATION] - module->section_ends[WS_SECTION_DEBUG_SOURCE];
    code->is_id = ws_arena_allocate(arena, source->word_count, 1);
    code->decorated = ws_arena_allocate(arena, module->bound, 1);
    code->aliases = ws_arena_allocate(arena, module->bound, sizeof(*code->aliases));
    code->uses = ws_arena_allocate(arena, module->bound, sizeof(*code->uses));
    code->found = ws_arena_allocate(arena, module->function_count + 1, 1);
    code->listed = ws_arena_allocate(arena, module->function_count, sizeof(*code->listed));
    code->is_listed = ws_arena_allocate(arena, module->function_count, 1);
    code->names = ws_arena_allocate(arena, module->bound, sizeof(*code->names));
    code->weights = ws_arena_allocate(arena, module->bound, sizeof(*code->weights));
    code->recipes = ws_arena_allocate(arena, module->function_count, sizeof(*code->recipes));
    code->marks = ws_arena_allocate(arena, module->bound, sizeof(*code->marks));
    code->annotation_ends = ws_arena_allocate(arena, module->bound + 1, sizeof(*code->annotation_ends));
    code->annotations = ws_arena_allocate(arena, annotations, sizeof(*code->annotations));
    if (code->names == NULL || code->is_id == NULL || code->decorated == NULL || code->aliases == NULL ||
        code->uses == NULL || code->found == NULL || code->listed == NULL || code->is_listed == NULL ||
        code->weights == NULL || code->recipes == NULL || code->marks == NULL ||
        code->annotation_ends == NULL || code->annotations == NULL)
        return ws_error_set(error, "no memory to link the library's unit %s", source->name);
    return true;
}

/* Sorts the names and decorations by what they are of. Those of one id keep their order. */
static void index_annotations(struct ws_unit_code *code)
{
    const struct ws_module *module = &code->module;
    const uint32_t first = module->section_ends[WS_SECTION_DEBUG_SOURCE];
    const uint32_t end = module->section_ends[WS_SECTION_ANNOTATION];
    uint32_t *ends = code->annotation_ends + 1;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t id = ws_operand(module, &module->instructions[i], 0);
        if (id < module->bound)
            ends[id]++;
    }
    for (uint32_t id = 0, before = 0; id < module->bound; id++) {
        const uint32_t count = ends[id];
        ends[id] = before; /* where its own begin; what fills them moves it to where they end */
        before += count;
    }
    for (uint32_t i = first; i < end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const uint32_t id = ws_operand(module, instruction, 0);
        if (id >= module->bound)
            continue;
        code->annotations[ends[id]++] = i;
        code->decorated[id] |= instruction->opcode == SpvOpDecorate;
        if (instruction->opcode == SpvOpName && code->names[id] == NULL)
            code->names[id] = instruction; /* of several, the first */
    }
}

/* Reads a unit whose functions of the aliases in `lacks` stand for others. NULL after a failure. */
static struct ws_unit_code *read_code(const struct ws_library_unit *source, uint32_t lacks,
                                      struct ws_arena *arena, struct ws_error *error)
{
    struct ws_unit_code *code = ws_arena_allocate(arena, 1, sizeof(*code));
    if (code == NULL) {
        ws_error_set(error, "no memory to link the library's unit %s", source->name);
        return NULL;
    }
    code->source = source;
    if (!allocate(code, arena, error))
        return NULL;
    for (uint32_t i = 0; i < source->id_count; i++)
        code->is_id[source->ids[i]] = 1;
    index_annotations(code);
    const struct ws_module *module = &code->module;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_GLOBAL]; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode != SpvOpVariable)
            continue;
        if (!(ws_operand(module, instruction, 2) == SpvStorageClassPrivate
                  ? add_private(code, ws_operand(module, instruction, 1), error)
                  : add_variable(code, instruction, error)))
            return NULL;
    }
    for (uint32_t i = 0; i < WS_UNIT_ALIASES; i++)
        if ((lacks >> i & 1) != 0)
            find_alias(code, &aliases[i]);
    find_global_uses(code);
    return code;
}

/* ---- units that live as long as the process ---- */

/* Bytes that a unit takes, for each of its words, with what is known of it: about. */
#define BYTES_PER_WORD 24

/* The units of the library, per index and aliases. Each is made by whichever thread needs it first, and then only read. They
 * are never freed: other threads may instrument while the process ends, and what has this code stays loaded. */
static _Atomic(struct ws_unit_code *) shared[WS_UNITS_SHARED][1u << WS_UNIT_ALIASES];

/* Finds what would else be found on first use, so that nothing is written later. False where there is no memory. */
static bool find_all(struct ws_unit_code *code)
{
    bool found = true;
    for (uint32_t i = 0; i < code->module.function_count && found; i++) {
        ws_unit_find_uses(code, code->module.functions[i].id);
        find_weight(code, code->module.functions[i].id, 0);
        found = ws_unit_find_recipe(code, i);
    }
    return found;
}

static struct ws_unit_code *get_shared(const struct ws_library_unit *source,
                                       _Atomic(struct ws_unit_code *) *place, uint32_t lacks,
                                       struct ws_error *error)
{
    struct ws_unit_code *known = atomic_load_explicit(place, memory_order_acquire);
    if (known != NULL)
        return known;
    struct ws_arena *arena = ws_arena_create_for((size_t)source->word_count * BYTES_PER_WORD);
    struct ws_unit_code *code = arena == NULL ? NULL : read_code(source, lacks, arena, error);
    if (code == NULL || !find_all(code)) {
        ws_error_set(error, "no memory to link the library's unit %s", source->name);
        ws_arena_destroy(arena);
        return NULL;
    }
    /* Where two threads made the same one at once, the first counts. */
    if (!atomic_compare_exchange_strong(place, &known, code)) {
        ws_arena_destroy(arena);
        return known;
    }
    return code;
}

struct ws_unit_code *ws_unit_get(const struct ws_library_unit *source, uint32_t index, uint32_t lacks,
                                 struct ws_arena *arena, struct ws_error *error)
{
    if (index < WS_UNITS_SHARED)
        return get_shared(source, &shared[index][lacks], lacks, error);
    return read_code(source, lacks, arena, error);
}
