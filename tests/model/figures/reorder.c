#include "tests/model/figures/reorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/reorder.h"

#define FRAMES    (2 * MODEL_DEPTH + 8)
#define FUNCTIONS (MODEL_FUNCTIONS + 1) /* that have called each other */
#define ORDERED   5                     /* paths of a visit, likewise */
#define GROUPS    UINT32_MAX            /* windows of workgroups */

static void *grow(void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity * 2 + 256;
    array = realloc(array, *capacity * size);
    if (array == NULL)
        abort();
    return array;
}

static uint64_t join(uint64_t hash, uint64_t value)
{
    hash ^= value + 0x632be59bd9b4e019u + (hash << 7) + (hash >> 3);
    hash *= 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
}

/* The number of a hash, `next` where it is new. */
static uint32_t number_of(struct model_table *table, uint64_t hash, uint32_t next)
{
    if (2 * next + 2 > table->capacity) {
        struct model_table larger = {.capacity = table->capacity * 2 + 1024};
        larger.hashes = calloc(larger.capacity, sizeof(*larger.hashes));
        larger.numbers = calloc(larger.capacity, sizeof(*larger.numbers));
        if (larger.hashes == NULL || larger.numbers == NULL)
            abort();
        for (uint32_t i = 0; i < table->capacity; i++) {
            uint32_t at = (uint32_t)(table->hashes[i] % larger.capacity);
            while (table->hashes[i] != 0 && larger.hashes[at] != 0)
                at = (at + 1) % larger.capacity;
            if (table->hashes[i] != 0) {
                larger.hashes[at] = table->hashes[i];
                larger.numbers[at] = table->numbers[i];
            }
        }
        free(table->hashes);
        free(table->numbers);
        *table = larger;
    }
    uint32_t at = (uint32_t)(hash % table->capacity);
    while (table->hashes[at] != 0 && table->hashes[at] != hash)
        at = (at + 1) % table->capacity;
    if (table->hashes[at] == 0) {
        table->hashes[at] = hash;
        table->numbers[at] = next;
    }
    return table->numbers[at];
}

static void clear(struct model_table *table)
{
    if (table->capacity > 0)
        memset(table->hashes, 0, table->capacity * sizeof(*table->hashes));
}

/* ---- following a thread ---- */

struct function {
    uint64_t way; /* by which it was called */
    uint32_t loops[MODEL_LOOPS];
    uint32_t iterations[MODEL_LOOPS];
    uint32_t loop_count;
    uint64_t last; /* name of the block that was executed last, */
    uint32_t last_block;
    uint32_t last_step; /* and when */
};

struct frame {
    uint32_t execution;
    uint32_t shader;
    bool traversal;
    uint64_t call; /* name of the last call that it made */
    uint32_t invocation;
    uint64_t hash; /* of the invocation */
    struct function functions[FUNCTIONS];
    uint32_t function_count;
};

struct follower {
    struct model_reorder *reorder;
    uint32_t thread;
    struct frame frames[FRAMES];
    uint32_t count;
    uint32_t open[MODEL_SITES];  /* its tail that is open; MODEL_NONE */
    uint32_t depth[MODEL_SITES]; /* frames at the call; functions at a parting */
    bool inside[MODEL_SITES];    /* it is in what the call runs */
    uint64_t calls[MODEL_SITES]; /* the name of the call */
};

static bool is_of_traversal(const struct model_reorder *reorder, uint32_t shader)
{
    const enum ws_stage stage = reorder->program->shaders[shader].stage;
    return stage == WS_STAGE_ANY_HIT || stage == WS_STAGE_INTERSECTION;
}

/* The frame of an execution is the innermost. */
static struct frame *go_back(struct follower *follower, uint32_t execution)
{
    while (follower->count > 0 && follower->frames[follower->count - 1].execution != execution)
        follower->count--;
    for (uint32_t s = 0; s < follower->reorder->site_count; s++)
        follower->inside[s] = follower->inside[s] && follower->depth[s] < follower->count;
    return follower->count > 0 ? &follower->frames[follower->count - 1] : NULL;
}

/* The shader that a call runs, and the callables that this one runs. */
static void note_called(struct follower *follower, uint32_t shader, uint64_t call)
{
    struct model_reorder *reorder = follower->reorder;
    const bool callable = reorder->program->shaders[shader].stage == WS_STAGE_CALLABLE;
    for (uint32_t s = 0; s < reorder->site_count; s++) {
        struct model_tail *tail = follower->open[s] != MODEL_NONE ? &reorder->tails[follower->open[s]] : NULL;
        const bool called =
            tail != NULL && follower->depth[s] == follower->count && follower->calls[s] == call;
        const bool further =
            tail != NULL && follower->depth[s] + 1 == follower->count && follower->inside[s] && callable;
        follower->inside[s] = follower->inside[s] || called;
        if (!called && !further)
            continue;
        if (tail->called_count == MODEL_CALLED)
            reorder->too_many = true;
        else
            tail->called[tail->called_count++] = shader + 1;
    }
}

static void enter(struct follower *follower, uint32_t execution)
{
    struct model_reorder *reorder = follower->reorder;
    const struct model_execution *self = &reorder->run->executions[execution];
    const struct frame *caller = go_back(follower, self->caller);
    const uint64_t call = caller != NULL ? caller->call : 1;
    const bool traversal = is_of_traversal(reorder, self->shader);
    if (follower->count == FRAMES) {
        reorder->too_many = true;
        return;
    }
    if (!traversal && caller != NULL)
        note_called(follower, self->shader, call);
    struct frame *frame = &follower->frames[follower->count];
    *frame = (struct frame){.execution = execution, .shader = self->shader, .traversal = traversal};
    frame->hash = join(join(call, self->shader), 77);
    frame->functions[0].way = frame->hash;
    frame->functions[0].last_block = MODEL_NONE;
    frame->function_count = 1;
    frame->invocation = number_of(&reorder->invocations_at, frame->hash, reorder->invocation_count);
    if (frame->invocation == reorder->invocation_count) {
        reorder->callers = grow(reorder->callers, reorder->invocation_count, &reorder->invocation_capacity,
                                sizeof(*reorder->callers));
        reorder->callers[reorder->invocation_count++] = caller != NULL ? caller->invocation : MODEL_NONE;
    }
    follower->count++;
}

