#include "passes/link/link_copy.h"

#include <inttypes.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"

/* Operands of one library instruction; the longest are struct types, composites and switches. */
#define OPERANDS_MAX 1024

uint32_t ws_link_add_variable(struct ws_editor *editor, const struct ws_variable *variable,
                              const struct ws_choice *choice)
{
    const uint32_t storage = SpvStorageClassInput;
    const uint32_t id = ws_global_add(editor, SpvOpVariable, variable->type, &storage, 1);
    ws_editor_append(editor, WS_SECTION_ANNOTATION, SpvOpDecorate,
                     (const uint32_t[]){id, SpvDecorationBuiltIn, choice->built_in}, 3);
    if (choice->is_flat) {
        ws_editor_append(editor, WS_SECTION_ANNOTATION, SpvOpDecorate,
                         (const uint32_t[]){id, SpvDecorationFlat}, 2);
    }
    /* Under the Vulkan memory model the loads are volatile instead (VUID-...-04678, -04679). */
    if (choice->is_volatile && !editor->linker->vulkan_memory_model) {
        ws_editor_append(editor, WS_SECTION_ANNOTATION, SpvOpDecorate,
                         (const uint32_t[]){id, SpvDecorationVolatile}, 2);
    }
    return id;
}

/* The operands of a library instruction with the module's ids, all of which are known. Returns their number.
 */
static uint32_t map_operands(struct ws_editor *editor, const struct ws_unit *unit,
                             const struct ws_instruction *instruction, uint32_t *operands)
{
    const uint32_t count = instruction->length - 1u;
    if (count > OPERANDS_MAX) {
        ws_editor_fail(editor, "a library instruction of %" PRIu32 " operands", count);
        return 0;
    }
    const uint32_t *words = unit->code->module.words + instruction->offset + 1;
    const uint8_t *is_id = unit->code->is_id + instruction->offset + 1;
    for (uint32_t i = 0; i < count; i++)
        operands[i] = is_id[i] ? unit->map[words[i]] : words[i];
    if (instruction->opcode == SpvOpFunctionCall && unit->code->aliases[words[2]] != 0)
        operands[2] = unit->map[unit->code->aliases[words[2]]];
    return count;
}

#define NAME_WORDS 32 /* a longer name is cut */

/* Names of functions end before glslang's signature: "ws_count_warp(u1;". */
static void copy_name(struct ws_editor *editor, const struct ws_unit *unit,
                      const struct ws_instruction *instruction, uint32_t id)
{
    uint32_t operands[1 + NAME_WORDS] = {id};
    uint32_t count = 1;
    for (bool ended = false; !ended; count++) {
        const uint32_t word = ws_operand(&unit->code->module, instruction, count);
        uint32_t kept = 0; /* bytes */
        for (; kept < 4 && !ended; kept += !ended) {
            const uint32_t letter = word >> kept * 8 & 0xff;
            ended = letter == '\0' || letter == '(' || (count == NAME_WORDS && kept == 3);
        }
        operands[count] = ended ? word & ((1u << kept * 8) - 1) : word;
    }
    ws_editor_append(editor, WS_SECTION_DEBUG_NAME, SpvOpName, operands, count);
}

/* Gives `id` of the module the names and decorations of `source` in the unit. */
static void copy_annotations(struct ws_editor *editor, const struct ws_unit *unit, uint32_t source,
                             uint32_t id)
{
    const struct ws_module *module = &unit->code->module;
    uint32_t operands[OPERANDS_MAX];
    for (uint32_t i = unit->code->annotation_ends[source]; i < unit->code->annotation_ends[source + 1]; i++) {
        const struct ws_instruction *instruction = &module->instructions[unit->code->annotations[i]];
        const enum ws_section section = ws_opcode_section(instruction->opcode);
        if (instruction->opcode == SpvOpName) {
            copy_name(editor, unit, instruction, id);
        } else if (section == WS_SECTION_ANNOTATION) {
            const uint32_t count = map_operands(editor, unit, instruction, operands);
            operands[0] = id;
            ws_editor_append(editor, section, instruction->opcode, operands, count);
        }
    }
}

