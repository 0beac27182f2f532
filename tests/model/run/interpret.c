#include "tests/model/run/interpret.h"

#include <stdlib.h>
#include <string.h>

struct live;

/* The rays of one trace. */
struct rays {
    uint32_t flags;
    const struct live *tracer; /* whose payload all its shaders see */
    uint8_t instance[MODEL_THREADS];
    struct model_set hit;  /* something was accepted */
    struct model_set over; /* what was accepted ended them */
};

/* The ray query of a thread. */
struct query {
    uint8_t instance; /* that it meets; 0 = none */
    uint32_t flags;
    bool proceeded;    /* what the last proceed returned: there is a candidate */
    bool begun;        /* it has proceeded */
    uint8_t committed; /* 0 none, 1 triangle, 2 generated */
};

/* A hit object of a thread. */
struct object {
    uint8_t held;     /* enum model_held */
    uint8_t instance; /* of a hit */
    uint8_t miss;     /* of a miss: which miss shader */
    uint8_t skips;    /* of a hit: the ray had the flag that skips its closest hit shader */
};

/* An execution while it runs. */
struct live {
    uint32_t number;
    const struct model_shader *shader;
    struct rays *rays; /* hit shaders before the closest: that of the trace */
    struct model_set ignored, terminated, returned;
    uint32_t state[MODEL_THREADS];
    uint32_t depth[MODEL_THREADS];
    struct query queries[MODEL_THREADS];
    struct object objects[MODEL_OBJECTS][MODEL_THREADS];
};

/* A function while it runs. `stops`: blocks at which threads wait, in `arrived`, for who started them. */
struct frame {
    struct live *live;
    uint32_t stops[MODEL_BLOCKS];
    struct model_set arrived[MODEL_BLOCKS];
    struct model_set returned;
    uint32_t loops[MODEL_LOOPS][MODEL_THREADS];
};

struct interpreter {
    const struct model_program *program;
    const struct model_options *options;
    struct model_random random;
    struct model_run *run;
    bool cuts[MODEL_SHADERS][MODEL_BLOCKS][MODEL_ACTIONS]; /* model_cuts */
};

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

/* `detail`: of each thread; may be NULL. */
static void tell_detail(struct interpreter *in, const struct live *live, enum model_event_kind kind,
                        uint32_t block, uint32_t action, const struct model_set *set, const uint8_t *detail)
{
    struct model_run *run = in->run;
    uint32_t number = MODEL_NONE;
    if (run->event_count >= in->options->events_max)
        run->too_long = true;
    if (run->too_long || model_set_is_empty(set))
        return;
    if (detail != NULL) {
        run->details = grow(run->details, run->detail_count, &run->detail_capacity, sizeof(*run->details));
        memcpy(run->details[run->detail_count].of, detail, sizeof(run->details->of));
        number = run->detail_count++;
    }
    run->events = grow(run->events, run->event_count, &run->event_capacity, sizeof(*run->events));
    run->events[run->event_count++] = (struct model_event){kind, live->number, block, action, number, *set};
}

static void tell(struct interpreter *in, const struct live *live, enum model_event_kind kind, uint32_t block,
                 uint32_t action, const struct model_set *set)
{
    tell_detail(in, live, kind, block, action, set, NULL);
}

static struct model_set take(struct model_set *set)
{
    const struct model_set taken = *set;
    memset(set, 0, sizeof(*set));
    return taken;
}

static void start(struct interpreter *in, struct frame *frame, uint32_t block, struct model_set set);

/* Threads enter a shader. `caller`: its number, MODEL_NONE for launches. `from`: whose state and depth are
 * handed over; NULL for launches. `instance`: that each thread's ray hits, of hit shaders; else NULL. */
