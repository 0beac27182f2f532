/* Continuations (records.h), word for word, on a device that has none by itself: behind the entry record a
 * ray generation shader changes what some of its lanes keep, as if they came from another context or lane.
 *
 * 13 x 5 threads, whose warps hold whatever threads the device gives them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "examples/base/ray_tracing.h"
#include "passes/spirv/types.h"
#include "tests/device/streams.h"
#include "tests/unit/passes/spirv/assembly.h"

#define WIDTH   13
#define HEIGHT  5
#define THREADS (WIDTH * HEIGHT)
#define SLOT    9

enum { SITE_ENTRY = 1, SITE_BEFORE, SITE_CONTINUE, SITE_AFTER };

static const char shader[] = "OpCapability RayTracingKHR\n"
                             "OpExtension \"SPV_KHR_ray_tracing\"\n"
                             "OpMemoryModel Logical GLSL450\n"
                             "OpEntryPoint RayGenerationKHR %1 \"main\"\n"
                             "%3 = OpTypeVoid\n"
                             "%4 = OpTypeFunction %3\n"
                             "%1 = OpFunction %3 None %4\n"
                             "%11 = OpLabel\n"
                             "OpReturn\n"
                             "OpFunctionEnd\n";

/* What is changed of lanes. */
enum change {
    NOTHING,
    CONTEXT_OF_ODD, /* lanes of odd numbers are of another context */
    LANE_OF_ALL,    /* neighbours have changed places */
    LANE_OF_ODD,    /* lanes of odd numbers came from elsewhere */
    NONE_OF_ODD,    /* lanes of odd numbers are not wanted, */
    NONE_AND_LANE,  /* and the others have moved */
    NONE_OF_ALL,
    CHANGES,
};

static enum change change;

struct fixture {
    struct streams streams;
    struct ws_gpu_bindings bindings;
    struct linked linked;
    struct ws_gpu_ray_tracing pipeline;
    uint32_t bins;
};

/* The library's Private variables of type uint: the one that is initialised is the context, the last of the others the
 * lane (stream.glsl). */
static uint32_t find_private(const struct ws_editor *editor, bool is_context)
{
    const struct ws_words *globals = &editor->sections[WS_SECTION_GLOBAL];
    uint32_t type = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < globals->count; i += globals->data[i] >> SpvWordCountShift) {
        const uint32_t *words = &globals->data[i];
        if ((words[0] & SpvOpCodeMask) == SpvOpVariable && words[3] == SpvStorageClassPrivate &&
            words[0] >> SpvWordCountShift == 5)
            type = words[1];
    }
    for (uint32_t i = 0; i < globals->count; i += globals->data[i] >> SpvWordCountShift) {
        const uint32_t *words = &globals->data[i];
        if ((words[0] & SpvOpCodeMask) == SpvOpVariable && words[1] == type &&
            (words[0] >> SpvWordCountShift == 5) == is_context)
            found = words[2];
    }
    return found;
}

/* value = value combined with `operand` */
static void put_change(struct ws_editor *editor, struct ws_cursor cursor, uint32_t variable, uint16_t opcode,
                       uint32_t operand)
{
    const uint32_t u32 = ws_type_u32(editor);
    const uint32_t value = ws_emit(editor, cursor, SpvOpLoad, u32, &variable, 1);
    const uint32_t changed = ws_emit(editor, cursor, opcode, u32, (uint32_t[]){value, operand}, 2);
    ws_emit(editor, cursor, SpvOpStore, 0, (uint32_t[]){variable, changed}, 2);
}

