/* Keys of what rays hit and of what threads do, against answers worked out by hand. Warps have 4 lanes. Every shader has four
 * blocks: 0 ends in a switch to 1 or 2, both go on in 3. */
#include "analysis/reorder/reorder.h"
#include "analysis/report/report.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/stream_masks.h"
#include "warpscope/capture/budget.h"
#include "warpscope/passes.h"
#include "warpscope/ray_events.h"

#include <malloc.h>
#include <spirv/unified1/spirv.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS = 4, LANES = 4, THREADS = WARPS * LANES };

/* Numbers of records. */
enum { ENTRY, BLOCK_0, BEFORE = 5, END, TRACE, HIT, PAYLOAD, SITES };

#define PAYLOAD_WORDS 2

/* Bytes that are allocated, and the most that were so far. */
static atomic_size_t allocated;
static atomic_size_t most_allocated;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *data, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *data);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *data, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *data);

static void *note(void *data)
{
    const size_t now = atomic_fetch_add(&allocated, malloc_usable_size(data)) + malloc_usable_size(data);
    size_t most = atomic_load(&most_allocated);
    while (now > most && !atomic_compare_exchange_weak(&most_allocated, &most, now))
        continue;
    return data;
}

void *__wrap_malloc(size_t size)
{
    return note(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return note(__real_calloc(count, size));
}

void *__wrap_realloc(void *data, size_t size)
{
    const size_t before = malloc_usable_size(data);
    void *grown = __real_realloc(data, size);
    if (grown == NULL)
        return NULL;
    atomic_fetch_sub(&allocated, before);
    return note(grown);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return note(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text)
{
    return note(__real_strdup(text));
}

void __wrap_free(void *data)
{
    atomic_fetch_sub(&allocated, malloc_usable_size(data));
    __real_free(data);
}

static uint32_t instructions[4] = {4, 6, 6, 2};

/* What a ray hits, and which side of the switch its shader takes: block 1 or 2. */
struct ray {
    uint32_t instance;
    uint32_t custom;
    uint32_t geometry;
    uint32_t primitive;
    float direction[3];
    uint32_t side;
    uint32_t payload[PAYLOAD_WORDS];
};

/* `parses`: its module does; else nothing is known of its loops, so that each call is a visit of its own. */
static uint32_t add_shader_that(struct stream *stream, uint32_t stage, bool parses)
{
    enum { FUNCTION = 3, LABEL = 10, SELECTOR = 5 };
    const uint32_t words[] = {SpvMagicNumber,
                              0x10500,
                              0,
                              20,
                              0, /* the head is 5 words */
                              2 << 16 | SpvOpCapability,
                              SpvCapabilityShader,
                              3 << 16 | SpvOpMemoryModel,
                              SpvAddressingModelLogical,
                              SpvMemoryModelGLSL450,
                              2 << 16 | SpvOpTypeVoid,
                              1,
                              3 << 16 | SpvOpTypeFunction,
                              2,
                              1, /* 15 */
                              4 << 16 | SpvOpTypeInt,
                              4,
                              32,
                              0,
                              4 << 16 | SpvOpConstant,
                              4,
                              SELECTOR,
                              1, /* 23 */
                              5 << 16 | SpvOpFunction,
                              1,
                              FUNCTION,
                              0,
                              2, /* 28 */
                              2 << 16 | SpvOpLabel,
                              LABEL,
                              3 << 16 | SpvOpSelectionMerge,
                              LABEL + 3,
                              0, /* 33 */
                              5 << 16 | SpvOpSwitch,
                              SELECTOR,
                              LABEL + 1,
                              1,
                              LABEL + 2, /* 38 */
                              2 << 16 | SpvOpLabel,
                              LABEL + 1,
                              2 << 16 | SpvOpBranch,
                              LABEL + 3, /* 42 */
                              2 << 16 | SpvOpLabel,
                              LABEL + 2,
                              2 << 16 | SpvOpBranch,
                              LABEL + 3, /* 46 */
                              2 << 16 | SpvOpLabel,
                              LABEL + 3,
                              1 << 16 | SpvOpNop,
                              1 << 16 | SpvOpReturn, /* 50 */
                              1 << 16 | SpvOpFunctionEnd};
    static const uint32_t offsets[4] = {28, 38, 42, 46};
    static const uint32_t ends[4] = {38, 42, 46, 50};
    const uint32_t function = FUNCTION;
    struct ws_block_info blocks[4];
    struct ws_site_info sites[SITES];
    sites[ENTRY] = (struct ws_site_info){WS_NONE, 0, WS_SITE_ENTRY, 0, offsets[0], 0};
    for (uint32_t i = 0; i < 4; ++i) {
        blocks[i] =
            (struct ws_block_info){LABEL + i, offsets[i], ends[i] - offsets[i], FUNCTION, instructions[i]};
        sites[BLOCK_0 + i] = (struct ws_site_info){0, WS_TAG_DIVERGENCE_BLOCK, WS_SITE_PLACE_BLOCK,
                                                   i, offsets[i] + 2,          BLOCK_0 + i};
    }
    sites[BEFORE] = (struct ws_site_info){0, WS_TAG_DIVERGENCE_CALL, WS_SITE_PLACE_BEFORE, 3, 48, BEFORE};
    sites[END] = (struct ws_site_info){0, WS_TAG_DIVERGENCE_END, WS_SITE_PLACE_END, 3, 49, END};
    sites[TRACE] = (struct ws_site_info){1, WS_RAY_TRACE, WS_SITE_DATA, 3, 48, WS_RAY_TRACE_WORDS};
    sites[HIT] = (struct ws_site_info){1, WS_RAY_CLOSEST_HIT, WS_SITE_DATA, 0, 30, WS_RAY_HIT_WORDS};
    sites[PAYLOAD] = (struct ws_site_info){2, WS_TAG_PAYLOADS_WORDS, WS_SITE_DATA, 3, 48, PAYLOAD_WORDS};
    const struct ws_entry_info entry = {
        .name = "main", .stage = stage, .function = FUNCTION, .functions = &function, .function_count = 1};
    const struct ws_chunk_sites chunk = {
        .passes = (const char *const[]){WS_PASS_DIVERGENCE, WS_PASS_RAY_EVENTS, WS_PASS_PAYLOADS},
        .pass_count = 3,
        .entries = &entry,
        .entry_count = 1,
        .blocks = blocks,
        .block_count = 4,
        .sites = sites,
        .site_count = SITES};
    return stream_shader_of(stream, stage, parses ? words : NULL, sizeof(words) / sizeof(words[0]), &chunk,
                            NULL, 0);
}

static uint32_t add_shader(struct stream *stream, uint32_t stage)
{
    return add_shader_that(stream, stage, true);
}

static uint32_t bits(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof(word));
    return word;
}

static void trace(struct stream *stream, uint32_t context, const struct ray *rays)
{
    uint32_t words[LANES][WS_RAY_TRACE_WORDS] = {{0}};
    for (uint32_t lane = 0; lane < LANES; ++lane)
        for (int i = 0; i < 3; ++i)
            words[lane][3 + i] = bits(rays[lane].direction[i]);
    stream_site(stream, context, BEFORE, lanes(0xf));
    stream_data(stream, context, TRACE, lanes(0xf), words[0], WS_RAY_TRACE_WORDS);
}

static void hit(struct stream *stream, uint32_t context, const struct ray *rays)
{
    uint32_t words[LANES][WS_RAY_HIT_WORDS] = {{0}};
    for (uint32_t lane = 0; lane < LANES; ++lane) {
        words[lane][1] = rays[lane].instance;
        words[lane][2] = rays[lane].custom | 0xfeu << 24;
        words[lane][3] = rays[lane].geometry;
        words[lane][4] = rays[lane].primitive;
    }
    stream_data(stream, context, HIT, lanes(0xf), words[0], WS_RAY_HIT_WORDS);
}

static void hand_over(struct stream *stream, uint32_t context, const struct ray *rays)
{
    uint32_t words[LANES][PAYLOAD_WORDS];
    for (uint32_t lane = 0; lane < LANES; ++lane)
        memcpy(words[lane], rays[lane].payload, sizeof(words[lane]));
    stream_data(stream, context, PAYLOAD, lanes(0xf), words[0], PAYLOAD_WORDS);
}

/* What a launch has records of, beside the blocks that run. */
enum { OF_RAYS = 1, OF_PAYLOADS = 2 };

/* A launch in which each thread traces a ray that hits something. */
static void add_launch(struct stream *stream, uint32_t raygen, uint32_t shader, const struct ray *rays,
                       uint32_t recorded)
{
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, THREADS, 1, 1);
    for (uint32_t warp = 0; warp < WARPS; ++warp) {
        const struct ray *its = rays + LANES * warp;
        uint64_t sides[3] = {0};
        const uint32_t context = stream_enter_rays(stream, warp, raygen, lanes(0xf), LANES * warp);
        for (uint32_t lane = 0; lane < LANES; ++lane)
            sides[its[lane].side] |= UINT64_C(1) << lane;
        stream_site(stream, context, BLOCK_0, lanes(0xf));
        stream_site(stream, context, BLOCK_0 + 3, lanes(0xf));
        if ((recorded & OF_RAYS) != 0)
            trace(stream, context, its);
        else
            stream_site(stream, context, BEFORE, lanes(0xf));
        if ((recorded & OF_PAYLOADS) != 0)
            hand_over(stream, context, its);
        const uint32_t inner = stream_enter_rays(stream, warp, shader, lanes(0xf), LANES * warp);
        if ((recorded & OF_RAYS) != 0)
            hit(stream, inner, its);
        stream_site(stream, inner, BLOCK_0, lanes(0xf));
        for (uint32_t side = 1; side <= 2; ++side)
            if (sides[side] != 0)
                stream_site(stream, inner, BLOCK_0 + side, lanes(sides[side]));
        stream_site(stream, inner, BLOCK_0 + 3, lanes(0xf));
        stream_site(stream, inner, END, lanes(0xf));
        stream_site(stream, context, END, lanes(0xf));
    }
    stream_end(stream);
}

