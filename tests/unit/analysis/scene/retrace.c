/* Rays held against geometry made by hand: when they agree, when rounding decides, when they differ. */
#include "tests/unit/analysis/scene/scene_hand.h"

#include <math.h>

#include "analysis/scene/retrace.h"

enum { MESH, BOXES, TOP };

/* z = 0; the same once more; z = -1, twice as large; beside the first, along x + y = 4. */
static const float triangles[36] = {0, 0, 0,  4, 0, 0,  0, 4, 0,  0, 0, 0, 4, 0, 0, 0, 4, 0,
                                    0, 0, -1, 8, 0, -1, 0, 8, -1, 4, 0, 0, 4, 4, 0, 0, 4, 0};
static const float box[6] = {-1, -1, -1, 1, 1, 1};

struct rig {
    struct ws_scene *scene;
    struct ws_scene_trace *trace;
    uint32_t build;
};

/* Instance 0 is the mesh, 1 the box at x = 20. */
/* `flags`: WS_GEOMETRY_* of the mesh; with `indices` its triangles have micromaps by them; `instance_flags`: of the mesh. */
static struct rig begin_mapped(uint32_t flags, const int32_t *indices, uint32_t instance_flags)
{
    struct rig rig;
    struct scene_file file;
    uint32_t references[2];
    const struct hand_instance instances[] = {{HAND_AT(0, 0, 0), 0, 0xff, 0, instance_flags, 0x1000, MESH},
                                              {HAND_AT(20, 0, 0), 0, 0xff, 0, 0, 0x2000, BOXES}};
    scene_begin(&file);
    hand_structure(&file, BOTTOM_LEVEL, "mesh");
    hand_structure(&file, BOTTOM_LEVEL, "boxes");
    hand_structure(&file, TOP_LEVEL, "top");
    struct ws_build_geometry mesh = hand_triangles(&file, triangles, 12);
    mesh.capture_flags = flags;
    const struct ws_build_geometry boxes = hand_aabbs(&file, box, 1);
    const struct ws_build_geometry top = hand_instances(&file, instances, 2, references);
    if (indices != NULL)
        hand_build_mapped(&file, MESH, &mesh, 1, indices, NULL);
    else
        hand_build(&file, MESH, 0, &mesh, 1);
    hand_build(&file, BOXES, 0, &boxes, 1);
    hand_build(&file, TOP, 0, &top, 1);
    rig.scene = scene_end(&file);
    rig.trace = ws_scene_trace_create(rig.scene);
    assert_non_null(rig.trace);
    rig.build = ws_scene_build_at(rig.scene, TOP, 0);
    assert_true(ws_scene_trace_use(rig.trace, rig.build));
    return rig;
}

static struct rig begin(void)
{
    return begin_mapped(0, NULL, 0);
}

static void end(struct rig *rig)
{
    ws_scene_trace_destroy(rig->trace);
    ws_scene_destroy(rig->scene);
}

/* From (x, 1, 10) down: hits that primitive of instance 0 at t. */
static struct ws_ray hit(float x, uint32_t primitive, float t)
{
    return (struct ws_ray){.origin = {x, 1, 10},
                           .direction = {0, 0, -1},
                           .tmax = 100,
                           .cull_mask = 0xff,
                           .end = WS_RAY_HIT,
                           .has_hit = true,
                           .hit = {.t = t, .primitive = primitive, .kind = WS_HIT_FRONT}};
}

static struct ws_ray miss(float x)
{
    struct ws_ray ray = hit(x, 0, 0);
    ray.end = WS_RAY_MISSED;
    ray.has_hit = false;
    return ray;
}

static void expect(struct rig *rig, const struct ws_ray *ray, enum ws_retrace_kind kind,
                   enum ws_retrace_result result)
{
    const struct ws_retrace_check check = ws_retrace_ray(rig->trace, rig->scene, rig->build, ray, NULL);
    assert_true(check.checked);
    assert_int_equal(check.kind, kind);
    assert_int_equal(check.result, result);
}

