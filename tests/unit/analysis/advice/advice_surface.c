/* What rules say of rays that start on surfaces, of rays and geometry made by hand.
 *
 * The world is a room, a cube from (0, 0, 0) to (8, 8, 8) that is seen from inside, whose walls are two
 * triangles each: primitives 2 i and 2 i + 1 of instance 0 (custom index 100), one for each side of x, y, z.
 * Its diagonal is 13.86. Wall 0, at x = 0, may lack its second triangle, or that may leave a slit above the
 * floor, between (0, 0, 0), (0, 0.3, 8) and (0, 0, 8), with or without a bar across it at z = 6.25. A ray hits its wall 2
 * (y = 0), below; the next starts there. */
#include "tests/unit/analysis/advice/advice_hand.h"

#include <math.h>

#include "analysis/advice/ray_source.h"
#include "tests/unit/analysis/scene/scene_hand.h"

enum { ROOM, COPY, TOP };
enum gap { CLOSED, SLIT, BARRED, HALF };

#define SIDE    8.0f
#define PLANES  6
#define CORNERS (PLANES * 6 + 3)

/* Corner number `corner` of 4 of a wall, in turn. */
static void wall_corner(int wall, int corner, float out[3])
{
    const int axis = wall / 2;
    out[axis] = wall % 2 == 1 ? SIDE : 0;
    out[(axis + 1) % 3] = corner == 1 || corner == 2 ? SIDE : 0;
    out[(axis + 2) % 3] = corner >= 2 ? SIDE : 0;
}

static uint32_t make_room(float vertices[CORNERS][3], enum gap gap)
{
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    uint32_t count = 0;
    for (int wall = PLANES - 1; wall >= 0; --wall)
        for (int i = 0; i < 6; ++i) {
            /* Front faces look inwards. */
            const int turned = wall % 2 == 0 ? order[i] : order[i / 3 * 3 + 2 - i % 3];
            if (gap == HALF && wall == 0 && i >= 3)
                continue;
            wall_corner(wall, turned, vertices[count]);
            if ((gap == SLIT || gap == BARRED) && wall == 0 && i == 5)
                vertices[count][1] = 0.3f;
            count++;
        }
    if (gap == BARRED) {
        const float bar[3][3] = {{0, 0, 6}, {0, 1, 6.25f}, {0, 0, 6.5f}};
        memcpy(vertices[count], bar, sizeof(bar));
        count += 3;
    }
    return count;
}

/* `copies`: how many structures are built of the room, all instanced; the second stands 100 beside it, with
 * another offset in the binding table. */
static struct ws_scene *make_scene(enum gap gap, uint32_t copies, uint32_t structures)
{
    struct scene_file file;
    uint32_t references[2];
    float vertices[CORNERS][3];
    const uint32_t count = make_room(vertices, gap);
    const struct hand_instance instances[] = {{HAND_AT(0, 0, 0), 100, 0xff, 0, 0, 0x1000, ROOM},
                                              {HAND_AT(100, 0, 0), 101, 0xff, 1, 0,
                                               structures > 1 ? 0x2000 : 0x1000,
                                               structures > 1 ? COPY : ROOM}};
    scene_begin(&file);
    hand_structure(&file, BOTTOM_LEVEL, "room");
    hand_structure(&file, BOTTOM_LEVEL, "copy");
    hand_structure(&file, TOP_LEVEL, "top");
    struct ws_build_geometry room = hand_triangles(&file, vertices[0], count);
    room.flags = 1; /* opaque */
    hand_build(&file, ROOM, 0, &room, 1);
    if (structures > 1)
        hand_build(&file, COPY, 0, &room, 1);
    const struct ws_build_geometry top = hand_instances(&file, instances, copies, references);
    hand_build(&file, TOP, 0, &top, 1);
    return scene_end(&file);
}

/* Primitive of a wall's first triangle, as they are numbered from the last wall on. */
static uint32_t primitive_of(uint32_t wall)
{
    return 2 * (PLANES - 1 - wall);
}

