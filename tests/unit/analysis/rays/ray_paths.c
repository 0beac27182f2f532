/* Which ray follows which: threads made by hand, along x unless said otherwise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/rays/ray_paths.h"

#define SKIP  WS_RAY_FLAG_SKIP_CLOSEST_HIT
#define FIRST WS_RAY_FLAG_TERMINATE_FIRST

/* A ray from (from, 3, 0) that hits at from + 2 t; t 0: it misses. */
static struct ws_ray ray_along_x(float from, float t, uint32_t flags, uint32_t parent)
{
    return (struct ws_ray){.parent = parent,
                           .origin = {from, 3, 0},
                           .direction = {2, 0, 0},
                           .flags = flags,
                           .end = t > 0 ? WS_RAY_HIT : WS_RAY_MISSED,
                           .has_hit = t > 0,
                           .hit = {.t = t}};
}

static double given_size(const void *user, const struct ws_ray *ray)
{
    (void)ray;
    return *(const double *)user;
}

/* The steps of rays in a scene of that size; 0 = not known. */
static struct ws_ray_paths find(const struct ws_ray *rays, uint32_t count, double size)
{
    const struct ws_ray_scene_size given = {given_size, &size};
    const struct ws_ray_thread thread = {.rays = rays, .ray_count = count};
    struct ws_ray_paths paths = {.steps = NULL};
    assert_true(ws_ray_paths_find(&paths, &thread, size > 0 ? &given : NULL));
    return paths;
}

/* The starts of rays must be these. */
static void expect_starts(const struct ws_ray *rays, uint32_t count, double size, const uint32_t *expected)
{
    struct ws_ray_paths paths = find(rays, count, size);
    for (uint32_t i = 0; i < count; ++i)
        if (paths.steps[i].start != expected[i])
            fail_msg("ray %u starts at the hit of %d, not of %d", i, (int)paths.steps[i].start,
                     (int)expected[i]);
    ws_ray_paths_finish(&paths);
}

/* How many paths have that many bounces. */
static uint32_t paths_with(const struct ws_ray_paths *paths, uint32_t count, uint32_t bounces)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i)
        found += paths->steps[i].path == i && paths->steps[i].longest == bounces;
    return found;
}

/* One thread, by hand:
 *   0  from 0, hits at 4
 *   1  a shadow ray that ray 0's hit shader traces
 *   2  from 4.03: 0.03 from that hit, of which 4 is the largest coordinate; hits at 10
 *   3  a visibility ray from 10, which hits at 12
 *   4  from 12, where only the visibility ray hit; begins a path, hits at 20
 *   5  from 10: follows from 2; misses
 *   6  from 20.3: 0.3 from the hit, too far; begins a path, misses
 *   7  in the miss shader of 6: follows from it
 * So three paths: 0, 2, 5 with 2 bounces; 4 with none; 6, 7 with 1. */
static void bounces(void **state)
{
    (void)state;
    const struct ws_ray rays[] = {
        ray_along_x(0, 2, 0, WS_NONE),          ray_along_x(4, 0, SKIP, 0),
        ray_along_x(4.03f, 2.985f, 0, WS_NONE), ray_along_x(10, 1, FIRST, WS_NONE),
        ray_along_x(12, 4, 0, WS_NONE),         ray_along_x(10, 0, 0, WS_NONE),
        ray_along_x(20.3f, 0, 0, WS_NONE),      ray_along_x(7, 0, 0, 6),
    };
    struct ws_ray_paths paths = find(rays, 8, 0);
    assert_int_equal(paths_with(&paths, 8, 0), 1);
    assert_int_equal(paths_with(&paths, 8, 1), 1);
    assert_int_equal(paths_with(&paths, 8, 2), 1);
    ws_ray_paths_finish(&paths);
}

/* A camera at 9 looks at what two paths reached: 0 hits at 4, 1 is the camera's, 2 follows from 0 and hits at
 * 9, and 3 is the camera's again. */
static void of_camera(void **state)
{
    (void)state;
    const struct ws_ray rays[] = {ray_along_x(0, 2, 0, WS_NONE), ray_along_x(9, 0, 0, WS_NONE),
                                  ray_along_x(4, 2.5f, 0, WS_NONE), ray_along_x(9, 0, 0, WS_NONE)};
    static const uint32_t starts[] = {WS_NONE, WS_NONE, 0, WS_NONE};
    expect_starts(rays, 4, 0, starts);
    expect_starts(rays, 4, 20, starts);
    struct ws_ray_paths paths = find(rays, 4, 0);
    assert_int_equal(paths_with(&paths, 4, 0), 2);
    assert_int_equal(paths_with(&paths, 4, 1), 1);
    ws_ray_paths_finish(&paths);
}

