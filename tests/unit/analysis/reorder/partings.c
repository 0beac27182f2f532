/* Where threads of compute shaders part, and what new warps execute there, against answers worked out by hand. Warps have 8
 * lanes, workgroups two warps. Every capture is read by one worker and by three: both find the same. */
#include "analysis/reorder/reorder.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "tests/unit/analysis/reorder/reorder_found.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/passes.h"
#include "warpscope/report/findings.h"
#include "warpscope/spirv/module.h"

enum { LANES = 8, ALL = 0xff };

#define HEAD                                                                                                 \
    "OpCapability Shader\nOpCapability GroupNonUniform\nOpMemoryModel Logical GLSL450\n"                     \
    "OpEntryPoint GLCompute %1 \"main\"\nOpExecutionMode %1 LocalSize 16 1 1\n"                              \
    "%3 = OpTypeVoid\n%4 = OpTypeFunction %3\n%5 = OpTypeBool\n%6 = OpTypeInt 32 0\n%7 = OpConstantTrue "    \
    "%5\n"                                                                                                   \
    "%9 = OpConstant %6 2\n%10 = OpConstant %6 264\n%11 = OpTypePointer Workgroup %6\n"                      \
    "%12 = OpVariable %11 Workgroup\n%13 = OpConstant %6 3\n%1 = OpFunction %3 None %4\n"

/* x = 2 + 2; switch { 1, 2, 3, default } use(x): 4 bytes are live over the switch. */
static const char materials[] = HEAD
    "%20 = OpLabel\n%40 = OpIAdd %6 %9 %9\nOpSelectionMerge %25 None\nOpSwitch %9 %24 1 %21 2 %22 3 %23\n"
    "%21 = OpLabel\nOpBranch %25\n%22 = OpLabel\nOpBranch %25\n%23 = OpLabel\nOpBranch %25\n"
    "%24 = OpLabel\nOpBranch %25\n%25 = OpLabel\n%41 = OpIAdd %6 %40 %9\nOpReturn\nOpFunctionEnd\n";
static const uint32_t of_materials[] = {4, 60, 20, 20, 20, 2};

/* 0; for (1) { 2: if { 3 } 4; 5: continue } 6 */
static const char rounds[] = HEAD
    "%20 = OpLabel\nOpBranch %30\n%30 = OpLabel\nOpLoopMerge %34 %33 None\nOpBranch %31\n"
    "%31 = OpLabel\nOpSelectionMerge %35 None\nOpBranchConditional %7 %32 %35\n%32 = OpLabel\nOpBranch %35\n"
    "%35 = OpLabel\nOpBranchConditional %7 %33 %34\n%33 = OpLabel\nOpBranch %30\n%34 = OpLabel\nOpReturn\n"
    "OpFunctionEnd\n";
static const uint32_t of_rounds[] = {2, 2, 2, 40, 2, 2, 2};

/* 0: f(); if { 1: f(); } 2; f: 3 */
static const char calls[] = HEAD
    "%20 = OpLabel\n%40 = OpFunctionCall %3 %2\nOpSelectionMerge %22 None\nOpBranchConditional %7 %21 %22\n"
    "%21 = OpLabel\n%41 = OpFunctionCall %3 %2\nOpBranch %22\n%22 = OpLabel\nOpReturn\nOpFunctionEnd\n"
    "%2 = OpFunction %3 None %4\n%23 = OpLabel\nOpReturn\nOpFunctionEnd\n";
static const uint32_t of_calls[] = {4, 10, 2, 30};

/* 0: f(); g(); if { 1 } 2; f: 3: if { 4: g(); return; } 5; g: 6 */
static const char returns[] = HEAD
    "%20 = OpLabel\n%40 = OpFunctionCall %3 %2\n%41 = OpFunctionCall %3 %8\nOpSelectionMerge %22 None\n"
    "OpBranchConditional %7 %21 %22\n%21 = OpLabel\nOpBranch %22\n%22 = OpLabel\nOpReturn\nOpFunctionEnd\n"
    "%2 = OpFunction %3 None %4\n%23 = OpLabel\nOpSelectionMerge %25 None\n"
    "OpBranchConditional %7 %24 %25\n%24 = OpLabel\n%42 = OpFunctionCall %3 %8\nOpReturn\n"
    "%25 = OpLabel\nOpReturn\nOpFunctionEnd\n"
    "%8 = OpFunction %3 None %4\n%26 = OpLabel\nOpReturn\nOpFunctionEnd\n";
static const uint32_t of_returns[] = {4, 40, 2, 4, 10, 2, 30};

/* 0: if { 1: f(); g(); } 2; f: 3: if { 4: g(); return; } 5; g: 6 */
static const char ways[] =
    HEAD "%20 = OpLabel\nOpSelectionMerge %22 None\nOpBranchConditional %7 %21 %22\n"
         "%21 = OpLabel\n%40 = OpFunctionCall %3 %2\n%41 = OpFunctionCall %3 %8\nOpBranch %22\n"
         "%22 = OpLabel\nOpReturn\nOpFunctionEnd\n"
         "%2 = OpFunction %3 None %4\n%23 = OpLabel\nOpSelectionMerge %25 None\n"
         "OpBranchConditional %7 %24 %25\n%24 = OpLabel\n%42 = OpFunctionCall %3 %8\nOpReturn\n"
         "%25 = OpLabel\nOpReturn\nOpFunctionEnd\n"
         "%8 = OpFunction %3 None %4\n%26 = OpLabel\nOpReturn\nOpFunctionEnd\n";
static const uint32_t of_ways[] = {4, 6, 2, 4, 10, 2, 30};

/* 0: if { 1: f(); } else { 2: f(); } 3; f: 4: if { 5 } else { 6 } 7 */
static const char interleaved[] =
    HEAD "%20 = OpLabel\nOpSelectionMerge %33 None\nOpBranchConditional %7 %21 %22\n"
         "%21 = OpLabel\n%40 = OpFunctionCall %3 %2\nOpBranch %33\n"
         "%22 = OpLabel\n%41 = OpFunctionCall %3 %2\nOpBranch %33\n%33 = OpLabel\nOpReturn\nOpFunctionEnd\n"
         "%2 = OpFunction %3 None %4\n%23 = OpLabel\nOpSelectionMerge %26 None\n"
         "OpBranchConditional %7 %24 %25\n%24 = OpLabel\nOpBranch %26\n%25 = OpLabel\nOpBranch %26\n"
         "%26 = OpLabel\nOpReturn\nOpFunctionEnd\n";
static const uint32_t of_interleaved[] = {4, 6, 6, 2, 4, 40, 40, 2};

/* x = 2 + 2; if { much } else { little } use(x); if { barrier(); } if { shared = 2; } if { elect(); } if { little }
 * if { much } */
