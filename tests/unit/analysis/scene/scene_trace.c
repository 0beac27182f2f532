/* Rays through geometry made by hand: what they meet, where, and what is left out. */
#include "tests/unit/analysis/scene/scene_hand.h"

#include <math.h>

#include "analysis/scene/scene_trace.h"

enum { MESH, BOXES, TOP };

/* z = 0, counterclockwise seen from +z: that is its front. Then the same at z = -1, and one that is inactive.
 */
static const float triangles[27] = {0,  0, 0, 4,  0,   0, 0, 4, 0, 0, 0, -1, 4, 0,
                                    -1, 0, 4, -1, NAN, 0, 0, 4, 0, 0, 0, 4,  0};
static const float boxes[12] = {-1, -1, -1, 1, 1, 1, 2, 2, 2, 1, 1, 1}; /* the second is none */

/* Instances: 0 the mesh as it is, 1 the mesh at x = 10 with `flags`, mask 2, 2 the boxes at x = 20, 3 of
 * nothing, 4 the mesh, flat, 5 the mesh as small as Embree's transforms bear, 6 smaller. */
static struct ws_scene *make_scene(uint32_t flags, uint32_t geometry_flags)
{
    struct scene_file file;
    uint32_t references[7];
    const struct hand_instance instances[] = {
        {HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0x1000, MESH},
        {HAND_AT(10, 0, 0), 0, 2, 0, flags, 0x1000, MESH},
        {HAND_AT(20, 0, 0), 0, 0xff, 0, 0, 0x2000, BOXES},
        {HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0x9000, WS_NONE},
        {{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, 0, 0xff, 0, 0, 0x1000, MESH},
        {{1e-8f, 0, 0, 0, 0, 1e-8f, 0, 0, 0, 0, 1e-8f, 0}, 0, 4, 0, 0, 0x1000, MESH},
        {{1e-12f, 0, 0, 0, 0, 1e-12f, 0, 0, 0, 0, 1e-12f, 0}, 0, 0xff, 0, 0, 0x1000, MESH},
    };
    scene_begin(&file);
    hand_structure(&file, BOTTOM_LEVEL, "mesh");
    hand_structure(&file, BOTTOM_LEVEL, "boxes");
    hand_structure(&file, TOP_LEVEL, "top");
    struct ws_build_geometry mesh = hand_triangles(&file, triangles, 9);
    mesh.flags = geometry_flags;
    const struct ws_build_geometry box = hand_aabbs(&file, boxes, 2);
    const struct ws_build_geometry top = hand_instances(&file, instances, 7, references);
    hand_build(&file, MESH, 0, &mesh, 1);
    hand_build(&file, BOXES, 0, &box, 1);
    hand_build(&file, TOP, 0, &top, 1);
    return scene_end(&file);
}

struct rig {
    struct ws_scene *scene;
    struct ws_scene_trace *trace;
};

static struct rig begin(uint32_t flags, uint32_t geometry_flags)
{
    struct rig rig = {.scene = make_scene(flags, geometry_flags)};
    rig.trace = ws_scene_trace_create(rig.scene);
    assert_non_null(rig.trace);
    assert_true(ws_scene_trace_use(rig.trace, ws_scene_build_at(rig.scene, TOP, 0)));
    return rig;
}

static void end(struct rig *rig)
{
    ws_scene_trace_destroy(rig->trace);
    ws_scene_destroy(rig->scene);
}

/* From (x, 1, 10) down, a direction of length 2. */
static struct ws_ray down(float x)
{
    return (struct ws_ray){.origin = {x, 1, 10}, .direction = {0, 0, -2}, .tmax = 100, .cull_mask = 0xff};
}

static void expect_hit(struct rig *rig, const struct ws_ray *ray, float t, uint32_t instance,
                       uint32_t primitive, bool back)
{
    struct ws_trace_hit hit;
    assert_true(ws_scene_trace_closest(rig->trace, ray, &hit));
    assert_true(fabsf(hit.t - t) < 1e-5f);
    assert_int_equal(hit.instance, instance);
    assert_int_equal(hit.geometry, 0);
    assert_int_equal(hit.primitive, primitive);
    assert_int_equal(hit.back, back);
    assert_true(ws_scene_trace_is_occluded(rig->trace, ray));
}

static void expect_none(struct rig *rig, const struct ws_ray *ray)
{
    struct ws_trace_hit hit;
    assert_false(ws_scene_trace_closest(rig->trace, ray, &hit));
    assert_false(ws_scene_trace_is_occluded(rig->trace, ray));
}

static void rays_meet_the_closest(void **state)
{
    (void)state;
    struct rig rig = begin(0, 0);
    struct ws_ray ray = down(1);
    struct ws_trace_hit hit;
    expect_hit(&rig, &ray, 5, 0, 0, false);
    assert_true(ws_scene_trace_closest(rig.trace, &ray, &hit));
    assert_true(fabsf(hit.barycentrics[0] - 0.25f) < 1e-6f && fabsf(hit.barycentrics[1] - 0.25f) < 1e-6f);
    assert_true(fabsf(hit.facing + 1) < 1e-6f);
    ray.tmin = 5.25f;
    expect_hit(&rig, &ray, 5.5f, 0, 1, false);
    ray.tmax = 5.4f;
    expect_none(&rig, &ray);
    ray = down(11);
    expect_hit(&rig, &ray, 5, 1, 0, false);
    ray = down(20);
    expect_none(&rig, &ray);
    ray = down(-1);
    expect_none(&rig, &ray);
    /* From below: the back of the lower one. */
    ray = down(1);
    ray.origin[2] = -10;
    ray.direction[2] = 1;
    expect_hit(&rig, &ray, 9, 0, 1, true);
    end(&rig);
}

static void rays_are_culled(void **state)
{
    (void)state;
    struct rig rig = begin(0, 0);
    struct ws_ray ray = down(11);
    ray.cull_mask = 0xfd;
    expect_none(&rig, &ray);
    ray.cull_mask = 0xff;
    ray.flags = WS_RAY_FLAG_CULL_BACK;
    expect_hit(&rig, &ray, 5, 1, 0, false);
    ray.flags = WS_RAY_FLAG_CULL_FRONT;
    expect_none(&rig, &ray);
    ray.flags = WS_RAY_FLAG_CULL_OPAQUE;
    expect_hit(&rig, &ray, 5, 1, 0, false);
    ray.flags = WS_RAY_FLAG_CULL_NO_OPAQUE;
    expect_none(&rig, &ray);
    ray.flags = WS_RAY_FLAG_OPAQUE | WS_RAY_FLAG_CULL_NO_OPAQUE;
    expect_hit(&rig, &ray, 5, 1, 0, false);
    ray.flags = WS_RAY_FLAG_SKIP_TRIANGLES;
    expect_none(&rig, &ray);
    end(&rig);
    rig = begin(2, 1); /* flipped; opaque */
    ray.flags = WS_RAY_FLAG_CULL_FRONT;
    expect_hit(&rig, &ray, 5, 1, 0, true);
    ray.flags = WS_RAY_FLAG_CULL_BACK;
    expect_none(&rig, &ray);
    ray.flags = WS_RAY_FLAG_CULL_OPAQUE;
    expect_none(&rig, &ray);
    end(&rig);
    rig = begin(1 | 8, 1); /* not culled by facing; not opaque */
    ray.flags = WS_RAY_FLAG_CULL_FRONT | WS_RAY_FLAG_CULL_OPAQUE;
    expect_hit(&rig, &ray, 5, 1, 0, false);
    end(&rig);
    rig = begin(4, 0); /* opaque */
    ray.flags = WS_RAY_FLAG_CULL_OPAQUE;
    expect_none(&rig, &ray);
    end(&rig);
}

struct seen {
    uint32_t count;
    uint32_t boxes;
    uint32_t primitives; /* a bit each */
    float t;
    float t_exit;
    enum ws_trace_answer answer;
};

static enum ws_trace_answer look(void *user, const struct ws_trace_hit *hit)
{
    struct seen *seen = user;
    seen->count++;
    seen->boxes += hit->box;
    seen->primitives |= 1u << hit->primitive;
    seen->t = hit->t;
    seen->t_exit = hit->t_exit;
    return seen->answer;
}

static void all_candidates_are_shown(void **state)
{
    (void)state;
    struct rig rig = begin(0, 0);
    struct ws_ray ray = down(1);
    struct seen seen = {.answer = WS_TRACE_IGNORE};
    ws_scene_trace_visit(rig.trace, &ray, look, &seen);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.primitives, 3);
    seen = (struct seen){.answer = WS_TRACE_STOP};
    ws_scene_trace_visit(rig.trace, &ray, look, &seen);
    assert_int_equal(seen.count, 1);
    /* The box from z = 1 to -1: half the distances, as the direction is 2 long. */
    ray = down(20.5f);
    seen = (struct seen){.answer = WS_TRACE_IGNORE};
    ws_scene_trace_visit(rig.trace, &ray, look, &seen);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.boxes, 1);
    assert_true(fabsf(seen.t - 4.5f) < 1e-6f && fabsf(seen.t_exit - 5.5f) < 1e-6f);
    ray.tmin = 5; /* starts in it */
    ws_scene_trace_visit(rig.trace, &ray, look, &seen);
    assert_true(seen.t == 5 && seen.count == 2);
    ray.flags = WS_RAY_FLAG_SKIP_AABBS;
    ws_scene_trace_visit(rig.trace, &ray, look, &seen);
    assert_int_equal(seen.count, 2);
    end(&rig);
}

