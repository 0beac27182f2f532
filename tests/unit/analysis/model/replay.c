/* The replay against streams written by hand, for which every event is known. */
#include "tests/unit/analysis/model/replay_hand.h"
#include "warpscope/capture/budget.h"

/* Consumers are told what data records leave out: of the site of block 0 its word 1, which is 7, of block 1 both. */
static void fixed_words(void **state)
{
    (void)state;
    const uint32_t sites[] = {stream_number(WS_SITE_DATA, 0), stream_number(WS_SITE_DATA, 1)};
    const struct ws_fixed_word fixed[] = {{sites[0], 1, 7}, {sites[1], 0, 5}, {sites[1], 1, 6}};
    for (uint32_t bins = 8; bins <= 32; bins *= 4) {
        struct stream *stream = stream_create(
            &(struct stream_options){.bins = bins, .piece_words = 1, .fixed = fixed, .fixed_count = 3});
        const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 2);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 3, 1, 1);
        const uint32_t context = stream_enter_rays(stream, 0, raygen, lanes(0x07), 0);
        stream_data(stream, context, sites[0], lanes(0x05), (const uint32_t[]){70, 71}, 1);
        stream_data(stream, context, sites[1], lanes(0x02), NULL, 0);
        stream_site(stream, context, sites[1], lanes(0x07));
        place(stream, context, WS_SITE_PLACE_END, 1, 0x07);
        stream_end(stream);
        struct ws_replay_losses losses;
        replay_expect(stream,
                      "launch 0 3x1x1 'work'\n"
                      "enter c0 shader 0 depth 0 warp 0 7 thread 0,0,0\n"
                      "data c0 5 70 7 71 7\n"
                      "data c0 2 5 6\n"
                      "data c0 7 5 6 5 6 5 6\n"
                      "end c0 1 7\n"
                      "leave c0 7\n"
                      "close c0\n"
                      "threads 3\n"
                      "warp 0 index 0 lanes 3\n",
                      &losses);
        assert_true(losses.records == 5 && losses.malformed == 0);
        /* An entry of 3 lanes; two words of data, two records without, an end; beyond 16 lanes a mask behind two of these. */
        assert_true(losses.bytes == 4 * (7 + 4 + 2 + 2 + 2 + (bins > 16 ? 2 : 0)));
    }
}

/* Two words of the file that stand for 256 are paid for as these: the budget ends the replay, which is no fault of a record. */
static void fixed_words_cost(void **state)
{
    (void)state;
    enum { RECORDS = 20000 };
    struct ws_error error = {{0}};
    struct ws_replay_losses losses;
    struct replay_sum sum = {0};
    const uint32_t site = stream_number(WS_SITE_DATA, 0);
    const struct ws_fixed_word fixed[] = {{site, 0, 5}, {site, 1, 6}};
    struct stream *stream =
        stream_create(&(struct stream_options){.bins = 128, .fixed = fixed, .fixed_count = 2});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 128, 1, 1);
    const uint32_t context = stream_enter_rays(stream, 0, raygen, ws_lanes_first(128), 0);
    for (uint32_t i = 0; i < RECORDS; ++i)
        stream_site(stream, context, site, ws_lanes_first(128));
    stream_end(stream);
    assert_true(stream_word_count(stream) < 2 * RECORDS + 1000);
    stream_finish(stream);
    ws_budget_begin(0);
    ws_budget_set_least(1 << 22);
    stream_replay(stream, &replay_sum_operations, &sum, 1, &losses);
    assert_true(ws_budget_exceeded(&error));
    assert_true(losses.malformed == 0 && losses.truncated == 1);
    ws_budget_set_least(0);
    ws_budget_begin(0);
    stream_destroy(stream);
}

/* Ray generation of two warps, the second partial; a closest-hit shader by some lanes of the first; a record
 * of a place after the call. Pieces of one word. */
