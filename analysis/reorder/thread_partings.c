/* Threads at partings (partings.h): where they part from others, which loops they turn, and which regions they leave. */
#include "analysis/reorder/running_thread.h"
#include "warpscope/base/array.h"

/* A thread leaves the regions of these partings: its tails of them end. False when there is no memory. */
static bool leave_partings(struct ws_reorder_threads *threads, struct ws_running_thread *thread,
                           uint32_t index, uint32_t left)
{
    /* Other passes tell of rays, and of what calls hand over. */
    const struct ws_running_known nothing = {NULL, NULL};
    if (!ws_running_thread_end_span(threads, thread))
        return false;
    for (uint32_t i = 0; i < thread->open_count;) {
        struct ws_running_tail *tails = thread->tails;
        if ((tails[i].parting & left) == 0) {
            i++;
            continue;
        }
        if (!ws_before_leave(&threads->befores, thread->list, tails[i].site, &thread->list) ||
            !ws_running_thread_keep_tail(threads, thread, index, &tails[i], &nothing))
            return false;
        tails[i] = tails[--thread->open_count];
        tails[thread->open_count] = tails[--thread->tail_count];
    }
    thread->partings &= ~left;
    if (thread->tail_count == 0)
        thread->path_count = 0;
    return true;
}

/* The warp is counted that executed a branch: by others of its threads it is not again. */
static void count_coming(struct ws_reorder_threads *threads, const struct ws_context *context,
                         const struct ws_running_coming *coming)
{
    const struct ws_reorder_context *looked = context->user[threads->user];
    const uint64_t serial = coming->serial;
    if (serial == 0)
        return;
    threads->visits[coming->visit].calls++;
    for (uint32_t lane = 0; lane < context->lane_count; ++lane) {
        struct ws_running_thread *thread = looked->lanes[lane];
        if (thread == NULL || thread->index != context->threads[lane])
            continue;
        for (uint32_t i = 0; i < thread->coming_count; ++i)
            if (thread->comings[i].serial == serial)
                thread->comings[i].serial = 0;
    }
}

/* A thread visits a selection: it comes to the first block of the region. */
static bool visit_parting(struct ws_reorder_threads *threads, const struct ws_context *context,
                          struct ws_running_thread *thread, uint32_t lane,
                          const struct ws_running_coming *coming)
{
    struct ws_reorder_context *looked = context->user[threads->user];
    const uint32_t visit = coming->visit;
    count_coming(threads, context, coming);
    return ws_running_thread_count_call(threads, looked, looked->partings->list[coming->parting].offset, lane,
                                        visit) &&
           ws_running_thread_begin_tail(threads, thread, threads->visits[visit].site, visit,
                                        1u << coming->parting);
}

/* The selection whose branch a thread comes to with its next block in a function: taken from the thread, with those of what
 * that function called. False: there is none. */
static bool take_coming(const struct ws_reorder_context *looked, struct ws_running_thread *thread,
                        uint32_t function, struct ws_running_coming *coming)
{
    const struct ws_nest_block *blocks = looked->nest->blocks;
    for (uint32_t i = thread->coming_count; i-- > 0;)
        if (blocks[looked->partings->list[thread->comings[i].parting].block].function == function) {
            *coming = thread->comings[i];
            thread->coming_count = i;
            return true;
        }
    return false;
}

/* The visit of a loop by a thread that comes to its header from outside. Where it came from makes no difference: it is in the
 * first turn there, as others are. False when there is no memory. */
static bool find_loop_visit(struct ws_reorder_threads *threads, const struct ws_context *context,
                            uint32_t walk, const struct ws_parting *loop, uint32_t *visit)
{
    const struct ws_reorder_context *looked = context->user[threads->user];
    const struct ws_walks *walks = &threads->walks;
    const uint32_t from = walk;
    if (!ws_walk_step(&threads->walks, &walk, looked->nest,
                      &threads->catalog->modules[threads->catalog->shaders[context->shader].module],
                      loop->block))
        return false;
    const bool known = walks->walks[walk].level.kind == WS_WALK_LOOP;
    const struct ws_reorder_visit sought = {.site = ws_reorder_site(context->shader, loop->offset),
                                            .name = ws_walk_call(walks, walk, loop->offset),
                                            .invocation = ws_walk_invocation(walks, walk),
                                            .bounce =
                                                ws_walk_turn(walks, known ? walks->walks[walk].around : walk),
                                            .size = context->lane_count,
                                            .place = ws_walk_place(walks, walk),
                                            .block = loop->block,
                                            .parts = true,
                                            .turns = true};
    return ws_running_thread_find_visit(threads, from, &sought, visit);
}

/* A thread visits a loop. False when there is no memory. */
static bool visit_loop(struct ws_reorder_threads *threads, const struct ws_context *context,
                       struct ws_running_thread *thread, uint32_t lane, uint32_t number,
                       struct ws_running_come *come)
{
    struct ws_reorder_context *looked = context->user[threads->user];
    const struct ws_parting *loop = &looked->partings->list[number];
    const uint32_t walk = ws_running_thread_walk(threads, thread);
    if (come->loop_walk != walk && !find_loop_visit(threads, context, walk, loop, &come->loop_visit))
        return false;
    come->loop_walk = walk;
    struct ws_reorder_visit *visit = &threads->visits[come->loop_visit];
    visit->calls += visit->serial != threads->serial;
    visit->serial = threads->serial;
    return ws_running_thread_count_call(threads, looked, loop->offset, lane, come->loop_visit) &&
           ws_running_thread_begin_tail(threads, thread, visit->site, come->loop_visit, 1u << number);
}