/* A ray from the middle of an instance of the room down to (x, 0, z) of its wall 2. */
static void look_down_in(struct hand *hand, uint32_t instance, float x, float z)
{
    struct ws_ray *ray = hand_ray(hand, HAND_RAYGEN);
    memcpy(ray->origin, (float[3]){x + 100 * (float)instance, 4, z}, sizeof(ray->origin));
    memcpy(ray->direction, (float[3]){0, -1, 0}, sizeof(ray->direction));
    hand_hit(hand, HAND_SHADED_HIT, instance, 0, 4);
    /* Which of both triangles: the first has the corner at (8, 8) of (z, x), and z > x. */
    ray->hit.primitive = primitive_of(2) + (z > x ? 0 : 1);
    ray->hit.kind = WS_HIT_FRONT;
}

static void look_down(struct hand *hand, float x, float z)
{
    look_down_in(hand, 0, x, z);
}

/* A ray from (x, y, z) in a direction, of another call. */
static struct ws_ray *go_on(struct hand *hand, float x, float y, float z, float dx, float dy, float dz)
{
    struct ws_ray *ray = hand_ray(hand, HAND_RAYGEN);
    ray->site = HAND_OTHER;
    memcpy(ray->origin, (float[3]){x, y, z}, sizeof(ray->origin));
    memcpy(ray->direction, (float[3]){dx, dy, dz}, sizeof(ray->direction));
    return ray;
}

static void hit_primitive(struct hand *hand, struct ws_ray *ray, uint32_t primitive, float t)
{
    hand_hit(hand, HAND_SHADED_HIT, 0, 0, t);
    ray->hit.primitive = primitive;
    ray->hit.kind = WS_HIT_FRONT;
}

static void expect_rays(const struct ws_advice *advice, uint32_t saves, uint64_t saving, uint64_t of)
{
    assert_int_equal(advice->saves, saves);
    assert_int_equal(advice->saving, saving);
    assert_int_equal(advice->of, of);
}

/* Two rays start at y = `off`: one hits that triangle at `t`, one the ceiling at 8. */
static struct hand *self_hit(float off, float t, float genuine)
{
    struct hand *hand = hand_create("tmin_low", make_scene(CLOSED, 1, 1));
    look_down(hand, 3, 5);
    struct ws_ray *ray = go_on(hand, 3, off, 5, 0, 1, 0);
    hit_primitive(hand, ray, primitive_of(2), t);
    hand_thread(hand);
    look_down(hand, 3, 5);
    ray = go_on(hand, 3, off, 5, 0, 1, 0);
    hit_primitive(hand, ray, primitive_of(3), genuine);
    hand_thread(hand);
    return hand;
}

static void tmin_low(void **state)
{
    (void)state;
    struct hand *hand = self_hit(-1e-6f, 1e-6f, 8);
    const struct ws_advice *advice = hand_only(hand);
    /* Without the self-hit it hits the ceiling, too. */
    expect_rays(advice, WS_SAVES_NOTHING, 0, 0);
    assert_int_equal(advice->certainty, WS_LIKELY);
    assert_non_null(strstr(advice->evidence, "1 of 2 rays that start on a surface"));
    /* 1e-6 / 13.86 and 8 / 13.86; the mean of 1e-6 and 8. */
    assert_non_null(strstr(advice->evidence, "below 1e-7 1 + 0, from 1e-1 on 0 + 1"));
    assert_non_null(strstr(advice->change, "set tmin of this call to 0.0028 (now 0)"));
    hand_destroy(hand);
    /* One that leaves the room: there is nothing below the floor. */
    hand = hand_create("tmin_low", make_scene(CLOSED, 1, 1));
    look_down(hand, 3, 5);
    hit_primitive(hand, go_on(hand, 3, 1e-6f, 5, 0, -1, 0), primitive_of(2), 1e-6f);
    hand_thread(hand);
    expect_rays(hand_only(hand), WS_SAVES_CLOSEST_HIT, 1, 2);
    hand_destroy(hand);
    /* The other hit is as near: 2e-5 is more than 1e-6 of the diagonal. */
    hand = self_hit(-3e-5f, 3e-5f, 2e-5f);
    assert_non_null(strstr(hand_only(hand)->change, "no tmin is right"));
    hand_destroy(hand);
    /* Farther off the plane than 1.4e-4; farther away than 0.0139; none at all. */
    hand_nothing(self_hit(-2e-4f, 2e-4f, 8));
    hand_nothing(self_hit(-1e-6f, 0.014f, 8));
    hand = hand_create("tmin_low", make_scene(CLOSED, 1, 1));
    look_down(hand, 3, 5);
    hit_primitive(hand, go_on(hand, 3, 0, 5, 0, 1, 0), primitive_of(3), 8);
    hand_thread(hand);
    hand_nothing(hand);
    /* Two from one place, of which nobody knows what it lies on. */
    hand = hand_create("tmin_low", make_scene(CLOSED, 1, 1));
    hit_primitive(hand, go_on(hand, 3, 0, 5, 0, 1, 0), primitive_of(2), 2e-5f);
    hit_primitive(hand, go_on(hand, 3, 0, 5, 0, 1, 0), primitive_of(2), 2e-5f);
    hand_thread(hand);
    hand_nothing(hand);
    /* The other triangle of the wall is in the same plane. */
    hand = hand_create("tmin_low", make_scene(CLOSED, 1, 1));
    look_down(hand, 4, 4);
    hit_primitive(hand, go_on(hand, 4, 0, 4, 0, 1, 0), primitive_of(2), 1e-6f);
    hand_thread(hand);
    assert_non_null(strstr(hand_only(hand)->evidence, "1 of 1 rays that start on a surface"));
    hand_destroy(hand);
}