struct found {
    struct ws_catalog catalog;
    struct ws_reorder_results *results;
    struct ws_reorder_results *joined; /* told by the first */
};

static void read_stream(struct found *found, const struct stream *stream, uint32_t workers)
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    const struct ws_view view = {0};
    ws_catalog_init(&found->catalog);
    struct ws_reader *reader = ws_reader_open(stream_path(stream), &error);
    struct ws_replay *replay = ws_replay_create(&found->catalog, stream_path(stream), workers);
    struct ws_reorder_results **const both[] = {&found->results, &found->joined};
    for (int i = 0; i < 2; ++i) {
        uint32_t number = 0;
        *both[i] = ws_reorder_create(&found->catalog, NULL, &view, &error);
        assert_non_null(*both[i]);
        assert_true(ws_replay_add(replay, &ws_reorder_operations, *both[i], &number));
        ws_analysis_reorder.attach(*both[i], number);
        assert_true(ws_reorder_hear(*both[i], replay));
    }
    enum ws_read_result result = ws_reader_next(reader, &chunk, &error);
    for (; result == WS_READ_CHUNK; result = ws_reader_next(reader, &chunk, &error))
        if (!ws_catalog_record(&found->catalog, &chunk, &error) ||
            !ws_replay_record(replay, &chunk, &error) || !ws_reorder_record(found->results, &chunk) ||
            !ws_reorder_record(found->joined, &chunk))
            fail_msg("%s", error.message);
    if (result != WS_READ_END || !ws_replay_end(replay, &error))
        fail_msg("%s", error.message);
    ws_replay_destroy(replay);
    ws_reader_destroy(reader);
}

