/* How often lines ran, against numbers worked out by hand. In the comments, of each block the lines of its
 * instructions, and how many warps run it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simt/lines.h"
#include "tests/unit/passes/spirv/assembly.h"

#define BLOCKS_MAX 16

/* What stands before the functions of every module: %1 is main, %10 a file, %20 and %21 floats, %30 true. */
static const char head[] = "OpCapability Shader\n"
                           "%9 = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n"
                           "OpMemoryModel Logical GLSL450\n"
                           "OpEntryPoint GLCompute %1 \"main\"\n"
                           "%10 = OpString \"lines.comp\"\n"
                           "%11 = OpTypeVoid\n"
                           "%12 = OpTypeFunction %11\n"
                           "%13 = OpTypeFloat 32\n"
                           "%14 = OpTypeBool\n"
                           "%15 = OpTypeInt 32 0\n"
                           "%20 = OpConstant %13 1\n"
                           "%21 = OpConstant %13 2\n"
                           "%30 = OpConstantTrue %14\n"
                           "%40 = OpConstant %15 4\n"
                           "%41 = OpConstant %15 5\n"
                           "%50 = OpExtInst %11 %9 DebugInfoNone\n"
                           "%51 = OpExtInst %11 %9 DebugInlinedAt %40 %50\n"
                           "%52 = OpExtInst %11 %9 DebugInlinedAt %40 %50\n"
                           "%53 = OpExtInst %11 %9 DebugInlinedAt %41 %50 %52\n"
                           "%1 = OpFunction %11 None %12\n";

struct scene {
    struct ws_code *code;
    uint32_t *words;
    struct ws_lines *lines;
    struct ws_block_record blocks[BLOCKS_MAX];
    struct ws_simt_counts counts[BLOCKS_MAX];
};

/* The function's blocks, each with a counter of its own but for equal `rows`, and how many warps ran them with how many
 * lanes. */
static void create(struct scene *scene, const char *function, const uint32_t *rows, const uint32_t *warps,
                   const uint32_t *lanes)
{
    char text[8192];
    size_t count = 0;
    struct ws_error error = {{0}};
    struct ws_module_record module = {.blocks = scene->blocks};
    memset(scene, 0, sizeof(*scene));
    snprintf(text, sizeof(text), "%s%s", head, function);
    scene->words = assembly_read(text, 0x10500, &count);
    scene->code = ws_code_create(scene->words, (uint32_t)count, &error);
    if (scene->code == NULL)
        fail_msg("%s", error.message);
    const struct ws_module *code = &scene->code->module;
    for (uint32_t i = 0; i < code->block_count; ++i) {
        const struct ws_instruction *first = &code->instructions[code->blocks[i].first];
        const struct ws_instruction *last = &code->instructions[code->blocks[i].end - 1];
        scene->blocks[i].row = rows[i];
        scene->blocks[i].info = (struct ws_block_info){
            .offset = first->offset, .length = last->offset + last->length - first->offset, .function = 1};
        scene->counts[i] =
            (struct ws_simt_counts){.warps = warps[i], .active = lanes[i], .slots = 8 * warps[i]};
    }
    module.block_count = code->block_count;
    scene->lines = ws_lines_create(scene->code, &module);
    assert_non_null(scene->lines);
}

static void destroy(struct scene *scene)
{
    ws_lines_destroy(scene->lines);
    ws_code_destroy(scene->code);
    free(scene->words);
}

static void expect(const struct scene *scene, uint32_t line, uint64_t warps, uint64_t lanes)
{
    struct ws_simt_counts counts;
    const uint32_t found = ws_lines_find(scene->lines, 0, line);
    assert_int_not_equal(found, WS_NONE);
    ws_lines_count(scene->lines, found, scene->counts, &counts);
    assert_int_equal(counts.warps, warps);
    assert_int_equal(counts.active, lanes);
    assert_int_equal(counts.slots, 8 * warps);
}

