/* What new warps execute, against answers worked out by hand. Warps have 4 lanes, shaders blocks of 4, 6 and 2
 * instructions. Every capture is read by one worker and by three: both find the same. */
#include "analysis/reorder/reorder.h"
#include "analysis/reorder/places/growing.h"
#include "tests/unit/analysis/reorder/reorder_found.h"
#include "warpscope/capture/budget.h"
#include "warpscope/report/findings.h"

#include <string.h>

static const uint32_t block_instructions[3] = {4, 6, 2};

static void before(struct stream *stream, uint32_t context, uint32_t number, uint64_t mask)
{
    place(stream, context, WS_SITE_PLACE_BEFORE, number, mask);
}

static void end(struct stream *stream, uint32_t context, uint64_t mask)
{
    place(stream, context, WS_SITE_PLACE_END, 0, mask);
}

/* A shader that runs one block in its caller's lanes. */
static void run_called(struct stream *stream, uint32_t queue, uint32_t shader, uint64_t mask, uint32_t first)
{
    const uint32_t context = stream_enter_rays(stream, queue, shader, lanes(mask), first);
    block(stream, context, 0, mask);
    end(stream, context, mask);
}

/* The row of the call site of a shader, with a key and window. */
static const struct ws_reorder_sums *row_of(const struct found *found, uint32_t shader, uint32_t key,
                                            uint32_t window)
{
    const struct ws_groups *groups = found->results->groups;
    for (uint32_t i = 0; i < ws_groups_count(groups, WS_REORDER_SITE_WINDOWS); ++i) {
        struct ws_row row;
        ws_groups_row(groups, WS_REORDER_SITE_WINDOWS, i, &row);
        if (row.keys[WS_REORDER_BY_SITE] >> 32 == shader && row.keys[WS_REORDER_BY_KEY] == key &&
            row.keys[WS_REORDER_BY_WINDOW] == window)
            return row.sums;
    }
    fail_msg("no row of shader %u, key %u, window %u", shader, key, window);
    return NULL;
}

/* Executions and slots, before and after, and active slots. */
static void check(const struct found *found, uint32_t shader, uint32_t key, uint32_t window,
                  const uint64_t expected[5])
{
    const struct ws_reorder_sums *sums = row_of(found, shader, key, window);
    const uint64_t are[5] = {sums->executions, sums->executions_after, sums->slots, sums->slots_after,
                             sums->active};
    for (int i = 0; i < 5; ++i)
        if (are[i] != expected[i])
            fail_msg("key %u, window %u: figure %d is %llu, not %llu", key, window, i,
                     (unsigned long long)are[i], (unsigned long long)expected[i]);
    assert_true(sums->active_after == sums->active);
}

/* Idle slots of partial warps, indirect calls and control flow: before, and after. They are all that there are. */
static void check_idle(const struct found *found, uint32_t shader, uint32_t key, uint32_t window,
                       const uint64_t expected[6])
{
    const struct ws_reorder_sums *sums = row_of(found, shader, key, window);
    const uint64_t are[6] = {sums->partial_warp,       sums->indirect_call,       sums->control_flow,
                             sums->partial_warp_after, sums->indirect_call_after, sums->control_flow_after};
    for (int i = 0; i < 6; ++i)
        if (are[i] != expected[i])
            fail_msg("key %u, window %u: cause %d is %llu, not %llu", key, window, i,
                     (unsigned long long)are[i], (unsigned long long)expected[i]);
    assert_true(are[0] + are[1] + are[2] == sums->slots - sums->active);
    assert_true(are[3] + are[4] + are[5] == sums->slots_after - sums->active_after);
}

#define IDLE(...)    ((const uint64_t[6]){__VA_ARGS__})
#define FIGURES(...) ((const uint64_t[5]){__VA_ARGS__})

/* The example of reorder.h with a block behind the call: in each of two warps lanes 0 and 1 hit one shader, 2 and 3 another.
 *   before       each warp executes both hits and the block behind: 2 x (4 + 4 + 6) x 4 slots
 *   after        one warp of the first hit, one of the second, each with the block behind: 2 x (4 + 6) x 4 */
static void two_hits(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 4});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t a = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    const uint32_t b = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint32_t context = stream_enter_rays(stream, warp, raygen, lanes(0xf), 4 * warp);
        block(stream, context, 0, 0xf);
        before(stream, context, 0, 0xf);
        run_called(stream, warp, a, 0x3, 4 * warp);
        run_called(stream, warp, b, 0xc, 4 * warp);
        block(stream, context, 1, 0xf);
        end(stream, context, 0xf);
    }
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check(&found, raygen, WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL, FIGURES(6, 6, 112, 112, 80));
    check(&found, raygen, WS_REORDER_CALLED, 0, FIGURES(6, 6, 112, 112, 80));
    check(&found, raygen, WS_REORDER_CALLED, 1, FIGURES(6, 4, 112, 80, 80));
    check(&found, raygen, WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL, FIGURES(6, 4, 112, 80, 80));
    check(&found, raygen, WS_REORDER_PATH, WS_REORDER_WINDOW_ALL, FIGURES(6, 4, 112, 80, 80));
    assert_true(found.results->ran == 4 && found.results->apart == 0);
    /* In each hit two lanes' threads are in the other one: 2 x 2 x 2 x 4. */
    check_idle(&found, raygen, WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL, IDLE(0, 32, 0, 0, 32, 0));
    check_idle(&found, raygen, WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL, IDLE(0, 32, 0, 0, 0, 0));
    found_finish(&found);
}

/* Two warps of one thread each hit a shader that traces again, 200 deep. Each trace is a visit of its own, behind which there
 * is one block. Sorted among all, both threads are in one warp: half the executions. By themselves they are what they were.
 * (Warps that seem to be the same are counted once.) */
static void pairs(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 4});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    const uint32_t depth = 200;
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        uint32_t contexts[201];
        contexts[0] = stream_enter_rays(stream, warp, raygen, lanes(0x1), 4 * warp);
        for (uint32_t i = 0; i < depth; ++i) {
            before(stream, contexts[i], 0, 0x1);
            contexts[i + 1] = stream_enter_rays(stream, warp, hit, lanes(0x1), 4 * warp);
            block(stream, contexts[i + 1], 0, 0x1);
        }
        for (uint32_t i = depth + 1; i-- > 0;)
            end(stream, contexts[i], 0x1);
    }
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    const struct ws_reorder_sums *all = row_of(&found, hit, WS_REORDER_CALLED, WS_REORDER_WINDOW_ALL);
    const struct ws_reorder_sums *alone = row_of(&found, hit, WS_REORDER_CALLED, 0);
    assert_int_equal(all->executions, 2 * (depth - 1)); /* of the first trace another call site is left */
    assert_int_equal(all->executions_after, depth - 1);
    assert_int_equal(alone->executions_after, 2 * (depth - 1));
    found_finish(&found);
}

