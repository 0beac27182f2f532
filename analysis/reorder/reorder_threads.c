#include "analysis/reorder/reorder_threads.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "analysis/reorder/running_thread.h"
#include "warpscope/base/array.h"
#include "warpscope/opcodes.h"
#include "warpscope/passes.h"

/* What a thread does, as steps (stands.h): it executes a block, enters a shader, leaves it, or returns to a function. */
enum step { STEP_BLOCK, STEP_APPEND, STEP_ENTER, STEP_LEAVE, STEP_RETURN, STEP_TURN };
static uint64_t step_of(enum step kind, uint64_t what)
{
    return what << 3 | kind;
}

static void thread_finish(struct ws_running_thread *thread)
{
    free(thread->contexts);
    free(thread->tails);
    free(thread->comings);
    free(thread->path);
}

void ws_reorder_threads_finish(struct ws_reorder_threads *threads)
{
    for (uint32_t i = 0; i < threads->threads.count; ++i)
        thread_finish(ws_running_at(&threads->threads, i));
    ws_running_finish(&threads->threads);
    ws_walks_finish(&threads->walks);
    ws_growing_finish(&threads->growing);
    ws_stands_finish(&threads->stands);
    ws_spans_finish(&threads->spans);
    ws_path_tree_finish(&threads->shaders);
    ws_id_map_finish(&threads->visits_at);
    ws_befores_finish(&threads->befores);
    while (threads->spare != NULL) {
        struct ws_reorder_context *next = threads->spare->next;
        free(threads->spare->sites);
        free(threads->spare);
        threads->spare = next;
    }
    free(threads->visits);
    ws_tails_finish(&threads->tails);
    memset(threads, 0, sizeof(*threads));
}

/* Shaders that run while a ray is on its way. How many warps they take is up to how a device walks its structures: they
 * are not looked at. */
static bool is_of_traversal(uint32_t stage)
{
    return stage == WS_STAGE_ANY_HIT || stage == WS_STAGE_INTERSECTION;
}

/* The shader that a call runs is known, or a callable that this one runs. */
static bool note_shader(struct ws_reorder_threads *threads, struct ws_running_thread *thread, uint32_t shader,
                        uint32_t stage)
{
    const uint32_t depth = thread->shaders;
    for (uint32_t i = 0; i < thread->open_count; ++i) {
        struct ws_running_tail *tail = &thread->tails[i];
        const bool called = tail->depth == depth && threads->visits[tail->visit].name == thread->call;
        const bool further = tail->depth + 1 == depth && tail->inside && stage == WS_STAGE_CALLABLE;
        tail->inside = tail->inside || called;
        if ((called || further) && !ws_path_tree_child(&threads->shaders, tail->key, WS_PATH_TAKEN,
                                                       (uint64_t)shader + 1, &tail->key))
            return false;
    }
    return true;
}

/* Forgets where no thread is any more, and what none has: of stands, and where walks or lists are too many, of these. */
static bool forget(struct ws_reorder_threads *threads)
{
    struct ws_stands *stands = &threads->stands;
    const bool walks = ws_walks_full(&threads->walks);
    const bool lists = ws_growing_full(&threads->growing);
    uint32_t most = stands->count > threads->walks.count ? stands->count : threads->walks.count;
    most = most > threads->growing.count ? most : threads->growing.count;
    uint32_t *numbers = calloc((size_t)most + 1, sizeof(*numbers));
    if (numbers == NULL)
        return false;
    for (uint32_t i = 0; i < threads->threads.count; ++i) {
        struct ws_running_thread *thread = ws_running_at(&threads->threads, i);
        if (thread->holder != NULL)
            ws_running_threads_let_go(thread->holder);
        numbers[thread->stand] = 1;
    }
    ws_stands_forget(stands, numbers);
    for (uint32_t i = 0; i < threads->threads.count; ++i) {
        struct ws_running_thread *thread = ws_running_at(&threads->threads, i);
        thread->stand = numbers[thread->stand];
    }
    bool forgotten = true;
    threads->forgotten++;
    if (walks) {
        memset(numbers, 0, ((size_t)most + 1) * sizeof(*numbers));
        for (uint32_t i = 0; i < stands->count; ++i)
            numbers[stands->stands[i].walk] = 1;
        forgotten = ws_walks_forget(&threads->walks, numbers);
        for (uint32_t i = 0; i < stands->count && forgotten; ++i)
            stands->stands[i].walk = numbers[stands->stands[i].walk];
    }
    if (lists && forgotten) {
        memset(numbers, 0, ((size_t)most + 1) * sizeof(*numbers));
        for (uint32_t i = 0; i < stands->count; ++i)
            ws_growth_mark(&stands->grown[i].growth, numbers);
        forgotten = ws_growing_forget(&threads->growing, numbers);
        for (uint32_t i = 0; i < stands->count && forgotten; ++i)
            ws_growth_renumber(&stands->grown[i].growth, numbers);
    }
    free(numbers);
    return forgotten && ws_stands_renumbered(stands);
}

