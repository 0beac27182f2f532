/* The replay of launches whose records end early: what is told of is whole. */
#include "tests/unit/analysis/model/replay_hand.h"
#include "warpscope/capture/budget.h"

enum { WIDTH = 24, HEIGHT = 8 };

/* A warp of ray generation: threads of eight pixels of a row, of the tile. */
static uint32_t launch(struct stream *stream, uint32_t raygen, uint32_t tile, uint32_t row)
{
    return stream_enter_rays(stream, 0, raygen, lanes(0xff), row * WIDTH + 8 * tile);
}

/* It runs a block, calls a hit shader in four lanes, and ends. */
static void run(struct stream *stream, uint32_t context, uint32_t hit, uint32_t tile, uint32_t row)
{
    block(stream, context, 0, 0xff);
    const uint32_t called = stream_enter_rays(stream, 0, hit, lanes(0x0f), row * WIDTH + 8 * tile);
    block(stream, called, 0, 0x0f);
    place(stream, called, WS_SITE_PLACE_END, 0, 0x0f);
    place(stream, context, WS_SITE_PLACE_END, 0, 0xff);
}

/* Tile 0 whole, of tile 1 four of eight rows, of tile 2 nothing. Three more warps of tile 1 have begun: one is in its
 * first block, one in a hit shader, and one has come back from one and has ended in seven lanes. */
static struct stream *begin(uint32_t piece_words)
{
    struct stream *stream = replay_begin(8, piece_words);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, WIDTH, HEIGHT, 1);
    const uint32_t first = launch(stream, raygen, 1, 4);
    block(stream, first, 0, 0xff);
    const uint32_t second = launch(stream, raygen, 1, 5);
    const uint32_t third = launch(stream, raygen, 1, 6);
    for (uint32_t i = 0; i < 12; ++i)
        run(stream, launch(stream, raygen, i / 8, i % 8), hit, i / 8, i % 8);
    const uint32_t called = stream_enter_rays(stream, 0, hit, lanes(0x03), 5 * WIDTH + 8);
    block(stream, called, 0, 0x03);
    const uint32_t over = stream_enter_rays(stream, 0, hit, lanes(0xf0), 6 * WIDTH + 8);
    place(stream, over, WS_SITE_PLACE_END, 0, 0xf0);
    place(stream, third, WS_SITE_PLACE_END, 0, 0x7f);
    (void)second;
    return stream;
}

static void expect_whole(const struct replay_sum *sum, const struct ws_replay_losses *losses)
{
    const struct ws_replay_lost *lost = &losses->lost[0];
    assert_true(sum->contexts == 12 * 2 && sum->blocks == 12 * 2);
    assert_true(sum->threads == 12 * 8 && sum->warps == 12 && sum->truncated == 1);
    assert_true(losses->cut_warps == 3 && losses->cut_threads == 3 * 8 && losses->unrooted == 0);
    assert_true(losses->lost_count == 1 && lost->launch == 0);
    assert_true(lost->threads == 24 * 8 && lost->kept == 12 * 8 && lost->cut_threads == 24 &&
                lost->cut_warps == 3);
    assert_true(lost->tile == 8 && lost->columns == 3 && lost->rows == 1);
    assert_string_equal(lost->map[0], "#+.");
}

/* The next record did not fit: 40 words are missing, of 3 entries of 12 words, 1 block, 12 warps of 12 + 8 + 4 * 2, entries
 * of 6 and 8 words, a block and two ends. */
static void overflow(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 3; ++workers) {
        const uint32_t words = 3 * 12 + 2 + 12 * (12 + 8 + 4 * 2) + 6 + 2 + 8 + 2 + 2;
        struct ws_replay_losses losses;
        struct replay_sum sum = {0};
        struct stream *stream = begin(workers == 1 ? 0 : 7);
        stream_words(stream, 0, (const uint32_t[40]){0}, 40, false);
        stream_end_overflowed(stream, words);
        stream_finish(stream);
        stream_replay(stream, &replay_sum_operations, &sum, workers, &losses);
        expect_whole(&sum, &losses);
        assert_true(losses.missing == 40 && losses.sufficient == words + 40 && losses.malformed == 0);
        assert_true(losses.lost[0].step == 2); /* the buffer's words are not enough once, and are twice */
        stream_destroy(stream);
    }
}

/* The program died: the last piece, of one word, is not there. How much is missing is not known. */
static void died(void **state)
{
    (void)state;
    struct ws_replay_losses losses;
    struct replay_sum sum = {0};
    struct stream *stream = begin(1);
    stream_words(stream, 0, (const uint32_t[]){0}, 1, false);
    stream_end_cut(stream);
    stream_finish(stream);
    stream_replay(stream, &replay_sum_operations, &sum, 1, &losses);
    expect_whole(&sum, &losses);
    assert_true(losses.missing == 0 && losses.lost[0].step == 0);
    stream_destroy(stream);
}

/* A context of two warps, one of which is cut: while a lane is in it both are left out, and else it is told of for the whole
 * one. */
