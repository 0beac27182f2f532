/* Words for data records: values of the module as 32-bit unsigned integers, results of primitives, payloads, the
 * attributes of a hit. */
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/link/library.h"
#include "passes/spirv/types.h"
#include "warpscope/spirv/payloads.h"

_Static_assert(WS_PAYLOAD_WORDS_MAX == WS_DATA_WORDS_MAX, "a record has all words of a payload");

#define DEPTH_MAX 8 /* of composites in each other; SPIR-V allows 255, shaders have two or three */

#define LOOKS_MAX                                                                                            \
    4096 /* at types of members: structs in each other may have any number, in a short module too */

/* The words that a value is taken apart into. */
struct words {
    struct ws_visit *visit;
    uint32_t *ids;
    uint32_t count;
    uint32_t capacity;
    uint32_t looks;
};

static uint32_t emit(struct words *words, SpvOp opcode, uint32_t type, const uint32_t *operands,
                     uint32_t count)
{
    return ws_emit(words->visit->runner->editor, words->visit->cursor, (uint16_t)opcode, type, operands,
                   count);
}

static uint32_t number_type(struct words *words, SpvOp opcode, const uint32_t *operands, uint32_t count)
{
    return ws_global_find(words->visit->runner->editor, (uint16_t)opcode, 0, operands, count);
}

/* A constant number or boolean as a word that is a constant too, which no record has (ws_visit_record_data); 0 where the value
 * is none, or is converted, from another width. Specialization constants are none. */
static uint32_t constant_word(struct ws_editor *editor, const struct ws_instruction *type, uint32_t value)
{
    const struct ws_instruction *definition = ws_module_definition(editor->module, value);
    const bool is_float = type->opcode == SpvOpTypeFloat && type->length == 3;
    const bool is_number = type->opcode == SpvOpTypeInt || is_float;
    if (definition == NULL || (!is_number && type->opcode != SpvOpTypeBool))
        return 0;
    switch ((SpvOp)definition->opcode) {
    case SpvOpConstant:
        return is_number && ws_operand(editor->module, type, 1) == 32 && definition->length > 3
                   ? ws_constant_u32(editor, ws_operand(editor->module, definition, 2))
                   : 0;
    case SpvOpConstantTrue: return ws_constant_u32(editor, 1);
    case SpvOpConstantFalse:
    case SpvOpConstantNull: return ws_constant_u32(editor, 0);
    default: return 0;
    }
}

/* A number or boolean of type `type` as a word; 0 where it is none. */
static uint32_t scalar_word(struct words *words, const struct ws_instruction *type, uint32_t value)
{
    struct ws_editor *editor = words->visit->runner->editor;
    const uint32_t constant = constant_word(editor, type, value);
    if (constant != 0)
        return constant;
    const uint32_t u32 = ws_type_u32(editor);
    const uint32_t width = ws_operand(editor->module, type, 1);
    const uint32_t second = ws_operand(editor->module, type, 2);
    if (type->opcode == SpvOpTypeBool) {
        const uint32_t operands[] = {value, ws_constant_u32(editor, 1), ws_constant_u32(editor, 0)};
        return emit(words, SpvOpSelect, u32, operands, 3);
    }
    if (type->opcode == SpvOpTypeInt && width == 32)
        return second == 0 ? value : emit(words, SpvOpBitcast, u32, &value, 1);
    if (type->opcode == SpvOpTypeInt)
        return emit(words, second == 0 ? SpvOpUConvert : SpvOpSConvert, u32, &value, 1);
    if (type->opcode == SpvOpTypeFloat && type->length == 3) { /* longer: not in the encoding of IEEE */
        if (width != 32) {
            value = emit(words, SpvOpFConvert, number_type(words, SpvOpTypeFloat, (const uint32_t[]){32}, 1),
                         &value, 1);
        }
        return emit(words, SpvOpBitcast, u32, &value, 1);
    }
    return 0;
}

/* How many parts a composite type has, and the type of part `index`; 0 where it has none, or their number is
 * not known. */
static uint32_t count_parts(const struct ws_module *module, const struct ws_instruction *type)
{
    const struct ws_instruction *length = NULL;
    switch ((SpvOp)type->opcode) {
    case SpvOpTypeVector:
    case SpvOpTypeMatrix: return ws_operand(module, type, 2);
    case SpvOpTypeStruct: return type->length - 2u;
    case SpvOpTypeArray:
        length = ws_module_definition(module, ws_operand(module, type, 2));
        return length != NULL && length->opcode == SpvOpConstant ? ws_operand(module, length, 2) : 0;
    default: return 0;
    }
}

