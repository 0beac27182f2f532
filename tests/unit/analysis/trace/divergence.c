/* Causes of divergence against answers worked out by hand, in warps of 8 lanes where nothing else is said.
 * Shaders have blocks of 4, 6 and 2 instructions, so that counts of the wrong instructions show. Every
 * capture is also checked for the sum rule: per block, shader, stage and launch. */
#include "analysis/trace/divergence.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/stream_masks.h"
#include "tests/unit/analysis/report/json_of.h"
#include "warpscope/model/names.h"

static const uint32_t block_instructions[3] = {4, 6, 2};

struct found {
    struct ws_catalog catalog;
    struct ws_divergence_results *results;
};

static void before(struct stream *stream, uint32_t context, uint32_t number, uint64_t mask)
{
    stream_place(stream, context, WS_SITE_PLACE_BEFORE, number, lanes(mask));
}

static void after(struct stream *stream, uint32_t context, uint32_t number, uint64_t mask)
{
    stream_place(stream, context, WS_SITE_PLACE_AFTER, number, lanes(mask));
}

static void end(struct stream *stream, uint32_t context, uint64_t mask)
{
    stream_place(stream, context, WS_SITE_PLACE_END, 0, lanes(mask));
}

#define CAUSES(...) ((const uint64_t[5]){__VA_ARGS__})

static void check_sum(const struct ws_divergence_counts *counts)
{
    assert_true(counts->active + counts->early_return + counts->indirect_call + counts->control_flow +
                    counts->partial_warp + counts->helper_lane ==
                counts->slots);
    assert_true(counts->apart <= counts->slots);
}

static const struct ws_divergence_counts *row_at(const struct ws_divergence_results *results, uint32_t level,
                                                 uint32_t index)
{
    struct ws_row row;
    assert_true(index < ws_groups_count(results->groups, level));
    ws_groups_row(results->groups, level, index, &row);
    return row.sums;
}

static const struct ws_divergence_counts *total_of(const struct ws_divergence_results *results)
{
    return row_at(results, WS_DIVERGENCE_BY_ALL, 0);
}

static const struct ws_divergence_counts *stage_of(const struct ws_divergence_results *results,
                                                   uint32_t stage)
{
    const uint64_t keys[WS_DIVERGENCE_DIMENSIONS] = {[WS_DIVERGENCE_STAGE] = stage};
    return ws_groups_find(results->groups, WS_DIVERGENCE_BY_STAGE, keys);
}

/* Everything adds up to its sum, and to all slots: blocks, shaders, stages and launches to the total, and the
 * blocks of each shader to the shader. */
static void check_sums(const struct ws_divergence_results *results)
{
    static const uint32_t levels[] = {WS_DIVERGENCE_BY_STAGE, WS_DIVERGENCE_BY_SHADER,
                                      WS_DIVERGENCE_BY_LAUNCH, WS_DIVERGENCE_BY_BLOCK};
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); ++i) {
        struct ws_divergence_counts sums = {0};
        for (uint32_t j = 0; j < ws_groups_count(results->groups, levels[i]); ++j) {
            check_sum(row_at(results, levels[i], j));
            ws_divergence_add(&sums, row_at(results, levels[i], j));
        }
        assert_memory_equal(&sums, total_of(results), sizeof(sums));
    }
    for (uint32_t i = 0; i < ws_groups_count(results->groups, WS_DIVERGENCE_BY_SHADER); ++i) {
        struct ws_divergence_counts blocks = {0};
        struct ws_row shader;
        struct ws_row block;
        ws_groups_row(results->groups, WS_DIVERGENCE_BY_SHADER, i, &shader);
        for (uint32_t j = 0; j < ws_groups_count(results->groups, WS_DIVERGENCE_BY_BLOCK); ++j) {
            ws_groups_row(results->groups, WS_DIVERGENCE_BY_BLOCK, j, &block);
            if (block.keys[WS_DIVERGENCE_SHADER] == shader.keys[WS_DIVERGENCE_SHADER])
                ws_divergence_add(&blocks, block.sums);
        }
        assert_memory_equal(&blocks, shader.sums, sizeof(blocks));
    }
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
        if (!ws_catalog_record(&found->catalog, &chunk, &error) || !ws_replay_record(replay, &chunk, &error))
            fail_msg("%s", error.message);
    if (result != WS_READ_END || !ws_replay_end(replay, &error))
        fail_msg("%s", error.message);
    assert_true(ws_replay_losses(replay)->malformed == 0);
    ws_replay_destroy(replay);
    ws_reader_destroy(reader);
    check_sums(found->results);
}

