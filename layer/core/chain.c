#include "layer/core/chain.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vk_layer.h>

#include "layer/core/struct_sizes.h"

static int compare_types(const void *key, const void *row)
{
    const uint32_t type = *(const uint32_t *)key;
    const uint32_t other = ((const struct ws_struct_size *)row)->type;
    return (type > other) - (type < other);
}

size_t ws_chain_struct_size(VkStructureType type)
{
    /* The Vulkan loader's, which the registry does not have. */
    if (type == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
        return sizeof(VkLayerDeviceCreateInfo);
    /* The table is of LP64. Elsewhere no size is known, and nothing can be copied. */
    if (sizeof(void *) != 8)
        return 0;
    const uint32_t key = (uint32_t)type;
    const struct ws_struct_size *found =
        bsearch(&key, ws_struct_sizes, sizeof(ws_struct_sizes) / sizeof(ws_struct_sizes[0]),
                sizeof(ws_struct_sizes[0]), compare_types);
    return found != NULL ? found->size : 0;
}

void ws_chain_init(struct ws_chain *chain, const void *original)
{
    chain->head = original;
    chain->copied = NULL;
}

void ws_chain_finish(struct ws_chain *chain)
{
    if (chain->copied == NULL)
        return;
    VkBaseOutStructure *item = (VkBaseOutStructure *)chain->head;
    for (bool last = false; !last;) {
        VkBaseOutStructure *next = item->pNext;
        last = item == chain->copied;
        free(item);
        item = next;
    }
    chain->head = NULL;
    chain->copied = NULL;
}

const void *ws_chain_find(const void *chain, VkStructureType type)
{
    const VkBaseInStructure *item = chain;
    while (item != NULL && item->sType != type)
        item = item->pNext;
    return item;
}

/* Copies the next struct of the application, behind those that are copied already. */
static bool copy_next(struct ws_chain *chain, struct ws_error *error)
{
    const VkBaseInStructure *original =
        chain->copied != NULL ? (const VkBaseInStructure *)chain->copied->pNext : chain->head;
    const size_t size = ws_chain_struct_size(original->sType);
    if (size == 0)
        return ws_error_set(error, "a struct of an unknown sType (%d) stands before one that must be changed",
                            (int)original->sType);
    VkBaseOutStructure *copy = malloc(size);
    if (copy == NULL)
        return ws_error_set(error, "out of memory");
    memcpy(copy, original, size);
    if (chain->copied != NULL)
        chain->copied->pNext = copy;
    else
        chain->head = copy;
    chain->copied = copy;
    return true;
}

/* The copy of the struct of `type`, NULL when there is none, and the copy before it (NULL = it is the
 * first). */
static VkBaseOutStructure *find_copy(const struct ws_chain *chain, VkStructureType type,
                                     VkBaseOutStructure **before)
{
    *before = NULL;
    if (chain->copied == NULL)
        return NULL;
    VkBaseOutStructure *item = (VkBaseOutStructure *)chain->head;
    while (item->sType != type && item != chain->copied) {
        *before = item;
        item = item->pNext;
    }
    return item->sType == type ? item : NULL;
}

static VkBaseOutStructure *edit(struct ws_chain *chain, VkStructureType type, VkBaseOutStructure **before,
                                struct ws_error *error)
{
    if (ws_chain_find(chain->head, type) == NULL)
        return NULL;
    VkBaseOutStructure *item;
    while ((item = find_copy(chain, type, before)) == NULL)
        if (!copy_next(chain, error))
            return NULL;
    return item;
}

void *ws_chain_edit(struct ws_chain *chain, VkStructureType type, struct ws_error *error)
{
    VkBaseOutStructure *before;
    return edit(chain, type, &before, error);
}

void *ws_chain_add(struct ws_chain *chain, VkStructureType type, struct ws_error *error)
{
    const size_t size = ws_chain_struct_size(type);
    VkBaseOutStructure *item = size > 0 ? calloc(1, size) : NULL;
    if (item == NULL) {
        if (size > 0)
            ws_error_set(error, "out of memory");
        else
            ws_error_set(error, "a struct of an unknown sType (%d) cannot be added", (int)type);
        return NULL;
    }
    item->sType = type;
    item->pNext = (VkBaseOutStructure *)chain->head;
    if (chain->copied == NULL)
        chain->copied = item;
    chain->head = item;
    return item;
}

bool ws_chain_remove(struct ws_chain *chain, VkStructureType type, struct ws_error *error)
{
    if (ws_chain_find(chain->head, type) == NULL)
        return true;
    VkBaseOutStructure *before;
    VkBaseOutStructure *item = edit(chain, type, &before, error);
    if (item == NULL)
        return false;
    if (before != NULL)
        before->pNext = item->pNext;
    else
        chain->head = item->pNext;
    if (item == chain->copied)
        chain->copied = before;
    free(item);
    return true;
}
