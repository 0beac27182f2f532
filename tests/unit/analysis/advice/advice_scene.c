/* What rules say of rays made by hand through captured geometry.
 *
 * The scene: instance 0 and 1 of one structure with two triangles, each a geometry, which lie in the plane z
 * = 0 of their own space and which rays along z meet; and, where it is wanted, instance 2 of one with a box.
 * The triangles are 20 wide and 30 high. */
#include "tests/unit/analysis/advice/advice_hand.h"

#include <math.h>

#include "tests/unit/analysis/scene/scene_hand.h"

enum { MESH, BOXES, TOP };

static const float triangle[9] = {-10, -10, 0, 10, -10, 0, 0, 20, 0};

/* WS_GEOMETRY_* of the mesh, and VkGeometryInstanceFlagsKHR of its instances, of scenes that are made from now on. */
static uint32_t mesh_flags, mesh_instance_flags;

/* Where set, the index of the micromap of the only triangle of geometry 0. */
static const int32_t *mesh_index;
static const uint8_t *mesh_opacities; /* of that micromap: hand_build_mapped */

/* The instances' z, and half the size of the box; 0 = none. */
static struct ws_scene *make_scene(float first_z, float second_z, float half)
{
    struct scene_file file;
    uint32_t references[3];
    const float box[6] = {-half, -half, -half, half, half, half};
    const struct hand_instance instances[] = {
        {HAND_AT(0, 0, first_z), 100, 0xff, 0, mesh_instance_flags, 0x1000, MESH},
        {HAND_AT(0, 0, second_z), 101, 0xff, 0, mesh_instance_flags, 0x1000, MESH},
        {HAND_AT(0, 0, 5), 102, 0xff, 0, 0, 0x2000, BOXES}};
    scene_begin(&file);
    hand_structure(&file, BOTTOM_LEVEL, "mesh");
    hand_structure(&file, BOTTOM_LEVEL, "boxes");
    hand_structure(&file, TOP_LEVEL, "top");
    struct ws_build_geometry mesh[] = {hand_triangles(&file, triangle, 3),
                                       hand_triangles(&file, triangle, 3)};
    mesh[0].capture_flags = mesh[1].capture_flags = mesh_flags;
    if (mesh_index != NULL)
        hand_build_mapped(&file, MESH, mesh, 2, mesh_index, mesh_opacities);
    else
        hand_build(&file, MESH, 0, mesh, 2);
    if (half > 0) {
        const struct ws_build_geometry boxes = hand_aabbs(&file, box, 1);
        hand_build(&file, BOXES, 0, &boxes, 1);
    }
    const struct ws_build_geometry top = hand_instances(&file, instances, half > 0 ? 3 : 2, references);
    hand_build(&file, TOP, 0, &top, 1);
    return scene_end(&file);
}

static void any_hit(struct hand *hand, enum hand_shader shader, uint32_t instance, uint32_t geometry,
                    enum ws_candidate_result result)
{
    hand_candidate(hand, WS_CANDIDATE_ANY_HIT, result, shader, instance, geometry, 10);
}

/* Two runs on geometry 0 of instance 0, one on that of instance 1, and a hit. */
static struct hand *shared_structure(enum ws_candidate_result second)
{
    struct hand *hand = hand_create("opaque", make_scene(10, 20, 0));
    hand_ray(hand, HAND_RAYGEN);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 0, 0, WS_CANDIDATE_ACCEPTED);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 0, 0, WS_CANDIDATE_ACCEPTED);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 0, second);
    hand_hit(hand, HAND_SHADED_HIT, 0, 0, 10);
    return hand;
}

/* What leads from a piece to its place: `geometry` WS_NONE = a whole instance. */
static void expect_place(const struct ws_advice *advice, uint64_t launch, uint32_t instance,
                         uint32_t geometry)
{
    assert_true(advice->has_thread && advice->has_instance);
    assert_int_equal(advice->launch, launch);
    assert_int_equal(advice->instance, instance);
    assert_int_equal(advice->has_geometry, geometry != WS_NONE);
    if (geometry != WS_NONE)
        assert_int_equal(advice->geometry, geometry);
}

