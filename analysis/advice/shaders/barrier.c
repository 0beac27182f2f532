/* Advice `barrier`: a barrier that only a part of a workgroup comes to.
 *
 * Evidence, by barrier of a compute, task or mesh shader with the execution scope Workgroup, one of these:
 *   - the threads that came to it, over the whole capture, are no multiple of the workgroup size. Every time that all
 *     threads of a workgroup come, this number grows by that size;
 *   - warps came to it with a number of lanes with which no warp entered the shader. But where as many threads came as
 *     entered the entry point's function that it stands in, or that number once more for each turn of a loop, nobody is
 *     missing: then warps have come apart (warp_entry_exit.h).
 * Some thread of a workgroup was not there. It returned before, or took another branch, or left a loop earlier. Then the
 * behaviour is undefined (SPIR-V specification, OpControlBarrier: if Execution is Workgroup or larger, all invocations
 * within Execution must execute the same dynamic instance). Of barriers that are missed at the same branch only the
 * first is said.
 *
 * Saving: nothing that can be counted; the shader is wrong. CERTAIN by the number of threads. By the lanes alone it is
 * LIKELY: warps that came apart may have brought whole workgroups, while other workgroups did not come at all. There is
 * no threshold.
 *
 * Example: `if (gl_GlobalInvocationID.x >= count) return;` before a barrier, where the last workgroup is not full. */
#include <inttypes.h>
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "analysis/advice/shaders/shader_rule.h"

/* Whether an instruction is a barrier for a workgroup. */
static bool is_barrier(const struct ws_module *module, const struct ws_instruction *instruction)
{
    const struct ws_instruction *scope = ws_module_definition(module, ws_operand(module, instruction, 0));
    return instruction->opcode == SpvOpControlBarrier && scope != NULL && scope->opcode == SpvOpConstant &&
           ws_operand(module, scope, 2) == SpvScopeWorkgroup;
}

/* A number of lanes with which warps came to the block but none entered the shader; 0 = there is none, or all threads
 * came. */
static uint32_t odd_lanes(const struct ws_shader_run *run, uint32_t block, uint32_t first)
{
    const bool in_main = run->code->code->module.blocks[block].function == run->entry_function;
    struct ws_simt_counts counts;
    struct ws_simt_histogram here;
    struct ws_simt_histogram entry;
    if (in_main && run->blocks[first].active > 0 &&
        run->blocks[block].active % run->blocks[first].active == 0)
        return 0;
    ws_simt_block(run->simt, run->shader, run->blocks[block].record, &counts, &here);
    ws_simt_block(run->simt, run->shader, run->blocks[first].record, &counts, &entry);
    for (uint32_t i = 0; i < here.bins; ++i)
        if (here.counts[i] > 0 && (i >= entry.bins || entry.counts[i] == 0))
            return i + 1;
    return 0;
}

/* The block at whose end the lanes of a block have parted from others, as far as its own function tells; WS_NONE = not
 * in this function. */
static uint32_t parting_of(const struct ws_shader_run *run, uint32_t block)
{
    const uint32_t function = run->code->code->module.blocks[block].function;
    const uint32_t begin = run->code->code->module.functions[function].block_first;
    const struct ws_constructs *constructs = &run->code->constructs[function];
    if (constructs->block_count == 0)
        return WS_NONE;
    for (uint32_t at = block - begin; at != WS_NONE; at = constructs->steps[at].outer) {
        const struct ws_step *step = &constructs->steps[at];
        const uint32_t outer = step->outer != WS_NONE ? begin + step->outer : WS_NONE;
        if (step->kind != WS_STEP_NONE && outer != WS_NONE &&
            run->blocks[begin + at].active < run->blocks[outer].active)
            return begin + step->place;
    }
    return WS_NONE;
}

/* `size`: threads of a workgroup, where their number is the evidence; 0 = it is `odd`. */
static bool advise_barrier(const struct ws_advice_shader *shader, uint32_t instruction, uint32_t parting,
                           uint64_t size, uint32_t odd, struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    const struct ws_module *module = &run->code->code->module;
    const struct ws_block_run *block = &run->blocks[run->code->values.block[instruction]];
    char place[WS_PLACE_SIZE];
    char where[WS_PLACE_SIZE] = "";
    const char *count =
        size == 0 ? ws_advice_text(list,
                                   "Warps came to it with %" PRIu32
                                   " active lanes, and none entered the shader with so many. ",
                                   odd)
                  : ws_advice_text(list,
                                   "%" PRIu64 " threads came to it, which is no multiple of the %" PRIu64
                                   " threads of a workgroup. ",
                                   block->active, size);
    if (parting != WS_NONE)
        ws_shader_run_place(run, module->blocks[parting].end - 1, where, sizeof(where));
    const struct ws_advice advice = {
        .subject = ws_advice_text(list, "barrier at %s (%s)",
                                  ws_shader_run_place(run, instruction, place, sizeof(place)), shader->name),
        .evidence = ws_advice_text(list,
                                   "%sSo only a part of a workgroup came%s%s. What a device does then is "
                                   "not defined: it may hang, or go on too early.",
                                   count, parting != WS_NONE ? "; the others left at " : "", where),
        .change = ws_advice_text(
            list,
            "call barrier() where all threads of the workgroup come%s%s: behind the branch, not in "
            "it; and let threads without work go on without effect rather than return",
            parting != WS_NONE ? ", whichever way they go at " : "", where),
        .certainty = size > 0 ? WS_CERTAIN : WS_LIKELY,
        .doubt = size > 0 ? NULL
                          : "a device that lets warps come apart may have brought whole workgroups in parts",
    };
    return ws_advice_add(list, &advice);
}

static bool advise(void *user, const struct ws_advice_shader *shader, struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    const struct ws_module *module = &run->code->code->module;
    const uint32_t *local = run->catalog->shaders[run->shader].local_size;
    const uint64_t size = (uint64_t)local[0] * local[1] * local[2];
    const uint32_t first = module->functions[run->entry_function].block_first;
    bool added = true;
    (void)user;
    if (!ws_advice_has_workgroups(shader->stage) || run->blocks[first].record == WS_NONE)
        return true;
    bool *told = calloc((size_t)module->block_count + 1, sizeof(*told)); /* one more for partings not known */
    if (told == NULL)
        return false;
    for (uint32_t b = 0; b < module->block_count && added; ++b) {
        const struct ws_block_run *block = &run->blocks[b];
        for (uint32_t i = module->blocks[b].first; block->active > 0 && i < module->blocks[b].end && added;
             ++i) {
            if (!is_barrier(module, &module->instructions[i]))
                continue;
            const bool broken = size > 0 && block->active % size != 0;
            const uint32_t odd = run->by_warps && !broken ? odd_lanes(run, b, first) : 0;
            const uint32_t parting = parting_of(run, b);
            bool *known = &told[parting != WS_NONE ? parting : module->block_count];
            if ((!broken && odd == 0) || *known)
                continue;
            *known = true;
            added = advise_barrier(shader, i, parting, broken ? size : 0, odd, list);
        }
    }
    free(told);
    return added;
}

extern const struct ws_advice_rule ws_advice_rule_barrier;

const struct ws_advice_rule ws_advice_rule_barrier = {
    .name = "barrier",
    .undefined = true,
    .title = "Barriers for whole workgroups",
    .summary = "barriers to which only a part of a workgroup came",
    .state_size = sizeof(struct ws_advice_state),
    .shader = advise,
};
