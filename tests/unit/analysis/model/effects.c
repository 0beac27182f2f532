/* What shaders do that can be seen, of modules written by hand: one body after the other in the same module.
 */
#include "warpscope/model/effects.h"
#include "tests/unit/analysis/capture/capture_test.h"
#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/stage.h"

/* Types, constants and a variable of every storage class that the bodies use. */
static const char declarations[] = "%v = OpTypeVoid\n"
                                   "%fn = OpTypeFunction %v\n"
                                   "%u = OpTypeInt 32 0\n"
                                   "%f = OpTypeFloat 32\n"
                                   "%b = OpTypeBool\n"
                                   "%v2 = OpTypeVector %f 2\n"
                                   "%v3 = OpTypeVector %f 3\n"
                                   "%v4 = OpTypeVector %f 4\n"
                                   "%pay = OpTypeStruct %v3 %f\n"
                                   "%buf = OpTypeStruct %u\n"
                                   "%img = OpTypeImage %f 2D 0 0 0 2 Rgba32f\n"
                                   "%uimg = OpTypeImage %u 2D 0 0 0 2 R32ui\n"
                                   "%tex = OpTypeImage %f 2D 0 0 0 1 Unknown\n"
                                   "%smp = OpTypeSampledImage %tex\n"
                                   "%iv2 = OpTypeVector %u 2\n"
                                   "%acc = OpTypeAccelerationStructureKHR\n"
                                   "%rq = OpTypeRayQueryKHR\n"
                                   "%u0 = OpConstant %u 0\n"
                                   "%u1 = OpConstant %u 1\n"
                                   "%u255 = OpConstant %u 255\n"
                                   "%f0 = OpConstant %f 0\n"
                                   "%f1 = OpConstant %f 1\n"
                                   "%c2 = OpConstantComposite %v2 %f0 %f0\n"
                                   "%c3 = OpConstantComposite %v3 %f1 %f1 %f1\n"
                                   "%c4 = OpConstantComposite %v4 %f1 %f1 %f1 %f1\n"
                                   "%ci = OpConstantComposite %iv2 %u0 %u0\n"
                                   "%true = OpConstantTrue %b\n"
                                   "%ppay = OpTypePointer IncomingRayPayloadKHR %pay\n"
                                   "%ppayf = OpTypePointer IncomingRayPayloadKHR %f\n"
                                   "%ppayv = OpTypePointer IncomingRayPayloadKHR %v3\n"
                                   "%pout = OpTypePointer RayPayloadKHR %pay\n"
                                   "%pcal = OpTypePointer IncomingCallableDataKHR %f\n"
                                   "%pbuf = OpTypePointer StorageBuffer %buf\n"
                                   "%pbufu = OpTypePointer StorageBuffer %u\n"
                                   "%pimg = OpTypePointer UniformConstant %img\n"
                                   "%puimg = OpTypePointer UniformConstant %uimg\n"
                                   "%psmp = OpTypePointer UniformConstant %smp\n"
                                   "%ptexel = OpTypePointer Image %u\n"
                                   "%pacc = OpTypePointer UniformConstant %acc\n"
                                   "%prq = OpTypePointer Private %rq\n"
                                   "%phit = OpTypePointer HitAttributeKHR %v2\n"
                                   "%ppri = OpTypePointer Private %f\n"
                                   "%pfun = OpTypePointer Function %f\n"
                                   "%pphy = OpTypePointer PhysicalStorageBuffer %u\n"
                                   "%fnp = OpTypeFunction %v %ppayf\n"
                                   "%payload = OpVariable %ppay IncomingRayPayloadKHR\n"
                                   "%outgoing = OpVariable %pout RayPayloadKHR\n"
                                   "%callable = OpVariable %pcal IncomingCallableDataKHR\n"
                                   "%buffer = OpVariable %pbuf StorageBuffer\n"
                                   "%image = OpVariable %pimg UniformConstant\n"
                                   "%uimage = OpVariable %puimg UniformConstant\n"
                                   "%texture = OpVariable %psmp UniformConstant\n"
                                   "%scene = OpVariable %pacc UniformConstant\n"
                                   "%query = OpVariable %prq Private\n"
                                   "%attributes = OpVariable %phit HitAttributeKHR\n"
                                   "%private = OpVariable %ppri Private\n";