static void enter(struct interpreter *in, uint32_t shader, uint32_t caller, const struct live *from,
                  struct rays *rays, const uint8_t *instance, const struct model_set *set, struct live *live)
{
    struct model_run *run = in->run;
    struct frame *frame = calloc(1, sizeof(*frame));
    if (frame == NULL)
        abort();
    live->shader = &in->program->shaders[shader];
    live->rays = rays;
    live->number = run->execution_count;
    memset(&live->ignored, 0, sizeof(live->ignored));
    memset(&live->terminated, 0, sizeof(live->terminated));
    memset(&live->returned, 0, sizeof(live->returned));
    memset(live->queries, 0, sizeof(live->queries)); /* branches ask of all threads */
    memset(live->objects, 0, sizeof(live->objects));
    run->executions =
        grow(run->executions, run->execution_count, &run->execution_capacity, sizeof(*run->executions));
    run->executions[run->execution_count++] = (struct model_execution){shader, caller, *set};
    const uint32_t salt = live->shader->salt ^ in->program->salt;
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        const bool fresh = from == NULL || live->shader->stage == WS_STAGE_INTERSECTION;
        live->state[t] = (fresh ? t * MODEL_HASH_FACTOR : from->state[t]) ^ salt;
        live->depth[t] = from == NULL ? 0 : fresh ? MODEL_DEPTH : from->depth[t] + 1;
    }
    tell_detail(in, live, MODEL_EVENT_ENTER, 0, 0, set, instance);
    frame->live = live;
    start(in, frame, live->shader->functions[0].first, *set);
    tell(in, live, MODEL_EVENT_RETURNED, 0, 0, &live->returned);
    free(frame);
}

/* Of those in `set`, the threads whose number in `of` is `number`. */
static struct model_set select_threads(const struct model_set *set, const uint32_t *of, uint32_t number)
{
    struct model_set selected = {0};
    for (uint32_t t = 0; t < MODEL_THREADS; t++)
        if (model_set_has(set, t) && of[t] == number)
            model_set_add(&selected, t);
    return selected;
}

/* Whether an instance is opaque for a ray. */
static bool is_opaque(const struct model_instance *instance, uint32_t flags)
{
    return (flags & MODEL_RAY_OPAQUE) != 0 || (instance->opaque && (flags & MODEL_RAY_NO_OPAQUE) == 0);
}

/* Runs the any-hit shaders of candidates that are not opaque; leaves in `set` those that accept, and in
 * `terminated` those that end the ray. */
static void run_any_hits(struct interpreter *in, uint32_t caller, struct rays *rays, struct model_set *set,
                         struct model_set *terminated)
{
    const struct model_program *program = in->program;
    uint32_t shaders[MODEL_THREADS];
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        const struct model_instance *instance = &program->instances[rays->instance[t]];
        shaders[t] = is_opaque(instance, rays->flags) ? MODEL_NONE : instance->any_hit;
    }
    for (uint32_t i = 0; i < program->shader_count; i++) {
        const struct model_set candidates = select_threads(set, shaders, i);
        struct live live;
        if (model_set_is_empty(&candidates))
            continue;
        enter(in, i, caller, rays->tracer, rays, rays->instance, &candidates, &live);
        model_set_subtract(set, &live.ignored);
        model_set_unite(terminated, &live.terminated);
    }
}

/* `detail` receives whose hit was accepted. */
static void report(struct interpreter *in, struct live *live, const struct model_action *action,
                   struct model_set *set, uint8_t detail[MODEL_THREADS])
{
    struct model_set accepted = *set;
    struct model_set terminated = {0};
    memset(detail, 0, MODEL_THREADS);
    if (action->target == 1)
        return; /* beyond the end of the ray: refused */
    model_set_subtract(&accepted, &live->rays->over);
    run_any_hits(in, live->number, live->rays, &accepted, &terminated);
    model_set_unite(&live->rays->hit, &accepted);
    for (uint32_t t = 0; t < MODEL_THREADS; t++)
        detail[t] = model_set_has(&accepted, t);
    model_set_subtract(set, &terminated);
    if ((live->rays->flags & MODEL_RAY_TERMINATE_ON_FIRST_HIT) != 0)
        model_set_unite(&live->rays->over, &accepted);
    if (in->options->reports_end)
        model_set_subtract(set, &live->rays->over);
}

/* What each thread's ray meets. */
static void choose_instances(const struct live *live, const struct model_action *action,
                             uint8_t instance[MODEL_THREADS])
{
    for (uint32_t t = 0; t < MODEL_THREADS; t++)
        instance[t] = (uint8_t)(model_hash(live->state[t], action->salt) & action->reach);
}

