#include "tests/unit/analysis/trace/divergence_found.h"

const uint32_t block_instructions[3] = {4, 6, 2};

static void check_sum(const struct ws_divergence_counts *counts)
{
    assert_true(counts->active + counts->early_return + counts->indirect_call + counts->control_flow +
                    counts->partial_warp ==
                counts->slots);
    assert_true(counts->apart <= counts->slots);
}

/* Everything adds up to its sum, and to all slots. */
static void check_sums(const struct ws_divergence_results *results)
{
    struct ws_divergence_counts shaders = {0};
    struct ws_divergence_counts stages = {0};
    struct ws_divergence_counts launches = {0};
    for (uint32_t i = 0; i < results->shader_count; ++i) {
        struct ws_divergence_counts blocks = {0};
        for (uint32_t j = 0; j < results->shaders[i].block_count; ++j) {
            check_sum(&results->shaders[i].blocks[j]);
            ws_divergence_add(&blocks, &results->shaders[i].blocks[j]);
        }
        assert_memory_equal(&blocks, &results->shaders[i].counts, sizeof(blocks));
        ws_divergence_add(&shaders, &blocks);
    }
    for (uint32_t i = 0; i < WS_DIVERGENCE_STAGES; ++i)
        ws_divergence_add(&stages, &results->stages[i]);
    for (uint32_t i = 0; i < results->launch_count; ++i) {
        check_sum(&results->launches[i].counts);
        ws_divergence_add(&launches, &results->launches[i].counts);
    }
    assert_memory_equal(&shaders, &results->total, sizeof(shaders));
    assert_memory_equal(&stages, &results->total, sizeof(stages));
    assert_memory_equal(&launches, &results->total, sizeof(launches));
}

static void read_stream(struct found *found, const struct stream *stream, uint32_t workers)
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    const struct ws_analysis_options options = {0};
    uint32_t number = 0;
    ws_catalog_init(&found->catalog);
    found->results = ws_analysis_divergence.create(&found->catalog, &options, &error);
    struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
    struct ws_replay *replay = ws_replay_create(&found->catalog, stream_path(stream), workers);
    assert_true(ws_replay_add(replay, ws_analysis_divergence.replay, found->results, &number));
    ws_analysis_divergence.attach(found->results, number);
    enum ws_read_result result = ws_reader_next(reader, &chunk, &error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, &error))
        if (!ws_catalog_record(&found->catalog, &chunk, &error) ||
            !ws_analysis_divergence.record(found->results, &chunk, &error) ||
            !ws_replay_record(replay, &chunk, &error))
            fail_msg("%s", error.message);
    if (result != WS_READ_END || !ws_replay_end(replay, &error))
        fail_msg("%s", error.message);
    assert_true(ws_replay_losses(replay)->malformed == 0);
    ws_replay_destroy(replay);
    ws_reader_destroy(reader);
    check_sums(found->results);
}

void found_analyse(struct found *found, struct stream *stream)
{
    struct found other;
    stream_finish(stream);
    read_stream(&other, stream, 3);
    read_stream(found, stream, 1);
    assert_memory_equal(&other.results->total, &found->results->total, sizeof(found->results->total));
    ws_analysis_divergence.destroy(other.results);
    ws_catalog_finish(&other.catalog);
}

void found_finish(struct found *found, struct stream *stream)
{
    ws_analysis_divergence.destroy(found->results);
    ws_catalog_finish(&found->catalog);
    stream_destroy(stream);
}

void check_block(const struct found *found, uint32_t shader, uint32_t number, uint64_t executions,
                 const uint64_t expected[5])
{
    const struct ws_divergence_counts *counts = &found->results->shaders[shader].blocks[number];
    const uint64_t n = block_instructions[number];
    const uint64_t slots[] = {counts->active, counts->early_return, counts->indirect_call,
                              counts->control_flow, counts->partial_warp};
    if (counts->executions != executions)
        fail_msg("block %u of shader %u: %llu executions", number, shader,
                 (unsigned long long)counts->executions);
    for (int i = 0; i < 5; ++i)
        if (slots[i] != n * expected[i])
            fail_msg("block %u of shader %u: cause %d has %llu slots, not %llu", number, shader, i,
                     (unsigned long long)slots[i], (unsigned long long)(n * expected[i]));
}
