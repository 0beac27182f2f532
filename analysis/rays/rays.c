#include "analysis/rays/rays.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rays/collected_rays.h"
#include "analysis/rays/kept_rays.h"
#include "warpscope/base/arena.h"
#include "warpscope/base/array.h"
#include "warpscope/passes.h"
#include "warpscope/records.h"

struct ws_rays {
    const struct ws_catalog *catalog;
    const struct ws_ray_operations *operations;
    void *user;
    uint32_t number; /* of context->user */
    uint64_t malformed;
    struct ws_ray_part **parts; /* of the launch that is merged; they belong to the replay */
    uint32_t part_count;
    uint32_t part_capacity;
    struct ws_collected_rays collected;   /* of the thread that is handed on */
    const struct ws_selection *selection; /* NULL = all rays */
    struct ws_rays *next;                 /* joined: is told what this one puts together; NULL = the last */
};

struct ws_rays *ws_rays_create(const struct ws_catalog *catalog, const struct ws_ray_operations *operations,
                               void *user)
{
    struct ws_rays *rays = calloc(1, sizeof(*rays));
    if (rays == NULL)
        return NULL;
    rays->catalog = catalog;
    rays->collected.catalog = catalog;
    rays->operations = operations;
    rays->user = user;
    return rays;
}

void ws_rays_destroy(struct ws_rays *rays)
{
    if (rays == NULL)
        return;
    free(rays->parts);
    ws_collected_rays_finish(&rays->collected);
    free(rays);
}

void ws_rays_attach(struct ws_rays *rays, uint32_t user)
{
    rays->number = user;
}

void ws_rays_choose(struct ws_rays *rays, const struct ws_selection *selection)
{
    rays->selection = ws_selection_has_shaders(selection) ? selection : NULL;
}

uint64_t ws_rays_malformed(const struct ws_rays *rays)
{
    return rays->malformed;
}

void ws_rays_print_malformed(const struct ws_rays *rays, FILE *stream)
{
    if (rays->malformed > 0)
        fprintf(stream, "  %" PRIu64 " ray event%s contradict%s others and %s left out\n", rays->malformed,
                rays->malformed == 1 ? "" : "s", rays->malformed == 1 ? "s" : "",
                rays->malformed == 1 ? "was" : "were");
}

const char *ws_ray_end_name(uint32_t end)
{
    switch (end) {
    case WS_RAY_HIT: return "hit";
    case WS_RAY_MISSED: return "miss";
    case WS_RAY_IMPLICIT: return "implicit_hit";
    case WS_RAY_NO_SHADER: return "no_shader";
    default: return "unknown";
    }
}

const char *ws_structure_source_name(uint32_t source)
{
    static const char *const names[] = {"", "descriptor", "address"};
    return source <= WS_STRUCTURE_BY_ADDRESS ? names[source] : "";
}

const char *ws_candidate_kind_name(uint32_t kind)
{
    static const char *const names[] = {"any_hit", "report", "intersection", "query"};
    return kind <= WS_CANDIDATE_QUERY ? names[kind] : "unknown";
}

const char *ws_candidate_result_name(uint32_t result)
{
    static const char *const names[] = {"ignored", "accepted", "terminated", "open"};
    return result <= WS_CANDIDATE_OPEN ? names[result] : "unknown";
}

bool ws_ray_hit_is_triangle(const struct ws_ray_hit *hit)
{
    return hit->kind == WS_HIT_FRONT || hit->kind == WS_HIT_BACK;
}

bool ws_ray_candidate_has_t(const struct ws_ray_candidate *candidate)
{
    if (candidate->kind == WS_CANDIDATE_QUERY && !ws_ray_hit_is_triangle(&candidate->hit))
        return candidate->result == WS_CANDIDATE_ACCEPTED || candidate->result == WS_CANDIDATE_TERMINATED;
    return candidate->kind != WS_CANDIDATE_INTERSECTION;
}

