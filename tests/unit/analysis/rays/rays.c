/* Rays of pipelines put together from records that were written by hand. */
#include "tests/unit/analysis/rays/ray_scene.h"

#define SKIP WS_RAY_FLAG_SKIP_CLOSEST_HIT

/* Two warps of four, each traces: lanes 0, 1 hit, 2 misses, 3 finds no shader. The hit shader of lane 0
 * traces a shadow ray (SkipClosestHitShader) that misses; that of lane 1 one that is an implicit hit. */
static void recursion(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(4, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0xf, 0);
    ray_trace(stream, a, 0xf, 1, 0);
    const uint32_t b = ray_enter(stream, hit, 0x3, 0);
    ray_hit(stream, b, 0x3, 1.5f, 4);
    ray_trace(stream, b, 0x3, 2, SKIP);
    const uint32_t c = ray_enter(stream, miss, 0x1, 0);
    ray_place(stream, c, RAY_SITE_END, 0x1);
    ray_place(stream, b, RAY_SITE_RETURN, 0x3);
    ray_place(stream, b, RAY_SITE_END, 0x3);
    const uint32_t d = ray_enter(stream, miss, 0x4, 0);
    ray_place(stream, d, RAY_SITE_END, 0x4);
    ray_place(stream, a, RAY_SITE_RETURN, 0xf);
    ray_place(stream, a, RAY_SITE_END, 0xf);
    stream_end(stream);
    assert_int_equal(ray_scene_expect(stream,
                                      "launch 0 threads 4\n"
                                      "thread 0,0,0 warp 0 lane 0\n"
                                      "  0 trace 1 depth 0 parent - lane 0 by 0 hit by 1 t 1.5 primitive 4 "
                                      "kind fe attributes 5,6\n"
                                      "  1 trace 2 depth 1 parent 0 lane 0 by 1 miss by 2\n"
                                      "thread 1,0,0 warp 0 lane 1\n"
                                      "  0 trace 1 depth 0 parent - lane 1 by 0 hit by 1 t 1.5 primitive 4 "
                                      "kind fe attributes 5,6\n"
                                      "  1 trace 2 depth 1 parent 0 lane 1 by 1 implicit_hit\n"
                                      "thread 2,0,0 warp 0 lane 2\n"
                                      "  0 trace 1 depth 0 parent - lane 2 by 0 miss by 2\n"
                                      "thread 3,0,0 warp 0 lane 3\n"
                                      "  0 trace 1 depth 0 parent - lane 3 by 0 no_shader\n",
                                      NULL),
                     0);
}

/* An any-hit run of some lanes, which ends in three ways by lane. */
static void any_hit_run(struct stream *stream, uint32_t shader, uint64_t mask, float t, uint32_t primitive,
                        uint64_t ignore, uint64_t terminate)
{
    const uint32_t context = ray_enter(stream, shader, mask, 0);
    ray_hit(stream, context, mask, t, primitive);
    if (ignore != 0)
        ray_place(stream, context, RAY_SITE_IGNORE, ignore);
    if (terminate != 0)
        ray_place(stream, context, RAY_SITE_TERMINATE, terminate);
    if ((mask & ~ignore & ~terminate) != 0)
        ray_place(stream, context, RAY_SITE_END, mask & ~ignore & ~terminate);
}

/* Two threads. The first ignores, accepts, then accepts a nearer one, and its ray (SkipClosestHitShader) ends so. The
 * second accepts, then terminates. */