/*  0  3 4        2 warps, 16 lanes   int s = 0; for (int i = 0;
 *  1  -          8                   the loop's header: it has no line
 *  2  4          8, 40               i < n;
 *  3  5          6, 30               s += i;
 *  4  4          6, 30               ++i)
 *  5  7          2, 16               if (a
 *  6  7          1, 3                    && b)
 *  7  7          2, 16               the branch of the if
 *  8  8          1, 2                    s = 0;
 *  9  9          2, 16               return; */
static void loop_and_condition(void **state)
{
    static const uint32_t rows[] = {0, 1, 1, 2, 2, 0, 3, 0, 4, 0};
    static const uint32_t warps[] = {2, 8, 8, 6, 6, 2, 1, 2, 1, 2};
    static const uint32_t lanes[] = {16, 40, 40, 30, 30, 16, 3, 16, 2, 16};
    struct scene scene;
    (void)state;
    create(
        &scene,
        "%100 = OpLabel\nOpLine %10 3 0\n%60 = OpFAdd %13 %20 %20\nOpLine %10 4 0\n%61 = OpFAdd %13 %20 %20\n"
        "OpBranch %101\n"
        "%101 = OpLabel\nOpLoopMerge %105 %104 None\nOpBranch %102\n"
        "%102 = OpLabel\nOpLine %10 4 0\n%62 = OpFOrdLessThan %14 %20 %21\nOpBranchConditional %62 %103 "
        "%105\n"
        "%103 = OpLabel\nOpLine %10 5 0\n%63 = OpFMul %13 %20 %20\nOpBranch %104\n"
        "%104 = OpLabel\nOpLine %10 4 0\n%64 = OpFAdd %13 %20 %20\nOpBranch %101\n"
        "%105 = OpLabel\nOpLine %10 7 0\n%65 = OpLogicalNot %14 %30\nOpSelectionMerge %107 None\n"
        "OpBranchConditional %65 %106 %107\n"
        "%106 = OpLabel\nOpLine %10 7 0\n%66 = OpLogicalNot %14 %30\nOpBranch %107\n"
        "%107 = OpLabel\nOpLine %10 7 0\nOpSelectionMerge %109 None\nOpBranchConditional %30 %108 %109\n"
        "%108 = OpLabel\nOpLine %10 8 0\n%67 = OpFAdd %13 %20 %20\nOpBranch %109\n"
        "%109 = OpLabel\nOpLine %10 9 0\nOpReturn\nOpFunctionEnd\n",
        rows, warps, lanes);
    expect(&scene, 3, 2, 16);
    expect(&scene, 4, 8, 40);
    expect(&scene, 5, 6, 30);
    expect(&scene, 7, 2, 16);
    expect(&scene, 8, 1, 2);
    expect(&scene, 9, 2, 16);
    destroy(&scene);
}

/*  0  3          2 warps, 16 lanes
 *  1  4          2, 16               for (;; the loop's header, nothing but a branch
 *  2  5          2, 16               if (a) break;
 *  3  4          0, 0                ++i)
 *  4  9          2, 16               return; */
static void loop_that_ends_at_once(void **state)
{
    static const uint32_t rows[] = {0, 1, 1, 2, 0};
    static const uint32_t warps[] = {2, 2, 2, 0, 2};
    static const uint32_t lanes[] = {16, 16, 16, 0, 16};
    struct scene scene;
    (void)state;
    create(&scene,
           "%100 = OpLabel\nOpLine %10 3 0\n%60 = OpFAdd %13 %20 %20\nOpBranch %101\n"
           "%101 = OpLabel\nOpLine %10 4 0\nOpLoopMerge %104 %103 None\nOpBranch %102\n"
           "%102 = OpLabel\nOpLine %10 5 0\n%62 = OpFOrdLessThan %14 %20 %21\n"
           "OpBranchConditional %62 %104 %103\n"
           "%103 = OpLabel\nOpLine %10 4 0\n%64 = OpFAdd %13 %20 %20\nOpBranch %101\n"
           "%104 = OpLabel\nOpLine %10 9 0\nOpReturn\nOpFunctionEnd\n",
           rows, warps, lanes);
    expect(&scene, 4, 2, 16);
    expect(&scene, 5, 2, 16);
    destroy(&scene);
}