void ws_ray_thread_place(const struct ws_catalog *catalog, const struct ws_ray_thread *thread,
                         uint32_t place[3])
{
    const uint32_t *work = thread->thread->work;
    const bool fragment = catalog->shaders[thread->rays[0].shader].stage == WS_STAGE_FRAGMENT;
    const uint32_t layer = work[1] >> 16;
    place[0] = fragment ? work[0] & 0xffff : work[0];
    place[1] = fragment ? work[0] >> 16 : work[1];
    place[2] = !fragment ? work[2] : layer != WS_WORK_UNKNOWN ? layer : 0;
}

void ws_ray_position(const struct ws_ray *ray, float t, double position[3])
{
    for (uint32_t i = 0; i < 3; ++i)
        position[i] = (double)ray->origin[i] + (double)t * (double)ray->direction[i];
}

static void destroy_part(void *pointer)
{
    struct ws_ray_part *part = pointer;
    if (part == NULL)
        return;
    ws_pages_finish(&part->states);
    ws_kept_rays_finish(&part->kept);
    ws_arena_destroy(part->arena);
    free(part);
}

static struct ws_ray_part *create_part(const struct ws_catalog *catalog, uint32_t user)
{
    struct ws_ray_part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return NULL;
    part->catalog = catalog;
    part->user = user;
    part->arena = ws_arena_create();
    if (part->arena != NULL)
        return part;
    destroy_part(part);
    return NULL;
}

float ws_ray_float(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof(value));
    return value;
}

/* An element that is used again, with zeros, or a new one. NULL if there is no memory. */
static void *use_again(struct ws_ray_part *part, void *spare, size_t size)
{
    return spare != NULL ? memset(spare, 0, size) : ws_arena_allocate(part->arena, 1, size);
}

struct ws_rays_query *ws_rays_query_make(struct ws_ray_part *part)
{
    struct ws_rays_query *spare = part->spare_queries;
    part->spare_queries = spare != NULL ? spare->next : NULL;
    return use_again(part, spare, sizeof(*spare));
}

struct ws_rays_object *ws_rays_object_make(struct ws_ray_part *part)
{
    struct ws_rays_object *spare = part->spare_objects;
    part->spare_objects = spare != NULL ? spare->next : NULL;
    return use_again(part, spare, sizeof(*spare));
}

struct ws_ray_run *ws_ray_candidate_add(struct ws_ray_part *part, struct ws_ray_state *state,
                                        struct ws_ray_node *ray, uint32_t kind, uint32_t shader)
{
    struct ws_ray_run *spare = part->spare_runs;
    part->spare_runs = spare != NULL ? spare->next : NULL;
    struct ws_ray_run *run = use_again(part, spare, sizeof(*run));
    if (run == NULL)
        return NULL;
    run->ray = ray->number;
    run->candidate.kind = kind;
    run->candidate.result = WS_CANDIDATE_OPEN;
    run->candidate.shader = shader;
    if (state->last_run != NULL)
        state->last_run->next = run;
    else
        state->first_run = run;
    state->last_run = run;
    state->run_count++;
    ray->ray.candidate_count++;
    return run;
}

static void read_ray(struct ws_ray *ray, const uint32_t *words)
{
    for (uint32_t i = 0; i < 3; ++i) {
        ray->origin[i] = ws_ray_float(words[i]);
        ray->direction[i] = ws_ray_float(words[3 + i]);
    }
    ray->tmin = ws_ray_float(words[6]);
    ray->tmax = ws_ray_float(words[7]);
    ray->flags = words[8];
    ray->cull_mask = words[9] & 0xff;
    ray->sbt_offset = words[9] >> 8 & 0xf;
    ray->sbt_stride = words[9] >> 12 & 0xf;
    ray->miss_index = words[9] >> 16;
}