static void any_hits(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0xff, 0);
    ray_trace(stream, a, 0x3, 1, SKIP | WS_RAY_FLAG_NO_OPAQUE);
    any_hit_run(stream, any, 0x3, 9, 10, 0x1, 0);
    any_hit_run(stream, any, 0x3, 8, 11, 0, 0x2);
    any_hit_run(stream, any, 0x1, 7, 12, 0, 0);
    ray_place(stream, a, RAY_SITE_RETURN, 0x3);
    ray_place(stream, a, RAY_SITE_END, 0xff);
    stream_end(stream);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 8\n"
            "thread 0,0,0 warp 0 lane 0\n"
            "  0 trace 1 depth 0 parent - lane 0 by 0 implicit_hit t 7 primitive 12 kind fe attributes 5,6\n"
            "    any_hit by 1 ignored t 9 primitive 10 kind fe attributes 5,6\n"
            "    any_hit by 1 accepted t 8 primitive 11 kind fe attributes 5,6\n"
            "    any_hit by 1 accepted t 7 primitive 12 kind fe attributes 5,6\n"
            "thread 1,0,0 warp 0 lane 1\n"
            "  0 trace 1 depth 0 parent - lane 1 by 0 implicit_hit t 8 primitive 11 kind fe attributes 5,6\n"
            "    any_hit by 1 accepted t 9 primitive 10 kind fe attributes 5,6\n"
            "    any_hit by 1 terminated t 8 primitive 11 kind fe attributes 5,6\n",
            NULL),
        0);
}

/* An intersection shader reports twice: once without any-hit shader, not accepted, and once with one that
 * accepts in lane 0 and terminates in lane 1, whose intersection shader ends there. Then lane 0 hits. */
static void intersections(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    const uint32_t box = ray_scene_shader(stream, WS_STAGE_INTERSECTION);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x3, 0);
    ray_trace(stream, a, 0x3, 1, 0);
    const uint32_t b = ray_enter(stream, box, 0x3, 0);
    ray_box(stream, b, 0x3, 31);
    ray_report(stream, b, 0x3, 200, false);
    any_hit_run(stream, any, 0x3, 6, 31, 0, 0x2);
    ray_report(stream, b, 0x1, 6, true);
    ray_place(stream, b, RAY_SITE_END, 0x1);
    const uint32_t c = ray_enter(stream, hit, 0x3, 0);
    ray_hit(stream, c, 0x3, 6, 31);
    ray_place(stream, c, RAY_SITE_END, 0x3);
    ray_place(stream, a, RAY_SITE_RETURN, 0x3);
    ray_place(stream, a, RAY_SITE_END, 0x3);
    stream_end(stream);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 2\n"
            "thread 0,0,0 warp 0 lane 0\n"
            "  0 trace 1 depth 0 parent - lane 0 by 0 hit by 3 t 6 primitive 31 kind fe attributes 5,6\n"
            "    intersection by 2 open t 0 primitive 31 kind 0\n"
            "    report by 2 ignored t 200 primitive 31 kind 7\n"
            "    any_hit by 1 accepted t 6 primitive 31 kind fe attributes 5,6\n"
            "    report by 2 accepted t 6 primitive 31 kind 7 attributes 5,6\n"
            "thread 1,0,0 warp 0 lane 1\n"
            "  0 trace 1 depth 0 parent - lane 1 by 0 hit by 3 t 6 primitive 31 kind fe attributes 5,6\n"
            "    intersection by 2 open t 0 primitive 31 kind 0\n"
            "    report by 2 ignored t 200 primitive 31 kind 7\n"
            "    any_hit by 1 terminated t 6 primitive 31 kind fe attributes 5,6\n"
            "    report by 2 terminated t 6 primitive 31 kind fe attributes 5,6\n",
            NULL),
        0);
}

/* An intersection shader ends without having reported; then a triangle's any-hit shader terminates the ray,
 * which no report called. */
