/* Stretches of a module written by hand: which accesses share a record, and of which words their addresses are made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/instrument.h"
#include "warpscope/spirv/stretches.h"

/* %40 and %41: buffers of float xs[]; %42 a Function variable of uint, %43 one of an int; %44 push constants {address, uint};
 * %45 and %46 are parameters of the function, integers; %47 its parameter of a pointer. %20: pointer to float. */
static const char head[] =
    "OpCapability Shader\nOpCapability PhysicalStorageBufferAddresses\n"
    "OpMemoryModel PhysicalStorageBuffer64 GLSL450\nOpEntryPoint GLCompute %1 \"main\"\n"
    "OpExecutionMode %1 LocalSize 8 1 1\n"
    "OpDecorate %10 ArrayStride 4\nOpDecorate %11 Block\nOpMemberDecorate %11 0 Offset 0\n"
    "OpDecorate %20 ArrayStride 4\nOpDecorate %14 ArrayStride 16\nOpDecorate %15 Block\nOpMemberDecorate %15 "
    "0 Offset 0\n"
    "OpDecorate %17 Block\nOpMemberDecorate %17 0 Offset 0\nOpMemberDecorate %17 1 Offset 8\n"
    "OpDecorate %40 DescriptorSet 0\nOpDecorate %40 Binding 0\nOpDecorate %41 DescriptorSet 0\n"
    "OpDecorate %41 Binding 1\n"
    "%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%4 = OpTypeInt 32 0\n%5 = OpTypeInt 32 1\n%6 = OpTypeFloat 32\n"
    "%7 = OpConstant %4 0\n%8 = OpConstant %4 1\n%9 = OpConstant %4 2\n%39 = OpConstant %4 264\n"
    "%38 = OpConstant %5 -3\n"
    "%10 = OpTypeRuntimeArray %6\n%11 = OpTypeStruct %10\n%12 = OpTypePointer StorageBuffer %11\n"
    "%20 = OpTypePointer StorageBuffer %6\n"
    "%13 = OpTypeVector %6 4\n%14 = OpTypeRuntimeArray %13\n%15 = OpTypeStruct %14\n"
    "%16 = OpTypePointer PhysicalStorageBuffer %15\n%21 = OpTypePointer PhysicalStorageBuffer %13\n"
    "%17 = OpTypeStruct %16 %4\n%18 = OpTypePointer PushConstant %17\n%22 = OpTypePointer PushConstant %16\n"
    "%19 = OpTypePointer Function %4\n"
    "%40 = OpVariable %12 StorageBuffer\n%41 = OpVariable %12 StorageBuffer\n"
    "%44 = OpVariable %18 PushConstant\n"
    "%23 = OpTypeFunction %2 %4 %4 %19\n%71 = OpTypeBool\n"
    "%1 = OpFunction %2 None %3\n%24 = OpLabel\nOpReturn\nOpFunctionEnd\n"
    "%25 = OpFunction %2 None %23\n%45 = OpFunctionParameter %4\n%46 = OpFunctionParameter %4\n"
    "%47 = OpFunctionParameter %19\n%26 = OpLabel\n%42 = OpVariable %19 Function\n";

struct found {
    struct ws_arena *arena;
    uint32_t *words;
    struct ws_module module;
    struct ws_stretches stretches;
};

static void find(const char *code, struct found *found)
{
    char text[16384];
    size_t word_count = 0;
    struct ws_error error = {{0}};
    snprintf(text, sizeof(text), "%s%sOpReturn\nOpFunctionEnd\n", head, code);
    found->words = assembly_read(text, 0x00010300, &word_count);
    found->arena = ws_arena_create();
    assert_non_null(found->arena);
    assert_true(ws_module_parse(&found->module, found->arena, found->words, word_count, &error));
    struct ws_layouts *layouts = ws_layouts_create(&found->module);
    assert_non_null(layouts);
    assert_true(ws_stretches_find(&found->stretches, &found->module, layouts));
}

static void finish(struct found *found)
{
    ws_arena_destroy(found->arena);
    free(found->words);
}

/* The only stretch. */
static const struct ws_stretch *the_stretch(const struct found *found, uint32_t accesses, uint32_t words)
{
    assert_int_equal(found->stretches.count, 1);
    assert_int_equal(found->stretches.list[0].access_count, accesses);
    assert_int_equal(found->stretches.list[0].word_count, words);
    return &found->stretches.list[0];
}

/* An access that begins `offset` bytes behind so many words times so much. */
static void check(const struct found *found, uint32_t index, uint64_t offset, uint32_t word, uint32_t scale)
{
    const struct ws_stretch_access *access = &found->stretches.accesses[index];
    assert_int_equal(access->offset, offset);
    assert_int_equal(access->term_count, scale == 0 ? 0 : 1);
    if (scale != 0) {
        assert_int_equal(access->terms[0].word, word);
        assert_int_equal(access->terms[0].scale, scale);
    }
}