static void regrouped(void **state)
{
    (void)state;
    for (uint32_t ended = 0; ended < 2; ++ended) {
        struct ws_replay_losses losses;
        struct replay_sum sum = {0};
        struct stream *stream = replay_begin(8, 0);
        const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
        const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 16, 1, 1);
        const uint32_t whole = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
        stream_enter_rays(stream, 0, raygen, lanes(0xff), 8);
        const uint32_t both = stream_enter(stream, 0, hit, lanes(0x3), NULL, (const uint32_t[]){3, 9});
        block(stream, both, 0, 0x3);
        place(stream, both, WS_SITE_PLACE_END, 0, ended != 0 ? 0x3 : 0x1);
        place(stream, whole, WS_SITE_PLACE_END, 0, 0xff);
        const uint32_t words = 2 * 12 + 6 + 3 * 2;
        stream_words(stream, 0, (const uint32_t[]){0, 0}, 2, false);
        stream_end_overflowed(stream, words);
        stream_finish(stream);
        stream_replay(stream, &replay_sum_operations, &sum, 1 + ended, &losses);
        assert_true(sum.contexts == (ended != 0 ? 2 : 0) && sum.blocks == (ended != 0 ? 1 : 0));
        assert_true(losses.cut_warps == (ended != 0 ? 1 : 2) && losses.lost[0].kept == (ended != 0 ? 8 : 0));
        stream_destroy(stream);
    }
}

/* Launches that are whole, behind one that is not and before another, lose nothing. Compute: groups of 8 x 4 x 1. */
static void several(void **state)
{
    (void)state;
    struct ws_replay_losses losses;
    struct replay_sum sum = {0};
    struct stream *stream = replay_begin(8, 5);
    const uint32_t shader = stream_shader(stream, WS_STAGE_COMPUTE, replay_counts, 1);
    static const uint32_t group[3] = {0, 0, 0};
    static const uint32_t locals[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (uint32_t i = 0; i < 3; ++i) {
        stream_begin(stream, WS_LAUNCH_DISPATCH, 2, 2, 1);
        const uint32_t first = stream_enter(stream, 0, shader, lanes(0xff), group, locals);
        const uint32_t second = stream_enter(stream, 0, shader, lanes(0xff), group, locals + 8);
        block(stream, second, 0, 0xff);
        place(stream, first, WS_SITE_PLACE_END, 0, 0xff);
        place(stream, second, WS_SITE_PLACE_END, 0, 0xff);
        if (i == 1)
            stream_end(stream);
        else
            stream_end_overflowed(stream, 2 * 15 + 2 * 2 + 1);
    }
    stream_finish(stream);
    stream_replay(stream, &replay_sum_operations, &sum, 2, &losses);
    assert_true(losses.launches == 3 && losses.truncated == 2 && losses.cut_warps == 2 &&
                losses.lost_count == 2);
    assert_true(sum.contexts == 1 + 2 + 1 && sum.blocks == 0 + 1 + 0);
    for (uint32_t i = 0; i < 2; ++i) {
        const struct ws_replay_lost *lost = &losses.lost[i];
        assert_true(lost->launch == 2 * i && lost->threads == 16 * 8 && lost->kept == 8 &&
                    lost->cut_threads == 8);
        assert_true(lost->tile == 8 && lost->columns == 2 && lost->rows == 1);
        assert_string_equal(lost->map[0], "+.");
    }
    stream_destroy(stream);
}

/* Two groups of 8 x 4 x 1 from a base on: all four warps of the first ended, of the second one. The map begins at the base. In
 * a capture of before bases were recorded there is none. */
static void based(void **state)
{
    static const uint32_t base[3] = {4, 2, 0};
    (void)state;
    for (uint32_t known = 0; known < 2; ++known) {
        struct ws_replay_losses losses;
        struct replay_sum sum = {0};
        struct stream *stream = replay_begin(8, 5);
        const uint32_t shader = stream_shader(stream, WS_STAGE_COMPUTE, replay_counts, 1);
        stream_begin(stream, WS_LAUNCH_DISPATCH, 2, 1, 1);
        stream_base(stream, known != 0 ? base : NULL);
        for (uint32_t i = 0; i < 6; ++i) {
            const uint32_t group[3] = {4 + i / 4, 2, 0};
            uint32_t locals[8];
            for (uint32_t lane = 0; lane < 8; ++lane)
                locals[lane] = i % 4 * 8 + lane;
            const uint32_t warp = stream_enter(stream, 0, shader, lanes(0xff), group, locals);
            place(stream, warp, WS_SITE_PLACE_END, 0, 0xff);
        }
        stream_end_overflowed(stream, 5 * (15 + 2));
        stream_finish(stream);
        stream_replay(stream, &replay_sum_operations, &sum, 1, &losses);
        const struct ws_replay_lost *lost = &losses.lost[0];
        assert_true(losses.lost_count == 1 && lost->threads == 16 * 4 && lost->kept == 5 * 8);
        assert_int_equal(lost->columns, known != 0 ? 2 : 0);
        assert_string_equal(lost->map[0], known != 0 ? "#+" : "");
        stream_destroy(stream);
    }
}

/* The budget is spent within the launch: it is not replayed again, and what was read is told of. */
static void spent(void **state)
{
    (void)state;
    struct ws_replay_losses losses;
    struct replay_sum sum = {0};
    struct stream *stream = begin(1);
    stream_end_cut(stream);
    stream_finish(stream);
    ws_budget_begin(0);
    ws_budget_set_least(1);
    ws_budget_spend(UINT64_C(1) << 40);
    ws_budget_renew();
    stream_replay(stream, &replay_sum_operations, &sum, 1, &losses);
    assert_true(losses.cut_warps == 0 && sum.warps == 15 && losses.truncated == 1);
    ws_budget_set_least(0);
    ws_budget_begin(0);
    stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflow), cmocka_unit_test(died),  cmocka_unit_test(regrouped),
        cmocka_unit_test(several),  cmocka_unit_test(based), cmocka_unit_test(spent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
