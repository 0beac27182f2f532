/* Build generator: turns the compiled library of primitives into C.
 *
 *   embed_primitives OUT.c OUT.h [NAME SUFFIX UNIT.spv]...
 *
 * Each unit is validated, and its words written with the positions of those that are ids. Every function that
 * is named ws_* becomes a primitive: ws_count_warp of a unit with suffix "_fragment" is
 * WS_PRIMITIVE_COUNT_WARP_FRAGMENT. A suffix of "-" stands for none. */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.h>

#define NAME_SIZE      128
#define PRIMITIVES_MAX 512
#define UNIT_WORDS_MAX 16384

struct primitive {
    char name[NAME_SIZE]; /* without "ws_", with the unit's suffix */
    uint32_t unit;
    uint32_t function;
    uint32_t parameter_count;
};

struct unit {
    const char *name;
    const char *suffix;
    const char *path;
    uint32_t words[UNIT_WORDS_MAX];
    uint32_t word_count;
    uint32_t ids[UNIT_WORDS_MAX];
    uint32_t id_count;
    /* while parsing */
    uint32_t offset;
    uint32_t index;
    uint32_t u32;                              /* id of OpTypeInt 32 0 */
    uint32_t function;                         /* the primitive that the walk is in, plus 1; 0 = none */
    char names[UNIT_WORDS_MAX][NAME_SIZE / 2]; /* per id, of functions */
};

static struct primitive primitives[PRIMITIVES_MAX];
static uint32_t primitive_count;
static struct unit unit; /* one at a time: too large for the stack */

static bool is_id(spv_operand_type_t type)
{
    return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_TYPE_ID ||
           type == SPV_OPERAND_TYPE_RESULT_ID || type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
           type == SPV_OPERAND_TYPE_SCOPE_ID;
}

static spv_result_t read_header(void *data, spv_endianness_t endian, uint32_t magic, uint32_t version,
                                uint32_t generator, uint32_t bound, uint32_t schema)
{
    (void)data, (void)endian, (void)magic, (void)version, (void)generator, (void)schema;
    return bound < UNIT_WORDS_MAX ? SPV_SUCCESS : SPV_ERROR_INVALID_BINARY;
}

/* glslang's name of a function is its name, "(", and its signature. */
static void read_name(uint32_t id, const char *text)
{
    const size_t length = strcspn(text, "(");
    if (strncmp(text, "ws_", 3) == 0 && text[length] == '(' && length < sizeof(unit.names[0])) {
        memcpy(unit.names[id], text, length);
        unit.names[id][length] = '\0';
    }
}

static spv_result_t add_primitive(uint32_t function)
{
    if (primitive_count == PRIMITIVES_MAX) {
        fprintf(stderr, "%s: more than %d primitives\n", unit.path, PRIMITIVES_MAX);
        return SPV_ERROR_INTERNAL;
    }
    struct primitive *primitive = &primitives[primitive_count++];
    const int length =
        snprintf(primitive->name, sizeof(primitive->name), "%s%s", unit.names[function] + 3, unit.suffix);
    if (length < 0 || (size_t)length >= sizeof(primitive->name)) {
        fprintf(stderr, "%s: name %s is too long\n", unit.path, unit.names[function]);
        return SPV_ERROR_INTERNAL;
    }
    primitive->unit = unit.index;
    primitive->function = function;
    unit.function = primitive_count;
    return SPV_SUCCESS;
}

static spv_result_t read_instruction(void *data, const spv_parsed_instruction_t *instruction)
{
    (void)data;
    for (uint16_t i = 0; i < instruction->num_operands; i++) {
        const spv_parsed_operand_t *operand = &instruction->operands[i];
        if (is_id(operand->type))
            unit.ids[unit.id_count++] = unit.offset + operand->offset;
    }
    unit.offset += instruction->num_words;
    switch (instruction->opcode) {
    case SpvOpName: read_name(instruction->words[1], (const char *)&instruction->words[2]); break;
    case SpvOpTypeInt:
        if (instruction->words[2] == 32 && instruction->words[3] == 0)
            unit.u32 = instruction->result_id;
        break;
    case SpvOpFunction:
        unit.function = 0;
        return unit.names[instruction->result_id][0] != '\0' ? add_primitive(instruction->result_id)
                                                             : SPV_SUCCESS;
    case SpvOpFunctionParameter:
        if (unit.function != 0) {
            struct primitive *primitive = &primitives[unit.function - 1];
            primitive->parameter_count++;
            if (instruction->type_id != unit.u32) {
                fprintf(stderr, "%s: parameter %" PRIu32 " of ws_%s is no `const uint`\n", unit.path,
                        primitive->parameter_count, primitive->name);
                return SPV_ERROR_INVALID_BINARY;
            }
        }
        break;
    default: break;
    }
    return SPV_SUCCESS;
}

static bool read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return false;
    }
    unit.word_count = (uint32_t)fread(unit.words, sizeof(unit.words[0]), UNIT_WORDS_MAX, file);
    const bool whole = feof(file) && !ferror(file);
    fclose(file);
    if (!whole)
        fprintf(stderr, "%s: cannot be read, or is longer than %d words\n", path, UNIT_WORDS_MAX);
    return whole;
}

