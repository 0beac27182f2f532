/* See code.h. Section numbers are those of the SPIR-V specification. */
#include "warpscope/spirv/code.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/base/text.h"

/* Operands of an OpExtInst, as ws_operand counts. */
#define EXT_SET         2
#define EXT_INSTRUCTION 3
#define EXT_OPERANDS    4

/* Limits that no compiler reaches, so that a hostile module that names one long string many times does
 * not take more memory than it has bytes. */
#define NAME_MAX_BYTES 4096
#define FILES_MAX      4096

/* Length in bytes of a literal string; 0 where there is none. */
static uint32_t literal_length(const struct ws_code *code, const struct ws_instruction *instruction,
                               uint32_t operand)
{
    uint32_t length = ws_module_string(&code->module, instruction, operand);
    return length != WS_NONE ? length : 0;
}

/* Copies `length` bytes of a literal string. Literals are packed into words, the first byte lowest (2.2.1).
 */
static void literal_copy(const struct ws_code *code, const struct ws_instruction *instruction,
                         uint32_t operand, uint32_t length, char *text)
{
    for (uint32_t i = 0; i < length; ++i)
        text[i] = (char)(ws_operand(&code->module, instruction, operand + i / 4) >> (8 * (i % 4)));
}

/* A name, cut at NAME_MAX_BYTES; "" where `instruction` is NULL. NULL when there is no memory. */
static char *name_of(struct ws_code *code, const struct ws_instruction *instruction, uint32_t operand)
{
    uint32_t length = instruction != NULL ? literal_length(code, instruction, operand) : 0;
    if (length > NAME_MAX_BYTES)
        length = NAME_MAX_BYTES;
    char *name = ws_arena_allocate(code->arena, (size_t)length + 1, 1);
    if (name != NULL && length > 0)
        literal_copy(code, instruction, operand, length, name);
    return name;
}

/* The OpString with this id; NULL when it is none. */
static const struct ws_instruction *string_of(const struct ws_code *code, uint32_t id)
{
    const struct ws_instruction *definition = ws_module_definition(&code->module, id);
    return definition != NULL && definition->opcode == SpvOpString ? definition : NULL;
}

/* Adds a file under `id`, its name taken from the OpString `name_id`. NULL on no memory or too many. */
static struct ws_source_file *add_file(struct ws_code *code, uint32_t id, uint32_t name_id)
{
    if (code->file_count == FILES_MAX)
        return NULL;
    if (code->file_count == code->file_capacity) {
        uint32_t capacity = code->file_capacity > 0 ? code->file_capacity * 2 : 8;
        struct ws_source_file *files = ws_arena_allocate(code->arena, capacity, sizeof(*files));
        if (files == NULL)
            return NULL;
        if (code->file_count > 0)
            memcpy(files, code->files, code->file_count * sizeof(*files));
        code->files = files;
        code->file_capacity = capacity;
    }
    char *name = name_of(code, string_of(code, name_id), 1);
    if (name == NULL || !ws_id_map_put(&code->file_of, id, code->file_count))
        return NULL;
    ws_text_repair(name, strlen(name));
    struct ws_source_file *file = &code->files[code->file_count++];
    *file = (struct ws_source_file){.id = id, .name = name};
    return file;
}

/* The file known under `id`, added where it is an OpString not met before; WS_NONE where it is nothing. */
static bool find_file(struct ws_code *code, uint32_t id, uint32_t *index)
{
    if (ws_id_map_get(&code->file_of, id, index))
        return true;
    *index = WS_NONE;
    if (string_of(code, id) == NULL || code->file_count == FILES_MAX)
        return true;
    *index = code->file_count;
    return add_file(code, id, id) != NULL;
}

static bool is_debug(const struct ws_code *code, const struct ws_instruction *instruction, uint32_t kind)
{
    return code->debug_set != 0 && instruction->opcode == SpvOpExtInst &&
           ws_operand(&code->module, instruction, EXT_SET) == code->debug_set &&
           ws_operand(&code->module, instruction, EXT_INSTRUCTION) == kind;
}

/* Notes the import of the debug information. */
static bool read_import(struct ws_code *code, const struct ws_instruction *instruction)
{
    const char *name = name_of(code, instruction, 1);
    if (name != NULL && strcmp(name, "NonSemantic.Shader.DebugInfo.100") == 0)
        code->debug_set = ws_operand(&code->module, instruction, 0);
    if (name != NULL &&
        (strcmp(name, "NonSemantic.Shader.DebugInfo.100") == 0 || strcmp(name, "OpenCL.DebugInfo.100") == 0))
        code->scope_set = ws_operand(&code->module, instruction, 0);
    return name != NULL;
}

