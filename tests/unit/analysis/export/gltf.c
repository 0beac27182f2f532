/* The scene as glTF: what is in it, and that the validator finds nothing wrong with it. Argument: the script
 * that asks the validator. */
#include "tests/unit/analysis/scene/scene_hand.h"

#include <math.h>
#include <sys/wait.h>

#include <cjson/cJSON.h>

#include "analysis/export/gltf.h"
#include "analysis/export/gltf_camera.h"

static const char *script;

/* A triangle and a box, twice; mirrored; sheared; flat; with NaN; and what is not known. */
static struct ws_scene *make_scene(void)
{
    struct scene_file file;
    const float vertices[15] = {0, 0, 0, 0.1f, 0, 0, 0, 0.3f, 0, NAN, 0, 0, 0, 0, 0};
    const uint32_t indices[6] = {0, 1, 2, 3, 0, 1};
    const float box[6] = {-1, -2, -3, 1, 2, 3};
    uint32_t references[6];
    scene_begin(&file);
    const uint32_t bottom = hand_structure(&file, BOTTOM_LEVEL, "mesh");
    const uint32_t top = hand_structure(&file, TOP_LEVEL, "world");
    struct ws_build_geometry geometries[] = {hand_triangles(&file, vertices, 5), hand_aabbs(&file, box, 1)};
    geometries[0].index_type = INDEX_32;
    geometries[0].indices = hand_blob(&file, indices, sizeof(indices));
    geometries[0].primitive_count = 2;
    hand_build(&file, bottom, 0, geometries, 2);
    const struct hand_instance instances[] = {
        {HAND_AT(0, 0, 0), 5, 0xff, 2, 1, 0x1000, bottom},
        {{-2, 0, 0, 1, 0, 2, 0, 2, 0, 0, 2, 3}, 6, 0xff, 0, 0, 0x1000, bottom},
        {{1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, 7, 0xff, 0, 0, 0x1000, bottom},
        {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, 8, 0xff, 0, 0, 0x1000, bottom},
        {HAND_AT(NAN, 0, 0), 0, 0xff, 0, 0, 0x1000, bottom},
        {HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0, WS_NONE}};
    const struct ws_build_geometry whole = hand_instances(&file, instances, 6, references);
    hand_build(&file, top, 0, &whole, 1);
    return scene_end(&file);
}

/* One of each kind, and one that is no number. */
static void add_rays(struct ws_gltf_rays *rays)
{
    const struct ws_ray given[] = {
        {.origin = {0, 0, 10},
         .direction = {0, 0, -2},
         .tmax = 100,
         .end = WS_RAY_HIT,
         .has_hit = true,
         .hit = {.t = 5}},
        {.origin = {0, 0, 10}, .direction = {0, 0, 2}, .tmax = INFINITY, .end = WS_RAY_MISSED},
        {.origin = {0, 0, 10}, .direction = {1, 0, 0}, .tmax = 0.5f, .end = WS_RAY_IMPLICIT, .flags = 8},
        {.origin = {NAN, 0, 0}, .direction = {1, 0, 0}, .tmax = 1, .end = WS_RAY_MISSED},
        {.origin = {0, 0, 0}, .direction = {0, 0, 0}, .tmax = 1, .end = WS_RAY_UNKNOWN}};
    rays->most = 4;
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); ++i)
        assert_true(ws_gltf_rays_add(rays, &(struct ws_gltf_source){.thread = (uint32_t)i}, &given[i]));
    assert_int_equal(rays->count, 4);
    assert_true(rays->beyond == 0 && rays->left_out == 1);
}

/* `threads` with 3 rays each, whose origins tell the thread and the ray. */
static void add_threads(struct ws_gltf_rays *rays, uint32_t threads, uint32_t most)
{
    rays->most = most;
    for (uint32_t i = 0; i < 3 * threads; ++i) {
        const struct ws_ray ray = {.origin = {(float)(i / 3), (float)(i % 3), 0},
                                   .direction = {0, 0, 1},
                                   .tmax = 1,
                                   .end = WS_RAY_MISSED};
        assert_true(ws_gltf_rays_add(rays, &(struct ws_gltf_source){.thread = i / 3}, &ray));
    }
}

