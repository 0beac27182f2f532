/* Workgroup sizes of a module's entry points, from which launch ids follow. */
#ifndef WARPSCOPE_SPIRV_LOCAL_SIZE_H
#define WARPSCOPE_SPIRV_LOCAL_SIZE_H

#include "warpscope/chunks.h"
#include "warpscope/spirv/module.h"

/* Most constants that a size may come of. */
#define WS_SIZE_STEPS 16

/* A 32-bit constant: with opcode 0 a value, else worked out of two steps before it by the opcode of an
 * OpSpecConstantOp. */
struct ws_size_step {
    uint16_t opcode;
    uint8_t left;
    uint8_t right;
    uint32_t value;
    uint32_t spec_id; /* the specialization constant that replaces the value; WS_NONE = none */
};

/* Zeros: not known. */
struct ws_local_size {
    struct ws_size_step steps[WS_SIZE_STEPS];
    uint8_t step_count;
    uint8_t axes[3]; /* number of each axis's step, from 1; 0 = not known */
};

/* Sets `sizes[i]` for each of `count` entry points: `functions[i]` is the result id of its OpFunction. A
 * constant decorated as WorkgroupSize comes before LocalSize and LocalSizeId (SPIR-V specification, built-in
 * WorkgroupSize). Of what OpSpecConstantOp works out, arithmetic, shifts and bitwise operations on 32-bit
 * integers are known. False when there is no memory. */
bool ws_local_size_find(struct ws_local_size *sizes, const struct ws_module *module,
                        const uint32_t *functions, uint32_t count);

/* The size in a shader with these specialization constants; 0, 0, 0 = not known. */
void ws_local_size_specialize(const struct ws_local_size *local, const struct ws_specialization *constants,
                              uint32_t count, uint32_t size[3]);

#endif