/* Finishes the stream and analyses it, with one worker and with three: both find the same. */
static void found_analyse(struct found *found, struct stream *stream)
{
    struct found other;
    stream_finish(stream);
    read_stream(&other, stream, 3);
    read_stream(found, stream, 1);
    assert_memory_equal(total_of(other.results), total_of(found->results),
                        sizeof(struct ws_divergence_counts));
    ws_analysis_divergence.destroy(other.results);
    ws_catalog_finish(&other.catalog);
}

/* Destroys both. */
static void found_finish(struct found *found, struct stream *stream)
{
    ws_analysis_divergence.destroy(found->results);
    ws_catalog_finish(&found->catalog);
    stream_destroy(stream);
}

/* A block's lanes by cause: active, early return, indirect call, control flow, partial warp, over all
 * executions. */
static void check_block(const struct found *found, uint32_t shader, uint32_t number, uint64_t executions,
                        const uint64_t expected[5])
{
    static const struct ws_divergence_counts nothing;
    const struct ws_divergence_counts *ran = ws_divergence_block(found->results, shader, number);
    const struct ws_divergence_counts *counts = ran != NULL ? ran : &nothing;
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

/* The first rows of the table of blocks are those with most inactive slots. */
static void check_worst(const struct found *found, const uint32_t shaders[2], const uint32_t blocks[2],
                        const uint64_t inactive[2])
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_true(ws_groups_text(found->results->groups, WS_DIVERGENCE_BY_BLOCK, out));
    fclose(out);
    const char *line = strstr(text, "Blocks with most inactive slots\n");
    assert_non_null(line);
    for (int i = 0; i < 3; ++i) /* the heading, and two lines that name the columns */
        line = strchr(line, '\n') + 1;
    for (int i = 0; i < 2; ++i, line = strchr(line, '\n') + 1) {
        const struct ws_module_record *module =
            &found->catalog.modules[found->catalog.shaders[shaders[i]].module];
        char expected[128];
        snprintf(expected, sizeof(expected), " %s %%%u %llu 1 ", ws_shader_name(&found->catalog, shaders[i]),
                 module->blocks[blocks[i]].info.label, (unsigned long long)inactive[i]);
        const char *at = line;
        for (const char *wanted = expected; *wanted != '\0'; at += *wanted++ != ' ' ? 1 : strspn(at, " "))
            if (*at != *wanted)
                fail_msg("not '%s' but '%s'", expected, line);
    }
    free(text);
}

/* Six threads. Lane 5 returns early. Lanes 0 to 3 trace a ray, lane 4 takes the other branch. Lanes 0 and 1
 * hit, and lane 0 returns from the hit shader first. */
static void every_cause(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 6, 1, 1);
    const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0x3f), 0);
    block(stream, outer, 0, 0x3f);
    end(stream, outer, 0x20);
    block(stream, outer, 1, 0x0f);
    before(stream, outer, 1, 0x0f);
    const uint32_t inner = stream_enter_rays(stream, 0, hit, lanes(0x03), 0);
    block(stream, inner, 0, 0x03);
    end(stream, inner, 0x01);
    block(stream, inner, 1, 0x02);
    end(stream, inner, 0x02);
    after(stream, outer, 1, 0x0f);
    block(stream, outer, 2, 0x1f);
    end(stream, outer, 0x1f);
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check_block(&found, raygen, 0, 1, CAUSES(6, 0, 0, 0, 2));
    check_block(&found, raygen, 1, 1, CAUSES(4, 1, 0, 1, 2));
    check_block(&found, raygen, 2, 1, CAUSES(5, 1, 0, 0, 2));
    check_block(&found, hit, 0, 1, CAUSES(2, 1, 2, 1, 2));
    check_block(&found, hit, 1, 1, CAUSES(1, 1, 3, 1, 2));
    assert_true(total_of(found.results)->slots == 8 * (4 + 6 + 2 + 4 + 6));
    assert_true(total_of(found.results)->apart == 0);
    check_worst(&found, (const uint32_t[2]){hit, raygen}, (const uint32_t[2]){1, 1},
                (const uint64_t[2]){42, 24});
    found_finish(&found, stream);
}