static uint32_t find_site(struct model_reorder *reorder, uint32_t shader, uint32_t block, uint32_t action)
{
    uint32_t s = 0;
    while (s < reorder->site_count &&
           (reorder->sites[s].shader != shader || reorder->sites[s].block != block ||
            reorder->sites[s].action != action))
        s++;
    if (s == reorder->site_count) {
        if (s == MODEL_SITES) {
            reorder->too_many = true;
            return 0;
        }
        reorder->sites[s] =
            (struct model_site){.shader = shader, .block = block, .action = action, .parting = MODEL_NONE};
        memset(reorder->first[s], 0xff, sizeof(reorder->first[s]));
        reorder->site_count++;
    }
    return s;
}

static void begin_tail(struct follower *follower, const struct frame *frame, uint32_t s, uint64_t name)
{
    struct model_reorder *reorder = follower->reorder;
    const uint32_t thread = follower->thread;
    const uint32_t number = number_of(&reorder->visits_at, name, reorder->visit_count);
    if (number == reorder->visit_count) {
        reorder->visits =
            grow(reorder->visits, reorder->visit_count, &reorder->visit_capacity, sizeof(*reorder->visits));
        reorder->visits[reorder->visit_count++] = (struct model_visit){name, s, frame->invocation};
    }
    reorder->tails =
        grow(reorder->tails, reorder->tail_count, &reorder->tail_capacity, sizeof(*reorder->tails));
    follower->open[s] = reorder->tail_count;
    reorder->tails[reorder->tail_count++] = (struct model_tail){
        .visit = number, .thread = thread, .begin = reorder->step_count[thread], .end = MODEL_NONE};
    reorder->sites[s].sums.visits++;
}

/* ---- partings ---- */

static void end_tail(struct follower *follower, uint32_t s)
{
    struct model_reorder *reorder = follower->reorder;
    reorder->tails[follower->open[s]].end = reorder->step_count[follower->thread];
    follower->open[s] = MODEL_NONE;
}

/* The thread has returned: it is in so many functions now. */
static void leave_functions(struct follower *follower, uint32_t functions)
{
    for (uint32_t s = 0; s < follower->reorder->site_count; s++)
        if (follower->reorder->sites[s].parting != MODEL_NONE && follower->open[s] != MODEL_NONE &&
            follower->depth[s] > functions)
            end_tail(follower, s);
}

/* It comes to a block of a function: it may have left regions. */
static void leave_regions(struct follower *follower, const struct frame *frame, uint32_t block)
{
    struct model_reorder *reorder = follower->reorder;
    for (uint32_t s = 0; s < reorder->site_count; s++) {
        const uint32_t parting = reorder->sites[s].parting;
        if (parting == MODEL_NONE || follower->open[s] == MODEL_NONE ||
            follower->depth[s] != frame->function_count)
            continue;
        if (!reorder->partings.list[parting].in[block])
            end_tail(follower, s);
        else if (reorder->partings.list[parting].loop && reorder->sites[s].block == block)
            reorder->tails[follower->open[s]].side++;
    }
}

/* A tail of a parting begins with the next step. `name`: of the branch, or of the loop's first turn; `from`: the step that it
 * comes to that with. */
static void part(struct follower *follower, const struct frame *frame, uint32_t parting, uint64_t name,
                 uint32_t from, uint32_t side)
{
    struct model_reorder *reorder = follower->reorder;
    const uint32_t thread = follower->thread;
    const uint32_t s = find_site(reorder, frame->shader, reorder->partings.list[parting].block, MODEL_NONE);
    if (s >= MODEL_MARKED) {
        reorder->too_many = true;
        return;
    }
    reorder->sites[s].parting = parting;
    if (reorder->first[s][thread] == MODEL_NONE) {
        reorder->first[s][thread] = reorder->step_count[thread];
        follower->open[s] = MODEL_NONE;
    }
    if (follower->open[s] != MODEL_NONE)
        end_tail(follower, s);
    begin_tail(follower, frame, s, join(name, 98));
    reorder->tails[reorder->tail_count - 1].side = side;
    follower->depth[s] = frame->function_count;
    reorder->marks[thread][from].comes |= UINT64_C(1) << s;
}

/* The thread's next step, which is known already, is a block of a compute shader: it may visit partings with it. */
static void visit_partings(struct follower *follower, const struct frame *frame, uint32_t block,
                           uint64_t name)
{
    struct model_reorder *reorder = follower->reorder;
    struct model_partings *partings = &reorder->partings;
    const struct function *function = &frame->functions[frame->function_count - 1];
    const uint32_t self = model_parting_at(partings, block);
    const uint32_t from =
        function->last_block != MODEL_NONE ? model_parting_at(partings, function->last_block) : MODEL_NONE;
    if (from != MODEL_NONE && !partings->list[from].loop && partings->list[from].in[block]) {
        uint32_t side = 0;
        while (partings->list[from].sides[side] != block)
            side++;
        part(follower, frame, from, function->last, function->last_step, side);
    }
    if (self == MODEL_NONE)
        return;
    partings->list[self].came = true;
    const bool outside = function->last_block == MODEL_NONE || !partings->list[self].in[function->last_block];
    if (partings->list[self].loop && outside)
        part(follower, frame, self, name, reorder->step_count[follower->thread], 1);
}

static void mark(struct follower *follower)
{
    struct model_reorder *reorder = follower->reorder;
    const uint32_t thread = follower->thread;
    for (uint32_t s = 0; s < reorder->site_count; s++)
        if (reorder->sites[s].parting != MODEL_NONE && follower->open[s] != MODEL_NONE)
            reorder->marks[thread][reorder->step_count[thread]].inside |= UINT64_C(1) << s;
}

/* ---- following ---- */

/* In which iterations of which loops the block is. A header begins the next one. */
static void turn(const struct model_shader *shader, struct function *function, uint32_t block, uint32_t part)
{
    const struct model_block *self = &shader->blocks[block];
    const uint32_t *parent = shader->functions[self->function].parent;
    uint32_t chain[MODEL_LOOPS], count = 0, same = 0;
    for (uint32_t loop = self->around; loop != MODEL_NONE; loop = parent[loop])
        chain[count++] = loop;
    while (same < function->loop_count && same < count && function->loops[same] == chain[count - 1 - same])
        same++;
    if (part == 0 && count > 0 && chain[0] == block && same == count)
        function->iterations[count - 1]++;
    for (uint32_t i = same; i < count; i++) {
        function->loops[i] = chain[count - 1 - i];
        function->iterations[i] = 0;
    }
    function->loop_count = count;
}