static void opaque(void **state)
{
    (void)state;
    size_t count = 0;
    /* All instances agree: the flag of the geometry. */
    struct hand *hand = shared_structure(WS_CANDIDATE_ACCEPTED);
    hand_thread(hand);
    const struct ws_advice *advice = hand_only(hand);
    assert_string_equal(advice->subject, "geometry 0 of 'mesh' (met in instance 0, custom index 100)");
    expect_place(advice, 0, 0, 0);
    assert_int_equal(advice->saving, 3);
    assert_int_equal(advice->certainty, WS_LIKELY);
    assert_non_null(strstr(advice->change, "VK_GEOMETRY_OPAQUE_BIT_KHR"));
    hand_destroy(hand);
    /* One ignores: the flag of the other instance. */
    hand = shared_structure(WS_CANDIDATE_IGNORED);
    hand_thread(hand);
    advice = hand_only(hand);
    assert_string_equal(advice->subject, "instance 0 (custom index 100) of 'mesh'");
    expect_place(advice, 0, 0, WS_NONE);
    assert_int_equal(advice->saving, 2);
    assert_non_null(strstr(advice->change, "VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR"));
    hand_destroy(hand);
    /* Only the second launch shows it. */
    hand = hand_create("opaque", make_scene(10, 20, 0));
    hand_ray(hand, HAND_RAYGEN);
    hand_hit(hand, HAND_SHADED_HIT, 0, 0, 10);
    hand_thread(hand);
    hand_launch(hand);
    hand_ray(hand, HAND_RAYGEN);
    any_hit(hand, HAND_CUTOUT_ANY_HIT, 1, 1, WS_CANDIDATE_ACCEPTED);
    hand_thread(hand);
    expect_place(hand_only(hand), 1, 1, 1);
    hand_destroy(hand);
    /* But not where another geometry of it needs its shader. */
    hand = shared_structure(WS_CANDIDATE_IGNORED);
    any_hit(hand, HAND_TALLY_ANY_HIT, 0, 1, WS_CANDIDATE_ACCEPTED);
    hand_thread(hand);
    advice = hand_advice(hand, &count);
    assert_int_equal(count, 1);
    assert_true(advice[0].saving == 1 && advice[0].at_most);
    assert_non_null(strstr(advice[0].subject, "geometry 1 of 'mesh'"));
    expect_place(&advice[0], 0, 0, 1);
    hand_destroy(hand);
}

/* An opacity micromap may be why the shader is asked at all. */
static void opaque_heeds_micromaps(void **state)
{
    (void)state;
    mesh_flags = WS_GEOMETRY_MICROMAP;
    struct hand *hand = shared_structure(WS_CANDIDATE_ACCEPTED);
    hand_thread(hand);
    const struct ws_advice *advice = hand_only(hand);
    assert_int_equal(advice->saving, 3);
    assert_int_equal(advice->certainty, WS_POSSIBLE);
    assert_non_null(strstr(advice->change, "opacity micromap of the geometry: make opaque"));
    hand_destroy(hand);
    /* Where the instance disables it, as without. */
    mesh_instance_flags = 32;
    hand = shared_structure(WS_CANDIDATE_ACCEPTED);
    hand_thread(hand);
    advice = hand_only(hand);
    assert_int_equal(advice->certainty, WS_LIKELY);
    assert_non_null(strstr(advice->change, "VkAccelerationStructureGeometryKHR::flags: set"));
    hand_destroy(hand);
    mesh_flags = mesh_instance_flags = 0;
    /* A triangle of unknown opaque cannot let rays pass; one that is transparent, or has a micromap, can. What a micromap holds
     * is not captured. */
    static const struct {
        int32_t index;
        uint32_t certainty;
        const char *evidence;
    } cases[] = {
        {-4, WS_LIKELY,
         "of its 1 triangle 0 are fully opaque, 0 fully transparent, 1 unknown, 0 partly, and 0 have a "
         "micromap"},
        {-1, WS_LIKELY,
         "of its 1 triangle 0 are fully opaque, 1 fully transparent, 0 unknown, 0 partly, and 0 have"},
        {3, WS_POSSIBLE,
         "0 unknown, 0 partly, and 1 have a micromap, which asks the shader only where it says unknown."}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        mesh_index = &cases[i].index;
        hand = shared_structure(WS_CANDIDATE_ACCEPTED);
        hand_thread(hand);
        advice = hand_only(hand);
        assert_int_equal(advice->certainty, cases[i].certainty);
        assert_non_null(strstr(advice->evidence, cases[i].evidence));
        hand_destroy(hand);
    }
    /* What it holds is captured. Opaque, opaque, transparent, unknown opaque: only what is unknown may become opaque. Opaque
     * and unknown opaque in turn: it is opaque everywhere. */
    static const struct {
        uint8_t opacities;
        const char *change;
        const char *evidence;
    } held[] = {{0xc5, "opacity micromap of the geometry: make opaque",
                 "0 unknown, 1 partly, and 0 have a micromap, which asks the shader only where it says "
                 "unknown. Of the 4 parts that "
                 "micromaps tell apart, 1 are unknown"},
                {0xdd, "VkAccelerationStructureGeometryKHR::flags: set",
                 "Of the 4 parts that micromaps tell apart, 2 are unknown"}};
    const int32_t first = 0;
    mesh_index = &first;
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); ++i) {
        mesh_opacities = &held[i].opacities;
        hand = shared_structure(WS_CANDIDATE_ACCEPTED);
        hand_thread(hand);
        advice = hand_only(hand);
        assert_int_equal(advice->certainty, WS_LIKELY);
        assert_non_null(strstr(advice->change, held[i].change));
        assert_non_null(strstr(advice->evidence, held[i].evidence));
        hand_destroy(hand);
    }
    mesh_opacities = NULL;
    mesh_index = NULL;
}

