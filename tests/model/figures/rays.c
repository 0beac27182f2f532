#include "tests/model/figures/rays.h"

#include <stdlib.h>
#include <string.h>

#define STACK 64

/* An execution of a shader that the thread is in. Rays are places in the thread's. */
struct frame {
    uint32_t execution;
    uint32_t ray;                    /* that it runs for; MODEL_NONE = ray generation, and callables of it */
    uint32_t last;                   /* that it traced last */
    uint32_t query;                  /* that it initialized last */
    uint32_t objects[MODEL_OBJECTS]; /* that its hit objects hold; MODEL_NONE: none, or not of a ray */
    uint32_t run;                    /* what it executes is of this one, where it executes an object */
    bool executes;
};

struct follower {
    struct model_rays *rays;
    const struct model_program *program;
    const struct model_run *run;
    uint32_t first; /* of the thread's rays */
    struct frame frames[STACK];
    uint32_t depth;
};

static struct frame *top(struct follower *follower)
{
    return &follower->frames[follower->depth - 1];
}

static uint32_t shader_of(const struct follower *follower, const struct frame *frame)
{
    return follower->run->executions[frame->execution].shader;
}

static struct model_ray *ray_at(const struct follower *follower, uint32_t ray)
{
    return &follower->rays->rays[follower->first + ray];
}

static void go_back(struct follower *follower, uint32_t execution)
{
    while (follower->depth > 0 && top(follower)->execution != execution)
        follower->depth--;
}

static void enter(struct follower *follower, uint32_t execution)
{
    const uint32_t shader = follower->run->executions[execution].shader;
    const enum ws_stage stage = follower->program->shaders[shader].stage;
    struct frame frame = {.execution = execution, .ray = MODEL_NONE, .last = MODEL_NONE, .query = MODEL_NONE};
    const bool shades = (stage & (WS_STAGE_CLOSEST_HIT | WS_STAGE_MISS)) != 0;
    for (uint32_t o = 0; o < MODEL_OBJECTS; o++)
        frame.objects[o] = MODEL_NONE;
    bool made = false;
    go_back(follower, follower->run->executions[execution].caller);
    if (follower->depth > 0) {
        const struct frame *caller = top(follower);
        const bool reports =
            follower->program->shaders[shader_of(follower, caller)].stage == WS_STAGE_INTERSECTION;
        frame.ray = stage == WS_STAGE_CALLABLE || reports ? caller->ray : caller->last;
        /* What a hit object holds that is of no ray: then it runs for that of its caller. */
        if (shades && caller->executes)
            frame.ray = caller->run != MODEL_NONE ? caller->run : caller->ray;
        made = shades && caller->executes && caller->run == MODEL_NONE;
    }
    if (shades && !made) {
        struct model_ray *ray = ray_at(follower, frame.ray);
        ray->end = stage == WS_STAGE_MISS ? MODEL_RAY_MISSED : MODEL_RAY_HIT;
        ray->ran = ray->ran == MODEL_NONE ? shader : ray->ran;
    } else if (stage == WS_STAGE_ANY_HIT) {
        ray_at(follower, frame.ray)->any_hits++;
    } else if (stage == WS_STAGE_INTERSECTION) {
        ray_at(follower, frame.ray)->intersections++;
    }
    follower->frames[follower->depth++] = frame;
}

/* A ray begins, or a query. */
static void trace(struct follower *follower, const struct model_event *event, uint32_t thread,
                  const struct model_action *action)
{
    const bool query = action->kind == MODEL_INITIALIZE;
    struct model_rays *rays = follower->rays;
    struct frame *frame = top(follower);
    if (rays->count == rays->capacity) {
        rays->capacity = rays->capacity * 2 + 1024;
        rays->rays = realloc(rays->rays, rays->capacity * sizeof(*rays->rays));
        if (rays->rays == NULL)
            abort();
    }
    *(query ? &frame->query : &frame->last) = rays->count - follower->first;
    rays->rays[rays->count++] =
        (struct model_ray){.query = query,
                           .object = action->kind == MODEL_OBJECT_TRACE || action->kind == MODEL_OBJECT_RUN,
                           .shader = shader_of(follower, frame),
                           .block = event->block,
                           .action = event->action,
                           .parent = frame->ray,
                           .depth = frame->ray != MODEL_NONE ? ray_at(follower, frame->ray)->depth + 1 : 0,
                           .instance = follower->run->details[event->detail].of[thread],
                           .ran = MODEL_NONE};
}