static void step(struct follower *follower, struct frame *frame, uint32_t block, uint32_t part)
{
    struct model_reorder *reorder = follower->reorder;
    struct function *function = &frame->functions[frame->function_count - 1];
    const uint32_t thread = follower->thread;
    turn(&reorder->program->shaders[frame->shader], function, block, part);
    uint64_t hash = function->way;
    for (uint32_t i = 0; i < function->loop_count; i++)
        hash = join(join(hash, function->loops[i]), function->iterations[i]);
    hash = join(join(hash, block), part);
    if (!frame->traversal && reorder->partings.count > 0) {
        reorder->marks[thread] = grow(reorder->marks[thread], reorder->step_count[thread],
                                      &reorder->mark_capacity[thread], sizeof(*reorder->marks[thread]));
        reorder->marks[thread][reorder->step_count[thread]] = (struct model_mark){0, 0};
        leave_regions(follower, frame, block);
        visit_partings(follower, frame, block, hash);
        mark(follower);
    }
    function->last = hash;
    function->last_block = block;
    function->last_step = reorder->step_count[thread];
    if (frame->traversal)
        return;
    const uint32_t name = number_of(&reorder->names_at, hash, reorder->name_count);
    if (name == reorder->name_count) {
        reorder->names =
            grow(reorder->names, reorder->name_count, &reorder->name_capacity, sizeof(*reorder->names));
        reorder->names[reorder->name_count++] =
            (struct model_name){frame->shader, frame->invocation,
                                reorder->modules[frame->shader].places[block].parts[part].instructions};
    }
    reorder->steps[thread] = grow(reorder->steps[thread], reorder->step_count[thread],
                                  &reorder->step_capacity[thread], sizeof(*reorder->steps[thread]));
    reorder->steps[thread][reorder->step_count[thread]++] = name;
}

static void visit(struct follower *follower, struct frame *frame, uint32_t block, uint32_t action)
{
    struct model_reorder *reorder = follower->reorder;
    const uint32_t thread = follower->thread, s = find_site(reorder, frame->shader, block, action);
    const uint64_t name = join(join(frame->functions[frame->function_count - 1].last, action), 99);
    frame->call = name;
    if (reorder->first[s][thread] == MODEL_NONE) {
        reorder->first[s][thread] = reorder->step_count[thread];
        follower->open[s] = MODEL_NONE;
        follower->inside[s] = false;
    }
    if (follower->open[s] != MODEL_NONE)
        reorder->tails[follower->open[s]].end = reorder->step_count[thread];
    begin_tail(follower, frame, s, name);
    follower->depth[s] = follower->count;
    follower->inside[s] = false;
    follower->calls[s] = name;
}

static void follow(struct follower *follower, const struct model_event *event)
{
    const struct model_program *program = follower->reorder->program;
    if (event->kind == MODEL_EVENT_ENTER) {
        enter(follower, event->execution);
        return;
    }
    struct frame *frame = go_back(follower, event->execution);
    if (frame == NULL || follower->reorder->too_many)
        return;
    if (event->kind == MODEL_EVENT_BLOCK) {
        step(follower, frame, event->block, event->action);
        return;
    }
    if (event->kind != MODEL_EVENT_BEFORE && event->kind != MODEL_EVENT_AFTER)
        return;
    const enum model_action_kind kind =
        program->shaders[frame->shader].blocks[event->block].actions[event->action].kind;
    if (kind == MODEL_CALL && event->kind == MODEL_EVENT_AFTER) {
        frame->function_count--;
        leave_functions(follower, frame->function_count);
    } else if (kind == MODEL_CALL) {
        const uint64_t last = frame->functions[frame->function_count - 1].last;
        frame->functions[frame->function_count++] =
            (struct function){.way = join(join(last, event->action), 55), .last_block = MODEL_NONE};
    } else if (model_runs_shaders(kind) && event->kind == MODEL_EVENT_BEFORE) {
        visit(follower, frame, event->block, event->action);
    }
}

void model_reorder_make(struct model_reorder *reorder, const struct model_program *program,
                        const struct model_run *run, const struct model_module *modules)
{
    static struct follower follower;
    reorder->program = program;
    reorder->run = run;
    reorder->modules = modules;
    reorder->too_many = false;
    reorder->site_count = reorder->visit_count = reorder->tail_count = reorder->name_count = 0;
    reorder->invocation_count = 0;
    clear(&reorder->names_at);
    clear(&reorder->invocations_at);
    clear(&reorder->visits_at);
    reorder->partings.count = 0;
    reorder->partings.unclear = false;
    if (program->shaders[0].stage == WS_STAGE_COMPUTE)
        model_partings_find(&reorder->partings, &program->shaders[0], &modules[0]);
    reorder->too_many = reorder->partings.unclear;
    for (uint32_t t = 0; t < model_program_threads(program); t++) {
        reorder->step_count[t] = 0;
        memset(&follower, 0, sizeof(follower));
        memset(follower.open, 0xff, sizeof(follower.open));
        follower.reorder = reorder;
        follower.thread = t;
        const uint32_t tails = reorder->tail_count;
        for (uint32_t i = 0; i < run->event_count && !reorder->too_many; i++)
            if (model_set_has(&run->events[i].set, t))
                follow(&follower, &run->events[i]);
        for (uint32_t i = tails; i < reorder->tail_count; i++)
            if (reorder->tails[i].end == MODEL_NONE)
                reorder->tails[i].end = reorder->step_count[t];
    }
}

void model_reorder_finish(struct model_reorder *reorder)
{
    struct model_table *tables[] = {&reorder->names_at, &reorder->invocations_at, &reorder->visits_at};
    for (uint32_t i = 0; i < 3; i++) {
        free(tables[i]->hashes);
        free(tables[i]->numbers);
    }
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        free(reorder->steps[t]);
        free(reorder->marks[t]);
    }
    free(reorder->visits);
    free(reorder->tails);
    free(reorder->names);
    free(reorder->callers);
}

