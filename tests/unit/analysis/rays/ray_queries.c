/* Ray queries put together from records that were written by hand. */
#include "tests/unit/analysis/rays/ray_scene.h"

#define TRUE_TRIANGLE (WS_QUERY_PROCEEDED | WS_QUERY_FRONT)
#define TRUE_AABB     (WS_QUERY_PROCEEDED | 1u)

enum { FALSE_NONE, FALSE_TRIANGLE, FALSE_GENERATED };

/* A workgroup of one warp of 8 x 4; lane 0 alone runs what a test is about. */
static uint32_t begin(struct stream *stream, uint64_t lanes)
{
    const uint32_t compute = ray_scene_shader(stream, WS_STAGE_COMPUTE);
    uint32_t work[64];
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < 64; ++lane)
        if ((lanes >> lane & 1) != 0)
            work[count++] = lane;
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    return stream_enter(stream, 0, compute, (struct ws_lanes){lanes, 0}, (const uint32_t[]){7, 0, 0}, work);
}

static void end(struct stream *stream, uint32_t context, uint64_t lanes)
{
    ray_place(stream, context, RAY_SITE_END, lanes);
    stream_end(stream);
}

/* Lane 0 confirms the second of two candidates and commits it; lane 5 finds none. */
static void proceeded(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t a = begin(stream, 0x21);
    ray_initialize(stream, a, 0x21, 4, 1);
    ray_proceed(stream, a, 0x01, 4, TRUE_TRIANGLE, 9, 10);
    ray_proceed(stream, a, 0x01, 4, WS_QUERY_PROCEEDED, 8, 11);
    ray_key(stream, a, 0x01, RAY_SITE_CONFIRM, 4);
    ray_proceed(stream, a, 0x01, 4, FALSE_TRIANGLE, 8, 11);
    ray_proceed(stream, a, 0x20, 4, FALSE_NONE, 0, 0);
    end(stream, a, 0x21);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 2\n"
            "thread 7,0,0 warp 0 lane 0\n"
            "  0 query 1 depth 0 parent - lane 0 by 0 hit t 8 primitive 11 kind ff attributes 5,6\n"
            "    query by 0 ignored t 9 primitive 10 kind fe attributes 5,6\n"
            "    query by 0 accepted t 8 primitive 11 kind ff attributes 5,6\n"
            "thread 7,0,0 warp 0 lane 5\n"
            "  0 query 1 depth 0 parent - lane 5 by 0 miss\n",
            NULL),
        0);
}

/* A function that two queries are passed to confirms: of the one that has a candidate, first of the first, then of the
 * second, when the first is over. Then both have one, and nobody can tell: one event is left out. */
static void of_an_unknown_query(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t a = begin(stream, 0x1);
    ray_initialize(stream, a, 0x1, 4, 1);
    ray_proceed(stream, a, 0x1, 4, TRUE_TRIANGLE, 9, 10);
    ray_key(stream, a, 0x1, RAY_SITE_CONFIRM, WS_QUERY_UNKNOWN);
    ray_proceed(stream, a, 0x1, WS_QUERY_UNKNOWN, FALSE_TRIANGLE, 9, 10);
    ray_initialize(stream, a, 0x1, 6, 2);
    ray_proceed(stream, a, 0x1, WS_QUERY_UNKNOWN, TRUE_TRIANGLE, 7, 11);
    ray_key(stream, a, 0x1, RAY_SITE_CONFIRM, WS_QUERY_UNKNOWN);
    ray_initialize(stream, a, 0x1, 4, 3);
    ray_proceed(stream, a, 0x1, 4, TRUE_TRIANGLE, 5, 12);
    ray_key(stream, a, 0x1, RAY_SITE_CONFIRM, WS_QUERY_UNKNOWN);
    end(stream, a, 0x1);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 1\n"
            "thread 7,0,0 warp 0 lane 0\n"
            "  0 query 1 depth 0 parent - lane 0 by 0 hit t 9 primitive 10 kind ff attributes 5,6\n"
            "    query by 0 accepted t 9 primitive 10 kind fe attributes 5,6\n"
            "  1 query 2 depth 0 parent - lane 0 by 0 hit t 7 primitive 11 kind fe attributes 5,6\n"
            "    query by 0 accepted t 7 primitive 11 kind fe attributes 5,6\n"
            "  2 query 3 depth 0 parent - lane 0 by 0 unknown\n"
            "    query by 0 ignored t 5 primitive 12 kind fe attributes 5,6\n",
            NULL),
        1);
}

/* Two queries in turns. Of the first a box is met and an intersection generated, twice nearer; of the second
 * a box is met and left. */
