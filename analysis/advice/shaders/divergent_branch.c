/* Advice `divergent_branch`: a branch that parts the lanes of warps.
 *
 * Evidence, by branch (if, switch): how many warps came to it with how many lanes, and how many ran each side with how
 * many. A warp runs, one after the other, every side that one of its lanes takes.
 *
 * Saving: the idle slots that idle_slots.h books on the branch: those that the sides would not need if the warps in
 * them were as full as the warps that come to the branch. POSSIBLE: the data may not allow to give a warp's threads the
 * same side; and what brings them together costs slots itself. Said from a twentieth of the capture's slots.
 *
 * A branch that picks one lane of each warp (subgroupElect(), gl_SubgroupInvocationID == ...) is meant so, and left out:
 * there are no threads of the same side to bring together.
 *
 * Example: `if ((gl_LocalInvocationIndex & 1) == 1) { work }`: every warp runs the work with half of its lanes. If odd and
 * even were told by gl_SubgroupID instead, half of the warps would run it. */
#include <inttypes.h>
#include <stdio.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/text.h"

#include "analysis/advice/shaders/shader_rule.h"

#define SIDES_SHOWN 3

/* ": 128 ran lines 20-24 with 4.0 lanes, 128 ran ..." */
static void describe_sides(const struct ws_shader_run *run, uint32_t block, char *text, size_t size)
{
    const uint32_t function = run->code->code->module.blocks[block].function;
    const uint32_t begin = run->code->code->module.functions[function].block_first;
    const struct ws_constructs *constructs = &run->code->constructs[function];
    uint32_t shown = 0;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < constructs->order_count && used < size; ++i) {
        const uint32_t side = constructs->order[i];
        const struct ws_step *step = &constructs->steps[side];
        const struct ws_block_run *ran = &run->blocks[begin + side];
        char lines[WS_PLACE_SIZE];
        if (step->kind != WS_STEP_BRANCH || begin + step->place != block || ran->executions == 0 ||
            shown++ >= SIDES_SHOWN)
            continue;
        used += (size_t)snprintf(
            text + used, size - used, "%s %" PRIu64 " ran the side at %s with %.1f lanes",
            shown > 1 ? "," : "", ran->executions,
            ws_shader_run_lines(run, begin + side, lines, sizeof(lines)), ws_block_run_lanes(ran));
    }
    if (shown > SIDES_SHOWN && used < size)
        snprintf(text + used, size - used, ", and %" PRIu32 " more", shown - SIDES_SHOWN);
}

/* What may bring threads of one side together. */
static const char *change_for(uint32_t stage)
{
    if (ws_advice_has_workgroups(stage))
        return "let neighbouring threads take the same side: decide by the workgroup or gl_SubgroupID where "
               "the data "
               "allows it, sort the work by the condition, or run each side in a dispatch of its own. Where "
               "both "
               "sides compute the same from other values, choose the values first (mix, ?:) and compute once";
    if (stage == WS_STAGE_FRAGMENT)
        return "draw what takes each side with a pipeline of its own, or, where both sides compute the same "
               "from "
               "other values, choose the values first (mix, ?:) and compute once";
    if ((stage & (WS_STAGE_RAYGEN | WS_STAGES_CALLED)) != 0)
        return "bring rays of one side together, by a launch of their own or by shader execution reordering "
               "(VK_EXT_ray_tracing_invocation_reorder), or, where both sides compute the same from other "
               "values, "
               "choose the values first (mix, ?:) and compute once";
    return "let neighbouring threads take the same side, or, where both sides compute the same from other "
           "values, "
           "choose the values first (mix, ?:) and compute once";
}

static bool advise_branch(const struct ws_advice_shader *shader, uint32_t block, struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    const struct ws_block_run *ran = &run->blocks[block];
    char place[WS_PLACE_SIZE];
    char sides[4 * WS_PLACE_SIZE];
    describe_sides(run, block, sides, sizeof(sides));
    const struct ws_advice advice = {
        .subject = ws_advice_text(
            list, "branch at %s (%s)",
            ws_shader_run_place(run, run->code->code->module.blocks[block].end - 1, place, sizeof(place)),
            shader->name),
        .evidence = ws_advice_text(list,
                                   "%" PRIu64 " warp%s of %" PRIu64
                                   " lanes came to it with %.1f active lanes each; of "
                                   "them%s.",
                                   ran->executions, ws_plural(ran->executions, "s"),
                                   ran->slots / ran->executions, ws_block_run_lanes(ran), sides),
        .change = change_for(shader->stage),
        .saves = WS_SAVES_SLOTS,
        .saving = ws_advice_slots(shader->idle->branches[block]),
        .of = shader->all,
        .at_most = true,
        .certainty = WS_POSSIBLE,
        .doubt = "what brings threads of one side together costs slots, too",
    };
    return ws_advice_add(list, &advice);
}

/* Whether a branch picks one lane of every warp that takes a side. */
static bool is_election(const struct ws_advice_shader *shader, uint32_t block)
{
    const struct ws_shader_run *run = shader->run;
    const struct ws_module *module = &run->code->code->module;
    const struct ws_instruction *end = &module->instructions[module->blocks[block].end - 1];
    const uint32_t function = module->blocks[block].function;
    const uint32_t begin = module->functions[function].block_first;
    const struct ws_constructs *constructs = &run->code->constructs[function];
    if (end->opcode != SpvOpBranchConditional ||
        !ws_value_elects(&run->code->values, ws_operand(module, end, 0)))
        return false;
    for (uint32_t i = 0; i < constructs->order_count; ++i) {
        const uint32_t side = constructs->order[i];
        const struct ws_block_run *ran = &run->blocks[begin + side];
        if (constructs->steps[side].kind == WS_STEP_BRANCH &&
            begin + constructs->steps[side].place == block && ran->executions > 0 &&
            ran->active == ran->executions)
            return true;
    }
    return false;
}

static bool advise(void *user, const struct ws_advice_shader *shader, struct ws_advice_list *list)
{
    (void)user;
    for (uint32_t b = 0; shader->idle != NULL && b < shader->run->code->code->module.block_count; ++b)
        if (ws_advice_shader_is_worth(shader, shader->idle->branches[b], WS_SHARE_OF_REWRITE) &&
            !is_election(shader, b) && !advise_branch(shader, b, list))
            return false;
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_divergent_branch;

const struct ws_advice_rule ws_advice_rule_divergent_branch = {
    .name = "divergent_branch",
    .cause = WS_CAUSE_CONTROL_FLOW,
    .title = "Branches that part warps",
    .summary = "branches whose sides run with few lanes",
    .state_size = sizeof(struct ws_advice_state),
    .shader = advise,
};
