/* Records of paths (records.h) in streams written by hand: the replay (replay.h) and those who cut records (stream.h) tell the
 * same places, in the same order; and what cannot be is refused. */
#include <inttypes.h>
#include <stdlib.h>

#include "tests/unit/analysis/model/replay_hand.h"
#include "warpscope/capture/budget.h"
#include "warpscope/stream.h"

/* The blocks of the shader: A, a loop of H, B, C, D, then E of the class of A; the blocks F and G of a function. */
enum { A, H, B, C, D, E, F, G, BLOCKS };

/* Sites of its paths: over the loop, to E; of a call of the function; of a loop in one arm of a branch, to E; of what all lanes
 * come by. */
enum {
    LOOP = 0,
    LOOP_TURNS = 1,
    CALL = 8,
    ARM = 11,
    ARM_TURNS = 12,
    PLAIN = 17,
    TURNS_AFTER = 19,
    ADDS = 20,
    SITES = 27,
};

static void list_sites(struct ws_site_info sites[SITES])
{
    static const struct {
        uint32_t kind, tag, row;
    } list[SITES] = {
        {WS_SITE_PATH, 0, 3},
        {WS_SITE_PATH_TURNS, 0, LOOP},
        {WS_SITE_PATH_STEP, WS_STEP_ALL, A},
        {WS_SITE_PATH_STEP, WS_STEP(0, 0), H},
        {WS_SITE_PATH_STEP, WS_STEP(0, 1), B},
        {WS_SITE_PATH_STEP, WS_STEP(0, 2), C},
        {WS_SITE_PATH_STEP, WS_STEP(0, 1), D},
        {WS_SITE_PATH_STEP, WS_STEP_ALL, E},
        {WS_SITE_PATH, 0, 1},
        {WS_SITE_PATH_STEP, WS_STEP_ALL, F},
        {WS_SITE_PATH_STEP, WS_STEP(0, 11), G},
        {WS_SITE_PATH, 0, 4},
        {WS_SITE_PATH_TURNS, 1, ARM},
        {WS_SITE_PATH_STEP, WS_STEP(0, 0), B},
        {WS_SITE_PATH_STEP, WS_STEP(1, 0), H},
        {WS_SITE_PATH_STEP, WS_STEP(1, 1), C},
        {WS_SITE_PATH_STEP, WS_STEP_ALL, E},
        {WS_SITE_PATH, 0, 0},
        {WS_SITE_PATH_STEP, WS_STEP_ALL, D},
        {WS_SITE_PATH, 0, 0},
        {WS_SITE_PATH, 0, 3},
        {WS_SITE_PATH_TURNS, WS_TURNS(0, 1) | WS_TURNS_MARKED, ADDS},
        {WS_SITE_PATH_STEP, WS_STEP(0, WS_STEP_TURN), H},
        {WS_SITE_PATH_STEP, WS_STEP_REST(0, WS_STEP_LAST, 0), B},
        {WS_SITE_PATH_STEP, WS_STEP(0, 0), C},
        {WS_SITE_PATH_STEP, WS_STEP_REST(0, 0, 1), D},
        {WS_SITE_PATH_STEP, WS_STEP_ALL, E},
    };
    for (uint32_t i = 0; i < SITES; i++) {
        sites[i] = (struct ws_site_info){WS_NONE, list[i].tag, list[i].kind, A, 0, list[i].row};
        if (list[i].kind == WS_SITE_PATH_STEP)
            sites[i].row = stream_number(WS_SITE_PLACE_BLOCK, list[i].row);
    }
}

/* A warp of two lanes. */
static struct stream *begin(uint32_t bins, uint32_t piece_words, uint32_t *context, uint32_t *first)
{
    static const uint32_t counts[BLOCKS] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct ws_site_info sites[SITES];
    list_sites(sites);
    struct stream *stream = replay_begin(bins, piece_words);
    const uint32_t raygen = stream_shader_paths(stream, WS_STAGE_RAYGEN, counts, BLOCKS, sites, SITES, first);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 2, 1, 1);
    *context = stream_enter_rays(stream, 0, raygen, lanes(3), 0);
    return stream;
}

struct told {
    uint32_t block;
    uint32_t lanes;
};

