/* Shader binding tables, put together from chunks made by hand. */
#include "analysis/scene/scene_sbt.h"
#include "tests/unit/analysis/capture/capture_test.h"

enum { HANDLE = 8, PIPELINE = 20, OTHER_PIPELINE = 21, BLOB = 5, LAUNCH = 3 };

static const uint8_t first_handle[HANDLE] = {1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t second_handle[HANDLE] = {8, 7, 6, 5, 4, 3, 2, 1};

static void record(struct ws_scene_sbt *tables, const struct ws_chunk *chunk)
{
    struct ws_error error = {{0}};
    assert_true(ws_scene_sbt_record(tables, chunk, &error));
}

static void give_groups(struct ws_scene_sbt *tables, uint32_t pipeline, const uint8_t *handle)
{
    const struct ws_shader_group groups[] = {
        {.general = 40,
         .closest_hit = WS_NONE,
         .any_hit = WS_NONE,
         .intersection = WS_NONE,
         .handle = handle,
         .handle_size = HANDLE},
        {.type = 1,
         .general = WS_NONE,
         .closest_hit = 41,
         .any_hit = 42,
         .intersection = WS_NONE,
         .handle = second_handle,
         .handle_size = HANDLE},
    };
    struct ws_chunk chunk = {.type = WS_CHUNK_GROUPS};
    chunk.groups = (struct ws_chunk_groups){pipeline, HANDLE, groups, 2};
    record(tables, &chunk);
}

static void give_launch(struct ws_scene_sbt *tables, const uint32_t *pipelines, uint32_t count)
{
    const struct ws_launch launch = {
        .index = LAUNCH, .kind = WS_LAUNCH_TRACE_RAYS, .pipelines = pipelines, .pipeline_count = count};
    struct ws_chunk chunk = {.type = WS_CHUNK_SUBMISSION};
    chunk.submission = (struct ws_chunk_submission){.launches = &launch, .launch_count = 1};
    record(tables, &chunk);
}

static void give_blob(struct ws_scene_sbt *tables, uint32_t id, const uint8_t *bytes, uint64_t size,
                      uint64_t offset, uint32_t count)
{
    struct ws_chunk chunk = {.type = WS_CHUNK_BLOB};
    chunk.blob = (struct ws_chunk_blob){
        .id = id, .size = size, .offset = offset, .bytes = bytes + offset, .count = count};
    record(tables, &chunk);
}

/* The hit table has this stride and size; the others are not captured. */
static void give_tables(struct ws_scene_sbt *tables, uint64_t stride, uint64_t size)
{
    struct ws_chunk chunk = {.type = WS_CHUNK_TABLES};
    chunk.tables.launch = LAUNCH;
    for (int i = 0; i < 4; ++i)
        chunk.tables.tables[i] = (struct ws_binding_table){.blob = WS_NONE};
    chunk.tables.tables[WS_SBT_HIT] =
        (struct ws_binding_table){.address = 4096, .stride = stride, .size = size, .blob = BLOB};
    record(tables, &chunk);
}

/* Three records of 16 bytes: the second group with data, null, and a handle of no group; then 8 bytes that
 * are no whole record. */
static void fill(uint8_t bytes[56])
{
    memset(bytes, 0, 56);
    memcpy(bytes, second_handle, HANDLE);
    bytes[12] = 9;
    bytes[32] = 77;
}

static void records(void **state)
{
    (void)state;
    uint8_t bytes[56];
    struct ws_sbt_record first;
    struct ws_sbt_record other;
    const uint32_t pipelines[] = {19, PIPELINE};
    fill(bytes);
    struct ws_scene_sbt *tables = ws_scene_sbt_create();
    assert_non_null(tables);
    assert_int_equal(ws_scene_sbt_count(tables, LAUNCH, WS_SBT_HIT), 0);
    /* A blob in pieces, of which one comes after the table. */
    give_blob(tables, BLOB, bytes, sizeof(bytes), 0, 20);
    give_tables(tables, 16, sizeof(bytes));
    give_launch(tables, pipelines, 2);
    assert_int_equal(ws_scene_sbt_pipeline(tables, LAUNCH), WS_NONE);
    give_groups(tables, PIPELINE, first_handle);
    give_blob(tables, BLOB, bytes, sizeof(bytes), 20, 36);
    assert_int_equal(ws_scene_sbt_pipeline(tables, LAUNCH), PIPELINE);
    assert_int_equal(ws_scene_sbt_pipeline(tables, LAUNCH + 1), WS_NONE);
    assert_int_equal(ws_scene_sbt_group_count(tables, PIPELINE), 2);
    assert_int_equal(ws_scene_sbt_group(tables, PIPELINE, 1)->any_hit, 42);
    assert_null(ws_scene_sbt_group(tables, PIPELINE, 2));
    assert_int_equal(ws_scene_sbt_group_count(tables, PIPELINE + 9), 0);
    assert_int_equal(ws_scene_sbt_count(tables, LAUNCH, WS_SBT_HIT), 3);
    assert_int_equal(ws_scene_sbt_count(tables, LAUNCH, WS_SBT_MISS), 0);
    assert_true(ws_scene_sbt_get(tables, LAUNCH, WS_SBT_HIT, 0, &first));
    assert_true(first.known && !first.null);
    assert_int_equal(first.pipeline, PIPELINE);
    assert_int_equal(first.group, 1);
    assert_int_equal(first.info.closest_hit, 41);
    assert_memory_equal(first.info.handle, second_handle, HANDLE);
    assert_true(ws_scene_sbt_get(tables, LAUNCH, WS_SBT_HIT, 1, &other));
    assert_true(other.null && !other.known);
    assert_true(first.data_hash != other.data_hash);
    assert_true(ws_scene_sbt_get(tables, LAUNCH, WS_SBT_HIT, 2, &other));
    assert_true(!other.null && !other.known);
    assert_int_equal(other.group, WS_NONE);
    assert_false(ws_scene_sbt_get(tables, LAUNCH, WS_SBT_HIT, 3, &other));
    assert_false(ws_scene_sbt_get(tables, LAUNCH, WS_SBT_MISS, 0, &other));
    ws_scene_sbt_destroy(tables);
    ws_scene_sbt_destroy(NULL);
}

static struct ws_scene_sbt *usual(uint64_t stride, uint64_t size, uint32_t known)
{
    uint8_t bytes[56];
    const uint32_t pipeline = PIPELINE;
    struct ws_scene_sbt *tables = ws_scene_sbt_create();
    assert_non_null(tables);
    fill(bytes);
    give_groups(tables, PIPELINE, first_handle);
    give_groups(tables, OTHER_PIPELINE, first_handle);
    give_blob(tables, BLOB, bytes, sizeof(bytes), 0, known);
    give_launch(tables, &pipeline, 1);
    give_tables(tables, stride, size);
    return tables;
}

static uint32_t count(uint64_t stride, uint64_t size, uint32_t known)
{
    struct ws_scene_sbt *tables = usual(stride, size, known);
    uint32_t found = ws_scene_sbt_count(tables, LAUNCH, WS_SBT_HIT);
    ws_scene_sbt_destroy(tables);
    return found;
}

/* Sizes and strides of any kind. */
static void hostile(void **state)
{
    (void)state;
    assert_int_equal(count(16, 32, 56), 2);
    assert_int_equal(count(16, UINT64_MAX, 56), 3);
    assert_int_equal(count(16, 48, 40), 2); /* clipped */
    assert_int_equal(count(1, 48, 56), 0);  /* records that overlap */
    assert_int_equal(count(UINT64_MAX, 48, 56), 0);
    assert_int_equal(count(16, 4, 56), 0);
    assert_int_equal(count(16, 48, 0), 0);
    struct ws_scene_sbt *tables = usual(0, 16, 56);
    struct ws_sbt_record found;
    assert_int_equal(ws_scene_sbt_count(tables, LAUNCH, WS_SBT_HIT), 1);
    assert_true(ws_scene_sbt_get(tables, LAUNCH, WS_SBT_HIT, 1000, &found));
    assert_int_equal(found.group, 1);
    ws_scene_sbt_destroy(tables);
    /* Pieces that do not belong together: what came first stays. */
    tables = usual(16, 48, 32);
    const uint8_t bytes[64] = {0};
    give_blob(tables, BLOB, bytes, 64, 40, 8);
    give_blob(tables, BLOB, bytes, 64, 32, 32);
    give_blob(tables, BLOB + 1, bytes, UINT64_MAX, 0, 64);
    give_blob(tables, BLOB + 2, bytes, 64, 8, 8);
    assert_int_equal(ws_scene_sbt_count(tables, LAUNCH, WS_SBT_HIT), 2);
    ws_scene_sbt_destroy(tables);
    /* Handles that are shorter than the chunk says. */
    const struct ws_shader_group group = {.handle = first_handle, .handle_size = 4};
    struct ws_chunk chunk = {.type = WS_CHUNK_GROUPS};
    chunk.groups = (struct ws_chunk_groups){PIPELINE, UINT32_MAX, &group, 1};
    tables = ws_scene_sbt_create();
    assert_non_null(tables);
    record(tables, &chunk);
    assert_int_equal(ws_scene_sbt_group(tables, PIPELINE, 0)->handle_size, 0);
    ws_scene_sbt_destroy(tables);
}

/* A handle belongs to the pipelines of its launch alone. */
static void pipelines(void **state)
{
    (void)state;
    struct ws_sbt_record found;
    struct ws_scene_sbt *tables = usual(16, 48, 56);
    assert_true(ws_scene_sbt_get(tables, LAUNCH, WS_SBT_HIT, 0, &found));
    assert_int_equal(found.pipeline, PIPELINE);
    const uint32_t other = OTHER_PIPELINE;
    give_launch(tables, &other, 1);
    assert_true(ws_scene_sbt_get(tables, LAUNCH, WS_SBT_HIT, 0, &found));
    assert_int_equal(found.pipeline, OTHER_PIPELINE);
    give_launch(tables, NULL, 0);
    assert_int_equal(ws_scene_sbt_count(tables, LAUNCH, WS_SBT_HIT), 0);
    ws_scene_sbt_destroy(tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records),
        cmocka_unit_test(hostile),
        cmocka_unit_test(pipelines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
