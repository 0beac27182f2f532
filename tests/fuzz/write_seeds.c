/* Inputs that need no device, for the fuzz targets: `write_seeds FOLDER` writes
 *
 *   sample.wscope    a chunk of every kind
 *   rays.wscope      rays, and the geometry that they met
 *   NAME.wscope      what was made to do harm (hostile.h), where it is small */
#include <sys/stat.h>

#include "tests/fuzz/hostile.h"
#include "tests/unit/analysis/capture/capture_sample.h"
#include "tests/unit/analysis/rays/ray_scene.h"
#include "tests/unit/analysis/scene/scene_hand.h"

#define HOSTILE_MOST (8 << 10)

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
    static const int32_t unsaid = 3;
    static const int32_t said = 0;
    static const uint8_t opacities = 0xe4; /* one part in each of the four states */
    const struct ws_build_geometry mapped[] = {geometries[0], geometries[1]};
    hand_build(file, mesh, 1, geometries, 4);
    hand_build_mapped(file, mesh, mapped, 2, &unsaid, NULL);
    hand_build_mapped(file, mesh, mapped, 2, &said, &opacities);
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

/* Writes the chunks of both captures, without the first of each: INFO, which would have to say that there is
 * geometry, and the device of the other. */
static void join(const char *first, const char *second, const char *path)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    const char *const paths[] = {first, second};
    for (int i = 0; i < 2; ++i) {
        size_t size = 0;
        uint8_t *data = load_file(paths[i], &size);
        const size_t skipped = second_chunk(data);
        if (i == 0)
            fwrite(data, 1, WS_CAPTURE_HEADER_SIZE, out);
        fwrite(data + skipped, 1, size - skipped, out);
        free(data);
    }
    assert_int_equal(fclose(out), 0);
}

static const char *folder;

static void write_seeds(void **state)
{
    (void)state;
    char path[4096];
    struct scene_file geometry;
    struct stat status;
    mkdir(folder, 0777);
    snprintf(path, sizeof(path), "%s/sample.wscope", folder);
    assert_true(write_sample(path, NULL));
    struct stream *rays = make_rays();
    make_geometry(&geometry);
    snprintf(path, sizeof(path), "%s/rays.wscope", folder);
    join(stream_path(rays), geometry.path, path);
    unlink(geometry.path);
    stream_destroy(rays);
    for (const struct hostile *hostile = hostiles; hostile->name != NULL; ++hostile) {
        snprintf(path, sizeof(path), "%s/%s.wscope", folder, hostile->name);
        assert_true(hostile_write(hostile, path, NULL));
        if (stat(path, &status) != 0 || status.st_size > HOSTILE_MOST)
            unlink(path);
    }
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(write_seeds)};
    if (argument_count != 2)
        return 2;
    folder = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
