#include "analysis/scene/scene_sbt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "warpscope/base/array.h"
#include "warpscope/model/catalog.h"

struct pipeline {
    struct ws_shader_group *groups; /* handles in `handles` */
    uint8_t *handles;
    uint32_t group_count;
    uint32_t handle_size;
    struct ws_id_map group_of; /* hash of a handle -> the first group with it */
};

struct blob {
    uint64_t place; /* in the file */
    uint64_t size;
    uint64_t known; /* bytes from its beginning that were captured */
};

struct launch {
    uint32_t pipeline_first; /* in pipeline_ids */
    uint32_t pipeline_count;
    bool has_tables;
    struct ws_binding_table tables[4];
};

struct ws_scene_sbt {
    FILE *file;
    uint64_t file_size;
    struct pipeline *pipelines;
    uint32_t pipeline_count;
    uint32_t pipeline_capacity;
    struct blob *blobs;
    uint32_t blob_count;
    uint32_t blob_capacity;
    struct launch *launches;
    uint32_t launch_count;
    uint32_t launch_capacity;
    uint32_t *pipeline_ids;
    uint32_t pipeline_id_count;
    uint32_t pipeline_id_capacity;
    struct ws_id_map pipeline_of; /* chunk id -> index */
    struct ws_id_map blob_of;
    struct ws_id_map launch_of;
};

struct ws_scene_sbt *ws_scene_sbt_create(void)
{
    return calloc(1, sizeof(struct ws_scene_sbt));
}

void ws_scene_sbt_destroy(struct ws_scene_sbt *tables)
{
    if (tables == NULL)
        return;
    for (uint32_t i = 0; i < tables->pipeline_count; ++i) {
        free(tables->pipelines[i].groups);
        free(tables->pipelines[i].handles);
        ws_id_map_finish(&tables->pipelines[i].group_of);
    }
    free(tables->pipelines);
    free(tables->blobs);
    free(tables->launches);
    free(tables->pipeline_ids);
    ws_id_map_finish(&tables->pipeline_of);
    ws_id_map_finish(&tables->blob_of);
    ws_id_map_finish(&tables->launch_of);
    if (tables->file != NULL)
        fclose(tables->file);
    free(tables);
}

/* Copies group `index` and its handle. A handle of another size than the pipeline's is none. */
static bool add_group(struct pipeline *pipeline, uint32_t index, const struct ws_shader_group *group)
{
    uint32_t other = 0;
    const size_t size = pipeline->handle_size;
    struct ws_shader_group *copy = &pipeline->groups[index];
    *copy = *group;
    copy->handle = NULL;
    copy->handle_size = 0;
    if (group->handle_size != size || size == 0)
        return true;
    uint8_t *handle = pipeline->handles + index * size;
    memcpy(handle, group->handle, size);
    copy->handle = handle;
    copy->handle_size = group->handle_size;
    const uint64_t hash = XXH3_64bits(handle, size);
    return ws_id_map_get(&pipeline->group_of, hash, &other) ||
           ws_id_map_put(&pipeline->group_of, hash, index);
}

static bool add_groups(struct ws_scene_sbt *tables, const struct ws_chunk_groups *chunk)
{
    uint32_t known = 0;
    if (ws_id_map_get(&tables->pipeline_of, chunk->pipeline, &known))
        return true;
    struct pipeline *pipelines = ws_array_grow(tables->pipelines, &tables->pipeline_capacity,
                                               tables->pipeline_count + 1, sizeof(*pipelines));
    if (pipelines == NULL)
        return false;
    tables->pipelines = pipelines;
    struct pipeline *pipeline = &pipelines[tables->pipeline_count];
    /* The chunk holds as many bytes of handles as there are, whatever it says of their size. */
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < chunk->group_count; ++i)
        bytes += chunk->groups[i].handle_size == chunk->handle_size ? chunk->handle_size : 0;
    const bool fits = bytes == (uint64_t)chunk->group_count * chunk->handle_size;
    *pipeline = (struct pipeline){
        .groups = calloc((size_t)chunk->group_count + 1, sizeof(*pipeline->groups)),
        .handles = malloc(fits ? (size_t)bytes + 1 : 1),
        .group_count = chunk->group_count,
        .handle_size = fits ? chunk->handle_size : 0,
    };
    bool added = pipeline->groups != NULL && pipeline->handles != NULL;
    tables->pipeline_count++;
    for (uint32_t i = 0; i < chunk->group_count && added; ++i)
        added = add_group(pipeline, i, &chunk->groups[i]);
    return added && ws_id_map_put(&tables->pipeline_of, chunk->pipeline, tables->pipeline_count - 1);
}