enum { SHADER = 7 };

static void feed(struct ws_effects *effects, const uint32_t *words, size_t word_count, uint32_t stage)
{
    struct ws_error error = {{0}};
    struct ws_chunk module = {.type = WS_CHUNK_MODULE};
    struct ws_chunk shader = {.type = WS_CHUNK_SHADER};
    module.module =
        (struct ws_chunk_module){.id = 3, .name = "", .words = words, .word_count = (uint32_t)word_count};
    shader.shader =
        (struct ws_chunk_shader){.id = SHADER, .module = 3, .entry = WS_NONE, .stage = stage, .name = "main"};
    assert_true(ws_effects_record(effects, &module, &error));
    assert_true(ws_effects_record(effects, &shader, &error));
}

/* The effects of `model` with `body` in %main, which ends it, and `functions` beside it. */
static struct ws_shader_effects effects_in(const char *model, uint32_t stage, const char *body,
                                           const char *functions)
{
    char text[8192];
    size_t word_count = 0;
    snprintf(text, sizeof(text),
             "OpCapability RayTracingKHR\nOpCapability RayQueryKHR\nOpCapability Int64\n"
             "OpCapability PhysicalStorageBufferAddresses\n"
             "OpExtension \"SPV_KHR_ray_tracing\"\nOpExtension \"SPV_KHR_non_semantic_info\"\n"
             "%%std = OpExtInstImport \"GLSL.std.450\"\n"
             "%%printf = OpExtInstImport \"NonSemantic.DebugPrintf\"\n"
             "%%info = OpExtInstImport \"NonSemantic.Something\"\n"
             "OpMemoryModel PhysicalStorageBuffer64 GLSL450\n"
             "OpEntryPoint %s %%main \"main\"\n"
             "%%format = OpString \"%%d\"\n%s"
             "%%main = OpFunction %%v None %%fn\n%%first = OpLabel\n%s\nOpFunctionEnd\n%s",
             model, declarations, body, functions);
    uint32_t *words = assembly_read(text, 0x00010600, &word_count);
    struct ws_effects *effects = ws_effects_create();
    assert_non_null(effects);
    feed(effects, words, word_count, stage);
    const struct ws_shader_effects *found = ws_effects_of(effects, SHADER);
    assert_non_null(found);
    struct ws_shader_effects result = *found;
    /* The instruction that is named stands in the module. */
    assert_true(result.offset == WS_NONE || result.offset < word_count);
    ws_effects_destroy(effects);
    free(words);
    return result;
}

static void expect(const char *body, const char *functions, uint32_t mask)
{
    struct ws_shader_effects found = effects_in("AnyHitKHR", WS_STAGE_ANY_HIT, body, functions);
    if (found.mask != mask)
        fail_msg("%s%s: %#x, not %#x", body, functions, found.mask, mask);
    assert_int_equal(found.offset == WS_NONE, (mask & ~(uint32_t)WS_EFFECT_IGNORE) == 0);
}

/* Shaders that read and compute, and keep what they find to themselves. */
static void nothing(void **state)
{
    (void)state;
    expect("OpReturn", "", 0);
    expect("%t = OpLoad %smp %texture\n%s = OpImageSampleExplicitLod %v4 %t %c2 Lod %f0\n"
           "%p = OpAccessChain %pbufu %buffer %u0\n%l = OpLoad %u %p\n%a = OpAtomicLoad %u %p %u1 %u0\n"
           "%i = OpLoad %img %image\n%r = OpImageRead %v4 %i %ci\nOpReturn",
           "", 0);
    expect("%x = OpVariable %pfun Function\nOpStore %x %f1\nOpStore %private %f0\n"
           "%m = OpExtInst %f %std Modf %f1 %x\n%s = OpExtInst %f %std Sqrt %f1\nOpReturn",
           "", 0);
    expect("%l = OpLoad %pay %payload\nOpStore %outgoing %l\n%h = OpLoad %v2 %attributes\nOpReturn", "", 0);
    expect("%n = OpExtInst %v %info 1 %u0\nOpReturn", "", 0);
}

