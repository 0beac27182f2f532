#include "analysis/memory/cache/way_index.h"

#include <stdlib.h>

bool ws_way_index_init(struct ws_way_index *index, uint32_t sets, uint32_t ways)
{
    uint32_t bits = 1;
    while (1u << bits < 2 * ways)
        ++bits;
    *index = (struct ws_way_index){
        .sets = sets, .ways = ways, .hash_shift = 64 - bits, .link_count = ways + 1 + (1u << bits)};
    index->next = calloc(sets, index->link_count * sizeof(*index->next));
    index->before = calloc(sets, (ways + (size_t)1) * sizeof(*index->before));
    index->low = calloc(sets, ways * sizeof(*index->low));
    index->high = calloc(sets, ways * sizeof(*index->high));
    if (index->next == NULL || index->before == NULL || index->low == NULL || index->high == NULL)
        return false;
    ws_way_index_clear(index);
    return true;
}

void ws_way_index_finish(struct ws_way_index *index)
{
    free(index->next);
    free(index->before);
    free(index->low);
    free(index->high);
    *index = (struct ws_way_index){0};
}

void ws_way_index_clear(struct ws_way_index *index)
{
    const size_t links = (size_t)index->sets * index->link_count;
    for (size_t i = 0; i < links; ++i)
        index->next[i] = (uint16_t)index->ways;
}
