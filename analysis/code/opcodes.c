/* The words for instructions. */
#include <stdio.h>
#include <string.h>

#include "analysis/code/opcodes.h"
#include "passes/base/glob.h"
#include "passes/spirv/operand_names.h"
#include "warpscope/probe.h"
#include "warpscope/spirv/code.h"
#include "warpscope/spirv/opcode.h"

#include <spirv/unified1/spirv.h>

const struct ws_opcode_family ws_opcode_families[] = {
    {"arithmetic",
     "Op?Negate Op?Add Op?Sub Op?Mul Op?Div OpUMod Op?Rem Op?Mod Op*Times* OpOuterProduct OpDot OpIAddCarry "
     "OpISubBorrow Op?MulExtended",
     "sums, products, quotients, remainders of any type"},
    {"float", "OpFNegate OpFAdd OpFSub OpFMul OpFDiv OpFRem OpFMod Op*Times* OpOuterProduct OpDot",
     "those of floats, of vectors and of matrices"},
    {"integer",
     "OpSNegate OpIAdd OpISub OpIMul OpUDiv OpSDiv OpUMod OpSRem OpSMod OpIAddCarry OpISubBorrow "
     "Op?MulExtended",
     "those of integers"},
    {"bit", "OpShift* OpBitwise* OpNot OpBitField* OpBitReverse OpBitCount", "shifts and operations on bits"},
    {"compare",
     "OpIEqual OpINotEqual Op?GreaterThan Op?GreaterThanEqual Op?LessThan Op?LessThanEqual OpFOrd* OpFUnord* "
     "OpIsNan "
     "OpIsInf",
     "comparisons of numbers"},
    {"logical", "OpLogical* OpAny OpAll", "and, or, not of booleans"},
    {"conversion", "OpConvert?To? OpUConvert OpSConvert OpFConvert OpQuantizeToF16 OpBitcast",
     "from one type to another"},
    {"math", "OpExtInst", "functions of GLSL.std.450: Sqrt, Pow, Normalize; also one by one, by these names"},
    {"load", "OpLoad", "reads of variables and buffers"},
    {"store", "OpStore", "writes of variables and buffers"},
    {"image_read", "OpImageRead OpImageFetch OpImageSparseRead OpImageSparseFetch",
     "texels of images, without a sampler"},
    {"image_write", "OpImageWrite", "writes of texels"},
    {"image_sample",
     "OpImageSample*Lod OpImageGather OpImageDrefGather OpImageSparseSample*Lod OpImageSparse*Gather",
     "samples through a sampler"},
    {"atomic", "OpAtomic*", "atomic operations on buffers, shared memory and images"},
    {"branch", "OpBranchConditional OpSwitch", "branches with a choice; before them only"},
    {"call", "OpFunctionCall", "calls of functions of the shader"},
    {"trace_ray", "OpTraceRayKHR OpTraceNV OpTraceRayMotionNV OpTraceMotionNV OpHitObjectTraceRay*",
     "traceRayEXT and its forms"},
    {"ray_query", "OpRayQuery*", "all steps of ray queries"},
    {"derivative", "OpDPd* OpFwidth*", "derivatives in fragment shaders"},
    {"subgroup", "OpGroupNonUniform* OpSubgroup*", "operations of the subgroup"},
    {"barrier", "OpControlBarrier OpMemoryBarrier", "barriers"},
    {"discard", "OpKill OpTerminateInvocation OpDemoteToHelperInvocation",
     "ends of fragments; before them only"},
    {NULL},
};

#define OPCODES  8192 /* those that the headers know are below */
#define EXTENDED 128  /* likewise, of GLSL.std.450 */

/* The name of an opcode that can stand in the body of a function; else NULL. */
static const char *body_opcode(uint32_t opcode)
{
    const enum ws_section section = ws_opcode_section((uint16_t)opcode);
    if (section != WS_SECTION_FUNCTION && section != WS_SECTION_COUNT)
        return NULL;
    return ws_opcode_name(opcode);
}

/* Whether one of the patterns, of which the text has `length` bytes, is that name. */
static bool is_meant(const char *patterns, size_t length, const char *name)
{
    char pattern[64];
    for (size_t at = 0; at < length;) {
        const size_t size = strcspn(patterns + at, " ");
        const size_t part = size < length - at ? size : length - at;
        if (part < sizeof(pattern)) {
            memcpy(pattern, patterns + at, part);
            pattern[part] = '\0';
            if (ws_glob_matches(pattern, name))
                return true;
        }
        at += part + 1;
    }
    return false;
}

static uint32_t find_by_patterns(const char *patterns, void (*take)(void *user, uint32_t wanted), void *user)
{
    uint32_t count = 0;
    for (uint32_t opcode = 1; opcode < OPCODES; opcode++) {
        const char *name = body_opcode(opcode);
        if (name == NULL || !is_meant(patterns, strlen(patterns), name) ||
            ws_opcode_refusal(opcode, false) != NULL)
            continue;
        take(user, WS_PROBE_OPCODE(opcode));
        count++;
    }
    return count;
}

uint32_t ws_opcodes_find(const char *word, void (*take)(void *user, uint32_t wanted), void *user)
{
    for (const struct ws_opcode_family *family = ws_opcode_families; family->name != NULL; family++)
        if (strcmp(family->name, word) == 0)
            return find_by_patterns(family->patterns, take, user);
    const uint32_t extended = ws_extended_find(word);
    const uint32_t opcode = ws_opcode_find(word);
    if (extended == WS_NONE && opcode == WS_NONE)
        return strpbrk(word, "*?") != NULL ? find_by_patterns(word, take, user) : 0;
    take(user, extended != WS_NONE ? WS_PROBE_EXTENDED(extended) : WS_PROBE_OPCODE(opcode));
    return 1;
}