static void calls(void **state)
{
    (void)state;
    struct stream *stream = replay_begin(8, 1);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 5, 2, 1);
    const uint32_t late = stream_enter_rays(stream, 0, raygen, lanes(0x03), 8);
    const uint32_t first = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
    block(stream, first, 0, 0xff);
    place(stream, first, WS_SITE_PLACE_BEFORE, 0, 0x3c);
    const uint32_t inner = stream_enter_rays(stream, 0, hit, lanes(0x0c), 0);
    block(stream, inner, 0, 0x0c);
    stream_data(stream, inner, stream_number(WS_SITE_DATA, 0), lanes(0x04), (const uint32_t[]){70, 71}, 2);
    block(stream, late, 0, 0x03);
    place(stream, inner, WS_SITE_PLACE_END, 0, 0x04);
    place(stream, inner, WS_SITE_PLACE_END, 0, 0x08);
    place(stream, first, WS_SITE_PLACE_AFTER, 0, 0x3c);
    place(stream, first, WS_SITE_PLACE_END, 2, 0x0f);
    place(stream, first, WS_SITE_PLACE_END, 2, 0xf0);
    stream_end(stream);
    struct ws_replay_losses losses;
    replay_expect(stream,
                  "launch 0 5x2x1 'work'\n"
                  "enter c0 shader 0 depth 0 warp 0 3 thread 3,1,0\n"
                  "enter c1 shader 0 depth 0 warp 1 ff thread 0,0,0\n"
                  "block c1 0 ff\n"
                  "before c1 0 3c\n"
                  "enter c2 shader 1 depth 1 from c1 warp 1 c thread 2,0,0\n"
                  "block c2 0 c\n"
                  "data c2 4 70 71\n"
                  "block c0 0 3\n"
                  "end c2 0 4\n"
                  "leave c2 4\n"
                  "end c2 0 8\n"
                  "leave c2 8\n"
                  "close c2\n"
                  "after c1 0 3c\n"
                  "end c1 2 f\n"
                  "leave c1 f\n"
                  "end c1 2 f0\n"
                  "leave c1 f0\n"
                  "close c1\n"
                  "close c0 3\n"
                  "threads 10\n"
                  "warp 0 index 1 lanes 2\n"
                  "warp 1 index 0 lanes 8\n",
                  &losses);
    assert_true(losses.launches == 1 && losses.records == 13);
    assert_true(losses.truncated == 0 && losses.malformed == 0 && losses.missing == 0);
    assert_true(losses.regrouped == 0 && losses.unrooted == 0 && losses.sufficient == 0);
    /* Entries of 2, 8 and 2 lanes, the data of one, nine places. */
    assert_true(losses.bytes == 4 * (6 + 12 + 6 + 4 + 9 * 2));
}

/* Ray generation, closest hit, closest hit, callable, callable: each called by the one before. */
static void recursion(void **state)
{
    (void)state;
    struct stream *stream = replay_begin(64, 7);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
    const uint32_t callable = stream_shader(stream, WS_STAGE_CALLABLE, replay_counts, 1);
    const uint64_t all = UINT64_C(0xffffffffffffffff);
    uint32_t contexts[5];
    const uint32_t shaders[] = {raygen, hit, hit, callable, callable};
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 64, 1, 1);
    for (int i = 0; i < 5; ++i)
        contexts[i] = stream_enter_rays(stream, 0, shaders[i], lanes(all << (8 * i)), 0);
    for (int i = 4; i >= 0; --i) {
        block(stream, contexts[i], 0, all << (8 * i));
        place(stream, contexts[i], WS_SITE_PLACE_END, 0, all << (8 * i));
    }
    stream_end(stream);
    replay_expect(stream,
                  "launch 0 64x1x1 'work'\n"
                  "enter c0 shader 0 depth 0 warp 0 ffffffffffffffff thread 0,0,0\n"
                  "enter c1 shader 1 depth 1 from c0 warp 0 ffffffffffffff00 thread 8,0,0\n"
                  "enter c2 shader 1 depth 2 from c1 warp 0 ffffffffffff0000 thread 16,0,0\n"
                  "enter c3 shader 2 depth 3 from c2 warp 0 ffffffffff000000 thread 24,0,0\n"
                  "enter c4 shader 2 depth 4 from c3 warp 0 ffffffff00000000 thread 32,0,0\n"
                  "block c4 0 ffffffff00000000\n"
                  "end c4 0 ffffffff00000000\n"
                  "leave c4 ffffffff00000000\n"
                  "close c4\n"
                  "block c3 0 ffffffffff000000\n"
                  "end c3 0 ffffffffff000000\n"
                  "leave c3 ffffffffff000000\n"
                  "close c3\n"
                  "block c2 0 ffffffffffff0000\n"
                  "end c2 0 ffffffffffff0000\n"
                  "leave c2 ffffffffffff0000\n"
                  "close c2\n"
                  "block c1 0 ffffffffffffff00\n"
                  "end c1 0 ffffffffffffff00\n"
                  "leave c1 ffffffffffffff00\n"
                  "close c1\n"
                  "block c0 0 ffffffffffffffff\n"
                  "end c0 0 ffffffffffffffff\n"
                  "leave c0 ffffffffffffffff\n"
                  "close c0\n"
                  "threads 64\n"
                  "warp 0 index 0 lanes 64\n",
                  NULL);
}

