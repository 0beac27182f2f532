/* Reading a module: one walk to count, one to fill. Nothing here trusts the words, and nothing here refuses
 * what it merely does not know. */
#include "warpscope/spirv/module.h"

#include <inttypes.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"

#define HEADER_WORDS 5

/* Where the walk over the instructions stands. */
struct reader {
    struct ws_module *module;
    struct ws_error *error;
    enum ws_section section;
    uint32_t block_open;    /* 1 between an OpLabel and its terminator */
    uint32_t function_open; /* 1 between OpFunction and OpFunctionEnd */
    uint32_t last;          /* last instruction that is no line information, inside an open block */
    uint32_t memory_models;
};

static bool fail_at(struct ws_error *error, uint32_t offset, const char *reason)
{
    return ws_error_set(error, "SPIR-V module, word %" PRIu32 ": %s", offset, reason);
}

static bool read_header(struct ws_module *module, const uint32_t *words, size_t word_count,
                        struct ws_error *error)
{
    if (words == NULL || word_count < HEADER_WORDS) {
        return ws_error_set(error, "SPIR-V module, word 0: %zu words are too few for a header of %d",
                            words == NULL ? (size_t)0 : word_count, HEADER_WORDS);
    }
    if (word_count > UINT32_MAX) {
        return ws_error_set(error, "SPIR-V module, word 0: %zu words are more than can be addressed",
                            word_count);
    }
    if (words[0] == 0x03022307u)
        return fail_at(error, 0, "the words are in the other byte order (magic number 0x03022307)");
    if (words[0] != SpvMagicNumber) {
        return ws_error_set(error, "SPIR-V module, word 0: magic number 0x%08" PRIx32 " is not 0x07230203",
                            words[0]);
    }
    if ((words[1] & 0xff0000ffu) != 0 || (words[1] >> 16) != 1)
        return ws_error_set(error, "SPIR-V module, word 1: 0x%08" PRIx32 " is no version 1.x", words[1]);
    /* The limit also keeps a hostile header from making tables of its own choice of size. */
    if (words[3] == 0 || words[3] > WS_BOUND_MAX) {
        return ws_error_set(error, "SPIR-V module, word 3: id bound %" PRIu32 " is not in 1..%u", words[3],
                            WS_BOUND_MAX);
    }
    module->words = words;
    module->word_count = word_count;
    module->version = words[1];
    module->bound = words[3];
    return true;
}

/* The first walk: every instruction lies within the words; counts what the second will store. */
static bool count_instructions(struct ws_module *module, struct ws_error *error)
{
    for (size_t offset = HEADER_WORDS; offset < module->word_count;) {
        const uint32_t length = module->words[offset] >> SpvWordCountShift;
        if (length == 0)
            return fail_at(error, (uint32_t)offset, "an instruction of 0 words");
        if (length > module->word_count - offset) {
            return ws_error_set(
                error, "SPIR-V module, word %zu: an instruction of %" PRIu32 " words where %zu are left",
                offset, length, module->word_count - offset);
        }
        module->instruction_count++;
        switch (module->words[offset] & SpvOpCodeMask) {
        case SpvOpFunction: module->function_count++; break;
        case SpvOpLabel: module->block_count++; break;
        case SpvOpEntryPoint: module->entry_point_count++; break;
        default: break;
        }
        offset += length;
    }
    return true;
}

static bool allocate_tables(struct ws_module *module, struct ws_error *error)
{
    struct ws_arena *arena = module->arena;
    module->instructions = ws_arena_allocate(arena, module->instruction_count, sizeof(*module->instructions));
    module->functions = ws_arena_allocate(arena, module->function_count, sizeof(*module->functions));
    module->blocks = ws_arena_allocate(arena, module->block_count, sizeof(*module->blocks));
    module->entry_points = ws_arena_allocate(arena, module->entry_point_count, sizeof(*module->entry_points));
    module->definitions = ws_arena_allocate(arena, module->bound, sizeof(*module->definitions));
    if (module->instructions == NULL || module->functions == NULL || module->blocks == NULL ||
        module->entry_points == NULL || module->definitions == NULL) {
        return ws_error_set(error, "SPIR-V module: no memory for its %" PRIu32 " instructions",
                            module->instruction_count);
    }
    for (uint32_t id = 0; id < module->bound; id++)
        module->definitions[id] = WS_NONE;
    module->function_count = 0;
    module->block_count = 0;
    module->entry_point_count = 0;
    return true;
}