/* The hit shader of every_cause runs a loop: block 0 in each turn, block 1 unless the lane leaves, block 2 where its bit is
 * set. Lane 0 runs turns 1 0 and its last one, lane 1 turn 0 and its last one. The same by the turns' words and by records of
 * blocks, of which lane 1's last turn has block 0 for both, and lane 0's for itself. */
static void turns_of_a_loop(void **state)
{
    static const struct ws_site_info path[] = {
        {WS_NONE, 0, WS_SITE_PATH, 0, 0, 3},
        {WS_NONE, WS_TURNS(0, 1) | WS_TURNS_MARKED, WS_SITE_PATH_TURNS, 0, 0, 0},
        {WS_NONE, WS_STEP(0, WS_STEP_TURN), WS_SITE_PATH_STEP, 0, 0, 0},
        {WS_NONE, WS_STEP_REST(0, WS_STEP_LAST, 0), WS_SITE_PATH_STEP, 0, 0, 1},
        {WS_NONE, WS_STEP(0, 0), WS_SITE_PATH_STEP, 0, 0, 2},
    };
    enum { SITES = sizeof(path) / sizeof(path[0]) };
    struct ws_site_info sites[SITES];
    (void)state;
    memcpy(sites, path, sizeof(path));
    for (uint32_t i = 2; i < SITES; ++i)
        sites[i].row = stream_number(WS_SITE_PLACE_BLOCK, path[i].row);
    for (int by_words = 0; by_words < 2; ++by_words) {
        uint32_t first = 0;
        struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
        const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
        const uint32_t hit =
            stream_shader_paths(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3, sites, SITES, &first);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 6, 1, 1);
        const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0x3f), 0);
        end(stream, outer, 0x20);
        before(stream, outer, 1, 0x0f);
        const uint32_t inner = stream_enter_rays(stream, 0, hit, lanes(0x03), 0);
        if (by_words) {
            stream_data(stream, inner, first, lanes(0x03), (const uint32_t[]){014, 0, 0, 04, 0, 0}, 3);
        } else {
            block(stream, inner, 0, 0x03);
            block(stream, inner, 1, 0x03);
            block(stream, inner, 2, 0x01);
            block(stream, inner, 0, 0x03);
            block(stream, inner, 1, 0x01);
            block(stream, inner, 0, 0x01);
        }
        end(stream, inner, 0x03);
        after(stream, outer, 1, 0x0f);
        block(stream, outer, 2, 0x1f);
        end(stream, outer, 0x1f);
        stream_end(stream);
        struct found found;
        found_analyse(&found, stream);
        /* Lane 5 has returned, lanes 2 and 3 are in the call, lane 4 is on another way, as lane 1 is where it is idle. */
        check_block(&found, hit, 0, 3, CAUSES(5, 3, 6, 4, 6));
        check_block(&found, hit, 1, 2, CAUSES(3, 2, 4, 3, 4));
        check_block(&found, hit, 2, 1, CAUSES(1, 1, 2, 2, 2));
        check_block(&found, raygen, 2, 1, CAUSES(5, 1, 0, 0, 2));
        assert_true(total_of(found.results)->apart == 0);
        found_finish(&found, stream);
    }
}

/* Lanes 0 to 3 make one call and lanes 0 and 1 another right after it, of which lane 0 runs a shader: lane 1
 * is in an indirect call, lanes 2 and 3 are not. Calls stand first in their blocks. */