/* ---- what warps execute ---- */

/* Whether a lane that comes by a record calls, or parts from others: `step` is its thread's. */
static bool calls_at(const struct model_reorder *reorder, uint32_t s, const struct model_record *record,
                     uint32_t thread, uint32_t step)
{
    const struct model_site *site = &reorder->sites[s];
    if (site->block != record->block)
        return false;
    return site->parting == MODEL_NONE
               ? record->place == MODEL_PLACE_BEFORE && record->action == site->action
               : record->place == MODEL_PLACE_BLOCK && (reorder->marks[thread][step].comes >> s & 1) != 0;
}

/* Calls by warps, and those that are left if k-th calls come together, of one call site. */
static void count_calls_at(struct model_reorder *reorder, const struct model_warps *warps, uint32_t s,
                           uint32_t (*made)[MODEL_LANES], uint32_t *most)
{
    struct model_site *site = &reorder->sites[s];
    uint32_t at[MODEL_THREADS] = {0}; /* steps of each thread */
    for (uint32_t u = 0; u < warps->unit_count; u++) {
        const struct model_unit *unit = &warps->units[u];
        const struct model_context *context = &warps->contexts[unit->context];
        if (context->shader != site->shader)
            continue;
        for (uint32_t r = unit->first; r != MODEL_NONE; r = warps->records[r].next) {
            const struct model_record *record = &warps->records[r];
            bool calls = false;
            for (uint32_t lane = 0; lane < warps->lanes; lane++) {
                const uint32_t thread = context->threads[lane];
                if (!ws_lanes_has(unit->lanes, lane))
                    continue;
                if (calls_at(reorder, s, record, thread, at[thread])) {
                    calls = true;
                    if (++made[unit->context][lane] > most[unit->context])
                        most[unit->context]++;
                }
                at[thread] += record->place == MODEL_PLACE_BLOCK;
            }
            site->sums.calls += calls;
        }
    }
    for (uint32_t c = 0; c < warps->context_count; c++)
        site->sums.joined += most[c];
}

static void count_calls(struct model_reorder *reorder, const struct model_warps *warps)
{
    for (uint32_t s = 0; s < reorder->site_count; s++) {
        reorder->sites[s].sums.calls = reorder->sites[s].sums.joined = 0;
        uint32_t(*made)[MODEL_LANES] = calloc(warps->context_count + 1, sizeof(*made));
        uint32_t *most = calloc(warps->context_count + 1, sizeof(*most));
        if (made == NULL || most == NULL)
            abort();
        count_calls_at(reorder, warps, s, made, most);
        free(made);
        free(most);
    }
}

/* What warps executed as they were, for each call site. */
struct before {
    struct model_figures all;
    uint64_t active;
    struct model_figures stay; /* of it: with lanes that have not visited, without those that have */
};

/* How many threads the warp of a context has: all lanes, where it was put together anew. */
static uint32_t threads_of(const struct model_warps *warps, uint32_t context)
{
    while (!warps->contexts[context].regrouped && warps->contexts[context].caller != MODEL_NONE)
        context = warps->contexts[context].caller;
    return warps->contexts[context].regrouped ? warps->lanes
                                              : ws_lanes_count(warps->contexts[context].entered);
}

static void add_execution(struct model_figures *figures, const struct model_warps *warps,
                          const struct model_context *context, uint32_t threads, uint64_t instructions,
                          uint32_t left)
{
    const uint32_t inside = ws_lanes_count(context->entered);
    figures->executions++;
    figures->slots += warps->lanes * instructions;
    figures->partial_warp += (warps->lanes - threads) * instructions;
    figures->indirect_call += (threads - inside + left) * instructions;
}

/* Whether a step of a thread is in one of its tails. */
static bool is_in_tail(const struct model_reorder *reorder, uint32_t s, uint32_t thread, uint32_t step)
{
    return reorder->sites[s].parting == MODEL_NONE ? reorder->first[s][thread] <= step
                                                   : (reorder->marks[thread][step].inside >> s & 1) != 0;
}

static void count_before(const struct model_reorder *reorder, const struct model_warps *warps,
                         struct before *befores)
{
    uint32_t at[MODEL_THREADS] = {0}; /* steps of each thread */
    for (uint32_t u = 0; u < warps->unit_count; u++) {
        const struct model_unit *unit = &warps->units[u];
        const struct model_context *context = &warps->contexts[unit->context];
        for (uint32_t r = unit->first; r != MODEL_NONE; r = warps->records[r].next) {
            const struct model_record *record = &warps->records[r];
            if (record->place != MODEL_PLACE_BLOCK || is_of_traversal(reorder, context->shader))
                continue;
            const uint32_t threads = threads_of(warps, unit->context), active = ws_lanes_count(unit->lanes);
            const uint64_t instructions =
                reorder->modules[context->shader].places[record->block].parts[record->action].instructions;
            for (uint32_t s = 0; s < reorder->site_count; s++) {
                uint32_t visited = 0;
                for (uint32_t lane = 0; lane < warps->lanes; lane++)
                    visited += ws_lanes_has(unit->lanes, lane) &&
                               is_in_tail(reorder, s, context->threads[lane], at[context->threads[lane]]);
                if (visited == 0)
                    continue;
                add_execution(&befores[s].all, warps, context, threads, instructions, 0);
                befores[s].active += active * instructions;
                if (visited < active)
                    add_execution(&befores[s].stay, warps, context, threads, instructions, visited);
            }
            for (uint32_t lane = 0; lane < warps->lanes; lane++)
                if (ws_lanes_has(unit->lanes, lane))
                    at[context->threads[lane]]++;
        }
    }
}

/* ---- new warps ---- */

/* What is known while a warp is made. */
struct making {
    const struct model_reorder *reorder;
    const struct model_warps *warps;
    uint64_t stamp;
    uint64_t *name_stamps;       /* the last warp that executed it */
    uint64_t *invocation_stamps; /* the last warp, and the last thread, that were in it */
    uint64_t *thread_stamps;
    uint32_t *threads; /* of the warp, that are in it */
    uint32_t *distinct;
};

