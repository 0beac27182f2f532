/* The record stream of vertex and fragment shaders: each pixel of a triangle once, no helper invocation
 * anywhere, neither those at its edge nor those that are made by demote.
 *
 * Two instances of a triangle that covers the pixels with x + y <= 9; those with odd x end half way. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "corner_demote_frag.h"
#include "corner_frag.h"
#include "corner_vert.h"
#include "examples/base/graphics.h"
#include "passes/spirv/types.h"
#include "tests/device/streams.h"

#define SIZE      16
#define LAST      9 /* x + y of the last covered pixels */
#define INSTANCES 2
#define VERTICES  3

enum { SLOT_VERTEX = 3, SLOT_FRAGMENT };
enum { SITE_ENTRY = 1, SITE_FIRST, SITE_REST };

struct fixture {
    struct streams streams;
    struct ws_gpu_bindings bindings;
    struct ws_gpu_target target;
    uint32_t bins;
};

static void instrument(struct ws_editor *editor)
{
    const struct ws_module *module = editor->module;
    const struct ws_function *main = &module->functions[module->entry_points[0].function];
    const uint32_t first = ws_constant_u32(editor, SITE_FIRST);
    const uint32_t rest = ws_constant_u32(editor, SITE_REST);
    streams_enter(editor, SITE_ENTRY);
    streams_call(editor, WS_PRIMITIVE_PLACE, ws_cursor_block_end(module, main->block_first), &first, 1);
    if (main->block_count > 1) { /* the last block, where what goes on goes on */
        streams_call(editor, WS_PRIMITIVE_PLACE,
                     ws_cursor_block_start(module, main->block_first + main->block_count - 1), &rest, 1);
    }
}

static bool draw(struct fixture *fixture, VkPipeline pipeline, struct ws_error *error)
{
    static const float clear[4];
    VkCommandBuffer commands = ws_gpu_begin(&fixture->streams.gpu, error);
    if (commands == NULL)
        return false;
    ws_gpu_target_begin(commands, &fixture->target, clear);
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline, &fixture->bindings);
    vkCmdDraw(commands, VERTICES, INSTANCES, 0, 0);
    ws_gpu_target_end(commands, &fixture->target);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(&fixture->streams.gpu, commands, error);
}

/* The place record of these lanes at `words`; its size, 0 where it is another. */
static uint32_t match_place(const struct fixture *fixture, const struct context *context,
                            const uint32_t *words, uint32_t site, const uint32_t mask[4])
{
    const uint32_t mask_words = (fixture->bins + 31) / 32;
    const bool is_full = memcmp(mask, context->mask, 16) == 0;
    if (fixture->bins <= 16)
        return words[1] == (site << 16 | mask[0]) ? 2 : 0;
    if (is_full)
        return words[1] == (site << 16 | 1) ? 2 : 0;
    return words[1] == site << 16 && memcmp(words + 2, mask, mask_words * 4) == 0 ? 2 + mask_words : 0;
}

/* One execution of the fragment shader: its pixels are counted, its places are of all and of those with even
 * x. */
static bool check_fragments(const struct fixture *fixture, const struct context *context, bool has_sample,
                            uint32_t pixels[SIZE][SIZE])
{
    const uint32_t *lane_words = context->per_lane;
    uint32_t rest[4] = {0};
    bool good = check("words per lane", context->lane_words, 2);
    for (uint32_t lane = 0; lane < 128 && good; lane++) {
        if (!has_lane(context->mask, lane))
            continue;
        const uint32_t x = lane_words[0] & 0xffff;
        const uint32_t y = lane_words[0] >> 16;
        good = x < SIZE && y < SIZE &&
               check("sample and layer", lane_words[1], has_sample ? 0xffff0000 : 0xffffffff);
        pixels[y % SIZE][x % SIZE]++;
        rest[lane / 32] |= x % 2 == 0 ? 1u << lane % 32 : 0;
        lane_words += 2;
    }
    const uint32_t *words = context->words + context->entry_words;
    uint32_t size = good ? match_place(fixture, context, words, SITE_FIRST, context->mask) : 0;
    if (size != 0 && (rest[0] | rest[1] | rest[2] | rest[3]) != 0) {
        const uint32_t more = match_place(fixture, context, words + size, SITE_REST, rest);
        size = more == 0 ? 0 : size + more;
    }
    return check("words of the places", size, context->word_count - context->entry_words);
}