static bool define_result(struct reader *reader, uint32_t index)
{
    struct ws_module *module = reader->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    bool has_type = false;
    bool has_result = false;
    ws_opcode_results(instruction->opcode, &has_type, &has_result);
    if (!has_result)
        return true;
    if (instruction->length < 2u + has_type)
        return fail_at(reader->error, instruction->offset, "an instruction too short for its result id");
    const uint32_t id = ws_operand(module, instruction, has_type);
    if (id == 0 || id >= module->bound) {
        return ws_error_set(reader->error,
                            "SPIR-V module, word %" PRIu32 ": result id %" PRIu32
                            " is not below the bound %" PRIu32,
                            instruction->offset, id, module->bound);
    }
    if (module->definitions[id] != WS_NONE) {
        return ws_error_set(reader->error,
                            "SPIR-V module, word %" PRIu32 ": id %" PRIu32
                            " is defined a second time (first at word %" PRIu32 ")",
                            instruction->offset, id, module->instructions[module->definitions[id]].offset);
    }
    module->definitions[id] = index;
    return true;
}

uint32_t ws_module_string(const struct ws_module *module, const struct ws_instruction *instruction,
                          uint32_t operand)
{
    uint32_t bytes = 0;
    for (uint32_t i = operand + 1; i < instruction->length; i++) {
        for (uint32_t shift = 0; shift < 32; shift += 8) {
            if (((module->words[instruction->offset + i] >> shift) & 0xff) == 0)
                return bytes;
            bytes++;
        }
    }
    return WS_NONE;
}

/* Copies a literal string of `bytes` bytes; its first character is the lowest byte of its first word. */
static const char *copy_string(const struct ws_module *module, const struct ws_instruction *instruction,
                               uint32_t operand, uint32_t bytes)
{
    char *text = ws_arena_allocate(module->arena, (size_t)bytes + 1, 1);
    for (uint32_t i = 0; text != NULL && i < bytes; i++)
        text[i] = (char)(module->words[instruction->offset + 1 + operand + i / 4] >> (i % 4 * 8) & 0xff);
    return text;
}

static bool add_entry_point(struct reader *reader, uint32_t index)
{
    struct ws_module *module = reader->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    struct ws_entry_point *entry = &module->entry_points[module->entry_point_count++];
    entry->instruction = index;
    entry->model = ws_operand(module, instruction, 0);
    entry->function = ws_operand(module, instruction, 1); /* an id until all functions are known */
    entry->name = copy_string(module, instruction, 2, ws_module_string(module, instruction, 2));
    return entry->name != NULL || ws_error_set(reader->error, "SPIR-V module: no memory for a name");
}

/* What stands before the first function. */
static bool read_global(struct reader *reader, uint32_t index)
{
    struct ws_module *module = reader->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    const enum ws_section section = ws_opcode_section(instruction->opcode);
    if (section == WS_SECTION_COUNT) {
        /* An opaque instruction changes no section, except that nothing global can be put before a variable.
         */
        if (ws_opcode_is_variable(instruction->opcode))
            reader->section = WS_SECTION_GLOBAL;
        return !ws_opcode_is_terminator(instruction->opcode) ||
               fail_at(reader->error, instruction->offset, "a terminator outside of any block");
    }
    if (section == WS_SECTION_FUNCTION)
        return fail_at(reader->error, instruction->offset, "part of a function outside of any function");
    if (section < reader->section) {
        return ws_error_set(reader->error,
                            "SPIR-V module, word %" PRIu32 ": opcode %u stands after a later section of the "
                            "module",
                            instruction->offset, instruction->opcode);
    }
    reader->section = section;
    module->section_ends[section] = index + 1;
    if (section == WS_SECTION_MEMORY_MODEL && reader->memory_models++ != 0)
        return fail_at(reader->error, instruction->offset, "a second OpMemoryModel");
    if (section == WS_SECTION_CAPABILITY &&
        ws_operand(module, instruction, 0) == SpvCapabilityDemoteToHelperInvocation)
        module->has_demote = true;
    if (section == WS_SECTION_ENTRY_POINT)
        return add_entry_point(reader, index);
    return true;
}

