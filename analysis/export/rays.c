#include "analysis/export/rays.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The rays' member comes first: ws_rays_replay_of. */
struct results {
    struct ws_rays *rays;
    const struct ws_catalog *catalog;
    struct ws_analysis_options options;
    struct ws_rays_export *export;
    FILE *stream;
    const struct ws_launch_record *launch; /* whose rays come */
    bool begun;                            /* some of its have been written */
    uint64_t launches;                     /* of which some were written */
};

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct results *results = user;
    results->launch = threads->launch;
    results->begun = false;
    return true;
}

/* Keeps why a write failed: errno says it no longer once the reading has been given up. */
static bool check(struct results *results)
{
    if (results->export->failure == 0 && ferror(results->stream))
        results->export->failure = errno != 0 ? errno : EIO;
    return results->export->failure == 0;
}

static bool write_thread(void *user, const struct ws_ray_thread *thread)
{
    struct results *results = user;
    struct ws_rays_export *export = results->export;
    const struct ws_rays_export_place place = {results->catalog, results->launch, thread};
    if (results->options.has_launch && results->options.launch != results->launch->index)
        return true;
    if (!results->begun && ++results->launches > 1 && export->format == WS_RAYS_TEXT)
        fprintf(results->stream, "# launch %" PRIu64 "\n", results->launch->index);
    results->begun = true;
    errno = 0;
    for (uint32_t i = 0; i < thread->ray_count; ++i)
        if (export->format == WS_RAYS_CSV)
            ws_rays_export_csv(&place, i, results->stream);
        else if (export->format == WS_RAYS_JSONL)
            ws_rays_export_jsonl(&place, i, results->stream);
    if (export->format == WS_RAYS_TEXT)
        ws_rays_export_text(&place, results->stream);
    export->threads++;
    export->rays += thread->ray_count;
    return check(results);
}

static const struct ws_ray_operations operations = {.begin = begin, .thread = write_thread};

static void destroy(void *pointer)
{
    struct results *results = pointer;
    if (results == NULL)
        return;
    ws_rays_destroy(results->rays);
    if (results->stream != NULL && results->stream != stdout)
        fclose(results->stream);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct results *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->options = *options;
    results->export = options->user;
    const char *path = results->export->path;
    results->rays = ws_rays_create(catalog, &operations, results);
    if (results->rays == NULL)
        goto error;
    results->stream = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (results->stream == NULL) {
        ws_error_set(error, "cannot write '%s': %s", path, strerror(errno));
        goto error;
    }
    if (results->export->format == WS_RAYS_CSV)
        ws_rays_export_header(results->stream);
    return results;
error:
    destroy(results);
    return NULL;
}

static void attach(void *pointer, uint32_t user)
{
    const struct results *results = pointer;
    ws_rays_attach(results->rays, user);
}

/* Everything has been written once it has reached the file. */
static bool end(void *pointer, struct ws_error *error)
{
    struct results *results = pointer;
    errno = 0;
    fflush(results->stream);
    check(results);
    if (results->stream != stdout && fclose(results->stream) != 0 && results->export->failure == 0)
        results->export->failure = errno;
    results->stream = NULL;
    return results->export->failure == 0 || ws_error_set(error, "the rays could not be written");
}

static void notes(const void *pointer, FILE *stream)
{
    const struct results *results = pointer;
    ws_rays_print_malformed(results->rays, stream);
}

static const char *const passes[] = {"ray_events", NULL};

const struct ws_analysis ws_analysis_rays_export = {
    .name = "--rays",
    .summary = "rays as files",
    .passes = passes,
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .attach = attach,
    .end = end,
    .notes = notes,
};