static void expect_unchecked(struct rig *rig, uint32_t build, const struct ws_ray *ray,
                             enum ws_retrace_why why)
{
    const struct ws_retrace_check check = ws_retrace_ray(rig->trace, rig->scene, build, ray, NULL);
    assert_false(check.checked);
    assert_int_equal(check.why, why);
}

static void triangles_are_found_again(void **state)
{
    (void)state;
    struct rig rig = begin();
    struct ws_ray ray = hit(1, 0, 10);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_AGREES);
    ray = hit(1, 1, 10);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_AGREES);
    /* The tolerance is 1e-5 of 10. */
    ray = hit(1, 0, 10.00009f);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_AGREES);
    ray = hit(1, 0, 10.0002f);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_DIFFERS);
    /* The one behind, and one that is not there. */
    ray = hit(1, 2, 11);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_DIFFERS);
    ray = hit(1, 7, 10);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_SAME_PLACE);
    ray = hit(1, 7, 9);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_DIFFERS);
    ray.hit.instance = 9;
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_DIFFERS);
    /* Rays that end early may have passed it. */
    ray = hit(1, 2, 11);
    ray.flags = WS_RAY_FLAG_TERMINATE_FIRST;
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_AGREES);
    ray.hit.t = 10.5f;
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_DIFFERS);
    end(&rig);
}

static void rounding_decides_at_edges(void **state)
{
    (void)state;
    struct rig rig = begin();
    /* Along x + y = 4: the neighbour, too. */
    struct ws_ray ray = hit(3, 3, 10);
    ray.hit.primitive = 0;
    const struct ws_retrace_check check = ws_retrace_ray(rig.trace, rig.scene, rig.build, &ray, NULL);
    assert_true(check.checked && check.result != WS_RETRACE_DIFFERS);
    /* Outside of the edge x = 0 by less and by more than the tolerance. */
    ray = hit(-5e-5f, 0, 10);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_BORDERLINE);
    ray = hit(-5e-4f, 0, 10);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_DIFFERS);
    ray = miss(5e-5f);
    expect(&rig, &ray, WS_RETRACE_MISS, WS_RETRACE_BORDERLINE);
    ray = miss(5e-4f);
    expect(&rig, &ray, WS_RETRACE_MISS, WS_RETRACE_DIFFERS);
    /* At the ends of the interval. */
    ray = miss(1);
    ray.tmax = 10.00005f;
    expect(&rig, &ray, WS_RETRACE_MISS, WS_RETRACE_BORDERLINE);
    ray = hit(1, 2, 11);
    ray.tmin = 9.99995f;
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_BORDERLINE);
    ray.tmin = 10.5f;
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_AGREES);
    end(&rig);
}

static void misses_miss(void **state)
{
    (void)state;
    struct rig rig = begin();
    struct ws_ray ray = miss(-1);
    expect(&rig, &ray, WS_RETRACE_MISS, WS_RETRACE_AGREES);
    ray = miss(20); /* a box is no hit */
    expect(&rig, &ray, WS_RETRACE_MISS, WS_RETRACE_AGREES);
    ray = miss(1);
    expect(&rig, &ray, WS_RETRACE_MISS, WS_RETRACE_DIFFERS);
    ray.cull_mask = 0;
    expect(&rig, &ray, WS_RETRACE_MISS, WS_RETRACE_AGREES);
    end(&rig);
}

/* What is not there for the ray is known to the micromap only; what it did hit is checked as ever. */
static void micromaps_may_let_rays_pass(void **state)
{
    (void)state;
    struct rig rig = begin_mapped(WS_GEOMETRY_MICROMAP, NULL, 0);
    struct ws_ray ray = miss(1);
    expect(&rig, &ray, WS_RETRACE_MISS, WS_RETRACE_AGREES);
    ray = hit(1, 2, 11);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_AGREES);
    ray = hit(1, 0, 10);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_AGREES);
    ray = hit(1, 0, 10.0002f);
    expect(&rig, &ray, WS_RETRACE_TRIANGLE, WS_RETRACE_DIFFERS);
    end(&rig);
}

