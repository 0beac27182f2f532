/* The counter primitives on a device: linked into a compute shader, run, and what they wrote compared with
 * what follows from the shader by hand, for any subgroup size whose warps are consecutive threads of a
 * workgroup.
 *
 * The shader: 3 workgroups of 20 threads, each with its id; every third thread enters a block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/base/bindings.h"
#include "passes/link/link.h"
#include "passes/spirv/builder.h"
#include "passes/spirv/types.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/root.h"

#define GROUPS     3
#define GROUP_SIZE 20
#define THREADS    (GROUPS * GROUP_SIZE)
#define SLOT       7

enum { ROW_ALL, ROW_THIRD, ROW_LAUNCH, ROW_THREADS, ROW_COUNT };

static const char shader[] = "OpCapability Shader\n"
                             "OpMemoryModel Logical GLSL450\n"
                             "OpEntryPoint GLCompute %1 \"main\" %2\n"
                             "OpExecutionMode %1 LocalSize 20 1 1\n"
                             "OpDecorate %2 BuiltIn GlobalInvocationId\n"
                             "%3 = OpTypeVoid\n"
                             "%4 = OpTypeFunction %3\n"
                             "%5 = OpTypeInt 32 0\n"
                             "%6 = OpTypeVector %5 3\n"
                             "%7 = OpTypePointer Input %6\n"
                             "%8 = OpTypeBool\n"
                             "%9 = OpConstant %5 0\n"
                             "%10 = OpConstant %5 3\n"
                             "%2 = OpVariable %7 Input\n"
                             "%1 = OpFunction %3 None %4\n"
                             "%11 = OpLabel\n"
                             "%12 = OpLoad %6 %2\n"
                             "%20 = OpCompositeExtract %5 %12 0\n" /* the thread's id */
                             "%21 = OpUMod %5 %20 %10\n"
                             "%22 = OpIEqual %8 %21 %9\n"
                             "OpSelectionMerge %24 None\n"
                             "OpBranchConditional %22 %23 %24\n"
                             "%23 = OpLabel\n" /* block 1: ids divisible by 3 */
                             "OpBranch %24\n"
                             "%24 = OpLabel\n"
                             "OpReturn\n"
                             "OpFunctionEnd\n";

struct fixture {
    struct ws_gpu gpu;
    struct ws_gpu_bindings bindings;
    struct ws_gpu_buffer root;
    struct ws_gpu_buffer counters;
    VkPipeline pipeline;
    uint32_t bins;
};

static void call(struct ws_editor *editor, enum ws_primitive primitive, struct ws_cursor cursor,
                 const uint32_t *arguments, uint32_t count)
{
    const uint32_t entry_point = 0;
    ws_link_call(editor, cursor, ws_link_primitive(editor, primitive, &entry_point, 1), arguments, count);
}

static void instrument(struct ws_editor *editor)
{
    const struct ws_cursor all = ws_cursor_block_end(editor->module, 0);
    const struct ws_cursor third = ws_cursor_block_start(editor->module, 1);
    uint32_t rows[ROW_COUNT];
    for (uint32_t i = 0; i < ROW_COUNT; i++)
        rows[i] = ws_constant_u32(editor, i);
    call(editor, WS_PRIMITIVE_BEGIN, all, NULL, 0);
    call(editor, WS_PRIMITIVE_COUNT_WARP, all, &rows[ROW_ALL], 1);
    call(editor, WS_PRIMITIVE_COUNT_WARP, third, &rows[ROW_THIRD], 1);
    call(editor, WS_PRIMITIVE_LAUNCH_WARP_COMPUTE, all, &rows[ROW_LAUNCH], 1);
    call(editor, WS_PRIMITIVE_COUNT_THREAD, all, &rows[ROW_THREADS], 1);
}

static VkPipeline create_pipeline(struct fixture *fixture, struct ws_editor *editor, struct ws_error *error)
{
    const uint32_t values[WS_SPEC_COUNT] = {
        [WS_SPEC_ROOT_LO] = (uint32_t)fixture->root.address,
        [WS_SPEC_ROOT_HI] = (uint32_t)(fixture->root.address >> 32),
        [WS_SPEC_SLOT] = SLOT,
        [WS_SPEC_BINS] = fixture->bins,
    };
    VkSpecializationMapEntry entries[WS_SPEC_COUNT];
    for (uint32_t i = 0; i < WS_SPEC_COUNT; i++)
        entries[i] = (VkSpecializationMapEntry){ws_link_spec_id(editor, i), i * 4, 4};
    const VkSpecializationInfo info = {WS_SPEC_COUNT, entries, sizeof(values), values};
    uint32_t *words = NULL;
    size_t count = 0;
    ws_linker_finish(editor);
    if (!ws_editor_finish(editor, &words, &count, error) || !assembly_is_valid(words, count))
        return VK_NULL_HANDLE;
    const struct ws_gpu_shader shader_stage = {
        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
        .name = "counters",
        .words = words,
        .size = count * sizeof(*words),
        .specialization = &info,
    };
    return ws_gpu_compute_pipeline(&fixture->gpu, &fixture->bindings, &shader_stage, error);
}

static bool build_pipeline(struct fixture *fixture, struct ws_error *error)
{
    size_t count = 0;
    uint32_t *words = assembly_read(shader, 0x00010000, &count);
    struct ws_arena *arena = ws_arena_create();
    struct ws_module module;
    struct ws_editor *editor = NULL;
    if (arena != NULL && ws_module_parse(&module, arena, words, count, error))
        editor = ws_editor_create(&module);
    if (editor != NULL) {
        instrument(editor);
        fixture->pipeline = create_pipeline(fixture, editor, error);
    }
    ws_arena_destroy(arena);
    free(words);
    return fixture->pipeline != VK_NULL_HANDLE;
}

