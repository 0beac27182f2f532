/* usage: events FOLDER
 * The pass ray_events on a scene whose shaders, compiled in FOLDER, write down themselves what they know of
 * their rays (log.glsl): every event of every thread must be found in the records, in order, word for word.
 * And of each kind there are as many as the scene, worked out by hand, has.
 *
 * Rays along -z onto 8 x 8 points, from z = 10; what they meet, by rows:
 *   0, 1  an opaque quad at z = 0; in columns 0 to 3 the closest-hit shader sends a second ray, which misses
 *   2, 3  a quad at z = 1 with an any-hit shader, which ignores columns 0, 3, 6 and ends the ray in 1, 4, 7
 *   4, 5  a box each, whose intersection shader reports two hits, of which the any-hit shader ignores some
 *   6     an opaque box, whose hits have no attributes
 *   7     nothing */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "examples/base/acceleration_structure.h"
#include "examples/base/ray_tracing.h"
#include "tests/device/events/found.h"
#include "tests/device/streams.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/passes.h"
#include "warpscope/ray_events.h"
#include "warpscope/stage.h"

#define SIZE          8 /* columns, and rows */
#define GROUP_SIZE    16
#define NEARLY        0x100u /* log.glsl */
#define CAPACITY      (1u << 20)
#define UNKNOWN       WS_QUERY_UNKNOWN
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum {
    RAYGEN,
    MISS,
    CALLABLE,
    PLAIN_HIT,
    TRIANGLE_HIT,
    TRIANGLE_ANY,
    BOX,
    BOX_HIT,
    BOX_ANY,
    BARE,
    QUERIES,
    HANDED,
    SHADERS
};