/* What a region calls is in it, but others may call that, too: where a function begins, it is asked by which way. */
bool ws_running_threads_leave(struct ws_reorder_threads *threads, const struct ws_context *context,
                              uint32_t walk, uint32_t partings, uint32_t block, uint32_t *left)
{
    const struct ws_reorder_context *looked = context->user[threads->user];
    const struct ws_partings *known = looked->partings;
    const uint32_t module = threads->catalog->shaders[context->shader].module;
    const uint32_t still = partings & known->inside[block];
    *left = partings & ~known->inside[block];
    if (still == 0 || !looked->nest->blocks[block].first)
        return true;
    if (!ws_walk_step(&threads->walks, &walk, looked->nest, &threads->catalog->modules[module], block))
        return false;
    for (uint32_t i = 0; i < known->count; ++i)
        if ((still >> i & 1) != 0 &&
            !ws_walk_is_in(&threads->walks, walk, looked->nest->blocks[known->list[i].block].function))
            *left |= 1u << i;
    return true;
}

/* A thread leaves the regions that it is in no more where it comes to a block. False when there is no memory. */
static bool leave_regions(struct ws_reorder_threads *threads, const struct ws_context *context,
                          struct ws_running_thread *thread, uint32_t lane, struct ws_running_come *come)
{
    const uint32_t walk = ws_running_thread_walk(threads, thread);
    if (thread->partings == 0)
        return true;
    if ((come->walk != walk || come->partings != thread->partings) &&
        !ws_running_threads_leave(threads, context, walk, thread->partings, come->block, &come->left))
        return false;
    come->walk = walk;
    come->partings = thread->partings;
    return come->left == 0 || leave_partings(threads, thread, context->threads[lane], come->left);
}

bool ws_running_thread_come(struct ws_reorder_threads *threads, const struct ws_context *context,
                            struct ws_running_thread *thread, uint32_t lane, struct ws_running_come *come)
{
    struct ws_reorder_context *looked = context->user[threads->user];
    const struct ws_partings *partings = looked->partings;
    const uint32_t block = come->block;
    const uint32_t loop = ws_parting_loop_at(partings, block);
    struct ws_running_coming coming;
    if (thread->coming_count > 0 &&
        take_coming(looked, thread, looked->nest->blocks[block].function, &coming) &&
        (partings->inside[block] >> coming.parting & 1) != 0 &&
        !visit_parting(threads, context, thread, lane, &coming))
        return false;
    if (!leave_regions(threads, context, thread, lane, come))
        return false;
    return loop == WS_NONE || (thread->partings >> loop & 1) != 0 ||
           visit_loop(threads, context, thread, lane, loop, come);
}

/* The visit of a selection by threads that are at a walk, in the block of its branch. False when there is no memory. */
static bool find_parting_visit(struct ws_reorder_threads *threads, const struct ws_context *context,
                               uint32_t walk, uint32_t parting, uint32_t *visit)
{
    const struct ws_reorder_context *looked = context->user[threads->user];
    const uint32_t offset = looked->partings->list[parting].offset;
    const struct ws_reorder_visit sought = {.site = ws_reorder_site(context->shader, offset),
                                            .name = ws_walk_call(&threads->walks, walk, offset),
                                            .invocation = ws_walk_invocation(&threads->walks, walk),
                                            .bounce = ws_walk_turn(&threads->walks, walk),
                                            .size = context->lane_count,
                                            .place = ws_walk_place(&threads->walks, walk),
                                            .block = ws_walk_block(&threads->walks, walk),
                                            .parts = true};
    return (*visit != WS_NONE && threads->visits[*visit].name == sought.name) ||
           ws_running_thread_find_visit(threads, walk, &sought, visit);
}

bool ws_running_threads_part_held(struct ws_reorder_threads *threads, const struct ws_context *context,
                                  uint32_t parting)
{
    struct held *held = &((struct ws_reorder_context *)context->user[threads->user])->held;
    uint32_t visit = WS_NONE;
    threads->serial++;
    if (!find_parting_visit(threads, context, threads->stands.stands[held->stand].walk, parting, &visit))
        return false;
    held->comes = true;
    held->coming = (struct ws_running_coming){parting, visit, threads->serial};
    return true;
}

bool ws_running_threads_part(struct ws_reorder_threads *threads, const struct ws_context *context,
                             uint32_t parting, struct ws_lanes lanes)
{
    uint32_t visit = WS_NONE;
    uint32_t visited_from = WS_NONE;
    threads->serial++;
    while (ws_lanes_any(lanes)) {
        struct ws_running_thread *thread = ws_running_thread_at(threads, context, ws_lanes_take(&lanes));
        if (thread == NULL || thread->shaders == 0)
            continue;
        const uint32_t walk = ws_running_thread_walk(threads, thread);
        if (walk != visited_from && !find_parting_visit(threads, context, walk, parting, &visit))
            return false;
        visited_from = walk;
        struct ws_running_coming *comings = ws_array_grow(thread->comings, &thread->coming_capacity,
                                                          thread->coming_count + 1, sizeof(*comings));
        if (comings == NULL)
            return false;
        thread->comings = comings;
        comings[thread->coming_count++] = (struct ws_running_coming){parting, visit, threads->serial};
    }
    return true;
}
