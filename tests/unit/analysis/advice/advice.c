/* What rules say of rays made by hand, without geometry: each with its evidence, without it, and at the
 * border. Savings are counted by hand. */
#include "tests/unit/analysis/advice/advice_hand.h"

#include <math.h>

#define ACCEPTED WS_CANDIDATE_ACCEPTED
#define IGNORED  WS_CANDIDATE_IGNORED

static void any_hit(struct hand *hand, enum hand_shader shader, uint32_t instance, uint32_t geometry,
                    enum ws_candidate_result result)
{
    hand_candidate(hand, WS_CANDIDATE_ANY_HIT, result, shader, instance, geometry, 5);
}

static void expect_saving(const struct ws_advice *advice, uint32_t saves, uint64_t saving, uint64_t of,
                          uint32_t certainty)
{
    assert_int_equal(advice->saves, saves);
    assert_int_equal(advice->saving, saving);
    assert_int_equal(advice->of, of);
    assert_int_equal(advice->certainty, certainty);
}

/* Three runs on instance 1, of which one is of a ray that wants them; two on instance 2, one ignored. */
static void opaque_counts_what_heeds_the_flag(void **state)
{
    (void)state;
    struct hand *hand = hand_create("opaque", NULL);
    hand_ray(hand, HAND_RAYGEN);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 0, ACCEPTED);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 0, ACCEPTED);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 2, 0, ACCEPTED);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 2, 0, IGNORED);
    hand_ray(hand, HAND_RAYGEN)->flags = WS_RAY_FLAG_NO_OPAQUE;
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 0, ACCEPTED);
    hand_thread(hand);
    const struct ws_advice *advice = hand_only(hand);
    expect_saving(advice, WS_SAVES_ANY_HIT, 2, 5, WS_LIKELY);
    assert_string_equal(advice->subject, "geometry 0 of instance 1 (custom index 101)");
    assert_true(advice->has_place && advice->place[2] == 5);
    assert_true(advice->has_thread && advice->thread[0] == 0);
    hand_destroy(hand);
}

/* Any-hit runs by thread: 1, 2 and 2 in the first launch, 1 in the second. The example is the second thread. */
static void the_example_is_the_worst(void **state)
{
    (void)state;
    struct hand *hand = hand_create("opaque", NULL);
    const uint32_t runs[] = {1, 2, 2, 1};
    for (uint32_t i = 0; i < 4; ++i) {
        struct ws_ray *ray = hand_ray(hand, HAND_RAYGEN);
        ray->origin[0] = (float)i;
        for (uint32_t run = 0; run < runs[i]; ++run)
            any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 0, ACCEPTED);
        hand_thread(hand);
        if (i == 2)
            hand_launch(hand);
    }
    const struct ws_advice *advice = hand_only(hand);
    expect_saving(advice, WS_SAVES_ANY_HIT, 6, 6, WS_LIKELY);
    assert_true(advice->has_thread && advice->thread[0] == 1);
    assert_true(advice->has_place && advice->place[0] == 1 && advice->place[2] == 5);
    hand_destroy(hand);
}

