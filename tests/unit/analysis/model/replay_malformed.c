/* The replay of streams that are not whole, or that no device would write. */
#include "tests/unit/analysis/model/replay_hand.h"

/* A record that is not whole, or where the last piece of the launch is not there, or did not fit. */
static void truncated(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; ++i) {
        struct ws_replay_losses losses;
        struct replay_sum sum = {0};
        struct stream *stream = replay_begin(8, 12);
        const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 16, 1, 1);
        const uint32_t context = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
        for (int j = 0; j < 8; ++j)
            block(stream, context, 0, 0xff);
        /* 12 words of entry and 16 of blocks: pieces of 12, 12 and 4. The fourth block is cut in half. */
        if (i == 0)
            stream_end_overflowed(stream, 19);
        else if (i == 1)
            stream_end_cut(stream);
        else
            stream_words(stream, 0, (const uint32_t[]){0}, 1, false), stream_end(stream);
        stream_finish(stream);
        stream_replay(stream, &replay_sum_operations, &sum, 1 + i, &losses);
        /* Where records end early, the only warp is cut, and left out. */
        static const uint64_t read[] = {3, 6, 8};
        assert_true(sum.blocks == (i == 2 ? 8 : 0) && losses.records == 1 + read[i]);
        assert_true(losses.cut_warps == (i != 2) && losses.cut_threads == (i != 2 ? 8 : 0));
        assert_true(sum.truncated == 1 && losses.truncated == 1 && losses.launches == 1);
        assert_true(losses.missing == (i == 0 ? 9 : 0) && losses.sufficient == (i == 0 ? 28 : 0));
        assert_true(losses.malformed == (i == 2));
        stream_destroy(stream);
    }
}

/* Two warps, of which the second has ended in lanes 4 to 7, then these words, then a block of the first,
 * which is left out if they are malformed. The words begin at position 12 + 12 + 2 * 2. */
static void give(const uint32_t *words, uint32_t count, bool good)
{
    struct replay_sum sums[3];
    struct ws_replay_losses losses;
    struct stream *stream = replay_begin(8, 0);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
    stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
    stream_shader(stream, WS_STAGE_COMPUTE, replay_counts, 1);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 32, 1, 1);
    const uint32_t first = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
    const uint32_t second = stream_enter_rays(stream, 0, raygen, lanes(0xff), 8);
    block(stream, first, 0, 0xff);
    place(stream, second, WS_SITE_PLACE_END, 0, 0xf0);
    stream_words(stream, 0, words, count, false);
    block(stream, first, 0, 0xff);
    stream_end(stream);
    stream_finish(stream);
    memset(sums, 0, sizeof(sums));
    for (uint32_t i = 0; i < 3; ++i) {
        stream_replay(stream, &replay_sum_operations, &sums[i], i + 1, &losses);
        if (losses.malformed != !good || losses.truncated != !good || sums[i].truncated != !good)
            fail_msg("%u words that begin %x %x %x: %u times malformed", count, words[0], words[1],
                     count > 2 ? words[2] : 0, (unsigned)losses.malformed);
        assert_true(losses.records == (good ? 6 : 4));
        assert_true(sums[i].sum == sums[0].sum &&
                    sums[i].contexts == (good && words[0] == UINT32_MAX ? 3 : 2));
    }
    stream_destroy(stream);
}

#define GIVE(good, ...)                                                                                      \
    give((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), good)