static void whole_threads_scattered_over_all(void **state)
{
    (void)state;
    struct ws_gltf_rays rays = {.most = 0};
    uint32_t tenths[10] = {0};
    add_threads(&rays, 10000, 3000);
    /* A sixteenth is dropped at a time. */
    assert_in_range(rays.count, 2700, 3000);
    assert_int_equal(rays.count + rays.beyond, 30000);
    assert_int_equal(rays.count % 3, 0);
    for (uint32_t i = 0; i < rays.count; ++i) {
        assert_true(rays.rays[i].origin[0] == rays.rays[i - i % 3].origin[0]);
        assert_true(rays.rays[i].origin[1] == (float)(i % 3));
        tenths[(uint32_t)rays.rays[i].origin[0] / 1000]++;
    }
    for (int i = 0; i < 10; ++i)
        assert_in_range(tenths[i], 200, 400);
    ws_gltf_rays_finish(&rays);
}

/* Fewer than any thread has: a piece of one is better than nothing. */
static void rays_that_no_thread_fits_into(void **state)
{
    (void)state;
    for (uint32_t most = 0; most < 3; ++most) {
        struct ws_gltf_rays rays = {.most = 0};
        add_threads(&rays, 100, most);
        assert_int_equal(rays.count, most);
        assert_int_equal(rays.beyond, 300 - most);
        ws_gltf_rays_finish(&rays);
    }
}

/* Whether the validator has something against the file; skips the test where it is not here. */
static void validate(const char *path)
{
    char command[512];
    snprintf(command, sizeof(command), "node '%s' '%s'", script, path);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)
        print_message("gltf-validator is not here\n");
    else
        assert_int_equal(WEXITSTATUS(status), 0);
}

static double number(const cJSON *list, int index)
{
    return cJSON_GetNumberValue(cJSON_GetArrayItem(list, index));
}

static const cJSON *named(const cJSON *list, const char *name)
{
    const cJSON *element;
    cJSON_ArrayForEach(element, list) if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(element, "name")),
                                                 name) == 0) return element;
    return NULL;
}

/* The box around the positions of a mesh's first primitive. */
static void check_bounds(const cJSON *json, const char *mesh, const double low[3], const double high[3])
{
    const cJSON *found = named(cJSON_GetObjectItem(json, "meshes"), mesh);
    assert_non_null(found);
    const cJSON *primitive = cJSON_GetArrayItem(cJSON_GetObjectItem(found, "primitives"), 0);
    const cJSON *position = cJSON_GetObjectItem(cJSON_GetObjectItem(primitive, "attributes"), "POSITION");
    const cJSON *accessor =
        cJSON_GetArrayItem(cJSON_GetObjectItem(json, "accessors"), (int)cJSON_GetNumberValue(position));
    for (int i = 0; i < 3; ++i) {
        const double found_low = number(cJSON_GetObjectItem(accessor, "min"), i);
        const double found_high = number(cJSON_GetObjectItem(accessor, "max"), i);
        if ((float)found_low != (float)low[i] || (float)found_high != (float)high[i])
            fail_msg("%s: axis %d is from %.17g to %.17g", mesh, i, found_low, found_high);
    }
}

static void check_json(const char *path)
{
    size_t size = 0;
    uint8_t *text = load_file(path, &size);
    cJSON *json = cJSON_Parse((const char *)text);
    assert_non_null(json);
    const cJSON *nodes = cJSON_GetObjectItem(json, "nodes");
    const cJSON *meshes = cJSON_GetObjectItem(json, "meshes");
    /* Four instances, the top level, three rays, a camera, two lights; the shared mesh, two placed ones, three of rays. */
    assert_int_equal(cJSON_GetArraySize(nodes), 11);
    assert_int_equal(cJSON_GetArraySize(meshes), 6);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(named(meshes, "blas_0"), "primitives")), 3);
    const cJSON *mirrored = named(nodes, "instance 1 of structure 0, custom index 6");
    const cJSON *matrix = cJSON_GetObjectItem(mirrored, "matrix");
    static const double expected[16] = {-2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1};
    for (int i = 0; i < 16; ++i)
        assert_true(number(matrix, i) == expected[i]);
    assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(mirrored, "mesh")), 0);
    check_bounds(json, "blas_0", (const double[3]){0, 0, 0},
                 (const double[3]){(double)0.1f, (double)0.3f, 0});
    /* x + y, y, z */
    check_bounds(json, "blas_0_placed", (const double[3]){0, 0, 0},
                 (const double[3]){(double)0.3f, (double)0.3f, 0});
    check_bounds(json, "ray 0 of thread 0,0,0: hit, depth 0", (const double[3]){0, 0, 0},
                 (const double[3]){0, 0, 10});
    check_bounds(json, "ray 0 of thread 0,0,0: shadow, depth 0", (const double[3]){0, 0, 10},
                 (const double[3]){0.5, 0, 10});
    /* All instances: x from -3 to 3, y from -2 to 6, z from -3 to 9: a diagonal of sqrt(36 + 64 + 144), of which a ray
     * that leaves them goes on for a tenth. */
    check_bounds(json, "ray 0 of thread 0,0,0: miss, depth 0", (const double[3]){0, 0, 10},
                 (const double[3]){0, 0, (double)(float)(10 + 0.1 * sqrt(244))});
    const cJSON *extras = cJSON_GetObjectItem(named(nodes, "ray 0 of thread 0,0,0: hit, depth 0"), "extras");
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(extras, "t")) == 5);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(extras, "kind")), "hit");
    cJSON_Delete(json);
    free(text);
}

