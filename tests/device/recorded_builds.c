#include "tests/device/recorded_builds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpscope/reader.h"

/* More than a test expects is a bug in the layer or in the test. */
static void require(bool condition)
{
    if (condition)
        return;
    fprintf(stderr, "the capture holds more geometry than a test makes\n");
    abort();
}

static void add_build(struct recorded_builds *builds, const struct ws_chunk_build *chunk)
{
    require(builds->count < RECORDED_BUILDS && chunk->geometry_count <= RECORDED_GEOMETRIES);
    struct recorded_build *build = &builds->builds[builds->count++];
    build->chunk = *chunk;
    build->chunk.geometries = build->geometries;
    for (uint32_t i = 0; i < chunk->geometry_count; i++) {
        const struct ws_build_geometry *geometry = &chunk->geometries[i];
        require(geometry->reference_count <= RECORDED_REFERENCES);
        build->geometries[i] = *geometry;
        build->geometries[i].references = build->references[i];
        for (uint32_t j = 0; j < geometry->reference_count; j++)
            build->references[i][j] = geometry->references[j];
    }
}

static void add_piece(struct recorded_builds *builds, const struct ws_chunk_blob *piece)
{
    require(piece->id < RECORDED_BLOBS);
    if (builds->blobs[piece->id].bytes == NULL) {
        builds->blobs[piece->id].bytes = calloc(1, piece->size);
        builds->blobs[piece->id].size = piece->size;
    }
    memcpy(builds->blobs[piece->id].bytes + piece->offset, piece->bytes, piece->count);
}

static void add_groups(struct recorded_builds *builds, const struct ws_chunk_groups *chunk)
{
    require(builds->group_count < RECORDED_PIPELINES && chunk->group_count <= RECORDED_GROUPS &&
            chunk->handle_size <= RECORDED_HANDLE);
    struct recorded_groups *groups = &builds->groups[builds->group_count++];
    groups->pipeline = chunk->pipeline;
    groups->handle_size = chunk->handle_size;
    groups->count = chunk->group_count;
    for (uint32_t i = 0; i < chunk->group_count; i++) {
        groups->groups[i] = chunk->groups[i];
        groups->groups[i].handle = NULL;
        memcpy(groups->handles[i], chunk->groups[i].handle, chunk->groups[i].handle_size);
    }
}

static void add_structure(struct recorded_builds *builds, const struct ws_chunk_structure *chunk)
{
    require(chunk->id < RECORDED_STRUCTURES);
    builds->addresses[chunk->id] = chunk->address;
    snprintf(builds->names[chunk->id], sizeof(builds->names[chunk->id]), "%s", chunk->name);
    builds->structure_count++;
}

static void add_chunk(struct recorded_builds *builds, const struct ws_chunk *chunk)
{
    switch (chunk->type) {
    case WS_CHUNK_BUILD: add_build(builds, &chunk->build); break;
    case WS_CHUNK_BLOB: add_piece(builds, &chunk->blob); break;
    case WS_CHUNK_STRUCTURE: add_structure(builds, &chunk->structure); break;
    case WS_CHUNK_NAME:
        if (chunk->name.kind == WS_NAME_STRUCTURE)
            snprintf(builds->names[chunk->name.id], sizeof(builds->names[0]), "%s", chunk->name.name);
        break;
    case WS_CHUNK_COPY:
        require(builds->copy_count < RECORDED_COPIES);
        builds->copies[builds->copy_count++] = chunk->copy;
        break;
    case WS_CHUNK_GROUPS: add_groups(builds, &chunk->groups); break;
    case WS_CHUNK_TABLES:
        require(builds->table_count < RECORDED_TABLES);
        builds->tables[builds->table_count++] = chunk->tables;
        break;
    case WS_CHUNK_SHADER:
        require(chunk->shader.id < RECORDED_SHADERS);
        builds->stages[chunk->shader.id] = chunk->shader.stage;
        break;
    case WS_CHUNK_GONE: builds->builds_before_gone[chunk->gone.structure] = builds->count; break;
    case WS_CHUNK_SKIP:
        if (chunk->skip.kind == WS_SKIP_GEOMETRY)
            builds->skipped += chunk->skip.count;
        break;
    default: break;
    }
}

bool recorded_builds_read(struct recorded_builds *builds, const char *path)
{
    struct ws_error error = {0};
    struct ws_chunk chunk;
    enum ws_read_result result = WS_READ_ERROR;
    memset(builds, 0, sizeof(*builds));
    struct ws_reader *reader = ws_reader_open(path, &error);
    while (reader != NULL && (result = ws_reader_next(reader, &chunk, &error)) == WS_READ_CHUNK)
        add_chunk(builds, &chunk);
    ws_reader_destroy(reader);
    if (result != WS_READ_END)
        fprintf(stderr, "%s\n", error.message);
    return result == WS_READ_END;
}

void recorded_builds_finish(struct recorded_builds *builds)
{
    for (uint32_t i = 0; i < RECORDED_BLOBS; i++)
        free(builds->blobs[i].bytes);
}

bool recorded_blob_is(const struct recorded_builds *builds, uint32_t id, const void *bytes, uint64_t size)
{
    if (size == 0 || id == WS_NONE)
        return size == 0 && id == WS_NONE;
    return id < RECORDED_BLOBS && builds->blobs[id].size == size &&
           memcmp(builds->blobs[id].bytes, bytes, size) == 0;
}
