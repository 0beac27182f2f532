/* Fuzz target: the geometry of a capture is asked for more than it has, and traced through. */
#include <math.h>
#include <string.h>

#include "analysis/scene/scene_trace.h"
#include "tests/fuzz/capture_mutator.h"
#include "warpscope/capture/budget.h"
#include "warpscope/reader.h"

struct bytes {
    const uint8_t *data;
    size_t size;
    size_t at;
};

static size_t read_bytes(void *user, void *data, size_t size)
{
    struct bytes *bytes = user;
    const size_t left = bytes->size - bytes->at;
    const size_t step = size < left ? size : left;
    if (step > 0)
        memcpy(data, bytes->data + bytes->at, step);
    bytes->at += step;
    return step;
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

static void check(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size, 0};
    struct ws_error error = {{0}};
    struct ws_reader *reader = ws_reader_create(read_bytes, &bytes, "fuzz", &error);
    struct ws_scene *scene = reader != NULL ? ws_scene_read(reader, &error) : NULL;
    fuzz_check(scene != NULL || error.message[0] != '\0', "a refusal says nothing");
    for (uint32_t i = 0; scene != NULL && i <= scene->build_count; ++i)
        ask(scene, i);
    if (scene != NULL && scene->build_count > 0)
        trace(scene);
    for (uint32_t i = 0; scene != NULL && i <= scene->structure_count; ++i)
        ws_scene_build_at(scene, i, 1);
    ws_scene_destroy(scene);
    ws_reader_destroy(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    capture_seal(copy, size);
    ws_budget_set_least(WS_STEPS_LEAST / 100);
    ws_budget_begin(0);
    check(copy, size);
    free(copy);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return capture_mutate(data, size, capacity, seed, NULL);
}
