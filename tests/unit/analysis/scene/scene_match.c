/* Which top-level structure rays flew through, by hits that are true in one and not in another. */
#include "tests/unit/analysis/scene/scene_hand.h"

#include <math.h>

#include "analysis/scene/scene_match.h"

/* In the plane z = 0. */
static const float triangle[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
static const float box[6] = {-1, -1, -1, 1, 1, 1};

enum { MESH = 0, BOXES = 1, FIRST_TOP = 2 };

/* A triangle and a box, each a structure. */
static void begin(struct scene_file *file)
{
    scene_begin(file);
    hand_structure(file, BOTTOM_LEVEL, "mesh");
    hand_structure(file, BOTTOM_LEVEL, "boxes");
    const struct ws_build_geometry mesh = hand_triangles(file, triangle, 3);
    const struct ws_build_geometry boxes = hand_aabbs(file, box, 1);
    hand_build(file, MESH, 0, &mesh, 1);
    hand_build(file, BOXES, 0, &boxes, 1);
}

/* A top level whose two instances, the mesh and the box, stand at z, the box 100 beside. Its index in
 * structures. */
static uint32_t add_top(struct scene_file *file, float z, uint32_t custom_index)
{
    uint32_t references[2];
    const struct hand_instance instances[] = {{HAND_AT(0, 0, z), custom_index, 0xff, 0, 0, 0x1000, MESH},
                                              {HAND_AT(100, 0, z), custom_index, 0xff, 0, 0, 0x2000, BOXES}};
    const uint32_t top = hand_structure(file, TOP_LEVEL, "top");
    const struct ws_build_geometry geometry = hand_instances(file, instances, 2, references);
    hand_build(file, top, 0, &geometry, 1);
    return top;
}

/* Down from z = 10 at (x, 1) to z, a direction of length 2. */
static struct ws_ray make_ray(float x, float z, uint32_t instance, uint32_t site)
{
    return (struct ws_ray){.origin = {x, 1, 10},
                           .direction = {0, 0, -2},
                           .site = site,
                           .end = WS_RAY_HIT,
                           .has_hit = true,
                           .hit = {.t = (10 - z) / 2, .instance = instance, .custom_index = 5}};
}

static struct ws_scene_match match_site(struct ws_scene_matcher *matcher, uint32_t site)
{
    const struct ws_scene_call call = {.site = site};
    struct ws_scene_match match;
    assert_true(ws_scene_matcher_find(matcher, &call, &match));
    return match;
}

static void add(struct ws_scene_matcher *matcher, const struct ws_ray *ray, int times)
{
    for (int i = 0; i < times; ++i)
        assert_true(ws_scene_matcher_add(matcher, ray));
}

static void hits_are_true_or_not(void **state)
{
    (void)state;
    struct scene_file file;
    begin(&file);
    add_top(&file, 0, 5);
    struct ws_scene *scene = scene_end(&file);
    const uint32_t build = ws_scene_build_at(scene, FIRST_TOP, 0);
    struct ws_ray ray = make_ray(1, 0, 0, 0);
    assert_true(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    /* t * length is 10, the origin 10.1 away, the instance 5.7 large: within 0.0101. */
    ray.hit.t = 5.005f;
    assert_true(ws_scene_hit_is_true(scene, build, &ray, &ray.hit)); /* 0.01 behind it */
    ray.hit.t = 5.006f;
    assert_false(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    ray = make_ray(1, 0, 0, 0);
    ray.hit.custom_index = 6;
    assert_false(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    ray = make_ray(1, 0, 2, 0);
    assert_false(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    ray = make_ray(1, 0, 0, 0);
    ray.hit.primitive = 1;
    assert_false(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    ray = make_ray(1, 0, 0, 0);
    ray.hit.geometry = 1;
    assert_false(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    /* Beside the triangle: over its edge x + y = 4, at a distance of 0.007 and of 0.07. */
    ray = make_ray(3.01f, 0, 0, 0);
    assert_true(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    ray = make_ray(3.1f, 0, 0, 0);
    assert_false(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    ray = make_ray(NAN, 0, 0, 0);
    assert_false(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    ray = make_ray(1, 0, 0, 0);
    ray.hit.t = INFINITY;
    assert_false(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    /* In the box, anywhere; and above it. */
    for (int i = -1; i <= 1; ++i) {
        ray = make_ray(100, (float)i, 1, 0);
        assert_true(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    }
    ray = make_ray(100, 1.5f, 1, 0);
    assert_false(ws_scene_hit_is_true(scene, build, &ray, &ray.hit));
    ws_scene_destroy(scene);
}

static void one_structure_is_it(void **state)
{
    (void)state;
    struct scene_file file;
    begin(&file);
    const uint32_t top = add_top(&file, 0, 5);
    struct ws_scene *scene = scene_end(&file);
    struct ws_scene_matcher *matcher = ws_scene_matcher_create(scene, 0, 0);
    struct ws_scene_match match;
    const struct ws_ray good = make_ray(1, 0, 0, 1), bad = make_ray(1, 3, 0, 1), worse = make_ray(1, 3, 0, 2);
    struct ws_ray none = make_ray(1, 0, 0, 3);
    none.has_hit = false;
    assert_non_null(matcher);
    add(matcher, &good, 2);
    add(matcher, &bad, 2);
    add(matcher, &worse, 1);
    add(matcher, &none, 1);
    match = match_site(matcher, 1);
    assert_int_equal(match.structure, top);
    assert_int_equal(match.build, 2);
    assert_true(match.hits == 4 && match.true_hits == 2 && !match.ambiguous);
    add(matcher, &bad, 1); /* less than half is true now */
    assert_int_equal(match_site(matcher, 1).structure, WS_NONE);
    assert_int_equal(match_site(matcher, 2).structure, WS_NONE);
    assert_int_equal(match_site(matcher, 3).structure, top);
    assert_false(ws_scene_matcher_find(matcher, &(struct ws_scene_call){.site = 4}, &match));
    assert_false(ws_scene_matcher_find(matcher, &(struct ws_scene_call){.shader = 1, .site = 1}, &match));
    ws_scene_matcher_destroy(matcher);
    /* Before it was built, and on another device, there is none. */
    matcher = ws_scene_matcher_create(scene, 1, 0);
    add(matcher, &good, 1);
    assert_int_equal(match_site(matcher, 1).structure, WS_NONE);
    ws_scene_matcher_destroy(matcher);
    ws_scene_matcher_destroy(NULL);
    ws_scene_destroy(scene);
}

static void hits_choose_between_two(void **state)
{
    (void)state;
    struct scene_file file;
    begin(&file);
    const uint32_t low = add_top(&file, 0, 5);
    const uint32_t high = add_top(&file, 3, 5);
    struct ws_scene *scene = scene_end(&file);
    struct ws_scene_matcher *matcher = ws_scene_matcher_create(scene, 0, 0);
    const struct ws_ray in_low = make_ray(1, 0, 0, 1), in_high = make_ray(100, 3, 1, 2);
    const struct ws_ray nowhere = make_ray(1, 7, 0, 3);
    struct ws_ray none = make_ray(1, 0, 0, 4);
    none.has_hit = false;
    add(matcher, &in_low, 99);
    add(matcher, &none, 1);
    /* Only one site has hits: they say nothing of the one without. */
    assert_int_equal(match_site(matcher, 4).structure, WS_NONE);
    assert_true(match_site(matcher, 4).hits == 0 && !match_site(matcher, 4).ambiguous);
    add(matcher, &in_high, 1);
    add(matcher, &nowhere, 1);
    assert_int_equal(match_site(matcher, 1).structure, low);
    assert_int_equal(match_site(matcher, 2).structure, high);
    assert_int_equal(match_site(matcher, 2).build, 3);
    assert_int_equal(match_site(matcher, 3).structure, WS_NONE);
    assert_int_equal(match_site(matcher, 4).structure, WS_NONE);
    struct ws_ray other = make_ray(1, 3, 0, 1);
    add(matcher, &other, 1); /* 99 of 100 */
    assert_int_equal(match_site(matcher, 1).structure, low);
    assert_true(match_site(matcher, 1).true_hits == 99 && !match_site(matcher, 1).ambiguous);
    add(matcher, &other, 1); /* 99 of 101 */
    assert_int_equal(match_site(matcher, 1).structure, WS_NONE);
    ws_scene_matcher_destroy(matcher);
    ws_scene_destroy(scene);
}

/* A hit that is true in both is no evidence; two of equal content are one. */
static void two_that_fit(void **state)
{
    (void)state;
    for (int equal = 0; equal < 2; ++equal) {
        struct scene_file file;
        begin(&file);
        const uint32_t first = add_top(&file, 0, 5);
        const uint32_t second = hand_structure(&file, TOP_LEVEL, "second");
        uint32_t references[2];
        const struct hand_instance instances[] = {
            {HAND_AT(0, 0, 0), 5, 0xff, 0, 0, 0x1000, MESH},
            {HAND_AT(100, 0, equal ? 0 : 50), 5, 0xff, 0, 0, 0x2000, BOXES}};
        struct ws_build_geometry geometry = hand_instances(&file, instances, 2, references);
        if (equal)
            geometry.data -= 1; /* the layer writes equal bytes once */
        hand_build(&file, second, 0, &geometry, 1);
        struct ws_scene *scene = scene_end(&file);
        struct ws_scene_matcher *matcher = ws_scene_matcher_create(scene, 0, 0);
        const struct ws_ray ray = make_ray(1, 0, 0, 1);
        add(matcher, &ray, 3);
        const struct ws_scene_match match = match_site(matcher, 1);
        assert_int_equal(match.structure, first);
        assert_true(match.hits == 3 && match.true_hits == 3);
        assert_int_equal(match.ambiguous, !equal);
        ws_scene_matcher_destroy(matcher);
        ws_scene_destroy(scene);
    }
}

/* Two structures whose hits are true in each. What is said of a ray decides, also against its hits, and per ray; rays of the
 * same call of which nothing is said are told by their hits. A structure without a build, one that is not there, and a bottom
 * level are none. */
static void what_is_said_decides(void **state)
{
    (void)state;
    struct scene_file file;
    begin(&file);
    const uint32_t first = add_top(&file, 0, 5);
    const uint32_t second = add_top(&file, 3, 5);
    const uint32_t empty = hand_structure(&file, TOP_LEVEL, "empty");
    struct ws_scene *scene = scene_end(&file);
    struct ws_scene_matcher *matcher = ws_scene_matcher_create(scene, 0, 0);
    struct ws_ray ray = make_ray(1, 0, 0, 1);
    struct ws_scene_match match;
    assert_non_null(matcher);
    static const uint32_t sources[2] = {WS_STRUCTURE_BY_DESCRIPTOR, WS_STRUCTURE_BY_ADDRESS};
    const uint32_t ids[2] = {first, second}; /* of these hands, id and index are the same */
    for (int i = 0; i < 2; ++i) {
        ray.structure = (struct ws_ray_structure){sources[i], ids[i]};
        add(matcher, &ray, 3);
        const struct ws_scene_call call = ws_scene_call_of(&ray);
        assert_true(ws_scene_matcher_find(matcher, &call, &match));
        assert_int_equal(match.structure, ids[i]);
        assert_int_equal(match.build, ws_scene_build_at(scene, ids[i], 0));
        assert_int_equal(match.source, sources[i]);
        assert_true(match.hits == 0 && !match.ambiguous && match.size > 0);
    }
    const uint32_t none[] = {empty, empty + 1, MESH}; /* the last is a bottom level */
    for (uint32_t i = 0; i < 3; ++i) {
        const struct ws_scene_call call = {.site = 1, .structure = {WS_STRUCTURE_BY_ADDRESS, none[i]}};
        assert_true(ws_scene_matcher_find(matcher, &call, &match));
        assert_int_equal(match.structure, WS_NONE);
        assert_int_equal(match.build, WS_NONE);
    }
    assert_false(ws_scene_matcher_find(matcher, &(struct ws_scene_call){.site = 1}, &match));
    ray.structure = (struct ws_ray_structure){WS_STRUCTURE_UNSAID, 0};
    add(matcher, &ray, 1);
    match = match_site(matcher, 1);
    assert_int_equal(match.structure, first);
    assert_int_equal(match.source, WS_STRUCTURE_UNSAID);
    ws_scene_matcher_destroy(matcher);
    ws_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_are_true_or_not), cmocka_unit_test(what_is_said_decides),
        cmocka_unit_test(one_structure_is_it),  cmocka_unit_test(hits_choose_between_two),
        cmocka_unit_test(two_that_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