/* Runs the shaders of candidates. */
static void traverse(struct interpreter *in, struct live *live, const struct model_action *action,
                     const struct model_set *set, struct rays *rays)
{
    const struct model_program *program = in->program;
    struct model_set triangles = {0}, boxes = {0}, terminated = {0};
    uint32_t intersections[MODEL_THREADS];
    *rays = (struct rays){.flags = action->flags, .tracer = live};
    choose_instances(live, action, rays->instance);
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        const struct model_instance *instance = &program->instances[rays->instance[t]];
        const bool meets = model_set_has(set, t) && rays->instance[t] != 0;
        intersections[t] = instance->intersection;
        if (meets)
            model_set_add(instance->box ? &boxes : &triangles, t);
    }
    run_any_hits(in, live->number, rays, &triangles, &terminated);
    model_set_unite(&rays->hit, &triangles);
    for (uint32_t i = 0; i < program->shader_count; i++) {
        const struct model_set candidates = select_threads(&boxes, intersections, i);
        struct live inner;
        if (!model_set_is_empty(&candidates))
            enter(in, i, live->number, live, rays, rays->instance, &candidates, &inner);
    }
}

/* Runs the closest hit shaders of what threads hit, then the miss shaders of those that missed. `instance`, `miss`: of each. */
static void shade(struct interpreter *in, struct live *live, const struct model_set *hit,
                  const uint8_t *instance, const struct model_set *missed, const uint8_t *miss)
{
    const struct model_program *program = in->program;
    uint32_t closest_hits[MODEL_THREADS], misses[MODEL_THREADS];
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        closest_hits[t] = program->instances[instance[t]].closest_hit;
        misses[t] = program->misses[miss[t]];
    }
    for (uint32_t i = 0; i < program->shader_count; i++) {
        const struct model_set hits = select_threads(hit, closest_hits, i);
        struct live inner;
        if (!model_set_is_empty(&hits))
            enter(in, i, live->number, live, NULL, instance, &hits, &inner);
    }
    for (uint32_t i = 0; i < program->shader_count; i++) {
        const struct model_set those = select_threads(missed, misses, i);
        struct live inner;
        if (!model_set_is_empty(&those))
            enter(in, i, live->number, live, NULL, NULL, &those, &inner);
    }
}

/* Runs the shaders of candidates, closest hits and misses. */
static void trace(struct interpreter *in, struct live *live, const struct model_action *action,
                  const struct model_set *set)
{
    struct rays rays;
    struct model_set missed = *set;
    uint8_t miss[MODEL_THREADS];
    traverse(in, live, action, set, &rays);
    model_set_subtract(&missed, &rays.hit);
    memset(miss, (int)action->miss, sizeof(miss));
    const bool skips = (action->flags & MODEL_RAY_SKIP_CLOSEST_HIT) != 0;
    shade(in, live, skips ? &(struct model_set){{0}} : &rays.hit, rays.instance, &missed, miss);
}

/* Rays are traced into a hit object. `detail` receives what each then holds a hit of. */
static void trace_object(struct interpreter *in, struct live *live, const struct model_action *action,
                         const struct model_set *set, uint8_t detail[MODEL_THREADS])
{
    struct rays rays;
    traverse(in, live, action, set, &rays);
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        const bool hit = model_set_has(&rays.hit, t);
        detail[t] = hit ? rays.instance[t] : 0;
        if (model_set_has(set, t))
            live->objects[action->object][t] =
                (struct object){.held = hit ? MODEL_HELD_HIT : MODEL_HELD_MISS,
                                .instance = detail[t],
                                .miss = (uint8_t)action->miss,
                                .skips = (action->flags & MODEL_RAY_SKIP_CLOSEST_HIT) != 0};
    }
}

/* What an object holds is put into it without a ray. */
static void record_object(struct live *live, const struct model_action *action, const struct model_set *set)
{
    const enum model_held held = action->kind == MODEL_OBJECT_EMPTY  ? MODEL_HELD_EMPTY
                                 : action->kind == MODEL_OBJECT_MISS ? MODEL_HELD_MISS
                                                                     : MODEL_HELD_HIT;
    for (uint32_t t = 0; t < MODEL_THREADS; t++)
        if (model_set_has(set, t))
            live->objects[action->object][t] =
                (struct object){.held = (uint8_t)held,
                                .instance = held == MODEL_HELD_HIT ? (uint8_t)action->target : 0,
                                .miss = held == MODEL_HELD_MISS ? (uint8_t)action->miss : 0};
}