static void found_finish(struct found *found)
{
    ws_reorder_destroy(found->results);
    ws_reorder_destroy(found->joined);
    ws_catalog_finish(&found->catalog);
}

/* The figures of a key; NULL = it has none. */
static const struct ws_reorder_sums *sums_of(const struct ws_reorder_results *results, uint32_t key)
{
    for (uint32_t i = 0; i < ws_groups_count(results->groups, WS_REORDER_SITE_WINDOWS); ++i) {
        struct ws_row row;
        ws_groups_row(results->groups, WS_REORDER_SITE_WINDOWS, i, &row);
        if (row.keys[WS_REORDER_BY_KEY] == key && row.keys[WS_REORDER_BY_WINDOW] == WS_REORDER_WINDOW_ALL &&
            row.keys[WS_REORDER_BY_SITE] >> 32 == 0)
            return row.sums;
    }
    return NULL;
}

/* Slots before and after, and how many values of the key come together. */
static void check(const struct found *found, uint32_t key, uint64_t before, uint64_t after, uint64_t values)
{
    const struct ws_reorder_results *const both[] = {found->results, found->joined};
    for (int i = 0; i < 2; ++i) {
        const struct ws_reorder_sums *sums = sums_of(both[i], key);
        assert_non_null(sums);
        if (sums->slots != before || sums->slots_after != after || sums->values != values)
            fail_msg("key %s: %llu slots become %llu, by %llu values", ws_reorder_key_name(key),
                     (unsigned long long)sums->slots, (unsigned long long)sums->slots_after,
                     (unsigned long long)sums->values);
    }
}

/* Each warp takes both sides, each with two lanes: 2 x 2 x 6, by 4 warps, are control flow. And after? */
static void check_control_flow(const struct found *found, uint32_t key, uint64_t after)
{
    const struct ws_reorder_sums *sums = sums_of(found->results, key);
    assert_true(sums->control_flow == 96 && sums->control_flow_after == after);
    assert_true(sums->indirect_call == 0 && sums->indirect_call_after == 0 && sums->partial_warp_after == 0);
}

static void check_text(const struct found *found, uint32_t key, const char *expected)
{
    char text[256];
    const uint64_t site = ws_reorder_site(0, 48);
    ws_reorder_by(found->results, site, key, text, sizeof(text));
    assert_string_equal(text, expected);
    ws_reorder_by(found->joined, site, key, text, sizeof(text));
    assert_string_equal(text, expected);
}

static void analyse(struct found *found, const struct ray *rays, uint32_t workers, uint32_t launches,
                    uint32_t recorded)
{
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t raygen = add_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t shader = add_shader(stream, WS_STAGE_CLOSEST_HIT);
    for (uint32_t i = 0; i < launches; ++i)
        add_launch(stream, raygen, shader, rays + (size_t)i * THREADS, recorded);
    stream_finish(stream);
    read_stream(found, stream, workers);
    stream_destroy(stream);
}

/* Thread i hits what has the custom index 2 (i / 2 % 4) + i % 2, and takes the side i % 2. So every warp takes both: (4 + 6 + 6
 * + 2) x 4 slots, 288 in all. Sorted by the lowest bit each takes one: (4 + 6 + 2) x 4 x 4 = 192. Two threads have each custom
 * index, so that sorting by all of it fills each warp with two of them, one of each side: the bit alone helps. Nothing else
 * that is known of the hits tells the sides apart. The branch at the end of block 0 (words 33 to 37) does. */
