/* Batches of requests (batches.h) and memory: where there is none for the next batch, and requests without lines. And what
 * the summary is told of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/memory/cache/batches.h"
#include "analysis/memory/caches.h"
#include "tests/unit/analysis/model/failing_memory.h"
#include "warpscope/capture/budget.h"
#include "warpscope/report/findings.h"
#include "warpscope/spirv/texels.h"

enum { LANES = 4, WARPS = 2 };

static struct ws_catalog catalog;
static const struct ws_launch_record launch = {.label = "", .command_buffer = "", .pipeline = WS_NONE};
static struct ws_traced_access access;
static struct ws_traced_site site = {0, 1};
static struct ws_traced_position position = {.loop = WS_NONE};
static struct ws_module_traces traces = {
    .accesses = &access, .access_count = 1, .sites = &site, .positions = &position};

/* A shader with one access. */
static int set_up(void **state)
{
    static const uint32_t words[] = {0x07230203, 0x00010000, 0, 8, 0};
    struct ws_error error = {{0}};
    struct ws_chunk chunk = {.type = WS_CHUNK_DEVICE};
    (void)state;
    ws_catalog_init(&catalog);
    chunk.device = (struct ws_chunk_device){.name = "", .driver_name = "", .driver_info = ""};
    assert_true(ws_catalog_record(&catalog, &chunk, &error));
    chunk = (struct ws_chunk){.type = WS_CHUNK_MODULE};
    chunk.module = (struct ws_chunk_module){.name = "", .words = words, .word_count = 5};
    assert_true(ws_catalog_record(&catalog, &chunk, &error));
    chunk = (struct ws_chunk){.type = WS_CHUNK_SHADER};
    chunk.shader = (struct ws_chunk_shader){.entry = WS_NONE, .name = "main"};
    assert_true(ws_catalog_record(&catalog, &chunk, &error));
    catalog.modules[0].traces = &traces;
    access = (struct ws_traced_access){.memory = "list"};
    access.access.size = 4;
    access.access.descriptor_word = WS_NONE;
    access.access.base = WS_NONE;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    catalog.modules[0].traces = NULL;
    ws_catalog_finish(&catalog);
    return 0;
}

static void *create(uint32_t lanes)
{
    const struct ws_analysis_options options = {.lanes = lanes};
    struct ws_error error = {{0}};
    void *results = ws_analysis_caches.create(&catalog, &options, &error);
    assert_non_null(results);
    ws_analysis_caches.attach(results, 0);
    return results;
}

/* Two warps are put together. The first one's requests, each of 4 lines, wait for the other. When that ends they run, and one
 * allocation finds no memory, which may be that of a batch. Then the first one ends too, as all do after a failure. Returns
 * whether there were so many. */
static bool end_without_memory(long failing)
{
    enum { REQUESTS = 3 * WS_BATCH_LINES / LANES };
    const struct ws_replay_operations *replay = ws_analysis_caches.replay;
    uint32_t indices[WARPS][LANES];
    struct ws_thread threads[WARPS * LANES];
    struct ws_context contexts[WARPS];
    void *results = create(WARPS * LANES);
    ws_caches_leave_out_curve(results);
    void *part = replay->create(results, &launch);
    assert_non_null(part);
    for (uint32_t i = 0; i < WARPS; ++i) {
        for (uint32_t j = 0; j < LANES; ++j) {
            indices[i][j] = i * LANES + j;
            threads[i * LANES + j] = (struct ws_thread){.work = {i * LANES + j}, .warp = i, .lane = j};
        }
        contexts[i] = (struct ws_context){.stage = WS_STAGE_COMPUTE,
                                          .warp = i,
                                          .lane_count = LANES,
                                          .entered = ws_lanes_first(LANES),
                                          .threads = indices[i]};
        assert_true(replay->enter(part, &contexts[i], threads));
    }
    for (uint32_t i = 0; i < REQUESTS; ++i) {
        uint32_t words[LANES];
        for (uint32_t j = 0; j < LANES; ++j)
            words[j] = LANES * i + j;
        assert_true(replay->data(part, &contexts[0], 0, ws_lanes_first(LANES), words, 1));
    }
    failing_memory_begin(failing);
    const bool closed = replay->close(part, &contexts[1]);
    const bool failed = failing_memory_end() < 0;
    assert_true(closed || failed);
    replay->close(part, &contexts[0]);
    replay->destroy(part);
    ws_analysis_caches.destroy(results);
    return failed;
}

static void no_memory_for_a_batch(void **state)
{
    long failing = 0;
    (void)state;
    access.access.memory = WS_MEMORY_STORAGE;
    access.access.term_count = 1;
    access.access.terms[0].scale = 128;
    while (end_without_memory(failing))
        failing += 1 + failing / 16; /* each of the first, and some of the later ones */
    assert_true(failing > 10);
}

static bool hear(void *user, const struct ws_execution *execution, uint32_t place,
                 const struct ws_caches_sums *request)
{
    uint32_t *heard = user;
    (void)execution;
    (void)place;
    assert_int_equal(request->lines, 0);
    ++*heard;
    return true;
}

