/* What can be wrong with geometry: each is named and counted, and getters refuse. And every vertex format. */
#include "tests/unit/analysis/scene/scene_hand.h"

#include <math.h>

#include <vulkan/vulkan_core.h>

#include "analysis/scene/scene_vertex.h"

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

/* A scene of one structure built of one geometry. */
static struct ws_scene *build_one(struct scene_file *file, const struct ws_build_geometry *geometry)
{
    hand_structure(file, BOTTOM_LEVEL, "mesh");
    hand_build(file, 0, 0, geometry, 1);
    return scene_end(file);
}

static void vertices_that_are_no_numbers(void **state)
{
    (void)state;
    struct scene_file file;
    float vertices[3][3], bounds[6];
    /* Infinite, inactive, NaN in the second vertex' z, good, inactive by the third vertex. */
    const float bad[45] = {0,   INFINITY, 0, 1, 0, 0, 0, 1, 0, NAN, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,   0, 1, 0,
                           NAN, 0,        1, 0, 0, 0, 0, 2, 0, 0,   0, 2, 0, 0, 0, 0, 1, 0, 0, NAN, 1, 0};
    scene_begin(&file);
    const struct ws_build_geometry geometry = hand_triangles(&file, bad, 15);
    struct ws_scene *scene = build_one(&file, &geometry);
    assert_int_equal(scene->problem_count, 2);
    expect_problem(scene,
                   "triangles with a vertex that is not finite: first structure 0 \"mesh\", geometry 0, "
                   "primitive 0",
                   2);
    expect_problem(scene, "inactive triangles, a vertex' x is NaN", 2);
    for (uint32_t i = 0; i < 3; ++i)
        assert_false(ws_scene_triangle(scene, 0, 0, i, vertices));
    assert_true(ws_scene_triangle(scene, 0, 0, 3, vertices));
    assert_false(ws_scene_triangle(scene, 0, 0, 4, vertices));
    assert_true(ws_scene_bounds(scene, 0, bounds));
    expect_floats(bounds, (const float[6]){0, 0, 0, 2, 2, 0}, 6);
    ws_scene_destroy(scene);
}

static void boxes_that_are_none(void **state)
{
    (void)state;
    struct scene_file file;
    float bounds[6];
    const float bad[24] = {NAN, 0, 0, 1, 1, 1, 0, 0, 0, INFINITY, 1, 1, 5, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1};
    scene_begin(&file);
    const struct ws_build_geometry geometry = hand_aabbs(&file, bad, 4);
    struct ws_scene *scene = build_one(&file, &geometry);
    assert_int_equal(scene->problem_count, 3);
    expect_problem(scene, "inactive AABBs", 1);
    expect_problem(scene, "AABBs that are not finite: first structure 0 \"mesh\", geometry 0, primitive 1",
                   1);
    expect_problem(scene, "AABBs whose smallest corner is not the smallest", 1);
    assert_false(ws_scene_aabb(scene, 0, 0, 0, bounds));
    assert_false(ws_scene_aabb(scene, 0, 0, 1, bounds));
    assert_true(ws_scene_aabb(scene, 0, 0, 3, bounds));
    assert_true(ws_scene_bounds(scene, 0, bounds));
    expect_floats(bounds, (const float[6]){0, 0, 0, 5, 1, 1}, 6);
    ws_scene_destroy(scene);
}

