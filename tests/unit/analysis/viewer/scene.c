/* The scene and the pictures of a launch, by the texts that the page sends, of a capture whose answers are known by hand. */
#include "tests/unit/analysis/rays/ray_scene.h"
#include "tests/unit/analysis/scene/scene_hand.h"
#include "tests/unit/analysis/viewer/read_report.h"

#include <math.h>

#include <cjson/cJSON.h>

#include "analysis/viewer/viewer.h"

/* The hits of ray_scene.h are in instance 2, custom index 20, geometry 3. So the mesh has four geometries: a box, one
 * triangle with NaN, one whole triangle, and one that spans z = 3. Instances 0 and 1 are of no known structure and not
 * finite; instance 3 is a second one of the mesh, 100 away. */
static void write_geometry(struct stream *stream)
{
    struct scene_file file = {.writer = stream_writer(stream)};
    const float boxes[6] = {-1, -2, -3, 1, 2, 3};
    const float broken[9] = {NAN, 0, 0, 1, 0, 0, 0, 1, 0};
    const float small[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const float large[9] = {-100, -100, 3, 100, -100, 3, 0, 200, 3};
    uint32_t references[4];
    const uint32_t mesh = hand_structure(&file, BOTTOM_LEVEL, "mesh");
    const uint32_t top = hand_structure(&file, TOP_LEVEL, "world");
    struct ws_build_geometry geometries[] = {hand_aabbs(&file, boxes, 1), hand_triangles(&file, broken, 3),
                                             hand_triangles(&file, small, 3),
                                             hand_triangles(&file, large, 3)};
    geometries[3].flags = 1;
    hand_build(&file, mesh, 0, geometries, 4);
    const struct hand_instance instances[] = {{HAND_AT(0, 0, 0), 0, 0xff, 0, 0, 0, WS_NONE},
                                              {HAND_AT(NAN, 0, 0), 1, 0xff, 0, 0, 0x1000, mesh},
                                              {HAND_AT(0, 0, 0), 20, 0x0f, 2, 1, 0x1000, mesh},
                                              {HAND_AT(100, 0, 0), 21, 0xff, 0, 0, 0x1000, mesh}};
    const struct ws_build_geometry whole = hand_instances(&file, instances, 4, references);
    hand_build(&file, top, 0, &whole, 1);
}

/* Launch 0 of 4x2, one warp of 8. Each thread traces a ray from (1, lane, 0) along (0, 0, 2). Those of lanes 0 to 3 hit at t
 * 1.5, which is z 3, where the first two trace one more, which misses; before, an any-hit run of lane 0 ignores. The
 * others miss. Launch 1 of 1x1 traces nothing. */
static struct stream *write_capture(void)
{
    struct stream *stream = stream_create(&(struct stream_options){.bins = 8, .geometry = true});
    write_geometry(stream);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t hit = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    const uint32_t miss = ray_scene_shader(stream, WS_STAGE_MISS);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 4, 2, 1);
    const uint32_t a = ray_enter(stream, raygen, 0xff, 0);
    ray_trace(stream, a, 0xff, 1, 0);
    const uint32_t b = ray_enter(stream, any, 0x1, 0);
    ray_hit(stream, b, 0x1, 1.5f, 0);
    ray_place(stream, b, RAY_SITE_IGNORE, 0x1);
    const uint32_t c = ray_enter(stream, hit, 0xf, 0);
    ray_hit(stream, c, 0xf, 1.5f, 0);
    ray_trace(stream, c, 0x3, 2, 0);
    const uint32_t d = ray_enter(stream, miss, 0x3, 0);
    ray_place(stream, d, RAY_SITE_END, 0x3);
    ray_place(stream, c, RAY_SITE_RETURN, 0x3);
    ray_place(stream, c, RAY_SITE_END, 0xf);
    const uint32_t e = ray_enter(stream, miss, 0xf0, 0);
    ray_place(stream, e, RAY_SITE_END, 0xf0);
    ray_place(stream, a, RAY_SITE_RETURN, 0xff);
    ray_place(stream, a, RAY_SITE_END, 0xff);
    stream_end(stream);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 1, 1, 1);
    const uint32_t f = ray_enter(stream, raygen, 0x1, 0);
    ray_place(stream, f, RAY_SITE_END, 0x1);
    stream_end(stream);
    stream_finish(stream);
    return stream;
}