/* An intersection shader reports in all lanes; of its any-hit shader lanes 0 and 1 end the ray, which ends
 * their intersection shader without a record: lane 0 enters the closest-hit shader next, lane 1 is seen in
 * ray generation. Lanes 2 and 3 go on in the intersection shader. */
static void any_hit_in_a_trace(void **state)
{
    (void)state;
    struct stream *stream = replay_begin(32, 0);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
    const uint32_t intersection = stream_shader(stream, WS_STAGE_INTERSECTION, replay_counts, 1);
    const uint32_t any_hit = stream_shader(stream, WS_STAGE_ANY_HIT, replay_counts, 1);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
    const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0xf), 0);
    const uint32_t reporter = stream_enter_rays(stream, 0, intersection, lanes(0xf), 0);
    place(stream, reporter, WS_SITE_PLACE_BEFORE, 0, 0xf);
    const uint32_t inner = stream_enter_rays(stream, 0, any_hit, lanes(0xf), 0);
    place(stream, inner, WS_SITE_PLACE_END, 0, 0xf);
    place(stream, reporter, WS_SITE_PLACE_AFTER, 0, 0xc);
    place(stream, reporter, WS_SITE_PLACE_END, 0, 0xc);
    const uint32_t shaded = stream_enter_rays(stream, 0, hit, lanes(0x1), 0);
    place(stream, shaded, WS_SITE_PLACE_END, 0, 0x1);
    block(stream, outer, 0, 0xf);
    place(stream, outer, WS_SITE_PLACE_END, 0, 0xf);
    stream_end(stream);
    replay_expect(stream,
                  "launch 0 4x1x1 'work'\n"
                  "enter c0 shader 0 depth 0 warp 0 f thread 0,0,0\n"
                  "enter c1 shader 1 depth 1 from c0 warp 0 f thread 0,0,0\n"
                  "before c1 0 f\n"
                  "enter c2 shader 2 depth 2 from c1 warp 0 f thread 0,0,0\n"
                  "end c2 0 f\n"
                  "leave c2 f\n"
                  "close c2\n"
                  "after c1 0 c\n"
                  "end c1 0 c\n"
                  "leave c1 c\n"
                  "leave c1 1\n"
                  "enter c3 shader 3 depth 1 from c0 warp 0 1 thread 0,0,0\n"
                  "end c3 0 1\n"
                  "leave c3 1\n"
                  "close c3\n"
                  "leave c1 2\n"
                  "close c1\n"
                  "block c0 0 f\n"
                  "end c0 0 f\n"
                  "leave c0 f\n"
                  "close c0\n"
                  "threads 4\n"
                  "warp 0 index 0 lanes 4\n",
                  NULL);
}

/* A miss shader of threads that were never launched, one of a mix. */
static void unrooted(void **state)
{
    (void)state;
    struct stream *stream = replay_begin(8, 0);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
    const uint32_t miss = stream_shader(stream, WS_STAGE_MISS, replay_counts, 1);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 0, 0, 0);
    stream_enter_rays(stream, 0, raygen, lanes(0x3), 1000000000);
    const uint32_t lost = stream_enter_rays(stream, 0, miss, lanes(0x3), 7);
    place(stream, lost, WS_SITE_PLACE_END, 0, 0x3);
    stream_enter_rays(stream, 0, miss, lanes(0x7), 1000000000);
    stream_end(stream);
    struct ws_replay_losses losses;
    replay_expect(stream,
                  "launch 0 0x0x0 'work'\n"
                  "enter c0 shader 0 depth 0 warp 0 3 thread 1000000000,0,0\n"
                  "enter c1 shader 1 depth 1 3\n"
                  "end c1 0 3\n"
                  "leave c1 3\n"
                  "close c1\n"
                  "enter c2 shader 1 depth 1 from c0 regrouped warp 0 7 thread 1000000000,0,0\n"
                  "close c2 7\n"
                  "close c0 3\n"
                  "threads 2\n"
                  "warp 0 index 0 lanes 2\n",
                  &losses);
    assert_true(losses.unrooted == 2 && losses.regrouped == 1);
}

