/* The replay with every kind of report, where one allocation after the other finds no memory: it says so, and
 * leaves nothing behind (which the sanitizers see). */
#include <malloc.h>
#include <stdlib.h>

#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/failing_memory.h"
#include "tests/unit/analysis/model/stream.h"
#include "tests/unit/passes/spirv/flow.h"
#include "warpscope/instrument.h"
#include "warpscope/report/analysis.h"

enum { WARPS = 20, LANES = 8, KINDS = WS_ANALYSES_MAX };

/* Streams enter shaders by number 0, so the entry's site changes places with the first. */
static void enter_first(struct ws_instrumented *made)
{
    uint32_t entry = 0;
    while (made->sites[entry].kind != WS_SITE_ENTRY)
        entry++;
    assert_int_equal(made->sites[entry].row, entry);
    const struct ws_site_info first = made->sites[0];
    assert_int_equal(first.kind, WS_SITE_LAUNCH);
    made->sites[0] = made->sites[entry];
    made->sites[0].row = 0;
    made->sites[entry] = first;
}

/* A ray generation shader with a call in a loop, instrumented by every pass that makes records. `*numbers`:
 * receives those of its records, in their order. */
static uint32_t add_raygen(struct stream *stream, uint32_t *numbers, uint32_t *count)
{
    static const char *const passes[] = {"execution_trace", "divergence", "thread_compaction"};
    static const struct flow_block blocks[] = {
        {.end = FLOW_GO, .to = {1}},
        {.end = FLOW_IF, .to = {2, 4}, .merge = 4, .next = 3},
        {.end = FLOW_GO, .to = {3}, .body = FLOW_CALLABLE},
        {.end = FLOW_GO, .to = {1}},
        {.end = FLOW_RETURN},
    };
    const struct flow_function function = {blocks, 5};
    const struct ws_instrument_options options = {.passes = passes, .pass_count = 3};
    size_t word_count = 0;
    uint32_t *words = flow_assemble(&function, 1, FLOW_RAYGEN, 32, &word_count);
    struct ws_instrumented *made = ws_instrument(words, word_count, &options, NULL);
    assert_non_null(made);
    enter_first(made);
    const struct ws_chunk_sites chunk = {.row_count = made->row_count,
                                         .passes = passes,
                                         .pass_count = 3,
                                         .entries = made->entries,
                                         .entry_count = made->entry_count,
                                         .blocks = made->blocks,
                                         .block_count = made->block_count,
                                         .sites = made->sites,
                                         .site_count = made->site_count};
    const uint32_t id =
        stream_shader_of(stream, WS_STAGE_RAYGEN, words, (uint32_t)word_count, &chunk, NULL, 0);
    for (uint32_t i = 0; i < made->site_count; ++i)
        if (made->sites[i].kind >= WS_SITE_PLACE_BLOCK && made->sites[i].row == i)
            numbers[(*count)++] = i;
    ws_instrumented_destroy(made);
    free(words);
    return id;
}

/* Warps that call, some of them together; compute warps beside them. */
static struct stream *record(bool regrouped)
{
    const uint32_t counts[] = {3, 4};
    uint32_t numbers[32];
    uint32_t contexts[WARPS];
    uint32_t count = 0;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t raygen = add_raygen(stream, numbers, &count);
    const uint32_t callable = stream_shader(stream, WS_STAGE_CALLABLE, counts, 2);
    const uint32_t compute = stream_shader(stream, WS_STAGE_COMPUTE, counts, 2);
    const struct ws_lanes all = ws_lanes_first(LANES);
    for (uint32_t kind = 0; kind < 2; ++kind) {
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, kind == 0 ? WARPS * LANES : 0, kind == 0, kind == 0);
        for (uint32_t i = 0; i < WARPS; ++i)
            contexts[i] = stream_enter_rays(stream, 0, raygen, all, i * LANES);
        for (uint32_t i = 0; i < WARPS; ++i) {
            for (uint32_t j = 0; j + 1 < count; ++j)
                stream_site(stream, contexts[i], numbers[j], ws_lanes_first(1 + (i + j) % LANES));
            const uint32_t called =
                stream_enter_rays(stream, 0, callable, all, i * LANES + (regrouped && i % 4 == 0 ? 3 : 0));
            stream_place(stream, called, WS_SITE_PLACE_BLOCK, 0, ws_lanes_first(3));
            stream_place(stream, called, WS_SITE_PLACE_END, 1, all);
        }
        for (uint32_t i = 0; i < WARPS; i += 2)
            stream_site(stream, contexts[i], numbers[count - 1], all);
        stream_end(stream);
    }
    stream_begin(stream, WS_LAUNCH_DISPATCH, WARPS, 1, 1);
    for (uint32_t i = 0; i < WARPS; ++i) {
        const uint32_t work[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
        contexts[i] = stream_enter(stream, 0, compute, all, (const uint32_t[]){i, 0, 0}, work);
        stream_place(stream, contexts[i], WS_SITE_PLACE_BLOCK, 1, all);
    }
    stream_end_overflowed(stream, 40); /* it is replayed again without the two warps that this cut */
    stream_finish(stream);
    return stream;
}

