/* Growing arrays by doubling. */
#ifndef WARPSCOPE_BASE_ARRAY_H
#define WARPSCOPE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* `array` with room for at least `needed` elements of `size` bytes, perhaps moved; `*capacity` counts
 * elements. NULL when there is no memory: then array and capacity stay as they were. */
static inline void *ws_array_grow(void *array, uint32_t *capacity, uint32_t needed, size_t size)
{
    if (needed <= *capacity && array != NULL)
        return array;
    uint32_t wanted = *capacity > 0 ? *capacity : 8;
    while (wanted < needed) {
        if (wanted > UINT32_MAX / 2)
            return NULL;
        wanted *= 2;
    }
    void *grown = size > 0 && wanted > SIZE_MAX / size ? NULL : realloc(array, wanted * size);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

#endif