static bool check_stream(const struct fixture *fixture, const struct contexts *contexts, bool has_sample)
{
    uint32_t pixels[SIZE][SIZE] = {{0}};
    uint32_t vertices[VERTICES][INSTANCES] = {{0}};
    bool good = true;
    for (uint32_t i = 0; i < contexts->count && good; i++) {
        const struct context *context = &contexts->list[i];
        if (context->slot == SLOT_FRAGMENT) {
            good = check_fragments(fixture, context, has_sample, pixels);
            continue;
        }
        good = check("slot", context->slot, SLOT_VERTEX) && check("words per lane", context->lane_words, 2) &&
               check("words of the place",
                     match_place(fixture, context, context->words + context->entry_words, SITE_FIRST,
                                 context->mask),
                     2);
        for (uint32_t lane = 0; lane < context->lane_count && good; lane++) {
            const uint32_t *work = context->per_lane + (size_t)2 * lane;
            good = work[0] < VERTICES && work[1] < INSTANCES;
            vertices[work[0] % VERTICES][work[1] % INSTANCES]++;
        }
    }
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE && good; x++)
            good = check("times that a pixel was drawn", pixels[y][x], x + y <= LAST ? INSTANCES : 0);
    /* A vertex may be shaded more than once. */
    for (uint32_t i = 0; i < VERTICES * INSTANCES && good; i++)
        good = check("a vertex was shaded", vertices[i / INSTANCES][i % INSTANCES] != 0, true);
    return good;
}

static bool test(struct fixture *fixture, uint32_t bins, bool has_sample, struct ws_error *error)
{
    static struct contexts contexts;
    struct linked vertex = {0};
    struct linked fragment = {0};
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (bins < fixture->streams.gpu.subgroup_size)
        return true;
    fixture->bins = bins;
    const uint32_t *words = has_sample ? corner_demote_frag : corner_frag;
    const size_t count = (has_sample ? sizeof(corner_demote_frag) : sizeof(corner_frag)) / 4;
    if (linked_init(&vertex, &fixture->streams, corner_vert, sizeof(corner_vert) / 4,
                    VK_SHADER_STAGE_VERTEX_BIT, SLOT_VERTEX, bins, instrument, error) &&
        linked_init(&fragment, &fixture->streams, words, count, VK_SHADER_STAGE_FRAGMENT_BIT, SLOT_FRAGMENT,
                    bins, instrument, error)) {
        pipeline = ws_gpu_graphics_pipeline(
            &fixture->streams.gpu, &fixture->bindings, &fixture->target,
            &(struct ws_gpu_graphics){.vertex = vertex.shader, .fragment = fragment.shader}, error);
    }
    const uint32_t *control = streams_reset(&fixture->streams, STREAM_SIZE);
    const bool good = pipeline != VK_NULL_HANDLE && draw(fixture, pipeline, error) &&
                      streams_read(&fixture->streams, bins, control[WS_STREAM_RESERVED], &contexts) &&
                      check_stream(fixture, &contexts, has_sample);
    printf("bins %u, %s: %s\n", bins, has_sample ? "demote" : "discard", good ? "right" : "WRONG");
    vkDestroyPipeline(fixture->streams.gpu.device, pipeline, NULL);
    linked_finish(&vertex);
    linked_finish(&fragment);
    return good;
}

int main(void)
{
    static struct fixture fixture;
    struct ws_error error = {0};
    const struct ws_gpu_request request = {.application = "records_drawing",
                                           .needs = WS_GPU_RAY_TRACING | WS_GPU_FRAGMENT_STORES |
                                                    WS_GPU_VERTEX_STORES,
                                           .queue = VK_QUEUE_GRAPHICS_BIT};
    const enum ws_gpu_status status = ws_gpu_init(&fixture.streams.gpu, &request, &error);
    if (status != WS_GPU_READY) {
        printf("%s\n", error.message);
        return status == WS_GPU_UNFIT ? 77 : 1;
    }
    bool good = streams_init(&fixture.streams, &error) &&
                ws_gpu_bindings_init(&fixture.streams.gpu, &fixture.bindings, NULL, 0, VK_SHADER_STAGE_ALL, 0,
                                     &error) &&
                ws_gpu_target_init(&fixture.streams.gpu, &fixture.target, SIZE, SIZE, false, &error);
    for (uint32_t i = 0; i < 4 && good; i++)
        good = test(&fixture, i % 2 == 0 ? 8 : 64, i >= 2, &error);
    if (error.message[0] != '\0')
        printf("%s\n", error.message);
    ws_gpu_target_finish(&fixture.streams.gpu, &fixture.target);
    ws_gpu_bindings_finish(&fixture.streams.gpu, &fixture.bindings);
    streams_finish(&fixture.streams);
    return good ? 0 : 1;
}