/* A sample beyond the corner of a cube touches no texel: it has no line. Such requests wait no longer than others. */
static void requests_without_lines(void **state)
{
    const struct ws_replay_operations *replay = ws_analysis_caches.replay;
    const uint32_t requests = (WS_BATCHES + 2) * WS_BATCH_LINES;
    /* x, y, size, layer */
    const uint32_t words[] = {(uint32_t)-WS_TEXEL_PARTS_EACH, (uint32_t)-WS_TEXEL_PARTS_EACH, 4 | 4 << 16, 0};
    uint32_t heard = 0;
    uint32_t thread = 0;
    struct ws_context context = {.lane_count = LANES, .threads = &thread, .entered = ws_lanes_one(0)};
    void *results = create(0);
    void *part = replay->create(results, &launch);
    (void)state;
    access.access.memory = WS_MEMORY_IMAGE;
    access.access.axes = 2;
    access.access.sample = (struct ws_stretch_sample){.is_sample = true,
                                                      .is_cube = true,
                                                      .at = {0, 1, WS_NONE},
                                                      .size = 2,
                                                      .layer = 3,
                                                      .depth = WS_NONE,
                                                      .level = WS_NONE,
                                                      .sampler_element_word = WS_NONE};
    assert_non_null(part);
    ws_caches_part_hear(part, hear, &heard);
    for (uint32_t i = 0; i < requests; ++i)
        assert_true(replay->data(part, &context, 0, ws_lanes_one(0), words, 4));
    assert_true(heard >= 2 * WS_BATCH_LINES);
    const struct ws_replay_threads threads = {.launch = &launch};
    assert_true(replay->merge(results, part, &threads));
    assert_int_equal(heard, requests);
    replay->destroy(part);
    ws_analysis_caches.destroy(results);
}

/* A gather takes four texels of a word: it costs that, and these. What is bound at a place is looked up once, and kept. */
static void samples_cost_texels(void **state)
{
    const struct ws_replay_operations *replay = ws_analysis_caches.replay;
    const uint32_t words[] = {6 * WS_TEXEL_PARTS_EACH, 6 * WS_TEXEL_PARTS_EACH, 16 | 16 << 16, 0};
    uint64_t spent[4];
    uint32_t thread = 0;
    struct ws_context context = {.lane_count = LANES, .threads = &thread, .entered = ws_lanes_one(0)};
    void *results = create(0);
    void *part = replay->create(results, &launch);
    (void)state;
    access.access.memory = WS_MEMORY_IMAGE;
    access.access.axes = 2;
    access.access.descriptor_word = 3;
    access.access.sample = (struct ws_stretch_sample){.is_sample = true,
                                                      .is_gather = true,
                                                      .at = {0, 1, WS_NONE},
                                                      .size = 2,
                                                      .layer = WS_NONE,
                                                      .depth = WS_NONE,
                                                      .level = WS_NONE,
                                                      .sampler_element_word = WS_NONE};
    assert_non_null(part);
    ws_budget_begin(0);
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t own[] = {words[0], words[1], words[2], i == 3};
        spent[i] = ws_budget_spent();
        assert_true(replay->data(part, &context, 0, ws_lanes_one(0), own, 4));
        spent[i] = ws_budget_spent() - spent[i];
    }
    assert_int_equal(spent[1], WS_STEPS_WORD + 4 * WS_STEPS_TEXEL);
    assert_int_equal(spent[2], spent[1]);
    assert_int_equal(spent[3], spent[1] + WS_STEPS_KEPT * sizeof(struct ws_home));
    replay->destroy(part);
    ws_analysis_caches.destroy(results);
}

/* A warp of 4 lanes loads the same 16 bytes four times. They are in one sector: the L1 misses the first, and hits 3 of 4; the
 * L2 gets one, which it misses, and which reads 32 bytes from memory, all of this buffer. */
static void tells_hit_rates(void **state)
{
    const struct ws_replay_operations *replay = ws_analysis_caches.replay;
    const uint32_t words[LANES] = {0, 1, 2, 3};
    uint32_t indices[LANES] = {0, 1, 2, 3};
    struct ws_context context = {
        .stage = WS_STAGE_COMPUTE, .lane_count = LANES, .threads = indices, .entered = ws_lanes_first(LANES)};
    struct ws_findings findings = {.analysis = &ws_analysis_caches};
    struct ws_error error = {{0}};
    void *results = create(0);
    (void)state;
    assert_true(ws_analysis_caches.findings(results, &findings));
    assert_int_equal(findings.count, 0); /* nothing was recorded */
    void *part = replay->create(results, &launch);
    assert_non_null(part);
    access.access.memory = WS_MEMORY_STORAGE;
    access.access.term_count = 1;
    access.access.terms[0].scale = 4;
    for (uint32_t i = 0; i < 4; ++i)
        assert_true(replay->data(part, &context, 0, ws_lanes_first(LANES), words, 1));
    const struct ws_replay_threads threads = {.launch = &launch};
    assert_true(replay->merge(results, part, &threads));
    replay->destroy(part);
    assert_true(ws_analysis_caches.end(results, &error));
    assert_true(ws_analysis_caches.findings(results, &findings));
    assert_int_equal(findings.count, 1);
    assert_non_null(strstr(findings.all[0].text,
                           " the L1 hits 75.0 % of its sectors, the L2 0.0 % of those that come to it. "
                           "32 bytes are read from memory, 100 % of them of list."));
    ws_findings_finish(&findings);
    ws_analysis_caches.destroy(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_memory_for_a_batch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(requests_without_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tells_hit_rates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(samples_cost_texels, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