static void back_to_back_calls(void **state)
{
    (void)state;
    static const uint32_t stages[] = {WS_STAGE_CLOSEST_HIT, WS_STAGE_MISS, WS_STAGE_CALLABLE};
    for (size_t i = 0; i < 3; ++i) {
        struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
        const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
        const uint32_t called = stream_shader(stream, stages[i], block_instructions, 3);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
        const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
        before(stream, outer, 0, 0x0f);
        uint32_t inner = stream_enter_rays(stream, 0, called, lanes(0x08), 0);
        block(stream, inner, 0, 0x08);
        end(stream, inner, 0x08);
        after(stream, outer, 0, 0x0f);
        before(stream, outer, 1, 0x03);
        inner = stream_enter_rays(stream, 0, called, lanes(0x01), 0);
        block(stream, inner, 1, 0x01);
        end(stream, inner, 0x01);
        after(stream, outer, 1, 0x03);
        block(stream, outer, 2, 0xff);
        end(stream, outer, 0xff);
        stream_end(stream);
        struct found found;
        found_analyse(&found, stream);
        check_block(&found, called, 0, 1, CAUSES(1, 0, 3, 4, 0));
        check_block(&found, called, 1, 1, CAUSES(1, 0, 1, 6, 0));
        check_block(&found, raygen, 2, 1, CAUSES(8, 0, 0, 0, 0));
        found_finish(&found, stream);
    }
}

/* A hit shader that traces again: lanes 0 to 3 of 8 hit, lanes 0 and 1 trace from there, lane 0 hits again.
 */
static void recursion(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
    before(stream, outer, 0, 0xff);
    const uint32_t first = stream_enter_rays(stream, 0, hit, lanes(0x0f), 0);
    block(stream, first, 0, 0x0f);
    before(stream, first, 0, 0x03);
    const uint32_t second = stream_enter_rays(stream, 0, hit, lanes(0x01), 0);
    block(stream, second, 1, 0x01);
    end(stream, second, 0x01);
    after(stream, first, 0, 0x03);
    block(stream, first, 2, 0x0f);
    end(stream, first, 0x0f);
    after(stream, outer, 0, 0xff);
    end(stream, outer, 0xff);
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check_block(&found, hit, 0, 1, CAUSES(4, 0, 4, 0, 0));
    check_block(&found, hit, 1, 1, CAUSES(1, 0, 1 + 4, 2, 0));
    check_block(&found, hit, 2, 1, CAUSES(4, 0, 4, 0, 0));
    found_finish(&found, stream);
}

/* Two halves of a warp trace apart, their records interleaved: what one waits for is not the other's call. */
static void halves_of_a_split_warp(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
    before(stream, outer, 0, 0x0f);
    block(stream, outer, 1, 0xf0); /* the others are elsewhere: control flow */
    before(stream, outer, 0, 0xf0);
    const uint32_t low = stream_enter_rays(stream, 0, hit, lanes(0x03), 0);
    const uint32_t high = stream_enter_rays(stream, 0, hit, lanes(0x30), 0);
    block(stream, low, 0, 0x03);  /* 2 and 3 missed; 4 to 7 are in another call */
    block(stream, high, 0, 0x30); /* 6 and 7; 0 to 3 */
    end(stream, low, 0x03);
    after(stream, outer, 0, 0x0f);
    block(stream, high, 1, 0x10); /* 5 is within; 6 and 7; 0 to 3 are out of their call */
    block(stream, outer, 2, 0x0f);
    end(stream, outer, 0x0f);
    block(stream, high, 2, 0x30); /* 6 and 7; 0 to 3 have ended */
    end(stream, high, 0x30);
    after(stream, outer, 0, 0xf0);
    end(stream, outer, 0xf0);
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check_block(&found, raygen, 1, 1, CAUSES(4, 0, 0, 4, 0));
    check_block(&found, hit, 0, 2, CAUSES(4, 0, 4, 8, 0));
    check_block(&found, hit, 1, 1, CAUSES(1, 0, 2, 5, 0));
    check_block(&found, raygen, 2, 1, CAUSES(4, 0, 0, 4, 0));
    check_block(&found, hit, 2, 1, CAUSES(2, 4, 2, 0, 0));
    found_finish(&found, stream);
}

/* An intersection shader reports for lanes 0 and 1 of its four; their any-hit shader lets lane 1 go back and
 * ends the ray of lane 0, which is next seen in ray generation. */
