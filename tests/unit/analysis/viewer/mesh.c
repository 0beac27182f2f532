/* Meshes: their bytes, and what less detail leaves. */
#include "tests/unit/analysis/scene/scene_hand.h"

#include <math.h>

#include "analysis/scene/scene_transform.h"
#include "analysis/viewer/scene/mesh.h"
#include "warpscope/capture/budget.h"

/* Two triangles that share an edge, of which one has an index that is out of range first; and two boxes, one not finite. */
static struct ws_scene *make_scene(void)
{
    struct scene_file file;
    const float vertices[12] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 4, 4, 2};
    const uint32_t indices[9] = {0, 1, 9, 0, 1, 2, 2, 1, 3};
    const float boxes[12] = {NAN, 0, 0, 1, 1, 1, -1, -2, -3, 1, 2, 3};
    scene_begin(&file);
    const uint32_t bottom = hand_structure(&file, BOTTOM_LEVEL, "mesh");
    struct ws_build_geometry geometries[] = {hand_triangles(&file, vertices, 4), hand_aabbs(&file, boxes, 2)};
    geometries[0].index_type = INDEX_32;
    geometries[0].indices = hand_blob(&file, indices, sizeof(indices));
    geometries[0].primitive_count = 3;
    geometries[0].flags = 1;
    hand_build(&file, bottom, 0, geometries, 2);
    return scene_end(&file);
}

static uint32_t word_at(const char *bytes, size_t index)
{
    uint32_t word;
    memcpy(&word, bytes + 4 * index, 4);
    return word;
}

static char *write_mesh(const struct ws_scene *scene, uint32_t detail, size_t *size)
{
    struct ws_error error = {{0}};
    struct ws_mesh mesh;
    char *bytes = NULL;
    FILE *stream = open_memstream(&bytes, size);
    assert_non_null(stream);
    assert_true(ws_mesh_make(&mesh, scene, 0, detail, &error));
    ws_mesh_write(&mesh, stream);
    fclose(stream);
    ws_mesh_finish(&mesh);
    return bytes;
}

static void bytes_of_a_mesh(void **state)
{
    (void)state;
    struct ws_scene *scene = make_scene();
    size_t size;
    char *bytes = write_mesh(scene, 0, &size);
    /* Head 12 words, two parts of 16; four vertices, two triangles and their numbers; a box and its number. */
    const uint32_t expected[] = {0x484d5357, 1, 0, 2, 0, 4 * (12 + 32 + 12 + 6 + 2 + 6 + 1)};
    assert_int_equal(size, expected[5]);
    assert_memory_equal(bytes, expected, sizeof(expected));
    expect_floats((const float *)(const void *)(bytes + 24), (const float[6]){-1, -2, -3, 4, 4, 3}, 6);
    const uint32_t triangles[10] = {0, 0, 1, 3, 1, 4, 2, 4 * 44, 4 * 56, 4 * 62};
    const uint32_t boxes[10] = {1, 1, 0, 2, 1, 0, 1, 4 * 64, 0, 4 * 70};
    assert_memory_equal(bytes + 4 * 12, triangles, sizeof(triangles));
    assert_memory_equal(bytes + 4 * 28, boxes, sizeof(boxes));
    expect_floats((const float *)(const void *)(bytes + 4 * 22), (const float[6]){0, 0, 0, 4, 4, 2}, 6);
    expect_floats((const float *)(const void *)(bytes + 4 * 44),
                  (const float[12]){0, 0, 0, 4, 0, 0, 0, 4, 0, 4, 4, 2}, 12);
    const uint32_t indices[8] = {0, 1, 2, 2, 1, 3, 1, 2}; /* and the numbers: primitives 1 and 2 */
    assert_memory_equal(bytes + 4 * 56, indices, sizeof(indices));
    expect_floats((const float *)(const void *)(bytes + 4 * 64), (const float[6]){-1, -2, -3, 1, 2, 3}, 6);
    assert_int_equal(word_at(bytes, 70), 1);
    free(bytes);
    ws_scene_destroy(scene);
}

static void refused(void **state)
{
    (void)state;
    struct ws_scene *scene = make_scene();
    struct ws_error error = {{0}};
    struct ws_mesh mesh;
    assert_false(ws_mesh_make(&mesh, scene, 1, 0, &error));
    assert_non_null(strstr(error.message, "no bottom-level content 1"));
    error = (struct ws_error){{0}};
    ws_budget_begin(0);
    ws_budget_set_least(100); /* not enough for three triangles */
    assert_false(ws_mesh_make(&mesh, scene, 0, 0, &error));
    assert_true(error.message[0] != '\0');
    ws_budget_set_least(WS_STEPS_LEAST);
    ws_budget_begin(0);
    ws_scene_destroy(scene);
}

#define SIDE 100 /* squares along a side of the hill */

