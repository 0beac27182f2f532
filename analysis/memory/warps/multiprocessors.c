#include "analysis/memory/warps/multiprocessors.h"

#include <stdlib.h>

#include "analysis/memory/warps/courses.h"
#include "analysis/memory/warps/workgroups.h"
#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"

void ws_multiprocessors_finish(struct ws_multiprocessors *multiprocessors)
{
    free(multiprocessors->warps);
    ws_wide_warps_finish(&multiprocessors->wide);
    ws_id_map_finish(&multiprocessors->homes);
}

static bool is_wide(const struct ws_multiprocessors *multiprocessors)
{
    return multiprocessors->wide.lanes > 0;
}

static bool find_workgroup(const struct ws_multiprocessors *multiprocessors, const struct ws_context *context,
                           const struct ws_thread *thread, uint64_t *key)
{
    return ws_workgroup_key(&multiprocessors->catalog->shaders[context->shader], thread->work, key);
}

/* Deals the next multiprocessor out. */
static uint32_t next_multiprocessor(struct ws_multiprocessors *multiprocessors)
{
    return multiprocessors->begun++ % multiprocessors->count;
}

static bool find_multiprocessor(struct ws_multiprocessors *multiprocessors, const struct ws_context *context,
                                const struct ws_thread *thread, uint32_t *multiprocessor)
{
    uint64_t key = 0;
    const bool has_home = find_workgroup(multiprocessors, context, thread, &key) ||
                          ws_tile_key(multiprocessors->tile, context->stage, thread->work, &key);
    if (has_home && ws_id_map_get(&multiprocessors->homes, key, multiprocessor))
        return true;
    *multiprocessor = next_multiprocessor(multiprocessors);
    return !has_home || ws_id_map_put(&multiprocessors->homes, key, *multiprocessor);
}

/* What a warp is among those of its launch (wide_warps.h). */
static struct ws_wide_member member_of(const struct ws_multiprocessors *multiprocessors,
                                       const struct ws_context *context, const struct ws_thread *thread)
{
    const uint32_t *size = multiprocessors->catalog->shaders[context->shader].local_size;
    struct ws_wide_member member = {.warp = context->warp,
                                    .shader = context->shader,
                                    .lanes = context->lane_count,
                                    .entered = ws_lanes_count(context->entered)};
    if (context->stage == WS_STAGE_RAYGEN) {
        member.is_placed = true;
        member.row = (uint64_t)thread->work[2] << 32 | thread->work[1];
        member.position = thread->work[0];
        member.length = multiprocessors->launch->size[0];
    } else if (find_workgroup(multiprocessors, context, thread, &member.row)) {
        member.is_placed = true;
        member.position = thread->work[0] % size[0] +
                          size[0] * (thread->work[1] % size[1] + size[1] * (thread->work[2] % size[2]));
        member.length = size[0] * size[1] * size[2];
    }
    return member;
}

/* Notes where a context comes in its warp. */
static bool begin_course(const struct ws_multiprocessors *multiprocessors, struct ws_context *context)
{
    const uint32_t user = multiprocessors->user;
    struct ws_course *course = calloc(1, sizeof(*course));
    context->user[user] = course;
    if (course != NULL && context->caller != NULL && context->caller->user[user] != NULL)
        ws_course_enter(course, context->caller->user[user], context->entered, context->stage);
    return course != NULL;
}

bool ws_multiprocessors_enter(struct ws_multiprocessors *multiprocessors, struct ws_context *context,
                              const struct ws_thread *threads)
{
    uint32_t first = context->warp;
    if (is_wide(multiprocessors) && !begin_course(multiprocessors, context))
        return false;
    if (context->depth > 0 || context->warp == WS_NONE)
        return true;
    const struct ws_thread *thread = &threads[context->threads[ws_lanes_lowest(context->entered)]];
    const struct ws_wide_member member = member_of(multiprocessors, context, thread);
    if (is_wide(multiprocessors) && !ws_wide_warps_enter(&multiprocessors->wide, &member, &first))
        return false;
    if (context->warp < multiprocessors->warp_count)
        return true;
    uint32_t *warps = ws_array_grow(multiprocessors->warps, &multiprocessors->warp_capacity,
                                    (size_t)context->warp + 1, sizeof(*warps));
    if (warps == NULL)
        return false;
    multiprocessors->warps = warps;
    while (multiprocessors->warp_count <= context->warp)
        warps[multiprocessors->warp_count++] = 0;
    if (first == context->warp)
        return find_multiprocessor(multiprocessors, context, thread, &warps[context->warp]);
    warps[context->warp] = warps[first];
    return true;
}

/* Runs it as a part of its wide warp. */
static bool run_wide(struct ws_multiprocessors *multiprocessors, const struct ws_context *context,
                     const struct ws_execution *execution)
{
    const struct ws_catalog *catalog = multiprocessors->catalog;
    const struct ws_module_traces *traces = catalog->modules[catalog->shaders[context->shader].module].traces;
    struct ws_wide_order order = {.depth = context->depth, .shader = context->shader};
    ws_course_go_on(context->user[multiprocessors->user], traces, execution->site, &order);
    return ws_budget_spend(multiprocessors->wide.lanes) &&
           ws_wide_warps_add(&multiprocessors->wide, context->warp, &order, execution);
}

bool ws_multiprocessors_run(struct ws_multiprocessors *multiprocessors, const struct ws_context *context,
                            struct ws_execution *execution)
{
    execution->multiprocessor =
        context->warp < multiprocessors->warp_count ? multiprocessors->warps[context->warp] : 0;
    return is_wide(multiprocessors) ? run_wide(multiprocessors, context, execution)
                                    : multiprocessors->wide.run(multiprocessors->wide.user, execution);
}

bool ws_multiprocessors_close(struct ws_multiprocessors *multiprocessors, struct ws_context *context)
{
    if (!is_wide(multiprocessors))
        return true;
    free(context->user[multiprocessors->user]);
    context->user[multiprocessors->user] = NULL;
    return context->depth > 0 || context->warp == WS_NONE ||
           ws_wide_warps_leave(&multiprocessors->wide, context->warp);
}