static const char several[] =
    HEAD "%20 = OpLabel\n%40 = OpIAdd %6 %9 %9\nOpSelectionMerge %22 None\nOpBranchConditional %7 %21 %33\n"
         "%21 = OpLabel\nOpBranch %22\n%33 = OpLabel\nOpBranch %22\n"
         "%22 = OpLabel\n%41 = OpIAdd %6 %40 %9\nOpSelectionMerge %24 None\nOpBranchConditional %7 %23 %24\n"
         "%23 = OpLabel\nOpControlBarrier %9 %9 %10\nOpBranch %24\n"
         "%24 = OpLabel\nOpSelectionMerge %26 None\nOpBranchConditional %7 %25 %26\n"
         "%25 = OpLabel\nOpStore %12 %9\nOpBranch %26\n"
         "%26 = OpLabel\nOpSelectionMerge %28 None\nOpBranchConditional %7 %27 %28\n"
         "%27 = OpLabel\n%42 = OpGroupNonUniformElect %5 %13\nOpBranch %28\n"
         "%28 = OpLabel\nOpSelectionMerge %30 None\nOpBranchConditional %7 %29 %30\n"
         "%29 = OpLabel\nOpBranch %30\n"
         "%30 = OpLabel\nOpSelectionMerge %32 None\nOpBranchConditional %7 %31 %32\n"
         "%31 = OpLabel\nOpBranch %32\n%32 = OpLabel\nOpReturn\nOpFunctionEnd\n";
static const uint32_t of_several[] = {2, 40, 2, 2, 90, 2, 90, 2, 90, 2, 31, 2, 32, 2};

/* 0; while (1) { 2; 3: continue } 4 */
static const char turns[] = HEAD
    "%20 = OpLabel\nOpBranch %30\n%30 = OpLabel\nOpLoopMerge %33 %32 None\nOpBranchConditional %7 %31 %33\n"
    "%31 = OpLabel\nOpBranch %32\n%32 = OpLabel\nOpBranch %30\n%33 = OpLabel\nOpReturn\nOpFunctionEnd\n";
static const uint32_t of_turns[] = {2, 4, 30, 6, 2};

/* 0; for (1) { while (2) { 3 } 4; 5: continue } 6 */
static const char nested[] = HEAD
    "%20 = OpLabel\nOpBranch %30\n%30 = OpLabel\nOpLoopMerge %35 %34 None\nOpBranch %31\n"
    "%31 = OpLabel\nOpLoopMerge %33 %32 None\nOpBranchConditional %7 %32 %33\n%32 = OpLabel\nOpBranch %31\n"
    "%33 = OpLabel\nOpBranchConditional %7 %34 %35\n%34 = OpLabel\nOpBranch %30\n%35 = OpLabel\nOpReturn\n"
    "OpFunctionEnd\n";
static const uint32_t of_nested[] = {2, 2, 2, 40, 2, 2, 2};

/* 0; while (1) { 2 } while (3) { 4: f() } 5; f: 6. The second header is where the first loop ends. */
static const char in_a_row[] = HEAD
    "%20 = OpLabel\nOpBranch %30\n%30 = OpLabel\nOpLoopMerge %32 %31 None\nOpBranchConditional %7 %31 %32\n"
    "%31 = OpLabel\nOpBranch %30\n%32 = OpLabel\nOpLoopMerge %34 %33 None\n"
    "OpBranchConditional %7 %33 %34\n%33 = OpLabel\n%40 = OpFunctionCall %3 %2\nOpBranch %32\n"
    "%34 = OpLabel\nOpReturn\nOpFunctionEnd\n%2 = OpFunction %3 None %4\n%35 = OpLabel\nOpReturn\n"
    "OpFunctionEnd\n";
static const uint32_t of_in_a_row[] = {2, 2, 10, 4, 6, 2, 20};

/* 0; while (1) { 2: barrier(); } while (3: elect()) { 4 } 5 */
static const char forbidden[] = HEAD
    "%20 = OpLabel\nOpBranch %30\n%30 = OpLabel\nOpLoopMerge %32 %31 None\nOpBranchConditional %7 %31 %32\n"
    "%31 = OpLabel\nOpControlBarrier %9 %9 %10\nOpBranch %30\n"
    "%32 = OpLabel\n%42 = OpGroupNonUniformElect %5 %13\nOpLoopMerge %34 %33 None\n"
    "OpBranchConditional %42 %33 %34\n%33 = OpLabel\nOpBranch %32\n"
    "%34 = OpLabel\nOpReturn\nOpFunctionEnd\n";
static const uint32_t of_forbidden[] = {2, 2, 2, 2, 2, 2};

/* Steps of a path over `turns` and `rounds`, and over what is behind them. A turn has the header, and behind it the other
 * blocks, but for a lane's last one. In `rounds` lanes with the bit of a turn part. */
enum { STEPS = 8, PATH_WORDS = 3 };

struct path_step {
    uint32_t block;
    uint32_t tag;
};

static const struct path_step over_turns[STEPS] = {{0, WS_STEP_ALL},
                                                   {1, WS_STEP(0, WS_STEP_TURN)},
                                                   {2, WS_STEP_REST(0, WS_STEP_LAST, 1)},
                                                   {3, WS_STEP_REST(0, WS_STEP_LAST, 1)},
                                                   {4, WS_STEP_ALL}};
static const struct path_step over_rounds[STEPS] = {
    {0, WS_STEP_ALL},   {1, WS_STEP(0, WS_STEP_TURN)}, {2, WS_STEP(0, WS_STEP_TURN)},
    {3, WS_STEP(0, 0)}, {4, WS_STEP(0, WS_STEP_TURN)}, {5, WS_STEP_REST(0, WS_STEP_LAST, 1)},
    {6, WS_STEP_ALL}};

/* Sites of the path: itself, its loop, and its steps. */
static void add_path(struct ws_site_info *sites, uint32_t first, const struct path_step *steps)
{
    sites[first] = (struct ws_site_info){WS_NONE, 0, WS_SITE_PATH, 0, 0, PATH_WORDS};
    sites[first + 1] =
        (struct ws_site_info){WS_NONE, WS_TURNS(0, 1) | WS_TURNS_MARKED, WS_SITE_PATH_TURNS, 0, 0, first};
    for (uint32_t i = 0; i < STEPS; ++i)
        if (i == 0 || steps[i].block != 0)
            sites[first + 2 + i] =
                (struct ws_site_info){WS_NONE, steps[i].tag, WS_SITE_PATH_STEP, 0, 0, 1 + steps[i].block};
}

/* Numbers of records: 0 is the entry, 1 + block, behind all blocks the end, and behind that a path over `steps`, if there are
 * some. `instructions` of blocks; NULL = 2 of each, and there are too many for the validator. */
