/* Records cut from a capture (warpscope/stream.h): every record of a launch, in order, with its lanes and words, for all
 * widths of masks and pieces that end anywhere; and what becomes of a launch that has lost its end. */
#include "warpscope/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/analysis/model/stream.h"
#include "warpscope/chunk_members.h"
#include "warpscope/records.h"

static const uint32_t lengths[] = {4, 6};

/* A warp that enters with all lanes, with thread 100 in lane 0; all run block 0, lanes 0 and 2 have data 10 11 and 12 13,
 * and those two end. */
static void put_launch(struct stream *stream, uint32_t shader, uint32_t bins)
{
    const struct ws_lanes two = {5, 0};
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4096, 1, 1);
    const uint32_t context = stream_enter_rays(stream, 0, shader, ws_lanes_first(bins), 100);
    stream_place(stream, context, WS_SITE_PLACE_BLOCK, 0, ws_lanes_first(bins));
    stream_data(stream, context, stream_number(WS_SITE_DATA, 1), two, (const uint32_t[]){10, 11, 12, 13}, 2);
    stream_place(stream, context, WS_SITE_PLACE_END, 1, two);
}

static void check_launch(const struct ws_stream_launch *launch, uint32_t bins)
{
    const uint64_t low = bins >= 64 ? UINT64_MAX : (UINT64_C(1) << bins) - 1;
    const struct ws_record *records = launch->records;
    assert_int_equal(launch->record_count, 4);
    assert_false(launch->truncated);
    for (uint32_t i = 0; i < 4; ++i) {
        assert_int_equal(records[i].context, records[0].position);
        assert_int_equal(records[i].entry, 0);
        assert_int_equal(records[i].shader, 0);
        assert_int_equal(records[i].lane_count, bins);
    }
    assert_int_equal(records[0].kind, WS_SITE_ENTRY);
    assert_int_equal(records[0].lanes[0], low);
    assert_int_equal(records[0].lanes[1], bins == 128 ? UINT64_MAX : 0);
    assert_int_equal(records[0].words_per_lane, 1);
    for (uint32_t lane = 0; lane < bins; ++lane)
        assert_int_equal(launch->words[records[0].word + records[0].words_per_warp + lane], 100 + lane);
    assert_int_equal(records[1].kind, WS_SITE_PLACE_BLOCK);
    assert_int_equal(records[1].site, stream_number(WS_SITE_PLACE_BLOCK, 0));
    assert_int_equal(records[1].lanes[0], low);
    assert_int_equal(records[2].kind, WS_SITE_DATA);
    assert_int_equal(records[2].words_per_lane, 2);
    assert_int_equal(records[2].lanes[0], 5);
    for (uint32_t i = 0; i < 4; ++i)
        assert_int_equal(launch->words[records[2].word + i], 10 + i);
    assert_int_equal(records[3].kind, WS_SITE_PLACE_END);
    assert_int_equal(records[3].lanes[0], 5);
}

/* Reads the capture. Returns how many launches it gave, and of each whether it is truncated and how many records it has. */
static uint32_t read_all(const struct stream *stream, uint32_t bins, bool truncated[4], uint32_t counts[4])
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    const struct ws_stream_launch *launch = NULL;
    struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
    struct ws_stream *cutter = ws_stream_create();
    assert_non_null(reader);
    assert_non_null(cutter);
    uint32_t found = 0;
    bool more = true;
    while (more) {
        more = ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK;
        assert_true(more ? ws_stream_take(cutter, &chunk, &launch, &error)
                         : ws_stream_end(cutter, &launch, &error));
        if (launch == NULL)
            continue;
        assert_true(found < 4);
        truncated[found] = launch->truncated;
        counts[found++] = launch->record_count;
        if (!launch->truncated)
            check_launch(launch, bins);
    }
    ws_stream_destroy(cutter);
    ws_reader_destroy(reader);
    return found;
}