/* The example of reorder.h, with a block behind the call: 5 threads hit A, and 3 hit B.
 *   before, and sorted  two warps: A; A and B: 5 executions, 2 x 24 slots behind, 3 x 16 in A and B
 *   split               A; A by one thread; B by three: 3 x (16 + 24). Three lanes of the second have no thread, one of
 *                       the third */
static void split(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 4});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t a = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    const uint32_t b = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint32_t context = stream_enter_rays(stream, warp, raygen, lanes(0xf), 4 * warp);
        before(stream, context, 0, 0xf);
        run_called(stream, warp, a, warp == 0 ? 0xf : 0x1, 4 * warp);
        if (warp == 1)
            run_called(stream, warp, b, 0xe, 4 * warp);
        block(stream, context, 1, 0xf);
        end(stream, context, 0xf);
    }
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check(&found, raygen, WS_REORDER_CALLED, WS_REORDER_WINDOW_ALL, FIGURES(5, 5, 96, 96, 80));
    check(&found, raygen, WS_REORDER_CALLED, WS_REORDER_WINDOW_SPLIT, FIGURES(5, 6, 96, 120, 80));
    check_idle(&found, raygen, WS_REORDER_CALLED, WS_REORDER_WINDOW_SPLIT, IDLE(0, 16, 0, 40, 0, 0));
    assert_true(row_of(&found, raygen, WS_REORDER_CALLED, WS_REORDER_WINDOW_ALL)->launches == 1);
    assert_true(row_of(&found, raygen, WS_REORDER_CALLED, WS_REORDER_WINDOW_SPLIT)->launches == 2);
    assert_true(row_of(&found, raygen, WS_REORDER_CALLED, 1)->launches == 0);
    found_finish(&found);
}

/* The example of reorder.h: one thread calls in rounds 0 and 2, the other in 1 and 2. In the next execution of the shader, by
 * two others, one calls once. Another call site of the shader is another one. */
static void joined(void **state)
{
    (void)state;
    static const uint64_t rounds[3] = {0x1, 0x2, 0x3};
    struct stream *stream = stream_create(&(struct stream_options){.bins = 4});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint32_t context = stream_enter_rays(stream, warp, raygen, lanes(0x3), 2 * warp);
        for (uint32_t i = 0; i < (warp == 0 ? 3 : 1); ++i) {
            block(stream, context, 0, 0x3);
            before(stream, context, 0, rounds[i]);
        }
        end(stream, context, 0x3);
    }
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    const struct ws_reorder_sums *sums = row_of(&found, raygen, WS_REORDER_CALLED, WS_REORDER_WINDOW_ALL);
    assert_true(sums->visits == 5 && sums->calls == 4 && sums->joined == 3);
    found_finish(&found);
}

/* As two_hits, but both hit groups have one shader, which the device runs for each.
 *   before       each warp executes it twice, and the block behind
 *   after        each warp executes it once: windows of one warp, too. So 2 of its 4 executions were apart. */
static void one_shader(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 4});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint32_t context = stream_enter_rays(stream, warp, raygen, lanes(0xf), 4 * warp);
        before(stream, context, 0, 0xf);
        run_called(stream, warp, hit, 0x3, 4 * warp);
        run_called(stream, warp, hit, 0xc, 4 * warp);
        block(stream, context, 1, 0xf);
        end(stream, context, 0xf);
    }
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check(&found, raygen, WS_REORDER_CALLED, 0, FIGURES(6, 4, 112, 80, 80));
    check(&found, raygen, WS_REORDER_CALLED, WS_REORDER_WINDOW_ALL, FIGURES(6, 4, 112, 80, 80));
    assert_true(found.results->ran == 4 && found.results->apart == 2);
    check_idle(&found, raygen, WS_REORDER_CALLED, 0, IDLE(0, 32, 0, 0, 0, 0));
    found_finish(&found);
}

/* Lanes 0 and 1 of one warp trace; then all run a block. Those that did not trace stay, and run it without the others. */
static void some_stay(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 4});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
    const uint32_t context = stream_enter_rays(stream, 0, raygen, lanes(0xf), 0);
    before(stream, context, 0, 0x3);
    run_called(stream, 0, hit, 0x3, 0);
    block(stream, context, 1, 0xf);
    end(stream, context, 0xf);
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check(&found, raygen, WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL, FIGURES(2, 3, 40, 64, 32));
    /* Before: two lanes are not in the hit, 2 x 4. After: two lanes of the new warp have no thread, 2 x (4 + 6), and those that
     * stay are without two that ran, 2 x 6. */
    check_idle(&found, raygen, WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL, IDLE(0, 8, 0, 20, 12, 0));
    found_finish(&found);
}

/* One hit shader calls two callables: sorting by shader does nothing, by callables all. Any-hit shaders are not looked at.
 *   before       each warp: the hit, both callables, the block behind: 2 x (4 + 4 + 4 + 6) x 4
 *   after        each warp: the hit, one callable, the block behind */
static void materials(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 4});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    const uint32_t any = stream_shader(stream, WS_STAGE_ANY_HIT, block_instructions, 3);
    const uint32_t c = stream_shader(stream, WS_STAGE_CALLABLE, block_instructions, 3);
    const uint32_t d = stream_shader(stream, WS_STAGE_CALLABLE, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint32_t context = stream_enter_rays(stream, warp, raygen, lanes(0xf), 4 * warp);
        before(stream, context, 0, 0xf);
        run_called(stream, warp, any, 0x1, 4 * warp);
        const uint32_t inner = stream_enter_rays(stream, warp, hit, lanes(0xf), 4 * warp);
        block(stream, inner, 0, 0xf);
        before(stream, inner, 0, 0xf);
        run_called(stream, warp, c, 0x5, 4 * warp);
        run_called(stream, warp, d, 0xa, 4 * warp);
        end(stream, inner, 0xf);
        block(stream, context, 1, 0xf);
        end(stream, context, 0xf);
    }
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check(&found, raygen, WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL, FIGURES(8, 8, 144, 144, 112));
    check(&found, raygen, WS_REORDER_CALLED, 0, FIGURES(8, 8, 144, 144, 112));
    check(&found, raygen, WS_REORDER_CALLED, WS_REORDER_WINDOW_ALL, FIGURES(8, 6, 144, 112, 112));
    /* What follows the callables' own call: one of them, and the block behind the trace. */
    check(&found, hit, WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL, FIGURES(6, 4, 112, 80, 80));
    check_idle(&found, raygen, WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL, IDLE(0, 32, 0, 0, 32, 0));
    check_idle(&found, raygen, WS_REORDER_CALLED, WS_REORDER_WINDOW_ALL, IDLE(0, 32, 0, 0, 0, 0));
    check_idle(&found, hit, WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL, IDLE(0, 32, 0, 0, 0, 0));
    found_finish(&found);
}

