/* Names of operands, as the SPIR-V grammar has them, in lower case with _ between words: "Ray Tmin" is ray_tmin, "Operand 1"
 * is operand_1. Operands of extended instructions of GLSL.std.450 have their own names too, such as x and edge0. Where an
 * instruction takes any number of operands, they are numbered: argument_0, argument_1; indexes is the same as indexes_0. The
 * image operands are bias, lod, grad_x, grad_y, const_offset, offset, const_offsets, sample and min_lod.
 *
 * No state; safe from any thread. */
#ifndef WS_PASSES_SPIRV_OPERAND_NAMES_H
#define WS_PASSES_SPIRV_OPERAND_NAMES_H

#include "warpscope/spirv/module.h"

/* An operand of an instruction. */
struct ws_named_operand {
    uint32_t index;  /* as ws_operand counts */
    bool is_literal; /* it is a number, and no id */
};

/* Finds the operand with this name. Returns false where the instruction has none: never, or not here. */
bool ws_operand_find(const struct ws_module *module, const struct ws_instruction *instruction,
                     const char *name, struct ws_named_operand *operand);

/* Whether instructions of an opcode can have an operand with this name. `extended` is the number of a GLSL.std.450
 * instruction, for OpExtInst; else WS_NONE. */
bool ws_operand_is_known(uint32_t opcode, uint32_t extended, const char *name);

/* Number of the GLSL.std.450 instruction that an OpExtInst is; WS_NONE where it is none. */
uint32_t ws_extended_number(const struct ws_module *module, const struct ws_instruction *instruction);

/* The opcode with this name, "OpFAdd"; of GLSL.std.450, the number of "Sqrt". WS_NONE if there is none. */
uint32_t ws_opcode_find(const char *name);
uint32_t ws_extended_find(const char *name);

/* The name of a GLSL.std.450 instruction, such as "Sqrt"; NULL for an unknown one. */
const char *ws_extended_name(uint32_t number);

/* The operands of an opcode or a GLSL.std.450 instruction behind the result id, with commas between: "base,*indexes". "="
 * stands before what is a number, "*" before what may come any number of times, "@" for image operands. NULL for an unknown
 * one. */
const char *ws_opcode_layout(uint32_t opcode);
const char *ws_extended_layout(uint32_t number);

#endif