static void files(void **state)
{
    (void)state;
    static const char *const ends[] = {" a.gltf", ".glb"};
    struct ws_scene *scene = make_scene();
    for (int i = 0; i < 2; ++i) {
        struct ws_error error = {{0}};
        struct ws_gltf_rays rays = {.most = 0};
        char path[64], file[80];
        temporary_path(path);
        snprintf(file, sizeof(file), "%s%s", path, ends[i]);
        struct ws_gltf_export export = {.path = file};
        add_rays(&rays);
        assert_true(ws_export_gltf(scene, &rays, &export, &error));
        assert_int_equal(export.tops, 1);
        assert_true(export.instances == 4 && export.baked == 2);
        /* A triangle in each of three meshes, two instances, a ray. */
        assert_true(export.left_out == 3 + 2 + 1);
        validate(file);
        if (i == 0)
            check_json(file);
        ws_gltf_rays_finish(&rays);
        unlink(file);
        unlink(path);
    }
    ws_scene_destroy(scene);
}

/* Two top levels with a triangle each, at z = 0 and z = 3, and one that equals the second. */
static struct ws_scene *make_tops(void)
{
    struct scene_file file;
    const float vertices[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    uint32_t reference;
    scene_begin(&file);
    const uint32_t mesh = hand_structure(&file, BOTTOM_LEVEL, "mesh");
    const struct ws_build_geometry geometry = hand_triangles(&file, vertices, 3);
    hand_build(&file, mesh, 0, &geometry, 1);
    struct ws_build_geometry whole = {.type = WS_GEOMETRY_INSTANCES};
    for (int i = 0; i < 3; ++i) {
        const struct hand_instance instance = {HAND_AT(0, 0, 3 * (float)i), 5, 0xff, 0, 0, 0x1000, mesh};
        const uint32_t top = hand_structure(&file, TOP_LEVEL, "top");
        if (i < 2)
            whole = hand_instances(&file, &instance, 1, &reference);
        hand_build(&file, top, 0, &whole, 1);
    }
    return scene_end(&file);
}

/* What is drawn of them for rays from two sites, the hits of the first at `z`, none of the second. `said`: ids of the
 * structures that they flew through; NULL = it is not said. */
static struct ws_gltf_export draw_tops(const struct ws_scene *scene, float z, bool shadows,
                                       const uint32_t *said)
{
    struct ws_error error = {{0}};
    struct ws_ray given[] = {{.origin = {1, 1, 10},
                              .direction = {0, 0, -1},
                              .end = WS_RAY_HIT,
                              .has_hit = true,
                              .hit = {.t = 10 - z, .custom_index = 5}},
                             {.origin = {1, 1, 10}, .direction = {0, 0, 1}, .tmax = 1, .site = 1}};
    struct ws_gltf_rays rays = {.most = 10};
    char path[64], file[80];
    temporary_path(path);
    snprintf(file, sizeof(file), "%s.glb", path);
    struct ws_gltf_export export = {.path = file};
    for (int i = 0; i < 2 && said != NULL; ++i)
        given[i].structure = (struct ws_ray_structure){WS_STRUCTURE_BY_DESCRIPTOR, said[i]};
    for (int i = 0; i < (shadows ? 2 : 1); ++i)
        assert_true(ws_gltf_rays_add(&rays, &(struct ws_gltf_source){.thread = 0}, &given[i]));
    assert_true(ws_export_gltf(scene, &rays, &export, &error));
    validate(file);
    ws_gltf_rays_finish(&rays);
    unlink(file);
    unlink(path);
    return export;
}

static void top_levels_are_those_of_the_rays(void **state)
{
    (void)state;
    struct ws_scene *scene = make_tops();
    struct ws_gltf_export export = draw_tops(scene, 3, false, NULL);
    assert_true(export.live == 2 && export.tops == 1 && export.instances == 1 && export.unplaced == 0);
    export = draw_tops(scene, 0, true, NULL);
    assert_true(export.live == 2 && export.tops == 1 && export.unplaced == 1);
    /* A hit that is nowhere: all different ones. */
    export = draw_tops(scene, 7, false, NULL);
    assert_true(export.live == 2 && export.tops == 2 && export.instances == 2 && export.unplaced == 1);
    /* What is said stands, whatever the hits are: 3 alone, 2 and 3, which are equal and drawn once, and 1 and 3. */
    export = draw_tops(scene, 0, false, (const uint32_t[]){3, 3});
    assert_true(export.live == 2 && export.tops == 1 && export.instances == 1 && export.unplaced == 0);
    export = draw_tops(scene, 0, true, (const uint32_t[]){2, 3});
    assert_true(export.live == 2 && export.tops == 1 && export.instances == 1 && export.unplaced == 0);
    export = draw_tops(scene, 7, true, (const uint32_t[]){1, 3});
    assert_true(export.live == 2 && export.tops == 2 && export.instances == 2 && export.unplaced == 0);
    ws_scene_destroy(scene);
}

/* Writes a scene with rays; the JSON, which the caller frees. */
static cJSON *draw_json(const struct ws_scene *scene, const struct ws_gltf_rays *rays,
                        struct ws_gltf_export *export)
{
    struct ws_error error = {{0}};
    char path[64], file[80];
    size_t size = 0;
    temporary_path(path);
    snprintf(file, sizeof(file), "%s.gltf", path);
    export->path = file;
    assert_true(ws_export_gltf(scene, rays, export, &error));
    validate(file);
    uint8_t *text = load_file(file, &size);
    cJSON *json = cJSON_Parse((const char *)text);
    assert_non_null(json);
    free(text);
    unlink(file);
    unlink(path);
    return json;
}

/* The primary rays of a camera: `numbers` are c, u and v of directions, or of origins where `orthographic`. Rows run
 * down if v does. */
static void add_primaries(struct ws_gltf_rays *rays, const uint32_t extent[2], const double numbers[3][3],
                          const double other[3], bool orthographic)
{
    rays->most = 1000;
    for (uint32_t i = 0; i < extent[0] * extent[1]; ++i) {
        const struct ws_gltf_source source = {.thread = i, .place = {i % extent[0], i / extent[0], 0}};
        const double x = (2.0 * source.place[0] + 1) / extent[0] - 1;
        const double y = (2.0 * source.place[1] + 1) / extent[1] - 1;
        struct ws_ray ray = {.tmax = 100, .end = WS_RAY_MISSED, .parent = WS_NONE};
        for (int axis = 0; axis < 3; ++axis) {
            const double fitted = numbers[0][axis] + x * numbers[1][axis] + y * numbers[2][axis];
            /* Directions need not have one length. */
            ray.origin[axis] = (float)(orthographic ? fitted : other[axis]);
            ray.direction[axis] = (float)(orthographic ? other[axis] : (1 + i % 3) * fitted);
        }
        assert_true(ws_gltf_rays_add(rays, &source, &ray));
    }
}

static void check_view(const struct ws_gltf_view *view, const float expected[12], const double lens[2])
{
    for (int i = 0; i < 12; ++i)
        if (fabs((double)(view->transform[i] - expected[i])) > 1e-4)
            fail_msg("transform[%d] is %g, not %g", i, (double)view->transform[i], (double)expected[i]);
    const double first = view->orthographic ? view->magnify_x : view->aspect;
    const double second = view->orthographic ? view->magnify_y : view->yfov;
    assert_true(fabs(first - lens[0]) < 1e-4 && fabs(second - lens[1]) < 1e-4);
}

/* From (1, 2, 3) along -z, half as high as far and twice as wide as high; the same with rows that run up; along x; from
 * above without perspective. */
static void cameras_are_those_of_the_rays(void **state)
{
    (void)state;
    static const uint32_t extent[2] = {8, 6};
    static const struct {
        double numbers[3][3];
        double other[3];
        bool orthographic;
        float transform[12];
        double lens[2];
    } cases[] = {
        {{{0, 0, -1}, {1, 0, 0}, {0, -0.5, 0}},
         {1, 2, 3},
         false,
         {1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3},
         {2, 0.92729522}},
        {{{0, 0, -1}, {1, 0, 0}, {0, 0.5, 0}},
         {1, 2, 3},
         false,
         {1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3},
         {2, 0.92729522}},
        {{{2, 0, 0}, {0, 0, 2}, {0, -2, 0}},
         {5, 0, 0},
         false,
         {0, 0, -1, 5, 0, 1, 0, 0, 1, 0, 0, 0},
         {1, M_PI / 2}},
        {{{0, 10, 0}, {3, 0, 0}, {0, 0, 2}},
         {0, -1, 0},
         true,
         {1, 0, 0, 0, 0, 0, 1, 10, 0, -1, 0, 0},
         {3, 2}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct ws_gltf_rays rays = {.most = 0};
        struct ws_gltf_view view;
        add_primaries(&rays, extent, cases[i].numbers, cases[i].other, cases[i].orthographic);
        assert_true(ws_gltf_view_fit(&rays, extent, &view));
        assert_int_equal(view.orthographic, cases[i].orthographic);
        check_view(&view, cases[i].transform, cases[i].lens);
        ws_gltf_rays_finish(&rays);
    }
}

/* Rays all around a point, rays from here and there, and those of one row of pixels are of no camera. */
static void other_rays_have_no_camera(void **state)
{
    (void)state;
    static const uint32_t extent[2] = {16, 16};
    for (int kind = 0; kind < 3; ++kind) {
        struct ws_gltf_rays rays = {.most = 1000};
        struct ws_gltf_view view;
        for (uint32_t i = 0; i < 256; ++i) {
            const struct ws_gltf_source source = {.thread = i, .place = {i % 16, kind == 2 ? 0 : i / 16, 0}};
            const float turn = (float)i * 2.4f, down = (float)i / 128 - 1;
            const struct ws_ray ray = {.origin = {kind == 1 ? (float)(i * 7 % 16) : 0, 0, 0},
                                       .direction = {cosf(turn), down, sinf(turn)},
                                       .tmax = 1,
                                       .parent = WS_NONE,
                                       .end = WS_RAY_MISSED};
            assert_true(ws_gltf_rays_add(&rays, &source, &ray));
        }
        assert_false(ws_gltf_view_fit(&rays, extent, &view));
        ws_gltf_rays_finish(&rays);
    }
}

/* The camera and its node of a file, by name. */
static void check_camera(const cJSON *json, int index, const char *name)
{
    const cJSON *camera = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "cameras"), index);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(camera, "name")), name);
    const cJSON *node = named(cJSON_GetObjectItem(json, "nodes"), name);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(node, "camera")) == index);
}

