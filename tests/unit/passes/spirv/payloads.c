/* What instructions hand over, in modules written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/opcodes.h"
#include "warpscope/spirv/payloads.h"

struct read {
    uint32_t *words;
    struct ws_arena *arena;
    struct ws_module module;
};

/* A ray generation shader that traces with %31, whose pointer type is %24, made of `types`. */
static void read_module(struct read *read, const char *names, const char *types)
{
    char text[8192];
    size_t word_count = 0;
    struct ws_error error = {{0}};
    snprintf(
        text, sizeof(text),
        "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\nOpMemoryModel Logical GLSL450\n"
        "OpEntryPoint RayGenerationKHR %%1 \"generate\" %%30 %%31\n%s"
        "%%10 = OpTypeVoid\n%%11 = OpTypeFunction %%10\n%%12 = OpTypeBool\n%%15 = OpTypeInt 32 0\n"
        "%%16 = OpTypeFloat 32\n%%17 = OpTypeVector %%16 3\n%%18 = OpConstant %%15 2\n%%20 = OpConstant %%16 "
        "1\n"
        "%%21 = OpConstantComposite %%17 %%20 %%20 %%20\n%%22 = OpTypeAccelerationStructureKHR\n"
        "%%23 = OpTypePointer UniformConstant %%22\n%%30 = OpVariable %%23 UniformConstant\n%s"
        "%%1 = OpFunction %%10 None %%11\n%%40 = OpLabel\n%%41 = OpLoad %%22 %%30\n"
        "OpTraceRayKHR %%41 %%18 %%18 %%18 %%18 %%18 %%21 %%20 %%21 %%20 %%31\nOpReturn\nOpFunctionEnd\n",
        names, types);
    read->words = assembly_read(text, 0x00010400, &word_count);
    read->arena = ws_arena_create();
    assert_non_null(read->arena);
    assert_true(ws_module_parse(&read->module, read->arena, read->words, word_count, &error));
}

static void read_finish(struct read *read)
{
    ws_arena_destroy(read->arena);
    free(read->words);
}

static const struct ws_instruction *find(const struct ws_module *module, uint16_t opcode)
{
    for (uint32_t i = 0; i < module->instruction_count; i++)
        if (module->instructions[i].opcode == opcode)
            return &module->instructions[i];
    fail_msg("no instruction %u", opcode);
    return NULL;
}

/* The names of all words, with blanks between them, and "..." where there is more. */
static void expect(const char *names, const char *types, const char *expected)
{
    struct read read;
    struct ws_payload payload;
    char text[4096] = "";
    size_t used = 0;
    read_module(&read, names, types);
    assert_true(ws_payload_find(&payload, &read.module, find(&read.module, SpvOpTraceRayKHR)));
    for (uint32_t i = 0; i < payload.count; i++) {
        char name[96];
        ws_payload_name(&read.module, &payload, i, name, sizeof(name));
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i > 0 ? " " : "", name);
    }
    if (payload.more)
        snprintf(text + used, sizeof(text) - used, " ...");
    assert_string_equal(text, expected);
    read_finish(&read);
}

#define VARIABLE(type) "%24 = OpTypePointer RayPayloadKHR " type "\n%31 = OpVariable %24 RayPayloadKHR\n"
#define NAMES                                                                                                \
    "OpName %31 \"path\"\nOpMemberName %26 0 \"weight\"\nOpMemberName %26 1 \"inside\"\nOpMemberName %26 3 " \
    "\"in\"\n"                                                                                               \
    "OpMemberName %27 1 \"de\033pth\"\n"