static bool open_function(struct reader *reader, uint32_t index)
{
    struct ws_module *module = reader->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    if (instruction->length < 5)
        return fail_at(reader->error, instruction->offset, "OpFunction has fewer than 5 words");
    struct ws_function *function = &module->functions[module->function_count++];
    function->id = ws_operand(module, instruction, 1);
    function->first = index;
    function->block_first = module->block_count;
    reader->function_open = 1;
    return true;
}

/* Inside a function, outside its blocks: parameters, labels, the end. */
static bool read_between_blocks(struct reader *reader, uint32_t index)
{
    struct ws_module *module = reader->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    struct ws_function *function = &module->functions[module->function_count - 1];
    switch ((SpvOp)instruction->opcode) {
    case SpvOpFunctionParameter:
        return function->block_count == 0 ||
               fail_at(reader->error, instruction->offset, "OpFunctionParameter after a block");
    case SpvOpLabel: {
        struct ws_block *block = &module->blocks[module->block_count++];
        block->label = ws_operand(module, instruction, 0);
        block->first = index;
        block->function = module->function_count - 1;
        function->block_count++;
        reader->block_open = 1;
        reader->last = index;
        return true;
    }
    case SpvOpFunctionEnd:
        function->end = index + 1;
        reader->function_open = 0;
        return true;
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpExtInst: return true; /* line and non-semantic debug information stands where it likes */
    case SpvOpFunction: return fail_at(reader->error, instruction->offset, "OpFunction within a function");
    default: break;
    }
    return ws_opcode_may_be_terminator(instruction->opcode) ||
           ws_error_set(reader->error,
                        "SPIR-V module, word %" PRIu32 ": opcode %u in a function, but in none of its blocks",
                        instruction->offset, instruction->opcode);
}

/* Inside a block. An OpLabel or OpFunctionEnd closes one whose last instruction may be a terminator newer
 * than the headers. */
static bool read_in_block(struct reader *reader, uint32_t index)
{
    struct ws_module *module = reader->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    struct ws_block *block = &module->blocks[module->block_count - 1];
    if (ws_opcode_is_terminator(instruction->opcode)) {
        block->end = index + 1;
        reader->block_open = 0;
        return true;
    }
    const enum ws_section section = ws_opcode_section(instruction->opcode);
    if (section == WS_SECTION_FUNCTION) {
        if (!ws_opcode_may_be_terminator(module->instructions[reader->last].opcode)) {
            return ws_error_set(reader->error,
                                "SPIR-V module, word %" PRIu32 ": block %" PRIu32
                                " has no terminator before this",
                                instruction->offset, block->label);
        }
        block->end = reader->last + 1;
        reader->block_open = 0;
        return read_between_blocks(reader, index);
    }
    if (section != WS_SECTION_COUNT) {
        return ws_error_set(reader->error,
                            "SPIR-V module, word %" PRIu32 ": opcode %u cannot stand in a block",
                            instruction->offset, instruction->opcode);
    }
    if (!ws_opcode_is_line(instruction->opcode))
        reader->last = index;
    return true;
}

static bool read_function_part(struct reader *reader, uint32_t index)
{
    const struct ws_instruction *instruction = &reader->module->instructions[index];
    if (reader->block_open)
        return read_in_block(reader, index);
    if (reader->function_open)
        return read_between_blocks(reader, index);
    if (instruction->opcode == SpvOpFunction)
        return open_function(reader, index);
    const bool stray = ws_opcode_section(instruction->opcode) != WS_SECTION_COUNT ||
                       ws_opcode_is_terminator(instruction->opcode);
    return !stray || ws_error_set(reader->error,
                                  "SPIR-V module, word %" PRIu32 ": opcode %u after the first function, but "
                                  "in none",
                                  instruction->offset, instruction->opcode);
}