/* Effects are told apart, and save the run at most; so is what cannot be read. */
static void opaque_heeds_effects(void **state)
{
    (void)state;
    const enum hand_shader shaders[] = {HAND_TALLY_ANY_HIT, HAND_UNREADABLE};
    for (int i = 0; i < 2; ++i) {
        struct hand *hand = hand_create("opaque", NULL);
        hand_ray(hand, HAND_RAYGEN);
        any_hit(hand, shaders[i], 1, 0, ACCEPTED);
        hand_thread(hand);
        const struct ws_advice *advice = hand_only(hand);
        expect_saving(advice, WS_SAVES_ANY_HIT, 1, 1, WS_POSSIBLE);
        assert_true(advice->at_most);
        assert_non_null(strstr(advice->evidence, i == 0 ? "stores to a buffer" : "could not be read"));
        hand_destroy(hand);
    }
    /* Two shaders for one geometry, one with effects. */
    struct hand *hand = hand_create("opaque", NULL);
    hand_ray(hand, HAND_RAYGEN);
    any_hit(hand, HAND_CLEAN_ANY_HIT, 1, 0, ACCEPTED);
    any_hit(hand, HAND_TALLY_ANY_HIT, 1, 0, ACCEPTED);
    hand_thread(hand);
    assert_true(hand_only(hand)->saving == 2 && hand_only(hand)->at_most);
    hand_destroy(hand);
    /* A geometry with another shader that does the same is one piece with it; one with another effect is not. */
    hand = hand_create("opaque", NULL);
    hand_ray(hand, HAND_RAYGEN);
    any_hit(hand, HAND_TALLY_ANY_HIT, 1, 0, ACCEPTED);
    any_hit(hand, HAND_TALLY_ANY_HIT, 1, 2, ACCEPTED);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 5, ACCEPTED);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 7, ACCEPTED);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 7, ACCEPTED);
    hand_thread(hand);
    size_t count = 0;
    const struct ws_advice *advice = hand_advice(hand, &count);
    assert_int_equal(count, 2);
    expect_saving(&advice[0], WS_SAVES_ANY_HIT, 3, 5, WS_LIKELY);
    assert_string_equal(advice[0].subject, "geometries 5, 7 of instance 1 (custom index 101)");
    expect_saving(&advice[1], WS_SAVES_ANY_HIT, 2, 5, WS_POSSIBLE);
    assert_string_equal(advice[1].subject, "geometries 0, 2 of instance 1 (custom index 101)");
    hand_destroy(hand);
}

static void opaque_says_nothing(void **state)
{
    (void)state;
    /* No any-hit run; ignored; only rays that want them. */
    struct hand *hand = hand_create("opaque", NULL);
    hand_ray(hand, HAND_RAYGEN);
    hand_thread(hand);
    hand_nothing(hand);
    hand = hand_create("opaque", NULL);
    hand_ray(hand, HAND_RAYGEN);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 0, IGNORED);
    hand_thread(hand);
    hand_nothing(hand);
    hand = hand_create("opaque", NULL);
    hand_ray(hand, HAND_RAYGEN)->flags = WS_RAY_FLAG_NO_OPAQUE;
    any_hit(hand, HAND_CLEAN_ANY_HIT, 1, 0, ACCEPTED);
    hand_thread(hand);
    hand_nothing(hand);
}

/* Rays that cull by opacity would meet other things. */
static void opaque_heeds_culling(void **state)
{
    (void)state;
    struct hand *hand = hand_create("opaque", NULL);
    hand_ray(hand, HAND_RAYGEN);
    any_hit(hand, HAND_CLEAN_ANY_HIT, 1, 0, ACCEPTED);
    hand_ray(hand, HAND_RAYGEN)->flags = WS_RAY_FLAG_CULL_OPAQUE;
    hand_thread(hand);
    expect_saving(hand_only(hand), WS_SAVES_ANY_HIT, 1, 1, WS_POSSIBLE);
    hand_destroy(hand);
}

/* A candidate of a ray query on geometry 0 of instance 1, on which an any-hit shader ran. */
static struct hand *queried(enum ws_candidate_result result, uint32_t kind, uint32_t flags)
{
    struct hand *hand = hand_create("opaque", NULL);
    hand_ray(hand, HAND_RAYGEN);
    any_hit(hand, HAND_CLEAN_ANY_HIT, 1, 0, ACCEPTED);
    struct ws_ray *query = hand_ray(hand, HAND_RAYGEN);
    query->query = true;
    query->flags = flags;
    hand_candidate(hand, WS_CANDIDATE_QUERY, result, HAND_RAYGEN, 1, 0, 5)->hit.kind = kind;
    hand_thread(hand);
    return hand;
}

