/* A SPIR-V module in memory, for reading: an index over the original words, which are never changed.
 * Section and figure numbers are those of the SPIR-V specification. Editing is in edit.h and builder.h. */
#ifndef WARPSCOPE_SPIRV_MODULE_H
#define WARPSCOPE_SPIRV_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpscope/error.h"
#include "warpscope/instrument.h"
#include "warpscope/spirv/opcode.h"

/* The universal limit on the Result <id> bound (SPIR-V specification 2.17). */
#define WS_BOUND_MAX 0x3fffffu

struct ws_arena;

/* One instruction: module->words[offset .. offset + length - 1]. */
struct ws_instruction {
    uint32_t offset;
    uint16_t opcode;
    uint16_t length;
};

/* A basic block: instructions [first, end). As parsed, the first is its OpLabel and the last its terminator. A
 * block that cuts.h has cut is several in a row: only the first of them begins with the OpLabel, and only the
 * last ends with the terminator. */
struct ws_block {
    uint32_t label; /* result id */
    uint32_t first;
    uint32_t end;
    uint32_t function; /* index in module->functions */
    bool is_cut;       /* it was cut at its end: lanes go on in the next block of the module */
};

/* A function: instructions [first, end), OpFunction to OpFunctionEnd. A declaration has no blocks. */
struct ws_function {
    uint32_t id;
    uint32_t first;
    uint32_t end;
    uint32_t block_first; /* indices in module->blocks */
    uint32_t block_count;
};

/* An OpEntryPoint. */
struct ws_entry_point {
    uint32_t instruction; /* index in module->instructions */
    uint32_t model;       /* SpvExecutionModel */
    uint32_t function;    /* index in module->functions */
    const char *name;     /* in the arena */
};

struct ws_module {
    struct ws_arena *arena; /* owns everything here but `words` */
    const uint32_t *words;  /* not owned: must outlive the module */
    size_t word_count;
    uint32_t version; /* as in the header: 0x00010600 is 1.6 */
    uint32_t bound;
    bool has_demote; /* declares DemoteToHelperInvocation */
    struct ws_instruction *instructions;
    uint32_t instruction_count;
    struct ws_function *functions;
    uint32_t function_count;
    struct ws_block *blocks; /* in the order of the module, all functions */
    uint32_t block_count;
    struct ws_entry_point *entry_points;
    uint32_t entry_point_count;
    uint32_t *definitions; /* per id below bound: index of the instruction that defines it, or WS_NONE */
    uint32_t section_ends[WS_SECTION_COUNT]; /* index of the instruction before which what is appended to a
                                                section goes; instruction_count = at the end */
};

/* Reads a module. Untrusted words: a malformed one gives false and an error that names the word offset
 * and the reason. Linear in word_count. Everything is allocated from `arena`. An opcode that the headers
 * do not know is kept as an opaque instruction. */
bool ws_module_parse(struct ws_module *module, struct ws_arena *arena, const uint32_t *words,
                     size_t word_count, struct ws_error *error);

/* Operand `index` of `instruction`, counted from 0 after the opcode word (result type and result id
 * included); 0 where the instruction is shorter. */
static inline uint32_t ws_operand(const struct ws_module *module, const struct ws_instruction *instruction,
                                  uint32_t index)
{
    return index + 1 < instruction->length ? module->words[instruction->offset + 1 + index] : 0;
}

/* The instruction that defines `id`; NULL when none does, or when `id` is 0 or not below the bound. The id
 * may still be defined by an instruction that the headers do not know. */
static inline const struct ws_instruction *ws_module_definition(const struct ws_module *module, uint32_t id)
{
    if (id >= module->bound || module->definitions[id] == WS_NONE)
        return NULL;
    return &module->instructions[module->definitions[id]];
}

/* The type of the value `id`; 0 when it has none, or nothing that is known defines it. */
uint32_t ws_module_type_of(const struct ws_module *module, uint32_t id);

/* Index of the function that instruction `instruction` stands in, WS_NONE if in none. Logarithmic. */
uint32_t ws_module_function(const struct ws_module *module, uint32_t instruction);

/* Length in bytes, without the NUL, of the literal string that begins at operand `operand`; WS_NONE when the
 * instruction ends before it. */
uint32_t ws_module_string(const struct ws_module *module, const struct ws_instruction *instruction,
                          uint32_t operand);

#endif
