/* Captures of rays and the geometry that they met, changed at random, their checksums right: every report,
 * advice from a file with geometry included, and every export must end in a result or an error. */
#include <sys/stat.h>

#include "analysis/export/rays.h"
#include "analysis/export/scene.h"
#include "analysis/report/report.h"
#include "tests/fuzz/changes.h"
#include "tests/unit/analysis/rays/ray_scene.h"
#include "tests/unit/analysis/scene/scene_hand.h"

/* Where changed captures, and what is exported of them, are written. */
struct places {
    char capture[64];
    char gltf[72];
    char folder[72];
    char rays[72];
};

/* Two threads hit what hits of the made-up rays name: instance 2, geometry 3; one ignores it first. */
static struct stream *make_rays(void)
{
    struct stream *stream = ray_scene_create(8, 0);
    const uint32_t raygen = ray_scene_shader(stream, WS_STAGE_RAYGEN);
    const uint32_t any = ray_scene_shader(stream, WS_STAGE_ANY_HIT);
    const uint32_t closest = ray_scene_shader(stream, WS_STAGE_CLOSEST_HIT);
    stream_begin(stream, WS_LAUNCH_TRACE_RAYS, 8, 1, 1);
    const uint32_t a = ray_enter(stream, raygen, 0xff, 0);
    ray_trace(stream, a, 0xf, 1, 0);
    const uint32_t b = ray_enter(stream, any, 0x1, 0);
    ray_hit(stream, b, 0x1, 1.5f, 0);
    ray_place(stream, b, RAY_SITE_IGNORE, 0x1);
    const uint32_t c = ray_enter(stream, closest, 0x3, 0);
    ray_hit(stream, c, 0x3, 2.0f, 0);
    ray_place(stream, c, RAY_SITE_END, 0x3);
    ray_place(stream, a, RAY_SITE_RETURN, 0xf);
    ray_place(stream, a, RAY_SITE_END, 0xff);
    stream_end(stream);
    stream_finish(stream);
    return stream;
}