static uint32_t part_type(const struct ws_module *module, const struct ws_instruction *type, uint32_t index)
{
    return ws_operand(module, type, type->opcode == SpvOpTypeStruct ? 1 + index : 1);
}

/* Whether the type has numbers of 8 or 16 bits of which the module may do no more than load, store and convert them, such as
 * half floats with StorageBuffer16BitAccess and without Float16. No part that has such may be taken out of a composite. */
static bool is_limited(struct words *words, const struct ws_instruction *type, uint32_t depth)
{
    const struct ws_module *module = words->visit->runner->module;
    if (type == NULL || depth == DEPTH_MAX || ++words->looks > LOOKS_MAX)
        return true;
    if (type->opcode == SpvOpTypeInt || type->opcode == SpvOpTypeFloat) {
        const uint32_t width = ws_operand(module, type, 1);
        const SpvCapability capability = type->opcode == SpvOpTypeFloat ? SpvCapabilityFloat16
                                         : width == 8                   ? SpvCapabilityInt8
                                                                        : SpvCapabilityInt16;
        return width < 32 && !ws_visit_has_capability(words->visit, capability);
    }
    const uint32_t members = type->opcode == SpvOpTypeStruct ? type->length - 2u : 1;
    const bool has_parts = count_parts(module, type) > 0;
    bool limited = false;
    for (uint32_t i = 0; has_parts && i < members && !limited; i++)
        limited = is_limited(words, ws_module_definition(module, part_type(module, type, i)), depth + 1);
    return limited;
}

/* The same for a vector of numbers that are limited: it is converted as a whole. */
static bool add_limited_vector(struct words *words, const struct ws_instruction *type, uint32_t value)
{
    const struct ws_module *module = words->visit->runner->module;
    const struct ws_instruction *part = ws_module_definition(module, part_type(module, type, 0));
    const uint32_t u32 = ws_type_u32(words->visit->runner->editor);
    const uint32_t count = ws_operand(module, type, 2);
    if (part == NULL) /* a module that is not valid */
        return false;
    const uint32_t integers = number_type(words, SpvOpTypeVector, (const uint32_t[]){u32, count}, 2);
    if (part->opcode == SpvOpTypeFloat && part->length == 3) { /* longer: not in the encoding of IEEE */
        const uint32_t f32 = number_type(words, SpvOpTypeFloat, (const uint32_t[]){32}, 1);
        const uint32_t floats = number_type(words, SpvOpTypeVector, (const uint32_t[]){f32, count}, 2);
        value = emit(words, SpvOpFConvert, floats, &value, 1);
        value = emit(words, SpvOpBitcast, integers, &value, 1);
    } else if (part->opcode == SpvOpTypeInt) {
        const SpvOp convert = ws_operand(module, part, 2) == 0 ? SpvOpUConvert : SpvOpSConvert;
        value = emit(words, convert, integers, &value, 1);
    } else {
        return false;
    }
    for (uint32_t i = 0; i < count && words->count < words->capacity; i++) {
        const uint32_t operands[] = {value, i};
        words->ids[words->count++] = emit(words, SpvOpCompositeExtract, u32, operands, 2);
    }
    return true;
}

/* Part `index`, of type `part`, of a composite. */
static uint32_t take_part(struct words *words, uint32_t part, uint32_t value, uint32_t index)
{
    const struct ws_module *module = words->visit->runner->module;
    const struct ws_instruction *definition = ws_module_definition(module, value);
    const uint32_t operands[] = {value, index};
    if (definition != NULL && definition->opcode == SpvOpConstantNull)
        return value; /* so are its parts */
    if (definition != NULL && definition->opcode == SpvOpConstantComposite && index + 3u < definition->length)
        return ws_operand(module, definition, 2 + index);
    return emit(words, SpvOpCompositeExtract, part, operands, 2);
}

