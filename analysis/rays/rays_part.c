#include "analysis/rays/rays_part.h"

#include <stdlib.h>
#include <string.h>

#include "passes/base/arena.h"

static void free_module(struct ws_ray_module *module)
{
    if (module == NULL)
        return;
    free(module->places);
    free(module);
}

struct ws_ray_part *ws_ray_part_create(const struct ws_catalog *catalog, uint32_t user)
{
    struct ws_ray_part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return NULL;
    part->catalog = catalog;
    part->user = user;
    part->arena = ws_arena_create();
    part->module_count = catalog->module_count;
    part->modules = calloc((size_t)part->module_count + 1, sizeof(struct ws_ray_module *));
    if (part->arena != NULL && part->modules != NULL)
        return part;
    ws_ray_part_destroy(part);
    return NULL;
}

void ws_ray_part_destroy(struct ws_ray_part *part)
{
    if (part == NULL)
        return;
    for (uint32_t i = 0; part->modules != NULL && i < part->module_count; ++i)
        free_module(part->modules[i]);
    free(part->modules);
    ws_pages_finish(&part->states);
    ws_arena_destroy(part->arena);
    free(part);
}

static int compare_places(const void *left, const void *right)
{
    const struct ws_ray_place *a = left;
    const struct ws_ray_place *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static bool is_told(const struct ws_site_record *site)
{
    return site->info.kind == WS_SITE_PLACE_AFTER || site->info.kind == WS_SITE_PLACE_END;
}

static struct ws_ray_module *make_module(const struct ws_module_record *record)
{
    struct ws_ray_module *module = calloc(1, sizeof(*module));
    uint32_t count = 0;
    if (module == NULL)
        return NULL;
    for (uint32_t i = 0; i < record->site_count; ++i) {
        module->has_data = module->has_data || record->sites[i].info.kind == WS_SITE_DATA;
        count += is_told(&record->sites[i]);
    }
    module->places = calloc((size_t)count + 1, sizeof(*module->places));
    if (module->places == NULL) {
        free_module(module);
        return NULL;
    }
    for (uint32_t i = 0; i < record->site_count; ++i) {
        const struct ws_site_record *site = &record->sites[i];
        if (is_told(site))
            module->places[module->place_count++] =
                (struct ws_ray_place){site->info.kind, site->info.offset, site->opcode};
    }
    qsort(module->places, module->place_count, sizeof(*module->places), compare_places);
    return module;
}

static const struct ws_ray_module *find_module(struct ws_ray_part *part, uint32_t shader)
{
    const uint32_t index = part->catalog->shaders[shader].module;
    if (part->modules[index] == NULL)
        part->modules[index] = make_module(&part->catalog->modules[index]);
    return part->modules[index];
}

static uint32_t opcode_at(const struct ws_ray_module *module, uint32_t kind, uint32_t offset)
{
    const struct ws_ray_place key = {kind, offset, 0};
    const struct ws_ray_place *place =
        bsearch(&key, module->places, module->place_count, sizeof(key), compare_places);
    return place != NULL ? place->opcode : 0;
}

float ws_ray_float(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof(value));
    return value;
}

