/* The replay of warps that change, against streams written by hand: calls that run with other lanes, and
 * continuations. */
#include "tests/unit/analysis/model/replay_hand.h"

/* The closest-hit shaders of two warps run together: two lanes of each, in lanes 0 to 3. And one whose lanes
 * are of one warp, but others than there. */
static void regrouped(void **state)
{
    (void)state;
    struct stream *stream = replay_begin(4, 5);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = stream_enter_rays(stream, 0, raygen, lanes(0xf), 0);
    const uint32_t b = stream_enter_rays(stream, 0, raygen, lanes(0xf), 4);
    const uint32_t both = stream_enter(stream, 0, hit, lanes(0xf), NULL, (const uint32_t[]){6, 7, 0, 1});
    place(stream, a, WS_SITE_PLACE_END, 0, 0xc);
    place(stream, both, WS_SITE_PLACE_END, 0, 0xf);
    place(stream, a, WS_SITE_PLACE_END, 0, 0x3);
    const uint32_t moved = stream_enter(stream, 0, hit, lanes(0x3), NULL, (const uint32_t[]){5, 4});
    place(stream, b, WS_SITE_PLACE_END, 0, 0xf);
    (void)moved;
    stream_end(stream);
    struct ws_replay_losses losses;
    replay_expect(stream,
                  "launch 0 8x1x1 'work'\n"
                  "enter c0 shader 0 depth 0 warp 0 f thread 0,0,0\n"
                  "enter c1 shader 0 depth 0 warp 1 f thread 4,0,0\n"
                  "enter c2 shader 1 depth 1 from c1 regrouped warp 1 f thread 6,0,0\n"
                  "end c0 0 c\n"
                  "leave c0 c\n"
                  "end c2 0 f\n"
                  "leave c2 f\n"
                  "close c2\n"
                  "end c0 0 3\n"
                  "leave c0 3\n"
                  "close c0\n"
                  "enter c3 shader 1 depth 1 from c1 regrouped warp 1 3 thread 5,0,0\n"
                  "leave c3 2\n"
                  "leave c3 1\n"
                  "close c3\n"
                  "end c1 0 f\n"
                  "leave c1 f\n"
                  "close c1\n"
                  "threads 8\n"
                  "warp 0 index 0 lanes 4\n"
                  "warp 1 index 1 lanes 4\n",
                  &losses);
    assert_true(losses.regrouped == 2 && losses.unrooted == 0);
}

/* A continuation of a shader of `block_count` blocks, with these threads in the lowest lanes. */
static uint32_t go_on(struct stream *stream, uint32_t shader, uint32_t block_count, uint64_t mask,
                      const uint32_t *work)
{
    return stream_continue(stream, 0, shader, stream_number(WS_SITE_PLACE_BLOCK, block_count), lanes(mask),
                           work);
}

/* Two warps trace; what comes back of their lanes 0 and 1 is one warp, which traces again and ends. Lanes 2
 * and 3 stay where they were. The hit shader of lanes 0 and 1 of the first, whose end nobody saw, has ended.
 */
static void warps_merge(void **state)
{
    (void)state;
    struct stream *stream = replay_begin(4, 3);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 3);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = stream_enter_rays(stream, 0, raygen, lanes(0xf), 0);
    const uint32_t b = stream_enter_rays(stream, 0, raygen, lanes(0xf), 4);
    block(stream, a, 0, 0xf);
    block(stream, b, 0, 0xf);
    place(stream, a, WS_SITE_PLACE_BEFORE, 0, 0xf);
    place(stream, b, WS_SITE_PLACE_BEFORE, 0, 0xf);
    stream_enter_rays(stream, 0, hit, lanes(0x3), 0);
    const uint32_t both = go_on(stream, raygen, 3, 0xf, (const uint32_t[]){1, 0, 5, 4});
    block(stream, both, 1, 0xf);
    block(stream, a, 1, 0xc);
    const uint32_t again = stream_enter(stream, 0, hit, lanes(0x5), NULL, (const uint32_t[]){1, 5});
    place(stream, a, WS_SITE_PLACE_END, 2, 0xc);
    place(stream, again, WS_SITE_PLACE_END, 0, 0x5);
    place(stream, both, WS_SITE_PLACE_END, 2, 0xf);
    place(stream, b, WS_SITE_PLACE_END, 2, 0x4);
    stream_end(stream);
    struct ws_replay_losses losses;
    replay_expect(stream,
                  "launch 0 8x1x1 'work'\n"
                  "enter c0 shader 0 depth 0 warp 0 f thread 0,0,0\n"
                  "enter c1 shader 0 depth 0 warp 1 f thread 4,0,0\n"
                  "block c0 0 f\n"
                  "block c1 0 f\n"
                  "before c0 0 f\n"
                  "before c1 0 f\n"
                  "enter c2 shader 1 depth 1 from c0 warp 0 3 thread 0,0,0\n"
                  "leave c2 2\n"
                  "leave c2 1\n"
                  "close c2\n"
                  "enter c3 shader 0 depth 0 regrouped continues warp 0 f thread 1,0,0\n"
                  "move c0 1 to c3 0\n"
                  "move c0 0 to c3 1\n"
                  "move c1 1 to c3 2\n"
                  "move c1 0 to c3 3\n"
                  "block c3 1 f\n"
                  "block c0 1 c\n"
                  "enter c4 shader 1 depth 1 from c3 warp 0 5 thread 1,0,0\n"
                  "end c0 2 c\n"
                  "leave c0 c\n"
                  "close c0\n"
                  "end c4 0 5\n"
                  "leave c4 5\n"
                  "close c4\n"
                  "end c3 2 f\n"
                  "leave c3 f\n"
                  "close c3\n"
                  "end c1 2 4\n"
                  "leave c1 4\n"
                  "close c1 8\n"
                  "threads 8\n"
                  "warp 0 index 0 lanes 4\n"
                  "warp 1 index 1 lanes 4\n",
                  &losses);
    assert_true(losses.regrouped == 1 && losses.continued == 1 && losses.unrooted == 0);
    assert_true(losses.malformed == 0);
}