/* A piece of source text: the literal string at `operand` of `instruction`; NULL where the text ends. */
struct piece {
    const struct ws_instruction *instruction;
    uint32_t operand;
};

/* Piece `index` of the text that begins at instruction `at`: an OpSource goes on in the OpSourceContinued
 * that follow, a DebugSource in the DebugSourceContinued. */
static struct piece piece_of(const struct ws_code *code, uint32_t at, uint32_t index)
{
    const struct ws_module *module = &code->module;
    const struct ws_instruction *first = &module->instructions[at];
    struct piece none = {NULL, 0};
    if (index >= module->instruction_count - at)
        return none;
    const struct ws_instruction *instruction = first + index;
    if (first->opcode == SpvOpSource) {
        bool goes_on = index == 0 || instruction->opcode == SpvOpSourceContinued;
        return goes_on ? (struct piece){instruction, index == 0 ? 3 : 0} : none;
    }
    if (index > 0 && !is_debug(code, instruction, NonSemanticShaderDebugInfo100DebugSourceContinued))
        return none;
    uint32_t operand = index == 0 ? EXT_OPERANDS + 1 : EXT_OPERANDS;
    return (struct piece){string_of(code, ws_operand(module, instruction, operand)), 1};
}

/* The whole text that begins at instruction `at`, into `*text`: NULL where there is none, or more than a
 * module of this size can hold. */
static bool read_text(struct ws_code *code, uint32_t at, char **text)
{
    uint64_t size = 0;
    uint64_t most = 4 * (uint64_t)code->module.word_count - code->text_bytes;
    struct piece piece = piece_of(code, at, 0);
    for (uint32_t i = 0; piece.instruction != NULL && size <= most; piece = piece_of(code, at, ++i))
        size += literal_length(code, piece.instruction, piece.operand);
    if (size == 0 || size > most)
        return true;
    *text = ws_arena_allocate(code->arena, size + 1, 1);
    if (*text == NULL)
        return false;
    code->text_bytes += size;
    char *out = *text;
    piece = piece_of(code, at, 0);
    for (uint32_t i = 0; piece.instruction != NULL; piece = piece_of(code, at, ++i)) {
        uint32_t length = literal_length(code, piece.instruction, piece.operand);
        literal_copy(code, piece.instruction, piece.operand, length, out);
        out += length;
    }
    ws_text_repair(*text, size);
    return true;
}

/* OpSource: language, version, file, text. */
static bool read_source(struct ws_code *code, uint32_t at)
{
    uint32_t file = WS_NONE;
    if (!find_file(code, ws_operand(&code->module, &code->module.instructions[at], 2), &file))
        return false;
    return file == WS_NONE || code->files[file].text != NULL || read_text(code, at, &code->files[file].text);
}

/* DebugSource: file, text. */
static bool read_debug_source(struct ws_code *code, uint32_t at)
{
    const struct ws_instruction *source = &code->module.instructions[at];
    uint32_t id = ws_operand(&code->module, source, 1);
    uint32_t file = WS_NONE;
    if (code->file_count == FILES_MAX || ws_id_map_get(&code->file_of, id, &file))
        return true;
    struct ws_source_file *added = add_file(code, id, ws_operand(&code->module, source, EXT_OPERANDS));
    return added != NULL && read_text(code, at, &added->text);
}

/* Files and imports, which all stand before the functions, or among the global variables. */
static bool read_files(struct ws_code *code)
{
    const struct ws_module *module = &code->module;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        bool read = true;
        if (instruction->opcode == SpvOpExtInstImport)
            read = read_import(code, instruction);
        else if (instruction->opcode == SpvOpSource)
            read = read_source(code, i);
        else if (is_debug(code, instruction, NonSemanticShaderDebugInfo100DebugSource))
            read = read_debug_source(code, i);
        if (!read)
            return false;
    }
    return true;
}

/* The value of a 32-bit OpConstant; 0 for anything else. */
static uint32_t constant(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *definition = ws_module_definition(module, id);
    return definition != NULL && definition->opcode == SpvOpConstant ? ws_operand(module, definition, 2) : 0;
}

