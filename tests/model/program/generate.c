/* Makes random programs: statement by statement, each with its constructs around it. */
#include <assert.h>
#include <string.h>

#include "tests/model/program/program.h"

/* The constructs around a statement. */
struct scope {
    uint32_t depth;
    uint32_t break_to;     /* merge block of the innermost loop; MODEL_NONE */
    uint32_t continue_to;  /* its continue target; MODEL_NONE */
    uint32_t switch_break; /* merge block of the innermost switch within that loop; MODEL_NONE */
    uint32_t fall_to;      /* the next case, while at the outermost of one; MODEL_NONE */
    uint32_t around;
    uint32_t selection;
    bool in_continue;
};

struct maker {
    struct model_program *program;
    struct model_shader *shader;
    uint32_t function;
    uint32_t function_wanted;
    uint32_t blocks_wanted;
    uint32_t traced;                /* hit object that was traced into last */
    uint32_t entered[MODEL_BLOCKS]; /* how many branches lead there */
    struct model_random random;
};

static bool chance(struct maker *maker, uint32_t part, uint32_t whole)
{
    return model_random_chance(&maker->random, part, whole);
}

static uint32_t below(struct maker *maker, uint32_t bound)
{
    return model_random_below(&maker->random, bound);
}

static uint32_t new_block(struct maker *maker)
{
    struct model_shader *shader = maker->shader;
    assert(shader->block_count < MODEL_BLOCKS);
    shader->blocks[shader->block_count] = (struct model_block){
        .function = maker->function,
        .salt = model_random_next(&maker->random),
        .merge = MODEL_NONE,
        .continue_target = MODEL_NONE,
        .threshold = below(maker, 5) * 16384,
        .around = MODEL_NONE,
        .selection = MODEL_NONE,
    };
    maker->entered[shader->block_count] = 0;
    return shader->block_count++;
}

/* From here on what is made stands in `block`. */
static void begin_block(struct maker *maker, uint32_t block, const struct scope *scope)
{
    struct model_function *function = &maker->shader->functions[maker->function];
    struct model_block *self = &maker->shader->blocks[block];
    function->order[function->count++] = block;
    self->around = scope->around;
    self->selection = scope->around == MODEL_NONE ? scope->selection : MODEL_NONE;
    self->in_continue = scope->in_continue;
}

static void go(struct maker *maker, uint32_t from, enum model_end end, uint32_t to, uint32_t other)
{
    struct model_block *block = &maker->shader->blocks[from];
    block->end = end;
    block->targets[0] = to;
    block->target_count = 1;
    maker->entered[to]++;
    if (end != MODEL_BRANCH) {
        block->targets[1] = other;
        block->target_count = 2;
        maker->entered[other]++;
    }
}

static uint32_t make_statements(struct maker *maker, uint32_t open, struct scope scope);
static bool make_action(struct maker *maker, uint32_t open, const struct scope *scope);

static void end_with(struct maker *maker, uint32_t block, enum model_end end)
{
    maker->shader->blocks[block].end = end;
    maker->shader->blocks[block].target_count = 0;
}

/* Ends what is open in `next`, or leaves by another way. */
static void end_body(struct maker *maker, uint32_t open, const struct scope *scope, uint32_t next)
{
    const bool any_hit = maker->shader->stage == WS_STAGE_ANY_HIT;
    const bool fragment = maker->shader->stage == WS_STAGE_FRAGMENT;
    uint32_t to = next;
    switch (below(maker, 14)) {
    case 0: end_with(maker, open, MODEL_RETURN); return;
    case 1: end_with(maker, open, any_hit ? MODEL_IGNORE : fragment ? MODEL_KILL : MODEL_RETURN); return;
    case 2:
        if (any_hit || fragment) {
            end_with(maker, open, any_hit ? MODEL_TERMINATE : MODEL_TERMINATE_INVOCATION);
            return;
        }
        break;
    case 3:
    case 4: to = scope->break_to != MODEL_NONE ? scope->break_to : next; break;
    case 5: to = scope->continue_to != MODEL_NONE ? scope->continue_to : next; break;
    case 6: to = scope->switch_break != MODEL_NONE ? scope->switch_break : next; break;
    case 7:
    case 8: to = scope->fall_to != MODEL_NONE ? scope->fall_to : next; break;
    default: break;
    }
    go(maker, open, MODEL_BRANCH, to, 0);
}

