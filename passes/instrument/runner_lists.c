/* What the runner lists: blocks, sites, what is skipped. */
#include "passes/base/arena.h"
#include "passes/instrument/runner_state.h"
#include "passes/spirv/sites.h"

static void add_site(struct ws_runner *runner, const struct ws_site_info *site)
{
    struct ws_instrumented *result = runner->result;
    struct ws_site_info *sites = ws_arena_grow(runner->module->arena, result->sites, result->site_count,
                                               &runner->site_capacity, sizeof(*sites));
    if (sites == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the sites of a module");
        return;
    }
    result->sites = sites;
    sites[result->site_count++] = *site;
}

void ws_runner_add_site(struct ws_runner *runner, enum ws_site_kind kind, uint32_t block, uint32_t offset,
                        uint32_t row)
{
    add_site(runner, &(struct ws_site_info){.pass = WS_NONE,
                                            .kind = (uint32_t)kind,
                                            .block = runner->block_infos[block],
                                            .offset = offset,
                                            .row = row});
}

void ws_runner_add_pass_site(struct ws_visit *visit, uint32_t tag, enum ws_site_kind kind, uint32_t offset,
                             uint32_t row)
{
    add_site(visit->runner, &(struct ws_site_info){.pass = visit->pass,
                                                   .tag = tag,
                                                   .kind = (uint32_t)kind,
                                                   .block = visit->runner->block_infos[visit->block],
                                                   .offset = offset,
                                                   .row = row});
}

void ws_runner_add_skip(struct ws_runner *runner, uint32_t pass, uint32_t offset, uint32_t count,
                        const char *reason)
{
    struct ws_instrumented *result = runner->result;
    for (uint32_t i = runner->walk_skips; i < result->skip_count; i++) {
        if (result->skips[i].pass == pass && result->skips[i].reason == reason) {
            result->skips[i].count += count;
            return;
        }
    }
    struct ws_skip_info *skips = ws_arena_grow(runner->module->arena, result->skips, result->skip_count,
                                               &runner->skip_capacity, sizeof(*skips));
    if (skips == NULL) {
        ws_editor_fail(runner->editor, "out of memory for what is skipped in a module");
        return;
    }
    result->skips = skips;
    skips[result->skip_count++] =
        (struct ws_skip_info){pass, offset, count, reason, reason == ws_runner_no_shuffles};
}

uint32_t ws_runner_offset(const struct ws_runner *runner, struct ws_cursor cursor)
{
    return runner->module->instructions[cursor.instruction + cursor.after].offset;
}

uint32_t ws_runner_visit_offset(const struct ws_visit *visit)
{
    const struct ws_module *module = visit->runner->module;
    return visit->instruction != WS_NONE ? module->instructions[visit->instruction].offset
                                         : ws_runner_offset(visit->runner, visit->cursor);
}

bool ws_runner_list_blocks(struct ws_runner *runner)
{
    const struct ws_module *module = runner->module;
    struct ws_instrumented *result = runner->result;
    result->blocks = ws_arena_allocate(module->arena, module->block_count, sizeof(*result->blocks));
    if (result->blocks == NULL)
        return false;
    for (uint32_t b = 0; b < module->block_count; b++) {
        const struct ws_block *block = &module->blocks[b];
        const struct ws_function *function = &module->functions[block->function];
        const struct ws_cfg *cfg = &runner->plan->cfgs[block->function];
        const bool reached = runner->plan->functions[block->function].reached &&
                             (cfg->opaque || cfg->position[b - function->block_first] != WS_NONE);
        runner->block_infos[b] = WS_NONE;
        if (!reached)
            continue;
        const struct ws_instruction *label = &module->instructions[block->first];
        const struct ws_instruction *last = &module->instructions[block->end - 1];
        runner->block_infos[b] = result->block_count;
        result->blocks[result->block_count++] = (struct ws_block_info){
            .label = block->label,
            .offset = label->offset,
            .length = last->offset + last->length - label->offset,
            .function = function->id,
            .instruction_count = ws_block_instruction_count(module, block),
        };
    }
    return true;
}

void ws_runner_list_refusals(struct ws_runner *runner)
{
    const struct ws_module *module = runner->module;
    runner->walk_skips = UINT32_MAX; /* each by itself */
    for (uint32_t e = 0; e < module->entry_point_count; e++)
        if (runner->plan->entries[e].stage == 0)
            ws_runner_add_skip(runner, WS_NONE, WS_NONE, 1, "an entry point of a stage that is not known");
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ws_instrument_plan_function *plan = &runner->plan->functions[f];
        const struct ws_cfg *cfg = &runner->plan->cfgs[f];
        if (plan->refusal != NULL) {
            const uint32_t blocks = cfg->opaque ? cfg->block_count : cfg->order_count;
            ws_runner_add_skip(runner, WS_NONE, module->instructions[module->functions[f].first].offset,
                               blocks == 0 ? 1 : blocks, plan->refusal);
        }
    }
    runner->walk_skips = runner->result->skip_count;
}