static void interleaved(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t a = begin(stream, 0x1);
    ray_initialize(stream, a, 0x1, 4, 1);
    ray_initialize(stream, a, 0x1, 4 | 1u << 24, 2);
    ray_proceed(stream, a, 0x1, 4, TRUE_AABB, 0, 0);
    ray_proceed(stream, a, 0x1, 4 | 1u << 24, TRUE_AABB, 0, 0);
    ray_generate(stream, a, 0x1, 4, 6);
    ray_generate(stream, a, 0x1, 4, 5);
    ray_proceed(stream, a, 0x1, 4 | 1u << 24, FALSE_NONE, 0, 0);
    ray_proceed(stream, a, 0x1, 4, FALSE_GENERATED, 5, 13);
    end(stream, a, 0x1);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 1\n"
            "thread 7,0,0 warp 0 lane 0\n"
            "  0 query 1 depth 0 parent - lane 0 by 0 hit t 5 primitive 13 kind 0 attributes 5,6\n"
            "    query by 0 accepted t 5 primitive 0 kind 0\n"
            "  1 query 2 depth 0 parent - lane 0 by 0 miss\n"
            "    query by 0 ignored t 0 primitive 0 kind 0\n",
            NULL),
        0);
}

/* One variable, again and again: left without a step; left with a candidate open; confirmed and broken out
 * of, the nearer of two; confirmed and terminated; terminated without; and the last is still open as its
 * shader ends. */
static void unfinished(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t a = begin(stream, 0x1);
    ray_initialize(stream, a, 0x1, 4, 1);
    ray_initialize(stream, a, 0x1, 4, 2);
    ray_proceed(stream, a, 0x1, 4, TRUE_TRIANGLE, 9, 10);
    ray_initialize(stream, a, 0x1, 4, 3);
    ray_proceed(stream, a, 0x1, 4, TRUE_TRIANGLE, 3, 11);
    ray_key(stream, a, 0x1, RAY_SITE_CONFIRM, 4);
    ray_proceed(stream, a, 0x1, 4, TRUE_AABB, 0, 0);
    ray_generate(stream, a, 0x1, 4, 4);
    ray_initialize(stream, a, 0x1, 4, 4);
    ray_proceed(stream, a, 0x1, 4, TRUE_TRIANGLE, 2, 12);
    ray_key(stream, a, 0x1, RAY_SITE_CONFIRM, 4);
    ray_key(stream, a, 0x1, RAY_SITE_TERMINATE_QUERY, 4);
    ray_proceed(stream, a, 0x1, 4, FALSE_TRIANGLE | WS_QUERY_FRONT, 2, 12);
    ray_initialize(stream, a, 0x1, 4, 5);
    ray_proceed(stream, a, 0x1, 4, TRUE_TRIANGLE, 2, 13);
    ray_key(stream, a, 0x1, RAY_SITE_TERMINATE_QUERY, 4);
    ray_initialize(stream, a, 0x1, 4, 6);
    ray_proceed(stream, a, 0x1, 4, TRUE_TRIANGLE, 2, 14);
    end(stream, a, 0x1);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 1\n"
            "thread 7,0,0 warp 0 lane 0\n"
            "  0 query 1 depth 0 parent - lane 0 by 0 unknown\n"
            "  1 query 2 depth 0 parent - lane 0 by 0 unknown\n"
            "    query by 0 ignored t 9 primitive 10 kind fe attributes 5,6\n"
            "  2 query 3 depth 0 parent - lane 0 by 0 hit t 3 primitive 11 kind fe attributes 5,6\n"
            "    query by 0 accepted t 3 primitive 11 kind fe attributes 5,6\n"
            "    query by 0 accepted t 4 primitive 0 kind 0\n"
            "  3 query 4 depth 0 parent - lane 0 by 0 hit t 2 primitive 12 kind fe attributes 5,6\n"
            "    query by 0 terminated t 2 primitive 12 kind fe attributes 5,6\n"
            "  4 query 5 depth 0 parent - lane 0 by 0 unknown\n"
            "    query by 0 ignored t 2 primitive 13 kind fe attributes 5,6\n"
            "  5 query 6 depth 0 parent - lane 0 by 0 unknown\n"
            "    query by 0 ignored t 2 primitive 14 kind fe attributes 5,6\n",
            NULL),
        0);
}

/* A query in an any-hit shader, whose parent is the ray that it runs for; and queries of one key in two
 * executions of a shader, which are two. */
