/* Which modules tell what a buffer is, and the hit rates of nodes. Module 0 loads elements of 16 bytes of the buffer "nodes";
 * module 1 stores there, and has elements of 32 bytes. Launch 0 runs module 0 alone, and launch 1 both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analysis/memory/links/bvh_reconstruct.h"
#include "analysis/memory/links/link_rates.h"
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

/* The sums of a level of a launch's tree, after thread 0 loaded node 0, then node 2, and thread 1 node 0. The depth of each
 * node is its number there. */
static struct ws_bvh_sums sums_of(uint64_t launch, enum ws_bvh_level level, uint64_t key)
{
    static const uint32_t loads[3][2] = {{0, 0}, {0, 2}, {1, 0}}; /* thread, node */
    const struct ws_analysis *analysis = &ws_analysis_bvh_reconstruct;
    const struct ws_analysis_options options = {0};
    struct ws_error error = {{0}};
    struct ws_traced_access accesses[2] = {access_of(WS_ACCESS_LOAD, 16), access_of(WS_ACCESS_STORE, 32)};
    struct ws_traced_site site = {0, 1};
    struct ws_module_traces traces[2] = {{.accesses = &accesses[0], .access_count = 1, .sites = &site},
                                         {.accesses = &accesses[1], .access_count = 1, .sites = &site}};
    const struct ws_replay_threads threads = {.launch = ws_catalog_launch(&catalog, launch)};
    const uint64_t keys[WS_BVH_DIMENSIONS] = {[WS_BVH_BY_DEPTH] = key, [WS_BVH_BY_NODE] = key};
    for (uint32_t i = 0; i < 2; ++i)
        catalog.modules[i].traces = &traces[i];
    void *results = analysis->create(&catalog, &options, &error);
    void *part = analysis->replay->create(results, ws_catalog_launch(&catalog, launch));
    assert_non_null(results);
    assert_non_null(part);
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t thread = loads[i][0];
        struct ws_context context = {.shader = 0, .lane_count = 4, .threads = &thread};
        assert_true(analysis->replay->data(part, &context, 0, ws_lanes_one(0), &loads[i][1], 1));
    }
    assert_true(analysis->replay->merge(results, part, &threads));
    assert_true(analysis->end(results, &error));
    const struct ws_bvh_sums *found = ws_groups_find(analysis->groups(results), level, keys);
    const struct ws_bvh_sums sums = found != NULL ? *found : (struct ws_bvh_sums){0};
    analysis->replay->destroy(part);
    analysis->destroy(results);
    for (uint32_t i = 0; i < 2; ++i)
        catalog.modules[i].traces = NULL;
    return sums;
}

/* What another launch stores there does not make the tree of this one a stack. */
static void written_elsewhere(void **state)
{
    (void)state;
    assert_int_equal(sums_of(0, WS_BVH_TOTAL, 0).nodes, 2);
    assert_int_equal(sums_of(1, WS_BVH_TOTAL, 0).nodes, 0);
}

/* Each request asks for one sector of 32 bytes, those of nodes 0 and 2 lie in one line: the third request, for node 0 again,
 * hits the L1. What misses it comes from memory, past the L2. */
static void rates_of_nodes(void **state)
{
    (void)state;
    const struct ws_bvh_sums root = sums_of(0, WS_BVH_NODES, 0);
    assert_int_equal(root.requests, 2);
    assert_int_equal(root.lanes, 2);
    assert_int_equal(root.l1_sectors, 2);
    assert_int_equal(root.l1_hits, 1);
    assert_int_equal(root.l2_sectors, 1);
    assert_int_equal(root.l2_hits, 0);
    assert_int_equal(root.memory_bytes, 32);
    const struct ws_bvh_sums child = sums_of(0, WS_BVH_NODES, 1);
    assert_int_equal(child.requests, 1);
    assert_int_equal(child.l1_sectors, 1);
    assert_int_equal(child.l1_hits, 0);
    assert_int_equal(child.memory_bytes, 32);
    const struct ws_bvh_sums total = sums_of(0, WS_BVH_TOTAL, 0);
    assert_int_equal(total.requests, 3);
    assert_int_equal(total.l1_hits, 1);
    assert_int_equal(total.l2_sectors, 2);
}

/* The example of link_rates.h; then a leaf of the elements 1 and 2, of which nothing loads from the first. */
static void lanes_share_a_request(void **state)
{
    (void)state;
    static const struct ws_link_buffer buffer = {.name = "faces", .stride = 16};
    const struct ws_caches_sums request = {.requests = 1, .lanes = 4, .bytes = 64, .sectors = 2};
    uint32_t lanes[4] = {2, 0, 2, 2};
    struct ws_links links = {0};
    struct ws_link_rates rates = {0};
    struct ws_link_rates merged = {0};
    struct ws_links others = {0};
    struct ws_caches_sums leaf = {0};
    uint32_t index;
    assert_true(ws_links_buffer(&links, &buffer, &index));
    for (uint32_t i = 0; i < 3; ++i)
        assert_true(ws_links_element(&links, 0, 16 * (uint64_t)i, &index));
    assert_true(ws_link_rates_take(&rates, lanes, 4, &request));
    assert_int_equal(rates.list[0].requests, 1);
    assert_int_equal(rates.list[0].lanes, 1);
    assert_int_equal(rates.list[0].bytes, 16);
    assert_int_equal(rates.list[0].sectors, 2);
    assert_int_equal(rates.list[2].requests, 1);
    assert_int_equal(rates.list[2].lanes, 3);
    assert_int_equal(rates.list[2].bytes, 48);
    assert_int_equal(rates.list[2].sectors, 2);
    /* Elsewhere the elements have other numbers. */
    assert_true(ws_links_buffer(&others, &buffer, &index) && ws_links_element(&others, 0, 32, &index) &&
                ws_links_element(&others, 0, 16, &index));
    assert_true(ws_link_rates_merge(&merged, &others, &rates, &links));
    ws_link_rates_sum(&merged, &others, 1, 2, &leaf);
    assert_int_equal(leaf.requests, 1);
    assert_int_equal(leaf.lanes, 3);
    ws_link_rates_finish(&rates);
    ws_link_rates_finish(&merged);
    ws_links_finish(&links);
    ws_links_finish(&others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(written_elsewhere, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(rates_of_nodes, set_up, tear_down),
                                       cmocka_unit_test(lanes_share_a_request)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
