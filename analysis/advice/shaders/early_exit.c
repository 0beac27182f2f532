/* Advice `early_exit`: threads return early, and the others go on in thin warps, or need far fewer warps.
 *
 * Evidence, by construct of a compute, task, mesh or ray generation shader in which lanes end (an early return): how
 * many lanes and warps came to it, and how many went on behind it. It is one of two:
 *   - THIN: those that go on have half as many lanes in a warp as came, or fewer. The idle slots of all that follows
 *     are those that idle_slots.h books on the exit.
 *   - EMPTY: at least half of the warps did nothing but return, in a dispatch: nothing in front of the exit and in it
 *     acts (acts.h). Their slots are those of what stands in
 *     front of the exit, and of the exit. So saved is, of each block that all threads run, the part of the slots of
 *     those that return; all slots of the blocks in which they return; and the idle slots behind the exit.
 * Where those that go on are one lane of each warp or workgroup, chosen by its number (code/values.h,
 * ws_value_elects), they are no threads with work of their own: nothing is said.
 * The construct must be one that all threads come to that have not ended before.
 *
 * Saving: these slots. Of THIN it is what the rest would not need if the threads that go on filled warps as well as
 * those that come: POSSIBLE, for collecting them costs slots. Of EMPTY it is what a dispatch of only these threads would not
 * need: LIKELY. Said from a twentieth of the capture's slots.
 *
 * Example: a kernel over all particles returns for dead ones, and three of four are dead: its warps work with a quarter
 * of their lanes. */
#include <inttypes.h>

#include <spirv/unified1/spirv.h>

#include "analysis/advice/shaders/acts.h"
#include "analysis/advice/shaders/shader_rule.h"
#include "warpscope/base/text.h"

/* An exit of the entry point's function. Blocks are indices in the function. */
struct exit {
    const struct ws_constructs *constructs;
    const struct ws_block_run *blocks; /* of the function */
    uint32_t begin;                    /* of the function, in the module's blocks */
    uint32_t header;
    uint32_t rest; /* the merge block, where those go on that have not ended */
};

/* Whether all threads come to the header that have not ended before. */
static bool is_met_by_all(const struct exit *exit)
{
    for (uint32_t at = exit->header; at != WS_NONE; at = exit->constructs->steps[at].outer)
        if (exit->constructs->steps[at].kind == WS_STEP_BRANCH ||
            exit->constructs->steps[at].kind == WS_STEP_LOOP)
            return false;
    return true;
}

/* Whether lanes of the block are lost for good: it is in the construct and does not come to its merge block. */
static bool is_way_out(const struct exit *exit, uint32_t block)
{
    const struct ws_block_tree *tree = &exit->constructs->dominators;
    return block != exit->header && ws_block_tree_is_below(tree, block, exit->header) &&
           !ws_block_tree_is_below(tree, block, exit->rest);
}

/* Whether something in front of the rest acts. */
static bool acts_before(const struct ws_acts *acts, const struct exit *exit)
{
    const struct ws_module *module = &acts->code->code->module;
    for (uint32_t i = 0; i < exit->constructs->order_count; ++i) {
        const uint32_t block = exit->constructs->order[i];
        const struct ws_block *at = &module->blocks[exit->begin + block];
        for (uint32_t j = at->first; j < at->end; ++j)
            if (!ws_block_tree_is_below(&exit->constructs->dominators, block, exit->rest) &&
                ws_instruction_acts(acts, j))
                return true;
    }
    return false;
}

/* The slots in front of the exit, and in it, that only threads which return need. */
static double slots_before(const struct exit *exit)
{
    const struct ws_block_run *all = &exit->blocks[exit->header];
    const double gone = 1 - (double)exit->blocks[exit->rest].active / (double)all->active;
    double slots = 0;
    for (uint32_t i = 0; i < exit->constructs->order_count; ++i) {
        const uint32_t block = exit->constructs->order[i];
        const struct ws_block_run *ran = &exit->blocks[block];
        if (is_way_out(exit, block))
            slots += (double)ws_block_run_slots(ran);
        else if (ran->executions == all->executions && ran->active == all->active)
            slots += gone * (double)ws_block_run_slots(ran);
    }
    return slots;
}

static bool add_thin(const struct ws_advice_shader *shader, const struct exit *exit, double saving,
                     const char *place, struct ws_advice_list *list)
{
    const struct ws_block_run *came = &exit->blocks[exit->header];
    const struct ws_block_run *rest = &exit->blocks[exit->rest];
    const bool rays = shader->stage == WS_STAGE_RAYGEN;
    const struct ws_advice advice = {
        .subject = ws_advice_text(list, "early return at %s (%s)", place, shader->name),
        .evidence = ws_advice_text(
            list,
            "%" PRIu64 " warp%s of %" PRIu64 " lanes came to it with %.1f active lanes each; "
            "%" PRIu64 " of %" PRIu64 " threads went on, in %" PRIu64 " warp%s with %.1f active lanes each.",
            came->executions, ws_plural(came->executions, "s"), came->slots / came->executions,
            ws_block_run_lanes(came), rest->active, came->active, rest->executions,
            ws_plural(rest->executions, "s"), ws_block_run_lanes(rest)),
        .change = ws_advice_text(
            list,
            "collect the threads that go on in a list (atomicAdd, or subgroupBallotExclusiveBitCount), "
            "and run the rest for this list in a %s of its own, whose size the list gives (%s)",
            rays ? "launch" : "dispatch", rays ? "vkCmdTraceRaysIndirectKHR" : "vkCmdDispatchIndirect"),
        .saves = WS_SAVES_SLOTS,
        .saving = ws_advice_slots(saving),
        .of = shader->all,
        .at_most = true,
        .certainty = WS_POSSIBLE,
        .doubt = "the list costs slots and memory, too. Threads that return fill their warps better, too: "
                 "that is not counted, and saves more",
    };
    return ws_advice_add(list, &advice);
}