/* The records of blocks that are cut from the stream. */
static void expect_cut(const struct stream *stream, const struct told *expected, uint32_t count)
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    const struct ws_stream_launch *launch = NULL;
    uint32_t found = 0;
    struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
    struct ws_stream *cutter = ws_stream_create();
    assert_true(reader != NULL && cutter != NULL);
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK) {
        assert_true(ws_stream_take(cutter, &chunk, &launch, &error));
        for (uint32_t i = 0; launch != NULL && i < launch->record_count; i++) {
            const struct ws_record *record = &launch->records[i];
            if (record->kind != WS_SITE_PLACE_BLOCK)
                continue;
            assert_true(found < count);
            assert_int_equal(record->site, stream_number(WS_SITE_PLACE_BLOCK, expected[found].block));
            assert_int_equal(record->lanes[0], expected[found].lanes);
            assert_int_equal(record->words_per_lane, 0);
            found++;
        }
        assert_true(launch == NULL || !launch->truncated);
    }
    assert_int_equal(found, count);
    ws_stream_destroy(cutter);
    ws_reader_destroy(reader);
}

/* What the replay is to tell of these blocks, by a warp that ends then. The caller frees it. */
static char *text_of(const struct told *expected, uint32_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("launch 0 2x1x1 'work'\nenter c0 shader 0 depth 0 warp 0 3 thread 0,0,0\n", out);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "block c0 %" PRIu32 " %" PRIx32 "\n", expected[i].block, expected[i].lanes);
    fputs("end c0 5 3\nleave c0 3\nclose c0\nthreads 2\nwarp 0 index 0 lanes 2\n", out);
    fclose(out);
    return text;
}

/* The turns of a loop around the path, of which lane 0 runs one and lane 1 two: what waits is of the path that comes next. Then
 * the function, of which lane 1 skips G; then lane 0 comes to the loop in the arm, and leaves in its first turn; then what both
 * come by, and the end. */
static void loops_functions_and_arms(void **state)
{
    (void)state;
    static const struct told expected[] = {
        {A, 3}, {H, 3}, {B, 3}, {C, 1}, {D, 3}, {H, 3}, {B, 3}, {C, 2}, {D, 3}, {H, 3},
        {B, 3}, {D, 3}, {H, 3}, {B, 3}, {D, 3}, {H, 3}, {E, 3}, /* as in records.h */
        {A, 2}, {H, 2}, {B, 2}, {D, 2}, {H, 2}, {B, 2}, {D, 2}, {H, 2}, {B, 2}, {C, 2},
        {D, 2}, {H, 2}, {E, 2}, {F, 3}, {G, 1}, {B, 1}, {H, 1}, {C, 1}, {E, 3}, {D, 3}};
    enum { COUNT = sizeof(expected) / sizeof(expected[0]) };
    static const uint32_t widths[] = {8, 16, 32, 128};
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t context, first;
        struct stream *stream = begin(widths[i % 4], i / 4, &context, &first);
        stream_data(stream, context, first + LOOP_TURNS, lanes(1), (const uint32_t[]){7, 1}, 2);
        stream_data(stream, context, first + LOOP_TURNS, lanes(2), (const uint32_t[]){3, 1}, 2);
        stream_data(stream, context, first + LOOP_TURNS, lanes(2), (const uint32_t[]){7, 1}, 2);
        stream_data(stream, context, first + LOOP, lanes(3), (const uint32_t[]){1, 3, 3, 1, 3, 2}, 3);
        stream_data(stream, context, first + LOOP_TURNS, lanes(2), (const uint32_t[]){3, 2}, 2);
        stream_data(stream, context, first + LOOP, lanes(2), (const uint32_t[]){1, 7, 1}, 3);
        stream_data(stream, context, first + CALL, lanes(3), (const uint32_t[]){1 << 11, 0}, 1);
        stream_data(stream, context, first + ARM, lanes(3), (const uint32_t[]){1, 3, 0, 0, 0, 0, 0, 0}, 4);
        stream_site(stream, context, first + PLAIN, lanes(3));
        place(stream, context, WS_SITE_PLACE_END, E, 3);
        stream_end(stream);
        stream_writer(stream);
        char *text = text_of(expected, COUNT);
        struct ws_replay_losses losses;
        struct replay_sum sum = {0};
        stream_finish(stream);
        expect_cut(stream, expected, COUNT);
        stream_replay(stream, &replay_sum_operations, &sum, 2, &losses);
        assert_true(sum.blocks == COUNT && losses.records == 11 && losses.malformed == 0);
        struct replay_log log = {NULL, 0};
        char *told = NULL;
        size_t size = 0;
        log.out = open_memstream(&told, &size);
        assert_non_null(log.out);
        stream_replay(stream, &replay_log_operations, &log, 1, &losses);
        fclose(log.out);
        assert_string_equal(told, text);
        free(told);
        free(text);
        stream_destroy(stream);
    }
}