/* Runs what a hit object holds. */
static void execute_object(struct interpreter *in, struct live *live, const struct model_action *action,
                           const struct model_set *set)
{
    struct model_set hit = {0}, missed = {0};
    uint8_t instance[MODEL_THREADS], miss[MODEL_THREADS];
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        const struct object *object = &live->objects[action->object][t];
        instance[t] = object->instance;
        miss[t] = object->miss;
        if (!model_set_has(set, t))
            continue;
        if (object->held == MODEL_HELD_HIT && (in->options->hits_run || !object->skips))
            model_set_add(&hit, t);
        if (object->held == MODEL_HELD_MISS)
            model_set_add(&missed, t);
    }
    shade(in, live, &hit, instance, &missed, miss);
}

static void execute(struct interpreter *in, struct live *live, const struct model_action *action,
                    const struct model_set *set)
{
    const struct model_program *program = in->program;
    uint32_t chosen[MODEL_THREADS];
    for (uint32_t t = 0; t < MODEL_THREADS; t++)
        chosen[t] = model_hash(live->state[t], action->salt) % program->callable_count;
    for (uint32_t i = 0; i < program->callable_count; i++) {
        const struct model_set callers = select_threads(set, chosen, i);
        struct live inner;
        if (!model_set_is_empty(&callers))
            enter(in, program->callables[i], live->number, live, NULL, NULL, &callers, &inner);
    }
}

static void call(struct interpreter *in, struct live *live, uint32_t function, struct model_set *set)
{
    struct frame *frame = calloc(1, sizeof(*frame));
    if (frame == NULL)
        abort();
    frame->live = live;
    start(in, frame, live->shader->functions[function].first, *set);
    *set = frame->returned;
    free(frame);
}

/* The query of a thread proceeds: to the instance that it meets, then behind it. */
static void proceed(const struct model_program *program, struct query *query)
{
    const struct model_instance *instance = &program->instances[query->instance];
    const bool meets = !query->begun && query->instance != 0;
    const bool taken = meets && !instance->box && is_opaque(instance, query->flags);
    query->begun = true;
    query->proceeded = meets && !taken;
    if (taken)
        query->committed = 1;
}

/* An instruction of a ray query. `detail`: the instance that each meets; receives what the query has come to. */
static void query(struct interpreter *in, struct live *live, const struct model_action *action,
                  const struct model_set *set, uint8_t detail[MODEL_THREADS])
{
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        struct query *self = &live->queries[t];
        if (!model_set_has(set, t))
            continue;
        switch (action->kind) {
        case MODEL_INITIALIZE: *self = (struct query){.instance = detail[t], .flags = action->flags}; break;
        case MODEL_CONFIRM: self->committed = 1; break;
        case MODEL_GENERATE: self->committed = 2; break;
        default: proceed(in->program, self); break;
        }
        detail[t] = (uint8_t)(self->instance | self->proceeded << 3 | self->committed << 4);
    }
}

/* Does one action; leaves in `set` who goes on after it. True where they are to be told as being after it; of a report
 * `detail` receives what. */
static bool act(struct interpreter *in, struct frame *frame, uint32_t block, uint32_t index,
                struct model_set *set, uint8_t detail[MODEL_THREADS])
{
    struct live *live = frame->live;
    const struct model_action *action = &live->shader->blocks[block].actions[index];
    if (action->kind == MODEL_LOOP_ZERO || action->kind == MODEL_LOOP_NEXT) {
        for (uint32_t t = 0; t < MODEL_THREADS; t++) {
            if (model_set_has(set, t)) {
                uint32_t *loop = &frame->loops[action->target][t];
                *loop = action->kind == MODEL_LOOP_ZERO ? 0 : *loop + 1;
            }
        }
        return false;
    }
    if (action->kind == MODEL_DEMOTE) {
        tell(in, live, MODEL_EVENT_END, block, index + 1, set);
        take(set);
        return false;
    }
    const bool chooses = model_chooses(action->kind);
    if (chooses)
        choose_instances(live, action, detail);
    tell_detail(in, live, MODEL_EVENT_BEFORE, block, index, set, chooses ? detail : NULL);
    switch (action->kind) {
    case MODEL_CALL: call(in, live, action->target, set); break;
    case MODEL_TRACE: trace(in, live, action, set); break;
    case MODEL_EXECUTE: execute(in, live, action, set); break;
    case MODEL_REPORT: report(in, live, action, set, detail); break;
    case MODEL_REORDER: break;
    case MODEL_OBJECT_TRACE: trace_object(in, live, action, set, detail); break;
    case MODEL_OBJECT_EXECUTE:
    case MODEL_OBJECT_REORDER_EXECUTE: execute_object(in, live, action, set); break;
    case MODEL_OBJECT_RUN:
        trace_object(in, live, action, set, detail);
        execute_object(in, live, action, set);
        break;
    case MODEL_OBJECT_EMPTY:
    case MODEL_OBJECT_MISS:
    case MODEL_OBJECT_HIT: record_object(live, action, set); return false;
    default: query(in, live, action, set, detail); return action->kind == MODEL_PROCEED;
    }
    return true;
}

