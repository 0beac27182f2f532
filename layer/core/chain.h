/* Changes a pNext chain of the application without writing to the application's structs.
 *
 * Each struct holds the pointer to the next one. To replace a struct, all structs before it must be copied
 * too; the structs behind it stay the application's. With the chain A -> B -> C, an edit of B gives
 *
 *     copy of A -> copy of B -> C
 *
 * A copy needs the struct's size, which struct_sizes.h has for all structs of the Vulkan registry. Where a
 * struct that is not in it precedes the one to be changed, the edit fails and the caller hands the
 * application's own chain on.
 *
 * Nothing is shared: thread-safe for different chains. */
#ifndef WS_LAYER_CORE_CHAIN_H
#define WS_LAYER_CORE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include <vulkan/vulkan.h>

#include "warpscope/error.h"

/* A chain that is edited: `head` is the pNext to use. The copies are freed by ws_chain_finish. */
struct ws_chain {
    const void *head;
    VkBaseOutStructure *copied; /* the last struct of the copied beginning, NULL while nothing is copied */
};

/* Starts with the application's chain, unchanged. The chain must outlive the struct. Cannot fail. */
void ws_chain_init(struct ws_chain *chain, const void *original);

/* Frees the copies. */
void ws_chain_finish(struct ws_chain *chain);

/* Returns a copy of the first struct of `type`, which stands in the chain in place of the original. The
 * caller may write all of it but sType and pNext. NULL without an error when the chain has no such struct;
 * NULL and `error` when it cannot be copied. */
void *ws_chain_edit(struct ws_chain *chain, VkStructureType type, struct ws_error *error);

/* Adds a zeroed struct of `type` at the beginning of the chain. NULL and `error` when its size is not known,
 * or without memory. */
void *ws_chain_add(struct ws_chain *chain, VkStructureType type, struct ws_error *error);

/* Removes the first struct of `type` from the chain, if there is one. False and `error` when a struct before
 * it cannot be copied. */
bool ws_chain_remove(struct ws_chain *chain, VkStructureType type, struct ws_error *error);

/* The first struct of `type` in a chain, NULL when there is none. */
const void *ws_chain_find(const void *chain, VkStructureType type);

/* The size in bytes of the struct of `type`; 0 when it is not known. */
size_t ws_chain_struct_size(VkStructureType type);

#endif
