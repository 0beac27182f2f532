#include "passes/spirv/spirv_tools.h"

#include <string.h>

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

char *ws_spirv_disassemble(const uint32_t *words, size_t word_count)
{
    const uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
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
