/* A function around that of an entry point, so that code can stand where lanes that returned are together again:
 *
 *   void main() { if (x) return; ... }      becomes      void inner() { if (x) return; ... }
 *                                                        void main() { inner(); count(row); }
 *
 * and so that a sampled entry point has two bodies (root.h, SAMPLING):
 *
 *                                                        void main() { if (sample(n) != 0) inner(); else plain(); }
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
    runner->wraps[function].callee = callee;
    runner->wraps[function].argument = argument;
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

/* An outer function that is being written: it stands before instruction `index`, and returns `type`. */
struct outer {
    struct ws_editor *editor;
    uint32_t index;
    uint32_t type;
};

static void put(const struct outer *outer, uint16_t opcode, const uint32_t *operands, uint32_t count)
{
    ws_editor_insert(outer->editor, outer->index, false, opcode, operands, count);
}

static void put_label(const struct outer *outer, uint32_t id)
{
    put(outer, SpvOpLabel, &id, 1);
}

static void put_branch(const struct outer *outer, uint32_t label)
{
    put(outer, SpvOpBranch, &label, 1);
}

static void put_call(const struct outer *outer, uint32_t callee)
{
    const uint32_t call[] = {outer->type, ws_editor_id(outer->editor), callee};
    put(outer, SpvOpFunctionCall, call, 3);
}

/* Calls a primitive with up to three arguments. Returns the id of its result. */
static uint32_t put_primitive(const struct outer *outer, uint32_t callee, const uint32_t *arguments,
                              uint32_t count)
{
    uint32_t parameter_count = 0;
    uint32_t call[6] = {ws_link_return_type(outer->editor, callee, &parameter_count),
                        ws_editor_id(outer->editor), callee};
    for (uint32_t i = 0; i < count; i++)
        call[3 + i] = arguments[i];
    put(outer, SpvOpFunctionCall, call, 3 + count);
    return call[1];
}

/* Counts what the inner function has left. */
static void put_marked(const struct outer *outer, const struct ws_runner_wrap *wrap)
{
    const uint32_t arguments[] = {ws_constant_u32(outer->editor, wrap->first),
                                  ws_constant_u32(outer->editor, wrap->used),
                                  put_primitive(outer, wrap->take_marks, NULL, 0)};
    put_primitive(outer, wrap->count_marks, arguments, 3);
}

/* Calls the inner function, and what stands behind it. */
static void put_inner(const struct outer *outer, const struct ws_runner_wrap *wrap, uint32_t inner)
{
    put_call(outer, inner);
    if (wrap->take_marks != 0)
        put_marked(outer, wrap);
    if (wrap->callee != 0)
        put_primitive(outer, wrap->callee, &wrap->argument, 1);
}

/* The same in the warps that are drawn; the others call the plain function. */
static void put_choice(const struct outer *outer, const struct ws_runner *runner, uint32_t function,
                       uint32_t inner)
{
    struct ws_editor *editor = outer->editor;
    const uint32_t yes = ws_editor_id(editor);
    const uint32_t no = ws_editor_id(editor);
    const uint32_t merge = ws_editor_id(editor);
    const uint32_t sample = ws_constant_u32(editor, runner->options->sample);
    const uint32_t drawn = put_primitive(outer, runner->samples[function].callee, &sample, 1);
    const uint32_t condition[] = {ws_global_find(editor, SpvOpTypeBool, 0, NULL, 0), ws_editor_id(editor),
                                  drawn, ws_constant_u32(editor, 0)};
    const uint32_t selection[] = {merge, SpvSelectionControlMaskNone};
    const uint32_t branch[] = {condition[1], yes, no};
    put(outer, SpvOpINotEqual, condition, 4);
    put(outer, SpvOpSelectionMerge, selection, 2);
    put(outer, SpvOpBranchConditional, branch, 3);
    put_label(outer, yes);
    put_inner(outer, &runner->wraps[function], inner);
    put_branch(outer, merge);
    put_label(outer, no);
    put_call(outer, runner->plan->copies->plain[function]);
    put_branch(outer, merge);
    put_label(outer, merge);
}

/* Writes the outer function, and gives the inner one an id of its own. The outer one stands first: all that names its id
 * without being allowed to do so before it is defined stands behind that (such as ClspvReflection). */
static void put_wrap(struct ws_runner *runner, uint32_t function)
{
    const struct ws_module *module = runner->module;
    const struct ws_instruction *instruction = &module->instructions[module->functions[function].first];
    const struct outer outer = {runner->editor, module->functions[function].first,
                                ws_operand(module, instruction, 0)};
    const uint32_t signature = ws_operand(module, instruction, 3);
    const uint32_t inner = ws_editor_id(outer.editor);
    const uint32_t opening[] = {outer.type, module->functions[function].id, SpvFunctionControlMaskNone,
                                signature};
    const uint32_t inner_opening[] = {outer.type, inner, SpvFunctionControlMaskNone, signature};
    ws_editor_replace(outer.editor, outer.index, SpvOpFunction, inner_opening, 4);
    rename_definition(runner, function, inner);
    put(&outer, SpvOpFunction, opening, 4);
    put_label(&outer, ws_editor_id(outer.editor));
    if (runner->samples[function].begun)
        put_choice(&outer, runner, function, inner);
    else
        put_inner(&outer, &runner->wraps[function], inner);
    put(&outer, SpvOpReturn, NULL, 0);
    put(&outer, SpvOpFunctionEnd, NULL, 0);
}

void ws_runner_put_wraps(struct ws_runner *runner)
{
    for (uint32_t f = 0; f < runner->module->function_count && !runner->editor->failed; f++)
        if (runner->wraps[f].callee != 0 || runner->wraps[f].take_marks != 0 || runner->samples[f].begun)
            put_wrap(runner, f);
}