/* Shorter than 1e-4 of the diagonal of 20 x 30 x 10: 3.74e-3. */
static struct hand *one_short(float tmax, uint32_t others)
{
    struct hand *hand = hand_create("short_rays", make_scene(10, 20, 0));
    for (uint32_t i = 0; i < others; ++i) {
        hand_ray(hand, HAND_RAYGEN);
        hand_hit(hand, HAND_SHADED_HIT, 0, 0, 10);
    }
    hand_ray(hand, HAND_RAYGEN)->tmax = tmax;
    hand_thread(hand);
    return hand;
}

static void short_rays(void **state)
{
    (void)state;
    struct hand *hand = one_short(3.7e-3f, 99);
    const struct ws_advice *advice = hand_only(hand);
    assert_int_equal(advice->saves, WS_SAVES_RAYS);
    assert_int_equal(advice->saving, 1);
    assert_int_equal(advice->of, 100);
    assert_int_equal(advice->certainty, WS_LIKELY);
    hand_destroy(hand);
    hand_nothing(one_short(3.8e-3f, 99));
    hand_nothing(one_short(3.7e-3f, 100)); /* one in more than a hundred */
}

/* 20 x 20 rays at -0.95, -0.85, ... 0.95 run the intersection shader of the box, where they meet it; those
 * with |x|, |y| < 0.4, 8 x 8, report, in turn at z = -0.25 and 0.25 in the box. One more ends before that. */
static struct hand *boxed(float half, float reach)
{
    struct hand *hand = hand_create("aabb", make_scene(10, 20, half));
    hand_ray(hand, HAND_RAYGEN);
    hand_hit(hand, HAND_SHADED_HIT, 0, 0, 10);
    for (int i = 0; i < 400; ++i) {
        const float x = -0.95f + 0.1f * (float)(i % 20);
        const float y = -0.95f + 0.1f * (float)(i / 20);
        const float t = i % 2 == 0 ? 4.75f : 5.25f;
        if (fabsf(x) > half || fabsf(y) > half)
            continue;
        struct ws_ray *ray = hand_ray(hand, HAND_RAYGEN);
        ray->origin[0] = x;
        ray->origin[1] = y;
        hand_candidate(hand, WS_CANDIDATE_INTERSECTION, WS_CANDIDATE_OPEN, HAND_INTERSECTION, 2, 0, 0);
        if (fabsf(x) < reach && fabsf(y) < reach)
            hand_candidate(hand, WS_CANDIDATE_REPORT, WS_CANDIDATE_ACCEPTED, HAND_INTERSECTION, 2, 0, t);
    }
    hand_ray(hand, HAND_RAYGEN);
    hand_candidate(hand, WS_CANDIDATE_INTERSECTION, WS_CANDIDATE_OPEN, HAND_INTERSECTION, 2, 0, 0);
    hand_hit(hand, HAND_SHADED_HIT, 2, 0, 4.2f);
    hand_thread(hand);
    return hand;
}

