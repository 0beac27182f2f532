/* A function around that of an entry point, so that code can stand where lanes that returned are together again:
 *
 *   void main() { if (x) return; ... }      becomes      void inner() { if (x) return; ... }
 *                                                        void main() { inner(); count(row); }
 *
 * The returns of a function lead to one place, behind its call (SPIR-V 2.16, "return"): so do those of an entry point
 * then. The outer function takes the result id, so whatever names the entry point (OpEntryPoint, OpExecutionMode,
 * OpName, reflection) stays as it was. No function calls it, since none may call an entry point (SPIR-V 2.16.1). */
#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"

const char *ws_runner_wrap(struct ws_runner *runner, uint32_t function, enum ws_primitive primitive,
                           uint32_t argument)
{
    if (ws_runner_is_full(runner))
        return ws_runner_site_limit;
    const uint32_t callee = ws_runner_link(runner, function, primitive);
    if (callee == 0)
        return ws_runner_no_variable;
    runner->wraps[function] = (struct ws_runner_wrap){callee, argument};
    runner->probe_count++;
    return NULL;
}

/* Instruction of NonSemantic.Shader.DebugInfo.100 that says in which function it stands, and which of its operands. */
#define DEBUG_FUNCTION_DEFINITION 101
#define DEFINITION_OPERAND        5
#define OPERANDS_MAX              8

/* Has debug information within the inner function name that, and not the outer one, whose id it had. */
static void rename_definition(struct ws_runner *runner, uint32_t function, uint32_t inner)
{
    const struct ws_module *module = runner->module;
    const struct ws_function *info = &module->functions[function];
    for (uint32_t i = info->first; i < info->end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        uint32_t operands[OPERANDS_MAX];
        if (instruction->opcode != SpvOpExtInst || instruction->length > OPERANDS_MAX + 1 ||
            !ws_instruction_is_debug(module, instruction) ||
            ws_operand(module, instruction, 3) != DEBUG_FUNCTION_DEFINITION ||
            ws_operand(module, instruction, DEFINITION_OPERAND) != info->id)
            continue;
        for (uint32_t operand = 0; operand + 1u < instruction->length; operand++)
            operands[operand] = ws_operand(module, instruction, operand);
        operands[DEFINITION_OPERAND] = inner;
        ws_editor_replace(runner->editor, i, SpvOpExtInst, operands, instruction->length - 1u);
    }
}

/* Writes the outer function, and gives the inner one an id of its own. The outer one stands first: all that names its id
 * without being allowed to do so before it is defined stands behind that (such as ClspvReflection). */
static void put_wrap(struct ws_runner *runner, uint32_t function)
{
    struct ws_editor *editor = runner->editor;
    const struct ws_module *module = runner->module;
    const struct ws_runner_wrap *wrap = &runner->wraps[function];
    const uint32_t index = module->functions[function].first;
    const struct ws_instruction *instruction = &module->instructions[index];
    const uint32_t type = ws_operand(module, instruction, 0);
    const uint32_t signature = ws_operand(module, instruction, 3);
    const uint32_t inner = ws_editor_id(editor);
    const uint32_t label = ws_editor_id(editor);
    uint32_t parameter_count = 0;
    const uint32_t opening[] = {type, module->functions[function].id, SpvFunctionControlMaskNone, signature};
    const uint32_t call[] = {type, ws_editor_id(editor), inner};
    const uint32_t probe[] = {ws_link_return_type(editor, wrap->callee, &parameter_count),
                              ws_editor_id(editor), wrap->callee, wrap->argument};
    const uint32_t inner_opening[] = {type, inner, SpvFunctionControlMaskNone, signature};
    ws_editor_replace(editor, index, SpvOpFunction, inner_opening, 4);
    rename_definition(runner, function, inner);
    ws_editor_insert(editor, index, false, SpvOpFunction, opening, 4);
    ws_editor_insert(editor, index, false, SpvOpLabel, &label, 1);
    ws_editor_insert(editor, index, false, SpvOpFunctionCall, call, 3);
    ws_editor_insert(editor, index, false, SpvOpFunctionCall, probe, 4);
    ws_editor_insert(editor, index, false, SpvOpReturn, NULL, 0);
    ws_editor_insert(editor, index, false, SpvOpFunctionEnd, NULL, 0);
}

void ws_runner_put_wraps(struct ws_runner *runner)
{
    for (uint32_t f = 0; f < runner->module->function_count && !runner->editor->failed; f++)
        if (runner->wraps[f].callee != 0)
            put_wrap(runner, f);
}
