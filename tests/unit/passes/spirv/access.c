/* Addresses of accesses in a module written by hand, with every layout that buffers have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/access.h"

/* struct Inner { vec2 a; mat3 m (column-major, 16); mat2x4 r (row-major: 4 rows of 2, 8 apart); double d; };
 * struct Block { uint head; Inner inner[5] (128 apart, from 16 on); uint16_t tail[] (2 apart, from 656 on); };
 * Ids: 20 Inner, 21 its array, 22 uint16 array, 23 Block; 24 array of 4 Blocks; 40 to 49 variables. */
static const char head[] =
    "OpCapability Shader\nOpCapability Float64\nOpCapability Int16\nOpCapability StorageBuffer16BitAccess\n"
    "OpCapability PhysicalStorageBufferAddresses\nOpCapability VariablePointers\nOpCapability Int64\n"
    "OpMemoryModel PhysicalStorageBuffer64 GLSL450\nOpEntryPoint GLCompute %1 \"main\"\n"
    "OpExecutionMode %1 LocalSize 8 1 1\n"
    "OpMemberDecorate %20 0 Offset 0\nOpMemberDecorate %20 1 Offset 16\nOpMemberDecorate %20 1 ColMajor\n"
    "OpMemberDecorate %20 1 MatrixStride 16\nOpMemberDecorate %20 2 Offset 64\nOpMemberDecorate %20 2 "
    "RowMajor\n"
    "OpMemberDecorate %20 2 MatrixStride 8\nOpMemberDecorate %20 3 Offset 96\n"
    "OpDecorate %21 ArrayStride 128\nOpDecorate %22 ArrayStride 2\nOpDecorate %23 Block\n"
    "OpMemberDecorate %23 0 Offset 0\nOpMemberDecorate %23 1 Offset 16\nOpMemberDecorate %23 2 Offset 656\n"
    "OpDecorate %26 BufferBlock\nOpMemberDecorate %26 0 Offset 0\nOpDecorate %27 ArrayStride 4\n"
    "OpDecorate %37 ArrayStride 128\n"
    "OpDecorate %63 SpecId 0\n"
    "%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%4 = OpTypeInt 32 0\n%5 = OpTypeInt 32 1\n%6 = OpTypeFloat 32\n"
    "%7 = OpTypeFloat 64\n%8 = OpTypeInt 16 0\n%9 = OpTypeVector %6 2\n%10 = OpTypeVector %6 3\n"
    "%11 = OpTypeMatrix %10 3\n%12 = OpTypeVector %6 4\n%13 = OpTypeMatrix %12 2\n%14 = OpTypeBool\n"
    "%70 = OpConstant %4 0\n%71 = OpConstant %4 1\n%72 = OpConstant %4 2\n%73 = OpConstant %4 3\n"
    "%74 = OpConstant %4 4\n%75 = OpConstant %4 5\n%76 = OpConstant %5 -1\n%63 = OpSpecConstant %4 2\n"
    "%77 = OpConstant %4 40\n%79 = OpConstant %4 12\n%15 = OpTypeInt 64 0\n"
    "%20 = OpTypeStruct %9 %11 %13 %7\n%21 = OpTypeArray %20 %75\n%22 = OpTypeRuntimeArray %8\n"
    "%23 = OpTypeStruct %4 %21 %22\n%24 = OpTypeArray %23 %74\n"
    "%27 = OpTypeRuntimeArray %4\n%26 = OpTypeStruct %27\n"
    "%28 = OpTypeStruct %8 %10 %7\n%29 = OpTypeArray %28 %73\n%25 = OpTypeArray %4 %77\n%19 = OpTypeArray "
    "%12 %77\n"
    "%30 = OpTypePointer StorageBuffer %23\n%31 = OpTypePointer StorageBuffer %24\n"
    "%32 = OpTypePointer Uniform %26\n%33 = OpTypePointer Workgroup %29\n"
    "%34 = OpTypePointer StorageBuffer %6\n%35 = OpTypePointer StorageBuffer %7\n"
    "%36 = OpTypePointer StorageBuffer %8\n%37 = OpTypePointer StorageBuffer %20\n"
    "%38 = OpTypePointer StorageBuffer %12\n%39 = OpTypePointer StorageBuffer %11\n"
    "%40 = OpVariable %30 StorageBuffer\n%41 = OpVariable %31 StorageBuffer\n%42 = OpVariable %32 Uniform\n"
    "%43 = OpVariable %33 Workgroup\n%44 = OpTypePointer Uniform %4\n%45 = OpTypePointer Workgroup %7\n"
    "%46 = OpTypePointer Workgroup %28\n%47 = OpTypePointer StorageBuffer %4\n"
    "%48 = OpTypePointer PhysicalStorageBuffer %10\n%49 = OpTypePointer Private %4\n%50 = OpVariable %49 "
    "Private\n"
    "%51 = OpTypePointer Workgroup %25\n%52 = OpVariable %51 Workgroup\n"
    "%53 = OpTypePointer Workgroup %19\n%54 = OpVariable %53 Workgroup\n%55 = OpTypePointer Workgroup %12\n"
    "%56 = OpTypePointer StorageBuffer %21\n%57 = OpTypePointer StorageBuffer %10\n"
    "%92 = OpTypeRuntimeArray %4\n%93 = OpTypeStruct %92\n%94 = OpTypePointer StorageBuffer %93\n"
    "!0x00031141 %17 !12\n"         /* %17: untyped pointer to StorageBuffer */
    "!0x00051142 %17 %18 !12 %23\n" /* %18: variable of a Block */
    "!0x00051142 %17 %58 !12 %24\n" /* %58: variable of 4 Blocks */
    "%91 = OpVariable %94 StorageBuffer\n"
    "%1 = OpFunction %2 None %3\n%16 = OpLabel\n%60 = OpLoad %4 %50\n%61 = OpBitcast %5 %60\n"
    "%62 = OpULessThan %14 %60 %74\n";