/* Ray queries that do not confirm what the flag would make them hit; boxes are candidates all the same. */
static void opaque_heeds_queries(void **state)
{
    (void)state;
    hand_nothing(queried(IGNORED, WS_HIT_FRONT, 0));
    struct hand *hand = queried(ACCEPTED, WS_HIT_BACK, 0);
    const struct ws_advice *advice = hand_only(hand);
    expect_saving(advice, WS_SAVES_ANY_HIT, 1, 1, WS_LIKELY);
    hand_destroy(hand);
    hand = queried(IGNORED, 0, 0);
    assert_int_equal(hand_only(hand)->saving, 1);
    hand_destroy(hand);
    hand = queried(IGNORED, WS_HIT_FRONT, WS_RAY_FLAG_NO_OPAQUE);
    assert_int_equal(hand_only(hand)->saving, 1);
    hand_destroy(hand);
    /* Only queries met it: of 3 candidates that are triangles 2 by one that heeds the flag; and one of a box. */
    hand = hand_create("opaque", NULL);
    hand_ray(hand, HAND_RAYGEN)->query = true;
    for (uint32_t i = 0; i < 3; ++i)
        hand_candidate(hand, WS_CANDIDATE_QUERY, ACCEPTED, HAND_RAYGEN, 1, 0, 5)->hit.kind =
            i < 2 ? WS_HIT_FRONT : 0;
    struct ws_ray *other = hand_ray(hand, HAND_RAYGEN);
    other->query = true;
    other->flags = WS_RAY_FLAG_NO_OPAQUE;
    hand_candidate(hand, WS_CANDIDATE_QUERY, IGNORED, HAND_RAYGEN, 1, 0, 5)->hit.kind = WS_HIT_FRONT;
    hand_thread(hand);
    advice = hand_only(hand);
    expect_saving(advice, WS_SAVES_CANDIDATES, 2, 3, WS_LIKELY);
    assert_non_null(strstr(advice->evidence, "met it as a candidate 2 times, and confirmed it every time"));
    hand_destroy(hand);
    /* The loop of that shader may do more. */
    hand = hand_create("opaque", NULL);
    hand_ray(hand, HAND_RAYGEN)->query = true;
    hand_candidate(hand, WS_CANDIDATE_QUERY, ACCEPTED, HAND_UNREADABLE, 1, 0, 5)->hit.kind = WS_HIT_FRONT;
    hand_thread(hand);
    assert_int_equal(hand_only(hand)->certainty, WS_POSSIBLE);
    hand_destroy(hand);
}

/* `ignored` rays of a site that meet instance 4 and ignore it, by that shader; then one that accepts, or not.
 */
static struct hand *culled(uint32_t ignored, enum hand_shader shader, bool accepts)
{
    struct hand *hand = hand_create("cull_mask", NULL);
    for (uint32_t i = 0; i < ignored; ++i) {
        hand_ray(hand, HAND_RAYGEN)->site = HAND_OTHER;
        hand_candidate(hand, WS_CANDIDATE_INTERSECTION, WS_CANDIDATE_OPEN, HAND_INTERSECTION, 4, 0, 0);
        any_hit(hand, shader, 4, 0, IGNORED);
        hand_candidate(hand, WS_CANDIDATE_REPORT, IGNORED, HAND_INTERSECTION, 4, 0, 5);
    }
    if (accepts) {
        hand_ray(hand, HAND_RAYGEN)->site = HAND_OTHER;
        any_hit(hand, shader, 4, 0, ACCEPTED);
    }
    /* Rays of another call hit it. */
    hand_ray(hand, HAND_RAYGEN);
    hand_hit(hand, HAND_SHADED_HIT, 4, 0, 5);
    hand_thread(hand);
    return hand;
}