/* How the launch of a stream was cut. */
struct cut {
    bool truncated;
    uint32_t records;
};

static struct cut cut_of(const struct stream *stream)
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    const struct ws_stream_launch *launch = NULL;
    struct cut cut = {false, 0};
    struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
    struct ws_stream *cutter = ws_stream_create();
    assert_true(reader != NULL && cutter != NULL);
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK) {
        assert_true(ws_stream_take(cutter, &chunk, &launch, &error));
        if (launch != NULL)
            cut = (struct cut){launch->truncated, launch->record_count};
    }
    ws_stream_destroy(cutter);
    ws_reader_destroy(reader);
    return cut;
}

/* A record of these words per lane in lanes 0 and 1, and the end of lanes: one of them makes no sense. */
static void refuse(uint32_t site, const uint32_t *words, uint32_t words_per_lane, uint64_t mask,
                   uint64_t ends)
{
    uint32_t context, first;
    struct ws_replay_losses losses;
    struct replay_sum sum = {0};
    struct stream *stream = begin(8, 0, &context, &first);
    if (words_per_lane > 0)
        stream_data(stream, context, first + site, lanes(mask), words, words_per_lane);
    else
        stream_site(stream, context, first + site, lanes(mask));
    place(stream, context, WS_SITE_PLACE_END, E, ends);
    stream_end(stream);
    stream_finish(stream);
    stream_replay(stream, &replay_sum_operations, &sum, 1, &losses);
    assert_true(losses.malformed == 1 && losses.truncated == 1 && cut_of(stream).truncated);
    stream_destroy(stream);
}

static void what_cannot_be(void **state)
{
    (void)state;
    static const uint32_t words[16] = {1, 3, 3, 1, 3, 2};
    refuse(LOOP + 2, words, 0, 3, 3);        /* a step has no records */
    refuse(TURNS_AFTER + 1, words, 0, 3, 3); /* beyond the sites */
    refuse(LOOP, words, 3, 7, 3);            /* lane 2 never was */
    refuse(LOOP_TURNS, words, 2, 3, 2);      /* lane 1 ends while its turns wait for a path */
    refuse(LOOP, words, 4, 3, 3);            /* what is behind its words begins no record */
}

/* Sites that contradict each other: the reader refuses them, so nothing is known of the shader. */
static void sites_that_cannot_be(void **state)
{
    (void)state;
    static const struct {
        uint32_t site, kind, row;
        const char *text;
    } list[] = {
        {LOOP, WS_SITE_PATH, 256, "more words per lane"},
        {LOOP_TURNS, WS_SITE_PATH_TURNS, LOOP_TURNS, "no path"},
        {LOOP_TURNS, WS_SITE_PATH_TURNS, 100000, "no path"},
        {LOOP + 2, WS_SITE_PATH_STEP, 100000, "a step beyond"},
        {LOOP + 2, WS_SITE_PATH_STEP, 0, "a step that is no place"},
        {LOOP + 3, WS_SITE_PATH_STEP, 2, "a step that begins no block"}, /* it stands before a call */
        {ARM + 2, WS_SITE_PATH_STEP, 4, "a step that begins no block"},  /* it is an end */
        {LOOP, WS_SITE_PATH_STEP, 1, "stands behind none"},
    };
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        static const uint32_t counts[BLOCKS] = {1, 1, 1, 1, 1, 1, 1, 1};
        struct ws_site_info sites[SITES];
        struct ws_error error = {{0}};
        struct ws_chunk chunk;
        uint32_t first;
        list_sites(sites);
        sites[list[i].site].kind = list[i].kind;
        sites[list[i].site].row = list[i].row;
        struct stream *stream = replay_begin(8, 0);
        stream_shader_paths(stream, WS_STAGE_RAYGEN, counts, BLOCKS, sites, SITES, &first);
        stream_finish(stream);
        struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
        assert_non_null(reader);
        enum ws_read_result result = WS_READ_CHUNK;
        while (result == WS_READ_CHUNK && error.message[0] == '\0')
            result = ws_reader_next(reader, &chunk, &error);
        if (result != WS_READ_ERROR || strstr(error.message, list[i].text) == NULL)
            fail_msg("case %zu: '%s'", i, error.message);
        ws_reader_destroy(reader);
        stream_destroy(stream);
    }
}

