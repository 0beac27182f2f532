/* Advice `constant_branch`: a branch on a value that a whole command has in common, of which one side never ran.
 *
 * Evidence, by branch (if, switch): its condition is invariant (warpscope/code/values.h), and no constant: it comes of
 * push constants or uniform buffers. In the whole capture only one of its sides ran. As a specialization constant the
 * condition is known when the pipeline is made: then neither the test is left nor the side.
 *
 * Saving: the slots of the instructions that only the test needs: loads, comparisons. The branch itself is not counted,
 * nor the registers that the side would take. LIKELY: another frame may take the other side, and then needs a pipeline of
 * its own. Said from a hundredth of the capture's slots.
 *
 * Example: `if ((settings.flags & DEBUG) != 0) { ... }` in a loop of ten turns: four instructions of every turn. */
#include <inttypes.h>

#include <spirv/unified1/spirv.h>

#include "analysis/advice/shaders/shader_rule.h"
#include "warpscope/base/text.h"
#include "warpscope/spirv/sites.h"

/* What a branch's test costs. */
struct test {
    uint32_t block; /* that ends in the branch */
    uint32_t condition;
    double slots;
    uint32_t instructions;
    uint32_t idle_side; /* a block of the module that never ran */
    uint32_t idle_instructions;
};

/* Whether the value is an instruction's, and no constant: what is made of specialization constants alone is what this
 * advice asks for. */
static bool is_computed_here(const struct ws_shader_code *code, uint32_t id)
{
    const struct ws_instruction *definition = ws_module_definition(&code->code->module, id);
    return definition != NULL && id < code->code->module.bound && code->values.invariant[id] &&
           !code->values.constant[id] &&
           code->values.block[definition - code->code->module.instructions] != WS_NONE;
}

/* Whether exactly one side of a branch that ran has run. */
static bool has_idle_side(const struct ws_shader_run *run, struct test *test)
{
    const uint32_t function = run->code->code->module.blocks[test->block].function;
    const uint32_t begin = run->code->code->module.functions[function].block_first;
    const struct ws_cfg *cfg = &run->code->cfgs[function];
    const struct ws_constructs *constructs = &run->code->constructs[function];
    const uint32_t block = test->block - begin;
    const uint32_t merge = constructs->block_count > 0 ? constructs->merge[block] : WS_NONE;
    test->idle_side = WS_NONE;
    if (merge == WS_NONE || constructs->loop_header[block] || run->blocks[test->block].active == 0)
        return false;
    for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; ++i)
        if (cfg->successors[i] != merge && run->blocks[begin + cfg->successors[i]].record != WS_NONE &&
            run->blocks[begin + cfg->successors[i]].active == 0)
            test->idle_side = begin + cfg->successors[i];
    /* One side has run with all lanes: the merge block is one where there is no else. */
    for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; ++i) {
        const struct ws_block_run *side = &run->blocks[begin + cfg->successors[i]];
        if (side->executions == run->blocks[test->block].executions &&
            side->active == run->blocks[test->block].active)
            return test->idle_side != WS_NONE;
    }
    return false;
}

static void count_idle_side(const struct ws_shader_run *run, struct test *test)
{
    const uint32_t function = run->code->code->module.blocks[test->block].function;
    const uint32_t begin = run->code->code->module.functions[function].block_first;
    const struct ws_constructs *constructs = &run->code->constructs[function];
    for (uint32_t i = 0; i < constructs->order_count; ++i)
        if (ws_block_tree_is_below(&constructs->dominators, constructs->order[i], test->idle_side - begin))
            test->idle_instructions += run->blocks[begin + constructs->order[i]].instructions;
}

static void cost_test(const struct ws_shader_run *run, struct test *test, struct ws_removal *removal)
{
    ws_removal_reset(removal);
    ws_removal_drop(removal, test->condition);
    for (uint32_t i = 0; i < removal->count; ++i) {
        const double slots = ws_instruction_run_slots(run, removal->list[i]);
        test->slots += slots;
        test->instructions += slots > 0;
    }
}

static bool advise_test(const struct ws_advice_shader *shader, struct test *test, struct ws_removal *removal,
                        struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    char place[WS_PLACE_SIZE];
    char lines[WS_PLACE_SIZE];
    cost_test(run, test, removal);
    if (!ws_advice_shader_is_worth(shader, test->slots, WS_SHARE_OF_LINE))
        return true;
    count_idle_side(run, test);
    ws_shader_run_place(run, run->code->code->module.blocks[test->block].end - 1, place, sizeof(place));
    const struct ws_advice advice = {
        .subject = ws_advice_text(list, "branch at %s (%s)", place, shader->name),
        .evidence = ws_advice_text(
            list,
            "It ran %" PRIu64 " time%s, and never took the side at %s, of %" PRIu32
            " instructions. Its condition comes from push constants or uniform buffers, so all "
            "threads of a command go the same way. The test takes %" PRIu32 " instruction%s besides the "
            "branch.",
            run->blocks[test->block].executions, ws_plural(run->blocks[test->block].executions, "s"),
            ws_shader_run_lines(run, test->idle_side, lines, sizeof(lines)), test->idle_instructions,
            test->instructions, ws_plural(test->instructions, "s")),
        .change = ws_advice_text(
            list,
            "make the condition at %s a specialization constant (layout(constant_id = ...) const), "
            "set it by VkSpecializationInfo, and make a pipeline for each value that is used",
            place),
        .saves = WS_SAVES_SLOTS,
        .saving = ws_advice_slots(test->slots),
        .of = shader->all,
        .certainty = WS_LIKELY,
        .doubt = "other frames may take the other side",
    };
    return ws_advice_add(list, &advice);
}

static bool advise(void *user, const struct ws_advice_shader *shader, struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    const struct ws_module *module = &run->code->code->module;
    struct ws_removal removal;
    (void)user;
    if (!ws_removal_init(&removal, &run->code->values, shader->scratch))
        return false;
    for (uint32_t b = 0; b < module->block_count; ++b) {
        const struct ws_instruction *end = &module->instructions[module->blocks[b].end - 1];
        struct test test = {.block = b, .condition = ws_operand(module, end, 0)};
        if ((end->opcode == SpvOpBranchConditional || end->opcode == SpvOpSwitch) &&
            ws_advice_block_is_hot(shader, b) && is_computed_here(run->code, test.condition) &&
            has_idle_side(run, &test) && !advise_test(shader, &test, &removal, list))
            return false;
    }
    return true;
}

extern const struct ws_advice_rule ws_advice_rule_constant_branch;

const struct ws_advice_rule ws_advice_rule_constant_branch = {
    .name = "constant_branch",
    .title = "Branches for specialization constants",
    .summary = "hot branches on push constants or uniform buffers of which one side never ran",
    .state_size = sizeof(struct ws_advice_state),
    .shader = advise,
};