static void be_in(struct making *making, uint32_t invocation, uint64_t warp, uint64_t thread)
{
    for (; invocation != MODEL_NONE && making->thread_stamps[invocation] != thread;
         invocation = making->reorder->callers[invocation]) {
        if (making->invocation_stamps[invocation] != warp)
            making->threads[invocation] = 0;
        making->invocation_stamps[invocation] = warp;
        making->thread_stamps[invocation] = thread;
        making->threads[invocation]++;
    }
}

/* A new warp executes each name of its threads' tails once. */
static void run_warp(struct making *making, const struct model_tail *const *tails, uint32_t count,
                     struct model_figures *figures)
{
    const struct model_reorder *reorder = making->reorder;
    const uint64_t warp = ++making->stamp;
    uint32_t names = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct model_tail *tail = tails[i];
        const uint64_t thread = ++making->stamp;
        be_in(making, reorder->visits[tail->visit].invocation, warp, thread);
        for (uint32_t k = tail->begin; k < tail->end; k++) {
            const uint32_t name = reorder->steps[tail->thread][k];
            be_in(making, reorder->names[name].invocation, warp, thread);
            if (making->name_stamps[name] != warp)
                making->distinct[names++] = name;
            making->name_stamps[name] = warp;
        }
    }
    const uint64_t lanes = making->warps->lanes;
    for (uint32_t i = 0; i < names; i++) {
        const struct model_name *name = &reorder->names[making->distinct[i]];
        figures->executions++;
        figures->slots += lanes * name->instructions;
        figures->partial_warp += (lanes - count) * name->instructions;
        figures->indirect_call += (uint64_t)(count - making->threads[name->invocation]) * name->instructions;
    }
}

/* Threads fill warps in their order; `parts`: those of different parts are in no warp together. */
static void fill_warps(struct making *making, const struct model_tail *const *tails, const uint32_t *parts,
                       uint32_t count, struct model_figures *figures)
{
    for (uint32_t i = 0, end; i < count; i = end) {
        end = i;
        while (end < count && end - i < making->warps->lanes && parts[end] == parts[i])
            end++;
        run_warp(making, tails + i, end - i, figures);
    }
}

struct sort {
    const struct model_warps *warps;
    uint32_t key;
    uint32_t window; /* in warps; 0 = all; GROUPS */
};

static int compare_called(const struct model_tail *a, const struct model_tail *b, uint32_t key)
{
    const bool one = key == WS_REORDER_SHADER || key == WS_REORDER_BRANCH;
    const uint32_t count = key == WS_REORDER_PACKED ? 0 : one ? 1 : MODEL_CALLED;
    for (uint32_t i = 0; i < count; i++)
        if (a->called[i] != b->called[i])
            return a->called[i] < b->called[i] ? -1 : 1;
    return 0;
}

static uint32_t window_of(const struct sort *sort, const struct model_tail *tail)
{
    uint32_t group = 0;
    if (sort->window == GROUPS) {
        model_local_index(sort->warps->program, tail->thread, &group);
        return group;
    }
    return sort->window > 0 ? sort->warps->warp_of[tail->thread] / sort->window : 0;
}

static int compare_tails(const void *left, const void *right, void *user)
{
    const struct model_tail *a = *(const struct model_tail *const *)left;
    const struct model_tail *b = *(const struct model_tail *const *)right;
    const struct sort *sort = user;
    const struct model_warps *warps = sort->warps;
    if (window_of(sort, a) != window_of(sort, b))
        return window_of(sort, a) < window_of(sort, b) ? -1 : 1;
    const int by_key = compare_called(a, b, sort->key);
    if (by_key != 0)
        return by_key;
    if (warps->warp_of[a->thread] != warps->warp_of[b->thread])
        return warps->warp_of[a->thread] < warps->warp_of[b->thread] ? -1 : 1;
    return warps->lane_of[a->thread] < warps->lane_of[b->thread] ? -1 : 1;
}

/* Sorts the threads of a visit and has them fill warps. Returns how many values of the key there are. `split`: each fills warps
 * of its own. */
static uint32_t run_sorted(struct making *making, const struct model_tail **tails, uint32_t count,
                           struct sort sort, bool split, struct model_figures *figures)
{
    uint32_t parts[MODEL_THREADS], values = 1, part = 0;
    qsort_r(tails, count, sizeof(*tails), compare_tails, &sort);
    parts[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        const bool differs = compare_called(tails[i - 1], tails[i], sort.key) != 0;
        values += differs;
        part += (split && differs) || window_of(&sort, tails[i - 1]) != window_of(&sort, tails[i]);
        parts[i] = part;
    }
    fill_warps(making, tails, parts, count, figures);
    return values;
}

/* ---- paths ---- */

static bool is_same_path(const struct model_reorder *reorder, const struct model_tail *a,
                         const struct model_tail *b)
{
    const uint32_t count = a->end - a->begin;
    return b->end - b->begin == count && compare_called(a, b, WS_REORDER_CALLED) == 0 &&
           (count == 0 || memcmp(&reorder->steps[a->thread][a->begin], &reorder->steps[b->thread][b->begin],
                                 count * sizeof(uint32_t)) == 0);
}

/* The least and the most that threads sorted by path may execute: in which order paths are that call the same is not said.
 * False where there are too many orders. `tails` are sorted by what they call. */