static void cuts_every_record(void **state)
{
    (void)state;
    static const uint32_t widths[] = {8, 16, 32, 64, 128};
    for (uint32_t i = 0; i < sizeof(widths) / sizeof(widths[0]); ++i)
        for (uint32_t piece = 0; piece < 5; ++piece) {
            bool truncated[4];
            uint32_t counts[4];
            struct stream *stream =
                stream_create(&(struct stream_options){.bins = widths[i], .piece_words = piece});
            const uint32_t shader = stream_shader(stream, WS_STAGE_RAYGEN, lengths, 2);
            for (uint32_t launches = 0; launches < 3; ++launches) {
                put_launch(stream, shader, widths[i]);
                stream_end(stream);
            }
            stream_finish(stream);
            assert_int_equal(read_all(stream, widths[i], truncated, counts), 3);
            assert_false(truncated[0] || truncated[1] || truncated[2]);
            stream_destroy(stream);
        }
}

/* Of three launches the first and the last have lost their last piece: what is there is given, and the one between is
 * whole. */
static void gives_what_is_there(void **state)
{
    (void)state;
    bool truncated[4];
    uint32_t counts[4];
    struct stream *stream = stream_create(&(struct stream_options){.bins = 32, .piece_words = 40});
    const uint32_t shader = stream_shader(stream, WS_STAGE_RAYGEN, lengths, 2);
    for (uint32_t i = 0; i < 3; ++i) {
        put_launch(stream, shader, 32);
        if (i == 1)
            stream_end(stream);
        else
            stream_end_cut(stream);
    }
    stream_finish(stream);
    assert_int_equal(read_all(stream, 32, truncated, counts), 3);
    assert_true(truncated[0] && !truncated[1] && truncated[2]);
    assert_int_equal(counts[0], 2);
    assert_int_equal(counts[1], 4);
    stream_destroy(stream);
}

/* What a shader says as constants is put back: of block 0 word 1, which is 7, of block 1 both, 5 and 6. Then a record has a
 * mask, or is that of a full warp. */
static void restores_fixed_words(void **state)
{
    (void)state;
    static const uint32_t widths[] = {8, 32, 128};
    static const uint32_t expected[] = {10, 7, 20, 7};
    const uint32_t sites[] = {stream_number(WS_SITE_DATA, 0), stream_number(WS_SITE_DATA, 1)};
    const struct ws_fixed_word fixed[] = {{sites[0], 1, 7}, {sites[1], 0, 5}, {sites[1], 1, 6}};
    for (uint32_t i = 0; i < sizeof(widths) / sizeof(widths[0]); ++i) {
        struct ws_error error = {{0}};
        struct ws_chunk chunk;
        const struct ws_stream_launch *launch = NULL;
        struct stream *stream = stream_create(
            &(struct stream_options){.bins = widths[i], .piece_words = 3, .fixed = fixed, .fixed_count = 3});
        const uint32_t shader = stream_shader(stream, WS_STAGE_RAYGEN, lengths, 2);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4096, 1, 1);
        const uint32_t context = stream_enter_rays(stream, 0, shader, ws_lanes_first(widths[i]), 100);
        stream_data(stream, context, sites[0], (struct ws_lanes){5, 0}, (const uint32_t[]){10, 20}, 1);
        stream_data(stream, context, sites[1], (struct ws_lanes){3, 0}, NULL, 0);
        stream_site(stream, context, sites[1], ws_lanes_first(widths[i]));
        stream_place(stream, context, WS_SITE_PLACE_END, 1, ws_lanes_first(widths[i]));
        stream_end(stream);
        stream_finish(stream);
        struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
        struct ws_stream *cutter = ws_stream_create();
        while (launch == NULL) {
            assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
            assert_true(ws_stream_take(cutter, &chunk, &launch, &error));
        }
        assert_false(launch->truncated);
        assert_int_equal(launch->record_count, 5);
        const struct ws_record *records = launch->records;
        assert_int_equal(records[1].words_per_lane, 2);
        assert_memory_equal(launch->words + records[1].word, expected, sizeof(expected));
        for (uint32_t j = 2; j < 4; ++j) {
            const uint32_t lanes = j == 2 ? 2 : widths[i];
            assert_int_equal(records[j].kind, WS_SITE_DATA);
            assert_int_equal(records[j].words_per_lane, 2);
            assert_int_equal(ws_lanes_count((struct ws_lanes){records[j].lanes[0], records[j].lanes[1]}),
                             lanes);
            for (uint32_t word = 0; word < 2 * lanes; ++word)
                assert_int_equal(launch->words[records[j].word + word], 5 + word % 2);
        }
        assert_int_equal(launch->word_count, records[3].word + 2 * widths[i]);
        assert_int_equal(records[1].word, launch->stream_word_count);
        assert_int_equal(launch->stream_word_count, stream_word_count(stream));
        assert_int_equal(records[4].position, records[3].position + 2);
        ws_stream_destroy(cutter);
        ws_reader_destroy(reader);
        stream_destroy(stream);
    }
}

