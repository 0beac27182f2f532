/* The record stream of ray generation, closest-hit and miss shaders: which threads entered which shader, in
 * which contexts, and what sampling keeps. Holds wherever the device runs hit and miss shaders.
 *
 * 13 x 5 rays along -z from (x, y, 1); a triangle is hit by those with x <= 6. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "passes/spirv/types.h"
#include "rays_rchit.h"
#include "rays_rgen.h"
#include "rays_rmiss.h"
#include "tests/device/streams.h"
#include "tests/device/triangle.h"

#define WIDTH   13
#define HEIGHT  5
#define THREADS (WIDTH * HEIGHT)
#define HIT_X   6

enum { RAYGEN, CLOSEST_HIT, MISS, STAGES };
enum { SLOT = 40 }; /* of the first stage; the others follow */
enum { SITE_ENTRY = 1, SITE_END, SITE_DATA };

struct scene {
    struct triangle triangle;
    struct ws_gpu_acceleration_structure top;
};

struct fixture {
    struct streams streams;
    struct scene scene;
    struct ws_gpu_bindings bindings;
    struct linked linked[STAGES];
    struct ws_gpu_ray_tracing pipeline;
    uint32_t bins;
};

static void instrument(struct ws_editor *editor)
{
    const struct ws_module *module = editor->module;
    const uint32_t block = module->functions[module->entry_points[0].function].block_first;
    const struct ws_cursor end = ws_cursor_block_end(module, block);
    const uint32_t place = ws_constant_u32(editor, SITE_END);
    const uint32_t data[] = {ws_constant_u32(editor, SITE_DATA), ws_constant_u32(editor, 77)};
    streams_enter(editor, SITE_ENTRY);
    streams_call(editor, WS_PRIMITIVE_DATA_1, end, data, 2);
    streams_call(editor, WS_PRIMITIVE_PLACE, end, &place, 1);
}

static bool build_scene(struct fixture *fixture, struct ws_error *error)
{
    static const float corners[9] = {HIT_X + .5f, -1000, 0, HIT_X + .5f, 1000, 0, -2000, 0, 0};
    struct ws_gpu *gpu = &fixture->streams.gpu;
    struct scene *scene = &fixture->scene;
    const struct ws_gpu_binding binding = {.acceleration_structure = &scene->top.handle};
    return triangle_init(gpu, &scene->triangle, corners, error) &&
           triangle_place(gpu, &scene->triangle, 0, 0, &scene->top, error) &&
           ws_gpu_bindings_init(gpu, &fixture->bindings, &binding, 1, VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0,
                                error);
}

static bool build_pipeline(struct fixture *fixture, uint32_t bins, struct ws_error *error)
{
    const struct {
        const uint32_t *words;
        size_t size;
        VkShaderStageFlagBits stage;
    } stages[STAGES] = {{rays_rgen, sizeof(rays_rgen), VK_SHADER_STAGE_RAYGEN_BIT_KHR},
                        {rays_rchit, sizeof(rays_rchit), VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
                        {rays_rmiss, sizeof(rays_rmiss), VK_SHADER_STAGE_MISS_BIT_KHR}};
    struct ws_gpu_shader shaders[STAGES];
    fixture->bins = bins;
    for (uint32_t i = 0; i < STAGES; i++) {
        if (!linked_init(&fixture->linked[i], &fixture->streams, stages[i].words, stages[i].size / 4,
                         stages[i].stage, SLOT + i, bins, instrument, error))
            return false;
        shaders[i] = fixture->linked[i].shader;
    }
    const uint32_t none = WS_GPU_NO_SHADER;
    const struct ws_gpu_group groups[STAGES] = {
        {RAYGEN, none, none, none}, {none, CLOSEST_HIT, none, none}, {MISS, none, none, none}};
    return ws_gpu_ray_tracing_init(&fixture->streams.gpu, &fixture->pipeline, &fixture->bindings, shaders,
                                   STAGES, groups, STAGES, 1, error);
}

static void tear_down_pipeline(struct fixture *fixture)
{
    ws_gpu_ray_tracing_finish(&fixture->streams.gpu, &fixture->pipeline);
    for (uint32_t i = 0; i < STAGES; i++)
        linked_finish(&fixture->linked[i]);
    memset(&fixture->pipeline, 0, sizeof(fixture->pipeline));
}

static struct contexts contexts;

static bool run(struct fixture *fixture, struct ws_error *error)
{
    const uint32_t *control = fixture->streams.control.data;
    VkCommandBuffer commands = ws_gpu_begin(&fixture->streams.gpu, error);
    if (commands == NULL)
        return false;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, fixture->pipeline.pipeline,
                &fixture->bindings);
    ws_gpu_trace_rays(commands, &fixture->pipeline, 0, WIDTH, HEIGHT);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(&fixture->streams.gpu, commands, error) &&
           streams_read(&fixture->streams, fixture->bins, control[WS_STREAM_RESERVED], &contexts);
}

