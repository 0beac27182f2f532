/* How data of a module's types lies in memory: decorations of types and members, offsets, strides and sizes. With layout they
 * are as decorations say; without, as access.h says. */
#ifndef WS_SPIRV_LAYOUTS_H
#define WS_SPIRV_LAYOUTS_H

#include <spirv/unified1/spirv.h>

#include "warpscope/spirv/access.h"

#define WS_LAYOUTS_DEPTH 32       /* of types in each other */
#define WS_LAYOUTS_WHOLE 0xfffffu /* in place of the index of a member: the type itself */

/* How much room data of a type takes, in bytes. */
struct ws_extent {
    uint32_t size;
    uint32_t unit;  /* smallest number in it */
    uint32_t align; /* largest number in it */
};

/* How data lies, as far as its type alone does not say it. */
struct ws_lie {
    bool is_natural; /* types without layout are laid out as access.h says; else they have no size */
    bool row_major;  /* of matrices: the member of the struct around them says this ... */
    uint32_t stride; /* ... and this; 0 = not said */
};

struct ws_measured;

/* The decorations of types and members; those of one word have it as value, others 1. */
struct ws_layouts {
    const struct ws_module *module;
    uint64_t *keys; /* of target, member and decoration: open addressing, at most half full; 0 = free */
    uint32_t *values;
    uint32_t capacity; /* a power of two */
    /* Per id: index in `measured`, + 1; 0 = it is not measured. With layout, and laid out naturally (struct ws_lie). NULL until
     * the first is. */
    uint32_t *structs[2];
    struct ws_measured *measured;
    uint32_t measured_count;
    uint32_t measured_capacity;
    /* What access.c has found out of the module besides. NULL = not asked for yet. */
    struct ws_pointers *pointers;
    uint32_t
        *arguments; /* per id of a parameter: what all calls give for it; 0 = nothing, or not all the same */
};

/* The value of a decoration that is kept: of one word that, of others 1. False where the type or member has no such one. */
bool ws_layouts_get(const struct ws_layouts *layouts, uint32_t target, uint32_t member,
                    SpvDecoration decoration, uint32_t *value);

/* False for what has no size that is known, such as an array whose length is specialized. `depth`: of types around it. */
bool ws_layouts_extent(struct ws_layouts *layouts, uint32_t type, struct ws_lie lie, uint32_t depth,
                       struct ws_extent *extent);

/* How a member of a struct lies, and where. False where that is not known. */
struct ws_lie ws_layouts_member(const struct ws_layouts *layouts, uint32_t type, uint32_t member,
                                bool is_natural);
bool ws_layouts_member_offset(struct ws_layouts *layouts, uint32_t type, uint32_t member, bool is_natural,
                              uint32_t *offset);

/* The bytes from one element of an array to the next; 0 = not known. `extent` is that of an element, which is known. */
uint32_t ws_layouts_stride(const struct ws_layouts *layouts, uint32_t array, struct ws_lie lie,
                           const struct ws_extent *extent);

/* The bytes from one column of a matrix to the next, or of a row-major one from row to row; 0 = not known. */
uint32_t ws_layouts_matrix_stride(struct ws_lie lie, const struct ws_extent *vector);

uint64_t ws_layouts_round_up(uint64_t size, uint32_t align);

/* The value of a constant of 32 bits; of one of 64 bits its low half. False where it is none. */
bool ws_layouts_constant(const struct ws_module *module, uint32_t id, uint32_t *value);

#endif