static void make_body(struct maker *maker, uint32_t block, struct scope scope, uint32_t next)
{
    begin_block(maker, block, &scope);
    struct scope inner = scope;
    inner.fall_to = MODEL_NONE;
    inner.depth++;
    const uint32_t open = make_statements(maker, block, inner);
    if (open != MODEL_NONE)
        end_body(maker, open, &scope, next);
}

/* What follows after a construct: MODEL_NONE where nothing comes there. */
static uint32_t begin_merge(struct maker *maker, uint32_t merge, const struct scope *scope)
{
    begin_block(maker, merge, scope);
    if (maker->entered[merge] > 0)
        return merge;
    end_with(maker, merge, MODEL_UNREACHABLE);
    return MODEL_NONE;
}

static uint32_t make_if(struct maker *maker, uint32_t open, const struct scope *scope, enum model_end end)
{
    struct scope inner = *scope;
    const uint32_t merge = new_block(maker);
    const uint32_t then = new_block(maker);
    const uint32_t other = chance(maker, 1, 2) ? merge : new_block(maker);
    maker->shader->blocks[open].merge = merge;
    go(maker, open, end, then, other);
    inner.selection = scope->selection == MODEL_NONE ? merge : scope->selection;
    make_body(maker, then, inner, merge);
    if (other != merge)
        make_body(maker, other, inner, merge);
    return begin_merge(maker, merge, scope);
}

static uint32_t make_switch(struct maker *maker, uint32_t open, const struct scope *scope)
{
    struct scope inner = *scope;
    const uint32_t merge = new_block(maker);
    const uint32_t cases = 2 + below(maker, MODEL_TARGETS - 2);
    const bool without_default = chance(maker, 1, 2);
    struct model_block *block = &maker->shader->blocks[open];
    block->merge = merge;
    block->end = MODEL_SWITCH;
    block->target_count = cases;
    for (uint32_t i = 0; i < cases; i++) {
        const bool leaves = i + 1 == cases && without_default;
        block->targets[i] = leaves ? merge : new_block(maker);
        maker->entered[block->targets[i]]++;
    }
    inner.selection = scope->selection == MODEL_NONE ? merge : scope->selection;
    inner.switch_break = merge;
    for (uint32_t i = 0; i < cases; i++) {
        const uint32_t target = block->targets[i];
        const uint32_t next = i + 1 < cases ? block->targets[i + 1] : merge;
        inner.fall_to = next != merge ? next : MODEL_NONE;
        if (target != merge)
            make_body(maker, target, inner, merge);
    }
    return begin_merge(maker, merge, scope);
}

static uint32_t make_loop(struct maker *maker, uint32_t open, const struct scope *scope)
{
    struct model_function *function = &maker->shader->functions[maker->function];
    struct scope inner = *scope;
    const uint32_t loop = function->loop_count++;
    const bool tests_last = chance(maker, 1, 3);
    const uint32_t turns = chance(maker, 1, 4) && scope->around == MODEL_NONE ? 15 : 3;
    const uint32_t header = new_block(maker);
    const uint32_t merge = new_block(maker);
    const uint32_t continue_target = new_block(maker);
    const uint32_t body = new_block(maker);
    struct model_block *before = &maker->shader->blocks[open];
    before->actions[before->action_count++] = (struct model_action){.kind = MODEL_LOOP_ZERO, .target = loop};
    go(maker, open, MODEL_BRANCH, header, 0);
    function->parent[header] = scope->around;
    inner.around = header;
    inner.break_to = merge;
    inner.continue_to = continue_target;
    inner.switch_break = MODEL_NONE;
    inner.fall_to = MODEL_NONE;
    begin_block(maker, header, &inner);
    struct model_block *head = &maker->shader->blocks[header];
    head->merge = merge;
    head->continue_target = continue_target;
    head->loop = loop;
    head->turns = turns;
    go(maker, header, tests_last ? MODEL_BRANCH : MODEL_IF_LOOP, body, merge);
    make_body(maker, body, inner, continue_target);
    inner.in_continue = true;
    begin_block(maker, continue_target, &inner);
    if (chance(maker, 1, 5))
        make_action(maker, continue_target, &inner);
    struct model_block *last = &maker->shader->blocks[continue_target];
    last->actions[last->action_count++] = (struct model_action){.kind = MODEL_LOOP_NEXT, .target = loop};
    last->loop = loop;
    last->turns = turns;
    go(maker, continue_target, tests_last ? MODEL_IF_LOOP : MODEL_BRANCH, header, merge);
    return begin_merge(maker, merge, scope);
}

