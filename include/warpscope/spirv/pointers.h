/* Pointers that are chosen while the shader runs: what they may point to.
 *
 * With variable pointers (SPV_KHR_variable_pointers) a pointer to a buffer or to Workgroup memory is a value like others. It
 * comes out of OpPhi, OpSelect, parameters, calls, variables that hold pointers, and composites of pointers. For example,
 *
 *   float *p = n > 4 ? &a.xs[i] : &b.xs[j];     p[2] = 1;
 *
 * Which of the two it is, and at what byte, only the device knows. What is known before is that it points to a or to b: the
 * ORIGIN. Where all that a pointer may be lies in one variable, only the byte is left to be asked for.
 *
 * Values are followed from stores to loads, from arguments to parameters and from OpReturnValue to calls, by what may be, not
 * in which order: so an origin may name more than ever comes, and never less. Variables of one invocation that hold pointers
 * are one value each, whatever their elements are.
 *
 * A PLACE is one word that names a variable and an element of an array of descriptors: the number of the variable among those
 * of buffers and Workgroup memory, from 1, in the order of the module, and 24 bits of the element. So elements that are 2^24
 * apart have one place, as if they were one buffer. What sets with so many descriptors hold is not followed (the layer follows
 * 2^22), so no buffer is named for them.
 *
 * What is found is a pure function of the module. Not thread-safe. */
#ifndef WARPSCOPE_SPIRV_POINTERS_H
#define WARPSCOPE_SPIRV_POINTERS_H

#include "warpscope/spirv/module.h"

struct ws_layouts;
struct ws_pointers;

/* What a pointer, or all pointers in a composite, may point to. */
struct ws_pointer_origin {
    uint32_t variable;   /* id; 0 = nothing; WS_NONE = one of several */
    uint32_t descriptor; /* element of an array of descriptors; WS_NONE = one of several */
    const char *reason;  /* why it is not known, a static string of one clause; NULL = it is */
};

/* Follows the pointers of a module, in its arena. Linear time. NULL when there is no memory. `layouts` are the module's. */
struct ws_pointers *ws_pointers_create(const struct ws_module *module, struct ws_layouts *layouts);

/* The origin of a value. */
struct ws_pointer_origin ws_pointers_origin(struct ws_pointers *pointers, uint32_t id);

/* Whether a type is, or holds, pointers to buffers or Workgroup memory. */
bool ws_pointers_in_type(struct ws_pointers *pointers, uint32_t type);

/* The variable of one invocation (Function or Private) that a pointer points into; 0 where it is not known. */
uint32_t ws_pointers_holder(const struct ws_module *module, uint32_t pointer);

/* Whether an instruction makes a pointer from another, or is a variable: what ws_access_follow follows. */
bool ws_pointers_is_followed(const struct ws_instruction *definition);

#define WS_PLACE_VARIABLES_MAX 255u
#define WS_PLACE_ELEMENT_MASK  0xffffffu

/* Whether the module has more variables than have numbers. */
bool ws_pointers_is_crowded(const struct ws_pointers *pointers);

/* The place of element 0 of a variable; 0 where it has no number, or one above WS_PLACE_VARIABLES_MAX. */
uint32_t ws_pointers_place(const struct ws_pointers *pointers, uint32_t variable);

/* The variable of a place; 0 where there is none. */
uint32_t ws_pointers_variable(const struct ws_pointers *pointers, uint32_t place);

#endif