static void indices(void **state)
{
    (void)state;
    const uint8_t bytes[] = {2, 1, 0, 0, 1, 3};
    const uint16_t halves[] = {2, 1, 0, 0, 1, 3};
    const uint32_t words[] = {2, 1, 0, 0, 1, UINT32_MAX};
    const struct {
        uint32_t type;
        const void *data;
        size_t size;
    } kinds[] = {{(uint32_t)INDEX_8, bytes, 6}, {INDEX_16, halves, 12}, {INDEX_32, words, 24}};
    for (int i = 0; i < 3; ++i) {
        struct scene_file file;
        float vertices[3][3];
        uint32_t found[3];
        scene_begin(&file);
        struct ws_build_geometry geometry = hand_triangles(&file, triangle, 3);
        geometry.index_type = kinds[i].type;
        geometry.indices = hand_blob(&file, kinds[i].data, kinds[i].size);
        geometry.primitive_count = 4;
        struct ws_scene *scene = build_one(&file, &geometry);
        assert_int_equal(scene->problem_count, 2);
        expect_problem(scene, "triangles with an index beyond the vertices", 1);
        expect_problem(scene, "primitives beyond the end of their buffer: first structure 0 \"mesh\"", 2);
        assert_true(ws_scene_triangle(scene, 0, 0, 0, vertices));
        expect_floats(vertices[0], (const float[9]){0, 1, 0, 1, 0, 0, 0, 0, 0}, 9);
        assert_true(ws_scene_triangle_indices(scene, 0, 0, 0, found));
        assert_int_equal(found[0], 2);
        assert_false(ws_scene_triangle(scene, 0, 0, 1, vertices));
        assert_false(ws_scene_triangle_indices(scene, 0, 0, 1, found));
        assert_false(ws_scene_triangle_indices(scene, 0, 0, 2, found));
        ws_scene_destroy(scene);
    }
}

/* One geometry with a field that is wrong, and what is said of it. */
static void say(void (*spoil)(struct scene_file *file, struct ws_build_geometry *geometry), const char *text,
                uint64_t count)
{
    struct scene_file file;
    float vertices[3][3], bounds[6];
    scene_begin(&file);
    struct ws_build_geometry geometry = hand_triangles(&file, triangle, 3);
    spoil(&file, &geometry);
    struct ws_scene *scene = build_one(&file, &geometry);
    assert_int_equal(scene->problem_count, 1);
    expect_problem(scene, text, count);
    assert_false(ws_scene_triangle(scene, 0, 0, 0, vertices));
    assert_false(ws_scene_bounds(scene, 0, bounds));
    ws_scene_destroy(scene);
}

static void spoil_format(struct scene_file *file, struct ws_build_geometry *geometry)
{
    (void)file;
    geometry->vertex_format = VK_FORMAT_BC7_UNORM_BLOCK;
}

static void spoil_index_type(struct scene_file *file, struct ws_build_geometry *geometry)
{
    (void)file;
    geometry->index_type = 7;
}

static void spoil_type(struct scene_file *file, struct ws_build_geometry *geometry)
{
    (void)file;
    geometry->type = 9;
}

static void spoil_data(struct scene_file *file, struct ws_build_geometry *geometry)
{
    (void)file;
    geometry->data = WS_NONE;
    geometry->capture_flags = WS_GEOMETRY_UNKNOWN;
}

static void spoil_indices(struct scene_file *file, struct ws_build_geometry *geometry)
{
    (void)file;
    geometry->index_type = INDEX_32; /* of which there are none */
}

static void spoil_size(struct scene_file *file, struct ws_build_geometry *geometry)
{
    geometry->data = hand_blob(file, triangle, 35);
    geometry->capture_flags = WS_GEOMETRY_CLIPPED;
}

static void spoil_stride(struct scene_file *file, struct ws_build_geometry *geometry)
{
    (void)file;
    geometry->stride = UINT64_MAX;
}

static void spoil_count(struct scene_file *file, struct ws_build_geometry *geometry)
{
    (void)file;
    geometry->primitive_count = 0;
}

static void spoil_transform(struct scene_file *file, struct ws_build_geometry *geometry)
{
    const float transform[12] = {1, 0, 0, NAN, 0, 1, 0, 0, 0, 0, 1, 0};
    geometry->transform = hand_blob(file, transform, sizeof(transform));
}

static void spoil_transform_size(struct scene_file *file, struct ws_build_geometry *geometry)
{
    geometry->transform = hand_blob(file, triangle, 36);
}