static bool run_paths(struct making *making, const struct model_tail *const *tails, uint32_t count,
                      struct model_figures *least, struct model_figures *most)
{
    const uint32_t none[MODEL_THREADS] = {0};
    const struct model_tail *firsts[ORDERED];
    uint32_t groups[MODEL_THREADS], order[ORDERED], group_count = 0;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t g = 0;
        while (g < group_count && !is_same_path(making->reorder, firsts[g], tails[i]))
            g++;
        if (g == ORDERED)
            return false;
        if (g == group_count)
            firsts[group_count++] = tails[i];
        groups[i] = g;
    }
    /* All orders of the groups, counted as numbers of so many digits. */
    uint32_t orders = 1;
    for (uint32_t g = 0; g < group_count; g++)
        orders *= group_count;
    for (uint32_t number = 0; number < orders; number++) {
        const struct model_tail *ordered[MODEL_THREADS];
        struct model_figures figures = {0};
        uint32_t digits = number, used = 0, filled = 0;
        bool sorted = true;
        for (uint32_t g = 0; g < group_count; g++, digits /= group_count) {
            order[g] = digits % group_count;
            sorted =
                sorted && (used >> order[g] & 1) == 0 &&
                (g == 0 || compare_called(firsts[order[g - 1]], firsts[order[g]], WS_REORDER_CALLED) <= 0);
            used |= 1u << order[g];
        }
        for (uint32_t g = 0; g < group_count && sorted; g++)
            for (uint32_t i = 0; i < count; i++)
                if (groups[i] == order[g])
                    ordered[filled++] = tails[i];
        if (!sorted)
            continue;
        fill_warps(making, ordered, none, count, &figures);
        least->executions =
            !any || figures.executions < least->executions ? figures.executions : least->executions;
        most->executions =
            !any || figures.executions > most->executions ? figures.executions : most->executions;
        least->slots = !any || figures.slots < least->slots ? figures.slots : least->slots;
        most->slots = !any || figures.slots > most->slots ? figures.slots : most->slots;
        any = true;
    }
    return any;
}

/* ---- comparing ---- */

/* What is tried at calls: by what, in windows of how many warps, and the index of these in the analysis. */
static const struct tried {
    const char *name;
    uint32_t key;
    uint32_t window; /* warps; 0 = all; GROUPS */
    uint32_t index;
    bool split;
} call_trials[] = {
    {"packed", WS_REORDER_PACKED, 0, WS_REORDER_WINDOW_ALL, false},
    {"shader", WS_REORDER_SHADER, 0, WS_REORDER_WINDOW_ALL, false},
    {"called", WS_REORDER_CALLED, 0, WS_REORDER_WINDOW_ALL, false},
    {"called in windows of 1", WS_REORDER_CALLED, 1, 0, false},
    {"called in windows of 4", WS_REORDER_CALLED, 4, 1, false},
    {"called in windows of 16", WS_REORDER_CALLED, 16, 2, false},
    {"called in windows of 64", WS_REORDER_CALLED, 64, 3, false},
    {"called in windows of 256", WS_REORDER_CALLED, 256, 4, false},
    {"called, split", WS_REORDER_CALLED, 0, WS_REORDER_WINDOW_SPLIT, true},
};

/* And at partings: `branch` is the side that is taken, or the turns. */
static const struct tried parting_trials[] = {
    {"packed", WS_REORDER_PACKED, 0, WS_REORDER_WINDOW_ALL, false},
    {"branch", WS_REORDER_BRANCH, 0, WS_REORDER_WINDOW_ALL, false},
    {"branch in windows of 1", WS_REORDER_BRANCH, 1, 0, false},
    {"branch in windows of 4", WS_REORDER_BRANCH, 4, 1, false},
    {"branch in windows of 16", WS_REORDER_BRANCH, 16, 2, false},
    {"branch in windows of 64", WS_REORDER_BRANCH, 64, 3, false},
    {"branch in windows of 256", WS_REORDER_BRANCH, 256, 4, false},
    {"branch, split", WS_REORDER_BRANCH, 0, WS_REORDER_WINDOW_SPLIT, true},
    {"branch in workgroups", WS_REORDER_BRANCH, GROUPS, WS_REORDER_WINDOW_GROUP, false},
};

#define TRIALS (sizeof(call_trials) / sizeof(call_trials[0]))
_Static_assert(sizeof(parting_trials) == sizeof(call_trials), "as many trials");

static const struct tried *trial_of(const struct model_site *site, uint32_t trial)
{
    return site->parting != MODEL_NONE ? &parting_trials[trial] : &call_trials[trial];
}

static bool same(const struct model_site *site, const char *trial, const char *what, uint64_t found,
                 uint64_t expected)
{
    if (found == expected)
        return true;
    printf("reorder, shader %u block %u action %u, %s: %s %" PRIu64 ", expected %" PRIu64 "\n", site->shader,
           site->block, site->action, trial, what, found, expected);
    return false;
}

/* As the analysis numbers it: by the instruction that calls, or ends the header. */
static uint64_t number_of_site(const struct model_reorder *reorder, uint32_t s)
{
    const struct model_site *site = &reorder->sites[s];
    const struct model_places *places = &reorder->modules[site->shader].places[site->block];
    return ws_reorder_site(site->shader, site->parting != MODEL_NONE ? places->end_offset
                                                                     : places->action_offset[site->action]);
}

static const struct ws_reorder_sums *row_of(const struct model_reorder *reorder, uint32_t s, uint32_t key,
                                            uint32_t window, const struct ws_reorder_results *results)
{
    const struct model_site *site = &reorder->sites[s];
    const uint64_t number = number_of_site(reorder, s);
    const struct ws_groups *groups = results->groups;
    for (uint32_t i = 0; i < ws_groups_count(groups, WS_REORDER_SITE_WINDOWS); i++) {
        struct ws_row row;
        ws_groups_row(groups, WS_REORDER_SITE_WINDOWS, i, &row);
        if (row.keys[WS_REORDER_BY_SITE] == number && row.keys[WS_REORDER_BY_KEY] == key &&
            row.keys[WS_REORDER_BY_WINDOW] == window)
            return row.sums;
    }
    printf("reorder, shader %u block %u action %u: no row of key %u in window %u\n", site->shader,
           site->block, site->action, key, window);
    return NULL;
}

