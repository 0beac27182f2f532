#include "passes/probe/match.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/probe/storage.h"
#include "passes/spirv/operand_names.h"
#include "warpscope/spirv/code.h"

/* How well a value fits a parameter. */
enum fit { FIT_AS_IS, FIT_CONVERTED, FIT_PARTS, FIT_PARTS_CONVERTED, FIT_COUNT, FIT_NONE };

/* A value of a place. */
struct value {
    uint32_t id; /* 0 = a literal */
    uint32_t literal;
    uint32_t type_id; /* of an id */
};

bool ws_probe_wants(const struct ws_module *module, const struct ws_probe_rule *rule,
                    const struct ws_instruction *instruction)
{
    for (uint32_t i = 0; i < rule->opcode_count; i++) {
        const uint32_t extended = WS_PROBE_EXTENDED_OF(rule->opcodes[i]);
        if (WS_PROBE_OPCODE_OF(rule->opcodes[i]) == instruction->opcode &&
            (extended == 0 || ws_extended_number(module, instruction) == extended - 1))
            return true;
    }
    return false;
}

bool ws_probe_type_of(const struct ws_module *module, uint32_t id, struct ws_probe_type *known)
{
    const struct ws_instruction *type = ws_module_definition(module, id);
    *known = (struct ws_probe_type){.rows = 1, .columns = 1};
    if (type != NULL && type->opcode == SpvOpTypeMatrix) {
        known->columns = ws_operand(module, type, 2);
        type = ws_module_definition(module, ws_operand(module, type, 1));
    }
    if (type != NULL && type->opcode == SpvOpTypeVector) {
        known->rows = ws_operand(module, type, 2);
        type = ws_module_definition(module, ws_operand(module, type, 1));
    }
    if (type == NULL || known->rows < 1 || known->rows > 4 || known->columns < 1 || known->columns > 4)
        return false;
    known->width = ws_operand(module, type, 1);
    switch ((SpvOp)type->opcode) {
    case SpvOpTypeBool:
        known->base = WS_PROBE_BOOL;
        known->width = 0;
        return true;
    case SpvOpTypeInt:
        known->base = ws_operand(module, type, 2) != 0 ? WS_PROBE_INT : WS_PROBE_UINT;
        return true;
    case SpvOpTypeFloat:
        known->base = WS_PROBE_FLOAT;
        return type->length == 3 && known->width >= 16; /* longer: not in the encoding of IEEE */
    default: return false;
    }
}

bool ws_probe_result_of(const struct ws_module *module, const struct ws_instruction *instruction,
                        uint32_t *id, uint32_t *type)
{
    bool has_type = false;
    bool has_result = false;
    ws_opcode_results(instruction->opcode, &has_type, &has_result);
    *type = ws_operand(module, instruction, 0);
    *id = ws_operand(module, instruction, 1);
    const struct ws_instruction *definition = ws_module_definition(module, *type);
    return has_type && has_result && definition != NULL && definition->opcode != SpvOpTypeVoid;
}

/* What a place has for a parameter from its values. False where it has nothing. */
static bool find_value(const struct ws_probe_place_at *place, const struct ws_probe_parameter *parameter,
                       struct value *value)
{
    const struct ws_module *module = place->module;
    const struct ws_instruction *instruction = place->instruction;
    struct ws_named_operand operand;
    *value = (struct value){0};
    if (instruction == NULL)
        return false;
    if (parameter->binding == WS_PROBE_RESULT || strcmp(parameter->name, "result") == 0)
        return place->is_after && ws_probe_result_of(module, instruction, &value->id, &value->type_id);
    if (!ws_operand_find(module, instruction, parameter->name, &operand))
        return ws_probe_variable_value(module, instruction, parameter->name, &value->literal);
    const uint32_t word = ws_operand(module, instruction, operand.index);
    if (operand.is_literal) {
        value->literal = word;
        return true;
    }
    const struct ws_instruction *definition = ws_module_definition(module, word);
    return definition != NULL && ws_probe_result_of(module, definition, &value->id, &value->type_id);
}

static bool equal_types(const struct ws_probe_type *a, const struct ws_probe_type *b)
{
    return a->base == b->base && a->width == b->width && a->rows == b->rows && a->columns == b->columns;
}