/* Blobs and structures that no chunk defines: the build is there, what is missing of it is not. */
static void what_is_missing(void **state)
{
    (void)state;
    struct scene_file file;
    struct ws_scene_instance instance;
    float vertices[3][3];
    uint32_t reference;
    scene_begin(&file);
    const uint32_t mesh = hand_structure(&file, BOTTOM_LEVEL, "mesh");
    const uint32_t top = hand_structure(&file, TOP_LEVEL, "top");
    struct ws_build_geometry geometries[3];
    for (int i = 0; i < 3; ++i)
        geometries[i] = hand_triangles(&file, triangle, 3);
    geometries[0].data = 77;
    geometries[1].index_type = INDEX_16;
    geometries[1].indices = 77;
    hand_build(&file, mesh, 0, geometries, 3);
    const struct hand_instance instances[] = {{HAND_AT(0, 0, 0), 5, 0xff, 0, 0, 0x9000, 77}};
    const struct ws_build_geometry whole = hand_instances(&file, instances, 1, &reference);
    hand_build(&file, top, 0, &whole, 1);
    struct ws_scene *scene = scene_end(&file);
    assert_int_equal(scene->problem_count, 3);
    expect_problem(scene, "chunks of the capture that are damaged, or refer to what is not in it", 2);
    expect_problem(scene, "primitives whose bytes are not known: first structure 0 \"mesh\", geometry 0", 2);
    expect_problem(scene, "instances that refer to no known structure: first instance 0 of structure 1", 1);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(scene->builds[0].geometries[i].info.capture_flags, i < 2 ? WS_GEOMETRY_UNKNOWN : 0);
        assert_int_equal(ws_scene_triangle(scene, 0, i, 0, vertices), i == 2);
    }
    assert_true(ws_scene_instance(scene, 1, 0, &instance));
    assert_int_equal(instance.structure, WS_NONE);
    ws_scene_destroy(scene);
}

/* A top level that has itself for an instance, when it is built first and again; and two that have each other
 * by copies in a circle. */
static void circles(void **state)
{
    (void)state;
    struct scene_file file;
    uint32_t reference;
    float bounds[6];
    scene_begin(&file);
    const uint32_t one = hand_structure(&file, TOP_LEVEL, "one");
    const uint32_t two = hand_structure(&file, TOP_LEVEL, "two");
    const struct hand_instance self = {HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0x1000, one};
    const struct ws_build_geometry whole = hand_instances(&file, &self, 1, &reference);
    hand_build(&file, one, 0, &whole, 1);
    hand_build(&file, one, 0, &whole, 1);
    hand_copy(&file, one, two, 1, COPY_CLONE, 0);
    hand_copy(&file, two, one, 1, COPY_CLONE, 0);
    hand_copy(&file, one, one, 1, COPY_CLONE, 0);
    struct ws_scene *scene = scene_end(&file);
    expect_problem(scene, "instances of a top-level structure: first instance 0 of structure 0 \"one\"", 2);
    assert_int_equal(scene->problem_count, 1);
    assert_int_equal(ws_scene_build_at(scene, one, 1), 1);
    assert_false(ws_scene_bounds(scene, 1, bounds));
    ws_scene_destroy(scene);
}

static void fields_that_are_wrong(void **state)
{
    (void)state;
    say(spoil_format, "geometries with a vertex format that is not known, format 145: first structure 0", 1);
    say(spoil_index_type, "geometries with an index type that is not known, 7", 1);
    say(spoil_type, "geometries of a type that is not known, 9", 1);
    say(spoil_data, "primitives whose bytes are not known", 1);
    say(spoil_indices, "primitives whose bytes are not known", 1);
    say(spoil_size, "primitives beyond the end of their buffer: first structure 0 \"mesh\", geometry 0", 1);
    say(spoil_stride, "primitives beyond the end of their buffer", 1);
    say(spoil_count, "builds without any primitive: first of structure 0 \"mesh\"", 1);
    say(spoil_transform, "geometries whose transform is missing or not finite", 1);
    say(spoil_transform_size, "geometries whose transform is missing or not finite", 1);
}

