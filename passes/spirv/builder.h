/* Emitting code: where it may stand, and instructions by meaning. Sticky like the editor (edit.h): after a
 * failure nothing is emitted and every id is 0. */
#ifndef WS_PASSES_SPIRV_BUILDER_H
#define WS_PASSES_SPIRV_BUILDER_H

#include "passes/spirv/edit.h"

/* A place between two instructions of the original module where code may be put; a small value, made by the
 * functions below and valid as long as the module. What is emitted at one cursor, or at equal ones, keeps its
 * order; what is put after an instruction comes before what is put before the next. */
struct ws_cursor {
    uint32_t instruction; /* index in module->instructions; WS_NONE = no such place: an emit there fails */
    bool after;
};

/* Before an instruction of a block. Where no code may stand there, the nearest place is taken that runs
 * equally often: behind the label, phis, variables, and lines or debug information among them (SPIR-V
 * specification 2.4, 2.16.1); before the merge instruction that a branch belongs to (2.16: OpLoopMerge and
 * OpSelectionMerge are the second-to-last instruction of their block). */
struct ws_cursor ws_cursor_before(const struct ws_module *module, uint32_t instruction);

/* After an instruction of a block, by the same rules. There is nothing after a terminator. */
struct ws_cursor ws_cursor_after(const struct ws_module *module, uint32_t instruction);

/* The first place of a block, and the last. `block` is an index in module->blocks. */
struct ws_cursor ws_cursor_block_start(const struct ws_module *module, uint32_t block);
struct ws_cursor ws_cursor_block_end(const struct ws_module *module, uint32_t block);

/* Whether an instruction only carries debug information: lines, and extended instructions of a NonSemantic or
 * DebugInfo set. */
bool ws_instruction_is_debug(const struct ws_module *module, const struct ws_instruction *instruction);

/* Emits an instruction. With a result type (`type` != 0) it gets a new result id, which is returned; without,
 * returns 0. `operands` are the words behind type and result. */
uint32_t ws_emit(struct ws_editor *editor, struct ws_cursor cursor, uint16_t opcode, uint32_t type,
                 const uint32_t *operands, uint32_t count);

/* Emits what is done with unsigned integers of 32 bits: reads a variable, writes it, computes one of two. */
uint32_t ws_emit_load(struct ws_editor *editor, struct ws_cursor cursor, uint32_t variable);
void ws_emit_store(struct ws_editor *editor, struct ws_cursor cursor, uint32_t variable, uint32_t value);
uint32_t ws_emit_u32(struct ws_editor *editor, struct ws_cursor cursor, uint16_t opcode, uint32_t left,
                     uint32_t right);

#endif