static void cull_mask(void **state)
{
    (void)state;
    struct hand *hand = culled(64, HAND_CUTOUT_ANY_HIT, false);
    const struct ws_advice *advice = hand_only(hand);
    expect_saving(advice, WS_SAVES_ANY_HIT, 64, 64, WS_LIKELY);
    assert_non_null(strstr(advice->subject, "instance 4 (custom index 104)"));
    assert_non_null(strstr(advice->evidence, "after 64 runs of its intersection shader"));
    assert_non_null(strstr(advice->change, "now 0xff"));
    hand_destroy(hand);
    hand = culled(63, HAND_CUTOUT_ANY_HIT, false);
    assert_int_equal(hand_only(hand)->certainty, WS_POSSIBLE);
    hand_destroy(hand);
    /* One that can but ignore need not run so often. */
    hand = culled(1, HAND_HIDING_ANY_HIT, false);
    expect_saving(hand_only(hand), WS_SAVES_ANY_HIT, 1, 1, WS_LIKELY);
    hand_destroy(hand);
    hand_nothing(culled(64, HAND_CUTOUT_ANY_HIT, true));
    hand_nothing(culled(64, HAND_TALLY_ANY_HIT, false));
    hand_nothing(culled(64, HAND_UNREADABLE, false));
    hand_nothing(culled(0, HAND_CUTOUT_ANY_HIT, false));
    /* Implicit hits of who knows what. */
    hand = culled(64, HAND_CUTOUT_ANY_HIT, false);
    struct ws_ray *ray = hand_ray(hand, HAND_RAYGEN);
    ray->site = HAND_OTHER;
    ray->flags = WS_RAY_FLAG_SKIP_CLOSEST_HIT;
    hand_hit(hand, WS_NONE, 0, 0, 0);
    hand_thread(hand);
    assert_int_equal(hand_only(hand)->certainty, WS_POSSIBLE);
    hand_destroy(hand);
}

/* A shadow ray with these flags through three leaves: the first is ignored, two are accepted; then a box. */
static struct hand *through_leaves(uint32_t flags, uint32_t closest, enum hand_shader leaf)
{
    struct hand *hand = hand_create("shadow_flags", NULL);
    hand_ray(hand, HAND_RAYGEN)->flags = flags;
    any_hit(hand, leaf, 1, 0, IGNORED);
    any_hit(hand, leaf, 1, 0, ACCEPTED);
    any_hit(hand, leaf, 1, 0, ACCEPTED);
    hand_candidate(hand, WS_CANDIDATE_INTERSECTION, WS_CANDIDATE_OPEN, HAND_INTERSECTION, 2, 0, 0);
    hand_hit(hand, closest, 1, 0, 5);
    hand_ray(hand, HAND_RAYGEN)->flags = flags;
    hand_thread(hand);
    return hand;
}