/* Line 4 is `case 1: break; case 2: f(); break;`, of which case 2 never ran. What is behind the branch of line 5, in line 6, is
 * no side of one: line 6 did not run.
 *  0  3     4 warps, 30 lanes     switch
 *  1  4     3, 20                 case 1: break;
 *  2  4     0, 0                  case 2: f(); break;
 *  3  5     4, 30                 if (a)
 *  4  5     2, 12                 if (b)
 *  5  6     0, 0                  f();
 *  6  6     2, 12                 where `if (b)` ends
 *  7  9     4, 30                 return; */
static void sides_of_a_branch(void **state)
{
    static const uint32_t rows[] = {0, 1, 2, 0, 3, 4, 3, 0};
    static const uint32_t warps[] = {4, 3, 0, 4, 2, 0, 2, 4};
    static const uint32_t lanes[] = {30, 20, 0, 30, 12, 0, 12, 30};
    struct scene scene;
    (void)state;
    create(&scene,
           "%100 = OpLabel\nOpLine %10 3 0\nOpSelectionMerge %103 None\nOpSwitch %40 %103 1 %101 2 %102\n"
           "%101 = OpLabel\nOpLine %10 4 0\nOpBranch %103\n"
           "%102 = OpLabel\nOpLine %10 4 0\n%60 = OpFAdd %13 %20 %20\nOpBranch %103\n"
           "%103 = OpLabel\nOpLine %10 5 0\nOpSelectionMerge %107 None\nOpBranchConditional %30 %104 %107\n"
           "%104 = OpLabel\nOpLine %10 5 0\nOpSelectionMerge %106 None\nOpBranchConditional %30 %105 %106\n"
           "%105 = OpLabel\nOpLine %10 6 0\n%61 = OpFAdd %13 %20 %20\nOpBranch %106\n"
           "%106 = OpLabel\nOpLine %10 6 0\nOpBranch %107\n"
           "%107 = OpLabel\nOpLine %10 9 0\nOpReturn\nOpFunctionEnd\n",
           rows, warps, lanes);
    expect(&scene, 4, 3, 20);
    expect(&scene, 5, 4, 30);
    expect(&scene, 6, 0, 0);
    destroy(&scene);
}

/* A function of lines 1 and 2 was inlined three times by a compiler that only knows OpLine: twice into line 4, where the
 * call has instructions before, between and behind, and once into line 6. Line 8 comes back to its first line.
 *  0  4 1 2 4 1 2 4 5     3 warps, 20 lanes
 *  1  6 1 2 6             2, 5
 *  2  8 9 8               3, 20 */