/* `past` rays of 1000 start 0.05 from the wall at x = 0, and pass through it; all have that tmin. */
static struct hand *passing(uint32_t past, float tmin)
{
    struct hand *hand = hand_create("tmin_high", make_scene(CLOSED, 1, 1));
    for (uint32_t i = 0; i < 1000; ++i) {
        const bool near = i < past;
        look_down(hand, near ? 0.05f : 3, 5);
        struct ws_ray *ray = go_on(hand, near ? 0.05f : 3, 0, 5, -0.8f, 0.6f, 0);
        ray->tmin = tmin;
        if (!near)
            hit_primitive(hand, ray, primitive_of(0) + 1, 3.75f);
        if (i % 10 == 9)
            hand_thread(hand);
    }
    return hand;
}

static void tmin_high(void **state)
{
    (void)state;
    /* 0.05 / 0.8 = 0.0625 away, before 0.1. */
    struct hand *hand = passing(10, 0.1f);
    const struct ws_advice *advice = hand_only(hand);
    assert_int_equal(advice->saves, WS_SAVES_NOTHING);
    assert_int_equal(advice->certainty, WS_LIKELY);
    assert_non_null(strstr(advice->evidence, "10 of 1000 rays"));
    assert_non_null(strstr(advice->evidence, "the nearest at t = 0.0625; 10 of them then hit nothing"));
    assert_non_null(strstr(advice->change, "below 0.031 (now 0.1)"));
    hand_destroy(hand);
    hand = passing(9, 0.1f);
    assert_int_equal(hand_only(hand)->certainty, WS_POSSIBLE);
    hand_destroy(hand);
    hand_nothing(passing(10, 0.06f));
    hand_nothing(passing(0, 0.1f));
    /* The example is the nearest: 0.0625, 0.03 / 0.8 = 0.0375 and 0.05 away; it passes at (0, 0.6 * 0.0375, 5). */
    hand = hand_create("tmin_high", make_scene(CLOSED, 1, 1));
    const float from[] = {0.05f, 0.03f, 0.04f};
    for (int i = 0; i < 3; ++i) {
        look_down(hand, from[i], 5);
        go_on(hand, from[i], 0, 5, -0.8f, 0.6f, 0)->tmin = 0.1f;
        hand_thread(hand);
    }
    advice = hand_only(hand);
    assert_non_null(strstr(advice->evidence, "the nearest at t = 0.0375"));
    assert_true(advice->has_thread && advice->thread[0] == 1);
    assert_true(fabsf(advice->place[1] - 0.0225f) < 1e-5f);
    hand_destroy(hand);
}

/* Rays that start just above wall 2: `through` of `count` go down and hit it again, and where they do not
 * only ask another ray goes up from there. */