static void first_hit(void **state)
{
    (void)state;
    const uint32_t skip = WS_RAY_FLAG_SKIP_CLOSEST_HIT;
    struct hand *hand = through_leaves(skip, WS_NONE, HAND_CUTOUT_ANY_HIT);
    expect_saving(hand_only(hand), WS_SAVES_ANY_HIT, 1, 3, WS_LIKELY);
    hand_destroy(hand);
    /* A shader that stores the same always need not run, whatever is done with it: 1100 slots, and 500. */
    hand = through_leaves(0, HAND_CONSTANT_HIT, HAND_CUTOUT_ANY_HIT);
    size_t count = 0;
    const struct ws_advice *advice = hand_advice(hand, &count);
    assert_int_equal(count, 2);
    expect_saving(&advice[0], WS_SAVES_CLOSEST_HIT, 1, 1, WS_LIKELY);
    assert_non_null(strstr(advice[0].change, "set the payload to what this shader stores"));
    expect_saving(&advice[1], WS_SAVES_ANY_HIT, 1, 3, WS_LIKELY);
    assert_true(advice[1].joined);
    hand_destroy(hand);
    hand_nothing(through_leaves(skip | WS_RAY_FLAG_TERMINATE_FIRST, WS_NONE, HAND_CUTOUT_ANY_HIT));
    hand_nothing(through_leaves(skip, WS_NONE, HAND_TALLY_ANY_HIT));
    hand_nothing(through_leaves(0, HAND_SHADED_HIT, HAND_CUTOUT_ANY_HIT));
    hand_nothing(through_leaves(0, WS_NONE, HAND_CUTOUT_ANY_HIT));
    /* Hits whose record has no shader leave the payload as it is; those that store a constant do not. */
    hand = through_leaves(0, HAND_CONSTANT_HIT, HAND_CUTOUT_ANY_HIT);
    hand_ray(hand, HAND_RAYGEN);
    hand_hit(hand, WS_NONE, 3, 0, 5);
    hand_thread(hand);
    hand_nothing(hand);
    /* So do shaders that do nothing. */
    hand = through_leaves(0, HAND_CONSTANT_HIT, HAND_CUTOUT_ANY_HIT);
    hand_ray(hand, HAND_RAYGEN);
    hand_hit(hand, HAND_EMPTY_HIT, 3, 0, 5);
    hand_thread(hand);
    hand_nothing(hand);
    /* What a hit object holds can be read without a shader, so the closest hit may be wanted. */
    hand = hand_create("shadow_flags", NULL);
    struct ws_ray *ray = hand_ray(hand, HAND_RAYGEN);
    ray->object = true;
    ray->flags = skip;
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 0, ACCEPTED);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 0, ACCEPTED);
    hand_hit(hand, WS_NONE, 1, 0, 5);
    hand_thread(hand);
    hand_nothing(hand);
    /* Nothing is hit. */
    hand = hand_create("shadow_flags", NULL);
    hand_ray(hand, HAND_RAYGEN)->flags = skip;
    hand_thread(hand);
    hand_nothing(hand);
}

/* Only intersection runs come after the first accepted candidate. */
static void first_hit_saves_intersections(void **state)
{
    (void)state;
    struct hand *hand = hand_create("shadow_flags", NULL);
    hand_ray(hand, HAND_RAYGEN)->flags = WS_RAY_FLAG_SKIP_CLOSEST_HIT;
    for (int i = 0; i < 3; ++i) {
        hand_candidate(hand, WS_CANDIDATE_INTERSECTION, WS_CANDIDATE_OPEN, HAND_INTERSECTION, 2, 0, 0);
        hand_candidate(hand, WS_CANDIDATE_REPORT, ACCEPTED, HAND_INTERSECTION, 2, 0, 9.0f - (float)i);
    }
    hand_hit(hand, WS_NONE, 2, 0, 7);
    hand_thread(hand);
    expect_saving(hand_only(hand), WS_SAVES_INTERSECTION, 2, 3, WS_LIKELY);
    hand_destroy(hand);
}

/* A closest hit shader that is empty: two pieces of advice, to skip it and to end at the first hit. */
static void empty_closest_hit(void **state)
{
    (void)state;
    size_t count = 0;
    struct hand *hand = through_leaves(0, HAND_EMPTY_HIT, HAND_CUTOUT_ANY_HIT);
    const struct ws_advice *advice = hand_advice(hand, &count);
    assert_int_equal(count, 2);
    expect_saving(&advice[0], WS_SAVES_ANY_HIT, 1, 3, WS_LIKELY);
    expect_saving(&advice[1], WS_SAVES_CLOSEST_HIT, 1, 1, WS_LIKELY);
    hand_destroy(hand);
}