static void box_then_triangle(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    const uint32_t box = ray_scene_shader(stream, WS_STAGE_INTERSECTION);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x1, 0);
    ray_trace(stream, a, 0x1, 1, SKIP);
    const uint32_t b = ray_enter(stream, box, 0x1, 0);
    ray_box(stream, b, 0x1, 31);
    ray_place(stream, b, RAY_SITE_END, 0x1);
    any_hit_run(stream, any, 0x1, 6, 9, 0, 0x1);
    ray_place(stream, a, RAY_SITE_RETURN, 0x1);
    ray_place(stream, a, RAY_SITE_END, 0x1);
    stream_end(stream);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 1\n"
            "thread 0,0,0 warp 0 lane 0\n"
            "  0 trace 1 depth 0 parent - lane 0 by 0 implicit_hit t 6 primitive 9 kind fe attributes 5,6\n"
            "    intersection by 2 open t 0 primitive 31 kind 0\n"
            "    any_hit by 1 terminated t 6 primitive 9 kind fe attributes 5,6\n",
            NULL),
        0);
}

/* A loop of two rays, the second by OpTraceRayMotionNV and only in one lane; the first has no record behind
 * it in lane 1, whose shader ends. Lanes without threads are masked. */
static void loops(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(32, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 32, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x80000003, 0);
    ray_trace(stream, a, 0x80000001, 1, 0);
    ray_place(stream, a, RAY_SITE_RETURN, 0x80000001);
    ray_trace_motion(stream, a, 0x80000000, 2, 0);
    const uint32_t b = ray_enter(stream, miss, 0x80000000, 0);
    ray_place(stream, b, RAY_SITE_END, 0x80000000);
    ray_place(stream, a, RAY_SITE_MOTION_RETURN, 0x80000000);
    ray_trace(stream, a, 0x2, 3, 0);
    ray_trace(stream, a, 0x2, 4, SKIP);
    ray_place(stream, a, RAY_SITE_END, 0x80000003);
    stream_end(stream);
    assert_int_equal(ray_scene_expect(stream,
                                      "launch 0 threads 3\n"
                                      "thread 0,0,0 warp 0 lane 0\n"
                                      "  0 trace 1 depth 0 parent - lane 0 by 0 no_shader\n"
                                      "thread 1,0,0 warp 0 lane 1\n"
                                      "  0 trace 3 depth 0 parent - lane 1 by 0 no_shader\n"
                                      "  1 trace 4 depth 0 parent - lane 1 by 0 implicit_hit\n"
                                      "thread 31,0,0 warp 0 lane 31\n"
                                      "  0 trace 1 depth 0 parent - lane 31 by 0 no_shader\n"
                                      "  1 trace 2 depth 0 parent - lane 31 by 0 miss by 1 time 0.25\n",
                                      NULL),
                     0);
}

/* A callable shader of a hit shader starts a query; one of ray generation has no parent. */
static void callables(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    const uint32_t callable = ray_scene_shader(stream, WS_STAGE_CALLABLE);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x1, 0);
    ray_place(stream, a, RAY_SITE_CALL, 0x1);
    const uint32_t b = ray_enter(stream, callable, 0x1, 0);
    ray_initialize(stream, b, 0x1, 5, 1);
    ray_proceed(stream, b, 0x1, 5, 0, 0, 0);
    ray_place(stream, b, RAY_SITE_END, 0x1);
    ray_trace(stream, a, 0x1, 2, 0);
    const uint32_t c = ray_enter(stream, hit, 0x1, 0);
    ray_hit(stream, c, 0x1, 3, 1);
    ray_place(stream, c, RAY_SITE_CALL, 0x1);
    const uint32_t d = ray_enter(stream, callable, 0x1, 0);
    const uint32_t e = ray_enter(stream, callable, 0x1, 0);
    ray_initialize(stream, e, 0x1, 5, 3);
    ray_proceed(stream, e, 0x1, 5, 1 | WS_QUERY_FRONT, 4, 2);
    ray_place(stream, e, RAY_SITE_END, 0x1);
    ray_place(stream, d, RAY_SITE_END, 0x1);
    ray_place(stream, c, RAY_SITE_END, 0x1);
    ray_place(stream, a, RAY_SITE_RETURN, 0x1);
    ray_place(stream, a, RAY_SITE_END, 0x1);
    stream_end(stream);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 1\n"
            "thread 0,0,0 warp 0 lane 0\n"
            "  0 query 1 depth 0 parent - lane 0 by 2 miss\n"
            "  1 trace 2 depth 0 parent - lane 0 by 0 hit by 1 t 3 primitive 1 kind fe attributes 5,6\n"
            "  2 query 3 depth 1 parent 1 lane 0 by 2 hit t 4 primitive 2 kind fe attributes 5,6\n",
            NULL),
        0);
}

