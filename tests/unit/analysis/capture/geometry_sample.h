/* The geometry of the small capture: one chunk of every kind of it, a blob in two pieces. */
#ifndef WS_TESTS_UNIT_ANALYSIS_CAPTURE_GEOMETRY_SAMPLE_H
#define WS_TESTS_UNIT_ANALYSIS_CAPTURE_GEOMETRY_SAMPLE_H

#include <string.h>

#include "layer/capture/capture_writer.h"
#include "warpscope/instrument.h"

enum { GEOMETRY_SAMPLE_CHUNKS = 18 };

/* A whole blob in one call. */
static inline bool write_blob(struct ws_capture_writer *writer, uint32_t id, const void *bytes, uint32_t size,
                              struct ws_error *error)
{
    const struct ws_chunk_blob blob = {
        .id = id, .hash = {id + 1, ~(uint64_t)id}, .size = size, .bytes = bytes, .count = size};
    return ws_capture_write_blob(writer, &blob, error);
}

static inline bool write_sample_blobs(struct ws_capture_writer *writer, struct ws_error *error)
{
    static const float vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint16_t indices[3] = {0, 1, 2};
    static const float transform[12] = {1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0};
    static const float box[6] = {-1, -1, -1, 1, 1, 1};
    static const uint8_t handle[32] = {7};
    uint8_t instance[64] = {0};
    memcpy(instance, transform, sizeof(transform));
    instance[48] = 9;    /* custom index */
    instance[51] = 0xff; /* mask */
    struct ws_chunk_blob piece = {.hash = {1, ~(uint64_t)0}, .size = sizeof(vertices), .count = 20};
    piece.bytes = (const uint8_t *)vertices;
    bool written = ws_capture_write_blob(writer, &piece, error);
    piece.bytes += 20;
    piece.offset = 20;
    piece.count = 16;
    return written && ws_capture_write_blob(writer, &piece, error) &&
           write_blob(writer, 1, indices, sizeof(indices), error) &&
           write_blob(writer, 2, transform, sizeof(transform), error) &&
           write_blob(writer, 3, box, sizeof(box), error) &&
           write_blob(writer, 4, instance, sizeof(instance), error) &&
           write_blob(writer, 5, handle, sizeof(handle), error);
}

static inline bool write_sample_builds(struct ws_capture_writer *writer, struct ws_error *error)
{
    static const uint32_t references[] = {0};
    static const struct ws_micromap_usage usage = {1, 4, 2};
    static const struct ws_build_micromap micromap = {
        .stride = 2, .indices = 1, .base = 6, .usages = &usage, .usage_count = 1};
    static const struct ws_build_source sources[] = {{0, 5, 0x10000, 36, 6, 0x20000, 6},
                                                     {1, 5, 0x10040, 24, WS_NONE, 0, 0}};
    static const struct ws_micromap_content content = {
        .data = 1, .triangles = 2, .triangle_count = 3, .stride = 8};
    const struct ws_build_geometry bottom[] = {
        {.type = 0,
         .flags = 1,
         .capture_flags = WS_GEOMETRY_MICROMAP,
         .primitive_count = 1,
         .vertex_format = 106,
         .max_vertex = 2,
         .stride = 12,
         .data = 0,
         .indices = 1,
         .transform = 2},
        {.type = 1, .primitive_count = 1, .stride = 24, .data = 3, .indices = WS_NONE, .transform = WS_NONE}};
    const struct ws_build_geometry top = {.type = 2,
                                          .primitive_count = 1,
                                          .data = 4,
                                          .indices = WS_NONE,
                                          .transform = WS_NONE,
                                          .references = references,
                                          .reference_count = 1};
    const struct ws_chunk_build builds[] = {{.structure = 0,
                                             .build_flags = 2,
                                             .source = WS_NONE,
                                             .geometries = bottom,
                                             .geometry_count = 2,
                                             .micromaps = &micromap,
                                             .micromap_count = 1,
                                             .sources = sources,
                                             .source_count = 2,
                                             .contents = &content,
                                             .content_count = 1},
                                            {.structure = 1,
                                             .flags = WS_BUILD_LATER,
                                             .source = WS_NONE,
                                             .geometries = &top,
                                             .geometry_count = 1}};
    return ws_capture_write_build(writer, &builds[0], error) &&
           ws_capture_write_build(writer, &builds[1], error);
}

/* Device 0, shader 0 and pipeline 0 must be there. */
static inline bool write_geometry_sample(struct ws_capture_writer *writer, struct ws_error *error)
{
    const struct ws_chunk_structure structures[] = {
        {.id = 0, .type = 1, .size = 1024, .address = 0x1000, .name = "triangle"},
        {.id = 1, .type = 0, .size = 2048, .address = 0x2000},
        {.id = 2, .type = 1, .size = 512, .address = 0x3000, .name = "compact"}};
    const uint8_t handle[32] = {7};
    const struct ws_shader_group group = {.general = 0,
                                          .closest_hit = WS_NONE,
                                          .any_hit = WS_NONE,
                                          .intersection = WS_NONE,
                                          .handle = handle,
                                          .handle_size = sizeof(handle)};
    const struct ws_chunk_groups groups = {.handle_size = sizeof(handle), .groups = &group, .group_count = 1};
    const struct ws_chunk_tables tables = {
        .tables = {{0x4000, 32, 32, 5}, {0, 0, 0, WS_NONE}, {0, 0, 0, WS_NONE}, {0, 0, 0, WS_NONE}}};
    const struct ws_chunk_copy copy = {.source = 0, .destination = 2, .moment = 0, .mode = 1};
    const struct ws_chunk_name name = {WS_NAME_STRUCTURE, 1, "scene"};
    const struct ws_chunk_skip skip = {WS_SKIP_GEOMETRY, 2, WS_NONE, WS_NONE, 3, "no memory for a copy"};
    return write_sample_blobs(writer, error) && ws_capture_write_structure(writer, &structures[0], error) &&
           ws_capture_write_structure(writer, &structures[1], error) &&
           ws_capture_write_structure(writer, &structures[2], error) && write_sample_builds(writer, error) &&
           ws_capture_write_copy(writer, &copy, error) &&
           ws_capture_write_gone(writer, &(struct ws_chunk_gone){0, 1}, error) &&
           ws_capture_write_groups(writer, &groups, error) &&
           ws_capture_write_tables(writer, &tables, error) && ws_capture_write_name(writer, &name, error) &&
           ws_capture_write_skip(writer, &skip, error);
}

#endif