/* One of the constants of root.h, the same for all units. */
static uint32_t resolve_spec_constant(struct ws_editor *editor, const struct ws_unit *unit,
                                      const struct ws_instruction *instruction, uint32_t source)
{
    const struct ws_module *module = &unit->code->module;
    uint32_t spec = WS_SPEC_COUNT;
    for (uint32_t i = unit->code->annotation_ends[source]; i < unit->code->annotation_ends[source + 1]; i++) {
        const struct ws_instruction *decoration = &module->instructions[unit->code->annotations[i]];
        if (decoration->opcode == SpvOpDecorate && ws_operand(module, decoration, 1) == SpvDecorationSpecId)
            spec = ws_operand(module, decoration, 2);
    }
    if (spec >= WS_SPEC_COUNT) {
        ws_editor_fail(editor, "library constant %" PRIu32 " is none of the root block's", source);
        return 0;
    }
    uint32_t *constant = &editor->linker->spec_constants[spec];
    if (*constant == 0) {
        const uint32_t value = ws_operand(module, instruction, 2);
        *constant = ws_global_add(editor, SpvOpSpecConstant, ws_type_u32(editor), &value, 1);
        copy_annotations(editor, unit, source, *constant);
        /* The copied SpecId is the library's: the last decoration appended, its value the last word. */
        struct ws_words *annotations = &editor->sections[WS_SECTION_ANNOTATION];
        if (!editor->failed)
            annotations->data[annotations->count - 1] = editor->linker->spec_id + spec;
    }
    return *constant;
}

/* What a private variable begins with: its initializer; if it has none, 0 in those of probes. Id of a constant of the module;
 * 0 = it begins undefined. */
static uint32_t find_beginning(struct ws_editor *editor, struct ws_unit *unit,
                               const struct ws_unit_private *private, uint32_t pointer)
{
    if (private->initializer != 0)
        return ws_link_resolve(editor, unit, private->initializer);
    if (!private->is_own)
        return 0;
    const uint32_t type =
        ws_operand(&unit->code->module, ws_module_definition(&unit->code->module, pointer), 2);
    return ws_global_find(editor, SpvOpConstantNull, ws_link_resolve(editor, unit, type), NULL, 0);
}

/* A private variable, the same for all units; its type is the module's where that has it. */
static uint32_t resolve_private(struct ws_editor *editor, struct ws_unit *unit,
                                const struct ws_instruction *instruction, uint32_t source)
{
    uint32_t i = 0;
    while (i < unit->code->private_count && unit->code->privates[i].id != source)
        i++;
    const uint32_t index = i == unit->code->private_count
                               ? WS_NONE
                               : ws_link_private_of(editor, unit, &unit->code->privates[i], unit->instance);
    if (index == WS_NONE) {
        ws_editor_fail(editor, "library variable %" PRIu32 " was not chosen", source);
        return 0;
    }
    if (editor->linker->privates[index].id == 0) {
        const uint32_t pointer = ws_operand(&unit->code->module, instruction, 0);
        const uint32_t type = ws_link_resolve(editor, unit, pointer);
        const uint32_t initializer = find_beginning(editor, unit, &unit->code->privates[i], pointer);
        const uint32_t operands[] = {SpvStorageClassPrivate, initializer};
        const uint32_t id = ws_global_add(editor, SpvOpVariable, type, operands, initializer != 0 ? 2 : 1);
        copy_annotations(editor, unit, source, id);
        editor->linker->privates[index].id = id;
    }
    return editor->linker->privates[index].id;
}

