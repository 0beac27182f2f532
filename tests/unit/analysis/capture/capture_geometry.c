/* The chunks of geometry: they come back as they were written, and what lies or comes out of order is
 * refused. */
#include "tests/unit/analysis/capture/capture_changed.h"

/* Where the sample has them. */
enum {
    PIECE_1 = 11,
    PIECE_2,
    BLOB_1,
    STRUCTURE_0 = 18,
    BUILD_0 = 21,
    BUILD_1,
    COPY,
    GONE,
    GROUPS,
    TABLES,
    NAMING,
    SKIPPED
};

static void check_blob(const struct ws_chunk *chunk)
{
    const struct ws_chunk_blob *blob = &chunk->blob;
    const bool second = chunk->number == PIECE_2;
    const float vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    assert_int_equal(blob->id, 0);
    assert_true(blob->hash[0] == 1 && blob->hash[1] == UINT64_MAX);
    assert_true(blob->size == 36 && blob->offset == (second ? 20 : 0));
    assert_int_equal(blob->count, second ? 16 : 20);
    assert_memory_equal(blob->bytes, (const uint8_t *)vertices + blob->offset, blob->count);
}

static void check_structure(const struct ws_chunk *chunk)
{
    const struct ws_chunk_structure *structure = &chunk->structure;
    assert_int_equal(structure->id, 0);
    assert_int_equal(structure->device, 0);
    assert_int_equal(structure->type, 1);
    assert_true(structure->size == 1024 && structure->address == 0x1000);
    assert_string_equal(structure->name, "triangle");
}

static void check_bottom(const struct ws_chunk *chunk)
{
    const struct ws_chunk_build *build = &chunk->build;
    assert_int_equal(build->structure, 0);
    assert_true(build->moment == 0);
    assert_int_equal(build->flags, 0);
    assert_int_equal(build->build_flags, 2);
    assert_int_equal(build->source, WS_NONE);
    assert_int_equal(build->geometry_count, 2);
    const struct ws_build_geometry *triangles = &build->geometries[0];
    assert_int_equal(triangles->type, 0);
    assert_int_equal(triangles->flags, 1);
    assert_int_equal(triangles->capture_flags, WS_GEOMETRY_MICROMAP);
    assert_int_equal(build->micromap_count, 1);
    const struct ws_build_micromap *micromap = &build->micromaps[0];
    assert_int_equal(micromap->geometry, 0);
    assert_int_equal(micromap->index_type, 0);
    assert_true(micromap->stride == 2);
    assert_int_equal(micromap->indices, 1);
    assert_int_equal(micromap->base, 6);
    assert_int_equal(micromap->usage_count, 1);
    assert_true(micromap->usages[0].count == 1 && micromap->usages[0].level == 4 &&
                micromap->usages[0].format == 2);
    assert_int_equal(build->content_count, 1);
    const struct ws_micromap_content *content = &build->contents[0];
    assert_true(content->geometry == 0 && content->data == 1 && content->triangles == 2 &&
                content->triangle_count == 3 && content->stride == 8);
    assert_int_equal(triangles->primitive_count, 1);
    assert_int_equal(triangles->vertex_format, 106);
    assert_int_equal(triangles->index_type, 0);
    assert_int_equal(triangles->max_vertex, 2);
    assert_true(triangles->stride == 12);
    assert_int_equal(triangles->data, 0);
    assert_int_equal(triangles->indices, 1);
    assert_int_equal(triangles->transform, 2);
    assert_int_equal(triangles->reference_count, 0);
    assert_int_equal(build->source_count, 2);
    assert_true(build->sources[0].geometry == 0 && build->sources[0].buffer == 5);
    assert_true(build->sources[0].address == 0x10000 && build->sources[0].size == 36);
    assert_true(build->sources[0].index_buffer == 6 && build->sources[0].index_address == 0x20000);
    assert_true(build->sources[0].index_size == 6);
    assert_int_equal(build->sources[1].geometry, 1);
    assert_true(build->sources[1].address == 0x10040 && build->sources[1].size == 24);
    assert_int_equal(build->sources[1].index_buffer, WS_NONE);
    assert_int_equal(build->geometries[1].type, 1);
    assert_true(build->geometries[1].stride == 24);
    assert_int_equal(build->geometries[1].data, 3);
    assert_int_equal(build->geometries[1].indices, WS_NONE);
}

