#include "analysis/reorder/reorder_threads.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/passes.h"

/* A tail that grows. */
struct open_tail {
    uint64_t site;
    uint32_t visit;
    uint32_t node;
    uint32_t key;
    uint32_t depth; /* shaders around the call */
    bool inside;    /* the thread is in a shader that the call runs */
    bool cut;       /* what the thread executes did not fit any more: it is as if it stayed in its warp */
};

struct thread {
    struct ws_walk walk;
    struct open_tail *open; /* one for each call site that it has visited */
    uint32_t open_count;
    uint32_t open_capacity;
};

static struct thread *thread_at(const struct ws_reorder_threads *threads, const struct ws_context *context,
                                uint32_t lane)
{
    const uint32_t index = context->threads[lane];
    return index != WS_NONE ? ws_page_get(&threads->threads, index, sizeof(struct thread)) : NULL;
}

static void thread_finish(struct thread *thread)
{
    ws_walk_finish(&thread->walk);
    free(thread->open);
    memset(thread, 0, sizeof(*thread));
}

void ws_reorder_threads_finish(struct ws_reorder_threads *threads)
{
    for (uint32_t i = 0; i < threads->threads.count; ++i)
        for (uint32_t j = 0; j < WS_PAGE; ++j) {
            struct thread *thread = ws_page_get(&threads->threads, i * WS_PAGE + j, sizeof(*thread));
            if (thread != NULL)
                thread_finish(thread);
        }
    ws_pages_finish(&threads->threads);
    ws_path_tree_finish(&threads->tree);
    ws_path_tree_finish(&threads->shaders);
    ws_id_map_finish(&threads->names_at);
    ws_id_map_finish(&threads->visits_at);
    ws_id_map_finish(&threads->befores_at);
    free(threads->names);
    free(threads->visits);
    free(threads->befores);
    free(threads->tails);
    memset(threads, 0, sizeof(*threads));
}

/* Shaders that run while a ray is on its way. How many warps they take is up to how a device walks its structures: they
 * are not looked at. */
static bool is_of_traversal(uint32_t stage)
{
    return stage == WS_STAGE_ANY_HIT || stage == WS_STAGE_INTERSECTION;
}

/* The shader that a call runs is known, or a callable that this one runs. */
static bool note_shader(struct ws_reorder_threads *threads, struct thread *thread, uint32_t shader,
                        uint32_t stage)
{
    const uint32_t depth = thread->walk.shaders;
    for (uint32_t i = 0; i < thread->open_count; ++i) {
        struct open_tail *tail = &thread->open[i];
        const bool called = tail->depth == depth && threads->visits[tail->visit].name == thread->walk.call;
        const bool further = tail->depth + 1 == depth && tail->inside && stage == WS_STAGE_CALLABLE;
        tail->inside = tail->inside || called;
        if ((called || further) && !ws_path_tree_child(&threads->shaders, tail->key, WS_PATH_TAKEN,
                                                       (uint64_t)shader + 1, &tail->key))
            return false;
    }
    return true;
}

bool ws_reorder_threads_enter(struct ws_reorder_threads *threads, struct ws_context *context)
{
    const uint32_t module = threads->catalog->shaders[context->shader].module;
    context->user[threads->user] = NULL;
    if (is_of_traversal(context->stage) || (context->stage & WS_STAGES_RAY_TRACING) == 0 ||
        module >= threads->nest_count || threads->nests[module].blocks == NULL)
        return true;
    for (struct ws_lanes left = context->entered; ws_lanes_any(left);) {
        const uint32_t index = context->threads[ws_lanes_take(&left)];
        if (index == WS_NONE)
            continue;
        struct thread *thread = ws_page_touch(&threads->threads, index, sizeof(*thread));
        if (thread == NULL)
            return false;
        /* A continuation's threads are in it already. */
        if (context->continues && thread->walk.shaders > 0)
            continue;
        if (!note_shader(threads, thread, context->shader, context->stage) ||
            !ws_walk_enter(&thread->walk, context->shader, context->number))
            return false;
    }
    /* Never written through: the contexts that are looked at have it. */
    context->user[threads->user] = (void *)&threads->nests[module];
    return true;
}

