/* The pass ray_events on modules that golden tests cannot hold: of a version before 1.4, with capabilities
 * that others bring, with instructions newer than the headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv/unified1/spirv.h>

#include "passes/instrument/registry.h"
#include "passes/instrument/runner.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/opcodes.h"
#include "warpscope/ray_events.h"

static struct ws_instrumented *run(const char *name, const char *text, uint32_t version)
{
    const struct ws_pass *pass = ws_pass_find(name);
    const struct ws_instrument_options options = {0};
    struct ws_error error = {0};
    size_t word_count = 0;
    uint32_t *words = assembly_read(text, version, &word_count);
    struct ws_instrumented *result = ws_run_passes(words, word_count, &pass, 1, &options, &error);
    free(words);
    if (result == NULL)
        fail_msg("%s", error.message);
    return result;
}

/* The variable of hit attributes that is not among the module's first `bound` ids; 0 if none was added. */
static uint32_t find_added(const struct ws_instrumented *result, uint32_t bound)
{
    for (size_t i = 5; i < result->word_count; i += result->words[i] >> SpvWordCountShift) {
        const uint32_t *words = result->words + i;
        if ((words[0] & SpvOpCodeMask) == SpvOpVariable && words[2] >= bound &&
            words[3] == SpvStorageClassHitAttributeKHR)
            return words[2];
    }
    return 0;
}

/* How often a function loads the whole of a variable. */
static uint32_t count_loads(const struct ws_instrumented *result, uint32_t function, uint32_t variable)
{
    uint32_t count = 0;
    uint32_t inside = 0;
    for (size_t i = 5; i < result->word_count; i += result->words[i] >> SpvWordCountShift) {
        const uint32_t *words = result->words + i;
        const uint32_t opcode = words[0] & SpvOpCodeMask;
        inside = opcode == SpvOpFunction ? words[2] : inside;
        count += opcode == SpvOpLoad && inside == function && words[3] == variable;
    }
    return count;
}

static bool has_built_in(const struct ws_instrumented *result, uint32_t built_in)
{
    for (size_t i = 5; i < result->word_count; i += result->words[i] >> SpvWordCountShift) {
        const uint32_t *words = result->words + i;
        if ((words[0] & SpvOpCodeMask) == SpvOpDecorate && words[2] == SpvDecorationBuiltIn &&
            words[3] == built_in)
            return true;
    }
    return false;
}

/* The closest-hit shader 1 has no attributes, the any-hit shader 2 reads its own in a function, and 3, for
 * two entry points, what it hands to a function. */
static const char *const without_list = "OpCapability RayTracingNV\n"
                                        "OpExtension \"SPV_NV_ray_tracing\"\n"
                                        "OpMemoryModel Logical GLSL450\n"
                                        "OpEntryPoint ClosestHitNV %1 \"none\"\n"
                                        "OpEntryPoint AnyHitNV %2 \"pair\"\n"
                                        "OpEntryPoint ClosestHitNV %3 \"handed\"\n"
                                        "OpEntryPoint AnyHitNV %3 \"handed\"\n"
                                        "%10 = OpTypeVoid\n"
                                        "%11 = OpTypeFunction %10\n"
                                        "%12 = OpTypeInt 32 0\n"
                                        "%13 = OpTypeFloat 32\n"
                                        "%14 = OpTypeStruct %12 %13\n"
                                        "%15 = OpTypePointer HitAttributeNV %14\n"
                                        "%16 = OpTypePointer HitAttributeNV %13\n"
                                        "%17 = OpTypeFunction %10 %16\n"
                                        "%18 = OpConstant %12 1\n"
                                        "%20 = OpVariable %15 HitAttributeNV\n"
                                        "%21 = OpVariable %16 HitAttributeNV\n"
                                        "%1 = OpFunction %10 None %11\n"
                                        "%30 = OpLabel\n"
                                        "OpReturn\n"
                                        "OpFunctionEnd\n"
                                        "%2 = OpFunction %10 None %11\n"
                                        "%31 = OpLabel\n"
                                        "%32 = OpFunctionCall %10 %4\n"
                                        "OpReturn\n"
                                        "OpFunctionEnd\n"
                                        "%3 = OpFunction %10 None %11\n"
                                        "%33 = OpLabel\n"
                                        "%34 = OpFunctionCall %10 %5 %21\n"
                                        "OpReturn\n"
                                        "OpFunctionEnd\n"
                                        "%4 = OpFunction %10 None %11\n"
                                        "%35 = OpLabel\n"
                                        "%36 = OpAccessChain %16 %20 %18\n"
                                        "%37 = OpLoad %13 %36\n"
                                        "OpReturn\n"
                                        "OpFunctionEnd\n"
                                        "%5 = OpFunction %10 None %17\n"
                                        "%38 = OpFunctionParameter %16\n"
                                        "%39 = OpLabel\n"
                                        "OpReturn\n"
                                        "OpFunctionEnd\n";