static void check_top(const struct ws_chunk *chunk)
{
    const struct ws_chunk_build *build = &chunk->build;
    assert_int_equal(build->structure, 1);
    assert_int_equal(build->flags, WS_BUILD_LATER);
    assert_int_equal(build->geometry_count, 1);
    assert_int_equal(build->micromap_count, 0);
    assert_int_equal(build->geometries[0].type, 2);
    assert_int_equal(build->geometries[0].data, 4);
    assert_int_equal(build->geometries[0].reference_count, 1);
    assert_int_equal(build->geometries[0].references[0], 0);
}

static void check_copy(const struct ws_chunk *chunk)
{
    assert_int_equal(chunk->copy.source, 0);
    assert_int_equal(chunk->copy.destination, 2);
    assert_true(chunk->copy.moment == 0);
    assert_int_equal(chunk->copy.mode, 1);
    assert_true(chunk->copy.hash[0] == 0 && chunk->copy.hash[1] == 0);
}

static void check_gone(const struct ws_chunk *chunk)
{
    assert_int_equal(chunk->gone.structure, 0);
    assert_true(chunk->gone.moment == 1);
}

static void check_groups(const struct ws_chunk *chunk)
{
    const struct ws_chunk_groups *groups = &chunk->groups;
    assert_int_equal(groups->pipeline, 0);
    assert_int_equal(groups->handle_size, 32);
    assert_int_equal(groups->group_count, 1);
    assert_int_equal(groups->groups[0].type, 0);
    assert_int_equal(groups->groups[0].general, 0);
    assert_int_equal(groups->groups[0].closest_hit, WS_NONE);
    assert_int_equal(groups->groups[0].any_hit, WS_NONE);
    assert_int_equal(groups->groups[0].intersection, WS_NONE);
    assert_int_equal(groups->groups[0].handle_size, 32);
    assert_int_equal(groups->groups[0].handle[0], 7);
    assert_int_equal(groups->groups[0].handle[31], 0);
}

static void check_tables(const struct ws_chunk *chunk)
{
    const struct ws_chunk_tables *tables = &chunk->tables;
    assert_true(tables->launch == 0);
    assert_true(tables->tables[0].address == 0x4000 && tables->tables[0].stride == 32);
    assert_true(tables->tables[0].size == 32);
    assert_int_equal(tables->tables[0].blob, 5);
    assert_int_equal(tables->tables[3].blob, WS_NONE);
}

static void check_naming(const struct ws_chunk *chunk)
{
    assert_int_equal(chunk->name.kind, WS_NAME_STRUCTURE);
    assert_int_equal(chunk->name.id, 1);
    assert_string_equal(chunk->name.name, "scene");
}

static void check_skipped(const struct ws_chunk *chunk)
{
    assert_int_equal(chunk->skip.kind, WS_SKIP_GEOMETRY);
    assert_int_equal(chunk->skip.id, 2);
    assert_true(chunk->skip.count == 3);
}

static void geometry_comes_back(void **state)
{
    const struct sample *sample = *state;
    static const struct {
        uint32_t type;
        void (*check)(const struct ws_chunk *chunk);
    } expected[] = {
        [PIECE_1] = {WS_CHUNK_BLOB, check_blob},
        [PIECE_2] = {WS_CHUNK_BLOB, check_blob},
        [BUILD_0] = {WS_CHUNK_BUILD, check_bottom},
        [BUILD_1] = {WS_CHUNK_BUILD, check_top},
        [COPY] = {WS_CHUNK_COPY, check_copy},
        [GONE] = {WS_CHUNK_GONE, check_gone},
        [GROUPS] = {WS_CHUNK_GROUPS, check_groups},
        [TABLES] = {WS_CHUNK_TABLES, check_tables},
        [NAMING] = {WS_CHUNK_NAME, check_naming},
        [SKIPPED] = {WS_CHUNK_SKIP, check_skipped},
        [STRUCTURE_0] = {WS_CHUNK_STRUCTURE, check_structure},
    };
    struct bytes bytes = {sample->data, sample->size, 0};
    struct ws_error error = {{0}};
    struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "file", &error);
    assert_non_null(reader);
    struct ws_chunk chunk;
    for (uint32_t i = 0; i <= SKIPPED; ++i) {
        assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
        if (expected[i].check == NULL)
            continue;
        assert_int_equal(chunk.type, expected[i].type);
        expected[i].check(&chunk);
    }
    ws_reader_destroy(reader);
}

static void references_must_be_defined(void **state)
{
    const struct sample *sample = *state;
    contradict(sample, STRUCTURE_0, 0, WS_NONE, "id that means none");
    contradict(sample, STRUCTURE_0 + 1, 0, 0, "defines acceleration structure 0 a second time");
}

/* Reads the sample with a word of a chunk's payload changed to what is not defined: how many chunks are not
 * given, and that so many refer to what is missing. */
