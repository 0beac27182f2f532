/* See analysis/capture/fixed_words.h. */
#include "analysis/capture/fixed_words.h"

#include <stddef.h>

uint32_t ws_fixed_words_find(const struct ws_fixed_word *fixed, uint32_t count, uint32_t site,
                             uint32_t *first)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (fixed[middle].site < site)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (high < count && fixed[high].site == site)
        ++high;
    return high - low;
}

void ws_fixed_words_restore(uint32_t *whole, const uint32_t *words, uint32_t lane_count, uint32_t word_count,
                            const struct ws_fixed_word *fixed, uint32_t count)
{
    for (uint32_t lane = 0; lane < lane_count; ++lane) {
        uint32_t next = 0;
        for (uint32_t i = 0; i < word_count; ++i)
            *whole++ = next < count && fixed[next].word == i ? fixed[next++].value : *words++;
    }
}