static void one_bit(void **state)
{
    struct ray rays[THREADS];
    (void)state;
    for (uint32_t i = 0; i < THREADS; ++i)
        rays[i] =
            (struct ray){i / 4, 2 * (i / 2 % 4) + i % 2, i / 2 % 2, i / 2, {i < 8 ? 1 : -1, 0, 2}, 1 + i % 2};
    for (uint32_t workers = 1; workers <= 3; workers += 2) {
        struct found found;
        analyse(&found, rays, workers, 1, OF_RAYS);
        check(&found, WS_REORDER_SHADER, 288, 288, 1);
        check(&found, WS_REORDER_BY_INSTANCE, 288, 288, 4);
        check(&found, WS_REORDER_BY_GEOMETRY, 288, 288, 2);
        check(&found, WS_REORDER_BY_OCTANT, 288, 288, 2);
        check(&found, WS_REORDER_HIT, 288, 192, 2);
        check(&found, WS_REORDER_BRANCH, 288, 192, 2);
        check(&found, WS_REORDER_PATH, 288, 192, 2);
        check_control_flow(&found, WS_REORDER_SHADER, 96);
        check_control_flow(&found, WS_REORDER_HIT, 0);
        check_text(&found, WS_REORDER_HIT, "custom index & 0x1");
        check_text(&found, WS_REORDER_BRANCH, "branch at word 33");
        check_text(&found, WS_REORDER_SHADER, "");
        found_finish(&found);
    }
}

/* Thread i hits instance i % 4, and takes the side of that: 0 and 1 one, 2 and 3 the other. Four threads have each, so sorting
 * by instance makes every warp take one side. Of its two bits the lower one is left out. In the second launch thread i hits
 * instance i % 8, of which 4 to 7 take the sides of 0 to 3: the key that was found is kept, and does as well; sorting by
 * instance does, too: 0 0 1 1, 2 2 3 3 and so on. */
static void instances(void **state)
{
    struct ray rays[2 * THREADS];
    struct found found;
    (void)state;
    for (uint32_t i = 0; i < 2 * THREADS; ++i) {
        const uint32_t instance = i % (i < THREADS ? 4 : 8);
        rays[i] = (struct ray){instance, 7, 0, 0, {0, 0, 1}, 1 + instance / 2 % 2};
    }
    analyse(&found, rays, 1, 2, OF_RAYS);
    check(&found, WS_REORDER_SHADER, 576, 576, 1);
    check(&found, WS_REORDER_BY_INSTANCE, 576, 384, 8);
    check(&found, WS_REORDER_BY_GEOMETRY, 576, 576, 1);
    check(&found, WS_REORDER_HIT, 576, 384, 2);
    check_text(&found, WS_REORDER_HIT, "instance & 0x2");
    found_finish(&found);
}

/* Thread i hands over a float that is like no other, and i % 6, whose lowest bit is the side that it takes: so each warp takes
 * both, as in one_bit, and by that bit each takes one. Nothing that is hit tells them apart: but in the second half, where the
 * custom index is the side, so that nothing is needed of what is handed over. */
static void handed_over(void **state)
{
    struct ray rays[THREADS];
    (void)state;
    for (uint32_t i = 0; i < THREADS; ++i)
        rays[i] = (struct ray){.custom = 5,
                               .direction = {0, 0, 1},
                               .side = 1 + i % 2,
                               .payload = {bits(0.1f * (float)i), i % 6}};
    for (uint32_t workers = 1; workers <= 3; workers += 2)
        for (uint32_t recorded = OF_PAYLOADS; recorded <= (OF_PAYLOADS | OF_RAYS); ++recorded) {
            struct found found;
            analyse(&found, rays, workers, 1, recorded);
            assert_true(found.results->handed && found.joined->handed);
            assert_null(sums_of(found.results, WS_REORDER_HIT));
            check(&found, WS_REORDER_SHADER, 288, 288, 1);
            check(&found, WS_REORDER_PAYLOAD, 288, 192, 2);
            check_text(&found, WS_REORDER_PAYLOAD, "payload word 1 & 0x1");
            assert_int_equal(ws_reorder_bits_found(found.joined, ws_reorder_site(0, 48), WS_REORDER_PAYLOAD),
                             1);
            found_finish(&found);
        }
    for (uint32_t i = 0; i < THREADS; ++i)
        rays[i].custom = rays[i].side;
    struct found found;
    analyse(&found, rays, 1, 1, OF_PAYLOADS | OF_RAYS);
    check(&found, WS_REORDER_HIT, 288, 192, 2);
    assert_null(sums_of(found.results, WS_REORDER_PAYLOAD));
    found_finish(&found);
    analyse(&found, rays, 1, 1, OF_RAYS);
    assert_false(found.results->handed);
    assert_null(sums_of(found.results, WS_REORDER_PAYLOAD));
    found_finish(&found);
}

/* Threads take side 2 where both the custom index and what is handed over are 1: in one lane of each warp. Sorted by
 * either alone two warps take side 1 and two take both: 2 x 48 + 2 x 72 slots. By both, which is the payload's key, each takes
 * one. */
static void both_needed(void **state)
{
    struct ray rays[THREADS];
    struct found found;
    (void)state;
    for (uint32_t i = 0; i < THREADS; ++i)
        rays[i] = (struct ray){
            .custom = i % 2, .direction = {0, 0, 1}, .side = i % 4 == 3 ? 2 : 1, .payload = {i / 2 % 2, 9}};
    analyse(&found, rays, 1, 1, OF_PAYLOADS | OF_RAYS);
    check(&found, WS_REORDER_SHADER, 288, 288, 1);
    check(&found, WS_REORDER_HIT, 288, 240, 2);
    check(&found, WS_REORDER_PAYLOAD, 288, 192, 4);
    check_text(&found, WS_REORDER_HIT, "custom index & 0x1");
    check_text(&found, WS_REORDER_PAYLOAD, "custom index & 0x1, payload word 0 & 0x1");
    found_finish(&found);
}

