#include "tests/unit/passes/spirv/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv-tools/libspirv.h>

static void write_head(FILE *out, enum flow_stage stage, uint32_t selector_bits)
{
    fputs("OpCapability Shader\n", out);
    if (selector_bits == 64)
        fputs("OpCapability Int64\n", out);
    if (stage == FLOW_FRAGMENT) {
        fputs("OpCapability DemoteToHelperInvocation\n"
              "OpExtension \"SPV_EXT_demote_to_helper_invocation\"\n"
              "OpMemoryModel Logical GLSL450\n"
              "OpEntryPoint Fragment %function_0 \"main\" %data\n"
              "OpExecutionMode %function_0 OriginUpperLeft\n"
              "OpDecorate %data Location 0\n",
              out);
    } else {
        fputs("OpCapability RayTracingKHR\n"
              "OpExtension \"SPV_KHR_ray_tracing\"\n"
              "OpMemoryModel Logical GLSL450\n"
              "OpEntryPoint RayGenerationKHR %function_0 \"main\" %data\n",
              out);
    }
    const char *storage = stage == FLOW_FRAGMENT ? "Output" : "CallableDataKHR";
    fprintf(out,
            "%%void = OpTypeVoid\n"
            "%%type = OpTypeFunction %%void\n"
            "%%bool = OpTypeBool\n"
            "%%true = OpConstantTrue %%bool\n"
            "%%uint = OpTypeInt 32 0\n"
            "%%zero = OpConstant %%uint 0\n"
            "%s"
            "%%selector = OpConstant %s 1\n"
            "%%pointer = OpTypePointer %s %%uint\n"
            "%%data = OpVariable %%pointer %s\n",
            selector_bits == 64 ? "%long = OpTypeInt 64 0\n" : "", selector_bits == 64 ? "%long" : "%uint",
            storage, storage);
}

static void write_end(FILE *out, uint32_t f, const struct flow_block *block)
{
    switch (block->end) {
    case FLOW_RETURN: fputs("OpReturn\n", out); break;
    case FLOW_KILL: fputs("OpKill\n", out); break;
    case FLOW_UNREACHABLE: fputs("OpUnreachable\n", out); break;
    case FLOW_GO: fprintf(out, "OpBranch %%b%u_%u\n", f, block->to[0]); break;
    case FLOW_IF:
        fprintf(out, "OpBranchConditional %%true %%b%u_%u %%b%u_%u\n", f, block->to[0], f, block->to[1]);
        break;
    case FLOW_SWITCH:
        fprintf(out, "OpSwitch %%selector %%b%u_%u", f, block->to[0]);
        for (uint32_t i = 1; i < FLOW_TARGETS && block->to[i] != 0; i++)
            fprintf(out, " %u %%b%u_%u", i, f, block->to[i]);
        fputc('\n', out);
        break;
    }
}

static void write_block(FILE *out, uint32_t f, uint32_t index, const struct flow_block *block)
{
    fprintf(out, "%%b%u_%u = OpLabel\n", f, index);
    switch (block->body) {
    case FLOW_PLAIN: fputs("OpStore %data %zero\n", out); break;
    case FLOW_CALL:
        fprintf(out, "%%c%u_%u = OpFunctionCall %%void %%function_%u\n", f, index, block->callee);
        break;
    case FLOW_CALLABLE: fputs("OpExecuteCallableKHR %zero %data\n", out); break;
    case FLOW_DEMOTE: fputs("OpDemoteToHelperInvocation\n", out); break;
    }
    if (block->next != 0)
        fprintf(out, "OpLoopMerge %%b%u_%u %%b%u_%u None\n", f, block->merge, f, block->next);
    else if (block->merge != 0)
        fprintf(out, "OpSelectionMerge %%b%u_%u None\n", f, block->merge);
    write_end(out, f, block);
}

uint32_t *flow_assemble(const struct flow_function *functions, uint32_t function_count, enum flow_stage stage,
                        uint32_t selector_bits, size_t *word_count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        abort();
    write_head(out, stage, selector_bits);
    for (uint32_t f = 0; f < function_count; f++) {
        fprintf(out, "%%function_%u = OpFunction %%void None %%type\n", f);
        for (uint32_t b = 0; b < functions[f].block_count; b++)
            write_block(out, f, b, &functions[f].blocks[b]);
        fputs("OpFunctionEnd\n", out);
    }
    fclose(out);
    uint32_t *words = flow_assemble_text(text, length, word_count);
    free(text);
    return words;
}

uint32_t *flow_assemble_text(const char *text, size_t length, size_t *word_count)
{
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_4);
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    if (spvTextToBinary(context, text, length, &binary, &diagnostic) != SPV_SUCCESS) {
        spvDiagnosticPrint(diagnostic);
        abort();
    }
    uint32_t *words = malloc(binary->wordCount * sizeof(*words));
    if (words == NULL)
        abort();
    memcpy(words, binary->code, binary->wordCount * sizeof(*words));
    *word_count = binary->wordCount;
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return words;
}

bool flow_is_valid(const uint32_t *words, size_t word_count)
{
    spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
    const bool valid = spvValidateBinary(context, words, word_count, NULL) == SPV_SUCCESS;
    spvContextDestroy(context);
    return valid;
}

void flow_validate(const uint32_t *words, size_t word_count)
{
    spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
    spv_diagnostic diagnostic = NULL;
    if (spvValidateBinary(context, words, word_count, &diagnostic) != SPV_SUCCESS) {
        spvDiagnosticPrint(diagnostic);
        spv_text text = NULL;
        spvBinaryToText(context, words, word_count, SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES, &text, NULL);
        fprintf(stderr, "%s\n", text == NULL ? "" : text->str);
        abort();
    }
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
}
