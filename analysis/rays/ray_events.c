#include "analysis/rays/ray_events.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct ws_ray_events *results = user;
    results->launch = threads->launch;
    return true;
}

static bool took(const struct ws_ray_candidate *candidate)
{
    return candidate->result == WS_CANDIDATE_ACCEPTED || candidate->result == WS_CANDIDATE_TERMINATED;
}

/* The keys of a ray that do not depend on what it met. */
static void set_keys(const struct ws_ray_events *results, const struct ws_ray *ray, uint64_t *keys)
{
    const bool skips = (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0;
    for (uint32_t i = 0; i < WS_RAY_EVENTS_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    keys[WS_RAY_EVENTS_LAUNCH] = results->launch->index;
    keys[WS_RAY_EVENTS_STAGE] = ws_key_stage(results->catalog->shaders[ray->shader].stage);
    keys[WS_RAY_EVENTS_SHADER] = ray->shader;
    keys[WS_RAY_EVENTS_SITE] = ws_key_in_shader(ray->shader, ray->site);
    keys[WS_RAY_EVENTS_KIND] = ray->query ? WS_RAY_EVENTS_QUERY
                               : skips    ? WS_RAY_EVENTS_SKIP_CLOSEST_HIT
                                          : WS_RAY_EVENTS_PIPELINE;
    keys[WS_RAY_EVENTS_DEPTH] = ray->depth;
    if (ray->first_hit_shader != WS_NONE)
        keys[WS_RAY_EVENTS_HIT_SHADER] = ray->first_hit_shader;
}

static void set_hit_keys(const struct ws_ray_hit *hit, uint64_t *keys)
{
    keys[WS_RAY_EVENTS_INSTANCE] = (uint64_t)hit->instance << 24 | hit->custom_index;
    keys[WS_RAY_EVENTS_GEOMETRY] = hit->geometry;
}

/* The bin of the ray's hit; WS_KEY_NONE where its distance is in no bin. */
static uint64_t bin_of(const struct ws_ray *ray)
{
    const double x = (double)ray->direction[0];
    const double y = (double)ray->direction[1];
    const double z = (double)ray->direction[2];
    const double distance = (double)ray->hit.t * sqrt(x * x + y * y + z * z);
    int exponent = 0;
    if (!isfinite(distance) || distance <= 0)
        return WS_KEY_NONE;
    frexp(distance, &exponent); /* 2^(exponent - 1) <= distance < 2^exponent */
    const int bin = exponent - 1 + WS_RAY_EVENTS_BIN_ONE;
    return bin < 0 ? 0 : bin < WS_RAY_EVENTS_BINS ? (uint64_t)bin : WS_RAY_EVENTS_BINS - 1;
}

static bool add_candidate(struct ws_ray_events *results, const struct ws_ray_candidate *candidate,
                          uint64_t *keys)
{
    struct ws_ray_events_counts counts = {.rays = 0};
    switch (candidate->kind) {
    case WS_CANDIDATE_ANY_HIT:
        counts.any_hits = 1;
        counts.ignored = candidate->result == WS_CANDIDATE_IGNORED;
        break;
    case WS_CANDIDATE_REPORT:
        counts.reports = 1;
        counts.accepted = took(candidate);
        break;
    case WS_CANDIDATE_INTERSECTION: counts.intersections = 1; break;
    default:
        counts.candidates = 1;
        counts.confirmed = took(candidate);
        break;
    }
    set_hit_keys(&candidate->hit, keys);
    return ws_groups_gather(results->groups, keys, &counts);
}

/* Adds a ray, what it met, and the path that it begins. results->paths are those of the thread. */
static bool add_ray(struct ws_ray_events *results, const struct ws_ray_thread *thread, uint32_t number)
{
    const struct ws_ray *ray = &thread->rays[number];
    struct ws_ray_events_counts counts = {.rays = 1, .hits = ray->has_hit};
    uint64_t ray_keys[WS_RAY_EVENTS_DIMENSIONS];
    uint64_t keys[WS_RAY_EVENTS_DIMENSIONS];
    set_keys(results, ray, ray_keys);
    memcpy(keys, ray_keys, sizeof(keys));
    for (uint32_t i = 0; i < ray->candidate_count; ++i)
        if (!add_candidate(results, &thread->candidates[ray->candidate_first + i], keys))
            return false;
    memcpy(keys, ray_keys, sizeof(keys));
    counts.ends[ray->end] = 1;
    if (ray->has_hit) {
        set_hit_keys(&ray->hit, keys);
        keys[WS_RAY_EVENTS_DISTANCE] = bin_of(ray);
        if (keys[WS_RAY_EVENTS_DISTANCE] == WS_KEY_NONE)
            results->odd++;
        else
            results->distances[keys[WS_RAY_EVENTS_DISTANCE]]++;
    }
    if (!ws_groups_gather(results->groups, keys, &counts))
        return false;
    if (results->paths.steps[number].path != number)
        return true;
    ray_keys[WS_RAY_EVENTS_BOUNCES] = results->paths.steps[number].longest;
    counts = (struct ws_ray_events_counts){.paths = 1};
    return ws_groups_gather(results->groups, ray_keys, &counts);
}

static void add_most(struct ws_ray_events *results, const struct ws_ray_thread *thread, uint32_t stage)
{
    const struct ws_ray_events_thread place = {
        .rays = thread->ray_count,
        .launch = results->launch->index,
        .work = {thread->thread->work[0], thread->thread->work[1], thread->thread->work[2]},
        .stage = stage,
        .warp = thread->warp,
    };
    uint32_t at = results->most_count;
    while (at > 0 && results->most[at - 1].rays < place.rays)
        at--;
    if (at == WS_RAY_EVENTS_MOST)
        return;
    if (results->most_count < WS_RAY_EVENTS_MOST)
        results->most_count++;
    for (uint32_t i = results->most_count - 1; i > at; --i)
        results->most[i] = results->most[i - 1];
    results->most[at] = place;
}

/* The image of this size and first work id; NULL where it is not drawn. Sets `*no_memory` where there is no memory. */
static struct ws_ray_events_picture *find_picture(struct ws_ray_events *results, uint64_t width,
                                                  uint64_t height, const uint32_t first[3], bool *no_memory)
{
    for (uint32_t i = 0; i < results->picture_count; ++i)
        if (results->pictures[i].width == width && results->pictures[i].height == height &&
            memcmp(results->pictures[i].first, first, sizeof(results->pictures[i].first)) == 0)
            return &results->pictures[i];
    if (width == 0 || height == 0 || width > WS_RAY_EVENTS_PIXELS || width * height > WS_RAY_EVENTS_PIXELS ||
        results->picture_count == WS_RAY_EVENTS_PICTURES)
        return NULL;
    struct ws_ray_events_picture *picture = &results->pictures[results->picture_count];
    *picture = (struct ws_ray_events_picture){
        .width = (uint32_t)width, .height = (uint32_t)height, .first = {first[0], first[1]}};
    picture->values = calloc(width * height, sizeof(*picture->values));
    *no_memory = picture->values == NULL;
    results->picture_count += picture->values != NULL;
    return picture->values != NULL ? picture : NULL;
}

static bool paint(struct ws_ray_events *results, const struct ws_ray_thread *thread, uint32_t stage)
{
    const struct ws_launch_record *launch = results->launch;
    const uint32_t *local = results->catalog->shaders[thread->rays[0].shader].local_size;
    uint32_t place[3];
    uint32_t first[3];
    uint64_t width = launch->size[0];
    uint64_t height = launch->size[1];
    bool no_memory = false;
    if (!results->options.plots || (launch->kind == WS_LAUNCH_RENDER_PASS && stage != WS_STAGE_FRAGMENT))
        return true;
    ws_ray_thread_place(results->catalog, thread, place);
    ws_launch_record_first(launch, local, first);
    ws_launch_record_position(launch, local, place, place);
    if (launch->kind == WS_LAUNCH_DISPATCH) {
        width *= local[0];
        height *= local[1];
    }
    struct ws_ray_events_picture *picture = find_picture(results, width, height, first, &no_memory);
    if (picture != NULL && place[0] < width && place[1] < height)
        picture->values[place[1] * width + place[0]] += thread->ray_count;
    return !no_memory;
}

static bool count_thread(struct ws_ray_events *results, const struct ws_ray_thread *thread)
{
    const struct ws_ray_events_counts counts = {.threads = 1};
    uint64_t keys[WS_RAY_EVENTS_DIMENSIONS];
    for (uint32_t i = 0; i < WS_RAY_EVENTS_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    keys[WS_RAY_EVENTS_LAUNCH] = results->launch->index;
    keys[WS_RAY_EVENTS_THREAD_RAYS] = thread->ray_count;
    return ws_groups_gather(results->groups, keys, &counts);
}

static bool end_launch(void *user, const struct ws_replay_threads *threads)
{
    struct ws_ray_events *results = user;
    ws_groups_settle(results->groups);
    ws_sought_look(&results->sought, &results->options, threads);
    return true;
}

/* Counts the rays of a thread for its launch. All threads of a launch come one after the other. */
static bool count_launch(struct ws_ray_events *results, const struct ws_ray_thread *thread)
{
    const uint64_t index = results->launch->index;
    if (results->launch_count == 0 || results->launches[results->launch_count - 1].index != index) {
        struct ws_ray_events_launch *grown = ws_array_grow(results->launches, &results->launch_capacity,
                                                           results->launch_count + 1, sizeof(*grown));
        if (grown == NULL)
            return false;
        results->launches = grown;
        if (!ws_id_map_put(&results->launch_of, index, results->launch_count))
            return false;
        results->launches[results->launch_count++] = (struct ws_ray_events_launch){.index = index};
    }
    results->launches[results->launch_count - 1].rays += thread->ray_count;
    return true;
}

uint64_t ws_ray_events_of(const struct ws_ray_events *results, uint64_t launch)
{
    uint32_t at = 0;
    return results != NULL && ws_id_map_get(&results->launch_of, launch, &at) ? results->launches[at].rays
                                                                              : 0;
}

static bool add_thread(void *user, const struct ws_ray_thread *thread)
{
    struct ws_ray_events *results = user;
    const uint32_t first = results->catalog->shaders[thread->rays[0].shader].stage;
    const uint32_t stage = (first & WS_STAGES_RAY_TRACING) != 0 ? WS_STAGE_RAYGEN : first;
    if (!ws_ray_trees_add(&results->trees, thread, results->launch->index, stage))
        return false;
    if (!count_launch(results, thread) || !ws_ray_paths_find(&results->paths, thread, NULL))
        return false;
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        if (!add_ray(results, thread, i))
            return false;
    add_most(results, thread, stage);
    return count_thread(results, thread) && paint(results, thread, stage);
}

static const struct ws_ray_operations operations = {.begin = begin, .thread = add_thread, .end = end_launch};

static void destroy(void *pointer)
{
    struct ws_ray_events *results = pointer;
    if (results == NULL)
        return;
    ws_rays_destroy(results->rays);
    ws_groups_destroy(results->groups);
    ws_ray_paths_finish(&results->paths);
    ws_ray_trees_finish(&results->trees);
    for (uint32_t i = 0; i < results->picture_count; ++i)
        free(results->pictures[i].values);
    ws_id_map_finish(&results->launch_of);
    free(results->launches);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_ray_events *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->options = *options;
    results->trees.catalog = catalog;
    results->trees.options = &results->options;
    results->groups = ws_groups_create(&ws_ray_events_columns, catalog, results, &options->view, error);
    results->rays = ws_rays_create(catalog, &operations, results);
    if (results->groups == NULL || results->rays == NULL) {
        destroy(results);
        return NULL;
    }
    ws_rays_choose(results->rays, options->selection);
    return results;
}

static void attach(void *pointer, uint32_t user)
{
    const struct ws_ray_events *results = pointer;
    ws_rays_attach(results->rays, user);
}

/* The threads with most rays become rows. They count nothing: their rays are counted. */
static bool end(void *pointer, struct ws_error *error)
{
    struct ws_ray_events *results = pointer;
    const struct ws_ray_events_counts nothing = {.rays = 0};
    uint64_t keys[WS_RAY_EVENTS_DIMENSIONS];
    for (uint32_t i = 0; i < WS_RAY_EVENTS_DIMENSIONS; ++i)
        keys[i] = WS_KEY_NONE;
    for (uint32_t i = 0; i < results->most_count; ++i) {
        keys[WS_RAY_EVENTS_THREAD] = i;
        if (!ws_groups_add(results->groups, keys, &nothing))
            return ws_error_set(error, "no memory for the threads with most rays");
    }
    return true;
}

static const struct ws_groups *groups(const void *pointer)
{
    const struct ws_ray_events *results = pointer;
    return results->groups;
}

static void notes(const void *pointer, FILE *stream)
{
    const struct ws_ray_events *results = pointer;
    ws_rays_print_malformed(results->rays, stream);
    if (results->trees.left_out > 0)
        fprintf(stream, "  %" PRIu64 " more threads of the warp are not shown\n", results->trees.left_out);
}

static bool has_chosen(const void *pointer, struct ws_error *error)
{
    const struct ws_ray_events *results = pointer;
    return results->trees.count > 0 || ws_sought_check(&results->sought, &results->options, NULL, error);
}

static const char *const passes[] = {"ray_events", NULL};

const struct ws_analysis ws_analysis_ray_events = {
    .name = "ray_events",
    .summary =
        "what rays did: hits, misses, bounces, any-hit and intersection runs, by call site and geometry",
    .answers = "where rays go, and what they waste",
    .passes = passes,
    .columns = &ws_ray_events_columns,
    .words = ws_ray_events_words,
    .chooses = true,
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .attach = attach,
    .end = end,
    .has_chosen = has_chosen,
    .groups = groups,
    .findings = ws_ray_events_findings,
    .nothing = ws_ray_events_nothing,
    .text = ws_ray_events_text,
    .notes = notes,
    .members = ws_ray_events_members,
    .json = ws_ray_events_json,
    .plots = ws_ray_events_plots,
};
