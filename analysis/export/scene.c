#include "analysis/export/scene.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/export/gltf_seen.h"
#include "analysis/rays/ray_trees.h"
#include "analysis/rays/rays.h"
#include "warpscope/report/sought.h"

#define NEAR_MOST 4 /* threads whose rays are looked at from near by */

/* ws_rays_replay_of wants `rays` first. */
struct results {
    struct ws_rays *rays; /* NULL: no rays are written */
    const struct ws_catalog *catalog;
    struct ws_scene *scene;
    struct ws_scene_export *export;
    uint64_t launch;
    uint64_t current; /* whose rays come */
    struct ws_analysis_options options;
    struct ws_sought sought;  /* the thread that the options choose */
    uint32_t chosen;          /* of the threads, those whose rays are drawn */
    struct ws_gltf_seen seen; /* of all threads of the launch */
};

static void destroy(void *pointer)
{
    struct results *results = pointer;
    if (results == NULL)
        return;
    ws_rays_destroy(results->rays);
    ws_gltf_seen_finish(&results->seen);
    ws_scene_destroy(results->scene);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    (void)error;
    struct results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->export = options->user;
    results->options = *options;
    results->export->has_launch = false;
    results->scene = ws_scene_begin();
    if (results->scene == NULL) {
        destroy(results);
        return NULL;
    }
    return results;
}

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct results *results = user;
    results->current = threads->launch->index;
    if (!results->export->has_launch)
        ws_gltf_seen_begin(&results->seen, results->catalog, threads->launch);
    return true;
}

static bool end_launch(void *user, const struct ws_replay_threads *threads)
{
    struct results *results = user;
    ws_sought_look(&results->sought, &results->options, threads);
    return true;
}

/* Takes the rays of the chosen thread or of all, of the first launch where there are some. Those of all threads of that
 * launch say what its camera is, and from where its geometry is seen. */
static bool take_thread(void *user, const struct ws_ray_thread *thread)
{
    struct results *results = user;
    uint32_t place[3];
    const bool chosen = ws_ray_thread_is_chosen(results->catalog, &results->options, thread);
    if (!results->export->has_launch && chosen && thread->ray_count > 0) {
        results->export->has_launch = true;
        results->launch = results->current;
    }
    if (results->export->has_launch && results->launch != results->current)
        return true;
    ws_ray_thread_place(results->catalog, thread, place);
    results->export->rays.device = results->seen.rays.device;
    if (chosen && !ws_gltf_rays_add_thread(&results->export->rays, results->seen.threads, thread, place))
        return false;
    results->chosen += chosen && thread->ray_count > 0;
    return ws_gltf_seen_add(&results->seen, thread, place);
}

static const struct ws_ray_operations operations = {.begin = begin, .thread = take_thread, .end = end_launch};

static void *create_with_rays(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                              struct ws_error *error)
{
    struct results *results = create(catalog, options, error);
    if (results == NULL)
        return NULL;
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
    const struct results *results = pointer;
    ws_rays_attach(results->rays, user);
}

static bool record(void *pointer, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct results *results = pointer;
    return ws_scene_record(results->scene, chunk, error);
}

static bool end_scene(struct results *results, struct ws_error *error)
{
    if (!ws_scene_end(results->scene, NULL, error))
        return false;
    if (!results->export->has_launch)
        results->launch = results->scene->last;
    return true;
}

static bool end_geometry(void *pointer, struct ws_error *error)
{
    struct results *results = pointer;
    if (!end_scene(results, error))
        return false;
    results->export->geometry.launch = results->launch;
    return ws_export_geometry(results->scene, &results->export->geometry, error);
}

static bool end_gltf(void *pointer, struct ws_error *error)
{
    struct results *results = pointer;
    if (!end_scene(results, error) ||
        (results->chosen == 0 && !ws_sought_check(&results->sought, &results->options, NULL, error)))
        return false;
    results->export->gltf.launch = results->launch;
    results->export->gltf.seen = &results->seen.rays;
    memcpy(results->export->gltf.extent, results->seen.extent, sizeof(results->export->gltf.extent));
    results->export->gltf.near = results->chosen > 0 && results->chosen <= NEAR_MOST;
    return ws_export_gltf(results->scene, &results->export->rays, &results->export->gltf, error);
}

/* Says what is wrong with the geometry: that is why primitives were left out of the files. */
static void notes(const void *pointer, FILE *stream)
{
    const struct results *results = pointer;
    if (results->rays != NULL)
        ws_rays_print_malformed(results->rays, stream);
    for (uint32_t i = 0; i < results->scene->problem_count; ++i) {
        fprintf(stream, "  %llu ", (unsigned long long)results->scene->problems[i].count);
        ws_text_print(stream, results->scene->problems[i].text);
        fputc('\n', stream);
    }
}

const struct ws_analysis ws_analysis_geometry_export = {
    .name = "--geometry",
    .no_shaders = "acceleration structures are built by no shader",
    .summary = "geometry as OBJ and text",
    .create = create,
    .destroy = destroy,
    .record = record,
    .end = end_geometry,
    .notes = notes,
};

const struct ws_analysis ws_analysis_gltf_export = {
    .name = "--gltf",
    .summary = "the scene and rays of a launch as glTF",
    .create = create_with_rays,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .attach = attach,
    .record = record,
    .end = end_gltf,
    .notes = notes,
};