/* Of four warps, lanes 0 to 2 trace. The 12 threads fill three warps. */
static void packed(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 4});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t miss = stream_shader(stream, WS_STAGE_MISS, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 16, 1, 1);
    for (uint32_t warp = 0; warp < 4; ++warp) {
        const uint32_t context = stream_enter_rays(stream, warp, raygen, lanes(0xf), 4 * warp);
        before(stream, context, 0, 0x7);
        run_called(stream, warp, miss, 0x7, 4 * warp);
        end(stream, context, 0xf);
    }
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check(&found, raygen, WS_REORDER_CALLED, 0, FIGURES(4, 4, 64, 64, 48));
    check(&found, raygen, WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL, FIGURES(4, 3, 64, 48, 48));
    /* In each warp one lane is not in the miss shader; in windows of one warp it has no thread. */
    check_idle(&found, raygen, WS_REORDER_CALLED, 0, IDLE(0, 16, 0, 16, 0, 0));
    check_idle(&found, raygen, WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL, IDLE(0, 16, 0, 0, 0, 0));
    assert_true(row_of(&found, raygen, WS_REORDER_CALLED, 0)->visits == 12);
    const struct ws_reorder_sums *total = ws_groups_find(found.results->groups, WS_REORDER_TOTAL, NULL);
    assert_true(total->visits == 12 && total->calls == 4);
    found_finish(&found);
}

/* Two warps, of 4 and of 3 threads, trace; lane 0 runs A, the others have missed, without a shader. Behind the call all run
 * block 1, of 6; then lanes 1 and above end, and lane 0 runs block 2, of 2.
 *   before       A: 2 x 4 x 4 slots, 8 active; one lane has no thread, 4; 3 + 2 lanes are not in A, 20
 *                block 1: 48 slots, 42 active, and one lane without a thread
 *                block 2: 16 slots, 4 active, one lane without a thread, 2; 3 + 2 have ended, 10: not active in that shader
 *   after        a warp of 4 that have missed: 24 slots, all active. A warp of one that has missed and both that hit: of 4 x
 *                (4 + 6 + 2) slots 12 are without a thread, 4 not in A, and 2 of a thread that has ended before block 2 */
static void partial_and_ended(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 4});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 7, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint64_t all = warp == 0 ? 0xf : 0x7;
        const uint32_t context = stream_enter_rays(stream, warp, raygen, lanes(all), 4 * warp);
        before(stream, context, 0, all);
        run_called(stream, warp, hit, 0x1, 4 * warp);
        block(stream, context, 1, all);
        end(stream, context, all & ~UINT64_C(1));
        block(stream, context, 2, 0x1);
        end(stream, context, 0x1);
    }
    stream_end(stream);
    struct found found;
    found_analyse(&found, stream);
    check(&found, raygen, WS_REORDER_PATH, WS_REORDER_WINDOW_ALL, FIGURES(6, 4, 96, 72, 54));
    check_idle(&found, raygen, WS_REORDER_PATH, WS_REORDER_WINDOW_ALL, IDLE(12, 20, 10, 12, 4, 2));
    found_finish(&found);
}

/* for (outer) { for (inner) { A, break in B } } C. Blocks: 0 first, 1 outer header, 2 inner header, 3 A, 4 B, 5 behind the
 * inner loop, 6 C. */
static void loops(void **state)
{
    (void)state;
    struct ws_nest_loop nest_loops[2] = {{WS_NONE, 0}, {0, 1}};
    struct ws_nest_block blocks[7] = {{1, WS_NONE, false, true, true}, {1, 0, true, false, true},
                                      {1, 1, true, false, true},       {1, 1, false, false, true},
                                      {1, 1, false, false, true},      {1, 0, false, false, true},
                                      {1, WS_NONE, false, false, true}};
    const struct ws_loop_nest nest = {blocks, 7, nest_loops, 2};
    const struct ws_module_record module = {.block_count = 7};
    /* One thread turns the inner loop twice, then once; the other once, then twice. */
    static const uint32_t ways[2][16] = {{0, 1, 2, 3, 2, 4, 5, 1, 2, 4, 5, 1, 6, 99},
                                         {0, 1, 2, 4, 5, 1, 2, 3, 2, 4, 5, 1, 6, 99}};
    struct ws_walks walks = {0};
    uint64_t names[2][16] = {{0}};
    uint32_t turns[2][16];
    uint32_t ended[2] = {0};
    for (int i = 0; i < 2; ++i) {
        uint32_t walk = 0;
        assert_true(ws_walk_enter(&walks, &walk, 0, 3));
        for (int j = 0; ways[i][j] != 99; ++j) {
            assert_true(ws_walk_step(&walks, &walk, &nest, &module, ways[i][j]));
            const struct ws_walk_place place = ws_walk_place(&walks, walk);
            names[i][j] = ws_walk_mix(ws_walk_mix(place.scope, place.round), ways[i][j]);
            turns[i][j] = ws_walk_turn(&walks, walk);
            ended[i] = walk;
        }
        assert_int_equal(ws_walk_leave(&walks, walk), 0);
    }
    /* Which name of the second thread each of the first is; -1: none. */
    static const int same[13] = {0, 1, 2, -1, -1, -1, 4, 5, 6, -1, 10, 11, 12};
    for (int i = 0; i < 13; ++i)
        for (int j = 0; j < 13; ++j)
            if ((names[0][i] == names[1][j]) != (same[i] == j))
                fail_msg("blocks %d and %d", i, j);
    static const uint32_t expected[13] = {1, 1, 1, 1, 2, 2, 1, 2, 1, 1, 2, 3, 1};
    assert_memory_equal(turns[0], expected, sizeof(expected));
    /* Both come to C, by different ways: they are at one place. */
    assert_int_equal(ended[0], ended[1]);
    ws_walks_finish(&walks);
}