/* Without records of rays: no key of hits has figures, and the branch is found all the same. Where all take one side, nothing
 * is. */
static void no_rays(void **state)
{
    struct ray rays[THREADS];
    struct found found;
    (void)state;
    for (uint32_t i = 0; i < THREADS; ++i)
        rays[i] = (struct ray){.side = 1 + i % 2};
    analyse(&found, rays, 1, 1, 0);
    assert_false(found.results->rays);
    for (uint32_t key = WS_REORDER_BY_INSTANCE; key <= WS_REORDER_HIT; ++key)
        assert_null(sums_of(found.results, key));
    check(&found, WS_REORDER_BRANCH, 288, 192, 2);
    found_finish(&found);
    for (uint32_t i = 0; i < THREADS; ++i)
        rays[i].side = 1;
    analyse(&found, rays, 1, 1, OF_RAYS);
    assert_true(found.results->rays);
    assert_null(sums_of(found.results, WS_REORDER_BRANCH));
    assert_null(sums_of(found.results, WS_REORDER_HIT));
    check(&found, WS_REORDER_BY_INSTANCE, 192, 192, 1);
    check_text(&found, WS_REORDER_BRANCH, "");
    found_finish(&found);
}

/* Octants: the sign of each axis; -0 is not below zero. */
static void octants(void **state)
{
    struct ray rays[THREADS];
    struct found found;
    (void)state;
    /* Lanes 0 to 3: octants 0, 5, 0 and 2. Those of octant 5 and 2 take the second side. */
    static const float directions[4][3] = {{1, 1, 1}, {-1, 0, -1}, {-0.0f, 0, 1}, {1, -2, 3}};
    for (uint32_t i = 0; i < THREADS; ++i) {
        rays[i] = (struct ray){.side = 1 + i % 2};
        memcpy(rays[i].direction, directions[i % 4], sizeof(rays[i].direction));
    }
    analyse(&found, rays, 1, 1, OF_RAYS);
    check(&found, WS_REORDER_BY_OCTANT, 288, 192, 3);
    found_finish(&found);
}

/* What advice says of a capture in which sorting must be worth so much; freed by the caller. */
static char *advise(const struct ray *rays, double worth)
{
    char *text = NULL;
    size_t size = 0;
    struct ws_error error = {{0}};
    struct ws_report report;
    const struct ws_report_request request = {.analysis = ws_analysis_find("advice"),
                                              .options = {.worth = worth, .rows = UINT32_MAX}};
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t raygen = add_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t shader = add_shader(stream, WS_STAGE_CLOSEST_HIT);
    add_launch(stream, raygen, shader, rays, OF_RAYS);
    stream_finish(stream);
    if (!ws_report_read(&report, stream_path(stream), &request, &error))
        fail_msg("%s", error.message);
    FILE *out = open_memstream(&text, &size);
    assert_true(ws_report_text(&report, out));
    fclose(out);
    ws_report_finish(&report);
    stream_destroy(stream);
    return text;
}

/* The planted fault: neighbouring threads hit what takes different sides, of 600 instructions. Each warp takes (4 + 2 x 600 +
 * 2) x 4 = 4824 slots, 19,296 in all; sorted by a bit of the custom index (4 + 600 + 2) x 4 = 2424, 9696 in all. The state is
 * empty, so to move a thread costs 16: 9600 saved are 37.5 times the cost of 16 threads. Asked for 38 times, nothing is said.
 * The twin: threads of a warp hit the same. Nothing is said. */
static void advice_and_twin(void **state)
{
    static const char *const parts[] = {"Sort threads where they call or part (reorder)",
                                        ("takes 19296 slots with 50.2 % active; sorted by the shader that is "
                                         "called and bits of what is hit (custom index & 0x1), "
                                         "with 1 bit, it takes 9696 with 100.0 %."),
                                        ("16 threads call there; to move one with its 0 bytes is taken to "
                                         "cost 16 slots: what is saved is 37.5 times that."),
                                        "reorderThreadEXT(hit, <bits of the hit>, 1)",
                                        "dx::MaybeReorderThread(hit, <bits of the hit>, 1)",
                                        "ReorderThread(hit, <bits of the hit>, 1)",
                                        "possible"};
    struct ray rays[THREADS];
    (void)state;
    instructions[1] = instructions[2] = 600;
    for (uint32_t i = 0; i < THREADS; ++i)
        rays[i] = (struct ray){i / 4, 2 * (i / 2 % 4) + i % 2, 0, i / 2, {0, 0, 1}, 1 + i % 2};
    char *text = advise(rays, 0);
    /* Lines are broken at blanks. */
    for (char *at = text; *at != '\0';) {
        char *end = at;
        while (*end == ' ' || *end == '\n')
            end++;
        if (end > at) {
            *at++ = ' ';
            memmove(at, end, strlen(end) + 1);
        } else {
            at++;
        }
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i)
        if (strstr(text, parts[i]) == NULL)
            fail_msg("'%s' is not in:\n%s", parts[i], text);
    free(text);
    text = advise(rays, 38);
    assert_null(strstr(text, "Sort threads"));
    free(text);
    for (uint32_t i = 0; i < THREADS; ++i)
        rays[i].side = 1 + i / 4 % 2;
    text = advise(rays, 0);
    assert_null(strstr(text, "Sort threads"));
    free(text);
    instructions[1] = instructions[2] = 6;
}