static struct hand *leaving(const char *rule, uint32_t through, uint32_t count, uint32_t flags)
{
    struct hand *hand = hand_create(rule, make_scene(CLOSED, 1, 1));
    for (uint32_t i = 0; i < count; ++i) {
        look_down(hand, 3, 5);
        struct ws_ray *ray = go_on(hand, 3, 1e-3f, 5, 0.1f, i < through ? -1 : 1, 0);
        ray->flags = flags;
        if (i < through)
            hit_primitive(hand, ray, primitive_of(2), 1e-3f);
        if (i < through && flags == 0)
            go_on(hand, 3, 0, 5, 0, 1, 0);
        hand_thread(hand);
    }
    return hand;
}

static void back_face(void **state)
{
    (void)state;
    struct hand *hand = leaving("back_face", 4, 10, 0);
    const struct ws_advice *advice = hand_only(hand);
    expect_rays(advice, WS_SAVES_RAYS, 8, 24); /* 10 from above, 10 from the wall, 4 after them */
    assert_non_null(strstr(advice->evidence, "4 of 14 rays"));
    assert_int_equal(advice->certainty, WS_LIKELY);
    assert_non_null(strstr(advice->subject, "that start on geometry 0 of 'room'"));
    assert_non_null(strstr(advice->subject, "custom index 100"));
    hand_destroy(hand);
    hand_nothing(leaving("back_face", 5, 10, 0)); /* 5 of 15: transmissive */
    hand_nothing(leaving("back_face", 0, 10, 0));
    hand_nothing(leaving("back_face", 3, 10, WS_RAY_FLAG_TERMINATE_FIRST));
    hand = leaving("back_face", 1, 99, 0);
    assert_int_equal(hand_only(hand)->saving, 2);
    hand_destroy(hand);
    hand_nothing(leaving("back_face", 1, 100, 0));
}

/* 4 of 20 go through the floor, aslant, or straight on as through holes in it. */
static void back_face_of_cut_outs(void **state)
{
    (void)state;
    for (int straight = 0; straight < 2; ++straight) {
        struct hand *hand = hand_create("back_face", make_scene(CLOSED, 1, 1));
        for (uint32_t i = 0; i < 20; ++i) {
            look_down(hand, 3, 5);
            go_on(hand, 3, 1e-3f, 5, straight ? 0 : 0.1f, i < 4 ? -2 : 2, 0);
            hand_thread(hand);
        }
        if (straight) {
            hand_nothing(hand);
        } else {
            assert_int_equal(hand_only(hand)->saving, 4);
            hand_destroy(hand);
        }
    }
}

/* 4 of 14 go through the floor, but all of these in the one instance, whose material may be glass. */
static void back_face_of_two_materials(void **state)
{
    (void)state;
    for (uint32_t glass = 0; glass < 2; ++glass) {
        struct hand *hand = hand_create("back_face", make_scene(CLOSED, 2, 1));
        for (uint32_t i = 0; i < 14; ++i) {
            look_down_in(hand, i < 4 ? glass : 0, 3, 5);
            go_on(hand, 3 + 100 * (float)(i < 4 ? glass : 0), 1e-3f, 5, 0.1f, i < 4 ? -1 : 1, 0);
            hand_thread(hand);
        }
        if (glass == 1) {
            hand_nothing(hand);
        } else {
            assert_int_equal(hand_only(hand)->saving, 4);
            hand_destroy(hand);
        }
    }
}

/* 10 rays start on the floor. `selves` of them hit it again at 1e-6 from below, so that the side that was hit is the
 * lower one, and the next goes up through it; of the others all go up and `others` meet the floor of the room from
 * its other side. */
static struct hand *self_hits(const char *rule, uint32_t selves, uint32_t flags)
{
    struct hand *hand = hand_create(rule, make_scene(CLOSED, 1, 1));
    for (uint32_t i = 0; i < 10; ++i) {
        look_down(hand, 3, 5);
        if (i < selves)
            hit_primitive(hand, go_on(hand, 3, -1e-6f, 5, 0, 1, 0), primitive_of(2), 1e-6f);
        go_on(hand, 3, 0, 5, 0.1f, 1, 0)->flags = flags;
        hand_thread(hand);
    }
    return hand;
}