static const struct {
    const char *file;
    VkShaderStageFlagBits stage;
} sources[SHADERS] = {
    [RAYGEN] = {"events.rgen", VK_SHADER_STAGE_RAYGEN_BIT_KHR},
    [MISS] = {"events.rmiss", VK_SHADER_STAGE_MISS_BIT_KHR},
    [CALLABLE] = {"events.rcall", VK_SHADER_STAGE_CALLABLE_BIT_KHR},
    [PLAIN_HIT] = {"plain.rchit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
    [TRIANGLE_HIT] = {"triangle.rchit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
    [TRIANGLE_ANY] = {"triangle.rahit", VK_SHADER_STAGE_ANY_HIT_BIT_KHR},
    [BOX] = {"box.rint", VK_SHADER_STAGE_INTERSECTION_BIT_KHR},
    [BOX_HIT] = {"box.rchit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
    [BOX_ANY] = {"box.rahit", VK_SHADER_STAGE_ANY_HIT_BIT_KHR},
    [BARE] = {"bare.rint", VK_SHADER_STAGE_INTERSECTION_BIT_KHR},
    [QUERIES] = {"queries.comp", VK_SHADER_STAGE_COMPUTE_BIT},
    [HANDED] = {"handed.comp", VK_SHADER_STAGE_COMPUTE_BIT},
};

/* A shader with the pass, and what it is specialized with. */
struct shader {
    uint32_t *words;
    size_t word_count;
    struct ws_instrumented *instrumented;
    uint32_t values[WS_SPEC_COUNT];
    VkSpecializationMapEntry entries[WS_SPEC_COUNT];
    VkSpecializationInfo specialization;
};

enum { QUADS, BOXES, BARE_BOXES, BOTTOMS };

struct scene {
    struct ws_gpu_buffer vertices;
    struct ws_gpu_buffer indices;
    struct ws_gpu_buffer boxes;
    struct ws_gpu_acceleration_structure bottoms[BOTTOMS];
    struct ws_gpu_acceleration_structure top;
};

struct fixture {
    struct streams streams; /* its device, root and control block; its words are too few */
    struct ws_gpu_buffer words;
    struct ws_gpu_buffer log;
    struct scene scene;
    struct ws_gpu_bindings bindings;
    struct shader shaders[SHADERS];
    struct found_shader found_shaders[SHADERS];
    struct found found;
    struct found logged;
};

static bool build_scene(struct fixture *fixture, struct ws_error *error)
{
    static const float vertices[] = {0, 0, 0, 8, 0, 0, 0, 2, 0, 8, 2, 0, 0, 2, 1, 8, 2, 1, 0, 4, 1, 8, 4, 1};
    static const uint32_t indices[] = {0, 1, 2, 3, 1, 2};
    static const VkAabbPositionsKHR boxes[] = {{0, 4, 0, 8, 5, 1}, {0, 5, 0, 8, 6, 2}, {0, 6, 0, 8, 7, 1}};
    struct ws_gpu *gpu = &fixture->streams.gpu;
    struct scene *scene = &fixture->scene;
    if (!ws_gpu_buffer_init(gpu, &scene->vertices, WS_GPU_BUILD_INPUT, vertices, sizeof(vertices), error) ||
        !ws_gpu_buffer_init(gpu, &scene->indices, WS_GPU_BUILD_INPUT, indices, sizeof(indices), error) ||
        !ws_gpu_buffer_init(gpu, &scene->boxes, WS_GPU_BUILD_INPUT, boxes, sizeof(boxes), error))
        return false;
    struct ws_gpu_geometry quads[2] = {{.vertices = scene->vertices.address,
                                        .vertex_count = 4,
                                        .indices = scene->indices.address,
                                        .triangle_count = 2,
                                        .opaque = true}};
    quads[1] = quads[0];
    quads[1].vertices += 12 * sizeof(float);
    quads[1].opaque = false;
    const struct ws_gpu_geometry two = {.boxes = scene->boxes.address, .box_count = 2};
    const struct ws_gpu_geometry one = {
        .boxes = scene->boxes.address + 2 * sizeof(boxes[0]), .box_count = 1, .opaque = true};
    if (!ws_gpu_bottom_level_init(gpu, &scene->bottoms[QUADS], quads, 2, error) ||
        !ws_gpu_bottom_level_init(gpu, &scene->bottoms[BOXES], &two, 1, error) ||
        !ws_gpu_bottom_level_init(gpu, &scene->bottoms[BARE_BOXES], &one, 1, error))
        return false;
    static const float origin[3] = {0, 0, 0}, whole[3] = {1, 1, 1};
    const VkAccelerationStructureInstanceKHR instances[] = {
        ws_gpu_instance(&scene->bottoms[QUADS], origin, whole, 0, 0x123456, 0),
        ws_gpu_instance(&scene->bottoms[BOXES], origin, whole, 0, 7, 2),
        ws_gpu_instance(&scene->bottoms[BARE_BOXES], origin, whole, 0, 0xffffff, 3),
    };
    const struct ws_gpu_binding bindings[] = {{.acceleration_structure = &scene->top.handle},
                                              {.buffer = &fixture->log}};
    return ws_gpu_top_level_init(gpu, &scene->top, instances, LENGTH(instances), error) &&
           ws_gpu_bindings_init(gpu, &fixture->bindings, bindings, LENGTH(bindings),
                                VK_SHADER_STAGE_COMPUTE_BIT | WS_STAGES_RAY_TRACING, 0, error);
}

static bool instrument(struct fixture *fixture, uint32_t index, const struct ws_instrument_options *options,
                       uint32_t pass, uint32_t bins, struct ws_error *error)
{
    struct shader *shader = &fixture->shaders[index];
    shader->instrumented = ws_instrument(shader->words, shader->word_count, options, error);
    if (shader->instrumented == NULL || shader->instrumented->words == NULL ||
        shader->instrumented->skip_count != 0 ||
        !assembly_is_valid(shader->instrumented->words, shader->instrumented->word_count)) {
        printf("%s: not instrumented as a whole\n", sources[index].file);
        return false;
    }
    shader->values[WS_SPEC_ROOT_LO] = (uint32_t)fixture->streams.root.address;
    shader->values[WS_SPEC_ROOT_HI] = (uint32_t)(fixture->streams.root.address >> 32);
    shader->values[WS_SPEC_SLOT] = index;
    shader->values[WS_SPEC_BINS] = bins;
    uint32_t count = 0;
    for (uint32_t i = 0; i < WS_SPEC_COUNT; i++) {
        if (shader->instrumented->spec_ids[i] != WS_NONE) {
            shader->entries[count++] =
                (VkSpecializationMapEntry){shader->instrumented->spec_ids[i], i * 4, 4};
        }
    }
    shader->specialization =
        (VkSpecializationInfo){count, shader->entries, sizeof(shader->values), shader->values};
    fixture->found_shaders[index] =
        (struct found_shader){shader->words, shader->instrumented, pass, (uint32_t)sources[index].stage};
    return true;
}

static struct ws_gpu_shader gpu_shader(const struct fixture *fixture, uint32_t index)
{
    const struct shader *shader = &fixture->shaders[index];
    return (struct ws_gpu_shader){.stage = sources[index].stage,
                                  .name = sources[index].file,
                                  .words = shader->instrumented->words,
                                  .size = shader->instrumented->word_count * 4,
                                  .specialization = &shader->specialization};
}

/* Traces, or dispatches the compute shader `launched`. */
static bool run(struct fixture *fixture, uint32_t launched, struct ws_error *error)
{
    const uint32_t none = WS_GPU_NO_SHADER;
    const struct ws_gpu_group groups[] = {
        {RAYGEN, none, none, none},
        {MISS, none, none, none},
        {MISS, none, none, none},
        {none, PLAIN_HIT, none, none},
        {none, TRIANGLE_HIT, TRIANGLE_ANY, none},
        {none, BOX_HIT, BOX_ANY, BOX},
        {none, PLAIN_HIT, none, BARE},
        {CALLABLE, none, none, none},
    };
    struct ws_gpu *gpu = &fixture->streams.gpu;
    struct ws_gpu_ray_tracing pipeline = {0};
    VkPipeline compute = VK_NULL_HANDLE;
    struct ws_gpu_shader shaders[SHADERS];
    for (uint32_t i = 0; i < SHADERS; i++)
        shaders[i] = gpu_shader(fixture, i);
    bool good = true;
    if (launched != RAYGEN) {
        compute = ws_gpu_compute_pipeline(gpu, &fixture->bindings, &shaders[launched], error);
        good = compute != VK_NULL_HANDLE;
    } else {
        good = ws_gpu_ray_tracing_init(gpu, &pipeline, &fixture->bindings, shaders, QUERIES, groups,
                                       LENGTH(groups), 2, error);
    }
    VkCommandBuffer commands = good ? ws_gpu_begin(gpu, error) : NULL;
    if (commands != NULL && launched != RAYGEN) {
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute, &fixture->bindings);
        vkCmdDispatch(commands, launched == HANDED ? 1 : SIZE * SIZE / GROUP_SIZE, 1, 1);
    } else if (commands != NULL) {
        ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline.pipeline, &fixture->bindings);
        ws_gpu_trace_rays(commands, &pipeline, 0, SIZE, SIZE);
    }
    if (commands != NULL) {
        ws_gpu_barrier(commands);
        good = ws_gpu_submit(gpu, commands, error);
    }
    vkDestroyPipeline(gpu->device, compute, NULL);
    ws_gpu_ray_tracing_finish(gpu, &pipeline);
    return good && commands != NULL;
}

/* ---- what the shaders wrote ---- */

static uint32_t words_of(uint32_t event)
{
    switch (event) {
    case WS_RAY_TRACE: return WS_RAY_TRACE_WORDS;
    case WS_RAY_CLOSEST_HIT:
    case WS_RAY_ANY_HIT: return WS_RAY_HIT_WORDS;
    case WS_RAY_INTERSECTION: return WS_RAY_INTERSECTION_WORDS;
    case WS_RAY_REPORT: return WS_RAY_REPORT_WORDS;
    case WS_RAY_INITIALIZE: return WS_RAY_INITIALIZE_WORDS;
    case WS_RAY_PROCEED: return WS_RAY_PROCEED_WORDS;
    case WS_RAY_CONFIRM:
    case WS_RAY_TERMINATE_QUERY: return WS_RAY_KEY_WORDS;
    case WS_RAY_GENERATE: return WS_RAY_GENERATE_WORDS;
    default: return 0;
    }
}

/* Where the query's key stands among an event's words; WS_NONE where it has none. */
static uint32_t key_of(uint32_t event)
{
    switch (event) {
    case WS_RAY_INITIALIZE: return WS_RAY_INITIALIZE_WORDS - 1;
    case WS_RAY_PROCEED:
    case WS_RAY_CONFIRM:
    case WS_RAY_GENERATE:
    case WS_RAY_TERMINATE_QUERY: return 0;
    default: return WS_NONE;
    }
}

/* The id that a name stands for in the module. */
static uint32_t id_of(const struct shader *shader, const char *name)
{
    for (size_t i = 5; i < shader->word_count; i += shader->words[i] >> 16)
        if ((shader->words[i] & 0xffff) == SpvOpName &&
            strcmp((const char *)&shader->words[i + 2], name) == 0)
            return shader->words[i + 1];
    return 0;
}

/* The key for what the shader wrote in its place. */
static uint32_t resolve_key(const struct shader *shader, uint32_t logged)
{
    static const char *const names[] = {"", "single", "several", "third", "outer"};
    return logged == UNKNOWN ? UNKNOWN : id_of(shader, names[logged & 7]) | (logged & 0xff000000);
}

static bool is_near(uint32_t a, uint32_t b)
{
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    return x - y < 1e-5f && y - x < 1e-5f;
}

/* Compares one thread's, and counts its events. */
static bool compare_thread(struct fixture *fixture, uint32_t launched, uint32_t thread, uint32_t *counts)
{
    const uint32_t *logged = fixture->logged.words[thread];
    const uint32_t *found = fixture->found.words[thread];
    for (uint32_t at = 1; at <= logged[0];) {
        const bool nearly = (logged[at] & NEARLY) != 0;
        const uint32_t event = logged[at] & ~NEARLY;
        const uint32_t words = words_of(event);
        const uint32_t key = key_of(event);
        bool good = at + words <= found[0] && found[at] == event;
        for (uint32_t i = 0; i < words && good; i++) {
            const uint32_t expected =
                i == key ? resolve_key(&fixture->shaders[launched], logged[at + 1 + i]) : logged[at + 1 + i];
            good = nearly && i + 2 >= words ? is_near(found[at + 1 + i], expected)
                                            : found[at + 1 + i] == expected;
            if (!good)
                printf("word %u: %08x found, %08x expected: ", i, found[at + 1 + i], expected);
        }
        if (!good) {
            printf("thread %u, word %u of %u (%u found): %s expected, %s found\n", thread, at, logged[0],
                   found[0], ws_ray_event_name((enum ws_ray_event)event),
                   ws_ray_event_name(at <= found[0] ? (enum ws_ray_event)found[at] : WS_RAY_NONE));
            return false;
        }
        counts[event]++;
        at += 1 + words;
    }
    return check("words found of a thread", found[0], logged[0]);
}

/* What the scene has. */
static bool check_counts(const uint32_t *counts, uint32_t launched)
{
    static const uint32_t expected[SHADERS][WS_RAY_EVENT_COUNT] = {
        [RAYGEN] = {[WS_RAY_TRACE] = 64 + 8,   /* columns 0 to 3 of rows 0 and 1 once more */
                    [WS_RAY_RETURN] = 64 + 8,  /* each */
                    [WS_RAY_MISS] = 8 + 6 + 8, /* the second rays, 3 columns of rows 2 and 3, row 7 */
                    [WS_RAY_CLOSEST_HIT] = 50, /* rows 0, 1, 4, 5, 6, and 5 columns of rows 2 and 3 */
                    /* Rows 2 and 3; of rows 4 and 5 once in even columns, twice in odd ones. */
                    [WS_RAY_ANY_HIT] = 16 + 2 * (4 + 8),
                    [WS_RAY_INTERSECTION] = 24,
                    [WS_RAY_REPORT] = 2 * 14 + 8, /* two in a box, but none in column 6, whose rays end */
                    [WS_RAY_ACCEPT] = 2 * 2 + 2 * (3 + 4),
                    [WS_RAY_IGNORE] = 2 * 3 + 2 * 4,
                    [WS_RAY_TERMINATE] = 2 * 3 + 2,
                    [WS_RAY_CALL] = 8, /* column 0 */
                    [WS_RAY_CALLABLE] = 8},
        [QUERIES] = {[WS_RAY_INITIALIZE] = 64,
                     [WS_RAY_PROCEED] = 64 + 16 + 24, /* each to its end; a triangle, or a box, before */
                     [WS_RAY_CONFIRM] = 2 * 5,
                     [WS_RAY_GENERATE] = 24,
                     [WS_RAY_TERMINATE_QUERY] = 2 * 3},
        /* Of rows 0 and 1. */
        [HANDED] = {[WS_RAY_INITIALIZE] = 3 * 16, [WS_RAY_PROCEED] = 3 * 16, [WS_RAY_TERMINATE_QUERY] = 16},
    };
    bool good = true;
    for (uint32_t i = 0; i < WS_RAY_EVENT_COUNT; i++)
        good = check(ws_ray_event_name((enum ws_ray_event)i), counts[i], expected[launched][i]) && good;
    return good;
}

static bool compare(struct fixture *fixture, uint32_t launched)
{
    uint32_t counts[2 * WS_RAY_EVENT_COUNT] = {0};
    bool good = true;
    memcpy(&fixture->logged, fixture->log.data, sizeof(fixture->logged));
    for (uint32_t thread = 0; thread < FOUND_THREADS && good; thread++)
        good = compare_thread(fixture, launched, thread, counts);
    return good && check_counts(counts, launched);
}

static bool test_one(struct fixture *fixture, uint32_t launched, uint32_t bins, struct ws_error *error)
{
    uint32_t *control = streams_reset(&fixture->streams, CAPACITY);
    control[WS_STREAM_ADDRESS] = (uint32_t)fixture->words.address;
    control[WS_STREAM_ADDRESS + 1] = (uint32_t)(fixture->words.address >> 32);
    memset(fixture->log.data, 0, sizeof(fixture->logged));
    return run(fixture, launched, error) &&
           check("words fit", control[WS_STREAM_RESERVED] <= CAPACITY, true) &&
           found_read(&fixture->found, fixture->words.data, control[WS_STREAM_RESERVED], bins,
                      fixture->found_shaders, SHADERS, GROUP_SIZE) &&
           compare(fixture, launched);
}

/* What threads handed over in the rays that were just compared: each its own number to a callable in column 0, and another one
 * to its ray; in columns 0 to 3 of rows 0 and 1 the shader that is hit another one to a second ray. `pass`: its index. */
static bool compare_payloads(struct fixture *fixture, uint32_t pass, uint32_t bins)
{
    const uint32_t *control = fixture->streams.control.data;
    struct found_shader shaders[SHADERS];
    memcpy(shaders, fixture->found_shaders, sizeof(shaders));
    for (uint32_t i = 0; i < SHADERS; i++)
        shaders[i].pass = pass;
    if (!found_read(&fixture->found, fixture->words.data, control[WS_STREAM_RESERVED], bins, shaders, SHADERS,
                    GROUP_SIZE))
        return false;
    for (uint32_t thread = 0; thread < FOUND_THREADS; thread++) {
        const uint32_t *found = fixture->found.words[thread];
        const bool calls = thread % 8 == 0;
        const uint32_t count = 1 + calls + (thread % 8 < 4 && thread < 16);
        uint32_t words = 0;
        for (uint32_t at = 1; at <= found[0]; at++) {
            if (found[at] == WS_TAG_PAYLOADS_END)
                continue;
            const uint32_t first = words == 0 && calls ? 0x200 : words == calls ? 0x100 : 0x300;
            const uint32_t expected = first + thread;
            if (found[at] != WS_TAG_PAYLOADS_WORDS || found[++at] != expected)
                return check("what is handed over", found[at], expected);
            words++;
        }
        if (!check("how often something is handed over", words, count))
            return false;
    }
    return true;
}

/* Rays and queries, with these passes, of which ray_events is the last. Queries that are handed on, the
 * longest to compile, with it alone: other passes do nothing to them. */
static bool test_passes(struct fixture *fixture, const char *const *passes, uint32_t count, uint32_t bins,
                        struct ws_error *error)
{
    const struct ws_instrument_options options = {.passes = passes, .pass_count = count};
    bool good = true;
    if (bins < fixture->streams.gpu.subgroup_size)
        return true;
    for (uint32_t i = 0; i < SHADERS && good; i++)
        good = instrument(fixture, i, &options, count - 1, bins, error);
    good = good && test_one(fixture, RAYGEN, bins, error) &&
           (strcmp(passes[0], WS_PASS_PAYLOADS) != 0 || compare_payloads(fixture, 0, bins)) &&
           test_one(fixture, QUERIES, bins, error) && (count > 1 || test_one(fixture, HANDED, bins, error));
    for (uint32_t i = 0; i < SHADERS; i++) {
        ws_instrumented_destroy(fixture->shaders[i].instrumented);
        fixture->shaders[i].instrumented = NULL;
    }
    printf("%u passes, %u bins: %s\n", count, bins, good ? "right" : "WRONG");
    return good;
}

static bool set_up(struct fixture *fixture, const char *folder, struct ws_error *error)
{
    struct ws_gpu *gpu = &fixture->streams.gpu;
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    for (uint32_t i = 0; i < SHADERS; i++) {
        char path[1024];
        snprintf(path, sizeof(path), "%s/%s.spv", folder, sources[i].file);
        fixture->shaders[i].words = assembly_load(path, &fixture->shaders[i].word_count);
    }
    return streams_init(&fixture->streams, error) &&
           ws_gpu_buffer_init(gpu, &fixture->words, usage, NULL, CAPACITY * 4, error) &&
           ws_gpu_buffer_init(gpu, &fixture->log, usage, NULL, sizeof(fixture->logged), error) &&
           build_scene(fixture, error);
}

static void tear_down(struct fixture *fixture)
{
    struct ws_gpu *gpu = &fixture->streams.gpu;
    ws_gpu_bindings_finish(gpu, &fixture->bindings);
    ws_gpu_acceleration_structure_finish(gpu, &fixture->scene.top);
    for (uint32_t i = 0; i < BOTTOMS; i++)
        ws_gpu_acceleration_structure_finish(gpu, &fixture->scene.bottoms[i]);
    ws_gpu_buffer_finish(gpu, &fixture->scene.boxes);
    ws_gpu_buffer_finish(gpu, &fixture->scene.indices);
    ws_gpu_buffer_finish(gpu, &fixture->scene.vertices);
    ws_gpu_buffer_finish(gpu, &fixture->log);
    ws_gpu_buffer_finish(gpu, &fixture->words);
    streams_finish(&fixture->streams);
    for (uint32_t i = 0; i < SHADERS; i++)
        free(fixture->shaders[i].words);
}

int main(int argc, char **argv)
{
    static struct fixture fixture;
    static const char *const alone[] = {"ray_events"};
    static const char *const all[] = {"simt_efficiency", "execution_trace",   "divergence",
                                      "warp_entry_exit", "thread_compaction", "ray_events"};
    static const char *const payloads[] = {"payloads", "ray_events"};
    struct ws_error error = {0};
    const struct ws_gpu_request request = {.application = "events",
                                           .needs = WS_GPU_RAY_TRACING | WS_GPU_RAY_QUERY,
                                           .queue = VK_QUEUE_COMPUTE_BIT};
    const enum ws_gpu_status status = ws_gpu_init(&fixture.streams.gpu, &request, &error);
    if (status != WS_GPU_READY) {
        printf("%s\n", error.message);
        return status == WS_GPU_UNFIT ? 77 : 1;
    }
    const bool good = argc == 2 && set_up(&fixture, argv[1], &error) &&
                      test_passes(&fixture, alone, LENGTH(alone), 128, &error) &&
                      test_passes(&fixture, all, LENGTH(all), 8, &error) &&
                      test_passes(&fixture, payloads, LENGTH(payloads), 32, &error);
    if (error.message[0] != '\0')
        printf("%s\n", error.message);
    tear_down(&fixture);
    return good ? 0 : 1;
}