static void aabb(void **state)
{
    (void)state;
    /* The tight box is 0.7 x 0.7 x 0.5: 2.38 of 24 of the surface. 401 - 64 rays miss it. */
    struct hand *hand = boxed(1, 0.4f);
    const struct ws_advice *advice = hand_only(hand);
    assert_int_equal(advice->saves, WS_SAVES_INTERSECTION);
    assert_int_equal(advice->saving, 337);
    assert_int_equal(advice->of, 401);
    assert_int_equal(advice->certainty, WS_POSSIBLE);
    assert_string_equal(advice->subject, "procedural geometry 0 of 'boxes'");
    expect_place(advice, 0, 2, 0);
    assert_non_null(strstr(advice->evidence, "Of 401 intersection runs 64 (16.0 %) reported"));
    assert_non_null(strstr(advice->evidence, "10 % of the surface"));
    hand_destroy(hand);
    hand_nothing(boxed(0.4f, 0.4f)); /* as large as what is hit in it */
    hand_nothing(boxed(1, 0.3f));    /* 36 reports are few */
    hand_nothing(boxed(1, 0.8f));    /* 1.5 x 1.5 x 0.5: 7.5 of 24 of the surface */
    /* Nothing is hit: 401 runs, and 37. */
    hand = boxed(1, 0);
    assert_int_equal(hand_only(hand)->saving, 0);
    hand_destroy(hand);
    hand_nothing(boxed(0.3f, 0));
}

/* A thread of `count` rays to and fro between two planes at 10 and `second_z`. */
static void bounce(struct hand *hand, float second_z, uint32_t count, float gap)
{
    for (uint32_t i = 0; i < count; ++i) {
        const bool forth = i % 2 == 0;
        struct ws_ray *ray = hand_ray(hand, HAND_RAYGEN);
        ray->origin[2] = forth ? 10 : second_z;
        ray->direction[2] = forth ? 1 : -1;
        ray->origin[0] = i == count / 2 ? gap : 0;
        hand_hit(hand, HAND_SHADED_HIT, forth ? 1 : 0, 0, second_z - 10);
    }
    hand_thread(hand);
}

static struct hand *between(float second_z, uint32_t count, float gap)
{
    struct hand *hand = hand_create("trapped", make_scene(10, second_z, 0));
    bounce(hand, second_z, count, gap);
    return hand;
}

static void trapped(void **state)
{
    (void)state;
    /* 1 apart, in a scene of 36.07; 1.8 would be small enough. */
    struct hand *hand = between(11, 16, 0);
    const struct ws_advice *advice = hand_only(hand);
    assert_int_equal(advice->saves, WS_SAVES_RAYS);
    assert_int_equal(advice->saving, 8);
    assert_int_equal(advice->of, 16);
    assert_int_equal(advice->certainty, WS_POSSIBLE);
    hand_destroy(hand);
    hand_nothing(between(11, 15, 0));
    hand_nothing(between(12, 16, 0));
    hand_nothing(between(11, 16, 1)); /* the ninth begins elsewhere */
    /* A path of 10 rays has 2 beyond the limit of 8, but is not trapped. */
    hand = between(11, 16, 0);
    bounce(hand, 11, 10, 0);
    advice = hand_only(hand);
    assert_int_equal(advice->saving, 8);
    assert_int_equal(advice->of, 26);
    assert_non_null(strstr(advice->evidence, "8 rays beyond the first 8 of each; other paths of this call "
                                             "have 2."));
    hand_destroy(hand);
    /* What gets out in the end is not trapped. */
    hand = hand_create("trapped", make_scene(10, 11, 0));
    for (uint32_t i = 0; i < 18; ++i) {
        struct ws_ray *ray = hand_ray(hand, HAND_RAYGEN);
        ray->origin[2] = i % 2 == 0 ? 10 : 11;
        ray->direction[2] = i % 2 == 0 ? 1 : -1;
        if (i < 17)
            hand_hit(hand, HAND_SHADED_HIT, i % 2 == 0 ? 1 : 0, 0, 1);
    }
    hand_thread(hand);
    hand_nothing(hand);
    /* Another chain of the call is longer: 16 of 22 are less than three quarters. */
    hand = between(11, 16, 0);
    for (uint32_t i = 0; i < 22; ++i) {
        struct ws_ray *ray = hand_ray(hand, HAND_RAYGEN);
        ray->origin[0] = i % 2 == 0 ? 0 : 8;
        ray->origin[2] = 10;
        ray->direction[0] = i % 2 == 0 ? 8 : -8;
        ray->direction[2] = 0;
        hand_hit(hand, HAND_SHADED_HIT, 1, 0, 1);
    }
    hand_thread(hand);
    hand_nothing(hand);
}