static void effects_of_instructions(void **state)
{
    (void)state;
    expect("%l = OpLoad %pay %payload\nOpStore %payload %l\nOpReturn", "", WS_EFFECT_PAYLOAD);
    expect("%p = OpAccessChain %ppayf %payload %u1\nOpStore %p %f1\nOpReturn", "", WS_EFFECT_PAYLOAD);
    expect("%p = OpAccessChain %ppayf %payload %u1\n%m = OpExtInst %f %std Modf %f1 %p\nOpReturn", "",
           WS_EFFECT_PAYLOAD);
    expect("OpStore %callable %f1\nOpReturn", "", WS_EFFECT_PAYLOAD);
    expect("%p = OpAccessChain %pbufu %buffer %u0\nOpStore %p %u1\nOpReturn", "", WS_EFFECT_BUFFER);
    expect("%p = OpAccessChain %pbufu %buffer %u0\n%a = OpAtomicIAdd %u %p %u1 %u0 %u1\nOpReturn", "",
           WS_EFFECT_BUFFER);
    expect("%p = OpConvertUToPtr %pphy %u1\nOpStore %p %u1 Aligned 4\nOpReturn", "", WS_EFFECT_BUFFER);
    expect("%i = OpLoad %img %image\nOpImageWrite %i %ci %c4\nOpReturn", "", WS_EFFECT_IMAGE);
    expect("%p = OpImageTexelPointer %ptexel %uimage %ci %u0\n%a = OpAtomicUMax %u %p %u1 %u0 %u1\nOpReturn",
           "", WS_EFFECT_IMAGE);
    expect("OpIgnoreIntersectionKHR", "", WS_EFFECT_IGNORE);
    expect("OpTerminateRayKHR", "", WS_EFFECT_TERMINATE);
    expect("OpSelectionMerge %end None\nOpBranchConditional %true %then %end\n%then = OpLabel\n"
           "OpIgnoreIntersectionKHR\n%end = OpLabel\nOpTerminateRayKHR",
           "", WS_EFFECT_IGNORE | WS_EFFECT_TERMINATE);
    expect(
        "%s = OpLoad %acc %scene\n"
        "OpRayQueryInitializeKHR %query %s %u0 %u255 %c3 %f0 %c3 %f1\n%g = OpRayQueryProceedKHR %b %query\n"
        "%t = OpRayQueryGetIntersectionTypeKHR %u %query %u0\nOpReturn",
        "", WS_EFFECT_CALL);
    expect("%n = OpExtInst %v %printf 1 %format %u0\nOpReturn", "", WS_EFFECT_OTHER);
    /* Only intersection shaders may. */
    expect("OpStore %attributes %c2\nOpReturn", "", WS_EFFECT_OTHER);
}

static void other_stages(void **state)
{
    (void)state;
    struct ws_shader_effects found =
        effects_in("IntersectionKHR", WS_STAGE_INTERSECTION,
                   "OpStore %attributes %c2\n%r = OpReportIntersectionKHR %b %f1 %u0\nOpReturn", "");
    assert_int_equal(found.mask, WS_EFFECT_REPORT);
    found = effects_in("ClosestHitKHR", WS_STAGE_CLOSEST_HIT,
                       "%s = OpLoad %acc %scene\n"
                       "OpTraceRayKHR %s %u0 %u255 %u0 %u0 %u0 %c3 %f0 %c3 %f1 %outgoing\nOpReturn",
                       "");
    assert_int_equal(found.mask, WS_EFFECT_CALL);
    assert_int_equal(found.instructions, 2);
    found = effects_in("Fragment", WS_STAGE_FRAGMENT, "OpKill", "");
    assert_int_equal(found.mask, WS_EFFECT_OTHER);
}