/* False where it comes to something without words. */
static bool add_words(struct words *words, const struct ws_instruction *type, uint32_t value, uint32_t depth)
{
    const struct ws_module *module = words->visit->runner->module;
    if (type == NULL || depth == DEPTH_MAX)
        return false;
    const uint32_t part_count = count_parts(module, type);
    if (part_count > 0 && is_limited(words, type, depth))
        return type->opcode == SpvOpTypeVector && add_limited_vector(words, type, value);
    for (uint32_t i = 0; i < part_count && words->count < words->capacity; i++) {
        const uint32_t part = part_type(module, type, i);
        const uint32_t id = take_part(words, part, value, i);
        if (id == 0 || !add_words(words, ws_module_definition(module, part), id, depth + 1))
            return false;
    }
    if (part_count == 0) {
        const uint32_t word = scalar_word(words, type, value);
        if (word == 0)
            return false;
        words->ids[words->count++] = word;
    }
    return true;
}

static uint32_t words_of(struct ws_visit *visit, uint32_t type, uint32_t value, uint32_t *ids,
                         uint32_t capacity)
{
    struct words words = {.visit = visit, .ids = ids, .capacity = capacity};
    if (capacity != 0 && visit->cursor.instruction != WS_NONE)
        add_words(&words, ws_module_definition(visit->runner->module, type), value, 0);
    return words.count;
}

uint32_t ws_visit_words(struct ws_visit *visit, uint32_t value, uint32_t *words, uint32_t capacity)
{
    const struct ws_instruction *definition = ws_module_definition(visit->runner->module, value);
    bool has_type = false;
    bool has_result = false;
    if (definition != NULL)
        ws_opcode_results(definition->opcode, &has_type, &has_result);
    if (visit->instruction != WS_NONE && visit->cursor.instruction != WS_NONE)
        ws_runner_hand(visit, visit->instruction);
    return has_type ? words_of(visit, ws_operand(visit->runner->module, definition, 0),
                               ws_runner_handed(visit->runner, value), words, capacity)
                    : 0;
}

/* Loads one number alone: a payload may be large, and only its first numbers are recorded. The load is volatile: else a
 * compiler would take the number that was stored there before, which would be one more use of it (handed.c). */
static uint32_t load_word(struct words *words, const struct ws_payload *payload,
                          const struct ws_payload_word *word)
{
    struct ws_editor *editor = words->visit->runner->editor;
    const uint32_t pointer[] = {payload->storage, word->type};
    uint32_t operands[1 + WS_PAYLOAD_DEPTH_MAX] = {payload->variable};
    for (uint32_t i = 0; i < word->depth; i++)
        operands[1 + i] = ws_constant_u32(editor, word->indices[i]);
    const uint32_t place = word->depth == 0 ? payload->variable
                                            : emit(words, SpvOpAccessChain,
                                                   ws_global_find(editor, SpvOpTypePointer, 0, pointer, 2),
                                                   operands, 1 + word->depth);
    const uint32_t load[] = {place, SpvMemoryAccessVolatileMask};
    const uint32_t value = emit(words, SpvOpLoad, word->type, load, 2);
    return scalar_word(words, ws_module_definition(editor->module, word->type), value);
}

uint32_t ws_visit_payload(struct ws_visit *visit, uint32_t ids[WS_DATA_WORDS_MAX])
{
    static const char *const no_variable = "what it hands over is no variable of the module";
    const struct ws_module *module = visit->runner->module;
    struct words words = {.visit = visit, .ids = ids, .capacity = WS_DATA_WORDS_MAX};
    struct ws_payload payload;
    if (visit->instruction == WS_NONE || visit->cursor.instruction == WS_NONE)
        return 0;
    const struct ws_instruction *instruction = &module->instructions[visit->instruction];
    if (!ws_payload_find(&payload, module, instruction)) {
        if (ws_payload_operand(instruction) != WS_NONE)
            ws_visit_skip(visit, no_variable);
        return 0;
    }
    for (uint32_t i = 0; i < payload.count; i++)
        ids[words.count++] = load_word(&words, &payload, &payload.words[i]);
    return words.count;
}

bool ws_visit_halves(struct ws_visit *visit, uint32_t value, uint32_t words[2])
{
    struct ws_editor *editor = visit->runner->editor;
    const struct ws_module *module = visit->runner->module;
    const struct ws_instruction *definition = ws_module_definition(module, value);
    bool has_type = false;
    bool has_result = false;
    if (definition != NULL)
        ws_opcode_results(definition->opcode, &has_type, &has_result);
    const struct ws_instruction *type =
        has_type ? ws_module_definition(module, ws_operand(module, definition, 0)) : NULL;
    if (type == NULL || type->opcode != SpvOpTypeInt || ws_operand(module, type, 1) != 64)
        return ws_visit_words(visit, value, words, 2) == 2;
    if (visit->cursor.instruction == WS_NONE)
        return false;
    const uint32_t u32 = ws_type_u32(editor);
    const uint32_t pair = ws_global_find(editor, SpvOpTypeVector, 0, (const uint32_t[]){u32, 2}, 2);
    const uint32_t bits = ws_emit(editor, visit->cursor, SpvOpBitcast, pair, &value, 1);
    for (uint32_t i = 0; i < 2; i++)
        words[i] = ws_emit(editor, visit->cursor, SpvOpCompositeExtract, u32, (const uint32_t[]){bits, i}, 2);
    return words[0] != 0 && words[1] != 0;
}

