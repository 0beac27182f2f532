/* The replay of random streams gives the same with any number of workers and pieces of any size, and so it
 * does where the workers must be given up for one. */
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/analysis/model/replay_log.h"
#include "tests/unit/analysis/model/stream.h"
#include "warpscope/records.h"

enum { WARPS = 20, BLOCKS = 3 };

struct random {
    uint64_t state;
    struct stream *stream;
    uint32_t bins;
    uint32_t shaders[5]; /* ray generation, closest hit, any hit, intersection, callable */
    uint64_t blocks;
};

enum { RAYGEN, CLOSEST_HIT, ANY_HIT, INTERSECTION, CALLABLE };

static uint32_t draw(struct random *random, uint32_t below)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return (uint32_t)(random->state >> 16) % below;
}

/* Some of the lanes, at least one. */
static struct ws_lanes some(struct random *random, struct ws_lanes lanes)
{
    struct ws_lanes chosen = lanes;
    if (draw(random, 2) == 0)
        return lanes;
    chosen.low &= (uint64_t)draw(random, UINT32_MAX) << 32 | draw(random, UINT32_MAX);
    chosen.high &= (uint64_t)draw(random, UINT32_MAX) << 32 | draw(random, UINT32_MAX);
    return ws_lanes_any(chosen) ? chosen : ws_lanes_one(ws_lanes_lowest(lanes));
}

/* Which shader may be called from this one. */
static uint32_t callee_of(struct random *random, uint32_t shader)
{
    switch (shader) {
    case RAYGEN:
    case CLOSEST_HIT: return 1 + draw(random, 4);
    case INTERSECTION: return ANY_HIT;
    case CALLABLE: return CALLABLE;
    default: return WS_NONE;
    }
}

static void run(struct random *random, uint32_t queue, uint32_t shader, struct ws_lanes lanes, uint32_t first,
                int depth)
{
    struct stream *stream = random->stream;
    const uint32_t context = stream_enter_rays(stream, queue, random->shaders[shader], lanes, first);
    /* One in eight contexts never ends, as after terminateRay. */
    const bool ends = shader == RAYGEN || draw(random, 8) > 0;
    for (struct ws_lanes left = lanes; ws_lanes_any(left);) {
        const uint32_t block = draw(random, BLOCKS);
        stream_place(stream, context, WS_SITE_PLACE_BLOCK, block, some(random, left));
        random->blocks++;
        if (draw(random, 4) == 0)
            stream_place(stream, context, WS_SITE_PLACE_SYNC, block, left);
        if (draw(random, 8) == 0) {
            const uint32_t words[256] = {draw(random, 1000)};
            stream_data(stream, context, stream_number(WS_SITE_DATA, block), left, words, 2);
        }
        const uint32_t callee = callee_of(random, shader);
        if (callee != WS_NONE && depth < 4 && draw(random, 2) == 0) {
            run(random, queue, callee, some(random, left), first, depth + 1);
            stream_place(stream, context, WS_SITE_PLACE_AFTER, block, left);
        }
        if (draw(random, 3) > 0)
            continue;
        if (!ends)
            return;
        const struct ws_lanes ended = some(random, left);
        stream_place(stream, context, WS_SITE_PLACE_END, block, ended);
        left = ws_lanes_without(left, ended);
    }
}

/* Threads of all warps meet in closest-hit shaders, in any lanes. */
static void regroup(struct random *random, uint32_t threads, uint32_t *flat)
{
    for (uint32_t i = 0; i < threads; ++i) {
        const uint32_t other = i + draw(random, threads - i);
        const uint32_t kept = flat[i];
        flat[i] = flat[other];
        flat[other] = kept;
    }
    const uint32_t count = 1 + draw(random, random->bins);
    if (count > threads)
        return;
    const struct ws_lanes lanes = ws_lanes_first(count);
    const uint32_t context = stream_enter(random->stream, 0, random->shaders[CLOSEST_HIT], lanes, NULL, flat);
    stream_place(random->stream, context, WS_SITE_PLACE_BLOCK, 0, lanes);
    random->blocks++;
    const struct ws_lanes ended = some(random, lanes);
    stream_place(random->stream, context, WS_SITE_PLACE_END, 0, ended);
}