struct ws_ray_node *ws_ray_trace(const struct ws_ray_occasion *at, uint32_t base)
{
    const uint32_t *more = at->words + base;
    const uint32_t count = at->word_count - base;
    const struct ws_ray_node *parent = at->frame->ray;
    struct ws_ray_node *spare = at->part->spare_nodes;
    at->part->spare_nodes = spare != NULL ? spare->next : NULL;
    struct ws_ray_node *node = use_again(at->part, spare, sizeof(*node));
    if (node == NULL)
        return NULL;
    node->number = at->state->ray_count++;
    node->ray.parent = parent != NULL ? parent->number : WS_NONE;
    node->ray.depth = parent != NULL ? parent->ray.depth + 1 : 0;
    node->ray.lane = at->lane;
    node->ray.call = at->part->calls;
    node->ray.shader = at->frame->shader;
    node->ray.site = at->site;
    node->ray.first_hit_shader = WS_NONE;
    read_ray(&node->ray, at->words);
    if (count % WS_RAY_STRUCTURE_WORDS == 1) {
        node->ray.has_time = true;
        node->ray.time = ws_ray_float(*more++);
    }
    if (count >= WS_RAY_STRUCTURE_WORDS)
        node->address = more[0] | (uint64_t)more[1] << 32;
    if (at->state->last != NULL)
        at->state->last->next = node;
    else
        at->state->first = node;
    at->state->last = node;
    return node;
}

/* Ends the ray that the frame traced, if it traced one. Where no closest hit or miss shader ran until now,
 * none will; but the object of a ray that was traced into one may be executed later, and what it holds is then not known. */