struct expected {
    const char *code;   /* the access is the last instruction */
    const char *reason; /* part of it; NULL = found */
    enum ws_access_kind kind;
    enum ws_access_memory memory;
    uint32_t size;
    uint32_t unit;
    uint32_t offset;
    struct ws_access_term terms[2];
    uint32_t descriptor;
    uint32_t descriptor_id;
};

#define LOAD(type) "%100 = OpLoad " type " %99\n"
#define STORAGE    WS_ACCESS_LOAD, WS_MEMORY_STORAGE

static const struct expected accesses[] = {
    /* head */
    {"%99 = OpAccessChain %47 %40 %70\n" LOAD("%4"), NULL, STORAGE, 4, 4, 0, {{0}}, 0, 0},
    /* inner[i].m[2][1]: 16 + 128 i + 16 + 2 * 16 + 4 */
    {"%99 = OpAccessChain %34 %40 %71 %60 %71 %72 %71\n" LOAD("%6"),
     NULL,
     STORAGE,
     4,
     4,
     68,
     {{60, 128}},
     0,
     0},
    /* inner[3].m[i]: 12 bytes */
    {"%99 = OpAccessChain %57 %40 %71 %73 %71 %60\n" LOAD("%10"),
     NULL,
     STORAGE,
     12,
     4,
     416,
     {{60, 16}},
     0,
     0},
    /* inner[0].m: two columns of 16 and one of 12 */
    {"%99 = OpAccessChain %39 %40 %71 %70 %71\n" LOAD("%11"), NULL, STORAGE, 44, 4, 32, {{0}}, 0, 0},
    /* inner[i].r[1][i]: 16 + 128 i + 64 + 4 + 8 i, terms of one id are one */
    {"%99 = OpAccessChain %34 %40 %71 %60 %72 %71 %60\n" LOAD("%6"),
     NULL,
     STORAGE,
     4,
     4,
     84,
     {{60, 136}},
     0,
     0},
    {"%99 = OpAccessChain %38 %40 %71 %60 %72 %71\n" LOAD("%12"), "row-major", STORAGE, 0, 0, 0, {{0}}, 0, 0},
    /* inner[i - 1].d, with a constant below zero */
    {"%99 = OpAccessChain %35 %40 %71 %76 %73\n" LOAD("%7"),
     NULL,
     STORAGE,
     8,
     8,
     16u - 128 + 96,
     {{0}},
     0,
     0},
    /* tail[i], by a signed index */
    {"%99 = OpAccessChain %36 %40 %72 %61\n" LOAD("%8"), NULL, STORAGE, 2, 2, 656, {{61, 2}}, 0, 0},
    /* A specialized index is known only when the shader runs. */
    {"%99 = OpAccessChain %36 %40 %72 %63\n" LOAD("%8"), NULL, STORAGE, 2, 2, 656, {{63, 2}}, 0, 0},
    /* A chain from a chain, and a step of whole elements: inner[1 + i].d */
    {"%98 = OpAccessChain %37 %40 %71 %71\n%97 = OpPtrAccessChain %37 %98 %60\n"
     "%99 = OpInBoundsAccessChain %35 %97 %73\n" LOAD("%7"),
     NULL,
     STORAGE,
     8,
     8,
     16 + 128 + 96,
     {{60, 128}},
     0,
     0},
    /* The whole of inner[i]. */
    {"%99 = OpAccessChain %37 %40 %71 %60\n" LOAD("%20"), NULL, STORAGE, 104, 4, 16, {{60, 128}}, 0, 0},
    {"%99 = OpAccessChain %56 %40 %71\n" LOAD("%21"), "more bytes", STORAGE, 0, 0, 0, {{0}}, 0, 0},
    /* Arrays of descriptors. */
    {"%99 = OpAccessChain %47 %41 %73 %70\n" LOAD("%4"), NULL, STORAGE, 4, 4, 0, {{0}}, 3, 0},
    {"%99 = OpAccessChain %36 %41 %60 %72 %61\n" LOAD("%8"), NULL, STORAGE, 2, 2, 656, {{61, 2}}, 0, 60},
    /* A storage buffer of the old kind, and an atomic. */
    {"%99 = OpAccessChain %44 %42 %70 %60\n%100 = OpAtomicIAdd %4 %99 %71 %70 %71\n",
     NULL,
     WS_ACCESS_ATOMIC,
     WS_MEMORY_STORAGE,
     4,
     4,
     0,
     {{60, 4}},
     0,
     0},
    {"%99 = OpAccessChain %44 %42 %70 %60\nOpStore %99 %71\n",
     NULL,
     WS_ACCESS_STORE,
     WS_MEMORY_STORAGE,
     4,
     4,
     0,
     {{60, 4}},
     0,
     0},
    /* Workgroup: uint16, vec3 aligned to 4, double aligned to 8 make 24 bytes. */
    {"%99 = OpAccessChain %45 %43 %60 %72\n" LOAD("%7"),
     NULL,
     WS_ACCESS_LOAD,
     WS_MEMORY_WORKGROUP,
     8,
     8,
     16,
     {{60, 24}},
     0,
     0},
    {"%99 = OpAccessChain %55 %54 %60\n" LOAD("%12"),
     NULL,
     WS_ACCESS_LOAD,
     WS_MEMORY_WORKGROUP,
     16,
     4,
     0,
     {{60, 16}},
     0,
     0},
    /* By address. */
    {"%98 = OpUConvert %15 %60\n%99 = OpConvertUToPtr %48 %98\n%100 = OpLoad %10 %99 Aligned 4\n",
     NULL,
     WS_ACCESS_LOAD,
     WS_MEMORY_ADDRESS,
     12,
     4,
     0,
     {{0}},
     0,
     0},
    /* A buffer's array without a stride. */
    {"%99 = OpAccessChain %47 %91 %70 %60\n" LOAD("%4"), "layout", STORAGE, 0, 0, 0, {{0}}, 0, 0},
    /* Untyped: inner[i].m[2][1] as above; the second Block's tail[i]; words from byte 4 i of the Block on, whatever it has
     * there. OpUntypedAccessChainKHR is 4419. */
    {"!0x000a1143 %17 %99 %23 %18 %71 %60 %71 %72 %71\n" LOAD("%6"),
     NULL,
     STORAGE,
     4,
     4,
     68,
     {{60, 128}},
     0,
     0},
    {"!0x00081143 %17 %99 %24 %58 %71 %72 %60\n" LOAD("%8"), NULL, STORAGE, 2, 2, 656, {{60, 2}}, 1, 0},
    {"!0x00061143 %17 %99 %27 %18 %60\n" LOAD("%12"), NULL, STORAGE, 16, 4, 0, {{60, 4}}, 0, 0},
    {"!0x00061143 %17 %99 %27 %18 %60\nOpStore %99 %60\n",
     NULL,
     WS_ACCESS_STORE,
     WS_MEMORY_STORAGE,
     4,
     4,
     0,
     {{60, 4}},
     0,
     0},
    /* 12 bytes from there on, to the begin of another. */
    {"!0x00061143 %17 %99 %27 %18 %60\nOpCopyMemorySized %99 %40 %79\n",
     NULL,
     WS_ACCESS_STORE,
     WS_MEMORY_STORAGE,
     12,
     1,
     0,
     {{60, 4}},
     0,
     0},
    /* SPV_NV_raw_access_chains: 4 x i + j. OpRawAccessChainNV is 5398. */
    {"!0x00071516 %34 %99 %40 %74 %60 %61\n" LOAD("%6"), NULL, STORAGE, 4, 4, 0, {{60, 4}, {61, 1}}, 0, 0},
    /* Chosen of two untyped ones of one Block. */
    {"!0x00061143 %17 %97 %27 %18 %60\n%99 = OpSelect %17 %62 %97 %18\n" LOAD("%9"),
     NULL,
     STORAGE,
     8,
     4,
     0,
     {{0}},
     0,
     0},
    /* Chosen while the shader runs; of null alone. */
    {"%97 = OpAccessChain %47 %40 %70\n%98 = OpAccessChain %47 %41 %73 %70\n%99 = OpSelect %47 %62 %97 "
     "%98\n" LOAD("%4"),
     NULL,
     STORAGE,
     4,
     4,
     0,
     {{0}},
     0,
     0},
    {"%98 = OpUndef %47\n%99 = OpSelect %47 %62 %98 %98\n" LOAD("%4"),
     "nothing",
     STORAGE,
     0,
     0,
     0,
     {{0}},
     0,
     0},
};