#define CALL "%c = OpFunctionCall %v %helper\nOpReturn"
#define STORE                                                                                                \
    "%p = OpAccessChain %ppayf %payload %u1\nOpStore %p %f1\nOpReturn\n"                                     \
    "OpFunctionEnd\n"

/* What is called counts, at any distance, and what is not called does not. */
static void functions(void **state)
{
    (void)state;
    expect("OpReturn", "%helper = OpFunction %v None %fn\n%h = OpLabel\n" STORE, 0);
    expect(CALL, "%helper = OpFunction %v None %fn\n%h = OpLabel\n" STORE, WS_EFFECT_PAYLOAD);
    expect(CALL,
           "%helper = OpFunction %v None %fn\n%h = OpLabel\n%d = OpFunctionCall %v %deep\n"
           "OpIgnoreIntersectionKHR\nOpFunctionEnd\n%deep = OpFunction %v None %fn\n%i = OpLabel\n" STORE,
           WS_EFFECT_PAYLOAD | WS_EFFECT_IGNORE);
    /* The storage class comes with the parameter's type. */
    expect(
        "%p = OpAccessChain %ppayf %payload %u1\n%c = OpFunctionCall %v %helper %p\nOpReturn",
        "%helper = OpFunction %v None %fnp\n%x = OpFunctionParameter %ppayf\n%h = OpLabel\nOpStore %x %f1\n"
        "OpReturn\nOpFunctionEnd\n",
        WS_EFFECT_PAYLOAD);
    /* A function that another module has. */
    expect(CALL, "%helper = OpFunction %v None %fn\nOpFunctionEnd\n", WS_EFFECT_OTHER);
    /* Functions that call each other, which SPIR-V forbids, come to an end. */
    expect(CALL,
           "%helper = OpFunction %v None %fn\n%h = OpLabel\n%d = OpFunctionCall %v %deep\nOpReturn\n"
           "OpFunctionEnd\n%deep = OpFunction %v None %fn\n%i = OpLabel\n"
           "%e = OpFunctionCall %v %helper\n" STORE,
           WS_EFFECT_PAYLOAD);
}

static void emptiness(void **state)
{
    (void)state;
    struct ws_shader_effects found = effects_in("MissKHR", WS_STAGE_MISS, "OpReturn", "");
    assert_int_equal(found.instructions, 0);
    assert_int_equal(found.mask, 0);
    /* Loads of which nobody hears: not empty, but without effect. */
    found = effects_in("MissKHR", WS_STAGE_MISS, "%l = OpLoad %pay %payload\nOpReturn", "");
    assert_int_equal(found.instructions, 1);
    assert_int_equal(found.mask, 0);
    assert_int_equal(found.offset, WS_NONE);
}

static bool constant(const char *body)
{
    return effects_in("ClosestHitKHR", WS_STAGE_CLOSEST_HIT, body,
                      "%helper = OpFunction %v None %fn\n"
                      "%h = OpLabel\nOpReturn\nOpFunctionEnd\n")
        .constant;
}

