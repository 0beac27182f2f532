/* The record stream of a compute shader, word for word: entry, place and data records of every warp, in the
 * order of the warp, for masks of every width, capacities of every size, and samplings.
 *
 * The shader: 3 x 2 workgroups of 10 x 2 threads; threads whose x is divisible by 3 enter a block.
 * Expectations are for warps of consecutive threads of a workgroup, of any size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/spirv/types.h"
#include "tests/device/streams.h"
#include "tests/unit/passes/spirv/assembly.h"

#define GROUPS_X     3
#define GROUPS_Y     2
#define GROUP_WIDTH  10
#define GROUP_HEIGHT 2
#define GROUP_SIZE   (GROUP_WIDTH * GROUP_HEIGHT)
#define WIDTH        (GROUPS_X * GROUP_WIDTH)
#define SLOT         7

enum { SITE_ENTRY = 1, SITE_ALL, SITE_PAIR, SITE_THIRD, SITE_SIXTEEN, SITE_END };

static const char shader[] = "OpCapability Shader\n"
                             "OpMemoryModel Logical GLSL450\n"
                             "OpEntryPoint GLCompute %1 \"main\" %2\n"
                             "OpExecutionMode %1 LocalSize 10 2 1\n"
                             "OpDecorate %2 BuiltIn GlobalInvocationId\n"
                             "%3 = OpTypeVoid\n"
                             "%4 = OpTypeFunction %3\n"
                             "%5 = OpTypeInt 32 0\n"
                             "%6 = OpTypeVector %5 3\n"
                             "%7 = OpTypePointer Input %6\n"
                             "%8 = OpTypeBool\n"
                             "%9 = OpConstant %5 0\n"
                             "%10 = OpConstant %5 3\n"
                             "%30 = OpTypePointer Private %5\n"
                             "%31 = OpVariable %30 Private %10\n" /* a private variable of its own */
                             "%2 = OpVariable %7 Input\n"
                             "%1 = OpFunction %3 None %4\n"
                             "%11 = OpLabel\n"
                             "%12 = OpLoad %6 %2\n"
                             "%20 = OpCompositeExtract %5 %12 0\n"
                             "%32 = OpLoad %5 %31\n"
                             "%21 = OpUMod %5 %20 %32\n"
                             "%22 = OpIEqual %8 %21 %9\n"
                             "OpSelectionMerge %24 None\n"
                             "OpBranchConditional %22 %23 %24\n"
                             "%23 = OpLabel\n" /* block 1: x divisible by 3 */
                             "OpBranch %24\n"
                             "%24 = OpLabel\n"
                             "OpReturn\n"
                             "OpFunctionEnd\n";
#define ID_X      20
#define ID_MODULO 21

struct fixture {
    struct streams streams;
    struct ws_gpu_bindings bindings;
    struct linked linked;
    VkPipeline pipeline;
    uint32_t bins;
};

static void instrument(struct ws_editor *editor)
{
    const struct ws_cursor all = ws_cursor_block_end(editor->module, 0);
    const struct ws_cursor third = ws_cursor_block_start(editor->module, 1);
    const struct ws_cursor end = ws_cursor_block_start(editor->module, 2);
    uint32_t c[SITE_END + 1];
    for (uint32_t i = 0; i <= SITE_END; i++)
        c[i] = ws_constant_u32(editor, i);
    streams_enter(editor, SITE_ENTRY);
    streams_call(editor, WS_PRIMITIVE_PLACE, all, &c[SITE_ALL], 1);
    streams_call(editor, WS_PRIMITIVE_DATA_2, all, (uint32_t[]){c[SITE_PAIR], ID_X, ID_MODULO}, 3);
    streams_call(editor, WS_PRIMITIVE_PLACE, third, &c[SITE_THIRD], 1);
    uint32_t sixteen[17] = {c[SITE_SIXTEEN], ID_X};
    for (uint32_t i = 1; i < 15; i++)
        sixteen[1 + i] = ws_constant_u32(editor, i);
    sixteen[16] = ID_X;
    streams_call(editor, WS_PRIMITIVE_DATA_16, third, sixteen, 17);
    streams_call(editor, WS_PRIMITIVE_PLACE, end, &c[SITE_END], 1);
}

/* The first threads, by LocalInvocationIndex, of the warps of a workgroup are multiples of the subgroup size.
 */
struct warp {
    uint32_t group_x;
    uint32_t group_y;
    uint32_t first;
    uint32_t count;
};

static uint32_t thread_x(const struct warp *warp, uint32_t lane)
{
    return warp->group_x * GROUP_WIDTH + (warp->first + lane) % GROUP_WIDTH;
}