static void settle(struct ws_ray_frame *frame)
{
    struct ws_ray_node *node = frame->pending;
    const bool is_held = node != NULL && node->is_told && !frame->executes;
    frame->pending = NULL;
    frame->executes = false;
    if (node == NULL || node->ray.end != WS_RAY_UNKNOWN || is_held)
        return;
    node->ray.end =
        (node->ray.flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0 ? WS_RAY_IMPLICIT : WS_RAY_NO_SHADER;
    if (node->accepted != NULL) {
        node->ray.has_hit = true;
        node->ray.hit = node->accepted->candidate.hit;
    }
}

static bool begin_candidate(struct ws_ray_part *part, struct ws_ray_state *state, struct ws_ray_frame *frame)
{
    const bool any_hit = frame->stage == WS_STAGE_ANY_HIT;
    frame->run = ws_ray_candidate_add(
        part, state, frame->ray, any_hit ? WS_CANDIDATE_ANY_HIT : WS_CANDIDATE_INTERSECTION, frame->shader);
    if (frame->run == NULL)
        return false;
    if (!any_hit) {
        frame->ray->ray.intersections++;
        return true;
    }
    frame->ray->ray.any_hits++;
    if (frame->outer->stage == WS_STAGE_INTERSECTION)
        frame->outer->any_hit = frame->run;
    return true;
}

/* Finds the ray for which a called shader runs, and what the run says of that ray. A hit or miss shader runs for the ray that
 * the caller traced, or whose hit object it executes. An any-hit shader that a report called runs for the ray of its
 * intersection shader, and a callable shader for the ray of its caller. */
static bool begin_frame(struct ws_ray_part *part, struct ws_ray_state *state, struct ws_ray_frame *frame)
{
    const struct ws_ray_frame *outer = frame->outer;
    const bool reported =
        frame->stage == WS_STAGE_ANY_HIT && outer != NULL && outer->stage == WS_STAGE_INTERSECTION;
    if (frame->stage == WS_STAGE_CALLABLE) {
        frame->ray = outer != NULL ? outer->ray : NULL;
        return true;
    }
    if (outer != NULL && outer->executes &&
        (frame->stage == WS_STAGE_CLOSEST_HIT || frame->stage == WS_STAGE_MISS)) {
        ws_ray_object_run(part, frame);
        return true;
    }
    struct ws_ray_node *ray = outer == NULL ? NULL : reported ? outer->ray : outer->pending;
    if (ray == NULL || ray->ray.end != WS_RAY_UNKNOWN) {
        part->malformed++;
        return true;
    }
    frame->ray = ray;
    if (frame->stage != WS_STAGE_CLOSEST_HIT && frame->stage != WS_STAGE_MISS)
        return begin_candidate(part, state, frame);
    ray->ray.end = frame->stage == WS_STAGE_MISS ? WS_RAY_MISSED : WS_RAY_HIT;
    ray->ray.first_hit_shader = frame->shader;
    return true;
}

static bool push(struct ws_ray_part *part, struct ws_ray_state *state, const struct ws_context *context)
{
    struct ws_ray_frame *frame = part->spare;
    if (frame != NULL)
        part->spare = frame->outer;
    else
        frame = ws_arena_allocate(part->arena, 1, sizeof(*frame));
    if (frame == NULL)
        return false;
    *frame = (struct ws_ray_frame){
        .outer = state->top, .context = context->number, .shader = context->shader, .stage = context->stage};
    state->top = frame;
    const bool called = (context->stage & WS_STAGES_RAY_TRACING) != 0 && context->stage != WS_STAGE_RAYGEN;
    return !called || begin_frame(part, state, frame);
}

static bool enter_shader(void *pointer, struct ws_context *context, const struct ws_thread *threads)
{
    (void)threads;
    struct ws_ray_part *part = pointer;
    if (context->continues)
        return true;
    for (struct ws_lanes left = context->entered; ws_lanes_any(left);) {
        const uint32_t thread = context->threads[ws_lanes_take(&left)];
        if (thread == WS_NONE)
            continue;
        struct ws_ray_state *state = ws_page_touch(&part->states, thread, sizeof(*state));
        if (state == NULL || !push(part, state, context))
            return false;
    }
    return true;
}

/* The frame of the thread in a lane, and `*state` of that thread. NULL where the thread is not known, or is
 * in another context. */
static struct ws_ray_frame *find_frame(const struct ws_ray_part *part, const struct ws_context *context,
                                       uint32_t lane, struct ws_ray_state **state)
{
    const uint32_t thread = context->threads[lane];
    *state = thread != WS_NONE ? ws_page_get(&part->states, thread, sizeof(**state)) : NULL;
    struct ws_ray_frame *frame = *state != NULL ? (*state)->top : NULL;
    return frame != NULL && frame->context == context->number ? frame : NULL;
}

static bool move_thread(void *pointer, struct ws_context *from, uint32_t from_lane,
                        struct ws_context *context, uint32_t lane)
{
    (void)lane;
    const struct ws_ray_part *part = pointer;
    struct ws_ray_state *state = NULL;
    struct ws_ray_frame *frame = find_frame(part, from, from_lane, &state);
    if (frame != NULL)
        frame->context = context->number;
    return true;
}

static void read_hit(struct ws_ray_hit *hit, const uint32_t *words)
{
    hit->instance = words[0];
    hit->custom_index = words[1] & 0xffffff;
    hit->kind = words[1] >> 24;
    hit->geometry = words[2];
    hit->primitive = words[3];
}

/* Hit words into `hit`. */
static void read_hit_words(struct ws_ray_hit *hit, const uint32_t *words)
{
    hit->t = ws_ray_float(words[0]);
    read_hit(hit, words + 1);
    hit->attributes[0] = words[5];
    hit->attributes[1] = words[6];
}

/* Adds a report that returned, or one that did not return because its any-hit run terminated the ray. */
static bool add_report(const struct ws_ray_occasion *at, struct ws_ray_frame *frame, float t, uint32_t kind,
                       uint32_t result)
{
    struct ws_ray_run *run =
        ws_ray_candidate_add(at->part, at->state, frame->ray, WS_CANDIDATE_REPORT, frame->shader);
    if (run == NULL)
        return false;
    struct ws_ray_hit *hit = &run->candidate.hit;
    *hit = frame->run->candidate.hit;
    hit->t = t;
    hit->kind = kind;
    if (frame->any_hit != NULL)
        memcpy(hit->attributes, frame->any_hit->candidate.hit.attributes, sizeof(hit->attributes));
    frame->any_hit = NULL;
    run->candidate.result = result;
    frame->ray->ray.reports++;
    /* If this one was accepted, it is nearer than what was accepted before. */
    if (result != WS_CANDIDATE_IGNORED)
        frame->ray->accepted = result != WS_CANDIDATE_OPEN ? run : NULL;
    return true;
}

/* Ends an any-hit run. A run that terminates the ray also ends the report that called it. */
static bool end_any_hit(const struct ws_ray_occasion *at, uint32_t result)
{
    struct ws_ray_frame *frame = at->frame;
    struct ws_ray_run *run = frame->run;
    if (run == NULL)
        return true;
    run->candidate.result = result;
    frame->ray->ray.ignored += result == WS_CANDIDATE_IGNORED;
    if (result != WS_CANDIDATE_IGNORED)
        frame->ray->accepted = run;
    if (result != WS_CANDIDATE_TERMINATED || frame->outer->stage != WS_STAGE_INTERSECTION)
        return true;
    return add_report(at, frame->outer, run->candidate.hit.t, run->candidate.hit.kind, result);
}

/* An any-hit shader may share its function, and with it the event, with a shader of another stage: the stage
 * tells them apart. */
static bool place_event(const struct ws_ray_occasion *at, enum ws_ray_event event)
{
    const bool any_hit = at->frame->stage == WS_STAGE_ANY_HIT;
    switch (event) {
    case WS_RAY_RETURN: settle(at->frame); return true;
    case WS_RAY_ACCEPT: return !any_hit || end_any_hit(at, WS_CANDIDATE_ACCEPTED);
    case WS_RAY_IGNORE: return !any_hit || end_any_hit(at, WS_CANDIDATE_IGNORED);
    case WS_RAY_TERMINATE: return !any_hit || end_any_hit(at, WS_CANDIDATE_TERMINATED);
    default: return true;
    }
}

static bool reach_place(void *pointer, struct ws_context *context, const struct ws_replay_place *place,
                        struct ws_lanes lanes)
{
    struct ws_ray_occasion at = {.part = pointer};
    while (ws_lanes_any(lanes)) {
        at.frame = find_frame(pointer, context, ws_lanes_take(&lanes), &at.state);
        if (at.frame != NULL && !place_event(&at, (enum ws_ray_event)place->tag))
            return false;
    }
    return true;
}

/* Takes the hit with which a shader was entered. Where its ray is not known, that was counted at the entry.
 * An any-hit and a closest hit shader may share a function, and with it the event: the stage tells them
 * apart. */
static void entry_event(const struct ws_ray_occasion *at, enum ws_ray_event event)
{
    const struct ws_ray_frame *frame = at->frame;
    if (event == WS_RAY_INTERSECTION) {
        if (frame->stage == WS_STAGE_INTERSECTION && frame->run != NULL)
            read_hit(&frame->run->candidate.hit, at->words);
    } else if (frame->stage == WS_STAGE_CLOSEST_HIT && frame->ray != NULL && !frame->made) {
        frame->ray->ray.has_hit = true;
        read_hit_words(&frame->ray->ray.hit, at->words);
    } else if (frame->stage == WS_STAGE_ANY_HIT && frame->run != NULL) {
        read_hit_words(&frame->run->candidate.hit, at->words);
    }
}

/* Where the shader could not tell, its any-hit shader did, if one ran. */
static uint32_t report_result(const struct ws_ray_frame *frame, uint32_t word)
{
    if ((word & WS_RAY_ACCEPTANCE_OPEN) != 0)
        return frame->any_hit != NULL ? frame->any_hit->candidate.result : WS_CANDIDATE_OPEN;
    return (word & WS_RAY_ACCEPTED) != 0 ? WS_CANDIDATE_ACCEPTED : WS_CANDIDATE_IGNORED;
}

static bool report_event(const struct ws_ray_occasion *at)
{
    if (at->frame->stage != WS_STAGE_INTERSECTION || at->frame->run == NULL) {
        at->part->malformed++;
        return true;
    }
    return add_report(at, at->frame, ws_ray_float(at->words[0]), at->words[1] & 0xff,
                      report_result(at->frame, at->words[1]));
}

static bool trace_event(const struct ws_ray_occasion *at)
{
    settle(at->frame);
    struct ws_ray_node *node = ws_ray_trace(at, WS_RAY_TRACE_WORDS);
    if (node == NULL)
        return false;
    at->frame->pending = node;
    return true;
}

static bool data_event(const struct ws_ray_occasion *at, enum ws_ray_event event)
{
    switch (event) {
    case WS_RAY_TRACE: return trace_event(at);
    case WS_RAY_OBJECT_TRACE:
    case WS_RAY_EXECUTE: settle(at->frame); return ws_ray_object_event(at, event);
    case WS_RAY_OBJECT_TRACED:
    case WS_RAY_OBJECT_RECORD: return ws_ray_object_event(at, event);
    case WS_RAY_REPORT: return report_event(at);
    case WS_RAY_CLOSEST_HIT:
    case WS_RAY_ANY_HIT:
    case WS_RAY_INTERSECTION: entry_event(at, event); return true;
    default: return ws_ray_query_event(at, event);
    }
}

/* Whether records of the event have that many words per lane. A capture is untrusted: other records are not
 * read. */
static bool has_words(enum ws_ray_event event, uint32_t words)
{
    switch (event) {
    case WS_RAY_TRACE: return words >= WS_RAY_TRACE_WORDS && words - WS_RAY_TRACE_WORDS <= 3;
    case WS_RAY_CLOSEST_HIT:
    case WS_RAY_ANY_HIT: return words == WS_RAY_HIT_WORDS;
    case WS_RAY_INTERSECTION: return words == WS_RAY_INTERSECTION_WORDS;
    case WS_RAY_REPORT: return words == WS_RAY_REPORT_WORDS;
    case WS_RAY_INITIALIZE:
        return words == WS_RAY_INITIALIZE_WORDS || words == WS_RAY_INITIALIZE_WORDS + WS_RAY_STRUCTURE_WORDS;
    case WS_RAY_PROCEED: return words == WS_RAY_PROCEED_WORDS;
    case WS_RAY_GENERATE: return words == WS_RAY_GENERATE_WORDS;
    case WS_RAY_OBJECT_TRACE:
        return words >= WS_RAY_OBJECT_TRACE_WORDS && words - WS_RAY_OBJECT_TRACE_WORDS <= 3;
    case WS_RAY_OBJECT_TRACED: return words == WS_RAY_OBJECT_TRACED_WORDS;
    case WS_RAY_OBJECT_RECORD:
    case WS_RAY_EXECUTE:
    case WS_RAY_CONFIRM:
    case WS_RAY_TERMINATE_QUERY: return words == WS_RAY_KEY_WORDS;
    default: return false;
    }
}

static bool take_data(void *pointer, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                      const uint32_t *words, uint32_t words_per_lane)
{
    struct ws_ray_part *part = pointer;
    const struct ws_module_record *module =
        &part->catalog->modules[part->catalog->shaders[context->shader].module];
    const enum ws_ray_event event = (enum ws_ray_event)module->sites[site].info.tag;
    struct ws_ray_occasion at = {.part = part, .site = site, .words = words, .word_count = words_per_lane};
    if (!has_words(event, words_per_lane)) {
        part->malformed += ws_lanes_count(lanes);
        return true;
    }
    part->calls++;
    for (; ws_lanes_any(lanes); at.words += words_per_lane) {
        at.lane = ws_lanes_take(&lanes);
        at.frame = find_frame(part, context, at.lane, &at.state);
        if (at.frame != NULL && !data_event(&at, event))
            return false;
    }
    return true;
}

/* A frame is over: it and its variables are used again. */
static void pop(struct ws_ray_part *part, struct ws_ray_state *state)
{
    struct ws_ray_frame *frame = state->top;
    while (frame->queries != NULL) {
        struct ws_rays_query *query = frame->queries;
        frame->queries = query->next;
        query->next = part->spare_queries;
        part->spare_queries = query;
    }
    while (frame->objects != NULL) {
        struct ws_rays_object *object = frame->objects;
        frame->objects = object->next;
        object->next = part->spare_objects;
        part->spare_objects = object;
    }
    state->top = frame->outer;
    frame->outer = part->spare;
    part->spare = frame;
}

static bool leave_shader(void *pointer, struct ws_context *context, struct ws_lanes lanes)
{
    struct ws_ray_part *part = pointer;
    while (ws_lanes_any(lanes)) {
        struct ws_ray_state *state = NULL;
        struct ws_ray_frame *frame = find_frame(part, context, ws_lanes_take(&lanes), &state);
        if (frame == NULL)
            continue;
        settle(frame);
        ws_ray_queries_end(frame);
        pop(part, state);
        if (state->top == NULL && !ws_kept_rays_add(part, state))
            return false;
    }
    return true;
}

static void *create(const void *results, const struct ws_launch_record *launch)
{
    (void)launch;
    const struct ws_rays *rays = results;
    return create_part(rays->catalog, rays->number);
}

static bool merge(void *results, void *part, const struct ws_replay_threads *threads)
{
    (void)threads;
    struct ws_rays *rays = results;
    struct ws_ray_part **parts =
        ws_array_grow(rays->parts, &rays->part_capacity, rays->part_count + 1, sizeof(struct ws_ray_part *));
    if (parts == NULL)
        return false;
    rays->parts = parts;
    parts[rays->part_count++] = part;
    return true;
}

/* A thread with rays. */
struct tracer {
    const struct ws_thread *thread;
    const struct ws_ray_state *state;
    struct ws_kept_rays *kept;
};

/* By work id; threads of equal work ids in the order in which they appeared. */
static int compare_tracers(const void *left, const void *right)
{
    const struct ws_thread *a = ((const struct tracer *)left)->thread;
    const struct ws_thread *b = ((const struct tracer *)right)->thread;
    for (int i = 2; i >= 0; --i)
        if (a->work[i] != b->work[i])
            return a->work[i] < b->work[i] ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Adds the threads with rays of one part to `list`, and returns how many. `list` NULL: counts only. */
static size_t list_tracers(struct ws_ray_part *part, const struct ws_replay_threads *threads,
                           struct tracer *list)
{
    size_t count = 0;
    for (uint32_t page = 0; page < part->states.count; ++page) {
        const struct ws_ray_state *states = part->states.pages[page];
        for (uint32_t i = 0; states != NULL && i < WS_PAGE; ++i) {
            if (states[i].ray_count == 0)
                continue;
            if (list != NULL)
                list[count] = (struct tracer){&threads->threads[page * WS_PAGE + i], &states[i], &part->kept};
            count++;
        }
    }
    return count;
}

/* Tells those that joined `rays`, and itself, of the collected rays of a thread: first all that want every ray, for a
 * choice drops rays. */
static bool tell(struct ws_rays *rays, struct ws_ray_thread *thread)
{
    for (const struct ws_rays *told = rays; told != NULL; told = told->next)
        if (told->selection == NULL && !told->operations->thread(told->user, thread))
            return false;
    for (const struct ws_rays *told = rays; told != NULL; told = told->next) {
        if (told->selection == NULL)
            continue;
        if (!ws_collected_rays_choose(&rays->collected, told->selection, thread->launch))
            return false;
        thread->ray_count = rays->collected.ray_count;
        if (thread->ray_count > 0 && !told->operations->thread(told->user, thread))
            return false;
    }
    return true;
}

/* Shows the collected rays of a thread to those that look at all of them first. */
static bool show(struct ws_rays *rays, struct ws_ray_thread *thread)
{
    for (const struct ws_rays *told = rays; told != NULL; told = told->next)
        if (told->operations->look != NULL && !told->operations->look(told->user, thread))
            return false;
    return true;
}

static bool is_looked_at(const struct ws_rays *rays)
{
    while (rays != NULL && rays->operations->look == NULL)
        rays = rays->next;
    return rays != NULL;
}

/* `give` is show or tell. */
static bool hand_on(struct ws_rays *rays, const struct tracer *tracer,
                    const struct ws_replay_threads *threads,
                    bool (*give)(struct ws_rays *rays, struct ws_ray_thread *thread))
{
    const uint32_t warp = threads->warp_index[tracer->thread->warp];
    if (!ws_collected_rays_take(&rays->collected, tracer->kept, tracer->state, threads->launch->index, warp))
        return false;
    struct ws_ray_thread thread = {
        .launch = threads->launch->index,
        .index = (uint32_t)(tracer->thread - threads->threads),
        .thread = tracer->thread,
        .warp = warp,
        .lane = tracer->thread->lane,
        .rays = rays->collected.rays,
        .ray_count = rays->collected.ray_count,
        .candidates = rays->collected.candidates,
        .truncated = threads->launch->truncated,
    };
    return give(rays, &thread);
}

static bool hand_on_all(struct ws_rays *rays, const struct ws_replay_threads *threads)
{
    size_t count = 0;
    for (uint32_t i = 0; i < rays->part_count; ++i)
        count += list_tracers(rays->parts[i], threads, NULL);
    struct tracer *tracers = malloc((count + 1) * sizeof(*tracers));
    if (tracers == NULL)
        return false;
    count = 0;
    for (uint32_t i = 0; i < rays->part_count; ++i)
        count += list_tracers(rays->parts[i], threads, tracers + count);
    qsort(tracers, count, sizeof(*tracers), compare_tracers);
    bool handed = true;
    for (size_t i = 0; i < count && handed && is_looked_at(rays); ++i)
        handed = hand_on(rays, &tracers[i], threads, show);
    for (size_t i = 0; i < count && handed; ++i)
        handed = hand_on(rays, &tracers[i], threads, tell);
    free(tracers);
    return handed;
}

static bool begin_all(struct ws_rays *rays, const struct ws_replay_threads *threads)
{
    uint64_t malformed = 0;
    for (uint32_t i = 0; i < rays->part_count; ++i)
        malformed += rays->parts[i]->malformed;
    for (struct ws_rays *told = rays; told != NULL; told = told->next) {
        told->malformed += malformed;
        if (told->operations->begin != NULL && !told->operations->begin(told->user, threads))
            return false;
    }
    return true;
}

static bool end_all(const struct ws_rays *rays, const struct ws_replay_threads *threads)
{
    for (const struct ws_rays *told = rays; told != NULL; told = told->next)
        if (told->operations->end != NULL && !told->operations->end(told->user, threads))
            return false;
    return true;
}

static bool finish(void *results, const struct ws_replay_threads *threads)
{
    struct ws_rays *rays = results;
    const bool finished = begin_all(rays, threads) && hand_on_all(rays, threads) && end_all(rays, threads);
    rays->part_count = 0;
    ws_collected_rays_end_launch(&rays->collected);
    return finished;
}

static void join(void *results, void *other)
{
    struct ws_rays *rays = results;
    while (rays->next != NULL)
        rays = rays->next;
    rays->next = other;
}

const struct ws_replay_operations ws_rays_replay = {
    .pass = WS_PASS_RAY_EVENTS,
    .create = create,
    .destroy = destroy_part,
    .enter = enter_shader,
    .move = move_thread,
    .place = reach_place,
    .data = take_data,
    .leave = leave_shader,
    .merge = merge,
    .finish = finish,
    .join = join,
};

static void *create_of(const void *results, const struct ws_launch_record *launch)
{
    return create(*(struct ws_rays *const *)results, launch);
}

static bool merge_of(void *results, void *part, const struct ws_replay_threads *threads)
{
    return merge(*(struct ws_rays **)results, part, threads);
}

static bool finish_of(void *results, const struct ws_replay_threads *threads)
{
    return finish(*(struct ws_rays **)results, threads);
}

static void join_of(void *results, void *other)
{
    join(*(struct ws_rays **)results, *(struct ws_rays **)other);
}

const struct ws_replay_operations ws_rays_replay_of = {
    .pass = WS_PASS_RAY_EVENTS,
    .create = create_of,
    .destroy = destroy_part,
    .enter = enter_shader,
    .move = move_thread,
    .place = reach_place,
    .data = take_data,
    .leave = leave_shader,
    .merge = merge_of,
    .finish = finish_of,
    .join = join_of,
};