static void within_rays(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x1, 0);
    ray_initialize(stream, a, 0x1, 4, 1);
    ray_trace(stream, a, 0x1, 2, 0);
    const uint32_t b = ray_enter(stream, any, 0x1, 0);
    ray_hit(stream, b, 0x1, 4, 3);
    ray_initialize(stream, b, 0x1, 4, 3);
    ray_proceed(stream, b, 0x1, 4, FALSE_NONE, 0, 0);
    ray_place(stream, b, RAY_SITE_IGNORE, 0x1);
    ray_place(stream, a, RAY_SITE_RETURN, 0x1);
    ray_proceed(stream, a, 0x1, 4, FALSE_TRIANGLE | WS_QUERY_FRONT, 5, 6);
    ray_place(stream, a, RAY_SITE_END, 0x1);
    stream_end(stream);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 1\n"
            "thread 0,0,0 warp 0 lane 0\n"
            "  0 query 1 depth 0 parent - lane 0 by 0 hit t 5 primitive 6 kind fe attributes 5,6\n"
            "  1 trace 2 depth 0 parent - lane 0 by 0 no_shader\n"
            "    any_hit by 1 ignored t 4 primitive 3 kind fe attributes 5,6\n"
            "  2 query 3 depth 1 parent 1 lane 0 by 1 miss\n",
            NULL),
        0);
}

/* The rest of the records is damaged: the candidate is open for good. */
static void truncated(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t a = begin(stream, 0x1);
    ray_initialize(stream, a, 0x1, 4, 1);
    ray_proceed(stream, a, 0x1, 4, TRUE_TRIANGLE, 2, 14);
    stream_words(stream, 0, (const uint32_t[]){0, 0}, 2, false);
    ray_proceed(stream, a, 0x1, 4, FALSE_NONE, 0, 0);
    stream_end(stream);
    assert_int_equal(ray_scene_expect(stream,
                                      "launch 0 threads 1 truncated\n"
                                      "thread 7,0,0 warp 0 lane 0\n"
                                      "  0 query 1 depth 0 parent - lane 0 by 0 unknown\n"
                                      "    query by 0 open t 2 primitive 14 kind fe attributes 5,6\n",
                                      NULL),
                     0);
}

static void malformed(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t a = begin(stream, 0x1);
    ray_proceed(stream, a, 0x1, 4, TRUE_TRIANGLE, 2, 14); /* 1: no such query */
    ray_initialize(stream, a, 0x1, 4, 1);
    ray_key(stream, a, 0x1, RAY_SITE_CONFIRM, 4); /* 2: nothing to confirm */
    ray_proceed(stream, a, 0x1, 4, TRUE_TRIANGLE, 2, 14);
    ray_generate(stream, a, 0x1, 4, 1); /* 3: in a triangle */
    ray_proceed(stream, a, 0x1, 4, TRUE_AABB, 0, 0);
    ray_key(stream, a, 0x1, RAY_SITE_CONFIRM, 4); /* 4: a box */
    ray_key(stream, a, 0x1, RAY_SITE_CONFIRM, 5); /* 5: no such query */
    ray_proceed(stream, a, 0x1, 4, 0x107, 2, 14); /* 6, 7: no such type */
    ray_proceed(stream, a, 0x1, 4, 0x7, 2, 14);
    ray_proceed(stream, a, 0x1, 4, FALSE_NONE, 0, 0);
    ray_proceed(stream, a, 0x1, 4, TRUE_AABB, 0, 0); /* 8: it is over */
    end(stream, a, 0x1);
    assert_int_equal(ray_scene_expect(stream,
                                      "launch 0 threads 1\n"
                                      "thread 7,0,0 warp 0 lane 0\n"
                                      "  0 query 1 depth 0 parent - lane 0 by 0 miss\n"
                                      "    query by 0 ignored t 2 primitive 14 kind fe attributes 5,6\n"
                                      "    query by 0 ignored t 0 primitive 0 kind 0\n",
                                      NULL),
                     8);
}

/* More queries in one execution of a shader than can be. */
static void too_many(void **state)
{
    (void)state;
    enum { QUERIES = 1100, KEPT = 1024 };
    char *expected = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&expected, &size);
    assert_non_null(out);
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t a = begin(stream, 0x1);
    fprintf(out, "launch 0 threads 1\nthread 7,0,0 warp 0 lane 0\n");
    for (uint32_t i = 0; i < QUERIES; ++i)
        ray_initialize(stream, a, 0x1, i, i);
    for (uint32_t i = 0; i < KEPT; ++i)
        fprintf(out, "  %u query %u depth 0 parent - lane 0 by 0 unknown\n", i, i);
    fclose(out);
    end(stream, a, 0x1);
    assert_int_equal(ray_scene_expect(stream, expected, NULL), QUERIES - KEPT);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proceeded),  cmocka_unit_test(interleaved), cmocka_unit_test(of_an_unknown_query),
        cmocka_unit_test(unfinished), cmocka_unit_test(within_rays), cmocka_unit_test(truncated),
        cmocka_unit_test(malformed),  cmocka_unit_test(too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