static void check(const struct expected *expected, const struct ws_access *access)
{
    assert_int_equal(access->size, expected->size);
    assert_int_equal(access->unit, expected->unit);
    assert_int_equal(access->descriptor, expected->descriptor);
    assert_int_equal(access->descriptor_id, expected->descriptor_id);
    if (access->memory == WS_MEMORY_ADDRESS)
        return;
    assert_int_equal(access->offset, expected->offset);
    for (uint32_t i = 0; i < 2; i++) {
        const bool is_there = i < access->term_count;
        assert_int_equal(is_there ? access->terms[i].id : 0, expected->terms[i].id);
        assert_int_equal(is_there ? access->terms[i].scale : 0, expected->terms[i].scale);
    }
}

/* Parses the module with some code before its end, and gives the last instruction of that. */
static uint32_t parse(const char *code, struct ws_module *module, struct ws_arena **arena, uint32_t **words)
{
    char text[16384];
    size_t word_count = 0;
    struct ws_error error = {{0}};
    snprintf(text, sizeof(text), "%s%sOpReturn\nOpFunctionEnd\n", head, code);
    *words = assembly_read(text, 0x00010300, &word_count);
    *arena = ws_arena_create();
    assert_non_null(*arena);
    assert_true(ws_module_parse(module, *arena, *words, word_count, &error));
    return module->instruction_count - 3;
}