/* A hit shader calls; its warp comes back as two, with the lanes in the opposite order. One half ends, the
 * other is seen in ray generation, where it came from. */
static void warp_splits(void **state)
{
    (void)state;
    struct stream *stream = replay_begin(32, 0);
    const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
    const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
    const uint32_t callable = stream_shader(stream, WS_STAGE_CALLABLE, replay_counts, 1);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
    const uint32_t outer = stream_enter_rays(stream, 0, raygen, lanes(0xf), 0);
    const uint32_t inner = stream_enter_rays(stream, 0, hit, lanes(0xf), 0);
    block(stream, inner, 0, 0xf);
    const uint32_t called = stream_enter_rays(stream, 0, callable, lanes(0xf), 0);
    place(stream, called, WS_SITE_PLACE_END, 0, 0xf);
    const uint32_t high = go_on(stream, hit, 1, 0x3, (const uint32_t[]){3, 2});
    const uint32_t low = go_on(stream, hit, 1, 0x3, (const uint32_t[]){1, 0});
    place(stream, low, WS_SITE_PLACE_AFTER, 0, 0x3);
    place(stream, high, WS_SITE_PLACE_END, 0, 0x3);
    block(stream, outer, 0, 0xf);
    place(stream, outer, WS_SITE_PLACE_END, 0, 0xf);
    stream_end(stream);
    struct ws_replay_losses losses;
    replay_expect(stream,
                  "launch 0 4x1x1 'work'\n"
                  "enter c0 shader 0 depth 0 warp 0 f thread 0,0,0\n"
                  "enter c1 shader 1 depth 1 from c0 warp 0 f thread 0,0,0\n"
                  "block c1 0 f\n"
                  "enter c2 shader 2 depth 2 from c1 warp 0 f thread 0,0,0\n"
                  "end c2 0 f\n"
                  "leave c2 f\n"
                  "close c2\n"
                  "enter c3 shader 1 depth 1 from c0 regrouped continues warp 0 3 thread 3,0,0\n"
                  "move c1 3 to c3 0\n"
                  "move c1 2 to c3 1\n"
                  "enter c4 shader 1 depth 1 from c0 regrouped continues warp 0 3 thread 1,0,0\n"
                  "move c1 1 to c4 0\n"
                  "move c1 0 to c4 1\n"
                  "close c1\n"
                  "after c4 0 3\n"
                  "end c3 0 3\n"
                  "leave c3 3\n"
                  "close c3\n"
                  "leave c4 2\n"
                  "leave c4 1\n"
                  "close c4\n"
                  "block c0 0 f\n"
                  "end c0 0 f\n"
                  "leave c0 f\n"
                  "close c0\n"
                  "threads 4\n"
                  "warp 0 index 0 lanes 4\n",
                  &losses);
    assert_true(losses.regrouped == 2 && losses.continued == 2 && losses.unrooted == 0);
}

/* A hit shader traces a ray that runs it again, and leaves no record where it ends. Then the lanes of the outer one come back
 * in other lanes: the record says that they leave the outer one. One of older captures
 * does not: then it is taken for the inner one. */