static void any_hit_and_a_terminated_ray(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t box = stream_shader(stream, WS_STAGE_INTERSECTION, block_instructions, 3);
    const uint32_t any = stream_shader(stream, WS_STAGE_ANY_HIT, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
    before(stream, outer, 0, 0xff);
    const uint32_t middle = stream_enter_rays(stream, 0, box, lanes(0x0f), 0);
    block(stream, middle, 0, 0x0f);
    before(stream, middle, 0, 0x03);
    const uint32_t inner = stream_enter_rays(stream, 0, any, lanes(0x03), 0);
    block(stream, inner, 0, 0x03);
    end(stream, inner, 0x01);
    block(stream, inner, 1, 0x02);
    end(stream, inner, 0x02);
    after(stream, middle, 0, 0x02);
    after(stream, outer, 0, 0x01);
    block(stream, middle, 1, 0x02);
    block(stream, middle, 2, 0x0e);
    end(stream, middle, 0x0e);
    after(stream, outer, 0, 0xfe);
    end(stream, outer, 0xff);
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check_block(&found, box, 0, 1, CAUSES(4, 0, 4, 0, 0));
    check_block(&found, any, 0, 1, CAUSES(2, 0, 4, 2, 0));
    check_block(&found, any, 1, 1, CAUSES(1, 0, 1 + 4, 2, 0));
    /* Lane 0 is out of the call, lanes 2 and 3 elsewhere in the shader, 4 to 7 wait. */
    check_block(&found, box, 1, 1, CAUSES(1, 0, 4, 3, 0));
    check_block(&found, box, 2, 1, CAUSES(3, 0, 4, 1, 0));
    found_finish(&found, stream);
}

/* All 128 bits: lanes in both words of a mask, a partial warp that ends in the upper one. */
static void wide_warps(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 8, 32, 64, 128};
    for (size_t i = 0; i < 5; ++i) {
        const uint32_t size = sizes[i];
        const uint32_t threads = size - size / 4;
        const struct ws_lanes all = ws_lanes_first(threads);
        const struct ws_lanes last = ws_lanes_one(threads - 1);
        struct stream *stream =
            stream_create(&(struct stream_options){.bins = size < 4 ? 4 : size, .subgroup_size = size});
        const uint32_t shader = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, threads, 1, 1);
        const uint32_t context = stream_enter_rays(stream, 0, shader, all, 0);
        stream_place(stream, context, WS_SITE_PLACE_BLOCK, 0, all);
        stream_place(stream, context, WS_SITE_PLACE_BLOCK, 1, last);
        if (size > 1)
            stream_place(stream, context, WS_SITE_PLACE_END, 0, ws_lanes_without(all, last));
        stream_place(stream, context, WS_SITE_PLACE_BLOCK, 2, last);
        stream_place(stream, context, WS_SITE_PLACE_END, 0, last);
        stream_end(stream);
        struct found found;
        found_analyse(&found, stream);
        check_block(&found, shader, 0, 1, CAUSES(threads, 0, 0, 0, size / 4));
        check_block(&found, shader, 1, 1, CAUSES(1, 0, 0, threads - 1, size / 4));
        check_block(&found, shader, 2, 1, CAUSES(1, threads - 1, 0, 0, size / 4));
        found_finish(&found, stream);
    }
}

/* Two modules of the same ids, in two stages and two launches: figures stay apart. */
static void modules_whose_ids_collide(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8, .seed = 5});
    const uint32_t one = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t two = stream_shader(stream, WS_STAGE_COMPUTE, block_instructions, 3);
    static const uint32_t group[] = {0, 0, 0};
    static const uint32_t index[] = {0, 1, 2, 3};
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    uint32_t context = stream_enter_rays(stream, 0, one, lanes(0xff), 0);
    block(stream, context, 0, 0x7f);
    stream_end(stream);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    context = stream_enter(stream, 0, two, lanes(0x0f), group, index);
    block(stream, context, 0, 0x0f);
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check_block(&found, one, 0, 1, CAUSES(7, 0, 0, 1, 0));
    check_block(&found, two, 0, 1, CAUSES(4, 0, 0, 0, 4));
    assert_int_equal(ws_groups_count(found.results->groups, WS_DIVERGENCE_BY_LAUNCH), 2);
    assert_true(row_at(found.results, WS_DIVERGENCE_BY_LAUNCH, 0)->control_flow == 4);
    assert_true(row_at(found.results, WS_DIVERGENCE_BY_LAUNCH, 1)->partial_warp == 16);
    assert_true(stage_of(found.results, 1u << 5)->partial_warp == 16);
    assert_true(stage_of(found.results, 1u << 8)->control_flow == 4);
    found_finish(&found, stream);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* Random warps trace and execute blocks with random lanes: the sum rule holds, with any number of workers. */
