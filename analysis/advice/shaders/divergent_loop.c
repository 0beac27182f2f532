/* Advice `divergent_loop`: lanes of a warp run a loop unequally often.
 *
 * Evidence, by loop: how often a lane runs it on average, and how often a warp, which goes on until its last lane has
 * left.
 *
 * Saving: the idle slots that idle_slots.h books on the loop: those that it would not need if the warps in it stayed
 * as full as the warps that came to it. POSSIBLE, and said from a twentieth of the capture's slots, as of branches
 * (divergent_branch.c).
 *
 * Example: lane i of 8 runs a loop i + 1 times. A warp runs it 8 times, a lane 4.5 times on average: 28 of 64 slots of
 * its body are idle. Were all lanes of a warp of one length, it would take 36 instead of 64. */
#include <inttypes.h>

#include "analysis/advice/shaders/shader_rule.h"

/* The block of a loop that runs most often, apart from its header: how often the loop runs. */
static uint32_t body_of(const struct ws_shader_run *run, uint32_t header)
{
    const uint32_t function = run->code->code->module.blocks[header].function;
    const uint32_t begin = run->code->code->module.functions[function].block_first;
    const struct ws_constructs *constructs = &run->code->constructs[function];
    uint32_t body = header;
    for (uint32_t i = 0; i < constructs->order_count; ++i) {
        const uint32_t block = constructs->order[i];
        if (constructs->loop[block] == header - begin && begin + block != header &&
            (body == header || run->blocks[begin + block].active > run->blocks[body].active) &&
            constructs->steps[block].kind == WS_STEP_LOOP)
            body = begin + block;
    }
    return body;
}

static bool advise_loop(const struct ws_advice_shader *shader, uint32_t header, struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    const struct ws_module *module = &run->code->code->module;
    const uint32_t function = module->blocks[header].function;
    const uint32_t begin = module->functions[function].block_first;
    const uint32_t outer = run->code->constructs[function].steps[header - begin].outer;
    const struct ws_block_run *before = &run->blocks[outer != WS_NONE ? begin + outer : header];
    const struct ws_block_run *body = &run->blocks[body_of(run, header)];
    char place[WS_PLACE_SIZE];
    if (before->active == 0)
        return true;
    const struct ws_advice advice = {
        .subject = ws_advice_text(
            list, "loop at %s (%s)",
            ws_shader_run_place(run, module->blocks[header].end - 1, place, sizeof(place)), shader->name),
        .evidence = ws_advice_text(
            list,
            "%" PRIu64 " warps of %" PRIu64 " lanes come to it with %.1f active lanes each; in it "
            "%.1f are active. A lane runs it %.1f times on average, a warp %.1f times: it goes on until its "
            "last "
            "lane has left.",
            before->executions, before->slots / before->executions, ws_block_run_lanes(before),
            ws_block_run_lanes(body), (double)body->active / (double)before->active,
            (double)body->executions / (double)before->executions),
        .change = ws_advice_has_workgroups(shader->stage)
                      ? "give the threads of a warp loops of equal length: sort the work by length, cut long "
                        "pieces, "
                        "or let a lane that is done take the next piece of work instead of waiting"
                      : "give neighbouring threads loops of equal length: limit the longest, or collect what "
                        "goes on "
                        "and run it in a launch of its own (wavefront)",
        .saves = WS_SAVES_SLOTS,
        .saving = ws_advice_slots(shader->idle->loops[header]),
        .of = shader->all,
        .at_most = true,
        .certainty = WS_POSSIBLE,
        .doubt = "what brings threads of one length together costs slots, too",
    };
    return ws_advice_add(list, &advice);
}

static bool advise(void *user, const struct ws_advice_shader *shader, struct ws_advice_list *list)
{
    (void)user;
    for (uint32_t b = 0; shader->idle != NULL && b < shader->run->code->code->module.block_count; ++b)
        if (ws_advice_shader_is_worth(shader, shader->idle->loops[b], WS_SHARE_OF_REWRITE) &&
            !advise_loop(shader, b, list))
            return false;
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_divergent_loop;

const struct ws_advice_rule ws_advice_rule_divergent_loop = {
    .name = "divergent_loop",
    .cause = WS_CAUSE_CONTROL_FLOW,
    .title = "Loops that lanes leave at different times",
    .summary = "loops that warps run longer than their lanes do on average",
    .state_size = sizeof(struct ws_advice_state),
    .shader = advise,
};