/* Two top levels, of which one has the instance, a copy, an update and an end. */
static void make_geometry(struct scene_file *file)
{
    static const float triangle[9] = {0, 0, 0, 9, 0, 0, 0, 9, 0};
    static const float box[6] = {-1, -1, -1, 1, 1, 1};
    static const float transform[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4};
    static const uint16_t indices[3] = {0, 1, 2};
    uint32_t references[3];
    scene_begin(file);
    const uint32_t mesh = hand_structure(file, BOTTOM_LEVEL, "mesh");
    const uint32_t copy = hand_structure(file, BOTTOM_LEVEL, "copy");
    struct ws_build_geometry geometries[4];
    for (int i = 0; i < 4; ++i)
        geometries[i] = i == 1 ? hand_aabbs(file, box, 1) : hand_triangles(file, triangle, 3);
    geometries[3].index_type = INDEX_16;
    geometries[3].indices = hand_blob(file, indices, sizeof(indices));
    geometries[3].transform = hand_blob(file, transform, sizeof(transform));
    hand_build(file, mesh, 0, geometries, 4);
    hand_copy(file, mesh, copy, 0, COPY_COMPACT, 0);
    hand_copy(file, mesh, WS_NONE, 0, COPY_SERIALIZE, 7);
    hand_copy(file, WS_NONE, copy, 0, COPY_DESERIALIZE, 7);
    const struct hand_instance instances[] = {
        {HAND_AT(0, 0, 0), 5, 0xff, 0, 0, 0x1000, mesh},
        {{1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, 6, 0x01, 1, 1, 0x2000, copy},
        {HAND_AT(0, 0, 0), 20, 0xff, 0, 0, 0x1000, mesh}};
    for (uint32_t i = 0; i < 2; ++i) {
        const uint32_t top = hand_structure(file, TOP_LEVEL, "top");
        const struct ws_build_geometry whole = hand_instances(file, instances, 3 - i, references);
        hand_build(file, top, 0, &whole, 1);
    }
    hand_build(file, mesh, 1, geometries, 4);
    hand_gone(file, copy, 2);
    scene_close(file);
}

/* Where the second chunk of a capture begins. */
static size_t second_chunk(const uint8_t *data)
{
    uint64_t stored;
    memcpy(&stored, data + WS_CAPTURE_HEADER_SIZE + 8, sizeof(stored));
    return WS_CAPTURE_HEADER_SIZE + WS_CHUNK_HEADER_SIZE + (size_t)stored;
}

/* The chunks of both captures, without the first of each: INFO, which would have to say that there is
 * geometry, and the device of the other. */
static uint8_t *join(const char *first, const char *second, size_t *size)
{
    size_t sizes[2];
    uint8_t *parts[2] = {load_stored(first, &sizes[0]), load_stored(second, &sizes[1])};
    uint8_t *both = malloc(sizes[0] + sizes[1]);
    assert_non_null(both);
    memcpy(both, parts[0], WS_CAPTURE_HEADER_SIZE);
    *size = WS_CAPTURE_HEADER_SIZE;
    for (int i = 0; i < 2; ++i) {
        const size_t skipped = second_chunk(parts[i]);
        memcpy(both + *size, parts[i] + skipped, sizes[i] - skipped);
        *size += sizes[i] - skipped;
        free(parts[i]);
    }
    seal(both, *size);
    return both;
}

/* Reads it for one request; the text of a report is thrown away. */
static bool read_for(const struct places *places, const struct ws_report_request *request)
{
    struct ws_report report;
    struct ws_error error = {{0}};
    char *text = NULL;
    size_t size = 0;
    if (!ws_report_read(&report, places->capture, request, &error)) {
        assert_true(error.message[0] != '\0'); /* a refusal says why */
        return false;
    }
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (request->all) {
        ws_report_text(&report, out);
        ws_report_json(&report, out);
        ws_report_csv(&report, out);
    }
    ws_report_notes(&report, out);
    fclose(out);
    free(text);
    ws_report_finish(&report);
    return true;
}

/* Whether it could be read for everything. */
static bool check(const struct places *places, const uint8_t *data, size_t size)
{
    struct ws_rays_export rays = {.path = places->rays, .format = WS_RAYS_JSONL};
    struct ws_scene_export scene = {
        .geometry.folder = places->folder, .gltf.path = places->gltf, .rays.most = 3};
    const struct ws_report_request requests[] = {
        {.all = true},
        {.analysis = &ws_analysis_rays_export, .options.user = &rays},
        {.analysis = &ws_analysis_geometry_export, .options.user = &scene},
        {.analysis = &ws_analysis_gltf_export, .options.user = &scene}};
    bool good = true;
    FILE *file = fopen(places->capture, "wb");
    assert_non_null(file);
    assert_true(fwrite(data, 1, size, file) == size && fclose(file) == 0);
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); ++i)
        good = read_for(places, &requests[i]) && good;
    ws_gltf_rays_finish(&scene.rays);
    return good;
}

static void remove_all(const struct places *places)
{
    char command[128];
    unlink(places->capture);
    unlink(places->gltf);
    unlink(places->rays);
    snprintf(command, sizeof(command), "rm -r '%s'", places->folder);
    assert_int_equal(system(command), 0);
}

static long changes = 300;

static void changed_captures(void **state)
{
    (void)state;
    struct places places;
    struct scene_file geometry;
    uint64_t random = 0x9e3779b97f4a7c15u;
    size_t size = 0;
    temporary_path(places.capture);
    snprintf(places.gltf, sizeof(places.gltf), "%s.glb", places.capture);
    snprintf(places.folder, sizeof(places.folder), "%s.folder", places.capture);
    snprintf(places.rays, sizeof(places.rays), "%s.rays", places.capture);
    struct stream *rays = make_rays();
    make_geometry(&geometry);
    uint8_t *good = join(stream_path(rays), geometry.path, &size);
    uint8_t *data = malloc(size);
    assert_non_null(data);
    unlink(geometry.path);
    stream_destroy(rays);
    assert_true(check(&places, good, size));
    for (long i = 0; i < changes; ++i) {
        memcpy(data, good, size);
        for (uint64_t j = next_random(&random) % 4; j < 4; ++j)
            change(data, size, &random);
        seal(data, size);
        check(&places, data, size);
    }
    free(data);
    free(good);
    remove_all(&places);
}

/* scene CHANGES */
int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_captures)};
    changes = argument_count > 1 ? strtol(arguments[1], NULL, 10) : changes;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