static bool has_objects(const struct maker *maker)
{
    return maker->shader->object_count > 0;
}

static void make_ray(struct maker *maker, struct model_action *action)
{
    static const uint32_t flags[] = {0, 0, 0, 0, 1, 2, 4, 6, 8, 9, 12};
    static const uint32_t reaches[] = {7, 7, 7, 3, 5, 6, 1, 2, 4, 0};
    action->flags = flags[below(maker, sizeof(flags) / sizeof(flags[0]))];
    action->miss = below(maker, maker->program->miss_count);
    action->reach = reaches[below(maker, sizeof(reaches) / sizeof(reaches[0]))];
}

/* What is done with a hit object. `guarded`: shaders may be called. */
static bool make_object_action(struct maker *maker, struct model_block *block, bool guarded)
{
    static const enum model_action_kind kinds[] = {
        MODEL_OBJECT_TRACE,   MODEL_OBJECT_TRACE,           MODEL_OBJECT_TRACE,
        MODEL_OBJECT_EXECUTE, MODEL_OBJECT_EXECUTE,         MODEL_OBJECT_EXECUTE,
        MODEL_OBJECT_MISS,    MODEL_OBJECT_EMPTY,           MODEL_OBJECT_HIT,
        MODEL_REORDER,        MODEL_OBJECT_REORDER_EXECUTE, MODEL_OBJECT_RUN};
    const bool ext = maker->program->objects == MODEL_OBJECTS_EXT;
    struct model_action action = {.kind = kinds[below(maker, sizeof(kinds) / sizeof(kinds[0]))],
                                  .object = below(maker, maker->shader->object_count),
                                  .salt = model_random_next(&maker->random)};
    make_ray(maker, &action);
    action.target = action.kind == MODEL_REORDER ? below(maker, 3) : 1 + below(maker, MODEL_INSTANCES - 1);
    const bool executes = model_runs_shaders(action.kind) && action.kind != MODEL_OBJECT_TRACE;
    if ((executes && !guarded) || (action.kind == MODEL_OBJECT_HIT && ext) ||
        (model_reorders(action.kind) && maker->shader->stage != WS_STAGE_RAYGEN) ||
        (action.kind >= MODEL_OBJECT_REORDER_EXECUTE && action.kind <= MODEL_OBJECT_RUN && !ext))
        return false;
    if (action.kind == MODEL_OBJECT_TRACE || action.kind == MODEL_OBJECT_RUN)
        maker->traced = action.object;
    else if (chance(maker, 3, 4))
        action.object = maker->traced;
    block->actions[block->action_count++] = action;
    return true;
}

/* Puts a call or the like into the open block, if it has room, and what it needs is there. */
static bool make_action(struct maker *maker, uint32_t open, const struct scope *scope)
{
    const struct model_program *program = maker->program;
    struct model_block *block = &maker->shader->blocks[open];
    const enum ws_stage stage = maker->shader->stage;
    const bool guarded = stage == WS_STAGE_RAYGEN || scope->depth == MODEL_NONE;
    const bool traces =
        guarded && (stage == WS_STAGE_RAYGEN || stage == WS_STAGE_CLOSEST_HIT || stage == WS_STAGE_MISS);
    const bool executes = guarded && (traces || stage == WS_STAGE_CALLABLE) && program->callable_count > 0;
    struct model_action action = {.salt = model_random_next(&maker->random)};
    if (block->action_count + 1 >= MODEL_ACTIONS)
        return false;
    if (has_objects(maker) && chance(maker, 2, 3)) {
        bool made = make_object_action(maker, block, guarded);
        for (uint32_t i = 0; i < 2 && block->action_count + 1 < MODEL_ACTIONS && chance(maker, 2, 3); i++)
            made = make_object_action(maker, block, guarded) || made;
        return made;
    }
    const uint32_t choice = below(maker, 6);
    if (choice < 2 && maker->function + 1 < maker->function_wanted && scope->depth != MODEL_NONE) {
        action.kind = MODEL_CALL;
        action.target = maker->function + 1 + below(maker, maker->function_wanted - maker->function - 1);
    } else if (choice < 5 && traces) {
        action.kind = MODEL_TRACE;
        make_ray(maker, &action);
    } else if (executes) {
        action.kind = MODEL_EXECUTE;
    } else if (stage == WS_STAGE_INTERSECTION) {
        action.kind = MODEL_REPORT;
        action.target = chance(maker, 1, 5);
    } else if (stage == WS_STAGE_FRAGMENT && scope->depth > 0) {
        action.kind = MODEL_DEMOTE;
    } else {
        return false;
    }
    block->actions[block->action_count++] = action;
    return true;
}