static void malformed(void **state)
{
    (void)state;
    enum { BLOCK = 1 << 16, SLOT = 3 << 16, HIT = 4 << 16, COMPUTE = 5 << 16, SHAPE = 8 | 1 << 16 };
    GIVE(true, 12, BLOCK | 0x0f);
    GIVE(false, 11, BLOCK | 0x0f);   /* no such context */
    GIVE(false, 28, BLOCK | 0x0f);   /* not yet */
    GIVE(false, 12, BLOCK | 0x1f);   /* lane 4 has ended */
    GIVE(false, 12, BLOCK | 0x10f);  /* lane 8 never was */
    GIVE(false, 12, BLOCK);          /* no lane */
    GIVE(false, 12, 0x0f);           /* the number of the entry */
    GIVE(false, 12, 9 << 16 | 0x0f); /* beyond the module's */
    GIVE(false, 12, 0xffffu << 16 | 0x0f);
    GIVE(true, WS_NONE, SLOT, SHAPE, 0x3, 16, 17);
    GIVE(false, WS_NONE, 9 << 16, SHAPE, 0x3, 16, 17);  /* a slot of no shader */
    GIVE(false, WS_NONE, SLOT | 1, SHAPE, 0x3, 16, 17); /* the number of a block */
    GIVE(false, WS_NONE, SLOT | 77, SHAPE, 0x3, 16, 17);
    GIVE(false, WS_NONE, SLOT, 0 | 1 << 16, 0x3, 16, 17);  /* no lanes in the warp */
    GIVE(false, WS_NONE, SLOT, 16 | 1 << 16, 0x3, 16, 17); /* more than there are bins */
    GIVE(false, WS_NONE, SLOT, 4 | 1 << 16, 0x30, 16, 17); /* lanes beyond the warp's */
    GIVE(false, WS_NONE, SLOT, SHAPE, 0x300, 16, 17);
    GIVE(false, WS_NONE, SLOT, SHAPE, 0);
    GIVE(false, WS_NONE, SLOT, 8, 0x3); /* no words per lane */
    GIVE(true, WS_NONE, SLOT, 8 | 1 << 8 | 2 << 16, 0x3, 7, 16, 1, 17, 1);
    GIVE(false, WS_NONE, COMPUTE, 8 | 2 << 8 | 1 << 16, 0x1, 0, 0, 0); /* two words of a workgroup's id */
    GIVE(true, WS_NONE, COMPUTE, 8 | 3 << 8 | 1 << 16, 0x1, 0, 0, 0, 0);
    GIVE(false, WS_NONE, SLOT, SHAPE, 0x3, 16, 15); /* thread 15 is there already */
    GIVE(false, WS_NONE, SLOT, SHAPE, 0x3, 16, 16);
    GIVE(false, WS_NONE, SLOT, SHAPE, 0x3, 16, 32); /* beyond the launch */
    GIVE(true, WS_NONE, HIT, SHAPE, 0x3, 0, 1);
    GIVE(false, WS_NONE, HIT, SHAPE, 0x3, 1, 1); /* a thread in two lanes */
    GIVE(true, WS_NONE, SLOT | 8, SHAPE, 0x3, 9, 8);
    GIVE(false, WS_NONE, SLOT | 8, SHAPE, 0x3, 8, 8);  /* a thread in two lanes */
    GIVE(false, WS_NONE, SLOT | 8, SHAPE, 0x3, 8, 12); /* thread 12 has ended */
    GIVE(false, WS_NONE, SLOT | 8, SHAPE, 0x3, 8, 16); /* thread 16 never was */
    GIVE(false, WS_NONE, HIT | 8, SHAPE, 0x3, 0, 1);   /* threads that are not in the shader */
    GIVE(true, WS_NONE, HIT | 8, SHAPE, 0x3, 16, 17);  /* threads that nobody knows */
    GIVE(false, WS_NONE, COMPUTE | 8, 8 | 3 << 8 | 1 << 16, 0x1, 0, 0, 0, 0); /* a stage that calls nothing */
    GIVE(false, WS_NONE, SLOT | 9, SHAPE, 0x3, 8, 9);                         /* no such number */
    GIVE(false, 12, 8 << 16 | 0x0f); /* the number of the continuation */
}

/* Contexts called without end, and many of the widest in no words: as deep as it may be, and a thread more.
 */
static void hostile_depth(void **state)
{
    (void)state;
    for (uint32_t extra = 0; extra < 2; ++extra) {
        struct replay_sum sum = {0};
        struct ws_replay_losses losses;
        struct stream *stream = replay_begin(8, 0);
        const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
        const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
        const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0x1), 0);
        for (uint32_t i = 0; i < 1024 + extra; ++i)
            stream_enter_rays(stream, 0, hit, lanes(0x1), 0);
        block(stream, outer, 0, 0x1);
        stream_end(stream);
        stream_finish(stream);
        stream_replay(stream, &replay_sum_operations, &sum, 1, &losses);
        assert_true(losses.malformed == extra && sum.blocks == 1 - extra);
        stream_destroy(stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated),
        cmocka_unit_test(malformed),
        cmocka_unit_test(hostile_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