/* Four billion turns of three blocks in one word: the budget ends the replay, which is no fault of the record; and no more
 * records are cut than stream.h says. */
static void turns_without_end(void **state)
{
    (void)state;
    uint32_t context, first;
    struct ws_error error = {{0}};
    struct ws_replay_losses losses;
    struct replay_sum sum = {0};
    struct stream *stream = begin(8, 0, &context, &first);
    stream_data(stream, context, first + LOOP, lanes(3),
                (const uint32_t[]){1, 3, UINT32_MAX, 1, 3, UINT32_MAX}, 3);
    place(stream, context, WS_SITE_PLACE_END, E, 3);
    stream_end(stream);
    stream_finish(stream);
    ws_budget_begin(0);
    ws_budget_set_least(1 << 22);
    stream_replay(stream, &replay_sum_operations, &sum, 1, &losses);
    assert_true(ws_budget_exceeded(&error) && strstr(error.message, "more work than") != NULL);
    assert_true(losses.malformed == 0 && losses.truncated == 1 && sum.truncated == 1);
    assert_true(sum.blocks > 1000 && sum.blocks < 1 << 21);
    ws_budget_set_least(0);
    ws_budget_begin(600);
    const struct cut cut = cut_of(stream);
    assert_true(cut.truncated);
    assert_int_equal(cut.records,
                     WS_STREAM_RECORDS_LEAST + WS_STREAM_RECORDS_PER_WORD * stream_word_count(stream));
    stream_destroy(stream);
}

/* A path shows lane 1 again, which is in the closest hit shader that it called: that has ended before the first place. */
static void lanes_that_were_away(void **state)
{
    (void)state;
    static const uint32_t counts[BLOCKS] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct ws_site_info sites[SITES];
    struct ws_replay_losses losses;
    uint32_t first;
    list_sites(sites);
    struct stream *stream = replay_begin(8, 0);
    const uint32_t raygen =
        stream_shader_paths(stream, WS_STAGE_RAYGEN, counts, BLOCKS, sites, SITES, &first);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 2, 1, 1);
    const uint32_t context = stream_enter_rays(stream, 0, raygen, lanes(3), 0);
    place(stream, context, WS_SITE_PLACE_BEFORE, A, 2);
    stream_enter_rays(stream, 0, hit, lanes(2), 0);
    stream_data(stream, context, first + CALL, lanes(3), (const uint32_t[]){0, 1u << 11}, 1);
    place(stream, context, WS_SITE_PLACE_END, E, 3);
    stream_end(stream);
    replay_expect(stream,
                  "launch 0 2x1x1 'work'\n"
                  "enter c0 shader 0 depth 0 warp 0 3 thread 0,0,0\n"
                  "before c0 0 2\n"
                  "enter c1 shader 1 depth 1 from c0 warp 0 2 thread 1,0,0\n"
                  "leave c1 2\n"
                  "close c1\n"
                  "block c0 6 3\n"
                  "block c0 7 2\n"
                  "end c0 5 3\n"
                  "leave c0 3\n"
                  "close c0\n"
                  "threads 2\n"
                  "warp 0 index 0 lanes 2\n",
                  &losses);
    assert_true(losses.malformed == 0 && losses.truncated == 0);
}

/* Lane 1 has ended and comes by a path: what follows is dropped, by one worker or by two. */
static void lanes_that_have_ended(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        uint32_t context, first;
        struct ws_replay_losses losses;
        struct replay_sum sum = {0};
        struct stream *stream = begin(8, 0, &context, &first);
        place(stream, context, WS_SITE_PLACE_BLOCK, A, 3);
        place(stream, context, WS_SITE_PLACE_END, E, 2);
        stream_data(stream, context, first + CALL, lanes(3), (const uint32_t[]){0, 0}, 1);
        place(stream, context, WS_SITE_PLACE_END, E, 1);
        stream_end(stream);
        stream_finish(stream);
        stream_replay(stream, &replay_sum_operations, &sum, workers, &losses);
        assert_true(losses.malformed == 1 && losses.truncated == 1);
        assert_int_equal(sum.blocks, 1);
        stream_destroy(stream);
    }
}