/* The thread is somewhere else, and has executed the same. False when there is no memory. */
static bool go(struct ws_reorder_threads *threads, struct ws_running_thread *thread, uint64_t step,
               uint32_t walk)
{
    const struct ws_growth growth = threads->stands.grown[thread->stand].growth;
    return ws_stand_lead(&threads->stands, thread->stand, step, walk, &growth, &thread->stand);
}

static bool enter_shader(struct ws_reorder_threads *threads, struct ws_running_thread *thread,
                         const struct ws_context *context)
{
    uint32_t *contexts =
        ws_array_grow(thread->contexts, &thread->context_capacity, thread->shaders + 1, sizeof(*contexts));
    if (contexts == NULL)
        return false;
    thread->contexts = contexts;
    contexts[thread->shaders] = context->number;
    const uint64_t call = thread->shaders > 0 ? thread->call : 0;
    thread->shaders++;
    const uint64_t step = step_of(STEP_ENTER, ws_walk_mix(call, context->shader));
    const uint32_t to = ws_stand_led(&threads->stands, thread->stand, step);
    uint32_t walk = ws_running_thread_walk(threads, thread);
    if (to != 0) {
        thread->stand = to;
        return true;
    }
    return ws_walk_enter(&threads->walks, &walk, call, context->shader) && go(threads, thread, step, walk);
}

/* Whether the innermost shader of a thread is in a context. */
static bool is_in(const struct ws_running_thread *thread, uint32_t context)
{
    return thread->shaders > 0 && thread->contexts[thread->shaders - 1] == context;
}

/* How many threads the warp of a context has. Of one that a device put together anew that is not known: it is taken to be
 * full, as divergence takes it. */
static uint32_t threads_of_warp(const struct ws_context *context)
{
    const struct ws_context *launched = context;
    while (!launched->regrouped && launched->caller != NULL)
        launched = launched->caller;
    return launched->regrouped || (launched->stage & WS_STAGES_CALLED) != 0
               ? context->lane_count
               : ws_lanes_count(ws_lanes_and(launched->entered, ws_lanes_first(context->lane_count)));
}

/* The context is looked at. False when there is no memory. */
static bool begin_context(struct ws_reorder_threads *threads, struct ws_context *context,
                          const struct ws_loop_nest *nest, const struct ws_partings *partings)
{
    struct ws_reorder_context *begun = threads->spare;
    if (begun != NULL)
        threads->spare = begun->next;
    else
        begun = calloc(1, sizeof(*begun));
    if (begun == NULL)
        return false;
    begun->nest = nest;
    begun->partings = partings;
    begun->threads = threads_of_warp(context);
    begun->inside = ws_lanes_count(ws_lanes_and(context->entered, ws_lanes_first(context->lane_count)));
    begun->threads = begun->threads > begun->inside ? begun->threads : begun->inside;
    begun->last.active = 0;
    begun->held.lanes = (struct ws_lanes){0};
    begun->site_count = 0;
    memset(begun->lanes, 0, context->lane_count * sizeof(begun->lanes[0]));
    context->user[threads->user] = begun;
    return true;
}

/* The partings of a context's shader; NULL = it has none. */
static const struct ws_partings *partings_of(const struct ws_reorder_threads *threads,
                                             const struct ws_context *context, uint32_t module)
{
    return context->stage == WS_STAGE_COMPUTE && threads->partings != NULL &&
                   threads->partings[module].count > 0
               ? &threads->partings[module]
               : NULL;
}

bool ws_reorder_threads_enter(struct ws_reorder_threads *threads, struct ws_context *context)
{
    threads->threads.size = sizeof(struct ws_running_thread);
    const uint32_t module = threads->catalog->shaders[context->shader].module;
    context->user[threads->user] = NULL;
    if (module >= threads->nest_count || threads->nests[module].blocks == NULL ||
        is_of_traversal(context->stage))
        return true;
    const struct ws_partings *partings = partings_of(threads, context, module);
    if ((context->stage & WS_STAGES_RAY_TRACING) == 0 && partings == NULL)
        return true;
    if (!ws_stands_begin(&threads->stands) ||
        !begin_context(threads, context, &threads->nests[module], partings))
        return false;
    struct ws_reorder_context *looked = context->user[threads->user];
    for (struct ws_lanes left = context->entered; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        const uint32_t index = context->threads[lane];
        if (index == WS_NONE)
            continue;
        struct ws_running_thread *thread = ws_running_touch(&threads->threads, index);
        if (thread == NULL)
            return false;
        if (thread->holder != NULL)
            ws_running_threads_let_go(thread->holder);
        thread->index = index;
        looked->lanes[lane] = thread;
        /* A continuation's threads are in it already. */
        if (context->continues && thread->shaders > 0)
            continue;
        if (!note_shader(threads, thread, context->shader, context->stage) ||
            !enter_shader(threads, thread, context))
            return false;
    }
    return true;
}