/* A payload that is the same whatever was hit. */
static void constants(void **state)
{
    (void)state;
    assert_true(constant("%p = OpAccessChain %ppayf %payload %u1\nOpStore %p %f1\nOpReturn"));
    assert_true(constant("%p = OpAccessChain %ppayv %payload %u0\nOpStore %p %c3\nOpReturn"));
    assert_false(constant("OpReturn"));
    assert_false(constant("%l = OpLoad %pay %payload\nOpStore %payload %l\nOpReturn"));
    assert_false(
        constant("OpSelectionMerge %end None\nOpBranchConditional %true %then %end\n%then = OpLabel\n"
                 "OpStore %callable %f1\nOpBranch %end\n%end = OpLabel\nOpReturn"));
    assert_false(constant("OpStore %callable %f1\n%c = OpFunctionCall %v %helper\nOpReturn"));
    assert_false(constant("OpStore %callable %f1\n%p = OpAccessChain %pbufu %buffer %u0\nOpStore %p %u1\n"
                          "OpReturn"));
    /* Where it stores depends on what it loads. */
    assert_false(constant("%q = OpAccessChain %pbufu %buffer %u0\n%i = OpLoad %u %q\n"
                          "%p = OpAccessChain %ppayf %payload %i\nOpStore %p %f1\nOpReturn"));
}

/* Whether the call in a ray generation shader only asks what it gets. */
static bool asks(const char *body)
{
    char text[4096];
    size_t word_count = 0;
    uint32_t offset = 5;
    snprintf(
        text, sizeof(text),
        "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\nOpMemoryModel Logical GLSL450\n"
        "OpEntryPoint RayGenerationKHR %%main \"main\"\n%s%%pm = OpTypePointer RayPayloadKHR %%f\n"
        "%%main = OpFunction %%v None %%fn\n%%first = OpLabel\n%%s = OpLoad %%acc %%scene\n"
        "%%p = OpAccessChain %%pm %%outgoing %%u1\nOpStore %%p %%f0\n"
        "OpTraceRayKHR %%s %%u0 %%u255 %%u0 %%u0 %%u0 %%c3 %%f0 %%c3 %%f1 %%outgoing\n%s"
        "OpReturn\nOpFunctionEnd\n",
        declarations, body);
    uint32_t *module = assembly_read(text, 0x00010600, &word_count);
    struct ws_effects *effects = ws_effects_create();
    assert_non_null(effects);
    feed(effects, module, word_count, WS_STAGE_RAYGEN);
    while ((module[offset] & 0xffff) != 4445) /* OpTraceRayKHR */
        offset += module[offset] >> 16;
    const bool found = ws_effects_asks(effects, 3, offset);
    assert_false(ws_effects_asks(effects, 3, offset + 1));
    assert_false(ws_effects_asks(effects, 4, offset));
    ws_effects_destroy(effects);
    free(module);
    return found;
}

/* Calls whose payload is only compared with constants. */
static void asking(void **state)
{
    (void)state;
    assert_true(asks("%l = OpLoad %f %p\n%c = OpFOrdLessThan %b %l %f0\n"));
    assert_true(
        asks("%l = OpLoad %f %p\n%c = OpFOrdLessThan %b %f1 %l\n%q = OpAccessChain %pm %outgoing %u1\n"
             "%m = OpLoad %f %q\n%d = OpFUnordEqual %b %m %f0\n"));
    assert_false(asks("")); /* nobody asks */
    assert_false(asks("%l = OpLoad %f %p\n%c = OpFOrdLessThan %b %l %l\n"));
    assert_false(asks("%l = OpLoad %f %p\n%c = OpFOrdLessThan %b %l %f0\nOpStore %private %l\n"));
    assert_false(asks("%l = OpLoad %f %p\n%c = OpFOrdLessThan %b %l %f0\n%w = OpLoad %pay %outgoing\n"));
    assert_false(asks("%l = OpLoad %f %p\n%c = OpFOrdLessThan %b %l %f0\n%n = OpFNegate %f %l\n"));
}