/* What the closest hit shader stores is only compared with a constant. */
static void asking(void **state)
{
    (void)state;
    struct hand *hand = hand_create("shadow_flags", NULL);
    for (int i = 0; i < 2; ++i) {
        hand_ray(hand, HAND_RAYGEN)->site = HAND_ASKS;
        hand_hit(hand, HAND_SHADED_HIT, 1, 0, 5);
        hand_ray(hand, HAND_RAYGEN)->site = HAND_KEEPS;
        hand_hit(hand, HAND_SHADED_HIT, 1, 0, 5);
    }
    hand_thread(hand);
    const struct ws_advice *advice = hand_only(hand);
    expect_saving(advice, WS_SAVES_CLOSEST_HIT, 2, 4, WS_POSSIBLE);
    assert_non_null(strstr(advice->change, "gl_RayFlagsTerminateOnFirstHitEXT |"));
    hand_destroy(hand);
    /* All hits answer alike: one to skip the shader, one to end at the first hit. */
    size_t count = 0;
    hand = hand_create("shadow_flags", NULL);
    hand_ray(hand, HAND_RAYGEN)->site = HAND_ASKS;
    hand_hit(hand, HAND_CONSTANT_HIT, 1, 0, 5);
    hand_thread(hand);
    advice = hand_advice(hand, &count);
    assert_int_equal(count, 2);
    expect_saving(&advice[0], WS_SAVES_CLOSEST_HIT, 1, 1, WS_LIKELY);
    expect_saving(&advice[1], WS_SAVES_NOTHING, 0, 0, WS_LIKELY);
    hand_destroy(hand);
}

/* An intersection shader that counts its runs would count fewer. */
static void first_hit_heeds_intersection_shaders(void **state)
{
    (void)state;
    struct hand *hand = hand_create("shadow_flags", NULL);
    hand_ray(hand, HAND_RAYGEN)->flags = WS_RAY_FLAG_SKIP_CLOSEST_HIT;
    hand_candidate(hand, WS_CANDIDATE_INTERSECTION, WS_CANDIDATE_OPEN, HAND_TALLY_ANY_HIT, 2, 0, 0);
    hand_hit(hand, WS_NONE, 2, 0, 7);
    hand_thread(hand);
    hand_nothing(hand);
}

static void empty_shaders(void **state)
{
    (void)state;
    size_t count = 0;
    struct hand *hand = hand_create("empty_shaders", NULL);
    for (int i = 0; i < 3; ++i)
        hand_ray(hand, HAND_RAYGEN)->first_hit_shader = HAND_EMPTY_MISS;
    hand_ray(hand, HAND_RAYGEN);
    any_hit(hand, HAND_CLEAN_ANY_HIT, 1, 0, ACCEPTED);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 2, 0, ACCEPTED);
    hand_hit(hand, HAND_CONSTANT_HIT, 1, 0, 5);
    hand_ray(hand, HAND_RAYGEN);
    any_hit(hand, HAND_UNREADABLE, 2, 0, ACCEPTED);
    hand_hit(hand, HAND_EMPTY_HIT, 1, 0, 5);
    hand_ray(hand, HAND_RAYGEN);
    hand_thread(hand);
    hand_launch(hand);
    /* The same shaders in another launch. */
    hand_ray(hand, HAND_RAYGEN)->first_hit_shader = HAND_EMPTY_MISS;
    hand_thread(hand);
    const struct ws_advice *advice = hand_advice(hand, &count);
    assert_int_equal(count, 3);
    expect_saving(&advice[0], WS_SAVES_MISS, 4, 5, WS_CERTAIN);
    assert_string_equal(advice[0].subject, "7:main");
    expect_saving(&advice[1], WS_SAVES_ANY_HIT, 1, 3, WS_CERTAIN);
    expect_saving(&advice[2], WS_SAVES_CLOSEST_HIT, 1, 2, WS_CERTAIN);
    hand_destroy(hand);
}