bool ws_reorder_threads_move(struct ws_reorder_threads *threads, struct ws_context *from, uint32_t from_lane,
                             struct ws_context *context, uint32_t lane)
{
    struct thread *thread = thread_at(threads, context, lane);
    (void)from_lane;
    if (context->user[threads->user] != NULL && thread != NULL)
        ws_walk_move(&thread->walk, from->number, context->number);
    return true;
}

/* The index of a block's name. False when there is no memory. */
static bool add_name(struct ws_reorder_threads *threads, uint64_t name, uint32_t shader,
                     uint32_t instructions)
{
    uint32_t at = 0;
    if (ws_id_map_get(&threads->names_at, name, &at))
        return true;
    struct ws_reorder_name *names =
        ws_array_grow(threads->names, &threads->name_capacity, threads->name_count + 1, sizeof(*names));
    if (names == NULL)
        return false;
    threads->names = names;
    names[threads->name_count] = (struct ws_reorder_name){name, shader, instructions};
    return ws_id_map_put(&threads->names_at, name, threads->name_count++);
}

static struct ws_reorder_before *find_before(struct ws_reorder_threads *threads, uint64_t site,
                                             uint32_t bounce, uint32_t ran)
{
    const uint64_t key = ws_walk_mix(ws_walk_mix(site, bounce), ran);
    uint32_t at = 0;
    if (ws_id_map_get(&threads->befores_at, key, &at))
        return &threads->befores[at];
    struct ws_reorder_before *befores = ws_array_grow(threads->befores, &threads->before_capacity,
                                                      threads->before_count + 1, sizeof(*befores));
    if (befores == NULL)
        return NULL;
    threads->befores = befores;
    if (!ws_id_map_put(&threads->befores_at, key, threads->before_count))
        return NULL;
    befores[threads->before_count] = (struct ws_reorder_before){.site = site, .bounce = bounce, .ran = ran};
    return &befores[threads->before_count++];
}

/* One execution of a block by a warp, in tails of one call site and bounce. */
struct share {
    uint64_t site;
    uint32_t bounce;
    uint32_t lanes; /* that go on in new warps */
};

#define SHARES_MAX 64 /* that one execution can have; of further ones nothing is counted */

/* What one record has led from node to node so far. Lanes of a warp mostly have one path: looking it up in the tree once for
 * each lane would be most of the work. */
struct steps {
    uint32_t count;
    struct {
        uint32_t from;
        uint32_t to;
        uint64_t name;
    } steps[32];
};

/* One step from a node. False when there is no memory. */
static bool step(struct ws_reorder_threads *threads, struct steps *known, uint64_t name, uint32_t *node)
{
    const uint32_t from = *node;
    for (uint32_t i = known->count; i-- > 0;)
        if (known->steps[i].from == from && known->steps[i].name == name) {
            *node = known->steps[i].to;
            return true;
        }
    if (!ws_path_tree_child(&threads->tree, from, WS_PATH_TAKEN, name, node))
        return false;
    if (known->count < sizeof(known->steps) / sizeof(known->steps[0])) {
        known->steps[known->count].from = from;
        known->steps[known->count].to = *node;
        known->steps[known->count++].name = name;
    }
    return true;
}