static bool is_in_stage(uint32_t thread, uint32_t stage)
{
    return stage == RAYGEN || (thread % WIDTH <= HIT_X) == (stage == CLOSEST_HIT);
}

/* What follows the entry: a data record with 77 of every lane, and a place, both of the lanes that entered.
 */
static bool check_rest(const struct fixture *fixture, const struct context *context)
{
    const uint32_t mask_words = (fixture->bins + 31) / 32;
    const bool packed = fixture->bins <= 16;
    uint32_t words[CONTEXT_WORDS];
    uint32_t n = 0;
    words[n++] = 0;
    words[n++] = SITE_DATA << 16 | (packed ? context->mask[0] : 0);
    for (uint32_t i = 0; i < mask_words && !packed; i++)
        words[n++] = context->mask[i];
    for (uint32_t i = 0; i < context->lane_count; i++)
        words[n++] = 77;
    words[n++] = 0;
    words[n++] = SITE_END << 16 | (packed ? context->mask[0] : 1);
    return check("words behind an entry", context->word_count - context->entry_words, n) &&
           memcmp(context->words + context->entry_words, words, n * 4) == 0;
}

/* Every thread that is in a stage entered it once; `entered` tells who did. */
static bool check_contexts(const struct fixture *fixture, uint8_t entered[STAGES][THREADS])
{
    bool good = true;
    memset(entered, 0, (size_t)STAGES * THREADS);
    for (uint32_t i = 0; i < contexts.count && good; i++) {
        const struct context *context = &contexts.list[i];
        const uint32_t stage = context->slot - SLOT;
        good = context->words[1] == (context->slot << 16 | SITE_ENTRY) && stage < STAGES &&
               context->words[2] == (fixture->streams.gpu.subgroup_size | 1 << 16) &&
               check_rest(fixture, context);
        for (uint32_t lane = 0; lane < context->lane_count && good; lane++) {
            const uint32_t thread = context->per_lane[lane];
            good = thread < THREADS && is_in_stage(thread, stage) && entered[stage][thread]++ == 0;
        }
        if (!good)
            printf("context %u: wrong\n", context->number);
    }
    return good;
}

static bool test_all(struct fixture *fixture, struct ws_error *error)
{
    uint8_t entered[STAGES][THREADS];
    streams_reset(&fixture->streams, STREAM_SIZE);
    bool good = run(fixture, error) && check_contexts(fixture, entered);
    for (uint32_t i = 0; i < STAGES * THREADS && good; i++) {
        good = check("times that a thread entered", entered[i / THREADS][i % THREADS],
                     is_in_stage(i % THREADS, i / THREADS));
    }
    /* The bitmap is for sampling only. */
    return good && check("bits without sampling", *(const uint32_t *)fixture->streams.bitmap.data, 0);
}

/* Only rays in a box: ray generation in whole warps, whose bits are set; hit and miss shaders where any of
 * their threads has its bit, which holds all threads that have. */