/* Without geometry: empty intervals, no direction, no numbers. tmax may be infinite. */
static void rays_without_length(void **state)
{
    (void)state;
    struct hand *hand = hand_create("short_rays", NULL);
    hand_ray(hand, HAND_RAYGEN)->tmax = 0;
    hand_ray(hand, HAND_RAYGEN)->tmin = 100;
    hand_ray(hand, HAND_RAYGEN)->direction[2] = 0;
    hand_ray(hand, HAND_RAYGEN)->origin[1] = NAN;
    hand_ray(hand, HAND_RAYGEN)->tmax = NAN;
    hand_ray(hand, HAND_RAYGEN)->tmax = INFINITY;
    hand_ray(hand, HAND_RAYGEN)->tmax = 1e-30f;
    hand_ray(hand, HAND_RAYGEN);
    hand_thread(hand);
    const struct ws_advice *advice = hand_only(hand);
    expect_saving(advice, WS_SAVES_RAYS, 5, 8, WS_CERTAIN);
    assert_non_null(strstr(advice->evidence,
                           "Of 8 rays 2 have an empty interval (tmax <= tmin), 1 a direction "
                           "of length 0, and 2 numbers"));
    assert_false(advice->has_place);
    hand_destroy(hand);
    /* What hits is no such ray, whatever its numbers. */
    hand = hand_create("short_rays", NULL);
    hand_ray(hand, HAND_RAYGEN)->tmax = 0;
    hand_hit(hand, HAND_SHADED_HIT, 1, 0, 0);
    hand_thread(hand);
    hand_nothing(hand);
    hand = hand_create("short_rays", NULL);
    hand_ray(hand, HAND_RAYGEN)->tmax = 1e-30f;
    hand_thread(hand);
    hand_nothing(hand);
}

/* `threads` of one ray and one any-hit run each, and one with `rays` rays. */
static struct hand *uneven(uint32_t threads, uint32_t rays)
{
    struct hand *hand = hand_create("heavy_threads", NULL);
    for (uint32_t i = 0; i < threads; ++i) {
        hand_ray(hand, HAND_RAYGEN);
        any_hit(hand, HAND_CLEAN_ANY_HIT, 1, 0, ACCEPTED);
        hand_thread(hand);
    }
    for (uint32_t i = 0; i < rays; ++i)
        hand_ray(hand, HAND_RAYGEN);
    hand_thread(hand);
    return hand;
}

static void heavy_threads(void **state)
{
    (void)state;
    /* The median is 2: heavy are 18 and more. 18 of 80 = 22.5 %. */
    struct hand *hand = uneven(31, 18);
    const struct ws_advice *advice = hand_only(hand);
    expect_saving(advice, WS_SAVES_NOTHING, 0, 0, WS_POSSIBLE);
    assert_int_equal(advice->thread[0], 31);
    assert_non_null(strstr(advice->evidence, "1 of 32 threads do 22.5 % of the work"));
    assert_non_null(strstr(advice->evidence, "no more than 2. The heaviest: thread 31,0,0 of launch 0 (18 "
                                             "rays, 0 any-hit"));
    assert_non_null(strstr(advice->change, "report FILE ray_events --thread 31,0,0 --launch 0)"));
    hand_destroy(hand);
    hand_nothing(uneven(31, 17));
    hand_nothing(uneven(30, 18)); /* too few threads */
    /* 20 of 200 are a tenth; 20 of 202 are less. */
    hand = uneven(90, 20);
    hand_only(hand);
    hand_destroy(hand);
    hand_nothing(uneven(91, 20));
}

/* Four warps whose threads trace once, and one of which a thread goes on to `rays`. */
static struct hand *one_goes_on(uint32_t rays)
{
    struct hand *hand = hand_create("idle_lanes", NULL);
    for (uint32_t i = 0; i < 40; ++i) {
        for (uint32_t r = 0; r < (i == 35 ? rays : 1); ++r)
            hand_ray(hand, HAND_RAYGEN);
        hand_thread(hand);
    }
    return hand;
}