static void attributes_before_1_4(void **state)
{
    (void)state;
    struct ws_instrumented *result = run("ray_events", without_list, 0x00010300);
    assert_true(assembly_is_valid(result->words, result->word_count)); /* interfaces list no attributes */
    const uint32_t added = find_added(result, 40);
    assert_int_not_equal(added, 0);
    assert_int_equal(count_loads(result, 1, added), 1);
    assert_int_equal(count_loads(result, 2, 20), 1);
    assert_int_equal(count_loads(result, 3, 21), 1);
    for (uint32_t function = 1; function <= 3; function++) {
        assert_int_equal(count_loads(result, function, 20) + count_loads(result, function, 21) +
                             count_loads(result, function, added),
                         1);
    }
    assert_int_equal(result->skip_count, 0);
    ws_instrumented_destroy(result);
}

/* Function 1 is of two entry points with attributes of their own, and 2 of one whose attributes are no
 * numbers.
 */
static const char *const unreadable = "OpCapability ShaderInvocationReorderNV\n"
                                      "OpExtension \"SPV_KHR_ray_tracing\"\n"
                                      "OpExtension \"SPV_NV_shader_invocation_reorder\"\n"
                                      "OpMemoryModel Logical GLSL450\n"
                                      "OpEntryPoint ClosestHitKHR %1 \"closest\" %20\n"
                                      "OpEntryPoint AnyHitKHR %1 \"any\" %21\n"
                                      "OpEntryPoint ClosestHitKHR %2 \"empty\" %22\n"
                                      "%10 = OpTypeVoid\n"
                                      "%11 = OpTypeFunction %10\n"
                                      "%12 = OpTypeFloat 32\n"
                                      "%13 = OpTypePointer HitAttributeKHR %12\n"
                                      "%14 = OpTypeStruct\n"
                                      "%15 = OpTypePointer HitAttributeKHR %14\n"
                                      "%20 = OpVariable %13 HitAttributeKHR\n"
                                      "%21 = OpVariable %13 HitAttributeKHR\n"
                                      "%22 = OpVariable %15 HitAttributeKHR\n"
                                      "%1 = OpFunction %10 None %11\n"
                                      "%30 = OpLabel\n"
                                      "OpReturn\n"
                                      "OpFunctionEnd\n"
                                      "%2 = OpFunction %10 None %11\n"
                                      "%31 = OpLabel\n"
                                      "OpReturn\n"
                                      "OpFunctionEnd\n";

/* The hits are recorded all the same, and what they lack is counted. */
static void attributes_not_readable(void **state)
{
    (void)state;
    struct ws_instrumented *result = run("ray_events", unreadable, 0x00010500);
    assert_true(assembly_is_valid(result->words, result->word_count));
    uint32_t hits = 0;
    for (uint32_t i = 0; i < result->site_count; i++)
        hits += result->sites[i].kind == WS_SITE_DATA && result->sites[i].row == 7;
    assert_int_equal(hits, 2);
    assert_int_equal(result->skip_count, 1);
    assert_int_equal(result->skips[0].count, 2);
    assert_non_null(strstr(result->skips[0].reason, "hit attributes"));
    assert_int_equal(find_added(result, 32), 0);
    /* RayTracingKHR, which ShaderInvocationReorderNV brings, has the geometry's index. */
    assert_true(has_built_in(result, SpvBuiltInRayGeometryIndexKHR));
    ws_instrumented_destroy(result);
}

/* OpHitObjectReorderExecuteShaderEXT, TraceReorderExecute, TraceMotionReorderExecute, TraceRay,
 * TraceRayMotion, ExecuteShader: of one word each, for nobody reads their operands. */
static const char *const newer = "OpCapability RayTracingKHR\n"
                                 "OpExtension \"SPV_KHR_ray_tracing\"\n"
                                 "OpMemoryModel Logical GLSL450\n"
                                 "OpEntryPoint RayGenerationKHR %1 \"generate\"\n"
                                 "%10 = OpTypeVoid\n"
                                 "%11 = OpTypeFunction %10\n"
                                 "%1 = OpFunction %10 None %11\n"
                                 "%30 = OpLabel\n"
                                 "!0x000114be\n"
                                 "!0x000114bf\n"
                                 "!0x000114c0\n"
                                 "!0x000114c4\n"
                                 "!0x000114c5\n"
                                 "!0x000114c7\n"
                                 "OpReturn\n"
                                 "OpFunctionEnd\n";

/* The same with their operands, and OpReorderThreadWithHitObjectEXT and OpHitObjectRecordMissEXT. Words of each are after
 * a '!': the assembler does not know these instructions. None may follow an instruction with optional operands, which
 * would swallow it. */
