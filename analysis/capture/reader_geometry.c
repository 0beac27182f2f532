/* See reader_geometry.h; the order of the fields is that of capture.h. */
#include "analysis/capture/reader_geometry.h"

#include "analysis/capture/reader_cursor.h"

/* What one element takes in a payload, at least. */
#define GEOMETRY_SIZE 52
#define GROUP_SIZE    24

static void take_hash(struct ws_reader_cursor *cursor, uint64_t hash[2])
{
    hash[0] = ws_take_u64(cursor);
    hash[1] = ws_take_u64(cursor);
}

static const uint8_t *take_bytes(struct ws_reader_cursor *cursor, uint32_t *count)
{
    *count = ws_take_count(cursor, 1);
    return ws_take(cursor, *count);
}

void ws_take_blob(struct ws_reader_cursor *cursor, struct ws_chunk_blob *blob)
{
    blob->id = ws_take_u32(cursor);
    take_hash(cursor, blob->hash);
    blob->size = ws_take_u64(cursor);
    blob->offset = ws_take_u64(cursor);
    blob->bytes = take_bytes(cursor, &blob->count);
}

void ws_take_structure(struct ws_reader_cursor *cursor, struct ws_chunk_structure *structure)
{
    structure->id = ws_take_u32(cursor);
    structure->device = ws_take_u32(cursor);
    structure->type = ws_take_u32(cursor);
    structure->size = ws_take_u64(cursor);
    structure->address = ws_take_u64(cursor);
    structure->name = ws_take_text(cursor);
}

static void take_geometry(struct ws_reader_cursor *cursor, struct ws_build_geometry *geometry)
{
    geometry->type = ws_take_u32(cursor);
    geometry->flags = ws_take_u32(cursor);
    geometry->capture_flags = ws_take_u32(cursor);
    geometry->primitive_count = ws_take_u32(cursor);
    geometry->vertex_format = ws_take_u32(cursor);
    geometry->index_type = ws_take_u32(cursor);
    geometry->max_vertex = ws_take_u32(cursor);
    geometry->stride = ws_take_u64(cursor);
    geometry->data = ws_take_u32(cursor);
    geometry->indices = ws_take_u32(cursor);
    geometry->transform = ws_take_u32(cursor);
    geometry->references = ws_take_ids(cursor, &geometry->reference_count);
}

void ws_take_build(struct ws_reader_cursor *cursor, struct ws_chunk_build *build)
{
    build->structure = ws_take_u32(cursor);
    build->moment = ws_take_u64(cursor);
    build->flags = ws_take_u32(cursor);
    build->build_flags = ws_take_u32(cursor);
    build->source = ws_take_u32(cursor);
    build->geometry_count = ws_take_count(cursor, GEOMETRY_SIZE);
    struct ws_build_geometry *geometries =
        ws_reader_cursor_allocate(cursor, build->geometry_count, sizeof(*geometries));
    for (uint32_t i = 0; i < build->geometry_count && !cursor->failed; ++i)
        take_geometry(cursor, &geometries[i]);
    build->geometries = geometries;
}

void ws_take_copy(struct ws_reader_cursor *cursor, struct ws_chunk_copy *copy)
{
    copy->source = ws_take_u32(cursor);
    copy->destination = ws_take_u32(cursor);
    copy->moment = ws_take_u64(cursor);
    copy->mode = ws_take_u32(cursor);
    take_hash(cursor, copy->hash);
}

void ws_take_gone(struct ws_reader_cursor *cursor, struct ws_chunk_gone *gone)
{
    gone->structure = ws_take_u32(cursor);
    gone->moment = ws_take_u64(cursor);
}

void ws_take_groups(struct ws_reader_cursor *cursor, struct ws_chunk_groups *groups)
{
    groups->pipeline = ws_take_u32(cursor);
    groups->handle_size = ws_take_u32(cursor);
    groups->group_count = ws_take_count(cursor, GROUP_SIZE);
    struct ws_shader_group *group = ws_reader_cursor_allocate(cursor, groups->group_count, sizeof(*group));
    groups->groups = group;
    for (uint32_t i = 0; i < groups->group_count && !cursor->failed; ++i, ++group) {
        group->type = ws_take_u32(cursor);
        group->general = ws_take_u32(cursor);
        group->closest_hit = ws_take_u32(cursor);
        group->any_hit = ws_take_u32(cursor);
        group->intersection = ws_take_u32(cursor);
        group->handle = take_bytes(cursor, &group->handle_size);
    }
}

void ws_take_tables(struct ws_reader_cursor *cursor, struct ws_chunk_tables *tables)
{
    tables->launch = ws_take_u64(cursor);
    for (int i = 0; i < 4; ++i) {
        tables->tables[i].address = ws_take_u64(cursor);
        tables->tables[i].stride = ws_take_u64(cursor);
        tables->tables[i].size = ws_take_u64(cursor);
        tables->tables[i].blob = ws_take_u32(cursor);
    }
}