static void inlined_by_lines(void **state)
{
    static const uint32_t rows[] = {0, 1, 0};
    static const uint32_t warps[] = {3, 2, 3};
    static const uint32_t lanes[] = {20, 5, 20};
    struct scene scene;
    (void)state;
    create(&scene,
           "%100 = OpLabel\n"
           "OpLine %10 4 0\n%60 = OpFNegate %13 %20\n"
           "OpLine %10 1 0\n%61 = OpFMul %13 %60 %20\n%62 = OpFAdd %13 %61 %20\n"
           "OpLine %10 2 0\n%63 = OpFMul %13 %62 %62\n%64 = OpFSub %13 %61 %63\n"
           "OpLine %10 4 0\n%65 = OpFSub %13 %20 %64\n"
           "OpLine %10 1 0\n%66 = OpFMul %13 %65 %20\n%67 = OpFAdd %13 %66 %20\n"
           "OpLine %10 2 0\n%68 = OpFMul %13 %67 %67\n%69 = OpFSub %13 %66 %68\n"
           "OpLine %10 4 0\n%70 = OpFMul %13 %64 %69\n"
           "OpLine %10 5 0\nOpSelectionMerge %102 None\nOpBranchConditional %30 %101 %102\n"
           "%101 = OpLabel\n"
           "OpLine %10 6 0\n%71 = OpFNegate %13 %20\n"
           "OpLine %10 1 0\n%72 = OpFMul %13 %71 %20\n%73 = OpFAdd %13 %72 %20\n"
           "OpLine %10 2 0\n%74 = OpFMul %13 %73 %73\n%75 = OpFSub %13 %72 %74\n"
           "OpLine %10 6 0\nOpBranch %102\n"
           "%102 = OpLabel\n"
           "OpLine %10 8 0\n%76 = OpFMul %13 %20 %21\n%77 = OpFMul %13 %76 %21\n"
           "OpLine %10 9 0\n%78 = OpFSub %13 %20 %21\n"
           "OpLine %10 8 0\n%79 = OpFAdd %13 %77 %78\n"
           "OpReturn\nOpFunctionEnd\n",
           rows, warps, lanes);
    expect(&scene, 1, 3 + 3 + 2, 20 + 20 + 5);
    expect(&scene, 2, 3 + 3 + 2, 20 + 20 + 5);
    expect(&scene, 4, 3, 20);
    expect(&scene, 5, 3, 20);
    expect(&scene, 6, 2, 5);
    expect(&scene, 8, 3, 20);
    expect(&scene, 9, 3, 20);
    destroy(&scene);
}

/* Copies of a single instruction, which only DebugInlinedAt tells apart: line 1 in %51 and %52, called in line 4, and in
 * %53, called in line 5 of what %52 is. Line 4 is one copy, though lanes may end within what was inlined, so that its
 * blocks have counters of their own; so is line 5.
 *  0  4 1    3 warps, 20 lanes
 *  1  4 1 5 1    2, 9
 *  2  5 4    2, 8 */
static void inlined_by_scopes(void **state)
{
    static const uint32_t rows[] = {0, 1, 2};
    static const uint32_t warps[] = {3, 2, 2};
    static const uint32_t lanes[] = {20, 9, 8};
    struct scene scene;
    (void)state;
    create(&scene,
           "%100 = OpLabel\n"
           "%80 = OpExtInst %11 %9 DebugScope %50\nOpLine %10 4 0\n%60 = OpFNegate %13 %20\n"
           "%81 = OpExtInst %11 %9 DebugScope %50 %51\nOpLine %10 1 0\n%61 = OpFMul %13 %60 %20\n"
           "OpBranch %101\n"
           "%101 = OpLabel\n"
           "%82 = OpExtInst %11 %9 DebugScope %50\nOpLine %10 4 0\n%62 = OpFSub %13 %20 %61\n"
           "%83 = OpExtInst %11 %9 DebugScope %50 %52\nOpLine %10 1 0\n%63 = OpFMul %13 %62 %20\n"
           "OpLine %10 5 0\n%64 = OpFNegate %13 %63\n"
           "%84 = OpExtInst %11 %9 DebugScope %50 %53\nOpLine %10 1 0\n%65 = OpFMul %13 %64 %20\n"
           "OpBranch %102\n"
           "%102 = OpLabel\n"
           "%85 = OpExtInst %11 %9 DebugScope %50 %52\nOpLine %10 5 0\n%66 = OpFSub %13 %65 %20\n"
           "%86 = OpExtInst %11 %9 DebugScope %50\nOpLine %10 4 0\n%67 = OpFAdd %13 %66 %20\n"
           "OpReturn\nOpFunctionEnd\n",
           rows, warps, lanes);
    expect(&scene, 1, 3 + 2 + 2, 20 + 9 + 9);
    expect(&scene, 4, 3, 20);
    expect(&scene, 5, 2, 9);
    destroy(&scene);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_and_condition), cmocka_unit_test(loop_that_ends_at_once),
        cmocka_unit_test(sides_of_a_branch), cmocka_unit_test(inlined_by_lines),
        cmocka_unit_test(inlined_by_scopes)};
    return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
