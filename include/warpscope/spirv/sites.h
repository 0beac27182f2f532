/* What a device executes: the instructions that reports count, and where launches end. */
#ifndef WARPSCOPE_SPIRV_SITES_H
#define WARPSCOPE_SPIRV_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/spirv/module.h"

/* Whether a device executes the instruction, as the dynamic instruction count has it: not OpLabel, OpPhi,
 * OpVariable, lines, merges and debug information (extended instructions of NonSemantic and DebugInfo sets);
 * nor OpNop and OpUndef, for which no device does anything. Terminators are executed. */
bool ws_instruction_is_executed(const struct ws_module *module, const struct ws_instruction *instruction);

/* How many instructions of a block a device executes. */
uint32_t ws_block_instruction_count(const struct ws_module *module, const struct ws_block *block);

/* Whether the instruction ends the shader invocation of a lane that runs it (pass.h, "end"). OpReturn does in
 * the function of an entry point: `entry`. */
bool ws_instruction_ends(const struct ws_instruction *instruction, bool entry);

#endif
