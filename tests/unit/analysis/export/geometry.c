/* Geometry as OBJ and text, character by character. */
#include "tests/unit/analysis/scene/scene_hand.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "analysis/export/geometry.h"

static const char *const expected_obj =
    "# content 0 of a Vulkan capture, built in structure 0 mesh\n"
    "o content_0\n"
    "g geometry_0\n"
    "v 10.1000004 0 0\n"
    "v 11.1000004 0 0\n"
    "v 10.1000004 1 0\n"
    "f 1 2 3\n"
    "v 11.1000004 1 0\n"
    "f 3 2 4\n"
    "# 1 triangle left out: not finite, inactive, or not captured\n"
    "g geometry_1_aabbs\n"
    "v -1 -2 -3\nv 1 -2 -3\nv -1 2 -3\nv 1 2 -3\nv -1 -2 3\nv 1 -2 3\nv -1 2 3\nv 1 2 3\n"
    "f 5 9 11\nf 5 11 7\nf 6 8 12\nf 6 12 10\nf 5 6 10\nf 5 10 9\n"
    "f 7 11 12\nf 7 12 8\nf 5 7 8\nf 5 8 6\nf 9 10 12\nf 9 12 11\n"
    "# 1 AABB left out: not finite, inactive, or not captured\n";

static const char *const expected_top =
    "# a top-level acceleration structure of a Vulkan capture, content 1, built in structure 1 world\n"
    "# an instance in each line; transform: object to world, three rows of four\n"
    "instance 0 custom_index 5 mask 0xff sbt_offset 2 flags 0x1 structure 0 obj blas_0.obj transform "
    "1 0 0 0.100000001 0 1 0 0 0 0 1 0\n"
    "# instance 1 left out: its transform is not finite\n"
    "instance 2 custom_index 0 mask 0x00 sbt_offset 0 flags 0x0 structure - obj - transform "
    "1 0 0 0 0 1 0 0 0 0 1 0\n";

/* What a triangle is by its opacity micromap is its material. */
static void micromaps_are_materials(void **state)
{
    (void)state;
    struct scene_file file;
    const float vertices[27] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,
                                0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int32_t indices[3] = {-2, -2, 7};
    scene_begin(&file);
    hand_structure(&file, BOTTOM_LEVEL, "mesh");
    const struct ws_build_geometry mesh = hand_triangles(&file, vertices, 9);
    hand_build_mapped(&file, 0, &mesh, 1, indices, NULL);
    struct ws_scene *scene = scene_end(&file);
    char *text = NULL;
    size_t size = 0;
    uint64_t left_out = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(ws_export_obj(scene, 0, &left_out, stream));
    fclose(stream);
    assert_non_null(
        strstr(text, "usemtl micromap_opaque\nf 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 4 5 6\nv 0 0 0\nv 1 0 0\n"
                     "v 0 1 0\nusemtl micromap_mapped\nf 7 8 9\n"));
    free(text);
    ws_scene_destroy(scene);
}

static struct ws_scene *make_scene(void)
{
    struct scene_file file;
    const float vertices[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, NAN, 0, 0};
    const uint16_t indices[9] = {0, 1, 2, 4, 0, 1, 2, 1, 3};
    const float moved[12] = {1, 0, 0, 10.1f, 0, 1, 0, 0, 0, 0, 1, 0};
    const float boxes[12] = {-1, -2, -3, 1, 2, 3, NAN, 0, 0, 0, 0, 0};
    uint32_t references[3];
    scene_begin(&file);
    const uint32_t bottom = hand_structure(&file, BOTTOM_LEVEL, "mesh");
    const uint32_t top = hand_structure(&file, TOP_LEVEL, "world");
    struct ws_build_geometry geometries[] = {hand_triangles(&file, vertices, 5), hand_aabbs(&file, boxes, 2)};
    geometries[0].index_type = INDEX_16;
    geometries[0].indices = hand_blob(&file, indices, sizeof(indices));
    geometries[0].transform = hand_blob(&file, moved, sizeof(moved));
    geometries[0].primitive_count = 3;
    hand_build(&file, bottom, 0, geometries, 2);
    const struct hand_instance instances[] = {{HAND_AT(0.1f, 0, 0), 5, 0xff, 2, 1, 0x1000, bottom},
                                              {HAND_AT(NAN, 0, 0), 0, 0xff, 0, 0, 0x1000, bottom},
                                              {HAND_AT(0, 0, 0), 0, 0, 0, 0, 0, WS_NONE}};
    const struct ws_build_geometry whole = hand_instances(&file, instances, 3, references);
    hand_build(&file, top, 0, &whole, 1);
    return scene_end(&file);
}

static void check_file(const char *folder, const char *name, const char *expected)
{
    char path[128];
    size_t size = 0;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    uint8_t *data = load_file(path, &size);
    assert_string_equal((const char *)data, expected);
    free(data);
    unlink(path);
}

static void files(void **state)
{
    (void)state;
    char folder[64];
    struct ws_error error = {{0}};
    struct ws_scene *scene = make_scene();
    temporary_path(folder);
    unlink(folder);
    struct ws_geometry_export export = {.folder = folder};
    assert_true(ws_export_geometry(scene, &export, &error));
    assert_int_equal(export.objs, 1);
    assert_int_equal(export.tops, 1);
    assert_true(export.left_out == 3);
    check_file(folder, "blas_0.obj", expected_obj);
    check_file(folder, "tlas_1.txt", expected_top);
    assert_int_equal(rmdir(folder), 0);
    ws_scene_destroy(scene);
}

static void errors_are_said(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    struct ws_scene *scene = make_scene();
    struct ws_geometry_export export = {.folder = "/nowhere/at/all"};
    assert_false(ws_export_geometry(scene, &export, &error));
    assert_string_equal(error.message, "cannot make the folder '/nowhere/at/all': No such file or directory");
    char folder[64];
    temporary_path(folder);
    unlink(folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    /* No file may have a byte. */
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit nothing = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &nothing), 0);
    error.message[0] = '\0';
    export.folder = folder;
    const bool written = ws_export_geometry(scene, &export, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_false(written);
    assert_non_null(strstr(error.message, "blas_0.obj': File too large"));
    assert_int_equal(rmdir(folder), 0);
    ws_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(errors_are_said),
                                       cmocka_unit_test(micromaps_are_materials)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
