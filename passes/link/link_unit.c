/* Units of the library, built in or of a probe, in a module: what it must declare for them, and what passes ask of them. */
#include <inttypes.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/link/link_copy.h"
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

void ws_link_declare(struct ws_editor *editor, uint32_t capability)
{
    declare_capability(editor, capability);
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

uint32_t ws_link_weight(struct ws_editor *editor, uint32_t unit, uint32_t function)
{
    struct ws_linker *linker = ws_linker_get(editor);
    if (linker == NULL || unit >= linker->unit_count || !ws_link_prepare_unit(editor, linker->units[unit]))
        return 1;
    return ws_unit_weight(linker->units[unit]->code, function);
}

/* Whether a variable is state of its probe, and not one that holds parameters. */
static bool is_state(const struct ws_unit_private *private)
{
    return private->is_own && strncmp((const char *)private->name, "ws_", 3) != 0;
}

/* Whether a parameter of a function is at most stored, to variables that nothing reads which the function calls. */
static bool is_ignored(const struct ws_unit_code *code, const struct ws_function *function,
                       uint32_t parameter)
{
    const struct ws_module *module = &code->module;
    const uint64_t reads = code->uses[function->id].reads;
    uint32_t id = 0;
    for (uint32_t i = function->first; i < function->end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpFunctionParameter && parameter-- == 0)
            id = ws_operand(module, instruction, 1);
        for (uint32_t j = 0; id != 0 && j + 1u < instruction->length; j++) {
            if (instruction->opcode == SpvOpFunctionParameter || ws_operand(module, instruction, j) != id ||
                !code->is_id[instruction->offset + 1 + j])
                continue;
            const uint32_t to = ws_operand(module, instruction, 0);
            if (instruction->opcode != SpvOpStore || j != 1 || to >= module->bound ||
                code->uses[to].privates == 0 || (code->uses[to].privates & reads) != 0)
                return false;
        }
    }
    return id != 0;
}

bool ws_link_is_stateless(struct ws_editor *editor, uint32_t unit, uint32_t function)
{
    struct ws_linker *linker = ws_linker_get(editor);
    if (linker == NULL || unit >= linker->unit_count || !ws_link_prepare_unit(editor, linker->units[unit]))
        return false;
    struct ws_unit_code *code = linker->units[unit]->code;
    ws_unit_find_uses(code, function);
    const struct ws_unit_uses *uses = &code->uses[function];
    for (uint32_t i = 0; i < code->private_count; i++)
        if ((uses->privates >> i & 1) != 0 && is_state(&code->privates[i]))
            return false;
    return (uses->needs & ws_unit_need(SpvCapabilityShaderClockKHR)) == 0;
}

bool ws_link_ignores(struct ws_editor *editor, uint32_t unit, uint32_t function, uint32_t parameter)
{
    struct ws_linker *linker = ws_linker_get(editor);
    if (linker == NULL || unit >= linker->unit_count || !ws_link_prepare_unit(editor, linker->units[unit]))
        return false;
    struct ws_unit_code *code = linker->units[unit]->code;
    ws_unit_find_uses(code, function);
    for (uint32_t i = 0; i < code->module.function_count; i++)
        if (code->module.functions[i].id == function)
            return is_ignored(code, &code->module.functions[i], parameter);
    return false;
}

const char *ws_link_refuse(const struct ws_editor *editor, const struct ws_unit *unit, uint32_t function)
{
    const uint32_t missing = unit->code->uses[function].needs & ~editor->linker->granted;
    for (uint32_t i = 0; i < WS_UNIT_NEED_COUNT; i++)
        if ((missing >> i & 1) != 0)
            return ws_unit_needs[i].reason;
    return NULL;
}

void ws_link_declare_needs(struct ws_editor *editor, uint32_t needs)
{
    for (uint32_t i = 0; i < WS_UNIT_NEED_COUNT; i++) {
        if ((needs >> i & 1) == 0)
            continue;
        declare_capability(editor, ws_unit_needs[i].capability);
        if (ws_unit_needs[i].extension != NULL) {
            struct ws_words name = {0};
            ws_words_add_string(editor, &name, ws_unit_needs[i].extension);
            declare(editor, WS_SECTION_EXTENSION, SpvOpExtension, name.data, name.count);
        }
    }
}

void ws_link_grant(struct ws_editor *editor, uint32_t capability)
{
    if (ws_linker_get(editor) != NULL)
        editor->linker->granted |= ws_unit_need(capability);
}

/* Declares what the unit needs, but what only some functions need: that is declared with these. */
static void declare_unit(struct ws_editor *editor, const struct ws_unit *unit,
                         const struct ws_instruction *instruction)
{
    const struct ws_module *module = &unit->code->module;
    if (instruction->opcode == SpvOpCapability) {
        const uint32_t capability = ws_operand(module, instruction, 0);
        if (ws_unit_need(capability) == 0)
            declare_capability(editor, capability);
    } else if (instruction->opcode == SpvOpExtension) {
        for (uint32_t i = 0; i < WS_UNIT_NEED_COUNT; i++)
            if (ws_unit_needs[i].extension != NULL &&
                text_is(module, instruction, 0, ws_unit_needs[i].extension))
                return;
        declare_extension(editor, module, instruction);
    }
}

bool ws_link_prepare_unit(struct ws_editor *editor, struct ws_unit *unit)
{
    struct ws_error error = {{0}};
    if (unit->code != NULL || editor->failed)
        return !editor->failed;
    unit->code =
        ws_unit_get(unit->source, unit->index, ws_unit_lacks(editor->linker->granted), editor->arena, &error);
    if (unit->code == NULL)
        return ws_editor_fail(editor, "%s", error.message);
    const struct ws_module *module = &unit->code->module;
    unit->map = ws_arena_allocate(editor->arena, module->bound, sizeof(*unit->map));
    if (unit->map == NULL)
        return ws_editor_fail(editor, "no memory to link the library's unit %s", unit->source->name);
    /* The storage class PhysicalStorageBuffer and bit casts to it are of 1.3 with the extension; so are the
     * subgroup operations. Existing code stays valid: nothing is removed before 1.4. */
    ws_editor_raise_version(editor, 0x00010300);
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_EXTENSION]; i++)
        declare_unit(editor, unit, &module->instructions[i]);
    for (uint32_t i = 0; i < unit->code->variable_count; i++) {
        const struct ws_unit_variable *variable = &unit->code->variables[i];
        unit->variables[i] = (struct ws_variable){.id = variable->id,
                                                  .built_in = variable->built_in,
                                                  .type = ws_link_resolve(editor, unit, variable->pointer),
                                                  .pointee = ws_link_resolve(editor, unit, variable->pointee),
                                                  .integers = variable->integers};
    }
    return !editor->failed;
}