/* Appends a block to the tails of a thread, and notes whose these are. */
static bool append(struct ws_reorder_threads *threads, struct thread *thread, uint64_t name,
                   struct steps *known, struct share *shares, uint32_t *count)
{
    for (uint32_t i = 0; i < thread->open_count; ++i) {
        struct open_tail *tail = &thread->open[i];
        const uint32_t bounce = threads->visits[tail->visit].bounce;
        uint32_t at = 0;
        uint32_t node = tail->node;
        if (!tail->cut && !step(threads, known, name, &node))
            return false;
        tail->cut = tail->cut || node == WS_PATH_LOST;
        tail->node = tail->cut ? tail->node : node;
        while (at < *count && (shares[at].site != tail->site || shares[at].bounce != bounce))
            at++;
        if (at == *count && at < SHARES_MAX)
            shares[(*count)++] = (struct share){tail->site, bounce, 0};
        if (at < SHARES_MAX && !tail->cut)
            shares[at].lanes++;
    }
    return true;
}

/* Adds an execution of a block by a warp with so many active lanes to what it is in. The highest bounce of each call site
 * has the execution. */
static bool add_execution(struct ws_reorder_threads *threads, const struct ws_context *context,
                          uint64_t instructions, uint64_t active, const struct share *shares, uint32_t count)
{
    const uint64_t slots = instructions * context->lane_count;
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_reorder_before *before =
            find_before(threads, shares[i].site, shares[i].bounce, context->shader);
        bool highest = true;
        uint64_t visited = 0; /* lanes in new warps, of any bounce */
        if (before == NULL)
            return false;
        for (uint32_t j = 0; j < count; ++j)
            if (shares[j].site == shares[i].site) {
                visited += shares[j].lanes;
                highest = highest && shares[j].bounce <= shares[i].bounce;
            }
        before->active_after += instructions * shares[i].lanes;
        if (!highest)
            continue;
        before->executions++;
        before->slots += slots;
        before->active += instructions * active;
        if (visited < active) {
            before->active_after += instructions * (active - visited);
            before->stay++;
            before->stay_slots += slots;
        }
    }
    return true;
}

static bool run_block(struct ws_reorder_threads *threads, const struct ws_context *context, uint32_t block,
                      struct ws_lanes lanes)
{
    const struct ws_module_record *module =
        &threads->catalog->modules[threads->catalog->shaders[context->shader].module];
    const struct ws_loop_nest *nest = context->user[threads->user];
    struct share shares[SHARES_MAX];
    struct steps known;
    uint32_t count = 0;
    uint64_t last = 0;
    known.count = 0;
    if (block >= nest->block_count)
        return true;
    const uint32_t instructions = module->blocks[block].info.instruction_count;
    for (struct ws_lanes left = lanes; ws_lanes_any(left);) {
        struct thread *thread = thread_at(threads, context, ws_lanes_take(&left));
        uint64_t name = 0;
        if (thread == NULL || thread->walk.shaders == 0)
            continue;
        if (!ws_walk_step(&thread->walk, nest, module, block, &name))
            return false;
        if (thread->open_count == 0)
            continue;
        if (name != last && !add_name(threads, name, context->shader, instructions))
            return false;
        last = name;
        if (!append(threads, thread, name, &known, shares, &count))
            return false;
    }
    return add_execution(threads, context, instructions, ws_lanes_count(lanes), shares, count);
}

/* A tail has ended. */
static bool end_tail(struct ws_reorder_threads *threads, uint32_t thread, const struct open_tail *tail)
{
    threads->lost += tail->cut;
    struct ws_reorder_tail *tails =
        ws_array_grow(threads->tails, &threads->tail_capacity, threads->tail_count + 1, sizeof(*tails));
    if (tails == NULL)
        return false;
    threads->tails = tails;
    tails[threads->tail_count++] = (struct ws_reorder_tail){tail->visit, thread, tail->node, tail->key};
    return true;
}

/* The visit of that name; it is made if need be. False when there is no memory. */
static bool find_visit(struct ws_reorder_threads *threads, const struct ws_reorder_visit *sought,
                       uint32_t *found)
{
    const uint64_t key = ws_walk_mix(sought->site, sought->name + sought->size);
    if (ws_id_map_get(&threads->visits_at, key, found))
        return true;
    struct ws_reorder_visit *visits =
        ws_array_grow(threads->visits, &threads->visit_capacity, threads->visit_count + 1, sizeof(*visits));
    if (visits == NULL)
        return false;
    threads->visits = visits;
    visits[threads->visit_count] = *sought;
    *found = threads->visit_count;
    return ws_id_map_put(&threads->visits_at, key, threads->visit_count++);
}

