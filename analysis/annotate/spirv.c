/* The disassembly: by SPIRV-Tools, or, where they refuse the module, opcodes and words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/annotate/annotate.h"
#include "passes/spirv/spirv_tools.h"

/* Prints a line that stands for instruction `index`; a block begins in the line of its OpLabel. */
static void print_instruction(const struct ws_annotation *annotation, uint32_t index, const char *text,
                              size_t length, FILE *stream)
{
    uint32_t block = annotation->block_of[index];
    bool begins = block != WS_NONE && (index == 0 || annotation->block_of[index - 1] != block);
    ws_annotate_line(annotation, block, 0, text, length, &block, begins ? 1 : 0, stream);
}

/* The byte offset in the comment that ends a line, "; 0x0000012c". False where there is none. */
static bool read_offset(const char *line, size_t length, size_t *text_length, uint32_t *offset)
{
    char digits[9];
    if (length < 12 || memcmp(line + length - 12, "; 0x", 4) != 0)
        return false;
    memcpy(digits, line + length - 8, 8);
    digits[8] = '\0';
    char *end = NULL;
    *offset = (uint32_t)strtoul(digits, &end, 16);
    *text_length = length - 12;
    while (*text_length > 0 && line[*text_length - 1] == ' ')
        --*text_length;
    return *end == '\0';
}

static void print_text(const struct ws_annotation *annotation, const char *text, FILE *stream)
{
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        size_t shown = length;
        uint32_t offset = 0;
        uint32_t first = 0;
        uint32_t end = 0;
        if (read_offset(line, length, &shown, &offset))
            ws_code_range(annotation->code, offset / 4, 1, &first, &end);
        if (first < end)
            print_instruction(annotation, first, line, shown, stream);
        else
            ws_annotate_line(annotation, WS_NONE, 0, line, length, NULL, 0, stream);
        line += length + (line[length] == '\n');
    }
}

static void print_words(const struct ws_annotation *annotation, FILE *stream)
{
    const struct ws_module *module = &annotation->code->module;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        const char *name = ws_opcode_name(instruction->opcode);
        char text[512];
        size_t used = 0;
        if (name != NULL)
            used = (size_t)snprintf(text, sizeof(text), "%s", name);
        else
            used = (size_t)snprintf(text, sizeof(text), "Op%u", instruction->opcode);
        for (uint32_t j = 1; j < instruction->length && used < sizeof(text) - 16; ++j)
            used += (size_t)snprintf(text + used, sizeof(text) - used, " %" PRIu32,
                                     module->words[instruction->offset + j]);
        print_instruction(annotation, i, text, used, stream);
    }
}

bool ws_annotate_spirv(const struct ws_annotation *annotation, FILE *stream, struct ws_error *error)
{
    (void)error;
    char *text = ws_spirv_disassemble(annotation->words, annotation->word_count);
    fputc('\n', stream);
    if (text != NULL)
        print_text(annotation, text, stream);
    else
        print_words(annotation, stream);
    free(text);
    return true;
}