/* Instructions that both sets of debug information have, with the same numbers. */
static bool is_scope(const struct ws_code *code, const struct ws_instruction *instruction, uint32_t kind)
{
    return code->scope_set != 0 && instruction->opcode == SpvOpExtInst &&
           ws_operand(&code->module, instruction, EXT_SET) == code->scope_set &&
           ws_operand(&code->module, instruction, EXT_INSTRUCTION) == kind;
}

bool ws_code_inlined_at(const struct ws_code *code, uint32_t id, uint32_t *line, uint32_t *outer)
{
    const struct ws_instruction *instruction = ws_module_definition(&code->module, id);
    if (instruction == NULL || !is_scope(code, instruction, NonSemanticShaderDebugInfo100DebugInlinedAt))
        return false;
    /* Where the set is non-semantic, the line is a constant; else a number. */
    const uint32_t operand = ws_operand(&code->module, instruction, EXT_OPERANDS);
    *line = code->scope_set == code->debug_set ? constant(&code->module, operand) : operand;
    *outer = ws_operand(&code->module, instruction, EXT_OPERANDS + 2);
    return true;
}

/* A line holds until the next one, an OpNoLine or DebugNoLine, or the end of the block (3.52.2, OpLine). So does a
 * scope; a DebugNoScope changes nothing here, as SPIRV-Tools put one in front of the branches of inlined code. */
static bool read_places(struct ws_code *code)
{
    const struct ws_module *module = &code->module;
    const struct ws_source_place nowhere = {WS_NONE, 0, 0};
    struct ws_source_place place = nowhere;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        bool read = true;
        if (instruction->opcode == SpvOpLine) {
            read = find_file(code, ws_operand(module, instruction, 0), &place.file);
            place.line = ws_operand(module, instruction, 1);
        } else if (is_debug(code, instruction, NonSemanticShaderDebugInfo100DebugLine)) {
            read = find_file(code, ws_operand(module, instruction, EXT_OPERANDS), &place.file);
            place.line = constant(module, ws_operand(module, instruction, EXT_OPERANDS + 1));
        } else if (instruction->opcode == SpvOpNoLine ||
                   is_debug(code, instruction, NonSemanticShaderDebugInfo100DebugNoLine)) {
            place.file = WS_NONE;
            place.line = 0;
        } else if (is_scope(code, instruction, NonSemanticShaderDebugInfo100DebugScope)) {
            place.inlined_at = ws_operand(module, instruction, EXT_OPERANDS + 1);
        }
        if (!read)
            return false;
        code->places[i] = place;
        if (ws_opcode_is_terminator(instruction->opcode) || instruction->opcode == SpvOpFunctionEnd)
            place = nowhere;
    }
    return true;
}

/* What the index of a module needs, roughly, for each of its words. */
#define BYTES_PER_WORD 16

struct ws_code *ws_code_create(const uint32_t *words, uint32_t word_count, struct ws_error *error)
{
    struct ws_code *code = calloc(1, sizeof(*code));
    if (code == NULL) {
        ws_error_set(error, "no memory");
        return NULL;
    }
    /* Analyses keep one for each shader of a capture, of which there may be thousands. */
    code->arena = ws_arena_create_for((size_t)word_count * BYTES_PER_WORD);
    if (code->arena == NULL) {
        ws_error_set(error, "no memory");
        goto error;
    }
    if (!ws_module_parse(&code->module, code->arena, words, word_count, error))
        goto error;
    code->places = ws_arena_allocate(code->arena, code->module.instruction_count, sizeof(*code->places));
    if (code->places == NULL || !read_files(code) || !read_places(code)) {
        ws_error_set(error, "no memory");
        goto error;
    }
    return code;
error:
    ws_code_destroy(code);
    return NULL;
}

void ws_code_destroy(struct ws_code *code)
{
    if (code == NULL)
        return;
    ws_id_map_finish(&code->file_of);
    ws_arena_destroy(code->arena);
    free(code);
}

/* The first instruction at or behind a word offset. */
static uint32_t instruction_at(const struct ws_module *module, uint32_t offset)
{
    uint32_t low = 0;
    uint32_t high = module->instruction_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (module->instructions[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ws_code_range(const struct ws_code *code, uint32_t offset, uint32_t length, uint32_t *first,
                   uint32_t *end)
{
    *first = instruction_at(&code->module, offset);
    *end = instruction_at(&code->module, offset + length);
}
