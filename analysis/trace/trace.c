/* The kind `trace`: its results, from the first chunk to the last. */
#include "analysis/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_part.h"

static void destroy(void *user)
{
    struct ws_trace_results *results = user;
    if (results == NULL)
        return;
    for (uint32_t i = 0; i < results->stage_count; ++i) {
        ws_trace_counts_finish(&results->stages[i].threads.lifetimes);
        ws_trace_counts_finish(&results->stages[i].warps.lifetimes);
    }
    for (uint32_t i = 0; i < results->launch_count; ++i)
        free(results->launches[i].shaders);
    for (uint32_t i = 0; i < results->open_count; ++i) {
        ws_trace_counts_finish(&results->open_threads[i]);
        ws_trace_counts_finish(&results->open_warps[i]);
    }
    for (uint32_t i = 0; i < results->picture_count; ++i)
        ws_trace_picture_finish(&results->pictures[i]);
    for (uint32_t i = 0; i < results->path_count; ++i)
        ws_trace_path_destroy(results->paths[i]);
    ws_text_pool_finish(&results->texts);
    free(results->open_threads);
    free(results->open_warps);
    free(results->stages);
    free(results->launches);
    free(results->chosen);
    free(results->sampled);
    free(results);
}

static void *create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                    struct ws_error *error)
{
    struct ws_trace_results *results = calloc(1, sizeof(*results));
    if (results == NULL) {
        ws_error_set(error, "no memory for the trace");
        return NULL;
    }
    results->catalog = catalog;
    results->options = *options;
    if (options->has_warp && !ws_trace_choose_warps(results, error)) {
        destroy(results);
        return NULL;
    }
    return results;
}

static void attach(void *user, uint32_t number)
{
    struct ws_trace_results *results = user;
    results->user = number;
}

/* Appends "key value" to what is known of the sampling. */
static bool add_sampling(struct ws_trace_results *results, const struct ws_text_pair *setting)
{
    size_t before = results->sampled != NULL ? strlen(results->sampled) : 0;
    size_t size = before + strlen(setting->key) + strlen(setting->value) + 4;
    char *grown = realloc(results->sampled, size);
    if (grown == NULL)
        return false;
    results->sampled = grown;
    snprintf(grown + before, size - before, "%s%s %s", before > 0 ? ", " : "", setting->key, setting->value);
    return true;
}

static bool record(void *user, const struct ws_chunk *chunk, struct ws_error *error)
{
    static const char *const keys[] = {"threads", "pixels", "tile"};
    struct ws_trace_results *results = user;
    if (chunk->type != WS_CHUNK_INFO || results->sampled != NULL)
        return true;
    for (uint32_t i = 0; i < chunk->info.setting_count; ++i)
        for (uint32_t j = 0; j < sizeof(keys) / sizeof(keys[0]); ++j)
            if (strcmp(chunk->info.settings[i].key, keys[j]) == 0 &&
                chunk->info.settings[i].value[0] != '\0' && !add_sampling(results, &chunk->info.settings[i]))
                return ws_error_set(error, "no memory for the settings of the capture");
    return true;
}

static int compare_stages(const void *left, const void *right)
{
    const struct ws_trace_stage *a = left;
    const struct ws_trace_stage *b = right;
    return a->shader < b->shader ? -1 : a->shader > b->shader;
}

static int compare_shaders(const void *left, const void *right)
{
    const struct ws_trace_shader *a = left;
    const struct ws_trace_shader *b = right;
    return a->shader < b->shader ? -1 : a->shader > b->shader;
}

static bool end(void *user, struct ws_error *error)
{
    struct ws_trace_results *results = user;
    if (results->open && !ws_trace_merge_end(results))
        return ws_error_set(error, "no memory for the lifetimes");
    if (results->stage_count > 1)
        qsort(results->stages, results->stage_count, sizeof(*results->stages), compare_stages);
    for (uint32_t i = 0; i < results->launch_count; ++i)
        if (results->launches[i].shader_count > 1)
            qsort(results->launches[i].shaders, results->launches[i].shader_count,
                  sizeof(*results->launches[i].shaders), compare_shaders);
    for (uint32_t i = 0; i < results->stage_count; ++i) {
        struct ws_trace_population *populations[] = {&results->stages[i].threads, &results->stages[i].warps};
        for (uint32_t j = 0; j < 2; ++j) {
            ws_trace_counts_sort(&populations[j]->lifetimes);
            populations[j]->summary = ws_trace_counts_summary(&populations[j]->lifetimes);
        }
    }
    return true;
}

static const char *const passes[] = {"execution_trace", NULL};

const struct ws_analysis ws_analysis_trace = {
    .name = "trace",
    .summary = "lifetimes of threads and warps, the trace of one of them, and which work ids make a warp",
    .passes = passes,
    .csv_help = ws_trace_csv_help,
    .chooses = true,
    .create = create,
    .destroy = destroy,
    .replay = &ws_trace_replay,
    .record = record,
    .end = end,
    .attach = attach,
    .text = ws_trace_text,
    .notes = ws_trace_notes,
    .json = ws_trace_json,
    .csv = ws_trace_csv,
    .plots = ws_trace_plots,
};