static void regrouped_launch(struct random *random)
{
    uint32_t flat[WARPS * 128];
    uint32_t contexts[WARPS];
    stream_begin(random->stream, WS_LAUNCH_TRACE_RAYS, WARPS * random->bins, 1, 1);
    for (uint32_t i = 0; i < WARPS; ++i)
        contexts[i] = stream_enter_rays(random->stream, 0, random->shaders[RAYGEN],
                                        ws_lanes_first(random->bins), i * random->bins);
    for (uint32_t i = 0; i < WARPS * random->bins; ++i)
        flat[i] = i;
    for (uint32_t i = 0; i < 20; ++i) {
        regroup(random, WARPS * random->bins, flat);
        if (draw(random, 4) == 0) {
            stream_place(random->stream, contexts[draw(random, WARPS)], WS_SITE_PLACE_BLOCK, 1,
                         ws_lanes_first(random->bins));
            random->blocks++;
        }
    }
    stream_end(random->stream);
}

/* Two launches, and between them one that regroups. Returns the finished capture. */
static struct stream *make(uint64_t seed, uint32_t bins, uint32_t piece_words, bool regroups,
                           uint64_t *blocks)
{
    static const uint32_t stages[] = {WS_STAGE_RAYGEN, WS_STAGE_CLOSEST_HIT, WS_STAGE_ANY_HIT,
                                      WS_STAGE_INTERSECTION, WS_STAGE_CALLABLE};
    const uint32_t counts[BLOCKS] = {1, 2, 3};
    struct random random = {.state = seed, .bins = bins};
    random.stream = stream_create(
        &(struct stream_options){.bins = bins, .piece_words = piece_words, .seed = regroups ? 0 : seed});
    for (int i = 0; i < 5; ++i)
        random.shaders[i] = stream_shader(random.stream, stages[i], counts, BLOCKS);
    for (int i = 0; i < 2; ++i) {
        stream_begin(random.stream, WS_LAUNCH_TRACE_RAYS, i == 0 ? WARPS * bins : 0, 1, 1);
        for (uint32_t warp = 0; warp < WARPS; ++warp)
            run(&random, warp, RAYGEN, some(&random, ws_lanes_first(bins)), warp * bins, 0);
        stream_end(random.stream);
        if (i == 0 && regroups)
            regrouped_launch(&random);
    }
    stream_finish(random.stream);
    *blocks = random.blocks;
    return random.stream;
}

static void check_same(uint64_t seed, uint32_t bins, bool regroups)
{
    struct replay_sum sums[3][3];
    struct ws_replay_losses losses[3][3];
    static const uint32_t pieces[] = {0, 7, 61};
    uint64_t blocks = 0;
    memset(sums, 0, sizeof(sums));
    for (int i = 0; i < 3; ++i) {
        struct stream *stream = make(seed, bins, pieces[i], regroups, &blocks);
        for (uint32_t workers = 1; workers <= 3; ++workers)
            stream_replay(stream, &replay_sum_operations, &sums[i][workers - 1], workers,
                          &losses[i][workers - 1]);
        stream_destroy(stream);
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            assert_true(losses[i][j].malformed == 0 && losses[i][j].truncated == 0);
            assert_true(losses[i][j].launches == (regroups ? 3 : 2));
            assert_true((losses[i][j].regrouped > 0) == regroups && losses[i][j].unrooted == 0);
            assert_memory_equal(&losses[i][j], &losses[0][0], sizeof(losses[0][0]));
            assert_true(sums[i][j].blocks == blocks);
            assert_true(sums[i][j].sum == sums[0][0].sum && sums[i][j].contexts == sums[0][0].contexts);
            assert_true(sums[i][j].threads == sums[0][0].threads && sums[i][j].warps == sums[0][0].warps);
            /* Each launch has parts of all workers; from the second on one, where that regroups. */
            assert_true(sums[i][j].parts == (uint64_t)(regroups ? (j + 1) + 1 + 1 : 2 * (j + 1)));
        }
}

static void any_workers_and_pieces(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {4, 8, 16, 32, 64, 128};
    for (uint32_t i = 0; i < 12; ++i)
        check_same(UINT64_C(0x9e3779b97f4a7c15) + i, sizes[i % 6], false);
}

static void workers_give_up(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {4, 8, 16, 32, 64, 128};
    for (uint32_t i = 0; i < 6; ++i)
        check_same(UINT64_C(0x517cc1b727220a95) + i, sizes[i], true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_workers_and_pieces),
                                       cmocka_unit_test(workers_give_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