/* Workgroups of 4 x 2 x 2 threads in warps of 8: the second warp of a group is its second layer. Vertex and
 * fragment shaders of one render pass: warps are ranked by stage. */
static void work_ids(void **state)
{
    (void)state;
    struct stream *stream = replay_begin(8, 0);
    const uint32_t compute =
        stream_shader_sized(stream, WS_STAGE_COMPUTE, (const uint32_t[]){4, 2, 2}, replay_counts, 1);
    const uint32_t vertex = stream_shader(stream, WS_STAGE_VERTEX, replay_counts, 1);
    const uint32_t fragment = stream_shader(stream, WS_STAGE_FRAGMENT, replay_counts, 1);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 3, 2, 1);
    stream_enter(stream, 0, compute, lanes(0xff), (const uint32_t[]){2, 1, 0},
                 (const uint32_t[]){8, 9, 10, 11, 12, 13, 14, 15});
    stream_enter(stream, 0, compute, lanes(0x02), (const uint32_t[]){2, 1, 0}, (const uint32_t[]){5});
    stream_end(stream);
    stream_begin(stream, WS_LAUNCH_RENDER_PASS, 64, 64, 1);
    stream_enter(stream, 0, fragment, lanes(0x01), NULL, (const uint32_t[]){3 | 9 << 16, 1 | 2 << 16});
    stream_enter(stream, 0, vertex, lanes(0x03), NULL, (const uint32_t[]){8, 1, 9, 1});
    stream_enter(stream, 0, vertex, lanes(0x03), NULL, (const uint32_t[]){100, 0, 101, 0});
    stream_enter(stream, 0, fragment, lanes(0x01), NULL, (const uint32_t[]){9 | 3 << 16, 0 | 2 << 16});
    stream_end(stream);
    replay_expect(stream,
                  "launch 0 3x2x1 'work'\n"
                  "enter c0 shader 0 depth 0 warp 0 ff thread 8,2,1\n"
                  "enter c1 shader 0 depth 0 warp 1 2 thread 9,3,0\n"
                  "close c1 2\n"
                  "close c0 ff\n"
                  "threads 9\n"
                  "warp 0 index 1 lanes 8\n"
                  "warp 1 index 0 lanes 1\n"
                  "launch 1 64x64x1 'work'\n"
                  "enter c2 shader 2 depth 0 warp 0 1 thread 589827,131073,0\n"
                  "enter c3 shader 1 depth 0 warp 1 3 thread 8,1,0\n"
                  "enter c4 shader 1 depth 0 warp 2 3 thread 100,0,0\n"
                  "enter c5 shader 2 depth 0 warp 3 1 thread 196617,131072,0\n"
                  "close c5 1\n"
                  "close c4 3\n"
                  "close c3 3\n"
                  "close c2 1\n"
                  "threads 6\n"
                  "warp 0 index 1 lanes 1\n"
                  "warp 1 index 1 lanes 2\n"
                  "warp 2 index 0 lanes 2\n"
                  "warp 3 index 0 lanes 1\n",
                  NULL);
}