static bool test_box(struct fixture *fixture, bool has_bitmap, struct ws_error *error)
{
    const uint32_t x = 6;
    const uint32_t y = 3;
    uint8_t entered[STAGES][THREADS];
    uint32_t *control = streams_reset(&fixture->streams, STREAM_SIZE);
    control[WS_STREAM_SAMPLE] = WS_SAMPLE_BOX;
    memcpy(control + WS_STREAM_BOX, (uint32_t[]){x, y, x + 1, y}, 16);
    if (!has_bitmap)
        memset(control + WS_STREAM_BITMAP, 0, 8);
    bool good = run(fixture, error) && check_contexts(fixture, entered);
    const uint32_t *bits = fixture->streams.bitmap.data;
    uint32_t launched = 0;
    for (uint32_t i = 0; i < THREADS && good; i++) {
        const bool is_wanted = entered[RAYGEN][i] != 0;
        const bool is_in_box = i == y * WIDTH + x || i == y * WIDTH + x + 1;
        launched += is_wanted;
        good = check("bit of a thread", bits[i / 32] >> i % 32 & 1, is_wanted && has_bitmap) &&
               (is_wanted || !is_in_box);
        for (uint32_t stage = CLOSEST_HIT; stage < STAGES && (has_bitmap ? is_wanted : is_in_box); stage++) {
            good = good &&
                   check("times that a wanted thread was called", entered[stage][i], is_in_stage(i, stage));
        }
    }
    for (uint32_t i = 0; i < contexts.count && good; i++) {
        bool any = false;
        for (uint32_t lane = 0; lane < contexts.list[i].lane_count; lane++) {
            const uint32_t thread = contexts.list[i].per_lane[lane];
            any |= contexts.list[i].slot == SLOT || entered[RAYGEN][thread] != 0;
        }
        good = check("a context with a wanted thread", any, true);
    }
    return good && launched < THREADS;
}

static bool test_pipeline(struct fixture *fixture, uint32_t bins, struct ws_error *error)
{
    if (bins < fixture->streams.gpu.subgroup_size)
        return true;
    bool good = build_pipeline(fixture, bins, error);
    good =
        good && test_all(fixture, error) && test_box(fixture, true, error) && test_box(fixture, false, error);
    streams_reset(&fixture->streams, 0);
    good = good && run(fixture, error) && check("contexts without capacity", contexts.count, 0) &&
           streams_untouched(&fixture->streams, 0);
    tear_down_pipeline(fixture);
    printf("bins %u: %s\n", bins, good ? "right" : "WRONG");
    return good;
}

static void finish(struct fixture *fixture)
{
    struct ws_gpu *gpu = &fixture->streams.gpu;
    ws_gpu_bindings_finish(gpu, &fixture->bindings);
    ws_gpu_acceleration_structure_finish(gpu, &fixture->scene.top);
    triangle_finish(gpu, &fixture->scene.triangle);
    streams_finish(&fixture->streams);
}

int main(void)
{
    static struct fixture fixture;
    struct ws_error error = {0};
    const struct ws_gpu_request request = {
        .application = "records_rays", .needs = WS_GPU_RAY_TRACING, .queue = VK_QUEUE_COMPUTE_BIT};
    const enum ws_gpu_status status = ws_gpu_init(&fixture.streams.gpu, &request, &error);
    if (status != WS_GPU_READY) {
        printf("%s\n", error.message);
        return status == WS_GPU_UNFIT ? 77 : 1;
    }
    fixture.streams.data_words[SITE_DATA] = 1;
    const bool good = streams_init(&fixture.streams, &error) && build_scene(&fixture, &error) &&
                      test_pipeline(&fixture, 8, &error) && test_pipeline(&fixture, 128, &error);
    if (error.message[0] != '\0')
        printf("%s\n", error.message);
    finish(&fixture);
    return good ? 0 : 1;
}
