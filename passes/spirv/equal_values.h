/* Which values of a block are equal: made by the same instruction of equal operands, or loaded from variables between whose
 * loads nothing was stored to them. So an address that a shader works out twice is known as one.
 *
 *   %a = OpIAdd %uint %x %one    %b = OpIAdd %uint %x %one    the value of %b is %a
 *
 * Not thread-safe. */
#ifndef WS_PASSES_SPIRV_EQUAL_VALUES_H
#define WS_PASSES_SPIRV_EQUAL_VALUES_H

#include "warpscope/spirv/module.h"

#define WS_MADE_OPERANDS_MAX 8 /* of an instruction whose results are compared */
#define WS_MADE_VALUES       256 /* instructions of a block that are remembered; of two with one slot the later */

/* An instruction by which a value was made. */
struct ws_made_value {
    uint32_t block;   /* number of the block that it stands in, from 1; 0 = free */
    uint32_t version; /* of what it loads; 0 for what loads nothing */
    uint32_t id;      /* of the value */
    uint32_t opcode;
    uint32_t count;
    uint32_t operands[WS_MADE_OPERANDS_MAX]; /* its type, and values that stand for its operands */
};

struct ws_equal_values {
    const struct ws_module *module;
    uint32_t *same;     /* per id: an equal value that is known at least as early; 0 = itself */
    uint32_t *versions; /* per id of a variable: how often it was stored to */
    uint32_t version;   /* how often anything may have changed all variables */
    uint32_t stores;    /* to variables: each may change what a parameter points to */
    uint32_t block;
    struct ws_made_value made[WS_MADE_VALUES];
};

/* Begins before the first instruction of a module, in whose arena its arrays are; `values` is zero-initialised. False when
 * there is no memory. */
bool ws_equal_values_init(struct ws_equal_values *values, const struct ws_module *module);

/* Takes in an instruction, in the order of the module. */
void ws_equal_values_see(struct ws_equal_values *values, const struct ws_instruction *instruction);

/* The earliest value that is known to equal the one with this id; its own id where none is. */
uint32_t ws_equal_value(const struct ws_equal_values *values, uint32_t id);

#endif