/* A file opens with the camera of the primary rays; with few chosen rays, with those. */
static void files_open_with_a_view(void **state)
{
    (void)state;
    static const uint32_t extent[2] = {8, 6};
    static const double numbers[3][3] = {{0, 0, -1}, {1, 0, 0}, {0, -0.5, 0}};
    const double eye[3] = {1, 1, 10};
    const double expected[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 10, 1};
    struct ws_scene *scene = make_tops();
    for (int near = 0; near < 2; ++near) {
        struct ws_gltf_rays rays = {.most = 0};
        struct ws_gltf_export export = {.extent = {extent[0], extent[1]}, .near = near != 0};
        add_primaries(&rays, extent, numbers, eye, false);
        cJSON *json = draw_json(scene, &rays, &export);
        assert_true(export.has_view);
        if (near)
            check_camera(json, 0, "rays");
        check_camera(json, near, "primary rays");
        check_camera(json, near + 1, "all");
        const cJSON *node = named(cJSON_GetObjectItem(json, "nodes"), "primary rays");
        for (int i = 0; i < 16; ++i)
            assert_true(fabs(number(cJSON_GetObjectItem(node, "matrix"), i) - expected[i]) < 1e-4);
        cJSON_Delete(json);
        ws_gltf_rays_finish(&rays);
    }
    ws_scene_destroy(scene);
}