static void instrument(struct ws_editor *editor)
{
    const struct ws_cursor end = ws_cursor_block_end(editor->module, 0);
    const uint32_t u32 = ws_type_u32(editor);
    uint32_t site[SITE_AFTER + 1];
    for (uint32_t i = 0; i <= SITE_AFTER; i++)
        site[i] = ws_constant_u32(editor, i);
    streams_enter(editor, SITE_ENTRY);
    streams_call(editor, WS_PRIMITIVE_PLACE, end, &site[SITE_BEFORE], 1);
    const uint32_t context = find_private(editor, true);
    const uint32_t lane = find_private(editor, false);
    const uint32_t one = ws_constant_u32(editor, 1);
    const uint32_t zero = ws_constant_u32(editor, 0);
    const uint32_t index = ws_emit(editor, end, SpvOpLoad, u32, &lane, 1);
    const uint32_t odd = ws_emit(editor, end, SpvOpBitwiseAnd, u32, (uint32_t[]){index, one}, 2);
    const uint32_t none_of_odd = ws_emit(editor, end, SpvOpISub, u32, (uint32_t[]){zero, odd}, 2);
    switch (change) {
    case CONTEXT_OF_ODD: put_change(editor, end, context, SpvOpIAdd, odd); break;
    case LANE_OF_ALL: put_change(editor, end, lane, SpvOpBitwiseXor, one); break;
    case LANE_OF_ODD: put_change(editor, end, lane, SpvOpIAdd, odd); break;
    case NONE_AND_LANE: put_change(editor, end, lane, SpvOpBitwiseXor, one); /* fall through */
    case NONE_OF_ODD: put_change(editor, end, context, SpvOpBitwiseOr, none_of_odd); break;
    case NONE_OF_ALL:
        put_change(editor, end, context, SpvOpBitwiseOr, ws_constant_u32(editor, WS_CONTEXT_NONE));
        break;
    case NOTHING:
    case CHANGES: break;
    }
    streams_call(editor, WS_PRIMITIVE_RESUME, end, &site[SITE_CONTINUE], 1);
    streams_call(editor, WS_PRIMITIVE_PLACE, end, &site[SITE_AFTER], 1);
}

static uint32_t add_mask(uint32_t *words, const uint32_t mask[4], uint32_t bins)
{
    memcpy(words, mask, (bins + 31) / 32 * 4);
    return (bins + 31) / 32;
}

/* A place of all lanes of its context, or only of some. */
static uint32_t add_place(uint32_t *words, uint32_t site, const uint32_t mask[4], bool is_full, uint32_t bins)
{
    words[0] = 0;
    words[1] = site << 16 | (bins <= 16 ? mask[0] : is_full);
    return 2 + (bins <= 16 || is_full ? 0 : add_mask(words + 2, mask, bins));
}

/* An entry record of the lanes of `mask`: its words per lane are those of the warp that `from` began, and behind them, in a
 * continuation, what the lane has kept as its context. */
static uint32_t add_entry(uint32_t *words, uint32_t site, const uint32_t mask[4], const struct context *from,
                          uint32_t subgroup_size, uint32_t bins)
{
    const bool continues = site == SITE_CONTINUE;
    uint32_t n = 0;
    uint32_t rank = 0;
    words[n++] = WS_CONTEXT_NONE;
    words[n++] = SLOT << 16 | site;
    words[n++] = subgroup_size | (continues ? 2 : 1) << 16;
    n += add_mask(words + n, mask, bins);
    for (uint32_t lane = 0; lane < bins; lane++) {
        if (has_lane(mask, lane))
            words[n++] = from->per_lane[rank];
        if (has_lane(mask, lane) && continues)
            words[n++] = from->number + (change == CONTEXT_OF_ODD ? lane % 2 : 0);
        rank += has_lane(from->mask, lane);
    }
    return n;
}

static bool is_equal(const struct context *context, const uint32_t *words, uint32_t count)
{
    return context->word_count == count && memcmp(context->words, words, count * 4) == 0;
}

/* The lanes that have a context when they come to the check, and whether a continuation is due. */
static bool resume(const struct context *warp, uint32_t kept[4])
{
    uint32_t odd = 0;
    uint32_t even = 0;
    memcpy(kept, warp->mask, 16);
    for (uint32_t i = 0; i < 4; i++) {
        odd += (warp->mask[i] & 0xaaaaaaaa) != 0;
        even += (warp->mask[i] & 0x55555555) != 0;
        kept[i] &= change == NONE_OF_ODD || change == NONE_AND_LANE ? 0x55555555 : 0xffffffff;
        kept[i] &= change == NONE_OF_ALL ? 0 : 0xffffffff;
    }
    switch (change) {
    case CONTEXT_OF_ODD: return odd != 0 && even != 0;
    case LANE_OF_ALL: return true;
    case LANE_OF_ODD: return odd != 0;
    case NONE_AND_LANE: return even != 0;
    default: return false;
    }
}

/* Every warp's context, and its continuation where one is due, are there with just these words, and nothing
 * else is. Where all lanes of a warp went to another context by number only, their place names that, which is
 * no record's; no warp has odd lanes alone. */