static void instances_that_are_wrong(void **state)
{
    (void)state;
    struct scene_file file;
    struct ws_scene_instance instance;
    float bounds[6];
    scene_begin(&file);
    const uint32_t mesh = hand_structure(&file, BOTTOM_LEVEL, "mesh");
    const uint32_t gone = hand_structure(&file, BOTTOM_LEVEL, "gone");
    const uint32_t unbuilt = hand_structure(&file, BOTTOM_LEVEL, "unbuilt");
    const uint32_t top = hand_structure(&file, TOP_LEVEL, "top");
    const uint32_t other = hand_structure(&file, TOP_LEVEL, "other");
    const struct ws_build_geometry geometry = hand_triangles(&file, triangle, 3);
    hand_build(&file, mesh, 0, &geometry, 1);
    hand_build(&file, gone, 0, &geometry, 1);
    hand_gone(&file, gone, 1);
    const struct hand_instance instances[] = {
        {HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0x1000, mesh},
        {HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0, WS_NONE}, /* inactive, and right so */
        {HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0x99, WS_NONE},
        {HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0x2000, gone},
        {HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0x3000, unbuilt},
        {HAND_AT(NAN, 0, 0), 0, 0xff, 0, 0, 0x1000, mesh},
        {{0, 0, 0, 9, 0, 1, 0, 0, 0, 0, 1, 0}, 0, 0xff, 0, 0, 0x1000, mesh}};
    uint32_t references[7];
    struct ws_build_geometry whole = hand_instances(&file, instances, 7, references);
    whole.primitive_count = 9;
    hand_build(&file, top, 2, &whole, 1);
    const struct hand_instance nested = {HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0x4000, top};
    const struct ws_build_geometry two[] = {hand_instances(&file, &nested, 1, references), geometry};
    hand_build(&file, other, 2, two, 2);
    struct ws_scene *scene = scene_end(&file);
    expect_problem(scene,
                   "instances that refer to no known structure: first instance 2 of structure 3 \"top\"", 1);
    expect_problem(scene,
                   "instances of structures that were gone: first instance 3 of structure 3 \"top\", of "
                   "structure 1 \"gone\"",
                   1);
    expect_problem(scene, "instances of structures whose build is not known: first instance 4", 1);
    expect_problem(scene, "instances whose transform is not finite: first instance 5", 1);
    expect_problem(scene, "instances whose transform cannot be inverted: first instance 6", 1);
    expect_problem(scene, "primitives beyond the end of their buffer", 2);
    expect_problem(scene, "instances of a top-level structure: first instance 0 of structure 4 \"other\"", 1);
    expect_problem(scene, "top-level builds with more than one geometry", 1);
    assert_int_equal(scene->problem_count, 8);
    const uint32_t build = ws_scene_build_at(scene, top, 2);
    assert_int_equal(ws_scene_instance_count(scene, build), 7);
    const uint32_t expected[7] = {0, WS_NONE, WS_NONE, WS_NONE, WS_NONE, 0, 0};
    for (uint32_t i = 0; i < 7; ++i) {
        assert_true(ws_scene_instance(scene, build, i, &instance));
        assert_int_equal(instance.build, expected[i]);
    }
    assert_true(ws_scene_bounds(scene, build, bounds));
    expect_floats(bounds, (const float[6]){0, 0, 0, 9, 1, 0}, 6);
    assert_false(ws_scene_bounds(scene, ws_scene_build_at(scene, other, 2), bounds));
    ws_scene_destroy(scene);
}

static void order_that_is_wrong(void **state)
{
    (void)state;
    struct scene_file file;
    scene_begin(&file);
    const uint32_t a = hand_structure(&file, BOTTOM_LEVEL, "a");
    const uint32_t b = hand_structure(&file, BOTTOM_LEVEL, "b");
    const struct ws_build_geometry geometry = hand_triangles(&file, triangle, 3);
    hand_copy(&file, a, b, 0, COPY_CLONE, 0);             /* of what is not built */
    hand_copy(&file, WS_NONE, b, 0, COPY_DESERIALIZE, 5); /* of nothing that was serialized */
    hand_copy(&file, WS_NONE, b, 0, COPY_CLONE, 0);       /* of nothing at all */
    hand_copy(&file, a, WS_NONE, 0, COPY_SERIALIZE, 6);   /* of what is not built */
    const struct ws_chunk_build update = {
        .structure = a, .flags = WS_BUILD_UPDATE, .source = b, .geometries = &geometry, .geometry_count = 1};
    assert_true(ws_capture_write_build(file.writer, &update, NULL));
    hand_gone(&file, a, 1);
    hand_gone(&file, a, 2);
    hand_build(&file, a, 3, &geometry, 1);
    hand_build(&file, b, 3, NULL, 0);
    hand_copy(&file, b, a, 4, COPY_CLONE, 0);
    struct ws_scene *scene = scene_end(&file);
    expect_problem(scene, "copies of structures whose build is not known: first of structure 0 \"a\"", 2);
    expect_problem(scene,
                   "structures made of bytes that were not serialized in this capture: first structure 1", 2);
    expect_problem(scene, "updates from structures whose build is not known: first of structure 0 \"a\"", 1);
    expect_problem(scene, "structures that were destroyed twice: first structure 0 \"a\"", 1);
    expect_problem(scene, "builds of, or copies to, structures that were gone: first structure 0 \"a\"", 2);
    expect_problem(scene, "builds without any primitive: first of structure 1 \"b\"", 1);
    assert_int_equal(scene->problem_count, 6);
    assert_true(scene->structures[a].gone == 1);
    ws_scene_destroy(scene);
}