/* A hit object is traced into, or something else is put into it, or it is executed. */
static void handle_object(struct follower *follower, const struct model_event *event, uint32_t thread,
                          const struct model_action *action)
{
    struct frame *frame = top(follower);
    const bool before = event->kind == MODEL_EVENT_BEFORE, runs = action->kind == MODEL_OBJECT_RUN;
    const bool traces = runs || action->kind == MODEL_OBJECT_TRACE;
    if (before && action->kind >= MODEL_OBJECT_EMPTY)
        frame->objects[action->object] = MODEL_NONE;
    else if (before && traces)
        frame->objects[action->object] = frame->last;
    else if (traces && !runs)
        ray_at(follower, frame->objects[action->object])->end =
            follower->run->details[event->detail].of[thread] != 0 ? MODEL_RAY_HIT : MODEL_RAY_MISSED;
    frame->executes = before && (runs || action->kind == MODEL_OBJECT_EXECUTE ||
                                 action->kind == MODEL_OBJECT_REORDER_EXECUTE);
    frame->run = frame->executes ? frame->objects[action->object] : MODEL_NONE;
}

/* A query proceeds. */
static void proceed(struct model_ray *ray, uint32_t detail)
{
    if ((detail >> 3 & 1) != 0)
        ray->candidates++;
    else
        ray->end = detail >> 4 != 0 ? MODEL_RAY_HIT : MODEL_RAY_MISSED;
}

/* An any-hit shader ends. */
static void end(struct follower *follower, const struct model_event *event)
{
    const struct frame *frame = top(follower);
    const struct model_shader *shader = &follower->program->shaders[shader_of(follower, frame)];
    if (shader->stage != WS_STAGE_ANY_HIT)
        return;
    const enum ws_stage around =
        follower->program->shaders[shader_of(follower, &follower->frames[follower->depth - 2])].stage;
    const enum model_end how = shader->blocks[event->block].end;
    struct model_ray *ray = ray_at(follower, frame->ray);
    ray->ignored += how == MODEL_IGNORE;
    ray->reports += how == MODEL_TERMINATE && around == WS_STAGE_INTERSECTION;
}

static void follow(struct follower *follower, const struct model_event *event, uint32_t thread)
{
    if (event->kind == MODEL_EVENT_ENTER) {
        enter(follower, event->execution);
        return;
    }
    go_back(follower, event->execution);
    const struct model_block *block =
        &follower->program->shaders[shader_of(follower, top(follower))].blocks[event->block];
    if (event->kind == MODEL_EVENT_END)
        end(follower, event);
    if (event->kind != MODEL_EVENT_BEFORE && event->kind != MODEL_EVENT_AFTER)
        return;
    const struct model_action *action = &block->actions[event->action];
    const enum model_action_kind kind = action->kind;
    const bool before = event->kind == MODEL_EVENT_BEFORE;
    if (before && model_chooses(kind))
        trace(follower, event, thread, action);
    if (model_runs_shaders(kind) || kind >= MODEL_OBJECT_EMPTY)
        handle_object(follower, event, thread, action);
    else if (before && (kind == MODEL_CONFIRM || kind == MODEL_GENERATE))
        ray_at(follower, top(follower)->query)->committed++;
    else if (!before && kind == MODEL_PROCEED)
        proceed(ray_at(follower, top(follower)->query), follower->run->details[event->detail].of[thread]);
    else if (!before && kind == MODEL_REPORT)
        ray_at(follower, top(follower)->ray)->reports++;
}

void model_rays_make(struct model_rays *rays, const struct model_program *program,
                     const struct model_run *run)
{
    rays->count = 0;
    for (uint32_t t = 0; t < MODEL_THREADS; t++) {
        struct follower follower = {.rays = rays, .program = program, .run = run, .first = rays->count};
        rays->first[t] = rays->count;
        for (uint32_t i = 0; i < run->event_count; i++)
            if (model_set_has(&run->events[i].set, t) && run->events[i].kind != MODEL_EVENT_RETURNED)
                follow(&follower, &run->events[i], t);
    }
    rays->first[MODEL_THREADS] = rays->count;
}

void model_rays_finish(struct model_rays *rays)
{
    free(rays->rays);
}