/* A ray query: initialize and proceed; where there is a candidate, it may be committed; proceed. Lanes may leave it
 * before that. */
static uint32_t make_query(struct maker *maker, uint32_t open, const struct scope *scope)
{
    static const uint32_t flags[] = {0, 0, 1, 2, 4, 6};
    static const uint32_t reaches[] = {7, 7, 3, 5, 6, 0};
    struct scope inner = *scope;
    const uint32_t merge = new_block(maker), met = new_block(maker);
    const uint32_t inner_merge = new_block(maker), triangle = new_block(maker), box = new_block(maker);
    struct model_block *block = &maker->shader->blocks[open];
    block->actions[block->action_count++] = (struct model_action){.kind = MODEL_INITIALIZE,
                                                                  .salt = model_random_next(&maker->random),
                                                                  .flags = flags[below(maker, 6)],
                                                                  .reach = reaches[below(maker, 6)]};
    block->actions[block->action_count++] = (struct model_action){.kind = MODEL_PROCEED};
    block->merge = merge;
    go(maker, open, MODEL_IF_PROCEEDED, met, merge);
    inner.selection = scope->selection == MODEL_NONE ? merge : scope->selection;
    inner.fall_to = MODEL_NONE;
    inner.depth++;
    begin_block(maker, met, &inner);
    maker->shader->blocks[met].merge = inner_merge;
    go(maker, met, MODEL_IF_TRIANGLE, triangle, box);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t arm = i == 0 ? triangle : box;
        struct model_block *self = &maker->shader->blocks[arm];
        begin_block(maker, arm, &inner);
        if (chance(maker, 2, 3))
            self->actions[self->action_count++] =
                (struct model_action){.kind = i == 0 ? MODEL_CONFIRM : MODEL_GENERATE};
        end_body(maker, arm, &inner, inner_merge);
    }
    const uint32_t left = begin_merge(maker, inner_merge, &inner);
    if (left != MODEL_NONE)
        go(maker, left, MODEL_BRANCH, merge, 0);
    const uint32_t after = begin_merge(maker, merge, scope);
    struct model_block *last = &maker->shader->blocks[after];
    last->actions[last->action_count++] = (struct model_action){.kind = MODEL_PROCEED};
    return after;
}

/* A selection whose one side calls, when the depth allows. */
static uint32_t make_guarded(struct maker *maker, uint32_t open, const struct scope *scope)
{
    struct scope inner = *scope;
    const uint32_t merge = new_block(maker);
    const uint32_t then = new_block(maker);
    maker->shader->blocks[open].merge = merge;
    go(maker, open, MODEL_IF_DEPTH, then, merge);
    maker->shader->blocks[open].threshold |= 0x8000;
    inner.selection = scope->selection == MODEL_NONE ? merge : scope->selection;
    begin_block(maker, then, &inner);
    struct scope guarded = inner;
    guarded.depth = MODEL_NONE;
    make_action(maker, then, &guarded);
    for (uint32_t i = 0; i < 2 && has_objects(maker); i++)
        make_action(maker, then, &guarded);
    end_body(maker, then, &inner, merge);
    return begin_merge(maker, merge, scope);
}

static enum model_end choose_if(struct maker *maker, uint32_t open)
{
    struct model_block *block = &maker->shader->blocks[open];
    if (!has_objects(maker) || chance(maker, 1, 2))
        return chance(maker, 2, 3) ? MODEL_IF_STATE : MODEL_IF_THREAD;
    block->object = below(maker, maker->shader->object_count);
    block->asked = below(maker, 3);
    return MODEL_IF_OBJECT;
}

/* Makes statements into the block that is open. The block that is open then, or MODEL_NONE where no lane
 * comes to the end. */