/* The first two triangles lie on each other, and the third behind them. Which are there is known by their indices: -1 is
 * transparent, -2 opaque, -3 and -4 unknown, 5 a micromap, which may let a ray pass. */
static void micromap_indices_say_what_is_there(void **state)
{
    (void)state;
    static const struct {
        int32_t index;
        uint32_t instance_flags; /* 16: two states only; 32: no micromaps */
        uint32_t ray_flags;
        enum ws_retrace_result passed;
    } cases[] = {{-1, 0, 0, WS_RETRACE_AGREES},
                 {-1, 32, 0, WS_RETRACE_DIFFERS},
                 {-2, 0, 0, WS_RETRACE_DIFFERS},
                 {-2, 0, WS_RAY_FLAG_CULL_OPAQUE, WS_RETRACE_AGREES},
                 {-3, 0, 0, WS_RETRACE_DIFFERS},
                 {-3, 16, 0, WS_RETRACE_AGREES},
                 {-3, 0, WS_RAY_FLAG_FORCE_TWO_STATES, WS_RETRACE_AGREES},
                 {-4, 0, 0, WS_RETRACE_DIFFERS},
                 {-4, 16, 0, WS_RETRACE_DIFFERS},
                 {-4, 16, WS_RAY_FLAG_CULL_OPAQUE, WS_RETRACE_AGREES},
                 {5, 0, 0, WS_RETRACE_AGREES}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        const int32_t indices[4] = {cases[i].index, cases[i].index, -2, -2};
        struct rig rig = begin_mapped(0, indices, cases[i].instance_flags);
        struct ws_ray ray = hit(1, 2, 11);
        ray.flags = cases[i].ray_flags;
        expect(&rig, &ray, WS_RETRACE_TRIANGLE, cases[i].passed);
        end(&rig);
    }
}

static void ignored_candidates_are_ignored(void **state)
{
    (void)state;
    struct rig rig = begin();
    const struct ws_ray_candidate candidates[] = {
        {.kind = WS_CANDIDATE_ANY_HIT, .result = WS_CANDIDATE_ACCEPTED, .hit = {.t = 10}},
        {.kind = WS_CANDIDATE_ANY_HIT, .result = WS_CANDIDATE_IGNORED, .hit = {.t = 10, .primitive = 0}},
        {.kind = WS_CANDIDATE_QUERY, .result = WS_CANDIDATE_IGNORED, .hit = {.t = 10, .primitive = 1}},
    };
    struct ws_ray ray = hit(1, 2, 11);
    ray.candidate_first = 1;
    ray.candidate_count = 2;
    struct ws_retrace_check check = ws_retrace_ray(rig.trace, rig.scene, rig.build, &ray, candidates);
    assert_int_equal(check.result, WS_RETRACE_AGREES);
    ray.candidate_first = 0;
    check = ws_retrace_ray(rig.trace, rig.scene, rig.build, &ray, candidates);
    assert_int_equal(check.result, WS_RETRACE_DIFFERS);
    assert_true(check.has_found && check.found.primitive == 1 && check.found.instance == 0);
    /* An opaque one cannot have been. */
    ray.candidate_first = 1;
    ray.flags = WS_RAY_FLAG_OPAQUE;
    check = ws_retrace_ray(rig.trace, rig.scene, rig.build, &ray, candidates);
    assert_int_equal(check.result, WS_RETRACE_DIFFERS);
    end(&rig);
}