bool ws_reorder_threads_move(struct ws_reorder_threads *threads, struct ws_context *from, uint32_t from_lane,
                             struct ws_context *context, uint32_t lane)
{
    struct ws_running_thread *thread =
        context->user[threads->user] != NULL ? ws_running_thread_at(threads, context, lane) : NULL;
    (void)from_lane;
    if (thread != NULL && is_in(thread, from->number))
        thread->contexts[thread->shaders - 1] = context->number;
    return true;
}

/* A span gets its place in the path. False when there is no memory. */
static bool put_span(struct ws_running_thread *thread, uint32_t span)
{
    if (span == WS_NONE)
        return true;
    uint32_t *path =
        ws_array_grow(thread->path, &thread->path_capacity, thread->path_count + 1, sizeof(*path));
    if (path == NULL)
        return false;
    thread->path = path;
    path[thread->path_count++] = span;
    return true;
}

/* The span that grows is all. False when there is no memory. */
bool ws_running_thread_end_span(struct ws_reorder_threads *threads, struct ws_running_thread *thread)
{
    struct ws_stands *stands = &threads->stands;
    const uint32_t from = thread->stand;
    if (stands->stands[from].ended == 0) {
        struct ws_growth growth = stands->grown[from].growth;
        uint32_t span = WS_NONE;
        uint32_t to = 0;
        if (!ws_growth_end(&threads->growing, &growth, &span) ||
            !ws_stand_find(stands, stands->stands[from].walk, &growth, &to))
            return false;
        stands->grown[from].span = span;
        stands->stands[from].ended = to + 1;
    }
    thread->stand = stands->stands[from].ended - 1;
    return put_span(thread, stands->grown[from].span);
}

/* What the thread executes does not fit any more. */
static bool cut(struct ws_reorder_threads *threads, struct ws_running_thread *thread)
{
    thread->cut = true;
    for (uint32_t i = 0; i < thread->open_count; ++i)
        thread->tails[i].cut = true;
    return ws_before_cut(&threads->befores, thread->list, &thread->list);
}

/* Appends a block to what a thread executes at a walk. A span begins only where there will be room for it. `*own`: others that
 * do the same are not led there. */
static bool append(struct ws_reorder_threads *threads, struct ws_running_thread *thread, uint32_t walk,
                   uint32_t shader, uint32_t block, struct ws_growth *growth, bool *own)
{
    const struct ws_walk_place place = ws_walk_place(&threads->walks, walk);
    struct ws_growing *growing = &threads->growing;
    uint32_t scope = 0;
    if (!ws_growth_goes_on(growing, growth, &place)) {
        if (!ws_growth_end_item(growing, growth))
            return false;
        if (growth->item_count >= WS_SPAN_ITEMS_MAX - 1) {
            uint32_t span = WS_NONE;
            *own = true;
            if (!ws_growth_end(growing, growth, &span) || !put_span(thread, span))
                return false;
        }
        if (growth->item_count == 0 && ws_spans_full(&threads->spans)) {
            *own = true;
            return cut(threads, thread);
        }
        ws_growth_begin_item(growth, &place, shader);
        uint64_t *recent = &threads->scopes[place.scope % WS_REORDER_SCOPES];
        if (*recent != place.scope || place.scope == 0) {
            if (!ws_spans_scope(&threads->spans, place.scope, shader,
                                ws_walk_invocation(&threads->walks, walk), &scope))
                return false;
            *recent = place.scope;
        }
    }
    return ws_growth_add(growing, growth, block);
}

bool ws_running_thread_turn(struct ws_reorder_threads *threads, struct ws_running_thread *thread,
                            uint32_t turns)
{
    const bool appends = thread->open_count > 0 && !thread->cut;
    const uint32_t from = thread->stand;
    const uint64_t step = step_of(STEP_TURN, (uint64_t)turns << 1 | appends);
    struct ws_growth growth = threads->stands.grown[from].growth;
    uint32_t walk = threads->stands.stands[from].walk;
    const uint32_t to = ws_stand_led(&threads->stands, from, step);
    if (to != 0 || turns == 0) {
        thread->stand = to != 0 ? to : from;
        return true;
    }
    growth.round += appends ? turns : 0;
    growth.last.rounds += appends ? turns : 0;
    return ws_walk_turn_on(&threads->walks, &walk, turns) &&
           ws_stand_lead(&threads->stands, from, step, walk, &growth, &thread->stand);
}

