#include "layer/memory/free_list.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"

bool ws_free_list_init(struct ws_free_list *list, uint64_t size)
{
    memset(list, 0, sizeof(*list));
    list->parts = ws_array_grow(NULL, &list->capacity, 1, sizeof(*list->parts));
    if (list->parts == NULL)
        return false;
    list->parts[0] = (struct ws_free_part){.offset = 0, .size = size};
    list->count = 1;
    return true;
}

void ws_free_list_finish(struct ws_free_list *list)
{
    free(list->parts);
    memset(list, 0, sizeof(*list));
}

static void remove_part(struct ws_free_list *list, uint32_t index)
{
    memmove(&list->parts[index], &list->parts[index + 1], (list->count - index - 1) * sizeof(*list->parts));
    list->count--;
}

bool ws_free_list_take(struct ws_free_list *list, uint64_t size, uint64_t *offset)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct ws_free_part *part = &list->parts[i];
        if (part->size < size)
            continue;
        *offset = part->offset;
        part->offset += size;
        part->size -= size;
        if (part->size == 0)
            remove_part(list, i);
        return true;
    }
    return false;
}

void ws_free_list_give(struct ws_free_list *list, uint64_t offset, uint64_t size)
{
    uint32_t index = 0;
    while (index < list->count && list->parts[index].offset < offset)
        index++;
    struct ws_free_part *before = index > 0 ? &list->parts[index - 1] : NULL;
    struct ws_free_part *after = index < list->count ? &list->parts[index] : NULL;
    const bool joins_before = before != NULL && before->offset + before->size == offset;
    const bool joins_after = after != NULL && offset + size == after->offset;

    if (joins_before) {
        before->size += size;
        if (joins_after) {
            before->size += after->size;
            remove_part(list, index);
        }
    } else if (joins_after) {
        after->offset = offset;
        after->size += size;
    } else {
        struct ws_free_part *parts =
            ws_array_grow(list->parts, &list->capacity, list->count + 1, sizeof(*parts));
        if (parts == NULL)
            return;
        list->parts = parts;
        memmove(&parts[index + 1], &parts[index], (list->count - index) * sizeof(*parts));
        parts[index] = (struct ws_free_part){.offset = offset, .size = size};
        list->count++;
    }
}

uint64_t ws_block_size(uint64_t total, uint64_t needed)
{
    uint64_t size = total < WS_BLOCK_MIN ? WS_BLOCK_MIN : total;
    if (size > WS_BLOCK_MAX)
        size = WS_BLOCK_MAX;
    if (needed <= size)
        return size;
    return (needed + WS_BLOCK_MIN - 1) / WS_BLOCK_MIN * WS_BLOCK_MIN;
}
