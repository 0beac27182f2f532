/* Sampled entry points (root.h, SAMPLING): which of their two bodies a warp runs, and in which rows it counts. The plain body
 * comes from copies.c, the choice is put around both by wrap.c. */
#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"

/* Which primitive draws; WS_PRIMITIVE_COUNT where none does. Workgroups draw by themselves, so compute stages need no
 * subgroup operations. */
static enum ws_primitive primitive_of(uint32_t stage, enum ws_link_lanes lanes, bool per_thread)
{
    switch (stage) {
    case WS_STAGE_COMPUTE: return WS_PRIMITIVE_SAMPLE_COMPUTE;
    case WS_STAGE_VERTEX: return per_thread ? WS_PRIMITIVE_SAMPLE_THREAD_VERTEX : WS_PRIMITIVE_SAMPLE_VERTEX;
    case WS_STAGE_TESSELLATION_CONTROL:
        return per_thread ? WS_PRIMITIVE_SAMPLE_THREAD_TESS_CONTROL : WS_PRIMITIVE_SAMPLE_TESS_CONTROL;
    case WS_STAGE_TESSELLATION_EVALUATION:
        return per_thread ? WS_PRIMITIVE_SAMPLE_THREAD_TESS_EVALUATION : WS_PRIMITIVE_SAMPLE_TESS_EVALUATION;
    case WS_STAGE_GEOMETRY:
        return per_thread ? WS_PRIMITIVE_SAMPLE_THREAD_GEOMETRY : WS_PRIMITIVE_SAMPLE_GEOMETRY;
    case WS_STAGE_FRAGMENT:
        if (lanes == WS_LANES_DEMOTE)
            return per_thread ? WS_PRIMITIVE_SAMPLE_THREAD_DEMOTE : WS_PRIMITIVE_SAMPLE_DEMOTE;
        return per_thread ? WS_PRIMITIVE_SAMPLE_THREAD_FRAGMENT : WS_PRIMITIVE_SAMPLE_FRAGMENT;
    default: return per_thread ? WS_PRIMITIVE_SAMPLE_THREAD_RAY : WS_PRIMITIVE_SAMPLE_RAY;
    }
}

/* Whether every function that the entry point reaches counts in the rows of the entry point's group. One that some other
 * entry point enters without its own function finds the rows anew where it begins, and so the first group's. */
static bool keeps_rows(const struct ws_runner *runner, const struct ws_instrument_plan_entry *entry)
{
    for (uint32_t i = 0; i < entry->function_count; i++)
        if (ws_runner_is_entered_elsewhere(runner, &runner->plan->functions[entry->functions[i]]))
            return false;
    return true;
}

void ws_runner_begin_sample(struct ws_runner *runner, uint32_t function)
{
    const struct ws_instrument_plan *plan = runner->plan;
    const struct ws_instrument_plan_function *about = &plan->functions[function];
    if (plan->copies == NULL || plan->copies->plain[function] == 0)
        return;
    const uint32_t stage = plan->entries[about->entry_points[0]].stage;
    for (uint32_t i = 0; i < about->entry_point_count; i++) {
        const struct ws_instrument_plan_entry *entry = &plan->entries[about->entry_points[i]];
        if (entry->stage != stage || !keeps_rows(runner, entry))
            return;
    }
    runner->samples[function].callee =
        ws_runner_link(runner, function, primitive_of(stage, about->lanes, about->per_thread));
}

void ws_runner_end_sample(struct ws_runner *runner, uint32_t entry)
{
    const uint32_t function = runner->plan->entries[entry].functions[0];
    const struct ws_instrument_plan_function *about = &runner->plan->functions[function];
    struct ws_runner_sample *sample = &runner->samples[function];
    if (sample->callee == 0 || sample->begun)
        return;
    const uint32_t callee = ws_link_primitive(runner->editor, WS_PRIMITIVE_BEGIN_GROUP, about->entry_points,
                                              about->entry_point_count);
    const uint32_t row_count = ws_constant_u32(runner->editor, runner->result->entries[entry].row_count);
    const uint32_t block = runner->module->functions[function].block_first;
    ws_link_call(runner->editor, ws_runner_prologue(runner->module, block), callee, &row_count, 1);
    sample->begun = true;
}
