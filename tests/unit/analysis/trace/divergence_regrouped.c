/* Causes of divergence where threads change their warps, against answers worked out by hand. */
#include "tests/unit/analysis/trace/divergence_found.h"

/* Threads of two warps in one warp of a hit shader: what it has not, or no longer, is an indirect call, and
 * its slots are counted apart; so are those of what it calls. */
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
    assert_true(found.results->total.apart == found.results->total.slots);
    found_finish(&found, stream);
}

/* A continuation of a shader of 3 blocks. */
static uint32_t go_on(struct stream *stream, uint32_t shader, uint64_t mask, const uint32_t *work)
{
    return stream_continue(stream, 0, shader, stream_number(WS_SITE_PLACE_BLOCK, 3), lanes(mask), work);
}

/* Lanes 0 and 1 of two warps come back from a call as one warp. There lanes 4 to 7 are the call's; where they
 * came from lanes 0 and 1 are elsewhere in the shader, also after they ended it. What both call: lanes that
 * ended in the new warp returned early, and what never was there is the call's. Nobody knows what else these
 * warps hold: all is counted apart. With eight warps between the two, others take them in. */
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
        assert_true(found.results->total.slots - found.results->total.apart == 8 * 4);
        found_finish(&found, stream);
    }
}

/* A warp comes back as two, its lanes the other way round, of which one loses a lane by control flow. */
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
    assert_true(found.results->total.apart == 2 * 6 * 8);
    found_finish(&found, stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regrouped_contexts),
        cmocka_unit_test(warps_merge),
        cmocka_unit_test(warp_splits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