/* What no thread is in is forgotten, and the others go on as before: they come to the names that they would have come to. */
static void forgetting(void **state)
{
    (void)state;
    struct ws_nest_loop nest_loops[1] = {{WS_NONE, 0}};
    struct ws_nest_block blocks[3] = {
        {1, WS_NONE, false, true, true}, {1, 0, true, false, true}, {1, WS_NONE, false, false, true}};
    const struct ws_loop_nest nest = {blocks, 3, nest_loops, 1};
    const struct ws_module_record module = {.block_count = 3};
    static const uint32_t ways[5] = {0, 1, 1, 1, 2};
    for (uint32_t at = 0; at < 5; ++at) {
        struct ws_walks walks = {0};
        uint32_t numbers[64] = {0};
        uint32_t walk = 0;
        uint32_t other = 0;
        assert_true(ws_walk_enter(&walks, &walk, 0, 3) && ws_walk_enter(&walks, &other, 0, 3));
        for (uint32_t i = 0; i < 5; ++i) {
            assert_true(ws_walk_step(&walks, &walk, &nest, &module, ways[i]));
            if (i != at)
                continue;
            const uint32_t before = walks.count;
            assert_true(before < 64);
            numbers[walk] = 1;
            numbers[other] = 1;
            assert_true(ws_walks_forget(&walks, numbers));
            walk = numbers[walk];
            other = numbers[other];
            assert_true(walks.count <= before);
        }
        /* shader, function in block 2 */
        assert_true(walks.walks[walk].count == 2 && ws_walk_block(&walks, walk) == 2);
        for (uint32_t i = 0; i < 5; ++i)
            assert_true(ws_walk_step(&walks, &other, &nest, &module, ways[i]));
        assert_int_equal(walk, other);
        ws_walks_finish(&walks);
    }
}

/* A second call from one block is another one, and so is a call from another block. */
static void calls(void **state)
{
    (void)state;
    struct ws_walks walks = {0};
    uint32_t walk = 0;
    struct ws_nest_block blocks[2] = {{1, WS_NONE, false, true, true}, {1, WS_NONE, false, false, true}};
    const struct ws_loop_nest nest = {blocks, 2, NULL, 0};
    const struct ws_module_record module = {.block_count = 2};
    assert_true(ws_walk_enter(&walks, &walk, 0, 0));
    assert_true(ws_walk_step(&walks, &walk, &nest, &module, 0));
    const uint64_t first = ws_walk_call(&walks, walk, 10);
    assert_true(ws_walk_call(&walks, walk, 10) == first);
    assert_true(ws_walk_call(&walks, walk, 11) != first);
    assert_true(ws_walk_step(&walks, &walk, &nest, &module, 1));
    const uint64_t second = ws_walk_call(&walks, walk, 10);
    assert_true(second != first);
    /* Recursion: the same shader further in. When it has ended, the thread is where it called. */
    const uint32_t called = walk;
    assert_true(ws_walk_enter(&walks, &walk, second, 0));
    assert_true(ws_walk_turn(&walks, walk) == 2);
    assert_true(ws_walk_step(&walks, &walk, &nest, &module, 0));
    walk = ws_walk_leave(&walks, walk);
    assert_int_equal(walk, called);
    assert_int_equal(ws_walk_block(&walks, walk), 1);
    ws_walks_finish(&walks);
}

/* Two threads leave a function by different blocks, one in another iteration of its loop. Back in the block that called it they
 * are at one place, and in the iteration of the caller's loop. */
static void returns(void **state)
{
    (void)state;
    struct ws_nest_loop loops[2] = {{WS_NONE, 0}, {WS_NONE, 0}};
    struct ws_nest_block blocks[5] = {{1, WS_NONE, false, true, true},
                                      {1, 0, true, false, true},
                                      {2, WS_NONE, false, true, true},
                                      {2, 1, true, false, true},
                                      {2, WS_NONE, false, false, true}};
    const struct ws_loop_nest nest = {blocks, 5, loops, 2};
    struct ws_function_record functions[2] = {{.id = 1, .call_first = 0, .call_count = 1}, {.id = 2}};
    uint32_t calls_of[1] = {2};
    const struct ws_module_record module = {
        .block_count = 5, .functions = functions, .function_count = 2, .calls = calls_of, .call_count = 1};
    static const uint32_t ways[2][7] = {{0, 1, 1, 2, 4, 4, 4}, {0, 1, 1, 2, 3, 3, 3}};
    struct ws_walks walks = {0};
    uint32_t back[2], inside[2];
    for (uint32_t t = 0; t < 2; ++t) {
        uint32_t walk = 0;
        assert_true(ws_walk_enter(&walks, &walk, 0, 0));
        for (uint32_t i = 0; i < 7; ++i)
            assert_true(ws_walk_step(&walks, &walk, &nest, &module, ways[t][i]));
        inside[t] = walk;
        back[t] = ws_walk_return(&walks, walk, 1);
        assert_int_equal(ws_walk_return(&walks, walk, 2), walk);
        assert_int_equal(ws_walk_return(&walks, walk, 3), walk); /* it is in none such */
    }
    assert_true(inside[0] != inside[1] && back[0] == back[1]);
    assert_int_equal(ws_walk_block(&walks, back[0]), 1);
    assert_int_equal(ws_walk_turn(&walks, inside[1]), 3);
    assert_int_equal(ws_walk_turn(&walks, back[1]), 2);
    assert_int_equal(ws_walk_place(&walks, back[1]).round, 1);
    ws_walks_finish(&walks);
}

/* Adds figures of a call site with a key to the level of what is worth sorting. */
static void add_row(const struct found *found, uint32_t shader, uint32_t key,
                    const struct ws_reorder_sums *sums)
{
    const uint64_t keys[WS_REORDER_DIMENSIONS] = {[WS_REORDER_BY_SHADER] = shader,
                                                  [WS_REORDER_BY_SITE] = ws_reorder_site(shader, 7),
                                                  [WS_REORDER_BY_KEY] = key};
    assert_true(ws_groups_add_to(found->results->groups, keys, sums, 1u << WS_REORDER_BY_KEY,
                                 1u << WS_REORDER_BY_WINDOW));
}

/* The example of reorder.h: of 1000 slots 400 are left, at a cost of 150, and the capture has 3000. 5 values of the key are 3
 * bits. Sorting by shader alone leaves 500, so it is not the one that is said; sorting by path leaves fewest, which no program
 * can do. Where the cost is 301, worth is below 2: nothing is said. */
