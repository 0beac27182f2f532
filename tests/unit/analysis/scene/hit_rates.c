/* What triangles of captured geometry come to: the example of hit_rates.h, triangles without indices, places of one
 * content, and the file of all top levels. */
#include "tests/unit/analysis/scene/scene_hand.h"

#include <math.h>
#include <unistd.h>

#include "analysis/export/bvh.h"
#include "analysis/memory/caches_results.h"
#include "analysis/scene/bvh/hit_rates.h"
#include "warpscope/reader.h"

enum { BUFFER = 40, OTHER = 41, TOPS = 70 };

/* Two triangles that share the vertices 1 and 2. */
static const float vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
static const uint16_t indices[6] = {0, 1, 2, 2, 1, 3};

struct found {
    uint32_t count;
    struct ws_hit_rate list[8];
};

static bool take(void *user, const struct ws_hit_rate *rate)
{
    struct found *found = user;
    assert_true(found->count < 8);
    found->list[found->count++] = *rate;
    return true;
}

static void build(struct scene_file *file, uint32_t structure, const struct ws_build_geometry *geometry,
                  const struct ws_build_source *source)
{
    const struct ws_chunk_build chunk = {.structure = structure,
                                         .source = WS_NONE,
                                         .geometries = geometry,
                                         .geometry_count = 1,
                                         .sources = source,
                                         .source_count = 1};
    assert_true(ws_capture_write_build(file->writer, &chunk, NULL));
}

/* The catalog of a file, which is left. */
static void read_catalog(struct ws_catalog *catalog, const char *path)
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    struct ws_reader *reader = ws_reader_open(path, &error);
    ws_catalog_init(catalog);
    assert_non_null(reader);
    while (ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK)
        assert_true(ws_catalog_record(catalog, &chunk, &error));
    ws_reader_destroy(reader);
}

static void add(struct ws_caches_results *results, uint32_t array, uint32_t part, uint32_t number,
                uint64_t hits, uint64_t sectors)
{
    const struct ws_caches_sums sums = {
        .requests = 1, .l1_sectors = sectors, .l1_hits = hits, .l2_sectors = sectors - hits, .l2_hits = 0};
    assert_true(ws_built_sums_add(&results->built, array * WS_BUILT_PARTS + part, number, &sums));
}

static void expect(const struct ws_hit_rate *rate, uint32_t primitive, uint64_t requests, uint64_t hits,
                   uint64_t sectors)
{
    assert_int_equal(rate->primitive, primitive);
    assert_int_equal(rate->requests, requests);
    assert_int_equal(rate->l1_hits, hits);
    assert_int_equal(rate->l1_sectors, sectors);
    assert_int_equal(rate->l2_sectors, sectors - hits);
}

static struct ws_build_geometry indexed(struct scene_file *file)
{
    struct ws_build_geometry geometry = hand_triangles(file, vertices, 4);
    geometry.primitive_count = 2;
    geometry.index_type = INDEX_16;
    geometry.indices = hand_blob(file, indices, sizeof(indices));
    return geometry;
}

static void triangles_have_indices_and_vertices(void **state)
{
    (void)state;
    struct scene_file file;
    struct ws_caches_results results = {.keeps_built = true};
    struct ws_catalog catalog;
    struct ws_hit_rate rate;
    struct found found = {0};
    scene_begin(&file);
    const uint32_t mesh = hand_structure(&file, BOTTOM_LEVEL, "mesh");
    const struct ws_build_geometry geometry = indexed(&file);
    build(&file, mesh, &geometry, &(struct ws_build_source){0, BUFFER, 0x1000, 48, BUFFER, 0x2000, 12});
    scene_close(&file);
    read_catalog(&catalog, file.path);
    struct ws_scene *scene = scene_end(&file);
    /* Array 0 is the vertices, 1 the indices. */
    add(&results, 1, WS_BUILT_FACE, 0, 3, 4);
    add(&results, 0, WS_BUILT_VERTEX, 0, 1, 2);
    add(&results, 0, WS_BUILT_VERTEX, 1, 1, 2);
    add(&results, 0, WS_BUILT_VERTEX, 2, 0, 2);
    assert_true(ws_hit_rates_of_accesses(&catalog, scene, &results, 0, take, &found));
    assert_int_equal(found.count, 2);
    expect(&found.list[0], 0, 4, 5, 10);
    assert_true(ws_hit_rate_l1(&found.list[0]) == 0.5 && ws_hit_rate_l2(&found.list[0]) == 0);
    expect(&found.list[1], 1, 2, 1, 4); /* its vertices 1 and 2 alone were read, for the other triangle */
    assert_true(ws_hit_rate_of_accesses(&catalog, scene, &results, 0, 0, 0, &rate));
    expect(&rate, 0, 4, 5, 10);
    assert_false(ws_hit_rate_of_accesses(&catalog, scene, &results, 0, 0, 7, &rate));
    assert_true(ws_hit_rate_l1(&rate) < 0);
    ws_built_sums_finish(&results.built);
    ws_scene_destroy(scene);
    ws_catalog_finish(&catalog);
}

/* Two structures of one content: the second was built elsewhere, the third in the place of the first. Without indices a
 * triangle is what its face is, and its vertices are not added again. */
