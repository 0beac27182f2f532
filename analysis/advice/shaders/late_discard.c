/* Advice `late_discard`: fragments are discarded, or intersections ignored, after work that does not decide it.
 *
 * Evidence, by discard (OpKill, OpTerminateInvocation, OpDemoteToHelperInvocation; in any-hit shaders
 * OpIgnoreIntersectionKHR) that all lanes come to, in the entry point's function: the instructions in front of it that
 * the test does not need (a slice, warpscope/code/values.h). What stores to buffers or images must stay in front, and so
 * must what takes derivatives, which are not defined behind a discard.
 *
 * Saving: of those instructions, the slots of warps that end there as a whole: slots x (1 - warps behind / warps that
 * come). Behind the test they would be spared. LIKELY: compilers move code, too. Said from a hundredth of the capture's
 * slots.
 *
 * Example: light is computed by 200 instructions, then `if (texture(mask, uv).a < 0.5) discard;`, and a third of the warps
 * ends there: 67 of 200 slots of the light would be spared by testing first. */
#include <inttypes.h>
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "analysis/advice/shaders/acts.h"
#include "analysis/advice/shaders/shader_rule.h"
#include "warpscope/spirv/sites.h"

/* A discard of the entry point's function. Blocks are indices in the module. */
struct discard {
    const struct ws_shader_run *run;
    const struct ws_constructs *constructs; /* of the function, whose first block is `begin` */
    uint32_t begin;
    uint32_t header; /* ends in the test, or in a call that tests and discards */
    uint32_t rest;   /* where those go on that are not discarded */
    double movable;  /* slots of what could stand behind the test */
    uint32_t first;  /* an instruction of it, the first; WS_NONE = none */
    uint32_t last;
    uint32_t count;
};

static bool is_discard(uint16_t opcode)
{
    return opcode == SpvOpKill || opcode == SpvOpTerminateInvocation ||
           opcode == SpvOpDemoteToHelperInvocation || opcode == SpvOpIgnoreIntersectionKHR;
}

/* Whether the construct of the header discards in a block that the header itself branches to; or the header ends in a
 * call of what may discard. */
static bool discards(const struct discard *discard)
{
    const struct ws_module *module = &discard->run->code->code->module;
    if (module->blocks[discard->header].is_cut)
        return true;
    for (uint32_t i = 0; i < discard->constructs->order_count; ++i) {
        const uint32_t side = discard->constructs->order[i];
        const struct ws_block *block = &module->blocks[discard->begin + side];
        if (discard->begin + discard->constructs->steps[side].outer != discard->header ||
            discard->begin + side == discard->rest)
            continue;
        for (uint32_t j = block->first; j < block->end; ++j)
            if (is_discard(module->instructions[j].opcode))
                return true;
    }
    return false;
}

/* Whether all lanes that have not ended before come to the header. */
static bool is_met_by_all(const struct discard *discard)
{
    for (uint32_t at = discard->header - discard->begin; at != WS_NONE;
         at = discard->constructs->steps[at].outer)
        if (discard->constructs->steps[at].kind == WS_STEP_BRANCH ||
            discard->constructs->steps[at].kind == WS_STEP_LOOP)
            return false;
    return true;
}

/* Whether a block stands in front of the test. */
static bool is_before(const struct discard *discard, uint32_t block)
{
    const uint32_t header = discard->header - discard->begin;
    return block == header || !ws_block_tree_is_below(&discard->constructs->dominators, block, header);
}

/* The slice of what must stay in front: the test, and what acts. */
static void find_needed(const struct discard *discard, const struct ws_acts *acts, struct ws_slice *slice)
{
    const struct ws_module *module = &discard->run->code->code->module;
    ws_slice_reset(slice);
    ws_slice_add(slice, module->blocks[discard->header].end - 1);
    for (uint32_t i = 0; i < discard->constructs->order_count; ++i) {
        const struct ws_block *block = &module->blocks[discard->begin + discard->constructs->order[i]];
        for (uint32_t j = block->first; j < block->end && is_before(discard, discard->constructs->order[i]);
             ++j)
            if (ws_instruction_acts(acts, j))
                ws_slice_add(slice, j);
    }
}

/* Whether an instruction in front of the test could stand behind it. A branch could, unless the slice needs it; one
 * without condition goes with the block that it leads to. */
static bool is_movable(const struct discard *discard, const struct ws_slice *slice, uint32_t instruction)
{
    const struct ws_module *module = &discard->run->code->code->module;
    const struct ws_instruction *at = &module->instructions[instruction];
    const uint32_t block = discard->run->code->values.block[instruction];
    if (slice->needed[instruction] || !ws_instruction_is_executed(module, at))
        return false;
    if (at->opcode != SpvOpBranch || !slice->block_needed[block])
        return true;
    const uint32_t target = ws_cfg_find_block(module, &module->functions[discard->run->entry_function],
                                              ws_operand(module, at, 0));
    return target != WS_NONE && !slice->block_needed[discard->begin + target];
}