/* A boolean is an answer by itself: whatever is done with it. */
static void asking_for_booleans(void **state)
{
    (void)state;
#define BOOLEAN                                                                                              \
    "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\nOpMemoryModel Logical GLSL450\n"       \
    "OpEntryPoint RayGenerationKHR %%main \"main\"\n%s%%pb = OpTypePointer RayPayloadKHR %%b\n"              \
    "%%flag = OpVariable %%pb RayPayloadKHR\n%%main = OpFunction %%v None %%fn\n%%first = OpLabel\n"         \
    "%%s = OpLoad %%acc %%scene\n"                                                                           \
    "OpTraceRayKHR %%s %%u0 %%u255 %%u0 %%u0 %%u0 %%c3 %%f0 %%c3 %%f1 %%flag\n%sOpReturn\nOpFunctionEnd\n"
    static const char *const bodies[] = {"%l = OpLoad %b %flag\n%n = OpLogicalNot %b %l\n",
                                         "%l = OpLoad %b %flag\n%x = OpSelect %f %l %f0 %f1\n", ""};
    for (int i = 0; i < 3; ++i) {
        char text[8192];
        size_t word_count = 0;
        uint32_t offset = 5;
        snprintf(text, sizeof(text), BOOLEAN, declarations, bodies[i]);
        uint32_t *module = assembly_read(text, 0x00010600, &word_count);
        struct ws_effects *effects = ws_effects_create();
        assert_non_null(effects);
        feed(effects, module, word_count, WS_STAGE_RAYGEN);
        while ((module[offset] & 0xffff) != 4445) /* OpTraceRayKHR */
            offset += module[offset] >> 16;
        assert_int_equal(ws_effects_asks(effects, 3, offset), i < 2);
        ws_effects_destroy(effects);
        free(module);
    }
}

/* An any-hit shader that counts its runs where constant 0 says so, and ignores where constant 1 is not 0: by what three
 * pipelines give them. */
static void specialized(void **state)
{
    (void)state;
    static const char text[] =
        "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\nOpMemoryModel Logical GLSL450\n"
        "OpEntryPoint AnyHitKHR %main \"main\"\nOpDecorate %count SpecId 0\nOpDecorate %cut SpecId 1\n"
        "%v = OpTypeVoid\n%fn = OpTypeFunction %v\n%b = OpTypeBool\n%u = OpTypeInt 32 0\n"
        "%u0 = OpConstant %u 0\n%u1 = OpConstant %u 1\n%count = OpSpecConstantTrue %b\n"
        "%cut = OpSpecConstant %u 0\n%cuts = OpSpecConstantOp %b INotEqual %cut %u0\n"
        "%pu = OpTypePointer StorageBuffer %u\n%buffer = OpVariable %pu StorageBuffer\n"
        "%main = OpFunction %v None %fn\n%first = OpLabel\nOpSelectionMerge %next None\n"
        "OpBranchConditional %count %yes %next\n%yes = OpLabel\n"
        "%a = OpAtomicIAdd %u %buffer %u1 %u0 %u1\nOpBranch %next\n%next = OpLabel\n"
        "OpSelectionMerge %end None\nOpBranchConditional %cuts %hole %end\n%hole = OpLabel\n"
        "OpIgnoreIntersectionKHR\n%end = OpLabel\nOpReturn\nOpFunctionEnd\n";
    static const struct ws_specialization given[3][2] = {
        {{0, 4, 1}, {1, 4, 0}}, {{0, 4, 0}, {1, 4, 2}}, {{0, 4, 0}, {1, 4, 0}}};
    const uint32_t masks[] = {WS_EFFECT_BUFFER, WS_EFFECT_IGNORE, 0};
    size_t word_count = 0;
    struct ws_error error = {{0}};
    uint32_t *words = assembly_read(text, 0x00010600, &word_count);
    struct ws_effects *effects = ws_effects_create();
    assert_non_null(effects);
    feed(effects, words, word_count, WS_STAGE_ANY_HIT);
    free(words);
    for (uint32_t i = 0; i < 3; ++i) {
        struct ws_chunk chunk = {.type = WS_CHUNK_SHADER};
        chunk.shader = (struct ws_chunk_shader){.id = 20 + i,
                                                .module = 3,
                                                .entry = WS_NONE,
                                                .stage = WS_STAGE_ANY_HIT,
                                                .name = "main",
                                                .specialization = given[i],
                                                .specialization_count = 2};
        assert_true(ws_effects_record(effects, &chunk, &error));
        assert_int_equal(ws_effects_of(effects, 20 + i)->mask, masks[i]);
    }
    /* The defaults count, and do not ignore. */
    assert_int_equal(ws_effects_of(effects, SHADER)->mask, WS_EFFECT_BUFFER);
    assert_true(ws_effects_of(effects, 21)->ignores_always);
    ws_effects_destroy(effects);
}