static uint32_t resolve_import(struct ws_editor *editor, const struct ws_unit *unit,
                               const struct ws_instruction *instruction)
{
    const struct ws_module *module = editor->module;
    const uint32_t *name = unit->code->module.words + instruction->offset + 2;
    const uint32_t count = instruction->length - 2u;
    for (uint32_t i = 0; i < module->section_ends[WS_SECTION_IMPORT]; i++) {
        const struct ws_instruction *import = &module->instructions[i];
        if (import->opcode == SpvOpExtInstImport && import->length == instruction->length &&
            memcmp(module->words + import->offset + 2, name, count * sizeof(*name)) == 0)
            return ws_operand(module, import, 0);
    }
    const struct ws_words *added = &editor->sections[WS_SECTION_IMPORT];
    for (uint32_t i = 0; i < added->count; i += added->data[i] >> SpvWordCountShift)
        if (added->data[i] >> SpvWordCountShift == instruction->length &&
            memcmp(added->data + i + 2, name, count * sizeof(*name)) == 0)
            return added->data[i + 1];
    uint32_t operands[OPERANDS_MAX] = {ws_editor_id(editor)};
    if (count >= OPERANDS_MAX) {
        ws_editor_fail(editor, "a library import with a name of %" PRIu32 " words", count);
        return 0;
    }
    memcpy(operands + 1, name, count * sizeof(*name));
    ws_editor_append(editor, WS_SECTION_IMPORT, SpvOpExtInstImport, operands, count + 1);
    return operands[0];
}

/* A type or constant: shared if the library does not decorate it. Structs, and constants that depend on
 * specialization, are always the library's own. */
static uint32_t resolve_global(struct ws_editor *editor, struct ws_unit *unit,
                               const struct ws_instruction *instruction, uint32_t source)
{
    uint32_t operands[OPERANDS_MAX];
    bool has_type = false;
    bool has_result = false;
    ws_opcode_results(instruction->opcode, &has_type, &has_result);
    const uint32_t *words = unit->code->module.words + instruction->offset + 1;
    const uint8_t *is_id = unit->code->is_id + instruction->offset + 1;
    for (uint32_t i = 0; i + 1u < instruction->length; i++)
        if (is_id[i] && i != (uint32_t)has_type && unit->map[words[i]] == 0)
            ws_link_resolve(editor, unit, words[i]);
    const uint32_t count = map_operands(editor, unit, instruction, operands);
    if (editor->failed || !has_result || ws_opcode_section(instruction->opcode) != WS_SECTION_GLOBAL) {
        ws_editor_fail(editor, "library id %" PRIu32 " is of opcode %u, which cannot be linked", source,
                       instruction->opcode);
        return 0;
    }
    const uint32_t skip = 1u + has_type;
    const uint32_t type = has_type ? operands[0] : 0;
    const bool is_own = unit->code->decorated[source] || instruction->opcode == SpvOpTypeStruct ||
                        instruction->opcode == SpvOpSpecConstantOp ||
                        instruction->opcode == SpvOpSpecConstantComposite;
    if (!is_own)
        return ws_global_find(editor, instruction->opcode, type, operands + skip, count - skip);
    const uint32_t id = ws_global_add(editor, instruction->opcode, type, operands + skip, count - skip);
    copy_annotations(editor, unit, source, id);
    return id;
}

/* The scope of atomics and barriers under the Vulkan memory model, where Device needs a capability of its own
 * (VulkanMemoryModelDeviceScope); queues of other families are never run at the same time. */
static void adapt_scope(struct ws_editor *editor, const struct ws_unit *unit,
                        const struct ws_instruction *instruction, uint32_t *operands)
{
    const bool is_barrier = instruction->opcode == SpvOpMemoryBarrier;
    if (!(is_barrier || (instruction->opcode >= SpvOpAtomicLoad && instruction->opcode <= SpvOpAtomicXor)) ||
        !editor->linker->vulkan_memory_model || editor->linker->device_scope)
        return;
    const uint32_t index = is_barrier ? 0 : instruction->opcode == SpvOpAtomicStore ? 1 : 3;
    const struct ws_instruction *scope =
        ws_module_definition(&unit->code->module, ws_operand(&unit->code->module, instruction, index));
    if (ws_operand(&unit->code->module, scope, 2) == SpvScopeDevice)
        operands[index] = ws_constant_u32(editor, SpvScopeQueueFamily);
}

/* A pointer to the member of a block that is a built-in. */
static uint32_t point_to_member(struct ws_editor *editor, const struct ws_choice *choice)
{
    const uint32_t type = ws_global_find(editor, SpvOpTypePointer, 0,
                                         (const uint32_t[]){SpvStorageClassInput, choice->load_type}, 2);
    const uint32_t chain[] = {type, ws_editor_id(editor), choice->id,
                              ws_constant_u32(editor, choice->member)};
    ws_editor_append(editor, WS_SECTION_FUNCTION, SpvOpAccessChain, chain, 4);
    return chain[1];
}