static struct ws_running_known known_at(const struct ws_reorder_threads *threads,
                                        const struct ws_context *context)
{
    struct ws_running_known known = {NULL, NULL};
    if (threads->hits_user < WS_CONTEXT_USERS)
        known.hits = context->user[threads->hits_user];
    if (threads->payloads_user < WS_CONTEXT_USERS)
        known.payloads = context->user[threads->payloads_user];
    return known;
}

/* Keeps a tail that has ended. False when there is no memory. */
bool ws_running_thread_keep_tail(struct ws_reorder_threads *threads, const struct ws_running_thread *thread,
                                 uint32_t index, const struct ws_running_tail *tail,
                                 const struct ws_running_known *known)
{
    const uint32_t end = tail->end != WS_NONE ? tail->end : thread->path_count;
    struct ws_reorder_visit *visit = &threads->visits[tail->visit];
    uint32_t path = 0;
    uint32_t ray_words = 0;
    uint32_t words = 0;
    const uint32_t *items = thread->path != NULL ? thread->path + tail->begin : &path; /* none are read */
    const uint32_t *ray = known->hits != NULL
                              ? ws_visit_rows_find(&known->hits->rows, visit->site, tail->nth, &ray_words)
                              : NULL;
    const uint32_t *handed = known->payloads != NULL
                                 ? ws_visit_rows_find(&known->payloads->rows, visit->site, tail->nth, &words)
                                 : NULL;
    if (!ws_spans_path(&threads->spans, items, end - tail->begin, &path))
        return false;
    const struct ws_tail kept = {tail->visit, index, path, tail->key, ray_words | words << 8};
    threads->lost += tail->cut;
    visit->threads++;
    visit->words += ws_tail_words(&kept);
    return ws_tails_add(&threads->tails, &kept, ray, handed, threads->visit_count);
}

/* A block that threads of a warp execute. */
struct run {
    uint32_t shader;
    uint32_t block;
    bool full;     /* no span may begin any more */
    uint32_t from; /* the stand of the last thread before, */
    uint32_t to;   /* and behind the block; 0 = it is its own */
    bool appends;  /* what it executes is kept */
};

/* A thread executes a block, which no thread did that stood where it does. False when there is no memory. */
static bool run_first(struct ws_reorder_threads *threads, struct ws_running_thread *thread,
                      const struct run *run, uint64_t step)
{
    const uint32_t module = threads->catalog->shaders[run->shader].module;
    const uint32_t from = thread->stand;
    struct ws_growth growth = threads->stands.grown[from].growth;
    uint32_t walk = threads->stands.stands[from].walk;
    bool own = false;
    if (!ws_walk_step(&threads->walks, &walk, &threads->nests[module], &threads->catalog->modules[module],
                      run->block) ||
        (run->appends && !append(threads, thread, walk, run->shader, run->block, &growth, &own)))
        return false;
    return own ? ws_stand_find(&threads->stands, walk, &growth, &thread->stand)
               : ws_stand_lead(&threads->stands, from, step, walk, &growth, &thread->stand);
}

/* A thread executes a block. False when there is no memory. */
static bool run_thread(struct ws_reorder_threads *threads, struct ws_running_thread *thread, struct run *run)
{
    const bool appends = thread->open_count > 0 && !thread->cut;
    const uint32_t from = thread->stand;
    if (run->to != 0 && run->from == from && run->appends == appends) {
        thread->stand = run->to;
        return true;
    }
    const uint64_t step =
        step_of(appends ? STEP_APPEND : STEP_BLOCK, (uint64_t)run->shader << 32 | run->block);
    /* Where no span may begin any more the thread is cut. */
    const bool cuts = run->full && appends && ws_growth_is_bare(&threads->stands.grown[from].growth);
    const uint32_t to = cuts ? 0 : ws_stand_led(&threads->stands, from, step);
    run->from = from;
    run->to = to;
    run->appends = appends;
    if (to == 0)
        return run_first(threads, thread, run, step);
    thread->stand = to;
    return true;
}

/* The selection whose branch ends a block, of those that threads may be sorted at: its number; WS_NONE. */
static uint32_t selection_at(const struct ws_partings *partings, uint32_t block)
{
    const uint32_t number = partings != NULL ? partings->begins[block] : 0;
    return number > 0 && !partings->list[number - 1].loop ? number - 1 : WS_NONE;
}

/* The branch that threads that are held come to with a block: none of theirs that they came to later is left. NULL = there is
 * none. `*kept`: how many they had before it; as many as they have, if it is none of these. */
static const struct ws_running_coming *coming_at(const struct ws_reorder_context *looked, uint32_t block,
                                                 uint32_t *kept)
{
    const struct held *held = &looked->held;
    const struct ws_nest_block *blocks = looked->nest->blocks;
    const uint32_t function = blocks[block].function;
    *kept = held->coming_count;
    if (held->comes && blocks[looked->partings->list[held->coming.parting].block].function == function)
        return &held->coming;
    for (uint32_t i = held->coming_count; i-- > 0;)
        if (blocks[looked->partings->list[held->first->comings[i].parting].block].function == function) {
            *kept = i;
            return &held->first->comings[i];
        }
    return NULL;
}

