/* Shadows: where pointers point that are chosen while the shader runs (warpscope/spirv/pointers.h).
 *
 * The shadow of a pointer is a vector of two words that is computed beside it: its offset in bytes from the begin of the
 * variable, and its place. Where the pointer is made the shadow is made: of a phi another phi, of a select another select,
 * of an access chain the sum of its indices. Parameters, results of functions and variables that hold pointers have a
 * Private variable beside them, stored to where they are; shaders do not recurse, so one is enough for each. A composite
 * that holds pointers has a composite of shadows beside it.
 *
 * 32 bits hold every offset: what a descriptor has of a buffer ends within maxStorageBufferRange, a number of 32 bits
 * (VkPhysicalDeviceLimits). With VK_EXT_shader_64bit_indexing shaders may go beyond: then offsets are modulo 4 GiB. Device
 * addresses have no shadows.
 *
 * The code is put where the pointer is defined, before all that passes put there. Only what is asked for is put. */
#ifndef WS_PASSES_INSTRUMENT_SHADOWS_H
#define WS_PASSES_INSTRUMENT_SHADOWS_H

#include "passes/spirv/edit.h"
#include "warpscope/spirv/access.h"

struct ws_shadows;

/* Everything is in the arena of the editor's module; `layouts` are that module's. NULL when there is no memory. */
struct ws_shadows *ws_shadows_create(struct ws_editor *editor, struct ws_layouts *layouts);

/* The id of the shadow of a value whose origin is known, a vector of two 32-bit unsigned integers. It may be used wherever the
 * value may. 0 after a failure. */
uint32_t ws_shadows_find(struct ws_shadows *shadows, uint32_t id);

#endif