/* A hill of 2 x SIDE x SIDE triangles, and 1000 boxes in a row. */
static struct ws_scene *make_hill(void)
{
    struct scene_file file;
    float *vertices = malloc(sizeof(float) * 3 * (SIDE + 1) * (SIDE + 1));
    uint32_t *indices = malloc(sizeof(uint32_t) * 6 * SIDE * SIDE);
    float *boxes = malloc(sizeof(float) * 6 * 1000);
    assert_true(vertices != NULL && indices != NULL && boxes != NULL);
    for (uint32_t y = 0; y <= SIDE; ++y)
        for (uint32_t x = 0; x <= SIDE; ++x) {
            float *at = vertices + 3 * (y * (SIDE + 1) + x);
            at[0] = (float)x;
            at[1] = (float)y;
            at[2] = 10 * sinf((float)x * 0.05f) * sinf((float)y * 0.05f);
        }
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const uint32_t a = i / SIDE * (SIDE + 1) + i % SIDE;
        const uint32_t square[6] = {a, a + 1, a + SIDE + 1, a + SIDE + 1, a + 1, a + SIDE + 2};
        memcpy(indices + 6 * i, square, sizeof(square));
    }
    for (uint32_t i = 0; i < 1000; ++i) {
        const float at = (float)i / 10;
        memcpy(boxes + 6 * i, (const float[6]){at, 0, 0, at + 0.5f, 1, 1}, 24);
    }
    scene_begin(&file);
    const uint32_t bottom = hand_structure(&file, BOTTOM_LEVEL, "hill");
    struct ws_build_geometry geometries[] = {hand_triangles(&file, vertices, (SIDE + 1) * (SIDE + 1)),
                                             hand_aabbs(&file, boxes, 1000)};
    geometries[0].index_type = INDEX_32;
    geometries[0].indices = hand_blob(&file, indices, sizeof(uint32_t) * 6 * SIDE * SIDE);
    geometries[0].primitive_count = 2 * SIDE * SIDE;
    hand_build(&file, bottom, 0, geometries, 2);
    free(vertices);
    free(indices);
    free(boxes);
    return scene_end(&file);
}

/* Bounds stay, triangles become few, none is degenerate or there twice, and each names a primitive near by. */
static void less_detail(void **state)
{
    (void)state;
    struct ws_scene *scene = make_hill();
    struct ws_error error = {{0}};
    struct ws_mesh whole;
    uint32_t before = 2 * SIDE * SIDE;
    assert_true(ws_mesh_make(&whole, scene, 0, 0, &error));
    assert_int_equal(whole.parts[0].drawn, before);
    for (uint32_t detail = 64; detail >= 2; detail /= 2) {
        struct ws_mesh mesh;
        assert_true(ws_mesh_make(&mesh, scene, 0, detail, &error));
        float bounds[6], boxes[6];
        ws_bounds_init(bounds);
        ws_bounds_init(boxes);
        for (uint32_t i = 0; i < 3 * mesh.parts[0].drawn; ++i)
            ws_bounds_add_point(bounds, mesh.parts[0].positions + 3 * (size_t)mesh.parts[0].indices[i]);
        for (uint32_t i = 0; i < 2 * mesh.parts[1].drawn; ++i)
            ws_bounds_add_point(boxes, mesh.parts[1].positions + 3 * (size_t)i);
        expect_floats(bounds, whole.parts[0].bounds, 6);
        expect_floats(boxes, whole.parts[1].bounds, 6);
        assert_true(mesh.parts[0].drawn < before && mesh.parts[0].drawn > 0);
        assert_true(mesh.parts[0].drawn <= 4 * detail * detail);
        assert_in_range(mesh.parts[1].drawn, 1, detail);
        assert_int_equal(mesh.parts[0].primitives, 2 * SIDE * SIDE);
        assert_int_equal(mesh.parts[0].left_out, 0);
        const double cell = (double)(whole.bounds[3] - whole.bounds[0]) / detail;
        for (uint32_t i = 0; i < mesh.parts[0].drawn; ++i) {
            const uint32_t *corners = mesh.parts[0].indices + 3 * i;
            const uint32_t *own = whole.parts[0].indices + 3 * mesh.parts[0].numbers[i];
            assert_true(corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0]);
            for (int j = 0; j < 3; ++j) {
                assert_true(corners[j] < mesh.parts[0].vertices);
                for (int axis = 0; axis < 2; ++axis)
                    assert_true(fabs((double)mesh.parts[0].positions[3 * corners[j] + axis] -
                                     (double)whole.parts[0].positions[3 * own[j] + axis]) <= cell * 1.0001);
            }
        }
        before = mesh.parts[0].drawn;
        ws_mesh_finish(&mesh);
    }
    ws_mesh_finish(&whole);
    ws_scene_destroy(scene);
}

/* A speck far from a large triangle does not vanish, though it is in one cell. */
static void specks_stay(void **state)
{
    (void)state;
    const float vertices[18] = {0, 0, 0, 100, 0, 0, 0, 100, 0, 90, 90, 0, 90.5f, 90, 0, 90, 90.5f, 0};
    struct scene_file file;
    struct ws_error error = {{0}};
    struct ws_mesh mesh;
    scene_begin(&file);
    const uint32_t bottom = hand_structure(&file, BOTTOM_LEVEL, "specks");
    const struct ws_build_geometry geometry = hand_triangles(&file, vertices, 6);
    hand_build(&file, bottom, 0, &geometry, 1);
    struct ws_scene *scene = scene_end(&file);
    assert_true(ws_mesh_make(&mesh, scene, 0, 4, &error));
    assert_int_equal(mesh.parts[0].drawn, 2);
    const uint32_t *corners = mesh.parts[0].indices + 3;
    assert_int_equal(mesh.parts[0].numbers[1], 1);
    for (int i = 0; i < 3; ++i)
        expect_floats(mesh.parts[0].positions + 3 * corners[i], vertices + 9 + 3 * i, 3);
    ws_mesh_finish(&mesh);
    ws_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_of_a_mesh), cmocka_unit_test(refused),
                                       cmocka_unit_test(less_detail), cmocka_unit_test(specks_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