static struct stream *stream;
static struct ws_viewer viewer;

static int open_viewer(void **state)
{
    (void)state;
    struct ws_error error = {{0}};
    stream = write_capture();
    const struct ws_viewer_options options = {.paths = {stream_path(stream)}, .read = read_report};
    if (!ws_viewer_init(&viewer, &options, &error))
        fail_msg("%s", error.message);
    return 0;
}

static int close_viewer(void **state)
{
    (void)state;
    ws_viewer_finish(&viewer);
    stream_destroy(stream);
    return 0;
}

static char *ask(const char *query, size_t *size)
{
    char *answer = NULL;
    struct ws_error error = {{0}};
    if (ws_viewer_answer(&viewer, query, &answer, size, &error) != WS_VIEWER_ANSWERED)
        fail_msg("%s: %s", query, error.message);
    return answer;
}

static cJSON *ask_json(const char *query)
{
    size_t size;
    char *text = ask(query, &size);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    free(text);
    return json;
}

/* The member, and where it is to be what `expected` is as JSON. */
static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *found = cJSON_GetObjectItem(object, name);
    if (found == NULL)
        fail_msg("there is no %s", name);
    return found;
}

static void expect_json(const cJSON *object, const char *name, const char *expected)
{
    char *text = cJSON_PrintUnformatted(member(object, name));
    if (strcmp(text, expected) != 0)
        fail_msg("%s is %s, expected %s", name, text, expected);
    cJSON_free(text);
}

static void scene_of_a_launch(void **state)
{
    (void)state;
    cJSON *json = ask_json("scene.json?launch=0");
    expect_json(json, "bounds", "[-100,-100,-3,200,200,3]");
    expect_json(json, "left_out", "{\"instances\":2,\"unknown\":1,\"not_finite\":1}");
    expect_json(json, "live", "1");
    expect_json(json, "unplaced", "0");
    expect_json(json, "extent", "[4,2]");
    expect_json(json, "instances",
                "[{\"top\":0,\"index\":2,\"custom_index\":20,\"mask\":15,\"sbt_offset\":2,\"flags\":1,"
                "\"structure\":0,\"content\":0,\"transform\":[1,0,0,0,0,1,0,0,0,0,1,0]},"
                "{\"top\":0,\"index\":3,\"custom_index\":21,\"mask\":255,\"sbt_offset\":0,\"flags\":0,"
                "\"structure\":0,\"content\":0,\"transform\":[1,0,0,100,0,1,0,0,0,0,1,0]}]");
    const cJSON *top = cJSON_GetArrayItem(member(json, "tops"), 0);
    expect_json(top, "name", "\"world\"");
    expect_json(top, "instances", "4");
    const cJSON *content = cJSON_GetArrayItem(member(json, "contents"), 0);
    expect_json(content, "instances", "2");
    expect_json(content, "primitives", "4");
    expect_json(content, "detail", "0");
    expect_json(content, "too_large", "false");
    expect_json(content, "bounds", "[-100,-100,-3,100,200,3]");
    /* The hits of four rays, of which one had an any-hit run: 4 / 1. */
    const cJSON *figures = member(member(json, "figures"), "geometries");
    assert_int_equal(cJSON_GetArraySize(figures), 1);
    const cJSON *row = cJSON_GetArrayItem(figures, 0);
    expect_json(row, "instance", "2");
    expect_json(row, "custom_index", "20");
    expect_json(row, "geometry", "3");
    expect_json(row, "hits", "4");
    expect_json(row, "any_hits", "1");
    expect_json(row, "any_hits_per_hit", "0.25");
    expect_json(row, "hit_rate", "4");
    expect_json(row, "intersections_per_report", "null");
    const cJSON *all =
        cJSON_GetArrayItem(member(json, "cameras"), cJSON_GetArraySize(member(json, "cameras")) - 1);
    expect_json(all, "name", "\"all\"");
    cJSON_Delete(json);
}

