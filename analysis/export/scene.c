#include "analysis/export/scene.h"

#include <stdlib.h>

#include "analysis/rays/ray_trees.h"
#include "analysis/rays/rays.h"
#include "analysis/report/sought.h"

/* ws_rays_replay_of wants `rays` first. */
struct results {
    struct ws_rays *rays; /* NULL: no rays are written */
    const struct ws_catalog *catalog;
    struct ws_scene *scene;
    struct ws_scene_export *export;
    uint64_t launch;
    uint64_t current; /* whose rays come */
    uint32_t device;  /* its device's id */
    uint32_t threads; /* of the launch that is written, so far */
    struct ws_analysis_options options;
    struct ws_sought sought; /* the thread that the options choose */
};

static void destroy(void *pointer)
{
    struct results *results = pointer;
    if (results == NULL)
        return;
    ws_rays_destroy(results->rays);
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
    results->device = results->catalog->devices[threads->launch->device].id;
    return true;
}

static bool end_launch(void *user, const struct ws_replay_threads *threads)
{
    struct results *results = user;
    ws_sought_look(&results->sought, &results->options, threads);
    return true;
}

/* Takes the rays of the first launch with rays, of the chosen thread or of all. */
static bool take_thread(void *user, const struct ws_ray_thread *thread)
{
    struct results *results = user;
    bool taken = true;
    if (!ws_ray_thread_is_chosen(results->catalog, &results->options, thread))
        return true;
    if (!results->export->has_launch && thread->ray_count > 0) {
        results->export->has_launch = true;
        results->launch = results->current;
    }
    if (!results->export->has_launch || results->launch != results->current)
        return true;
    results->export->rays.device = results->device;
    for (uint32_t i = 0; i < thread->ray_count && taken; ++i)
        taken = ws_gltf_rays_add(&results->export->rays, results->threads, &thread->rays[i]);
    results->threads++;
    return taken;
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
        (results->threads == 0 && !ws_sought_check(&results->sought, &results->options, NULL, error)))
        return false;
    results->export->gltf.launch = results->launch;
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