static void findings(void **state)
{
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = 4});
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, block_instructions, 3);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
    const uint32_t context = stream_enter_rays(stream, 0, raygen, lanes(0xf), 0);
    block(stream, context, 0, 0xf);
    end(stream, context, 0xf);
    stream_end(stream);
    for (uint64_t cost = 150; cost <= 301; cost += 151) {
        struct found found;
        struct ws_findings told = {0};
        struct ws_reorder_sums sums = {
            .executions = 100, .slots = 1000, .active = 300, .active_after = 300, .values = 5, .cost = cost};
        if (cost == 150)
            stream_finish(stream);
        found_read(&found, stream, 1);
        assert_true(found.results->slots == 16); /* 4 instructions by 4 lanes */
        found.results->slots = 3000;
        sums.slots_after = 500;
        add_row(&found, raygen, WS_REORDER_SHADER, &sums);
        sums.slots_after = 400;
        add_row(&found, raygen, WS_REORDER_CALLED, &sums);
        sums.slots_after = 300;
        add_row(&found, raygen, WS_REORDER_PATH, &sums);
        assert_true(ws_reorder_findings(found.results, &told));
        assert_int_equal(told.count, cost == 150);
        if (told.count > 0) {
            const struct ws_finding *finding = &told.all[0];
            assert_true(finding->size > 0.1499 && finding->size < 0.1501 && !finding->small);
            assert_true(finding->kind == WS_FINDING_CHANGE && finding->cause == WS_CAUSE_CALLS);
            assert_non_null(strstr(finding->text, "the callables that it runs, with 3 bits"));
            assert_non_null(strstr(finding->text, "60.0 % fewer slots"));
            assert_non_null(strstr(finding->text, "(75.0 % active, not 30.0 %)"));
            assert_non_null(strstr(finding->text, "to cost 15.0 %"));
        }
        ws_findings_finish(&told);
        found_finish(&found);
    }
    stream_destroy(stream);
}

#define STEPS(...) ((const struct ws_span_step[]){__VA_ARGS__})

/* Blocks A, B and C of 4, 6 and 2 instructions. Loops are in scope 100, which shader 0 has, functions in 200 and 300, of shader
 * 1. */
struct spans {
    struct ws_block_record blocks[3];
    struct ws_module_record module;
    struct ws_catalog catalog;
    struct ws_spans spans;
    uint32_t a; /* sets */
    uint32_t ab;
    uint32_t ac;
};

static void spans_init(struct spans *spans)
{
    static const uint32_t a[1] = {0};
    static const uint32_t ba[2] = {1, 0};
    static const uint32_t ab[3] = {0, 1, 0};
    static const uint32_t ac[2] = {0, 2};
    uint32_t again = 0;
    memset(spans, 0, sizeof(*spans));
    for (int i = 0; i < 3; ++i)
        spans->blocks[i].info.instruction_count = block_instructions[i];
    spans->module.blocks = spans->blocks;
    spans->module.block_count = 3;
    spans->catalog.modules = &spans->module;
    spans->catalog.module_count = 1;
    spans->spans.catalog = &spans->catalog;
    assert_true(ws_spans_set(&spans->spans, 0, 11, a, 1, &spans->a));
    assert_true(ws_spans_set(&spans->spans, 0, 12, ba, 2, &spans->ab));
    assert_true(ws_spans_set(&spans->spans, 0, 13, ab, 3, &again));
    assert_true(ws_spans_set(&spans->spans, 0, 14, ac, 2, &spans->ac));
    assert_int_equal(again, spans->ab); /* in another order, and A twice */
    assert_int_equal(spans->spans.sets[spans->ab].instructions, 10);
}

static uint32_t path_of(struct spans *spans, const struct ws_span_step *steps, uint32_t count)
{
    uint32_t span = 0;
    uint32_t path = 0;
    assert_true(ws_spans_add(&spans->spans, steps, count, &span));
    assert_true(ws_spans_path(&spans->spans, &span, 1, &path));
    return path;
}

/* Counts a warp of `size` lanes with threads that have these paths, from one of them on. */
static void count_warp(struct ws_new_warps *warps, const uint32_t *paths, uint32_t count, uint32_t first,
                       uint32_t size, struct ws_reorder_after after[2])
{
    uint32_t given[8];
    assert_true(count <= 8);
    for (uint32_t i = 0; i < count; ++i)
        given[i] = paths[(first + i) % count];
    assert_true(
        ws_new_warp_count(warps, ws_new_warp_hash(warps, size, given, count), size, given, count, after));
}

/* Counts a warp of 4 of these paths, in whichever order they come: each anew, and again as one that is alike. */
static void check_warp(struct ws_new_warps *warps, const uint32_t *paths, uint32_t count,
                       const uint64_t expected[4])
{
    for (uint32_t first = 0; first < count; ++first) {
        struct ws_reorder_after after[2] = {{0}};
        struct ws_reorder_after again[2] = {{0}};
        ws_new_warps_visit(warps, 0);
        count_warp(warps, paths, count, first, 4, after);
        const uint64_t parts = warps->part_count;
        count_warp(warps, paths, count, first + 1, 4, again);
        assert_true(warps->part_count == parts);
        assert_memory_equal(after, again, sizeof(after));
        const uint64_t are[4] = {after[0].executions, after[0].slots, after[1].executions, after[1].slots};
        for (int i = 0; i < 4; ++i)
            if (are[i] != expected[i])
                fail_msg("from path %u on, figure %d is %llu, not %llu", first, i, (unsigned long long)are[i],
                         (unsigned long long)expected[i]);
    }
}

/* The example of new_warps.h: loops of 50 and 100 rounds, with {A} in all but the last, {A, B}. A is executed 100 times, B
 * twice: 102 executions, 4 x (100 x 4 + 2 x 6) slots. A third has {A, C} from round 10 to 59: 50 more executions of C.
 *   Functions: two threads call 200 and 300 in one order, one in the other: each is executed once. */
static void rounds(void **state)
{
    (void)state;
    struct spans spans;
    struct ws_new_warps warps;
    spans_init(&spans);
    const uint32_t paths[5] = {
        path_of(&spans, STEPS({100, 0, spans.a, 0, 49}, {100, 0, spans.ab, 49, 1}), 2),
        path_of(&spans, STEPS({100, 0, spans.a, 0, 99}, {100, 0, spans.ab, 99, 1}), 2),
        path_of(&spans, STEPS({100, 0, spans.ac, 10, 50}), 1),
        path_of(&spans, STEPS({200, 1, spans.ab, 0, 1}, {300, 1, spans.a, 0, 1}), 2),
        path_of(&spans, STEPS({300, 1, spans.a, 0, 1}, {200, 1, spans.ab, 0, 1}), 2),
    };
    assert_true(ws_new_warps_init(&warps, &spans.spans));
    check_warp(&warps, paths, 2, (const uint64_t[4]){102, 4 * (400 + 12), 0, 0});
    check_warp(&warps, paths, 3, (const uint64_t[4]){152, 4 * (400 + 12 + 100), 0, 0});
    check_warp(&warps, paths + 3, 2, (const uint64_t[4]){0, 0, 3, 4 * 14});
    check_warp(&warps, paths, 5, (const uint64_t[4]){152, 4 * 512, 3, 4 * 14});
    /* What the last warps did is kept, but not of all: those of other sizes have other slots. */
    for (uint32_t round = 0; round < 2; ++round)
        for (uint32_t size = 5; size < WS_NEW_WARP_PARTS; ++size) {
            struct ws_reorder_after after[2] = {{0}};
            count_warp(&warps, paths, 5, 0, size, after);
            assert_true(after[0].slots == size * UINT64_C(512) && after[1].executions == 3);
        }
    check_warp(&warps, paths, 5, (const uint64_t[4]){152, 4 * 512, 3, 4 * 14});
    ws_new_warps_finish(&warps);
    ws_spans_finish(&spans.spans);
}

