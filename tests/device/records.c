/* The primitives on a device: linked into a compute shader, run, and what they wrote compared with what
 * follows from the shader by hand, for any subgroup size whose warps are consecutive threads of a workgroup.
 *
 * The shader: 3 workgroups of 20 threads, each with its id; every third thread enters a block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "assembly.h"
#include "bindings.h"
#include "builder.h"
#include "link.h"
#include "types.h"
#include "warpscope/root.h"

#define GROUPS      3
#define GROUP_SIZE  20
#define THREADS     (GROUPS * GROUP_SIZE)
#define STREAM_SIZE 4096 /* words */
#define SLOT        7
#define UNTOUCHED   0xabababab

enum { ROW_ALL, ROW_THIRD, ROW_LAUNCH, ROW_THREADS, ROW_COUNT };
enum { SITE_WARP_ID = 1, SITE_THREAD, SITE_THIRD, SITE_WARP, SITE_COUNT };
static const uint32_t record_sizes[SITE_COUNT] = {0, 3, 4, 2, 3}; /* words */

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
#define ID_THREAD 20
#define ID_MODULO 21

struct fixture {
    struct ws_gpu gpu;
    struct ws_gpu_bindings bindings;
    struct ws_gpu_buffer root;
    struct ws_gpu_buffer stream;
    struct ws_gpu_buffer counters;
    VkPipeline pipeline;
    uint32_t bins;
};

static void call(struct ws_editor *editor, enum ws_primitive primitive, struct ws_cursor cursor,
                 const uint32_t *arguments, uint32_t count)
{
    const uint32_t entry_point = 0;
    ws_emit_call(editor, cursor, ws_link_primitive(editor, primitive, &entry_point, 1), arguments, count);
}

static void instrument(struct ws_editor *editor)
{
    const struct ws_cursor all = ws_cursor_block_end(editor->module, 0);
    const struct ws_cursor third = ws_cursor_block_start(editor->module, 1);
    uint32_t rows[ROW_COUNT];
    uint32_t sites[SITE_COUNT];
    for (uint32_t i = 0; i < ROW_COUNT; i++) {
        rows[i] = ws_constant_u32(editor, i);
    }
    for (uint32_t i = 0; i < SITE_COUNT; i++) {
        sites[i] = ws_constant_u32(editor, i);
    }
    const uint32_t seven = ws_constant_u32(editor, 7);
    call(editor, WS_PRIMITIVE_COUNT_WARP, all, &rows[ROW_ALL], 1);
    call(editor, WS_PRIMITIVE_COUNT_WARP, third, &rows[ROW_THIRD], 1);
    call(editor, WS_PRIMITIVE_LAUNCH_WARP_COMPUTE, all, &rows[ROW_LAUNCH], 1);
    call(editor, WS_PRIMITIVE_COUNT_THREAD, all, &rows[ROW_THREADS], 1);
    call(editor, WS_PRIMITIVE_CREATE_WARP_ID, all, (uint32_t[]){ID_THREAD, sites[SITE_WARP_ID]}, 2);
    call(editor, WS_PRIMITIVE_THREAD_UPDATE_2, all,
         (uint32_t[]){ID_THREAD, sites[SITE_THREAD], ID_MODULO, seven}, 4);
    call(editor, WS_PRIMITIVE_THREAD_UPDATE_0, third, (uint32_t[]){ID_THREAD, sites[SITE_THIRD]}, 2);
    call(editor, WS_PRIMITIVE_WARP_UPDATE_1, third, (uint32_t[]){ID_THREAD, sites[SITE_WARP], ID_MODULO}, 3);
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
    for (uint32_t i = 0; i < WS_SPEC_COUNT; i++) {
        entries[i] = (VkSpecializationMapEntry){ws_link_spec_id(editor, i), i * 4, 4};
    }
    const VkSpecializationInfo info = {WS_SPEC_COUNT, entries, sizeof(values), values};
    uint32_t *words = NULL;
    size_t count = 0;
    if (!ws_editor_finish(editor, &words, &count, error) || !assembly_is_valid(words, count)) {
        return VK_NULL_HANDLE;
    }
    const struct ws_gpu_shader shader_stage = {
        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
        .name = "records",
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
    if (arena != NULL && ws_module_parse(&module, arena, words, count, error)) {
        editor = ws_editor_create(&module);
    }
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
           ws_gpu_buffer_init(gpu, &fixture->stream, usage, NULL, STREAM_SIZE * 4, error) &&
           ws_gpu_buffer_init(gpu, &fixture->counters, usage, NULL,
                              (VkDeviceSize)ROW_COUNT * fixture->bins * 4, error) &&
           ws_gpu_bindings_init(gpu, &fixture->bindings, NULL, 0, VK_SHADER_STAGE_COMPUTE_BIT, 0, error) &&
           build_pipeline(fixture, error);
}

static void finish_fixture(struct fixture *fixture)
{
    if (fixture->pipeline != VK_NULL_HANDLE) {
        vkDestroyPipeline(fixture->gpu.device, fixture->pipeline, NULL);
    }
    ws_gpu_bindings_finish(&fixture->gpu, &fixture->bindings);
    ws_gpu_buffer_finish(&fixture->gpu, &fixture->counters);
    ws_gpu_buffer_finish(&fixture->gpu, &fixture->stream);
    ws_gpu_buffer_finish(&fixture->gpu, &fixture->root);
    ws_gpu_finish(&fixture->gpu);
}

/* Runs the shader once, with an empty stream of `capacity` words and empty counters where they are wanted. */
static bool run(struct fixture *fixture, uint32_t capacity, bool records, bool counters,
                struct ws_error *error)
{
    struct ws_root *root = fixture->root.data;
    uint32_t *stream = fixture->stream.data;
    root->records = records ? fixture->stream.address : 0;
    root->counters[SLOT] = counters ? fixture->counters.address : 0;
    memset(stream, 0xab, STREAM_SIZE * 4);
    memset(stream, 0, WS_RECORDS_HEADER * 4);
    stream[WS_RECORDS_CAPACITY] = capacity;
    memset(fixture->counters.data, 0, (size_t)ROW_COUNT * fixture->bins * 4);
    VkCommandBuffer commands = ws_gpu_begin(&fixture->gpu, error);
    if (commands == NULL) {
        return false;
    }
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
    for (uint32_t i = warp; i < THREADS && warp_of(fixture, i) == warp; i++) {
        lanes += i % divisor == 0;
    }
    return lanes;
}

/* How many warps have `lanes` threads with ids divisible by `divisor`. */
static uint32_t warps_with(const struct fixture *fixture, uint32_t lanes, uint32_t divisor)
{
    uint32_t warps = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        warps += warp_of(fixture, i) == i && lanes_of(fixture, i, divisor) == lanes;
    }
    return warps;
}