static uint32_t add_kernel_path(struct stream *stream, const char *text, const uint32_t *instructions,
                                const struct path_step *steps)
{
    struct ws_error error = {{0}};
    struct ws_module module;
    size_t count = 0;
    uint32_t *words = assembly_read(text, 0x00010300, &count);
    struct ws_arena *arena = ws_arena_create();
    assert_true(instructions == NULL || assembly_is_valid(words, count));
    assert_true(ws_module_parse(&module, arena, words, count, &error));
    struct ws_block_info *blocks = calloc(module.block_count, sizeof(*blocks));
    struct ws_site_info *sites = calloc(module.block_count + 4 + STEPS, sizeof(*sites));
    uint32_t *functions = calloc(module.function_count, sizeof(*functions));
    assert_true(blocks != NULL && sites != NULL && functions != NULL);
    for (uint32_t b = 0; b < module.block_count; ++b) {
        const uint32_t first = module.instructions[module.blocks[b].first].offset;
        const struct ws_instruction *last = &module.instructions[module.blocks[b].end - 1];
        blocks[b] = (struct ws_block_info){module.blocks[b].label, first, last->offset + last->length - first,
                                           module.functions[module.blocks[b].function].id,
                                           instructions != NULL ? instructions[b] : 2};
        sites[1 + b] =
            (struct ws_site_info){0, WS_TAG_DIVERGENCE_BLOCK, WS_SITE_PLACE_BLOCK, b, first + 2, 1 + b};
    }
    const uint32_t end = 1 + module.block_count;
    sites[0] = (struct ws_site_info){WS_NONE, 0, WS_SITE_ENTRY, 0, blocks[0].offset, 0};
    sites[end] = (struct ws_site_info){0,
                                       WS_TAG_DIVERGENCE_END,
                                       WS_SITE_PLACE_END,
                                       module.block_count - 1,
                                       blocks[module.block_count - 1].offset + 2,
                                       end};
    if (steps != NULL)
        add_path(sites, end + 1, steps);
    for (uint32_t f = 0; f < module.function_count; ++f)
        functions[f] = module.functions[f].id;
    const struct ws_entry_info entry = {.name = "main",
                                        .stage = WS_STAGE_COMPUTE,
                                        .function = functions[0],
                                        .functions = functions,
                                        .function_count = module.function_count};
    const struct ws_chunk_sites chunk = {.passes = (const char *const[]){WS_PASS_DIVERGENCE},
                                         .pass_count = 1,
                                         .entries = &entry,
                                         .entry_count = 1,
                                         .blocks = blocks,
                                         .block_count = module.block_count,
                                         .sites = sites,
                                         .site_count =
                                             steps != NULL ? end + 3 + module.block_count : end + 1};
    const uint32_t shader =
        stream_shader_of(stream, WS_STAGE_COMPUTE, words, (uint32_t)count, &chunk, NULL, 0);
    ws_arena_destroy(arena);
    free(words);
    free(blocks);
    free(sites);
    free(functions);
    return shader;
}

static uint32_t add_kernel(struct stream *stream, const char *text, const uint32_t *instructions)
{
    return add_kernel_path(stream, text, instructions, NULL);
}

/* A warp of a workgroup begins: two of each. */
static uint32_t enter(struct stream *stream, uint32_t shader, uint32_t warp)
{
    const uint32_t group[3] = {warp / 2, 0, 0};
    uint32_t work[LANES];
    for (uint32_t lane = 0; lane < LANES; ++lane)
        work[lane] = warp % 2 * LANES + lane;
    return stream_enter(stream, warp, shader, lanes(ALL), group, work);
}

static void run(struct stream *stream, uint32_t context, uint32_t number, uint64_t mask)
{
    if (mask != 0)
        stream_site(stream, context, 1 + number, lanes(mask));
}

/* The row of the parting of a block, or with WS_NONE of the one that there is, with a key and window; NULL = there is none. */
static const struct ws_reorder_sums *find_row_at(const struct found *found, uint32_t block, uint32_t key,
                                                 uint32_t window)
{
    const struct ws_groups *groups = found->results->groups;
    const struct ws_partings *partings = &found->results->partings[0];
    for (uint32_t i = 0; i < ws_groups_count(groups, WS_REORDER_SITE_WINDOWS); ++i) {
        struct ws_row row;
        ws_groups_row(groups, WS_REORDER_SITE_WINDOWS, i, &row);
        if (row.keys[WS_REORDER_BY_SITE] >> 32 == 0 && row.keys[WS_REORDER_BY_KEY] == key &&
            row.keys[WS_REORDER_BY_WINDOW] == window &&
            (block == WS_NONE ||
             ws_parting_at(partings, (uint32_t)row.keys[WS_REORDER_BY_SITE])->block == block))
            return row.sums;
    }
    return NULL;
}

static const struct ws_reorder_sums *find_row(const struct found *found, uint32_t key, uint32_t window)
{
    return find_row_at(found, WS_NONE, key, window);
}

/* Executions and slots, before and after; and idle slots after, of partial warps and of control flow. */
static void check_at(const struct found *found, uint32_t block, uint32_t key, uint32_t window,
                     const uint64_t expected[6])
{
    const struct ws_reorder_sums *sums = find_row_at(found, block, key, window);
    assert_non_null(sums);
    const uint64_t are[6] = {sums->executions,  sums->executions_after,   sums->slots,
                             sums->slots_after, sums->partial_warp_after, sums->control_flow_after};
    for (int i = 0; i < 6; ++i)
        if (are[i] != expected[i])
            fail_msg("key %u, window %u: figure %d is %llu, not %llu", key, window, i,
                     (unsigned long long)are[i], (unsigned long long)expected[i]);
    assert_true(sums->active_after == sums->active);
    assert_true(sums->indirect_call == 0 && sums->indirect_call_after == 0);
    assert_true(sums->partial_warp + sums->control_flow == sums->slots - sums->active);
    assert_true(sums->partial_warp_after + sums->control_flow_after == sums->slots_after - sums->active);
}

static void check(const struct found *found, uint32_t key, uint32_t window, const uint64_t expected[6])
{
    check_at(found, WS_NONE, key, window, expected);
}

#define FIGURES(...) ((const uint64_t[6]){__VA_ARGS__})

static uint64_t cost_of(const struct found *found)
{
    return find_row(found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL)->cost;
}

static uint32_t gains_of(const struct found *found, double worth, struct ws_reorder_gain *first)
{
    struct ws_reorder_gain *gains = NULL;
    uint32_t count = 0;
    assert_true(ws_reorder_gains(found->results, worth, &gains, &count));
    if (count > 0)
        *first = gains[0];
    free(gains);
    return count;
}

/* A launch of four warps through the switch: of warp w lane l takes side sides[w][l]. */
static void choose(struct found *found, const uint32_t sides[4][LANES])
{
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, materials, of_materials);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 2, 1, 1);
    for (uint32_t warp = 0; warp < 4; ++warp) {
        const uint32_t context = enter(stream, shader, warp);
        run(stream, context, 0, ALL);
        for (uint32_t side = 1; side <= 4; ++side) {
            uint64_t mask = 0;
            for (uint32_t lane = 0; lane < LANES; ++lane)
                mask |= (uint64_t)(sides[warp][lane] == side) << lane;
            run(stream, context, side, mask);
        }
        run(stream, context, 5, ALL);
        run(stream, context, 6, ALL);
    }
    stream_end(stream);
    found_analyse(found, stream);
}

/* 32 threads: odd ones take a side of 60 instructions, even ones one of 20.
 *   before, and in windows of one warp   each warp takes both: 8 executions, 4 x (60 + 20) x 8 slots, half of them idle
 *   sorted                               16 threads each: two warps of each side, all active: 4 executions. So it is in
 *                                        windows of four warps, and in workgroups, of which each has 8 of each
 * Each moves with 4 bytes: 32 x (16 + 2) slots; 1280 are saved, 2.2 times that. */
