#include "analysis/viewer/scene/launch_pixels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/scene/scene_transform.h"

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct ws_launch_pixels *results = user;
    results->threads = threads;
    ws_gltf_seen_begin(&results->seen, results->catalog, threads->launch);
    return true;
}

/* The work ids that the records show. Of a render pass several shaders have some, which mean different things: its
 * pixels are those of its size. */
static void find_extent(const struct ws_replay_threads *threads, uint32_t first[3], uint32_t last[3])
{
    const bool pass = threads->launch->kind == WS_LAUNCH_RENDER_PASS;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        first[axis] = pass || threads->thread_count == 0 ? 0 : UINT32_MAX;
        last[axis] = 0;
    }
    for (uint32_t i = 0; i < threads->thread_count && !pass; ++i)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            const uint32_t at = threads->threads[i].work[axis];
            first[axis] = at < first[axis] ? at : first[axis];
            last[axis] = at > last[axis] ? at : last[axis];
        }
}

/* Makes the pixels when the first thread is known: its shader says what work ids mean. False = no memory. */
static bool make_pixels(struct ws_launch_pixels *results, uint32_t shader)
{
    uint32_t first[3], last[3];
    results->begun = true;
    find_extent(results->threads, first, last);
    if (!ws_work_grid_make(&results->grid, results->catalog, results->threads->launch, shader, first, last,
                           WS_LAUNCH_PIXELS_MOST)) {
        memset(&results->grid, 0, sizeof(results->grid));
        results->too_large = true;
        return true;
    }
    results->pixels = calloc(ws_work_grid_pixels(&results->grid), sizeof(*results->pixels));
    return results->pixels != NULL;
}

/* The number of a call site, + 1; 0 where there are too many. */
static uint16_t call_of(struct ws_launch_pixels *results, const struct ws_ray *ray)
{
    for (uint32_t i = 0; i < results->call_count; ++i)
        if (results->calls[i].shader == ray->shader && results->calls[i].site == ray->site &&
            ws_ray_structure_equals(&results->calls[i].structure, &ray->structure))
            return (uint16_t)(i + 1);
    if (results->call_count == WS_LAUNCH_CALLS_MOST)
        return 0;
    results->calls[results->call_count++] = ws_scene_call_of(ray);
    return (uint16_t)results->call_count;
}

static void set_first_hit(struct ws_launch_pixels *results, struct ws_launch_pixel *pixel,
                          const struct ws_ray *ray)
{
    double square = 0;
    double point[3];
    pixel->call = call_of(results, ray);
    pixel->instance = ray->hit.instance;
    pixel->geometry = ray->hit.geometry;
    pixel->primitive = ray->hit.primitive;
    ws_ray_position(ray, ray->hit.t, point);
    for (int i = 0; i < 3; ++i) {
        square += (double)ray->direction[i] * (double)ray->direction[i];
        pixel->point[i] = ws_to_float(point[i]);
        pixel->direction[i] = ray->direction[i];
    }
    pixel->distance = ws_to_float((double)ray->hit.t * sqrt(square));
}

static uint32_t sum(uint32_t a, uint32_t b)
{
    return b < UINT32_MAX - a ? a + b : UINT32_MAX;
}

static bool take_thread(void *user, const struct ws_ray_thread *thread)
{
    struct ws_launch_pixels *results = user;
    uint32_t place[3];
    if (thread->ray_count == 0)
        return true;
    const struct ws_ray *first = &thread->rays[0];
    ws_ray_thread_place(results->catalog, thread, place);
    if (!ws_gltf_seen_add(&results->seen, thread, place) ||
        (!results->begun && !make_pixels(results, first->shader)))
        return false;
    if (results->pixels == NULL)
        return true;
    if (results->catalog->shaders[first->shader].stage == WS_STAGE_FRAGMENT)
        place[2] = 0;
    const uint64_t at = ws_work_grid_pixel(&results->grid, place);
    if (at == WS_WORK_GRID_NONE) {
        results->outside++;
        return true;
    }
    struct ws_launch_pixel *pixel = &results->pixels[at];
    if (pixel->rays == 0 && first->number == 0 && first->has_hit)
        set_first_hit(results, pixel, first);
    for (uint32_t i = 0; i < thread->ray_count; ++i) {
        const struct ws_ray *ray = &thread->rays[i];
        const uint32_t depth = ray->depth < UINT16_MAX ? ray->depth : UINT16_MAX;
        pixel->rays = sum(pixel->rays, 1);
        pixel->any_hits = sum(pixel->any_hits, ray->any_hits);
        pixel->intersections = sum(pixel->intersections, ray->intersections);
        pixel->depth = depth > pixel->depth ? (uint16_t)depth : pixel->depth;
    }
    return true;
}

static const struct ws_ray_operations operations = {.begin = begin, .thread = take_thread};

static void destroy(void *pointer)
{
    struct ws_launch_pixels *results = pointer;
    if (results == NULL)
        return;
    ws_rays_destroy(results->rays);
    ws_gltf_seen_finish(&results->seen);
    free(results->pixels);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_launch_pixels *results = calloc(1, sizeof(*results));
    (void)error;
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->rays = ws_rays_create(catalog, &operations, results);
    if (results->rays == NULL) {
        destroy(results);
        return NULL;
    }
    ws_rays_choose(results->rays, options->selection);
    return results;
}

static void attach(void *pointer, uint32_t user)
{
    const struct ws_launch_pixels *results = pointer;
    ws_rays_attach(results->rays, user);
}

static const char *const passes[] = {"ray_events", NULL};

const struct ws_analysis ws_analysis_launch_pixels = {
    .name = "launch_pixels",
    .summary = "what the rays of a launch show at each of its pixels",
    .passes = passes,
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .attach = attach,
};