/* What starts at a self-hit is no evidence: 3 of 13 rays would be, that go through the floor from below, or ask. */
static void self_hits_are_no_evidence(void **state)
{
    (void)state;
    hand_nothing(self_hits("back_face", 3, 0));
    hand_nothing(self_hits("into_surface", 3, WS_RAY_FLAG_SKIP_CLOSEST_HIT));
    struct hand *hand = self_hits("tmin_low", 3, 0);
    const struct ws_advice *advice = hand_only(hand);
    assert_int_equal(advice->wrong_rays, 3);
    assert_int_equal(advice->pull, WS_PULL_UP);
    hand_destroy(hand);
}

/* Two materials of one call, one piece. Of 20 threads 2 go through the floor of the first room; from there one goes on
 * and through the floor of the second, and one up from it. With the ray after that these are 2 and 2 more. 18 of each
 * room go up. */
static void back_face_of_one_call(void **state)
{
    (void)state;
    struct hand *hand = hand_create("back_face", make_scene(CLOSED, 2, 1));
    for (uint32_t i = 0; i < 20; ++i) {
        look_down(hand, 3, 5);
        struct ws_ray *ray = go_on(hand, 3, 0.1f, 5, 100, i < 2 ? -0.1f : 1, 0);
        if (i < 2) {
            /* It hits the floor of the other room, whose offset in the binding table is another. */
            hand_hit(hand, HAND_SHADED_HIT, 1, 0, 1);
            ray->hit.primitive = primitive_of(2);
            go_on(hand, 103, 1e-3f, 5, -0.1f, i < 1 ? -1 : 1, 0);
        }
        hand_thread(hand);
    }
    for (uint32_t i = 0; i < 18; ++i) {
        look_down_in(hand, 1, 3, 5);
        go_on(hand, 103, 1e-3f, 5, 0.1f, 1, 0);
        hand_thread(hand);
    }
    const struct ws_advice *advice = hand_only(hand);
    expect_rays(advice, WS_SAVES_RAYS, 4, 78);
    assert_non_null(strstr(advice->evidence, "3 of 40 rays (7.5 %) that start there"));
    assert_non_null(strstr(advice->evidence, "1 more rays follow"));
    hand_destroy(hand);
}

static void into_surface(void **state)
{
    (void)state;
    struct hand *hand = leaving("into_surface", 3, 10, WS_RAY_FLAG_SKIP_CLOSEST_HIT);
    const struct ws_advice *advice = hand_only(hand);
    /* Repaired, they go elsewhere: nothing is saved. */
    expect_rays(advice, WS_SAVES_NOTHING, 0, 0);
    assert_int_equal(advice->wrong_rays, 3);
    assert_non_null(strstr(advice->evidence, "3 of 10 rays that start on a surface point into it (30.0 %)"));
    hand_destroy(hand);
    hand_nothing(leaving("into_surface", 3, 10, 0));
    hand_nothing(leaving("into_surface", 0, 10, WS_RAY_FLAG_SKIP_CLOSEST_HIT));
    hand = leaving("into_surface", 1, 100, WS_RAY_FLAG_TERMINATE_FIRST);
    assert_int_equal(hand_only(hand)->wrong_rays, 1);
    hand_destroy(hand);
    hand_nothing(leaving("into_surface", 1, 101, WS_RAY_FLAG_TERMINATE_FIRST));
    /* What was hit is not recorded: traced again, from above the floor it is the floor; along it, nothing. */
    for (int meets = 0; meets < 2; ++meets) {
        hand = hand_create("into_surface", make_scene(CLOSED, 1, 1));
        look_down(hand, 3, 5);
        struct ws_ray *ray = go_on(hand, 3, meets ? 1e-3f : -1e-3f, 5, 0, -1, 0);
        ray->flags = WS_RAY_FLAG_SKIP_CLOSEST_HIT;
        hand_hit(hand, WS_NONE, 0, 0, 0);
        assert_false(ray->has_hit);
        hand_thread(hand);
        if (meets) {
            assert_int_equal(hand_only(hand)->wrong_rays, 1);
            hand_destroy(hand);
        } else {
            hand_nothing(hand);
        }
    }
}

/* `far` rays from 6 before wall 0 and `near` ones from 0.6 before it, towards (0, 0.1, 7); or up. */
static struct hand *leaking(uint32_t far, uint32_t near, enum gap gap, bool up)
{
    struct hand *hand = hand_create("leaks", make_scene(gap, 1, 1));
    for (uint32_t i = 0; i < far + near; ++i) {
        const float x = i < far ? 6 : 0.6f;
        look_down(hand, x, 7);
        go_on(hand, x, 0, 7, -x, up ? 8 : 0.1f, 0);
        hand_thread(hand);
    }
    return hand;
}