/* Forty warps of four in random order; those of threads 4w .. 4w + 3 trace w rays, of which every third hits.
 * So rays are in the order of work ids however they came, and whoever replayed them. */
static void many_warps(void **state)
{
    (void)state;
    enum { WARPS = 40 };
    char *expected = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&expected, &size);
    assert_non_null(out);
    struct stream *stream = ray_scene_create(4, 77);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 20, 1);
    for (uint32_t i = 0; i < WARPS; ++i) {
        const uint32_t w = (i * 7 + 3) % WARPS;
        const uint32_t a = stream_enter_rays(stream, w, raygen, ws_lanes_first(4), 4 * w);
        for (uint32_t ray = 0; ray < w; ++ray) {
            ray_trace(stream, a, 0xf, ray, 0);
            if (ray % 3 == 0) {
                const uint32_t b = stream_enter_rays(stream, w, hit, ws_lanes_first(4), 4 * w);
                ray_hit(stream, b, 0xf, (float)w, ray);
                ray_place(stream, b, RAY_SITE_END, 0xf);
            }
            ray_place(stream, a, RAY_SITE_RETURN, 0xf);
        }
        ray_place(stream, a, RAY_SITE_END, 0xf);
    }
    stream_end(stream);
    fprintf(out, "launch 0 threads 160\n");
    for (uint32_t thread = 4; thread < 4 * WARPS; ++thread) {
        fprintf(out, "thread %u,%u,0 warp %u lane %u\n", thread % 8, thread / 8, thread / 4, thread % 4);
        for (uint32_t ray = 0; ray < thread / 4; ++ray)
            if (ray % 3 == 0)
                fprintf(out,
                        "  %u trace %u depth 0 parent - lane %u by 0 hit by 1 t %u primitive %u kind fe "
                        "attributes 5,6\n",
                        ray, ray, thread % 4, thread / 4, ray);
            else
                fprintf(out, "  %u trace %u depth 0 parent - lane %u by 0 no_shader\n", ray, ray, thread % 4);
    }
    fclose(out);
    assert_int_equal(ray_scene_expect(stream, expected, NULL), 0);
    free(expected);
}

/* Hit shaders of two warps run together in other lanes, and ray generation goes on in a third warp, where it
 * traces again. */
