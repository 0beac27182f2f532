/* Workgroup sizes of a module's entry points, from which invocation ids follow. */
#ifndef WS_ANALYSIS_LOCAL_SIZE_H
#define WS_ANALYSIS_LOCAL_SIZE_H

#include "passes/ir/module.h"
#include "warpscope/chunks.h"

struct ws_local_size {
    uint32_t values[3];   /* 0 = not known */
    uint32_t spec_ids[3]; /* the specialization constant that replaces each; WS_NONE = none */
};

/* Sets `sizes[i]` for each of `count` entry points: `functions[i]` is the result id of its OpFunction. A
 * constant decorated as WorkgroupSize comes before LocalSize and LocalSizeId (SPIR-V specification, built-in
 * WorkgroupSize). Sizes that OpSpecConstantOp works out are not known. False when there is no memory. */
bool ws_local_size_find(struct ws_local_size *sizes, const struct ws_module *module,
                        const uint32_t *functions, uint32_t count);

/* The size in a shader with these specialization constants; 0, 0, 0 = not known. */
void ws_local_size_specialize(const struct ws_local_size *local, const struct ws_specialization *constants,
                              uint32_t count, uint32_t size[3]);

#endif