static bool check(const char *what, uint64_t value, uint64_t expected)
{
    if (value != expected) {
        printf("%s: %llu instead of %llu\n", what, (unsigned long long)value, (unsigned long long)expected);
    }
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

/* What the records say, by site and thread. */
struct found {
    uint32_t records[SITE_COUNT][THREADS];
    uint32_t warp_ids[THREADS];
    uint32_t count;
};

/* Reads the records that are whole; false where one is impossible. */
static bool read_records(const struct fixture *fixture, uint32_t capacity, struct found *found)
{
    const uint32_t *words = (const uint32_t *)fixture->stream.data + WS_RECORDS_HEADER;
    memset(found, 0, sizeof(*found));
    for (uint32_t i = 0; i < capacity && words[i] != UNTOUCHED;) {
        const uint32_t thread = words[i + WS_RECORD_WORK_ID];
        const uint32_t site = words[i + WS_RECORD_SITE] & 0xffff;
        const uint32_t *payload = words + i + WS_RECORD_PAYLOAD;
        if (thread >= THREADS || words[i + WS_RECORD_SITE] >> 16 != SLOT || site == 0 || site >= SITE_COUNT ||
            i + record_sizes[site] > capacity) {
            printf("word %u: no record of thread %u\n", i, thread);
            return false;
        }
        if (site == SITE_WARP_ID) {
            found->warp_ids[thread] = payload[0];
        } else if ((site == SITE_THREAD && (payload[0] != thread % 3 || payload[1] != 7)) ||
                   (site == SITE_WARP && payload[0] != 0)) {
            printf("site %u, thread %u: wrong payload\n", site, thread);
            return false;
        }
        found->records[site][thread]++;
        found->count++;
        i += record_sizes[site];
    }
    return true;
}

/* Every record exactly once; a warp's record by the lowest of its lanes; one warp id per warp. */
static bool check_records(const struct fixture *fixture, const struct found *found)
{
    const uint32_t *stream = fixture->stream.data;
    uint32_t warps = 0;
    bool good = true;
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t warp = warp_of(fixture, i);
        const bool is_third = i % 3 == 0;
        const bool is_first_third = is_third && (i < 3 || warp_of(fixture, i - 3) != warp);
        warps += warp == i;
        good &= check("warp id records of a thread", found->records[SITE_WARP_ID][i], 1);
        good &= check("records of a thread", found->records[SITE_THREAD][i], 1);
        good &= check("records of a thread in the block", found->records[SITE_THIRD][i], is_third);
        good &= check("records of a warp in the block", found->records[SITE_WARP][i], is_first_third);
        for (uint32_t j = 0; j < i; j++) {
            if ((found->warp_ids[i] == found->warp_ids[j]) != (warp == warp_of(fixture, j))) {
                printf("threads %u and %u: warp ids %u and %u\n", i, j, found->warp_ids[i],
                       found->warp_ids[j]);
                good = false;
            }
        }
    }
    return check("warp ids given", stream[WS_RECORDS_WARP_IDS], warps) && good;
}