/* What the scene says of contents and figures is what the reports say. */
static void agrees_with_reports(void **state)
{
    (void)state;
    cJSON *scene = ask_json("scene.json?launch=0");
    cJSON *report = ask_json("report.json");
    const cJSON *analyses = member(report, "analyses");
    const cJSON *structure = cJSON_GetArrayItem(member(member(analyses, "geometry"), "structures"), 0);
    const cJSON *content = cJSON_GetArrayItem(member(scene, "contents"), 0);
    assert_string_equal(cJSON_GetStringValue(member(structure, "type")), "bottom");
    assert_true(cJSON_Compare(member(structure, "built_of"), member(content, "geometries"), true));
    assert_true(cJSON_Compare(member(structure, "bounds"), member(content, "bounds"), true));
    assert_true(cJSON_Compare(member(structure, "content"), member(content, "content"), true));
    assert_true(cJSON_Compare(member(structure, "primitives"), member(content, "primitives"), true));
    /* The second launch traced nothing: so the figures of the capture are those of the first. */
    assert_true(cJSON_Compare(member(member(analyses, "ray_events"), "geometries"),
                              member(member(scene, "figures"), "geometries"), true));
    cJSON_Delete(scene);
    cJSON_Delete(report);
}

static void expect_picture(const char *figure, const float expected[8])
{
    char query[64];
    size_t size;
    snprintf(query, sizeof(query), "picture?launch=0&figure=%s", figure);
    char *answer = ask(query, &size);
    assert_int_equal(size, 32);
    for (int i = 0; i < 8; ++i) {
        float value;
        memcpy(&value, answer + 4 * i, 4);
        if (isnan(expected[i]) ? !isnan(value) : value != expected[i])
            fail_msg("%s of pixel %d is %g, expected %g", figure, i, (double)value, (double)expected[i]);
    }
    free(answer);
}

static void expect_colour(const char *figure, const uint8_t expected[4])
{
    char query[64];
    size_t size;
    snprintf(query, sizeof(query), "picture?launch=0&figure=%s", figure);
    char *answer = ask(query, &size);
    assert_int_equal(size, 32);
    for (int i = 0; i < 8; ++i) {
        const uint8_t nothing[4] = {0, 0, 0, 0};
        assert_memory_equal(answer + 4 * i, i < 4 ? expected : nothing, 4);
    }
    free(answer);
}

static void pictures_of_a_launch(void **state)
{
    (void)state;
    expect_picture("rays", (const float[8]){2, 2, 1, 1, 1, 1, 1, 1});
    expect_picture("depth", (const float[8]){1, 1, 0, 0, 0, 0, 0, 0});
    expect_picture("any_hits", (const float[8]){1, 0, 0, 0, 0, 0, 0, 0});
    expect_picture("intersections", (const float[8]){0, 0, 0, 0, 0, 0, 0, 0});
    expect_picture("distance", (const float[8]){3, 3, 3, 3, NAN, NAN, NAN, NAN});
    expect_picture("instance", (const float[8]){2, 2, 2, 2, NAN, NAN, NAN, NAN});
    expect_picture("geometry", (const float[8]){3, 3, 3, 3, NAN, NAN, NAN, NAN});
    expect_picture("primitive", (const float[8]){0, 0, 0, 0, NAN, NAN, NAN, NAN});
    /* The triangle is met at a right angle: 0, 0, -1 towards the ray, and the sixth tint in full. */
    expect_colour("normals", (const uint8_t[4]){128, 128, 0, 255});
    expect_colour("shaded", (const uint8_t[4]){214, 207, 148, 255});
}