static void places_of_a_content_are_added(void **state)
{
    (void)state;
    struct scene_file file;
    struct ws_caches_results results = {.keeps_built = true};
    struct ws_catalog catalog;
    struct found found = {0};
    scene_begin(&file);
    const uint32_t first = hand_structure(&file, BOTTOM_LEVEL, "first");
    const uint32_t second = hand_structure(&file, BOTTOM_LEVEL, "second");
    const uint32_t third = hand_structure(&file, BOTTOM_LEVEL, "third");
    const struct ws_build_geometry geometry = hand_triangles(&file, vertices, 3);
    build(&file, first, &geometry, &(struct ws_build_source){0, BUFFER, 0x1000, 36, WS_NONE, 0, 0});
    build(&file, second, &geometry, &(struct ws_build_source){0, OTHER, 0x3000, 36, WS_NONE, 0, 0});
    build(&file, third, &geometry, &(struct ws_build_source){0, BUFFER, 0x1000, 36, WS_NONE, 0, 0});
    scene_close(&file);
    read_catalog(&catalog, file.path);
    struct ws_scene *scene = scene_end(&file);
    assert_int_equal(ws_built_count(&catalog), 2);
    add(&results, 0, WS_BUILT_FACE, 0, 3, 4);
    add(&results, 0, WS_BUILT_VERTEX, 0, 3, 4);
    add(&results, 1, WS_BUILT_FACE, 0, 0, 4);
    assert_true(ws_hit_rates_of_accesses(&catalog, scene, &results, 0, take, &found));
    assert_int_equal(found.count, 1);
    expect(&found.list[0], 0, 2, 3, 8);
    ws_built_sums_finish(&results.built);
    ws_scene_destroy(scene);
    ws_catalog_finish(&catalog);
}

/* Many top levels that are there in the launch, each with one instance of the same triangle: all are drawn. A second triangle
 * is not active, and not drawn: that shaders read it is not told. */
static void all_top_levels_are_drawn(void **state)
{
    (void)state;
    static const float corners[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, NAN};
    static const struct ws_launch launch = {.index = 1, .label = "", .command_buffer = ""};
    static const struct ws_chunk_submission submission = {.launches = &launch, .launch_count = 1};
    const struct ws_chunk chunk = {.type = WS_CHUNK_SUBMISSION, .submission = submission};
    char path[] = "hit_rates_XXXXXX.glb";
    struct ws_bvh_export export = {.path = path};
    struct ws_caches_results results = {.keeps_built = true};
    struct ws_catalog catalog;
    struct ws_error error = {{0}};
    struct scene_file file;
    scene_begin(&file);
    const uint32_t mesh = hand_structure(&file, BOTTOM_LEVEL, "mesh");
    const struct ws_build_geometry geometry = hand_triangles(&file, corners, 6);
    build(&file, mesh, &geometry, &(struct ws_build_source){0, BUFFER, 0x1000, 72, WS_NONE, 0, 0});
    for (uint32_t i = 0; i < TOPS; ++i) {
        const struct hand_instance instance = {HAND_AT(2 * (float)i, 0, 0), 0, 0xff, 0, 0, 0x1000, mesh};
        uint32_t reference;
        const uint32_t top = hand_structure(&file, TOP_LEVEL, "top");
        const struct ws_build_geometry whole = hand_instances(&file, &instance, 1, &reference);
        hand_build(&file, top, 0, &whole, 1);
    }
    scene_close(&file);
    read_catalog(&catalog, file.path);
    assert_true(ws_catalog_record(&catalog, &chunk, &error));
    struct ws_scene *scene = scene_end(&file);
    add(&results, 0, WS_BUILT_FACE, 0, 3, 4);
    add(&results, 0, WS_BUILT_FACE, 1, 3, 4);
    const int made = mkstemps(path, 4);
    assert_true(made >= 0 && close(made) == 0);
    assert_true(ws_access_rates_write(&export, &catalog, scene, &results, 1, &error));
    assert_int_equal(export.instances, TOPS);
    assert_int_equal(export.triangles, TOPS);
    assert_int_equal(export.visited, TOPS);
    unlink(path);
    ws_built_sums_finish(&results.built);
    ws_scene_destroy(scene);
    ws_catalog_finish(&catalog);
}

/* Two structures of one content have the same vertices, each with indices of its own: these are added up, and what the vertices
 * come to counts once. */
static void shared_vertices_count_once(void **state)
{
    (void)state;
    struct scene_file file;
    struct ws_caches_results results = {.keeps_built = true};
    struct ws_catalog catalog;
    struct found found = {0};
    scene_begin(&file);
    const uint32_t first = hand_structure(&file, BOTTOM_LEVEL, "first");
    const uint32_t second = hand_structure(&file, BOTTOM_LEVEL, "second");
    const struct ws_build_geometry geometry = indexed(&file);
    build(&file, first, &geometry, &(struct ws_build_source){0, BUFFER, 0x1000, 48, BUFFER, 0x2000, 12});
    build(&file, second, &geometry, &(struct ws_build_source){0, BUFFER, 0x1000, 48, BUFFER, 0x3000, 12});
    scene_close(&file);
    read_catalog(&catalog, file.path);
    struct ws_scene *scene = scene_end(&file);
    assert_int_equal(ws_built_count(&catalog), 3);
    add(&results, 1, WS_BUILT_FACE, 0, 3, 4);
    add(&results, 2, WS_BUILT_FACE, 0, 0, 4);
    add(&results, 0, WS_BUILT_VERTEX, 0, 1, 2);
    assert_true(ws_hit_rates_of_accesses(&catalog, scene, &results, 0, take, &found));
    assert_int_equal(found.count, 1);
    expect(&found.list[0], 0, 3, 4, 10);
    ws_built_sums_finish(&results.built);
    ws_scene_destroy(scene);
    ws_catalog_finish(&catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_have_indices_and_vertices),
        cmocka_unit_test(places_of_a_content_are_added),
        cmocka_unit_test(all_top_levels_are_drawn),
        cmocka_unit_test(shared_vertices_count_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