/* A triangle whose front is at +z, hit so many times from each side: 20 to 1 is one side, 19 to 1 is both. */
static void walls_are_seen_from_where_rays_come(void **state)
{
    (void)state;
    static const struct {
        uint32_t front;
        uint32_t back;
        const char *material;
    } cases[] = {{20, 1, "one side, tint 0"}, {1, 20, "one side, tint 0"}, {18, 1, "both sides, tint 0"}};
    struct ws_scene *scene = make_tops();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct ws_gltf_rays rays = {.most = 100};
        struct ws_gltf_export export = {.launch = 0};
        for (uint32_t j = 0; j < cases[i].front + cases[i].back; ++j) {
            const float from = j < cases[i].front ? 5 : -5;
            const struct ws_ray ray = {.origin = {1, 1, 3 + from},
                                       .direction = {0, 0, -from},
                                       .end = WS_RAY_HIT,
                                       .has_hit = true,
                                       .hit = {.t = 1, .custom_index = 5}};
            assert_true(ws_gltf_rays_add(&rays, &(struct ws_gltf_source){.thread = j}, &ray));
        }
        cJSON *json = draw_json(scene, &rays, &export);
        const cJSON *material = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "materials"), 0);
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(material, "name")), cases[i].material);
        assert_int_equal(cJSON_GetObjectItem(material, "doubleSided") != NULL, i == 2);
        cJSON_Delete(json);
        ws_gltf_rays_finish(&rays);
    }
    ws_scene_destroy(scene);
}