static const char *const objects_of_ext = "OpCapability RayTracingKHR\n"
                                          "OpExtension \"SPV_KHR_ray_tracing\"\n"
                                          "OpMemoryModel Logical GLSL450\n"
                                          "OpEntryPoint RayGenerationKHR %1 \"generate\" %30 %31 %32\n"
                                          "%10 = OpTypeVoid\n"
                                          "%11 = OpTypeFunction %10\n"
                                          "%15 = OpTypeInt 32 0\n"
                                          "%16 = OpTypeFloat 32\n"
                                          "%17 = OpTypeVector %16 3\n"
                                          "%18 = OpConstant %15 3\n"
                                          "%20 = OpConstant %16 1\n"
                                          "%21 = OpConstantComposite %17 %20 %20 %20\n"
                                          "%22 = OpTypeAccelerationStructureKHR\n"
                                          "%23 = OpTypePointer UniformConstant %22\n"
                                          "%24 = OpTypePointer RayPayloadKHR %16\n"
                                          "!0x000214c1 !25\n"
                                          "%26 = OpTypePointer Private %25\n"
                                          "%30 = OpVariable %23 UniformConstant\n"
                                          "%31 = OpVariable %24 RayPayloadKHR\n"
                                          "%32 = OpVariable %26 Private\n"
                                          "%1 = OpFunction %10 None %11\n"
                                          "%40 = OpLabel\n"
                                          "%42 = OpLoad %22 %30\n"
                                          "%41 = OpCopyObject %22 %42\n"
                                          "!0x000d14c4 !32 !41 !18 !18 !18 !18 !18 !21 !20 !21 !20 !31\n"
                                          "!0x000214c3 !32\n"
                                          "!0x000314c7 !32 !31\n"
                                          "!0x000e14c5 !32 !41 !18 !18 !18 !18 !18 !21 !20 !21 !20 !20 !31\n"
                                          "!0x000314be !32 !31\n"
                                          "!0x000d14bf !32 !41 !18 !18 !18 !18 !18 !21 !20 !21 !20 !31\n"
                                          "!0x000e14c0 !32 !41 !18 !18 !18 !18 !18 !21 !20 !21 !20 !20 !31\n"
                                          "!0x000814b9 !32 !18 !18 !21 !20 !21 !20\n"
                                          "OpReturn\n"
                                          "OpFunctionEnd\n";

/* How many sites have that event; of data, with so many words per lane. */
static uint32_t count_events(const struct ws_instrumented *result, uint32_t event, uint32_t words)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->site_count; i++)
        count += result->sites[i].tag == event &&
                 (result->sites[i].kind != WS_SITE_DATA || result->sites[i].row == words);
    return count;
}

/* How often a call of the instruction stands in the module. */
static uint32_t count_opcode(const struct ws_instrumented *result, uint32_t opcode)
{
    uint32_t count = 0;
    for (size_t i = 5; i < result->word_count; i += result->words[i] >> SpvWordCountShift)
        count += (result->words[i] & SpvOpCodeMask) == opcode;
    return count;
}

static void hit_objects_of_ext(void **state)
{
    (void)state;
    struct ws_instrumented *result = run("ray_events", objects_of_ext, 0x00010500);
    assert_int_equal(result->skip_count, 0);
    assert_int_equal(count_events(result, WS_RAY_OBJECT_TRACE, WS_RAY_OBJECT_TRACE_WORDS), 2);
    assert_int_equal(count_events(result, WS_RAY_OBJECT_TRACE, WS_RAY_OBJECT_TRACE_MOTION_WORDS), 2);
    assert_int_equal(count_events(result, WS_RAY_OBJECT_TRACED, WS_RAY_OBJECT_TRACED_WORDS), 2);
    assert_int_equal(count_events(result, WS_RAY_EXECUTE, WS_RAY_KEY_WORDS), 2);
    assert_int_equal(count_events(result, WS_RAY_OBJECT_RECORD, WS_RAY_KEY_WORDS), 1);
    assert_int_equal(count_events(result, WS_RAY_RETURN, 0), 4);
    /* One function reads the object, with the instructions of EXT. */
    assert_int_equal(count_opcode(result, WS_OP_HIT_OBJECT_IS_HIT_EXT), 1);
    assert_int_equal(count_opcode(result, WS_OP_HIT_OBJECT_GET_RAY_TMAX_EXT), 1);
    assert_int_equal(count_opcode(result, WS_OP_HIT_OBJECT_GET_HIT_KIND_EXT), 1);
    assert_int_equal(count_opcode(result, SpvOpHitObjectIsHitNV), 0);
    ws_instrumented_destroy(result);
    /* Instructions without operands, of a module that is broken, have no data. */
    result = run("ray_events", newer, 0x00010500);
    assert_int_equal(count_events(result, WS_RAY_OBJECT_TRACED, WS_RAY_OBJECT_TRACED_WORDS), 0);
    ws_instrumented_destroy(result);
}

/* They are call sites like those of the NV form, for each pass that has call sites. */
static void calls_of_ext(void **state)
{
    (void)state;
    static const char *const names[] = {"thread_compaction", "divergence"};
    for (int i = 0; i < 2; i++) {
        struct ws_instrumented *result = run(names[i], newer, 0x00010500);
        uint32_t count = 0;
        for (uint32_t j = 0; j < result->site_count; j++)
            count += result->sites[j].kind == WS_SITE_PLACE_BEFORE;
        assert_int_equal(count, 6);
        assert_int_equal(result->skip_count, 0);
        ws_instrumented_destroy(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(attributes_before_1_4),
                                       cmocka_unit_test(attributes_not_readable),
                                       cmocka_unit_test(hit_objects_of_ext), cmocka_unit_test(calls_of_ext)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