/* What is replayed, and by whom. */
struct reading {
    struct ws_catalog catalog;
    struct ws_replay *replay;
    const struct ws_analysis *kinds[KINDS];
    void *results[KINDS];
    uint32_t count;
};

static bool begin(struct reading *reading, const char *path, uint32_t workers, struct ws_error *error)
{
    const struct ws_analysis_options options = {.has_thread = true, .thread = {9, 0, 0}, .plots = true};
    reading->replay = ws_replay_create(&reading->catalog, path, workers);
    for (const struct ws_analysis *const *kind = ws_analysis_list(); *kind != NULL && reading->replay != NULL;
         ++kind) {
        uint32_t number = 0;
        if ((*kind)->replay == NULL)
            continue;
        void *results = (*kind)->create(&reading->catalog, &options, error);
        if (results == NULL)
            return false;
        reading->kinds[reading->count] = *kind;
        reading->results[reading->count++] = results;
        if (!ws_replay_add(reading->replay, (*kind)->replay, results, &number))
            return false;
        if ((*kind)->attach != NULL)
            (*kind)->attach(results, number);
        if ((*kind)->hear != NULL && !(*kind)->hear(results, reading->replay))
            return false;
    }
    return reading->replay != NULL;
}

static bool take(struct reading *reading, const struct ws_chunk *chunk, struct ws_error *error)
{
    bool taken = ws_replay_record(reading->replay, chunk, error);
    for (uint32_t i = 0; i < reading->count && taken; ++i)
        taken =
            reading->kinds[i]->record == NULL || reading->kinds[i]->record(reading->results[i], chunk, error);
    return taken;
}

static bool end(struct reading *reading, struct ws_error *error)
{
    bool ended = ws_replay_end(reading->replay, error);
    for (uint32_t i = 0; i < reading->count && ended; ++i)
        ended = reading->kinds[i]->end == NULL || reading->kinds[i]->end(reading->results[i], error);
    return ended;
}

/* Replays with allocation number `failing` failing. Returns whether there were so many; then it may have gone
 * on without, or must have said that there is no memory. */
static bool replay(const char *path, uint32_t workers, long failing)
{
    struct reading reading = {.count = 0};
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    ws_catalog_init(&reading.catalog);
    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_non_null(reader);
    failing_memory_begin(failing);
    bool going = begin(&reading, path, workers, &error);
    const long kept = failing_memory_end();
    long rest = kept;
    while (going && ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK) {
        assert_true(ws_catalog_record(&reading.catalog, &chunk, &error));
        failing_memory_begin(rest);
        going = take(&reading, &chunk, &error);
        rest = failing_memory_end();
    }
    failing_memory_begin(rest);
    going = going && end(&reading, &error);
    rest = failing_memory_end();
    assert_true(going || rest < 0);
    ws_replay_destroy(reading.replay);
    for (uint32_t i = 0; i < reading.count; ++i)
        reading.kinds[i]->destroy(reading.results[i]);
    ws_catalog_finish(&reading.catalog);
    ws_reader_destroy(reader);
    return rest < 0;
}

static void every_allocation(void **state)
{
    (void)state;
    for (uint32_t regrouped = 0; regrouped < 2; ++regrouped) {
        struct stream *stream = record(regrouped == 1);
        for (uint32_t workers = 1; workers <= 3; workers += 2) {
            long failing = 0;
            while (replay(stream_path(stream), workers, failing))
                failing++;
            assert_true(failing > 100);
        }
        stream_destroy(stream);
    }
}

/* Makes the catalog with allocation number `failing` failing. Where it is made it lacks nothing: all modules are read, and
 * that of the ray generation shader has its plan of call sites. Returns whether there were so many. */
static bool catalog(const char *path, long failing)
{
    struct ws_catalog made;
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    uint32_t unreadable = 0, planned = 0;
    bool going = true;
    ws_catalog_init(&made);
    struct ws_reader *reader = ws_reader_open(path, &error);
    assert_non_null(reader);
    for (long rest = failing; going && ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK;) {
        failing_memory_begin(rest);
        going = ws_catalog_record(&made, &chunk, &error);
        rest = failing_memory_end();
        failing = rest;
    }
    for (uint32_t i = 0; i < made.module_count; ++i) {
        unreadable += made.modules[i].unreadable;
        planned += made.modules[i].compaction != NULL;
    }
    assert_true(going ? planned == 1 && unreadable == 0 : failing < 0 && error.message[0] != '\0');
    ws_catalog_finish(&made);
    ws_reader_destroy(reader);
    return failing < 0;
}

static void every_allocation_of_the_catalog(void **state)
{
    struct stream *stream = record(false);
    long failing = 0;
    (void)state;
    assert_true(catalog(stream_path(stream), -1));
    while (catalog(stream_path(stream), failing))
        failing++;
    assert_true(failing > 50);
    stream_destroy(stream);
}

int main(void)
{
    /* Thousands of replays take and give back the same memory: to ask the system for it each time would take longest. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation),
                                       cmocka_unit_test(every_allocation_of_the_catalog)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