/* The blob of the piece, made with its first; NULL and `*added` = false when there is no memory. */
static struct blob *blob_of(struct ws_scene_sbt *tables, const struct ws_chunk_blob *piece, bool *added)
{
    uint32_t index = 0;
    *added = true;
    if (ws_id_map_get(&tables->blob_of, piece->id, &index))
        return &tables->blobs[index];
    if (piece->size > WS_SBT_BLOB_MAX || piece->offset != 0)
        return NULL;
    struct blob *blobs =
        ws_array_grow(tables->blobs, &tables->blob_capacity, tables->blob_count + 1, sizeof(*blobs));
    *added = blobs != NULL && ws_id_map_put(&tables->blob_of, piece->id, tables->blob_count);
    if (blobs != NULL)
        tables->blobs = blobs;
    if (!*added)
        return NULL;
    blobs[tables->blob_count] = (struct blob){.place = tables->file_size, .size = piece->size};
    tables->file_size += piece->size;
    return &blobs[tables->blob_count++];
}

static bool add_blob(struct ws_scene_sbt *tables, const struct ws_chunk_blob *piece, struct ws_error *error)
{
    bool added = true;
    struct blob *blob = blob_of(tables, piece, &added);
    if (blob == NULL || piece->offset != blob->known || piece->count > blob->size - blob->known)
        return added;
    if (tables->file == NULL)
        tables->file = tmpfile();
    if (tables->file == NULL || fseeko(tables->file, (off_t)(blob->place + piece->offset), SEEK_SET) != 0 ||
        fwrite(piece->bytes, 1, piece->count, tables->file) != piece->count)
        return ws_error_set(error,
                            "cannot write a temporary file for shader binding tables: is there room in "
                            "the folder for temporary files?");
    blob->known += piece->count;
    return true;
}

/* The entry of a launch, made where there is none; NULL when there is no memory. */
static struct launch *launch_of(struct ws_scene_sbt *tables, uint64_t number)
{
    uint32_t index = 0;
    if (ws_id_map_get(&tables->launch_of, number, &index))
        return &tables->launches[index];
    struct launch *launches = ws_array_grow(tables->launches, &tables->launch_capacity,
                                            tables->launch_count + 1, sizeof(*launches));
    if (launches == NULL)
        return NULL;
    tables->launches = launches;
    if (!ws_id_map_put(&tables->launch_of, number, tables->launch_count))
        return NULL;
    launches[tables->launch_count] = (struct launch){0};
    return &launches[tables->launch_count++];
}

static bool add_tables(struct ws_scene_sbt *tables, const struct ws_chunk_tables *chunk)
{
    struct launch *launch = launch_of(tables, chunk->launch);
    if (launch == NULL)
        return false;
    launch->has_tables = true;
    memcpy(launch->tables, chunk->tables, sizeof(launch->tables));
    return true;
}

static bool add_pipelines(struct ws_scene_sbt *tables, const struct ws_launch *from)
{
    struct launch *launch = launch_of(tables, from->index);
    if (launch == NULL)
        return false;
    launch->pipeline_first = tables->pipeline_id_count;
    launch->pipeline_count = from->pipeline_count;
    for (uint32_t i = 0; i < from->pipeline_count; ++i) {
        uint32_t *ids = ws_array_grow(tables->pipeline_ids, &tables->pipeline_id_capacity,
                                      tables->pipeline_id_count + 1, sizeof(*ids));
        if (ids == NULL)
            return false;
        tables->pipeline_ids = ids;
        ids[tables->pipeline_id_count++] = from->pipelines[i];
    }
    return true;
}

bool ws_scene_sbt_record(struct ws_scene_sbt *tables, const struct ws_chunk *chunk, struct ws_error *error)
{
    bool recorded = true;
    if (chunk->type == WS_CHUNK_BLOB)
        recorded = add_blob(tables, &chunk->blob, error);
    else if (chunk->type == WS_CHUNK_GROUPS)
        recorded = add_groups(tables, &chunk->groups);
    else if (chunk->type == WS_CHUNK_TABLES)
        recorded = add_tables(tables, &chunk->tables);
    else if (chunk->type == WS_CHUNK_SUBMISSION)
        for (uint32_t i = 0; i < chunk->submission.launch_count && recorded; ++i)
            recorded = chunk->submission.launches[i].kind != WS_LAUNCH_TRACE_RAYS ||
                       add_pipelines(tables, &chunk->submission.launches[i]);
    return recorded || ws_error_set(error, "no memory for shader binding tables");
}

static const struct launch *find(const struct ws_scene_sbt *tables, uint64_t number)
{
    uint32_t index = 0;
    return ws_id_map_get(&tables->launch_of, number, &index) ? &tables->launches[index] : NULL;
}

static const struct pipeline *find_pipeline(const struct ws_scene_sbt *tables, uint32_t id)
{
    uint32_t index = 0;
    return ws_id_map_get(&tables->pipeline_of, id, &index) ? &tables->pipelines[index] : NULL;
}

/* Pipeline `index` of the launch; NULL where its groups are not known. */
static const struct pipeline *pipeline_at(const struct ws_scene_sbt *tables, const struct launch *launch,
                                          uint32_t index)
{
    return find_pipeline(tables, tables->pipeline_ids[launch->pipeline_first + index]);
}