static void parity(void **state)
{
    uint32_t sides[4][LANES];
    struct ws_reorder_gain gain = {0};
    struct found found;
    char name[64];
    (void)state;
    for (uint32_t i = 0; i < 4 * LANES; ++i)
        sides[i / LANES][i % LANES] = i % 2 == 1 ? 1 : 2;
    choose(&found, (const uint32_t(*)[LANES])sides);
    assert_false(found.results->partings[0].list[0].back);
    check(&found, WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL, FIGURES(8, 8, 2560, 2560, 0, 1280));
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL, FIGURES(8, 4, 2560, 1280, 0, 0));
    check(&found, WS_REORDER_BRANCH, 0, FIGURES(8, 8, 2560, 2560, 0, 1280));
    check(&found, WS_REORDER_BRANCH, 1, FIGURES(8, 4, 2560, 1280, 0, 0));
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_SPLIT, FIGURES(8, 4, 2560, 1280, 0, 0));
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_GROUP, FIGURES(8, 4, 2560, 1280, 0, 0));
    check(&found, WS_REORDER_PATH, WS_REORDER_WINDOW_ALL, FIGURES(8, 4, 2560, 1280, 0, 0));
    assert_null(find_row(&found, WS_REORDER_SHADER, WS_REORDER_WINDOW_ALL));
    assert_null(find_row(&found, WS_REORDER_CALLED, WS_REORDER_WINDOW_ALL));
    assert_int_equal(cost_of(&found), 32 * (16 + 2));
    assert_int_equal(gains_of(&found, 0, &gain), 1);
    assert_true(gain.key == WS_REORDER_BRANCH && gain.parts && gain.slots == 1280 - 576);
    assert_int_equal(ws_reorder_in_groups(found.results, &gain), 1280);
    assert_non_null(strstr(ws_reorder_parting_line(found.results, &gain, 0), "shared uint count"));
    assert_int_equal(gains_of(&found, 2.3, &gain), 0);
    ws_reorder_site_name(found.results, gain.site, name, sizeof(name));
    assert_ptr_equal(strstr(name, "branch at "), name);
    const struct ws_reorder_sums *sums = find_row(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_SPLIT);
    assert_true(sums->visits == 32 && sums->calls == 4 && sums->launches == 2 && sums->moved == 32 * 2 * 4);
    found_finish(&found);
}

/* Two warps take one side, two the other: no slot is idle, and nothing is told. */
static void coherent(void **state)
{
    uint32_t sides[4][LANES];
    struct ws_reorder_gain gain;
    struct found found;
    (void)state;
    for (uint32_t i = 0; i < 4 * LANES; ++i)
        sides[i / LANES][i % LANES] = i / LANES < 2 ? 1 : 2;
    choose(&found, (const uint32_t(*)[LANES])sides);
    assert_null(find_row(&found, WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL));
    assert_int_equal(found.results->coherent, 1);
    assert_int_equal(gains_of(&found, 0.01, &gain), 0);
    assert_non_null(ws_reorder_nothing(found.results));
    found_finish(&found);
}

/* Neighbours have four materials by turns, of 60, 20, 20 and 20 instructions.
 *   before       each warp takes all: 16 executions, 4 x 120 x 8 slots
 *   sorted       8 threads have each: a warp of each side, 120 x 8
 *   workgroups   4 threads of each: one warp has the first two sides, one the others: 2 x (80 + 40) x 8, half of them idle */
static void four_materials(void **state)
{
    uint32_t sides[4][LANES];
    struct ws_reorder_gain gain = {0};
    struct found found;
    (void)state;
    for (uint32_t i = 0; i < 4 * LANES; ++i)
        sides[i / LANES][i % LANES] = 1 + i % 4;
    choose(&found, (const uint32_t(*)[LANES])sides);
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL, FIGURES(16, 4, 3840, 960, 0, 0));
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_GROUP, FIGURES(16, 8, 3840, 1920, 0, 960));
    assert_int_equal(find_row(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL)->values, 4);
    assert_int_equal(gains_of(&found, 0, &gain), 1);
    assert_non_null(strstr(ws_reorder_parting_line(found.results, &gain, 1), "ExecuteIndirect"));
    found_finish(&found);
}

/* Two warps turn a loop twice. In round 0 four lanes of each take the side of 40 instructions, in round 1 three of the first.
 *   before   3 executions, of 40 x 8 slots; 440 active
 *   sorted   those that take it fill warps: 8 threads in round 0, one warp; 3 in round 1, a warp of which 5 lanes have no
 *            thread, 5 x 40. Others stay: 11 visits, by three warps */
static void in_rounds(void **state)
{
    static const uint64_t takes[2][2] = {{0x55, 0x07}, {0xaa, 0}};
    struct found found;
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, rounds, of_rounds);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint32_t context = enter(stream, shader, warp);
        run(stream, context, 0, ALL);
        for (uint32_t round = 0; round < 2; ++round) {
            run(stream, context, 1, ALL);
            run(stream, context, 2, ALL);
            run(stream, context, 3, takes[warp][round]);
            run(stream, context, 4, ALL);
            if (round == 0)
                run(stream, context, 5, ALL);
        }
        run(stream, context, 6, ALL);
        run(stream, context, 7, ALL);
    }
    stream_end(stream);
    found_analyse(&found, stream);
    check(&found, WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL, FIGURES(3, 2, 960, 640, 200, 0));
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL, FIGURES(3, 2, 960, 640, 200, 0));
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_SPLIT, FIGURES(3, 2, 960, 640, 200, 0));
    const struct ws_reorder_sums *sums = find_row(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_SPLIT);
    assert_true(sums->visits == 11 && sums->calls == 3 && sums->launches == 2);
    assert_int_equal(ws_groups_count(found.results->groups, WS_REORDER_SITE_BOUNCES), 2);
    assert_false(found.results->partings[0].list[0].all_come);
    found_finish(&found);
}

/* The block that branches calls f first, and one side does, too. What f executes before the branch is none of it.
 *   before   two warps, 4 lanes of each: 2 x (10 + 30) x 8
 *   sorted   one warp of 8 threads */
static void functions(void **state)
{
    struct found found;
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, calls, of_calls);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint32_t context = enter(stream, shader, warp);
        run(stream, context, 0, ALL);
        run(stream, context, 3, ALL);
        run(stream, context, 1, 0x0f);
        run(stream, context, 3, 0x0f);
        run(stream, context, 2, ALL);
        run(stream, context, 4, ALL);
    }
    stream_end(stream);
    found_analyse(&found, stream);
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL, FIGURES(4, 2, 640, 320, 0, 0));
    found_finish(&found);
}

/* Two warps call f, half of whose threads call g from a branch and return; then all call g; then every other thread takes the
 * branch of the block that called both. What is called from there alone is in the tail at f's branch: 10 and 30 instructions
 * in each warp, and in one new warp. The branch of the caller is none the worse for f's: 40 instructions in each, then one. */
static void returns_from_region(void **state)
{
    struct found found;
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, returns, of_returns);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint32_t context = enter(stream, shader, warp);
        run(stream, context, 0, ALL);
        run(stream, context, 3, ALL);
        run(stream, context, 4, 0x0f);
        run(stream, context, 6, 0x0f);
        run(stream, context, 5, 0xf0);
        run(stream, context, 6, ALL);
        run(stream, context, 1, 0x55);
        run(stream, context, 2, ALL);
        run(stream, context, 7, ALL);
    }
    stream_end(stream);
    found_analyse(&found, stream);
    check_at(&found, 3, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL, FIGURES(4, 2, 640, 320, 0, 0));
    check_at(&found, 0, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL, FIGURES(2, 1, 640, 320, 0, 0));
    assert_int_equal(find_row_at(&found, 0, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL)->calls, 2);
    found_finish(&found);
}