static void random_streams(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int round = 0; round < 20; ++round) {
        struct stream *stream = stream_create(
            &(struct stream_options){.bins = 32, .seed = (uint64_t)round + 1, .piece_words = 64});
        const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
        const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 320, 1, 1);
        for (uint32_t warp = 0; warp < 10; ++warp) {
            const uint64_t all = warp == 9 ? 0xffff : 0xffffffff;
            uint64_t alive = all;
            const uint32_t outer = stream_enter_rays(stream, warp, raygen, lanes(all), 32 * warp);
            for (int i = 0; i < 20 && alive != 0; ++i) {
                const uint64_t some = alive & (next_random(&random) | 1);
                if (some == 0)
                    continue;
                block(stream, outer, next_random(&random) % 3, some);
                before(stream, outer, 0, some);
                const uint64_t hits = some & next_random(&random);
                if (hits != 0) {
                    const uint32_t inner = stream_enter_rays(stream, warp, hit, lanes(hits), 32 * warp);
                    block(stream, inner, next_random(&random) % 3, hits);
                    end(stream, inner, hits);
                }
                after(stream, outer, 0, some);
                const uint64_t done = some & next_random(&random) & next_random(&random);
                if (done != 0)
                    end(stream, outer, done);
                alive &= ~done;
            }
        }
        stream_end(stream);
        struct found found;
        found_analyse(&found, stream);
        assert_true(total_of(found.results)->early_return > 0 && total_of(found.results)->indirect_call > 0 &&
                    total_of(found.results)->control_flow > 0 && total_of(found.results)->partial_warp > 0);
        found_finish(&found, stream);
    }
}

/* A warp of 8 has 3 fragments: its other lanes are helper lanes, not a partial warp. */
static void helpers_of_fragments(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8, .seed = 6});
    const uint32_t shader = stream_shader(stream, WS_STAGE_FRAGMENT, block_instructions, 3);
    static const uint32_t pixels[] = {0, UINT32_MAX, 1, UINT32_MAX, 1 << 16, UINT32_MAX};
    stream_begin(stream, WS_LAUNCH_RENDER_PASS, 8, 8, 1);
    const uint32_t context = stream_enter(stream, 0, shader, lanes(0x07), NULL, pixels);
    block(stream, context, 0, 0x07);
    end(stream, context, 0x02);
    block(stream, context, 0, 0x05);
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    const struct ws_divergence_counts *counts = total_of(found.results);
    const uint64_t instructions = block_instructions[0];
    check_sum(counts);
    assert_true(counts->active == 5 * instructions);
    assert_true(counts->early_return == instructions);
    assert_true(counts->helper_lane == 2 * 5 * instructions);
    assert_true(counts->partial_warp == 0);
    found_finish(&found, stream);
}

static bool write_tables(const void *groups, struct ws_json *json)
{
    return ws_groups_json_all(groups, json);
}