static void finds_addresses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
        struct ws_module module;
        struct ws_arena *arena = NULL;
        uint32_t *words = NULL;
        struct ws_access access;
        const char *reason = NULL;
        const uint32_t instruction = parse(accesses[i].code, &module, &arena, &words);
        struct ws_layouts *layouts = ws_layouts_create(&module);
        assert_non_null(layouts);
        const enum ws_access_result found = ws_access_find(layouts, instruction, 0, &access, &reason);
        if ((found == WS_ACCESS_FOUND) != (accesses[i].reason == NULL))
            fail_msg("%s: %s", accesses[i].code, reason != NULL ? reason : "found");
        assert_int_equal(access.kind, accesses[i].kind);
        assert_int_equal(access.memory, accesses[i].memory);
        if (found == WS_ACCESS_FOUND)
            check(&accesses[i], &access);
        else
            assert_non_null(strstr(reason, accesses[i].reason));
        ws_arena_destroy(arena);
        free(words);
    }
}

/* 29 structs, each of which holds the one before it twice: one size each, and not 2^29. */
static void measures_once(void **state)
{
    (void)state;
    char text[8192] =
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"main\"\n"
        "%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%4 = OpTypeInt 32 0\n%5 = OpTypePointer Workgroup %4\n"
        "%6 = OpConstant %4 1\n%10 = OpTypeStruct %4 %4\n";
    size_t used = strlen(text);
    for (int i = 11; i < 39; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%%%d = OpTypeStruct %%%d %%%d\n", i,
                                 i - 1, i - 1);
    snprintf(text + used, sizeof(text) - used,
             "%%50 = OpTypePointer Workgroup %%38\n%%51 = OpVariable %%50 Workgroup\n%%52 = OpTypePointer "
             "Workgroup %%38\n"
             "%%1 = OpFunction %%2 None %%3\n%%53 = OpLabel\n%%54 = OpAccessChain %%52 %%51 %%6\n%%55 = "
             "OpLoad %%38 %%54\n"
             "OpReturn\nOpFunctionEnd\n");
    struct ws_module module;
    struct ws_error error = {{0}};
    struct ws_access access;
    const char *reason = NULL;
    size_t word_count = 0;
    uint32_t *words = assembly_read(text, 0x00010300, &word_count);
    struct ws_arena *arena = ws_arena_create();
    assert_non_null(arena);
    assert_true(ws_module_parse(&module, arena, words, word_count, &error));
    struct ws_layouts *layouts = ws_layouts_create(&module);
    assert_non_null(layouts);
    assert_int_equal(ws_access_find(layouts, module.instruction_count - 3, 0, &access, &reason),
                     WS_ACCESS_UNKNOWN);
    assert_non_null(strstr(reason, "more bytes")); /* 2^30 */
    assert_int_equal(access.offset, 1u << 30);
    ws_arena_destroy(arena);
    free(words);
}

