/* What the code of one module does, instruction by instruction. effects.h has the definitions, and the shaders of a
 * capture. */
#ifndef WARPSCOPE_MODEL_EFFECTS_CODE_H
#define WARPSCOPE_MODEL_EFFECTS_CODE_H

#include "warpscope/model/effects.h"
#include "warpscope/spirv/fold.h"

/* Judges entry points of the module: [first, first + count) into `effects`. `fold`: the blocks that can run; NULL =
 * all. Takes time linear in the module. False when there is no memory. */
bool ws_effects_read(const struct ws_module *module, const struct ws_fold *fold, uint32_t first,
                     uint32_t count, struct ws_shader_effects *effects);

/* The word offsets of instructions that trace and only ask (ws_effects_asks), ascending, into `*offsets`, which the
 * caller frees, and `*count`. Takes time linear in the module. False when there is no memory. */
bool ws_effects_read_asking(const struct ws_module *module, uint32_t **offsets, uint32_t *count);

/* Finds the first instruction that does more than to confirm (effects.h, `query_offset`), in all functions of the module:
 * `*offset` in words; WS_NONE = there is none. Takes time linear in the module but for the loops of ray queries. False when
 * there is no memory. */
bool ws_effects_read_queries(const struct ws_module *module, const struct ws_fold *fold, uint32_t *offset);

/* The effects of an instruction by itself (enum ws_effect, and bits of its own); those of an OpFunctionCall are
 * those of its callee. */
uint32_t ws_effect_of(const struct ws_module *module, const struct ws_instruction *instruction);

/* Whether `id` is a constant, or a specialization constant. */
bool ws_effects_is_constant(const struct ws_module *module, uint32_t id);

#endif
