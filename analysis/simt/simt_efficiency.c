/* Reading launches and giving their sums to everything that they belong to. */
#include "analysis/simt/simt_efficiency.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/simt/simt_blocks.h"
#include "analysis/simt/simt_rows.h"
#include "passes/base/array.h"

void ws_simt_begin(struct ws_simt_results *results, const struct ws_catalog *catalog)
{
    memset(results, 0, sizeof(*results));
    results->catalog = catalog;
}

void ws_simt_finish(struct ws_simt_results *results)
{
    for (uint32_t i = 0; i < results->shader_count; ++i)
        ws_simt_rows_finish(&results->shaders[i]);
    for (uint32_t i = 0; i < results->pipeline_count; ++i)
        ws_simt_histogram_finish(&results->pipelines[i].group.histogram);
    for (uint32_t i = 0; i < results->launch_count; ++i)
        ws_simt_histogram_finish(&results->launches[i].group.histogram);
    for (uint32_t i = 0; i < WS_STAGE_COUNT; ++i)
        ws_simt_histogram_finish(&results->stages[i].histogram);
    ws_simt_histogram_finish(&results->total.histogram);
    ws_simt_histogram_finish(&results->shared_pipelines.histogram);
    free(results->shaders);
    free(results->pipelines);
    free(results->launches);
    free(results->opcodes);
    free(results->touched);
    ws_text_pool_finish(&results->texts);
    memset(results, 0, sizeof(*results));
}

/* Makes shaders and pipelines as many as the catalog has. */
static bool follow_catalog(struct ws_simt_results *results)
{
    const struct ws_catalog *catalog = results->catalog;
    if (catalog->shader_count > results->shader_count) {
        struct ws_simt_shader *shaders =
            ws_catalog_follow(results->shaders, results->shader_count, catalog->shader_count,
                              catalog->shader_capacity, sizeof(*shaders));
        if (shaders == NULL)
            return false;
        results->shaders = shaders;
        results->shader_count = catalog->shader_count;
    }
    if (catalog->pipeline_count > results->pipeline_count) {
        struct ws_simt_pipeline *pipelines =
            ws_catalog_follow(results->pipelines, results->pipeline_count, catalog->pipeline_count,
                              catalog->pipeline_capacity, sizeof(*pipelines));
        if (pipelines == NULL)
            return false;
        results->pipelines = pipelines;
        results->pipeline_count = catalog->pipeline_count;
    }
    return true;
}

static bool add_group(struct ws_simt_group *group, const struct ws_simt_group *more)
{
    ws_simt_counts_add(&group->counts, &more->counts);
    return ws_simt_histogram_add(&group->histogram, more->histogram.counts, more->histogram.bins, 1);
}

/* The group of the pipeline that ran the shader in the open launch. NULL where no pipeline did. */
static struct ws_simt_group *pipeline_group(struct ws_simt_results *results, uint32_t shader)
{
    const struct ws_simt_shader *record = &results->shaders[shader];
    if (results->only_pipeline != WS_NONE)
        return &results->pipelines[results->only_pipeline].group;
    if (record->owner_serial != results->serial)
        return NULL;
    return record->owner != WS_NONE ? &results->pipelines[record->owner].group : &results->shared_pipelines;
}

static struct ws_simt_group *stage_group(struct ws_simt_results *results, uint32_t stage)
{
    if (stage == 0 || (stage & (stage - 1)) != 0 || stage > WS_STAGES_ALL)
        return NULL;
    return &results->stages[__builtin_ctz(stage)];
}

/* Sums one shader of the open launch into all that it belongs to. */
static bool close_shader(struct ws_simt_results *results, struct ws_simt_launch *launch, uint32_t shader)
{
    struct ws_simt_group sums = {0};
    uint32_t size[3] = {0, 0, 0};
    struct ws_simt_group *pipeline = pipeline_group(results, shader);
    struct ws_simt_group *stage = stage_group(results, results->catalog->shaders[shader].stage);
    bool summed = ws_simt_rows_sum(&results->shaders[shader], results->catalog, shader, &sums, size) &&
                  add_group(&results->total, &sums) && add_group(&launch->group, &sums) &&
                  add_group(&results->shaders[shader].group, &sums) &&
                  (stage == NULL || add_group(stage, &sums)) &&
                  (pipeline == NULL || add_group(pipeline, &sums));
    results->shaders[shader].launches += sums.counts.warps > 0 || sums.counts.threads > 0;
    if (launch->size[0] == 0 && launch->size[1] == 0 && launch->size[2] == 0)
        memcpy(launch->size, size, sizeof(size));
    ws_simt_histogram_finish(&sums.histogram);
    return summed;
}