static void regrouped(void **state)
{
    (void)state;
    struct ws_replay_losses losses;
    struct stream *stream = ray_scene_create(4, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x3, 0);
    const uint32_t b = ray_enter(stream, raygen, 0x3, 2);
    ray_trace(stream, a, 0x3, 1, 0);
    ray_trace(stream, b, 0x3, 2, 0);
    const uint32_t c =
        stream_enter(stream, 0, hit, (struct ws_lanes){0x7, 0}, NULL, (const uint32_t[]){3, 0, 1});
    ray_hit(stream, c, 0x7, 1, 1);
    ray_trace(stream, c, 0x2, 3, SKIP);
    ray_place(stream, c, RAY_SITE_RETURN, 0x2);
    ray_place(stream, c, RAY_SITE_END, 0x7);
    const uint32_t d = stream_continue(stream, 0, raygen, RAY_SITE_CONTINUE, (struct ws_lanes){0x7, 0},
                                       (const uint32_t[]){1, 3, 0});
    ray_place(stream, d, RAY_SITE_RETURN, 0x7);
    ray_trace(stream, d, 0x2, 4, 0);
    const uint32_t e = stream_enter(stream, 0, miss, (struct ws_lanes){0x1, 0}, NULL, (const uint32_t[]){3});
    ray_place(stream, e, RAY_SITE_END, 0x1);
    ray_place(stream, d, RAY_SITE_RETURN, 0x2);
    ray_place(stream, d, RAY_SITE_END, 0x7);
    ray_place(stream, b, RAY_SITE_RETURN, 0x1);
    ray_place(stream, b, RAY_SITE_END, 0x1);
    stream_end(stream);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 4\n"
            "thread 0,0,0 warp 0 lane 0\n"
            "  0 trace 1 depth 0 parent - lane 0 by 0 hit by 1 t 1 primitive 1 kind fe attributes 5,6\n"
            "  1 trace 3 depth 1 parent 0 lane 1 by 1 implicit_hit\n"
            "thread 1,0,0 warp 0 lane 1\n"
            "  0 trace 1 depth 0 parent - lane 1 by 0 hit by 1 t 1 primitive 1 kind fe attributes 5,6\n"
            "thread 2,0,0 warp 1 lane 0\n"
            "  0 trace 2 depth 0 parent - lane 0 by 0 no_shader\n"
            "thread 3,0,0 warp 1 lane 1\n"
            "  0 trace 2 depth 0 parent - lane 1 by 0 hit by 1 t 1 primitive 1 kind fe attributes 5,6\n"
            "  1 trace 4 depth 0 parent - lane 1 by 0 miss by 2\n",
            &losses),
        0);
    assert_true(losses.malformed == 0 && losses.continued == 1);
}

/* The records are damaged within a hit shader, whose own ray has not come back, and within an any-hit run. */
static void truncated(void **state)
{
    (void)state;
    struct ws_replay_losses losses;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x3, 0);
    ray_trace(stream, a, 0x3, 1, 0);
    const uint32_t b = ray_enter(stream, hit, 0x1, 0);
    ray_hit(stream, b, 0x1, 2, 3);
    ray_trace(stream, b, 0x1, 2, SKIP);
    ray_enter(stream, any, 0x1, 0);
    stream_words(stream, 0, (const uint32_t[]){0, 0}, 2, false);
    stream_end(stream);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 2 truncated\n"
            "thread 0,0,0 warp 0 lane 0\n"
            "  0 trace 1 depth 0 parent - lane 0 by 0 hit by 1 t 2 primitive 3 kind fe attributes 5,6\n"
            "  1 trace 2 depth 1 parent 0 lane 0 by 1 unknown\n"
            "    any_hit by 2 open t 0 primitive 0 kind 0\n"
            "thread 1,0,0 warp 0 lane 1\n"
            "  0 trace 1 depth 0 parent - lane 1 by 0 unknown\n",
            &losses),
        0);
    assert_true(losses.malformed == 1 && losses.cut_warps == 0);
}

/* What contradicts is left out and counted: a hit of no ray, a second shader for one, a report of what is no
 * intersection shader, a report where nobody traced, and events of so many words as none has here: a later version may write
 * such. */