static void miss(const struct sample *sample, int number, size_t word, uint32_t value, int skipped, int lost)
{
    int count = 0;
    struct ws_reader_summary summary;
    struct ws_error error;
    uint8_t *data = change_word(sample, number, word, value);
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_END);
    assert_int_equal(count, CHUNKS - skipped);
    assert_true(summary.damaged == 0 && summary.orphaned == (uint64_t)lost);
    free(data);
}

static void what_is_missing_is_counted(void **state)
{
    const struct sample *sample = *state;
    miss(sample, STRUCTURE_0, 1, 7, 4, 5); /* its build, the copy, its end; the top level is given */
    miss(sample, BUILD_0, 0, 7, 1, 1);
    miss(sample, BUILD_0, 5, 7, 0, 1); /* the source of an update */
    for (size_t word = 16; word < 19; ++word)
        miss(sample, BUILD_0, word, 7, 0, 1); /* blobs */
    miss(sample, BUILD_0, 38, 7, 0, 1);       /* the indices of micromaps */
    miss(sample, BUILD_0, 69, 7, 0, 1);       /* and what those hold */
    miss(sample, BUILD_0, 70, 7, 0, 1);
    miss(sample, BUILD_1, 20, 7, 0, 1);
    miss(sample, COPY, 0, 7, 1, 1);
    miss(sample, COPY, 1, 7, 1, 1);
    miss(sample, GONE, 0, 7, 1, 1);
    miss(sample, GONE, 0, WS_NONE, 1, 1);
    miss(sample, GROUPS, 0, 7, 1, 1);
    for (size_t word = 4; word < 8; ++word)
        miss(sample, GROUPS, word, 7, 1, 1);
    for (size_t i = 0; i < 4; ++i)
        miss(sample, TABLES, 8 + 7 * i, 7, 0, 1);
    miss(sample, NAMING, 1, 7, 1, 1);
    miss(sample, SKIPPED, 1, 7, 1, 1);
    miss(sample, PIECE_1, 7, 4, 2, 3); /* both pieces of a blob whose beginning is missing */
}

/* Also where something is missing before them, which alone is only counted: the source of the build, or a blob. */
static void micromaps_must_fit_where_blobs_are_missing(void **state)
{
    static const size_t missing[] = {5, 16, 18};
    const struct sample *sample = *state;
    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); ++i) {
        struct sample changed = *sample;
        changed.data = change_word(sample, BUILD_0, missing[i], 7);
        contradict(&changed, BUILD_0, 34, 2, "micromaps of a geometry that it has not");
        free(changed.data);
    }
}

static void numbers_must_fit(void **state)
{
    const struct sample *sample = *state;
    contradict(sample, BUILD_0, 6, 1000, "a count is larger");
    contradict(sample, BUILD_0, 6, UINT32_MAX, "a count is larger");
    contradict(sample, BUILD_1, 19, 5, "a count is larger");
    contradict(sample, BUILD_0, 33, 1000, "a count is larger");
    contradict(sample, BUILD_0, 34, 2, "micromaps of a geometry that it has not");
    contradict(sample, BUILD_0, 40, 1000, "a count is larger");
    contradict(sample, BUILD_0, 44, 1000, "a count is larger");
    contradict(sample, BUILD_0, 45, 2, "sources of a geometry that it has not");
    contradict(sample, BUILD_0, 56, 0, "sources are not in the order");
    contradict(sample, BUILD_0, 67, 1000, "a count is larger");
    contradict(sample, BUILD_0, 68, 2, "what micromaps hold of a geometry that it has not");
    contradict(sample, GROUPS, 2, 1000, "a count is larger");
    contradict(sample, GROUPS, 8, 33, "a count is larger");
    contradict(sample, GROUPS, 8, 16, "another size");
    contradict(sample, GROUPS, 1, 16, "another size");
    contradict(sample, PIECE_1, 9, 21, "a count is larger");
    contradict(sample, PIECE_1, 9, 0, "a piece of a blob is empty");
    contradict(sample, PIECE_1, 5, 19, "ends beyond the blob");
    contradict(sample, PIECE_1, 8, UINT32_MAX, "ends beyond the blob");
    uint32_t nothing[9] = {WS_NONE, WS_NONE};
    refuse(WS_CHUNK_COPY, nothing, sizeof(nothing), "nothing to nothing");
}