static bool add_empty(const struct ws_advice_shader *shader, const struct exit *exit, double saving,
                      const char *place, struct ws_advice_list *list)
{
    const struct ws_block_run *came = &exit->blocks[exit->header];
    const struct ws_block_run *rest = &exit->blocks[exit->rest];
    const struct ws_advice advice = {
        .subject = ws_advice_text(list, "early return at %s (%s)", place, shader->name),
        .evidence =
            ws_advice_text(list,
                           "%" PRIu64 " of %" PRIu64 " warps do nothing but return there: %" PRIu64
                           " of %" PRIu64 " threads go on.",
                           came->executions - rest->executions, came->executions, rest->active, came->active),
        .change = "dispatch only as many workgroups as there is work for: the number of elements / the "
                  "workgroup size, "
                  "rounded up; with vkCmdDispatchIndirect, where the device knows the number",
        .saves = WS_SAVES_SLOTS,
        .saving = ws_advice_slots(saving),
        .of = shader->all,
        .certainty = WS_LIKELY,
        .doubt = "which threads have work may not be known before",
    };
    return ws_advice_add(list, &advice);
}

/* Whether all but one lane of each warp that goes on leave, by their number. */
static bool leaves_one(const struct ws_advice_shader *shader, const struct exit *exit)
{
    const struct ws_shader_code *code = shader->run->code;
    const struct ws_module *module = &code->code->module;
    const struct ws_instruction *end =
        &module->instructions[module->blocks[exit->begin + exit->header].end - 1];
    const struct ws_block_run *rest = &exit->blocks[exit->rest];
    return end->opcode == SpvOpBranchConditional && rest->active == rest->executions &&
           ws_value_elects(&code->values, ws_operand(module, end, 0));
}

static bool advise_exit(const struct ws_advice_shader *shader, const struct exit *exit,
                        const struct ws_acts *acts, struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    const struct ws_block_run *came = &exit->blocks[exit->header];
    const struct ws_block_run *rest = &exit->blocks[exit->rest];
    const double behind = shader->idle->exits[exit->begin + exit->header];
    char place[WS_PLACE_SIZE];
    if (came->active == 0 || rest->active == 0 || leaves_one(shader, exit))
        return true;
    ws_shader_run_place(run, run->code->code->module.blocks[exit->begin + exit->header].end - 1, place,
                        sizeof(place));
    if (ws_advice_has_workgroups(shader->stage) && 2 * rest->executions <= came->executions &&
        !acts_before(acts, exit)) {
        const double saving = slots_before(exit) + (behind > 0 ? behind : 0);
        return !ws_advice_shader_is_worth(shader, saving, WS_SHARE_OF_REWRITE) ||
               add_empty(shader, exit, saving, place, list);
    }
    return 2 * ws_block_run_lanes(rest) > ws_block_run_lanes(came) ||
           !ws_advice_shader_is_worth(shader, behind, WS_SHARE_OF_REWRITE) ||
           add_thin(shader, exit, behind, place, list);
}

static bool advise_exits(const struct ws_advice_shader *shader, const struct ws_acts *acts,
                         struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    const uint32_t begin = run->code->code->module.functions[run->entry_function].block_first;
    const struct ws_constructs *constructs = &run->code->constructs[run->entry_function];
    for (uint32_t i = 0; constructs->block_count > 0 && i < constructs->order_count; ++i) {
        const uint32_t block = constructs->order[i];
        const struct ws_step *step = &constructs->steps[block];
        const struct exit exit = {constructs, run->blocks + begin, begin, step->place, block};
        if (step->kind == WS_STEP_EXIT && !constructs->loop_header[step->place] &&
            ws_advice_block_is_hot(shader, begin + step->place) && is_met_by_all(&exit) &&
            !advise_exit(shader, &exit, acts, list))
            return false;
    }
    return true;
}

static bool advise(void *user, const struct ws_advice_shader *shader, struct ws_advice_list *list)
{
    struct ws_acts acts;
    (void)user;
    if (shader->idle == NULL ||
        (!ws_advice_has_workgroups(shader->stage) && shader->stage != WS_STAGE_RAYGEN))
        return true;
    const bool advised = ws_acts_init(&acts, shader->run) && advise_exits(shader, &acts, list);
    ws_acts_finish(&acts);
    return advised;
}

extern const struct ws_advice_rule ws_advice_rule_early_exit;

const struct ws_advice_rule ws_advice_rule_early_exit = {
    .name = "early_exit",
    .cause = WS_CAUSE_EARLY_RETURN,
    .title = "Threads that return early",
    .summary = "early returns that leave thin warps, or whole warps without work",
    .state_size = sizeof(struct ws_advice_state),
    .shader = advise,
};