static bool check_contexts(const struct fixture *fixture, const struct contexts *contexts)
{
    const uint32_t size = fixture->streams.gpu.subgroup_size;
    uint32_t threads = 0;
    uint32_t expected = 0;
    bool good = true;
    for (uint32_t i = 0; i < contexts->count && good; i++) {
        const struct context *warp = &contexts->list[i];
        uint32_t words[CONTEXT_WORDS];
        uint32_t kept[4];
        if ((warp->words[1] & 0xffff) != SITE_ENTRY)
            continue;
        const bool continues = resume(warp, kept);
        const bool any = (kept[0] | kept[1] | kept[2] | kept[3]) != 0;
        uint32_t n = add_entry(words, SITE_ENTRY, warp->mask, warp, size, fixture->bins);
        n += add_place(words + n, SITE_BEFORE, warp->mask, true, fixture->bins);
        if (!continues && any)
            n += add_place(words + n, SITE_AFTER, kept, memcmp(kept, warp->mask, 16) == 0, fixture->bins);
        good = is_equal(warp, words, n);
        threads += warp->lane_count;
        expected += 1 + continues;
        if (continues) {
            uint32_t found = 0;
            n = add_entry(words, SITE_CONTINUE, kept, warp, size, fixture->bins);
            n += add_place(words + n, SITE_AFTER, kept, true, fixture->bins);
            for (uint32_t j = 0; j < contexts->count; j++)
                found += is_equal(&contexts->list[j], words, n);
            good = good && check("continuations of a warp", found, 1);
        }
        if (!good)
            printf("context %u: wrong\n", warp->number);
    }
    return good && check("threads", threads, THREADS) && check("contexts", contexts->count, expected);
}

static bool run(struct fixture *fixture, struct ws_error *error)
{
    static struct contexts contexts;
    const uint32_t *control = streams_reset(&fixture->streams, STREAM_SIZE);
    VkCommandBuffer commands = ws_gpu_begin(&fixture->streams.gpu, error);
    if (commands == NULL)
        return false;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, fixture->pipeline.pipeline,
                &fixture->bindings);
    ws_gpu_trace_rays(commands, &fixture->pipeline, 0, WIDTH, HEIGHT);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(&fixture->streams.gpu, commands, error) &&
           streams_read(&fixture->streams, fixture->bins, control[WS_STREAM_RESERVED], &contexts) &&
           check_contexts(fixture, &contexts);
}

static bool build(struct fixture *fixture, struct ws_error *error)
{
    const struct ws_gpu_group group = {0, WS_GPU_NO_SHADER, WS_GPU_NO_SHADER, WS_GPU_NO_SHADER};
    size_t count = 0;
    uint32_t *words = assembly_read(shader, 0x00010400, &count);
    const bool built = linked_init(&fixture->linked, &fixture->streams, words, count,
                                   VK_SHADER_STAGE_RAYGEN_BIT_KHR, SLOT, fixture->bins, instrument, error) &&
                       ws_gpu_ray_tracing_init(&fixture->streams.gpu, &fixture->pipeline, &fixture->bindings,
                                               &fixture->linked.shader, 1, &group, 1, 1, error);
    free(words);
    return built;
}

static bool test_change(struct fixture *fixture, struct ws_error *error)
{
    static const uint32_t bins[] = {8, 32, 128};
    bool good = true;
    for (size_t i = 0; i < sizeof(bins) / sizeof(bins[0]) && good; i++) {
        fixture->bins = bins[i];
        if (bins[i] < fixture->streams.gpu.subgroup_size)
            continue;
        good = build(fixture, error) && run(fixture, error);
        ws_gpu_ray_tracing_finish(&fixture->streams.gpu, &fixture->pipeline);
        linked_finish(&fixture->linked);
        memset(&fixture->pipeline, 0, sizeof(fixture->pipeline));
        printf("change %d, bins %u: %s\n", (int)change, bins[i], good ? "right" : "WRONG");
    }
    return good;
}

int main(void)
{
    static struct fixture fixture;
    struct ws_error error = {0};
    const struct ws_gpu_request request = {
        .application = "records_resume", .needs = WS_GPU_RAY_TRACING, .queue = VK_QUEUE_COMPUTE_BIT};
    const enum ws_gpu_status status = ws_gpu_init(&fixture.streams.gpu, &request, &error);
    if (status != WS_GPU_READY) {
        printf("%s\n", error.message);
        return status == WS_GPU_UNFIT ? 77 : 1;
    }
    bool good = streams_init(&fixture.streams, &error) &&
                ws_gpu_bindings_init(&fixture.streams.gpu, &fixture.bindings, NULL, 0,
                                     VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0, &error);
    for (change = NOTHING; change < CHANGES && good; change++)
        good = test_change(&fixture, &error);
    if (error.message[0] != '\0')
        printf("%s\n", error.message);
    ws_gpu_bindings_finish(&fixture.streams.gpu, &fixture.bindings);
    streams_finish(&fixture.streams);
    return good ? 0 : 1;
}
