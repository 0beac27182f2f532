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

static void append(struct ws_editor *editor, SpvOp opcode, const uint32_t *operands, uint32_t count)
{
    ws_editor_append(editor, WS_SECTION_FUNCTION, (uint16_t)opcode, operands, count);
}

/* Writes the outer function, and gives the inner one an id of its own. */
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
    append(editor, SpvOpFunction, opening, 4);
    append(editor, SpvOpLabel, &label, 1);
    append(editor, SpvOpFunctionCall, call, 3);
    append(editor, SpvOpFunctionCall, probe, 4);
    append(editor, SpvOpReturn, NULL, 0);
    append(editor, SpvOpFunctionEnd, NULL, 0);
}

void ws_runner_put_wraps(struct ws_runner *runner)
{
    for (uint32_t f = 0; f < runner->module->function_count && !runner->editor->failed; f++)
        if (runner->wraps[f].callee != 0)
            put_wrap(runner, f);
}