/* ---- consumers that only add up ---- */

/* Of blocks, by lane. */
struct added {
    uint64_t executions[BLOCKS];
    uint64_t times[BLOCKS][2];
    uint64_t calls;
};

static void *added_create(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    (void)launch;
    return calloc(1, sizeof(struct added));
}

static bool added_place(void *part, struct ws_context *context, const struct ws_replay_place *place,
                        struct ws_lanes lanes)
{
    struct added *added = part;
    (void)context;
    if (place->tag != WS_SITE_PLACE_BLOCK)
        return true;
    added->calls++;
    added->executions[place->block]++;
    added->times[place->block][0] += ws_lanes_has(lanes, 0);
    added->times[place->block][1] += ws_lanes_has(lanes, 1);
    return true;
}

static bool added_sum(void *part, struct ws_context *context, const struct ws_replay_place *place,
                      const struct ws_replay_sum *sum)
{
    struct added *added = part;
    (void)context;
    assert_int_equal(sum->lanes.low, 3);
    assert_int_equal(sum->active, sum->times[0] + sum->times[1]);
    added->calls++;
    added->executions[place->block] += sum->executions;
    added->times[place->block][0] += sum->times[0];
    added->times[place->block][1] += sum->times[1];
    return true;
}

static bool added_merge(void *results, void *part, const struct ws_replay_threads *threads)
{
    (void)threads;
    *(struct added *)results = *(const struct added *)part;
    return true;
}

/* Turns that are alike cost as much as one. */
static bool added_alike(void *part, struct ws_context *context, const struct ws_replay_turn *places,
                        uint32_t count, uint64_t turns)
{
    struct added *added = part;
    (void)context;
    assert_true(turns >= WS_REPLAY_ALIKE);
    added->calls++;
    for (uint32_t i = 0; i < count; i++) {
        added->executions[places[i].place->block] += turns;
        for (uint32_t lane = 0; lane < 2; lane++)
            added->times[places[i].place->block][lane] += ws_lanes_has(places[i].lanes, lane) ? turns : 0;
    }
    return true;
}

static bool never(const void *results, uint32_t shader)
{
    (void)results;
    assert_int_equal(shader, 0);
    return false;
}

static const struct ws_replay_operations adding = {
    .pass = STREAM_PASS,
    .create = added_create,
    .destroy = free,
    .place = added_place,
    .sum = added_sum,
    .merge = added_merge,
};

static void assert_same(const struct added *added, const struct added *expected)
{
    assert_memory_equal(added->executions, expected->executions, sizeof(added->executions));
    assert_memory_equal(added->times, expected->times, sizeof(added->times));
    assert_int_equal(added->calls, expected->calls);
}

/* Lane 0 runs the turns 1 0 0 0 and its last one, lane 1 0 1 and its last one. Who wants the order is told each turn; who adds
 * up is told the sums in the same replay. */
static void turns_for_all(void **state)
{
    (void)state;
    static const struct told expected[] = {{H, 3}, {B, 3}, {C, 1}, {D, 2}, {H, 3}, {B, 3}, {C, 2}, {D, 1},
                                           {H, 3}, {B, 1}, {D, 1}, {H, 1}, {B, 1}, {D, 1}, {H, 1}, {E, 3}};
    static const struct added sums = {{[H] = 5, [B] = 4, [C] = 2, [D] = 4, [E] = 1},
                                      {[H] = {5, 3}, [B] = {4, 2}, [C] = {1, 1}, [D] = {3, 1}, [E] = {1, 1}},
                                      5};
    struct added one_by_one = sums;
    struct ws_replay_operations refusing = adding;
    refusing.adds_up = never;
    one_by_one.calls = 16;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        uint32_t context, first;
        struct stream *stream = begin(16, 0, &context, &first);
        stream_data(stream, context, first + ADDS, lanes(3), (const uint32_t[]){060, 0, 0, 012, 0, 0}, 3);
        place(stream, context, WS_SITE_PLACE_END, E, 3);
        stream_end(stream);
        stream_finish(stream);
        struct replay_log log = {NULL, 0};
        struct added alone, mixed, refused;
        char *told = NULL, *text = text_of(expected, sizeof(expected) / sizeof(expected[0]));
        size_t size = 0;
        log.out = open_memstream(&told, &size);
        assert_non_null(log.out);
        const struct ws_replay_operations *const all[] = {&adding, &replay_log_operations, &refusing};
        stream_replay(stream, &adding, &alone, workers, NULL);
        stream_replay_each(stream, all, (void *const[]){&mixed, &log, &refused}, 3, workers);
        fclose(log.out);
        assert_same(&alone, &sums);
        assert_same(&mixed, &sums);
        assert_same(&refused, &one_by_one);
        assert_string_equal(told, text);
        free(told);
        free(text);
        stream_destroy(stream);
    }
}