/* A capture whose blob is damaged has not the builds that use it, and says so. */
static void damaged_capture(void **state)
{
    (void)state;
    struct scene_file file;
    size_t size = 0;
    scene_begin(&file);
    hand_structure(&file, BOTTOM_LEVEL, "mesh");
    const struct ws_build_geometry geometry = hand_triangles(&file, triangle, 3);
    hand_build(&file, 0, 0, &geometry, 1);
    scene_close(&file);
    uint8_t *data = load_file(file.path, &size);
    unlink(file.path);
    for (size_t at = WS_CAPTURE_HEADER_SIZE; at < size;) {
        uint32_t type;
        uint64_t stored;
        memcpy(&type, data + at, sizeof(type));
        memcpy(&stored, data + at + 8, sizeof(stored));
        if (type == WS_CHUNK_BLOB)
            data[at + WS_CHUNK_HEADER_SIZE + 8] ^= 1;
        at += WS_CHUNK_HEADER_SIZE + stored;
    }
    struct bytes bytes = {data, size, 0};
    struct ws_error error = {{0}};
    struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "file", &error);
    struct ws_scene *scene = ws_scene_read(reader, &error);
    assert_non_null(scene);
    assert_int_equal(scene->build_count, 1);
    assert_int_equal(scene->problem_count, 2);
    expect_problem(scene, "chunks of the capture that are damaged, or refer to what is not in it", 2);
    expect_problem(scene, "primitives whose bytes are not known: first structure 0", 1);
    ws_scene_destroy(scene);
    ws_reader_destroy(reader);
    free(data);
}

