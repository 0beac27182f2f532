#include "analysis/rays/ray_events.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/base/array.h"

double ws_rays_ratio(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

const char *ws_rays_kind_name(uint32_t kind)
{
    static const char *const names[WS_RAYS_KINDS] = {"pipeline", "miss_only", "query"};
    return kind < WS_RAYS_KINDS ? names[kind] : "unknown";
}

uint64_t ws_rays_geometry_work(const struct ws_rays_geometry *geometry)
{
    return geometry->any_hits + geometry->intersections + geometry->candidates + geometry->hits;
}

void ws_rays_site_place(const struct ws_catalog *catalog, uint32_t shader, uint32_t site, char *place,
                        size_t size)
{
    const struct ws_site_record *record = &catalog->modules[catalog->shaders[shader].module].sites[site];
    const char *slash = record->file != NULL ? strrchr(record->file, '/') : NULL;
    if (record->file == NULL)
        snprintf(place, size, "%s", "");
    else
        snprintf(place, size, "%s:%" PRIu32, slash != NULL ? slash + 1 : record->file, record->line);
    ws_text_cut(place);
}

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

static void count_ray(struct ws_rays_counts *counts, const struct ws_ray *ray, uint64_t confirmed)
{
    counts->rays++;
    counts->ends[ray->end]++;
    counts->any_hits += ray->any_hits;
    counts->ignored += ray->ignored;
    counts->intersections += ray->intersections;
    counts->reports += ray->reports;
    counts->candidates += ray->query ? ray->candidate_count : 0;
    counts->confirmed += confirmed;
}

static struct ws_rays_site *find_site(struct ws_ray_events *results, const struct ws_ray *ray)
{
    const uint64_t key = (uint64_t)ray->shader << 32 | ray->site;
    uint32_t index = 0;
    if (ws_id_map_get(&results->site_ids, key, &index))
        return &results->sites[index];
    struct ws_rays_site *sites =
        ws_array_grow(results->sites, &results->site_capacity, results->site_count + 1, sizeof(*sites));
    if (sites == NULL)
        return NULL;
    results->sites = sites;
    if (!ws_id_map_put(&results->site_ids, key, results->site_count))
        return NULL;
    sites[results->site_count] = (struct ws_rays_site){.shader = ray->shader, .site = ray->site};
    return &sites[results->site_count++];
}

/* The row of what was hit; the rest once there are too many. */
static struct ws_rays_geometry *find_geometry(struct ws_ray_events *results, const struct ws_ray_hit *hit)
{
    const uint64_t instance_key = (uint64_t)hit->instance << 24 | hit->custom_index;
    uint32_t instance = results->instance_count;
    uint32_t index = 0;
    if (ws_id_map_get(&results->instance_ids, instance_key, &instance) &&
        ws_id_map_get(&results->geometry_ids, (uint64_t)instance << 32 | hit->geometry, &index))
        return &results->geometries[index];
    if (results->geometry_count == WS_RAYS_GEOMETRIES)
        return &results->rest;
    struct ws_rays_geometry *geometries = ws_array_grow(results->geometries, &results->geometry_capacity,
                                                        results->geometry_count + 1, sizeof(*geometries));
    if (geometries == NULL)
        return NULL;
    results->geometries = geometries;
    if (instance == results->instance_count) {
        if (!ws_id_map_put(&results->instance_ids, instance_key, instance))
            return NULL;
        results->instance_count++;
    }
    if (!ws_id_map_put(&results->geometry_ids, (uint64_t)instance << 32 | hit->geometry,
                       results->geometry_count))
        return NULL;
    geometries[results->geometry_count] = (struct ws_rays_geometry){
        .instance = hit->instance, .custom_index = hit->custom_index, .geometry = hit->geometry};
    return &geometries[results->geometry_count++];
}

static bool count_candidate(struct ws_ray_events *results, const struct ws_ray_candidate *candidate)
{
    struct ws_rays_geometry *geometry = find_geometry(results, &candidate->hit);
    if (geometry == NULL)
        return false;
    switch (candidate->kind) {
    case WS_CANDIDATE_ANY_HIT:
        geometry->any_hits++;
        geometry->ignored += candidate->result == WS_CANDIDATE_IGNORED;
        break;
    case WS_CANDIDATE_REPORT:
        geometry->reports++;
        geometry->accepted += took(candidate);
        break;
    case WS_CANDIDATE_INTERSECTION: geometry->intersections++; break;
    default:
        geometry->candidates++;
        geometry->confirmed += took(candidate);
        break;
    }
    return true;
}

static bool count_hit(struct ws_ray_events *results, const struct ws_ray *ray)
{
    struct ws_rays_geometry *geometry = find_geometry(results, &ray->hit);
    if (geometry == NULL)
        return false;
    geometry->hits++;
    const double x = (double)ray->direction[0];
    const double y = (double)ray->direction[1];
    const double z = (double)ray->direction[2];
    const double distance = (double)ray->hit.t * sqrt(x * x + y * y + z * z);
    int exponent = 0;
    if (!isfinite(distance) || distance <= 0) {
        results->odd++;
        return true;
    }
    frexp(distance, &exponent); /* 2^(exponent - 1) <= distance < 2^exponent */
    const int bin = exponent - 1 + WS_RAYS_BIN_ONE;
    results->distances[bin < 0 ? 0 : bin < WS_RAYS_BINS ? bin : WS_RAYS_BINS - 1]++;
    return true;
}

static bool count_shader(struct ws_ray_events *results, uint32_t shader)
{
    if (shader == WS_NONE)
        return true;
    if (shader >= results->shader_count) {
        const uint32_t count = results->catalog->shader_count;
        uint64_t *shaders = realloc(results->shaders, count * sizeof(*shaders));
        if (shaders == NULL)
            return false;
        memset(shaders + results->shader_count, 0, (count - results->shader_count) * sizeof(*shaders));
        results->shaders = shaders;
        results->shader_count = count;
    }
    results->shaders[shader]++;
    return true;
}

static bool add_ray(struct ws_ray_events *results, const struct ws_ray_thread *thread,
                    const struct ws_ray *ray)
{
    const bool miss_only = (ray->flags & WS_RAY_FLAG_SKIP_CLOSEST_HIT) != 0;
    const uint32_t kind = ray->query ? WS_RAYS_QUERY : miss_only ? WS_RAYS_MISS_ONLY : WS_RAYS_PIPELINE;
    const uint32_t depth = ray->depth < WS_RAYS_DEPTHS ? ray->depth : WS_RAYS_DEPTHS - 1;
    uint64_t confirmed = 0;
    for (uint32_t i = 0; i < ray->candidate_count; ++i) {
        const struct ws_ray_candidate *candidate = &thread->candidates[ray->candidate_first + i];
        confirmed += candidate->kind == WS_CANDIDATE_QUERY && took(candidate);
        if (!count_candidate(results, candidate))
            return false;
    }
    struct ws_rays_site *site = find_site(results, ray);
    if (site == NULL)
        return false;
    count_ray(&results->all, ray, confirmed);
    count_ray(&results->kinds[kind], ray, confirmed);
    count_ray(&results->depths[depth], ray, confirmed);
    count_ray(&site->counts, ray, confirmed);
    return (!ray->has_hit || count_hit(results, ray)) && count_shader(results, ray->first_hit_shader);
}

static void add_most(struct ws_ray_events *results, const struct ws_ray_thread *thread, uint32_t stage)
{
    const struct ws_rays_place place = {
        .rays = thread->ray_count,
        .launch = results->launch->index,
        .work = {thread->thread->work[0], thread->thread->work[1], thread->thread->work[2]},
        .stage = stage,
        .warp = thread->warp,
    };
    uint32_t at = results->most_count;
    while (at > 0 && results->most[at - 1].rays < place.rays)
        at--;
    if (at == WS_RAYS_MOST)
        return;
    if (results->most_count < WS_RAYS_MOST)
        results->most_count++;
    for (uint32_t i = results->most_count - 1; i > at; --i)
        results->most[i] = results->most[i - 1];
    results->most[at] = place;
}

static bool is_chosen(const struct ws_ray_events *results, const struct ws_ray_thread *thread, uint32_t stage)
{
    const struct ws_analysis_options *options = &results->options;
    uint32_t place[3];
    if (results->tree_count > 0 && results->trees[0].launch != results->launch->index)
        return false;
    if (options->has_warp)
        return options->warp == thread->warp;
    ws_ray_thread_place(results->catalog, thread, place);
    if (stage == WS_STAGE_FRAGMENT)
        place[2] = 0; /* of whatever layer */
    return memcmp(place, options->thread, sizeof(place)) == 0;
}

static void *copy(const void *from, size_t count, size_t size)
{
    void *to = malloc((count + 1) * size);
    if (to != NULL && count > 0)
        memcpy(to, from, count * size);
    return to;
}

static bool keep_tree(struct ws_ray_events *results, const struct ws_ray_thread *thread, uint32_t stage)
{
    size_t candidates = 0;
    if (results->tree_count == WS_RAYS_TREES) {
        results->trees_left_out++;
        return true;
    }
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        candidates += thread->rays[i].candidate_count;
    struct ws_rays_tree *tree = &results->trees[results->tree_count++];
    *tree = (struct ws_rays_tree){
        .launch = results->launch->index,
        .work = {thread->thread->work[0], thread->thread->work[1], thread->thread->work[2]},
        .stage = stage,
        .warp = thread->warp,
        .lane = thread->lane,
        .truncated = thread->truncated,
        .rays = copy(thread->rays, thread->ray_count, sizeof(*thread->rays)),
        .ray_count = thread->ray_count,
        .candidates = copy(thread->candidates, candidates, sizeof(*thread->candidates)),
    };
    return tree->rays != NULL && tree->candidates != NULL;
}

/* The image of this size, if it is one that is drawn; `*no_memory` is set where there is none. */
static struct ws_rays_picture *find_picture(struct ws_ray_events *results, uint64_t width, uint64_t height,
                                            bool *no_memory)
{
    for (uint32_t i = 0; i < results->picture_count; ++i)
        if (results->pictures[i].width == width && results->pictures[i].height == height)
            return &results->pictures[i];
    if (width == 0 || height == 0 || width > WS_RAYS_PIXELS || width * height > WS_RAYS_PIXELS ||
        results->picture_count == WS_RAYS_PICTURES)
        return NULL;
    struct ws_rays_picture *picture = &results->pictures[results->picture_count];
    *picture = (struct ws_rays_picture){.width = (uint32_t)width, .height = (uint32_t)height};
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
    uint64_t width = launch->size[0];
    uint64_t height = launch->size[1];
    bool no_memory = false;
    if (!results->options.plots || (launch->kind == WS_LAUNCH_RENDER_PASS && stage != WS_STAGE_FRAGMENT))
        return true;
    ws_ray_thread_place(results->catalog, thread, place);
    if (launch->kind == WS_LAUNCH_DISPATCH) {
        width *= local[0];
        height *= local[1];
    }
    struct ws_rays_picture *picture = find_picture(results, width, height, &no_memory);
    if (picture != NULL && place[0] < width && place[1] < height)
        picture->values[place[1] * width + place[0]] += thread->ray_count;
    return !no_memory;
}

/* Adds the bounces of the thread's paths. False when there is no memory. */
static bool add_bounces(struct ws_ray_events *results, const struct ws_ray_thread *thread)
{
    if (!ws_ray_paths_find(&results->paths, thread, NULL))
        return false;
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        if (results->paths.steps[i].path == i &&
            !ws_trace_counts_add(&results->bounces, results->paths.steps[i].longest, 1))
            return false;
    return true;
}

static bool add_thread(void *user, const struct ws_ray_thread *thread)
{
    struct ws_ray_events *results = user;
    const struct ws_analysis_options *options = &results->options;
    const uint32_t first = results->catalog->shaders[thread->rays[0].shader].stage;
    const uint32_t stage = (first & WS_STAGES_RAY_TRACING) != 0 ? WS_STAGE_RAYGEN : first;
    if (options->has_launch && options->launch != results->launch->index)
        return true;
    if ((options->has_thread || options->has_warp) && is_chosen(results, thread, stage) &&
        !keep_tree(results, thread, stage))
        return false;
    if (results->last != results->launch->index + 1)
        results->launches++;
    results->last = results->launch->index + 1;
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        if (!add_ray(results, thread, &thread->rays[i]))
            return false;
    add_most(results, thread, stage);
    return add_bounces(results, thread) && ws_trace_counts_add(&results->threads, thread->ray_count, 1) &&
           paint(results, thread, stage);
}

static const struct ws_ray_operations operations = {.begin = begin, .thread = add_thread};

static void destroy(void *pointer)
{
    struct ws_ray_events *results = pointer;
    if (results == NULL)
        return;
    ws_rays_destroy(results->rays);
    ws_id_map_finish(&results->site_ids);
    ws_id_map_finish(&results->instance_ids);
    ws_id_map_finish(&results->geometry_ids);
    ws_ray_paths_finish(&results->paths);
    ws_trace_counts_finish(&results->bounces);
    ws_trace_counts_finish(&results->threads);
    for (uint32_t i = 0; i < results->tree_count; ++i) {
        free(results->trees[i].rays);
        free(results->trees[i].candidates);
    }
    for (uint32_t i = 0; i < results->picture_count; ++i)
        free(results->pictures[i].values);
    free(results->sites);
    free(results->geometries);
    free(results->shaders);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    (void)error;
    struct ws_ray_events *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->options = *options;
    results->rays = ws_rays_create(catalog, &operations, results);
    if (results->rays != NULL)
        return results;
    destroy(results);
    return NULL;
}

static void attach(void *pointer, uint32_t user)
{
    const struct ws_ray_events *results = pointer;
    ws_rays_attach(results->rays, user);
}

static int compare_sites(const void *left, const void *right)
{
    const struct ws_rays_site *a = left;
    const struct ws_rays_site *b = right;
    if (a->counts.rays != b->counts.rays)
        return a->counts.rays > b->counts.rays ? -1 : 1;
    if (a->shader != b->shader)
        return a->shader < b->shader ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

static int compare_geometries(const void *left, const void *right)
{
    const struct ws_rays_geometry *a = left;
    const struct ws_rays_geometry *b = right;
    const uint64_t work[2] = {ws_rays_geometry_work(a), ws_rays_geometry_work(b)};
    if (work[0] != work[1])
        return work[0] > work[1] ? -1 : 1;
    if (a->instance != b->instance)
        return a->instance < b->instance ? -1 : 1;
    if (a->geometry != b->geometry)
        return a->geometry < b->geometry ? -1 : 1;
    return a->custom_index < b->custom_index ? -1 : a->custom_index > b->custom_index;
}

static bool end(void *pointer, struct ws_error *error)
{
    (void)error;
    struct ws_ray_events *results = pointer;
    ws_trace_counts_sort(&results->bounces);
    ws_trace_counts_sort(&results->threads);
    if (results->site_count > 0)
        qsort(results->sites, results->site_count, sizeof(*results->sites), compare_sites);
    if (results->geometry_count > 0)
        qsort(results->geometries, results->geometry_count, sizeof(*results->geometries), compare_geometries);
    return true;
}

static void notes(const void *pointer, FILE *stream)
{
    const struct ws_ray_events *results = pointer;
    ws_rays_print_malformed(results->rays, stream);
    if (results->trees_left_out > 0)
        fprintf(stream, "  %" PRIu64 " more threads of the warp are not shown\n", results->trees_left_out);
}

static const char *const passes[] = {"ray_events", NULL};

const struct ws_analysis ws_analysis_ray_events = {
    .name = "ray_events",
    .summary =
        "what rays did: hits, misses, bounces, any-hit and intersection runs, by call site and geometry",
    .passes = passes,
    .csv_help = ws_ray_events_csv_help,
    .chooses = true,
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .attach = attach,
    .end = end,
    .text = ws_ray_events_text,
    .notes = notes,
    .json = ws_ray_events_json,
    .csv = ws_ray_events_csv,
    .plots = ws_ray_events_plots,
};
