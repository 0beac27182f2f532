/* Causes of divergence against answers worked out by hand, in warps of 8 lanes where nothing else is said. */
#include "tests/unit/analysis/trace/divergence_found.h"

/* Six threads. Lane 5 returns early, lane 4 goes round what lanes 0 to 3 do: they trace; lanes 0 and 1 hit,
 * and lane 0 returns from the hit shader first. */
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
    assert_true(found.results->total.slots == 8 * (4 + 6 + 2 + 4 + 6));
    assert_true(found.results->total.apart == 0);
    uint32_t count = 0;
    struct ws_divergence_reference *worst = ws_divergence_worst(found.results, 2, &count);
    assert_int_equal(count, 2);
    assert_true(worst[0].shader == hit && worst[0].block == 1 && worst[0].inactive == 42);
    assert_true(worst[1].shader == raygen && worst[1].block == 1 && worst[1].inactive == 24);
    free(worst);
    found_finish(&found, stream);
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
    assert_int_equal(found.results->launch_count, 2);
    assert_true(found.results->launches[0].counts.control_flow == 4);
    assert_true(found.results->launches[1].counts.partial_warp == 16);
    assert_true(found.results->stages[5].partial_warp == 16);
    assert_true(found.results->stages[8].control_flow == 4);
    found_finish(&found, stream);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* Warps that trace and run blocks with whatever lanes they have: the sums hold, whoever does the work. */
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
        assert_true(found.results->total.early_return > 0 && found.results->total.indirect_call > 0 &&
                    found.results->total.control_flow > 0 && found.results->total.partial_warp > 0);
        found_finish(&found, stream);
    }
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
    assert_true(ws_divergence_csv(found.results, out));
    fclose(out);
    assert_non_null(strstr(text, "50.0 %"));
    assert_non_null(strstr(text, ",1,48,24,6,0,6,12,0\n"));
    assert_non_null(strstr(text, "\nshader,name,stage,block,offset,file,line,executions,"));
    free(text);
    cJSON *object = cJSON_CreateObject();
    assert_true(ws_divergence_json(found.results, object));
    char *json = cJSON_PrintUnformatted(object);
    assert_non_null(strstr(json, "\"slots\":48,\"active\":24,\"control_flow\":6,\"indirect_call\":0,"
                                 "\"early_return\":6,\"partial_warp\":12,\"regrouped\":0"));
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
    assert_string_equal(text, "\nDivergence\n  no execution of a block was recorded\n");
    free(text);
    found_finish(&found, stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cause),
        cmocka_unit_test(nothing_is_said),
        cmocka_unit_test(back_to_back_calls),
        cmocka_unit_test(recursion),
        cmocka_unit_test(halves_of_a_split_warp),
        cmocka_unit_test(any_hit_and_a_terminated_ray),
        cmocka_unit_test(wide_warps),
        cmocka_unit_test(modules_whose_ids_collide),
        cmocka_unit_test(random_streams),
        cmocka_unit_test(printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
