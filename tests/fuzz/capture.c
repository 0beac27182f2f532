/* Captures that nobody meant: reading, analysing, reporting and annotating them must end in a result or an
 * error.
 *
 * With clang's -fsanitize=fuzzer (and -DWS_FUZZER) this is a fuzz target. Otherwise a test: a fixed number of
 * changes to a small good capture, most of them with the checksums made right again, so that they are met
 * behind the checksums. SPIRV-Cross and SPIRV-Tools are left out: they are not ours, and run in a process of
 * their own or are asked for by the user. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/annotate/annotate.h"
#include "analysis/export/geometry.h"
#include "analysis/export/gltf.h"
#include "analysis/scene/scene_trace.h"
#include "analysis/simt/simt_efficiency.h"
#include "tests/fuzz/changes.h"
#include "tests/unit/analysis/capture/capture_sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
    const uint8_t *data;
    size_t size;
    size_t at;
};

static size_t read_bytes(void *user, void *data, size_t size)
{
    struct bytes *bytes = user;
    size_t left = bytes->size - bytes->at;
    size_t step = size < left ? size : left;
    if (step > 0)
        memcpy(data, bytes->data + bytes->at, step);
    bytes->at += step;
    return step;
}

static struct ws_reader *open_bytes(struct bytes *bytes, struct ws_error *error)
{
    bytes->at = 0;
    return ws_reader_create(read_bytes, bytes, "fuzz", error);
}

/* Annotates all shaders of all modules with their own source. */
static void annotate(const struct ws_report *report, struct bytes *bytes, FILE *out)
{
    struct ws_chunk chunk;
    const struct ws_simt_results *simt = ws_report_simt(report);
    struct ws_reader *reader = simt != NULL ? open_bytes(bytes, NULL) : NULL;
    while (reader != NULL && ws_reader_next(reader, &chunk, NULL) == WS_READ_CHUNK) {
        if (chunk.type != WS_CHUNK_MODULE)
            continue;
        uint32_t module = ws_catalog_module(&report->catalog, chunk.module.id);
        for (uint32_t i = 0; i < report->catalog.shader_count; ++i)
            if (report->catalog.shaders[i].module == module)
                ws_annotate(simt, i, chunk.module.words, chunk.module.word_count, WS_ANNOTATE_SOURCE, out,
                            NULL);
    }
    ws_reader_destroy(reader);
}

/* What is exported of a build, to nowhere. */
static void export_build(const struct ws_scene *scene, uint32_t build)
{
    char *text = NULL;
    size_t size = 0;
    uint64_t left_out = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return;
    if (scene->builds[build].top)
        ws_export_tlas(scene, build, &left_out, out);
    else
        ws_export_obj(scene, build, &left_out, out);
    fclose(out);
    free(text);
}

/* Asks a build of the scene for more than it has. */
static void ask(const struct ws_scene *scene, uint32_t build)
{
    float vertices[3][3], bounds[6];
    uint32_t indices[3];
    struct ws_scene_instance instance;
    ws_scene_bounds(scene, build, bounds);
    for (uint32_t i = 0; i < 4; ++i) {
        ws_scene_instance(scene, build, i, &instance);
        for (uint32_t j = 0; j < 4; ++j) {
            ws_scene_triangle(scene, build, i, j, vertices);
            ws_scene_triangle_indices(scene, build, i, j, indices);
            ws_scene_aabb(scene, build, i, j, bounds);
        }
    }
}

/* Traces through everything that is called a top level, from the middle of its box. */
static void trace(const struct ws_scene *scene)
{
    struct ws_scene_trace *tracer = ws_scene_trace_create(scene);
    for (uint32_t i = 0; tracer != NULL && i <= scene->build_count; ++i) {
        struct ws_ray ray = {.direction = {0.6f, -0.64f, 0.48f}, .tmax = INFINITY, .cull_mask = 0xff};
        struct ws_trace_hit hit;
        float bounds[6];
        if (ws_scene_bounds(scene, i, bounds))
            for (int j = 0; j < 3; ++j)
                ray.origin[j] = (bounds[j] + bounds[3 + j]) / 2;
        if (ws_scene_trace_use(tracer, i))
            ws_scene_trace_closest(tracer, &ray, &hit);
    }
    ws_scene_trace_destroy(tracer);
}