/* Of types with equal rows and columns. */
static enum fit fit_components(const struct ws_probe_type *wanted, const struct ws_probe_type *had)
{
    const bool wants_integer = wanted->base == WS_PROBE_INT || wanted->base == WS_PROBE_UINT;
    const bool has_integer = had->base == WS_PROBE_INT || had->base == WS_PROBE_UINT;
    if (equal_types(wanted, had))
        return FIT_AS_IS;
    if (wants_integer && has_integer &&
        (had->width == wanted->width || (wanted->width == 32 && had->width < 32)))
        return FIT_CONVERTED;
    if (wanted->base == WS_PROBE_FLOAT && had->base == WS_PROBE_FLOAT && wanted->width == 32 &&
        had->width == 16 && had->columns == 1)
        return FIT_CONVERTED;
    return FIT_NONE;
}

/* How a value of type `had` fits a parameter, and in how many parts. */
static enum fit fit_types(const struct ws_probe_type *wanted, const struct ws_probe_type *had,
                          uint32_t *parts)
{
    struct ws_probe_type part = *had;
    *parts = 1;
    if (wanted->rows == had->rows && wanted->columns == had->columns)
        return fit_components(wanted, had);
    /* Nothing may be taken out of a matrix of 16-bit floats that are for storage only. */
    if (wanted->columns != 1 || (had->columns != 1 && had->width < 32))
        return FIT_NONE;
    if (wanted->rows == 1) {
        *parts = had->rows * had->columns;
        part.rows = 1;
        part.columns = 1;
    } else if (wanted->rows == had->rows) {
        *parts = had->columns;
        part.columns = 1;
    } else {
        return FIT_NONE;
    }
    switch (fit_components(wanted, &part)) {
    case FIT_AS_IS: return FIT_PARTS;
    case FIT_CONVERTED: return FIT_PARTS_CONVERTED;
    default: return FIT_NONE;
    }
}

static bool has_address(const struct ws_module *module, uint32_t type)
{
    const struct ws_instruction *pointer = ws_module_definition(module, type);
    return pointer != NULL && pointer->opcode == SpvOpTypePointer &&
           ws_operand(module, pointer, 1) == SpvStorageClassPhysicalStorageBuffer;
}

static enum fit fit_parameter(const struct ws_probe_place_at *place,
                              const struct ws_probe_parameter *parameter, struct ws_probe_argument *argument,
                              uint32_t *parts)
{
    struct value value;
    *argument = (struct ws_probe_argument){.passing = WS_PROBE_PASS_CONTEXT};
    *parts = 1;
    if (parameter->binding <= WS_PROBE_FIRST)
        return FIT_AS_IS;
    if (!find_value(place, parameter, &value))
        return FIT_NONE;
    argument->value = value.id;
    argument->literal = value.literal;
    if (parameter->binding == WS_PROBE_ADDRESS) {
        argument->passing = WS_PROBE_PASS_ADDRESS;
        return value.id != 0 && has_address(place->module, value.type_id) ? FIT_AS_IS : FIT_NONE;
    }
    argument->type = (struct ws_probe_type){WS_PROBE_UINT, 32, 1, 1};
    if (value.id != 0 && !ws_probe_type_of(place->module, value.type_id, &argument->type))
        return FIT_NONE;
    const enum fit fit = fit_types(&parameter->type, &argument->type, parts);
    argument->passing =
        fit == FIT_PARTS || fit == FIT_PARTS_CONVERTED ? WS_PROBE_PASS_PARTS : WS_PROBE_PASS_WHOLE;
    return fit;
}

static enum fit fit_function(const struct ws_probe_place_at *place, const struct ws_probe_function *function,
                             struct ws_probe_match *match)
{
    enum fit worst = FIT_AS_IS;
    match->parts = 1;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        uint32_t parts = 1;
        const enum fit fit = fit_parameter(place, &function->parameters[i], &match->arguments[i], &parts);
        if (fit == FIT_NONE || (match->arguments[i].passing == WS_PROBE_PASS_PARTS && match->parts != 1 &&
                                parts != match->parts))
            return FIT_NONE;
        match->parts = match->arguments[i].passing == WS_PROBE_PASS_PARTS ? parts : match->parts;
        worst = fit > worst ? fit : worst;
    }
    return worst;
}

bool ws_probe_match(const struct ws_probe *probe, const struct ws_probe_rule *rule,
                    const struct ws_probe_place_at *place, struct ws_probe_match *match)
{
    enum fit best = FIT_NONE;
    for (uint32_t i = 0; i < rule->function_count && best != FIT_AS_IS; i++) {
        struct ws_probe_match candidate;
        candidate.function = rule->function_first + i;
        const enum fit fit = fit_function(place, &probe->functions[candidate.function], &candidate);
        if (fit < best) {
            best = fit;
            *match = candidate;
        }
    }
    return best != FIT_NONE;
}