/* Four threads of each of two warps take the branch; there they call f, which two of them leave early, and then g. Whichever
 * way they left f, they are in one execution of g: the new warp executes 1, f's three blocks, g for f, and g once more. */
static void called_after_returns(void **state)
{
    struct found found;
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, ways, of_ways);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint32_t context = enter(stream, shader, warp);
        run(stream, context, 0, ALL);
        run(stream, context, 1, 0x33);
        run(stream, context, 3, 0x33);
        run(stream, context, 4, 0x11);
        run(stream, context, 6, 0x11);
        run(stream, context, 5, 0x22);
        run(stream, context, 6, 0x33);
        run(stream, context, 2, ALL);
        run(stream, context, 7, ALL);
    }
    stream_end(stream);
    found_analyse(&found, stream);
    check_at(&found, 0, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL, FIGURES(12, 6, 1312, 656, 0, 168));
    found_finish(&found);
}

/* Two halves of a warp come to f's branch by two ways, and take its sides by turns: the warp comes there twice. */
static void sides_by_turns(void **state)
{
    struct found found;
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, interleaved, of_interleaved);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    const uint32_t context = enter(stream, shader, 0);
    run(stream, context, 0, ALL);
    run(stream, context, 1, 0x0f);
    run(stream, context, 4, 0x0f);
    run(stream, context, 2, 0xf0);
    run(stream, context, 4, 0xf0);
    run(stream, context, 5, 0x03);
    run(stream, context, 5, 0x30);
    run(stream, context, 6, 0x0c);
    run(stream, context, 6, 0xc0);
    run(stream, context, 7, 0x0f);
    run(stream, context, 7, 0xf0);
    run(stream, context, 3, ALL);
    run(stream, context, 8, ALL);
    stream_end(stream);
    found_analyse(&found, stream);
    const struct ws_reorder_sums *sums = find_row_at(&found, 4, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL);
    assert_non_null(sums);
    assert_int_equal(sums->visits, 8);
    assert_int_equal(sums->calls, 2);
    found_finish(&found);
}

/* Barriers, workgroup memory and subgroup operations forbid to regroup; 31 instructions are too few. Behind the first of the
 * other two branches threads go back, since a barrier comes: x moves twice; behind the last one, since some stay. */
static void reasons(void **state)
{
    struct found found;
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, several, of_several);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    const uint32_t context = enter(stream, shader, 0);
    run(stream, context, 0, ALL);
    run(stream, context, 1, 0x0f);
    run(stream, context, 3, ALL);
    run(stream, context, 14, ALL);
    stream_end(stream);
    found_analyse(&found, stream);
    const struct ws_partings *partings = &found.results->partings[0];
    assert_int_equal(partings->count, 2);
    assert_true(partings->list[0].block == 0 && partings->list[0].back && partings->list[0].all_come);
    assert_true(partings->list[1].block == 11 && partings->list[1].back);
    for (uint32_t i = 0; i < WS_PARTING_REASONS; ++i)
        assert_int_equal(partings->skipped[i], i < WS_PARTING_MANY);
    assert_int_equal(ws_reorder_state(found.results, ws_reorder_site(0, partings->list[0].offset)), 4 + 4);
    found_finish(&found);
}

/* A launch of four warps: of warp w lane l turns the loop turns[w][l] times. */
static void turn(struct found *found, const uint32_t often[4][LANES])
{
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, turns, of_turns);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 2, 1, 1);
    for (uint32_t warp = 0; warp < 4; ++warp) {
        const uint32_t context = enter(stream, shader, warp);
        uint64_t mask = ALL;
        run(stream, context, 0, ALL);
        for (uint32_t round = 0; mask != 0; ++round) {
            run(stream, context, 1, mask);
            for (uint32_t lane = 0; lane < LANES; ++lane)
                mask &= ~((uint64_t)(often[warp][lane] == round) << lane);
            run(stream, context, 2, mask);
            run(stream, context, 3, mask);
        }
        run(stream, context, 4, ALL);
        run(stream, context, 5, ALL);
    }
    stream_end(stream);
    found_analyse(found, stream);
}

/* 32 threads: odd ones turn a loop three times, even ones once. A turn has 4 + 30 + 6 instructions, and the header, which ends
 * the loop, 4: 124 of odd threads, 44 of even ones.
 *   before, and packed   each warp executes 4 + 3 + 3 blocks, 124 x 8 slots, of which 4 x 80 are idle
 *   sorted               two warps of odd threads, 10 blocks and 124 x 8 slots each, and two of even ones, 2 + 1 + 1 blocks and
 *                        44 x 8. So it is in windows of four warps, and in workgroups, of which each has 8 of each
 * Each moves without state, 32 x 16 slots; 1280 are saved, 2.5 times that. */
static void loop_turns(void **state)
{
    uint32_t often[4][LANES];
    struct ws_reorder_gain gain = {0};
    struct found found;
    char name[64];
    (void)state;
    for (uint32_t i = 0; i < 4 * LANES; ++i)
        often[i / LANES][i % LANES] = i % 2 == 1 ? 3 : 1;
    turn(&found, (const uint32_t(*)[LANES])often);
    const struct ws_parting *loop = &found.results->partings[0].list[0];
    assert_true(found.results->partings[0].count == 1 && loop->loop && loop->block == 1 && loop->all_come &&
                !loop->back);
    check(&found, WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL, FIGURES(40, 40, 3968, 3968, 0, 1280));
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL, FIGURES(40, 28, 3968, 2688, 0, 0));
    check(&found, WS_REORDER_BRANCH, 0, FIGURES(40, 40, 3968, 3968, 0, 1280));
    check(&found, WS_REORDER_BRANCH, 1, FIGURES(40, 28, 3968, 2688, 0, 0));
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_GROUP, FIGURES(40, 28, 3968, 2688, 0, 0));
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_SPLIT, FIGURES(40, 28, 3968, 2688, 0, 0));
    check(&found, WS_REORDER_PATH, WS_REORDER_WINDOW_ALL, FIGURES(40, 28, 3968, 2688, 0, 0));
    assert_int_equal(find_row(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL)->values, 2);
    assert_int_equal(cost_of(&found), 32 * 16);
    assert_int_equal(gains_of(&found, 0, &gain), 1);
    assert_true(gain.key == WS_REORDER_BRANCH && gain.parts && gain.slots == 1280 - 512);
    assert_string_equal(ws_reorder_gain_words(found.results, &gain), "how often a thread turns it");
    assert_non_null(strstr(ws_reorder_parting_line(found.results, &gain, 0), "shared uint count"));
    assert_non_null(
        strstr(ws_reorder_parting_line(found.results, &gain, 0), "<threads of turn counts before it>"));
    ws_reorder_site_name(found.results, gain.site, name, sizeof(name));
    assert_ptr_equal(strstr(name, "loop at "), name);
    const struct ws_reorder_sums *sums = find_row(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_SPLIT);
    assert_true(sums->visits == 32 && sums->calls == 4 && sums->joined == 4 && sums->launches == 2);
    found_finish(&found);
}

