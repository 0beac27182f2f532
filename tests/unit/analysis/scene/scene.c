/* Scenes made by hand: what is in them at which moment. */
#include "tests/unit/analysis/scene/scene_hand.h"

#include <math.h>

#include "analysis/scene/scene_transform.h"

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const float larger[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
static const float box[6] = {-1, -2, -3, 1, 2, 3};

static void nothing_is_an_empty_scene(void **state)
{
    (void)state;
    struct scene_file file;
    uint32_t top = 0;
    float bounds[6];
    scene_begin(&file);
    struct ws_scene *scene = scene_end(&file);
    assert_int_equal(scene->structure_count, 0);
    assert_int_equal(scene->build_count, 0);
    assert_int_equal(scene->problem_count, 0);
    assert_int_equal(ws_scene_tops(scene, 0, UINT64_MAX, &top, 1), 0);
    assert_int_equal(ws_scene_build_at(scene, 0, 0), WS_NONE);
    assert_false(ws_scene_bounds(scene, 0, bounds));
    assert_false(ws_scene_aabb(scene, 0, 0, 0, bounds));
    ws_scene_destroy(scene);
    ws_scene_destroy(NULL);
    struct ws_error error = {{0}};
    assert_null(ws_scene_create("/nowhere.wscope", &error));
    assert_non_null(strstr(error.message, "/nowhere.wscope"));
}

/* A triangle, moved by its geometry's transform, and a box, twice in a top level. */
static void one_scene(void **state)
{
    (void)state;
    struct scene_file file;
    scene_begin(&file);
    const uint32_t bottom = hand_structure(&file, BOTTOM_LEVEL, "mesh");
    const uint32_t top = hand_structure(&file, TOP_LEVEL, "");
    const float moved[12] = {2, 0, 0, 10, 0, 1, 0, 20, 0, 0, 1, 30};
    struct ws_build_geometry geometries[] = {hand_triangles(&file, triangle, 3), hand_aabbs(&file, box, 1)};
    geometries[0].transform = hand_blob(&file, moved, sizeof(moved));
    hand_build(&file, bottom, 5, geometries, 2);
    uint32_t references[2];
    const struct hand_instance instances[] = {
        {{0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}, 0xabcdef, 0xff, 7, 1, 0x1000, bottom},
        {HAND_AT(100, 0, 0), 3, 0x0f, 0x123456, 0x10, 0x1000, bottom}};
    const struct ws_build_geometry whole = hand_instances(&file, instances, 2, references);
    hand_build(&file, top, 5, &whole, 1);
    assert_true(
        ws_capture_write_name(file.writer, &(struct ws_chunk_name){WS_NAME_STRUCTURE, top, "world"}, NULL));
    struct ws_scene *scene = scene_end(&file);
    expect_no_problems(scene);
    assert_int_equal(scene->structure_count, 2);
    assert_string_equal(scene->structures[0].name, "mesh");
    assert_string_equal(scene->structures[1].name, "world");
    assert_true(scene->structures[0].gone == UINT64_MAX && scene->structures[0].address == 0x1000);
    assert_int_equal(scene->build_count, 2);
    assert_int_equal(scene->content_count, 2);
    assert_false(scene->builds[0].top);
    assert_true(scene->builds[1].top);
    assert_int_equal(scene->builds[0].geometry_count, 2);
    assert_true(scene->builds[0].primitives == 2);
    assert_int_equal(scene->builds[0].geometries[0].vertex_count, 3);
    assert_false(scene->builds[0].geometries[0].identity);
    assert_int_equal(ws_scene_build_at(scene, 0, 4), WS_NONE);
    assert_int_equal(ws_scene_build_at(scene, 0, 5), 0);

    float vertices[3][3], bounds[6];
    const float expected[9] = {10, 20, 30, 12, 20, 30, 10, 21, 30};
    assert_true(ws_scene_triangle(scene, 0, 0, 0, vertices));
    expect_floats(vertices[0], expected, 9);
    assert_false(ws_scene_triangle(scene, 0, 0, 1, vertices));
    assert_false(ws_scene_triangle(scene, 0, 1, 0, vertices));
    assert_false(ws_scene_triangle(scene, 0, 2, 0, vertices));
    assert_false(ws_scene_triangle(scene, 9, 0, 0, vertices));
    assert_true(ws_scene_aabb(scene, 0, 1, 0, bounds));
    expect_floats(bounds, box, 6);
    assert_false(ws_scene_aabb(scene, 0, 1, 1, bounds));
    assert_false(ws_scene_aabb(scene, 0, 0, 0, bounds));
    const float around[6] = {-1, -2, -3, 12, 21, 30};
    assert_true(ws_scene_bounds(scene, 0, bounds));
    expect_floats(bounds, around, 6);
    /* The first is turned by a quarter, x to y and y to -x; the second moved by 100. */
    const float world[6] = {-21, -2, -3, 112, 21, 30};
    assert_true(ws_scene_bounds(scene, 1, bounds));
    expect_floats(bounds, world, 6);

    struct ws_scene_instance instance;
    assert_int_equal(ws_scene_instance_count(scene, 1), 2);
    assert_int_equal(ws_scene_instance_count(scene, 0), 0);
    assert_true(ws_scene_instance(scene, 1, 0, &instance));
    expect_floats(instance.transform, instances[0].transform, 12);
    assert_int_equal(instance.custom_index, 0xabcdef);
    assert_int_equal(instance.mask, 0xff);
    assert_int_equal(instance.sbt_offset, 7);
    assert_int_equal(instance.flags, 1);
    assert_int_equal(instance.structure, 0);
    assert_int_equal(instance.build, 0);
    assert_true(ws_scene_instance(scene, 1, 1, &instance));
    assert_int_equal(instance.sbt_offset, 0x123456);
    assert_int_equal(instance.flags, 0x10);
    assert_false(ws_scene_instance(scene, 1, 2, &instance));
    assert_false(ws_scene_instance(scene, 0, 0, &instance));
    uint32_t tops[2] = {WS_NONE, WS_NONE};
    assert_int_equal(ws_scene_tops(scene, 0, 5, tops, 2), 1);
    assert_int_equal(tops[0], 1);
    assert_int_equal(ws_scene_tops(scene, 0, 4, tops, 2), 0);
    assert_int_equal(ws_scene_tops(scene, 1, 5, tops, 2), 0);
    ws_scene_destroy(scene);
}

/* Builds, updates, copies and ends; a moment is in the order of the file. */
static void builds_change_with_time(void **state)
{
    (void)state;
    struct scene_file file;
    scene_begin(&file);
    const uint32_t first = hand_structure(&file, BOTTOM_LEVEL, "first");
    const uint32_t clone = hand_structure(&file, BOTTOM_LEVEL, "clone");
    const uint32_t read = hand_structure(&file, BOTTOM_LEVEL, "read");
    const uint32_t top = hand_structure(&file, TOP_LEVEL, "top");
    const struct ws_build_geometry small = hand_triangles(&file, triangle, 3);
    const struct ws_build_geometry large = hand_triangles(&file, larger, 3);
    uint32_t references[2];
    const struct hand_instance instances[] = {{HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0x1000, first},
                                              {HAND_AT(0, 0, 0), 1, 0xff, 0, 0, 0x2000, clone}};
    const struct ws_build_geometry both = hand_instances(&file, instances, 2, references);
    hand_build(&file, first, 1, &small, 1);             /* build 0 */
    hand_copy(&file, first, clone, 1, COPY_COMPACT, 0); /* clone: build 0 */
    hand_copy(&file, first, WS_NONE, 1, COPY_SERIALIZE, 77);
    hand_build(&file, top, 1, &both, 1); /* build 1 */
    const struct ws_chunk_build update = {.structure = first,
                                          .moment = 3,
                                          .flags = WS_BUILD_UPDATE,
                                          .source = first,
                                          .geometries = &large,
                                          .geometry_count = 1};
    assert_true(ws_capture_write_build(file.writer, &update, NULL)); /* build 2 */
    hand_build(&file, top, 3, &both, 1);                             /* build 3 */
    hand_copy(&file, WS_NONE, read, 4, COPY_DESERIALIZE, 77);        /* read: build 0 */
    hand_gone(&file, first, 5);
    hand_copy(&file, clone, read, 5, COPY_CLONE, 0);
    hand_build(&file, clone, 2, &large, 1); /* build 4, from another queue, later */
    struct ws_scene *scene = scene_end(&file);
    expect_no_problems(scene);
    assert_int_equal(ws_scene_build_at(scene, first, 0), WS_NONE);
    assert_int_equal(ws_scene_build_at(scene, first, 1), 0);
    assert_int_equal(ws_scene_build_at(scene, first, 2), 0);
    assert_int_equal(ws_scene_build_at(scene, first, 3), 2);
    assert_int_equal(ws_scene_build_at(scene, first, 5), WS_NONE);
    assert_true(scene->structures[first].gone == 5);
    assert_int_equal(ws_scene_build_at(scene, clone, 1), 0);
    assert_int_equal(ws_scene_build_at(scene, clone, 2), 4);
    assert_int_equal(ws_scene_build_at(scene, read, 3), WS_NONE);
    assert_int_equal(ws_scene_build_at(scene, read, 4), 0);
    assert_int_equal(ws_scene_build_at(scene, read, 5), 4);
    assert_int_equal(ws_scene_build_at(scene, top, 2), 1);
    assert_int_equal(ws_scene_build_at(scene, top, UINT64_MAX), 3);
    /* small, the top of it twice, large (built by clone at 2, first at 3), the top of that twice */
    assert_int_equal(scene->content_count, 4);
    assert_int_equal(scene->builds[0].content, 0);
    assert_int_equal(scene->builds[1].content, 1);
    assert_int_equal(scene->builds[4].content, 2);
    assert_int_equal(scene->builds[2].content, 2);
    assert_int_equal(scene->builds[3].content, 3);
    struct ws_scene_instance instance;
    assert_true(ws_scene_instance(scene, 1, 0, &instance));
    assert_int_equal(instance.build, 0);
    assert_true(ws_scene_instance(scene, 1, 1, &instance));
    assert_int_equal(instance.build, 0);
    assert_true(ws_scene_instance(scene, 3, 0, &instance));
    assert_int_equal(instance.build, 2);
    assert_true(ws_scene_instance(scene, 3, 1, &instance));
    assert_int_equal(instance.build, 4);
    ws_scene_destroy(scene);
}

/* Equal builds have one content; what is not known equals nothing. Blobs of no build are no input. */
static void contents_are_shared(void **state)
{
    (void)state;
    struct scene_file file;
    scene_begin(&file);
    for (int i = 0; i < 6; ++i)
        hand_structure(&file, BOTTOM_LEVEL, "");
    const struct ws_build_geometry geometry = hand_triangles(&file, triangle, 3);
    struct ws_build_geometry opaque = geometry, unknown = geometry;
    opaque.flags = 1;
    unknown.data = WS_NONE;
    unknown.capture_flags = WS_GEOMETRY_UNKNOWN;
    hand_build(&file, 0, 0, &geometry, 1);
    hand_build(&file, 1, 0, &geometry, 1);
    hand_build(&file, 2, 0, &opaque, 1);
    hand_build(&file, 3, 0, &unknown, 1);
    hand_build(&file, 4, 0, &unknown, 1);
    hand_blob(&file, triangle, sizeof(triangle));
    struct ws_scene *scene = scene_end(&file);
    assert_int_equal(scene->content_count, 4);
    assert_int_equal(scene->builds[1].content, 0);
    assert_int_equal(scene->builds[2].content, 1);
    assert_int_equal(scene->builds[4].content, 3);
    assert_true(scene->blob_bytes == 36);
    assert_true(scene->shared_bytes == 2 * 36);
    ws_scene_destroy(scene);
}

/* Blobs whose pieces stand among those of others. */
static void pieces_come_together(void **state)
{
    (void)state;
    struct scene_file file;
    scene_begin(&file);
    uint8_t bytes[3][300];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 300; ++j)
            bytes[i][j] = (uint8_t)(7 * i + j);
    for (uint32_t piece = 0; piece < 3; ++piece)
        for (uint32_t blob = 0; blob < 3; ++blob) {
            if (blob == 1 && piece == 2)
                continue; /* never complete */
            const struct ws_chunk_blob chunk = {.id = blob,
                                                .size = 300,
                                                .offset = UINT64_C(100) * piece,
                                                .bytes = bytes[blob] + 100 * piece,
                                                .count = 100};
            assert_true(ws_capture_write_blob(file.writer, &chunk, NULL));
        }
    assert_true(ws_capture_write_blob(file.writer, &(struct ws_chunk_blob){.id = 3}, NULL));
    struct ws_scene *scene = scene_end(&file);
    size_t size = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        const uint8_t *found = ws_scene_blob(scene, i, &size);
        assert_non_null(found);
        assert_int_equal(size, i == 1 ? 200 : 300);
        assert_memory_equal(found, bytes[i], size);
    }
    assert_non_null(ws_scene_blob(scene, 3, &size));
    assert_int_equal(size, 0);
    assert_null(ws_scene_blob(scene, 4, &size));
    assert_null(ws_scene_blob(scene, WS_NONE, &size));
    expect_problem(scene, "blobs that end too early: first blob 1, 200 of 300 bytes", 1);
    ws_scene_destroy(scene);
}