enum { PIPELINE = 20, HANDLE = 8, GROUPS = 5, MISS_BLOB = 1, HIT_BLOB = 2 };

static void record(struct ws_scene_sbt *tables, const struct ws_chunk *chunk)
{
    struct ws_error error = {{0}};
    assert_true(ws_scene_sbt_record(tables, chunk, &error));
}

static void give_blob(struct ws_scene_sbt *tables, uint32_t id, const uint8_t *bytes, uint32_t size)
{
    struct ws_chunk chunk = {.type = WS_CHUNK_BLOB};
    chunk.blob = (struct ws_chunk_blob){.id = id, .size = size, .bytes = bytes, .count = size};
    record(tables, &chunk);
}

/* Two miss records, three hit records, of which the second has that any-hit shader and the last is empty; for
 * launch 0. */
static struct ws_scene_sbt *make_tables(uint32_t any_hit)
{
    uint8_t handles[GROUPS + 1][HANDLE] = {{1}, {2}, {3}, {4}, {5}, {0}};
    struct ws_shader_group groups[GROUPS];
    const uint32_t general[] = {HAND_RAYGEN, HAND_MISS, HAND_EMPTY_MISS, WS_NONE, WS_NONE};
    const uint32_t closest[] = {WS_NONE, WS_NONE, WS_NONE, HAND_SHADED_HIT, HAND_EMPTY_HIT};
    const uint32_t pipeline = PIPELINE;
    struct ws_scene_sbt *tables = ws_scene_sbt_create();
    assert_non_null(tables);
    for (uint32_t i = 0; i < GROUPS; ++i)
        groups[i] = (struct ws_shader_group){.general = general[i],
                                             .closest_hit = closest[i],
                                             .any_hit = i == 4 ? any_hit : WS_NONE,
                                             .intersection = WS_NONE,
                                             .handle = handles[i],
                                             .handle_size = HANDLE};
    struct ws_chunk chunk = {.type = WS_CHUNK_GROUPS};
    chunk.groups = (struct ws_chunk_groups){PIPELINE, HANDLE, groups, GROUPS};
    record(tables, &chunk);
    give_blob(tables, MISS_BLOB, handles[1], 2 * HANDLE);
    give_blob(tables, HIT_BLOB, handles[3], 3 * HANDLE);
    const struct ws_launch launch = {
        .kind = WS_LAUNCH_TRACE_RAYS, .pipelines = &pipeline, .pipeline_count = 1};
    chunk = (struct ws_chunk){.type = WS_CHUNK_SUBMISSION};
    chunk.submission = (struct ws_chunk_submission){.launches = &launch, .launch_count = 1};
    record(tables, &chunk);
    chunk = (struct ws_chunk){.type = WS_CHUNK_TABLES};
    for (int i = 0; i < 4; ++i)
        chunk.tables.tables[i] = (struct ws_binding_table){.stride = HANDLE, .blob = WS_NONE};
    chunk.tables.tables[WS_SBT_MISS].blob = MISS_BLOB;
    chunk.tables.tables[WS_SBT_MISS].size = 2 * HANDLE;
    chunk.tables.tables[WS_SBT_HIT].blob = HIT_BLOB;
    chunk.tables.tables[WS_SBT_HIT].size = 3 * HANDLE;
    record(tables, &chunk);
    return tables;
}