struct ws_ray_run *ws_ray_candidate_add(struct ws_ray_part *part, struct ws_ray_state *state,
                                        struct ws_ray_node *ray, uint32_t kind, uint32_t shader)
{
    struct ws_ray_run *run = ws_arena_allocate(part->arena, 1, sizeof(*run));
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

struct ws_ray_node *ws_ray_trace(const struct ws_ray_occasion *at)
{
    const struct ws_ray_node *parent = at->frame->ray;
    struct ws_ray_node *node = ws_arena_allocate(at->part->arena, 1, sizeof(*node));
    if (node == NULL)
        return NULL;
    node->number = at->state->ray_count++;
    node->ray.parent = parent != NULL ? parent->number : WS_NONE;
    node->ray.depth = parent != NULL ? parent->ray.depth + 1 : 0;
    node->ray.lane = at->lane;
    node->ray.shader = at->frame->shader;
    node->ray.site = at->site;
    node->ray.first_hit_shader = WS_NONE;
    read_ray(&node->ray, at->words);
    if (at->state->last != NULL)
        at->state->last->next = node;
    else
        at->state->first = node;
    at->state->last = node;
    return node;
}

/* The ray that the frame traced, if any, is over. */
static void settle(struct ws_ray_frame *frame)
{
    struct ws_ray_node *node = frame->pending;
    frame->pending = NULL;
    if (node == NULL || node->ray.end != WS_RAY_UNKNOWN)
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

/* Finds out on behalf of which ray the frame runs, and what that says of the ray. */
static bool begin_frame(struct ws_ray_part *part, struct ws_ray_state *state, struct ws_ray_frame *frame)
{
    const struct ws_ray_frame *outer = frame->outer;
    const bool reported =
        frame->stage == WS_STAGE_ANY_HIT && outer != NULL && outer->stage == WS_STAGE_INTERSECTION;
    if (frame->stage == WS_STAGE_CALLABLE) {
        frame->ray = outer != NULL ? outer->ray : NULL;
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

bool ws_ray_part_enter(void *pointer, struct ws_context *context, const struct ws_thread *threads)
{
    (void)threads;
    struct ws_ray_part *part = pointer;
    const struct ws_ray_module *module = find_module(part, context->shader);
    if (module == NULL)
        return false;
    context->user[part->user] = (void *)(uintptr_t)module;
    if (context->continues || ((context->stage & WS_STAGES_RAY_TRACING) == 0 && !module->has_data))
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

/* The thread of a lane, and the frame that it is in; NULL where that is another context, or nothing is known
 * of it. */
static struct ws_ray_frame *find_frame(const struct ws_ray_part *part, const struct ws_context *context,
                                       uint32_t lane, struct ws_ray_state **state)
{
    const uint32_t thread = context->threads[lane];
    *state = thread != WS_NONE ? ws_page_get(&part->states, thread, sizeof(**state)) : NULL;
    struct ws_ray_frame *frame = *state != NULL ? (*state)->top : NULL;
    return frame != NULL && frame->context == context->number ? frame : NULL;
}

bool ws_ray_part_move(void *pointer, struct ws_context *from, uint32_t from_lane, struct ws_context *context,
                      uint32_t lane)
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

/* reportIntersection returned, or did not since its any-hit run terminated the ray. */
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
    if (result != WS_CANDIDATE_IGNORED)
        frame->ray->accepted = run;
    return true;
}

/* How an any-hit run ends. */
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

static bool place_event(const struct ws_ray_occasion *at, enum ws_ray_event event)
{
    switch (event) {
    case WS_RAY_RETURN: settle(at->frame); return true;
    case WS_RAY_ACCEPT: return end_any_hit(at, WS_CANDIDATE_ACCEPTED);
    case WS_RAY_IGNORE: return end_any_hit(at, WS_CANDIDATE_IGNORED);
    default: return end_any_hit(at, WS_CANDIDATE_TERMINATED);
    }
}

bool ws_ray_part_place(void *pointer, struct ws_context *context, uint32_t kind, uint32_t block,
                       uint32_t offset, struct ws_lanes lanes)
{
    (void)block;
    struct ws_ray_part *part = pointer;
    if (kind != WS_SITE_PLACE_AFTER && kind != WS_SITE_PLACE_END)
        return true;
    const uint32_t opcode = opcode_at(context->user[part->user], kind, offset);
    const enum ws_ray_event event = ws_ray_event_of(kind, opcode, context->stage, 0);
    struct ws_ray_occasion at = {.part = part};
    if (event == WS_RAY_NONE)
        return true;
    while (ws_lanes_any(lanes)) {
        at.frame = find_frame(part, context, ws_lanes_take(&lanes), &at.state);
        if (at.frame != NULL && !place_event(&at, event))
            return false;
    }
    return true;
}

/* What a shader entered with, of whose ray nothing may be known; that was counted then. */
static void entry_event(const struct ws_ray_occasion *at, enum ws_ray_event event)
{
    const struct ws_ray_frame *frame = at->frame;
    if (event == WS_RAY_CLOSEST_HIT && frame->ray != NULL) {
        frame->ray->ray.has_hit = true;
        read_hit_words(&frame->ray->ray.hit, at->words);
    } else if (event == WS_RAY_ANY_HIT && frame->run != NULL) {
        read_hit_words(&frame->run->candidate.hit, at->words);
    } else if (event == WS_RAY_INTERSECTION && frame->run != NULL) {
        read_hit(&frame->run->candidate.hit, at->words);
    }
}

static bool report_event(const struct ws_ray_occasion *at)
{
    if (at->frame->stage != WS_STAGE_INTERSECTION || at->frame->run == NULL) {
        at->part->malformed++;
        return true;
    }
    return add_report(at, at->frame, ws_ray_float(at->words[0]), at->words[1] & 0xff,
                      (at->words[1] & WS_RAY_ACCEPTED) != 0 ? WS_CANDIDATE_ACCEPTED : WS_CANDIDATE_IGNORED);
}

static bool trace_event(const struct ws_ray_occasion *at)
{
    settle(at->frame);
    struct ws_ray_node *node = ws_ray_trace(at);
    if (node == NULL)
        return false;
    if (at->word_count == WS_RAY_TRACE_MOTION_WORDS) {
        node->ray.has_time = true;
        node->ray.time = ws_ray_float(at->words[WS_RAY_TRACE_WORDS]);
    }
    at->frame->pending = node;
    return true;
}

static bool data_event(const struct ws_ray_occasion *at, enum ws_ray_event event)
{
    switch (event) {
    case WS_RAY_TRACE: return trace_event(at);
    case WS_RAY_REPORT: return report_event(at);
    case WS_RAY_CLOSEST_HIT:
    case WS_RAY_ANY_HIT:
    case WS_RAY_INTERSECTION: entry_event(at, event); return true;
    default: return ws_ray_query_event(at, event);
    }
}

bool ws_ray_part_data(void *pointer, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                      const uint32_t *words, uint32_t words_per_lane)
{
    struct ws_ray_part *part = pointer;
    const struct ws_module_record *module =
        &part->catalog->modules[part->catalog->shaders[context->shader].module];
    const enum ws_ray_event event =
        ws_ray_event_of(WS_SITE_DATA, module->sites[site].opcode, context->stage, words_per_lane);
    struct ws_ray_occasion at = {.part = part, .site = site, .words = words, .word_count = words_per_lane};
    if (event == WS_RAY_NONE)
        return true;
    for (; ws_lanes_any(lanes); at.words += words_per_lane) {
        at.lane = ws_lanes_take(&lanes);
        at.frame = find_frame(part, context, at.lane, &at.state);
        if (at.frame != NULL && !data_event(&at, event))
            return false;
    }
    return true;
}

bool ws_ray_part_leave(void *pointer, struct ws_context *context, struct ws_lanes lanes)
{
    struct ws_ray_part *part = pointer;
    while (ws_lanes_any(lanes)) {
        struct ws_ray_state *state = NULL;
        struct ws_ray_frame *frame = find_frame(part, context, ws_lanes_take(&lanes), &state);
        if (frame == NULL)
            continue;
        settle(frame);
        ws_ray_queries_end(frame);
        state->top = frame->outer;
        frame->outer = part->spare;
        part->spare = frame;
    }
    return true;
}
