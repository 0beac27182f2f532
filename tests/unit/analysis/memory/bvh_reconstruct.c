/* Which modules tell what a buffer is. Module 0 loads elements of 16 bytes of the buffer "nodes"; module 1 stores there, and
 * has elements of 32 bytes. Launch 0 runs module 0 alone, and launch 1 both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analysis/memory/links/bvh_reconstruct.h"
#include "warpscope/passes.h"
#include "warpscope/report/columns.h"

static struct ws_catalog catalog;
static const char *const nodes = "nodes";

static void record(const struct ws_chunk *chunk)
{
    struct ws_error error = {{0}};
    assert_true(ws_catalog_record(&catalog, chunk, &error));
}

static int set_up(void **state)
{
    (void)state;
    static const uint32_t words[] = {0x07230203, 0x00010000, 0, 8, 0};
    static const uint32_t ids[] = {0, 1};
    static const struct ws_launch launches[] = {
        {.index = 0, .label = "", .command_buffer = "", .pipelines = ids, .pipeline_count = 1},
        {.index = 1, .label = "", .command_buffer = "", .pipelines = ids, .pipeline_count = 2}};
    struct ws_chunk chunk = {.type = WS_CHUNK_DEVICE};
    ws_catalog_init(&catalog);
    chunk.device = (struct ws_chunk_device){.name = "", .driver_name = "", .driver_info = ""};
    record(&chunk);
    for (uint32_t i = 0; i < 2; ++i) {
        chunk = (struct ws_chunk){.type = WS_CHUNK_MODULE};
        chunk.module = (struct ws_chunk_module){.id = i, .name = "", .words = words, .word_count = 5};
        record(&chunk);
        chunk = (struct ws_chunk){.type = WS_CHUNK_SHADER};
        chunk.shader = (struct ws_chunk_shader){.id = i, .module = i, .entry = WS_NONE, .name = "main"};
        record(&chunk);
        chunk = (struct ws_chunk){.type = WS_CHUNK_PIPELINE};
        chunk.pipeline = (struct ws_chunk_pipeline){.id = i, .shaders = &ids[i], .shader_count = 1};
        record(&chunk);
    }
    chunk = (struct ws_chunk){.type = WS_CHUNK_SUBMISSION};
    chunk.submission = (struct ws_chunk_submission){.launches = launches, .launch_count = 2};
    record(&chunk);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ws_catalog_finish(&catalog);
    return 0;
}

static struct ws_traced_access access_of(enum ws_access_kind kind, uint32_t stride)
{
    struct ws_traced_access traced = {.memory = nodes};
    traced.access.kind = kind;
    traced.access.memory = WS_MEMORY_STORAGE;
    traced.access.size = 16;
    traced.access.descriptor_word = UINT32_MAX;
    traced.access.base = WS_NONE;
    traced.access.term_count = 1;
    traced.access.terms[0].scale = stride;
    return traced;
}

/* A thread loads node 0, then node 2: how many nodes the tree has. */
static uint64_t nodes_of(uint64_t launch)
{
    const struct ws_analysis *analysis = &ws_analysis_bvh_reconstruct;
    const struct ws_analysis_options options = {0};
    struct ws_error error = {{0}};
    struct ws_traced_access accesses[2] = {access_of(WS_ACCESS_LOAD, 16), access_of(WS_ACCESS_STORE, 32)};
    struct ws_traced_site site = {0, 1};
    struct ws_module_traces traces[2] = {{.accesses = &accesses[0], .access_count = 1, .sites = &site},
                                         {.accesses = &accesses[1], .access_count = 1, .sites = &site}};
    const struct ws_replay_threads threads = {.launch = ws_catalog_launch(&catalog, launch)};
    uint32_t thread = 0;
    struct ws_context context = {.shader = 0, .lane_count = 1, .threads = &thread};
    const uint64_t keys[WS_BVH_DIMENSIONS] = {0};
    for (uint32_t i = 0; i < 2; ++i)
        catalog.modules[i].traces = &traces[i];
    void *results = analysis->create(&catalog, &options, &error);
    void *part = analysis->replay->create(results, ws_catalog_launch(&catalog, launch));
    assert_non_null(results);
    assert_non_null(part);
    for (uint32_t element = 0; element < 3; element += 2)
        assert_true(analysis->replay->data(part, &context, 0, ws_lanes_one(0), &element, 1));
    assert_true(analysis->replay->merge(results, part, &threads));
    assert_true(analysis->end(results, &error));
    const struct ws_bvh_sums *sums = ws_groups_find(analysis->groups(results), WS_BVH_TOTAL, keys);
    const uint64_t count = sums != NULL ? sums->nodes : 0;
    analysis->replay->destroy(part);
    analysis->destroy(results);
    for (uint32_t i = 0; i < 2; ++i)
        catalog.modules[i].traces = NULL;
    return count;
}

/* What another launch stores there does not make the tree of this one a stack. */
static void written_elsewhere(void **state)
{
    (void)state;
    assert_int_equal(nodes_of(0), 2);
    assert_int_equal(nodes_of(1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(written_elsewhere, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