/* 64 rays that miss, and one that hits; then one more of each with other records. */
static struct hand *selecting(uint32_t miss, uint32_t hit, struct ws_scene *scene)
{
    struct hand *hand = hand_create("sbt_unused", scene);
    hand_tables(hand, make_tables(WS_NONE));
    for (int i = 0; i < 64; ++i)
        hand_ray(hand, HAND_RAYGEN);
    hand_ray(hand, HAND_RAYGEN);
    hand_hit(hand, HAND_SHADED_HIT, 0, 0, 10);
    hand_ray(hand, HAND_RAYGEN)->miss_index = miss;
    hand_ray(hand, HAND_RAYGEN)->sbt_offset = hit;
    hand_hit(hand, HAND_SHADED_HIT, 0, 0, 10);
    hand_thread(hand);
    return hand;
}

static void sbt_unused(void **state)
{
    (void)state;
    size_t count = 0;
    struct hand *hand = selecting(0, 0, make_scene(10, 20, 0));
    const struct ws_advice *advice = hand_advice(hand, &count);
    assert_int_equal(count, 2);
    assert_int_equal(advice[0].certainty, WS_LIKELY);
    assert_string_equal(advice[0].subject, "miss table of a ray tracing pipeline");
    assert_non_null(strstr(advice[0].evidence, "67 rays name records of this table (65 of them missed), but "
                                               "never those of 1 group among its 2"));
    assert_int_equal(advice[1].certainty, WS_POSSIBLE);
    assert_non_null(strstr(advice[1].evidence, "ran 2 times, but never those of 1 group among its 3"));
    hand_destroy(hand);
    hand_nothing(selecting(1, 1, make_scene(10, 20, 0)));
    /* A ray that hits names a miss shader too. */
    hand = selecting(0, 1, make_scene(10, 20, 0));
    hand_ray(hand, HAND_RAYGEN)->miss_index = 1;
    hand_hit(hand, HAND_SHADED_HIT, 0, 0, 10);
    hand_thread(hand);
    hand_nothing(hand);
    /* Which record was hit is not known. */
    hand = selecting(1, 0, NULL);
    hand_nothing(hand);
    /* No ray missed, in a room that is closed: the second miss record is not used all the same. */
    hand = hand_create("sbt_unused", make_scene(10, 20, 0));
    hand_tables(hand, make_tables(WS_NONE));
    for (int i = 0; i < 64; ++i) {
        hand_ray(hand, HAND_RAYGEN)->sbt_offset = i % 2;
        hand_hit(hand, HAND_SHADED_HIT, 0, 0, 10);
    }
    hand_thread(hand);
    advice = hand_only(hand);
    assert_string_equal(advice->subject, "miss table of a ray tracing pipeline");
    assert_int_equal(advice->certainty, WS_LIKELY);
    assert_non_null(strstr(advice->evidence, "64 rays name records of this table (0 of them missed)"));
    hand_destroy(hand);
    /* What rays of other shaders ran is not looked at. */
    hand = hand_create("sbt_unused", make_scene(10, 20, 0));
    hand_chosen(hand, "sbt_unused");
    hand_tables(hand, make_tables(WS_NONE));
    for (int i = 0; i < 64; ++i)
        hand_ray(hand, HAND_RAYGEN);
    hand_thread(hand);
    hand_nothing(hand);
    /* Without tables nothing is known. */
    hand = hand_create("sbt_unused", NULL);
    hand_ray(hand, HAND_RAYGEN);
    hand_thread(hand);
    hand_nothing(hand);
}

/* An any-hit shader without effects ran for record 0 of geometry 0 of instance 0; other rays, which met
 * nothing, have that SBT offset. */
static uint32_t opaque_besides(uint32_t offset, uint32_t any_hit)
{
    struct hand *hand = hand_create("opaque", make_scene(10, 20, 0));
    hand_tables(hand, make_tables(any_hit));
    hand_ray(hand, HAND_RAYGEN);
    hand_candidate(hand, WS_CANDIDATE_ANY_HIT, WS_CANDIDATE_ACCEPTED, HAND_CLEAN_ANY_HIT, 0, 0, 10);
    hand_hit(hand, HAND_SHADED_HIT, 0, 0, 10);
    hand_ray(hand, HAND_RAYGEN)->sbt_offset = offset;
    hand_thread(hand);
    const uint32_t certainty = hand_only(hand)->certainty;
    hand_destroy(hand);
    return certainty;
}