/* A thousand threads, each with another choice of A, AB and AC in 48 rounds: their spans are lists of 144 items, and the pieces
 * of these are kept, not those of each span. A warp of threads that have A alone, AB and AC from one round on executes each
 * block once a round: 48 times A of 4, B of 6 and C of 2 instructions. */
static void different_spans(void **state)
{
    enum { THREADS = 1000, ROUNDS = 48 };
    (void)state;
    struct spans spans;
    struct ws_new_warps warps;
    uint32_t paths[THREADS];
    uint32_t random = 1;
    spans_init(&spans);
    const uint32_t sets[3] = {spans.a, spans.ab, spans.ac};
    for (uint32_t i = 0; i < THREADS; ++i) {
        struct ws_span_step steps[ROUNDS];
        for (uint32_t round = 0; round < ROUNDS; ++round) {
            random = random * 1664525u + 1013904223u;
            const uint32_t choice = i < 3 ? i : (random >> 16) % 3; /* the first have one in all rounds */
            steps[round] = (struct ws_span_step){100, 0, sets[choice], round, 1};
        }
        paths[i] = path_of(&spans, steps, ROUNDS);
        assert_int_equal(paths[i], i);
    }
    assert_int_equal(spans.spans.span_item_count, THREADS * ROUNDS);
    assert_int_equal(spans.spans.item_count, 3 * ROUNDS);
    assert_true(ws_new_warps_init(&warps, &spans.spans));
    assert_true(warps.pieces.number_count <= 5 * ROUNDS); /* A, A and B, A and C in each */
    check_warp(&warps, paths, 3, (const uint64_t[4]){3 * ROUNDS, 4 * 12 * ROUNDS, 0, 0});
    ws_new_warps_finish(&warps);
    ws_spans_finish(&spans.spans);
}

/* The functions of `rounds`, of the last of ten thousand shaders: there is room for the two, not for all. */
static void late_shaders(void **state)
{
    (void)state;
    struct spans spans;
    struct ws_new_warps warps;
    spans_init(&spans);
    const uint32_t paths[2] = {
        path_of(&spans, STEPS({200, 9999, spans.ab, 0, 1}, {300, 9998, spans.a, 0, 1}), 2),
        path_of(&spans, STEPS({300, 9998, spans.a, 0, 1}, {200, 9999, spans.ab, 0, 1}), 2),
    };
    assert_true(ws_new_warps_init(&warps, &spans.spans));
    assert_true(warps.shader_first == 9998 && warps.shader_count == 2);
    warps.after_first = 9998;
    check_warp(&warps, paths, 2, (const uint64_t[4]){1, 4 * 4, 2, 4 * 10});
    ws_new_warps_finish(&warps);
    ws_spans_finish(&spans.spans);
}

/* Threads turn a loop 2, 3 and so on to 100 times, with {A} in all rounds but the last, {A, B}: their items would be 26 pieces
 * on average, so the scope is long. A warp of those that turn it 10, 20, 40 and 100 times executes A 100 times and B 4 times.
 * A function in front of it, which all have, and one behind, which the last has, are two pieces. */
static void long_scopes(void **state)
{
    (void)state;
    struct spans spans;
    struct ws_new_warps warps;
    uint32_t paths[101];
    spans_init(&spans);
    for (uint32_t turns = 2; turns <= 100; ++turns)
        paths[turns] = path_of(&spans,
                               STEPS({50, 1, spans.a, 0, 1}, {100, 0, spans.a, 0, turns - 1},
                                     {100, 0, spans.ab, turns - 1, 1}, {60, 1, spans.ac, 0, 1}),
                               turns == 100 ? 4 : 3);
    assert_true(ws_new_warps_init(&warps, &spans.spans));
    assert_int_equal(warps.pieces.count, 2);
    const uint32_t warp[4] = {paths[10], paths[20], paths[40], paths[100]};
    /* A has 4 instructions, B 6 and C 2. */
    check_warp(&warps, warp, 4, (const uint64_t[4]){104, 4 * (400 + 4 * 6), 3, 4 * (4 + 4 + 2)});
    ws_new_warps_finish(&warps);
    ws_spans_finish(&spans.spans);
}

/* The example of new_warps.h: of 3 threads in 4 lanes two hit A, of 10 instructions, in invocation 7, and one misses, 2,
 * in 8; both are called from 6. Behind the call all run a block of 4 there. Another thread does not: it is in 6 all the
 * same, since it called from there, but not in 5, which it would be if 5 had called. */