static void formats(void **state)
{
    (void)state;
    static const struct {
        uint32_t format;
        uint32_t size;
        uint8_t bytes[32];
        float expected[3];
    } cases[] = {
        {VK_FORMAT_R32G32B32_SFLOAT, 12, {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0x40, 0x40}, {1, -2, 3}},
        {VK_FORMAT_R32G32_SFLOAT, 8, {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 9, 9, 9, 9}, {1, -2, 0}},
        {VK_FORMAT_R32G32B32A32_SFLOAT,
         16,
         {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0x40, 0x40, 9, 9, 9, 9},
         {1, -2, 3}},
        {VK_FORMAT_R64G64B64_SFLOAT,
         24,
         {0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x08, 0x40},
         {1, -2, 3}},
        {VK_FORMAT_R64G64_SFLOAT,
         16,
         {0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xef, 0x7f},
         {1, INFINITY, 0}},
        {VK_FORMAT_R16G16_SFLOAT, 4, {0, 0x3c, 0, 0xc0}, {1, -2, 0}},
        {VK_FORMAT_R16G16B16_SFLOAT, 6, {1, 0, 0, 0x7c, 0xff, 0x7b}, {0x1p-24f, INFINITY, 65504}},
        {VK_FORMAT_R16G16B16A16_SFLOAT, 8, {0, 0x38, 0, 0x80, 0, 0x84}, {0.5f, 0, -0x1p-14f}},
        {VK_FORMAT_R16G16B16A16_SNORM, 8, {0xff, 0x7f, 0, 0x80, 1, 0x80}, {1, -1, -1}},
        {VK_FORMAT_R16G16_SNORM, 4, {0, 0, 1, 0}, {0, 1.0f / 32767, 0}},
        {VK_FORMAT_R16G16B16_SNORM, 6, {0xff, 0x7f, 0, 0, 0xff, 0xff}, {1, 0, -1.0f / 32767}},
        {VK_FORMAT_R16G16B16A16_UNORM, 8, {0xff, 0xff, 0, 0, 1, 0}, {1, 0, 1.0f / 65535}},
        {VK_FORMAT_R8G8_UNORM, 2, {255, 51}, {1, 0.2f, 0}},
        {VK_FORMAT_R8G8B8_UNORM, 3, {0, 255, 51}, {0, 1, 0.2f}},
        {VK_FORMAT_R8_UNORM, 1, {255}, {1, 0, 0}},
        {VK_FORMAT_R8G8B8A8_SNORM, 4, {127, 128, 0x81, 7}, {1, -1, -1}},
        {VK_FORMAT_R8G8_SSCALED, 2, {127, 0xfe}, {127, -2, 0}},
        {VK_FORMAT_R8G8B8A8_USCALED, 4, {127, 0xfe, 3}, {127, 254, 3}},
        {VK_FORMAT_B8G8R8A8_UNORM, 4, {51, 0, 255, 9}, {1, 0, 0.2f}},
        {VK_FORMAT_A8B8G8R8_SNORM_PACK32, 4, {127, 0, 0x81, 9}, {1, 0, -1}},
        /* x 1023, y 0, z 341 */
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, {0xff, 0x03, 0x50, 0xd5}, {1, 0, 1.0f / 3}},
        /* the lowest is z 1023, then y 0, x 341 */
        {VK_FORMAT_A2R10G10B10_UNORM_PACK32, 4, {0xff, 0x03, 0x50, 0xd5}, {1.0f / 3, 0, 1}},
        /* x -512, y 511, z 0 */
        {VK_FORMAT_A2B10G10R10_SNORM_PACK32, 4, {0x00, 0xfe, 0x07, 0x00}, {-1, 1, 0}},
    };
    static const uint32_t none[] = {VK_FORMAT_UNDEFINED,
                                    VK_FORMAT_R8G8B8A8_UINT,
                                    VK_FORMAT_R8G8B8A8_SRGB,
                                    VK_FORMAT_R32G32B32_UINT,
                                    VK_FORMAT_R16G16B16_SINT,
                                    VK_FORMAT_R64G64B64_SINT,
                                    VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                    VK_FORMAT_D32_SFLOAT,
                                    UINT32_MAX};
    struct ws_vertex_format format;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        float position[3];
        assert_true(ws_vertex_format_find(cases[i].format, &format));
        assert_int_equal(format.size, cases[i].size);
        ws_vertex_decode(&format, cases[i].bytes, position);
        expect_floats(position, cases[i].expected, 3);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); ++i)
        assert_false(ws_vertex_format_find(none[i], &format));
    char text[32];
    assert_string_equal(ws_vertex_format_name(VK_FORMAT_R64G64B64_SFLOAT, text, sizeof(text)),
                        "R64G64B64_SFLOAT");
    assert_string_equal(ws_vertex_format_name(VK_FORMAT_R16G16B16A16_SFLOAT, text, sizeof(text)),
                        "R16G16B16A16_SFLOAT");
    assert_string_equal(ws_vertex_format_name(VK_FORMAT_A2B10G10R10_SNORM_PACK32, text, sizeof(text)),
                        "A2B10G10R10_SNORM");
    assert_string_equal(ws_vertex_format_name(1000, text, sizeof(text)), "format 1000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_that_are_no_numbers),
        cmocka_unit_test(boxes_that_are_none),
        cmocka_unit_test(indices),
        cmocka_unit_test(fields_that_are_wrong),
        cmocka_unit_test(what_is_missing),
        cmocka_unit_test(circles),
        cmocka_unit_test(instances_that_are_wrong),
        cmocka_unit_test(order_that_is_wrong),
        cmocka_unit_test(damaged_capture),
        cmocka_unit_test(formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