/* Whether threads that are held neither visit nor leave a region where they come to a block, with a branch or with none
 * (NULL). */
static bool stay_in_regions(struct ws_reorder_threads *threads, const struct ws_context *context,
                            uint32_t block, const struct ws_running_coming *coming)
{
    const struct ws_reorder_context *looked = context->user[threads->user];
    const struct held *held = &looked->held;
    const struct ws_partings *partings = looked->partings;
    const uint32_t loop = ws_parting_loop_at(partings, block);
    uint32_t left = 0;
    if (coming != NULL && (partings->inside[block] >> coming->parting & 1) != 0)
        return false;
    if (held->comes && coming == NULL && selection_at(partings, block) != WS_NONE)
        return false; /* there is room for one more than they had */
    return (loop == WS_NONE || (held->partings >> loop & 1) != 0) &&
           ws_running_threads_leave(threads, context, threads->stands.stands[held->stand].walk,
                                    held->partings, block, &left) &&
           left == 0;
}

/* Threads that are held execute a block together. False, and nothing is done, where they must be looked at one by one. */
static bool run_held(struct ws_reorder_threads *threads, const struct ws_context *context, uint32_t block,
                     uint32_t instructions)
{
    struct ws_reorder_context *looked = context->user[threads->user];
    struct held *held = &looked->held;
    uint32_t kept = 0;
    const struct ws_running_coming *coming =
        held->comes || held->coming_count > 0 ? coming_at(looked, block, &kept) : NULL;
    if (looked->partings != NULL && !stay_in_regions(threads, context, block, coming))
        return false;
    if (held->appends && ws_spans_full(&threads->spans))
        return false;
    const uint32_t to = ws_stand_led(
        &threads->stands, held->stand,
        step_of(held->appends ? STEP_APPEND : STEP_BLOCK, (uint64_t)context->shader << 32 | block));
    if (to == 0 || (held->visited && !ws_before_again(&looked->last, instructions)))
        return false;
    if (coming != NULL) {
        held->coming_count = kept;
        held->comes = false;
    }
    held->stand = to;
    return true;
}

/* So that threads can be let go of without memory. */
static bool make_room_for_coming(struct ws_running_thread *thread)
{
    if (thread->coming_count < thread->coming_capacity)
        return true;
    struct ws_running_coming *comings =
        ws_array_grow(thread->comings, &thread->coming_capacity, thread->coming_count + 1, sizeof(*comings));
    thread->comings = comings != NULL ? comings : thread->comings;
    return comings != NULL;
}

static bool come_alike(const struct ws_running_thread *a, const struct ws_running_thread *b)
{
    return a->coming_count == b->coming_count &&
           (a->coming_count == 0 ||
            memcmp(a->comings, b->comings, a->coming_count * sizeof(*a->comings)) == 0);
}

/* Holds the threads that have executed a block, if they can be. */
static void hold(struct ws_reorder_threads *threads, const struct ws_context *context, struct ws_lanes lanes,
                 bool visited)
{
    struct ws_reorder_context *looked = context->user[threads->user];
    const struct ws_running_thread *first = NULL;
    for (struct ws_lanes left = lanes; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        struct ws_running_thread *thread = looked->lanes[lane];
        if (thread == NULL || thread->index != context->threads[lane] || thread->shaders == 0 ||
            (looked->partings != NULL && !make_room_for_coming(thread)))
            return;
        first = first != NULL ? first : thread;
        if (thread->stand != first->stand || !come_alike(thread, first) ||
            thread->partings != first->partings || (thread->open_count > 0) != (first->open_count > 0) ||
            thread->cut != first->cut)
            return;
    }
    if (first == NULL)
        return;
    bool twice = false;
    for (struct ws_lanes left = lanes; ws_lanes_any(left);) {
        struct ws_running_thread *thread = looked->lanes[ws_lanes_take(&left)];
        twice = twice || thread->holder != NULL;
        thread->holder = looked;
    }
    looked->held = (struct held){.lanes = lanes,
                                 .stand = first->stand,
                                 .partings = first->partings,
                                 .first = first,
                                 .coming_count = first->coming_count,
                                 .appends = first->open_count > 0 && !first->cut,
                                 .visited = visited};
    if (twice) /* records contradict each other: a thread is in two lanes, and executes a block for each */
        ws_running_threads_let_go(looked);
}