/* The same of a kernel with a path: all turns of a lane are alike. Lanes whose bit is in `sides` have bit 0 in each. */
static void turn_path(struct found *found, const char *text, const uint32_t *instructions,
                      const struct path_step *steps, const uint32_t often[4][LANES], uint32_t sides)
{
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel_path(stream, text, instructions, steps);
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < STEPS; ++i)
        blocks = steps[i].block >= blocks ? steps[i].block + 1 : blocks;
    stream_begin(stream, WS_LAUNCH_DISPATCH, 2, 1, 1);
    for (uint32_t warp = 0; warp < 4; ++warp) {
        const uint32_t context = enter(stream, shader, warp);
        uint32_t words[LANES * PATH_WORDS];
        for (uint32_t lane = 0; lane < LANES; ++lane) {
            const uint32_t turn = 2 | (sides >> lane & 1); /* a mark stands before it */
            words[PATH_WORDS * lane] = turn;
            words[PATH_WORDS * lane + 1] = turn;
            words[PATH_WORDS * lane + 2] = often[warp][lane];
        }
        stream_data(stream, context, blocks + 2, lanes(ALL), words, PATH_WORDS);
        run(stream, context, blocks, ALL);
    }
    stream_end(stream);
    found_analyse(found, stream);
}

/* Three billion turns of odd threads, one of even ones: a warp executes a block of 4 instructions, and in each turn three of
 * 40, as above. */
static void turns_by_the_billion(void **state)
{
    uint32_t often[4][LANES];
    struct found found;
    const uint64_t odd = 3000000000, even = 1000000000;
    const uint64_t many = 4 * (3 * odd + 1), slots = 4 * 8 * (40 * odd + 4), idle = 4 * 4 * 40 * (odd - even);
    const uint64_t few = 2 * (3 * odd + 1) + 2 * (3 * even + 1),
                   less = 2 * 8 * (40 * odd + 4) + 2 * 8 * (40 * even + 4);
    (void)state;
    for (uint32_t i = 0; i < 4 * LANES; ++i)
        often[i / LANES][i % LANES] = (uint32_t)(i % 2 == 1 ? odd : even);
    turn_path(&found, turns, of_turns, over_turns, (const uint32_t(*)[LANES])often, 0);
    check(&found, WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL, FIGURES(many, many, slots, slots, 0, idle));
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL, FIGURES(many, few, slots, less, 0, 0));
    check(&found, WS_REORDER_BRANCH, 0, FIGURES(many, many, slots, slots, 0, idle));
    check(&found, WS_REORDER_PATH, WS_REORDER_WINDOW_ALL, FIGURES(many, few, slots, less, 0, 0));
    assert_int_equal(found.results->slots, slots + 4 * 8 * (2 + 2));
    assert_int_equal(found.results->turning, 0);
    found_finish(&found);
}

/* What is said of a launch that was not looked at, or that it was. */
static void check_followed(const struct found *found, bool turns_end)
{
    static const uint64_t all[WS_REORDER_DIMENSIONS] = {0};
    const struct ws_reorder_sums *total = ws_groups_find(found->results->groups, WS_REORDER_TOTAL, all);
    struct ws_findings told = {0};
    uint32_t facts = 0;
    assert_true(ws_reorder_findings(found->results, &told));
    for (uint32_t i = 0; i < told.count; ++i)
        facts += told.all[i].kind == WS_FINDING_FACT && strstr(told.all[i].text, "In 1 launch loops") != NULL;
    ws_findings_finish(&told);
    assert_int_equal(facts, turns_end);
    assert_int_equal(found->results->turning, turns_end);
    assert_true(total != NULL && total->not_followed == turns_end);
    assert_int_equal(ws_reorder_nothing(found->results) != NULL, turns_end);
    if (turns_end)
        assert_non_null(strstr(ws_reorder_nothing(found->results), "not all launches were looked at"));
}

/* 3000 turns, in each of which lanes come to a branch and part: they are followed. Of each warp the 5 places of turns are
 * counted but for the first 64 of each 1024 and the last: 4 x 5 x (960 + 960 + 888), also where another consumer is told of
 * each turn. Where these are too many nothing is told but how many slots there were, and that it was not looked at. */
static void turns_beyond_bound(void **state)
{
    uint32_t often[4][LANES];
    struct found found;
    uint64_t slots = 0;
    (void)state;
    for (uint32_t i = 0; i < 4 * LANES; ++i)
        often[i / LANES][i % LANES] = 3000;
    for (uint32_t way = 0; way < 4; ++way) {
        const uint32_t less = way % 2;
        found_followed_most = 4 * 5 * (960 + 960 + 888) - less;
        found_beside = way >= 2;
        turn_path(&found, rounds, of_rounds, over_rounds, (const uint32_t(*)[LANES])often, 0x55);
        assert_int_equal(find_row(&found, WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL) == NULL, less);
        check_followed(&found, less == 1);
        assert_true(found.results->slots > 0 && (way == 0 || found.results->slots == slots));
        slots = found.results->slots;
        found_finish(&found);
    }
    found_followed_most = 0;
    found_beside = false;
}

/* Each warp turns it otherwise, but its threads equally often: nothing is told. */
static void even_turns(void **state)
{
    uint32_t often[4][LANES];
    struct found found;
    (void)state;
    for (uint32_t i = 0; i < 4 * LANES; ++i)
        often[i / LANES][i % LANES] = i / LANES;
    turn(&found, (const uint32_t(*)[LANES])often);
    assert_null(find_row(&found, WS_REORDER_PACKED, WS_REORDER_WINDOW_ALL));
    assert_true(found.results->even == 1 && found.results->coherent == 0);
    found_finish(&found);
}

/* Two warps turn the outer loop twice. In its first round lanes 0 to 3 turn the inner one twice, in its second lanes 4 to 7
 * once; others leave it at once.
 *   before   of a warp 3 headers and 2 bodies, 8 x (6 + 80) slots; then 2 and 1, 8 x (4 + 40)
 *   sorted   in each round 8 threads turn it, and 8 do not, which execute the header: 8 x 86 + 8 x 2, then 8 x 44 + 8 x 2
 * The outer loop is turned evenly. */
static void loop_in_loop(void **state)
{
    static const uint64_t turned[2][3] = {{ALL, 0x0f, 0x0f}, {ALL, 0xf0, 0}};
    struct found found;
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, nested, of_nested);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint32_t context = enter(stream, shader, warp);
        run(stream, context, 0, ALL);
        for (uint32_t round = 0; round < 2; ++round) {
            run(stream, context, 1, ALL);
            for (uint32_t inner = 0; inner < 3; ++inner) {
                run(stream, context, 2, turned[round][inner]);
                run(stream, context, 3, inner < 2 ? turned[round][inner + 1] : 0);
            }
            run(stream, context, 4, ALL);
            if (round == 0)
                run(stream, context, 5, ALL);
        }
        run(stream, context, 6, ALL);
        run(stream, context, 7, ALL);
    }
    stream_end(stream);
    found_analyse(&found, stream);
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL, FIGURES(16, 10, 2080, 1072, 0, 0));
    const struct ws_reorder_sums *sums = find_row(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_SPLIT);
    assert_true(sums->visits == 32 && sums->calls == 4 && sums->joined == 4 && sums->launches == 4);
    assert_int_equal(ws_groups_count(found.results->groups, WS_REORDER_SITES), 1);
    assert_int_equal(ws_groups_count(found.results->groups, WS_REORDER_SITE_BOUNCES), 2);
    assert_int_equal(found.results->even, 1);
    found_finish(&found);
}