static void transforms_invert(void **state)
{
    (void)state;
    const float turned[12] = {0, -2, 0, 5, 2, 0, 0, 6, 0, 0, 4, 7};
    const float back[12] = {0, 0.5f, 0, -3, -0.5f, 0, 0, 2.5f, 0, 0, 0.25f, -1.75f};
    const float flat[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
    const float nan[12] = {NAN, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const float huge[12] = {3e38f, 0, 0, 0, 0, 3e38f, 0, 0, 0, 0, 3e38f, 3e38f};
    const float point[3] = {1, 2, 3};
    float inverse[12], moved[3], again[3];
    assert_true(ws_transform_invert(turned, inverse));
    expect_floats(inverse, back, 12);
    ws_transform_point(turned, point, moved);
    expect_floats(moved, (const float[3]){1, 8, 19}, 3);
    ws_transform_point(inverse, moved, again);
    expect_floats(again, point, 3);
    ws_transform_vector(turned, point, moved);
    expect_floats(moved, (const float[3]){-4, 2, 12}, 3);
    assert_false(ws_transform_invert(flat, inverse));
    assert_false(ws_transform_invert(nan, inverse));
    ws_transform_point(huge, (const float[3]){9, -9, 0}, moved);
    assert_true(isinf(moved[0]) && isinf(moved[1]) && moved[1] < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_an_empty_scene), cmocka_unit_test(one_scene),
        cmocka_unit_test(builds_change_with_time),   cmocka_unit_test(contents_are_shared),
        cmocka_unit_test(pieces_come_together),      cmocka_unit_test(transforms_invert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