static void malformed(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    const uint32_t box = ray_scene_shader(stream, WS_STAGE_INTERSECTION);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x1, 0);
    const uint32_t b = ray_enter(stream, hit, 0x1, 0); /* 1 */
    ray_hit(stream, b, 0x1, 2, 3);
    ray_trace(stream, b, 0x1, 1, 0); /* of which ray's hit is not known */
    ray_place(stream, b, RAY_SITE_END, 0x1);
    ray_trace(stream, a, 0x1, 2, 0);
    const uint32_t c = ray_enter(stream, miss, 0x1, 0);
    ray_place(stream, c, RAY_SITE_END, 0x1);
    const uint32_t d = ray_enter(stream, hit, 0x1, 0); /* 2 */
    ray_hit(stream, d, 0x1, 2, 3);
    ray_place(stream, d, RAY_SITE_END, 0x1);
    ray_report(stream, a, 0x1, 1, true); /* 3 */
    ray_place(stream, a, RAY_SITE_RETURN, 0x1);
    const uint32_t e = ray_enter(stream, box, 0x1, 0); /* 4 */
    ray_box(stream, e, 0x1, 3);
    ray_report(stream, e, 0x1, 1, true); /* 5 */
    ray_place(stream, e, RAY_SITE_END, 0x1);
    ray_key(stream, a, 0x1, RAY_SITE_LATER, 7); /* 6 */
    ray_place(stream, a, RAY_SITE_END, 0x1);
    stream_end(stream);
    assert_int_equal(ray_scene_expect(stream,
                                      "launch 0 threads 1\n"
                                      "thread 0,0,0 warp 0 lane 0\n"
                                      "  0 trace 1 depth 0 parent - lane 0 by 1 no_shader\n"
                                      "  1 trace 2 depth 0 parent - lane 0 by 0 miss by 2\n",
                                      NULL),
                     6);
}

/* A shader that cannot tell what became of its reports, of two threads whose rays run no closest hit shader. The any-hit
 * shader that ran for the first report tells, and accepts it; none ran for the second, which is nearer if it was accepted: so
 * it is not known what the ray hit. The second thread has the first report alone. */
static void open_reports(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    const uint32_t box = ray_scene_shader(stream, WS_STAGE_INTERSECTION);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x3, 0);
    ray_trace(stream, a, 0x3, 1, WS_RAY_FLAG_SKIP_CLOSEST_HIT);
    const uint32_t b = ray_enter(stream, box, 0x3, 0);
    ray_box(stream, b, 0x3, 31);
    any_hit_run(stream, any, 0x3, 6, 31, 0, 0);
    ray_report_open(stream, b, 0x3, 6);
    ray_report_open(stream, b, 0x1, 5);
    ray_place(stream, b, RAY_SITE_END, 0x3);
    ray_place(stream, a, RAY_SITE_RETURN, 0x3);
    ray_place(stream, a, RAY_SITE_END, 0x3);
    stream_end(stream);
    assert_int_equal(
        ray_scene_expect(
            stream,
            "launch 0 threads 2\n"
            "thread 0,0,0 warp 0 lane 0\n"
            "  0 trace 1 depth 0 parent - lane 0 by 0 implicit_hit\n"
            "    intersection by 2 open t 0 primitive 31 kind 0\n"
            "    any_hit by 1 accepted t 6 primitive 31 kind fe attributes 5,6\n"
            "    report by 2 accepted t 6 primitive 31 kind 7 attributes 5,6\n"
            "    report by 2 open t 5 primitive 31 kind 7\n"
            "thread 1,0,0 warp 0 lane 1\n"
            "  0 trace 1 depth 0 parent - lane 1 by 0 implicit_hit t 6 primitive 31 kind 7 attributes 5,6\n"
            "    intersection by 2 open t 0 primitive 31 kind 0\n"
            "    any_hit by 1 accepted t 6 primitive 31 kind fe attributes 5,6\n"
            "    report by 2 accepted t 6 primitive 31 kind 7 attributes 5,6\n",
            NULL),
        0);
}

/* Four threads trace into object 7: two hit (of one an any-hit shader accepts), two miss, all known at once. The first
 * traces into object 8 too, and puts something else into it. Then three execute object 7: hit shaders, which trace on, and
 * a miss shader; the first executes object 8, whose hit shader is of no ray. The second executes object 7 again. */