/* A branch in a loop that two warps turn 20 times; in each round four lanes of both take it. Bounces from 16 on are one row. */
static void many_bounces(void **state)
{
    struct found found;
    char *text = NULL;
    size_t size = 0;
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, rounds, of_rounds);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    for (uint32_t warp = 0; warp < 2; ++warp) {
        const uint32_t context = enter(stream, shader, warp);
        run(stream, context, 0, ALL);
        for (uint32_t round = 0; round < 20; ++round) {
            run(stream, context, 1, ALL);
            run(stream, context, 2, ALL);
            run(stream, context, 3, 0x0f);
            run(stream, context, 4, ALL);
            if (round < 19)
                run(stream, context, 5, ALL);
        }
        run(stream, context, 6, ALL);
        run(stream, context, 7, ALL);
    }
    stream_end(stream);
    found_analyse(&found, stream);
    const struct ws_groups *groups = found.results->groups;
    assert_int_equal(ws_groups_count(groups, WS_REORDER_SITE_BOUNCES), WS_REORDER_BOUNCES);
    for (uint32_t i = 0; i < WS_REORDER_BOUNCES; ++i) {
        struct ws_row row;
        ws_groups_row(groups, WS_REORDER_SITE_BOUNCES, i, &row);
        const struct ws_reorder_sums *sums = row.sums;
        assert_int_equal(sums->visits, row.keys[WS_REORDER_BY_BOUNCE] == WS_REORDER_BOUNCES ? 5 * 8 : 8);
    }
    check(&found, WS_REORDER_BRANCH, WS_REORDER_WINDOW_ALL, FIGURES(40, 20, 12800, 6400, 0, 0));
    FILE *notes = open_memstream(&text, &size);
    assert_non_null(notes);
    ws_reorder_parting_notes(found.results, notes);
    fclose(notes);
    assert_non_null(strstr(text, "have no rows of their own: 4, which are in those of bounce 16\n"));
    free(text);
    found_finish(&found);
}

/* Threads leave the first loop after different turns, and come to the second one at one place all the same. What its function
 * executes is of it.
 *   first    lanes 0 to 3 turn it twice, the others not: 3 headers and 2 bodies, 8 x (6 + 20) slots
 *   second   odd lanes turn it once: 2 headers, a body and the function, 8 x (8 + 6 + 20)
 * Of one warp nothing is won; all are one visit, of two turns. */
static void loops_in_a_row(void **state)
{
    struct found found;
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, in_a_row, of_in_a_row);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    const uint32_t context = enter(stream, shader, 0);
    run(stream, context, 0, ALL);
    run(stream, context, 1, ALL);
    run(stream, context, 2, 0x0f);
    run(stream, context, 1, 0x0f);
    run(stream, context, 2, 0x0f);
    run(stream, context, 1, 0x0f);
    run(stream, context, 3, ALL);
    run(stream, context, 4, 0xaa);
    run(stream, context, 6, 0xaa);
    run(stream, context, 3, 0xaa);
    run(stream, context, 5, ALL);
    run(stream, context, 7, ALL);
    stream_end(stream);
    found_analyse(&found, stream);
    const struct ws_groups *groups = found.results->groups;
    uint32_t told = 0;
    for (uint32_t i = 0; i < ws_groups_count(groups, WS_REORDER_SITE_WINDOWS); ++i) {
        struct ws_row row;
        ws_groups_row(groups, WS_REORDER_SITE_WINDOWS, i, &row);
        const struct ws_reorder_sums *sums = row.sums;
        if (row.keys[WS_REORDER_BY_KEY] != WS_REORDER_BRANCH ||
            row.keys[WS_REORDER_BY_WINDOW] != WS_REORDER_WINDOW_ALL)
            continue;
        const struct ws_parting *loop = ws_reorder_parting(found.results, row.keys[WS_REORDER_BY_SITE]);
        assert_true(sums->visits == 8 && sums->calls == 1 && sums->launches == 1 && sums->values == 2);
        assert_int_equal(sums->slots, loop->block == 1 ? 8 * 26 : 8 * 34);
        assert_int_equal(sums->slots_after, sums->slots);
        told++;
    }
    assert_int_equal(told, 2);
    found_finish(&found);
}

/* Barriers and subgroup operations forbid it in loops, too, where the header has them as well. */
static void reasons_of_loops(void **state)
{
    struct found found;
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, forbidden, of_forbidden);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    run(stream, enter(stream, shader, 0), 0, ALL);
    stream_end(stream);
    found_analyse(&found, stream);
    const struct ws_partings *partings = &found.results->partings[0];
    assert_int_equal(partings->count, 0);
    for (uint32_t i = 0; i < WS_PARTING_REASONS; ++i) {
        assert_int_equal(partings->skipped[i], 0);
        assert_int_equal(partings->skipped_loops[i], i == WS_PARTING_BARRIER || i == WS_PARTING_SUBGROUP);
    }
    found_finish(&found);
}

/* main: so many times if { f1(); } else { } ; each function calls the next one, and the last one has a barrier where `barrier`
 * is. */
static char *chain_of_calls(uint32_t selections, uint32_t functions, bool barrier)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    fputs(HEAD "%20 = OpLabel\n", stream);
    for (uint32_t i = 0; i < selections; ++i)
        fprintf(stream,
                "OpSelectionMerge %%m%u None\nOpBranchConditional %%7 %%a%u %%b%u\n%%a%u = OpLabel\n"
                "%%c%u = OpFunctionCall %%3 %%f0\nOpBranch %%m%u\n%%b%u = OpLabel\nOpBranch %%m%u\n"
                "%%m%u = OpLabel\n",
                i, i, i, i, i, i, i, i, i);
    fputs("OpReturn\nOpFunctionEnd\n", stream);
    for (uint32_t i = 0; i < functions; ++i) {
        fprintf(stream, "%%f%u = OpFunction %%3 None %%4\n%%l%u = OpLabel\n", i, i);
        if (i + 1 < functions)
            fprintf(stream, "%%d%u = OpFunctionCall %%3 %%f%u\n", i, i + 1);
        else if (barrier)
            fputs("OpControlBarrier %9 %9 %10\n", stream);
        fputs("OpReturn\nOpFunctionEnd\n", stream);
    }
    fclose(stream);
    return text;
}

/* What functions do is found once, and not anew for each selection: that took minutes here. What a function far down does
 * counts for all that come to it. */
static void many_functions(void **state)
{
    (void)state;
    for (uint32_t barrier = 0; barrier < 2; ++barrier) {
        struct found found;
        char *text = chain_of_calls(1000, 10000, barrier > 0);
        struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
        const uint32_t shader = add_kernel(stream, text, NULL);
        stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
        const uint32_t context = enter(stream, shader, 0);
        run(stream, context, 0, ALL);
        stream_end(stream);
        stream_finish(stream);
        found_read(&found, stream, 1);
        const struct ws_partings *partings = &found.results->partings[0];
        assert_int_equal(partings->count, barrier > 0 ? 0 : WS_PARTINGS_MAX);
        assert_int_equal(partings->skipped[WS_PARTING_BARRIER], barrier > 0 ? 1000 : 0);
        assert_int_equal(partings->skipped[WS_PARTING_MANY], barrier > 0 ? 0 : 1000 - WS_PARTINGS_MAX);
        assert_true(partings->count == 0 || (!partings->list[0].back && partings->list[0].all_come));
        found_finish(&found);
        stream_destroy(stream);
        free(text);
    }
}