/* Which of the block's targets a thread goes to. */
static uint32_t choose(const struct interpreter *in, const struct frame *frame,
                       const struct model_block *block, uint32_t thread)
{
    const struct live *live = frame->live;
    const uint32_t hash =
        model_hash(block->end == MODEL_IF_THREAD ? thread : live->state[thread], block->salt);
    switch (block->end) {
    case MODEL_IF_STATE:
    case MODEL_IF_THREAD: return hash < block->threshold ? 0 : 1;
    case MODEL_IF_DEPTH: return live->depth[thread] < MODEL_DEPTH && hash < block->threshold ? 0 : 1;
    case MODEL_IF_LOOP: return frame->loops[block->loop][thread] < (hash & block->turns) ? 0 : 1;
    case MODEL_IF_PROCEEDED: return live->queries[thread].proceeded ? 0 : 1;
    case MODEL_IF_OBJECT: return live->objects[block->object][thread].held == block->asked ? 0 : 1;
    case MODEL_IF_TRIANGLE: return in->program->instances[live->queries[thread].instance].box ? 1 : 0;
    case MODEL_SWITCH: return hash % block->target_count;
    default: return 0;
    }
}

/* Sends the threads to the block's targets, one after the other. */
static void part(struct interpreter *in, struct frame *frame, const struct model_block *block,
                 const struct model_set *set)
{
    uint32_t chosen[MODEL_THREADS];
    const bool meet = block->end == MODEL_SWITCH && in->options->cases_meet;
    const bool backwards =
        block->end != MODEL_SWITCH && in->options->orders && model_random_chance(&in->random, 1, 2);
    for (uint32_t t = 0; t < MODEL_THREADS; t++)
        chosen[t] = choose(in, frame, block, t);
    for (uint32_t i = 0; i < block->target_count; i++)
        frame->stops[block->targets[i]] += meet ? 1 : 0;
    for (uint32_t i = 0; i < block->target_count; i++) {
        const uint32_t index = backwards ? block->target_count - 1 - i : i;
        const uint32_t target = block->targets[index];
        struct model_set sent = select_threads(set, chosen, index);
        if (meet)
            frame->stops[target]--;
        if (meet && frame->stops[target] == 0) {
            const struct model_set fallen = take(&frame->arrived[target]);
            model_set_unite(&sent, &fallen);
        }
        start(in, frame, target, sent);
    }
}

/* The loop of `header`, from the end of that block in one iteration, to the next. */
static void iterate(struct interpreter *in, struct frame *frame, uint32_t header, const struct model_set *set)
{
    const struct model_block *block = &frame->live->shader->blocks[header];
    frame->stops[block->merge]++;
    frame->stops[block->continue_target]++;
    part(in, frame, block, set);
    frame->stops[block->continue_target]--;
    if (frame->stops[block->continue_target] == 0) {
        frame->stops[header]++;
        start(in, frame, block->continue_target, take(&frame->arrived[block->continue_target]));
        frame->stops[header]--;
        start(in, frame, header, take(&frame->arrived[header]));
    }
    frame->stops[block->merge]--;
}