static uint32_t thread_y(const struct warp *warp, uint32_t lane)
{
    return warp->group_y * GROUP_HEIGHT + (warp->first + lane) / GROUP_WIDTH;
}

static uint32_t add_mask(uint32_t *words, const uint32_t mask[4], uint32_t bins)
{
    memcpy(words, mask, (bins + 31) / 32 * 4);
    return (bins + 31) / 32;
}

/* The words of a place or data record but for the payload. */
static uint32_t add_place(uint32_t *words, uint32_t site, const uint32_t mask[4], bool is_full, bool has_data,
                          uint32_t bins)
{
    words[0] = 0;
    words[1] = site << 16;
    if (bins <= 16) {
        words[1] |= mask[0];
        return 2;
    }
    if (is_full && !has_data) {
        words[1] |= 1;
        return 2;
    }
    return 2 + add_mask(words + 2, mask, bins);
}

/* All that the warp appends, in order; the number of words. */
static uint32_t expect(const struct fixture *fixture, const struct warp *warp, uint32_t *words)
{
    const uint32_t bins = fixture->bins;
    uint32_t all[4] = {0};
    uint32_t third[4] = {0};
    uint32_t thirds = 0;
    for (uint32_t lane = 0; lane < warp->count; lane++) {
        all[lane / 32] |= 1u << lane % 32;
        if (thread_x(warp, lane) % 3 == 0) {
            third[lane / 32] |= 1u << lane % 32;
            thirds++;
        }
    }
    uint32_t n = 0;
    words[n++] = WS_CONTEXT_NONE;
    words[n++] = SLOT << 16 | SITE_ENTRY;
    words[n++] = fixture->streams.gpu.subgroup_size | 3 << 8 | 1 << 16;
    n += add_mask(words + n, all, bins);
    words[n++] = warp->group_x;
    words[n++] = warp->group_y;
    words[n++] = 0;
    for (uint32_t lane = 0; lane < warp->count; lane++)
        words[n++] = warp->first + lane;
    n += add_place(words + n, SITE_ALL, all, true, false, bins);
    n += add_place(words + n, SITE_PAIR, all, true, true, bins);
    for (uint32_t lane = 0; lane < warp->count; lane++) {
        words[n++] = thread_x(warp, lane);
        words[n++] = thread_x(warp, lane) % 3;
    }
    if (thirds != 0) {
        n += add_place(words + n, SITE_THIRD, third, thirds == warp->count, false, bins);
        n += add_place(words + n, SITE_SIXTEEN, third, false, true, bins);
    }
    for (uint32_t lane = 0; lane < warp->count; lane++) {
        if (thread_x(warp, lane) % 3 == 0) {
            const uint32_t x = thread_x(warp, lane);
            const uint32_t payload[] = {x, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, x};
            memcpy(words + n, payload, sizeof(payload));
            n += 16;
        }
    }
    return n + add_place(words + n, SITE_END, all, true, false, bins);
}

/* Every warp of the dispatch; their number. */
static uint32_t list_warps(const struct fixture *fixture, struct warp *warps)
{
    const uint32_t size = fixture->streams.gpu.subgroup_size;
    uint32_t count = 0;
    for (uint32_t group = 0; group < GROUPS_X * GROUPS_Y; group++) {
        for (uint32_t first = 0; first < GROUP_SIZE; first += size) {
            const uint32_t rest = GROUP_SIZE - first;
            warps[count++] =
                (struct warp){group % GROUPS_X, group / GROUPS_X, first, rest < size ? rest : size};
        }
    }
    return count;
}

/* Whether what was found are the records of these warps, or where `is_part` their beginnings. */
static bool match(const struct fixture *fixture, const struct contexts *contexts, const struct warp *warps,
                  const bool *wanted, uint32_t warp_count, bool is_part)
{
    uint32_t words[CONTEXT_WORDS];
    uint32_t found = 0;
    uint32_t expected = 0;
    for (uint32_t i = 0; i < warp_count; i++) {
        const uint32_t count = expect(fixture, &warps[i], words);
        expected += wanted[i];
        for (uint32_t j = 0; j < contexts->count; j++) {
            const struct context *context = &contexts->list[j];
            found += wanted[i] && context->word_count <= count && (is_part || context->word_count == count) &&
                     memcmp(context->words, words, context->word_count * 4) == 0;
        }
    }
    return check("contexts of warps that ran", found, contexts->count) &&
           (is_part || check("contexts", contexts->count, expected));
}