/* Words of all records, worked out by hand. */
static uint32_t expected_words(const struct fixture *fixture)
{
    uint32_t warps = 0; /* that have a thread in the block */
    for (uint32_t i = 1; i <= GROUP_SIZE; i++) {
        warps += warps_with(fixture, i, 3);
    }
    return THREADS * record_sizes[SITE_WARP_ID] + THREADS * record_sizes[SITE_THREAD] +
           THREADS / 3 * record_sizes[SITE_THIRD] + warps * record_sizes[SITE_WARP];
}

static bool is_untouched(const struct fixture *fixture, uint32_t first)
{
    const uint32_t *stream = fixture->stream.data;
    for (uint32_t i = WS_RECORDS_HEADER + first; i < STREAM_SIZE; i++) {
        if (stream[i] != UNTOUCHED) {
            printf("word %u behind the capacity was written\n", i);
            return false;
        }
    }
    return true;
}

/* Runs with this capacity: the reserved words are always all; `lost` records are not written. */
static bool test_capacity(struct fixture *fixture, uint32_t capacity, bool is_enough, struct ws_error *error)
{
    struct found found;
    const uint32_t total = expected_words(fixture);
    if (!run(fixture, capacity, true, true, error)) {
        return false;
    }
    const uint32_t *stream = fixture->stream.data;
    bool good = check("reserved words", stream[WS_RECORDS_RESERVED], total) &&
                is_untouched(fixture, capacity) && check_counters(fixture) &&
                read_records(fixture, capacity, &found);
    if (good && is_enough) {
        good = check_records(fixture, &found);
    }
    if (good && capacity == total - 1) { /* only the last is lost */
        uint32_t records = 0;
        const uint32_t warp_records = (total - THREADS * 3 - THREADS * 4 - THREADS / 3 * 2) / 3;
        records = THREADS * 2 + THREADS / 3 + warp_records;
        good = check("records before an overflow", found.count, records - 1);
    }
    printf("capacity %u of %u: %s\n", capacity, total, good ? "right" : "WRONG");
    return good;
}

static bool test_off(struct fixture *fixture, struct ws_error *error)
{
    if (!run(fixture, STREAM_SIZE - WS_RECORDS_HEADER, false, false, error)) {
        return false;
    }
    const uint32_t *stream = fixture->stream.data;
    const uint32_t *counters = fixture->counters.data;
    bool good = check("reserved words", stream[WS_RECORDS_RESERVED], 0) && is_untouched(fixture, 0);
    for (uint32_t i = 0; i < ROW_COUNT * fixture->bins; i++) {
        good &= check("a counter that is off", counters[i], 0);
    }
    return good;
}

int main(void)
{
    struct fixture fixture = {0};
    struct ws_error error = {0};
    /* Ray tracing stands for device addresses: a device that has it has them. */
    const struct ws_gpu_request request = {
        .application = "records", .needs = WS_GPU_RAY_TRACING, .queue = VK_QUEUE_COMPUTE_BIT};
    const enum ws_gpu_status status = ws_gpu_init(&fixture.gpu, &request, &error);
    if (status != WS_GPU_READY) {
        printf("%s\n", error.message);
        return status == WS_GPU_UNFIT ? 77 : 1;
    }
    bool good = init_fixture(&fixture, &error);
    if (good) {
        const uint32_t total = expected_words(&fixture);
        good &= test_capacity(&fixture, STREAM_SIZE - WS_RECORDS_HEADER, true, &error);
        good &= test_capacity(&fixture, total, true, &error);
        good &= test_capacity(&fixture, total - 1, false, &error);
        good &= test_capacity(&fixture, 100, false, &error);
        good &= test_capacity(&fixture, 0, false, &error);
        good &= test_off(&fixture, &error);
    }
    if (error.message[0] != '\0') {
        printf("%s\n", error.message);
    }
    finish_fixture(&fixture);
    return good ? 0 : 1;
}