static bool read_instruction(struct reader *reader, uint32_t index)
{
    struct ws_module *module = reader->module;
    const struct ws_instruction *instruction = &module->instructions[index];
    const uint32_t string = ws_opcode_string_operand(instruction->opcode);
    if (string != WS_NONE && ws_module_string(module, instruction, string) == WS_NONE)
        return fail_at(reader->error, instruction->offset, "a literal string does not end");
    if (!define_result(reader, index))
        return false;
    if (reader->section != WS_SECTION_FUNCTION) {
        if (instruction->opcode != SpvOpFunction)
            return read_global(reader, index);
        reader->section = WS_SECTION_FUNCTION;
    }
    return read_function_part(reader, index);
}

/* The second walk. */
static bool read_instructions(struct ws_module *module, struct ws_error *error)
{
    struct reader reader = {.module = module, .error = error};
    uint32_t offset = HEADER_WORDS;
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const uint32_t word = module->words[offset];
        module->instructions[i] = (struct ws_instruction){.offset = offset,
                                                          .opcode = word & SpvOpCodeMask,
                                                          .length = (uint16_t)(word >> SpvWordCountShift)};
        offset += word >> SpvWordCountShift;
        if (!read_instruction(&reader, i))
            return false;
    }
    if (reader.function_open)
        return fail_at(error, offset, "the module ends within a function");
    if (reader.memory_models == 0)
        return fail_at(error, offset, "the module has no OpMemoryModel");
    return true;
}

/* Where something appended to a section goes: behind the last instruction of it, or of what precedes it.
 * Globals go behind everything that stands before the first function, but not between an OpLine and the
 * OpFunction that it belongs to. */
static void finish_sections(struct ws_module *module)
{
    uint32_t end = module->function_count != 0 ? module->functions[0].first : module->instruction_count;
    while (end > 0 && ws_opcode_is_line(module->instructions[end - 1].opcode))
        end--;
    module->section_ends[WS_SECTION_GLOBAL] = end;
    module->section_ends[WS_SECTION_FUNCTION] = module->instruction_count;
    for (int i = 1; i < WS_SECTION_COUNT; i++)
        if (module->section_ends[i] < module->section_ends[i - 1])
            module->section_ends[i] = module->section_ends[i - 1];
}

uint32_t ws_module_function(const struct ws_module *module, uint32_t instruction)
{
    uint32_t low = 0;
    uint32_t high = module->function_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (module->functions[middle].end <= instruction)
            low = middle + 1;
        else
            high = middle;
    }
    return low < module->function_count && module->functions[low].first <= instruction ? low : WS_NONE;
}

static bool resolve_entry_points(struct ws_module *module, struct ws_error *error)
{
    for (uint32_t i = 0; i < module->entry_point_count; i++) {
        struct ws_entry_point *entry = &module->entry_points[i];
        const struct ws_instruction *definition = ws_module_definition(module, entry->function);
        if (definition == NULL || definition->opcode != SpvOpFunction) {
            return ws_error_set(error,
                                "SPIR-V module, word %" PRIu32 ": entry point \"%.100s\" names id %" PRIu32
                                ", which is no function",
                                module->instructions[entry->instruction].offset, entry->name,
                                entry->function);
        }
        entry->function = ws_module_function(module, module->definitions[entry->function]);
    }
    return true;
}

uint32_t ws_module_type_of(const struct ws_module *module, uint32_t id)
{
    const struct ws_instruction *definition = ws_module_definition(module, id);
    bool has_type = false;
    bool has_result = false;
    if (definition != NULL)
        ws_opcode_results(definition->opcode, &has_type, &has_result);
    return has_type ? ws_operand(module, definition, 0) : 0;
}

bool ws_module_parse(struct ws_module *module, struct ws_arena *arena, const uint32_t *words,
                     size_t word_count, struct ws_error *error)
{
    *module = (struct ws_module){.arena = arena};
    if (!read_header(module, words, word_count, error) || !count_instructions(module, error) ||
        !allocate_tables(module, error) || !read_instructions(module, error))
        return false;
    finish_sections(module);
    return resolve_entry_points(module, error);
}