static uint32_t make_statements(struct maker *maker, uint32_t open, struct scope scope)
{
    const uint32_t statements = 1 + below(maker, scope.depth == 0 ? 4 : 2);
    const enum ws_stage stage = maker->shader->stage;
    const bool calls = stage == WS_STAGE_CLOSEST_HIT || stage == WS_STAGE_MISS || stage == WS_STAGE_CALLABLE;
    for (uint32_t i = 0; i < statements && open != MODEL_NONE; i++) {
        const struct model_function *function = &maker->shader->functions[maker->function];
        const bool room = maker->shader->block_count < maker->blocks_wanted && scope.depth < 4;
        const bool fits = maker->shader->blocks[open].action_count + 3 <= MODEL_ACTIONS;
        switch (below(maker, maker->program->queries ? 11 : 9)) {
        case 0:
        case 1:
        case 2: make_action(maker, open, &scope); break;
        case 3:
        case 4: open = room ? make_if(maker, open, &scope, choose_if(maker, open)) : open; break;
        case 5:
            open = room && function->loop_count < MODEL_LOOPS ? make_loop(maker, open, &scope) : open;
            break;
        case 6: open = room ? make_switch(maker, open, &scope) : open; break;
        case 9:
        case 10: open = room && fits ? make_query(maker, open, &scope) : open; break;
        default: open = room && calls ? make_guarded(maker, open, &scope) : open; break;
        }
    }
    return open;
}

/* A hit object holds nothing at first. */
static void add_empty(struct maker *maker, uint32_t index, uint32_t object)
{
    struct model_block *block = &maker->shader->blocks[index];
    block->actions[block->action_count++] =
        (struct model_action){.kind = MODEL_OBJECT_EMPTY, .object = object};
}

static uint32_t make_shader(struct maker *maker, enum ws_stage stage, uint32_t blocks, uint32_t functions)
{
    struct model_program *program = maker->program;
    const struct scope outside = {.break_to = MODEL_NONE,
                                  .continue_to = MODEL_NONE,
                                  .switch_break = MODEL_NONE,
                                  .fall_to = MODEL_NONE,
                                  .around = MODEL_NONE,
                                  .selection = MODEL_NONE};
    const uint32_t index = program->shader_count++;
    assert(index < MODEL_SHADERS);
    maker->shader = &program->shaders[index];
    maker->shader->stage = stage;
    maker->shader->salt = model_random_next(&maker->random);
    maker->shader->function_count = functions;
    maker->function_wanted = functions;
    if (program->objects != MODEL_OBJECTS_NONE &&
        (stage == WS_STAGE_RAYGEN || stage == WS_STAGE_CLOSEST_HIT || stage == WS_STAGE_MISS))
        maker->shader->object_count = 1 + below(maker, MODEL_OBJECTS);
    maker->traced = 0;
    for (uint32_t i = 0; i < functions; i++) {
        maker->function = i;
        maker->blocks_wanted = maker->shader->block_count + blocks;
        blocks = blocks / 2 + 1;
        const uint32_t first = new_block(maker);
        maker->shader->functions[i].first = first;
        begin_block(maker, first, &outside);
        for (uint32_t o = 0; o < maker->shader->object_count && i == 0; o++)
            add_empty(maker, first, o);
        const uint32_t open = make_statements(maker, first, outside);
        if (open != MODEL_NONE)
            end_with(maker, open,
                     stage == WS_STAGE_TASK && i == 0 && chance(maker, 1, 2) ? MODEL_MESH_TASKS
                                                                             : MODEL_RETURN);
    }
    return index;
}

static void make_size(struct maker *maker, enum ws_stage stage, uint32_t threads)
{
    struct model_program *program = maker->program;
    uint32_t groups[3] = {1, 1, 1};
    const bool plane = stage == WS_STAGE_VERTEX || stage == WS_STAGE_FRAGMENT;
    const uint32_t dimensions = plane ? 2 : 1 + below(maker, 3);
    for (uint32_t i = 0; i < 3; i++)
        program->group[i] = 1;
    uint32_t left = threads;
    for (uint32_t i = 0; i < dimensions && model_has_groups(stage); i++) {
        program->group[i] = 1 + below(maker, left < 40 ? left : 40);
        left /= program->group[i];
    }
    for (uint32_t i = 0; i < dimensions; i++) {
        groups[i] = 1 + below(maker, i + 1 == dimensions || left < 12 ? left : 12);
        left /= groups[i];
    }
    for (uint32_t i = 0; i < 3; i++)
        program->size[i] = program->group[i] * groups[i];
}