static void hit_objects(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(4, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0xf, 0);
    ray_object_trace(stream, a, 0xf, 7, 1);
    any_hit_run(stream, any, 0x1, 1.5f, 4, 0, 0);
    ray_object_traced(stream, a, 0x3, 7, 1.5f, 4);
    ray_object_traced(stream, a, 0xc, 7, 0, 0);
    ray_object_trace(stream, a, 0x1, 8, 2);
    ray_object_traced(stream, a, 0x1, 8, 0, 0);
    ray_key(stream, a, 0x1, RAY_SITE_OBJECT_RECORD, 8);
    ray_key(stream, a, 0x7, RAY_SITE_EXECUTE, 7);
    const uint32_t b = ray_enter(stream, hit, 0x3, 0);
    ray_hit(stream, b, 0x3, 1.5f, 4);
    ray_trace(stream, b, 0x1, 3, SKIP);
    ray_place(stream, b, RAY_SITE_RETURN, 0x1);
    ray_place(stream, b, RAY_SITE_END, 0x3);
    const uint32_t c = ray_enter(stream, miss, 0x4, 0);
    ray_place(stream, c, RAY_SITE_END, 0x4);
    ray_place(stream, a, RAY_SITE_EXECUTED, 0x7);
    ray_key(stream, a, 0x1, RAY_SITE_EXECUTE, 8);
    const uint32_t d = ray_enter(stream, hit, 0x1, 0);
    ray_hit(stream, d, 0x1, 9, 9);
    ray_trace(stream, d, 0x1, 4, SKIP);
    ray_place(stream, d, RAY_SITE_RETURN, 0x1);
    ray_place(stream, d, RAY_SITE_END, 0x1);
    ray_place(stream, a, RAY_SITE_EXECUTED, 0x1);
    ray_key(stream, a, 0x2, RAY_SITE_EXECUTE, 7);
    const uint32_t e = ray_enter(stream, hit, 0x2, 0);
    ray_hit(stream, e, 0x2, 1.5f, 4);
    ray_place(stream, e, RAY_SITE_END, 0x2);
    ray_place(stream, a, RAY_SITE_EXECUTED, 0x2);
    ray_place(stream, a, RAY_SITE_END, 0xf);
    stream_end(stream);
    assert_int_equal(ray_scene_expect(stream,
                                      "launch 0 threads 4\n"
                                      "thread 0,0,0 warp 0 lane 0\n"
                                      "  0 trace 1 depth 0 parent - lane 0 by 0 hit by 1 t 1.5 primitive 4 "
                                      "kind fe attributes 5,6\n"
                                      "    any_hit by 3 accepted t 1.5 primitive 4 kind fe attributes 5,6\n"
                                      "  1 trace 2 depth 0 parent - lane 0 by 0 miss\n"
                                      "  2 trace 3 depth 1 parent 0 lane 0 by 1 implicit_hit\n"
                                      "  3 trace 4 depth 0 parent - lane 0 by 1 implicit_hit\n"
                                      "thread 1,0,0 warp 0 lane 1\n"
                                      "  0 trace 1 depth 0 parent - lane 1 by 0 hit by 1 t 1.5 primitive 4 "
                                      "kind fe attributes 5,6\n"
                                      "thread 2,0,0 warp 0 lane 2\n"
                                      "  0 trace 1 depth 0 parent - lane 2 by 0 miss by 2\n"
                                      "thread 3,0,0 warp 0 lane 3\n"
                                      "  0 trace 1 depth 0 parent - lane 3 by 0 miss\n",
                                      NULL),
                     0);
}

/* A trace that also executes has no word of what it hit: the shader says it, or nothing does. A hit that no shader was run
 * for is known without attributes, but where the any-hit run that was accepted has them. */
