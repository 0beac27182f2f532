/* Changing a pNext chain that belongs to the application, without writing to it.
 *
 * A struct in the middle of a chain can be replaced only if those before it are copied too, since each
 * holds the pointer to the next. So a copy is always of the chain's beginning, and goes on into the
 * application's own structs. Copying needs each struct's size: struct_sizes.h has those of all structs of the
 * Vulkan registry. Where a struct that is not in it precedes the one to be changed, the edit fails and the
 * caller hands the application's own chain on. */
#ifndef WS_LAYER_CORE_CHAIN_H
#define WS_LAYER_CORE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include <vulkan/vulkan.h>

#include "warpscope/error.h"

/* A chain under edit: use `head` as the pNext. Structs copied are freed by ws_chain_finish. */
struct ws_chain {
    const void *head;
    VkBaseOutStructure *copied; /* the last struct of the copied beginning, NULL while nothing is copied */
};

/* Begins with the application's chain, unchanged. Nothing can fail. */
void ws_chain_init(struct ws_chain *chain, const void *original);

/* Frees the copies. */
void ws_chain_finish(struct ws_chain *chain);

/* A copy of the first struct of `type`, in its place in the chain and free to be written (but for its
 * sType and pNext); NULL without `error` set where the chain has no such struct, NULL and `error` where
 * it cannot be copied. */
void *ws_chain_edit(struct ws_chain *chain, VkStructureType type, struct ws_error *error);

/* A zeroed struct of `type`, put at the beginning of the chain; NULL and `error` when its size is not known, or there
 * is no memory. */
void *ws_chain_add(struct ws_chain *chain, VkStructureType type, struct ws_error *error);

/* Takes the first struct of `type` out of the chain, if it is there. False and `error` where what stands
 * before it cannot be copied. */
bool ws_chain_remove(struct ws_chain *chain, VkStructureType type, struct ws_error *error);

/* The first struct of `type` in a chain, NULL when there is none. */
const void *ws_chain_find(const void *chain, VkStructureType type);

/* The size in bytes of the struct of `type`; 0 when it is not known. */
size_t ws_chain_struct_size(VkStructureType type);

#endif