static bool close_launch(struct ws_simt_results *results)
{
    bool summed = true;
    if (!results->open)
        return true;
    struct ws_simt_launch *launch = &results->launches[results->launch_count - 1];
    for (uint32_t i = 0; i < results->touched_count && summed; ++i)
        summed = close_shader(results, launch, results->touched[i]);
    results->touched_count = 0;
    results->open = false;
    return summed;
}

/* Notes the pipelines of the launch that is being opened, and which of them has each shader. */
static void note_pipelines(struct ws_simt_results *results, const struct ws_launch *launch)
{
    uint32_t count = 0;
    results->serial++;
    results->only_pipeline = WS_NONE;
    for (uint32_t i = 0; i < launch->pipeline_count; ++i) {
        uint32_t index = ws_catalog_pipeline(results->catalog, launch->pipelines[i]);
        if (results->pipelines[index].serial == results->serial)
            continue;
        results->pipelines[index].serial = results->serial;
        results->pipelines[index].launches++;
        results->only_pipeline = count++ == 0 ? index : WS_NONE;
        const struct ws_pipeline_record *pipeline = &results->catalog->pipelines[index];
        for (uint32_t j = 0; j < pipeline->shader_count; ++j) {
            struct ws_simt_shader *shader = &results->shaders[pipeline->shaders[j]];
            bool owned = shader->owner_serial == results->serial && shader->owner != index;
            shader->owner = owned ? WS_NONE : index;
            shader->owner_serial = results->serial;
        }
    }
    results->open_pipelines = count;
}

static bool open_launch(struct ws_simt_results *results, const struct ws_chunk_submission *submission,
                        const struct ws_launch *launch)
{
    struct ws_simt_launch *launches = ws_array_grow(results->launches, &results->launch_capacity,
                                                    results->launch_count + 1, sizeof(*launches));
    if (launches == NULL)
        return false;
    results->launches = launches;
    note_pipelines(results, launch);
    struct ws_simt_launch *record = &launches[results->launch_count];
    *record = (struct ws_simt_launch){
        .index = launch->index,
        .submission = submission->index,
        .frame = submission->frame,
        .device = ws_catalog_device(results->catalog, submission->device),
        .kind = launch->kind,
        .size = {launch->size[0], launch->size[1], launch->size[2]},
        .flags = launch->flags,
        .draws = launch->draws,
        .label = ws_text_pool_add(&results->texts, launch->label),
        .command_buffer = ws_text_pool_add(&results->texts, launch->command_buffer),
        .pipeline = results->only_pipeline,
        .pipeline_count = results->open_pipelines,
        .overlapped = (submission->flags & WS_SUBMISSION_OVERLAPPED) != 0,
    };
    if (record->label == NULL || record->command_buffer == NULL)
        return false;
    results->overlapped += record->overlapped;
    results->launch_count++;
    results->open = true;
    return true;
}

static bool add_counters(struct ws_simt_results *results, const struct ws_shader_counters *counters)
{
    uint32_t shader = ws_catalog_shader(results->catalog, counters->shader);
    if (counters->row_count == 0)
        return true;
    if (results->shaders[shader].touched_end == 0) {
        uint32_t *touched = ws_array_grow(results->touched, &results->touched_capacity,
                                          results->touched_count + 1, sizeof(*touched));
        if (touched == NULL)
            return false;
        results->touched = touched;
        touched[results->touched_count++] = shader;
    }
    return ws_simt_rows_add(&results->shaders[shader], results->catalog, shader, counters);
}

static bool add_launch(struct ws_simt_results *results, const struct ws_chunk_submission *submission,
                       const struct ws_launch *launch, bool first)
{
    bool continues = first && (submission->flags & WS_SUBMISSION_CONTINUED) != 0 && results->open &&
                     results->launches[results->launch_count - 1].index == launch->index;
    if (!continues && (!close_launch(results) || !open_launch(results, submission, launch)))
        return false;
    for (uint32_t i = 0; i < launch->shader_count; ++i)
        if (!add_counters(results, &launch->shaders[i]))
            return false;
    return true;
}

bool ws_simt_record(struct ws_simt_results *results, const struct ws_chunk *chunk, struct ws_error *error)
{
    bool recorded = follow_catalog(results);
    if (chunk->type == WS_CHUNK_SUBMISSION)
        for (uint32_t i = 0; i < chunk->submission.launch_count && recorded; ++i)
            recorded = add_launch(results, &chunk->submission, &chunk->submission.launches[i], i == 0);
    return recorded || ws_error_set(error, "no memory for the counters of the capture");
}

bool ws_simt_end(struct ws_simt_results *results, struct ws_error *error)
{
    return (follow_catalog(results) && close_launch(results) && ws_simt_count_opcodes(results)) ||
           ws_error_set(error, "no memory for the sums of the capture");
}