/* A load, of the library's variable `variable`: volatile where a built-in may change while the shader runs
 * (VUID-...-04679), of a member where it is one of a block, and cast where the module's has the other signedness.
 * Library code reads built-ins as a whole. */
static void copy_load(struct ws_editor *editor, const struct ws_unit *unit, const struct ws_choice *choices,
                      uint32_t variable, uint32_t *operands, uint32_t count)
{
    const struct ws_choice *choice = NULL;
    const uint32_t type = operands[0];
    for (uint32_t i = 0; i < unit->code->variable_count; i++)
        if (choices[i].id != 0 && unit->variables[i].id == variable)
            choice = &choices[i];
    if (choice != NULL && choice->is_volatile && editor->linker->vulkan_memory_model) {
        if (count == 3)
            operands[count++] = 0;
        operands[3] |= SpvMemoryAccessVolatileMask;
    }
    if (choice != NULL && choice->member != WS_NONE)
        operands[2] = point_to_member(editor, choice);
    if (choice == NULL || choice->load_type == 0 || choice->load_type == type) {
        ws_editor_append(editor, WS_SECTION_FUNCTION, SpvOpLoad, operands, count);
        return;
    }
    const uint32_t cast[] = {type, operands[1], ws_editor_id(editor)};
    operands[0] = choice->load_type;
    operands[1] = cast[2];
    ws_editor_append(editor, WS_SECTION_FUNCTION, SpvOpLoad, operands, count);
    ws_editor_append(editor, WS_SECTION_FUNCTION, SpvOpBitcast, cast, 3);
}

/* Copies an instruction that may differ in more than ids (struct ws_unit_recipe, adapted). */
static void copy_adapted(struct ws_editor *editor, const struct ws_unit *unit,
                         const struct ws_instruction *instruction, const struct ws_choice *choices)
{
    uint32_t operands[OPERANDS_MAX + 1];
    const uint32_t count = map_operands(editor, unit, instruction, operands);
    if (instruction->opcode == SpvOpLoad) {
        copy_load(editor, unit, choices, ws_operand(&unit->code->module, instruction, 2), operands, count);
        return;
    }
    adapt_scope(editor, unit, instruction, operands);
    ws_editor_append(editor, WS_SECTION_FUNCTION, instruction->opcode, operands, count);
}

/* Copies words [first, end) of a unit with the module's ids. `ids` are the offsets of ids from there on; returns those that
 * follow. */
static const uint32_t *copy_words(struct ws_editor *editor, const struct ws_unit *unit, uint32_t first,
                                  uint32_t end, const uint32_t *ids, const uint32_t *ids_end)
{
    const uint32_t *words = unit->code->module.words;
    uint32_t *out = ws_words_extend(editor, &editor->sections[WS_SECTION_FUNCTION], end - first);
    if (out == NULL)
        return ids;
    memcpy(out, words + first, (size_t)(end - first) * sizeof(*out));
    for (; ids < ids_end && *ids < end; ids++)
        out[*ids - first] = unit->map[words[*ids]];
    return ids;
}

/* Copies the code of a function. What it names has its ids. */
static void copy_code(struct ws_editor *editor, const struct ws_unit *unit,
                      const struct ws_unit_recipe *recipe, const struct ws_choice *choices)
{
    const uint32_t *ids = recipe->ids;
    const uint32_t *ids_end = recipe->ids + recipe->id_count;
    uint32_t offset = recipe->first;
    for (uint32_t i = 0; i < recipe->adapted_count && !editor->failed; i++) {
        const struct ws_instruction *instruction = &unit->code->module.instructions[recipe->adapted[i]];
        ids = copy_words(editor, unit, offset, instruction->offset, ids, ids_end);
        copy_adapted(editor, unit, instruction, choices);
        offset = instruction->offset + instruction->length;
        while (ids < ids_end && *ids < offset)
            ids++;
    }
    copy_words(editor, unit, offset, recipe->end, ids, ids_end);
}