static void a_shader_in_itself(void **state)
{
    (void)state;
    for (uint32_t said = 0; said < 2; ++said) {
        struct stream *stream = replay_begin(4, 0);
        const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
        const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
        const uint32_t number = stream_number(WS_SITE_PLACE_BLOCK, 1);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 2, 1, 1);
        const uint32_t a = stream_enter_rays(stream, 0, raygen, lanes(0x3), 0);
        const uint32_t outer = stream_enter_rays(stream, 0, hit, lanes(0x3), 0);
        stream_enter_rays(stream, 0, hit, lanes(0x3), 0);
        const uint32_t threads[] = {1, 0}, left[] = {outer, outer};
        const uint32_t moved = said != 0 ? stream_move(stream, 0, hit, number, lanes(0x3), threads, left)
                                         : stream_continue(stream, 0, hit, number, lanes(0x3), threads);
        block(stream, moved, 0, 0x3);
        place(stream, a, WS_SITE_PLACE_END, 0, 0x3);
        stream_end(stream);
        struct ws_replay_losses losses;
        replay_expect(stream,
                      said != 0
                          ? "launch 0 2x1x1 'work'\n"
                            "enter c0 shader 0 depth 0 warp 0 3 thread 0,0,0\n"
                            "enter c1 shader 1 depth 1 from c0 warp 0 3 thread 0,0,0\n"
                            "enter c2 shader 1 depth 2 from c1 warp 0 3 thread 0,0,0\n"
                            "leave c2 2\n"
                            "leave c2 1\n"
                            "close c2\n"
                            "enter c3 shader 1 depth 1 from c0 regrouped continues warp 0 3 thread 1,0,0\n"
                            "move c1 1 to c3 0\n"
                            "move c1 0 to c3 1\n"
                            "close c1\n"
                            "block c3 0 3\n"
                            "leave c3 2\n"
                            "leave c3 1\n"
                            "close c3\n"
                            "end c0 0 3\n"
                            "leave c0 3\n"
                            "close c0\n"
                            "threads 2\n"
                            "warp 0 index 0 lanes 2\n"
                          : "launch 0 2x1x1 'work'\n"
                            "enter c0 shader 0 depth 0 warp 0 3 thread 0,0,0\n"
                            "enter c1 shader 1 depth 1 from c0 warp 0 3 thread 0,0,0\n"
                            "enter c2 shader 1 depth 2 from c1 warp 0 3 thread 0,0,0\n"
                            "enter c3 shader 1 depth 2 from c1 regrouped continues warp 0 3 thread 1,0,0\n"
                            "move c2 1 to c3 0\n"
                            "move c2 0 to c3 1\n"
                            "close c2\n"
                            "block c3 0 3\n"
                            "leave c3 2\n"
                            "leave c1 1\n"
                            "leave c3 1\n"
                            "close c3\n"
                            "leave c1 2\n"
                            "close c1\n"
                            "end c0 0 3\n"
                            "leave c0 3\n"
                            "close c0\n"
                            "threads 2\n"
                            "warp 0 index 0 lanes 2\n",
                      &losses);
        assert_true(losses.continued == 1 && losses.malformed == 0);
    }
}

/* What threads leave must be a context that they are in, of the same shader. */
static void left_contexts(void **state)
{
    (void)state;
    for (uint32_t wrong = 0; wrong < 3; ++wrong) {
        struct replay_sum sum = {0};
        struct ws_replay_losses losses;
        struct stream *stream = replay_begin(8, 0);
        const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
        const uint32_t hit = stream_shader(stream, WS_STAGE_CLOSEST_HIT, replay_counts, 1);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
        const uint32_t a = stream_enter_rays(stream, 0, raygen, lanes(0x3), 0);
        const uint32_t b = stream_enter_rays(stream, 0, raygen, lanes(0x3), 2);
        const uint32_t called = stream_enter_rays(stream, 0, hit, lanes(0x3), 0);
        const uint32_t threads[] = {1, 0}, left[] = {wrong == 1 ? called : a, wrong == 2 ? b : a};
        const uint32_t moved =
            stream_move(stream, 0, raygen, stream_number(WS_SITE_PLACE_BLOCK, 1), lanes(0x3), threads, left);
        block(stream, moved, 0, 0x3);
        stream_end(stream);
        stream_finish(stream);
        stream_replay(stream, &replay_sum_operations, &sum, 1, &losses);
        assert_true(losses.malformed == (wrong != 0) && sum.blocks == (wrong != 0 ? 0 : 1));
        stream_destroy(stream);
    }
}

/* What threads have moved from shows them no more. */
static void moved_lanes(void **state)
{
    (void)state;
    for (uint32_t again = 0; again < 2; ++again) {
        struct replay_sum sum = {0};
        struct ws_replay_losses losses;
        struct stream *stream = replay_begin(8, 0);
        const uint32_t raygen = stream_shader(stream, WS_STAGE_RAYGEN, replay_counts, 1);
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
        const uint32_t before = stream_enter_rays(stream, 0, raygen, lanes(0xff), 0);
        const uint32_t after = go_on(stream, raygen, 1, 0x3, (const uint32_t[]){6, 7});
        block(stream, before, 0, again ? 0x7f : 0x3f);
        block(stream, after, 0, 0x3);
        stream_end(stream);
        stream_finish(stream);
        stream_replay(stream, &replay_sum_operations, &sum, 1, &losses);
        assert_true(losses.malformed == again && sum.blocks == (again ? 0 : 2));
        stream_destroy(stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regrouped),          cmocka_unit_test(warps_merge),   cmocka_unit_test(warp_splits),
        cmocka_unit_test(a_shader_in_itself), cmocka_unit_test(left_contexts), cmocka_unit_test(moved_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