static bool run(struct fixture *fixture, struct ws_error *error)
{
    VkCommandBuffer commands = ws_gpu_begin(&fixture->streams.gpu, error);
    if (commands == NULL)
        return false;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, fixture->pipeline, &fixture->bindings);
    vkCmdDispatch(commands, GROUPS_X, GROUPS_Y, 1);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(&fixture->streams.gpu, commands, error);
}

static struct warp warps[GROUPS_X * GROUPS_Y * GROUP_SIZE];
static struct contexts contexts;

/* Every capacity from nothing to more than all: what fits is there and whole, what does not is counted. */
static bool test_capacities(struct fixture *fixture, uint32_t step, struct ws_error *error)
{
    bool wanted[GROUPS_X * GROUPS_Y * GROUP_SIZE];
    uint32_t words[CONTEXT_WORDS];
    const uint32_t warp_count = list_warps(fixture, warps);
    uint32_t total = 0;
    for (uint32_t i = 0; i < warp_count; i++) {
        total += expect(fixture, &warps[i], words);
        wanted[i] = true;
    }
    bool good = true;
    for (uint32_t rest = 0; rest <= total + step && good; rest += step) {
        const uint32_t capacity = total + step - rest;
        const uint32_t *control = streams_reset(&fixture->streams, capacity);
        good = run(fixture, error);
        const uint32_t whole = capacity < total ? control[WS_STREAM_WHOLE] : total;
        good = good && check("words reserved", control[WS_STREAM_RESERVED], capacity == 0 ? 0 : total) &&
               streams_untouched(&fixture->streams, capacity == 0 ? 0 : whole) && whole <= capacity &&
               streams_read(&fixture->streams, fixture->bins, whole, &contexts) &&
               match(fixture, &contexts, warps, wanted, warp_count, capacity < total);
        if (!good)
            printf("bins %u, capacity %u of %u, whole %u\n", fixture->bins, capacity, total, whole);
    }
    return good;
}

/* Near the top the count stops, though shaders go on: 40 runs reserve more than twice STREAM_SIZE. */
static bool test_saturation(struct fixture *fixture, struct ws_error *error)
{
    uint32_t *control = streams_reset(&fixture->streams, 1000);
    control[WS_STREAM_RESERVED] = WS_STREAM_SATURATED - 10;
    bool good = true;
    for (int i = 0; i < 40 && good; i++)
        good = run(fixture, error);
    good = good && check("words past saturation",
                         control[WS_STREAM_RESERVED] - WS_STREAM_SATURATED < STREAM_SIZE, true);
    return good && streams_untouched(&fixture->streams, 0);
}

struct sampling {
    const char *name;
    uint32_t tests;
    uint32_t words[10];  /* of the control block, from WS_STREAM_FIRST on */
    uint32_t warps_of_8; /* that are wanted, where warps have 8 lanes */
};

/* By definition in records.h; the words are written out here. */
static bool is_sampled(const struct sampling *s, uint32_t x, uint32_t y)
{
    const uint32_t *w = s->words;
    const uint32_t flat_id = y * WIDTH + x;
    if ((s->tests & WS_SAMPLE_THREADS) != 0 &&
        (flat_id < w[0] || flat_id > w[1] || (flat_id - w[0]) % w[2] != 0))
        return false;
    if ((s->tests & WS_SAMPLE_BOX) != 0 && (x < w[3] || y < w[4] || x > w[5] || y > w[6]))
        return false;
    return (s->tests & WS_SAMPLE_TILES) == 0 || (x / w[7] + y / w[8]) % w[9] == 0;
}

static bool test_sampling(struct fixture *fixture, const struct sampling *sampling, struct ws_error *error)
{
    bool wanted[GROUPS_X * GROUPS_Y * GROUP_SIZE] = {false};
    const uint32_t warp_count = list_warps(fixture, warps);
    uint32_t wanted_count = 0;
    for (uint32_t i = 0; i < warp_count; i++) {
        for (uint32_t lane = 0; lane < warps[i].count; lane++)
            wanted[i] |= is_sampled(sampling, thread_x(&warps[i], lane), thread_y(&warps[i], lane));
        wanted_count += wanted[i];
    }
    uint32_t *control = streams_reset(&fixture->streams, STREAM_SIZE);
    control[WS_STREAM_SAMPLE] = sampling->tests;
    memcpy(control + WS_STREAM_FIRST, sampling->words, sizeof(sampling->words));
    const bool good =
        (fixture->streams.gpu.subgroup_size != 8 ||
         check("warps wanted", wanted_count, sampling->warps_of_8)) &&
        run(fixture, error) &&
        streams_read(&fixture->streams, fixture->bins, control[WS_STREAM_RESERVED], &contexts) &&
        match(fixture, &contexts, warps, wanted, warp_count, false);
    if (!good)
        printf("sampling %s: %u of %u warps: WRONG\n", sampling->name, wanted_count, warp_count);
    return good;
}

