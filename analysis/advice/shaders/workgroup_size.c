/* Advice `workgroup_size`: workgroups do not fill their last warp.
 *
 * Evidence, by compute, task or mesh shader: its workgroups have n threads, its warps s lanes, and n is no multiple of
 * s. So in each workgroup n mod s lanes of a warp have a thread, and the others never have one. Warps are not shared
 * between workgroups (SPIR-V specification, Scope: a subgroup is a part of a workgroup).
 *
 * Saving: the slots of those lanes, as idle_slots.h books them on PARTIAL. It is what the same threads would not need
 * in workgroups that fill their warps. LIKELY: other devices have other subgroup sizes. Said from a hundredth of the
 * capture's slots.
 *
 * Example: local_size_x = 36 with warps of 8: the fifth warp has 4 threads, a tenth of all slots is idle. */
#include <inttypes.h>

#include "analysis/advice/shaders/shader_rule.h"
#include "warpscope/base/text.h"

static bool advise(void *user, const struct ws_advice_shader *shader, struct ws_advice_list *list)
{
    const struct ws_shader_run *run = shader->run;
    const uint32_t *local = run->catalog->shaders[run->shader].local_size;
    const uint64_t size = (uint64_t)local[0] * local[1] * local[2];
    const struct ws_module *module = &run->code->code->module;
    const struct ws_block_run *first = &run->blocks[module->functions[run->entry_function].block_first];
    (void)user;
    if (!ws_advice_has_workgroups(shader->stage) || shader->idle == NULL || size == 0 ||
        first->executions == 0)
        return true;
    const uint64_t lanes = first->slots / first->executions;
    if (size % lanes == 0 || !ws_advice_shader_is_worth(shader, shader->idle->partial, WS_SHARE_OF_LINE))
        return true;
    const uint64_t warps = (size + lanes - 1) / lanes;
    const struct ws_advice advice = {
        .subject = shader->name,
        .evidence = ws_advice_text(
            list,
            "A workgroup has %" PRIu32 " x %" PRIu32 " x %" PRIu32 " = %" PRIu64 " thread%s, a warp %" PRIu64
            " lane%s. So a workgroup takes %" PRIu64 " warp%s, and only %" PRIu64 " of %" PRIu64
            " lanes of the last have a thread. %" PRIu64 " warp%s entered, with %.1f lanes each.",
            local[0], local[1], local[2], size, ws_plural(size, "s"), lanes, ws_plural(lanes, "s"), warps,
            ws_plural(warps, "s"), size % lanes, lanes, first->executions, ws_plural(first->executions, "s"),
            ws_block_run_lanes(first)),
        .change = ws_advice_text(list,
                                 "make local_size_x * local_size_y * local_size_z a multiple of %" PRIu64
                                 ", such as %" PRIu64 ", and dispatch fewer workgroups for the same threads",
                                 lanes, warps * lanes),
        .saves = WS_SAVES_SLOTS,
        .saving = ws_advice_slots(shader->idle->partial),
        .of = shader->all,
        .certainty = WS_LIKELY,
        .doubt = "other devices have warps of other sizes: 64 fills those of all usual ones",
    };
    return ws_advice_add(list, &advice);
}

extern const struct ws_advice_rule ws_advice_rule_workgroup_size;

const struct ws_advice_rule ws_advice_rule_workgroup_size = {
    .name = "workgroup_size",
    .cause = WS_CAUSE_PARTIAL,
    .title = "Workgroups that fill their warps",
    .summary = "workgroup sizes that are no multiple of the subgroup size",
    .state_size = sizeof(struct ws_advice_state),
    .shader = advise,
};