/* What is found of one site by one key and window. */
static bool compare_trial(const struct model_reorder *reorder, uint32_t s, const struct tried *trial,
                          const struct before *before, const struct model_figures *after, uint64_t launches,
                          const struct ws_reorder_results *results)
{
    const struct model_site *site = &reorder->sites[s];
    const struct ws_reorder_sums *sums = row_of(reorder, s, trial->key, trial->index, results);
    if (sums == NULL)
        return false;
    const struct {
        const char *what;
        uint64_t found, expected;
    } figures[] = {
        {"visits", sums->visits, site->sums.visits},
        {"calls", sums->calls, site->sums.calls},
        {"joined calls", sums->joined, site->sums.joined},
        {"executions", sums->executions, before->all.executions},
        {"slots", sums->slots, before->all.slots},
        {"active slots", sums->active, before->active},
        {"active slots after", sums->active_after, before->active},
        {"partial warps", sums->partial_warp, before->all.partial_warp},
        {"indirect calls", sums->indirect_call, before->all.indirect_call},
        {"control flow", sums->control_flow,
         before->all.slots - before->active - before->all.partial_warp - before->all.indirect_call},
        {"executions after", sums->executions_after, before->stay.executions + after->executions},
        {"slots after", sums->slots_after, before->stay.slots + after->slots},
        {"partial warps after", sums->partial_warp_after, before->stay.partial_warp + after->partial_warp},
        {"indirect calls after", sums->indirect_call_after,
         before->stay.indirect_call + after->indirect_call},
        {"launches", sums->launches, launches},
    };
    bool agrees = true;
    for (uint32_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        agrees = same(site, trial->name, figures[i].what, figures[i].found, figures[i].expected) && agrees;
    return agrees;
}

/* What new warps execute at a site, by each trial. */
struct trials {
    struct model_figures after[TRIALS], least, most; /* and by path: at least, at most */
    uint64_t launches[TRIALS];
    bool knows_paths;
};

static void try_all(struct making *making, uint32_t s, struct trials *trials)
{
    const struct model_reorder *reorder = making->reorder;
    memset(trials, 0, sizeof(*trials));
    trials->knows_paths = true;
    for (uint32_t v = 0; v < reorder->visit_count; v++) {
        const struct model_tail *tails[MODEL_THREADS];
        uint32_t count = 0;
        for (uint32_t i = 0; i < reorder->tail_count && reorder->visits[v].site == s; i++)
            if (reorder->tails[i].visit == v)
                tails[count++] = &reorder->tails[i];
        for (uint32_t i = 0; i < TRIALS && count > 0; i++) {
            const struct tried *trial = trial_of(&reorder->sites[s], i);
            const struct sort sort = {making->warps, trial->key, trial->window};
            const uint32_t values = run_sorted(making, tails, count, sort, trial->split, &trials->after[i]);
            trials->launches[i] += trial->split ? values : trial->window == 0;
        }
        struct model_figures fewest = {0}, largest = {0};
        trials->knows_paths =
            trials->knows_paths && (count == 0 || run_paths(making, tails, count, &fewest, &largest));
        trials->least.executions += fewest.executions;
        trials->least.slots += fewest.slots;
        trials->most.executions += largest.executions;
        trials->most.slots += largest.slots;
    }
}

/* The next order of sides that is larger as a number is. False: there is none. */
static bool next_order(uint32_t *order, uint32_t count)
{
    uint32_t i = count;
    while (i > 1 && order[i - 2] > order[i - 1])
        i--;
    if (i < 2)
        return false;
    uint32_t j = count - 1;
    while (order[j] < order[i - 2])
        j--;
    const uint32_t kept = order[i - 2];
    order[i - 2] = order[j];
    order[j] = kept;
    for (uint32_t a = i - 1, b = count - 1; a < b; a++, b--) {
        const uint32_t other = order[a];
        order[a] = order[b];
        order[b] = other;
    }
    return true;
}

/* Sides that lead to others stand before them. */
static bool is_order(const struct model_parting *parting, const uint32_t *order)
{
    for (uint32_t a = 0; a < parting->side_count; a++)
        for (uint32_t b = 0; b < parting->side_count; b++)
            if (parting->leads[a][b] && order[a] > order[b])
                return false;
    return true;
}

/* Whether all is as it was found, if sides are in one order. */
static bool fits(const struct model_reorder *reorder, uint32_t s, const struct before *before,
                 const struct trials *trials, const struct ws_reorder_results *results)
{
    for (uint32_t i = 0; i < TRIALS; i++) {
        const struct tried *trial = trial_of(&reorder->sites[s], i);
        const struct ws_reorder_sums *sums = row_of(reorder, s, trial->key, trial->index, results);
        if (sums == NULL || sums->executions_after != before->stay.executions + trials->after[i].executions ||
            sums->slots_after != before->stay.slots + trials->after[i].slots ||
            sums->partial_warp_after != before->stay.partial_warp + trials->after[i].partial_warp)
            return false;
    }
    return true;
}

static void set_sides(struct model_reorder *reorder, uint32_t s, const uint32_t *order)
{
    for (uint32_t i = 0; i < reorder->tail_count; i++) {
        struct model_tail *tail = &reorder->tails[i];
        if (reorder->visits[tail->visit].site == s)
            tail->called[0] = order != NULL ? order[tail->side] : tail->side;
    }
}

/* The same at a parting. In which order sides are that do not lead to each other is not said: it must be one for all. */
static void try_parting(struct making *making, struct model_reorder *reorder, uint32_t s,
                        const struct before *before, struct trials *trials,
                        const struct ws_reorder_results *results)
{
    const struct model_parting *parting = &reorder->partings.list[reorder->sites[s].parting];
    uint32_t order[MODEL_TARGETS];
    bool fitting = false;
    if (parting->loop) {
        set_sides(reorder, s, NULL);
        try_all(making, s, trials);
        return;
    }
    for (uint32_t i = 0; i < parting->side_count; i++)
        order[i] = i;
    do {
        if (!is_order(parting, order))
            continue;
        set_sides(reorder, s, order);
        try_all(making, s, trials);
        fitting = fits(reorder, s, before, trials, results);
    } while (!fitting && next_order(order, parting->side_count));
}

static bool compare_site(struct making *making, struct model_reorder *reorder, uint32_t s,
                         const struct before *before, const struct ws_reorder_results *results)
{
    static struct trials trials;
    bool agrees = true;
    if (reorder->sites[s].parting != MODEL_NONE)
        try_parting(making, reorder, s, before, &trials, results);
    else
        try_all(making, s, &trials);
    for (uint32_t i = 0; i < TRIALS && agrees; i++)
        agrees = compare_trial(reorder, s, trial_of(&reorder->sites[s], i), before, &trials.after[i],
                               trials.launches[i], results);
    const struct ws_reorder_sums *path = row_of(reorder, s, WS_REORDER_PATH, WS_REORDER_WINDOW_ALL, results);
    if (!agrees || path == NULL || !trials.knows_paths)
        return agrees && path != NULL;
    const uint64_t executions = path->executions_after - before->stay.executions;
    const uint64_t slots = path->slots_after - before->stay.slots;
    const struct model_figures *least = &trials.least, *most = &trials.most;
    if (executions >= least->executions && executions <= most->executions && slots >= least->slots &&
        slots <= most->slots)
        return true;
    printf("reorder by path: %" PRIu64 " executions, expected %" PRIu64 " to %" PRIu64 "; %" PRIu64
           " slots, expected %" PRIu64 " to %" PRIu64 "\n",
           executions, least->executions, most->executions, slots, least->slots, most->slots);
    return false;
}

/* ---- which partings are told ---- */

/* Whether threads of one warp turn a loop differently often in a visit. */
static bool turns_differ(const struct model_reorder *reorder, const struct model_warps *warps, uint32_t s)
{
    for (uint32_t i = 0; i < reorder->tail_count; i++) {
        const struct model_tail *a = &reorder->tails[i];
        for (uint32_t j = 0; j < i && reorder->visits[a->visit].site == s; j++) {
            const struct model_tail *b = &reorder->tails[j];
            if (b->visit == a->visit && warps->warp_of[a->thread] == warps->warp_of[b->thread] &&
                a->side != b->side)
                return true;
        }
    }
    return false;
}

static bool is_told(const struct model_reorder *reorder, uint32_t s, const struct ws_reorder_results *results)
{
    const uint64_t number = number_of_site(reorder, s);
    for (uint32_t i = 0; i < ws_groups_count(results->groups, WS_REORDER_SITES); i++) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_REORDER_SITES, i, &row);
        if (row.keys[WS_REORDER_BY_SITE] == number)
            return true;
    }
    return false;
}