static void read_scene(struct bytes *bytes)
{
    struct ws_error error = {{0}};
    struct ws_reader *reader = open_bytes(bytes, &error);
    struct ws_scene *scene = reader != NULL ? ws_scene_read(reader, &error) : NULL;
    if (scene == NULL && error.message[0] == '\0')
        abort(); /* a refusal says why */
    for (uint32_t i = 0; scene != NULL && i <= scene->build_count; ++i)
        ask(scene, i);
    for (uint32_t i = 0; scene != NULL && i < scene->build_count; ++i)
        export_build(scene, i);
    if (scene != NULL) {
        struct ws_gltf_export gltf = {.path = "/nowhere/at/all.glb"}; /* drawn before it is opened */
        ws_export_gltf(scene, NULL, &gltf, &error);
    }
    if (scene != NULL && scene->build_count > 0)
        trace(scene);
    for (uint32_t i = 0; scene != NULL && i <= scene->structure_count; ++i)
        ws_scene_build_at(scene, i, 1);
    ws_scene_destroy(scene);
    ws_reader_destroy(reader);
}

static void check(const uint8_t *data, size_t size)
{
    struct ws_report report;
    struct ws_error error = {{0}};
    char *text = NULL;
    size_t text_size = 0;
    struct bytes bytes = {data, size, 0};
    struct ws_reader *reader = open_bytes(&bytes, &error);
    const struct ws_report_request request = {.all = true};
    bool run = reader != NULL && ws_report_run(&report, "fuzz", reader, &request, &error);
    ws_reader_destroy(reader);
    if (!run && error.message[0] == '\0')
        abort(); /* a refusal says why */
    FILE *out = open_memstream(&text, &text_size);
    if (run && out != NULL) {
        ws_report_text(&report, out);
        ws_report_json(&report, out);
        ws_report_csv(&report, out);
        annotate(&report, &bytes, out);
    }
    if (out != NULL)
        fclose(out);
    free(text);
    if (run)
        ws_report_finish(&report);
    read_scene(&bytes);
}

/* The bytes with their checksums made right, which a fuzzer would not guess. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    if (size >= WS_CAPTURE_HEADER_SIZE)
        seal(copy, size);
    check(copy, size);
    free(copy);
    return 0;
}

#ifndef WS_FUZZER
static void mangle(const char *path, long changes)
{
    size_t size = 0;
    uint64_t state = 0x9e3779b97f4a7c15u;
    uint8_t *good = load_stored(path, &size);
    uint8_t *data = malloc(size);
    if (data == NULL)
        abort();
    seal(good, size);
    check(good, size);
    for (long i = 0; i < changes; ++i) {
        memcpy(data, good, size);
        for (uint64_t j = next_random(&state) % 4; j < 4; ++j)
            change(data, size, &state);
        if (i % 8 == 0)
            check(data, size);
        else
            LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
    free(good);
}

/* capture CHANGES [FILE...]: the sample, and captures given by name. */
int main(int argument_count, char **arguments)
{
    char path[] = "/tmp/warpscope-test-XXXXXX";
    struct ws_error error = {{0}};
    int file = mkstemp(path);
    long changes = argument_count > 1 ? strtol(arguments[1], NULL, 10) : 1000;
    if (file < 0 || !write_sample(path, &error)) {
        fprintf(stderr, "cannot write the sample: %s\n", error.message);
        return 1;
    }
    close(file);
    mangle(path, changes);
    unlink(path);
    for (int i = 2; i < argument_count; ++i)
        mangle(arguments[i], changes);
    return 0;
}
#endif