static void pieces_must_be_in_order(void **state)
{
    const struct sample *sample = *state;
    contradict(sample, PIECE_2, 7, 16, "comes a second time");
    contradict(sample, PIECE_2, 7, 0, "defines blob 0 a second time");
    contradict(sample, PIECE_2, 7, 21, "ends beyond the blob");
    contradict(sample, PIECE_2, 1, 3, "of different ones");
    contradict(sample, PIECE_2, 4, 3, "of different ones");
    contradict(sample, PIECE_2, 5, 40, "of different ones");
    contradict(sample, BLOB_1, 0, 0, "defines blob 0 a second time");
}

/* A payload of each kind, with zeros where nothing else is said: cut anywhere it ends too early. */
static void cut_payloads_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        size_t size; /* without what follows the last count */
    } payloads[] = {
        {WS_CHUNK_BLOB, 40}, {WS_CHUNK_STRUCTURE, 32}, {WS_CHUNK_BUILD, 28},   {WS_CHUNK_COPY, 36},
        {WS_CHUNK_GONE, 12}, {WS_CHUNK_GROUPS, 12},    {WS_CHUNK_TABLES, 120},
    };
    const uint8_t zeros[128] = {0};
    for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); ++i)
        for (size_t size = 0; size < payloads[i].size; ++size)
            refuse(payloads[i].type, zeros, size, "ends too early");
}

/* How reading the sample goes with one byte of a chunk's payload damaged: how many others are not given, and
 * how many refer to it. */
static void damage(const struct sample *sample, int number, int skipped, int orphans)
{
    size_t starts[CHUNKS + 1];
    chunk_starts(sample, starts);
    int count = 0;
    struct ws_reader_summary summary;
    struct ws_error error;
    uint8_t *data = malloc(sample->size);
    assert_non_null(data);
    memcpy(data, sample->data, sample->size);
    data[starts[number] + WS_CHUNK_HEADER_SIZE] ^= 1;
    assert_int_equal(read_all(data, sample->size, &count, &summary, &error), WS_READ_END);
    assert_int_equal(count, CHUNKS - 1 - skipped);
    assert_true(summary.damaged == 1 && summary.orphaned == (uint64_t)orphans);
    free(data);
}

static void damaged_geometry_is_skipped(void **state)
{
    const struct sample *sample = *state;
    damage(sample, PIECE_1, 1, 2);     /* the other piece; the build that uses it is given */
    damage(sample, PIECE_2, 0, 0);     /* the blob is there, but incomplete */
    damage(sample, BLOB_1, 0, 1);      /* its build is given */
    damage(sample, STRUCTURE_0, 3, 4); /* its build, the copy, its end; the instance is given */
    damage(sample, BUILD_0, 0, 0);
}

/* Two pieces and a bit, an empty blob, one of a piece's size. */
static void blobs_are_cut_into_pieces(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {2 * WS_BLOB_PIECE + 7, 0, WS_BLOB_PIECE};
    char path[64];
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    temporary_path(path);
    struct ws_capture_writer *writer = ws_capture_writer_create(path, &error);
    uint8_t *bytes = malloc(sizes[0]);
    assert_non_null(writer);
    assert_non_null(bytes);
    for (uint32_t i = 0; i < sizes[0]; ++i)
        bytes[i] = (uint8_t)(i * UINT32_C(2654435761) >> 24);
    for (uint32_t i = 0; i < 3; ++i)
        assert_true(write_blob(writer, i, sizes[i] > 0 ? bytes : NULL, sizes[i], &error));
    ws_capture_writer_destroy(writer);
    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_non_null(reader);
    static const uint32_t ids[] = {0, 0, 0, 1, 2};
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
        assert_int_equal(chunk.type, WS_CHUNK_BLOB);
        assert_int_equal(chunk.blob.id, ids[i]);
        assert_true(chunk.blob.size == sizes[ids[i]]);
        assert_true(chunk.blob.offset == (i < 3 ? (uint64_t)i * WS_BLOB_PIECE : 0));
        assert_memory_equal(chunk.blob.bytes, bytes + chunk.blob.offset, chunk.blob.count);
    }
    assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_END);
    ws_reader_destroy(reader);
    free(bytes);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometry_comes_back),
        cmocka_unit_test(references_must_be_defined),
        cmocka_unit_test(what_is_missing_is_counted),
        cmocka_unit_test(numbers_must_fit),
        cmocka_unit_test(pieces_must_be_in_order),
        cmocka_unit_test(cut_payloads_are_refused),
        cmocka_unit_test(damaged_geometry_is_skipped),
        cmocka_unit_test(blobs_are_cut_into_pieces),
        cmocka_unit_test(micromaps_must_fit_where_blobs_are_missing),
    };
    return cmocka_run_group_tests(tests, load_sample, free_sample);
}