static void idle_of_new_warps(void **state)
{
    (void)state;
    static const uint32_t c[1] = {2};
    static const uint32_t scopes[4][3] = {{100, 0, 7}, {200, 1, 8}, {300, 0, 6}, {400, 1, 5}};
    struct spans spans;
    struct ws_new_warps warps;
    struct ws_reorder_after after[2] = {{0}};
    uint32_t number = 0;
    uint32_t set = 0;
    spans_init(&spans);
    assert_true(ws_spans_set(&spans.spans, 0, 15, c, 1, &set));
    assert_true(ws_spans_invocation(&spans.spans, 6, 0, &number));
    for (uint32_t i = 0; i < 4; ++i)
        assert_true(ws_spans_scope(&spans.spans, scopes[i][0], scopes[i][1], scopes[i][2], &number));
    const uint32_t hits = path_of(&spans, STEPS({100, 0, spans.ab, 0, 1}, {300, 0, spans.a, 0, 1}), 2);
    const uint32_t misses = path_of(&spans, STEPS({200, 1, set, 0, 1}, {300, 0, spans.a, 0, 1}), 2);
    const uint32_t ends = path_of(&spans, STEPS({200, 1, set, 0, 1}, {400, 1, spans.a, 0, 1}), 2);
    assert_true(ws_new_warps_init(&warps, &spans.spans));
    ws_new_warps_visit(&warps, 6);
    uint32_t shaders[2];
    bool has[2] = {false, false};
    struct ws_new_ran ran = {.shaders = shaders, .has = has};
    warps.ran = &ran;
    /* Without `after` only slots are counted. */
    count_warp(&warps, (const uint32_t[3]){hits, misses, hits}, 3, 0, 4, NULL);
    assert_true(warps.slots == 40 + 16 + 8 && ran.count == 0);
    count_warp(&warps, (const uint32_t[2]){hits, hits}, 2, 0, 4, after);
    count_warp(&warps, (const uint32_t[2]){hits, hits}, 2, 1, 4, after);
    assert_true(ran.count == 1 && shaders[0] == 0);
    memset(after, 0, sizeof(after));
    count_warp(&warps, (const uint32_t[3]){hits, misses, hits}, 3, 0, 4, after);
    assert_true(ran.count == 2 && shaders[1] == 1 && warps.slots == 40 + 16 + 8);
    assert_true(after[0].executions == 3 && after[0].slots == 40 + 16);
    assert_true(after[0].partial_warp == 10 + 4 && after[0].indirect_call == 10);
    assert_true(after[1].executions == 1 && after[1].slots == 8);
    assert_true(after[1].partial_warp == 2 && after[1].indirect_call == 4);
    memset(after, 0, sizeof(after));
    count_warp(&warps, (const uint32_t[2]){hits, ends}, 2, 0, 4, after);
    assert_true(after[0].partial_warp == 20 + 8 && after[0].indirect_call == 10);
    assert_true(after[1].partial_warp == 4 + 8 && after[1].indirect_call == 2 + 4);
    ws_new_warps_finish(&warps);
    ws_spans_finish(&spans.spans);
}

/* What a thread executes is the same span, whether lists that no thread has were forgotten on the way or not: {A} in rounds 0
 * and 1, {A, B} in 2. */
static void growing(void **state)
{
    (void)state;
    static const struct {
        uint32_t round;
        uint32_t block;
    } ways[4] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}};
    const struct ws_span_step steps[2] = {{7, 0, 0, 0, 2}, {7, 0, 1, 2, 1}};
    struct spans spans;
    uint32_t found[6];
    struct ws_shader_record shader = {0};
    spans_init(&spans);
    spans.catalog.shaders = &shader;
    struct ws_growing growing = {.spans = &spans.spans};
    for (uint32_t forgets = 0; forgets < 5; ++forgets) {
        struct ws_growth growth = {0};
        struct ws_growth other = {0};
        for (uint32_t i = 0; i < 4; ++i) {
            const struct ws_walk_place place = {7, ways[i].round};
            uint32_t numbers[64] = {0};
            if (!ws_growth_goes_on(&growing, &growth, &place)) {
                assert_true(ws_growth_end_item(&growing, &growth));
                ws_growth_begin_item(&growth, &place, 0);
            }
            assert_true(ws_growth_add(&growing, &growth, ways[i].block));
            other = growth;
            if (i + 1 != forgets)
                continue;
            const uint32_t before = growing.count;
            assert_true(before < 64);
            ws_growth_mark(&growth, numbers);
            assert_true(ws_growing_forget(&growing, numbers));
            assert_true(growing.count < before || before <= 3);
            ws_growth_renumber(&growth, numbers);
            ws_growth_renumber(&other, numbers);
        }
        assert_memory_equal(&growth, &other, sizeof(growth));
        assert_true(ws_growth_end(&growing, &growth, &found[forgets]));
        assert_true(growth.item_count == 0 && growth.blocks == 0);
    }
    assert_true(ws_spans_add(&spans.spans, steps, 2, &found[5]));
    for (int i = 0; i < 5; ++i)
        assert_int_equal(found[i], found[5]);
    assert_int_equal(spans.spans.span_count, 1);
    ws_growing_finish(&growing);
    ws_spans_finish(&spans.spans);
}

/* Five steps from one stand are told apart, in whichever order they are asked for. Those that lead to one walk without growth
 * lead to one stand; with growth they do not. What no thread has is forgotten, and so are steps: the others are what they
 * were. */
static void stands(void **state)
{
    (void)state;
    const struct ws_growth none = {0};
    const struct ws_growth some = {.blocks = 5};
    static const uint32_t walks[5] = {1, 2, 1, 3, 2};
    struct ws_stands stands = {0};
    uint32_t to[5];
    uint32_t numbers[8] = {0};
    uint32_t found = 0;
    assert_true(ws_stands_begin(&stands));
    for (uint32_t i = 0; i < 5; ++i) {
        assert_int_equal(ws_stand_led(&stands, 0, 100 + i), 0);
        assert_true(ws_stand_lead(&stands, 0, 100 + i, walks[i], walks[i] == 1 ? &none : &some, &to[i]));
    }
    assert_true(to[0] == to[2] && to[1] != to[4] && to[3] != to[1] && stands.count == 5);
    for (uint32_t i = 0; i < 20; ++i)
        assert_int_equal(ws_stand_led(&stands, 0, 100 + i * 3 % 5), to[i * 3 % 5]);
    assert_int_equal(ws_stand_led(&stands, 0, 105), 0);
    assert_int_equal(ws_stand_led(&stands, to[1], 100), 0);
    numbers[to[3]] = 1;
    numbers[to[4]] = 1;
    ws_stands_forget(&stands, numbers);
    assert_true(ws_stands_renumbered(&stands) && stands.count == 3);
    assert_int_equal(stands.stands[numbers[to[3]]].walk, 3);
    assert_int_equal(stands.stands[numbers[to[4]]].walk, 2);
    assert_int_equal(stands.grown[numbers[to[4]]].growth.blocks, 5);
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(ws_stand_led(&stands, 0, 100 + i), 0);
    assert_true(ws_stand_find(&stands, 0, &none, &found) && found == 0);
    assert_true(ws_stand_find(&stands, 1, &none, &found) && found == 3);
    ws_stands_finish(&stands);
}