static void list_of_pictures(void **state)
{
    (void)state;
    cJSON *json = ask_json("pictures.json?launch=0");
    expect_json(json, "size", "[4,2]");
    expect_json(json, "grid", "{\"first\":[0,0,0],\"extent\":[4,2,1],\"columns\":1}");
    expect_json(json, "base", "\"shaded\"");
    expect_json(json, "outside", "0");
    const cJSON *figures = member(json, "figures");
    assert_int_equal(cJSON_GetArraySize(figures), 10);
    const cJSON *rays = cJSON_GetArrayItem(figures, 2);
    expect_json(rays, "name", "\"rays\"");
    expect_json(rays, "kind", "\"measure\"");
    expect_json(rays, "smallest", "1");
    expect_json(rays, "largest", "2");
    expect_json(rays, "sum", "10");
    expect_json(rays, "pixels", "8");
    cJSON_Delete(json);
    json = ask_json("pictures.json?launch=1");
    expect_json(json, "size", "null");
    expect_json(json, "figures", "[]");
    assert_true(cJSON_IsString(member(json, "why")));
    cJSON_Delete(json);
    json = ask_json("scene.json?launch=1");
    expect_json(json, "extent", "null");
    assert_int_equal(cJSON_GetArraySize(member(json, "instances")), 2);
    cJSON_Delete(json);
}

static void what_is_refused(void **state)
{
    static const char *const queries[] = {"scene.json",
                                          "scene.json?launch=2",
                                          "scene.json?launch=x",
                                          "scene.json?launch=0&more=1",
                                          "mesh",
                                          "mesh?content=1",
                                          "mesh?content=7",
                                          "mesh?content=-1",
                                          "mesh?content=0&detail=1",
                                          "mesh?content=0&detail=129",
                                          "mesh?content=4294967296",
                                          "pictures.json",
                                          "picture?launch=0",
                                          "picture?figure=rays",
                                          "picture?launch=0&figure=warp",
                                          "picture?launch=0&figure=%00",
                                          "picture?launch=1&figure=rays",
                                          "picture?launch=0&figure=normals%20"};
    (void)state;
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); ++i) {
        char *answer = NULL;
        size_t size = 0;
        struct ws_error error = {{0}};
        assert_int_equal(ws_viewer_answer(&viewer, queries[i], &answer, &size, &error), WS_VIEWER_REFUSED);
        assert_null(answer);
        assert_true(error.message[0] != '\0');
    }
}

static bool count_embedded(void *user, const char *query, unsigned rank)
{
    size_t size;
    unsigned *counts = user;
    assert_in_range(rank, 0, 4);
    counts[rank]++;
    free(ask(query, &size));
    return true;
}

/* What the single file is to hold can be had. */
static void what_is_embedded(void **state)
{
    static const char *const names[] = {"scene.json", "mesh", "pictures.json", "picture"};
    unsigned counts[5] = {0};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        assert_true(ws_viewer_resource_find(names[i])->embed(&viewer, &viewer.captures[0], 25 << 20,
                                                             count_embedded, counts));
    /* Always: scene and pictures of the first launch. Then its mesh, its usual pictures (shaded, rays); of launch 1 the
     * list, the scene and the mesh; then the other pictures. */
    assert_true(counts[0] == 2 && counts[1] == 3 && counts[2] == 3 && counts[3] == 8 && counts[4] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scene_of_a_launch),    cmocka_unit_test(agrees_with_reports),
        cmocka_unit_test(pictures_of_a_launch), cmocka_unit_test(list_of_pictures),
        cmocka_unit_test(what_is_refused),      cmocka_unit_test(what_is_embedded)};
    return cmocka_run_group_tests(tests, open_viewer, close_viewer);
}