/* Where the workgroup size is not known, threads have the id of their workgroup, and that is told. */
static void unsized(void **state)
{
    (void)state;
    struct replay_sum sum = {0};
    struct ws_replay_losses losses;
    for (uint32_t i = 0; i < 2; ++i) {
        struct stream *stream = replay_begin(8, 0);
        const uint32_t size = i == 0 ? 0 : 4;
        const uint32_t compute = stream_shader_sized(stream, WS_STAGE_COMPUTE,
                                                     (const uint32_t[]){size, size, size}, replay_counts, 1);
        stream_begin(stream, WS_LAUNCH_DISPATCH, 3, 2, 1);
        stream_enter(stream, 0, compute, lanes(0x03), (const uint32_t[]){2, 1, 0},
                     (const uint32_t[]){62, 63});
        stream_enter(stream, 0, compute, lanes(0x01), (const uint32_t[]){0, 1, 0}, (const uint32_t[]){62});
        stream_end(stream);
        if (i == 0)
            replay_expect(stream,
                          "launch 0 3x2x1 'work'\n"
                          "enter c0 shader 0 depth 0 warp 0 3 thread 2,1,0\n"
                          "enter c1 shader 0 depth 0 warp 1 1 thread 0,1,0\n"
                          "close c1 1\n"
                          "close c0 3\n"
                          "threads 3\n"
                          "warp 0 index 1 lanes 2\n"
                          "warp 1 index 0 lanes 1\n",
                          &losses);
        else {
            stream_finish(stream);
            stream_replay(stream, &replay_sum_operations, &sum, 1, &losses);
            stream_destroy(stream);
        }
        assert_int_equal(losses.unsized, i == 0 ? 2 : 0);
    }
}

/* What a consumer of the pass is told of a stream, and of nothing else. */
static void expect_of(const struct stream *stream, const char *pass, const char *expected)
{
    struct ws_replay_operations operations = replay_log_operations;
    struct ws_replay_losses losses;
    struct replay_log log = {0};
    char *text = NULL;
    size_t size = 0;
    operations.pass = pass;
    log.out = open_memstream(&text, &size);
    assert_non_null(log.out);
    stream_replay(stream, &operations, &log, 1, &losses);
    fclose(log.out);
    assert_string_equal(text, expected);
    free(text);
}

/* One record for a sync point, the block that begins there as two passes ask for it, and what stands before
 * its call; the entry record tells the first block. Each pass hears of its own sites. A launch whose size only the
 * shaders know. */
static void shared_numbers(void **state)
{
    (void)state;
    static const char *const passes[] = {"first", "second", "third", "fourth"};
    static const struct ws_block_info blocks[] = {{10, 5, 5, 1, 4}, {11, 10, 5, 1, 6}};
    static const struct ws_site_info sites[] = {{WS_NONE, 0, WS_SITE_LAUNCH, 0, 6, 0},
                                                {WS_NONE, 0, WS_SITE_ENTRY, 0, 6, 1},
                                                {0, WS_SITE_PLACE_BLOCK, WS_SITE_PLACE_BLOCK, 0, 6, 1},
                                                {2, WS_SITE_PLACE_SYNC, WS_SITE_PLACE_SYNC, 1, 11, 3},
                                                {0, WS_SITE_PLACE_BLOCK, WS_SITE_PLACE_BLOCK, 1, 11, 3},
                                                {1, WS_SITE_PLACE_BLOCK, WS_SITE_PLACE_BLOCK, 1, 11, 3},
                                                {1, WS_SITE_PLACE_BEFORE, WS_SITE_PLACE_BEFORE, 1, 13, 3},
                                                {2, WS_SITE_PLACE_BEFORE, WS_SITE_PLACE_BEFORE, 1, 13, 3},
                                                {1, WS_SITE_PLACE_END, WS_SITE_PLACE_END, 1, 14, 3},
                                                {1, WS_SITE_PLACE_AFTER, WS_SITE_PLACE_AFTER, 1, 13, WS_NONE},
                                                {3, WS_SITE_PLACE_BLOCK, WS_SITE_BLOCK, 1, 11, 0}};
    static const uint32_t function = 1;
    static const struct ws_entry_info entry = {.name = "main",
                                               .stage = WS_STAGE_RAYGEN,
                                               .function = 1,
                                               .row_count = 1,
                                               .functions = &function,
                                               .function_count = 1};
    const struct ws_chunk_sites chunk = {.row_count = 1,
                                         .passes = passes,
                                         .pass_count = 4,
                                         .entries = &entry,
                                         .entry_count = 1,
                                         .blocks = blocks,
                                         .block_count = 2,
                                         .sites = sites,
                                         .site_count = sizeof(sites) / sizeof(sites[0])};
    struct stream *stream = replay_begin(8, 1);
    const uint32_t shader = stream_shader_of(stream, WS_STAGE_RAYGEN, NULL, 20, &chunk, NULL, 0);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 0, 0, 0);
    stream_launch_row(stream, shader, 3, 2, 2);
    /* The entry point's number is 1, which stream_enter does not know. */
    stream_words(stream, 0, (const uint32_t[]){WS_NONE, 3 << 16 | 1, 8 | 1 << 16, 0x1, 10}, 5, false);
    stream_words(stream, 0, (const uint32_t[]){0, 3 << 16 | 0x1}, 2, false);
    stream_end(stream);
    stream_finish(stream);