static void leaks(void **state)
{
    (void)state;
    struct hand *hand = leaking(2, 0, SLIT, false);
    const struct ws_advice *advice = hand_only(hand);
    expect_rays(advice, WS_SAVES_MISS, 2, 2);
    assert_int_equal(advice->certainty, WS_LIKELY);
    assert_non_null(strstr(advice->evidence, "2 of them start where 98 % of all directions hit something"));
    assert_true(fabsf(advice->place[0]) < 0.3f && fabsf(advice->place[1] - 0.1f) < 0.02f);
    hand_destroy(hand);
    hand = leaking(1, 1, SLIT, false);
    assert_int_equal(hand_only(hand)->saving, 2);
    assert_int_equal(hand_only(hand)->certainty, WS_POSSIBLE);
    hand_destroy(hand);
    /* After 1024 rays every 16th: the one with number 1024, and none of the 15 behind it. */
    hand = leaking(1040, 0, SLIT, false);
    expect_rays(hand_only(hand), WS_SAVES_MISS, 1025, 1040);
    assert_non_null(strstr(hand_only(hand)->doubt, "; 15 more missed rays were not looked at"));
    hand_destroy(hand);
    /* Most start near it; half a wall is an opening; the CPU meets a wall, which no gap explains. */
    hand_nothing(leaking(1, 2, SLIT, false));
    hand_nothing(leaking(2, 0, HALF, false));
    hand_nothing(leaking(2, 0, CLOSED, false));
    hand_nothing(leaking(2, 0, SLIT, true));
}

/* Two rays leave at each of three places of the slit, 1.5 apart, which is more than 1/20 of the diagonal: it is one slit
 * all the same. With `bar` the wall is whole between the first and the others: that makes two gaps. */
static void one_slit(void **state)
{
    (void)state;
    for (int bar = 0; bar < 2; ++bar) {
        struct hand *hand = hand_create("leaks", make_scene(bar ? BARRED : SLIT, 1, 1));
        size_t count = 0;
        for (int i = 0; i < 6; ++i) {
            const float z = 7 - 1.5f * (float)(i / 2);
            look_down(hand, 6, z);
            go_on(hand, 6, 0, z, -6, 0.05f, 0);
            hand_thread(hand);
        }
        const struct ws_advice *advice = hand_advice(hand, &count);
        assert_int_equal(count, bar ? 2 : 1);
        expect_rays(&advice[0], WS_SAVES_MISS, bar ? 4 : 6, 6);
        hand_destroy(hand);
    }
}

static void duplicate(void **state)
{
    (void)state;
    for (int equal = 0; equal < 2; ++equal) {
        struct hand *hand = hand_create("duplicate", make_scene(CLOSED, 2, equal ? 2 : 1));
        look_down(hand, 3, 5);
        hand_thread(hand);
        if (equal) {
            const struct ws_advice *advice = hand_only(hand);
            assert_int_equal(advice->saves, WS_SAVES_BYTES);
            assert_int_equal(advice->certainty, WS_CERTAIN);
            assert_int_equal(2 * advice->saving, advice->of);
            assert_string_equal(advice->subject, "2 bottom-level structures equal to 'room'");
            assert_non_null(strstr(advice->evidence, "12 primitives each"));
            hand_destroy(hand);
        } else {
            hand_nothing(hand);
        }
    }
    /* The second is not instanced. */
    struct hand *hand = hand_create("duplicate", make_scene(CLOSED, 1, 2));
    look_down(hand, 3, 5);
    hand_thread(hand);
    hand_nothing(hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tmin_low),
        cmocka_unit_test(tmin_high),
        cmocka_unit_test(back_face),
        cmocka_unit_test(back_face_of_two_materials),
        cmocka_unit_test(back_face_of_cut_outs),
        cmocka_unit_test(back_face_of_one_call),
        cmocka_unit_test(self_hits_are_no_evidence),
        cmocka_unit_test(into_surface),
        cmocka_unit_test(leaks),
        cmocka_unit_test(one_slit),
        cmocka_unit_test(duplicate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