/* Threads that are not held execute a block. `*visited`: one of them has a tail. False when there is no memory. */
static bool run_lanes(struct ws_reorder_threads *threads, const struct ws_context *context, uint32_t block,
                      uint32_t instructions, struct ws_lanes lanes, bool *visited)
{
    struct ws_reorder_context *looked = context->user[threads->user];
    const struct ws_partings *partings = looked->partings;
    uint32_t lists[WS_BEFORE_LANES_MAX];
    struct ws_before_execution execution = {.shader = context->shader,
                                            .instructions = instructions,
                                            .size = context->lane_count,
                                            .threads = looked->threads,
                                            .inside = looked->inside,
                                            .lists = lists};
    struct run run = {.shader = context->shader, .block = block, .full = ws_spans_full(&threads->spans)};
    struct ws_running_come come = {.block = block, .walk = WS_NONE, .loop_walk = WS_NONE};
    uint32_t any = WS_BEFORE_NONE;
    threads->serial += ws_parting_loop_at(partings, block) != WS_NONE;
    for (struct ws_lanes left = lanes; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        struct ws_running_thread *thread = ws_running_thread_at(threads, context, lane);
        lists[execution.active++] = WS_BEFORE_NONE;
        if (thread == NULL || thread->shaders == 0)
            continue;
        if (partings != NULL && !ws_running_thread_come(threads, context, thread, lane, &come))
            return false;
        if (!run_thread(threads, thread, &run))
            return false;
        lists[execution.active - 1] = thread->list;
        any |= thread->list;
    }
    *visited = any != WS_BEFORE_NONE;
    return ws_before_add(&threads->befores, &looked->last, &execution);
}

static bool run_block(struct ws_reorder_threads *threads, const struct ws_context *context, uint32_t block,
                      struct ws_lanes lanes)
{
    const struct ws_module_record *module =
        &threads->catalog->modules[threads->catalog->shaders[context->shader].module];
    struct ws_reorder_context *looked = context->user[threads->user];
    if (block >= looked->nest->block_count)
        return true;
    const uint32_t instructions = module->blocks[block].info.instruction_count;
    const uint32_t selection = selection_at(looked->partings, block);
    if (ws_lanes_any(looked->held.lanes)) {
        if (ws_lanes_equal(looked->held.lanes, lanes) && run_held(threads, context, block, instructions))
            return selection == WS_NONE || ws_running_threads_part_held(threads, context, selection);
        ws_running_threads_let_go(looked);
    }
    if ((ws_stands_full(&threads->stands) || ws_walks_full(&threads->walks) ||
         ws_growing_full(&threads->growing)) &&
        !forget(threads))
        return false;
    bool visited = false;
    if (!run_lanes(threads, context, block, instructions, lanes, &visited))
        return false;
    hold(threads, context, lanes, visited);
    if (selection == WS_NONE)
        return true;
    return ws_lanes_any(looked->held.lanes) ? ws_running_threads_part_held(threads, context, selection)
                                            : ws_running_threads_part(threads, context, selection, lanes);
}

/* Keeps which shader invocations a thread is in, and which of them called which. */
static bool keep_invocations(struct ws_reorder_threads *threads, uint32_t walk)
{
    const struct ws_walks *walks = &threads->walks;
    while (walk != 0 && walks->walks[walk].shader != 0) {
        uint32_t invocation = 0;
        const uint32_t around = walks->walks[walks->walks[walk].shader].around;
        if (!ws_spans_invocation(&threads->spans, ws_walk_invocation(walks, walk),
                                 ws_walk_invocation(walks, around), &invocation))
            return false;
        walk = around;
    }
    return true;
}

bool ws_running_thread_find_visit(struct ws_reorder_threads *threads, uint32_t walk,
                                  const struct ws_reorder_visit *sought, uint32_t *found)
{
    const uint64_t key = ws_walk_mix(sought->site, sought->name + sought->size);
    if (ws_id_map_get(&threads->visits_at, key, found))
        return true;
    struct ws_reorder_visit *visits =
        ws_array_grow(threads->visits, &threads->visit_capacity, threads->visit_count + 1, sizeof(*visits));
    if (visits == NULL)
        return false;
    threads->visits = visits;
    if (!keep_invocations(threads, walk))
        return false;
    visits[threads->visit_count] = *sought;
    *found = threads->visit_count;
    return ws_id_map_put(&threads->visits_at, key, threads->visit_count++);
}

