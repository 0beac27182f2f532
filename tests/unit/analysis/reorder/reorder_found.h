/* What `reorder` finds in a synthetic stream. A capture is read by one worker and by three: both must find the same. */
#ifndef WS_TESTS_UNIT_ANALYSIS_REORDER_REORDER_FOUND_H
#define WS_TESTS_UNIT_ANALYSIS_REORDER_REORDER_FOUND_H

#include <stdlib.h>
#include <string.h>

#include "analysis/reorder/reorder.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/stream_masks.h"
#include "warpscope/passes.h"

struct found {
    struct ws_catalog catalog;
    struct ws_reorder_results *results;
};

/* How many places in turns may be followed (reorder_turns.c); 0 = as many as always. */
static uint64_t found_followed_most;

/* Another consumer is told of each turn. */
static bool found_beside;

static void *beside_create(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    (void)launch;
    return malloc(1);
}

static bool beside_place(void *part, struct ws_context *context, const struct ws_replay_place *place,
                         struct ws_lanes lanes)
{
    (void)part;
    (void)context;
    (void)place;
    (void)lanes;
    return true;
}

static bool beside_merge(void *results, void *part, const struct ws_replay_threads *threads)
{
    (void)results;
    (void)part;
    (void)threads;
    return true;
}

static const struct ws_replay_operations beside_operations = {.pass = WS_PASS_DIVERGENCE,
                                                              .create = beside_create,
                                                              .destroy = free,
                                                              .place = beside_place,
                                                              .merge = beside_merge};

static void found_read(struct found *found, const struct stream *stream, uint32_t workers)
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    const struct ws_analysis_options options = {0};
    uint32_t number = 0;
    uint32_t beside = 0;
    ws_catalog_init(&found->catalog);
    found->results = ws_analysis_reorder.create(&found->catalog, &options, &error);
    if (found_followed_most > 0)
        found->results->followed_most = found_followed_most;
    struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
    struct ws_replay *replay = ws_replay_create(&found->catalog, stream_path(stream), workers);
    assert_true(ws_replay_add(replay, ws_analysis_reorder.replay, found->results, &number));
    ws_analysis_reorder.attach(found->results, number);
    assert_true(!found_beside || ws_replay_add(replay, &beside_operations, NULL, &beside));
    enum ws_read_result result = ws_reader_next(reader, &chunk, &error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, &error))
        if (!ws_catalog_record(&found->catalog, &chunk, &error) ||
            !ws_replay_record(replay, &chunk, &error) ||
            !ws_analysis_reorder.record(found->results, &chunk, &error))
            fail_msg("%s", error.message);
    if (result != WS_READ_END || !ws_replay_end(replay, &error))
        fail_msg("%s", error.message);
    ws_replay_destroy(replay);
    ws_reader_destroy(reader);
}

static void found_finish(struct found *found)
{
    ws_analysis_reorder.destroy(found->results);
    ws_catalog_finish(&found->catalog);
}

/* Ends the stream, reads it, and destroys it. */
static void found_analyse(struct found *found, struct stream *stream)
{
    struct found other;
    stream_finish(stream);
    found_read(&other, stream, 3);
    found_read(found, stream, 1);
    const uint32_t count = ws_groups_count(found->results->groups, WS_REORDER_SITE_WINDOWS);
    assert_int_equal(ws_groups_count(other.results->groups, WS_REORDER_SITE_WINDOWS), count);
    for (uint32_t i = 0; i < count; ++i) {
        struct ws_row row;
        ws_groups_row(found->results->groups, WS_REORDER_SITE_WINDOWS, i, &row);
        const void *same = ws_groups_find(other.results->groups, WS_REORDER_SITE_WINDOWS, row.keys);
        assert_non_null(same);
        assert_memory_equal(same, row.sums, sizeof(struct ws_reorder_sums));
    }
    found_finish(&other);
    stream_destroy(stream);
}

#endif