#define CONFIRM "OpRayQueryConfirmIntersectionKHR %query\n"

/* Whether a loop around a query, with that body, only confirms. `after` stands behind it. */
static bool confirms(const char *body, const char *after)
{
    char text[4096];
    snprintf(text, sizeof(text),
             "%%x = OpVariable %%pfun Function\nOpBranch %%head\n%%head = OpLabel\n"
             "OpLoopMerge %%done %%next None\nOpBranch %%test\n%%test = OpLabel\n"
             "%%go = OpRayQueryProceedKHR %%b %%query\nOpBranchConditional %%go %%body %%done\n"
             "%%body = OpLabel\n%%t = OpRayQueryGetIntersectionTypeKHR %%u %%query %%u0\n%s"
             "OpBranch %%next\n%%next = OpLabel\nOpBranch %%head\n%%done = OpLabel\n%sOpReturn",
             body, after);
    return effects_in("ClosestHitKHR", WS_STAGE_CLOSEST_HIT, text,
                      "%helper = OpFunction %v None %fn\n%h = OpLabel\n%own = OpVariable %pfun Function\n"
                      "OpStore %own %f1\n" CONFIRM "OpReturn\nOpFunctionEnd\n"
                      "%keeper = OpFunction %v None %fn\n%k = OpLabel\nOpStore %private %f1\n"
                      "%again = OpFunctionCall %v %helper\nOpReturn\nOpFunctionEnd\n")
               .query_offset == WS_NONE;
}

static void query_loops(void **state)
{
    (void)state;
    assert_true(confirms(CONFIRM, ""));
    /* Where it looks first; a variable of its own; what is asked after the loop. */
    assert_true(confirms("%e = OpIEqual %b %t %u0\nOpSelectionMerge %over None\n"
                         "OpBranchConditional %e %yes %over\n%yes = OpLabel\n" CONFIRM
                         "OpBranch %over\n%over = OpLabel\n",
                         "%committed = OpRayQueryGetIntersectionTypeKHR %u %query %u1\n"));
    assert_true(confirms("OpStore %x %f1\n%l = OpLoad %f %x\n" CONFIRM, "OpStore %x %f0\n"));
    /* What it counts, keeps, stores, calls, and that it may stop. */
    assert_false(confirms("OpStore %x %f1\n" CONFIRM, "%l = OpLoad %f %x\n"));
    assert_false(confirms(CONFIRM "%p = OpAccessChain %pbufu %buffer %u0\nOpStore %p %u1\n", ""));
    assert_false(confirms(CONFIRM "%p = OpAccessChain %pbufu %buffer %u0\n"
                                  "%a = OpAtomicIAdd %u %p %u1 %u0 %u1\n",
                          ""));
    assert_true(confirms("%c = OpFunctionCall %v %helper\n", ""));
    assert_false(confirms("%c = OpFunctionCall %v %keeper\n", ""));
    assert_false(confirms(CONFIRM "OpRayQueryTerminateKHR %query\n", ""));
    assert_false(
        confirms(CONFIRM "%e = OpIEqual %b %t %u0\nOpBranchConditional %e %done %on\n%on = OpLabel\n", ""));
    /* A branch that goes nowhere: the module is read all the same. */
    assert_int_not_equal(effects_in("ClosestHitKHR", WS_STAGE_CLOSEST_HIT,
                                    "%go = OpRayQueryProceedKHR %b %query\nOpBranch %u0", "")
                             .query_offset,
                         WS_NONE);
    /* No loop at all. */
    assert_int_not_equal(effects_in("ClosestHitKHR", WS_STAGE_CLOSEST_HIT,
                                    "%go = OpRayQueryProceedKHR %b %query\nOpReturn", "")
                             .query_offset,
                         WS_NONE);
}

