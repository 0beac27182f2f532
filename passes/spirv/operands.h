/* Which words of an instruction in a function are ids, and which are literals. It is needed to copy code under
 * other ids. */
#ifndef WS_PASSES_SPIRV_OPERANDS_H
#define WS_PASSES_SPIRV_OPERANDS_H

#include "warpscope/spirv/module.h"

/* Sets `is_id[i]` for each operand `i` (as ws_operand counts them; length - 1 in all). Returns false for an
 * instruction whose layout is not known here, or whose result the headers do not know: it cannot be copied.
 * No state; safe from any thread. */
bool ws_operands_find_ids(const struct ws_module *module, const struct ws_instruction *instruction,
                          bool *is_id);

#endif