/* b[i] = a[i] + a[i + 1], as a compiler writes it that loads i anew each time: one word. */
static void shares_an_index(void **state)
{
    (void)state;
    struct found found;
    find("OpStore %42 %45\n"
         "%50 = OpLoad %4 %42\n%51 = OpAccessChain %20 %40 %7 %50\n%52 = OpLoad %6 %51\n"
         "%53 = OpLoad %4 %42\n%54 = OpIAdd %4 %53 %8\n%55 = OpAccessChain %20 %40 %7 %54\n%56 = OpLoad %6 "
         "%55\n"
         "%57 = OpFAdd %6 %52 %56\n"
         "%58 = OpLoad %4 %42\n%59 = OpAccessChain %20 %41 %7 %58\nOpStore %59 %57\n",
         &found);
    const struct ws_stretch *stretch = the_stretch(&found, 3, 1);
    assert_int_equal(stretch->words[0].id, 45); /* what was stored last */
    check(&found, 0, 0, 0, 4);
    check(&found, 1, 4, 0, 4);
    check(&found, 2, 0, 0, 4);
    assert_int_equal(found.stretches.accesses[0].variable, 40);
    assert_int_equal(found.stretches.accesses[2].variable, 41);
    assert_int_equal(found.stretches.accesses[2].kind, WS_ACCESS_STORE);
    assert_int_equal(stretch->instruction, found.stretches.accesses[2].instruction);
    assert_ptr_equal(ws_stretches_at(&found.stretches, stretch->instruction), stretch);
    assert_null(ws_stretches_at(&found.stretches, stretch->instruction - 1));
    const uint32_t word = 10; /* a[11] begins at byte 44 */
    assert_int_equal(ws_stretch_address(&found.stretches.accesses[1], &word), 44);
    assert_true((ws_stretch_tag(&found.stretches, stretch) & 1) == 1);
    finish(&found);
}

/* A variable that is stored to in between, by its name or by a parameter that may point to it, is another word. */
static void knows_stores(void **state)
{
    (void)state;
    static const char *const stores[] = {"OpStore %42 %46\n", "OpStore %47 %46\n"};
    for (int i = 0; i < 2; i++) {
        char code[1024];
        struct found found;
        snprintf(code, sizeof(code),
                 "%%50 = OpLoad %%4 %%42\n%%51 = OpAccessChain %%20 %%40 %%7 %%50\n%%52 = OpLoad %%6 %%51\n%s"
                 "%%53 = OpLoad %%4 %%42\n%%54 = OpAccessChain %%20 %%40 %%7 %%53\n%%55 = OpLoad %%6 %%54\n",
                 stores[i]);
        find(code, &found);
        const struct ws_stretch *stretch = the_stretch(&found, 2, 2);
        assert_int_equal(stretch->words[0].id, 50);
        assert_int_equal(stretch->words[1].id, i == 0 ? 46 : 53);
        finish(&found);
    }
}

/* What a parameter points to is one word, until something is stored to a variable. */
static void loads_by_parameters(void **state)
{
    (void)state;
    for (int stored = 0; stored < 2; stored++) {
        char code[1024];
        struct found found;
        snprintf(code, sizeof(code),
                 "%%50 = OpLoad %%4 %%47\n%%51 = OpAccessChain %%20 %%40 %%7 %%50\n%%52 = OpLoad %%6 %%51\n%s"
                 "%%53 = OpLoad %%4 %%47\n%%54 = OpAccessChain %%20 %%40 %%7 %%53\n%%55 = OpLoad %%6 %%54\n",
                 stored ? "OpStore %42 %46\n" : "");
        find(code, &found);
        the_stretch(&found, 2, stored ? 2 : 1);
        finish(&found);
    }
}

/* a[2 * y + x], a[2 * y + x + 1], a[2 * y + x - 2]: three sums, or the two words y and x. Shifts are products. */
static void takes_sums_apart(void **state)
{
    (void)state;
    struct found found;
    find("%50 = OpShiftLeftLogical %4 %46 %8\n"
         "%51 = OpIAdd %4 %50 %45\n%52 = OpAccessChain %20 %40 %7 %51\n%53 = OpLoad %6 %52\n"
         "%54 = OpIAdd %4 %45 %8\n%55 = OpIMul %4 %46 %9\n%56 = OpIAdd %4 %55 %54\n"
         "%57 = OpAccessChain %20 %40 %7 %56\n%58 = OpLoad %6 %57\n"
         "%59 = OpISub %4 %45 %9\n%60 = OpIAdd %4 %50 %59\n%61 = OpAccessChain %20 %40 %7 %60\n%62 = OpLoad "
         "%6 %61\n",
         &found);
    the_stretch(&found, 3, 2);
    static const uint64_t offsets[] = {0, 4, (uint32_t)-8};
    const uint32_t words[] = {100, 3}; /* y, x: 4 * (200 + 3) = 812 */
    for (uint32_t i = 0; i < 3; i++) {
        const struct ws_stretch_access *access = &found.stretches.accesses[i];
        assert_int_equal(access->offset, offsets[i]);
        assert_int_equal(access->term_count, 2);
        assert_int_equal(ws_stretch_address(access, words), (812 + offsets[i]) & 0xffffffff);
    }
    finish(&found);
}