static void words(void **state)
{
    (void)state;
    char text[128];
    struct ws_shader_effects effects = {.mask = WS_EFFECT_PAYLOAD, .offset = 312};
    ws_effects_describe(&effects, text, sizeof(text));
    assert_string_equal(text, "stores to the payload at word 312");
    effects.mask |= WS_EFFECT_TERMINATE;
    ws_effects_describe(&effects, text, sizeof(text));
    assert_string_equal(text, "stores to the payload, terminates the ray; see word 312");
    effects = (struct ws_shader_effects){.mask = WS_EFFECT_IGNORE, .offset = WS_NONE};
    ws_effects_describe(&effects, text, sizeof(text));
    assert_string_equal(text, "ignores intersections");
    effects.mask = 0;
    ws_effects_describe(&effects, text, 8);
    assert_string_equal(text, "does no");
    effects = (struct ws_shader_effects){.mask = UINT32_MAX, .offset = 1};
    ws_effects_describe(&effects, text, 30);
    assert_int_equal(strlen(text), 29);
}

/* Words that are no module, entry points that are not there, shaders of no module. */
static void unknown(void **state)
{
    (void)state;
    const uint32_t garbage[] = {0x07230203, 0x00010000, 0, 1, 0, 0x00000011};
    struct ws_effects *effects = ws_effects_create();
    assert_non_null(effects);
    feed(effects, garbage, sizeof(garbage) / sizeof(garbage[0]), WS_STAGE_ANY_HIT);
    assert_null(ws_effects_of(effects, SHADER));
    assert_null(ws_effects_of(effects, SHADER + 1));
    ws_effects_destroy(effects);
    ws_effects_destroy(NULL);
}

/* Modules of real compilers, given as arguments: each entry point gets an answer. */
static const char *const *files;
static int file_count;

static void compiled(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t stage;
        uint32_t mask;
    } known[] = {
        {"path_tracer_screen.rahit", WS_STAGE_ANY_HIT, WS_EFFECT_IGNORE},
        {"path_tracer_sphere.rint", WS_STAGE_INTERSECTION, WS_EFFECT_REPORT},
        {"path_tracer_sky.rmiss", WS_STAGE_MISS, WS_EFFECT_PAYLOAD},
    };
    int met = 0;
    for (int i = 0; i < file_count; ++i)
        for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); ++k) {
            size_t word_count = 0;
            if (strstr(files[i], known[k].name) == NULL)
                continue;
            uint32_t *module = assembly_load(files[i], &word_count);
            struct ws_effects *effects = ws_effects_create();
            assert_non_null(effects);
            feed(effects, module, word_count, known[k].stage);
            assert_non_null(ws_effects_of(effects, SHADER));
            assert_int_equal(ws_effects_of(effects, SHADER)->mask, known[k].mask);
            ws_effects_destroy(effects);
            free(module);
            met++;
        }
    assert_int_equal(met, file_count > 0 ? 3 : 0);
}

int main(int argument_count, char **arguments)
{
    files = (const char *const *)arguments + 1;
    file_count = argument_count - 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(effects_of_instructions),
        cmocka_unit_test(other_stages),
        cmocka_unit_test(functions),
        cmocka_unit_test(emptiness),
        cmocka_unit_test(constants),
        cmocka_unit_test(asking),
        cmocka_unit_test(words),
        cmocka_unit_test(specialized),
        cmocka_unit_test(query_loops),
        cmocka_unit_test(asking_for_booleans),
        cmocka_unit_test(unknown),
        cmocka_unit_test(compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
