#include "tests/unit/analysis/scene/scene_hand.h"

void scene_begin(struct scene_file *file)
{
    struct ws_error error = {{0}};
    memset(file, 0, sizeof(*file));
    temporary_path(file->path);
    file->writer = ws_capture_writer_create(file->path, &error);
    assert_non_null(file->writer);
    const struct ws_chunk_device device = {.name = "GPU", .subgroup_size = 8, .bins = 8};
    assert_true(ws_capture_write_device(file->writer, &device, &error));
}

void scene_close(struct scene_file *file)
{
    ws_capture_writer_destroy(file->writer);
    file->writer = NULL;
}

struct ws_scene *scene_end(struct scene_file *file)
{
    struct ws_error error = {{0}};
    scene_close(file);
    struct ws_scene *scene = ws_scene_create(file->path, &error);
    assert_string_equal(error.message, "");
    assert_non_null(scene);
    unlink(file->path);
    return scene;
}

uint32_t hand_blob(struct scene_file *file, const void *bytes, size_t size)
{
    const struct ws_chunk_blob blob = {.id = file->blobs,
                                       .hash = {file->blobs + 1, 0},
                                       .size = size,
                                       .bytes = bytes,
                                       .count = (uint32_t)size};
    assert_true(ws_capture_write_blob(file->writer, &blob, NULL));
    return file->blobs++;
}

uint32_t hand_structure(struct scene_file *file, uint32_t type, const char *name)
{
    const struct ws_chunk_structure structure = {.id = file->structures,
                                                 .type = type,
                                                 .size = 256,
                                                 .address = UINT64_C(0x1000) * (file->structures + 1),
                                                 .name = name};
    assert_true(ws_capture_write_structure(file->writer, &structure, NULL));
    return file->structures++;
}

struct ws_build_geometry hand_triangles(struct scene_file *file, const float *vertices, uint32_t count)
{
    return (struct ws_build_geometry){.type = WS_GEOMETRY_TRIANGLES,
                                      .primitive_count = count / 3,
                                      .vertex_format = FORMAT_FLOAT3,
                                      .index_type = (uint32_t)INDEX_NONE,
                                      .max_vertex = count - 1,
                                      .stride = 12,
                                      .data = hand_blob(file, vertices, (size_t)count * 12),
                                      .indices = WS_NONE,
                                      .transform = WS_NONE};
}

struct ws_build_geometry hand_aabbs(struct scene_file *file, const float *boxes, uint32_t count)
{
    return (struct ws_build_geometry){.type = WS_GEOMETRY_AABBS,
                                      .primitive_count = count,
                                      .stride = 24,
                                      .data = hand_blob(file, boxes, (size_t)count * 24),
                                      .indices = WS_NONE,
                                      .transform = WS_NONE};
}

struct ws_build_geometry hand_instances(struct scene_file *file, const struct hand_instance *instances,
                                        uint32_t count, uint32_t *references)
{
    uint8_t *bytes = calloc((size_t)count + 1, 64);
    assert_non_null(bytes);
    for (uint32_t i = 0; i < count; ++i) {
        const struct hand_instance *instance = &instances[i];
        const uint32_t words[2] = {instance->custom_index | instance->mask << 24,
                                   instance->sbt_offset | instance->flags << 24};
        memcpy(bytes + 64 * (size_t)i, instance->transform, 48);
        memcpy(bytes + 64 * (size_t)i + 48, words, 8);
        memcpy(bytes + 64 * (size_t)i + 56, &instance->address, 8);
        references[i] = instance->structure;
    }
    const uint32_t blob = hand_blob(file, bytes, (size_t)count * 64);
    free(bytes);
    return (struct ws_build_geometry){.type = WS_GEOMETRY_INSTANCES,
                                      .primitive_count = count,
                                      .data = blob,
                                      .indices = WS_NONE,
                                      .transform = WS_NONE,
                                      .references = references,
                                      .reference_count = count};
}

void hand_build(struct scene_file *file, uint32_t structure, uint64_t moment,
                const struct ws_build_geometry *geometries, uint32_t count)
{
    const struct ws_chunk_build build = {.structure = structure,
                                         .moment = moment,
                                         .source = WS_NONE,
                                         .geometries = geometries,
                                         .geometry_count = count};
    assert_true(ws_capture_write_build(file->writer, &build, NULL));
}

void hand_build_mapped(struct scene_file *file, uint32_t structure,
                       const struct ws_build_geometry *geometries, uint32_t count, const int32_t *indices,
                       const uint8_t *opacities)
{
    const uint16_t triangles[101][4] = {[100] = {0, 0, 1, 2}};
    const struct ws_micromap_content content = {
        .data = opacities != NULL ? hand_blob(file, opacities, 1) : WS_NONE,
        .triangles = opacities != NULL ? hand_blob(file, triangles, sizeof(triangles)) : WS_NONE,
        .triangle_count = 101,
        .stride = sizeof(triangles[0])};
    const struct ws_build_micromap micromap = {
        .index_type = INDEX_32,
        .stride = sizeof(*indices),
        .indices = hand_blob(file, indices, geometries[0].primitive_count * sizeof(*indices)),
        .base = 100};
    const struct ws_chunk_build build = {.structure = structure,
                                         .source = WS_NONE,
                                         .geometries = geometries,
                                         .geometry_count = count,
                                         .micromaps = &micromap,
                                         .micromap_count = 1,
                                         .contents = &content,
                                         .content_count = opacities != NULL};
    assert_true(ws_capture_write_build(file->writer, &build, NULL));
}

void hand_copy(struct scene_file *file, uint32_t source, uint32_t destination, uint64_t moment, uint32_t mode,
               uint64_t hash)
{
    const struct ws_chunk_copy copy = {
        .source = source, .destination = destination, .moment = moment, .mode = mode, .hash = {hash, 0}};
    assert_true(ws_capture_write_copy(file->writer, &copy, NULL));
}

void hand_gone(struct scene_file *file, uint32_t structure, uint64_t moment)
{
    assert_true(ws_capture_write_gone(file->writer, &(struct ws_chunk_gone){structure, moment}, NULL));
}

void expect_problem(const struct ws_scene *scene, const char *text, uint64_t count)
{
    for (uint32_t i = 0; i < scene->problem_count; ++i)
        if (strstr(scene->problems[i].text, text) != NULL) {
            if (scene->problems[i].count != count)
                fail_msg("'%s' is counted %llu times", scene->problems[i].text,
                         (unsigned long long)scene->problems[i].count);
            return;
        }
    fail_msg("nothing says '%s'%s%s", text, scene->problem_count > 0 ? ", but: " : "",
             scene->problem_count > 0 ? scene->problems[0].text : "");
}

void expect_no_problems(const struct ws_scene *scene)
{
    if (scene->problem_count > 0)
        fail_msg("there is a problem: %s", scene->problems[0].text);
}

void expect_floats(const float *found, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (found[i] != expected[i])
            fail_msg("number %zu is %.9g, not %.9g", i, (double)found[i], (double)expected[i]);
}