/* One sum alone is one word. */
static void keeps_one_sum(void **state)
{
    (void)state;
    struct found found;
    find("%50 = OpIAdd %4 %46 %45\n%52 = OpAccessChain %20 %40 %7 %50\n%53 = OpLoad %6 %52\n", &found);
    assert_int_equal(the_stretch(&found, 1, 1)->words[0].id, 50);
    check(&found, 0, 0, 0, 4);
    finish(&found);
}

/* By a device address that is loaded twice: its two words, and the index. An index below zero lies before the base. */
static void shares_an_address(void **state)
{
    (void)state;
    struct found found;
    find("%50 = OpAccessChain %22 %44 %7\n%51 = OpLoad %16 %50\n%52 = OpAccessChain %21 %51 %7 %45\n"
         "%53 = OpLoad %13 %52 Aligned 16\n"
         "%54 = OpAccessChain %22 %44 %7\n%55 = OpLoad %16 %54\n%56 = OpAccessChain %21 %55 %7 %38\n"
         "%57 = OpLoad %13 %56 Aligned 16\n",
         &found);
    const struct ws_stretch *stretch = the_stretch(&found, 2, 3);
    assert_true(stretch->words[0].part == WS_STRETCH_ADDRESS &&
                stretch->words[1].part == WS_STRETCH_ADDRESS && stretch->words[2].part == WS_STRETCH_VALUE);
    assert_int_equal(stretch->words[0].id, 51);
    assert_int_equal(stretch->words[1].id, 51);
    const uint32_t words[] = {0xffffffe0u, 0x12, (uint32_t)-1};
    assert_int_equal(found.stretches.accesses[0].base, 0);
    assert_true(ws_stretch_address(&found.stretches.accesses[0], words) == 0x12ffffffd0u);
    assert_true(ws_stretch_address(&found.stretches.accesses[1], words) == 0x12ffffffb0u);
    finish(&found);
}

/* Barriers and calls part stretches; what needs no word is still an access. */
static void ends_at_barriers(void **state)
{
    (void)state;
    struct found found;
    find("%50 = OpAccessChain %20 %40 %7 %9\n%51 = OpLoad %6 %50\nOpControlBarrier %9 %9 %39\n"
         "%52 = OpLoad %6 %50\n%53 = OpFunctionCall %2 %1\n%54 = OpLoad %6 %50\nOpStore %50 %54\n",
         &found);
    assert_int_equal(found.stretches.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(found.stretches.list[i].word_count, 0);
    assert_int_equal(found.stretches.list[2].access_count, 2);
    for (uint32_t i = 0; i < 4; i++)
        check(&found, i, 8, 0, 0);
    finish(&found);
}

/* Seventeen indices: a record has room for sixteen. */
static void parts_what_is_full(void **state)
{
    (void)state;
    char code[4096] = "";
    size_t used = 0;
    struct found found;
    for (int i = 0; i < 17; i++)
        used += (size_t)snprintf(code + used, sizeof(code) - used,
                                 "%%%d = OpUDiv %%4 %%45 %%%d\n%%%d = OpAccessChain %%20 %%40 %%7 %%%d\n"
                                 "%%%d = OpLoad %%6 %%%d\n",
                                 100 + 3 * i, i == 0 ? 46 : 97 + 3 * i, 101 + 3 * i, 100 + 3 * i, 102 + 3 * i,
                                 101 + 3 * i);
    find(code, &found);
    assert_int_equal(found.stretches.count, 2);
    assert_int_equal(found.stretches.list[0].access_count, 16);
    assert_int_equal(found.stretches.list[0].word_count, 16);
    assert_int_equal(found.stretches.list[1].access_first, 16);
    assert_int_equal(found.stretches.list[1].access_count, 1);
    assert_int_equal(found.stretches.list[1].word_count, 1);
    assert_true(ws_stretch_tag(&found.stretches, &found.stretches.list[0]) !=
                ws_stretch_tag(&found.stretches, &found.stretches.list[1]));
    finish(&found);
}

/* a[i + 1], a[i], a[i + 1] again, b[i], a[i + 2]: one load of 12 bytes, and one of b. Behind a store the next two are a load of
 * their own. */
static void joins_neighbours(void **state)
{
    (void)state;
    struct found found;
    struct ws_stretch_left left[8];
    find("%50 = OpIAdd %4 %45 %8\n%51 = OpAccessChain %20 %40 %7 %50\n%52 = OpLoad %6 %51\n"
         "%53 = OpAccessChain %20 %40 %7 %45\n%54 = OpLoad %6 %53\n%55 = OpLoad %6 %51\n"
         "%56 = OpAccessChain %20 %41 %7 %45\n%57 = OpLoad %6 %56\n"
         "%58 = OpIAdd %4 %45 %9\n%59 = OpAccessChain %20 %40 %7 %58\n%60 = OpLoad %6 %59\n"
         "OpStore %51 %52\n%61 = OpLoad %6 %51\n%62 = OpLoad %6 %53\n",
         &found);
    ws_stretch_compile(&found.stretches, the_stretch(&found, 8, 1), left);
    static const struct ws_stretch_left expected[] = {{0, 12}, {0, 0}, {4, 0}, {0, 4},
                                                      {8, 0},  {4, 4}, {0, 8}, {0, 0}};
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(left[i].size, expected[i].size);
        if (left[i].size != 0)
            assert_int_equal(left[i].offset, expected[i].offset);
    }
    finish(&found);
}