/* Branches one after the other: two sides each. The caller frees it. */
static char *branches_in_a_row(uint32_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    fputs(HEAD "%20 = OpLabel\n", stream);
    for (uint32_t i = 0; i < count; ++i)
        fprintf(stream,
                "OpSelectionMerge %%m%u None\nOpBranchConditional %%7 %%a%u %%b%u\n%%a%u = OpLabel\n"
                "OpBranch %%m%u\n%%b%u = OpLabel\nOpBranch %%m%u\n%%m%u = OpLabel\n",
                i, i, i, i, i, i, i, i);
    fputs("OpReturn\nOpFunctionEnd\n", stream);
    fclose(stream);
    return text;
}

/* Of kernels with 8 branches each, branch i is taken by halves of a warp, and each side has 20 x weights[i] instructions; but
 * all lanes take the last the same way. So a branch leaves 2 x 20 x weights[i] x 4 slots idle. Of each kernel the four with
 * most are told, of equals those that come first: weights 7, 5, 5 and 3; one is coherent, and three leave fewer idle. */
static void most_idle(void **state)
{
    enum { BRANCHES = 8, KERNELS = 20, TOLD = 4 };
    static const uint32_t weights[BRANCHES] = {3, 1, 5, 3, 5, 7, 1, 9};
    static const uint64_t told[TOLD] = {480, 800, 800, 1120}; /* as they stand in the code */
    uint32_t counts[1 + 3 * BRANCHES] = {2};
    struct found found;
    char *text = branches_in_a_row(BRANCHES);
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    uint32_t at[KERNELS] = {0};
    (void)state;
    for (uint32_t i = 0; i < BRANCHES; ++i) {
        counts[1 + 3 * i] = counts[2 + 3 * i] = 20 * weights[i];
        counts[3 + 3 * i] = 2;
    }
    for (uint32_t kernel = 0; kernel < KERNELS; ++kernel) {
        const uint32_t shader = add_kernel(stream, text, counts);
        stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
        const uint32_t context = enter(stream, shader, 0);
        run(stream, context, 0, ALL);
        for (uint32_t i = 0; i < BRANCHES; ++i) {
            const bool parts = i + 1 < BRANCHES;
            run(stream, context, 1 + 3 * i, parts ? 0x55 : ALL);
            run(stream, context, 2 + 3 * i, parts ? 0xaa : 0);
            run(stream, context, 3 + 3 * i, ALL);
        }
        stream_end(stream);
    }
    found_analyse(&found, stream);
    const struct ws_groups *groups = found.results->groups;
    for (uint32_t i = 0; i < ws_groups_count(groups, WS_REORDER_SITE_WINDOWS); ++i) {
        struct ws_row row;
        ws_groups_row(groups, WS_REORDER_SITE_WINDOWS, i, &row);
        const struct ws_reorder_sums *sums = row.sums;
        const uint64_t kernel = row.keys[WS_REORDER_BY_SITE] >> 32;
        if (row.keys[WS_REORDER_BY_KEY] != WS_REORDER_PACKED ||
            row.keys[WS_REORDER_BY_WINDOW] != WS_REORDER_WINDOW_ALL)
            continue;
        assert_true(kernel < KERNELS && at[kernel] < TOLD);
        assert_int_equal(sums->slots - sums->active, told[at[kernel]++]);
    }
    for (uint32_t kernel = 0; kernel < KERNELS; ++kernel)
        assert_int_equal(at[kernel], TOLD);
    assert_int_equal(found.results->coherent, KERNELS);
    assert_int_equal(found.results->fewer_idle, KERNELS * 3);
    found_finish(&found);
    free(text);
}

/* A sample's level by derivatives is of a quad: a branch to it is left out. */
static void implicit_levels(void **state)
{
    static const char sampled[] =
        "OpCapability Shader\nOpCapability ComputeDerivativeGroupLinearNV\n"
        "OpExtension \"SPV_NV_compute_shader_derivatives\"\nOpMemoryModel Logical GLSL450\n"
        "OpEntryPoint GLCompute %1 \"main\"\nOpExecutionMode %1 LocalSize 16 1 1\n"
        "OpExecutionMode %1 DerivativeGroupLinearNV\nOpDecorate %12 DescriptorSet 0\n"
        "OpDecorate %12 Binding 0\n%3 = OpTypeVoid\n%4 = OpTypeFunction %3\n%5 = OpTypeBool\n"
        "%7 = OpConstantTrue %5\n%8 = OpTypeFloat 32\n%9 = OpTypeVector %8 2\n%10 = OpTypeVector %8 4\n"
        "%13 = OpTypeImage %8 2D 0 0 0 1 Unknown\n%14 = OpTypeSampledImage %13\n"
        "%11 = OpTypePointer UniformConstant %14\n%12 = OpVariable %11 UniformConstant\n"
        "%15 = OpConstantNull %9\n%1 = OpFunction %3 None %4\n%20 = OpLabel\nOpSelectionMerge %22 None\n"
        "OpBranchConditional %7 %21 %23\n%21 = OpLabel\n%40 = OpFunctionCall %3 %2\nOpBranch %22\n"
        "%23 = OpLabel\nOpBranch %22\n%22 = OpLabel\nOpReturn\nOpFunctionEnd\n"
        "%2 = OpFunction %3 None %4\n%24 = OpLabel\n%41 = OpLoad %14 %12\n"
        "%42 = OpImageSampleImplicitLod %10 %41 %15\nOpReturn\nOpFunctionEnd\n";
    struct found found;
    (void)state;
    struct stream *stream = stream_create(&(struct stream_options){.bins = LANES});
    const uint32_t shader = add_kernel(stream, sampled, of_materials);
    stream_begin(stream, WS_LAUNCH_DISPATCH, 1, 1, 1);
    run(stream, enter(stream, shader, 0), 0, ALL);
    stream_end(stream);
    stream_finish(stream);
    found_read(&found, stream, 1);
    assert_int_equal(found.results->partings[0].count, 0);
    assert_int_equal(found.results->partings[0].skipped[WS_PARTING_SUBGROUP], 1);
    found_finish(&found);
    stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parity),
                                       cmocka_unit_test(coherent),
                                       cmocka_unit_test(four_materials),
                                       cmocka_unit_test(in_rounds),
                                       cmocka_unit_test(functions),
                                       cmocka_unit_test(returns_from_region),
                                       cmocka_unit_test(called_after_returns),
                                       cmocka_unit_test(sides_by_turns),
                                       cmocka_unit_test(reasons),
                                       cmocka_unit_test(loop_turns),
                                       cmocka_unit_test(turns_by_the_billion),
                                       cmocka_unit_test(turns_beyond_bound),
                                       cmocka_unit_test(even_turns),
                                       cmocka_unit_test(loop_in_loop),
                                       cmocka_unit_test(loops_in_a_row),
                                       cmocka_unit_test(reasons_of_loops),
                                       cmocka_unit_test(many_bounces),
                                       cmocka_unit_test(many_functions),
                                       cmocka_unit_test(most_idle),
                                       cmocka_unit_test(implicit_levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