/* 300 rays are lines of a mesh for each kind and depth, whose vertices say which ray they are. */
static void many_rays_are_lines(void **state)
{
    (void)state;
    struct ws_scene *scene = make_tops();
    struct ws_gltf_rays rays = {.most = 1000};
    struct ws_gltf_export export = {.launch = 0};
    for (uint32_t i = 0; i < 300; ++i) {
        const struct ws_gltf_source source = {.thread = i / 3, .number = i % 3, .place = {i / 3, 7, 0}};
        const struct ws_ray ray = {.origin = {0, 0, 1 + (float)i},
                                   .direction = {1, 0, 0},
                                   .tmax = 1,
                                   .depth = i % 3 * 2,
                                   .end = WS_RAY_MISSED};
        assert_true(ws_gltf_rays_add(&rays, &source, &ray));
    }
    cJSON *json = draw_json(scene, &rays, &export);
    static const char *const names[] = {"rays_miss depth 0", "rays_miss depth 2", "rays_miss depth 3+"};
    for (int i = 0; i < 3; ++i) {
        const cJSON *mesh = named(cJSON_GetObjectItem(json, "meshes"), names[i]);
        assert_non_null(mesh);
        assert_non_null(named(cJSON_GetObjectItem(json, "materials"), names[i]));
        const cJSON *primitive = cJSON_GetArrayItem(cJSON_GetObjectItem(mesh, "primitives"), 0);
        const cJSON *attributes = cJSON_GetObjectItem(primitive, "attributes");
        const int index = (int)cJSON_GetNumberValue(cJSON_GetObjectItem(attributes, "_RAY"));
        const cJSON *accessor = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "accessors"), index);
        assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(accessor, "count")) == 200);
        assert_non_null(cJSON_GetObjectItem(attributes, "_THREAD"));
    }
    cJSON_Delete(json);
    ws_gltf_rays_finish(&rays);
    ws_scene_destroy(scene);
}

static void nothing_at_all(void **state)
{
    (void)state;
    struct scene_file empty;
    struct ws_error error = {{0}};
    char path[64], file[80];
    scene_begin(&empty);
    struct ws_scene *scene = scene_end(&empty);
    temporary_path(path);
    snprintf(file, sizeof(file), "%s.glb", path);
    struct ws_gltf_export export = {.path = file};
    assert_true(ws_export_gltf(scene, NULL, &export, &error));
    validate(file);
    unlink(file);
    unlink(path);
    ws_scene_destroy(scene);
}

static void errors_are_said(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    struct ws_scene *scene = make_scene();
    struct ws_gltf_export export = {.path = "/nowhere/at/all.glb"};
    assert_false(ws_export_gltf(scene, NULL, &export, &error));
    assert_string_equal(error.message, "cannot write '/nowhere/at/all.glb': No such file or directory");
    error.message[0] = '\0';
    export.path = "/dev/full";
    assert_false(ws_export_gltf(scene, NULL, &export, &error));
    assert_string_equal(error.message, "cannot write '/dev/full': No space left on device");
    ws_scene_destroy(scene);
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(whole_threads_scattered_over_all),
        cmocka_unit_test(rays_that_no_thread_fits_into),
        cmocka_unit_test(top_levels_are_those_of_the_rays),
        cmocka_unit_test(cameras_are_those_of_the_rays),
        cmocka_unit_test(other_rays_have_no_camera),
        cmocka_unit_test(files_open_with_a_view),
        cmocka_unit_test(walls_are_seen_from_where_rays_come),
        cmocka_unit_test(many_rays_are_lines),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(errors_are_said),
    };
    script = argument_count > 1 ? arguments[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