/* ---- Rays of visits. ---- */

/* A field of a thread's ray, when it has ended; WS_NONE = there is no such ray. */
static uint32_t field_of(struct ws_reorder_hits *hits, uint32_t thread, uint32_t offset, uint32_t visit,
                         uint32_t field)
{
    struct ws_reorder_ray ray;
    uint32_t count = 0;
    assert_true(ws_visit_rows_seek(&hits->rows, thread));
    const uint32_t *words = ws_visit_rows_find(&hits->rows, ws_reorder_site(0, offset), visit, &count);
    if (words == NULL)
        return WS_NONE;
    assert_int_equal(count, WS_REORDER_RAY_WORDS);
    memcpy(&ray, words, sizeof(ray));
    return ws_reorder_ray_field(&ray, field);
}

/* A thread traces at call site 7, at 9, and at 7 again. Another one traces at 9 only. */
static void nth_ray(void **state)
{
    struct ws_site_record sites[3] = {{.info = {.tag = WS_RAY_TRACE, .offset = 7}},
                                      {.info = {.tag = WS_RAY_TRACE, .offset = 9}},
                                      {.info = {.tag = WS_RAY_CLOSEST_HIT}}};
    struct ws_module_record module = {.sites = sites, .site_count = 3};
    struct ws_shader_record shader = {.module = 0};
    const struct ws_catalog catalog = {
        .modules = &module, .module_count = 1, .shaders = &shader, .shader_count = 1};
    struct ws_reorder_hits part = {.catalog = &catalog};
    uint32_t threads[2] = {3, 1};
    struct ws_context context = {.stage = WS_STAGE_CLOSEST_HIT, .lane_count = 2, .threads = threads};
    uint32_t words[2 * WS_RAY_TRACE_WORDS] = {0};
    const uint32_t struck[WS_RAY_HIT_WORDS] = {0, 11, 12 | 0xffu << 24, 13, 14};
    (void)state;
    assert_true(ws_reorder_hits_data(&part, &context, 0, lanes(1), words, WS_RAY_TRACE_WORDS));
    assert_true(ws_reorder_hits_data(&part, &context, 1, lanes(3), words, WS_RAY_TRACE_WORDS));
    assert_true(ws_reorder_hits_data(&part, &context, 2, lanes(1), struck, WS_RAY_HIT_WORDS));
    words[5] = bits(-1);
    assert_true(ws_reorder_hits_data(&part, &context, 0, lanes(1), words, WS_RAY_TRACE_WORDS));
    static const uint32_t expected[WS_REORDER_FIELDS] = {11, 12, 13, 0xff, 0, 14};
    for (uint32_t field = 0; field < WS_REORDER_FIELDS; ++field)
        assert_int_equal(field_of(&part, 3, 9, 0, field), expected[field]);
    assert_int_equal(field_of(&part, 3, 7, 0, WS_REORDER_OCTANT), 0);
    assert_int_equal(field_of(&part, 3, 7, 1, WS_REORDER_OCTANT), 4);
    assert_int_equal(field_of(&part, 3, 7, 2, WS_REORDER_OCTANT), WS_NONE);
    ws_visit_rows_forget(&part.rows, 3);
    assert_int_equal(field_of(&part, 3, 7, 0, WS_REORDER_OCTANT), WS_NONE);
    assert_int_equal(field_of(&part, 1, 9, 0, WS_REORDER_PRIMITIVE), 0);
    assert_int_equal(field_of(&part, 1, 7, 0, WS_REORDER_OCTANT), WS_NONE);
    assert_int_equal(field_of(&part, 0, 7, 0, WS_REORDER_OCTANT), WS_NONE);
    assert_int_equal(field_of(&part, 9, 7, 0, WS_REORDER_OCTANT), WS_NONE);
    ws_reorder_hits_finish(&part);
}

/* ---- Branches. ---- */

/* Blocks: 0 ends in a branch to 1, to 2, the header of an inner loop, and to 3, which is outside of the loop that 0 and 1 are
 * in, and whose header is 4. */
struct branches {
    struct ws_nest_block blocks[5];
    struct ws_nest_loop loops[2];
    uint32_t successors[3];
    struct ws_loop_nest nest;
    struct ws_block_record records[5];
    struct ws_module_record module;
    struct ws_shader_record shader;
    struct ws_catalog catalog;
    struct ws_spans spans;
    struct ws_branch_table table;
};

