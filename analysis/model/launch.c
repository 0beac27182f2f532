#include "warpscope/model/launch.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/root.h"

static int compare(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The different pipelines of the launch. A capture made to do harm can name one a million times, or a
 * million: so they are sorted, and only the different ones are kept. */
static bool set_pipelines(struct ws_launch_record *launch, const struct ws_catalog *catalog,
                          const struct ws_launch *from)
{
    uint32_t count = 0;
    launch->pipeline = WS_NONE;
    if (from->pipeline_count == 0)
        return true;
    uint32_t *pipelines = malloc(from->pipeline_count * sizeof(*pipelines));
    if (pipelines == NULL)
        return false;
    for (uint32_t i = 0; i < from->pipeline_count; ++i)
        pipelines[i] = ws_catalog_pipeline(catalog, from->pipelines[i]);
    qsort(pipelines, from->pipeline_count, sizeof(*pipelines), compare);
    for (uint32_t i = 0; i < from->pipeline_count; ++i)
        if (pipelines[i] != WS_NONE && (count == 0 || pipelines[i] != pipelines[count - 1]))
            pipelines[count++] = pipelines[i];
    uint32_t *shrunk = realloc(pipelines, count * sizeof(*shrunk) + 1);
    launch->pipelines = shrunk != NULL ? shrunk : pipelines;
    launch->pipeline_count = count;
    launch->pipeline = count == 1 ? launch->pipelines[0] : WS_NONE;
    return true;
}

static int compare_base(const void *key, const void *element)
{
    const uint64_t index = *(const uint64_t *)key;
    const uint64_t other = ((const struct ws_launch_base *)element)->launch;
    return (index > other) - (index < other);
}

/* NULL = none. In a capture made to do harm they may not ascend: then some are not found. */
static const struct ws_launch_base *find_base(const struct ws_chunk_submission *submission, uint64_t launch)
{
    if (submission->base_count == 0)
        return NULL;
    return bsearch(&launch, submission->bases, submission->base_count, sizeof(*submission->bases),
                   compare_base);
}

/* The fields that own nothing; texts are those of the chunk. */
static struct ws_launch_record describe(const struct ws_catalog *catalog,
                                        const struct ws_chunk_submission *submission,
                                        const struct ws_launch *from)
{
    const uint32_t device = ws_catalog_device(catalog, submission->device);
    const struct ws_launch_base *base =
        (from->flags & WS_LAUNCH_BASE) != 0 ? find_base(submission, from->index) : NULL;
    struct ws_launch_record launch = {
        .index = from->index,
        .submission = submission->index,
        .frame = submission->frame,
        .device = device,
        .subgroup_size = catalog->devices[device].subgroup_size,
        .kind = from->kind,
        .size = {from->size[0], from->size[1], from->size[2]},
        .flags = from->flags,
        .draws = from->draws,
        .label = from->label,
        .command_buffer = from->command_buffer,
        .pipeline = WS_NONE,
        .overlapped = (submission->flags & WS_SUBMISSION_OVERLAPPED) != 0,
        .base_unknown = (from->flags & WS_LAUNCH_BASE) != 0 && base == NULL,
    };
    if (base != NULL)
        memcpy(launch.base, base->base, sizeof(launch.base));
    return launch;
}

bool ws_launch_record_init(struct ws_launch_record *launch, const struct ws_catalog *catalog,
                           const struct ws_chunk_submission *submission, const struct ws_launch *from)
{
    *launch = describe(catalog, submission, from);
    launch->label = strdup(from->label);
    launch->command_buffer = strdup(from->command_buffer);
    if (launch->label != NULL && launch->command_buffer != NULL && set_pipelines(launch, catalog, from))
        return true;
    ws_launch_record_finish(launch);
    return false;
}

bool ws_launch_record_copy(struct ws_launch_record *launch, const struct ws_launch_record *from)
{
    const size_t bytes = from->pipelines != NULL ? from->pipeline_count * sizeof(*from->pipelines) : 0;
    uint32_t *pipelines = bytes > 0 ? malloc(bytes) : NULL;
    *launch = *from;
    launch->label = strdup(from->label);
    launch->command_buffer = strdup(from->command_buffer);
    launch->pipelines = pipelines;
    if (launch->label != NULL && launch->command_buffer != NULL && (pipelines != NULL || bytes == 0)) {
        if (bytes > 0)
            memcpy(pipelines, from->pipelines, bytes);
        return true;
    }
    ws_launch_record_finish(launch);
    return false;
}

void ws_launch_record_finish(struct ws_launch_record *launch)
{
    free((void *)(uintptr_t)launch->label);
    free((void *)(uintptr_t)launch->command_buffer);
    free((void *)(uintptr_t)launch->pipelines);
    memset(launch, 0, sizeof(*launch));
}

void ws_launch_record_measure(struct ws_launch_record *launch, const struct ws_catalog *catalog,
                              const struct ws_launch *from)
{
    for (uint32_t i = 0; i < from->shader_count; ++i) {
        const struct ws_shader_counters *counters = &from->shaders[i];
        const uint32_t shader = ws_catalog_shader(catalog, counters->shader);
        const uint32_t row = ws_catalog_launch_row(catalog, shader);
        if (launch->size[0] != 0 || launch->size[1] != 0 || launch->size[2] != 0)
            return;
        if (row == WS_NONE || row < counters->row_first || row - counters->row_first >= counters->row_count)
            continue;
        const uint32_t *words = counters->words + (size_t)(row - counters->row_first) * counters->bins;
        memcpy(launch->size, words + WS_LAUNCH_SIZE, sizeof(launch->size));
    }
}

bool ws_launch_record_keep(struct ws_launch_record *launch, const struct ws_launch_record *from,
                           struct ws_text_pool *texts)
{
    *launch = *from;
    launch->label = ws_text_pool_add(texts, from->label != NULL ? from->label : "");
    launch->command_buffer =
        ws_text_pool_add(texts, from->command_buffer != NULL ? from->command_buffer : "");
    launch->pipelines = NULL;
    return launch->label != NULL && launch->command_buffer != NULL;
}

bool ws_launch_record_keep_chunk(struct ws_launch_record *launch, const struct ws_catalog *catalog,
                                 const struct ws_chunk_submission *submission, const struct ws_launch *from,
                                 struct ws_text_pool *texts)
{
    struct ws_launch_record described = describe(catalog, submission, from);
    if (!set_pipelines(&described, catalog, from))
        return false;
    const bool kept = ws_launch_record_keep(launch, &described, texts);
    free((void *)(uintptr_t)described.pipelines);
    return kept;
}

void ws_launch_table_finish(struct ws_launch_table *table)
{
    for (uint32_t i = 0; i < table->count; ++i)
        ws_launch_record_finish(&table->launches[i]);
    free(table->launches);
    ws_id_map_finish(&table->by_index);
    memset(table, 0, sizeof(*table));
}

bool ws_launch_table_record(struct ws_catalog *catalog, const struct ws_chunk_submission *submission)
{
    struct ws_launch_table *table = &catalog->launches;
    for (uint32_t i = 0; i < submission->launch_count; ++i) {
        const struct ws_launch *launch = &submission->launches[i];
        uint32_t place = table->count;
        /* A launch whose counters need several chunks is in each of them. */
        if (!ws_id_map_get(&table->by_index, launch->index, &place)) {
            struct ws_launch_record *launches =
                ws_array_grow(table->launches, &table->capacity, table->count + 1, sizeof(*launches));
            if (launches == NULL)
                return false;
            table->launches = launches;
            if (!ws_launch_record_init(&launches[place], catalog, submission, launch))
                return false;
            table->count++;
            if (!ws_id_map_put(&table->by_index, launch->index, place))
                return false;
        }
        ws_launch_record_measure(&table->launches[place], catalog, launch);
    }
    return true;
}

const struct ws_launch_record *ws_catalog_launch(const struct ws_catalog *catalog, uint64_t index)
{
    uint32_t place = 0;
    return ws_id_map_get(&catalog->launches.by_index, index, &place) ? &catalog->launches.launches[place]
                                                                     : NULL;
}

void ws_launch_record_first(const struct ws_launch_record *launch, const uint32_t local_size[3],
                            uint32_t first[3])
{
    for (uint32_t axis = 0; axis < 3; ++axis)
        first[axis] = launch->base[axis] * (local_size[0] > 0 ? local_size[axis] : 1);
}

void ws_launch_record_position(const struct ws_launch_record *launch, const uint32_t local_size[3],
                               const uint32_t work[3], uint32_t position[3])
{
    uint32_t first[3];
    ws_launch_record_first(launch, local_size, first);
    for (uint32_t axis = 0; axis < 3; ++axis)
        position[axis] = work[axis] - first[axis];
}

static bool has_shader(const struct ws_pipeline_record *pipeline, uint32_t shader)
{
    for (uint32_t i = 0; i < pipeline->shader_count; ++i)
        if (pipeline->shaders[i] == shader)
            return true;
    return false;
}

uint32_t ws_catalog_launch_pipeline(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader)
{
    const struct ws_launch_record *record = ws_catalog_launch(catalog, launch);
    uint32_t owner = WS_NONE;
    for (uint32_t i = 0; record != NULL && i < record->pipeline_count; ++i) {
        const uint32_t pipeline = record->pipelines[i];
        if (!has_shader(&catalog->pipelines[pipeline], shader))
            continue;
        if (owner != WS_NONE)
            return WS_PIPELINE_SEVERAL;
        owner = pipeline;
    }
    return owner;
}

const char *ws_launch_kind_name(uint32_t kind)
{
    static const char *const names[] = {"trace rays", "dispatch", "render pass"};
    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "launch";
}