static bool init_fixture(struct fixture *fixture, struct ws_error *error)
{
    struct ws_gpu *gpu = &fixture->gpu;
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    fixture->bins = gpu->subgroup_size < WS_BINS_MIN ? WS_BINS_MIN : gpu->subgroup_size;
    return ws_gpu_buffer_init(gpu, &fixture->root, usage, NULL, WS_ROOT_SIZE, error) &&
           ws_gpu_buffer_init(gpu, &fixture->counters, usage, NULL,
                              (VkDeviceSize)ROW_COUNT * fixture->bins * 4, error) &&
           ws_gpu_bindings_init(gpu, &fixture->bindings, NULL, 0, VK_SHADER_STAGE_COMPUTE_BIT, 0, error) &&
           build_pipeline(fixture, error);
}

static void finish_fixture(struct fixture *fixture)
{
    if (fixture->pipeline != VK_NULL_HANDLE)
        vkDestroyPipeline(fixture->gpu.device, fixture->pipeline, NULL);
    ws_gpu_bindings_finish(&fixture->gpu, &fixture->bindings);
    ws_gpu_buffer_finish(&fixture->gpu, &fixture->counters);
    ws_gpu_buffer_finish(&fixture->gpu, &fixture->root);
    ws_gpu_finish(&fixture->gpu);
}

/* Runs the shader once, with empty counters where they are wanted. */
static bool run(struct fixture *fixture, bool counters, struct ws_error *error)
{
    struct ws_root *root = fixture->root.data;
    root->counters[SLOT] = counters ? fixture->counters.address : 0;
    memset(fixture->counters.data, 0, (size_t)ROW_COUNT * fixture->bins * 4);
    VkCommandBuffer commands = ws_gpu_begin(&fixture->gpu, error);
    if (commands == NULL)
        return false;
    ws_gpu_bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, fixture->pipeline, &fixture->bindings);
    vkCmdDispatch(commands, GROUPS, 1, 1);
    ws_gpu_barrier(commands);
    return ws_gpu_submit(&fixture->gpu, commands, error);
}

/* The first thread of a thread's warp, and how many threads of the warp have ids divisible by `divisor`. */
static uint32_t warp_of(const struct fixture *fixture, uint32_t thread)
{
    const uint32_t local = thread % GROUP_SIZE;
    return thread - local + local / fixture->gpu.subgroup_size * fixture->gpu.subgroup_size;
}

static uint32_t lanes_of(const struct fixture *fixture, uint32_t warp, uint32_t divisor)
{
    uint32_t lanes = 0;
    for (uint32_t i = warp; i < THREADS && warp_of(fixture, i) == warp; i++)
        lanes += i % divisor == 0;
    return lanes;
}

/* How many warps have `lanes` threads with ids divisible by `divisor`. */
static uint32_t warps_with(const struct fixture *fixture, uint32_t lanes, uint32_t divisor)
{
    uint32_t warps = 0;
    for (uint32_t i = 0; i < THREADS; i++)
        warps += warp_of(fixture, i) == i && lanes_of(fixture, i, divisor) == lanes;
    return warps;
}

static bool check(const char *what, uint64_t value, uint64_t expected)
{
    if (value != expected)
        printf("%s: %llu instead of %llu\n", what, (unsigned long long)value, (unsigned long long)expected);
    return value == expected;
}

static bool check_counters(const struct fixture *fixture)
{
    const uint32_t *words = fixture->counters.data;
    bool good = true;
    for (uint32_t i = 1; i <= fixture->bins; i++) {
        good &= check("histogram of all", words[ROW_ALL * fixture->bins + i - 1], warps_with(fixture, i, 1));
        good &= check("histogram of a third", words[ROW_THIRD * fixture->bins + i - 1],
                      warps_with(fixture, i, 3));
    }
    const uint32_t *launch = words + (size_t)ROW_LAUNCH * fixture->bins;
    good &= check("subgroup sizes", launch[WS_LAUNCH_SUBGROUP_SIZES], fixture->gpu.subgroup_size);
    good &= check("launch width", launch[WS_LAUNCH_SIZE], GROUPS);
    good &= check("launch height", launch[WS_LAUNCH_SIZE + 1], 1);
    good &= check("launch depth", launch[WS_LAUNCH_SIZE + 2], 1);
    good &= check("threads", words[ROW_THREADS * fixture->bins], THREADS);
    return good;
}

static bool test_off(struct fixture *fixture, struct ws_error *error)
{
    const uint32_t *counters = fixture->counters.data;
    bool good = run(fixture, false, error);
    for (uint32_t i = 0; i < ROW_COUNT * fixture->bins; i++)
        good &= check("a counter that is off", counters[i], 0);
    return good;
}

int main(void)
{
    struct fixture fixture = {0};
    struct ws_error error = {0};
    /* Ray tracing stands for device addresses: a device that has it has them. */
    const struct ws_gpu_request request = {
        .application = "counters", .needs = WS_GPU_RAY_TRACING, .queue = VK_QUEUE_COMPUTE_BIT};
    const enum ws_gpu_status status = ws_gpu_init(&fixture.gpu, &request, &error);
    if (status != WS_GPU_READY) {
        printf("%s\n", error.message);
        return status == WS_GPU_UNFIT ? 77 : 1;
    }
    bool good = init_fixture(&fixture, &error);
    if (good) {
        good = run(&fixture, true, &error) && check_counters(&fixture);
        good &= test_off(&fixture, &error);
    }
    if (error.message[0] != '\0')
        printf("%s\n", error.message);
    finish_fixture(&fixture);
    return good ? 0 : 1;
}