/* The thread visits: its tail of the call site ends, and the next begins. */
bool ws_running_thread_begin_tail(struct ws_reorder_threads *threads, struct ws_running_thread *thread,
                                  uint64_t site, uint32_t visit, uint32_t parting)
{
    const bool full = threads->tail_count >= WS_REORDER_TAILS_MAX;
    uint32_t at = 0;
    uint32_t nth = 0;
    if (!ws_running_thread_end_span(threads, thread))
        return false;
    struct ws_running_tail *tails =
        ws_array_grow(thread->tails, &thread->tail_capacity, thread->tail_count + 1, sizeof(*tails));
    if (tails == NULL)
        return false;
    thread->tails = tails;
    while (at < thread->open_count && tails[at].site != site)
        at++;
    if (at < thread->open_count) {
        tails[at].end = thread->path_count;
        nth = tails[at].nth + 1;
        tails[thread->tail_count++] = tails[at];
    } else {
        if (at < thread->tail_count) /* the first of those that have ended makes room */
            tails[thread->tail_count] = tails[at];
        thread->tail_count++;
        thread->open_count++;
    }
    tails[at] = (struct ws_running_tail){.site = site,
                                         .visit = visit,
                                         .nth = nth,
                                         .begin = thread->path_count,
                                         .end = WS_NONE,
                                         .depth = thread->shaders,
                                         .parting = parting,
                                         .cut = full || thread->cut};
    threads->tail_count++;
    thread->partings |= parting;
    const struct ws_before_tail tail = {site, threads->visits[visit].bounce, tails[at].cut};
    return ws_before_visit(&threads->befores, thread->list, &tail, &thread->list);
}

/* The calls that lanes of a context have made at a call site. NULL when there is no memory. */
static struct site_calls *calls_at(struct ws_reorder_context *looked, uint32_t offset)
{
    for (uint32_t i = 0; i < looked->site_count; ++i)
        if (looked->sites[i].offset == offset)
            return &looked->sites[i];
    struct site_calls *sites =
        ws_array_grow(looked->sites, &looked->site_capacity, looked->site_count + 1, sizeof(*sites));
    if (sites == NULL)
        return NULL;
    looked->sites = sites;
    sites += looked->site_count++;
    *sites = (struct site_calls){.offset = offset};
    return sites;
}

/* Counts a call by a lane. False when there is no memory. */
bool ws_running_thread_count_call(struct ws_reorder_threads *threads, struct ws_reorder_context *looked,
                                  uint32_t offset, uint32_t lane, uint32_t visit)
{
    struct site_calls *made = calls_at(looked, offset);
    if (made == NULL)
        return false;
    if (++made->made[lane] > made->most) {
        made->most++;
        threads->visits[visit].joined++;
    }
    return true;
}

/* Lanes visit a call site. */
static bool call(struct ws_reorder_threads *threads, const struct ws_context *context, uint32_t offset,
                 struct ws_lanes lanes)
{
    const uint64_t site = ws_reorder_site(context->shader, offset);
    uint32_t visit = WS_NONE;
    for (struct ws_lanes left = lanes; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        struct ws_running_thread *thread = ws_running_thread_at(threads, context, lane);
        if (thread == NULL || thread->shaders == 0)
            continue;
        const uint32_t walk = ws_running_thread_walk(threads, thread);
        const uint64_t name = ws_walk_call(&threads->walks, walk, offset);
        thread->call = name;
        if (visit == WS_NONE || threads->visits[visit].name != name) {
            const struct ws_reorder_visit sought = {.site = site,
                                                    .name = name,
                                                    .invocation = ws_walk_invocation(&threads->walks, walk),
                                                    .bounce = ws_walk_turn(&threads->walks, walk),
                                                    .size = context->lane_count,
                                                    .place = ws_walk_place(&threads->walks, walk),
                                                    .block = ws_walk_block(&threads->walks, walk)};
            if (!ws_running_thread_find_visit(threads, walk, &sought, &visit))
                return false;
            threads->visits[visit].calls++;
        }
        if (!ws_running_thread_count_call(threads, context->user[threads->user], offset, lane, visit) ||
            !ws_running_thread_begin_tail(threads, thread, site, visit, 0))
            return false;
    }
    return true;
}

/* Lanes are in a block: functions that it has called have returned, at whichever ends. False when there is no memory. */
static bool return_to(struct ws_reorder_threads *threads, const struct ws_context *context, uint32_t block,
                      struct ws_lanes lanes)
{
    const struct ws_reorder_context *looked = context->user[threads->user];
    while (block < looked->nest->block_count && ws_lanes_any(lanes)) {
        struct ws_running_thread *thread = ws_running_thread_at(threads, context, ws_lanes_take(&lanes));
        if (thread == NULL || thread->shaders == 0)
            continue;
        const uint32_t walk = ws_running_thread_walk(threads, thread);
        const uint32_t function = looked->nest->blocks[block].function;
        const uint32_t back = ws_walk_return(&threads->walks, walk, function);
        const uint64_t step = step_of(STEP_RETURN, function);
        const uint32_t to =
            back != walk ? ws_stand_led(&threads->stands, thread->stand, step) : thread->stand;
        if (to != 0)
            thread->stand = to;
        else if (!go(threads, thread, step, back))
            return false;
    }
    return true;
}

/* Whether the instruction at an offset runs other shaders, so that it is a call site: those that only put threads into other
 * warps leave the same records. */