#define BEGIN "launch 0 3x2x2 'work'\nenter c0 shader 0 depth 0 warp 0 1 thread 1,1,1\n"
#define END   "leave c0 1\nclose c0\nthreads 1\nwarp 0 index 0 lanes 1\n"
    expect_of(stream, "first", BEGIN "block c0 0 1\nblock c0 1 1\n" END);
    expect_of(stream, "second", BEGIN "block c0 1 1\nbefore c0 1 1\nend c0 1 1\n" END);
    expect_of(stream, "third", BEGIN "sync c0 1 1\nbefore c0 1 1\n" END);
    expect_of(stream, "fourth", ""); /* it counts, and records nothing */
    expect_of(stream, "fifth", "");
#undef BEGIN
#undef END
    stream_destroy(stream);
}

/* What one of as many consumers as there may be is told. */
struct told {
    uint32_t entries;
    uint32_t places;
    uint32_t words;
};

static void *told_create(const void *results, const struct ws_launch_record *launch)
{
    (void)results;
    (void)launch;
    return calloc(1, sizeof(struct told));
}

static bool told_enter(void *part, struct ws_context *context, const struct ws_thread *threads)
{
    struct told *told = part;
    (void)context;
    (void)threads;
    told->entries++;
    return true;
}

static bool told_place(void *part, struct ws_context *context, const struct ws_replay_place *place,
                       struct ws_lanes lanes)
{
    struct told *told = part;
    (void)context;
    (void)place;
    (void)lanes;
    told->places++;
    return true;
}

static bool told_data(void *part, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                      const uint32_t *words, uint32_t words_per_lane)
{
    struct told *told = part;
    (void)context;
    (void)site;
    (void)lanes;
    (void)words;
    told->words += words_per_lane;
    return true;
}

static bool told_merge(void *results, void *part, const struct ws_replay_threads *threads)
{
    (void)threads;
    *(struct told *)results = *(const struct told *)part;
    return true;
}

/* The last of as many consumers as there may be is told what the first is. */
static void every_consumer(void **state)
{
    (void)state;
    static const struct ws_replay_operations operations = {.pass = STREAM_PASS,
                                                           .create = told_create,
                                                           .destroy = free,
                                                           .enter = told_enter,
                                                           .place = told_place,
                                                           .data = told_data,
                                                           .merge = told_merge};
    struct stream *stream = replay_begin(8, 64);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t context = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
    block(stream, context, 0, 0xff);
    block(stream, context, 1, 0x0f);
    stream_data(stream, context, stream_number(WS_SITE_DATA, 0), lanes(0x04), (const uint32_t[]){70, 71}, 2);
    place(stream, context, WS_SITE_PLACE_END, 2, 0xff);
    stream_end(stream);
    stream_finish(stream);
    struct told told[WS_CONTEXT_USERS] = {{0}};
    void *results[WS_CONTEXT_USERS];
    for (uint32_t i = 0; i < WS_CONTEXT_USERS; ++i)
        results[i] = &told[i];
    stream_replay_all(stream, &operations, results, WS_CONTEXT_USERS);
    for (uint32_t i = 0; i < WS_CONTEXT_USERS; ++i)
        assert_true(told[i].entries == 1 && told[i].places == 3 && told[i].words == 2);
    stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls),
        cmocka_unit_test(fixed_words),
        cmocka_unit_test(fixed_words_cost),
        cmocka_unit_test(recursion),
        cmocka_unit_test(any_hit_in_a_trace),
        cmocka_unit_test(unrooted),
        cmocka_unit_test(work_ids),
        cmocka_unit_test(shared_numbers),
        cmocka_unit_test(unsized),
        cmocka_unit_test(every_consumer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
