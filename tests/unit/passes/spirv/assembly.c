#include "tests/unit/passes/spirv/assembly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv-tools/libspirv.h>

static spv_context create_context(uint32_t version)
{
    switch (version) {
    case 0x00010000: return spvContextCreate(SPV_ENV_UNIVERSAL_1_0);
    case 0x00010100: return spvContextCreate(SPV_ENV_UNIVERSAL_1_1);
    case 0x00010200: return spvContextCreate(SPV_ENV_UNIVERSAL_1_2);
    case 0x00010300: return spvContextCreate(SPV_ENV_VULKAN_1_1);
    case 0x00010400: return spvContextCreate(SPV_ENV_VULKAN_1_1_SPIRV_1_4);
    case 0x00010500: return spvContextCreate(SPV_ENV_VULKAN_1_2);
    default: return spvContextCreate(SPV_ENV_VULKAN_1_3);
    }
}

static uint32_t *copy_words(const uint32_t *words, size_t count)
{
    uint32_t *copy = malloc(count * sizeof(*copy));
    if (copy == NULL)
        abort();
    memcpy(copy, words, count * sizeof(*copy));
    return copy;
}

uint32_t *assembly_read(const char *text, uint32_t version, size_t *word_count)
{
    spv_context context = create_context(version);
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    if (spvTextToBinaryWithOptions(context, text, strlen(text),
                                   SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS, &binary,
                                   &diagnostic) != SPV_SUCCESS) {
        spvDiagnosticPrint(diagnostic);
        abort();
    }
    uint32_t *words = copy_words(binary->code, binary->wordCount);
    *word_count = binary->wordCount;
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return words;
}

bool assembly_knows(const char *text)
{
    spv_context context = create_context(0x00010600);
    spv_binary binary = NULL;
    const bool knows = spvTextToBinary(context, text, strlen(text), &binary, NULL) == SPV_SUCCESS;
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return knows;
}

char *assembly_write(const uint32_t *words, size_t word_count)
{
    spv_context context = create_context(0x00010600);
    spv_text text = NULL;
    spv_diagnostic diagnostic = NULL;
    if (spvBinaryToText(context, words, word_count,
                        SPV_BINARY_TO_TEXT_OPTION_NO_HEADER | SPV_BINARY_TO_TEXT_OPTION_INDENT |
                            SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES,
                        &text, &diagnostic) != SPV_SUCCESS) {
        spvDiagnosticPrint(diagnostic);
        abort();
    }
    char *copy = strdup(text->str);
    spvTextDestroy(text);
    spvContextDestroy(context);
    if (copy == NULL)
        abort();
    return copy;
}

static bool is_valid_in(spv_context context, const uint32_t *words, size_t word_count)
{
    spv_const_binary_t binary = {.code = words, .wordCount = word_count};
    spv_diagnostic diagnostic = NULL;
    const bool is_valid = spvValidate(context, &binary, &diagnostic) == SPV_SUCCESS;
    if (!is_valid)
        fprintf(stderr, "%s\n", diagnostic != NULL ? diagnostic->error : "not valid");
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return is_valid;
}

bool assembly_is_valid(const uint32_t *words, size_t word_count)
{
    return is_valid_in(create_context(words[1]), words, word_count) &&
           is_valid_in(create_context(0x00010600), words, word_count);
}

uint32_t *assembly_load(const char *path, size_t *word_count)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        abort();
    }
    const long size = ftell(file);
    rewind(file);
    uint32_t *words = malloc(size > 0 ? (size_t)size : 1);
    if (size < 0 || words == NULL || fread(words, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        abort();
    }
    fclose(file);
    *word_count = (size_t)size / sizeof(*words);
    return words;
}
