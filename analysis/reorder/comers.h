/* Threads of a visit that are looked at apart from others, and how threads are sorted. Private to analysis/reorder. */
#ifndef WS_ANALYSIS_REORDER_COMERS_H
#define WS_ANALYSIS_REORDER_COMERS_H

#include <stdint.h>
#include <string.h>

struct ws_comer {
    uint32_t path;
    uint32_t rank;   /* of the path */
    uint32_t called; /* rank of what is called */
    uint32_t shader; /* rank of the shader alone */
};

#define WS_SORT_DIGITS 11 /* bits that are sorted at once */

/* Sorts `order` by values[order[i]], and those with equal values as they were: by digits from the lowest on, but for those that
 * all have in common. `spare` is as large as `order`. */
static inline void ws_comers_sort(uint32_t *order, uint32_t *spare, uint32_t count, const uint32_t *values)
{
    uint32_t differ = 0;
    for (uint32_t i = 1; i < count; ++i)
        differ |= values[i] ^ values[0];
    for (uint32_t shift = 0; shift < 32 && (differ >> shift) > 0; shift += WS_SORT_DIGITS) {
        uint32_t first[1u << WS_SORT_DIGITS] = {0};
        const uint32_t mask = (1u << WS_SORT_DIGITS) - 1;
        uint32_t sum = 0;
        if ((differ >> shift & mask) == 0)
            continue;
        for (uint32_t i = 0; i < count; ++i)
            first[values[i] >> shift & mask]++;
        for (uint32_t i = 0; i <= mask; ++i) {
            const uint32_t here = first[i];
            first[i] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < count; ++i)
            spare[first[values[order[i]] >> shift & mask]++] = order[i];
        memcpy(order, spare, count * sizeof(*order));
    }
}

#endif