static void branches_init(struct branches *b)
{
    memset(b, 0, sizeof(*b));
    for (uint32_t i = 0; i < 5; ++i)
        b->blocks[i] = (struct ws_nest_block){.function = 1,
                                              .loop = i == 2   ? 1
                                                      : i == 3 ? WS_NONE
                                                               : 0,
                                              .known = true};
    b->blocks[0].successor_count = 3;
    b->blocks[2].header = true;
    b->blocks[4].header = true;
    for (uint32_t i = 0; i < 3; ++i)
        b->successors[i] = 1 + i;
    b->loops[0] = (struct ws_nest_loop){WS_NONE, 0};
    b->loops[1] = (struct ws_nest_loop){0, 1};
    b->nest = (struct ws_loop_nest){b->blocks, 5, b->loops, 2, b->successors, 3};
    b->module = (struct ws_module_record){.blocks = b->records, .block_count = 5};
    b->catalog = (struct ws_catalog){
        .modules = &b->module, .module_count = 1, .shaders = &b->shader, .shader_count = 1};
    b->spans.catalog = &b->catalog;
    b->table = (struct ws_branch_table){
        .catalog = &b->catalog, .spans = &b->spans, .nests = &b->nest, .nest_count = 1};
}

static void branches_finish(struct branches *b)
{
    ws_branch_table_finish(&b->table);
    ws_spans_finish(&b->spans);
}

/* A step: these blocks (a mask), in rounds of a scope: 100 the loop of 0, 200 the inner one, 300 outside. */
static struct ws_span_step step(struct branches *b, uint64_t scope, uint32_t mask, uint32_t round,
                                uint32_t rounds)
{
    struct ws_span_step made = {.scope = scope, .round = round, .rounds = rounds};
    uint32_t blocks[5];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 5; ++i)
        if ((mask >> i & 1) != 0)
            blocks[count++] = i;
    assert_true(ws_spans_set(&b->spans, 0, 1000 + mask, blocks, count, &made.set));
    return made;
}

/* The path that has these steps, one span each where `apart`: a call stands between them. */
static uint32_t path_of(struct branches *b, const struct ws_span_step *steps, uint32_t count, bool apart)
{
    uint32_t spans[4];
    uint32_t path = 0;
    for (uint32_t i = 0; i < (apart ? count : 1); ++i)
        assert_true(ws_spans_add(&b->spans, steps + i, apart ? 1 : count, &spans[i]));
    assert_true(ws_spans_path(&b->spans, spans, apart ? count : 1, &path));
    return path;
}

#define STEPS(...) ((const struct ws_span_step[]){__VA_ARGS__})
#define B(i)       (1u << (i))

static void branch_values(void **state)
{
    (void)state;
    const struct ws_branch_call nowhere = {.shader = WS_NONE};
    const struct ws_branch_call called = {.block = 0, .place = {100, 3}};
    for (int apart = 0; apart < 2; ++apart) {
        struct branches b;
        branches_init(&b);
        const uint32_t paths[] = {
            /* 0: its side 1. 1: its side 1 behind a call, in the same round. 2: into the inner loop. 3: out of the loop. */
            path_of(&b, STEPS(step(&b, 100, B(4) | B(0) | B(1), 0, 1)), 1, apart),
            path_of(&b, STEPS(step(&b, 100, B(4) | B(0), 3, 1), step(&b, 100, B(1), 3, 1)), 2, apart),
            path_of(&b, STEPS(step(&b, 100, B(0), 3, 1), step(&b, 200, B(2), 0, 5)), 2, apart),
            path_of(&b, STEPS(step(&b, 100, B(4) | B(0), 3, 1), step(&b, 300, B(3), 0, 1)), 2, apart),
            /* 4: round again, where it leaves otherwise: that is not the branch's. 5: never there. 6: in many rounds. */
            path_of(&b,
                    STEPS(step(&b, 100, B(0), 3, 1), step(&b, 100, B(4), 4, 1), step(&b, 300, B(3), 0, 1)), 3,
                    apart),
            path_of(&b, STEPS(step(&b, 100, B(4), 3, 2), step(&b, 300, B(3), 0, 1)), 2, apart),
            path_of(&b, STEPS(step(&b, 100, B(4) | B(0), 0, 9), step(&b, 100, B(4) | B(0) | B(1), 9, 1)), 2,
                    apart),
            /* 7: 1 in the round of the call. 8: 1 in the next round, with 0 before it. */
            path_of(&b, STEPS(step(&b, 100, B(1), 3, 1)), 1, apart),
            path_of(&b, STEPS(step(&b, 100, B(4) | B(0) | B(1), 4, 1)), 1, apart),
        };
        static const uint32_t behind_nowhere[] = {1, 1, 2, 3, 4, 0, 4, 0, 1};
        static const uint32_t behind_call[] = {4, 1, 2, 3, 4, 4, 4, 1, 4};
        static const uint32_t turns[] = {1, 0, 0, 0, 0, 0, 10, 0, 0}; /* the others were in it */
        assert_true(ws_branch_table_set(&b.table, &(struct ws_branch){0, 0, false}, NULL, 0));
        for (uint32_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i) {
            if (ws_branch_value(&b.table, paths[i], &nowhere) != behind_nowhere[i])
                fail_msg("path %u has the value %u", i, ws_branch_value(&b.table, paths[i], &nowhere));
            /* The call stands in block 0, in round 3 of the scope 100. */
            if (ws_branch_value(&b.table, paths[i], &called) != behind_call[i])
                fail_msg("behind a call, path %u has the value %u", i,
                         ws_branch_value(&b.table, paths[i], &called));
        }
        assert_true(ws_branch_table_set(&b.table, &(struct ws_branch){0, 4, true}, NULL, 0));
        for (uint32_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i)
            if (ws_branch_value(&b.table, paths[i], &nowhere) != turns[i])
                fail_msg("path %u turns %u times", i, ws_branch_value(&b.table, paths[i], &nowhere));
        branches_finish(&b);
    }
}

