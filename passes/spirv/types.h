/* Types and constants: found in the module where they may be shared, else appended to it.
 *
 * SPIR-V 2.8: a non-aggregate type must not be declared twice; aggregates (arrays, structs) and pointers may
 * be, and then differ, for each may have decorations of its own. So scalars, vectors, matrices, void and
 * functions are shared always; arrays, pointers and constants when nothing decorates them; structs never. */
#ifndef WS_PASSES_SPIRV_TYPES_H
#define WS_PASSES_SPIRV_TYPES_H

#include "passes/spirv/edit.h"

/* The result id of the type or constant with these operands (the words behind the result id), found or
 * appended. `type` is the result type of a constant, 0 for a type. 0 after a failure. */
uint32_t ws_global_find(struct ws_editor *editor, uint16_t opcode, uint32_t type, const uint32_t *operands,
                        uint32_t count);

/* Appends a type, constant or variable that is shared with nothing; its result id, 0 after a failure. */
uint32_t ws_global_add(struct ws_editor *editor, uint16_t opcode, uint32_t type, const uint32_t *operands,
                       uint32_t count);

uint32_t ws_type_u32(struct ws_editor *editor);

/* A 32-bit unsigned constant. */
uint32_t ws_constant_u32(struct ws_editor *editor, uint32_t value);

/* Whether the id is that of a 32-bit unsigned constant, of the module or appended by ws_constant_u32, and its value. A
 * specialization constant is none. */
bool ws_constant_u32_value(const struct ws_editor *editor, uint32_t id, uint32_t *value);

#endif