uint32_t ws_visit_call(struct ws_visit *visit, const char *primitive, const uint32_t *arguments,
                       uint32_t count)
{
    struct ws_editor *editor = visit->runner->editor;
    uint32_t index = 0;
    while (index < WS_PRIMITIVE_COUNT && strcmp(ws_library_primitives[index].name, primitive) != 0)
        index++;
    bool is_known = index < WS_PRIMITIVE_COUNT && visit->cursor.instruction != WS_NONE;
    for (uint32_t i = 0; i < count; i++)
        is_known = is_known && arguments[i] != 0;
    const uint32_t function =
        is_known ? ws_runner_link(visit->runner, visit->function, (enum ws_primitive)index) : 0;
    uint32_t parameter_count = 0;
    if (function == 0 || ws_link_return_type(editor, function, &parameter_count) != ws_type_u32(editor) ||
        parameter_count != count)
        return 0;
    return ws_link_call(editor, visit->cursor, function, arguments, count);
}

/* What all entry points that reach the function have for the hit attributes: a variable of theirs, 0 where
 * none has one, WS_NONE where they have not all the same. */
static uint32_t find_attributes(const struct ws_visit *visit)
{
    const struct ws_instrument_plan *plan = visit->runner->plan;
    const struct ws_instrument_plan_function *function = &plan->functions[visit->function];
    uint32_t found = 0;
    for (uint32_t i = 0; i < function->entry_point_count; i++) {
        const uint32_t entry_point = function->entry_points[i];
        const struct ws_instrument_plan_entry *entry = &plan->entries[entry_point];
        const uint32_t own =
            ws_link_own_attributes(plan->module, entry_point, entry->functions, entry->function_count);
        found = i == 0 || own == found ? own : WS_NONE;
    }
    return found;
}

/* The words of a triangle's barycentrics, from a variable that is added for them. */
static uint32_t add_barycentrics(struct ws_visit *visit, uint32_t *words, uint32_t capacity)
{
    struct ws_editor *editor = visit->runner->editor;
    const struct ws_instrument_plan_function *plan = &visit->runner->plan->functions[visit->function];
    uint32_t type = 0;
    const uint32_t variable =
        ws_link_add_attributes(editor, plan->entry_points, plan->entry_point_count, &type);
    if (variable == 0)
        return 0;
    const uint32_t component = ws_global_find(editor, SpvOpTypeFloat, 0, (const uint32_t[]){32}, 1);
    const uint32_t value = ws_emit(editor, visit->cursor, SpvOpLoad, type, &variable, 1);
    const uint32_t count = capacity < 2 ? capacity : 2;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t operands[] = {value, i};
        const uint32_t extracted =
            ws_emit(editor, visit->cursor, SpvOpCompositeExtract, component, operands, 2);
        const uint32_t word =
            ws_emit(editor, visit->cursor, SpvOpBitcast, ws_type_u32(editor), &extracted, 1);
        words[i] = ws_visit_call(visit, "hit_of_triangle", &word, 1);
    }
    return count;
}

uint32_t ws_visit_hit_attributes(struct ws_visit *visit, uint32_t *words, uint32_t capacity)
{
    struct ws_runner *runner = visit->runner;
    const uint32_t hit = WS_STAGE_ANY_HIT | WS_STAGE_CLOSEST_HIT;
    if ((ws_visit_reached(visit) & ~hit) != 0 || visit->cursor.instruction == WS_NONE)
        return 0;
    const uint32_t variable = find_attributes(visit);
    if (variable == 0)
        return add_barycentrics(visit, words, capacity);
    const uint32_t type = variable == WS_NONE ? 0 : ws_link_pointee(runner->module, variable);
    if (type == 0)
        return 0;
    const uint32_t value = ws_emit(runner->editor, visit->cursor, SpvOpLoad, type, &variable, 1);
    return words_of(visit, type, value, words, capacity);
}