static void objects_without_runs(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(4, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0xf, 0);
    ray_object_run(stream, a, 0x7, 7, 1);
    const uint32_t b = ray_enter(stream, hit, 0x1, 0);
    ray_hit(stream, b, 0x1, 1.5f, 4);
    ray_place(stream, b, RAY_SITE_END, 0x1);
    const uint32_t c = ray_enter(stream, miss, 0x2, 0);
    ray_place(stream, c, RAY_SITE_END, 0x2);
    ray_place(stream, a, RAY_SITE_EXECUTED, 0x7);
    ray_object_trace(stream, a, 0x9, 8, 2);
    any_hit_run(stream, any, 0x1, 3, 5, 0, 0);
    ray_object_traced(stream, a, 0x9, 8, 3, 5);
    ray_object_traced(stream, a, 0x1, 8, 3, 5); /* malformed: nothing was traced */
    ray_key(stream, a, 0x1, RAY_SITE_EXECUTE, 8);
    const uint32_t d = ray_enter(stream, miss, 0x1, 0); /* malformed: it is a hit */
    ray_place(stream, d, RAY_SITE_END, 0x1);
    ray_place(stream, a, RAY_SITE_EXECUTED, 0x1);
    ray_place(stream, a, RAY_SITE_END, 0xf);
    stream_end(stream);
    assert_int_equal(
        ray_scene_expect(stream,
                         "launch 0 threads 4\n"
                         "thread 0,0,0 warp 0 lane 0\n"
                         "  0 trace 1 depth 0 parent - lane 0 by 0 hit by 1 t 1.5 primitive 4 "
                         "kind fe attributes 5,6\n"
                         "  1 trace 2 depth 0 parent - lane 0 by 0 hit t 3 primitive 5 kind fe "
                         "attributes 5,6\n"
                         "    any_hit by 3 accepted t 3 primitive 5 kind fe attributes 5,6\n"
                         "thread 1,0,0 warp 0 lane 1\n"
                         "  0 trace 1 depth 0 parent - lane 1 by 0 miss by 2\n"
                         "thread 2,0,0 warp 0 lane 2\n"
                         "  0 trace 1 depth 0 parent - lane 2 by 0 no_shader\n"
                         "thread 3,0,0 warp 0 lane 3\n"
                         "  0 trace 2 depth 0 parent - lane 3 by 0 hit t 3 primitive 5 kind fe\n",
                         NULL),
        2);
}

/* Where the words of a hit object cannot be had, a place behind the trace says that it is over. Whether the rays of the first
 * two threads hit is then not known, whatever their flags say, until the first executes its object. The third executes an
 * object for which no shader runs. */
static void objects_without_words(void **state)
{
    (void)state;
    struct stream *stream = ray_scene_create(4, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0x7, 0);
    ray_object_trace(stream, a, 0x7, 7, 1);
    ray_place(stream, a, RAY_SITE_RETURN, 0x7);
    ray_key(stream, a, 0x5, RAY_SITE_EXECUTE, 7);
    const uint32_t b = ray_enter(stream, miss, 0x1, 0);
    ray_place(stream, b, RAY_SITE_END, 0x1);
    ray_place(stream, a, RAY_SITE_EXECUTED, 0x5);
    ray_place(stream, a, RAY_SITE_END, 0x7);
    stream_end(stream);
    assert_int_equal(ray_scene_expect(stream,
                                      "launch 0 threads 3\n"
                                      "thread 0,0,0 warp 0 lane 0\n"
                                      "  0 trace 1 depth 0 parent - lane 0 by 0 miss by 1\n"
                                      "thread 1,0,0 warp 0 lane 1\n"
                                      "  0 trace 1 depth 0 parent - lane 1 by 0 unknown\n"
                                      "thread 2,0,0 warp 0 lane 2\n"
                                      "  0 trace 1 depth 0 parent - lane 2 by 0 no_shader\n",
                                      NULL),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursion),
        cmocka_unit_test(any_hits),
        cmocka_unit_test(intersections),
        cmocka_unit_test(open_reports),
        cmocka_unit_test(box_then_triangle),
        cmocka_unit_test(loops),
        cmocka_unit_test(callables),
        cmocka_unit_test(many_warps),
        cmocka_unit_test(regrouped),
        cmocka_unit_test(truncated),
        cmocka_unit_test(malformed),
        cmocka_unit_test(hit_objects),
        cmocka_unit_test(objects_without_runs),
        cmocka_unit_test(objects_without_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