/* Nothing where there is no stream at all. */
static bool test_off(struct fixture *fixture, struct ws_error *error)
{
    struct ws_root *root = fixture->streams.root.data;
    const uint32_t *control = streams_reset(&fixture->streams, STREAM_SIZE);
    root->records = 0;
    const bool good = run(fixture, error) && check("words reserved", control[WS_STREAM_RESERVED], 0) &&
                      streams_untouched(&fixture->streams, 0);
    root->records = fixture->streams.control.address;
    return good;
}

/* `without`: the module runs with no specialization. */
static bool set_up(struct fixture *fixture, uint32_t bins, bool without, struct ws_error *error)
{
    size_t count = 0;
    uint32_t *words = assembly_read(shader, 0x00010000, &count);
    fixture->bins = bins;
    if (linked_init(&fixture->linked, &fixture->streams, words, count, VK_SHADER_STAGE_COMPUTE_BIT, SLOT,
                    bins, instrument, error)) {
        if (without)
            fixture->linked.shader.specialization = NULL;
        fixture->pipeline = ws_gpu_compute_pipeline(&fixture->streams.gpu, &fixture->bindings,
                                                    &fixture->linked.shader, error);
    }
    free(words);
    return fixture->pipeline != VK_NULL_HANDLE;
}

static void tear_down(struct fixture *fixture)
{
    vkDestroyPipeline(fixture->streams.gpu.device, fixture->pipeline, NULL);
    fixture->pipeline = VK_NULL_HANDLE;
    linked_finish(&fixture->linked);
}

static bool test_all(struct fixture *fixture, struct ws_error *error)
{
    static const uint32_t bins[] = {8, 16, 32, 64, 128};
    static const struct sampling samplings[] = {
        {"threads", WS_SAMPLE_THREADS, {25, 70, 40}, 2},
        {"box", WS_SAMPLE_BOX, {[3] = 3, 1, 4, 2}, 2},
        {"tiles", WS_SAMPLE_TILES, {[7] = 2, 2, 10}, 6},
        {"all", WS_SAMPLE_THREADS | WS_SAMPLE_BOX | WS_SAMPLE_TILES, {0, 200, 3, 0, 0, 12, 3, 4, 1, 3}, 6},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof(bins) / sizeof(bins[0]); i++) {
        if (bins[i] < fixture->streams.gpu.subgroup_size)
            continue;
        good = set_up(fixture, bins[i], false, error) &&
               test_capacities(fixture, i == 0 || i == 2 ? 1 : 17, error) && good;
        good = test_saturation(fixture, error) && test_off(fixture, error) && good;
        for (size_t j = 0; j < sizeof(samplings) / sizeof(samplings[0]) && i % 2 == 0; j++)
            good = test_sampling(fixture, &samplings[j], error) && good;
        tear_down(fixture);
        printf("bins %u: %s\n", bins[i], good ? "right" : "WRONG");
    }
    good = set_up(fixture, 8, true, error) && good;
    const uint32_t *control = streams_reset(&fixture->streams, STREAM_SIZE);
    good = good && run(fixture, error) && check("words reserved", control[WS_STREAM_RESERVED], 0);
    tear_down(fixture);
    return good;
}

int main(void)
{
    static struct fixture fixture;
    struct ws_error error = {0};
    /* Ray tracing stands for device addresses: a device that has it has them. */
    const struct ws_gpu_request request = {
        .application = "records", .needs = WS_GPU_RAY_TRACING, .queue = VK_QUEUE_COMPUTE_BIT};
    const enum ws_gpu_status status = ws_gpu_init(&fixture.streams.gpu, &request, &error);
    if (status != WS_GPU_READY) {
        printf("%s\n", error.message);
        return status == WS_GPU_UNFIT ? 77 : 1;
    }
    fixture.streams.data_words[SITE_PAIR] = 2;
    fixture.streams.data_words[SITE_SIXTEEN] = 16;
    const bool good = streams_init(&fixture.streams, &error) &&
                      ws_gpu_bindings_init(&fixture.streams.gpu, &fixture.bindings, NULL, 0,
                                           VK_SHADER_STAGE_COMPUTE_BIT, 0, &error) &&
                      test_all(&fixture, &error);
    if (error.message[0] != '\0')
        printf("%s\n", error.message);
    ws_gpu_bindings_finish(&fixture.streams.gpu, &fixture.bindings);
    streams_finish(&fixture.streams);
    return good ? 0 : 1;
}
