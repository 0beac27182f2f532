/* What can be reached in a shader, and what follows from that. */
#include <string.h>

#include "tests/model/program/program.h"

static void reach(const struct model_shader *shader, uint32_t block, bool reached[MODEL_BLOCKS])
{
    if (reached[block])
        return;
    reached[block] = true;
    for (uint32_t i = 0; i < shader->blocks[block].target_count; i++)
        reach(shader, shader->blocks[block].targets[i], reached);
    for (uint32_t i = 0; i < shader->blocks[block].action_count; i++) {
        const struct model_action *action = &shader->blocks[block].actions[i];
        if (action->kind == MODEL_CALL)
            reach(shader, shader->functions[action->target].first, reached);
    }
}

void model_reached(const struct model_shader *shader, bool reached[MODEL_BLOCKS])
{
    memset(reached, 0, MODEL_BLOCKS * sizeof(*reached));
    reach(shader, shader->functions[0].first, reached);
}

/* Whether a function leads to an action of which `is` is true. */
static bool leads_to(const struct model_shader *shader, uint32_t function,
                     bool (*is)(const struct model_action *action))
{
    bool reached[MODEL_BLOCKS] = {false};
    reach(shader, shader->functions[function].first, reached);
    for (uint32_t i = 0; i < shader->block_count; i++) {
        const struct model_block *block = &shader->blocks[i];
        for (uint32_t j = 0; reached[i] && j < block->action_count; j++)
            if (is(&block->actions[j]))
                return true;
    }
    return false;
}

bool model_leads(const struct model_shader *shader, uint32_t function)
{
    return leads_to(shader, function, model_is_site);
}

bool model_leads_to_rays(const struct model_shader *shader)
{
    return leads_to(shader, 0, model_is_of_rays);
}

bool model_cuts(const struct model_shader *shader, const struct model_action *action)
{
    bool reached[MODEL_BLOCKS] = {false};
    if (action->kind != MODEL_CALL)
        return action->kind == MODEL_REPORT || action->kind == MODEL_DEMOTE;
    reach(shader, shader->functions[action->target].first, reached);
    for (uint32_t i = 0; i < shader->block_count; i++) {
        const struct model_block *block = &shader->blocks[i];
        if (reached[i] && (block->end == MODEL_IGNORE || block->end == MODEL_TERMINATE ||
                           block->end == MODEL_KILL || block->end == MODEL_TERMINATE_INVOCATION))
            return true;
        for (uint32_t j = 0; reached[i] && j < block->action_count; j++)
            if (block->actions[j].kind == MODEL_REPORT || block->actions[j].kind == MODEL_DEMOTE)
                return true;
    }
    return false;
}