static void words(void **state)
{
    (void)state;
    expect("", VARIABLE("%16"), "payload");
    expect("OpName %31 \"\"\n", VARIABLE("%17"), "payload.x payload.y payload.z");
    /* A member without a name has a number; what is printed is printable. Pointers are left out. */
    expect(NAMES,
           "%25 = OpTypeArray %15 %18\n%28 = OpTypePointer Private %15\n%29 = OpTypeMatrix %17 2\n"
           "%27 = OpTypeStruct %28 %15\n%26 = OpTypeStruct %17 %12 %25 %27 %29\n" VARIABLE("%26"),
           "path.weight.x path.weight.y path.weight.z path.inside path[2][0] path[2][1] path.in.de?pth "
           "path[4][0].x "
           "path[4][0].y path[4][0].z path[4][1].x path[4][1].y path[4][1].z");
    /* 16 of them, and there is more. An array whose length may change is left out. */
    expect("", "%25 = OpConstant %15 17\n%26 = OpTypeArray %15 %25\n" VARIABLE("%26"),
           "payload[0] payload[1] payload[2] payload[3] payload[4] payload[5] payload[6] payload[7] "
           "payload[8] payload[9] "
           "payload[10] payload[11] payload[12] payload[13] payload[14] payload[15] ...");
    expect("",
           "%25 = OpSpecConstant %15 17\n%26 = OpTypeArray %15 %25\n%27 = OpTypeStruct %26 %15\n" VARIABLE(
               "%27"),
           "payload[1]");
    expect("", "%25 = OpTypeStruct\n" VARIABLE("%25"), "");
}

/* Arrays of arrays of nothing: it does not take forever. What lies too deep is said to be left out. */
static void hostile(void **state)
{
    (void)state;
    expect("",
           "%25 = OpConstant %15 0xffffffff\n%26 = OpTypeStruct\n%27 = OpTypeArray %26 %25\n%28 = "
           "OpTypeArray %27 %25\n"
           "%29 = OpTypeArray %28 %25\n" VARIABLE("%29"),
           " ...");
    expect("",
           "%25 = OpTypeStruct %15\n%26 = OpTypeStruct %25\n%27 = OpTypeStruct %26\n%28 = OpTypeStruct "
           "%27\n%29 = OpTypeStruct "
           "%28\n%50 = OpTypeStruct %29\n%51 = OpTypeStruct %50\n%52 = OpTypeStruct %51\n" VARIABLE("%52"),
           "payload[0][0][0][0][0][0][0][0]");
    expect("",
           "%25 = OpTypeStruct %15\n%26 = OpTypeStruct %25\n%27 = OpTypeStruct %26\n%28 = OpTypeStruct "
           "%27\n%29 = OpTypeStruct "
           "%28\n%50 = OpTypeStruct %29\n%51 = OpTypeStruct %50\n%52 = OpTypeStruct %51\n%53 = OpTypeStruct "
           "%52\n" VARIABLE("%53"),
           " ...");
}

/* What is no variable that is handed over; and which operand it is. */
static void others(void **state)
{
    struct read read;
    struct ws_payload payload;
    (void)state;
    read_module(&read, "", "%24 = OpTypePointer Private %16\n%31 = OpVariable %24 Private\n");
    assert_false(ws_payload_find(&payload, &read.module, find(&read.module, SpvOpTraceRayKHR)));
    assert_false(ws_payload_find(&payload, &read.module, find(&read.module, SpvOpReturn)));
    read_finish(&read);
    static const struct {
        uint16_t opcode;
        uint32_t operand;
    } cases[] = {{SpvOpTraceRayKHR, 10},
                 {SpvOpTraceRayMotionNV, 11},
                 {SpvOpExecuteCallableKHR, 1},
                 {SpvOpHitObjectTraceRayNV, 11},
                 {SpvOpHitObjectTraceRayMotionNV, 12},
                 {SpvOpHitObjectExecuteShaderNV, 1},
                 {WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT, 11},
                 {SpvOpReorderThreadWithHintNV, WS_NONE},
                 {SpvOpRayQueryInitializeKHR, WS_NONE}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct ws_instruction instruction = {.opcode = cases[i].opcode};
        assert_int_equal(ws_payload_operand(&instruction), cases[i].operand);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(hostile),
                                       cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