/* Partings that are not told are no call sites. Of either kind those four are told that leave most slots idle. */
static bool compare_told(const struct model_reorder *reorder, const struct model_warps *warps,
                         const struct before *befores, const struct ws_reorder_results *results,
                         bool told[MODEL_SITES], uint32_t *told_count)
{
    uint64_t even[2] = {0}, uneven[2] = {0}, count[2] = {0}, least[2] = {UINT64_MAX, UINT64_MAX},
             most[2] = {0};
    *told_count = 0;
    for (uint32_t s = 0; s < reorder->site_count; s++) {
        const uint32_t parting = reorder->sites[s].parting;
        told[s] = parting == MODEL_NONE || is_told(reorder, s, results);
        *told_count += told[s];
        if (parting == MODEL_NONE)
            continue;
        const bool loop = reorder->partings.list[parting].loop;
        const uint64_t idle = befores[s].all.slots - befores[s].active;
        const bool is_even = loop ? !turns_differ(reorder, warps, s) : idle == 0;
        even[loop] += is_even;
        uneven[loop] += !is_even;
        count[loop] += told[s];
        if (told[s] && is_even)
            return same(&reorder->sites[s], "told", "idle slots", 0, 1);
        if (told[s] && idle < least[loop])
            least[loop] = idle;
        if (!told[s] && !is_even && idle > most[loop])
            most[loop] = idle;
    }
    /* Those whose regions nobody comes into leave no slot idle either. */
    for (uint32_t i = 0; i < reorder->partings.count; i++) {
        bool visited = false;
        for (uint32_t s = 0; s < reorder->site_count; s++)
            visited = visited || reorder->sites[s].parting == i;
        even[0] += reorder->partings.list[i].came && !visited;
    }
    uint64_t fewer = 0;
    bool agrees = true;
    for (uint32_t loop = 0; loop < 2; loop++) {
        const uint64_t expected =
            uneven[loop] < WS_REORDER_PARTINGS_TOLD ? uneven[loop] : WS_REORDER_PARTINGS_TOLD;
        fewer += uneven[loop] - expected;
        agrees =
            same(&reorder->sites[0], loop ? "loops" : "selections", "told", count[loop], expected) && agrees;
        agrees = same(&reorder->sites[0], loop ? "loops" : "selections", "idle slots of what is not told",
                      least[loop] < most[loop], false) &&
                 agrees;
    }
    agrees = same(&reorder->sites[0], "selections", "coherent", results->coherent, even[0]) && agrees;
    agrees = same(&reorder->sites[0], "loops", "even", results->even, even[1]) && agrees;
    return same(&reorder->sites[0], "partings", "fewer idle", results->fewer_idle, fewer) && agrees;
}

bool model_reorder_compare(struct model_reorder *reorder, const struct model_warps *warps,
                           const struct ws_reorder_results *results)
{
    struct making making = {.reorder = reorder, .warps = warps};
    struct before *befores = calloc(reorder->site_count + 1, sizeof(*befores));
    making.name_stamps = calloc(reorder->name_count + 1, sizeof(*making.name_stamps));
    making.distinct = calloc(reorder->name_count + 1, sizeof(*making.distinct));
    making.invocation_stamps = calloc(reorder->invocation_count + 1, sizeof(*making.invocation_stamps));
    making.thread_stamps = calloc(reorder->invocation_count + 1, sizeof(*making.thread_stamps));
    making.threads = calloc(reorder->invocation_count + 1, sizeof(*making.threads));
    if (befores == NULL || making.name_stamps == NULL || making.distinct == NULL ||
        making.invocation_stamps == NULL || making.thread_stamps == NULL || making.threads == NULL)
        abort();
    count_calls(reorder, warps);
    count_before(reorder, warps, befores);
    static bool told[MODEL_SITES];
    const uint32_t sites = ws_groups_count(results->groups, WS_REORDER_SITES);
    uint32_t told_count = 0;
    bool agrees = compare_told(reorder, warps, befores, results, told, &told_count);
    if (reorder->program->shaders[0].stage == WS_STAGE_COMPUTE)
        agrees =
            model_partings_compare(&reorder->partings, &reorder->modules[0], 0, ws_reorder_owner(results)) &&
            agrees;
    if (sites != told_count)
        printf("reorder: %u call sites, expected %u\n", sites, told_count);
    agrees = agrees && sites == told_count;
    for (uint32_t s = 0; s < reorder->site_count && agrees; s++)
        agrees = !told[s] || compare_site(&making, reorder, s, &befores[s], results);
    free(befores);
    free(making.name_stamps);
    free(making.distinct);
    free(making.invocation_stamps);
    free(making.thread_stamps);
    free(making.threads);
    return agrees;
}
