#include "passes/spirv/spirv_tools.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

/* The header of version 2023.1 defines this constant with external linkage in C, and a program that includes
 * it in two files does not link. This file's copy gets a name of its own. */
#define kDefaultMaxIdBound ws_spirv_tools_max_id_bound
#include <spirv-tools/libspirv.h>

bool ws_spirv_validate(const uint32_t *words, size_t word_count, struct ws_error *error)
{
    spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
    spv_validator_options options = spvValidatorOptionsCreate();
    spv_const_binary_t binary = {words, word_count};
    spv_diagnostic diagnostic = NULL;
    /* What a device may allow: the module does not say which features it is for. */
    spvValidatorOptionsSetScalarBlockLayout(options, true);
    bool valid = spvValidateWithOptions(context, options, &binary, &diagnostic) == SPV_SUCCESS;
    if (!valid)
        ws_error_set(error, "%s", diagnostic != NULL ? diagnostic->error : "no reason given");
    spvDiagnosticDestroy(diagnostic);
    spvValidatorOptionsDestroy(options);
    spvContextDestroy(context);
    return valid;
}

const char *ws_spirv_tools_version(void)
{
    return spvSoftwareVersionDetailsString();
}

/* More characters of names than this are not written: numbers stand for the ids then. */
#define NAMES_MOST (64u << 20)

/* The universal limit of ids (SPIR-V specification, 2.17). */
#define BOUND_MOST (1u << 22)

/* How long a readable name gets that SPIRV-Tools make of the names of an instruction's operands, such as
 * _arr_float_uint_4; 0 where they make none. NAMES_MOST at most. */
static uint32_t made_length(const uint32_t *words, uint32_t length, const uint32_t *lengths, uint32_t bound)
{
    const uint32_t opcode = words[0] & 0xffff;
    uint64_t sum = 32; /* prefixes, storage classes, numbers */
    if (opcode == SpvOpConstant)
        length = length < 2 ? length : 2; /* the type; what follows is the id and the value */
    else if (opcode != SpvOpTypeVector && opcode != SpvOpTypeMatrix && opcode != SpvOpTypeArray &&
             opcode != SpvOpTypeRuntimeArray && opcode != SpvOpTypePointer)
        return 0;
    for (uint32_t i = 1; i < length; ++i)
        sum += words[i] < bound ? lengths[words[i]] : 0;
    return sum < NAMES_MOST ? (uint32_t)sum : NAMES_MOST;
}

/* Keeps how long the name of the instruction's id gets. The first name of an id is the one that it keeps. */
static void keep_length(const uint32_t *words, uint32_t length, uint32_t *lengths, uint32_t bound)
{
    const uint32_t opcode = words[0] & 0xffff;
    const uint32_t at = opcode == SpvOpConstant ? 2 : 1;
    if (length <= at || words[at] >= bound || lengths[words[at]] != 0)
        return;
    lengths[words[at]] = opcode == SpvOpName ? 4 * length : made_length(words, length, lengths, bound);
}

/* Whether readable names stay small. Each type's holds those of the types that it is made of, and a name is
 * written wherever its id is used: a module of some kilobytes can ask for gigabytes. */
static bool names_are_small(const uint32_t *words, size_t word_count)
{
    uint64_t sum = 0;
    const uint32_t bound = word_count > 5 ? words[3] : 0;
    uint32_t *lengths = bound <= BOUND_MOST ? calloc((size_t)bound + 1, sizeof(*lengths)) : NULL;
    bool small = lengths != NULL;
    for (size_t at = 5; at < word_count && small;) {
        const uint32_t length = words[at] >> SpvWordCountShift;
        small = length > 0 && length <= word_count - at;
        if (!small)
            break;
        keep_length(words + at, length, lengths, bound);
        /* Which words are ids is not looked at: a number that looks like one makes the sum larger only. */
        for (uint32_t i = 1; i < length; ++i)
            sum += words[at + i] < bound ? lengths[words[at + i]] : 0;
        small = sum <= NAMES_MOST;
        at += length;
    }
    free(lengths);
    return small;
}

char *ws_spirv_disassemble(const uint32_t *words, size_t word_count)
{
    const uint32_t names = names_are_small(words, word_count) ? SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES : 0;
    const uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT | names |
                             SPV_BINARY_TO_TEXT_OPTION_SHOW_BYTE_OFFSET | SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
    spv_text text = NULL;
    spv_diagnostic diagnostic = NULL;
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    char *copy = NULL;
    if (context != NULL &&
        spvBinaryToText(context, words, word_count, options, &text, &diagnostic) == SPV_SUCCESS)
        copy = strdup(text->str);
    spvTextDestroy(text);
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return copy;
}
