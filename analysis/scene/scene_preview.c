#include "analysis/scene/scene_preview.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "warpscope/base/array.h"
#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"
#include "warpscope/model/replay.h"

static bool no_memory(struct ws_error *error)
{
    return ws_error_set(error, "no memory for what the rays of the capture met");
}

/* A capture being read for its matchers. */
struct matching {
    struct ws_scene_preview *preview;
    const struct ws_selection *selection; /* NULL = all launches */
    struct ws_catalog catalog;
    struct ws_replay *replay;
    struct ws_rays *rays;
    struct ws_scene_matcher *matcher; /* of the launch under way */
};

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct matching *matching = user;
    struct ws_scene_preview *preview = matching->preview;
    const struct ws_launch_record *launch = threads->launch;
    struct ws_scene_matcher **matchers =
        ws_array_grow(preview->matchers, &preview->matcher_capacity, preview->matcher_count + 1,
                      sizeof(struct ws_scene_matcher *));
    if (matchers == NULL)
        return false;
    preview->matchers = matchers;
    matching->matcher =
        ws_scene_matcher_create(preview->scene, matching->catalog.devices[launch->device].id, launch->index);
    if (matching->matcher == NULL)
        return false;
    matchers[preview->matcher_count] = matching->matcher;
    return ws_id_map_put(&preview->matcher_of, launch->index, preview->matcher_count++);
}

static bool add_thread(void *user, const struct ws_ray_thread *thread)
{
    const struct matching *matching = user;
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        if (!ws_scene_matcher_add(matching->matcher, &thread->rays[i]))
            return false;
    return true;
}

static const struct ws_ray_operations operations = {.begin = begin, .thread = add_thread};

/* Advice from a part of the geometry would be wrong. */
static bool is_stopped(const struct ws_reader *reader, struct ws_error *error)
{
    return ws_reader_summary(reader)->stopped && ws_budget_exceeded(error);
}

/* Reads the scene, the effects and the tables. */
static bool read_scene(struct ws_scene_preview *preview, struct ws_reader *reader,
                       const struct ws_selection *selection, struct ws_error *error)
{
    struct ws_selected_chunk selected = {.launch_capacity = 0};
    const struct ws_chunk *chunk = &selected.chunk;
    bool recorded = true;
    preview->scene = ws_scene_begin();
    if (preview->scene == NULL)
        return no_memory(error);
    enum ws_read_result result = WS_READ_CHUNK;
    while (recorded && result == WS_READ_CHUNK) {
        result = ws_selection_next(selection, reader, &selected, error);
        if (result == WS_READ_CHUNK)
            recorded = ws_scene_record(preview->scene, chunk, error) &&
                       ws_effects_record(preview->effects, chunk, error) &&
                       ws_scene_sbt_record(preview->tables, chunk, error);
    }
    ws_selected_chunk_finish(&selected);
    return recorded && result == WS_READ_END && !is_stopped(reader, error) &&
           ws_scene_end(preview->scene, ws_reader_summary(reader), error);
}

/* Reads the rays, for the matchers. */
static bool read_rays(struct matching *matching, struct ws_reader *reader, const char *path,
                      struct ws_error *error)
{
    struct ws_selected_chunk selected = {.launch_capacity = 0};
    uint32_t number = 0;
    bool recorded = true;
    matching->replay = ws_replay_create(&matching->catalog, path, 0);
    matching->rays = ws_rays_create(&matching->catalog, &operations, matching);
    if (matching->replay == NULL || matching->rays == NULL ||
        !ws_replay_add(matching->replay, &ws_rays_replay, matching->rays, &number))
        return no_memory(error);
    ws_rays_attach(matching->rays, number);
    enum ws_read_result result = WS_READ_CHUNK;
    while (recorded && result == WS_READ_CHUNK) {
        result = ws_selection_next(matching->selection, reader, &selected, error);
        if (result == WS_READ_CHUNK)
            recorded = ws_catalog_record(&matching->catalog, &selected.chunk, error) &&
                       ws_replay_record(matching->replay, &selected.chunk, error);
    }
    ws_selected_chunk_finish(&selected);
    return recorded && result == WS_READ_END && !is_stopped(reader, error) &&
           ws_replay_end(matching->replay, error);
}

static bool match(struct ws_scene_preview *preview, const char *path, const struct ws_selection *selection,
                  struct ws_error *error)
{
    struct matching matching = {.preview = preview, .selection = selection};
    struct ws_reader *reader = ws_reader_open(path, error);
    ws_catalog_init(&matching.catalog);
    const bool matched = reader != NULL && read_rays(&matching, reader, path, error);
    ws_replay_destroy(matching.replay);
    ws_rays_destroy(matching.rays);
    ws_catalog_finish(&matching.catalog);
    ws_reader_destroy(reader);
    return matched;
}

/* A pipe gives its bytes once, and they are needed for the report. */
static bool is_file(const char *path)
{
    struct stat status;
    return path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Without geometry there is nothing that rays could have flown through. */
static bool read_file(struct ws_scene_preview *preview, const char *path,
                      const struct ws_selection *selection, struct ws_error *error)
{
    struct ws_reader *reader = ws_reader_open(path, error);
    const bool read = reader != NULL && read_scene(preview, reader, selection, error);
    ws_reader_destroy(reader);
    return read && (preview->scene->structure_count == 0 || match(preview, path, selection, error));
}

struct ws_scene_preview *ws_scene_preview_open(struct ws_scene_preview **shared, const char *path,
                                               const struct ws_selection *selection, struct ws_error *error)
{
    const bool twice = is_file(path);
    if (twice && shared != NULL && *shared != NULL) {
        (*shared)->users++;
        return *shared;
    }
    struct ws_scene_preview *preview = calloc(1, sizeof(*preview));
    if (preview == NULL) {
        no_memory(error);
        return NULL;
    }
    preview->users = 1;
    preview->effects = ws_effects_create();
    preview->tables = ws_scene_sbt_create();
    if (preview->effects == NULL || preview->tables == NULL) {
        no_memory(error);
        goto error;
    }
    if (twice && !read_file(preview, path, selection, error))
        goto error;
    if (twice && shared != NULL) {
        preview->shared = shared;
        *shared = preview;
    }
    return preview;
error:
    ws_scene_preview_release(preview);
    return NULL;
}

void ws_scene_preview_release(struct ws_scene_preview *preview)
{
    if (preview == NULL || --preview->users > 0)
        return;
    if (preview->shared != NULL)
        *preview->shared = NULL;
    for (uint32_t i = 0; i < preview->matcher_count; ++i)
        ws_scene_matcher_destroy(preview->matchers[i]);
    free(preview->matchers);
    ws_id_map_finish(&preview->matcher_of);
    ws_scene_sbt_destroy(preview->tables);
    ws_effects_destroy(preview->effects);
    ws_scene_destroy(preview->scene);
    free(preview);
}

struct ws_scene_matcher *ws_scene_preview_matcher(const struct ws_scene_preview *preview, uint64_t launch)
{
    uint32_t index = 0;
    return ws_id_map_get(&preview->matcher_of, launch, &index) ? preview->matchers[index] : NULL;
}
