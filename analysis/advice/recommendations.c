#include "analysis/advice/recommendations.h"

#include <stdlib.h>
#include <string.h>

/* No geometry: of a capture that cannot be read twice. */
static const struct ws_scene no_scene = {.structure_count = 0};

static bool begin(void *user, const struct ws_replay_threads *threads)
{
    struct ws_recommendations *results = user;
    const struct ws_replay_launch *launch = threads->launch;
    struct ws_scene_matcher *matcher = ws_preview_matcher(&results->preview, launch->index);
    results->truncated = results->truncated || threads->truncated;
    if (matcher == NULL) {
        results->own = ws_scene_matcher_create(results->input.scene,
                                               results->catalog->devices[launch->device].id, launch->index);
        matcher = results->own;
    }
    results->launch = (struct ws_advice_launch){threads, matcher};
    return matcher != NULL;
}

static bool add_thread(void *user, const struct ws_ray_thread *thread)
{
    struct ws_recommendations *results = user;
    results->rays_seen += thread->ray_count;
    return ws_advice_run_thread(results->run, &results->launch, thread);
}

static bool end_launch(void *user, const struct ws_replay_threads *threads)
{
    struct ws_recommendations *results = user;
    (void)threads;
    const bool ended = ws_advice_run_end_launch(results->run, &results->launch);
    ws_scene_matcher_destroy(results->own);
    results->own = NULL;
    return ended;
}

static const struct ws_ray_operations operations = {.begin = begin, .thread = add_thread, .end = end_launch};

static void destroy(void *user)
{
    struct ws_recommendations *results = user;
    if (results == NULL)
        return;
    ws_scene_matcher_destroy(results->own);
    ws_advice_list_destroy(results->list);
    ws_advice_run_destroy(results->run);
    ws_rays_destroy(results->rays);
    ws_scene_trace_destroy(results->input.trace);
    ws_preview_finish(&results->preview);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_recommendations *results = calloc(1, sizeof(*results));
    if (results == NULL)
        return NULL;
    results->catalog = catalog;
    results->table_rows = options->rows;
    results->pass = WS_NONE;
    if (!ws_preview_read(&results->preview, options->path, error))
        goto error;
    results->input = (struct ws_advice_input){
        .catalog = catalog,
        .scene = results->preview.scene != NULL ? results->preview.scene : &no_scene,
        .effects = results->preview.effects,
        .tables = results->preview.tables,
    };
    if (results->input.scene->structure_count > 0) {
        results->input.trace = ws_scene_trace_create(results->input.scene);
        if (results->input.trace == NULL)
            goto error;
    }
    results->list = ws_advice_list_create();
    results->run = ws_advice_run_create(&results->input, NULL);
    results->rays = ws_rays_create(catalog, &operations, results);
    if (results->list == NULL || results->run == NULL || results->rays == NULL)
        goto error;
    return results;
error:
    destroy(results);
    return NULL;
}

static void attach(void *user, uint32_t number)
{
    struct ws_recommendations *results = user;
    ws_rays_attach(results->rays, number);
}

/* Which threads were chosen. */
static void read_info(struct ws_recommendations *results, const struct ws_chunk_info *info)
{
    static const char *const samples[] = {"threads", "pixels", "tile"};
    for (uint32_t i = 0; i < info->pass_count; ++i)
        if (strcmp(info->passes[i], "ray_events") == 0)
            results->pass = i;
    for (uint32_t i = 0; i < info->setting_count; ++i)
        for (size_t j = 0; j < sizeof(samples) / sizeof(samples[0]); ++j)
            results->sampled = results->sampled || (strcmp(info->settings[i].key, samples[j]) == 0 &&
                                                    info->settings[i].value[0] != '\0');
}

static bool record(void *user, const struct ws_chunk *chunk, struct ws_error *error)
{
    struct ws_recommendations *results = user;
    if (chunk->type == WS_CHUNK_INFO)
        read_info(results, &chunk->info);
    if (chunk->type == WS_CHUNK_SKIP && chunk->skip.kind != WS_SKIP_DEVICE &&
        (chunk->skip.pass == WS_NONE || chunk->skip.pass == results->pass))
        results->skipped = true;
    results->closed = results->closed || chunk->type == WS_CHUNK_DONE;
    return results->preview.scene != NULL || (ws_effects_record(results->preview.effects, chunk, error) &&
                                              ws_scene_sbt_record(results->preview.tables, chunk, error));
}

static bool end(void *user, struct ws_error *error)
{
    struct ws_recommendations *results = user;
    const char *partial = results->sampled     ? "only a sample of the threads left records"
                          : results->truncated ? "records are missing"
                          : !results->closed   ? "the capture was cut short"
                          : results->skipped   ? "something was left uninstrumented (see Left out)"
                                               : NULL;
    return ws_advice_run_end(results->run, partial, results->list) ||
           ws_error_set(error, "no memory for recommendations");
}

const char *ws_saving_name(uint32_t saves)
{
    static const char *const names[] = {"nothing", "any_hit", "intersection", "closest_hit",
                                        "miss",    "rays",    "bytes"};
    return saves < sizeof(names) / sizeof(names[0]) ? names[saves] : "unknown";
}

const char *ws_saving_words(uint32_t saves)
{
    static const char *const words[] = {"nothing",   "any-hit runs", "intersection runs", "closest hit runs",
                                        "miss runs", "rays",         "bytes of geometry"};
    return saves < sizeof(words) / sizeof(words[0]) ? words[saves] : "unknown";
}

const char *ws_certainty_name(uint32_t certainty)
{
    static const char *const names[] = {"certain", "likely", "possible"};
    return certainty < sizeof(names) / sizeof(names[0]) ? names[certainty] : "unknown";
}

static const char *const passes[] = {"ray_events", NULL};

extern const struct ws_analysis ws_analysis_recommendations;

const struct ws_analysis ws_analysis_recommendations = {
    .name = "recommendations",
    .summary = "what to change in the application, with evidence, saving and certainty",
    .passes = passes,
    .csv_help = "adviser, title, subject, evidence, change, saves (what), saving (how many), of, certainty,\n"
                "doubt, x, y, z (a place), thread_x, thread_y, thread_z (an example); most saving first",
    .create = create,
    .destroy = destroy,
    .replay = &ws_rays_replay_of,
    .record = record,
    .end = end,
    .attach = attach,
    .text = ws_recommendations_text,
    .json = ws_recommendations_json,
    .csv = ws_recommendations_csv,
};