/* With `limit` bytes a launch of 22 words, which are 12 + 2 + 6 + 2, has as many of its 4 records as there is room for, of 56
 * bytes each; and none of its words where these have no room. */
static void check_limited(const struct stream *stream, uint64_t limit)
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    const struct ws_stream_launch *launch = NULL;
    struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
    struct ws_stream *cutter = ws_stream_create();
    assert_non_null(reader);
    assert_non_null(cutter);
    ws_stream_limit(cutter, limit);
    while (launch == NULL) {
        assert_int_equal(ws_reader_next(reader, &chunk, &error), WS_READ_CHUNK);
        assert_true(ws_stream_take(cutter, &chunk, &launch, &error));
    }
    const uint64_t records = limit < 88 ? 0 : (limit - 88) / 56;
    assert_int_equal(launch->word_count, limit < 88 ? 0 : 22);
    assert_int_equal(launch->record_count, records < 4 ? records : 4);
    assert_int_equal(launch->limited, records < 4);
    assert_int_equal(launch->truncated, records < 4);
    ws_stream_destroy(cutter);
    ws_reader_destroy(reader);
}

static void keeps_its_limit(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    const uint32_t shader = stream_shader(stream, WS_STAGE_RAYGEN, lengths, 2);
    put_launch(stream, shader, 8);
    stream_end(stream);
    stream_finish(stream);
    for (uint64_t limit = 0; limit < 400; ++limit)
        check_limited(stream, limit);
    check_limited(stream, UINT64_MAX);
    stream_destroy(stream);
}

/* Words that no shader of the launch writes end its records. */
static void refuses_what_contradicts(void **state)
{
    (void)state;
    static const uint32_t wrong[][4] = {
        {WS_CONTEXT_NONE, 0, 0, 0},
        {0, 0xffff0000u, 0, 0},
        {0, 0, 0, 0},
        {77, 0, 0, 0},
    };
    for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        bool truncated[4];
        uint32_t counts[4];
        struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
        const uint32_t shader = stream_shader(stream, WS_STAGE_RAYGEN, lengths, 2);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 64, 1, 1);
        stream_enter_rays(stream, 0, shader, ws_lanes_first(8), 0);
        stream_words(stream, 0, wrong[i], 4, false);
        stream_end(stream);
        stream_finish(stream);
        assert_int_equal(read_all(stream, 8, truncated, counts), 1);
        assert_true(truncated[0]);
        assert_int_equal(counts[0], 1);
        stream_destroy(stream);
    }
}

/* Each member of a chunk has a name, lies within its struct, and all fit the room that reader.h promises. */
static void describes_its_structs(void **state)
{
    (void)state;
    const struct ws_members *members = ws_reader_members(WS_CHUNK_SHADER);
    assert_non_null(members);
    assert_int_equal(members->size, sizeof(struct ws_chunk_shader));
    assert_string_equal(members->list[4].name, "name");
    assert_int_equal(members->list[4].offset, offsetof(struct ws_chunk_shader, name));
    assert_null(ws_reader_members(0));
    assert_int_equal(sizeof(struct ws_chunk), 24 + 256);
    assert_int_equal(offsetof(struct ws_chunk, info), 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_every_record),        cmocka_unit_test(gives_what_is_there),
        cmocka_unit_test(restores_fixed_words),     cmocka_unit_test(keeps_its_limit),
        cmocka_unit_test(refuses_what_contradicts), cmocka_unit_test(describes_its_structs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
