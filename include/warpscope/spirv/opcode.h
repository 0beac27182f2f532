/* What is known of SPIR-V opcodes without looking at a module. No state; safe from any thread. */
#ifndef WARPSCOPE_SPIRV_OPCODE_H
#define WARPSCOPE_SPIRV_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/opcodes.h"

/* Sections of a module in the order of its logical layout (SPIR-V specification 2.4). */
enum ws_section {
    WS_SECTION_CAPABILITY,
    WS_SECTION_EXTENSION,
    WS_SECTION_IMPORT,
    WS_SECTION_MEMORY_MODEL,
    WS_SECTION_ENTRY_POINT,
    WS_SECTION_EXECUTION_MODE,
    WS_SECTION_DEBUG_SOURCE,    /* 7a: OpString, OpSource, ... */
    WS_SECTION_DEBUG_NAME,      /* 7b: OpName, OpMemberName */
    WS_SECTION_DEBUG_PROCESSED, /* 7c: OpModuleProcessed */
    WS_SECTION_ANNOTATION,
    WS_SECTION_GLOBAL, /* types, constants, global variables */
    WS_SECTION_FUNCTION,
    WS_SECTION_COUNT, /* also: an opcode that can stand in several, or that the headers do not know */
};

/* The section to which instructions with this opcode belong, WS_SECTION_FUNCTION for what opens and closes
 * functions; WS_SECTION_COUNT where the opcode alone does not tell. */
enum ws_section ws_opcode_section(uint16_t opcode);

/* Whether an instruction has a result type and a result id (operands 0 and 1, or operand 0 alone). Both
 * false for an opcode that the headers do not know. */
void ws_opcode_results(uint16_t opcode, bool *has_type, bool *has_result);

/* True for those of shader invocation reorder (SPV_NV_shader_invocation_reorder and the EXT of it) that ask the device to put
 * threads into other warps: behind one a warp may have lanes of many. */
bool ws_opcode_reorders(uint16_t opcode);

/* Whether it ends a basic block. */
bool ws_opcode_is_terminator(uint16_t opcode);

/* Whether it may be a terminator newer than the headers: not a core opcode, and not known to have a result.
 */
bool ws_opcode_may_be_terminator(uint16_t opcode);

/* OpVariable or OpUntypedVariableKHR. */
bool ws_opcode_is_variable(uint16_t opcode);

/* OpLine or OpNoLine. */
bool ws_opcode_is_line(uint16_t opcode);

/* OpSelectionMerge or OpLoopMerge. */
bool ws_opcode_is_merge(uint16_t opcode);

/* Index, counted as ws_operand counts, of the operand where its literal string begins; WS_NONE if it has none
 * that must be read to the end. */
uint32_t ws_opcode_string_operand(uint16_t opcode);

#endif