static void what_is_wrong_is_left_out(void **state)
{
    (void)state;
    struct rig rig = begin(0, 0);
    struct ws_ray ray = down(1);
    /* Instances 3, 4 and 6; the inactive triangle, the box whose corners are exchanged. */
    struct ws_trace_left_out left_out = ws_scene_trace_left_out(rig.trace);
    assert_int_equal(left_out.instances, 3);
    assert_int_equal(left_out.primitives, 2);
    ray.origin[0] = NAN;
    expect_none(&rig, &ray);
    ray = down(1);
    ray.direction[2] = 0;
    expect_none(&rig, &ray);
    ray = down(1);
    ray.tmin = 200;
    expect_none(&rig, &ray);
    ray.tmin = -5;
    ray.tmax = INFINITY;
    expect_hit(&rig, &ray, 5, 0, 0, false);
    /* A ray that is not finite in the space of instance 5 (1e12 / 1e-8), which Embree asserts. */
    ray = down(1);
    memset(ray.origin, 0, sizeof(ray.origin));
    ray.origin[2] = 1e12f;
    ray.cull_mask = 4;
    expect_none(&rig, &ray);
    ray = down(1);
    ray.tmin = -5;
    ray.tmax = INFINITY;
    /* No top-level build, and none at all. */
    assert_true(ws_scene_trace_use(rig.trace, ws_scene_build_at(rig.scene, MESH, 0)));
    expect_none(&rig, &ray);
    assert_true(ws_scene_trace_use(rig.trace, WS_NONE));
    expect_none(&rig, &ray);
    assert_true(ws_scene_trace_use(rig.trace, ws_scene_build_at(rig.scene, TOP, 0)));
    expect_hit(&rig, &ray, 5, 0, 0, false);
    end(&rig);
    ws_scene_trace_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_the_closest),
        cmocka_unit_test(rays_are_culled),
        cmocka_unit_test(all_candidates_are_shown),
        cmocka_unit_test(what_is_wrong_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