/* Copies a function behind those that it calls. */
static uint32_t copy(struct ws_editor *editor, struct ws_unit *unit, uint32_t source,
                     const struct ws_choice *choices)
{
    const struct ws_module *module = &unit->code->module;
    const uint32_t index = ws_module_function(module, module->definitions[source]);
    if (unit->map[source] != 0)
        return unit->map[source];
    if (!ws_unit_find_recipe(unit->code, index)) {
        ws_editor_fail(editor, "no memory for a function of the library");
        return 0;
    }
    const struct ws_unit_recipe *recipe = unit->code->recipes[index];
    const uint32_t first = ws_editor_ids(editor, recipe->result_count);
    for (uint32_t i = 0; i < recipe->result_count; i++)
        unit->map[recipe->results[i]] = first + i;
    for (uint32_t i = 0; i < recipe->needed_count && !editor->failed; i++) {
        const uint32_t id = recipe->needed[i];
        if (unit->map[id] != 0)
            continue;
        const struct ws_instruction *definition = ws_module_definition(module, id);
        if (definition != NULL && definition->opcode == SpvOpFunction)
            copy(editor, unit, id, choices);
        else
            ws_link_resolve(editor, unit, id);
    }
    copy_code(editor, unit, recipe, choices);
    for (uint32_t i = 0; i < recipe->decorated_count; i++)
        copy_annotations(editor, unit, recipe->decorated[i], unit->map[recipe->decorated[i]]);
    copy_annotations(editor, unit, source, unit->map[source]);
    return unit->map[source];
}

uint32_t ws_link_resolve(struct ws_editor *editor, struct ws_unit *unit, uint32_t id)
{
    const struct ws_module *module = &unit->code->module;
    const struct ws_instruction *instruction = ws_module_definition(module, id);
    if (editor->failed || unit->map[id] != 0)
        return unit->map[id];
    if (instruction == NULL) {
        ws_editor_fail(editor, "library id %" PRIu32 " is not defined", id);
        return 0;
    }
    switch ((SpvOp)instruction->opcode) {
    case SpvOpSpecConstant: unit->map[id] = resolve_spec_constant(editor, unit, instruction, id); break;
    case SpvOpVariable: unit->map[id] = resolve_private(editor, unit, instruction, id); break;
    case SpvOpExtInstImport: unit->map[id] = resolve_import(editor, unit, instruction); break;
    default: unit->map[id] = resolve_global(editor, unit, instruction, id); break;
    }
    return unit->map[id];
}

uint32_t ws_link_private_of(struct ws_editor *editor, const struct ws_unit *unit,
                            const struct ws_unit_private *private, uint32_t instance)
{
    const struct ws_private wanted = {.name = private->name,
                                      .name_length = private->name_length,
                                      .owner = private->is_own ? unit->source->owner : 0,
                                      .instance = private->is_instanced ? instance : 0};
    return ws_link_get_private(editor, &wanted);
}

uint32_t ws_link_copy_function(struct ws_editor *editor, struct ws_unit *unit, uint32_t function,
                               uint32_t instance, const struct ws_choice *choices, uint32_t *return_type)
{
    const struct ws_module *module = &unit->code->module;
    /* Functions that were copied for another instance cannot serve, nor can its variables. */
    bool uses_variables = unit->instance != instance;
    for (uint32_t i = 0; i < unit->code->private_count && uses_variables; i++)
        unit->map[unit->code->privates[i].id] = 0;
    unit->instance = instance;
    for (uint32_t i = 0; i < unit->code->variable_count; i++) {
        unit->map[unit->variables[i].id] = choices[i].id;
        uses_variables |= choices[i].id != 0;
    }
    /* Functions that were copied with other variables cannot serve. */
    for (uint32_t i = 0; i < module->function_count && uses_variables; i++)
        unit->map[module->functions[i].id] = 0;
    const uint32_t id = copy(editor, unit, function, choices);
    *return_type = unit->map[ws_operand(module, ws_module_definition(module, function), 0)];
    return editor->failed ? 0 : id;
}