/* Adds up what could stand behind the test. */
static void add_movable(struct discard *discard, const struct ws_slice *slice)
{
    const struct ws_module *module = &discard->run->code->code->module;
    for (uint32_t i = 0; i < discard->constructs->order_count; ++i) {
        const struct ws_block *block = &module->blocks[discard->begin + discard->constructs->order[i]];
        for (uint32_t j = block->first; j < block->end && is_before(discard, discard->constructs->order[i]);
             ++j) {
            if (!is_movable(discard, slice, j))
                continue;
            discard->movable += ws_instruction_run_slots(discard->run, j);
            discard->first = discard->count == 0 ? j : discard->first;
            discard->last = j;
            discard->count++;
        }
    }
}

static bool add_advice(const struct ws_advice_shader *shader, const struct discard *discard, double saving,
                       struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    const struct ws_block_run *came = &run->blocks[discard->header];
    const struct ws_block_run *rest = &run->blocks[discard->rest];
    const uint32_t test = run->code->code->module.blocks[discard->header].end - 1;
    const bool fragment = shader->stage == WS_STAGE_FRAGMENT;
    char place[WS_PLACE_SIZE];
    char first[WS_PLACE_SIZE];
    char last[WS_PLACE_SIZE];
    ws_shader_run_place(run, test, place, sizeof(place));
    const struct ws_advice advice = {
        .subject = ws_advice_text(list, "%s at %s (%s)", fragment ? "discard" : "ignoreIntersectionEXT",
                                  place, shader->name),
        .evidence = ws_advice_text(list,
                                   "%" PRIu64 " of %" PRIu64 " lanes end there, %" PRIu64 " of %" PRIu64
                                   " warps as a whole. Before that they have run %" PRIu32
                                   " instructions, from %s to %s, that the test does not need.",
                                   came->active - rest->active, came->active,
                                   came->executions - rest->executions, came->executions, discard->count,
                                   ws_shader_run_place(run, discard->first, first, sizeof(first)),
                                   ws_shader_run_place(run, discard->last, last, sizeof(last))),
        .change = ws_advice_text(list, "move the test at %s up, in front of what it does not need", place),
        .saves = WS_SAVES_SLOTS,
        .saving = ws_advice_slots(saving),
        .of = shader->all,
        .certainty = WS_LIKELY,
        .doubt = "the driver's compiler may have moved it already",
    };
    return ws_advice_add(list, &advice);
}

static bool advise_discard(const struct ws_advice_shader *shader, struct discard *discard,
                           const struct ws_acts *acts, struct ws_slice *slice, struct ws_advice_list *list)
{
    const struct ws_block_run *came = &shader->run->blocks[discard->header];
    const struct ws_block_run *rest = &shader->run->blocks[discard->rest];
    if (came->executions == 0 || rest->executions >= came->executions ||
        !ws_advice_block_is_hot(shader, discard->header) || !is_met_by_all(discard) || !discards(discard))
        return true;
    find_needed(discard, acts, slice);
    add_movable(discard, slice);
    const double saving = discard->movable * (1 - (double)rest->executions / (double)came->executions);
    return discard->count == 0 || !ws_advice_shader_is_worth(shader, saving, WS_SHARE_OF_LINE) ||
           add_advice(shader, discard, saving, list);
}

static bool advise_discards(const struct ws_advice_shader *shader, const struct ws_acts *acts,
                            struct ws_slice *slice, struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    const uint32_t begin = run->code->code->module.functions[run->entry_function].block_first;
    const struct ws_constructs *constructs = &run->code->constructs[run->entry_function];
    for (uint32_t i = 0; constructs->block_count > 0 && i < constructs->order_count; ++i) {
        const uint32_t block = constructs->order[i];
        const struct ws_step *step = &constructs->steps[block];
        struct discard discard = {.run = run,
                                  .constructs = constructs,
                                  .begin = begin,
                                  .header = begin + step->place,
                                  .rest = begin + block,
                                  .first = WS_NONE};
        if (step->kind == WS_STEP_EXIT && !constructs->loop_header[step->place] &&
            !advise_discard(shader, &discard, acts, slice, list))
            return false;
    }
    return true;
}

static bool advise(void *user, const struct ws_advice_shader *shader, struct ws_advice_list *list)
{
    struct ws_acts acts = {NULL, NULL};
    struct ws_slice slice;
    (void)user;
    if (shader->idle == NULL || (shader->stage != WS_STAGE_FRAGMENT && shader->stage != WS_STAGE_ANY_HIT))
        return true;
    const bool advised = ws_acts_init(&acts, shader->run) &&
                         ws_slice_init(&slice, &shader->run->code->values, shader->scratch) &&
                         advise_discards(shader, &acts, &slice, list);
    ws_acts_finish(&acts);
    return advised;
}

extern const struct ws_advice_rule ws_advice_rule_late_discard;

const struct ws_advice_rule ws_advice_rule_late_discard = {
    .name = "late_discard",
    .title = "Discard before the work",
    .summary = "fragments discarded, and intersections ignored, after work that the test does not need",
    .state_size = sizeof(struct ws_advice_state),
    .shader = advise,
};