static void idle_lanes(void **state)
{
    (void)state;
    /* The warp traces 7 + 9 rays in 9 calls of 8 lanes, for which 2 would do: 7 of 4 + 9 calls are waste. All
     * warps: 48 rays in 104 lanes, more than twice 16 in 72. */
    struct hand *hand = one_goes_on(9);
    const struct ws_advice *advice = hand_only(hand);
    expect_saving(advice, WS_SAVES_NOTHING, 0, 0, WS_POSSIBLE);
    assert_non_null(strstr(advice->evidence, "1 warp calls it 9 times with 1.8 rays each"));
    assert_non_null(strstr(advice->evidence, "7 of 13 calls by warps (53.8 %)"));
    assert_non_null(strstr(advice->evidence, "warp 4 of launch 0 calls 9 times for 16 rays of 8 lanes"));
    assert_int_equal(advice->thread[0], 35);
    hand_destroy(hand);
    hand_nothing(one_goes_on(3)); /* too few calls */
    hand_nothing(one_goes_on(1));
    /* 11 rays in 4 calls are 0.34 of its lanes, and of all 43 of 64 = 0.67: not less than half. */
    hand_nothing(one_goes_on(4));
}

/* The order of advice, and what a part of a capture lowers. */
static void order_and_parts(void **state)
{
    (void)state;
    size_t count = 0;
    struct hand *hand = hand_create(NULL, NULL);
    hand_partial(hand, "records are missing");
    for (int i = 0; i < 3; ++i) {
        hand_ray(hand, HAND_RAYGEN);
        any_hit(hand, HAND_CLEAN_ANY_HIT, 1, 0, ACCEPTED);
        any_hit(hand, HAND_TALLY_ANY_HIT, 2, 0, ACCEPTED);
    }
    hand_ray(hand, HAND_RAYGEN)->tmax = 0;
    hand_thread(hand);
    const struct ws_advice *advice = hand_advice(hand, &count);
    assert_int_equal(count, 4);
    /* Of 4 rays with 6 any-hit and 4 miss runs each costs (4 * 500 + 6 * 500 + 4 * 125) / 4 = 1375; runs that do
     * nothing 100 each. */
    assert_string_equal(advice[0].rule->name, "short_rays");
    assert_int_equal(advice[0].saving, 1);
    assert_true(advice[0].share == 1375.0 / 5500);
    assert_string_equal(advice[1].rule->name, "empty_shaders");
    assert_int_equal(advice[1].certainty, WS_LIKELY);
    assert_string_equal(advice[1].doubt, "records are missing");
    assert_true(advice[1].share == 300.0 / 5500);
    assert_string_equal(advice[2].rule->name, "opaque");
    assert_true(advice[2].joined && advice[2].number == 2);
    assert_non_null(strstr(advice[2].doubt, "records are missing; what else shares"));
    assert_string_equal(advice[3].rule->name, "opaque");
    assert_true(advice[3].at_most && advice[3].share == 1500.0 / 5500);
    assert_int_equal(advice[3].certainty, WS_POSSIBLE);
    hand_destroy(hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opaque_counts_what_heeds_the_flag),
        cmocka_unit_test(the_example_is_the_worst),
        cmocka_unit_test(opaque_heeds_effects),
        cmocka_unit_test(opaque_says_nothing),
        cmocka_unit_test(opaque_heeds_culling),
        cmocka_unit_test(opaque_heeds_queries),
        cmocka_unit_test(cull_mask),
        cmocka_unit_test(first_hit),
        cmocka_unit_test(first_hit_saves_intersections),
        cmocka_unit_test(first_hit_heeds_intersection_shaders),
        cmocka_unit_test(empty_closest_hit),
        cmocka_unit_test(asking),
        cmocka_unit_test(empty_shaders),
        cmocka_unit_test(rays_without_length),
        cmocka_unit_test(heavy_threads),
        cmocka_unit_test(idle_lanes),
        cmocka_unit_test(order_and_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