/* What comes after the actions of a block. */
static void leave_block(struct interpreter *in, struct frame *frame, uint32_t index, struct model_set set)
{
    struct live *live = frame->live;
    const struct model_block *block = &live->shader->blocks[index];
    if (block->continue_target != MODEL_NONE) {
        iterate(in, frame, index, &set);
    } else if (block->merge != MODEL_NONE) {
        frame->stops[block->merge]++;
        part(in, frame, block, &set);
        frame->stops[block->merge]--;
    } else if (block->target_count > 0) {
        part(in, frame, block, &set);
        return;
    } else if (block->end == MODEL_RETURN && block->function > 0) {
        model_set_unite(&frame->returned, &set);
        return;
    } else {
        tell(in, live, MODEL_EVENT_END, index, 0, &set);
        model_set_unite(&live->returned, block->end == MODEL_RETURN ? &set : &(struct model_set){{0}});
        model_set_unite(&live->ignored, block->end == MODEL_IGNORE ? &set : &(struct model_set){{0}});
        model_set_unite(&live->terminated, block->end == MODEL_TERMINATE ? &set : &(struct model_set){{0}});
        return;
    }
    if (frame->stops[block->merge] == 0)
        start(in, frame, block->merge, take(&frame->arrived[block->merge]));
}

/* The rest of a block from one of its actions on, and what comes after it. */
static void go_on(struct interpreter *in, struct frame *frame, uint32_t index, uint32_t action,
                  struct model_set set)
{
    const struct model_block *block = &frame->live->shader->blocks[index];
    for (; action < block->action_count; action++) {
        const enum model_action_kind kind = block->actions[action].kind;
        uint8_t detail[MODEL_THREADS];
        const bool returns = act(in, frame, index, action, &set, detail);
        const bool shaders = model_runs_shaders(kind) || kind == MODEL_REORDER;
        const bool tells = kind == MODEL_REPORT || kind == MODEL_PROCEED || kind == MODEL_OBJECT_TRACE;
        if (shaders && in->options->splits && model_random_chance(&in->random, 1, 4)) {
            struct model_set first = {0};
            for (uint32_t t = 0; t < MODEL_THREADS; t++)
                if (model_set_has(&set, t) && model_random_chance(&in->random, 1, 2))
                    model_set_add(&first, t);
            model_set_subtract(&set, &first);
            tell_detail(in, frame->live, MODEL_EVENT_AFTER, index, action, &first, tells ? detail : NULL);
            go_on(in, frame, index, action + 1, first);
        }
        if (returns)
            tell_detail(in, frame->live, MODEL_EVENT_AFTER, index, action, &set, tells ? detail : NULL);
        if (in->cuts[frame->live->shader - in->program->shaders][index][action])
            tell(in, frame->live, MODEL_EVENT_BLOCK, index, action + 1, &set);
    }
    if (!model_set_is_empty(&set))
        leave_block(in, frame, index, set);
}

/* Threads come to a block: they wait there, or begin it. */
static void start(struct interpreter *in, struct frame *frame, uint32_t block, struct model_set set)
{
    struct live *live = frame->live;
    if (model_set_is_empty(&set) || in->run->too_long)
        return;
    if (frame->stops[block] > 0) {
        model_set_unite(&frame->arrived[block], &set);
        return;
    }
    tell(in, live, MODEL_EVENT_BLOCK, block, 0, &set);
    for (uint32_t t = 0; t < MODEL_THREADS; t++)
        if (model_set_has(&set, t))
            live->state[t] = live->state[t] * MODEL_STATE_FACTOR + live->shader->blocks[block].salt;
    go_on(in, frame, block, 0, set);
}

static void find_cuts(struct interpreter *in)
{
    for (uint32_t s = 0; s < in->program->shader_count; s++) {
        const struct model_shader *shader = &in->program->shaders[s];
        for (uint32_t b = 0; b < shader->block_count; b++)
            for (uint32_t a = 0; a < shader->blocks[b].action_count; a++)
                in->cuts[s][b][a] = model_cuts(shader, &shader->blocks[b].actions[a]);
    }
}

void model_interpret(const struct model_program *program, const struct model_options *options,
                     struct model_run *run)
{
    static struct interpreter in;
    struct model_set all = {0};
    struct live live;
    in = (struct interpreter){.program = program, .options = options, .random = {options->seed}, .run = run};
    find_cuts(&in);
    run->event_count = 0;
    run->execution_count = 0;
    run->detail_count = 0;
    run->too_long = false;
    for (uint32_t t = 0; t < model_program_threads(program); t++)
        model_set_add(&all, t);
    enter(&in, 0, MODEL_NONE, NULL, NULL, NULL, &all, &live);
}

void model_run_finish(struct model_run *run)
{
    free(run->events);
    free(run->executions);
    free(run->details);
}