/* A copy has a store and a load; memory of one invocation is none that is followed. */
static void copies_and_own_memory(void **state)
{
    (void)state;
    struct ws_module module;
    struct ws_arena *arena = NULL;
    uint32_t *words = NULL;
    struct ws_access access;
    const char *reason = NULL;
    const uint32_t copy =
        parse("%99 = OpAccessChain %47 %40 %70\nOpCopyMemory %50 %99\n", &module, &arena, &words);
    struct ws_layouts *layouts = ws_layouts_create(&module);
    assert_non_null(layouts);
    assert_int_equal(ws_access_count(module.instructions[copy].opcode), 2);
    assert_int_equal(ws_access_find(layouts, copy, 0, &access, &reason), WS_ACCESS_NONE);
    assert_int_equal(ws_access_find(layouts, copy, 1, &access, &reason), WS_ACCESS_FOUND);
    assert_int_equal(access.kind, WS_ACCESS_LOAD);
    assert_int_equal(ws_access_find(layouts, copy, 2, &access, &reason), WS_ACCESS_NONE);
    ws_arena_destroy(arena);
    free(words);
}

/* A Workgroup variable of arrays in arrays, a hundred deep: what is deeper than any program has is not followed. */
static void ends_deep_chains(void **state)
{
    (void)state;
    char text[16384];
    size_t used =
        (size_t)snprintf(text, sizeof(text),
                         "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %%1 "
                         "\"main\"\n%%2 = OpTypeVoid\n%%3 = OpTypeFunction %%2\n%%4 = OpTypeInt 32 0\n%%5 = "
                         "OpTypePointer Workgroup %%4\n%%6 = OpConstant %%4 1\n%%10 = OpTypeArray %%4 %%6\n");
    for (int i = 11; i < 110; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%%%d = OpTypeArray %%%d %%6\n", i, i - 1);
    used +=
        (size_t)snprintf(text + used, sizeof(text) - used,
                         "%%150 = OpTypePointer Workgroup %%109\n%%151 = OpVariable %%150 Workgroup\n"
                         "%%1 = OpFunction %%2 None %%3\n%%153 = OpLabel\n%%154 = OpAccessChain %%5 %%151");
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, " %%6");
    snprintf(text + used, sizeof(text) - used, "\n%%155 = OpLoad %%4 %%154\nOpReturn\nOpFunctionEnd\n");
    struct ws_module module;
    struct ws_error error = {{0}};
    struct ws_access access;
    const char *reason = NULL;
    size_t word_count = 0;
    uint32_t *words = assembly_read(text, 0x00010300, &word_count);
    struct ws_arena *arena = ws_arena_create();
    assert_non_null(arena);
    assert_true(ws_module_parse(&module, arena, words, word_count, &error));
    struct ws_layouts *layouts = ws_layouts_create(&module);
    assert_non_null(layouts);
    assert_int_equal(ws_access_find(layouts, module.instruction_count - 3, 0, &access, &reason),
                     WS_ACCESS_UNKNOWN);
    assert_non_null(reason);
    ws_arena_destroy(arena);
    free(words);
}

