/* Rays of records that nobody meant: words of a good stream are changed at random, and whatever is told of
 * rays must fit together and be the same for any number of workers. */
#include "tests/unit/analysis/rays/ray_scene.h"

enum { STREAMS = 1500, SHADERS = 7, CHANGES = 4 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void add_shaders(struct stream *stream)
{
    static const uint32_t stages[SHADERS] = {WS_STAGE_RAYGEN,  WS_STAGE_CLOSEST_HIT,  WS_STAGE_MISS,
                                             WS_STAGE_ANY_HIT, WS_STAGE_INTERSECTION, WS_STAGE_CALLABLE,
                                             WS_STAGE_COMPUTE};
    for (uint32_t i = 0; i < SHADERS; ++i)
        assert_int_equal(ray_scene_shader(stream, stages[i]), i);
}

/* Four warps of four that trace, hit, ask any-hit and intersection shaders, and query. */
static void write_good(struct stream *stream)
{
    for (uint32_t first = 0; first < 16; first += 4) {
        const uint32_t a = ray_enter(stream, 0, 0xf, first);
        ray_trace(stream, a, 0xf, first, WS_RAY_FLAG_SKIP_CLOSEST_HIT);
        const uint32_t b = ray_enter(stream, 4, 0x7, first);
        ray_box(stream, b, 0x7, 1);
        const uint32_t c = ray_enter(stream, 3, 0x7, first);
        ray_hit(stream, c, 0x7, 3, 1);
        ray_place(stream, c, RAY_SITE_TERMINATE, 0x1);
        ray_place(stream, c, RAY_SITE_END, 0x2);
        ray_place(stream, c, RAY_SITE_IGNORE, 0x4);
        ray_report(stream, b, 0x6, 3, true);
        ray_place(stream, b, RAY_SITE_END, 0x6);
        ray_place(stream, a, RAY_SITE_RETURN, 0xf);
        ray_trace(stream, a, 0xf, first + 1, 0);
        const uint32_t d = ray_enter(stream, 1, 0x3, first);
        ray_hit(stream, d, 0x3, 2, 2);
        const uint32_t e = ray_enter(stream, 5, 0x3, first);
        ray_initialize(stream, e, 0x3, 9, 5);
        ray_proceed(stream, e, 0x3, 9, WS_QUERY_PROCEEDED, 1, 1);
        ray_key(stream, e, 0x1, RAY_SITE_CONFIRM, 9);
        ray_proceed(stream, e, 0x1, 9, 1, 1, 1);
        ray_place(stream, e, RAY_SITE_END, 0x3);
        ray_place(stream, d, RAY_SITE_END, 0x3);
        const uint32_t f = ray_enter(stream, 2, 0xc, first);
        ray_place(stream, f, RAY_SITE_END, 0xc);
        const uint32_t work[] = {first + 1, first, first + 3, first + 2};
        const uint32_t g = stream_continue(stream, 0, 0, RAY_SITE_CONTINUE, (struct ws_lanes){0xf, 0}, work);
        ray_place(stream, g, RAY_SITE_RETURN, 0xf);
        ray_place(stream, g, RAY_SITE_END, 0xf);
    }
}

/* Changes words: to others of the stream, to neighbours of themselves, to anything; or leaves some out. */
static uint32_t change(uint32_t *words, uint32_t count, uint64_t *random)
{
    for (uint32_t i = 0; i < CHANGES; ++i) {
        const uint32_t at = (uint32_t)(next_random(random) % count);
        switch (next_random(random) % 5) {
        case 0: words[at] = words[next_random(random) % count]; break;
        case 1: words[at] += (uint32_t)(next_random(random) % 5) - 2; break;
        case 2: words[at] ^= 1u << next_random(random) % 32; break;
        case 3: words[at] = (uint32_t)next_random(random); break;
        default: {
            const uint32_t rest = (uint32_t)(next_random(random) % 8);
            const uint32_t end = at + rest < count ? at + rest : count;
            memmove(words + at, words + end, (count - end) * sizeof(*words));
            count = count - (end - at) > 0 ? count - (end - at) : 1;
        }
        }
    }
    return count;
}

static void whatever_comes(void **state)
{
    (void)state;
    uint64_t random = 4242;
    uint64_t told = 0;
    struct stream *good = ray_scene_create(4, 0);
    add_shaders(good);
    stream_begin(good, WS_LAUNCH_TRACE_RAYS, 4, 4, 1);
    write_good(good);
    stream_end(good);
    const uint32_t count = stream_word_count(good);
    uint32_t *words = malloc(count * sizeof(*words));
    assert_non_null(words);
    for (uint32_t i = 0; i < STREAMS; ++i) {
        uint64_t malformed[2] = {0};
        struct stream *stream = ray_scene_create(4, 0);
        add_shaders(stream);
        memcpy(words, stream_encoded(good), count * sizeof(*words));
        const uint32_t changed = i > 0 ? change(words, count, &random) : count;
        stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 4, 1);
        stream_words(stream, 0, words, changed, false);
        stream_end(stream);
        stream_finish(stream);
        char *one = ray_scene_log(stream, 1, &malformed[0], NULL);
        char *many = ray_scene_log(stream, 3, &malformed[1], NULL);
        assert_string_equal(one, many);
        assert_int_equal(malformed[0], malformed[1]);
        told += strlen(one);
        free(one);
        free(many);
        stream_destroy(stream);
    }
    assert_true(told > (uint64_t)STREAMS * 1000);
    free(words);
    stream_finish(good);
    stream_destroy(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whatever_comes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