uint32_t ws_scene_sbt_pipeline(const struct ws_scene_sbt *tables, uint64_t number)
{
    const struct launch *launch = find(tables, number);
    for (uint32_t i = 0; launch != NULL && i < launch->pipeline_count; ++i)
        if (pipeline_at(tables, launch, i) != NULL)
            return tables->pipeline_ids[launch->pipeline_first + i];
    return WS_NONE;
}

uint32_t ws_scene_sbt_group_count(const struct ws_scene_sbt *tables, uint32_t pipeline)
{
    const struct pipeline *found = find_pipeline(tables, pipeline);
    return found != NULL ? found->group_count : 0;
}

const struct ws_shader_group *ws_scene_sbt_group(const struct ws_scene_sbt *tables, uint32_t pipeline,
                                                 uint32_t group)
{
    const struct pipeline *found = find_pipeline(tables, pipeline);
    return found != NULL && group < found->group_count ? &found->groups[group] : NULL;
}

/* Bytes of a handle in the tables of a launch; 0 = not known. */
static uint32_t handle_size(const struct ws_scene_sbt *tables, const struct launch *launch)
{
    for (uint32_t i = 0; i < launch->pipeline_count; ++i)
        if (pipeline_at(tables, launch, i) != NULL)
            return pipeline_at(tables, launch, i)->handle_size;
    return 0;
}

/* Where a table's bytes are, and how many of them belong to it; NULL where there are none. */
static const struct blob *bytes_of(const struct ws_scene_sbt *tables, const struct ws_binding_table *table,
                                   uint64_t *size)
{
    uint32_t index = 0;
    if (table->blob == WS_NONE || !ws_id_map_get(&tables->blob_of, table->blob, &index))
        return NULL;
    *size = tables->blobs[index].known < table->size ? tables->blobs[index].known : table->size;
    return &tables->blobs[index];
}

uint32_t ws_scene_sbt_count(const struct ws_scene_sbt *tables, uint64_t number, enum ws_sbt_table table)
{
    const struct launch *launch = find(tables, number);
    uint64_t size = 0;
    if (launch == NULL || !launch->has_tables || bytes_of(tables, &launch->tables[table], &size) == NULL)
        return 0;
    const uint64_t stride = launch->tables[table].stride;
    const uint32_t handle = handle_size(tables, launch);
    if (handle == 0 || size < handle || (stride > 0 && stride < handle))
        return 0;
    return stride > 0 ? (uint32_t)(size / stride) : 1;
}

/* Sets what the handle says; a record that nothing is known of is not null and has no group. */
static void read_handle(const struct ws_scene_sbt *tables, const struct launch *launch, const uint8_t *handle,
                        uint32_t size, struct ws_sbt_record *record)
{
    const uint64_t hash = XXH3_64bits(handle, size);
    record->null = true;
    for (uint32_t i = 0; i < size; ++i)
        record->null = record->null && handle[i] == 0;
    for (uint32_t i = 0; i < launch->pipeline_count && !record->null && !record->known; ++i) {
        const struct pipeline *pipeline = pipeline_at(tables, launch, i);
        uint32_t group = 0;
        if (pipeline == NULL || pipeline->handle_size != size ||
            !ws_id_map_get(&pipeline->group_of, hash, &group) ||
            memcmp(pipeline->groups[group].handle, handle, size) != 0)
            continue;
        record->known = true;
        record->pipeline = tables->pipeline_ids[launch->pipeline_first + i];
        record->group = group;
        record->info = pipeline->groups[group];
    }
}

bool ws_scene_sbt_get(const struct ws_scene_sbt *tables, uint64_t number, enum ws_sbt_table table,
                      uint32_t index, struct ws_sbt_record *record)
{
    const struct launch *launch = find(tables, number);
    uint64_t size = 0;
    const uint32_t count = ws_scene_sbt_count(tables, number, table);
    *record = (struct ws_sbt_record){.pipeline = WS_NONE, .group = WS_NONE};
    if (count == 0 || (launch->tables[table].stride > 0 && index >= count))
        return false;
    const struct blob *blob = bytes_of(tables, &launch->tables[table], &size);
    const uint64_t stride = launch->tables[table].stride;
    const uint32_t handle = handle_size(tables, launch);
    const size_t length = (size_t)(stride > 0 ? stride : size);
    uint8_t *bytes = malloc(length);
    const bool read = bytes != NULL &&
                      fseeko(tables->file, (off_t)(blob->place + stride * index), SEEK_SET) == 0 &&
                      fread(bytes, 1, length, tables->file) == length;
    if (read) {
        read_handle(tables, launch, bytes, handle, record);
        record->data_hash = XXH3_64bits(bytes + handle, length - handle);
    }
    free(bytes);
    return read;
}
