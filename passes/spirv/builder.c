#include "passes/spirv/builder.h"

#include <inttypes.h>

#include <spirv/unified1/spirv.h>

#include "passes/spirv/types.h"

/* The first bytes of an OpExtInstImport's name, compared word by word: "NonS[emantic.]" and so on. */
static bool name_begins(const struct ws_module *module, const struct ws_instruction *import, const char *text)
{
    for (uint32_t i = 0; text[i] != '\0'; i++) {
        const uint32_t word = ws_operand(module, import, 1 + i / 4);
        if ((char)(word >> (i % 4 * 8) & 0xff) != text[i])
            return false;
    }
    return true;
}

bool ws_instruction_is_debug(const struct ws_module *module, const struct ws_instruction *instruction)
{
    if (ws_opcode_is_line(instruction->opcode))
        return true;
    if (instruction->opcode != SpvOpExtInst)
        return false;
    const struct ws_instruction *import = ws_module_definition(module, ws_operand(module, instruction, 2));
    return import != NULL && import->opcode == SpvOpExtInstImport &&
           (name_begins(module, import, "NonSemantic.") || name_begins(module, import, "OpenCL.DebugInfo.") ||
            name_begins(module, import, "DebugInfo"));
}

/* What no code may stand before, at the head of a block. */
static bool is_head(const struct ws_module *module, const struct ws_instruction *instruction)
{
    return instruction->opcode == SpvOpLabel || instruction->opcode == SpvOpPhi ||
           ws_opcode_is_variable(instruction->opcode) || ws_instruction_is_debug(module, instruction);
}

/* Index of the label if everything from it to `index` is head, else `index` itself. */
static uint32_t find_label(const struct ws_module *module, uint32_t index)
{
    for (uint32_t i = index; is_head(module, &module->instructions[i]); i--) {
        if (module->instructions[i].opcode == SpvOpLabel)
            return i;
        if (i == 0)
            break;
    }
    return index;
}

static struct ws_cursor cursor_behind_head(const struct ws_module *module, uint32_t label)
{
    uint32_t i = label;
    while (i + 1 < module->instruction_count && is_head(module, &module->instructions[i]))
        i++;
    return (struct ws_cursor){.instruction = i};
}

struct ws_cursor ws_cursor_before(const struct ws_module *module, uint32_t instruction)
{
    if (instruction >= module->instruction_count)
        return (struct ws_cursor){.instruction = WS_NONE};
    const uint32_t label = find_label(module, instruction);
    if (module->instructions[label].opcode == SpvOpLabel)
        return cursor_behind_head(module, label);
    if (instruction > 0 && ws_opcode_is_merge(module->instructions[instruction - 1].opcode))
        instruction--;
    return (struct ws_cursor){.instruction = instruction};
}

struct ws_cursor ws_cursor_after(const struct ws_module *module, uint32_t instruction)
{
    if (instruction >= module->instruction_count ||
        ws_opcode_is_terminator(module->instructions[instruction].opcode))
        return (struct ws_cursor){.instruction = WS_NONE};
    if (is_head(module, &module->instructions[instruction]) ||
        ws_opcode_is_merge(module->instructions[instruction].opcode))
        return ws_cursor_before(module, instruction);
    return (struct ws_cursor){.instruction = instruction, .after = true};
}

struct ws_cursor ws_cursor_block_start(const struct ws_module *module, uint32_t block)
{
    return cursor_behind_head(module, module->blocks[block].first);
}

struct ws_cursor ws_cursor_block_end(const struct ws_module *module, uint32_t block)
{
    return ws_cursor_before(module, module->blocks[block].end - 1);
}

#define OPERANDS_MAX 64

uint32_t ws_emit(struct ws_editor *editor, struct ws_cursor cursor, uint16_t opcode, uint32_t type,
                 const uint32_t *operands, uint32_t count)
{
    uint32_t words[OPERANDS_MAX + 2];
    uint32_t length = 0;
    uint32_t id = 0;
    if (count > OPERANDS_MAX) {
        ws_editor_fail(editor, "an instruction with %" PRIu32 " operands to emit, at most %d are possible",
                       count, OPERANDS_MAX);
        return 0;
    }
    if (type != 0) {
        id = ws_editor_id(editor);
        words[length++] = type;
        words[length++] = id;
    }
    for (uint32_t i = 0; i < count; i++)
        words[length++] = operands[i];
    if (cursor.instruction == WS_NONE) {
        ws_editor_fail(editor, "no code can stand at the place of an instruction to emit");
        return 0;
    }
    ws_editor_insert(editor, cursor.instruction, cursor.after, opcode, words, length);
    return editor->failed ? 0 : id;
}

uint32_t ws_emit_load(struct ws_editor *editor, struct ws_cursor cursor, uint32_t variable)
{
    return ws_emit(editor, cursor, SpvOpLoad, ws_type_u32(editor), &variable, 1);
}

void ws_emit_store(struct ws_editor *editor, struct ws_cursor cursor, uint32_t variable, uint32_t value)
{
    const uint32_t operands[] = {variable, value};
    ws_emit(editor, cursor, SpvOpStore, 0, operands, 2);
}

uint32_t ws_emit_u32(struct ws_editor *editor, struct ws_cursor cursor, uint16_t opcode, uint32_t left,
                     uint32_t right)
{
    const uint32_t operands[] = {left, right};
    return ws_emit(editor, cursor, opcode, ws_type_u32(editor), operands, 2);
}
