#include "analysis/scene/scene_preview.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "warpscope/capture/budget.h"
#include "warpscope/model/catalog.h"

static bool no_memory(struct ws_error *error)
{
    return ws_error_set(error, "no memory for what the rays of the capture met");
}

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
    ws_reader_leave_out_records(reader);
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

/* A pipe gives its bytes once, and they are needed for the report. */
static bool is_file(const char *path)
{
    struct stat status;
    return path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool read_file(struct ws_scene_preview *preview, const char *path,
                      const struct ws_selection *selection, struct ws_error *error)
{
    struct ws_reader *reader = ws_reader_open(path, error);
    const bool read = reader != NULL && read_scene(preview, reader, selection, error);
    ws_reader_destroy(reader);
    return read;
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
    ws_scene_matcher_destroy(preview->matcher);
    ws_scene_sbt_destroy(preview->tables);
    ws_effects_destroy(preview->effects);
    ws_scene_destroy(preview->scene);
    free(preview);
}

bool ws_scene_preview_begin(struct ws_scene_preview *preview, const void *user,
                            const struct ws_catalog *catalog, const struct ws_launch_record *launch)
{
    /* Without geometry there is nothing that rays could have flown through. */
    if (preview->scene == NULL || preview->scene->structure_count == 0)
        return true;
    if (preview->matcher != NULL && preview->launch == launch->index && preview->looking != user)
        return true;
    ws_scene_matcher_destroy(preview->matcher);
    preview->matcher =
        ws_scene_matcher_create(preview->scene, catalog->devices[launch->device].id, launch->index);
    preview->launch = launch->index;
    preview->looking = user;
    return preview->matcher != NULL;
}

bool ws_scene_preview_look(struct ws_scene_preview *preview, const void *user,
                           const struct ws_ray_thread *thread)
{
    if (preview->matcher == NULL || preview->looking != user)
        return true;
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        if (!ws_scene_matcher_add(preview->matcher, &thread->rays[i]))
            return false;
    return true;
}