static bool read_unit(void)
{
    if (!read_file(unit.path))
        return false;
    const bool is_1_3 = unit.word_count > 1 && unit.words[1] <= 0x00010300;
    spv_context context = spvContextCreate(is_1_3 ? SPV_ENV_VULKAN_1_1 : SPV_ENV_VULKAN_1_1_SPIRV_1_4);
    spv_const_binary_t binary = {.code = unit.words, .wordCount = unit.word_count};
    spv_diagnostic diagnostic = NULL;
    spv_result_t result = spvValidate(context, &binary, &diagnostic);
    unit.offset = 5;
    if (result == SPV_SUCCESS) {
        result = spvBinaryParse(context, NULL, unit.words, unit.word_count, read_header, read_instruction,
                                &diagnostic);
    }
    if (result != SPV_SUCCESS)
        fprintf(stderr, "%s: %s\n", unit.path, diagnostic != NULL ? diagnostic->error : "not usable");
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return result == SPV_SUCCESS;
}

static void write_array(FILE *out, const char *what, const uint32_t *words, uint32_t count)
{
    fprintf(out, "static const uint32_t %s_%s[] = {", unit.name, what);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s0x%" PRIx32 ",", i % 12 == 0 ? "\n" : "", words[i]);
    fprintf(out, "\n};\n\n");
}

static void write_upper(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        fputc(toupper((unsigned char)*text), out);
}

/* The primitive of the same name with a suffix; itself where there is none. */
static uint32_t find_variant(uint32_t index, const char *suffix)
{
    const char *name = primitives[index].name;
    const size_t length = strlen(name);
    for (uint32_t i = 0; i < primitive_count; i++)
        if (strncmp(primitives[i].name, name, length) == 0 &&
            strcmp(primitives[i].name + length, suffix) == 0)
            return i;
    return index;
}

static void write_tables(FILE *out, char **units, uint32_t unit_count)
{
    fprintf(out, "const uint32_t ws_library_unit_count = %" PRIu32 ";\n", unit_count);
    fprintf(out, "const struct ws_library_unit ws_library_units[] = {\n");
    for (uint32_t i = 0; i < unit_count; i++) {
        const char *name = units[3 * i];
        fprintf(out, "    {\"%s\", %s_words, sizeof(%s_words) / 4, %s_ids, sizeof(%s_ids) / 4},\n", name,
                name, name, name, name);
    }
    fprintf(out, "};\n\nconst struct ws_library_primitive ws_library_primitives[] = {\n");
    for (uint32_t i = 0; i < primitive_count; i++) {
        const struct primitive *primitive = &primitives[i];
        fprintf(out,
                "    {\"%s\", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", {%" PRIu32 ", %" PRIu32 ", %" PRIu32
                "}},\n",
                primitive->name, primitive->unit, primitive->function, primitive->parameter_count, i,
                find_variant(i, "_fragment"), find_variant(i, "_demote"));
    }
    fprintf(out, "};\n");
}

static void write_enum(FILE *out)
{
    fprintf(out, "/* Made by scripts/embed_primitives.c from passes/primitives. */\n"
                 "#ifndef WS_PRIMITIVES_H\n#define WS_PRIMITIVES_H\n\nenum ws_primitive {\n");
    for (uint32_t i = 0; i < primitive_count; i++) {
        fprintf(out, "    WS_PRIMITIVE_");
        write_upper(out, primitives[i].name);
        fprintf(out, ", /* %" PRIu32 " parameters */\n", primitives[i].parameter_count);
    }
    fprintf(out, "    WS_PRIMITIVE_COUNT,\n};\n\n#endif\n");
}

static bool write_units(FILE *out, char **units, uint32_t unit_count)
{
    fprintf(out, "/* Made by scripts/embed_primitives.c from passes/primitives. */\n#include "
                 "\"passes/link/library.h\"\n\n");
    for (uint32_t i = 0; i < unit_count; i++) {
        memset(&unit, 0, sizeof(unit));
        unit.name = units[3 * i];
        unit.suffix = strcmp(units[3 * i + 1], "-") == 0 ? "" : units[3 * i + 1];
        unit.path = units[3 * i + 2];
        unit.index = i;
        if (!read_unit())
            return false;
        write_array(out, "words", unit.words, unit.word_count);
        write_array(out, "ids", unit.ids, unit.id_count);
    }
    write_tables(out, units, unit_count);
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 6 || argc % 3 != 0) {
        fprintf(stderr, "usage: %s OUT.c OUT.h [NAME SUFFIX UNIT.spv]...\n", argv[0]);
        return 2;
    }
    FILE *source = fopen(argv[1], "w");
    FILE *header = fopen(argv[2], "w");
    bool good = source != NULL && header != NULL;
    if (good) {
        good = write_units(source, argv + 3, (uint32_t)(argc - 3) / 3);
        write_enum(header);
        good = good && !ferror(source) && !ferror(header);
    } else {
        perror(argv[source == NULL ? 1 : 2]);
    }
    if (source != NULL)
        good = fclose(source) == 0 && good;
    if (header != NULL)
        good = fclose(header) == 0 && good;
    return good ? 0 : 1;
}