/* The thread visits: its tail of the call site ends, and the next begins. */
static bool begin_tail(struct ws_reorder_threads *threads, struct thread *thread, uint32_t index,
                       uint64_t site, uint32_t visit)
{
    uint32_t at = 0;
    while (at < thread->open_count && thread->open[at].site != site)
        at++;
    if (at < thread->open_count && !end_tail(threads, index, &thread->open[at]))
        return false;
    struct open_tail *open = ws_array_grow(thread->open, &thread->open_capacity, at + 1, sizeof(*open));
    if (open == NULL)
        return false;
    thread->open = open;
    open[at] = (struct open_tail){.site = site,
                                  .visit = visit,
                                  .depth = thread->walk.shaders,
                                  .cut = threads->tail_count >= WS_REORDER_TAILS_MAX};
    thread->open_count += at == thread->open_count;
    return true;
}

static bool call(struct ws_reorder_threads *threads, const struct ws_context *context, uint32_t offset,
                 struct ws_lanes lanes)
{
    const uint64_t site = ws_reorder_site(context->shader, offset);
    uint32_t visit = WS_NONE;
    for (struct ws_lanes left = lanes; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        struct thread *thread = thread_at(threads, context, lane);
        if (thread == NULL || thread->walk.shaders == 0)
            continue;
        const uint64_t name = ws_walk_call(&thread->walk, offset);
        if (visit == WS_NONE || threads->visits[visit].name != name) {
            const struct ws_reorder_visit sought = {.site = site,
                                                    .name = name,
                                                    .bounce = ws_walk_turn(&thread->walk),
                                                    .size = context->lane_count};
            if (!find_visit(threads, &sought, &visit))
                return false;
            threads->visits[visit].calls++;
        }
        if (!begin_tail(threads, thread, context->threads[lane], site, visit))
            return false;
    }
    return true;
}

bool ws_reorder_threads_place(struct ws_reorder_threads *threads, struct ws_context *context,
                              const struct ws_replay_place *place, struct ws_lanes lanes)
{
    lanes = ws_lanes_and(lanes, ws_lanes_first(context->lane_count));
    if (context->user[threads->user] == NULL)
        return true;
    if (place->tag == WS_TAG_DIVERGENCE_BLOCK)
        return run_block(threads, context, place->block, lanes);
    return place->tag != WS_TAG_DIVERGENCE_CALL || call(threads, context, place->offset, lanes);
}

bool ws_reorder_threads_leave(struct ws_reorder_threads *threads, struct ws_context *context,
                              struct ws_lanes lanes)
{
    if (context->user[threads->user] == NULL)
        return true;
    while (ws_lanes_any(lanes)) {
        const uint32_t lane = ws_lanes_take(&lanes);
        struct thread *thread = thread_at(threads, context, lane);
        if (thread == NULL || !ws_walk_leave(&thread->walk, context->number))
            continue;
        for (uint32_t i = 0; i < thread->open_count; ++i)
            if (thread->open[i].depth == thread->walk.shaders)
                thread->open[i].inside = false;
        if (thread->walk.shaders > 0)
            continue;
        for (uint32_t i = 0; i < thread->open_count; ++i)
            if (!end_tail(threads, context->threads[lane], &thread->open[i]))
                return false;
        thread_finish(thread);
    }
    return true;
}

bool ws_reorder_threads_close(struct ws_reorder_threads *threads, struct ws_context *context)
{
    const bool left = ws_reorder_threads_leave(threads, context, context->entered);
    context->user[threads->user] = NULL;
    return left;
}