/* Two paths have a span in common, and one has two more, {A, B} and {A, C} of one shader invocation: these are one piece. */
static void joined_pieces(void **state)
{
    (void)state;
    struct spans spans;
    struct ws_new_warps warps;
    uint32_t ended[3];
    uint32_t paths[2];
    spans_init(&spans);
    assert_true(ws_spans_add(&spans.spans, STEPS({100, 0, spans.a, 0, 1}), 1, &ended[0]));
    assert_true(ws_spans_add(&spans.spans, STEPS({200, 1, spans.ab, 0, 1}), 1, &ended[1]));
    assert_true(ws_spans_add(&spans.spans, STEPS({200, 1, spans.ac, 1, 1}), 1, &ended[2]));
    assert_true(ws_spans_path(&spans.spans, ended, 1, &paths[0]));
    assert_true(ws_spans_path(&spans.spans, ended, 3, &paths[1]));
    assert_true(ws_new_warps_init(&warps, &spans.spans));
    assert_int_equal(warps.pieces.count, 2);
    /* A has 4 instructions, B 6 and C 2. */
    check_warp(&warps, paths, 2, (const uint64_t[4]){1, 4 * 4, 4, 4 * (4 + 6 + 4 + 2)});
    check_warp(&warps, paths, 1, (const uint64_t[4]){1, 4 * 4, 0, 0});
    ws_new_warps_finish(&warps);
    ws_spans_finish(&spans.spans);
}

/* Once the budget is spent no pieces are made. */
static void pieces_without_budget(void **state)
{
    (void)state;
    for (int spent = 0; spent < 2; ++spent) {
        struct spans spans;
        struct ws_pieces pieces = {0};
        spans_init(&spans);
        path_of(&spans, STEPS({100, 0, spans.a, 0, 1}), 1);
        ws_budget_set_least(spent ? 1 : WS_STEPS_LEAST);
        ws_budget_begin(0);
        ws_budget_spend(2);
        assert_int_equal(ws_pieces_init(&pieces, &spans.spans), !spent);
        ws_budget_set_least(WS_STEPS_LEAST);
        ws_budget_begin(0);
        ws_pieces_finish(&pieces);
        ws_spans_finish(&spans.spans);
    }
}

/* Paths are ranked by how often they turn a loop, whichever was added first, and in another worker's numbers. */
static void ranks(void **state)
{
    (void)state;
    struct spans spans;
    struct ws_spans other = {0};
    spans_init(&spans);
    other.catalog = &spans.catalog;
    const uint32_t paths[3] = {path_of(&spans, STEPS({100, 0, spans.a, 0, 7}), 1),
                               path_of(&spans, STEPS({100, 0, spans.a, 0, 300}), 1),
                               path_of(&spans, STEPS({100, 0, spans.a, 0, 8}), 1)};
    uint32_t *ranked = ws_spans_rank(&spans.spans);
    assert_true(ranked[paths[0]] == 0 && ranked[paths[2]] == 1 && ranked[paths[1]] == 2);
    uint32_t *numbers = ws_spans_translate(&other, &spans.spans);
    uint32_t *again = ws_spans_rank(&other);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(again[numbers[paths[i]]], ranked[paths[i]]);
    free(ranked);
    free(numbers);
    free(again);
    ws_spans_finish(&other);
    ws_spans_finish(&spans.spans);
}

/* A thread is in tails of 300 call sites: 256 of them are told, and 44 are lost. Its lists have 1, 2, 3, ... tails. With the
 * 1,447th call site they are 1,447 x 1,448 / 2 = 1,047,628; the next does not fit in 2^20 any more, and the list stays. */
static void bounds(void **state)
{
    (void)state;
    struct ws_befores befores = {0};
    uint32_t list = WS_BEFORE_NONE;
    uint64_t site = 0;
    for (; site < 300; ++site)
        assert_true(ws_before_visit(&befores, list, &(struct ws_before_tail){.site = site}, &list));
    const struct ws_before_execution execution = {.instructions = 1, .size = 8, .active = 1, .lists = &list};
    struct ws_before_last counted = {0};
    assert_true(ws_before_add(&befores, &counted, &execution));
    assert_true(ws_before_end(&befores, &counted));
    assert_int_equal(befores.count, WS_BEFORE_SHARES_MAX);
    assert_int_equal(befores.lost, 44);
    for (; site < 1447; ++site)
        assert_true(ws_before_visit(&befores, list, &(struct ws_before_tail){.site = site}, &list));
    assert_int_equal(befores.lost, 44);
    assert_int_equal(befores.tail_count, 1047628);
    const uint32_t last = list;
    assert_true(ws_before_visit(&befores, list, &(struct ws_before_tail){.site = site}, &list));
    assert_int_equal(list, last);
    assert_int_equal(befores.lost, 45);
    assert_true(ws_before_cut(&befores, list, &list));
    assert_int_equal(befores.lost, 45 + 1447);
    ws_befores_finish(&befores);
}

/* Of a call site with 600 bounces there are 600 lists, and 600 x 600 ways from one to another, which are more than are
 * remembered. Those that are not lead to the same lists. */
static void remembered(void **state)
{
    (void)state;
    enum { BOUNCES = 600 };
    struct ws_befores befores = {0};
    uint32_t lists[BOUNCES];
    for (uint32_t i = 0; i < BOUNCES; ++i)
        assert_true(
            ws_before_visit(&befores, WS_BEFORE_NONE, &(struct ws_before_tail){9, i, false}, &lists[i]));
    for (uint32_t i = 0; i < BOUNCES; ++i)
        for (uint32_t j = 0; j < BOUNCES; ++j) {
            uint32_t list = 0;
            assert_true(ws_before_visit(&befores, lists[i], &(struct ws_before_tail){9, j, false}, &list));
            assert_int_equal(list, lists[j]);
        }
    assert_int_equal(befores.next_at.count, WS_BEFORE_NEXT_MAX);
    assert_int_equal(befores.list_count, 1 + BOUNCES);
    ws_befores_finish(&befores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_hits),
        cmocka_unit_test(pairs),
        cmocka_unit_test(returns),
        cmocka_unit_test(one_shader),
        cmocka_unit_test(some_stay),
        cmocka_unit_test(materials),
        cmocka_unit_test(packed),
        cmocka_unit_test(loops),
        cmocka_unit_test(calls),
        cmocka_unit_test(forgetting),
        cmocka_unit_test(growing),
        cmocka_unit_test(stands),
        cmocka_unit_test(joined_pieces),
        cmocka_unit_test(pieces_without_budget),
        cmocka_unit_test(long_scopes),
        cmocka_unit_test(rounds),
        cmocka_unit_test(late_shaders),
        cmocka_unit_test(ranks),
        cmocka_unit_test(findings),
        cmocka_unit_test(bounds),
        cmocka_unit_test(partial_and_ended),
        cmocka_unit_test(split),
        cmocka_unit_test(joined),
        cmocka_unit_test(different_spans),
        cmocka_unit_test(idle_of_new_warps),
        cmocka_unit_test(remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