/* How many pieces one lane can touch, at worst. */
static void counts_pieces(void **state)
{
    (void)state;
    assert_int_equal(ws_access_pieces(4, 4, 32), 1);
    assert_int_equal(ws_access_pieces(8, 8, 32), 1);
    assert_int_equal(ws_access_pieces(8, 4, 32), 2);  /* 28 to 35 */
    assert_int_equal(ws_access_pieces(36, 4, 32), 2); /* 28 to 63 */
    assert_int_equal(ws_access_pieces(40, 4, 32), 3); /* 28 to 67 */
    assert_int_equal(ws_access_pieces(512, 1, 32), 17);
    assert_int_equal(ws_access_pieces(512, 4, 128), 5);
}

/* Images that functions have as parameters. %40 and %41 are variables, %42 is an array of 4. Function %50 gets %40 through
 * another function; %51 gets %40 and %41; %52 element 2 of %42, %53 one that is chosen; %54 is called by nobody. */
static void follows_images_to_calls(void **state)
{
    static const char head_of_images[] =
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"main\"\n"
        "OpExecutionMode %1 LocalSize 8 1 1\n"
        "%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%4 = OpTypeInt 32 0\n%5 = OpTypeVector %4 2\n"
        "%6 = OpTypeVector %4 4\n%7 = OpConstant %4 2\n%8 = OpConstant %4 4\n%9 = OpConstantComposite %5 %7 "
        "%7\n"
        "%10 = OpTypeImage %4 2D 0 0 0 2 R32ui\n%11 = OpTypePointer UniformConstant %10\n"
        "%12 = OpTypeArray %10 %8\n%13 = OpTypePointer UniformConstant %12\n%14 = OpTypeFunction %2 %11\n"
        "%15 = OpTypePointer Private %4\n%16 = OpVariable %15 Private\n"
        "%40 = OpVariable %11 UniformConstant\n%41 = OpVariable %11 UniformConstant\n"
        "%42 = OpVariable %13 UniformConstant\n"
        "%1 = OpFunction %2 None %3\n%17 = OpLabel\n"
        "%19 = OpFunctionCall %2 %55 %40\n%20 = OpFunctionCall %2 %51 %40\n%21 = OpFunctionCall %2 %51 %41\n"
        "%22 = OpAccessChain %11 %42 %7\n%23 = OpFunctionCall %2 %52 %22\n%24 = OpLoad %4 %16\n"
        "%25 = OpAccessChain %11 %42 %24\n%26 = OpFunctionCall %2 %53 %25\nOpReturn\nOpFunctionEnd\n"
        "%55 = OpFunction %2 None %14\n%27 = OpFunctionParameter %11\n%28 = OpLabel\n"
        "%29 = OpFunctionCall %2 %50 %27\nOpReturn\nOpFunctionEnd\n";
    static const struct {
        uint32_t variable;
        uint32_t descriptor;
    } expected[5] = {{40, 0}, {0, 0}, {42, 2}, {0, 0}, {0, 0}};
    char code[8192];
    int length = snprintf(code, sizeof(code), "%s", head_of_images);
    uint32_t found_count = 0;
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        length +=
            snprintf(code + length, sizeof(code) - (size_t)length,
                     "%%%u = OpFunction %%2 None %%14\n%%%u = OpFunctionParameter %%11\n%%%u = OpLabel\n"
                     "%%%u = OpLoad %%10 %%%u\n%%%u = OpImageRead %%6 %%%u %%9\nOpReturn\nOpFunctionEnd\n",
                     50 + i, 60 + i, 70 + i, 80 + i, 60 + i, 90 + i, 80 + i);
    struct ws_arena *arena = ws_arena_create();
    struct ws_module module;
    struct ws_error error = {{0}};
    size_t word_count = 0;
    uint32_t *words = assembly_read(code, 0x00010300, &word_count);
    assert_true(ws_module_parse(&module, arena, words, word_count, &error));
    struct ws_layouts *layouts = ws_layouts_create(&module);
    for (uint32_t i = 0; i < module.instruction_count; i++) {
        struct ws_access access;
        const char *reason = NULL;
        if (ws_access_find(layouts, i, 0, &access, &reason) != WS_ACCESS_FOUND)
            continue;
        assert_int_equal(access.variable, expected[found_count].variable);
        assert_int_equal(access.descriptor, expected[found_count].descriptor);
        assert_int_equal(access.descriptor_id, 0);
        found_count++;
    }
    assert_int_equal(found_count, 5);
    ws_arena_destroy(arena);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_addresses),  cmocka_unit_test(measures_once),
        cmocka_unit_test(ends_deep_chains), cmocka_unit_test(copies_and_own_memory),
        cmocka_unit_test(counts_pieces),    cmocka_unit_test(follows_images_to_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