/* Of 64 threads each second goes round a loop 9 times, and has a bit of the instance. That is found; but once the budget is
 * spent, no more than what is at work is finished, and nothing is found. */
static void spent_budget(void **state)
{
    (void)state;
    for (int spent = 0; spent < 2; ++spent) {
        struct branches b;
        struct ws_new_warps warps;
        struct ws_comer comers[64] = {{0}};
        uint32_t fields[64 * WS_SEARCH_FIELDS] = {0};
        uint32_t lists[3][64];
        struct ws_reorder_choice choice = {.site = 0};
        branches_init(&b);
        for (uint32_t i = 0; i < 5; ++i)
            b.records[i].info.instruction_count = 4;
        const uint32_t paths[2] = {path_of(&b, STEPS(step(&b, 100, B(4) | B(0), 0, 1)), 1, false),
                                   path_of(&b, STEPS(step(&b, 200, B(2), 0, 9)), 1, false)};
        for (uint32_t i = 0; i < 64; ++i) {
            comers[i].path = paths[i % 2];
            comers[i].rank = i % 2;
            fields[i * WS_SEARCH_FIELDS + WS_REORDER_INSTANCE] = i % 2 << 7;
        }
        assert_true(ws_new_warps_init(&warps, &b.spans));
        struct ws_search search = {.warps = &warps,
                                   .table = &b.table,
                                   .comers = comers,
                                   .fields = fields,
                                   .count = 64,
                                   .size = LANES,
                                   .has_rays = true,
                                   .order = lists[0],
                                   .spare = lists[1],
                                   .values = lists[2]};
        ws_budget_set_least(spent ? 1 : WS_STEPS_LEAST);
        ws_budget_begin(0);
        ws_budget_spend(2);
        assert_true(ws_search_run(&search, &choice));
        assert_int_equal(search.stopped, spent);
        assert_int_equal(choice.hit.count, !spent);
        assert_int_equal(choice.parts, !spent);
        ws_budget_set_least(WS_STEPS_LEAST);
        ws_budget_begin(0);
        ws_new_warps_finish(&warps);
        branches_finish(&b);
    }
}

/* A launch of many warps, each of which traces so often. */
static void add_long_launch(struct stream *stream, uint32_t raygen, uint32_t shader, uint32_t visits)
{
    enum { MANY = 1000 };
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, MANY * LANES, 1, 1);
    for (uint32_t warp = 0; warp < MANY; ++warp) {
        const uint32_t context = stream_enter_rays(stream, warp, raygen, lanes(0xf), LANES * warp);
        for (uint32_t i = 0; i < visits; ++i) {
            struct ray its[LANES] = {{.instance = i, .primitive = warp, .direction = {1, 0, 0}}};
            stream_site(stream, context, BLOCK_0, lanes(0xf));
            trace(stream, context, its);
            const uint32_t inner = stream_enter_rays(stream, warp, shader, lanes(0xf), LANES * warp);
            hit(stream, inner, its);
            stream_site(stream, inner, BLOCK_0, lanes(0xf));
            stream_site(stream, inner, BLOCK_0 + 1 + warp % 2, lanes(0xf));
            stream_site(stream, inner, END, lanes(0xf));
        }
        stream_site(stream, context, END, lanes(0xf));
    }
    stream_end(stream);
}

/* The most that is allocated while a capture of so many launches is read. */
static size_t measure(uint32_t launches, uint32_t visits)
{
    struct found found;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES, .piece_words = 1u << 16});
    const uint32_t raygen = add_shader_that(stream, WS_STAGE_RAYGEN, false);
    const uint32_t shader = add_shader(stream, WS_STAGE_CLOSEST_HIT);
    for (uint32_t i = 0; i < launches; ++i)
        add_long_launch(stream, raygen, shader, visits);
    stream_finish(stream);
    const size_t before = atomic_load(&allocated);
    atomic_store(&most_allocated, before);
    read_stream(&found, stream, 1);
    const size_t most = atomic_load(&most_allocated) - before;
    assert_int_equal(sums_of(found.results, WS_REORDER_SHADER)->visits,
                     (uint64_t)launches * visits * 1000 * LANES);
    found_finish(&found);
    stream_destroy(stream);
    return most;
}

/* What is kept goes with the launch; and of 8 times as many visits by the same threads, most are in a file: without it they
 * would take 80 bytes each. */
static void bounded_memory(void **state)
{
    (void)state;
    const size_t one = measure(1, 16);
    const size_t launches = measure(8, 16);
    const size_t visits = measure(1, 128);
    if (launches > one + one / 4)
        fail_msg("8 launches take %zu bytes, one %zu", launches, one);
    if (visits > 2 * one)
        fail_msg("8 times as many visits take %zu bytes, not %zu", visits, one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bit),       cmocka_unit_test(handed_over),     cmocka_unit_test(both_needed),
        cmocka_unit_test(instances),     cmocka_unit_test(bounded_memory),  cmocka_unit_test(no_rays),
        cmocka_unit_test(octants),       cmocka_unit_test(advice_and_twin), cmocka_unit_test(nth_ray),
        cmocka_unit_test(branch_values), cmocka_unit_test(spent_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