/* ---- why nothing fits ---- */

static void append(char *text, size_t size, const char *more)
{
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

/* The name that GLSL gives a type. */
static void name_type(const struct ws_probe_type *type, char *text, size_t size)
{
    static const char *const scalars[] = {"bool", "int", "uint", "float"};
    static const char *const vectors[] = {"b", "i", "u", ""};
    const char *prefix = vectors[type->base];
    char wide[16] = "";
    const bool is_double = type->base == WS_PROBE_FLOAT && type->width == 64;
    prefix = is_double ? "d" : prefix;
    if (type->width != 0 && type->width != 32 && !is_double)
        snprintf(wide, sizeof(wide), "%s%" PRIu32, type->base == WS_PROBE_FLOAT ? "f" : prefix, type->width);
    if (type->columns > 1)
        snprintf(text, size, "%smat%" PRIu32 "x%" PRIu32, wide[0] != '\0' ? wide : prefix, type->columns,
                 type->rows);
    else if (type->rows > 1)
        snprintf(text, size, "%svec%" PRIu32, wide[0] != '\0' ? wide : prefix, type->rows);
    else if (wide[0] != '\0')
        snprintf(text, size, "%s%" PRIu32 "_t", scalars[type->base], type->width);
    else
        snprintf(text, size, "%s", is_double ? "double" : scalars[type->base]);
}

static void describe_value(const struct ws_probe_place_at *place, const struct ws_probe_parameter *parameter,
                           char *text, size_t size)
{
    struct value value;
    struct ws_probe_type type;
    if (!find_value(place, parameter, &value)) {
        snprintf(text, size, "none");
        return;
    }
    if (value.id == 0) {
        snprintf(text, size, "a literal");
        return;
    }
    const struct ws_instruction *definition = ws_module_definition(place->module, value.type_id);
    if (parameter->binding == WS_PROBE_ADDRESS) {
        const bool is_pointer = definition != NULL && definition->opcode == SpvOpTypePointer;
        snprintf(text, size, is_pointer ? "a pointer without an address" : "no pointer");
    } else if (ws_probe_type_of(place->module, value.type_id, &type)) {
        name_type(&type, text, size);
    } else {
        const char *name = definition == NULL ? NULL : ws_opcode_name(definition->opcode);
        snprintf(text, size, "%s",
                 name != NULL && strncmp(name, "OpType", 6) == 0 ? name + 6 : "another type");
    }
}

/* Whether an earlier parameter of the rule's functions has the same name. */
static bool is_listed(const struct ws_probe *probe, const struct ws_probe_rule *rule, uint32_t function,
                      uint32_t parameter)
{
    const struct ws_probe_parameter *own = &probe->functions[function].parameters[parameter];
    for (uint32_t f = rule->function_first; f <= function; f++)
        for (uint32_t p = 0; p < (f == function ? parameter : probe->functions[f].parameter_count); p++) {
            const struct ws_probe_parameter *other = &probe->functions[f].parameters[p];
            if (other->binding == own->binding && strcmp(other->name, own->name) == 0)
                return true;
        }
    return false;
}

void ws_probe_explain(const struct ws_probe *probe, const struct ws_probe_rule *rule,
                      const struct ws_probe_place_at *place, char *text, size_t size)
{
    const uint32_t number =
        place->instruction == NULL ? WS_NONE : ws_extended_number(place->module, place->instruction);
    const char *name = place->instruction == NULL ? NULL
                       : number != WS_NONE        ? ws_extended_name(number)
                                                  : ws_opcode_name(place->instruction->opcode);
    uint32_t listed = 0;
    snprintf(text, size, "no function takes %s", name != NULL ? name : "what this place has");
    for (uint32_t f = 0; f < rule->function_count && listed < 6; f++) {
        const struct ws_probe_function *function = &probe->functions[rule->function_first + f];
        for (uint32_t p = 0; p < function->parameter_count && listed < 6; p++) {
            const struct ws_probe_parameter *parameter = &function->parameters[p];
            char type[64];
            if (parameter->binding < WS_PROBE_RESULT || is_listed(probe, rule, rule->function_first + f, p))
                continue;
            append(text, size, listed++ == 0 ? " (" : ", ");
            append(text, size, parameter->binding == WS_PROBE_RESULT ? "result" : parameter->name);
            append(text, size, ": ");
            describe_value(place, parameter, type, sizeof(type));
            append(text, size, type);
        }
    }
    append(text, size, listed != 0 ? ")" : "");
}