const char *ws_opcode_word(uint32_t wanted)
{
    const uint32_t extended = WS_PROBE_EXTENDED_OF(wanted);
    const char *name =
        extended != 0 ? ws_extended_name(extended - 1) : ws_opcode_name(WS_PROBE_OPCODE_OF(wanted));
    return name != NULL ? name : "an unknown instruction";
}

const char *ws_opcode_refusal(uint32_t wanted, bool after)
{
    const uint16_t opcode = (uint16_t)WS_PROBE_OPCODE_OF(wanted);
    switch (opcode) {
    case SpvOpLabel:
    case SpvOpPhi:
    case SpvOpVariable: return "it opens a block, where nothing can be put before it; write `block begin`";
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
        return "it does nothing by itself; write `loop begin`, `loop iterate`, `loop end` or `before branch`";
    case SpvOpFunction:
    case SpvOpFunctionParameter: return "write `function begin`";
    case SpvOpFunctionEnd: return "write `function end`";
    case SpvOpLine:
    case SpvOpNoLine: return "it is a mark of the source and never runs; filter by `file` and `line` instead";
    default: break;
    }
    const enum ws_section section = ws_opcode_section(opcode);
    if (section != WS_SECTION_FUNCTION && section != WS_SECTION_COUNT)
        return "it never runs: it declares something";
    if (after && ws_opcode_is_terminator(opcode))
        return "it ends its block, so nothing runs after it; write `before`";
    return NULL;
}

void ws_opcodes_near(struct ws_near *near)
{
    for (const struct ws_opcode_family *family = ws_opcode_families; family->name != NULL; family++)
        ws_near_try(near, family->name);
    for (uint32_t i = 1; i < EXTENDED; i++)
        if (ws_extended_name(i) != NULL)
            ws_near_try(near, ws_extended_name(i));
    for (uint32_t opcode = 1; opcode < OPCODES; opcode++)
        if (body_opcode(opcode) != NULL)
            ws_near_try(near, body_opcode(opcode));
}

#define BOOLS    (1u << WS_PROBE_BOOL)
#define INTS     (1u << WS_PROBE_INT)
#define UINTS    (1u << WS_PROBE_UINT)
#define FLOATS   (1u << WS_PROBE_FLOAT)
#define INTEGERS (INTS | UINTS)
#define ANY      (BOOLS | INTEGERS | FLOATS)

/* The first pattern that is met counts. */
static const struct {
    const char *patterns;
    uint32_t operands;
    uint32_t result;
} bases[] = {
    {"OpFOrd* OpFUnord* OpIsNan OpIsInf", FLOATS, BOOLS},
    {"OpULess* OpUGreater*", UINTS, BOOLS},
    {"OpSLess* OpSGreater*", INTS, BOOLS},
    {"OpIEqual OpINotEqual", INTEGERS, BOOLS},
    {"OpLogical* OpAny OpAll OpBranchConditional", BOOLS, BOOLS},
    {"OpConvertFToU", FLOATS, UINTS},
    {"OpConvertFToS", FLOATS, INTS},
    {"OpConvertSToF", INTS, FLOATS},
    {"OpConvertUToF", UINTS, FLOATS},
    {"OpF* OpDPd* OpDot Op*Times* OpOuterProduct OpQuantizeToF16", FLOATS, FLOATS},
    {"OpFunctionCall", ANY, ANY},
    {"OpU* OpI*Carry OpI*Borrow", UINTS, UINTS},
    {"OpSNegate OpSDiv OpSRem OpSMod OpSConvert OpSMulExtended", INTS, INTS},
    {"OpIAdd OpISub OpIMul OpShift* OpBitwise* OpNot OpBitField* OpBitReverse OpBitCount", INTEGERS,
     INTEGERS},
    {"OpSwitch", INTEGERS, INTEGERS},
    {"OpImageSampleD* OpImageSample*Dref*", ANY, FLOATS},
};

static uint32_t extended_bases(const char *name)
{
    if (ws_glob_matches("S[ACMS]*", name) && strcmp(name, "Step") != 0 && strcmp(name, "SmoothStep") != 0)
        return INTS;
    if (ws_glob_matches("U[CM]*", name) || strncmp(name, "Pack", 4) == 0 || strncmp(name, "Unpack", 6) == 0 ||
        strncmp(name, "Find", 4) == 0 || strstr(name, "rexp") != NULL || strcmp(name, "Ldexp") == 0)
        return strncmp(name, "UC", 2) == 0 || strncmp(name, "UM", 2) == 0 ? UINTS : ANY;
    return FLOATS;
}

uint32_t ws_opcode_bases(uint32_t wanted, bool is_result)
{
    const char *name = ws_opcode_name(WS_PROBE_OPCODE_OF(wanted));
    if (WS_PROBE_EXTENDED_OF(wanted) != 0) {
        const char *function = ws_extended_name(WS_PROBE_EXTENDED_OF(wanted) - 1);
        return function != NULL ? extended_bases(function) : ANY;
    }
    if (name == NULL || WS_PROBE_OPCODE_OF(wanted) == SpvOpFunctionCall)
        return ANY;
    for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
        if (is_meant(bases[i].patterns, strlen(bases[i].patterns), name))
            return is_result ? bases[i].result : bases[i].operands;
    return ANY;
}