static bool runs_shaders(const struct ws_module_record *module, uint32_t offset)
{
    uint32_t first = 0;
    uint32_t end = module->call_site_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (module->call_sites[middle].offset < offset)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == module->call_site_count || module->call_sites[first].offset != offset)
        return true;
    switch (module->call_sites[first].opcode) {
    case SpvOpReorderThreadWithHintNV:
    case SpvOpReorderThreadWithHitObjectNV:
    case WS_OP_REORDER_THREAD_WITH_HINT_EXT:
    case WS_OP_REORDER_THREAD_WITH_HIT_OBJECT_EXT: return false;
    default: return true;
    }
}

bool ws_reorder_threads_sum(struct ws_reorder_threads *threads, const struct ws_context *context,
                            const struct ws_replay_place *place, const struct ws_replay_sum *sum)
{
    const struct ws_module_record *module =
        &threads->catalog->modules[threads->catalog->shaders[context->shader].module];
    if (place->tag == WS_TAG_DIVERGENCE_BLOCK && place->block < module->block_count)
        threads->slots +=
            sum->executions * module->blocks[place->block].info.instruction_count * context->lane_count;
    return true;
}

bool ws_reorder_threads_place(struct ws_reorder_threads *threads, struct ws_context *context,
                              const struct ws_replay_place *place, struct ws_lanes lanes)
{
    const struct ws_module_record *module =
        &threads->catalog->modules[threads->catalog->shaders[context->shader].module];
    lanes = ws_lanes_and(lanes, ws_lanes_first(context->lane_count));
    if (place->tag == WS_TAG_DIVERGENCE_BLOCK && place->block < module->block_count)
        threads->slots += (uint64_t)module->blocks[place->block].info.instruction_count * context->lane_count;
    if (context->user[threads->user] == NULL || threads->turns_end)
        return true;
    if (place->tag == WS_TAG_DIVERGENCE_BLOCK)
        return run_block(threads, context, place->block, lanes);
    if (place->tag != WS_TAG_DIVERGENCE_CALL || !runs_shaders(module, place->offset))
        return true;
    return return_to(threads, context, place->block, lanes) && call(threads, context, place->offset, lanes);
}

/* The thread has ended: its tails are kept. */
static bool end_thread(struct ws_reorder_threads *threads, struct ws_running_thread *thread, uint32_t index,
                       const struct ws_context *context)
{
    const struct ws_running_known known = known_at(threads, context);
    bool kept = ws_running_thread_end_span(threads, thread) &&
                (known.hits == NULL || ws_visit_rows_seek(&known.hits->rows, index)) &&
                (known.payloads == NULL || ws_visit_rows_seek(&known.payloads->rows, index));
    for (uint32_t i = 0; i < thread->tail_count && kept; ++i)
        kept = ws_running_thread_keep_tail(threads, thread, index, &thread->tails[i], &known);
    if (known.hits != NULL)
        ws_visit_rows_forget(&known.hits->rows, index);
    if (known.payloads != NULL)
        ws_visit_rows_forget(&known.payloads->rows, index);
    thread_finish(thread);
    ws_running_end(&threads->threads, index);
    return kept;
}

/* The thread's innermost shader has ended. False when there is no memory. */
static bool leave_shader(struct ws_reorder_threads *threads, struct ws_running_thread *thread)
{
    const uint64_t step = step_of(STEP_LEAVE, 1);
    const uint32_t to = ws_stand_led(&threads->stands, thread->stand, step);
    thread->shaders--;
    if (to == 0)
        return go(threads, thread, step,
                  ws_walk_leave(&threads->walks, ws_running_thread_walk(threads, thread)));
    thread->stand = to;
    return true;
}

bool ws_reorder_threads_leave(struct ws_reorder_threads *threads, struct ws_context *context,
                              struct ws_lanes lanes)
{
    if (context->user[threads->user] == NULL)
        return true;
    while (ws_lanes_any(lanes)) {
        const uint32_t lane = ws_lanes_take(&lanes);
        struct ws_running_thread *thread = ws_running_thread_at(threads, context, lane);
        if (thread == NULL || !is_in(thread, context->number))
            continue;
        if (!leave_shader(threads, thread))
            return false;
        for (uint32_t i = 0; i < thread->open_count; ++i)
            if (thread->tails[i].depth == thread->shaders)
                thread->tails[i].inside = false;
        if (thread->shaders == 0 && !end_thread(threads, thread, context->threads[lane], context))
            return false;
    }
    return true;
}

bool ws_reorder_threads_close(struct ws_reorder_threads *threads, struct ws_context *context)
{
    bool left = ws_reorder_threads_leave(threads, context, context->entered);
    struct ws_reorder_context *looked = context->user[threads->user];
    if (looked != NULL) {
        left = left && ws_before_end(&threads->befores, &looked->last);
        ws_running_threads_let_go(looked);
        looked->next = threads->spare;
        threads->spare = looked;
    }
    context->user[threads->user] = NULL;
    return left;
}