/* What is printed are the numbers of every_cause's second block. */
static void printed(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 6, 1, 1);
    const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0x3f), 0);
    end(stream, outer, 0x20);
    block(stream, outer, 1, 0x0f);
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_true(ws_divergence_text(found.results, out));
    assert_true(ws_groups_csv(found.results->groups, out));
    fclose(out);
    assert_non_null(strstr(text, "50.0 %"));
    assert_non_null(strstr(text, "blocks,,,,,,,,,,raygen,0,"));
    assert_non_null(strstr(text, ",1,48,24,24,6,0,6,12,0,0,false\n"));
    assert_non_null(strstr(text, "\nlevel,launch,frame,submission,launch_kind,launch_size,label,"));
    assert_non_null(strstr(
        text, ",shader_id,shader,block,part,source,offset,file,line,executions,slots,inactive,active,"));
    /* Each level has a row: the total, a stage, a shader, a launch, a block. */
    assert_non_null(strstr(text, "\ntotal,,"));
    assert_non_null(strstr(text, "\nstages,,,,,,,,,,raygen,,"));
    assert_non_null(strstr(text, "\nshaders,,,,,,,,,,raygen,0,"));
    assert_non_null(strstr(text, "\nlaunches,0,0,0,trace rays,6x1x1,"));
    free(text);
    cJSON *object = json_of(write_tables, found.results->groups);
    assert_non_null(object);
    char *json = cJSON_PrintUnformatted(object);
    assert_non_null(
        strstr(json, "\"slots\":48,\"inactive\":24,\"active\":24,\"control_flow\":6,\"indirect_call\":0,"
                     "\"early_return\":6,\"partial_warp\":12,\"helper_lanes\":0,\"regrouped\":0"));
    free(json);
    cJSON_Delete(object);
    found_finish(&found, stream);
}

/* Shares of nothing would look like numbers. */
static void nothing_is_said(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    struct found found;
    found_analyse(&found, stream);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_true(ws_divergence_text(found.results, out));
    fclose(out);
    assert_string_equal(text, "\nDivergence: no execution of a block was recorded\n");
    free(text);
    found_finish(&found, stream);
}

/* Threads that change their warps. */

/* A hit shader runs threads of two warps in one warp. Lanes without a thread, or whose thread has ended, are
 * an indirect call. All its slots are counted apart, and so are those of the shader that it calls. */
static void regrouped_contexts(void **state)
{
    (void)state;
    static const uint32_t work[] = {0, 1, 9, 8};
    static const uint32_t callee_work[] = {0, 9};
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    const uint32_t called = stream_shader(stream, WS_STAGE_CALLABLE, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 16, 1, 1);
    const uint32_t low = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
    const uint32_t high = stream_enter_rays(stream, 0, raygen, lanes(0xff), 8);
    before(stream, low, 0, 0xff);
    before(stream, high, 0, 0xff);
    const uint32_t inner = stream_enter(stream, 0, hit, lanes(0x0f), NULL, work);
    block(stream, inner, 0, 0x0f);
    before(stream, inner, 0, 0x05);
    const uint32_t callee = stream_enter(stream, 0, called, lanes(0x05), NULL, callee_work);
    block(stream, callee, 0, 0x05);
    end(stream, callee, 0x05);
    after(stream, inner, 0, 0x05);
    end(stream, inner, 0x01);
    block(stream, inner, 1, 0x06);
    end(stream, inner, 0x0e);
    after(stream, low, 0, 0xff);
    after(stream, high, 0, 0xff);
    end(stream, low, 0xff);
    end(stream, high, 0xff);
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check_block(&found, hit, 0, 1, CAUSES(4, 0, 4, 0, 0));
    check_block(&found, hit, 1, 1, CAUSES(2, 0, 5, 1, 0));
    check_block(&found, called, 0, 1, CAUSES(2, 0, 4, 2, 0));
    assert_true(total_of(found.results)->apart == total_of(found.results)->slots);
    found_finish(&found, stream);
}

/* A continuation of a shader of 3 blocks. */
static uint32_t go_on(struct stream *stream, uint32_t shader, uint64_t mask, const uint32_t *work)
{
    return stream_continue(stream, 0, shader, stream_number(WS_SITE_PLACE_BLOCK, 3), lanes(mask), work);
}

/* Lanes 0 and 1 of two warps come back from a call as one new warp of 8. In the new warp lanes 4 to 7 have no
 * thread: indirect call. In the two old warps lanes 0 and 1 are elsewhere in the shader: control flow, also
 * after they ended it in the new one. In what the new warp calls, lanes that have ended are early returns,
 * and lanes that never had a thread are indirect calls. All of this is counted apart. With eight warps
 * between the two, other workers replay them. */
