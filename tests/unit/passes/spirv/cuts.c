/* Where blocks are cut, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "passes/flow/equivalence.h"
#include "tests/unit/passes/spirv/flow.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/calls.h"
#include "warpscope/spirv/cuts.h"
#include "warpscope/spirv/sync_points.h"

/* A module that has been cut. */
struct cut_module {
    uint32_t *words;
    struct ws_arena *arena;
    struct ws_module module;
    struct ws_cfg *cfgs;
};

static void cut(struct cut_module *cut, uint32_t *words, size_t word_count)
{
    struct ws_error error = {0};
    cut->words = words;
    cut->arena = ws_arena_create();
    assert_true(ws_module_parse(&cut->module, cut->arena, words, word_count, &error));
    cut->cfgs = ws_cuts_make(&cut->module, &error);
    assert_non_null(cut->cfgs);
}

static void finish(struct cut_module *cut)
{
    ws_arena_destroy(cut->arena);
    free(cut->words);
}

/* The blocks of the module, a line each: index, how many instructions without the label, "cut" where it was cut, and
 * where it leads. For example "0: 2 cut > 1": block 0 has two instructions, was cut, and leads to block 1. */
static void check(struct cut_module *cut, const char *expected)
{
    const struct ws_module *module = &cut->module;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    for (uint32_t b = 0; b < module->block_count; b++) {
        const struct ws_block *block = &module->blocks[b];
        const struct ws_cfg *cfg = &cut->cfgs[block->function];
        const uint32_t first = module->functions[block->function].block_first;
        const bool labelled = module->instructions[block->first].opcode == SpvOpLabel;
        fprintf(out, "%u: %u%s", b, block->end - block->first - labelled, block->is_cut ? " cut" : "");
        assert_int_equal(labelled, b == first || !module->blocks[b - 1].is_cut);
        for (uint32_t i = cfg->opaque ? 0 : cfg->successor_first[b - first];
             !cfg->opaque && i < cfg->successor_first[b - first + 1]; i++)
            fprintf(out, " > %u", first + cfg->successors[i]);
        fputc('\n', out);
    }
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void cut_text(struct cut_module *made, const char *stage, const char *modes, const char *body)
{
    char *text = NULL;
    size_t length = 0;
    size_t word_count = 0;
    FILE *out = open_memstream(&text, &length);
    fprintf(
        out,
        "%s OpMemoryModel Logical GLSL450\nOpEntryPoint %s %%1 \"main\" %%25\n%s\n"
        "%%2 = OpTypeVoid\n%%3 = OpTypeFunction %%2\n%%4 = OpTypeBool\n%%5 = OpConstantTrue %%4\n"
        "%%20 = OpTypeFloat 32\n%%21 = OpConstant %%20 1\n%%22 = OpTypeInt 32 0\n%%23 = OpConstant %%22 0\n"
        "%%24 = OpTypePointer Private %%22\n%%25 = OpVariable %%24 Private\n%s",
        strstr(stage, "KHR") != NULL ? "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\n"
                                     : "OpCapability Shader\nOpCapability DemoteToHelperInvocation\n"
                                       "OpExtension \"SPV_EXT_demote_to_helper_invocation\"\n",
        stage, modes, body);
    fclose(out);
    uint32_t *words = flow_assemble_text(text, length, &word_count);
    free(text);
    flow_validate(words, word_count);
    cut(made, words, word_count);
}

static void check_text(const char *stage, const char *modes, const char *body, const char *expected)
{
    struct cut_module made = {0};
    cut_text(&made, stage, modes, body);
    check(&made, expected);
    finish(&made);
}

#define FRAGMENT "Fragment", "OpExecutionMode %1 OriginUpperLeft"

/* void clip() { if (c) discard; }  void outer() { clip(); }  void plain() { } */
#define CLIP                                                                                                 \
    "%50 = OpFunction %2 None %3\n%51 = OpLabel\nOpSelectionMerge %53 None\n"                                \
    "OpBranchConditional %5 %52 %53\n%52 = OpLabel\nOpKill\n%53 = OpLabel\nOpReturn\nOpFunctionEnd\n"
#define PLAIN "%60 = OpFunction %2 None %3\n%61 = OpLabel\nOpStore %25 %23\nOpReturn\nOpFunctionEnd\n"

static void test_call(void **state)
{
    (void)state;
    check_text(FRAGMENT,
               "%1 = OpFunction %2 None %3\n%6 = OpLabel\nOpStore %25 %23\n%7 = OpFunctionCall %2 %50\n"
               "OpStore %25 %23\nOpReturn\nOpFunctionEnd\n" CLIP,
               "0: 2 cut > 1\n1: 2\n"
               "2: 2 > 3 > 4\n3: 1\n4: 1\n");
}

static void test_several_calls(void **state)
{
    (void)state;
    /* A call that ends no lanes cuts nothing; two that may, one after the other, cut twice. */
    check_text(FRAGMENT,
               "%1 = OpFunction %2 None %3\n%6 = OpLabel\n%7 = OpFunctionCall %2 %60\n"
               "%8 = OpFunctionCall %2 %50\n%9 = OpFunctionCall %2 %50\nOpStore %25 %23\nOpReturn\n"
               "OpFunctionEnd\n" CLIP PLAIN,
               "0: 2 cut > 1\n1: 1 cut > 2\n2: 2\n"
               "3: 2 > 4 > 5\n4: 1\n5: 1\n"
               "6: 2\n");
}

static void test_deep_call(void **state)
{
    (void)state;
    check_text(
        FRAGMENT,
        "%1 = OpFunction %2 None %3\n%6 = OpLabel\n%7 = OpFunctionCall %2 %40\nOpReturn\nOpFunctionEnd\n"
        "%40 = OpFunction %2 None %3\n%41 = OpLabel\n%42 = OpFunctionCall %2 %44\nOpReturn\n"
        "OpFunctionEnd\n"
        "%44 = OpFunction %2 None %3\n%45 = OpLabel\n%46 = OpFunctionCall %2 %50\nOpReturn\n"
        "OpFunctionEnd\n" CLIP,
        "0: 1 cut > 1\n1: 1\n"
        "2: 1 cut > 3\n3: 1\n"
        "4: 1 cut > 5\n5: 1\n"
        "6: 2 > 7 > 8\n7: 1\n8: 1\n");
}

static void test_demote(void **state)
{
    (void)state;
    /* In straight-line code, and right before a merge instruction. */
    check_text(
        FRAGMENT,
        "%1 = OpFunction %2 None %3\n%6 = OpLabel\nOpDemoteToHelperInvocation\nOpStore %25 %23\n"
        "OpDemoteToHelperInvocation\nOpSelectionMerge %8 None\nOpBranchConditional %5 %7 %8\n"
        "%7 = OpLabel\nOpDemoteToHelperInvocation\nOpBranch %8\n%8 = OpLabel\nOpReturn\nOpFunctionEnd\n",
        "0: 1 cut > 1\n1: 2 cut > 2\n2: 2 > 3 > 5\n"
        "3: 1 cut > 4\n4: 1 > 5\n"
        "5: 1\n");
}

static void test_not_reached(void **state)
{
    (void)state;
    /* The discard cannot be reached, so the call ends nothing; the last call cannot be reached either. */
    check_text(
        FRAGMENT,
        "%1 = OpFunction %2 None %3\n%6 = OpLabel\n%7 = OpFunctionCall %2 %40\nOpReturn\n"
        "%8 = OpLabel\n%9 = OpFunctionCall %2 %50\nOpReturn\nOpFunctionEnd\n"
        "%40 = OpFunction %2 None %3\n%41 = OpLabel\nOpReturn\n%42 = OpLabel\nOpKill\nOpFunctionEnd\n" CLIP,
        "0: 2\n1: 2\n"
        "2: 1\n3: 1\n"
        "4: 2 > 5 > 6\n5: 1\n6: 1\n");
}

static void test_ray_tracing(void **state)
{
    (void)state;
    /* An any-hit shader may end what reports. */
    check_text("IntersectionKHR", "",
               "%1 = OpFunction %2 None %3\n%6 = OpLabel\n%7 = OpReportIntersectionKHR %4 %21 %23\n"
               "OpStore %25 %23\nOpReturn\nOpFunctionEnd\n",
               "0: 1 cut > 1\n1: 2\n");
    check_text("AnyHitKHR", "",
               "%1 = OpFunction %2 None %3\n%6 = OpLabel\n%7 = OpFunctionCall %2 %40\n"
               "%8 = OpFunctionCall %2 %44\nOpReturn\nOpFunctionEnd\n"
               "%40 = OpFunction %2 None %3\n%41 = OpLabel\nOpIgnoreIntersectionKHR\nOpFunctionEnd\n"
               "%44 = OpFunction %2 None %3\n%45 = OpLabel\nOpTerminateRayKHR\nOpFunctionEnd\n",
               "0: 1 cut > 1\n1: 1 cut > 2\n2: 1\n"
               "3: 1\n4: 1\n");
    /* All lanes come back from a callable shader, and from a function that executes one. */
    const struct flow_block main_blocks[] = {{FLOW_GO, .to = {1}, .body = FLOW_CALL, .callee = 1},
                                             {.end = FLOW_RETURN, .body = FLOW_CALLABLE}};
    const struct flow_block callee[] = {{.end = FLOW_RETURN, .body = FLOW_CALLABLE}};
    const struct flow_function functions[] = {{main_blocks, 2}, {callee, 1}};
    struct cut_module made = {0};
    size_t word_count = 0;
    uint32_t *words = flow_assemble(functions, 2, FLOW_RAYGEN, 32, &word_count);
    cut(&made, words, word_count);
    assert_int_equal(made.module.block_count, 3);
    finish(&made);
}

/* OpAbortKHR and what follows no header of the build knows, so they are put into the words by hand. */
static void test_newer(void **state)
{
    (void)state;
    const struct flow_block main_blocks[] = {{FLOW_GO, .to = {1}, .body = FLOW_CALL, .callee = 1},
                                             {.end = FLOW_RETURN}};
    const struct flow_block callee[] = {
        {FLOW_IF, .to = {1, 2}, .merge = 2}, {.end = FLOW_KILL}, {.end = FLOW_RETURN}};
    const struct flow_function functions[] = {{main_blocks, 2}, {callee, 3}};
    /* 9999: a terminator of which nothing is known, so neither of the function nor of what a call of it does. */
    const uint32_t opcodes[] = {5121, 9999};
    for (uint32_t i = 0; i < 2; i++) {
        struct cut_module made = {0};
        size_t word_count = 0;
        uint32_t *words = flow_assemble(functions, 2, FLOW_FRAGMENT, 32, &word_count);
        for (size_t word = 5; word < word_count; word += words[word] >> 16)
            if (words[word] == (1 << 16 | SpvOpKill))
                words[word] = 1 << 16 | opcodes[i];
        cut(&made, words, word_count);
        assert_int_equal(made.module.block_count, 6);
        assert_true(made.module.blocks[0].is_cut);
        assert_int_equal(made.cfgs[1].opaque, i == 1);
        if (i == 0)
            assert_int_equal(made.cfgs[1].successor_first[2] - made.cfgs[1].successor_first[1], 0);
        finish(&made);
    }
}

/* for (;;) { clip(); trace; if (c) break; }, all in the header. */
static void test_loop_header(void **state)
{
    (void)state;
    static const uint16_t opcodes[] = {SpvOpStore};
    struct cut_module made = {0};
    struct ws_error error = {0};
    struct ws_sync sync;
    struct ws_calls calls;
    cut_text(&made, FRAGMENT,
             "%1 = OpFunction %2 None %3\n%6 = OpLabel\nOpBranch %7\n"
             "%7 = OpLabel\nOpStore %25 %23\n%10 = OpFunctionCall %2 %50\nOpStore %25 %23\n"
             "OpLoopMerge %9 %8 None\nOpBranchConditional %5 %8 %9\n"
             "%8 = OpLabel\nOpBranch %7\n%9 = OpLabel\nOpStore %25 %23\nOpReturn\nOpFunctionEnd\n" CLIP);
    check(&made, "0: 1 > 1\n1: 2 cut > 2\n2: 3 > 3 > 4\n3: 1 > 1\n4: 2\n5: 2 > 6 > 7\n6: 1\n7: 1\n");
    /* What stands in either part of the header is in the loop, which begins with the first. */
    assert_true(ws_sync_find(&sync, &made.module, made.cfgs, opcodes, 1, &error));
    assert_int_equal(sync.place_count, 3);
    assert_int_equal(sync.loop_count, 1);
    assert_int_equal(sync.loops[0].header, 1);
    assert_int_equal(sync.loops[0].continue_target, 3);
    assert_int_equal(sync.loops[0].merge, 4);
    assert_int_equal(sync.places[0].block, 1);
    assert_int_equal(sync.places[0].loop, 0);
    assert_int_equal(sync.places[1].block, 2);
    assert_int_equal(sync.places[1].loop, 0);
    assert_int_equal(sync.places[2].loop, WS_NONE);
    /* No two of these blocks have the same lanes: some go from the second part of the header to the continue target,
     * others to the merge block. */
    assert_true(ws_calls_build(&calls, made.arena, &made.module, made.cfgs, &error));
    const uint32_t *leaders =
        ws_equivalence_find(made.arena, &made.module, 0, &made.cfgs[0], calls.block_parts, &error);
    for (uint32_t b = 0; b < 5; b++)
        assert_int_equal(leaders[b], b);
    finish(&made);
}

/* What stands behind a cut shares the counter of what always has its lanes, and not that of what stands before. */
static void test_classes(void **state)
{
    (void)state;
    struct cut_module made = {0};
    struct ws_error error = {0};
    struct ws_calls calls;
    cut_text(&made, FRAGMENT,
             "%1 = OpFunction %2 None %3\n%6 = OpLabel\n%10 = OpFunctionCall %2 %50\n"
             "OpSelectionMerge %8 None\nOpBranchConditional %5 %7 %8\n"
             "%7 = OpLabel\n%11 = OpFunctionCall %2 %60\nOpBranch %8\n"
             "%8 = OpLabel\nOpReturn\nOpFunctionEnd\n" CLIP PLAIN);
    check(&made, "0: 1 cut > 1\n1: 2 > 2 > 3\n2: 2 > 3\n3: 1\n4: 2 > 5 > 6\n5: 1\n6: 1\n7: 2\n");
    assert_true(ws_calls_build(&calls, made.arena, &made.module, made.cfgs, &error));
    const uint32_t *leaders =
        ws_equivalence_find(made.arena, &made.module, 0, &made.cfgs[0], calls.block_parts, &error);
    assert_int_equal(leaders[0], 0);
    assert_int_equal(leaders[1], 1);
    assert_int_equal(leaders[2], 2);
    assert_int_equal(leaders[3], 1);
    finish(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call),        cmocka_unit_test(test_several_calls),
        cmocka_unit_test(test_deep_call),   cmocka_unit_test(test_demote),
        cmocka_unit_test(test_not_reached), cmocka_unit_test(test_ray_tracing),
        cmocka_unit_test(test_newer),       cmocka_unit_test(test_loop_header),
        cmocka_unit_test(test_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