static void opaque_heeds_other_records(void **state)
{
    (void)state;
    assert_int_equal(opaque_besides(1, WS_NONE), WS_CERTAIN);
    assert_int_equal(opaque_besides(1, HAND_CLEAN_ANY_HIT), WS_CERTAIN);
    assert_int_equal(opaque_besides(1, HAND_CUTOUT_ANY_HIT), WS_LIKELY);
    assert_int_equal(opaque_besides(1, HAND_UNREADABLE), WS_LIKELY);
    assert_int_equal(opaque_besides(0, HAND_CUTOUT_ANY_HIT), WS_CERTAIN);
}

/* Rays that skip the closest hit shader, in a pipeline with that any-hit shader, which did not run. */
static uint32_t first_hit_besides(uint32_t any_hit)
{
    struct hand *hand = hand_create("shadow_flags", NULL);
    hand_tables(hand, make_tables(any_hit));
    hand_ray(hand, HAND_RAYGEN)->flags = WS_RAY_FLAG_SKIP_CLOSEST_HIT;
    hand_hit(hand, WS_NONE, 0, 0, 10);
    hand_thread(hand);
    const uint32_t certainty = hand_only(hand)->certainty;
    hand_destroy(hand);
    return certainty;
}

static void first_hit_heeds_other_groups(void **state)
{
    (void)state;
    assert_int_equal(first_hit_besides(WS_NONE), WS_CERTAIN);
    assert_int_equal(first_hit_besides(HAND_CUTOUT_ANY_HIT), WS_CERTAIN);
    assert_int_equal(first_hit_besides(HAND_TALLY_ANY_HIT), WS_LIKELY);
}

/* A ray of a call ignores the first geometries of instance 1, another of it hits nobody knows what. */
static struct hand *ignoring(uint32_t geometries)
{
    struct hand *hand = hand_create("cull_mask", make_scene(10, 20, 0));
    hand_ray(hand, HAND_RAYGEN);
    hand_hit(hand, HAND_SHADED_HIT, 0, 0, 10);
    hand_ray(hand, HAND_RAYGEN)->site = HAND_OTHER;
    for (uint32_t g = 0; g < geometries; ++g)
        hand_candidate(hand, WS_CANDIDATE_ANY_HIT, WS_CANDIDATE_IGNORED, HAND_HIDING_ANY_HIT, 1, g, 20);
    struct ws_ray *ray = hand_ray(hand, HAND_RAYGEN);
    ray->site = HAND_OTHER;
    ray->flags = WS_RAY_FLAG_SKIP_CLOSEST_HIT;
    hand_hit(hand, WS_NONE, 0, 0, 0);
    hand_thread(hand);
    return hand;
}

/* Geometry whose any-hit shader did not run may have none, and be what was hit. */
static void cull_mask(void **state)
{
    (void)state;
    struct hand *hand = ignoring(2);
    const struct ws_advice *advice = hand_only(hand);
    assert_int_equal(advice->certainty, WS_LIKELY);
    assert_non_null(strstr(advice->change, "(now 0xff): give the instance a bit of its own, 0x80 alone"));
    hand_destroy(hand);
    hand = ignoring(1);
    assert_int_equal(hand_only(hand)->certainty, WS_POSSIBLE);
    hand_destroy(hand);
}

static void silent_without_geometry(void **state)
{
    (void)state;
    const struct ws_advice_rule *const *rules = ws_advice_rules();
    const struct ws_scene none = {.structure_count = 0};
    const struct ws_advice_input input = {.scene = &none};
    struct ws_advice_run *run = ws_advice_run_create(&input, "aabb");
    assert_non_null(run);
    for (size_t i = 0; rules[i] != NULL; ++i) {
        const bool on_shaders = rules[i]->shader != NULL; /* there are no counters either */
        assert_int_equal(ws_advice_run_is_silent(run, rules[i]), rules[i]->needs_geometry || on_shaders);
    }
    ws_advice_run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opaque_heeds_other_records),
        cmocka_unit_test(first_hit_heeds_other_groups),
        cmocka_unit_test(cull_mask),
        cmocka_unit_test(opaque),
        cmocka_unit_test(opaque_heeds_micromaps),
        cmocka_unit_test(short_rays),
        cmocka_unit_test(aabb),
        cmocka_unit_test(trapped),
        cmocka_unit_test(sbt_unused),
        cmocka_unit_test(silent_without_geometry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