static void make_scene(struct maker *maker)
{
    struct model_program *program = maker->program;
    uint32_t closest_hits[2], any_hits[2];
    const uint32_t closest_count = 1 + below(maker, 2), any_count = 1 + below(maker, 2);
    for (uint32_t i = 0; i < closest_count; i++)
        closest_hits[i] = make_shader(maker, WS_STAGE_CLOSEST_HIT, 1 + below(maker, 10), 1 + below(maker, 2));
    for (uint32_t i = 0; i < any_count; i++)
        any_hits[i] = make_shader(maker, WS_STAGE_ANY_HIT, 1 + below(maker, 8), 1 + below(maker, 3));
    /* Mesa 25.0's software device takes the any-hit shader of the first hit group that has the same
     * intersection shader: so an intersection shader comes with one any-hit shader, or none. */
    uint32_t intersections[2], with[2];
    for (uint32_t i = 0; i < 2; i++) {
        intersections[i] =
            make_shader(maker, WS_STAGE_INTERSECTION, 2 + below(maker, 8), 1 + below(maker, 3));
        with[i] = chance(maker, 4, 5) ? any_hits[below(maker, any_count)] : MODEL_NONE;
    }
    for (uint32_t i = 1; i < MODEL_INSTANCES; i++) {
        struct model_instance *instance = &program->instances[i];
        instance->box = chance(maker, 2, 5);
        instance->opaque = chance(maker, 1, 3);
        instance->closest_hit = chance(maker, 4, 5) ? closest_hits[below(maker, closest_count)] : MODEL_NONE;
        instance->any_hit = chance(maker, 4, 5) ? any_hits[below(maker, any_count)] : MODEL_NONE;
        instance->intersection = MODEL_NONE;
        if (instance->box) {
            const uint32_t which = below(maker, 2);
            instance->intersection = intersections[which];
            instance->any_hit = with[which];
        }
    }
}

void model_program_make(struct model_program *program, uint64_t seed, enum ws_stage stage, uint32_t threads,
                        bool queries, enum model_objects objects)
{
    const bool rays = stage == WS_STAGE_RAYGEN;
    struct maker maker = {.program = program, .random = {seed * 2 + rays}};
    memset(program, 0, sizeof(*program));
    for (uint32_t i = 0; i < 4; i++)
        model_random_next(&maker.random);
    program->seed = seed;
    program->rays = rays;
    program->queries = queries;
    program->objects = rays ? objects : MODEL_OBJECTS_NONE;
    program->salt = model_random_next(&maker.random);
    make_size(&maker, stage, threads);
    if (!rays) {
        for (uint32_t i = 1; i < MODEL_INSTANCES && queries; i++)
            program->instances[i] = (struct model_instance){.box = chance(&maker, 2, 5),
                                                            .opaque = chance(&maker, 1, 3),
                                                            .closest_hit = MODEL_NONE,
                                                            .any_hit = MODEL_NONE,
                                                            .intersection = MODEL_NONE};
        make_shader(&maker, stage, 2 + below(&maker, 40), 1 + below(&maker, 3));
        return;
    }
    /* What ray generation calls is known before it is made; the others call by number. */
    program->miss_count = 1 + below(&maker, 2);
    program->callable_count = below(&maker, 3);
    make_shader(&maker, WS_STAGE_RAYGEN, 2 + below(&maker, 24), 1 + below(&maker, 3));
    for (uint32_t i = 0; i < program->miss_count; i++)
        program->misses[i] = make_shader(&maker, WS_STAGE_MISS, 1 + below(&maker, 6), 1);
    for (uint32_t i = 0; i < program->callable_count; i++)
        program->callables[i] = make_shader(&maker, WS_STAGE_CALLABLE, 1 + below(&maker, 8), 1);
    make_scene(&maker);
}

void model_program_reorder(struct model_program *program, struct model_random *random)
{
    struct model_shader *shader = &program->shaders[0];
    for (uint32_t i = 0; i < shader->block_count; i++) {
        struct model_block *block = &shader->blocks[i];
        if (block->action_count == MODEL_ACTIONS || !model_random_chance(random, 1, 4))
            continue;
        const uint32_t at = model_random_below(random, block->action_count + 1);
        memmove(&block->actions[at + 1], &block->actions[at],
                (block->action_count - at) * sizeof(*block->actions));
        block->actions[at] = (struct model_action){.kind = MODEL_REORDER, .target = MODEL_BY_HINT};
        block->action_count++;
    }
}

uint32_t model_program_threads(const struct model_program *program)
{
    return program->size[0] * program->size[1] * program->size[2];
}