/* Of the 64 rays before a ray one may be its start: 63 that meet nothing may stand between. */
static void far_back(void **state)
{
    (void)state;
    for (uint32_t between = 63; between <= 64; ++between) {
        struct ws_ray rays[66];
        const uint32_t count = between + 2;
        rays[0] = ray_along_x(0, 2, 0, WS_NONE);
        for (uint32_t i = 1; i <= between; ++i)
            rays[i] = ray_along_x(0, 0, 0, WS_NONE);
        rays[between + 1] = ray_along_x(4, 0, 0, WS_NONE);
        struct ws_ray_paths paths = find(rays, count, 0);
        assert_int_equal(paths_with(&paths, count, 1), between == 63 ? 1 : 0);
        assert_int_equal(paths_with(&paths, count, 0), between == 63 ? 63 : 66);
        ws_ray_paths_finish(&paths);
    }
}

/* 200 rays fan out from 4, where ray 0 hit. Each hits 0.01 ahead: near 4, but no ray of the fan starts there.
 * So it is one path with one bounce, also behind the first 64 rays of the fan. */
static void fan(void **state)
{
    (void)state;
    struct ws_ray rays[201];
    uint32_t starts[201] = {WS_NONE};
    rays[0] = ray_along_x(0, 2, 0, WS_NONE);
    for (uint32_t i = 1; i < 201; ++i)
        rays[i] = ray_along_x(4, 0.005f, 0, WS_NONE);
    expect_starts(rays, 201, 0, starts);
    expect_starts(rays, 201, 20, starts);
    struct ws_ray_paths paths = find(rays, 201, 0);
    assert_int_equal(paths_with(&paths, 201, 1), 1);
    assert_int_equal(paths_with(&paths, 201, 0), 0);
    ws_ray_paths_finish(&paths);
}

/* Ray 1 hits what it starts on, 4e-6 ahead, and ray 2 goes on from there without a different origin. */
static void self_hit(void **state)
{
    (void)state;
    const struct ws_ray rays[] = {ray_along_x(0, 2, 0, WS_NONE), ray_along_x(4, 2e-6f, 0, WS_NONE),
                                  ray_along_x(4, 1, 0, WS_NONE)};
    static const uint32_t from_hit[] = {WS_NONE, 0, 1};
    static const uint32_t from_fan[] = {WS_NONE, 0, 0};
    expect_starts(rays, 3, 5, from_hit);
    expect_starts(rays, 3, 3, from_fan);
    expect_starts(rays, 3, 0, from_hit); /* the size is estimated as 40 */
}

/* Ray 0 hits at 4; ray 1 is sent from `off` beside that. */
static bool starts_beside(float off, float first, double size)
{
    struct ws_ray rays[] = {ray_along_x(first, (4 - first) / 2, 0, WS_NONE), ray_along_x(4, 0, 0, WS_NONE)};
    rays[1].origin[2] = off;
    return ws_ray_starts_at(&rays[1], &rays[0], size);
}

/* 1e-3 of the size; where it is not known, 1e-2 of the largest coordinate or of the way. */
static void tolerance(void **state)
{
    (void)state;
    assert_true(starts_beside(0.0199f, 0, 20));
    assert_false(starts_beside(0.0201f, 0, 20));
    assert_true(starts_beside(0.0399f, 1, 0));
    assert_false(starts_beside(0.0401f, 1, 0));
    assert_true(starts_beside(0.0999f, -6, 0));
    assert_false(starts_beside(0.1001f, -6, 0));
}

/* What is no closest hit, and what nobody goes on from. */
static void no_hits(void **state)
{
    (void)state;
    const struct ws_ray ray = ray_along_x(4, 1, 0, WS_NONE);
    struct ws_ray other = ray_along_x(0, 2, 0, WS_NONE);
    assert_true(ws_ray_starts_at(&ray, &other, 0));
    other.flags = FIRST;
    assert_false(ws_ray_starts_at(&ray, &other, 0));
    other = ray_along_x(0, 2, SKIP, WS_NONE);
    other.end = WS_RAY_IMPLICIT;
    assert_false(ws_ray_starts_at(&ray, &other, 0));
    other = ray_along_x(0, 2, 0, WS_NONE);
    other.has_hit = false;
    assert_false(ws_ray_starts_at(&ray, &other, 20));
    other = ray_along_x(0, INFINITY, 0, WS_NONE);
    assert_false(ws_ray_starts_at(&ray, &other, 0));
    other = ray_along_x(0, 2, 0, WS_NONE);
    other.origin[1] = NAN;
    assert_false(ws_ray_starts_at(&ray, &other, 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounces), cmocka_unit_test(of_camera), cmocka_unit_test(far_back),
        cmocka_unit_test(fan),     cmocka_unit_test(self_hit),  cmocka_unit_test(tolerance),
        cmocka_unit_test(no_hits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
