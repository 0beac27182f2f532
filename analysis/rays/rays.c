#include "analysis/rays/rays.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rays/rays_part.h"
#include "passes/base/array.h"
#include "warpscope/records.h"

struct ws_rays {
    const struct ws_catalog *catalog;
    const struct ws_ray_operations *operations;
    void *user;
    uint32_t number; /* which of context->user is ours */
    uint64_t malformed;
    struct ws_ray_part **parts; /* of the launch that is being merged: the replay's */
    uint32_t part_count;
    uint32_t part_capacity;
    struct ws_ray *rays; /* of the thread that is handed on */
    uint32_t ray_capacity;
    struct ws_ray_candidate *candidates;
    uint32_t candidate_capacity;
};

struct ws_rays *ws_rays_create(const struct ws_catalog *catalog, const struct ws_ray_operations *operations,
                               void *user)
{
    struct ws_rays *rays = calloc(1, sizeof(*rays));
    if (rays == NULL)
        return NULL;
    rays->catalog = catalog;
    rays->operations = operations;
    rays->user = user;
    return rays;
}

void ws_rays_destroy(struct ws_rays *rays)
{
    if (rays == NULL)
        return;
    free(rays->parts);
    free(rays->rays);
    free(rays->candidates);
    free(rays);
}

void ws_rays_attach(struct ws_rays *rays, uint32_t user)
{
    rays->number = user;
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

static void *create(const void *results, const struct ws_launch_record *launch)
{
    (void)launch;
    const struct ws_rays *rays = results;
    return ws_ray_part_create(rays->catalog, rays->number);
}

static void destroy(void *part)
{
    ws_ray_part_destroy(part);
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

/* A thread that traced. */
struct tracer {
    const struct ws_thread *thread;
    const struct ws_ray_state *state;
};

/* By work id; equals in the order of appearing. */
static int compare_tracers(const void *left, const void *right)
{
    const struct ws_thread *a = ((const struct tracer *)left)->thread;
    const struct ws_thread *b = ((const struct tracer *)right)->thread;
    for (int i = 2; i >= 0; --i)
        if (a->work[i] != b->work[i])
            return a->work[i] < b->work[i] ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Adds those of one part to `list`, or counts them where that is NULL. */
static size_t list_tracers(const struct ws_ray_part *part, const struct ws_replay_threads *threads,
                           struct tracer *list)
{
    size_t count = 0;
    for (uint32_t page = 0; page < part->states.count; ++page) {
        const struct ws_ray_state *states = part->states.pages[page];
        for (uint32_t i = 0; states != NULL && i < WS_PAGE; ++i) {
            if (states[i].ray_count == 0)
                continue;
            if (list != NULL)
                list[count] = (struct tracer){&threads->threads[page * WS_PAGE + i], &states[i]};
            count++;
        }
    }
    return count;
}

static bool reserve(void *array, uint32_t *capacity, uint32_t count, size_t size)
{
    void *before;
    if (count <= *capacity)
        return true;
    memcpy(&before, array, sizeof(before));
    void *larger = realloc(before, (size_t)count * size);
    if (larger == NULL)
        return false;
    memcpy(array, &larger, sizeof(larger));
    *capacity = count;
    return true;
}

/* Candidates came as things happened; each ray's are to stand together. */
static void gather(struct ws_rays *rays, const struct ws_ray_state *state)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < state->ray_count; ++i) {
        rays->rays[i].candidate_first = first;
        first += rays->rays[i].candidate_count;
        rays->rays[i].candidate_count = 0;
    }
    for (const struct ws_ray_run *run = state->first_run; run != NULL; run = run->next) {
        struct ws_ray *ray = &rays->rays[run->ray];
        rays->candidates[ray->candidate_first + ray->candidate_count++] = run->candidate;
    }
}

static bool hand_on(struct ws_rays *rays, const struct tracer *tracer,
                    const struct ws_replay_threads *threads)
{
    const struct ws_ray_state *state = tracer->state;
    const uint32_t warp = threads->warp_index[tracer->thread->warp];
    if (!reserve(&rays->rays, &rays->ray_capacity, state->ray_count, sizeof(*rays->rays)) ||
        !reserve(&rays->candidates, &rays->candidate_capacity, state->run_count, sizeof(*rays->candidates)))
        return false;
    struct ws_ray *ray = rays->rays;
    for (const struct ws_ray_node *node = state->first; node != NULL; node = node->next, ++ray) {
        *ray = node->ray;
        ray->warp = warp;
    }
    gather(rays, state);
    const struct ws_ray_thread thread = {
        .index = (uint32_t)(tracer->thread - threads->threads),
        .thread = tracer->thread,
        .warp = warp,
        .lane = tracer->thread->lane,
        .rays = rays->rays,
        .ray_count = state->ray_count,
        .candidates = rays->candidates,
        .truncated = threads->launch->truncated,
    };
    return rays->operations->thread(rays->user, &thread);
}

static bool hand_on_all(struct ws_rays *rays, const struct ws_replay_threads *threads)
{
    size_t count = 0;
    for (uint32_t i = 0; i < rays->part_count; ++i) {
        rays->malformed += rays->parts[i]->malformed;
        count += list_tracers(rays->parts[i], threads, NULL);
    }
    struct tracer *tracers = malloc((count + 1) * sizeof(*tracers));
    if (tracers == NULL)
        return false;
    count = 0;
    for (uint32_t i = 0; i < rays->part_count; ++i)
        count += list_tracers(rays->parts[i], threads, tracers + count);
    qsort(tracers, count, sizeof(*tracers), compare_tracers);
    bool handed = true;
    for (size_t i = 0; i < count && handed; ++i)
        handed = hand_on(rays, &tracers[i], threads);
    free(tracers);
    return handed;
}

static bool finish(void *results, const struct ws_replay_threads *threads)
{
    struct ws_rays *rays = results;
    const struct ws_ray_operations *operations = rays->operations;
    const bool finished = (operations->begin == NULL || operations->begin(rays->user, threads)) &&
                          hand_on_all(rays, threads) &&
                          (operations->end == NULL || operations->end(rays->user, threads));
    rays->part_count = 0;
    return finished;
}

const struct ws_replay_operations ws_rays_replay = {
    .create = create,
    .destroy = destroy,
    .enter = ws_ray_part_enter,
    .move = ws_ray_part_move,
    .place = ws_ray_part_place,
    .data = ws_ray_part_data,
    .leave = ws_ray_part_leave,
    .merge = merge,
    .finish = finish,
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

const struct ws_replay_operations ws_rays_replay_of = {
    .create = create_of,
    .destroy = destroy,
    .enter = ws_ray_part_enter,
    .move = ws_ray_part_move,
    .place = ws_ray_part_place,
    .data = ws_ray_part_data,
    .leave = ws_ray_part_leave,
    .merge = merge_of,
    .finish = finish_of,
};