/* 2^31 groups of 30 turns, with C in the first of each, and a last turn: they cost no more than one of them. */
static void turns_by_the_billion(void **state)
{
    (void)state;
    const uint32_t group = 1u << 30 | 1u << 29, many = 1u << 31;
    const uint64_t all = (uint64_t)many * 30;
    const struct added sums = {{[H] = all + 1, [B] = all, [C] = many, [D] = all - many, [E] = 1},
                               {[H] = {all + 1, all + 1},
                                [B] = {all, all},
                                [C] = {many, many},
                                [D] = {all - many, all - many},
                                [E] = {1, 1}},
                               5};
    uint32_t context, first;
    struct added added;
    struct stream *stream = begin(16, 0, &context, &first);
    const uint32_t words[] = {2, group, many, 2, group, many};
    stream_data(stream, context, first + ADDS, lanes(3), words, 3);
    place(stream, context, WS_SITE_PLACE_END, E, 3);
    stream_end(stream);
    stream_finish(stream);
    ws_budget_begin(0);
    stream_replay(stream, &adding, &added, 1, NULL);
    assert_false(ws_budget_exceeded(NULL));
    assert_in_range(ws_budget_spent(), all >> 16, 8 * (all >> 16));
    assert_same(&added, &sums);
    stream_destroy(stream);
}

/* Lane 0 has 2^31 turns that are alike and lane 1 a thousand fewer, then each its last one. Who can is told of them twice,
 * and of the last ones one by one. */
static void turns_at_once(void **state)
{
    (void)state;
    const uint64_t all = 1u << 31, less = 1000;
    const struct added sums = {
        {[H] = all + 1, [B] = all, [C] = all, [D] = 0, [E] = 1},
        {[H] = {all + 1, all - less + 1}, [B] = {all, all - less}, [C] = {all, all - less}, [E] = {1, 1}},
        2 + 3 + 1 + 1};
    struct ws_replay_operations leaping = adding;
    leaping.sum = NULL;
    leaping.alike = added_alike;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        uint32_t context, first;
        struct added added, adds;
        const struct ws_replay_operations *const both[] = {&leaping, &adding};
        struct stream *stream = begin(16, 0, &context, &first);
        const uint32_t words[] = {2, 3, (uint32_t)all, 2, 3, (uint32_t)(all - less)};
        stream_data(stream, context, first + ADDS, lanes(3), words, 3);
        place(stream, context, WS_SITE_PLACE_END, E, 3);
        stream_end(stream);
        stream_finish(stream);
        ws_budget_begin(0);
        stream_replay_each(stream, both, (void *const[]){&added, &adds}, 2, workers);
        assert_false(ws_budget_exceeded(NULL));
        assert_in_range(ws_budget_spent(), all >> 16, 16 * (all >> 16));
        assert_memory_equal(added.times, adds.times, sizeof(added.times));
        assert_same(&added, &sums);
        stream_destroy(stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_functions_and_arms),
                                       cmocka_unit_test(what_cannot_be),
                                       cmocka_unit_test(sites_that_cannot_be),
                                       cmocka_unit_test(turns_without_end),
                                       cmocka_unit_test(lanes_that_were_away),
                                       cmocka_unit_test(lanes_that_have_ended),
                                       cmocka_unit_test(turns_for_all),
                                       cmocka_unit_test(turns_by_the_billion),
                                       cmocka_unit_test(turns_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