static void boxes_and_implicit_hits(void **state)
{
    (void)state;
    struct rig rig = begin();
    struct ws_ray ray = hit(20, 0, 9.5f); /* in the box from 9 to 11 */
    ray.origin[1] = 0;
    ray.hit.instance = 1;
    expect(&rig, &ray, WS_RETRACE_BOX, WS_RETRACE_AGREES);
    ray.hit.t = 8.9f;
    expect(&rig, &ray, WS_RETRACE_BOX, WS_RETRACE_DIFFERS);
    ray.hit.t = 11.1f;
    expect(&rig, &ray, WS_RETRACE_BOX, WS_RETRACE_DIFFERS);
    ray = miss(20.5f);
    ray.origin[1] = 0;
    ray.end = WS_RAY_IMPLICIT;
    expect_unchecked(&rig, rig.build, &ray, WS_RETRACE_IN_BOX);
    ray = miss(1);
    ray.end = WS_RAY_IMPLICIT;
    expect(&rig, &ray, WS_RETRACE_SOMETHING, WS_RETRACE_AGREES);
    ray = miss(-1);
    ray.end = WS_RAY_IMPLICIT;
    expect(&rig, &ray, WS_RETRACE_SOMETHING, WS_RETRACE_DIFFERS);
    ray = hit(1, 2, 11);
    ray.end = WS_RAY_IMPLICIT;
    expect(&rig, &ray, WS_RETRACE_SOMETHING, WS_RETRACE_AGREES);
    end(&rig);
}

static void what_is_not_known_is_not_checked(void **state)
{
    (void)state;
    struct rig rig = begin();
    struct ws_ray ray = hit(1, 0, 10);
    expect_unchecked(&rig, WS_NONE, &ray, WS_RETRACE_STRUCTURE);
    ray.end = WS_RAY_UNKNOWN;
    expect_unchecked(&rig, rig.build, &ray, WS_RETRACE_END);
    ray = miss(1);
    ray.end = WS_RAY_NO_SHADER;
    expect_unchecked(&rig, rig.build, &ray, WS_RETRACE_END);
    ray = miss(1);
    ray.direction[1] = NAN;
    expect_unchecked(&rig, rig.build, &ray, WS_RETRACE_NOT_FINITE);
    ray = miss(1);
    ray.tmin = 200;
    expect_unchecked(&rig, rig.build, &ray, WS_RETRACE_NOT_FINITE);
    end(&rig);
}

static void samples_are_a_sixteenth_or_4096(void **state)
{
    (void)state;
    assert_true(ws_retrace_share(0) == UINT64_MAX);
    assert_true(ws_retrace_share(4096) == UINT64_MAX);
    assert_true(ws_retrace_share(8191) == UINT64_MAX);
    assert_true(ws_retrace_share(8192) == UINT64_MAX / 2); /* 4096 of them */
    assert_true(ws_retrace_share(16 * 4096) == UINT64_MAX / 16);
    assert_true(ws_retrace_share(UINT64_C(1) << 40) == UINT64_MAX / 16);
}

/* How many of 160000 rays that are so far apart. */
static int taken(uint64_t step, uint64_t share)
{
    int count = 0;
    for (uint64_t i = 0; i < 160000; ++i)
        count += ws_retrace_takes(i * step, share);
    return count;
}

static void samples_are_even(void **state)
{
    (void)state;
    assert_int_equal(taken(1, UINT64_MAX), 160000);
    /* Threads may trace 16 rays each: of the first of each there are as many. */
    for (uint64_t step = 1; step <= 32; step++)
        assert_in_range(taken(step, UINT64_MAX / 16), 10000 - 20, 10000 + 20);
    assert_true(ws_retrace_takes(0, UINT64_MAX / 16)); /* a launch with rays has one in the sample */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_found_again),
        cmocka_unit_test(rounding_decides_at_edges),
        cmocka_unit_test(misses_miss),
        cmocka_unit_test(micromaps_may_let_rays_pass),
        cmocka_unit_test(micromap_indices_say_what_is_there),
        cmocka_unit_test(ignored_candidates_are_ignored),
        cmocka_unit_test(boxes_and_implicit_hits),
        cmocka_unit_test(what_is_not_known_is_not_checked),
        cmocka_unit_test(samples_are_a_sixteenth_or_4096),
        cmocka_unit_test(samples_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