/* x doubled thirty times by additions: a value each, not 2^30 terms. */
static void ends_long_sums(void **state)
{
    (void)state;
    char code[8192] = "";
    size_t used = 0;
    struct found found;
    for (int i = 0; i < 30; i++)
        used += (size_t)snprintf(code + used, sizeof(code) - used, "%%%d = OpIAdd %%4 %%%d %%%d\n", 100 + i,
                                 i == 0 ? 45 : 99 + i, i == 0 ? 45 : 99 + i);
    snprintf(code + used, sizeof(code) - used,
             "%%200 = OpAccessChain %%20 %%40 %%7 %%129\n%%201 = OpLoad %%6 %%200\n"
             "%%202 = OpAccessChain %%20 %%40 %%7 %%128\n%%203 = OpLoad %%6 %%202\n");
    find(code, &found);
    assert_int_equal(found.stretches.count, 1);
    assert_int_equal(found.stretches.list[0].access_count, 2);
    finish(&found);
}

/* A pointer that is one of two buffers, three elements on: its offset, its place, and 12 bytes. Of two elements of one
 * buffer the offset only. */
static void follows_chosen_pointers(void **state)
{
    (void)state;
    struct found found;
    find(
        "%70 = OpIEqual %71 %45 %46\n%50 = OpAccessChain %20 %40 %7 %45\n%51 = OpAccessChain %20 %41 %7 %46\n"
        "%52 = OpSelect %20 %70 %50 %51\n%53 = OpPtrAccessChain %20 %52 %9\n%54 = OpLoad %6 %53\n"
        "%55 = OpAccessChain %20 %40 %7 %46\n%56 = OpSelect %20 %70 %50 %55\n%57 = OpLoad %6 %56\n",
        &found);
    const struct ws_stretch *stretch = the_stretch(&found, 2, 3);
    const struct ws_stretch_access *several = &found.stretches.accesses[0];
    const struct ws_stretch_access *one = &found.stretches.accesses[1];
    assert_true(stretch->words[0].id == 52 && stretch->words[0].part == WS_STRETCH_OFFSET);
    assert_true(stretch->words[1].id == 52 && stretch->words[1].part == WS_STRETCH_PLACE);
    assert_true(stretch->words[2].id == 56 && stretch->words[2].part == WS_STRETCH_OFFSET);
    assert_true(several->varies && several->variable == 0 && several->offset == 8);
    assert_true(!one->varies && one->variable == 40 && one->offset == 0);
    const uint32_t words[] = {400, 2u << 24, 24};
    assert_int_equal(ws_stretch_address(several, words), 408);
    assert_int_equal(ws_stretch_descriptor(several, words), 2u << 24);
    assert_int_equal(ws_stretch_address(one, words), 24);
    finish(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_an_index),         cmocka_unit_test(knows_stores),
        cmocka_unit_test(loads_by_parameters),     cmocka_unit_test(takes_sums_apart),
        cmocka_unit_test(keeps_one_sum),           cmocka_unit_test(shares_an_address),
        cmocka_unit_test(ends_at_barriers),        cmocka_unit_test(joins_neighbours),
        cmocka_unit_test(parts_what_is_full),      cmocka_unit_test(ends_long_sums),
        cmocka_unit_test(follows_chosen_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