static void warps_merge(void **state)
{
    (void)state;
    for (uint32_t between = 0; between <= 8; between += 8) {
        const uint32_t first = 8 + 8 * between;
        const uint32_t work[] = {0, 1, first, first + 1};
        struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
        const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
        const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, first + 8, 1, 1);
        const uint32_t a = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
        for (uint32_t i = 0; i < between; ++i)
            stream_enter_rays(stream, 0, raygen, lanes(0xff), 8 + 8 * i);
        const uint32_t b = stream_enter_rays(stream, 0, raygen, lanes(0xff), first);
        before(stream, a, 0, 0xff);
        before(stream, b, 0, 0xff);
        const uint32_t both = go_on(stream, raygen, 0x0f, work);
        block(stream, both, 1, 0x0f);
        block(stream, a, 2, 0xfc);
        block(stream, b, 2, 0xfc);
        end(stream, both, 0x03);
        block(stream, a, 2, 0xfc);
        block(stream, both, 0, 0x0c);
        before(stream, both, 0, 0x0c);
        const uint32_t inner = stream_enter(stream, 0, hit, lanes(0x04), NULL, work + 2);
        block(stream, inner, 1, 0x04);
        end(stream, inner, 0x04);
        before(stream, a, 0, 0x0c);
        const uint32_t other = stream_enter_rays(stream, 0, hit, lanes(0x04), 0);
        block(stream, other, 0, 0x04);
        end(stream, other, 0x04);
        end(stream, a, 0xfc);
        end(stream, b, 0xfc);
        end(stream, both, 0x0c);
        stream_end(stream);
        struct found found;
        found_analyse(&found, stream);
        check_block(&found, raygen, 1, 1, CAUSES(4, 0, 4, 0, 0));
        check_block(&found, raygen, 2, 3, CAUSES(3 * 6, 0, 0, 3 * 2, 0));
        check_block(&found, raygen, 0, 1, CAUSES(2, 2, 4, 0, 0));
        check_block(&found, hit, 1, 1, CAUSES(1, 2, 1 + 4, 0, 0));
        check_block(&found, hit, 0, 1, CAUSES(1, 0, 1, 6, 0));
        /* But for the last, whose warp and callers are as they were launched, as far as it goes. */
        assert_true(total_of(found.results)->slots - total_of(found.results)->apart == 8 * 4);
        found_finish(&found, stream);
    }
}

/* A warp comes back from a call as two warps, with its lanes in reverse order. One of them then has a lane
 * elsewhere. */
static void warp_splits(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
    block(stream, outer, 0, 0xff);
    before(stream, outer, 0, 0xff);
    const uint32_t high = go_on(stream, raygen, 0x0f, (const uint32_t[]){7, 6, 5, 4});
    const uint32_t low = go_on(stream, raygen, 0x0f, (const uint32_t[]){3, 2, 1, 0});
    block(stream, high, 1, 0x0f);
    block(stream, low, 1, 0x07);
    end(stream, high, 0x0f);
    end(stream, low, 0x0f);
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check_block(&found, raygen, 0, 1, CAUSES(8, 0, 0, 0, 0));
    check_block(&found, raygen, 1, 2, CAUSES(4 + 3, 0, 4 + 4, 1, 0));
    assert_true(total_of(found.results)->apart == 2 * 6 * 8);
    found_finish(&found, stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cause),
        cmocka_unit_test(turns_of_a_loop),
        cmocka_unit_test(nothing_is_said),
        cmocka_unit_test(back_to_back_calls),
        cmocka_unit_test(recursion),
        cmocka_unit_test(halves_of_a_split_warp),
        cmocka_unit_test(any_hit_and_a_terminated_ray),
        cmocka_unit_test(wide_warps),
        cmocka_unit_test(modules_whose_ids_collide),
        cmocka_unit_test(random_streams),
        cmocka_unit_test(helpers_of_fragments),
        cmocka_unit_test(printed),
        cmocka_unit_test(regrouped_contexts),
        cmocka_unit_test(warps_merge),
        cmocka_unit_test(warp_splits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
